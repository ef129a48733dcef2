/* SPDX-License-Identifier: MIT */
/* bowl.c: a collider of one's own - a round bowl that is given by its distance, and lifted. A
 * ball of jelly falls into it, comes to rest against it and rises with it; afterwards the bowl
 * has carried the weight.
 *     cc bowl.c $(pkg-config --cflags --libs firn) -lm -o bowl */
#include <firn/firn.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct bowl {
    double radius, speed; /* m, m/s: upwards */
} bowl;

/* Solid is what is farther than the radius from the center, which rises; called from several
 * threads. */
static double bowl_distance(void *user, const double x[3], double time, double normal[3])
{
    const bowl *b = user;
    const double y[3] = {x[0], x[1] - b->speed * time, x[2]};
    double r = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    for (int a = 0; a < 3; a++) normal[a] = r > 0 ? -y[a] / r : a == 1;
    return b->radius - r;
}

int main(void)
{
    bowl lifted = {.radius = 0.3, .speed = 0.25};
    firn_shape_def ball = firn_shape_default();
    strcpy(ball.kind, "sphere");
    ball.radius = 0.1;
    ball.center[0] = 0.05;
    ball.center[1] = -0.15;
    firn_material_def jelly = firn_material_default();
    strcpy(jelly.name, "jelly");
    strcpy(jelly.law, "neo_hookean");
    jelly.parameters[0] = firn_parameter_default();
    jelly.n_parameters = 1;
    strcpy(jelly.parameters[0].name, "E");
    jelly.parameters[0].value = 5e4;
    firn_body_def body = firn_body_default();
    strcpy(body.name, "ball");
    strcpy(body.material, "jelly");
    body.shapes = &ball;
    body.n_shapes = 1;
    firn_collider_def collider = firn_collider_default();
    strcpy(collider.name, "bowl");
    collider.distance = bowl_distance;
    collider.distance_user = &lifted;
    collider.contact = FIRN_SEPARATE;
    collider.friction = 0.3;
    firn_scene_def scene = firn_scene_default();
    scene.grid.dx = 0.025;
    scene.gravity[1] = -9.81;
    scene.gravity[2] = 0;
    scene.materials = &jelly;
    scene.n_materials = 1;
    scene.bodies = &body;
    scene.n_bodies = 1;
    scene.colliders = &collider;
    scene.n_colliders = 1;

    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    firn_reaction before, after;
    firn_ledger early, late;
    firn_status status = firn_sim_create(&scene, NULL, &sim, messages);
    if (!status) status = firn_sim_advance_to(sim, 1, messages);
    if (!status) status = firn_sim_ledger(sim, -1, &early, messages);
    if (!status) status = firn_sim_collider_reaction(sim, 0, &before);
    if (!status) status = firn_sim_advance_to(sim, 2, messages);
    if (!status) status = firn_sim_ledger(sim, -1, &late, messages);
    if (!status) status = firn_sim_collider_reaction(sim, 0, &after);
    for (int i = 0; i < firn_messages_total(messages); i++)
        puts(firn_messages_text(messages, i, NULL));
    firn_sim_destroy(sim);
    firn_messages_destroy(messages);
    if (status) return status;
    double rise = late.center[1] - early.center[1], weight = 9.81 * late.mass;
    double carried = after.impulse[1] - before.impulse[1], lowest = late.min[1] - 2 * lifted.speed;
    printf("rose %.4f m in a second, carried %.4g of its weight, lowest particle %.4f m above the "
           "middle\n",
           rise, carried / weight, lowest);
    return fabs(rise - lifted.speed) > 0.02 || fabs(carried / weight - 1) > 0.02 ||
           lowest < -lifted.radius - 0.5 * scene.grid.dx;
}
