/* SPDX-License-Identifier: MIT */
/* test_gradient.c: methods with a reference state on random clouds (verification2.md, rung 0): F is
 * exact for linear fields, forces are the derivatives of the energy, balance in momentum and moment;
 * plain SPH is off by the known factor of a lattice. */
#include "meshless/gradient.h"
#include "meshless/quadratic.h"
#include "meshless/small3.h"
#include "verify/verify.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

/* The last two with fits of degree two. */
static const char *const methods[] = {"sph_elastic", "efg", "sph_corotated", "sph_elastic", "efg"};
enum { N_METHODS = 5, FIRST_QUADRATIC = 3 };

static double number(uint64_t i) { return 2 * firn_random_unit(firn_random_mix(i)) - 1; }

/* A jittered block of about 200 particles; scale and weight make no number special. */
static firn_sim *cloud(verify_scene *s, int method, const char *law, double stabilise)
{
    const double low[3] = {0.1, -0.2, 0.3}, high[3] = {0.6, 0.3, 0.8};
    verify_scene_init(s, 0.1, law, 3e4, 0.3, 700);
    snprintf(s->scene.method, sizeof s->scene.method, "%s", methods[method]);
    s->scene.meshless.stabilise = stabilise;
    s->scene.meshless.degree = method < FIRST_QUADRATIC ? 1 : 2;
    s->scene.meshless.degree = method < FIRST_QUADRATIC ? 1 : 2;
    s->scene.meshless.support = method < FIRST_QUADRATIC ? 2.2 : 3; /* enough at corners */
    verify_box(s, low, high, 1.2)->sampling = FIRN_JITTERED;
    return verify_start(s);
}

/* x = A X + b + noise */
static void place(firn_sim *sim, const double A[9], double noise)
{
    struct firn_meshless *s = sim->meshless;
    for (int32_t i = 0; i < s->n; i++) {
        small3_apply(A, s->rest + 3 * i, s->x + 3 * i);
        for (int a = 0; a < 3; a++)
            s->x[3 * i + a] += 0.7 * (a + 1) + noise * number((uint64_t)(3 * i + a));
    }
    firn_meshless_scatter(sim);
    assert_int_equal(firn_meshless_changed(sim, NULL), FIRN_OK);
}

/* Elastic F of each particle is that of the positions. */
static void set_elastic(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    for (int32_t i = 0; i < s->n; i++)
        for (int c = 0; c < 9; c++)
            firn_meshless_set(&s->particles[0], FIRN_FIELD_F, i, c, s->F[9 * i + c]);
    assert_int_equal(firn_meshless_evaluate(sim, 0, NULL), FIRN_OK);
}

static double energy(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    double *density = calloc((size_t)s->n, sizeof *density), sum = 0;
    firn_meshless_energies(sim, 0, density);
    for (int32_t i = 0; i < s->n; i++)
        sum += s->volume[i] * density[i] + firn_gradient_held(sim, i);
    free(density);
    return sum;
}

static const double A[9] = {1.1, 0.2, -0.1, 0.05, 0.9, 0.15, -0.2, 0.1, 1.2};

static void linear_fields(void **state)
{
    (void)state;
    for (int k = 0; k < N_METHODS; k++) {
        verify_scene scene;
        firn_sim *sim = cloud(&scene, k, "neo_hookean", 0.3);
        struct firn_meshless *s = sim->meshless;
        assert_true(s->n > 150);
        place(sim, A, 0);
        for (int32_t i = 0; i < s->n; i++) {
            assert_int_equal(s->rank[i], 3);
            for (int c = 0; c < 9; c++) assert_true(fabs(s->F[9 * i + c] - A[c]) < 1e-12);
            assert_true(firn_gradient_held(sim, i) < 1e-20 * s->modulus[0]);
        }
        firn_sim_destroy(sim);
    }
}

/* x = X + 1/2 H:XX on a cloud that is cut off on all sides: degree two is exact at every particle
 * whose neighbours determine it, and stabilisation has nothing left to hold. */
static void quadratic_fields(void **state)
{
    (void)state;
    for (int k = FIRST_QUADRATIC; k < N_METHODS; k++) {
        verify_scene scene;
        firn_sim *sim = cloud(&scene, k, "neo_hookean", 0.3);
        struct firn_meshless *s = sim->meshless;
        double H[18];
        int n_exact = 0;
        for (int c = 0; c < 18; c++) H[c] = number((uint64_t)c + 7);
        for (int32_t i = 0; i < s->n; i++) {
            double q[6], u[3];
            firn_quadratic_terms(s->rest + 3 * i, q);
            firn_quadratic_apply(H, q, u);
            for (int a = 0; a < 3; a++) s->x[3 * i + a] = s->rest[3 * i + a] + u[a];
        }
        firn_meshless_scatter(sim);
        assert_int_equal(firn_meshless_changed(sim, NULL), FIRN_OK);
        for (int32_t i = 0; i < s->n; i++) {
            const double *X = s->rest + 3 * i;
            if (s->quadratic[i].curved[0] == 0) continue;
            n_exact++;
            for (int r = 0; r < 3; r++) {
                const double *h = H + 6 * r, F[3] = {2 * h[0] * X[0] + h[4] * X[2] + h[5] * X[1],
                                                     2 * h[1] * X[1] + h[3] * X[2] + h[5] * X[0],
                                                     2 * h[2] * X[2] + h[3] * X[1] + h[4] * X[0]};
                for (int c = 0; c < 3; c++)
                    assert_true(fabs(s->F[9 * i + 3 * r + c] - (r == c) - F[c]) < 1e-10);
            }
            assert_true(firn_gradient_held(sim, i) < 1e-18 * s->modulus[0]);
        }
        print_message("%s: %d of %d clouds of degree two\n", methods[k], n_exact, s->n);
        assert_true(n_exact > 0.8 * s->n);
        firn_sim_destroy(sim);
    }
}

/* The energy of pure bending, u_x = -kappa x y, over E I kappa^2/2, of a beam of n x n layers, far
 * from its ends. Degree one: sum (y + <dx^2 dy>/<dx^2>)^2 over the lattice, from the definition of
 * the kernel (cosine, 2.2 spacings); degree two: the midpoint rule, 1 - 1/n^2. */
static void bending(void **state)
{
    (void)state;
    static const struct {
        int n;
        double of_one;
    } cases[] = {{4, .65423}, {6, .82688}, {8, .89717}};
    const double d = 0.1, kappa = 1e-6;
    for (int k = 0; k < 3; k++)
        for (int degree = 1; degree < 3; degree++) {
            const int n = cases[k].n;
            const double low[3] = {0, -n * d / 2, -n * d / 2}, high[3] = {1, n * d / 2, n * d / 2};
            verify_scene scene;
            verify_scene_init(&scene, d, "fixed_corotated", 1e4, 0, 1000);
            strcpy(scene.scene.method, "sph_elastic");
            scene.scene.meshless.degree = degree;
            verify_box(&scene, low, high, 1);
            firn_sim *sim = verify_start(&scene);
            struct firn_meshless *s = sim->meshless;
            double sum = 0;
            int n_middle = 0;
            for (int32_t i = 0; i < s->n; i++) {
                const double *X = s->rest + 3 * i;
                s->x[3 * i] = X[0] - kappa * X[0] * X[1];
                s->x[3 * i + 1] = X[1] + kappa * X[0] * X[0] / 2;
            }
            s->hooks->strain(sim, 0, NULL);
            for (int32_t i = 0; i < s->n; i++) {
                if (fabs(s->rest[3 * i] - 0.5) > 0.5 * d + 1e-9) continue;
                const double strain = (s->F[9 * i] - 1) / kappa;
                sum += strain * strain;
                n_middle++;
            }
            assert_int_equal(n_middle, 2 * n * n);
            const double ratio = sum / n_middle / (n * n * d * d / 12),
                         exact = degree == 1 ? cases[k].of_one : 1 - 1.0 / (n * n);
            print_message("degree %d, %d layers: %.5f of the bending stiffness\n", degree, n,
                          ratio);
            assert_true(fabs(ratio - exact) < 2e-5);
            firn_sim_destroy(sim);
        }
}

/* sum f = 0 and sum x cross f = 0 in random states, any law, with stabilisation. */
static void balance(void **state)
{
    (void)state;
    static const char *const laws[] = {"neo_hookean", "st_venant_kirchhoff", "fixed_corotated"};
    for (int k = 0; k < N_METHODS; k++)
        for (int law = 0; law < 3; law++) {
            verify_scene scene;
            firn_sim *sim = cloud(&scene, k, laws[law], 0.1 * law);
            struct firn_meshless *s = sim->meshless;
            double f[3] = {0}, moment[3] = {0}, size = 0, arm = 0;
            place(sim, A, 0.004);
            set_elastic(sim);
            assert_int_equal(s->hooks->forces(sim, NULL), FIRN_OK);
            for (int32_t i = 0; i < s->n; i++)
                for (int a = 0; a < 3; a++) {
                    const int b = (a + 1) % 3, c = (a + 2) % 3;
                    f[a] += s->force[3 * i + a];
                    moment[a] += s->x[3 * i + b] * s->force[3 * i + c] -
                                 s->x[3 * i + c] * s->force[3 * i + b];
                    size += fabs(s->force[3 * i + a]);
                    arm = fmax(arm, fabs(s->x[3 * i + a]));
                }
            assert_true(size > 1);
            for (int a = 0; a < 3; a++) {
                assert_true(fabs(f[a]) < 1e-12 * size);
                assert_true(fabs(moment[a]) < 1e-12 * size * arm);
            }
            firn_sim_destroy(sim);
        }
}

/* f = - dU/dx by central differences, stabilisation included. */
static void derivatives(void **state)
{
    (void)state;
    for (int k = 0; k < N_METHODS; k++) {
        verify_scene scene;
        firn_sim *sim = cloud(&scene, k, "neo_hookean", 0.2);
        struct firn_meshless *s = sim->meshless;
        const double step = 1e-6;
        double size = 0;
        place(sim, A, 0.003);
        set_elastic(sim);
        s->hooks->forces(sim, NULL);
        for (int32_t i = 0; i < 3 * s->n; i++) size = fmax(size, fabs(s->force[i]));
        for (int32_t i = 5; i < s->n; i += 37)
            for (int a = 0; a < 3; a++) {
                const double f = s->force[3 * i + a], x = s->x[3 * i + a];
                double U[2];
                for (int side = 0; side < 2; side++) {
                    s->x[3 * i + a] = x + (side ? step : -step);
                    s->hooks->strain(sim, 0, NULL);
                    set_elastic(sim);
                    U[side] = energy(sim);
                }
                s->x[3 * i + a] = x;
                assert_true(fabs(f + (U[1] - U[0]) / (2 * step)) < 2e-7 * size);
            }
        firn_sim_destroy(sim);
    }
}

/* Plain SPH with the spiky kernel at d = .6 h: F - I = kappa (A - I) inside a cubic lattice, half of
 * it normal to a face. */
static void plain_sph(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.9, 0.9, 0.9}, kappa = 0.834981;
    verify_scene scene;
    verify_scene_init(&scene, 0.1, "fixed_corotated", 1e4, 0, 1000);
    strcpy(scene.scene.method, "sph_corotated");
    scene.scene.sph_corotated.normalise = 0;
    scene.scene.meshless.stabilise = 0;
    verify_box(&scene, low, high, 1);
    firn_sim *sim = verify_start(&scene);
    struct firn_meshless *s = sim->meshless;
    const double stretch[9] = {1 + 1e-6, 0, 0, 0, 1, 0, 0, 0, 1};
    int n_inside = 0, n_face = 0;
    place(sim, stretch, 0);
    for (int32_t i = 0; i < s->n; i++) {
        int inside = 1, face = 1;
        for (int a = 0; a < 3; a++) {
            const double depth = fmin(s->rest[3 * i + a], 0.9 - s->rest[3 * i + a]);
            inside &= depth > 0.2;
            face &= a == 0 ? depth < 0.1 : depth > 0.2;
        }
        if (inside) assert_true(fabs((s->F[9 * i] - 1) * 1e6 - kappa) < 1e-6);
        if (face) assert_true(fabs((s->F[9 * i] - 1) * 1e6 - kappa / 2) < 1e-6);
        n_inside += inside;
        n_face += face;
    }
    assert_true(n_inside > 50 && n_face > 10);
    firn_sim_destroy(sim);
}

/* A sheet of one layer: F is that of its plane, with a normal of length 1 that turns with it. */
static void sheet(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 0.1};
    const double R[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    verify_scene scene;
    verify_scene_init(&scene, 0.1, "neo_hookean", 1e4, 0.3, 1000);
    strcpy(scene.scene.method, "efg");
    verify_box(&scene, low, high, 1);
    firn_sim *sim = verify_start(&scene);
    struct firn_meshless *s = sim->meshless;
    assert_int_equal(s->n, 100);
    place(sim, R, 0);
    set_elastic(sim);
    s->hooks->forces(sim, NULL);
    for (int32_t i = 0; i < s->n; i++) {
        assert_int_equal(s->rank[i], 2);
        for (int c = 0; c < 9; c++) assert_true(fabs(s->F[9 * i + c] - R[c]) < 1e-12);
        for (int a = 0; a < 3; a++) assert_true(fabs(s->force[3 * i + a]) < 1e-9);
    }
    firn_sim_destroy(sim);
}

/* Leaves of an octree: three sizes, weights by the mean of both; each particle has enough neighbours,
 * a leaf among leaves of half its edge about 4/3 pi (2.2 (1 + 1/2)/2)^3 8 = 150; F is exact for a linear
 * motion. */
static void octree(void **state)
{
    (void)state;
    const double center[3] = {0, 0, 0};
    verify_scene scene;
    verify_scene_init(&scene, 0.1, "fixed_corotated", 1e4, 0.3, 1000);
    strcpy(scene.scene.method, "efg");
    firn_body_def *body = verify_ball(&scene, center, 0.25, 5);
    body->sampling = FIRN_OCTREE;
    firn_sim *sim = verify_start(&scene);
    struct firn_meshless *s = sim->meshless;
    const firn_ledger l = verify_ledger(sim);
    const double exact = 4 * 3.14159265358979323846 / 3 * 0.25 * 0.25 * 0.25;
    int64_t least = INT64_MAX, most = 0;
    place(sim, A, 0);
    for (int32_t i = 0; i < s->n; i++) {
        const int64_t n = s->bonds.first[i + 1] - s->bonds.first[i];
        least = n < least ? n : least;
        most = n > most ? n : most;
        for (int c = 0; c < 9; c++) assert_true(fabs(s->F[9 * i + c] - A[c]) < 1e-12);
    }
    print_message("octree: %d particles, %d to %d neighbours, mean %.1f\n", s->n, (int)least,
                  (int)most, (double)s->bonds.first[s->n] / s->n);
    assert_true(fabs(l.initial_volume - exact) < 0.01 * exact);
    assert_true(least >= 9 && most <= 160 && s->bonds.first[s->n] < 40 * s->n);
    firn_sim_destroy(sim);
}

/* The square of the fastest frequency of small displacements from rest, by power iteration. */
static double fastest(firn_sim *sim, int n_iterations)
{
    struct firn_meshless *s = sim->meshless;
    const double small = 1e-6;
    double *mode = malloc((size_t)s->n * 3 * sizeof *mode), omega2 = 0;
    for (int32_t i = 0; i < 3 * s->n; i++) mode[i] = number((uint64_t)i + 1);
    for (int iteration = 0; iteration < n_iterations; iteration++) {
        double norm = 0;
        omega2 = 0;
        for (int32_t i = 0; i < 3 * s->n; i++) norm += mode[i] * mode[i];
        for (int32_t i = 0; i < 3 * s->n; i++) {
            mode[i] /= sqrt(norm);
            s->x[i] = s->rest[i] + small * mode[i];
        }
        s->hooks->strain(sim, 0, NULL);
        set_elastic(sim);
        s->hooks->forces(sim, NULL);
        for (int32_t i = 0; i < 3 * s->n; i++) {
            const double a = -s->force[i] / (small * s->mass[i / 3]);
            omega2 += a * mode[i];
            mode[i] = a;
        }
    }
    free(mode);
    return omega2;
}

/* The bound of omega holds, and is not more than two and a half times what it bounds. */
static void bounds(void **state)
{
    (void)state;
    for (int k = 0; k < N_METHODS; k++)
        for (int is_held = 0; is_held < 2; is_held++) {
            verify_scene scene;
            firn_sim *sim = cloud(&scene, k, "fixed_corotated", 0.1 * is_held);
            struct firn_meshless *s = sim->meshless;
            double bound = 0;
            for (int32_t i = 0; i < s->n; i++) bound = fmax(bound, 2 * s->rate[i]);
            const double omega = sqrt(fastest(sim, 120));
            print_message("%s%s%s: omega %.4g, bound over it %.3f\n", methods[k],
                          k < FIRST_QUADRATIC ? "" : " of degree 2", is_held ? ", stabilised" : "",
                          omega, bound / omega);
            assert_true(bound >= omega && bound < 2.5 * omega);
            firn_sim_destroy(sim);
        }
}

/* Element-free Galerkin on finite lattices, nu = .3: 2/omega in h sqrt(rho/E) (verification2.md).
 * Cubic: 6^3 points of spacing d, support h; body-centred: 5^3 + 4^3 points of cell a. */
static void lattice_frequencies(void **state)
{
    (void)state;
    static const struct {
        int is_bcc;
        double h, limit;
    } cases[] = {{0, 1.5, .5228},  {0, 2, .4720},   {0, 2.5, .4277},
                 {1, 1.05, .5377}, {1, 1.5, .5052}, {1, 2.05, .4547}};
    const double E = 1e4, rho = 1000;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double a = 0.1, half = cases[k].is_bcc ? 2.001 * a : 3 * a,
                     low[3] = {-half, -half, -half}, high[3] = {half, half, half};
        verify_scene scene;
        verify_scene_init(&scene, a, "fixed_corotated", E, 0.3, rho);
        strcpy(scene.scene.method, "efg");
        scene.scene.meshless.stabilise = 0;
        scene.scene.meshless.support = cases[k].h * (cases[k].is_bcc ? cbrt(2) : 1);
        firn_body_def *body = verify_box(&scene, low, high, 1);
        if (cases[k].is_bcc) {
            body->sampling = FIRN_BCC;
            body->spacing = a / cbrt(2);
        }
        firn_sim *sim = verify_start(&scene);
        assert_int_equal(sim->meshless->n, cases[k].is_bcc ? 189 : 216);
        const double limit = 2 / sqrt(fastest(sim, 300)) / (cases[k].h * a * sqrt(rho / E));
        print_message("%s h = %.2f: %.4f\n", cases[k].is_bcc ? "bcc" : "cubic", cases[k].h, limit);
        assert_true(fabs(limit - cases[k].limit) < 2e-3);
        firn_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_fields), cmocka_unit_test(quadratic_fields),
        cmocka_unit_test(bending),       cmocka_unit_test(balance),
        cmocka_unit_test(derivatives),   cmocka_unit_test(plain_sph),
        cmocka_unit_test(sheet),         cmocka_unit_test(octree),
        cmocka_unit_test(bounds),        cmocka_unit_test(lattice_frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
