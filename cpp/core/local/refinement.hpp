// A way on from a local optimum: arcs are turned, and their ends choose their parents again.
#pragma once

#include <cstdint>

#include "local/best_move.hpp"
#include "local/walk.hpp"

namespace arcwise {

// How much is tried, and how far around an arc.
struct RefinementRange {
    std::uint64_t rounds = 0;     // rounds without a gain that end it
    std::uint64_t effort = 0;     // how many times the families of the climbs it may score
    std::size_t narrow = 400;     // among more variables than this, only ..
    std::size_t candidates = 40;  // .. so many parents of each are tried again; 0: all, always
    std::size_t whole = 512;      // in a network of more arcs than this, ..
    std::size_t near = 64;  // .. arcs are turned at random among so many variables around the one at hand
};

// Improves outcome.parents, a local optimum, until `rounds` rounds in a row bring nothing, or until
// `effort` times as many families have been scored as before. The first round
// turns every arc, in random order: its ends lose all other parents, and the search climbs from there. The
// second takes the node that an arc leads to out of the network, with all its arcs, and climbs, for every
// arc; the third is as the first, and so on. A better network starts the rounds again; an equally good one
// replaces the network at hand. Every gain is one iteration and one entry of the history.
//
// Why: a climb decides directions early, by ties between equivalent networks, and a direction that turns out
// wrong costs further arcs, which then hold it in place: no single addition, removal or reversal leads out.
// Turning an arc while both ends choose their parents again does; Grzegorczyk & Husmeier (2008) gave this
// move to samplers of networks for that reason. Where several arcs hold each other, taking a node out helps
// more. Before it, arcs are turned at random within the equivalence class (Castelo & Kocka 2003 climb like
// that), which costs no score and lets a tree of arcs change its root; in a large network only near the arc
// that is tried, since what is turned far from it helps it no more, and costs as much as the network is
// large. Most of the scores needed are known from the climb, so that a try costs a small fraction of a
// restart (docs/benchmarks/local-search.md has what it gains). Among very many variables, it looks only at
// parents that have gained most in the climb (NeighbourScores::narrow), and at the end climbs on among all,
// so that no single change of the network that is returned would gain.
void refine(FamilyScores& scores, const RefinementRange& range, BestMove& best_move, Xoshiro& random,
            Ticker& ticker, SearchOutcome& outcome);

}  // namespace arcwise
