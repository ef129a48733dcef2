/* SPDX-License-Identifier: MIT */
/* taylor.c: Taylor's impact test (G. I. Taylor, Proc. R. Soc. A 194, 1948). A copper rod, 32.4
 * mm long and 3.2 mm in radius, hits a rigid frictionless wall at 227 m/s; E = 117 GPa, nu =
 * .35, rho = 8930, yield 400 MPa, linear hardening 100 MPa. After 80 us published codes have a
 * foot of 7.1 to 7.2 mm and a length of 21.4 to 21.5 mm; the middle of each range is the
 * reference. A quarter of the rod stands between mirror walls.
 *
 * The foot is a thin lip that few cells resolve: 6.35, 6.85 mm with 5, 8 cells in the radius at
 * the start. */
#include "verify.h"

#include <math.h>
#include <string.h>

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    verify_scene s;
    const int cells = table.is_full ? 10 : 5;
    const double R = 3.2e-3, L = 32.4e-3, spacing = R / cells / 2;
    verify_scene_init(&s, R / cells, "von_mises", 117e9, 0.35, 8930);
    verify_parameter(&s, "yield", 400e6);
    verify_parameter(&s, "hardening", 100e6);
    verify_box(&s, (double[3]){0, 0, 0}, (double[3]){R, R, L}, 2)->velocity[2] = -227;
    firn_shape_def *rod = &s.body_shapes[0][1];
    *rod = firn_shape_default();
    strcpy(rod->kind, "cylinder");
    rod->csg = FIRN_INTERSECTION;
    rod->radius = R;
    rod->height = 2 * L;
    rod->normal[0] = rod->normal[1] = 0;
    rod->normal[2] = 1;
    s.bodies[0].n_shapes = 2;
    verify_mirrors(&s, 1 | 4 | 16, (double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 80e-6);
    firn_ledger b = verify_ledger(sim);
    double foot = 1e3 * (b.max[0] + spacing / 2);
    if (table.is_full)
        verify_near(&table, "Taylor bar: radius of the foot (mm)", 7.15, foot, 0.04, 0);
    else
        verify_known_below(&table, "Taylor bar of 5 cells in the radius: foot over 7.15 mm",
                           foot / 7.15, 0.96, "too few cells; the full table has 10");
    verify_near(&table, "Taylor bar: length (mm)", 21.45, 1e3 * (b.max[2] + spacing / 2), 0.02, 0);
    firn_sim_destroy(sim);
    return verify_end(&table);
}
