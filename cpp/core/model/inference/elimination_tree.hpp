// The joint distribution of many variables as a product of conditional ones, made by elimination once.
//
// Eliminated one by one, each time the variable whose clique is smallest, the variables of some factors leave
// a table each: its distribution given the neighbours that it had then, all of which are eliminated later.
// The product of these is the joint distribution, whatever the factors were, and each variable's neighbours
// lie within the clique of the first of them (its parent in a tree). So a question about a few variables
// concerns the paths between them alone: what lies below is summed out already, and what lies above the
// lowest common ancestor is in that one's marginal. Without it, each question would be an elimination of all
// variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/inference/factor.hpp"

namespace arcwise {

class EliminationTree {
  public:
    // False if a table would have more than `max_cells`; else `log_sum` is the logarithm of the factors'
    // product, summed over everything (minus infinity if that is 0: nothing else is then defined).
    bool build(std::span<const Factor> factors, std::span<const std::int32_t> arities, double max_cells,
               double& log_sum);

    // The joint distribution of some variables, ascending. False if a table would be too large.
    bool marginal(std::span<const std::int32_t> asked, std::span<const std::int32_t> arities,
                  double max_cells, Factor& result) const;

    std::size_t bytes() const;

  private:
    struct Node {
        std::int32_t variable = 0;
        std::int32_t parent = -1;  // a later node; the root has none
        Factor given;              // of the variable, given the others of the clique
        Factor clique;             // the marginal distribution of all of them
    };
    std::size_t node_of(std::int32_t variable) const;

    std::vector<Node> nodes_;              // in the order of elimination
    std::vector<std::int32_t> variables_;  // ascending
    std::vector<std::int32_t> places_;     // of each of them among the nodes
};

}  // namespace arcwise
