/* SPDX-License-Identifier: MIT */
/* vdb.h: all that firn wants of OpenVDB, as C functions. Each heavy tool stands in a file of its
 * own (vdb_NAME.cpp); no exception, container or handle of C++ leaves them, every failure is a
 * sentence.
 * n_threads caps OpenVDB's own threads; results do not depend on it. */
#ifndef FIRN_VDB_H
#define FIRN_VDB_H

#ifdef __cplusplus
extern "C" {
#endif

#include "firn/defs.h"
#include "geometry/mesh/mesh.h"
#include "geometry/sdf/sdf.h"
#include "geometry/volume.h"

/* ---------------------------------------------------------------- meshes to distances
 * (vdb_mesh.cpp) */

/* Distance field of a closed mesh (signed), or of any mesh (unsigned), `band` m wide outside and
 * `inner` inside, with n_channels >= 1; cavities of a closed mesh are outside (mesh_shells.h).
 * nearest, where wanted, gets the nearest triangle of each voxel, [leaf][8][8][8], -1 beyond the
 * band; to be released with n_leaves * 512 * 4 bytes. */
firn_status firn_vdb_from_mesh(const firn_mesh *mesh, double voxel, double band, double inner,
                               int is_signed, int n_channels, int n_threads, firn_sdf **volume,
                               int32_t **nearest, firn_messages *messages);

/* ---------------------------------------------------------------- .vdb files in (vdb_read.cpp) */

/* Channels of a volume that are there besides the distance; 0: not there. */
typedef struct firn_vdb_channels {
    int friction, stickiness, velocity;
} firn_vdb_channels;

/* A float grid as distance field, in m, at least `depth` deep and `height` high: a level set as
 * it is, made anew where it is narrower; a fog becomes the surface where it has half its largest
 * value. grid "": the first level set by name, else the first float grid, with a warning where
 * there are more; of several of one name "NAME[1]" is the second. Grids "friction", "stickiness"
 * (NaN where they are not active) and, where wanted, "v" (velocity of the surface, m/s) fill
 * further channels. */
firn_status firn_vdb_read_volume(const char *path, const char *grid, double scale, double depth,
                                 double height, int wants_velocity, size_t max_memory,
                                 int n_threads, firn_sdf **volume, firn_vdb_channels *channels,
                                 firn_messages *messages);

/* ---------------------------------------------------------------- .vdb files as numbers in space
 * (vdb_field.cpp) */

/* A grid of single floats (n_components 1) or of vectors of them (3) as it is: numbers in the
 * file's units at x / scale. grid "": the first of that type by name. Any affine transform. */
firn_status firn_vdb_read_field(const char *path, const char *grid, double scale, int n_components,
                                size_t max_memory, int n_threads, firn_volume **volume,
                                firn_messages *messages);

/* ---------------------------------------------------------------- volumes out (vdb_write.cpp) */

typedef struct firn_vdb_contents {
    int velocity, temperature; /* channels of the volume; 0: not written */
    int has_density, is_half;
    int friction, stickiness; /* as velocity */
} firn_vdb_contents;

/* Grid "surface" (level set), and where wanted "density" (fog), "v", "temperature", "friction",
 * "stickiness"; compressed by blosc. The file is whole or absent. */
firn_status firn_vdb_write_volume(const char *path, const firn_sdf *volume,
                                  const firn_vdb_contents *contents, int n_threads,
                                  firn_messages *messages);
/* The surface where the distance is zero. adaptivity 0: uniform; towards 1: flat parts by few
 * large polygons. */
firn_status firn_vdb_polygons(const firn_sdf *volume, double adaptivity, int n_threads,
                              firn_mesh **mesh, firn_messages *messages);

#ifdef __cplusplus
}
#endif
#endif
