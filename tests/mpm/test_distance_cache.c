/* SPDX-License-Identifier: MIT */
/* test_distance_cache.c: what is remembered of distances changes nothing: runs that look up every
 * distance in every step have the same bits. */
#include "verify/verify.h"
#include "support/geometry.h"
#include "support/scratch.h"
#include "mpm/mpm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A slab on a floor, a box that rolls into it, a ball from a sequence of files that swells, and
 * a peg that goes in, stands and leaves: with a second pass or without, the files with the same
 * faces or with others, steps that look up every distance give the same bits as those that look
 * up what may have come near, and surfaces at rest were remembered. */
static void what_is_remembered_changes_nothing(void **state)
{
    (void)state;
    const double low[3] = {-0.3, 0, -0.2}, high[3] = {0.3, 0.2, 0.2};
    for (int k = 0; k < 6; k++) {
        char name[32];
        firn_mesh *ball = geometry_sphere(k < 3 ? 24 : 20 + k, 0.1 + 0.02 * (k % 3), 0, 0, 0);
        snprintf(name, sizeof name, "%s.%d.obj", k < 3 ? "swell" : "change", k % 3);
        assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
    }
    for (int kind = 0; kind < 4; kind++) {
        const int pass = kind % 2;
        uint64_t hash[2];
        for (int forgets = 0; forgets < 2; forgets++) {
            verify_scene s;
            firn_shape_def shapes[3] = {firn_shape_default(), firn_shape_default(),
                                        firn_shape_default()};
            const firn_key keys[4] = {
                {.position = {0, 0.4, 0}, .rotation = {0, 0, 0, 1}},
                {.time = 0.02, .position = {0, 0.2, 0}, .rotation = {0, 0, 0, 1}},
                {.time = 0.06, .position = {0, 0.2, 0}, .rotation = {0, 0, 0, 1}},
                {.time = 0.1, .position = {0, 0.4, 0}, .rotation = {0, 0, 0, 1}}};
            verify_scene_init(&s, 0.05, "neo_hookean", 2e4, 0.3, 400);
            verify_box(&s, low, high, 2)->velocity[1] = -0.5;
            firn_collider_def *floor = verify_floor(&s, 1, -0.01);
            floor->contact = FIRN_SEPARATE;
            floor->friction = 0.3;
            floor->particle_pass = pass;
            for (int c = 0; c < 2; c++) {
                firn_collider_def *body = &s.colliders[s.n_colliders++];
                *body = firn_collider_default();
                snprintf(body->name, sizeof body->name, "ball%d", c);
                body->shapes = &shapes[c];
                body->n_shapes = 1;
                body->particle_pass = pass;
                body->contact = FIRN_SEPARATE;
                body->friction = 0.4;
                strcpy(shapes[c].kind, c ? "mesh" : "box");
                for (int a = 0; a < 3; a++) shapes[c].size[a] = 0.12;
                if (c)
                    snprintf(shapes[c].file, sizeof shapes[c].file, "%s",
                             scratch(kind < 2 ? "swell.%d.obj" : "change.%d.obj"));
                shapes[c].fps = 20;
                shapes[c].voxel = 0.02;
                body->motion.pivot[0] = 0;
                body->motion.velocity[0] = c ? 0.2 : -2;
                body->motion.spin[2] = c ? 1 : 9;
                shapes[c].center[0] = c ? -0.15 : 0.42;
                shapes[c].center[1] = c ? 0.27 : 0.08;
            }
            firn_collider_def *peg = &s.colliders[s.n_colliders++];
            *peg = firn_collider_default();
            strcpy(peg->name, "peg");
            strcpy(shapes[2].kind, "sphere");
            shapes[2].radius = 0.1;
            peg->shapes = &shapes[2];
            peg->n_shapes = 1;
            peg->particle_pass = pass;
            peg->contact = pass ? FIRN_SEPARATE : FIRN_STICK;
            peg->motion.keys = keys;
            peg->motion.n_keys = 4;
            int64_t n_kept = 0;
            firn_sim *sim = verify_start(&s);
            for (int step = 0; step < 150; step++) {
                if (forgets) firn_distance_cache_clear(sim);
                assert_int_equal(firn_sim_step(sim, 1, NULL), FIRN_OK);
                for (int32_t i = 0; i < sim->mpm->distance_cache.n_still; i++)
                    n_kept += sim->mpm->distance_cache.still[i].collider == 3 &&
                              sim->mpm->distance_cache.still[i].known != 0;
            }
            assert_true(sim->time > 0.11);
            assert_true(forgets ? n_kept == 0 : n_kept > 10);
            assert_true(sim->mpm->distance_cache.is_kept &&
                        (forgets ? sim->mpm->distance_cache.gone < 0.1
                                 : sim->mpm->distance_cache.gone > 0.5));
            hash[forgets] = firn_sim_hash(sim);
            for (int c = 0; c < 4; c++) { /* all of them met the slab */
                firn_reaction reaction;
                assert_int_equal(firn_sim_collider_reaction(sim, c, &reaction), FIRN_OK);
                assert_true(fabs(reaction.impulse[1]) + fabs(reaction.impulse[0]) > 0);
            }
            firn_sim_destroy(sim);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* Likewise for sand on a box that goes sideways as a sequence of files: beside its edges two
 * looks at nearly the same place may see two faces. Speeds of three runs in which one look
 * instead of two made a difference. */
static void edges_are_remembered(void **state)
{
    (void)state;
    static const double runs[3][3] = {
        {1.3607508670538664, -0.063370244018733507, 1.0656029472225226},
        {-0.90101761557161808, -0.2721193411387503, -0.89448994477198807},
        {1.1424011290073395, -0.035893351770937443, 0.13151187550930579}};
    const double low[3] = {-0.3, 0.11, -0.3}, high[3] = {0.3, 0.25, 0.3}, half[3] = {0.2, 0.1, 0.2};
    for (int run = 0; run < 3; run++) {
        uint64_t hash[2];
        for (int i = 0; i < 8; i++) {
            char name[32];
            double from[3], to[3];
            for (int a = 0; a < 3; a++) {
                const double at = a < 2 ? runs[run][a] * i / 40 : 0;
                from[a] = at - half[a];
                to[a] = at + half[a];
            }
            firn_mesh *box = geometry_block(from, to);
            snprintf(name, sizeof name, "edges.%d.obj", i);
            assert_int_equal(firn_mesh_write(scratch(name), box, NULL), FIRN_OK);
            firn_mesh_destroy(box);
        }
        for (int forgets = 0; forgets < 2; forgets++) {
            verify_scene s;
            verify_scene_init(&s, 0.05, "sand", 2e4, 0.3, 400);
            s.scene.gravity[1] = -9.81;
            firn_body_def *body = verify_box(&s, low, high, 2);
            body->velocity[0] = runs[run][2];
            body->velocity[1] = -1;
            body->sampling = FIRN_JITTERED;
            firn_collider_def *wall = verify_floor(&s, 1, 0);
            firn_shape_def *shape = &s.collider_shapes[0];
            *shape = firn_shape_default();
            strcpy(shape->kind, "mesh");
            snprintf(shape->file, sizeof shape->file, "%s", scratch("edges.%d.obj"));
            shape->fps = 40;
            wall->contact = FIRN_SEPARATE;
            wall->friction = 0.3;
            wall->particle_pass = 1;
            firn_sim *sim = verify_start(&s);
            for (int step = 0; step < 120; step++) {
                if (forgets) firn_distance_cache_clear(sim);
                assert_int_equal(firn_sim_step(sim, 1, NULL), FIRN_OK);
            }
            hash[forgets] = firn_sim_hash(sim);
            firn_sim_destroy(sim);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* A thin paddle hits a cube from the left and stays there for a while, goes more than ten cells
 * away, so that nothing about it is kept up to date, and comes back from the right: what
 * touches, and what was far, is remembered so that it makes no difference. From several
 * distances, because what is remembered wrongly is not always too much; kind 1 sticks, kind 2 is
 * a ball made of voxels. */
static uint64_t hash_after_paddle(int kind, double offset, int forgets)
{
    const double low[3] = {0, 0, 0}, high[3] = {0.2, 0.2, 0.2}, y = 0.1, z = 0.1;
    const firn_key keys[8] = {
        {.position = {-0.2 - offset, y, z}, .rotation = {0, 0, 0, 1}},
        {.time = 0.03, .position = {0.02, y, z}, .rotation = {0, 0, 0, 1}},
        {.time = 0.09, .position = {0.02, y, z}, .rotation = {0, 0, 0, 1}},
        {.time = 0.15, .position = {-1.2 - offset, y, z}, .rotation = {0, 0, 0, 1}},
        {.time = 0.19, .position = {0.5, 1.5, z}, .rotation = {0, 0, 0, 1}},
        {.time = 0.23, .position = {1.3, y, z}, .rotation = {0, 0, 0, 1}},
        {.time = 0.28, .position = {0.3, y, z}, .rotation = {0, 0, 0, 1}},
        {.time = 0.3, .position = {0.1, y, z}, .rotation = {0, 0, 0, 1}}};
    verify_scene s;
    firn_shape_def box = firn_shape_default();
    verify_scene_init(&s, 0.05, "neo_hookean", 2e4, 0.3, 400);
    verify_box(&s, low, high, 2);
    firn_collider_def *paddle = &s.colliders[s.n_colliders++];
    *paddle = firn_collider_default();
    strcpy(paddle->name, "paddle");
    strcpy(box.kind, kind < 2 ? "box" : "mesh");
    box.size[0] = 0.02;
    box.size[1] = box.size[2] = 0.3;
    if (kind == 2) {
        snprintf(box.file, sizeof box.file, "%s", scratch("paddle.obj"));
        box.voxel = 0.01;
    }
    paddle->shapes = &box;
    paddle->n_shapes = 1;
    paddle->particle_pass = 1;
    paddle->contact = kind == 1 ? FIRN_STICK : FIRN_SEPARATE;
    paddle->motion.keys = keys;
    paddle->motion.n_keys = 8;
    firn_sim *sim = verify_start(&s);
    int n_far = 0, n_renewed = 0, was_stale = 0;
    while (sim->time < 0.3) {
        if (forgets) firn_distance_cache_clear(sim);
        assert_int_equal(firn_sim_step(sim, 0.3, NULL), FIRN_OK);
        int n_stale = 0;
        for (int32_t b = 0; b < sim->mpm->grid.n_owners; b++)
            n_stale += sim->mpm->distance_cache.blocks[b].is_stale;
        n_far += n_stale > 0;
        n_renewed += n_stale < was_stale;
        was_stale = n_stale;
    }
    assert_true(n_far > 10 && n_renewed > 0);
    const uint64_t hash = firn_sim_hash(sim);
    firn_sim_destroy(sim);
    return hash;
}

static void what_comes_back_is_met_anew(void **state)
{
    (void)state;
    firn_mesh *ball = geometry_sphere(16, 0.07, 0, 0, 0);
    assert_int_equal(firn_mesh_write(scratch("paddle.obj"), ball, NULL), FIRN_OK);
    firn_mesh_destroy(ball);
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < 8; i++)
            assert_true(hash_after_paddle(kind, 0.01 * i, 0) ==
                        hash_after_paddle(kind, 0.01 * i, 1));
}

/* Every variant of the kernel takes from clearances what particles and surfaces went and no
 * less, and names all that may have met one; a particle that is far is not named. */
static void clearances_are_never_too_large(void **state)
{
    (void)state;
    const firn_distance_cache_motion motion = {.h = 0.1,
                                               .most_displacement = 0.003f,
                                               .most_needed = 0.004f,
                                               .n = 2,
                                               .which = {1, 4},
                                               .displacement = {0.001f, 0},
                                               .needed = {0.002f, 0}};
    for (int v = 0; v < FIRN_N_VARIANTS; v++) {
        const firn_kernels *k = firn_kernels_find((firn_variant)v);
        if (!k) continue;
        double x[48], before[48], clear[48], left[48], wide[3][48];
        float narrow[3][48];
        void *in[3];
        for (int c = 0; c < 3; c++) in[c] = k->is_double ? (void *)wide[c] : (void *)narrow[c];
        for (int i = 0; i < 48; i++) {
            before[i] = 0.25 * (i % 7);
            x[i] = before[i] + 0.0625 * ((i * 5) % 3 - 1);
            clear[i] = i < 32 ? 0.0009765625 * ((i * 11) % 31) : i % 5;
            const double numbers[3] = {x[i], before[i], clear[i]};
            for (int c = 0; c < 3; c++) {
                wide[c][i] = numbers[c];
                narrow[c][i] = (float)numbers[c];
            }
        }
        uint32_t bits = k->clearance(in[0], in[1], &motion, in[2]);
        int n_named = 0;
        for (int i = 0; i < 48; i++) left[i] = k->is_double ? wide[2][i] : (double)narrow[2][i];
        for (int l = 0; l < 16; l++) {
            double own = 0;
            for (int a = 0; a < 3; a++) own += pow(x[16 * a + l] - before[16 * a + l], 2);
            own = 0.1 * sqrt(own);
            for (int other = 0; other < 2; other++) {
                const int which = other ? -1 : (int)clear[32 + l], at = 16 * other + l;
                const double way = which == 1   ? 0.001
                                   : which == 4 ? 0
                                                : 0.003,
                             needed = which == 1   ? 0.002
                                      : which == 4 ? 0
                                                   : 0.004,
                             exact = clear[at] - own - way;
                assert_true(left[at] <= exact && left[at] > exact - 1e-5);
                const int is_named = (int)(bits >> at & 1);
                if (exact <= 1.1 * own + needed) assert_true(is_named);
                if (exact > 1.1 * own + needed + 1e-5) assert_false(is_named);
                n_named += is_named;
            }
        }
        assert_true(n_named > 3 && n_named < 29);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clearances_are_never_too_large),
        cmocka_unit_test(what_is_remembered_changes_nothing),
        cmocka_unit_test(edges_are_remembered),
        cmocka_unit_test(what_comes_back_is_met_anew),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
