// The states that evidence leaves possible.
//
// Zeros in the tables say which states cannot occur together. So what is observed can rule out states of
// other variables, these can rule out states of others again, and so on: arc consistency (Mackworth, 1977),
// as Larkin and Dechter (2003) use it in networks. A state that is left need not be possible. Those that are
// not left are: so a network without them gives the same answers, from smaller tables, and a variable with
// one state left is as good as observed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/inference/probability_tables.hpp"

namespace arcwise {

class PossibleStates {
  public:
    // `states`: one per variable, -1 if it is not observed.
    PossibleStates(const ProbabilityTables& tables, std::span<const std::int32_t> states);

    // Whether nothing is left of some variable: then the evidence has probability 0.
    bool impossible() const { return impossible_; }
    // Whether it rules out states of variables that are not observed.
    bool fewer() const { return fewer_; }
    // By variable: the states that are left, ascending.
    const std::vector<std::vector<std::int32_t>>& left() const { return left_; }
    // What is observed, in the network without the others: the one state that is left.
    const std::vector<std::int32_t>& observed() const { return observed_; }

    // Distributions over these states, one after the other, as distributions over all.
    std::vector<double> marginals_over_all(std::span<const double> marginals) const;
    // The joint distribution of `asked`, likewise.
    std::vector<double> joint_over_all(std::span<const std::int32_t> asked,
                                       std::span<const double> joint) const;

  private:
    // Rules out what no row of the table of v allows; true for each member of the family that lost a state.
    std::vector<std::uint8_t> narrow(std::size_t v);

    const ProbabilityTables& tables_;
    std::vector<std::vector<std::uint8_t>> possible_;  // by variable and state
    std::vector<std::vector<std::int32_t>> left_;
    std::vector<std::int32_t> observed_;
    bool impossible_ = false, fewer_ = false;
};

}  // namespace arcwise
