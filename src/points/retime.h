/* SPDX-License-Identifier: MIT */
/* retime.h: caches at other times than those that were simulated, for slow motion and speed. */
#ifndef FIRN_RETIME_H
#define FIRN_RETIME_H

#include "points/points.h"

/* The particles at time t between two caches, t_a <= t <= t_b, in s, matched by their id, which
 * both need, as they need v. `speed`: simulated seconds per second of the result; v of the result
 * is in its seconds.
 *
 * Positions follow the cubic that has both positions and velocities (Hermite): exact for constant
 * acceleration, the error is of fourth order in t_b - t_a. Other numbers are linear in between,
 * `orient` a rotation, `accel` in seconds of the result, whole ones and words those of the nearer
 * cache. A particle that is in one of the two alone moves with its velocity until half of the time,
 * or from there on; so does one that has jumped, at a periodic wall. */
firn_status firn_retime_between(const firn_points *a, const firn_points *b, double t_a, double t_b,
                                double t, double speed, firn_points **result,
                                firn_messages *messages);

#endif
