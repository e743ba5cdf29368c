#include "parent_sets/components.hpp"

#include "check.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

TEST(components_come_parents_first) {
    // 0 <-> 1 -> 2 <-> 3
    Table table;
    const std::vector<std::vector<std::int32_t>> parents{{1}, {0}, {1, 3}, {2}};
    for (const auto& set : parents) {
        table.scores.push_back(-1);
        table.members.insert(table.members.end(), set.begin(), set.end());
        table.set_offsets.push_back(static_cast<std::int64_t>(table.members.size()));
        table.scores.push_back(-2);
        table.set_offsets.push_back(static_cast<std::int64_t>(table.members.size()));
        table.node_offsets.push_back(static_cast<std::int64_t>(table.scores.size()));
    }
    const CandidateSets sets(table.view());
    CHECK((strong_components(sets) == std::vector<std::int32_t>{0, 0, 1, 1}));
    const CandidateSets second = sets.component(std::vector<std::int32_t>{2, 3}, unwatched());
    CHECK(second.variables() == 2);
    CHECK(second.node_origin(0) == 2);
    CHECK(second.set(second.begin(0)).words().front() == 2);  // the parent outside is gone
}
