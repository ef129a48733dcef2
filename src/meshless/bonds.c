/* SPDX-License-Identifier: MIT */
/* bonds.c: the Drucker-Prager projection of bonds.
 *
 *     sqrt(J2) <= A + B p,    A = 6 c cos(phi)/(sqrt 3 (3 - sin phi)),
 *                             B = 6 sin(phi)/(sqrt 3 (3 - sin phi))
 *
 * p > 0 under compression. What the projection leaves lies on the cone or in it: (1 - beta) sqrt(J2)
 * = A + B p, and at the apex (1 - alpha) p = -A/B. */
#include "meshless/bonds.h"

#include <math.h>

void firn_bonds_cone(double friction_angle, double cohesion, double *A, double *B)
{
    const double scale = 6 / (sqrt(3) * (3 - sin(friction_angle)));
    *A = scale * cohesion * cos(friction_angle);
    *B = scale * sin(friction_angle);
}

void firn_bonds_return(double A, double B, double sqrt_J2, double p, double *alpha, double *beta)
{
    const double most = A + B * p;
    *alpha = *beta = 0;
    if (sqrt_J2 <= most) return;
    if (most > 0) {
        *beta = (sqrt_J2 - most) / sqrt_J2;
        return;
    }
    *alpha = B * p != 0 ? most / (B * p) : 0;
    *beta = 1;
}
