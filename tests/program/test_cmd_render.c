/* SPDX-License-Identifier: MIT */
/* `firn render` as a user types it; the program is the first argument. What it draws is tested
 * elsewhere. */
#include "points/format.h"
#include "support/picture.h"

#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char *program; /* absolute: it is run from another folder */
static char folder[64], output[4096];

/* Six frames, numbered from 3. */
static int begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/firn-render-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    for (int frame = 3; frame < 9; frame++)
        if (!picture_write(folder, frame, picture_points(300, 0.05f))) return 1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Runs `firn render ARGUMENTS` in the folder; its words, of either stream, are in `output`. */
static int render(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && '%s' render --threads 1 %s 2>&1", folder, program,
             arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t n = fread(output, 1, sizeof output - 1, pipe);
    output[n] = 0;
    int result = pclose(pipe);
    assert_true(WIFEXITED(result));
    if (WEXITSTATUS(result) != FIRN_OK) print_message("firn render %s: %s\n", arguments, output);
    return WEXITSTATUS(result);
}

static int has(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void assert_size(const char *name, unsigned width, unsigned height)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    png_image in = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&in, path)) fail_msg("%s is no picture", name);
    assert_int_equal(in.width, width);
    assert_int_equal(in.height, height);
    png_image_free(&in);
}

static void test_frames(void **state)
{
    (void)state;
    assert_int_equal(render(". --size 64x36 --frames 4:8 --every 2 --out a"), FIRN_OK);
    assert_string_equal(output, "a/cube.0004.png\na/cube.0006.png\na/cube.0008.png\n");
    assert_size("a/cube.0006.png", 64, 36);
    assert_int_equal(render(". --preview --frames 8: -a v --map ember --range 0:1"), FIRN_OK);
    assert_string_equal(output, "./pictures/cube.0008.png\n");
    assert_size("pictures/cube.0008.png", 640, 360);
    assert_int_equal(render("cube.0005.bgeo cube.0003.bgeo --size 32x32 --out b"), FIRN_OK);
    assert_string_equal(output, "b/cube.0005.png\nb/cube.0003.png\n");
}

static void test_sheet_turntable_and_pairs(void **state)
{
    (void)state;
    assert_int_equal(render(". --size 200x120 --sheet 4 --out sheet.png"), FIRN_OK);
    assert_size("sheet.png", 200, 120);
    assert_int_equal(render(". --size 64x36 --turntable 3 --frames 5 --out turn"), FIRN_OK);
    assert_string_equal(
        output, "turn/cube.turn.0000.png\nturn/cube.turn.0001.png\nturn/cube.turn.0002.png\n");
    assert_int_equal(render(". . --size 130x40 --frames 5 --out pair.png"), FIRN_OK);
    assert_size("pair.png", 130, 40);
}

/* A scene without a run: its picture, and what does not apply to it. */
static void test_scene(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/still.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(
        "scene: {name: still}\ngrid: {dx: 20 cm}\nmaterials: {a: {law: neo_hookean}}\nbodies: {x: "
        "{material: a, shape: {kind: sphere, radius: 1}}}\ncolliders: {pole: {shape: {kind: box, "
        "center: [2, 0, 0], size: [1, 1, 1]}}}\n",
        file);
    fclose(file);
    assert_int_equal(render("still.yaml --size 160x90 --at 0.5 --set grid.dx=25cm"), FIRN_OK);
    assert_true(has("still.png"));
    assert_int_equal(render("still.yaml --size 160x90 -o pictures2"), FIRN_OK);
    assert_true(has("pictures2/still.png"));
    assert_int_equal(render("still.yaml --sheet 3"), FIRN_USAGE);
    assert_non_null(strstr(output, "--sheet: for shots only; try: firn run still.yaml first"));
    assert_int_equal(render(". --at 1"), FIRN_USAGE);
    assert_non_null(strstr(output, "--at: for scenes only"));
    assert_int_equal(render(". --layers"), FIRN_USAGE);
    assert_non_null(strstr(output, "--layers: for surfaces only; try: with --surface"));
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        int status;
        const char *words;
    } cases[] = {
        {"", FIRN_USAGE, "SHOT"},
        {"nowhere", FIRN_IO, "nowhere: no such file or folder"},
        {". --frames 40:", FIRN_REFUSED,
         ".: none of the frames that are asked for; allowed: 3 to 8"},
        {". --size 3x", FIRN_USAGE, "--size: '3x' is not 2 numbers separated by 'x'"},
        {". --size 9x0", FIRN_REFUSED, "9 x 0"},
        {". -a mood", FIRN_REFUSED,
         "attribute: not in this cache (mood); allowed: P v pscale material"},
        {". --range 2:1 -a v", FIRN_REFUSED, "2 to 1"},
        {". --target 1,2", FIRN_USAGE, "--target: '1,2' is not 3 numbers separated by ','"},
        {". --ground low", FIRN_USAGE,
         "--ground: unknown 'low'; allowed: a height in m, auto, none"},
        {". cube.0003.bgeo", FIRN_USAGE, "arguments: folders and files mixed; allowed: "},
        {". --out one.png", FIRN_USAGE,
         "--out one.png: one file for 6 pictures; try: a folder, or --frames"},
        {". --film film.avi", FIRN_REFUSED, "allowed: .mp4 .webm"},
        {". --out /proc/nothing", FIRN_IO, "/proc/nothing"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int status = render(cases[k].arguments);
        if (status != cases[k].status || !strstr(output, cases[k].words))
            fail_msg("render %s: exit %d, '%s'", cases[k].arguments, status, output);
    }
    assert_false(has("one.png") || has("film.avi"));
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    program = realpath(argv[1], NULL);
    if (!program) return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames), cmocka_unit_test(test_sheet_turntable_and_pairs),
        cmocka_unit_test(test_scene), cmocka_unit_test(test_refusals)};
    int failed = cmocka_run_group_tests(tests, begin, end);
    free(program);
    return failed;
}
