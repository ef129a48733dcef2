/* SPDX-License-Identifier: MIT */
/* progress.h: how far a run is, told to a person (one living line), to a log (a plain line a
 * frame) or to a farm (one JSON object a frame). Telling is a courtesy: a closed pipe or full
 * disk ends the telling, never the run. */
#ifndef FIRN_PROGRESS_H
#define FIRN_PROGRESS_H

#include "firn/sim.h"
#include "base/json.h"
#include "base/text.h"

#include <stdio.h>

/* Everything that is told. Rates are over the last few seconds, so that they follow the state of
 * the material. */
typedef struct firn_progress {
    int frame, last_frame; /* the frame that is being made, or was just finished */
    double fraction;       /* of the simulated time, 0 to 1 */
    double time;           /* simulated, s */
    int64_t n_substeps;    /* in this frame so far */
    firn_stats stats;
    double seconds;            /* since the run began */
    double updates_per_second; /* particles times steps */
    double eta;                /* s; negative: not known yet */
} firn_progress;

typedef enum firn_progress_style {
    FIRN_PROGRESS_NONE,
    FIRN_PROGRESS_LINE,  /* one living line, for terminals */
    FIRN_PROGRESS_PLAIN, /* a line a frame */
    FIRN_PROGRESS_JSON,  /* an object a frame */
} firn_progress_style;

/* One line without its end; `width` columns at most (0: no limit). */
void firn_progress_line(const firn_progress *progress, int width, firn_text *text);
void firn_progress_json(const firn_progress *progress, firn_json_writer *json);
/* 75 -> "1:15", 3600 -> "1:00:00". */
void firn_progress_clock(double seconds, char *out, size_t n_out);

/* Rates over the last few seconds of wall time. The first sample begins the measurement: what
 * came before, like loading colliders, does not come again. */
typedef struct firn_progress_meter {
    int has_begun;
    double wall, time, updates; /* of the last sample taken in */
    double sums[3];             /* of these three, those long ago with less weight */
    double seconds_per_time, updates_per_second; /* 0: no sample yet */
} firn_progress_meter;
void firn_progress_measure(firn_progress_meter *meter, double wall, double time, double updates);

/* Where it is told. */
typedef struct firn_progress_display {
    firn_progress_style style;
    FILE *out;
    double last_shown; /* wall time */
    int is_line_open, is_broken;
} firn_progress_display;

/* Living lines go to stderr, so that stdout stays clean; lines and objects, which are results,
 * go to stdout. */
firn_progress_display firn_progress_open(firn_progress_style style);
void firn_progress_show(firn_progress_display *display, const firn_progress *progress,
                        int is_frame_done);
/* Ends a living line, so that a message can follow on a line of its own. */
void firn_progress_break(firn_progress_display *display);

/* How far a list of things is that are made one after the other: "12 of 40 pictures
 *     ETA 0:12". A living line on
 * stderr, nothing where that is no terminal. What is printed meanwhile comes between hide and done.
 */
typedef struct firn_progress_list {
    const char *what;
    int n, n_done, is_open;
    double began; /* s */
} firn_progress_list;
firn_progress_list firn_progress_list_begin(const char *what, int n);
void firn_progress_list_hide(firn_progress_list *list);
/* One more is done, and the next one begins. */
void firn_progress_list_done(firn_progress_list *list);
/* "12 of 40 pictures  ETA 0:12", when the first of them took `seconds`. */
void firn_progress_list_line(const firn_progress_list *list, double seconds, char *out,
                             size_t n_out);

#endif
