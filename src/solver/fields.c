/* SPDX-License-Identifier: MIT */
/* fields.c: names and sizes from the list of fields. */
#include "solver/fields.h"

/* Both tables are made from the list in fields.h: a field that is added there needs no line
 * here. */
const char *firn_field_name(firn_field field)
{
    static const char *const names[FIRN_N_FIELDS] = {
#define FIELD(name, text, n, unit, meaning) text,
        FIRN_FIELDS(FIELD)
#undef FIELD
    };
    return names[field];
}

int firn_field_components(firn_field field)
{
    static const int n_components[FIRN_N_FIELDS] = {
#define FIELD(name, text, n, unit, meaning) n,
        FIRN_FIELDS(FIELD)
#undef FIELD
    };
    return n_components[field];
}
