/* SPDX-License-Identifier: MIT */
/* paint.h: what differs from place to place when particles are made: parameters of laws, weak
 * planes, colour, temperature and velocity of bodies. Values are found once, at birth, and belong to
 * the particle from then on; scenes without any have no paint (NULL) and pay nothing.
 *
 * Parameters are stored per material and id (firn_material.painted), colours per id. */
#ifndef FIRN_PAINT_PARTICLES_H
#define FIRN_PAINT_PARTICLES_H

#include "solver/newborn.h"
#include "solver/walk.h"

/* Reads the maps of a scene. */
firn_status firn_paint_create(firn_sim *sim, const firn_scene_def *scene, firn_messages *messages);
void firn_paint_destroy(firn_sim *sim);

/* Room for painted values of parameter k of ids below n; new ones are NAN: the material's value. */
firn_status firn_paint_reserve(firn_sim *sim, int material, int k, uint32_t n,
                               firn_messages *messages);

/* What newborn particles of a source have by their places: painted for the ids from born->first_id
 * on; own arrays of velocity and temperature where the body has some, to be dropped after birth. */
typedef struct firn_paint_born {
    double *v, *T;
    int64_t n;
} firn_paint_born;
firn_status firn_paint_newborn(firn_sim *sim, int material, const char *source, firn_newborn *born,
                               firn_paint_born *own, firn_messages *messages);
void firn_paint_newborn_drop(firn_sim *sim, firn_paint_born *own);

/* Its colour in linear light: its own, else the material's. */
void firn_paint_color(const firn_sim *sim, int material, uint32_t id, double color[3]);

/* Whether some particle's parameter is not the material's. */
int firn_material_def_varies(const firn_material_def *def);

/* Values of particles born after the start, in a saved state; others follow from the scene. */
firn_status firn_paint_pass(firn_sim *sim, firn_walk *walk, firn_messages *messages);

#endif
