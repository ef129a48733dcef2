/* SPDX-License-Identifier: MIT */
/* material.c: the register of laws, and from a definition (law, preset, parameters) to resolved
 * numbers.
 *
 * The register itself is a list of pointers made by the build from the words in
 * materials/meson.build. */
#include "laws/law.h"
#include "base/memory.h"
#include "base/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const firn_law *const firn_law_registry[];
extern const int firn_law_registry_count;

int firn_law_count(void) { return firn_law_registry_count; }

const firn_law *firn_law_entry(int i)
{
    return i < 0 || i >= firn_law_registry_count ? NULL : firn_law_registry[i];
}

const firn_law_info *firn_law_at(int i)
{
    const firn_law *law = firn_law_entry(i);
    return law ? &law->info : NULL;
}

int firn_law_index(const char *name)
{
    for (int i = 0; i < firn_law_registry_count; i++)
        if (strcmp(firn_law_registry[i]->info.name, name) == 0) return i;
    for (int i = 0; i < firn_law_registry_count; i++) {
        const char *alias = firn_law_registry[i]->info.alias;
        if (alias && strcmp(alias, name) == 0) return i;
    }
    return -1;
}

static int has_text(const firn_messages *messages, const char *text)
{
    for (int i = 0; messages && i < firn_messages_total(messages); i++)
        if (strcmp(firn_messages_text(messages, i, NULL), text) == 0) return 1;
    return 0;
}

void firn_law_replace_alias(char name[FIRN_NAME], const char *where, firn_messages *messages)
{
    const firn_law_info *law = firn_law_find(name);
    if (!law || strcmp(law->name, name) == 0) return;
    char text[512];
    snprintf(text, sizeof text, "%slaw '%s' is called '%s' now; the former name still works", where,
             name, law->name);
    snprintf(name, FIRN_NAME, "%s", law->name);
    if (!has_text(messages, text)) firn_messages_warn(messages, "%s", text);
}

static void copy_rows(const void *from, int n_rows, firn_variant variant, void *to)
{
    size_t real_size = firn_variant_is_double(variant) ? sizeof(double) : sizeof(float);
    if (from && n_rows && to != from) memcpy(to, from, (size_t)n_rows * 16 * real_size);
}

void firn_law_commit(const firn_law_batch *trial, firn_variant variant, void *F, void *history)
{
    int n = trial->n_bundles;
    copy_rows(trial->F_new, 9 * n, variant, F);
    copy_rows(trial->history_new, trial->material->law->info.n_history * n, variant, history);
}

const firn_law_info *firn_law_find(const char *name) { return firn_law_at(firn_law_index(name)); }

/* ---------------------------------------------------------------- names and their messages */

const firn_parameter_info *firn_material_parameter(const firn_law_info *law, int k)
{
    if (k >= FIRN_THERMAL_FIRST) return firn_thermal_parameter_at(k - FIRN_THERMAL_FIRST);
    return k >= 0 && k < law->n_parameters ? &law->parameters[k] : NULL;
}

int firn_material_parameter_index(const firn_law_info *law, const char *name, size_t length)
{
    for (int k = 0; k < FIRN_MATERIAL_PARAMETERS; k++) {
        const firn_parameter_info *info = firn_material_parameter(law, k);
        if (info && strlen(info->name) == length && memcmp(info->name, name, length) == 0) return k;
    }
    return -1;
}

const firn_law_info *firn_law_extension(const firn_law_info *law)
{
    for (int i = 0; i < firn_law_registry_count; i++) {
        const firn_law_info *other = &firn_law_registry[i]->info;
        if (other->extends && strcmp(other->extends, law->name) == 0) return other;
    }
    return NULL;
}

const firn_law_info *firn_law_with(const firn_law_info *law, const char *parameter)
{
    const size_t n = strlen(parameter);
    const firn_law_info *extension = law ? firn_law_extension(law) : NULL;
    if (!extension || firn_material_parameter_index(law, parameter, n) >= 0) return law;
    return firn_material_parameter_index(extension, parameter, n) >= 0 ? extension : law;
}

static const firn_preset_info *own_preset(const firn_law_info *info, const char *name)
{
    for (int i = 0; i < info->n_presets; i++) {
        const firn_preset_info *preset = &info->presets[i];
        if (strcmp(preset->name, name) == 0) return preset;
        if (preset->alias && strcmp(preset->alias, name) == 0) return preset;
    }
    return NULL;
}

const firn_preset_info *firn_law_preset(const firn_law_info *info, const char *name)
{
    const firn_preset_info *own = own_preset(info, name);
    const firn_law_info *base = info->extends ? firn_law_find(info->extends) : NULL;
    return own || !base ? own : own_preset(base, name);
}

/* Adds ", name" (or "name" at the start) while there is room. */
static void list_append(char *text, size_t size, const char *name)
{
    size_t used = strlen(text);
    if (used + strlen(name) + 3 < size)
        snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
}

static firn_status refuse_law(const firn_material_def *def, firn_messages *messages)
{
    char names[1024] = "";
    for (int i = 0; i < firn_law_count(); i++)
        list_append(names, sizeof names, firn_law_at(i)->name);
    char words[1024] = "", near[64];
    for (int i = 0; i < firn_law_count(); i++) {
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s ", firn_law_at(i)->name);
    }
    int has_near = firn_suggest_word(def->law, words, near, sizeof near);
    return firn_messages_add(messages, FIRN_REFUSED,
                             "material '%s': there is no law '%s'; allowed: %s%s%s%s", def->name,
                             def->law, names, has_near ? "; did you mean \"" : "",
                             has_near ? near : "", has_near ? "\"?" : "");
}

static firn_status refuse_preset(const firn_material_def *def, const firn_law_info *info,
                                 firn_messages *messages)
{
    char names[1024] = "";
    for (int i = 0; i < info->n_presets; i++)
        list_append(names, sizeof names, info->presets[i].name);
    for (int i = 0; i < firn_law_count(); i++)
        if (own_preset(firn_law_at(i), def->preset))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "material '%s': '%s' is a preset of the law '%s', not of "
                                     "'%s'; try: that law, or no law",
                                     def->name, def->preset, firn_law_at(i)->name, info->name);
    return firn_messages_add(messages, FIRN_REFUSED,
                             "material '%s': the law '%s' has no preset '%s'; allowed: %s",
                             def->name, info->name, def->preset, names[0] ? names : "none");
}

static firn_status refuse_parameter(const firn_material_def *def, const firn_law_info *info,
                                    const char *name, firn_messages *messages)
{
    char names[1024] = "";
    for (int k = 0; k < FIRN_MATERIAL_PARAMETERS; k++)
        if (firn_material_parameter(info, k))
            list_append(names, sizeof names, firn_material_parameter(info, k)->name);
    return firn_messages_add(messages, FIRN_REFUSED,
                             "material '%s': the law '%s' has no parameter '%s'; allowed: %s",
                             def->name, info->name, name, names);
}

static int is_in_range(const firn_parameter_info *info, double value)
{
    return isfinite(value) && value >= info->min && value <= info->max;
}

static firn_status refuse_value(const firn_material_def *def, const firn_law_info *law,
                                const firn_parameter_info *parameter, const char *what,
                                double value, firn_messages *messages)
{
    return firn_messages_add(messages, FIRN_REFUSED,
                             "material '%s', law '%s': %s%s is %g %s; allowed: %g to %g %s (%s)",
                             def->name, law->name, parameter->name, what, value, parameter->unit,
                             parameter->min, parameter->max, parameter->unit, parameter->meaning);
}

/* ---------------------------------------------------------------- resolution */

const firn_law_info *firn_material_def_law(const firn_material_def *def)
{
    const firn_law_info *law = *def->law ? firn_law_find(def->law) : NULL;
    for (int i = 0; !*def->law && *def->preset && !law && i < firn_law_count(); i++)
        if (own_preset(firn_law_at(i), def->preset)) law = firn_law_at(i);
    const firn_law_info *extension = law ? firn_law_extension(law) : NULL;
    if (extension && own_preset(extension, def->preset)) return extension;
    for (int i = 0; i < def->n_parameters && i < FIRN_MAX_PARAMETERS; i++)
        law = firn_law_with(law, def->parameters[i].name);
    return law;
}

/* The entry of that law, or a message. */
static const firn_law *law_of(const firn_material_def *def, firn_messages *messages)
{
    const firn_law_info *info = firn_material_def_law(def);
    if (info) return firn_law_entry(firn_law_index(info->name));
    if (*def->law)
        refuse_law(def, messages);
    else if (*def->preset)
        firn_messages_add(messages, FIRN_REFUSED,
                          "material '%s': unknown preset '%s'; `firn materials` lists all",
                          def->name, def->preset);
    else
        firn_messages_add(messages, FIRN_REFUSED,
                          "material '%s': law and preset are missing; `firn materials` lists all",
                          def->name);
    return NULL;
}

/* Reads "E=1.4e5 nu=0.2" into the values. The text is part of a law's table, but checked like
 * everything else. */
static firn_status apply_settings(const firn_material_def *def, const firn_law_info *info,
                                  const char *settings, double *value, firn_messages *messages)
{
    const char *at = settings;
    while (*at) {
        while (isspace((unsigned char)*at)) at++;
        if (!*at) break;
        size_t length = strcspn(at, "=");
        char name[FIRN_NAME], *end = NULL;
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        int k = firn_material_parameter_index(info, at, length);
        if (at[length] != '=' || k < 0) return refuse_parameter(def, info, name, messages);
        value[k] = strtod(at + length + 1, &end);
        if (end == at + length + 1 || (*end && !isspace((unsigned char)*end)))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "preset '%s', law '%s': %s has no number", def->preset,
                                     info->name, name);
        at = end;
    }
    return FIRN_OK;
}

static firn_status check_table(const firn_material_def *def, const firn_law_info *info,
                               const firn_parameter_def *given,
                               const firn_parameter_info *parameter, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    if (given->n_table < 0 || given->n_table > FIRN_MAX_TABLE)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "material '%s': table of %s has %d rows; allowed: 1 to %d",
                                 def->name, parameter->name, given->n_table, FIRN_MAX_TABLE);
    for (int i = 0; i < given->n_table; i++) {
        if (!is_in_range(parameter, given->table_value[i]))
            status = refuse_value(def, info, parameter, " in the table", given->table_value[i],
                                  messages);
        if (!isfinite(given->table_temperature[i]) ||
            (i && given->table_temperature[i] <= given->table_temperature[i - 1]))
            status = firn_messages_add(messages, FIRN_REFUSED,
                                       "material '%s': table of %s: temperatures must be finite "
                                       "and rise from row to row (row %d)",
                                       def->name, parameter->name, i + 1);
    }
    return status;
}

static firn_status check_form(const firn_material_def *def, const firn_parameter_def *given, int k,
                              firn_messages *messages)
{
    const char *wrong = NULL;
    if (given->n_table) wrong = "has a table and a form over temperature; allowed: one of them";
    if (k == 0 || k >= FIRN_THERMAL_FIRST) wrong = "takes no form over temperature; try: a table";
    if (!isfinite(given->form_rate) || !(given->form_temperature > 0))
        wrong = "has a form over temperature without a temperature `at` above 0 K";
    if (!wrong) return FIRN_OK;
    return firn_messages_add(messages, FIRN_REFUSED, "material '%s': %s %s", def->name, given->name,
                             wrong);
}

static void set_range(firn_material *material, int k, double a, double b)
{
    const firn_parameter_info *info = &material->law->info.parameters[k];
    material->least[k] = fmax(info->min, fmin(a, b));
    material->most[k] = fmin(info->max, fmax(a, b));
}

/* A parameter that varies in space: noise over a length, or a map. The law sees one number for each
 * particle; `least` and `most` bound them. */
static firn_status apply_space(const firn_material_def *def, const firn_parameter_def *given, int k,
                               firn_material *material, firn_messages *messages)
{
    const firn_law_info *law = &material->law->info;
    const firn_parameter_info *info = &law->parameters[k];
    const int has_range = *given->map && !(isnan(given->low) || isnan(given->high));
    const char *wrong = NULL;
    if (k >= FIRN_THERMAL_FIRST) wrong = "is the same for all of a material";
    if (k == 0) wrong = "is the same for all of a material, as it decides on masses";
    if (given->n_table || given->form) wrong = "has a table or a form over temperature";
    if (*given->map && !has_range && !(isnan(given->low) && isnan(given->high)))
        wrong = "has one of `low` and `high`; allowed: both or none";
    if (wrong)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "material '%s': %s cannot vary in space: it %s", def->name,
                                 given->name, wrong);
    if (has_range && !is_in_range(info, given->low))
        return refuse_value(def, law, info, ", low,", given->low, messages);
    if (has_range && !is_in_range(info, given->high))
        return refuse_value(def, law, info, ", high,", given->high, messages);
    const double value = material->value[k], a = material->noise[k];
    const double low = has_range ? fmin(given->low, given->high) : value,
                 high = has_range ? fmax(given->low, given->high) : value;
    material->varies[k] = 1;
    set_range(material, k, low * (1 - (given->noise_size > 0 ? a : 0)),
              high * (1 + (given->noise_size > 0 ? a : 0)));
    if (has_range) material->value[k] = (low + high) / 2; /* before any place is known */
    if (given->noise_size > 0) material->noise[k] = 0;    /* not from particle to particle */
    return FIRN_OK;
}

/* One given parameter into the material, with everything that is wrong with it reported. */
static firn_status apply_parameter(const firn_material_def *def, const firn_parameter_def *given,
                                   firn_material *material, firn_messages *messages)
{
    const firn_law_info *info = &material->law->info;
    int k = firn_material_parameter_index(info, given->name, strnlen(given->name, FIRN_NAME));
    if (k < 0) return refuse_parameter(def, info, given->name, messages);
    const firn_parameter_info *parameter = firn_material_parameter(info, k);
    firn_status status = check_table(def, info, given, parameter, messages);
    if (status != FIRN_OK) return status;
    const double value = isnan(given->value) && (*given->map || given->noise_size > 0)
                             ? material->value[k]
                             : given->value;
    if (!given->n_table && !is_in_range(parameter, value))
        status = refuse_value(def, info, parameter, "", value, messages);
    if (!(given->noise_size >= 0 && given->noise_size <= 1e9))
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "material '%s': size of the noise of %s is %g m; allowed: 0 to "
                                   "1e9",
                                   def->name, parameter->name, given->noise_size);
    if (!(given->noise >= 0 && given->noise <= 1))
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "material '%s': noise of %s is %g; allowed: 0 to 1", def->name,
                                   parameter->name, given->noise);
    if (k >= FIRN_THERMAL_FIRST && given->noise > 0)
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "material '%s': %s takes no noise: it is that of the material",
                                   def->name, parameter->name);
    if (k > FIRN_THERMAL_FIRST + FIRN_THERMAL_CONDUCTIVITY_LIQUID && given->n_table)
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "material '%s': %s takes no table; try: a number", def->name,
                                   parameter->name);
    if (k == 0 && (given->noise > 0 || given->n_table))
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "material '%s': rho takes neither noise nor a table: the mass "
                                   "of a particle is fixed when it is made",
                                   def->name);
    material->value[k] = given->n_table ? given->table_value[0] : value;
    material->noise[k] = given->noise;
    material->form[k] = (int)given->form;
    material->form_T[k] = given->form_temperature;
    material->form_rate[k] = given->form_rate;
    if (status == FIRN_OK && given->form) status = check_form(def, given, k, messages);
    material->n_table[k] = given->n_table;
    memcpy(material->table_temperature[k], given->table_temperature,
           sizeof given->table_temperature);
    memcpy(material->table_value[k], given->table_value, sizeof given->table_value);
    if (status == FIRN_OK && (*given->map || (given->noise_size > 0 && given->noise > 0)))
        status = apply_space(def, given, k, material, messages);
    return status;
}

/* Weak planes: at least one parameter of the law is a strength. */
static firn_status apply_lumps(const firn_material_def *def, firn_material *material,
                               firn_messages *messages)
{
    const firn_lumps_def *lumps = &def->lumps;
    const firn_law_info *law = &material->law->info;
    int n_strengths = 0;
    if (lumps->size == 0) return FIRN_OK;
    if (!(lumps->size > 0 && lumps->size <= 1e9) ||
        !(lumps->strength >= 0 && lumps->strength <= 1) ||
        !(lumps->width >= 0 && lumps->width <= 0.4 * lumps->size))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "material '%s': lumps of size %g m, strength %g, width %g m; allowed: size up to 1e9 "
            "m, strength 0 to 1, width up to 0.4 of the size",
            def->name, lumps->size, lumps->strength, lumps->width);
    for (int k = 0; k < law->n_parameters; k++) {
        if (!law->parameters[k].is_strength) continue;
        const double low = material->varies[k] ? material->least[k] : material->value[k],
                     high = material->varies[k] ? material->most[k] : material->value[k];
        set_range(material, k, low * lumps->strength, high);
        material->varies[k] = 1;
        n_strengths++;
    }
    if (n_strengths) return FIRN_OK;
    return firn_messages_add(messages, FIRN_REFUSED,
                             "material '%s': lumps have no effect: law '%s' has no strength that "
                             "could be less at their faces; try: a law that yields",
                             def->name, law->name);
}

static firn_status make_thermal(const firn_material_def *def, firn_material *material,
                                firn_messages *messages)
{
    int which = 0;
    const int k = FIRN_THERMAL_FIRST;
    const char *wrong =
        firn_thermal_make(&material->thermal, material->value + k, material->n_table + k,
                          material->table_temperature + k, material->table_value + k, &which);
    if (!wrong) return FIRN_OK;
    return firn_messages_add(messages, FIRN_REFUSED, "material '%s': %s (%g) %s", def->name,
                             firn_thermal_parameter_at(which)->name, material->value[k + which],
                             wrong);
}

firn_status firn_material_resolve(const firn_material_def *def, uint64_t seed,
                                  firn_material *material, firn_messages *messages)
{
    const firn_law *law = law_of(def, messages);
    if (!law) return FIRN_REFUSED;
    const firn_law_info *info = &law->info;
    firn_status status = FIRN_OK;
    memset(material, 0, sizeof *material);
    snprintf(material->name, sizeof material->name, "%s", def->name);
    material->law = law;
    material->seed = seed;
    for (int k = 0; k < FIRN_MATERIAL_PARAMETERS; k++)
        if (firn_material_parameter(info, k))
            material->value[k] = firn_material_parameter(info, k)->value;
    if (def->preset[0]) {
        const firn_preset_info *preset = firn_law_preset(info, def->preset);
        if (!preset) return refuse_preset(def, info, messages);
        status = apply_settings(def, info, preset->settings, material->value, messages);
    }
    if (def->n_parameters < 0 || def->n_parameters > FIRN_MAX_PARAMETERS)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "material '%s': %d parameters; allowed: 0 to %d", def->name,
                                 def->n_parameters, FIRN_MAX_PARAMETERS);
    for (int i = 0; i < def->n_parameters; i++)
        if (apply_parameter(def, &def->parameters[i], material, messages) != FIRN_OK)
            status = FIRN_REFUSED;
    if (status == FIRN_OK) status = apply_lumps(def, material, messages);
    /* what the preset set was not seen by the loop above */
    for (int k = 0; k < FIRN_MATERIAL_PARAMETERS && status == FIRN_OK; k++) {
        const firn_parameter_info *parameter = firn_material_parameter(info, k);
        if (parameter && !is_in_range(parameter, material->value[k]))
            status = refuse_value(def, info, parameter, "", material->value[k], messages);
    }
    material->density = material->value[0];
    return status == FIRN_OK ? make_thermal(def, material, messages) : status;
}
