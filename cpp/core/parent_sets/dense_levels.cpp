// All remaining levels of a score at once, where its bounds drop next to nothing.
//
// BDeu's bound on supersets is -K log r for K occupied cells, and it cannot be much better: a further
// variable that separated every cell at no extra cost would reach it. While K is small against the cases,
// which is so for most sets in small data, nothing is dropped with its supersets, and going on level by level
// costs lists of candidates, ranks and look-ups for every one of n 2^(n-1) families. Then it is better to
// give that up: g of all 2^n sets (subset_sums.hpp), the best score of all subsets of each parent set
// (subset_maxima.hpp), child after child in one array, and of the families only those are written down that
// no subset beats. Which sets are kept is the same; autos (26 variables) becomes possible.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "parallel_for.hpp"
#include "parent_sets/builder.hpp"
#include "parent_sets/builder_level.hpp"
#include "parent_sets/pruning.hpp"
#include "parent_sets/subset_maxima.hpp"
#include "parent_sets/subset_sums.hpp"

namespace arcwise {

namespace {

constexpr std::size_t most_variables = 30;
constexpr std::size_t no_bit = std::numeric_limits<std::size_t>::max();  // of a variable with one state

// Spreads the bits of a compact index over the bits of a mask, a byte at a time.
class BitSpread {
  public:
    explicit BitSpread(std::span<const std::size_t> bits) {
        for (std::size_t byte = 0; byte < tables_.size(); ++byte)
            for (std::size_t value = 0; value < 256; ++value)
                for (std::size_t b = 0; b < 8; ++b)
                    if (((value >> b) & 1U) != 0 && 8 * byte + b < bits.size())
                        tables_[byte][value] |= std::size_t{1} << bits[8 * byte + b];
    }
    std::size_t operator()(std::size_t index) const {
        std::size_t mask = 0;
        for (std::size_t byte = 0; byte < tables_.size(); ++byte)
            mask |= tables_[byte][(index >> (8 * byte)) & 255U];
        return mask;
    }

  private:
    std::array<std::array<std::size_t, 256>, 4> tables_{};
};

// The prior of every subset of the allowed parents, from sums over the bits of a byte.
class SubsetPrior {
  public:
    SubsetPrior(const ChildPrior* prior, std::span<const std::int32_t> allowed) : prior_(prior) {
        if (prior == nullptr) return;
        for (std::size_t byte = 0; byte < tables_.size(); ++byte)
            for (std::size_t value = 0; value < 256; ++value)
                for (std::size_t b = 0; b < 8; ++b)
                    if (((value >> b) & 1U) != 0 && 8 * byte + b < allowed.size())
                        tables_[byte][value] += prior->weight(allowed[8 * byte + b]);
    }
    double operator()(std::size_t index) const {
        if (prior_ == nullptr) return 0.0;
        double sum = 0.0;
        for (std::size_t byte = 0; byte < tables_.size(); ++byte)
            sum += tables_[byte][(index >> (8 * byte)) & 255U];
        return prior_->value({sum, 0.0, static_cast<std::size_t>(std::popcount(index))});
    }

  private:
    const ChildPrior* prior_;
    std::array<std::array<double, 256>, 4> tables_{};
};

// The fewest configurations that half of the allowed parents have.
double cells_of_half(const std::vector<std::int32_t>& allowed, std::span<const std::size_t> arities) {
    std::vector<std::size_t> sorted;
    for (const auto p : allowed) sorted.push_back(arities[static_cast<std::size_t>(p)]);
    std::sort(sorted.begin(), sorted.end());
    double cells = 1.0;
    for (std::size_t k = 0; k < sorted.size() / 2; ++k) cells *= static_cast<double>(sorted[k]);
    return cells;
}

}  // namespace

// The positions that matter to the score's families.
std::vector<std::int32_t> ParentSetBuilder::dense_positions() const {
    std::vector<std::int32_t> positions;
    const auto arities = source_->arities();
    for (std::size_t p = 0; p < arities.size(); ++p)
        if (arities[p] > 1) positions.push_back(static_cast<std::int32_t>(p));
    return positions;
}

// Whether the score's candidates of this level are most of the sets there are, many, and few against all that
// the levels to come would have; and whether the arrays fit. A candidate only counts if its bound would also
// leave room for a set of half of all variables: the penalties of BIC and its like grow with the set and do
// end the work, however little they drop at first.
bool ParentSetBuilder::pays_dense(const Level& level, std::size_t score) const {
    const SetScore* set_score = scores_[score]->set_score();
    if (set_score == nullptr || !std::isfinite(options_.slack)) return false;
    const auto positions = dense_positions();
    if (positions.size() > most_variables) return false;
    const std::size_t n = position_.size();
    double found = 0.0, possible = 0.0, ahead = 0.0, widest = 0.0;
    for (std::size_t v = 0; v < n; ++v) {
        const Job& job = jobs_[score * n + v];
        const auto& candidates = level.candidates[score * n + v];
        if (candidates.sets() == 0 || level.size <= job.required.size()) continue;
        double limit = bound(job, cells_of_half(job.allowed, source_->arities()), 1.0);
        if (job.prior) limit += job.prior->most({});
        for (const double best : candidates.best)
            found += !beaten_with_supersets(best, limit, options_.slack, 0.0);
        widest = std::max(widest, static_cast<double>(job.allowed.size()));
        double of_size = 1.0;  // binomial coefficients, one after the other
        const std::size_t own = level.size - job.required.size();
        for (std::size_t k = 1; k <= job.allowed.size() && k + job.required.size() <= job.limit; ++k) {
            of_size *= static_cast<double>(job.allowed.size() - k + 1) / static_cast<double>(k);
            if (k == own) possible += of_size;
            if (k >= own) ahead += of_size;
        }
    }
    if (found < options_.dense_from || found < 0.5 * possible) return false;
    const double sets = std::ldexp(1.0, static_cast<int>(positions.size()));
    if (ahead < 2.0 * sets) return false;
    std::vector<std::size_t> arities;
    for (const auto p : positions) arities.push_back(source_->arities()[static_cast<std::size_t>(p)]);
    const double bytes = 8.0 * (sets + std::exp2(widest) * static_cast<double>(options_.threads) +
                                SubsetTerms::numbers(*set_score, arities, source_->cases()));
    return level.held + bytes <= options_.memory_bytes;
}

bool ParentSetBuilder::finish_densely(Level& level, std::size_t score, Ticker& ticker) {
    const auto positions = dense_positions();
    const std::size_t n = position_.size();
    std::vector<double> sums(std::size_t{1} << positions.size());
    double widest = 0.0;
    for (std::size_t v = 0; v < n; ++v)
        widest = std::max(widest, static_cast<double>(jobs_[score * n + v].allowed.size()));
    level.bytes =
        std::max(level.bytes, level.held + 8.0 * (static_cast<double>(sums.size()) +
                                                  std::exp2(widest) * static_cast<double>(options_.threads)));
    const auto poll = [&](std::size_t done, std::size_t total) {
        level.shown.done = done;
        level.shown.total = total;
        return ticker.poll_now(level.shown);
    };
    if (!source_->sum_subsets(*scores_[score]->set_score(), positions, options_.threads, sums, poll))
        return false;
    level.counted += sums.size();
    std::vector<std::size_t> bit(n, no_bit);
    for (std::size_t b = 0; b < positions.size(); ++b) bit[static_cast<std::size_t>(positions[b])] = b;
    std::vector<std::vector<double>> best(options_.threads);
    return parallel_for(
        options_.threads, n,
        [&](std::size_t worker, std::size_t v) {
            const Job& job = jobs_[score * n + v];
            if (level.candidates[score * n + v].sets() == 0 || job.arity < 2) return;
            keep_densely(job, level, sums, bit, best[worker], level.next[score * n + v]);
            level.candidates[score * n + v] = Candidates{};
        },
        [&](std::size_t started) { return poll(started, n); });
}

// One child: of all its parent sets from this level on, those that no subset beats.
void ParentSetBuilder::keep_densely(const Job& job, Level& level, std::span<const double> sums,
                                    std::span<const std::size_t> bit, std::vector<double>& best,
                                    ChildState& next) const {
    const auto labels = source_->labels();
    const std::size_t child = std::size_t{1} << bit[job.child];
    std::size_t always = 0;
    for (const auto p : job.required)
        if (bit[static_cast<std::size_t>(p)] != no_bit)
            always |= std::size_t{1} << bit[static_cast<std::size_t>(p)];
    std::vector<std::size_t> own;
    for (const auto p : job.allowed) own.push_back(bit[static_cast<std::size_t>(p)]);
    const BitSpread spread(own);
    best.resize(std::size_t{1} << own.size());
    const SubsetPrior believed(job.prior ? &*job.prior : nullptr, job.allowed);
    const auto value_of = [&](std::size_t index) {
        const std::size_t parents = always | spread(index);
        return sums[parents | child] - sums[parents] + believed(index);
    };
    for (std::size_t index = 0; index < best.size(); ++index) best[index] = value_of(index);
    maximum_over_subsets(best, own.size());
    std::vector<std::int32_t> parents;
    for (std::size_t index = 0; index < best.size(); ++index) {
        const double value = value_of(index);
        if (beaten_by_subset(best[index], value, options_.slack, score_tolerance(value))) continue;
        const std::size_t size = static_cast<std::size_t>(std::popcount(index)) + job.required.size();
        if (size < level.size || size > job.limit) continue;
        parents.clear();
        for (const auto p : job.required) parents.push_back(labels[static_cast<std::size_t>(p)]);
        for (std::size_t b = 0; b < job.allowed.size(); ++b)
            if (((index >> b) & 1U) != 0) parents.push_back(labels[static_cast<std::size_t>(job.allowed[b])]);
        std::sort(parents.begin(), parents.end());
        next.scores.push_back(value);
        next.sizes.push_back(static_cast<std::int32_t>(size));
        next.members.insert(next.members.end(), parents.begin(), parents.end());
    }
    level.dense_families += best.size();
}

}  // namespace arcwise
