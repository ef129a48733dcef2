/* SPDX-License-Identifier: MIT */
/* Tests of material.c: the register, and definitions turned into numbers or refused with a
 * message that helps. */
#include "laws/law.h"
#include "lab/lab.h"
#include "scene/scene.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static firn_material_def definition(const char *law, const char *preset)
{
    firn_material_def def = {0};
    snprintf(def.name, sizeof def.name, "heap");
    snprintf(def.law, sizeof def.law, "%s", law);
    snprintf(def.preset, sizeof def.preset, "%s", preset);
    return def;
}

static void set(firn_material_def *def, const char *name, double value, double noise)
{
    firn_parameter_def *p = &def->parameters[def->n_parameters++];
    snprintf(p->name, sizeof p->name, "%s", name);
    p->value = value;
    p->noise = noise;
}

/* Resolution must be refused, and its first message must hold both words. */
static void refused(const firn_material_def *def, const char *word, const char *other)
{
    firn_material material;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_material_resolve(def, 1, &material, messages), FIRN_REFUSED);
    const char *text = firn_messages_text(messages, 0, NULL);
    if (!strstr(text, word) || !strstr(text, other))
        fail_msg("\"%s\" lacks %s or %s", text, word, other);
    firn_messages_destroy(messages);
}

static int index_of(const firn_law_info *info, const char *name)
{
    for (int k = 0; k < info->n_parameters; k++)
        if (strcmp(info->parameters[k].name, name) == 0) return k;
    return -1;
}

static void register_is_sound(void **state)
{
    (void)state;
    assert_true(firn_law_count() > 0);
    assert_null(firn_law_at(-1));
    assert_null(firn_law_at(firn_law_count()));
    assert_null(firn_law_find("no such law"));
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law *law = firn_law_entry(i);
        const firn_law_info *info = firn_law_at(i);
        assert_int_equal(firn_law_index(info->name), i); /* also: no name twice */
        assert_ptr_equal(firn_law_find(info->name), info);
        assert_string_equal(info->parameters[0].name, "rho");
        assert_true(info->n_parameters <= FIRN_MAX_PARAMETERS &&
                    info->n_history <= FIRN_MAX_HISTORY);
        assert_true(strlen(info->title) && strlen(info->equations) && strlen(info->citation) &&
                    strlen(info->validity));
        for (int k = 0; k < info->n_parameters; k++) {
            const firn_parameter_info *p = &info->parameters[k];
            assert_true(p->min <= p->value && p->value <= p->max);
            assert_true(strlen(p->name) && strlen(p->unit) && strlen(p->meaning));
            assert_int_equal(index_of(info, p->name), k);
        }
        assert_non_null(law->kernels[FIRN_F64_SCALAR].evaluate);
        assert_non_null(law->kernels[FIRN_F64_SCALAR].measure);
    }
}

/* The hash of a scene with one material of this law; warnings go to `messages`. */
static uint64_t hash_of_scene(const char *law, firn_messages *messages)
{
    char text[512];
    uint64_t hash = 0;
    snprintf(text, sizeof text,
             "grid: {dx: 2 cm}\nmaterials: {m: {law: %s}}\n"
             "bodies: {b: {material: m, shape: {kind: sphere, radius: 10 cm}}}\n",
             law);
    firn_scene *scene = firn_scene_parse(text, strlen(text), "s.yaml", 0, NULL, messages);
    assert_non_null(scene);
    assert_int_equal(firn_scene_hash(firn_scene_definition(scene), &hash, NULL), FIRN_OK);
    firn_scene_destroy(scene);
    return hash;
}

/* A former name finds the law everywhere, is reported once, and makes no other scene. */
static void aliases_are_former_names(void **state)
{
    (void)state;
    int n_aliases = 0;
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *info = firn_law_at(i);
        if (!info->alias) continue;
        n_aliases++;
        char wanted[128], name[FIRN_NAME];
        snprintf(wanted, sizeof wanted, "law '%s' is called '%s' now; the former name still works",
                 info->alias, info->name);
        assert_ptr_equal(firn_law_find(info->alias), info);
        firn_messages *messages = firn_messages_create();
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "%s", info->alias);
            firn_law_replace_alias(name, "", messages);
            assert_string_equal(name, info->name);
        }
        firn_material material;
        assert_int_equal(firn_lab_material(info->alias, NULL, &material, messages), FIRN_OK);
        assert_ptr_equal(&material.law->info, info);
        assert_int_equal(firn_messages_total(messages), 1);
        assert_string_equal(firn_messages_text(messages, 0, NULL), wanted);
        firn_messages_clear(messages);
        assert_int_equal(hash_of_scene(info->name, messages), hash_of_scene(info->alias, messages));
        assert_int_equal(firn_messages_total(messages), 1);
        assert_non_null(strstr(firn_messages_text(messages, 0, NULL), wanted));
        assert_int_equal(strncmp(firn_messages_text(messages, 0, NULL), "s.yaml:2:", 9), 0);
        firn_messages_destroy(messages);
    }
    assert_int_equal(n_aliases, 4);
}

static void every_preset_resolves(void **state)
{
    (void)state;
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *info = firn_law_at(i);
        for (int k = 0; k < info->n_presets; k++) {
            firn_material_def def = definition(info->name, info->presets[k].name);
            firn_material material;
            firn_messages *messages = firn_messages_create();
            if (firn_material_resolve(&def, 1, &material, messages) != FIRN_OK)
                fail_msg("%s", firn_messages_text(messages, 0, NULL));
            assert_true(material.density == material.value[0]);
            /* the preset's name alone means the same, unless two laws share it */
            def.law[0] = 0;
            assert_int_equal(firn_material_resolve(&def, 1, &material, messages), FIRN_OK);
            assert_true(strlen(info->presets[k].note) > 0);
            firn_messages_destroy(messages);
        }
    }
}

static void preset_then_parameters(void **state)
{
    (void)state;
    firn_material_def def = definition("", "dry_sand");
    set(&def, "E", 1e5, 0.25);
    firn_material m;
    assert_int_equal(firn_material_resolve(&def, 7, &m, NULL), FIRN_OK);
    const firn_law_info *info = &m.law->info;
    assert_string_equal(info->name, "sand");
    assert_true(m.value[index_of(info, "E")] == 1e5 && m.noise[index_of(info, "E")] == 0.25);
    assert_true(m.value[index_of(info, "nu")] == 0.3 && m.density == 2200);
    assert_true(m.seed == 7);
}

/* A parameter or preset of the extension alone makes a law of its base that law; presets of the base
 * remain. */
static void extensions_take_the_place_of_their_law(void **state)
{
    (void)state;
    static const struct {
        const char *law, *preset, *parameter, *becomes;
    } cases[] = {{"sand", "", "cohesion", "sand"},
                 {"sand", "", "cohesion_loss", "crumbling_sand"},
                 {"", "wet_sand", "E", "sand"},
                 {"", "wet_sand", "cohesion_loss", "crumbling_sand"},
                 {"sand", "sand_castle", "E", "crumbling_sand"},
                 {"", "sand_castle", "E", "crumbling_sand"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        firn_material_def def = definition(cases[k].law, cases[k].preset);
        firn_material m;
        set(&def, cases[k].parameter, 50, 0);
        assert_int_equal(firn_material_resolve(&def, 1, &m, NULL), FIRN_OK);
        assert_string_equal(m.law->info.name, cases[k].becomes);
        assert_true(m.value[index_of(&m.law->info, cases[k].parameter)] == 50);
        const double wet = m.value[index_of(&m.law->info, "wet_cohesion")];
        assert_true(wet == (*cases[k].preset ? 1500 : 0));
    }
    assert_null(firn_law_extension(firn_law_find("snow")));
}

static void wrong_definitions_are_refused_with_a_reason(void **state)
{
    (void)state;
    firn_material_def def = definition("neo_hookeen", "");
    refused(&def, "neo_hookeen", "neo_hookean");
    def = definition("", "");
    refused(&def, "heap", "firn materials");
    def = definition("", "no_preset");
    refused(&def, "no_preset", "firn materials");
    def = definition("neo_hookean", "dry_sand");
    refused(&def, "dry_sand", "'sand'");
    def = definition("sand", "sandy");
    refused(&def, "sandy", "dry_sand");
    def = definition("sand", "");
    set(&def, "Young", 1, 0);
    refused(&def, "Young", "friction_angle");
    def = definition("sand", "");
    set(&def, "nu", 0.5, 0);
    refused(&def, "nu", "0.4999");
    def = definition("sand", "");
    set(&def, "nu", (double)NAN, 0);
    refused(&def, "nu", "0.4999");
    def = definition("sand", "");
    set(&def, "E", 1e5, 1.5);
    refused(&def, "noise", "0 to 1");
    def = definition("sand", "");
    set(&def, "rho", 1000, 0.1);
    refused(&def, "rho", "mass");
}

static void tables_must_rise_and_stay_in_range(void **state)
{
    (void)state;
    firn_material_def def = definition("sand", "");
    set(&def, "E", 0, 0);
    firn_parameter_def *p = &def.parameters[0];
    p->n_table = 2;
    p->table_temperature[0] = 300;
    p->table_temperature[1] = 300;
    p->table_value[0] = 1e5;
    p->table_value[1] = 2e5;
    refused(&def, "E", "rise");
    p->table_temperature[1] = 310;
    p->table_value[1] = -1;
    refused(&def, "in the table", "-1");
    p->n_table = FIRN_MAX_TABLE + 1;
    refused(&def, "rows", "16");
    p->n_table = 2;
    p->table_value[1] = 2e5;
    firn_material m;
    assert_int_equal(firn_material_resolve(&def, 1, &m, NULL), FIRN_OK);
}

/* Every error is reported, not only the first. */
static void all_errors_at_once(void **state)
{
    (void)state;
    firn_material_def def = definition("sand", "");
    set(&def, "nu", 0.7, 0);
    set(&def, "E", -1, 0);
    set(&def, "colour", 1, 0);
    firn_material m;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_material_resolve(&def, 1, &m, messages), FIRN_REFUSED);
    assert_int_equal(firn_messages_count(messages, FIRN_ERROR), 3);
    firn_messages_destroy(messages);
}

/* Relations name parameters of their law, with a range and a consequence; defaults and presets
 * satisfy them all. */
static void relations_hold_for_what_is_shipped(void **state)
{
    (void)state;
    int n = 0;
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *info = firn_law_at(i);
        for (int p = -1; p < info->n_presets; p++) {
            firn_material_def def = definition(info->name, p < 0 ? "" : info->presets[p].name);
            firn_material m;
            assert_int_equal(firn_material_resolve(&def, 1, &m, NULL), FIRN_OK);
            for (int k = 0; k < info->n_relations; k++, n++) {
                const firn_relation_info *r = &info->relations[k];
                const double x = firn_law_relation(info, r, m.value);
                char name[FIRN_NAME];
                firn_law_relation_place(r, name);
                index_of(info, name); /* fails where there is none */
                assert_true(r->min < r->max && strlen(r->otherwise) > 10);
                if (!(x >= r->min && x <= r->max))
                    fail_msg("%s %s: %s is %g", info->name, def.preset, r->terms, x);
            }
        }
    }
    assert_true(n > 40);
    /* from left to right */
    const firn_law_info *law = firn_law_find("von_mises");
    const firn_relation_info r = {"yield / E * nu", 0, 1, ""};
    const double values[] = {1000, 8, 0.5, 4, 0, 0};
    assert_true(firn_law_relation(law, &r, values) == 0.25);
}

/* c = sqrt((lambda + 2 mu) / rho) for an elastic law, nu = viscosity / rho for a liquid. */
static void waves_at_rest(void **state)
{
    (void)state;
    firn_material_def def = definition("hencky", "");
    set(&def, "E", 1e5, 0);
    set(&def, "nu", 0.25, 0);
    set(&def, "rho", 500, 0);
    firn_material m;
    double wave, viscosity;
    assert_int_equal(firn_material_resolve(&def, 1, &m, NULL), FIRN_OK);
    firn_material_at_rest(&m, 293.15, &wave, &viscosity);
    assert_true(fabs(wave - sqrt(1.2e5 / 500)) < 1e-9 && viscosity == 0);
    def = definition("liquid", "");
    set(&def, "viscosity", 3, 0);
    assert_int_equal(firn_material_resolve(&def, 1, &m, NULL), FIRN_OK);
    firn_material_at_rest(&m, 293.15, &wave, &viscosity);
    assert_true(fabs(viscosity - 3e-3) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(register_is_sound),
        cmocka_unit_test(aliases_are_former_names),
        cmocka_unit_test(every_preset_resolves),
        cmocka_unit_test(preset_then_parameters),
        cmocka_unit_test(extensions_take_the_place_of_their_law),
        cmocka_unit_test(wrong_definitions_are_refused_with_a_reason),
        cmocka_unit_test(tables_must_rise_and_stay_in_range),
        cmocka_unit_test(all_errors_at_once),
        cmocka_unit_test(relations_hold_for_what_is_shipped),
        cmocka_unit_test(waves_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
