/* SPDX-License-Identifier: MIT */
/* test_pressure.c: pressures on free surfaces against closed forms: a body in equilibrium with one
 * stays at rest to round-off; the force on one end of a bar; the thick cylinder of Lame. */
#include "firn/firn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static firn_sim *start(const char *text, firn_scene **scene)
{
    firn_messages *messages = firn_messages_create();
    *scene = firn_scene_parse(text, strlen(text), "s.yaml", 0, NULL, messages);
    if (!*scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_sim *sim = NULL;
    if (firn_sim_create(firn_scene_definition(*scene), NULL, &sim, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return sim;
}

static void go(firn_sim *sim, double until)
{
    firn_messages *messages = firn_messages_create();
    if (firn_sim_advance_to(sim, until, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
}

static firn_ledger ledger_of(firn_sim *sim)
{
    firn_ledger ledger;
    assert_int_equal(firn_sim_ledger(sim, -1, &ledger, NULL), FIRN_OK);
    return ledger;
}

/* A ball pressed alike from all sides, F = s I, with the pressure that its law answers with
 * (neo-Hookean: tau = mu (s^2 - 1) + lambda ln s^3 = - p s^3), whatever its surface looks like
 * on the grid; the same under another pressure moves. */
static void equilibrium_is_rest(void **state)
{
    (void)state;
    const double E = 1e5, nu = 0.3, mu = E / (2 * (1 + nu)),
                 lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), s = 0.97,
                 p = -(mu * (s * s - 1) + 3 * lambda * log(s)) / (s * s * s);
    for (int k = 0; k < 4; k++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "scene: {precision: double}\n"
            "grid: {dx: 10 cm, spline: %s}\ngravity: [0, 0, 0]\n"
            "transfer: {force: %s}\n"
            "materials: {m: {law: neo_hookean, E: %g, nu: %g, rho: 1000}}\n"
            "bodies:\n  b: {material: m, F: [%g, %g, %g], shape: {kind: sphere, radius: 0.33}}\n"
            "pressures:\n  air: {pressure: %.17g}\n",
            k % 2 ? "quadratic" : "cubic", k / 2 ? "mls" : "gradient", E, nu, s, s, s, p);
        firn_scene *scene;
        firn_sim *sim = start(text, &scene);
        go(sim, 0.05);
        const firn_ledger l = ledger_of(sim);
        /* mls forces keep a constant stress in equilibrium only inside, gradients everywhere */
        if (!(l.max_speed < 1e-11)) fail_msg("case %d: %g m/s", k, l.max_speed);
        assert_true(firn_sim_step_count(sim) > 5);
        firn_sim_destroy(sim);
        firn_scene_destroy(scene);
    }
}

/* A bar, 12 x 4 x 4 cells, pushed on one half, harder and harder: momentum is p A t / 2, to
 * round-off what the ledger has of forces; its energy is the work, that on its sides included. */
static void a_bar_is_pushed_by_its_end(void **state)
{
    (void)state;
    firn_scene *scene;
    firn_sim *sim = start(
        "scene: {precision: double}\n"
        "grid: {dx: 10 cm}\ngravity: [0, 0, 0]\ntransfer: {scheme: flip, flip_blend: 1}\n"
        "materials: {m: {law: hencky, E: 1e5, nu: 0, rho: 1000}}\n"
        "bodies:\n  b: {material: m, sampling: regular, shape: {kind: box, center: [0.6, 0.2, "
        "0.2], "
        "size: [1.2, 0.4, 0.4]}}\n"
        "pressures:\n  end: {pressure: 300, shape: {kind: half_space, center: [0.6, 0, 0], normal: "
        "[1, 0, 0]}, keys: [{time: 0, factor: 0}, {time: 0.2, factor: 1}]}\n",
        &scene);
    go(sim, 0.2);
    const firn_ledger l = ledger_of(sim);
    const double exact = 0.5 * 300 * 0.16 * 0.2;
    if (!(fabs(l.momentum[0] - l.force_impulse[0]) < 1e-9 * exact))
        fail_msg("momentum %.12g, impulse %.12g", l.momentum[0], l.force_impulse[0]);
    if (!(fabs(l.momentum[0] / exact - 1) < 0.01))
        fail_msg("momentum %g, exact %g", l.momentum[0], exact);
    assert_true(fabs(l.momentum[1]) < 1e-9 * exact && fabs(l.momentum[2]) < 1e-9 * exact);
    const double energy = l.kinetic + l.elastic;
    if (!(fabs(energy / l.external_work - 1) < 0.03))
        fail_msg("energy %g, work %g", energy, l.external_work);
    firn_sim_destroy(sim);
    firn_scene_destroy(scene);
}

/* A cylinder of radii .5 and 1 under inner pressure in plane strain, let in slowly:
 *
 *     u = (1 + nu)/E p a^2/(b^2 - a^2) ((1 - 2 nu) r + b^2/r)
 *
 * (G. Lame; S. Timoshenko, J. N. Goodier, Theory of Elasticity, art. 28). The mean of u over its
 * exact value, 1.032, gate 5 %: the lattice makes both surfaces stepped, with 10 cells between
 * them, and the hole widens by 2 %. */
static void lame_cylinder(void **state)
{
    (void)state;
    const double E = 1e5, nu = 0.25, p = 1000, a = 0.5, b = 1;
    firn_scene *scene;
    firn_sim *sim = start(
        "scene: {precision: double}\n"
        "grid: {dx: 5 cm, geometry: plane_strain, box_min: [0, 0, -1], box_max: [3, 3, 1], walls: "
        "[mirror, open, mirror, open, open, open]}\n"
        "gravity: [0, 0, 0]\n"
        "materials: {m: {law: hencky, E: 1e5, nu: 0.25, rho: 1000}}\n"
        "bodies:\n  b: {material: m, shapes: [{kind: cylinder, normal: [0, 0, 1], radius: 1, "
        "height: 4}, "
        "{kind: cylinder, normal: [0, 0, 1], radius: 0.5, height: 5, csg: difference}, {kind: box, "
        "center: [1, 1, 0], size: [2, 2, 9], csg: intersection}]}\n"
        "pressures:\n  inside: {pressure: 1000, edge: 20 cm, shape: {kind: cylinder, normal: [0, "
        "0, 1], "
        "radius: 0.8, height: 9}, keys: [{time: 0, factor: 0}, {time: 1.5, factor: 1}]}\n",
        &scene);
    const size_t n = (size_t)firn_sim_n_particles(sim);
    double *X = malloc(3 * n * sizeof *X), *x = malloc(3 * n * sizeof *x);
    assert_non_null(X);
    assert_non_null(x);
    assert_int_equal(firn_sim_copy(sim, "P", X, 3 * n, NULL), FIRN_OK);
    go(sim, 1.8);
    assert_int_equal(firn_sim_copy(sim, "P", x, 3 * n, NULL), FIRN_OK);
    double ratio = 0;
    for (size_t i = 0; i < n; i++) {
        const double R = hypot(X[3 * i], X[3 * i + 1]),
                     u = ((x[3 * i] - X[3 * i]) * X[3 * i] +
                          (x[3 * i + 1] - X[3 * i + 1]) * X[3 * i + 1]) /
                         R,
                     exact = (1 + nu) / E * p * a * a / (b * b - a * a) *
                             ((1 - 2 * nu) * R + b * b / R);
        ratio += u / exact / (double)n;
    }
    if (!(fabs(ratio - 1) < 0.05)) fail_msg("displacement %.4f of the exact one", ratio);
    free(X);
    free(x);
    firn_sim_destroy(sim);
    firn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equilibrium_is_rest),
                                       cmocka_unit_test(a_bar_is_pushed_by_its_end),
                                       cmocka_unit_test(lame_cylinder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
