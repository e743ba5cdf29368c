#include "local/changing_dag.hpp"

#include <algorithm>

#include "check.hpp"
#include "xoshiro.hpp"

using namespace arcwise;

TEST(the_changing_dag_knows_its_cycles) {
    ChangingDag dag(130);
    for (std::size_t v = 0; v + 1 < 130; ++v) dag.add(v, v + 1);
    CHECK(dag.is_ancestor(0, 129));
    CHECK(!dag.can_add(129, 0));
    dag.add(0, 5);
    CHECK(!dag.can_reverse(0, 5));
    dag.remove(2, 3);
    CHECK(dag.can_reverse(0, 5));
    CHECK(!dag.is_ancestor(1, 4) && dag.is_ancestor(0, 129) && !dag.is_ancestor(2, 129));
    dag.reverse(0, 5);
    CHECK(dag.has_arc(5, 0) && dag.is_ancestor(4, 2));
    ChangingDag same(130);
    CHECK(same.assign(dag.all_parents()));
    CHECK(same.hash() == dag.hash() && same.arcs() == dag.arcs());
    for (std::size_t a = 0; a < 130; ++a)
        for (std::size_t b = 0; b < 130; ++b) CHECK(same.is_ancestor(a, b) == dag.is_ancestor(a, b));
    for (std::size_t v = 0; v < 130; ++v)
        for (const auto child : dag.children(v)) CHECK(dag.has_arc(v, static_cast<std::size_t>(child)));
    std::size_t arcs = 0;
    for (std::size_t v = 0; v < 130; ++v) arcs += dag.children(v).size();
    CHECK(arcs == dag.arcs());
    std::vector<Parents> cycle(130);
    cycle[0] = {1};
    cycle[1] = {0};
    CHECK(!same.assign(cycle));
}

// Going from network to network, the parts that stay are kept: the graph is the one that is made from
// nothing.
TEST(a_changed_network_is_the_one_made_afresh) {
    constexpr std::size_t n = 70;
    Xoshiro random(5);
    ChangingDag dag(n);
    std::vector<Parents> parents(n);
    for (int round = 0; round < 200; ++round) {
        for (std::size_t changes = random.below(4); changes-- > 0;) {
            const std::size_t v = random.below(n), p = random.below(n);
            if (v == p) continue;
            const bool has = std::ranges::binary_search(parents[v], static_cast<std::int32_t>(p));
            parents[v] = has ? without(parents[v], p) : with(parents[v], p);
        }
        ChangingDag fresh(n);
        const auto hash = dag.hash();
        const bool acyclic = fresh.assign(parents);
        CHECK(dag.assign(parents) == acyclic);
        if (!acyclic) {
            CHECK(dag.hash() == hash && dag.all_parents() != parents);
            parents = dag.all_parents();
            continue;
        }
        CHECK(dag.all_parents() == parents && dag.hash() == fresh.hash() && dag.arcs() == fresh.arcs());
        for (std::size_t v = 0; v < n; ++v) {
            for (std::size_t a = 0; a < n; ++a) CHECK(dag.is_ancestor(a, v) == fresh.is_ancestor(a, v));
            Parents mine(dag.children(v).begin(), dag.children(v).end());
            Parents others(fresh.children(v).begin(), fresh.children(v).end());
            std::ranges::sort(mine);
            std::ranges::sort(others);
            CHECK(mine == others);
        }
    }
}

// A change looks at what it changes: the rows are those that are made from nothing, and every node that is no
// longer above some other is told.
TEST(a_change_tells_what_it_opens) {
    constexpr std::size_t n = 70;
    Xoshiro random(6);
    ChangingDag dag(n);
    for (int round = 0; round < 2000; ++round) {
        const ChangingDag before = dag;
        const std::size_t a = random.below(n), b = random.below(n);
        bool removed = true;
        if (random.below(8) == 0) {
            auto parents = dag.all_parents();
            parents[a].clear();
            if (b != a) parents[b] = {static_cast<std::int32_t>(a)};
            const std::vector<std::size_t> nodes =
                a == b ? std::vector<std::size_t>{a} : std::vector<std::size_t>{b, a};
            CHECK(dag.assign(parents, nodes));
            CHECK(dag.all_parents() == parents);
        } else if (dag.has_arc(a, b)) {
            if (random.below(2) == 0 || !dag.can_reverse(a, b))
                dag.remove(a, b);
            else
                dag.reverse(a, b);
        } else if (dag.can_add(a, b)) {
            dag.add(a, b);
            removed = false;
        } else {
            continue;
        }
        ChangingDag fresh(n);
        CHECK(fresh.assign(dag.all_parents()));
        CHECK(fresh.hash() == dag.hash() && fresh.arcs() == dag.arcs());
        std::vector<std::uint8_t> opened(n, 0), looked(n, 0);
        for (const auto node : dag.looked_below()) looked[static_cast<std::size_t>(node)] = 1;
        for (std::size_t v = 0; v < n; ++v)
            for (std::size_t above = 0; above < n; ++above) {
                CHECK(dag.is_ancestor(above, v) == fresh.is_ancestor(above, v));
                if (!before.is_ancestor(above, v) || dag.is_ancestor(above, v)) continue;
                opened[above] = 1;
                CHECK(looked[v] != 0);
            }
        for (std::size_t above = 0; removed && above < n; ++above)
            CHECK(!opened[above] || dag.opened().has(above));
    }
}
