/* SPDX-License-Identifier: MIT */
/* particle_collision.c: the second pass of colliders, on particles: those that moved into or
 * through a thin collider are put back on its surface (solver/point_collision.c).
 *
 * Each particle keeps a lower bound of the path to the nearest surface (field CLEAR), so that few
 * are queried; distance_cache.c derives it. A push by one collider moves the particle and so
 * reduces all of its bounds by the length of the push. What a push would carry through a closed
 * wall of the box stays at the wall: walls come last. */
#include "mpm/block_places.h"
#include "mpm/particle_boundary.h"

#include <math.h>

/* `all`: colliders besides the nearest may have been met. */
void firn_particle_collision_act(firn_block_point *s, int all, firn_boundary_impulse *impulses)
{
    const firn_sim *sim = s->sim;
    const int64_t bundle = s->block->first + s->p / 16;
    double *x = s->moved.x, pushed = 0;
    firn_distance_cache_clearances clear =
        firn_distance_cache_recall(s->particles, bundle, s->p % 16);
    const int touched = clear.nearest == -INFINITY ? clear.which : -1;
    if (all) clear = (firn_distance_cache_clearances){INFINITY, INFINITY, 0};
    int first = all ? 0 : clear.which, end = all ? sim->n_colliders : clear.which + 1;
    for (int c = first; c < end; c++) {
        if (!sim->colliders[c].is_active || !sim->colliders[c].def.particle_pass) continue;
        double was[3] = {x[0], x[1], x[2]}, push2 = 0;
        double clearance = firn_collider_keep_out(sim, &sim->colliders[c], c == touched, &s->moved,
                                                  &impulses[sim->mpm->impulse_of[c]]);
        if (clearance == -INFINITY) {
            pushed += firn_contact_keep_in(&sim->scene.grid, &s->moved,
                                           &impulses[sim->mpm->impulse_of[firn_sim_walls(sim)]]);
            firn_block_point_store(s);
        }
        for (int a = 0; a < 3; a++) push2 += (x[a] - was[a]) * (x[a] - was[a]);
        pushed += sqrt(push2);
        if (!all)
            clear.nearest = clearance;
        else if (clearance < clear.nearest) {
            clear.others = clear.nearest;
            clear.nearest = clearance;
            clear.which = c;
        } else
            clear.others = fmin(clear.others, clearance);
    }
    clear.nearest -= pushed;
    clear.others -= pushed;
    firn_distance_cache_remember(s->particles, bundle, s->p % 16, &clear);
}
