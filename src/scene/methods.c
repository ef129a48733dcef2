/* SPDX-License-Identifier: MIT */
/* methods.c: the table of methods. A new method is one line here (solver/method.h). */
#include "scene/methods.h"
#include "meshless/meshless.h"
#include "mpm/mpm.h"

#include <string.h>

static const firn_method *const methods[] = {
    &firn_method_mpm, &firn_method_sph_elastic,  &firn_method_sph_corotated,
    &firn_method_efg, &firn_method_peridynamics, &firn_method_sph_fluid,
};
enum { N_METHODS = sizeof methods / sizeof *methods };

const firn_method *firn_method_at(int i) { return i >= 0 && i < N_METHODS ? methods[i] : NULL; }

const firn_method *firn_method_find(const char *name)
{
    for (int i = 0; i < N_METHODS; i++)
        if (strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}
