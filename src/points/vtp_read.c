/* SPDX-License-Identifier: MIT */
/* vtp_read.c: points from .vtp, the XML file of VTK for PolyData; vtp.c says what firn writes,
 * vtp_data.c how numbers are encoded.
 *
 *     VTKFile PolyData FieldData DataArray            details; NAME_strings: the table of the
 *                                                     index attribute NAME
 *                      Piece     PointData DataArray  attributes: every piece must have the same
 *                                Points    DataArray  P
 *              AppendedData
 *
 * Floats in threes are vectors, UInt8 Cd is 0...255. Texts among the points become index
 * attributes. Cells and their data are left alone: what counts are the points. */
#include "base/file.h"
#include "base/messages.h"
#include "base/memory.h"
#include "base/read_limits.h"
#include "points/vtp.h"
#include "points/vtp_data.h"
#include "base/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK                                                                                       \
    ((uint64_t)64                                                                                  \
     << 10) /* bytes that tell whether it is a VTK file: a great one is read only then */

enum { STRINGS_MAX = 4096, ARRAYS_MAX = 16384 };

typedef enum place { ELSEWHERE, FIELD_DATA, POINT_DATA, POINTS } place;

typedef struct entry { /* a DataArray and where it stands */
    firn_vtp_array array;
    place place;
    int piece;
} entry;

typedef struct source {
    firn_vtp_file file;
    int n_entries, entry_room, n_pieces, piece_room;
    entry *entries;
    int64_t *piece_points, n;
    uint64_t n_taken, most; /* bytes of attributes, and their bound */
    const char *counted;    /* lines up to here */
    int n_lines;
} source;

static firn_status wrong(const source *from, const char *what)
{
    return firn_messages_add(from->file.messages, FIRN_IO, "%s: %s", from->file.path, what);
}

static firn_status no_memory(const source *from)
{
    return firn_messages_no_memory(from->file.messages, "%s", from->file.path);
}

static firn_status was_cut(const source *from, const char *part)
{
    return firn_messages_add(from->file.messages, FIRN_IO,
                             "%s: cut off (ends after %zu bytes, inside %s)", from->file.path,
                             from->file.n, part);
}

/* ---------------------------------------------------------------- the tags */

static int line_of(source *from, const char *at)
{
    for (; from->counted < at; from->counted++) from->n_lines += *from->counted == '\n';
    return from->n_lines;
}

/* Room for one more in a list that doubles. */
static int grow(void **list, int n, int *room, size_t each)
{
    if (n < *room) return 1;
    int wanted = *room ? 2 * *room : 16;
    void *grown = wanted > 0 ? firn_memory_array(NULL, (size_t)wanted, each) : NULL;
    if (!grown) return 0;
    if (n) memcpy(grown, *list, (size_t)n * each);
    firn_memory_release(NULL, *list, (size_t)*room * each);
    *list = grown;
    *room = wanted;
    return 1;
}

/* A whole number that is not negative; `absent` where it is not said, -2 for anything else. */
static int64_t count_of(const firn_xml_tag *tag, const char *name, int64_t absent)
{
    char text[32], *end;
    if (!firn_xml_attribute(tag, name, text, sizeof text)) return absent;
    long long value = strtoll(text, &end, 10);
    return end == text || *end || value < 0 || value == INT64_MAX ? -2 : value;
}

static firn_status take_file_tag(source *from, const firn_xml_tag *tag)
{
    char text[64];
    firn_xml_attribute(tag, "type", text, sizeof text);
    if (strcmp(text, "PolyData") != 0)
        return firn_messages_add(from->file.messages, FIRN_IO,
                                 "%s: VTK file of type '%s'; allowed: PolyData", from->file.path,
                                 text);
    firn_xml_attribute(tag, "byte_order", text, sizeof text);
    from->file.is_big_endian = strcmp(text, "BigEndian") == 0;
    firn_xml_attribute(tag, "header_type", text, sizeof text);
    from->file.header_bytes = strcmp(text, "UInt64") == 0 ? 8 : 4;
    firn_xml_attribute(tag, "compressor", text, sizeof text);
    from->file.is_compressed = text[0] != 0;
    if (!text[0] || strcmp(text, "vtkZLibDataCompressor") == 0) return FIRN_OK;
    return firn_messages_add(
        from->file.messages, FIRN_IO,
        "%s: compressed by %s; allowed: vtkZLibDataCompressor, or uncompressed", from->file.path,
        text);
}

static firn_status take_piece(source *from, const firn_xml_tag *tag)
{
    int64_t n = count_of(tag, "NumberOfPoints", -1);
    if (n < 0) return wrong(from, "a Piece with an invalid NumberOfPoints");
    if ((uint64_t)n > (uint64_t)from->file.n * 1032 || n > (int64_t)1 << 44)
        return wrong(from, "damaged or cut off: more points than the file can hold");
    if (!grow((void **)&from->piece_points, from->n_pieces, &from->piece_room,
              sizeof *from->piece_points))
        return no_memory(from);
    from->piece_points[from->n_pieces++] = n;
    from->n += n;
    return from->n > (int64_t)1 << 44 ? wrong(from, "more points than the file can hold") : FIRN_OK;
}

static firn_status take_type(const source *from, const firn_xml_tag *tag, firn_vtp_array *a)
{
    char text[64];
    firn_xml_attribute(tag, "type", text, sizeof text);
    int t = 0;
    while (t < FIRN_VTP_N_TYPES && strcmp(text, firn_vtp_types[t].name) != 0) t++;
    if (t == FIRN_VTP_N_TYPES)
        return firn_vtp_wrong(&from->file, a, "has the unknown type '%s'", text);
    a->type = (firn_vtp_type)t;
    firn_xml_attribute(tag, "format", text, sizeof text);
    static const char *const encodings[] = {"ascii", "binary", "appended"};
    int e = 0;
    while (e < 3 && strcmp(text, encodings[e]) != 0) e++;
    if (e == 3)
        return firn_vtp_wrong(&from->file, a,
                              "has the format '%s'; allowed: ascii, binary, appended", text);
    a->encoding = (firn_vtp_encoding)e;
    return FIRN_OK;
}

static firn_status take_array(source *from, const firn_xml_tag *tag, place where)
{
    if (from->n_entries == ARRAYS_MAX)
        return wrong(from, "more than 16384 arrays of points and field data");
    if (!grow((void **)&from->entries, from->n_entries, &from->entry_room, sizeof *from->entries))
        return no_memory(from);
    entry *made = &from->entries[from->n_entries];
    firn_vtp_array *a = &made->array;
    *made = (entry){.place = where, .piece = from->n_pieces - 1};
    a->line = line_of(from, tag->begin);
    const int is_named = firn_xml_attribute(tag, "Name", a->name, sizeof a->name) && *a->name;
    if (!is_named && where != POINTS)
        return firn_vtp_wrong(&from->file, a, "has no name, or one of more than 63 bytes");
    firn_status status = take_type(from, tag, a);
    if (status != FIRN_OK) return status;
    int64_t n_components = count_of(tag, "NumberOfComponents", 1),
            offset = count_of(tag, "offset", 0);
    if (n_components < 1 || n_components > FIRN_POINTS_COMPONENTS_MAX)
        return firn_vtp_wrong(&from->file, a, "has an invalid NumberOfComponents");
    if (offset < 0) return firn_vtp_wrong(&from->file, a, "has an invalid offset");
    a->n_components = (int)n_components;
    a->offset = (uint64_t)offset;
    a->n_tuples = count_of(tag, "NumberOfTuples", -1);
    a->from = a->until = tag->end;
    const char *end = from->file.text + from->file.n;
    const char *next = tag->is_empty ? tag->end : memchr(tag->end, '<', (size_t)(end - tag->end));
    if (!next) return was_cut(from, "an array");
    a->until = next;
    from->n_entries++;
    return FIRN_OK;
}

/* The last `what` of the text behind `from`. */
static const char *find_last(const char *from, const char *end, const char *what)
{
    size_t n = strlen(what);
    for (const char *p = end - n; p >= from; p--)
        if (*p == *what && memcmp(p, what, n) == 0) return p;
    return NULL;
}

static firn_status take_appended(source *from, const firn_xml_tag *tag)
{
    char text[32];
    firn_xml_attribute(tag, "encoding", text, sizeof text);
    from->file.appended_is_base64 = strcmp(text, "base64") == 0;
    if (!from->file.appended_is_base64 && strcmp(text, "raw") != 0)
        return firn_messages_add(from->file.messages, FIRN_IO,
                                 "%s: appended data encoded as '%s'; allowed: raw, base64",
                                 from->file.path, text);
    const char *end = from->file.text + from->file.n,
               *start = memchr(tag->end, '_', (size_t)(end - tag->end));
    const char *stop = find_last(tag->end, end, "</AppendedData>");
    if (!start || !stop || start >= stop || !memmem(stop, (size_t)(end - stop), "</VTKFile>", 10))
        return was_cut(from, "the appended data");
    from->file.appended = start + 1;
    from->file.appended_end = stop;
    return FIRN_OK;
}

static place place_of(const firn_xml_tag *tag)
{
    return firn_xml_is(tag, "FieldData")   ? FIELD_DATA
           : firn_xml_is(tag, "PointData") ? POINT_DATA
           : firn_xml_is(tag, "Points")    ? POINTS
                                           : ELSEWHERE;
}

static firn_status take_tags(source *from)
{
    const char *at = from->file.text, *end = at + from->file.n;
    firn_xml_tag tag;
    firn_xml_step step;
    firn_status status = FIRN_OK;
    place where = ELSEWHERE;
    int is_vtk = 0;
    while (status == FIRN_OK && (step = firn_xml_next(&at, end, &tag)) == FIRN_XML_TAG) {
        if (!is_vtk) {
            if (!firn_xml_is(&tag, "VTKFile"))
                return wrong(from, "not a VTK XML file (no VTKFile in it)");
            is_vtk = 1;
            status = take_file_tag(from, &tag);
        } else if (firn_xml_is(&tag, "VTKFile") && tag.is_closing) {
            return FIRN_OK;
        } else if (firn_xml_is(&tag, "AppendedData")) {
            return take_appended(from, &tag);
        } else if (firn_xml_is(&tag, "Piece") && !tag.is_closing) {
            status = take_piece(from, &tag);
        } else if (place_of(&tag) != ELSEWHERE) {
            where = tag.is_closing || tag.is_empty ? ELSEWHERE : place_of(&tag);
        } else if ((firn_xml_is(&tag, "DataArray") || firn_xml_is(&tag, "Array")) &&
                   !tag.is_closing) {
            if (where != ELSEWHERE) status = take_array(from, &tag, where);
        }
    }
    if (status != FIRN_OK) return status;
    if (!is_vtk && step == FIRN_XML_END && from->file.n > 0)
        return wrong(from, "not a VTK XML file (no VTKFile in it)");
    return was_cut(from, "its XML");
}

/* ---------------------------------------------------------------- what the arrays become */

/* The array of a name in a place, in a piece; the first, or the last (see strings_of). */
static const firn_vtp_array *find(const source *from, place where, int piece, const char *name,
                                  int wants_last)
{
    const firn_vtp_array *found = NULL;
    for (int e = 0; e < from->n_entries; e++) {
        const entry *one = &from->entries[e];
        if (one->place != where || (where != FIELD_DATA && one->piece != piece)) continue;
        if (where != POINTS && strcmp(one->array.name, name) != 0) continue;
        if (!found || wants_last) found = &one->array;
    }
    return found;
}

static int is_float(firn_vtp_type type)
{
    return type == FIRN_VTP_FLOAT32 || type == FIRN_VTP_FLOAT64;
}

/* The table of an index attribute. firn writes those of details first. */
static const firn_vtp_array *strings_of(const source *from, const char *name, int of_detail)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, "%s_strings", name);
    const firn_vtp_array *a = find(from, FIELD_DATA, 0, wanted, !of_detail);
    return a && a->type == FIRN_VTP_STRING ? a : NULL;
}

static firn_status take_strings(source *from, const firn_vtp_array *table, firn_attribute *to)
{
    char *bytes;
    size_t n;
    firn_status status = firn_vtp_bytes(&from->file, table, &bytes, &n);
    if (status != FIRN_OK) return status;
    for (size_t at = 0; at < n && status == FIRN_OK; at += strlen(bytes + at) + 1)
        if (firn_attribute_append(to, bytes + at) < 0) status = no_memory(from);
    firn_memory_release(NULL, bytes, n + 1);
    return status;
}

/* Texts of the points themselves: each one's place in a table of all that differ. */
static firn_status take_texts(source *from, const firn_vtp_array *a, int64_t n, int32_t *to,
                              firn_attribute *attribute)
{
    char *bytes;
    size_t n_bytes, at = 0;
    int64_t i = 0;
    firn_status status = firn_vtp_bytes(&from->file, a, &bytes, &n_bytes);
    if (status != FIRN_OK) return status;
    for (; at < n_bytes && i < n && status == FIRN_OK; at += strlen(bytes + at) + 1, i++) {
        int is_again =
            i > 0 && strcmp(attribute->strings[to[i - 1]], bytes + at) == 0; /* as a rule */
        to[i] = is_again ? to[i - 1] : firn_attribute_intern(attribute, bytes + at);
        if (to[i] < 0) status = no_memory(from);
        if (attribute->n_strings > STRINGS_MAX)
            status =
                firn_vtp_wrong(&from->file, a, "has more than %d different texts", STRINGS_MAX);
    }
    if (status == FIRN_OK && (i < n || at < n_bytes))
        status = firn_vtp_wrong(&from->file, a, "does not hold one text per point");
    firn_memory_release(NULL, bytes, n_bytes + 1);
    return status;
}

static firn_attribute_type type_of(const source *from, const firn_vtp_array *a, int of_detail)
{
    int is_color = strcmp(a->name, "Cd") == 0 && a->type == FIRN_VTP_UINT8 && a->n_components == 3;
    if (a->type == FIRN_VTP_STRING) return FIRN_ATTRIBUTE_INDEX;
    if (is_color || (is_float(a->type) && a->n_components == 3)) return FIRN_ATTRIBUTE_VECTOR;
    if (is_float(a->type)) return FIRN_ATTRIBUTE_FLOAT;
    return strings_of(from, a->name, of_detail) ? FIRN_ATTRIBUTE_INDEX : FIRN_ATTRIBUTE_INT;
}

/* n records of an array into those of the attribute from `first` on. */
static firn_status fill(source *from, const firn_vtp_array *a, int64_t n, firn_attribute *to,
                        int64_t first)
{
    size_t n_numbers = (size_t)n * (size_t)to->n_components,
           skipped = (size_t)first * (size_t)to->n_components;
    int wants_floats = to->type == FIRN_ATTRIBUTE_FLOAT || to->type == FIRN_ATTRIBUTE_VECTOR;
    firn_vtp_target target = {.f = to->data.f + skipped};
    int64_t n_too_large;
    if (a->type == FIRN_VTP_STRING) return take_texts(from, a, n, to->data.i + skipped, to);
    firn_status status =
        firn_vtp_numbers(&from->file, a, n_numbers, wants_floats, target, &n_too_large);
    if (status == FIRN_OK && n_too_large)
        firn_messages_warn(from->file.messages,
                           "%s: %lld values of '%s' do not fit 32 bits and are set to the nearest",
                           from->file.path, (long long)n_too_large, a->name);
    if (wants_floats && a->type == FIRN_VTP_UINT8)
        for (size_t i = 0; i < n_numbers; i++) target.f[i] *= 1.0f / 255;
    return status;
}

static firn_status check_room(source *from, const firn_vtp_array *a, int64_t n)
{
    if (a->type == FIRN_VTP_STRING) /* a byte each at least */
        return (uint64_t)n <= (uint64_t)from->file.n * 1032 && a->n_components == 1
                   ? FIRN_OK
                   : firn_vtp_wrong(&from->file, a, "does not hold one text per point");
    return firn_vtp_check(&from->file, a, (uint64_t)n * (uint64_t)a->n_components);
}

/* What is packed, or appended once and named often, may not become more than its file can hold. */
static firn_status count_bytes(source *from, int64_t n, int n_components)
{
    from->n_taken += 4 * (uint64_t)n * (uint64_t)n_components;
    if (from->n_taken <= from->most) return FIRN_OK;
    return firn_messages_add(from->file.messages, FIRN_MEMORY,
                             "%s: unpacks to more than may be held in memory; allowed: %.4g MiB; "
                             "try: fewer points or attributes, or without compression",
                             from->file.path, (double)from->most / (1 << 20));
}

/* One attribute from all pieces; `first` is the array of piece 0. */
static firn_status take_attribute(source *from, firn_points *points, const entry *first)
{
    const char *name = first->place == POINTS ? "P" : first->array.name;
    firn_attribute_type type = type_of(from, &first->array, 0);
    firn_status status = FIRN_OK;
    for (int k = 0; k < from->n_pieces && status == FIRN_OK; k++) {
        const firn_vtp_array *a = find(from, first->place, k, name, 0);
        if (!a)
            status = firn_messages_add(from->file.messages, FIRN_IO,
                                       "%s: piece %d has no array '%s' as the first has",
                                       from->file.path, k, name);
        else if (a->n_components != first->array.n_components || type_of(from, a, 0) != type)
            status = firn_vtp_wrong(&from->file, a, "has another type than in the first piece");
        else
            status = check_room(from, a, from->piece_points[k]);
    }
    if (status != FIRN_OK) return status;
    if (firn_points_find(points, name))
        return firn_vtp_wrong(&from->file, &first->array, "is there twice");
    if ((status = count_bytes(from, points->n, first->array.n_components)) != FIRN_OK)
        return status;
    firn_attribute *to = firn_points_add(points, name, type, first->array.n_components);
    if (!to) return no_memory(from);
    const firn_vtp_array *table = type == FIRN_ATTRIBUTE_INDEX ? strings_of(from, name, 0) : NULL;
    if (table && first->array.type != FIRN_VTP_STRING) status = take_strings(from, table, to);
    int64_t at = 0;
    for (int k = 0; k < from->n_pieces && status == FIRN_OK; at += from->piece_points[k++])
        status = fill(from, find(from, first->place, k, name, 0), from->piece_points[k], to, at);
    if (status == FIRN_OK) firn_attribute_tame(to, points->n, from->file.path, from->file.messages);
    return status;
}

/* Whether a String array of the field data is the table of another array. */
static int is_table(const source *from, const firn_vtp_array *a)
{
    size_t n = strlen(a->name), n_ending = strlen("_strings");
    char name[64];
    if (a->type != FIRN_VTP_STRING || n <= n_ending ||
        strcmp(a->name + n - n_ending, "_strings") != 0)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)(n - n_ending), a->name);
    return find(from, FIELD_DATA, 0, name, 0) || find(from, POINT_DATA, 0, name, 0);
}

static firn_status take_detail(source *from, firn_points *points, const firn_vtp_array *a)
{
    const char *name = a->name;
    if (is_table(from, a)) return FIRN_OK;
    if (strcmp(name, "TimeValue") == 0) {
        if (find(from, FIELD_DATA, 0, "time", 0)) return FIRN_OK;
        name = "time";
    }
    if (a->n_tuples != 1 || (a->type == FIRN_VTP_STRING && a->n_components != 1)) {
        firn_messages_warn(from->file.messages,
                           "%s: field data '%s' have more than one record; ignored",
                           from->file.path, a->name);
        return FIRN_OK;
    }
    firn_status status = check_room(from, a, 1);
    if (status != FIRN_OK) return status;
    if (firn_points_find_detail(points, name))
        return firn_vtp_wrong(&from->file, a, "is there twice");
    firn_attribute_type type = type_of(from, a, 1);
    firn_attribute *to = firn_points_add_detail(points, name, type, a->n_components);
    if (!to) return no_memory(from);
    const firn_vtp_array *table = type == FIRN_ATTRIBUTE_INDEX ? strings_of(from, name, 1) : NULL;
    if (table && a->type != FIRN_VTP_STRING) status = take_strings(from, table, to);
    if (status == FIRN_OK) status = fill(from, a, 1, to, 0);
    if (status == FIRN_OK) firn_attribute_tame(to, 1, from->file.path, from->file.messages);
    return status;
}

static firn_status take_points(source *from, firn_points **made)
{
    if (from->n_pieces == 0) return wrong(from, "no Piece, and so no points");
    const firn_vtp_array *P = find(from, POINTS, 0, "", 0);
    if (!P && from->n > 0) return wrong(from, "no Points, and so no positions");
    if (P && (!is_float(P->type) || P->n_components != 3))
        return firn_vtp_wrong(&from->file, P, "must hold three floats per point");
    firn_status status = P ? check_room(from, P, from->piece_points[0]) : FIRN_OK;
    if (status != FIRN_OK) return status;
    firn_points *points = *made = firn_points_create(from->n);
    if (!points || (!P && !firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)))
        return no_memory(from);
    for (int e = 0; e < from->n_entries && status == FIRN_OK; e++) {
        const entry *one = &from->entries[e];
        if (one->place == FIELD_DATA)
            status = take_detail(from, points, &one->array);
        else if (one->piece != 0)
            continue;
        else if (one->place == POINT_DATA && strcmp(one->array.name, "P") == 0)
            firn_messages_warn(from->file.messages,
                               "%s: array P of the points is ignored; their Points are P",
                               from->file.path);
        else
            status = take_attribute(from, points, one);
    }
    return status;
}

/* Of short files the tags say better what is missing. */
static firn_status look(const source *from)
{
    firn_file_reader *reader = firn_file_open(from->file.path, 0, from->file.messages);
    if (!reader) return firn_file_failure(from->file.messages);
    char begin[LOOK];
    firn_status status = FIRN_OK;
    if (firn_file_left(reader) > LOOK) {
        status = firn_file_read(reader, begin, LOOK, "the text", from->file.messages);
        if (!status && !memmem(begin, LOOK, "<VTKFile", 8))
            status = wrong(from, "not a VTK XML file (no VTKFile at its beginning)");
    }
    firn_file_close(reader);
    return status;
}

firn_status firn_vtp_read(const char *path, firn_points **points, firn_messages *messages)
{
    source from = {.file = {.path = path, .messages = messages, .header_bytes = 4}};
    size_t n = 0;
    *points = NULL;
    firn_status status = look(&from);
    if (status != FIRN_OK) return status;
    char *text = firn_file_text(path, SIZE_MAX / 4, &n, messages);
    if (!text) return FIRN_IO;
    from.file.text = from.counted = text;
    from.file.n = n;
    from.most = firn_read_limits_unpacked(n);
    from.n_lines = 1;
    status = take_tags(&from);
    if (status == FIRN_OK) status = take_points(&from, points);
    firn_memory_release(NULL, from.entries, (size_t)from.entry_room * sizeof *from.entries);
    firn_memory_release(NULL, from.piece_points,
                        (size_t)from.piece_room * sizeof *from.piece_points);
    firn_memory_release(NULL, text, n + 1);
    if (status == FIRN_OK) return FIRN_OK;
    firn_points_destroy(*points);
    *points = NULL;
    return status;
}
