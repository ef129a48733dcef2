/* SPDX-License-Identifier: MIT */
/* cache_sequence.h: the frames of a shot as a list of files, from a folder of caches or from
 * file names given one by one. */
#ifndef FIRN_SEQUENCE_H
#define FIRN_SEQUENCE_H

#include "firn/defs.h"
#include "points/points.h"

typedef struct firn_cache_sequence_frame {
    int frame, thousandths; /* of a frame, for caches between frames; frame -1: no number */
    int has_decimals;       /* the name has thousandths, 000 too: NAME.0012.000.bgeo */
    char path[FIRN_PATH];
} firn_cache_sequence_frame;

typedef struct firn_cache_sequence {
    char title[FIRN_NAME];  /* the stem of the files */
    char folder[FIRN_PATH]; /* where they lie; "." included */
    int n, capacity;
    firn_cache_sequence_frame *frames; /* by frame */
} firn_cache_sequence;

/* A folder: of all runs of caches NAME.NUMBER.EXTENSION in it that firn can read, the longest
 * (of equals the first by name, and bgeo before others). Refused with a sentence when there is
 * none. */
firn_status firn_cache_sequence_open(const char *path, firn_cache_sequence *sequence,
                                     firn_messages *messages);
/* Files, in the order given. */
firn_status firn_cache_sequence_of_files(int n, const char *const *paths,
                                         firn_cache_sequence *sequence, firn_messages *messages);
void firn_cache_sequence_clear(firn_cache_sequence *sequence);

/* Keeps frames first..last, and of those every `every`-th. Refused when nothing is left. */
firn_status firn_cache_sequence_select(firn_cache_sequence *sequence, int first, int last,
                                       int every, firn_messages *messages);

#endif
