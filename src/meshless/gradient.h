/* SPDX-License-Identifier: MIT */
/* gradient.h: deformation gradients and forces of methods with a reference state, from one pair of
 * formulas (gradient.c):
 *
 *     F_i = (sum_j w_ij x_ij X_ij^T) K_i            K_i = (sum_j w_ij X_ij X_ij^T)^-1
 *     f_i = - dU/dx_i,   U = sum_i V_i psi(F_i) + stabilisation */
#ifndef FIRN_GRADIENT_H
#define FIRN_GRADIENT_H

#include "meshless/meshless.h"

typedef struct firn_gradient_choice {
    int by_slope;     /* weights are -W'(r)/r, the gradient of the kernel; 0: W itself */
    int is_raw;       /* K_i = V_i I: plain SPH, exact for no field but a constant */
    double stabilise; /* of scene.meshless */
} firn_gradient_choice;

/* Weights, K, and the bounds compliant and stiff, in the reference state. */
void firn_gradient_refer(firn_sim *sim, const firn_gradient_choice *choice);
/* The hook of methods whose weights are the kernel, with the scene's stabilisation. */
firn_status firn_gradient_refer_by_kernel(firn_sim *sim, firn_messages *messages);
/* Column F from positions; where is_step also grad_v = (F F_before^-1 - I) / dt. */
firn_status firn_gradient_strain(firn_sim *sim, int is_step, firn_messages *messages);
/* Sets F to the new one, with grad_v of the step. */
void firn_gradient_advance(firn_sim *sim, int32_t i, const double F[9], int is_step);
/* Column flux of particle i from its first Piola stress P. */
void firn_gradient_flux(firn_sim *sim, int32_t i, const double P[9]);
/* flux from the field TAU, then column force. */
firn_status firn_gradient_forces(firn_sim *sim, firn_messages *messages);
/* The same, times the method's printed_factor where the scene asks for as_printed. */
firn_status firn_gradient_forces_printed(firn_sim *sim, firn_messages *messages);
/* Column force from flux alone. */
void firn_gradient_pairs(firn_sim *sim);
/* The energy that stabilisation stores at particle i, J. */
double firn_gradient_held(const firn_sim *sim, int32_t i);

#endif
