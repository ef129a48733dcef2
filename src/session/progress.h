/* SPDX-License-Identifier: MIT */
/* progress.h: the progress of a run, for a terminal (one line that is rewritten), a log (one line
 * per frame) or a render farm (one JSON object per frame). A closed pipe or a full disk ends the
 * progress, never the run. */
#ifndef FIRN_PROGRESS_H
#define FIRN_PROGRESS_H

#include "firn/sim.h"
#include "base/json.h"
#include "base/text.h"

#include <stdio.h>

/* What is shown. Rates are over the last few seconds, so that they follow the state of the
 * material. */
typedef struct firn_progress {
    int frame, last_frame; /* the frame in progress, or the one just finished */
    double fraction;       /* of the simulated time, 0 to 1 */
    double time;           /* simulated, s */
    int64_t n_substeps;    /* of this frame */
    firn_stats stats;
    int64_t bounded_before[FIRN_N_BOUNDS]; /* stats.n_bounded at the end of the frame before */
    double seconds;                        /* since the run began */
    double updates_per_second;             /* particles times steps */
    double eta;                            /* s; negative: unknown yet */
} firn_progress;

typedef enum firn_progress_style {
    FIRN_PROGRESS_NONE,
    FIRN_PROGRESS_LINE,  /* one line, rewritten, for terminals */
    FIRN_PROGRESS_PLAIN, /* one line per frame */
    FIRN_PROGRESS_JSON,  /* one object per frame */
} firn_progress_style;

/* One line without its newline, at most `width` columns; 0: no limit. */
void firn_progress_line(const firn_progress *progress, int width, firn_text *text);
void firn_progress_json(const firn_progress *progress, firn_json_writer *json);
/* 75 -> "1:15", 3600 -> "1:00:00". */
void firn_progress_clock(double seconds, char *out, size_t n_out);

/* Rates over the last few seconds of wall time. The first sample begins the measurement: what was
 * before, like loading colliders, happens once. */
typedef struct firn_progress_meter {
    int has_begun;
    double wall, time, updates;                  /* of the last sample */
    double sums[3];                              /* of the three, weighted down with age */
    double seconds_per_time, updates_per_second; /* 0: no sample yet */
} firn_progress_meter;
void firn_progress_measure(firn_progress_meter *meter, double wall, double time, double updates);

/* Where it is shown. */
typedef struct firn_progress_display {
    firn_progress_style style;
    FILE *out;
    double last_shown; /* wall time */
    int is_line_open, is_broken;
} firn_progress_display;

/* Rewritten lines go to stderr; lines and objects are results and go to stdout. */
firn_progress_display firn_progress_open(firn_progress_style style);
void firn_progress_show(firn_progress_display *display, const firn_progress *progress,
                        int is_frame_done);
/* Ends a rewritten line, so that a message can follow on a line of its own. */
void firn_progress_break(firn_progress_display *display);

/* Progress of a list of things that are made one after the other: "12 of 40 pictures  ETA 0:12",
 * as a rewritten line on stderr, or nothing where that is no terminal. Output is printed between
 * hide and done. */
typedef struct firn_progress_list {
    const char *what;
    int n, n_done, is_open;
    double began; /* s */
} firn_progress_list;
firn_progress_list firn_progress_list_begin(const char *what, int n);
void firn_progress_list_hide(firn_progress_list *list);
/* One more is done. */
void firn_progress_list_done(firn_progress_list *list);
/* That line, where the first ones took `seconds` together. */
void firn_progress_list_line(const firn_progress_list *list, double seconds, char *out,
                             size_t n_out);

#endif
