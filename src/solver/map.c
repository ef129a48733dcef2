/* SPDX-License-Identifier: MIT */
/* map.c: see map.h. A kind of map is chosen by the file's ending: none: noise; .vdb: volume; .png:
 * picture; else points, with triangles between them where the file has some (a painted mesh).
 *
 *   noise     n(x) = sum_o 2^-o L(2^o x / size, seed + o) / sum_o 2^-o,  L the blended lattice;
 *             value (1 + n) / 2
 *   volume    trilinear; the grid's background outside
 *   points    the nearest point's number; of a mesh between the corners of the nearest triangle
 *   picture   brightness, 0.2126 R + 0.7152 G + 0.0722 B of the values as stored, 0 to 1, bilinear;
 *             projected along an axis; its edges continue outside
 *
 * Voronoi cells: seeds s = size (i + 1/2 + 7/8 (u - 1/2)), u a hash of cell i. A point within the
 * cube i is nearer than sqrt(3) 15/16 size to the seed of i, and farther than 2 + 1/16 from seeds
 * outside of the 5^3 cubes around i: the nearest is in these, and so are the faces within size/5. */
#include "solver/map.h"
#include "base/messages.h"
#include "base/random.h"
#include "geometry/mesh/mesh_nearest.h"
#include "geometry/vdb/vdb.h"
#include "points/format.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct firn_map {
    firn_map_def def; /* seed: with that of the scene */
    firn_volume *volume;
    /* points */
    int64_t n_points, n_triangles;
    double *xyz;
    float *numbers;
    uint32_t *triangles;
    firn_mesh_nearest *nearest;
    /* picture: [height][width][3], top row first */
    unsigned char *pixels;
    int width, height;
    size_t n_pixel_bytes;
};

/* ---------------------------------------------------------------- noise, cells */

static double lattice(uint64_t seed, int64_t i, int64_t j, int64_t k)
{
    return 2 * firn_random_unit(firn_random_of_cell(seed, i, j, k)) - 1;
}

static double blended(uint64_t seed, const double x[3])
{
    int64_t at[3];
    double w[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        const double low = floor(fmax(-1e15, fmin(1e15, x[a]))), s = x[a] - low;
        at[a] = (int64_t)low;
        w[a] = s * s * s * (s * (6 * s - 15) + 10);
    }
    for (int corner = 0; corner < 8; corner++) {
        const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        sum += (i ? w[0] : 1 - w[0]) * (j ? w[1] : 1 - w[1]) * (k ? w[2] : 1 - w[2]) *
               lattice(seed, at[0] + i, at[1] + j, at[2] + k);
    }
    return sum;
}

double firn_map_noise(const double x[3], double size, int octaves, uint64_t seed)
{
    double sum = 0, all = 0, share = 1;
    for (int o = 0; o < octaves; o++) {
        double y[3];
        for (int a = 0; a < 3; a++) y[a] = x[a] / (size * share);
        sum += share * blended(seed + (uint64_t)o * FIRN_RANDOM_STEP, y);
        all += share;
        share /= 2;
    }
    return all > 0 ? sum / all : 0;
}

static void seed_of_cell(uint64_t seed, const int64_t cell[3], double s[3])
{
    double u[3];
    firn_random_unit_cube(firn_random_of_cell(seed, cell[0], cell[1], cell[2]), u);
    for (int a = 0; a < 3; a++) s[a] = (double)cell[a] + 0.5 + 0.875 * (u[a] - 0.5);
}

double firn_map_lump_depth(const double x[3], double size, uint64_t seed)
{
    enum { N = 125 };
    double seeds[N][3], square[N], y[3], least = INFINITY;
    int64_t cell[3];
    int own = 0;
    for (int a = 0; a < 3; a++) {
        y[a] = fmax(-1e15, fmin(1e15, x[a] / size));
        cell[a] = (int64_t)floor(y[a]);
    }
    for (int n = 0; n < N; n++) {
        const int64_t at[3] = {cell[0] + n % 5 - 2, cell[1] + n / 5 % 5 - 2, cell[2] + n / 25 - 2};
        seed_of_cell(seed, at, seeds[n]);
        square[n] = 0;
        for (int a = 0; a < 3; a++) square[n] += (y[a] - seeds[n][a]) * (y[a] - seeds[n][a]);
        if (square[n] < square[own]) own = n;
    }
    for (int n = 0; n < N; n++) {
        double apart = 0;
        for (int a = 0; a < 3; a++)
            apart += (seeds[n][a] - seeds[own][a]) * (seeds[n][a] - seeds[own][a]);
        if (n != own) least = fmin(least, (square[n] - square[own]) / (2 * sqrt(apart)));
    }
    return size * least;
}

/* ---------------------------------------------------------------- points, painted meshes */

static int ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

/* The attribute of that name, or the first of one number that is none of the usual ones. */
static const firn_attribute *find_numbers(const firn_map *map, const firn_points *points,
                                          firn_messages *messages)
{
    static const char *const usual = " P v id pscale mass volume material material_id source ";
    const char *wanted = map->def.attribute;
    const firn_attribute *found = *wanted ? firn_points_find(points, wanted) : NULL;
    for (int i = 0; !*wanted && !found && i < points->n_attributes; i++) {
        const firn_attribute *a = &points->attributes[i];
        char word[80];
        snprintf(word, sizeof word, " %s ", a->name);
        if (a->n_components == 1 && a->type != FIRN_ATTRIBUTE_INDEX && !strstr(usual, word))
            found = a;
    }
    if (found && found->n_components == 1 && found->type != FIRN_ATTRIBUTE_INDEX) return found;
    char names[512] = "";
    size_t n = 0;
    for (int i = 0; i < points->n_attributes && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, " %s", points->attributes[i].name);
    firn_messages_add(messages, FIRN_REFUSED,
                      "map '%s': %s has no attribute%s%s%s of one number per point; there are:%s",
                      map->def.name, map->def.file, *wanted ? " \"" : "", wanted,
                      *wanted ? "\"" : "", names);
    return NULL;
}

static firn_status take_points(firn_map *map, const firn_points *points, firn_messages *messages)
{
    const firn_attribute *P = firn_points_find(points, "P");
    const firn_attribute *a = find_numbers(map, points, messages);
    if (!a) return FIRN_REFUSED;
    map->n_points = points->n;
    map->xyz = firn_memory_array(NULL, (size_t)points->n + 1, 3 * sizeof *map->xyz);
    map->numbers = firn_memory_array(NULL, (size_t)points->n + 1, sizeof *map->numbers);
    if (!map->xyz || !map->numbers)
        return firn_messages_no_memory(messages, "map '%s'", map->def.name);
    for (int64_t i = 0; i < points->n; i++) {
        for (int c = 0; c < 3; c++)
            map->xyz[3 * i + c] = map->def.scale * (double)P->data.f[3 * i + c];
        map->numbers[i] = a->type == FIRN_ATTRIBUTE_INT ? (float)a->data.i[i] : a->data.f[i];
        if (!isfinite(map->numbers[i]) || !isfinite(map->xyz[3 * i] + map->xyz[3 * i + 1]))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "map '%s': %s: point %lld holds a number that is not finite",
                                     map->def.name, map->def.file, (long long)i);
    }
    return points->n ? FIRN_OK
                     : firn_messages_add(messages, FIRN_REFUSED, "map '%s': %s has no points",
                                         map->def.name, map->def.file);
}

/* The triangles between the points of a .ply, where it has some. */
static firn_status take_triangles(firn_map *map, firn_messages *messages)
{
    firn_mesh *mesh = NULL;
    if (!ends_in(map->def.file, ".ply")) return FIRN_OK;
    if (firn_mesh_read(map->def.file, &mesh, NULL) != FIRN_OK || !mesh) return FIRN_OK;
    if (mesh->n_points == map->n_points && mesh->n_triangles) {
        map->n_triangles = mesh->n_triangles;
        map->triangles =
            firn_memory_array(NULL, (size_t)mesh->n_triangles, 3 * sizeof *map->triangles);
        if (map->triangles)
            memcpy(map->triangles, mesh->triangles,
                   (size_t)mesh->n_triangles * 3 * sizeof *map->triangles);
    }
    const int failed = map->n_triangles && !map->triangles;
    firn_mesh_destroy(mesh);
    return failed ? firn_messages_no_memory(messages, "map '%s'", map->def.name) : FIRN_OK;
}

static firn_status read_points(firn_map *map, size_t memory, firn_messages *messages)
{
    firn_points *points = NULL;
    const uint64_t most = memory ? memory : UINT64_MAX;
    firn_status status = firn_format_read_within(map->def.file, most, &points, messages);
    if (status == FIRN_OK) status = take_points(map, points, messages);
    firn_points_destroy(points);
    if (status == FIRN_OK) status = take_triangles(map, messages);
    if (status == FIRN_OK)
        status = firn_mesh_nearest_create(map->n_points, map->xyz, map->n_triangles, map->triangles,
                                          &map->nearest, messages);
    return status;
}

static double nearest_number(const firn_map *map, const double x[3])
{
    uint32_t corners[3];
    double weights[3], sum = 0;
    firn_mesh_nearest_find(map->nearest, x, corners, weights);
    for (int k = 0; k < 3; k++) sum += weights[k] * (double)map->numbers[corners[k]];
    return sum;
}

/* ---------------------------------------------------------------- pictures */

static firn_status read_picture(firn_map *map, size_t memory, firn_messages *messages)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    const char *what = map->def.file;
    if (!png_image_begin_read_from_file(&image, what))
        return firn_messages_add(messages, FIRN_IO, "map '%s': %s: %s", map->def.name, what,
                                 image.message);
    image.format = PNG_FORMAT_RGB;
    map->n_pixel_bytes = (size_t)image.width * image.height * 3;
    const int is_beyond =
        (memory && map->n_pixel_bytes > memory) || image.width > 32768 || image.height > 32768;
    if (!is_beyond) map->pixels = firn_memory_allocate(NULL, map->n_pixel_bytes);
    if (!map->pixels) {
        png_image_free(&image);
        return firn_messages_no_memory(messages, "picture of %u x %u pixels", image.width,
                                       image.height);
    }
    map->width = (int)image.width;
    map->height = (int)image.height;
    if (png_image_finish_read(&image, NULL, map->pixels, 0, NULL)) return FIRN_OK;
    return firn_messages_add(messages, FIRN_IO, "map '%s': %s: %s", map->def.name, what,
                             image.message);
}

static double brightness(const firn_map *map, int column, int row)
{
    column = column < 0 ? 0 : column >= map->width ? map->width - 1 : column;
    row = row < 0 ? 0 : row >= map->height ? map->height - 1 : row;
    const unsigned char *p = map->pixels + 3 * ((size_t)row * (size_t)map->width + (size_t)column);
    return (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]) / 255;
}

/* Seen along the axis: along z x to the right and y up, along x z and y, along y x and z. */
static double picture_value(const firn_map *map, const double x[3])
{
    static const int across[3] = {2, 0, 0}, up[3] = {1, 2, 1};
    const int axis = map->def.axis;
    const double pixel = map->def.width / map->width;
    const double u = (x[across[axis]] - map->def.center[across[axis]]) / pixel + map->width / 2.0,
                 v = map->height / 2.0 - (x[up[axis]] - map->def.center[up[axis]]) / pixel;
    const double s = fmax(-1, fmin(map->width, u)) - 0.5, t = fmax(-1, fmin(map->height, v)) - 0.5;
    const int column = (int)floor(s), row = (int)floor(t);
    const double a = s - column, b = t - row;
    return (1 - b) *
               ((1 - a) * brightness(map, column, row) + a * brightness(map, column + 1, row)) +
           b * ((1 - a) * brightness(map, column, row + 1) +
                a * brightness(map, column + 1, row + 1));
}

/* ---------------------------------------------------------------- all kinds */

firn_status firn_map_create(const firn_map_def *def, uint64_t seed, size_t memory, firn_map **out,
                            firn_messages *messages)
{
    firn_map *map = firn_memory_allocate(NULL, sizeof *map);
    firn_status status = FIRN_OK;
    *out = map;
    if (!map) return firn_messages_no_memory(messages, "map '%s'", def->name);
    map->def = *def;
    map->def.seed += seed;
    if (ends_in(def->file, ".vdb"))
        status = firn_vdb_read_field(def->file, def->attribute, def->scale, 1, memory, 1,
                                     &map->volume, messages);
    else if (ends_in(def->file, ".png"))
        status = read_picture(map, memory, messages);
    else if (*def->file)
        status = read_points(map, memory, messages);
    if (status == FIRN_OK) return FIRN_OK;
    firn_map_destroy(map);
    *out = NULL;
    return firn_messages_add(messages, status, "map '%s': cannot be used, see above", def->name);
}

void firn_map_destroy(firn_map *map)
{
    if (!map) return;
    firn_volume_destroy(map->volume);
    firn_mesh_nearest_destroy(map->nearest);
    firn_memory_release(NULL, map->xyz, ((size_t)map->n_points + 1) * 3 * sizeof *map->xyz);
    firn_memory_release(NULL, map->numbers, ((size_t)map->n_points + 1) * sizeof *map->numbers);
    firn_memory_release(NULL, map->triangles,
                        (size_t)map->n_triangles * 3 * sizeof *map->triangles);
    firn_memory_release(NULL, map->pixels, map->n_pixel_bytes);
    firn_memory_release(NULL, map, sizeof *map);
}

double firn_map_value(const firn_map *map, const double x[3])
{
    double value = 0;
    if (map->volume)
        firn_volume_sample(map->volume, x, &value);
    else if (map->nearest)
        value = nearest_number(map, x);
    else if (map->pixels)
        value = picture_value(map, x);
    else
        value = (1 + firn_map_noise(x, map->def.size, map->def.octaves, map->def.seed)) / 2;
    return value;
}

double firn_map_share(const firn_map *map, const double x[3])
{
    const double s = (firn_map_value(map, x) - map->def.from) / (map->def.to - map->def.from);
    return s > 0 ? (s < 1 ? s : 1) : 0;
}
