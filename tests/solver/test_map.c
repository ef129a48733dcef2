/* SPDX-License-Identifier: MIT */
/* test_map.c: numbers in space are those of their source - noise of its size and bounds, distances to
 * Voronoi faces, volumes, points, painted meshes and pictures - against closed forms and brute
 * force. */
#include "base/messages.h"
#include "base/random.h"
#include "geometry/mesh/mesh_nearest.h"
#include "geometry/vdb/vdb.h"
#include "plot/image.h"
#include "points/format.h"
#include "solver/map.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t drawn;
static double chance(double low, double high)
{
    return low + (high - low) * firn_random_unit(firn_random_mix(++drawn * FIRN_RANDOM_STEP));
}
static void place(double x[3], double size)
{
    for (int a = 0; a < 3; a++) x[a] = chance(-size, size);
}

/* ---------------------------------------------------------------- noise */

/* Within its bounds, of mean 0, the same again, another with another seed; smooth: a hundredth of
 * its size away it differs by no more than the steepest slope of the blend allows. */
static void noise_is_bounded_and_smooth(void **state)
{
    (void)state;
    double sum = 0, sum2 = 0, differs = 0;
    const int n = 20000;
    for (int i = 0; i < n; i++) {
        double x[3], y[3];
        place(x, 7);
        memcpy(y, x, sizeof y);
        const double size = 0.3, a = firn_map_noise(x, size, 1, 5);
        assert_true(fabs(a) <= 1 && a == firn_map_noise(x, size, 1, 5));
        y[i % 3] += size / 100;
        /* 15/8 is the steepest slope of s^3 (6 s^2 - 15 s + 10), and values differ by 2 at most */
        assert_true(fabs(firn_map_noise(y, size, 1, 5) - a) <= 2 * 1.875 / 100);
        differs += fabs(firn_map_noise(x, size, 1, 6) - a);
        assert_true(fabs(firn_map_noise(x, size, 4, 5)) <= 1);
        sum += a;
        sum2 += a * a;
    }
    assert_true(fabs(sum / n) < 0.02);
    assert_true(differs / n > 0.1);
    /* variance: 1/3 of a corner's, times the mean square of the weights, 8 (int b^2 ds)^3 with
     * int (s^3 (6 s^2 - 15 s + 10))^2 ds = 181/462 */
    const double expected = 8 * pow(181.0 / 462, 3) / 3;
    assert_true(fabs(sum2 / n / expected - 1) < 0.05);
}

/* Far away two places of the same noise know nothing of each other. */
static void noise_has_its_size(void **state)
{
    (void)state;
    double near = 0, far = 0, all = 0;
    for (int i = 0; i < 20000; i++) {
        double x[3], y[3], z[3];
        place(x, 9);
        memcpy(y, x, sizeof y);
        memcpy(z, x, sizeof z);
        y[0] += 0.1;
        z[0] += 2.5;
        const double a = firn_map_noise(x, 1, 1, 0);
        near += a * firn_map_noise(y, 1, 1, 0);
        far += a * firn_map_noise(z, 1, 1, 0);
        all += a * a;
    }
    assert_true(near / all > 0.9 && fabs(far / all) < 0.05);
}

/* ---------------------------------------------------------------- Voronoi cells */

/* The seeds as the head of map.c has them. */
static void seed_of(uint64_t seed, const int64_t cell[3], double s[3])
{
    double u[3];
    firn_random_unit_cube(firn_random_of_cell(seed, cell[0], cell[1], cell[2]), u);
    for (int a = 0; a < 3; a++) s[a] = (double)cell[a] + 0.5 + 0.875 * (u[a] - 0.5);
}

/* The least distance to a bisector between the nearest seed and any of 11^3 around; and the faces
 * take the share of space that their area says: of Poisson-Voronoi cells 2.91 per cell of volume 1,
 * of these more regular ones less. */
static void lumps_are_voronoi_cells(void **state)
{
    (void)state;
    int n_near = 0;
    const int n = 2000;
    const double size = 0.08;
    for (int i = 0; i < n; i++) {
        double x[3], best = INFINITY, own[3] = {0}, least = INFINITY;
        place(x, 1);
        for (int pass = 0; pass < 2; pass++)
            for (int c = 0; c < 1331; c++) {
                const int64_t at[3] = {(int64_t)floor(x[0] / size) + c % 11 - 5,
                                       (int64_t)floor(x[1] / size) + c / 11 % 11 - 5,
                                       (int64_t)floor(x[2] / size) + c / 121 - 5};
                double s[3], d2 = 0, apart = 0;
                seed_of(3, at, s);
                for (int a = 0; a < 3; a++) {
                    d2 += pow(x[a] / size - s[a], 2);
                    apart += pow(s[a] - own[a], 2);
                }
                if (pass == 0 && d2 < best) {
                    best = d2;
                    memcpy(own, s, sizeof own);
                } else if (pass == 1 && apart > 0)
                    least = fmin(least, (d2 - best) / (2 * sqrt(apart)));
            }
        const double depth = firn_map_lump_depth(x, size, 3);
        if (least < 0.2) assert_true(fabs(depth / size - least) < 1e-9);
        assert_true(depth / size >= least - 1e-9);
        n_near += depth < 0.05 * size;
    }
    const double area = n_near / (double)n / 0.1;
    assert_true(area > 2.4 && area < 3);
}

/* ---------------------------------------------------------------- nearest points */

static double brute(const double *xyz, const uint32_t *t, int64_t n, const double x[3])
{
    double least = INFINITY;
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; i <= 60; i++)
            for (int j = 0; i + j <= 60; j++) {
                double d = 0;
                for (int a = 0; a < 3; a++)
                    d += pow((i * xyz[3 * t[3 * k] + a] + j * xyz[3 * t[3 * k + 1] + a] +
                              (60 - i - j) * xyz[3 * t[3 * k + 2] + a]) /
                                     60 -
                                 x[a],
                             2);
                least = fmin(least, sqrt(d));
            }
    return least;
}

/* Among random triangles no sampled point is nearer than the one found, which is as far as said. */
static void nearest_is_nearest(void **state)
{
    (void)state;
    enum { N = 40 };
    double xyz[9 * N];
    uint32_t triangles[3 * N];
    for (int i = 0; i < 3 * N; i++) {
        triangles[i] = (uint32_t)i;
        for (int a = 0; a < 3; a++)
            xyz[3 * i + a] = (i % 3 ? xyz[3 * (i - i % 3) + a] + chance(-0.3, 0.3) : chance(-1, 1));
    }
    for (int with = 0; with < 2; with++) {
        firn_mesh_nearest *tree;
        assert_int_equal(firn_mesh_nearest_create(3 * N, xyz, with ? N : 0, triangles, &tree, NULL),
                         FIRN_OK);
        for (int i = 0; i < 100; i++) {
            double x[3], w[3], least = INFINITY, d2 = 0;
            uint32_t c[3];
            place(x, 1.5);
            const double d = firn_mesh_nearest_find(tree, x, c, w);
            for (int a = 0; a < 3; a++)
                d2 += pow(w[0] * xyz[3 * c[0] + a] + w[1] * xyz[3 * c[1] + a] +
                              w[2] * xyz[3 * c[2] + a] - x[a],
                          2);
            assert_true(fabs(sqrt(d2) - d) < 1e-12);
            assert_true(w[0] >= 0 && w[1] >= 0 && w[2] >= -1e-15 &&
                        fabs(w[0] + w[1] + w[2] - 1) < 1e-12);
            for (int k = 0; k < 3 * N && !with; k++)
                least = fmin(least, sqrt(pow(xyz[3 * k] - x[0], 2) + pow(xyz[3 * k + 1] - x[1], 2) +
                                         pow(xyz[3 * k + 2] - x[2], 2)));
            if (with) least = brute(xyz, triangles, N, x);
            assert_true(d <= least + 1e-12 && d > least - (with ? 0.01 : 1e-12));
        }
        firn_mesh_nearest_destroy(tree);
    }
}

/* ---------------------------------------------------------------- files */

static firn_map *map_of(const char *file, const char *attribute)
{
    firn_map *map = NULL;
    firn_map_def def = firn_map_default();
    snprintf(def.name, sizeof def.name, "test");
    snprintf(def.file, sizeof def.file, "%s", scratch(file));
    snprintf(def.attribute, sizeof def.attribute, "%s", attribute);
    def.center[0] = 1;
    def.width = 4;
    firn_messages *messages = firn_messages_create();
    if (firn_map_create(&def, 0, 0, &map, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return map;
}

/* A square of two triangles with a number that is linear over it; above its inside the number of the
 * point below, beyond its edge that of the edge. As points alone: that of the nearest corner. */
static void painted_meshes_and_points(void **state)
{
    (void)state;
    for (int is_mesh = 0; is_mesh < 2; is_mesh++) {
        FILE *file = fopen(scratch("square.ply"), "w");
        assert_non_null(file);
        fprintf(file, "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float "
                      "y\nproperty float z\nproperty float wet\n");
        if (is_mesh) fprintf(file, "element face 2\nproperty list uchar int vertex_indices\n");
        fprintf(file, "end_header\n0 0 0 1\n2 0 0 3\n2 2 0 7\n0 2 0 5\n");
        if (is_mesh) fprintf(file, "3 0 1 2\n3 0 2 3\n");
        fclose(file);
        firn_map *map = map_of("square.ply", is_mesh ? "wet" : "");
        static const double x[][3] = {{0.5, 1.25, 3}, {1.75, 0.5, -1}, {4, 0.5, 1}, {-3, -4, 0}};
        for (int i = 0; i < 4; i++) {
            const double u = fmax(0, fmin(2, x[i][0])), v = fmax(0, fmin(2, x[i][1])),
                         linear = 1 + u + 2 * v, corner = 1 + (u > 1 ? 2 : 0) + (v > 1 ? 4 : 0);
            assert_true(fabs(firn_map_value(map, x[i]) - (is_mesh ? linear : corner)) < 1e-6);
        }
        firn_map_destroy(map);
    }
    firn_map *map = NULL;
    firn_map_def def = firn_map_default();
    snprintf(def.file, sizeof def.file, "%s", scratch("square.ply"));
    strcpy(def.attribute, "dry");
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_map_create(&def, 0, 0, &map, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "wet"));
    assert_null(map);
    firn_messages_destroy(messages);
}

/* A picture 4 m wide about x = 1: black to white from left to right, darker below. */
static void pictures_are_projected(void **state)
{
    (void)state;
    enum { W = 40, H = 20 };
    firn_image image = {.width = W, .height = H, .rgb = malloc(3 * W * H)};
    for (int j = 0; j < H; j++)
        for (int i = 0; i < W; i++)
            for (int c = 0; c < 3; c++)
                image.rgb[3 * (j * W + i) + c] = (unsigned char)(i * 5 + (j < H / 2 ? 40 : 0));
    assert_int_equal(firn_image_write_png(&image, scratch("ramp.png"), NULL), FIRN_OK);
    free(image.rgb);
    firn_map *map = map_of("ramp.png", "");
    for (int i = 0; i < 200; i++) {
        const double x[3] = {chance(-0.9, 2.9), chance(0.1, 0.9), chance(-9, 9)};
        const double pixel = (x[0] + 1) / 0.1 - 0.5;
        assert_true(fabs(firn_map_value(map, x) - (pixel * 5 + 40) / 255) < 1e-3);
    }
    const double left[3] = {-50, 0.5, 0}, below[3] = {-50, -0.5, 0};
    assert_true(fabs(firn_map_value(map, left) - 40 / 255.0) < 1e-6);
    assert_true(firn_map_value(map, below) == 0 && firn_map_share(map, left) < 0.2);
    firn_map_destroy(map);
}

/* Numbers and vectors that are linear in space come back linear from a .vdb; outside of its leaves
 * there is the background. */
static void volumes_are_trilinear(void **state)
{
    (void)state;
    const int32_t blocks[2][3] = {{0, 0, 0}, {1, 0, 0}};
    const double origin[3] = {0.5, -0.25, 0}, voxel = 0.125;
    firn_sdf *sdf;
    assert_int_equal(firn_sdf_create(voxel, origin, 1, 5, 2, blocks, &sdf, NULL), FIRN_OK);
    for (int64_t l = 0; l < 2; l++)
        for (int m = 0; m < 512; m++) {
            double x[3];
            const int at[3] = {m >> 6, m >> 3 & 7, m & 7};
            for (int a = 0; a < 3; a++) x[a] = origin[a] + voxel * (8 * blocks[l][a] + at[a]);
            const int where = (at[0] * 9 + at[1]) * 9 + at[2];
            *firn_sdf_at(sdf, l, where, 0) = (float)(0.25 - 0.1 * x[0]);
            for (int c = 0; c < 3; c++)
                *firn_sdf_at(sdf, l, where, 1 + c) = (float)(c + x[c] - 2 * x[(c + 1) % 3]);
            *firn_sdf_at(sdf, l, where, 4) = (float)(300 + 20 * x[1]);
        }
    firn_sdf_finish(sdf);
    const firn_vdb_contents contents = {.velocity = 1, .temperature = 4};
    assert_int_equal(firn_vdb_write_volume(scratch("field.vdb"), sdf, &contents, 1, NULL), FIRN_OK);
    firn_sdf_destroy(sdf);

    firn_volume *vectors;
    firn_map *map = map_of("field.vdb", "temperature");
    assert_int_equal(firn_vdb_read_field(scratch("field.vdb"), "", 2, 3, 0, 1, &vectors, NULL),
                     FIRN_OK);
    for (int i = 0; i < 200; i++) {
        const double x[3] = {chance(0.5, 2.3), chance(-0.2, 0.6), chance(0.01, 0.85)},
                     twice[3] = {2 * x[0], 2 * x[1], 2 * x[2]};
        double v[3];
        assert_true(fabs(firn_map_value(map, x) - (300 + 20 * x[1])) < 1e-4);
        firn_volume_sample(vectors, twice, v); /* a scale of 2 */
        for (int c = 0; c < 3; c++)
            assert_true(fabs(v[c] - (c + x[c] - 2 * x[(c + 1) % 3])) < 1e-5);
    }
    const double far[3] = {90, 90, 90};
    assert_true(firn_map_value(map, far) == 0);
    firn_map_destroy(map);
    firn_volume_destroy(vectors);

    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_vdb_read_field(scratch("field.vdb"), "v", 1, 1, 0, 1, &vectors, messages),
                     FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "single floats"));
    assert_int_equal(
        firn_vdb_read_field(scratch("field.vdb"), "wet", 1, 1, 0, 1, &vectors, messages),
        FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 1, NULL), "temperature"));
    assert_int_equal(firn_vdb_read_field(scratch("field.vdb"), "v", 1, 3, 1000, 1, &vectors, NULL),
                     FIRN_MEMORY);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_bounded_and_smooth), cmocka_unit_test(noise_has_its_size),
        cmocka_unit_test(lumps_are_voronoi_cells),     cmocka_unit_test(nearest_is_nearest),
        cmocka_unit_test(painted_meshes_and_points),   cmocka_unit_test(pictures_are_projected),
        cmocka_unit_test(volumes_are_trilinear),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
