/* SPDX-License-Identifier: MIT */
/* The option tables: every default lies inside its own range, every default function leaves the
 * mark, and the defaults that others rely on are what the documentation says. */
#include "scene/scene_schema.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int check_option(const char *section, const firn_schema_key *option)
{
    char *base = calloc(1, 1 << 20);
    firn_schema_section one = {.size = 1 << 20, .n_options = 1, .options = option};
    firn_schema_fill(&one, base);
    const char *member = base + option->offset;
    int n_checked = 0;
    for (int i = 0; i < option->n; i++) {
        double value = 0;
        if (option->type == FIRN_SCHEMA_REAL || option->type == FIRN_SCHEMA_MATRIX)
            value = ((const double *)member)[i];
        else if (option->type == FIRN_SCHEMA_INT)
            value = ((const int *)member)[i];
        else if (option->type == FIRN_SCHEMA_INT64)
            value = (double)*(const int64_t *)member;
        else if (option->type == FIRN_SCHEMA_WORD) {
            if (((const int *)member)[i] < 0)
                fail_msg("%s.%s: default is no word of it", section, option->key);
            continue;
        } else
            continue;
        if (option->flags & FIRN_SCHEMA_REQUIRED) continue; /* its default is meant to be refused */
        if (!firn_schema_in_range(option, value))
            fail_msg("%s.%s: default out of range", section, option->key);
        n_checked++;
    }
    free(base);
    return n_checked;
}

static int check_section(const firn_schema_section *section)
{
    int n_checked = 0;
    assert_true(section->doc && strlen(section->doc) > 5);
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        if (!option->doc || strlen(option->doc) < 5)
            fail_msg("%s.%s: no sentence", section->name, option->key);
        if (option->type != FIRN_SCHEMA_PARAMETERS)
            assert_ptr_equal(firn_schema_find(section, option->key), option); /* keys are unique */
        if (option->section)
            n_checked += check_section(option->section);
        else
            n_checked += check_option(section->name, option);
    }
    return n_checked;
}

static void test_defaults_are_in_range(void **state)
{
    (void)state;
    assert_true(check_section(&firn_schema_file) > 60);
}

/* Marks the bytes of a struct that a section reaches; sections of the same struct add up. */
static void cover(const firn_schema_section *section, size_t base, char *covered)
{
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        size_t size = sizeof(double) * (size_t)option->n, at = base + option->offset;
        switch (option->type) {
        case FIRN_SCHEMA_INT:
        case FIRN_SCHEMA_FLAG:
        case FIRN_SCHEMA_WORD: size = sizeof(int) * (size_t)option->n; break;
        case FIRN_SCHEMA_TEXT: size = option->size; break;
        case FIRN_SCHEMA_SECTION: cover(option->section, at, covered); continue;
        case FIRN_SCHEMA_PARAMETERS: continue;
        case FIRN_SCHEMA_LIST: memset(covered + base + option->count_offset, 1, sizeof(int)); break;
        default: break;
        }
        if (option->flags & FIRN_SCHEMA_PRESENCE)
            memset(covered + base + option->present_offset, 1, sizeof(int));
        memset(covered + at, 1, size);
    }
}

/* A member of defs.h that no option reaches cannot be set from a scene: only these may be so. */
static void check_covered(const firn_schema_section *section, size_t n_allowed)
{
    char *covered = calloc(1, section->size);
    cover(section, 0, covered);
    if (section->has_marker) memset(covered, 1, sizeof(uint32_t));
    if (section == &firn_schema_file) /* set by the library alone */
        memset(covered + offsetof(firn_scene_def, loaded), 1, sizeof(void *));
    size_t n_missing = 0;
    for (size_t i = 0, run = 0; i < section->size; i++) {
        run = covered[i] ? 0 : run + 1;
        n_missing += run == 8 ? 8 : run > 8; /* shorter runs are padding */
    }
    if (n_missing > n_allowed)
        fail_msg("%s: %zu bytes of its struct have no option", section->name, n_missing);
    free(covered);
    for (int i = 0; i < section->n_options; i++)
        if (section->options[i].type == FIRN_SCHEMA_LIST) {
            const firn_schema_section *item = section->options[i].section;
            size_t special = 0;
            if (strcmp(item->name, "colliders") == 0)
                special = 2 * sizeof(void *); /* distance function */
            if (strcmp(item->name, "materials") == 0)
                special = 2 * sizeof(int) + 8 + FIRN_MAX_PARAMETERS * sizeof(firn_parameter_def);
            check_covered(item, special);
        }
}

static void test_every_member_has_an_option(void **state)
{
    (void)state;
    check_covered(&firn_schema_file, 0);
}

static void test_defaults_are_as_documented(void **state)
{
    (void)state;
    firn_scene_def scene = firn_scene_default();
    assert_int_equal(scene.marker, FIRN_MARKER);
    assert_int_equal(scene.grid.spline, FIRN_CUBIC);
    assert_int_equal(scene.transfer.scheme, FIRN_APIC);
    assert_int_equal(scene.transfer.force, FIRN_FORCE_GRADIENT);
    assert_true(scene.gravity[0] == 0 && scene.gravity[1] == -9.81 && scene.gravity[2] == 0);
    assert_true(scene.fps == 24 && scene.is_double == 0 && scene.n_bodies == 0);
    assert_true(scene.checkpoint.every_seconds == 60 && scene.checkpoint.keep == 2);
    firn_body_def body = firn_body_default();
    assert_int_equal(body.marker, FIRN_MARKER);
    assert_int_equal(body.sampling, FIRN_JITTERED);
    assert_true(body.particles_per_cell == 8 && body.temperature == 293.15);
    for (int i = 0; i < 9; i++) assert_true(body.F[i] == (i % 4 == 0));
    firn_collider_def collider = firn_collider_default();
    assert_true(collider.marker == FIRN_MARKER && collider.contact == FIRN_SEPARATE &&
                isinf(collider.stop));
    assert_int_equal(firn_material_default().marker, FIRN_MARKER);
    assert_int_equal(firn_emitter_default().marker, FIRN_MARKER);
    assert_int_equal(firn_grip_default().marker, FIRN_MARKER);
    assert_int_equal(firn_force_default().marker, FIRN_MARKER);
    assert_int_equal(firn_run_options_default().marker, FIRN_MARKER);
    assert_non_null(firn_run_options_default().hooks.allocate);
    assert_true(firn_shape_default().scale == 1 && firn_shape_default().normal[1] == 1);
}

static void test_words_and_ranges(void **state)
{
    (void)state;
    const firn_schema_key *walls =
        firn_schema_find(firn_schema_find(&firn_schema_file, "grid")->section, "walls");
    assert_int_equal(firn_schema_word_index(walls, "separate"), FIRN_WALL_SEPARATE);
    assert_int_equal(firn_schema_word_index(walls, "delete"), FIRN_WALL_DELETE);
    assert_int_equal(firn_schema_word_index(walls, "sep"), -1);
    assert_int_equal(firn_schema_word_index(walls, "periodic"), FIRN_WALL_PERIODIC);
    assert_int_equal(firn_schema_n_words(walls), 8);
    assert_int_equal(firn_schema_word_index(walls, "no_slip"), FIRN_WALL_NO_SLIP);
    const firn_schema_key *dx =
        firn_schema_find(firn_schema_find(&firn_schema_file, "grid")->section, "dx");
    assert_false(firn_schema_in_range(dx, 0));
    assert_false(firn_schema_in_range(dx, NAN));
    assert_false(firn_schema_in_range(dx, INFINITY));
    assert_true(firn_schema_in_range(dx, 1e-6));
    char text[128];
    firn_schema_range(dx, text);
    assert_string_equal(text, "above 0, up to 10000 m");
    /* ends that only keep nonsense out are told to whom they stop */
    const firn_schema_key *emitters = firn_schema_find(&firn_schema_file, "emitters");
    const firn_schema_key *rate = firn_schema_find(emitters->section, "rate");
    const firn_schema_key *scale =
        firn_schema_find(firn_schema_find(emitters->section, "shape")->section, "scale");
    firn_schema_range_for(rate, 1e30, text);
    assert_string_equal(text, "0 to 1e+12 1/s");
    firn_schema_range_for(rate, -1, text);
    assert_string_equal(text, "at least 0 1/s");
    firn_schema_range_for(scale, 1e12, text);
    assert_string_equal(text, "above 0, up to 1e+09");
    firn_schema_range_for(scale, NAN, text);
    assert_string_equal(text, "above 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults_are_in_range),
                                       cmocka_unit_test(test_every_member_has_an_option),
                                       cmocka_unit_test(test_defaults_are_as_documented),
                                       cmocka_unit_test(test_words_and_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
