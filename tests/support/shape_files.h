/* SPDX-License-Identifier: MIT */
/* shape_files.h: shapes from files in the scratch folder, for tests of distance fields. Include
 * cmocka.h, geometry.h and scratch.h first. */
#ifndef FIRN_TEST_SHAPE_FILES_H
#define FIRN_TEST_SHAPE_FILES_H

static inline double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static inline firn_shape_def mesh_def(const char *path)
{
    firn_shape_def def = {.kind = "mesh"};
    snprintf(def.file, sizeof def.file, "%s", path);
    return def;
}

static inline firn_shape *build(const firn_shape_def *def)
{
    firn_shape *shape = NULL;
    firn_messages *messages = firn_messages_create();
    firn_status status = firn_shape_create(1, def, (firn_shape_need){0}, &shape, messages);
    if (status) print_error("%s\n", firn_messages_text(messages, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    firn_messages_destroy(messages);
    return shape;
}

static inline void write_sphere(const char *name, int n, double radius, double x, double y)
{
    firn_mesh *ball = geometry_sphere(n, radius, x, y, 0);
    assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
    firn_mesh_destroy(ball);
}

#endif
