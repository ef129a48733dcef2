/* SPDX-License-Identifier: MIT */
/* manifest.h: the manifest and the records of a shot as files (see shot.h for the folder and its
 * rules).
 *
 * manifest.json and each line of frames.jsonl end in a member that holds the checksum of the
 * text before it (firn_json_seal). The manifest holds the length of the good part of each record
 * (frames.jsonl, ledger.csv) and its checksum. So a flipped bit anywhere is found, and the line
 * it is in. */
#ifndef FIRN_MANIFEST_H
#define FIRN_MANIFEST_H

#include "base/json.h"
#include "shot/shot.h"

#define FIRN_MANIFEST_NAME "manifest.json"
#define FIRN_MANIFEST_FRAMES "frames.jsonl"
#define FIRN_MANIFEST_LEDGER "ledger.csv"
#define FIRN_MANIFEST_PROBES "probes.csv" /* of a scene with probes; no record */
#define FIRN_MANIFEST_CHECKPOINTS "checkpoints"

typedef struct firn_manifest {
    char name[FIRN_NAME];      /* stem of the caches */
    char state[16], why[512];  /* running finished interrupted stopped failed */
    char started[32], isa[16]; /* UTC */
    double fps;
    int n_subframes, n_threads;
    uint64_t scene_hash;
    char *scene_json, *history_json; /* an object; the items of an array, without its brackets */
    char *inputs_json;               /* an array, see scene_files.h; NULL: not listed */
    int has_inputs;                  /* as read: they are listed */
    char *last_json; /* the last line of frames.jsonl, NULL: none; written, not read */
    firn_file_receipt frames, ledger; /* their good parts */
    int64_t n_output_times;
    int last_frame, last_sub;
} firn_manifest;

void firn_manifest_clear(firn_manifest *manifest);
firn_status firn_manifest_write(const char *folder, const firn_manifest *manifest,
                                firn_messages *messages);
firn_status firn_manifest_read(const char *folder, firn_manifest *manifest,
                               firn_messages *messages);
/* Keeps the last line of frames.jsonl, n bytes with its end. 0: memory. */
int firn_manifest_take_last(firn_manifest *manifest, const char *line, size_t n);
/* Whether the folder has a manifest at all. */
int firn_manifest_exists(const char *folder);

/* One line of frames.jsonl as read. */
typedef struct firn_manifest_time {
    int frame, sub;
    double time;
    uint64_t state_hash;            /* 0: none */
    uint64_t ledger_bytes;          /* length of ledger.csv after this output time */
    uint64_t first_byte, last_byte; /* of the line in frames.jsonl, with its end */
    int n_files;
    firn_shot_file *files;
    const firn_json_node *node; /* everything else */
} firn_manifest_time;

/* The text of a line with its end. NULL: memory. The text belongs to the writer. */
const char *firn_manifest_line(firn_json_writer *writer, const firn_shot_time *output_time,
                               uint64_t ledger_bytes, int n_files, const firn_shot_file *files,
                               size_t *n);
/* Calls visit for every whole line of the good part, in order. Each damaged line is reported; the
 * others are visited all the same, and FIRN_IO is returned. Memory: the longest line. */
firn_status firn_manifest_walk(const char *folder, const firn_manifest *manifest,
                               void (*visit)(void *user, const firn_manifest_time *output_time),
                               void *user, firn_messages *messages);

#endif
