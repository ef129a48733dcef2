/* SPDX-License-Identifier: MIT */
/* contact.c: one point of material, a node or a particle, against one body.
 *
 * Inside a body whose surface moves with v_c and has the outward normal n, with relative velocity u
 * = v - v_c, u_n = u . n, u_t = u - u_n n:
 *
 *     stick      v = v_c
 *     slip       u_n = 0, u_t shrinks by mu |u_n|
 *     separate   u_n < s: u_n = 0, u_t shrinks by mu (s - u_n); free beyond
 *                s = stickiness h^2 dt / m, m/s: the adhesive impulse of a node per mass
 *
 * The tangential speed shrinks to zero at most. This is Coulomb's law on impulses: the normal
 * impulse per mass is s - u_n, and the tangential one is at most mu times it.
 *
 *
 *
 * Ledger. With J = m (v_after - v_before) the impulse on the material, which moves with v_after
 * over the step, J does the work J . v_after: the part J . v_c is done by the body, and the rest,
 * -J . (v_after - v_c) >= 0, is dissipated by slip. A body at rest does no work. */
#include "solver/collider.h"

#include <math.h>
#include <string.h>

/* A distance function of the caller. d(x(t), t) = 0 on the surface gives the normal speed - dd/dt
 * of it, here the difference over the step, so that a surface that the function moves and one that
 * its motion moves have the same effect. */
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

/* The velocity of the surface in the world, m/s: deformation, turned into the world, plus rigid
 * motion, plus that of a conveyor. */
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

/* mu = 0 keeps u_t to the last bit (keep = 1), so frictionless contact is an exact projection. */
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

/* Mirror walls slide without friction. */
int firn_contact_of_wall(const firn_grid_def *grid, int w, firn_contact *contact, double *friction)
{
    static const firn_contact contacts[] = {
        [FIRN_WALL_STICK] = FIRN_STICK,       [FIRN_WALL_SLIP] = FIRN_SLIP,
        [FIRN_WALL_SEPARATE] = FIRN_SEPARATE, [FIRN_WALL_MIRROR] = FIRN_SLIP,
        [FIRN_WALL_NO_SLIP] = FIRN_STICK,
    };
    const firn_wall wall = grid->walls[w];
    if (!grid->has_box || wall == FIRN_WALL_OPEN || wall == FIRN_WALL_DELETE ||
        wall == FIRN_WALL_PERIODIC)
        return 0;
    *contact = contacts[wall];
    *friction = wall == FIRN_WALL_MIRROR ? 0 : grid->wall_friction;
    return 1;
}

/* What acts on particles after the grid may carry them through a wall, which acts on nodes alone.
 * Such a particle goes to the wall, or as far beyond it as it was before; its velocity is projected
 * by (10) of src/mpm/README.md. Returns the length of the way back, m. */
double firn_contact_keep_in(const firn_grid_def *grid, firn_moved_point *p,
                            firn_boundary_impulse *e)
{
    const double rest[3] = {0, 0, 0}, was[3] = {p->x[0], p->x[1], p->x[2]};
    double way2 = 0;
    for (int w = 0; grid->has_box && w < 6; w++) {
        const int a = w / 2;
        const double side = w & 1 ? -1 : 1, wall = w & 1 ? grid->box_max[a] : grid->box_min[a];
        const double before = fmin(0, side * (p->before[a] - wall));
        firn_contact contact;
        double friction, n[3] = {0, 0, 0}, v[3] = {p->v[0], p->v[1], p->v[2]};
        if (side * (p->x[a] - wall) >= before) continue;
        if (!firn_contact_of_wall(grid, w, &contact, &friction)) continue;
        p->x[a] = wall + side * before;
        n[a] = side;
        if (side * p->v[a] >= 0) continue;
        firn_contact_resolve(contact, friction, 0, rest, n, p->v);
        firn_contact_impulse(e, p->x, p->mass, v, p->v, rest, rest);
    }
    for (int a = 0; a < 3; a++) way2 += (p->x[a] - was[a]) * (p->x[a] - was[a]);
    return sqrt(way2);
}

/* d = m (before - after) is what the body receives. Work on the material: -d . v_c; dissipated: d .
 * (after - v_c) = -J . (v_after - v_c). */
void firn_contact_impulse(firn_boundary_impulse *e, const double x[3], double mass,
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
