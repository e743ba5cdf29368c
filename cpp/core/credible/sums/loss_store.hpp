// The layers of losses that are held at a time, within a limit of memory.
//
// Every byte is asked for before it is taken, whoever takes it. Where the limit would be passed, layers that
// can be made again give way; if there are none, the work stops.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "credible/sums/loss_layer.hpp"
#include "monitor.hpp"

namespace arcwise {

// Losses on the ways to the states of a layer, or on the ways on from them.
enum class Side : std::uint8_t { to, from };

class LossStore {
    struct Slot {
        LossLayer losses;
        std::uint32_t pins = 0;
    };

  public:
    // Diagrams have `last` + 1 layers.
    LossStore(std::size_t last, std::size_t memory, Ticker& ticker)
        : last_(last), memory_(memory), ticker_(ticker) {
        for (auto& side : slots_) side.resize(last + 1);
    }

    bool take(std::size_t bytes) {
        while (held_ + bytes > memory_) {
            Slot* const victim = most_dispensable();
            if (victim == nullptr) {
                ticker_.stop(Status::memory_limit);
                return false;
            }
            drop(*victim);
        }
        held_ += bytes;
        peak_ = std::max(peak_, held_);
        return true;
    }
    void give(std::size_t bytes) { held_ -= bytes; }
    std::size_t peak() const { return peak_; }
    // What can be taken while all layers stay.
    std::size_t room() const { return memory_ - held_; }

    const LossLayer& at(Side side, std::size_t layer) const { return slot(side, layer).losses; }
    bool stored(Side side, std::size_t layer) const { return at(side, layer).stored(); }
    // Its bytes are taken already.
    void put(Side side, std::size_t layer, LossLayer&& losses) {
        slot(side, layer).losses = std::move(losses);
    }
    void drop(Side side, std::size_t layer) { drop(slot(side, layer)); }
    // The same, but the layers that all others are made from stay.
    void release(Side side, std::size_t layer) {
        if (layer != (side == Side::to ? 0 : last_)) drop(side, layer);
    }
    // Up to it, losses to the states are still needed; from it on, those from them.
    void set_frontier(std::size_t layer) { frontier_ = layer; }

    // A layer that must not give way.
    class Pin {
      public:
        Pin(LossStore& store, Side side, std::size_t layer) : slot_(store.slot(side, layer)) { ++slot_.pins; }
        Pin(const Pin&) = delete;
        ~Pin() { --slot_.pins; }

      private:
        Slot& slot_;
    };

  private:
    Slot& slot(Side side, std::size_t layer) { return slots_[static_cast<std::size_t>(side)][layer]; }
    const Slot& slot(Side side, std::size_t layer) const {
        return slots_[static_cast<std::size_t>(side)][layer];
    }
    void drop(Slot& slot) {
        held_ -= slot.losses.bytes();
        slot.losses = LossLayer();
    }

    // Losses to the states are made from the first layer on, those from them from the last; they are needed
    // in the opposite order. Between, layers are checkpoints: all of them while there is room, and when there
    // is not, the one between the nearest neighbours goes (of several the largest), so that those that stay
    // are spread evenly and what is missing between two of them is made again when it is needed (Griewank &
    // Walther 2000, "revolve", but with checkpoints as large and as many as the memory decides). Losses to
    // states behind the frontier go before all others: if they are needed again, then in the order in which
    // they are made.
    Slot* most_dispensable() {
        Slot* found = nullptr;
        std::size_t least_gap = 0;
        for (const Side side : {Side::to, Side::from})
            for (std::size_t layer = 0; layer <= last_; ++layer) {
                Slot& candidate = slot(side, layer);
                if (!candidate.losses.stored() || candidate.pins > 0 ||
                    layer == (side == Side::to ? 0 : last_))
                    continue;
                const std::size_t gap = gap_of(side, layer);
                if (found == nullptr || gap < least_gap ||
                    (gap == least_gap && candidate.losses.bytes() > found->losses.bytes())) {
                    found = &candidate;
                    least_gap = gap;
                }
            }
        return found;
    }
    // From the stored layer before to the one after it.
    std::size_t gap_of(Side side, std::size_t layer) const {
        const bool to = side == Side::to;
        if (to && layer > frontier_) return 0;
        std::size_t before = layer, after = layer;
        do {
            if (!to && before <= frontier_) break;
            --before;
        } while (!stored(side, before));
        do {
            if (to && after >= frontier_) break;
            ++after;
        } while (!stored(side, after));
        return after - before;
    }

    std::size_t last_, memory_;
    Ticker& ticker_;
    std::array<std::vector<Slot>, 2> slots_;
    std::size_t frontier_ = 0;
    std::size_t held_ = 0, peak_ = 0;  // bytes
};

}  // namespace arcwise
