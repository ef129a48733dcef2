/* SPDX-License-Identifier: MIT */
/* help_search.c: see help_search.h. The texts are those of the tables that the program is made of:
 * nothing is listed here. */
#include "program/help_search.h"

#include "geometry/shape.h"
#include "laws/law.h"
#include "laws/material_text.h"
#include "laws/thermal.h"
#include "measure/measure.h"
#include "points/format.h"
#include "scene/scene_help.h"
#include "solver/attributes.h"
#include "solver/force.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { PLACE_WIDTH = 40, LINE_WIDTH = 100 };

typedef struct search {
    FILE *out;
    char root[64];
    int n;
} search;

/* The word without the ending of a plural, participle or gerund: melting finds melts, bodies finds
 * body. At least three letters remain. */
static void take_root(search *s, const char *word)
{
    static const char *const endings[] = {"ing", "ies", "ed", "es", "s", "y"};
    snprintf(s->root, sizeof s->root, "%.60s", word);
    for (int i = 0; i < 6; i++) {
        const size_t n = strlen(s->root), n_end = strlen(endings[i]);
        if (n < n_end + 3 || strcasecmp(s->root + n - n_end, endings[i]) != 0) continue;
        s->root[n - n_end] = 0;
        return;
    }
}

/* A word of the text begins with the root. */
static int has_root(const search *s, const char *text)
{
    const size_t n = strlen(s->root);
    for (const char *at = text; at && *at; at++)
        if ((at == text || !isalnum((unsigned char)at[-1])) && strncasecmp(at, s->root, n) == 0)
            return 1;
    return 0;
}

/* One line: the place, and the beginning of its text. */
static void print_hit(search *s, const char *place, const char *text)
{
    if (!s->n) fputs("In the help:\n", s->out);
    s->n++;
    const int room = LINE_WIDTH - 2 - PLACE_WIDTH - 1;
    int n = (int)strcspn(text, "\n");
    const int is_cut = n > room;
    if (is_cut)
        for (n = room - 3; n > 0 && text[n] != ' '; n--) continue;
    fprintf(s->out, "  %-*s %.*s%s\n", PLACE_WIDTH, place, n, text, is_cut ? "..." : "");
}

/* `about`: further text in which the word may stand; NULL: none. */
static void look(search *s, const char *before, const char *name, const char *text,
                 const char *about)
{
    char place[256];
    if (!has_root(s, name) && !has_root(s, text) && !has_root(s, about)) return;
    snprintf(place, sizeof place, "%s%s", before, name);
    print_hit(s, place, text);
}

static void look_at_verbs(search *s, const firn_cli_verb *const *verbs)
{
    char before[64];
    for (int i = 0; verbs[i]; i++) {
        look(s, "firn ", verbs[i]->name, verbs[i]->summary, verbs[i]->text);
        snprintf(before, sizeof before, "firn %s --", verbs[i]->name);
        for (const firn_cli_option *o = verbs[i]->options; o && o->name; o++)
            if (!o->is_hidden) look(s, before, o->name, o->doc, o->choices);
    }
}

static void look_at_key(void *user, const char *path, const char *doc, const char *about)
{
    look(user, "firn help ", path, doc, about);
}

static void look_at_parameters(search *s, const char *law, int n,
                               const firn_parameter_info *(*at)(int), const firn_parameter_info *of)
{
    char before[128];
    snprintf(before, sizeof before, "firn materials %s: ", law);
    for (int k = 0; k < n; k++) {
        const firn_parameter_info *p = at ? at(k) : &of[k];
        look(s, before, p->name, p->meaning, NULL);
    }
}

static void look_at_laws(search *s)
{
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        look(s, "firn materials ", law->name, law->title, law->validity);
        for (int k = 0; k < law->n_presets; k++)
            look(s, "firn materials ", law->presets[k].name, law->presets[k].note, NULL);
        look_at_parameters(s, law->name, law->n_parameters, NULL, law->parameters);
    }
    look_at_parameters(s, "LAW", firn_thermal_parameter_count(), firn_thermal_parameter_at, NULL);
}

static void look_at_tables(search *s)
{
    for (int i = 0; firn_shape_kind_at(i); i++)
        look(s, "firn help shapes: ", firn_shape_kind_at(i)->name, firn_shape_kind_at(i)->meaning,
             firn_shape_kind_at(i)->keys);
    for (int i = 0; firn_force_kind_at(i); i++)
        look(s, "firn help forces: ", firn_force_kind_at(i)->name, firn_force_kind_at(i)->meaning,
             NULL);
    for (int i = 0; firn_measure_at(i); i++)
        look(s, "firn help measures: ", firn_measure_at(i)->name, firn_measure_at(i)->doc, NULL);
    for (int i = 0; firn_attribute_at(i); i++)
        look(s, "firn help attributes: ", firn_attribute_at(i)->name, firn_attribute_at(i)->meaning,
             NULL);
    for (int i = 0; firn_format_at(i); i++)
        look(s, "firn help formats: ", firn_format_at(i)->name, firn_format_at(i)->doc,
             firn_format_at(i)->extension);
}

/* A law or preset with this name. */
static int print_material(FILE *out, const char *word)
{
    firn_text text = {0}, names = {0};
    firn_materials_text_names(&names);
    int is_there = 0;
    for (const char *at = names.data; at && *at && !is_there; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        is_there = n == strlen(word) && strncmp(at, word, n) == 0;
        at += n;
    }
    if (is_there && firn_materials_text_describe(word, &text, NULL) == FIRN_OK && text.data)
        fputs(text.data, out);
    is_there = is_there && text.data;
    firn_text_clear(&text);
    firn_text_clear(&names);
    return is_there;
}

int firn_help_search(FILE *out, const firn_cli_verb *const *verbs, const char *word)
{
    search s = {.out = out};
    if (strlen(word) < 2) return 0; /* every text has a letter */
    take_root(&s, word);
    const int n_exact = firn_scene_help_named(out, word) + print_material(out, word);
    if (n_exact) fputc('\n', out);
    look_at_verbs(&s, verbs);
    firn_scene_help_each(look_at_key, &s);
    look_at_laws(&s);
    look_at_tables(&s);
    return n_exact + s.n;
}
