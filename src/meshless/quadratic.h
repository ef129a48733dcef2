/* SPDX-License-Identifier: MIT */
/* quadratic.h: deformation gradients from best fits of degree two, see quadratic.c.
 *
 *     q(X) = (X0 X0, X1 X1, X2 X2, X1 X2, X0 X2, X0 X1)
 *     x_ij ~ F_i X_ij + G_i q(X_ij) */
#ifndef FIRN_QUADRATIC_H
#define FIRN_QUADRATIC_H

#include "meshless/meshless.h"

/* Of each particle. Without curvature (mixed = curved = 0) the fit is one of degree one. */
typedef struct firn_quadratic {
    double mixed[18];  /* L, 3 x 6: F = M K + N L^T */
    double curved[36]; /* Z, 6 x 6, symmetric: G = M L + N Z */
    double G[18];      /* 3 x 6, of the present positions */
    double flux[18];   /* R, 3 x 6: what a pair exchanges besides column flux */
} firn_quadratic;

/* Room for the particles of the present columns; nothing where meshless.degree is 1. */
firn_status firn_quadratic_reserve(firn_sim *sim, firn_messages *messages);
void firn_quadratic_clear(firn_sim *sim);
/* From column correct = A^-1 of degree one, and weights: K, L, Z of degree two. 0: the cloud does
 * not determine them, and degree one stays. */
int firn_quadratic_refer(struct firn_meshless *s, int32_t i);
/* F and G of the present positions. */
void firn_quadratic_gradient(struct firn_meshless *s, int32_t i, double F[9]);
/* R = V P L - hold G */
void firn_quadratic_flux(struct firn_meshless *s, int32_t i, const double P[9]);

static inline void firn_quadratic_terms(const double X[3], double q[6])
{
    for (int a = 0; a < 3; a++) q[a] = X[a] * X[a];
    q[3] = X[1] * X[2];
    q[4] = X[0] * X[2];
    q[5] = X[0] * X[1];
}
/* A q of a 3 x 6 matrix. */
static inline void firn_quadratic_apply(const double A[18], const double q[6], double out[3])
{
    for (int r = 0; r < 3; r++) {
        out[r] = 0;
        for (int c = 0; c < 6; c++) out[r] += A[6 * r + c] * q[c];
    }
}

#endif
