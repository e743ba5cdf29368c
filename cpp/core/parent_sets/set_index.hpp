// A collection of sets of one size, each with a slot 0, 1, ... in colex order.
//
// Where all sets of the size have room as bits, the collection is a bitmap with the number of bits before
// each word (a lookup is two loads and a population count, and neighbours in order are neighbours in memory);
// otherwise it is a sorted list of ranks. Marking is done by any number of threads; the result does not
// depend on their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "parent_sets/set_rank.hpp"

namespace arcwise {

class SetIndex {
  public:
    static constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();

    SetIndex() = default;
    // `expected` sets at most will be marked, of `universe` possible ones.
    SetIndex(std::size_t set_size, Rank universe, std::size_t expected);

    // The collection of these sets, ascending.
    static SetIndex of_ranks(std::size_t set_size, std::vector<Rank> ranks);

    // The memory that such a collection takes, in bytes.
    static double bytes(Rank universe, std::size_t expected);

    std::size_t set_size() const { return set_size_; }

    // Ranks to be marked, collected by one thread.
    class Marker {
      public:
        explicit Marker(SetIndex& index) : index_(index) {}
        Marker(const Marker&) = delete;
        Marker& operator=(const Marker&) = delete;
        ~Marker() { index_.take(pending_); }
        void mark(Rank rank);

      private:
        SetIndex& index_;
        std::vector<Rank> pending_;
    };

    // Ends the marking: from now on sets have slots.
    void seal();

    std::size_t size() const { return size_; }
    std::size_t slot(Rank rank) const;
    Rank rank(std::size_t slot) const;
    // The rank of the next slot after a given one of rank `rank`; cheaper than rank(slot + 1).
    Rank next(Rank rank, std::size_t slot) const;

  private:
    void take(std::vector<Rank>& pending);

    std::size_t set_size_ = 0;
    std::size_t size_ = 0;
    bool bitmap_ = true;
    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> before_;  // marked ranks before each word
    std::vector<Rank> ranks_;            // sorted, if not a bitmap
    std::unique_ptr<std::mutex> guard_;  // of ranks_ while marking
};

}  // namespace arcwise
