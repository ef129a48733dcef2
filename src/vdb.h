/* vdb.h: all that firn wants of OpenVDB, as C functions. Each heavy tool stands in a file of its own
 * (vdb_NAME.cpp); no exception, container or handle of C++ leaves them, every failure is a sentence.
 * n_threads caps OpenVDB's own threads; results do not depend on it. */
#ifndef FIRN_VDB_H
#define FIRN_VDB_H

#ifdef __cplusplus
extern "C" {
#endif

#include "mesh.h"
#include "points.h"
#include "volume.h"

/* ---------------------------------------------------------------- meshes to distances (vdb_mesh.cpp) */

/* Distance field of a closed mesh (signed), or of any mesh (unsigned), `band` m wide to both sides, with
 * n_channels >= 1. nearest, where wanted, gets the nearest triangle of each voxel, [leaf][8][8][8], -1 beyond the
 * band; to be released with n_leaves * 512 * 4 bytes. */
firn_status firn_vdb_from_mesh(const firn_mesh *mesh, double voxel, double band, int is_signed, int n_channels,
                               int n_threads, firn_volume **volume, int32_t **nearest, firn_report *report);

/* ---------------------------------------------------------------- .vdb files in (vdb_read.cpp) */

/* A float grid as distance field, in m: a level set as it is; a fog becomes the surface where it has half its largest
 * value. grid "": the first level set, else the first fog. Grids "friction" and "stickiness" fill further channels:
 * paint[0] and paint[1] are their numbers, 0 where they are not there. */
firn_status firn_vdb_read_volume(const char *path, const char *grid, double scale, int n_threads, firn_volume **volume,
                                 int paint[2], firn_report *report);

#ifdef __cplusplus
}
#endif
#endif
