/* SPDX-License-Identifier: MIT */
/* test_populate.c: bodies of two densities - what each particle weighs, and that the border
 * between the layers is none for the material. Points of files: test_populate_points.c. */
#include "firn/firn.h"
#include "support/running.h"

#include <math.h>
#include <string.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def shape;
    firn_body_def body;
    firn_run_options options;
} setup;

static void make(setup *s, double dense)
{
    *s = (setup){firn_scene_default(), firn_material_default(), firn_shape_default(),
                 firn_body_default(), firn_run_options_default()};
    strcpy(s->material.name, "stuff");
    strcpy(s->material.law, "neo_hookean");
    strcpy(s->material.parameters[0].name, "E");
    s->material.parameters[0].value = 1e4;
    strcpy(s->material.parameters[1].name, "rho");
    s->material.parameters[1].value = 500;
    s->material.n_parameters = 2;
    strcpy(s->shape.kind, "sphere");
    s->shape.radius = 0.5;
    strcpy(s->body.name, "ball");
    strcpy(s->body.material, "stuff");
    s->body.n_shapes = 1;
    s->body.shapes = &s->shape;
    s->body.particles_per_cell = 8;
    s->body.particles_at_surface = dense;
    for (int a = 0; a < 3; a++) s->scene.gravity[a] = 0;
    s->scene.grid.dx = 0.1;
    s->scene.n_materials = 1;
    s->scene.materials = &s->material;
    s->scene.n_bodies = 1;
    s->scene.bodies = &s->body;
}

/* One cell deep when nothing is said, else as deep as is said; masses go with volumes and add up
 * to the body's. */
static void weights(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        setup s;
        make(&s, 64);
        s.body.surface_depth = k ? 0.23 : 0;
        firn_sim *sim = running_start(&s.scene, &s.options);
        double *P = running_copy(sim, "P"), *mass = running_copy(sim, "mass"),
               *volume = running_copy(sim, "volume");
        double depth = k ? 0.23 : 0.1, total = 0;
        for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
            double r = hypot(hypot(P[3 * i], P[3 * i + 1]), P[3 * i + 2]);
            double expected = 1e-3 / (r > 0.5 - depth ? 64 : 8);
            if (fabs(r - 0.5 + depth) > 1e-5) assert_true(fabs(volume[i] / expected - 1) < 1e-5);
            assert_true(fabs(mass[i] / (500 * volume[i]) - 1) < 1e-5);
            total += mass[i];
        }
        assert_true(fabs(total / (500 * 4 * M_PI / 3 * 0.125) - 1) < 0.005);
        free(P);
        free(mass);
        free(volume);
        firn_sim_destroy(sim);
    }
}

/* A ball that was stretched by a tenth swings back as far with two layers as with one. */
static void layers_are_one_body(void **state)
{
    (void)state;
    double extent[2];
    for (int k = 0; k < 2; k++) {
        setup s;
        make(&s, k ? 64 : 0);
        s.body.F[0] = 1.1;
        s.body.deform_positions = 1;
        firn_sim *sim = running_start(&s.scene, &s.options);
        firn_ledger ledger;
        assert_int_equal(firn_sim_advance_to(sim, 0.15, NULL), FIRN_OK);
        assert_int_equal(firn_sim_ledger(sim, -1, &ledger, NULL), FIRN_OK);
        extent[k] = ledger.max[0] - ledger.min[0];
        assert_int_equal(firn_sim_stats(sim).n_retries, 0);
        firn_sim_destroy(sim);
    }
    assert_true(extent[0] < 1.05); /* it did swing */
    assert_true(fabs(extent[1] / extent[0] - 1) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights),
        cmocka_unit_test(layers_are_one_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
