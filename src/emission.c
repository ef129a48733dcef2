/* emission.c: emitters.
 *
 *   fill   (rate 0)   A lattice of points (lattice.h), one a particle, jittered by a hash of its indices, drifts
 *                     through the emitter with the emitter's velocity. A particle is born when its lattice point
 *                     enters for the first time; at the start all that are inside are born, and share its volume. The
 *                     stream that leaves is as even as a sampled body: no step, whatever dt or frame rate. What flows
 *                     into the shape again, behind a hole or from one part into the next, or is swept over again,
 *                     finds its particle there.
 *   rate              Particle k is born at the moment start + k / rate at a place chosen by a hash of k.
 *   from the surface  At a rate: places on the surface, by area. Fill: the surface is cut into patches, about one a
 *                     particle's cross-section; each sends out a particle whenever the last one has gone a spacing,
 *                     with a phase of its own.
 *
 * A particle born at time s within a step from t is placed where it would have been at t, x - v (s - t), because the
 * step itself will carry it on. Everything follows from counters and times, so threads and resumes change nothing. */
#include "emission.h"
#include "lattice.h"
#include "solver.h"

#include <math.h>
#include <string.h>

typedef struct emitter_state { /* what a saved state holds of an emitter */
    int64_t n_born, n_tried;
    double until; /* births up to this time have been made */
} emitter_state;

typedef struct emitter {
    firn_emitter_def def;
    firn_shape *shape;
    int pool;
    double noise;                               /* m/s, of each component of the velocity */
    double spacing, low[3], high[3], rest_rate; /* rest_rate: (wave speed at rest + speed) / dx, 1/s */
    double share;                               /* true flow from the surface over that of its patches */
    double below; /* how far below the surface patches may lie, in spacings: half a one; 0 in thin walls */
} emitter;

struct firn_emission {
    int n;
    emitter *emitters;
    emitter_state *states;
    double *x, *v; /* newborn of one step */
    int64_t capacity;
};

/* ---------------------------------------------------------------- chance without state */

static double uniform(uint64_t seed, uint64_t a, uint64_t b) /* in [0, 1) */
{
    uint64_t z =
        seed * 0x9e3779b97f4a7c15ull + a * 0xbf58476d1ce4e5b9ull + b * 0x94d049bb133111ebull + 0x2545f4914f6cdd1dull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull, z = (z ^ (z >> 27)) * 0x94d049bb133111ebull, z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

/* ---------------------------------------------------------------- the lattice that drifts */

/* Was the lattice point that is at x at `time` inside then, or ever since another time? Its way is walked back to that
 * time, or to where it came into the shape's box: by half of what it was away from the surface, as distances between
 * voxels may be sqrt 3 times too great, and by a 32nd of a spacing at least, or a box that goes askew would lose .4 %
 * of its stream at its edges. It follows from places and times alone. */
static int was_inside(const emitter *e, const double x[3], double time, double since)
{
    double longest = time - since, speed2 = 0, y[3]; /* s to walk back */
    for (int a = 0; a < 3; a++) {
        const double v = e->def.velocity[a], into = v > 0 ? x[a] - e->low[a] : e->high[a] - x[a];
        if (v != 0) longest = fmin(longest, (into + e->spacing) / fabs(v));
        speed2 += v * v;
    }
    const double speed = sqrt(speed2) + firn_shape_speed(e->shape);
    for (double ago = 0; ago <= longest;) {
        for (int a = 0; a < 3; a++) y[a] = x[a] - e->def.velocity[a] * ago;
        const double d = firn_shape_distance(e->shape, y, time - ago);
        if (d <= 0) return 1;
        if (ago == longest || 0.5 * d >= (longest - ago) * speed) return 0;
        ago = fmin(longest, ago + fmax(0.5 * d, 0.03125 * e->spacing) / speed);
    }
    return 0;
}

/* ---------------------------------------------------------------- the surface */

/* Moves x, which is near the surface, onto it; v becomes the velocity there, and the result is v's part along the
 * normal. The normal is that where x was: what is beside an edge then leaves it slantwise, and all patches together
 * send out as much as the faces do. Distances of joined shapes are lower bounds, so it may take more than one move. */
static double onto_surface(const emitter *e, double time, double x[3], double v[3])
{
    firn_surface_point s;
    double along = e->def.outward;
    for (int pass = 0; pass < 4; pass++) {
        firn_shape_query(e->shape, x, time, &s);
        for (int a = 0; a < 3 && pass == 0; a++) {
            v[a] = e->def.velocity[a] + e->def.outward * s.normal[a];
            along += e->def.velocity[a] * s.normal[a];
        }
        if (fabs(s.distance) <= 1e-3 * e->spacing) break;
        for (int a = 0; a < 3; a++) x[a] -= s.distance * s.normal[a];
    }
    return along;
}

/* Place of the lattice against the origin, in spacings: faces are often put at multiples of dx, where rounding would
 * say on which side of them its points are, or to which of two faces they are nearer. */
static const double shift_of_lattice[3] = {0.237, 0.413, 0.071};

/* Is there a patch at a distance of d spacings? On every line across the surface one lattice point is that near. */
static int is_patch(const emitter *e, double d) { return d > -e->below && d <= 1 - e->below; }

/* Speed with which particles are born at the surface next to x, m/s: that of what leaves a surface which sends out;
 * else that of what flows into the shape, or is run over by it, and was never inside. x is moved onto the surface. */
static double speed_through(const emitter *e, double time, double x[3])
{
    firn_surface_point s;
    double v[3];
    if (e->def.from == FIRN_FROM_SURFACE) return fmax(0, onto_surface(e, time, x, v));
    firn_shape_query(e->shape, x, time, &s);
    double inward = -onto_surface(e, time, x, v);
    for (int a = 0; a < 3; a++) inward += s.velocity[a] * s.normal[a];
    for (int a = 0; a < 3; a++) x[a] += 0.5 * e->spacing * s.normal[a];
    return inward > 0 && !was_inside(e, x, time, e->def.start) ? inward : 0;
}

/* The middle of a part of a cell that is cut into n^3 */
static void middle_of(const emitter *e, const int64_t cell[3], int part, int n, double x[3])
{
    const int parts[3] = {part / n / n, part / n % n, part % n};
    for (int a = 0; a < 3; a++) x[a] = ((double)cell[a] + shift_of_lattice[a] + (parts[a] + 0.5) / n) * e->spacing;
}

/* Flow through one cell of the lattice, in m^3/s: n^3 points, each a square of its spacing where the surface is near.
 * With n = 1 squares count or not, as patches do; else they fade with the distance and add up to the area of any
 * surface. */
static double flow_of_cell(const emitter *e, double time, const int64_t cell[3], int n)
{
    double sum = 0, h = e->spacing / n, x[3];
    middle_of(e, cell, 0, 1, x);
    if (fabs(firn_shape_distance(e->shape, x, time)) > 1.5 * e->spacing) return 0;
    for (int m = 0; m < n * n * n; m++) {
        middle_of(e, cell, m, n, x);
        double d = firn_shape_distance(e->shape, x, time) / h;
        double weight = n == 1 ? is_patch(e, d) : fmax(0, 1 - fabs(d - (e->below > 0 ? 0 : 1)));
        if (weight > 0) sum += weight * h * h * speed_through(e, time, x);
    }
    return sum;
}

/* What lies in the shape of one cell, in m^3: n^3 cubes, which fade where the surface is. */
static double volume_of_cell(const emitter *e, double time, const int64_t cell[3], int n)
{
    double sum = 0, h = e->spacing / n, x[3];
    middle_of(e, cell, 0, 1, x);
    const double middle = firn_shape_distance(e->shape, x, time);
    if (fabs(middle) > 1.5 * e->spacing) return middle < 0 ? e->spacing * e->spacing * e->spacing : 0;
    for (int m = 0; m < n * n * n; m++) {
        middle_of(e, cell, m, n, x);
        sum += fmin(fmax(0.5 - firn_shape_distance(e->shape, x, time) / h, 0), 1);
    }
    return sum * h * h * h;
}

/* The sum over all cells. Its parts have an order of their own, so that threads do not show. */
static firn_status sum_of_cells(const emitter *e, double time,
                                double (*of_cell)(const emitter *, double, const int64_t[3], int), int n,
                                firn_memory *memory, double *sum)
{
    int64_t low[3], size[3];
    *sum = 0;
    for (int a = 0; a < 3; a++) {
        low[a] = (int64_t)floor(e->low[a] / e->spacing) - 2;
        size[a] = (int64_t)ceil(e->high[a] / e->spacing) + 2 - low[a];
    }
    double *planes = firn_memory_array(memory, (size_t)size[0], sizeof *planes);
    if (!planes) return FIRN_MEMORY;
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t i = 0; i < size[0]; i++)
        for (int64_t j = 0; j < size[1] * size[2]; j++)
            planes[i] += of_cell(e, time, (int64_t[3]){low[0] + i, low[1] + j / size[2], low[2] + j % size[2]}, n);
    for (int64_t i = 0; i < size[0]; i++) *sum += planes[i];
    firn_memory_release(memory, planes, (size_t)size[0] * sizeof *planes);
    return FIRN_OK;
}

/* Flow of the true surface and of the patches */
static firn_status find_flow(const emitter *e, double time, firn_memory *memory, double flow[2])
{
    /* beside edges of what is only looked at from outside there is a little too much */
    const int n_fine = e->below > 0 ? 4 : 8;
    firn_status status = sum_of_cells(e, time, flow_of_cell, n_fine, memory, &flow[0]);
    return status == FIRN_OK ? sum_of_cells(e, time, flow_of_cell, 1, memory, &flow[1]) : status;
}

/* Thin and small shapes are cut more finely: into parts of a 32nd of their box at most. */
static firn_status find_volume(const emitter *e, double time, firn_memory *memory, double *volume)
{
    double least = INFINITY;
    for (int a = 0; a < 3; a++) least = fmin(least, e->high[a] - e->low[a]);
    const int n = (int)fmin(fmax(4, ceil(32 * e->spacing / least)), 16);
    return sum_of_cells(e, time, volume_of_cell, n, memory, volume);
}

/* In walls thinner than a spacing most patches would be missed: there they lie outside alone. */
static void choose_sides(emitter *e)
{
    e->below = 0.5;
    for (int i = 0; i < e->def.n_shapes; i++)
        if (e->def.shapes[i].thickness > 0 && e->def.shapes[i].thickness < 2 * e->spacing) e->below = 0;
}

/* A lattice cannot lay patches evenly on a surface that is bent: their flow is made the true one. */
static firn_status find_share(emitter *e, firn_memory *memory, firn_report *report)
{
    double flow[2], start = e->def.start;
    firn_status status = find_flow(e, start, memory, flow);
    if (status == FIRN_OK && e->below > 0 && flow[1] < 0.8 * flow[0])
        e->below = 0, status = find_flow(e, start, memory, flow);
    e->share = status == FIRN_OK && flow[0] > 0 && flow[1] > 0 ? flow[0] / flow[1] : 1;
    if (status == FIRN_OK && !(flow[0] > 0))
        firn_report_warn(report,
                         "emitter '%s' sends out nothing when it begins: everywhere velocity and outward lead into its "
                         "shape. Make outward greater than 0 or velocity greater, or give a rate.",
                         e->def.name);
    else if (status == FIRN_OK && !(flow[1] > 0))
        firn_report_warn(report,
                         "emitter '%s' sends out nothing: its shape is too small for particles %.3g m apart. Make "
                         "grid.dx smaller, particles_per_cell or the shape larger, or give a rate.",
                         e->def.name, e->spacing);
    return status;
}

/* ---------------------------------------------------------------- life */

static firn_status no_memory(firn_report *report, const char *name)
{
    return firn_report_add(report, FIRN_MEMORY, "emitter '%s': no memory for its particles", name);
}

/* Speed of the fastest wave in the material as it is born: F = I, history as declared. */
static double wave_at_rest(const firn_sim *sim, const firn_pool *pool, double temperature)
{
    double F[9 * 16], history[FIRN_MAX_HISTORY * 16], T[16], wave[16], flags[16], viscosity[16];
    float Ff[9 * 16], historyf[FIRN_MAX_HISTORY * 16], Tf[16], wavef[16], flagsf[16], viscosityf[16];
    uint32_t id[16];
    for (int lane = 0; lane < 16; lane++) {
        for (int c = 0; c < 9; c++) Ff[c * 16 + lane] = (float)(F[c * 16 + lane] = c % 4 == 0);
        for (int c = 0; c < pool->n_components[FIRN_FIELD_HISTORY]; c++)
            historyf[c * 16 + lane] = (float)(history[c * 16 + lane] = pool->material.law->info.history[c].initial);
        Tf[lane] = (float)(T[lane] = temperature), id[lane] = (uint32_t)lane;
    }
    int wide = sim->kernels->is_double;
    firn_law_batch batch = {.material = &pool->material,
                            .n_bundles = 1,
                            .F = wide ? (void *)F : Ff,
                            .history = wide ? (void *)history : historyf,
                            .temperature = wide ? (void *)T : Tf,
                            .id = id,
                            .wave = wide ? (void *)wave : wavef,
                            .viscosity = wide ? (void *)viscosity : viscosityf,
                            .flags = wide ? (void *)flags : flagsf};
    pool->material.law->kernels[sim->variant].measure(&batch);
    double rate = (wide ? wave[0] : (double)wavef[0]) / sim->h;
    return fmax(rate, 6 * (wide ? viscosity[0] : (double)viscosityf[0]) / (sim->h * sim->h));
}

static firn_status create_emitter(firn_sim *sim, const firn_emitter_def *def, emitter *e, firn_report *report)
{
    e->def = *def, e->pool = -1;
    e->def.seed += sim->scene.seed;
    for (int m = 0; m < sim->n_pools; m++)
        if (strcmp(sim->pools[m].material.name, def->material) == 0) e->pool = m;
    if (e->pool < 0)
        return firn_report_add(report, FIRN_REFUSED, "emitter '%s': there is no material '%s'", def->name,
                               def->material);
    firn_status status =
        firn_shape_create_for(def->n_shapes, def->shapes, (firn_shape_need){0, sim->h, 0}, &e->shape, report);
    if (status != FIRN_OK) return firn_report_add(report, status, "emitter '%s' cannot be used: see above", def->name);
    if (!firn_shape_bounds(e->shape, e->low, e->high))
        return firn_report_add(report, FIRN_REFUSED, "emitter '%s': its shape has no bounds; use a closed one",
                               def->name);
    double speed2 = 0;
    for (int a = 0; a < 3; a++) speed2 += def->velocity[a] * def->velocity[a];
    double speed = sqrt(speed2) + fabs(def->outward);
    e->spacing = sim->h / cbrt(def->particles_per_cell), e->noise = def->velocity_noise * speed;
    e->rest_rate = wave_at_rest(sim, &sim->pools[e->pool], def->temperature) + speed / sim->h;
    choose_sides(e);
    if (def->from == FIRN_FROM_SURFACE && !(def->rate > 0) && find_share(e, &sim->memory, report) != FIRN_OK)
        return no_memory(report, def->name);
    return FIRN_OK;
}

firn_status firn_emission_create(firn_sim *sim, const firn_scene_def *scene, firn_report *report)
{
    if (scene->n_emitters == 0) return FIRN_OK;
    struct firn_emission *emission = firn_memory_allocate(&sim->memory, sizeof *emission);
    if (!emission) return no_memory(report, scene->emitters[0].name);
    sim->emission = emission;
    emission->n = scene->n_emitters;
    emission->emitters = firn_memory_array(&sim->memory, (size_t)emission->n, sizeof *emission->emitters);
    emission->states = firn_memory_array(&sim->memory, (size_t)emission->n, sizeof *emission->states);
    if (!emission->emitters || !emission->states) return no_memory(report, scene->emitters[0].name);
    firn_status status = FIRN_OK;
    for (int i = 0; i < emission->n && status == FIRN_OK; i++) {
        status = create_emitter(sim, &scene->emitters[i], &emission->emitters[i], report);
        emission->states[i].until = scene->emitters[i].start;
    }
    return status;
}

void firn_emission_destroy(firn_sim *sim)
{
    struct firn_emission *emission = sim->emission;
    if (!emission) return;
    for (int i = 0; emission->emitters && i < emission->n; i++) firn_shape_destroy(emission->emitters[i].shape);
    firn_memory_release(&sim->memory, emission->emitters, (size_t)emission->n * sizeof *emission->emitters);
    firn_memory_release(&sim->memory, emission->states, (size_t)emission->n * sizeof *emission->states);
    firn_memory_release(&sim->memory, emission->x, (size_t)emission->capacity * 3 * sizeof *emission->x);
    firn_memory_release(&sim->memory, emission->v, (size_t)emission->capacity * 3 * sizeof *emission->v);
    firn_memory_release(&sim->memory, emission, sizeof *emission);
    sim->emission = NULL;
}

void *firn_emission_state(firn_sim *sim, size_t *n_bytes)
{
    *n_bytes = sim->emission ? (size_t)sim->emission->n * sizeof *sim->emission->states : 0;
    return sim->emission ? sim->emission->states : NULL;
}

double firn_emission_rate(const firn_sim *sim, double until)
{
    double rate = 0;
    for (int i = 0; sim->emission && i < sim->emission->n; i++) {
        const emitter *e = &sim->emission->emitters[i];
        if (until > e->def.start && sim->time < e->def.stop) rate = fmax(rate, e->rest_rate);
    }
    return rate;
}

/* ---------------------------------------------------------------- how many there will be */

/* Filling: the volume at the start and the flow, of which the middles of four parts of the time stand for all; one,
 * where nothing changes. */
static firn_status forecast_fill(const emitter *e, double end, firn_forecast *f)
{
    double volume = 0, size = e->spacing * e->spacing * e->spacing, flow[2];
    int is_even = e->def.from == FIRN_FROM_SURFACE && firn_shape_speed(e->shape) == 0, n = is_even ? 1 : 4;
    if (e->def.from == FIRN_FROM_VOLUME && find_volume(e, e->def.start, NULL, &volume) != FIRN_OK) return FIRN_MEMORY;
    f->at_start = volume / size;
    for (int k = 0; k < n && end > e->def.start; k++) {
        if (find_flow(e, e->def.start + (k + 0.5) / n * (end - e->def.start), NULL, flow) != FIRN_OK)
            return FIRN_MEMORY;
        f->rate += flow[0] / size / n;
    }
    return FIRN_OK;
}

firn_status firn_emission_forecast(const firn_sim *sim, int i, double until, firn_forecast *f, firn_report *report)
{
    const emitter *e = &sim->emission->emitters[i];
    *f = (firn_forecast){.start = e->def.start,
                         .stop = e->def.stop,
                         .rate = e->def.rate,
                         .is_exact = e->def.rate > 0,
                         .most = e->def.max_particles > 0 ? e->def.max_particles : INT64_MAX};
    memcpy(f->name, e->def.name, sizeof f->name);
    if (f->is_exact || forecast_fill(e, fmin(until, f->stop), f) == FIRN_OK) return FIRN_OK;
    return no_memory(report, e->def.name);
}

int64_t firn_forecast_count(const firn_forecast *f, double time)
{
    double end = fmin(time, f->stop);
    if (!(end > f->start)) return 0;
    double n = f->at_start + f->rate * (end - f->start);
    if (!(n < (double)f->most)) return f->most;
    int64_t count = (int64_t)ceil(n);
    if (!f->is_exact) return count;
    /* births k with start + k / rate < end, whatever rounding says */
    while (count > 0 && f->start + (double)(count - 1) / f->rate >= end) count--;
    while (count < f->most && f->start + (double)count / f->rate < end) count++;
    return count;
}

/* ---------------------------------------------------------------- births */

static int64_t room_left(const emitter *e, const emitter_state *s)
{
    return e->def.max_particles > 0 ? e->def.max_particles - s->n_born : INT64_MAX;
}

/* A particle at the place x with the velocity v and the emitter's noise */
static firn_status add_birth(firn_sim *sim, const emitter *e, int64_t *n, const double x[3], const double v[3],
                             uint64_t number)
{
    struct firn_emission *emission = sim->emission;
    if (*n == emission->capacity) {
        int64_t capacity = emission->capacity ? 2 * emission->capacity : 1024;
        double *more_x = firn_memory_array(&sim->memory, (size_t)capacity * 3, sizeof *more_x);
        double *more_v = firn_memory_array(&sim->memory, (size_t)capacity * 3, sizeof *more_v);
        if (!more_x || !more_v) {
            firn_memory_release(&sim->memory, more_x, (size_t)capacity * 3 * sizeof *more_x);
            firn_memory_release(&sim->memory, more_v, (size_t)capacity * 3 * sizeof *more_v);
            return FIRN_MEMORY;
        }
        size_t bytes = (size_t)emission->capacity * 3 * sizeof *more_x;
        if (bytes) memcpy(more_x, emission->x, bytes), memcpy(more_v, emission->v, bytes);
        firn_memory_release(&sim->memory, emission->x, bytes), firn_memory_release(&sim->memory, emission->v, bytes);
        emission->x = more_x, emission->v = more_v, emission->capacity = capacity;
    }
    for (int a = 0; a < 3; a++) {
        emission->x[3 * *n + a] = x[a];
        emission->v[3 * *n + a] = v[a] + e->noise * (2 * uniform(e->def.seed + 7, number, (uint64_t)a) - 1);
    }
    ++*n;
    return FIRN_OK;
}

/* Particles whose lattice points are inside between `begin` and `end` and never were before; with no time between them
 * all that are inside. */
static firn_status fill(firn_sim *sim, const emitter *e, emitter_state *s, double begin, double end, int64_t *n)
{
    double drift[3], shift[3], back[3], low[3], high[3];
    int64_t first[2], last[2], at[3], end_of_row;
    for (int a = 0; a < 3; a++) { /* the box in the lattice that drifts, with room for the jitter */
        drift[a] = e->def.velocity[a] * (end - e->def.start);
        shift[a] = e->def.velocity[a] * (end - begin), back[a] = e->def.velocity[a] * (end - sim->time);
        low[a] = e->low[a] - fmax(drift[a], drift[a] - shift[a]) - e->spacing;
        high[a] = e->high[a] - fmin(drift[a], drift[a] - shift[a]) + e->spacing;
    }
    /* farther outside than that none was inside since `begin`, and deeper in what stands still they were inside before;
     * distances between voxels change up to sqrt 3 times as much as places */
    const double way = sqrt(shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2]);
    const double moved = firn_shape_speed(e->shape) * (end - begin), far = 2 * (way + moved);
    const double deep = moved > 0 ? INFINITY : far;
    const int is_first = !(end > begin);
    firn_lattice_rows(e->spacing, low, high, first, last);
    for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (firn_lattice_row(e->spacing, low, high, at, &end_of_row); at[2] <= end_of_row; at[2]++) {
                uint64_t number = (uint64_t)at[0] * 0x100000001b3ull ^ (uint64_t)at[1] * 0x9e3779b1ull ^
                                  (uint64_t)at[2] * 0x85ebca77c2b2ae63ull;
                double index[3], x[3], before[3];
                for (int a = 0; a < 3; a++)
                    index[a] = (double)at[a] + 0.6 * (uniform(e->def.seed, number, (uint64_t)a) - 0.5);
                firn_lattice_place(e->spacing, index, x);
                for (int a = 0; a < 3; a++) x[a] += drift[a], before[a] = x[a] - shift[a];
                const double d = firn_shape_distance(e->shape, x, end);
                if (d > far || (d > 0 && !was_inside(e, x, end, begin))) continue;
                if (!is_first && (d < -deep || was_inside(e, before, begin, e->def.start))) continue;
                if (*n >= room_left(e, s)) return FIRN_OK;
                for (int a = 0; a < 3; a++) x[a] -= back[a];
                if (add_birth(sim, e, n, x, e->def.velocity, number) != FIRN_OK) return FIRN_MEMORY;
            }
    return FIRN_OK;
}

/* The first particles share the emitter's volume: a lattice has a few too many or too few points in it. volumes: two
 * columns of n numbers, volumes and masses, to be given back; NULL where all particles are alike */
static firn_status fill_first(firn_sim *sim, const emitter *e, emitter_state *s, double end, int64_t *n,
                              double **volumes)
{
    const double cube = e->spacing * e->spacing * e->spacing, density = sim->pools[e->pool].material.density;
    double whole;
    firn_status status = fill(sim, e, s, e->def.start, e->def.start, n);
    const int64_t n_first = *n;
    s->n_tried = 1;
    if (status == FIRN_OK) status = fill(sim, e, s, e->def.start, end, n);
    if (status != FIRN_OK || n_first == 0 || n_first >= room_left(e, s)) return status;
    status = find_volume(e, e->def.start, &sim->memory, &whole);
    if (status == FIRN_OK && !(*volumes = firn_memory_array(&sim->memory, (size_t)*n, 2 * sizeof **volumes)))
        status = FIRN_MEMORY;
    for (int64_t i = 0; i < *n && status == FIRN_OK; i++) {
        (*volumes)[i] = i < n_first ? whole / (double)n_first : cube;
        (*volumes)[*n + i] = density * (*volumes)[i];
    }
    return status;
}

/* ---------------------------------------------------------------- births on the surface */

/* The births of one patch: number m at the moment start + (m - phase) spacing / speed, somewhere on the patch. */
static firn_status send_out(firn_sim *sim, const emitter *e, emitter_state *s, const double middle[3], uint64_t patch,
                            const double span[2], int64_t *n)
{
    double x[3], v[3], phase = uniform(e->def.seed + 3, patch, 0), times[2];
    memcpy(x, middle, sizeof x);
    double every = e->spacing / (e->share * onto_surface(e, span[1], x, v)); /* s */
    if (!(every > 0)) return FIRN_OK;                                        /* the flow leads inward here */
    for (int k = 0; k < 2; k++) times[k] = floor((span[k] - e->def.start) / every + phase);
    for (double m = times[0] + 1; m <= times[1]; m++) {
        double y[3], w[3], moment = e->def.start + (m - phase) * every;
        uint64_t number = patch + (uint64_t)m * 0x9e3779b97f4a7c15ull;
        if (*n >= room_left(e, s)) return FIRN_OK;
        for (int a = 0; a < 3; a++) y[a] = x[a] + 0.6 * e->spacing * (uniform(e->def.seed, number, (uint64_t)a) - 0.5);
        int is_behind = !(onto_surface(e, moment, y, w) > 0); /* around an edge */
        for (int a = 0; a < 3; a++) {
            if (is_behind) y[a] = x[a], w[a] = v[a];
            y[a] -= w[a] * (moment - sim->time);
        }
        if (add_birth(sim, e, n, y, w, number) != FIRN_OK) return FIRN_MEMORY;
    }
    return FIRN_OK;
}

static firn_status fill_surface(firn_sim *sim, const emitter *e, emitter_state *s, double begin, double end, int64_t *n)
{
    const double span[2] = {begin, end};
    int64_t low[3], high[3];
    for (int a = 0; a < 3; a++)
        low[a] = (int64_t)floor(e->low[a] / e->spacing) - 2, high[a] = (int64_t)ceil(e->high[a] / e->spacing) + 1;
    for (int64_t i = low[0]; i <= high[0]; i++)
        for (int64_t j = low[1]; j <= high[1]; j++)
            for (int64_t k = low[2]; k <= high[2]; k++) {
                const int64_t cell[3] = {i, j, k};
                double x[3];
                for (int a = 0; a < 3; a++) x[a] = ((double)cell[a] + shift_of_lattice[a] + 0.5) * e->spacing;
                double d = firn_shape_distance(e->shape, x, end) / e->spacing;
                if (!is_patch(e, d)) continue;
                uint64_t patch =
                    (uint64_t)i * 0x100000001b3ull ^ (uint64_t)j * 0x9e3779b1ull ^ (uint64_t)k * 0x85ebca77c2b2ae63ull;
                if (send_out(sim, e, s, x, patch, span, n) != FIRN_OK) return FIRN_MEMORY;
            }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- births at a rate */

/* Place and velocity of birth number k: tried until one falls into the shape, or into a thin layer about its surface
 * that is then closed up. False for a shape that fills too little of its box. */
static int find_place(const emitter *e, uint64_t k, double moment, double x[3], double v[3])
{
    enum { TRIES = 4096 };
    double layer = e->def.from == FIRN_FROM_SURFACE ? 0.125 * e->spacing : 0;
    for (int try = 0; try < TRIES; try++) {
        for (int a = 0; a < 3; a++)
            x[a] = e->low[a] - layer +
                   (e->high[a] - e->low[a] + 2 * layer) * uniform(e->def.seed, k, (uint64_t)(3 * try + a));
        double d = firn_shape_distance(e->shape, x, moment);
        if (layer > 0 ? fabs(d) > layer : d > 0) continue;
        if (layer > 0)
            onto_surface(e, moment, x, v);
        else
            memcpy(v, e->def.velocity, sizeof e->def.velocity);
        return 1;
    }
    return 0;
}

/* Births k with begin <= start + k / rate < end */
static firn_status at_rate(firn_sim *sim, const emitter *e, emitter_state *s, double end, int64_t *n)
{
    for (;; s->n_tried++) {
        double moment = e->def.start + (double)s->n_tried / e->def.rate, x[3], v[3];
        if (moment >= end || *n >= room_left(e, s)) return FIRN_OK;
        if (!find_place(e, (uint64_t)s->n_tried, moment, x, v)) continue;
        for (int a = 0; a < 3; a++) x[a] -= v[a] * (moment - sim->time);
        if (add_birth(sim, e, n, x, v, (uint64_t)s->n_tried) != FIRN_OK) return FIRN_MEMORY;
    }
}

static firn_status step_emitter(firn_sim *sim, emitter *e, emitter_state *s, firn_report *report)
{
    double end = fmin(sim->time + sim->dt, e->def.stop), begin = s->until;
    if (!(end > begin)) return FIRN_OK; /* not begun, stopped, or a shorter second try of the last step */
    const emitter_state before = *s;    /* what was not born is born when the step is tried again */
    int64_t n = 0;
    double *volumes = NULL;
    firn_status status = e->def.rate > 0                    ? at_rate(sim, e, s, end, &n)
                         : e->def.from == FIRN_FROM_SURFACE ? fill_surface(sim, e, s, begin, end, &n)
                         : s->n_tried == 0                  ? fill_first(sim, e, s, end, &n, &volumes)
                                                            : fill(sim, e, s, begin, end, &n);
    if (status != FIRN_OK) return *s = before, no_memory(report, e->def.name);
    firn_pool *pool = &sim->pools[e->pool];
    double volume = e->spacing * e->spacing * e->spacing;
    firn_newborn born = {.n = n,
                         .x = sim->emission->x,
                         .v = sim->emission->v,
                         .temperature = e->def.temperature,
                         .mass = pool->material.density * volume,
                         .volume = volume,
                         .volumes = volumes,
                         .masses = volumes ? volumes + n : NULL};
    status = firn_populate_add(sim, pool, &born, e->def.name, report);
    if (status == FIRN_OK)
        s->n_born += n, s->until = end;
    else
        *s = before;
    firn_memory_release(&sim->memory, volumes, (size_t)n * 2 * sizeof *volumes);
    return status;
}

firn_status firn_emission_step(firn_sim *sim, firn_report *report)
{
    firn_status status = FIRN_OK;
    for (int i = 0; i < sim->emission->n && status == FIRN_OK; i++)
        status = step_emitter(sim, &sim->emission->emitters[i], &sim->emission->states[i], report);
    return status;
}
