/* SPDX-License-Identifier: MIT */
/* checkpoint.h: complete states of a simulation on disk, shot/checkpoints/checkpoint.NNNNNN.firn.
 *
 * Header (magic, version, scene hash, frame, time, step, length), the bytes of firn_sim_save,
 * and a checksum of all of it. Files are whole or absent; the newest whole one is found even
 * when others were damaged. */
#ifndef FIRN_CHECKPOINT_H
#define FIRN_CHECKPOINT_H

#include "base/file.h"
#include "base/hash.h"

typedef struct firn_checkpoint_info {
    uint64_t scene_hash;
    int32_t frame, sub; /* the last moment that was told before the state was saved */
    double time;
    int64_t step;
} firn_checkpoint_info;

typedef struct firn_checkpoint {
    firn_checkpoint_info info;
    char path[1200];
    void *state; /* as firn_sim_save gave it */
    size_t n_state;
} firn_checkpoint;

/* Writes one into the shot's folder, then removes all but the newest `keep` (at least 1). A
 * checkpoint of a frame that has one already replaces it. A large state goes piece by piece:
 * begin, put until all n_state bytes are given, end. */
enum { FIRN_CHECKPOINT_ROOM = 4096 };
typedef struct firn_checkpoint_writer {
    firn_file_writer *file;
    firn_hash hash;
    char folder[FIRN_CHECKPOINT_ROOM];
} firn_checkpoint_writer;
firn_status firn_checkpoint_begin(firn_checkpoint_writer *writer, const char *shot_folder,
                                  const firn_checkpoint_info *info, size_t n_state,
                                  firn_messages *messages);
void firn_checkpoint_put(void *writer, const void *data, size_t n_bytes); /* a firn_save_put */
firn_status firn_checkpoint_end(firn_checkpoint_writer *writer, int keep, firn_messages *messages);
firn_status firn_checkpoint_write(const char *shot_folder, const firn_checkpoint_info *info,
                                  const void *state, size_t n_state, int keep,
                                  firn_messages *messages);
/* The newest whole one of a frame <= max_frame; damaged ones are passed over with a warning.
 * FIRN_IO and a sentence when there is none. */
firn_status firn_checkpoint_read(const char *shot_folder, int max_frame,
                                 firn_checkpoint *checkpoint, firn_messages *messages);
void firn_checkpoint_clear(firn_checkpoint *checkpoint);
/* Removes those of frames > frame (after a roll-back, once the shot's books are cut). */
firn_status firn_checkpoint_drop_after(const char *shot_folder, int frame, firn_messages *messages);
/* Is this file whole? The info is filled where it is. */
firn_status firn_checkpoint_verify(const char *path, firn_checkpoint_info *info,
                                   firn_messages *messages);

#endif
