#include "parent_sets/build_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace arcwise {

namespace {

std::optional<ChildPrior> prior_of(const BuildJob& job, const CountSource& source, const FamilyPrior* prior) {
    if (prior == nullptr) return std::nullopt;
    const auto labels = source.labels();
    std::vector<double> weights;
    const auto child = static_cast<std::size_t>(labels[job.child]);
    for (const auto label : labels) weights.push_back(prior->weight(static_cast<std::size_t>(label), child));
    std::vector<double> sizes;
    for (std::size_t k = 0; k < prior->variables(); ++k) sizes.push_back(prior->size(k));
    return ChildPrior(std::move(weights), std::move(sizes), job.required, job.allowed, job.limit);
}

}  // namespace

std::vector<BuildJob> make_jobs(const CountSource& source, std::span<const LocalScore* const> scores,
                                const BuildOptions& options, std::span<const std::int32_t> position) {
    const auto arities = source.arities();
    const auto arity_of = [&](std::int32_t p) {
        return static_cast<double>(arities[static_cast<std::size_t>(p)]);
    };
    const auto positions = [&](const std::vector<std::int32_t>& variables) {
        std::vector<std::int32_t> found;
        for (const auto v : variables) found.push_back(position[static_cast<std::size_t>(v)]);
        std::sort(found.begin(), found.end());
        return found;
    };
    const std::size_t n = position.size();
    // The bound by the full likelihood pays only where sets grow large.
    const bool deep = std::any_of(options.limits.begin(), options.limits.end(),
                                  [](std::int32_t limit) { return limit > 3; });
    std::vector<double> full(n, 0.0);
    if (deep && std::isfinite(options.slack))
        for (std::size_t p = 0; p < n; ++p) full[p] = source.full_likelihood(p);

    std::vector<BuildJob> jobs;
    for (std::size_t score = 0; score < scores.size(); ++score) {
        for (std::size_t v = 0; v < n; ++v) {
            BuildJob job;
            job.score = score;
            job.child = static_cast<std::size_t>(position[v]);
            job.arity = static_cast<double>(arities[job.child]);
            job.full_likelihood = full[job.child];
            job.required = positions(options.required[v]);
            for (const auto r : job.required) job.required_cells *= arity_of(r);
            // A variable with one state neither explains nor needs explaining: every arc at it would leave
            // the score as it is, and 2^n tied parent sets with it.
            if (arities[job.child] > 1)
                for (const auto p : positions(options.allowed[v]))
                    if (arities[static_cast<std::size_t>(p)] > 1) job.allowed.push_back(p);
            job.smallest_arity = std::numeric_limits<double>::infinity();
            for (const auto p : job.allowed) job.smallest_arity = std::min(job.smallest_arity, arity_of(p));
            job.limit = static_cast<std::size_t>(std::max(options.limits[v], 0));
            job.prior = prior_of(job, source, scores[score]->prior());
            job.state.alive.set_size = 0;
            jobs.push_back(std::move(job));
        }
    }
    return jobs;
}

}  // namespace arcwise
