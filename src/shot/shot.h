/* SPDX-License-Identifier: MIT */
/* shot.h: a shot - the folder that a run fills, and its books.
 *
 *     manifest.json         scene with every default, versions, machine, history; and how much
 *                           of the next two is good
 *     frames.jsonl          one line a moment: time, steps, what limited dt, ledgers, state
 *                           hash, files and checksums
 *     ledger.csv            the ledgers again, for plotting: a row a moment and material
 *     NAME.$F4.bgeo ...     caches, named as Houdini counts (NAME.0012.bgeo; sub-frames
 *                           NAME.0012.500.bgeo)
 *     checkpoints/          see checkpoint.h
 *
 * What a kill leaves behind is always a shot that verifies. Caches are whole or absent. A moment
 * is entered in the books after its caches are safe: its line is appended and synced, then the
 * manifest, which holds the good length and the checksum of both books, is replaced in one go.
 * So behind the good length there may be the torn rest of one line, and beside the booked frames
 * the caches of one more; both are known for what they are, and cut on resume.
 *
 * A writer holds a lock on the folder: two runs cannot fill one shot. */
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
    int n_subframes;             /* moments a frame, firn_frame_plan's */
    int n_threads;
    const char *isa;
    const char
        *inputs_json; /* the files that the scene reads (scene_files.h); NULL: not looked at */
    /* resume: what was changed of the scene and of its files, the text of any JSON value; NULL:
     * nothing */
    const char *edits_json, *changes_json;
} firn_shot_setup;

/* What the books say of one moment, apart from its files. */
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

/* Begins an empty shot. A folder that holds one already is refused, or emptied of it first when
 * `replace` is set (only of what a shot consists of: caches of the new name and those that the
 * old books know; other files stay). */
firn_status firn_shot_create(const firn_shot_setup *setup, int replace, firn_shot **shot,
                             firn_messages *messages);
/* Goes on with an existing one after the moment (frame, sub) of a checkpoint: what the books say
 * of later moments, and their caches, are removed; scene and outputs are those of the setup from
 * now on, and the history says so. */
firn_status firn_shot_resume(const firn_shot_setup *setup, int frame, int sub, firn_shot **shot,
                             firn_messages *messages);
/* Enters a moment; later than the last one. On failure the books are as they were. */
firn_status firn_shot_book(firn_shot *shot, const firn_shot_time *output_time, int n_files,
                           const firn_shot_file *files, firn_messages *messages);
/* Writes how the run ended: "finished", "interrupted" or "stopped" (and why). The lock goes with
 * destroy. */
firn_status firn_shot_close(firn_shot *shot, const char *state, const char *why,
                            firn_messages *messages);
void firn_shot_destroy(firn_shot *shot);

const char *firn_shot_folder(const firn_shot *shot);
/* The last moment in the books; 0: there is none. */
int firn_shot_last(const firn_shot *shot, int *frame, int *sub);
/* Whether output `i` of the scene wants this moment. */
int firn_shot_is_due(const firn_shot *shot, int output, int frame, int sub);
/* The name of its cache inside the folder. */
void firn_shot_file_name(const firn_shot *shot, int output, int frame, int sub, char *name,
                         size_t n_name);
/* Takes a cache's name apart: 1 when it is STEM.FRAME[.SUB]EXTENSION of a shot called `name`,
 * STEM being the name with or without _2 and so on for further outputs of one format. */
int firn_shot_parse_name(const char *file, const char *name, int *frame, int *thousandths,
                         size_t *n_stem);
/* Whether some shot's cache may have this name, whatever the shot is called. */
int firn_shot_is_cache_name(const char *file);
uint64_t firn_shot_scene_hash(const firn_shot *shot);

#endif
