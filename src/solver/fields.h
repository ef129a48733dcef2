/* SPDX-License-Identifier: MIT */
/* fields.h: what a particle carries, by name, with units. The list below is the only one: a method
 * makes storage, sorting, saving and hashing from it; attributes and views read particles through
 * it.
 *
 * Outside of a method positions are metres (firn_method.read); how a method stores them is internal
 * to it (mpm/ uses cells of an owner block).
 *
 * F is the elastic part of the deformation gradient, F_total = F F_p; laws keep what they need of
 * F_p in their history. tau = J sigma is the Kirchhoff stress: the force sum V0 tau grad w needs no
 * present volume. */
#ifndef FIRN_FIELDS_H
#define FIRN_FIELDS_H

#include "laws/law.h"

/* name, components, unit, meaning. The number of components varies for C (affine transfers), grip
 * (scenes with grips), start (grips in mode follow), rest (methods with a reference state, and outputs), born and v_frame (outputs), clear
 * (colliders with a second pass), image (periodic axes), history (as many as the law declares), h,
 * liquid_fraction and heat_rest (materials with a heat capacity) and T_gradient (heat.scheme apic).
 * The second component of h holds the digits that the first has no room for. */
#define FIRN_FIELDS(FIELD)                                                                         \
    FIELD(X, "x", 3, "m", "position")                                                              \
    FIELD(V, "v", 3, "m/s", "velocity")                                                            \
    FIELD(F, "F", 9, "1", "elastic deformation gradient, row by row")                              \
    FIELD(C, "C", 9, "1/s", "affine velocity matrix, row by row")                                  \
    FIELD(TAU, "tau", 6, "Pa", "Kirchhoff stress xx yy zz xy xz yz")                               \
    FIELD(MASS, "mass", 1, "kg", "mass")                                                           \
    FIELD(VOLUME, "volume", 1, "m^3", "initial volume")                                            \
    FIELD(T, "T", 1, "K", "temperature")                                                           \
    FIELD(ENTHALPY, "h", 2, "J/kg", "specific enthalpy")                                           \
    FIELD(LIQUID, "liquid_fraction", 1, "1", "liquid fraction")                                    \
    FIELD(T_GRADIENT, "T_gradient", 3, "K/m", "affine part of the temperature")                    \
    FIELD(HEAT_REST, "heat_rest", 1, "J/kg", "heat beyond the limits, for the next step")          \
    FIELD(ID, "id", 1, "1", "number, never used twice")                                            \
    FIELD(GRIP, "grip", 1, "1", "bit g: held or pulled by grip g")                                 \
    FIELD(START, "start", 3, "m", "position in the region of a grip that is followed")             \
    FIELD(REST, "rest", 3, "m", "position in the reference state")                                 \
    FIELD(CLEAR, "clear", 3, "m", "free path before a collider may be met")                        \
    FIELD(IMAGE, "image", 3, "1", "periods travelled along periodic axes")                         \
    FIELD(BORN, "born", 1, "s", "time of birth")                                                   \
    FIELD(V_FRAME, "v_frame", 4, "m/s", "velocity at the last output time, and that time")         \
    FIELD(HISTORY, "history", FIRN_MAX_HISTORY, "", "history of the law")

typedef enum firn_field {
#define FIELD(name, text, n, unit, meaning) FIRN_FIELD_##name,
    FIRN_FIELDS(FIELD)
#undef FIELD
        FIRN_N_FIELDS
} firn_field;

enum {
    FIRN_FIELD_MOST = FIRN_MAX_HISTORY > 9 ? FIRN_MAX_HISTORY : 9
}; /* largest number of components */

const char *firn_field_name(firn_field field);
int firn_field_components(firn_field field); /* the largest number, of the list above */
/* Stored as uint32 in both precisions: float counts exactly to 2^24 only. */
static inline int firn_field_is_integer(firn_field field)
{
    return field == FIRN_FIELD_ID || field == FIRN_FIELD_GRIP;
}
/* Whether it is a cache that can be recomputed: neither saved nor hashed. */
static inline int firn_field_is_cache(firn_field field) { return field == FIRN_FIELD_CLEAR; }

#endif
