#include "graph/equivalence_classes.hpp"

#include <cassert>
#include <stdexcept>

#include "bitset.hpp"

namespace arcwise {

namespace {

void append_key(ClassKernel& kernel, std::span<const ParentList> parents, std::vector<std::uint64_t>& keys) {
    if (!kernel.label(parents)) throw std::invalid_argument("a graph has a cycle");
    const auto key = kernel.key();
    keys.push_back(key.low);
    keys.push_back(key.high);
}

}  // namespace

template <class Row>
std::vector<std::uint64_t> class_keys_of_rows(std::span<const Row> rows, std::size_t nodes,
                                              std::span<const std::int64_t> set_offsets,
                                              std::span<const std::int32_t> members,
                                              std::span<const Word> fixed) {
    assert(nodes > 0 && rows.size() % nodes == 0);
    std::vector<std::uint64_t> keys;
    keys.reserve(rows.size() / nodes * 2);
    ClassKernel kernel(nodes, fixed);
    std::vector<ParentList> parents(nodes);
    for (std::size_t first = 0; first < rows.size(); first += nodes) {
        for (std::size_t node = 0; node < nodes; ++node) {
            const auto row = static_cast<std::size_t>(rows[first + node]);
            const auto begin = static_cast<std::size_t>(set_offsets[row]);
            const auto end = static_cast<std::size_t>(set_offsets[row + 1]);
            parents[node] = members.subspan(begin, end - begin);
        }
        append_key(kernel, parents, keys);
    }
    return keys;
}

template std::vector<std::uint64_t> class_keys_of_rows(std::span<const std::int32_t>, std::size_t,
                                                       std::span<const std::int64_t>,
                                                       std::span<const std::int32_t>, std::span<const Word>);
template std::vector<std::uint64_t> class_keys_of_rows(std::span<const std::int64_t>, std::size_t,
                                                       std::span<const std::int64_t>,
                                                       std::span<const std::int32_t>, std::span<const Word>);

std::vector<std::uint64_t> class_keys_of_masks(std::span<const std::uint64_t> masks, std::size_t nodes,
                                               std::size_t words, std::span<const Word> fixed) {
    assert(nodes > 0 && words > 0 && masks.size() % (nodes * words) == 0);
    std::vector<std::uint64_t> keys;
    keys.reserve(masks.size() / (nodes * words) * 2);
    ClassKernel kernel(nodes, fixed);
    std::vector<ParentList> parents(nodes);
    std::vector<std::int32_t> members;
    std::vector<std::size_t> ends(nodes);
    for (std::size_t first = 0; first < masks.size(); first += nodes * words) {
        members.clear();
        for (std::size_t node = 0; node < nodes; ++node) {
            SetView(masks.subspan(first + node * words, words)).for_each([&](std::size_t member) {
                members.push_back(static_cast<std::int32_t>(member));
            });
            ends[node] = members.size();
        }
        std::size_t begin = 0;
        for (std::size_t node = 0; node < nodes; ++node) {
            parents[node] = ParentList(members).subspan(begin, ends[node] - begin);
            begin = ends[node];
        }
        append_key(kernel, parents, keys);
    }
    return keys;
}

std::vector<std::int64_t> number_classes(std::span<const std::uint64_t> keys) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(keys.size() / 2);
    ClassIndex index;
    for (std::size_t at = 0; at + 1 < keys.size(); at += 2)
        numbers.push_back(index.number_of({keys[at], keys[at + 1]}));
    return numbers;
}

}  // namespace arcwise
