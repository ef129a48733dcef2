/* SPDX-License-Identifier: MIT */
/* shot_info.c: the contents of caches and shots for `firn info`. Names and strings of files are
 * filtered before they reach a terminal. */
#include "shot/shot_info.h"
#include "shot/checkpoint.h"
#include "points/format.h"
#include "shot/manifest.h"
#include "base/memory.h"
#include "base/messages.h"
#include "solver/attributes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 4096, STRINGS_SHOWN = 8 };

/* ---------------------------------------------------------------- numbers */

firn_info_range firn_info_range_of(const firn_attribute *attribute, int64_t n, int component)
{
    firn_info_range range = {.min = INFINITY, .max = -INFINITY};
    int n_components = attribute->n_components;
    int is_float =
        attribute->type == FIRN_ATTRIBUTE_FLOAT || attribute->type == FIRN_ATTRIBUTE_VECTOR;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int c = component < 0 ? 0 : component;
             c < (component < 0 ? n_components : component + 1); c++) {
            double x = is_float ? attribute->data.f[i * n_components + c]
                                : attribute->data.i[i * n_components + c];
            if (!isfinite(x)) {
                range.n_not_finite++;
                continue;
            }
            range.min = x < range.min ? x : range.min;
            range.max = x > range.max ? x : range.max;
            sum += x;
            range.n++;
        }
    if (range.n)
        range.mean = sum / (double)range.n;
    else
        range.min = range.max = range.mean = NAN;
    return range;
}

static const char *type_name(const firn_attribute *attribute)
{
    static const char *const names[] = {"float", "int", "vector", "string"};
    return names[attribute->type];
}

/* Control characters, which a terminal could obey, become question marks. */
static const char *harmless(const char *string, char *out, size_t n_out)
{
    size_t n = 0;
    for (; string[n] && n + 1 < n_out; n++)
        out[n] = (unsigned char)string[n] < 0x20 || string[n] == 0x7F ? '?' : string[n];
    out[n] = 0;
    return out;
}

static const char *unit_of(const char *name)
{
    const firn_attribute_info *info;
    for (int i = 0; (info = firn_attribute_at(i)); i++)
        if (strcmp(info->name, name) == 0)
            return info->unit && strcmp(info->unit, "1") != 0 ? info->unit : "";
    return "";
}

/* Points per string; the last entry: those without one. NULL: out of memory. */
static int64_t *count_strings(const firn_attribute *attribute, int64_t n)
{
    int64_t *counts = firn_memory_array(NULL, (size_t)attribute->n_strings + 1, sizeof *counts);
    for (int64_t i = 0; counts && i < n * attribute->n_components; i++) {
        int32_t index = attribute->data.i[i];
        counts[index >= 0 && index < attribute->n_strings ? index : attribute->n_strings]++;
    }
    return counts;
}

/* ---------------------------------------------------------------- points as text */

static void add_strings(firn_text *text, const firn_attribute *attribute, int64_t n)
{
    char safe[80];
    int64_t *counts = count_strings(attribute, n);
    if (!counts) {
        text->has_failed = 1;
        return;
    }
    for (int s = 0; s < attribute->n_strings && s < STRINGS_SHOWN; s++)
        firn_text_add(text, "%s%s (%lld)", s ? ", " : "",
                      harmless(attribute->strings[s], safe, sizeof safe), (long long)counts[s]);
    if (attribute->n_strings > STRINGS_SHOWN)
        firn_text_add(text, " and %d more", attribute->n_strings - STRINGS_SHOWN);
    if (counts[attribute->n_strings])
        firn_text_add(text, ", none (%lld)", (long long)counts[attribute->n_strings]);
    firn_memory_release(NULL, counts, ((size_t)attribute->n_strings + 1) * sizeof *counts);
}

/* Up to three components side by side; more of them as one range. */
static void add_numbers(firn_text *text, const firn_attribute *attribute, int64_t n)
{
    int n_shown = attribute->n_components <= 3 ? attribute->n_components : 1;
    char cells[3][64] = {"", "", ""};
    int64_t n_bad = 0;
    for (int c = 0; c < n_shown; c++) {
        firn_info_range range =
            firn_info_range_of(attribute, n, n_shown == attribute->n_components ? c : -1);
        const double values[3] = {range.min, range.max, range.mean};
        for (int k = 0; k < 3; k++) {
            size_t used = strlen(cells[k]);
            if (attribute->type == FIRN_ATTRIBUTE_INT && k < 2 && range.n)
                snprintf(cells[k] + used, sizeof cells[k] - used, "%s%.0f", c ? " " : "",
                         values[k]);
            else
                snprintf(cells[k] + used, sizeof cells[k] - used, "%s%.4g", c ? " " : "",
                         values[k]);
        }
        n_bad += range.n_not_finite;
    }
    firn_text_add(text, "%-27s %-27s %-27s %s", cells[0], cells[1], cells[2],
                  unit_of(attribute->name));
    if (n_bad) firn_text_add(text, " (%lld not finite)", (long long)n_bad);
}

static void add_attributes(firn_text *text, const firn_points *points)
{
    char safe[64], type[32];
    firn_text_add(text, "%-16s %-10s %-27s %-27s %-27s unit\n", "attribute", "type", "min", "max",
                  "mean");
    for (int a = 0; a < points->n_attributes; a++) {
        const firn_attribute *attribute = &points->attributes[a];
        snprintf(type, sizeof type, "%s", type_name(attribute));
        if (attribute->n_components > 1 && attribute->type != FIRN_ATTRIBUTE_VECTOR)
            snprintf(type, sizeof type, "%s[%d]", type_name(attribute), attribute->n_components);
        firn_text_add(text, "%-16s %-10s ", harmless(attribute->name, safe, sizeof safe), type);
        if (attribute->type == FIRN_ATTRIBUTE_INDEX)
            add_strings(text, attribute, points->n);
        else
            add_numbers(text, attribute, points->n);
        firn_text_add(text, "\n");
    }
}

static void add_details(firn_text *text, const firn_points *points)
{
    char safe[80];
    for (int a = 0; a < points->n_details; a++) {
        const firn_attribute *detail = &points->details[a];
        firn_text_add(text, "%s%s",
                      a ? ", " : "details: ", harmless(detail->name, safe, sizeof safe));
        for (int c = 0; c < detail->n_components && c < 9; c++) {
            int32_t i = detail->data.i[c];
            if (detail->type == FIRN_ATTRIBUTE_INDEX)
                firn_text_add(text, " %s",
                              i < 0 ? "none" : harmless(detail->strings[i], safe, sizeof safe));
            else if (detail->type == FIRN_ATTRIBUTE_INT)
                firn_text_add(text, " %d", i);
            else
                firn_text_add(text, " %.9g", detail->data.f[c]);
        }
    }
    if (points->n_details) firn_text_add(text, "\n");
}

static void add_box(firn_text *text, const firn_points *points)
{
    const firn_attribute *P = firn_points_find(points, "P");
    if (!P || P->n_components != 3 || P->type == FIRN_ATTRIBUTE_INT || points->n == 0) return;
    double size[3], low[3];
    for (int c = 0; c < 3; c++) {
        firn_info_range range = firn_info_range_of(P, points->n, c);
        low[c] = range.min;
        size[c] = range.max - range.min;
    }
    firn_text_add(text, "bounding box: %.4g x %.4g x %.4g m, from (%.4g, %.4g, %.4g)\n", size[0],
                  size[1], size[2], low[0], low[1], low[2]);
}

/* ---------------------------------------------------------------- points as JSON */

static void put_range(firn_json_writer *json, const firn_attribute *attribute, int64_t n)
{
    double values[3][64];
    int n_shown = attribute->n_components <= 64 ? attribute->n_components : 0;
    int64_t n_bad = 0;
    for (int c = 0; c < n_shown; c++) {
        firn_info_range range = firn_info_range_of(attribute, n, c);
        values[0][c] = range.min;
        values[1][c] = range.max;
        values[2][c] = range.mean;
        n_bad += range.n_not_finite;
    }
    firn_json_numbers(json, "min", values[0], n_shown);
    firn_json_numbers(json, "max", values[1], n_shown);
    firn_json_numbers(json, "mean", values[2], n_shown);
    firn_json_integer(json, "not_finite", n_bad);
}

static void put_list(firn_json_writer *json, const char *key, const firn_attribute *list,
                     int n_list, int64_t n)
{
    firn_json_begin(json, key, '[');
    for (int a = 0; a < n_list; a++) {
        firn_json_begin(json, NULL, '{');
        firn_json_string(json, "name", list[a].name);
        firn_json_string(json, "type", type_name(&list[a]));
        firn_json_integer(json, "components", list[a].n_components);
        firn_json_string(json, "unit", unit_of(list[a].name));
        if (list[a].type != FIRN_ATTRIBUTE_INDEX) {
            put_range(json, &list[a], n);
        } else {
            int64_t *counts = count_strings(&list[a], n);
            json->failed |= !counts;
            firn_json_begin(json, "strings", '[');
            for (int s = 0; counts && s < list[a].n_strings; s++) {
                firn_json_begin(json, NULL, '{');
                firn_json_string(json, "value", list[a].strings[s]);
                firn_json_integer(json, "count", counts[s]);
                firn_json_end(json);
            }
            firn_json_end(json);
            if (counts) firn_json_integer(json, "none", counts[list[a].n_strings]);
            firn_memory_release(NULL, counts, ((size_t)list[a].n_strings + 1) * sizeof *counts);
        }
        firn_json_end(json);
    }
    firn_json_end(json);
}

static void put_points(firn_json_writer *json, const char *path, const firn_format *format,
                       uint64_t bytes, const firn_points *points)
{
    firn_json_string(json, "file", path);
    firn_json_string(json, "format", format->name);
    firn_json_integer(json, "bytes", (int64_t)bytes);
    firn_json_integer(json, "points", points->n);
    put_list(json, "attributes", points->attributes, points->n_attributes, points->n);
    put_list(json, "details", points->details, points->n_details, 1);
}

/* ---------------------------------------------------------------- files */

static firn_status finish(firn_text *text, firn_json_writer *json, const char *path,
                          firn_messages *messages)
{
    if ((text && text->has_failed) || (json && json->failed))
        return firn_messages_no_memory(messages, "%s: description", path);
    return FIRN_OK;
}

static firn_status describe(const char *path, const char *shown, firn_text *text,
                            firn_json_writer *json, firn_messages *messages)
{
    firn_points *points;
    struct stat info;
    firn_status status = firn_format_read(path, &points, messages);
    if (status != FIRN_OK) return status;
    uint64_t bytes = stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
    const firn_format *format = firn_format_of(path);
    if (text) {
        firn_text_add(text, "%s: %lld points, %s, ", shown, (long long)points->n, format->name);
        firn_text_add_size(text, (double)bytes);
        firn_text_add(text, "\n");
        add_box(text, points);
        add_details(text, points);
        add_attributes(text, points);
    } else {
        put_points(json, shown, format, bytes, points);
    }
    firn_points_destroy(points);
    return finish(text, json, path, messages);
}

firn_status firn_info_file(const char *path, firn_text *text, firn_json_writer *json,
                           firn_messages *messages)
{
    if (json) firn_json_begin(json, NULL, '{');
    firn_status status = describe(path, path, text, json, messages);
    if (json) firn_json_end(json);
    return status;
}

firn_status firn_info_checkpoint(const char *path, firn_text *text, firn_json_writer *json,
                                 firn_messages *messages)
{
    firn_checkpoint_info info;
    struct stat file;
    firn_status status = firn_checkpoint_verify(path, &info, messages);
    if (status != FIRN_OK) return status;
    uint64_t bytes = stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    if (text) {
        firn_text_add(text, "%s: checkpoint of frame %d (%d), %.9g s, step %lld, scene %016llx, ",
                      path, info.frame, info.sub, info.time, (long long)info.step,
                      (unsigned long long)info.scene_hash);
        firn_text_add_size(text, (double)bytes);
        firn_text_add(text, "; undamaged\n");
    } else {
        firn_json_begin(json, NULL, '{');
        firn_json_string(json, "file", path);
        firn_json_integer(json, "bytes", (int64_t)bytes);
        firn_json_integer(json, "frame", info.frame);
        firn_json_integer(json, "sub", info.sub);
        firn_json_number(json, "time", info.time);
        firn_json_integer(json, "step", info.step);
        firn_json_hex(json, "scene_hash", info.scene_hash);
        firn_json_end(json);
    }
    return finish(text, json, path, messages);
}

/* ---------------------------------------------------------------- shots */

/* Totals over all output times; ledgers and numbers of the last one. */
typedef struct totals {
    int64_t n_output_times, n_files;
    uint64_t bytes;
    int first_frame, last_frame, n_total;
    double time, wall_seconds, steps, retries, lost, memory_peak, dt;
    char criterion[32], material[64];
    char last_file[sizeof((firn_shot_file *)0)->name];
    firn_text ledgers;
} totals;

static void add_ledgers(totals *t, const firn_json_node *ledgers)
{
    char safe[64];
    t->ledgers.n = 0; /* only those of the last output time stay */
    for (const firn_json_node *l = ledgers ? ledgers->first : NULL; l; l = l->next) {
        const char *name = firn_json_string_of(l, "material", "");
        firn_text_add(
            &t->ledgers, "  %-16s %12.0f %12.5g %12.5g %12.5g %12.5g %12.5g\n",
            *name ? harmless(name, safe, sizeof safe) : "all",
            firn_json_number_of(l, "n_particles", 0), firn_json_number_of(l, "mass", NAN),
            firn_json_number_of(l, "kinetic", NAN), firn_json_number_of(l, "elastic", NAN),
            firn_json_number_of(l, "plastic_work", NAN), firn_json_number_of(l, "max_speed", NAN));
    }
}

static void add_output_time(void *user, const firn_manifest_time *output_time)
{
    totals *t = user;
    if (t->n_output_times++ == 0) t->first_frame = output_time->frame;
    t->last_frame = output_time->frame;
    t->time = output_time->time;
    t->n_files += output_time->n_files;
    for (int i = 0; i < output_time->n_files; i++) {
        const firn_format *format = firn_format_of(output_time->files[i].name);
        t->bytes += output_time->files[i].receipt.n_bytes;
        if (format && format->read && (i == 0 || !*t->last_file))
            strcpy(t->last_file, output_time->files[i].name);
    }
    t->wall_seconds = firn_json_number_of(output_time->node, "wall_seconds", 0);
    t->steps = firn_json_number_of(output_time->node, "steps", 0);
    t->retries = firn_json_number_of(output_time->node, "retries", 0);
    t->lost = firn_json_number_of(output_time->node, "lost", 0);
    t->memory_peak = firn_json_number_of(output_time->node, "memory_peak", 0);
    const firn_json_node *dt = firn_json_member(output_time->node, "dt");
    t->dt = firn_json_number_of(dt, "dt", 0);
    snprintf(t->criterion, sizeof t->criterion, "%s", firn_json_string_of(dt, "criterion", ""));
    snprintf(t->material, sizeof t->material, "%s", firn_json_string_of(dt, "material", ""));
    add_ledgers(t, firn_json_member(output_time->node, "ledgers"));
}

static void add_shot(firn_text *text, const char *folder, const firn_manifest *manifest,
                     const totals *t)
{
    char safe[600], material[64];
    firn_text_add(text, "%s: shot '%s', %s", folder, manifest->name,
                  harmless(manifest->state, safe, sizeof safe));
    if (*manifest->why) firn_text_add(text, " (%s)", harmless(manifest->why, safe, sizeof safe));
    firn_text_add(text, ", started %s\n", harmless(manifest->started, safe, sizeof safe));
    firn_text_add(text, "scene %016llx, %g frames per second",
                  (unsigned long long)manifest->scene_hash, manifest->fps);
    if (manifest->n_subframes > 1)
        firn_text_add(text, ", %d output times per frame", manifest->n_subframes);
    if (manifest->n_threads) firn_text_add(text, ", %d threads", manifest->n_threads);
    if (*manifest->isa) firn_text_add(text, ", %s", harmless(manifest->isa, safe, sizeof safe));
    firn_text_add(text, "\n");
    if (t->n_output_times == 0) {
        firn_text_add(text, "no frames yet\n");
        return;
    }
    firn_text_add(text, "frames %d to %d (%.6g s), %lld caches, ", t->first_frame, t->last_frame,
                  t->time, (long long)t->n_files);
    firn_text_add_size(text, (double)t->bytes);
    firn_text_add(text,
                  "\n%.0f steps in %.1f s of wall time, %.0f repeated, %.0f particles lost, peak "
                  "memory %.0f MiB\n",
                  t->steps, t->wall_seconds, t->retries, t->lost, t->memory_peak / (1 << 20));
    if (t->dt > 0)
        firn_text_add(text, "last dt %.4g s, limited by %s%s%s\n", t->dt,
                      harmless(t->criterion, safe, sizeof safe), *t->material ? " of " : "",
                      harmless(t->material, material, sizeof material));
    firn_text_add(text, "ledger at the end:\n  %-16s %12s %12s %12s %12s %12s %12s\n", "material",
                  "particles", "mass kg", "kinetic J", "elastic J", "plastic J", "speed m/s");
    firn_text_add_bytes(text, t->ledgers.data ? t->ledgers.data : "", t->ledgers.n);
}

static void put_shot(firn_json_writer *json, const char *folder, const firn_manifest *manifest,
                     const totals *t)
{
    firn_json_string(json, "shot", folder);
    firn_json_string(json, "name", manifest->name);
    firn_json_string(json, "state", manifest->state);
    firn_json_string(json, "why", manifest->why);
    firn_json_string(json, "started", manifest->started);
    firn_json_hex(json, "scene_hash", manifest->scene_hash);
    firn_json_number(json, "fps", manifest->fps);
    firn_json_integer(json, "moments", t->n_output_times);
    firn_json_integer(json, "first_frame", t->first_frame);
    firn_json_integer(json, "last_frame", t->last_frame);
    firn_json_number(json, "time", t->time);
    firn_json_integer(json, "caches", t->n_files);
    firn_json_integer(json, "bytes", (int64_t)t->bytes);
    firn_json_number(json, "steps", t->steps);
    firn_json_number(json, "wall_seconds", t->wall_seconds);
    firn_json_number(json, "retries", t->retries);
    firn_json_number(json, "lost", t->lost);
    firn_json_number(json, "memory_peak", t->memory_peak);
}

firn_status firn_info_shot(const char *folder, firn_text *text, firn_json_writer *json,
                           firn_messages *messages)
{
    firn_manifest manifest;
    totals t = {0};
    char path[PATH_ROOM];
    firn_status status = firn_manifest_read(folder, &manifest, messages);
    if (status != FIRN_OK) return status;
    status = firn_manifest_walk(folder, &manifest, add_output_time, &t, messages);
    if (text) {
        add_shot(text, folder, &manifest, &t);
    } else {
        firn_json_begin(json, NULL, '{');
        put_shot(json, folder, &manifest, &t);
    }
    if (status == FIRN_OK && *t.last_file) {
        snprintf(path, sizeof path, "%s/%s", folder, t.last_file);
        if (text) firn_text_add(text, "\n");
        if (json) firn_json_begin(json, "last_cache", '{');
        status = describe(path, t.last_file, text, json, messages);
        if (json) firn_json_end(json);
    }
    if (json) firn_json_end(json);
    firn_text_clear(&t.ledgers);
    firn_manifest_clear(&manifest);
    return status != FIRN_OK ? status : finish(text, json, folder, messages);
}
