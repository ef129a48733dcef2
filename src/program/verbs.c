/* SPDX-License-Identifier: MIT */
/* verbs.c: the register of verbs. A verb is a file cmd_NAME.c and one line here; the order is that
 * of --help. */
#include "program/cli.h"

#include <string.h>

/* clang-format off */
#define VERBS(V) \
    V(run) \
    V(check) \
    V(resume) \
    V(info) \
    V(verify) \
    V(clean) \
    V(materials) \
    V(lab) \
    V(compare) \
    V(farm) \
    V(fit) \
    V(render) \
    V(mesh) \
    V(embed) \
    V(convert) \
    V(bench) \
    V(help)
/* clang-format on */

#define DECLARE(name) extern const firn_cli_verb firn_cmd_##name;
#define POINTER(name) &firn_cmd_##name,

VERBS(DECLARE)

const firn_cli_verb *const firn_verbs[] = {VERBS(POINTER) NULL};

const firn_cli_verb *firn_verbs_find(const char *name)
{
    for (int i = 0; firn_verbs[i]; i++)
        if (!strcmp(firn_verbs[i]->name, name)) return firn_verbs[i];
    return NULL;
}
