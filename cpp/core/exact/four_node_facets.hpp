// The facets of the four-node polytope that are not clusters.
//
// Restricted to four nodes C, a network is one of 543 DAGs, and every inequality that holds for those holds
// for the network: replace each parent set S by its part within C. Cussens, Jarvisalo, Korhonen and Bartlett
// 2017 ("Bayesian network structure learning with integer programming: polytopes, facets and complexity",
// JAIR 58) describe the facets of this polytope; besides the clusters (C, k) there are six kinds. GOBNILP
// calls cuts from them "convex4". They are worth more than anything else once clusters are exhausted:
// hailfinder500, hepar2-5000 and
// barley-5000 close at the root with them; with clusters alone (and without probing) they took 1,639, 123 and
// 137 nodes.
//
// The six tables below were found by maximising random objectives over the polar of the polytope and are
// written with coefficients by the mask of the parents inside C. The test enumerates all DAGs and checks that
// each is valid and tight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace arcwise {

struct FourNodeFacet {
    // coefficient[v][mask]: of a set of the v-th node of C whose members within C are `mask`.
    std::array<std::array<std::uint8_t, 16>, 4> coefficient;
    std::uint8_t side;  // the sum of the coefficients of a network is at most this
};

// All of them: the six kinds under all orders of the four nodes, without repetition.
const std::vector<FourNodeFacet>& four_node_facets();

// Their coefficients one after the other, 4 x 16 of each.
std::vector<std::uint8_t> facet_coefficients();

}  // namespace arcwise
