/* SPDX-License-Identifier: MIT */
/* surface.c: particles to a level set.
 *
 * Around each voxel at y the particles within R = reach * radius are averaged with the kernel w
 * = (1 - s^2/R^2)^3,
 * s their distance:  d(y) = |y - sum w x / sum w| - radius
 *     (Y. Zhu and R. Bridson, Animating sand as a fluid,
 * SIGGRAPH 2005). A lone particle stays a sphere of its radius, a full body gets a smooth skin.
 * Velocity and temperature are averaged with the same weights. Distances are those of OpenVDB's
 * points::rasterizeSmoothSpheres, to 5e-5 of a voxel; its header alone takes a minute and 1.4 GB
 * to compile, and it carries nothing along.
 *
 * Particles are listed by the leaves that they reach (a counting sort, so in the order of the
 * file), then every leaf is filled by one thread: the same bits for any number of threads. */
#include "points/surface.h"
#include "base/messages.h"
#include "base/memory.h"
#include "geometry/sdf/sdf_extrapolate.h"

#include <math.h>
#include <string.h>

#define CORE 0.6 /* of the radius: what smoothing leaves at least */
#define REACH                                                                                      \
    6 /* voxels that what is carried goes beyond the particles, and one more for each smoothing */
#define MAX_TABLE ((int64_t)1 << 27)

typedef struct job {
    const float *x, *v, *T, *carried;
    int64_t n;
    double radius, voxel, reach, origin[3];
    int first[3], n_blocks[3];
    int64_t n_table, n_entries, n_leaves;
    int64_t *start; /* [n_table + 1]: entries of each block */
    uint32_t *entries;
    int32_t (*blocks)[3];
    int64_t *leaf_start; /* place in `start` of each leaf */
} job;

static firn_status no_memory(firn_messages *messages)
{
    return firn_messages_no_memory(messages, "surface (a larger --voxel needs less)");
}

/* ---------------------------------------------------------------- what is asked for */

static const float *find_floats(const firn_points *points, const char *name, int n_components)
{
    const firn_attribute *a = firn_points_find(points, name);
    int is_float = a && (a->type == FIRN_ATTRIBUTE_FLOAT || a->type == FIRN_ATTRIBUTE_VECTOR);
    return is_float && a->n_components == n_components ? a->data.f : NULL;
}

/* The radius that fits the spacing of the particles: pscale is half of it by custom, and half a
 * cell's edge holds eight particles a cell. 1.2 spacings make neighbours overlap. */
double firn_surface_natural_radius(const firn_points *points)
{
    const float *pscale = find_floats(points, "pscale", 1);
    const firn_attribute *dx = firn_points_find_detail(points, "dx");
    double sum = 0;
    for (int64_t i = 0; pscale && i < points->n; i++) sum += pscale[i];
    if (sum > 0) return 2.4 * sum / (double)points->n;
    return dx && dx->type == FIRN_ATTRIBUTE_FLOAT ? 0.6 * dx->data.f[0] : 0;
}

static firn_status set_up(job *j, const firn_points *points, const firn_surface_def *def,
                          firn_messages *messages)
{
    *j = (job){.x = find_floats(points, "P", 3),
               .v = def->no_velocity ? NULL : find_floats(points, "v", 3),
               .T = def->no_temperature ? NULL : find_floats(points, "T", 1),
               .carried = def->carried};
    j->n = points->n;
    if (!j->x) return firn_messages_add(messages, FIRN_REFUSED, "surface: no particles");
    if (j->n > UINT32_MAX)
        return firn_messages_add(messages, FIRN_REFUSED, "surface: more than 2^32 particles");
    j->radius = def->radius > 0 ? def->radius : firn_surface_natural_radius(points);
    if (j->n == 0 && !(j->radius > 0)) j->radius = 1; /* of nothing any size is good */
    j->voxel = def->voxel > 0 ? def->voxel : j->radius;
    j->reach = (def->reach > 0 ? def->reach : 2) * j->radius;
    if (!(j->radius > 0) || !isfinite(j->radius))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "surface: the particles have no size (attribute pscale or detail dx); try: --radius");
    if (!(j->voxel > 0.05 * j->radius) || !(j->voxel < 2 * j->radius))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "surface: voxel of %g m with a radius of %g m; allowed: 0.05 to 2 radii", j->voxel,
            j->radius);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- leaves */

static int block_of(const job *j, int a, double x)
{
    return (int)floor((x - j->origin[a]) / (8 * j->voxel)) - j->first[a];
}

static firn_status set_table(job *j, firn_messages *messages)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           n = 1;
    for (int64_t p = 0; p < j->n; p++)
        for (int a = 0; a < 3; a++) {
            double x = j->x[3 * p + a];
            if (!isfinite(x) || fabs(x) > 1e9)
                return firn_messages_add(
                    messages, FIRN_REFUSED,
                    "surface: position of particle %lld is %g; allowed: within 1e9 m", (long long)p,
                    x);
            low[a] = fmin(low[a], x);
            high[a] = fmax(high[a], x);
        }
    for (int a = 0; a < 3; a++) n *= (high[a] - low[a] + 2 * j->reach) / (8 * j->voxel) + 2;
    if (n > (double)MAX_TABLE)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "surface: particles over %g x %g x %g m are too far apart for "
                                 "voxels of %g m; try: a larger --voxel",
                                 high[0] - low[0], high[1] - low[1], high[2] - low[2], j->voxel);
    j->n_table = 1;
    for (int a = 0; a < 3; a++) {
        j->first[a] = 0;
        j->first[a] = block_of(j, a, low[a] - j->reach);
        j->n_blocks[a] = block_of(j, a, high[a] + j->reach) + 1;
        j->n_table *= j->n_blocks[a];
    }
    return FIRN_OK;
}

/* Calls out every block that particle p reaches: counts it, or enters p. */
static void reach_blocks(job *j, int64_t p, int is_counting)
{
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = block_of(j, a, j->x[3 * p + a] - j->reach);
        high[a] = block_of(j, a, j->x[3 * p + a] + j->reach);
    }
    for (int a = low[0]; a <= high[0]; a++)
        for (int b = low[1]; b <= high[1]; b++)
            for (int c = low[2]; c <= high[2]; c++) {
                int64_t at = ((int64_t)a * j->n_blocks[1] + b) * j->n_blocks[2] + c;
                if (is_counting)
                    j->start[at]++;
                else
                    j->entries[j->start[at]++] = (uint32_t)p;
            }
}

static firn_status list_particles(job *j, firn_messages *messages)
{
    j->start = firn_memory_array(NULL, (size_t)j->n_table + 1, sizeof *j->start);
    if (!j->start) return no_memory(messages);
    for (int64_t p = 0; p < j->n; p++) reach_blocks(j, p, 1);
    for (int64_t at = 0; at < j->n_table; at++) {
        int64_t count = j->start[at];
        j->start[at] = j->n_entries;
        j->n_entries += count;
        j->n_leaves += count > 0;
    }
    j->entries = firn_memory_array(NULL, (size_t)j->n_entries, sizeof *j->entries);
    j->blocks = firn_memory_array(NULL, (size_t)j->n_leaves, sizeof *j->blocks);
    j->leaf_start = firn_memory_array(NULL, (size_t)j->n_leaves + 1, sizeof *j->leaf_start);
    if (!j->entries || !j->blocks || !j->leaf_start) return no_memory(messages);
    for (int64_t p = 0; p < j->n; p++)
        reach_blocks(j, p, 0); /* start[at] is now the end of block at */
    int64_t leaf = 0, begin = 0;
    for (int64_t at = 0; at < j->n_table; begin = j->start[at++]) {
        if (j->start[at] == begin) continue;
        int64_t nyz = (int64_t)j->n_blocks[1] * j->n_blocks[2];
        j->leaf_start[leaf] = begin;
        j->blocks[leaf][0] = (int32_t)(at / nyz) + j->first[0];
        j->blocks[leaf][1] = (int32_t)(at % nyz / j->n_blocks[2]) + j->first[1];
        j->blocks[leaf++][2] = (int32_t)(at % j->n_blocks[2]) + j->first[2];
    }
    j->leaf_start[leaf] = j->n_entries;
    return FIRN_OK;
}

static void clear(job *j)
{
    firn_memory_release(NULL, j->start, ((size_t)j->n_table + 1) * sizeof *j->start);
    firn_memory_release(NULL, j->entries, (size_t)j->n_entries * sizeof *j->entries);
    firn_memory_release(NULL, j->blocks, (size_t)j->n_leaves * sizeof *j->blocks);
    firn_memory_release(NULL, j->leaf_start, ((size_t)j->n_leaves + 1) * sizeof *j->leaf_start);
}

/* ---------------------------------------------------------------- filling */

enum { W, X, V = 4, T = 7, C = 8, N_SUMS = 11 };

/* Adds one particle to the sums of the voxels that it reaches. */
static void add_particle(const job *j, const double corner[3], uint32_t p, float (*sums)[N_SUMS])
{
    float inverse = (float)(1 / (j->reach * j->reach)), h = (float)j->voxel, x[3], first[3];
    int low[3], high[3];
    for (int a = 0; a < 3; a++) { /* relative to the leaf's corner, where floats are fine */
        x[a] = (float)(j->x[3 * (size_t)p + a] - corner[a]);
        first[a] = (x[a] - (float)j->reach) / h;
        low[a] = (int)fmaxf(0, ceilf(first[a]));
        high[a] = (int)fminf(7, floorf((x[a] + (float)j->reach) / h));
    }
    for (int i = low[0]; i <= high[0]; i++)
        for (int k = low[1]; k <= high[1]; k++)
            for (int l = low[2]; l <= high[2]; l++) {
                float a = (float)i * h - x[0], b = (float)k * h - x[1], c = (float)l * h - x[2];
                float q = 1 - (a * a + b * b + c * c) * inverse;
                if (q <= 0) continue;
                float w = q * q * q, *sum = sums[(i * 8 + k) * 8 + l];
                sum[W] += w;
                for (int m = 0; m < 3; m++) sum[X + m] += w * x[m];
                for (int m = 0; m < 3 && j->v; m++) sum[V + m] += w * j->v[3 * (size_t)p + m];
                if (j->T) sum[T] += w * j->T[p];
                for (int m = 0; m < 3 && j->carried; m++)
                    sum[C + m] += w * j->carried[3 * (size_t)p + m];
            }
}

static void fill_leaf(const job *j, firn_sdf *volume, const firn_surface_channels *channels,
                      int64_t leaf)
{
    float sums[512][N_SUMS];
    double corner[3];
    memset(sums, 0, sizeof sums);
    for (int a = 0; a < 3; a++) corner[a] = j->origin[a] + 8 * j->voxel * j->blocks[leaf][a];
    for (int64_t e = j->leaf_start[leaf]; e < j->leaf_start[leaf + 1]; e++)
        add_particle(j, corner, j->entries[e], sums);
    for (int n = 0; n < 512; n++) {
        int cell[3] = {n >> 6, n >> 3 & 7, n & 7}, at = (cell[0] * 9 + cell[1]) * 9 + cell[2];
        const float *sum = sums[n];
        double d2 = 0, w = sum[W];
        for (int a = 0; a < 3 && w > 0; a++) d2 += pow(cell[a] * j->voxel - sum[X + a] / w, 2);
        double d = w > 0 ? sqrt(d2) - j->radius : volume->band;
        *firn_sdf_at(volume, leaf, at, 0) = (float)fmin(d, volume->band);
        for (int m = 0; m < 3 && channels->velocity; m++)
            *firn_sdf_at(volume, leaf, at, channels->velocity + m) =
                w > 0 ? (float)(sum[V + m] / w) : NAN;
        if (channels->temperature)
            *firn_sdf_at(volume, leaf, at, channels->temperature) =
                w > 0 ? (float)(sum[T] / w) : NAN;
        for (int m = 0; m < 3 && channels->carried; m++)
            *firn_sdf_at(volume, leaf, at, channels->carried + m) =
                w > 0 ? (float)(sum[C + m] / w) : NAN;
    }
}

/* ---------------------------------------------------------------- smoothing */

/* Distance of a voxel of this leaf or of one next to it */
static float neighbour(const firn_sdf *v, const float *d, const int32_t block[3], int64_t leaf,
                       const int cell[3])
{
    int at[3];
    int64_t place = 0;
    if ((unsigned)cell[0] < 8 && (unsigned)cell[1] < 8 && (unsigned)cell[2] < 8)
        return d[512 * leaf + (cell[0] * 8 + cell[1]) * 8 + cell[2]];
    for (int a = 0; a < 3; a++) {
        at[a] = cell[a] & 7;
        place = place * v->n_blocks[a] + block[a] - v->first[a] + (cell[a] < 0 ? -1 : cell[a] > 7);
    }
    int32_t other = v->table[place];
    return other >= 0 ? d[512 * (size_t)other + (size_t)((at[0] * 8 + at[1]) * 8 + at[2])]
                      : (float)v->band;
}

/* d <- (d + mean of six) / 2, but never above what the particles' cores say: d0 + (1 - CORE)
 * radius. */
static void smooth_leaf(const firn_sdf *v, const float *from, const float *original, float *to,
                        int64_t leaf, float recede)
{
    for (int n = 0; n < 512; n++) {
        int cell[3] = {n >> 6, n >> 3 & 7, n & 7};
        float sum = 0;
        for (int a = 0; a < 3; a++)
            for (int side = -1; side <= 1; side += 2) {
                int next[3] = {cell[0], cell[1], cell[2]};
                next[a] += side;
                sum += neighbour(v, from, v->leaf_block[leaf], leaf, next);
            }
        float d = 0.5f * from[512 * leaf + n] + sum / 12;
        to[512 * leaf + n] = fminf(d, original[512 * leaf + n] + recede);
    }
}

static firn_status smooth(firn_sdf *v, int n_passes, double radius, firn_messages *messages)
{
    if (n_passes < 1) return FIRN_OK;
    size_t n = 512 * (size_t)v->n_leaves;
    float *arrays = firn_memory_array(NULL, 3 * n, sizeof *arrays);
    if (!arrays) return no_memory(messages);
    float *original = arrays, *from = arrays + n, *to = from + n;
    for (int64_t l = 0; l < v->n_leaves; l++)
        for (int m = 0; m < 512; m++)
            original[512 * l + m] = from[512 * l + m] =
                *firn_sdf_at(v, l, ((m >> 6) * 9 + (m >> 3 & 7)) * 9 + (m & 7), 0);
    for (int pass = 0; pass < n_passes; pass++) {
#pragma omp parallel for schedule(dynamic, 16)
        for (int64_t l = 0; l < v->n_leaves; l++)
            smooth_leaf(v, from, original, to, l, (float)((1 - CORE) * radius));
        float *swap = from;
        from = to;
        to = swap;
    }
    for (int64_t l = 0; l < v->n_leaves; l++)
        for (int m = 0; m < 512; m++)
            *firn_sdf_at(v, l, ((m >> 6) * 9 + (m >> 3 & 7)) * 9 + (m & 7), 0) =
                fminf(from[512 * l + m], (float)v->band);
    firn_memory_release(NULL, arrays, 3 * n * sizeof *arrays);
    return FIRN_OK;
}

/* Before an emitter begins and after a sink has taken all there are frames without particles: a
 * volume that is outside everywhere, with the channels of the other frames. */
static firn_status make_empty(const job *j, int n_channels, firn_sdf **volume,
                              firn_messages *messages)
{
    const int32_t block[1][3] = {{0, 0, 0}};
    firn_status status =
        firn_sdf_create(j->voxel, j->origin, 3 * j->voxel, n_channels, 1, block, volume, messages);
    for (int n = 0; n < FIRN_LEAF_SIZE && !status; n++)
        *firn_sdf_at(*volume, 0, n, 0) = (float)(*volume)->band;
    if (!status) firn_sdf_finish(*volume);
    return status;
}

firn_status firn_surface_make(const firn_points *points, const firn_surface_def *def,
                              firn_sdf **volume, firn_surface_channels *channels,
                              firn_messages *messages)
{
    job j;
    *volume = NULL;
    firn_status status = set_up(&j, points, def, messages);
    int n_channels = 1;
    *channels = (firn_surface_channels){0};
    if (j.v) {
        channels->velocity = n_channels;
        n_channels += 3;
    }
    if (j.T) channels->temperature = n_channels++;
    if (j.carried) {
        channels->carried = n_channels;
        n_channels += 3;
    }
    if (!status && j.n == 0) return make_empty(&j, n_channels, volume, messages);
    if (!status) status = set_table(&j, messages);
    if (!status) status = list_particles(&j, messages);
    if (!status)
        status = firn_sdf_create(j.voxel, j.origin, 3 * j.voxel, n_channels, j.n_leaves,
                                 (const int32_t(*)[3])j.blocks, volume, messages);
    if (!status) {
#pragma omp parallel for schedule(dynamic, 8)
        for (int64_t l = 0; l < j.n_leaves; l++) fill_leaf(&j, *volume, channels, l);
        status = smooth(*volume, def->n_smooth, j.radius, messages);
        if (!status && n_channels > 1)
            status =
                firn_sdf_extrapolate(*volume, 1, n_channels - 1, REACH + def->n_smooth, messages);
    }
    clear(&j);
    if (!status)
        firn_sdf_finish(*volume);
    else if (*volume) {
        firn_sdf_destroy(*volume);
        *volume = NULL;
    }
    return status;
}
