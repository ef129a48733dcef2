/* SPDX-License-Identifier: MIT */
/* contact.c: one point of material - a node, or a particle in the second pass - against one body.
 *
 * Inside a body whose surface moves with v_c and has the outward normal n, with relative
 * velocity u = v - v_c, u_n = u . n:
 *
 *     stick      v = v_c
 *     slip       u loses u_n n; what is left is slowed by friction against |u_n|
 *     separate   as slip while u_n < s, free beyond
 *         s = stickiness h^2 dt / m: the adhesive impulse of a node
 *     friction   |u_t| shrinks by mu (s - u_n), to nothing at most (Coulomb on impulses)
 *
 * The ledger of it, with J = m (v_after - v_before) the impulse on the material. Over the step
 * the point moves with v_after, so J does the work J . v_after: J . v_c of it is done by the
 * body, and -J . (v_after - v_c) >= 0, the slip against friction, is lost. A body at rest does
 * no work, whatever hits it. */
#include "solver/collider.h"

#include <math.h>
#include <string.h>

/* A function's surface moves along its normal with the speed - d(distance)/dt: that of the step,
 * so that a surface which the caller moves and one that the motion moves push alike. */
static void query_function(const firn_collider *c, const double y[3], double time,
                           firn_surface_point *s)
{
    double unused[3];
    *s = (firn_surface_point){.friction = NAN, .stickiness = NAN};
    s->distance = c->def.distance(c->def.distance_user, y, time, s->normal);
    double came =
        c->dt > 0
            ? (c->def.distance(c->def.distance_user, y, time - c->dt, unused) - s->distance) / c->dt
            : 0;
    for (int a = 0; a < 3; a++) s->velocity[a] = came * s->normal[a];
}

/* From the speed of the surface in the shape to that in the world. */
static void set_velocity(const firn_collider *c, const double x[3], firn_surface_point *s)
{
    double own[3] = {0, 0, 0}, rigid[3];
    if (!c->is_rigid) firn_pose_direction(&c->pose, s->velocity, own);
    firn_pose_velocity(&c->pose, x, rigid);
    for (int a = 0; a < 3; a++) s->velocity[a] = own[a] + rigid[a] + c->def.surface_velocity[a];
}

int firn_contact_surface(const firn_collider *c, const double x[3], double time, double reach,
                         firn_surface_point *s)
{
    double y[3], normal[3];
    firn_pose_to_shape(&c->pose, x, y);
    if (c->shape)
        firn_shape_query(c->shape, y, time, s);
    else
        query_function(c, y, time, s);
    if (!(s->distance <= reach)) return 0;
    memcpy(normal, s->normal, sizeof normal);
    firn_pose_direction(&c->pose, normal, s->normal);
    set_velocity(c, x, s);
    if (isnan(s->friction)) s->friction = c->def.friction;
    if (isnan(s->stickiness)) s->stickiness = c->def.stickiness;
    return 1;
}

int firn_contact_distance_query(const firn_collider *c, const double x[3], double time,
                                double reach, firn_surface_point *s)
{
    double y[3];
    if (!c->shape) return firn_contact_surface(c, x, time, reach, s);
    firn_pose_to_shape(&c->pose, x, y);
    firn_shape_distance_query(c->shape, y, time, s);
    if (!(s->distance <= reach)) return 0;
    set_velocity(c, x, s);
    return 1;
}

double firn_contact_distance(const firn_collider *c, const double x[3], double time)
{
    double y[3], normal[3];
    firn_pose_to_shape(&c->pose, x, y);
    return c->shape ? firn_shape_distance(c->shape, y, time)
                    : c->def.distance(c->def.distance_user, y, time, normal);
}

void firn_contact_resolve(firn_contact contact, double friction, double adhesion,
                          const double surface_v[3], const double n[3], double v[3])
{
    double u[3], un = 0;
    for (int a = 0; a < 3; a++) {
        u[a] = v[a] - surface_v[a];
        un += u[a] * n[a];
    }
    if (contact == FIRN_STICK) {
        memcpy(v, surface_v, 3 * sizeof *v);
        return;
    }
    if (contact == FIRN_SEPARATE && un >= adhesion) return;
    double t2 = 0;
    for (int a = 0; a < 3; a++) {
        u[a] -= un * n[a];
        t2 += u[a] * u[a];
    }
    double t = sqrt(t2), press = adhesion + (contact == FIRN_SLIP ? fabs(un) : -un);
    double keep = t > friction * press ? 1 - friction * press / t : 0;
    if (friction <= 0) keep = 1;
    for (int a = 0; a < 3; a++) v[a] = surface_v[a] + keep * u[a];
}

void firn_contact_book(firn_boundary_impulse *e, const double x[3], double mass,
                       const double before[3], const double after[3], const double surface_v[3],
                       const double pivot[3])
{
    double d[3], r[3];
    for (int a = 0; a < 3; a++) {
        d[a] = mass * (before[a] - after[a]);
        r[a] = x[a] - pivot[a];
        e->impulse[a] += d[a];
        e->work -= d[a] * surface_v[a];
        e->friction += d[a] * (after[a] - surface_v[a]);
    }
    e->torque[0] += r[1] * d[2] - r[2] * d[1];
    e->torque[1] += r[2] * d[0] - r[0] * d[2];
    e->torque[2] += r[0] * d[1] - r[1] * d[0];
}
