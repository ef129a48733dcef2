/* SPDX-License-Identifier: MIT */
/* Presets that are dropped: pizza dough does not bounce, rubber does. A ball of 8 cm arrives with
 * the speed of a fall of 28 cm on ground that separates; measured by its centre of mass. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "firn/sim.h"

typedef struct bounce {
    double height;      /* rise of the centre of mass after its lowest place, m */
    double restitution; /* fastest rise over the speed of impact */
} bounce;

static bounce drop(const char *preset)
{
    const double radius = 0.04, gap = 0.02, speed = 2.35; /* as after 28 cm of fall */
    firn_material_def material = firn_material_default();
    firn_shape_def ball = firn_shape_default(), plane = firn_shape_default();
    firn_body_def body = firn_body_default();
    firn_collider_def ground = firn_collider_default();
    firn_scene_def scene = firn_scene_default();
    snprintf(material.name, FIRN_NAME, "m");
    snprintf(material.preset, FIRN_NAME, "%s", preset);
    snprintf(ball.kind, FIRN_NAME, "sphere");
    ball.radius = radius;
    ball.center[1] = radius + gap;
    snprintf(plane.kind, FIRN_NAME, "plane");
    snprintf(body.name, FIRN_NAME, "b");
    snprintf(body.material, FIRN_NAME, "m");
    body.shapes = &ball;
    body.n_shapes = 1;
    body.velocity[1] = -speed;
    snprintf(ground.name, FIRN_NAME, "g");
    ground.shapes = &plane;
    ground.n_shapes = 1;
    ground.contact = FIRN_SEPARATE;
    ground.friction = 0.3;
    scene.materials = &material;
    scene.n_materials = 1;
    scene.bodies = &body;
    scene.n_bodies = 1;
    scene.colliders = &ground;
    scene.n_colliders = 1;
    scene.grid.dx = 0.016;
    firn_sim *sim = NULL;
    firn_messages *messages = firn_messages_create();
    if (firn_sim_create(&scene, NULL, &sim, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_ledger ledger;
    bounce b = {0, 0};
    double lowest = INFINITY;
    for (int i = 1; i <= 100; i++) {
        if (firn_sim_advance_to(sim, 2e-3 * i, messages) != FIRN_OK)
            fail_msg("%s", firn_messages_text(messages, 0, NULL));
        assert_int_equal(firn_sim_ledger(sim, -1, &ledger, messages), FIRN_OK);
        lowest = fmin(lowest, ledger.center[1]);
        b.height = fmax(b.height, ledger.center[1] - lowest);
        b.restitution = fmax(b.restitution, ledger.momentum[1] / ledger.mass / speed);
    }
    firn_sim_destroy(sim);
    firn_messages_destroy(messages);
    return b;
}

static void dough_does_not_bounce(void **state)
{
    (void)state;
    bounce rubber = drop("rubber"), pizza = drop("pizza_dough"), bread = drop("bread_dough");
    print_message("rise and restitution: rubber %.1f mm %.3f, pizza dough %.2f mm %.3f, bread "
                  "dough %.2f mm %.3f\n",
                  1e3 * rubber.height, rubber.restitution, 1e3 * pizza.height, pizza.restitution,
                  1e3 * bread.height, bread.restitution);
    assert_true(rubber.restitution > 0.6 && rubber.height > 0.05);
    assert_true(pizza.restitution < 0.06 && pizza.height < 0.01 * 0.28);
    assert_true(bread.restitution < 0.1 && bread.height < 0.004);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dough_does_not_bounce)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
