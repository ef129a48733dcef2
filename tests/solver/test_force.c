/* SPDX-License-Identifier: MIT */
/* test_force.c: force fields against their formulas, and their factors over time. */
#include "geometry/vdb/vdb.h"
#include "solver/force.h"
#include "support/running.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static firn_force make(const firn_force_def *def)
{
    firn_force force;
    assert_int_equal(firn_force_create(def, NULL, &force, NULL), FIRN_OK);
    firn_force_prepare(&force, 0);
    return force;
}

static firn_force_def of_kind(const char *kind, double strength)
{
    firn_force_def def = firn_force_default();
    strcpy(def.name, "f");
    strcpy(def.kind, kind);
    def.strength = strength;
    return def;
}

/* The acceleration of what rests at x. */
static void at(const firn_force *force, double x, double y, double z, double time, double a[3])
{
    const double place[3] = {x, y, z}, dt = 1e-3;
    for (int c = 0; c < 3; c++) a[c] = 0;
    firn_force_push(force, place, time, dt, a);
    for (int c = 0; c < 3; c++) a[c] /= dt;
}

static void check_near(const double a[3], double x, double y, double z)
{
    if (fabs(a[0] - x) + fabs(a[1] - y) + fabs(a[2] - z) > 1e-9)
        fail_msg("%g %g %g", a[0], a[1], a[2]);
}

/* Linear between keys, constant before the first and after the last. */
static void factors_over_time(void **state)
{
    (void)state;
    const firn_force_key keys[] = {{1, 0}, {2, 2}, {3, -1}};
    const double expected[][2] = {{0, 0}, {1, 0}, {1.5, 1}, {2, 2}, {2.5, 0.5}, {3, -1}, {9, -1}};
    firn_force_def def = of_kind("gravity", 0);
    def.vector[1] = -9;
    def.n_keys = 3;
    def.keys = keys;
    firn_force force = make(&def);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double a[3];
        firn_force_prepare(&force, expected[i][0]);
        at(&force, 4, 5, 6, expected[i][0], a);
        check_near(a, 0, -9 * expected[i][1], 0);
    }
    firn_force_destroy(&force, NULL);
}

/* Full strength inside the radius, (radius / r)^2 of it beyond; nothing at the centre itself. */
static void points_and_vortices(void **state)
{
    (void)state;
    double a[3];
    firn_force_def def = of_kind("point", -3);
    def.position[0] = 1;
    firn_force pull = make(&def);
    at(&pull, 1, 50, 0, 0, a);
    check_near(a, 0, -3, 0);
    at(&pull, 1, 0, 0, 0, a);
    check_near(a, 0, 0, 0);
    def.radius = 2;
    firn_force near = make(&def);
    at(&near, 1, 0, 1.9, 0, a);
    check_near(a, 0, 0, -3);
    at(&near, 1, 0, -4, 0, a);
    check_near(a, 0, 0, 0.75);
    strcpy(def.kind, "vortex");
    def.vector[2] = 0.1; /* its length says nothing */
    firn_force whirl = make(&def);
    at(&whirl, 3, 0, 77, 0, a);
    check_near(a, 0, -3, 0);
    at(&whirl, 1, 4, 77, 0, a);
    check_near(a, 0.75, 0, 0);
    at(&whirl, 1, 0, 77, 0, a);
    check_near(a, 0, 0, 0);
}

/* Without divergence; as strong at any length of its swirls, of which the seed makes others;
 * time changes it. */
static void turbulence(void **state)
{
    (void)state;
    const double h = 1e-4;
    firn_force_def def = of_kind("turbulence", 5), other = def;
    def.length = 0.5;
    other.seed = 1;
    firn_force force = make(&def), unit = make(&other);
    double mean = 0, difference = 0, later = 0;
    for (int i = 0; i < 500; i++) {
        double x[3] = {0.137 * i - 20, 0.071 * i - 9, 0.211 * i - 40}, a[3], low[3], high[3],
               divergence = 0;
        for (int c = 0; c < 3; c++) {
            double d[3] = {c == 0 ? h : 0, c == 1 ? h : 0, c == 2 ? h : 0};
            at(&force, x[0] - d[0], x[1] - d[1], x[2] - d[2], 0.3, low);
            at(&force, x[0] + d[0], x[1] + d[1], x[2] + d[2], 0.3, high);
            divergence += (high[c] - low[c]) / (2 * h);
        }
        assert_true(fabs(divergence) < 1e-4); /* single derivatives are about 50 1/s^2 */
        at(&force, x[0], x[1], x[2], 0.3, a);
        at(&force, x[0], x[1], x[2], 1.3, high);
        at(&unit, 2 * x[0], 2 * x[1], 2 * x[2], 0.3, low);
        for (int c = 0; c < 3; c++) {
            mean += a[c] * a[c] / 500;
            difference += pow(a[c] - low[c], 2) / 500;
            later += pow(a[c] - high[c], 2) / 500;
        }
    }
    assert_true(mean > 10 && mean < 100);
    assert_true(difference > mean && later > mean);
    other.seed = 0;
    firn_force same = make(&other);
    double a[3], b[3];
    at(&force, 0.3, -0.7, 11, 2, a);
    at(&same, 0.6, -1.4, 22, 2, b);
    check_near(a, b[0], b[1], b[2]);
}

/* ---------------------------------------------------------------- regions, shapes, files, groups */

static firn_shape_def ball(double radius)
{
    firn_shape_def shape = firn_shape_default();
    strcpy(shape.kind, "sphere");
    shape.radius = radius;
    return shape;
}

/* Full inside, half way through the falloff (1/2)^2 (1 + 1), nothing beyond; the region moves. */
static void regions_fade_and_move(void **state)
{
    (void)state;
    double a[3];
    const firn_shape_def shape = ball(1);
    firn_force_def def = of_kind("gravity", 0);
    def.vector[1] = -8;
    def.n_shapes = 1;
    def.shapes = &shape;
    def.falloff = 0.5;
    def.motion.velocity[0] = 2;
    firn_force force = make(&def);
    for (int t = 0; t < 2; t++) {
        firn_force_prepare(&force, t);
        at(&force, 2 * t, 0.9, 0, t, a);
        check_near(a, 0, -8, 0);
        at(&force, 2 * t, 0, 1.25, t, a);
        check_near(a, 0, -4, 0);
        at(&force, 2 * t, -1.51, 0, t, a);
        check_near(a, 0, 0, 0);
    }
    firn_force_destroy(&force, NULL);
    def.falloff = 0;
    force = make(&def);
    at(&force, 0, 0, 1.001, 0, a);
    check_near(a, 0, 0, 0);
    firn_force_destroy(&force, NULL);
}

/* A strong guide gives what is in it the velocity of the place of the moving, turning shape. */
static void guides_take_along(void **state)
{
    (void)state;
    const firn_shape_def shape = ball(1);
    firn_force_def def = of_kind("guide", 1e9);
    def.n_shapes = 1;
    def.shapes = &shape;
    def.motion.velocity[2] = 3;
    def.motion.spin[1] = 2;
    firn_force force = make(&def);
    const double x[3] = {0.5, 0, 0.25};
    double v[3] = {-7, 1, 1}, still[3] = {0, 0, 0};
    firn_force_push(&force, x, 0, 0.01, v);
    const double expected[3] = {2 * 0.25, 0, 3 - 2 * 0.5};
    for (int c = 0; c < 3; c++) assert_true(fabs(v[c] - expected[c]) < 1e-5);
    const double beyond[3] = {1.01, 0, 0};
    firn_force_push(&force, beyond, 0, 0.01, still);
    assert_true(still[0] == 0 && still[2] == 0);
    firn_force_destroy(&force, NULL);
}

/* Towards the inside: with small steps the motion of the damped spring, x = (1 + w t) exp(-w t) at
 * critical damping; with steps of many periods still no farther away than before. */
static void goals_pull_and_are_stable(void **state)
{
    (void)state;
    const firn_shape_def shape = ball(1);
    firn_force_def def = of_kind("goal", 25);
    def.n_shapes = 1;
    def.shapes = &shape;
    def.damping = 1;
    firn_force force = make(&def);
    double x[3] = {3, 0, 0}, v[3] = {0, 0, 0};
    const double dt = 1e-4;
    for (int i = 1; i <= 10000; i++) {
        firn_force_push(&force, x, 0, dt, v);
        for (int c = 0; c < 3; c++) x[c] += dt * v[c];
        const double t = i * dt, exact = 1 + 2 * (1 + 5 * t) * exp(-5 * t);
        assert_true(fabs(x[0] - exact) < 2e-3);
    }
    firn_force_destroy(&force, NULL);
    def.strength = 1e8;
    for (int damped = 0; damped < 2; damped++) {
        def.damping = damped;
        force = make(&def);
        double y[3] = {0, 4, 0}, w[3] = {0, 20, 0};
        for (int i = 0; i < 100; i++) {
            firn_force_push(&force, y, 0, 0.05, w);
            for (int c = 0; c < 3; c++) y[c] += 0.05 * w[c];
            assert_true(fabs(y[1]) < 5.5 && isfinite(w[1]));
        }
        assert_true(y[1] < 1.1);
        firn_force_destroy(&force, NULL);
    }
}

/* Winds and accelerations from a file: v = (y, 0, 2) on a block of a lattice. */
static void vectors_come_from_files(void **state)
{
    (void)state;
    const int32_t block[1][3] = {{0, 0, 0}};
    const double origin[3] = {0, 0, 0};
    double a[3];
    firn_sdf *sdf;
    assert_int_equal(firn_sdf_create(0.5, origin, 5, 4, 1, block, &sdf, NULL), FIRN_OK);
    for (int m = 0; m < 512; m++) {
        const int where = ((m >> 6) * 9 + (m >> 3 & 7)) * 9 + (m & 7);
        *firn_sdf_at(sdf, 0, where, 0) = 0.01f * (float)(m & 7) - 0.02f;
        *firn_sdf_at(sdf, 0, where, 1) = 0.5f * (float)(m >> 3 & 7);
        *firn_sdf_at(sdf, 0, where, 2) = 0;
        *firn_sdf_at(sdf, 0, where, 3) = 2;
    }
    firn_sdf_finish(sdf);
    const firn_vdb_contents contents = {.velocity = 1};
    assert_int_equal(firn_vdb_write_volume(scratch("wind.vdb"), sdf, &contents, 1, NULL), FIRN_OK);
    firn_sdf_destroy(sdf);
    for (int is_drag = 0; is_drag < 2; is_drag++) {
        firn_force_def def = of_kind(is_drag ? "drag" : "gravity", 4);
        snprintf(def.field.file, FIRN_PATH, "%s", scratch("wind.vdb"));
        def.field.factor = 3;
        def.vector[2] = 1;
        firn_force force = make(&def);
        const double s = is_drag ? 4 / (1 + 4e-3) : 1;
        at(&force, 1.1, 1.7, 2.2, 0, a);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(a[c] - s * (c == 0 ? 3 * 1.7 : c == 2 ? 7 : 0)) < 1e-5);
        firn_force_destroy(&force, NULL);
    }
}

/* Of two blocks far apart only the one that is named, or whose material is, falls, and the ledger
 * has what it got; with and without a grid. */
static void groups_fall_alone(void **state)
{
    (void)state;
    static const char *const methods[] = {"mpm", "sph_corotated"}, *const names[] = {"b", "heavy"};
    for (int k = 0; k < 4; k++) {
        firn_scene_def scene = firn_scene_default();
        firn_material_def materials[2] = {firn_material_default(), firn_material_default()};
        firn_shape_def shapes[2] = {firn_shape_default(), firn_shape_default()};
        firn_body_def bodies[2] = {firn_body_default(), firn_body_default()};
        firn_force_def force = of_kind("gravity", 0);
        for (int i = 0; i < 2; i++) {
            strcpy(materials[i].name, i ? "heavy" : "light");
            strcpy(materials[i].law, "neo_hookean");
            strcpy(shapes[i].kind, "box");
            for (int a = 0; a < 3; a++) shapes[i].size[a] = 0.4;
            shapes[i].center[0] = 2 * i;
            strcpy(bodies[i].name, i ? "b" : "a");
            strcpy(bodies[i].material, i ? "heavy" : "light");
            bodies[i].n_shapes = 1;
            bodies[i].shapes = &shapes[i];
        }
        strcpy(scene.method, methods[k / 2]);
        strcpy(force.of, names[k % 2]);
        force.vector[1] = -6;
        scene.gravity[1] = 0;
        scene.grid.dx = 0.1;
        scene.n_materials = scene.n_bodies = 2;
        scene.materials = materials;
        scene.bodies = bodies;
        scene.n_forces = 1;
        scene.forces = &force;
        const firn_run_options options = firn_run_options_default();
        firn_sim *sim = running_start(&scene, &options);
        assert_int_equal(firn_sim_advance_to(sim, 0.05, NULL), FIRN_OK);
        firn_ledger ledger;
        double *v = running_copy(sim, "v"), *P = running_copy(sim, "P");
        for (int64_t i = 0; i < firn_sim_n_particles(sim); i++)
            assert_true(fabs(v[3 * i + 1] - (P[3 * i] > 1 ? -0.3 : 0)) < 1e-4);
        assert_int_equal(firn_sim_ledger(sim, 1, &ledger, NULL), FIRN_OK);
        const double got = ledger.force_impulse[1];
        assert_true(fabs(got / (-0.3 * ledger.mass) - 1) < 1e-4);
        assert_int_equal(firn_sim_ledger(sim, 0, &ledger, NULL), FIRN_OK);
        assert_true(fabs(ledger.force_impulse[1]) < 1e-9);
        free(v);
        free(P);
        firn_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_over_time),
        cmocka_unit_test(points_and_vortices),
        cmocka_unit_test(turbulence),
        cmocka_unit_test(regions_fade_and_move),
        cmocka_unit_test(guides_take_along),
        cmocka_unit_test(goals_pull_and_are_stable),
        cmocka_unit_test(vectors_come_from_files),
        cmocka_unit_test(groups_fall_alone),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
