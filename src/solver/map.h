/* SPDX-License-Identifier: MIT */
/* map.h: numbers in space, read where particles are made: noise, volumes, points, painted meshes,
 * pictures; and the faces of Voronoi cells. All are functions of the place and a seed alone, so the
 * same for any number of threads, any order of births and after a resume. */
#ifndef FIRN_MAP_H
#define FIRN_MAP_H

#include "base/memory.h"
#include "firn/defs.h"

typedef struct firn_map firn_map;

/* seed: that of the scene. memory: --max-memory for what is read, bytes; 0: no limit. */
firn_status firn_map_create(const firn_map_def *def, uint64_t seed, size_t memory, firn_map **map,
                            firn_messages *messages);
void firn_map_destroy(firn_map *map);
/* The number of the map at x (m): of noise 0 to 1, else as the file has it. Thread-safe. */
double firn_map_value(const firn_map *map, const double x[3]);
/* Its share of the way from `from` to `to`, 0 to 1. */
double firn_map_share(const firn_map *map, const double x[3]);

/* Noise in -1 .. 1, smooth over `size` m: random numbers at the points of a lattice, blended by a
 * polynomial with two continuous derivatives. Octave o has 2^-o of size and amount. */
double firn_map_noise(const double x[3], double size, int octaves, uint64_t seed);
/* Distance (m) to the nearest face between Voronoi cells whose seeds are one in each cube of edge
 * `size`, at random places in its middle 7/8. */
double firn_map_lump_depth(const double x[3], double size, uint64_t seed);

#endif
