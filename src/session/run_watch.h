/* SPDX-License-Identifier: MIT */
/* run_watch.h: the frame loop of a session with all that observes it: output, progress,
 * expectations, live preview; and the summary at its end. */
#ifndef FIRN_RUN_WATCH_H
#define FIRN_RUN_WATCH_H

#include "session/run_output.h"
#include "session/run_session.h"

/* From the simulation's present time to the end of the plan; closes the output, reports how it
 * ended. Returns the status of the session. */
firn_status firn_run_watch(const firn_session_options *options, firn_sim *sim,
                           firn_run_output *output, const firn_frame_plan *plan,
                           firn_messages *messages);

#endif
