/* SPDX-License-Identifier: MIT */
/* test_paint.c: parameters, colour, temperature and velocity that differ from place to place are
 * those of their places, whatever the threads and the precision; the time step sees them, and
 * particles of emitters have them again after a restore. */
#include "base/memory.h"
#include "base/messages.h"
#include "firn/firn.h"
#include "base/random.h"
#include "geometry/vdb/vdb.h"
#include "solver/map.h"
#include "solver/paint.h"
#include "solver/sim.h"
#include "support/running.h"
#include "support/scratch.h"

#include <math.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_map_def map;
    firn_shape_def shape;
    firn_body_def body;
    firn_emitter_def emitter;
    firn_run_options options;
} setup;

/* A block of .4 x .4 x .4 m in cells of 5 cm. */
static void make(setup *s, const char *law)
{
    *s = (setup){firn_scene_default(),      firn_material_default(), firn_map_default(),
                 firn_shape_default(),      firn_body_default(),     firn_emitter_default(),
                 firn_run_options_default()};
    strcpy(s->material.name, "stuff");
    strcpy(s->material.law, law);
    s->material.color_high[2] = 0;
    strcpy(s->map.name, "blotches");
    s->map.size = 0.2;
    strcpy(s->shape.kind, "box");
    for (int a = 0; a < 3; a++) s->shape.size[a] = 0.4;
    strcpy(s->body.name, "block");
    strcpy(s->body.material, "stuff");
    s->body.n_shapes = 1;
    s->body.shapes = &s->shape;
    s->scene.grid.dx = 0.05;
    s->scene.n_materials = 1;
    s->scene.materials = &s->material;
    s->scene.n_maps = 1;
    s->scene.maps = &s->map;
    s->scene.n_bodies = 1;
    s->scene.bodies = &s->body;
    for (int a = 0; a < 3; a++) s->scene.gravity[a] = 0;
}

static firn_parameter_def *give(setup *s, const char *name, double value)
{
    firn_parameter_def *p = &s->material.parameters[s->material.n_parameters++];
    *p = firn_parameter_default();
    snprintf(p->name, sizeof p->name, "%s", name);
    p->value = value;
    return p;
}

static int index_of(const firn_sim *sim, const char *name)
{
    return firn_material_parameter_index(&sim->materials[0].resolved.law->info, name, strlen(name));
}

/* ---------------------------------------------------------------- parameters */

static void noise_and_maps_are_those_of_the_places(void **state)
{
    (void)state;
    for (int is_map = 0; is_map < 2; is_map++) {
        float *first = NULL;
        int64_t n = 0;
        for (int threads = 1; threads <= 3; threads += 2) {
            setup s;
            make(&s, "neo_hookean");
            firn_parameter_def *p = give(&s, "E", is_map ? NAN : 1e5);
            p->noise_size = 0.1;
            p->noise = 0.5;
            p->low = 1e4;
            p->high = 9e4;
            if (is_map) strcpy(p->map, "blotches");
            s.options.n_threads = threads;
            s.scene.is_double = threads > 1;
            firn_sim *sim = running_start(&s.scene, &s.options);
            const int k = index_of(sim, "E");
            const uint64_t seed = (uint64_t)(k + 1) * FIRN_RANDOM_STEP;
            double *P = running_copy(sim, "P"), least = INFINITY, most = 0;
            n = firn_sim_n_particles(sim);
            const float *E = sim->materials[0].painted[k];
            for (int64_t i = 0; i < n; i++) {
                const double *x = P + 3 * i, noise = firn_map_noise(x, 0.1, 1, seed);
                const double blotch = (1 + firn_map_noise(x, 0.2, 1, 0)) / 2;
                const double expected = (is_map ? 1e4 + 8e4 * blotch : 1e5) * (1 + 0.5 * noise);
                /* positions are rounded to single precision where that is the solver's */
                assert_true(fabs((double)E[i] / expected - 1) < (s.scene.is_double ? 1e-6 : 1e-4));
                least = fmin(least, (double)E[i]);
                most = fmax(most, (double)E[i]);
            }
            assert_true(most > 1.4 * least);
            const firn_material *m = &sim->materials[0].resolved;
            assert_true(m->least[k] <= least && m->most[k] >= most);
            if (!first) {
                first = malloc((size_t)n * sizeof *first);
                memcpy(first, E, (size_t)n * sizeof *first);
            } else
                assert_memory_equal(first, E, (size_t)n * sizeof *first);
            free(P);
            firn_sim_destroy(sim);
        }
        free(first);
    }
}

/* The step is that of the stiffest particle, and so is the estimate before any exists. */
static void the_step_sees_the_stiffest(void **state)
{
    (void)state;
    double dt[2], wave[2], viscosity;
    for (int is_uniform = 0; is_uniform < 2; is_uniform++) {
        setup s;
        make(&s, "neo_hookean");
        firn_parameter_def *p = give(&s, "E", 1e6);
        if (!is_uniform) {
            strcpy(p->map, "blotches");
            p->low = 1e3;
            p->high = 1e6;
            s.map.from = 0.3; /* shares from 0 to 1 */
            s.map.to = 0.7;
        }
        firn_sim *sim = running_start(&s.scene, &s.options);
        assert_int_equal(firn_sim_step(sim, 1, NULL), FIRN_OK);
        dt[is_uniform] = sim->dt;
        firn_material_at_rest(&sim->materials[0].resolved, 293.15, &wave[is_uniform], &viscosity);
        firn_sim_destroy(sim);
    }
    assert_true(fabs(wave[0] / wave[1] - 1) < 1e-12);
    assert_true(fabs(dt[0] / dt[1] - 1) < 1e-3);
}

/* Cohesion is a tenth within half a layer of the faces of lumps, elsewhere untouched; elasticity is
 * the same everywhere. Laws without strength are refused. */
static void lumps_weaken_their_faces(void **state)
{
    (void)state;
    setup s;
    make(&s, "sand");
    give(&s, "cohesion", 2000);
    s.material.lumps = (firn_lumps_def){.size = 0.2, .strength = 0.1, .width = 0.04, .seed = 7};
    firn_sim *sim = running_start(&s.scene, &s.options);
    const int k = index_of(sim, "cohesion");
    double *P = running_copy(sim, "P");
    const int64_t n = firn_sim_n_particles(sim);
    int64_t n_weak = 0;
    for (int64_t i = 0; i < n; i++) {
        const double depth = firn_map_lump_depth(P + 3 * i, 0.2, 7);
        const double c = (double)sim->materials[0].painted[k][i];
        if (fabs(depth - 0.02) < 1e-5) continue; /* round-off decides */
        assert_true(depth < 0.02 ? c == 200 : isnan(c));
        n_weak += depth < 0.02;
    }
    assert_true(n_weak > n / 10 && n_weak < n * 7 / 10);
    assert_null(sim->materials[0].painted[index_of(sim, "E")]);
    free(P);
    firn_sim_destroy(sim);

    make(&s, "neo_hookean");
    s.material.lumps = (firn_lumps_def){.size = 0.2, .strength = 0.1};
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "no strength"));
    firn_messages_destroy(messages);
}

/* What cannot vary in space, and maps that are not there. */
static void wrong_uses_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *parameter, *map, *words;
        double low, high;
    } cases[] = {{"rho", "blotches", "masses", 900, 1100},
                 {"E", "blotch", "blotches", 1e3, 1e4},
                 {"E", "blotches", "low", -5, 1e4},
                 {"heat_capacity", "blotches", "same for all", 1000, 2000},
                 {"nu", "blotches", "high", 0.1, 0.6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setup s;
        make(&s, "neo_hookean");
        firn_parameter_def *p = give(&s, cases[i].parameter, NAN);
        strcpy(p->map, cases[i].map);
        p->low = cases[i].low;
        p->high = cases[i].high;
        firn_sim *sim = NULL;
        firn_messages *messages = firn_messages_create();
        assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages), FIRN_REFUSED);
        if (!strstr(firn_messages_text(messages, 0, NULL), cases[i].words))
            fail_msg("%s", firn_messages_text(messages, 0, NULL));
        firn_messages_destroy(messages);
    }
}

/* ---------------------------------------------------------------- colour, temperature, velocity */

static void colours_and_temperatures(void **state)
{
    (void)state;
    setup s;
    make(&s, "neo_hookean");
    strcpy(s.material.color_map, "blotches");
    for (int c = 0; c < 3; c++) s.material.color[c] = 0;
    for (int c = 0; c < 3; c++) s.material.color_high[c] = c == 1;
    strcpy(s.body.temperature_map, "blotches");
    s.body.temperature = 300;
    s.body.temperature_high = 340;
    firn_sim *sim = running_start(&s.scene, &s.options);
    double *P = running_copy(sim, "P"), *Cd = running_copy(sim, "Cd"), *T = running_copy(sim, "T");
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
        const double share = (1 + firn_map_noise(P + 3 * i, 0.2, 1, 0)) / 2;
        assert_true(fabs(Cd[3 * i + 1] - share) < 1e-5 && Cd[3 * i] == 0);
        assert_true(fabs(T[i] - 300 - 40 * share) < 1e-3);
    }
    free(P);
    free(Cd);
    free(T);
    firn_sim_destroy(sim);
}

/* A rotation written as vectors turns a block that also moves. */
static void velocities_from_a_volume(void **state)
{
    (void)state;
    const double origin[3] = {-0.4, -0.4, -0.4};
    int32_t blocks[8][3];
    firn_sdf *sdf;
    for (int b = 0; b < 8; b++)
        for (int a = 0; a < 3; a++) blocks[b][a] = b >> a & 1;
    assert_int_equal(firn_sdf_create(0.05, origin, 5, 4, 8, blocks, &sdf, NULL), FIRN_OK);
    for (int64_t l = 0; l < 8; l++)
        for (int m = 0; m < 512; m++) {
            const int at[3] = {m >> 6, m >> 3 & 7, m & 7};
            double x[3];
            for (int a = 0; a < 3; a++) x[a] = origin[a] + 0.05 * (8 * blocks[l][a] + at[a]);
            const double v[3] = {-2 * x[1], 2 * x[0], 0};
            const int where = (at[0] * 9 + at[1]) * 9 + at[2];
            for (int c = 0; c < 3; c++) *firn_sdf_at(sdf, l, where, 1 + c) = (float)v[c];
            *firn_sdf_at(sdf, l, where, 0) = (float)(0.1 * x[2]);
        }
    firn_sdf_finish(sdf);
    const firn_vdb_contents contents = {.velocity = 1};
    assert_int_equal(firn_vdb_write_volume(scratch("turn.vdb"), sdf, &contents, 1, NULL), FIRN_OK);
    firn_sdf_destroy(sdf);
    setup s;
    make(&s, "neo_hookean");
    s.body.velocity[2] = 3;
    s.body.velocity_field = firn_vectors_default();
    s.body.velocity_field.factor = 0.5;
    snprintf(s.body.velocity_field.file, FIRN_PATH, "%s", scratch("turn.vdb"));
    firn_sim *sim = running_start(&s.scene, &s.options);
    double *P = running_copy(sim, "P"), *v = running_copy(sim, "v");
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
        assert_true(fabs(v[3 * i] + P[3 * i + 1]) < 1e-5 && fabs(v[3 * i + 1] - P[3 * i]) < 1e-5);
        assert_true(fabs(v[3 * i + 2] - 3) < 1e-6);
    }
    free(P);
    free(v);
    firn_sim_destroy(sim);
}

/* ---------------------------------------------------------------- emitters */

/* A stream keeps the pattern of its places of birth, and a run that is saved in its middle goes on
 * in another simulation with the same bits. */
static void streams_go_on_after_a_restore(void **state)
{
    (void)state;
    setup s;
    make(&s, "neo_hookean");
    firn_parameter_def *p = give(&s, "E", 1e5);
    p->noise_size = 0.1;
    p->noise = 0.9;
    strcpy(s.material.color_map, "blotches");
    strcpy(s.emitter.name, "tap");
    strcpy(s.emitter.material, "stuff");
    s.emitter.velocity[0] = 2;
    s.emitter.n_shapes = 1;
    s.emitter.shapes = &s.shape;
    s.scene.n_bodies = 0;
    s.scene.n_emitters = 1;
    s.scene.emitters = &s.emitter;
    firn_sim *a = running_start(&s.scene, &s.options), *b = running_start(&s.scene, &s.options);
    void *saved;
    size_t n_bytes;
    assert_int_equal(firn_sim_advance_to(a, 0.05, NULL), FIRN_OK);
    assert_int_equal(firn_sim_save(a, &saved, &n_bytes, NULL), FIRN_OK);
    assert_int_equal(firn_sim_advance_to(a, 0.1, NULL), FIRN_OK);
    assert_int_equal(firn_sim_restore(b, saved, n_bytes, NULL), FIRN_OK);
    for (size_t cut = n_bytes / 8; cut < n_bytes; cut += n_bytes / 8) {
        firn_sim *c = running_start(&s.scene, &s.options);
        assert_int_equal(firn_sim_restore(c, saved, cut, NULL), FIRN_REFUSED);
        firn_sim_destroy(c);
    }
    assert_int_equal(firn_sim_advance_to(b, 0.1, NULL), FIRN_OK);
    assert_true(firn_sim_hash(a) == firn_sim_hash(b));
    const int k = index_of(a, "E");
    assert_true(a->next_id == b->next_id && a->next_id > 600);
    assert_memory_equal(a->materials[0].painted[k], b->materials[0].painted[k],
                        a->next_id * sizeof(float));
    for (uint32_t id = 0; id < a->next_id; id++)
        assert_false(isnan(b->materials[0].painted[k][id]));
    /* back again: ids that are given a second time get the values of their new births */
    assert_int_equal(firn_sim_restore(a, saved, n_bytes, NULL), FIRN_OK);
    assert_int_equal(firn_sim_advance_to(a, 0.1, NULL), FIRN_OK);
    assert_true(firn_sim_hash(a) == firn_sim_hash(b));
    double *one = running_copy(a, "Cd"), *other = running_copy(b, "Cd");
    assert_memory_equal(one, other, (size_t)firn_sim_n_particles(a) * 3 * sizeof *one);
    free(one);
    free(other);
    firn_sim_release_state(a, saved, n_bytes);
    firn_sim_destroy(a);
    firn_sim_destroy(b);
}

/* Wherever memory runs out a message says so, and nothing is left behind that destroys twice. */
static void memory_runs_out(void **state)
{
    (void)state;
    for (int n = 1; n < 2000; n++) {
        setup s;
        firn_sim *sim = NULL;
        make(&s, "sand");
        firn_parameter_def *p = give(&s, "cohesion", 2000);
        strcpy(p->map, "blotches");
        p->low = 100;
        p->high = 2000;
        s.material.lumps = (firn_lumps_def){.size = 0.2, .strength = 0.1, .width = 0.04};
        strcpy(s.material.color_map, "blotches");
        strcpy(s.body.temperature_map, "blotches");
        s.body.temperature_high = 400;
        s.options.n_threads = 1;
        firn_messages *messages = firn_messages_create();
        firn_memory_fail_after(n);
        const firn_status status = firn_sim_create(&s.scene, &s.options, &sim, messages);
        firn_memory_fail_after(0);
        firn_messages_destroy(messages);
        assert_true((status == FIRN_OK) == (sim != NULL));
        firn_sim_destroy(sim);
        if (sim) return;
    }
    fail_msg("2000 allocations were not enough");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_and_maps_are_those_of_the_places),
        cmocka_unit_test(the_step_sees_the_stiffest),
        cmocka_unit_test(lumps_weaken_their_faces),
        cmocka_unit_test(wrong_uses_are_refused),
        cmocka_unit_test(colours_and_temperatures),
        cmocka_unit_test(velocities_from_a_volume),
        cmocka_unit_test(streams_go_on_after_a_restore),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
