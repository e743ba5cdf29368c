// Loaded before everything else (LD_PRELOAD): allocations of C++ and the calls that write files, of which the
// k-th fails. Nothing fails until `arm` is called, by the process itself and for itself.
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <new>

namespace {

enum Kind { none, memory, writing, flushing, renaming, disk_full };
std::atomic<int> kind{none};
std::atomic<long> left{0};
std::atomic<long> hits{0};

// True for the k-th call of the armed kind; with `disk_full`, for all after it as well.
bool fails(int mine) {
    const int armed = kind.load();
    if (armed != mine && !(armed == disk_full && mine == writing)) return false;
    const long rest = left.fetch_sub(1) - 1;
    if (rest == 0 || (armed == disk_full && rest < 0)) {
        hits.fetch_add(1);
        return true;
    }
    return false;
}

// Smaller ones do not fail: nanobind declares its functions noexcept, so that the process ends where there is
// no memory for an object of its own, of some dozen bytes.
constexpr size_t smallest = 256;

void* allocate(size_t size) {
    if (size < smallest || !fails(memory))
        if (void* block = malloc(size == 0 ? 1 : size)) return block;
    throw std::bad_alloc();
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void* operator new(size_t size) {
    return allocate(size);
}
void* operator new[](size_t size) {
    return allocate(size);
}
void operator delete(void* block) noexcept {
    free(block);
}
void operator delete[](void* block) noexcept {
    free(block);
}
void operator delete(void* block, size_t) noexcept {
    free(block);
}
void operator delete[](void* block, size_t) noexcept {
    free(block);
}

extern "C" {

void arm(int what, long k) {
    hits = 0;
    left = k;
    kind = what;
}

// Ends it, and says how often something failed.
long disarm() {
    kind = none;
    return hits;
}

ssize_t write(int file, const void* content, size_t size) {
    static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
    if (file > 2 && fails(writing)) return errno = ENOSPC, -1;
    return real(file, content, size);
}

ssize_t pwrite64(int file, const void* content, size_t size, off64_t place) {
    static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
    if (fails(writing)) return errno = ENOSPC, -1;
    return real(file, content, size, place);
}

ssize_t pwrite(int file, const void* content, size_t size, off_t place) {
    return pwrite64(file, content, size, place);
}

int fsync(int file) {
    static const auto real = next<int (*)(int)>("fsync");
    if (fails(flushing)) return errno = EIO, -1;
    return real(file);
}

int rename(const char* from, const char* to) {
    static const auto real = next<int (*)(const char*, const char*)>("rename");
    if (fails(renaming)) return errno = EIO, -1;
    return real(from, to);
}
}
