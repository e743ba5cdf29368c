#include "exact/four_node_facets.hpp"

#include <algorithm>
#include <set>

namespace arcwise {
namespace {

struct Kind {
    const char* rows[4];  // one digit per mask, 0 .. 15
    std::uint8_t side;
};

constexpr Kind kinds[] = {
    {{"0010001000101010", "0100120012002200", "0011000001110000", "0011011100000000"}, 3},
    {{"0000001000000010", "0000010001000100", "0001000001010000", "0011111100000000"}, 2},
    {{"0000001000001010", "0000010011001100", "0001000001010000", "0011011100000000"}, 2},
    {{"0000001000101020", "0000010001000100", "0001000001010000", "0001010100000000"}, 2},
    {{"0010001000100010", "0100120011001200", "0011000000110000", "0111111100000000"}, 3},
    {{"0000000000000010", "0000110011001200", "0001000000010000", "0001000100000000"}, 2},
};

std::vector<FourNodeFacet> all_orders() {
    std::set<std::pair<std::array<std::array<std::uint8_t, 16>, 4>, std::uint8_t>> tables;
    for (const Kind& kind : kinds) {
        std::array<std::size_t, 4> order{0, 1, 2, 3};
        do {
            std::array<std::array<std::uint8_t, 16>, 4> table{};
            for (std::size_t v = 0; v < 4; ++v)
                for (std::size_t mask = 0; mask < 16; ++mask) {
                    std::size_t moved = 0;
                    for (std::size_t u = 0; u < 4; ++u)
                        if ((mask >> u) & 1U) moved |= std::size_t{1} << order[u];
                    table[order[v]][moved] = static_cast<std::uint8_t>(kind.rows[v][mask] - '0');
                }
            tables.insert({table, kind.side});
        } while (std::next_permutation(order.begin(), order.end()));
    }
    std::vector<FourNodeFacet> facets;
    for (const auto& [table, side] : tables) facets.push_back({table, side});
    return facets;
}

}  // namespace

const std::vector<FourNodeFacet>& four_node_facets() {
    static const std::vector<FourNodeFacet> facets = all_orders();
    return facets;
}

std::vector<std::uint8_t> facet_coefficients() {
    std::vector<std::uint8_t> values;
    for (const FourNodeFacet& facet : four_node_facets())
        for (const auto& row : facet.coefficient) values.insert(values.end(), row.begin(), row.end());
    return values;
}

}  // namespace arcwise
