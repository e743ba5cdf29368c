// What an arc adds to the BDeu score of its head, over the cases that show both of its ends.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "data/columns.hpp"
#include "local/parent_list.hpp"
#include "scores/term_tables.hpp"

namespace arcwise {

// Scores of families that were counted over different cases cannot be compared, so that the family with the
// arc and the one without are counted over the same: those in which both ends were observed, and the head was
// not set by an experiment. The head's other parents may be as completed or, with `whole_families`, must be
// observed, too. (Why filled ends do not count: arcwise/sampled/completions.py.)
template <class Code>
class ArcGains {
  public:
    // What is known of a cell; flags has variables x rows of it.
    static constexpr std::uint8_t missing = 1;
    static constexpr std::uint8_t set = 2;

    ArcGains(const Columns<Code>& data, std::span<const std::uint8_t> flags, double ess, bool whole_families)
        : data_(data),
          flags_(flags),
          ess_(ess),
          whole_families_(whole_families),
          terms_(static_cast<std::int64_t>(data.rows)) {}

    // What tail -> head adds to the score of the head with `others` as its other parents; minus infinity if
    // no case shows both ends: nothing is known about the arc.
    double operator()(std::size_t head, std::span<const std::int32_t> others, std::size_t tail);

  private:
    struct KeyHash {
        std::size_t operator()(const Parents& key) const;
    };

    double compute(std::size_t head, std::span<const std::int32_t> others, std::size_t tail);
    std::span<const std::uint8_t> flags_of(std::size_t variable) const {
        return flags_.subspan(variable * data_.rows, data_.rows);
    }

    Columns<Code> data_;
    std::span<const std::uint8_t> flags_;
    double ess_;
    bool whole_families_;
    TermTables terms_;
    std::unordered_map<Parents, double, KeyHash> known_;  // by head, tail, other parents
    std::vector<std::uint32_t> counts_;                   // scratch
    std::vector<std::uint64_t> keys_;                     // scratch
};

}  // namespace arcwise
