/* SPDX-License-Identifier: MIT */
/* test_overlap.c: material that would begin inside a collider, beyond a wall, in another body, or
 * where an emitter begins: how many, how deep, and what the key `overlap` makes of it; and which
 * colliders get the second pass by themselves. */
#include "firn/firn.h"
#include "solver/collider_edges.h"
#include "solver/sim.h"
#include "support/running.h"

#include <math.h>
#include <string.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def shapes[3];
    firn_body_def bodies[2];
    firn_collider_def collider;
    firn_emitter_def emitter;
    firn_run_options options;
} setup;

static void box(firn_shape_def *shape, double y, double height)
{
    *shape = firn_shape_default();
    strcpy(shape->kind, "box");
    shape->center[1] = y;
    shape->size[0] = shape->size[2] = 0.4;
    shape->size[1] = height;
}

/* Cells of 0.1 m; body `loaf`, a block of 0.4 m with its middle at height y. */
static void make(setup *s, double y)
{
    memset(s, 0, sizeof *s);
    s->scene = firn_scene_default();
    s->material = firn_material_default();
    s->options = firn_run_options_default();
    s->collider = firn_collider_default();
    s->emitter = firn_emitter_default();
    strcpy(s->material.name, "stuff");
    strcpy(s->material.law, "neo_hookean");
    for (int b = 0; b < 2; b++) {
        s->bodies[b] = firn_body_default();
        strcpy(s->bodies[b].name, b ? "ball" : "loaf");
        strcpy(s->bodies[b].material, "stuff");
        s->bodies[b].n_shapes = 1;
        s->bodies[b].shapes = &s->shapes[b];
        s->bodies[b].sampling = FIRN_REGULAR;
    }
    box(&s->shapes[0], y, 0.4);
    box(&s->shapes[1], 0.4, 0.4);
    box(&s->shapes[2], -0.5, 1);
    s->shapes[2].size[0] = s->shapes[2].size[2] = 4;
    strcpy(s->collider.name, "table");
    s->collider.n_shapes = 1;
    s->collider.shapes = &s->shapes[2];
    strcpy(s->emitter.name, "tap");
    strcpy(s->emitter.material, "stuff");
    s->emitter.n_shapes = 1;
    s->emitter.shapes = &s->shapes[1];
    s->scene.grid.dx = 0.1;
    s->scene.n_materials = 1;
    s->scene.materials = &s->material;
    s->scene.n_bodies = 1;
    s->scene.bodies = s->bodies;
}

/* Particles of the start, -1: refused; *has_told: whether a message has all of these words. */
static int64_t start(const setup *s, const char *words, int *has_told)
{
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    int64_t n = -1;
    const firn_status status = firn_sim_create(&s->scene, &s->options, &sim, messages);
    if (status == FIRN_OK) n = firn_sim_n_particles(sim);
    if (status != FIRN_OK) assert_int_equal(status, FIRN_REFUSED);
    *has_told = 0;
    for (int i = 0; i < firn_messages_total(messages); i++)
        *has_told |= words && strstr(firn_messages_text(messages, i, NULL), words) != NULL;
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
    return n;
}

/* A loaf of 8 x 8 x 8 particles that reaches 0.1 m, two layers, into a table. */
static void in_a_table(void **state)
{
    static const char *const words =
        "body 'loaf': 128 of its 512 particles (25 %) begin inside collider 'table', up to 0.075 m";
    static const int64_t n[] = {512, 384, -1};
    (void)state;
    for (int k = 0; k < 3; k++) {
        setup s;
        int has_told;
        make(&s, 0.1);
        s.scene.n_colliders = 1;
        s.scene.colliders = &s.collider;
        s.collider.overlap = (firn_overlap)k;
        assert_int_equal(start(&s, words, &has_told), n[k]);
        assert_int_equal(has_told, k != FIRN_OVERLAP_KEEP);
        s.collider.start = 1; /* not there yet */
        assert_int_equal(start(&s, words, &has_told), 512);
        assert_false(has_told);
        make(&s, 0.2); /* only touches it */
        s.scene.n_colliders = 1;
        s.scene.colliders = &s.collider;
        assert_int_equal(start(&s, "table", &has_told), 512);
        assert_false(has_told);
    }
}

static void beyond_a_wall(void **state)
{
    static const int64_t n[] = {512, 384, -1};
    (void)state;
    for (int k = 0; k < 3; k++) {
        setup s;
        int has_told;
        make(&s, 0.1);
        s.scene.grid.has_box = 1;
        for (int a = 0; a < 3; a++) {
            s.scene.grid.box_min[a] = a == 1 ? 0 : -1;
            s.scene.grid.box_max[a] = 1;
        }
        for (int w = 0; w < 6; w++) s.scene.grid.walls[w] = FIRN_WALL_SEPARATE;
        s.scene.grid.overlap = (firn_overlap)k;
        assert_int_equal(start(&s, "beyond closed walls", &has_told), n[k]);
        assert_true(has_told);
        s.scene.grid.walls[2] = FIRN_WALL_OPEN;
        assert_int_equal(start(&s, "beyond closed walls", &has_told), 512);
        assert_false(has_told);
    }
}

/* Two blocks of 512 whose common part is 0.1 m, 128 particles of either. Refused with what to set;
 * either one gives way where it is told to, of two the later one; bodies that touch are left. */
static void two_in_one_place(void **state)
{
    static const struct {
        firn_overlap of[2];
        int64_t n;
        const char *words;
    } cases[] = {
        {{FIRN_OVERLAP_REFUSE, FIRN_OVERLAP_REFUSE},
         -1,
         "body 'ball': 128 of its 512 particles (25 %) begin inside body 'loaf'"},
        {{FIRN_OVERLAP_REFUSE, FIRN_OVERLAP_REFUSE}, -1, "bodies.ball.overlap=cut"},
        {{FIRN_OVERLAP_CUT, FIRN_OVERLAP_REFUSE}, 896, "body 'loaf': 128 of its 512"},
        {{FIRN_OVERLAP_REFUSE, FIRN_OVERLAP_CUT}, 896, "body 'ball': 128 of its 512"},
        {{FIRN_OVERLAP_CUT, FIRN_OVERLAP_CUT}, 896, "body 'ball': 128 of its 512"},
        {{FIRN_OVERLAP_KEEP, FIRN_OVERLAP_CUT}, 1024, NULL},
    };
    (void)state;
    int has_told;
    for (int k = 0; k < 6; k++) {
        setup s;
        make(&s, 0.1);
        s.scene.n_bodies = 2;
        for (int b = 0; b < 2; b++) s.bodies[b].overlap = cases[k].of[b];
        assert_int_equal(start(&s, cases[k].words, &has_told), cases[k].n);
        assert_int_equal(has_told, cases[k].words != NULL);
        make(&s, 0);
        s.scene.n_bodies = 2;
        for (int b = 0; b < 2; b++) s.bodies[b].overlap = cases[k].of[b];
        assert_int_equal(start(&s, "begin inside", &has_told), 1024);
        assert_false(has_told);
    }
}

/* An emitter of 0.4 m whose lower quarter is in a block: 128 of its 512 first particles are left
 * out, within a layer's roughness; those of the rest keep the volume of their share. Kept: all. */
static void an_emitter_in_a_body(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        setup s;
        make(&s, 0.1);
        s.scene.n_emitters = 1;
        s.scene.emitters = &s.emitter;
        s.emitter.overlap = (firn_overlap)k;
        for (int a = 0; a < 3; a++) s.scene.gravity[a] = 0;
        firn_messages *messages = firn_messages_create();
        firn_sim *sim = running_start(&s.scene, &s.options);
        const firn_status status = firn_sim_step(sim, 1e-3, messages);
        assert_int_equal(status, k == FIRN_OVERLAP_REFUSE ? FIRN_REFUSED : FIRN_OK);
        assert_int_equal(firn_messages_total(messages), k != FIRN_OVERLAP_KEEP);
        if (k != FIRN_OVERLAP_KEEP)
            assert_non_null(
                strstr(firn_messages_text(messages, 0, NULL), "where material is already"));
        double *mass = running_copy(sim, "mass"), sum = 0;
        for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) sum += mass[i];
        const double whole = mass[0] * 512;
        if (k == FIRN_OVERLAP_KEEP && !(fabs(sum / whole - 2) < 1e-3)) fail_msg("%g", sum / whole);
        if (k == FIRN_OVERLAP_CUT && !(fabs(sum / whole - 1.75) < 0.05))
            fail_msg("%g", sum / whole);
        free(mass);
        firn_messages_destroy(messages);
        firn_sim_destroy(sim);
    }
}

/* Planes and round things of some cells need no second pass; edges, small things and thin walls do;
 * an edge that material behind a wall cannot reach does not. */
static void edges(void **state)
{
    static const struct {
        const char *kind;
        double radius, size, thickness;
        int has_edges;
    } cases[] = {
        {"half_space", 0, 0, 0, 0}, {"sphere", 0.8, 0, 0, 0},   {"sphere", 0.15, 0, 0, 1},
        {"box", 0, 1.6, 0, 1},      {"sphere", 0.8, 0, 0.1, 1}, {"capsule", 0.4, 0, 0, 0},
    };
    (void)state;
    for (int k = 0; k < 6; k++) {
        setup s;
        make(&s, 2);
        firn_shape_def *shape = &s.shapes[2];
        *shape = firn_shape_default();
        strcpy(shape->kind, cases[k].kind);
        shape->radius = cases[k].radius;
        shape->height = 1;
        shape->thickness = cases[k].thickness;
        shape->normal[1] = 1;
        for (int a = 0; a < 3; a++) shape->size[a] = cases[k].size;
        s.scene.n_colliders = 1;
        s.scene.colliders = &s.collider;
        firn_sim *sim = running_start(&s.scene, &s.options);
        if (sim->has_particle_pass != cases[k].has_edges) fail_msg("%s %d", cases[k].kind, k);
        firn_sim_destroy(sim);
        s.collider.particle_pass = FIRN_PASS_OFF;
        sim = running_start(&s.scene, &s.options);
        assert_false(sim->has_particle_pass);
        firn_sim_destroy(sim);
    }
    setup s;
    make(&s, 0.5);
    s.scene.n_colliders = 1;
    s.scene.colliders = &s.collider;
    s.scene.grid.has_box = 1;
    for (int a = 0; a < 3; a++) {
        s.scene.grid.box_min[a] = -1;
        s.scene.grid.box_max[a] = 1;
    }
    for (int w = 0; w < 6; w++) s.scene.grid.walls[w] = FIRN_WALL_SLIP;
    firn_sim *sim = running_start(&s.scene, &s.options);
    assert_false(sim->has_particle_pass);
    firn_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_table), cmocka_unit_test(beyond_a_wall),
        cmocka_unit_test(two_in_one_place), cmocka_unit_test(an_emitter_in_a_body),
        cmocka_unit_test(edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
