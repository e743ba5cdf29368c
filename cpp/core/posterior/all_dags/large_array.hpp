// Arrays of many gigabytes, of which some parts are never used.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "system_memory.hpp"

namespace arcwise {

// Zeros to begin with. The system gives memory where it is first written to, in large pages if it has any:
// walks over sets of nodes jump about, and with small pages half of their time would go into looking up
// addresses.
template <class T>
class LargeArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    LargeArray() = default;
    explicit LargeArray(std::size_t size) : size_(size) {
        if (size == 0) return;
        void* found = take_pages(bytes(), Pages::usable);
        if (found == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(found);
    }
    LargeArray(LargeArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    LargeArray& operator=(LargeArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    LargeArray(const LargeArray&) = delete;
    LargeArray& operator=(const LargeArray&) = delete;
    ~LargeArray() {
        if (data_ != nullptr) give_back_pages(data_, bytes());
    }

    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    std::size_t bytes() const { return size_ * sizeof(T); }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace arcwise
