/* books.h: the ledger as a table in a file - one row a frame and material, and one a frame for everything ("all").
 * Plain CSV with a header; numbers are written with 17 digits, so that reading them gives the same bits. */
#ifndef FIRN_BOOKS_H
#define FIRN_BOOKS_H

#include "firn/sim.h"
#include "text.h"

void firn_books_header(firn_text *text);
/* A ledger without a material's name is that of everything, "all". */
void firn_books_row(firn_text *text, int frame, double time, const firn_ledger *ledger);
/* The columns behind frame, time and material: name and unit, NULL after the last. */
const char *firn_books_column(int i, const char **unit);

#endif
