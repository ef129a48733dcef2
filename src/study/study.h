/* SPDX-License-Identifier: MIT */
/* study.h: comparison studies: laws x settings x scenes, run side by side, with one report.
 *
 *   study_file.c      the study file
 *   study_runs.c      its runs: folders, commands, processes
 *   study_metrics.c   numbers and curves from the files of a shot
 *   study_ensemble.c  repeated runs: mean, deviation, which differences are certain
 *   study_curves.c    curves over time: plots, their data as CSV, PGF and SVG
 *   study_report.c    the HTML page
 *   study_tables.c    the table as CSV and as LaTeX, the citations of the laws
 *   study_archive.c   everything that is needed to run the study again, in one file
 *
 * A run is `firn run scene.yaml --set ... --out OUT/runs/NAME` and nothing else: the command in the
 * report makes the same shot. */
#ifndef FIRN_STUDY_H
#define FIRN_STUDY_H

#include "base/arena.h"
#include "lab/lab.h"

enum { FIRN_COMPARE_RUNS_MAX = 1000, FIRN_COMPARE_AXES_MAX = 8, FIRN_COMPARE_METRICS_MAX = 16 };
enum { FIRN_COMPARE_REPEATS_MAX = 64 };

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
    const char *title, *x, *y; /* x, y NULL: the path's default columns */
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
    const char *material; /* the one whose law varies */
    const char *watch;    /* material of the ledger; "all" */
    int n_laws;           /* 0: the scene's own */
    firn_study_law *laws;
    int n_axes;
    firn_study_axis axes[FIRN_COMPARE_AXES_MAX];
    int n_sets;
    const char **sets;
    /* Each run is repeated n_repeats times; repeat 0 as the scene says, the others varied. */
    int n_repeats, varies_seed, varies_shift;
    int n_metrics; /* 0: all */
    const char **metrics;
    int n_curves;
    const char **curves;
    int n_labs;
    firn_study_lab *labs;
    int n_references;
    firn_study_reference *references;
    const char *matched; /* "E=...,nu=..." or NULL */
    int resolution_axis; /* -1: no order of convergence */
    const char *resolution_metric;
    double resolution_exact; /* NAN: unknown */
    const char *file;        /* the study file */
} firn_study;

/* NULL: refused, with messages at file:line:column. */
firn_study *firn_compare_study_load(const char *path, firn_messages *report);
void firn_compare_study_destroy(firn_study *study);
/* Whether the file is a study, or a scene with a sweep; 0 also for one that cannot be read. */
int firn_compare_is_study(const char *path);

/* ---------------------------------------------------------------- metrics and curves */

/* One run over time: a table with the ledger's columns of the watched material, and force,
 * total_energy and dissipated computed from them. */
typedef struct firn_compare_series {
    firn_table *table;
    double up[3]; /* against gravity; 0 0 1 without any */
    double wall_seconds, n_steps;
    char state[16], why[512];
    uint64_t hash;       /* of the last state; 0: none */
    uint64_t scene_hash; /* of the shot */
} firn_compare_series;

firn_status firn_compare_series_read(const char *folder, const char *material,
                                     const double gravity[3], firn_compare_series *series,
                                     firn_messages *report);
void firn_compare_series_clear(firn_compare_series *series);

typedef struct firn_compare_metric {
    const char *name, *unit, *doc;
    double (*of)(const firn_compare_series *series); /* NAN: unknown */
    int by_name; /* in the table only where the study asks for it */
} firn_compare_metric;

const firn_compare_metric *firn_compare_metric_at(int i); /* NULL after the last */
const firn_compare_metric *firn_compare_metric_find(const char *name);

/* Order p of convergence of f(h) = f0 + C h^p: with a known f0 the least-squares slope over all h,
 * else from the three finest, whatever their ratios. NAN: unknown. h in any order. */
double firn_compare_order(int n, const double *h, const double *f, double exact);

/* ---------------------------------------------------------------- runs */

typedef struct firn_compare_run {
    int scene, law, place[FIRN_COMPARE_AXES_MAX]; /* law -1: the scene's own */
    int repeat;                                   /* 0 .. n_repeats - 1 */
    const char *group_label;                      /* of all its repeats */
    const char *name, *label, *folder;
    int n_sets;
    const char **sets;
    const char *command;    /* for the report, and to recognise a run */
    const char *parameters; /* every parameter of the law with its unit */
    double gravity[3];
    uint64_t scene_hash, files_hash; /* files_hash: of the input files, 0: none */
    int is_reused, exit_code;        /* exit_code -1: not run */
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
    int n_jobs;
    int n_threads; /* of each; 0: by its particles, up to its share of the machine */
    int is_fresh;  /* finished runs are repeated */
    int n_sets;    /* settings of all runs besides the study's own */
    const char **sets;
    void (*done)(void *user, const firn_compare_run *run, int n_done, int n_runs); /* may be NULL */
    void *done_user;
    /* The number of a signal that ends the study, 0: none; may be NULL. */
    int (*signal)(void);
} firn_compare_options;

/* Plans every run, with its scene loaded and checked; starts none. */
firn_status firn_compare_plan(firn_compare *compare, firn_study *study,
                              const firn_compare_options *options, firn_messages *report);
/* Runs what is not finished, at most n_jobs processes at a time, and reads the results. A run that
 * fails is a warning and appears in the report as failed. */
firn_status firn_compare_execute(firn_compare *compare, const firn_compare_options *options,
                                 firn_messages *report);
/* For runs that something else starts, a farm: writes down what the folder of a run is going to
 * hold, so that firn_compare_execute takes the shot for its own. Not where it has one already. */
firn_status firn_compare_announce(const firn_compare *compare, firn_messages *report);
void firn_compare_clear(firn_compare *compare);

/* ---------------------------------------------------------------- ensembles */

/* Runs that differ in their repeat alone follow each other: group g begins at run g n_repeats. */
int firn_compare_n_groups(const firn_compare *compare);
const firn_compare_run *firn_compare_group(const firn_compare *compare, int group);

/* Of the repeats with results. */
typedef struct firn_compare_spread {
    int n;
    double mean, deviation; /* deviation: of the sample, NAN below two */
} firn_compare_spread;

firn_compare_spread firn_compare_spread_of(int n, const double *values);
firn_compare_spread firn_compare_group_metric(const firn_compare *compare, int group, int metric);

/* Sign of a.mean - b.mean where it is certain at 95 % by Welch's test, else 0; a difference of
 * single runs is never certain. */
int firn_compare_order_of(const firn_compare_spread *a, const firn_compare_spread *b);

/* ---------------------------------------------------------------- the report */

/* The "Over time" section of the page; OUT/data/CURVE.csv, OUT/figures/CURVE.svg and CURVE.tex. */
firn_status firn_compare_curves(const firn_compare *compare, firn_text *html,
                                firn_messages *messages);
/* OUT/summary.csv, one row per run; OUT/summary.tex, one row per group. */
firn_status firn_compare_tables(const firn_compare *compare, firn_messages *messages);
/* Text with the characters that TeX reserves escaped. */
void firn_compare_add_tex(firn_text *tex, const char *string);
/* Laws of the study with their sources, as an HTML list. */
void firn_compare_citations(const firn_compare *compare, firn_text *html);
/* OUT/NAME.tar.gz: study, scenes, the files that they read, commands and results. */
firn_status firn_compare_archive(const firn_compare *compare, firn_messages *messages);

/* All of it. */
firn_status firn_compare_report(const firn_compare *compare, firn_messages *report);

#endif
