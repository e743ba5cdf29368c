#include "exact/four_node_facets.hpp"

#include "check.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

TEST(four_node_facets_are_valid_and_tight) {
    CHECK(four_node_facets().size() == 50);
    for (const auto& facet : four_node_facets()) {
        int most = 0;
        for (std::size_t code = 0; code < 16 * 16 * 16 * 16; ++code) {
            const std::vector<std::size_t> masks{code & 15U, (code >> 4) & 15U, (code >> 8) & 15U,
                                                 code >> 12};
            bool own = false;
            for (std::size_t v = 0; v < 4; ++v) own = own || ((masks[v] >> v) & 1U);
            if (own || !acyclic(masks)) continue;
            int sum = 0;
            for (std::size_t v = 0; v < 4; ++v) sum += facet.coefficient[v][masks[v]];
            most = std::max(most, sum);
        }
        CHECK(most == facet.side);
    }
}
