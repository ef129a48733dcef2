/* SPDX-License-Identifier: MIT */
/* newborn.h: particles to be added to a simulation, from a body, a file of points or an emitter: SI
 * units, positions in the world. */
#ifndef FIRN_NEWBORN_H
#define FIRN_NEWBORN_H

#include "firn/sim.h"

/* Particles to be added to one material. Arrays that are NULL have the default of their comment. */
typedef struct firn_newborn {
    int64_t n;
    uint32_t first_id;           /* set by firn_solver_add */
    const double *x;             /* [n][3] m */
    const double *v, *C, *F, *T; /* [n][3] [n][9] [n][9] [n]; NULL: those of `body`, else 0 0 I */
    const firn_body_def *body;   /* its velocity, spin about `center`, F; NULL: none */
    double center[3];
    double drift[3]; /* m: how far the stream has come, which carries its pattern; bodies: 0 */
    int is_painted;  /* parameters of a file are painted already, for the ids that come next */
    double temperature, mass, volume;
    const double *masses, *volumes, *history; /* [n] [n] [n][n_history]; NULL: mass, volume, as
                                               * the law declares */
} firn_newborn;

/* Initial state of particle i: its own arrays, else its body's motion v = velocity + spin x (x -
 * center), C = spin. */
void firn_newborn_state(const firn_newborn *born, int is_affine, int64_t i, double v[3],
                        double C[9], double F[9]);

/* Its initial temperature, K: its own, else that of its body with the body's gradient. */
double firn_newborn_temperature(const firn_newborn *born, int64_t i);

typedef struct firn_id_range {
    uint32_t first, end;
} firn_id_range;

#endif
