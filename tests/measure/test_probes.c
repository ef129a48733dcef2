/* SPDX-License-Identifier: MIT */
/* test_probes.c: probes of a thrown block whose every number is known: times, values between steps,
 * targets, expectations of them; the state is the same with and without. */
#include "measure/expect.h"
#include "measure/probes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Half a second of fall with a throw along x: every particle moves alike, v_y = -g t. */
#define FALL                                                                                       \
    "scene: {frames: 10, fps: 20, precision: double}\n"                                            \
    "grid: {dx: 10 cm}\n"                                                                          \
    "time: {dt_max: 7 ms}\n"                                                                       \
    "materials: {jelly: {law: neo_hookean, E: 1 kPa, nu: 0.2, rho: 1000}}\n"                       \
    "bodies:\n"                                                                                    \
    "  block: {material: jelly, sampling: regular, shape: {kind: box, center: [1, 2, 3], size: "   \
    "[0.4, 0.2, 0.2]}, velocity: [3, 0, 0]}\n"                                                     \
    "outputs: []\n"

enum { MOST = 4096, PROBES = 8 };

typedef struct samples {
    int n[PROBES];
    double time[PROBES][MOST], value[PROBES][MOST];
    firn_expect_recorder *expect;
} samples;

static firn_status keep(void *user, int probe, double time, double value, firn_messages *messages)
{
    samples *s = user;
    assert_true(s->n[probe] < MOST);
    s->time[probe][s->n[probe]] = time;
    s->value[probe][s->n[probe]++] = value;
    return s->expect ? firn_expect_sample(s->expect, probe, time, value, messages) : FIRN_OK;
}

static firn_sim *start(const char *more, firn_scene **scene)
{
    char text[8192];
    snprintf(text, sizeof text, FALL "%s", more);
    firn_messages *messages = firn_messages_create();
    *scene = firn_scene_parse(text, strlen(text), "fall.yaml", 0, NULL, messages);
    if (!*scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_sim *sim = NULL;
    firn_run_options options = firn_run_options_default();
    options.n_threads = 1;
    assert_int_equal(firn_sim_create(firn_scene_definition(*scene), &options, &sim, messages),
                     FIRN_OK);
    firn_messages_destroy(messages);
    return sim;
}

/* Runs to the end, frame by frame, and returns the hash. */
static uint64_t go(firn_sim *sim, const firn_scene *scene, samples *s)
{
    const firn_scene_def *def = firn_scene_definition(scene);
    firn_probes *probes = NULL;
    if (def->n_expects) assert_int_equal(firn_expect_create(def, sim, &s->expect, NULL), FIRN_OK);
    if (def->n_probes) {
        assert_int_equal(firn_probes_create(def, sim, keep, s, &probes, NULL), FIRN_OK);
        assert_int_equal(firn_probes_sample(probes, NULL), FIRN_OK);
    }
    for (int frame = 1; frame <= def->frames; frame++)
        while (firn_sim_time(sim) < frame / def->fps) {
            assert_int_equal(firn_sim_step(sim, frame / def->fps, NULL), FIRN_OK);
            if (probes) assert_int_equal(firn_probes_sample(probes, NULL), FIRN_OK);
        }
    firn_probes_destroy(probes);
    return firn_sim_hash(sim);
}

static void samples_lie_on_the_motion(void **state)
{
    (void)state;
    static samples s;
    memset(&s, 0, sizeof s);
    firn_scene *scene, *bare_scene;
    firn_sim *bare = start("", &bare_scene);
    samples none = {0};
    const uint64_t hash = go(bare, bare_scene, &none);
    firn_sim *sim =
        start("probes:\n"
              "  falls: {measure: mean_velocity, axis: y, every: 900 us}\n"
              "  lands: {measure: center, of: block, axis: x, every: 31 ms}\n"
              "  steps: {measure: mean_velocity, axis: y}\n"
              "  one: {measure: center, axis: x, particle: 5, every: 0.1}\n"
              "  gate: {measure: n_particles, place: [1.5, 2, 3], radius: 0.31, every: "
              "0.05}\n"
              "expect:\n"
              "  - {measure: probe, of: falls, over: min, value: -4.905, tolerance: "
              "2e-3, source: g t}\n"
              "  - {measure: probe, of: lands, time: 0.3, value: 1.93, tolerance: 1e-9, "
              "source: v t at 0.31}\n"
              "  - {measure: probe, of: lands, value: 2.488, tolerance: 1e-9, source: "
              "the last sample}\n",
              &scene);
    assert_true(go(sim, scene, &s) == hash);
    assert_int_equal(firn_sim_step_count(sim), firn_sim_step_count(bare));

    assert_int_equal(s.n[0], 556); /* 0 to 555 times 900 us */
    for (int k = 0; k < s.n[0]; k++) {
        assert_true(s.time[0][k] == k * 900e-6);
        if (!(fabs(s.value[0][k] + 9.81 * s.time[0][k]) < 1e-9))
            fail_msg("velocity %g at %g s", s.value[0][k], s.time[0][k]);
    }
    assert_int_equal(s.n[1], 17);
    for (int k = 0; k < s.n[1]; k++) assert_true(fabs(s.value[1][k] - 1 - 3 * k * 31e-3) < 1e-9);
    assert_int_equal(s.n[2], firn_sim_step_count(sim) + 1);
    for (int k = 1; k < s.n[2]; k++) assert_true(s.time[2][k] > s.time[2][k - 1]);
    assert_int_equal(s.n[3], 6);
    for (int k = 0; k < 6; k++) assert_true(fabs(s.value[3][k] - s.value[3][0] - 0.3 * k) < 1e-9);
    assert_true(fabs(s.value[3][0] - 1) < 0.2); /* one particle of the block */
    /* after 0.15 s the block is at 1.45, 0.11 lower; after 0.5 s far below */
    assert_true(s.value[4][0] == 0 && s.value[4][3] == 128 && s.value[4][10] == 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(firn_expect_evaluate(s.expect, i).outcome, FIRN_EXPECT_MET);
    firn_expect_destroy(s.expect);
    firn_sim_destroy(sim);
    firn_sim_destroy(bare);
    firn_scene_destroy(scene);
    firn_scene_destroy(bare_scene);
}

/* In two parts, with the state saved between: the same samples. */
static void a_continued_run_takes_the_rest(void **state)
{
    (void)state;
    static samples whole, part;
    memset(&whole, 0, sizeof whole);
    memset(&part, 0, sizeof part);
    const char *probes = "probes: {falls: {measure: center, axis: y, every: 900 us}, "
                         "steps: {measure: mean_velocity, axis: y}}\n";
    firn_scene *scene;
    firn_sim *sim = start(probes, &scene);
    go(sim, scene, &whole);
    firn_sim_destroy(sim);
    firn_scene_destroy(scene);

    sim = start(probes, &scene);
    const firn_scene_def *def = firn_scene_definition(scene);
    for (int k = 0; k < 2; k++) {
        firn_probes *p;
        assert_int_equal(firn_probes_create(def, sim, keep, &part, &p, NULL), FIRN_OK);
        assert_int_equal(firn_probes_sample(p, NULL), FIRN_OK);
        for (int frame = k ? 5 : 1; frame <= (k ? 10 : 4); frame++)
            while (firn_sim_time(sim) < frame / def->fps) {
                assert_int_equal(firn_sim_step(sim, frame / def->fps, NULL), FIRN_OK);
                assert_int_equal(firn_probes_sample(p, NULL), FIRN_OK);
            }
        firn_probes_destroy(p);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(part.n[i], whole.n[i]);
        for (int k = 0; k < part.n[i]; k++) {
            assert_true(part.time[i][k] == whole.time[i][k]);
            assert_true(part.value[i][k] == whole.value[i][k]);
        }
    }
    firn_sim_destroy(sim);
    firn_scene_destroy(scene);
}

static void refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{measure: mas}", "probes.a.measure is \"mas\", which is no measure"},
        {"{measure: reaction_force}", "probes.a.of is missing"},
        {"{measure: elastic_energy, radius: 1}", "probes.a.radius and particle have no effect"},
        {"{measure: mass, radius: 1, particle: 3}", "probes.a.particle is given besides"},
        {"{measure: probe, of: a}", "probes.a.measure is probe"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        snprintf(text, sizeof text, FALL "probes: {a: %s}\n", cases[i][0]);
        firn_messages *messages = firn_messages_create();
        assert_null(firn_scene_parse(text, strlen(text), "s.yaml", 0, NULL, messages));
        if (!strstr(firn_messages_text(messages, 0, NULL), cases[i][1]))
            fail_msg("%s", firn_messages_text(messages, 0, NULL));
        firn_messages_destroy(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_lie_on_the_motion),
                                       cmocka_unit_test(a_continued_run_takes_the_rest),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
