/* books.h: the ledger as a table in a file - one row a frame and material, and one a frame for everything ("all").
 * Plain CSV with a header; numbers are written with 17 digits, so that reading them gives the same bits. */
#ifndef FIRN_BOOKS_H
#define FIRN_BOOKS_H

#include "firn/sim.h"
#include "text.h"

void firn_books_header(firn_text *text);
void firn_books_row(firn_text *text, int frame, double time, const firn_ledger *ledger);
/* The rows of all materials and of the whole at the present time. */
firn_status firn_books_moment(firn_text *text, firn_sim *sim, int frame, firn_report *report);
/* The columns behind frame, time and material: name and unit, NULL after the last. */
const char *firn_books_column(int i, const char **unit);

#endif
