#include "books.h"

#include <stddef.h>

/* One entry a column; vectors have three. */
typedef struct column {
    const char *name, *unit;
    size_t offset;
    int is_integer;
} column;

#define NUMBER(name, unit)                                                                                             \
    {                                                                                                                  \
#name, unit, offsetof(firn_ledger, name), 0                                                                    \
    }
#define COUNT(name)                                                                                                    \
    {                                                                                                                  \
#name, "1", offsetof(firn_ledger, name), 1                                                                     \
    }
#define AXIS(name, axis, index, unit)                                                                                  \
    {                                                                                                                  \
#name "_" axis, unit, offsetof(firn_ledger, name) + index * sizeof(double), 0                                  \
    }
#define VECTOR(name, unit) AXIS(name, "x", 0, unit), AXIS(name, "y", 1, unit), AXIS(name, "z", 2, unit)

static const column columns[] = {
    COUNT(n_particles),
    COUNT(n_lost),
    NUMBER(mass, "kg"),
    VECTOR(center, "m"),
    VECTOR(momentum, "kg m/s"),
    VECTOR(angular_momentum, "kg m^2/s"),
    NUMBER(kinetic, "J"),
    NUMBER(elastic, "J"),
    NUMBER(potential, "J"),
    NUMBER(plastic_work, "J"),
    NUMBER(viscous_work, "J"),
    NUMBER(external_work, "J"),
    VECTOR(wall_impulse, "N s"),
    VECTOR(collider_impulse, "N s"),
    NUMBER(min_J, "1"),
    NUMBER(max_J, "1"),
    NUMBER(max_speed, "m/s"),
    VECTOR(min, "m"),
    VECTOR(max, "m"),
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

const char *firn_books_column(int i, const char **unit)
{
    if (i < 0 || i >= N_COLUMNS) return NULL;
    if (unit) *unit = columns[i].unit;
    return columns[i].name;
}

void firn_books_header(firn_text *text)
{
    firn_text_add(text, "frame,time,material");
    for (int i = 0; i < N_COLUMNS; i++) firn_text_add(text, ",%s", columns[i].name);
    firn_text_add(text, "\n");
}

/* A field with a comma, a quote or a line end is quoted, quotes doubled (RFC 4180). */
static void add_field(firn_text *text, const char *field)
{
    int needs_quotes = 0;
    for (const char *c = field; *c; c++) needs_quotes |= *c == ',' || *c == '"' || *c == '\n' || *c == '\r';
    if (!needs_quotes) {
        firn_text_add(text, "%s", field);
        return;
    }
    firn_text_add(text, "\"");
    for (const char *c = field; *c; c++) firn_text_add(text, *c == '"' ? "\"\"" : "%c", *c);
    firn_text_add(text, "\"");
}

void firn_books_row(firn_text *text, int frame, double time, const firn_ledger *ledger)
{
    firn_text_add(text, "%d,%.17g,", frame, time);
    add_field(text, *ledger->material ? ledger->material : "all");
    for (int i = 0; i < N_COLUMNS; i++) {
        const char *member = (const char *)ledger + columns[i].offset;
        if (columns[i].is_integer)
            firn_text_add(text, ",%lld", (long long)*(const int64_t *)(const void *)member);
        else
            firn_text_add(text, ",%.17g", *(const double *)(const void *)member);
    }
    firn_text_add(text, "\n");
}
