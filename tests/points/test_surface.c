/* SPDX-License-Identifier: MIT */
/* Surfaces of particles: a lone one is a ball, a full body has its volume, crumbs survive
 * smoothing, files are read back as what was written, and the number of threads does not show. */
#include "points/surface.h"
#include "geometry/sdf/sdf_sequence.h"
#include "base/memory.h"
#include "geometry/mesh/mesh_close.h"
#include "geometry/sampling.h"
#include "geometry/vdb/vdb.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/scratch.h"
#include "support/skip.h"

static firn_points *cloud(int64_t n, const double *xyz)
{
    firn_points *points = firn_points_create(n);
    firn_attribute *P = firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    for (int64_t i = 0; i < 3 * n; i++) P->data.f[i] = (float)xyz[i];
    return points;
}

/* A ball of radius 0.5 about (1, 2, 3) filled with particles that spin about z and are hot where
 * x is large */
static firn_points *ball(double h)
{
    firn_shape_def def = {.kind = "sphere", .radius = 0.5, .center = {1, 2, 3}};
    firn_shape *shape;
    double *xyz;
    int64_t n;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_OK);
    assert_int_equal(firn_sample_shape(shape, FIRN_POISSON, h, 1, &xyz, &n, NULL), FIRN_OK);
    firn_points *points = cloud(n, xyz);
    firn_attribute *v = firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3);
    for (int64_t i = 0; i < n; i++) {
        v->data.f[3 * i] = (float)(2 - xyz[3 * i + 1]);
        v->data.f[3 * i + 1] = (float)(xyz[3 * i] - 1);
    }
    firn_attribute *T = firn_points_add(points, "T", FIRN_ATTRIBUTE_FLOAT, 1);
    for (int64_t i = 0; i < n; i++) T->data.f[i] = (float)(300 + 10 * xyz[3 * i]);
    firn_memory_release(NULL, xyz, (size_t)n * 24);
    firn_shape_destroy(shape);
    return points;
}

static firn_sdf *make(const firn_points *points, firn_surface_def def,
                      firn_surface_channels *channels)
{
    firn_sdf *volume = NULL;
    firn_messages *messages = firn_messages_create();
    firn_status status = firn_surface_make(points, &def, &volume, channels, messages);
    if (status) print_error("%s\n", firn_messages_text(messages, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    firn_messages_destroy(messages);
    return volume;
}

/* Two lone particles, one of them across a border of blocks: exact spheres, before and after
 * smoothing at least their cores. */
static void crumbs(void **state)
{
    (void)state;
    const double xyz[6] = {0.01, 0.002, -0.003, 0.8, 0.8, 0.8};
    firn_points *points = cloud(2, xyz);
    firn_surface_channels channels;
    for (int n_smooth = 0; n_smooth <= 50; n_smooth += 50) {
        firn_sdf *v =
            make(points, (firn_surface_def){.radius = 0.05, .voxel = 0.02, .n_smooth = n_smooth},
                 &channels);
        assert_true(channels.velocity == 0 && channels.temperature == 0);
        for (int c = 0; c < 2; c++)
            for (int k = 0; k < 40; k++) {
                double value[FIRN_MAX_CHANNELS], g[3], r = n_smooth ? 0.02 : 0.05, a = 0.3 * k;
                double x[3] = {xyz[3 * c] + r * cos(a), xyz[3 * c + 1] + r * sin(a) * cos(2 * a),
                               xyz[3 * c + 2] + r * sin(a) * sin(2 * a)};
                firn_sdf_sample(v, x, value, g);
                if (n_smooth)
                    assert_true(value[0] < 0); /* the core of 0.6 radii is still there */
                else
                    assert_true(fabs(value[0]) < 0.003);
            }
        firn_sdf_destroy(v);
    }
    firn_points_destroy(points);
}

static void full_body(void **state)
{
    (void)state;
    double h = 0.03;
    firn_points *points = ball(h);
    firn_surface_channels channels;
    firn_sdf *v = make(
        points, (firn_surface_def){.radius = 0.8 * h, .voxel = 0.6 * h, .reach = 3, .n_smooth = 4},
        &channels);
    firn_mesh *mesh;
    assert_int_equal(firn_vdb_polygons(v, 0, 2, &mesh, NULL), FIRN_OK);
    assert_int_equal(firn_mesh_weld(mesh, "a mesh", NULL), FIRN_OK);
    assert_int_equal(firn_mesh_is_open(mesh), 0);
    double volume = firn_mesh_volume(mesh), radius = cbrt(volume / (4 * M_PI / 3));
    assert_true(volume > 0);             /* faces look outwards */
    assert_true(fabs(radius - 0.5) < h); /* a skin of at most a spacing */
    double low = 9, high = 0;
    for (int64_t p = 0; p < mesh->n_points; p++) {
        const double *x = mesh->xyz + 3 * p;
        double r = sqrt(pow(x[0] - 1, 2) + pow(x[1] - 2, 2) + pow(x[2] - 3, 2)),
               value[FIRN_MAX_CHANNELS], g[3];
        low = fmin(low, r);
        high = fmax(high, r);
        firn_sdf_sample(v, x, value, g);
        assert_true(fabs(value[channels.velocity] - (2 - x[1])) < 1.5 * h);
        assert_true(fabs(value[channels.velocity + 1] - (x[0] - 1)) < 1.5 * h);
        assert_true(fabs(value[channels.temperature] - (300 + 10 * x[0])) < 15 * h);
    }
    assert_true(high - low < 1.5 * h); /* smooth, and nothing inside */
    firn_mesh *coarse;
    assert_int_equal(firn_vdb_polygons(v, 0.1, 2, &coarse, NULL), FIRN_OK);
    assert_true(coarse->n_triangles < mesh->n_triangles);
    assert_true(fabs(firn_mesh_volume(coarse) / volume - 1) < 0.02);
    firn_mesh_destroy(coarse);
    firn_mesh_destroy(mesh);
    firn_sdf_destroy(v);
    firn_points_destroy(points);
}

/* What all particles have the surface has everywhere, also where voxels outside of them have a
 * part in it. */
static void what_is_the_same_stays_the_same(void **state)
{
    (void)state;
    for (int n_smooth = 0; n_smooth <= 20; n_smooth += 10) {
        firn_points *points = ball(0.05);
        const firn_attribute *v = firn_points_find(points, "v"), *T = firn_points_find(points, "T");
        firn_surface_channels channels;
        firn_mesh *mesh;
        for (int64_t i = 0; i < points->n; i++) {
            v->data.f[3 * i] = 1;
            v->data.f[3 * i + 1] = 2;
            v->data.f[3 * i + 2] = 3;
            T->data.f[i] = 350;
        }
        firn_sdf *volume =
            make(points, (firn_surface_def){.radius = 0.06, .n_smooth = n_smooth}, &channels);
        assert_int_equal(firn_vdb_polygons(volume, 0, 2, &mesh, NULL), FIRN_OK);
        assert_true(mesh->n_points > 500);
        for (int64_t p = 0; p < mesh->n_points; p++) {
            double value[FIRN_MAX_CHANNELS], gradient[3];
            firn_sdf_sample(volume, mesh->xyz + 3 * p, value, gradient);
            for (int a = 0; a < 3; a++)
                assert_true(fabs(value[channels.velocity + a] - (a + 1)) < 1e-4);
            assert_true(fabs(value[channels.temperature] - 350) < 1e-2);
        }
        firn_mesh_destroy(mesh);
        firn_sdf_destroy(volume);
        firn_points_destroy(points);
    }
}

static void same_for_any_number_of_threads(void **state)
{
    (void)state;
    firn_points *points = ball(0.05);
    firn_surface_channels channels;
    int before = omp_get_max_threads();
    omp_set_num_threads(1);
    firn_sdf *one = make(points, (firn_surface_def){.radius = 0.04, .n_smooth = 3}, &channels);
    const int threads[] = {2, 5, 16};
    for (int k = 0; k < 3; k++) {
        omp_set_num_threads(threads[k]);
        firn_sdf *many = make(points, (firn_surface_def){.radius = 0.04, .n_smooth = 3}, &channels);
        assert_int_equal(one->n_leaves, many->n_leaves);
        const size_t n_voxels = (size_t)one->n_leaves * FIRN_LEAF_SIZE;
        assert_memory_equal(one->distance, many->distance, n_voxels * sizeof(float));
        assert_memory_equal(one->others, many->others,
                            n_voxels * (size_t)(one->n_channels - 1) * sizeof(float));
        firn_sdf_destroy(many);
    }
    omp_set_num_threads(before);
    firn_sdf_destroy(one);
    firn_points_destroy(points);
}

/* A frame before the emitter begins: outside everywhere, with the grids of the other frames, as
 * a file and as polygons. */
static void nothing_is_a_surface_too(void **state)
{
    (void)state;
    firn_points *points = firn_points_create(0);
    firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_surface_channels channels;
    for (int has_radius = 0; has_radius < 2; has_radius++) {
        firn_sdf *v =
            make(points, (firn_surface_def){.radius = has_radius * 0.05, .n_smooth = 2}, &channels);
        double value[FIRN_MAX_CHANNELS], g[3], x[3] = {0.01, 0.02, 0.1};
        assert_true(channels.velocity > 0 && channels.temperature == 0);
        firn_sdf_sample(v, x, value, g);
        assert_true(value[0] > 0);
        firn_mesh *mesh;
        assert_int_equal(firn_vdb_polygons(v, 0.5, 2, &mesh, NULL), FIRN_OK);
        assert_int_equal(mesh->n_triangles, 0);
        firn_mesh_destroy(mesh);
        firn_vdb_contents contents = {channels.velocity, 0, 1, 1};
        assert_int_equal(firn_vdb_write_volume(scratch("empty.vdb"), v, &contents, 2, NULL),
                         FIRN_OK);
        firn_shape_def def = {.kind = "vdb", .scale = 1};
        snprintf(def.file, sizeof def.file, "%s", scratch("empty.vdb"));
        firn_shape *shape;
        assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_OK);
        assert_true(firn_shape_distance(shape, x, 0) > 0);
        firn_shape_destroy(shape);
        firn_sdf_destroy(v);
    }
    firn_points_destroy(points);
}

/* Written as .vdb and read as a shape; by python3-openvdb where there is one. */
static void written_and_read_back(void **state)
{
    (void)state;
    firn_points *points = ball(0.05);
    firn_surface_channels channels;
    firn_sdf *v = make(points, (firn_surface_def){.radius = 0.05}, &channels);
    firn_vdb_contents contents = {channels.velocity, channels.temperature, 1, 1};
    assert_int_equal(firn_vdb_write_volume(scratch("s.vdb"), v, &contents, 2, NULL), FIRN_OK);
    firn_shape_def def = {.kind = "vdb", .scale = 2};
    snprintf(def.file, sizeof def.file, "%s", scratch("s.vdb"));
    const char *const grids[2] = {"", "density"};
    for (int k = 0; k < 2; k++) { /* the level set, and the fog, whose surface is the same */
        strcpy(def.grid, grids[k]);
        firn_shape *shape;
        assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_OK);
        for (int i = 0; i < 100; i++) {
            double x[3] = {1 + 0.5 * cos(i), 2 + 0.5 * sin(i) * cos(3 * i),
                           3 + 0.5 * sin(i) * sin(3 * i)},
                   value[FIRN_MAX_CHANNELS], g[3];
            firn_sdf_sample(v, x, value, g);
            double d =
                firn_shape_distance(shape, (const double[3]){2 * x[0], 2 * x[1], 2 * x[2]}, 0);
            assert_true(fabs(d - 2 * value[0]) < (k ? 0.04 : 1e-3));
        }
        firn_shape_destroy(shape);
    }
    strcpy(def.grid, "nothing");
    firn_messages *messages = firn_messages_create();
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                     FIRN_REFUSED);
    assert_true(scratch_says(messages, "density (float)")); /* tells what there is */
    firn_messages_destroy(messages);
    assert_int_not_equal(firn_vdb_write_volume(scratch("no/folder/s.vdb"), v, &contents, 2, NULL),
                         FIRN_OK);
    firn_sdf_destroy(v);
    firn_points_destroy(points);
}

static void python_reads_it(void **state)
{
    (void)state;
    if (system("/usr/bin/python3 -c 'import pyopenvdb' 2>/dev/null") != 0)
        SKIP("python3-openvdb is not installed");
    char command[2048];
    snprintf(
        command, sizeof command,
        "/usr/bin/python3 -c \"import pyopenvdb as v; g={x.name:x for x in v.readAll('%s')[0]}; "
        "s=g['surface']; assert s.gridClass=='level set' and s.activeVoxelCount()>100; "
        "a=g['v'].getConstAccessor(); i=s.transform.worldToIndexCellCentered((1.3,2,3)); "
        "assert abs(a.getValue(i)[1]-0.3)<0.05 and "
        "abs(g['temperature'].getConstAccessor().getValue(i)-313)<1; "
        "m=g['density'].evalMinMax(); assert 0<=m[0]<0.01 and 0.99<m[1]<=1\"",
        scratch("s.vdb"));
    assert_int_equal(system(command), 0);
}

static void refusals(void **state)
{
    (void)state;
    double far_apart[6] = {0, 0, 0, 1e6, 1e6, 1e6}, nowhere[3] = {0, NAN, 0};
    firn_points *points[3] = {cloud(2, far_apart), cloud(1, nowhere), cloud(2, far_apart)};
    const struct {
        double radius;
        const char *word;
    } bad[3] = {{0.01, "are too far apart for voxels of 0.01 m; try: a larger --voxel"},
                {0.01, "position of particle 0 is nan; allowed: within 1e9 m"},
                {0, "the particles have no size (attribute pscale or detail dx); try: --radius"}};
    for (int i = 0; i < 3; i++) {
        firn_messages *messages = firn_messages_create();
        firn_sdf *v;
        firn_surface_channels channels;
        assert_int_equal(firn_surface_make(points[i], &(firn_surface_def){.radius = bad[i].radius},
                                           &v, &channels, messages),
                         FIRN_REFUSED);
        assert_null(v);
        assert_true(scratch_says(messages, bad[i].word));
        firn_messages_destroy(messages);
        firn_points_destroy(points[i]);
    }
    firn_points *two = cloud(2, (const double[6]){0, 0, 0, 0.1, 0, 0});
    for (int fail = 1; fail <= 10; fail++) {
        firn_sdf *v = NULL;
        firn_surface_channels channels;
        firn_memory_fail_after(fail);
        firn_status status = firn_surface_make(
            two, &(firn_surface_def){.radius = 0.05, .n_smooth = 1}, &v, &channels, NULL);
        firn_memory_fail_after(0);
        assert_int_equal(status, FIRN_MEMORY);
        assert_null(v);
    }
    firn_points_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crumbs),
        cmocka_unit_test(full_body),
        cmocka_unit_test(same_for_any_number_of_threads),
        cmocka_unit_test(what_is_the_same_stays_the_same),
        cmocka_unit_test(nothing_is_a_surface_too),
        cmocka_unit_test(written_and_read_back),
        cmocka_unit_test(python_reads_it),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
