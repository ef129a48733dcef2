/* SPDX-License-Identifier: MIT */
/* Whatever acts on particles last, a wall of the box that is not open holds them: thin colliders
 * and grips that move out of the box leave their particles at the wall, and the ledger has what the
 * wall gave. */
#include "firn/firn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def block, plate;
    firn_body_def body;
    firn_collider_def collider;
    firn_grip_def grip;
} setup;

/* A block of 0.3 m in a box of 1 m, and a plate of half a cell beside it. */
static void make(setup *s, firn_wall wall)
{
    *s = (setup){firn_scene_default(), firn_material_default(), firn_shape_default(),
                 firn_shape_default(), firn_body_default(),     firn_collider_default(),
                 firn_grip_default()};
    strcpy(s->material.name, "stuff");
    strcpy(s->material.law, "neo_hookean");
    strcpy(s->block.kind, "box");
    strcpy(s->plate.kind, "box");
    for (int a = 0; a < 3; a++) {
        s->block.size[a] = 0.3;
        s->plate.size[a] = a ? 0.6 : 0.05;
        s->scene.gravity[a] = 0;
        s->scene.grid.box_min[a] = -0.5;
        s->scene.grid.box_max[a] = 0.5;
    }
    s->plate.center[0] = -0.25;
    strcpy(s->body.name, "block");
    strcpy(s->body.material, "stuff");
    s->body.n_shapes = 1;
    s->body.shapes = &s->block;
    strcpy(s->collider.name, "plate");
    s->collider.n_shapes = 1;
    s->collider.shapes = &s->plate;
    s->collider.contact = FIRN_SEPARATE;
    s->collider.particle_pass = 1;
    strcpy(s->grip.name, "hand");
    s->grip.n_shapes = 1;
    s->grip.shapes = &s->block;
    s->scene.grid.dx = 0.1;
    s->scene.grid.has_box = 1;
    for (int w = 0; w < 6; w++) s->scene.grid.walls[w] = wall;
    s->scene.is_double = 1;
    s->scene.n_materials = s->scene.n_bodies = 1;
    s->scene.materials = &s->material;
    s->scene.bodies = &s->body;
}

static firn_sim *begin(const setup *s, int n_threads)
{
    firn_run_options options = firn_run_options_default();
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    options.n_threads = n_threads;
    if (firn_sim_create(&s->scene, &options, &sim, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return sim;
}

/* How far the farthest particle is beyond the wall x = 0.5 m, in cells. */
static double beyond(firn_sim *sim)
{
    firn_ledger l;
    assert_int_equal(firn_sim_ledger(sim, -1, &l, NULL), FIRN_OK);
    return (l.max[0] - 0.5) / 0.1;
}

static const firn_wall closed[] = {FIRN_WALL_STICK, FIRN_WALL_SLIP, FIRN_WALL_SEPARATE,
                                   FIRN_WALL_MIRROR};

/* The plate sweeps the block out of the box. On the grid alone material comes up to a cell into a
 * wall of slip (mirror walls: less); the second pass adds nothing to it. Momentum is what walls
 * and plate gave. */
static void a_plate_leaves_particles_at_the_wall(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        setup s;
        make(&s, closed[k]);
        s.scene.n_colliders = 1;
        s.scene.colliders = &s.collider;
        s.collider.motion.velocity[0] = 20;
        firn_sim *sim = begin(&s, 1);
        int64_t n = firn_sim_n_particles(sim);
        double most = -INFINITY;
        while (firn_sim_time(sim) < 0.06) {
            firn_messages *messages = firn_messages_create();
            if (firn_sim_step(sim, 1, messages) != FIRN_OK)
                fail_msg("%s", firn_messages_text(messages, 0, NULL));
            firn_messages_destroy(messages);
            most = fmax(most, beyond(sim));
        }
        firn_ledger l;
        assert_int_equal(firn_sim_ledger(sim, -1, &l, NULL), FIRN_OK);
        if (!(most < 1)) fail_msg("walls %d: a particle is %g cells behind the wall", k, most);
        assert_true(most > -1); /* it did get there */
        assert_int_equal(firn_sim_n_particles(sim), n);
        for (int a = 0; a < 3; a++) {
            const double given = l.wall_impulse[a] + l.collider_impulse[a];
            if (!(fabs(l.momentum[a] - given) < 1e-9 * l.mass))
                fail_msg("walls %d: momentum %g, given %g kg m/s", k, l.momentum[a], given);
        }
        firn_sim_destroy(sim);
    }
}

/* A grip that carries its particles out of the box loses them to the wall, on which they end to
 * round-off; through open walls it carries them. */
static void a_grip_leaves_particles_at_the_wall(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        setup s;
        make(&s, k < 4 ? closed[k] : FIRN_WALL_OPEN);
        s.scene.n_grips = 1;
        s.scene.grips = &s.grip;
        s.grip.motion.velocity[0] = 10;
        firn_sim *sim = begin(&s, 1);
        assert_int_equal(firn_sim_advance_to(sim, 0.045, NULL), FIRN_OK);
        const double most = beyond(sim); /* 1 without walls */
        if (k < 4 ? !(fabs(most) < 1e-9) : !(fabs(most - 1) < 0.3))
            fail_msg("walls %d: %g cells", k, most);
        firn_sim_destroy(sim);
    }
}

/* A grip carries its particles through a periodic wall: none is held back there. */
static void periodic_walls_hold_nothing(void **state)
{
    (void)state;
    setup s;
    make(&s, FIRN_WALL_SLIP);
    s.scene.grid.walls[0] = s.scene.grid.walls[1] = FIRN_WALL_PERIODIC;
    s.scene.grid.box_min[0] = -0.6; /* whole blocks of 4 cells */
    s.scene.grid.box_max[0] = 0.6;
    s.scene.n_grips = 1;
    s.scene.grips = &s.grip;
    s.grip.motion.velocity[0] = 10;
    firn_sim *sim = begin(&s, 1);
    firn_ledger l;
    assert_int_equal(firn_sim_advance_to(sim, 0.06, NULL), FIRN_OK);
    assert_int_equal(firn_sim_ledger(sim, -1, &l, NULL), FIRN_OK);
    if (!(fabs(l.wall_impulse[0]) < 1e-9 && fabs(l.center[0] - 0.6) < 5e-3))
        fail_msg("wall %g N s, center %g m", l.wall_impulse[0], l.center[0]);
    firn_sim_destroy(sim);
}

/* Walls on particles change no bit with threads. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        setup s;
        make(&s, FIRN_WALL_SLIP);
        s.scene.n_colliders = 1;
        s.scene.colliders = &s.collider;
        s.collider.motion.velocity[0] = 20;
        firn_sim *sim = begin(&s, 1 + 2 * k);
        assert_int_equal(firn_sim_advance_to(sim, 0.03, NULL), FIRN_OK);
        hash[k] = firn_sim_hash(sim);
        firn_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_plate_leaves_particles_at_the_wall),
                                       cmocka_unit_test(a_grip_leaves_particles_at_the_wall),
                                       cmocka_unit_test(periodic_walls_hold_nothing),
                                       cmocka_unit_test(threads_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
