/* SPDX-License-Identifier: MIT */
/* study_metrics.c: from the files of a shot to curves and numbers.
 *
 * ledger.csv has a row per output time and material; the rows of one material become a table.
 * The curve `force` is a mean between two output times; the metric peak_force is that of the
 * solver's own record, a mean over a twentieth of a frame (solver/force_peak.h).
 *
 * Energies, with E = kinetic + elastic + potential and W the work of moving boundaries and fields:
 *
 *     lost_energy    = E(0) + W(t) - E(t)            all that has been dissipated
 *     numerical_loss = lost_energy - plastic - viscous - friction work
 *
 * numerical_loss holds what the transfers and impacts on the grid dissipate, and what left with
 * lost particles or came with born ones.
 *
 * melted_share, the liquid mass over the mass, is also the place of the front of a bar that melts from
 * one end, over the bar's length. */
#include "study/study.h"
#include "shot/ledger_csv.h"
#include "base/file.h"
#include "shot/manifest.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEDGER_MAX = 1 << 28, COLUMNS_MAX = 128 };

/* ---------------------------------------------------------------- reading the ledger */

/* Cuts the next comma-separated field off *rest; quotes as in RFC 4180 (names of materials). */
static char *field(char **rest)
{
    char *start = *rest, *end;
    if (!start) return NULL;
    if (*start == '"') {
        start++;
        for (end = start; *end && !(end[0] == '"' && end[1] != '"'); end++)
            if (*end == '"') memmove(end, end + 1, strlen(end));
        if (*end) *end++ = 0;
    } else
        end = start + strcspn(start, ",");
    *rest = *end ? end + 1 : NULL;
    *end = 0;
    return start;
}

static int header(char *line, firn_table_column *columns)
{
    int n = 0;
    for (char *rest = line, *name; n < COLUMNS_MAX && (name = field(&rest));) {
        snprintf(columns[n].name, sizeof columns[n].name, "%s", name);
        const char *unit = firn_ledger_csv_unit(name);
        if (strcmp(name, "time") == 0) unit = "s";
        snprintf(columns[n++].unit, sizeof columns[0].unit, "%s", unit);
    }
    return n;
}

static double at(const firn_table *t, int row, const char *name)
{
    int c = firn_table_find(t, name);
    return c < 0 ? NAN : firn_table_value(t, row, c);
}

/* Mean force of walls and colliders since the previous row, N. */
static double mean_force(const firn_table *t, int row)
{
    static const char *const names[2][3] = {
        {"wall_impulse_x", "wall_impulse_y", "wall_impulse_z"},
        {"collider_impulse_x", "collider_impulse_y", "collider_impulse_z"}};
    if (row == 0) return 0;
    double dt = at(t, row, "time") - at(t, row - 1, "time"), largest = 0;
    for (int who = 0; who < 2; who++) {
        double sum = 0;
        for (int a = 0; a < 3; a++) {
            double change = at(t, row, names[who][a]) - at(t, row - 1, names[who][a]);
            sum += change * change;
        }
        largest = fmax(largest, sqrt(sum) / dt);
    }
    return dt > 0 ? largest : 0;
}

/* The last columns, computed from the others. */
enum { N_DERIVED = 5 };
static void derive(firn_table *t)
{
    double start = NAN;
    for (int i = 0; i < t->n_rows; i++) {
        double *row =
            t->values + (size_t)i * (size_t)t->n_columns + (size_t)(t->n_columns - N_DERIVED);
        double total = at(t, i, "kinetic") + at(t, i, "elastic") + at(t, i, "potential");
        if (i == 0) start = total;
        row[0] = mean_force(t, i);
        row[1] = total;
        row[2] = start + at(t, i, "external_work") - total;
        row[3] = row[2] - at(t, i, "plastic_work") - at(t, i, "viscous_work") -
                 at(t, i, "friction_work");
        row[4] = at(t, i, "melted_mass") / at(t, i, "mass");
    }
}

static firn_table *read_ledger(char *text, const char *material)
{
    firn_table_column columns[COLUMNS_MAX + N_DERIVED] = {0};
    firn_table *table = NULL;
    int n = 0;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (!table) {
            n = header(line, columns);
            static const firn_table_column made[N_DERIVED] = {{"force", "N"},
                                                              {"total_energy", "J"},
                                                              {"lost_energy", "J"},
                                                              {"numerical_loss", "J"},
                                                              {"melted_share", "1"}};
            memcpy(columns + n, made, sizeof made);
            table = firn_table_create(n + N_DERIVED, columns);
            if (!table) return NULL;
            continue;
        }
        double row[COLUMNS_MAX + N_DERIVED] = {0};
        int is_wanted = 0, c = 0;
        for (char *rest = line, *value; c < n && (value = field(&rest)); c++) {
            if (strcmp(columns[c].name, "material") == 0) is_wanted = strcmp(value, material) == 0;
            row[c] = strtod(value, NULL);
        }
        if (is_wanted && c == n && !firn_table_add(table, row)) {
            firn_table_destroy(table);
            return NULL;
        }
    }
    if (table) derive(table);
    return table;
}

/* ---------------------------------------------------------------- frames and manifest */

static void read_output_time(void *user, const firn_manifest_time *output_time)
{
    firn_compare_series *series = user;
    series->hash = output_time->state_hash;
    series->wall_seconds = firn_json_number_of(output_time->node, "wall_seconds", NAN);
    series->n_steps = firn_json_number_of(output_time->node, "steps", NAN);
}

firn_status firn_compare_series_read(const char *folder, const char *material,
                                     const double gravity[3], firn_compare_series *series,
                                     firn_messages *messages)
{
    *series = (firn_compare_series){.wall_seconds = NAN, .n_steps = NAN};
    double g = sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
    for (int a = 0; a < 3; a++) series->up[a] = g > 0 ? -gravity[a] / g : a == 2;
    firn_manifest manifest = {0};
    firn_status status = firn_manifest_read(folder, &manifest, messages);
    if (status != FIRN_OK) return status;
    snprintf(series->state, sizeof series->state, "%s", manifest.state);
    snprintf(series->why, sizeof series->why, "%s", manifest.why);
    series->scene_hash = manifest.scene_hash;
    status = firn_manifest_walk(folder, &manifest, read_output_time, series, messages);
    firn_manifest_clear(&manifest);
    char path[2 * FIRN_PATH];
    size_t n;
    snprintf(path, sizeof path, "%s/%s", folder, FIRN_MANIFEST_LEDGER);
    char *text = status == FIRN_OK ? firn_file_text(path, LEDGER_MAX, &n, messages) : NULL;
    if (!text) return status == FIRN_OK ? FIRN_IO : status;
    series->table = read_ledger(text, material);
    firn_memory_release(NULL, text, n + 1);
    if (!series->table) return firn_messages_no_memory(messages, "%s", path);
    if (!series->table->n_rows)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: no rows of material '%s'", path,
                                 material);
    return FIRN_OK;
}

void firn_compare_series_clear(firn_compare_series *series)
{
    firn_table_destroy(series->table);
    series->table = NULL;
}

/* ---------------------------------------------------------------- metrics */

static const char *const centers[3] = {"center_x", "center_y", "center_z"};
static const char *const lows[3] = {"bulk_min_x", "bulk_min_y", "bulk_min_z"};
static const char *const highs[3] = {"bulk_max_x", "bulk_max_y", "bulk_max_z"};

static double largest(const firn_table *t, const char *column)
{
    double best = NAN;
    for (int i = 0; i < t->n_rows; i++) best = fmax(best, at(t, i, column));
    return best;
}

static double height(const firn_compare_series *s, int row)
{
    double sum = 0;
    for (int a = 0; a < 3; a++) sum += s->up[a] * at(s->table, row, centers[a]);
    return sum;
}

static double peak_force(const firn_compare_series *s)
{
    return fmax(largest(s->table, "peak_wall_force"), largest(s->table, "peak_collider_force"));
}
static double top_speed(const firn_compare_series *s) { return largest(s->table, "max_speed"); }
static double time_to_solution(const firn_compare_series *s) { return s->wall_seconds; }
static double steps(const firn_compare_series *s) { return s->n_steps; }
/* NAN for shots of versions whose ledger has no volumes. */
static double volume_loss(const firn_compare_series *s)
{
    int last = s->table->n_rows - 1;
    return 1 - at(s->table, last, "volume") / at(s->table, last, "initial_volume");
}
static double lost_energy(const firn_compare_series *s)
{
    return at(s->table, s->table->n_rows - 1, "lost_energy");
}

static double numerical_loss(const firn_compare_series *s)
{
    return at(s->table, s->table->n_rows - 1, "numerical_loss");
}

static double spent_work(const firn_compare_series *s)
{
    return at(s->table, s->table->n_rows - 1, "plastic_work") +
           at(s->table, s->table->n_rows - 1, "viscous_work");
}

static double least_J(const firn_compare_series *s)
{
    double least = NAN;
    for (int i = 0; i < s->table->n_rows; i++) least = fmin(least, at(s->table, i, "min_J"));
    return least;
}

/* Extents are those of the middle 99 % of the mass: crumbs do not count. Growth of the larger of the
 * two across up. */
static double run_out(const firn_compare_series *s)
{
    double best = NAN;
    int last = s->table->n_rows - 1;
    for (int a = 0; a < 3; a++) {
        if (fabs(s->up[a]) > 0.7) continue;
        double before = at(s->table, 0, highs[a]) - at(s->table, 0, lows[a]);
        best = fmax(best, at(s->table, last, highs[a]) - at(s->table, last, lows[a]) - before);
    }
    return best;
}

static double final_height(const firn_compare_series *s)
{
    int last = s->table->n_rows - 1;
    for (int a = 0; a < 3; a++)
        if (fabs(s->up[a]) > 0.7) return at(s->table, last, highs[a]) - at(s->table, last, lows[a]);
    return NAN;
}

/* Rise of the centre of mass after its first minimum. */
static double bounce_height(const firn_compare_series *s)
{
    int n = s->table->n_rows, low = 0;
    while (low + 1 < n && height(s, low + 1) <= height(s, low)) low++;
    double best = height(s, low);
    for (int i = low; i < n; i++) best = fmax(best, height(s, i));
    return best - height(s, low);
}

static double melted_share(const firn_compare_series *s)
{
    return at(s->table, s->table->n_rows - 1, "melted_share");
}

/* When half of the mass has melted, linear between output times; NAN: it has not. */
static double half_melted(const firn_compare_series *s)
{
    for (int i = 1; i < s->table->n_rows; i++) {
        const double before = at(s->table, i - 1, "melted_share"),
                     after = at(s->table, i, "melted_share"), t = at(s->table, i - 1, "time"),
                     dt = at(s->table, i, "time") - t;
        if (before < 0.5 && after >= 0.5) return t + dt * (0.5 - before) / (after - before);
    }
    return NAN;
}

static double heat_gain(const firn_compare_series *s)
{
    return at(s->table, s->table->n_rows - 1, "thermal_energy") - at(s->table, 0, "thermal_energy");
}

static const firn_compare_metric metrics[] = {
    {"peak_force", "N",
     "largest force of walls or of colliders, as mean over a twentieth of a frame", peak_force, 0},
    {"run_out", "m", "growth of the larger horizontal extent of 99 % of the mass", run_out, 0},
    {"final_height", "m", "vertical extent of 99 % of the mass at the end", final_height, 0},
    {"bounce_height", "m", "rise of the centre of mass after its first low", bounce_height, 0},
    {"top_speed", "m/s", "fastest particle", top_speed, 0},
    {"lost_energy", "J",
     "energy at the start, plus the work of moving boundaries and fields, minus the energy at the "
     "end",
     lost_energy, 0},
    {"numerical_loss", "J",
     "part of the lost energy that is neither plastic, viscous nor friction work: transfers, "
     "impacts on the grid, lost particles",
     numerical_loss, 0},
    {"spent_work", "J", "plastic and viscous work", spent_work, 0},
    {"volume_loss", "1",
     "relative loss of volume at the end, elastic and plastic, without lost particles", volume_loss,
     0},
    {"least_J", "1", "smallest volume ratio of any particle at any time", least_J, 0},
    {"time_to_solution", "s", "wall time", time_to_solution, 0},
    {"steps", "1", "time steps", steps, 0},
    {"melted_share", "1", "liquid mass over mass at the end", melted_share, 1},
    {"half_melted", "s", "time at which half of the mass has melted", half_melted, 1},
    {"heat_gain", "J", "heat content at the end, less that at the start", heat_gain, 1},
};
enum { N_METRICS = sizeof metrics / sizeof *metrics };

const firn_compare_metric *firn_compare_metric_at(int i)
{
    return i >= 0 && i < N_METRICS ? &metrics[i] : NULL;
}

const firn_compare_metric *firn_compare_metric_find(const char *name)
{
    for (int i = 0; i < N_METRICS; i++)
        if (strcmp(metrics[i].name, name) == 0) return &metrics[i];
    return NULL;
}

/* ---------------------------------------------------------------- order of convergence */

/* Slope of ln |f - exact| over ln h. */
static double slope(int n, const double *h, const double *f, double exact)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    int used = 0;
    for (int i = 0; i < n; i++) {
        double e = fabs(f[i] - exact);
        if (!(e > 0) || !(h[i] > 0)) continue;
        x += log(h[i]);
        y += log(e);
        xx += log(h[i]) * log(h[i]);
        xy += log(h[i]) * log(e);
        used++;
    }
    return used > 1 ? (used * xy - x * y) / (used * xx - x * x) : NAN;
}

double firn_compare_order(int n, const double *h, const double *f, double exact)
{
    if (!isnan(exact)) return slope(n, h, f, exact);
    /* the three finest, h0 > h1 > h2 */
    double fine[3] = {INFINITY, INFINITY, INFINITY}, value[3] = {NAN, NAN, NAN};
    for (int i = 0; i < n; i++)
        for (int k = 2; k >= 0; k--)
            if (h[i] > 0 && h[i] < fine[k]) {
                for (int j = 0; j < k; j++) {
                    fine[j] = fine[j + 1];
                    value[j] = value[j + 1];
                }
                fine[k] = h[i];
                value[k] = f[i];
                break;
            }
    double ratio = (value[0] - value[1]) / (value[1] - value[2]);
    if (!(ratio > 0) || !isfinite(ratio) || isinf(fine[0])) return NAN;
    /* (h0^p - h1^p)/(h1^p - h2^p) grows with p: bisection */
    double low = -2, high = 12;
    for (int i = 0; i < 80; i++) {
        double p = (low + high) / 2 + 1e-9;
        double q = (pow(fine[0], p) - pow(fine[1], p)) / (pow(fine[1], p) - pow(fine[2], p));
        if (q < ratio)
            low = p;
        else
            high = p;
    }
    double p = (low + high) / 2;
    return p > -1.99 && p < 11.99 ? p : NAN;
}
