/* SPDX-License-Identifier: MIT */
/* Saved in the middle and restored into another simulation, with another number of threads,
 * every law and every preset in the table goes on to the same bits as one that was never saved.
 * A state that no run has written is refused or does no harm. */
#include "firn/firn.h"
#include "points/points.h"
#include "solver/attributes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_STEPS = 16, SAVED_AT = 9 };

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def ball, ground;
    firn_body_def body;
    firn_collider_def floor;
} setup;

/* A strained, spinning ball on its way into a rough floor: it yields from the first step if it can.
 */
static void make(setup *s, const firn_law_info *law, const char *preset, int is_double)
{
    *s = (setup){firn_scene_default(), firn_material_default(), firn_shape_default(),
                 firn_shape_default(), firn_body_default(),     firn_collider_default()};
    strcpy(s->material.name, "stuff");
    snprintf(s->material.law, sizeof s->material.law, "%s", law->name);
    snprintf(s->material.preset, sizeof s->material.preset, "%s", preset);
    strcpy(s->ball.kind, "sphere");
    s->ball.radius = 0.25;
    s->ball.center[1] = 0.25;
    strcpy(s->body.name, "ball");
    strcpy(s->body.material, "stuff");
    s->body.n_shapes = 1;
    s->body.shapes = &s->ball;
    s->body.velocity[0] = 0.3;
    s->body.velocity[1] = -0.6;
    s->body.spin[2] = 1;
    s->body.F[0] = 1.02;
    s->body.F[4] = 0.97;
    s->body.F[1] = 0.03;
    strcpy(s->ground.kind, "half_space");
    s->ground.normal[1] = 1;
    strcpy(s->floor.name, "floor");
    s->floor.n_shapes = 1;
    s->floor.shapes = &s->ground;
    s->floor.friction = 0.4;
    s->scene.grid.dx = 0.1;
    s->scene.is_double = is_double;
    s->scene.n_materials = s->scene.n_bodies = s->scene.n_colliders = 1;
    s->scene.materials = &s->material;
    s->scene.bodies = &s->body;
    s->scene.colliders = &s->floor;
}

static firn_sim *begin(const setup *s, int n_threads)
{
    firn_run_options options = firn_run_options_default();
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    options.n_threads = n_threads;
    if (firn_sim_create(&s->scene, &options, &sim, messages) != FIRN_OK)
        fail_msg("%s: %s", s->material.law, firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return sim;
}

static void step(firn_sim *sim, int n, const setup *s)
{
    firn_messages *messages = firn_messages_create();
    for (int i = 0; i < n; i++)
        if (firn_sim_step(sim, 1, messages) != FIRN_OK)
            fail_msg("%s %s: %s", s->material.law, s->material.preset,
                     firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
}

/* The state's hash after N_STEPS; with `n_after` > 0 it was saved on the way and goes on with so
 * many threads. */
static uint64_t hash_of(const setup *s, int n_threads, int n_after)
{
    firn_sim *sim = begin(s, n_threads);
    step(sim, SAVED_AT, s);
    if (n_after) {
        void *saved;
        size_t n;
        assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
        firn_sim *next = begin(s, n_after);
        assert_int_equal(firn_sim_restore(next, saved, n, NULL), FIRN_OK);
        assert_true(firn_sim_hash(next) == firn_sim_hash(sim) &&
                    firn_sim_time(next) == firn_sim_time(sim));
        firn_sim_release_state(sim, saved, n);
        firn_sim_destroy(sim);
        sim = next;
    }
    step(sim, N_STEPS - SAVED_AT, s);
    uint64_t hash = firn_sim_hash(sim);
    firn_sim_destroy(sim);
    return hash;
}

static void check(const firn_law_info *law, const char *preset, int is_double)
{
    setup s;
    make(&s, law, preset, is_double);
    uint64_t straight = hash_of(&s, 1, 0);
    if (hash_of(&s, 1, 3) != straight)
        fail_msg("%s %s: saved by 1 thread, resumed by 3", law->name, preset);
    if (hash_of(&s, 3, 2) != straight)
        fail_msg("%s %s: saved by 3 threads, resumed by 2", law->name, preset);
}

static void every_law_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        check(law, "", 0);
        check(law, "", 1);
        for (int p = 0; p < law->n_presets; p++) check(law, law->presets[p].name, 0);
    }
}

/* FLIP has no C. A state saved with C goes on without it; one saved without goes on from C = 0
 * and soon has another. */
static void the_transfer_may_change(void **state)
{
    (void)state;
    static double C[9 * 4096], restored[9 * 4096];
    setup s[2];
    firn_messages *messages = firn_messages_create();
    for (int is_flip = 0; is_flip < 2; is_flip++) {
        make(&s[is_flip], firn_law_find("neo_hookean"), "", 0);
        s[is_flip].scene.transfer.scheme = is_flip ? FIRN_FLIP : FIRN_APIC;
    }
    for (int is_flip = 0; is_flip < 2; is_flip++) {
        firn_sim *from = begin(&s[is_flip], 1), *to = begin(&s[!is_flip], 1);
        const size_t n = 9 * (size_t)firn_sim_n_particles(from);
        void *saved = NULL;
        size_t n_bytes;
        double most = 0;
        assert_true(n <= 9 * 4096);
        step(from, 3, &s[is_flip]);
        assert_int_equal(firn_sim_save(from, &saved, &n_bytes, messages), FIRN_OK);
        assert_int_equal(firn_sim_restore(to, saved, n_bytes, messages), FIRN_OK);
        const char *const others[] = {"F", "stress"}; /* which stand before and after C */
        for (int k = 0; k < 2; k++) {
            const size_t m = n / 9 * (k == 0 ? 9 : 6);
            assert_int_equal(firn_sim_copy(from, others[k], C, m, messages), FIRN_OK);
            assert_int_equal(firn_sim_copy(to, others[k], restored, m, messages), FIRN_OK);
            assert_memory_equal(C, restored, m * sizeof *C);
        }
        assert_int_equal(firn_sim_copy(to, "C", C, n, messages), FIRN_OK);
        for (size_t i = 0; i < n; i++) assert_true(C[i] == 0);
        step(to, 3, &s[!is_flip]);
        assert_int_equal(firn_sim_copy(to, "C", C, n, messages), FIRN_OK);
        for (size_t i = 0; i < n; i++) most = C[i] > most ? C[i] : most;
        assert_true(is_flip ? most > 0.1 : most == 0);
        if (is_flip) {
            memset(C, 0, sizeof C);
            assert_int_equal(firn_sim_assign(from, "C", C, n, messages),
                             FIRN_OK); /* which has none: nothing happens */
        }
        for (size_t cut = n_bytes - 1; cut > n_bytes / 2; cut -= n_bytes / 16)
            assert_int_not_equal(firn_sim_restore(to, saved, cut, messages), FIRN_OK);
        firn_sim_release_state(from, saved, n_bytes);
        firn_sim_destroy(from);
        firn_sim_destroy(to);
    }
    firn_messages_destroy(messages);
}

/* ---------------------------------------------------------------- states that no run has written */

/* A ball, half of it held by a grip, an emitter and a sink: every piece of a state is there. */
typedef struct whole_setup {
    setup s;
    firn_shape_def half, box;
    firn_grip_def grip;
    firn_emitter_def tap;
    firn_sink_def drain;
} whole_setup;

static void make_whole(whole_setup *w, int is_double)
{
    make(&w->s, firn_law_find("snow"), "", is_double);
    w->s.ball.radius = 0.12;
    w->half = w->box = firn_shape_default();
    w->grip = firn_grip_default();
    w->tap = firn_emitter_default();
    w->drain = firn_sink_default();
    strcpy(w->half.kind, "box");
    w->half.center[0] = -0.15;
    w->half.center[1] = 0.25;
    for (int a = 0; a < 3; a++) w->half.size[a] = 0.3;
    strcpy(w->box.kind, "box");
    w->box.center[1] = 0.8;
    for (int a = 0; a < 3; a++) w->box.size[a] = 0.2;
    strcpy(w->grip.name, "hand");
    w->grip.n_shapes = w->tap.n_shapes = w->drain.n_shapes = 1;
    w->grip.shapes = &w->half;
    w->grip.mode = FIRN_GRIP_FOLLOW;
    w->grip.stiffness = 100;
    strcpy(w->tap.name, "tap");
    strcpy(w->tap.material, "stuff");
    w->tap.shapes = &w->box;
    w->tap.velocity[1] = -1;
    strcpy(w->drain.name, "drain");
    w->drain.shapes = &w->box;
    w->drain.start = 1;
    w->s.scene.n_grips = w->s.scene.n_emitters = w->s.scene.n_sinks = 1;
    w->s.scene.grips = &w->grip;
    w->s.scene.emitters = &w->tap;
    w->s.scene.sinks = &w->drain;
}

/* One value of a state that is replaced, at a place that is a multiple of its size. */
static void falsify(unsigned char *state, size_t n, int k, uint32_t *random)
{
    static const uint64_t values[] = {
        0x7fc00000,         0x7f7fffff,         0xff800000, 0x80000000,
        0xffffffffffffffff, 0x7ff8000000000000, 0xffff,     1,
        0x7fffffffffffffff, 0x7fefffffffffffff, 0x42c80000, 0xc0000000};
    *random = *random * 1664525u + 1013904223u;
    const size_t size = k % 2 ? 8 : 4, head = n < 3000 ? n : 3000;
    const size_t at = (*random >> 4) % ((k % 3 ? head : n) - 8) & ~(size - 1);
    if (k % 13 < 12)
        memcpy(state + at, &values[k % 13], size);
    else
        state[at] ^= (unsigned char)(1 << (*random >> 28) % 8);
}

/* Changed at one to four places and handed over as if it were sound, as one with a right checksum
 * would be: it is refused, or goes on without harm. */
static void falsified_states_do_no_harm(void **state)
{
    (void)state;
    enum { CASES = 1500 };
    uint32_t random = 7;
    int n_refused = 0;
    for (int is_double = 0; is_double < 2; is_double++) {
        whole_setup w;
        make_whole(&w, is_double);
        firn_sim *from = begin(&w.s, 1), *to = begin(&w.s, 1);
        void *saved = NULL;
        size_t n;
        step(from, 3, &w.s);
        assert_int_equal(firn_sim_save(from, &saved, &n, NULL), FIRN_OK);
        unsigned char *copy = malloc(n);
        assert_non_null(copy);
        for (int k = 0; k < CASES; k++) {
            memcpy(copy, saved, n);
            for (int times = k % 4; times >= 0; times--) falsify(copy, n, k / 4, &random);
            if (firn_sim_restore(to, copy, n, NULL) != FIRN_OK) {
                n_refused++;
                continue;
            }
            firn_ledger ledger;
            firn_sim_step(to, 1, NULL);
            firn_sim_step(to, 1, NULL);
            firn_sim_ledger(to, 0, &ledger, NULL);
            firn_points *points = NULL;
            if (firn_snapshot_take(to, "P id source J", 1, &points, NULL) == FIRN_OK)
                firn_points_destroy(points);
        }
        /* after all of them the sound one is taken */
        assert_int_equal(firn_sim_restore(to, saved, n, NULL), FIRN_OK);
        assert_true(firn_sim_hash(to) == firn_sim_hash(from));
        free(copy);
        firn_sim_release_state(from, saved, n);
        firn_sim_destroy(from);
        firn_sim_destroy(to);
    }
    assert_in_range(n_refused, CASES / 2, 2 * CASES);
}

/* A mass that is no mass is told by name. */
static void refuses_what_no_run_has(void **state)
{
    (void)state;
    whole_setup w;
    make_whole(&w, 1);
    firn_sim *from = begin(&w.s, 1), *to = begin(&w.s, 1);
    firn_messages *messages = firn_messages_create();
    void *saved = NULL;
    size_t n;
    step(from, 3, &w.s);
    assert_int_equal(firn_sim_save(from, &saved, &n, messages), FIRN_OK);
    double x[3 * 4096];
    const size_t count = (size_t)firn_sim_n_particles(from);
    assert_true(count > 100 && count < 4096);
    assert_int_equal(firn_sim_copy(from, "mass", x, count, messages), FIRN_OK);
    /* one mass as it lies in the state; the first particle's is that of some others */
    unsigned char *at = NULL;
    for (unsigned char *p = saved; !at && p + 8 <= (unsigned char *)saved + n; p += 4)
        if (memcmp(p, x, sizeof *x) == 0) at = p;
    assert_non_null(at);
    static const double masses[] = {NAN, INFINITY, -1, 0};
    for (int k = 0; k < 4; k++) {
        double before;
        memcpy(&before, at, sizeof before);
        memcpy(at, &masses[k], sizeof before);
        firn_messages_clear(messages);
        assert_int_equal(firn_sim_restore(to, saved, n, messages), FIRN_REFUSED);
        assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "saved state: damaged"));
        memcpy(at, &before, sizeof before);
    }
    assert_int_equal(firn_sim_restore(to, saved, n, messages), FIRN_OK);
    firn_sim_release_state(from, saved, n);
    firn_sim_destroy(from);
    firn_sim_destroy(to);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_law_goes_on_to_the_same_bits),
                                       cmocka_unit_test(the_transfer_may_change),
                                       cmocka_unit_test(falsified_states_do_no_harm),
                                       cmocka_unit_test(refuses_what_no_run_has)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
