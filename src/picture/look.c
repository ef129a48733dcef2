/* SPDX-License-Identifier: MIT */
/* look.c: the table of looks.
 *
 * Reflectances along the normal are those of refractive indices by Fresnel, ((n - 1)/(n + 1))^2:
 * ice 1.31 .018, water 1.33 .020, wax 1.44 .033, honey 1.49 .039, fats and glass 1.5 .040. Depths of
 * scattering are of the order of measured diffuse mean free paths, which are longest for red light
 * (H. W. Jensen and others, A practical model for subsurface light transport, SIGGRAPH 2001:
 * millimetres in skin, milk and potato). The rest was chosen by looking at pictures. */
#include "picture/look.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The first entry that fits wins: "melting_snow" is snow, "wet_sand" is wet. */
static const firn_look looks[] = {
    {.name = "snow",
     .words = "snow firn powder",
     .laws = "snow",
     .rgb = 0xf3f6fb,
     .roughness = 0.8f,
     .specular = 0.018f,
     .wrap = 0.35f,
     .scatter = {8e-3f, 9.5e-3f, 12e-3f},
     .bump = 0.12f,
     .bump_size = 1.5f,
     .n_smooth = 2,
     .n_grains = 18,
     .grain = 0.15f,
     .relief = 0.35f,
     .variety = 0.05f,
     .sparkle = 0.06f},
    {.name = "cream",
     .words = "ice_cream cream milk yogurt foam",
     .laws = "",
     .rgb = 0xf6ecd9,
     .roughness = 0.4f,
     .specular = 0.03f,
     .wrap = 0.4f,
     .scatter = {5e-3f, 4e-3f, 3e-3f},
     .n_smooth = 8},
    {.name = "ice",
     .words = "ice glass",
     .laws = "",
     .rgb = 0xd5e8f3,
     .roughness = 0.12f,
     .specular = 0.02f,
     .wrap = 0.2f,
     .scatter = {5e-3f, 8e-3f, 10e-3f},
     .bump = 0.05f,
     .bump_size = 8,
     .n_smooth = 3,
     .clearness = 0.75f,
     .depth = 0.3f},
    {.name = "dough",
     .words = "dough batter bread crumb toothpaste",
     .laws = "dough",
     .rgb = 0xe9cf9f,
     .roughness = 0.55f,
     .specular = 0.035f,
     .wrap = 0.3f,
     .scatter = {6e-3f, 3.5e-3f, 1.5e-3f},
     .bump = 0.06f,
     .bump_size = 3,
     .n_smooth = 6},
    {.name = "wet_sand",
     .words = "wet_sand castle",
     .laws = "",
     .rgb = 0x9c7b4e,
     .roughness = 0.5f,
     .specular = 0.03f,
     .wrap = 0.08f,
     .scatter = {1e-3f, 8e-4f, 5e-4f},
     .bump = 0.2f,
     .bump_size = 2,
     .n_smooth = 2,
     .n_grains = 22,
     .grain = 0.14f,
     .relief = 0.5f,
     .variety = 0.3f},
    {.name = "sand",
     .words = "sand gravel grain sugar",
     .laws = "sand",
     .rgb = 0xd3b07a,
     .roughness = 0.85f,
     .specular = 0.03f,
     .wrap = 0.1f,
     .scatter = {1e-3f, 8e-4f, 5e-4f},
     .bump = 0.25f,
     .bump_size = 2,
     .n_smooth = 2,
     .n_grains = 22,
     .grain = 0.16f,
     .relief = 0.6f,
     .variety = 0.45f,
     .sparkle = 0.01f},
    {.name = "honey",
     .words = "honey syrup caramel oil",
     .laws = "",
     .rgb = 0xd98c14,
     .roughness = 0.06f,
     .specular = 0.039f,
     .wrap = 0.4f,
     .scatter = {20e-3f, 9e-3f, 2e-3f},
     .n_smooth = 8,
     .clearness = 0.7f,
     .depth = 12e-3f},
    {.name = "chocolate",
     .words = "chocolate cocoa ganache",
     .laws = "",
     .rgb = 0x3f2012,
     .roughness = 0.22f,
     .specular = 0.045f,
     .wrap = 0.15f,
     .scatter = {2e-3f, 1e-3f, 5e-4f},
     .n_smooth = 8},
    {.name = "wax",
     .words = "wax candle paraffin soap",
     .laws = "",
     .rgb = 0xf0ddb0,
     .roughness = 0.28f,
     .specular = 0.033f,
     .wrap = 0.45f,
     .scatter = {12e-3f, 8e-3f, 4e-3f},
     .n_smooth = 6},
    {.name = "mud",
     .words = "mud soil earth bean_paste",
     .laws = "",
     .rgb = 0x6b4c34,
     .roughness = 0.3f,
     .specular = 0.035f,
     .wrap = 0.1f,
     .scatter = {1e-3f, 8e-4f, 5e-4f},
     .bump = 0.18f,
     .bump_size = 3,
     .n_smooth = 4},
    {.name = "clay",
     .words = "clay plasticine putty",
     .laws = "von_mises cam_clay",
     .rgb = 0xb5714f,
     .roughness = 0.65f,
     .specular = 0.035f,
     .wrap = 0.12f,
     .scatter = {1.5e-3f, 1e-3f, 6e-4f},
     .bump = 0.06f,
     .bump_size = 3,
     .n_smooth = 5},
    {.name = "water",
     .words = "water slush",
     .laws = "liquid",
     .rgb = 0x9fc8dc,
     .roughness = 0.05f,
     .specular = 0.02f,
     .wrap = 0.2f,
     .scatter = {4e-3f, 8e-3f, 10e-3f},
     .n_smooth = 6,
     .clearness = 0.85f,
     .depth = 0.5f},
    {.name = "jelly",
     .words = "jelly jello gel gummy",
     .laws = "bounded_neo_hookean",
     .rgb = 0xd0263c,
     .roughness = 0.12f,
     .specular = 0.03f,
     .wrap = 0.4f,
     .scatter = {15e-3f, 4e-3f, 4e-3f},
     .n_smooth = 8,
     .clearness = 0.5f,
     .depth = 20e-3f},
    {.name = "butter",
     .words = "butter cheese margarine",
     .laws = "",
     .rgb = 0xf2d877,
     .roughness = 0.38f,
     .specular = 0.04f,
     .wrap = 0.35f,
     .scatter = {6e-3f, 4e-3f, 1.5e-3f},
     .n_smooth = 6},
    {.name = "rubber",
     .words = "rubber",
     .laws = "neo_hookean",
     .rgb = 0x8c4a3a,
     .roughness = 0.5f,
     .specular = 0.04f,
     .wrap = 0.1f,
     .scatter = {1e-3f, 6e-4f, 5e-4f},
     .n_smooth = 6},
    {.name = "metal",
     .words = "metal steel copper solder lead",
     .laws = "",
     .rgb = 0xc8a088,
     .roughness = 0.3f,
     .specular = 0.7f,
     .wrap = 0,
     .n_smooth = 6},
    {.name = "lava",
     .words = "lava magma",
     .laws = "",
     .rgb = 0xd2521f,
     .roughness = 0.6f,
     .specular = 0.04f,
     .wrap = 0.4f,
     .scatter = {20e-3f, 5e-3f, 1e-3f},
     .bump = 0.3f,
     .bump_size = 4,
     .n_smooth = 4},
    {.name = "plain",
     .words = "",
     .laws = "",
     .rgb = 0xe4dfd6,
     .roughness = 0.6f,
     .specular = 0.035f,
     .wrap = 0.15f,
     .scatter = {2e-3f, 1.6e-3f, 1.2e-3f},
     .n_smooth = 4},
};
enum { N_LOOKS = sizeof looks / sizeof *looks };

const firn_look *firn_look_find(const char *name)
{
    for (int k = 0; k < N_LOOKS; k++)
        if (!strcmp(looks[k].name, name)) return &looks[k];
    return NULL;
}

/* Whether a word of the list begins a part of the text ("wet_snow" and "snowball" have snow, "slice"
 * has no ice) or, with `is_whole`, is the text. */
static int has_word(const char *list, const char *text, int is_whole)
{
    char lower[128], word[64];
    snprintf(lower, sizeof lower, "%s", text);
    for (char *c = lower; *c; c++) *c = (char)tolower((unsigned char)*c);
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        const char *found = strstr(lower, word);
        while (found && found > lower && isalpha((unsigned char)found[-1]))
            found = strstr(found + 1, word);
        if (is_whole ? !strcmp(lower, word) : found != NULL) return 1;
        at += n;
        at += strspn(at, " ");
    }
    return 0;
}

const firn_look *firn_look_choose(const char *material, const char *preset, const char *law)
{
    const char *texts[2] = {material, preset};
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < N_LOOKS; k++)
            if (has_word(looks[k].words, texts[t], 0)) return &looks[k];
    for (int k = 0; k < N_LOOKS; k++)
        if (has_word(looks[k].laws, law, 1)) return &looks[k];
    return firn_look_find("plain");
}

const char *firn_look_names(void)
{
    return "snow ice dough wet_sand sand honey chocolate wax mud clay water jelly butter cream "
           "rubber "
           "metal lava plain";
}
