/* SPDX-License-Identifier: MIT */
/* shot_clean.h: files of a shot that can be made again - checkpoints, pictures, surfaces, caches -
 * counted and removed. Only regular files with the names that firn gives are touched, and no link
 * is followed. Frames whose caches were removed are listed in the shot's folder, so that they are
 * not missed as damage. */
#ifndef FIRN_SHOT_CLEAN_H
#define FIRN_SHOT_CLEAN_H

#include "firn/base.h"

#define FIRN_CLEAN_RECORD "cleaned.txt"

typedef enum firn_clean_kind {
    FIRN_CLEAN_CHECKPOINTS,
    FIRN_CLEAN_PICTURES, /* of firn render, and the live preview */
    FIRN_CLEAN_SURFACES, /* of firn mesh and firn embed */
    FIRN_CLEAN_CACHES,
    FIRN_CLEAN_KINDS
} firn_clean_kind;

enum { FIRN_CLEAN_KEEP_MAX = 1000 };

typedef struct firn_clean_choice {
    unsigned char is_removed[FIRN_CLEAN_KINDS]; /* others are counted alone */
    int first, last;                            /* frames, whatever the kind */
    int keep; /* newest checkpoints that stay; negative: 1 while the shot is not finished, else 0 */
    int is_dry; /* nothing is removed */
} firn_clean_choice;

typedef struct firn_clean_found {
    int64_t n_files, n_bytes; /* that are removed, or would be */
} firn_clean_found;

/* FIRN_REFUSED: the folder is no shot, or a link. FIRN_IO: another run is writing into it, or a
 * file cannot be removed. */
firn_status firn_clean_shot(const char *folder, const firn_clean_choice *choice,
                            firn_clean_found found[FIRN_CLEAN_KINDS], firn_messages *messages);
/* Pictures and surfaces of a shot called `name`, for one that is replaced by its writer. */
firn_status firn_clean_derived(const char *folder, const char *name,
                               firn_clean_found found[FIRN_CLEAN_KINDS], firn_messages *messages);

/* Ranges of frames whose caches were removed. */
typedef struct firn_clean_ranges {
    int n, n_room, (*range)[2];
} firn_clean_ranges;

firn_status firn_clean_read(const char *folder, firn_clean_ranges *ranges, firn_messages *messages);
void firn_clean_clear(firn_clean_ranges *ranges);
int firn_clean_has(const firn_clean_ranges *ranges, int frame);
/* Frames after `frame` are going to be written again. */
firn_status firn_clean_forget_after(const char *folder, int frame, firn_messages *messages);

#endif
