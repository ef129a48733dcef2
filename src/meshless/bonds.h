/* SPDX-License-Identifier: MIT */
/* bonds.h: the law of projective peridynamics: a bond resists its own stretch, and a particle yields
 * by the mean stretch of its bonds and by what is left of them. */
#ifndef FIRN_BONDS_H
#define FIRN_BONDS_H

/* Drucker-Prager cone sqrt(J2) <= A + B p of the friction angle (rad) and cohesion (Pa) that touches
 * Mohr-Coulomb in triaxial compression. */
void firn_bonds_cone(double friction_angle, double cohesion, double *A, double *B);
/* The shares of isotropic and deviatoric stretch that become plastic: (0, 0) inside the cone, (0,
 * beta) onto its side at constant pressure, (alpha, 1) onto its apex. */
void firn_bonds_return(double A, double B, double sqrt_J2, double p, double *alpha, double *beta);

#endif
