// Memory straight from the system, in pages: what the allocator has kept from earlier plays no part.
#pragma once

#include <cstddef>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#else
#include <sys/mman.h>
#endif

namespace arcwise {

// What the pages are for: to be read and written, or only to see whether the address space has room for them.
enum class Pages { usable, reserved };

// Pages of zeros that take memory where they are first written to, or null if the system has none.
inline void* take_pages(std::size_t bytes, Pages pages) {
#ifdef _WIN32
    return pages == Pages::usable ? VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)
                                  : VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS);
#else
    const int access = pages == Pages::usable ? PROT_READ | PROT_WRITE : PROT_NONE;
    void* found = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
    // Advice: if it is not taken, nothing is lost.
    if (pages == Pages::usable) madvise(found, bytes, MADV_HUGEPAGE);
#endif
    return found;
#endif
}

inline void give_back_pages(void* pages, [[maybe_unused]] std::size_t bytes) {
#ifdef _WIN32
    VirtualFree(pages, 0, MEM_RELEASE);
#else
    munmap(pages, bytes);
#endif
}

}  // namespace arcwise
