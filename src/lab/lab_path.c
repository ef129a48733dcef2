/* SPDX-License-Identifier: MIT */
/* lab_path.c: the prescribed paths - a mode of deformation driven along a course in time - and
 * the table of rows that comes out.
 *
 * A mode says how each component of F follows the driven quantity (a stretch s or an amount of
 * shear k); a path is a course in time with a usual mode. By stress, the driven components are
 * prescribed as stresses instead.
 * A new mode is an entry of `modes`, a new path an entry of `paths` with its course. */
#include "lab/lab.h"
#include "laws/history.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- modes */

/* Row by row: d driven, i its inverse, 1 and 0 held, f free of stress (or under the confining
 * pressure). */
typedef struct mode {
    const char *name, *how;
    double rest; /* of the driven quantity */
    int driven;  /* the component that stands for it */
    const char *x, *y;
} mode;

static const mode modes[] = {
    {"uniaxial", "d000f000f", 1, 0, "stretch", "nominal_xx"},        /* laterals free */
    {"uniaxial_strain", "d00010001", 1, 0, "stretch", "nominal_xx"}, /* laterals fixed */
    {"equibiaxial", "d000d000f", 1, 0, "stretch", "nominal_xx"},     /* thickness free */
    {"simple_shear", "1d0010001", 0, 1, "shear", "cauchy_xy"},
    {"pure_shear", "d000i0001", 1, 0, "stretch", "nominal_xx"}, /* diag(s, 1/s, 1): isochoric */
    {"hydrostatic", "d000d000d", 1, 0, "J", "pressure"},
};
enum { N_MODES = sizeof modes / sizeof *modes };

const char *firn_lab_mode_name(int i) { return i >= 0 && i < N_MODES ? modes[i].name : NULL; }

/* ---------------------------------------------------------------- rows */

#define TENSOR9(V, name, unit)                                                                     \
    V(name##xx, unit)                                                                              \
    V(name##xy, unit)                                                                              \
    V(name##xz, unit)                                                                              \
    V(name##yx, unit)                                                                              \
    V(name##yy, unit) V(name##yz, unit) V(name##zx, unit) V(name##zy, unit) V(name##zz, unit)
#define TENSOR6(V, name, unit)                                                                     \
    V(name##xx, unit)                                                                              \
    V(name##yy, unit) V(name##zz, unit) V(name##xy, unit) V(name##xz, unit) V(name##yz, unit)
/* strain is engineering strain (stretch - 1) or the amount of shear; stress_ratio is lateral
 * over axial. */
#define COLUMNS(V)                                                                                 \
    V(time, "s")                                                                                   \
    V(rate, "1/s")                                                                                 \
    V(stretch, "1")                                                                                \
    V(shear, "1")                                                                                  \
    V(strain, "1")                                                                                 \
    V(true_strain, "1")                                                                            \
    V(J, "1")                                                                                      \
    TENSOR9(V, F, "1")                                                                             \
    TENSOR6(V, cauchy_, "Pa")                                                                      \
    TENSOR9(V, nominal_, "Pa")                                                                     \
    TENSOR6(V, kirchhoff_, "Pa")                                                                   \
    V(pressure, "Pa")                                                                              \
    V(mises, "Pa")                                                                                 \
    V(stress_ratio, "1")                                                                           \
    V(energy, "J/m^3")                                                                             \
    V(plastic_work, "J/m^3")                                                                       \
    V(viscous_work, "J/m^3")                                                                       \
    V(temperature, "K")                                                                            \
    V(wave, "m/s")                                                                                 \
    V(viscosity, "m^2/s")                                                                          \
    V(newton, "1")                                                                                 \
    V(flags, "1")
#define COLUMN_ENUM(name, unit) COLUMN_##name,
#define COLUMN_ENTRY(name, unit) {#name, unit},

enum { COLUMNS(COLUMN_ENUM) N_FIXED };
static const firn_table_column fixed_columns[N_FIXED] = {COLUMNS(COLUMN_ENTRY)};
enum { MAX_COLUMNS = N_FIXED + 2 + FIRN_MAX_HISTORY + 1 + FIRN_N_QUANTITIES };

/* The component of the history with a quantity that its own column does not show already; -1: none.
 */
static int quantity_component(const firn_law_info *law, firn_quantity quantity)
{
    int k = firn_history_find(law, quantity);
    return k >= 0 && strcmp(law->history[k].name, firn_quantity_name(quantity)) != 0 ? k : -1;
}

/* State of a path while it runs. */
typedef struct walk {
    const firn_lab_options *options;
    const mode *mode;
    const struct path *path;
    firn_lab_point point;
    firn_table *table;
    firn_messages *messages;
    double to;
    double enthalpy, liquid; /* adiabatic: J/kg, 1 */
    firn_lab_stability stability;
    firn_lab_state before; /* of the last row, for finding the place of a loss between two rows */
} walk;

static const double first_axis[3] = {1, 0, 0};

/* The smallest eigenvalue turned negative since the last row: where, on the straight line
 * between the two elastic states (with the history of the first). */
static firn_status locate_loss(walk *w, const double *along, firn_lab_loss *loss)
{
    const firn_lab_state *a = &w->before, *b = &w->point.state;
    double at;
    firn_status status =
        firn_lab_ellipticity_loss(w->point.material, w->point.temperature, a->F_elastic,
                                  b->F_elastic, a->history, along, 1, &at, w->messages);
    if (status != FIRN_OK) return status;
    if (isnan(at)) at = 1; /* lost by the change of history within the step */
    *loss = (firn_lab_loss){a->time + at * (b->time - a->time), a->F[0] + at * (b->F[0] - a->F[0]),
                            a->F[1] + at * (b->F[1] - a->F[1])};
    return FIRN_OK;
}

/* The two columns of stability, and the places of loss when they turn negative. */
static firn_status record_stability(walk *w, double row[2])
{
    const firn_lab_point *p = &w->point;
    firn_lab_loss *losses[2] = {&w->stability.any, &w->stability.axis};
    for (int k = 0; k < 2; k++) {
        const double *along = k ? first_axis : NULL;
        firn_status status = firn_lab_acoustic(p->material, p->temperature, p->state.F_elastic,
                                               p->state.history, along, &row[k], NULL, w->messages);
        if (status == FIRN_OK && row[k] < 0 && isnan(losses[k]->time))
            status = locate_loss(w, along, losses[k]);
        if (status != FIRN_OK) return status;
    }
    w->before = p->state;
    return FIRN_OK;
}

static firn_status record(walk *w, double rate)
{
    const firn_lab_point *p = &w->point;
    const firn_law_info *law = &p->material->law->info;
    double row[MAX_COLUMNS] = {0}, stress[9];
    const double *F = p->state.F;
    row[COLUMN_time] = p->state.time;
    row[COLUMN_rate] = rate;
    row[COLUMN_stretch] = F[0];
    row[COLUMN_shear] = F[1];
    double driven = F[w->mode->driven];
    row[COLUMN_strain] = driven - w->mode->rest;
    row[COLUMN_true_strain] = w->mode->rest == 1 ? log(driven) : driven;
    row[COLUMN_J] = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                    F[2] * (F[3] * F[7] - F[4] * F[6]);
    memcpy(row + COLUMN_Fxx, F, 9 * sizeof(double));
    firn_lab_stress_of(&p->state, p->response.tau, FIRN_LAB_NOMINAL, stress);
    memcpy(row + COLUMN_nominal_xx, stress, 9 * sizeof(double));
    memcpy(row + COLUMN_kirchhoff_xx, p->response.tau, 6 * sizeof(double));
    double *s = row + COLUMN_cauchy_xx;
    for (int c = 0; c < 6; c++) s[c] = p->response.tau[c] / row[COLUMN_J];
    row[COLUMN_pressure] = -(s[0] + s[1] + s[2]) / 3;
    double d0 = s[0] - s[1], d1 = s[1] - s[2], d2 = s[2] - s[0];
    row[COLUMN_mises] =
        sqrt((d0 * d0 + d1 * d1 + d2 * d2) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
    row[COLUMN_stress_ratio] = s[0] != 0 ? s[1] / s[0] : NAN;
    /* inverted, where the law does not allow it, its stress is a bound and no answer */
    if (p->response.flags & FIRN_FLAG_INVERTED)
        for (int c = COLUMN_cauchy_xx; c <= COLUMN_stress_ratio; c++) row[c] = NAN;
    row[COLUMN_energy] = p->response.energy;
    row[COLUMN_plastic_work] = p->state.plastic_work;
    row[COLUMN_viscous_work] = p->state.viscous_work;
    row[COLUMN_temperature] = p->temperature;
    row[COLUMN_wave] = p->response.wave;
    row[COLUMN_viscosity] = p->response.viscosity;
    row[COLUMN_newton] = p->n_newton;
    row[COLUMN_flags] = p->response.flags;
    int n = N_FIXED;
    if (w->options->with_stability) {
        firn_status status = record_stability(w, row + n);
        if (status != FIRN_OK) return status;
        n += 2;
    }
    for (int h = 0; h < law->n_history; h++) row[n++] = p->state.history[h];
    if (law->is_plastic) row[n++] = p->response.yield;
    for (int q = 0; q < FIRN_N_QUANTITIES; q++) {
        int k = quantity_component(law, (firn_quantity)q);
        if (k >= 0) row[n++] = firn_history_value(&law->history[k], p->state.history[k]);
    }
    if (firn_table_add(w->table, row)) return FIRN_OK;
    return firn_messages_no_memory(w->messages, "path of %d steps", w->table->n_rows);
}

static firn_table *make_table(const firn_law_info *law, int with_stability)
{
    firn_table_column columns[MAX_COLUMNS];
    int n = N_FIXED;
    memcpy(columns, fixed_columns, sizeof fixed_columns);
    if (with_stability) {
        columns[n++] = (firn_table_column){"acoustic_min", "Pa"};
        columns[n++] = (firn_table_column){"acoustic_axis", "Pa"};
    }
    for (int h = 0; h < law->n_history; h++, n++) {
        snprintf(columns[n].name, sizeof columns[n].name, "%s", law->history[h].name);
        snprintf(columns[n].unit, sizeof columns[n].unit, "%s", law->history[h].unit);
    }
    if (law->is_plastic) columns[n++] = (firn_table_column){"yield", "1"};
    for (int q = 0; q < FIRN_N_QUANTITIES; q++) {
        if (quantity_component(law, (firn_quantity)q) < 0) continue;
        const char *name = firn_quantity_name((firn_quantity)q);
        snprintf(columns[n].name, sizeof columns[n].name, "%s", name);
        snprintf(columns[n++].unit, sizeof columns[0].unit, "1");
    }
    return firn_table_create(n, columns);
}

/* ---------------------------------------------------------------- driving */

/* One step to the driven value (by stress: to this stress), everything else as the mode says. */
static firn_status drive(walk *w, double value, int by_stress, double dt)
{
    firn_lab_control control = {.dt = dt, .measure = w->options->measure};
    double before = w->point.state.F[w->mode->driven];
    for (int c = 0; c < 9; c++) {
        switch (w->mode->how[c]) {
        case 'd':
            control.value[c] = value;
            control.is_stress[c] = by_stress;
            break;
        case 'i': control.value[c] = 1 / value; break;
        case 'f':
            control.value[c] = -w->options->pressure;
            control.is_stress[c] = 1;
            break;
        default: control.value[c] = w->mode->how[c] == '1';
        }
    }
    const double spent = w->point.state.plastic_work + w->point.state.viscous_work;
    firn_status status = firn_lab_advance(&w->point, &control, w->messages);
    if (status != FIRN_OK) return status;
    if (w->options->is_adiabatic)
        firn_lab_warm(&w->point, w->point.state.plastic_work + w->point.state.viscous_work - spent,
                      &w->enthalpy, &w->liquid);
    return record(w, (w->point.state.F[w->mode->driven] - before) / dt);
}

/* In n equal steps from one value of the driven quantity to another. */
static firn_status ramp(walk *w, double from, double to, int by_stress, double duration)
{
    int n = w->options->n_steps;
    firn_status status = FIRN_OK;
    for (int i = 1; i <= n && status == FIRN_OK; i++)
        status = drive(w, from + (to - from) * i / n, by_stress, duration / n);
    return status;
}

static firn_status course_ramp(walk *w)
{
    const firn_lab_options *o = w->options;
    double from = w->mode->rest;
    if (o->by_stress) return ramp(w, 0, o->stress, 1, 1 / o->rate);
    if (!isnan(o->from)) { /* on the way there nothing is recorded but the last row */
        firn_status status = ramp(w, from, o->from, 0, fabs(o->from - from) / o->rate);
        if (status != FIRN_OK) return status;
        memcpy(w->table->values,
               w->table->values + (size_t)(w->table->n_rows - 1) * (size_t)w->table->n_columns,
               (size_t)w->table->n_columns * sizeof(double));
        w->table->n_rows = 1;
        from = o->from;
    }
    return ramp(w, from, w->to, 0, fabs(w->to - from) / o->rate);
}

/* Constant true (Hencky) rate: s = exp(rate t); shear has no difference between the two. */
static firn_status course_constant_rate(walk *w)
{
    if (w->mode->rest == 0) return course_ramp(w);
    int n = w->options->n_steps;
    double T = fabs(log(w->to)) / w->options->rate;
    firn_status status = FIRN_OK;
    for (int i = 1; i <= n && status == FIRN_OK; i++)
        status = drive(w, pow(w->to, (double)i / n), 0, T / n);
    return status;
}

/* Triangle wave: up to `to`, down to its mirror image, back; or the same with stresses. */
static firn_status course_cyclic(walk *w)
{
    const firn_lab_options *o = w->options;
    double amplitude = o->by_stress ? o->stress : w->to - w->mode->rest;
    double T = (o->by_stress ? 4 : 4 * fabs(amplitude)) * o->n_cycles / o->rate;
    firn_status status = FIRN_OK;
    for (int i = 1; i <= o->n_steps && status == FIRN_OK; i++) {
        double phase = fmod((double)i / o->n_steps * o->n_cycles, 1);
        double wave = phase < 0.25 ? 4 * phase : phase < 0.75 ? 2 - 4 * phase : 4 * phase - 4;
        double value = (o->by_stress ? 0 : w->mode->rest) + amplitude * wave;
        status = drive(w, value, o->by_stress, T / o->n_steps);
    }
    return status;
}

/* A ramp of a twentieth of the steps, then rest at the value reached. */
static firn_status ramp_and_hold(walk *w, int by_stress, double from, double to, double ramp)
{
    const firn_lab_options *o = w->options;
    int n_ramp = o->n_steps / 20 + 1;
    firn_status status = FIRN_OK;
    for (int i = 1; i <= n_ramp && status == FIRN_OK; i++)
        status = drive(w, from + (to - from) * i / n_ramp, by_stress, ramp / n_ramp);
    for (int i = 1; i <= o->n_steps && status == FIRN_OK; i++)
        status = drive(w, to, by_stress, o->hold / o->n_steps);
    return status;
}

static firn_status course_relaxation(walk *w)
{
    return ramp_and_hold(w, 0, w->mode->rest, w->to,
                         fabs(w->to - w->mode->rest) / w->options->rate);
}

/* A ramp, then the driven component is let go: free of stress from one step to the next. */
static firn_status course_recovery(walk *w)
{
    const firn_lab_options *o = w->options;
    double T = fabs(w->to - w->mode->rest) / o->rate;
    firn_status status = FIRN_OK;
    for (int i = 1; i <= o->n_steps && status == FIRN_OK; i++)
        status =
            drive(w, w->mode->rest + (w->to - w->mode->rest) * i / o->n_steps, 0, T / o->n_steps);
    for (int i = 1; i <= o->n_steps && status == FIRN_OK; i++)
        status = drive(w, 0, 1, o->hold / o->n_steps);
    return status;
}

static firn_status course_creep(walk *w)
{
    return ramp_and_hold(w, 1, 0, w->options->stress, 1 / w->options->rate);
}

/* A ramp to `to` or to the stress, where one is given, then another temperature under it: over `hold`,
 * or, quenched, within the first step of it. */
static firn_status course_heating(walk *w)
{
    const firn_lab_options *o = w->options;
    const int is_quench = strcmp(o->path, "quench") == 0, n_ramp = o->n_steps / 20 + 1;
    const double from = o->by_stress ? 0 : w->mode->rest, to = o->by_stress ? o->stress : w->to,
                 T = o->temperature;
    firn_status status = FIRN_OK;
    for (int i = 1; to != from && i <= n_ramp && status == FIRN_OK; i++)
        status = drive(w, from + (to - from) * i / n_ramp, o->by_stress, 1 / o->rate / n_ramp);
    for (int i = 1; i <= o->n_steps && status == FIRN_OK; i++) {
        firn_lab_heat(&w->point, is_quench ? o->heat_to : T + (o->heat_to - T) * i / o->n_steps);
        status = drive(w, to, o->by_stress, o->hold / o->n_steps);
    }
    return status;
}

/* Isotropic consolidation to the confining pressure, then axial compression under it. */
static firn_status course_triaxial(walk *w)
{
    const firn_lab_options *o = w->options;
    int n_first = o->n_steps / 5 + 1;
    firn_status status = FIRN_OK;
    for (int i = 1; i <= n_first && status == FIRN_OK; i++) {
        firn_lab_control control = {.dt = 1 / o->rate / n_first, .measure = o->measure};
        for (int c = 0; c < 9; c += 4) {
            control.is_stress[c] = 1;
            control.value[c] = -o->pressure * i / n_first;
        }
        status = firn_lab_advance(&w->point, &control, w->messages);
        if (status == FIRN_OK) status = record(w, 0);
    }
    double from = w->point.state.F[0], T = fabs(w->to - 1) / o->rate;
    for (int i = 1; i <= o->n_steps && status == FIRN_OK; i++)
        status = drive(w, from * (1 + (w->to - 1) * i / o->n_steps), 0, T / o->n_steps);
    return status;
}

/* One row for each rate: the end of a ramp of its own from rest, long enough to flow steadily. */
static firn_status course_flow_curve(walk *w)
{
    const firn_lab_options *o = w->options;
    enum { N_RATES = 25 };
    firn_lab_point start = w->point;
    firn_status status = FIRN_OK;
    w->table->n_rows = 0; /* rest is no point of a flow curve */
    for (int r = 0; r < N_RATES && status == FIRN_OK; r++) {
        double rate = o->rate_from * pow(o->rate_to / o->rate_from, (double)r / (N_RATES - 1));
        double dt = fabs(w->to - w->mode->rest) / rate / o->n_steps;
        int first = w->table->n_rows;
        w->point = start;
        for (int i = 1; i <= o->n_steps && status == FIRN_OK; i++) {
            w->table->n_rows = first;
            status = drive(w, w->mode->rest + (w->to - w->mode->rest) * i / o->n_steps, 0, dt);
        }
    }
    return status;
}

/* F(t) from a table with a column time and any of Fxx Fxy ... Fzz; missing components stay those
 * of rest. */
static firn_status course_file(walk *w)
{
    const firn_table *table = w->options->table;
    int time = table ? firn_table_find(table, "time") : -1, columns[9], n_found = 0;
    if (time < 0)
        return firn_messages_add(
            w->messages, FIRN_REFUSED,
            "path 'file': no column time in the table; needed: time and any of Fxx ... Fzz");
    for (int c = 0; c < 9; c++) {
        columns[c] = firn_table_find(table, fixed_columns[COLUMN_Fxx + c].name);
        n_found += columns[c] >= 0;
    }
    if (!n_found)
        return firn_messages_add(w->messages, FIRN_REFUSED,
                                 "path 'file': none of the columns Fxx Fxy ... Fzz in the table");
    firn_status status = FIRN_OK;
    for (int i = 0; i < table->n_rows && status == FIRN_OK; i++) {
        firn_lab_control control = {.dt = firn_table_value(table, i, time) - w->point.state.time};
        if (i == 0 && control.dt == 0) continue; /* the start is already there */
        for (int c = 0; c < 9; c++)
            control.value[c] =
                columns[c] >= 0 ? firn_table_value(table, i, columns[c]) : c % 4 == 0;
        double before = w->point.state.F[w->mode->driven];
        status = firn_lab_advance(&w->point, &control, w->messages);
        if (status == FIRN_OK)
            status = record(w, (w->point.state.F[w->mode->driven] - before) / control.dt);
    }
    return status;
}

/* ---------------------------------------------------------------- the table of paths */

typedef struct path {
    firn_lab_path_info info;
    firn_status (*course)(walk *w);
    int allows_stress;
} path;

static const path paths[] = {
    {{"uniaxial", "uniaxial", "one stretch, laterals free of stress", 1.5, 0}, course_ramp, 1},
    {{"uniaxial_strain", "uniaxial_strain", "one stretch, laterals fixed", 1.5, 0}, course_ramp, 1},
    {{"equibiaxial", "equibiaxial", "two equal stretches, thickness free", 1.5, 0}, course_ramp, 1},
    {{"simple_shear", "simple_shear", "amount of shear k, planes stay planes", 1, 0},
     course_ramp,
     1},
    {{"pure_shear", "pure_shear", "stretches s and 1/s, no change of volume", 1.5, 0},
     course_ramp,
     0},
    {{"hydrostatic", "hydrostatic", "three equal stretches", 0.9, 0}, course_ramp, 1},
    {{"oedometer", "uniaxial_strain", "compression between fixed walls", 0.9, 0}, course_ramp, 1},
    {{"triaxial", "uniaxial", "consolidation, then axial compression under pressure", 0.9, 0},
     course_triaxial,
     0},
    {{"cyclic", "uniaxial", "triangle wave between `to` and its mirror image", 1.1, 0},
     course_cyclic,
     1},
    {{"relaxation", "simple_shear", "a ramp, then rest at the deformation reached", 0.1, 1},
     course_relaxation,
     0},
    {{"creep", "uniaxial", "a ramp of stress, then rest at the stress reached", NAN, 1},
     course_creep,
     1},
    {{"recovery", "simple_shear", "a ramp, then left free of stress: what springs back", 1, 1},
     course_recovery,
     0},
    {{"heating", "uniaxial", "another temperature (heat_to) under a stress or held in place", 1, 1},
     course_heating,
     1},
    {{"quench", "uniaxial", "the same, all at once", 1, 1}, course_heating, 1},
    {{"constant_rate", "uniaxial", "constant true strain rate", 1.5, 0}, course_constant_rate, 0},
    {{"flow_curve", "simple_shear", "steady stress over the rate of shear", 10, 0},
     course_flow_curve,
     0},
    {{"file", "uniaxial", "F(t) from a CSV file", NAN, 0}, course_file, 0},
};
enum { N_PATHS = sizeof paths / sizeof *paths };

int firn_lab_path_count(void) { return N_PATHS; }
const firn_lab_path_info *firn_lab_path_at(int i)
{
    return i >= 0 && i < N_PATHS ? &paths[i].info : NULL;
}

static const path *find_path(const char *name)
{
    for (int i = 0; i < N_PATHS; i++)
        if (strcmp(paths[i].info.name, name) == 0) return &paths[i];
    return NULL;
}

const firn_lab_path_info *firn_lab_path_find(const char *name)
{
    const path *found = find_path(name);
    return found ? &found->info : NULL;
}

static const mode *find_mode(const char *name)
{
    for (int i = 0; i < N_MODES; i++)
        if (strcmp(modes[i].name, name) == 0) return &modes[i];
    return NULL;
}

int firn_lab_axes(const firn_lab_options *options, const char **x, const char **y)
{
    const path *p = find_path(options->path);
    const mode *m = p ? find_mode(options->mode[0] ? options->mode : p->info.mode) : NULL;
    if (!m) return 0;
    *x = p->info.uses_time ? "time" : p->course == course_flow_curve ? "rate" : m->x;
    /* in creep and recovery the stress is known and the deformation is drawn */
    const int is_free = p->course == course_heating && options->by_stress;
    *y = p->course == course_creep || p->course == course_recovery || is_free ? m->x
         : p->course == course_flow_curve                                     ? "cauchy_xy"
                                                                              : m->y;
    return 1;
}

firn_lab_options firn_lab_options_default(void)
{
    return (firn_lab_options){.path = "uniaxial",
                              .to = NAN,
                              .from = NAN,
                              .stress = 1000,
                              .rate = 1,
                              .hold = 10,
                              .n_steps = 200,
                              .n_cycles = 3,
                              .rate_from = 0.01,
                              .rate_to = 1000,
                              .temperature = 293.15,
                              .heat_to = NAN};
}

/* ---------------------------------------------------------------- running */

static firn_status check_heat(const walk *w, const firn_lab_options *o, firn_messages *messages)
{
    const int is_heated = w->path->course == course_heating;
    if (is_heated && !(o->heat_to > 0))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "path '%s': needs the temperature at its end, heat_to, above 0 K",
                                 o->path);
    if (o->is_adiabatic && (is_heated || !w->point.material->thermal.is_on))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 is_heated ? "path '%s': prescribes the temperature, and cannot be "
                                             "adiabatic"
                                           : "path '%s', adiabatic: the material has no "
                                             "heat_capacity",
                                 o->path);
    return FIRN_OK;
}

static firn_status check(const walk *w, const firn_lab_options *o, firn_messages *messages)
{
    if (o->by_stress && !w->path->allows_stress)
        return firn_messages_add(messages, FIRN_REFUSED, "path '%s': cannot be driven by stress",
                                 o->path);
    if ((o->by_stress || w->path->course == course_recovery) && strchr(w->mode->how, 'i'))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "mode '%s': keeps the volume and cannot be driven by stress",
                                 w->mode->name);
    if (!isnan(o->from) && (w->path->course != course_ramp || o->by_stress))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "path '%s': `from` is for ramps of stretch or shear", o->path);
    if (!(o->rate > 0) || !(o->hold > 0) || !(o->rate_from > 0) || !(o->rate_to > o->rate_from))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "path '%s': rate, hold and first rate must be above 0, and the "
                                 "last rate above the first",
                                 o->path);
    if (o->n_steps < 1 || o->n_cycles < 1)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "path '%s': %d steps, %d cycles; allowed: 1 or more", o->path,
                                 o->n_steps, o->n_cycles);
    if (w->path->course == course_triaxial && !(o->pressure > 0))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "path '%s': confining pressure is %g Pa; allowed: above 0",
                                 o->path, o->pressure);
    /* laws that allow inversion may be driven through it, but not where a logarithm or an
     * inverse is taken */
    int mirrors = w->path->course == course_cyclic && !o->by_stress;
    int needs_positive =
        mirrors || strchr(w->mode->how, 'i') || w->path->course == course_constant_rate;
    if (!isnan(w->to) && w->mode->rest == 1 && needs_positive &&
        (w->to <= 0 || (mirrors && w->to >= 2)))
        return firn_messages_add(
            messages, FIRN_REFUSED, "path '%s': `to` is the stretch %g; allowed: %s", o->path,
            w->to, mirrors ? "above 0 and below 2 (its mirror image, too)" : "above 0");
    return FIRN_OK;
}

firn_status firn_lab_run(const firn_material *material, const firn_lab_options *options,
                         firn_table **out, firn_lab_stability *stability, firn_messages *messages)
{
    walk w = {
        .options = options, .messages = messages, .stability = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};
    *out = NULL;
    if (stability) *stability = w.stability;
    w.path = find_path(options->path);
    if (!w.path)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "unknown path '%s'; `firn lab --list` lists all", options->path);
    const char *mode_name = options->mode[0] ? options->mode : w.path->info.mode;
    w.mode = find_mode(mode_name);
    if (!w.mode)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "unknown mode '%s'; `firn lab --list` lists all", mode_name);
    /* the path's own `to` is a stretch or a shear as its own mode has it; another mode
     * translates it */
    double usual = w.path->info.to + (w.mode->rest - find_mode(w.path->info.mode)->rest);
    w.to = isnan(options->to) ? usual : options->to;
    firn_status status = check(&w, options, messages);
    if (status == FIRN_OK)
        status =
            firn_lab_start(&w.point, material, options->variant, options->temperature, messages);
    if (status == FIRN_OK) status = check_heat(&w, options, messages);
    if (status != FIRN_OK) return status;
    if (options->is_adiabatic) {
        w.enthalpy = firn_thermal_enthalpy(&material->thermal, options->temperature);
        w.liquid = firn_thermal_fraction(&material->thermal, options->temperature);
    }
    w.table = make_table(&material->law->info, options->with_stability);
    if (!w.table) return firn_messages_no_memory(messages, "path '%s'", options->path);
    status = record(&w, 0);
    if (status == FIRN_OK) status = w.path->course(&w);
    if (stability) *stability = w.stability;
    *out = w.table;
    return status;
}
