// Columns of numbers that grow to millions of entries within a limit of memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

namespace arcwise {

__extension__ typedef unsigned __int128 BigCount;

// An array whose size the owner keeps. It grows by realloc, which moves the pages of a large block instead of
// copying them where the system can: a std::vector holds the old block and the new one at the same time.
template <class T>
class PlainColumn {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    void set_capacity(std::size_t entries) {
        void* const block = std::realloc(block_.get(), std::max<std::size_t>(1, entries) * sizeof(T));
        if (block == nullptr) throw std::bad_alloc();
        static_cast<void>(block_.release());
        block_.reset(static_cast<T*>(block));
    }
    const T* data() const { return block_.get(); }
    T& operator[](std::size_t i) { return block_.get()[i]; }
    const T& operator[](std::size_t i) const { return block_.get()[i]; }

  private:
    struct Free {
        void operator()(T* block) const { std::free(block); }
    };
    std::unique_ptr<T, Free> block_;
};

// Counts of up to 128 bits in as many bytes as the largest of them needs: 4, 8 or 16. The low halves are a
// column of their own, so that a larger count only adds a column and moves nothing.
class CountColumn {
  public:
    // The bytes per count for counts whose bits, all or-ed together, are `bits`.
    static std::size_t width_for(BigCount bits) { return (bits >> 32) == 0 ? 4 : (bits >> 64) == 0 ? 8 : 16; }

    std::size_t width() const { return width_; }
    void set_capacity(std::size_t entries) {
        capacity_ = entries;
        low_.set_capacity(entries);
        if (width_ > 4) middle_.set_capacity(entries);
        if (width_ > 8) high_.set_capacity(entries);
    }
    // The first `size` counts keep their values.
    void widen(std::size_t width, std::size_t size) {
        if (width_ <= 4 && width > 4) {
            middle_.set_capacity(capacity_);
            std::fill_n(&middle_[0], size, 0U);
        }
        if (width_ <= 8 && width > 8) {
            high_.set_capacity(capacity_);
            std::fill_n(&high_[0], size, 0U);
        }
        width_ = std::max(width_, width);
    }

    // The count as the type that the caller knows it fits.
    template <class Count>
    Count get(std::size_t i) const {
        Count count = low_[i];
        if (width_ > 4) count |= static_cast<Count>(middle_[i]) << 32;
        if constexpr (sizeof(Count) > 8)
            if (width_ > 8) count |= static_cast<Count>(high_[i]) << 64;
        return count;
    }
    // The width must be enough for it.
    template <class Count>
    void set(std::size_t i, Count count) {
        low_[i] = static_cast<std::uint32_t>(count);
        if (width_ > 4) middle_[i] = static_cast<std::uint32_t>(count >> 32);
        if (width_ > 8) {
            if constexpr (sizeof(Count) > 8)
                high_[i] = static_cast<std::uint64_t>(count >> 64);
            else
                high_[i] = 0;
        }
    }

  private:
    std::size_t width_ = 4, capacity_ = 0;
    PlainColumn<std::uint32_t> low_, middle_;
    PlainColumn<std::uint64_t> high_;
};

}  // namespace arcwise
