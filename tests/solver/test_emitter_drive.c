/* SPDX-License-Identifier: MIT */
/* test_emitter_drive.c: what an emitter that fills delivers: its volume, as densely as a body is
 * sampled, whatever the material and its speed; its keys and its motion. */
#include "firn/firn.h"
#include "solver/emission.h"
#include "support/running.h"

#include <math.h>
#include <string.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def shape;
    firn_emitter_def emitter;
    firn_run_options options;
} setup;

/* A nozzle of 6 x 4 x 6 cm about the origin, in cells of 1 cm, which pours downwards. */
static void make(setup *s, const char *law, const char *preset, double speed)
{
    *s = (setup){firn_scene_default(), firn_material_default(), firn_shape_default(),
                 firn_emitter_default(), firn_run_options_default()};
    strcpy(s->material.name, "stuff");
    strcpy(s->material.law, law);
    strcpy(s->material.preset, preset);
    strcpy(s->shape.kind, "box");
    s->shape.size[0] = s->shape.size[2] = 0.06;
    s->shape.size[1] = 0.04;
    strcpy(s->emitter.name, "nozzle");
    strcpy(s->emitter.material, "stuff");
    s->emitter.n_shapes = 1;
    s->emitter.shapes = &s->shape;
    s->emitter.velocity[1] = -speed;
    s->scene.grid.dx = 0.01;
    s->scene.n_materials = 1;
    s->scene.materials = &s->material;
    s->scene.n_emitters = 1;
    s->scene.emitters = &s->emitter;
}

typedef struct delivery {
    double volume;       /* delivered over asked */
    double per_cell;     /* particles per cell in the nozzle */
    double above, below; /* extreme speeds downwards in the upper half of the nozzle, m/s */
} delivery;

static delivery measure(firn_sim *sim, double speed, double time)
{
    const double asked = 0.06 * 0.06 * (0.04 + speed * time), cell = 1e-6;
    delivery d = {.above = -INFINITY, .below = INFINITY};
    double *x = running_copy(sim, "P"), *v = running_copy(sim, "v"), n_inside = 0;
    const int64_t n = firn_sim_n_particles(sim);
    for (int64_t i = 0; i < n; i++) {
        if (fabs(x[3 * i]) > 0.03 || fabs(x[3 * i + 1]) > 0.02 || fabs(x[3 * i + 2]) > 0.03)
            continue;
        n_inside++;
        if (x[3 * i + 1] < 0) continue;
        d.above = fmax(d.above, -v[3 * i + 1]);
        d.below = fmin(d.below, -v[3 * i + 1]);
    }
    d.volume = (double)n * cell / 8 / asked;
    d.per_cell = n_inside / (0.06 * 0.06 * 0.04 / cell);
    free(x);
    free(v);
    return d;
}

/* Volume within 2 % of velocity times cross-section, 8 particles in a cell of the nozzle within
 * 5 %, and in its upper half the speed that was asked for, within 2 %: a stream that falls away
 * below does not draw apart what is being born. */
static void all_that_was_asked(void **state)
{
    static const struct {
        const char *law, *preset;
    } of[] = {{"liquid", "honey"}, {"liquid", "water"}, {"dough", "batter"}, {"sand", "dry_sand"}};
    (void)state;
    for (int k = 0; k < 8; k++) {
        const double speed = k & 1 ? 1.2 : 0.4, time = k & 1 ? 0.1 : 0.2;
        setup s;
        make(&s, of[k / 2].law, of[k / 2].preset, speed);
        firn_sim *sim = running_until(&s.scene, &s.options, time);
        const delivery d = measure(sim, speed, time);
        if (!(fabs(d.volume - 1) < 0.02) || !(fabs(d.per_cell / 8 - 1) < 0.05) ||
            !(fabs(d.above / speed - 1) < 0.02) || !(fabs(d.below / speed - 1) < 0.02))
            fail_msg("%s at %g m/s: %g of the volume, %g particles a cell, %g to %g m/s",
                     of[k / 2].preset, speed, d.volume, d.per_cell, d.below, d.above);
        firn_sim_destroy(sim);
    }
}

/* `drive: free` is what it says: honey that is pulled by what hangs below leaves faster. */
static void free_is_free(void **state)
{
    (void)state;
    setup s;
    make(&s, "liquid", "honey", 0.4);
    s.emitter.drive = FIRN_DRIVE_FREE;
    firn_sim *sim = running_until(&s.scene, &s.options, 0.2);
    const delivery d = measure(sim, 0.4, 0.2);
    assert_true(d.above > 0.5 && d.per_cell < 7);
    firn_sim_destroy(sim);
}

static int n_warnings(firn_sim *sim, int n_frames, double frame)
{
    firn_messages *messages = firn_messages_create();
    for (int k = 1; k <= n_frames; k++) {
        assert_int_equal(firn_sim_advance_to(sim, k * frame, messages), FIRN_OK);
        assert_int_equal(firn_emission_watch(sim, messages), FIRN_OK);
    }
    int n = 0;
    for (int i = 0; i < firn_messages_total(messages); i++)
        n += strstr(firn_messages_text(messages, i, NULL), "its shape is only") != NULL;
    firn_messages_destroy(messages);
    return n;
}

/* An emitter that does not keep its shape filled is reported, once; one that does is not. */
static void thin_streams_are_told(void **state)
{
    (void)state;
    for (int is_free = 0; is_free < 2; is_free++) {
        setup s;
        make(&s, "liquid", "honey", 0.4);
        if (is_free) s.emitter.drive = FIRN_DRIVE_FREE;
        firn_sim *sim = running_start(&s.scene, &s.options);
        assert_int_equal(n_warnings(sim, 10, 0.02), is_free);
        firn_sim_destroy(sim);
    }
}

/* Keys: the volume is the integral of the factor, here 0 at 0.02 s, 1 at 0.06 s, 0 from 0.10 s on,
 * so 0.04 s of full flow; births at a rate are counted by theirs, exactly. */
static void keys_open_and_close(void **state)
{
    static const firn_emitter_key keys[] = {{0.02, 0, 0}, {0.06, 1, 1}, {0.1, 0, 0}};
    (void)state;
    for (int at_rate = 0; at_rate < 2; at_rate++) {
        setup s;
        make(&s, "liquid", "honey", 2);
        for (int a = 0; a < 3; a++) s.scene.gravity[a] = 0;
        s.emitter.n_keys = 3;
        s.emitter.keys = keys;
        s.emitter.rate = at_rate ? 10000 : 0;
        firn_sim *sim = running_until(&s.scene, &s.options, 0.15);
        const double n = (double)firn_sim_n_particles(sim),
                     full = 8e6 * 0.06 * 0.06 * (0.04 + 2 * 0.04);
        if (at_rate)
            assert_true(fabs(n - 400) <=
                        1); /* k = 0 at once, and k = 400 when the last flow ends */
        else if (!(fabs(n / full - 1) < 0.02))
            fail_msg("%g of the volume", n / full);
        firn_sim_destroy(sim);
    }
}

/* A nozzle that is turned by a quarter and carried along: what it brings leaves along its own
 * downward direction, here x, with its own velocity added, and is as much as at rest. A restored
 * run brings the same particles. */
static void a_nozzle_is_carried(void **state)
{
    (void)state;
    const firn_key keys[] = {
        {.time = 0, .rotation = {0, 0, M_SQRT1_2, M_SQRT1_2}},
        {.time = 1, .position = {0, 0, 0.5}, .rotation = {0, 0, M_SQRT1_2, M_SQRT1_2}}};
    setup s;
    make(&s, "liquid", "honey", 0.8);
    for (int a = 0; a < 3; a++) s.scene.gravity[a] = 0;
    s.emitter.motion.n_keys = 2;
    s.emitter.motion.keys = keys;
    firn_sim *sim = running_until(&s.scene, &s.options, 0.05),
             *again = running_start(&s.scene, &s.options);
    void *saved;
    size_t bytes;
    assert_int_equal(firn_sim_save(sim, &saved, &bytes, NULL), FIRN_OK);
    assert_int_equal(firn_sim_restore(again, saved, bytes, NULL), FIRN_OK);
    firn_sim_release_state(sim, saved, bytes);
    assert_int_equal(firn_sim_advance_to(sim, 0.1, NULL), FIRN_OK);
    assert_int_equal(firn_sim_advance_to(again, 0.1, NULL), FIRN_OK);
    assert_true(firn_sim_hash(sim) == firn_sim_hash(again));

    double *x = running_copy(sim, "P"), *v = running_copy(sim, "v"), farthest = 0;
    const int64_t n = firn_sim_n_particles(sim);
    for (int64_t i = 0; i < n; i++) {
        farthest = fmax(farthest, x[3 * i]);
        assert_true(fabs(v[3 * i] - 0.8) < 0.02 && fabs(v[3 * i + 1]) < 0.02);
        assert_true(fabs(v[3 * i + 2] - 0.5) < 0.02);
    }
    assert_true(fabs(farthest - 0.02 - 0.08) < 0.004);
    assert_true(fabs((double)n / (8e6 * 0.06 * 0.06 * (0.04 + 0.08)) - 1) < 0.02);
    free(x);
    free(v);
    firn_sim_destroy(sim);
    firn_sim_destroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_was_asked), cmocka_unit_test(free_is_free),
        cmocka_unit_test(thin_streams_are_told), cmocka_unit_test(keys_open_and_close),
        cmocka_unit_test(a_nozzle_is_carried)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
