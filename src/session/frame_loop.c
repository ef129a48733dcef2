/* SPDX-License-Identifier: MIT */
/* frame_loop.c: see frame_loop.h. Output times are found from the simulation's time alone, so a
 * resumed run finds the same ones as an uninterrupted run. */
#include "session/frame_loop.h"

#include <math.h>

firn_frame_plan firn_frame_plan_of(const firn_scene_def *scene)
{
    firn_frame_plan plan = {.fps = scene->fps, .n_subframes = 1, .end = scene->frames / scene->fps};
    for (int i = 0; i < scene->n_outputs; i++)
        if (scene->outputs[i].substeps > plan.n_subframes)
            plan.n_subframes = scene->outputs[i].substeps;
    return plan;
}

/* The time of sub-frame k from the start. One expression everywhere: the same output time has the
 * same bits in a first run and in a resumed one. */
static double raster_time(const firn_frame_plan *plan, int64_t k)
{
    return (double)k / (plan->fps * plan->n_subframes);
}

/* The first k whose time is at or after `time` (is_after: after it). */
static int64_t raster_next(const firn_frame_plan *plan, double time, int is_after)
{
    int64_t k = (int64_t)floor(time * plan->fps * plan->n_subframes) - 1;
    if (k < 0) k = 0;
    while (raster_time(plan, k) < time || (is_after && raster_time(plan, k) <= time)) k++;
    return k;
}

/* The next output time at or after the present: of sub-frames, extra times and the end. */
static firn_output_time next_output_time(const firn_frame_plan *plan, double now, int is_after)
{
    int64_t k = raster_next(plan, now, is_after);
    double time = raster_time(plan, k);
    double end = plan->end > now ? plan->end : now;
    firn_output_time output_time = {.time = time < end ? time : end};
    for (int i = 0; i < plan->n_extra; i++) {
        double extra = plan->extra[i];
        if (extra < now || (is_after && extra <= now)) continue;
        if (extra < output_time.time) output_time.time = extra;
        output_time.is_extra = extra <= output_time.time;
        break;
    }
    output_time.is_end = output_time.time >= end;
    int is_on_raster = output_time.time == time;
    output_time.sub = is_on_raster ? (int)(k % plan->n_subframes) : -1;
    output_time.frame = (int)((is_on_raster ? k : k - 1) / plan->n_subframes);
    return output_time;
}

/* Steps to the output time; *is_stopped: the observer has stopped the run on the way. */
static firn_status step_to(firn_sim *sim, const firn_output_time *output_time,
                           const firn_frame_observer *observer, int *is_stopped,
                           firn_messages *messages)
{
    while (firn_sim_time(sim) < output_time->time && !*is_stopped) {
        firn_status status = firn_sim_step(sim, output_time->time, messages);
        if (status != FIRN_OK) return status;
        /* The frame in progress is the one after the last reached, unless this output time
         * completes it. */
        int frame = output_time->frame + (output_time->sub != 0);
        *is_stopped = observer->step && observer->step(observer->user, sim, frame);
    }
    return FIRN_OK;
}

firn_status firn_frame_loop(firn_sim *sim, const firn_frame_plan *plan,
                            const firn_frame_observer *observer, firn_messages *messages)
{
    int is_after = plan->skip_now, is_stopped = 0;
    if (is_after && firn_sim_time(sim) >= plan->end) return FIRN_OK;
    for (;;) {
        firn_output_time output_time = next_output_time(plan, firn_sim_time(sim), is_after);
        firn_status status = step_to(sim, &output_time, observer, &is_stopped, messages);
        if (status != FIRN_OK) return status;
        /* An output time that the last step landed on is observed before the run ends, so that a
         * resumed run begins after it. */
        if (firn_sim_time(sim) < output_time.time) return FIRN_INTERRUPTED;
        status = observer->output_time(observer->user, sim, &output_time, messages);
        if (status != FIRN_OK || output_time.is_end) return status;
        if (is_stopped) return FIRN_INTERRUPTED;
        is_after = 1;
    }
}
