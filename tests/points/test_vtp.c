/* SPDX-License-Identifier: MIT */
/* VTP. Writing: every array is found again by following the XML to its offset, as a reader
 * would, and has the right bytes. Reading: files as other programs encode them, in every
 * encoding; damage. Round trips are in test_format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <zlib.h>

#include "base/memory.h"
#include "support/sample_points.h"
#include "support/scratch.h"
#include "points/vtp.h"

/* The bytes of an appended array by name, and their number. */
static const unsigned char *array(const unsigned char *data, const char *type, const char *name,
                                  uint64_t *n_bytes)
{
    char wanted[128];
    snprintf(wanted, sizeof wanted, "<DataArray type=\"%s\" Name=\"%s\" ", type, name);
    const char *at = strstr((const char *)data, wanted);
    if (!at) fail_msg("no array %s", name);
    const char *start = strstr((const char *)data, "<AppendedData encoding=\"raw\">\n_");
    assert_non_null(start);
    const unsigned char *p =
        (const unsigned char *)start + 31 + strtoull(strstr(at, "offset=\"") + 8, NULL, 10);
    memcpy(n_bytes, p, 8);
    return p + 8;
}

static void leads_to_every_array(void **state)
{
    (void)state;
    const int64_t n = 5000;
    firn_points *points = sample_points(n);
    assert_int_equal(firn_vtp_write(scratch("a.vtp"), points, NULL, NULL), FIRN_OK);
    size_t size;
    unsigned char *data = scratch_load(scratch("a.vtp"), &size);
    for (int a = 0; a < points->n_attributes; a++) {
        const firn_attribute *attribute = &points->attributes[a];
        int is_P = strcmp(attribute->name, "P") == 0;
        uint64_t bytes;
        const char *type =
            attribute->type == FIRN_ATTRIBUTE_INT || attribute->type == FIRN_ATTRIBUTE_INDEX
                ? "Int32"
                : "Float32";
        const unsigned char *p = array(data, type, is_P ? "Points" : attribute->name, &bytes);
        assert_int_equal(bytes, n * attribute->n_components * 4);
        assert_memory_equal(p, attribute->data.f, bytes);
    }
    uint64_t bytes;
    int64_t value;
    const unsigned char *p = array(data, "Int64", "connectivity", &bytes);
    assert_int_equal(bytes, n * 8);
    memcpy(&value, p + 8 * (n - 1), 8);
    assert_int_equal(value, n - 1);
    p = array(data, "Int64", "offsets", &bytes);
    assert_int_equal(bytes, 8);
    memcpy(&value, p, 8);
    assert_int_equal(value, n);
    assert_string_equal((const char *)p + 8,
                        "\n</AppendedData>\n</VTKFile>\n"); /* it was the last array */
    p = array(data, "Float32", "gravity", &bytes);
    assert_int_equal(bytes, 12);
    assert_memory_equal(p, firn_points_find_detail(points, "gravity")->data.f, 12);
    const char *text = (const char *)data;
    assert_non_null(strstr(text, "NumberOfPoints=\"5000\" NumberOfVerts=\"1\""));
    assert_non_null(strstr(text, "Name=\"F\" NumberOfComponents=\"9\""));
    assert_non_null(strstr(text, "Name=\"TimeValue\""));
    assert_non_null(strstr(
        text,
        "Name=\"material_strings\" NumberOfTuples=\"4\" format=\"ascii\">\n115 110 111 119 0\n"));
    free(data);
    firn_points_destroy(points);
}

static void writes_no_points(void **state)
{
    (void)state;
    firn_points *points = sample_points(0);
    assert_int_equal(firn_vtp_write(scratch("b.vtp"), points, NULL, NULL), FIRN_OK);
    size_t size;
    unsigned char *data = scratch_load(scratch("b.vtp"), &size);
    assert_non_null(strstr((const char *)data, "NumberOfPoints=\"0\" NumberOfVerts=\"0\""));
    free(data);
    firn_points_destroy(points);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    firn_points *points = sample_points(3);
    int k = 1;
    for (firn_status status = FIRN_MEMORY; status != FIRN_OK; k++) {
        firn_memory_fail_after(k);
        status = firn_vtp_write(scratch("c.vtp"), points, NULL, NULL);
        firn_memory_fail_after(0);
        assert_true(status == FIRN_OK || access(scratch("c.vtp"), F_OK) != 0);
        assert_in_range(k, 1, 50);
    }
    firn_points_destroy(points);
}

/* ---------------------------------------------------------------- files of other programs */

typedef struct form { /* how a file is encoded */
    int encoding; /* 0 ascii, 1 base64 between the tags, 2 raw behind all, 3 base64 behind all */
    int is_big_endian, is_compressed, header_bytes, header_is_apart;
} form;

typedef struct builder {
    char text[60000], tail[60000];
    size_t n, n_tail;
    form f;
} builder;

static void put(builder *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    b->n += (size_t)vsnprintf(b->text + b->n, sizeof b->text - b->n, format, arguments);
    va_end(arguments);
}

/* One piece of base64, padded. */
static size_t encode(const unsigned char *from, size_t n, char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n_to = 0;
    for (size_t i = 0; i < n; i += 3) {
        unsigned bits = (unsigned)from[i] << 16 | (i + 1 < n ? (unsigned)from[i + 1] << 8 : 0) |
                        (i + 2 < n ? from[i + 2] : 0);
        for (int k = 0; k < 4; k++)
            to[n_to++] = i + (size_t)k > n ? '=' : digits[bits >> (18 - 6 * k) & 63];
    }
    return n_to;
}

static size_t number(const builder *b, uint64_t value, int n_bytes, unsigned char *to)
{
    for (int i = 0; i < n_bytes; i++)
        to[b->f.is_big_endian ? n_bytes - 1 - i : i] = (unsigned char)(value >> 8 * i);
    return (size_t)n_bytes;
}

/* The numbers in front and the data, as one stretch of text or bytes; returns its length. */
static size_t pack(const builder *b, const unsigned char *data, size_t n, char *to)
{
    unsigned char front[200], body[20000];
    size_t n_front = 0, n_body = 0;
    int h = b->f.header_bytes;
    if (b->f.is_compressed) { /* blocks of 64 bytes, so that there are several and a part of one */
        size_t n_blocks = (n + 63) / 64;
        n_front += number(b, n_blocks, h, front);
        n_front += number(b, 64, h, front + n_front);
        n_front += number(b, n % 64, h, front + n_front);
        for (size_t k = 0; k < n_blocks; k++) {
            uLongf room = sizeof body - n_body;
            size_t some = k + 1 < n_blocks || n % 64 == 0 ? 64 : n % 64;
            assert_int_equal(compress2(body + n_body, &room, data + 64 * k, some, 6), Z_OK);
            n_front += number(b, room, h, front + n_front);
            n_body += room;
        }
    } else {
        n_front = number(b, n, h, front);
        memcpy(body, data, n_body = n);
    }
    size_t n_to = 0;
    if (b->f.encoding == 2) {
        memcpy(to, front, n_front);
        memcpy(to + n_front, body, n_body);
        return n_front + n_body;
    }
    if (b->f.is_compressed || b->f.header_is_apart) {
        n_to = encode(front, n_front, to);
        return n_to + encode(body, n_body, to + n_to);
    }
    unsigned char both[20200];
    memcpy(both, front, n_front);
    memcpy(both + n_front, body, n_body);
    return encode(both, n_front + n_body, to);
}

/* n values of `each` bytes as a DataArray; texts: kind 's'. */
static void put_array(builder *b, const char *type, const char *name, int n_components,
                      const char *more, char kind, int each, const double *values, int n)
{
    unsigned char bytes[20000];
    char packed[50000];
    size_t n_bytes = 0;
    for (int i = 0; i < n; i++) {
        uint64_t bits = (uint64_t)(int64_t)values[i];
        float f = (float)values[i];
        uint32_t word;
        if (kind == 'f' && each == 4) {
            memcpy(&word, &f, 4);
            bits = word;
        }
        if (kind == 'f' && each == 8) memcpy(&bits, &values[i], 8);
        n_bytes += number(b, bits, each, bytes + n_bytes);
    }
    static const char *const formats[] = {"ascii", "binary", "appended", "appended"};
    put(b, "<DataArray type='%s' Name='%s' NumberOfComponents='%d' format='%s' %s", type, name,
        n_components, formats[b->f.encoding], more);
    if (b->f.encoding == 0) {
        put(b, ">\n ");
        for (int i = 0; i < n; i++) put(b, "%.17g%s", values[i], i % 3 == 2 ? "\n " : " ");
        put(b, "\n</DataArray>\n");
        return;
    }
    size_t n_packed = pack(b, bytes, n_bytes, packed);
    if (b->f.encoding == 1) {
        put(b, ">\n  %.*s\n</DataArray>\n", (int)n_packed, packed);
        return;
    }
    put(b, " offset='%zu' />\n", b->n_tail);
    memcpy(b->tail + b->n_tail, packed, n_packed);
    b->n_tail += n_packed;
}

enum { N = 23 };

static double coordinate(int i) { return 0.1 * i * i - 7; }

/* Two pieces, of N - 5 and 5 points. */
static void build(builder *b, form f, const char *path)
{
    *b = (builder){.f = f};
    double x[3 * N], F[9 * N], id[N], label[N], color[3 * N], words[6 * N];
    put(b,
        "<?xml version=\"1.0\"?>\n<!-- as \"others\" write <it> -->\n<VTKFile type=\"PolyData\" "
        "version=\"1.0\" "
        "byte_order=\"%s\"%s%s>\n",
        f.is_big_endian ? "BigEndian" : "LittleEndian",
        f.header_bytes == 8 ? " header_type=\"UInt64\"" : "",
        f.is_compressed ? " compressor=\"vtkZLibDataCompressor\"" : "");
    const double time = 1.25;
    put(b, "<PolyData>\n<FieldData>\n");
    put_array(b, "Float64", "TimeValue", 1, "NumberOfTuples='1'", 'f', 8, &time, 1);
    put(b, "</FieldData>\n");
    for (int piece = 0, at = 0; piece < 2; piece++) {
        int n = piece ? 5 : N - 5, n_words = 0;
        for (int i = 0; i < n; i++, at++) {
            const char *word = at % 3 ? "snow" : "\xC3\xA4";
            for (int c = 0; c < 3; c++) {
                x[3 * i + c] = coordinate(3 * at + c);
                color[3 * i + c] = (51 * (at + c)) % 256;
            }
            for (int c = 0; c < 9; c++) F[9 * i + c] = c % 4 == 0 ? 1 + 0.001 * at : 0.01 * c;
            id[i] = at == 3 ? 5e9 : at;
            label[i] = -at;
            for (const char *p = word;; p++) {
                words[n_words++] = (unsigned char)*p;
                if (!*p) break;
            }
        }
        put(b, "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\"><PointData Scalars='id'>\n", n);
        put_array(b, "Float64", "v", 3, "RangeMin='0'", 'f', 8, x, 3 * n);
        put_array(b, "Float32", "F", 9, "", 'f', 4, F, 9 * n);
        put_array(b, "Int64", "id", 1, "", 'i', 8, id, n);
        put_array(b, "Int16", "a &lt;b&gt; &#228;", 1, "", 'i', 2, label, n);
        put_array(b, "UInt8", "Cd", 3, "", 'i', 1, color, 3 * n);
        put_array(b, "String", "material", 1, "", 's', 1, words, n_words);
        put(b, "</PointData>\n<CellData></CellData>\n<Points>\n");
        put_array(b, "Float32", "Points", 3, "", 'f', 4, x, 3 * n);
        put(b, "</Points>\n<Verts><DataArray type='Int64' Name='offsets' "
               "format='ascii'></DataArray></Verts></Piece>\n");
    }
    put(b, "</PolyData>\n");
    if (f.encoding >= 2) {
        put(b, "<AppendedData encoding=\"%s\">\n _", f.encoding == 2 ? "raw" : "base64");
        memcpy(b->text + b->n, b->tail, b->n_tail);
        b->n += b->n_tail;
        put(b, "\n</AppendedData>\n");
    }
    put(b, "</VTKFile>\n");
    scratch_store(path, b->text, b->n);
}

static void check(const firn_points *points)
{
    assert_int_equal(points->n, N);
    const firn_attribute *P = firn_points_find(points, "P"), *v = firn_points_find(points, "v"),
                         *F = firn_points_find(points, "F"), *id = firn_points_find(points, "id"),
                         *label = firn_points_find(points, "a <b> \xC3\xA4"),
                         *Cd = firn_points_find(points, "Cd"),
                         *material = firn_points_find(points, "material");
    assert_true(P && v && F && id && label && Cd && material);
    assert_int_equal(points->n_attributes, 7);
    assert_true(P->type == FIRN_ATTRIBUTE_VECTOR && v->type == FIRN_ATTRIBUTE_VECTOR &&
                F->n_components == 9);
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 3; c++) {
            assert_true(P->data.f[3 * i + c] == (float)coordinate(3 * i + c));
            assert_true(v->data.f[3 * i + c] == (float)coordinate(3 * i + c));
            assert_true(fabs(Cd->data.f[3 * i + c] - (51 * (i + c)) % 256 / 255.0) < 1e-6);
        }
        assert_true(F->data.f[9 * i] == (float)(1 + 0.001 * i) && F->data.f[9 * i + 5] == 0.05f);
        assert_int_equal(id->data.i[i], i == 3 ? INT32_MAX : i); /* 5e9 needs more than 32 bits */
        assert_int_equal(label->data.i[i], -i);
        assert_string_equal(material->strings[material->data.i[i]], i % 3 ? "snow" : "\xC3\xA4");
    }
    assert_true(firn_points_find_detail(points, "time")->data.f[0] == 1.25f);
}

static void reads_every_encoding(void **state)
{
    (void)state;
    static builder b;
    int n_tried = 0;
    for (int bits = 0; bits < 64; bits++) {
        form f = {bits & 3, bits >> 2 & 1, bits >> 3 & 1, bits >> 4 & 1 ? 8 : 4, bits >> 5 & 1};
        if (f.header_is_apart && (f.is_compressed || f.encoding == 0 || f.encoding == 2)) continue;
        build(&b, f, scratch("form.vtp"));
        firn_points *points;
        firn_messages *messages = firn_messages_create();
        if (firn_vtp_read(scratch("form.vtp"), &points, messages) != FIRN_OK)
            fail_msg("form %d: %s", bits, firn_messages_text(messages, 0, NULL));
        check(points);
        assert_true(scratch_says(messages, "1 values of 'id' do not fit 32 bits"));
        assert_int_equal(firn_messages_total(messages), 1);
        firn_points_destroy(points);
        firn_messages_destroy(messages);
        n_tried++;
    }
    assert_int_equal(n_tried, 40);
}

/* ---------------------------------------------------------------- damage */

static void refuse(const char *text, size_t n, const char *words)
{
    firn_points *points;
    firn_messages *messages = firn_messages_create();
    scratch_store(scratch("bad.vtp"), text, n);
    firn_status status = firn_vtp_read(scratch("bad.vtp"), &points, messages);
    if (status != FIRN_IO) fail_msg("not refused: %s", words);
    assert_null(points);
    assert_true(scratch_says(messages, words));
    firn_messages_destroy(messages);
}

#define HEAD "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n<PolyData>"
#define TAIL "</Piece></PolyData></VTKFile>"
#define ONE HEAD "<Piece NumberOfPoints=\"1\">\n"
#define PLACES                                                                                     \
    "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>1 2 "                 \
    "3</DataArray></Points>"
#define ARRAY(more)                                                                                \
    ONE PLACES "<PointData>\n<DataArray Name='a' " more "</DataArray></PointData>" TAIL

static void says_what_is_wrong(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } bad[] = {
        {"", "cut off (ends after 0 bytes, inside its XML)"},
        {"solid x\n", "not a VTK XML file (no VTKFile in it)"},
        {"<html></html>", "not a VTK XML file"},
        {"<VTKFile type='UnstructuredGrid'>",
         "VTK file of type 'UnstructuredGrid'; allowed: PolyData"},
        {"<VTKFile type='PolyData' compressor='vtkLZ4DataCompressor'>",
         "compressed by vtkLZ4DataCompressor; allowed: vtkZLibDataCompressor, or uncompressed"},
        {HEAD "</PolyData></VTKFile>", "no Piece, and so no points"},
        {HEAD "<Piece NumberOfPoints='-3'>" TAIL, "a Piece with an invalid NumberOfPoints"},
        {HEAD "<Piece>" TAIL, "a Piece with an invalid NumberOfPoints"},
        {HEAD "<Piece NumberOfPoints='900000000000'>" TAIL, "more points than the file can hold"},
        {HEAD "<Piece NumberOfPoints='5000'>" PLACES TAIL,
         "array '' has no room for 15000 numbers"},
        {HEAD "<Piece NumberOfPoints='2'>" PLACES TAIL, "array '' has no room for 6 numbers"},
        {ONE TAIL, "no Points, and so no positions"},
        {ONE "<Points><DataArray type='Int32' NumberOfComponents='3' format='ascii'>1 2 "
             "3</DataArray></Points>" TAIL,
         "bad.vtp:3: array '' must hold three floats per point"},
        {ARRAY("type='Bit' format='ascii'>1"), "bad.vtp:4: array 'a' has the unknown type 'Bit'"},
        {ARRAY("type='Int8' format='hex'>1"),
         "has the format 'hex'; allowed: ascii, binary, appended"},
        {ARRAY("type='Int8' format='ascii'>1 2"), "array 'a' holds 2 numbers; allowed: 1"},
        {ARRAY("type='Int8' format='ascii'>one"),
         "holds something that is no number after 0 numbers"},
        {ARRAY("type='Int8' format='ascii' NumberOfComponents='0'>1"),
         "has an invalid NumberOfComponents"},
        {ARRAY("type='Int8' format='ascii' NumberOfComponents='9000000000'>1"),
         "has an invalid NumberOfComponents"},
        {ARRAY("type='Int8' format='appended' offset='0'>"),
         "is appended, but the file has no appended data"},
        {ARRAY("type='Int8' format='appended' offset='-1'>"), "has an invalid offset"},
        {ARRAY("type='Float32' format='binary'>BAAAAAAA*D8="),
         "holds characters that are not base64"},
        {ARRAY("type='Float32' format='binary'>BAAAAA=="),
         "claims more data than the file can hold"},
        {ARRAY("type='Float32' format='binary'>BAA"),
         "ends in the middle of its data: damaged or cut off"},
        {ARRAY("type='Float32' format='binary'>////fwAAgD8="),
         "claims more data than the file can hold"}, /* 2 GB */
        {ARRAY("type='Float32' format='binary'>AgAAAAAAgD8="),
         "holds 2 bytes; allowed: 4 (1 numbers of type Float32)"},
        {ARRAY("type='String' format='ascii'>104 0 105 0"), "does not hold one text per point"},
        {ONE PLACES
         "<PointData><DataArray type='Int8' format='ascii'>1</DataArray></PointData>" TAIL,
         "has no name"},
        {ONE PLACES
         "<PointData><DataArray type='Int8' Name='' format='ascii'>1</DataArray></PointData>" TAIL,
         "array '' has no name, or one of more than 63 bytes"},
        {HEAD "<FieldData><DataArray type='Int8' Name='' format='ascii'>1</DataArray></FieldData>",
         "array '' has no name, or one of more than 63 bytes"},
        {ONE PLACES "</Piece><Piece NumberOfPoints='0'></Piece></PolyData></VTKFile>",
         "piece 1 has no array 'P' as the first has"},
        {ONE PLACES "<PointData><DataArray type='Int8' Name='a' "
                    "format='ascii'>1</DataArray><DataArray type='Int8' "
                    "Name='a' format='ascii'>1</DataArray></PointData>" TAIL,
         "array 'a' is there twice"},
        {ONE PLACES "</Piece></PolyData><AppendedData encoding='hex'>_</AppendedData></VTKFile>",
         "appended data encoded as 'hex'; allowed: raw, base64"},
        {ONE "<Points><DataArray type='Float32' NumberOfComponents='3' format='appended' "
             "offset='99'/></Points></Piece>"
             "</PolyData><AppendedData encoding='raw'>_1234</AppendedData></VTKFile>",
         "begins behind the end of the file"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(bad[i].text, strlen(bad[i].text), bad[i].words);
    /* what is no such file is not read whole: this one would not fit anywhere */
    firn_points *points;
    firn_messages *messages = firn_messages_create();
    scratch_store(scratch("long.vtp"), "<html>", 6);
    assert_int_equal(truncate(scratch("long.vtp"), (off_t)1 << 42), 0);
    assert_int_equal(firn_vtp_read(scratch("long.vtp"), &points, messages), FIRN_IO);
    assert_true(scratch_says(messages, "not a VTK XML file (no VTKFile at its beginning)"));
    firn_messages_destroy(messages);
}

/* A header of 10 GB, plain and packed, and a thousand arrays on the same data: refused before
 * memory is asked for. */
static void claims_are_not_believed(void **state)
{
    (void)state;
    char text[200000];
    size_t n;
    const char *frame = "<VTKFile type='PolyData' header_type='UInt64'%s><PolyData><Piece "
                        "NumberOfPoints='%s'><Points>"
                        "<DataArray type='Float32' NumberOfComponents='3' format='appended' "
                        "offset='0'/></Points></Piece>"
                        "</PolyData><AppendedData encoding='raw'>_";
    const uint64_t ten_gb = 10000000000u, packed[4] = {1, ten_gb, 0, 12},
                   many[4] = {1u << 30, 12, 0, 12};
    const char *end = "\n</AppendedData></VTKFile>";
    n = (size_t)snprintf(text, sizeof text, frame, "", "833333333");
    memcpy(text + n, &ten_gb, 8);
    strcpy(text + n + 8, end);
    refuse(text, n + 8 + strlen(end), "more points than the file can hold");
    n = (size_t)snprintf(text, sizeof text, frame, "", "1");
    memcpy(text + n, &ten_gb, 8);
    strcpy(text + n + 8, end);
    refuse(text, n + 8 + strlen(end), "claims more data than the file can hold");
    for (int i = 0; i < 2; i++) {
        n = (size_t)snprintf(text, sizeof text, frame, " compressor='vtkZLibDataCompressor'", "1");
        memcpy(text + n, i ? many : packed, 32);
        memset(text + n + 32, 0, 12);
        strcpy(text + n + 44, end);
        refuse(text, n + 44 + strlen(end), "claims more data than the file can hold");
    }
    n = (size_t)snprintf(
        text, sizeof text,
        HEAD "<Piece NumberOfPoints='1000'>"
             "<Points><DataArray type='Float32' "
             "NumberOfComponents='3' format='appended' offset='0'/></Points><PointData>");
    for (int i = 0; i < 1000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<DataArray type='Float32' Name='a%d' NumberOfComponents='3' "
                              "format='appended' offset='0'/>",
                              i);
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "</PointData></Piece></PolyData><AppendedData encoding='raw'>_");
    const uint32_t bytes = 12000;
    memcpy(text + n, &bytes, 4);
    memset(text + n + 4, 0, bytes);
    strcpy(text + n + 4 + bytes, end);
    refuse(text, n + 4 + bytes + strlen(end),
           "shares its data with others; allowed: data of its own");
}

static void survives_cuts_and_flips(void **state)
{
    (void)state;
    static builder b;
    firn_points *read;
    const form forms[] = {
        {0, 0, 0, 4, 0}, {1, 0, 1, 8, 0}, {2, 0, 1, 4, 0}, {3, 1, 0, 8, 0}, {2, 0, 0, 8, 0}};
    for (int f = 0; f < 5; f++) {
        build(&b, forms[f], scratch("whole.vtp"));
        for (size_t cut = 0; cut + strlen("</VTKFile>\n") < b.n; cut += f ? 7 : 3) {
            scratch_store(scratch("cut.vtp"), b.text, cut);
            assert_int_equal(firn_vtp_read(scratch("cut.vtp"), &read, NULL), FIRN_IO);
            assert_null(read);
        }
        scratch_store(scratch("cut.vtp"), b.text, b.n);
        for (size_t at = 0; at < b.n; at += 2) {
            const unsigned char flips[] = {1, 128, 0x55};
            unsigned char was = (unsigned char)b.text[at];
            scratch_poke(scratch("cut.vtp"), at, was ^ flips[at / 2 % 3]);
            firn_status status = firn_vtp_read(scratch("cut.vtp"), &read, NULL);
            assert_true((status == FIRN_OK) == (read != NULL));
            firn_points_destroy(read);
            scratch_poke(scratch("cut.vtp"), at, was);
        }
    }
}

static void reads_without_memory(void **state)
{
    (void)state;
    static builder b;
    firn_points *read;
    build(&b, (form){1, 0, 1, 4, 0}, scratch("whole.vtp"));
    int k = 1;
    for (firn_status status = FIRN_MEMORY; status != FIRN_OK; k++) {
        firn_memory_fail_after(k);
        status = firn_vtp_read(scratch("whole.vtp"), &read, NULL);
        firn_memory_fail_after(0);
        assert_true((status == FIRN_OK) == (read != NULL));
        firn_points_destroy(read);
        assert_in_range(k, 1, 400);
    }
    assert_true(k > 30);
}

/* 72 MB of zeros in a file of 70 kB: more than 64 MiB and more than 16 times the file. */
static void refuses_a_bomb(void **state)
{
    (void)state;
    enum { POINTS = 6000000, BYTES = 12 * POINTS };
    firn_messages *messages = firn_messages_create();
    firn_points *points = NULL;
    uLongf n_packed = compressBound(BYTES);
    unsigned char *zeros = calloc(1, BYTES), *packed = malloc(n_packed);
    assert_true(zeros && packed);
    assert_int_equal(compress2(packed, &n_packed, zeros, BYTES, 6), Z_OK);
    const uint32_t head[4] = {1, BYTES, 0, (uint32_t)n_packed};
    char *text = calloc(1, n_packed + 1024);
    assert_non_null(text);
    size_t n = (size_t)sprintf(
        text,
        "<VTKFile type='PolyData' byte_order='LittleEndian' header_type='UInt32' "
        "compressor='vtkZLibDataCompressor'><PolyData><Piece NumberOfPoints='%d'><Points>"
        "<DataArray type='Float32' NumberOfComponents='3' format='appended' offset='0'/>"
        "</Points></Piece></PolyData><AppendedData encoding='raw'>_",
        POINTS);
    memcpy(text + n, head, sizeof head);
    memcpy(text + n + sizeof head, packed, n_packed);
    n += sizeof head + n_packed;
    n += (size_t)sprintf(text + n, "</AppendedData></VTKFile>");
    scratch_store(scratch("bomb.vtp"), text, n);
    assert_int_equal(firn_vtp_read(scratch("bomb.vtp"), &points, messages), FIRN_MEMORY);
    assert_null(points);
    assert_true(scratch_says(messages, "unpacks to more than may be held in memory"));
    firn_messages_destroy(messages);
    free(text);
    free(packed);
    free(zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leads_to_every_array),
        cmocka_unit_test(writes_no_points),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(reads_every_encoding),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(claims_are_not_believed),
        cmocka_unit_test(survives_cuts_and_flips),
        cmocka_unit_test(reads_without_memory),
        cmocka_unit_test(refuses_a_bomb),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
