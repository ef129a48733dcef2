/* SPDX-License-Identifier: MIT */
/* partio.h: formats of the Partio library, where it was found when firn was built. The format is
 * chosen by the extension of the path. The table in format.c lists those that are offered; tests
 * use this also to cross-check bgeo.c. */
#ifndef FIRN_PARTIO_H
#define FIRN_PARTIO_H

#include "base/file.h"
#include "points/points.h"

#ifdef __cplusplus
extern "C" {
#endif

firn_status firn_partio_read(const char *path, firn_points **points, firn_messages *messages);
/* Partio's writers say nothing about a full disk, so the file is read back before it gets its name.
 */
firn_status firn_partio_write(const char *path, const firn_points *points,
                              firn_file_receipt *receipt, firn_messages *messages);

#ifdef __cplusplus
}
#endif
#endif
