#include "parent_sets/builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "scores/dirichlet.hpp"
#include "scores/likelihood.hpp"

namespace {

constexpr std::size_t variables = 7;

// A chain with noise, from a small linear congruential generator.
std::vector<std::uint8_t> chain(std::size_t rows) {
    std::vector<std::uint8_t> codes(variables * rows);
    std::uint32_t state = 1;
    const auto draw = [&] { return (state = state * 1664525u + 1013904223u) >> 16; };
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t v = 0; v < variables; ++v) {
            const auto fresh = static_cast<std::uint8_t>(draw() % 3);
            codes[v * rows + row] = v > 0 && draw() % 10 < 7 ? codes[(v - 1) * rows + row] : fresh;
        }
    return codes;
}

using Arities = std::array<std::int32_t, variables>;

arcwise::ParentSetBuilder builder(const std::vector<std::uint8_t>& codes, const arcwise::LocalScore& score,
                                  double slack, std::size_t threads,
                                  const Arities& arities = {3, 3, 3, 3, 3, 3, 3}, double dense_from = 1e6) {
    const arcwise::Columns<std::uint8_t> data{codes.data(), variables, codes.size() / variables,
                                              arities.data(), nullptr};
    arcwise::BuildOptions options;
    options.slack = slack;
    options.threads = threads;
    options.dense_from = dense_from;
    options.required.resize(variables);
    options.allowed.resize(variables);
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(variables); ++v)
        for (std::int32_t p = 0; p < static_cast<std::int32_t>(variables); ++p)
            if (p != v) options.allowed[static_cast<std::size_t>(v)].push_back(p);
    options.limits.assign(variables, static_cast<std::int32_t>(variables));
    return {arcwise::make_count_source(data), {&score}, options};
}

void run(arcwise::ParentSetBuilder& work) {
    arcwise::SilentMonitor monitor;
    while (!work.finished())
        CHECK(work.advance(monitor, std::numeric_limits<double>::infinity()) == arcwise::Status::complete);
}

}  // namespace

// Others count the sets, in pieces of some length, in any order.
TEST(sets_that_are_counted_elsewhere_give_the_same_table) {
    const auto codes = chain(300);
    const Arities arities{3, 3, 3, 3, 3, 3, 3};
    const arcwise::Columns<std::uint8_t> data{codes.data(), variables, 300, arities.data(), nullptr};
    const auto bic = arcwise::make_penalised_likelihood(300, std::log(300.0) / 2);
    const auto k2 = arcwise::make_bd(300, 1.0);
    for (const arcwise::LocalScore* score : {bic.get(), k2.get()}) {
        auto here = builder(codes, *score, 2.0, 1);
        auto there = builder(codes, *score, 2.0, 2);
        arcwise::SetTask task(arcwise::make_count_source(data), {score});
        std::size_t sets = 0;
        const auto count = [&](arcwise::SetBatch& batch) -> std::optional<arcwise::Status> {
            if (batch.set_size() == 2) return std::nullopt;  // too few, say
            sets += batch.size();
            constexpr std::size_t piece = 5;
            for (auto last = batch.size(); last > 0;) {
                const auto first = last > piece ? last - piece : 0;
                const auto ranks = batch.ranks(first, last);
                if (batch.is_of_families()) {
                    const auto found =
                        task.score_families(batch.set_size(), ranks, batch.needed(first, last));
                    CHECK(batch.store_families(first, found.scores, found.bounds));
                    CHECK(!batch.store_families(batch.size(), found.scores, found.bounds));
                } else {
                    const auto found = task.sum_sets(batch.set_size(), ranks);
                    CHECK(batch.store_sums(first, found.sums.front(), found.occupied));
                    CHECK(!batch.store_sums(batch.size(), found.sums.front(), found.occupied));
                }
                last = first;
            }
            return arcwise::Status::complete;
        };
        run(here);
        arcwise::SilentMonitor monitor;
        while (!there.finished())
            CHECK(there.advance(monitor, std::numeric_limits<double>::infinity(), count) ==
                  arcwise::Status::complete);
        CHECK(sets > 50 && here.statistics().sets == there.statistics().sets);
        const auto one = here.table(0), other = there.table(0);
        CHECK(one.scores == other.scores && one.members == other.members);
        CHECK(one.node_offsets == other.node_offsets && one.set_offsets == other.set_offsets);
        // Who cannot finish a batch stops the level, of which nothing is left.
        auto stopped = builder(codes, *score, 2.0, 1);
        CHECK(stopped.advance(monitor, 1e9, [](arcwise::SetBatch&) { return arcwise::Status::time_limit; }) ==
              arcwise::Status::time_limit);
        CHECK(stopped.level() == -1);
    }
}

TEST(threads_change_no_bit_of_a_table) {
    const auto codes = chain(300);
    const auto bic = arcwise::make_penalised_likelihood(300, std::log(300.0) / 2);
    const auto k2 = arcwise::make_bd(300, 1.0);
    for (const auto* score : {bic.get(), k2.get()}) {
        auto one = builder(codes, *score, 3.0, 1);
        auto two = builder(codes, *score, 3.0, 2);
        run(one);
        run(two);
        CHECK(one.table(0).scores == two.table(0).scores);
        CHECK(one.table(0).members == two.table(0).members);
        CHECK(one.statistics().families == two.statistics().families);
    }
}

TEST(levels_made_at_once_are_those_made_one_by_one) {
    const auto codes = chain(120);
    const auto bdeu = arcwise::make_bdeu(120, 1.0);
    for (const double slack : {0.0, 3.0, std::numeric_limits<double>::infinity()}) {
        auto by_level = builder(codes, *bdeu, slack, 1);
        run(by_level);
        for (const std::size_t threads : {1, 2}) {
            auto at_once = builder(codes, *bdeu, slack, threads, {3, 3, 3, 3, 3, 3, 3}, 0.0);
            run(at_once);
            CHECK(at_once.table(0).members == by_level.table(0).members);
            CHECK(at_once.table(0).scores.size() == by_level.table(0).scores.size());
            for (std::size_t i = 0; i < at_once.table(0).scores.size(); ++i)
                CHECK(std::abs(at_once.table(0).scores[i] - by_level.table(0).scores[i]) < 1e-9);
        }
    }
}

TEST(keeps_every_set_with_infinite_slack) {
    const auto codes = chain(50);
    const auto bdeu = arcwise::make_bdeu(50, 1.0);
    auto work = builder(codes, *bdeu, std::numeric_limits<double>::infinity(), 1);
    run(work);
    CHECK(work.table(0).scores.size() == variables * 64);
}

TEST(goes_on_from_a_packed_state) {
    const auto codes = chain(200);
    const auto bdeu = arcwise::make_bdeu(200, 1.0);
    auto whole = builder(codes, *bdeu, 1.0, 1);
    run(whole);
    auto first = builder(codes, *bdeu, 1.0, 1);
    arcwise::SilentMonitor monitor;
    for (int level = 0; level < 3; ++level) first.advance(monitor, 100.0);
    auto packed = first.pack();
    auto second = builder(codes, *bdeu, 1.0, 1);
    CHECK(second.restore(packed));
    run(second);
    CHECK(second.table(0).scores == whole.table(0).scores);
    packed.members.pop_back();
    CHECK(!second.restore(packed));
    packed = first.pack();
    for (auto& number : packed.numbers) number = -number;
    CHECK(!second.restore(packed));
}

// Whatever a file says in place of any one number, a builder refuses it or can go on from it.
TEST(no_edited_state_is_followed_into_the_void) {
    const auto codes = chain(60);
    const auto bdeu = arcwise::make_bdeu(60, 1.0);
    arcwise::SilentMonitor monitor;
    auto first = builder(codes, *bdeu, 3.0, 1);
    for (int level = 0; level < 3; ++level) first.advance(monitor, 100.0);
    const auto packed = first.pack();
    const auto attempt = [&](const arcwise::PackedState& edited) {
        auto next = builder(codes, *bdeu, 3.0, 1);
        if (!next.restore(edited)) return false;
        run(next);
        next.table(0);
        return true;
    };
    CHECK(attempt(packed));
    for (std::size_t at = 0; at < packed.numbers.size(); ++at) {
        for (const std::int64_t value : {std::int64_t{-1}, packed.numbers[at] - 1, packed.numbers[at] + 1,
                                         std::int64_t{1} << 62, std::int64_t{1} << 31}) {
            auto edited = packed;
            edited.numbers[at] = value;
            attempt(edited);
        }
    }
    int accepted = 0;
    for (std::size_t at = 0; at < packed.members.size(); ++at) {
        for (const std::int32_t value :
             {-2, -1, 0, packed.members[at] + 1, packed.members[at] - 1, 6, 7, 1 << 30}) {
            auto edited = packed;
            edited.members[at] = value;
            if (value < -1 || value > 6) CHECK(!attempt(edited));
            accepted += attempt(edited) ? 1 : 0;
        }
    }
    CHECK(accepted < static_cast<int>(2 * packed.members.size()));
    auto edited = packed;
    edited.values[1] = std::numeric_limits<double>::quiet_NaN();
    CHECK(!attempt(edited));
}

TEST(a_time_limit_leaves_the_finished_levels) {
    const auto codes = chain(200);
    const auto bdeu = arcwise::make_bdeu(200, 1.0);
    auto work = builder(codes, *bdeu, 0.0, 1);
    arcwise::SilentMonitor monitor;
    CHECK(work.advance(monitor, 100.0) == arcwise::Status::complete);
    CHECK(work.advance(monitor, -1.0) == arcwise::Status::time_limit);
    CHECK(work.level() == 0);
    CHECK(work.table(0).scores.size() == variables);
}

TEST(a_variable_with_one_state_gets_no_arcs) {
    auto codes = chain(100);
    std::fill_n(codes.begin() + 200, 100, std::uint8_t{0});
    const auto bic = arcwise::make_penalised_likelihood(100, std::log(100.0) / 2);
    auto work = builder(codes, *bic, 5.0, 1, {3, 3, 1, 3, 3, 3, 3});
    run(work);
    const auto table = work.table(0);
    CHECK(table.view().rows_of(2) == 1);
    for (const auto member : table.members) CHECK(member != 2);
}
