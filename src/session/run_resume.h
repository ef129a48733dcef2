/* SPDX-License-Identifier: MIT */
/* run_resume.h: what a resumed session has besides a new one - the shot's manifest, the edits of
 * its scene, the input files that changed, and the checkpoint to continue from. */
#ifndef FIRN_RUN_RESUME_H
#define FIRN_RUN_RESUME_H

#include "base/json.h"
#include "session/run_session.h"
#include "shot/checkpoint.h"
#include "shot/manifest.h"

typedef struct firn_resume {
    const char *folder;
    char path[FIRN_PATH + 32]; /* of the manifest */
    firn_manifest manifest;
    int is_edited;
    firn_json_writer edits, changes;       /* arrays, for the history of the manifest */
    const char *edits_json, *changes_json; /* NULL: empty */
    firn_checkpoint checkpoint;
} firn_resume;

/* The scene of the manifest, or options->edited_scene, with the settings applied. NULL: the
 * report says why not. `resume` is zero before and is cleared in any case. */
firn_scene *firn_resume_load(firn_resume *resume, const char *folder,
                             const firn_session_options *options, firn_messages *messages);
/* Compares what the shot has with what it is continued with: the effective scene (`scene_json`,
 * by resume_rules.h) and its input files (`inputs_json`), of which changed ones are warned of.
 * Releases the manifest. */
firn_status firn_resume_compare(firn_resume *resume, const char *scene_json, size_t n_scene_json,
                                const char *inputs_json, firn_messages *messages);
void firn_resume_clear(firn_resume *resume);

/* What `firn run --resume` finds in the folder of the shot. */
typedef enum firn_resume_choice {
    FIRN_RESUME_NEW,      /* no shot */
    FIRN_RESUME_REPLACE,  /* one that is to be begun anew: it has no checkpoint, or is replaced */
    FIRN_RESUME_CONTINUE, /* one of this scene */
    FIRN_RESUME_DONE      /* one of this scene, complete up to `last_frame` */
} firn_resume_choice;

/* Refused: a shot of another scene, or of other input files, unless `overwrite`. FIRN_STOPPED: one
 * of this scene that its own simulation stopped. */
firn_status firn_resume_choose(const char *folder, uint64_t scene_hash, const char *inputs_json,
                               int last_frame, int overwrite, firn_resume_choice *choice,
                               firn_messages *messages);

#endif
