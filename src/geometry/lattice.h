/* SPDX-License-Identifier: MIT */
/* lattice.h: a cubic lattice that is rotated against the axes, for material that flows through a
 * box.
 *
 * Along the axes a section of 8.6 x 8.6 spacings would let 8 x 8 or 9 x 9 rows through, 13 % too
 * few or 10 % too many. Rows of a rotated lattice cross the faces, and a stream along any axis has
 * the volume of the section. */
#ifndef FIRN_LATTICE_H
#define FIRN_LATTICE_H

#include <stdint.h>

/* x of the lattice point with these indices, which need not be whole numbers; m. */
void firn_lattice_place(double spacing, const double index[3], double x[3]);
/* The first two indices of all rows through a box are from first[] to last[]; some of these rows
 * miss it. */
void firn_lattice_rows(double spacing, const double low[3], const double high[3], int64_t first[2],
                       int64_t last[2]);
/* Third indices of row (at[0], at[1]) in the box: from at[2] to *last, which is less where the row
 * misses the box. */
void firn_lattice_row(double spacing, const double low[3], const double high[3], int64_t at[3],
                      int64_t *last);

#endif
