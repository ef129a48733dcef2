/* SPDX-License-Identifier: MIT */
/* test_memory.c: memory that runs out. A small simulation with everything that allocates - two
 * materials, emitter, keyed collider and force, sink, a grip that is followed - is created,
 * stepped, looked at, saved, restored and written while the n-th allocation fails, for every n
 * there is: alone (the next one succeeds again) and with all after it. Each time exactly one
 * call may say so, by its status and in a sentence; after that memory is there again and the
 * same simulation must arrive at the same bits as one that never failed. Nothing may be left
 * when it is gone. */
#include "firn/firn.h"
#include "shot/checkpoint.h"
#include "base/file.h"
#include "points/format.h"
#include "base/memory.h"
#include "support/scratch.h"
#include "solver/attributes.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- allocators that fail */

/* Behind a simulation's hooks: one allocation fails, the next succeeds again. */
typedef struct meter {
    int64_t n_asked, fails_at; /* 0: never */
    int64_t n_live;
    size_t bytes;
} meter;

static void *metered_allocate(void *user, size_t n_bytes)
{
    meter *m = user;
    if (++m->n_asked == m->fails_at) return NULL;
    m->n_live++;
    m->bytes += n_bytes;
    return aligned_alloc(64, (n_bytes + 63) & ~(size_t)63);
}

static void metered_release(void *user, void *block, size_t n_bytes)
{
    meter *m = user;
    m->n_live--;
    m->bytes -= n_bytes;
    free(block);
}

/* Everything else that firn allocates is from aligned_alloc, too; the linker puts these two
 * before it (--wrap), so that what is left over is seen. */
void *__real_aligned_alloc(size_t alignment, size_t n_bytes);
void __real_free(void *block);
void *__wrap_aligned_alloc(size_t alignment, size_t n_bytes);
void __wrap_free(void *block);

enum { LIVE_MAX = 4096 };
static void *live_blocks[LIVE_MAX];
static int n_live_blocks;

void *__wrap_aligned_alloc(size_t alignment, size_t n_bytes)
{
    void *block = __real_aligned_alloc(alignment, n_bytes);
    if (block && n_live_blocks < LIVE_MAX) live_blocks[n_live_blocks++] = block;
    return block;
}

void __wrap_free(void *block)
{
    for (int i = n_live_blocks - 1; block && i >= 0; i--)
        if (live_blocks[i] == block) {
            live_blocks[i] = live_blocks[--n_live_blocks];
            break;
        }
    __real_free(block);
}

/* ---------------------------------------------------------------- the simulation */

typedef struct world {
    firn_scene_def scene;
    firn_material_def materials[2];
    firn_shape_def balls[2], spout, plane, drain, region;
    firn_body_def bodies[2];
    firn_emitter_def emitter;
    firn_collider_def collider;
    firn_key keys[2];
    firn_sink_def sink;
    firn_grip_def grip;
    firn_force_def force;
    firn_force_key force_keys[2];
    firn_run_options options;
} world;

static void make_shape(firn_shape_def *shape, const char *kind, double x, double y, double radius)
{
    *shape = firn_shape_default();
    snprintf(shape->kind, sizeof shape->kind, "%s", kind);
    shape->center[0] = x;
    shape->center[1] = y;
    shape->radius = radius;
    if (strcmp(kind, "plane") == 0) {
        shape->normal[0] = 0;
        shape->normal[1] = 1;
        shape->normal[2] = 0;
    }
}

static void make_bodies(world *w)
{
    static const char *const laws[2] = {"neo_hookean", "snow"}, *const names[2] = {"jelly",
                                                                                   "powder"};
    for (int i = 0; i < 2; i++) {
        w->materials[i] = firn_material_default();
        snprintf(w->materials[i].name, FIRN_NAME, "%s", names[i]);
        snprintf(w->materials[i].law, FIRN_NAME, "%s", laws[i]);
        w->bodies[i] = firn_body_default();
        snprintf(w->bodies[i].name, FIRN_NAME, "%s ball", names[i]);
        snprintf(w->bodies[i].material, FIRN_NAME, "%s", names[i]);
        w->bodies[i].n_shapes = 1;
        w->bodies[i].shapes = &w->balls[i];
        w->bodies[i].particles_per_cell = 2;
        w->bodies[i].velocity[0] = i ? 8 : -8; /* so that they leave their blocks within the test */
    }
    w->bodies[1].density_from = FIRN_DENSITY_GRID;
    w->scene.n_materials = 2;
    w->scene.materials = w->materials;
    w->scene.n_bodies = 2;
    w->scene.bodies = w->bodies;
}

static void make_world(world *w, meter *m)
{
    *w = (world){.scene = firn_scene_default(), .options = firn_run_options_default()};
    make_shape(&w->balls[0], "sphere", 0, 0, 0.16);
    make_shape(&w->balls[1], "sphere", 0.5, 0, 0.16);
    make_shape(&w->spout, "sphere", 0, 0.6, 0.1);
    make_shape(&w->plane, "plane", 0, -0.3, 0);
    make_shape(&w->drain, "sphere", 0.7, 0, 0.1);
    make_shape(&w->region, "sphere", -0.1, 0, 0.1);
    w->scene.grid.dx = 0.1;
    make_bodies(w);
    w->emitter = firn_emitter_default();
    strcpy(w->emitter.name, "spout");
    strcpy(w->emitter.material, "powder");
    w->emitter.n_shapes = 1;
    w->emitter.shapes = &w->spout;
    w->emitter.velocity[1] = -4;
    w->emitter.particles_per_cell = 4;
    w->scene.n_emitters = 1;
    w->scene.emitters = &w->emitter;
    w->collider = firn_collider_default();
    strcpy(w->collider.name, "floor");
    w->collider.n_shapes = 1;
    w->collider.shapes = &w->plane;
    w->keys[0].rotation[3] = w->keys[1].rotation[3] = 1;
    w->keys[1].time = 1;
    w->keys[1].position[1] = 0.1;
    w->collider.motion.n_keys = 2;
    w->collider.motion.keys = w->keys;
    w->collider.particle_pass = 1;
    w->scene.n_colliders = 1;
    w->scene.colliders = &w->collider;
    w->sink = firn_sink_default();
    strcpy(w->sink.name, "drain");
    w->sink.n_shapes = 1;
    w->sink.shapes = &w->drain;
    w->scene.n_sinks = 1;
    w->scene.sinks = &w->sink;
    w->grip = firn_grip_default();
    strcpy(w->grip.name, "hand");
    w->grip.n_shapes = 1;
    w->grip.shapes = &w->region;
    w->grip.mode = FIRN_GRIP_FOLLOW;
    w->grip.stiffness = 1;
    w->grip.motion.n_keys = 2;
    w->grip.motion.keys = w->keys;
    w->scene.n_grips = 1;
    w->scene.grips = &w->grip;
    w->force = firn_force_default();
    strcpy(w->force.name, "wind");
    strcpy(w->force.kind, "turbulence");
    w->force.strength = 1;
    w->force.length = 0.2;
    w->force_keys[1] = (firn_force_key){1, 2};
    w->force.n_keys = 2;
    w->force.keys = w->force_keys;
    w->scene.n_forces = 1;
    w->scene.forces = &w->force;
    w->options.n_threads = 1; /* more would only be slower here */
    w->options.hooks.user = m;
    w->options.hooks.allocate = metered_allocate;
    w->options.hooks.release = metered_release;
}

/* ---------------------------------------------------------------- one whole life */

typedef struct life {
    world world;
    firn_messages *messages;
    firn_sim *sim;
    void *state;
    size_t n_state;
    double *x;
    size_t n_x;
    firn_points *points;
    int at;       /* which call is next */
    int n_failed; /* calls that said there was no memory */
    int failed;   /* which was the last of them */
    const char *folder;
} life;

static firn_status write_points(life *l)
{
    char path[512];
    snprintf(path, sizeof path, "%s/out.bgeo", l->folder);
    return firn_format_write(path, l->points, NULL, l->messages);
}

static firn_status read_points(life *l)
{
    char path[512];
    firn_points *read = NULL;
    snprintf(path, sizeof path, "%s/out.bgeo", l->folder);
    firn_status status = firn_format_read(path, &read, l->messages);
    if (status == FIRN_OK) firn_points_destroy(read);
    return status;
}

static firn_status keep_checkpoint(life *l)
{
    firn_checkpoint_info info = {.frame = 1, .time = firn_sim_time(l->sim)};
    return firn_checkpoint_write(l->folder, &info, l->state, l->n_state, 2, l->messages);
}

static firn_status read_checkpoint(life *l)
{
    firn_checkpoint checkpoint;
    firn_status status = firn_checkpoint_read(l->folder, 10, &checkpoint, l->messages);
    firn_checkpoint_clear(&checkpoint);
    return status;
}

static firn_status copy_places(life *l)
{
    free(l->x); /* the test's own */
    l->n_x = (size_t)firn_sim_n_particles(l->sim) * 3;
    l->x = malloc(l->n_x * sizeof *l->x);
    return firn_sim_copy(l->sim, "v", l->x, l->n_x, l->messages);
}

/* Call number `at`; *is_over after the last. Every call may be repeated when it failed. */
static firn_status call(life *l, int *is_over)
{
    firn_ledger ledger;
    switch (l->at) {
    case 0: return firn_sim_create(&l->world.scene, &l->world.options, &l->sim, l->messages);
    case 1: return firn_sim_advance_to(l->sim, 0.005, l->messages);
    case 2: return firn_sim_save(l->sim, &l->state, &l->n_state, l->messages);
    case 3: return copy_places(l);
    case 4: return firn_sim_assign(l->sim, "v", l->x, l->n_x, l->messages);
    case 5: return firn_sim_advance_to(l->sim, 0.007, l->messages);
    case 6: return firn_sim_restore(l->sim, l->state, l->n_state, l->messages);
    case 7: return keep_checkpoint(l);
    case 8: return read_checkpoint(l);
    case 9: return firn_sim_advance_to(l->sim, 0.008, l->messages);
    case 10: return firn_sim_ledger(l->sim, -1, &ledger, l->messages);
    case 11:
        return firn_snapshot_take(l->sim, "P v id material source F stress Jp", 1, &l->points,
                                  l->messages);
    case 12: return write_points(l);
    case 13: return read_points(l);
    default: *is_over = 1; return FIRN_OK;
    }
}

static void begin(life *l, meter *m, const char *folder)
{
    *l = (life){.messages = firn_messages_create(), .folder = folder};
    make_world(&l->world, m);
}

/* Lives; a call that fails for want of memory is made again once. Returns the hash at the end. */
static uint64_t live(life *l)
{
    for (int is_over = 0; !is_over;) {
        firn_messages_clear(l->messages);
        firn_status status = call(l, &is_over);
        if (status != FIRN_OK) {
            firn_memory_fail_after(0); /* memory is there again */
            const char *sentence = firn_messages_text(l->messages, 0, NULL);
            if (status != FIRN_MEMORY || firn_messages_status(l->messages) != FIRN_MEMORY ||
                strlen(sentence) < 10)
                fail_msg("call %d: status %d, '%s'", l->at, status, sentence);
            l->failed = l->at;
            if (++l->n_failed > 1) fail_msg("call %d fails again: '%s'", l->at, sentence);
        } else {
            l->at++;
        }
    }
    return firn_sim_hash(l->sim);
}

static void end(life *l)
{
    firn_memory_fail_after(0);
    if (l->state) firn_sim_release_state(l->sim, l->state, l->n_state);
    firn_points_destroy(l->points);
    firn_sim_destroy(l->sim);
    firn_messages_destroy(l->messages);
    free(l->x);
}

static const char *make_folder(void)
{
    const char *folder = scratch("shot");
    assert_int_equal(firn_file_make_folder(folder, NULL), FIRN_OK);
    return folder;
}

/* The n-th allocation through the hooks of the simulation fails, alone. */
static void one_fails(void **state)
{
    (void)state;
    const char *folder = make_folder();
    meter m = {0};
    life l;
    begin(&l, &m, folder);
    uint64_t expected = live(&l);
    assert_int_equal(l.n_failed, 0);
    assert_true(firn_sim_stats(l.sim).n_sorts > 2 && firn_sim_stats(l.sim).n_lost > 0);
    end(&l);
    int64_t n = m.n_asked;
    assert_true(n > 100 && m.n_live == 0 && m.bytes == 0);
    for (int64_t i = 1; i <= n; i++) {
        m = (meter){.fails_at = i};
        begin(&l, &m, folder);
        uint64_t hash = live(&l);
        if (l.n_failed != 1) fail_msg("allocation %ld failed and nobody said so", (long)i);
        if (hash != expected)
            fail_msg("after allocation %ld failed in call %d the state is another one", (long)i,
                     l.failed);
        end(&l);
        if (m.n_live != 0 || m.bytes != 0)
            fail_msg("allocation %ld failed: %ld blocks are left", (long)i, (long)m.n_live);
    }
}

/* The n-th allocation of all, and every one after it, until the failed call has come back. */
static void all_fail(void **state)
{
    (void)state;
    const char *folder = make_folder();
    uint64_t expected = 0;
    for (int64_t i = 0, n_failed = 1; n_failed == 1; i++) {
        meter m = {0};
        life l;
        int n_before = n_live_blocks;
        begin(&l, &m, folder);
        firn_memory_fail_after(i);
        uint64_t hash = live(&l);
        if (i == 0) expected = hash;
        if (hash != expected)
            fail_msg("after allocation %ld failed in call %d the state is another one", (long)i,
                     l.failed);
        n_failed = i == 0 ? 1 : l.n_failed;
        end(&l);
        if (n_live_blocks != n_before || m.n_live != 0)
            fail_msg("allocation %ld failed: %d blocks are left", (long)i,
                     n_live_blocks - n_before);
        if (n_failed == 0) assert_true(i > 100);
    }
}

/* The first sentence of a report needs no memory, nor does its status. */
static void reports(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    firn_memory_fail_after(1);
    firn_messages_add(messages, FIRN_MEMORY, "no memory for %d things", 3);
    firn_messages_add(messages, FIRN_IO, "nor for this");
    firn_memory_fail_after(0);
    firn_messages_warn(messages, "later");
    assert_int_equal(firn_messages_status(messages), FIRN_MEMORY);
    assert_int_equal(firn_messages_count(messages, FIRN_ERROR), 2);
    assert_int_equal(firn_messages_total(messages), 2);
    assert_string_equal(firn_messages_text(messages, 0, NULL), "no memory for 3 things");
    assert_string_equal(firn_messages_text(messages, 1, NULL), "later");
    firn_messages_clear(messages);
    assert_int_equal(firn_messages_total(messages), 0);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reports), cmocka_unit_test(one_fails),
                                       cmocka_unit_test(all_fail)};
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
