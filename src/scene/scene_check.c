/* SPDX-License-Identifier: MIT */
/* scene_check.c: every error of a scene definition at once, each with the path of what is wrong.
 *
 * First by the tables of scene_schema.c: markers, ranges, words, texts, lists. Then relations that
 * no table holds (scene_relations.c): names that must exist, ends after starts, shapes or points
 * but not both. */
#include "scene/scene_check.h"
#include "base/messages.h"
#include "base/suggest.h"
#include "scene/scene_complaints.h"
#include "scene/scene_relations.h"
#include "scene/scene_schema.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- by the tables */

static void check_section(firn_complaints *c, const firn_schema_section *section, const void *def);

static int is_text_ended(const char *text, size_t size) { return memchr(text, 0, size) != NULL; }

/* Items go by name where they have one, as in scene files and --set; else by number from 0. */
static size_t enter_item(firn_complaints *c, const firn_schema_key *list, const void *item, int i)
{
    char key[FIRN_NAME + 16];
    const firn_schema_key *name =
        list->section->is_named ? firn_schema_find(list->section, "name") : NULL;
    const char *text = name ? (const char *)item + name->offset : "";
    if (name && is_text_ended(text, name->size) && *text)
        snprintf(key, sizeof key, "%s", text);
    else
        snprintf(key, sizeof key, "%d", i);
    return firn_complaints_enter(c, key);
}

static void check_names(firn_complaints *c, const firn_schema_key *list, const void *def)
{
    const firn_schema_key *name = firn_schema_find(list->section, "name");
    int n = firn_schema_list_count(list, def);
    for (int i = 1; i < n; i++) {
        const char *item = firn_schema_list_item(list, def, i);
        for (int j = 0; j < i; j++) {
            const char *other = firn_schema_list_item(list, def, j);
            if (!item[name->offset] ||
                strncmp(item + name->offset, other + name->offset, name->size) != 0)
                continue;
            size_t at = enter_item(c, list, item, i);
            firn_complaints_add(c, "has the same name as another of the %s", list->key);
            firn_complaints_leave(c, at);
            break;
        }
    }
}

static void check_list(firn_complaints *c, const firn_schema_key *list, const void *def)
{
    int n = firn_schema_list_count(list, def);
    const void *first = firn_schema_list_item(list, def, 0);
    if (n < 0 || (n > 0 && !first)) {
        firn_complaints_add(c, "has %d items but no array of them", n);
        return;
    }
    for (int i = 0; i < n; i++) {
        const void *item = firn_schema_list_item(list, def, i);
        size_t at = enter_item(c, list, item, i);
        check_section(c, list->section, item);
        firn_complaints_leave(c, at);
    }
    if (list->section->is_named) check_names(c, list, def);
}

static void check_number(firn_complaints *c, const firn_schema_key *option, double value)
{
    if (firn_schema_in_range(option, value)) return;
    char range[128];
    firn_schema_range_for(option, value, range);
    if (option->flags & FIRN_SCHEMA_REQUIRED && value == 0)
        firn_complaints_add(c, "is missing; allowed: %s", range);
    else
        firn_complaints_add(c, "is %g; allowed: %s", value, range);
}

static void check_text(firn_complaints *c, const firn_schema_key *option, const char *text)
{
    if (!is_text_ended(text, option->size))
        firn_complaints_add(c, "has no final zero within %zu bytes", option->size);
    else if (option->flags & FIRN_SCHEMA_REQUIRED && !*text)
        firn_complaints_add(c, "is missing");
}

static void check_option(firn_complaints *c, const firn_schema_key *option, const void *def)
{
    const char *member = (const char *)def + option->offset;
    size_t at = firn_complaints_enter(c, option->key);
    for (int i = 0; i < option->n; i++) switch (option->type) {
        case FIRN_SCHEMA_REAL:
        case FIRN_SCHEMA_MATRIX:
        case FIRN_SCHEMA_ROTATION: check_number(c, option, ((const double *)member)[i]); break;
        case FIRN_SCHEMA_INT: check_number(c, option, ((const int *)member)[i]); break;
        case FIRN_SCHEMA_INT64: check_number(c, option, (double)*(const int64_t *)member); break;
        case FIRN_SCHEMA_WORD: {
            int value = ((const int *)member)[i];
            char shown[512];
            firn_suggest_list(option->words, shown, sizeof shown);
            if (value < 0 || value >= firn_schema_n_words(option))
                firn_complaints_add(c, "is %d; allowed: %s", value, shown);
            break;
        }
        case FIRN_SCHEMA_TEXT: check_text(c, option, member); break;
        case FIRN_SCHEMA_LIST: check_list(c, option, def); break;
        case FIRN_SCHEMA_SECTION:
            if (firn_schema_is_present(option, def)) check_section(c, option->section, member);
            break;
        case FIRN_SCHEMA_SEED:
        case FIRN_SCHEMA_FLAG:
        case FIRN_SCHEMA_PARAMETERS: break;
        }
    firn_complaints_leave(c, at);
}

static void check_section(firn_complaints *c, const firn_schema_section *section, const void *def)
{
    if (section->has_marker && *(const uint32_t *)def != FIRN_MARKER) {
        firn_complaints_add(c, "was not made by its default function; try: firn_..._default()");
        return;
    }
    int n_before = c->n;
    for (int i = 0; i < section->n_options; i++) check_option(c, &section->options[i], def);
    if (strcmp(section->name, "shape") == 0 && c->n == n_before)
        firn_scene_relations_shape(c, section, def);
}

/* Whether markers, arrays and texts can be relied on; relations are checked only then. */
static int is_sound(const firn_schema_section *section, const void *def)
{
    if (section->has_marker && *(const uint32_t *)def != FIRN_MARKER) return 0;
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        const char *member = (const char *)def + option->offset;
        if (option->type == FIRN_SCHEMA_TEXT && !is_text_ended(member, option->size)) return 0;
        if (option->type == FIRN_SCHEMA_SECTION && !is_sound(option->section, member)) return 0;
        if (option->type != FIRN_SCHEMA_LIST) continue;
        int n = firn_schema_list_count(option, def);
        if (n < 0 || (n > 0 && !firn_schema_list_item(option, def, 0))) return 0;
        for (int k = 0; k < n; k++)
            if (!is_sound(option->section, firn_schema_list_item(option, def, k))) return 0;
    }
    return 1;
}

firn_status firn_scene_check_located(const firn_scene_def *scene, firn_scene_locate locate,
                                     void *user, firn_material *materials, firn_messages *messages)
{
    firn_complaints c = {
        .locate = locate, .user = user, .messages = messages, .materials = materials};
    if (!scene) return firn_messages_add(messages, FIRN_REFUSED, "scene: no definition (NULL)");
    if (scene->marker != FIRN_MARKER)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "scene: not made by its default function; try: firn_scene_default()");
    check_section(&c, &firn_schema_file, scene);
    if (is_sound(&firn_schema_file, scene)) firn_scene_relations_check(&c, scene);
    return c.status;
}

firn_status firn_scene_check(const firn_scene_def *scene, firn_messages *messages)
{
    return firn_scene_check_located(scene, NULL, NULL, NULL, messages);
}
