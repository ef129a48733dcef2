/* SPDX-License-Identifier: MIT */
/* study.h: comparison studies - laws x settings x scenes, run side by side and told in one report.
 *
 *   study_file.c    the study file
 *   study_runs.c      its runs: folders, commands, processes
 *   study_metrics.c   numbers and curves read from a shot's books
 *   study_report.c   tables and pictures as one HTML page, and the table as CSV
 *
 * A run is nothing but `firn run scene.yaml --set ... --out OUT/runs/NAME`: whoever copies the
 * line from the report gets the same shot. */
#ifndef FIRN_COMPARE_H
#define FIRN_COMPARE_H

#include "base/arena.h"
#include "lab/lab.h"

enum { FIRN_COMPARE_RUNS_MAX = 1000, FIRN_COMPARE_AXES_MAX = 8, FIRN_COMPARE_METRICS_MAX = 16 };

/* ---------------------------------------------------------------- the study file */

typedef struct firn_study_law {
    const char *label, *spec; /* spec as for firn_lab_material, matched moduli included */
} firn_study_law;

typedef struct firn_study_axis {
    const char *path; /* as for --set */
    int n;
    const char **values;
} firn_study_axis;

/* A lab path on every law, or on those named. */
typedef struct firn_study_lab {
    firn_lab_options options;
    int n_laws;                /* 0: all */
    const char **laws;         /* labels */
    double range[2];           /* of y; NAN: that of the data */
    const char *title, *x, *y; /* x, y NULL: what the path is usually drawn as */
    const char *overlay;       /* CSV of a measured curve, or NULL */
} firn_study_lab;

/* A known curve of a quantity over time. */
typedef struct firn_study_reference {
    const char *label, *curve, *file;
} firn_study_reference;

typedef struct firn_study {
    firn_arena arena;
    const char *name, *text;
    int n_scenes;
    const char **scenes;  /* paths, from the study's folder */
    const char *material; /* whose law varies */
    const char *watch;    /* material of the ledger; "all" */
    int n_laws;           /* 0: the scene's own */
    firn_study_law *laws;
    int n_axes;
    firn_study_axis axes[FIRN_COMPARE_AXES_MAX];
    int n_sets;
    const char **sets;
    int n_metrics; /* 0: all */
    const char **metrics;
    int n_curves;
    const char **curves;
    int n_labs;
    firn_study_lab *labs;
    int n_references;
    firn_study_reference *references;
    const char *matched; /* "E=...,nu=..." or NULL */
    int resolution_axis; /* -1: no order of convergence is asked for */
    const char *resolution_metric;
    double resolution_exact; /* NAN: unknown */
} firn_study;

/* NULL: the report says why, with file:line:column. */
firn_study *firn_compare_study_load(const char *path, firn_messages *report);
void firn_compare_study_destroy(firn_study *study);

/* ---------------------------------------------------------------- metrics and curves */

/* What the books of one run say over time: a table with the ledger's columns of the watched
 * material, and force, total_energy and dissipated as made from them. */
typedef struct firn_compare_series {
    firn_table *table;
    double up[3]; /* against gravity; 0 0 1 without any */
    double wall_seconds, n_steps;
    char state[16], why[512];
    uint64_t hash; /* of the last moment's state; 0: none */
} firn_compare_series;

firn_status firn_compare_series_read(const char *folder, const char *material,
                                     const double gravity[3], firn_compare_series *series,
                                     firn_messages *report);
void firn_compare_series_clear(firn_compare_series *series);

typedef struct firn_compare_metric {
    const char *name, *unit, *doc;
    double (*of)(const firn_compare_series *series); /* NAN: cannot be said */
} firn_compare_metric;

const firn_compare_metric *firn_compare_metric_at(int i); /* NULL after the last */
const firn_compare_metric *firn_compare_metric_find(const char *name);

/* Order p of convergence of f(h) = f0 + C h^p. With a known f0 the slope over all h by least
 * squares, else from the three finest, whatever their ratios; NAN: cannot be said. h in any
 * order. */
double firn_compare_order(int n, const double *h, const double *f, double exact);

/* ---------------------------------------------------------------- runs */

typedef struct firn_compare_run {
    int scene, law, place[FIRN_COMPARE_AXES_MAX]; /* law -1: the scene's own */
    const char *name, *label, *folder;
    int n_sets;
    const char **sets;
    const char *command;    /* for the report and for knowing a run again */
    const char *parameters; /* every parameter of the law with its unit */
    double gravity[3];
    uint64_t scene_hash;
    int is_reused, exit_code; /* exit_code -1: not run */
    double metrics[FIRN_COMPARE_METRICS_MAX];
    firn_compare_series series;
} firn_compare_run;

typedef struct firn_compare {
    firn_study *study;
    firn_arena arena;
    const char *folder;
    int n_runs;
    firn_compare_run *runs;
    int n_metrics;
    const firn_compare_metric *metrics[FIRN_COMPARE_METRICS_MAX];
} firn_compare;

typedef struct firn_compare_options {
    const char *folder, *program; /* program: the firn that runs */
    int n_jobs,
        /* threads of each; 0: as many as each is worth, at most the machine's divided among the
         * jobs */
        n_threads;
    int is_fresh; /* runs that are done already are done again */
    int n_sets;   /* settings of all runs beside the study's own */
    const char **sets;
    void (*told)(void *user, const firn_compare_run *run, int n_done, int n_runs); /* may be NULL */
    void *told_user;
    int (*signal)(
        void); /* the number of a signal that wants the study to end, 0 for none; may be NULL */
} firn_compare_options;

/* Every run of the study, its scene loaded and checked with its settings; nothing is started. */
firn_status firn_compare_plan(firn_compare *compare, firn_study *study,
                              const firn_compare_options *options, firn_messages *report);
/* Runs what is not done yet, at most n_jobs processes at a time, and reads the results. A run
 * that fails is told as a warning and stays in the report as failed. */
firn_status firn_compare_execute(firn_compare *compare, const firn_compare_options *options,
                                 firn_messages *report);
void firn_compare_clear(firn_compare *compare);

/* ---------------------------------------------------------------- the report */

/* OUT/report.html and OUT/summary.csv. */
firn_status firn_compare_report(const firn_compare *compare, firn_messages *report);

#endif
