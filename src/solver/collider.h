/* SPDX-License-Identifier: MIT */
/* collider.h: a collider of a running simulation, and its action on one point of material, which is
 * a node of a grid or a particle. Positions in metres, distances positive outside. */
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
    firn_pose pose;                      /* at the end of the step */
    firn_pose pose_before;               /* and at its beginning */
    double dt;                           /* of that step, s */
    int is_active, is_at_rest;           /* at rest: pose and surface as in the step before */
    int is_rigid;                        /* its shape never changes */
    double lipschitz, margin, smoothing; /* bounds of its distances, see collider.c */
    double displacement; /* m, largest of any surface point since particles last moved */
} firn_collider;

firn_status firn_colliders_create(firn_sim *sim, firn_messages *messages);
void firn_colliders_destroy(firn_sim *sim);
/* Poses at the beginning and at the end of the coming step. */
void firn_colliders_prepare(firn_sim *sim);
/* A rate, 1/s: with dt <= cfl / rate no surface passes a node within a step. */
double firn_colliders_rate(const firn_sim *sim);

/* ---------------------------------------------------------------- one point, see contact.c */

/* The surface at x where its distance is at most `reach` (0: x is inside); 0: it is farther away,
 * and only s->distance is set. */
int firn_contact_surface(const firn_collider *c, const double x[3], double time, double reach,
                         firn_surface_point *s);
/* Distance and velocity alone, which is cheaper; other members of *s are not set. */
int firn_contact_distance_query(const firn_collider *c, const double x[3], double time,
                                double reach, firn_surface_point *s);
double firn_contact_distance(const firn_collider *c, const double x[3], double time);

/* The projection of v onto what the contact admits. Pure: reads and writes nothing else. */
void firn_contact_resolve(firn_contact contact, double friction, double adhesion,
                          const double surface_v[3], const double n[3], double v[3]);
/* The ledger of a projection, from the velocities before and after it. */
void firn_contact_impulse(firn_boundary_impulse *e, const double x[3], double mass,
                          const double before[3], const double after[3], const double surface_v[3],
                          const double pivot[3]);

/* ---------------------------------------------------------------- one particle, see
 * point_collision.c */

/* A particle with its state before and after it was moved in this step. */
typedef struct firn_moved_point {
    double x[3], v[3], before[3], v_before[3], mass;
} firn_moved_point;

/* Resolves the path of a moved particle against a collider, at any thickness and speed; x and v
 * change where they meet. Returns the clearance (m) that is left, -INFINITY after contact.
 * `touched`: they were in contact in the step before, a hint that does not change the result. */
double firn_collider_keep_out(const firn_sim *sim, const firn_collider *c, int touched,
                              firn_moved_point *p, firn_boundary_impulse *e);
/* Contact and friction of wall w of the box; 0: it is open, deletes, or there is no box. */
int firn_contact_of_wall(const firn_grid_def *grid, int w, firn_contact *contact, double *friction);
/* A particle that something other than the grid has moved stays within the closed walls of the box.
 * Returns the length of the way back (m), 0 mostly. */
double firn_contact_keep_in(const firn_grid_def *grid, firn_moved_point *p,
                            firn_boundary_impulse *e);
/* The distance that surface and point together may travel before they can meet, m (collider.c). */
static inline double firn_collider_clearance(const firn_collider *c, double distance)
{
    return fmax((distance - c->margin) / c->lipschitz, distance - c->margin - c->smoothing);
}

#endif
