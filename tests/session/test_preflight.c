/* SPDX-License-Identifier: MIT */
/* The pre-flight: counts from volumes and from the simulation agree, and what cannot fit is
 * refused before it is made. */
#include "session/preflight.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REST                                                                                       \
    "scene: {frames: 10, fps: 100}\n"                                                              \
    "outputs: [{format: bgeo, attributes: [P]}]\n"                                                 \
    "checkpoints: {every_seconds: 0}\n"
#define JELLY "materials: {jelly: {law: neo_hookean, E: 10 kPa, nu: 0.2, rho: 1000}}\n"

static firn_status check(const char *more, size_t max_memory, double seconds, firn_check *result,
                         firn_messages *messages)
{
    char text[2048];
    snprintf(text, sizeof text, REST "%s%s", strstr(more, "materials:") ? "" : JELLY, more);
    firn_scene *scene = firn_scene_parse(text, strlen(text), "s.yaml", 0, NULL, messages);
    if (!scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_run_options options = firn_run_options_default();
    options.n_threads = 1;
    options.max_memory = max_memory;
    firn_status status = firn_check_scene(firn_scene_definition(scene), &options, "no/such/folder",
                                          seconds, 1, result, messages);
    firn_scene_destroy(scene);
    return status;
}

static void test_counts_and_cost(void **state)
{
    (void)state;
    firn_check c;
    firn_messages *messages = firn_messages_create();
    const char *two =
        "grid: {dx: 5 cm}\nbodies:\n"
        "  a: {material: jelly, sampling: regular, shape: {kind: box, size: [0.4, 0.4, 0.4]}}\n"
        "  b: {material: jelly, shape: {kind: sphere, center: [2, 0, 0], radius: 0.2}}\n";
    assert_int_equal(check(two, 0, 0.01, &c, messages), FIRN_OK);
    assert_int_equal(c.n_bodies, 2);
    assert_int_equal(c.bodies[0].n_particles, 4096); /* 8 x 8 x 8 cells of 8 */
    assert_int_equal(c.bodies[0].n_particles + c.bodies[1].n_particles, c.n_particles);
    /* 4/3 pi r^3 / (dx^3 / 8) = 2145 */
    assert_in_range(c.bodies[1].n_expected, 2145 - 45, 2145 + 45);
    assert_in_range(c.bodies[1].n_particles, 2145 - 100, 2145 + 100);
    assert_int_equal(c.n_files, 11);
    assert_true(c.disk_needed >= 11 * 12.0 * (double)c.n_particles && c.disk_free > 0);
    assert_true(c.is_measured && c.dt > 0 && c.eta > 0 && c.memory_peak > 0);
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    firn_check_print(&c, out);
    fclose(out);
    assert_non_null(strstr(text, ": a 4096, b "));
    assert_non_null(strstr(text, "limited by "));
    free(text);
    firn_check_clear(&c);
    firn_messages_destroy(messages);
}

/* Liquids and doughs show their viscosity, solids none; a press by nodes on few cells is named, with
 * the way out, and is not where it touches by particles, stands or the body is thick. */
static void test_flow_and_contact(void **state)
{
    (void)state;
    static const char *const presses[] = {"contact: separate, motion: {velocity: [0, -1, 0]}",
                                          "contact: separate, touch: particles, motion: "
                                          "{velocity: [0, -1, 0]}",
                                          "contact: separate",
                                          "contact: slip, motion: "
                                          "{velocity: [0, -1, 0]}"};
    firn_check c;
    firn_messages *messages = firn_messages_create();
    for (int i = 0; i < 4; i++) {
        char scene[1024];
        snprintf(
            scene, sizeof scene,
            "grid: {dx: 5 cm}\nmaterials: {oil: {law: liquid, viscosity: 3, c: 20}, dough: {law: "
            "dough, preset: pizza_dough}}\nbodies:\n  a: {material: dough, shape: {kind: box, "
            "size: [0.4, 0.4, 0.4]}}\ncolliders:\n  press: {shape: {kind: plane, center: [0, "
            "0.3, 0], normal: [0, -1, 0]}, %s}\n",
            presses[i]);
        assert_int_equal(check(scene, 0, 0, &c, messages), FIRN_OK);
        const char *said =
            firn_messages_total(messages) ? firn_messages_text(messages, 0, NULL) : "";
        assert_int_equal(strstr(said, "colliders.press: contact by nodes begins") != NULL, i == 0);
        firn_messages_clear(messages);
        /* 3 Pa s at every rate; 2395 g^.34 Pa of the dough within 5 % */
        double at[3];
        assert_non_null(
            strstr(c.flow, "oil: viscosity 3 Pa s at 1/s, 3 Pa s at 10/s, 3 Pa s at 100"));
        const char *dough = strstr(c.flow, "dough: viscosity");
        assert_non_null(dough);
        assert_int_equal(sscanf(dough, "dough: viscosity %lf Pa s at 1/s, %lf Pa s at 10/s, %lf",
                                at, at + 1, at + 2),
                         3);
        assert_true(fabs(at[1] / (2395 * pow(10, -0.66)) - 1) < 0.07);
        assert_true(fabs(at[2] / (2395 * pow(100, -0.66)) - 1) < 0.07);
        firn_check_clear(&c);
    }
    assert_int_equal(
        check("grid: {dx: 1 cm}\nbodies:\n  a: {material: jelly, shape: {kind: box, size: "
              "[0.1, 0.1, 0.1]}}\n",
              0, 0, &c, messages),
        FIRN_OK);
    assert_string_equal(c.flow, "");
    firn_check_clear(&c);
    firn_messages_destroy(messages);
}

/* A body of two cells is warned of, one of four is not; a disk without room is asked before anything is
 * built, at the price of files a frame and a particle. What is struck hardens: fast snow takes more
 * steps later than now, in the preset of the paper more than in the one for use. */
static void test_thin_and_struck(void **state)
{
    (void)state;
    firn_check c;
    firn_messages *messages = firn_messages_create();
    for (int cells = 2; cells <= 4; cells += 2) {
        char scene[512];
        snprintf(
            scene, sizeof scene,
            "grid: {dx: 5 cm}\nbodies: {a: {material: jelly, shape: {kind: box, size: [0.4, %g, "
            "0.4]}}}\n",
            0.05 * cells);
        assert_int_equal(check(scene, 0, 0, &c, messages), FIRN_OK);
        const char *said =
            firn_messages_total(messages) ? firn_messages_text(messages, 0, NULL) : "";
        assert_int_equal(strstr(said, "body 'a': only 2 cells thick") != NULL, cells == 2);
        firn_check_clear(&c);
        firn_messages_clear(messages);
    }
    double most[2];
    for (int i = 0; i < 2; i++) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 "grid: {dx: 5 cm}\nmaterials: {snow: {preset: %s}}\nbodies: {a: {material: snow, "
                 "velocity: [0, -20, 0], shape: {kind: box, size: [0.4, 0.4, 0.4]}}}\n",
                 i ? "snow_2013" : "packed_snow");
        assert_int_equal(check(scene, 0, 0.001, &c, messages), FIRN_OK);
        assert_string_equal(c.hardened, "snow");
        assert_true(c.hardening > (i ? 5 : 3) && (i || c.hardening < 3.4));
        most[i] = c.steps_most;
        firn_check_clear(&c);
        firn_messages_clear(messages);
    }
    assert_true(most[1] > 1.3 * most[0]);
    firn_messages_destroy(messages);
}

static void test_too_large_is_refused(void **state)
{
    (void)state;
    firn_check c;
    firn_messages *messages = firn_messages_create();
    const char *huge = "grid: {dx: 0.1 mm}\n"
                       "bodies: {a: {material: jelly, shape: {kind: box, size: [1, 1, 1]}}}\n";
    assert_int_equal(check(huge, 0, 1, &c, messages),
                     FIRN_MEMORY); /* 8e12 particles: refused without making one */
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL),
                           "memory: too little for about 8e+06 M particles"));
    firn_check_clear(&c);
    firn_messages_clear(messages);
    const char *small =
        "grid: {dx: 1 cm}\n"
        "bodies: {a: {material: jelly, shape: {kind: box, size: [0.5, 0.5, 0.5]}}}\n";
    assert_int_equal(check(small, 100 << 20, 1, &c, messages),
                     FIRN_MEMORY); /* a million particles in 100 MiB */
    firn_check_clear(&c);
    firn_messages_clear(messages);
    const char *unbounded =
        "grid: {dx: 1 cm}\nbodies: {a: {material: jelly, shape: {kind: half_space}}}\n";
    assert_int_equal(check(unbounded, 0, 1, &c, messages), FIRN_REFUSED);
    assert_string_equal(firn_messages_text(messages, 0, NULL),
                        "bodies.a.shape: unbounded, so it cannot be filled");
    firn_check_clear(&c);
    firn_messages_clear(messages);
    const char *empty =
        "grid: {dx: 1 m}\nbodies: {a: {material: jelly, shape: {kind: sphere, radius: 1e-9}}}\n";
    assert_true(check(empty, 0, 1, &c, messages) == FIRN_REFUSED);
    firn_check_clear(&c);
    firn_messages_destroy(messages);
}

/* What emitters add counts: at a rate to the particle, by filling to some per cent, none beyond
 * max_particles. */
static void test_emitted(void **state)
{
    (void)state;
    firn_check c;
    firn_messages *messages = firn_messages_create();
#define BOX "material: jelly, shape: {kind: box, size: [0.4, 0.4, 0.4]}"
    const char *taps =
        "grid: {dx: 5 cm}\nemitters:\n"
        "  a: {" BOX ", rate: 100000, stop: 50 ms}\n  b: {" BOX ", velocity: [1, 0, 0]}\n"
        "  c: {" BOX ", rate: 100000, max_particles: 700}\n"
        "  d: {" BOX ", from: surface, velocity: [0, 1, 0]}\n";
    assert_int_equal(check(taps, 0, 0, &c, messages), FIRN_OK);
    assert_int_equal(firn_forecast_count(&c.emitters[0], 0.1), 5000);
    assert_in_range(firn_forecast_count(&c.emitters[1], 0.1), 5120 * 0.97, 5120 * 1.03);
    assert_int_equal(firn_forecast_count(&c.emitters[2], 0.1), 700);
    assert_in_range(firn_forecast_count(&c.emitters[3], 0.1), 1024 * 0.97, 1024 * 1.03);
    assert_true(c.n_emitted > 11000 && c.memory_expected >= 200.0 * (double)c.n_emitted);
    assert_true(c.disk_needed > 5 * 12.0 * (double)c.n_emitted);
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    firn_check_print(&c, out);
    fclose(out);
    assert_non_null(strstr(text, "until the end, without sinks: a 5000, b about "));
    free(text);
    firn_check_clear(&c);
    firn_messages_clear(messages);
    const char *flood = "grid: {dx: 5 cm}\nemitters: {a: {" BOX ", rate: 1e8}}\n";
    assert_int_equal(check(flood, 100 << 20, 0, &c, messages), FIRN_MEMORY);
    firn_check_clear(&c);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_and_cost), cmocka_unit_test(test_flow_and_contact),
        cmocka_unit_test(test_thin_and_struck), cmocka_unit_test(test_too_large_is_refused),
        cmocka_unit_test(test_emitted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
