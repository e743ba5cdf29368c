// Inequalities that every acyclic network satisfies, and their multipliers.
//
// Clusters. In an acyclic network every set C of nodes has a node whose parents all lie outside C: the first
// of C in a topological order. (Jaakkola, Sontag, Globerson and Meila 2010, "Learning Bayesian network
// structure using LP relaxations".) More generally the first k nodes of C have fewer than k parents in C, so
// at most |C| - k nodes of C have k or more of their parents in C (Cussens 2011, "Bayesian network learning
// with cutting planes"; C of three nodes with k = 2 are GOBNILP's set packing constraints). Four nodes have
// more facets: four_node_facets.hpp.
//
// A cut is stored as its nodes and one number: k > 0 for a cluster, -(i + 1) for the i-th four-node facet, 0
// for a weighted cut, which comes with a coefficient for every row of the table (information.hpp). The
// coefficient of the others can be computed for any set of any node. Either way a cut found on a few columns
// of an LP holds for all of them, and for any multipliers the bound can be computed over the whole table
// (cut_bound.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bitset.hpp"
#include "exact/four_node_facets.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

class CutPool {
  public:
    explicit CutPool(std::size_t variables) : variables_(variables), members_(variables) {}

    std::size_t size() const { return multipliers_.size(); }
    std::size_t words() const { return members_.width(); }  // per cut
    std::size_t variables() const { return variables_; }
    SetView members(std::size_t i) const { return members_[i]; }
    std::int32_t code(std::size_t i) const { return codes_[i]; }
    double multiplier(std::size_t i) const { return multipliers_[i]; }
    const BitRows& all_members() const { return members_; }
    std::span<const std::int32_t> codes() const { return codes_; }
    std::span<const double> multipliers() const { return multipliers_; }

    // Of a row of `node`, a member of the cut: the sum of the coefficients of a network is at most side(i).
    double coefficient(std::size_t i, std::size_t node, const CandidateSets& sets, std::size_t row) const {
        const SetView set = sets.set(row);
        if (codes_[i] == 0) return weights_[i]->of(node, sets.origin(row));
        if (codes_[i] > 0) return members(i).shared(set) >= static_cast<std::size_t>(codes_[i]) ? 1 : 0;
        const auto& nodes = corners_[i];
        std::size_t mask = 0;
        std::size_t position = 0;
        for (std::size_t c = 0; c < 4; ++c) {
            mask |= static_cast<std::size_t>(set.has(nodes[c])) << c;
            if (nodes[c] == node) position = c;
        }
        return four_node_facets()[static_cast<std::size_t>(-codes_[i] - 1)].coefficient[position][mask];
    }
    double side(std::size_t i) const;

    // Cuts one after the other, with multiplier 0.
    void extend(std::span<const Word> members, std::span<const std::int32_t> codes);
    // One weighted cut: a coefficient for each row of `sets`, which any copy with fewer rows may use.
    void extend_weighted(SetView members, const CandidateSets& sets, std::span<const double> coefficients,
                         double side);
    // The cuts i of another pool with take[i] != 0.
    void extend_from(const CutPool& other, std::span<const std::uint8_t> take);
    // Negative multipliers count as 0.
    void set_multipliers(std::span<const double> multipliers);
    // Drops the cuts i with keep[i] == 0.
    void keep(std::span<const std::uint8_t> keep);

  private:
    // Of the rows of each member, which lie one after the other in the table.
    struct Weights {
        std::vector<double> values;
        std::vector<std::int64_t>
            shift;  // of a node: the place of its values, less the first row of the table
        double side;

        double of(std::size_t node, std::int64_t origin) const {
            return values[static_cast<std::size_t>(origin + shift[node])];
        }
    };

    std::size_t variables_;
    BitRows members_;
    std::vector<std::int32_t> codes_;
    std::vector<std::array<std::uint32_t, 4>> corners_;    // of a facet, ascending
    std::vector<std::shared_ptr<const Weights>> weights_;  // of a weighted cut
    std::vector<double> multipliers_;
};

}  // namespace arcwise
