/* SPDX-License-Identifier: MIT */
/* Nothing is done twice before the first step: whichever way a simulation is made, a scene is
 * checked once, each material resolved once, each shape and file of points read once, the scene
 * written once. The linker sends the calls of these functions through the counters below
 * (tests/meson.build). */
#include "geometry/shape.h"
#include "points/format.h"
#include "scene/scene.h"
#include "scene/scene_check.h"
#include "session/preflight.h"
#include "session/run_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/scratch.h"

static struct {
    int checks, materials, shapes, points, writes;
} n;

/* clang-format off */
#define COUNTED(counter, name, parameters, ...) \
    firn_status __real_##name parameters; \
    firn_status __wrap_##name parameters; \
    firn_status __wrap_##name parameters { n.counter++; return __real_##name(__VA_ARGS__); }
/* clang-format on */

COUNTED(checks, firn_scene_check, (const firn_scene_def *scene, firn_messages *messages), scene,
        messages)
COUNTED(checks, firn_scene_check_located,
        (const firn_scene_def *scene, firn_scene_locate locate, void *user,
         firn_material *materials, firn_messages *messages),
        scene, locate, user, materials, messages)
COUNTED(materials, firn_material_resolve,
        (const firn_material_def *def, uint64_t seed, firn_material *material,
         firn_messages *messages),
        def, seed, material, messages)
COUNTED(shapes, firn_shape_create,
        (int n_shapes, const firn_shape_def *shapes, firn_shape_need need, firn_shape **shape,
         firn_messages *messages),
        n_shapes, shapes, need, shape, messages)
COUNTED(points, firn_format_read_within,
        (const char *path, uint64_t n_bytes, firn_points **points, firn_messages *messages), path,
        n_bytes, points, messages)
COUNTED(writes, firn_scene_write,
        (const firn_scene_def *def, firn_text *json, uint64_t *hash, firn_messages *messages), def,
        json, hash, messages)

/* Two materials; seven shapes: two bodies, emitter, collider, grip, sink, region; one file. */
static const char scene_text[] =
    "scene: {name: once, frames: 1, fps: 1000}\n"
    "grid: {dx: 10 cm}\n"
    "materials:\n"
    "  jelly: {law: neo_hookean, E: 10 kPa, nu: 0.3, rho: 1000}\n"
    "  grains: {preset: dry_sand}\n"
    "bodies:\n"
    "  ball: {material: jelly, shape: {kind: sphere, radius: 20 cm}}\n"
    "  block: {material: grains, shape: {kind: box, center: [1, 0, 0], size: [0.3, 0.3, 0.3]}}\n"
    "  dots: {material: jelly, points: dots.ply}\n"
    "emitters: {tap: {material: grains, rate: 10, shape: {kind: box, center: [2, 0, 0], "
    "size: [0.3, 0.3, 0.3]}}}\n"
    "colliders: {post: {shape: {kind: sphere, center: [0, -1, 0], radius: 20 cm}}}\n"
    "grips: {hold: {body: ball, shape: {kind: sphere, radius: 10 cm}}}\n"
    "sinks: {drain: {shape: {kind: plane, center: [0, -2, 0]}}}\n"
    "expect: [{measure: mass, at_least: 0 kg, source: none, region: {kind: sphere, radius: 1 "
    "m}}]\n";

static char path[512];

static void write_scene(void)
{
    static const char dots[] = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                               "property float y\nproperty float z\nend_header\n0 1 0\n";
    scratch_store(scratch("dots.ply"), dots, strlen(dots));
    snprintf(path, sizeof path, "%s", scratch("once.yaml"));
    scratch_store(path, scene_text, strlen(scene_text));
    memset(&n, 0, sizeof n);
}

static void expect_counts(int checks, int shapes, int points, int writes)
{
    assert_int_equal(n.checks, checks);
    assert_int_equal(n.materials, 2 * checks);
    assert_int_equal(n.shapes, shapes);
    assert_int_equal(n.points, points);
    assert_int_equal(n.writes, writes);
}

/* ---------------------------------------------------------------- the program */

static void say(firn_level level, const char *text)
{
    if (level == FIRN_ERROR) fail_msg("%s", text);
}

static void report(const firn_messages *messages)
{
    for (int i = 0; i < firn_messages_total(messages); i++) {
        firn_level level;
        const char *text = firn_messages_text(messages, i, &level);
        say(level, text);
    }
}

static const firn_voice voice = {say, report};

static firn_session_options quiet(void)
{
    firn_session_options options = firn_session_options_default();
    options.voice = &voice;
    options.is_quiet = 1;
    options.run.n_threads = 1;
    return options;
}

static void run_and_resume(void **state)
{
    (void)state;
    char folder[512];
    snprintf(folder, sizeof folder, "%s", scratch("shot"));
    for (int has_preview = 0; has_preview < 2; has_preview++) {
        firn_session_options options = quiet();
        options.out = folder;
        options.overwrite = 1;
        options.has_live_preview = has_preview;
        write_scene();
        assert_int_equal(firn_session_run(path, &options), FIRN_OK);
        expect_counts(1, 7, 1, 1);
    }
    firn_session_options options = quiet();
    options.has_frames = 1;
    options.last_frame = 2;
    memset(&n, 0, sizeof n);
    assert_int_equal(firn_session_resume(folder, &options), FIRN_OK);
    expect_counts(1, 6, 1, 1); /* without the region: its particles are chosen at the start */
    /* an edited scene is compared with the one before: each is checked and written once */
    static const char *const sets[] = {"time.cfl=0.3"};
    options.n_sets = 1;
    options.sets = sets;
    options.last_frame = 3;
    memset(&n, 0, sizeof n);
    assert_int_equal(firn_session_resume(folder, &options), FIRN_OK);
    expect_counts(2, 6, 1, 2);
}

static void preflight(void **state)
{
    (void)state;
    firn_check check;
    firn_run_options options = firn_run_options_default();
    write_scene();
    firn_scene *scene = firn_scene_load(path, 0, NULL, NULL);
    assert_non_null(scene);
    assert_int_equal(
        firn_check_scene(firn_scene_definition(scene), &options, "", 0.01, 1, &check, NULL),
        FIRN_OK);
    firn_check_clear(&check);
    firn_scene_destroy(scene);
    expect_counts(1, 6, 1, 0); /* without the region, which only a run measures */
}

/* ---------------------------------------------------------------- the library */

static void loaded_scene(void **state)
{
    (void)state;
    firn_sim *sim = NULL;
    write_scene();
    firn_scene *scene = firn_scene_load(path, 0, NULL, NULL);
    assert_non_null(scene);
    assert_int_equal(firn_sim_create(firn_scene_definition(scene), NULL, &sim, NULL), FIRN_OK);
    firn_sim_destroy(sim);
    expect_counts(1, 6, 1, 0);

    /* a copy may have been changed, so it is checked */
    firn_scene_def changed = *firn_scene_definition(scene);
    changed.grid.dx = -1;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_sim_create(&changed, NULL, &sim, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "grid.dx is -1"));
    firn_messages_destroy(messages);
    changed.grid.dx = 0.1;
    memset(&n, 0, sizeof n);
    assert_int_equal(firn_sim_create(&changed, NULL, &sim, NULL), FIRN_OK);
    firn_sim_destroy(sim);
    expect_counts(1, 6, 1, 0);
    firn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_and_resume),
        cmocka_unit_test(preflight),
        cmocka_unit_test(loaded_scene),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
