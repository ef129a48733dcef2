/* SPDX-License-Identifier: MIT */
/* Implicit steps: every law, with its defaults and its first preset, runs at steps that follow its
 * motion, to the same bits for any number of threads and after a restore, with momentum that the
 * ledger explains; Newton converges as fast as its forcing allows. */
#include "firn/firn.h"
#include "mpm/implicit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def ball, ground;
    firn_body_def body;
    firn_collider_def floor;
} setup;

/* A strained, spinning ball on its way into a rough floor. */
static void make(setup *s, const char *law, const char *preset, int is_double)
{
    *s = (setup){firn_scene_default(), firn_material_default(), firn_shape_default(),
                 firn_shape_default(), firn_body_default(),     firn_collider_default()};
    strcpy(s->material.name, "stuff");
    snprintf(s->material.law, sizeof s->material.law, "%s", law);
    snprintf(s->material.preset, sizeof s->material.preset, "%s", preset);
    strcpy(s->ball.kind, "sphere");
    s->ball.radius = 0.25;
    s->ball.center[1] = 0.25;
    strcpy(s->body.name, "ball");
    strcpy(s->body.material, "stuff");
    s->body.n_shapes = 1;
    s->body.shapes = &s->ball;
    s->body.velocity[0] = 0.3;
    s->body.velocity[1] = -0.6;
    s->body.spin[2] = 1;
    strcpy(s->ground.kind, "half_space");
    s->ground.normal[1] = 1;
    strcpy(s->floor.name, "floor");
    s->floor.n_shapes = 1;
    s->floor.shapes = &s->ground;
    s->floor.friction = 0.4;
    s->scene.grid.dx = 0.1;
    s->scene.is_double = is_double;
    s->scene.gravity[1] = -9.81;
    s->scene.n_materials = s->scene.n_bodies = s->scene.n_colliders = 1;
    s->scene.materials = &s->material;
    s->scene.bodies = &s->body;
    s->scene.colliders = &s->floor;
    strcpy(s->scene.time.integrator, "implicit");
}

static firn_sim *begin(const setup *s, int n_threads)
{
    firn_run_options options = firn_run_options_default();
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    options.n_threads = n_threads;
    if (firn_sim_create(&s->scene, &options, &sim, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return sim;
}

static void go(firn_sim *sim, double until, const char *label)
{
    firn_messages *messages = firn_messages_create();
    if (firn_sim_advance_to(sim, until, messages) != FIRN_OK)
        fail_msg("%s: %s", label, firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
}

static firn_ledger ledger_of(firn_sim *sim)
{
    firn_ledger ledger;
    assert_int_equal(firn_sim_ledger(sim, -1, &ledger, NULL), FIRN_OK);
    return ledger;
}

enum { FRAMES = 4, SAVED_AT = 2 };
static const double frame = 0.02;

/* One run, saved in the middle; the rest of it again with other threads. */
static void runs(const firn_law_info *law, const char *preset, int is_double)
{
    char label[3 * FIRN_NAME];
    snprintf(label, sizeof label, "%s %s", law->name, preset);
    setup s;
    make(&s, law->name, preset, is_double);
    firn_sim *sim = begin(&s, 1);
    const firn_ledger before = ledger_of(sim);
    void *state = NULL;
    size_t n_bytes = 0;
    for (int k = 1; k <= FRAMES; k++) {
        go(sim, k * frame, label);
        if (k == SAVED_AT) assert_int_equal(firn_sim_save(sim, &state, &n_bytes, NULL), FIRN_OK);
    }
    const firn_ledger after = ledger_of(sim);
    const uint64_t hash = firn_sim_hash(sim);
    /* dp = M g t + impulses, to the tolerance of the solve; in units of the weight of the run */
    const double unit = before.mass * 9.81 * FRAMES * frame;
    for (int a = 0; a < 3; a++) {
        const double gain = after.momentum[a] - before.momentum[a] -
                            before.mass * s.scene.gravity[a] * FRAMES * frame;
        const double given = after.collider_impulse[a] - before.collider_impulse[a];
        if (!(fabs(gain - given) <= 2e-3 * unit))
            fail_msg("%s: momentum %d gained %g N s, colliders gave %g", label, a, gain, given);
    }
    firn_sim *again = begin(&s, 3);
    assert_int_equal(firn_sim_restore(again, state, n_bytes, NULL), FIRN_OK);
    for (int k = SAVED_AT + 1; k <= FRAMES; k++) go(again, k * frame, label);
    if (firn_sim_hash(again) != hash) fail_msg("%s: other bits after a restore", label);
    if (firn_sim_stats(sim).n_steps > 40 * FRAMES)
        fail_msg("%s: %lld steps", label, (long long)firn_sim_stats(sim).n_steps);
    firn_sim_release_state(sim, state, n_bytes);
    firn_sim_destroy(sim);
    firn_sim_destroy(again);
}

static void every_law_runs(void **state)
{
    (void)state;
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        for (int k = -1; k < law->n_presets && k < 1; k++) /* defaults and first preset */
            runs(law, k < 0 ? "" : law->presets[k].name, (k + 1) % 2);
    }
}

/* With the forcing min(1/2, sqrt(r/r0)) the residual falls with order 3/2 near the solution. */
static void newton_is_superlinear(void **state)
{
    (void)state;
    setup s;
    make(&s, "neo_hookean", "", 1);
    s.scene.time.tolerance = 1e-11;
    s.scene.n_colliders = 0;
    s.body.F[0] = 1.3;
    s.body.F[4] = 0.8;
    s.body.F[1] = 0.2;
    firn_sim *sim = begin(&s, 1);
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_sim_step(sim, 0.01, messages), FIRN_OK);
    const firn_implicit *t = sim->mpm->implicit;
    const int n = t->last_newton;
    assert_true(n >= 3 && n <= 9);
    const double *r = t->history;
    assert_true(r[n] < 1e-9 * r[0]);
    double order = 0; /* the last iteration is only as exact as the tolerance asks */
    for (int k = 2; k < n; k++)
        order = fmax(order, log(r[k] / r[k - 1]) / log(r[k - 1] / r[k - 2]));
    if (!(order >= 1.5)) fail_msg("order %g after %d iterations", order, n);
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(newton_is_superlinear),
                                       cmocka_unit_test(every_law_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
