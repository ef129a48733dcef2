/* SPDX-License-Identifier: MIT */
/* emission.c: particles born while the simulation runs. emitter.c has the geometry of an emitter,
 * this file the times.
 *
 *   fill (rate 0)     A lattice of points (lattice.h), one per particle, jittered by a hash of
 *                     its indices, drifts through the emitter with the emitter's velocity. A
 *                     particle is born when its lattice point enters for the first time; at
 *                     the start all points inside are born, and share the volume of the shape.
 *                     The stream that leaves is as even as a sampled body, at any dt and frame
 *                     rate. Material that re-enters the shape, or is swept over again, creates
 *                     no new particles.
 *   rate              Particle k is born at time start + k / rate at a place given by a hash
 *                     of k.
 *   from the surface  With a rate: places on the surface, uniform by area. Fill: the surface is
 *                     divided into patches of about spacing^2; each emits a particle per
 *                     spacing of outflow, with a phase of its own.
 *
 * A particle born at time s is placed where the step that begins at t finds it, for s before or
 * after t:
 *
 *     x + v (t - s) + g (t - s)^2 / 2,      v + g (t - s)
 *
 * that is, on its ballistic path. Births require a sort, which takes as long as two steps: few
 * births are deferred by some steps (can_wait), but each frame contains all of its own. Gravity is
 * left out where the emitter holds its nodes (emitter_time.c). State is counters and times alone,
 * so threads and restarts change no bit.
 *
 * All of this happens in the frame of the shape; a motion takes each birth to the world in the pose
 * of its own time. Keys put the integral of a factor in the place of time (emitter_time.c). */
#include "solver/emission.h"
#include "base/file_sequence.h"
#include "base/random.h"
#include "solver/emitter.h"
#include "solver/emission_overlap.h"
#include "geometry/lattice.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>

typedef struct emitter_state { /* saved and restored, per emitter */
    int64_t n_born, n_tried;
    double until; /* s: births before this time are made */
} emitter_state;

struct firn_emission {
    int n;
    firn_emitter *emitters;
    emitter_state *states;
    double *x, *v; /* newborn of one step */
    int64_t capacity;
    firn_births_taken taken;
};

/* ---------------------------------------------------------------- life */

static firn_status no_memory(firn_messages *messages, const char *name)
{
    return firn_messages_no_memory(messages, "particles of emitter '%s'", name);
}

/* Wave speed over h of the material at birth (F = I, initial history), or 6 nu / h^2 where
 * viscosity limits more, 1/s: the time step before the first particle has been diagnosed. */
static double rate_of_corner(const firn_sim *sim, const firn_material *material, double temperature)
{
    double F[9 * 16], history[FIRN_MAX_HISTORY * 16], T[16], wave[16], flags[16], viscosity[16];
    float Ff[9 * 16], historyf[FIRN_MAX_HISTORY * 16], Tf[16], wavef[16], flagsf[16],
        viscosityf[16];
    uint32_t id[16];
    for (int lane = 0; lane < 16; lane++) {
        for (int c = 0; c < 9; c++) Ff[c * 16 + lane] = (float)(F[c * 16 + lane] = c % 4 == 0);
        for (int c = 0; c < material->law->info.n_history; c++)
            historyf[c * 16 + lane] =
                (float)(history[c * 16 + lane] = material->law->info.history[c].initial);
        Tf[lane] = (float)(T[lane] = temperature);
        id[lane] = (uint32_t)lane;
    }
    int wide = sim->scene.is_double;
    firn_law_batch batch = {.material = material,
                            .n_bundles = 1,
                            .F = wide ? (void *)F : Ff,
                            .history = wide ? (void *)history : historyf,
                            .temperature = wide ? (void *)T : Tf,
                            .id = id,
                            .wave = wide ? (void *)wave : wavef,
                            .viscosity = wide ? (void *)viscosity : viscosityf,
                            .flags = wide ? (void *)flags : flagsf};
    material->law->kernels[sim->variant].measure(&batch);
    double rate = (wide ? wave[0] : (double)wavef[0]) / sim->h;
    return fmax(rate, 6 * (wide ? viscosity[0] : (double)viscosityf[0]) / (sim->h * sim->h));
}

static double rate_at_rest(const firn_sim *sim, const firn_material *material, double temperature)
{
    firn_material corner;
    double rate = 0;
    for (int i = 0; firn_material_corner(material, i, &corner); i++)
        rate = fmax(rate, rate_of_corner(sim, &corner, temperature));
    return rate;
}

/* Resolves material, spacing s = h / particles_per_cell^(1/3), shape and bounds. e->speed bounds
 * |v| of births relative to the shape (noise is uniform in a cube, hence sqrt 3). */
static firn_status create_emitter(firn_sim *sim, const firn_emitter_def *def, firn_emitter *e,
                                  firn_messages *messages)
{
    e->def = *def;
    e->material = -1;
    e->def.seed += sim->scene.seed;
    for (int m = 0; m < sim->n_materials; m++)
        if (strcmp(sim->materials[m].resolved.name, def->material) == 0) e->material = m;
    if (e->material < 0)
        return firn_messages_add(messages, FIRN_REFUSED, "emitter '%s': unknown material '%s'",
                                 def->name, def->material);
    e->spacing = sim->h / cbrt(def->particles_per_cell);
    if (firn_emitter_copy_keys(e, &sim->memory) != FIRN_OK) return no_memory(messages, def->name);
    int moves = 0;
    for (int i = 0; i < def->n_shapes; i++)
        moves |= firn_file_sequence_is_pattern(def->shapes[i].file);
    const firn_shape_need need = {
        .cell = sim->h,
        .memory = sim->memory.limit,
        .above = (moves ? FIRN_EMITTER_LOOKS_MOVING : FIRN_EMITTER_LOOKS) * e->spacing};
    firn_status status = firn_shape_create(def->n_shapes, def->shapes, need, &e->shape, messages);
    if (status != FIRN_OK)
        return firn_messages_add(messages, status, "emitter '%s': cannot be used, see above",
                                 def->name);
    if (!firn_shape_bounds(e->shape, e->low, e->high))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "emitter '%s': its shape has no bounds; try: a closed shape",
                                 def->name);
    double speed2 = 0;
    for (int a = 0; a < 3; a++) speed2 += def->velocity[a] * def->velocity[a];
    const double fastest = firn_emitter_largest_factor(e, FIRN_EMITTER_VELOCITY);
    double speed = (sqrt(speed2) + fabs(def->outward)) * fastest;
    e->noise = def->velocity_noise * speed;
    e->speed = speed + sqrt(3) * e->noise + firn_shape_speed(e->shape);
    e->rest_rate =
        rate_at_rest(sim, &sim->materials[e->material].resolved, def->temperature) + speed / sim->h;
    firn_emitter_choose_sides(e);
    if (def->from == FIRN_FROM_SURFACE && !(def->rate > 0) &&
        firn_emitter_share(e, &sim->memory, messages) != FIRN_OK)
        return no_memory(messages, def->name);
    return FIRN_OK;
}

firn_status firn_emission_create(firn_sim *sim, const firn_scene_def *scene,
                                 firn_messages *messages)
{
    if (scene->n_emitters == 0) return FIRN_OK;
    struct firn_emission *emission = firn_memory_allocate(&sim->memory, sizeof *emission);
    if (!emission) return no_memory(messages, scene->emitters[0].name);
    sim->emission = emission;
    emission->n = scene->n_emitters;
    emission->emitters =
        firn_memory_array(&sim->memory, (size_t)emission->n, sizeof *emission->emitters);
    emission->states =
        firn_memory_array(&sim->memory, (size_t)emission->n, sizeof *emission->states);
    if (!emission->emitters || !emission->states)
        return no_memory(messages, scene->emitters[0].name);
    firn_status status = FIRN_OK;
    for (int i = 0; i < emission->n && status == FIRN_OK; i++) {
        status = create_emitter(sim, &scene->emitters[i], &emission->emitters[i], messages);
        emission->states[i].until = scene->emitters[i].start;
    }
    return status;
}

void firn_emission_destroy(firn_sim *sim)
{
    struct firn_emission *emission = sim->emission;
    if (!emission) return;
    for (int i = 0; emission->emitters && i < emission->n; i++) {
        firn_emitter *e = &emission->emitters[i];
        firn_memory_release(&sim->memory, e->patches, (size_t)e->n_room * sizeof *e->patches);
        firn_shape_destroy(e->shape);
        firn_emitter_release_keys(e, &sim->memory);
    }
    firn_memory_release(&sim->memory, emission->emitters,
                        (size_t)emission->n * sizeof *emission->emitters);
    firn_memory_release(&sim->memory, emission->states,
                        (size_t)emission->n * sizeof *emission->states);
    firn_memory_release(&sim->memory, emission->x,
                        (size_t)emission->capacity * 3 * sizeof *emission->x);
    firn_memory_release(&sim->memory, emission->v,
                        (size_t)emission->capacity * 3 * sizeof *emission->v);
    firn_memory_release(&sim->memory, emission, sizeof *emission);
    sim->emission = NULL;
}

void *firn_emission_state(firn_sim *sim, size_t *n_bytes)
{
    *n_bytes = sim->emission ? (size_t)sim->emission->n * sizeof *sim->emission->states : 0;
    return sim->emission ? sim->emission->states : NULL;
}

int firn_emission_is_sound(const firn_sim *sim)
{
    int is_sound = 1;
    for (int i = 0; sim->emission && i < sim->emission->n; i++) {
        const emitter_state *s = &sim->emission->states[i];
        is_sound &= s->n_born >= 0 && s->n_tried >= 0 && fabs(s->until) < 1e12;
    }
    return is_sound;
}

firn_emitter *firn_emission_emitter(const firn_sim *sim, int i)
{
    return &sim->emission->emitters[i];
}

int64_t firn_emission_n_born(const firn_sim *sim, int i) { return sim->emission->states[i].n_born; }

void firn_emission_prepare(firn_sim *sim)
{
    for (int i = 0; sim->emission && i < sim->emission->n; i++) {
        firn_emitter *e = &sim->emission->emitters[i];
        const int64_t most = e->def.max_particles;
        firn_emitter_prepare_hold(e, sim->time, sim->dt,
                                  !(most > 0) || sim->emission->states[i].n_born < most);
    }
}

double firn_emission_rate(const firn_sim *sim, double until)
{
    double rate = 0;
    for (int i = 0; sim->emission && i < sim->emission->n; i++) {
        const firn_emitter *e = &sim->emission->emitters[i];
        if (until > e->def.start && sim->emission->states[i].until < e->def.stop)
            rate = fmax(rate, e->rest_rate + firn_emitter_speed_of_motion(e, sim->time) / sim->h);
    }
    return rate;
}

/* ---------------------------------------------------------------- births */

/* Births left before max_particles. Counted by emitter, deleted particles included, so sinks do not
 * start an emitter again. */
static int64_t room_left(const firn_emitter *e, const emitter_state *s)
{
    return e->def.max_particles > 0 ? e->def.max_particles - s->n_born : INT64_MAX;
}

static firn_status grow(firn_sim *sim)
{
    struct firn_emission *emission = sim->emission;
    const int64_t capacity = emission->capacity ? 2 * emission->capacity : 1024;
    double *more_x = firn_memory_array(&sim->memory, (size_t)capacity * 3, sizeof *more_x);
    double *more_v = firn_memory_array(&sim->memory, (size_t)capacity * 3, sizeof *more_v);
    if (!more_x || !more_v) {
        firn_memory_release(&sim->memory, more_x, (size_t)capacity * 3 * sizeof *more_x);
        firn_memory_release(&sim->memory, more_v, (size_t)capacity * 3 * sizeof *more_v);
        return FIRN_MEMORY;
    }
    const size_t bytes = (size_t)emission->capacity * 3 * sizeof *more_x;
    if (bytes) {
        memcpy(more_x, emission->x, bytes);
        memcpy(more_v, emission->v, bytes);
    }
    firn_memory_release(&sim->memory, emission->x, bytes);
    firn_memory_release(&sim->memory, emission->v, bytes);
    emission->x = more_x;
    emission->v = more_v;
    emission->capacity = capacity;
    return FIRN_OK;
}

/* Adds a particle born at time `born` that has travelled to x_in with velocity v_in, in the frame
 * of the shape: the motion takes it to the world, gravity moves it along its parabola unless the
 * emitter holds it, and the emitter's noise is added to v. */
static firn_status add_birth(firn_sim *sim, const firn_emitter *e, int64_t *n, const double x_in[3],
                             const double v_in[3], double born, uint64_t number)
{
    const double ago = sim->time - born;
    double x[3], v[3], g[3];
    struct firn_emission *emission = sim->emission;
    if (*n == emission->capacity && grow(sim) != FIRN_OK) return FIRN_MEMORY;
    memcpy(x, x_in, sizeof x);
    memcpy(v, v_in, sizeof v);
    for (int a = 0; a < 3; a++) g[a] = firn_emitter_can_hold(&e->def) ? 0 : sim->scene.gravity[a];
    if (e->moves) {
        for (int a = 0; a < 3; a++) x[a] -= v[a] * ago;
        firn_emitter_to_world(e, born, x, v);
        for (int a = 0; a < 3; a++) x[a] += v[a] * ago;
    }
    const double place[3] = {x[0] - v[0] * ago, x[1] - v[1] * ago, x[2] - v[2] * ago};
    if (firn_births_are_taken(sim, e, place, &emission->taken)) return FIRN_OK;
    for (int a = 0; a < 3; a++) {
        const double noise =
            e->noise * (2 * firn_emitter_chance(e->def.seed + 7, number, (uint64_t)a) - 1);
        emission->x[3 * *n + a] = x[a] + 0.5 * g[a] * ago * ago;
        emission->v[3 * *n + a] = v[a] + g[a] * ago + noise;
    }
    ++*n;
    return FIRN_OK;
}

/* The number of subsequent lattice points of a row that are beyond some distance as well, when this
 * one exceeds it by `beyond` m: points are a spacing apart and jittered by 0.3 of it along each
 * axis, and a distance changes by at most L per metre, so after k points it has changed by at most
 * L spacing (k + 0.6 sqrt 3). */
static int64_t follow(const firn_emitter *e, double beyond)
{
    const double lipschitz =
        firn_shape_voxel(e->shape) > 0 ? sqrt(3) : 1; /* see distance_cache.c */
    return (int64_t)fmax(0, ceil(beyond / (lipschitz * e->spacing) - 0.6 * sqrt(3)) - 1);
}

static double flowed(const firn_emitter *e, double from, double until)
{
    return firn_emitter_flowed(e, from, until, FIRN_EMITTER_VELOCITY);
}

/* Births of the lattice points that are inside at some time between `begin` and `end` and were not
 * before; with begin = end all that are inside. */
static firn_status fill(firn_sim *sim, const firn_emitter *e, emitter_state *s, double begin,
                        double end, int64_t *n)
{
    double drift[3], shift[3], back[3], low[3], high[3];
    int64_t first[2], last[2], at[3], end_of_row;
    for (int a = 0; a < 3; a++) { /* bounds in the moving lattice, with room for the jitter */
        drift[a] = e->def.velocity[a] * flowed(e, e->def.start, end);
        shift[a] = e->def.velocity[a] * flowed(e, begin, end);
        back[a] = e->def.velocity[a] * flowed(e, sim->time, end);
        low[a] = e->low[a] - fmax(drift[a], drift[a] - shift[a]) - e->spacing;
        high[a] = e->high[a] - fmin(drift[a], drift[a] - shift[a]) + e->spacing;
    }
    /* A point farther outside than `far` has not been inside since `begin`; one deeper than `deep`
     * in a shape at rest was inside before. Both travel by at most path + moved, and 2 > sqrt 3
     * bounds the Lipschitz constant between voxels. */
    const double path = sqrt(shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2]);
    const double moved = firn_shape_speed(e->shape) * (end - begin), far = 2 * (path + moved);
    const double deep = moved > 0 ? INFINITY : far;
    const int is_first = !(end > begin);
    /* times of entry are not known; what fills the shape at the start is at rest in its stream */
    const double born = begin > e->def.start ? 0.5 * (begin + end) : sim->time;
    const double factor = firn_emitter_factor_at(e, born, FIRN_EMITTER_VELOCITY);
    const double v[3] = {factor * e->def.velocity[0], factor * e->def.velocity[1],
                         factor * e->def.velocity[2]};
    firn_lattice_rows(e->spacing, low, high, first, last);
    for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (firn_lattice_row(e->spacing, low, high, at, &end_of_row); at[2] <= end_of_row;
                 at[2]++) {
                const uint64_t number = firn_emitter_number(at);
                double index[3], x[3], before[3];
                for (int a = 0; a < 3; a++)
                    index[a] = (double)at[a] +
                               0.6 * (firn_emitter_chance(e->def.seed, number, (uint64_t)a) - 0.5);
                firn_lattice_place(e->spacing, index, x);
                for (int a = 0; a < 3; a++) {
                    x[a] += drift[a];
                    before[a] = x[a] - shift[a];
                }
                const double d = firn_shape_distance(e->shape, x, end);
                if (d > far || (!is_first && d < -deep)) {
                    at[2] += follow(e, d > far ? d - far : -d - deep);
                    continue;
                }
                if (d > 0 && !firn_emitter_was_inside(e, x, end, begin)) continue;
                if (!is_first && firn_emitter_was_inside(e, before, begin, e->def.start)) continue;
                if (*n >= room_left(e, s)) return FIRN_OK;
                for (int a = 0; a < 3; a++) x[a] -= back[a];
                if (add_birth(sim, e, n, x, v, born, number) != FIRN_OK) return FIRN_MEMORY;
            }
    return FIRN_OK;
}

/* The first particles share the volume of the shape, so that its mass is exact: a lattice has
 * slightly too many or too few points in it. volumes: two columns of n numbers, volumes and masses,
 * released by the caller; NULL where all particles have volume spacing^3. */
static firn_status fill_first(firn_sim *sim, const firn_emitter *e, emitter_state *s, double end,
                              int64_t *n, double **volumes)
{
    const double cube = e->spacing * e->spacing * e->spacing,
                 density = sim->materials[e->material].resolved.density;
    firn_births_taken *taken = &sim->emission->taken;
    double whole;
    firn_status status = firn_births_taken_see_material(sim, e, taken);
    if (status == FIRN_OK) status = fill(sim, e, s, e->def.start, e->def.start, n);
    firn_overlap_fill_clear(sim, &taken->fill);
    const int64_t n_first = *n, n_all = *n + taken->n_cut;
    s->n_tried = 1;
    if (status == FIRN_OK) status = fill(sim, e, s, e->def.start, end, n);
    if (status != FIRN_OK || n_first == 0 || n_first >= room_left(e, s)) return status;
    status = firn_emitter_volume(e, e->def.start, &sim->memory, &whole);
    if (status == FIRN_OK &&
        !(*volumes = firn_memory_array(&sim->memory, (size_t)*n, 2 * sizeof **volumes)))
        status = FIRN_MEMORY;
    for (int64_t i = 0; i < *n && status == FIRN_OK; i++) {
        (*volumes)[i] = i < n_first ? whole / (double)n_all : cube;
        (*volumes)[*n + i] = density * (*volumes)[i];
    }
    return status;
}

/* ---------------------------------------------------------------- births on the surface */

/* A point on the patch about x, uniform in the tangent plane. Points beyond an edge are mirrored at
 * it: clamped points would crowd the edges. */
static void place_on_patch(const firn_emitter *e, double time, const double x[3], uint64_t number,
                           double y[3])
{
    firn_surface_point s;
    double aside[3], along = 0;
    firn_shape_query(e->shape, x, time, &s);
    for (int a = 0; a < 3; a++) {
        aside[a] = 0.6 * e->spacing * (firn_emitter_chance(e->def.seed, number, (uint64_t)a) - 0.5);
        along += aside[a] * s.normal[a];
    }
    for (int a = 0; a < 3; a++) y[a] = x[a] + aside[a] - along * s.normal[a];
    firn_shape_query(e->shape, y, time, &s);
    for (int a = 0; a < 3 && s.distance > 0; a++) y[a] -= 2 * s.distance * s.normal[a];
}

/* The births of one patch: number m at time start + (m - phase) spacing / (share v_n), at a
 * random point of the patch. Times follow from m alone, so any division into steps gives the same
 * births. With keys the times are those at which their integral has come so far. */
static firn_status send_out(firn_sim *sim, const firn_emitter *e, emitter_state *s,
                            const double middle[3], uint64_t patch, const double span[2],
                            int64_t *n)
{
    double x[3], v[3], phase = firn_emitter_chance(e->def.seed + 3, patch, 0), times[2];
    memcpy(x, middle, sizeof x);
    double every = e->spacing / (e->share * firn_emitter_onto_surface(e, span[1], x, v)); /* s */
    if (!(every > 0)) return FIRN_OK; /* inflow: no births */
    for (int k = 0; k < 2; k++) times[k] = floor(flowed(e, e->def.start, span[k]) / every + phase);
    for (double m = times[0] + 1; m <= times[1]; m++) {
        double y[3], w[3],
            born = firn_emitter_when(e, e->def.start, (m - phase) * every, FIRN_EMITTER_VELOCITY);
        const double factor = firn_emitter_factor_at(e, born, FIRN_EMITTER_VELOCITY);
        uint64_t number = patch + (uint64_t)m * FIRN_RANDOM_STEP;
        if (*n >= room_left(e, s)) return FIRN_OK;
        place_on_patch(e, born, x, number, y);
        int is_behind = !(firn_emitter_onto_surface(e, born, y, w) > 0); /* beyond an edge */
        for (int a = 0; a < 3; a++) {
            if (is_behind) {
                y[a] = x[a];
                w[a] = v[a];
            }
            w[a] *= factor;
            y[a] -= w[a] * (born - sim->time);
        }
        if (add_birth(sim, e, n, y, w, born, number) != FIRN_OK) return FIRN_MEMORY;
    }
    return FIRN_OK;
}

/* Surface births at a fill: each patch independently, in lattice order; is_patch is tested at the
 * exact end of the span, as candidates include a margin for moving surfaces. */
static firn_status fill_surface(firn_sim *sim, firn_emitter *e, emitter_state *s, double begin,
                                double end, int64_t *n)
{
    const double span[2] = {begin, end};
    firn_status status = firn_emitter_query(e, end, &sim->memory);
    for (int64_t p = 0; p < e->n_patches && status == FIRN_OK; p++)
        if (firn_emitter_is_patch(e, &e->patches[p], end))
            status = send_out(sim, e, s, e->patches[p].x, e->patches[p].number, span, n);
    return status;
}

/* ---------------------------------------------------------------- births at a rate */

/* Place and velocity of birth number k, by rejection: points of the bounds until one falls into the
 * shape, or into a thin layer about its surface, from which it is projected onto it. 0 for a shape
 * that fills less than about 1/4096 of its bounds. */
static int find_place(const firn_emitter *e, uint64_t k, double born, double x[3], double v[3])
{
    enum { TRIES = 4096 };
    double layer = e->def.from == FIRN_FROM_SURFACE ? 0.125 * e->spacing : 0;
    for (int try = 0; try < TRIES; try++) {
        for (int a = 0; a < 3; a++)
            x[a] = e->low[a] - layer +
                   (e->high[a] - e->low[a] + 2 * layer) *
                       firn_emitter_chance(e->def.seed, k, (uint64_t)(3 * try + a));
        double d = firn_shape_distance(e->shape, x, born);
        if (layer > 0 ? fabs(d) > layer : d > 0) continue;
        if (layer > 0)
            firn_emitter_onto_surface(e, born, x, v);
        else
            memcpy(v, e->def.velocity, sizeof e->def.velocity);
        return 1;
    }
    return 0;
}

/* Births k with begin <= start + k / rate < end. */
/* n_tried counts births attempted: one that finds no place in the shape is skipped, and its
 * successor keeps its time. */
static firn_status at_rate(firn_sim *sim, const firn_emitter *e, emitter_state *s, double end,
                           int64_t *n)
{
    for (;; s->n_tried++) {
        double born = firn_emitter_when(e, e->def.start, (double)s->n_tried / e->def.rate,
                                        FIRN_EMITTER_RATE),
               x[3], v[3];
        if (born >= end || *n >= room_left(e, s)) return FIRN_OK;
        if (!find_place(e, (uint64_t)s->n_tried, born, x, v)) continue;
        const double factor = firn_emitter_factor_at(e, born, FIRN_EMITTER_VELOCITY);
        for (int a = 0; a < 3; a++) {
            v[a] *= factor;
            x[a] -= v[a] * (born - sim->time);
        }
        if (add_birth(sim, e, n, x, v, born, (uint64_t)s->n_tried) != FIRN_OK) return FIRN_MEMORY;
    }
}

/* The births of one emitter in [s->until, t + dt). On failure its counters stay as they were, so
 * the repetition of the step makes the same births. */
static firn_status step_emitter(firn_sim *sim, firn_emitter *e, emitter_state *s,
                                firn_messages *messages)
{
    double end = fmin(sim->time + sim->dt, e->def.stop), begin = s->until;
    if (!(end > begin)) return FIRN_OK; /* not begun, ended, or a repeated step with smaller dt */
    const emitter_state before = *s;    /* a failed step makes no births: its repetition does */
    int64_t n = 0;
    firn_births_taken_begin(sim, &sim->emission->taken);
    double *volumes = NULL;
    firn_status status = e->def.rate > 0 ? at_rate(sim, e, s, end, &n)
                         : e->def.from == FIRN_FROM_SURFACE
                             ? fill_surface(sim, e, s, begin, end, &n)
                         : s->n_tried == 0 ? fill_first(sim, e, s, end, &n, &volumes)
                                           : fill(sim, e, s, begin, end, &n);
    if (status != FIRN_OK) return *s = before, no_memory(messages, e->def.name);
    status = firn_births_taken_tell(e, n, &sim->emission->taken, messages);
    if (status != FIRN_OK) {
        *s = before;
        firn_memory_release(&sim->memory, volumes, (size_t)n * 2 * sizeof *volumes);
        return status;
    }
    const double density = sim->materials[e->material].resolved.density;
    const double path = flowed(e, e->def.start, fmax(sim->time, e->def.start)),
                 *u = e->def.velocity;
    double volume = e->spacing * e->spacing * e->spacing;
    firn_newborn born = {.n = n,
                         .x = sim->emission->x,
                         .v = sim->emission->v,
                         .drift = {path * u[0], path * u[1], path * u[2]},
                         .temperature = e->def.temperature,
                         .mass = density * volume,
                         .volume = volume,
                         .volumes = volumes,
                         .masses = volumes ? volumes + n : NULL};
    status = firn_solver_add(sim, e->material, &born, e->def.name, messages);
    if (status == FIRN_OK) {
        s->n_born += n;
        s->until = end;
    } else
        *s = before;
    if (status == FIRN_OK && n > 0 && room_left(e, s) == 0)
        firn_messages_warn(
            messages, "emitter '%s': reached max_particles (%lld) at t = %.6g s, no more births",
            e->def.name, (long long)s->n_born, end);
    firn_memory_release(&sim->memory, volumes, (size_t)n * 2 * sizeof *volumes);
    return status;
}

/* Whether all births may be deferred to a later step: at most MOST_STEPS, and until the first has
 * travelled a quarter of a spacing, less than the jitter of the lattice (0.3). Never deferred are
 * the first births of an emitter, those of the last step before `until`, and those of a step that
 * sorts anyway. */
static int can_wait(const firn_sim *sim, double until)
{
    enum { MOST_STEPS = 8 };
    const double end = sim->time + sim->dt;
    if (sim->must_sort || sim->dt >= (until - sim->time) * (1 - 1e-12)) return 0;
    for (int i = 0; i < sim->emission->n; i++) {
        const firn_emitter *e = &sim->emission->emitters[i];
        const emitter_state *s = &sim->emission->states[i];
        const double wait = end - s->until;
        if (!(wait > 0) || s->until >= e->def.stop) continue; /* not begun, or ended */
        if (s->until <= e->def.start || wait > MOST_STEPS * sim->dt ||
            wait * e->speed > 0.25 * e->spacing)
            return 0;
    }
    return 1;
}

/* Emitters in the order of the scene: ids of births follow from it. A failed step leaves the
 * emitters before the failing one with their births, which are part of the state by then. */
firn_status firn_emission_step(firn_sim *sim, double until, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    if (can_wait(sim, until)) return FIRN_OK;
    for (int i = 0; i < sim->emission->n && status == FIRN_OK; i++)
        status =
            step_emitter(sim, &sim->emission->emitters[i], &sim->emission->states[i], messages);
    return status;
}
