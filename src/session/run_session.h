/* SPDX-License-Identifier: MIT */
/* run_session.h: one run, from its scene to its closed shot. A session has two beginnings, a
 * scene file (`firn run`) or the folder of a shot (`firn resume`); everything after is shared:
 * plan, input files, simulation, shot, frame loop, summary. */
#ifndef FIRN_RUN_SESSION_H
#define FIRN_RUN_SESSION_H

#include "firn/firn.h"
#include "session/progress.h"
#include "session/voice.h"

/* Strings are borrowed for the duration of the session. */
typedef struct firn_session_options {
    int n_sets;
    const char *const *sets; /* "path.to.key=value", applied to the scene in this order */
    double until;            /* s, end of the run; negative: the scene's last frame */
    /* Frames that are written; the run ends at the last one. has_frames 0: all; last_frame -1:
     * up to the end. */
    int has_frames, first_frame, last_frame;
    firn_run_options run;
    firn_progress_style progress;
    int is_quiet;         /* no notes but those of an interruption */
    int has_live_preview; /* preview.png of the newest frame */
    const firn_voice *voice;

    /* firn_session_run alone */
    const char *out; /* folder of the shot; NULL: the scene's, else shots/NAME */
    int overwrite;   /* a shot in that folder is replaced */
    /* A shot of the same scene in that folder is continued, and stays if it is complete; with
     * `overwrite` one of another scene is replaced. */
    int resume;

    /* firn_session_resume alone */
    const char *edited_scene; /* file that replaces the scene in the manifest; NULL: none */
    int from_frame;           /* newest checkpoint at or before it; INT_MAX: the newest */
} firn_session_options;

/* Nothing is set, no limits; `voice` is still to be given. */
firn_session_options firn_session_options_default(void);

/* Both report every error through the voice and return its status, the exit code of the program:
 * FIRN_OK, FIRN_REFUSED (nothing was written), FIRN_STOPPED, FIRN_IO, FIRN_MEMORY,
 * FIRN_INTERRUPTED (the shot can be resumed). */
firn_status firn_session_run(const char *scene_path, const firn_session_options *options);
firn_status firn_session_resume(const char *folder, const firn_session_options *options);

#endif
