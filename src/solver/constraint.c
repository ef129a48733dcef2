/* SPDX-License-Identifier: MIT */
/* constraint.c: projection of a velocity onto a constraint, and its ledger (constraint.h).
 * contact.c has the projection of a contact.
 *
 * A hold sets the components along its axes, v_a = limit_a. It is a projection as well: applied
 * twice it changes nothing, and so do stick and slip. `separate` is the projection onto the half
 * space (v - v_c) . n >= 0, followed by the shrinking of the tangential part by friction. */
#include "solver/constraint.h"
#include "solver/collider.h"

void firn_constraint_project(const firn_constraint *c, double v[3])
{
    if (!c->is_hold) {
        firn_contact_resolve(c->contact, c->friction, c->adhesion, c->limit, c->normal, v);
        return;
    }
    for (int a = 0; a < 3; a++)
        if (!c->free_axes[a]) v[a] = c->limit[a];
}

/* A held point moves with the hold, so the reference velocity of its work is its own, and nothing
 * slips: the work is all of J . v, friction none. */
void firn_constraint_impulse(const firn_constraint *c, const double x[3], double mass,
                             const double before[3], const double after[3],
                             firn_boundary_impulse *e)
{
    firn_contact_impulse(e, x, mass, before, after, c->is_hold ? after : c->surface_v, c->pivot);
}
