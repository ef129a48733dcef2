/* SPDX-License-Identifier: MIT */
/* scene_check_measures.c: see scene_check_measures.h. */
#include "scene/scene_check_measures.h"
#include "base/suggest.h"
#include "laws/law.h"
#include "measure/measure.h"
#include "solver/attributes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a measure can be taken of: particles of a body or material, sums of the ledger of a
 * material, reactions of a collider or grip. */
static void check_subject(firn_complaints *c, const firn_scene_def *scene, const char *name,
                          const firn_measure *measure)
{
    static const char *const what[] = {"body or material of this scene", "material of this scene",
                                       "collider or grip of this scene", "probe of this scene"};
    firn_known_words known = {.wanted = name};
    const int is_reaction = measure->kind == FIRN_MEASURE_REACTION,
              is_probe = measure->kind == FIRN_MEASURE_PROBE;
    if (!*name && !is_reaction && !is_probe) return; /* of everything */
    for (int i = 0; is_probe && i < scene->n_probes; i++)
        firn_complaints_know(&known, scene->probes[i].name);
    for (int i = 0; measure->kind == FIRN_MEASURE_PARTICLES && i < scene->n_bodies; i++)
        firn_complaints_know(&known, scene->bodies[i].name);
    for (int i = 0; !is_reaction && !is_probe && i < scene->n_materials; i++)
        firn_complaints_know(&known, scene->materials[i].name);
    for (int i = 0; is_reaction && i < scene->n_colliders; i++)
        firn_complaints_know(&known, scene->colliders[i].name);
    for (int i = 0; is_reaction && i < scene->n_grips; i++)
        firn_complaints_know(&known, scene->grips[i].name);
    if (!*name)
        FIRN_COMPLAIN(c, "of", "is missing; %s needs a %s", measure->name, what[measure->kind]);
    else
        firn_complaints_word(c, "of", what[measure->kind], &known);
}

/* An attribute that the laws of the scene cannot give to every particle. */
void firn_scene_check_attribute(firn_complaints *c, const firn_scene_def *scene, const char *key,
                                const char *name)
{
    firn_attribute_answer answer = {0};
    char why[512];
    for (int m = 0; m < scene->n_materials; m++) {
        const firn_law_info *law = firn_material_def_law(&scene->materials[m]);
        if (!law) return; /* refused already */
        firn_attribute_ask(name, law, &answer);
    }
    if (scene->n_materials && firn_attribute_refusal(name, &answer, why, sizeof why))
        FIRN_COMPLAIN(c, key, "cannot have \"%s\": %s", name, why);
}

/* Every attribute of the scene's particles: the solver's table and the history fields of the
 * laws. */
void firn_scene_know_attributes(firn_known_words *known, const firn_scene_def *scene)
{
    for (int i = 0; firn_attribute_at(i); i++)
        firn_complaints_know(known, firn_attribute_at(i)->name);
    for (int m = 0; m < scene->n_materials; m++) {
        const firn_law_info *law = firn_material_def_law(&scene->materials[m]);
        for (int k = 0; law && k < law->n_history; k++)
            if (!firn_suggest_has(known->text, law->history[k].name))
                firn_complaints_know(known, law->history[k].name);
    }
}

/* What a probe or an expectation is of. */
typedef struct selection {
    const char *measure, *subject, *attribute;
    int n_shapes, has_place;
} selection;

/* The measure, NULL: unknown, which is said. */
static const firn_measure *check_selection(firn_complaints *c, const firn_scene_def *scene,
                                           const selection *s)
{
    const firn_measure *measure = firn_measure_find(s->measure);
    if (!measure) {
        firn_known_words known = {.wanted = s->measure};
        firn_measure_names(known.text, sizeof known.text);
        firn_complaints_word(c, "measure", "measure", &known);
        return NULL;
    }
    check_subject(c, scene, s->subject, measure);
    if (measure->has_attribute && !*s->attribute)
        FIRN_COMPLAIN(c, "attribute", "is missing; %s needs one of `firn help attributes`",
                      measure->name);
    if (measure->has_attribute && *s->attribute) {
        firn_known_words known = {.wanted = s->attribute};
        firn_scene_know_attributes(&known, scene);
        firn_complaints_word(c, "attribute", "attribute of this scene's particles", &known);
        firn_scene_check_attribute(c, scene, "attribute", s->attribute);
    }
    const int is_of_particles = measure->kind == FIRN_MEASURE_PARTICLES;
    if (s->n_shapes && !is_of_particles)
        FIRN_COMPLAIN(c, "region", "has no effect: %s is not measured on particles", measure->name);
    if (s->has_place && !is_of_particles)
        FIRN_COMPLAIN(c, "radius", "and particle have no effect: %s is not measured on particles",
                      measure->name);
    return measure;
}

static void check_expect(firn_complaints *c, const firn_scene_def *scene,
                         const firn_expect_def *expect)
{
    const selection what = {expect->measure, expect->body, expect->attribute, expect->n_shapes, 0};
    if (!check_selection(c, scene, &what)) return;
    if (isinf(expect->value) && isinf(expect->at_least) && isinf(expect->at_most))
        FIRN_COMPLAIN(c, "value", "is missing; try: value, at_least or at_most");
    if (isfinite(expect->value) && (isfinite(expect->at_least) || isfinite(expect->at_most)))
        FIRN_COMPLAIN(c, "value", "is given besides at_least or at_most; allowed: one of them");
    if (expect->over != FIRN_OVER_MOMENT && !(expect->from < expect->time))
        FIRN_COMPLAIN(c, "time", "is %g s, which is not after from (%g s)", expect->time,
                      expect->from);
}

static void check_probe(firn_complaints *c, const firn_scene_def *scene,
                        const firn_probe_def *probe)
{
    const selection what = {probe->measure, probe->body, probe->attribute, probe->n_shapes,
                            probe->radius > 0 || probe->particle >= 0};
    const firn_measure *measure = check_selection(c, scene, &what);
    if (strpbrk(probe->name, ",\"\r\n"))
        FIRN_COMPLAIN(c, "name", "has a comma, a quote or a line end, which its CSV has not");
    if (measure && measure->kind == FIRN_MEASURE_PROBE)
        FIRN_COMPLAIN(c, "measure", "is probe; allowed: what a probe samples");
    if (probe->particle >= 0 && (probe->radius > 0 || probe->n_shapes))
        FIRN_COMPLAIN(c, "particle", "is given besides a region or a radius; allowed: one of them");
}

void firn_scene_check_measures(firn_complaints *c, const firn_scene_def *scene)
{
    for (int i = 0; i < scene->n_probes; i++) {
        size_t at = firn_complaints_enter(c, "probes");
        firn_complaints_enter(c, scene->probes[i].name);
        check_probe(c, scene, &scene->probes[i]);
        firn_complaints_leave(c, at);
    }
    for (int i = 0; i < scene->n_expects; i++) {
        char path[32];
        snprintf(path, sizeof path, "expect.%d", i);
        size_t at = firn_complaints_enter(c, path);
        check_expect(c, scene, &scene->expects[i]);
        firn_complaints_leave(c, at);
    }
}
