/* SPDX-License-Identifier: MIT */
/* shot_verify.h: checks a shot for damage: every byte of its manifest, records, caches and
 * checkpoints as it was written, nothing missing, nothing of another shot. */
#ifndef FIRN_SHOT_VERIFY_H
#define FIRN_SHOT_VERIFY_H

#include "firn/base.h"

typedef struct firn_verify_shot {
    char state[16]; /* of the manifest; "" when that is damaged */
    int64_t n_output_times, n_files, n_checkpoints;
    int64_t n_cleaned; /* caches that firn clean has removed; not in n_files */
    uint64_t bytes;    /* read and compared */
    int last_frame;
    int n_problems;
} firn_verify_shot;

/* FIRN_OK: undamaged. What a killed run leaves behind is no damage; it is reported as warnings.
 * One message for each problem found. */
firn_status firn_verify_shot_run(const char *folder, firn_verify_shot *result,
                                 firn_messages *messages);
/* One file: compared with the records of the shot in whose folder it is, and read to its end where
 * its format can be read. */
firn_status firn_verify_shot_file(const char *path, firn_messages *messages);

#endif
