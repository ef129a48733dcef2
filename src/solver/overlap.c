/* SPDX-License-Identifier: MIT */
/* overlap.c: material that would begin where something else is. It is found before the first step,
 * told with number, depth and place, and kept, left out or refused by the key `overlap` of what it
 * overlaps with.
 *
 *   colliders   distance of the shape in its pose at the start
 *   walls       distance beyond a wall of the box that lets nothing pass
 *   bodies      distance of the other body's shape; a body from points has none, so it can overlap
 *               others but is not seen by them
 *
 * A particle stands for a cube of its spacing s, and its centre lies s/2 inside of what it was
 * sampled in: it overlaps where its centre is deeper than s/4. What only touches does not count,
 * nor do the errors of distances between voxels.
 *
 * Between bodies: either one with `keep` leaves both; one with `cut` gives way to the other, of
 * two with `cut` the later one; else the scene is refused. */
#include "solver/overlap.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 0.25 /* spacings */

/* Points of one body inside one other thing. */
typedef struct found {
    int64_t n;
    double depth, x[3]; /* m: of the deepest, and its place */
} found;

typedef double (*depth_fn)(const void *of, const double x[3]); /* m, positive inside */

/* Looks at all points that are kept so far; those deeper than the tolerance get a fate of 2. Depths
 * are independent of each other; the deepest is found in the order of the points. */
static found look(const double *x, int64_t n, double tolerance, depth_fn depth, const void *of,
                  unsigned char *fate)
{
    found f = {0};
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        if (fate[i] && depth(of, x + 3 * i) > tolerance) fate[i] = 2;
    for (int64_t i = 0; i < n; i++) {
        if (fate[i] != 2) continue;
        const double d = depth(of, x + 3 * i);
        f.n++;
        if (!(d > f.depth)) continue;
        f.depth = d;
        memcpy(f.x, x + 3 * i, sizeof f.x);
    }
    return f;
}

static void settle(unsigned char *fate, int64_t n, int is_cut)
{
    for (int64_t i = 0; i < n; i++)
        if (fate[i] == 2) fate[i] = !is_cut;
}

/* ---------------------------------------------------------------- depths */

typedef struct in_collider {
    const firn_collider *collider;
    double time;
} in_collider;

static double depth_in_collider(const void *of, const double x[3])
{
    const in_collider *in = of;
    return -firn_contact_distance(in->collider, x, in->time);
}

int firn_overlap_in_collider(const firn_collider *c, const double x[3], double time,
                             double tolerance, double *depth)
{
    *depth = -firn_contact_distance(c, x, time);
    return *depth > tolerance; /* not where a caller's function returns NaN */
}

static int is_closed(firn_wall wall)
{
    return wall != FIRN_WALL_OPEN && wall != FIRN_WALL_DELETE && wall != FIRN_WALL_PERIODIC;
}

static double depth_beyond_walls(const void *of, const double x[3])
{
    const firn_grid_def *grid = of;
    double most = -INFINITY;
    for (int w = 0; w < 6; w++)
        if (is_closed(grid->walls[w]))
            most = fmax(most,
                        w & 1 ? x[w / 2] - grid->box_max[w / 2] : grid->box_min[w / 2] - x[w / 2]);
    return most;
}

typedef struct in_shape {
    const firn_shape *shape;
    double low[3], high[3];
} in_shape;

static double depth_in_shape(const void *of, const double x[3])
{
    const in_shape *in = of;
    for (int a = 0; a < 3; a++)
        if (x[a] < in->low[a] || x[a] > in->high[a]) return -INFINITY;
    return -firn_shape_distance(in->shape, x, 0);
}

/* ---------------------------------------------------------------- one body */

/* One sentence for all kinds: `what` names the other thing, `remedy` what can be set. */
static void report(firn_overlap_scene *o, const firn_body_def *body, int64_t n, const found *f,
                   const char *what, firn_overlap fate, const char *remedy)
{
    char sentence[1024];
    const int is_refused = fate == FIRN_OVERLAP_REFUSE;
    snprintf(sentence, sizeof sentence,
             "body '%s': %lld of its %lld particles (%.3g %%) begin %s, up to %.3g m deep, the "
             "deepest at %.4g %.4g %.4g m%s; try: %s",
             body->name, (long long)f->n, (long long)n, 100.0 * (double)f->n / (double)n, what,
             f->depth, f->x[0], f->x[1], f->x[2], is_refused ? "" : ", and are left out", remedy);
    if (is_refused)
        firn_messages_add(o->messages, FIRN_REFUSED, "%s", sentence);
    else
        firn_messages_warn(o->messages, "%s", sentence);
    o->is_refused |= is_refused;
}

static void find_in_colliders(firn_overlap_scene *o, const firn_body_def *body, double tolerance,
                              int64_t n, const double *x, unsigned char *keep)
{
    firn_sim *sim = o->sim;
    for (int c = 0; c < sim->n_colliders; c++) {
        firn_collider *collider = &sim->colliders[c];
        char what[FIRN_NAME + 32];
        if (collider->def.overlap == FIRN_OVERLAP_KEEP) continue;
        if (!(collider->def.start <= sim->time && sim->time < collider->def.stop)) continue;
        firn_motion_at(&collider->motion, sim->time, collider->def.start, &collider->pose);
        const in_collider in = {collider, sim->time};
        const found f = look(x, n, tolerance, depth_in_collider, &in, keep);
        if (!f.n) continue;
        snprintf(what, sizeof what, "inside collider '%s'", collider->def.name);
        report(o, body, n, &f, what, collider->def.overlap,
               collider->def.overlap == FIRN_OVERLAP_CUT
                   ? "move one of them, or `overlap: keep` in the collider"
                   : "move one of them, or `overlap: cut` in the collider");
        settle(keep, n, collider->def.overlap == FIRN_OVERLAP_CUT);
    }
}

static void find_beyond_walls(firn_overlap_scene *o, const firn_body_def *body, double tolerance,
                              int64_t n, const double *x, unsigned char *keep)
{
    const firn_grid_def *grid = &o->scene->grid;
    if (!grid->has_box || grid->overlap == FIRN_OVERLAP_KEEP) return;
    const found f = look(x, n, tolerance, depth_beyond_walls, grid, keep);
    if (!f.n) return;
    report(o, body, n, &f, "beyond closed walls of the box", grid->overlap,
           grid->overlap == FIRN_OVERLAP_CUT ? "a larger box, or `overlap: keep` in the grid"
                                             : "a larger box, or `overlap: cut` in the grid");
    settle(keep, n, grid->overlap == FIRN_OVERLAP_CUT);
}

/* What becomes of the points of body i in body j. */
static firn_overlap between(const firn_scene_def *scene, int i, int j)
{
    const firn_overlap a = scene->bodies[i].overlap, b = scene->bodies[j].overlap;
    if (a == FIRN_OVERLAP_KEEP || b == FIRN_OVERLAP_KEEP) return FIRN_OVERLAP_KEEP;
    if (a == FIRN_OVERLAP_CUT && (b != FIRN_OVERLAP_CUT || i > j)) return FIRN_OVERLAP_CUT;
    return FIRN_OVERLAP_REFUSE;
}

/* Whether it is looked at from i's side: where i gives way always, else once for each pair, from
 * the side of the later body or of the one without a shape. */
static int is_asked(const firn_overlap_scene *o, int i, int j)
{
    if (i == j || !o->sources[j].shape) return 0;
    if (between(o->scene, i, j) == FIRN_OVERLAP_CUT) return 1;
    if (between(o->scene, j, i) == FIRN_OVERLAP_CUT) return !o->sources[i].shape;
    return i > j || !o->sources[i].shape;
}

static void find_in_bodies(firn_overlap_scene *o, int i, double tolerance, int64_t n,
                           const double *x, unsigned char *keep)
{
    const firn_body_def *body = &o->scene->bodies[i];
    for (int j = 0; j < o->scene->n_bodies; j++) {
        char what[FIRN_NAME + 32], remedy[3 * FIRN_NAME + 160];
        in_shape in = {.shape = o->sources[j].shape};
        if (!is_asked(o, i, j)) continue;
        const firn_overlap fate = between(o->scene, i, j);
        if (fate == FIRN_OVERLAP_KEEP || !firn_shape_bounds(in.shape, in.low, in.high)) continue;
        const found f = look(x, n, tolerance, depth_in_shape, &in, keep);
        if (!f.n) continue;
        const char *other = o->scene->bodies[j].name;
        snprintf(what, sizeof what, "inside body '%s'", other);
        if (fate == FIRN_OVERLAP_REFUSE)
            snprintf(remedy, sizeof remedy,
                     "bodies.%s.overlap=cut, so that '%s' keeps the space, bodies.%s.overlap=cut "
                     "for the other way round, or move one of them",
                     body->name, other, other);
        else
            snprintf(remedy, sizeof remedy, "move one of them, or `overlap: refuse`");
        report(o, body, n, &f, what, fate, remedy);
        settle(keep, n, fate == FIRN_OVERLAP_CUT);
    }
}

void firn_overlap_find(firn_overlap_scene *o, int body, double spacing, int64_t n, const double *x,
                       unsigned char *keep)
{
    const firn_body_def *def = &o->scene->bodies[body];
    memset(keep, 1, (size_t)n);
    find_in_colliders(o, def, TOLERANCE * spacing, n, x, keep);
    find_beyond_walls(o, def, TOLERANCE * spacing, n, x, keep);
    find_in_bodies(o, body, TOLERANCE * spacing, n, x, keep);
}

/* ---------------------------------------------------------------- during a run */

/* The collider that x is deepest in; -1: none. Poses are those of the last step. */
static int deepest_in(const firn_sim *sim, const double x[3], double *depth)
{
    int deepest = -1;
    *depth = 0;
    for (int c = 0; c < sim->n_colliders; c++) {
        firn_collider collider = sim->colliders[c];
        if (!(collider.def.start <= sim->time && sim->time < collider.def.stop)) continue;
        if (sim->n_steps == 0)
            firn_motion_at(&collider.motion, sim->time, collider.def.start, &collider.pose);
        const double d = -firn_contact_distance(&collider, x, sim->time);
        if (!(d > *depth)) continue;
        *depth = d;
        deepest = c;
    }
    return deepest;
}

double firn_overlap_depth(const firn_sim *sim, const double x[3])
{
    double depth;
    deepest_in(sim, x, &depth);
    return depth;
}

firn_overlap_sunk firn_overlap_find_sunk(const firn_sim *sim)
{
    const firn_method *method = sim->method;
    firn_overlap_sunk s = {.collider = -1};
    for (int m = 0; sim->n_colliders > 0 && m < sim->n_materials; m++) {
        firn_place at = {.material = m};
        for (at.block = 0; at.block < method->n_blocks(sim, m); at.block++)
            for (at.index = 0; at.index < method->block_size(sim, m, at.block); at.index++) {
                double x[3], depth;
                method->read(sim, at, 1, FIRN_FIELD_X, x);
                const int c = deepest_in(sim, x, &depth);
                s.n_all++;
                if (!(depth > 0.5 * sim->h)) continue;
                s.n++;
                if (!(depth > s.depth)) continue;
                s.depth = depth;
                s.collider = c;
                memcpy(s.x, x, sizeof s.x);
            }
    }
    return s;
}

/* ---------------------------------------------------------------- material that is there */

static size_t n_of(const firn_overlap_fill *fill)
{
    return (size_t)(fill->n[0] * fill->n[1] * fill->n[2]);
}

/* Adds the volume of a particle to its eight nodes. */
static void add_to_fill(firn_overlap_fill *fill, const double x[3], double volume)
{
    int64_t at[3];
    double t[3];
    for (int a = 0; a < 3; a++) {
        const double c = (x[a] - fill->low[a]) / fill->h;
        if (!(c >= 0 && c < (double)fill->n[a] - 1)) return;
        at[a] = (int64_t)c;
        t[a] = c - (double)at[a];
    }
    for (int k = 0; k < 8; k++) {
        double w = volume / (fill->h * fill->h * fill->h);
        int64_t place = 0;
        for (int a = 0; a < 3; a++) {
            const int up = k >> a & 1;
            w *= up ? t[a] : 1 - t[a];
            place = place * fill->n[a] + at[a] + up;
        }
        fill->share[place] += (float)w;
    }
}

/* Particles in the order of their blocks: the same sums for any number of threads and ranks. */
firn_status firn_overlap_fill_measure(firn_sim *sim, const double low[3], const double high[3],
                                      firn_overlap_fill *fill)
{
    const firn_method *method = sim->method;
    *fill = (firn_overlap_fill){.h = sim->h};
    for (int a = 0; a < 3; a++) {
        fill->low[a] = low[a] - 2 * sim->h;
        fill->n[a] = (int64_t)ceil((high[a] - low[a]) / sim->h) + 6;
    }
    fill->share = firn_memory_array(&sim->memory, n_of(fill), sizeof *fill->share);
    const firn_status status = fill->share ? FIRN_OK : FIRN_MEMORY;
    if (firn_comm_agree(&sim->comm, status) != FIRN_OK) return FIRN_MEMORY;
    for (int m = 0; m < sim->n_materials; m++) {
        firn_place at = {.material = m};
        firn_comm_sum_begin(&sim->comm, fill->share, n_of(fill) * sizeof *fill->share);
        for (at.block = 0; at.block < method->n_blocks(sim, m); at.block++)
            for (at.index = 0; at.index < method->block_size(sim, m, at.block); at.index++) {
                double x[3], volume;
                method->read(sim, at, 1, FIRN_FIELD_X, x);
                method->read(sim, at, 1, FIRN_FIELD_VOLUME, &volume);
                add_to_fill(fill, x, volume);
            }
        firn_comm_sum_end(&sim->comm, fill->share, n_of(fill) * sizeof *fill->share);
    }
    return FIRN_OK;
}

double firn_overlap_fill_at(const firn_overlap_fill *fill, const double x[3])
{
    int64_t at[3];
    double t[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        const double c = (x[a] - fill->low[a]) / fill->h;
        if (!(c >= 0 && c < (double)fill->n[a] - 1)) return 0;
        at[a] = (int64_t)c;
        t[a] = c - (double)at[a];
    }
    for (int k = 0; k < 8; k++) {
        double w = 1;
        int64_t place = 0;
        for (int a = 0; a < 3; a++) {
            const int up = k >> a & 1;
            w *= up ? t[a] : 1 - t[a];
            place = place * fill->n[a] + at[a] + up;
        }
        sum += w * (double)fill->share[place];
    }
    return sum;
}

void firn_overlap_fill_clear(firn_sim *sim, firn_overlap_fill *fill)
{
    firn_memory_release(&sim->memory, fill->share, n_of(fill) * sizeof *fill->share);
    fill->share = NULL;
}
