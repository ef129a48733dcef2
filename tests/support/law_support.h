/* SPDX-License-Identifier: MIT */
/* law_support.h: single material points through the batch functions of any law and variant, in
 * doubles. */
#ifndef LAW_SUPPORT_H
#define LAW_SUPPORT_H

#include "laws/law.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* One particle: what goes in and what comes out. */
typedef struct point {
    double F[9], grad_v[9], history[FIRN_MAX_HISTORY], temperature;
    uint32_t id;
    double tau[6], wave, viscosity, plastic, viscous, energy;
    int flags;
} point;

/* Built, and this processor has the instructions. */
static inline int variant_runs(const firn_law *law, int variant)
{
    return law->kernels[variant].evaluate && firn_variant_runs(variant);
}

typedef struct arrays {
    void *F, *grad_v, *history, *temperature, *tau, *wave, *viscosity, *plastic, *viscous, *energy,
        *flags;
    uint32_t *id;
} arrays;

static inline void put(void *array, int is_double, int n_components, int i, int component, double x)
{
    size_t at = (size_t)((i / 16 * n_components + component) * 16 + i % 16);
    if (is_double)
        ((double *)array)[at] = x;
    else
        ((float *)array)[at] = (float)x;
}
static inline double take(const void *array, int is_double, int n_components, int i, int component)
{
    size_t at = (size_t)((i / 16 * n_components + component) * 16 + i % 16);
    return is_double ? ((const double *)array)[at] : (double)((const float *)array)[at];
}

static inline void *reals(int n_bundles, int n_components, int is_double)
{
    void *block =
        firn_memory_allocate(NULL, (size_t)(n_bundles * n_components * 16) * (is_double ? 8 : 4));
    assert_non_null(block);
    return block;
}

static inline arrays arrays_make(int n_bundles, int n_history, int is_double)
{
    return (arrays){.F = reals(n_bundles, 9, is_double),
                    .grad_v = reals(n_bundles, 9, is_double),
                    .history = reals(n_bundles, n_history ? n_history : 1, is_double),
                    .temperature = reals(n_bundles, 1, is_double),
                    .tau = reals(n_bundles, 6, is_double),
                    .wave = reals(n_bundles, 1, is_double),
                    .viscosity = reals(n_bundles, 1, is_double),
                    .plastic = reals(n_bundles, 1, is_double),
                    .viscous = reals(n_bundles, 1, is_double),
                    .energy = reals(n_bundles, 1, is_double),
                    .flags = reals(n_bundles, 1, is_double),
                    .id = reals(n_bundles, 1, 0)};
}

static inline void arrays_drop(arrays *a, int n_bundles, int n_history, int is_double)
{
    size_t one = (size_t)(n_bundles * 16) * (is_double ? 8 : 4);
    firn_memory_release(NULL, a->F, 9 * one);
    firn_memory_release(NULL, a->grad_v, 9 * one);
    firn_memory_release(NULL, a->history, (size_t)(n_history ? n_history : 1) * one);
    firn_memory_release(NULL, a->tau, 6 * one);
    firn_memory_release(NULL, a->temperature, one);
    void *single[] = {a->wave, a->viscosity, a->plastic, a->viscous, a->energy, a->flags};
    for (int i = 0; i < 6; i++) firn_memory_release(NULL, single[i], one);
    firn_memory_release(NULL, a->id, (size_t)(n_bundles * 16) * 4);
}

/* The batch of n particles, with arrays made for it (drop them with arrays_drop); bundles are
 * filled up with particles at rest. Trials are committed in place. */
static inline firn_law_batch batch_of(const firn_material *m, int variant, double dt,
                                      const point *points, int n, arrays *a)
{
    const firn_law_info *info = &m->law->info;
    int n_bundles = (n + 15) / 16, n_history = info->n_history,
        dbl = firn_variant_is_double(variant);
    *a = arrays_make(n_bundles, n_history, dbl);
    for (int i = 0; i < n_bundles * 16; i++) {
        for (int c = 0; c < 9; c++) put(a->F, dbl, 9, i, c, i < n ? points[i].F[c] : c % 4 == 0);
        for (int c = 0; c < 9; c++) put(a->grad_v, dbl, 9, i, c, i < n ? points[i].grad_v[c] : 0);
        for (int c = 0; c < n_history; c++)
            put(a->history, dbl, n_history, i, c, i < n ? points[i].history[c] : 0);
        put(a->temperature, dbl, 1, i, 0, i < n ? points[i].temperature : 300);
        a->id[i] = i < n ? points[i].id : 0;
    }
    return (firn_law_batch){.material = m,
                            .n_bundles = n_bundles,
                            .dt = dt,
                            .F = a->F,
                            .grad_v = a->grad_v,
                            .history = n_history ? a->history : NULL,
                            .temperature = a->temperature,
                            .id = a->id,
                            .F_new = a->F,
                            .history_new = n_history ? a->history : NULL,
                            .tau = a->tau,
                            .wave = a->wave,
                            .viscosity = a->viscosity,
                            .plastic = a->plastic,
                            .viscous = a->viscous,
                            .energy = a->energy,
                            .flags = a->flags};
}

/* n particles through `evaluate`, committed in place, or through `measure`. */
static inline void run(const firn_material *m, int variant, int is_update, double dt, point *points,
                       int n)
{
    arrays a;
    const firn_law_batch batch = batch_of(m, variant, dt, points, n, &a);
    int n_history = m->law->info.n_history, dbl = firn_variant_is_double(variant);
    if (is_update)
        m->law->kernels[variant].evaluate(&batch);
    else
        m->law->kernels[variant].measure(&batch);
    for (int i = 0; i < n; i++) {
        point *p = &points[i];
        for (int c = 0; c < 9; c++) p->F[c] = take(a.F, dbl, 9, i, c);
        for (int c = 0; c < 6; c++) p->tau[c] = take(a.tau, dbl, 6, i, c);
        for (int c = 0; c < n_history; c++) p->history[c] = take(a.history, dbl, n_history, i, c);
        p->wave = take(a.wave, dbl, 1, i, 0);
        p->viscosity = take(a.viscosity, dbl, 1, i, 0);
        p->plastic = take(a.plastic, dbl, 1, i, 0);
        p->viscous = take(a.viscous, dbl, 1, i, 0);
        p->energy = take(a.energy, dbl, 1, i, 0);
        p->flags = (int)take(a.flags, dbl, 1, i, 0);
    }
    arrays_drop(&a, batch.n_bundles, n_history, dbl);
}

/* A particle at rest with the law's initial history. */
static inline point rest(const firn_law_info *info)
{
    point p = {.F = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .temperature = 300};
    for (int k = 0; k < info->n_history; k++) p.history[k] = info->history[k].initial;
    return p;
}
static inline point at_stretch(const firn_law_info *info, double x, double y, double z)
{
    point p = rest(info);
    p.F[0] = x;
    p.F[4] = y;
    p.F[8] = z;
    return p;
}

/* A material of a law with settings "name value name value ..." ended by NULL. */
static inline firn_material material(const char *law, const char *preset, ...)
{
    firn_material_def def = {.name = "test"};
    snprintf(def.law, sizeof def.law, "%s", law);
    snprintf(def.preset, sizeof def.preset, "%s", preset);
    va_list list;
    va_start(list, preset);
    for (const char *name; (name = va_arg(list, const char *));) {
        firn_parameter_def *p = &def.parameters[def.n_parameters++];
        snprintf(p->name, sizeof p->name, "%s", name);
        p->value = va_arg(list, double);
    }
    va_end(list);
    firn_material m;
    firn_messages *messages = firn_messages_create();
    if (firn_material_resolve(&def, 1, &m, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return m;
}

/* A fixed stream of numbers, uniform in [-1, 1). */
static inline double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(*state & ~2047ull) * 0x1p-63;
}

static inline void random_rotation(uint64_t *state, double q[9])
{
    double w = uniform(state), x = uniform(state), y = uniform(state), z = uniform(state);
    double n = sqrt(w * w + x * x + y * y + z * z);
    w /= n;
    x /= n;
    y /= n;
    z /= n;
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(q, r, sizeof r);
}

static inline void multiply(const double *a, const double *b, double *out)
{
    double t[9];
    for (int i = 0; i < 9; i++)
        t[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3] +
               a[i / 3 * 3 + 2] * b[6 + i % 3];
    memcpy(out, t, sizeof t);
}
static inline void transpose(const double *a, double *out)
{
    double t[9];
    for (int i = 0; i < 9; i++) t[i] = a[3 * (i % 3) + i / 3];
    memcpy(out, t, sizeof t);
}
static inline double determinant(const double *a)
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}
static inline void inverse(const double *a, double *out)
{
    double d = determinant(a), t[9];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
            t[3 * r + c] = (a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1]) / d;
        }
    memcpy(out, t, sizeof t);
}
static inline void full(const double s[6], double out[9])
{
    const double t[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    memcpy(out, t, sizeof t);
}
static inline double length(const double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}
static inline double distance(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* The law's defaults with everything switched on that is zero by default: penalties, hardening,
 * cohesion, ... */
static inline firn_material everything_on(const firn_law_info *info)
{
    firn_material m = material(info->name, "", NULL);
    for (int k = 1; k < info->n_parameters; k++) {
        const firn_parameter_info *p = &info->parameters[k];
        if (p->value != 0) continue;
        m.value[k] = strcmp(p->unit, "1") == 0    ? 0.4 * fmin(p->max, 1)
                     : strcmp(p->unit, "Pa") == 0 ? 2e4
                                                  : 2e-3;
    }
    return m;
}

/* Calls a check for every law with its defaults, with everything on, and with each of its presets.
 */
typedef void (*check)(const firn_material *m, const char *label);
static inline void for_each_material(check each)
{
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *info = firn_law_at(i);
        firn_material m = everything_on(info);
        char label[160];
        snprintf(label, sizeof label, "%s with everything on", info->name);
        each(&m, label);
        for (int k = -1; k < info->n_presets; k++) {
            const char *preset = k < 0 ? "" : info->presets[k].name;
            m = material(info->name, preset, NULL);
            snprintf(label, sizeof label, "%s %s", info->name, preset);
            each(&m, label);
        }
    }
}

/* F = rotation diag(exp(spread noise)) rotation */
static inline point strained_point(const firn_law_info *info, uint64_t *state, double spread)
{
    point p = rest(info);
    double Q[9], R[9];
    random_rotation(state, Q);
    random_rotation(state, R);
    for (int i = 0; i < 3; i++) p.F[4 * i] = exp(spread * uniform(state));
    multiply(Q, p.F, p.F);
    multiply(p.F, R, p.F);
    return p;
}

#endif
