/* SPDX-License-Identifier: MIT */
/* The files of a scene: each name once, each file of a sequence, what they hold, and what became
 * of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "scene/scene_files.h"
#include "support/scratch.h"

static void store(const char *name, const char *text)
{
    scratch_store(scratch(name), text, strlen(text));
}

/* A body of points, two colliders of one sequence and a sink of a single file. */
static firn_json *look(firn_json_writer *writer)
{
    static firn_body_def body;
    static firn_shape_def shapes[2];
    static firn_collider_def colliders[2];
    static firn_sink_def sink;
    snprintf(body.points, sizeof body.points, "%s", scratch("grains.ply"));
    snprintf(shapes[0].file, sizeof shapes[0].file, "%s", scratch("walk.%d.obj"));
    snprintf(shapes[1].file, sizeof shapes[1].file, "%s", scratch("hole.vdb"));
    for (int i = 0; i < 2; i++) {
        colliders[i].n_shapes = 1;
        colliders[i].shapes = &shapes[0];
    }
    sink.n_shapes = 1;
    sink.shapes = &shapes[1];
    firn_scene_def scene = {.n_bodies = 1,
                            .bodies = &body,
                            .n_colliders = 2,
                            .colliders = colliders,
                            .n_sinks = 1,
                            .sinks = &sink};
    size_t n;
    firn_json_init(writer, 0);
    assert_int_equal(firn_scene_files_write(&scene, writer, NULL), FIRN_OK);
    const char *text = firn_json_finish(writer, &n);
    assert_non_null(text);
    firn_json *json = firn_json_parse(text, n, "inputs", NULL);
    assert_non_null(json);
    return json;
}

static void lists_each_file_once(void **state)
{
    (void)state;
    firn_json_writer writer;
    store("grains.ply", "ply");
    store("hole.vdb", "");
    for (int k = 8; k < 13; k++) {
        char name[32];
        snprintf(name, sizeof name, "walk.%d.obj", k);
        store(name, "v 0 0 0\n");
    }
    firn_json *json = look(&writer);
    const firn_json_node *names = firn_json_root(json), *walk = names->first->next;
    assert_int_equal(names->n_items, 3);
    assert_string_equal(firn_json_string_of(walk, "name", ""), scratch("walk.%d.obj"));
    const firn_json_node *files = firn_json_member(walk, "files");
    assert_int_equal(files->n_items, 5);
    assert_string_equal(firn_json_string_of(files->first, "file", ""), scratch("walk.8.obj"));
    uint64_t sum;
    const firn_json_node *grains = firn_json_member(names->first, "files")->first;
    assert_true(firn_json_hex_of(grains, "checksum", &sum) &&
                firn_json_number_of(grains, "bytes", 0) == 3);
    firn_json_destroy(json);
    firn_json_clear(&writer);
}

/* Numbers without leading zeros: walk.9 comes before walk.10. */
static void tells_what_became_of_them(void **state)
{
    (void)state;
    firn_json_writer first, second, changes;
    firn_messages *messages = firn_messages_create();
    firn_json *before = look(&first);
    remove(scratch("walk.9.obj"));
    remove(scratch("hole.vdb"));
    store("walk.10.obj", "v 0 0 1\n"); /* as long as it was */
    store("walk.13.obj", "v 0 0 0\n");
    firn_json *now = look(&second);
    firn_json_init(&changes, 0);
    firn_json_begin(&changes, NULL, '[');
    assert_int_equal(
        firn_scene_files_compare(firn_json_root(before), firn_json_root(now), &changes, messages),
        4);
    firn_json_end(&changes);
    static const char *const said[] = {
        "walk.9.obj: input file no longer exists",
        "walk.10.obj: input file has changed since the shot last read it",
        "walk.13.obj: input file is new since the shot last read this sequence",
        "hole.vdb: input file no longer exists"};
    assert_int_equal(firn_messages_count(messages, FIRN_WARNING), 4);
    for (int i = 0; i < 4; i++)
        assert_non_null(strstr(firn_messages_text(messages, i, NULL), said[i]));
    const char *text = firn_json_finish(&changes, NULL);
    assert_non_null(strstr(text, "walk.9.obj\", \"what\": \"gone\"}"));
    assert_non_null(
        strstr(text, "walk.10.obj\", \"what\": \"changed\", \"bytes\": 8, \"checksum\": \""));
    /* nothing to compare with: a shot of an older version */
    assert_int_equal(firn_scene_files_compare(NULL, firn_json_root(now), &changes, messages), 0);
    firn_json_destroy(before);
    firn_json_destroy(now);
    firn_json_clear(&first);
    firn_json_clear(&second);
    firn_json_clear(&changes);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_each_file_once),
        cmocka_unit_test(tells_what_became_of_them),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
