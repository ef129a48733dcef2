/* SPDX-License-Identifier: MIT */
/* Expectations: a ball in free fall, whose every number is known; verdicts; what is refused. */
#include "measure/expect.h"
#include "measure/measure.h"
#include "session/frame_loop.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Half a second of fall with a throw along x and no air: every particle moves alike. */
#define FALL                                                                                       \
    "scene: {frames: 10, fps: 20, precision: double}\n"                                            \
    "grid: {dx: 10 cm}\n"                                                                          \
    "time: {dt_max: 1 ms}\n"                                                                       \
    "materials: {jelly: {law: neo_hookean, E: 10 kPa, nu: 0.2, rho: 1000}}\n"                      \
    "bodies:\n"                                                                                    \
    "  block: {material: jelly, sampling: regular, shape: {kind: box, center: [1, 2, 3], size: "   \
    "[0.4, 0.2, 0.2]}, "                                                                           \
    "velocity: [3, 0, 0]}\n"                                                                       \
    "outputs: []\n"

static firn_status output_time(void *user, firn_sim *sim, const firn_output_time *m,
                               firn_messages *messages)
{
    return firn_expect_record(user, sim, m->is_end, messages);
}

static firn_expect_recorder *run(const char *expectations, firn_scene **scene)
{
    char text[8192];
    snprintf(text, sizeof text, FALL "expect:\n%s", expectations);
    firn_messages *messages = firn_messages_create();
    *scene = firn_scene_parse(text, strlen(text), "fall.yaml", 0, NULL, messages);
    if (!*scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_sim *sim = NULL;
    firn_expect_recorder *recorder = NULL;
    const firn_scene_def *def = firn_scene_definition(*scene);
    firn_run_options options = firn_run_options_default();
    options.n_threads = 1;
    assert_int_equal(firn_sim_create(def, &options, &sim, messages), FIRN_OK);
    assert_int_equal(firn_expect_create(def, sim, &recorder, messages), FIRN_OK);
    firn_frame_plan plan = firn_frame_plan_of(def);
    firn_frame_observer observer = {.user = recorder, .output_time = output_time};
    if (firn_frame_loop(sim, &plan, &observer, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_sim_destroy(sim);
    firn_messages_destroy(messages);
    return recorder;
}

static void test_free_fall(void **state)
{
    (void)state;
    firn_scene *scene;
    /* x = x0 + v0 t, y = y0 - g t (t + dt) / 2 with the symplectic step; m = rho V of a box that
     * fits the sampling */
    firn_expect_recorder *recorder = run(
        "- {measure: mass, value: 16 kg, tolerance: 1e-5, source: rho V}\n"
        "- {measure: center, of: block, axis: x, value: 2.5 m, tolerance: 1e-5, source: v t}\n"
        "- {measure: displacement, axis: y, value: -1.22625 m, tolerance: 0.3 %, source: g t^2 / "
        "2}\n"
        "- {measure: run_out, of: jelly, axis: x, value: 150 cm, tolerance: 1e-5, source: v t}\n"
        "- {measure: mean_velocity, axis: y, time: 0.25 s, value: -2.4525 m/s, tolerance: 1e-4, "
        "source: g t}\n"
        "- {measure: momentum, axis: x, over: drift, value: 0, scale: 48, tolerance: 1e-5, source: "
        "Newton}\n"
        "- {measure: mean_velocity, axis: y, over: change, value: -4.905, tolerance: 1e-4, source: "
        "g t}\n"
        "- {measure: extent, axis: y, over: max, at_most: 20 cm, at_least: 10 cm, source: the "
        "box}\n"
        "- {measure: center, axis: x, region: {kind: half_space, center: [1, 0, 0], normal: [1, 0, "
        "0]}, value: 2.4, tolerance: 1e-3, source: the half x < 1 has its centre at 0.9}\n"
        "- {measure: front, axis: x, time: 0.05, value: 1.35, tolerance: 5 %, source: the box's "
        "end}\n"
        "- {measure: greatest_of, attribute: F, component: 0, value: 1, tolerance: 1e-4, source: "
        "no strain}\n"
        "- {measure: lost_particles, value: 0, source: nothing to fall off}\n"
        "- {measure: total_energy, over: change, value: 0, scale: 200 J, tolerance: 1 %, source: "
        "conservation}\n",
        &scene);
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    firn_expect_print(recorder, out);
    fclose(out);
    if (firn_expect_count(recorder, FIRN_EXPECT_MET) != 13) fail_msg("%s", text);
    assert_non_null(strstr(text, "met           displacement along y"));
    free(text);
    firn_expect_destroy(recorder);
    firn_scene_destroy(scene);
}

static void test_verdicts(void **state)
{
    (void)state;
    firn_scene *scene;
    firn_expect_recorder *recorder =
        run("- {measure: mass, value: 17 kg, tolerance: 1 %, source: wrong}\n"
            "- {measure: mass, at_least: 17 kg, source: wrong}\n"
            "- {measure: mass, time: 9 s, value: 16, source: later than the end}\n"
            "- {measure: center, axis: x, over: period, value: 1 s, source: never swings}\n"
            "- {measure: n_particles, value: 1, tolerance: 1e9, source: anything}\n",
            &scene);
    assert_int_equal(firn_expect_evaluate(recorder, 0).outcome, FIRN_EXPECT_MISSED);
    assert_int_equal(firn_expect_evaluate(recorder, 1).outcome, FIRN_EXPECT_MISSED);
    assert_int_equal(firn_expect_evaluate(recorder, 2).outcome, FIRN_EXPECT_UNMEASURED);
    assert_int_equal(firn_expect_evaluate(recorder, 3).outcome, FIRN_EXPECT_MISSED);
    assert_int_equal(firn_expect_evaluate(recorder, 4).outcome, FIRN_EXPECT_MET);
    assert_true(firn_expect_evaluate(recorder, 4).measured == 128); /* 4 x 2 x 2 cells of 8 */
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    firn_expect_print(recorder, out);
    fclose(out);
    assert_non_null(strstr(text, "  -             expected 16 "));
    free(text);
    firn_expect_destroy(recorder);
    firn_scene_destroy(scene);
}

static void check_refused(const char *expectation, const char *sentence)
{
    char text[4096];
    snprintf(text, sizeof text, FALL "expect: [%s]\n", expectation);
    firn_messages *messages = firn_messages_create();
    assert_null(firn_scene_parse(text, strlen(text), "s.yaml", 0, NULL, messages));
    const char *given = firn_messages_text(messages, 0, NULL);
    if (!strstr(given, sentence)) fail_msg("%s", given);
    assert_int_equal(firn_messages_total(messages), 1);
    firn_messages_destroy(messages);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("{measure: mas, value: 1, source: x}",
                  "expect.0.measure is \"mas\", which is no measure; allowed: mass,");
    check_refused(
        "{measure: mass, value: 1 m, source: x}",
        "expect.0.value is \"1 m\", but m does not convert to kg; allowed: a number in kg");
    check_refused(
        "{measure: mass, region: {kind: sphere, radius: 1}, value: 1 m, source: x}",
        "expect.0.value is \"1 m\", but m does not convert to kg; allowed: a number in kg");
    check_refused("{measure: mean_of, attribute: Jq, value: 1, source: x}",
                  "expect.0.attribute is \"Jq\", which is no attribute of this scene's particles; "
                  "allowed: P, v,");
    check_refused("{measure: mass, source: x}",
                  "expect.0.value is missing; try: value, at_least or at_most");
    check_refused("{measure: mass, value: 1}", "expect.0.source is missing");
    check_refused("{measure: mass, of: blok, value: 1, source: x}",
                  "expect.0.of is \"blok\", which is no body or material of this scene; "
                  "allowed: block, jelly; did you mean \"block\"?");
    check_refused("{measure: elastic_energy, of: block, value: 1, source: x}",
                  "expect.0.of is \"block\", which is no material of this scene; allowed: jelly");
    check_refused("{measure: reaction_force, value: 1, source: x}",
                  "expect.0.of is missing; reaction_force needs a collider or grip of this scene");
    check_refused("{measure: mean_of, value: 1, source: x}",
                  "expect.0.attribute is missing; mean_of needs one");
}

static void test_table(void **state)
{
    (void)state;
    for (int i = 0; firn_measure_at(i); i++) {
        const firn_measure *m = firn_measure_at(i);
        assert_ptr_equal(firn_measure_find(m->name), m); /* names are unique */
        int n_ways = (m->of_particle != NULL) + (m->of_ledger != NULL) + (m->of_reaction != NULL) +
                     (m->kind == FIRN_MEASURE_PROBE);
        assert_int_equal(n_ways, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall), cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
