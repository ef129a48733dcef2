/* SPDX-License-Identifier: MIT */
/* mesh_ply.c: PLY, ascii and binary of both byte orders. The header names elements and their
 * properties. Element "vertex" has x y z and, where they are present, the attributes of the table
 * below; element "face" has polygons in its list vertex_indices (or vertex_index). Other elements
 * and properties are skipped. In a text a record is a line. The counts of the header must fit the
 * data: nothing may follow the last record. */
#include "geometry/mesh/mesh_readers.h"
#include "base/messages.h"
#include "geometry/paint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PROPERTIES = 64, MAX_ELEMENTS = 16 };

typedef enum ply_type {
    INT8,
    UINT8,
    INT16,
    UINT16,
    INT32,
    UINT32,
    FLOAT32,
    FLOAT64,
    N_TYPES
} ply_type;

static const struct {
    const char *names[2];
    int n_bytes;
} types[N_TYPES] = {{{"char", "int8"}, 1},     {{"uchar", "uint8"}, 1},   {{"short", "int16"}, 2},
                    {{"ushort", "uint16"}, 2}, {{"int", "int32"}, 4},     {{"uint", "uint32"}, 4},
                    {{"float", "float32"}, 4}, {{"double", "float64"}, 8}};

/* Properties that become attributes of the mesh */
static const struct {
    const char *property, *attribute;
    int component, n_components;
    double max; /* of paint, whose least value is 0; 0: not paint */
    const char *unit;
} carried[] = {{"friction", "friction", 0, 1, FIRN_MAX_FRICTION, ""},
               {"stickiness", "stickiness", 0, 1, FIRN_MAX_STICKINESS, " Pa"},
               {"T", "T", 0, 1},
               {"vx", "v", 0, 3},
               {"vy", "v", 1, 3},
               {"vz", "v", 2, 3}};

typedef struct ply_property {
    char name[64];
    ply_type type, count_type;
    int is_list;
} ply_property;

typedef struct ply_element {
    char name[64];
    int64_t n;
    int n_properties;
    ply_property properties[MAX_PROPERTIES];
} ply_element;

typedef struct ply {
    firn_mesh_cursor *c;
    enum { UNKNOWN, ASCII, LITTLE, BIG } format;
    int n_elements;
    ply_element elements[MAX_ELEMENTS];
} ply;

/* ---------------------------------------------------------------- header */

static int read_name(firn_mesh_cursor *c, char *out, size_t n_out)
{
    firn_mesh_cursor_skip_blanks(c);
    size_t n = 0;
    while (c->at<c->end && * c->at> ' ' && n + 1 < n_out) out[n++] = *c->at++;
    out[n] = 0;
    return n > 0;
}

static firn_status read_type(firn_mesh_cursor *c, ply_type *type)
{
    char name[64];
    read_name(c, name, sizeof name);
    for (int t = 0; t < N_TYPES; t++)
        for (int k = 0; k < 2; k++)
            if (!strcmp(name, types[t].names[k])) {
                *type = (ply_type)t;
                return FIRN_OK;
            }
    return firn_mesh_cursor_damaged(c, "\"%s\" is no type of PLY", name);
}

static firn_status read_property(ply *p)
{
    firn_mesh_cursor *c = p->c;
    if (p->n_elements == 0)
        return firn_mesh_cursor_damaged(c, "a property is before the first element");
    ply_element *e = &p->elements[p->n_elements - 1];
    if (e->n_properties == MAX_PROPERTIES)
        return firn_mesh_cursor_refuse(c, "element %s has more than %d properties", e->name,
                                       MAX_PROPERTIES);
    ply_property *q = &e->properties[e->n_properties++];
    firn_mesh_cursor_skip_blanks(c);
    q->is_list = firn_mesh_cursor_word(c, "list");
    firn_status status = q->is_list ? read_type(c, &q->count_type) : FIRN_OK;
    if (!status) status = read_type(c, &q->type);
    if (!status && !read_name(c, q->name, sizeof q->name))
        status = firn_mesh_cursor_damaged(c, "a property has no name");
    return status;
}

static firn_status read_element(ply *p)
{
    firn_mesh_cursor *c = p->c;
    if (p->n_elements == MAX_ELEMENTS)
        return firn_mesh_cursor_refuse(c, "more than %d elements", MAX_ELEMENTS);
    ply_element *e = &p->elements[p->n_elements++];
    double n;
    if (!read_name(c, e->name, sizeof e->name))
        return firn_mesh_cursor_damaged(c, "an element has no name");
    for (ply_element *other = p->elements; other < e; other++)
        if (!strcmp(other->name, e->name))
            return firn_mesh_cursor_damaged(c, "element %s is there twice", e->name);
    firn_status status = firn_mesh_cursor_number(c, "the number of an element", &n);
    if (status) return status;
    /* each record takes a byte or more */
    if (!(n >= 0) || n > (double)(c->end - c->begin) || n > UINT32_MAX)
        return firn_mesh_cursor_damaged(
            c, "the header claims %.0f of element %s, more than fit into %lld bytes", n, e->name,
            (long long)(c->end - c->begin));
    if (n != floor(n))
        return firn_mesh_cursor_damaged(
            c, "the header claims %g of element %s; allowed: whole numbers", n, e->name);
    e->n = (int64_t)n;
    return FIRN_OK;
}

static firn_status read_format(ply *p)
{
    char name[64], version[64];
    read_name(p->c, name, sizeof name);
    read_name(p->c, version, sizeof version);
    static const char *const names[] = {"", "ascii", "binary_little_endian", "binary_big_endian"};
    for (int f = ASCII; f <= BIG; f++)
        if (!strcmp(name, names[f])) p->format = f;
    if (p->format != UNKNOWN && !strcmp(version, "1.0")) return FIRN_OK;
    return firn_mesh_cursor_damaged(p->c,
                                    "the format is \"%s %s\"; allowed: ascii, "
                                    "binary_little_endian, binary_big_endian, each 1.0",
                                    name, version);
}

static firn_status read_header(ply *p)
{
    firn_mesh_cursor *c = p->c;
    firn_mesh_cursor_skip_mark(c);
    if (!firn_mesh_cursor_word(c, "ply"))
        return firn_mesh_cursor_damaged(c, "a PLY file begins with `ply`");
    for (;;) {
        firn_mesh_cursor_skip_line(c);
        firn_status status = FIRN_OK;
        if (c->at >= c->end)
            return firn_mesh_cursor_damaged(c, "the header has no end_header: the file is cut off");
        if (firn_mesh_cursor_word(c, "end_header")) break;
        if (firn_mesh_cursor_word(c, "format"))
            status = read_format(p);
        else if (firn_mesh_cursor_word(c, "element"))
            status = read_element(p);
        else if (firn_mesh_cursor_word(c, "property"))
            status = read_property(p);
        if (status) return status;
    }
    firn_mesh_cursor_skip_line(c);
    return p->format != UNKNOWN
               ? FIRN_OK
               : firn_mesh_cursor_damaged(
                     c, "the header has no line `format`, as in `format ascii 1.0`");
}

/* ---------------------------------------------------------------- values */

#define MISFIT "the counts of the header do not fit the data, or the file is cut off"

/* Skips blank lines between records. */
static void begin_record(ply *p)
{
    firn_mesh_cursor *c = p->c;
    while (p->format == ASCII && c->at < c->end && strchr(" \t\r\n", *c->at)) c->at++;
}

static firn_status end_record(ply *p, const ply_element *e)
{
    if (p->format != ASCII) return FIRN_OK;
    firn_mesh_cursor_skip_blanks(p->c);
    if (p->c->at >= p->c->end || *p->c->at == '\n') return FIRN_OK;
    return firn_mesh_cursor_damaged(
        p->c, "the line goes on after all values of element %s: " MISFIT, e->name);
}

/* Nothing may follow but blank lines of a text. */
static firn_status end_data(ply *p)
{
    begin_record(p);
    if (p->c->at >= p->c->end) return FIRN_OK;
    return firn_messages_add(p->c->messages, FIRN_IO,
                             "%s: %lld bytes follow after all that the header names: its counts do "
                             "not fit the data",
                             p->c->path, (long long)(p->c->end - p->c->at));
}

static firn_status read_value(ply *p, ply_type type, double *value)
{
    firn_mesh_cursor *c = p->c;
    if (p->format == ASCII) {
        firn_mesh_cursor_skip_blanks(c);
        if (c->at >= c->end || *c->at == '\n')
            return firn_mesh_cursor_damaged(
                c, "the line ends before all values of the element: " MISFIT);
        return firn_mesh_cursor_number(c, "a value", value);
    }
    int n = types[type].n_bytes;
    if (c->end - c->at < n)
        return firn_messages_add(c->messages, FIRN_IO, "%s: the file ends within its data: " MISFIT,
                                 c->path);
    uint64_t bits = 0;
    for (int b = 0; b < n; b++)
        bits |= (uint64_t)(unsigned char)c->at[p->format == LITTLE ? b : n - 1 - b] << (8 * b);
    c->at += n;
    float f;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case INT8: *value = (int8_t)bits; break;
    case INT16: *value = (int16_t)bits; break;
    case INT32: *value = (int32_t)bits; break;
    case FLOAT32:
        memcpy(&f, &low, sizeof f);
        *value = f;
        break;
    case FLOAT64: memcpy(value, &bits, sizeof *value); break;
    default: *value = (double)bits;
    }
    return FIRN_OK;
}

static firn_status read_count(ply *p, const ply_property *q, int64_t *n)
{
    double value;
    firn_status status = read_value(p, q->count_type, &value);
    if (status) return status;
    if (!(value >= 0) || value > (double)(p->c->end - p->c->at))
        return firn_messages_add(p->c->messages, FIRN_IO,
                                 "%s: a list of %g entries is longer than the file: " MISFIT,
                                 p->c->path, value);
    if (value != floor(value))
        return firn_messages_add(p->c->messages, FIRN_IO,
                                 "%s: a list of %g entries, which is no whole number: " MISFIT,
                                 p->c->path, value);
    *n = (int64_t)value;
    return FIRN_OK;
}

/* Reads a record and keeps nothing. */
static firn_status skip_record(ply *p, const ply_element *e)
{
    double ignored;
    begin_record(p);
    for (int i = 0; i < e->n_properties; i++) {
        const ply_property *q = &e->properties[i];
        int64_t n = 1;
        firn_status status = q->is_list ? read_count(p, q, &n) : FIRN_OK;
        for (; !status && n > 0; n--) status = read_value(p, q->type, &ignored);
        if (status) return status;
    }
    return end_record(p, e);
}

/* ---------------------------------------------------------------- points and faces */

static const ply_element *find_element(const ply *p, const char *name)
{
    for (int i = 0; i < p->n_elements; i++)
        if (!strcmp(p->elements[i].name, name)) return &p->elements[i];
    return NULL;
}

/* The place of a vertex's property; both NULL: it is skipped */
typedef struct target {
    double *xyz;
    float *attribute;
    int stride;
    double max; /* of paint; 0: any value */
    const char *unit;
} target;

static firn_status find_targets(ply *p, const ply_element *e, firn_mesh *mesh,
                                target targets[MAX_PROPERTIES])
{
    int n_found = 0;
    for (int i = 0; i < e->n_properties; i++) {
        const ply_property *q = &e->properties[i];
        targets[i] = (target){0};
        if (q->is_list) continue;
        for (int a = 0; a < 3; a++)
            if (q->name[0] == "xyz"[a] && !q->name[1]) {
                targets[i] = (target){.xyz = mesh->xyz + a, .stride = 3};
                n_found |= 1 << a;
            }
        for (size_t k = 0; k < sizeof carried / sizeof *carried; k++) {
            if (strcmp(q->name, carried[k].property)) continue;
            const firn_mesh_attribute *a = firn_mesh_find(mesh, carried[k].attribute);
            if (!a) a = firn_mesh_add(mesh, carried[k].attribute, carried[k].n_components);
            if (!a) return firn_messages_no_memory(p->c->messages, "%s", p->c->path);
            targets[i] = (target){NULL, a->data + carried[k].component, carried[k].n_components,
                                  carried[k].max, carried[k].unit};
        }
    }
    return n_found == 7 ? FIRN_OK
                        : firn_mesh_cursor_damaged(p->c, "element vertex has no x, y or z");
}

static firn_status check_paint(const ply *p, int64_t vertex, const char *name, const target *to,
                               double value)
{
    if (to->max == 0 || (value >= 0 && value <= to->max)) return FIRN_OK; /* false for NaN */
    return firn_messages_add(
        p->c->messages, FIRN_REFUSED,
        "%s: vertex %lld, counted from 0, has %s = %g; allowed: 0 to %g%s, as for the collider",
        p->c->path, (long long)vertex, name, value, to->max, to->unit);
}

static firn_status read_vertices(ply *p, const ply_element *e, firn_mesh *mesh)
{
    target targets[MAX_PROPERTIES];
    firn_status status = find_targets(p, e, mesh, targets);
    for (int64_t v = 0; v < e->n && !status; v++) {
        begin_record(p);
        for (int i = 0; i < e->n_properties && !status; i++) {
            const ply_property *q = &e->properties[i];
            int64_t n = 1;
            double value = 0;
            if (q->is_list) status = read_count(p, q, &n);
            for (; n > 0 && !status; n--) status = read_value(p, q->type, &value);
            if (status) break;
            if (targets[i].xyz) {
                targets[i].xyz[v * 3] = value;
                status = firn_mesh_cursor_coordinate(p->c, p->format == ASCII ? -1 : v, value);
            }
            if (targets[i].attribute) targets[i].attribute[v * targets[i].stride] = (float)value;
            if (!status) status = check_paint(p, v, q->name, &targets[i], value);
        }
        if (!status) status = end_record(p, e);
    }
    return status;
}

static firn_status check_corner(const ply *p, double corner)
{
    int64_t n_points = find_element(p, "vertex")->n;
    if (!(corner >= 0) || corner > UINT32_MAX)
        return firn_mesh_cursor_damaged(p->c, "a face names point %g; allowed: from 0", corner);
    if (corner != floor(corner))
        return firn_mesh_cursor_damaged(p->c, "a face names point %g; allowed: whole numbers",
                                        corner);
    if (corner >= (double)n_points)
        return firn_mesh_cursor_damaged(p->c, "a face names point %.0f of %lld: " MISFIT, corner,
                                        (long long)n_points);
    return FIRN_OK;
}

static int is_corners(const ply_property *q)
{
    return q->is_list && (!strcmp(q->name, "vertex_indices") || !strcmp(q->name, "vertex_index"));
}

static firn_status check_face(const ply *p, const ply_element *e)
{
    char names[1024] = "";
    for (int i = 0; i < e->n_properties; i++) {
        const size_t used = strlen(names);
        if (is_corners(&e->properties[i])) return FIRN_OK;
        snprintf(names + used, sizeof names - used, "%s%s%s", i ? ", " : "",
                 e->properties[i].is_list ? "list " : "", e->properties[i].name);
    }
    return firn_messages_add(
        p->c->messages, FIRN_REFUSED,
        "%s: element face has no list vertex_indices or vertex_index for the corners of faces (it "
        "has %s); try: one of these names for the list of corners",
        p->c->path, *names ? names : "no property");
}

/* mesh NULL: only counts triangles */
static firn_status read_faces(ply *p, const ply_element *e, firn_mesh *mesh, int64_t *n_triangles)
{
    for (int64_t f = 0; f < e->n; f++) {
        begin_record(p);
        for (int i = 0; i < e->n_properties; i++) {
            const ply_property *q = &e->properties[i];
            int is_polygon = is_corners(q);
            int64_t n = 1, t0 = *n_triangles;
            double corner, first = 0, last = 0;
            firn_status status = q->is_list ? read_count(p, q, &n) : FIRN_OK;
            if (!status && is_polygon && n < 3)
                return firn_mesh_cursor_damaged(
                    p->c, "a face has %d points; allowed: 3 or more: " MISFIT, (int)n);
            for (int64_t k = 0; k < n && !status; k++, last = corner) {
                status = read_value(p, q->type, &corner);
                if (status || !is_polygon) continue;
                if ((status = check_corner(p, corner))) return status;
                if (k == 0) first = corner;
                if (k < 2) continue;
                if (mesh) {
                    uint32_t *triangle = mesh->triangles + 3 * *n_triangles;
                    triangle[0] = (uint32_t)first;
                    triangle[1] = (uint32_t)last;
                    triangle[2] = (uint32_t)corner;
                }
                ++*n_triangles;
            }
            if (mesh && !status) status = firn_mesh_polygon_cut(p->c, mesh, t0, *n_triangles - t0);
            if (status) return status;
        }
        firn_status status = end_record(p, e);
        if (status) return status;
    }
    return FIRN_OK;
}

/* All elements in the order of the file; mesh NULL: only counts triangles */
static firn_status read_body(ply *p, firn_mesh *mesh, int64_t *n_triangles)
{
    firn_status status = FIRN_OK;
    for (int i = 0; i < p->n_elements && !status; i++) {
        const ply_element *e = &p->elements[i];
        if (!strcmp(e->name, "face"))
            status = read_faces(p, e, mesh, n_triangles);
        else if (mesh && !strcmp(e->name, "vertex"))
            status = read_vertices(p, e, mesh);
        else
            for (int64_t r = 0; r < e->n && !status; r++) status = skip_record(p, e);
    }
    return status ? status : end_data(p);
}

firn_status firn_mesh_ply_read(firn_mesh_cursor *c, firn_mesh **mesh)
{
    ply p = {.c = c};
    firn_status status = read_header(&p);
    if (status) return status;
    const ply_element *vertex = find_element(&p, "vertex"), *face = find_element(&p, "face");
    if (!vertex || !face)
        return firn_messages_add(c->messages, FIRN_REFUSED,
                                 "%s: a PLY mesh needs the elements vertex and face; try: for "
                                 "points alone, `points:` of "
                                 "a body",
                                 c->path);
    if ((status = check_face(&p, face))) return status;
    const char *data = c->at;
    int64_t n_triangles = 0;
    status = read_body(&p, NULL, &n_triangles);
    if (status) return status;
    *mesh = n_triangles <= UINT32_MAX ? firn_mesh_create(vertex->n, n_triangles) : NULL;
    if (!*mesh) return firn_messages_no_memory(c->messages, "%s", c->path);
    c->at = data;
    n_triangles = 0;
    return read_body(&p, *mesh, &n_triangles);
}
