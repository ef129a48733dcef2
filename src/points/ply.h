/* SPDX-License-Identifier: MIT */
/* ply.h: points as PLY. Entries of the table in format.c; what its writer and reader share. */
#ifndef FIRN_PLY_H
#define FIRN_PLY_H

#include "base/file.h"
#include "points/points.h"

enum { FIRN_PLY_PROPERTIES = 4096 };
extern const char *const firn_ply_types[4]; /* of attributes, in comments */

firn_status firn_ply_read(const char *path, firn_points **points, firn_messages *messages);
firn_status firn_ply_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                           firn_messages *messages);

#endif
