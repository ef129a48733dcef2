/* SPDX-License-Identifier: MIT */
/* resume_rules.c: see resume_rules.h. One table of what is fixed. */
#include "session/resume_rules.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

/* Fixed member of a section, or of every item of a list; key NULL: the whole section. */
static const struct {
    const char *section, *key, *reason;
} fixed[] = {
    {"scene", "fps", "it numbers the frames that are written"},
    {"bodies", NULL,
     "their particles exist already; try: an emitter, from the start of the shot on"},
    {"materials", "name", "it identifies the material of particles"},
    {"materials", "law", "particles have the history of the old law"},
    {"materials", "rho", "the masses of particles are fixed"},
    {"emitters", "name", "it identifies emitted particles"},
    {"grips", "body", "the gripped particles are fixed at the start"},
    {"grips", "shape", "the gripped particles are fixed at the start"},
};

typedef struct scene {
    const char *text;
    firn_json *json;
} scene;

static int is_same(const scene *a, const firn_json_node *x, const scene *b, const firn_json_node *y)
{
    if (!x || !y) return x == y;
    size_t n = x->last_byte - x->first_byte;
    return n == y->last_byte - y->first_byte &&
           memcmp(a->text + x->first_byte, b->text + y->first_byte, n) == 0;
}

static void refuse(const char *section, const char *item, const char *key, const char *reason,
                   firn_messages *messages)
{
    firn_messages_add(messages, FIRN_REFUSED, "%s%s%s%s%s cannot change on resume: %s", section,
                      item ? "." : "", item ? item : "", key ? "." : "", key ? key : "", reason);
}

/* Added and missing items are refused by the restore. */
static void check(const scene *before, const scene *after, int k, firn_messages *messages)
{
    const char *section = fixed[k].section, *key = fixed[k].key;
    const firn_json_node *x = firn_json_member(firn_json_root(before->json), section);
    const firn_json_node *y = firn_json_member(firn_json_root(after->json), section);
    if (!x || !y) return;
    if (!key) {
        if (!is_same(before, x, after, y)) refuse(section, NULL, NULL, fixed[k].reason, messages);
        return;
    }
    int is_list = x->type == FIRN_JSON_ARRAY;
    if (is_list) {
        x = x->first;
        y = y->first;
    }
    for (; x && y; x = is_list ? x->next : NULL, y = y->next)
        if (!is_same(before, firn_json_member(x, key), after, firn_json_member(y, key)))
            refuse(section, is_list ? firn_json_string_of(x, "name", "") : NULL, key,
                   fixed[k].reason, messages);
}

firn_status firn_resume_rules_check(const char *before, size_t n_before, const char *after,
                                    size_t n_after, firn_messages *messages)
{
    scene a = {before, firn_json_parse(before, n_before, "the scene of the shot", messages)};
    scene b = {after, firn_json_parse(after, n_after, "the edited scene", messages)};
    for (size_t k = 0; a.json && b.json && k < sizeof fixed / sizeof *fixed; k++)
        check(&a, &b, (int)k, messages);
    firn_json_destroy(a.json);
    firn_json_destroy(b.json);
    return firn_messages_status(messages);
}

firn_status firn_resume_rules_check_setting(const char *before, size_t n_before,
                                            const char *setting, firn_messages *messages)
{
    char section[64], item[64], key[64], value[128];
    if (sscanf(setting, "%63[^.=].%63[^.=].%63[^.=]=%127s", section, item, key, value) != 4)
        return FIRN_OK;
    firn_json *json = firn_json_parse(before, n_before, "the scene of the shot", messages);
    const firn_json_node *list = json ? firn_json_member(firn_json_root(json), section) : NULL;
    firn_status status = FIRN_OK;
    for (const firn_json_node *x = list && list->type == FIRN_JSON_ARRAY ? list->first : NULL; x;
         x = x->next)
        for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) {
            if (!fixed[k].key || strcmp(fixed[k].section, section) != 0 ||
                strcmp(fixed[k].key, key) != 0)
                continue;
            const char *old = firn_json_string_of(x, key, "");
            if (strcmp(firn_json_string_of(x, "name", ""), item) != 0 || !*old ||
                strcmp(old, value) == 0)
                continue;
            refuse(section, item, key, fixed[k].reason, messages);
            status = FIRN_REFUSED;
        }
    firn_json_destroy(json);
    return status;
}
