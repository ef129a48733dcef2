/* SPDX-License-Identifier: MIT */
/* markers.h: what a scene has besides particles and colliders, drawn over a picture: emitters, grips
 * and sinks as coloured glass, and the names of all of them and of the colliders. */
#ifndef FIRN_MARKERS_H
#define FIRN_MARKERS_H

#include "picture/render.h"

typedef struct firn_markers firn_markers;

firn_status firn_markers_of_scene(const firn_scene_def *scene, firn_markers **markers,
                                  firn_messages *messages);
void firn_markers_destroy(firn_markers *markers);
void firn_markers_at(firn_markers *markers, double time);
/* Widens the bounds by emitters, then by colliders, grips and sinks that have an end and are not much
 * larger than that. */
void firn_markers_widen(const firn_markers *markers, const firn_scene_colliders *colliders,
                        firn_view_bounds *bounds);
/* Over a picture of `def`, whose colliders are named too. 0: out of memory. */
int firn_markers_draw(const firn_markers *markers, const firn_view_bounds *bounds,
                      const firn_render_def *def, firn_image *image);

#endif
