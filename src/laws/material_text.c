/* SPDX-License-Identifier: MIT */
/* material_text.c: the tables of the laws as text for people. Nothing here knows any law by name.
 */
#include "laws/material_text.h"
#include "laws/history.h"
#include "laws/law.h"
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 100 };

/* Paragraphs broken at blanks, every line after the first indented as deep as `column`. */
static void add_wrapped(firn_text *text, const char *words, int column)
{
    int used = column;
    while (*words) {
        int n = (int)strcspn(words, " ");
        if (used > column && used + n > LINE) {
            firn_text_add(text, "\n%*s", column, "");
            used = column;
        }
        firn_text_add(text, "%.*s", n, words);
        used += n;
        words += n;
        if (*words == ' ') {
            if (words[1] && used + 1 + (int)strcspn(words + 1, " ") <= LINE)
                firn_text_add(text, " ");
            used++;
            words++;
        }
    }
    firn_text_add(text, "\n");
}

/* Lines that are kept as they are, indented. */
static void add_lines(firn_text *text, const char *lines, int column)
{
    while (*lines) {
        int n = (int)strcspn(lines, "\n");
        firn_text_add(text, "%*s%.*s\n", column, "", n, lines);
        lines += n + (lines[n] == '\n');
    }
}

void firn_materials_text_list(firn_text *text)
{
    firn_text_add(
        text,
        "Laws, each with its presets (use either in a scene; `firn materials NAME` tells more):\n");
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        firn_text_add(text, "\n%s\n    %s\n", law->name, law->title);
        for (int k = 0; k < law->n_presets; k++)
            firn_text_add(text, "%s%s%s", k ? " " : "    presets: ", law->presets[k].name,
                          k + 1 == law->n_presets ? "\n" : "");
    }
}

void firn_materials_text_names(firn_text *text)
{
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        firn_text_add(text, "%s%s", i ? " " : "", law->name);
        for (int k = 0; k < law->n_presets; k++) firn_text_add(text, " %s", law->presets[k].name);
    }
}

static void add_parameters(const firn_law_info *law, firn_text *text)
{
    firn_text_add(text,
                  "\nparameters            default  unit       range                 meaning\n");
    for (int k = 0; k < law->n_parameters; k++) {
        const firn_parameter_info *p = &law->parameters[k];
        char range[64];
        snprintf(range, sizeof range, "%g .. %g", p->min, p->max);
        firn_text_add(text, "  %-18s %8.5g  %-9s  %-20s  ", p->name, p->value, p->unit, range);
        add_wrapped(text, p->meaning, 64);
    }
}

static void add_thermal(firn_text *text)
{
    firn_text_add(text, "\nthermal properties, of any law\n");
    for (int k = 0; k < firn_thermal_parameter_count(); k++) {
        const firn_parameter_info *p = firn_thermal_parameter_at(k);
        char range[64];
        snprintf(range, sizeof range, "%g .. %g", p->min, p->max);
        firn_text_add(text, "  %-20s %6.5g  %-9s  %-20s  ", p->name, p->value, p->unit, range);
        add_wrapped(text, p->meaning, 64);
    }
}

static void add_relations(const firn_law_info *law, firn_text *text)
{
    if (law->n_relations) firn_text_add(text, "\nadmissible together, otherwise degenerate\n");
    for (int k = 0; k < law->n_relations; k++) {
        const firn_relation_info *r = &law->relations[k];
        char range[64];
        snprintf(range, sizeof range, "%g .. %g", r->min, r->max);
        firn_text_add(text, "  %-28s  %-18s  ", r->terms, range);
        add_wrapped(text, r->otherwise, 52);
    }
}

static void add_presets(const firn_law_info *law, firn_text *text)
{
    if (law->n_presets) firn_text_add(text, "\npresets\n");
    for (int k = 0; k < law->n_presets; k++) {
        firn_text_add(text, "  %s\n      ", law->presets[k].name);
        add_wrapped(text, law->presets[k].settings, 6);
        firn_text_add(text, "      ");
        add_wrapped(text, law->presets[k].note, 6);
    }
}

static void add_history(const firn_law_info *law, firn_text *text)
{
    if (law->n_history) firn_text_add(text, "\neach particle carries\n");
    for (int k = 0; k < law->n_history; k++) {
        const firn_history_info *h = &law->history[k];
        const char *attribute = firn_quantity_name(firn_quantity_of(h->role));
        char meaning[256];
        snprintf(meaning, sizeof meaning, "%s%s%s%s", h->meaning, attribute ? " (attribute " : "",
                 attribute ? attribute : "", attribute ? ")" : "");
        firn_text_add(text, "  %-18s %8.5g  %-9s  ", h->name, h->initial, h->unit);
        add_wrapped(text, meaning, 42);
    }
}

/* Where the law's answer is not that of its equations. */
static void add_bounds(const firn_law_info *law, firn_text *text)
{
    firn_text_add(text, "\nbounds, counted where they are met (ledger: n_bounded_NAME)\n");
    for (int kind = 0; kind < FIRN_N_BOUNDS; kind++) {
        const char *meaning = firn_bound_meaning(law, kind);
        if (!meaning) continue;
        firn_text_add(text, "  %-18s ", firn_bound_name(kind));
        add_wrapped(text, meaning, 21);
    }
}

static void add_law(const firn_law_info *law, const firn_preset_info *preset, firn_text *text)
{
    firn_text_add(text, "%s: %s\n", law->name, law->title);
    if (law->alias) firn_text_add(text, "    formerly %s\n", law->alias);
    const firn_law_info *extension = firn_law_extension(law);
    for (int k = law->n_parameters; extension && k < extension->n_parameters; k++)
        firn_text_add(text, "    with `%s`: %s\n", extension->parameters[k].name, extension->name);
    firn_text_add(text, "\n");
    add_lines(text, law->equations, 4);
    add_parameters(law, text);
    add_relations(law, text);
    add_history(law, text);
    add_bounds(law, text);
    add_presets(law, text);
    add_thermal(text);
    firn_text_add(text, "\nvalid for\n  ");
    add_wrapped(text, law->validity, 2);
    firn_text_add(text, "source\n  ");
    add_wrapped(text, law->citation, 2);
    firn_text_add(text, "\nin a scene\n  materials:\n    - name: thing\n      law: %s\n",
                  law->name);
    if (preset || law->n_presets)
        firn_text_add(text, "      preset: %s\n", preset ? preset->name : law->presets[0].name);
}

firn_status firn_materials_text_describe(const char *name, firn_text *text, firn_messages *messages)
{
    char now[FIRN_NAME];
    snprintf(now, sizeof now, "%s", name);
    firn_law_replace_alias(now, "", messages);
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        if (strcmp(law->name, now) == 0) {
            add_law(law, NULL, text);
            return FIRN_OK;
        }
        for (int k = 0; k < law->n_presets; k++) {
            const firn_preset_info *preset = &law->presets[k];
            if (strcmp(preset->name, name) != 0) continue;
            firn_text_add(text, "%s, a preset of the law %s\n  ", preset->name, law->name);
            add_wrapped(text, preset->settings, 2);
            firn_text_add(text, "  ");
            add_wrapped(text, preset->note, 2);
            firn_text_add(text, "\n");
            add_law(law, preset, text);
            return FIRN_OK;
        }
    }
    firn_text names = {0};
    char nearest[64];
    firn_materials_text_names(&names);
    int is_near = names.data && firn_suggest_word(name, names.data, nearest, sizeof nearest);
    firn_messages_add(
        messages, FIRN_REFUSED, "unknown law or preset '%s'%s%s%s; `firn materials` lists all",
        name, is_near ? "; did you mean \"" : "", is_near ? nearest : "", is_near ? "\"?" : "");
    firn_text_clear(&names);
    return FIRN_REFUSED;
}

static firn_status add_preset_yaml(const firn_law_info *law, const firn_preset_info *preset,
                                   firn_text *text, firn_messages *messages)
{
    firn_material_def def = {0};
    firn_material material;
    snprintf(def.name, sizeof def.name, "%s", preset->name);
    snprintf(def.law, sizeof def.law, "%s", law->name);
    snprintf(def.preset, sizeof def.preset, "%s", preset->name);
    firn_status status = firn_material_resolve(&def, 0, &material, messages);
    if (status != FIRN_OK) return status;
    firn_text_add(text, "\n  # %s\n  %s:\n    law: %s\n", preset->note, preset->name, law->name);
    for (int i = 0; i < law->n_parameters; i++) {
        const firn_parameter_info *p = &law->parameters[i];
        int has_unit = p->unit[0] && strcmp(p->unit, "1") != 0;
        firn_text_add(text, "    %s: %.15g%s%s\n", p->name, material.value[i], has_unit ? " " : "",
                      has_unit ? p->unit : "");
    }
    for (int i = 0; material.thermal.is_on && i < firn_thermal_parameter_count(); i++) {
        const firn_parameter_info *p = firn_thermal_parameter_at(i);
        int has_unit = strcmp(p->unit, "1") != 0;
        firn_text_add(text, "    %s: %.15g%s%s\n", p->name, material.value[FIRN_THERMAL_FIRST + i],
                      has_unit ? " " : "", has_unit ? p->unit : "");
    }
    return FIRN_OK;
}

firn_status firn_materials_text_yaml(firn_text *text, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    firn_text_add(text, "# The presets of firn, written out for scenes. `preset: NAME` in a scene "
                        "means the same numbers.\n"
                        "materials:\n");
    for (int i = 0; i < firn_law_count(); i++)
        for (int k = 0; k < firn_law_at(i)->n_presets && status == FIRN_OK; k++)
            status = add_preset_yaml(firn_law_at(i), &firn_law_at(i)->presets[k], text, messages);
    return status;
}
