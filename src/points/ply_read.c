/* SPDX-License-Identifier: MIT */
/* ply_read.c: points from PLY 1.0, as text and binary of either byte order.
 *
 * Where firn's own comments (ply.c) fit the properties they say what these are. Files of other
 * programs are read by their property names: x y z, nx ny nz (N), vx vy vz (v), red green blue
 * (Cd, from 0...255 or 0...1), NAME_x NAME_y NAME_z and NAME_0 ... NAME_n, where all of them are
 * there; other properties become attributes of one component. The vertices come first; in a text
 * each one is a line. */
#include "points/ply.h"
#include "base/messages.h"
#include "base/memory.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 200000, HEADER_LINES = 1000000, BLOCK = 1 << 14 };

/* ---------------------------------------------------------------- the header */

typedef enum scalar { CHAR, UCHAR, SHORT, USHORT, INT, UINT, FLOAT, DOUBLE, N_SCALARS } scalar;
static const char *const scalar_names[N_SCALARS][2] = {
    {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
    {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
static const int scalar_bytes[N_SCALARS] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef struct property {
    char name[64];
    scalar type;
    int offset;
} property;

typedef enum encoding { UNKNOWN, ASCII, LITTLE, BIG } encoding;
static const char *const encodings[] = {"", "ascii", "binary_little_endian", "binary_big_endian"};

typedef struct source {
    firn_file_reader *file;
    encoding encoding;
    locale_t locale; /* "C": a comma is never a decimal point */
    firn_messages *messages;
    firn_points *points; /* from the comments, with no column yet: n is 0 while they are read */
    char *line;
    int n_properties, record; /* record: bytes */
    property *properties;
    int64_t n;
    int has_vertices, is_vertex, has_more, is_in_points;
} source;

static firn_status wrong(const source *from, const char *format, ...) FIRN_PRINTF(2, 3);
static firn_status wrong(const source *from, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return firn_messages_add(from->messages, FIRN_IO, "%s: %s", firn_file_path(from->file), what);
}

static firn_status no_memory(source *from)
{
    return firn_messages_no_memory(from->messages, "%s", firn_file_path(from->file));
}

/* The end of the file ends the last line of the points, too, but the header has a line to end with.
 */
static firn_status take_line(source *from, const char *part)
{
    int n = 0;
    for (; n < LINE_MAX_BYTES; n++) {
        if (n > 0 && from->is_in_points && firn_file_left(from->file) == 0) break;
        firn_status status = firn_file_read(from->file, from->line + n, 1, part, from->messages);
        if (status != FIRN_OK) return status;
        if (from->line[n] == 0) return wrong(from, "not a PLY file (a zero byte in %s)", part);
        if (from->line[n] == '\n') break;
    }
    if (n == LINE_MAX_BYTES)
        return wrong(from, "not a PLY file (a line of more than %d bytes in %s)", LINE_MAX_BYTES,
                     part);
    while (n > 0 && strchr(" \t\r", from->line[n - 1])) n--;
    from->line[n] = 0;
    return FIRN_OK;
}

/* The next word of *p, cut off and unescaped in place; "" at the end. */
static char *word(char **p)
{
    char *start = *p + strspn(*p, " \t"), *end = start + strcspn(start, " \t"), *out = start;
    *p = *end ? end + 1 : end;
    *end = 0;
    for (char *in = start; *in; in++) {
        int code;
        if (*in == '%' && sscanf(in + 1, "%2x", (unsigned *)&code) == 1 && code > 0 && in[1] &&
            in[2]) {
            *out++ = (char)code;
            in += 2;
        } else {
            *out++ = *in;
        }
    }
    *out = 0;
    return start;
}

/* A comment of ours. Anything in it that does not fit makes the file one of somebody else's: no
 * attributes. */
static firn_status take_comment(source *from, char *p)
{
    firn_points *points = from->points;
    char *keyword = word(&p);
    int is_detail = strncmp(keyword, "detail", 6) == 0;
    firn_attribute *list = is_detail ? points->details : points->attributes;
    int n_list = is_detail ? points->n_details : points->n_attributes;
    if (strcmp(keyword, "attribute") == 0 || strcmp(keyword, "detail") == 0) {
        char *type = word(&p);
        int n_components = atoi(word(&p)), code = 0;
        char *name = word(&p);
        while (code < 4 && strcmp(type, firn_ply_types[code]) != 0) code++;
        if (code == 4 || n_components < 1 || n_components > FIRN_PLY_PROPERTIES ||
            n_list >= FIRN_PLY_PROPERTIES)
            return wrong(from, "damaged header (a comment of firn)");
        if (!*name || strlen(name) > 63 || firn_points_find(points, is_detail ? "" : name) ||
            (is_detail && firn_points_find_detail(points, name)) ||
            (code == 2 && n_components != 3))
            return wrong(from, "damaged header (a comment of firn)");
        firn_attribute *made =
            is_detail
                ? firn_points_add_detail(points, name, (firn_attribute_type)code, n_components)
                : firn_points_add(points, name, (firn_attribute_type)code, n_components);
        if (!made) return no_memory(from);
        for (int c = 0; is_detail && c < n_components; c++)
            made->data.i[c] = (int32_t)(uint32_t)strtoul(word(&p), NULL, 16);
    } else if (strcmp(keyword, "string") == 0 || strcmp(keyword, "detail_string") == 0) {
        char *name = word(&p);
        if (n_list == 0 || strcmp(list[n_list - 1].name, name) != 0 ||
            list[n_list - 1].type != FIRN_ATTRIBUTE_INDEX)
            return wrong(from, "damaged header (a comment of firn)");
        if (firn_attribute_append(&list[n_list - 1], word(&p)) < 0) return no_memory(from);
    }
    return FIRN_OK;
}

static firn_status take_property(source *from, char *p)
{
    char *type = word(&p), *name = word(&p);
    int code = 0;
    if (!from->is_vertex) return FIRN_OK; /* of elements behind the vertices */
    if (strcmp(type, "list") == 0)
        return wrong(from, "a list as property of vertices; allowed: numbers");
    while (code < N_SCALARS && strcmp(type, scalar_names[code][0]) != 0 &&
           strcmp(type, scalar_names[code][1]) != 0)
        code++;
    if (code == N_SCALARS) return wrong(from, "a property of unknown type");
    if (!*name || strlen(name) > 63)
        return wrong(from, "a property has no name, or one of more than 63 bytes");
    if (from->n_properties == FIRN_PLY_PROPERTIES) return wrong(from, "more than 4096 properties");
    property *made = &from->properties[from->n_properties++];
    strcpy(made->name, name);
    made->type = (scalar)code;
    made->offset = from->record;
    from->record += scalar_bytes[code];
    return FIRN_OK;
}

static firn_status take_element(source *from, char *p)
{
    char *name = word(&p), *number = word(&p), *end;
    long long n = strtoll(number, &end, 10);
    if (!*number || *end || n < 0) return wrong(from, "an element without a number");
    from->is_vertex = strcmp(name, "vertex") == 0 && !from->has_vertices;
    if (!from->is_vertex && !from->has_vertices)
        return wrong(from, "the first element is not vertex");
    if (!from->is_vertex) from->has_more = 1;
    if (from->is_vertex) {
        from->n = n;
        from->has_vertices = 1;
    }
    return FIRN_OK;
}

static firn_status take_format(source *from, char *p)
{
    const char *name = word(&p), *version = word(&p);
    for (encoding e = ASCII; e <= BIG; e++)
        if (strcmp(name, encodings[e]) == 0) from->encoding = e;
    if (from->encoding != UNKNOWN && strcmp(version, "1.0") == 0) return FIRN_OK;
    return wrong(from,
                 "the format is \"%.40s %.40s\"; allowed: ascii, binary_little_endian, "
                 "binary_big_endian, each 1.0",
                 name, version);
}

static firn_status end_header(source *from)
{
    if (!from->has_vertices) return wrong(from, "no vertices");
    if (from->encoding == UNKNOWN)
        return wrong(from, "the header has no line `format`, as in `format ascii 1.0`");
    from->is_in_points = 1;
    return FIRN_OK;
}

static firn_status take_header(source *from)
{
    firn_status status = take_line(from, "the header");
    if (status == FIRN_OK && strcmp(from->line, "ply") != 0) status = wrong(from, "not a PLY file");
    for (int n = 0; status == FIRN_OK && n < HEADER_LINES; n++) {
        if ((status = take_line(from, "the header")) != FIRN_OK) break;
        if (strcmp(from->line, "end_header") == 0) return end_header(from);
        if (strncmp(from->line, "format", 6) == 0)
            status = take_format(from, from->line + 6);
        else if (strncmp(from->line, "comment firn ", 13) == 0)
            status = take_comment(from, from->line + 13);
        else if (strncmp(from->line, "element ", 8) == 0)
            status = take_element(from, from->line + 8);
        else if (strncmp(from->line, "property ", 9) == 0)
            status = take_property(from, from->line + 9);
    }
    return status == FIRN_OK ? wrong(from, "the header has no end_header: the file is cut off")
                             : status;
}

/* ---------------------------------------------------------------- the points */

/* Whether the comments describe exactly the properties that follow: all of 4 bytes, floats and
 * ints in their places. */
static int is_ours(const source *from)
{
    int at = 0;
    for (int a = 0; a < from->points->n_attributes; a++) {
        const firn_attribute *attribute = &from->points->attributes[a];
        scalar wanted =
            attribute->type == FIRN_ATTRIBUTE_FLOAT || attribute->type == FIRN_ATTRIBUTE_VECTOR
                ? FLOAT
                : INT;
        for (int c = 0; c < attribute->n_components; c++, at++)
            if (at >= from->n_properties || from->properties[at].type != wanted) return 0;
    }
    return at > 0 && at == from->n_properties;
}

/* ---------------------------------------------------------------- values one by one */

/* Where a property goes. */
typedef struct target {
    int attribute, component, kind; /* kind: what the name says that it is a part of */
    double scale;
} target;

static double scalar_value(const unsigned char *p, scalar type, int is_big)
{
    union {
        unsigned char bytes[8];
        int8_t c;
        uint8_t uc;
        int16_t s;
        uint16_t us;
        int32_t i;
        uint32_t ui;
        float f;
        double d;
    } value;
    int n = scalar_bytes[type];
    for (int b = 0; b < n; b++) value.bytes[b] = p[is_big ? n - 1 - b : b];
    switch (type) {
    case CHAR: return value.c;
    case UCHAR: return value.uc;
    case SHORT: return value.s;
    case USHORT: return value.us;
    case INT: return value.i;
    case UINT: return value.ui;
    case FLOAT: return (double)value.f;
    default: return value.d;
    }
}

/* A line of text: a number for each property, whole and in its range where its type is */
static firn_status take_text(source *from, int64_t point, double *values)
{
    static const double most[N_SCALARS] = {127, 255, 32767, 65535, 2147483647, 4294967295};
    firn_status status = FIRN_OK;
    do {
        if (firn_file_left(from->file) == 0)
            return wrong(from, "the file ends after %lld of the %lld points that the header names",
                         (long long)point, (long long)from->n);
        status = take_line(from, "the points");
    } while (status == FIRN_OK && !from->line[0]);
    if (status != FIRN_OK) return status;
    char *p = from->line;
    for (int k = 0; k < from->n_properties; k++) {
        const property *wanted = &from->properties[k];
        char *text = word(&p), *end;
        if (!*text)
            return wrong(
                from,
                "the line of point %lld ends before %s; the header names %d numbers per point",
                (long long)point, wanted->name, from->n_properties);
        values[k] = strtod_l(text, &end, from->locale);
        if (*end)
            return wrong(from, "point %lld has %s = \"%.40s\", which is no number",
                         (long long)point, wanted->name, text);
        double max = most[wanted->type], least = wanted->type % 2 ? 0 : -max - 1;
        if (max > 0 && !(values[k] == floor(values[k]) && values[k] >= least && values[k] <= max))
            return wrong(
                from,
                "point %lld has %s = %.40s; allowed for type %s: whole numbers from %.0f to %.0f",
                (long long)point, wanted->name, text, scalar_names[wanted->type][0], least, max);
    }
    if (!*word(&p)) return FIRN_OK;
    return wrong(from, "the line of point %lld has more than the %d numbers of the header",
                 (long long)point, from->n_properties);
}

/* After the last point of a text there may be blank lines. */
static firn_status finish(source *from)
{
    while (from->encoding == ASCII && firn_file_left(from->file) > 0) {
        firn_status status = take_line(from, "the points");
        if (status != FIRN_OK) return status;
        if (from->line[0])
            return wrong(from, "more lines than the %lld points of the header", (long long)from->n);
    }
    return firn_file_finish(from->file, from->messages);
}

static firn_status take_values(source *from, firn_points *points, const target *targets)
{
    static const size_t record_max = FIRN_PLY_PROPERTIES * 8,
                        values_max = FIRN_PLY_PROPERTIES * sizeof(double);
    unsigned char *record = firn_memory_allocate(NULL, record_max);
    double *values = firn_memory_allocate(NULL, values_max);
    firn_status status = record && values ? FIRN_OK : no_memory(from);
    for (int64_t i = 0; status == FIRN_OK && i < points->n; i++) {
        if (from->encoding == ASCII)
            status = take_text(from, i, values);
        else {
            status = firn_file_read(from->file, record, (size_t)from->record, "the points",
                                    from->messages);
            for (int k = 0; status == FIRN_OK && k < from->n_properties; k++)
                values[k] = scalar_value(record + from->properties[k].offset,
                                         from->properties[k].type, from->encoding == BIG);
        }
        for (int k = 0; status == FIRN_OK && k < from->n_properties; k++) {
            firn_attribute *attribute = &points->attributes[targets[k].attribute];
            int64_t at = i * attribute->n_components + targets[k].component;
            if (attribute->type == FIRN_ATTRIBUTE_INT || attribute->type == FIRN_ATTRIBUTE_INDEX)
                attribute->data.i[at] =
                    (int32_t)(uint32_t)(int64_t)values[k]; /* large unsigned ones wrap, as in C */
            else
                attribute->data.f[at] = (float)(values[k] * targets[k].scale);
        }
    }
    firn_memory_release(NULL, values, values_max);
    firn_memory_release(NULL, record, record_max);
    return status != FIRN_OK || from->has_more ? status : finish(from);
}

/* ---------------------------------------------------------------- what the comments say */

/* Moves names, string tables and details to a set of n points; the columns are new. */
static firn_points *with_columns(source *from)
{
    firn_points *old = from->points, *points = firn_points_create(from->n);
    for (int a = 0; points && a < old->n_attributes; a++) {
        firn_attribute *was = &old->attributes[a];
        firn_attribute *now = firn_points_add(points, was->name, was->type, was->n_components);
        if (!now) {
            firn_points_destroy(points);
            return NULL;
        }
        now->strings = was->strings;
        now->n_strings = was->n_strings;
        was->strings = NULL;
        was->n_strings = 0;
    }
    if (!points) return NULL;
    points->details = old->details;
    points->n_details = old->n_details;
    old->details = NULL;
    old->n_details = 0;
    return points;
}

/* Records to n points from `first` on: 4-byte words as they lie */
static void empty(firn_points *points, int64_t first, int n, const uint32_t *block, int stride)
{
    int at = 0;
    for (int a = 0; a < points->n_attributes; a++) {
        int n_components = points->attributes[a].n_components;
        int32_t *column = points->attributes[a].data.i + first * n_components;
        for (int i = 0; i < n; i++)
            memcpy(column + i * n_components, block + i * stride + at, 4 * (size_t)n_components);
        at += n_components;
    }
}

static firn_status take_blocks(source *from, firn_points *points)
{
    uint32_t block[BLOCK];
    int stride = from->n_properties, n_block = BLOCK / stride;
    for (int64_t first = 0; first < points->n; first += n_block) {
        int n = points->n - first < n_block ? (int)(points->n - first) : n_block;
        firn_status status = firn_file_read(from->file, block, (size_t)n * (size_t)stride * 4,
                                            "the points", from->messages);
        if (status != FIRN_OK) return status;
        empty(points, first, n, block, stride);
    }
    return firn_file_finish(from->file, from->messages);
}

/* targets: room for all properties, in the order of the attributes' components */
static firn_status take_ours(source *from, firn_points **made, target *targets)
{
    firn_points *points = *made = with_columns(from);
    if (!points) return no_memory(from);
    int k = 0;
    for (int a = 0; a < points->n_attributes; a++)
        for (int c = 0; c < points->attributes[a].n_components; c++)
            targets[k++] = (target){a, c, 0, 1};
    int is_block = from->encoding == LITTLE && !from->has_more;
    firn_status status = is_block ? take_blocks(from, points) : take_values(from, points, targets);
    if (status != FIRN_OK) return status;
    const char *path = firn_file_path(from->file);
    for (int a = 0; a < points->n_attributes; a++)
        firn_attribute_tame(&points->attributes[a], points->n, path, from->messages);
    for (int a = 0; a < points->n_details; a++)
        firn_attribute_tame(&points->details[a], 1, path, from->messages);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- files of others */

/* Three properties that make one vector, under the names that other programs use. */
static const struct {
    const char *attribute, *components[3];
} groups[] = {{"P", {"x", "y", "z"}},
              {"N", {"nx", "ny", "nz"}},
              {"v", {"vx", "vy", "vz"}},
              {"Cd", {"red", "green", "blue"}}};
enum { COLORS = 3, N_GROUPS = 4, NUMBERED, LETTERED, ALONE };

static int has_property(const source *from, const char *name)
{
    for (int k = 0; k < from->n_properties; k++)
        if (strcmp(from->properties[k].name, name) == 0) return 1;
    return 0;
}

/* The component that a name's end says: x y z are 0 1 2 of LETTERED, numbers those of NUMBERED;
 * -1: none. *n_base gets the length of what stands before. */
static int suffix_of(const char *name, int kind, size_t *n_base)
{
    const char *bar = strrchr(name, '_');
    if (!bar || bar == name || !bar[1]) return -1;
    *n_base = (size_t)(bar - name);
    if (kind == LETTERED) return !bar[2] && strchr("xyz", bar[1]) ? bar[1] - 'x' : -1;
    size_t n_digits = strspn(bar + 1, "0123456789");
    if (bar[1 + n_digits] || n_digits > 4 || (bar[1] == '0' && n_digits > 1)) return -1;
    return atoi(bar + 1);
}

/* How many components the array that property k belongs to has: 0 where one is missing or there
 * is only one. As no name stands twice, all are there if there are as many as the highest one
 * says. */
static int components_of(const source *from, int k, int kind, int *is_whole)
{
    size_t n_base, n_other;
    const char *name = from->properties[k].name;
    if (suffix_of(name, kind, &n_base) < 0) return 0;
    int n = 0, highest = 0;
    *is_whole = 1;
    for (int j = 0; j < from->n_properties; j++) {
        int component = suffix_of(from->properties[j].name, kind, &n_other);
        if (component < 0 || n_other != n_base ||
            strncmp(from->properties[j].name, name, n_base) != 0)
            continue;
        n++;
        highest = component > highest ? component : highest;
        *is_whole &= from->properties[j].type < FLOAT;
    }
    return n == highest + 1 && n > 1 && (kind == NUMBERED || n == 3) ? n : 0;
}

/* What property k is a part of; *made is that attribute without a column. Arrays are of whole
 * numbers where all of their properties are. */
static target find_place(const source *from, int k, firn_attribute *made)
{
    const property *p = &from->properties[k];
    int is_whole = p->type < FLOAT;
    *made = (firn_attribute){.type = is_whole ? FIRN_ATTRIBUTE_INT : FIRN_ATTRIBUTE_FLOAT,
                             .n_components = 1};
    strcpy(made->name, p->name);
    for (int g = 0; g < N_GROUPS; g++)
        for (int c = 0; c < 3; c++) {
            const char *const *parts = groups[g].components;
            if (strcmp(p->name, parts[c]) != 0) continue;
            if (!has_property(from, parts[0]) || !has_property(from, parts[1]) ||
                !has_property(from, parts[2]))
                continue;
            strcpy(made->name, groups[g].attribute);
            made->n_components = 3;
            made->type = g == COLORS ? FIRN_ATTRIBUTE_FLOAT : FIRN_ATTRIBUTE_VECTOR;
            return (target){0, c, g, g == COLORS && p->type == UCHAR ? 1.0 / 255 : 1};
        }
    for (int kind = NUMBERED; kind <= LETTERED; kind++) {
        size_t n_base;
        int n = components_of(from, k, kind, &is_whole);
        if (!n) continue;
        int component = suffix_of(p->name, kind, &n_base);
        made->name[n_base] = 0;
        made->n_components = n;
        made->type = is_whole           ? FIRN_ATTRIBUTE_INT
                     : kind == LETTERED ? FIRN_ATTRIBUTE_VECTOR
                                        : FIRN_ATTRIBUTE_FLOAT;
        return (target){0, component, kind, 1};
    }
    return (target){0, 0, ALONE, 1};
}

static firn_status plan_foreign(source *from, firn_points *points, target *targets)
{
    for (int k = 0; k < from->n_properties; k++) {
        const property *p = &from->properties[k];
        firn_attribute wanted;
        int first = 0;
        for (int j = 0; j < k; j++)
            if (strcmp(p->name, from->properties[j].name) == 0)
                return wrong(from, "two properties are called %s", p->name);
        targets[k] = find_place(from, k, &wanted);
        const firn_attribute *found = firn_points_find(points, wanted.name);
        if (!found) found = firn_points_add(points, wanted.name, wanted.type, wanted.n_components);
        if (!found) return no_memory(from);
        targets[k].attribute = (int)(found - points->attributes);
        while (targets[first].attribute != targets[k].attribute) first++;
        if (targets[first].kind != targets[k].kind)
            return wrong(from, "properties %s and %s both mean attribute %s; allowed: one of them",
                         from->properties[first].name, p->name, wanted.name);
    }
    return firn_points_find(points, "P") ? FIRN_OK : wrong(from, "no x y z");
}

static firn_status take_foreign(source *from, firn_points **made, target *targets)
{
    firn_points *points = *made = firn_points_create(from->n);
    firn_status status = points ? plan_foreign(from, points, targets) : no_memory(from);
    return status == FIRN_OK ? take_values(from, points, targets) : status;
}

static firn_status take_points(source *from, firn_points **points)
{
    if (from->n_properties == 0) return wrong(from, "its vertices have no properties");
    /* of a text every number takes two bytes, with what stands behind it */
    int is_text = from->encoding == ASCII;
    unsigned record = is_text ? 2 * (unsigned)from->n_properties : (unsigned)from->record;
    if ((uint64_t)from->n > (firn_file_left(from->file) + (is_text ? 1 : 0)) / record)
        return wrong(from, "damaged or cut off: more points than the file can hold");
    target *targets = firn_memory_array(NULL, (size_t)from->n_properties, sizeof *targets);
    if (!targets) return no_memory(from);
    firn_status status =
        is_ours(from) ? take_ours(from, points, targets) : take_foreign(from, points, targets);
    firn_memory_release(NULL, targets, (size_t)from->n_properties * sizeof *targets);
    return status;
}

firn_status firn_ply_read(const char *path, firn_points **points, firn_messages *messages)
{
    *points = NULL;
    source from = {.file = firn_file_open(path, 0, messages), .messages = messages};
    if (!from.file) return firn_file_failure(messages);
    from.points = firn_points_create(0);
    from.line = firn_memory_allocate(NULL, LINE_MAX_BYTES);
    from.properties = firn_memory_array(NULL, FIRN_PLY_PROPERTIES, sizeof *from.properties);
    from.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    int is_ready = from.points && from.line && from.properties && from.locale;
    firn_status status = is_ready ? take_header(&from) : no_memory(&from);
    if (status == FIRN_OK) status = take_points(&from, points);
    if (from.locale) freelocale(from.locale);
    firn_memory_release(NULL, from.properties, FIRN_PLY_PROPERTIES * sizeof *from.properties);
    firn_memory_release(NULL, from.line, LINE_MAX_BYTES);
    firn_points_destroy(from.points);
    firn_file_close(from.file);
    if (status == FIRN_OK) return FIRN_OK;
    firn_points_destroy(*points);
    *points = NULL;
    return status;
}
