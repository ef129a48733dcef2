/* SPDX-License-Identifier: MIT */
/* preflight_notes.c: see preflight_notes.h.
 *
 * Contact by nodes begins when the material's nodes reach a collider: about a cell before its
 * surface does. A body of N cells is then strained by up to 1/N before it is touched, which is
 * what a press or an indenter would measure. With N = 32 cells a nominal strain of 4 % gives
 * stresses 22 % low; with touch: particles they are right to .3 % at any place of the collider
 * (tests/verify/README.md). */
#include "session/preflight_notes.h"
#include "base/messages.h"
#include "laws/flow_curve.h"
#include "solver/sim.h"

#include <math.h>
#include <stdio.h>

enum { FEW_CELLS = 30, N_RATES = 3 };

void firn_preflight_flow(const firn_sim *sim, const firn_scene_def *scene, char *text,
                         size_t n_text)
{
    static const double rates[N_RATES] = {1, 10, 100};
    size_t used = 0;
    text[0] = 0;
    for (int m = 0; m < sim->n_materials && used < n_text; m++) {
        const firn_material *material = &sim->materials[m].resolved;
        const double T = scene->ambient_temperature;
        if (!firn_flow_curve_is_viscous(material, T)) continue;
        used += (size_t)snprintf(text + used, n_text - used, "flow       %s: viscosity",
                                 material->name);
        for (int k = 0; k < N_RATES && used < n_text; k++) {
            const double stress = firn_flow_curve_stress(material, T, rates[k]);
            used += (size_t)snprintf(text + used, n_text - used, "%s %.3g Pa s at %g/s",
                                     k ? "," : "", stress / rates[k], rates[k]);
        }
        if (used < n_text) used += (size_t)snprintf(text + used, n_text - used, "\n");
    }
}

/* Whether a collider travels, rather than stands or turns in its place. */
static int travels(const firn_motion_def *motion)
{
    double way2 = 0;
    for (int a = 0; a < 3; a++) {
        way2 += motion->velocity[a] * motion->velocity[a];
        for (int k = 1; k < motion->n_keys; k++)
            way2 += fabs(motion->keys[k].position[a] - motion->keys[0].position[a]);
    }
    return way2 > 0;
}

void firn_preflight_contact(const firn_scene_def *scene, const firn_check *check,
                            firn_messages *messages)
{
    const firn_check_body *thinnest = NULL;
    for (int i = 0; i < check->n_bodies; i++)
        if (check->bodies[i].thickness > 0 &&
            (!thinnest || check->bodies[i].thickness < thinnest->thickness))
            thinnest = &check->bodies[i];
    const double cells = thinnest ? thinnest->thickness / scene->grid.dx : INFINITY;
    for (int i = 0; i < scene->n_colliders && cells < FEW_CELLS; i++) {
        const firn_collider_def *c = &scene->colliders[i];
        if (c->contact != FIRN_SEPARATE || c->touch != FIRN_TOUCH_GRID || !travels(&c->motion))
            continue;
        firn_messages_warn(messages,
                           "colliders.%s: contact by nodes begins about a cell before the surface, "
                           "and body '%s' is %.3g cells thin: strained by up to %.2g %% before it "
                           "is touched; try: touch: particles where forces or strains are measured",
                           c->name, thinnest->name, cells, 100 / cells);
    }
}
