/* SPDX-License-Identifier: MIT */
/* shot_info.h: the contents of a cache, a checkpoint or a shot, as text for one screen or as
 * JSON. */
#ifndef FIRN_SHOT_INFO_H
#define FIRN_SHOT_INFO_H

#include "base/json.h"
#include "points/points.h"
#include "base/text.h"

/* Range of one component of an attribute, or of all; values that are not finite are counted
 * apart. */
typedef struct firn_info_range {
    double min, max, mean;
    int64_t n, n_not_finite;
} firn_info_range;

/* component < 0: all. For index attributes the range of the indices. */
firn_info_range firn_info_range_of(const firn_attribute *attribute, int64_t n, int component);

/* A file of points: name, size, details, and each attribute with its range. */
firn_status firn_info_file(const char *path, firn_text *text, firn_json_writer *json,
                           firn_messages *messages);
/* A shot: state, frames, settings, last ledger and last cache. One of text and json is filled, the
 * other is NULL. */
firn_status firn_info_shot(const char *folder, firn_text *text, firn_json_writer *json,
                           firn_messages *messages);
/* A checkpoint file. */
firn_status firn_info_checkpoint(const char *path, firn_text *text, firn_json_writer *json,
                                 firn_messages *messages);

#endif
