// The array types that cross the native boundary, and how a vector becomes a numpy array without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "bitset.hpp"
#include "data/columns.hpp"

namespace arcwise {

template <class T>
using Array1 = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Array2 = nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
std::span<const T> as_span(const Array1<T>& array) {
    return array.is_valid() ? std::span<const T>(array.data(), array.shape(0)) : std::span<const T>();
}

// All words of sets that lie one after the other; none for an array that was not given.
inline std::span<const Word> words_of(const Array2<Word>& sets) {
    return sets.is_valid() ? std::span<const Word>(sets.data(), sets.size()) : std::span<const Word>();
}

// Codes are (variables, rows). An empty weights array means that every row counts once.
template <class Code>
Columns<Code> as_columns(const Array2<Code>& codes, const Array1<std::int32_t>& arities,
                         const Array1<std::int64_t>& weights) {
    return {codes.data(), codes.shape(0), codes.shape(1), arities.data(),
            weights.shape(0) == 0 ? nullptr : weights.data()};
}

// The array owns the vector's memory.
template <class T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> as_array(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    const nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {owned->data(), {owned->size()}, owner};
}

template <class T>
auto copy_array(std::span<const T> values) {
    return as_array(std::vector<T>(values.begin(), values.end()));
}

// Sets of equal length: (sets, words per set).
inline auto as_sets(std::vector<Word>&& words, std::size_t width) {
    auto* owned = new std::vector<Word>(std::move(words));
    const nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<Word>*>(p); });
    return nanobind::ndarray<nanobind::numpy, Word, nanobind::ndim<2>>(owned->data(),
                                                                       {owned->size() / width, width}, owner);
}
inline auto copy_sets(const BitRows& sets) {
    return as_sets(std::vector<Word>(sets.words()), sets.width());
}

}  // namespace arcwise
