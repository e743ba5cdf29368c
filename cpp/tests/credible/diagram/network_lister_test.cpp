#include "credible/diagram/network_lister.hpp"

#include <set>

#include "check.hpp"
#include "flat_table.hpp"

using namespace flat_table_support;

TEST(a_list_has_every_network_once_and_goes_on_where_it_stopped) {
    const std::uint64_t dags[] = {1, 1, 3, 25, 543};
    for (std::size_t n = 1; n <= 4; ++n) {
        const FlatTable table(n);
        SilentMonitor monitor;
        Ticker ticker(monitor);
        const std::vector<double> costs(table.scores.size(), 0.0);
        const auto diagram =
            build_from_costs(table.input(), {costs, 0, 0, {}}, Construction::sources, ticker);
        NetworkLister lister(diagram, table.node_offsets, 0.5);
        std::vector<std::uint16_t> rows;
        std::vector<double> losses;
        lister.next(2, rows, losses);
        const auto place = lister.position();
        NetworkLister later(diagram, table.node_offsets, 0.5);
        CHECK(later.seek(place));
        later.next(1000, rows, losses);
        CHECK(losses.size() == dags[n]);
        CHECK(later.done());
        std::set<std::vector<std::uint16_t>> different;
        for (std::size_t i = 0; i < losses.size(); ++i)
            different.insert({rows.begin() + static_cast<std::ptrdiff_t>(i * n),
                              rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * n)});
        CHECK(different.size() == dags[n]);
        const std::vector<std::uint32_t> nowhere(n, 1000);
        CHECK(!later.seek(nowhere));
    }
}
