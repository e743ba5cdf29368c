#include "sampled/structure_walk.hpp"

#include <cmath>

#include "check.hpp"
#include "scores/dirichlet.hpp"
#include "scores/score_families.hpp"

using namespace arcwise;

namespace {

// Two variables that agree in all but one of eight rows, and one that is on its own.
struct Sample {
    std::vector<std::int32_t> arities{2, 2, 3};
    std::vector<std::uint8_t> codes{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 2, 0, 1, 2, 0, 1};
    std::vector<std::uint8_t> flags = std::vector<std::uint8_t>(24, 0);

    Columns<std::uint8_t> columns() const { return {codes.data(), 3, 8, arities.data(), nullptr}; }
};

// 0 -> 1, where 2 is another parent.
void check_gain(const Sample& sample) {
    ArcGains<std::uint8_t> gains(sample.columns(), sample.flags, 2.0, false);
    const auto score = make_bdeu(8, 2.0);
    const std::int32_t children[] = {1, 1}, parents[] = {0, 2, 2}, others[] = {2};
    const std::int64_t offsets[] = {0, 2, 3};
    const auto values = score_families(*score, sample.columns(), children, offsets, parents);
    CHECK(std::fabs(gains(1, others, 0) - (values[0] - values[1])) < 1e-12);
    CHECK(gains(1, others, 0) == gains(1, others, 0));
}

}  // namespace

TEST(what_an_arc_gains_is_a_difference_of_scores) {
    check_gain({});
}

// Runs of sorted keys in place of a table of cells, of which nearly all would be empty.
TEST(what_an_arc_gains_where_there_are_many_states) {
    Sample sample;
    sample.arities = {20, 21, 22};
    check_gain(sample);
}

TEST(cases_that_lack_an_end_or_set_the_head_do_not_count) {
    Sample sample;
    sample.flags[3] =
        ArcGains<std::uint8_t>::missing;  // variable 0 in row 3, the only row in which they differ
    ArcGains<std::uint8_t> gains(sample.columns(), sample.flags, 1.0, false);
    Sample other;
    other.flags[8 + 3] = ArcGains<std::uint8_t>::set;
    ArcGains<std::uint8_t> set(other.columns(), other.flags, 1.0, false);
    CHECK(std::fabs(gains(1, {}, 0) - set(1, {}, 0)) < 1e-12);
    CHECK(set(0, {}, 1) < gains(0, {}, 1));  // the other way round, the row that was set counts
    for (auto& flag : sample.flags) flag = ArcGains<std::uint8_t>::missing;
    ArcGains<std::uint8_t> none(sample.columns(), sample.flags, 1.0, false);
    CHECK(std::isinf(none(1, {}, 0)));
}

TEST(a_walk_obeys_its_rules) {
    const Sample sample;
    ArcGains<std::uint8_t> gains(sample.columns(), sample.flags, 1.0, true);
    const Word required[] = {0, 0, 1}, forbidden[] = {0, 1, 0};  // 0 -> 2 must be, 0 -> 1 must not
    const std::int32_t limits[] = {2, 2, 1};
    const ArcRules rules(3, required, forbidden, limits);
    ProposedMoves moves;
    for (std::int32_t m = 0; m < 600; ++m) {
        moves.tails.push_back(m % 3);
        moves.heads.push_back((m % 3 + 1 + m / 3 % 2) % 3);
        moves.turns.push_back(m % 4 == 0);
        moves.chances.push_back(-0.01 * (m % 100));
    }
    SilentMonitor silent;
    Ticker ticker(silent);
    const auto found = walk_structures(gains, rules, {{}, {}, {0}}, moves, ticker);
    CHECK(found[2] == Parents{0});
    for (const auto parent : found[1]) CHECK(parent != 0);
}
