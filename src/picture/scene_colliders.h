/* SPDX-License-Identifier: MIT */
/* scene_colliders.h: what stands around the particles in a picture - the colliders of the shot's
 * scene, its floor, its sense of up, the colours of its materials - from the scene that the
 * shot's manifest holds. */
#ifndef FIRN_PROPS_H
#define FIRN_PROPS_H

#include "base/color.h"
#include "firn/sim.h"

typedef struct firn_scene_colliders firn_scene_colliders;

/* *props is NULL, and all is well, where the folder has no manifest. Files that a collider is
 * made of may have gone since: then that collider is left out, with a warning. */
firn_status firn_scene_colliders_open(const char *folder, firn_scene_colliders **props,
                                      firn_messages *messages);
/* The same from a scene at hand, which need not outlive the call. `sim`: its simulation, whose
 * rigid shapes are used instead of built anew, and which outlives the colliders; NULL: none. */
firn_status firn_scene_colliders_of_scene(const firn_scene_def *scene, const firn_sim *sim,
                                          firn_scene_colliders **props, firn_messages *messages);
void firn_scene_colliders_destroy(firn_scene_colliders *props);

int firn_scene_colliders_is_z_up(const firn_scene_colliders *props); /* gravity points along z */
/* Height of a level plane among the colliders, or of the box's lower wall. False: there is none. */
int firn_scene_colliders_floor(const firn_scene_colliders *props, double *height);
/* How far down colliders reach that never move and have an end. False: there are none. */
int firn_scene_colliders_foot(const firn_scene_colliders *props, double *height);
/* False where the scene leaves it at the default grey. */
int firn_scene_colliders_color(const firn_scene_colliders *props, const char *material,
                               firn_color *color);

/* Puts moving colliders where they are at that time; how many are to be drawn. */
int firn_scene_colliders_at(firn_scene_colliders *props, double time);
/* The box (scene coordinates, m) of all that is drawn and has an end. False: nothing has one. */
int firn_scene_colliders_bounds(const firn_scene_colliders *props, double min[3], double max[3]);
/* Distance from x (scene coordinates, m) to the nearest collider that is drawn; INFINITY where
 * there is none. Thread-safe. normal may be NULL. */
double firn_scene_colliders_distance(const firn_scene_colliders *props, const double x[3],
                                     double normal[3]);

#endif
