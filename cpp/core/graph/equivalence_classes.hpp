// Many DAGs at once: the key of the class of each, and the classes that occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "bitset.hpp"
#include "graph/class_kernel.hpp"

namespace arcwise {

// Numbers the classes in the order in which they are first met: 0, 1, ...
class ClassIndex {
  public:
    // The number of the class with this key, a new one if it was not met before.
    std::int64_t number_of(const ClassKey& key) {
        return numbers_.try_emplace(key, static_cast<std::int64_t>(numbers_.size())).first->second;
    }
    std::size_t size() const { return numbers_.size(); }

  private:
    struct Hash {
        std::size_t operator()(const ClassKey& key) const { return static_cast<std::size_t>(key.low); }
    };
    std::unordered_map<ClassKey, std::int64_t, Hash> numbers_;
};

// The class keys of DAGs that are given as rows of a table of parent sets: DAG d gives node v the parents
// members[set_offsets[r] .. set_offsets[r + 1]), r = rows[d * nodes + v]. Two numbers per DAG: low and high.
// `fixed`: see ClassKernel; empty for Markov classes. Throws std::invalid_argument for a graph with a cycle.
template <class Row>
std::vector<std::uint64_t> class_keys_of_rows(std::span<const Row> rows, std::size_t nodes,
                                              std::span<const std::int64_t> set_offsets,
                                              std::span<const std::int32_t> members,
                                              std::span<const Word> fixed = {});

// The same for DAGs that are given as bits: DAG d gives node v the parents whose bits are set in the `words`
// words from masks[(d * nodes + v) * words] on, the lowest bit of the first word being node 0.
std::vector<std::uint64_t> class_keys_of_masks(std::span<const std::uint64_t> masks, std::size_t nodes,
                                               std::size_t words, std::span<const Word> fixed = {});

// For each key (two numbers), the number of its class in the order of first appearance.
std::vector<std::int64_t> number_classes(std::span<const std::uint64_t> keys);

}  // namespace arcwise
