/* SPDX-License-Identifier: MIT */
/* shot.h: a shot, the folder that a run fills.
 *
 *     manifest.json         scene with every default, versions, machine, history; length and
 *                           checksum of the good part of each record
 *     frames.jsonl          record: one line per output time: time, steps, what limited dt,
 *                           ledgers, state hash, files and checksums
 *     ledger.csv            record: the ledgers again, for plotting: one row per output time and
 *                           material
 *     NAME.$F4.bgeo ...     caches, named as Houdini counts (NAME.0012.bgeo; of an output with
 *                           sub-frames NAME.0012.000.bgeo, NAME.0012.500.bgeo)
 *     checkpoints/          see checkpoint.h
 *
 * What a kill leaves is a shot that verifies. Caches are complete or absent. An output time enters
 * the records once its caches are synced: its line is appended and synced, then the manifest is
 * replaced in one rename. So a record may hold part of a line after its good part, and the folder
 * the caches of one more frame; both are recognised, and removed on resume.
 *
 * A writer holds a lock on the folder: two runs cannot fill one shot. Nothing is written or removed
 * outside the folder: symbolic links in it are refused. */
#ifndef FIRN_SHOT_H
#define FIRN_SHOT_H

#include "firn/sim.h"
#include "base/file.h"
#include "points/points.h"

typedef struct firn_shot firn_shot;

typedef struct firn_shot_setup {
    const char *folder;
    const char *scene_json; /* the scene with all defaults: the text of a JSON object */
    uint64_t scene_hash;
    const firn_scene_def *scene; /* name, fps, outputs are taken from it */
    int n_subframes;             /* output times per frame, firn_frame_plan's */
    int n_threads;
    const char *isa;
    const char *inputs_json; /* files that the scene reads (scene_files.h); NULL: not listed */
    /* resume: edits of the scene and changes of its files, the text of any JSON value; NULL: none
     */
    const char *edits_json, *changes_json;
} firn_shot_setup;

/* What the records hold of one output time, apart from its files. */
typedef struct firn_shot_time {
    int frame, sub;
    double time, wall_seconds; /* wall time since the run began */
    uint64_t state_hash;       /* 0: not taken */
    firn_stats stats;
    int n_ledgers; /* everything first, then each material */
    const firn_ledger *ledgers;
} firn_shot_time;

typedef struct firn_shot_file {
    char name[FIRN_NAME * 2]; /* inside the folder */
    firn_file_receipt receipt;
} firn_shot_file;

/* Begins an empty shot. A folder that holds one is refused; with `replace` that one is removed
 * first (manifest, records, checkpoints, caches with the new name and those in the old records;
 * other files stay). */
firn_status firn_shot_create(const firn_shot_setup *setup, int replace, firn_shot **shot,
                             firn_messages *messages);
/* Continues an existing one after the output time (frame, sub) of a checkpoint: lines and caches of
 * later ones are removed; scene and outputs are those of the setup from now on, with an item in the
 * history. */
firn_status firn_shot_resume(const firn_shot_setup *setup, int frame, int sub, firn_shot **shot,
                             firn_messages *messages);
/* Marks a shot as finished whose run was killed after its last checkpoint, that of (frame, sub),
 * and before it was closed. One that is finished stays as it is. */
firn_status firn_shot_finish(const firn_shot_setup *setup, int frame, int sub,
                             firn_messages *messages);
/* Enters an output time, later than the last one, in the records. On failure these are as they
 * were. */
firn_status firn_shot_record(firn_shot *shot, const firn_shot_time *output_time, int n_files,
                             const firn_shot_file *files, firn_messages *messages);
/* Writes how the run ended: "finished", "interrupted", "stopped" by its simulation or "failed" by
 * disk or memory (and why). destroy releases the lock. */
firn_status firn_shot_close(firn_shot *shot, const char *state, const char *why,
                            firn_messages *messages);
void firn_shot_destroy(firn_shot *shot);

const char *firn_shot_folder(const firn_shot *shot);
/* The last output time in the records; 0: none. */
int firn_shot_last(const firn_shot *shot, int *frame, int *sub);
/* Whether output number `output` of the scene has a cache at this output time. */
int firn_shot_is_due(const firn_shot *shot, int output, int frame, int sub);
/* The name of its cache inside the folder. */
void firn_shot_file_name(const firn_shot *shot, int output, int frame, int sub, char *name,
                         size_t n_name);
/* Parses the name of a cache: 1 where it is STEM.FRAME[.SUB]EXTENSION of a shot called `name`; STEM
 * is the name with or without _2 and so on for further outputs of one format. */
int firn_shot_parse_name(const char *file, const char *name, int *frame, int *thousandths,
                         size_t *n_stem);
/* Whether a cache of any shot may have this name. */
int firn_shot_is_cache_name(const char *file);
uint64_t firn_shot_scene_hash(const firn_shot *shot);

#endif
