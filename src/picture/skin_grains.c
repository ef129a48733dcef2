/* SPDX-License-Identifier: MIT */
/* skin_grains.c: see skin_grains.h.
 *
 * Grain g of a particle starts at a place of the ball of one spacing about it that is a hash of
 * (id, g), and is moved along the gradient of the distance until its middle is a little below the
 * surface. Each particle within a spacing of the surface gives the same number, so they cover it
 * evenly. Two passes, one that counts and one that fills: the order is that of the points, whatever
 * the number of threads. */
#include "picture/skin_grains.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

#define GRAINS_MAX 2000000.0
static const float seen = 0.55f;   /* pixels: smaller radii are replaced by fewer, larger grains */
static const float cluster = 0.7f; /* radius of a loose particle's cluster, in spacings */

typedef struct sizes {
    int each;     /* grains a particle */
    float radius; /* m, mean */
} sizes;

/* Normals by central differences over two voxels, smoother than the gradient of one cell. */
void firn_skin_normal(const firn_sdf *volume, const double x[3], float normal[3])
{
    double g[3], length = 0;
    for (int c = 0; c < 3; c++) {
        double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0], x[1], x[2]};
        a[c] -= volume->voxel;
        b[c] += volume->voxel;
        g[c] = firn_sdf_distance(volume, b) - firn_sdf_distance(volume, a);
        length += g[c] * g[c];
    }
    length = sqrt(length);
    for (int c = 0; c < 3; c++) normal[c] = length > 0 ? (float)(g[c] / length) : (float)(c == 1);
}

static float number(uint64_t id, int g, int k)
{
    uint64_t h = firn_random_mix(id * FIRN_RANDOM_STEP + (uint64_t)(8 * g + k + 1) * FIRN_RANDOM_B);
    return (float)(h >> 40) / 16777216.0f;
}

static uint64_t id_of(const firn_attribute *id, int64_t particle)
{
    return id ? (uint64_t)(uint32_t)id->data.i[particle] : (uint64_t)particle;
}

/* Uniform in the unit ball: direction by z and angle, radius by the cube root. */
static void in_ball(uint64_t id, int g, float offset[3])
{
    float z = 2 * number(id, g, 0) - 1, angle = 6.2831853f * number(id, g, 1),
          r = cbrtf(number(id, g, 2)), flat = sqrtf(1 - z * z);
    offset[0] = r * flat * cosf(angle);
    offset[1] = r * z;
    offset[2] = r * flat * sinf(angle);
}

/* Coverage is number times square of the radius: kept where grains are made larger. */
static sizes choose_sizes(const firn_skin_grains *s, const firn_look *look, int64_t n_particles)
{
    float radius = look->grain * (float)s->def->spacing, least = seen * (float)s->def->pixel;
    double n = look->n_grains, factor = 1;
    if (radius < least) factor = least / radius;
    double too_many = sqrt(n * (double)n_particles / GRAINS_MAX);
    if (too_many > factor) factor = too_many;
    n = floor(n / (factor * factor) + 0.5);
    return (sizes){n < 2 ? 2 : (int)n, radius * (float)fmin(factor, sqrt(look->n_grains / 2.0))};
}

/* Whether a particle of the body is near enough to the surface to have grains. */
static int is_outer(const firn_skin_grains *s, int64_t particle)
{
    const float *p = s->def->xyzr + 4 * particle;
    double d = firn_sdf_distance(s->volume, (double[3]){p[0], p[1], p[2]});
    return d > -1.6 * s->def->spacing;
}

/* A grain of the body onto the surface: three steps along the gradient. 0: the surface is far. */
static int settle(const firn_skin_grains *s, float radius, double x[3], float normal[3])
{
    double d = 0;
    for (int step = 0; step < 2; step++) {
        d = firn_sdf_distance(s->volume, x) + 0.35 * radius;
        if (fabs(d) > 1.2 * s->def->spacing) return 0;
        firn_skin_normal(s->volume, x, normal);
        for (int c = 0; c < 3; c++) x[c] -= d * normal[c];
    }
    firn_skin_normal(s->volume, x, normal);
    return fabs(firn_sdf_distance(s->volume, x) + 0.35 * radius) < 0.3 * s->def->spacing;
}

typedef struct grain {
    float xyzr[4], normal[3], bright;
    uint32_t hash;
} grain;

/* Grain g of a particle; 0: none. */
static int make(const firn_skin_grains *s, const sizes *size, const firn_look *look,
                int64_t particle, uint64_t id, int g, int is_loose, grain *out)
{
    float offset[3], u = number(id, g, 3), reach = (float)s->def->spacing;
    const float *p = s->def->xyzr + 4 * particle;
    double x[3];
    in_ball(id, g, offset);
    float radius = size->radius * (0.7f + 0.6f * u);
    if (is_loose) {
        reach *= cluster * number(id, 0, 6); /* some are a grain, some a clump */
        radius *= 1.2f;
    }
    for (int c = 0; c < 3; c++) x[c] = p[c] + reach * offset[c];
    if (is_loose) {
        float length = sqrtf(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]);
        for (int c = 0; c < 3; c++)
            out->normal[c] = length > 0 ? offset[c] / length : (float)(c == 1);
    } else if (!settle(s, radius, x, out->normal))
        return 0;
    for (int c = 0; c < 3; c++) out->xyzr[c] = (float)x[c];
    out->xyzr[3] = radius;
    out->bright = 1 + look->variety * (2 * number(id, g, 4) - 1);
    out->hash = (uint32_t)(firn_random_mix(id ^ ((uint64_t)g << 40)) >> 32);
    return 1;
}

static void store(const firn_skin_grains *s, const grain *g, int64_t particle, int64_t at,
                  firn_skin_piece *piece)
{
    memcpy(piece->grains + 4 * at, g->xyzr, sizeof g->xyzr);
    memcpy(piece->grain_normal + 3 * at, g->normal, sizeof g->normal);
    piece->grain_id[at] = g->hash;
    for (int c = 0; c < 3; c++)
        piece->grain_color[3 * at + c] = g->bright * s->def->colors[3 * particle + c];
    if (!piece->grains_end) return;
    const float *v = s->v + 3 * particle;
    float move[4] = {v[0], s->def->is_z_up ? v[2] : v[1], s->def->is_z_up ? -v[1] : v[2], 0};
    for (int c = 0; c < 4; c++) {
        float half = 0.5f * (float)s->def->shutter * move[c];
        piece->grains[4 * at + c] = g->xyzr[c] - half;
        piece->grains_end[4 * at + c] = g->xyzr[c] + half;
    }
}

static int make_room(firn_skin_piece *piece, int64_t n, int is_moving)
{
    size_t m = (size_t)n;
    piece->n_grains = n;
    piece->grains = firn_memory_array(NULL, m, 4 * sizeof(float));
    piece->grain_normal = firn_memory_array(NULL, m, 3 * sizeof(float));
    piece->grain_color = firn_memory_array(NULL, m, 3 * sizeof(float));
    piece->grain_id = firn_memory_array(NULL, m, sizeof(uint32_t));
    piece->grains_end = is_moving ? firn_memory_array(NULL, m, 4 * sizeof(float)) : NULL;
    return piece->grains && piece->grain_normal && piece->grain_color && piece->grain_id &&
           (!is_moving || piece->grains_end);
}

/* Number of grains of each particle in `counts`, which then become places. */
static void count_grains(const firn_skin_grains *s, const sizes *size, const firn_look *look,
                         const firn_attribute *id, int32_t *counts)
{
    int64_t n_all = s->n + s->n_loose;
#pragma omp parallel for num_threads(s->def->n_threads) schedule(dynamic, 256)
    for (int64_t k = 0; k < n_all; k++) {
        grain g;
        if (counts[k] == 0) continue;
        counts[k] = 0;
        for (int m = 0; m < size->each; m++)
            counts[k] += make(s, size, look, s->which[k], id_of(id, s->which[k]), m, k >= s->n, &g);
    }
}

static void fill_grains(const firn_skin_grains *s, const sizes *size, const firn_attribute *id,
                        const int32_t *counts, const int64_t *starts, firn_skin_piece *piece)
{
    int64_t n_all = s->n + s->n_loose;
#pragma omp parallel for num_threads(s->def->n_threads) schedule(dynamic, 256)
    for (int64_t k = 0; k < n_all; k++) {
        int64_t at = starts[k];
        for (int m = 0; m < size->each && counts[k]; m++) {
            grain g;
            if (make(s, size, piece->look, s->which[k], id_of(id, s->which[k]), m, k >= s->n, &g))
                store(s, &g, s->which[k], at++, piece);
        }
    }
}

int firn_skin_make_grains(const firn_skin_grains *s, firn_skin_piece *piece)
{
    int64_t n_all = s->n + s->n_loose, n_outer = 0, n = 0;
    const firn_attribute *id = firn_points_find(s->def->points, "id");
    if (id && (id->type != FIRN_ATTRIBUTE_INT || id->n_components != 1)) id = NULL;
    int32_t *counts = firn_memory_array(NULL, (size_t)n_all, sizeof *counts);
    int64_t *starts = firn_memory_array(NULL, (size_t)n_all, sizeof *starts);
    int good = counts && starts;
    if (good) {
#pragma omp parallel for num_threads(s->def->n_threads) schedule(static)
        for (int64_t k = 0; k < n_all; k++) counts[k] = k >= s->n || is_outer(s, s->which[k]);
        for (int64_t k = 0; k < n_all; k++) n_outer += counts[k];
        sizes size = choose_sizes(s, piece->look, n_outer);
        count_grains(s, &size, piece->look, id, counts);
        for (int64_t k = 0; k < n_all; k++) {
            starts[k] = n;
            n += counts[k];
        }
        good = make_room(piece, n, s->v != NULL);
        if (good) fill_grains(s, &size, id, counts, starts, piece);
    }
    firn_memory_release(NULL, starts, (size_t)n_all * sizeof *starts);
    firn_memory_release(NULL, counts, (size_t)n_all * sizeof *counts);
    return good;
}
