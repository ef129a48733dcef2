/* SPDX-License-Identifier: MIT */
/* thermal.c: enthalpy over temperature from the table of thermal parameters, and back (thermal.h
 * has the picture). */
#include "laws/thermal.h"

#include <math.h>
#include <string.h>

static const firn_parameter_info parameters[FIRN_THERMAL_PARAMETERS] = {
    {"heat_capacity", "J/(kg K)",
     "specific heat capacity of the solid; 0: the material takes no part in heat", 0, 0, 1e6},
    {"heat_capacity_liquid", "J/(kg K)", "specific heat capacity of the liquid; 0: the solid's", 0,
     0, 1e6},
    {"conductivity", "W/(m K)", "thermal conductivity of the solid", 0, 0, 1e5},
    {"conductivity_liquid", "W/(m K)", "thermal conductivity of the liquid; 0: the solid's", 0, 0,
     1e5},
    {"latent_heat", "J/kg", "heat of fusion", 0, 0, 1e8},
    {"solidus", "K", "temperature at which melting begins; 0: it does not melt", 0, 0, 1e5},
    {"liquidus", "K", "temperature at which all is liquid; 0: the solidus, a melting point", 0, 0,
     1e5},
    {"supercooling", "K", "how far below the solidus the liquid cools before it freezes", 0, 0,
     1e4},
    {"expansion", "1/K", "coefficient of linear thermal expansion", 0, -0.01, 0.01},
    {"emissivity", "1", "of free surfaces: heat radiated to the surroundings; 0: none", 0, 0, 1},
    {"taylor_quinney", "1", "share of plastic and viscous work that becomes heat", 0.9, 0, 1},
};

int firn_thermal_parameter_count(void) { return FIRN_THERMAL_PARAMETERS; }

const firn_parameter_info *firn_thermal_parameter_at(int i)
{
    return i >= 0 && i < FIRN_THERMAL_PARAMETERS ? &parameters[i] : NULL;
}

static double table_at(const firn_thermal_table *t, double T)
{
    if (!(T > t->T[0])) return t->value[0];
    for (int i = 1; i < t->n; i++)
        if (T <= t->T[i])
            return t->value[i - 1] +
                   (t->value[i] - t->value[i - 1]) * (T - t->T[i - 1]) / (t->T[i] - t->T[i - 1]);
    return t->value[t->n - 1];
}

static void take_table(firn_thermal_table *t, double value, int n, const double *T,
                       const double *values)
{
    t->n = n > 0 ? n : 1;
    t->T[0] = 0;
    t->value[0] = value;
    if (n <= 0) return;
    memcpy(t->T, T, (size_t)n * sizeof *T);
    memcpy(t->value, values, (size_t)n * sizeof *values);
}

/* ---------------------------------------------------------------- knots */

static void add_knot(firn_thermal *th, double T, double f)
{
    th->T[th->n] = T;
    th->f[th->n++] = f;
}

static void place_knots(firn_thermal *th)
{
    const firn_thermal_table *solid = &th->capacity[0], *liquid = &th->capacity[1];
    th->n = 0;
    for (int i = 0; i < solid->n; i++)
        if (solid->T[i] > 0 && (!th->melts || solid->T[i] < th->solidus))
            add_knot(th, solid->T[i], 0);
    if (th->melts) {
        add_knot(th, th->solidus, 0);
        add_knot(th, th->liquidus, 1);
        for (int i = 0; i < liquid->n; i++)
            if (liquid->T[i] > th->liquidus) add_knot(th, liquid->T[i], 1);
    } else if (th->n == 0) {
        add_knot(th, 273.15, 0);
    }
}

/* Slopes and enthalpies at the knots; the zero of h moves to 273.15 K. */
static void sum_knots(firn_thermal *th)
{
    th->before = table_at(&th->capacity[0], th->T[0]);
    th->h[0] = 0;
    for (int k = 0; k < th->n; k++) {
        const int is_last = k == th->n - 1;
        const double T1 = is_last ? th->T[k] : th->T[k + 1], f1 = is_last ? th->f[k] : th->f[k + 1],
                     width = T1 - th->T[k];
        const double latent = width > 0 ? th->latent * (f1 - th->f[k]) / width : 0;
        th->from[k] = firn_thermal_capacity(th, th->T[k], th->f[k]) + latent;
        th->to[k] = firn_thermal_capacity(th, T1, f1) + latent;
        if (is_last) continue;
        th->h[k + 1] = th->h[k] + (width > 0 ? 0.5 * (th->from[k] + th->to[k]) * width
                                             : th->latent * (f1 - th->f[k]));
    }
    const double zero = firn_thermal_enthalpy(th, 273.15);
    for (int k = 0; k < th->n; k++) th->h[k] -= zero;
}

static const char *check(const firn_thermal *th, const double *value, int *parameter)
{
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < th->capacity[s].n; i++)
            if (!(th->capacity[s].value[i] > 0))
                return *parameter = s ? FIRN_THERMAL_CAPACITY_LIQUID : FIRN_THERMAL_CAPACITY,
                       "must be above 0 in every row of its table";
    if (!th->melts && (value[FIRN_THERMAL_LATENT] > 0 || value[FIRN_THERMAL_LIQUIDUS] > 0))
        return *parameter = FIRN_THERMAL_SOLIDUS,
               "is missing, while latent_heat or liquidus is given";
    if (th->melts && th->liquidus < th->solidus)
        return *parameter = FIRN_THERMAL_LIQUIDUS, "is below the solidus";
    if (th->melts && th->liquidus == th->solidus && !(th->latent > 0))
        return *parameter = FIRN_THERMAL_LIQUIDUS,
               "is the solidus; without latent_heat it must lie above";
    if (th->supercooling > 0 && !(th->supercooling < th->solidus))
        return *parameter = FIRN_THERMAL_SUPERCOOLING, "reaches below absolute zero";
    return NULL;
}

const char *firn_thermal_make(firn_thermal *th, const double *value, const int *n_table,
                              double (*table_T)[FIRN_MAX_TABLE],
                              double (*table_value)[FIRN_MAX_TABLE], int *parameter)
{
    memset(th, 0, sizeof *th);
    th->taylor_quinney = value[FIRN_THERMAL_TAYLOR_QUINNEY];
    if (!(value[FIRN_THERMAL_CAPACITY] > 0) && !n_table[FIRN_THERMAL_CAPACITY]) {
        for (int i = 0; i < FIRN_THERMAL_PARAMETERS; i++)
            if (i != FIRN_THERMAL_TAYLOR_QUINNEY && (value[i] != 0 || n_table[i]))
                return *parameter = FIRN_THERMAL_CAPACITY, "is missing: other thermal properties "
                                                           "have no effect without it";
        return NULL;
    }
    th->is_on = 1;
    for (int s = 0; s < 2; s++) {
        int c = FIRN_THERMAL_CAPACITY + s, k = FIRN_THERMAL_CONDUCTIVITY + s;
        if (s && !n_table[c] && value[c] == 0) c--;
        if (s && !n_table[k] && value[k] == 0) k--;
        take_table(&th->capacity[s], value[c], n_table[c], table_T[c], table_value[c]);
        take_table(&th->conductivity[s], value[k], n_table[k], table_T[k], table_value[k]);
    }
    th->solidus = value[FIRN_THERMAL_SOLIDUS];
    th->melts = th->solidus > 0;
    th->liquidus = value[FIRN_THERMAL_LIQUIDUS] > 0 ? value[FIRN_THERMAL_LIQUIDUS] : th->solidus;
    th->latent = value[FIRN_THERMAL_LATENT];
    th->supercooling = value[FIRN_THERMAL_SUPERCOOLING];
    th->expansion = value[FIRN_THERMAL_EXPANSION];
    th->emissivity = value[FIRN_THERMAL_EMISSIVITY];
    const char *wrong = check(th, value, parameter);
    if (wrong) return wrong;
    place_knots(th);
    sum_knots(th);
    return NULL;
}

/* ---------------------------------------------------------------- h, T, f */

double firn_thermal_capacity(const firn_thermal *th, double T, double f)
{
    return (1 - f) * table_at(&th->capacity[0], T) + f * table_at(&th->capacity[1], T);
}

double firn_thermal_conductivity(const firn_thermal *th, double T, double f)
{
    return (1 - f) * table_at(&th->conductivity[0], T) + f * table_at(&th->conductivity[1], T);
}

double firn_thermal_enthalpy(const firn_thermal *th, double T)
{
    if (T <= th->T[0]) return th->h[0] + th->before * (T - th->T[0]);
    int k = 0;
    while (k + 1 < th->n && T > th->T[k + 1]) k++;
    const double d = T - th->T[k], width = k + 1 < th->n ? th->T[k + 1] - th->T[k] : 0;
    return th->h[k] +
           d * (th->from[k] + (width > 0 ? 0.5 * d * (th->to[k] - th->from[k]) / width : 0));
}

double firn_thermal_fraction(const firn_thermal *th, double T)
{
    if (!th->melts || T <= th->solidus) return 0;
    return T >= th->liquidus ? 1 : (T - th->solidus) / (th->liquidus - th->solidus);
}

/* d from h = from d + (to - from) d^2 / (2 width), in the form without cancellation. */
double firn_thermal_temperature(const firn_thermal *th, double h, double *f)
{
    int k = 0;
    if (h <= th->h[0]) return *f = th->f[0], th->T[0] + (h - th->h[0]) / th->before;
    if (th->supercooling > 0 && *f >= 1) {
        int l = 0;
        while (th->f[l] < 1) l++;
        const double T = th->T[l] + (h - th->h[l]) / th->from[l];
        if (h < th->h[l] && T > th->solidus - th->supercooling) return T;
    }
    while (k + 1 < th->n && h > th->h[k + 1]) k++;
    const double dh = h - th->h[k];
    if (k + 1 == th->n) return *f = th->f[k], th->T[k] + dh / th->from[k];
    const double width = th->T[k + 1] - th->T[k];
    if (!(width > 0)) {
        *f = th->f[k] + (th->f[k + 1] - th->f[k]) * dh / (th->h[k + 1] - th->h[k]);
        return th->T[k];
    }
    const double a = th->from[k], b = (th->to[k] - a) / width,
                 d = 2 * dh / (a + sqrt(fmax(0, a * a + 2 * b * dh)));
    *f = th->f[k] + (th->f[k + 1] - th->f[k]) * d / width;
    return th->T[k] + d;
}
