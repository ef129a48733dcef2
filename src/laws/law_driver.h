/* SPDX-License-Identifier: MIT */
/* law_driver.h: from the few functions of a constitutive law to the batch functions of law.h.
 *
 * A law's file is written once against `fr` (simd/lanes.h) and compiled once for each variant. It
 * gives a law_functions table of functions on one set of lanes and ends in FIRN_LAW(name, ...). It
 * chooses one of three forms, which say what its functions see of the state:
 *
 *   FIRN_FORM_STRETCH   isotropic   3 principal stretches s_i      stress gives tau_i
 *   FIRN_FORM_LOG       isotropic   3 log strains e_i = ln |s_i|   stress gives tau_i
 *   FIRN_FORM_GENERAL   any         F, 9 components                stress gives tau, 6 components
 *
 * Principal forms. The trial state is F = (I + dt grad v) F_old, decomposed once as
 *
 *   b = F F^T = U diag(s_i^2) U^T      (no V is needed)
 *   F_new = F + U diag(s_new / s - 1) U^T F,      tau = U diag(tau_i) U^T
 *
 * since F = U diag(s) V^T makes U diag(s_new) V^T = U diag(s_new / s) U^T F. Elastic steps leave F
 * unchanged to the last bit: s_new / s - 1 is then exactly zero. The smallest stretch carries the
 * sign of det F.
 *
 * Work of a step, J/m^3 of initial volume, never negative: plastic is sum tau_i ln(s_i / s_new,i),
 * the new stress times the plastic log strain (general form: the energy that the return map takes);
 * viscous is tau_viscous : d dt and what flow() returns.
 *
 * modulus() returns rho_0 c^2 in Pa, an upper bound of J times the largest eigenvalue of the
 * acoustic tensor in space. For an isotropic law with K_ij = d tau_i / d e_j - delta_ij tau_i and
 * G_ij = (tau_i - tau_j)/(s_i^2 - s_j^2) (R. W. Ogden, Non-linear elastic deformations, 1984,
 * ch. 6) it is bounded by
 *
 *   g + max(0, K_ii - g, K_ij + s_i^2 G_ij - tau_i),   g = max s_i^2 G_ij,
 *
 * which is exact at rest; a volumetric energy U(J) adds at most J^2 U''(J). */
#ifndef FIRN_LAW_DRIVER_H
#define FIRN_LAW_DRIVER_H

#include "base/random.h"
#include "simd/mat3.h"
#include "laws/law.h"

#include <math.h>
#include <string.h>

enum { FIRN_FORM_STRETCH, FIRN_FORM_LOG, FIRN_FORM_GENERAL };

/* What a law's functions see of one set of lanes. */
typedef struct law_point {
    const fr *p; /* parameters, in the order of the law's table */
    const fr *d; /* what derive() made of them */
    fr *h;       /* history; written by return_map and flow only */
    fr liquid;   /* liquid fraction, for laws that melt */
    fr flowed;   /* set by return_map for flow: shear strain of the flow in this step */
    fr dt;       /* s; zero in measure */
    fr det;      /* det F of the state given to the function */
    fm failed;   /* a law may set lanes in which it lost validity, */
    fm is_edge;  /* and those that a strain of FIRN_EDGE_STRAIN could take there */
    fm bounded[FIRN_N_BOUNDS]; /* lanes held at a bound, of the kinds in the law's table */
} law_point;

/* Counts these lanes as held at a bound, which the law's table names. */
FIRN_INLINE void law_bound(law_point *q, firn_bound kind, fm lanes)
{
    q->bounded[kind] = fm_or(q->bounded[kind], lanes);
}
FIRN_INLINE void law_clear(law_point *q)
{
    const fm none = fr_lt(fr_zero(), fr_zero());
    q->failed = q->is_edge = none;
    for (int kind = 0; kind < FIRN_N_BOUNDS; kind++) q->bounded[kind] = none;
}

typedef struct law_functions {
    int form;
    int melts;            /* the law sees q->liquid */
    int allows_inversion; /* the law is meant for det F <= 0 too */
    void (*derive)(const fr *p, fr *d);
    fr (*energy)(law_point *q, const fr *state);
    void (*stress)(law_point *q, const fr *state,
                   fr *tau);                     /* Kirchhoff, 3 principal values or 6 components */
    void (*return_map)(law_point *q, fr *state); /* NULL: elastic */
    /* How far the state has gone to the yield surface: below 1 elastic, 1 on it, above it only
     * where flow takes time. Laws whose table says is_plastic. */
    fr (*yield)(law_point *q, const fr *state);
    fr (*modulus)(law_point *q, const fr *state, const fr *tau);
    /* Advances tensors of the history by the motion I + dt grad v (Maxwell branches), after the
     * return map; trials only. NULL: none. Returns the work density lost in it. */
    fr (*flow)(law_point *q, const fr *grad_v);
    /* Stress from those tensors, added to tau. NULL: none. */
    void (*branch)(law_point *q, fr tau[6]);
    /* Viscous Kirchhoff stress from the rate of deformation (xx yy zz xy xz yz), added to tau;
     * NULL: inviscid. */
    void (*viscous)(law_point *q, const fr rate[6], fr tau[6]);
    /* Upper bound, over every rate, of the viscosity in that stress, Pa s; NULL: inviscid. */
    fr (*viscosity)(law_point *q);
} law_functions;

/* ---------------------------------------------------------------- parameters lane by lane */

/* A number in [-1, 1) for a particle, seed and parameter. */
static inline double law_noise(uint32_t id, uint64_t seed, int parameter)
{
    uint64_t x = seed * FIRN_RANDOM_STEP + ((uint64_t)(unsigned)parameter << 32) + id;
    return (double)(int64_t)firn_random_mix(x) * 0x1p-63;
}

/* Linear between the table's temperatures, constant beyond its ends. */
static inline double law_table(const firn_material *m, int k, double temperature)
{
    int n = m->n_table[k];
    const double *t = m->table_temperature[k], *v = m->table_value[k];
    if (!(temperature > t[0])) return v[0];
    for (int i = 1; i < n; i++)
        if (temperature <= t[i])
            return v[i - 1] + (v[i] - v[i - 1]) * (temperature - t[i - 1]) / (t[i] - t[i - 1]);
    return v[n - 1];
}

/* value (1 + rate (T - T_0)), or value exp(rate (1/T - 1/T_0)) */
static inline double law_form(const firn_material *m, int k, double temperature)
{
    const double rate = m->form_rate[k], T = m->form_T[k];
    return m->value[k] * (m->form[k] == FIRN_PARAMETER_ARRHENIUS
                              ? exp(rate * (1 / fmax(temperature, 1) - 1 / T))
                              : 1 + rate * (temperature - T));
}

static inline int law_varies(const firn_law_batch *b, int k)
{
    const firn_material *m = b->material;
    return m->n_table[k] || m->form[k] || m->painted[k] || m->noise[k] > 0;
}

/* Parameter k of every lane of a bundle, into row[16]. Values leave neither the range of the
 * law's table: lanes that would are marked in bounded[16], NULL: not wanted. */
static inline void law_parameter_row(const firn_law_batch *b, const firn_law_info *info, int bundle,
                                     int k, real *row, real *bounded)
{
    const firn_material *m = b->material;
    const real *temperature =
        b->temperature ? (const real *)b->temperature + bundle * FIRN_BUNDLE : NULL;
    const uint32_t *id = b->id ? b->id + bundle * FIRN_BUNDLE : NULL;
    const double min = info->parameters[k].min, max = info->parameters[k].max;
    double x[FIRN_BUNDLE];
    for (int lane = 0; lane < FIRN_BUNDLE; lane++) x[lane] = m->value[k];
    for (int lane = 0; m->n_table[k] && temperature && lane < FIRN_BUNDLE; lane++)
        x[lane] = law_table(m, k, (double)temperature[lane]);
    for (int lane = 0; m->form[k] && temperature && lane < FIRN_BUNDLE; lane++)
        x[lane] = law_form(m, k, (double)temperature[lane]);
    for (int lane = 0; m->painted[k] && id && lane < FIRN_BUNDLE; lane++) {
        double painted = id[lane] < m->n_painted ? (double)m->painted[k][id[lane]] : x[lane];
        x[lane] = painted == painted ? painted : x[lane];
    }
    if (m->noise[k] > 0 && id)
        for (int lane = 0; lane < FIRN_BUNDLE; lane++)
            x[lane] *= 1 + m->noise[k] * law_noise(id[lane], m->seed, k);
    for (int lane = 0; lane < FIRN_BUNDLE; lane++) {
        double y = x[lane] < min ? min : x[lane];
        row[lane] = (real)(y > max ? max : y);
        if (bounded && (x[lane] < min || x[lane] > max))
            bounded[lane] = (real)firn_flag_of_bound(FIRN_BOUND_PARAMETER);
    }
}

/* The liquid fraction of a set of lanes: given, or that of the temperature in equilibrium. */
static inline fr law_liquid(const firn_law_batch *b, int at)
{
    real row[LANES];
    if (b->liquid) return fr_load((const real *)b->liquid + at);
    for (int l = 0; l < LANES; l++)
        row[l] = b->temperature
                     ? (real)firn_thermal_fraction(&b->material->thermal,
                                                   (double)((const real *)b->temperature)[at + l])
                     : 0;
    return fr_load(row);
}

/* ---------------------------------------------------------------- one set of lanes */

/* The principal frame of b = F F^T: directions and the law's state (stretches or log strains). */
typedef struct law_frame {
    mat3_turned b; /* less `shift` on the diagonal */
    fr shift, state[3];
    fm is_collapsed; /* a stretch is at the floor of its logarithm */
} law_frame;

/* b - shift I: near the identity the strains are small numbers next to the ones on the diagonal, and
 * would lose their digits to them (mat3_left_cauchy_green). */
FIRN_INLINE void law_frame_begin(const fr f[9], law_frame *frame)
{
    /* strongly collapsed states keep their digits without the shift, all others with it */
    fr size = f[0] * f[0] + f[4] * f[4] + f[8] * f[8];
    frame->shift = fr_select(fr_gt(size, fr_set1((real)0.75)), fr_set1(1), fr_zero());
    mat3_left_cauchy_green(f, frame->shift, frame->b.s);
}

/* After the eigen-decomposition. */
FIRN_INLINE void law_frame_finish(const law_functions *k, fr det, law_frame *frame)
{
    const fr *g = frame->b.s, shift = frame->shift,
             floor = fr_set1(16 * REAL_EPSILON * REAL_EPSILON);
    fr s2[3];
    for (int i = 0; i < 3; i++)
        s2[i] = fr_max(floor, g[i] + shift); /* a NaN stays: max gives its second argument */
    if (k->form == FIRN_FORM_LOG) {
        for (int i = 0; i < 3; i++)
            frame->state[i] = (real)0.5 * fr_log_sum(shift, fr_max(floor - shift, g[i]));
        const fr least = floor - shift;
        frame->is_collapsed =
            fm_or(fr_le(g[0], least), fm_or(fr_le(g[1], least), fr_le(g[2], least)));
    } else {
        fr smallest = fr_min(s2[0], fr_min(s2[1], s2[2])), sign = fr_copysign(fr_set1(1), det);
        fm signed_already =
            fr_lt(fr_zero(), fr_zero()); /* no lane yet; only the first match takes the sign */
        for (int i = 0; i < 3; i++) {
            fm here = fm_and(fr_eq(s2[i], smallest), fm_not(signed_already));
            frame->state[i] = fr_sqrt(s2[i]) * fr_select(here, sign, fr_set1(1));
            signed_already = fm_or(signed_already, here);
        }
    }
}

#ifndef FIRN_DUAL

/* The state before (`from`) and after (state) the return map gives the plastic work and the new F.
 */
FIRN_INLINE fr law_apply_return(const law_functions *k, const law_frame *frame, const fr from[3],
                                const fr tau[3], fr f[9])
{
    fr change[3], a[6], work = fr_zero();
    for (int i = 0; i < 3; i++) {
        fr strain; /* plastic log strain of the step */
        if (k->form == FIRN_FORM_LOG) {
            strain = from[i] - frame->state[i];
            change[i] = fr_expm1(-strain);
        } else {
            fr ratio = frame->state[i] / from[i];
            change[i] = (frame->state[i] - from[i]) / from[i];
            strain = -fr_log(fr_max(fr_set1(REAL_EPSILON), ratio));
        }
        work = work + tau[i] * strain;
    }
    mat3_from_principal(frame->b.u, change, a);
    const fr full[9] = {a[0], a[3], a[4], a[3], a[1], a[5], a[4], a[5], a[2]};
    fr delta[9];
    mat3_multiply(full, f, delta);
    for (int i = 0; i < 9; i++) f[i] = f[i] + delta[i];
    return fr_max(work, fr_zero());
}

typedef struct law_result {
    fr tau[6], modulus, energy, plastic, viscous;
} law_result;

FIRN_INLINE void law_principal(const law_functions *k, law_point *q, law_frame *frame, fr f[9],
                               const fr grad_v[9], int is_trial, law_result *out)
{
    fr tau[3], *state = frame->state;
    law_frame_finish(k, q->det, frame);
    if (k->form == FIRN_FORM_LOG) law_bound(q, FIRN_BOUND_COLLAPSED, frame->is_collapsed);
    if (is_trial && k->return_map) {
        const fr from[3] = {state[0], state[1], state[2]};
        k->return_map(q, state);
        k->stress(q, state, tau);
        fm changed = fm_not(fm_and(fm_and(fr_eq(from[0], state[0]), fr_eq(from[1], state[1])),
                                   fr_eq(from[2], state[2])));
        /* skipping adds exact zeros where nothing yields, so it is free of side effects */
        if (fm_any(changed)) out->plastic = law_apply_return(k, frame, from, tau, f);
    } else {
        k->stress(q, state, tau);
    }
    if (is_trial && k->flow) out->viscous = k->flow(q, grad_v);
    if (!is_trial) out->energy = k->energy(q, state);
    out->modulus = k->modulus(q, state, tau);
    mat3_from_principal(frame->b.u, tau, out->tau);
}

FIRN_INLINE void law_general(const law_functions *k, int is_plastic, law_point *q, fr f[9],
                             const fr grad_v[9], int is_trial, law_result *out)
{
    if (is_trial && k->return_map) {
        fr before = is_plastic ? k->energy(q, f) : fr_zero();
        k->return_map(q, f);
        if (is_plastic) out->plastic = fr_max(before - k->energy(q, f), fr_zero());
    }
    k->stress(q, f, out->tau);
    if (is_trial && k->flow) out->viscous = k->flow(q, grad_v);
    if (!is_trial) out->energy = k->energy(q, f);
    out->modulus = k->modulus(q, f, out->tau);
}

/* ---------------------------------------------------------------- the batch loop */

FIRN_INLINE void law_load(const void *from, int n, int at, fr *out)
{
    for (int i = 0; i < n; i++) out[i] = fr_load((const real *)from + at + i * FIRN_BUNDLE);
}
FIRN_INLINE void law_store(void *to, int n, int at, const fr *in)
{
    for (int i = 0; i < n; i++) fr_store((real *)to + at + i * FIRN_BUNDLE, in[i]);
}

/* One sum finds a NaN or an infinity anywhere: terms are sizes and do not cancel. */
FIRN_INLINE fr law_flags(const law_functions *k, const firn_law_info *info, const law_point *q,
                         const fr f[9], const fr tau[6], fr energy)
{
    fr sum = energy + fr_abs(q->det); /* the determinant of what came in, before any return map */
    for (int i = 0; i < 9; i++) sum = sum + fr_abs(f[i]);
    for (int i = 0; i < 6; i++) sum = sum + fr_abs(tau[i]);
    fr flags = fr_select(fr_is_finite(sum), fr_zero(), fr_set1(FIRN_FLAG_NONFINITE));
    if (!k->allows_inversion)
        flags = flags + fr_select(fr_le(q->det, fr_zero()), fr_set1(FIRN_FLAG_INVERTED), fr_zero());
    flags = flags + fr_select(q->failed, fr_set1(FIRN_FLAG_FAILED), fr_zero());
    fm is_edge =
        fm_or(q->is_edge,
              fr_gt(sum, fr_set1(REAL_MAX * (real)1e-12))); /* a step makes no more than that */
    is_edge = fm_and(is_edge, fr_lt(flags, fr_set1(FIRN_FLAG_NONFINITE)));
    flags = flags + fr_select(is_edge, fr_set1(FIRN_FLAG_EDGE), fr_zero());
    for (int i = 0; i < info->n_bounds; i++) {
        const firn_bound kind = info->bounds[i].kind;
        flags = flags + fr_select(q->bounded[kind], fr_set1((real)firn_flag_of_bound((int)kind)),
                                  fr_zero());
    }
    return flags;
}

/* One set of lanes of a bundle, on its way from F to stress. */
typedef struct law_set {
    int bundle, lane;
    const fr *p, *d;
    fr f[9], held; /* held: flags of parameters, where they vary */
    law_frame frame;
} law_set;

FIRN_INLINE void law_set_grad_v(const firn_law_batch *b, const law_set *set, fr grad_v[9])
{
    if (b->grad_v)
        law_load(b->grad_v, 9, set->bundle * 9 * FIRN_BUNDLE + set->lane, grad_v);
    else
        for (int i = 0; i < 9; i++) grad_v[i] = fr_zero();
}

FIRN_INLINE void law_set_begin(const law_functions *k, const firn_law_batch *b, int is_trial,
                               law_set *set)
{
    law_load(b->F, 9, set->bundle * 9 * FIRN_BUNDLE + set->lane, set->f);
    if (is_trial) {
        fr grad_v[9];
        law_set_grad_v(b, set, grad_v);
        mat3_advance(set->f, grad_v, fr_set1((real)b->dt));
    }
    if (k->form != FIRN_FORM_GENERAL) law_frame_begin(set->f, &set->frame);
}

/* at9 and so on are where the set's components start. */
FIRN_INLINE void law_set_finish(const law_functions *k, const firn_law_info *info,
                                const firn_law_batch *b, int is_trial, law_set *set)
{
    const int n_history = info->n_history;
    const int bundle = set->bundle, lane = set->lane;
    int at1 = bundle * FIRN_BUNDLE + lane, at6 = bundle * 6 * FIRN_BUNDLE + lane;
    int at9 = bundle * 9 * FIRN_BUNDLE + lane, at_h = bundle * n_history * FIRN_BUNDLE + lane;
    fr *f = set->f, grad_v[9], h[FIRN_MAX_HISTORY], zero = fr_zero();
    law_result out = {.energy = zero, .plastic = zero, .viscous = zero};
    law_point q = {.p = set->p,
                   .d = set->d,
                   .h = h,
                   .flowed = zero,
                   .dt = fr_set1(is_trial ? (real)b->dt : 0)};
    law_clear(&q);
    if (k->melts) q.liquid = law_liquid(b, at1);
    law_set_grad_v(b, set, grad_v);
    if (n_history) law_load(b->history, n_history, at_h, h);

    q.det = mat3_determinant(f);
    if (k->form == FIRN_FORM_GENERAL)
        law_general(k, info->is_plastic, &q, f, grad_v, is_trial, &out);
    else
        law_principal(k, &q, &set->frame, f, grad_v, is_trial, &out);
    if (k->branch) k->branch(&q, out.tau);
    if (k->viscous) {
        fr rate[6], tau[6];
        for (int i = 0; i < 6; i++) tau[i] = fr_zero();
        mat3_symmetric_part(grad_v, rate);
        k->viscous(&q, rate, tau);
        for (int i = 0; i < 6; i++) out.tau[i] = out.tau[i] + tau[i];
        out.viscous = out.viscous + fr_max(mat3_contract(tau, rate) * q.dt, zero);
    }

    fr per_density = 1 / q.p[0];
    if (is_trial && b->F_new) law_store(b->F_new, 9, at9, f);
    if (is_trial && n_history && b->history_new) law_store(b->history_new, n_history, at_h, h);
    if (b->tau) law_store(b->tau, 6, at6, out.tau);
    if (b->wave)
        fr_store((real *)b->wave + at1, fr_sqrt(fr_max(out.modulus, fr_zero()) * per_density));
    if (b->viscosity)
        fr_store((real *)b->viscosity + at1,
                 k->viscosity ? k->viscosity(&q) * per_density : fr_zero());
    if (b->plastic) fr_store((real *)b->plastic + at1, out.plastic);
    if (b->viscous) fr_store((real *)b->viscous + at1, out.viscous);
    if (b->energy && !is_trial) fr_store((real *)b->energy + at1, out.energy);
    if (b->yield && !is_trial) {
        const fr *state = k->form == FIRN_FORM_GENERAL ? f : set->frame.state;
        fr_store((real *)b->yield + at1, k->yield ? k->yield(&q, state) : zero);
    }
    if (b->flags) fr_store((real *)b->flags + at1, law_flags(k, info, &q, f, out.tau, out.energy));
}

FIRN_INLINE void law_decompose(int n, law_set *set)
{
    mat3_turned b[2];
    if (n < 2) {
        mat3_eigen_sets(1, &set->frame.b);
        return;
    }
    b[0] = set[0].frame.b;
    b[1] = set[1].frame.b;
    mat3_eigen_sets(2, b);
    set[0].frame.b = b[0];
    set[1].frame.b = b[1];
}

/* Adds the flags of parameters held in their range, where parameters vary from lane to lane. */
FIRN_INLINE void law_add_flags(const firn_law_batch *b, const law_set *set)
{
    real *to = (real *)b->flags + set->bundle * FIRN_BUNDLE + set->lane;
    fr_store(to, fr_load(to) + set->held);
}

/* Two sets of lanes go through the eigen-decomposition together (mat3.h): of one bundle, or,
 * where a set is a whole one, of two bundles. */
FIRN_INLINE void law_run(const law_functions *k, const firn_law_info *info, const firn_law_batch *b,
                         int is_trial)
{
    enum { SETS = 2 };
    const firn_material *m = b->material;
    real rows[FIRN_MAX_PARAMETERS][FIRN_BUNDLE]
        __attribute__((aligned(64))); /* of the bundle at hand */
    real held[FIRN_BUNDLE] __attribute__((aligned(64)));
    fr p[SETS][FIRN_MAX_PARAMETERS], d[SETS][FIRN_MAX_DERIVED];
    int varying[FIRN_MAX_PARAMETERS], n_varying = 0;
    for (int i = 0; i < info->n_parameters; i++) {
        for (int t = 0; t < SETS; t++) p[t][i] = fr_set1((real)m->value[i]);
        if (law_varies(b, i)) varying[n_varying++] = i;
    }
    for (int t = 0; k->derive && t < SETS; t++) k->derive(p[t], d[t]);
    const int n_sets = b->n_bundles * (FIRN_BUNDLE / LANES);
    for (int first = 0; first < n_sets; first += SETS) {
        const int n = n_sets - first < SETS ? 1 : SETS;
        law_set set[SETS];
#pragma GCC unroll 1
        for (int t = 0; t < n; t++) {
            const int bundle = (first + t) / (FIRN_BUNDLE / LANES),
                      lane = (first + t) % (FIRN_BUNDLE / LANES) * LANES;
            set[t].bundle = bundle;
            set[t].lane = lane;
            set[t].p = p[t];
            set[t].d = d[t];
            if (lane == 0) {
                lanes_ask(b->F, bundle, 9);
                if (b->tau) lanes_ask(b->tau, bundle, 6);
                if (info->n_history) lanes_ask(b->history, bundle, info->n_history);
                if (n_varying && b->id) lanes_ask_ids(b->id, bundle);
                if (n_varying) memset(held, 0, sizeof held);
                for (int i = 0; i < n_varying; i++)
                    law_parameter_row(b, info, bundle, varying[i], rows[i], held);
            }
            if (n_varying) set[t].held = fr_load(held + lane);
            for (int i = 0; i < n_varying; i++) p[t][varying[i]] = fr_load(rows[i] + lane);
            if (n_varying && k->derive) k->derive(p[t], d[t]);
            law_set_begin(k, b, is_trial, &set[t]);
        }
        if (k->form != FIRN_FORM_GENERAL) law_decompose(n, set);
#pragma GCC unroll 1
        for (int t = 0; t < n; t++) {
            law_set_finish(k, info, b, is_trial, &set[t]);
            if (n_varying && b->flags) law_add_flags(b, &set[t]);
        }
    }
}

#endif /* FIRN_DUAL */

/* ---------------------------------------------------------------- registration */

#define FIRN_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define FIRN_PARAMETERS(array) .n_parameters = FIRN_COUNT(array), .parameters = (array)
#define FIRN_HISTORY(array) .n_history = FIRN_COUNT(array), .history = (array)
#define FIRN_BOUNDS(array) .n_bounds = FIRN_COUNT(array), .bounds = (array)
#define FIRN_RELATIONS(array) .n_relations = FIRN_COUNT(array), .relations = (array)
#define FIRN_PRESETS(array) .n_presets = FIRN_COUNT(array), .presets = (array)

#define FIRN_LAW_NAME__(name, what, variant) firn_law_##name##_##what##_##variant
#define FIRN_LAW_NAME_(name, what, variant) FIRN_LAW_NAME__(name, what, variant)
#define FIRN_LAW_NAME(name, what) FIRN_LAW_NAME_(name, what, FIRN_VARIANT)

#ifdef FIRN_DUAL
#include "laws/law_tangent.h"
#else
#define FIRN_LAW_KERNEL(name, index, variant, isa, is_double)                                      \
    [index] = {firn_law_##name##_evaluate_##variant, firn_law_##name##_measure_##variant,          \
               firn_law_##name##_tangent_##variant},
#define FIRN_LAW_DECLARE(name, index, variant, isa, is_double)                                     \
    void firn_law_##name##_evaluate_##variant(const firn_law_batch *batch);                        \
    void firn_law_##name##_measure_##variant(const firn_law_batch *batch);                         \
    void firn_law_##name##_tangent_##variant(const firn_law_batch *batch,                          \
                                             const firn_law_tangent *tangent);
#define FIRN_LAW_DECLARE_ALL(name) FIRN_VARIANTS_BUILT(FIRN_LAW_DECLARE, name)
#define FIRN_LAW_KERNELS(name) FIRN_VARIANTS_BUILT(FIRN_LAW_KERNEL, name)

/* The table of a law is emitted once, by the variant that is always built. */
#if FIRN_ISA == 0
#define FIRN_LAW_ENTRY(name, ...)                                                                  \
    extern const firn_law firn_law_##name;                                                         \
    const firn_law firn_law_##name = {.info = {__VA_ARGS__}, .kernels = {FIRN_LAW_KERNELS(name)}};
#else
#define FIRN_LAW_ENTRY(name, ...)
#endif

/* FIRN_LAW(sand, .title = "...", .equations = "...", ...): the last line of a law's file. It
 * needs a constant law_functions called `functions` and the parameters in an array called
 * `parameters`. */
#define FIRN_LAW(law_name, ...)                                                                    \
    static const firn_law_info law_info = {                                                        \
        .name = #law_name, FIRN_PARAMETERS(parameters), __VA_ARGS__};                              \
    FIRN_LAW_DECLARE_ALL(law_name)                                                                 \
    void FIRN_LAW_NAME(law_name, evaluate)(const firn_law_batch *batch)                            \
    {                                                                                              \
        law_run(&functions, &law_info, batch, 1);                                                  \
    }                                                                                              \
    void FIRN_LAW_NAME(law_name, measure)(const firn_law_batch *batch)                             \
    {                                                                                              \
        law_run(&functions, &law_info, batch, 0);                                                  \
    }                                                                                              \
    FIRN_LAW_ENTRY(law_name, .name = #law_name, FIRN_PARAMETERS(parameters), __VA_ARGS__)
#endif /* FIRN_DUAL */

#endif
