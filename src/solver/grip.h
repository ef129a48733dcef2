/* SPDX-License-Identifier: MIT */
/* grip.h: grips of a running simulation. A grip moves, pulls or leads the particles that were in
 * its region when it took hold (bits of the field GRIP), until its release. */
#ifndef FIRN_GRIP_H
#define FIRN_GRIP_H

#include "geometry/motion.h"
#include "geometry/shape.h"
#include "solver/boundary.h"
#include "solver/collider.h"

typedef struct firn_grip {
    firn_grip_def def;
    firn_shape *region;
    firn_motion motion;
    firn_pose pose, pose_before; /* at the end and at the beginning of the step */
    int is_active, has_taken;
    int64_t n_particles; /* held */
    double mass;         /* kg, of these */
} firn_grip;

firn_status firn_grips_create(firn_sim *sim, firn_messages *messages);
void firn_grips_destroy(firn_sim *sim);
void firn_grips_prepare(firn_sim *sim);
/* A rate, 1/s: dt <= cfl / rate is stable for grips in mode follow; 0: there are none. */
double firn_grips_rate(const firn_sim *sim);
/* Grips that begin now take hold of the particles in their regions. */
void firn_grips_take(firn_sim *sim, firn_messages *messages);
/* Whether grip g is among `bits` and pulls in this step. */
int firn_grip_pulls(const firn_sim *sim, uint32_t bits, int g);
/* Its impulse (N s) in this step on a particle at x with velocity v; start: the field START. */
void firn_grip_impulse(const firn_sim *sim, const firn_grip *g, const double x[3],
                       const double v[3], const double start[3], double mass, double impulse[3]);
/* Moves a held point rigidly with the grip over the step, on the axes that are not free:
 *     x' = p' + R' R^T (x - p),    v' = velocity + spin x (x' - p') */
void firn_grip_hold(const firn_grip *g, firn_moved_point *p);
/* Adds the impulse of a pull on a moved particle to the ledger *e. */
void firn_grip_add_pull(const firn_moved_point *p, const double impulse[3], const double pivot[3],
                        firn_boundary_impulse *e);

#endif
