/* SPDX-License-Identifier: MIT */
/* scene_write.c: the effective scene as JSON, by a walk over the tables of scene_schema.c. */
#include "base/hash.h"
#include "base/json.h"
#include "base/messages.h"
#include "laws/law.h"
#include "scene/scene_schema.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct writer {
    firn_json_writer json;
    firn_messages *messages;
    firn_status status;
    const firn_scene_def *scene;
    size_t folder_first, folder_end; /* bytes of the text in which the folder's key and value are */
} writer;

/* JSON has no number for infinity: "inf" is what a scene file calls it. */
static void write_number(writer *w, const char *key, double value)
{
    if (isinf(value))
        firn_json_string(&w->json, key, value > 0 ? "inf" : "-inf");
    else
        firn_json_number(&w->json, key, value);
}

const char *firn_scene_whole_path(const char *path, char whole[FIRN_SCENE_PATH])
{
    char folder[FIRN_PATH];
    int is_relative = *path && *path != '/' && getcwd(folder, sizeof folder);
    snprintf(whole, FIRN_SCENE_PATH, "%s%s%s", is_relative ? folder : "", is_relative ? "/" : "",
             path);
    return whole;
}

static void write_component(writer *w, const firn_schema_key *option, const char *key,
                            const char *member, int i)
{
    char word[FIRN_NAME] = "", whole[FIRN_SCENE_PATH], seed[32];
    switch (option->type) {
    case FIRN_SCHEMA_REAL:
    case FIRN_SCHEMA_MATRIX:
    case FIRN_SCHEMA_ROTATION: write_number(w, key, ((const double *)member)[i]); break;
    case FIRN_SCHEMA_INT: firn_json_integer(&w->json, key, ((const int *)member)[i]); break;
    case FIRN_SCHEMA_INT64: firn_json_integer(&w->json, key, *(const int64_t *)member); break;
    case FIRN_SCHEMA_SEED: /* up to 2^64 - 1, which firn_json_integer does not reach */
        snprintf(seed, sizeof seed, "%" PRIu64, *(const uint64_t *)member);
        firn_json_raw(&w->json, key, seed);
        break;
    case FIRN_SCHEMA_FLAG: firn_json_flag(&w->json, key, ((const int *)member)[i]); break;
    case FIRN_SCHEMA_WORD:
        firn_schema_word(option, ((const int *)member)[i], word);
        firn_json_string(&w->json, key, word);
        break;
    case FIRN_SCHEMA_TEXT:
        if (option->flags & FIRN_SCHEMA_FILE) member = firn_scene_whole_path(member, whole);
        firn_json_string(&w->json, key, member);
        break;
    default: break;
    }
}

/* ---------------------------------------------------------------- materials */

static void write_table(writer *w, const firn_material *material, int k)
{
    firn_json_begin(&w->json, "table", '{');
    for (int i = 0; i < material->n_table[k]; i++) {
        firn_text temperature = {0};
        firn_text_add_number(&temperature, material->table_temperature[k][i]);
        write_number(w, temperature.data ? temperature.data : "", material->table_value[k][i]);
        if (temperature.has_failed) w->json.failed = 1;
        firn_text_clear(&temperature);
    }
    firn_json_end(&w->json);
}

static void write_space(writer *w, const firn_parameter_def *given)
{
    if (given->noise_size > 0) {
        firn_json_begin_inline(&w->json, "noise", '{');
        write_number(w, "size", given->noise_size);
        write_number(w, "amount", given->noise);
        firn_json_end(&w->json);
    }
    if (*given->map) firn_json_string(&w->json, "map", given->map);
    if (*given->map && !isnan(given->low)) write_number(w, "low", given->low);
    if (*given->map && !isnan(given->high)) write_number(w, "high", given->high);
}

/* What the definition says of a parameter, NULL: nothing of space. */
static const firn_parameter_def *find_space(const firn_material_def *def, const char *name)
{
    for (int i = def->n_parameters - 1; i >= 0; i--)
        if (strcmp(def->parameters[i].name, name) == 0)
            return *def->parameters[i].map || def->parameters[i].noise_size > 0
                       ? &def->parameters[i]
                       : NULL;
    return NULL;
}

static void write_parameter(writer *w, const firn_material_def *def, const char *name,
                            const firn_material *material, int k)
{
    const firn_parameter_def *space = find_space(def, name);
    if (!material->noise[k] && !material->n_table[k] && !material->form[k] && !space) {
        write_number(w, name, material->value[k]);
        return;
    }
    firn_json_begin_inline(&w->json, name, '{');
    write_number(w, "value", material->value[k]);
    if (material->noise[k]) write_number(w, "noise", material->noise[k]);
    if (material->n_table[k]) write_table(w, material, k);
    if (material->form[k]) {
        write_number(w, "at", material->form_T[k]);
        write_number(w, material->form[k] == FIRN_PARAMETER_LINEAR ? "linear" : "arrhenius",
                     material->form_rate[k]);
    }
    if (space) write_space(w, space);
    firn_json_end(&w->json);
}

static void write_parameters(writer *w, const firn_material_def *def)
{
    firn_material own;
    const firn_material *material = firn_scene_materials(w->scene);
    if (material) {
        material += def - w->scene->materials;
    } else {
        const firn_status status = firn_material_resolve(def, w->scene->seed, &own, w->messages);
        if (status != FIRN_OK) {
            w->status = status;
            return;
        }
        material = &own;
    }
    const firn_law_info *law = &material->law->info;
    for (int k = 0; k < law->n_parameters; k++)
        write_parameter(w, def, law->parameters[k].name, material, k);
    for (int k = FIRN_THERMAL_FIRST; material->thermal.is_on && k < FIRN_MATERIAL_PARAMETERS; k++)
        write_parameter(w, def, firn_material_parameter(law, k)->name, material, k);
}

/* ---------------------------------------------------------------- sections */

static void write_section(writer *w, const char *key, const firn_schema_section *section,
                          const void *def);

static void write_list(writer *w, const firn_schema_key *option, const void *def)
{
    int n = firn_schema_list_count(option, def);
    firn_json_begin(&w->json, option->key, '[');
    for (int i = 0; i < n; i++)
        write_section(w, NULL, option->section, firn_schema_list_item(option, def, i));
    firn_json_end(&w->json);
}

static void write_option(writer *w, const firn_schema_key *option, const void *def)
{
    const char *member = (const char *)def + option->offset;
    if (option->type == FIRN_SCHEMA_LIST) {
        write_list(w, option, def);
    } else if (option->type == FIRN_SCHEMA_SECTION) {
        write_section(w, option->key, option->section, member);
    } else if (option->n > 1) {
        firn_json_begin_inline(&w->json, option->key, '[');
        for (int i = 0; i < option->n; i++) write_component(w, option, NULL, member, i);
        firn_json_end(&w->json);
    } else {
        const size_t before = w->json.text.n;
        write_component(w, option, option->key, member, 0);
        if (member == w->scene->folder) {
            w->folder_first = before;
            w->folder_end = w->json.text.n;
        }
    }
}

static void write_section(writer *w, const char *key, const firn_schema_section *section,
                          const void *def)
{
    firn_json_begin(&w->json, key, '{');
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        if (!firn_schema_is_present(option, def)) continue;
        if (option->type == FIRN_SCHEMA_PARAMETERS)
            write_parameters(w, def);
        else
            write_option(w, option, def);
    }
    firn_json_end(&w->json);
}

/* The hash of the text with "" in place of the folder's value. */
static uint64_t hash_without_folder(const writer *w)
{
    static const char colon[] = "\": ";
    const firn_text *text = &w->json.text;
    const char *key_end =
        memmem(text->data + w->folder_first, w->folder_end - w->folder_first, colon, strlen(colon));
    firn_hash hash;
    firn_hash_init(&hash);
    firn_hash_update(&hash, text->data, (size_t)(key_end - text->data) + strlen(colon));
    firn_hash_update(&hash, "\"\"", 2);
    firn_hash_update(&hash, text->data + w->folder_end, text->n - w->folder_end);
    return firn_hash_value(&hash);
}

firn_status firn_scene_write(const firn_scene_def *def, firn_text *json, uint64_t *hash,
                             firn_messages *messages)
{
    writer w = {.messages = messages, .scene = def};
    firn_json_init(&w.json, 1);
    write_section(&w, NULL, &firn_schema_file, def);
    if (!firn_json_finish(&w.json, NULL))
        w.status = firn_messages_no_memory(messages, "effective scene");
    else if (hash)
        *hash = hash_without_folder(&w);
    *json = w.json.text;
    return w.status;
}

firn_status firn_scene_hash(const firn_scene_def *def, uint64_t *hash, firn_messages *messages)
{
    firn_text json = {0};
    const firn_status status = firn_scene_write(def, &json, hash, messages);
    firn_text_clear(&json);
    return status;
}
