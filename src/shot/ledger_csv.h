/* SPDX-License-Identifier: MIT */
/* ledger_csv.h: the ledger as a table in a file - one row a frame and material, and one a frame
 * for everything ("all"). Plain CSV with a header; numbers are written with 17 digits, so that
 * reading them gives the same bits. */
#ifndef FIRN_BOOKS_H
#define FIRN_BOOKS_H

#include "firn/sim.h"
#include "base/json.h"
#include "base/text.h"

void firn_ledger_csv_header(firn_text *text);
/* A ledger without a material's name is that of everything, "all". */
void firn_ledger_csv_row(firn_text *text, int frame, double time, const firn_ledger *ledger);
/* Name (added to the text) and unit of the columns behind frame, time and material; 0 after the
 * last. */
int firn_ledger_csv_column(int i, firn_text *name, const char **unit);
/* The unit of the column with that name; "" where there is none. */
const char *firn_ledger_csv_unit(const char *column);
/* The same as an object of JSON, vectors as arrays. */
void firn_ledger_csv_json(firn_json_writer *w, const firn_ledger *ledger);

#endif
