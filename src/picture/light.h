/* SPDX-License-Identifier: MIT */
/* light.h: sun, sky, backdrop and ground of all pictures, and the directions in which rays are sent
 * to them.
 *
 * Directions come from one low-discrepancy sequence (R2: additive recurrence with the plastic
 * number, M. Roberts 2018), distributed over tiles of 4 x 4 pixels: one pixel is noisy, but the mean
 * over any 4 x 4 pixels around it uses every direction once. No random numbers: the same scene gives
 * the same bits. */
#ifndef FIRN_LIGHT_H
#define FIRN_LIGHT_H

#include "picture/camera.h"

enum { FIRN_LIGHT_TILE = 4 };

#define FIRN_LIGHT_SUN_WIDTH 0.022f /* rad, four times the real sun's: softer */

/* Linear light: of a white matt surface that faces the sun, and of one under the open sky. */
extern const float firn_light_sun[3], firn_light_sky[3];
/* Share of the light that colliders and the ground return. */
extern const float firn_light_solid[3], firn_light_ground[3];

/* The directions of all rays of a tile, made once: points of the disc of the sun, and
 * cosine-distributed directions about a normal along z. */
typedef struct firn_light_directions {
    size_t n_sun, n_sky;
    float (*sun)[2], (*sky)[3];
} firn_light_directions;

/* 0: out of memory; release all the same. */
int firn_light_directions_make(int samples, int n_sky, firn_light_directions *directions);
void firn_light_directions_release(firn_light_directions *directions);
/* Place in the sequence of sample k of `square` of pixel (i, j). */
uint32_t firn_light_turn(int i, int j, int square, int k);

/* Two vectors that complete n to an orthonormal basis. */
void firn_light_basis(const float n[3], float a[3], float b[3]);
/* A direction of the table's disc about the sun, and one of the table's sky about n. */
void firn_light_towards_sun(const float sun[3], const float at[2], float direction[3]);
void firn_light_towards_sky(const float n[3], const float at[3], float direction[3]);

/* Luminance of the sky in a direction whose upward part is y; its mean over an open upward face is
 * 1, and it is small below the horizon (light from the ground). */
float firn_light_luminance(float y);
/* Extended Reinhard curve: straight for small x, white at 2.6. */
float firn_light_tone(float x);
float firn_light_smooth(float low, float high, float x);
/* What is seen behind everything in direction d. */
void firn_light_backdrop(const float sun[3], const float d[3], float color[3]);

/* The ground, which fades into the backdrop far from the shot. */
typedef struct firn_light_floor {
    float height, size; /* local m; half the diagonal of the shot */
    float sun[3];
} firn_light_floor;

/* Its colour where the ray from eye along d meets it, with shares of sun and sky. */
void firn_light_floor_color(const firn_light_floor *floor, const float eye[3], const float d[3],
                            float sun, float sky, float color[3]);

#endif
