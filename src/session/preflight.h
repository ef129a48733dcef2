/* SPDX-License-Identifier: MIT */
/* preflight.h: the cost of a scene before it is run: particles, memory, disk, time. */
#ifndef FIRN_PREFLIGHT_H
#define FIRN_PREFLIGHT_H

#include "mpm/ranks.h"
#include "solver/emission.h"
#include "firn/firn.h"

#include <stdio.h>

/* Memory and disk must hold what is expected with this margin. */
#define FIRN_CHECK_MARGIN 1.25
/* Hardening that is worth a line. */
#define FIRN_CHECK_HARDENING 1.5
/* Cells that a body must be thick: with fewer its transfers damp it and its surfaces touch each
 * other through the grid. */
#define FIRN_CHECK_CELLS 3

typedef struct firn_check_body {
    char name[FIRN_NAME];
    /* from the volume of its shape, or the number of its points; -1: unknown */
    int64_t n_expected;
    int64_t n_particles;
    double thickness; /* m: its shortest edge, as a box; 0: unknown */
    double size[3];   /* m: its edges, as a box; 0: unknown */
} firn_check_body;

typedef struct firn_check {
    int n_bodies;
    firn_check_body *bodies;
    int64_t n_expected, n_particles; /* at the start; emitters add to it */
    int n_emitters;
    firn_forecast *emitters;
    int64_t n_emitted;                        /* until the end of the shot, without sinks */
    double end;                               /* of the shot, s */
    double memory_expected, memory_available; /* bytes */
    double disk_needed, disk_free;            /* bytes; caches (uncompressed) and checkpoints */
    int n_frames, n_files;
    int is_measured; /* the simulation has stepped: what follows is known */
    firn_stats stats;
    char material[FIRN_NAME]; /* of the particles that limit dt; "": none */
    double memory_peak, dt, steps_a_frame, seconds_a_step;
    double steps_most;   /* per frame, where material falls all the time or is struck */
    double strike_speed; /* m/s, of that */
    double hardening;    /* how many times as fast the waves of a material become then */
    char hardened[FIRN_NAME];
    double mean_particles; /* in the measured steps */
    /* m^2/s: of transfers in a layer of `layer` cells, the thinnest body; of the material */
    double layer, transfer_viscosity, own_viscosity;
    char flow[1024];          /* lines of flow curves; "": no material flows at a rate */
    firn_rank_forecast ranks; /* size 0: not asked for */
    double efficiency;        /* of the machines of all ranks, by FIRN_LINK_... */
    double eta; /* s for all frames, emitted particles included; infinite without particles */
} firn_check;

/* The network of the forecast for several ranks: bytes per second of a rank, seconds of an
 * exchange. */
#define FIRN_LINK_BYTES 10e9
#define FIRN_LINK_LATENCY 2e-6

/* Estimates, then makes the simulation and steps it for about `seconds` of wall time (0: not).
 * FIRN_MEMORY or FIRN_IO when memory or disk cannot hold it. `check` holds what is known so far in
 * any case, and is to be cleared in any case. `folder`: of the shot; it need not exist. n_ranks above
 * 1: with a forecast of the run on so many ranks. */
firn_status firn_check_scene(const firn_scene_def *scene, const firn_run_options *options,
                             const char *folder, double seconds, int n_ranks, firn_check *check,
                             firn_messages *messages);
void firn_check_clear(firn_check *check);
/* "3.2 x 1.8 x 1.8 m": a mesh in centimetres shows here. */
void firn_check_write_size(const firn_check_body *body, char *text, size_t n_bytes);
void firn_check_print(const firn_check *check, FILE *out);
void firn_check_print_bytes(FILE *out, double bytes); /* with their unit */

#endif
