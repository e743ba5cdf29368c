#include "scores/contaminated_bdeu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "scores/term_tables.hpp"

namespace arcwise {

namespace {

// The alpha > low at which 1/slope = level, for the slope psi(alpha + n) - psi(alpha) of the objective, and
// the derivative of alpha by level. 1/slope is a concave, increasing, nearly linear function of alpha (a
// harmonic mean of the alpha + w, over n), so that Newton's method climbs to the root from its left in a few
// steps; from the right, its first step leads to the left, and if beyond the lower end, that end is on the
// left.
struct Point {
    double alpha;
    double rate;
};
Point alpha_at_level(std::int64_t count, double low, double level, double start) {
    if (count == 1) return {level, 1.0};  // the slope is 1/alpha
    Point point{std::max(start, low), 0.0};
    for (int step = 0; step < 60; ++step) {
        const double inverse = 1.0 / digamma_rise(point.alpha, count);
        const double slope = inverse * inverse * trigamma_fall(point.alpha, count);
        point.rate = 1.0 / slope;
        double next = point.alpha + (level - inverse) / slope;
        if (!(next > low)) next = low > 0.0 ? low : point.alpha / 2;
        const bool settled = std::fabs(next - point.alpha) <= 1e-15 * point.alpha;
        point.alpha = next;
        if (settled) break;
    }
    return point;
}

}  // namespace

// With the slopes f_k(alpha) = psi(alpha + n_k) - psi(alpha), falling in alpha, the optimum has one
// multiplier lambda: f_k(alpha_k) = lambda where alpha_k > low, and f_k(low) <= lambda elsewhere. In the
// level 1/lambda every alpha_k is convex and increasing (the inverse of the function above; the maximum with
// `low` keeps that), and so is their sum: Newton's method on the level therefore approaches the solution from
// the right, after at most one step, without a bracket being lost; the bracket is kept all the same.
void maximise_prior(std::span<const std::int64_t> counts, double low, double total,
                    std::span<double> alphas) {
    const std::size_t states = counts.size();
    if (states == 1) {
        alphas[0] = total;
        return;
    }
    const double even = total / static_cast<double>(states);
    std::fill(alphas.begin(), alphas.end(), even);
    if (!(total > low * static_cast<double>(states)) ||
        std::all_of(counts.begin(), counts.end(), [&](std::int64_t n) { return n == counts[0]; }))
        return;
    // The smallest and the largest 1/slope at the even point enclose the solution: at the one no alpha
    // exceeds the even share, at the other none is below it.
    std::vector<double> floors(states);  // 1/slope at `low`: below this level a state stays there
    double left = std::numeric_limits<double>::infinity();
    double right = 0.0;
    for (std::size_t k = 0; k < states; ++k) {
        const double level = 1.0 / digamma_rise(even, counts[k]);
        left = std::min(left, level);
        right = std::max(right, level);
        floors[k] = low > 0.0 ? 1.0 / digamma_rise(low, counts[k]) : 0.0;
    }
    double level = 0.5 * (left + right);
    for (int step = 0; step < 100; ++step) {
        double sum = 0.0;
        double rate = 0.0;
        for (std::size_t k = 0; k < states; ++k) {
            const Point point =
                level > floors[k] ? alpha_at_level(counts[k], low, level, alphas[k]) : Point{low, 0.0};
            alphas[k] = point.alpha;
            sum += point.alpha;
            rate += point.rate;
        }
        if (std::fabs(sum - total) <= 1e-13 * total) break;
        (sum < total ? left : right) = level;
        level = rate > 0.0 ? level + (total - sum) / rate : right;
        if (!(level > left && level < right)) level = 0.5 * (left + right);
    }
    // What is left over goes to the largest; near the optimum that costs only its square.
    double sum = 0.0;
    for (const double alpha : alphas) sum += alpha;
    *std::max_element(alphas.begin(), alphas.end()) += total - sum;
}

namespace {

class MinBdeu final : public LocalScore {
  public:
    MinBdeu(std::int64_t cases, double ess, double epsilon) : tables_(cases), ess_(ess), epsilon_(epsilon) {}

    // All the free mass goes to the state seen least (Scanagatta et al. 2014, section 3): a concave function
    // on a simplex is least at a corner, and the corner of the smallest count adds least.
    double local(const Family& family) const override {
        const double beta = ess_ / family.parent_cells;
        const double low = beta * (1.0 - epsilon_) / static_cast<double>(family.arity);
        const Terms lowest(tables_, low);
        const Terms highest(tables_, low + beta * epsilon_);
        const Terms whole(tables_, beta);
        double sum = 0.0;
        for (std::size_t j = 0; j < family.observed(); ++j) {
            const auto row = family.row(j);
            std::int64_t total = 0;
            double part = 0.0;
            for (const auto count : row) {
                total += count;
                part += lowest(count);
            }
            const std::int64_t least = *std::min_element(row.begin(), row.end());
            sum += part + (highest(least) - lowest(least)) - whole(total);
        }
        return sum;
    }
    // No more than BDeu, whose bound therefore holds.
    double superset_bound(const Family& family) const override {
        std::size_t cells = 0;
        for (const auto count : family.counts) cells += count > 0;
        return -static_cast<double>(cells) * std::log(static_cast<double>(family.arity));
    }

  private:
    TermTables tables_;
    double ess_;
    double epsilon_;
};

class MaxBdeu final : public LocalScore {
  public:
    MaxBdeu(std::int64_t cases, double ess, double epsilon) : tables_(cases), ess_(ess), epsilon_(epsilon) {}

    double local(const Family& family) const override {
        const double beta = ess_ / family.parent_cells;
        const double low = beta * (1.0 - epsilon_) / static_cast<double>(family.arity);
        const Terms highest(tables_, low + beta * epsilon_);
        const Terms whole(tables_, beta);
        std::vector<std::int64_t> seen;
        std::vector<double> alphas;
        double sum = 0.0;
        for (std::size_t j = 0; j < family.observed(); ++j) {
            std::int64_t total = 0;
            seen.clear();
            for (const auto count : family.row(j)) {
                total += count;
                if (count > 0) seen.push_back(count);
            }
            double part = 0.0;
            if (seen.size() == 1) {
                part = highest(total);
            } else {
                alphas.resize(seen.size());
                maximise_prior(seen, low, low * static_cast<double>(seen.size()) + beta * epsilon_, alphas);
                for (std::size_t k = 0; k < seen.size(); ++k) part += tables_.compute(alphas[k], seen[k]);
            }
            sum += part - whole(total);
        }
        return sum;
    }
    // The first case of each cell that occurs has probability at most alpha_jk / beta <= epsilon + (1 -
    // epsilon) / r.
    double superset_bound(const Family& family) const override {
        std::size_t cells = 0;
        for (const auto count : family.counts) cells += count > 0;
        return static_cast<double>(cells) *
               std::log(epsilon_ + (1.0 - epsilon_) / static_cast<double>(family.arity));
    }

  private:
    TermTables tables_;
    double ess_;
    double epsilon_;
};

}  // namespace

std::unique_ptr<LocalScore> make_min_bdeu(std::int64_t cases, double ess, double epsilon) {
    return std::make_unique<MinBdeu>(cases, ess, epsilon);
}

std::unique_ptr<LocalScore> make_max_bdeu(std::int64_t cases, double ess, double epsilon) {
    return std::make_unique<MaxBdeu>(cases, ess, epsilon);
}

}  // namespace arcwise
