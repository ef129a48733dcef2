/* SPDX-License-Identifier: MIT */
/* collider.h: a collider of a running simulation, and what it does to one point of material -
 * a node of a grid, or a particle. */
#ifndef FIRN_COLLIDER_H
#define FIRN_COLLIDER_H

#include "geometry/motion.h"
#include "geometry/shape.h"
#include "solver/boundary.h"

#include <math.h>

typedef struct firn_collider {
    firn_collider_def def; /* its pointers are not used after creation */
    firn_shape *shape;
    firn_motion motion;
    firn_pose pose;                 /* at the end of the step being made */
    firn_pose pose_before;          /* and at its beginning */
    double dt;                      /* of that step, s */
    int is_active, is_at_rest;      /* at rest: pose and surface as in the step before */
    int is_rigid;                   /* its shape never changes */
    double steepness, margin, blur; /* bounds of its distances, see mpm/distance_cache.c */
    double way; /* m: the longest of any point of it since particles last moved */
} firn_collider;

firn_status firn_colliders_create(firn_sim *sim, firn_messages *messages);
void firn_colliders_destroy(firn_sim *sim);
/* Poses at the beginning and at the end of the coming step. */
void firn_colliders_prepare(firn_sim *sim);
/* A rate (1/s) of which cfl / rate is a step in which no surface jumps over nodes. */
double firn_colliders_rate(const firn_sim *sim);

/* ---------------------------------------------------------------- one point, see contact.c */

/* The surface at x, when it is nearer than `reach` (0: when x is inside). */
int firn_contact_surface(const firn_collider *c, const double x[3], double time, double reach,
                         firn_surface_point *s);
/* The same distance and velocity, faster; other members of *s are not set. */
int firn_contact_distance_query(const firn_collider *c, const double x[3], double time,
                                double reach, firn_surface_point *s);
double firn_contact_distance(const firn_collider *c, const double x[3], double time);

/* The projection of a velocity: v as the contact allows it. Pure: nothing else is read or
 * written. */
void firn_contact_resolve(firn_contact contact, double friction, double adhesion,
                          const double surface_v[3], const double n[3], double v[3]);
/* The ledger of a projection, from the velocities before and after it. */
void firn_contact_book(firn_boundary_impulse *e, const double x[3], double mass,
                       const double before[3], const double after[3], const double surface_v[3],
                       const double pivot[3]);

/* ---------------------------------------------------------------- one particle, see
 * point_collision.c */

/* A particle with its state before and after it was moved in this step. */
typedef struct firn_moved_point {
    double x[3], v[3], before[3], v_before[3], mass;
} firn_moved_point;

/* Keeps a moved particle out of a collider however thin and fast that is; x and v change where
 * they met. Returns the clearance (m) that is left, -INFINITY where they met. `touched`: they
 * met in the step before; the answer does not depend on it. */
double firn_collider_keep_out(const firn_sim *sim, const firn_collider *c, int touched,
                              firn_moved_point *p, firn_boundary_impulse *e);
/* How far the collider's surface or a point `distance` away from it may go before they meet. */
static inline double firn_collider_clearance(const firn_collider *c, double distance)
{
    return fmax((distance - c->margin) / c->steepness, distance - c->margin - c->blur);
}

#endif
