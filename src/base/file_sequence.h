/* SPDX-License-Identifier: MIT */
/* file_sequence.h: numbered files: walk.%04d.obj names walk.0001.obj, walk.0002.obj, ... */
#ifndef FIRN_FILE_SEQUENCE_H
#define FIRN_FILE_SEQUENCE_H

#include "firn/defs.h"

typedef struct firn_file_sequence {
    char before[FIRN_PATH], after[FIRN_PATH]; /* the number, folder included */
    int width;                                /* fewest digits, padded with zeros */
    int n, capacity;
    int64_t *numbers, first; /* ascending; the number of the file at the start time */
} firn_file_sequence;

/* Whether the path names a sequence: its last component, not the folder, holds exactly one number
 * of the form %d or %04d. Any other % is an ordinary character. */
int firn_file_sequence_is_pattern(const char *path);
/* For a path that is no pattern: refuses a name with a % that no file has, with the form of a
 * pattern in the message. */
firn_status firn_file_sequence_check_single(const char *path, firn_messages *messages);
/* All files of the pattern that exist; gaps are warned of, no file at all is refused. */
firn_status firn_file_sequence_find(const char *pattern, firn_file_sequence *sequence,
                                    firn_messages *messages);
void firn_file_sequence_clear(firn_file_sequence *sequence);
void firn_file_sequence_path(const firn_file_sequence *sequence, int i, char path[FIRN_PATH]);
/* Keeps the two files before and the two after `time` only, enough for a query at this time. */
void firn_file_sequence_keep(firn_file_sequence *sequence, double time, const firn_shape_def *def);
/* The time of file i, s; beyond the ends that of the end. */
double firn_file_sequence_time(const firn_file_sequence *sequence, int i,
                               const firn_shape_def *def);

#endif
