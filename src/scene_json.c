#include "scene_json.h"

#include "options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- one value */

static void add_whole(firn_json_writer *json, const char *key, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number); /* beyond int64_t: seeds use all 64 bits */
    firn_json_raw(json, key, text);
}

static void add_word(firn_json_writer *json, const char *key, const firn_option *option, int i)
{
    char word[FIRN_NAME];
    firn_json_string(json, key, firn_options_word(option, i, word) ? word : "");
}

/* Component i of an option that is neither a section nor a list. */
static void add_component(firn_json_writer *json, const char *key, const firn_option *option, const void *member, int i)
{
    switch (option->type) {
    case FIRN_OPTION_REAL:
    case FIRN_OPTION_MATRIX:
    case FIRN_OPTION_ROTATION: firn_json_number(json, key, ((const double *)member)[i]); break;
    case FIRN_OPTION_INT: firn_json_integer(json, key, ((const int *)member)[i]); break;
    case FIRN_OPTION_INT64: firn_json_integer(json, key, *(const int64_t *)member); break;
    case FIRN_OPTION_SEED: add_whole(json, key, *(const uint64_t *)member); break;
    case FIRN_OPTION_FLAG: firn_json_flag(json, key, ((const int *)member)[i]); break;
    case FIRN_OPTION_WORD: add_word(json, key, option, ((const int *)member)[i]); break;
    case FIRN_OPTION_TEXT: firn_json_string(json, key, member); break;
    case FIRN_OPTION_SECTION:
    case FIRN_OPTION_LIST:
    case FIRN_OPTION_PARAMETERS: break;
    }
}

/* Is there anything to say? Not for absent parts, empty names and infinities. */
static int is_worth_saying(const firn_option *option, const char *base)
{
    const void *member = base + option->offset;
    if (option->type == FIRN_OPTION_PARAMETERS || !firn_options_is_present(option, base)) return 0;
    if (option->type == FIRN_OPTION_TEXT) return *(const char *)member != 0;
    if (option->type == FIRN_OPTION_LIST) return firn_options_list_count(option, base) > 0;
    if (option->type == FIRN_OPTION_REAL)
        for (int i = 0; i < option->n; i++)
            if (!isfinite(((const double *)member)[i])) return 0;
    return 1;
}

/* ---------------------------------------------------------------- sections */

static void add_section(firn_json_writer *json, const char *key, const firn_section *section, const char *base);

static void add_option(firn_json_writer *json, const firn_option *option, const char *base)
{
    const char *member = base + option->offset;
    if (option->type == FIRN_OPTION_SECTION) {
        add_section(json, option->key, option->section, member);
    } else if (option->type == FIRN_OPTION_LIST) {
        firn_json_begin(json, option->key, '[');
        for (int i = 0; i < firn_options_list_count(option, base); i++)
            add_section(json, NULL, option->section, firn_options_list_item(option, base, i));
        firn_json_end(json);
    } else if (option->n == 1) {
        add_component(json, option->key, option, member, 0);
    } else {
        firn_json_begin(json, option->key, '[');
        for (int i = 0; i < option->n; i++) add_component(json, NULL, option, member, i);
        firn_json_end(json);
    }
}

/* A material's parameters stand among its other keys. */
static void add_parameters(firn_json_writer *json, const firn_material_def *material)
{
    for (int i = 0; i < material->n_parameters; i++) {
        const firn_parameter_def *p = &material->parameters[i];
        if (p->n_table == 0 && p->noise == 0) {
            firn_json_number(json, p->name, p->value);
            continue;
        }
        firn_json_begin(json, p->name, '{');
        firn_json_number(json, "value", p->value);
        firn_json_number(json, "noise", p->noise);
        if (p->n_table) firn_json_begin(json, "table", '{');
        for (int k = 0; k < p->n_table; k++) {
            char temperature[64];
            snprintf(temperature, sizeof temperature, "%.17g", p->table_temperature[k]);
            firn_json_number(json, temperature, p->table_value[k]);
        }
        if (p->n_table) firn_json_end(json);
        firn_json_end(json);
    }
}

static void add_section(firn_json_writer *json, const char *key, const firn_section *section, const char *base)
{
    firn_json_begin(json, key, '{');
    for (int i = 0; i < section->n_options; i++) {
        const firn_option *option = &section->options[i];
        if (is_worth_saying(option, base)) add_option(json, option, base);
        if (option->type == FIRN_OPTION_PARAMETERS) add_parameters(json, (const void *)base);
    }
    firn_json_end(json);
}

void firn_scene_json(firn_json_writer *json, const char *key, const firn_scene_def *scene)
{
    add_section(json, key, &firn_options_file, (const char *)scene);
}
