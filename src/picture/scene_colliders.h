/* SPDX-License-Identifier: MIT */
/* scene_colliders.h: what a picture takes from the scene in the manifest of its shot: colliders,
 * floor, upward axis, colours of materials. */
#ifndef FIRN_SCENE_COLLIDERS_H
#define FIRN_SCENE_COLLIDERS_H

#include "base/color.h"
#include "firn/sim.h"

typedef struct firn_scene_colliders firn_scene_colliders;

/* *colliders is NULL, and all is well, where the folder has no manifest. Files that a collider is
 * made of may have gone since: then that collider is left out, with a warning. */
firn_status firn_scene_colliders_open(const char *folder, firn_scene_colliders **colliders,
                                      firn_messages *messages);
/* The same from a scene at hand, which need not outlive the call. `sim`: its simulation, whose
 * rigid shapes are used instead of built anew, and which outlives the colliders; NULL: none. */
firn_status firn_scene_colliders_of_scene(const firn_scene_def *scene, const firn_sim *sim,
                                          firn_scene_colliders **colliders,
                                          firn_messages *messages);
void firn_scene_colliders_destroy(firn_scene_colliders *colliders);

int firn_scene_colliders_is_z_up(
    const firn_scene_colliders *colliders); /* gravity points along z */
/* Height of a level plane among the colliders, or of the lower wall. 0: none. */
int firn_scene_colliders_floor(const firn_scene_colliders *colliders, double *height);
/* Lowest point of the finite colliders at rest. 0: none. */
int firn_scene_colliders_foot(const firn_scene_colliders *colliders, double *height);
/* 0: the scene has the default grey. */
int firn_scene_colliders_color(const firn_scene_colliders *colliders, const char *material,
                               firn_color *color);

/* Law and preset of a material, "" where it has none; they live as long as the colliders. 0: no such
 * material. */
int firn_scene_colliders_material(const firn_scene_colliders *colliders, const char *material,
                                  const char **law, const char **preset);

/* The name of the material where the scene has one alone, else NULL. */
const char *firn_scene_colliders_only_material(const firn_scene_colliders *colliders);

/* Frames per second of the scene. */
double firn_scene_colliders_fps(const firn_scene_colliders *colliders);
/* The time to which they were moved, s. */
double firn_scene_colliders_time(const firn_scene_colliders *colliders);
/* Whether one that is drawn has no end. */
int firn_scene_colliders_is_endless(const firn_scene_colliders *colliders);
/* From now on they are drawn also before they start and after they stop. */
void firn_scene_colliders_show_all(firn_scene_colliders *colliders);
/* Moves colliders to that time; returns how many are drawn. */
int firn_scene_colliders_at(firn_scene_colliders *colliders, double time);
/* The box (scene coordinates, m) of all colliders that are drawn. One without an end counts with a
 * cube around the point of its surface that is nearest to `center`, of edges 0.2 `reach`, where
 * that is no farther off than `reach`. 0: none. */
int firn_scene_colliders_bounds(const firn_scene_colliders *colliders, const double center[3],
                                double reach, double min[3], double max[3]);
/* How many there are, drawn or not, and of one its name, NULL where it is not drawn at the time, and
 * its box as above. */
int firn_scene_colliders_count(const firn_scene_colliders *colliders);
const char *firn_scene_colliders_box(const firn_scene_colliders *colliders, int k,
                                     const double center[3], double reach, double min[3],
                                     double max[3]);
/* Name of the collider that is the floor; "" where a wall is, or nothing. */
const char *firn_scene_colliders_floor_name(const firn_scene_colliders *colliders);
/* Distance, m, from x (scene coordinates) to the nearest collider that is drawn; INFINITY: none.
 * normal may be NULL. Thread-safe. */
double firn_scene_colliders_distance(const firn_scene_colliders *colliders, const double x[3],
                                     double normal[3]);

#endif
