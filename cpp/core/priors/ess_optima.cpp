#include "priors/ess_optima.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>

#include "parallel_for.hpp"
#include "scores/log_rising.hpp"

namespace arcwise {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr std::size_t lanes = 8;

std::uint32_t bit(std::size_t v) {
    return std::uint32_t{1} << v;
}

// Removes bit v of a set that does not hold it: the sets without v, numbered without gaps.
std::size_t squeezed(std::uint32_t set, std::size_t v) {
    return (set & (bit(v) - 1)) | ((set >> (v + 1)) << v);
}

}  // namespace

// One thread's buffers.
class EssOptimizer::Worker {
  public:
    Worker(const EssOptimizer& owner, const FamilyRules& rules)
        : owner_(owner),
          n_(owner.spectra_.variables()),
          subsets_(std::size_t{1} << n_),
          half_(std::max<std::size_t>(subsets_ / 2, 1)) {
        terms_.resize(owner.counts_.size() * lanes);
        values_.resize(subsets_ * lanes);
        one_.resize(subsets_);
        best_.resize(subsets_);
        local_.resize(n_ * half_);
        read_rules(rules);
    }

    // g of every counted set for up to eight sizes.
    void rescore(std::span<const double> ess) {
        const auto& spectra = owner_.spectra_;
        const auto cases = static_cast<double>(std::max<std::int64_t>(spectra.cases(), 1));
        const auto sizes = spectra.shape_sizes();
        for (std::size_t shape = 0; shape < sizes.size(); ++shape)
            for (std::size_t at = owner_.shape_begin_[shape]; at < owner_.shape_begin_[shape + 1]; ++at)
                for (std::size_t lane = 0; lane < lanes; ++lane)
                    terms_[at * lanes + lane] =
                        lane < ess.size()
                            ? log_rising_centred(ess[lane] / sizes[shape], owner_.counts_[at], cases)
                            : 0.0;
        for (std::size_t set = 0; set < subsets_; ++set) {
            std::array<double, lanes> sum{};
            for (std::size_t run = owner_.run_begin_[set]; run < owner_.run_begin_[set + 1]; ++run) {
                const auto cells = static_cast<double>(owner_.cells_of_runs_[run]);
                const double* terms = terms_.data() + owner_.terms_of_runs_[run] * lanes;
                for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += cells * terms[lane];
            }
            std::copy(sum.begin(), sum.end(), values_.begin() + static_cast<std::ptrdiff_t>(set * lanes));
        }
    }

    // Adds one size's g to a sum.
    void add_to(std::vector<double>& sum, std::size_t lane) const {
        for (std::size_t set = 0; set < subsets_; ++set) sum[set] += values_[set * lanes + lane];
    }

    double solve_lane(std::size_t lane, std::uint32_t* parents) {
        for (std::size_t set = 0; set < subsets_; ++set) one_[set] = values_[set * lanes + lane];
        return solve(one_, parents);
    }

    // The optimum for one g; `parents` receives a mask of variables for each variable.
    double solve(const std::vector<double>& g, std::uint32_t* parents) {
        for (std::size_t v = 0; v < n_; ++v) find_best_parents(g, v);
        best_[0] = 0.0;
        for (std::uint32_t set = 1; set < subsets_; ++set) {
            double best = impossible;
            for (std::uint32_t rest = set; rest != 0; rest &= rest - 1) {
                const auto v = static_cast<std::size_t>(std::countr_zero(rest));
                const std::uint32_t before = set & ~bit(v);
                best = std::max(best, best_[before] + local_[v * half_ + squeezed(before, v)]);
            }
            best_[set] = best;
        }
        if (best_[subsets_ - 1] != impossible) trace(parents);
        return best_[subsets_ - 1];
    }

  private:
    // local_[v][U] = the best score of v with parents within U, over the subsets U that do not hold v.
    void find_best_parents(const std::vector<double>& g, std::size_t v) {
        double* local = local_.data() + v * half_;
        const std::size_t step = std::size_t{1} << v;
        for (std::size_t high = 0; high < subsets_; high += 2 * step)
            for (std::size_t low = 0; low < step; ++low)
                local[(high >> 1) + low] = g[high + step + low] - g[high + low];
        if (restricted_[v])
            for (std::size_t k = 0; k < half_; ++k) {
                const auto set = static_cast<std::uint32_t>(((k >> v) << (v + 1)) | (k & (step - 1)));
                if ((set & required_[v]) != required_[v] || (set & ~allowed_[v]) != 0 ||
                    std::popcount(set) > limits_[v])
                    local[k] = impossible;
            }
        for (std::size_t width = 1; width < half_; width *= 2)
            for (std::size_t base = width; base < half_; base += 2 * width)
                for (std::size_t i = base; i < base + width; ++i)
                    local[i] = std::max(local[i], local[i - width]);
    }

    void trace(std::uint32_t* parents) const {
        const auto labels = owner_.spectra_.labels();
        for (auto left = static_cast<std::uint32_t>(subsets_ - 1); left != 0;) {
            std::size_t last = 0;
            std::uint32_t before = 0;
            for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
                last = static_cast<std::size_t>(std::countr_zero(rest));
                before = left & ~bit(last);
                if (best_[before] + local_[last * half_ + squeezed(before, last)] == best_[left]) break;
            }
            // The parents: what cannot be left out without loss.
            std::uint32_t set = before;
            const double* local = local_.data() + last * half_;
            const double value = local[squeezed(set, last)];
            for (std::size_t p = n_; p-- > 0;)
                if ((set & bit(p)) != 0 && local[squeezed(set & ~bit(p), last)] == value) set &= ~bit(p);
            std::uint32_t named = 0;
            for (std::uint32_t rest = set; rest != 0; rest &= rest - 1)
                named |=
                    bit(static_cast<std::size_t>(labels[static_cast<std::size_t>(std::countr_zero(rest))]));
            parents[static_cast<std::size_t>(labels[last])] = named;
            left = before;
        }
    }

    void read_rules(const FamilyRules& rules) {
        const auto labels = owner_.spectra_.labels();
        const auto arities = owner_.spectra_.arities();
        // A variable with one state neither explains nor needs explaining (as in the builder of tables).
        std::uint32_t useful = 0;
        for (std::size_t p = 0; p < n_; ++p)
            if (arities[p] > 1) useful |= bit(p);
        const auto moved = [&](std::uint32_t mask) {
            std::uint32_t found = 0;
            for (std::size_t p = 0; p < n_; ++p)
                if ((mask >> labels[p] & 1U) != 0) found |= bit(p);
            return found;
        };
        const std::int32_t counted = owner_.spectra_.level() - 1;
        const auto all = static_cast<std::uint32_t>(subsets_ - 1);
        for (std::size_t p = 0; p < n_; ++p) {
            const auto v = static_cast<std::size_t>(labels[p]);
            required_.push_back(moved(rules.required[v]));
            allowed_.push_back((moved(rules.allowed[v]) & (arities[p] > 1 ? useful : 0)) | required_[p]);
            limits_.push_back(std::min(rules.limits[v], counted));
            restricted_.push_back(required_[p] != 0 || (allowed_[p] | bit(p)) != all ||
                                  limits_[p] < static_cast<std::int32_t>(n_) - 1);
        }
    }

    const EssOptimizer& owner_;
    std::size_t n_;
    std::size_t subsets_;
    std::size_t half_;
    std::vector<double> terms_;   // (terms, lanes)
    std::vector<double> values_;  // g: (sets, lanes)
    std::vector<double> one_;     // g of one lane
    std::vector<double> best_;
    std::vector<double> local_;  // (variables, subsets without it)
    std::vector<std::uint32_t> required_, allowed_;
    std::vector<std::int32_t> limits_;
    std::vector<bool> restricted_;
};

EssOptimizer::EssOptimizer(const CountSpectra& spectra) : spectra_(spectra) {
    const std::size_t sets = std::size_t{1} << spectra.variables();
    std::vector<std::vector<std::uint32_t>> of_shape(spectra.shape_sizes().size());
    std::vector<std::size_t> joined(of_shape.size(), 0);
    const auto join = [](std::vector<std::uint32_t>& counts) {
        std::sort(counts.begin(), counts.end());
        counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    };
    run_begin_.reserve(sets + 1);
    run_begin_.push_back(0);
    for (std::uint32_t set = 0; set < sets; ++set) {
        run_begin_.push_back(run_begin_.back() + spectra.runs(set).size());
        auto& counts = of_shape[spectra.shape(set)];
        for (const auto& run : spectra.runs(set)) counts.push_back(run.count);
        // Joined now and then, so that the lists stay short.
        if (counts.size() > 2 * joined[spectra.shape(set)] + 1024) {
            join(counts);
            joined[spectra.shape(set)] = counts.size();
        }
    }
    shape_begin_.push_back(0);
    for (auto& counts : of_shape) {
        join(counts);
        counts_.insert(counts_.end(), counts.begin(), counts.end());
        shape_begin_.push_back(counts_.size());
    }
    terms_of_runs_.reserve(run_begin_.back());
    cells_of_runs_.reserve(run_begin_.back());
    for (std::uint32_t set = 0; set < sets; ++set) {
        const auto& counts = of_shape[spectra.shape(set)];
        for (const auto& run : spectra.runs(set)) {
            const auto place = std::lower_bound(counts.begin(), counts.end(), run.count) - counts.begin();
            terms_of_runs_.push_back(static_cast<std::uint32_t>(shape_begin_[spectra.shape(set)] +
                                                                static_cast<std::size_t>(place)));
            cells_of_runs_.push_back(run.cells);
        }
    }
}

double EssOptimizer::memory_for(std::size_t variables, std::size_t threads) {
    const auto subsets = static_cast<double>(std::size_t{1} << variables);
    const double per_thread = subsets * (lanes + 2.0 + static_cast<double>(variables) / 2.0);
    return 8.0 * (static_cast<double>(threads) * per_thread + 2.0 * subsets);
}

EssOptima EssOptimizer::solve(std::span<const double> ess, bool averaged, const FamilyRules& rules,
                              std::size_t threads, Monitor& monitor, double seconds) const {
    const std::size_t n = spectra_.variables();
    const std::size_t sizes = ess.size();
    const std::size_t blocks = (sizes + lanes - 1) / lanes;
    threads = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(blocks, 1));
    EssOptima found;
    found.solved.assign(sizes + averaged, 0);
    found.scores.assign(sizes + averaged, 0.0);
    found.parents.assign((sizes + averaged) * n, 0);
    std::vector<Worker> workers;
    for (std::size_t t = 0; t < threads; ++t) workers.emplace_back(*this, rules);
    // The sums of each block on their own, added in order: threads must not change a bit.
    std::vector<std::vector<double>> sums(averaged ? blocks : 0);
    Ticker ticker(monitor, seconds);
    std::atomic<bool> stopped{false};
    std::atomic<std::size_t> done{0};
    const auto poll = [&] {
        if (ticker.poll_now({done.load(), sizes + averaged})) stopped = true;
        return stopped.load();
    };
    parallel_for(
        threads, blocks,
        [&](std::size_t number, std::size_t block) {
            auto& worker = workers[number];
            const std::size_t first = block * lanes;
            const auto some = ess.subspan(first, std::min(lanes, sizes - first));
            worker.rescore(some);
            if (averaged) sums[block].assign(std::size_t{1} << n, 0.0);
            for (std::size_t lane = 0; lane < some.size(); ++lane) {
                if (number == 0 ? poll() : stopped.load()) return;
                found.scores[first + lane] =
                    worker.solve_lane(lane, found.parents.data() + (first + lane) * n);
                found.solved[first + lane] = 1;
                if (averaged) worker.add_to(sums[block], lane);
                ++done;
            }
        },
        [&](std::size_t) { return poll(); });
    if (averaged && !stopped && sizes > 0) {
        for (std::size_t block = 1; block < blocks; ++block)
            for (std::size_t set = 0; set < sums[0].size(); ++set) sums[0][set] += sums[block][set];
        for (auto& value : sums[0]) value /= static_cast<double>(sizes);
        found.scores[sizes] = workers[0].solve(sums[0], found.parents.data() + sizes * n);
        found.solved[sizes] = 1;
    }
    found.status = ticker.reason();
    return found;
}

}  // namespace arcwise
