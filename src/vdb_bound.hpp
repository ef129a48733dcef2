// vdb_bound.hpp: how much OpenVDB may ask for while it reads a file.
//
// A file names lengths of texts, counts of nodes and sizes of packed blocks, and OpenVDB asks for that much memory
// before it looks whether so much follows: four scrambled bytes make a text of 4 GB. So while a file is read, all that
// `new` gives on this thread counts against an allowance that follows from the file's length. A tree is at most
// some fifty times as large as its file, parts of it are asked for twice. The counting `new` is in vdb_bound.cpp, which
// the program links; without it the allowance changes nothing.
#pragma once

#include "firn/base.h"

#include <cstddef>
#include <cstdint>
#include <new>

namespace firn
{

[[gnu::visibility("hidden")]] inline thread_local std::size_t allowance = SIZE_MAX; // SIZE_MAX: not counted

struct beyond_allowance : std::bad_alloc {
};

constexpr std::size_t ALLOWED_ALWAYS = (std::size_t)128 << 20, ALLOWED_PER_BYTE = 128;

// Runs `work`, which reads a file of n_bytes and returns a firn_status.
template <class Work> firn_status within(std::size_t n_bytes, const char *path, firn_report *report, Work &&work)
{
    struct fence {
        ~fence() { allowance = SIZE_MAX; }
    } end;
    allowance = ALLOWED_ALWAYS + (n_bytes < SIZE_MAX / 256 ? n_bytes * ALLOWED_PER_BYTE : SIZE_MAX / 2);
    try {
        return work();
    } catch (const beyond_allowance &) {
        return firn_report_add(report, FIRN_IO,
                               "%s: asks for more memory than a file of %zu bytes can need; it is damaged or was cut.",
                               path, n_bytes);
    }
}

} // namespace firn
