/* SPDX-License-Identifier: MIT */
/* table.h: numbers in named columns with units: paths and curves of the lab, measured data.
 *
 * CSV: the first line has the names of the columns, "stress (kPa)" or "stress [kPa]"; without a
 * unit values are SI. In memory all values are SI. Lines that begin with # are comments. Separators
 * are commas, semicolons, tabs or blanks. */
#ifndef FIRN_TABLE_H
#define FIRN_TABLE_H

#include "firn/defs.h"
#include "base/text.h"

typedef struct firn_table_column {
    char name[FIRN_NAME], unit[32];
} firn_table_column;

typedef struct firn_table {
    int n_columns, n_rows, capacity;
    firn_table_column *columns;
    double *values; /* row-major */
} firn_table;

/* NULL: out of memory. */
firn_table *firn_table_create(int n_columns, const firn_table_column *columns);
void firn_table_destroy(firn_table *table);
int firn_table_add(firn_table *table, const double *row);       /* 0: out of memory */
int firn_table_find(const firn_table *table, const char *name); /* -1: none */
double firn_table_value(const firn_table *table, int row, int column);
/* The values of one column, contiguous, to be released with firn_memory_release(NULL, ...,
 * n_rows * 8). */
double *firn_table_series(const firn_table *table, int column);

firn_table *firn_table_parse(const char *text, const char *shown_name, firn_messages *messages);
firn_table *firn_table_read(const char *path, firn_messages *messages);
void firn_table_csv(const firn_table *table, firn_text *text);

#endif
