/* SPDX-License-Identifier: MIT */
/* Attributes are true or refused: J, Jp and stress with the plastic part; plastic_strain, damage
 * and yield of laws that have them, and a message for those that do not. For every law of the
 * register; the messages name laws. */
#include "support/running.h"
#include "laws/history.h"
#include "laws/law.h"
#include "solver/attributes.h"
#include "solver/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A block of eight particles of each law that is named. */
static firn_sim *start(int n, const char *const *laws)
{
    firn_material_def materials[4];
    firn_body_def bodies[4];
    firn_shape_def shapes[4];
    for (int i = 0; i < n; i++) {
        materials[i] = firn_material_default();
        bodies[i] = firn_body_default();
        shapes[i] = firn_shape_default();
        snprintf(materials[i].name, FIRN_NAME, "m%d", i);
        snprintf(materials[i].law, FIRN_NAME, "%s", laws[i]);
        snprintf(bodies[i].name, FIRN_NAME, "b%d", i);
        snprintf(bodies[i].material, FIRN_NAME, "m%d", i);
        snprintf(shapes[i].kind, FIRN_NAME, "box");
        shapes[i].center[0] = 5 * i + 0.5;
        shapes[i].center[1] = shapes[i].center[2] = 0.5;
        for (int a = 0; a < 3; a++) shapes[i].size[a] = 1;
        bodies[i].shapes = &shapes[i];
        bodies[i].n_shapes = 1;
        bodies[i].particles_per_cell = 8;
    }
    firn_scene_def scene = firn_scene_default();
    scene.materials = materials;
    scene.n_materials = n;
    scene.bodies = bodies;
    scene.n_bodies = n;
    scene.grid.dx = 1;
    scene.is_double = 1;
    return running_start(&scene, NULL);
}

static void assign_all(firn_sim *sim, const char *name, int n_components, const double *value)
{
    size_t n = (size_t)firn_sim_n_particles(sim);
    double *values = malloc(n * (size_t)n_components * sizeof *values);
    for (size_t i = 0; i < n * (size_t)n_components; i++)
        values[i] = value[i % (size_t)n_components];
    assert_int_equal(firn_sim_assign(sim, name, values, n * (size_t)n_components, NULL), FIRN_OK);
    free(values);
}

static int has(const firn_law_info *law, firn_quantity quantity)
{
    return firn_history_find(law, quantity) >= 0;
}

static double first_of(firn_sim *sim, const char *name)
{
    double *values = running_copy(sim, name), value = values[0];
    free(values);
    return value;
}

static void J_is_elastic_times_plastic(void **state)
{
    (void)state;
    const double F[9] = {1.02, 0.01, 0, 0, 0.97, 0.02, 0, 0, 1.01};
    for (int l = 0; l < firn_law_count(); l++) {
        const firn_law_info *law = firn_law_at(l);
        firn_sim *sim = start(1, &law->name);
        double Jp = 1, det = 1.02 * 0.97 * 1.01;
        assign_all(sim, "F", 9, F);
        if (has(law, FIRN_QUANTITY_PLASTIC_VOLUME)) {
            Jp = 0.8;
            assign_all(sim, "Jp", 1, &Jp);
        } else
            assert_int_equal(firn_sim_assign(sim, "Jp", &Jp, 1, NULL), FIRN_USAGE);
        assert_true(fabs(first_of(sim, "Jp") - Jp) < 1e-14);
        assert_true(fabs(first_of(sim, "J") - det * Jp) < 1e-14);
        firn_ledger ledger;
        assert_int_equal(firn_sim_ledger(sim, 0, &ledger, NULL), FIRN_OK);
        assert_true(fabs(ledger.min_J - det * Jp) < 1e-14 && fabs(ledger.max_J - det * Jp) < 1e-14);
        assert_true(fabs(ledger.volume - det * Jp * ledger.initial_volume) < 1e-13);
        assert_true(fabs(ledger.initial_volume - 1) < 1e-13);
        /* Cauchy is Kirchhoff over the whole volume ratio */
        firn_place at = {0, 0, 0};
        double tau[FIRN_FIELD_MOST];
        sim->method->read(sim, at, 1, FIRN_FIELD_TAU, tau);
        assert_true(fabs(first_of(sim, "stress") - tau[0] / (det * Jp)) <= 1e-12 * fabs(tau[0]));
        firn_sim_destroy(sim);
    }
}

/* What the history holds comes back through the attribute of its role. */
static void roles_are_attributes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        firn_quantity quantity;
    } all[] = {{"plastic_strain", FIRN_QUANTITY_PLASTIC_STRAIN}, {"damage", FIRN_QUANTITY_DAMAGE}};
    for (int l = 0; l < firn_law_count(); l++)
        for (int q = 0; q < 2; q++) {
            const firn_law_info *law = firn_law_at(l);
            double value = 0.25, out[64];
            firn_sim *sim = start(1, &law->name);
            if (has(law, all[q].quantity)) {
                assign_all(sim, all[q].name, 1, &value);
                assert_true(fabs(first_of(sim, all[q].name) - value) < 1e-14);
            } else
                assert_int_equal(firn_sim_copy(sim, all[q].name, out, 64, NULL), FIRN_REFUSED);
            firn_sim_destroy(sim);
        }
}

/* Far beyond anything elastic a plastic law yields; one that is not has no such attribute. */
static void yield_is_measured(void **state)
{
    (void)state;
    const double F[9] = {1.5, 0, 0, 0, 1 / 1.5, 0, 0, 0, 0.9},
                 rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int l = 0; l < firn_law_count(); l++) {
        const firn_law_info *law = firn_law_at(l);
        firn_sim *sim = start(1, &law->name);
        double out[64];
        if (law->is_plastic) {
            assign_all(sim, "F", 9, F);
            assert_true(first_of(sim, "yield") > 1);
            assign_all(sim, "F", 9, rest);
            assert_true(first_of(sim, "yield") <= 1);
        } else
            assert_int_equal(firn_sim_copy(sim, "yield", out, 64, NULL), FIRN_REFUSED);
        firn_sim_destroy(sim);
    }
}

static void refuse(int n, const char *const *laws, const char *attribute, const char *sentence)
{
    firn_sim *sim = start(n, laws);
    firn_messages *messages = firn_messages_create();
    firn_points *points;
    assert_int_equal(firn_snapshot_take(sim, attribute, 1, &points, messages), FIRN_REFUSED);
    assert_string_equal(firn_messages_text(messages, 0, NULL), sentence);
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

static void sentences_name_the_laws(void **state)
{
    (void)state;
    refuse(
        1, (const char *const[]){"snow"}, "damage",
        "attribute 'damage': no law of the scene has it; laws that have it: crumbling_sand, dough");
    refuse(2, (const char *const[]){"von_mises", "sand"}, "plastic_strain",
           "attribute 'plastic_strain': law 'sand' flows without keeping it; laws that have it: "
           "von_mises, bargteil_flow, melting");
    refuse(2, (const char *const[]){"liquid", "hencky"}, "yield",
           "attribute 'yield': no law of the scene has it; laws that have it: snow, von_mises, "
           "bargteil_flow, mueller_flow, sand, cam_clay, dough, melting");
}

/* Beside a law that has them, an elastic body has no plastic strain and is whole. */
static void elastic_bodies_have_zeros(void **state)
{
    (void)state;
    firn_sim *sim = start(3, (const char *const[]){"von_mises", "hencky", "dough"});
    double out[64];
    assert_int_equal(firn_sim_copy(sim, "damage", out, 64, NULL), FIRN_OK);
    assert_int_equal(firn_sim_copy(sim, "plastic_strain", out, 64, NULL), FIRN_REFUSED); /* dough */
    firn_sim_destroy(sim);
    sim = start(2, (const char *const[]){"von_mises", "hencky"});
    double strain = 0.5;
    assign_all(sim, "plastic_strain", 1, &strain);
    assert_int_equal(firn_sim_copy(sim, "plastic_strain", out, 64, NULL), FIRN_OK);
    assert_true(out[0] == 0.5 && out[8] == 0);
    firn_sim_destroy(sim);
}

/* The attributes of a cache without a list hold Jp where a law has it, under whatever name. */
static void usual_attributes_hold_Jp(void **state)
{
    (void)state;
    for (int l = 0; l < firn_law_count(); l++) {
        const firn_law_info *law = firn_law_at(l);
        firn_sim *sim = start(1, &law->name);
        firn_points *points;
        assert_int_equal(firn_snapshot_take(sim, "", 1, &points, NULL), FIRN_OK);
        assert_int_equal(firn_points_find(points, "Jp") != NULL,
                         has(law, FIRN_QUANTITY_PLASTIC_VOLUME));
        firn_points_destroy(points);
        firn_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(J_is_elastic_times_plastic), cmocka_unit_test(roles_are_attributes),
        cmocka_unit_test(yield_is_measured),          cmocka_unit_test(sentences_name_the_laws),
        cmocka_unit_test(elastic_bodies_have_zeros),  cmocka_unit_test(usual_attributes_hold_Jp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
