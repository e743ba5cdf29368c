// Tables of log_rising(alpha, n) for small n, one per alpha, made when first asked for.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scores/log_rising.hpp"

namespace arcwise {

// Almost all counts of a contingency table are small (at most N / 1024 of them reach 1,024), and the alphas
// of a data set are few (BDeu: ess over a product of arities). The tables are kept in a hash table that only
// grows, by compare-and-swap: readers take no lock, and a thread that loses the race drops its copy of the
// same numbers. A table's entries are what log_rising returns, so that a result never depends on whether
// a table was there.
class TermTables {
  public:
    explicit TermTables(std::int64_t cases)
        : length_(static_cast<std::size_t>(std::min<std::int64_t>(cases, longest - 1)) + 1),
          scale_(std::max<double>(1.0, static_cast<double>(cases)) / 2.718281828459045) {}
    TermTables(const TermTables&) = delete;
    TermTables& operator=(const TermTables&) = delete;
    ~TermTables() {
        for (auto& slot : slots_) delete slot.load(std::memory_order_relaxed);
    }

    double scale() const { return scale_; }

    // The terms of alpha for counts 0, 1, ...; empty if the store is full.
    std::span<const double> find(double alpha) const {
        const auto bits = std::bit_cast<std::uint64_t>(alpha);
        auto place = static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15u) >> 53);
        std::unique_ptr<const Table> made;
        for (int probe = 0; probe < 16; ++probe, place = (place + 1) % slots_.size()) {
            const Table* table = slots_[place].load(std::memory_order_acquire);
            if (table == nullptr) {
                if (!made) made = std::make_unique<const Table>(alpha, length_, scale_);
                if (slots_[place].compare_exchange_strong(table, made.get(), std::memory_order_acq_rel))
                    return made.release()->terms;
            }
            if (table->alpha == alpha) return table->terms;
        }
        return {};
    }

  private:
    static constexpr std::int64_t longest = 1024;
    struct Table {
        Table(double alpha_, std::size_t length, double scale) : alpha(alpha_), terms(length) {
            for (std::size_t n = 0; n < length; ++n)
                terms[n] = log_rising(alpha, static_cast<std::int64_t>(n), scale);
        }
        double alpha;
        std::vector<double> terms;
    };
    std::size_t length_;
    double scale_;
    mutable std::array<std::atomic<const Table*>, 2048> slots_{};
};

// The terms of one alpha: the table where it reaches, log_rising beyond.
class Terms {
  public:
    Terms(const TermTables& tables, double alpha)
        : alpha_(alpha), scale_(tables.scale()), table_(tables.find(alpha)) {}
    double operator()(std::int64_t count) const {
        const auto n = static_cast<std::size_t>(count);
        return n < table_.size() ? table_[n] : log_rising(alpha_, count, scale_);
    }

  private:
    double alpha_;
    double scale_;
    std::span<const double> table_;
};

}  // namespace arcwise
