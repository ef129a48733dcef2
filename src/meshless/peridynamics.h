/* SPDX-License-Identifier: MIT */
/* peridynamics.h: what projective peridynamics keeps besides its particles: bonds with lengths at
 * rest, and the unknowns of a step. */
#ifndef FIRN_PERIDYNAMICS_H
#define FIRN_PERIDYNAMICS_H

#include "meshless/meshless.h"

typedef struct firn_peridynamics {
    double *k;              /* [n_materials] Pa */
    double *A, *B;          /* [n_materials] Pa, 1: of the cone; A infinite: elastic */
    double *share;          /* [n] k w V, N/m^2 ... of the particle's own energy per V_j */
    double *flowed;         /* [n] rms of (l_ij - |X_ij|)/|X_ij| */
    double *own_length;     /* [pairs] l_ij, m */
    double *stiff, *length; /* [pairs] c_ij, N/m; l, m */
    double *target, *solved, *residual, *direction, *applied; /* [n][3] */
    uint8_t *held;                                            /* [n] */
    int64_t pair_capacity, n_lengths;
    int32_t point_capacity;
    int is_loaded, is_carried; /* lengths come from a saved state; from the strain of old bonds */
} firn_peridynamics;

/* peridynamics_solve.c: the hook `forces`. */
firn_status firn_peridynamics_forces(firn_sim *sim, firn_messages *messages);

#endif
