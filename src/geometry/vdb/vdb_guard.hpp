// SPDX-License-Identifier: MIT
// vdb_guard.hpp: what surrounds each use of OpenVDB by this process: exceptions become messages,
// and TBB has a cap on its threads for as long as a call lasts.
//
// Destructors of trees ask for memory themselves, for a list of their leaves, and must not fail. So
// a reserve is held while a call lasts, and given back to `new` when it fails for the first time.
#pragma once

#include "firn/base.h"

extern "C" {
#include "base/messages.h"
}

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <tbb/global_control.h>

namespace firn
{

// Shared by the threads that are inside OpenVDB; owned by one that forks (vdb_child.hpp), so that
// no lock of OpenVDB or TBB is held at a fork, unless a host of the library holds it.
inline std::shared_mutex &openvdb_in_use()
{
    static std::shared_mutex mutex;
    return mutex;
}

// The handler of `new` is the process's: the first call sets it, the last one restores it.
class memory_reserve
{
  public:
    memory_reserve()
    {
        std::lock_guard<std::mutex> own(mutex);
        if (!block) block = std::malloc(N_BYTES); // addresses: its pages are never written
        if (!block) throw std::bad_alloc();
        if (n_users++ == 0) before = std::set_new_handler(give_back);
    }
    ~memory_reserve()
    {
        std::lock_guard<std::mutex> own(mutex);
        if (--n_users == 0) std::set_new_handler(before);
    }
    memory_reserve(const memory_reserve &) = delete;

  private:
    static constexpr std::size_t N_BYTES = (std::size_t)32 << 20;
    static inline std::mutex mutex;
    static inline void *block = nullptr;
    static inline int n_users = 0;
    static inline std::new_handler before = nullptr;

    static void give_back()
    {
        std::lock_guard<std::mutex> own(mutex);
        std::free(block);
        block = nullptr;
        throw std::bad_alloc();
    }
};

// Runs `work`, which returns a firn_status. A message begins with `what`: "a.vdb: writing".
template <class Work>
firn_status guarded(firn_messages *messages, const char *what, int n_threads, Work &&work) noexcept
{
    try {
        std::shared_lock<std::shared_mutex> inside(openvdb_in_use());
        memory_reserve reserve;
        tbb::global_control cap(tbb::global_control::max_allowed_parallelism,
                                n_threads > 0 ? (size_t)n_threads : 1);
        return work();
    } catch (const std::bad_alloc &) {
        return firn_messages_no_memory(messages, "%s", what);
    } catch (const std::exception &error) {
        return firn_messages_add(messages, FIRN_IO, "%s: OpenVDB failed: %s", what, error.what());
    } catch (...) {
        return firn_messages_add(messages, FIRN_IO, "%s: OpenVDB failed", what);
    }
}

} // namespace firn
