/* SPDX-License-Identifier: MIT */
/* farm.h: job files for a scene or a study: its simulations, surfaces and pictures as tasks of a
 * batch queue or render farm.
 *
 * A scene is one run whose frames are cut into ranges; the tasks of a range follow those of the
 * range before. A study has many runs of one range each, and a last task that collects them.
 *
 *     sim RUN RANGE      waits for the range before
 *     mesh RUN RANGE     waits for sim RUN RANGE
 *     render RUN RANGE   waits for sim RUN of all ranges: the camera sees the whole shot
 *     collect            waits for every sim, also for one that failed
 */
#ifndef FIRN_FARM_H
#define FIRN_FARM_H

#include "base/arena.h"
#include "base/text.h"

enum { FIRN_FARM_RANGES_MAX = 32, FIRN_FARM_NAME = 48 };

/* Strings are borrowed. */
typedef struct firn_farm_options {
    const char *file; /* scene or study */
    const char *target, *folder;
    const char *results; /* of the shot or study; NULL: where run and compare put them */
    const char *show;    /* OpenCue's */
    int n_sets;
    const char *const *sets;
    int has_steps; /* 0: surfaces and pictures of a scene, neither of a study */
    int has_mesh, has_render;
    int n_mesh, n_render; /* options of `firn mesh` and `firn render` */
    const char *const *mesh, *const *render;
    int chunk;      /* frames per range; 0: chosen */
    int n_threads;  /* per task; 0: by the number of particles */
    int n_retries;  /* of a task that fails by the machine */
    double memory;  /* bytes per task; 0: estimated */
    double minutes; /* wall time per task; 0: estimated */
    double seconds; /* of the measurement, per run */
    int overwrite;  /* of job files */
} firn_farm_options;

typedef struct firn_farm_run {
    const char *scene, *shot;
    int n_sets;
    const char *const *sets;
} firn_farm_run;

typedef struct firn_farm_range {
    int first, last; /* frames */
} firn_farm_range;

typedef struct firn_farm {
    firn_arena arena;
    const firn_farm_options *options;
    char name[FIRN_FARM_NAME];              /* letters, digits, _ */
    const char *folder, *working, *program; /* absolute; working: where the verb was called */
    const char *study, *results;            /* NULL: a scene */
    int has_mesh, has_render;
    int n_runs, n_ranges;
    firn_farm_run *runs;
    firn_farm_range ranges[FIRN_FARM_RANGES_MAX];
    int n_threads, every; /* every: frames between caches */
    double particles;     /* at the end, of the largest run */
    double memory;        /* bytes per task */
    double sim_minutes;   /* wall time of the longest sim task */
    uint64_t task_hash;   /* of work.sh */
    double still_minutes; /* of the surfaces or pictures of a range */
} firn_farm;

/* Reads and checks the scenes, estimates the cost of each run. To be cleared in any case. */
firn_status firn_farm_plan(firn_farm *farm, const firn_farm_options *options,
                           firn_messages *messages);
void firn_farm_clear(firn_farm *farm);

/* Writes the job files. `how`: the command that starts them. */
firn_status firn_farm_write(firn_farm *farm, firn_text *how, firn_messages *messages);

/* ---------------------------------------------------------------- targets */

typedef struct firn_farm_target {
    const char *name, *doc, *file; /* file: the one that starts or describes the jobs */
    int is_script;
    void (*write)(const firn_farm *farm, firn_text *text);
    const char *how;     /* the command that starts them, up to the path of that file */
    const char *at_end;  /* lines of work.sh after a task, with its exit code in $code */
    const char *refused; /* part of a folder's path that the target cannot take; NULL: none */
} firn_farm_target;

/* work.sh KIND RUN RANGE: does one task. */
void firn_farm_write_task(const firn_farm *farm, const firn_farm_target *target, firn_text *text);

void firn_farm_write_shell(const firn_farm *farm, firn_text *text);
void firn_farm_write_slurm(const firn_farm *farm, firn_text *text);
void firn_farm_write_openjd(const firn_farm *farm, firn_text *text);
void firn_farm_write_opencue(const firn_farm *farm, firn_text *text);

/* Whole MiB, at least one. */
long firn_farm_mebibytes(const firn_farm *farm);
/* The full path of a file of the farm, quoted for a shell. */
void firn_farm_add_path(const firn_farm *farm, const char *file, firn_text *text);

#endif
