/* SPDX-License-Identifier: MIT */
/* table.c: named columns of numbers, read and written as CSV. Values are converted to SI on
 * reading. */
#include "base/table.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 256, LINE_MAX_BYTES = 65536, FILE_MAX_BYTES = 1 << 28 };

firn_table *firn_table_create(int n_columns, const firn_table_column *columns)
{
    firn_table *table = firn_memory_allocate(NULL, sizeof *table);
    if (!table) return NULL;
    table->columns = firn_memory_array(NULL, (size_t)n_columns, sizeof *columns);
    if (!table->columns) {
        firn_memory_release(NULL, table, sizeof *table);
        return NULL;
    }
    memcpy(table->columns, columns, (size_t)n_columns * sizeof *columns);
    table->n_columns = n_columns;
    return table;
}

void firn_table_destroy(firn_table *table)
{
    if (!table) return;
    firn_memory_release(NULL, table->values,
                        (size_t)table->capacity * (size_t)table->n_columns * sizeof(double));
    firn_memory_release(NULL, table->columns, (size_t)table->n_columns * sizeof *table->columns);
    firn_memory_release(NULL, table, sizeof *table);
}

int firn_table_add(firn_table *table, const double *row)
{
    size_t width = (size_t)table->n_columns * sizeof(double);
    if (table->n_rows == table->capacity) {
        if (table->capacity > (1 << 28)) return 0;
        int capacity = table->capacity ? 2 * table->capacity : 64;
        double *grown = firn_memory_array(NULL, (size_t)capacity, width);
        if (!grown) return 0;
        if (table->n_rows) memcpy(grown, table->values, (size_t)table->n_rows * width);
        firn_memory_release(NULL, table->values, (size_t)table->capacity * width);
        table->values = grown;
        table->capacity = capacity;
    }
    memcpy(table->values + (size_t)table->n_rows++ * (size_t)table->n_columns, row, width);
    return 1;
}

int firn_table_find(const firn_table *table, const char *name)
{
    for (int c = 0; c < table->n_columns; c++)
        if (strcmp(table->columns[c].name, name) == 0) return c;
    return -1;
}

double firn_table_value(const firn_table *table, int row, int column)
{
    return table->values[(size_t)row * (size_t)table->n_columns + (size_t)column];
}

double *firn_table_series(const firn_table *table, int column)
{
    double *out = firn_memory_array(NULL, (size_t)table->n_rows, sizeof *out);
    for (int i = 0; out && i < table->n_rows; i++) out[i] = firn_table_value(table, i, column);
    return out;
}

/* ---------------------------------------------------------------- reading */

/* Conversion of a column: SI = zero + slope * number. */
typedef struct scale {
    double zero, slope;
} scale;

/* The usual name of the SI unit with the dimension of a unit in a file. */
static const char *si_name(const char *unit)
{
    static const char *const names[] = {"1",     "Pa",    "s",   "1/s", "m",   "m/s",  "N",
                                        "J",     "J/m^3", "kg",  "rad", "K",   "Pa s", "kg/m^3",
                                        "m^2/s", "m/s^2", "N m", "m^2", "m^3", "W",    "kg m/s"};
    char text[64], message[FIRN_UNITS_MESSAGE];
    double value;
    snprintf(text, sizeof text, "1 %s", unit);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (firn_units_read(text, names[i], &value, message)) return names[i];
    return unit;
}

/* degC is a unit of temperatures only (units.h), so K is tried as well. */
static int read_any(const char *number, const char *unit, double *value, char *message)
{
    char text[64], ignored[FIRN_UNITS_MESSAGE];
    snprintf(text, sizeof text, "%s %s", number, unit);
    return firn_units_read(text, "", value, message) || firn_units_read(text, "K", value, ignored);
}

static firn_status read_unit(const char *unit, const char *where, firn_table_column *column,
                             scale *factor, firn_messages *messages)
{
    *factor = (scale){0, 1};
    snprintf(column->unit, sizeof column->unit, "%s", unit);
    if (!unit[0] || strcmp(unit, "1") == 0) return FIRN_OK;
    char message[FIRN_UNITS_MESSAGE];
    double at_zero, at_one;
    if (!read_any("0", unit, &at_zero, message) || !read_any("1", unit, &at_one, message))
        return firn_messages_add(messages, FIRN_REFUSED, "%s: unit of column \"%s\" %s", where,
                                 column->name, message);
    *factor = (scale){at_zero, at_one - at_zero};
    snprintf(column->unit, sizeof column->unit, "%s", si_name(unit));
    return FIRN_OK;
}

/* Cuts `field` to its name; *unit becomes what is in brackets after it. */
static char *split_unit(char *field, char **unit)
{
    static char nothing[] = "";
    while (isspace((unsigned char)*field) || *field == '"') field++;
    size_t n = strlen(field);
    while (n && (isspace((unsigned char)field[n - 1]) || field[n - 1] == '"')) field[--n] = 0;
    *unit = nothing;
    if (n && (field[n - 1] == ')' || field[n - 1] == ']')) {
        char *open = strrchr(field, field[n - 1] == ')' ? '(' : '[');
        if (open && open > field) {
            field[n - 1] = 0;
            *unit = open + 1;
            *open = 0;
            for (n = strlen(field); n && isspace((unsigned char)field[n - 1]);) field[--n] = 0;
        }
    }
    return field;
}

/* The separator of a file: the first of , ; tab that its first line holds, else blanks. */
static char separator_of(const char *line)
{
    return strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : strchr(line, '\t') ? '\t' : ' ';
}

/* The next field of *rest, cut off in place; NULL: end of the line. */
static char *next_field(char **rest, char separator)
{
    char *field = *rest;
    if (!field) return NULL;
    if (separator == ' ') {
        while (isspace((unsigned char)*field)) field++;
        if (!*field) return NULL;
    }
    char *end = strchr(field, separator);
    if (end) {
        *end = 0;
        *rest = end + 1;
    } else
        *rest = NULL;
    return field;
}

static firn_table *read_header(char *line, char separator, const char *where, scale *factors,
                               firn_messages *messages)
{
    firn_table_column columns[COLUMNS_MAX] = {0};
    int n = 0;
    char *rest = line, *field, *unit;
    while ((field = next_field(&rest, separator))) {
        if (n == COLUMNS_MAX) {
            firn_messages_add(messages, FIRN_REFUSED, "%s: too many columns; allowed: up to %d",
                              where, COLUMNS_MAX);
            return NULL;
        }
        char *name = split_unit(field, &unit);
        if (separator == ' ' && n && (name[0] == '(' || name[0] == '[')) {
            /* with blanks as separators a unit is a field of its own */
            name[strlen(name) - 1] = 0;
            if (read_unit(name + 1, where, &columns[n - 1], &factors[n - 1], messages) != FIRN_OK)
                return NULL;
            continue;
        }
        if (!name[0] || isdigit((unsigned char)name[0])) {
            firn_messages_add(
                messages, FIRN_REFUSED,
                "%s: no names of columns in the first line; try: stretch, stress (kPa)", where);
            return NULL;
        }
        snprintf(columns[n].name, sizeof columns[n].name, "%s", name);
        if (read_unit(unit, where, &columns[n], &factors[n], messages) != FIRN_OK) return NULL;
        n++;
    }
    firn_table *table = firn_table_create(n, columns);
    if (!table) firn_messages_no_memory(messages, "%s: table", where);
    return table;
}

static firn_status read_row(firn_table *table, char *line, char separator, const char *where,
                            const scale *factors, firn_messages *messages)
{
    double row[COLUMNS_MAX];
    int n = 0;
    char *rest = line, *field, *end;
    while ((field = next_field(&rest, separator))) {
        if (n == table->n_columns)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "%s: more values than columns; allowed: %d", where,
                                     table->n_columns);
        while (isspace((unsigned char)*field)) field++;
        double number = strtod(field, &end);
        int is_empty = !*field;
        while (isspace((unsigned char)*end)) end++;
        if (!is_empty && (end == field || *end))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "%s: column \"%s\": not a number (%.40s)", where,
                                     table->columns[n].name, field);
        row[n] = is_empty ? NAN : factors[n].zero + factors[n].slope * number;
        n++;
    }
    if (n < table->n_columns)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: fewer values than columns (%d of %d)",
                                 where, n, table->n_columns);
    if (!firn_table_add(table, row)) return firn_messages_no_memory(messages, "%s: table", where);
    return FIRN_OK;
}

firn_table *firn_table_parse(const char *text, const char *shown_name, firn_messages *messages)
{
    scale factors[COLUMNS_MAX];
    firn_table *table = NULL;
    firn_status status = FIRN_OK;
    char separator = ',', where[FIRN_PATH + 32];
    int number = 0;
    for (const char *line = text; *line && status == FIRN_OK;) {
        size_t n = strcspn(line, "\n");
        char copy[LINE_MAX_BYTES];
        snprintf(where, sizeof where, "%s:%d", shown_name, ++number);
        if (n >= sizeof copy) {
            status = firn_messages_add(messages, FIRN_REFUSED,
                                       "%s: line too long; allowed: up to %d bytes", where,
                                       LINE_MAX_BYTES);
            break;
        }
        memcpy(copy, line, n);
        copy[n] = 0;
        if (n && copy[n - 1] == '\r') copy[n - 1] = 0;
        line += n + (line[n] == '\n');
        size_t blanks = strspn(copy, " \t");
        if (copy[blanks] == 0 || copy[blanks] == '#') continue;
        if (!table) {
            separator = separator_of(copy);
            table = read_header(copy, separator, where, factors, messages);
            if (!table) return NULL;
        } else
            status = read_row(table, copy, separator, where, factors, messages);
    }
    if (status == FIRN_OK && (!table || !table->n_rows))
        status = firn_messages_add(messages, FIRN_REFUSED, "%s: no rows of numbers", shown_name);
    if (status == FIRN_OK) return table;
    firn_table_destroy(table);
    return NULL;
}

firn_table *firn_table_read(const char *path, firn_messages *messages)
{
    size_t n;
    char *text = firn_file_text(path, FILE_MAX_BYTES, &n, messages);
    if (!text) return NULL;
    firn_table *table = firn_table_parse(text, path, messages);
    firn_memory_release(NULL, text, n + 1);
    return table;
}

/* ---------------------------------------------------------------- writing */

void firn_table_csv(const firn_table *table, firn_text *text)
{
    for (int c = 0; c < table->n_columns; c++) {
        const firn_table_column *column = &table->columns[c];
        firn_text_add(text, "%s%s", c ? "," : "", column->name);
        if (column->unit[0] && strcmp(column->unit, "1") != 0)
            firn_text_add(text, " (%s)", column->unit);
    }
    firn_text_add(text, "\n");
    for (int i = 0; i < table->n_rows; i++)
        for (int c = 0; c < table->n_columns; c++) {
            double value = firn_table_value(table, i, c);
            if (c) firn_text_add(text, ",");
            if (!isnan(value)) firn_text_add(text, "%.10g", value);
            if (c + 1 == table->n_columns) firn_text_add(text, "\n");
        }
}
