/* SPDX-License-Identifier: MIT */
/* ledger_csv.c: the table of quantities of a ledger, and their two ways into files. */
#include "shot/ledger_csv.h"

#include <stddef.h>
#include <string.h>

/* One entry per quantity of ledger.csv and of the ledgers in frames.jsonl. A vector is three
 * columns, _x _y _z. */
typedef struct quantity {
    const char *name, *unit;
    size_t offset;
    int n; /* 0: a count */
} quantity;

#define COUNT(name)                                                                                \
    {                                                                                              \
#name, "1", offsetof(firn_ledger, name), 0                                                 \
    }
#define NUMBER(name, unit)                                                                         \
    {                                                                                              \
#name, unit, offsetof(firn_ledger, name), 1                                                \
    }
#define VECTOR(name, unit)                                                                         \
    {                                                                                              \
#name, unit, offsetof(firn_ledger, name), 3                                                \
    }

#define LOST(why, cause)                                                                           \
    {                                                                                              \
        "n_lost_" #why, "1", offsetof(firn_ledger, n_lost_by) + cause * sizeof(int64_t), 0         \
    }

#define BOUND(why, kind)                                                                           \
    {                                                                                              \
        "n_bounded_" #why, "1", offsetof(firn_ledger, n_bounded_by) + kind * sizeof(int64_t), 0    \
    }

static const quantity quantities[] = {
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
    NUMBER(friction_work, "J"),
    VECTOR(wall_impulse, "N s"),
    VECTOR(collider_impulse, "N s"),
    VECTOR(grip_impulse, "N s"),
    VECTOR(force_impulse, "N s"),
    NUMBER(peak_wall_force, "N"),
    NUMBER(peak_collider_force, "N"),
    NUMBER(min_J, "1"),
    NUMBER(max_J, "1"),
    NUMBER(max_gap, "cells"),
    COUNT(n_inverted),
    LOST(far, FIRN_LOST_FAR),
    LOST(wall, FIRN_LOST_WALL),
    LOST(sink, FIRN_LOST_SINK),
    NUMBER(lost_mass, "kg"),
    NUMBER(initial_volume, "m^3"),
    NUMBER(volume, "m^3"),
    NUMBER(max_speed, "m/s"),
    VECTOR(min, "m"),
    VECTOR(max, "m"),
    VECTOR(bulk_min, "m"),
    VECTOR(bulk_max, "m"),
    NUMBER(thermal_energy, "J"),
    NUMBER(latent_energy, "J"),
    NUMBER(melted_mass, "kg"),
    NUMBER(heat_born, "J"),
    NUMBER(heat_conducted, "J"),
    NUMBER(heat_colliders, "J"),
    NUMBER(heat_surroundings, "J"),
    NUMBER(heat_sources, "J"),
    NUMBER(heat_work, "J"),
    NUMBER(heat_lost, "J"),
    COUNT(n_heat_limited),
    COUNT(n_bounded),
    BOUND(inverted, FIRN_BOUND_INVERTED),
    BOUND(parameter, FIRN_BOUND_PARAMETER),
    BOUND(collapsed, FIRN_BOUND_COLLAPSED),
    BOUND(volume, FIRN_BOUND_VOLUME),
    BOUND(continued, FIRN_BOUND_CONTINUED),
    BOUND(hardening, FIRN_BOUND_HARDENING),
    BOUND(flow, FIRN_BOUND_FLOW),
    BOUND(memory, FIRN_BOUND_MEMORY),
};
enum { N_QUANTITIES = sizeof quantities / sizeof *quantities };

static const double *numbers_of(const firn_ledger *ledger, const quantity *q)
{
    return (const double *)(const void *)((const char *)ledger + q->offset);
}

static int64_t count_of(const firn_ledger *ledger, const quantity *q)
{
    return *(const int64_t *)(const void *)((const char *)ledger + q->offset);
}

static void add_name(firn_text *text, const quantity *q, int component)
{
    static const char *const axis[] = {"_x", "_y", "_z"};
    firn_text_add(text, "%s%s", q->name, q->n == 3 ? axis[component] : "");
}

int firn_ledger_csv_column(int i, firn_text *name, const char **unit)
{
    for (int k = 0; i >= 0 && k < N_QUANTITIES; k++) {
        int n = quantities[k].n ? quantities[k].n : 1;
        if (i < n) {
            if (name) add_name(name, &quantities[k], i);
            if (unit) *unit = quantities[k].unit;
            return 1;
        }
        i -= n;
    }
    return 0;
}

const char *firn_ledger_csv_unit(const char *column)
{
    size_t n = strlen(column);
    for (int k = 0; k < N_QUANTITIES; k++) {
        const quantity *q = &quantities[k];
        size_t bare = q->n == 3 && n > 2 && column[n - 2] == '_' ? n - 2 : n;
        if (strlen(q->name) == bare && memcmp(q->name, column, bare) == 0) return q->unit;
    }
    return "";
}

void firn_ledger_csv_header(firn_text *text)
{
    firn_text_add(text, "frame,time,material");
    for (int i = 0; firn_ledger_csv_column(i, NULL, NULL); i++) {
        firn_text_add(text, ",");
        firn_ledger_csv_column(i, text, NULL);
    }
    firn_text_add(text, "\n");
}

void firn_ledger_csv_json(firn_json_writer *w, const firn_ledger *ledger)
{
    firn_json_begin(w, NULL, '{');
    firn_json_string(w, "material", ledger->material);
    for (int k = 0; k < N_QUANTITIES; k++) {
        const quantity *q = &quantities[k];
        if (q->n == 0)
            firn_json_integer(w, q->name, count_of(ledger, q));
        else if (q->n == 1)
            firn_json_number(w, q->name, *numbers_of(ledger, q));
        else
            firn_json_numbers(w, q->name, numbers_of(ledger, q), q->n);
    }
    firn_json_end(w);
}

/* Quoted only where a comma, a quote or a line end makes it necessary. */
static void add_field(firn_text *text, const char *field)
{
    if (strpbrk(field, ",\"\r\n"))
        firn_text_add_csv(text, field);
    else
        firn_text_add_bytes(text, field, strlen(field));
}

void firn_ledger_csv_row(firn_text *text, int frame, double time, const firn_ledger *ledger)
{
    firn_text_add(text, "%d,%.17g,", frame, time);
    add_field(text, *ledger->material ? ledger->material : "all");
    for (int k = 0; k < N_QUANTITIES; k++) {
        const quantity *q = &quantities[k];
        if (q->n == 0) firn_text_add(text, ",%lld", (long long)count_of(ledger, q));
        for (int c = 0; c < q->n; c++) firn_text_add(text, ",%.17g", numbers_of(ledger, q)[c]);
    }
    firn_text_add(text, "\n");
}
