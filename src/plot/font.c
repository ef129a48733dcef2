/* SPDX-License-Identifier: MIT */
/* font.c: glyphs as paths of a pen, drawn with a round nib.
 *
 * Units: capitals are 14 high, small letters 10, descenders reach -4; a line of text is 20 (the
 * font's size).
 * A path is the centre line of the stroke:
 *
 *     M x y             move with the pen up
 *     L x y             line
 *     Q bx by x y       quadratic Bezier curve to (x, y) with control point (bx, by)
 *     A x y rx ry a b   arc about (x, y) from angle a to b in degrees, counter-clockwise where b
 *                       > a; reached by a straight line if the pen is down
 *     O x y rx ry       a whole ellipse
 *
 * Arcs are superellipses |x|^2.4 + |y|^2.4 = 1: bowls look fuller than circles at small sizes.
 *
 * Grid fitting: the heights 0, 10, 14, -4, those of all horizontal strokes, and the abscissae of
 * all upright strokes are moved so that a stroke covers whole pixels; between them paths are
 * stretched. */
#include "plot/font.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct glyph {
    uint32_t code;
    float before, width, after; /* advance = sum; the path lies in 0..width */
    const char *path;
} glyph;

#define STRAIGHT 2.5f /* space at an upright stroke */
#define ROUND 2.1f    /* at a bowl */
#define SLANTED 1.4f  /* at a diagonal */

static const glyph glyphs[] = {
    {'!', 3.0f, 0.0f, 3.0f, "M0 14 L0 4.4 M0 0 L0 0.2"},
    {'"', 2.4f, 3.6f, 2.4f, "M0 14 L0 10 M3.6 14 L3.6 10"},
    {'#', 2.0f, 10.4f, 2.0f, "M4 13.6 L1.6 0 M9 13.6 L6.6 0 M0.8 9.2 L10.4 9.2 M0 4.4 L9.6 4.4"},
    {'$', ROUND, 8.0f, ROUND, "A 4 10 3.7 3 35 270 A 4 3.5 4 3.5 90 -145 M4 15.6 L4 -2"},
    {'%', 2.0f, 13.0f, 2.0f, "O 2.4 10.8 2.4 3.2 O 10.6 3.2 2.4 3.2 M10.6 14 L2.4 0"},
    {'&', ROUND, 10.0f, 1.6f,
     "M10 0 L2.2 9 A 4.2 11.2 2.6 2.8 215 -40 L1.6 6.4 A 3.7 3.7 3.7 3.7 130 290 L9.6 6.6"},
    {'\'', 2.4f, 0.0f, 2.4f, "M0 14 L0 10"},
    {'(', 2.6f, 2.0f, 2.0f, "A 5.2 5.4 5.2 11.4 128 232"},
    {')', 2.0f, 2.0f, 2.6f, "A -3.2 5.4 5.2 11.4 52 -52"},
    {'*', 2.0f, 6.0f, 2.0f, "M3 14 L3 7.6 M0.2 12.4 L5.8 9.2 M0.2 9.2 L5.8 12.4"},
    {'+', 2.6f, 8.8f, 2.6f, "M4.4 10.4 L4.4 1.6 M0 6 L8.8 6"},
    {',', 2.4f, 1.0f, 2.4f, "M1 0.4 L0 -2.6"},
    {'-', 1.6f, 4.2f, 1.6f, "M0 5.4 L4.2 5.4"},
    {'.', 2.8f, 0.0f, 2.8f, "M0 0 L0 0.2"},
    {'/', 1.0f, 5.4f, 1.0f, "M5.4 14 L0 -1.6"},
    {'0', ROUND, 8.0f, ROUND, "O 4 7 4 7"},
    {'1', 2.8f, 6.8f, 2.6f, "M0.2 11.6 L3.4 14 L3.4 0 M0 0 L6.8 0"},
    {'2', 2.2f, 7.8f, 2.2f, "A 3.8 10.2 3.7 3.8 155 -35 L0.2 0 L7.8 0"},
    {'3', 2.2f, 7.6f, ROUND,
     "A 3.5 10.7 3.5 3.3 150 -90 L2.2 7.4 M3.5 7.4 A 3.6 3.7 4 3.7 90 -148"},
    {'4', 1.9f, 8.4f, 1.9f, "M6.2 0 L6.2 14 L0 4.2 L8.4 4.2"},
    {'5', 2.2f, 7.8f, ROUND, "M7.2 14 L1.1 14 L1.1 8 A 3.6 4.5 4.2 4.5 128 -148"},
    {'6', ROUND, 8.0f, ROUND, "O 4.1 4.4 4.1 4.4 M0 4.4 L0 6.6 A 4.9 6.6 4.9 7.4 180 62"},
    {'7', 2.1f, 8.0f, 2.1f, "M0 14 L8 14 L2.8 0"},
    {'8', ROUND, 8.0f, ROUND, "O 4 3.7 4 3.7 O 4 10.7 3.5 3.3"},
    {'9', ROUND, 8.0f, ROUND, "O 3.9 9.6 3.9 4.4 M8 9.6 L8 7.4 A 3.1 7.4 4.9 7.4 0 -118"},
    {':', 2.8f, 0.0f, 2.8f, "M0 0 L0 0.2 M0 8.6 L0 8.8"},
    {';', 2.4f, 1.0f, 2.6f, "M1 0.4 L0 -2.6 M0.8 8.6 L0.8 8.8"},
    {'<', 2.8f, 8.2f, 2.8f, "M8.2 10.4 L0 6 L8.2 1.6"},
    {'=', 2.6f, 8.8f, 2.6f, "M0 8.2 L8.8 8.2 M0 3.8 L8.8 3.8"},
    {'>', 2.8f, 8.2f, 2.8f, "M0 10.4 L8.2 6 L0 1.6"},
    {'?', 1.8f, 6.4f, 1.8f, "A 3.2 10.7 3.2 3.3 165 -45 L3.6 6.4 L3.2 4 M3.2 0 L3.2 0.2"},
    {'@', ROUND, 13.0f, ROUND,
     "O 6.6 5 2.9 3.2 M9.5 8.2 L9.5 3.6 A 11.2 3.6 1.7 1.8 180 360 L12.9 5 A 6.5 5.4 6.5 7.4 0 "
     "300"},
    {'A', SLANTED, 10.4f, SLANTED, "M0 0 L5.2 14 L10.4 0 M1.8 4.6 L8.6 4.6"},
    {'B', STRAIGHT, 8.6f, ROUND,
     "M4.6 7.6 L0 7.6 L0 14 L4.6 14 A 4.6 10.8 3.2 3.2 90 -90 A 4.8 3.8 3.8 3.8 90 -90 L0 0 L0 "
     "7.6"},
    {'C', ROUND, 9.4f, 1.8f, "A 5.6 7 5.6 7 50 310"},
    {'D', STRAIGHT, 9.4f, ROUND, "M0 0 L0 14 L3.4 14 A 3.4 7 6 7 90 -90 L0 0"},
    {'E', STRAIGHT, 7.4f, 1.8f, "M7.2 14 L0 14 L0 0 L7.4 0 M0 7.4 L6.8 7.4"},
    {'F', STRAIGHT, 7.0f, 1.2f, "M7 14 L0 14 L0 0 M0 7.4 L6.2 7.4"},
    {'G', ROUND, 10.4f, ROUND, "A 5.6 7 5.6 7 50 322 L10.4 6.4 L6.4 6.4"},
    {'H', STRAIGHT, 8.8f, STRAIGHT, "M0 14 L0 0 M8.8 14 L8.8 0 M0 7.4 L8.8 7.4"},
    {'I', STRAIGHT, 0.0f, STRAIGHT, "M0 14 L0 0"},
    {'J', 1.4f, 4.8f, STRAIGHT, "M4.8 14 L4.8 3.6 A 1.8 3.6 3 3.6 0 -110"},
    {'K', STRAIGHT, 9.0f, 0.8f, "M0 14 L0 0 M8.4 14 L0 5.8 M2.6 8.3 L9 0"},
    {'L', STRAIGHT, 7.2f, 1.2f, "M0 14 L0 0 L7.2 0"},
    {'M', STRAIGHT, 10.4f, STRAIGHT, "M0 0 L0 14 L5.2 4.5 L10.4 14 L10.4 0"},
    {'N', STRAIGHT, 8.8f, STRAIGHT, "M0 0 L0 14 L8.8 0 L8.8 14"},
    {'O', ROUND, 11.4f, ROUND, "O 5.7 7 5.7 7"},
    {'P', STRAIGHT, 8.2f, ROUND, "M0 0 L0 14 L4.4 14 A 4.4 10.2 3.8 3.8 90 -90 L0 6.4"},
    {'Q', ROUND, 11.4f, ROUND, "O 5.7 7 5.7 7 M7 2.8 L10 -1.6"},
    {'R', STRAIGHT, 8.8f, 1.2f,
     "M0 0 L0 14 L4.4 14 A 4.4 10.2 3.8 3.8 90 -90 L0 6.4 M4.6 6.4 L8.8 0"},
    {'S', ROUND, 8.6f, ROUND, "A 4.3 10.6 3.9 3.4 35 270 A 4.3 3.6 4.3 3.6 90 -147"},
    {'T', 1.0f, 10.0f, 1.0f, "M0 14 L10 14 M5 14 L5 0"},
    {'U', STRAIGHT, 8.6f, STRAIGHT, "M0 14 L0 5 A 4.3 5 4.3 5 180 360 L8.6 14"},
    {'V', SLANTED, 10.0f, SLANTED, "M0 14 L5 0 L10 14"},
    {'W', SLANTED, 15.2f, SLANTED, "M0 14 L3.8 0 L7.6 14 L11.4 0 L15.2 14"},
    {'X', SLANTED, 9.2f, SLANTED, "M0.2 14 L9.2 0 M0 0 L9 14"},
    {'Y', 1.0f, 10.0f, 1.0f, "M0 14 L5 6.8 L10 14 M5 6.8 L5 0"},
    {'Z', 2.0f, 9.2f, 2.0f, "M0 14 L9 14 L0 0 L9.2 0"},
    {'[', 2.4f, 3.0f, 1.8f, "M3 15 L0 15 L0 -3.4 L3 -3.4"},
    {'\\', 1.0f, 5.4f, 1.0f, "M0 14 L5.4 -1.6"},
    {']', 1.8f, 3.0f, 2.4f, "M0 15 L3 15 L3 -3.4 L0 -3.4"},
    {'^', 2.6f, 8.0f, 2.6f, "M0 9.4 L4 14 L8 9.4"},
    {'_', 0.5f, 9.0f, 0.5f, "M0 -3 L9 -3"},
    {'`', 2.0f, 2.6f, 2.0f, "M0 14.6 L2.6 11.8"},
    {'a', 2.0f, 7.2f, STRAIGHT,
     "A 3.8 6.4 3.4 3.6 150 0 L7.2 0 M7.2 5.6 L3.2 5.6 A 3.2 2.8 3.2 2.8 90 270 L4 0 A 4 3 3.2 3 "
     "270 360"},
    {'b', STRAIGHT, 7.8f, ROUND, "M0 14 L0 0 M0 5 A 3.9 5 3.9 5 180 -180"},
    {'c', ROUND, 7.2f, 1.4f, "A 4.2 5 4.2 5 48 312"},
    {'d', ROUND, 7.8f, STRAIGHT, "M7.8 14 L7.8 0 M7.8 5 A 3.9 5 3.9 5 0 360"},
    {'e', ROUND, 8.0f, ROUND, "M0 5.2 L8 5.2 A 4 5.2 4 4.8 0 180 A 4 5.2 4 5.2 180 318"},
    {'f', 1.0f, 5.6f, 0.6f, "M5.6 14 L4.8 14 A 4.8 11 2.8 3 90 180 L2 0 M0 10 L5.2 10"},
    {'g', ROUND, 7.8f, STRAIGHT, "O 3.9 5 3.9 5 M7.8 10 L7.8 -1 A 4 -1 3.8 3 0 -138"},
    {'h', STRAIGHT, 7.4f, 2.4f, "M0 14 L0 0 M0 5.6 A 3.7 5.6 3.7 4.4 180 0 L7.4 0"},
    {'i', STRAIGHT, 0.0f, STRAIGHT, "M0 10 L0 0 M0 13.8 L0 14"},
    {'j', 1.0f, 1.8f, STRAIGHT, "M1.8 10 L1.8 -1.5 A 0 -1.5 1.8 2.5 0 -80 M1.8 13.8 L1.8 14"},
    {'k', STRAIGHT, 7.2f, 0.8f, "M0 14 L0 0 M6.8 10 L0 4 M2.3 6.1 L7.2 0"},
    {'l', STRAIGHT, 0.0f, STRAIGHT, "M0 14 L0 0"},
    {'m', STRAIGHT, 12.0f, 2.4f, "M0 10 L0 0 M0 6 A 3 6 3 4 180 0 L6 0 M6 6 A 9 6 3 4 180 0 L12 0"},
    {'n', STRAIGHT, 7.4f, 2.4f, "M0 10 L0 0 M0 5.6 A 3.7 5.6 3.7 4.4 180 0 L7.4 0"},
    {'o', ROUND, 8.2f, ROUND, "O 4.1 5 4.1 5"},
    {'p', STRAIGHT, 7.8f, ROUND, "M0 10 L0 -4 M0 5 A 3.9 5 3.9 5 180 -180"},
    {'q', ROUND, 7.8f, STRAIGHT, "M7.8 10 L7.8 -4 M7.8 5 A 3.9 5 3.9 5 0 360"},
    {'r', STRAIGHT, 4.6f, 0.8f, "M0 10 L0 0 M0 5.6 A 3.8 5.6 3.8 4.4 180 72"},
    {'s', 1.9f, 6.8f, 1.9f, "A 3.4 7.6 3.1 2.4 32 270 A 3.4 2.6 3.4 2.6 90 -148"},
    {'t', 1.0f, 5.6f, 1.2f, "M2 13.6 L2 3 A 4.6 3 2.6 3 180 270 L5.6 0 M0 10 L5.4 10"},
    {'u', 2.4f, 7.4f, STRAIGHT, "M0 10 L0 4.4 A 3.7 4.4 3.7 4.4 180 360 M7.4 10 L7.4 0"},
    {'v', SLANTED, 8.4f, SLANTED, "M0 10 L4.2 0 L8.4 10"},
    {'w', SLANTED, 12.0f, SLANTED, "M0 10 L3 0 L6 10 L9 0 L12 10"},
    {'x', SLANTED, 8.0f, SLANTED, "M0.2 10 L8 0 M0 0 L7.8 10"},
    {'y', SLANTED, 8.4f, SLANTED, "M0 10 L4.2 0 M8.4 10 L4.2 0 L3.2 -2.5 Q2.6 -4 0.6 -4"},
    {'z', 1.8f, 7.2f, 1.8f, "M0 10 L7 10 L0 0 L7.2 0"},
    {'{', 1.8f, 4.4f, 1.8f,
     "M4.4 15 Q2 15 2 12.6 L2 8.4 Q2 5.8 0 5.8 Q2 5.8 2 3.2 L2 -1 Q2 -3.4 4.4 -3.4"},
    {'|', 3.0f, 0.0f, 3.0f, "M0 15 L0 -4"},
    {'}', 1.8f, 4.4f, 1.8f,
     "M0 15 Q2.4 15 2.4 12.6 L2.4 8.4 Q2.4 5.8 4.4 5.8 Q2.4 5.8 2.4 3.2 L2.4 -1 Q2.4 -3.4 0 -3.4"},
    {'~', 2.6f, 8.8f, 2.6f, "M0 5 Q2.2 8.8 4.5 6 Q6.8 3.2 8.8 7"},
    {0x00B0, 1.8f, 4.4f, 1.8f, "O 2.2 11.8 2.2 2.2"},                             /* degree */
    {0x00B1, 2.6f, 8.8f, 2.6f, "M4.4 11.4 L4.4 3.4 M0 7.4 L8.8 7.4 M0 0 L8.8 0"}, /* plus-minus */
    {0x00B7, 2.6f, 0.0f, 2.6f, "M0 5.6 L0 5.8"},                                  /* middle dot */
    {0x00D7, 3.0f, 7.6f, 3.0f, "M0 9.8 L7.6 2.2 M0 2.2 L7.6 9.8"},                /* times */
    {0x0394, SLANTED, 10.4f, SLANTED, "M0 0 L5.2 14 L10.4 0 L0 0"},               /* Delta */
    {0x03A3, 2.0f, 8.8f, 1.8f, "M8.4 14 L0 14 L5 7 L0 0 L8.8 0"},                 /* Sigma */
    {0x03A8, ROUND, 11.0f, ROUND,
     "M0 14 L0 8.5 A 5.5 8.5 5.5 5 180 360 L11 14 M5.5 14 L5.5 0"}, /* Psi */
    {0x03A9, 1.8f, 10.8f, 1.8f,
     "M0 0 L3.4 0 Q0 3 0 8 A 5.4 8 5.4 6 180 0 Q10.8 3 7.4 0 L10.8 0"}, /* Omega */
    {0x03B1, ROUND, 9.0f, 1.6f,
     "M8.8 10 Q6.8 0 3.7 0 A 3.7 5 3.7 5 270 90 Q6.8 10 9 0"}, /* alpha */
    {0x03B2, STRAIGHT, 7.8f, ROUND,
     "M0 -4 L0 10.6 A 3.4 10.8 3.4 3.2 180 -90 A 3.6 3.8 4.2 3.8 90 -150"},
    {0x03B3, SLANTED, 8.0f, SLANTED, "M0 10 L4 1 L4 -4 M8 10 L4 1"},
    {0x03B4, ROUND, 8.2f, ROUND, "O 4.1 4.6 4.1 4.6 M7 13.4 Q1 14.6 2.4 11.6 Q3.4 9.8 5.6 8.9"},
    {0x03B5, ROUND, 7.0f, 1.8f, "A 3.6 7.5 3.2 2.5 40 270 L4.8 5 M3.6 5 A 3.5 2.5 3.5 2.5 90 320"},
    {0x03B7, STRAIGHT, 7.4f, 2.4f, "M0 10 L0 0 M0 5.6 A 3.7 5.6 3.7 4.4 180 0 L7.4 -4"},
    {0x03B8, ROUND, 7.8f, ROUND, "O 3.9 7 3.9 7 M0 7 L7.8 7"},
    {0x03BA, STRAIGHT, 7.2f, 0.8f, "M0 10 L0 0 M6.8 10 L0 4 M2.3 6.1 L7.2 0"},
    {0x03BB, SLANTED, 8.0f, SLANTED, "M0.4 14 Q2.6 14 3.6 11 L8 0 M4.4 8.6 L0.4 0"},
    {0x03BC, STRAIGHT, 7.4f, STRAIGHT,
     "M0 10 L0 -4 M0 4.4 A 3.7 4.4 3.7 4.4 180 360 M7.4 10 L7.4 0"},
    {0x03BD, SLANTED, 8.4f, SLANTED, "M0 10 L4.2 0 Q8.4 6 8.4 10"},
    {0x03C0, 1.6f, 9.0f, 1.6f, "M0 10 L9 10 M2 10 L2 0 M7 10 L7 0"},
    {0x03C1, STRAIGHT, 7.8f, ROUND, "M0 -4 L0 5 A 3.9 5 3.9 5 180 -180"},
    {0x03C3, ROUND, 9.4f, 1.0f, "O 4.1 5 4.1 5 M4.1 10 L9.4 10"},
    {0x03C4, 1.4f, 7.6f, 1.4f, "M0 10 L7.6 10 M3.8 10 L3.8 2.6 A 6 2.6 2.2 2.6 180 270"},
    {0x03C6, ROUND, 9.2f, ROUND, "O 4.6 5 4.6 5 M4.6 14 L4.6 -4"},
    {0x03C7, SLANTED, 8.0f, SLANTED, "M0 10 L8 -4 M0 -4 L8 10"},
    {0x03C8, ROUND, 9.2f, ROUND, "M0 10 L0 5 A 4.6 5 4.6 5 180 360 L9.2 10 M4.6 13 L4.6 -4"},
    {0x03C9, ROUND, 10.4f, ROUND,
     "M1.6 10 Q0 8 0 4 A 2.6 3.4 2.6 3.4 180 360 L5.2 6 M5.2 3.4 A 7.8 3.4 2.6 3.4 180 360 Q10.4 8 "
     "8.8 10"},
    {0x2013, 1.0f, 8.0f, 1.0f, "M0 5.4 L8 5.4"},                       /* en dash */
    {0x2026, 2.6f, 8.0f, 2.6f, "M0 0 L0 0.2 M4 0 L4 0.2 M8 0 L8 0.2"}, /* ellipsis */
    {0x2192, 2.0f, 10.0f, 2.0f, "M0 6 L10 6 M6.6 9.4 L10 6 L6.6 2.6"}, /* arrow */
    {0x2212, 2.6f, 8.8f, 2.6f, "M0 6 L8.8 6"},                         /* minus */
    {0x221A, 1.0f, 8.6f, 1.0f, "M0 6.2 L1.8 7 L4.6 0 L8.6 15"},        /* root */
    {0x2248, 2.6f, 8.8f, 2.6f,
     "M0 2.8 Q2.2 6 4.5 4 Q6.8 2 8.8 4.8 M0 7.6 Q2.2 10.8 4.5 8.8 Q6.8 6.8 8.8 9.6"},
    {0x2264, 2.6f, 8.2f, 2.6f, "M8.2 12 L0 8 L8.2 4 M0 0 L8.2 0"},
    {0x2265, 2.6f, 8.2f, 2.6f, "M0 12 L8.2 8 L0 4 M0 0 L8.2 0"},
};

static const glyph unknown = {0, 2.0f, 8.0f, 2.0f, "M0 0 L0 14 L8 14 L8 0 L0 0"};

enum { SEGMENTS_MAX = 160, KNOTS_MAX = 24 };
static const float units = 20.0f, blank_advance = 6.2f, nib = 1.75f, tracking = 0.35f;

/* ---------------------------------------------------------------- text to glyphs */

/* The next code point of a UTF-8 string; each damaged byte gives U+FFFD. */
static uint32_t next_code(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int n = s[0] < 0x80 ? 0 : s[0] >> 5 == 6 ? 1 : s[0] >> 4 == 14 ? 2 : s[0] >> 3 == 30 ? 3 : -1;
    uint32_t code = n > 0 ? s[0] & (0x3Fu >> n) : s[0];
    for (int k = 1; k <= n; k++) {
        if (s[k] >> 6 != 2) {
            n = -1;
            break;
        }
        code = code << 6 | (s[k] & 0x3Fu);
    }
    *text += n < 0 ? 1 : n + 1;
    return n < 0 ? 0xFFFD : code;
}

/* A glyph as drawn: superscripts are ordinary glyphs, reduced and raised. */
typedef struct setting {
    const glyph *glyph;
    float scale, raise;
} setting;

static setting find_glyph(uint32_t code)
{
    static const uint32_t raised[] = {0x2070, 0xB9,   0xB2,   0xB3,   0x2074,
                                      0x2075, 0x2076, 0x2077, 0x2078, 0x2079};
    setting s = {&unknown, 1.0f, 0.0f};
    for (uint32_t k = 0; k < 10; k++)
        if (code == raised[k]) {
            s = (setting){NULL, 0.6f, 6.4f};
            code = '0' + k;
        }
    if (code == 0x207B) {
        s = (setting){NULL, 0.6f, 6.4f};
        code = 0x2212;
    }                                  /* superscript minus */
    if (code == 0x00B5) code = 0x03BC; /* micro sign: mu */
    if (code == 0x03D5) code = 0x03C6;
    for (size_t k = 0; k < sizeof glyphs / sizeof *glyphs; k++)
        if (glyphs[k].code == code) {
            s.glyph = &glyphs[k];
            return s;
        }
    s.glyph = &unknown;
    return s;
}

static float advance(uint32_t code)
{
    if (code == ' ' || code == 0xA0) return blank_advance;
    if (code == 0x2009 || code == 0x202F)
        return 0.5f * blank_advance; /* thin spaces, between number and unit */
    setting s = find_glyph(code);
    return s.scale * (s.glyph->before + s.glyph->width + s.glyph->after + tracking);
}

float firn_font_width(const char *text, float size)
{
    float sum = 0;
    while (*text) sum += advance(next_code(&text));
    return sum * size / units;
}

float firn_font_cap_height(float size) { return (14.0f + nib) * size / units; }

/* ---------------------------------------------------------------- paths to strokes */

typedef struct pen {
    firn_segment *segments;
    int n, is_down;
    float x, y;
} pen;

static void pen_to(pen *p, float x, float y)
{
    if (p->is_down && p->n < SEGMENTS_MAX) p->segments[p->n++] = (firn_segment){p->x, p->y, x, y};
    p->x = x;
    p->y = y;
    p->is_down = 1;
}

static void pen_arc(pen *p, const float *v, float from, float to)
{
    int steps = (int)(fabsf(to - from) / 11.0f) + 2;
    for (int k = 0; k <= steps; k++) {
        float angle = (from + (to - from) * (float)k / (float)steps) * 3.14159265f / 180.0f;
        float c = cosf(angle), s = sinf(angle);
        if (fabsf(c) < 1e-4f) c = 0; /* the power enlarges rounding errors */
        if (fabsf(s) < 1e-4f) s = 0;
        pen_to(p, v[0] + v[2] * copysignf(powf(fabsf(c), 2.0f / 2.4f), c),
               v[1] + v[3] * copysignf(powf(fabsf(s), 2.0f / 2.4f), s));
    }
}

static void pen_curve(pen *p, const float *v)
{
    float x0 = p->x, y0 = p->y;
    for (int k = 1; k <= 6; k++) {
        float t = (float)k / 6.0f, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
        pen_to(p, a * x0 + b * v[0] + c * v[2], a * y0 + b * v[1] + c * v[3]);
    }
}

/* The path of a glyph as segments in font units; returns their number. */
static int trace(const char *path, firn_segment *segments)
{
    pen p = {.segments = segments};
    while (*path) {
        char command = *path++;
        if (command == ' ') continue;
        int wanted = command == 'A' ? 6 : command == 'M' || command == 'L' ? 2 : 4;
        float v[6] = {0};
        for (int k = 0; k < wanted; k++) {
            char *end;
            v[k] = strtof(path, &end);
            path = end;
        }
        if (command == 'M') p.is_down = 0;
        if (command == 'M' || command == 'L') pen_to(&p, v[0], v[1]);
        if (command == 'Q') pen_curve(&p, v);
        if (command == 'O') {
            p.is_down = 0;
            pen_arc(&p, v, 0.0f, 360.0f);
            p.is_down = 0;
        }
        if (command == 'A') pen_arc(&p, v, v[4], v[5]);
    }
    return p.n;
}

/* ---------------------------------------------------------------- grid fitting */

/* A piecewise linear map from font units to pixels through knots (from[k] -> to[k]), of slope
 * `scale` outside. */
typedef struct fit {
    float scale, from[KNOTS_MAX], to[KNOTS_MAX];
    int n;
} fit;

static void fit_knot(fit *f, float from, float offset)
{
    int k = f->n;
    for (int i = 0; i < f->n; i++)
        if (fabsf(f->from[i] - from) < 0.05f) return;
    if (k == KNOTS_MAX) return;
    for (; k > 0 && f->from[k - 1] > from; k--) {
        f->from[k] = f->from[k - 1];
        f->to[k] = f->to[k - 1];
    }
    f->from[k] = from;
    f->to[k] = roundf(from * f->scale) + offset;
    f->n++;
}

static float fit_at(const fit *f, float x)
{
    if (x <= f->from[0]) return f->to[0] + (x - f->from[0]) * f->scale;
    for (int k = 1; k < f->n; k++)
        if (x <= f->from[k])
            return f->to[k - 1] +
                   (f->to[k] - f->to[k - 1]) * (x - f->from[k - 1]) / (f->from[k] - f->from[k - 1]);
    return f->to[f->n - 1] + (x - f->from[f->n - 1]) * f->scale;
}

/* One glyph in pixels relative to the pen on the baseline: x along it, y up. */
static int place(setting s, float scale, float width, firn_segment *segments)
{
    int n = trace(s.glyph->path, segments);
    /* place of the middle of a stroke in a pixel at which its edges are on pixel borders */
    float n_rows = roundf(fmaxf(width, 1.0f)),
          stand = 0.5f * n_rows; /* upright text stands on the baseline */
    float offset = (int)n_rows % 2 ? 0.5f : 0.0f;
    fit fx = {.scale = scale * s.scale}, fy = {.scale = scale * s.scale};
    fit_knot(&fx, 0.0f, offset);
    fit_knot(&fx, s.glyph->width, offset);
    fit_knot(&fy, 0.0f, stand);
    fit_knot(&fy, 10.0f, stand);
    fit_knot(&fy, 14.0f, stand);
    fit_knot(&fy, -4.0f, stand);
    for (int k = 0; k < n; k++) {
        float dx = fabsf(segments[k].x1 - segments[k].x0),
              dy = fabsf(segments[k].y1 - segments[k].y0);
        if (dx < 1e-3f && dy > 1.0f) fit_knot(&fx, segments[k].x0, offset);
        if (dy < 1e-3f && dx > 1.0f) fit_knot(&fy, segments[k].y0, stand);
    }
    float shift = roundf(s.glyph->before * s.scale * scale), raise = roundf(s.raise * scale);
    for (int k = 0; k < n; k++) {
        segments[k].x0 = shift + fit_at(&fx, segments[k].x0);
        segments[k].x1 = shift + fit_at(&fx, segments[k].x1);
        segments[k].y0 = raise + fit_at(&fy, segments[k].y0);
        segments[k].y1 = raise + fit_at(&fy, segments[k].y1);
    }
    return n;
}

/* The width of a stroke, moved towards whole pixels, so that its edges are sharp: along an upright
 * stem every pixel is then covered by at least 85 % or at most 10 %. */
static float crisp(float width)
{
    float n = fmaxf(floorf(width + 0.6f), 1.0f);
    return fminf(fmaxf(width, n - 0.3f), n + 0.2f);
}

int firn_font_draw(firn_image *image, float x, float y, const char *text,
                   const firn_text_style *style)
{
    float scale = style->size / units, length = firn_font_width(text, style->size);
    float width = crisp(nib * scale * (style->weight > 0 ? style->weight : 1.0f));
    float start = style->anchor == FIRN_ANCHOR_START ? 0
                  : style->anchor == FIRN_ANCHOR_END ? -length
                                                     : -0.5f * length;
    int good = 1;
    for (float at = start; *text;) {
        uint32_t code = next_code(&text);
        firn_segment segments[SEGMENTS_MAX];
        int n = code == ' ' || code == 0xA0 || code == 0x2009 || code == 0x202F
                    ? 0
                    : place(find_glyph(code), scale, width, segments);
        /* pixel coordinates: y downwards; vertical text is turned by 90 degrees; the pen is on
         * whole pixels */
        for (int k = 0; k < n; k++) {
            firn_segment *s = &segments[k], t = *s;
            if (style->is_vertical) {
                float px = roundf(x), py = roundf(y - at);
                *s = (firn_segment){px - t.y0, py - t.x0, px - t.y1, py - t.x1};
            } else {
                float px = roundf(x + at), py = roundf(y);
                *s = (firn_segment){px + t.x0, py - t.y0, px + t.x1, py - t.y1};
            }
        }
        if (n) good = firn_image_strokes(image, n, segments, width, style->color) && good;
        at += advance(code) * scale;
    }
    return good;
}
