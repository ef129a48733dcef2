/* SPDX-License-Identifier: MIT */
/* lattice.c: see lattice.h.
 *
 * The rotation is  2 / sqrt(7) sin(2 pi a b / 7),  a and b from 1 to 3: orthonormal and its own
 * inverse. Up to a factor the coordinates of a point are the conjugates of an algebraic integer of
 * Q(cos(2 pi / 7)), so their product is at least spacing^3 / 7 in size for every point but 0
 * (E. Bayer-Fluckiger, F. Oggier, E. Viterbo, IEEE Trans. Inf. Theory 50(4), 2004). Hence a box
 * with edges along the axes holds nearly its volume / spacing^3 points, and a stream that is
 * stretched along an axis at constant volume stays even: no two points come nearer than
 * sqrt(3) 7^(-1/3) = .905 spacings. */
#include "geometry/lattice.h"

#include <math.h>

static const double turn[3][3] = {{0.5910090485061035, 0.7369762290995782, 0.3279852776056818},
                                  {0.7369762290995782, -0.3279852776056818, -0.5910090485061035},
                                  {0.3279852776056818, -0.5910090485061035, 0.7369762290995782}};

void firn_lattice_place(double spacing, const double index[3], double x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = spacing * (turn[a][0] * index[0] + turn[a][1] * index[1] + turn[a][2] * index[2]);
}

void firn_lattice_rows(double spacing, const double low[3], const double high[3], int64_t first[2],
                       int64_t last[2])
{
    for (int b = 0; b < 2; b++) {
        double middle = 0, half = 0;
        for (int a = 0; a < 3; a++) {
            middle += 0.5 * turn[a][b] * (high[a] + low[a]) / spacing;
            half += 0.5 * fabs(turn[a][b]) * (high[a] - low[a]) / spacing;
        }
        first[b] = (int64_t)floor(middle - half);
        last[b] = (int64_t)ceil(middle + half);
    }
}

/* Between the last face through which the row enters and the first through which it leaves */
void firn_lattice_row(double spacing, const double low[3], const double high[3], int64_t at[3],
                      int64_t *last)
{
    double x[3], in = -INFINITY, out = INFINITY;
    firn_lattice_place(spacing, (double[3]){(double)at[0], (double)at[1], 0}, x);
    for (int a = 0; a < 3; a++) {
        double p = (low[a] - x[a]) / (turn[a][2] * spacing),
               q = (high[a] - x[a]) / (turn[a][2] * spacing);
        in = fmax(in, fmin(p, q));
        out = fmin(out, fmax(p, q));
    }
    at[2] = (int64_t)ceil(in);
    *last = (int64_t)floor(out);
}
