// Tables of terms for small counts, one per key, made when first asked for.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scores/log_rising.hpp"

namespace arcwise {

// A store of tables that only grows, by compare-and-swap: readers take no lock, and a thread that loses a
// race drops its copy of the same numbers. When it is full, `find` returns an empty table and the caller
// computes: so a table's entries must be the bits that the caller would compute, and no result depends on the
// store.
class KeyedTables {
  public:
    KeyedTables() = default;
    KeyedTables(const KeyedTables&) = delete;
    KeyedTables& operator=(const KeyedTables&) = delete;
    ~KeyedTables() {
        for (auto& slot : slots_) delete slot.load(std::memory_order_relaxed);
    }

    // The table of the key; `make()` returns it as a vector if it is not there yet.
    template <class Make>
    std::span<const double> find(double key, Make make) const {
        const auto bits = std::bit_cast<std::uint64_t>(key);
        auto place = static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15u) >> 53);
        std::unique_ptr<const Table> made;
        for (int probe = 0; probe < 16; ++probe, place = (place + 1) % slots_.size()) {
            const Table* table = slots_[place].load(std::memory_order_acquire);
            if (table == nullptr) {
                if (!made) made = std::make_unique<const Table>(Table{key, make()});
                if (slots_[place].compare_exchange_strong(table, made.get(), std::memory_order_acq_rel))
                    return made.release()->terms;
            }
            if (table->key == key) return table->terms;
        }
        return {};
    }

  private:
    struct Table {
        double key;
        std::vector<double> terms;
    };
    mutable std::array<std::atomic<const Table*>, 2048> slots_{};
};

// Tables of log_rising_centred(alpha, n, N). Almost all counts of a contingency table are small (at most N /
// 1024 of them reach 1,024), and the alphas of a data set are few (BDeu: ess over a product of arities).
class TermTables {
  public:
    explicit TermTables(std::int64_t cases)
        : length_(static_cast<std::size_t>(std::min<std::int64_t>(cases, 1023)) + 1),
          cases_(std::max<double>(1.0, static_cast<double>(cases))) {}

    // The term of any count: what the tables hold.
    double compute(double alpha, std::int64_t count) const {
        return log_rising_centred(alpha, count, cases_);
    }

    // The terms of alpha for counts 0, 1, ...; may be empty.
    std::span<const double> find(double alpha) const {
        return tables_.find(alpha, [&] {
            std::vector<double> terms(length_);
            for (std::size_t n = 0; n < length_; ++n) terms[n] = compute(alpha, static_cast<std::int64_t>(n));
            return terms;
        });
    }

  private:
    std::size_t length_;
    double cases_;
    KeyedTables tables_;
};

// The terms of one alpha: the table where it reaches, computed beyond.
class Terms {
  public:
    Terms(const TermTables& tables, double alpha)
        : tables_(&tables), alpha_(alpha), table_(tables.find(alpha)) {}
    double operator()(std::int64_t count) const {
        const auto n = static_cast<std::size_t>(count);
        return n < table_.size() ? table_[n] : tables_->compute(alpha_, count);
    }

  private:
    const TermTables* tables_;
    double alpha_;
    std::span<const double> table_;
};

}  // namespace arcwise
