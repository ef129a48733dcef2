/* SPDX-License-Identifier: MIT */
/* point_collision.c: a particle that moved in this step against one collider, however thin that is
 * and however fast either of them went.
 *
 * The path of the particle is taken relative to the moving surface, and traced from its beginning
 * by steps of the distance to the surface (sphere tracing), so nothing is jumped over. Where the
 * two meet, what is left of the path goes along the surface, and the velocity is projected as by
 * any contact (contact.c). */
#include "solver/collider.h"
#include "solver/sim.h"

#include <math.h>

/* Nearer than that is in touch, m. */
static double in_touch(const firn_sim *sim) { return 1e-3 * sim->h; }

/* What a particle at this distance may go before it is. */
static double clearance_of(const firn_sim *sim, const firn_collider *c, double distance)
{
    return firn_collider_clearance(c, distance - in_touch(sim));
}

/* The particle's way u in this step, seen from the surface where that is now, and its length. A
 * body carries what is fixed to it from the pose before to the pose now, whatever its velocity
 * at the end; what deforms goes `own` more. */
static double way_of(const firn_moved_point *s, const firn_collider *c, const double own[3],
                     double u[3])
{
    double y[3], carried[3], length2 = 0;
    firn_pose_to_shape(&c->pose_before, s->before, y);
    firn_pose_to_world(&c->pose, y, carried);
    for (int a = 0; a < 3; a++) {
        u[a] = s->x[a] - carried[a] - own[a];
        length2 += u[a] * u[a];
    }
    return sqrt(length2);
}

/* How far the surface near x deformed in this step, in the world. `at` is a distance_query at
 * its end; where files begin or end within it the velocity jumps, and each part of the step has
 * its own. */
static void deformation(const firn_sim *sim, const firn_collider *c, const double x[3],
                        const firn_surface_point *at, double own[3])
{
    const double end = sim->time + sim->dt;
    double rigid[3];
    for (int a = 0; a < 3; a++) own[a] = 0;
    if (c->is_rigid) return;
    firn_pose_velocity(&c->pose, x, rigid);
    for (double from = sim->time, until; from < end; from = until) {
        firn_surface_point there = *at;
        until = c->shape ? firn_shape_border(c->shape, from, end) : end;
        if (until < end) firn_contact_distance_query(c, x, until, INFINITY, &there);
        for (int a = 0; a < 3; a++)
            own[a] += (until - from) * (there.velocity[a] - rigid[a] - c->def.surface_velocity[a]);
    }
}

/* The way u of a particle in this step, seen from the moving surface, ends at x. Does it meet
 * the surface? Sphere tracing from its beginning: the distance of the surface is always safe to
 * go (see sdf_trace.h). Then `x` becomes the place that is left when the rest of the way glides
 * along the surface, and *s the surface where they met. However thin the wall and however fast
 * the particle, it stays on its side. *s comes as a distance_query at x, or with a distance that
 * is NAN where nobody has looked. What `touched` before begins on the surface, which is asked
 * for whole at once. */
static int meets(const firn_sim *sim, const firn_collider *c, int touched, const double u[3],
                 double x[3], firn_surface_point *s)
{
    enum { STEPS = 64 };
    const double time = sim->time + sim->dt, touch = in_touch(sim);
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), gone = 0, at[3], along = 0;
    int is_whole = touched;
    firn_surface_point there;
    for (int a = 0; a < 3; a++) at[a] = x[a] - u[a];
    if (touched) firn_contact_surface(c, at, time, INFINITY, &there);
    double distance = touched ? there.distance : firn_contact_distance(c, at, time);
    if (distance <
        -0.5 *
            sim->h) { /* it began deep inside: out by the shortest way, at most as far in a step */
        firn_contact_surface(c, x, time, INFINITY, s);
        if (s->distance > 0) return 0;
        double depth = fmin(-s->distance, 0.5 * sim->h);
        for (int a = 0; a < 3; a++) x[a] += depth * s->normal[a];
        return 1;
    }
    for (int step = 0; step < STEPS && distance > touch; step++) {
        gone += distance;
        if (gone >= length) return 0;
        for (int a = 0; a < 3; a++) at[a] = x[a] - u[a] * (1 - gone / length);
        distance = firn_contact_distance(c, at, time);
        is_whole = 0;
    }
    if (!is_whole) firn_contact_surface(c, at, time, INFINITY, &there);
    /* What lay on the surface may by rounding begin below it. The side of its beginning counts,
     * and not where its way ends, which may be behind a thin wall. */
    for (int a = 0; a < 3; a++) along += (x[a] - at[a]) * there.normal[a];
    along += fmin(there.distance, 0);
    if (along >= 0) return 0; /* it grazes the surface and leaves */
    for (int a = 0; a < 3; a++) x[a] -= along * there.normal[a];
    *s = there;
    return 1;
}

/* Returns the clearance that is left; -INFINITY where they met. Most only come near, and no more
 * than is needed to know that is asked first: they are out of touch all along. What touched a
 * body before mostly does so again, and one look where it begins tells. Either way the answer is
 * the same, as memory is not saved. */
double firn_collider_keep_out(const firn_sim *sim, const firn_collider *c, int touched,
                              firn_moved_point *p, firn_boundary_impulse *e)
{
    const double time = sim->time + sim->dt;
    firn_surface_point at = {.distance = NAN};
    double x[3], u[3] = {0}, v[3], was[3], own[3] = {0, 0, 0}, length = INFINITY;
    if (touched && c->is_rigid) length = way_of(p, c, own, u);
    if (length > sim->h) { /* so far in a step few go, and they are looked at with all others */
        if (!firn_contact_distance_query(c, p->x, time, 2 * sim->h, &at))
            return clearance_of(sim, c, at.distance);
        deformation(sim, c, p->x, &at, own);
        length = way_of(p, c, own, u);
        if (at.distance > c->steepness * length + in_touch(sim))
            return clearance_of(sim, c, at.distance);
    }
    for (int a = 0; a < 3; a++) {
        x[a] = p->x[a];
        v[a] = was[a] = p->v[a];
    }
    if (!meets(sim, c, touched, u, x, &at)) {
        if (isnan(at.distance)) at.distance = firn_contact_distance(c, p->x, time);
        return clearance_of(sim, c, at.distance);
    }
    firn_contact_resolve(c->def.contact, at.friction, 0, at.velocity, at.normal, v);
    for (int a = 0; a < 3; a++) {
        p->x[a] = x[a];
        p->v[a] = v[a];
    }
    firn_contact_book(e, p->x, p->mass, was, p->v, at.velocity, c->pose.position);
    return -INFINITY;
}
