// vdb_guard.hpp: what every file behind vdb.h needs - a fence that turns exceptions into sentences, and a cap on
// the threads of TBB for as long as a call lasts.
#pragma once

#include "firn/base.h"

#include <exception>
#include <new>
#include <tbb/global_control.h>

namespace firn
{

// Runs `work`, which returns a firn_status. `what` begins the sentence: "a.vdb cannot be read".
template <class Work> firn_status guarded(firn_report *report, const char *what, int n_threads, Work &&work) noexcept
{
    try {
        tbb::global_control cap(tbb::global_control::max_allowed_parallelism, n_threads > 0 ? (size_t)n_threads : 1);
        return work();
    } catch (const std::bad_alloc &) {
        return firn_report_add(report, FIRN_MEMORY, "%s: there is not enough memory.", what);
    } catch (const std::exception &error) {
        return firn_report_add(report, FIRN_IO, "%s: OpenVDB says \"%s\".", what, error.what());
    } catch (...) {
        return firn_report_add(report, FIRN_IO, "%s: OpenVDB failed without saying why.", what);
    }
}

} // namespace firn
