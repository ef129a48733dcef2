/* SPDX-License-Identifier: MIT */
/* bench.h: throughput of the production step, by stage, beside what the machine can do at all.
 *
 * The case is a cube of one material, 8 particles a cell, resting on a plane with friction, so
 * that sorting, sparse grid, colliders, dt control and checks all take part; or a scene as it
 * stands at some time. A measurement is the fastest of several repeats of a few steps, with its
 * share of the sorts, of which most repeats have none; the spread, without sorts, says how quiet
 * the machine was. */
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
    const char *scene; /* path of a scene that is measured instead of the cube; NULL: the cube */
    double at;         /* s: simulated time at which a scene is measured */
} firn_bench_case;

typedef struct firn_bench_result {
    int64_t n_particles;
    char variant[32];
    int n_threads;
    double best, mean,
        spread; /* particle updates a second; spread: slowest repeat over fastest, minus 1 */
    double stage_ns[FIRN_N_STAGES]; /* wall nanoseconds a particle and step */
    double ledger_ns;               /* a particle, once a frame */
    double bytes_per_particle;      /* at peak */
    double sorts_per_step;
    double p2g_share, g2p_share; /* of the multiply-add peak */
} firn_bench_result;

typedef struct firn_bench_machine {
    double flops;     /* multiply-adds of all threads, counted as two operations, 1/s */
    double bandwidth; /* copy, bytes a second, read and written */
} firn_bench_machine;

firn_bench_case firn_bench_case_default(void);
firn_status firn_bench_run(const firn_bench_case *bench, firn_bench_machine *machine,
                           firn_bench_result *result, firn_messages *messages);

#endif
