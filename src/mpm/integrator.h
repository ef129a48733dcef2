/* SPDX-License-Identifier: MIT */
/* integrator.h: how a step goes from t to t + dt on the grid. One entry of the table each; the
 * scene's `time: {integrator: ...}` chooses. */
#ifndef FIRN_INTEGRATOR_H
#define FIRN_INTEGRATOR_H

#include "firn/sim.h"

typedef struct firn_integrator {
    const char *name, *summary;
    /* From particles at sim->time to particles at sim->time + sim->dt, with sim->dt made smaller
     * where the step asks for it. `clock`: when the last stage ended. *end: the time that was
     * reached, left alone when no particle has moved. */
    firn_status (*advance)(firn_sim *sim, double clock, double *end, firn_messages *messages);
} firn_integrator;

extern const firn_integrator firn_integrator_symplectic; /* integrator_symplectic.c */

/* The table: in order; NULL after the last, or where there is none of that name. */
const firn_integrator *firn_integrator_at(int i);
const firn_integrator *firn_integrator_find(const char *name);

#endif
