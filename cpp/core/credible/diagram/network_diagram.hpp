// A credible set as a decision diagram: every network is one path, and paths share what they have in common.
//
// Layer d has the states in which d nodes are decided: removed from the sinks, placed from the sources, or
// given a row (frontier); an edge decides one node with one row of the table. Networks that differ only in
// the way there meet again in one state (canonical_rules.hpp), so a diagram of a few thousand states holds
// millions of networks, and what is asked of the set (its size, the share of each family, its k best members,
// the list itself) is read off the diagram. `detour` is what taking the edge loses against the best way on:
// the score of a network is optimum minus the sum of its detours (the sidetracks of Eppstein 1998), and sums
// of small non-negative numbers keep the precision that the large scores would lose.
#pragma once

#include <cstdint>
#include <vector>

#include "monitor.hpp"

namespace arcwise {

struct NetworkDiagram {
    std::size_t nodes = 0;                   // the length of every path
    std::vector<std::uint32_t> layer_begin;  // per layer 0 .. nodes, and one more: the first state
    std::vector<std::uint64_t> edge_begin;   // per state, and one more
    std::vector<std::uint32_t> edge_target;  // the state reached
    std::vector<std::uint32_t> edge_row;     // the row of the table
    std::vector<double> edge_detour;         // >= 0; the edges of a state ascend by it
    double optimum = 0;                      // the score of the best path
    double slack = 0;                        // paths with a sum of detours <= slack belong to the set
    std::uint64_t explored = 0;              // states looked at while building
    Status status = Status::complete;

    // What a builder returns that was stopped.
    static NetworkDiagram stopped(std::size_t nodes, std::uint64_t explored, Status reason) {
        NetworkDiagram diagram;
        diagram.nodes = nodes;
        diagram.explored = explored;
        diagram.status = reason;
        return diagram;
    }

    // A number that differs for diagrams with other edges (FNV-1a): positions in a list belong to one
    // diagram.
    std::uint64_t fingerprint() const {
        std::uint64_t hash = 0xcbf29ce484222325ULL;
        const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ULL; };
        for (const auto begin : edge_begin) add(begin);
        for (const auto target : edge_target) add(target);
        for (const auto row : edge_row) add(row);
        return hash;
    }
    bool empty() const { return edge_begin.size() < 2 && nodes > 0; }
    std::size_t states() const { return edge_begin.empty() ? 0 : edge_begin.size() - 1; }
    std::size_t edges() const { return edge_target.size(); }
    std::size_t bytes() const {
        return layer_begin.capacity() * sizeof(std::uint32_t) +
               edge_begin.capacity() * sizeof(std::uint64_t) +
               (edge_target.capacity() + edge_row.capacity()) * sizeof(std::uint32_t) +
               edge_detour.capacity() * sizeof(double);
    }
};

}  // namespace arcwise
