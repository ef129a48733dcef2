/* SPDX-License-Identifier: MIT */
/* test_ranks.c: a simulation on several processes has the bits of one: hash, saved state, ledger,
 * for any number of ranks and threads, over births, losses, sorts, cuts and a restore on another
 * number of ranks. Every run, that of one process too, is a process of its own: OpenMP does not
 * survive a fork. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/comm_local.h"
#include "firn/firn.h"
#include "mpm/ranks.h"
#include "solver/sim.h"

enum { STATE_BYTES = 64 << 20 };

/* What a run leaves in memory that processes share. */
typedef struct outcome {
    uint64_t hash;
    int64_t n_particles, n_lost, n_moved, n_cuts, n_steps;
    firn_ledger ledger;
    double imbalance, bytes;        /* sent in the first step, by all ranks */
    firn_rank_forecast forecast[5]; /* for 2 to 4 ranks */
    size_t n_state;
    char state[STATE_BYTES];
} outcome;

/* Two laws, walls, a fixed collider, a force field, a held body and births. */
static const char *const everything =
    "scene: {name: t, frames: 24, fps: 24, seed: 1}\n"
    "grid: {dx: 5 cm, box_min: [-60 cm, 0, -60 cm], box_max: [60 cm, 2 m, 60 cm],\n"
    "  walls: [slip, slip, separate, open, slip, slip], wall_friction: 0.4}\n"
    "transfer: {scheme: apic, force: gradient}\n"
    "forces: {breeze: {kind: drag, vector: [1 m/s, 0, 0], strength: 0.2 1/s}}\n"
    "materials:\n"
    "  jelly: {law: neo_hookean, E: 20 kPa, nu: 0.3, rho: 500 kg/m^3}\n"
    "  grains: {preset: dry_sand}\n"
    "bodies:\n"
    "  cube: {material: jelly, shape: {kind: box, center: [-25 cm, 45 cm, 0], size: [30 cm, 30 cm, "
    "30 cm]}, velocity: [0, -4 m/s, 0]}\n"
    "  lamp: {material: jelly, shape: {kind: cylinder, center: [30 cm, 60 cm, 0], radius: 9 cm, "
    "height: 50 cm, normal: [0, 1, 0]}}\n"
    "  heap: {material: grains, shape: {kind: sphere, center: [20 cm, 15 cm, 30 cm], radius: 14 "
    "cm}}\n"
    "emitters:\n"
    "  tap: {material: grains, shape: {kind: sphere, center: [20 cm, 60 cm, -30 cm], radius: 8 "
    "cm}, velocity: [0, -3 m/s, 0]}\n"
    "colliders:\n"
    "  post: {shape: {kind: sphere, center: [-20 cm, 10 cm, 0], radius: 15 cm}, contact: separate, "
    "friction: 0.3, particle_pass: true}\n"
    "grips:\n"
    "  ceiling: {body: lamp, shape: {kind: half_space, center: [0, 80 cm, 0], normal: [0, -1, "
    "0]}}\n";

/* FLIP in double precision, a pull, losses through a wall and a sink, a moving collider. */
static const char *const losing =
    "scene: {name: t, frames: 24, fps: 24, seed: 2, precision: double}\n"
    "grid: {dx: 6 cm, box_min: [-60 cm, 0, -60 cm], box_max: [60 cm, 1 m, 60 cm],\n"
    "  walls: [delete, slip, stick, open, slip, slip]}\n"
    "transfer: {scheme: flip, force: mls}\n"
    "materials:\n"
    "  water: {preset: water, c: 10 m/s}\n"
    "  jelly: {law: neo_hookean, E: 20 kPa, nu: 0.3, rho: 500 kg/m^3}\n"
    "bodies:\n"
    "  pool: {material: water, shape: {kind: box, center: [0, 20 cm, 0], size: [110 cm, 40 cm, 60 "
    "cm]}, velocity: [-3 m/s, 0, 1 m/s]}\n"
    "  bar: {material: jelly, shape: {kind: box, center: [0, 60 cm, 0], size: [60 cm, 15 cm, 15 "
    "cm]}}\n"
    "colliders:\n"
    "  fist: {shape: {kind: sphere, center: [0, 20 cm, -50 cm], radius: 15 cm}, motion: {velocity: "
    "[0, 0, 2 m/s]}}\n"
    "sinks:\n"
    "  drain: {shape: {kind: sphere, center: [0, 0, 25 cm], radius: 20 cm}}\n"
    "grips:\n"
    "  pin: {body: bar, mode: follow, stiffness: 400 N/m, shape: {kind: box, center: [30 cm, 60 "
    "cm, 0], size: [20 cm, 20 cm, 20 cm]}, motion: {velocity: [1 m/s, 0, 0]}}\n";

/* A periodic box, a quadratic spline, AFLIP, snow that is thrown and breaks. */
static const char *const around =
    "scene: {name: t, frames: 24, fps: 24, seed: 3}\n"
    "grid: {dx: 5 cm, spline: quadratic, box_min: [-60 cm, 0, -60 cm], box_max: [60 cm, 2 m, 60 "
    "cm],\n"
    "  walls: [periodic, periodic, separate, open, periodic, periodic]}\n"
    "transfer: {scheme: aflip, force: mls}\n"
    "gravity: [0, -20 m/s^2, 0]\n"
    "materials: {snow: {preset: powder_snow}}\n"
    "bodies:\n"
    "  ball: {material: snow, shape: {kind: sphere, center: [30 cm, 40 cm, 0], radius: 30 cm}, "
    "velocity: [12 m/s, -6 m/s, 5 m/s]}\n";

typedef struct setup {
    const char *scene;
    int size, n_threads, n_steps;
    const outcome *from; /* NULL: the scene's beginning */
} setup;

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "rank %d, line %d: not so: %s\n", comm.rank, __LINE__, #condition);    \
            for (int i_ = 0; i_ < firn_messages_total(messages); i_++)                             \
                fprintf(stderr, "  %s\n", firn_messages_text(messages, i_, NULL));                 \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void be_rank(const setup *s, firn_comm comm, outcome *out)
{
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = firn_scene_parse(s->scene, strlen(s->scene), "scene", 0, NULL, messages);
    MUST(scene);
    firn_run_options options = firn_run_options_default();
    options.n_threads = s->n_threads;
    options.comm = &comm;
    firn_sim *sim = NULL;
    MUST(firn_sim_create(firn_scene_definition(scene), &options, &sim, messages) == FIRN_OK);
    if (!sim->mpm->ranks)
        for (int size = 2; size <= 4; size++)
            MUST(firn_ranks_forecast(sim, size, &out->forecast[size]) == FIRN_OK);
    if (s->from) MUST(firn_sim_restore(sim, s->from->state, s->from->n_state, messages) == FIRN_OK);
    for (int i = 0; i < s->n_steps; i++) {
        MUST(firn_sim_step(sim, 100, messages) == FIRN_OK);
        if (i > 0 || !sim->mpm->ranks) continue;
        const firn_ranks *r = sim->mpm->ranks;
        out->bytes = (double)firn_comm_count(&r->comm, r->piece_bytes + r->velocity_bytes);
    }
    if (sim->mpm->ranks) {
        const firn_ranks *r = sim->mpm->ranks;
        out->n_moved = firn_comm_count(&r->comm, r->n_moved);
        out->n_cuts = r->n_cuts;
        out->imbalance = r->worst_imbalance;
    }
    const int64_t n = firn_sim_n_particles(sim);
    MUST(sim->method->assemble(sim) == FIRN_OK);
    if (comm.rank == 0) {
        void *state = NULL;
        size_t n_bytes = 0;
        MUST(firn_sim_n_particles(sim) == n);
        out->hash = firn_sim_hash(sim);
        out->n_particles = n;
        out->n_steps = firn_sim_step_count(sim);
        MUST(firn_sim_ledger(sim, -1, &out->ledger, messages) == FIRN_OK);
        out->n_lost = out->ledger.n_lost;
        MUST(firn_sim_save(sim, &state, &n_bytes, messages) == FIRN_OK);
        MUST(n_bytes <= STATE_BYTES);
        out->n_state = n_bytes;
        memcpy(out->state, state, n_bytes);
        firn_sim_release_state(sim, state, n_bytes);
    }
    sim->method->disperse(sim);
    MUST(firn_sim_step(sim, 100, messages) == FIRN_OK); /* it goes on */
    firn_sim_destroy(sim);
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
}

static outcome *run(setup s)
{
    outcome *out =
        mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(out != MAP_FAILED);
    firn_comm_local local;
    assert_int_equal(firn_comm_local_create(&local, s.size), FIRN_OK);
    pid_t ranks[FIRN_LOCAL_RANKS_MAX];
    for (int r = 0; r < s.size; r++) {
        ranks[r] = fork();
        assert_true(ranks[r] >= 0);
        if (ranks[r]) continue;
        be_rank(&s, s.size > 1 ? firn_comm_local_join(&local, r) : firn_comm_single(), out);
        _exit(0);
    }
    firn_comm_local_leave(&local);
    for (int r = 0; r < s.size; r++) {
        int how = 0;
        assert_int_equal(waitpid(ranks[r], &how, 0), ranks[r]);
        if (!WIFEXITED(how) || WEXITSTATUS(how)) fail_msg("%d ranks: rank %d failed", s.size, r);
    }
    return out;
}

static void leave(outcome *out) { munmap(out, sizeof *out); }

static void same(const outcome *a, const outcome *b, const char *what, int size, int n_threads)
{
    if (a->hash != b->hash)
        fail_msg("%s: %d ranks x %d threads: hash %016llx, not %016llx", what, size, n_threads,
                 (unsigned long long)b->hash, (unsigned long long)a->hash);
    assert_int_equal(a->n_particles, b->n_particles);
    assert_int_equal(a->n_state, b->n_state);
    for (size_t i = 0; i < a->n_state; i++)
        if (a->state[i] != b->state[i])
            fail_msg("%s: %d ranks x %d threads: saved state differs at byte %zu of %zu", what,
                     size, n_threads, i, a->n_state);
    assert_memory_equal(&a->ledger, &b->ledger, sizeof a->ledger);
}

/* One process, then several, and a saved state that goes on with other numbers of ranks. */
static void bits_of_one(const char *scene, const char *what, int n_steps, const outcome **kept)
{
    const int has_births = strstr(scene, "emitters") != NULL; /* in the first step */
    static const int ways[][2] = {{2, 1}, {3, 2}, {4, 1}};
    outcome *one = run((setup){scene, 1, 1, n_steps, NULL}), *half = NULL;
    for (int i = 0; i < 3; i++) {
        outcome *many = run((setup){scene, ways[i][0], ways[i][1], n_steps, NULL});
        same(one, many, what, ways[i][0], ways[i][1]);
        print_message("%s: %d ranks: %lld particles, %lld moved, %lld lost, %lld cuts, imbalance "
                      "%.3f at worst\n",
                      what, ways[i][0], (long long)many->n_particles, (long long)many->n_moved,
                      (long long)many->n_lost, (long long)many->n_cuts, many->imbalance);
        assert_true(many->n_moved > 0);
        /* what `firn check` counts on the grid of one process is what is sent */
        if (!has_births) assert_true(many->bytes == one->forecast[ways[i][0]].bytes);
        leave(many);
    }
    half = run((setup){scene, 3, 1, n_steps / 2, NULL});
    for (int size = 1; size <= 2; size++) {
        outcome *rest = run((setup){scene, size, 1, n_steps - n_steps / 2, half});
        same(one, rest, "restored", size, 1);
        leave(rest);
    }
    leave(half);
    *kept = one;
}

static void everything_on_ranks(void **state)
{
    (void)state;
    const outcome *one;
    bits_of_one(everything, "everything", 60, &one);
    leave((outcome *)(uintptr_t)one);
}

static void losses_on_ranks(void **state)
{
    (void)state;
    const outcome *one;
    bits_of_one(losing, "losing", 50, &one);
    assert_true(one->n_lost > 20);
    leave((outcome *)(uintptr_t)one);
}

static void around_on_ranks(void **state)
{
    (void)state;
    const outcome *one;
    bits_of_one(around, "around", 60, &one);
    leave((outcome *)(uintptr_t)one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_on_ranks),
        cmocka_unit_test(losses_on_ranks),
        cmocka_unit_test(around_on_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
