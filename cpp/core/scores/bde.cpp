#include "scores/bde.hpp"

#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "scores/bd_rows.hpp"
#include "scores/log_mean.hpp"

namespace arcwise {

namespace {

// BD of the family with alpha_jk = ess x joint[j r + k].
double bd_of_joint(const Family& family, double ess, double cases, std::span<const double> joint) {
    assert(family.configurations.size() == family.observed());
    double sum = 0.0;
    std::vector<double> alphas(family.arity);
    for (std::size_t j = 0; j < family.observed(); ++j) {
        const auto base = static_cast<std::size_t>(family.configurations[j]) * family.arity;
        for (std::size_t k = 0; k < family.arity; ++k) alphas[k] = ess * joint[base + k];
        sum += bd_row(family.row(j), alphas, cases);
    }
    return sum;
}

class Bde final : public LocalScore {
  public:
    Bde(std::int64_t cases, double ess, JointDistributions priors, Mixture mixture)
        : cases_(static_cast<double>(cases)), ess_(ess), priors_(std::move(priors)), mixture_(mixture) {
        cells_ = priors_.joints.size() / priors_.weights.size();
    }

    double local(const Family& family) const override {
        // Where each cell of the joint table goes in the family's table.
        std::vector<std::size_t> stride(priors_.arities.size(), 0);
        std::size_t size = 1;
        const auto place = [&](std::int32_t variable) {
            stride[static_cast<std::size_t>(variable)] = size;
            size *= static_cast<std::size_t>(priors_.arities[static_cast<std::size_t>(variable)]);
        };
        place(family.child);
        for (std::size_t p = family.parents.size(); p-- > 0;) place(family.parents[p]);
        std::vector<std::size_t> target(cells_);
        for (std::size_t cell = 0; cell < cells_; ++cell) {
            std::size_t rest = cell;
            for (std::size_t v = priors_.arities.size(); v-- > 0;) {
                const auto arity = static_cast<std::size_t>(priors_.arities[v]);
                target[cell] += stride[v] * (rest % arity);
                rest /= arity;
            }
        }
        std::vector<double> values(priors_.weights.size());
        std::vector<double> joint(size);
        for (std::size_t h = 0; h < values.size(); ++h) {
            std::fill(joint.begin(), joint.end(), 0.0);
            const double* prior = priors_.joints.data() + h * cells_;
            for (std::size_t cell = 0; cell < cells_; ++cell) joint[target[cell]] += prior[cell];
            values[h] = bd_of_joint(family, ess_, cases_, joint);
        }
        return mixture_ == Mixture::logarithm_of_mean ? log_mean_exp(values, priors_.weights)
                                                      : mean(values, priors_.weights);
    }
    // The logarithm of a probability of the data, or a mean of such.
    double superset_bound(const Family&) const override { return 0.0; }
    bool needs_configurations() const override { return true; }

  private:
    double cases_;
    double ess_;
    JointDistributions priors_;
    Mixture mixture_;
    std::size_t cells_;
};

class BdeOfFunction final : public LocalScore {
  public:
    BdeOfFunction(std::int64_t cases, double ess, FamilyJoint joint)
        : cases_(static_cast<double>(cases)), ess_(ess), joint_(std::move(joint)) {}

    double local(const Family& family) const override {
        return bd_of_joint(family, ess_, cases_, joint_(family.child, family.parents));
    }
    double superset_bound(const Family&) const override { return 0.0; }
    bool needs_configurations() const override { return true; }

  private:
    double cases_;
    double ess_;
    FamilyJoint joint_;
};

}  // namespace

std::unique_ptr<LocalScore> make_bde(std::int64_t cases, double ess, JointDistributions priors,
                                     Mixture mixture) {
    return std::make_unique<Bde>(cases, ess, std::move(priors), mixture);
}

std::unique_ptr<LocalScore> make_bde_of_function(std::int64_t cases, double ess, FamilyJoint joint) {
    return std::make_unique<BdeOfFunction>(cases, ess, std::move(joint));
}

}  // namespace arcwise
