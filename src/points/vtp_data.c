/* SPDX-License-Identifier: MIT */
/* vtp_data.c: see vtp_data.h. The layout of VTK's XML formats, version 0.1 and 1.0 ("VTK XML
 * formats", Kitware's wiki):
 *
 *     ascii                 numbers between the tags; of strings the codes of their bytes, each
 *                           ended by 0
 *     binary, appended      [N] data
 *         N: length of the data in bytes
 *     with a compressor     [blocks] [size] [last size] [packed size] ... [packed size] data
 *                           size: of a block unpacked; last size: of the last one, 0 when it is
 *                           as large as the others
 *
 * The numbers in front are UInt32, or UInt64 by header_type, in the file's byte order. Binary
 * data are base64, data at `offset` behind the underscore of AppendedData raw or base64. In
 * base64 the numbers in front are a piece of their own, padded, when data are compressed; other
 * programs pad them without compression too. Both are read: padding only ends a piece here.
 *
 * Nothing is allocated before the numbers in front fit to the bytes that are there. No byte of
 * the file may serve two arrays, else a small file could claim any amount of memory. */
#include "points/vtp_data.h"
#include "base/messages.h"
#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct firn_vtp_type_info firn_vtp_types[FIRN_VTP_N_TYPES] = {
    {"Int8", 1},  {"UInt8", 1},  {"Int16", 2},   {"UInt16", 2},  {"Int32", 4}, {"UInt32", 4},
    {"Int64", 8}, {"UInt64", 8}, {"Float32", 4}, {"Float64", 8}, {"String", 1}};

firn_status firn_vtp_wrong(const firn_vtp_file *file, const firn_vtp_array *array,
                           const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return firn_messages_add(file->messages, FIRN_IO, "%s:%d: array '%s' %s", file->path,
                             array->line, array->name, what);
}

static firn_status no_memory(const firn_vtp_file *file, const firn_vtp_array *array)
{
    return firn_messages_no_memory(file->messages, "%s: array '%s'", file->path, array->name);
}

/* ---------------------------------------------------------------- bytes as they come */

typedef struct stream {
    const unsigned char *at, *end;
    int is_base64, n_held;
    unsigned char held[3]; /* of a group of four characters, what was not yet wanted */
    int is_bad;            /* a character that base64 does not know */
} stream;

static int digit_of(unsigned char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The next four characters to one, two or three bytes. */
static int take_group(stream *s)
{
    uint32_t bits = 0;
    int n = 0, n_digits = 0;
    while (n < 4) {
        if (s->at == s->end) return 0;
        unsigned char c = *s->at++;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
        int digit = digit_of(c);
        if (digit < 0 ? c != '=' || n < 2 : n_digits < n) return s->is_bad = 1, 0;
        bits = bits << 6 | (digit < 0 ? 0 : (uint32_t)digit);
        n_digits += digit >= 0;
        n++;
    }
    s->n_held = n_digits - 1;
    for (int i = 0; i < 3; i++) s->held[i] = (unsigned char)(bits >> (16 - 8 * i));
    return 1;
}

/* At most so many bytes can still come. */
static uint64_t left_in(const stream *s)
{
    uint64_t n = (uint64_t)(s->end - s->at);
    return s->is_base64 ? (uint64_t)s->n_held + n / 4 * 3 : n;
}

static int take_bytes(stream *s, void *data, size_t n)
{
    unsigned char *out = data;
    if (!s->is_base64) {
        if ((size_t)(s->end - s->at) < n) return 0;
        if (n) memcpy(out, s->at, n);
        s->at += n;
        return 1;
    }
    while (n > 0) {
        if (s->n_held == 0 && !take_group(s)) return 0;
        size_t some = (size_t)s->n_held < n ? (size_t)s->n_held : n;
        memcpy(out, s->held, some);
        memmove(s->held, s->held + some, 3 - some);
        s->n_held -= (int)some;
        out += some;
        n -= some;
    }
    return 1;
}

static uint64_t whole_number(const unsigned char *bytes, size_t n, int is_big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) value = value << 8 | bytes[is_big_endian ? i : n - 1 - i];
    return value;
}

static int take_header(const firn_vtp_file *file, stream *s, uint64_t *value)
{
    unsigned char bytes[8];
    if (!take_bytes(s, bytes, file->header_bytes)) return 0;
    *value = whole_number(bytes, file->header_bytes, file->is_big_endian);
    return 1;
}

/* ---------------------------------------------------------------- one array's bytes, unpacked */

typedef struct payload {
    stream data;
    uint64_t n_bytes; /* unpacked */
    uint64_t n_blocks, size, last;
    stream sizes; /* of the packed blocks, one number each */
} payload;

static firn_status cut(const firn_vtp_file *file, const firn_vtp_array *array, const stream *s)
{
    if (s->is_bad) return firn_vtp_wrong(file, array, "holds characters that are not base64");
    return firn_vtp_wrong(file, array, "ends in the middle of its data: damaged or cut off");
}

static firn_status too_much(const firn_vtp_file *file, const firn_vtp_array *array)
{
    return firn_vtp_wrong(file, array,
                          "claims more data than the file can hold: damaged or cut off");
}

static firn_status open_packed(const firn_vtp_file *file, const firn_vtp_array *array, payload *p)
{
    stream *s = &p->data;
    if (!take_header(file, s, &p->n_blocks)) return cut(file, array, s);
    if (p->n_blocks == 0) return FIRN_OK;
    if (!take_header(file, s, &p->size) || !take_header(file, s, &p->last))
        return cut(file, array, s);
    if (p->n_blocks > left_in(s) / file->header_bytes) return too_much(file, array);
    p->sizes = *s;
    uint64_t packed = 0;
    for (uint64_t b = 0; b < p->n_blocks; b++) {
        uint64_t one;
        if (!take_header(file, s, &one)) return cut(file, array, s);
        if (one > file->n || (packed += one) > file->n) return too_much(file, array);
    }
    s->n_held = 0; /* the sizes were a piece of their own */
    if (packed > left_in(s)) return too_much(file, array);
    if (p->last == 0) p->last = p->size;
    /* deflate never exceeds 1032 times */
    uint64_t most = packed * 1032 + 64;
    if (p->size > most || p->last > p->size ||
        (p->n_blocks > 1 && p->size > most / (p->n_blocks - 1)))
        return too_much(file, array);
    p->n_bytes = (p->n_blocks - 1) * p->size + p->last;
    return p->n_bytes > most ? too_much(file, array) : FIRN_OK;
}

static firn_status open_payload(firn_vtp_file *file, const firn_vtp_array *array, payload *p)
{
    *p = (payload){.data = {.at = (const unsigned char *)array->from,
                            .end = (const unsigned char *)array->until}};
    p->data.is_base64 = 1;
    if (array->encoding == FIRN_VTP_APPENDED) {
        if (!file->appended)
            return firn_vtp_wrong(file, array, "is appended, but the file has no appended data");
        if (array->offset > (uint64_t)(file->appended_end - file->appended))
            return firn_vtp_wrong(file, array,
                                  "begins behind the end of the file: damaged or cut off");
        p->data.at = (const unsigned char *)file->appended + array->offset;
        p->data.end = (const unsigned char *)file->appended_end;
        p->data.is_base64 = file->appended_is_base64;
    }
    if (file->is_compressed) return open_packed(file, array, p);
    if (!take_header(file, &p->data, &p->n_bytes)) return cut(file, array, &p->data);
    return p->n_bytes > left_in(&p->data) ? too_much(file, array) : FIRN_OK;
}

static firn_status unpack(const firn_vtp_file *file, const firn_vtp_array *array, payload *p,
                          unsigned char *to)
{
    firn_status status = FIRN_OK;
    for (uint64_t b = 0; b < p->n_blocks && status == FIRN_OK; b++) {
        uint64_t n_packed = 0, n = b + 1 < p->n_blocks ? p->size : p->last;
        take_header(file, &p->sizes, &n_packed);
        unsigned char *packed = firn_memory_allocate(NULL, (size_t)n_packed);
        if (!packed) return no_memory(file, array);
        if (!take_bytes(&p->data, packed, (size_t)n_packed))
            status = cut(file, array, &p->data);
        else
            status = firn_file_inflate(packed, (size_t)n_packed, to, (size_t)n);
        if (status == FIRN_MEMORY) no_memory(file, array);
        if (status == FIRN_REFUSED)
            status = firn_vtp_wrong(file, array, "holds damaged zlib data (block %llu)",
                                    (unsigned long long)b);
        firn_memory_release(NULL, packed, (size_t)n_packed);
        to += n;
    }
    return status;
}

/* p->n_bytes bytes, to be released with one more: a zero stands behind them. */
static firn_status take_payload(firn_vtp_file *file, const firn_vtp_array *array, payload *p,
                                unsigned char **bytes)
{
    const unsigned char *start = p->data.at;
    *bytes = firn_memory_allocate(NULL, (size_t)p->n_bytes + 1);
    if (!*bytes) return no_memory(file, array);
    firn_status status = FIRN_OK;
    if (file->is_compressed)
        status = unpack(file, array, p, *bytes);
    else if (!take_bytes(&p->data, *bytes, (size_t)p->n_bytes))
        status = cut(file, array, &p->data);
    file->n_used += (size_t)(p->data.at - start);
    if (status == FIRN_OK && file->n_used > file->n)
        status =
            firn_vtp_wrong(file, array, "shares its data with others; allowed: data of its own");
    if (status == FIRN_OK) return FIRN_OK;
    firn_memory_release(NULL, *bytes, (size_t)p->n_bytes + 1);
    *bytes = NULL;
    return status;
}

/* ---------------------------------------------------------------- numbers */

static double number_of(const unsigned char *bytes, firn_vtp_type type, int is_big_endian)
{
    uint64_t u = whole_number(bytes, (size_t)firn_vtp_types[type].n_bytes, is_big_endian);
    uint32_t low = (uint32_t)u;
    float f;
    double d;
    switch (type) {
    case FIRN_VTP_INT8: return (int8_t)u;
    case FIRN_VTP_INT16: return (int16_t)u;
    case FIRN_VTP_INT32: return (int32_t)u;
    case FIRN_VTP_INT64: return (double)(int64_t)u;
    case FIRN_VTP_FLOAT32: return memcpy(&f, &low, 4), (double)f;
    case FIRN_VTP_FLOAT64: return memcpy(&d, &u, 8), d;
    default: return (double)u;
    }
}

static void store(firn_vtp_target to, uint64_t i, int wants_floats, double value,
                  int64_t *n_too_large)
{
    if (wants_floats) {
        to.f[i] = (float)value;
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        to.i[i] = (int32_t)value;
    } else {
        to.i[i] = value > 0 ? INT32_MAX : INT32_MIN;
        ++*n_too_large;
    }
}

/* The next number of a text between tags; 0 at its end, -1 for something else. */
static int next_number(const char **at, const char *end, double *value)
{
    while (*at < end && strchr(" \n\r\t", **at)) ++*at;
    if (*at >= end) return 0;
    char *stop;
    *value = strtod(*at, &stop);
    int is_one = stop > *at && (stop >= end || strchr(" \n\r\t", *stop));
    *at = stop;
    return is_one ? 1 : -1;
}

static firn_status numbers_of_text(firn_vtp_file *file, const firn_vtp_array *array, uint64_t n,
                                   int wants_floats, firn_vtp_target to, int64_t *n_too_large)
{
    const char *at = array->from;
    double value;
    int found = 0;
    uint64_t i = 0;
    for (; (found = next_number(&at, array->until, &value)) > 0; i++)
        if (i < n) store(to, i, wants_floats, value, n_too_large);
    if (found < 0)
        return firn_vtp_wrong(file, array, "holds something that is no number after %llu numbers",
                              (unsigned long long)i);
    if (i == n) return FIRN_OK;
    return firn_vtp_wrong(file, array, "holds %llu numbers; allowed: %llu", (unsigned long long)i,
                          (unsigned long long)n);
}

static firn_status check_size(firn_vtp_file *file, const firn_vtp_array *array, uint64_t n,
                              uint64_t n_bytes)
{
    uint64_t wanted = n * (uint64_t)firn_vtp_types[array->type].n_bytes;
    if (n_bytes == wanted) return FIRN_OK;
    return firn_vtp_wrong(file, array, "holds %llu bytes; allowed: %llu (%llu numbers of type %s)",
                          (unsigned long long)n_bytes, (unsigned long long)wanted,
                          (unsigned long long)n, firn_vtp_types[array->type].name);
}

firn_status firn_vtp_check(firn_vtp_file *file, const firn_vtp_array *array, uint64_t n)
{
    if (array->encoding == FIRN_VTP_ASCII) { /* a digit and a blank each, but for the last blank */
        if (n <= (uint64_t)(array->until - array->from) / 2 + 1) return FIRN_OK;
        return firn_vtp_wrong(file, array, "has no room for %llu numbers: damaged or cut off",
                              (unsigned long long)n);
    }
    payload p;
    firn_status status = open_payload(file, array, &p);
    return status == FIRN_OK ? check_size(file, array, n, p.n_bytes) : status;
}

firn_status firn_vtp_numbers(firn_vtp_file *file, const firn_vtp_array *array, uint64_t n,
                             int wants_floats, firn_vtp_target to, int64_t *n_too_large)
{
    *n_too_large = 0;
    if (array->encoding == FIRN_VTP_ASCII)
        return numbers_of_text(file, array, n, wants_floats, to, n_too_large);
    payload p;
    unsigned char *bytes;
    size_t each = (size_t)firn_vtp_types[array->type].n_bytes;
    firn_status status = open_payload(file, array, &p);
    if (status == FIRN_OK) status = check_size(file, array, n, p.n_bytes);
    if (status == FIRN_OK) status = take_payload(file, array, &p, &bytes);
    if (status != FIRN_OK) return status;
    int is_as_wanted =
        array->type == (wants_floats ? FIRN_VTP_FLOAT32 : FIRN_VTP_INT32) && !file->is_big_endian;
    if (is_as_wanted && n) memcpy(to.f, bytes, n * each);
    for (uint64_t i = 0; !is_as_wanted && i < n; i++)
        store(to, i, wants_floats, number_of(bytes + i * each, array->type, file->is_big_endian),
              n_too_large);
    firn_memory_release(NULL, bytes, (size_t)p.n_bytes + 1);
    return FIRN_OK;
}

firn_status firn_vtp_bytes(firn_vtp_file *file, const firn_vtp_array *array, char **bytes,
                           size_t *n)
{
    *bytes = NULL;
    *n = 0;
    if (array->encoding != FIRN_VTP_ASCII) {
        payload p;
        firn_status status = open_payload(file, array, &p);
        if (status == FIRN_OK) status = take_payload(file, array, &p, (unsigned char **)bytes);
        *n = (size_t)p.n_bytes;
        return status;
    }
    size_t room = (size_t)(array->until - array->from) / 2 + 1; /* a digit and a blank each */
    char *made = firn_memory_allocate(NULL, room + 1);
    const char *at = array->from;
    double value;
    int found = 0;
    size_t i = 0;
    if (!made) return no_memory(file, array);
    for (; i < room && (found = next_number(&at, array->until, &value)) > 0; i++)
        made[i] = value >= 0 && value <= 255 ? (char)(unsigned char)value : '?';
    *bytes = firn_memory_allocate(NULL, i + 1);
    if (*bytes) {
        memcpy(*bytes, made, i);
        *n = i;
    }
    firn_memory_release(NULL, made, room + 1);
    if (!*bytes) return no_memory(file, array);
    if (found >= 0) return FIRN_OK;
    firn_memory_release(NULL, *bytes, i + 1);
    *bytes = NULL;
    return firn_vtp_wrong(file, array, "holds something that is no number after %zu numbers", i);
}
