/* SPDX-License-Identifier: MIT */
/* paint.h: values that points of a surface may carry in place of the collider's own, and their
 * greatest ones; the least is 0. The keys of a collider have the same ranges. */
#ifndef FIRN_PAINT_H
#define FIRN_PAINT_H

#define FIRN_MAX_FRICTION 100    /* Coulomb friction coefficient */
#define FIRN_MAX_STICKINESS 1e12 /* Pa */

#endif
