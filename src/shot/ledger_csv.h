/* SPDX-License-Identifier: MIT */
/* ledger_csv.h: ledgers as CSV with a header: one row per output time and material, and one per
 * output time for all material ("all"). Numbers have 17 digits, so that reading gives the same
 * bits. */
#ifndef FIRN_LEDGER_CSV_H
#define FIRN_LEDGER_CSV_H

#include "firn/sim.h"
#include "base/json.h"
#include "base/text.h"

void firn_ledger_csv_header(firn_text *text);
/* A ledger without a name of a material is that of all, "all". */
void firn_ledger_csv_row(firn_text *text, int frame, double time, const firn_ledger *ledger);
/* Name (added to the text) and unit of column i after frame, time and material; 0: no such
 * column. */
int firn_ledger_csv_column(int i, firn_text *name, const char **unit);
/* The unit of the column with that name; "": no such column. */
const char *firn_ledger_csv_unit(const char *column);
/* The ledger as an object of JSON, vectors as arrays. */
void firn_ledger_csv_json(firn_json_writer *w, const firn_ledger *ledger);

#endif
