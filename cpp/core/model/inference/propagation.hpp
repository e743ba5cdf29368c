// Messages between the cliques of a junction tree, for one row of evidence after the other.
//
// Towards the root (collect): each clique multiplies its tables and its children's messages and sums out what
// its parent lacks. From the root (distribute): each clique is multiplied once more, with its parent's
// message; its sums over the children's separators, divided by what the children had sent, are the messages
// to them, as in Hugin (Jensen, Lauritzen and Olesen, 1990). But no clique's table is kept, or even made:
// memory holds messages only, as in Shafer and Shenoy's scheme, at the price of a second multiplication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/inference/junction_tree.hpp"
#include "monitor.hpp"

namespace arcwise {

template <class Arithmetic>
class Propagation {
  public:
    // Messages are kept, so that for another row of evidence only those are made again that it changes; or,
    // if the evidence will not change, dropped as soon as they were used.
    Propagation(const JunctionTree& tree, std::size_t threads, bool keep_messages);

    // `states` holds the state of every observed variable of the network. Returns false if the ticker stopped
    // it.
    bool collect(std::span<const std::int32_t> states, Ticker& ticker);
    // The root's table: the joint distribution of the variables asked for, times the probability of the
    // evidence, but for the scale.
    const std::vector<double>& joint() const { return messages_.back(); }
    // The natural logarithm of what `joint` is to be multiplied with.
    double log_scale() const;
    // Whether numbers were so small that the result is not to be trusted; or all 0.
    bool underflow() const { return underflow_; }

    // After `collect` with messages kept, which are gone then. Calls found(variable, distribution) for every
    // variable that was summed out; distributions are not normalised.
    using Found = std::function<void(std::size_t variable, std::span<const double> distribution)>;
    bool distribute(Ticker& ticker, const Found& found);

    // After `collect` with MaxProduct, messages kept: writes the states of the variables summed out in the
    // best configuration; the first one, if several are equally good.
    void trace_back(std::span<std::int32_t> states);

    // After `collect`, messages kept: writes states of the variables summed out, drawn from their joint
    // distribution given the evidence. `uniform` gives the number in [0, 1) for a variable: from the root
    // on, each clique draws what its parent lacks, given what its parent has, with that of its last one.
    using Uniform = std::function<double(std::size_t variable)>;
    void draw(std::span<std::int32_t> states, const Uniform& uniform);

  private:
    // Goes from the root to the leaves; choose(clique, digits that the parent has, digits) writes the others.
    template <class Choose>
    void descend(std::span<std::int32_t> states, Choose choose);
    bool run(const Clique& clique, std::span<double* const> sums, std::span<const std::size_t> sizes,
             Ticker& ticker);
    // Divides by a power of two, so that the largest number is between 1 and 2; returns the exponent.
    std::int64_t scale(std::vector<double>& table);
    const double* table_start(const TreeTable& table) const;
    void point_at_inputs(std::size_t node);

    const JunctionTree& tree_;
    std::size_t threads_;
    bool keep_;
    bool underflow_ = false;
    std::vector<std::int32_t> states_;           // of the last row
    std::vector<std::vector<double>> messages_;  // by node
    std::vector<std::int64_t> exponents_;
    std::vector<std::uint8_t> current_;  // by node: its message belongs to the present row
    std::vector<const double*> inputs_;
    std::vector<CliqueScratch> scratch_;  // by thread
    std::vector<double> weights_;         // of the configurations to draw from
};

}  // namespace arcwise
