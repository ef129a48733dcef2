/* SPDX-License-Identifier: MIT */
/* incline.c: Coulomb friction. An elastic cube lies on a plane tilted by 24 degrees (the frame
 * is tilted instead: gravity leans), its lower face on a plane of nodes. With mu = tan 15 it
 * slides with a = g (sin 24 - mu cos 24) = 1.588758 m/s^2; with mu = tan 26 it stays. Gravity
 * grows over 0.2 s, ten periods of the cube: put on suddenly it would make the pressure swing
 * between nothing and twice the weight, and whatever lies on a slope slips while nothing presses
 * it down.
 *
 * Why a cube. A sliding elastic body has its normal force in its friction, so its stiffness is
 * not symmetric and two of its modes may meet and grow: flutter, the squeal of brakes (J. A. C.
 * Martins, J. Guimaraes, L. O. Faria, Dynamic surface solutions in linear elasticity and
 * viscoelasticity with frictional boundary conditions, J. Vib. Acoust. 117, 1995). It is a
 * property of the body and not of the contact: finite elements (8 x 4 x 4 bricks, base on the
 * plane, traction mu R_y on it, eigenvalues of M^-1 K) give for a block twice as long as high,
 * with mu = tan 15 and without damping,
 *
 *     omega = 204.9 / s      growth 14.84 / s       the cube: none above a growth of 0.015 omega
 *
 * and that is what the block does here too, with a growth less by what the transfer damps (last
 * row). A fluttering block slides with the right mean only over whole cycles; a cube, which
 * APIC's damping keeps quiet, at any time. */
#include "verify.h"

#include <math.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180, g = 9.81, ramp = 0.2;

typedef struct slope {
    verify_scene scene;
    firn_force_key keys[2];
    firn_force_def weight;
} slope;

static void slope_make(slope *s, double length, double dx, int scheme, int contact, double mu)
{
    const double low[3] = {0, 0, 0}, high[3] = {length, 0.2, 0.2};
    verify_scene_init(&s->scene, dx, "neo_hookean", 1e6, 0.3, 1000);
    verify_box(&s->scene, low, high, 2);
    firn_collider_def *floor = verify_floor(&s->scene, 1, 0);
    floor->contact = contact;
    floor->friction = mu;
    s->scene.scene.transfer.scheme = scheme;
    s->scene.scene.transfer.flip_blend = 0.95;
    s->keys[0] = (firn_force_key){0, 0};
    s->keys[1] = (firn_force_key){ramp, 1};
    s->weight = firn_force_default();
    strcpy(s->weight.name, "weight");
    strcpy(s->weight.kind, "gravity");
    s->weight.vector[0] = g * sin(24 * degree);
    s->weight.vector[1] = -g * cos(24 * degree);
    s->weight.n_keys = 2;
    s->weight.keys = s->keys;
    s->scene.scene.n_forces = 1;
    s->scene.scene.forces = &s->weight;
}

typedef struct slid {
    double acceleration, moved, pressure_share;
} slid;

static slid slide(slope *s)
{
    const double from = 0.3, until = 0.6;
    firn_sim *sim = verify_start(&s->scene);
    verify_go(sim, from);
    firn_ledger a = verify_ledger(sim);
    firn_reaction before, after;
    firn_sim_collider_reaction(sim, 0, &before);
    verify_go(sim, until);
    firn_ledger b = verify_ledger(sim);
    firn_sim_collider_reaction(sim, 0, &after);
    firn_sim_destroy(sim);
    return (slid){
        (b.momentum[0] - a.momentum[0]) / a.mass / (until - from), b.center[0] - a.center[0],
        fabs((after.impulse[0] - before.impulse[0]) / (after.impulse[1] - before.impulse[1]))};
}

static void case_of(verify_table *table, int scheme, int contact, int spline, int is_double)
{
    static const char *const schemes[] = {"APIC", "FLIP", "PIC", "AFLIP"};
    const double mu = tan(15 * degree), a = g * (sin(24 * degree) - mu * cos(24 * degree));
    char how[64], name[128];
    slope s;
    snprintf(how, sizeof how, "%s%s %s %s", contact == FIRN_SLIP ? "slip " : "", schemes[scheme],
             spline == FIRN_CUBIC ? "cubic" : "quadratic", is_double ? "double" : "float");
    slope_make(&s, 0.2, 0.05, scheme, contact, mu);
    s.scene.scene.grid.spline = spline;
    s.scene.scene.is_double = is_double;
    slid r = slide(&s);
    snprintf(name, sizeof name, "incline 24 deg slides: %s (m/s^2)", how);
    verify_near(table, name, a, r.acceleration, 1e-3, 0);
    snprintf(name, sizeof name, "incline 24 deg: friction over pressure %s", how);
    verify_near(table, name, mu, r.pressure_share, 1e-4, 0);
    s.scene.colliders[0].friction = tan(26 * degree);
    r = slide(&s);
    snprintf(name, sizeof name, "incline 24 deg stays with mu = tan 26: %s (m in 0.3 s)", how);
    verify_at_most(table, name, fabs(r.moved), 1e-5);
}

/* Rate at which the ringing of the long block grows, from its kinetic energy without the slide:
 * between the first moment above 3e-4 J and the first above 3e-3 J, well below the 0.03 J at
 * which it loses touch. */
static void flutter(verify_table *table)
{
    slope s;
    slope_make(&s, 0.4, 0.025, FIRN_APIC, FIRN_SEPARATE, tan(15 * degree));
    firn_sim *sim = verify_start(&s.scene);
    double rung[2] = {0, 0}, peak = 0;
    const double level[2] = {3e-4, 3e-3}, period = 2 * 3.14159265358979323846 / 204.9;
    for (int k = 1; k < 500 && rung[1] == 0; k++) {
        double t = k * period / 12;
        verify_go(sim, t);
        firn_ledger b = verify_ledger(sim);
        peak =
            fmax(peak * (k % 12 ? 1 : 0), b.kinetic - 0.5 * b.momentum[0] * b.momentum[0] / b.mass);
        for (int i = 0; i < 2; i++)
            if (rung[i] == 0 && peak > level[i]) rung[i] = t;
    }
    firn_sim_destroy(sim);
    verify_near(table, "long block flutters: growth APIC dx 25 mm (1/s)", 14.84,
                0.5 * log(level[1] / level[0]) / (rung[1] - rung[0]), 0.25, 0);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    if (table.is_quick) {
        case_of(&table, FIRN_APIC, FIRN_SEPARATE, FIRN_CUBIC, 1);
        return verify_end(&table);
    }
    for (int scheme = FIRN_APIC; scheme <= FIRN_AFLIP; scheme++)
        for (int spline = FIRN_CUBIC; spline <= FIRN_QUADRATIC; spline++)
            for (int is_double = 0; is_double < 2; is_double++)
                case_of(&table, scheme, FIRN_SEPARATE, spline, is_double);
    case_of(&table, FIRN_PIC, FIRN_SLIP, FIRN_CUBIC, 1);
    if (table.is_full) flutter(&table);
    return verify_end(&table);
}
