/* SPDX-License-Identifier: MIT */
/* Distance fields of meshes against closed formulas: whole, open, nested, painted; and
 * definitions that are refused. Those that move are in test_field_moving.c, .vdb files in
 * test_field_vdb.c. */
#include "geometry/sdf/sdf_sequence.h"
#include "geometry/sampling.h"
#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/geometry.h"
#include "support/scratch.h"
#include "support/shape_files.h"

static firn_shape *from_mesh(firn_mesh *mesh, const char *name, firn_shape_def def)
{
    assert_int_equal(firn_mesh_write(scratch(name), mesh, NULL), FIRN_OK);
    firn_mesh_destroy(mesh);
    snprintf(def.file, sizeof def.file, "%s", scratch(name));
    strcpy(def.kind, "mesh");
    return build(&def);
}

static double random_between(double low, double high)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (state / 4294967296.0);
}

/* A fine sphere, moved and scaled by the definition: distance and normal near the surface to a
 * few per mille of a voxel, a true lower bound with the right sign far away. */
static void sphere_from_a_mesh(void **state)
{
    (void)state;
    firn_shape *shape =
        from_mesh(geometry_sphere(120, 50, 0, 0, 0), "ball.ply",
                  (firn_shape_def){.scale = 0.01, .center = {1, 2, 3}, .voxel = 0.02});
    int n_near = 0, n_far = 0;
    double far_sum = 0;
    for (int trial = 0; trial < 20000; trial++) {
        double x[3];
        for (int a = 0; a < 3; a++) {
            x[a] = random_between(-1.2, 1.2);
        }
        double exact = length(x) - 0.5, r[3] = {x[0], x[1], x[2]};
        for (int a = 0; a < 3; a++) x[a] += a + 1;
        firn_surface_point s;
        firn_shape_query(shape, x, 0, &s);
        assert_true((s.distance < 0) == (exact < 0) || fabs(exact) < 1e-3);
        assert_true(fabs(s.distance) < fabs(exact) + 2e-3);
        assert_true(fabs(length(s.normal) - 1) < 1e-9);
        double agree = (s.normal[0] * r[0] + s.normal[1] * r[1] + s.normal[2] * r[2]) / length(r);
        if (fabs(exact) < 0.06) {
            n_near++;
            assert_true(fabs(s.distance - exact) < 1e-3);
            assert_true(agree > 0.995);
        } else if (exact > 0) {
            assert_true(agree > 0); /* a direction to go by, no more */
            far_sum += agree;
            n_far++;
        }
        assert_true(isnan(s.friction) && length(s.velocity) == 0);
    }
    assert_true(n_near > 500);
    assert_true(far_sum / n_far > 0.9);
    firn_shape_destroy(shape);
}

static void volume_of_a_sampled_mesh(void **state)
{
    (void)state;
    firn_mesh *mesh = geometry_sphere(40, 0.5, 0, 0, 0);
    double exact = firn_mesh_volume(mesh), h = cbrt(exact / 60000), *xyz;
    int64_t n;
    firn_shape *shape = from_mesh(mesh, "v.obj", (firn_shape_def){0});
    for (int how = FIRN_REGULAR; how <= FIRN_POISSON; how++) {
        assert_int_equal(firn_sample_shape(shape, (firn_sampling)how, h, 3, &xyz, &n, NULL),
                         FIRN_OK);
        assert_true(fabs((double)n * h * h * h / exact - 1) < 0.005);
        firn_memory_release(NULL, xyz, (size_t)n * 24);
    }
    firn_shape_destroy(shape);
}

/* Two blocks, one of them smaller, in space or as cavities of a third: nowhere the distance may
 * say more than the way to the nearer one, or clearances let surfaces come through unseen. */
static void no_farther_than_it_is(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        const double voxel = 0.02, gap = voxel * (8 + 1.4 * (trial / 2)), step = 0.03 * (trial / 2);
        const double low[3][3] = {
            {-0.5, -0.5, -0.2 - gap / 2}, {step - 0.5, step - 0.5, gap / 2}, {-1.3, -1.3, -1.3}};
        const double high[3][3] = {
            {0.5, 0.5, -gap / 2}, {0.5, 0.5, 0.2 + gap / 2}, {1.3, 1.3, 1.3}};
        const int is_cavity = trial & 1;
        firn_mesh *mesh = geometry_block(low[0], high[0]);
        for (int k = 1; k < 2 + is_cavity; k++) {
            firn_mesh *block = geometry_block(low[k], high[k]),
                      *both = geometry_joined(mesh, block);
            firn_mesh_destroy(mesh);
            firn_mesh_destroy(block);
            mesh = both;
        }
        for (int64_t t = 0; is_cavity && t < 24; t++) { /* the first two inside out */
            const uint32_t first = mesh->triangles[3 * t];
            mesh->triangles[3 * t] = mesh->triangles[3 * t + 1];
            mesh->triangles[3 * t + 1] = first;
        }
        firn_shape *shape = from_mesh(mesh, "two.obj", (firn_shape_def){.voxel = voxel});
        double worst = -INFINITY, mean = 0;
        int n = 0;
        for (int p = 0; p < 50000; p++) {
            double x[3], least = INFINITY;
            for (int a = 0; a < 3; a++) x[a] = random_between(-1.2, 1.2);
            if (p % 2) x[2] = random_between(-0.5, 0.5) * gap;
            for (int k = 0; k < 2; k++) {
                double outside2 = 0;
                for (int a = 0; a < 3; a++) {
                    const double out = fmax(0, fmax(low[k][a] - x[a], x[a] - high[k][a]));
                    outside2 += out * out;
                }
                least = fmin(least, sqrt(outside2));
            }
            for (int a = 0; is_cavity && a < 3; a++) least = fmin(least, 1.3 - fabs(x[a]));
            if (least == 0) continue;
            const double d = firn_shape_distance(shape, x, 0) * (is_cavity ? -1 : 1);
            worst = fmax(worst, d - least);
            mean += d / least;
            n++;
        }
        /* within a voxel as between voxels; and not so near that everything is asked for again
         * and again */
        if (!(worst < voxel && mean / n > (is_cavity ? 0.45 : 0.6)))
            fail_msg("trial %d: %g voxels too far, %g of the true way", trial, worst / voxel,
                     mean / n);
        firn_shape_destroy(shape);
    }
}

/* The share of a unit cube about the middle of `shape` that is inside, from places on a lattice
 * of n^3 */
static double share_inside(const firn_shape *shape, int n)
{
    int64_t inside = 0;
    for (int64_t i = 0; i < (int64_t)n * n * n; i++) {
        const double x[3] = {(i / n / n + 0.5) / n, (i / n % n + 0.5) / n, (i % n + 0.5) / n};
        inside += firn_shape_distance(shape, x, 0) < 0;
    }
    return (double)inside / ((double)n * n * n);
}

/* A wall inside a body is no surface: the rooms at its sides are one solid, as deep at the wall
 * as anywhere. */
static void wall_inside_a_body(void **state)
{
    (void)state;
    firn_mesh *mesh = geometry_two_rooms(0.37);
    firn_shape *shape = from_mesh(mesh, "rooms.obj", (firn_shape_def){0});
    assert_true(share_inside(shape, 101) > 0.995);
    assert_true(firn_shape_distance(shape, (const double[3]){0.37, 0.5, 0.5}, 0) < -0.02);
    assert_true(firn_shape_distance(shape, (const double[3]){0.37, -0.05, 0.5}, 0) > 0.02);
    firn_shape_destroy(shape);
}

/* Inside out, and two spheres that cut each other: inside is what the outside cannot reach. */
static void flipped_and_crossing_meshes(void **state)
{
    (void)state;
    firn_mesh *a = geometry_sphere(40, 0.5, -0.3, 0, 0), *b = geometry_sphere(40, 0.5, 0.3, 0, 0);
    firn_mesh *both = firn_mesh_create(2 * a->n_points, 2 * a->n_triangles);
    memcpy(both->xyz, a->xyz, (size_t)a->n_points * 24);
    memcpy(both->xyz + 3 * a->n_points, b->xyz, (size_t)b->n_points * 24);
    for (int64_t i = 0; i < 3 * a->n_triangles; i++) {
        both->triangles[i] = a->triangles[i];
        both->triangles[3 * a->n_triangles + i] = b->triangles[i] + (uint32_t)a->n_points;
    }
    for (int64_t t = 0; t < both->n_triangles; t++) { /* the first inside out */
        uint32_t swap = both->triangles[3 * t];
        if (t < a->n_triangles) {
            both->triangles[3 * t] = both->triangles[3 * t + 1];
            both->triangles[3 * t + 1] = swap;
        }
    }
    firn_mesh_destroy(a);
    firn_mesh_destroy(b);
    firn_shape *shape = from_mesh(both, "both.ply", (firn_shape_def){0});
    const double inside[][3] = {{0, 0, 0}, {-0.6, 0, 0}, {0.6, 0.1, 0}, {-0.3, 0.45, 0}},
                 outside[][3] = {{0, 0.45, 0}, {-0.9, 0, 0}, {0.3, 0.55, 0}};
    for (int i = 0; i < 4; i++) assert_true(firn_shape_distance(shape, inside[i], 0) < 0);
    for (int i = 0; i < 3; i++) assert_true(firn_shape_distance(shape, outside[i], 0) > 0);
    firn_shape_destroy(shape);
}

/* Balls in balls about (x, 0, 0), each looking the other way than the one about it; friction is
 * the radius */
static firn_mesh *nest(int is_inverted, int n, double x)
{
    static const double radii[3] = {0.5, 0.35, 0.2};
    firn_mesh *mesh = NULL;
    for (int k = 0; k < n; k++) {
        firn_mesh *ball = geometry_sphere(40, radii[k], x, 0, 0),
                  *joined = mesh ? geometry_joined(mesh, ball) : ball;
        if (k % 2 != is_inverted)
            geometry_invert(joined, joined->n_triangles - ball->n_triangles, ball->n_triangles);
        if (mesh) {
            firn_mesh_destroy(mesh);
            firn_mesh_destroy(ball);
        }
        mesh = joined;
    }
    firn_mesh_attribute *friction = firn_mesh_add(mesh, "friction", 1);
    for (int64_t i = 0; i < mesh->n_points; i++)
        friction->data[i] = (float)radii[i / (mesh->n_points / n)];
    return mesh;
}

/* The distance to the material of such a nest, at r from its middle */
static double nest_distance(int n, double r)
{
    double d = fmax(r - 0.5, 0.35 - r);
    return n > 2 ? fmin(d, r - 0.2) : d;
}

/* Cavities are outside, and so is not what lies in them; their walls have normals, paint and
 * depths of their own. */
static void cavities(void **state)
{
    (void)state;
    for (int which = 0; which < 5; which++) {
        int n = 2 + which % 2, is_inverted = which / 2 % 2;
        firn_shape_def def = {.voxel = 0.0125,
                              .thickness = which / 4 ? 0.04 : 0}; /* a wall along every shell */
        firn_shape *shape = from_mesh(nest(is_inverted, n, 0), "nest.ply", def);
        double half = 0.5 * def.thickness;
        for (int i = 0; i < 4000; i++) {
            double r = 0.56 * (i + 0.5) / 4000, angle = 2.4 * i, up = 2 * fmod(0.618034 * i, 1) - 1;
            double x[3] = {r * sqrt(1 - up * up) * cos(angle), r * sqrt(1 - up * up) * sin(angle),
                           r * up};
            double full = nest_distance(n, r), exact = half > 0 ? fabs(full) - half : full;
            firn_surface_point s;
            firn_shape_query(shape, x, 0, &s);
            assert_true((s.distance < 0) == (exact < 0) || fabs(exact) < 2e-3);
            if (fabs(full) > 0.02) continue;
            assert_true(fabs(s.distance - exact) < 2e-3);
            double nearest = r > 0.425 ? 0.5 : r > 0.275 ? 0.35 : 0.2;
            assert_true(fabs(s.friction - nearest) < 1e-3);
            if (half > 0) continue;
            double along = (s.normal[0] * x[0] + s.normal[1] * x[1] + s.normal[2] * x[2]) / r;
            assert_true((nearest == 0.35 ? -along : along) > 0.98);
        }
        assert_true(firn_shape_distance(shape, (const double[3]){0.9, 0, 0}, 0) > 0.05);
        firn_shape_destroy(shape);
    }
}

/* Deep fields reach as far into the material of a hollow ball as into that of a full one. */
static void cavities_have_depth(void **state)
{
    (void)state;
    firn_mesh *mesh = nest(0, 2, 0);
    assert_int_equal(firn_mesh_write(scratch("deep.ply"), mesh, NULL), FIRN_OK);
    firn_mesh_destroy(mesh);
    firn_shape_def def = mesh_def(scratch("deep.ply"));
    def.voxel = 0.01;
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){.depth = 0.1}, &shape, NULL),
                     FIRN_OK);
    for (int i = 0; i < 300; i++) {
        double r = 0.35 + 0.15 * (i + 0.5) / 300,
               x[3] = {r * cos(i), r * sin(i) * 0.6, r * sin(i) * 0.8};
        assert_true(fabs(firn_shape_distance(shape, x, 0) - nest_distance(2, r)) <
                    4e-3); /* on the ridge */
    }
    firn_shape_destroy(shape);
}

/* A hollow ball that moves in a sequence stays hollow on its way. */
static void cavities_move(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "hollow.%d.ply", k);
        firn_mesh *mesh = nest(0, 2, 0.2 * k);
        assert_int_equal(firn_mesh_write(scratch(name), mesh, NULL), FIRN_OK);
        firn_mesh_destroy(mesh);
    }
    firn_shape_def def = mesh_def(scratch("hollow.%d.ply"));
    def.fps = 10;
    def.voxel = 0.03;
    firn_shape *shape = build(&def);
    for (int i = 0; i < 200; i++) {
        double time = 0.2 * i / 200, r = 0.3 + 0.25 * fmod(0.618034 * i, 1);
        const double x[3] = {2 * time + r * cos(i), r * sin(i), 0};
        firn_surface_point s;
        firn_shape_query(shape, x, time, &s);
        assert_true((s.distance < 0) == (nest_distance(2, r) < 0) ||
                    fabs(nest_distance(2, r)) < 2e-3);
        if (fabs(nest_distance(2, r)) < 0.03) assert_true(fabs(s.velocity[0] - 2) < 1e-3);
    }
    firn_shape_destroy(shape);
}

/* A square without thickness of its own becomes a wall, solid from both sides. */
static void open_sheet_as_wall(void **state)
{
    (void)state;
    firn_mesh *sheet = firn_mesh_create(4, 2);
    const double xyz[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    memcpy(sheet->xyz, xyz, sizeof xyz);
    memcpy(sheet->triangles, (uint32_t[6]){0, 1, 2, 0, 2, 3}, 24);
    assert_int_equal(firn_mesh_write(scratch("sheet.obj"), sheet, NULL), FIRN_OK);
    firn_shape_def def = mesh_def(scratch("sheet.obj"));
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL),
                     FIRN_REFUSED); /* as a solid it is not closed */
    def.thickness = 0.1;
    shape = build(&def);
    for (int side = -1; side <= 1; side += 2) {
        firn_surface_point s;
        firn_shape_query(shape, (const double[3]){0.3, -0.2, 0.09 * side}, 0, &s);
        assert_true(fabs(s.distance - 0.04) < 1e-3);
        assert_true(s.normal[2] * side > 0.999);
        firn_shape_query(shape, (const double[3]){0.3, -0.2, 0.04 * side}, 0, &s);
        assert_true(fabs(s.distance + 0.01) < 1e-3);
        assert_true(s.normal[2] * side > 0.999);
    }
    double min[3], max[3];
    assert_true(firn_shape_bounds(shape, min, max));
    assert_true(fabs(max[2] - 0.05) < 1e-9 && fabs(max[0] - 1.05) < 1e-9);
    firn_shape_destroy(shape);
    firn_mesh_destroy(sheet);
}

/* In the middle of a thin wall that lies askew to the voxels their gradient vanishes: the normal
 * is that of the nearer side all the same. A sheet with a thickness, and a closed plate. */
static void normals_in_thin_walls(void **state)
{
    (void)state;
    const double n[3] = {0.5, 0.8, sqrt(1 - 0.25 - 0.64)},
                 t[3] = {-n[1] / hypot(n[0], n[1]), n[0] / hypot(n[0], n[1]), 0},
                 b[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2],
                         n[0] * t[1] - n[1] * t[0]},
                 half = 0.01;
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        const uint32_t faces[36] = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6, 0, 4, 1, 1, 4, 5,
                                    1, 5, 2, 2, 5, 6, 2, 6, 3, 3, 6, 7, 3, 7, 0, 0, 7, 4};
        firn_mesh *plate = firn_mesh_create(is_closed ? 8 : 4, is_closed ? 12 : 2);
        for (int64_t p = 0; p < plate->n_points; p++) {
            const double u = (p + 1) & 2 ? 1 : -1, v = p & 2 ? 1 : -1,
                         w = !is_closed ? 0
                             : p < 4    ? half
                                        : -half;
            for (int a = 0; a < 3; a++) plate->xyz[3 * p + a] = u * t[a] + v * b[a] + w * n[a];
        }
        memcpy(plate->triangles, faces, 12 * (size_t)plate->n_triangles);
        assert_int_equal(firn_mesh_write(scratch("askew.obj"), plate, NULL), FIRN_OK);
        firn_mesh_destroy(plate);
        firn_shape_def def = mesh_def(scratch("askew.obj"));
        def.thickness = is_closed ? 0 : 2 * half;
        for (double voxel = half / 3; voxel < 1.1 * half; voxel *= 1.5) {
            def.voxel = voxel;
            firn_shape *shape = build(&def);
            int n_askew = 0;
            for (int i = 0; i < 4000; i++) {
                const double along = 1.6 * fmod(0.618034 * i, 1) - 0.8,
                             across = 1.6 * fmod(0.754878 * i, 1) - 0.8,
                             deep = half * (2 * fmod(0.569840 * i, 1) - 1);
                double x[3], c = 0;
                firn_surface_point s;
                for (int a = 0; a < 3; a++) x[a] = along * t[a] + across * b[a] + deep * n[a];
                firn_shape_query(shape, x, 0, &s);
                for (int a = 0; a < 3; a++) c += s.normal[a] * n[a];
                n_askew += fabs(c) < 0.97;
                if (fabs(deep) > 0.1 * half) assert_true(c * deep > 0);
            }
            assert_true(n_askew <= 4); /* of 4000; a third without looking around */
            firn_shape_destroy(shape);
        }
    }
}

static void painted_friction(void **state)
{
    (void)state;
    firn_mesh *ball = geometry_sphere(60, 0.5, 0, 0, 0);
    firn_mesh_attribute *friction = firn_mesh_add(ball, "friction", 1);
    for (int64_t i = 0; i < ball->n_points; i++)
        friction->data[i] = (float)(0.5 + ball->xyz[3 * i]);
    firn_shape *shape = from_mesh(ball, "painted.ply", (firn_shape_def){0});
    for (int i = 0; i < 50; i++) {
        double angle = 0.1 + i, x[3] = {0.5 * cos(angle), 0.3 * sin(angle), 0.4 * sin(angle)};
        firn_surface_point s;
        firn_shape_query(shape, x, 0, &s);
        assert_true(fabs(s.friction - (0.5 + x[0])) < 0.01);
        assert_true(isnan(s.stickiness));
    }
    firn_shape_destroy(shape);
}

/* Voxels that nobody chose follow the cells that they are made for: two small balls far apart
 * keep their volume. */
static void voxels_fit_the_cells(void **state)
{
    (void)state;
    firn_mesh *balls = geometry_sphere(40, 0.1, 0, 0, 0),
              *other = geometry_sphere(40, 0.1, 9, 0, 0);
    const uint32_t n = (uint32_t)balls->n_points;
    firn_mesh *both = firn_mesh_create(balls->n_points + other->n_points,
                                       balls->n_triangles + other->n_triangles);
    memcpy(both->xyz, balls->xyz, 3 * (size_t)n * sizeof(double));
    memcpy(both->xyz + 3 * n, other->xyz, 3 * (size_t)other->n_points * sizeof(double));
    for (int64_t i = 0; i < 3 * balls->n_triangles; i++) {
        both->triangles[i] = balls->triangles[i];
        both->triangles[3 * balls->n_triangles + i] = n + other->triangles[i];
    }
    assert_int_equal(firn_mesh_write(scratch("apart.obj"), both, NULL), FIRN_OK);
    firn_mesh_destroy(balls);
    firn_mesh_destroy(other);
    firn_mesh_destroy(both);
    firn_shape_def def = mesh_def(scratch("apart.obj"));
    for (int coarse = 0; coarse < 2; coarse++) {
        def.voxel = coarse ? 0.05 : 0;
        firn_messages *messages = firn_messages_create();
        firn_shape *shape;
        assert_int_equal(
            firn_shape_create(1, &def, (firn_shape_need){.cell = 0.02}, &shape, messages), FIRN_OK);
        assert_int_equal(scratch_says(messages, "(0.05 m) are larger than the cells (0.02 m)"),
                         coarse);
        double *x;
        int64_t n_inside;
        assert_int_equal(firn_sample_shape(shape, FIRN_POISSON, 0.004, 1, &x, &n_inside, NULL),
                         FIRN_OK);
        double share = (double)n_inside * 64e-9 / (2 * 4 * M_PI / 3 * 1e-3);
        assert_true(coarse ? share < 0.95 : fabs(share - 1) < 0.01); /* facets take .3 % */
        firn_memory_release(NULL, x, (size_t)n_inside * 24);
        firn_shape_destroy(shape);
        firn_messages_destroy(messages);
    }
}

/* However fine the voxels, a point well below a flat face is told its depth and the face's normal.
 */
static void deep_below_a_face(void **state)
{
    (void)state;
    firn_mesh *block =
        geometry_block((const double[3]){-0.5, -0.3, -0.5}, (const double[3]){0.5, 0, 0.5});
    assert_int_equal(firn_mesh_write(scratch("floor.obj"), block, NULL), FIRN_OK);
    firn_mesh_destroy(block);
    firn_shape_def def = mesh_def(scratch("floor.obj"));
    def.voxel = 0.01;
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){.depth = 0.12}, &shape, NULL),
                     FIRN_OK);
    for (int i = 0; i < 200; i++) {
        double x[3] = {0.3 * sin(i), -0.12 * i / 200, 0.3 * cos(1.7 * i)};
        firn_surface_point s;
        firn_shape_query(shape, x, 0, &s);
        assert_true(fabs(s.distance - x[1]) < 1e-4);
        assert_true(s.normal[1] > 1 - 1e-6);
    }
    firn_shape_destroy(shape);
}

static void bad_definitions_are_sentences(void **state)
{
    (void)state;
    scratch_store(scratch("not.vdb"), "not a volume at all, whatever its name says", 43);
    const struct {
        const char *kind, *file, *word;
    } bad[] = {{"mesh", "", "needs a file"},
               {"mesh", "absent.obj", "absent.obj"},
               {"vdb", "absent.vdb", "absent.vdb"},
               {"vdb", "not.vdb", "not.vdb"},
               {"mesh", "none.%04d.obj", "no file"},
               {"mesh", "a%s.obj", "%d"},
               {"mesh", "a%d.%d.obj", "needs one number"},
               {"mesh", "a%n.obj", "%d"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_shape_def def = {0};
        strcpy(def.kind, bad[i].kind);
        if (bad[i].file[0]) snprintf(def.file, sizeof def.file, "%s", scratch(bad[i].file));
        firn_messages *messages = firn_messages_create();
        firn_shape *shape;
        assert_int_not_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                             FIRN_OK);
        assert_null(shape);
        assert_true(scratch_says(messages, bad[i].word));
        firn_messages_destroy(messages);
    }
    firn_mesh *ball = geometry_sphere(20, 0.5, 0, 0, 0);
    assert_int_equal(firn_mesh_write(scratch("ball.obj"), ball, NULL), FIRN_OK);
    firn_mesh_destroy(ball);
    firn_shape_def def = mesh_def(scratch("ball.obj"));
    firn_shape *shape;
    def.voxel = 1e-7; /* 10^14 voxels: refused before anything is allocated */
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_REFUSED);
}

/* A % is a character like others, in folders and files, unless it begins the one number of a
 * sequence. */
static void names_with_percent_signs(void **state)
{
    (void)state;
    static const struct {
        const char *folder, *written, *named;
    } names[] = {{"pro 50%r", "ball.obj", "ball.obj"},
                 {"a %04d b", "ball.obj", "ball.obj"},
                 {"plain", "bq 100% x.obj", "bq 100% x.obj"},
                 {"plain", "50%d%d.obj", "50%d%d.obj"},
                 {"100%d", "%walk 5%.0001.obj", "%walk 5%.%04d.obj"},
                 {"pro 50%r", "w 100%s 7.obj", "w 100%s %d.obj"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[128];
        mkdir(scratch(names[i].folder), 0700);
        snprintf(name, sizeof name, "%s/%s", names[i].folder, names[i].written);
        write_sphere(name, 12, 0.3, 0, 0);
        snprintf(name, sizeof name, "%s/%s", names[i].folder, names[i].named);
        firn_shape_def def = mesh_def(scratch(name));
        def.voxel = 0.05;
        firn_shape_destroy(build(&def));
    }
}

/* What is refused for its extent is not said to be so for its number of voxels. */
static void too_far_across(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    write_sphere("dust.obj", 4, 0.5, 0, 0);
    firn_shape_def def = mesh_def(scratch("dust.obj"));
    firn_shape *shape;
    def.voxel = 1e-6;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                     FIRN_REFUSED);
    assert_true(scratch_says(messages, "1e+06 voxels of 1e-06 m; allowed: at most 100000 voxels"));
    firn_messages_destroy(messages);
}

/* Each allocation fails in turn: a clean error, nothing leaked (the sanitizer build tells). */
static void out_of_memory(void **state)
{
    (void)state;
    firn_mesh *ball = geometry_sphere(12, 0.5, 0, 0, 0);
    assert_int_equal(firn_mesh_write(scratch("m.ply"), ball, NULL), FIRN_OK);
    firn_mesh_destroy(ball);
    firn_shape_def def = mesh_def(scratch("m.ply"));
    def.voxel = 0.1;
    firn_shape *shape = NULL;
    int fail = 0;
    do {
        firn_memory_fail_after(++fail);
        firn_status status = firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL);
        firn_memory_fail_after(0);
        assert_true(status == FIRN_OK || !shape);
        assert_true(fail < 100);
    } while (!shape);
    assert_true(fail > 8);
    firn_shape_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_from_a_mesh),
        cmocka_unit_test(volume_of_a_sampled_mesh),
        cmocka_unit_test(no_farther_than_it_is),
        cmocka_unit_test(wall_inside_a_body),
        cmocka_unit_test(flipped_and_crossing_meshes),
        cmocka_unit_test(cavities),
        cmocka_unit_test(cavities_have_depth),
        cmocka_unit_test(cavities_move),
        cmocka_unit_test(open_sheet_as_wall),
        cmocka_unit_test(normals_in_thin_walls),
        cmocka_unit_test(names_with_percent_signs),
        cmocka_unit_test(too_far_across),
        cmocka_unit_test(painted_friction),
        cmocka_unit_test(voxels_fit_the_cells),
        cmocka_unit_test(deep_below_a_face),
        cmocka_unit_test(bad_definitions_are_sentences),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
