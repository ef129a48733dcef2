/* SPDX-License-Identifier: MIT */
/* punch.c: a flat, smooth punch of width B goes into a deep block that yields at the shear
 * stress k. Slip lines give its pressure in the limit (L. Prandtl, Nachr. Ges. Wiss. Goettingen,
 * 1920),
 *
 *     p = (2 + pi) k,          k = yield / sqrt 3 in plane strain,
 *
 * from the wedge under the punch, fans of 90 degrees beside it and wedges that rise to the
 * surface, 3 B across:
 *
 *                |  B  |
 *     -----+-----+_____+-----+-----
 *           \   / \   / \   /
 *            \_/   \ /   \_/
 *              \____v____/
 *
 * Half of it stands beside a mirror, 4 B wide and 6 B deep on a smooth floor: less than 4.4 B
 * deep it would be split at a lower load (R. Hill, The Mathematical Theory of Plasticity, 1950).
 * The block is elastic first, with E = 4000 k, and the deeper the punch is the more it takes;
 * between is the limit: the mean over the way from 0.02 B to 0.08 B. */
#include "verify.h"

#include <math.h>
#include <string.h>

static double pressure(int cells, double k)
{
    const double dx = 0.01, B = cells * dx, speed = 0.04, from = 0.02 * B / speed,
                 until = 0.08 * B / speed;
    verify_scene s;
    verify_scene_init(&s, dx, "von_mises", 4000 * k, 0.45, 1000);
    verify_parameter(&s, "yield", k * sqrt(3));
    verify_mirrors(&s, 1 | 2 | 4 | 16 | 32, (double[3]){0, 0, 0}, (double[3]){4 * B, 8 * B, dx});
    verify_slice(&s, (double[2]){0, 0}, (double[2]){4 * B, 6 * B}, 2);
    firn_collider_def *punch = verify_floor(&s, 1, 0);
    firn_shape_def *box = &s.collider_shapes[0];
    strcpy(box->kind, "box");
    box->center[1] = 6.5 * B;
    box->size[0] = B;
    box->size[1] = B;
    box->size[2] = 10 * dx;
    punch->contact = FIRN_SEPARATE;
    punch->particle_pass = 1;
    punch->motion.velocity[1] = -speed;
    firn_sim *sim = verify_start(&s);
    firn_reaction before, after;
    verify_go(sim, from);
    firn_sim_collider_reaction(sim, 0, &before);
    verify_go(sim, until);
    firn_sim_collider_reaction(sim, 0, &after);
    firn_sim_destroy(sim);
    /* one layer of two, under half of the punch */
    return (before.impulse[1] - after.impulse[1]) / (until - from) / (0.5 * B * 0.5 * dx);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    const double k = 1000, prandtl = 2 + 3.14159265358979323846;
    verify_near(&table, "punch 8 cells wide: pressure over shear yield", prandtl,
                pressure(8, k) / k, 0.04, 0);
    if (table.is_full)
        verify_near(&table, "punch 16 cells wide: pressure over shear yield", prandtl,
                    pressure(16, k) / k, 0.04, 0);
    return verify_end(&table);
}
