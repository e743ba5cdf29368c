#include "scores/hierarchical.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scores/log_rising.hpp"

namespace arcwise {

namespace {

// How many cases of a site are in a cell; cells that do not occur are left out.
struct SiteCount {
    std::uint64_t cell;
    std::uint64_t site;
    std::int64_t count;
};

constexpr int most_rounds = 1000;
constexpr double still = 1e-9;  // of the logarithms of kappa: the bound is flat there, and right to 1e-16

// What kappa does is a product over cells of a rising factorial of s kappa, which no integral knows. In the
// logarithm of kappa that is convex, so that a tangent bounds it from below (Minka 2000):
//     log_rising(s kappa, n) >= log_rising(s k, n) + t (log kappa - log k),  t = s k digamma_rise(s k, n),
// and under the tangents of all cells kappa is Dirichlet(a + t). The bound is highest at
// log k = psi(a + t) - psi(ess + sum of t), which rounds of both approach, each no worse than the last.
class SharedCentre {
  public:
    SharedCentre(double cells, const SitePrior& prior, double cases)
        : a_(prior.ess / cells), prior_(prior), cases_(cases) {}

    // The bound; the counts are sorted by cell.
    double log_likelihood(std::span<const SiteCount> counts) const {
        std::vector<std::size_t> ends;
        for (std::size_t i = 1; i <= counts.size(); ++i)
            if (i == counts.size() || counts[i].cell != counts[i - 1].cell) ends.push_back(i);
        std::vector<double> tables(ends.size());  // t
        std::vector<double> logs(ends.size());    // log k
        const auto centre = [&] {
            double sum = 0.0;
            for (const double t : tables) sum += t;
            const double level = digamma(prior_.ess + sum);
            double moved = 0.0;
            for (std::size_t c = 0; c < ends.size(); ++c) {
                const double next = digamma(a_ + tables[c]) - level;
                moved = std::max(moved, std::abs(next - logs[c]));
                logs[c] = next;
            }
            return moved;
        };
        for (std::size_t c = 0; c < ends.size(); ++c)
            tables[c] = static_cast<double>(ends[c] - (c == 0 ? 0 : ends[c - 1]));
        centre();
        for (int round = 0; round < most_rounds; ++round) {
            std::size_t i = 0;
            for (std::size_t c = 0; c < ends.size(); ++c) {
                const double alpha = prior_.alike * std::exp(logs[c]);
                tables[c] = 0.0;
                for (; i < ends[c]; ++i) tables[c] += alpha * digamma_rise(alpha, counts[i].count);
            }
            if (centre() < still) break;
        }
        return bound(counts, ends, tables, logs);
    }

  private:
    double bound(std::span<const SiteCount> counts, std::span<const std::size_t> ends,
                 std::span<const double> tables, std::span<const double> logs) const {
        std::vector<std::int64_t> sizes;  // of the sites
        double sum = 0.0;
        double all = 0.0;
        std::size_t i = 0;
        for (std::size_t c = 0; c < ends.size(); ++c) {
            const double alpha = prior_.alike * std::exp(logs[c]);
            for (; i < ends[c]; ++i) {
                sum += log_rising_centred(alpha, counts[i].count, cases_);
                if (counts[i].site >= sizes.size()) sizes.resize(counts[i].site + 1, 0);
                sizes[counts[i].site] += counts[i].count;
            }
            sum += std::lgamma(a_ + tables[c]) - std::lgamma(a_) - tables[c] * logs[c];
            all += tables[c];
        }
        for (const std::int64_t size : sizes) sum -= log_rising_centred(prior_.alike, size, cases_);
        return sum - (std::lgamma(prior_.ess + all) - std::lgamma(prior_.ess));
    }

    double a_;
    const SitePrior& prior_;
    double cases_;
};

class Hierarchical final : public LocalScore {
  public:
    Hierarchical(std::int64_t cases, SitePrior prior)
        : cases_(static_cast<double>(cases)), prior_(std::move(prior)) {}

    double local(const Family& family) const override {
        // Of more configurations than an integer numbers nobody knows which site they are of.
        if (family.configurations.size() != family.observed())
            return -std::numeric_limits<double>::infinity();
        // The place of the site's digit among those of the parents.
        const auto sites = static_cast<std::uint64_t>(prior_.arities[static_cast<std::size_t>(prior_.site)]);
        const bool is_child = family.child == prior_.site;
        std::uint64_t below = 1;
        bool is_parent = false;
        for (std::size_t p = family.parents.size(); p-- > 0 && !is_parent;) {
            is_parent = family.parents[p] == prior_.site;
            if (!is_parent)
                below *=
                    static_cast<std::uint64_t>(prior_.arities[static_cast<std::size_t>(family.parents[p])]);
        }
        std::vector<SiteCount> with;     // the cells of the parents and the child
        std::vector<SiteCount> without;  // of the parents alone
        std::vector<std::int64_t> sizes(is_child ? family.arity : 0, 0);
        for (std::size_t j = 0; j < family.observed(); ++j) {
            const std::uint64_t place = family.configurations[j];
            const std::uint64_t site = is_parent ? place / below % sites : 0;
            const std::uint64_t rest = is_parent ? place / (below * sites) * below + place % below : place;
            std::int64_t total = 0;
            for (std::size_t k = 0; k < family.arity; ++k) {
                const std::int64_t count = family.row(j)[k];
                if (count == 0) continue;
                total += count;
                if (is_child) sizes[k] += count;
                with.push_back(is_child ? SiteCount{rest, k, count}
                                        : SiteCount{rest * family.arity + k, site, count});
            }
            without.push_back({rest, site, total});
        }
        const auto by_cell = [](const SiteCount& one, const SiteCount& other) {
            return std::pair(one.cell, one.site) < std::pair(other.cell, other.site);
        };
        std::sort(with.begin(), with.end(), by_cell);
        std::sort(without.begin(), without.end(), by_cell);
        const double cells = family.parent_cells / (is_parent ? static_cast<double>(sites) : 1.0);
        const double own = cells * (is_child ? 1.0 : static_cast<double>(family.arity));
        double value = SharedCentre(own, prior_, cases_).log_likelihood(with) -
                       SharedCentre(cells, prior_, cases_).log_likelihood(without);
        if (is_child) {  // how many cases each site has: BDeu of a variable without parents
            std::int64_t total = 0;
            for (const std::int64_t size : sizes) {
                value += log_rising_centred(prior_.ess / static_cast<double>(sizes.size()), size, cases_);
                total += size;
            }
            value -= log_rising_centred(prior_.ess, total, cases_);
        }
        return value;
    }
    bool needs_configurations() const override { return true; }

  private:
    double cases_;
    SitePrior prior_;
};

}  // namespace

std::unique_ptr<LocalScore> make_hierarchical(std::int64_t cases, SitePrior prior) {
    return std::make_unique<Hierarchical>(cases, std::move(prior));
}

}  // namespace arcwise
