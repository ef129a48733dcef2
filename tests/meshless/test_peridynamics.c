/* SPDX-License-Identifier: MIT */
/* test_peridynamics.c: projective peridynamics: the Drucker-Prager projection against its table, the
 * energy of affine strains on cubic lattices against their moments, balance of momentum and moment,
 * backward Euler of a single bond, a block of sand that stands or falls. */
#include "meshless/bonds.h"
#include "meshless/meshless.h"
#include "meshless/small3.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#define NEAR(a, b, tolerance) near(a, b, tolerance, #a, __LINE__)
static void near(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("line %d: %s is %.12g, not %.12g", line, what, a, b);
}

/* A = 100, B = .2; what is left lies on the cone or in it, and is left alone the second time. */
static void projection(void **state)
{
    (void)state;
    static const double table[][4] = {{50, 100, 0, 0},
                                      {200, 100, 0, 0.4},
                                      {30, -400, 0, 1.0 / 3},
                                      {0, -600, 1.0 / 6, 1},
                                      {80, -520, 1.0 / 26, 1}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        double alpha, beta, again[2];
        firn_bonds_return(100, 0.2, table[k][0], table[k][1], &alpha, &beta);
        NEAR(alpha, table[k][2], 1e-12);
        NEAR(beta, table[k][3], 1e-12);
        const double J = (1 - beta) * table[k][0], p = (1 - alpha) * table[k][1];
        assert_true(J <= 100 + 0.2 * p + 1e-10);
        firn_bonds_return(100, 0.2, J * (1 - 1e-13), p + 1e-10, &again[0], &again[1]);
        NEAR(again[0], 0, 1e-12);
        NEAR(again[1], 0, 1e-12);
    }
    static const double angle[3] = {15, 30, 45}, slope[3] = {.327076, .692820, 1.068296};
    for (int k = 0; k < 3; k++) {
        double A, B;
        firn_bonds_cone(angle[k] * 3.14159265358979323846 / 180, 100, &A, &B);
        NEAR(B, slope[k], 1e-6);
        NEAR(A, B * 100 / tan(angle[k] * 3.14159265358979323846 / 180), 1e-9);
    }
}

static firn_sim *lattice(verify_scene *s, double horizon, int as_printed, int n)
{
    const double low[3] = {0, 0, 0}, high[3] = {0.1 * n, 0.1 * n, 0.1 * n};
    verify_scene_init(s, 0.1, "fixed_corotated", 1e4, 0.3, 1000);
    strcpy(s->scene.method, "peridynamics");
    s->scene.meshless.support = horizon + 0.01;
    s->scene.meshless.as_printed = as_printed;
    verify_box(s, low, high, 1);
    return verify_start(s);
}

static void place(firn_sim *sim, const double A[9])
{
    struct firn_meshless *s = sim->meshless;
    for (int32_t i = 0; i < s->n; i++) small3_apply(A, s->rest + 3 * i, s->x + 3 * i);
    firn_meshless_scatter(sim);
    assert_int_equal(firn_meshless_changed(sim, NULL), FIRN_OK);
}

/* psi = k/2 <(n.e.n)^2> with k = 6 E, or 2 mu + lambda as printed: <x^4> and <x^2 y^2> of the
 * lattice (verification2.md), and K = k/9 exactly. */
static void moduli(void **state)
{
    (void)state;
    static const double horizon[4] = {1.5, 2, 3, 4}, x4[4] = {.222222, .215278, .193345, .199673},
                        x2y2[4] = {.055556, .059028, .069994, .066830};
    const double small = 1e-5, E = 1e4, mu = E / 2.6, lambda = E * 0.3 / (1.3 * 0.4);
    for (int k = 0; k < 4; k++)
        for (int as_printed = 0; as_printed < 2; as_printed++) {
            verify_scene scene;
            firn_sim *sim = lattice(&scene, horizon[k], as_printed, 9);
            struct firn_meshless *s = sim->meshless;
            const double stiffness = as_printed ? 2 * mu + lambda : 6 * E;
            const double states[3][9] = {{1 + small, 0, 0, 0, 1, 0, 0, 0, 1},
                                         {1 + small, 0, 0, 0, 1 + small, 0, 0, 0, 1 + small},
                                         {1 + small, 0, 0, 0, 1 - small, 0, 0, 0, 1}};
            const double expected[3] = {x4[k], 1, 2 * x4[k] - 2 * x2y2[k]};
            for (int t = 0; t < 3; t++) {
                place(sim, states[t]);
                int32_t middle = 0;
                for (int32_t i = 0; i < s->n; i++)
                    if (fabs(s->rest[3 * i] - 0.45) + fabs(s->rest[3 * i + 1] - 0.45) +
                            fabs(s->rest[3 * i + 2] - 0.45) <
                        1e-9)
                        middle = i;
                assert_true(middle > 0);
                const double share =
                    s->hooks->energy(sim, middle) / (0.5 * stiffness * small * small);
                if (t == 1)
                    NEAR(share, (horizon[k] > 0) * expected[t], 1e-4);
                else
                    NEAR(share, expected[t], 1e-4);
            }
            firn_sim_destroy(sim);
        }
}

static void balance(void **state)
{
    (void)state;
    verify_scene scene;
    firn_sim *sim = lattice(&scene, 2, 0, 5);
    struct firn_meshless *s = sim->meshless;
    const double A[9] = {1.1, 0.2, -0.1, 0.05, 0.9, 0.15, -0.2, 0.1, 1.2};
    place(sim, A);
    double f[3] = {0}, moment[3] = {0}, size = 0;
    sim->dt = 0.01;
    assert_int_equal(firn_meshless_prepare_boundaries(sim), FIRN_OK);
    assert_int_equal(s->hooks->forces(sim, NULL), FIRN_OK);
    assert_int_equal(firn_meshless_move(sim, FIRN_MESHLESS_WHOLE, NULL),
                     FIRN_OK); /* forces are those at its end */
    for (int32_t i = 0; i < s->n; i++)
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            f[a] += s->force[3 * i + a];
            moment[a] +=
                s->x[3 * i + b] * s->force[3 * i + c] - s->x[3 * i + c] * s->force[3 * i + b];
            size += fabs(s->force[3 * i + a]);
        }
    for (int a = 0; a < 3; a++) {
        NEAR(f[a], 0, 1e-12 * size);
        NEAR(moment[a], 0, 1e-3 * size); /* as far as the solve went */
    }
    firn_sim_destroy(sim);
}

/* Two particles, one bond: u_n = u_0 Re (1 + i x)^-n with x = omega dt, omega^2 = 2 c/m. */
static void backward_euler(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.2, 0.1, 0.1};
    static const double ratio[3] = {0.1, 0.5, 2};
    for (int k = 0; k < 3; k++) {
        verify_scene scene;
        verify_scene_init(&scene, 0.1, "fixed_corotated", 1e4, 0.25, 1000);
        strcpy(scene.scene.method, "peridynamics");
        scene.scene.peridynamics.tolerance = 1e-9;
        scene.scene.peridynamics.iterations = 100;
        /* c = 2 V V k/(V d^2) = 12 E d, m = rho d^3 */
        const double d = 0.1, omega = sqrt(2 * 12 * 1e4 * d / (1000 * d * d * d));
        scene.scene.time.dt_fixed = ratio[k] / omega;
        verify_box(&scene, low, high, 1);
        firn_sim *sim = verify_start(&scene);
        struct firn_meshless *s = sim->meshless;
        assert_int_equal(s->n, 2);
        const double I[9] = {1 + 1e-3, 0, 0, 0, 1, 0, 0, 0, 1};
        place(sim, I);
        double re = 1, im = 0;
        for (int n = 1; n <= 8; n++) {
            const double scale = 1 + ratio[k] * ratio[k], a = re;
            re = (a + ratio[k] * im) / scale;
            im = (im - ratio[k] * a) / scale;
            assert_int_equal(firn_sim_step(sim, 1e9, NULL), FIRN_OK);
            NEAR((fabs(s->x[3] - s->x[0]) - d) / (1e-3 * d), re, 1e-6);
        }
        firn_sim_destroy(sim);
    }
}

/* A block of dry sand on a floor falls apart, one of wet sand of high cohesion stands. */
static void sand_stands_or_falls(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.3, 0.6, 0.3};
    double height[2];
    for (int is_wet = 0; is_wet < 2; is_wet++) {
        verify_scene s;
        verify_scene_init(&s, 0.1, "sand", 1e5, 0.25, 1000);
        verify_parameter(&s, "cohesion", is_wet ? 2e4 : 0);
        strcpy(s.scene.method, "peridynamics");
        s.scene.meshless.support = 2.01;
        s.scene.gravity[1] = -9.81;
        s.scene.time.dt_max = 2e-3;
        verify_box(&s, low, high, 1.5);
        verify_floor(&s, 1, 0)->friction = 0.6;
        firn_sim *sim = verify_start(&s);
        verify_go(sim, 0.4);
        const firn_ledger l = verify_ledger(sim);
        height[is_wet] = l.center[1];
        assert_true(l.min[1] > 0);
        if (!is_wet) assert_true(l.plastic_work > 0);
        firn_sim_destroy(sim);
    }
    assert_true(height[1] > 0.28 && height[0] < 0.97 * height[1]);
}

/* Sum of (d - r)^2 over pairs nearer than the spacing d. */
static double crowding(const firn_sim *sim)
{
    const struct firn_meshless *s = sim->meshless;
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++)
        for (int32_t j = 0; j < i; j++) {
            double d[3];
            firn_meshless_pair(s->x, i, j, d);
            const double gap = fmax(0, 0.1 - firn_meshless_length(d));
            sum += gap * gap;
        }
    return sum;
}

/* New bonds keep the elastic strain; moving particles apart keeps their centre of mass, and leaves a
 * lattice of the right spacing alone. */
static void renewed(void **state)
{
    (void)state;
    static const double scale[2] = {1, 0.98}, shear[2] = {0.02, 0.4};
    for (int is_dense = 0; is_dense < 2; is_dense++) {
        const double low[3] = {0, 0, 0}, high[3] = {0.5, 0.5, 0.5}, k = scale[is_dense];
        verify_scene s;
        verify_scene_init(&s, 0.1, "sand", 1e5, 0.25, 1000);
        verify_parameter(&s, "cohesion", 10);
        strcpy(s.scene.method, "peridynamics");
        s.scene.meshless.support = 2.01;
        s.scene.meshless.reset = 1e-3;
        s.scene.peridynamics.redistribute = 1;
        verify_box(&s, low, high, 1);
        firn_sim *sim = verify_start(&s);
        struct firn_meshless *m = sim->meshless;
        const double A[9] = {k, shear[is_dense], 0, 0, k, 0, 0, 0, k};
        double before[3] = {0}, after[3] = {0};
        place(sim, A);
        sim->dt = 1e-3;
        for (int32_t i = 0; i < 3 * m->n; i++) before[i % 3] += m->mass[i / 3] * m->x[i];
        const double crowd = crowding(sim), energy = m->hooks->energy(sim, 62);
        assert_int_equal(m->hooks->strain(sim, 1, NULL), FIRN_OK);
        assert_int_equal(sim->n_sorts, 1);
        for (int32_t i = 0; i < 3 * m->n; i++) after[i % 3] += m->mass[i / 3] * m->x[i];
        for (int a = 0; a < 3; a++) NEAR(after[a], before[a], 1e-12 * fabs(before[a]));
        assert_true(is_dense ? crowd > 1e-5 && crowding(sim) < 0.85 * crowd : crowding(sim) < 1e-9);
        assert_true(m->hooks->energy(sim, 62) <= energy);
        firn_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection),
        cmocka_unit_test(moduli),
        cmocka_unit_test(balance),
        cmocka_unit_test(backward_euler),
        cmocka_unit_test(sand_stands_or_falls),
        cmocka_unit_test(renewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
