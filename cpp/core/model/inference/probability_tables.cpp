#include "model/inference/probability_tables.hpp"

#include <cmath>

namespace arcwise {

ProbabilityTables::ProbabilityTables(const NetworkView& network)
    : arities_(network.arities.begin(), network.arities.end()),
      order_(network.order.begin(), network.order.end()),
      table_offsets_(network.table_offsets.begin(), network.table_offsets.end()),
      values_(network.values.begin(), network.values.end()),
      undefined_(network.variables(), 0) {
    family_offsets_.push_back(0);
    for (std::size_t v = 0; v < variables(); ++v) {
        const auto parents = network.parents_of(v);
        families_.insert(families_.end(), parents.begin(), parents.end());
        families_.push_back(static_cast<std::int32_t>(v));
        family_offsets_.push_back(static_cast<std::int64_t>(families_.size()));
        // Published tables are printed with few digits: their rows sum to 1 only nearly.
        const auto r = arity(v);
        const auto end = values_.data() + table_offsets_[v + 1];
        for (auto* row = values_.data() + table_offsets_[v]; row != end; row += r) {
            double total = 0;
            for (std::size_t x = 0; x < r; ++x) total += row[x];
            if (std::isnan(total)) undefined_[v] = 1;
            for (std::size_t x = 0; x < r; ++x) row[x] /= total;
        }
    }
}

ProbabilityTables::ProbabilityTables(const ProbabilityTables& whole,
                                     const std::vector<std::vector<std::int32_t>>& states)
    : families_(whole.families_),
      order_(whole.order_),
      family_offsets_(whole.family_offsets_),
      table_offsets_{0},
      undefined_(whole.undefined_) {
    std::vector<std::size_t> digits;
    for (std::size_t v = 0; v < states.size(); ++v) {
        arities_.push_back(static_cast<std::int32_t>(states[v].size()));
        const auto own = whole.family(v);
        const auto from = whole.table(v);
        std::size_t cells = 1;
        for (const auto u : own) cells *= states[static_cast<std::size_t>(u)].size();
        digits.assign(own.size(), 0);
        for (std::size_t cell = 0; cell < cells; ++cell) {
            std::size_t at = 0;
            for (std::size_t axis = 0; axis < own.size(); ++axis) {
                const auto u = static_cast<std::size_t>(own[axis]);
                at = at * whole.arity(u) + static_cast<std::size_t>(states[u][digits[axis]]);
            }
            values_.push_back(from[at]);
            for (auto axis = own.size(); axis-- > 0;) {
                if (++digits[axis] < states[static_cast<std::size_t>(own[axis])].size()) break;
                digits[axis] = 0;
            }
        }
        table_offsets_.push_back(static_cast<std::int64_t>(values_.size()));
    }
}

std::span<const double> ProbabilityTables::log_table(std::size_t v) const {
    std::call_once(logs_made_, [this] {
        std::vector<double> logs(values_.size());
        for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = std::log(values_[i]);
        logs_ = std::move(logs);
    });
    return part(logs_, v);
}

}  // namespace arcwise
