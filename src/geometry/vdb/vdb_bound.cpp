// SPDX-License-Identifier: MIT
// vdb_bound.cpp: `new` that counts while a .vdb file is read, and
// what a failed assertion calls meanwhile; see vdb_bound.hpp. All of new and delete, so that
// they fit.
#include "geometry/vdb/vdb_bound.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace
{

// Of addresses: pages that nobody writes to are not there.
std::atomic<void *> reserve{std::malloc(firn::ALLOWED_AFTERWARDS)};

void *take(std::size_t n)
{
    if (firn::allowance != SIZE_MAX) {
        if (n > firn::allowance) {
            firn::allowance = firn::ALLOWED_AFTERWARDS;
            throw firn::beyond_allowance();
        }
        firn::allowance -= n;
    }
    void *block = std::malloc(n ? n : 1);
    if (!block) {
        std::free(reserve.exchange(nullptr));
        throw std::bad_alloc();
    }
    return block;
}

void *take_or_null(std::size_t n) noexcept
{
    try {
        return take(n);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

} // namespace

/* glibc's name for it; everybody else's assertions still end the program. */
extern "C" [[noreturn]] void __assert_fail(const char *claim, const char *file, unsigned line,
                                           const char *function) noexcept;
extern "C" void __assert_fail(const char *claim, const char *file, unsigned line,
                              const char *function) noexcept
{
    if (firn::way_out) std::longjmp(*firn::way_out, 1);
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, claim);
    std::abort();
}

void *operator new(std::size_t n) { return take(n); }
void *operator new[](std::size_t n) { return take(n); }
void *operator new(std::size_t n, const std::nothrow_t &) noexcept { return take_or_null(n); }
void *operator new[](std::size_t n, const std::nothrow_t &) noexcept { return take_or_null(n); }
void operator delete(void *block) noexcept { std::free(block); }
void operator delete[](void *block) noexcept { std::free(block); }
void operator delete(void *block, const std::nothrow_t &) noexcept { std::free(block); }
void operator delete[](void *block, const std::nothrow_t &) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }
void operator delete[](void *block, std::size_t) noexcept { std::free(block); }
