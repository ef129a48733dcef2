/* SPDX-License-Identifier: MIT */
/* collider.c: colliders from their definitions, their poses in a step, the bounds of their
 * distances, and the step that their speed allows. contact.c and point_collision.c have the physics
 * at a point.
 *
 * Bounds (used by distance_cache.c). A distance d is Lipschitz with constant L: |d(x) - d(y)| <= L
 * |x - y|. Closed formulas have L = 1. Trilinear interpolation between voxels bounds each partial
 * derivative by 1, so L = sqrt 3; but the interpolated value also lies within half a voxel's
 * diagonal of a distance with L = 1, at either end, which over long paths is the better bound:
 * `smoothing` = 2 voxels >= 2 (sqrt 3 / 2) voxels. Sequences interpolate between files besides, for
 * which `margin` stands. */
#include "solver/collider.h"
#include "solver/collider_edges.h"
#include "solver/sim.h"

#include <math.h>

/* auto becomes on or off. With contact at the surface of particles (`touch`) they belong up to a
 * quarter of a cell inside, from where the pass would push them. */
static void choose_pass(firn_sim *sim, firn_collider *c)
{
    if (c->def.particle_pass == FIRN_PASS_AUTO)
        c->def.particle_pass = c->shape && c->def.touch == FIRN_TOUCH_GRID &&
                                       firn_collider_has_edges(c, &sim->scene.grid)
                                   ? FIRN_PASS_ON
                                   : FIRN_PASS_OFF;
    sim->has_particle_pass |= c->def.particle_pass == FIRN_PASS_ON;
}

/* Shapes are built with distances up to 2.5 cells above the surface. A caller's distance function
 * needs no shape and has no bounds; it is queried in every step. */
firn_status firn_colliders_create(firn_sim *sim, firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    sim->colliders =
        firn_memory_array(&sim->memory, (size_t)scene->n_colliders, sizeof *sim->colliders);
    if (!sim->colliders) return firn_messages_no_memory(messages, "colliders");
    for (int c = 0; c < scene->n_colliders; c++) {
        firn_collider *collider = &sim->colliders[c];
        collider->def = scene->colliders[c];
        sim->n_colliders = c + 1;
        if (firn_motion_create(&collider->def.motion, &sim->memory, &collider->motion) != FIRN_OK)
            return firn_messages_no_memory(messages, "keys of collider '%s'", collider->def.name);
        collider->lipschitz = 1;
        if (collider->def.distance) {
            choose_pass(sim, collider);
            continue;
        }
        /* distances are asked up to two cells (the support of the cubic spline) above the
         * surface */
        firn_status status =
            firn_shape_create(collider->def.n_shapes, collider->def.shapes,
                              (firn_shape_need){2.5 * sim->h, sim->h, .memory = sim->memory.limit},
                              &collider->shape, messages);
        if (status != FIRN_OK)
            return firn_messages_add(messages, status, "collider '%s': cannot be used, see above",
                                     collider->def.name);
        const double sticky =
            collider->def.touch != FIRN_TOUCH_GRID ? firn_shape_stickiness(collider->shape) : 0;
        if (sticky > 0)
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "collider '%s': touch: %s does not combine with the painted stickiness of "
                "its shape (up to %g Pa); allowed: touch: surface for contact: separate "
                "without stickiness; try: touch: grid, or a shape without paint",
                collider->def.name,
                collider->def.touch == FIRN_TOUCH_SURFACE ? "surface" : "particles", sticky);
        const double voxel = firn_shape_voxel(collider->shape);
        if (voxel > 0) {
            collider->lipschitz = sqrt(3);
            collider->smoothing = 2 * voxel;
        }
        collider->is_rigid = firn_shape_speed_between(collider->shape, -INFINITY, INFINITY) < 0;
        if (!collider->is_rigid) collider->margin = fmin(0.25 * voxel, 0.25 * sim->h);
        choose_pass(sim, collider);
    }
    return FIRN_OK;
}

void firn_colliders_destroy(firn_sim *sim)
{
    for (int c = 0; c < sim->n_colliders; c++) {
        firn_motion_destroy(&sim->colliders[c].motion, &sim->memory);
        firn_shape_destroy(sim->colliders[c].shape);
    }
    firn_memory_release(&sim->memory, sim->colliders,
                        (size_t)sim->scene.n_colliders * sizeof *sim->colliders);
}

/* The contact of a step is that of its end: nodes carry v(t + dt), and particles are moved with
 * it. */
void firn_colliders_prepare(firn_sim *sim)
{
    const double end = sim->time + sim->dt;
    for (int c = 0; c < sim->n_colliders; c++) {
        firn_collider *collider = &sim->colliders[c];
        collider->is_active = end > collider->def.start && sim->time < collider->def.stop;
        firn_motion_at(&collider->motion, sim->time, collider->def.start, &collider->pose_before);
        firn_motion_at(&collider->motion, end, collider->def.start, &collider->pose);
        collider->dt = sim->dt;
    }
}

/* The largest speed of a surface from now on over h, 1/s: dt <= cfl / rate keeps a surface from
 * passing nodes between two steps. Speed = deformation + |velocity| + |spin| times the distance of
 * the farthest corner of the bounds from the pivot. Unbounded shapes that turn count with the
 * velocity of their pivot alone. */
double firn_colliders_rate(const firn_sim *sim)
{
    double rate = 0;
    for (int k = 0; k < sim->n_colliders; k++) {
        const firn_collider *c = &sim->colliders[k];
        if (sim->time >= c->def.stop) continue;
        firn_pose pose = {0};
        double speed = c->shape ? firn_shape_speed(c->shape) : 0, spin = 0, shift = 0, reach = 0,
               low[3], high[3];
        firn_motion_at(&c->motion, nextafter(sim->time, INFINITY), c->def.start, &pose);
        int is_bounded = c->shape && firn_shape_bounds(c->shape, low, high);
        for (int a = 0; a < 3; a++) {
            double arm =
                is_bounded ? fmax(fabs(low[a] - pose.pivot[a]), fabs(high[a] - pose.pivot[a])) : 0;
            spin += pose.spin[a] * pose.spin[a];
            shift += pose.velocity[a] * pose.velocity[a];
            reach += arm * arm;
        }
        rate = fmax(rate, (speed + sqrt(shift) + sqrt(spin * reach)) / sim->h);
    }
    return rate;
}
