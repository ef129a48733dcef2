/* SPDX-License-Identifier: MIT */
/* drop.c: the smallest program against an installed libfirn - a ball in free fall, checked
 * against g t^2 / 2.
 *     cc drop.c $(pkg-config --cflags --libs firn) -o drop */
#include <firn/firn.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    firn_shape_def ball = firn_shape_default();
    strcpy(ball.kind, "sphere");
    ball.radius = 0.1;
    firn_material_def rubber = firn_material_default();
    strcpy(rubber.name, "rubber");
    strcpy(rubber.law, "neo_hookean");
    firn_body_def body = firn_body_default();
    strcpy(body.name, "ball");
    strcpy(body.material, "rubber");
    body.shapes = &ball;
    body.n_shapes = 1;
    firn_scene_def scene = firn_scene_default();
    scene.grid.dx = 0.05;
    scene.gravity[1] = -9.81;
    scene.gravity[2] = 0;
    scene.materials = &rubber;
    scene.n_materials = 1;
    scene.bodies = &body;
    scene.n_bodies = 1;

    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    firn_ledger before, after;
    firn_status status = firn_sim_create(&scene, NULL, &sim, messages);
    if (!status) status = firn_sim_ledger(sim, -1, &before, messages);
    if (!status) status = firn_sim_advance_to(sim, 0.1, messages);
    if (!status) status = firn_sim_ledger(sim, -1, &after, messages);
    for (int i = 0; i < firn_messages_total(messages); i++)
        puts(firn_messages_text(messages, i, NULL));
    double fall = status ? 0 : before.center[1] - after.center[1];
    if (!status) printf("%lld particles fell %.5f m\n", (long long)firn_sim_n_particles(sim), fall);
    firn_sim_destroy(sim);
    firn_messages_destroy(messages);
    /* The steps are symplectic Euler: the fall differs from g t^2 / 2 by g t dt / 2, and dt is
     * below 2 ms here. */
    return status || fabs(fall - 9.81 * 0.1 * 0.1 / 2) > 9.81 * 0.1 * 0.002 / 2;
}
