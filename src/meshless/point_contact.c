/* SPDX-License-Identifier: MIT */
/* point_contact.c: admissible positions at the end of a step. A particle keeps half the edge of its
 * cube from every surface; one that began the step nearer than that may stay as near as it was, so
 * that nothing is thrown out. */
#include "meshless/point_contact.h"

#include <string.h>

int firn_point_contact_held(const firn_sim *sim, int32_t i, double x[3])
{
    const struct firn_meshless *s = sim->meshless;
    const int m = firn_meshless_material(sim, i);
    const firn_particles *particles = &s->particles[m];
    if (!particles->n_components[FIRN_FIELD_GRIP]) return 0;
    const uint32_t bits =
        (uint32_t)firn_meshless_value(particles, FIRN_FIELD_GRIP, i - s->first[m], 0);
    for (int g = 0; bits && g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        if (!(bits >> g & 1) || !grip->is_active || grip->def.mode != FIRN_GRIP_MOTION) continue;
        if (grip->def.free_axes[0] || grip->def.free_axes[1] || grip->def.free_axes[2]) continue;
        firn_moved_point point = {.mass = s->mass[i]};
        memcpy(point.before, s->x + 3 * i, sizeof point.before);
        firn_grip_hold(grip, &point);
        memcpy(x, point.x, sizeof point.x);
        return 1;
    }
    return 0;
}

void firn_point_contact_keep_out(const firn_sim *sim, int32_t i, double x[3])
{
    const struct firn_meshless *s = sim->meshless;
    const double *before = s->x + 3 * i, radius = 0.5 * s->spacing[i], end = sim->time + sim->dt;
    const firn_grid_def *grid = &sim->scene.grid;
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_collider *collider = &sim->colliders[c];
        firn_surface_point at, was;
        if (!collider->is_active) continue;
        if (!firn_contact_surface(collider, x, end, radius, &at)) continue;
        const double wanted = firn_contact_surface(collider, before, end, radius, &was)
                                  ? fmin(radius, was.distance)
                                  : radius;
        for (int a = 0; at.distance < wanted && a < 3; a++)
            x[a] += (wanted - at.distance) * at.normal[a];
    }
    for (int w = 0; grid->has_box && w < 6; w++) {
        const int axis = w / 2;
        if (grid->walls[w] == FIRN_WALL_OPEN || grid->walls[w] == FIRN_WALL_DELETE) continue;
        if (w & 1)
            x[axis] = fmin(x[axis], fmax(grid->box_max[axis] - radius, before[axis]));
        else
            x[axis] = fmax(x[axis], fmin(grid->box_min[axis] + radius, before[axis]));
    }
}
