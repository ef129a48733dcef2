/* SPDX-License-Identifier: MIT */
/* volume_loss of a study, for every law that changes its volume plastically: a ball of almost no
 * stiffness keeps its motion v = a x, so that its volume ratio after t is (1 + a t)^3 by geometry
 * alone. It pulls apart (a > 0) and is crushed (a < 0). */
#include "support/running.h"
#include "support/sample_shot.h"
#include "laws/history.h"
#include "study/study.h"

#include <math.h>

static const double duration = 0.1;

static firn_sim *start(const firn_law_info *law, double rate)
{
    firn_material_def material = firn_material_default();
    firn_body_def body = firn_body_default();
    firn_shape_def shape = firn_shape_default();
    firn_scene_def scene = firn_scene_default();
    snprintf(material.name, FIRN_NAME, "ball");
    snprintf(material.law, FIRN_NAME, "%s", law->name);
    for (int k = 0; k < law->n_parameters; k++)
        if (strcmp(law->parameters[k].name, "E") == 0) {
            firn_parameter_def *E = &material.parameters[material.n_parameters++];
            *E = firn_parameter_default();
            snprintf(E->name, FIRN_NAME, "E");
            E->value = 1;
        }
    snprintf(body.material, FIRN_NAME, "ball");
    snprintf(body.name, FIRN_NAME, "ball");
    snprintf(shape.kind, FIRN_NAME, "sphere");
    shape.radius = 0.3;
    body.shapes = &shape;
    body.n_shapes = 1;
    scene.materials = &material;
    scene.n_materials = 1;
    scene.bodies = &body;
    scene.n_bodies = 1;
    scene.grid.dx = 0.1;
    memset(scene.gravity, 0, sizeof scene.gravity);
    firn_sim *sim = running_start(&scene, NULL);
    size_t n = (size_t)firn_sim_n_particles(sim);
    double *v = running_copy(sim, "P"), *C = calloc(n, 9 * sizeof *C);
    for (size_t i = 0; i < 3 * n; i++) v[i] *= rate;
    for (size_t i = 0; i < 9 * n; i++) C[i] = i % 9 % 4 == 0 ? rate : 0;
    assert_int_equal(firn_sim_assign(sim, "v", v, 3 * n, NULL), FIRN_OK);
    assert_int_equal(firn_sim_assign(sim, "C", C, 9 * n, NULL), FIRN_OK);
    free(v);
    free(C);
    return sim;
}

static double volume_loss(const firn_law_info *law, double rate)
{
    firn_sim *sim = start(law, rate);
    char folder[512];
    snprintf(folder, sizeof folder, "%s", scratch(rate > 0 ? "apart" : "crushed"));
    firn_shot_setup setup = sample_setup(folder, 1);
    firn_shot *shot;
    assert_int_equal(firn_shot_create(&setup, 1, &shot, NULL), FIRN_OK);
    for (int frame = 0; frame < 2; frame++) {
        firn_ledger ledgers[2];
        assert_int_equal(firn_sim_advance_to(sim, duration * frame, NULL), FIRN_OK);
        assert_int_equal(firn_sim_ledger(sim, -1, &ledgers[0], NULL), FIRN_OK);
        assert_int_equal(firn_sim_ledger(sim, 0, &ledgers[1], NULL), FIRN_OK);
        firn_shot_time moment = {
            .frame = frame, .time = duration * frame, .n_ledgers = 2, .ledgers = ledgers};
        assert_int_equal(firn_shot_record(shot, &moment, 0, NULL, NULL), FIRN_OK);
    }
    assert_int_equal(firn_shot_close(shot, "finished", NULL, NULL), FIRN_OK);
    firn_shot_destroy(shot);
    firn_sim_destroy(sim);
    firn_compare_series series;
    assert_int_equal(firn_compare_series_read(folder, "ball", (double[3]){0}, &series, NULL),
                     FIRN_OK);
    double loss = firn_compare_metric_find("volume_loss")->of(&series);
    firn_compare_series_clear(&series);
    return loss;
}

static void volume_is_lost_as_geometry_says(void **state)
{
    (void)state;
    int n_laws = 0;
    for (int l = 0; l < firn_law_count(); l++) {
        const firn_law_info *law = firn_law_at(l);
        if (firn_history_find(law, FIRN_QUANTITY_PLASTIC_VOLUME) < 0) continue;
        n_laws++;
        for (int way = 0; way < 2; way++) {
            double rate = way ? -2 : 2, exact = 1 - pow(1 + rate * duration, 3);
            double loss = volume_loss(law, rate);
            if (!(fabs(loss - exact) < 0.01))
                fail_msg("%s at %g 1/s: volume_loss %g instead of %g", law->name, rate, loss,
                         exact);
        }
    }
    assert_true(n_laws >= 3); /* snow, sand, Cam-Clay */
}

/* A shot whose liquid share is 0, .2, .8 at 0, 1, 2 s: half at 1.5 s. */
static void melting(void **state)
{
    (void)state;
    static const double share[3] = {0, 0.2, 0.8};
    char folder[512];
    snprintf(folder, sizeof folder, "%s", scratch("melting"));
    firn_sim *sim = start(firn_law_find("snow"), 0);
    firn_shot_setup setup = sample_setup(folder, 1);
    firn_shot *shot;
    assert_int_equal(firn_shot_create(&setup, 1, &shot, NULL), FIRN_OK);
    for (int frame = 0; frame < 3; frame++) {
        firn_ledger ledgers[2];
        for (int m = -1; m < 1; m++) {
            assert_int_equal(firn_sim_ledger(sim, m, &ledgers[m + 1], NULL), FIRN_OK);
            ledgers[m + 1].melted_mass = share[frame] * ledgers[m + 1].mass;
            ledgers[m + 1].thermal_energy = 100 + 7 * frame;
        }
        firn_shot_time moment = {.frame = frame, .time = frame, .n_ledgers = 2, .ledgers = ledgers};
        assert_int_equal(firn_shot_record(shot, &moment, 0, NULL, NULL), FIRN_OK);
    }
    assert_int_equal(firn_shot_close(shot, "finished", NULL, NULL), FIRN_OK);
    firn_shot_destroy(shot);
    firn_sim_destroy(sim);
    firn_compare_series series;
    assert_int_equal(firn_compare_series_read(folder, "ball", (double[3]){0}, &series, NULL),
                     FIRN_OK);
    assert_true(fabs(firn_compare_metric_find("melted_share")->of(&series) - 0.8) < 1e-9);
    assert_true(fabs(firn_compare_metric_find("half_melted")->of(&series) - 1.5) < 1e-9);
    assert_true(fabs(firn_compare_metric_find("heat_gain")->of(&series) - 14) < 1e-9);
    firn_compare_series_clear(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(volume_is_lost_as_geometry_says),
                                       cmocka_unit_test(melting)};
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
