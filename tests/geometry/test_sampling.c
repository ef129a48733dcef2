/* SPDX-License-Identifier: MIT */
/* Points in shapes: counts and volumes that are known in closed form, the blue noise's least
 * distance, and the same answer for any number of threads. */
#include "geometry/octree.h"
#include "geometry/sampling.h"
#include "base/memory.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct cloud {
    double *xyz;
    int64_t n;
} cloud;

static firn_shape *build(const char *kind, double radius, double x, double y, double z)
{
    firn_shape_def def = {.radius = radius, .size = {x, y, z}};
    strcpy(def.kind, kind);
    firn_shape *shape = NULL;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_OK);
    return shape;
}

static cloud sample(const firn_shape *shape, firn_sampling how, double h, uint64_t seed)
{
    cloud c;
    assert_int_equal(firn_sample_shape(shape, how, h, seed, &c.xyz, &c.n, NULL), FIRN_OK);
    return c;
}

static void drop(cloud *c) { firn_memory_release(NULL, c->xyz, (size_t)c->n * 3 * sizeof(double)); }

/* Verification bars rely on this: whole multiples fill exactly, at the centres of the cubes. */
static void box_of_whole_multiples(void **unused)
{
    (void)unused;
    double h = 0.1 / 3;
    firn_shape_def def = {.center = {0.5, 0.25, 1.0}, .size = {0.3, 0.5, 0.1}};
    strcpy(def.kind, "box");
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_OK);
    cloud c = sample(shape, FIRN_REGULAR, h, 1);
    assert_int_equal(c.n, 9 * 15 * 3);
    for (int64_t p = 0; p < c.n; p++)
        for (int i = 0; i < 3; i++) {
            double cell = (c.xyz[3 * p + i] - (def.center[i] - 0.5 * def.size[i])) / h - 0.5;
            assert_true(fabs(cell - rint(cell)) < 1e-9);
        }
    drop(&c);
    firn_shape_destroy(shape);
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* The mirror image of a regular filling of a symmetric shape is the same set, to the last bit. */
static void is_symmetric(firn_sampling how)
{
    firn_shape *shape = build("sphere", 0.5, 0, 0, 0);
    cloud c = sample(shape, how, 0.0417, 1);
    double *mirror = malloc((size_t)c.n * 3 * sizeof *mirror);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(mirror, c.xyz, (size_t)c.n * 3 * sizeof *mirror);
        for (int64_t p = 0; p < c.n; p++) mirror[3 * p + axis] = -mirror[3 * p + axis] + 0.0;
        qsort(mirror, (size_t)c.n, 24, compare);
        qsort(c.xyz, (size_t)c.n, 24, compare);
        for (int64_t k = 0; k < 3 * c.n; k++) assert_true(mirror[k] == c.xyz[k]);
    }
    free(mirror);
    drop(&c);
    firn_shape_destroy(shape);
}

static void lattices_are_symmetric(void **unused)
{
    (void)unused;
    is_symmetric(FIRN_REGULAR);
    is_symmetric(FIRN_BCC);
}

/* A body-centred lattice: one point in h^3, and eight neighbours at sqrt(3)/2 a, a^3 = 2 h^3. */
static void body_centred(void **unused)
{
    (void)unused;
    const double h = 0.05, a = cbrt(2) * h, pi = 3.14159265358979323846;
    firn_shape *shape = build("sphere", 0.6, 0, 0, 0);
    cloud c = sample(shape, FIRN_BCC, h, 1);
    const double expected = 4 * pi / 3 * 0.216 / (h * h * h);
    assert_true(fabs((double)c.n - expected) < 0.02 * expected);
    int n_near = 0, n_next = 0;
    int64_t middle = 0;
    while (c.xyz[3 * middle] != 0 || c.xyz[3 * middle + 1] != 0 || c.xyz[3 * middle + 2] != 0)
        middle++;
    for (int64_t p = 0; p < c.n; p++) {
        const double *x = c.xyz + 3 * p, r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        assert_true(p == middle || r > 0.866 * a);
        n_near += fabs(r - sqrt(0.75) * a) < 1e-9 * a;
        n_next += fabs(r - a) < 1e-9 * a;
    }
    assert_int_equal(n_near, 8);
    assert_int_equal(n_next, 6);
    drop(&c);
    firn_shape_destroy(shape);
}

/* Whether cubes of edges e and f at x and y share a part of a face. */
static int share_a_face(const double *x, const double *y)
{
    const double reach = 0.5 * (x[3] + y[3]);
    int n_touch = 0, n_overlap = 0;
    for (int i = 0; i < 3; i++) {
        const double d = fabs(x[i] - y[i]);
        n_touch += fabs(d - reach) < 1e-9;
        n_overlap += d < reach - 1e-9;
    }
    return n_touch == 1 && n_overlap == 2;
}

/* The leaves of an octree have the volume of the regular lattice, which is exact for a box; those
 * that share a face differ by one level at most, and there are leaves of each size. */
static void octree(void **unused)
{
    (void)unused;
    const struct {
        firn_shape *shape;
        double volume, tolerance;
    } bodies[] = {{build("box", 0, 1.2, 1.3, 1.4), 1.2 * 1.3 * 1.4, 1e-12},
                  {build("sphere", 0.8, 0, 0, 0), 4 * M_PI / 3 * 0.512, 0.01}};
    for (int b = 0; b < 2; b++) {
        double *leaves, sum = 0;
        int64_t n, n_of[3] = {0, 0, 0};
        cloud fine = sample(bodies[b].shape, FIRN_REGULAR, 0.05, 1);
        assert_int_equal(firn_octree_sample(bodies[b].shape, 0.05, 0.21, &leaves, &n, NULL),
                         FIRN_OK);
        for (int64_t i = 0; i < n; i++) {
            const double *x = leaves + 4 * i;
            n_of[lrint(log2(x[3] / 0.05))]++;
            sum += x[3] * x[3] * x[3];
            for (int64_t k = 0; k < i; k++) {
                const double ratio = x[3] / leaves[4 * k + 3];
                if (ratio > 2.1 || ratio < 0.4) assert_false(share_a_face(x, leaves + 4 * k));
            }
        }
        assert_true(fabs(sum - bodies[b].volume) < bodies[b].tolerance * bodies[b].volume);
        assert_true(fabs(sum - 0.05 * 0.05 * 0.05 * (double)fine.n) < 1e-9);
        assert_true(n_of[0] > 100 && n_of[1] > 10 && n_of[2] > 0 && n < 0.7 * (double)fine.n);
        firn_memory_release(NULL, leaves, (size_t)n * 4 * sizeof *leaves);
        drop(&fine);
        firn_shape_destroy(bodies[b].shape);
    }
}

static void volume_within_half_a_percent(void **unused)
{
    (void)unused;
    const struct {
        firn_shape *shape;
        double volume;
    } bodies[] = {{build("sphere", 0.5, 0, 0, 0), M_PI / 6},
                  {build("ellipsoid", 0, 1, 0.7, 0.5), M_PI / 6 * 0.35},
                  {build("box", 0, 0.777, 0.613, 0.519), 0.777 * 0.613 * 0.519}};
    for (int b = 0; b < 3; b++) {
        double h = cbrt(bodies[b].volume / 100000);
        /* a lattice that does not divide a box gains or loses whole layers, so boxes are tried
         * without */
        for (int how = b == 2 ? FIRN_JITTERED : FIRN_REGULAR; how <= FIRN_POISSON; how++) {
            cloud c = sample(bodies[b].shape, (firn_sampling)how, h, 5);
            double volume = (double)c.n * h * h * h;
            assert_true(fabs(volume / bodies[b].volume - 1) < 0.005);
            for (int64_t p = 0; p < c.n; p++)
                assert_true(firn_shape_distance(bodies[b].shape, c.xyz + 3 * p, 0) < 0);
            drop(&c);
        }
        firn_shape_destroy(bodies[b].shape);
    }
}

/* Least distance over all pairs, through a hash-free grid of the bounding cube. */
static double least_distance(const cloud *c, double h, double half)
{
    int g = (int)(2 * half / h) + 3;
    int *first = malloc((size_t)g * g * g * sizeof *first),
        *next = malloc((size_t)c->n * sizeof *next);
    for (int k = 0; k < g * g * g; k++) first[k] = -1;
    double least = INFINITY;
    for (int64_t p = 0; p < c->n; p++) {
        int q[3];
        for (int i = 0; i < 3; i++) q[i] = (int)((c->xyz[3 * p + i] + half) / h) + 1;
        for (int o = 0; o < 27; o++) {
            int cell = ((q[0] + o / 9 - 1) * g + q[1] + o / 3 % 3 - 1) * g + q[2] + o % 3 - 1;
            for (int other = first[cell]; other >= 0; other = next[other]) {
                double d2 = 0;
                for (int i = 0; i < 3; i++) d2 += pow(c->xyz[3 * p + i] - c->xyz[3 * other + i], 2);
                least = fmin(least, d2);
            }
        }
        int cell = (q[0] * g + q[1]) * g + q[2];
        next[p] = first[cell];
        first[cell] = (int)p;
    }
    free(first);
    free(next);
    return sqrt(least);
}

/* Several tiles long, so that the seams between tiles are covered too. */
static void poisson_keeps_its_distance(void **unused)
{
    (void)unused;
    firn_shape *shape = build("box", 0, 2, 2, 2);
    double h = 2.0 / 70; /* 343,000 points */
    cloud c = sample(shape, FIRN_POISSON, h, 3), random = sample(shape, FIRN_JITTERED, h, 3);
    assert_true(fabs((double)c.n / 343000 - 1) < 0.005);
    assert_true(least_distance(&c, h, 1) > 0.83 * h);
    assert_true(least_distance(&random, h, 1) < 0.1 * h); /* the measure itself can tell */
    drop(&c);
    drop(&random);
    firn_shape_destroy(shape);
}

/* Blue noise has no planes: along no axis does any wave length of .25 to 1 spacing stand out.
 * Independent points would give 1 on average, blue noise up to about 3, the largest of all that
 * are asked some times that; a lattice, or points that crowd at one end of the cells they were
 * thrown into, a good part of their number. */
static void poisson_has_no_planes(void **unused)
{
    (void)unused;
    enum { ACROSS = 24 };
    firn_shape *shape = build("box", 0, 1, 1, 1);
    for (int how = FIRN_REGULAR; how <= FIRN_POISSON; how++) {
        if (how == FIRN_JITTERED) continue;
        cloud c = sample(shape, (firn_sampling)how, 1.0 / ACROSS, 7);
        double most = 0;
        for (int axis = 0; axis < 3; axis++)
            for (int wave = 2 * ACROSS; wave <= 8 * ACROSS; wave++) { /* in halves */
                double re = 0, im = 0;
                for (int64_t p = 0; p < c.n; p++) {
                    re += cos(M_PI * wave * c.xyz[3 * p + axis]);
                    im += sin(M_PI * wave * c.xyz[3 * p + axis]);
                }
                most = fmax(most, (re * re + im * im) / (double)c.n);
            }
        if (how == FIRN_REGULAR)
            assert_true(most > 0.9 * (double)c.n); /* the measure itself can tell */
        else if (most > 40)
            fail_msg("sampling %d: a wave stands out %g times", how, most);
        drop(&c);
    }
    firn_shape_destroy(shape);
}

/* Number density in a thin layer below the surface equals that of the middle. */
static void poisson_does_not_crowd_the_surface(void **unused)
{
    (void)unused;
    firn_shape *shape = build("sphere", 1, 0, 0, 0);
    double h = 0.02;
    cloud c = sample(shape, FIRN_POISSON, h, 9);
    int64_t n_skin = 0;
    for (int64_t p = 0; p < c.n; p++) n_skin += firn_shape_distance(shape, c.xyz + 3 * p, 0) > -h;
    double skin = 4 * M_PI / 3 * (1 - pow(1 - h, 3));
    assert_true(fabs((double)n_skin * h * h * h / skin - 1) < 0.02);
    drop(&c);
    firn_shape_destroy(shape);
}

/* Two densities: each layer has its own number of points for its own volume, and none of the
 * other's place. */
static void dense_below_the_surface(void **unused)
{
    (void)unused;
    firn_shape *shape = build("sphere", 0.5, 0, 0, 0);
    const double spacing[2] = {0.015, 0.03}, coarse[2] = {0.1, 0.2}, depth = 0.08;
    double whole = 4 * M_PI / 3 * 0.125, core = 4 * M_PI / 3 * pow(0.5 - depth, 3);
    int before = omp_get_max_threads();
    for (int how = FIRN_REGULAR; how <= FIRN_POISSON; how++) {
        cloud c, again;
        int64_t n_surface, same;
        omp_set_num_threads(1);
        assert_int_equal(firn_sample_layers(shape, (firn_sampling)how, spacing, depth, 8, &c.xyz,
                                            &c.n, &n_surface, NULL),
                         FIRN_OK);
        omp_set_num_threads(5);
        assert_int_equal(firn_sample_layers(shape, (firn_sampling)how, spacing, depth, 8,
                                            &again.xyz, &again.n, &same, NULL),
                         FIRN_OK);
        assert_true(c.n == again.n && n_surface == same);
        assert_memory_equal(c.xyz, again.xyz, (size_t)c.n * 24);
        assert_true(fabs((double)n_surface * pow(spacing[0], 3) / (whole - core) - 1) < 0.01);
        assert_true(fabs((double)(c.n - n_surface) * pow(spacing[1], 3) / core - 1) < 0.01);
        for (int64_t p = 0; p < c.n; p++) {
            double d = firn_shape_distance(shape, c.xyz + 3 * p, 0);
            assert_true(p < n_surface ? d < 0 && d >= -depth : d < -depth);
        }
        drop(&c);
        drop(&again);
    }
    omp_set_num_threads(before);
    cloud c;
    int64_t n_surface;
    assert_int_equal(
        firn_sample_layers(shape, FIRN_JITTERED, coarse, 10, 8, &c.xyz, &c.n, &n_surface, NULL),
        FIRN_OK);
    assert_int_equal(n_surface, c.n); /* deeper than the body: all of it is surface */
    drop(&c);
    int status = FIRN_MEMORY;
    for (int fail = 1; status != FIRN_OK; fail++) { /* each allocation in turn */
        firn_memory_fail_after(fail);
        status = firn_sample_layers(shape, FIRN_POISSON, coarse, depth, 8, &c.xyz, &c.n, &n_surface,
                                    NULL);
        firn_memory_fail_after(0);
        assert_true(status == FIRN_OK || (status == FIRN_MEMORY && !c.xyz));
    }
    drop(&c);
    firn_shape_destroy(shape);
}

static void same_for_any_number_of_threads(void **unused)
{
    (void)unused;
    firn_shape *shape = build("sphere", 0.5, 0, 0, 0);
    int before = omp_get_max_threads();
    for (int how = FIRN_REGULAR; how <= FIRN_POISSON; how++) {
        omp_set_num_threads(1);
        cloud one = sample(shape, (firn_sampling)how, 0.03, 42);
        const int threads[] = {2, 3, 4, 7, 16};
        for (int k = 0; k < 5; k++) {
            omp_set_num_threads(threads[k]);
            cloud many = sample(shape, (firn_sampling)how, 0.03, 42);
            assert_int_equal(one.n, many.n);
            assert_memory_equal(one.xyz, many.xyz, (size_t)one.n * 24);
            drop(&many);
        }
        cloud other = sample(shape, (firn_sampling)how, 0.03, 43);
        int is_same = other.n == one.n && memcmp(one.xyz, other.xyz, (size_t)one.n * 24) == 0;
        assert_int_equal(is_same, how == FIRN_REGULAR);
        drop(&one);
        drop(&other);
    }
    omp_set_num_threads(before);
    firn_shape_destroy(shape);
}

static void refusals(void **unused)
{
    (void)unused;
    firn_shape_def plane = {.kind = "plane", .normal = {0, 0, 1}};
    firn_shape *floor_shape, *ball = build("sphere", 0.5, 0, 0, 0);
    assert_int_equal(firn_shape_create(1, &plane, (firn_shape_need){0}, &floor_shape, NULL),
                     FIRN_OK);
    const struct {
        const firn_shape *shape;
        double h;
        const char *word;
    } bad[] = {{floor_shape, 0.1, "unbounded"},
               {ball, 0, "greater than 0"},
               {ball, 1e-9, "at most"},
               {ball, NAN, "spacing"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_messages *messages = firn_messages_create();
        cloud c;
        assert_int_equal(
            firn_sample_shape(bad[i].shape, FIRN_POISSON, bad[i].h, 1, &c.xyz, &c.n, messages),
            FIRN_REFUSED);
        assert_null(c.xyz);
        assert_non_null(strstr(firn_messages_text(messages, 0, NULL), bad[i].word));
        firn_messages_destroy(messages);
    }
    cloud c;
    assert_int_equal(firn_sample_shape(ball, FIRN_REGULAR, 10, 1, &c.xyz, &c.n, NULL),
                     FIRN_OK); /* one in the middle */
    assert_int_equal(c.n, 1);
    drop(&c);
    for (int fail = 1; fail < 4; fail++) { /* each allocation in turn */
        firn_memory_fail_after(fail);
        assert_int_equal(firn_sample_shape(ball, FIRN_POISSON, 0.1, 1, &c.xyz, &c.n, NULL),
                         FIRN_MEMORY);
        firn_memory_fail_after(0);
    }
    firn_shape_destroy(floor_shape);
    firn_shape_destroy(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_of_whole_multiples),
        cmocka_unit_test(lattices_are_symmetric),
        cmocka_unit_test(body_centred),
        cmocka_unit_test(octree),
        cmocka_unit_test(volume_within_half_a_percent),
        cmocka_unit_test(poisson_keeps_its_distance),
        cmocka_unit_test(poisson_has_no_planes),
        cmocka_unit_test(poisson_does_not_crowd_the_surface),
        cmocka_unit_test(dense_below_the_surface),
        cmocka_unit_test(same_for_any_number_of_threads),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
