#include "run.h"

#include <math.h>

firn_run_plan firn_run_plan_of(const firn_scene_def *scene)
{
    firn_run_plan plan = {.fps = scene->fps, .n_subframes = 1, .end = scene->frames / scene->fps};
    for (int i = 0; i < scene->n_outputs; i++)
        if (scene->outputs[i].substeps > plan.n_subframes) plan.n_subframes = scene->outputs[i].substeps;
    return plan;
}

/* Moments on the raster are counted by k; one expression gives their time everywhere, so that equal moments have
 * equal bits in a first run and in a resumed one. */
static double raster_time(const firn_run_plan *plan, int64_t k) { return (double)k / (plan->fps * plan->n_subframes); }

/* The first k whose time is not before (is_after: is after) `time`. */
static int64_t raster_next(const firn_run_plan *plan, double time, int is_after)
{
    int64_t k = (int64_t)floor(time * plan->fps * plan->n_subframes) - 1;
    if (k < 0) k = 0;
    while (raster_time(plan, k) < time || (is_after && raster_time(plan, k) <= time)) k++;
    return k;
}

/* The next moment at or after the present, merged from the raster, the extra times and the end. */
static firn_run_moment next_moment(const firn_run_plan *plan, double now, int is_after)
{
    int64_t k = raster_next(plan, now, is_after);
    double time = raster_time(plan, k);
    double end = plan->end > now ? plan->end : now;
    firn_run_moment moment = {.time = time < end ? time : end};
    for (int i = 0; i < plan->n_extra; i++) {
        double extra = plan->extra[i];
        if (extra < now || (is_after && extra <= now)) continue;
        if (extra < moment.time) moment.time = extra;
        moment.is_extra = extra <= moment.time;
        break;
    }
    moment.is_end = moment.time >= end;
    int is_on_raster = moment.time == time;
    moment.sub = is_on_raster ? (int)(k % plan->n_subframes) : -1;
    moment.frame = (int)((is_on_raster ? k : k - 1) / plan->n_subframes);
    return moment;
}

/* Steps to the moment; *is_stopped when the observer asked for an end on the way. */
static firn_status step_to(firn_sim *sim, const firn_run_moment *moment, const firn_run_observer *observer,
                           int *is_stopped, firn_report *report)
{
    while (firn_sim_time(sim) < moment->time && !*is_stopped) {
        firn_status status = firn_sim_step(sim, moment->time, report);
        if (status != FIRN_OK) return status;
        /* The frame in the making is the one after the last reached, unless this moment completes it. */
        int frame = moment->frame + (moment->sub != 0);
        *is_stopped = observer->step && observer->step(observer->user, sim, frame);
    }
    return FIRN_OK;
}

firn_status firn_run(firn_sim *sim, const firn_run_plan *plan, const firn_run_observer *observer, firn_report *report)
{
    int is_after = plan->skip_now, is_stopped = 0;
    if (is_after && firn_sim_time(sim) >= plan->end) return FIRN_OK;
    for (;;) {
        firn_run_moment moment = next_moment(plan, firn_sim_time(sim), is_after);
        firn_status status = step_to(sim, &moment, observer, &is_stopped, report);
        if (status != FIRN_OK) return status;
        /* A moment that the last step landed on is told before the run is left, so that whoever goes on from here
         * need not know how it ended. */
        if (firn_sim_time(sim) < moment.time) return FIRN_INTERRUPTED;
        status = observer->moment(observer->user, sim, &moment, report);
        if (status != FIRN_OK || moment.is_end) return status;
        if (is_stopped) return FIRN_INTERRUPTED;
        is_after = 1;
    }
}
