/* SPDX-License-Identifier: MIT */
/* particle_color.c: see particle_color.h. */
#include "picture/particle_color.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- numbers */

static firn_status refuse(const firn_points *points, const char *name, firn_messages *messages)
{
    char list[1024] = "";
    size_t used = 0;
    for (int k = 0; k < points->n_attributes && used < sizeof list - 80; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? " " : "",
                                 points->attributes[k].name);
    return firn_messages_add(messages, FIRN_REFUSED,
                             "attribute: not in this cache (%s); allowed: %s", name, list);
}

firn_status firn_particle_color_find(const firn_points *points, const char *name,
                                     firn_particle_color_number *number, firn_messages *messages)
{
    char bare[64];
    size_t length = strcspn(name, ".[");
    snprintf(bare, sizeof bare, "%.*s", (int)(length < 63 ? length : 63), name);
    const firn_attribute *a = firn_points_find(points, bare);
    if (!a) return refuse(points, bare, messages);
    *number = (firn_particle_color_number){a, a->n_components == 1 ? 0 : -1};
    const char *rest = name + length;
    if (!*rest) return FIRN_OK;
    int component = -1;
    if (rest[0] == '.' && rest[1] && !rest[2] && strchr("xyz", rest[1])) component = rest[1] - 'x';
    if (rest[0] == '[') {
        char *end;
        long k = strtol(rest + 1, &end, 10);
        if (end > rest + 1 && !strcmp(end, "]") && k >= 0 && k < 1000) component = (int)k;
    }
    if (component < 0 || component >= a->n_components)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "attribute: no such component (%s); %s has %d; try: %s.x or %s[0]",
                                 name, a->name, a->n_components, a->name, a->name);
    number->component = component;
    return FIRN_OK;
}

static double determinant(const float *m)
{
    return (double)m[0] * ((double)m[4] * m[8] - (double)m[5] * m[7]) -
           (double)m[1] * ((double)m[3] * m[8] - (double)m[5] * m[6]) +
           (double)m[2] * ((double)m[3] * m[7] - (double)m[4] * m[6]);
}

double firn_particle_color_value(const firn_particle_color_number *number, int64_t i)
{
    const firn_attribute *a = number->attribute;
    int n = a->n_components;
    if (a->type == FIRN_ATTRIBUTE_INT || a->type == FIRN_ATTRIBUTE_INDEX)
        return a->data.i[i * n + (number->component < 0 ? 0 : number->component)];
    const float *f = a->data.f + i * n;
    if (number->component >= 0) return f[number->component];
    if (n == 9) return determinant(f);
    double square = 0;
    for (int c = 0; c < n; c++) square += (double)f[c] * f[c];
    return sqrt(square);
}

/* ---------------------------------------------------------------- materials */

typedef struct tint {
    const char *part; /* of the material's name, in lower case */
    uint32_t rgb;
} tint;

/* By parts of names, the first that fits: "white_sand" has the colour of sand. */
static const tint tints[] = {
    {"snow", 0xf1f5fa},  {"ice", 0xcfe3f2},       {"firn", 0xf1f5fa},   {"dough", 0xe6c795},
    {"sand", 0xd3b07a},  {"wax", 0xe8b84a},       {"mud", 0x7a5a40},    {"soil", 0x6d5039},
    {"clay", 0xb5714f},  {"chocolate", 0x5b3620}, {"cream", 0xf3e7d0},  {"water", 0x5fa3c9},
    {"jelly", 0xc23b4e}, {"jello", 0xc23b4e},     {"rubber", 0x3f464d}, {"plasticine", 0x5b8dbf},
    {"paste", 0x8c3b3f}, {"metal", 0x9aa2aa},     {"steel", 0x9aa2aa},  {"concrete", 0x9b9890},
    {"foam", 0xe9d6a8},  {"butter", 0xf0d873},    {"honey", 0xd9932b},  {"lava", 0xd2521f},
};

/* A colour that fits a material's name (snow is white, dough is beige), else the i-th of a set of
 * natural tints. */
static firn_color color_of_material(const char *name, int i)
{
    /* For other names: tints that differ in hue and lightness. */
    static const uint32_t natural[8] = {0xe9e4da, 0xc98b5e, 0x7fa7c2, 0xd7bf6a,
                                        0x93a87b, 0xb07a8f, 0x6f7f96, 0xe0a79a};
    char lower[64];
    snprintf(lower, sizeof lower, "%s", name);
    for (char *c = lower; *c; c++) *c = (char)tolower((unsigned char)*c);
    for (size_t k = 0; k < sizeof tints / sizeof *tints; k++)
        if (strstr(lower, tints[k].part)) return firn_color_hex(tints[k].rgb);
    return firn_color_hex(natural[(unsigned)i % 8]);
}

static const firn_attribute *category_attribute(const firn_points *points)
{
    const char *const names[] = {"material", "source"};
    for (int k = 0; k < 2; k++) {
        const firn_attribute *a = firn_points_find(points, names[k]);
        if (a && a->type == FIRN_ATTRIBUTE_INDEX && a->n_strings > 0) return a;
    }
    return NULL;
}

void firn_particle_color_categories(const firn_points *points, firn_particle_color_palette *palette)
{
    *palette =
        (firn_particle_color_palette){.n = 1, .names = {""}, .colors = {firn_color_hex(0xf1f5fa)}};
    const firn_attribute *a = category_attribute(points);
    for (int k = 0; a && k < a->n_strings && k < 32; k++) {
        palette->names[k] = a->strings[k];
        palette->colors[k] = color_of_material(a->strings[k], k);
        palette->n = k + 1;
    }
}

void firn_particle_color_name(firn_particle_color_palette *palette, const char *material)
{
    if (palette->n != 1 || palette->names[0][0]) return;
    palette->names[0] = material;
    palette->colors[0] = color_of_material(material, 0);
}

int firn_particle_color_category(const firn_points *points,
                                 const firn_particle_color_palette *palette, int64_t i)
{
    const firn_attribute *a = category_attribute(points);
    int k = a ? a->data.i[i] : 0;
    return k >= 0 && k < palette->n ? k : 0;
}

void firn_particle_color_by_material(const firn_points *points,
                                     const firn_particle_color_palette *palette, int64_t i,
                                     float linear[3])
{
    const firn_attribute *own = firn_points_find(points, "Cd");
    if (own && own->n_components == 3 && own->type != FIRN_ATTRIBUTE_INT &&
        own->type != FIRN_ATTRIBUTE_INDEX) {
        memcpy(linear, own->data.f + 3 * i, 3 * sizeof *linear); /* Cd of Houdini is linear light */
        return;
    }
    firn_color color = palette->colors[firn_particle_color_category(points, palette, i)];
    linear[0] = firn_color_decode(color.r);
    linear[1] = firn_color_decode(color.g);
    linear[2] = firn_color_decode(color.b);
}
