/* SPDX-License-Identifier: MIT */
/* file_sequence.h: numbered files - walk.%04d.obj names walk.0001.obj, walk.0002.obj, ... */
#ifndef FIRN_NUMBERED_H
#define FIRN_NUMBERED_H

#include "firn/defs.h"

typedef struct firn_file_sequence {
    char before[FIRN_PATH], after[FIRN_PATH]; /* of the number, folder included */
    int width, n, capacity;                   /* digits at least, padded with zeros */
    int64_t *numbers, first;                  /* sorted; the number that is due at the start */
} firn_file_sequence;

/* Does the path name a sequence? Its last component, not the folder, holds exactly one number of
 * the form %d or %04d; any other % is a character like others. */
int firn_file_sequence_is_pattern(const char *path);
/* For a path that names no sequence: where no file has this name and it holds a %, the form of a
 * sequence is told. */
firn_status firn_file_sequence_check_single(const char *path, firn_messages *messages);
/* All files of the pattern that exist; a gap is told as a warning, none at all is refused. */
firn_status firn_file_sequence_find(const char *pattern, firn_file_sequence *sequence,
                                    firn_messages *messages);
void firn_file_sequence_clear(firn_file_sequence *sequence);
void firn_file_sequence_path(const firn_file_sequence *sequence, int i, char path[FIRN_PATH]);
/* Forgets all files but the two before and the two after `time`, which is all that a look at
 * this time needs. */
void firn_file_sequence_keep(firn_file_sequence *sequence, double time, const firn_shape_def *def);
/* When file i is due; beyond the ends the end's own time. */
double firn_file_sequence_time(const firn_file_sequence *sequence, int i,
                               const firn_shape_def *def);

#endif
