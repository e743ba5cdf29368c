#include "confidence/network_sums.hpp"

#include <array>
#include <stdexcept>

#include "check.hpp"

namespace {

// Three nodes; node 2 has the parent sets {} , {0, 1} and {1}; node 1 has {} and {0}; node 0 has {} and {2}.
const std::array<std::int64_t, 4> node_offsets{0, 2, 4, 7};
const std::array<std::int64_t, 8> set_offsets{0, 0, 1, 1, 2, 2, 4, 5};
const std::array<std::int32_t, 5> members{2, 0, 0, 1, 1};

arcwise::Networks<std::uint8_t> networks(std::span<const std::uint8_t> choices) {
    return {3, node_offsets, set_offsets, members, choices};
}

}  // namespace

TEST(sums_tell_colliders_from_chains) {
    const std::array<std::uint8_t, 6> choices{0, 0, 1, 0, 1, 2};  // 0 -> 2 <- 1, then 0 -> 1 -> 2
    const std::array<double, 2> weights{0.25, 0.75};
    const auto sums = arcwise::sum_classes(networks(choices), weights);
    CHECK((sums ==
           std::vector<double>{0, 0, 0.25, 0, 0, 0.25, 0, 0, 0, 0, 0.75, 0, 0.75, 0, 0.75, 0, 0.75, 0}));
    const auto blankets = arcwise::sum_blankets(networks(choices), weights);
    CHECK((blankets == std::vector<double>{0, 1, 0.25, 1, 0, 1, 0.25, 1, 0}));
    const auto paths = arcwise::sum_paths(networks(choices), weights);
    CHECK((paths == std::vector<double>{0, 0.75, 1, 0, 0, 1, 0, 0, 0}));
}

TEST(sums_refuse_a_cycle) {
    const std::array<std::uint8_t, 3> choices{1, 1, 2};  // 2 -> 0 -> 1 -> 2
    const std::array<double, 1> weights{1.0};
    int refused = 0;
    const auto is_refused = [&](auto sum) {
        try {
            sum();
        } catch (const std::invalid_argument&) {
            ++refused;
        }
    };
    is_refused([&] { arcwise::sum_classes(networks(choices), weights); });
    is_refused([&] { arcwise::sum_paths(networks(choices), weights); });
    CHECK(refused == 2);
}
