/* SPDX-License-Identifier: MIT */
/* vdb_points.h: particles in .vdb files; entries of the table in format.c. */
#ifndef FIRN_VDB_POINTS_H
#define FIRN_VDB_POINTS_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/file.h"
#include "points/points.h"

firn_status firn_vdb_points_read(const char *path, firn_points **points, firn_messages *messages);
firn_status firn_vdb_points_read_within(const char *path, uint64_t most, firn_points **points,
                                        firn_messages *messages);
/* Reads every grid of a file, also volumes, from its first to its last byte. */
firn_status firn_vdb_points_check(const char *path, firn_messages *messages);
/* The grid "particles", and the volumes "density", "v" and "T" made from it. */
firn_status firn_vdb_points_write(const char *path, const firn_points *points,
                                  firn_file_receipt *receipt, firn_messages *messages);
/* These volumes alone. */
firn_status firn_vdb_volumes_write(const char *path, const firn_points *points,
                                   firn_file_receipt *receipt, firn_messages *messages);

#ifdef __cplusplus
}
#endif
#endif
