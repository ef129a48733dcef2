/* SPDX-License-Identifier: MIT */
/* lattice.h: a cubic lattice whose rows lie along no face of a box, for what flows through it.
 *
 * Along the axes a section of 8.6 x 8.6 spacings would let 8 x 8 or 9 x 9 rows through, 13 % too
 * few or 10 % too many. Turned, each row takes its turns inside and outside, and a stream along
 * any axis has the section's volume. */
#ifndef FIRN_LATTICE_H
#define FIRN_LATTICE_H

#include <stdint.h>

/* Where a point with these indices lies; they need not be whole numbers. */
void firn_lattice_place(double spacing, const double index[3], double x[3]);
/* The first two indices of all rows through a box: from first[] to last[], and some that miss it.
 */
void firn_lattice_rows(double spacing, const double low[3], const double high[3], int64_t first[2],
                       int64_t last[2]);
/* The part of row at[0], at[1] in the box: the first index becomes at[2]. Where the row misses
 * it, *last is less. */
void firn_lattice_row(double spacing, const double low[3], const double high[3], int64_t at[3],
                      int64_t *last);

#endif
