/* SPDX-License-Identifier: MIT */
/* collapse.c: columns that fall apart under their own weight.
 *
 * Dam break (J. C. Martin, W. J. Moyce, Phil. Trans. R. Soc. A 244, 1952, n^2 = 2): water, a =
 * 57.15 mm wide and 2 a high, is let go at one side. With T = t sqrt(2 g / a) and Z the place of
 * the front over a:
 *
 *     T  0.84  1.19  1.63  1.98  2.51  2.98          Z  1.22  1.44  1.89  2.33  3.00  3.67
 *
 * In the plane, without friction, c = 15 m/s, ten times the speed of the front, which is that of
 * the foremost particle. In the experiment a membrane had to open first and the floor to be
 * wetted: a computed front may lead, and leads by more the finer the cells; it must not lag by
 * 10 %. The speed of the front late in the fall, dZ/dT = 1.34, knows nothing of the start and is
 * held to 10 % both ways.
 *
 * Granular column (G. Lube, H. E. Huppert, R. S. J. Sparks, M. A. Hallworth, J. Fluid Mech. 508,
 * 2004): a cylinder of grains, r_i wide and a r_i high, is let go on a rough floor; for a < 1.7
 * it comes to rest with the radius r_i (1 + 1.24 a), whatever the grains. By volume that is a
 * mean slope of 19 degrees for a = 0.5. A quarter of it between mirror walls; the edge is where
 * the height falls below half a cell. Coulomb friction without inertia rests at its own angle:
 * sand of 30 degrees stands too steep. Friction of 0.32 (18 degrees), to which continuum models
 * of slow flow are fitted (P.-Y. Lagree, L. Staron, S. Popinet, J. Fluid Mech. 686, 2011), comes
 * within the gate. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81, pi = 3.14159265358979323846;

/* ---------------------------------------------------------------- water */

static void dam(verify_table *table, int cells)
{
    static const double T[] = {0.84, 1.19, 1.63, 1.98, 2.51, 2.98},
                        Z[] = {1.22, 1.44, 1.89, 2.33, 3.00, 3.67};
    verify_scene s;
    char name[96];
    const double a = 0.05715, h = a / cells;
    double front[6];
    verify_scene_init(&s, h, "liquid", 0, 0, 998.2);
    verify_parameter(&s, "c", 15);
    verify_parameter(&s, "viscosity", 1e-3);
    verify_parameter(&s, "tension", 0);
    verify_mirrors(&s, 1 | 4 | 16 | 32, (double[3]){0, 0, 0}, (double[3]){100 * a, 100 * a, h});
    verify_slice(&s, (double[2]){0, 0}, (double[2]){a, 2 * a}, 2);
    s.scene.gravity[1] = -g;
    s.scene.transfer.scheme = FIRN_FLIP;
    s.scene.transfer.flip_blend = 0.95;
    firn_sim *sim = verify_start(&s);
    for (int k = 0; k < 6; k++) {
        verify_go(sim, T[k] / sqrt(2 * g / a));
        front[k] = (verify_ledger(sim).max[0] + h / 4) / a;
        snprintf(name, sizeof name, "dam break a = %d dx T = %g: front over Martin and Moyce's %g",
                 cells, T[k], Z[k]);
        verify_at_least(table, name, front[k] / Z[k], 0.9);
    }
    snprintf(name, sizeof name, "dam break a = %d dx: dZ/dT of the front from T = 1.98 to 2.98",
             cells);
    verify_near(table, name, (Z[5] - Z[3]) / (T[5] - T[3]), (front[5] - front[3]) / (T[5] - T[3]),
                0.1, 0);
    verify_beside(table, "dam_break", "Dam break: place of the front over a", "T = t sqrt(2 g / a)",
                  "Z", 6, T, Z, front);
    firn_sim_destroy(sim);
}

/* ---------------------------------------------------------------- sand */

/* Where the height, averaged around the axis over rings a cell wide, falls below half a cell. */
static double edge_of(firn_sim *sim, double h, double particle_volume)
{
    enum { RINGS = 400 };
    int64_t n = firn_sim_n_particles(sim);
    double *x = verify_copy(sim, "P"), height[RINGS] = {0}, edge = 0;
    for (int64_t i = 0; i < n; i++) {
        int ring = (int)(hypot(x[3 * i], x[3 * i + 2]) / h);
        if (ring < RINGS) height[ring] += particle_volume / (pi / 4 * h * h * (2 * ring + 1));
    }
    for (int k = 1; k < RINGS; k++)
        if (height[k - 1] >= h / 2 && height[k] < h / 2)
            edge = h * (k - 0.5 + (height[k - 1] - h / 2) / (height[k - 1] - height[k]));
    free(x);
    return edge;
}

static void column(verify_table *table, double aspect, int cells, double degrees)
{
    verify_scene s;
    char name[128];
    const double R = 0.1, h = R / cells, H = aspect * R, wanted = 1 + 1.24 * aspect;
    verify_scene_init(&s, h, "sand", 3.537e5, 0.3, 2200);
    verify_parameter(&s, "friction_angle", degrees * pi / 180);
    verify_box(&s, (double[3]){0, 0, 0}, (double[3]){R, H, R}, 2);
    firn_shape_def *pillar = &s.body_shapes[0][1];
    *pillar = firn_shape_default();
    strcpy(pillar->kind, "cylinder");
    pillar->csg = FIRN_INTERSECTION;
    pillar->radius = R;
    pillar->height = 4 * H;
    pillar->normal[0] = pillar->normal[2] = 0;
    pillar->normal[1] = 1;
    s.bodies[0].n_shapes = 2;
    verify_mirrors(&s, 1 | 16, (double[3]){0, -1, 0}, (double[3]){10, 10, 10});
    firn_collider_def *floor = verify_floor(&s, 1, 0);
    floor->touch = FIRN_TOUCH_SURFACE;
    floor->friction = 0.6;
    s.scene.gravity[1] = -g;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 6 * sqrt(H / g)); /* it stands after 4 of these */
    double edge = edge_of(sim, h, h * h * h / 8) / R;
    snprintf(name, sizeof name,
             "column of sand of %g degrees a = %g r_i = %d dx: radius at rest over %g r_i", degrees,
             aspect, cells, wanted);
    if (degrees > 20) {
        verify_known_below(table, name, edge / wanted, 0.85,
                           "friction alone stands at its own angle");
    } else {
        snprintf(name, sizeof name,
                 "column of sand of %g degrees a = %g r_i = %d dx: radius at rest over r_i",
                 degrees, aspect, cells);
        verify_near(table, name, wanted, edge, 0.15, 0);
    }
    firn_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    dam(&table, table.is_full ? 32 : 16);
    column(&table, 0.5, 12, 18);
    column(&table, 0.5, 12, 30);
    return verify_end(&table);
}
