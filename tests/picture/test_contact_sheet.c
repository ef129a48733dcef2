/* SPDX-License-Identifier: MIT */
/* Panels, captions from caches, the bounds of shots, preview.png and films. */
#include "picture/video.h"
#include "points/format.h"
#include "picture/contact_sheet.h"
#include "support/picture.h"
#include "picture/preview.h"
#include "support/skip.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

/* Frames 0, 5, 10 of a cube of particles that moves along x, at 25 frames a second. */
static int begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/firn-gallery-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    for (int frame = 0; frame <= 10; frame += 5) {
        firn_points *points = picture_points(500, 0.04f);
        for (int k = 0; k < 500; k++)
            firn_points_find(points, "P")->data.f[3 * k] += 0.1f * (float)frame;
        firn_points_add_detail(points, "time", FIRN_ATTRIBUTE_FLOAT, 1)->data.f[0] =
            (float)frame / 25.0f;
        if (!picture_write(folder, frame, points)) return 1;
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    char path[128];
    for (int frame = 0; frame <= 10; frame += 5) {
        snprintf(path, sizeof path, "%s/cube.%04d.bgeo", folder, frame);
        unlink(path);
    }
    return rmdir(folder);
}

static void test_survey_and_panels(void **state)
{
    (void)state;
    firn_cache_sequence shots[2];
    for (int k = 0; k < 2; k++)
        assert_int_equal(firn_cache_sequence_open(folder, &shots[k], NULL), FIRN_OK);
    firn_view_bounds bounds = firn_view_bounds_default();
    double fps;
    assert_int_equal(firn_contact_sheet_bounds(2, shots, "v", &bounds, &fps, NULL), FIRN_OK);
    assert_true(fabs(fps - 5) < 1e-3); /* frames 0, 5 and 10 at 25 a second: two steps in 0.4 s */
    assert_true(bounds.min[0] < -0.48 &&
                bounds.max[0] > 1.45); /* from the first frame to the last */
    firn_render_def def = firn_render_default();
    def.width = 202;
    def.height = 102;
    def.n_threads = 1;
    def.has_legend = 0;
    def.engine = FIRN_ENGINE_SPLAT;
    firn_contact_sheet_panel panels[4];
    for (int k = 0; k < 4; k++)
        panels[k] = (firn_contact_sheet_panel){&shots[0].frames[k % 3], NULL};
    firn_image *image, *single;
    assert_int_equal(firn_contact_sheet_draw(4, panels, 2, &bounds, &def, 0, &image, NULL),
                     FIRN_OK);
    assert_int_equal(image->width, 202);
    /* Each panel is the picture that it would be alone, at its size; panels 0 and 3 show the
     * same frame. */
    def.width = 100;
    def.height = 50;
    assert_int_equal(firn_contact_sheet_draw(1, panels, 1, &bounds, &def, 0, &single, NULL),
                     FIRN_OK);
    for (int j = 0; j < 50; j++) {
        assert_memory_equal(image->rgb + 3 * 202 * j, single->rgb + 3 * 100 * j, 300);
        assert_memory_equal(image->rgb + 3 * (202 * (j + 52) + 102), single->rgb + 3 * 100 * j,
                            300);
    }
    firn_image_destroy(image);
    firn_image_destroy(single);
    /* A caption is drawn where it is wanted. */
    def.width = 320;
    def.height = 180;
    assert_int_equal(firn_contact_sheet_draw(1, panels, 1, &bounds, &def, 0, &single, NULL),
                     FIRN_OK);
    assert_int_equal(firn_contact_sheet_draw(1, panels, 1, &bounds, &def, 1, &image, NULL),
                     FIRN_OK);
    assert_true(memcmp(image->rgb, single->rgb, 3 * 320 * 60) != 0);
    assert_memory_equal(image->rgb + 3 * 320 * 60, single->rgb + 3 * 320 * 60, 3 * 320 * 120);
    firn_image_destroy(image);
    firn_image_destroy(single);
    firn_messages *messages = firn_messages_create();
    def.width = 20;
    assert_int_equal(firn_contact_sheet_draw(4, panels, 4, &bounds, &def, 0, &image, messages),
                     FIRN_REFUSED);
    assert_int_equal(firn_contact_sheet_bounds(2, shots, "nothing", &bounds, &fps, messages),
                     FIRN_REFUSED);
    firn_messages_destroy(messages);
    firn_cache_sequence_clear(&shots[0]);
    firn_cache_sequence_clear(&shots[1]);
}

/* The picture is there, a second one replaces it, and nothing else is left in the folder. */
static void test_preview(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/preview.png", folder);
    firn_preview preview = firn_preview_default((double[3]){0, 0, -9.81}, 1);
    assert_true(preview.bounds.is_z_up);
    preview = firn_preview_default((double[3]){0, -9.81, 0}, 1);
    assert_false(preview.bounds.is_z_up);
    firn_points *points = picture_points(500, 0.04f);
    assert_int_equal(firn_preview_write(&preview, points, folder, "first", NULL), FIRN_OK);
    assert_int_equal(firn_preview_write(&preview, points, folder, "second", NULL), FIRN_OK);
    assert_int_equal(unlink(path), 0);
    firn_messages *messages = firn_messages_create();
    assert_int_equal(symlink("/nonexistent", path), 0); /* leads out of the folder */
    assert_int_equal(firn_preview_write(&preview, points, folder, "", messages), FIRN_REFUSED);
    assert_int_equal(unlink(path), 0);
    firn_messages_clear(messages);
    assert_int_equal(firn_preview_write(&preview, points, "/nonexistent", "", messages), FIRN_IO);
    assert_int_equal(firn_messages_count(messages, FIRN_ERROR), 1);
    firn_messages_destroy(messages);
    firn_points_destroy(points);
}

static void test_film_refusals(void **state)
{
    (void)state;
    firn_video *film;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_video_create("a.avi", 24, &film, messages), FIRN_REFUSED);
    assert_int_equal(firn_video_create("a.mp4", 0, &film, messages), FIRN_REFUSED);
    assert_int_equal(firn_video_create("/nonexistent/a.mp4", 24, &film, messages), FIRN_IO);
    /* No ffmpeg on the search path: a sentence that says what to do, and no file. */
    char path[128], *search = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s/film.mp4", folder);
    firn_image *image = firn_image_create(32, 32);
    setenv("PATH", folder, 1);
    firn_messages_clear(messages);
    assert_int_equal(firn_video_create(path, 24, &film, messages), FIRN_OK);
    assert_int_equal(firn_video_add(film, image, messages), FIRN_IO);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "apt install ffmpeg"));
    firn_video_abandon(film);
    /* An ffmpeg that dies at once: no signal ends this program, the sentence has its words. */
    char program[128];
    snprintf(program, sizeof program, "%s/ffmpeg", folder);
    FILE *script = fopen(program, "w");
    fputs("#!/bin/sh\necho 'no such codec' >&2\nexit 3\n", script);
    fclose(script);
    assert_int_equal(chmod(program, 0755), 0);
    firn_messages_clear(messages);
    assert_int_equal(firn_video_create(path, 24, &film, messages), FIRN_OK);
    firn_status status = FIRN_OK;
    for (int k = 0; k < 200 && status == FIRN_OK; k++)
        status = firn_video_add(film, image, messages);
    status =
        status == FIRN_OK ? firn_video_commit(film, messages) : (firn_video_abandon(film), status);
    assert_int_equal(status, FIRN_IO);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "ffmpeg failed"));
    setenv("PATH", search, 1);
    free(search);
    assert_int_equal(unlink(program), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    firn_image_destroy(image);
    firn_messages_destroy(messages);
}

/* ffmpeg itself reads the film back: so many pictures, of even size, and the colour in the
 * middle within a few steps. */
static void test_film(void **state)
{
    (void)state;
    if (system("ffmpeg -version > /dev/null 2>&1") != 0) SKIP("ffmpeg is not installed");
    static const char *const names[] = {"a film: 1.mp4", "b.webm"};
    for (int f = 0; f < 2; f++) {
        char path[128], command[512];
        snprintf(path, sizeof path, "%s/%s", folder, names[f]);
        firn_video *film;
        assert_int_equal(firn_video_create(path, 25, &film, NULL), FIRN_OK);
        firn_image *image = firn_image_create(65, 33);
        firn_image_fill(image, firn_color_hex(0xc08040));
        for (int k = 0; k < 5; k++) assert_int_equal(firn_video_add(film, image, NULL), FIRN_OK);
        firn_image *other = firn_image_create(64, 33);
        assert_int_equal(firn_video_add(film, other, NULL), FIRN_USAGE);
        assert_int_equal(firn_video_commit(film, NULL), FIRN_OK);
        firn_image_destroy(image);
        firn_image_destroy(other);
        snprintf(command, sizeof command,
                 "ffmpeg -v error -i 'file:%s' -f rawvideo -pix_fmt rgb24 -", path);
        FILE *pipe = popen(command, "r");
        static uint8_t rgb[66 * 34 * 3 * 8];
        size_t n = fread(rgb, 1, sizeof rgb, pipe);
        assert_int_equal(pclose(pipe), 0);
        assert_int_equal(n, 66 * 34 * 3 * 5);
        const uint8_t *p = rgb + 3 * (66 * 16 + 30);
        assert_in_range(p[0], 0xc0 - 4, 0xc0 + 4);
        assert_in_range(p[1], 0x80 - 4, 0x80 + 4);
        assert_in_range(p[2], 0x40 - 4, 0x40 + 4);
        assert_int_equal(unlink(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_survey_and_panels), cmocka_unit_test(test_preview),
        cmocka_unit_test(test_film_refusals), cmocka_unit_test(test_film)};
    return cmocka_run_group_tests(tests, begin, end);
}
