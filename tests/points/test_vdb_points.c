/* SPDX-License-Identifier: MIT */
/* test_vdb_points.c: particles through .vdb and back, as python3-openvdb sees them, and files
 * that are no such thing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/resource.h>

#include "support/damage.h"
#include "points/format.h"
#include "support/sample_points.h"
#include "support/scratch.h"
#include "support/skip.h"

/* 20 x 20 x 20 particles, eight a cell of 0.1 m, with every type of attribute; ids count up. */
static firn_points *block_of_points(void)
{
    firn_points *p = firn_points_create(8000);
    firn_points_add(p, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(p, "v", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(p, "id", FIRN_ATTRIBUTE_INT, 1);
    firn_points_add(p, "pscale", FIRN_ATTRIBUTE_FLOAT, 1);
    firn_points_add(p, "material", FIRN_ATTRIBUTE_INDEX, 1);
    firn_points_add(p, "F", FIRN_ATTRIBUTE_FLOAT, 9);
    firn_points_add(p, "stress", FIRN_ATTRIBUTE_FLOAT, 6);
    firn_points_add(p, "pair", FIRN_ATTRIBUTE_INT, 2);
    firn_points_add(p, "T", FIRN_ATTRIBUTE_FLOAT, 1);
    firn_attribute_intern(&p->attributes[4], "snow");
    firn_attribute_intern(&p->attributes[4], "dough & more");
    firn_points_add_detail(p, "dx", FIRN_ATTRIBUTE_FLOAT, 1)->data.f[0] = 0.1f;
    firn_points_add_detail(p, "frame", FIRN_ATTRIBUTE_INT, 1)->data.i[0] = 12;
    firn_attribute *scene = firn_points_add_detail(p, "scene", FIRN_ATTRIBUTE_INDEX, 1);
    scene->data.i[0] = firn_attribute_intern(scene, "a block");
    uint32_t random = 3;
    for (int a = 5; a < 8; a++) sample_fill(&p->attributes[a], p->n, &random);
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t at[3] = {i / 400, i / 20 % 20, i % 20};
        for (int a = 0; a < 3; a++)
            p->attributes[0].data.f[3 * i + a] = 0.05f * (float)at[a] - 0.2f + 0.025f;
        p->attributes[1].data.f[3 * i] = 0.1f * (float)at[2];
        p->attributes[1].data.f[3 * i + 1] = 2;
        p->attributes[2].data.i[i] = (int32_t)(3 * i);
        p->attributes[8].data.f[i] = 260 + (float)at[1];
        p->attributes[3].data.f[i] = 0.025f;
        p->attributes[4].data.i[i] = i % 3 == 0;
    }
    return p;
}

static void comes_back(void **state)
{
    (void)state;
    firn_points *p = block_of_points(), *q = NULL;
    firn_file_receipt receipt;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_format_write(scratch("a.vdb"), p, &receipt, messages), FIRN_OK);
    size_t n;
    free(scratch_load(scratch("a.vdb"), &n));
    assert_true(receipt.n_bytes == n);
    assert_int_equal(firn_format_read(scratch("a.vdb"), &q, messages), FIRN_OK);
    assert_int_equal(q->n, p->n);
    assert_int_equal(q->n_attributes, p->n_attributes);
    for (int a = 0; a < p->n_attributes; a++) {
        const firn_attribute *x = &p->attributes[a], *y = firn_points_find(q, x->name);
        assert_non_null(y);
        assert_int_equal(x->type, y->type);
        assert_int_equal(x->n_components, y->n_components);
        for (int64_t i = 0; i < p->n * x->n_components; i++)
            if (x->type == FIRN_ATTRIBUTE_INDEX)
                assert_string_equal(x->strings[x->data.i[i]], y->strings[y->data.i[i]]);
            else if (a == 0) /* a place is kept within its voxel: 1e-7 of it */
                assert_true(fabsf(x->data.f[i] - y->data.f[i]) < 1e-7f);
            else
                assert_memory_equal(&x->data.i[i], &y->data.i[i], 4);
    }
    assert_true(firn_points_find_detail(q, "dx")->data.f[0] == 0.1f);
    assert_int_equal(firn_points_find_detail(q, "frame")->data.i[0], 12);
    assert_string_equal(firn_points_find_detail(q, "scene")->strings[0], "a block");
    assert_int_equal(firn_messages_total(messages), 0);
    firn_points_destroy(q);
    for (int64_t count = 0; count < 2; count++) { /* none, and one */
        firn_points *few = firn_points_create(count);
        firn_points_add(few, "P", FIRN_ATTRIBUTE_VECTOR, 3);
        assert_int_equal(firn_format_write(scratch("few.vdb"), few, NULL, messages), FIRN_OK);
        assert_int_equal(firn_format_read(scratch("few.vdb"), &q, messages), FIRN_OK);
        assert_int_equal(q->n, count);
        firn_points_destroy(few);
        firn_points_destroy(q);
    }
    firn_messages_destroy(messages);
    firn_points_destroy(p);
}

/* What the volumes of the block hold, by the definition in vdb_points.cpp: a line a voxel. */
static void store_volumes(const firn_points *p, const char *path)
{
    enum {
        FIRST = -2,
        N = 11
    }; /* voxels of 0.1 m: u = (n / 2 - 1.75) for n = 0 ... 19, and the next one */
    static double sums[N][N][N][5];
    memset(sums, 0, sizeof sums);
    for (int64_t i = 0; i < p->n; i++)
        for (int corner = 0; corner < 8; corner++) {
            int at[3];
            double w = 0.125; /* pscale is a quarter of a voxel */
            for (int a = 0; a < 3; a++) {
                double u = p->attributes[0].data.f[3 * i + a] / 0.1 - FIRST, share = u - floor(u);
                at[a] = (int)floor(u) + (corner >> a & 1);
                w *= corner >> a & 1 ? share : 1 - share;
            }
            double *sum = sums[at[0]][at[1]][at[2]];
            sum[0] += w;
            sum[4] += w * p->attributes[8].data.f[i];
            for (int a = 0; a < 3; a++) sum[1 + a] += w * p->attributes[1].data.f[3 * i + a];
        }
    FILE *file = fopen(path, "w");
    for (int i = 0; i < N * N * N; i++) {
        const double *sum = sums[i / (N * N)][i / N % N][i % N];
        fprintf(file, "%d %d %d %g", FIRST + i / (N * N), FIRST + i / N % N, FIRST + i % N, sum[0]);
        for (int k = 1; k < 5; k++) fprintf(file, " %.9g", sum[k] / sum[0]);
        fprintf(file, "\n");
    }
    fclose(file);
}

/* check.py FILE.vdb VOXELS.txt NAMES...: these grids and no others, except for points; each
 * voxel's values. The fog has half precision, the temperature whole floats. (Debian's module
 * knows no grids of points: of a file with them it reads the others by name, and refuses
 * readAll.) */
static const char check[] =
    "import sys, pyopenvdb as o\n"
    "path, names = sys.argv[1], sys.argv[3:]\n"
    "rows = [[float(x) for x in line.split()] for line in open(sys.argv[2])]\n"
    "assert isinstance(o.readMetadata(path), dict)\n"
    "if path.endswith('.volumes.vdb'):\n"
    "    grids = o.readAll(path)[0]\n"
    "else:\n"
    "    grids = [o.read(path, name) for name in names]\n"
    "assert sorted(g.name for g in grids) == sorted(names), [g.name for g in grids]\n"
    "for g in grids:\n"
    "    assert abs(g.transform.voxelSize()[0] - 0.1) < 1e-6\n"
    "    assert g.activeVoxelCount() == len(rows), (g.name, g.activeVoxelCount())\n"
    "    at = g.getConstAccessor()\n"
    "    for r in rows:\n"
    "        is_on = at.probeValue(tuple(int(i) for i in r[:3]))\n"
    "        x = is_on[0] if g.name == 'v' else [is_on[0]]\n"
    "        y = {'density': r[3:4], 'v': r[4:7], 'T': r[7:]}[g.name]\n"
    "        assert is_on[1], (g.name, r)\n"
    "        assert all(abs(a - b) < 2e-3 for a, b in zip(x, y)), (g.name, r, x)\n";

static void python_reads_it(void **state)
{
    (void)state;
    if (system("/usr/bin/python3 -c 'import pyopenvdb' 2>/dev/null") != 0)
        SKIP("python3-openvdb is not installed");
    firn_points *p = block_of_points();
    store_volumes(p, scratch("voxels.txt"));
    scratch_store(scratch("check.py"), check, sizeof check - 1);
    static const char *const names[] = {"b.vdb", "b.volumes.vdb"};
    for (int k = 0; k < 2; k++) {
        char command[2048];
        assert_int_equal(firn_format_write(scratch(names[k]), p, NULL, NULL), FIRN_OK);
        snprintf(command, sizeof command, "/usr/bin/python3 '%s' '%s' '%s' density v T",
                 scratch("check.py"), scratch(names[k]), scratch("voxels.txt"));
        assert_int_equal(system(command), 0);
    }
    strcpy(p->attributes[8].name, "Jp");
    strcpy(p->attributes[1].name, "w"); /* what is not there makes no grid */
    assert_int_equal(firn_format_write(scratch("c.volumes.vdb"), p, NULL, NULL), FIRN_OK);
    char command[2048];
    snprintf(command, sizeof command, "/usr/bin/python3 '%s' '%s' '%s' density",
             scratch("check.py"), scratch("c.volumes.vdb"), scratch("voxels.txt"));
    assert_int_equal(system(command), 0);
    firn_points_destroy(p);
}

static void expect_refused(const char *path, const char *words)
{
    firn_points *p;
    firn_messages *messages = firn_messages_create();
    assert_int_not_equal(firn_format_read(path, &p, messages), FIRN_OK);
    assert_null(p);
    assert_true(scratch_says(messages, words));
    firn_messages_destroy(messages);
}

static void refusals(void **state)
{
    (void)state;
    firn_points *p = block_of_points();
    firn_messages *messages = firn_messages_create();
    expect_refused(scratch("none.vdb"), "no such file or folder");
    mkdir(scratch("folder.vdb"), 0700);
    expect_refused(scratch("folder.vdb"), "a folder, not a file");
    scratch_store(scratch("empty.vdb"), "", 0);
    expect_refused(scratch("empty.vdb"), "it ends");
    scratch_store(scratch("mesh.vdb"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 33);
    expect_refused(scratch("mesh.vdb"), "damaged, or not a .vdb file (OpenVDB: ");
    assert_int_equal(firn_format_write(scratch("a.volumes.vdb"), p, NULL, NULL), FIRN_OK);
    expect_refused(scratch("a.volumes.vdb"),
                   "files hold volumes and no points; points are needed here; allowed: .bgeo");
    assert_int_equal(rename(scratch("a.volumes.vdb"), scratch("renamed.vdb")), 0);
    expect_refused(scratch("renamed.vdb"),
                   "no points in it (there are: T (float), density (float), v (vec3s))");
    assert_int_equal(firn_format_write(scratch("whole.vdb"), p, NULL, NULL), FIRN_OK);
    size_t n;
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n);
    for (size_t length = 1; length < n; length += 1 + n / 60) {
        scratch_store(scratch("cut.vdb"), data, length); /* also of the volumes behind the points */
        expect_refused(scratch("cut.vdb"), "cut.vdb: damaged");
        assert_int_equal(firn_format_check(scratch("cut.vdb"), NULL), FIRN_IO);
    }
    free(data);
    p->attributes[0].data.f[3 * 77 + 1] = NAN;
    assert_int_equal(firn_format_write(scratch("nan.vdb"), p, NULL, messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "position of point 77 is nan m; allowed: within 1e9 m"));
    assert_int_not_equal(access(scratch("nan.vdb"), F_OK), 0);
    assert_int_not_equal(firn_format_write(scratch("no/folder/a.vdb"), p, NULL, messages), FIRN_OK);
    firn_messages_destroy(messages);
    firn_points_destroy(p);
}

/* All grids are checked, also those that are no points: here the last one, whose number of active
 * voxels is noted wrongly. */
static void checks_every_grid(void **state)
{
    (void)state;
    static const char note[] = "file_voxel_count";
    firn_points *p = block_of_points(), *q;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_format_write(scratch("whole.vdb"), p, NULL, NULL), FIRN_OK);
    assert_int_equal(firn_format_write(scratch("v.volumes.vdb"), p, NULL, NULL), FIRN_OK);
    assert_int_equal(firn_format_check(scratch("whole.vdb"), messages), FIRN_OK);
    assert_int_equal(firn_format_check(scratch("v.volumes.vdb"), messages), FIRN_OK);
    assert_int_equal(firn_messages_total(messages), 0);
    size_t n;
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n), *last = NULL;
    for (unsigned char *at = data; (at = memmem(at, n - (size_t)(at - data), note, strlen(note)));)
        last = at++;
    assert_non_null(last);
    last[strlen(note) + 4 + 5 + 4] ^= 1; /* length and name of the type, length of the value */
    scratch_store(scratch("noted.vdb"), data, n);
    assert_int_equal(firn_format_read(scratch("noted.vdb"), &q, NULL), FIRN_OK);
    firn_points_destroy(q);
    assert_int_equal(firn_format_check(scratch("noted.vdb"), messages), FIRN_IO);
    assert_true(scratch_says(messages, "has other active voxels than it says"));
    free(data);
    firn_messages_destroy(messages);
    firn_points_destroy(p);
}

/* Bytes are replaced, lost or come in at random: points, or an answer in words, and never more
 * memory than follows from the length of the file (vdb_child.hpp). */
static void scrambled_files(void **state)
{
    (void)state;
    enum { CHANGES = DAMAGE_CHANGES };
    firn_points *p = block_of_points(), *q;
    assert_int_equal(firn_format_write(scratch("whole.vdb"), p, NULL, NULL), FIRN_OK);
    size_t n;
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n), *bytes = malloc(n + DAMAGE_ROOM);
    uint32_t random = 1;
    int n_refused = 0, n_words = 0;
    for (int k = 0; k < CHANGES; k++) {
        memcpy(bytes, data, n);
        scratch_store(scratch("scrambled.vdb"), bytes, damage(bytes, n, 6000, k, &random));
        firn_messages *messages = firn_messages_create();
        if (firn_format_read(scratch("scrambled.vdb"), &q, messages) != FIRN_OK) {
            assert_null(q);
            n_refused++;
            n_words += firn_messages_total(messages) > 0;
        }
        firn_messages_destroy(messages);
        firn_points_destroy(q);
    }
    struct rusage largest;
    getrusage(RUSAGE_CHILDREN, &largest);
    assert_true(n_refused > CHANGES / 8 && n_words == n_refused);
    /* in kB: what the process had at the fork, some 50 MB, and the allowance of one file */
#ifndef FIRN_TESTS_SANITIZED /* its own memory counts too */
    assert_true(largest.ru_maxrss < ((64 + 128) << 10) + (long)n / 8);
#endif
    free(data);
    free(bytes);
    firn_points_destroy(p);
}

/* Parts that blosc says are longer than they are: refused, or unpacked as if nothing was. */
static void lengths_of_packed_parts(void **state)
{
    (void)state;
    firn_points *p = block_of_points(), *q;
    assert_int_equal(firn_format_write(scratch("whole.vdb"), p, NULL, NULL), FIRN_OK);
    size_t n, n_parts = 0;
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n);
    for (size_t at = damage_packed(data, n, 0); at < n && n_parts < 20;
         at = damage_packed(data, n, at + 16)) {
        unsigned char kept[4];
        memcpy(kept, data + at + 12, 4);
        memcpy(data + at + 12, &(int32_t){1 << 24}, 4);
        scratch_store(scratch("long.vdb"), data, n);
        firn_status status = firn_format_read(scratch("long.vdb"), &q, NULL);
        assert_true(status == FIRN_IO || status == FIRN_OK);
        for (int a = 0; a < p->n_attributes && !status; a++) {
            const firn_attribute *was = &p->attributes[a], *is = firn_points_find(q, was->name);
            if (was->type != FIRN_ATTRIBUTE_INDEX && strcmp(was->name, "P") != 0)
                assert_memory_equal(is->data.f, was->data.f,
                                    (size_t)(p->n * was->n_components) * sizeof *was->data.f);
        }
        firn_points_destroy(q);
        memcpy(data + at + 12, kept, 4);
        n_parts++;
    }
    assert_true(n_parts == 20);
    free(data);
    firn_points_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),      cmocka_unit_test(python_reads_it),
        cmocka_unit_test(refusals),        cmocka_unit_test(lengths_of_packed_parts),
        cmocka_unit_test(scrambled_files), cmocka_unit_test(checks_every_grid),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
