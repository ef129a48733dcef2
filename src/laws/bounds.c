/* SPDX-License-Identifier: MIT */
/* bounds.c: kinds of bounds by name: columns n_bounded_NAME of the ledger, and what each means
 * for a law. INVERTED and PARAMETER can meet every law, the others those whose table names them. */
#include "firn/laws.h"

#include <stddef.h>

static const struct {
    const char *name, *meaning; /* meaning NULL: the law's table has it */
} kinds[FIRN_N_BOUNDS] = {
    [FIRN_BOUND_INVERTED] = {"inverted", "det F <= 0 where the law has no such state"},
    [FIRN_BOUND_PARAMETER] = {"parameter", "noise, temperature or paint took a parameter out of "
                                           "its range, at whose end it is held"},
    [FIRN_BOUND_COLLAPSED] = {"collapsed", NULL},
    [FIRN_BOUND_VOLUME] = {"volume", NULL},
    [FIRN_BOUND_CONTINUED] = {"continued", NULL},
    [FIRN_BOUND_HARDENING] = {"hardening", NULL},
    [FIRN_BOUND_FLOW] = {"flow", NULL},
    [FIRN_BOUND_MEMORY] = {"memory", NULL},
};

const char *firn_bound_name(int kind)
{
    return kind >= 0 && kind < FIRN_N_BOUNDS ? kinds[kind].name : NULL;
}

const char *firn_bound_meaning(const firn_law_info *law, int kind)
{
    if (!firn_bound_name(kind)) return NULL;
    for (int i = 0; i < law->n_bounds; i++)
        if ((int)law->bounds[i].kind == kind) return law->bounds[i].meaning;
    return kinds[kind].meaning;
}
