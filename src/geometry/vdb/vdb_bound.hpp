// SPDX-License-Identifier: MIT
// vdb_bound.hpp: how much OpenVDB may ask for while it reads a
// file, and what becomes of its assertions.
//
// A file names lengths of texts, counts of nodes and sizes of packed blocks, and OpenVDB asks
// for that much memory before it looks whether so much follows: four scrambled bytes make a text
// of 4 GB. So while a file is read, all that `new` gives on this thread counts against an
// allowance that follows from the file's length, or is what the user allows, where that is less.
// A tree is at most some fifty times as large as its file, parts of it are asked for twice.
// Destructors of trees ask for memory themselves, a list of their leaves, and must not fail; so
// what was refused leaves some for them, and where the machine has no more, a reserve is given
// back. The counting `new` is in vdb_bound.cpp, which the program links; without it the
// allowance changes nothing.
//
// Debian's OpenVDB has its assertions in, and some are about what stands in the file: a page of
// attributes that is shorter than it says ends the program. So the same file replaces what a
// failed assertion calls: on a thread that reads, it jumps back to the reading, which gives up.
// Destructors in between do not run; what they would have freed is lost, at most the allowance.
//
// What is packed in a file is unpacked by vdb_unpack.cpp, which the program links as well.
#pragma once

#include "firn/base.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <ios>
#include <new>

namespace firn
{

[[gnu::visibility("hidden")]] inline thread_local std::size_t allowance =
    SIZE_MAX; // SIZE_MAX: not counted

constexpr std::size_t ALLOWED_AFTERWARDS = (std::size_t)32
                                           << 20; // to destructors, once the allowance was exceeded

[[gnu::visibility("hidden")]] inline thread_local std::jmp_buf *way_out =
    nullptr; // of a failed assertion

// How much was given for a block of `new`, at least what was asked for; null without
// vdb_unpack.cpp.
[[gnu::visibility("hidden")]] inline std::size_t (*room)(const void *block) = nullptr;

struct beyond_allowance : std::bad_alloc {
};

struct misfit : std::exception { // a packed part has another length than it says
};

constexpr std::size_t ALLOWED_ALWAYS = (std::size_t)128 << 20, ALLOWED_PER_BYTE = 128;

// At most, for a file of this length.
constexpr std::size_t needed_for(std::size_t n_bytes)
{
    return ALLOWED_ALWAYS + (n_bytes < SIZE_MAX / 256 ? n_bytes * ALLOWED_PER_BYTE : SIZE_MAX / 2);
}

// Runs `work`, which reads a file of n_bytes and returns a firn_status. most: what --max-memory
// allows; 0: not given.
template <class Work>
firn_status within(std::size_t n_bytes, std::size_t most, const char *path, firn_messages *messages,
                   Work &&work)
{
    struct fence {
        ~fence() { allowance = SIZE_MAX, way_out = nullptr; }
    } end;
    std::jmp_buf here;
    if (setjmp(here))
        return firn_messages_add(messages, FIRN_IO,
                                 "%s: what it holds contradicts itself; it is damaged.", path);
    way_out = &here;
    allowance = most ? std::min(most, needed_for(n_bytes)) : needed_for(n_bytes);
    try {
        return work();
    } catch (const beyond_allowance &) {
        if (most && most < needed_for(n_bytes))
            return firn_messages_add(
                messages, FIRN_MEMORY,
                "%s: to read it takes more than the %.4g MB of memory that --max-memory allows. "
                "Resample it with larger voxels, or raise --max-memory.",
                path, (double)most / (1 << 20));
        return firn_messages_add(
            messages, FIRN_IO,
            "%s: asks for more memory than a file of %zu bytes can need; it is damaged or was cut.",
            path, n_bytes);
    } catch (const std::ios_base::failure &) {
        return firn_messages_add(
            messages, FIRN_IO,
            "%s: it ends, or points beyond its end, before all is there; it is damaged or was cut.",
            path);
    } catch (const misfit &) {
        return firn_messages_add(
            messages, FIRN_IO,
            "%s: a packed part has another length than it says; the file is damaged or was cut.",
            path);
    }
}

} // namespace firn
