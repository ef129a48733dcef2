/* SPDX-License-Identifier: MIT */
/* bgeo.h: Houdini's classic binary geometry, version 5. Entries of the table in format.c. */
#ifndef FIRN_BGEO_H
#define FIRN_BGEO_H

#include "base/file.h"
#include "points/points.h"

firn_status firn_bgeo_read(const char *path, firn_points **points, firn_messages *messages);
firn_status firn_bgeo_read_gzip(const char *path, firn_points **points, firn_messages *messages);
firn_status firn_bgeo_read_gzip_within(const char *path, uint64_t most, firn_points **points,
                                       firn_messages *messages);
firn_status firn_bgeo_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                            firn_messages *messages);
firn_status firn_bgeo_write_gzip(const char *path, const firn_points *points,
                                 firn_file_receipt *receipt, firn_messages *messages);

#endif
