/* SPDX-License-Identifier: MIT */
/* lab_spec.c: a material written as one argument, for command lines and studies:
 *
 *     what {"," parameter "=" value}
 *         what: law, preset, or law "/" preset; values with units
 *     value: number, or a table over temperature: number "@" temperature {";" number "@"
 *     temperature} */
#include "lab/lab.h"
#include "base/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { SPEC_MAX = 1024 };

static char *trim(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);) text[--n] = 0;
    return text;
}

/* "2 MPa @ 290 K; 50 kPa @ 330 K" */
static firn_status read_table(const firn_material_def *def, firn_parameter_def *parameter,
                              const char *unit, char *text, firn_messages *messages)
{
    char message[FIRN_UNITS_MESSAGE];
    for (char *row = text, *next; row; row = next) {
        next = strchr(row, ';');
        if (next) *next++ = 0;
        char *at = strchr(row, '@');
        if (!at)
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "material '%s': a row of the table of %s is not like 2 MPa @ 290 K", def->name,
                parameter->name);
        *at++ = 0;
        if (parameter->n_table == FIRN_MAX_TABLE)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "material '%s': table of %s has more than %d rows", def->name,
                                     parameter->name, FIRN_MAX_TABLE);
        int n = parameter->n_table++;
        if (!firn_units_read(trim(row), unit, &parameter->table_value[n], message) ||
            !firn_units_read(trim(at), "K", &parameter->table_temperature[n], message))
            return firn_messages_add(messages, FIRN_REFUSED, "material '%s': table of %s %s",
                                     def->name, parameter->name, message);
    }
    parameter->value = parameter->table_value[0];
    return FIRN_OK;
}

/* One "name=value" into the definition. The law must be known, since the unit is its parameter's.
 */
static firn_status read_parameter(firn_material_def *def, const firn_law_info *law, char *text,
                                  firn_messages *messages)
{
    char *equals = strchr(text, '='), message[FIRN_UNITS_MESSAGE];
    if (!equals)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "material '%s': '%s' is not like E=140 kPa", def->name, text);
    *equals = 0;
    const char *name = trim(text), *value = trim(equals + 1), *unit = "";
    law = firn_law_with(law, name);
    const int k = law ? firn_material_parameter_index(law, name, strlen(name)) : -1;
    if (k >= 0) unit = firn_material_parameter(law, k)->unit;
    if (def->n_parameters == FIRN_MAX_PARAMETERS)
        return firn_messages_add(messages, FIRN_REFUSED, "material '%s': more than %d parameters",
                                 def->name, FIRN_MAX_PARAMETERS);
    firn_parameter_def parameter = firn_parameter_default();
    snprintf(parameter.name, sizeof parameter.name, "%s", name);
    if (strchr(value, '@')) {
        firn_status status = read_table(def, &parameter, unit, trim(equals + 1), messages);
        if (status != FIRN_OK) return status;
    } else if (!firn_units_read(value, unit, &parameter.value, message))
        return firn_messages_add(messages, FIRN_REFUSED, "material '%s': value of %s %s", def->name,
                                 name, message);
    def->parameters[def->n_parameters++] = parameter;
    return FIRN_OK;
}

void firn_lab_write_value(const firn_parameter_def *parameter, firn_text *yaml)
{
    if (!parameter->n_table) firn_text_add(yaml, "%.12g", parameter->value);
    for (int i = 0; i < parameter->n_table; i++)
        firn_text_add(yaml, "%s%.12g: %.12g%s", i ? ", " : "{table: {",
                      parameter->table_temperature[i], parameter->table_value[i],
                      i + 1 == parameter->n_table ? "}}" : "");
}

firn_status firn_lab_material(const char *spec, firn_material_def *out, firn_material *material,
                              firn_messages *messages)
{
    char text[SPEC_MAX];
    firn_material_def def = firn_material_default();
    if (strlen(spec) >= sizeof text)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "material: text of %zu characters; allowed: below %d",
                                 strlen(spec), SPEC_MAX);
    snprintf(text, sizeof text, "%s", spec);
    char *rest = strchr(text, ',');
    if (rest) *rest++ = 0;
    const char *what = trim(text), *slash = strchr(what, '/');
    snprintf(def.name, sizeof def.name, "%s", what);
    if (slash) {
        snprintf(def.law, sizeof def.law, "%.*s", (int)(slash - what), what);
        snprintf(def.preset, sizeof def.preset, "%s", slash + 1);
    } else {
        snprintf(def.preset, sizeof def.preset, "%s", what);
        if (firn_law_find(what) || !firn_material_def_law(&def)) {
            snprintf(def.law, sizeof def.law, "%s", what);
            def.preset[0] = 0;
        }
    }
    firn_law_replace_alias(def.law, "", messages);
    const firn_law_info *law = firn_material_def_law(&def);
    firn_status status = FIRN_OK;
    while (rest && status == FIRN_OK) {
        char *next = strchr(rest, ',');
        if (next) *next++ = 0;
        status = read_parameter(&def, law, rest, messages);
        rest = next;
    }
    if (status == FIRN_OK) status = firn_material_resolve(&def, 0, material, messages);
    if (status == FIRN_OK && out) *out = def;
    return status;
}
