/* SPDX-License-Identifier: MIT */
/* Definitions made in C: a skipped default function, ranges, and names that must exist are
 * refused in sentences. */
#include "scene/scene_check.h"
#include "scene/scene_schema.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct small_scene {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def shape;
    firn_body_def body;
} small_scene;

static void make(small_scene *s)
{
    s->scene = firn_scene_default();
    s->material = firn_material_default();
    s->shape = firn_shape_default();
    s->body = firn_body_default();
    s->scene.grid.dx = 0.1;
    strcpy(s->material.name, "snow");
    strcpy(s->material.law, "sand");
    strcpy(s->shape.kind, "sphere");
    s->shape.radius = 1;
    strcpy(s->body.name, "ball");
    strcpy(s->body.material, "snow");
    s->body.shapes = &s->shape;
    s->body.n_shapes = 1;
    s->scene.materials = &s->material;
    s->scene.n_materials = 1;
    s->scene.bodies = &s->body;
    s->scene.n_bodies = 1;
}

/* The scene is refused with exactly this one sentence. */
static void expect_refused(const small_scene *s, const char *sentence)
{
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_scene_check(&s->scene, messages), FIRN_REFUSED);
    assert_string_equal(firn_messages_text(messages, 0, NULL), sentence);
    assert_int_equal(firn_messages_total(messages), 1);
    firn_messages_destroy(messages);
}

static void test_good_scene_passes(void **state)
{
    (void)state;
    small_scene s;
    make(&s);
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_scene_check(&s.scene, messages), FIRN_OK);
    assert_int_equal(firn_messages_total(messages), 0);
    firn_messages_destroy(messages);
}

static void test_skipped_default_is_caught(void **state)
{
    (void)state;
    small_scene s;
    make(&s);
    memset(&s.body, 0, sizeof s.body);
    expect_refused(&s, "bodies.0 was not made by its default function; try: firn_..._default()");
    make(&s);
    memset(&s.scene, 0, sizeof s.scene);
    expect_refused(&s, "scene: not made by its default function; try: firn_scene_default()");
    assert_int_equal(firn_scene_check(NULL, NULL), FIRN_REFUSED);
}

static void test_ranges(void **state)
{
    (void)state;
    small_scene s;
    make(&s);
    s.scene.grid.dx = 0;
    expect_refused(&s, "grid.dx is missing; allowed: above 0, up to 10000 m");
    make(&s);
    s.body.particles_per_cell = -3;
    expect_refused(&s, "bodies.ball.particles_per_cell is -3; allowed: above 0, up to 1000");
    make(&s);
    s.body.velocity[1] = NAN;
    expect_refused(&s, "bodies.ball.velocity is nan; allowed: -1e+07 to 1e+07 m/s");
    make(&s);
    s.scene.transfer.scheme = (firn_scheme)7;
    expect_refused(&s, "transfer.scheme is 7; allowed: apic, flip, pic, aflip");
    make(&s);
    memset(s.material.law, 'x', sizeof s.material.law);
    expect_refused(&s, "materials.snow.law has no final zero within 64 bytes");
    make(&s);
    s.scene.n_colliders = 2;
    expect_refused(&s, "colliders has 2 items but no array of them");
}

static void test_relations(void **state)
{
    (void)state;
    small_scene s;
    make(&s);
    strcpy(s.body.material, "sand");
    expect_refused(
        &s, "bodies.ball.material is \"sand\", which is no material of this scene; allowed: snow");
    make(&s);
    s.body.n_shapes = 0;
    expect_refused(&s, "bodies.ball.shape is missing; try: a shape, or a points file");
    make(&s);
    s.body.F[4] = -1;
    expect_refused(&s, "bodies.ball.F has determinant -1; it must be above 0");
    make(&s);
    s.scene.grid.walls[2] = FIRN_WALL_STICK;
    expect_refused(&s, "grid.walls needs a box; try: grid.box_min and grid.box_max");
    make(&s);
    s.scene.grid.has_box = 1;
    s.scene.grid.box_max[1] = -1;
    expect_refused(&s, "grid.box_max has -1 along y, which is not above box_min (0)");
    make(&s);
    s.scene.grid.has_box = 1;
    s.scene.grid.walls[1] = FIRN_WALL_MIRROR;
    for (int a = 0; a < 3; a++) s.scene.grid.box_max[a] = 2.04;
    expect_refused(&s, "grid.box_max puts the mirror wall +x at 2.04 m, off the nodes; allowed: "
                       "whole multiples of dx = 0.1 m; try: 2 m");
    make(&s);
    firn_body_def twins[2] = {s.body, s.body};
    s.scene.bodies = twins;
    s.scene.n_bodies = 2;
    expect_refused(&s, "bodies.ball has the same name as another of the bodies");
    make(&s);
    firn_grip_def grip = firn_grip_default();
    strcpy(grip.name, "hand");
    strcpy(grip.body, "bar");
    grip.shapes = &s.shape;
    grip.n_shapes = 1;
    s.scene.grips = &grip;
    s.scene.n_grips = 1;
    expect_refused(&s, "grips.hand.body is \"bar\", which is no body or emitter of this scene; "
                       "allowed: ball; did you mean \"ball\"?");
    firn_grip_def many[33];
    for (int g = 0; g < 33; g++) {
        many[g] = grip;
        snprintf(many[g].name, sizeof many[g].name, "hand%d", g);
        strcpy(many[g].body, "ball");
    }
    s.scene.grips = many;
    s.scene.n_grips = 33;
    expect_refused(&s, "grips are 33; allowed: up to 32");
}

/* What has not been worked out together is refused, and each part alone is not. */
static void test_combinations(void **state)
{
    (void)state;
    small_scene s;
    firn_collider_def collider = firn_collider_default();
    strcpy(collider.name, "plate");
    collider.shapes = &s.shape;
    collider.n_shapes = 1;
    collider.touch = FIRN_TOUCH_PARTICLES;
    make(&s);
    s.scene.colliders = &collider;
    s.scene.n_colliders = 1;
    assert_int_equal(firn_scene_check(&s.scene, NULL), FIRN_OK);
    strcpy(s.scene.time.integrator, "implicit");
    expect_refused(&s,
                   "colliders.plate.touch is particles, which needs explicit steps; try: touch: "
                   "surface, or time.integrator: symplectic");
    collider.touch = FIRN_TOUCH_SURFACE;
    assert_int_equal(firn_scene_check(&s.scene, NULL), FIRN_OK);
    strcpy(s.scene.method, "efg");
    expect_refused(&s, "time.integrator is of the method mpm; with efg allowed: symplectic");
    strcpy(s.scene.method, "mpm");
    s.scene.transfer.damping = 2;
    expect_refused(&s,
                   "transfer.damping needs explicit steps; try: time.integrator: symplectic, or "
                   "damping: 0");
    strcpy(s.scene.time.integrator, "symplectic");
    assert_int_equal(firn_scene_check(&s.scene, NULL), FIRN_OK);
    s.scene.grid.geometry = FIRN_PLANE_STRAIN;
    expect_refused(&s,
                   "transfer.damping is not available in plane strain; try: geometry: space, or "
                   "damping: 0");
}

/* Names are found among more than a message can list, and with blanks in them. */
static void test_names_among_many(void **state)
{
    (void)state;
    enum { N = 400 };
    static firn_body_def bodies[N];
    small_scene s;
    make(&s);
    for (int i = 0; i < N; i++) {
        bodies[i] = s.body;
        snprintf(bodies[i].name, sizeof bodies[i].name, "pebble of the beach %d", i);
    }
    s.scene.bodies = bodies;
    s.scene.n_bodies = N;
    firn_grip_def grip = firn_grip_default();
    strcpy(grip.name, "hand");
    strcpy(grip.body, bodies[N - 1].name);
    grip.shapes = &s.shape;
    grip.n_shapes = 1;
    s.scene.grips = &grip;
    s.scene.n_grips = 1;
    firn_expect_def expect = firn_expect_default();
    strcpy(expect.measure, "mass");
    strcpy(expect.body, bodies[N - 1].name);
    strcpy(expect.source, "weighed");
    expect.at_least = 0;
    s.scene.expects = &expect;
    s.scene.n_expects = 1;
    firn_messages *messages = firn_messages_create();
    if (firn_scene_check(&s.scene, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    strcpy(grip.body, "pebble");
    assert_int_equal(firn_scene_check(&s.scene, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL),
                           "grips.hand.body is \"pebble\", which is no body or emitter"));
    firn_messages_destroy(messages);
}

static void test_all_errors_at_once(void **state)
{
    (void)state;
    small_scene s;
    make(&s);
    s.scene.grid.dx = -1;
    s.body.spacing = -1;
    s.scene.fps = 0;
    strcpy(s.body.material, "sand");
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_scene_check(&s.scene, messages), FIRN_REFUSED);
    assert_int_equal(firn_messages_count(messages, FIRN_ERROR), 4);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good_scene_passes),
                                       cmocka_unit_test(test_skipped_default_is_caught),
                                       cmocka_unit_test(test_ranges),
                                       cmocka_unit_test(test_relations),
                                       cmocka_unit_test(test_combinations),
                                       cmocka_unit_test(test_names_among_many),
                                       cmocka_unit_test(test_all_errors_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
