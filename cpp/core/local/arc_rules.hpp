// Which arcs a search may use: the constraints of the user as the core sees them.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"

namespace arcwise {

class ArcRules {
  public:
    // Everything allowed, nothing required.
    explicit ArcRules(std::size_t variables, std::size_t max_parents)
        : variables_(variables),
          limits_(variables, max_parents),
          flags_(variables * variables, allowed_flag) {}

    // One row of words per child, 64 positions per word, lowest first: the parents it must have, and those it
    // cannot have. `limits` has the largest number of parents of each.
    ArcRules(std::size_t variables, std::span<const Word> required, std::span<const Word> forbidden,
             std::span<const std::int32_t> limits)
        : variables_(variables), limits_(limits.begin(), limits.end()), flags_(variables * variables) {
        assert(required.size() == variables * words_for(variables) && forbidden.size() == required.size());
        assert(limits.size() == variables);
        for (std::size_t to = 0; to < variables; ++to) {
            const SetView needed = set_at(required, variables, to), barred = set_at(forbidden, variables, to);
            for (std::size_t from = 0; from < variables; ++from)
                flags_[to * variables + from] = needed.has(from)   ? allowed_flag | required_flag
                                                : barred.has(from) ? 0
                                                                   : allowed_flag;
        }
    }

    // The same rules with no arc into the children that `keeps` does not hold for, but required ones.
    template <class Keeps>
    ArcRules into(Keeps keeps) const {
        ArcRules rules = *this;
        for (std::size_t to = 0; to < variables_; ++to)
            for (std::size_t from = 0; from < variables_ && !keeps(to); ++from)
                if (!required(from, to)) rules.flags_[to * variables_ + from] = 0;
        return rules;
    }

    std::size_t variables() const { return variables_; }
    std::size_t limit(std::size_t child) const { return limits_[child]; }
    bool allowed(std::size_t from, std::size_t to) const { return (at(from, to) & allowed_flag) != 0; }
    bool required(std::size_t from, std::size_t to) const { return (at(from, to) & required_flag) != 0; }

  private:
    static constexpr std::uint8_t allowed_flag = 1;
    static constexpr std::uint8_t required_flag = 2;
    std::uint8_t at(std::size_t from, std::size_t to) const { return flags_[to * variables_ + from]; }

    std::size_t variables_;
    std::vector<std::size_t> limits_;
    std::vector<std::uint8_t> flags_;  // by head, then tail: searches ask of all tails of one head
};

}  // namespace arcwise
