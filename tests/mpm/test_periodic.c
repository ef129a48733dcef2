/* SPDX-License-Identifier: MIT */
/* test_periodic.c: periodic boxes against closed forms and against open space: a wave and a viscous
 * decay in boxes of any number of blocks, flow between plates, a block that travels through the
 * box, and the same bits for threads, after a restore and for blocks that cross a wall. */
#include "mpm/grid.h"
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

/* A box with its lower corner at `low`, periodic along the axes of `axes` (bits x y z). */
static void periodic(verify_scene *s, unsigned axes, const double low[3], const double high[3])
{
    verify_mirrors(s, 0, low, high);
    for (int w = 0; w < 6; w++)
        s->scene.grid.walls[w] = axes >> w / 2 & 1 ? FIRN_WALL_PERIODIC : FIRN_WALL_OPEN;
}

/* ---------------------------------------------------------------- colours */

/* Every block of a box, all of whose neighbours are in reach: no block is touched by two clusters of
 * one colour, for any number of blocks around. */
static void colours_around(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 14; n++)
        for (int axis = 0; axis < 3; axis++) {
            int32_t n_around[3] = {3, 1, 2}, k = 0;
            uint64_t keys[14 * 6];
            n_around[axis] = n;
            firn_memory memory = {.hooks = firn_hooks_default()};
            firn_grid grid;
            firn_grid_init(&grid, &memory, sizeof(float), 0, n_around);
            const int32_t n_all = n_around[0] * n_around[1] * n_around[2];
            int32_t c[3], weight[14 * 6];
            for (c[0] = 0; c[0] < n_around[0]; c[0]++)
                for (c[1] = 0; c[1] < n_around[1]; c[1]++)
                    for (c[2] = 0; c[2] < n_around[2]; c[2]++) keys[k++] = firn_grid_key(c);
            assert_int_equal(firn_grid_unique(keys, k), n_all);
            assert_int_equal(firn_grid_set_owners(&grid, keys, n_all), FIRN_OK);
            for (int32_t b = 0; b < n_all; b++) grid.reach[b] = 63;
            for (int32_t b = 0; b < n_all; b++) weight[b] = 1;
            assert_int_equal(firn_grid_activate(&grid, keys), FIRN_OK);
            assert_int_equal(grid.n_blocks, n_all); /* the halo is the box itself */
            assert_int_equal(firn_grid_share(&grid, 1, weight), FIRN_OK);
            int n_seen = 0;
            for (int color = 0; color < grid.n_colors; color++) {
                int32_t by[14 * 6];
                memset(by, -1, sizeof by);
                for (int32_t i = firn_grid_cluster(&grid, color, 0);
                     i < firn_grid_cluster(&grid, color, 1); i++)
                    for (int32_t o = grid.clusters[i].first; o < grid.clusters[i].end;
                         o++, n_seen++)
                        for (int q = 0; q < 27; q++) {
                            int32_t *who = &by[grid.neighbours[o][q]];
                            assert_true(*who < 0 || *who == i);
                            *who = i;
                        }
            }
            assert_int_equal(n_seen, n_all);
            firn_grid_clear(&grid);
        }
}

/* ---------------------------------------------------------------- waves */

/* A liquid or solid in a box of 4 x L x 4 cells, v_x = v0 sin(2 pi waves y / L), until `time`: the
 * amplitude of that mode; v_x of the particles in *v where wanted. */
static double mode_after(verify_scene *s, int waves, double time, double **v_end)
{
    const double L = s->scene.grid.box_max[1] - s->scene.grid.box_min[1], v0 = 1e-4;
    firn_sim *sim = verify_start(s);
    const int64_t n = firn_sim_n_particles(sim);
    double *x = verify_copy(sim, "P"), *v = verify_copy(sim, "v"), amplitude = 0;
    for (int64_t i = 0; i < n; i++)
        v[3 * i] = v0 * sin(2 * M_PI * waves * (x[3 * i + 1] - s->scene.grid.box_min[1]) / L);
    verify_assign(sim, "v", v);
    verify_go(sim, time);
    double *now = verify_copy(sim, "v"), square = 0;
    for (int64_t i = 0; i < n; i++) {
        amplitude += now[3 * i] * v[3 * i];
        square += v[3 * i] * v[3 * i];
    }
    firn_ledger l = verify_ledger(sim);
    for (int a = 0; a < 3; a++) NEAR(l.momentum[a], 0, 1e-13 * l.mass * v0);
    free(x);
    free(v);
    if (v_end)
        *v_end = now;
    else
        free(now);
    firn_sim_destroy(sim);
    return amplitude / square;
}

static void fill_box(verify_scene *s, double h, int blocks, int spline, int scheme)
{
    const double low[3] = {0.3, -0.2, 0.1};
    periodic(s, 7, low, (double[3]){0.3 + 4 * h, -0.2 + 4 * h * blocks, 0.1 + 4 * h});
    verify_box(s, s->scene.grid.box_min, s->scene.grid.box_max, 2);
    s->scene.grid.spline = (firn_spline)spline;
    s->scene.transfer.scheme = (firn_scheme)scheme;
    s->scene.transfer.flip_blend = 1;
}

/* One shear wave in a box of n blocks, two in one of 2 n blocks: the same at corresponding places,
 * to round-off. Every way in which blocks close around a period. */
static void one_wave_or_two(void **state)
{
    (void)state;
    for (int n = 1; n <= 7; n += 1 + n / 3) {
        double *v[2];
        for (int k = 0; k < 2; k++) {
            verify_scene s;
            verify_scene_init(&s, 0.01, "neo_hookean", 1e5, 0.3, 1000);
            fill_box(&s, 0.01, n << k, n % 2 ? FIRN_CUBIC : FIRN_QUADRATIC,
                     n % 3 ? FIRN_APIC : FIRN_FLIP);
            const double end = 0.004; /* of the order of a period */
            mode_after(&s, 1 << k, end, &v[k]);
        }
        /* lattice points are numbered by 8^3 of them, of which 8 n or 16 n lie along y */
        for (int64_t i = 0; i < 3 * 512 * n; i++) NEAR(v[1][i], v[0][i], 1e-14);
        free(v[0]);
        free(v[1]);
    }
}

/* A standing wave of 32 cells is reversed after half a period 2 pi / (c k), c^2 = mu / rho, to 2 per
 * cent of phase, which is cos(.02 pi) = .998; the same mode of a viscous liquid decays as
 * exp(-nu k^2 t). */
static void waves_and_decay(void **state)
{
    (void)state;
    const double h = 0.01, L = 32 * h, k = 2 * M_PI / L, c = sqrt(1e5 / 2.6 / 1000), nu = 1e-3;
    verify_scene s;
    verify_scene_init(&s, h, "neo_hookean", 1e5, 0.3, 1000);
    fill_box(&s, h, 8, FIRN_CUBIC, FIRN_FLIP);
    NEAR(mode_after(&s, 1, 0.5 * L / c, NULL), -1, 4e-3);

    verify_scene_init(&s, h, "liquid", 0, 0, 1);
    verify_parameter(&s, "c", 0.6);
    verify_parameter(&s, "gamma", 1);
    verify_parameter(&s, "viscosity", nu);
    fill_box(&s, h, 8, FIRN_CUBIC, FIRN_FLIP);
    NEAR(mode_after(&s, 1, 0.5 / (nu * k * k), NULL), exp(-0.5), 0.015);
}

/* ---------------------------------------------------------------- flows */

/* A film of depth H on a plane inclined along x, started at rest: u(y) of the Fourier series of the
 * diffusion equation, u = g_x / (2 nu) (2 H y - y^2) - sum. Here nu t / H^2 = 1/4, when the surface
 * has .3697 of its final speed g_x H^2 / (2 nu)
 * (1 - 32 / pi^3 (exp(-pi^2 / 16) - exp(-9 pi^2 / 16) / 27 + ...)). */
static void film(void **state)
{
    (void)state;
    verify_scene s;
    const double h = 0.01, H = 8 * h, nu = 1e-2, t = 0.25 * H * H / nu,
                 gx = 0.02 * nu * nu / (H * H * H);
    verify_scene_init(&s, h, "liquid", 0, 0, 1);
    verify_parameter(&s, "c", 6 * nu / h);
    verify_parameter(&s, "gamma", 1);
    verify_parameter(&s, "viscosity", nu);
    periodic(&s, 5, (double[3]){0, 0, 0}, (double[3]){4 * h, 1, 4 * h});
    s.scene.grid.walls[2] = FIRN_WALL_STICK;
    verify_box(&s, s.scene.grid.box_min, (double[3]){4 * h, H, 4 * h}, 2);
    s.scene.gravity[0] = gx;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, t);
    double *x = verify_copy(sim, "P"), *v = verify_copy(sim, "v"), most = 0, mean = 0, want = 0;
    const double top = gx * H * H / (2 * nu);
    const int64_t n = firn_sim_n_particles(sim);
    for (int64_t i = 0; i < n; i++) {
        const double y = x[3 * i + 1] / H;
        double u = y * (2 - y);
        for (int m = 1; m < 20; m += 2) {
            const double a = m * M_PI / 2;
            u -= 4 / (a * a * a) * sin(a * y) * exp(-a * a * 0.25);
        }
        mean += v[3 * i] / top / (double)n;
        want += u / (double)n;
        most = fmax(most, fabs(v[3 * i] / top - u));
    }
    NEAR(mean / want, 1, 0.03);
    assert_true(most < 0.03);
    free(x);
    free(v);
    firn_sim_destroy(sim);
}

/* ---------------------------------------------------------------- travelling */

/* A block of 4 x 3 x 5 cells that is sheared and spins, in open space or in a box of 4 x 5 x 3
 * blocks. */
static void spinner(verify_scene *s, int is_periodic, const double at[3], int scheme)
{
    const double h = 0.01, low[3] = {at[0], at[1], at[2]},
                 high[3] = {at[0] + 4 * h, at[1] + 3 * h, at[2] + 5 * h};
    verify_scene_init(s, h, "neo_hookean", 1e5, 0.3, 1000);
    verify_box(s, low, high, 2);
    s->bodies[0].F[1] = 0.1;
    s->bodies[0].spin[2] = 10;
    for (int a = 0; a < 3; a++) s->bodies[0].velocity[a] = 3 - 2 * a;
    s->scene.transfer.scheme = scheme;
    s->scene.transfer.flip_blend = 0.97;
    if (is_periodic) periodic(s, 7, (double[3]){0, 0, 0}, (double[3]){16 * h, 20 * h, 12 * h});
}

/* The same as in open space while it goes round the box, some of it on either side of walls:
 * velocities, F and unwrapped positions to round-off; positions in the box. */
static void goes_round(void **state)
{
    (void)state;
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++) {
        verify_scene open, box;
        const double at[3] = {0.11, 0.02, -0.02};
        spinner(&open, 0, at, scheme);
        spinner(&box, 1, at, scheme);
        firn_sim *a = verify_start(&open), *b = verify_start(&box);
        const int64_t n = firn_sim_n_particles(a);
        verify_go(a, 0.12); /* .36 m along x, .16 m the period */
        verify_go(b, 0.12);
        static const char *const same[][2] = {{"v", "v"}, {"F", "F"}, {"P", "unwrapped"}};
        for (int k = 0; k < 3; k++) {
            double *u = verify_copy(a, same[k][0]), *w = verify_copy(b, same[k][1]);
            for (int64_t i = 0; i < n * firn_attribute_components(same[k][0]); i++)
                NEAR(w[i], u[i], 1e-11);
            free(u);
            free(w);
        }
        double *x = verify_copy(b, "P"), *u = verify_copy(b, "unwrapped");
        for (int64_t i = 0; i < 3 * n; i++) {
            const double L = box.scene.grid.box_max[i % 3], k = (u[i] - x[i]) / L;
            assert_true(x[i] >= 0 && x[i] < L);
            NEAR(k, round(k), 1e-12);
        }
        firn_ledger l = verify_ledger(a), m = verify_ledger(b);
        for (int c = 0; c < 3; c++) {
            NEAR(m.momentum[c], m.mass * (3 - 2 * c), 1e-12 * m.mass);
            NEAR(m.center[c], l.center[c], 1e-11);
            NEAR(m.angular_momentum[c], l.angular_momentum[c], 1e-11);
            assert_true(m.min[c] >= 0 && m.max[c] < box.scene.grid.box_max[c]);
        }
        free(x);
        free(u);
        firn_sim_destroy(a);
        firn_sim_destroy(b);
    }
}

/* Moved by a whole period a body is where it was: the same state, apart from where it came from. */
static void a_period_away(void **state)
{
    (void)state;
    double *v[2];
    int64_t n = 0;
    for (int k = 0; k < 2; k++) {
        verify_scene s;
        spinner(&s, 1, (double[3]){0.11 + 0.16 * 3 * k, 0.02 - 0.2 * k, 0.03}, FIRN_APIC);
        firn_sim *sim = verify_start(&s);
        n = firn_sim_n_particles(sim);
        verify_go(sim, 0.02);
        v[k] = verify_copy(sim, "v");
        firn_sim_destroy(sim);
    }
    for (int64_t i = 0; i < 3 * n; i++) NEAR(v[1][i], v[0][i], 1e-10);
    free(v[0]);
    free(v[1]);
}

/* ---------------------------------------------------------------- the same bits */

/* The hash for any number of threads, and after a restore in the middle. */
static void same_bits(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        verify_scene s;
        spinner(&s, 1, (double[3]){0.11, 0.02, -0.02}, FIRN_APIC);
        /* fills the box but for a cell, so that every block has neighbours on all sides */
        const double low[3] = {0, 0, 0}, high[3] = {0.16, 0.2, 0.11};
        for (int a = 0; a < 3; a++) {
            s.body_shapes[0][0].center[a] = (low[a] + high[a]) / 2;
            s.body_shapes[0][0].size[a] = high[a] - low[a];
        }
        s.options.n_threads = k == 1 ? 3 : 1;
        s.scene.is_double = 0;
        firn_sim *sim = verify_start(&s);
        if (k == 2) {
            void *saved;
            size_t n_bytes;
            verify_go(sim, 0.005);
            assert_int_equal(firn_sim_save(sim, &saved, &n_bytes, NULL), FIRN_OK);
            firn_sim *other = verify_start(&s);
            assert_int_equal(firn_sim_restore(other, saved, n_bytes, NULL), FIRN_OK);
            firn_sim_release_state(sim, saved, n_bytes);
            firn_sim_destroy(sim);
            sim = other;
        } else
            verify_go(sim, 0.005);
        verify_go(sim, 0.01);
        hash[k] = firn_sim_hash(sim);
        firn_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

/* ---------------------------------------------------------------- what is refused */

/* A floor along the periodic axis is whole; a ball that a periodic wall cuts is warned of, once. */
static void cut_colliders(void **state)
{
    (void)state;
    for (int is_ball = 0; is_ball < 2; is_ball++) {
        verify_scene s;
        spinner(&s, 1, (double[3]){0.11, 0.08, 0.03}, FIRN_APIC);
        verify_floor(&s, 1, 0.01);
        if (is_ball) {
            strcpy(s.collider_shapes[0].kind, "sphere");
            s.collider_shapes[0].radius = 0.03;
        }
        s.scene.grid.walls[2] = s.scene.grid.walls[3] = FIRN_WALL_OPEN;
        s.scene.n_materials = s.scene.n_bodies = s.scene.n_colliders = 1;
        s.scene.materials = &s.material;
        s.scene.bodies = s.bodies;
        s.scene.colliders = s.colliders;
        firn_messages *messages = firn_messages_create();
        firn_sim *sim = NULL;
        assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages), FIRN_OK);
        assert_int_equal(firn_messages_total(messages), is_ball ? 2 : 0); /* along x and z */
        firn_messages_destroy(messages);
        firn_sim_destroy(sim);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"walls: [periodic, open, open, open, open, open]", "periodic at one end of x"},
        {"walls: periodic, box_max: [4 cm, 4 cm, 3 cm]", "multiple of 4"},
        {"walls: periodic, box_max: [4 cm, 4 cm, 8 cm]", NULL},
    };
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "scene: {name: a, frames: 1}\ngrid: {dx: 1 cm, box_min: [0, 0, 0]%s%s}\n"
                 "materials: [{name: m, law: neo_hookean}]\nbodies: [{name: b, material: m, "
                 "shape: {kind: box, size: [2 cm, 2 cm, 2 cm]}}]\n",
                 ", ", wrong[i].text);
        firn_messages *messages = firn_messages_create();
        firn_scene *scene = firn_scene_parse(text, strlen(text), "a", 0, NULL, messages);
        assert_int_equal(scene == NULL, wrong[i].why != NULL);
        if (wrong[i].why)
            assert_non_null(strstr(firn_messages_text(messages, 0, NULL), wrong[i].why));
        firn_scene_destroy(scene);
        firn_messages_destroy(messages);
    }
    verify_scene s; /* a body that would overlap its own end */
    verify_scene_init(&s, 0.01, "neo_hookean", 1e5, 0.3, 1000);
    periodic(&s, 1, (double[3]){0, 0, 0}, (double[3]){0.04, 1, 1});
    verify_box(&s, (double[3]){0, 0, 0}, (double[3]){0.05, 0.02, 0.02}, 2);
    s.scene.n_materials = s.scene.n_bodies = 1;
    s.scene.materials = &s.material;
    s.scene.bodies = s.bodies;
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "longer than the period"));
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_around),  cmocka_unit_test(one_wave_or_two),
        cmocka_unit_test(waves_and_decay), cmocka_unit_test(film),
        cmocka_unit_test(goes_round),      cmocka_unit_test(same_bits),
        cmocka_unit_test(refused),         cmocka_unit_test(cut_colliders),
        cmocka_unit_test(a_period_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
