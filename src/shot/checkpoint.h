/* SPDX-License-Identifier: MIT */
/* checkpoint.h: complete states of a simulation on disk, shot/checkpoints/checkpoint.NNNNNN.firn.
 *
 * A header (scene hash, frame, time, step, state hash), the bytes of firn_sim_save, and a checksum
 * of all of it; checkpoint.c draws the layout. Files are complete or absent. The checksum finds
 * damage; that a complete file is of this shot is found by comparing its header with the manifest
 * and the records (firn_checkpoint_compare). */
#ifndef FIRN_CHECKPOINT_H
#define FIRN_CHECKPOINT_H

#include "base/file.h"
#include "base/hash.h"

struct firn_manifest;      /* manifest.h */
struct firn_manifest_time; /* manifest.h */

typedef struct firn_checkpoint_info {
    uint64_t scene_hash;
    int32_t frame, sub; /* the last output time in the records when the state was saved */
    double time;        /* s */
    int64_t step;
    uint64_t state_hash; /* firn_sim_hash; 0: unknown (layout 1) */
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
/* The newest complete one of this shot of a frame <= max_frame; others are skipped with a warning.
 * FIRN_IO and a message where there is none. A folder without a manifest has no records to compare
 * with: there any complete checkpoint is taken. */
firn_status firn_checkpoint_read(const char *shot_folder, int max_frame,
                                 firn_checkpoint *checkpoint, firn_messages *messages);
void firn_checkpoint_clear(firn_checkpoint *checkpoint);
/* Removes those of frames > frame, once the shot's records were cut there. */
firn_status firn_checkpoint_drop_after(const char *shot_folder, int frame, firn_messages *messages);
/* Whether the file is complete and undamaged; fills the info where it is. */
firn_status firn_checkpoint_verify(const char *path, firn_checkpoint_info *info,
                                   firn_messages *messages);

/* What the records say of a checkpoint's frame. */
typedef struct firn_checkpoint_record {
    int is_found;
    double time;
    int64_t step;
    uint64_t state_hash; /* 0: not recorded */
} firn_checkpoint_record;

/* For each line of the records (firn_manifest_walk): keeps the one of the checkpoint's frame. */
void firn_checkpoint_find_record(const firn_checkpoint_info *info,
                                 const struct firn_manifest_time *output_time,
                                 firn_checkpoint_record *record);
/* Whether a complete checkpoint is one of this shot: its name, its scene (one of the history) and
 * its state agree with manifest and record. FIRN_IO and a message: it is of another one. */
firn_status firn_checkpoint_compare(const char *path, const firn_checkpoint_info *info,
                                    const struct firn_manifest *manifest,
                                    const firn_checkpoint_record *record, firn_messages *messages);

#endif
