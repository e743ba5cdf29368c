#include <array>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "plotting/layer_order.hpp"
#include "plotting/layer_places.hpp"

using arcwise::LayerView;

namespace {

// Two layers of three nodes; the arcs cross as numbered.
constexpr std::array<std::int64_t, 3> OFFSETS{0, 3, 6};
constexpr std::array<std::int32_t, 6> MEMBERS{0, 1, 2, 3, 4, 5};
constexpr std::array<std::int32_t, 3> TAILS{0, 1, 2};
constexpr std::array<std::int32_t, 3> HEADS{5, 4, 3};
const LayerView CROSSED{OFFSETS, MEMBERS, TAILS, HEADS, 6};

}  // namespace

TEST(orders_layers_without_crossings_where_that_can_be) {
    CHECK(arcwise::order_layers(CROSSED, 0).crossings == 3);
    const auto found = arcwise::order_layers(CROSSED, 16);
    CHECK(found.crossings == 0);
    CHECK((found.members == std::vector<std::int32_t>{0, 1, 2, 5, 4, 3}));
}

TEST(puts_bends_between_nodes_that_wish_for_the_same_place) {
    // A node above three others and one bend, all of which wish to stand below it.
    const std::array<std::int64_t, 3> offsets{0, 1, 4};
    const std::array<std::int32_t, 4> members{0, 3, 1, 2};
    const std::array<std::int32_t, 3> tails{0, 0, 0};
    const std::array<std::int32_t, 3> heads{1, 2, 3};
    const auto found = arcwise::order_layers({offsets, members, tails, heads, 3}, 2);
    CHECK((found.members == std::vector<std::int32_t>{0, 1, 3, 2}));
}

TEST(places_layers_without_overlap_below_their_neighbours) {
    const std::array<double, 3> weights{1.0, 1.0, 1.0};
    const std::array<double, 6> sizes{10.0, 20.0, 10.0, 30.0, 10.0, 10.0};
    const auto uncrossed = arcwise::order_layers(CROSSED, 16).members;
    const auto found = arcwise::place_layers({OFFSETS, uncrossed, TAILS, HEADS, 6}, weights, sizes, 24);
    CHECK(found[1] - found[0] >= 15.0 - 1e-9);
    CHECK(found[4] - found[5] >= 10.0 - 1e-9);
    CHECK(found[3] - found[4] >= 20.0 - 1e-9);
    CHECK(std::abs(found[1] - found[4]) < 5.0);
}

TEST(places_nothing_and_what_has_no_neighbours) {
    const std::array<std::int64_t, 1> none{0};
    CHECK(arcwise::place_layers({none, {}, {}, {}}, {}, {}, 3).empty());
    CHECK(arcwise::order_layers({none, {}, {}, {}}, 3).members.empty());
    const std::array<std::int64_t, 2> offsets{0, 2};
    const std::array<std::int32_t, 2> members{1, 0};
    const std::array<double, 2> sizes{4.0, 8.0};
    CHECK(
        (arcwise::place_layers({offsets, members, {}, {}}, {}, sizes, 3) == std::vector<double>{4.0, -2.0}));
}
