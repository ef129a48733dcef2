/* SPDX-License-Identifier: MIT */
/* bench.h: throughput of the step, by stage, against the peak of the machine.
 *
 * The case is a cube of one material, 8 particles per cell, sliding on a plane with friction, so
 * that sorting, sparse grid, colliders, choice of dt and checks all take part; or a scene from a
 * given time on. A result is the fastest of several repeats of a few steps plus its share of all
 * sorts, since most repeats have none. The spread, without sorts, shows how quiet the machine
 * was. */
#ifndef FIRN_BENCH_H
#define FIRN_BENCH_H

#include "firn/sim.h"

typedef struct firn_bench_case {
    char law[FIRN_NAME], isa[16];
    firn_scheme scheme;
    firn_force_form force;
    firn_spline spline;
    int is_double, n_threads, n_steps, n_repeats;
    int64_t n_particles;
    double speed;      /* m/s: the cube slides, so that particles change blocks and sorts happen */
    int is_unchecked;  /* steps are not checked: what that costs */
    const char *scene; /* path of a scene instead of the cube; NULL: the cube */
    double at;         /* s: simulated time from which on a scene is measured */
} firn_bench_case;

typedef struct firn_bench_result {
    int64_t n_particles;
    char variant[32];
    int n_threads;
    double best, mean,
        spread; /* particle updates per second; spread: slowest repeat over fastest, minus 1 */
    double stage_ns[FIRN_N_STAGES]; /* wall nanoseconds per particle and step */
    double ledger_ns;               /* per particle and frame */
    double bytes_per_particle;      /* at peak */
    double sorts_per_step;
    double p2g_share, g2p_share; /* of the multiply-add peak */
} firn_bench_result;

typedef struct firn_bench_machine {
    double flops;     /* multiply-adds of all threads, two operations each, 1/s */
    double bandwidth; /* copy, bytes per second, read and written */
} firn_bench_machine;

firn_bench_case firn_bench_case_default(void);
firn_status firn_bench_run(const firn_bench_case *bench, firn_bench_machine *machine,
                           firn_bench_result *result, firn_messages *messages);

#endif
