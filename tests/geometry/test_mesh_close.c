/* SPDX-License-Identifier: MIT */
/* Which open, doubled and torn meshes are mended, and which are refused with their place. */
#include "geometry/mesh/mesh_close.h"
#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/geometry.h"
#include "support/scratch.h"

static void meshes_from_formulas_are_closed(void **state)
{
    (void)state;
    firn_mesh *ball = geometry_sphere(20, 0.5, 1, 2, 3),
              *block = geometry_block((double[3]){0, 0, 0}, (double[3]){1, 2, 3});
    assert_int_equal(firn_mesh_is_open(ball), 0);
    assert_int_equal(firn_mesh_is_open(block), 0);
    assert_true(fabs(firn_mesh_volume(block) - 6) < 1e-12);
    assert_true(fabs(firn_mesh_volume(ball) / (M_PI / 6) - 1) < 0.02);
    firn_mesh_destroy(ball);
    firn_mesh_destroy(block);
}

/* Like STL: every triangle with corners of its own; welding finds the eight of the block again. */
static void welding(void **state)
{
    (void)state;
    firn_mesh *block = geometry_block((double[3]){0, 0, -0.0}, (double[3]){1, 2, 3}),
              *soup = firn_mesh_create(36, 13);
    for (int i = 0; i < 36; i++) {
        memcpy(soup->xyz + 3 * i, block->xyz + 3 * block->triangles[i], 24);
        soup->triangles[i] = (uint32_t)i;
        for (int a = 0; a < 3; a++)
            if (soup->xyz[3 * i + a] == 0)
                soup->xyz[3 * i + a] = i % 2 ? 0.0 : -0.0; /* two zeros, one place */
    }
    assert_int_equal(firn_mesh_is_open(soup), 1);
    assert_int_equal(firn_mesh_weld(soup, "a mesh", NULL), FIRN_OK);
    assert_int_equal(soup->n_triangles, 12); /* the thirteenth was a single point */
    assert_int_equal(firn_mesh_is_open(soup), 0);
    firn_mesh_destroy(block);
    firn_mesh_destroy(soup);
}

static void remove_triangles(firn_mesh *mesh, int64_t first, int64_t n)
{
    memmove(mesh->triangles + 3 * first, mesh->triangles + 3 * (first + n),
            (size_t)(mesh->n_triangles - first - n) * 12);
    mesh->n_triangles -=
        n; /* the tests give the memory back with the smaller size, which malloc does not mind */
}

static void small_holes_are_closed(void **state)
{
    (void)state;
    firn_mesh *ball = geometry_sphere(40, 0.5, 0, 0, 0);
    firn_mesh_attribute *paint = firn_mesh_add(ball, "friction", 1);
    for (int64_t i = 0; i < ball->n_points; i++) paint->data[i] = 0.25f;
    double before = firn_mesh_volume(ball);
    int64_t n = ball->n_triangles;
    remove_triangles(ball, 2000, 1);
    remove_triangles(ball, 500, 2);
    remove_triangles(ball, 0, 80); /* the whole cap around the pole */
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_mesh_close(ball, "ball", messages), FIRN_OK);
    assert_int_equal(firn_messages_count(messages, FIRN_WARNING), 1);
    assert_true(scratch_says(messages, "3 holes"));
    assert_int_equal(firn_mesh_is_open(ball), 0);
    assert_true(ball->n_triangles > n - 83);
    /* also the right way round: a cap put on inside out would lose twice its share */
    assert_true(fabs(firn_mesh_volume(ball) / before - 1) < 2e-4);
    for (int64_t i = 0; i < ball->n_points; i++)
        assert_true(fabsf(firn_mesh_find(ball, "friction")->data[i] - 0.25f) < 1e-6f);
    firn_messages_destroy(messages);
    firn_mesh_destroy(ball);
}

/* The pole of a ball as many programs write it: a ring of points that rounding alone keeps
 * apart. That is closed without a word. */
static void rounding_is_no_hole(void **state)
{
    (void)state;
    enum { N = 40, M = 2 * N };
    firn_mesh *ball = geometry_sphere(N, 0.5, 0, 0, 0), *ringed;
    ringed = firn_mesh_create(ball->n_points + M, ball->n_triangles + M);
    memcpy(ringed->xyz, ball->xyz, (size_t)ball->n_points * 24);
    memcpy(ringed->triangles, ball->triangles, (size_t)ball->n_triangles * 12);
    for (int k = 0; k < M; k++) {
        double *x = ringed->xyz + 3 * (ball->n_points + k), angle = 2 * M_PI * k / M;
        uint32_t *cap = ringed->triangles + 3 * k, own = (uint32_t)ball->n_points,
                 next = own + (uint32_t)(k + 1) % M;
        own += (uint32_t)k;
        x[0] = 6e-17 * cos(angle);
        x[1] = 6e-17 * sin(angle);
        x[2] = 0.5;
        memcpy(ringed->triangles + 3 * (ball->n_triangles + k), (uint32_t[3]){own, cap[2], next},
               12);
        cap[0] = own;
    }
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_mesh_is_open(ringed), 1);
    assert_int_equal(firn_mesh_close(ringed, "ball", messages), FIRN_OK);
    assert_int_equal(firn_mesh_is_open(ringed), 0);
    assert_int_equal(firn_messages_total(messages), 0);
    assert_true(fabs(firn_mesh_volume(ringed) / firn_mesh_volume(ball) - 1) < 1e-12);
    firn_messages_destroy(messages);
    firn_mesh_destroy(ringed);
    firn_mesh_destroy(ball);
}

/* A point on the edge of two faces that only one of them knows, off that edge by some
 * thousandths of the block: the hole is as long as the edge and has no area, or is a slit, or is
 * one. */
static void slits_are_closed(void **state)
{
    (void)state;
    const double pulls[] = {0, 1e-9, 4e-4, 4e-3};
    for (int k = 0; k < 4; k++) {
        firn_mesh *block = geometry_block((double[3]){0, 0, 0}, (double[3]){1, 1, 1}), *split;
        split = firn_mesh_create(block->n_points + 1, block->n_triangles + 1);
        memcpy(split->xyz, block->xyz, (size_t)block->n_points * 24);
        memcpy(split->triangles, block->triangles, (size_t)block->n_triangles * 12);
        uint32_t *one = split->triangles, *other = one + 3 * block->n_triangles,
                 middle = (uint32_t)block->n_points;
        double *x = split->xyz + 3 * middle;
        for (int a = 0; a < 3; a++) {
            const double edge = 0.5 * (x[3 * ((int64_t)one[0] - middle) + a] +
                                       x[3 * ((int64_t)one[1] - middle) + a]);
            x[a] = edge + pulls[k] * (x[3 * ((int64_t)one[2] - middle) + a] - edge);
        }
        memcpy(other, (uint32_t[3]){middle, one[1], one[2]}, 12);
        one[1] = middle;
        firn_messages *messages = firn_messages_create();
        assert_int_equal(firn_mesh_is_open(split), 1);
        assert_int_equal(firn_mesh_close(split, "block", messages), k < 3 ? FIRN_OK : FIRN_REFUSED);
        assert_int_equal(firn_messages_total(messages), k >= 2);
        if (k == 2) assert_true(scratch_says(messages, "1 hole is closed, the largest 0.0008"));
        if (k < 3) assert_int_equal(firn_mesh_is_open(split), 0);
        if (k < 3) assert_true(fabs(firn_mesh_volume(split) - 1) < 1e-6 + pulls[k]);
        firn_messages_destroy(messages);
        firn_mesh_destroy(split);
        firn_mesh_destroy(block);
    }
}

/* A triangle that hangs on one edge of a ball: its loop runs over its two open edges and the one
 * of three faces. */
static void flaps_are_closed(void **state)
{
    (void)state;
    firn_mesh *ball = geometry_sphere(40, 0.5, 0, 0, 0),
              *flap = firn_mesh_create(ball->n_points + 1, ball->n_triangles + 1);
    memcpy(flap->xyz, ball->xyz, (size_t)ball->n_points * 24);
    memcpy(flap->triangles, ball->triangles, (size_t)ball->n_triangles * 12);
    memcpy(flap->xyz + 3 * ball->n_points, (double[3]){0.51, 0, 0.01}, 24);
    uint32_t *t = flap->triangles + 3 * ball->n_triangles;
    t[0] = flap->triangles[4800];
    t[1] = flap->triangles[4801];
    t[2] = (uint32_t)ball->n_points;
    for (int a = 0; a < 3; a++) flap->xyz[3 * t[2] + a] = 1.02 * flap->xyz[3 * t[0] + a];
    assert_int_equal(firn_mesh_is_open(flap), 1);
    assert_int_equal(firn_mesh_close(flap, "flap", NULL), FIRN_OK);
    assert_int_equal(firn_mesh_is_open(flap), 0);
    firn_mesh_destroy(ball);
    firn_mesh_destroy(flap);
}

/* Two rooms with a wall between them: its edges have three faces, and nothing is open. With a
 * lid off one room it is. */
static void walls_inside_are_no_holes(void **state)
{
    (void)state;
    firn_mesh *rooms = geometry_two_rooms(0.4);
    firn_messages *messages = firn_messages_create();
    int64_t n = rooms->n_triangles;
    assert_int_equal(firn_mesh_is_open(rooms), 0);
    assert_int_equal(firn_mesh_close(rooms, "rooms", messages), FIRN_OK);
    assert_int_equal(firn_messages_total(messages), 0);
    assert_int_equal(rooms->n_triangles, n);
    remove_triangles(rooms, 4, 2); /* y = 0 at the first room */
    assert_int_equal(firn_mesh_is_open(rooms), 1);
    assert_int_equal(firn_mesh_close(rooms, "rooms", messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "3 edges have one face only"));
    firn_messages_destroy(messages);
    firn_mesh_destroy(rooms);
}

/* A second face on the same corners closes nothing, and a whole second skin neither. */
static void doubled_faces_close_no_holes(void **state)
{
    (void)state;
    firn_mesh *block = geometry_block((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    firn_mesh *one = geometry_joined(block, block), *all = geometry_joined(block, block);
    remove_triangles(one, 13, 11); /* all of the second but one triangle */
    geometry_invert(all, 12, 12);
    assert_int_equal(firn_mesh_weld(one, "a mesh", NULL), FIRN_OK);
    assert_int_equal(firn_mesh_weld(all, "a mesh", NULL), FIRN_OK);
    assert_int_equal(firn_mesh_is_open(one), 0);
    assert_int_equal(firn_mesh_close(one, "one", NULL), FIRN_OK);
    assert_int_equal(one->n_triangles, 13);
    assert_int_equal(firn_mesh_is_open(all), 0);
    remove_triangles(all, 22, 2);
    remove_triangles(all, 10, 2); /* the lids of both */
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_mesh_is_open(all), 1);
    assert_int_equal(firn_mesh_close(all, "all", messages), FIRN_REFUSED);
    assert_true(scratch_says(
        messages, "4 edges have one face only, around a hole 1.41 m across at (0.5, 0.5, 1)"));
    firn_messages_destroy(messages);
    firn_mesh_destroy(block);
    firn_mesh_destroy(one);
    firn_mesh_destroy(all);
}

static void large_holes_are_refused_with_their_place(void **state)
{
    (void)state;
    firn_mesh *block = geometry_block((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    remove_triangles(block, 10, 2); /* the face z = 1 */
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_mesh_close(block, "lid.obj", messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "lid.obj"));
    assert_true(scratch_says(messages, "(0.5, 0.5, 1)"));
    assert_true(scratch_says(messages, "thickness"));
    firn_messages_destroy(messages);
    firn_mesh_destroy(block);
}

/* A block with a notch along its edge: an L that goes up by 1 */
static firn_mesh *notched(void)
{
    static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const uint32_t lid[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
    firn_mesh *mesh = firn_mesh_create(12, 20);
    for (int p = 0; p < 12; p++)
        memcpy(mesh->xyz + 3 * p, (double[3]){outline[p % 6][0], outline[p % 6][1], p / 6}, 24);
    uint32_t *t = mesh->triangles;
    for (int k = 0; k < 4; k++) {
        memcpy(t, (uint32_t[3]){lid[k][2], lid[k][1], lid[k][0]}, 12);
        t += 3;
        memcpy(t, (uint32_t[3]){lid[k][0] + 6, lid[k][1] + 6, lid[k][2] + 6}, 12);
        t += 3;
    }
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t next = (k + 1) % 6;
        memcpy(t, (uint32_t[6]){k, next, next + 6, k, next + 6, k + 6}, 24);
        t += 6;
    }
    return mesh;
}

static firn_mesh *with_quad(const firn_mesh *mesh, const double corners[4][3])
{
    firn_mesh *quad = firn_mesh_create(4, 2);
    memcpy(quad->xyz, corners, 96);
    memcpy(quad->triangles, (uint32_t[6]){0, 1, 2, 0, 2, 3}, 24);
    firn_mesh *joined = geometry_joined(mesh, quad);
    firn_mesh_destroy(quad);
    return joined;
}

/* A loose quad inside of a closed shell changes nothing and is left out, with its place, also
 * when the shell has a small hole. Outside, through a wall, across a notch and in what is open
 * itself it is refused. */
static void loose_sheets_inside(void **state)
{
    (void)state;
    static const struct {
        double quad[4][3];
        const char *says;
    } cases[] = {
        {{{0.2, 0.2, 0.2}, {0.8, 0.2, 0.2}, {0.8, 0.8, 0.6}, {0.2, 0.8, 0.6}}, NULL},
        {{{0.5, 0.25, 0.5}, {1.75, 0.25, 0.5}, {1.75, 0.75, 0.5}, {0.5, 0.75, 0.5}}, NULL},
        {{{3, 0.2, 0.2}, {3.6, 0.2, 0.2}, {3.6, 0.8, 0.2}, {3, 0.8, 0.2}}, "(3.3, 0.5, 0.2)"},
        {{{1.2, 1.2, 0.5}, {1.8, 1.2, 0.5}, {1.8, 1.8, 0.5}, {1.2, 1.8, 0.5}},
         "(1.5, 1.5, 0.5)"}, /* in the notch */
        {{{0.2, 0.2, 0.5}, {0.8, 0.2, 0.5}, {0.8, 0.8, 1.5}, {0.2, 0.8, 1.5}},
         "(0.5, 0.5, 1)"}, /* through the lid */
        {{{0.9, 1.8, 0.3}, {1.8, 0.9, 0.3}, {0.2, 0.1, 0.7}, {0.1, 0.2, 0.7}},
         "(0.75, 0.75, 0.5)"}, /* across it */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int hole = 0; hole < 3; hole++) { /* none, a small one in an own shell, a large one */
            firn_mesh *block = notched(), *ball = geometry_sphere(40, 0.3, -1, 0.5, 0.5), *mesh;
            if (hole == 1) {
                remove_triangles(ball, 0, 80);
                mesh = geometry_joined(block, ball);
                firn_mesh_destroy(block);
                block = mesh;
            }
            if (hole == 2) remove_triangles(block, 18, 2);
            mesh = with_quad(block, cases[k].quad);
            firn_messages *messages = firn_messages_create();
            firn_status status = firn_mesh_close(mesh, "a mesh", messages);
            assert_int_equal(status, cases[k].says || hole == 2 ? FIRN_REFUSED : FIRN_OK);
            if (status == FIRN_OK) {
                assert_int_equal(firn_messages_count(messages, FIRN_WARNING), 1 + hole);
                assert_true(scratch_says(messages,
                                         k ? "around (1.125, 0.5, 0.5) lies inside a closed shell"
                                           : "around (0.5, 0.5, 0.4) lies inside a closed shell"));
                assert_true(!hole || scratch_says(messages, "1 hole is closed"));
                assert_int_equal(firn_mesh_is_open(mesh), 0);
                assert_true(fabs(firn_mesh_volume(mesh) - 3 - (hole ? 0.1128 : 0)) < 1e-3);
                assert_true(hole || mesh->n_triangles == 20);
            } else if (hole < 2)
                assert_true(scratch_says(messages, cases[k].says));
            firn_messages_destroy(messages);
            firn_mesh_destroy(block);
            firn_mesh_destroy(ball);
            firn_mesh_destroy(mesh);
        }
}

/* Whatever allocation fails: a sentence, and the mesh as it was. */
static void no_memory_for_sheets(void **state)
{
    (void)state;
    firn_mesh *block = notched();
    firn_mesh *mesh = with_quad(
        block, (const double[4][3]){{.2, .2, .2}, {.8, .2, .2}, {.8, .8, .6}, {.2, .8, .6}});
    firn_status status = FIRN_MEMORY;
    int fail = 0;
    while (status) {
        firn_messages *messages = firn_messages_create();
        firn_memory_fail_after(++fail);
        status = firn_mesh_close(mesh, "a mesh", messages);
        firn_memory_fail_after(0);
        assert_true(status == FIRN_OK ||
                    (status == FIRN_MEMORY && firn_messages_count(messages, FIRN_ERROR) == 1));
        assert_in_range(fail, 1, 100);
        firn_messages_destroy(messages);
    }
    assert_true(fail > 20);
    assert_int_equal(mesh->n_triangles, 20);
    firn_mesh_destroy(block);
    firn_mesh_destroy(mesh);
}

static void a_mesh_of_lines_is_refused(void **state)
{
    (void)state;
    firn_mesh *mesh = firn_mesh_create(3, 1); /* three points at one place */
    mesh->triangles[1] = 1;
    mesh->triangles[2] = 2;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_mesh_weld(mesh, "lines.obj", messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "lines.obj: no face has three different corners"));
    firn_messages_destroy(messages);
    firn_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_from_formulas_are_closed),
        cmocka_unit_test(welding),
        cmocka_unit_test(small_holes_are_closed),
        cmocka_unit_test(rounding_is_no_hole),
        cmocka_unit_test(slits_are_closed),
        cmocka_unit_test(flaps_are_closed),
        cmocka_unit_test(walls_inside_are_no_holes),
        cmocka_unit_test(doubled_faces_close_no_holes),
        cmocka_unit_test(large_holes_are_refused_with_their_place),
        cmocka_unit_test(loose_sheets_inside),
        cmocka_unit_test(no_memory_for_sheets),
        cmocka_unit_test(a_mesh_of_lines_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
