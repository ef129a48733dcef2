/* SPDX-License-Identifier: MIT */
/* roundoff.c: what rounding of F does to slow motion of a stiff body.
 *
 * F <- (I + dt L) F is rounded in every step. An entry of order one errs by up to e, half a unit in
 * its last place (6e-8 in float, 1.1e-16 in double), and a strain e that no motion has made is
 * stress rho c^2 e: it turns into velocities of c e. Nine entries and some three roundings of each
 * are independent, and so are steps, so that after N steps
 *
 *     v_noise = 5 c e sqrt(N)
 *
 * Copper (c = 4,700 m/s) at 235,000 steps a second: 0.7 m/s in float after a second. The energy that
 * a spinning cube of it was measured to gain, 138 J for 573 kg, is that of 0.69 m/s; with double
 * 1e-9 of that. At a dt four times smaller roundings of consecutive steps are alike, and the same
 * cube was four times faster than the formula has it.
 *
 * A motion whose speed, or that of falling for as long, is less than ten times this is refused; or
 * warned of, where something may move it later (grips, emitters, force fields, moving colliders). */
#include "mpm/roundoff.h"
#include "base/messages.h"
#include "mpm/mpm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

double firn_roundoff_speed(const firn_sim *sim, double seconds, int *material)
{
    const double e = sim->mpm->kernels->is_double ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
    double most = 0;
    *material = 0;
    for (int m = 0; m < sim->n_materials && sim->dt > 0; m++) {
        const firn_particles *p = &sim->mpm->particles[m];
        const double v = 5 * p->at_rest.wave * e * sqrt(fmax(1, seconds / sim->dt));
        if (p->n_particles == 0 || !(v > most)) continue;
        most = v;
        *material = m;
    }
    return most;
}

static int may_be_moved(const firn_sim *sim)
{
    int may = sim->n_grips || sim->emission || sim->n_forces;
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_collider_def *def = &sim->colliders[c].def;
        const firn_motion_def *motion = &def->motion;
        may |= motion->n_keys > 0;
        for (int a = 0; a < 3; a++)
            may |=
                motion->velocity[a] != 0 || motion->spin[a] != 0 || def->surface_velocity[a] != 0;
    }
    return may;
}

firn_status firn_roundoff_check(const firn_sim *sim, double seconds, firn_messages *messages)
{
    const double *g = sim->scene.gravity;
    int m;
    if (!sim->mpm) return FIRN_OK; /* methods without a grid keep F in double */
    const double noise = firn_roundoff_speed(sim, seconds, &m),
                 motion = fmax(sim->rates.max_speed,
                               sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * seconds);
    if (motion <= 0 || noise <= 0.1 * motion) return FIRN_OK;
    char text[512];
    snprintf(text, sizeof text,
             "material '%s': round-off of %s precision would give it about %.2g m/s in %.3g s "
             "(waves of %.3g m/s, %.3g steps), and it moves at %.2g m/s; try: %s",
             sim->materials[m].resolved.name, sim->mpm->kernels->is_double ? "double" : "single",
             noise, seconds, sim->mpm->particles[m].at_rest.wave, seconds / sim->dt, motion,
             sim->mpm->kernels->is_double ? "a smaller E" : "scene.precision: double");
    if (!may_be_moved(sim)) return firn_messages_add(messages, FIRN_STOPPED, "%s", text);
    firn_messages_warn(messages, "%s", text);
    return FIRN_OK;
}
