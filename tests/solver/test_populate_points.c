/* SPDX-License-Identifier: MIT */
/* test_populate_points.c: caches and files of other programs as bodies: every attribute in use
 * comes out as it went in, and every invalid one is refused with a message. */
#include "firn/firn.h"
#include "support/running.h"
#include "points/format.h"
#include "solver/attributes.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def materials[2];
    firn_shape_def shape;
    firn_body_def body;
    firn_run_options options;
} setup;

static void make(setup *s)
{
    *s = (setup){firn_scene_default(),
                 {firn_material_default(), firn_material_default()},
                 firn_shape_default(),
                 firn_body_default(),
                 firn_run_options_default()};
    strcpy(s->materials[0].name, "white");
    strcpy(s->materials[0].law, "snow");
    strcpy(s->materials[1].name, "grey");
    strcpy(s->materials[1].law, "neo_hookean");
    strcpy(s->shape.kind, "sphere");
    s->shape.radius = 0.3;
    s->shape.center[1] = 0.32;
    strcpy(s->body.name, "ball");
    strcpy(s->body.material, "white");
    s->body.shapes = &s->shape;
    s->body.n_shapes = 1;
    s->body.velocity[1] = -3;
    s->scene.grid.dx = 0.1;
    s->scene.n_materials = 2;
    s->scene.materials = s->materials;
    s->scene.n_bodies = 1;
    s->scene.bodies = &s->body;
    s->scene.grid.has_box = 1;
    for (int a = 0; a < 3; a++) {
        s->scene.grid.box_min[a] = a == 1 ? 0 : -2;
        s->scene.grid.box_max[a] = 2;
    }
    s->scene.grid.walls[2] = FIRN_WALL_SEPARATE;
}

static void from_file(setup *s, const char *path)
{
    s->body.n_shapes = 0;
    s->body.shapes = NULL;
    s->body.velocity[1] = 0;
    strcpy(s->body.points, path);
}

/* A ball of snow is crushed on a floor, written as a cache and read as a body: every number is
 * there again, and both go on alike. */
static void a_cache_is_a_body(void **state)
{
    (void)state;
    static const char *const endings[] = {"bgeo", "bgeo.gz", "ply", "vtp"};
    static const char *const names[] = {"P", "v", "F", "C", "T", "mass", "volume", "Jp", "stress"};
    for (int e = 0; e < 4; e++) {
        setup s;
        make(&s);
        firn_sim *sim = running_start(&s.scene, &s.options);
        assert_int_equal(firn_sim_advance_to(sim, 0.03, NULL), FIRN_OK);
        firn_points *points;
        char name[64];
        snprintf(name, sizeof name, "ball.%s", endings[e]);
        const char *attributes = "P v F C T mass volume material Jp";
        assert_int_equal(firn_snapshot_take(sim, attributes, 1, &points, NULL), FIRN_OK);
        assert_int_equal(firn_format_write(scratch(name), points, NULL, NULL), FIRN_OK);
        firn_points_destroy(points);
        from_file(&s, scratch(name));
        if (e) s.body.material[0] = 0; /* the attribute says it */
        firn_sim *again = running_start(&s.scene, &s.options);
        int64_t n = firn_sim_n_particles(sim);
        assert_int_equal(firn_sim_n_particles(again), n);
        double changed = 0;
        for (int k = 0; k < 9; k++) {
            double *a = running_copy(sim, names[k]), *b = running_copy(again, names[k]), scale = 0;
            int n_components = firn_attribute_components(names[k]);
            for (int64_t i = 0; i < n * n_components; i++) scale = fmax(scale, fabs(a[i]));
            for (int64_t i = 0; i < n * n_components; i++)
                assert_true(fabs(a[i] - b[i]) <= 1e-5 * scale);
            for (int64_t i = 0; i < n && k == 7; i++) changed = fmax(changed, fabs(a[i] - 1));
            free(a);
            free(b);
        }
        assert_true(changed > 0.01); /* it was crushed, or nothing was shown */
        firn_ledger la, lb;
        assert_int_equal(firn_sim_advance_to(sim, 0.06, NULL), FIRN_OK);
        assert_int_equal(firn_sim_advance_to(again, 0.03, NULL), FIRN_OK);
        assert_int_equal(firn_sim_ledger(sim, -1, &la, NULL), FIRN_OK);
        assert_int_equal(firn_sim_ledger(again, -1, &lb, NULL), FIRN_OK);
        assert_true(fabs(la.mass / lb.mass - 1) < 1e-5);
        assert_true(fabs(la.center[1] - lb.center[1]) < 1e-4);
        assert_true(fabs(la.kinetic - lb.kinetic) < 0.01 * la.kinetic);
        firn_sim_destroy(sim);
        firn_sim_destroy(again);
    }
}

/* ---------------------------------------------------------------- made by hand */

/* n points in a row, 5 cm apart */
static firn_points *row(int64_t n)
{
    firn_points *points = firn_points_create(n);
    firn_attribute *P = firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    for (int64_t i = 0; i < n; i++) {
        P->data.f[3 * i] = 0.05f * (float)i;
        P->data.f[3 * i + 1] = 1;
    }
    return points;
}

static float *add(firn_points *points, const char *name, int n_components)
{
    return firn_points_add(points, name, FIRN_ATTRIBUTE_FLOAT, n_components)->data.f;
}

static const char *store(firn_points *points)
{
    const char *path = scratch("row.bgeo");
    assert_int_equal(firn_format_write(path, points, NULL, NULL), FIRN_OK);
    firn_points_destroy(points);
    return path;
}

/* What the file does not say comes from the body: volume from pscale or the spacing, mass from
 * the density. */
static void what_is_missing_is_filled_in(void **state)
{
    (void)state;
    for (int with_pscale = 0; with_pscale < 2; with_pscale++) {
        setup s;
        make(&s);
        firn_points *points = row(20);
        float *pscale = with_pscale ? add(points, "pscale", 1) : NULL;
        for (int i = 0; pscale && i < 20; i++) pscale[i] = 0.02f;
        from_file(&s, store(points));
        s.body.spacing = 0.03;
        s.body.velocity[0] = 2;
        s.body.spin[2] = 1;
        s.body.temperature = 260;
        firn_sim *sim = running_start(&s.scene, &s.options);
        double *volume = running_copy(sim, "volume"), *mass = running_copy(sim, "mass"),
               *v = running_copy(sim, "v"), *T = running_copy(sim, "T");
        for (int i = 0; i < 20; i++) {
            assert_true(fabs(volume[i] / pow(with_pscale ? 0.04 : 0.03, 3) - 1) < 1e-5);
            assert_true(fabs(mass[i] / volume[i] / 400 - 1) < 1e-5); /* snow's density */
            assert_true(fabs(v[3 * i] - 2) < 1e-5 &&
                        fabs(v[3 * i + 1] - (0.05 * i - 0.475)) < 1e-5);
            assert_true(fabs(T[i] - 260) < 1e-3);
        }
        free(volume);
        free(mass);
        free(v);
        free(T);
        firn_sim_destroy(sim);
    }
}

/* Two materials in one file, and a painted modulus: under the same F the stress follows E. */
static void materials_and_painted_parameters(void **state)
{
    (void)state;
    setup s;
    make(&s);
    firn_points *points = row(40);
    firn_attribute *material = firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1);
    firn_attribute_intern(material, "grey");
    firn_attribute_intern(material, "white");
    for (int i = 0; i < 40; i++) material->data.i[i] = i % 2;
    float *F = add(points, "F", 9), *E = add(points, "E", 1);
    for (int i = 0; i < 40; i++) {
        F[9 * i] = 1.001f;
        F[9 * i + 4] = F[9 * i + 8] = 1;
        E[i] = i < 20 ? 2e4f : 6e4f;
    }
    from_file(&s, store(points));
    s.body.material[0] = 0;
    firn_sim *sim = running_start(&s.scene, &s.options);
    double *stress = running_copy(sim, "stress"), *id = running_copy(sim, "material_id"),
           *P = running_copy(sim, "P");
    int n_white = 0;
    double sum[2][2] = {{0, 0}, {0, 0}}; /* [material][soft, hard] */
    for (int i = 0; i < 40; i++) {
        n_white += id[i] == 0;
        sum[(int)id[i]][P[3 * i] > 0.97] += stress[6 * i];
    }
    assert_int_equal(n_white, 20);
    for (int m = 0; m < 2; m++) assert_true(fabs(sum[m][1] / sum[m][0] - 3) < 1e-3);
    /* uniaxial strain of 0.001: (lambda + 2 mu) 0.001, snow's Poisson ratio is 0.2 */
    assert_true(fabs(sum[0][0] / 10 / (2e4 * 0.8 / (1.2 * 0.6) * 1e-3) - 1) < 0.01);
    free(stress);
    free(id);
    free(P);
    firn_sim_destroy(sim);
}

/* ---------------------------------------------------------------- what is not used */

static void expect_warned(setup *s, const char *words)
{
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    assert_int_equal(firn_sim_create(&s->scene, &s->options, &sim, messages), FIRN_OK);
    if (firn_messages_total(messages) != (words ? 1 : 0) ||
        (words && !scratch_says(messages, words)))
        fail_msg("%s: %s", words ? words : "nothing", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

/* Without a law's own field the attribute that shows its quantity sets it: sand stores ln Jp. */
static void quantities_of_the_history_are_read(void **state)
{
    (void)state;
    for (int has_own = 0; has_own < 2; has_own++) {
        setup s;
        make(&s);
        strcpy(s.materials[0].law, "sand");
        firn_points *points = row(10);
        float *Jp = add(points, "Jp", 1);
        for (int i = 0; i < 10; i++) Jp[i] = 1.25f;
        float *gain = has_own ? add(points, "volume_gain", 1) : NULL;
        for (int i = 0; i < 10 && gain; i++) gain[i] = 0.5f;
        from_file(&s, store(points));
        firn_sim *sim = running_start(&s.scene, &s.options);
        double *J = running_copy(sim, "Jp");
        assert_true(fabs(J[3] - (has_own ? exp(0.5) : 1.25)) < 1e-6);
        free(J);
        firn_sim_destroy(sim);
    }
}

static void unused_attributes_are_told(void **state)
{
    (void)state;
    const struct {
        const char *names[2], *words;
        float value;
    } cases[] = {
        {{"vx", "vy"}, "body 'ball': attributes vx, vy of ", 1},
        {{"youngs"},
         "row.bgeo is ignored; allowed: P, v, F, C, T, mass, volume, pscale, material (a",
         1e4f},
        {{"alpha"}, "attribute alpha of", 1}, /* of another law */
        {{"material"}, "attribute material of", 1},
        {{"material_id", "foo"}, "attributes material_id, foo of", 1},
        {{"T"}, "body 'ball': its temperature has no effect, as each point of", 260},
        {{"alpha"}, NULL, 0}, /* where it begins, as caches of several laws have it */
        {{"Jp", "E"}, NULL, 1e3f},
        {{"pscale", "id"}, NULL, 0.02f},
        {{"source", "J"}, NULL, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setup s;
        make(&s);
        firn_points *points = row(10);
        for (int k = 0; k < 2 && cases[i].names[k]; k++) {
            float *values = add(points, cases[i].names[k], 1);
            for (int j = 0; j < 10; j++) values[j] = cases[i].value;
        }
        from_file(&s, store(points));
        s.body.temperature = 250;
        expect_warned(&s, cases[i].words);
    }
    setup s;
    make(&s);
    firn_points *points = row(10);
    float *F = add(points, "F", 9);
    for (int i = 0; i < 10; i++) F[9 * i] = F[9 * i + 4] = F[9 * i + 8] = 1;
    from_file(&s, store(points));
    expect_warned(&s, NULL);
    s.body.F[0] = 1.1;
    expect_warned(&s, "body 'ball': its F has no effect, as each point of");
}

/* ---------------------------------------------------------------- refusals */

static void expect_refused(setup *s, const char *words)
{
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    assert_int_not_equal(firn_sim_create(&s->scene, &s->options, &sim, messages), FIRN_OK);
    assert_null(sim);
    assert_true(scratch_says(messages, words));
    firn_messages_destroy(messages);
}

static void refused_attributes(void **state)
{
    (void)state;
    const struct {
        const char *name, *words;
        int n_components;
        float value;
    } bad[] = {
        {"v", "attribute v has 2 floats per point; allowed: 3 numbers", 2, 0},
        {"v", "point 7: v is out of range (nan); allowed: finite, at most 1e+09 in size", 3, NAN},
        {"F", "point 0: det F is not positive (0)", 9, 0},
        {"F", "attribute F has 3 floats per point; allowed: 9 numbers", 3, 1},
        {"T", "point 0: T is out of range (0); allowed: finite, above 0, at most 100000", 1, -5},
        {"mass", ": mass is out of range (0); allowed: finite, above 0, at most 1e+24", 1, 0},
        {"volume", "point 7: volume is out of range (-3); allowed: finite, above 0, at most 1e+18",
         1, -3},
        {"Jp", "point 7: Jp is out of range (inf); allowed: finite, at most 1e+30 in size", 1,
         INFINITY},
        {"v", "point 7: v is out of range (1e+20); allowed: finite, at most 1e+09 in size", 3,
         1e20f},
        {"v", "point 7: v is out of range (-1e+20); allowed: finite, at most 1e+09 in size", 3,
         -1e20f},
        {"volume",
         "point 7: volume is too large (1e+17 m^3, from its volume); allowed: up to 1 m^3, which "
         "is 1000 "
         "cells of",
         1, 1e17f},
        {"volume", "point 7: volume is too large (1.1 m^3", 1, 1.1f},
        {"mass", "point 7: volume is too large (2.5e+10 m^3, from its mass); allowed: up to 1 m^3",
         1, 1e13f},
        {"pscale", "point 7: volume is too large (8 m^3, from its pscale)", 1, 1},
        {"E", ": E is out of range (0); allowed:", 1, 0},
        {"C", "attribute C has 1 float per point; allowed: 9 numbers", 1, 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setup s;
        make(&s);
        firn_points *points = row(10);
        float *values = add(points, bad[i].name, bad[i].n_components);
        if (strstr("volume mass pscale", bad[i].name))
            for (int k = 0; k < 10; k++) values[k] = 1e-4f;
        if (!strcmp(bad[i].name, "Jp"))
            for (int k = 0; k < 10; k++) values[k] = 1;
        values[7 * bad[i].n_components] = bad[i].value;
        from_file(&s, store(points));
        expect_refused(&s, bad[i].words);
    }
}

static void refused_files(void **state)
{
    (void)state;
    setup s;
    make(&s);
    from_file(&s, scratch("nothing.bgeo"));
    expect_refused(&s, "nothing.bgeo");
    from_file(&s, scratch(""));
    expect_refused(&s, "unknown extension; allowed: .bgeo");
    from_file(&s, store(row(0)));
    expect_refused(&s, "no points in");
    firn_points *no_P = firn_points_create(3);
    add(no_P, "v", 3);
    /* the writer of bgeo refuses points without places itself, so a format that takes them is used
     */
    const char *ply = scratch("row.ply");
    if (firn_format_write(ply, no_P, NULL, NULL) == FIRN_OK) {
        from_file(&s, ply);
        expect_refused(&s, "P");
    }
    firn_points_destroy(no_P);
    firn_points *far = row(3);
    far->attributes[0].data.f[4] = 1e30f;
    from_file(&s, store(far));
    expect_refused(&s, "point 1: P is out of range (1e+30)");
    from_file(&s, store(row(3)));
    s.body.material[0] = 0;
    expect_refused(&s, "no material, neither in the body nor as an attribute of");
    firn_points *strange = row(3);
    firn_attribute *material = firn_points_add(strange, "material", FIRN_ATTRIBUTE_INDEX, 1);
    firn_attribute_intern(material, "mud");
    from_file(&s, store(strange));
    expect_refused(&s, "point 0: unknown material \"mud\"");
}

/* Truncated anywhere, or claiming 2^31 points, a file is refused with a message and without
 * memory. */
static void cut_files_are_survived(void **state)
{
    (void)state;
    setup s;
    make(&s);
    firn_points *points = row(10);
    add(points, "v", 3);
    const char *path = store(points);
    size_t n;
    unsigned char *data = scratch_load(path, &n);
    from_file(&s, path);
    s.options.max_memory = 64 << 20;
    for (size_t length = 0; length < n; length += length < 64 ? 1 : 13) {
        scratch_store(path, data, length);
        firn_sim *sim = NULL;
        assert_int_not_equal(firn_sim_create(&s.scene, &s.options, &sim, NULL), FIRN_OK);
    }
    data[9] = 0x7f;
    data[10] = data[11] = data[12] = 0xff; /* points in the header */
    scratch_store(path, data, n);
    expect_refused(&s, "row.bgeo");
    free(data);
}

/* What is longer than the memory that is allowed, or without a limit than half of the machine's,
 * is refused by its length alone: these files take no room on the disk, and reading one would
 * end the test. */
static void long_files_are_refused_unread(void **state)
{
    (void)state;
    static const char header[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 400000000\nproperty float x\n"
        "property float y\nproperty float z\nend_header\n";
    static const char *const endings[] = {"ply", "bgeo", "vtp", "vdb"};
    const off_t half = (off_t)sysconf(_SC_PHYS_PAGES) / 2 * (off_t)sysconf(_SC_PAGESIZE);
    for (int e = 0; e < 4; e++)
        for (int is_limited = 0; is_limited < 2; is_limited++) {
            setup s;
            char name[32];
            make(&s);
            snprintf(name, sizeof name, "long.%s", endings[e]);
            scratch_store(scratch(name), header, sizeof header - 1);
            assert_int_equal(truncate(scratch(name), is_limited ? 65 << 20 : half + (64 << 20)), 0);
            from_file(&s, scratch(name));
            s.options.max_memory = is_limited ? 64 << 20 : 0;
            expect_refused(&s, is_limited ? "too long to be held in memory (65 MiB); allowed: up "
                                            "to 64 MiB, by --max-memory"
                                          : "half of this machine's memory");
        }
    setup s; /* one that is short, but unpacks to more */
    make(&s);
    firn_points *same = firn_points_create(5000000);
    firn_points_add(same, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    assert_int_equal(firn_format_write(scratch("same.bgeo.gz"), same, NULL, NULL), FIRN_OK);
    firn_points_destroy(same);
    from_file(&s, scratch("same.bgeo.gz"));
    s.options.max_memory = 64 << 20;
    expect_refused(&s, "same.bgeo.gz: unpacks to more than may be held in memory; allowed: 64 MiB");
    /* a mesh, alone and in a sequence */
    static const char *const meshes[] = {"long.0001.obj", "long.%04d.obj"};
    scratch_store(scratch(meshes[0]), "v 0 0 0\n", 8);
    assert_int_equal(truncate(scratch(meshes[0]), 65 << 20), 0);
    for (int k = 0; k < 2; k++) {
        make(&s);
        strcpy(s.shape.kind, "mesh");
        strcpy(s.shape.file, scratch(meshes[k]));
        s.options.max_memory = 64 << 20;
        expect_refused(&s, "long.0001.obj: file too long to be held in memory (65 MiB)");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_is_a_body),
        cmocka_unit_test(what_is_missing_is_filled_in),
        cmocka_unit_test(materials_and_painted_parameters),
        cmocka_unit_test(quantities_of_the_history_are_read),
        cmocka_unit_test(unused_attributes_are_told),
        cmocka_unit_test(refused_attributes),
        cmocka_unit_test(refused_files),
        cmocka_unit_test(cut_files_are_survived),
        cmocka_unit_test(long_files_are_refused_unread),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
