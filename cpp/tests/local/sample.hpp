// Data for local search, a score that is taken both ways through the counts, and its value by brute force.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "check.hpp"
#include "counts/contingency.hpp"
#include "local/neighbour_scores.hpp"
#include "xoshiro.hpp"

namespace local_support {

using namespace arcwise;

// BIC twice: as a set function, and family by family, so that both ways through the counts are taken.
class SetBic final : public LocalScore, public SetScore {
  public:
    explicit SetBic(double cases) : weight_(std::log(cases) / 2) {}
    double local(const Family& family) const override {
        double total = 0.0;
        for (std::size_t j = 0; j < family.counts.size(); j += family.arity) {
            std::int64_t sum = 0;
            for (std::size_t k = 0; k < family.arity; ++k) {
                total += cell_term(family.counts[j + k], 1);
                sum += family.counts[j + k];
            }
            total -= cell_term(sum, 1);
        }
        return total - weight_ * family.parent_cells * static_cast<double>(family.arity - 1);
    }
    const SetScore* set_score() const override { return this; }
    double cell_term(std::int64_t n, double) const override {
        return n == 0 ? 0.0 : static_cast<double>(n) * std::log(static_cast<double>(n));
    }
    double constant(double cells) const override { return -weight_ * cells; }
    bool terms_are_universal() const override { return true; }
    std::span<const double> terms(double) const override { return {}; }

  private:
    double weight_;
};

class FamilyBic final : public LocalScore {
  public:
    explicit FamilyBic(double cases) : bic_(cases) {}
    double local(const Family& family) const override {
        // The index of a configuration must be below q and differ from the others.
        for (std::size_t j = 0; j < family.observed(); ++j) {
            CHECK(static_cast<double>(family.configurations[j]) < family.parent_cells);
            for (std::size_t i = 0; i < j; ++i) CHECK(family.configurations[i] != family.configurations[j]);
        }
        return bic_.local(family);
    }
    bool needs_configurations() const override { return true; }

  private:
    SetBic bic_;
};

struct Sample {
    std::size_t rows;
    std::vector<std::int32_t> arities;
    std::vector<std::uint8_t> codes;
    std::vector<std::int64_t> weights;
    Columns<std::uint8_t> columns() const {
        return {codes.data(), arities.size(), rows, arities.data(),
                weights.empty() ? nullptr : weights.data()};
    }
};

// Dependent columns: each copies its left neighbour half of the time.
inline Sample make_sample(std::size_t rows, std::vector<std::int32_t> arities, std::uint64_t seed,
                          int weighting) {
    Sample sample{rows, std::move(arities), {}, {}};
    Xoshiro random(seed);
    for (std::size_t v = 0; v < sample.arities.size(); ++v) {
        const auto arity = static_cast<std::size_t>(sample.arities[v]);
        for (std::size_t row = 0; row < rows; ++row) {
            std::size_t code = random.below(arity);
            if (v > 0 && random.uniform() < 0.5) code = sample.codes[(v - 1) * rows + row] % arity;
            sample.codes.push_back(static_cast<std::uint8_t>(code));
        }
    }
    const std::size_t largest[] = {0, 4, 3000};
    if (weighting > 0)
        for (std::size_t row = 0; row < rows; ++row)
            sample.weights.push_back(static_cast<std::int64_t>(random.below(largest[weighting])));
    return sample;
}

inline double brute_force(const Sample& sample, const LocalScore& score, std::int32_t child,
                          const Parents& parents) {
    std::size_t cells = 1;
    Parents members = parents;
    members.push_back(child);
    for (const auto v : members)
        cells *= static_cast<std::size_t>(sample.arities[static_cast<std::size_t>(v)]);
    const auto all = count_cells(sample.columns(), members, cells);
    const auto arity = static_cast<std::size_t>(sample.arities[static_cast<std::size_t>(child)]);
    std::vector<std::int64_t> counts;
    std::vector<std::uint64_t> indices;
    for (std::size_t j = 0; j < cells / arity; ++j) {
        std::int64_t total = 0;
        for (std::size_t k = 0; k < arity; ++k) total += all[j * arity + k];
        if (total == 0) continue;
        counts.insert(counts.end(), all.begin() + static_cast<std::ptrdiff_t>(j * arity),
                      all.begin() + static_cast<std::ptrdiff_t>((j + 1) * arity));
        indices.push_back(j);
    }
    return score.local({child, parents, counts, arity, static_cast<double>(cells / arity),
                        sample.columns().cases(), indices});
}

}  // namespace local_support
