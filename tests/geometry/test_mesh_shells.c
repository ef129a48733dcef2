/* SPDX-License-Identifier: MIT */
/* Which shells are cavities: nests of balls, inverted, crossing, doubled, beside each other. */
#include "geometry/mesh/mesh_shells.h"
#include "base/memory.h"
#include "geometry/mesh/mesh_close.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/geometry.h"
#include "support/scratch.h"

enum { MAX_BALLS = 8 };

typedef struct ball {
    double radius, x;
    int is_inverted, level; /* the level that is expected */
} ball;

static void add(firn_mesh **mesh, firn_mesh *more, int is_inverted)
{
    if (is_inverted) geometry_invert(more, 0, more->n_triangles);
    firn_mesh *joined = *mesh ? geometry_joined(*mesh, more) : more;
    if (*mesh) {
        firn_mesh_destroy(*mesh);
        firn_mesh_destroy(more);
    }
    *mesh = joined;
}

/* The levels of balls along x, and how often a warning is given */
static int shells_of(const ball *balls, int n, int64_t ends[MAX_BALLS], uint8_t **levels,
                     firn_mesh **mesh, firn_messages *messages)
{
    int n_levels;
    *mesh = NULL;
    for (int k = 0; k < n; k++) {
        add(mesh, geometry_sphere(8 + k, balls[k].radius, balls[k].x, 0.3, -2),
            balls[k].is_inverted);
        ends[k] = (*mesh)->n_triangles;
    }
    *levels = malloc((size_t)(*mesh)->n_triangles);
    assert_int_equal(firn_mesh_shells(*mesh, "balls", *levels, &n_levels, messages), FIRN_OK);
    return n_levels;
}

static void nests(void **state)
{
    (void)state;
    static const struct {
        ball balls[MAX_BALLS];
        int n_levels, n_warnings;
    } nests[] = {
        {{{1, 0, 0, 0}}, 1, 0},
        {{{1, 0, 1, 0}}, 1, 0},
        {{{1, 0, 0, 0}, {0.5, 0.2, 0, 0}}, 1, 0}, /* looking the same way: a part */
        {{{1, 0, 0, 0}, {0.5, 0.2, 1, 1}}, 2, 0}, /* a cavity */
        {{{1, 0, 1, 0}, {0.5, 0.2, 0, 1}}, 2, 0}, /* both inverted */
        {{{0.5, 0.2, 1, 1}, {1, 0, 0, 0}}, 2, 0}, /* the cavity first */
        {{{1, 0, 0, 0}, {0.4, 0.5, 1, 1}, {0.4, -0.5, 1, 1}}, 2, 0}, /* two of them */
        {{{1, 0, 0, 0}, {0.8, 0, 1, 1}, {0.6, 0, 0, 2}, {0.4, 0, 1, 3}, {0.2, 0, 0, 4}}, 5, 0},
        {{{0.2, 0, 1, 4}, {0.8, 0, 0, 1}, {0.6, 0, 1, 2}, {0.4, 0, 0, 3}, {1, 0, 1, 0}}, 5, 0},
        {{{1, 0, 0, 0}, {1, 1, 1, 0}}, 1, 0},     /* crossing: a union whichever way they look */
        {{{1, 0, 0, 0}, {0.5, 0.8, 1, 0}}, 1, 0}, /* pokes out: a union */
        {{{1, 0, 0, 0}, {0.5, 3, 1, 0}}, 1, 0},   /* beside it */
        {{{1, 0, 0, 0}, {0.5, 0, 1, 1}, {0.3, 0.4, 0, 2}},
         3,
         0}, /* a solid across the wall of a cavity */
        {{{0.3, 0.4, 0, 2}, {1, 0, 0, 0}, {0.5, 0, 1, 1}}, 3, 0},
        {{{1, 0, 0, 0}, {1, 0.5, 0, 0}, {0.2, 0.25, 1, 0}},
         1,
         1}, /* a cavity of one that the other one fills? */
        {{{1, 0, 0, 0}, {1, 0.5, 1, 0}, {0.2, 0.25, 1, 0}}, 1, 1},
        {{{1, 0, 0, 0}, {1, 0.5, 0, 0}, {0.2, -0.7, 1, 1}}, 2, 0}, /* of one alone */
    };
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        const ball *balls = nests[i].balls;
        int n = 0;
        while (n < MAX_BALLS && balls[n].radius > 0) n++;
        int64_t ends[MAX_BALLS];
        uint8_t *levels;
        firn_mesh *mesh;
        firn_messages *messages = firn_messages_create();
        int n_levels = shells_of(balls, n, ends, &levels, &mesh, messages);
        for (int k = 0; k < n; k++)
            for (int64_t t = k ? ends[k - 1] : 0; t < ends[k]; t++)
                if (levels[t] != balls[k].level)
                    fail_msg("nest %zu, ball %d: level %d", i, k, levels[t]);
        assert_int_equal(n_levels, nests[i].n_levels);
        assert_int_equal(firn_messages_count(messages, FIRN_WARNING), nests[i].n_warnings);
        if (nests[i].n_warnings) assert_true(scratch_says(messages, "around (0.25, 0.3, -2)"));
        firn_messages_destroy(messages);
        firn_mesh_destroy(mesh);
        free(levels);
    }
}

/* Faces that do not agree: the inner shell is filled, with a word. A doubled skin alone needs none.
 */
static void faces_that_do_not_agree(void **state)
{
    (void)state;
    for (int which = 0; which < 4;
         which++) { /* some of the outer, of the inner; all of the inner twice; the outer */
        firn_mesh *outer = geometry_sphere(12, 1, 0, 0, 0),
                  *inner = geometry_sphere(8, 0.5, 0, 0.1, 0), *mesh = NULL;
        firn_mesh *twice = which == 2 ? inner : outer;
        if (which < 2) geometry_invert(which ? inner : outer, 3, 2);
        if (which > 1) {
            firn_mesh *both = geometry_joined(twice, twice);
            geometry_invert(both, twice->n_triangles, twice->n_triangles);
            firn_mesh_destroy(twice);
            *(which == 2 ? &inner : &outer) = both;
        }
        add(&mesh, outer, 0);
        add(&mesh, inner, which != 2);
        assert_int_equal(firn_mesh_weld(mesh, "a mesh", NULL), FIRN_OK);
        uint8_t *levels = malloc((size_t)mesh->n_triangles);
        int n_levels;
        firn_messages *messages = firn_messages_create();
        assert_int_equal(firn_mesh_shells(mesh, "doubt", levels, &n_levels, messages), FIRN_OK);
        assert_int_equal(n_levels, 1);
        assert_int_equal(firn_messages_count(messages, FIRN_WARNING), 1);
        assert_true(scratch_says(messages, "doubt: a closed shell of"));
        assert_true(scratch_says(messages, "around (0, 0.1, 0) lies inside another one"));
        assert_int_equal(firn_mesh_shells(mesh, NULL, levels, &n_levels, messages), FIRN_OK);
        assert_int_equal(firn_messages_count(messages, FIRN_WARNING),
                         1); /* without a name in silence */
        firn_messages_destroy(messages);
        free(levels);
        firn_mesh_destroy(mesh);
    }
}

/* Rays along edges, through corners and in the planes of faces: blocks on a lattice in blocks on
 * it. */
static void blocks_on_a_lattice(void **state)
{
    (void)state;
    firn_mesh *mesh = NULL;
    add(&mesh, geometry_block((double[3]){-4, -4, -4}, (double[3]){4, 4, 4}), 0);
    for (int i = 0; i < 27; i++) {
        double low[3] = {2 * (i % 3) - 3, 2 * (i / 3 % 3) - 3, 2 * (i / 9) - 3}, high[3];
        for (int a = 0; a < 3; a++) high[a] = low[a] + 1;
        add(&mesh, geometry_block(low, high), i % 2);
    }
    uint8_t *levels = malloc((size_t)mesh->n_triangles);
    int n_levels;
    assert_int_equal(firn_mesh_shells(mesh, "lattice", levels, &n_levels, NULL), FIRN_OK);
    assert_int_equal(n_levels, 2);
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        assert_int_equal(levels[t], t < 12 ? 0 : (t / 12 - 1) % 2);
    free(levels);
    firn_mesh_destroy(mesh);
}

static void no_memory(void **state)
{
    (void)state;
    static const ball balls[2] = {{1, 0, 0, 0}, {0.5, 0, 1, 1}};
    int64_t ends[MAX_BALLS];
    uint8_t *levels;
    firn_mesh *mesh;
    assert_int_equal(shells_of(balls, 2, ends, &levels, &mesh, NULL), 2);
    firn_status status = FIRN_MEMORY;
    int fail = 0, n_levels = 0;
    while (status) {
        firn_memory_fail_after(++fail);
        status = firn_mesh_shells(mesh, NULL, levels, &n_levels, NULL);
        firn_memory_fail_after(0);
        assert_true(status == FIRN_OK || status == FIRN_MEMORY);
        assert_in_range(fail, 1, 100);
    }
    assert_true(fail > 10 && n_levels == 2);
    free(levels);
    firn_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nests),
        cmocka_unit_test(faces_that_do_not_agree),
        cmocka_unit_test(blocks_on_a_lattice),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
