/* SPDX-License-Identifier: MIT */
/* Signed distances against an independent description of each kind (a plain inside test), never
 * against the formulas of analytic_shapes.c themselves: no point nearer than |d| may lie on the
 * other side, and one step of d along the normal must land on the surface. */
#include "geometry/shape.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t state = 1;
static double random_unit(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}
static double between(double low, double high) { return low + (high - low) * random_unit(); }

static firn_shape_def make(const char *kind)
{
    firn_shape_def def = {0};
    strcpy(def.kind, kind);
    return def;
}

static firn_shape *build(int n, const firn_shape_def *defs)
{
    firn_shape *shape = NULL;
    firn_messages *messages = firn_messages_create();
    firn_status status = firn_shape_create(n, defs, (firn_shape_need){0}, &shape, messages);
    if (status) print_error("%s\n", firn_messages_text(messages, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    firn_messages_destroy(messages);
    return shape;
}

/* Each kind with the axis along z and the centre at the origin: is p inside? */
typedef int (*inside_fn)(const double p[3]);
static int in_sphere(const double p[3]) { return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < 0.49; }
static int in_box(const double p[3])
{
    return fabs(p[0]) < 0.3 && fabs(p[1]) < 0.6 && fabs(p[2]) < 0.15;
}
static int in_plane(const double p[3]) { return p[2] < 0; }
static int in_capsule(const double p[3])
{
    double z = fabs(p[2]) < 0.4 ? 0 : fabs(p[2]) - 0.4;
    return p[0] * p[0] + p[1] * p[1] + z * z < 0.09;
}
static int in_cylinder(const double p[3])
{
    return p[0] * p[0] + p[1] * p[1] < 0.25 && fabs(p[2]) < 0.2;
}
static int in_ellipsoid(const double p[3])
{
    return p[0] * p[0] / 0.25 + p[1] * p[1] / 0.04 + p[2] * p[2] / 0.64 < 1;
}
static int in_cone(const double p[3])
{
    return fabs(p[2]) < 0.4 && hypot(p[0], p[1]) < 0.5 + (0.2 - 0.5) * (p[2] + 0.4) / 0.8;
}
static int in_torus(const double p[3])
{
    double r = hypot(p[0], p[1]) - 0.5;
    return r * r + p[2] * p[2] < 0.0225;
}
static int in_shell(const double p[3]) /* a hollow sphere */
{
    double r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    return r > 0.65 && r < 0.75;
}
static int in_funnel(
    const double p[3]) /* distance to the slanted line below half the wall, away from its ends */
{
    double r = hypot(p[0], p[1]), slope = (0.6 - 0.2) / 0.8, line = 0.4 + slope * p[2];
    return fabs(r - line) / sqrt(1 + slope * slope) < 0.05;
}

typedef struct kind_case {
    firn_shape_def def;
    inside_fn inside;
    double reach; /* of the random points */
} kind_case;

static int all_cases(kind_case cases[16])
{
    int n = 0;
    firn_shape_def d = make("sphere");
    d.radius = 0.7;
    cases[n++] = (kind_case){d, in_sphere, 1.5};
    d.thickness = 0.1;
    cases[n++] = (kind_case){d, in_shell, 1.5};
    d = make("box");
    d.size[0] = 0.6;
    d.size[1] = 1.2;
    d.size[2] = 0.3;
    cases[n++] = (kind_case){d, in_box, 1.5};
    d = make("plane");
    d.normal[2] = 2;
    cases[n++] = (kind_case){d, in_plane, 1.5};
    d = make("capsule");
    d.radius = 0.3;
    d.height = 0.8;
    cases[n++] = (kind_case){d, in_capsule, 1.5};
    d = make("cylinder");
    d.radius = 0.5;
    d.height = 0.4;
    cases[n++] = (kind_case){d, in_cylinder, 1.5};
    d = make("ellipsoid");
    d.size[0] = 1;
    d.size[1] = 0.4;
    d.size[2] = 1.6;
    cases[n++] = (kind_case){d, in_ellipsoid, 1.5};
    d = make("cone");
    d.radius = 0.5;
    d.radius2 = 0.2;
    d.height = 0.8;
    cases[n++] = (kind_case){d, in_cone, 1.5};
    d = make("torus");
    d.radius = 0.5;
    d.radius2 = 0.15;
    cases[n++] = (kind_case){d, in_torus, 1.5};
    d = make("funnel");
    d.radius = 0.2;
    d.radius2 = 0.6;
    d.height = 0.8;
    d.thickness = 0.1;
    cases[n++] = (kind_case){d, in_funnel, 0.25};
    return n;
}

static double norm(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void random_direction(double u[3])
{
    double length;
    do {
        for (int i = 0; i < 3; i++) u[i] = between(-1, 1);
        length = norm(u);
    } while (length > 1 || length < 0.1);
    for (int i = 0; i < 3; i++) u[i] /= length;
}

static void distance_is_exact(void **unused)
{
    (void)unused;
    kind_case cases[16];
    int n = all_cases(cases);
    for (int c = 0; c < n; c++) {
        firn_shape *shape = build(1, &cases[c].def);
        for (int trial = 0; trial < 400; trial++) {
            double p[3], foot[3], u[3], q[3];
            for (int i = 0; i < 3; i++) p[i] = between(-cases[c].reach, cases[c].reach);
            firn_surface_point s;
            firn_shape_query(shape, p, 0, &s);
            assert_int_equal(s.distance < 0, cases[c].inside(p));
            assert_true(fabs(norm(s.normal) - 1) < 1e-12);
            for (int k = 0; k < 60; k++) { /* nobody on the other side is nearer */
                random_direction(u);
                for (int i = 0; i < 3; i++) q[i] = p[i] + u[i] * fabs(s.distance) * (1 - 1e-9);
                assert_int_equal(cases[c].inside(q), s.distance < 0);
            }
            for (int i = 0; i < 3; i++) foot[i] = p[i] - s.distance * s.normal[i];
            assert_true(fabs(firn_shape_distance(shape, foot, 0)) < 1e-9);
            int n_other = 0; /* and the foot does have the other side next to it */
            for (int k = 0; k < 60 && !n_other; k++) {
                random_direction(u);
                for (int i = 0; i < 3; i++) q[i] = foot[i] + 1e-6 * u[i];
                n_other += cases[c].inside(q) != (s.distance < 0);
            }
            assert_int_equal(n_other, 1);
        }
        firn_shape_destroy(shape);
    }
}

/* Turned and moved, joined: central differences of the distance against the normal, and
 * 1-Lipschitz. */
static void gradient_is_normal(void **unused)
{
    (void)unused;
    kind_case cases[16];
    int n = all_cases(cases), n_smooth = 0, n_all = 0;
    for (int c = 0; c < n; c++) {
        firn_shape_def pair[2] = {cases[c].def, make("box")};
        for (int i = 0; i < 3; i++) {
            pair[0].center[i] = 0.3 * i - 0.2;
            pair[0].rotate[i] = 0.4 + 0.7 * i;
            pair[1].size[i] = 0.5;
            pair[1].center[i] = 0.2 * i;
        }
        pair[1].csg = c % 3;
        firn_shape *shape = build(2, pair);
        for (int trial = 0; trial < 300; trial++) {
            double p[3], e = 1e-6, worst = 0;
            for (int i = 0; i < 3; i++) p[i] = between(-1, 1);
            firn_surface_point s;
            firn_shape_query(shape, p, 0, &s);
            for (int i = 0; i < 3; i++) {
                double a[3] = {p[0], p[1], p[2]}, b[3] = {p[0], p[1], p[2]};
                a[i] -= e;
                b[i] += e;
                double slope =
                    (firn_shape_distance(shape, b, 0) - firn_shape_distance(shape, a, 0)) / (2 * e);
                assert_true(fabs(slope) < 1 + 1e-8);
                worst = fmax(worst, fabs(slope - s.normal[i]));
            }
            n_all++;
            n_smooth += worst < 1e-5;
            double q[3], step[3];
            for (int i = 0; i < 3; i++) {
                q[i] = between(-1, 1);
                step[i] = q[i] - p[i];
            }
            assert_true(fabs(firn_shape_distance(shape, q, 0) - s.distance) <=
                        norm(step) * (1 + 1e-12));
        }
        firn_shape_destroy(shape);
    }
    assert_true(n_smooth >=
                n_all - 3); /* only on the seams, which a random point hardly ever meets */
}

/* From inside straight to the surface: there, where the distance is what rounding leaves of it,
 * the normal is the same. */
static void normals_on_the_surface(void **unused)
{
    (void)unused;
    kind_case cases[16];
    int n = all_cases(cases);
    for (int c = 0; c < n; c++) {
        firn_shape_def def = cases[c].def;
        for (int i = 0; i < 3; i++) {
            def.center[i] = 0.3 * i - 0.2;
            def.rotate[i] = 0.4 + 0.7 * i;
        }
        firn_shape *shape = build(1, &def);
        int n_inside = 0;
        for (int trial = 0; trial < 20000; trial++) {
            double p[3], y[3], along = 0;
            firn_surface_point s, there;
            for (int i = 0; i < 3; i++) p[i] = def.center[i] + between(-1, 1);
            firn_shape_query(shape, p, 0, &s);
            if (s.distance > -1e-3) continue;
            for (int i = 0; i < 3; i++) y[i] = p[i] - s.distance * s.normal[i];
            firn_shape_query(shape, y, 0, &there);
            for (int i = 0; i < 3; i++) along += s.normal[i] * there.normal[i];
            if (fabs(there.distance) > 1e-12 || along < 1 - 1e-9)
                fail_msg("%s: from %g %g %g, %g deep, the normal at %g %g %g is turned by %g",
                         def.kind, p[0], p[1], p[2], -s.distance, y[0], y[1], y[2],
                         acos(fmax(-1, along)));
            n_inside++;
        }
        assert_true(n_inside > 50 || cases[c].def.thickness > 0 || strcmp(def.kind, "funnel") == 0);
        firn_shape_destroy(shape);
    }
}

/* Degenerate places: the normal is still a unit vector and the distance the known one. */
static void centers_and_axes(void **unused)
{
    (void)unused;
    kind_case cases[16];
    int n = all_cases(cases);
    const double origin[3] = {0, 0, 0};
    for (int c = 0; c < n; c++) {
        firn_shape *shape = build(1, &cases[c].def);
        firn_surface_point s;
        firn_shape_query(shape, origin, 0, &s);
        assert_true(fabs(norm(s.normal) - 1) < 1e-9);
        if (!strcmp(cases[c].def.kind, "ellipsoid"))
            assert_true(fabs(s.distance + 0.2) < 1e-9); /* shortest half axis */
        if (!strcmp(cases[c].def.kind, "torus")) assert_true(fabs(s.distance - 0.35) < 1e-12);
        if (!strcmp(cases[c].def.kind, "box")) assert_true(fabs(s.distance + 0.15) < 1e-15);
        firn_shape_destroy(shape);
    }
}

static void rotation_order_and_axis(void **unused)
{
    (void)unused;
    /* 90 degrees about x takes y to z, then 90 degrees about z leaves z alone: the long edge y
     * ends along z */
    firn_shape_def d = make("box");
    d.size[0] = 0.2;
    d.size[1] = 1;
    d.size[2] = 0.4;
    d.rotate[0] = M_PI_2;
    d.rotate[2] = M_PI_2;
    firn_shape *shape = build(1, &d);
    double min[3], max[3];
    assert_true(firn_shape_bounds(shape, min, max));
    const double half[3] = {0.2, 0.1, 0.5};
    for (int i = 0; i < 3; i++)
        assert_true(fabs(max[i] - half[i]) < 1e-12 && fabs(min[i] + half[i]) < 1e-12);
    firn_shape_destroy(shape);
    for (int axis = 0; axis < 3; axis++) { /* the high end of a cone is where the normal points */
        d = make("cone");
        d.radius = 0.1;
        d.radius2 = 0.5;
        d.height = 1;
        d.normal[axis] = -3;
        shape = build(1, &d);
        double p[3] = {0, 0, 0};
        p[axis] = -0.4;
        p[(axis + 1) % 3] = 0.4;
        assert_true(firn_shape_distance(shape, p, 0) < 0);
        p[axis] = 0.4;
        assert_true(firn_shape_distance(shape, p, 0) > 0.2);
        firn_shape_destroy(shape);
    }
}

static void joined_in_list_order(void **unused)
{
    (void)unused;
    firn_shape_def d[3] = {make("sphere"), make("sphere"), make("sphere")};
    d[0].radius = 1;
    d[1].radius = 0.6;
    d[2].radius = 0.3;
    d[1].csg = FIRN_DIFFERENCE; /* a hollow ball with a kernel */
    firn_shape *shape = build(3, d);
    const struct {
        double x, distance, normal;
    } at[] = {{0.1, -0.2, 1},  {0.4, 0.1, 1},    {0.55, 0.05, -1},
              {0.7, -0.1, -1}, {0.95, -0.05, 1}, {1.5, 0.5, 1}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        firn_surface_point s;
        firn_shape_query(shape, (const double[3]){at[i].x, 0, 0}, 0, &s);
        assert_true(fabs(s.distance - at[i].distance) < 1e-12);
        assert_true(fabs(s.normal[0] - at[i].normal) < 1e-12);
        assert_true(isnan(s.friction) && isnan(s.stickiness) && norm(s.velocity) == 0);
    }
    firn_shape_destroy(shape);
}

/* Parts that cannot decide are not asked; the distance is to the last bit that of all parts
 * asked alone, and a distance_query says the same. */
static void joined_as_each_alone(void **unused)
{
    (void)unused;
    enum { N = 5 };
    kind_case cases[16];
    const int n_kinds = all_cases(cases);
    for (int list = 0; list < 60; list++) {
        firn_shape_def d[N];
        firn_shape *alone[N];
        for (int i = 0; i < N; i++) {
            d[i] = cases[(int)(random_unit() * n_kinds)].def;
            for (int a = 0; a < 3; a++) {
                d[i].center[a] = between(-1, 1);
                d[i].rotate[a] = list % 2 ? between(-3, 3) : 0;
            }
            alone[i] = build(1, &d[i]);
            if (i > 0) d[i].csg = (firn_csg)(random_unit() * 3);
        }
        firn_shape *shape = build(N, d);
        for (int trial = 0; trial < 300; trial++) {
            double p[3], expected = 0;
            firn_surface_point all, distance_query;
            for (int a = 0; a < 3; a++) p[a] = between(-2, 2);
            for (int i = 0; i < N; i++) {
                const double own = firn_shape_distance(alone[i], p, 0);
                expected = i == 0                          ? own
                           : d[i].csg == FIRN_UNION        ? fmin(expected, own)
                           : d[i].csg == FIRN_INTERSECTION ? fmax(expected, own)
                                                           : fmax(expected, -own);
            }
            firn_shape_query(shape, p, 0, &all);
            firn_shape_distance_query(shape, p, 0, &distance_query);
            assert_true(all.distance == expected && distance_query.distance == expected);
            assert_true(fabs(norm(all.normal) - 1) < 1e-12);
        }
        for (int i = 0; i < N; i++) firn_shape_destroy(alone[i]);
        firn_shape_destroy(shape);
    }
}

static void boxes(void **unused)
{
    (void)unused;
    firn_shape_def d[2] = {make("plane"), make("box")};
    d[0].normal[1] = 1;
    for (int i = 0; i < 3; i++) d[1].size[i] = 2;
    double min[3], max[3];
    firn_shape *shape = build(1, d);
    assert_false(firn_shape_bounds(shape, min, max));
    firn_shape_destroy(shape);
    shape = build(2, d);
    assert_false(firn_shape_bounds(shape, min, max));
    firn_shape_destroy(shape);
    d[1].csg = FIRN_INTERSECTION;
    shape = build(2, d);
    assert_true(firn_shape_bounds(shape, min, max));
    assert_true(max[0] == 1 && min[1] == -1);
    firn_shape_destroy(shape);
}

static void refused(firn_shape_def d, const char *word)
{
    firn_messages *messages = firn_messages_create();
    firn_shape *shape = NULL;
    assert_int_equal(firn_shape_create(1, &d, (firn_shape_need){0}, &shape, messages),
                     FIRN_REFUSED);
    assert_null(shape);
    assert_true(firn_messages_total(messages) == 1);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), word));
    firn_messages_destroy(messages);
}

static void bad_parameters_are_refused(void **unused)
{
    (void)unused;
    firn_shape_def d = make("shpere");
    refused(d, "sphere");
    d = make("sphere");
    d.radius = -1;
    refused(d, "radius");
    d.radius = NAN;
    refused(d, "radius");
    d.radius = 1;
    d.center[1] = INFINITY;
    refused(d, "center");
    d = make("sphere");
    d.radius = 1;
    d.thickness = -1;
    refused(d, "thickness");
    d.thickness = 0;
    d.csg = FIRN_DIFFERENCE;
    refused(d, "first");
    d = make("plane");
    refused(d, "normal");
    d = make("box");
    d.size[0] = d.size[1] = 1;
    refused(d, "size");
    d = make("cylinder");
    d.radius = 1;
    refused(d, "height");
    d = make("funnel");
    d.radius = d.height = 1;
    refused(d, "thickness");
    d = make("torus");
    d.radius = 1;
    d.radius2 = 2;
    refused(d, "tube");
    d = make("cone");
    d.height = 1;
    refused(d, "radius2");
    firn_shape_def two[2] = {make("sphere"), make("box")}; /* both are told */
    firn_messages *messages = firn_messages_create();
    firn_shape *shape;
    assert_int_equal(firn_shape_create(2, two, (firn_shape_need){0}, &shape, messages),
                     FIRN_REFUSED);
    assert_int_equal(firn_messages_total(messages), 2);
    assert_int_equal(firn_shape_create(0, NULL, (firn_shape_need){0}, &shape, messages),
                     FIRN_REFUSED);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_exact),          cmocka_unit_test(gradient_is_normal),
        cmocka_unit_test(centers_and_axes),           cmocka_unit_test(rotation_order_and_axis),
        cmocka_unit_test(joined_in_list_order),       cmocka_unit_test(boxes),
        cmocka_unit_test(bad_parameters_are_refused), cmocka_unit_test(joined_as_each_alone),
        cmocka_unit_test(normals_on_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
