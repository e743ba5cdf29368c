// The local scores of a family and of all its neighbours: the one thing that a local search asks of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "local/arc_rules.hpp"
#include "local/neighbour_row.hpp"
#include "local/parent_gains.hpp"
#include "monitor.hpp"

namespace arcwise {

class NeighbourSource {
  public:
    using Row = RowCache::Row;

    virtual ~NeighbourSource() = default;
    // The rows of a first network of thousands of variables take long: meanwhile they hear the ticker. Once
    // it has stopped, a new row has no neighbours, and the search ends.
    void listen(Ticker* ticker) { ticker_ = ticker; }
    virtual Row row(std::size_t child, std::span<const std::int32_t> parents) = 0;
    // Replaces a bound in a row of this child and these parents by the score.
    virtual void settle(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents,
                        std::size_t x) = 0;
    virtual void settle_all(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents) = 0;
    // The score of one family, without its neighbours.
    virtual double local(std::size_t child, std::span<const std::int32_t> parents) = 0;

    virtual const ParentGains& gains() const = 0;
    // From now on, rows are of these candidates only, ascending; a pair is in both lists or in none. Rows of
    // all variables are kept for later.
    virtual void narrow(std::vector<Parents> lists) = 0;
    // From now on, rows are of all variables again.
    virtual void widen() = 0;

    virtual const ArcRules& rules() const = 0;
    virtual std::size_t variables() const = 0;
    virtual std::uint64_t families_scored() const = 0;
    // As many as it would have been, had no row been narrow.
    virtual std::uint64_t families_meant() const = 0;

  protected:
    bool is_stopped() { return ticker_ != nullptr && ticker_->poll_now({}); }

  private:
    Ticker* ticker_ = nullptr;
};

}  // namespace arcwise
