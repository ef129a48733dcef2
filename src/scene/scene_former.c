/* SPDX-License-Identifier: MIT */
/* scene_former.c: former names of keys, words, laws and presets. Their tables are the schema
 * (`former`, `former_words` of a key) and those of the laws (`alias`). A former name is read like
 * the present one, written as the present one, and warned of once per file. */
#include "scene/scene_bind.h"
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

/* A name that has been warned of. */
struct firn_scene_former {
    const char *what, *name, *origin;
    firn_scene_former *next;
};

static void warn(firn_scene_binder *b, const firn_yaml_tree_node *at, const char *what,
                 const char *former, const char *now)
{
    char place[FIRN_YAML_TREE_PLACE];
    for (const firn_scene_former *f = b->formers; f; f = f->next)
        if (!strcmp(f->what, what) && !strcmp(f->name, former) && !strcmp(f->origin, at->origin))
            return;
    firn_yaml_tree_place(at, place);
    firn_messages_warn(b->messages, "%s%s '%s' is called '%s' now; the former name still works",
                       place, what, former, now);
    firn_scene_former *warned = firn_arena_allocate(b->arena, sizeof *warned);
    const char *name = firn_arena_text(b->arena, former, strlen(former)),
               *kind = firn_arena_text(b->arena, what, strlen(what));
    if (!warned || !name || !kind) return; /* the arena remembers */
    *warned = (firn_scene_former){kind, name, at->origin, b->formers};
    b->formers = warned;
}

void firn_scene_former_key(firn_scene_binder *b, const firn_schema_section *section,
                           const firn_schema_key *option, const firn_yaml_tree_node *key)
{
    if (!firn_suggest_has(option->former, key->text)) return;
    char what[FIRN_NAME + 16];
    snprintf(what, sizeof what, "key of %.60s", section->name);
    warn(b, key, what, key->text, option->key);
}

int firn_scene_former_word(firn_scene_binder *b, const firn_schema_key *option,
                           const firn_yaml_tree_node *at)
{
    const size_t n = strlen(at->text);
    for (const char *pair = option->former_words; pair && *pair;) {
        const size_t length = strcspn(pair, " ");
        if (n && length > n + 1 && pair[n] == '=' && strncmp(pair, at->text, n) == 0) {
            char now[FIRN_NAME], what[FIRN_NAME + 16];
            snprintf(now, sizeof now, "%.*s", (int)(length - n - 1), pair + n + 1);
            snprintf(what, sizeof what, "word of %.60s", option->key);
            warn(b, at, what, at->text, now);
            return firn_schema_word_index(option, now);
        }
        pair += length;
        pair += strspn(pair, " ");
    }
    return -1;
}

void firn_scene_former_material(firn_scene_binder *b, const firn_yaml_tree_node *map,
                                firn_material_def *def)
{
    const firn_law_info *law = firn_material_def_law(def);
    const firn_preset_info *preset = law ? firn_law_preset(law, def->preset) : NULL;
    const firn_yaml_tree_node *at;
    if (*def->law && law && strcmp(law->name, def->law) != 0 &&
        (at = firn_yaml_tree_find(map, "law"))) {
        warn(b, at, "law", def->law, law->name);
        snprintf(def->law, sizeof def->law, "%s", law->name);
    }
    if (preset && strcmp(preset->name, def->preset) != 0 &&
        (at = firn_yaml_tree_find(map, "preset"))) {
        warn(b, at, "preset", def->preset, preset->name);
        snprintf(def->preset, sizeof def->preset, "%s", preset->name);
    }
}
