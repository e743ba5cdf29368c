// Exact answers from a network: joint distributions, all marginals, the most probable explanation, rows of
// evidence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/inference/junction_tree.hpp"
#include "model/inference/possible_states.hpp"
#include "model/inference/probability_tables.hpp"
#include "monitor.hpp"

namespace arcwise {

// Why a query has no answer.
enum class Refusal : std::int32_t {
    none = 0,
    impossible = 1,   // the evidence has probability 0
    undefined = 2,    // it needs an undefined entry of the table of `variable`
    too_large = 3,    // see `width`, `largest`, `message_cells`
    interrupted = 4,  // by the monitor
};

// What every answer says of itself.
struct Outcome {
    Refusal refusal = Refusal::none;
    std::int32_t variable = -1;
    double log_evidence = 0;   // the natural logarithm of the probability of the evidence
    double width = 0;          // variables of the largest clique, less one
    double largest = 0;        // cells of the largest clique
    double message_cells = 0;  // numbers held at once, at most
};

struct Limits {
    double max_cells;  // of the largest clique, and of all messages together
    std::size_t threads = 1;
};

struct Answer {
    Outcome outcome;
    std::vector<double> probabilities;
};

struct Explanation {
    Outcome outcome;
    std::vector<std::int32_t> states;  // one per variable
    double log_joint = 0;              // of the explanation together with the evidence
};

struct RowAnswers {
    Outcome outcome;
    std::vector<double> probabilities;   // row by row
    std::vector<double> log_evidence;    // by row; empty if it was not asked for
    std::vector<std::int32_t> refusals;  // by row: none, impossible or undefined; then the numbers are NaN
};

struct Filling {
    Outcome outcome;
    std::int64_t row = -1;  // where it was refused
};

class Inference {
  public:
    explicit Inference(const NetworkView& network) : tables_(network) {}
    // Of the states alone that evidence leaves possible; the answers are to questions with this evidence.
    Inference(const ProbabilityTables& tables, const PossibleStates& possible)
        : tables_(tables, possible.left()) {}
    const ProbabilityTables& tables() const { return tables_; }

    // What is too large is asked once more, of the states that the evidence leaves possible.
    // `states`: one per variable, -1 if it is not observed. The joint distribution of `asked`, in this order,
    // the last varying fastest; of nothing: the probability of the evidence only.
    Answer query(std::span<const std::int32_t> asked, std::span<const std::int32_t> states,
                 const Limits& limits, Monitor& monitor) const;
    // The distributions of all variables, one after the other; an observed one has its state for certain.
    Answer marginals(std::span<const std::int32_t> states, const Limits& limits, Monitor& monitor) const;
    // The most probable states of all variables that are not observed, together.
    Explanation most_probable(std::span<const std::int32_t> states, const Limits& limits,
                              Monitor& monitor) const;
    // The joint distribution of `asked` for rows of evidence: codes hold, for each observed variable, its
    // states in all rows. Without `with_evidence`, what the evidence separates from `asked` is left out, with
    // complete rows all but the Markov blanket, and the probability of the evidence is not known.
    RowAnswers query_rows(std::span<const std::int32_t> asked, std::span<const std::int32_t> observed,
                          std::span<const std::int32_t> codes, std::size_t rows, bool with_evidence,
                          const Limits& limits, Monitor& monitor) const;

    // Draws the missing cells of every row from their joint distribution given the row's other cells. `codes`
    // and `missing` (not 0 where a cell is to be drawn) are (variables, rows); what is drawn depends on the
    // key, the row and its other cells alone.
    template <class Code>
    Filling fill_rows(Code* codes, const std::uint8_t* missing, std::size_t rows,
                      std::array<std::uint64_t, 2> key, const Limits& limits, Monitor& monitor) const;

    // The observed variables whose states matter to the distribution of `asked`: with complete rows, and one
    // variable asked for, its Markov blanket.
    std::vector<std::int32_t> relevant_evidence(const std::vector<std::int32_t>& asked,
                                                const std::vector<std::int32_t>& observed) const;

  private:
    Answer joint(const TreeRequest& request, std::span<const std::int32_t> states, const Limits& limits,
                 Ticker& ticker) const;
    Answer all_marginals(std::span<const std::int32_t> states, const Limits& limits, Monitor& monitor) const;
    Explanation best(std::span<const std::int32_t> states, const Limits& limits, Monitor& monitor) const;
    bool cheaper_apart(std::span<const std::int32_t> states, const std::vector<std::int32_t>& observed,
                       double bound, const Limits& limits, Ticker& ticker) const;
    Answer marginals_apart(std::span<const std::int32_t> targets, std::span<const std::int32_t> states,
                           std::span<const std::size_t> offsets, std::vector<double> certain,
                           const Limits& limits, Ticker& ticker) const;

    ProbabilityTables tables_;
};

}  // namespace arcwise
