// The kernel of inference: a product of tables over the variables of a clique, and sums of it.
//
// A clique has k variables in a fixed order. The product is made variable by variable: level l holds one
// number for every configuration of the first l variables, and each table is multiplied in at the level of
// its last variable, so that a table of few variables costs few multiplications. The sums go the other way:
// from level k down to the level of an output's last variable, where it is added to the output. All of it
// happens in a block of the last variables that fits into the first-level cache, while the variables before
// are counted through like an odometer: the clique's table, which may have a billion cells, never exists. A
// product that is 0 for the first variables is 0 for the rest, so that whole blocks are skipped where tables
// are deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Working memory of one thread.
struct CliqueScratch {
    std::vector<double> cells, prefix;
    std::vector<std::size_t> in_at, out_at, digits;
};

class Clique {
  public:
    // The arities of the variables, each at least 2, slowest first.
    explicit Clique(std::vector<std::size_t> arities);

    // Tables to multiply and tables to add to: one stride per variable of the clique, 0 where the table lacks
    // it.
    void add_input(std::span<const std::size_t> strides) { inputs_.push_back(operand(strides)); }
    void add_output(std::span<const std::size_t> strides) { outputs_.push_back(operand(strides)); }
    // To be called after the last operand.
    void prepare();

    // The same with its inputs only.
    Clique without_outputs() const;

    std::size_t variables() const { return arities_.size(); }
    std::size_t arity(std::size_t variable) const { return arities_[variable]; }
    std::size_t inputs() const { return inputs_.size(); }
    std::size_t outputs() const { return outputs_.size(); }
    double cells() const { return cells_; }

    // A large clique is split into tasks, by the configurations of its first variables; into how many depends
    // on nothing else. If an output has all these variables, tasks write to different cells of it.
    std::size_t tasks() const { return tasks_; }
    bool shared_by_tasks(std::size_t output) const;
    void run_as_one_task() { tasks_ = 1, split_ = 0; }

    // Adds the product of the inputs, summed over what an output lacks, to each output: one task's cells.
    template <class Arithmetic>
    void run(std::span<const double* const> tables, std::span<double* const> sums, std::size_t task,
             CliqueScratch& scratch) const;

    // The configuration with the largest sum of the inputs, which are logarithms, among those that begin with
    // the first `fixed` digits; the first one of several. Writes the other digits.
    void choose(std::span<const double* const> tables, std::size_t fixed,
                std::span<std::size_t> digits) const;

    // A configuration at random, in proportion to the product of the inputs, among those that begin with the
    // first `fixed` digits: the one whose part of the sum holds the number `share` of [0, 1). Writes the
    // other digits. `weights` is working memory.
    template <class Arithmetic>
    void draw(std::span<const double* const> tables, std::size_t fixed, double share,
              std::span<std::size_t> digits, std::vector<double>& weights) const;

  private:
    // Calls body() for every configuration that begins with the first `fixed` digits, in order; at[i] is then
    // the cell of input i.
    template <class Body>
    void for_each_configuration(std::size_t fixed, std::span<std::size_t> digits,
                                std::vector<std::size_t>& at, Body body) const;
    // How a table lies in the clique: the cell of a configuration is the sum of stride times state.
    struct Operand {
        std::size_t level = 0;             // its last variable's position + 1; 0: a number
        std::vector<std::size_t> strides;  // one per variable of the clique
        // For each configuration of the block's variables before the last: where the table's cells begin.
        // Empty if that is 0 for all, or if the level is above the block.
        std::vector<std::uint32_t> starts;
    };
    Operand operand(std::span<const std::size_t> strides) const;
    template <class Arithmetic>
    void expand(std::size_t level, std::span<const double* const> tables, CliqueScratch& scratch) const;
    template <class Arithmetic>
    void add_to(std::size_t output, double* sum, const double* cells) const;

    std::vector<std::size_t> arities_;
    std::vector<std::size_t> inner_;  // cells of the block's variables up to each level (1 before the block)
    std::size_t block_ = 0;           // the first variable of the block
    std::size_t block_cells_ = 1;
    std::size_t split_ = 0;
    std::size_t tasks_ = 1;
    double cells_ = 1;
    std::vector<Operand> inputs_, outputs_;
    std::vector<std::uint32_t> by_level_,
        first_;  // the inputs of level l: by_level_[first_[l] .. first_[l + 1])
    std::vector<std::uint32_t> deepest_first_;  // the outputs
};

}  // namespace arcwise
