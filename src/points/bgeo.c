/* SPDX-License-Identifier: MIT */
/* bgeo.c: classic .bgeo, version 5, written and read without a library.
 *
 * Everything is big-endian and packed:
 *
 *     header       "Bgeo" 'V', then nine int32: 5, points, primitives, point groups, primitive
 *                  groups, point attributes (without position), vertex, primitive and detail
 *                  attributes
 *     dictionary   an entry an attribute: uint16 length, name; uint16 components; int32 type (0
 *                  float, 1 int, 4 index, 5 vector of 3 floats); then a default of 4 bytes a
 *                  component, or for type 4 int32 size of the string table and each string as
 *                  uint16 length and bytes
 *     points       a record a point: x y z w = 1, then the attributes in that order, 4 bytes a
 *                  number
 *     primitives   none are written; when reading, particle systems (type 0x8000) are skipped
 *     detail       a dictionary as above, then one record
 *     trailer      00 FF
 *
 * Position is an attribute like any other in firn_points and no attribute in the file. Gzip goes
 * only under its own ending: Houdini refuses compressed data under plain .bgeo. */
#include "points/bgeo.h"
#include "base/messages.h"
#include "base/read_limits.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the swaps below assume a little-endian machine");

enum { HEADER = 41, VERSION = 5, BLOCK = 1 << 14, STRIDE_MAX = BLOCK, PARTICLE_SYSTEM = 0x8000 };
enum { TYPE_FLOAT = 0, TYPE_INT = 1, TYPE_STRING = 2, TYPE_INDEX = 4, TYPE_VECTOR = 5 };

/* Numbers of the header, in its order. */
typedef struct header {
    int32_t version, n_points, n_prims, n_point_groups, n_prim_groups;
    int32_t n_attributes, n_vertex_attributes, n_prim_attributes, n_details;
} header;

static void swap_words(uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) words[i] = __builtin_bswap32(words[i]);
}

static int type_code(firn_attribute_type type)
{
    static const int codes[] = {TYPE_FLOAT, TYPE_INT, TYPE_VECTOR, TYPE_INDEX};
    return codes[type];
}

/* ---------------------------------------------------------------- writing */

static void put_int(firn_file_writer *writer, int32_t value)
{
    uint32_t word = __builtin_bswap32((uint32_t)value);
    firn_file_write(writer, &word, 4);
}

static void put_string(firn_file_writer *writer, const char *string)
{
    uint16_t n = (uint16_t)strlen(string), swapped = __builtin_bswap16(n);
    firn_file_write(writer, &swapped, 2);
    firn_file_write(writer, string, n);
}

static void put_entry(firn_file_writer *writer, const firn_attribute *attribute)
{
    uint16_t n_components = __builtin_bswap16((uint16_t)attribute->n_components);
    put_string(writer, attribute->name);
    firn_file_write(writer, &n_components, 2);
    put_int(writer, type_code(attribute->type));
    if (attribute->type != FIRN_ATTRIBUTE_INDEX) {
        for (int c = 0; c < attribute->n_components; c++) put_int(writer, 0);
        return;
    }
    put_int(writer, attribute->n_strings);
    for (int i = 0; i < attribute->n_strings; i++) put_string(writer, attribute->strings[i]);
}

/* Spreads one attribute of n points over records of `stride` words, beginning at word `at` of each.
 */
static void spread(uint32_t *records, int stride, int at, const uint32_t *column, int n_components,
                   int n)
{
    uint32_t *to = records + at;
    if (n_components == 1) {
        for (int i = 0; i < n; i++, to += stride) *to = column[i];
    } else if (n_components == 3) {
        for (int i = 0; i < n; i++, to += stride, column += 3) {
            to[0] = column[0];
            to[1] = column[1];
            to[2] = column[2];
        }
    } else {
        for (int i = 0; i < n; i++, to += stride, column += n_components)
            memcpy(to, column, 4 * (size_t)n_components);
    }
}

static void collect(const uint32_t *records, int stride, int at, uint32_t *column, int n_components,
                    int n)
{
    const uint32_t *from = records + at;
    if (n_components == 1) {
        for (int i = 0; i < n; i++, from += stride) column[i] = *from;
    } else {
        for (int i = 0; i < n; i++, from += stride, column += n_components)
            memcpy(column, from, 4 * (size_t)n_components);
    }
}

/* Records are made block by block, small enough for the first caches, then swapped in one
 * contiguous go. */
static void put_records(firn_file_writer *writer, const firn_points *points,
                        const firn_attribute *P, int stride)
{
    uint32_t block[BLOCK];
    const float one = 1.0f;
    int n_block = BLOCK / stride;
    for (int64_t first = 0; first < points->n; first += n_block) {
        int n = points->n - first < n_block ? (int)(points->n - first) : n_block, at = 4;
        spread(block, stride, 0, (const uint32_t *)P->data.i + 3 * first, 3, n);
        for (int i = 0; i < n; i++) memcpy(&block[i * stride + 3], &one, 4);
        for (int a = 0; a < points->n_attributes; a++) {
            const firn_attribute *attribute = &points->attributes[a];
            int n_components = attribute->n_components;
            if (attribute == P) continue;
            spread(block, stride, at, (const uint32_t *)attribute->data.i + first * n_components,
                   n_components, n);
            at += n_components;
        }
        swap_words(block, (size_t)n * (size_t)stride);
        firn_file_write(writer, block, (size_t)n * (size_t)stride * 4);
    }
}

/* Everything that the format cannot hold, found before a file is begun. The number of words in a
 * record, or 0. */
static int check_list(const firn_attribute *list, int n_list, const char *path,
                      firn_messages *messages)
{
    int64_t words = 0;
    for (int a = 0; a < n_list; a++) {
        words += list[a].n_components;
        for (int i = 0; i < list[a].n_strings; i++)
            if (strlen(list[a].strings[i]) > UINT16_MAX) {
                firn_messages_add(
                    messages, FIRN_REFUSED,
                    "%s: a string of attribute '%s' is too long for bgeo; allowed: 65535 bytes",
                    path, list[a].name);
                return 0;
            }
    }
    if (words + 4 > STRIDE_MAX) {
        firn_messages_add(messages, FIRN_REFUSED, "%s: %lld numbers per point; allowed: up to %d",
                          path, (long long)words, STRIDE_MAX - 4);
        return 0;
    }
    return (int)words + 1; /* three of them are P, which gets a fourth */
}

static firn_status write_bgeo(const char *path, int gzip, const firn_points *points,
                              firn_file_receipt *receipt, firn_messages *messages)
{
    const firn_attribute *P = firn_points_find(points, "P");
    if (!P || P->n_components != 3 || P->type == FIRN_ATTRIBUTE_INT ||
        P->type == FIRN_ATTRIBUTE_INDEX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: attribute P (three floats) is missing", path);
    if (points->n > INT32_MAX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: %lld points; allowed in bgeo: up to 2147483647", path,
                                 (long long)points->n);
    int stride = check_list(points->attributes, points->n_attributes, path, messages);
    if (!stride || !check_list(points->details, points->n_details, path, messages))
        return FIRN_REFUSED;

    firn_file_writer *writer = firn_file_create(path, gzip, messages);
    if (!writer) return firn_file_failure(messages);
    firn_file_write(writer, "BgeoV", 5);
    const int32_t numbers[9] = {VERSION, (int32_t)points->n, 0, 0, 0, points->n_attributes - 1, 0,
                                0,       points->n_details};
    for (int i = 0; i < 9; i++) put_int(writer, numbers[i]);
    for (int a = 0; a < points->n_attributes; a++)
        if (&points->attributes[a] != P) put_entry(writer, &points->attributes[a]);
    put_records(writer, points, P, stride);
    for (int a = 0; a < points->n_details; a++) put_entry(writer, &points->details[a]);
    for (int a = 0; a < points->n_details; a++)
        for (int c = 0; c < points->details[a].n_components; c++)
            put_int(writer, points->details[a].data.i[c]);
    firn_file_write(writer, "\x00\xFF", 2);
    return firn_file_commit(writer, receipt, messages);
}

firn_status firn_bgeo_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                            firn_messages *messages)
{
    return write_bgeo(path, 0, points, receipt, messages);
}

/* Level 1: particle data hardly shrinks further, and higher levels cost several times as much. */
firn_status firn_bgeo_write_gzip(const char *path, const firn_points *points,
                                 firn_file_receipt *receipt, firn_messages *messages)
{
    return write_bgeo(path, 1, points, receipt, messages);
}

/* ---------------------------------------------------------------- reading */

typedef struct source {
    firn_file_reader *file;
    firn_messages *messages;
} source;

static firn_status damaged(source *from, const char *what, long long number)
{
    return firn_messages_add(from->messages, FIRN_IO,
                             "%s: damaged or not a classic bgeo: %s (%lld)",
                             firn_file_path(from->file), what, number);
}

static firn_status no_memory(source *from)
{
    return firn_messages_no_memory(from->messages, "%s", firn_file_path(from->file));
}

static firn_status take(source *from, void *data, size_t n, const char *part)
{
    return firn_file_read(from->file, data, n, part, from->messages);
}

static firn_status take_int(source *from, int32_t *value, const char *part)
{
    uint32_t word = 0;
    firn_status status = take(from, &word, 4, part);
    *value = (int32_t)__builtin_bswap32(word);
    return status;
}

static firn_status take_short(source *from, int *value, const char *part)
{
    uint16_t word = 0;
    firn_status status = take(from, &word, 2, part);
    *value = __builtin_bswap16(word);
    return status;
}

static firn_status take_strings(source *from, firn_attribute *attribute)
{
    int32_t n_strings;
    int n;
    firn_status status = take_int(from, &n_strings, "a string table");
    if (status != FIRN_OK) return status;
    if (n_strings < 0 || (uint64_t)n_strings > firn_file_left(from->file) / 2)
        return damaged(from, "a string table of impossible size", n_strings);
    char *string = firn_memory_allocate(NULL, UINT16_MAX + 1);
    if (!string) return no_memory(from);
    for (int32_t i = 0; i < n_strings && status == FIRN_OK; i++) {
        status = take_short(from, &n, "a string table");
        if (status == FIRN_OK) status = take(from, string, (size_t)n, "a string table");
        if (status != FIRN_OK) break;
        string[n] = 0;
        if (strlen(string) != (size_t)n)
            status = damaged(from, "a string with a zero byte in it, in the table at place", i);
        else if (firn_attribute_append(attribute, string) < 0)
            status = no_memory(from);
    }
    firn_memory_release(NULL, string, UINT16_MAX + 1);
    return status;
}

static int words_of(const firn_attribute *list, int n_list)
{
    int words = 0;
    for (int a = 0; a < n_list; a++) words += list[a].n_components;
    return words;
}

/* May n points of so many words come? To be asked before memory is taken for them. */
static firn_status expect_points(source *from, int64_t n, int words)
{
    if ((uint64_t)n > firn_file_left(from->file) / 4 / (unsigned)words)
        return damaged(from, "more points than the file can hold", n);
    return firn_file_expect(from->file, (uint64_t)n * (unsigned)words * 4, from->messages);
}

/* One dictionary entry. All columns so far and this one must still fit in the file, or they are
 * not allocated. The table `points` may be a dummy with no points, for dictionaries that are
 * skipped. */
static firn_status take_entry(source *from, firn_points *points, int is_detail)
{
    int n_name, n_components;
    int32_t code;
    char name[64];
    firn_status status = take_short(from, &n_name, "a name");
    if (status != FIRN_OK) return status;
    if (n_name < 1 || n_name >= (int)sizeof name)
        return damaged(from, "an attribute name of a length outside 1 to 63 bytes", n_name);
    if ((status = take(from, name, (size_t)n_name, "a name")) != FIRN_OK) return status;
    name[n_name] = 0;
    if (strlen(name) != (size_t)n_name)
        return damaged(from, "an attribute name with a zero byte, of length", n_name);
    if ((status = take_short(from, &n_components, "an attribute")) != FIRN_OK) return status;
    if ((status = take_int(from, &code, "an attribute")) != FIRN_OK) return status;

    firn_attribute_type type = code == TYPE_FLOAT    ? FIRN_ATTRIBUTE_FLOAT
                               : code == TYPE_INT    ? FIRN_ATTRIBUTE_INT
                               : code == TYPE_INDEX  ? FIRN_ATTRIBUTE_INDEX
                               : code == TYPE_VECTOR ? FIRN_ATTRIBUTE_VECTOR
                                                     : (firn_attribute_type)-1;
    if ((int)type < 0)
        return damaged(from, "an attribute of a type other than 0, 1, 4 and 5", code);
    if (n_components < 1 || n_components > 4096)
        return damaged(from, "an attribute with a number of components outside 1 to 4096",
                       n_components);
    if (type == FIRN_ATTRIBUTE_VECTOR && n_components != 3) type = FIRN_ATTRIBUTE_FLOAT;
    int words = n_components + (is_detail ? words_of(points->details, points->n_details)
                                          : words_of(points->attributes, points->n_attributes));
    if (words + 1 > STRIDE_MAX) return damaged(from, "more than 16383 numbers per point", words);
    if (!is_detail && (status = expect_points(from, points->n, words)) != FIRN_OK) return status;
    if (is_detail ? firn_points_find_detail(points, name) != NULL
                  : firn_points_find(points, name) != NULL)
        return firn_messages_add(from->messages, FIRN_IO, "%s: attribute '%s' is there twice",
                                 firn_file_path(from->file), name);
    firn_attribute *attribute = is_detail ? firn_points_add_detail(points, name, type, n_components)
                                          : firn_points_add(points, name, type, n_components);
    if (!attribute) return no_memory(from);
    if (type == FIRN_ATTRIBUTE_INDEX) return take_strings(from, attribute);
    uint32_t ignored[4096];
    return take(from, ignored, 4 * (size_t)n_components, "an attribute's default");
}

static firn_status take_records(source *from, firn_points *points)
{
    int stride = 1 + words_of(points->attributes, points->n_attributes);
    firn_status status = expect_points(from, points->n, stride);
    if (status != FIRN_OK) return status;
    uint32_t block[BLOCK];
    int n_block = BLOCK / stride;
    for (int64_t first = 0; first < points->n; first += n_block) {
        int n = points->n - first < n_block ? (int)(points->n - first) : n_block, at = 0;
        status = take(from, block, (size_t)n * (size_t)stride * 4, "the points");
        if (status != FIRN_OK) return status;
        swap_words(block, (size_t)n * (size_t)stride);
        for (int a = 0; a < points->n_attributes;
             a++) { /* the first is P, followed by the unused w */
            firn_attribute *attribute = &points->attributes[a];
            int n_components = attribute->n_components;
            collect(block, stride, at, (uint32_t *)attribute->data.i + first * n_components,
                    n_components, n);
            at += a == 0 ? 4 : n_components;
        }
    }
    for (int a = 0; a < points->n_attributes; a++)
        firn_attribute_tame(&points->attributes[a], points->n, firn_file_path(from->file),
                            from->messages);
    return FIRN_OK;
}

static firn_status skip(source *from, uint64_t n_bytes, const char *part)
{
    char ignored[4096];
    firn_status status = FIRN_OK;
    for (; n_bytes && status == FIRN_OK;
         n_bytes -= n_bytes < sizeof ignored ? n_bytes : sizeof ignored)
        status =
            take(from, ignored, n_bytes < sizeof ignored ? (size_t)n_bytes : sizeof ignored, part);
    return status;
}

/* Particle systems list their points, which says nothing that we do not know. Other primitives
 * would need the whole format; *is_known says whether reading can go on behind them. */
static firn_status skip_primitives(source *from, const header *h, int *is_known)
{
    firn_points *dummy = firn_points_create(0);
    if (!dummy) return no_memory(from);
    firn_status status = FIRN_OK;
    *is_known = h->n_vertex_attributes == 0;
    for (int32_t a = 0; a < h->n_prim_attributes && status == FIRN_OK && *is_known; a++)
        status = take_entry(from, dummy, 0);
    uint64_t record = 0;
    for (int a = 0; a < dummy->n_attributes; a++)
        record += 4 * (uint64_t)dummy->attributes[a].n_components;
    firn_points_destroy(dummy);
    for (int32_t i = 0; i < h->n_prims && status == FIRN_OK && *is_known; i++) {
        int32_t type, n;
        status = take_int(from, &type, "a primitive");
        *is_known = type == PARTICLE_SYSTEM;
        if (status != FIRN_OK || !*is_known) break;
        if ((status = take_int(from, &n, "a primitive")) != FIRN_OK) break;
        if (n < 0) return damaged(from, "a primitive with a negative number of points", n);
        status = skip(from, (uint64_t)n * (h->n_points >= 1 << 16 ? 4 : 2) + record, "a primitive");
    }
    return status;
}

static firn_status take_details(source *from, firn_points *points, int n_details)
{
    firn_status status = FIRN_OK;
    for (int i = 0; i < n_details && status == FIRN_OK; i++) status = take_entry(from, points, 1);
    for (int a = 0; a < points->n_details && status == FIRN_OK; a++) {
        firn_attribute *detail = &points->details[a];
        status = take(from, detail->data.i, 4 * (size_t)detail->n_components, "the details");
        swap_words((uint32_t *)detail->data.i, (size_t)detail->n_components);
        if (status == FIRN_OK)
            firn_attribute_tame(detail, 1, firn_file_path(from->file), from->messages);
    }
    return status;
}

static firn_status take_header(source *from, header *h)
{
    unsigned char magic[5];
    firn_status status = take(from, magic, 5, "the header");
    if (status != FIRN_OK) return status;
    const char *path = firn_file_path(from->file);
    if (memcmp(magic, "\x7FNSJ", 4) == 0)
        return firn_messages_add(from->messages, FIRN_IO,
                                 "%s: Houdini's newer bgeo; allowed: classic bgeo; try: save it as "
                                 ".bhclassic in Houdini",
                                 path);
    if (magic[0] == 0x1F && magic[1] == 0x8B)
        return firn_messages_add(from->messages, FIRN_IO,
                                 "%s: gzip data; try: rename it to .bgeo.gz", path);
    if (memcmp(magic, "BgeoV", 5) != 0)
        return firn_messages_add(from->messages, FIRN_IO,
                                 "%s: not a bgeo file (it does not begin with BgeoV)", path);
    int32_t *numbers[9] = {&h->version,
                           &h->n_points,
                           &h->n_prims,
                           &h->n_point_groups,
                           &h->n_prim_groups,
                           &h->n_attributes,
                           &h->n_vertex_attributes,
                           &h->n_prim_attributes,
                           &h->n_details};
    for (int i = 0; i < 9; i++) {
        status = take_int(from, numbers[i], "the header");
        if (status != FIRN_OK) return status;
        if (*numbers[i] < 0) return damaged(from, "a negative number in the header", *numbers[i]);
    }
    if (h->version != VERSION) return damaged(from, "a version other than 5", h->version);
    return FIRN_OK;
}

static firn_status take_all(source *from, firn_points **made)
{
    header h;
    firn_status status = take_header(from, &h);
    if (status != FIRN_OK) return status;
    if ((status = expect_points(from, h.n_points, 4)) != FIRN_OK) return status;
    firn_points *points = *made = firn_points_create(h.n_points);
    if (!points || !firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)) return no_memory(from);
    for (int32_t a = 0; a < h.n_attributes && status == FIRN_OK; a++)
        status = take_entry(from, points, 0);
    if (status == FIRN_OK) status = take_records(from, points);
    if (status != FIRN_OK) return status;

    int is_known = 1;
    status = skip_primitives(from, &h, &is_known);
    if (status != FIRN_OK) return status;
    if (!is_known) {
        firn_messages_warn(from->messages,
                           "%s: primitives of unknown kinds; points are read, details are not",
                           firn_file_path(from->file));
        return FIRN_OK;
    }
    status = take_details(from, points, h.n_details);
    if (status != FIRN_OK || h.n_point_groups || h.n_prim_groups)
        return status; /* groups are left unread */
    unsigned char trailer[2];
    if ((status = take(from, trailer, 2, "the trailer")) != FIRN_OK) return status;
    if (trailer[0] != 0x00 || trailer[1] != 0xFF)
        return damaged(from, "a wrong trailer", trailer[0] << 8 | trailer[1]);
    return firn_file_finish(from->file, from->messages);
}

/* most UINT64_MAX: what a file of this length may unpack to. */
static firn_status read_bgeo(const char *path, int is_gzip, uint64_t most, firn_points **points,
                             firn_messages *messages)
{
    *points = NULL;
    source from = {firn_file_open(path, is_gzip, messages), messages};
    if (!from.file) return firn_file_failure(messages);
    struct stat info;
    if (is_gzip && most == UINT64_MAX)
        most = firn_read_limits_unpacked(stat(path, &info) == 0 ? (uint64_t)info.st_size : 0);
    firn_file_bound(from.file, most);
    firn_status status = take_all(&from, points);
    firn_file_close(from.file);
    if (status == FIRN_OK) return FIRN_OK;
    firn_points_destroy(*points);
    *points = NULL;
    return status;
}

firn_status firn_bgeo_read(const char *path, firn_points **points, firn_messages *messages)
{
    return read_bgeo(path, 0, UINT64_MAX, points, messages);
}

firn_status firn_bgeo_read_gzip(const char *path, firn_points **points, firn_messages *messages)
{
    return read_bgeo(path, 1, UINT64_MAX, points, messages);
}

firn_status firn_bgeo_read_gzip_within(const char *path, uint64_t most, firn_points **points,
                                       firn_messages *messages)
{
    return read_bgeo(path, 1, most, points, messages);
}
