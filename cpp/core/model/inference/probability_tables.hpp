// The tables of a network as inference takes them, as numbers and as logarithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "model/network_view.hpp"

namespace arcwise {

// A copy of the network, so that it can outlive the view. One for all queries; safe to share between threads.
class ProbabilityTables {
  public:
    explicit ProbabilityTables(const NetworkView& network);
    // The tables of some states of each variable: rows that need not sum to 1.
    ProbabilityTables(const ProbabilityTables& whole, const std::vector<std::vector<std::int32_t>>& states);

    std::size_t variables() const { return arities_.size(); }
    std::size_t arity(std::size_t v) const { return static_cast<std::size_t>(arities_[v]); }
    std::span<const std::int32_t> arities() const { return arities_; }
    // The parents and then v itself: the axes of the table of v, the last varying fastest.
    std::span<const std::int32_t> family(std::size_t v) const {
        const auto begin = static_cast<std::size_t>(family_offsets_[v]);
        return {families_.data() + begin, static_cast<std::size_t>(family_offsets_[v + 1]) - begin};
    }
    std::span<const std::int32_t> parents(std::size_t v) const {
        const auto all = family(v);
        return all.first(all.size() - 1);
    }
    std::span<const double> table(std::size_t v) const { return part(values_, v); }
    // The natural logarithms; made when first asked for.
    std::span<const double> log_table(std::size_t v) const;
    // Parents before children.
    std::span<const std::int32_t> order() const { return order_; }
    // Whether the table of v has undefined rows (NaN).
    bool has_undefined(std::size_t v) const { return undefined_[v] != 0; }

  private:
    std::span<const double> part(const std::vector<double>& values, std::size_t v) const {
        const auto begin = static_cast<std::size_t>(table_offsets_[v]);
        return {values.data() + begin, static_cast<std::size_t>(table_offsets_[v + 1]) - begin};
    }

    std::vector<std::int32_t> arities_, families_, order_;
    std::vector<std::int64_t> family_offsets_, table_offsets_;
    std::vector<double> values_;
    std::vector<std::uint8_t> undefined_;
    mutable std::once_flag logs_made_;
    mutable std::vector<double> logs_;
};

}  // namespace arcwise
