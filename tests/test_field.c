/* Distance fields of meshes against closed formulas: standing, moving, painted, open; and .vdb files in. */
#include "field.h"
#include "vdb.h"
#include "sample.h"
#include "memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "damage.h"
#include "geometry.h"
#include "scratch.h"

static double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static firn_shape_def mesh_def(const char *path)
{
    firn_shape_def def = {.kind = "mesh"};
    snprintf(def.file, sizeof def.file, "%s", path);
    return def;
}

static firn_shape *build(const firn_shape_def *def)
{
    firn_shape *shape = NULL;
    firn_report *report = firn_report_create();
    firn_status status = firn_shape_create(1, def, &shape, report);
    if (status) print_error("%s\n", firn_report_sentence(report, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    firn_report_destroy(report);
    return shape;
}

static firn_shape *from_mesh(firn_mesh *mesh, const char *name, firn_shape_def def)
{
    assert_int_equal(firn_mesh_write(scratch(name), mesh, NULL), FIRN_OK);
    firn_mesh_destroy(mesh);
    snprintf(def.file, sizeof def.file, "%s", scratch(name));
    strcpy(def.kind, "mesh");
    return build(&def);
}

/* A fine sphere, moved and scaled by the definition: distance and normal near the surface to a few per mille of a
 * voxel, a true lower bound with the right sign far away. */
static void sphere_from_a_mesh(void **state)
{
    (void)state;
    firn_shape *shape = from_mesh(geometry_sphere(120, 50, 0, 0, 0), "ball.ply",
                                  (firn_shape_def){.scale = 0.01, .center = {1, 2, 3}, .voxel = 0.02});
    uint32_t random = 1;
    int n_near = 0, n_far = 0;
    double far_sum = 0;
    for (int trial = 0; trial < 20000; trial++) {
        double x[3];
        for (int a = 0; a < 3; a++) {
            random = random * 1664525u + 1013904223u;
            x[a] = 2.4 * (random / 4294967296.0 - 0.5);
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
            far_sum += agree, n_far++;
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
        assert_int_equal(firn_sample_shape(shape, (firn_sampling)how, h, 3, &xyz, &n, NULL), FIRN_OK);
        assert_true(fabs((double)n * h * h * h / exact - 1) < 0.005);
        firn_memory_release(NULL, xyz, (size_t)n * 24);
    }
    firn_shape_destroy(shape);
}

/* The share of a unit cube about the middle of `shape` that is inside, from places on a lattice of n^3 */
static double share_inside(const firn_shape *shape, int n)
{
    int64_t inside = 0;
    for (int64_t i = 0; i < (int64_t)n * n * n; i++) {
        const double x[3] = {(i / n / n + 0.5) / n, (i / n % n + 0.5) / n, (i % n + 0.5) / n};
        inside += firn_shape_distance(shape, x, 0) < 0;
    }
    return (double)inside / ((double)n * n * n);
}

/* A wall inside a body is no surface: the rooms at its sides are one solid, as deep at the wall as anywhere. */
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
    memcpy(both->xyz, a->xyz, (size_t)a->n_points * 24),
        memcpy(both->xyz + 3 * a->n_points, b->xyz, (size_t)b->n_points * 24);
    for (int64_t i = 0; i < 3 * a->n_triangles; i++) {
        both->triangles[i] = a->triangles[i];
        both->triangles[3 * a->n_triangles + i] = b->triangles[i] + (uint32_t)a->n_points;
    }
    for (int64_t t = 0; t < both->n_triangles; t++) { /* the first inside out */
        uint32_t swap = both->triangles[3 * t];
        if (t < a->n_triangles) both->triangles[3 * t] = both->triangles[3 * t + 1], both->triangles[3 * t + 1] = swap;
    }
    firn_mesh_destroy(a), firn_mesh_destroy(b);
    firn_shape *shape = from_mesh(both, "both.ply", (firn_shape_def){0});
    const double inside[][3] = {{0, 0, 0}, {-0.6, 0, 0}, {0.6, 0.1, 0}, {-0.3, 0.45, 0}},
                 outside[][3] = {{0, 0.45, 0}, {-0.9, 0, 0}, {0.3, 0.55, 0}};
    for (int i = 0; i < 4; i++) assert_true(firn_shape_distance(shape, inside[i], 0) < 0);
    for (int i = 0; i < 3; i++) assert_true(firn_shape_distance(shape, outside[i], 0) > 0);
    firn_shape_destroy(shape);
}

/* Balls in balls about (x, 0, 0), each looking the other way than the one about it; friction is the radius */
static firn_mesh *nest(int is_inverted, int n, double x)
{
    static const double radii[3] = {0.5, 0.35, 0.2};
    firn_mesh *mesh = NULL;
    for (int k = 0; k < n; k++) {
        firn_mesh *ball = geometry_sphere(40, radii[k], x, 0, 0), *joined = mesh ? geometry_joined(mesh, ball) : ball;
        if (k % 2 != is_inverted) geometry_invert(joined, joined->n_triangles - ball->n_triangles, ball->n_triangles);
        if (mesh) firn_mesh_destroy(mesh), firn_mesh_destroy(ball);
        mesh = joined;
    }
    firn_mesh_attribute *friction = firn_mesh_add(mesh, "friction", 1);
    for (int64_t i = 0; i < mesh->n_points; i++) friction->data[i] = (float)radii[i / (mesh->n_points / n)];
    return mesh;
}

/* The distance to the material of such a nest, at r from its middle */
static double nest_distance(int n, double r)
{
    double d = fmax(r - 0.5, 0.35 - r);
    return n > 2 ? fmin(d, r - 0.2) : d;
}

/* Cavities are outside, and so is not what lies in them; their walls have normals, paint and depths of their own. */
static void cavities(void **state)
{
    (void)state;
    for (int which = 0; which < 5; which++) {
        int n = 2 + which % 2, is_inverted = which / 2 % 2;
        firn_shape_def def = {.voxel = 0.0125, .thickness = which / 4 ? 0.04 : 0}; /* a wall along every shell */
        firn_shape *shape = from_mesh(nest(is_inverted, n, 0), "nest.ply", def);
        double half = 0.5 * def.thickness;
        for (int i = 0; i < 4000; i++) {
            double r = 0.56 * (i + 0.5) / 4000, angle = 2.4 * i, up = 2 * fmod(0.618034 * i, 1) - 1;
            double x[3] = {r * sqrt(1 - up * up) * cos(angle), r * sqrt(1 - up * up) * sin(angle), r * up};
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
    assert_int_equal(firn_shape_create_for(1, &def, (firn_shape_need){.depth = 0.1}, &shape, NULL), FIRN_OK);
    for (int i = 0; i < 300; i++) {
        double r = 0.35 + 0.15 * (i + 0.5) / 300, x[3] = {r * cos(i), r * sin(i) * 0.6, r * sin(i) * 0.8};
        assert_true(fabs(firn_shape_distance(shape, x, 0) - nest_distance(2, r)) < 4e-3); /* on the ridge */
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
    def.fps = 10, def.voxel = 0.03;
    firn_shape *shape = build(&def);
    for (int i = 0; i < 200; i++) {
        double time = 0.2 * i / 200, r = 0.3 + 0.25 * fmod(0.618034 * i, 1);
        const double x[3] = {2 * time + r * cos(i), r * sin(i), 0};
        firn_surface_point s;
        firn_shape_query(shape, x, time, &s);
        assert_true((s.distance < 0) == (nest_distance(2, r) < 0) || fabs(nest_distance(2, r)) < 2e-3);
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
    assert_int_equal(firn_shape_create(1, &def, &shape, NULL), FIRN_REFUSED); /* as a solid it is not closed */
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

static void write_sphere(const char *name, int n, double radius, double x, double y)
{
    firn_mesh *ball = geometry_sphere(n, radius, x, y, 0);
    assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
    firn_mesh_destroy(ball);
}

/* In the middle of a thin wall that lies askew to the voxels their gradient vanishes: the normal is that of the nearer
 * side all the same. A sheet with a thickness, and a closed plate. */
static void normals_in_thin_walls(void **state)
{
    (void)state;
    const double n[3] = {0.5, 0.8, sqrt(1 - 0.25 - 0.64)},
                 t[3] = {-n[1] / hypot(n[0], n[1]), n[0] / hypot(n[0], n[1]), 0},
                 b[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]}, half = 0.01;
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        const uint32_t faces[36] = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6, 0, 4, 1, 1, 4, 5,
                                    1, 5, 2, 2, 5, 6, 2, 6, 3, 3, 6, 7, 3, 7, 0, 0, 7, 4};
        firn_mesh *plate = firn_mesh_create(is_closed ? 8 : 4, is_closed ? 12 : 2);
        for (int64_t p = 0; p < plate->n_points; p++) {
            const double u = (p + 1) & 2 ? 1 : -1, v = p & 2 ? 1 : -1, w = !is_closed ? 0 : p < 4 ? half : -half;
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
                const double along = 1.6 * fmod(0.618034 * i, 1) - 0.8, across = 1.6 * fmod(0.754878 * i, 1) - 0.8,
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

/* Ten files of a sphere that moves and grows. Between files and at them: the distance of the formula, the speed of
 * the surface, and no file number missed. 0.2 m a file is ten voxels. */
static void sequence_of_meshes(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        char name[32];
        snprintf(name, sizeof name, "walk.%04d.obj", 7 + k);
        write_sphere(name, 48, 0.3 + 0.01 * k, 0.2 * k, 0);
    }
    firn_shape_def def = mesh_def(scratch("walk.%04d.obj"));
    def.fps = 10, def.start = 1, def.voxel = 0.02;
    firn_shape *shape = build(&def);
    for (int trial = 0; trial < 600; trial++) {
        double time = 0.95 + 1.0 * trial / 600, age = fmax(0, fmin(0.9, time - 1));
        double center = 2 * age, radius = 0.3 + 0.1 * age, angle = 0.11 * trial;
        double n[3] = {cos(angle), sin(angle) * cos(3 * angle), sin(angle) * sin(3 * angle)};
        double offset = 0.03 * sin(7.0 * trial), x[3];
        for (int a = 0; a < 3; a++) x[a] = (a == 0) * center + (radius + offset) * n[a];
        firn_surface_point s;
        firn_shape_query(shape, x, time, &s);
        assert_true(fabs(s.distance - offset) < 2e-3); /* a tenth of a voxel, on a sphere of facets */
        assert_true(s.normal[0] * n[0] + s.normal[1] * n[1] + s.normal[2] * n[2] > 0.99);
        int is_moving = time > 1.02 && time < 1.88;
        double v[3] = {2 + 0.1 * n[0], 0.1 * n[1], 0.1 * n[2]};
        for (int a = 0; a < 3; a++)
            if (is_moving) assert_true(fabs(s.velocity[a] - v[a]) < 0.05);
        if (time <= 1 || time > 1.9 + 1e-9) assert_true(length(s.velocity) == 0);
    }
    /* at the last file's time it arrives with its speed, and at the first one's it still rests */
    const double top[3] = {1.8, 0.39, 0}, last = firn_shape_border(shape, 1.5, 7);
    firn_surface_point s;
    firn_shape_query(shape, top, last, &s);
    assert_true(fabs(last - 1.9) < 1e-12 && fabs(s.velocity[0] - 2) < 0.05);
    firn_shape_query(shape, top, nextafter(last, 7), &s);
    assert_true(length(s.velocity) == 0);
    assert_true(firn_shape_border(shape, 0, 7) == 1 && firn_shape_border(shape, 1, 1.3) == 1.3);
    assert_true(firn_shape_border(shape, last, 7) == 7 && firn_shape_border(shape, 1.3, 1.5) == 1.5);
    firn_shape_destroy(shape);
}

/* A ball that turns: what lies below its surface or above goes round as it does, with w x r, not with the speed that
 * the surface has. */
static void a_sequence_that_turns(void **state)
{
    (void)state;
    const double w = 4, fps = 30;
    for (int k = 0; k < 6; k++) {
        char name[32];
        snprintf(name, sizeof name, "turn.%d.obj", k);
        firn_mesh *ball = geometry_sphere(32, 0.3, 0, 0, 0);
        for (int64_t p = 0; p < ball->n_points; p++) {
            const double x = ball->xyz[3 * p], y = ball->xyz[3 * p + 1], angle = w * k / fps;
            ball->xyz[3 * p] = cos(angle) * x - sin(angle) * y, ball->xyz[3 * p + 1] = sin(angle) * x + cos(angle) * y;
        }
        assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
    }
    firn_shape_def def = mesh_def(scratch("turn.%d.obj"));
    def.fps = fps, def.voxel = 0.02;
    firn_shape *shape;
    assert_int_equal(firn_shape_create_for(1, &def, (firn_shape_need){.depth = 0.15}, &shape, NULL), FIRN_OK);
    for (int i = 0; i < 300; i++) {
        const double r = 0.18 + 0.15 * fmod(0.618034 * i, 1), z = 0.2 * fmod(0.754878 * i, 1) - 0.1,
                     x[3] = {sqrt(r * r - z * z) * cos(i), sqrt(r * r - z * z) * sin(i), z};
        firn_surface_point s;
        firn_shape_query(shape, x, 1.5 / fps + 0.05 * fmod(0.56984 * i, 1), &s);
        assert_true(fabs(s.distance - (r - 0.3)) < 4e-3);
        assert_true(hypot(s.velocity[0] + w * x[1], s.velocity[1] - w * x[0]) < 0.02 * w * 0.3);
    }
    firn_shape_destroy(shape);
}

/* A body asks for the start alone: of ten files those around it are read, and say the same to the last bit. */
static void start_of_a_sequence(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        char name[32];
        snprintf(name, sizeof name, "start.%d.obj", k);
        write_sphere(name, 24, 0.3 + 0.01 * k, 0.1 * k, 0);
    }
    firn_shape_def def = mesh_def(scratch("start.%d.obj"));
    def.fps = 10, def.voxel = 0.02;
    const double starts[4] = {0, 0.5, -0.43, -3}; /* before the files, in the midst of them, behind them */
    for (int k = 0; k < 4; k++) {
        firn_shape *all, *around;
        def.start = starts[k];
        assert_int_equal(firn_shape_create_for(1, &def, (firn_shape_need){0}, &all, NULL), FIRN_OK);
        assert_int_equal(firn_shape_create_for(1, &def, (firn_shape_need){.is_start = 1}, &around, NULL), FIRN_OK);
        for (int i = 0; i < 400; i++) {
            const double x[3] = {-0.5 + 0.005 * i, 0.2 * sin(i), 0.2 * cos(2 * i)};
            assert_true(firn_shape_distance(all, x, 0) == firn_shape_distance(around, x, 0));
        }
        firn_shape_destroy(all);
        firn_shape_destroy(around);
    }
    FILE *damaged = fopen(scratch("start.9.obj"), "w");
    assert_non_null(damaged);
    fclose(damaged);
    firn_shape *shape;
    def.start = 0;
    assert_int_not_equal(firn_shape_create_for(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_OK);
    assert_int_equal(firn_shape_create_for(1, &def, (firn_shape_need){.is_start = 1}, &shape, NULL), FIRN_OK);
    firn_shape_destroy(shape);
}

/* When no voxel is said a sequence has voxels that fit the depth that a collider needs, so that many files fit into
 * memory; one file keeps its detail. */
static void voxels_of_sequences(void **state)
{
    (void)state;
    firn_shape_def def = mesh_def(scratch("v.obj"));
    firn_field *field;
    size_t n_bytes[2];
    for (int k = 0; k < 2; k++) {
        firn_mesh *ball = geometry_sphere(12, 0.5, 0, 0, 0);
        assert_int_equal(firn_mesh_write(scratch(k ? "v.1.obj" : "v.obj"), ball, NULL), FIRN_OK);
        if (k) assert_int_equal(firn_mesh_write(scratch("v.2.obj"), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
        if (k) def = mesh_def(scratch("v.%d.obj"));
        assert_int_equal(firn_field_from_mesh(&def, (firn_shape_need){.depth = 0.25}, &field, NULL), FIRN_OK);
        n_bytes[k] = firn_field_bytes(field);
        firn_field_destroy(field);
    }
    assert_true(n_bytes[1] < n_bytes[0]); /* two volumes of four channels in less than one of one */
    for (int k = 0; k < 2; k++) {         /* emitters, sinks and grips ask for no depth: half a cell is enough */
        assert_int_equal(firn_field_from_mesh(&def, (firn_shape_need){.cell = 0.08 * k}, &field, NULL), FIRN_OK);
        n_bytes[k] = firn_field_bytes(field);
        firn_field_destroy(field);
    }
    assert_true(n_bytes[1] < n_bytes[0] / 10);
}

/* A glance finds the distance and velocity of a whole query, to the last bit, wherever and whenever: of one file, of
 * sequences with velocity and without, of walls, of shapes joined. */
static void a_glance_is_a_query(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "glance.%d.obj", k);
        write_sphere(name, 16, 0.3 + 0.05 * k, 0.1 * k, 0);
        snprintf(name, sizeof name, "other.%d.obj", k);
        write_sphere(name, 16 + k, 0.3, 0, 0.05 * k); /* other faces: no velocity is known */
    }
    firn_shape_def moving = mesh_def(scratch("glance.%d.obj")), other = mesh_def(scratch("other.%d.obj")),
                   wall = mesh_def(scratch("glance.1.obj"));
    moving.fps = other.fps = 10, moving.voxel = other.voxel = wall.voxel = 0.05;
    wall.thickness = 0.12, wall.center[1] = 0.2, moving.rotate[2] = 0.3;
    firn_shape_def can = {.kind = "cylinder", .radius = 0.3, .height = 0.4, .normal = {0, 1, 0}, .csg = FIRN_UNION};
    wall.csg = FIRN_DIFFERENCE;
    firn_shape_def lists[4][2] = {{moving}, {other}, {moving, can}, {can, wall}};
    for (int i = 0; i < 4; i++) {
        firn_shape *shape;
        assert_int_equal(firn_shape_create(i < 2 ? 1 : 2, lists[i], &shape, NULL), FIRN_OK);
        uint32_t random = 7;
        int n_moving = 0;
        for (int trial = 0; trial < 4000; trial++) {
            double x[3], time = 0.25 * trial / 4000 - 0.02;
            for (int a = 0; a < 3; a++) {
                random = random * 1664525u + 1013904223u;
                x[a] = 1.6 * (random / 4294967296.0 - 0.5);
            }
            firn_surface_point whole, glance;
            firn_shape_query(shape, x, time, &whole);
            firn_shape_glance(shape, x, time, &glance);
            assert_true(whole.distance == glance.distance && whole.distance == firn_shape_distance(shape, x, time));
            for (int a = 0; a < 3; a++) assert_true(whole.velocity[a] == glance.velocity[a]);
            n_moving += length(glance.velocity) > 0;
        }
        assert_true(i == 3 ? n_moving == 0 : n_moving > 500);
        firn_shape_destroy(shape);
    }
}

/* A ball stands for two files, goes for two and stands again: its speed between two times is that of these times, with
 * the file before and after, which share it. Of one file it is less than 0, where faces change it is not known. */
static void speed_between_times(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        char name[32];
        snprintf(name, sizeof name, "pause.%d.obj", k);
        firn_mesh *ball = geometry_sphere(16, 0.3, 0.1 * fmin(fmax(k - 2, 0), 1), 0, 0);
        assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
        snprintf(name, sizeof name, "change.%d.obj", k);
        ball = geometry_sphere(12 + k, 0.3, 0, 0, 0);
        assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
    }
    firn_shape_def def = mesh_def(scratch("pause.%d.obj"));
    def.fps = 10, def.voxel = 0.05;
    firn_shape *shape = build(&def);
    assert_true(fabs(firn_shape_speed(shape) - 1) < 1e-6 || fabs(firn_shape_speed(shape) - 0.5) < 1e-6);
    assert_true(firn_shape_speed_between(shape, 0, 0.05) == 0);
    assert_true(fabs(firn_shape_speed_between(shape, 0.21, 0.25) - 1) < 1e-6); /* the way of the points themselves */
    assert_true(fabs(firn_shape_speed_between(shape, 0.05, 0.45) - 1) < 1e-6);
    assert_true(firn_shape_speed_between(shape, 0.41, 0.5) == 0 && firn_shape_speed_between(shape, 7, 8) == 0);
    assert_true(firn_shape_speed_between(shape, -INFINITY, INFINITY) >= firn_shape_speed(shape));
    firn_shape_destroy(shape);
    def = mesh_def(scratch("pause.0.obj"));
    def.voxel = 0.05;
    shape = build(&def);
    assert_true(firn_shape_speed_between(shape, 0, 1) < 0);
    firn_shape_destroy(shape);
    def = mesh_def(scratch("change.%d.obj"));
    def.fps = 10, def.voxel = 0.05;
    shape = build(&def);
    double speed = firn_shape_speed(shape); /* as far as facets of different sizes are apart, in a tenth of a second */
    assert_true(firn_shape_speed_between(shape, 0.1, 0.2) == speed && speed > 0 && speed < 0.2);
    firn_shape_destroy(shape);
}

/* A thin moving plate is never absent in between: three voxels thick, moving fourteen a file. */
static void thin_plate_does_not_fade(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char name[32];
        snprintf(name, sizeof name, "plate%d.obj", k);
        double x = 0.28 * k;
        firn_mesh *plate = geometry_block((double[3]){x, -0.5, -0.5}, (double[3]){x + 0.06, 0.5, 0.5});
        assert_int_equal(firn_mesh_write(scratch(name), plate, NULL), FIRN_OK);
        firn_mesh_destroy(plate);
    }
    firn_shape_def def = mesh_def(scratch("plate%d.obj"));
    def.fps = 1, def.voxel = 0.02;
    firn_shape *shape = build(&def);
    for (int i = 0; i <= 300; i++) {
        double time = i / 100.0;
        double d = firn_shape_distance(shape, (const double[3]){0.28 * time + 0.03, 0.1, 0.2}, time);
        assert_true(fabs(d + 0.03) < 2e-3);
    }
    firn_shape_destroy(shape);
}

static void painted_friction(void **state)
{
    (void)state;
    firn_mesh *ball = geometry_sphere(60, 0.5, 0, 0, 0);
    firn_mesh_attribute *friction = firn_mesh_add(ball, "friction", 1);
    for (int64_t i = 0; i < ball->n_points; i++) friction->data[i] = (float)(0.5 + ball->xyz[3 * i]);
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

/* A ball of radius 0.3 at x as a level set of eight-voxel leaves about it; with_v: and a grid v of (0.24, 0, 0);
 * with_paint: friction 0.5 + x, stickiness 100 (1 + y). */
static void write_ball(const char *path, double x, const char *bad, int with_v, int with_paint)
{
    firn_mesh *ball = geometry_sphere(40, 0.3, x, 0, 0);
    firn_volume *volume;
    assert_int_equal(firn_vdb_from_mesh(ball, 0.02, 0.08, 0.08, 1, 6, 2, &volume, NULL, NULL), FIRN_OK);
    for (int64_t l = 0; l < volume->n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            int cell[3] = {m >> 6, m >> 3 & 7, m & 7}, at = (cell[0] * 9 + cell[1]) * 9 + cell[2];
            double p[3];
            for (int i = 0; i < 3; i++)
                p[i] = volume->origin[i] + volume->voxel * (8.0 * volume->leaf_block[l][i] + cell[i]);
            *firn_volume_at(volume, l, at, 1) = 0.24f;
            *firn_volume_at(volume, l, at, 4) = (float)(0.5 + p[0]);
            *firn_volume_at(volume, l, at, 5) = (float)(100 * (1 + p[1]));
        }
    firn_volume_finish(volume);
    if (bad) *firn_volume_at(volume, 0, 0, 0) = -INFINITY; /* a NaN would not be written */
    firn_vdb_contents contents = {
        .velocity = with_v ? 1 : 0, .friction = with_paint ? 4 : 0, .stickiness = with_paint ? 5 : 0};
    assert_int_equal(firn_vdb_write_volume(path, volume, &contents, 2, NULL), FIRN_OK);
    firn_volume_destroy(volume);
    firn_mesh_destroy(ball);
}

/* Grids friction and stickiness of a .vdb paint its surface, as attributes of a mesh do. */
static void painted_volume(void **state)
{
    (void)state;
    write_ball(scratch("painted.vdb"), 0, NULL, 0, 1);
    firn_shape_def def = {.kind = "vdb"};
    snprintf(def.file, sizeof def.file, "%s", scratch("painted.vdb"));
    firn_shape *shape = build(&def);
    for (int i = 0; i < 50; i++) {
        double angle = 0.1 + i, x[3] = {0.3 * cos(angle), 0.18 * sin(angle), 0.24 * sin(angle)};
        firn_surface_point s;
        firn_shape_query(shape, x, 0, &s);
        assert_true(fabs(s.distance) < 2e-3);
        assert_true(fabs(s.friction - (0.5 + x[0])) < 1e-3 && fabs(s.stickiness - 100 * (1 + x[1])) < 0.1);
    }
    firn_shape_destroy(shape);
}

/* A ball that moves by half a voxel a file in a sequence of .vdb files: where it is between files, and how fast its
 * surface goes along its normal. */
static void sequence_of_volumes(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        char name[32];
        snprintf(name, sizeof name, "ball.%04d.vdb", k + 1);
        write_ball(scratch(name), 0.01 * k, NULL, 0, 0);
    }
    firn_shape_def def = {.kind = "vdb", .fps = 24, .start = 1};
    snprintf(def.file, sizeof def.file, "%s", scratch("ball.%04d.vdb"));
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, &shape, NULL), FIRN_OK);
    for (int k = 0; k <= 40; k++) {
        double time = 1 + k / 240.0, center = k < 40 ? 0.001 * k : 0.04;
        for (int side = -1; side <= 1; side += 2) {
            firn_surface_point s;
            firn_shape_query(shape, (const double[3]){center + side * 0.31, 0.01, 0}, time, &s);
            assert_true(fabs(s.distance - (hypot(0.31, 0.01) - 0.3)) < 1.5e-3);
            assert_true(side * s.normal[0] > 0.99);
            if (k > 0 && k < 40) assert_true(fabs(s.velocity[0] - 0.24) < 0.02);
        }
    }
    assert_true(fabs(firn_shape_speed(shape) - 0.24) < 0.02); /* what limits the step */
    firn_shape_destroy(shape);
}

/* A level set has a band of a few voxels; walls of any thickness along it are whole all the same, and nothing far off
 * is taken for one. Voxels of 0.02 m, a band of 4. */
static void walls_along_volumes(void **state)
{
    (void)state;
    write_ball(scratch("wall.vdb"), 0, NULL, 0, 0);
    firn_shape_def def = {.kind = "vdb"};
    snprintf(def.file, sizeof def.file, "%s", scratch("wall.vdb"));
    for (def.thickness = 0.04; def.thickness < 0.4; def.thickness += 0.08) {
        firn_shape *shape = build(&def);
        for (int i = 0; i < 400; i++) {
            const double r = 0.05 + 0.9 * fmod(0.618034 * i, 1), x[3] = {r * cos(i), r * sin(i), 0};
            const double wanted = fabs(r - 0.3) - 0.5 * def.thickness, d = firn_shape_distance(shape, x, 0);
            assert_true(fabs(wanted) < 3e-3 || (wanted < 0) == (d < 0));
        }
        firn_shape_destroy(shape);
    }
    firn_shape *shape;
    firn_report *report = firn_report_create();
    def.thickness = 5;
    assert_int_equal(firn_shape_create(1, &def, &shape, report), FIRN_REFUSED);
    assert_true(scratch_says(report, "half the thickness is 125 of its voxels; at most 98 are allowed"));
    firn_report_destroy(report);
}

/* Nobody knows which point of a file is which of the next, where faces change or level sets have no grid v: what moves
 * as one is carried all the same, however far, and has all of its velocity. */
static void sequences_without_velocity(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char name[2][32];
        snprintf(name[0], sizeof name[0], "remeshed.%d.obj", k), snprintf(name[1], sizeof name[1], "far.%d.vdb", k);
        firn_mesh *ball = geometry_sphere(40 + k, 0.3, 0.5 * k, 0.1 * k, 0);
        assert_int_equal(firn_mesh_write(scratch(name[0]), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
        write_ball(scratch(name[1]), 0.5 * k, NULL, 0, 0);
    }
    for (int kind = 0; kind < 2; kind++) {
        firn_shape_def def = {.voxel = kind ? 0 : 0.02, .fps = 10};
        strcpy(def.kind, kind ? "vdb" : "mesh");
        snprintf(def.file, sizeof def.file, "%s", scratch(kind ? "far.%d.vdb" : "remeshed.%d.obj"));
        firn_report *report = firn_report_create();
        firn_shape *shape;
        assert_int_equal(firn_shape_create(1, &def, &shape, report), FIRN_OK);
        assert_int_equal(firn_report_total(report), 0);
        for (int k = 1; k < 30; k++) {
            const double time = 0.01 * k, center[2] = {5 * time, kind ? 0 : time};
            for (int side = -1; side <= 1; side += 2) {
                firn_surface_point s;
                firn_shape_query(shape, (const double[3]){center[0] + side * 0.32, center[1], 0}, time, &s);
                assert_true(fabs(s.distance - 0.02) < 4e-3 && side * s.normal[0] > 0.99);
                if (k % 10) assert_true(fabs(s.velocity[0] - 5) < 0.1 && fabs(s.velocity[1] - center[1] / time) < 0.1);
            }
        }
        assert_true(fabs(firn_shape_speed(shape) / hypot(5, kind ? 0 : 1) - 1) < 0.05);
        firn_shape_destroy(shape);
        firn_report_destroy(report);
    }
}

/* What moves beside its middle by more than half of what it is thick cannot be mixed, and is told. */
static void what_fades_is_told(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        firn_mesh *ball = geometry_sphere(20 + k, 0.1 + 0.2 * k, 0, 0, 0);
        assert_int_equal(firn_mesh_write(scratch(k ? "grows.1.obj" : "grows.0.obj"), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
    }
    firn_shape_def def = mesh_def(scratch("grows.%d.obj"));
    def.voxel = 0.02;
    firn_report *report = firn_report_create();
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, &shape, report), FIRN_OK);
    assert_true(scratch_says(report, "more than half the thickness"));
    firn_shape_destroy(shape);
    firn_report_destroy(report);
}

/* All files of a sequence are painted or none: a channel that a file has not is another's. */
static void paint_of_sequences(void **state)
{
    (void)state;
    for (int painted = 0; painted < 2; painted++)
        for (int changes = 0; changes < 2; changes++) {
            for (int k = 0; k < 2; k++) {
                firn_mesh *ball = geometry_sphere(12 + k * changes, 0.3, 0, 0, 0);
                if (k == painted) firn_mesh_add(ball, "friction", 1);
                assert_int_equal(firn_mesh_write(scratch(k ? "paint.1.ply" : "paint.0.ply"), ball, NULL), FIRN_OK);
                firn_mesh_destroy(ball);
            }
            firn_shape_def def = mesh_def(scratch("paint.%d.ply"));
            def.voxel = 0.05;
            firn_report *report = firn_report_create();
            firn_shape *shape;
            assert_int_equal(firn_shape_create(1, &def, &shape, report), FIRN_REFUSED);
            assert_true(scratch_says(report, painted ? "paint.1.ply: its points have an attribute friction"
                                                     : "paint.1.ply: its points have no attribute friction"));
            firn_report_destroy(report);
        }
}

/* Voxels that nobody chose follow the cells that they are made for: two small balls far apart keep their volume. */
static void voxels_fit_the_cells(void **state)
{
    (void)state;
    firn_mesh *balls = geometry_sphere(40, 0.1, 0, 0, 0), *other = geometry_sphere(40, 0.1, 9, 0, 0);
    const uint32_t n = (uint32_t)balls->n_points;
    firn_mesh *both = firn_mesh_create(balls->n_points + other->n_points, balls->n_triangles + other->n_triangles);
    memcpy(both->xyz, balls->xyz, 3 * (size_t)n * sizeof(double));
    memcpy(both->xyz + 3 * n, other->xyz, 3 * (size_t)other->n_points * sizeof(double));
    for (int64_t i = 0; i < 3 * balls->n_triangles; i++)
        both->triangles[i] = balls->triangles[i], both->triangles[3 * balls->n_triangles + i] = n + other->triangles[i];
    assert_int_equal(firn_mesh_write(scratch("apart.obj"), both, NULL), FIRN_OK);
    firn_mesh_destroy(balls), firn_mesh_destroy(other), firn_mesh_destroy(both);
    firn_shape_def def = mesh_def(scratch("apart.obj"));
    for (int coarse = 0; coarse < 2; coarse++) {
        def.voxel = coarse ? 0.05 : 0;
        firn_report *report = firn_report_create();
        firn_shape *shape;
        assert_int_equal(firn_shape_create_for(1, &def, (firn_shape_need){.cell = 0.02}, &shape, report), FIRN_OK);
        assert_int_equal(scratch_says(report, "larger than the cells of 0.02 m"), coarse);
        double *x;
        int64_t n_inside;
        assert_int_equal(firn_sample_shape(shape, FIRN_POISSON, 0.004, 1, &x, &n_inside, NULL), FIRN_OK);
        double share = (double)n_inside * 64e-9 / (2 * 4 * M_PI / 3 * 1e-3);
        assert_true(coarse ? share < 0.95 : fabs(share - 1) < 0.01); /* facets take .3 % */
        firn_memory_release(NULL, x, (size_t)n_inside * 24);
        firn_shape_destroy(shape);
        firn_report_destroy(report);
    }
}

/* With a grid v the surface has all of its velocity, along itself too, and may move by many voxels from file to file.
 */
static void sequence_with_velocity(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "fast.%d.vdb", k);
        write_ball(scratch(name), 0.24 * k, NULL, 1, 1);
    }
    firn_shape_def def = {.kind = "vdb", .fps = 1};
    snprintf(def.file, sizeof def.file, "%s", scratch("fast.%d.vdb"));
    firn_shape *shape = build(&def);
    for (int k = 1; k < 20; k++) {
        firn_surface_point s;
        firn_shape_query(shape, (const double[3]){0.024 * k, 0, 0.3}, 0.1 * k, &s);
        assert_true(fabs(s.velocity[0] - 0.24) < 1e-3 && fabs(s.distance) < 2e-3);
        assert_true(fabs(s.friction - 0.5 - 0.024 * k) < 0.15); /* that of the nearer file */
    }
    assert_true(fabs(firn_shape_speed(shape) - 0.24) < 1e-3);
    firn_shape_destroy(shape);
    /* deeper than the four voxels that have velocities, as far as nodes feel material */
    assert_int_equal(firn_shape_create_for(1, &def, (firn_shape_need){.depth = 0.2}, &shape, NULL), FIRN_OK);
    for (int k = 1; k < 20; k++) {
        firn_surface_point s;
        firn_shape_query(shape, (const double[3]){0.024 * k, 0, 0.12}, 0.1 * k, &s);
        assert_true(fabs(s.velocity[0] - 0.24) < 1e-3 && fabs(s.distance + 0.18) < 5e-3);
    }
    firn_shape_destroy(shape);
    write_ball(scratch("fast.1.vdb"), 0.24, NULL, 0, 1);
    firn_report *report = firn_report_create();
    assert_int_equal(firn_shape_create(1, &def, &shape, report), FIRN_REFUSED);
    assert_true(scratch_says(report, "it has other grids (friction, stickiness, v) than the files before"));
    firn_report_destroy(report);
}

/* However fine the voxels, a point well below a flat face is told its depth and the face's normal. */
static void deep_below_a_face(void **state)
{
    (void)state;
    firn_mesh *block = geometry_block((const double[3]){-0.5, -0.3, -0.5}, (const double[3]){0.5, 0, 0.5});
    assert_int_equal(firn_mesh_write(scratch("floor.obj"), block, NULL), FIRN_OK);
    firn_mesh_destroy(block);
    firn_shape_def def = mesh_def(scratch("floor.obj"));
    def.voxel = 0.01;
    firn_shape *shape;
    assert_int_equal(firn_shape_create_for(1, &def, (firn_shape_need){.depth = 0.12}, &shape, NULL), FIRN_OK);
    for (int i = 0; i < 200; i++) {
        double x[3] = {0.3 * sin(i), -0.12 * i / 200, 0.3 * cos(1.7 * i)};
        firn_surface_point s;
        firn_shape_query(shape, x, 0, &s);
        assert_true(fabs(s.distance - x[1]) < 1e-4);
        assert_true(s.normal[1] > 1 - 1e-6);
    }
    firn_shape_destroy(shape);
}

/* Cut anywhere or holding what is no number: a sentence. */
static void damaged_volumes(void **state)
{
    (void)state;
    write_ball(scratch("nan.vdb"), 0, "infinite", 0, 0);
    firn_shape_def def = {.kind = "vdb"};
    firn_shape *shape;
    firn_report *report = firn_report_create();
    snprintf(def.file, sizeof def.file, "%s", scratch("nan.vdb"));
    assert_int_equal(firn_shape_create(1, &def, &shape, report), FIRN_REFUSED);
    assert_true(scratch_says(report, "not finite"));
    firn_report_destroy(report);
    write_ball(scratch("whole.vdb"), 0, NULL, 0, 1);
    size_t n;
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n);
    snprintf(def.file, sizeof def.file, "%s", scratch("cut.vdb"));
    for (size_t length = 0; length < n; length += length < 40 ? 1 : n / 50) {
        scratch_store(scratch("cut.vdb"), data, length);
        assert_int_not_equal(firn_shape_create(1, &def, &shape, NULL), FIRN_OK);
    }
    free(data);
    scratch_store(scratch("text.vdb"), "v 0 0 0", 7);
    snprintf(def.file, sizeof def.file, "%s", scratch("text.vdb"));
    assert_int_not_equal(firn_shape_create(1, &def, &shape, NULL), FIRN_OK);
    mkdir(scratch("folder.vdb"), 0700);
    snprintf(def.file, sizeof def.file, "%s", scratch("folder.vdb"));
    assert_int_equal(firn_shape_create(1, &def, &shape, NULL), FIRN_IO);
}

/* Bytes are replaced, lost or come in at random: an answer in words or a volume, and never more memory than follows
 * from the length of the file (vdb_bound.hpp). */
static void scrambled_volumes(void **state)
{
    (void)state;
    enum { CHANGES = 400 };
    size_t n;
    write_ball(scratch("whole.vdb"), 0, NULL, 1, 1);
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n), *bytes = malloc(n + DAMAGE_ROOM);
    firn_shape_def def = {.kind = "vdb"};
    snprintf(def.file, sizeof def.file, "%s", scratch("scrambled.vdb"));
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    uint32_t random = 1;
    int n_refused = 0, n_words = 0;
    for (int k = 0; k < CHANGES; k++) {
        memcpy(bytes, data, n);
        scratch_store(scratch("scrambled.vdb"), bytes, damage(bytes, n, k % 2 ? 3000 : n, k, &random));
        firn_shape *shape = NULL;
        firn_report *report = firn_report_create();
        if (firn_shape_create(1, &def, &shape, report) != FIRN_OK)
            n_refused++, n_words += firn_report_total(report) > 0;
        firn_report_destroy(report);
        firn_shape_destroy(shape);
    }
    getrusage(RUSAGE_SELF, &after);
    assert_true(n_refused > CHANGES / 8 && n_words == n_refused);
    /* in kB: the allowance of one file, and as much again for what is made of it */
    assert_true(after.ru_maxrss - before.ru_maxrss < 2 * ((128 << 10) + (long)n / 8));
    free(data), free(bytes);
}

/* Lengths of packed parts are looked at before anything is read into room for less: below 0 (that many bytes, not
 * packed) as well as in blosc's own header. */
static void lengths_of_packed_parts(void **state)
{
    (void)state;
    size_t n, n_parts = 0;
    write_ball(scratch("whole.vdb"), 0, NULL, 1, 1);
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n), *bytes = malloc(n);
    firn_shape_def def = {.kind = "vdb"};
    snprintf(def.file, sizeof def.file, "%s", scratch("long.vdb"));
    for (size_t at = damage_packed(data, n, 0); at < n; at = damage_packed(data, n, at + 16)) {
        int64_t length;
        memcpy(&length, data + at - 8, sizeof length);
        if (memcmp(&length, data + at + 12, 4) != 0) continue; /* no part of a tree */
        for (int how = 0; how < 2; how++) {
            memcpy(bytes, data, n);
            length = -60000;
            memcpy(how ? bytes + at + 12 : bytes + at - 8, how ? &(int32_t){1 << 24} : (void *)&length, how ? 4 : 8);
            scratch_store(scratch("long.vdb"), bytes, n);
            firn_shape *shape;
            firn_report *report = firn_report_create();
            assert_int_equal(firn_shape_create(1, &def, &shape, report), FIRN_IO);
            assert_true(scratch_says(report, "a packed part has another length than it says"));
            firn_report_destroy(report);
        }
        if (++n_parts == 40) break;
    }
    assert_true(n_parts == 40);
    free(data), free(bytes);
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
               {"mesh", "a%d.%d.obj", "exactly one number"},
               {"mesh", "a%n.obj", "%d"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_shape_def def = {0};
        strcpy(def.kind, bad[i].kind);
        if (bad[i].file[0]) snprintf(def.file, sizeof def.file, "%s", scratch(bad[i].file));
        firn_report *report = firn_report_create();
        firn_shape *shape;
        assert_int_not_equal(firn_shape_create(1, &def, &shape, report), FIRN_OK);
        assert_null(shape);
        assert_true(scratch_says(report, bad[i].word));
        firn_report_destroy(report);
    }
    firn_mesh *ball = geometry_sphere(20, 0.5, 0, 0, 0);
    assert_int_equal(firn_mesh_write(scratch("ball.obj"), ball, NULL), FIRN_OK);
    firn_mesh_destroy(ball);
    firn_shape_def def = mesh_def(scratch("ball.obj"));
    firn_shape *shape;
    def.voxel = 1e-7; /* 10^14 voxels: refused before anything is allocated */
    assert_int_equal(firn_shape_create(1, &def, &shape, NULL), FIRN_REFUSED);
}

/* A % is a character like others, in folders and files, unless it begins the one number of a sequence. */
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
    firn_report *report = firn_report_create();
    write_sphere("dust.obj", 4, 0.5, 0, 0);
    firn_shape_def def = mesh_def(scratch("dust.obj"));
    firn_shape *shape;
    def.voxel = 1e-6;
    assert_int_equal(firn_shape_create(1, &def, &shape, report), FIRN_REFUSED);
    assert_true(scratch_says(report, "1e+06 of its voxels of 1e-06 m; a distance field may be up to 100000 voxels "));
    firn_report_destroy(report);
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
        firn_status status = firn_shape_create(1, &def, &shape, NULL);
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
        cmocka_unit_test(voxels_of_sequences),
        cmocka_unit_test(sphere_from_a_mesh),
        cmocka_unit_test(volume_of_a_sampled_mesh),
        cmocka_unit_test(wall_inside_a_body),
        cmocka_unit_test(flipped_and_crossing_meshes),
        cmocka_unit_test(cavities),
        cmocka_unit_test(cavities_have_depth),
        cmocka_unit_test(cavities_move),
        cmocka_unit_test(open_sheet_as_wall),
        cmocka_unit_test(normals_in_thin_walls),
        cmocka_unit_test(sequence_of_meshes),
        cmocka_unit_test(names_with_percent_signs),
        cmocka_unit_test(too_far_across),
        cmocka_unit_test(a_sequence_that_turns),
        cmocka_unit_test(start_of_a_sequence),
        cmocka_unit_test(a_glance_is_a_query),
        cmocka_unit_test(speed_between_times),
        cmocka_unit_test(thin_plate_does_not_fade),
        cmocka_unit_test(painted_friction),
        cmocka_unit_test(painted_volume),
        cmocka_unit_test(sequence_of_volumes),
        cmocka_unit_test(walls_along_volumes),
        cmocka_unit_test(sequences_without_velocity),
        cmocka_unit_test(what_fades_is_told),
        cmocka_unit_test(paint_of_sequences),
        cmocka_unit_test(voxels_fit_the_cells),
        cmocka_unit_test(sequence_with_velocity),
        cmocka_unit_test(deep_below_a_face),
        cmocka_unit_test(damaged_volumes),
        cmocka_unit_test(lengths_of_packed_parts),
        cmocka_unit_test(scrambled_volumes),
        cmocka_unit_test(bad_definitions_are_sentences),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
