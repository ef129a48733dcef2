// vdb_bound.cpp: `new` that counts while a .vdb file is read; see vdb_bound.hpp. All of new and delete, so that they
// fit.
#include "vdb_bound.hpp"

#include <cstdlib>

namespace
{

void *take(std::size_t n)
{
    if (firn::allowance != SIZE_MAX) {
        if (n > firn::allowance) throw firn::beyond_allowance();
        firn::allowance -= n;
    }
    void *block = std::malloc(n ? n : 1);
    if (!block) throw std::bad_alloc();
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
