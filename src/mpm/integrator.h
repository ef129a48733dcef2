/* SPDX-License-Identifier: MIT */
/* integrator.h: time integration on the grid, from t to t + dt. One entry of the table per
 * integrator; the scene's `time: {integrator: ...}` selects.
 *
 * What an integrator may rely on: particles are sorted, sim->dt is the stable step of time_step.c,
 * laws evaluate a trial state without committing it (laws/law.h), and constraints of nodes are pure
 * projections (solver/constraint.h). */
#ifndef FIRN_INTEGRATOR_H
#define FIRN_INTEGRATOR_H

#include "solver/sim.h"

typedef struct firn_integrator {
    const char *name, *summary;
    firn_implicit_use is_implicit; /* steps not bounded by waves and viscosity (time_step.c) */
    /* From particles at sim->time to particles at sim->time + sim->dt, with sim->dt reduced where
     * the step check requires it. `clock`: the end of the last stage. *end: the time reached;
     * unchanged when no particle has moved. */
    firn_status (*advance)(firn_sim *sim, double clock, double *end, firn_messages *messages);
} firn_integrator;

extern const firn_integrator firn_integrator_symplectic; /* integrator_symplectic.c */
extern const firn_integrator firn_integrator_implicit;   /* integrator_implicit.c */
extern const firn_integrator firn_integrator_midpoint;
extern const firn_integrator firn_integrator_quasi_static;
extern const firn_integrator firn_integrator_auto;

/* The table: in order; NULL after the last, or where there is none of that name. */
const firn_integrator *firn_integrator_at(int i);
const firn_integrator *firn_integrator_find(const char *name);

#endif
