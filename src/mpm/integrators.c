/* SPDX-License-Identifier: MIT */
/* integrators.c: the table of integrators. A new one is a file integrator_NAME.c and one line
 * here. */
#include "mpm/integrator.h"

#include <string.h>

static const firn_integrator *const integrators[] = {
    &firn_integrator_symplectic,   &firn_integrator_implicit, &firn_integrator_midpoint,
    &firn_integrator_quasi_static, &firn_integrator_auto,
};
enum { N_INTEGRATORS = sizeof integrators / sizeof *integrators };

const firn_integrator *firn_integrator_at(int i)
{
    return i >= 0 && i < N_INTEGRATORS ? integrators[i] : NULL;
}

const firn_integrator *firn_integrator_find(const char *name)
{
    for (int i = 0; i < N_INTEGRATORS; i++)
        if (strcmp(integrators[i]->name, name) == 0) return integrators[i];
    return NULL;
}
