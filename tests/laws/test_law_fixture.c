/* SPDX-License-Identifier: MIT */
/* A law from outside (tests/law_fixture) is in the register like all others: found by name,
 * resolved as a scene would, described, run by its kernels. */
#include "support/law_support.h"
#include "firn/sim.h"
#include "laws/material_text.h"

static void fixture_is_found_everywhere(void **state)
{
    (void)state;
    assert_int_equal(firn_law_index("spring"), firn_law_count() - 1);
    firn_text text = {0};
    assert_int_equal(firn_materials_text_describe("spring", &text, NULL), FIRN_OK);
    assert_non_null(strstr(text.data, "Spring-like solid"));
    firn_text_clear(&text);
    firn_material m = material("spring", "", "E", 200.0, NULL);
    for (int variant = 0; variant < FIRN_N_VARIANTS; variant++) {
        if (!variant_runs(m.law, variant)) continue;
        point p = at_stretch(&m.law->info, 1.5, 1, 1);
        run(&m, variant, 1, 0, &p, 1);
        assert_true(fabs(p.tau[0] - 150) < 1e-3); /* 2 mu (s - 1) s with mu = E/2 */
    }
}

static void fixture_is_usable_in_a_simulation(void **state)
{
    (void)state;
    firn_material_def material_def = firn_material_default();
    firn_body_def body = firn_body_default();
    firn_shape_def shape = firn_shape_default();
    firn_scene_def scene = firn_scene_default();
    snprintf(material_def.name, FIRN_NAME, "m");
    snprintf(material_def.law, FIRN_NAME, "spring");
    snprintf(body.name, FIRN_NAME, "b");
    snprintf(body.material, FIRN_NAME, "m");
    snprintf(shape.kind, FIRN_NAME, "sphere");
    shape.radius = 0.2;
    body.shapes = &shape;
    body.n_shapes = 1;
    scene.materials = &material_def;
    scene.n_materials = 1;
    scene.bodies = &body;
    scene.n_bodies = 1;
    scene.grid.dx = 0.1;
    firn_sim *sim = NULL;
    firn_messages *messages = firn_messages_create();
    if (firn_sim_create(&scene, NULL, &sim, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    assert_int_equal(firn_sim_step(sim, 1, messages), FIRN_OK);
    firn_sim_destroy(sim);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fixture_is_found_everywhere),
                                       cmocka_unit_test(fixture_is_usable_in_a_simulation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
