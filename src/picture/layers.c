/* SPDX-License-Identifier: MIT */
/* layers.c: see layers.h. OpenEXR 2 as its file layout document has it (openexr.com, "OpenEXR File
 * Layout"): header of attributes, table of the offsets of lines, lines. ZIPS: the floats of a line,
 * channel after channel, have their bytes parted into even and odd ones, differences are taken, and
 * the result is deflated; a line that does not become shorter is kept as it is. Little endian. */
#include "picture/layers.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/text.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

enum { N_CHANNELS = 6 };
static const char *const channels[N_CHANNELS] = {"A", "B", "G", "R", "Z", "material.A"};

firn_layers *firn_layers_create(int width, int height)
{
    firn_layers *layers = firn_memory_allocate(NULL, sizeof *layers);
    size_t n = (size_t)width * (size_t)height;
    if (!layers) return NULL;
    *layers = (firn_layers){width, height, firn_memory_array(NULL, n, 4 * sizeof(float)),
                            firn_memory_array(NULL, n, sizeof(float)),
                            firn_memory_array(NULL, n, sizeof(float))};
    if (layers->rgba && layers->depth && layers->material) return layers;
    firn_layers_destroy(layers);
    return NULL;
}

void firn_layers_destroy(firn_layers *layers)
{
    if (!layers) return;
    size_t n = (size_t)layers->width * (size_t)layers->height;
    firn_memory_release(NULL, layers->rgba, n * 4 * sizeof(float));
    firn_memory_release(NULL, layers->depth, n * sizeof(float));
    firn_memory_release(NULL, layers->material, n * sizeof(float));
    firn_memory_release(NULL, layers, sizeof *layers);
}

/* ---------------------------------------------------------------- header */

typedef struct header {
    unsigned char bytes[1024];
    size_t n;
} header;

static void put(header *h, const void *data, size_t n)
{
    memcpy(h->bytes + h->n, data, n);
    h->n += n;
}

static void put_integer(header *h, int32_t x) { put(h, &x, sizeof x); }

static void put_attribute(header *h, const char *name, const char *type, size_t n, const void *data)
{
    put(h, name, strlen(name) + 1);
    put(h, type, strlen(type) + 1);
    put_integer(h, (int32_t)n);
    put(h, data, n);
}

static void make_header(header *h, int width, int height)
{
    enum { FLOAT = 2, ZIPS = 2 };
    header list = {.n = 0};
    unsigned char zero = 0, zips = ZIPS;
    int32_t window[4] = {0, 0, width - 1, height - 1};
    float one = 1, center[2] = {0, 0};
    for (int k = 0; k < N_CHANNELS; k++) {
        put(&list, channels[k], strlen(channels[k]) + 1);
        put_integer(&list, FLOAT);
        put_integer(&list, 0); /* as it is, and three bytes that are not used */
        put_integer(&list, 1);
        put_integer(&list, 1);
    }
    put(&list, &zero, 1);
    h->n = 0;
    put_integer(h, 20000630);
    put_integer(h, 2);
    put_attribute(h, "channels", "chlist", list.n, list.bytes);
    put_attribute(h, "compression", "compression", 1, &zips);
    put_attribute(h, "dataWindow", "box2i", sizeof window, window);
    put_attribute(h, "displayWindow", "box2i", sizeof window, window);
    put_attribute(h, "lineOrder", "lineOrder", 1, &zero);
    put_attribute(h, "pixelAspectRatio", "float", sizeof one, &one);
    put_attribute(h, "screenWindowCenter", "v2f", sizeof center, center);
    put_attribute(h, "screenWindowWidth", "float", sizeof one, &one);
    put(h, &zero, 1);
}

/* ---------------------------------------------------------------- lines */

static void take_line(const firn_layers *layers, int j, float *line)
{
    size_t width = (size_t)layers->width, row = (size_t)j * width;
    for (size_t i = 0; i < width; i++) {
        for (size_t c = 0; c < 4; c++) line[c * width + i] = layers->rgba[4 * (row + i) + 3 - c];
        line[4 * width + i] = layers->depth[row + i];
        line[5 * width + i] = layers->material[row + i];
    }
}

/* Packs n bytes (an even number) by way of `work`; returns their new number. 0: zlib failed. */
static size_t pack(const unsigned char *raw, size_t n, unsigned char *work, unsigned char *packed,
                   size_t room)
{
    for (size_t k = 0; k < n; k++) work[k % 2 * (n / 2) + k / 2] = raw[k];
    for (size_t k = n - 1; k > 0; k--) work[k] = (unsigned char)(work[k] - work[k - 1] + 128);
    uLongf size = room;
    if (compress2(packed, &size, work, n, 6) != Z_OK) return 0;
    if (size < n) return size;
    memcpy(packed, raw, n);
    return n;
}

/* All lines one after the other, each with its number and length, in `text`. */
static int pack_lines(const firn_layers *layers, firn_text *text, uint64_t first, uint64_t *offsets)
{
    size_t n = (size_t)layers->width * N_CHANNELS * sizeof(float), room = compressBound(n);
    float *line = firn_memory_array(NULL, n, 1);
    unsigned char *work = firn_memory_array(NULL, n, 1), *packed = firn_memory_array(NULL, room, 1);
    int good = line && work && packed;
    for (int j = 0; j < layers->height && good; j++) {
        take_line(layers, j, line);
        size_t size = pack((const unsigned char *)line, n, work, packed, room);
        int32_t start[2] = {j, (int32_t)size};
        offsets[j] = first + text->n;
        firn_text_add_bytes(text, (const char *)start, sizeof start);
        firn_text_add_bytes(text, (const char *)packed, size);
        good = size > 0 && !text->has_failed;
    }
    firn_memory_release(NULL, packed, room);
    firn_memory_release(NULL, work, n);
    firn_memory_release(NULL, line, n);
    return good;
}

firn_status firn_layers_write(const firn_layers *layers, const char *path, firn_messages *messages)
{
    header h;
    firn_text text = {0};
    size_t n_table = (size_t)layers->height * sizeof(uint64_t);
    make_header(&h, layers->width, layers->height);
    uint64_t *offsets = firn_memory_array(NULL, n_table, 1);
    firn_status status = FIRN_OK;
    if (!offsets || !pack_lines(layers, &text, h.n + n_table, offsets))
        status = firn_messages_no_memory(messages, "layers of the picture");
    firn_file_writer *writer = status ? NULL : firn_file_create(path, 0, messages);
    if (!status && !writer) status = firn_file_failure(messages);
    if (writer) {
        firn_file_write(writer, h.bytes, h.n);
        firn_file_write(writer, offsets, n_table);
        firn_file_write(writer, text.data, text.n);
        status = firn_file_commit(writer, NULL, messages);
    }
    firn_text_clear(&text);
    firn_memory_release(NULL, offsets, n_table);
    return status;
}
