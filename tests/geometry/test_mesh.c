/* SPDX-License-Identifier: MIT */
/* The same tetrahedron and cube through every format and back; then everything a file can do wrong.
 */
#include "geometry/mesh/mesh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/scratch.h"

static firn_mesh *read_text(const char *name, const char *text, size_t n)
{
    firn_mesh *mesh = NULL;
    firn_messages *messages = firn_messages_create();
    scratch_store(scratch(name), text, n ? n : strlen(text));
    firn_status status = firn_mesh_read(scratch(name), &mesh, messages);
    if (status) print_error("%s\n", firn_messages_text(messages, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    firn_messages_destroy(messages);
    return mesh;
}

/* A cube of edge 2 as quads, its faces seen counterclockwise from outside */
static const char cube_obj[] =
    "# a cube\nmtllib none.mtl\nv -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\n"
    "v -1 -1 1 1.0\nv 1e0 -1 1\nv 1 +1 1 0.5 0.5 0.5\r\nv -1 1 1\nvn 0 0 1\nvt 0 0\n"
    "f 1/1/1 4//1 3 2/1\nf 5 6 7 8\nf -8 -7 -3 -4\nf 2 3 \\\n 7 6\nf 3 4 8 7 # back\nf 4 1 5 8\n";

static void obj_of_quads(void **state)
{
    (void)state;
    firn_mesh *mesh = read_text("cube.obj", cube_obj, 0);
    assert_int_equal(mesh->n_points, 8);
    assert_int_equal(mesh->n_triangles, 12);
    assert_true(fabs(firn_mesh_volume(mesh) - 8) < 1e-12);
    assert_true(fabs(firn_mesh_area(mesh) - 24) < 1e-12);
    char old[sizeof cube_obj]; /* line ends of old systems */
    for (size_t i = 0; i < sizeof old; i++) old[i] = cube_obj[i] == '\n' ? '\r' : cube_obj[i];
    firn_mesh *same = read_text("old.obj", old, sizeof old - 1);
    assert_int_equal(same->n_triangles, 12);
    assert_true(fabs(firn_mesh_volume(same) - 8) < 1e-12);
    firn_mesh_destroy(same);
    firn_mesh_scale(mesh, 0.01);
    double min[3], max[3];
    firn_mesh_bounds(mesh, min, max);
    assert_true(fabs(min[0] + 0.01) < 1e-15 && fabs(max[2] - 0.01) < 1e-15);
    firn_mesh_destroy(mesh);
}

static void obj_polygon_of_seven(void **state)
{
    (void)state;
    firn_mesh *mesh = read_text(
        "n.obj", "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 3 2 0\nv 2 3 0\nv 1 3 0\nv 0 2 0\nf 1 2 3 4 5 6 7\n",
        0);
    assert_int_equal(mesh->n_triangles, 5);
    assert_true(fabs(firn_mesh_area(mesh) - 7.5) < 1e-12); /* 9 less three corners of 1/2 */
    firn_mesh_destroy(mesh);
}

/* One face of n corners in the plane across `axis`, listed forwards or backwards from corner
 * `first` on */
static firn_mesh *read_polygon(int is_ply, int n, const double (*x)[2], int axis, int is_backward,
                               int first)
{
    char text[8192];
    int at = 0, room = sizeof text;
    if (is_ply)
        at += snprintf(text + at, (size_t)(room - at),
                       "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float "
                       "y\nproperty float z\n"
                       "element face 1\nproperty list uchar int vertex_indices\nend_header\n",
                       n);
    for (int k = 0; k < n; k++) {
        double p[3];
        p[axis] = 0.25;
        p[(axis + 1) % 3] = x[k][0];
        p[(axis + 2) % 3] = x[k][1];
        at += snprintf(text + at, (size_t)(room - at), "%s%.9g %.9g %.9g\n", is_ply ? "" : "v ",
                       p[0], p[1], p[2]);
    }
    at += snprintf(text + at, (size_t)(room - at), is_ply ? "%d" : "f", n);
    for (int k = 0; k < n; k++)
        at += snprintf(text + at, (size_t)(room - at), " %d",
                       (first + (is_backward ? n - k : k)) % n + (is_ply ? 0 : 1));
    snprintf(text + at, (size_t)(room - at), "\n");
    return read_text(is_ply ? "p.ply" : "p.obj", text, 0);
}

/* Notches, a spiral, a hole behind a bridge: triangles must neither leave the polygon nor lie on
 * each other, so their areas add up to its own; a fan's would be more. */
static void polygons_that_are_not_convex(void **state)
{
    (void)state;
    double comb[22][2], star[60][2];
    for (int k = 0; k < 20; k++) {
        comb[k][0] = (k + 1) / 2;
        comb[k][1] = k & 2 ? 1 : 5;
    } /* square teeth */
    comb[20][0] = 10;
    comb[20][1] = 0;
    comb[21][0] = 0;
    comb[21][1] = 0;
    for (int k = 0; k < 60; k++) {
        double r = k & 1 ? 1 : 0.2, angle = k * acos(-1) / 30;
        star[k][0] = r * cos(angle);
        star[k][1] = r * sin(angle);
    }
    static const double ell[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
    static const double dart[4][2] = {{0, 0}, {2, 1}, {0, 2}, {0.5, 1}};
    static const double spiral[10][2] = {{0, 0}, {7, 0}, {7, 6}, {2, 6}, {2, 3},
                                         {3, 3}, {3, 5}, {6, 5}, {6, 1}, {0, 1}};
    static const double hole[10][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0},
                                       {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}};
    const struct {
        int n;
        const double (*x)[2];
    } polygons[] = {{22, (const double(*)[2])comb},
                    {60, (const double(*)[2])star},
                    {6, ell},
                    {4, dart},
                    {10, spiral},
                    {10, hole}};
    for (size_t i = 0; i < sizeof polygons / sizeof *polygons; i++) {
        int n = polygons[i].n;
        const double(*x)[2] = polygons[i].x;
        double area = 0;
        for (int k = 0; k < n; k++)
            area += 0.5 * (x[k][0] * x[(k + 1) % n][1] - x[k][1] * x[(k + 1) % n][0]);
        for (int way = 0; way < 12 * n; way++) {
            firn_mesh *mesh = read_polygon(way & 1, n, x, way / 2 % 3, way / 6 % 2, way / 12);
            assert_int_equal(mesh->n_triangles, n - 2);
            assert_true(fabs(firn_mesh_area(mesh) / fabs(area) - 1) < 1e-6);
            double u[3], w[3]; /* and they face the way that the polygon did */
            for (int64_t t = 0; t < n - 2; t++) {
                const double *p[3];
                for (int c = 0; c < 3; c++)
                    p[c] = mesh->xyz + 3 * (size_t)mesh->triangles[3 * t + c];
                for (int a = 0; a < 3; a++) {
                    u[a] = p[1][a] - p[0][a];
                    w[a] = p[2][a] - p[0][a];
                }
                int b = (way / 2 % 3 + 1) % 3, c = (b + 1) % 3;
                assert_true((u[b] * w[c] - u[c] * w[b]) * (way / 6 % 2 ? -1 : 1) * area > -1e-9);
            }
            firn_mesh_destroy(mesh);
        }
    }
}

/* A mark of the byte order before the first line hides nothing of it, in none of the formats. */
static void marks_are_stepped_over(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"mark.obj", "\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
        {"mark.stl", "\xEF\xBB\xBFsolid x\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendsolid, and "
                     "a name that is long "
                     "enough for a binary header\n"},
        {"mark.ply",
         "\xEF\xBB\xBFply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
         "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
         "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"}};
    for (int i = 0; i < 3; i++) {
        firn_mesh *mesh = read_text(texts[i][0], texts[i][1], 0);
        assert_int_equal(mesh->n_points, 3);
        assert_int_equal(mesh->n_triangles, 1);
        assert_true(fabs(firn_mesh_area(mesh) - 0.5) < 1e-12);
        firn_mesh_destroy(mesh);
    }
}

/* Zero bytes, as a disk leaves them behind what was written, in the middle or at the end of a text
 */
static void zero_bytes_are_no_text(void **state)
{
    (void)state;
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n\0\0\0\0";
    static const char middle[] = "v 0 0 0\n#\0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    static const char stl[] = "solid x\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendsolid\n\0\0";
    const struct {
        const char *name, *text;
        size_t n;
        const char *word;
    } bad[] = {{"end.obj", obj, sizeof obj, ":5: byte 33 of the file is zero"},
               {"middle.obj", middle, sizeof middle, ":2: byte 10 of the file is zero"},
               {"end.stl", stl, sizeof stl, ":6: byte 57 of the file is zero"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_mesh *mesh;
        firn_messages *messages = firn_messages_create();
        scratch_store(scratch(bad[i].name), bad[i].text, bad[i].n);
        assert_int_equal(firn_mesh_read(scratch(bad[i].name), &mesh, messages), FIRN_IO);
        assert_true(scratch_says(messages, bad[i].word));
        firn_messages_destroy(messages);
    }
}

static const char tetrahedron_ply[] =
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty "
    "float y\n"
    "property float z\nproperty uchar red\nproperty float friction\nproperty float vx\nproperty "
    "float vy\n"
    "property float vz\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0 255 0.1 1 2 3\n1 0 0 255 0.2 0 0 0\n0 1 0 255 0.3 0 0 0\n0 0 1 255 0.4 4 5 6\n"
    "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";

static void ply_ascii_with_attributes(void **state)
{
    (void)state;
    firn_mesh *mesh = read_text("t.ply", tetrahedron_ply, 0);
    assert_true(fabs(firn_mesh_volume(mesh) - 1.0 / 6) < 1e-12);
    const firn_mesh_attribute *friction = firn_mesh_find(mesh, "friction"),
                              *v = firn_mesh_find(mesh, "v");
    assert_non_null(friction);
    assert_true(fabsf(friction->data[2] - 0.3f) < 1e-6f);
    assert_int_equal(v->n_components, 3);
    assert_true(v->data[11] == 6 && v->data[1] == 2);
    firn_mesh_destroy(mesh);
}

/* Written and read back: positions to float precision, attributes exactly */
static void written_and_read_back(void **state)
{
    (void)state;
    firn_mesh *mesh = read_text("t.ply", tetrahedron_ply, 0), *again;
    const char *const names[] = {"out.ply", "out.obj"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(firn_mesh_write(scratch(names[i]), mesh, NULL), FIRN_OK);
        assert_int_equal(firn_mesh_read(scratch(names[i]), &again, NULL), FIRN_OK);
        assert_int_equal(again->n_points, 4);
        assert_memory_equal(again->triangles, mesh->triangles, 48);
        assert_true(fabs(firn_mesh_volume(again) - 1.0 / 6) < 1e-7);
        if (i == 0)
            assert_memory_equal(firn_mesh_find(again, "v")->data, firn_mesh_find(mesh, "v")->data,
                                48);
        firn_mesh_destroy(again);
    }
    assert_int_equal(firn_mesh_write(scratch("out.fbx"), mesh, NULL), FIRN_REFUSED);
    firn_mesh_destroy(mesh);
}

static void put_big(char **at, const void *value, int n)
{
    for (int b = 0; b < n; b++) (*at)[b] = ((const char *)value)[n - 1 - b];
    *at += n;
}

static void ply_big_endian(void **state)
{
    (void)state;
    char data[512] =
        "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty double x\nproperty double "
        "y\n"
        "property double z\nelement strip 2\nproperty list ushort short whatever\nelement face 1\n"
        "property list uint uint vertex_index\nproperty char flag\nend_header\n";
    char *at = data + strlen(data);
    const double xyz[9] = {0, 0, 0, 3, 0, 0, 0, 4, 0};
    for (int i = 0; i < 9; i++) put_big(&at, &xyz[i], 8);
    const uint16_t counts[2] = {0, 2};
    const int16_t entry = -1;
    put_big(&at, &counts[0], 2);
    put_big(&at, &counts[1], 2);
    put_big(&at, &entry, 2);
    put_big(&at, &entry, 2);
    const uint32_t face[4] = {3, 0, 1, 2};
    for (int i = 0; i < 4; i++) put_big(&at, &face[i], 4);
    *at++ = 7;
    firn_mesh *mesh = read_text("big.ply", data, (size_t)(at - data));
    assert_true(fabs(firn_mesh_area(mesh) - 6) < 1e-12);
    firn_mesh_destroy(mesh);
}

static void stl_both_ways(void **state)
{
    (void)state;
    firn_mesh *mesh = read_text(
        "a.stl",
        "solid vertex of nothing\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 3 0 0\n"
        "  VERTEX 0 4.0e0 0\nendloop\nendfacet\nendsolid\n",
        0);
    assert_int_equal(mesh->n_triangles, 1);
    assert_true(fabs(firn_mesh_area(mesh) - 6) < 1e-12);
    firn_mesh_destroy(mesh);
    char data[134 + 7] = "solid in name only";
    const float corners[9] = {0, 0, 0, 3, 0, 0, 0, 4, 0};
    data[80] = 1;
    memcpy(data + 96, corners, sizeof corners);
    mesh = read_text("b.stl", data, 134);
    assert_true(fabs(firn_mesh_area(mesh) - 6) < 1e-12);
    firn_mesh_destroy(mesh);
    firn_messages *messages =
        firn_messages_create(); /* what some programs add behind the triangles */
    scratch_store(scratch("b.stl"), data, sizeof data);
    assert_int_equal(firn_mesh_read(scratch("b.stl"), &mesh, messages), FIRN_OK);
    assert_true(scratch_says(messages, "7 bytes follow after the 1 triangles of its header"));
    assert_int_equal(mesh->n_triangles, 1);
    firn_mesh_destroy(mesh);
    firn_messages_destroy(messages);
}

#define TRIANGLE(n_points, n_faces)                                                                \
    "ply\nformat ascii 1.0\nelement vertex " n_points                                              \
    "\nproperty float x\nproperty float y\nproperty float z\n"                                     \
    "element face " n_faces "\nproperty list uchar int vertex_indices\nend_header\n"

static void every_mistake_is_a_sentence(void **state)
{
    (void)state;
    const struct {
        const char *name, *text, *word;
        int is_whole; /* and refused for what it holds */
    } bad[] = {
        {"empty.obj", "", "the file is empty"},
        {"points.obj", "v 0 0 0\n", "no face", 1},
        {"nan.obj", "v 0 nan 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", ":1:", 1},
        {"far.obj", "v 0 0 0\nv 1e30 0 0\nv 0 1 0\nf 1 2 3\n", "1e+30", 1},
        {"inf.obj", "v 0 0 inf\n", "finite", 1},
        {"word.obj", "v 0 zero 0\n", "not a number"},
        {"short.obj", "v 0 0\nv 1 0 0\n", "not a number"},
        {"index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", ":4:"},
        {"zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "names point 0"},
        {"back.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", "-4"},
        {"letter.obj", "v 0 0 0\nf a b c\n", "point numbers"},
        {"two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "a face has 2 points; allowed: 3 or more"},
        {"huge.ply",
         "ply\nformat ascii 1.0\nelement vertex 10000000000\nproperty float x\nend_header\n",
         "10000000000"},
        {"huge2.ply",
         "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float "
         "x\nend_header\n",
         "claims"},
        {"minus.ply", "ply\nformat ascii 1.0\nelement vertex -4\nend_header\n", "claims"},
        {"cut.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n", "end_header"},
        {"body.ply",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
         "float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n",
         "cut off"},
        {"dots.obj", "v 0 0 0\nv 1.2.3 4 5\nv 0 1 0\nf 1 2 3\n",
         ":2: a coordinate is \"1.2.3\", which is no number"},
        {"units.obj", "v 0 0 1cm\nf 1 1 1\n", "\"1cm\""},
        {"dots.stl", "solid x\nvertex 0 0 0\nvertex 1 0 0-1\nvertex 0 1 0\n", "\"0-1\""},
        {"index.ply", TRIANGLE("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1.7 2\n",
         ":13: a face names point 1.7"},
        {"half.ply", TRIANGLE("3.5", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         "3.5 of element vertex"},
        {"sides.ply", TRIANGLE("3", "1") "0 0 0\n1 0 0\n0 1 0\n3.5 0 1 2\n",
         "a list of 3.5 entries"},
        {"more.ply", TRIANGLE("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n\n3 0 1 2\n",
         "8 bytes follow"},
        {"rest.ply", TRIANGLE("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 and\n",
         "goes on after all values of element face"},
        {"fewer.ply", TRIANGLE("2", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         "do not fit the data, or the file is cut off"},
        {"many.ply", TRIANGLE("4", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         ":13: the line goes on after all values"},
        {"faces.ply", TRIANGLE("3", "2") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         "do not fit the data, or the file is cut off"},
        {"short.ply", TRIANGLE("3", "1") "0 0\n0 1 0 0\n0 1 0\n3 0 1 2\n",
         "the line ends before all values"},
        {"two.ply", TRIANGLE("3", "1") "0 0 0\n1 0 0\n0 1 0\n2 0 1\n",
         "a face has 2 points; allowed: 3 or more"},
        {"version.ply", "ply\nformat ascii 7.3\nelement vertex 0\nelement face 0\nend_header\n",
         "\"ascii 7.3\""},
        {"formless.ply", "ply\nelement vertex 0\nelement face 0\nend_header\n", "no line `format`"},
        {"list.ply",
         "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty "
         "float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n1000000000 1 2\n",
         "longer"},
        {"type.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n",
         "quad"},
        {"xy.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nelement "
         "face 1\n"
         "property list uchar int vertex_indices\nend_header\n0 0\n3 0 0 0\n",
         "element vertex has no x, y or z"},
        {"twice.ply", "ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 9\nend_header\n",
         "twice"},
        {"out.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
         "float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 1 2\n",
         "a face names point 1 of 1"},
        {"corners.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
         "float z\n"
         "element face 1\nproperty uchar tag\nproperty list uchar int corners\nend_header\n0 0 "
         "0\n1 3 0 0 0\n",
         "element face has no list vertex_indices or vertex_index for the corners of faces (it has "
         "tag, list corners)",
         1},
        {"format.ply", "ply\nformat middle_endian 1.0\nend_header\n", "middle_endian"},
        {"no.ply", "PNG", "begins with"},
        {"cloud.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
         "points", 1},
        {"nan.ply",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
         "float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 nan 0\n0 1 "
         "0\n3 0 1 2\n",
         "finite", 1},
        {"far.ply",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty float y\nproperty "
         "float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1e30 0 0\n0 1 "
         "0\n3 0 1 2\n",
         "allowed: finite, at most 1e+09 in size", 1},
        {"far.obj", "v 0 0 0\nv 1e30 0 0\nv 0 1 0\nf 1 2 3\n",
         "allowed: finite, at most 1e+09 in size", 1},
        {"far.stl", "solid x\nvertex 0 0 0\nvertex 1e30 0 0\nvertex 0 1 0\n",
         "allowed: finite, at most 1e+09 in size", 1},
        {"empty.ply", "", "the file is empty"},
        {"empty.stl", "", "the file is empty"},
        {"short.stl", "abc", "84 bytes"},
        {"cut.stl", "solid x\nvertex 0 0 0\nvertex 1 0 0\n", "multiple of three"},
        {"unclosed.stl", "solid x\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n",
         "ends without `endsolid`"},
        {"number.stl", "solid x\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1\n", "not a number"},
        {"model.fbx", "x", "allowed: .obj, .ply, .stl", 1},
        {"none", "x", "allowed: .obj, .ply, .stl", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_messages *messages = firn_messages_create();
        firn_mesh *mesh = NULL;
        scratch_store(scratch(bad[i].name), bad[i].text, strlen(bad[i].text));
        firn_status status = firn_mesh_read(scratch(bad[i].name), &mesh, messages);
        assert_null(mesh);
        if (!scratch_says(messages, bad[i].word)) fail_msg("%s", bad[i].name);
        if (status != (bad[i].is_whole ? FIRN_REFUSED : FIRN_IO))
            fail_msg("%s: status %d", bad[i].name, status);
        firn_messages_destroy(messages);
    }
    char header[100] = {0}; /* 4 thousand million triangles in 100 bytes */
    memset(header + 80, 0xff, 4);
    scratch_store(scratch("claim.stl"), header, sizeof header);
    firn_mesh *mesh;
    assert_int_equal(firn_mesh_read(scratch("claim.stl"), &mesh, NULL), FIRN_IO);
    float triangle[12] = {0, 0, 1, 0, 0, 0, 1,
                          0, 0, 0, 1, 0}; /* one good triangle, then a bad corner, then cut off */
    const float corners[] = {1, NAN, INFINITY, 1e30f};
    char stl[134] = {0};
    memset(stl + 80, 0, 4);
    stl[80] = 1;
    for (int k = 0; k < 4; k++) {
        triangle[6] = corners[k];
        memcpy(stl + 84, triangle, sizeof triangle);
        scratch_store(scratch("binary.stl"), stl, sizeof stl);
        firn_messages *messages = firn_messages_create();
        assert_int_equal(firn_mesh_read(scratch("binary.stl"), &mesh, messages),
                         k ? FIRN_REFUSED : FIRN_OK);
        if (k)
            assert_true(
                scratch_says(messages, "binary.stl: vertex 1, counted from 0, has the coordinate"));
        firn_messages_destroy(messages);
        firn_mesh_destroy(mesh);
    }
    static const char ply[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\n"
        "property float y\nproperty float z\nelement face 1\n"
        "property list uchar int vertex_indices\nend_header\n";
    char whole[sizeof ply + 48];
    memcpy(whole, ply, sizeof ply - 1);
    memcpy(whole + sizeof ply - 1, triangle + 3, 36);
    memcpy(whole + sizeof ply + 35, "\3\0\0\0\0\1\0\0\0\2\0\0\0", 13);
    scratch_store(scratch("binary.ply"), whole, sizeof ply + 48);
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_mesh_read(scratch("binary.ply"), &mesh, messages), FIRN_REFUSED);
    assert_true(
        scratch_says(messages, "binary.ply: vertex 1, counted from 0, has the coordinate 1e+30"));
    firn_messages_destroy(messages);
    scratch_store(scratch("binary.stl"), stl, sizeof stl - 1);
    assert_int_equal(firn_mesh_read(scratch("binary.stl"), &mesh, NULL), FIRN_IO);
    assert_int_equal(mkdir(scratch("folder.obj"), 0700), 0);
    assert_int_equal(firn_mesh_read(scratch("folder.obj"), &mesh, NULL), FIRN_IO);
    assert_int_equal(firn_mesh_read(scratch("absent.obj"), &mesh, NULL), FIRN_IO);
}

/* Binary files whose header counts one point or face too many or too few: the sentence is about
 * that, not about what the mesh looks like then. */
static void counts_that_do_not_fit(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 5; wrong++) { /* 0: none is */
        char data[512];
        int n = sprintf(data,
                        "ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float "
                        "x\nproperty float y\n"
                        "property float z\nelement face %d\nproperty list uchar int "
                        "vertex_indices\nend_header\n",
                        wrong == 1   ? 3
                        : wrong == 2 ? 5
                                     : 4,
                        wrong == 3   ? 3
                        : wrong == 4 ? 5
                                     : 4);
        static const float xyz[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        static const int32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
        memcpy(data + n, xyz, sizeof xyz);
        n += (int)sizeof xyz;
        for (int f = 0; f < 4; f++) {
            data[n] = 3;
            memcpy(data + n + 1, faces[f], 12);
            n += 13;
        }
        scratch_store(scratch("counts.ply"), data, (size_t)n);
        firn_mesh *mesh = NULL;
        firn_messages *messages = firn_messages_create();
        assert_int_equal(firn_mesh_read(scratch("counts.ply"), &mesh, messages),
                         wrong ? FIRN_IO : FIRN_OK);
        if (wrong) assert_true(scratch_says(messages, "not fit the data"));
        firn_messages_destroy(messages);
        firn_mesh_destroy(mesh);
    }
}

/* What a collider's keys do not take its paint may not hold either, and nothing that is no number.
 */
static void paint_has_the_range_of_its_key(void **state)
{
    (void)state;
    const struct {
        const char *name, *value, *words;
    } paints[] = {
        {"friction", "0", NULL},
        {"friction", "100", NULL},
        {"friction", "-0.1",
         "vertex 1, counted from 0, has friction = -0.1; allowed: 0 to 100, as"},
        {"friction", "101", "has friction = 101; allowed: 0 to 100"},
        {"friction", "nan", "has friction = nan"},
        {"friction", "inf", "has friction = inf"},
        {"friction", "1e300", "has friction = 1e+300"},
        {"stickiness", "1e12", NULL},
        {"stickiness", "-1",
         "vertex 1, counted from 0, has stickiness = -1; allowed: 0 to 1e+12 Pa, as"},
        {"stickiness", "nan", "has stickiness = nan"},
    };
    for (size_t i = 0; i < sizeof paints / sizeof *paints; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float "
                 "y\nproperty float z\n"
                 "property double %s\nelement face 1\nproperty list uchar int "
                 "vertex_indices\nend_header\n"
                 "0 0 0 0.5\n1 0 0 %s\n0 1 0 0.5\n3 0 1 2\n",
                 paints[i].name, paints[i].value);
        firn_mesh *mesh = NULL;
        firn_messages *messages = firn_messages_create();
        scratch_store(scratch("paint.ply"), text, strlen(text));
        firn_status status = firn_mesh_read(scratch("paint.ply"), &mesh, messages);
        assert_int_equal(status, paints[i].words ? FIRN_REFUSED : FIRN_OK);
        if (paints[i].words) assert_true(scratch_says(messages, paints[i].words));
        firn_messages_destroy(messages);
        firn_mesh_destroy(mesh);
    }
}

/* Every prefix of a good file and a thousand files with random bytes in them: an answer,
 * whatever it is */
static void cut_and_scrambled_files_are_survived(void **state)
{
    (void)state;
    const struct {
        const char *name, *text;
    } good[] = {{"x.obj", cube_obj}, {"x.ply", tetrahedron_ply}};
    for (int g = 0; g < 2; g++) {
        size_t n = strlen(good[g].text);
        char *text = malloc(n);
        uint32_t random = 12345;
        for (size_t trial = 0; trial < 1500; trial++) {
            memcpy(text, good[g].text, n);
            size_t length = trial < n ? trial : n;
            for (int k = 0; trial >= n && k < 3; k++) {
                random = random * 1664525u + 1013904223u;
                text[(random >> 8) % n] = (char)(random >> 24);
            }
            firn_mesh *mesh = NULL;
            scratch_store(scratch(good[g].name), text, length);
            firn_status status = firn_mesh_read(scratch(good[g].name), &mesh, NULL);
            assert_true((status == FIRN_OK) == (mesh != NULL));
            for (int64_t i = 0; mesh && i < 3 * mesh->n_triangles; i++)
                assert_true(mesh->triangles[i] < mesh->n_points);
            firn_mesh_destroy(mesh);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_of_quads),
        cmocka_unit_test(obj_polygon_of_seven),
        cmocka_unit_test(polygons_that_are_not_convex),
        cmocka_unit_test(marks_are_stepped_over),
        cmocka_unit_test(zero_bytes_are_no_text),
        cmocka_unit_test(ply_ascii_with_attributes),
        cmocka_unit_test(written_and_read_back),
        cmocka_unit_test(ply_big_endian),
        cmocka_unit_test(stl_both_ways),
        cmocka_unit_test(every_mistake_is_a_sentence),
        cmocka_unit_test(counts_that_do_not_fit),
        cmocka_unit_test(paint_has_the_range_of_its_key),
        cmocka_unit_test(cut_and_scrambled_files_are_survived),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
