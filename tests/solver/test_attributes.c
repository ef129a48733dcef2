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
           "bargteil_flow, mueller_flow, sand, crumbling_sand, cam_clay, dough, melting");
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

/* The rotation of F = R U comes out as its quaternion, w >= 0, whatever the axis and angle; of
 * inverted particles none. */
static void orient_is_the_rotation(void **state)
{
    (void)state;
    firn_sim *sim = start(1, (const char *const[]){"neo_hookean"});
    const size_t n = (size_t)firn_sim_n_particles(sim);
    double *out = malloc(4 * n * sizeof *out);
    for (int k = 0; k < 60; k++) {
        double q[4], R[9], F[9], length = 0;
        for (int c = 0; c < 4; c++) q[c] = sin(1 + 7.3 * k + 2.1 * c * (k + 1));
        if (k % 3 == 0) q[3] = 1e-9 * q[3]; /* half turns */
        if (k % 5 == 0) q[k % 2] = 0;
        for (int c = 0; c < 4; c++) length += q[c] * q[c];
        for (int c = 0; c < 4; c++) q[c] /= q[3] < 0 ? -sqrt(length) : sqrt(length);
        const double x = q[0], y = q[1], z = q[2], w = q[3];
        const double turn[9] = {
            1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
            2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
        memcpy(R, turn, sizeof R);
        const double U[9] = {1.3, 0.1, -0.2, 0.1, 0.8, 0.05, -0.2, 0.05, 1.1};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                F[3 * i + j] = R[3 * i] * U[j] + R[3 * i + 1] * U[3 + j] + R[3 * i + 2] * U[6 + j];
        assign_all(sim, "F", 9, F);
        assert_int_equal(firn_sim_copy(sim, "orient", out, 4 * n, NULL), FIRN_OK);
        double same = 0; /* half turns: q and -q */
        for (int c = 0; c < 4; c++) same += q[c] * out[c];
        assert_true(fabs(fabs(same) - 1) < 1e-9 && (w < 1e-6 || same > 0));
    }
    const double inverted[9] = {-1, 0, 0, 0, 1, 0, 0, 0, 1};
    assign_all(sim, "F", 9, inverted);
    assert_int_equal(firn_sim_copy(sim, "orient", out, 4 * n, NULL), FIRN_OK);
    assert_true(out[0] == 0 && out[3] == 1);
    free(out);
    firn_sim_destroy(sim);
}

/* A block in free fall and a stream, with outputs of what is recorded. */
static firn_sim *recorded(const char *attributes)
{
    firn_scene_def scene = firn_scene_default();
    firn_material_def material = firn_material_default();
    firn_shape_def shape = firn_shape_default(), nozzle = firn_shape_default();
    firn_body_def body = firn_body_default();
    firn_emitter_def emitter = firn_emitter_default();
    firn_output_def output = firn_output_default();
    firn_run_options options = firn_run_options_default();
    strcpy(material.name, "stuff");
    strcpy(material.law, "neo_hookean");
    strcpy(shape.kind, "box");
    strcpy(nozzle.kind, "box");
    for (int a = 0; a < 3; a++) shape.size[a] = nozzle.size[a] = 1;
    nozzle.center[0] = 9;
    strcpy(body.name, "block");
    strcpy(body.material, "stuff");
    strcpy(emitter.name, "tap");
    strcpy(emitter.material, "stuff");
    body.shapes = &shape;
    emitter.shapes = &nozzle;
    body.n_shapes = emitter.n_shapes = 1;
    emitter.velocity[0] = 5;
    emitter.start = 0.1;
    snprintf(output.attributes, sizeof output.attributes, "%s", attributes);
    scene.grid.dx = 0.5;
    scene.is_double = 1;
    scene.n_materials = scene.n_bodies = scene.n_emitters = scene.n_outputs = 1;
    scene.materials = &material;
    scene.bodies = &body;
    scene.emitters = &emitter;
    scene.outputs = &output;
    return running_start(&scene, &options);
}

/* rest is the place of birth, age the time since, accel the mean acceleration since the last output
 * time: g in free fall. A run that is saved in the middle of an interval goes on with it. */
static void records_of_place_time_and_velocity(void **state)
{
    (void)state;
    firn_sim *sim = recorded("P accel age rest"), *again = recorded("accel age rest");
    double *born = running_copy(sim, "P");
    void *saved;
    size_t n_bytes;
    assert_int_equal(firn_sim_advance_to(sim, 0.2, NULL), FIRN_OK);
    assert_int_equal(firn_sim_step(sim, 0.4, NULL), FIRN_OK);
    assert_true(sim->time < 0.4);
    assert_int_equal(firn_sim_save(sim, &saved, &n_bytes, NULL), FIRN_OK);
    assert_int_equal(firn_sim_restore(again, saved, n_bytes, NULL), FIRN_OK);
    firn_sim_release_state(sim, saved, n_bytes);
    assert_int_equal(firn_sim_advance_to(sim, 0.4, NULL), FIRN_OK);
    assert_int_equal(firn_sim_advance_to(again, 0.4, NULL), FIRN_OK);
    assert_true(firn_sim_hash(sim) == firn_sim_hash(again));
    double *rest = running_copy(sim, "rest"), *age = running_copy(sim, "age"),
           *accel = running_copy(sim, "accel"), *P = running_copy(sim, "P"),
           *other = running_copy(again, "accel"), youngest = 1;
    const int64_t n = firn_sim_n_particles(sim), n_block = 64;
    assert_true(n > 2 * n_block);
    for (int64_t i = 0; i < n; i++) {
        const double fallen = P[3 * i + 1] - rest[3 * i + 1];
        assert_true(i >= n_block ||
                    (fabs(accel[3 * i + 1] + 9.81) < 1e-6 && fabs(accel[3 * i]) < 1e-6));
        assert_true(accel[3 * i + 1] == other[3 * i + 1]);
        for (int a = 0; a < 3 && i < n_block; a++) assert_true(rest[3 * i + a] == born[3 * i + a]);
        assert_true(i < n_block ? age[i] == 0.4 : age[i] <= 0.31 && age[i] >= 0);
        assert_true(i >= n_block || fabs(fallen + 0.5 * 9.81 * 0.16) < 0.05);
        youngest = fmin(youngest, age[i]);
    }
    assert_true(youngest < 0.1);
    double *all[] = {born, rest, age, accel, P, other};
    for (size_t i = 0; i < 6; i++) free(all[i]);
    firn_sim_destroy(sim);
    firn_sim_destroy(again);

    sim = recorded("P");
    double out[3];
    static const char *const names[] = {"rest", "age", "accel"};
    for (int i = 0; i < 3; i++) {
        firn_messages *messages = firn_messages_create();
        assert_int_equal(firn_sim_copy(sim, names[i], out, 3, messages), FIRN_REFUSED);
        assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "outputs of the scene"));
        firn_messages_destroy(messages);
    }
    firn_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(J_is_elastic_times_plastic),
        cmocka_unit_test(roles_are_attributes),
        cmocka_unit_test(yield_is_measured),
        cmocka_unit_test(sentences_name_the_laws),
        cmocka_unit_test(elastic_bodies_have_zeros),
        cmocka_unit_test(usual_attributes_hold_Jp),
        cmocka_unit_test(orient_is_the_rotation),
        cmocka_unit_test(records_of_place_time_and_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
