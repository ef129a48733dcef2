/* SPDX-License-Identifier: MIT */
/* emitter.c: the geometry of one emitter (emitter.h). Every function depends on places and times
 * alone, never on previous calls, so that threads, restarts and deferred births give the same
 * particles.
 *
 * Notation: d distance (m, negative inside), v the emitter's velocity, s spacing (m) of particles.
 * Distances that are interpolated between voxels have the Lipschitz constant sqrt 3, so searches
 * advance by half of the distance, d / 2 < d / sqrt 3. */
#include "solver/emitter.h"
#include "base/random.h"
#include "geometry/lattice.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- chance without state */

double firn_emitter_chance(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t z = seed * FIRN_RANDOM_STEP + a * FIRN_RANDOM_A + b * FIRN_RANDOM_B;
    return firn_random_unit(firn_random_mix(z + 0x2545f4914f6cdd1du));
}

/* ---------------------------------------------------------------- the lattice that drifts */

/* The time before `time` from which on the lattice has drifted for `length` s at full velocity. */
static double drifting_since(const firn_emitter *e, double time, double length)
{
    const double whole = firn_emitter_flowed(e, e->def.start, time, FIRN_EMITTER_VELOCITY);
    if (e->def.n_keys == 0) return time - length;
    return whole > length
               ? firn_emitter_when(e, e->def.start, whole - length, FIRN_EMITTER_VELOCITY)
               : e->def.start;
}

/* Whether the lattice point at x at `time` is inside, or has been since `since`. Its path is traced
 * back to that time, or to its entry into the bounds, in steps of half the distance from the
 * surface, and of s / 32 at least: at a coarser step bounds that move askew lose 0.4 % of their
 * stream at the edges. */
int firn_emitter_was_inside(const firn_emitter *e, const double x[3], double time, double since)
{
    double longest = INFINITY, speed2 = 0, y[3]; /* s, length of the trace */
    for (int a = 0; a < 3; a++) {
        const double v = e->def.velocity[a], into = v > 0 ? x[a] - e->low[a] : e->high[a] - x[a];
        if (v != 0) longest = fmin(longest, (into + e->spacing) / fabs(v));
        speed2 += v * v;
    }
    if (e->def.n_keys && longest < INFINITY) longest = time - drifting_since(e, time, longest);
    longest = fmin(longest, time - since);
    const double speed = sqrt(speed2) * firn_emitter_largest_factor(e, FIRN_EMITTER_VELOCITY) +
                         firn_shape_speed(e->shape);
    for (double ago = 0; ago <= longest;) {
        const double drifted = firn_emitter_flowed(e, time - ago, time, FIRN_EMITTER_VELOCITY);
        for (int a = 0; a < 3; a++)
            y[a] = x[a] - e->def.velocity[a] * (e->def.n_keys ? drifted : ago);
        const double d = firn_shape_distance(e->shape, y, time - ago);
        if (d <= 0) return 1;
        if (ago == longest || 0.5 * d >= (longest - ago) * speed) return 0;
        ago = fmin(longest, ago + fmax(0.5 * d, 0.03125 * e->spacing) / speed);
    }
    return 0;
}

/* ---------------------------------------------------------------- the surface */

/* Moves x, which is close to the surface, onto it; v becomes the velocity of emission there, and
 * the result is its normal component. The normal is that at the original x: points outside an edge
 * emit obliquely, and the patches together emit as much as the faces. Distances of united shapes
 * are lower bounds, so several iterations may be needed. */
double firn_emitter_onto_surface(const firn_emitter *e, double time, double x[3], double v[3])
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

/* Offset of the lattice from the origin, in spacings. Faces often lie at multiples of dx, where
 * round-off would decide on which side of a face a lattice point lies. */
static const double shift_of_lattice[3] = {0.237, 0.413, 0.071};

#define FINE (1 / 3.0)

uint64_t firn_emitter_number(const int64_t at[3])
{
    return (uint64_t)at[0] * 0x100000001b3ull ^ (uint64_t)at[1] * 0x9e3779b1ull ^
           (uint64_t)at[2] * 0x85ebca77c2b2ae63ull;
}

/* Patches: the points of a lattice that lie in a thin layer along the surface, one per s^2 of area.
 * The layer is one spacing thick, half of it below the surface, of a lattice along the axes.
 *
 * Thin walls have room on one side only; a layer outside them has 60 % too many patches at convex
 * edges and almost none in concave ones. There the layer is FINE^3 s thick, of a lattice with
 * spacing FINE s (again one patch per s^2), which is rotated so that faces along the axes get their
 * share. Walls that move would pass through so thin a layer within a step, and no patch would last
 * long enough to emit evenly: they use the thick one. */
static int is_fine(const firn_emitter *e)
{
    return e->below == 0 && firn_shape_speed(e->shape) == 0;
}
static double layer_above(const firn_emitter *e)
{
    return is_fine(e) ? FINE * FINE * FINE : 1 - e->below;
}

int firn_emitter_is_patch(const firn_emitter *e, const firn_patch *patch, double time)
{
    if (firn_shape_speed(e->shape) == 0) return 1; /* only patches are kept */
    const double d = firn_shape_distance(e->shape, patch->x, time) / e->spacing;
    return d > -e->below && d <= layer_above(e);
}

static firn_status keep(firn_emitter *e, const double x[3], const int64_t at[3],
                        firn_memory *memory)
{
    if (e->n_patches == e->n_room) {
        const int64_t n_room = e->n_room ? 2 * e->n_room : 256;
        firn_patch *grown = firn_memory_array(memory, (size_t)n_room, sizeof *grown);
        if (!grown) return FIRN_MEMORY;
        if (e->n_patches) memcpy(grown, e->patches, (size_t)e->n_patches * sizeof *grown);
        firn_memory_release(memory, e->patches, (size_t)e->n_room * sizeof *grown);
        e->patches = grown;
        e->n_room = n_room;
    }
    e->patches[e->n_patches++] = (firn_patch){{x[0], x[1], x[2]}, firn_emitter_number(at)};
    return FIRN_OK;
}

/* One row of the lattice, skipping half of the distance to the layer at a time. */
static firn_status query_along(firn_emitter *e, double time, double step, double margin,
                               int64_t at[3], int64_t last, firn_memory *memory)
{
    const double above = layer_above(e) + margin, below = e->below + margin;
    for (; at[2] <= last; at[2]++) {
        const double index[3] = {(double)at[0], (double)at[1], (double)at[2]};
        double x[3];
        if (is_fine(e))
            firn_lattice_place(step, index, x);
        else
            for (int a = 0; a < 3; a++) x[a] = (index[a] + shift_of_lattice[a] + 0.5) * step;
        const double d = firn_shape_distance(e->shape, x, time) / e->spacing;
        if (d <= -below || d > above)
            at[2] += (int64_t)(fmax(0, d > 0 ? d - above : -d - below) * e->spacing / (2 * step));
        else if (keep(e, x, at, memory) != FIRN_OK)
            return FIRN_MEMORY;
    }
    return FIRN_OK;
}

/* Candidates stay valid while the surface has moved by less than the margin (a quarter of a
 * spacing; the factor 2 > sqrt 3 bounds distances between voxels). */
firn_status firn_emitter_query(firn_emitter *e, double time, firn_memory *memory)
{
    const double speed = firn_shape_speed(e->shape), margin = speed > 0 ? 0.25 : 0,
                 room = 2 * e->spacing;
    if (e->has_queried && 2 * speed * fabs(time - e->queried_at) <= margin * e->spacing)
        return FIRN_OK;
    const double step = e->spacing * (is_fine(e) ? FINE : 1);
    double low[3], high[3];
    int64_t first[3], last[3], at[3], end;
    for (int a = 0; a < 3; a++) {
        low[a] = e->low[a] - room;
        high[a] = e->high[a] + room;
        first[a] = (int64_t)floor(low[a] / step);
        last[a] = (int64_t)ceil(high[a] / step);
    }
    if (is_fine(e)) firn_lattice_rows(step, low, high, first, last);
    e->n_patches = 0;
    e->has_queried = 0;
    for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++) {
            at[2] = first[2];
            end = last[2];
            if (is_fine(e)) firn_lattice_row(step, low, high, at, &end);
            if (query_along(e, time, step, margin, at, end, memory) != FIRN_OK) return FIRN_MEMORY;
        }
    e->has_queried = 1;
    e->queried_at = time;
    return FIRN_OK;
}

/* Normal speed (m/s) with which particles are born at the surface next to x: that of emission from
 * the surface; else that of a stream that flows into the shape, or is swept by it, and was never
 * inside. x is moved onto the surface. */
static double speed_through(const firn_emitter *e, double time, double x[3])
{
    firn_surface_point s;
    double v[3];
    if (e->def.from == FIRN_FROM_SURFACE) return fmax(0, firn_emitter_onto_surface(e, time, x, v));
    firn_shape_query(e->shape, x, time, &s);
    double inward = -firn_emitter_onto_surface(e, time, x, v);
    for (int a = 0; a < 3; a++) inward += s.velocity[a] * s.normal[a];
    for (int a = 0; a < 3; a++) x[a] += 0.5 * e->spacing * s.normal[a];
    return inward > 0 && !firn_emitter_was_inside(e, x, time, e->def.start) ? inward : 0;
}

/* The middle of one part of a cell that is divided into n^3. */
static void middle_of(const firn_emitter *e, const int64_t cell[3], int part, int n, double x[3])
{
    const int parts[3] = {part / n / n, part / n % n, part % n};
    for (int a = 0; a < 3; a++)
        x[a] = ((double)cell[a] + shift_of_lattice[a] + (parts[a] + 0.5) / n) * e->spacing;
}

static double fade(double d) { return fmax(0, 1 - fabs(d)); }

/* Flow through one cell of the lattice, m^3/s: n^3 sample points, each standing for h^2 of the
 * surface, weighted by fade(d / h), a partition of unity along the normal, so the weights sum to
 * the area of any smooth surface. Where only the outside can be sampled (thin walls), edges and
 * rims gain area in proportion to the distance: 2 fade(d - 1) - fade(d - 2) extrapolates to
 * distance zero. */
static double flow_of_cell(const firn_emitter *e, double time, const int64_t cell[3], int n)
{
    double sum = 0, h = e->spacing / n, x[3];
    middle_of(e, cell, 0, 1, x);
    if (fabs(firn_shape_distance(e->shape, x, time)) > 1.5 * e->spacing) return 0;
    for (int m = 0; m < n * n * n; m++) {
        middle_of(e, cell, m, n, x);
        double d = firn_shape_distance(e->shape, x, time) / h;
        double weight = e->below > 0 ? fade(d) : 2 * fade(d - 1) - fade(d - 2);
        if (weight != 0) sum += weight * h * h * speed_through(e, time, x);
    }
    return sum;
}

/* Volume of the shape within a cube, m^3. Cubes that the surface may pass through (|d| <= 1.5 edge
 * >= sqrt 3 sqrt(3)/2 edge) are divided in eight, n times; the smallest count by a linear ramp of
 * d. */
static double volume_of_cube(const firn_emitter *e, double time, const double middle[3],
                             double edge, int n)
{
    const double d = firn_shape_distance(e->shape, middle, time), whole = edge * edge * edge;
    double sum = 0;
    if (fabs(d) > 1.5 * edge) return d < 0 ? whole : 0;
    if (n == 0) return whole * fmin(fmax(0.5 - d / edge, 0), 1);
    for (int part = 0; part < 8; part++) {
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = middle[a] + (part >> a & 1 ? 0.25 : -0.25) * edge;
        sum += volume_of_cube(e, time, x, 0.5 * edge, n - 1);
    }
    return sum;
}

static double volume_of_cell(const firn_emitter *e, double time, const int64_t cell[3], int n)
{
    double middle[3];
    middle_of(e, cell, 0, 1, middle);
    return volume_of_cube(e, time, middle, e->spacing, n);
}

/* The sum over all cells, plane by plane in a fixed order: independent of the number of threads. */
static firn_status sum_of_cells(const firn_emitter *e, double time,
                                double (*of_cell)(const firn_emitter *, double, const int64_t[3],
                                                  int),
                                int n, firn_memory *memory, double *sum)
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
            planes[i] += of_cell(
                e, time, (int64_t[3]){low[0] + i, low[1] + j / size[2], low[2] + j % size[2]}, n);
    for (int64_t i = 0; i < size[0]; i++) *sum += planes[i];
    firn_memory_release(memory, planes, (size_t)size[0] * sizeof *planes);
    return FIRN_OK;
}

firn_status firn_emitter_flow(const firn_emitter *e, double time, firn_memory *memory, double *flow)
{
    return sum_of_cells(e, time, flow_of_cell, e->below > 0 ? 4 : 8, memory, flow);
}

/* Flow through the true surface and through the patches, m^3/s. */
static firn_status find_flows(firn_emitter *e, double time, firn_memory *memory, double flow[2])
{
    firn_status status = firn_emitter_flow(e, time, memory, &flow[0]);
    e->has_queried = 0;
    flow[1] = 0;
    if (status == FIRN_OK) status = firn_emitter_query(e, time, memory);
    for (int64_t p = 0; p < e->n_patches && status == FIRN_OK; p++) {
        double x[3] = {e->patches[p].x[0], e->patches[p].x[1], e->patches[p].x[2]};
        if (firn_emitter_is_patch(e, &e->patches[p], time))
            flow[1] += e->spacing * e->spacing * speed_through(e, time, x);
    }
    return status;
}

firn_status firn_emitter_volume(const firn_emitter *e, double time, firn_memory *memory,
                                double *volume)
{
    return sum_of_cells(e, time, volume_of_cell, 3, memory, volume);
}

/* In walls thinner than two spacings a layer below the surface would miss most patches, or reach
 * those of the other side: patches lie outside alone. */
void firn_emitter_choose_sides(firn_emitter *e)
{
    e->below = 0.5;
    for (int i = 0; i < e->def.n_shapes; i++)
        if (e->def.shapes[i].thickness > 0 && e->def.shapes[i].thickness < 2 * e->spacing)
            e->below = 0;
}

/* share = true flow / flow of the patches: a lattice cannot cover a curved surface evenly, and the
 * correction of the emission times makes the total exact. */
firn_status firn_emitter_share(firn_emitter *e, firn_memory *memory, firn_messages *messages)
{
    double flow[2], start = e->def.start;
    firn_status status = find_flows(e, start, memory, flow);
    if (status == FIRN_OK && e->below > 0 && flow[1] < 0.8 * flow[0]) {
        e->below = 0;
        status = find_flows(e, start, memory, flow);
    }
    e->share = status == FIRN_OK && flow[0] > 0 && flow[1] > 0 ? flow[0] / flow[1] : 1;
    if (status == FIRN_OK && !(flow[0] > 0))
        firn_messages_warn(
            messages,
            "emitter '%s': emits nothing at its start, as velocity and outward point into "
            "its shape everywhere; try: outward above 0, a larger velocity, or a rate",
            e->def.name);
    else if (status == FIRN_OK && !(flow[1] > 0))
        firn_messages_warn(
            messages,
            "emitter '%s': emits nothing, as its shape is too small for particles %.3g m "
            "apart; try: a smaller grid.dx, more particles_per_cell, a larger shape, or a "
            "rate",
            e->def.name, e->spacing);
    return status;
}
