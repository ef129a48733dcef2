/* SPDX-License-Identifier: MIT */
/* shot_verify.h: is a shot whole - every byte of its books, caches and checkpoints as it was
 * written, nothing missing, nothing foreign. */
#ifndef FIRN_VERIFY_SHOT_H
#define FIRN_VERIFY_SHOT_H

#include "firn/base.h"

typedef struct firn_verify_shot {
    char state[16]; /* of the manifest; "" when that is damaged */
    int64_t n_output_times, n_files, n_checkpoints;
    uint64_t bytes; /* read and compared */
    int last_frame;
    int n_problems;
} firn_verify_shot;

/* FIRN_OK: whole. What a killed run leaves behind is whole, too, and told in warnings. Every
 * problem found is one sentence in the report. */
firn_status firn_verify_shot_run(const char *folder, firn_verify_shot *result,
                                 firn_messages *messages);
/* One file: against the books of the shot it lies in, where there are any, and by reading it
 * through where its format can be read. */
firn_status firn_verify_shot_file(const char *path, firn_messages *messages);

#endif
