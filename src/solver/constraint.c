/* SPDX-License-Identifier: MIT */
/* constraint.c: see constraint.h; the physics of a contact is in contact.c. */
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

/* A hold moves with what it holds. */
void firn_constraint_book(const firn_constraint *c, const double x[3], double mass,
                          const double before[3], const double after[3], firn_boundary_impulse *e)
{
    firn_contact_book(e, x, mass, before, after, c->is_hold ? after : c->surface_v, c->pivot);
}
