/* SPDX-License-Identifier: MIT */
/* sampling.c: fills a shape with points, one for each cube of edge h (the spacing).
 *
 * regular   the centres of a lattice of cubes that is centred in the shape's bounding box. A box
 *           whose edges are whole multiples of h gets exactly volume / h^3 points, symmetric about
 *           its centre.
 * jittered  one point at a random place of each cube; points inside the shape are kept.
 * poisson   blue noise: random, no two points nearer than r = .85 h or so, and no room left for
 *           another one. One periodic cube is filled, and space is tiled with it. So the number
 *           density is exactly 1 / h^3 up to the surface (filling the shape itself would crowd its
 *           surface), and a point costs little. The tile is as large as the shape, up to
 *           TILE_POINTS points.
 *
 * bcc       a body-centred cubic lattice, its nodes at the corners and the centres of cubes of edge
 *           a = cbrt(2) h, one of them in the middle of the bounding box: among half-cubes of edge
 *           a/2 those whose three numbers, counted from the middle one, are all even or all odd.
 *           Eight nearest neighbours at .866 a, six more at a.
 *
 * A body may have two densities, near its surface and inside: two samplings, each between two
 * depths.
 *
 * Random numbers are hashes of seed and place: the same points in the same order for any number of
 * threads. Space is cut into blocks; one distance query at a block's centre shows that most blocks
 * are wholly inside or outside (distances are 1-Lipschitz), in the others each point is queried.
 * Points are ordered by block, x slowest.
 *
 * Dart throwing over a grid of cells with at most one point each: L.-Y. Wei, Parallel Poisson disk
 * sampling, ACM TOG 27(3), 2008; here conflicts are decided by priority instead of by phases of
 * cells. */
#include "geometry/sampling.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 8, TILE_POINTS = 60000 }; /* less than 124^3 cells: a row's bits fit into 128 */

#define MAX_POINTS 4.0e9

/* ---------------------------------------------------------------- the blue-noise tile */

/* A periodic cube of g^3 cells of edge r / sqrt(3), so that each holds at most one point; lengths
 * in cells. A row has one bit for each cell along z: bit k + 2 for cell k, and copies of the other
 * end beyond both ends, so that the five cells around k are one shift away. Most are empty. */
typedef unsigned __int128 tile_row;
typedef struct tile {
    int g;
    int64_t n;        /* points */
    double edge;      /* of the cube, in units of h: cbrt(n) */
    float (*cell)[3]; /* [cell] its point or dart, within the cell */
    tile_row *taken, *thrown, *won;
    size_t n_bytes, n_row_bytes;
} tile;

static int has(const tile *t, const tile_row *rows, int i, int j, int k)
{
    return (int)(rows[i * t->g + j] >> (k + 2)) & 1;
}

static void mark(const tile *t, tile_row *rows, int i, int j, int k)
{
    tile_row *row = &rows[i * t->g + j], one = 1;
    *row |= one << (k + 2);
    if (k < 2) *row |= one << (k + 2 + t->g);
    if (k >= t->g - 2) *row |= one << (k + 2 - t->g);
}

/* The bits of cells k-2 .. k+2: two bytes of the little-endian row hold them all. */
static unsigned five_around(const tile_row *row, int k)
{
    uint16_t bits;
    memcpy(&bits, (const char *)row + (k >> 3), sizeof bits);
    return (unsigned)bits >> (k & 7) & 31u;
}

static int wrap(int i, int g) { return i < 0 ? i + g : i >= g ? i - g : i; }

static uint64_t dart(uint64_t round_seed, int i, int j, int k)
{
    return firn_random_of_cell(round_seed, i, j, k);
}

/* The priority of a dart. Other bits than those of its place: points would crowd at the upper ends
 * of cells. */
static uint64_t rank(uint64_t round_seed, int i, int j, int k)
{
    return firn_random_mix(dart(round_seed, i, j, k) + 1);
}

/* 1 where u in cell (i, j, k) is at least r = sqrt(3) cells from each point of `rows`; with a
 * round's seed (rivals) only from those of higher rank. */
static int is_free(const tile *t, const tile_row *rows, int i, int j, int k, const float u[3],
                   const uint64_t *rivals)
{
    static const int order[5] = {0, -1, 1, -2, 2}; /* near rows first: most darts fail there */
    uint64_t mine = rivals ? rank(*rivals, i, j, k) : 0;
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++) {
            int oi = order[a], oj = order[b], ni = wrap(i + oi, t->g), nj = wrap(j + oj, t->g);
            for (unsigned five = five_around(&rows[ni * t->g + nj], k); five; five &= five - 1) {
                int ok = __builtin_ctz(five) - 2, nk = wrap(k + ok, t->g);
                const float *q = t->cell[((size_t)ni * t->g + nj) * t->g + nk];
                float d0 = oi + q[0] - u[0], d1 = oj + q[1] - u[1], d2 = ok + q[2] - u[2];
                if (d0 * d0 + d1 * d1 + d2 * d2 >= 3) continue;
                if (!rivals || rank(*rivals, ni, nj, nk) > mine) return 0;
            }
        }
    return 1;
}

/* A dart into each empty cell of a plane; those far enough from all points remain. */
static void throw_plane(tile *t, int i, uint64_t seed)
{
    for (int j = 0; j < t->g; j++)
        for (int k = 0; k < t->g; k++) {
            if (has(t, t->taken, i, j, k)) continue;
            double u[3];
            firn_random_unit_cube(dart(seed, i, j, k), u);
            float *q = t->cell[((size_t)i * t->g + j) * t->g + k],
                  f[3] = {(float)u[0], (float)u[1], (float)u[2]};
            if (!is_free(t, t->taken, i, j, k, f, NULL)) continue;
            memcpy(q, f, sizeof f);
            mark(t, t->thrown, i, j, k);
        }
}

/* Of darts that are too near to each other the one with the highest rank becomes a point. */
static void elect_plane(tile *t, int i, uint64_t seed)
{
    for (int j = 0; j < t->g; j++)
        for (int k = 0; k < t->g; k++) {
            if (!has(t, t->thrown, i, j, k)) continue;
            const float *q = t->cell[((size_t)i * t->g + j) * t->g + k];
            if (is_free(t, t->thrown, i, j, k, q, &seed)) mark(t, t->won, i, j, k);
        }
}

/* Each round is three sweeps in which the order of cells has no effect: no bias, and the same points
 * for any number of threads. */
static void throw_darts(tile *t, uint64_t seed)
{
    enum { ROUNDS = 14 };
    int n_rows = t->g * t->g;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t round_seed = firn_random_mix(seed + 77u * (uint64_t)(round + 1));
#pragma omp parallel for schedule(dynamic, 4)
        for (int i = 0; i < t->g; i++) throw_plane(t, i, round_seed);
#pragma omp parallel for schedule(dynamic, 4)
        for (int i = 0; i < t->g; i++) elect_plane(t, i, round_seed);
        for (int row = 0; row < n_rows; row++) {
            t->taken[row] |= t->won[row];
            t->won[row] = t->thrown[row] = 0;
        }
    }
}

static void free_tile(tile *t)
{
    firn_memory_release(NULL, t->cell, t->n_bytes);
    firn_memory_release(NULL, t->taken, t->n_row_bytes);
}

static firn_status make_tile(tile *t, double n_wanted, uint64_t seed, firn_messages *messages)
{
    /* about seven cells for each point, and at least nine along an edge, so that no cell is its own
     * neighbour */
    t->g = (int)fmax(9, ceil(cbrt(7.5 * fmin(n_wanted, TILE_POINTS))));
    size_t n_rows = (size_t)t->g * t->g;
    t->n_bytes = n_rows * t->g * sizeof *t->cell;
    t->n_row_bytes = 3 * n_rows * sizeof *t->taken;
    t->cell = firn_memory_allocate(NULL, t->n_bytes);
    t->taken = firn_memory_allocate(NULL, t->n_row_bytes);
    if (!t->cell || !t->taken) return firn_messages_no_memory(messages, "sampling of a shape");
    t->thrown = t->taken + n_rows;
    t->won = t->thrown + n_rows;
    throw_darts(t, seed);
    t->n = 0;
    for (int i = 0; i < t->g; i++)
        for (int j = 0; j < t->g; j++)
            for (int k = 0; k < t->g; k++) t->n += has(t, t->taken, i, j, k);
    t->edge = cbrt((double)t->n);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- blocks */

typedef struct sampler {
    const firn_shape *shape;
    firn_sampling sampling;
    int is_section;     /* of the plane z = 0 alone */
    double h, cell;     /* m; edge of a lattice cell: h, or the tile's cell */
    double least, most; /* m, depths below the surface that are filled: least < depth <= most */
    double middle[3];   /* of the lattice and of the bounding box */
    int64_t n_cells[3], n_blocks[3];
    uint64_t seed;
    const tile *tile;
} sampler;

/* The point of a lattice cell; 0 where there is none (an empty cell of the tile). */
static int candidate(const sampler *s, const int64_t c[3], double x[3])
{
    double u[3] = {0.5, 0.5, 0.5};
    if (s->sampling == FIRN_JITTERED)
        firn_random_unit_cube(firn_random_of_cell(s->seed, c[0], c[1], c[2]), u);
    if (s->is_section) u[2] = 0.5; /* of one cell about z = 0 */
    if (s->sampling == FIRN_BCC) {
        const int64_t odd = (c[0] - s->n_cells[0] / 2) & 1;
        for (int i = 1; i < 3; i++)
            if (((c[i] - s->n_cells[i] / 2) & 1) != odd) return 0;
    }
    if (s->sampling == FIRN_POISSON) {
        int g = s->tile->g;
        int a = (int)(c[0] % g), b = (int)(c[1] % g), e = (int)(c[2] % g);
        if (!has(s->tile, s->tile->taken, a, b, e)) return 0;
        const float *q = s->tile->cell[((size_t)a * g + b) * g + e];
        for (int i = 0; i < 3; i++) u[i] = q[i];
    }
    /* counted from the middle, so that mirrored lattice points are exactly mirrored */
    for (int i = 0; i < 3; i++)
        x[i] = s->middle[i] + s->cell * ((double)c[i] + u[i] - 0.5 * (double)s->n_cells[i]);
    return 1;
}

/* Points of block b; out NULL: counts only. Points nearer to the surface than rounding are left out
 * on all sides alike. */
static int64_t fill_block(const sampler *s, int64_t b, double *out)
{
    int64_t first[3], n = 0;
    first[2] = b % s->n_blocks[2] * BLOCK;
    first[1] = b / s->n_blocks[2] % s->n_blocks[1] * BLOCK;
    first[0] = b / s->n_blocks[2] / s->n_blocks[1] * BLOCK;
    double middle[3], reach = 0.5 * sqrt(3) * BLOCK * s->cell * (1 + 1e-9), sliver = 1e-9 * s->h;
    for (int i = 0; i < 3; i++)
        middle[i] =
            s->middle[i] + s->cell * ((double)first[i] + 0.5 * BLOCK - 0.5 * (double)s->n_cells[i]);
    double distance = firn_shape_distance(s->shape, middle, 0), least = fmax(s->least, sliver);
    if (distance - reach > -s->least || distance + reach < -s->most) return 0;
    int is_inside = distance + reach < -least && distance - reach > -s->most;
    int64_t c[3];
    for (c[0] = first[0]; c[0] < first[0] + BLOCK && c[0] < s->n_cells[0]; c[0]++)
        for (c[1] = first[1]; c[1] < first[1] + BLOCK && c[1] < s->n_cells[1]; c[1]++)
            for (c[2] = first[2]; c[2] < first[2] + BLOCK && c[2] < s->n_cells[2]; c[2]++) {
                double x[3];
                if (!candidate(s, c, x)) continue;
                double d = is_inside ? 0 : firn_shape_distance(s->shape, x, 0);
                if (!is_inside && !(d < -least && d >= -s->most)) continue;
                if (out) memcpy(out + 3 * n, x, sizeof x);
                n++;
            }
    return n;
}

static firn_status fill(const sampler *s, double **xyz, int64_t *n, firn_messages *messages)
{
    int64_t n_blocks = s->n_blocks[0] * s->n_blocks[1] * s->n_blocks[2], total = 0;
    int64_t *start = firn_memory_array(NULL, (size_t)n_blocks, sizeof *start);
    if (!start) return firn_messages_no_memory(messages, "sampling of a shape");
    firn_status status = FIRN_OK;
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t b = 0; b < n_blocks; b++) start[b] = fill_block(s, b, NULL);
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t count = start[b];
        start[b] = total;
        total += count;
    }
    double *points = total ? firn_memory_array(NULL, (size_t)total, 3 * sizeof *points) : NULL;
    if (total > 0 && !points)
        status = firn_messages_no_memory(messages, "%lld points", (long long)total);
    else if (total > 0) {
#pragma omp parallel for schedule(dynamic, 64)
        for (int64_t b = 0; b < n_blocks; b++) fill_block(s, b, points + 3 * start[b]);
        *xyz = points;
        *n = total;
    }
    firn_memory_release(NULL, start, (size_t)n_blocks * sizeof *start);
    return status;
}

/* ---------------------------------------------------------------- entry */

static firn_status check(const firn_shape *shape, int is_section, double h, double min[3],
                         double max[3], double *n_box, firn_messages *messages)
{
    if (!(h > 0) || !isfinite(h))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "spacing of points is %g m; allowed: greater than 0", h);
    if (!firn_shape_bounds(shape, min, max))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "an unbounded shape (plane, half_space) cannot be filled with "
                                 "points; try: join it with "
                                 "a bounded one by csg: intersection");
    if (is_section) min[2] = max[2] = 0;
    *n_box = 1;
    for (int i = 0; i < 3; i++) *n_box *= ceil(fmax(0, max[i] - min[i]) / h) + 1;
    if (*n_box < MAX_POINTS) return FIRN_OK;
    return firn_messages_add(
        messages, FIRN_REFUSED,
        "a spacing of %g m puts up to %.3g points into the shape's box of %g x %g x %g m; allowed: "
        "at most %.0g; try: a larger dx, or fewer particles_per_cell",
        h, *n_box, max[0] - min[0], max[1] - min[1], max[2] - min[2], MAX_POINTS);
}

/* The points of the shape between two depths below its surface, m; there may be none. */
static firn_status sample(const firn_shape *shape, firn_sampling sampling, int is_section,
                          double spacing, double least, double most, uint64_t seed, double **xyz,
                          int64_t *n, firn_messages *messages)
{
    *xyz = NULL;
    *n = 0;
    double min[3], max[3], n_box = 0;
    if (is_section && (sampling == FIRN_POISSON || sampling == FIRN_BCC))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "sampling of a section: is %s; allowed: regular, jittered",
                                 sampling == FIRN_BCC ? "bcc" : "poisson");
    firn_status status = check(shape, is_section, spacing, min, max, &n_box, messages);
    if (status) return status;
    sampler s = {.shape = shape,
                 .sampling = sampling,
                 .is_section = is_section,
                 .h = spacing,
                 .cell = spacing,
                 .least = least,
                 .most = most,
                 .seed = seed};
    tile t = {0};
    if (sampling == FIRN_POISSON) {
        status = make_tile(&t, n_box, seed, messages);
        if (status) goto done;
        s.cell = spacing * t.edge / t.g;
        s.tile = &t;
    }
    if (sampling == FIRN_BCC) s.cell = 0.5 * cbrt(2) * spacing;
    for (int i = 0; i < 3; i++) {
        s.middle[i] = 0.5 * (min[i] + max[i]);
        s.n_cells[i] = (int64_t)fmax(1, ceil((max[i] - min[i]) / s.cell - 1e-6));
        if (sampling == FIRN_BCC) s.n_cells[i] |= 1; /* a half-cube in the middle */
        s.n_blocks[i] = (s.n_cells[i] + BLOCK - 1) / BLOCK;
    }
    status = fill(&s, xyz, n, messages);
done:
    free_tile(&t);
    return status;
}

/* With the size of the shape: a file in other units shows there. */
static firn_status refuse_emptiness(const firn_shape *shape, double spacing, int is_section,
                                    firn_messages *messages)
{
    double low[3], high[3];
    char size[128] = "";
    if (firn_shape_bounds(shape, low, high))
        snprintf(size, sizeof size, " (%.3g x %.3g x %.3g m)", high[0] - low[0], high[1] - low[1],
                 high[2] - low[2]);
    if (is_section)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "no point falls into the section z = 0 of the shape%s: it is "
                                 "empty, or thinner than the spacing (%g m); try: a shape about "
                                 "z = 0",
                                 size, spacing);
    return firn_messages_add(messages, FIRN_REFUSED,
                             "no point falls into the shape%s: it is empty, or thinner than the "
                             "spacing (%g m); try: a larger shape or scale, a smaller dx, or more "
                             "particles_per_cell",
                             size, spacing);
}

firn_status firn_sample_shape(const firn_shape *shape, firn_sampling sampling, double spacing,
                              uint64_t seed, double **xyz, int64_t *n, firn_messages *messages)
{
    firn_status status = sample(shape, sampling, 0, spacing, 0, INFINITY, seed, xyz, n, messages);
    return !status && *n == 0 ? refuse_emptiness(shape, spacing, 0, messages) : status;
}

static firn_status sample_layers(const firn_shape *shape, firn_sampling sampling, int is_section,
                                 const double spacing[2], double depth, uint64_t seed, double **xyz,
                                 int64_t *n, int64_t *n_surface, firn_messages *messages)
{
    double *layer[2] = {NULL, NULL};
    int64_t count[2] = {0, 0};
    *xyz = NULL;
    *n = *n_surface = 0;
    firn_status status = sample(shape, sampling, is_section, spacing[0], 0, depth, seed, &layer[0],
                                &count[0], messages);
    if (!status)
        status = sample(shape, sampling, is_section, spacing[1], depth, INFINITY, seed + 1,
                        &layer[1], &count[1], messages);
    int64_t total = count[0] + count[1];
    if (!status && total == 0) status = refuse_emptiness(shape, spacing[0], is_section, messages);
    if (!status && !(*xyz = firn_memory_array(NULL, (size_t)total, 3 * sizeof **xyz)))
        status = firn_messages_no_memory(messages, "%lld points", (long long)total);
    for (int k = 0; k < 2; k++) {
        size_t bytes = (size_t)count[k] * 3 * sizeof **xyz;
        if (!status && bytes) memcpy(*xyz + (k ? 3 * count[0] : 0), layer[k], bytes);
        firn_memory_release(NULL, layer[k], bytes);
    }
    if (!status) {
        *n = total;
        *n_surface = count[0];
    }
    return status;
}

firn_status firn_sample_layers(const firn_shape *shape, firn_sampling sampling,
                               const double spacing[2], double depth, uint64_t seed, double **xyz,
                               int64_t *n, int64_t *n_surface, firn_messages *messages)
{
    return sample_layers(shape, sampling, 0, spacing, depth, seed, xyz, n, n_surface, messages);
}

firn_status firn_sample_section(const firn_shape *shape, firn_sampling sampling,
                                const double spacing[2], double depth, uint64_t seed, double **xyz,
                                int64_t *n, int64_t *n_surface, firn_messages *messages)
{
    if (depth > 0)
        return sample_layers(shape, sampling, 1, spacing, depth, seed, xyz, n, n_surface, messages);
    *n_surface = 0;
    firn_status status =
        sample(shape, sampling, 1, spacing[1], 0, INFINITY, seed, xyz, n, messages);
    return !status && *n == 0 ? refuse_emptiness(shape, spacing[1], 1, messages) : status;
}

/* Lattice points within the first n_axes axes; z = 0 where there are two. */
static int measure(const firn_shape *shape, double time, double depth, int n_axes, double sizes[2])
{
    enum { LATTICE = 48 };
    double min[3], max[3], cell = 1, x[3] = {0, 0, 0};
    int64_t n[2] = {0, 0};
    const int n_points = n_axes == 3 ? LATTICE * LATTICE * LATTICE : LATTICE * LATTICE;
    if (!firn_shape_bounds(shape, min, max)) return 0;
    for (int a = 0; a < n_axes; a++) cell *= (max[a] - min[a]) / LATTICE;
    for (int i = 0; i < n_points; i++) {
        int k[3] = {i % LATTICE, i / LATTICE % LATTICE, i / LATTICE / LATTICE};
        for (int a = 0; a < n_axes; a++) x[a] = min[a] + (k[a] + 0.5) / LATTICE * (max[a] - min[a]);
        double d = firn_shape_distance(shape, x, time);
        n[d < -depth] += d < 0;
    }
    for (int k = 0; k < 2; k++) sizes[k] = cell * (double)n[k];
    return 1;
}

int firn_sample_volumes(const firn_shape *shape, double time, double depth, double volumes[2])
{
    return measure(shape, time, depth, 3, volumes);
}

int firn_sample_areas(const firn_shape *shape, double time, double depth, double areas[2])
{
    return measure(shape, time, depth, 2, areas);
}
