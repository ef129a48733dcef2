/* SPDX-License-Identifier: MIT */
/* emission_forecast.c: how many particles emitters will bring: exactly for a given rate, else from
 * the volume of the shape and the flow through its surface; and whether those that fill keep their
 * shape filled. */
#include "solver/emission.h"
#include "solver/emitter.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>

/* Fill: N = V / spacing^3 at the start, and the flow Q(t) / spacing^3 after it, averaged over the
 * middles of four parts of the time; over one where nothing changes. */
static firn_status forecast_fill(const firn_emitter *e, double end, firn_forecast *f)
{
    double volume = 0, size = e->spacing * e->spacing * e->spacing, flow;
    int is_even = e->def.from == FIRN_FROM_SURFACE && firn_shape_speed(e->shape) == 0 &&
                  e->def.n_keys == 0,
        n = is_even ? 1 : 4;
    if (e->def.from == FIRN_FROM_VOLUME &&
        firn_emitter_volume(e, e->def.start, NULL, &volume) != FIRN_OK)
        return FIRN_MEMORY;
    f->at_start = volume / size;
    for (int k = 0; k < n && end > e->def.start; k++) {
        if (firn_emitter_flow(e, e->def.start + (k + 0.5) / n * (end - e->def.start), NULL,
                              &flow) != FIRN_OK)
            return FIRN_MEMORY;
        const double from = e->def.start + (double)k / n * (end - e->def.start),
                     until = e->def.start + (k + 1.0) / n * (end - e->def.start);
        const double flowed = firn_emitter_flowed(e, from, until, FIRN_EMITTER_VELOCITY);
        f->rate += flow / size / n * (e->def.n_keys ? flowed / (until - from) : 1);
    }
    return FIRN_OK;
}

firn_status firn_emission_forecast(const firn_sim *sim, int i, double until, firn_forecast *f,
                                   firn_messages *messages)
{
    const firn_emitter *e = firn_emission_emitter(sim, i);
    const double end = fmin(until, e->def.stop);
    *f = (firn_forecast){.start = e->def.start,
                         .stop = e->def.stop,
                         .rate = e->def.rate,
                         .is_exact = e->def.rate > 0 && e->def.n_keys == 0,
                         .most = e->def.max_particles > 0 ? e->def.max_particles : INT64_MAX};
    memcpy(f->name, e->def.name, sizeof f->name);
    if (e->def.rate > 0 && e->def.n_keys && end > e->def.start)
        f->rate *=
            firn_emitter_flowed(e, e->def.start, end, FIRN_EMITTER_RATE) / (end - e->def.start);
    if (e->def.rate > 0 || forecast_fill(e, end, f) == FIRN_OK) return FIRN_OK;
    return firn_messages_no_memory(messages, "particles of emitter '%s'", e->def.name);
}

int64_t firn_forecast_count(const firn_forecast *f, double time)
{
    double end = fmin(time, f->stop);
    if (!(end > f->start)) return 0;
    double n = f->at_start + f->rate * (end - f->start);
    if (!(n < (double)f->most)) return f->most;
    int64_t count = (int64_t)ceil(n);
    if (!f->is_exact) return count;
    /* births k with start + k / rate < end, in the arithmetic of at_rate */
    while (count > 0 && f->start + (double)(count - 1) / f->rate >= end) count--;
    while (count < f->most && f->start + (double)count / f->rate < end) count++;
    return count;
}

/* ---------------------------------------------------------------- how full the shape is */

/* Volume of the particles in the shape over that of the shape. */
static firn_status measure_fill(firn_sim *sim, firn_emitter *e, double *share)
{
    const firn_method *method = sim->method;
    firn_pose pose = {0};
    double inside = 0;
    if (!(e->volume > 0) &&
        firn_emitter_volume(e, e->def.start, &sim->memory, &e->volume) != FIRN_OK)
        return FIRN_MEMORY;
    firn_emitter_pose_at(e, sim->time, &pose);
    for (int m = 0; m < sim->n_materials; m++) {
        firn_place at = {.material = m};
        for (at.block = 0; at.block < method->n_blocks(sim, m); at.block++)
            for (at.index = 0; at.index < method->block_size(sim, m, at.block); at.index++) {
                double x[3], y[3];
                method->read(sim, at, 1, FIRN_FIELD_X, x);
                firn_pose_to_shape(&pose, x, y);
                int is_near = 1;
                for (int a = 0; a < 3; a++) is_near &= y[a] >= e->low[a] && y[a] <= e->high[a];
                if (is_near && firn_shape_distance(e->shape, y, sim->time) <= 0)
                    inside += firn_solver_value(sim, at, FIRN_FIELD_VOLUME, 0);
            }
    }
    *share = e->volume > 0 ? inside / e->volume : 1;
    return FIRN_OK;
}

static void tell_fill(const firn_emitter *e, double mean, firn_messages *messages)
{
    if (mean < 1)
        firn_messages_warn(messages,
                           "emitter '%s': its shape is only %.3g %% full in the mean of %d frames: "
                           "material leaves faster than it is brought, is drawn apart and takes "
                           "%.2g times its volume; try: %s",
                           e->def.name, 100 * mean, e->n_fills, 1 / mean,
                           firn_emitter_can_hold(&e->def) ? "a larger velocity"
                                                          : "drive: held without velocity_noise");
    else
        firn_messages_warn(messages,
                           "emitter '%s': its shape is %.3g %% full in the mean of %d frames: "
                           "material is brought faster than it leaves, or is there already; try: "
                           "a place with room below, or a smaller velocity",
                           e->def.name, 100 * mean, e->n_fills);
}

firn_status firn_emission_watch(firn_sim *sim, firn_messages *messages)
{
    enum { ENOUGH = 4 };
    for (int i = 0; i < sim->scene.n_emitters; i++) {
        firn_emitter *e = firn_emission_emitter(sim, i);
        const double *v = e->def.velocity;
        double share;
        if (e->is_told || e->def.from != FIRN_FROM_VOLUME || e->def.rate > 0 ||
            !(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > 0) || !(sim->time > e->def.start) ||
            !(sim->time < e->def.stop) || firn_shape_speed(e->shape) > 0 ||
            !(firn_emitter_factor_at(e, sim->time, FIRN_EMITTER_VELOCITY) > 0) ||
            (e->def.max_particles > 0 && firn_emission_n_born(sim, i) >= e->def.max_particles))
            continue;
        if (measure_fill(sim, e, &share) != FIRN_OK)
            return firn_messages_no_memory(messages, "volume of emitter '%s'", e->def.name);
        e->n_fills++;
        e->fill += share;
        const double mean = e->fill / e->n_fills;
        if (e->n_fills < ENOUGH || fabs(mean - 1) <= FIRN_EMITTER_SPACING_OFF) continue;
        tell_fill(e, mean, messages);
        e->is_told = 1;
    }
    return FIRN_OK;
}
