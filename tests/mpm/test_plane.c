/* SPDX-License-Identifier: MIT */
/* test_plane.c: plane strain against space: a slice that is periodic along z and the same at every
 * z has the motion of the plane, to round-off, with every boundary; what it costs; what it refuses;
 * the same bits for threads and after a restore. */
#include "verify/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(a, b, tolerance) near(a, b, tolerance, #a, __LINE__)
static void near(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("line %d: %s is %.12g, not %.12g", line, what, a, b);
}

static const double h = 0.01;

/* A block 8 cells wide and 6 high that falls with a spin on a floor; in space it fills a slice of 4
 * cells between periodic walls, eight layers of particles. */
static void make_block(verify_scene *s, int is_plane)
{
    verify_scene_init(s, h, "neo_hookean", 1e4, 0.3, 1000);
    verify_box(s, (double[3]){-4 * h, 0, is_plane ? -h : 0},
               (double[3]){4 * h, 6 * h, is_plane ? h : 4 * h}, 2);
    s->bodies[0].velocity[0] = 0.5;
    s->bodies[0].velocity[1] = -1;
    s->bodies[0].spin[2] = 5;
    s->scene.gravity[1] = -9.81;
    verify_mirrors(s, 0, (double[3]){-1, -1, 0}, (double[3]){1, 1, 4 * h});
    if (is_plane)
        s->scene.grid.geometry = FIRN_PLANE_STRAIN;
    else
        s->scene.grid.walls[4] = s->scene.grid.walls[5] = FIRN_WALL_PERIODIC;
}

/* Runs both until `end`; in space eight particles share the place of one in the plane. */
static void compare(void (*change)(verify_scene *s), double end)
{
    verify_scene plane, space;
    make_block(&plane, 1);
    make_block(&space, 0);
    change(&plane);
    change(&space);
    firn_sim *a = verify_start(&plane), *b = verify_start(&space);
    const int64_t n = firn_sim_n_particles(a);
    assert_int_equal(firn_sim_n_particles(b), 8 * n);
    verify_go(a, end);
    verify_go(b, end);
    static const char *const same[] = {"P", "v", "F", "stress"};
    for (int k = 0; k < 4; k++) {
        const int m = firn_attribute_components(same[k]);
        const double scale = k == 3 ? 1e4 : 1;
        double *u = verify_copy(a, same[k]), *w = verify_copy(b, same[k]);
        for (int64_t i = 0; i < n; i++)
            for (int c = 0; c < m; c++) {
                if (k == 0 && c == 2) continue;
                NEAR(u[m * i + c], w[8 * m * i + c], 1e-9 * scale);
            }
        for (int64_t i = 0; k == 0 && i < n; i++) assert_true(u[3 * i + 2] == 0);
        free(u);
        free(w);
    }
    firn_ledger l = verify_ledger(a), m = verify_ledger(b);
    NEAR(4 * l.mass, m.mass, 1e-12 * m.mass);
    for (int c = 0; c < 2; c++) {
        NEAR(4 * l.momentum[c], m.momentum[c], 1e-9 * m.mass);
        NEAR(4 * l.collider_impulse[c], m.collider_impulse[c], 1e-9 * m.mass);
        NEAR(4 * l.wall_impulse[c], m.wall_impulse[c], 1e-9 * m.mass);
        NEAR(4 * l.grip_impulse[c], m.grip_impulse[c], 1e-9 * m.mass);
    }
    NEAR(4 * l.elastic, m.elastic, 1e-9 * m.elastic);
    NEAR(l.max_gap, m.max_gap, 1e-9);
    firn_sim_destroy(a);
    firn_sim_destroy(b);
}

static void on_a_floor(verify_scene *s) { verify_floor(s, 1, -0.5 * h)->friction = 0.3; }

static void at_its_surface(verify_scene *s)
{
    firn_collider_def *floor = verify_floor(s, 1, -0.7 * h);
    floor->touch = FIRN_TOUCH_SURFACE;
    floor->friction = 0.3;
    s->scene.transfer.force = FIRN_FORCE_MLS;
    s->scene.grid.spline = FIRN_QUADRATIC;
}

static void by_its_faces(verify_scene *s)
{
    at_its_surface(s);
    s->colliders[0].touch = FIRN_TOUCH_PARTICLES;
    s->scene.grid.spline = FIRN_CUBIC;
}

static void between_walls(verify_scene *s)
{
    s->scene.transfer.scheme = FIRN_FLIP;
    s->scene.grid.box_min[1] = -h;
    s->scene.grid.box_max[0] = 6 * h;
    s->scene.grid.walls[2] = FIRN_WALL_MIRROR;
    s->scene.grid.walls[1] = FIRN_WALL_SEPARATE;
}

static void pulled(verify_scene *s)
{
    s->scene.transfer.scheme = FIRN_AFLIP;
    s->bodies[0].spin[2] = 0;
    firn_grip_def *grip = verify_grip(s, (double[3]){-9, 4 * h, -9}, (double[3]){9, 9, 9});
    grip->motion.velocity[1] = 0.5;
    firn_collider_def *thin = verify_floor(s, 1, -h);
    thin->particle_pass = 1;
}

static void as_in_space(void **state)
{
    (void)state;
    compare(on_a_floor, 0.02);
    compare(at_its_surface, 0.02);
    compare(by_its_faces, 0.02);
    compare(between_walls, 0.02);
    compare(pulled, 0.01);
}

/* One layer of blocks without a halo along z: in space 3 as many, and 8 times the particles. */
static void cost(void **state)
{
    (void)state;
    int64_t n_blocks[2];
    for (int k = 0; k < 2; k++) {
        verify_scene s;
        make_block(&s, k);
        for (int w = 4; w < 6; w++) s.scene.grid.walls[w] = FIRN_WALL_OPEN;
        firn_sim *sim = verify_start(&s);
        verify_go(sim, 1e-4);
        n_blocks[k] = firn_sim_stats(sim).n_blocks;
        firn_sim_destroy(sim);
    }
    assert_true(3 * n_blocks[1] <= n_blocks[0]);
}

static void same_bits(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        verify_scene s;
        make_block(&s, 1);
        on_a_floor(&s);
        s.body_shapes[0][0].size[0] = 100 * h;
        s.scene.is_double = 0;
        s.options.n_threads = k == 1 ? 3 : 1;
        firn_sim *sim = verify_start(&s);
        verify_go(sim, 0.005);
        if (k == 2) {
            void *saved;
            size_t n_bytes;
            assert_int_equal(firn_sim_save(sim, &saved, &n_bytes, NULL), FIRN_OK);
            verify_scene of_space;
            make_block(&of_space, 0);
            on_a_floor(&of_space);
            of_space.scene.is_double = 0;
            firn_sim *wrong = verify_start(&of_space), *other = verify_start(&s);
            assert_int_equal(firn_sim_restore(wrong, saved, n_bytes, NULL), FIRN_REFUSED);
            assert_int_equal(firn_sim_restore(other, saved, n_bytes, NULL), FIRN_OK);
            firn_sim_release_state(sim, saved, n_bytes);
            firn_sim_destroy(wrong);
            firn_sim_destroy(sim);
            sim = other;
        }
        verify_go(sim, 0.01);
        hash[k] = firn_sim_hash(sim);
        firn_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

/* Each of these settings leaves the plane. */
static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *setting, *why;
    } wrong[] = {
        {"gravity=[0, -9.81, 1]", "part along z"},
        {"grid.walls=[open, open, open, open, slip, open]", "wall along z"},
        {"bodies.b.velocity=[0, 0, 1]", "leaves the plane"},
        {"bodies.b.spin=[1, 0, 0]", "leaves the plane"},
        {"bodies.b.sampling=poisson", "regular, jittered"},
        {"bodies.b.F=[1, 0, 0.1, 0, 1, 0, 0, 0, 1]", "leaves the plane"},
        {"bodies.b.velocity=[1, 1, 0]", NULL},
    };
    static const char text[] =
        "scene: {name: a, frames: 1}\ngravity: [0, -9.81, 0]\n"
        "grid: {dx: 1 cm, geometry: plane_strain, box_min: [0, 0, 0]}\n"
        "materials: [{name: m, law: neo_hookean}]\n"
        "bodies: [{name: b, material: m, shape: {kind: box, size: [2 cm, 2 cm, 2 cm]}}]\n";
    for (int i = 0; i < 7; i++) {
        firn_messages *messages = firn_messages_create();
        firn_scene *scene =
            firn_scene_parse(text, strlen(text), "a", 1, &wrong[i].setting, messages);
        assert_int_equal(scene == NULL, wrong[i].why != NULL);
        if (wrong[i].why)
            assert_non_null(strstr(firn_messages_text(messages, 0, NULL), wrong[i].why));
        firn_scene_destroy(scene);
        firn_messages_destroy(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_in_space),
        cmocka_unit_test(cost),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
