/* SPDX-License-Identifier: MIT */
/* image.c: drawing and PNG. A primitive covers a pixel by its signed distance d, in pixels, from
 * the centre of the pixel to the edge of the shape: coverage = clamp(1/2 - d, 0, 1). */
#include "plot/image.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static size_t image_bytes(const firn_image *image)
{
    return (size_t)image->width * (size_t)image->height * 3;
}

firn_image *firn_image_create(int width, int height)
{
    if (width < 1 || height < 1 || width > FIRN_IMAGE_MAX || height > FIRN_IMAGE_MAX) return NULL;
    firn_image *image = firn_memory_allocate(NULL, sizeof *image);
    if (!image) return NULL;
    *image = (firn_image){.width = width, .height = height};
    image->rgb = firn_memory_allocate(NULL, image_bytes(image));
    if (image->rgb) return image;
    firn_memory_release(NULL, image, sizeof *image);
    return NULL;
}

void firn_image_destroy(firn_image *image)
{
    if (!image) return;
    firn_memory_release(NULL, image->rgb, image_bytes(image));
    firn_memory_release(NULL, image, sizeof *image);
}

/* ---------------------------------------------------------------- drawing */

static float clamp01(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static int clamp_int(float x, int low, int high)
{
    return x > (float)low ? (x < (float)high ? (int)x : high) : low;
}
static uint8_t to_byte(float value) { return (uint8_t)(clamp01(value) * 255.0f + 0.5f); }

void firn_image_fill(firn_image *image, firn_color color)
{
    uint8_t rgb[3] = {to_byte(color.r), to_byte(color.g), to_byte(color.b)};
    for (size_t k = 0, n = image_bytes(image); k < n; k++) image->rgb[k] = rgb[k % 3];
}

void firn_image_blend(firn_image *image, int i, int j, firn_color color, float coverage)
{
    if (i < 0 || j < 0 || i >= image->width || j >= image->height) return;
    float w = clamp01(coverage) * clamp01(color.a);
    if (w == 0.0f) return;
    uint8_t *p = image->rgb + 3 * ((size_t)j * (size_t)image->width + (size_t)i);
    p[0] = to_byte((1.0f - w) * (float)p[0] / 255.0f + w * clamp01(color.r));
    p[1] = to_byte((1.0f - w) * (float)p[1] / 255.0f + w * clamp01(color.g));
    p[2] = to_byte((1.0f - w) * (float)p[2] / 255.0f + w * clamp01(color.b));
}

/* The pixels that a shape between (x0, y0) and (x1, y1) can touch, cut to the picture; 0: none. */
static int touched(const firn_image *image, float x0, float y0, float x1, float y1, int box[4])
{
    if (!(x1 >= x0 && y1 >= y0)) return 0;
    box[0] = clamp_int(floorf(x0), 0, image->width);
    box[1] = clamp_int(floorf(y0), 0, image->height);
    box[2] = clamp_int(ceilf(x1), 0, image->width);
    box[3] = clamp_int(ceilf(y1), 0, image->height);
    return box[0] < box[2] && box[1] < box[3];
}

static float overlap(float a0, float a1, int cell)
{
    return clamp01(fminf(a1, (float)cell + 1.0f) - fmaxf(a0, (float)cell));
}

void firn_image_rectangle(firn_image *image, float x0, float y0, float x1, float y1,
                          firn_color color)
{
    int box[4];
    if (!touched(image, x0, y0, x1, y1, box)) return;
    for (int j = box[1]; j < box[3]; j++)
        for (int i = box[0]; i < box[2]; i++)
            firn_image_blend(image, i, j, color, overlap(x0, x1, i) * overlap(y0, y1, j));
}

void firn_image_disc(firn_image *image, float x, float y, float radius, firn_color color)
{
    int box[4];
    float reach = radius + 1.0f;
    if (!touched(image, x - reach, y - reach, x + reach, y + reach, box)) return;
    for (int j = box[1]; j < box[3]; j++)
        for (int i = box[0]; i < box[2]; i++) {
            float d = hypotf((float)i + 0.5f - x, (float)j + 0.5f - y) - radius;
            firn_image_blend(image, i, j, color, 0.5f - d);
        }
}

static float distance_to_segment(const firn_segment *s, float x, float y)
{
    float dx = s->x1 - s->x0, dy = s->y1 - s->y0, px = x - s->x0, py = y - s->y0;
    float square = dx * dx + dy * dy;
    float t = square > 0.0f ? clamp01((px * dx + py * dy) / square) : 0.0f;
    return sqrtf((px - t * dx) * (px - t * dx) + (py - t * dy) * (py - t * dy));
}

void firn_image_line(firn_image *image, float x0, float y0, float x1, float y1, float width,
                     firn_color color)
{
    firn_image_strokes(image, 1, &(firn_segment){x0, y0, x1, y1}, width, color);
}

int firn_image_strokes(firn_image *image, int n, const firn_segment *segments, float width,
                       firn_color color)
{
    float x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY, reach = 0.5f * width + 1.0f;
    for (int k = 0; k < n; k++) {
        x0 = fminf(x0, fminf(segments[k].x0, segments[k].x1));
        x1 = fmaxf(x1, fmaxf(segments[k].x0, segments[k].x1));
        y0 = fminf(y0, fminf(segments[k].y0, segments[k].y1));
        y1 = fmaxf(y1, fmaxf(segments[k].y0, segments[k].y1));
    }
    int box[4];
    if (n < 1 || !touched(image, x0 - reach, y0 - reach, x1 + reach, y1 + reach, box)) return 1;
    int columns = box[2] - box[0], rows = box[3] - box[1];
    size_t n_mask = (size_t)columns * (size_t)rows;
    float *mask = firn_memory_array(NULL, n_mask, sizeof *mask);
    if (!mask) return 0;
    /* Union of the strokes: the largest coverage of any. */
    for (int k = 0; k < n; k++) {
        const firn_segment *s = &segments[k];
        int part[4];
        if (!touched(image, fminf(s->x0, s->x1) - reach, fminf(s->y0, s->y1) - reach,
                     fmaxf(s->x0, s->x1) + reach, fmaxf(s->y0, s->y1) + reach, part))
            continue;
        for (int j = part[1]; j < part[3]; j++)
            for (int i = part[0]; i < part[2]; i++) {
                /* Thinner than a pixel: one pixel wide, paler. */
                float d = distance_to_segment(s, (float)i + 0.5f, (float)j + 0.5f) -
                          0.5f * fmaxf(width, 1.0f);
                float *cell = &mask[(size_t)(j - box[1]) * (size_t)columns + (size_t)(i - box[0])];
                *cell = fmaxf(*cell, clamp01(0.5f - d) * fminf(width, 1.0f));
            }
    }
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            firn_image_blend(image, box[0] + i, box[1] + j, color,
                             mask[(size_t)j * (size_t)columns + (size_t)i]);
    firn_memory_release(NULL, mask, n_mask * sizeof *mask);
    return 1;
}

/* ---------------------------------------------------------------- whole pictures */

void firn_image_paste(firn_image *image, const firn_image *source, int i, int j)
{
    int left = i < 0 ? -i : 0, top = j < 0 ? -j : 0;
    int columns = source->width - left, rows = source->height - top;
    if (columns > image->width - (i + left)) columns = image->width - (i + left);
    if (rows > image->height - (j + top)) rows = image->height - (j + top);
    if (columns <= 0) return;
    for (int r = 0; r < rows; r++)
        memcpy(image->rgb + 3 * ((size_t)(j + top + r) * (size_t)image->width + (size_t)(i + left)),
               source->rgb + 3 * ((size_t)(top + r) * (size_t)source->width + (size_t)left),
               (size_t)columns * 3);
}

/* ---------------------------------------------------------------- PNG */

typedef struct png_sink {
    firn_text *text;
    char message[160];
} png_sink;

static void on_error(png_structp png, png_const_charp message)
{
    png_sink *sink = png_get_error_ptr(png);
    snprintf(sink->message, sizeof sink->message, "%s", message);
    longjmp(png_jmpbuf(png), 1); /* into encode(): libpng does not allow a return */
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void on_write(png_structp png, png_bytep data, size_t n)
{
    png_sink *sink = png_get_io_ptr(png);
    firn_text_add_bytes(sink->text, (const char *)data, n);
    if (sink->text->has_failed) png_error(png, "out of memory");
}

static void on_flush(png_structp png) { (void)png; }

/* All calls that libpng can leave by longjmp; no local variable of this frame is changed after
 * setjmp. */
static int encode(const firn_image *image, png_structp png, png_infop info, png_sink *sink)
{
    if (setjmp(png_jmpbuf(png))) return 0;
    png_set_write_fn(png, sink, on_write, on_flush);
    /* level 4: a quarter of the time of level 9 for pictures 2 % larger */
    png_set_compression_level(png, 4);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int j = 0; j < image->height; j++)
        png_write_row(png, image->rgb + (size_t)j * (size_t)image->width * 3);
    png_write_end(png, info);
    return 1;
}

firn_status firn_image_encode_png(const firn_image *image, firn_text *bytes,
                                  firn_messages *messages)
{
    png_sink sink = {.text = bytes};
    int good = 0;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (info) good = encode(image, png, info, &sink);
    png_destroy_write_struct(&png, &info);
    if (good) return FIRN_OK;
    if (!sink.message[0] || bytes->has_failed)
        return firn_messages_no_memory(messages, "PNG of %d x %d pixels", image->width,
                                       image->height);
    return firn_messages_add(messages, FIRN_IO, "PNG of %d x %d pixels: %s", image->width,
                             image->height, sink.message);
}

firn_status firn_image_write_png(const firn_image *image, const char *path, firn_messages *messages)
{
    firn_text bytes = {0};
    firn_status status = firn_image_encode_png(image, &bytes, messages);
    firn_file_writer *writer = status == FIRN_OK ? firn_file_create(path, 0, messages) : NULL;
    if (writer) {
        firn_file_write(writer, bytes.data, bytes.n);
        status = firn_file_commit(writer, NULL, messages);
    } else if (status == FIRN_OK) {
        status = FIRN_IO;
    }
    firn_text_clear(&bytes);
    return status;
}
