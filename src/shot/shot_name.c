/* SPDX-License-Identifier: MIT */
/* shot_name.c: names of caches, made and parsed: STEM.FRAME[.SUB]EXTENSION, as Houdini counts.
 * Where an output has sub-frames its whole frames have a SUB of 000: then names sort by time, and
 * one pattern, STEM.%08.3fEXTENSION of the frame as a number, takes all of them. */
#include "points/format.h"
#include "shot/shot_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void firn_shot_stem(const firn_scene_def *scene, char *stem, size_t n_stem)
{
    snprintf(stem, n_stem, "%s", *scene->name ? scene->name : "shot");
    for (char *p = stem; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_' && !((unsigned char)*p & 0x80))
            *p = '_';
}

void firn_shot_file_name(const firn_shot *shot, int output, int frame, int sub, char *name,
                         size_t n_name)
{
    const firn_format *format = firn_format_find(shot->outputs[output].format);
    int nth = 1; /* how many outputs of this format there are up to here */
    for (int i = 0; i < output; i++)
        nth += strcmp(shot->outputs[i].format, shot->outputs[output].format) == 0;
    char suffix[16] = "", decimals[16] = "";
    if (nth > 1) snprintf(suffix, sizeof suffix, "_%d", nth);
    if (sub || shot->outputs[output].substeps > 1)
        snprintf(decimals, sizeof decimals, ".%03d",
                 (int)(1000.0 * sub / shot->manifest.n_subframes + 0.5));
    snprintf(name, n_name, "%s%s.%04d%s%s", shot->manifest.name, suffix, frame, decimals,
             format ? format->extension : "");
}

static const char *take_digits(const char *p, int n_min, int *value)
{
    int n = 0;
    long long number = 0;
    for (; isdigit((unsigned char)p[n]); n++)
        if (number < INT32_MAX) number = number * 10 + (p[n] - '0');
    if (n < n_min || number > INT32_MAX) return NULL;
    *value = (int)number;
    return p + n;
}

/* ".FRAME[.SUB]EXTENSION", up to the end */
static int parse_frame(const char *p, int *frame, int *thousandths)
{
    const char *after;
    *thousandths = 0;
    if (!(p = take_digits(p + 1, 4, frame))) return 0;
    if (*p == '.' && (after = take_digits(p + 1, 3, thousandths))) p = after;
    for (int i = 0; firn_format_at(i); i++)
        if (strcmp(p, firn_format_at(i)->extension) == 0) return 1;
    return 0;
}

int firn_shot_is_cache_name(const char *file)
{
    int frame, thousandths;
    for (const char *p = strchr(file, '.'); p; p = strchr(p + 1, '.')) {
        if (p == file) return 0; /* hidden: of another program */
        if (parse_frame(p, &frame, &thousandths)) return 1;
    }
    return 0;
}

int firn_shot_parse_name(const char *file, const char *name, int *frame, int *thousandths,
                         size_t *n_stem)
{
    size_t n_name = strlen(name);
    int ignored;
    if (!n_name || strncmp(file, name, n_name) != 0) return 0;
    const char *p = file + n_name, *after;
    if (*p == '_' && (after = take_digits(p + 1, 1, &ignored))) p = after;
    if (*p != '.') return 0;
    *n_stem = (size_t)(p - file);
    return parse_frame(p, frame, thousandths);
}
