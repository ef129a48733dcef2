/* SPDX-License-Identifier: MIT */
/* shot_parts.h: what the files of shot.h share: the writer of a shot, and the steps of its beginning.
 *
 *     shot_name.c     names of caches
 *     shot_folder.c   lock, links, removal of files
 *     shot.c          a new shot; output times; end
 *     shot_resume.c   an older shot continued after one of its output times */
#ifndef FIRN_SHOT_PARTS_H
#define FIRN_SHOT_PARTS_H

#include "base/hash.h"
#include "shot/manifest.h"
#include "shot/shot.h"

enum { FIRN_SHOT_PATH = 4096 };

struct firn_shot {
    char folder[FIRN_PATH];
    int lock; /* descriptor of the folder */
    int n_outputs;
    firn_output_def *outputs;
    firn_manifest manifest;
    firn_hash frames, ledger; /* of the good parts of the records, continued with each line */
};

/* The path of a file in the folder. */
void firn_shot_path(const firn_shot *shot, const char *name, char path[FIRN_SHOT_PATH]);

/* The scene's name with what file systems and Houdini dislike replaced by _. */
void firn_shot_stem(const firn_scene_def *scene, char *stem, size_t n_stem);

firn_status firn_shot_lock(firn_shot *shot, firn_messages *messages);
/* Refuses links among the files that a run writes besides caches: they would lead out of the
 * folder. */
firn_status firn_shot_refuse_links(const firn_shot *shot, firn_messages *messages);
/* Removes caches after an output time and temporary files; is_dry: only counts the caches. n_caches
 * may be NULL. */
firn_status firn_shot_clean(firn_shot *shot, int frame, int thousandths, int is_dry, int *n_caches,
                            firn_messages *messages);
/* Removes an older shot from the folder. */
firn_status firn_shot_empty(firn_shot *shot, firn_messages *messages);

/* A shot object with what the setup holds; nothing on disk is touched. On failure *made may be
 * there, to be destroyed. */
firn_status firn_shot_make(const firn_shot_setup *setup, firn_shot **made, firn_messages *messages);
/* One more item of the history `before`: what began, with which version, after which frame, with
 * which edits. */
firn_status firn_shot_add_history(firn_shot *shot, const char *what, const char *before,
                                  const firn_shot_setup *setup, firn_messages *messages);
/* Lengths and checksums of the records into the manifest. */
void firn_shot_take_lengths(firn_shot *shot);

#endif
