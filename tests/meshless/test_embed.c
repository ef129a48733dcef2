/* SPDX-License-Identifier: MIT */
/* test_embed.c: surfaces carried by particles: exact for affine motions of a cloud, a sheet and a
 * lone particle's neighbours; normals by F^-T; texture coordinates and groups stay; polygons between
 * parts that went apart are left out; wrong files are refused with the line. */
#include "base/memory.h"
#include "base/random.h"
#include "meshless/embed.h"
#include "meshless/small3.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIDE = 6, N = SIDE * SIDE * SIDE };
static const double A[9] = {1.1, 0.2, -0.1, 0.05, 0.9, 0.15, -0.2, 0.1, 1.2}, b[3] = {3, -1, 0.5};

/* A jittered block of N particles of spacing 1 in layers along z, in falling order of ids. */
static firn_points *block(int n_layers)
{
    firn_points *p = firn_points_create(SIDE * SIDE * n_layers);
    float *P = firn_points_add(p, "P", FIRN_ATTRIBUTE_VECTOR, 3)->data.f;
    int32_t *id = firn_points_add(p, "id", FIRN_ATTRIBUTE_INT, 1)->data.i;
    float *pscale = firn_points_add(p, "pscale", FIRN_ATTRIBUTE_FLOAT, 1)->data.f;
    P = firn_points_find(p, "P")->data.f;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int a = 0; a < 3; a++)
            P[3 * i + a] =
                (float)((double)at[a] + (n_layers > 1 ? 0.3 : 0) * firn_random_unit(firn_random_mix(
                                                                       (uint64_t)(3 * i + a + 1))));
        firn_points_find(p, "id")->data.i[i] = (int32_t)(p->n - i);
        firn_points_find(p, "pscale")->data.f[i] = 0.5f;
    }
    (void)id, (void)pscale;
    return p;
}

static firn_points *moved(const firn_points *rest, double part)
{
    firn_points *p = firn_points_create(rest->n);
    firn_points_add(p, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(p, "id", FIRN_ATTRIBUTE_INT, 1);
    float *P = firn_points_find(p, "P")->data.f;
    const float *X = firn_points_find(rest, "P")->data.f;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t from = p->n - 1 - i; /* another order */
        const double x[3] = {X[3 * from], X[3 * from + 1], X[3 * from + 2]};
        double y[3];
        small3_apply(A, x, y);
        for (int a = 0; a < 3; a++)
            P[3 * i + a] = (float)(y[a] + b[a] + (a == 0 && x[0] > 2.6 ? part : 0));
        firn_points_find(p, "id")->data.i[i] = firn_points_find(rest, "id")->data.i[from];
    }
    return p;
}

static void affine(void **state)
{
    (void)state;
    for (int n_layers = 1; n_layers <= SIDE; n_layers += SIDE - 1) {
        firn_points *rest = block(n_layers), *now = moved(rest, 0);
        const double flat = n_layers == 1 ? 0 : 1,
                     x[12] = {2.2, 2.7, 2 * flat,   -0.4, 1, 0.2 * flat,
                              5.4, 5.5, 5.2 * flat, 1,    4, 3 * flat};
        double y[12], F[36];
        firn_embed *embed;
        const firn_embed_choice choice = {.n_threads = 2};
        assert_int_equal(firn_embed_bind(4, x, rest, &choice, &embed, NULL), FIRN_OK);
        assert_int_equal(firn_embed_move(embed, now, y, F, NULL), FIRN_OK);
        for (int p = 0; p < 4; p++) {
            double z[3];
            small3_apply(A, x + 3 * p, z);
            for (int a = 0; a < 3; a++) assert_true(fabs(y[3 * p + a] - z[a] - b[a]) < 1e-5);
            for (int c = 0; c < 9; c++)
                if (n_layers > 1 || c % 3 < 2) assert_true(fabs(F[9 * p + c] - A[c]) < 1e-5);
        }
        firn_embed_destroy(embed);
        firn_points_destroy(rest);
        firn_points_destroy(now);
    }
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char *surface = "# two squares\n"
                             "mtllib paint.mtl\n"
                             "v 1 1 1 .5 .5 .5\nv 2 1 1\nv 2 2 1\nv 1 2 1\nv 4 1 1\nv 4 2 1\n"
                             "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                             "vn 0 0 1\n"
                             "g left\nusemtl red\n"
                             "f 1/1/1 2/2/1 3/3/1 4/4/1\n"
                             "g right\n"
                             "f 2 5 6 3\n"
                             "f -6//1 -5//1 -4//1\n";

static char *run(const firn_points *rest, const firn_points *now, double tear)
{
    const char *in = scratch("in.obj"), *out = scratch("out.obj");
    firn_embed_mesh *mesh;
    firn_embed *embed;
    const double *x;
    write_text(in, surface);
    assert_int_equal(firn_embed_mesh_read(in, &mesh, NULL), FIRN_OK);
    const int64_t n = firn_embed_mesh_points(mesh, &x);
    assert_int_equal(n, 6);
    const firn_embed_choice choice = {.n_threads = 1, .tear = tear, .support = 2.2};
    assert_int_equal(firn_embed_bind(n, x, rest, &choice, &embed, NULL), FIRN_OK);
    double y[18], F[54];
    assert_int_equal(firn_embed_move(embed, now, y, F, NULL), FIRN_OK);
    assert_int_equal(firn_embed_mesh_write(mesh, embed, y, F, out, NULL), FIRN_OK);
    firn_embed_destroy(embed);
    firn_embed_mesh_destroy(mesh);
    char *text = calloc(1, 4096);
    FILE *file = fopen(out, "r");
    assert_true(fread(text, 1, 4095, file) > 100);
    fclose(file);
    return text;
}

static void files(void **state)
{
    (void)state;
    firn_points *rest = block(SIDE), *now = moved(rest, 0), *apart = moved(rest, 4);
    char *text = run(rest, now, 0);
    double v[3], n[3], turned[9], expected[3];
    assert_int_equal(sscanf(text, "v %lf %lf %lf .5 .5 .5", v, v + 1, v + 2), 3);
    for (int a = 0; a < 3; a++)
        assert_true(fabs(v[a] - b[a] - A[3 * a] - A[3 * a + 1] - A[3 * a + 2]) < 1e-5);
    assert_non_null(strstr(text, "\nmtllib paint.mtl\n"));
    assert_non_null(strstr(text, "\nvt 1 1\n"));
    assert_non_null(strstr(text, "\ng left\nusemtl red\nvn "));
    assert_non_null(strstr(text, "\nf 1/1/1 2/2/2 3/3/3 4/4/4\n"));
    assert_non_null(strstr(text, "\nf 2//5 5//6 6//7 3//8\n"));
    assert_non_null(strstr(text, "\nf 1//9 2//10 3//11\n"));
    assert_int_equal(sscanf(strstr(text, "\nvn "), " vn %lf %lf %lf", n, n + 1, n + 2), 3);
    small3_invert_turned(A, turned);
    double size = 0;
    for (int a = 0; a < 3; a++) size += turned[3 * a + 2] * turned[3 * a + 2];
    for (int a = 0; a < 3; a++) {
        expected[a] = turned[3 * a + 2] / sqrt(size);
        assert_true(fabs(n[a] - expected[a]) < 1e-4);
    }
    free(text);
    text = run(rest, apart, 2); /* the right square is torn, the left one is not */
    assert_non_null(strstr(text, "f 1/1/1"));
    assert_null(strstr(text, "f 2//"));
    free(text);
    firn_points_destroy(rest);
    firn_points_destroy(now);
    firn_points_destroy(apart);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"v 1 2\n", ":1: a point needs three numbers"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", ":4: a face needs three"},
        {"v 0 0 0\nf 1 1\n", ":2: a face needs three"},
        {"# nothing\n", "no points"},
    };
    const char *path = scratch("wrong.obj");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        firn_messages *messages = firn_messages_create();
        firn_embed_mesh *mesh;
        write_text(path, wrong[k][0]);
        assert_int_equal(firn_embed_mesh_read(path, &mesh, messages), FIRN_REFUSED);
        assert_null(mesh);
        assert_non_null(strstr(firn_messages_text(messages, 0, NULL), wrong[k][1]));
        firn_messages_destroy(messages);
    }
    firn_points *rest = block(SIDE);
    firn_embed *embed;
    const firn_embed_choice choice = {.n_threads = 1};
    const double far[3] = {40, 0, 0};
    assert_int_equal(firn_embed_bind(1, far, rest, &choice, &embed, NULL), FIRN_REFUSED);
    firn_points_destroy(rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(affine), cmocka_unit_test(files),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
