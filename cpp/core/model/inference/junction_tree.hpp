// A tree of cliques for one kind of query: which variables are asked for, and which are observed.
//
// Variables that are neither asked for nor observed nor ancestors of such sum out to 1 and are left out
// (barren nodes; Shachter, 1986), observed variables cut the tables, and what is left is eliminated in a good
// order. Every clique's variables stand in the reverse of that order, the first eliminated last. So a
// clique's separator, the part that its parent also has, is always a prefix of it, and all messages are
// tables in the same order of variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/inference/clique.hpp"
#include "model/inference/probability_tables.hpp"

namespace arcwise {

struct TreeRequest {
    // Their joint distribution is the root's table, in this order; may be empty.
    std::vector<std::int32_t> asked;
    // Must be in the tree, but need not be together.
    std::vector<std::int32_t> targets;
    // In any state: a tree serves every row of evidence on these variables.
    std::vector<std::int32_t> observed;
    // Leave out what the evidence separates from `asked` and `targets`. Then the probability of the evidence
    // is not known.
    bool connected_only = false;
    // Only to know about how large the tree would be.
    bool estimate = false;
};

// One table of the network in the tree.
struct TreeTable {
    std::size_t variable;
    // The observed variables among its axes, and the strides of these.
    std::vector<std::int32_t> observed;
    std::vector<std::size_t> strides;
};

struct TreeNode {
    std::vector<std::int32_t> scope;  // slowest first; the first `separator` of them are the parent's, too
    std::size_t separator = 0;
    std::size_t parent = 0;  // a later node; the root's is itself
    std::vector<std::size_t> children;
    std::vector<TreeTable> tables;
    std::size_t message_cells = 1;
    // From tables and the children's messages, in this order, to the message: over the separator.
    Clique collect;
    explicit TreeNode(std::vector<std::size_t> arities) : collect(std::move(arities)) {}
};

class JunctionTree {
  public:
    // Finds an order; the nodes are not made before `build`, so that a tree that is too large can be refused.
    JunctionTree(const ProbabilityTables& tables, const TreeRequest& request);
    void build();

    double largest() const { return largest_; }              // cells of the largest clique
    double total() const { return total_; }                  // cells of all cliques
    double message_cells() const { return message_cells_; }  // of all messages
    // The most cells at once, if messages are dropped as soon as they were used.
    double most_message_cells() const;
    std::size_t width() const { return width_; }  // variables of the largest clique, less one

    // Children before parents; the last is the root, whose separator is `asked` (without those that have one
    // state).
    const std::vector<TreeNode>& nodes() const { return nodes_; }
    // The observed variables that some table of the tree has.
    std::vector<std::int32_t> relevant_observed() const;
    // For distribution: all inputs of `collect` and the message from the parent; out go the children's
    // separators and then the variables that the node has and its parent has not, one by one.
    Clique distribution(std::size_t node) const;
    const ProbabilityTables& tables() const { return tables_; }

  private:
    struct Bucket {
        std::vector<std::int32_t> scope;  // local numbers, by position
        std::size_t separator = 0;
        std::size_t last = 0;  // the last step that was merged into it
    };
    void find_relevant(const TreeRequest& request);
    void drop_unconnected(std::span<const std::int32_t> targets);
    void eliminate(bool with_restarts);
    void merge_buckets();
    void add_tables();
    std::size_t parent_of(const Bucket& bucket) const;
    std::vector<std::size_t> strides_in(const TreeNode& of, const TreeNode& in) const;

    const ProbabilityTables& tables_;
    std::vector<std::int32_t> local_;     // by variable: its number among the free ones, or -1
    std::vector<std::uint8_t> observed_;  // by variable
    std::vector<std::int32_t> free_;      // by local number: the variable; the asked ones first
    std::size_t asked_ = 0;               // how many free variables are asked for
    std::vector<std::size_t> factors_;    // the variables whose tables take part
    std::vector<std::size_t> position_;   // by local number: in the reverse order of elimination
    std::vector<Bucket> buckets_;         // one per node, children before parents, the root's last
    std::vector<std::size_t> bucket_of_;  // by local number: where it is eliminated; the asked: the root
    double largest_ = 1, total_ = 0, message_cells_ = 0;
    std::size_t width_ = 0;
    std::vector<TreeNode> nodes_;
};

}  // namespace arcwise
