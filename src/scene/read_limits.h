/* SPDX-License-Identifier: MIT */
/* read_limits.h: may the files that a scene names be read? Asked before a byte of them is. */
#ifndef FIRN_BUDGET_H
#define FIRN_BUDGET_H

#include "firn/defs.h"

/* Refuses (FIRN_MEMORY) files of points and meshes that are longer than `max_memory` bytes, each
 * by itself; without such a limit (0) files of points longer than half of the machine's memory.
 * Files that are not there are passed over: whoever reads them says so. */
firn_status firn_read_limits_check(const firn_scene_def *scene, size_t max_memory,
                                   firn_messages *messages);
/* The same bound for what a packed file of points unpacks to, which its length does not tell:
 * for whoever reads it (firn_format_read_within). */
uint64_t firn_read_limits_points(size_t max_memory);

#endif
