/* SPDX-License-Identifier: MIT */
/* ply.c: points as PLY, binary little-endian 1.0 (G. Turk's format).
 *
 * A header of text lines, then one record a vertex. Each component is a property of its own: x y
 * z for P, NAME_x _y _z for vectors, NAME_0 ... for other arrays, NAME for single numbers. What
 * PLY has no words for stands in comments that other programs pass over, so that firn gets back
 * what it wrote:
 *
 *     comment firn attribute TYPE COMPONENTS NAME          in the order of the properties
 *     comment firn string NAME STRING          tables of index attributes, in order
 *     comment firn detail TYPE COMPONENTS NAME WORDS       values as eight hexadecimal digits each
 *     comment firn detail_string NAME STRING
 *
 * In NAME and STRING, bytes outside printable ASCII, blanks and % are written as %XX. Reading:
 * ply_read.c. */
#include "points/ply.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 14 };

const char *const firn_ply_types[4] = {"float", "int", "vector", "index"};

/* ---------------------------------------------------------------- writing */

static int is_plain(unsigned char c) { return c > ' ' && c < 0x7F && c != '%'; }

static void put_escaped(firn_file_writer *writer, const char *string)
{
    for (const unsigned char *p = (const unsigned char *)string; *p; p++)
        if (is_plain(*p))
            firn_file_write(writer, p, 1);
        else
            firn_file_print(writer, "%%%02X", *p);
}

static void put_strings(firn_file_writer *writer, const char *keyword,
                        const firn_attribute *attribute)
{
    for (int s = 0; s < attribute->n_strings; s++) {
        firn_file_print(writer, "comment firn %s ", keyword);
        put_escaped(writer, attribute->name);
        firn_file_print(writer, " ");
        put_escaped(writer, attribute->strings[s]);
        firn_file_print(writer, "\n");
    }
}

static void put_comments(firn_file_writer *writer, const firn_points *points)
{
    for (int a = 0; a < points->n_attributes; a++) {
        const firn_attribute *attribute = &points->attributes[a];
        firn_file_print(writer, "comment firn attribute %s %d ", firn_ply_types[attribute->type],
                        attribute->n_components);
        put_escaped(writer, attribute->name);
        firn_file_print(writer, "\n");
        put_strings(writer, "string", attribute);
    }
    for (int a = 0; a < points->n_details; a++) {
        const firn_attribute *detail = &points->details[a];
        firn_file_print(writer, "comment firn detail %s %d ", firn_ply_types[detail->type],
                        detail->n_components);
        put_escaped(writer, detail->name);
        for (int c = 0; c < detail->n_components; c++)
            firn_file_print(writer, " %08x", (unsigned)detail->data.i[c]);
        firn_file_print(writer, "\n");
        put_strings(writer, "detail_string", detail);
    }
}

/* Property names may hold no blanks; anything doubtful becomes an underscore. */
static void put_properties(firn_file_writer *writer, const firn_attribute *attribute)
{
    char name[64];
    int is_float =
        attribute->type == FIRN_ATTRIBUTE_FLOAT || attribute->type == FIRN_ATTRIBUTE_VECTOR;
    const char *type = is_float ? "float" : "int";
    strcpy(name, attribute->name);
    for (char *p = name; *p; p++)
        if (!is_plain((unsigned char)*p)) *p = '_';
    for (int c = 0; c < attribute->n_components; c++)
        if (strcmp(name, "P") == 0 && attribute->n_components == 3)
            firn_file_print(writer, "property %s %c\n", type, "xyz"[c]);
        else if (attribute->n_components == 1)
            firn_file_print(writer, "property %s %s\n", type, name);
        else if (attribute->type == FIRN_ATTRIBUTE_VECTOR)
            firn_file_print(writer, "property %s %s_%c\n", type, name, "xyz"[c]);
        else
            firn_file_print(writer, "property %s %s_%d\n", type, name, c);
}

static int words_of(const firn_points *points)
{
    int words = 0;
    for (int a = 0; a < points->n_attributes && words <= BLOCK; a++)
        words += points->attributes[a].n_components;
    return words;
}

/* n points from `first` on as records: 4-byte words as they lie */
static void fill(const firn_points *points, int64_t first, int n, uint32_t *block, int stride)
{
    int at = 0;
    for (int a = 0; a < points->n_attributes; a++) {
        int n_components = points->attributes[a].n_components;
        const int32_t *column = points->attributes[a].data.i + first * n_components;
        for (int i = 0; i < n; i++)
            memcpy(block + i * stride + at, column + i * n_components, 4 * (size_t)n_components);
        at += n_components;
    }
}

firn_status firn_ply_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                           firn_messages *messages)
{
    const firn_attribute *P = firn_points_find(points, "P");
    if (!P || P->n_components != 3 || P->type == FIRN_ATTRIBUTE_INT ||
        P->type == FIRN_ATTRIBUTE_INDEX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: attribute P (three floats) is missing", path);
    int stride = words_of(points);
    if (stride > FIRN_PLY_PROPERTIES)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: too many numbers per point; allowed: up to %d", path,
                                 FIRN_PLY_PROPERTIES);
    firn_file_writer *writer = firn_file_create(path, 0, messages);
    if (!writer) return firn_file_failure(messages);
    firn_file_print(writer, "ply\nformat binary_little_endian 1.0\ncomment written by firn %s\n",
                    FIRN_VERSION);
    put_comments(writer, points);
    firn_file_print(writer, "element vertex %lld\n", (long long)points->n);
    for (int a = 0; a < points->n_attributes; a++) put_properties(writer, &points->attributes[a]);
    firn_file_print(writer, "end_header\n");
    uint32_t block[BLOCK];
    int n_block = BLOCK / stride;
    for (int64_t first = 0; first < points->n; first += n_block) {
        int n = points->n - first < n_block ? (int)(points->n - first) : n_block;
        fill(points, first, n, block, stride);
        firn_file_write(writer, block, (size_t)n * (size_t)stride * 4);
    }
    return firn_file_commit(writer, receipt, messages);
}
