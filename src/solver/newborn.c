/* SPDX-License-Identifier: MIT */
/* newborn.c: velocity, affine matrix, deformation gradient and temperature of a particle at birth. */
#include "solver/newborn.h"

#include <string.h>

/* Initial state of particle i: its own arrays where given, else the rigid motion of the body, v =
 * velocity + spin x (x - center). An affine transfer carries grad v = W, W the matrix of the spin,
 * as C, so that P2G reproduces the rotation exactly. */
void firn_newborn_state(const firn_newborn *born, int is_affine, int64_t i, double v[3],
                        double C[9], double F[9])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memset(v, 0, 3 * sizeof *v);
    memset(C, 0, 9 * sizeof *C);
    memcpy(F, identity, sizeof identity);
    if (born->body) {
        const double *w = born->body->spin, W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
        double d[3];
        for (int a = 0; a < 3; a++) d[a] = born->x[3 * i + a] - born->center[a];
        for (int a = 0; a < 3; a++)
            v[a] = born->body->velocity[a] + W[3 * a] * d[0] + W[3 * a + 1] * d[1] +
                   W[3 * a + 2] * d[2];
        if (is_affine) memcpy(C, W, sizeof W);
        memcpy(F, born->body->F, sizeof identity);
    }
    if (born->v) memcpy(v, born->v + 3 * i, 3 * sizeof *v);
    if (born->C) memcpy(C, born->C + 9 * i, 9 * sizeof *C);
    if (born->F) memcpy(F, born->F + 9 * i, 9 * sizeof *F);
}

double firn_newborn_temperature(const firn_newborn *born, int64_t i)
{
    if (born->T) return born->T[i];
    double T = born->temperature;
    for (int a = 0; born->body && a < 3; a++)
        T += born->body->temperature_gradient[a] * (born->x[3 * i + a] - born->center[a]);
    return T;
}
