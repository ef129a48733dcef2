/* SPDX-License-Identifier: MIT */
/* test_separation.c: the distance of stretched particles: the measure against closed forms, its
 * place in the ledger, and the warnings: a body too sparse for its cells at its line of the file, a
 * bar pulled apart before it separates. */
#include "mpm/separation.h"
#include "verify/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) near(a, b, tolerance, #a, __LINE__)
static void near(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("line %d: %s is %.15g, not %.15g", line, what, a, b);
}

/* ---------------------------------------------------------------- the measure */

static void multiply(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            C[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) C[3 * i + j] += A[3 * i + k] * B[3 * k + j];
        }
}

/* About z by a, then about x by b. */
static void rotation(double a, double b, double R[9])
{
    const double Z[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    const double X[9] = {1, 0, 0, 0, cos(b), -sin(b), 0, sin(b), cos(b)};
    multiply(X, Z, R);
}

static void stretch_of_known_gradients(void **state)
{
    (void)state;
    const double stretches[][3] = {{1, 1, 1},     {2, 1, 1},   {1, 1, 0.25},
                                   {0.5, 3, 0.9}, {2, 2, 0.3}, {7, -1, 1e-3}};
    for (int i = 0; i < 6; i++)
        for (int turn = 0; turn < 8; turn++) {
            double R[9], Q[9], S[9] = {0}, RS[9], F[9];
            rotation(0.7 * turn, 1.1 * turn, R);
            rotation(2.3 * turn, -0.4 * turn, Q);
            for (int a = 0; a < 3; a++) S[4 * a] = stretches[i][a];
            multiply(R, S, RS);
            multiply(RS, Q, F);
            double most = fmax(stretches[i][0], fmax(stretches[i][1], stretches[i][2]));
            NEAR(firn_separation_stretch(F), most,
                 2e-8 * most); /* twice equal: the root of a rounding */
        }
    for (double k = 0; k < 4; k += 0.5) { /* simple shear */
        const double F[9] = {1, k, 0, 0, 1, 0, 0, 0, 1};
        NEAR(firn_separation_stretch(F), sqrt(1 + k * k / 2 + k * sqrt(1 + k * k / 4)),
             1e-12 * (1 + k));
    }
}

/* In any order the largest gap wins and the first of equals stays; NaN is ignored. */
static void the_widest_is_kept(void **state)
{
    (void)state;
    const double narrow[9] = {1.2, 0, 0, 0, 1, 0, 0, 0, 1},
                 sheared[9] = {1, 2, 0, 0, 1, 0, 0, 0, 1};
    const double broken[9] = {NAN, 0, 0, 0, 1, 0, 0, 0, 1}, x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
    firn_ledger l = {.gap_particle = -1};
    firn_separation_add(&l, narrow, 1e-3, 0.2, 7, x);
    firn_separation_add(&l, broken, 1e-3, 0.2, 8, y);
    NEAR(l.max_gap, 0.6, 1e-12);
    assert_int_equal(l.gap_particle, 7);
    firn_separation_add(&l, sheared, 1e-3 / 8, 0.2, 9, y); /* 2.41 times half the edge */
    NEAR(l.max_gap, (1 + sqrt(2)) / 4, 1e-12);
    NEAR(l.gap_stretch, 1 + sqrt(2), 1e-12);
    firn_separation_add(&l, sheared, 1e-3 / 8, 0.2, 10, x);
    assert_int_equal(l.gap_particle, 9);
    assert_memory_equal(l.gap_place, y, sizeof y);
}

/* A cube of two particles across a cell, its F assigned: one particle is stretched more than all
 * others. Where volumes are measured on the grid, those at the surface are too large; that is no
 * gap. */
static void in_the_ledger(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.8, 0.8, 0.8};
    for (int is_measured = 0; is_measured < 2; is_measured++) {
        verify_scene s;
        verify_scene_init(&s, 0.1, "neo_hookean", 1e5, 0.3, 1000);
        verify_box(&s, low, high, 2);
        s.bodies[0].density_from = is_measured ? FIRN_DENSITY_GRID : FIRN_DENSITY_GIVEN;
        s.options.n_threads = 3;
        firn_sim *sim = verify_start(&s);
        NEAR(verify_ledger(sim).max_gap, 0.5, 1e-9);
        int64_t n = firn_sim_n_particles(sim);
        double *F = calloc((size_t)n, 9 * sizeof *F), *P = verify_copy(sim, "P");
        for (int64_t i = 0; i < n; i++) {
            F[9 * i] = i == 1234 ? 2.5 : 1.5;
            F[9 * i + 4] = F[9 * i + 8] = 0.9;
        }
        verify_assign(sim, "F", F);
        firn_ledger l = verify_ledger(sim);
        NEAR(l.max_gap, 1.25, 1e-9);
        NEAR(l.gap_stretch, 2.5, 1e-9);
        assert_int_equal(l.gap_particle, 1234);
        for (int a = 0; a < 3; a++) NEAR(l.gap_place[a], P[3 * 1234 + a], 1e-12);
        free(F);
        free(P);
        firn_sim_destroy(sim);
    }
}

/* ---------------------------------------------------------------- who is warned */

#define MATERIALS                                                                                  \
    "materials: {rubber: {law: neo_hookean, E: 1 MPa}, water: {preset: water}}\n"                  \
    "grid: {dx: 1 cm}\n"

static int warned(const char *more, const char *sentence)
{
    char text[2048];
    firn_messages *messages = firn_messages_create();
    snprintf(text, sizeof text, MATERIALS "%s", more);
    firn_scene *scene = firn_scene_parse(text, strlen(text), "s.yaml", 0, NULL, messages);
    if (!scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    int n = firn_messages_count(messages, FIRN_WARNING);
    if (n && !strstr(firn_messages_text(messages, 0, NULL), sentence))
        fail_msg("\"%s\" is not in \"%s\"", sentence, firn_messages_text(messages, 0, NULL));
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
    return n;
}

#define BALL "shape: {kind: sphere, radius: 5 cm}"

static void sparse_bodies_at_their_places(void **state)
{
    (void)state;
    assert_int_equal(warned("bodies: {a: {material: rubber, " BALL "}}\n", ""),
                     0); /* 8 in a cell */
    assert_int_equal(
        warned("bodies: {a: {material: rubber, particles_per_cell: 1.4, " BALL "}}\n", ""), 0);
    assert_int_equal(
        warned("bodies:\n  a: {material: rubber, particles_per_cell: 1.3, " BALL "}\n",
               "s.yaml:4:6: bodies.a puts its particles 0.916 cells apart (1.3 per cell)"),
        1);
    assert_int_equal(
        warned("bodies:\n  a: {material: water, " BALL ", spacing: 12 mm}\n",
               "1.2 cells apart (0.58 per cell), beyond 0.9 cells they separate whatever the law "
               "(numerical fracture); try: spacing up to 0.009 m"),
        1);
    const char *drawn =
        "bodies:\n  a: {material: rubber, " BALL ", F: [2, 1, 1], deform_positions: %s}\n";
    char text[256];
    snprintf(text, sizeof text, drawn, "true");
    assert_int_equal(warned(text, "puts its particles 1 cells apart"), 1);
    snprintf(text, sizeof text, drawn, "false");
    assert_int_equal(warned(text, ""), 0);
    assert_int_equal(warned("emitters:\n  tap: {material: water, particles_per_cell: 1, " BALL
                            "}\n",
                            "s.yaml:4:8: emitters.tap"),
                     1);
}

/* Warnings that firn_separation_measure gives of this simulation at this state. */
static int look(verify_scene *s, firn_sim *sim, unsigned char *told, const char *sentence)
{
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_separation_measure(&s->scene, sim, told, messages), FIRN_OK);
    int n = firn_messages_total(messages);
    if (n && !strstr(firn_messages_text(messages, 0, NULL), sentence))
        fail_msg("\"%s\" is not in \"%s\"", sentence, firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return n;
}

static void assign_stretch(firn_sim *sim, double s)
{
    int64_t n = firn_sim_n_particles(sim);
    double *F = calloc((size_t)n, 9 * sizeof *F);
    for (int64_t i = 0; i < n; i++) {
        F[9 * i] = s;
        F[9 * i + 4] = F[9 * i + 8] = 1;
    }
    verify_assign(sim, "F", F);
    free(F);
}

/* Once, from 0.9 cells on, and never a liquid, of which F tells the volume alone. */
static void a_material_is_told_once(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.4, 0.4, 0.4};
    const char *const laws[] = {"neo_hookean", "liquid"};
    for (int is_liquid = 0; is_liquid < 2; is_liquid++) {
        verify_scene s;
        unsigned char told[1];
        verify_scene_init(&s, 0.1, laws[is_liquid], is_liquid ? 0 : 1e5, is_liquid ? 0 : 0.3, 1000);
        verify_box(&s, low, high, 2);
        firn_sim *sim = verify_start(&s);
        firn_separation_begin(&s.scene, told);
        assign_stretch(sim, 1.79);
        assert_int_equal(look(&s, sim, told, ""), 0);
        assign_stretch(sim, 1.81);
        assert_int_equal(look(&s, sim, told,
                              "is stretched to 1.81 times its length, its neighbours are 0.905 "
                              "cells away"),
                         !is_liquid);
        assign_stretch(sim, 3);
        assert_int_equal(look(&s, sim, told, ""), 0);
        firn_sim_destroy(sim);
    }
}

/* A bar of 792 particles, drawn out of a mirror wall by a grip on its last two of 22 layers. In
 * cells of 8 mm it separates at about 1.5 times its length, and a warning comes before. In cells of
 * 19.2 mm it is one body at twice its length, without a warning. */
static void a_bar_is_told_of_before_it_parts(void **state)
{
    (void)state;
    const double d = 0.0048, L = 22 * d, W = 6 * d, until = 0.04;
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        verify_scene s;
        unsigned char told[1];
        const double h = is_wide ? 0.008 : 4 * d, low[3] = {0, 0, 0}, high[3] = {L, W, W},
                     wall_low[3] = {0, -20 * h, -20 * h}, wall_high[3] = {50 * h, 20 * h, 20 * h};
        verify_scene_init(&s, h, "neo_hookean", 9e6, 0.33,
                          36169); /* a tenth of the rubber's waves, a tenth of the steps */
        verify_box(&s, low, high, h / d);
        verify_mirrors(&s, 1, wall_low, wall_high);
        verify_grip(&s, (double[3]){L - 2 * d, -1, -1}, (double[3]){L + d, 1, 1})
            ->motion.velocity[0] = L / until / 10;
        verify_force(&s, "drag")->strength = 30;
        firn_sim *sim = verify_start(&s);
        firn_separation_begin(&s.scene, told);
        double told_at = 0, most = 0;
        for (int k = 1; k <= 20 && !told_at; k++) {
            verify_go(sim, until * 10 * k / 20);
            double elastic = verify_ledger(sim).elastic;
            if (look(&s, sim, told, "material")) told_at = 1 + 0.05 * k;
            if (elastic < 0.8 * most) break; /* it has parted */
            most = fmax(most, elastic);
        }
        if (is_wide ? !(told_at > 1.3 && told_at < 1.5) : told_at != 0)
            fail_msg("told at %g", told_at);
        firn_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretch_of_known_gradients),
        cmocka_unit_test(the_widest_is_kept),
        cmocka_unit_test(in_the_ledger),
        cmocka_unit_test(sparse_bodies_at_their_places),
        cmocka_unit_test(a_material_is_told_once),
        cmocka_unit_test(a_bar_is_told_of_before_it_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
