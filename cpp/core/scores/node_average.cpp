#include "scores/node_average.hpp"

#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "scores/entropy_terms.hpp"

namespace arcwise {

namespace {

class NodeAverage final : public LocalScore {
  public:
    NodeAverage(std::int64_t cases, double weight, std::vector<std::int32_t> arities,
                std::vector<std::int32_t> gaps)
        : cases_(static_cast<double>(cases)),
          weight_(weight),
          arities_(std::move(arities)),
          gaps_(std::move(gaps)),
          terms_(cases) {}

    double local(const Family& family) const override {
        // Beyond 64 bits configurations have no index, and there is no telling which lack a value.
        if (family.parent_cells > 1e18) return -std::numeric_limits<double>::infinity();
        assert(family.configurations.size() == family.observed());
        const std::size_t states = own_states(family.child);
        double sum = 0.0;
        std::int64_t whole = 0;
        for (std::size_t j = 0; j < family.observed(); ++j) {
            if (lacks_a_parent(family, family.configurations[j])) continue;
            std::int64_t total = 0;
            double row = 0.0;
            for (const auto count : family.row(j).first(states)) {
                total += count;
                row += terms_(count);
            }
            sum += row - terms_(total);
            whole += total;
        }
        const double average = whole > 0 ? sum / static_cast<double>(whole) : -std::log(states);
        return cases_ * (average - weight_ * parameters(family));
    }
    // A superset has at least as many parameters, and no likelihood exceeds one, over whichever cases. More
    // is not known: with each parent the cases change, so that the likelihood may fall as well as rise.
    double superset_bound(const Family& family) const override {
        return -cases_ * weight_ * parameters(family);
    }
    bool needs_configurations() const override { return true; }

  private:
    std::size_t own_states(std::int32_t variable) const {
        const auto v = static_cast<std::size_t>(variable);
        return static_cast<std::size_t>(gaps_[v] < 0 ? arities_[v] : arities_[v] - 1);
    }
    double parameters(const Family& family) const {
        double cells = static_cast<double>(own_states(family.child) - 1);
        for (const auto parent : family.parents) cells *= static_cast<double>(own_states(parent));
        return cells;
    }
    bool lacks_a_parent(const Family& family, std::uint64_t configuration) const {
        for (std::size_t p = family.parents.size(); p-- > 0;) {  // the last parent varies fastest
            const auto v = static_cast<std::size_t>(family.parents[p]);
            const auto arity = static_cast<std::uint64_t>(arities_[v]);
            if (gaps_[v] >= 0 && configuration % arity == static_cast<std::uint64_t>(gaps_[v])) return true;
            configuration /= arity;
        }
        return false;
    }

    double cases_;
    double weight_;
    std::vector<std::int32_t> arities_;  // with the states that stand for gaps
    std::vector<std::int32_t> gaps_;
    EntropyTerms terms_;
};

}  // namespace

std::unique_ptr<LocalScore> make_node_average(std::int64_t cases, double weight,
                                              std::vector<std::int32_t> arities,
                                              std::vector<std::int32_t> gaps) {
    assert(arities.size() == gaps.size());
    return std::make_unique<NodeAverage>(cases, weight, std::move(arities), std::move(gaps));
}

}  // namespace arcwise
