/* SPDX-License-Identifier: MIT */
/* scene_write.c: the effective scene as JSON, by a walk over the tables of scene_schema.c. */
#include "base/hash.h"
#include "laws/law.h"
#include "scene/scene_schema.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct writer {
    firn_text *text;
    firn_messages *messages;
    firn_status status;
    int indent;
    uint64_t seed;
} writer;

static void new_line(writer *w) { firn_text_add(w->text, "\n%*s", 2 * w->indent, ""); }

/* The shortest decimal that reads back to the same number; a host's decimal comma is not let
 * through. */
static void write_number(writer *w, double value)
{
    char text[40];
    if (isinf(value)) {
        firn_text_add(w->text, value > 0 ? "\"inf\"" : "\"-inf\"");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    firn_text_add(w->text, "%s", text);
}

static void write_string(writer *w, const char *string)
{
    firn_text_add(w->text, "\"");
    for (const unsigned char *p = (const unsigned char *)string; *p; p++) {
        if (*p == '"' || *p == '\\')
            firn_text_add(w->text, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f)
            firn_text_add(w->text, "\\u%04x", *p);
        else
            firn_text_add_bytes(w->text, (const char *)p, 1);
    }
    firn_text_add(w->text, "\"");
}

const char *firn_scene_whole_path(const char *path, char whole[FIRN_SCENE_PATH])
{
    char folder[FIRN_PATH];
    int is_relative = *path && *path != '/' && getcwd(folder, sizeof folder);
    snprintf(whole, FIRN_SCENE_PATH, "%s%s%s", is_relative ? folder : "", is_relative ? "/" : "",
             path);
    return whole;
}

static void write_component(writer *w, const firn_schema_key *option, const char *member, int i)
{
    char word[FIRN_NAME] = "", whole[FIRN_SCENE_PATH];
    switch (option->type) {
    case FIRN_SCHEMA_REAL:
    case FIRN_SCHEMA_MATRIX:
    case FIRN_SCHEMA_ROTATION: write_number(w, ((const double *)member)[i]); break;
    case FIRN_SCHEMA_INT: firn_text_add(w->text, "%d", ((const int *)member)[i]); break;
    case FIRN_SCHEMA_INT64: firn_text_add(w->text, "%" PRId64, *(const int64_t *)member); break;
    case FIRN_SCHEMA_SEED: firn_text_add(w->text, "%" PRIu64, *(const uint64_t *)member); break;
    case FIRN_SCHEMA_FLAG:
        firn_text_add(w->text, ((const int *)member)[i] ? "true" : "false");
        break;
    case FIRN_SCHEMA_WORD:
        firn_schema_word(option, ((const int *)member)[i], word);
        write_string(w, word);
        break;
    case FIRN_SCHEMA_TEXT:
        write_string(w, option->flags & FIRN_SCHEMA_FILE ? firn_scene_whole_path(member, whole)
                                                         : member);
        break;
    default: break;
    }
}

/* ---------------------------------------------------------------- materials */

static void write_parameter(writer *w, const firn_material *material, int k)
{
    if (!material->noise[k] && !material->n_table[k]) {
        write_number(w, material->value[k]);
        return;
    }
    firn_text_add(w->text, "{\"value\": ");
    write_number(w, material->value[k]);
    if (material->noise[k]) {
        firn_text_add(w->text, ", \"noise\": ");
        write_number(w, material->noise[k]);
    }
    for (int i = 0; i < material->n_table[k]; i++) {
        firn_text_add(w->text, i ? ", \"" : ", \"table\": {\"");
        write_number(w, material->table_temperature[k][i]);
        firn_text_add(w->text, "\": ");
        write_number(w, material->table_value[k][i]);
    }
    firn_text_add(w->text, material->n_table[k] ? "}}" : "}");
}

static void write_parameters(writer *w, const firn_material_def *def)
{
    firn_material material;
    firn_status status = firn_material_resolve(def, w->seed, &material, w->messages);
    if (status != FIRN_OK) {
        w->status = status;
        return;
    }
    const firn_law_info *law = &material.law->info;
    for (int k = 0; k < law->n_parameters; k++) {
        firn_text_add(w->text, ",");
        new_line(w);
        write_string(w, law->parameters[k].name);
        firn_text_add(w->text, ": ");
        write_parameter(w, &material, k);
    }
}

/* ---------------------------------------------------------------- sections */

static void write_section(writer *w, const firn_schema_section *section, const void *def);

static void write_list(writer *w, const firn_schema_key *option, const void *def)
{
    int n = firn_schema_list_count(option, def);
    firn_text_add(w->text, "[");
    w->indent++;
    for (int i = 0; i < n; i++) {
        if (i) firn_text_add(w->text, ",");
        new_line(w);
        write_section(w, option->section, firn_schema_list_item(option, def, i));
    }
    w->indent--;
    if (n) new_line(w);
    firn_text_add(w->text, "]");
}

static void write_option(writer *w, const firn_schema_key *option, const void *def)
{
    const char *member = (const char *)def + option->offset;
    write_string(w, option->key);
    firn_text_add(w->text, ": ");
    if (option->type == FIRN_SCHEMA_LIST) {
        write_list(w, option, def);
    } else if (option->type == FIRN_SCHEMA_SECTION) {
        write_section(w, option->section, member);
    } else {
        if (option->n > 1) firn_text_add(w->text, "[");
        for (int i = 0; i < option->n; i++) {
            if (i) firn_text_add(w->text, ", ");
            write_component(w, option, member, i);
        }
        if (option->n > 1) firn_text_add(w->text, "]");
    }
}

static void write_section(writer *w, const firn_schema_section *section, const void *def)
{
    int n = 0;
    firn_text_add(w->text, "{");
    w->indent++;
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        if (!firn_schema_is_present(option, def)) continue;
        if (option->type == FIRN_SCHEMA_PARAMETERS) {
            write_parameters(w, def);
            continue;
        }
        if (n++) firn_text_add(w->text, ",");
        new_line(w);
        write_option(w, option, def);
    }
    w->indent--;
    new_line(w);
    firn_text_add(w->text, "}");
}

firn_status firn_scene_write(const firn_scene_def *def, firn_text *json, firn_messages *messages)
{
    writer w = {.text = json, .messages = messages, .seed = def->seed};
    write_section(&w, &firn_schema_file, def);
    firn_text_add(json, "\n");
    if (json->has_failed)
        return firn_messages_add(messages, FIRN_MEMORY,
                                 "there is not enough memory to write the scene");
    return w.status;
}

firn_status firn_scene_hash(const firn_scene_def *def, uint64_t *hash, firn_messages *messages)
{
    firn_scene_def anywhere = *def;
    firn_text json = {0};
    anywhere.folder[0] = 0;
    firn_status status = firn_scene_write(&anywhere, &json, messages);
    if (status == FIRN_OK) *hash = firn_hash_of(json.data, json.n);
    firn_text_clear(&json);
    return status;
}
