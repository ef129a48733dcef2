/* SPDX-License-Identifier: MIT */
/* preview.png beside a run: the first and the last frame are painted, whatever came between; the
 * thread rests as long as it says, and a folder that cannot be written into is a warning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "plot/image.h"
#include "session/live_preview.h"
#include "support/scratch.h"

static firn_sim *make(firn_scene_def *scene)
{
    static firn_material_def material;
    static firn_shape_def ball;
    static firn_body_def body;
    *scene = firn_scene_default();
    material = firn_material_default();
    ball = firn_shape_default();
    body = firn_body_default();
    strcpy(material.name, "stuff");
    strcpy(material.law, "neo_hookean");
    strcpy(ball.kind, "sphere");
    ball.radius = 0.3;
    strcpy(body.name, "ball");
    strcpy(body.material, "stuff");
    body.n_shapes = 1;
    body.shapes = &ball;
    scene->grid.dx = 0.1;
    scene->n_materials = scene->n_bodies = 1;
    scene->materials = &material;
    scene->bodies = &body;
    firn_run_options options = firn_run_options_default();
    options.n_threads = 1;
    firn_sim *sim = NULL;
    assert_int_equal(firn_sim_create(scene, &options, &sim, NULL), FIRN_OK);
    return sim;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Which file it is: every picture is a new one. 0: there is none. */
static ino_t picture(void)
{
    struct stat info;
    return stat(scratch("preview.png"), &info) ? 0 : info.st_ino;
}

static void paints_first_and_last_and_rests_between(void **state)
{
    (void)state;
    firn_scene_def scene;
    firn_sim *sim = make(&scene);
    firn_live_preview *painter;
    firn_messages *messages = firn_messages_create();
    const struct timespec nap = {0, 1000000};
    char folder[512];
    snprintf(folder, sizeof folder, "%s", scratch("."));
    assert_int_equal(firn_live_preview_create(folder, &scene, sim, &painter, messages), FIRN_OK);
    double began = now();
    for (int frame = 0; !picture(); frame++) {
        assert_int_equal(firn_live_preview_offer(painter, sim, frame, 0, messages), FIRN_OK);
        nanosleep(&nap, NULL);
    }
    /* without a rest there would be another one soon */
    double took = now() - began;
    ino_t first = picture();
    for (began = now(); now() < began + 4 * took;) {
        assert_int_equal(firn_live_preview_offer(painter, sim, 1234, 0, messages), FIRN_OK);
        nanosleep(&nap, NULL);
    }
    assert_true(picture() == first);
    assert_int_equal(firn_live_preview_offer(painter, sim, 4321, 1, messages), FIRN_OK);
    firn_live_preview_destroy(painter, messages);
    assert_true(picture() != 0 && picture() != first); /* the last frame, resting or not */
    assert_int_equal(firn_messages_total(messages), 0);
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

static void a_folder_that_went_is_a_warning(void **state)
{
    (void)state;
    firn_scene_def scene;
    firn_sim *sim = make(&scene);
    firn_live_preview *painter;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(
        firn_live_preview_create(scratch("no/such/folder"), &scene, sim, &painter, messages),
        FIRN_OK);
    assert_int_equal(firn_live_preview_offer(painter, sim, 0, 0, messages), FIRN_OK);
    assert_int_equal(firn_live_preview_offer(painter, sim, 1, 1, messages), FIRN_OK);
    firn_live_preview_destroy(painter, messages);
    assert_int_equal(firn_messages_count(messages, FIRN_ERROR), 0);
    assert_int_equal(firn_messages_total(messages), 1);
    assert_true(scratch_says(messages, "preview.png: not every picture was written"));
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paints_first_and_last_and_rests_between),
                                       cmocka_unit_test(a_folder_that_went_is_a_warning)};
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
