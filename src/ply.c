/* ply.c: points as PLY, binary little-endian 1.0 (G. Turk's format).
 *
 * A header of text lines, then one record a vertex. Each component is a property of its own: x y z for P, NAME_x _y _z
 * for vectors, NAME_0 ... for other arrays, NAME for single numbers. What PLY has no words for stands in comments that
 * other programs pass over, so that firn gets back what it wrote:
 *
 *     comment firn attribute TYPE COMPONENTS NAME          in the order of the properties
 *     comment firn string NAME STRING          tables of index attributes, in order
 *     comment firn detail TYPE COMPONENTS NAME WORDS       values as eight hexadecimal digits each
 *     comment firn detail_string NAME STRING
 *
 * In NAME and STRING, bytes outside printable ASCII, blanks and % are written as %XX. Files of other programs are
 * read by their property names: x y z, nx ny nz (N), vx vy vz (v), red green blue (Cd, from 0...255 or 0...1); other
 * properties become attributes of one component. */
#include "ply.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 200000, HEADER_LINES = 1000000, PROPERTIES_MAX = 4096, BLOCK = 1 << 14 };

static const char *const type_names[] = {"float", "int", "vector", "index"};

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

static void put_strings(firn_file_writer *writer, const char *keyword, const firn_attribute *attribute)
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
        firn_file_print(writer, "comment firn attribute %s %d ", type_names[attribute->type], attribute->n_components);
        put_escaped(writer, attribute->name);
        firn_file_print(writer, "\n");
        put_strings(writer, "string", attribute);
    }
    for (int a = 0; a < points->n_details; a++) {
        const firn_attribute *detail = &points->details[a];
        firn_file_print(writer, "comment firn detail %s %d ", type_names[detail->type], detail->n_components);
        put_escaped(writer, detail->name);
        for (int c = 0; c < detail->n_components; c++) firn_file_print(writer, " %08x", (unsigned)detail->data.i[c]);
        firn_file_print(writer, "\n");
        put_strings(writer, "detail_string", detail);
    }
}

/* Property names may hold no blanks; anything doubtful becomes an underscore. */
static void put_properties(firn_file_writer *writer, const firn_attribute *attribute)
{
    char name[64];
    int is_float = attribute->type == FIRN_ATTRIBUTE_FLOAT || attribute->type == FIRN_ATTRIBUTE_VECTOR;
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
    for (int a = 0; a < points->n_attributes && words <= BLOCK; a++) words += points->attributes[a].n_components;
    return words;
}

/* Between records and columns, for n points from `first`: 4-byte words as they lie. */
static void shuffle(firn_points *points, int64_t first, int n, uint32_t *block, int stride, int is_reading)
{
    int at = 0;
    for (int a = 0; a < points->n_attributes; a++) {
        int n_components = points->attributes[a].n_components;
        uint32_t *column = (uint32_t *)points->attributes[a].data.i + first * n_components, *record = block + at;
        size_t bytes = 4 * (size_t)n_components;
        for (int i = 0; i < n; i++, column += n_components, record += stride)
            if (is_reading)
                memcpy(column, record, bytes);
            else
                memcpy(record, column, bytes);
        at += n_components;
    }
}

firn_status firn_ply_write(const char *path, const firn_points *points, firn_file_receipt *receipt, firn_report *report)
{
    const firn_attribute *P = firn_points_find(points, "P");
    if (!P || P->n_components != 3 || P->type == FIRN_ATTRIBUTE_INT || P->type == FIRN_ATTRIBUTE_INDEX)
        return firn_report_add(report, FIRN_REFUSED, "%s: there is no position P of three floats to write", path);
    int stride = words_of(points);
    if (stride > PROPERTIES_MAX)
        return firn_report_add(report, FIRN_REFUSED, "%s: more than %d numbers a point", path, PROPERTIES_MAX);
    firn_file_writer *writer = firn_file_create(path, 0, report);
    if (!writer) return firn_file_failure(report);
    firn_file_print(writer, "ply\nformat binary_little_endian 1.0\ncomment written by firn %s\n", FIRN_VERSION);
    put_comments(writer, points);
    firn_file_print(writer, "element vertex %lld\n", (long long)points->n);
    for (int a = 0; a < points->n_attributes; a++) put_properties(writer, &points->attributes[a]);
    firn_file_print(writer, "end_header\n");
    uint32_t block[BLOCK];
    int n_block = BLOCK / stride;
    for (int64_t first = 0; first < points->n; first += n_block) {
        int n = points->n - first < n_block ? (int)(points->n - first) : n_block;
        firn_points lent = *points; /* only read from here */
        shuffle(&lent, first, n, block, stride, 0);
        firn_file_write(writer, block, (size_t)n * (size_t)stride * 4);
    }
    return firn_file_commit(writer, receipt, report);
}

/* ---------------------------------------------------------------- reading: the header */

typedef enum scalar { CHAR, UCHAR, SHORT, USHORT, INT, UINT, FLOAT, DOUBLE, N_SCALARS } scalar;
static const char *const scalar_names[N_SCALARS][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                       {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                       {"float", "float32"}, {"double", "float64"}};
static const int scalar_bytes[N_SCALARS] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef struct property {
    char name[64];
    scalar type;
    int offset;
} property;

typedef struct source {
    firn_file_reader *file;
    firn_report *report;
    firn_points *points; /* from the comments, with no column yet: n is 0 while they are read */
    char *line;
    int n_properties, record; /* record: bytes */
    property *properties;
    int64_t n;
    int has_vertices, is_vertex, has_more;
} source;

static firn_status wrong(source *from, const char *what)
{
    return firn_report_add(from->report, FIRN_IO, "%s: %s", firn_file_path(from->file), what);
}

static firn_status no_memory(source *from)
{
    return firn_report_add(from->report, FIRN_MEMORY, "%s: no memory for its contents", firn_file_path(from->file));
}

static firn_status take_line(source *from)
{
    for (int n = 0; n < LINE_MAX_BYTES; n++) {
        firn_status status = firn_file_read(from->file, from->line + n, 1, "the header", from->report);
        if (status != FIRN_OK) return status;
        if (from->line[n] == 0) return wrong(from, "a zero byte in the header; it is not a PLY file");
        if (from->line[n] != '\n') continue;
        from->line[n] = 0;
        if (n && from->line[n - 1] == '\r') from->line[n - 1] = 0;
        return FIRN_OK;
    }
    return wrong(from, "a header line of more than 200000 bytes; it is not a PLY file");
}

/* The next word of *p, cut off and unescaped in place; "" at the end. */
static char *word(char **p)
{
    char *start = *p + strspn(*p, " "), *end = start + strcspn(start, " "), *out = start;
    *p = *end ? end + 1 : end;
    *end = 0;
    for (char *in = start; *in; in++) {
        int code;
        if (*in == '%' && sscanf(in + 1, "%2x", (unsigned *)&code) == 1 && code > 0 && in[1] && in[2]) {
            *out++ = (char)code;
            in += 2;
        } else {
            *out++ = *in;
        }
    }
    *out = 0;
    return start;
}

/* A comment of ours. Anything in it that does not fit makes the file one of somebody else's: no attributes. */
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
        while (code < 4 && strcmp(type, type_names[code]) != 0) code++;
        if (code == 4 || n_components < 1 || n_components > PROPERTIES_MAX || n_list >= PROPERTIES_MAX)
            return wrong(from, "a comment of firn's makes no sense; the header is damaged");
        if (!*name || strlen(name) > 63 || firn_points_find(points, is_detail ? "" : name) ||
            (is_detail && firn_points_find_detail(points, name)) || (code == 2 && n_components != 3))
            return wrong(from, "a comment of firn's makes no sense; the header is damaged");
        firn_attribute *made = is_detail ? firn_points_add_detail(points, name, (firn_attribute_type)code, n_components)
                                         : firn_points_add(points, name, (firn_attribute_type)code, n_components);
        if (!made) return no_memory(from);
        for (int c = 0; is_detail && c < n_components; c++)
            made->data.i[c] = (int32_t)(uint32_t)strtoul(word(&p), NULL, 16);
    } else if (strcmp(keyword, "string") == 0 || strcmp(keyword, "detail_string") == 0) {
        char *name = word(&p);
        if (n_list == 0 || strcmp(list[n_list - 1].name, name) != 0 || list[n_list - 1].type != FIRN_ATTRIBUTE_INDEX)
            return wrong(from, "a comment of firn's makes no sense; the header is damaged");
        if (firn_attribute_append(&list[n_list - 1], word(&p)) < 0) return no_memory(from);
    }
    return FIRN_OK;
}

static firn_status take_property(source *from, char *p)
{
    char *type = word(&p), *name = word(&p);
    int code = 0;
    if (!from->is_vertex) return FIRN_OK; /* of elements behind the vertices */
    if (strcmp(type, "list") == 0) return wrong(from, "lists as properties of vertices are not read");
    while (code < N_SCALARS && strcmp(type, scalar_names[code][0]) != 0 && strcmp(type, scalar_names[code][1]) != 0)
        code++;
    if (code == N_SCALARS || !*name || strlen(name) > 63) return wrong(from, "a property that PLY does not know");
    if (from->n_properties == PROPERTIES_MAX) return wrong(from, "more than 4096 properties");
    property *made = &from->properties[from->n_properties++];
    strcpy(made->name, name);
    made->type = (scalar)code, made->offset = from->record;
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
        return wrong(from, "only files whose first element is vertex are read");
    if (!from->is_vertex) from->has_more = 1;
    if (from->is_vertex) from->n = n, from->has_vertices = 1;
    return FIRN_OK;
}

static firn_status take_header(source *from)
{
    firn_status status = take_line(from);
    if (status == FIRN_OK && strcmp(from->line, "ply") != 0) status = wrong(from, "is not a PLY file");
    if (status == FIRN_OK) status = take_line(from);
    if (status == FIRN_OK && strcmp(from->line, "format binary_little_endian 1.0") != 0)
        status = wrong(from, "only PLY in the format binary_little_endian 1.0 is read");
    for (int n = 0; status == FIRN_OK && n < HEADER_LINES; n++) {
        if ((status = take_line(from)) != FIRN_OK) break;
        if (strcmp(from->line, "end_header") == 0) return from->has_vertices ? FIRN_OK : wrong(from, "has no vertices");
        if (strncmp(from->line, "comment firn ", 13) == 0)
            status = take_comment(from, from->line + 13);
        else if (strncmp(from->line, "element ", 8) == 0)
            status = take_element(from, from->line + 8);
        else if (strncmp(from->line, "property ", 9) == 0)
            status = take_property(from, from->line + 9);
    }
    return status == FIRN_OK ? wrong(from, "a header without an end") : status;
}

/* ---------------------------------------------------------------- reading: the points */

/* Whether the comments describe exactly the properties that follow: all of 4 bytes, floats and ints in their places. */
static int is_ours(const source *from)
{
    int at = 0;
    for (int a = 0; a < from->points->n_attributes; a++) {
        const firn_attribute *attribute = &from->points->attributes[a];
        scalar wanted =
            attribute->type == FIRN_ATTRIBUTE_FLOAT || attribute->type == FIRN_ATTRIBUTE_VECTOR ? FLOAT : INT;
        for (int c = 0; c < attribute->n_components; c++, at++)
            if (at >= from->n_properties || from->properties[at].type != wanted) return 0;
    }
    return at > 0 && at == from->n_properties;
}

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
        now->strings = was->strings, now->n_strings = was->n_strings;
        was->strings = NULL, was->n_strings = 0;
    }
    if (!points) return NULL;
    points->details = old->details, points->n_details = old->n_details;
    old->details = NULL, old->n_details = 0;
    return points;
}

static firn_status take_ours(source *from, firn_points **made)
{
    firn_points *points = *made = with_columns(from);
    if (!points) return no_memory(from);
    uint32_t block[BLOCK];
    int stride = from->n_properties, n_block = BLOCK / stride;
    for (int64_t first = 0; first < points->n; first += n_block) {
        int n = points->n - first < n_block ? (int)(points->n - first) : n_block;
        firn_status status =
            firn_file_read(from->file, block, (size_t)n * (size_t)stride * 4, "the points", from->report);
        if (status != FIRN_OK) return status;
        shuffle(points, first, n, block, stride, 1);
    }
    const char *path = firn_file_path(from->file);
    for (int a = 0; a < points->n_attributes; a++)
        firn_attribute_tame(&points->attributes[a], points->n, path, from->report);
    for (int a = 0; a < points->n_details; a++) firn_attribute_tame(&points->details[a], 1, path, from->report);
    return firn_file_finish(from->file, from->report);
}

static double scalar_value(const unsigned char *p, scalar type)
{
    union {
        int8_t c;
        uint8_t uc;
        int16_t s;
        uint16_t us;
        int32_t i;
        uint32_t ui;
        float f;
        double d;
    } value;
    memcpy(&value, p, (size_t)scalar_bytes[type]);
    const double values[N_SCALARS] = {type == CHAR ? value.c : 0,          type == UCHAR ? value.uc : 0,
                                      type == SHORT ? value.s : 0,         type == USHORT ? value.us : 0,
                                      type == INT ? value.i : 0,           type == UINT ? value.ui : 0,
                                      type == FLOAT ? (double)value.f : 0, type == DOUBLE ? value.d : 0};
    return values[type];
}

/* Three properties that make one vector, under the names that other programs use. */
static const struct {
    const char *attribute, *components[3];
} groups[] = {
    {"P", {"x", "y", "z"}}, {"N", {"nx", "ny", "nz"}}, {"v", {"vx", "vy", "vz"}}, {"Cd", {"red", "green", "blue"}}};
enum { N_GROUPS = 4 };

/* Where a property of another program goes. */
typedef struct target {
    int attribute, component;
    double scale;
} target;

static firn_status plan_foreign(source *from, firn_points *points, target *targets)
{
    for (int k = 0; k < from->n_properties; k++) {
        const property *p = &from->properties[k];
        int is_float = p->type == FLOAT || p->type == DOUBLE, n_components = 1, component = 0;
        const char *name = p->name;
        targets[k].scale = 1;
        for (int g = 0; g < N_GROUPS; g++)
            for (int c = 0; c < 3; c++)
                if (strcmp(p->name, groups[g].components[c]) == 0) {
                    name = groups[g].attribute, n_components = 3, component = c;
                    if (g == 3 && p->type == UCHAR) targets[k].scale = 1.0 / 255;
                }
        const firn_attribute *found = firn_points_find(points, name);
        if (found && (found->n_components != n_components || n_components == 1))
            return wrong(from, "two properties have the same name");
        if (!found) {
            firn_attribute_type type = n_components == 3 ? FIRN_ATTRIBUTE_VECTOR
                                       : is_float        ? FIRN_ATTRIBUTE_FLOAT
                                                         : FIRN_ATTRIBUTE_INT;
            if (n_components == 3 && strcmp(name, "Cd") == 0) type = FIRN_ATTRIBUTE_FLOAT;
            found = firn_points_add(points, name, type, n_components);
        }
        if (!found) return no_memory(from);
        targets[k].attribute = (int)(found - points->attributes), targets[k].component = component;
    }
    return firn_points_find(points, "P") ? FIRN_OK : wrong(from, "has no x y z");
}

static firn_status take_foreign(source *from, firn_points **made)
{
    firn_points *points = *made = firn_points_create(from->n);
    target *targets = firn_memory_array(NULL, (size_t)from->n_properties, sizeof *targets);
    firn_status status = points && targets ? plan_foreign(from, points, targets) : no_memory(from);
    static const size_t record_max = PROPERTIES_MAX * 8;
    unsigned char *record = status == FIRN_OK ? firn_memory_allocate(NULL, record_max) : NULL;
    if (status == FIRN_OK && !record) status = no_memory(from);
    for (int64_t i = 0; status == FIRN_OK && i < points->n; i++) {
        status = firn_file_read(from->file, record, (size_t)from->record, "the points", from->report);
        for (int k = 0; status == FIRN_OK && k < from->n_properties; k++) {
            firn_attribute *attribute = &points->attributes[targets[k].attribute];
            double value = scalar_value(record + from->properties[k].offset, from->properties[k].type);
            int64_t at = i * attribute->n_components + targets[k].component;
            if (attribute->type == FIRN_ATTRIBUTE_INT) /* large unsigned ones wrap, as they would in C */
                attribute->data.i[at] = (int32_t)(uint32_t)(int64_t)value;
            else
                attribute->data.f[at] = (float)(value * targets[k].scale);
        }
    }
    firn_memory_release(NULL, record, record_max);
    firn_memory_release(NULL, targets, (size_t)from->n_properties * sizeof *targets);
    return status != FIRN_OK || from->has_more ? status : firn_file_finish(from->file, from->report);
}

firn_status firn_ply_read(const char *path, firn_points **points, firn_report *report)
{
    *points = NULL;
    source from = {.file = firn_file_open(path, 0, report), .report = report};
    if (!from.file) return firn_file_failure(report);
    from.points = firn_points_create(0);
    from.line = firn_memory_allocate(NULL, LINE_MAX_BYTES);
    from.properties = firn_memory_array(NULL, PROPERTIES_MAX, sizeof *from.properties);
    firn_status status = from.points && from.line && from.properties ? take_header(&from) : no_memory(&from);
    if (status == FIRN_OK && from.n_properties == 0) status = wrong(&from, "its vertices have no properties");
    if (status == FIRN_OK && (uint64_t)from.n > firn_file_left(from.file) / (unsigned)from.record)
        status = wrong(&from, "more points than the file can hold; it is damaged or was cut");
    if (status == FIRN_OK) status = is_ours(&from) ? take_ours(&from, points) : take_foreign(&from, points);
    firn_memory_release(NULL, from.properties, PROPERTIES_MAX * sizeof *from.properties);
    firn_memory_release(NULL, from.line, LINE_MAX_BYTES);
    firn_points_destroy(from.points);
    firn_file_close(from.file);
    if (status == FIRN_OK) return FIRN_OK;
    firn_points_destroy(*points);
    *points = NULL;
    return status;
}
