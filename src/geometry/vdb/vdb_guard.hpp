// SPDX-License-Identifier: MIT
// vdb_guard.hpp: what every file behind vdb.h needs - a fence that
// turns exceptions into sentences, and a cap on the threads of TBB for as long as a call lasts.
#pragma once

#include "firn/base.h"

#include <exception>
#include <new>
#include <tbb/global_control.h>

namespace firn
{

// Runs `work`, which returns a firn_status. A sentence begins with `path` and `what`: "a.vdb" "
// cannot be read".
template <class Work>
firn_status guarded(firn_messages *messages, const char *path, const char *what, int n_threads,
                    Work &&work) noexcept
{
    try {
        tbb::global_control cap(tbb::global_control::max_allowed_parallelism,
                                n_threads > 0 ? (size_t)n_threads : 1);
        return work();
    } catch (const std::bad_alloc &) {
        return firn_messages_add(messages, FIRN_MEMORY, "%s%s: there is not enough memory.", path,
                                 what);
    } catch (const std::exception &error) {
        return firn_messages_add(messages, FIRN_IO, "%s%s: OpenVDB says \"%s\".", path, what,
                                 error.what());
    } catch (...) {
        return firn_messages_add(messages, FIRN_IO, "%s%s: OpenVDB failed without saying why.",
                                 path, what);
    }
}

} // namespace firn
