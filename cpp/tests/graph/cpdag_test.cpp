#include "graph/cpdag.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "check.hpp"
#include "graph/class_kernel.hpp"
#include "graph/equivalence_classes.hpp"

using arcwise::ClassKernel;
using arcwise::ParentList;

namespace {

using Flags = std::vector<std::uint8_t>;

Flags flags_of(const std::vector<std::vector<std::int32_t>>& parents) {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> members;
    for (const auto& list : parents) {
        members.insert(members.end(), list.begin(), list.end());
        offsets.push_back(static_cast<std::int64_t>(members.size()));
    }
    return arcwise::cpdag_of(offsets, members);
}

}  // namespace

TEST(cpdag_of_a_chain_is_undirected) {
    CHECK((flags_of({{}, {0}, {1}}) == Flags{0, 0}));
}

TEST(cpdag_keeps_a_collider_and_what_it_compels) {
    // 0 -> 2 <- 1, 2 -> 3: reversing 2 - 3 would make a new collider.
    CHECK((flags_of({{}, {}, {0, 1}, {2}}) == Flags{1, 1, 1}));
}

TEST(cpdag_of_the_augmented_cancer_network) {
    // Liao, Example 2.2: P, S, C, B, X, D = 0..5; only S - B is reversible.
    CHECK((flags_of({{}, {}, {0, 1}, {1}, {2}, {2, 3}}) == Flags{1, 1, 0, 1, 1, 1}));
}

TEST(cpdag_takes_compelled_parents_over_from_the_last_parent) {
    // 0 -> 2 <- 1, and 3 has the parents 0, 1, 2: 2 -> 3 is reversible only if 0, 1 -> 3 stay compelled.
    CHECK((flags_of({{}, {}, {0, 1}, {0, 1, 2}}) == Flags{1, 1, 1, 1, 0}));
}

TEST(cpdag_refuses_a_cycle) {
    bool refused = false;
    try {
        flags_of({{2}, {0}, {1}});
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

TEST(cpdag_of_more_nodes_than_a_word_and_of_a_path_too_deep_to_recurse) {
    const std::size_t nodes = 100000;
    std::vector<std::int64_t> offsets{0, 0};
    std::vector<std::int32_t> members;
    for (std::size_t node = 1; node < nodes; ++node) {
        members.push_back(static_cast<std::int32_t>(node - 1));
        offsets.push_back(static_cast<std::int64_t>(node));
    }
    CHECK(arcwise::cpdag_of(offsets, members) == Flags(nodes - 1, 0));
}

TEST(equivalent_dags_share_a_key_and_others_do_not) {
    // 0 -> 1 -> 2, 0 <- 1 <- 2, 0 -> 1 <- 2 and the empty graph, as rows of one table and as masks.
    const std::array<std::int64_t, 6> offsets{0, 0, 1, 2, 3, 5};
    const std::array<std::int32_t, 5> members{0, 1, 2, 0, 2};
    const std::array<std::int32_t, 12> rows{0, 1, 2, 2, 3, 0, 0, 4, 0, 0, 0, 0};
    const auto keys = arcwise::class_keys_of_rows<std::int32_t>(rows, 3, offsets, members);
    CHECK((arcwise::number_classes(keys) == std::vector<std::int64_t>{0, 0, 1, 2}));
    const std::array<std::uint64_t, 12> masks{0, 1, 2, 2, 4, 0, 0, 5, 0, 0, 0, 0};
    CHECK(arcwise::class_keys_of_masks(masks, 3, 1) == keys);
}

TEST(kernel_is_reusable) {
    ClassKernel kernel(2);
    const std::array<std::int32_t, 2> both{0, 1};
    const std::array<ParentList, 2> forward{ParentList{}, ParentList(both).first(1)};
    const std::array<ParentList, 2> backward{ParentList(both).last(1), ParentList{}};
    const std::array<ParentList, 2> cycle{ParentList(both).last(1), ParentList(both).first(1)};
    CHECK(kernel.label(forward));
    const auto key = kernel.key();
    CHECK(!kernel.label(cycle));
    CHECK(kernel.label(backward));
    CHECK(kernel.key() == key);
}

TEST(a_fixed_pair_splits_a_class_and_directs_what_follows) {
    // 0 -> 1 -> 2 and 2 -> 1 -> 0: one class, unless the pair 0, 1 is fixed.
    const std::array<std::uint64_t, 6> masks{0, 1, 2, 2, 4, 0};
    const std::array<std::uint64_t, 3> fixed{2, 1, 0};
    const auto keys = arcwise::class_keys_of_masks(masks, 3, 1, fixed);
    CHECK((arcwise::number_classes(keys) == std::vector<std::int64_t>{0, 1}));
    ClassKernel kernel(3, fixed);
    const std::array<std::int32_t, 2> nodes{0, 1};
    const std::array<ParentList, 3> chain{ParentList{}, ParentList(nodes).first(1),
                                          ParentList(nodes).last(1)};
    CHECK(kernel.label(chain));
    std::size_t directed = 0;
    kernel.for_each_arc([&](std::size_t, std::size_t, bool all) { directed += all ? 1 : 0; });
    CHECK(directed == 2);
}

TEST(the_fourth_rule_directs_an_edge_that_the_others_leave) {
    // 0 joined to all of 1, 2, 3, and 1 -> 2 -> 3 fixed: 3 -> 0 would make 1 -> 0 <- 3.
    const std::array<std::int32_t, 4> nodes{0, 1, 2, 3};
    const std::array<std::int32_t, 2> of_three{0, 2};
    const std::array<ParentList, 4> dag{ParentList{}, ParentList(nodes).first(1), ParentList(nodes).first(2),
                                        ParentList(of_three)};
    const std::array<std::uint64_t, 4> fixed{0, 4, 10, 4};
    ClassKernel kernel(4, fixed);
    CHECK(kernel.label(dag));
    std::vector<std::pair<std::size_t, std::size_t>> open;
    kernel.for_each_arc([&](std::size_t tail, std::size_t head, bool all) {
        if (!all) open.emplace_back(tail, head);
    });
    CHECK((open == std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {0, 2}}));
}
