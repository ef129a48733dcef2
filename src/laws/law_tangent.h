/* SPDX-License-Identifier: MIT */
/* law_tangent.h: the tangent of a law, from its own text: what law_driver.h is to `evaluate`, on
 * dual lanes (simd/dual_lanes.h). One evaluation gives the flux
 *
 *   T = tau (I + dt grad v)^-T,      tau = tau(return_map((I + dt grad v) F))
 *
 * and its exact derivative dT along d(grad v), return map, viscosity and Maxwell branches included.
 * T grad w is the force density of a trial state in the configuration of t_n: with P the first Piola
 * stress and F_trial = (I + dt grad v) F, T = P F^T, so that V0 T : d(grad v) dt is the change of
 * the elastic energy V0 Psi(F_trial), and forces are the gradient of an incremental potential where
 * there is one.
 *
 * Principal forms. Of b = U diag(l) U^T with B = U^T db U
 *
 *   dl_i = B_ii,     (U^T dtau U)_ij = dtau_i delta_ij + B_ij (tau_j - tau_i) / (l_j - l_i)
 *
 * (R. W. Ogden, Non-linear elastic deformations, 1984, ch. 6). The quotient has no digits where two
 * stretches coincide. There the directions in their plane are free, and those that make B diagonal
 * in it are taken: the term is then zero, and dl, and with it dtau_i, is right along them. So no
 * limit of the quotient is needed, a state at rest (three equal stretches) is nothing special, and
 * opposite stretches, where the rotation of F has no derivative, give a finite answer.
 *
 * The history gets no derivative of its own, F_new and work none at all: a step is committed by
 * `evaluate` alone. */
#ifndef FIRN_LAW_TANGENT_H
#define FIRN_LAW_TANGENT_H

/* A principal frame, its values and its derivative. `turned`: directions that make the derivative
 * diagonal where eigenvalues coincide, and B in them. */
typedef struct tangent_frame {
    wide u[9], gap[3]; /* values; l_q - l_p of the pairs 01 02 12, REAL_MAX where they coincide */
    firn_lanes::mat3_turned turned;
} tangent_frame;

/* Share of the largest eigenvalue of b below which two coincide: the errors of quotient (round-off
 * over the difference) and of turned directions (the difference) are then alike. */
#define TANGENT_CLOSE (sizeof(real) == 8 ? (real)1e-8 : (real)3e-4)

enum { TANGENT_PAIRS = 3 };
static const int tangent_pair[TANGENT_PAIRS][2] = {{0, 1}, {0, 2}, {1, 2}};

/* Rotates in the planes of coinciding eigenvalues until B is diagonal there. */
FIRN_INLINE void tangent_turn(const wide negligible[3], firn_lanes::mat3_turned *m)
{
    wide *s = m->s;
#pragma GCC unroll 1
    for (int sweep = 0; sweep < firn_lanes::MAT3_SWEEPS; sweep++) {
        fm is_wanted = firn_lanes::fr_gt(firn_lanes::fr_abs(s[3]), negligible[0]);
        for (int k = 1; k < TANGENT_PAIRS; k++)
            is_wanted =
                fm_or(is_wanted, firn_lanes::fr_gt(firn_lanes::fr_abs(s[3 + k]), negligible[k]));
        if (!fm_any(is_wanted)) break;
        firn_lanes::mat3_rotate(&s[0], &s[1], &s[3], &s[4], &s[5], m->u, 0, 1, negligible[0]);
        firn_lanes::mat3_rotate(&s[0], &s[2], &s[4], &s[3], &s[5], m->u, 0, 2, negligible[1]);
        firn_lanes::mat3_rotate(&s[1], &s[2], &s[5], &s[3], &s[4], m->u, 1, 2, negligible[2]);
    }
}

/* frame->b.s becomes the eigenvalues with their derivatives. */
FIRN_INLINE void tangent_decompose(law_frame *frame, tangent_frame *t)
{
    wide change[9], product[9], values[6], l[3], largest = firn_lanes::fr_set1(MAT3_TINY);
    const fr *b = frame->b.s;
    for (int k = 0; k < 6; k++) values[k] = b[k].v;
    firn_lanes::mat3_eigen(values, l, t->u);

    const wide full[9] = {b[0].d, b[3].d, b[4].d, b[3].d, b[1].d, b[5].d, b[4].d, b[5].d, b[2].d};
    firn_lanes::mat3_multiply(full, t->u, product);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            change[3 * i + j] = firn_lanes::mat3_column_dot(t->u, i, product, j);
    firn_lanes::mat3_turned *m = &t->turned;
    for (int k = 0; k < 3; k++) m->s[k] = change[4 * k];
    m->s[3] = change[1];
    m->s[4] = change[2];
    m->s[5] = change[5];
    for (int i = 0; i < 9; i++) m->u[i] = t->u[i];

    wide most = firn_lanes::fr_zero(), negligible[TANGENT_PAIRS];
    for (int k = 0; k < 6; k++) most = firn_lanes::fr_max(most, firn_lanes::fr_abs(m->s[k]));
    for (int i = 0; i < 3; i++)
        largest = firn_lanes::fr_max(largest, firn_lanes::fr_abs(l[i] + frame->shift.v));
    for (int k = 0; k < TANGENT_PAIRS; k++) {
        const wide gap = l[tangent_pair[k][1]] - l[tangent_pair[k][0]];
        const fm is_close = firn_lanes::fr_le(firn_lanes::fr_abs(gap), TANGENT_CLOSE * largest);
        t->gap[k] = firn_lanes::fr_select(is_close, firn_lanes::fr_set1(REAL_MAX), gap);
        negligible[k] =
            firn_lanes::fr_select(is_close, MAT3_NEGLIGIBLE * most, firn_lanes::fr_set1(REAL_MAX));
    }
    tangent_turn(negligible, m);
    for (int i = 0; i < 3; i++) frame->b.s[i] = {l[i], m->s[i]};
}

/* tau from its principal values: U diag(tau_i) U^T, with the derivative above. */
FIRN_INLINE void tangent_assemble(const tangent_frame *t, const fr principal[3], fr tau[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const wide values[3] = {principal[0].v, principal[1].v, principal[2].v};
    wide whole[6], d[6], out[6];
    firn_lanes::mat3_from_principal(t->u, values, whole);
    for (int i = 0; i < 3; i++) d[i] = principal[i].d;
    for (int k = 0; k < TANGENT_PAIRS; k++) {
        const wide difference = values[tangent_pair[k][1]] - values[tangent_pair[k][0]];
        d[3 + k] = t->turned.s[3 + k] * (difference / t->gap[k]);
    }
    const wide *u = t->turned.u;
    for (int k = 0; k < 6; k++) {
        const wide *a = u + 3 * row[k], *b = u + 3 * column[k];
        out[k] = a[0] * (d[0] * b[0] + d[3] * b[1] + d[4] * b[2]) +
                 a[1] * (d[3] * b[0] + d[1] * b[1] + d[5] * b[2]) +
                 a[2] * (d[4] * b[0] + d[5] * b[1] + d[2] * b[2]);
        tau[k] = {whole[k], out[k]};
    }
}

FIRN_INLINE void tangent_principal(const law_functions *k, law_point *q, const fr f[9], fr tau[6])
{
    law_frame frame;
    tangent_frame t;
    fr principal[3];
    law_frame_begin(f, &frame);
    tangent_decompose(&frame, &t);
    law_frame_finish(k, q->det, &frame);
    if (k->return_map) k->return_map(q, frame.state);
    k->stress(q, frame.state, principal);
    tangent_assemble(&t, principal, tau);
}

FIRN_INLINE void tangent_general(const law_functions *k, law_point *q, fr f[9], fr tau[6])
{
    if (k->return_map) k->return_map(q, f);
    k->stress(q, f, tau);
}

/* T = tau (I + dt L)^-T by cofactors; returns det(I + dt L). */
FIRN_INLINE fr tangent_pull_back(const fr tau[6], const fr L[9], fr dt, fr flux[9])
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    fr a[9], cofactor[9];
    for (int i = 0; i < 9; i++) a[i] = dt * L[i] + (real)(i % 4 == 0);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cofactor[3 * r + c] = a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1];
        }
    const fr det = a[0] * cofactor[0] + a[1] * cofactor[1] + a[2] * cofactor[2], inverse = 1 / det;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            const fr sum = tau[at[r][0]] * cofactor[c] + tau[at[r][1]] * cofactor[3 + c] +
                           tau[at[r][2]] * cofactor[6 + c];
            flux[3 * r + c] = sum * inverse;
        }
    return det;
}

FIRN_INLINE void tangent_store(void *to, int at, int n, const fr *in, int is_change)
{
    for (int i = 0; to && i < n; i++)
        firn_lanes::fr_store((real *)to + at + i * FIRN_BUNDLE, is_change ? in[i].d : in[i].v);
}

/* One set of lanes. */
FIRN_INLINE void tangent_set(const law_functions *k, const firn_law_batch *b,
                             const firn_law_tangent *t, const fr *p, const fr *d, int bundle,
                             int lane)
{
    const int n_history = b->material->law->info.n_history;
    const int at1 = bundle * FIRN_BUNDLE + lane, at9 = bundle * 9 * FIRN_BUNDLE + lane,
              at_h = bundle * n_history * FIRN_BUNDLE + lane;
    const fr zero = fr_zero();
    fr f[9], L[9], h[FIRN_MAX_HISTORY], tau[6], flux[9];
    for (int i = 0; i < 9; i++) {
        const int at = at9 + i * FIRN_BUNDLE;
        f[i] = fr_load((const real *)b->F + at);
        L[i] = b->grad_v ? fr_load((const real *)b->grad_v + at) : zero;
        if (t->direction) L[i].d = firn_lanes::fr_load((const real *)t->direction + at);
    }
    for (int i = 0; i < n_history; i++)
        h[i] = fr_load((const real *)b->history + at_h + i * FIRN_BUNDLE);
    const fr dt = fr_set1((real)b->dt);
    mat3_advance(f, L, dt);
    law_point q = {};
    q.p = p;
    q.d = d;
    q.h = h;
    q.liquid = k->melts ? law_liquid(b, at1) : zero;
    q.flowed = zero;
    q.dt = dt;
    q.det = mat3_determinant(f);
    law_clear(&q);

    if (k->form == FIRN_FORM_GENERAL)
        tangent_general(k, &q, f, tau);
    else
        tangent_principal(k, &q, f, tau);
    if (k->flow) k->flow(&q, L);
    if (k->branch) k->branch(&q, tau);
    if (k->viscous) {
        fr rate[6], viscous[6];
        for (int i = 0; i < 6; i++) viscous[i] = zero;
        mat3_symmetric_part(L, rate);
        k->viscous(&q, rate, viscous);
        for (int i = 0; i < 6; i++) tau[i] = tau[i] + viscous[i];
    }
    const fr det = tangent_pull_back(tau, L, dt, flux);
    tangent_store(t->flux, at9, 9, flux, 0);
    tangent_store(t->change, at9, 9, flux, 1);
    if (!b->flags) return;
    fr sum = fr_abs(q.det);
    for (int i = 0; i < 9; i++) sum = sum + fr_abs(flux[i]);
    const fm is_good = fm_and(fr_is_finite(sum), fr_ge(det, fr_set1((real)0.1)));
    const fr flags = fr_select(is_good, zero, fr_set1(FIRN_FLAG_NONFINITE));
    firn_lanes::fr_store((real *)b->flags + at1, flags.v);
}

FIRN_INLINE void tangent_run(const law_functions *k, const firn_law_batch *b,
                             const firn_law_tangent *t)
{
    const firn_material *m = b->material;
    const firn_law_info *info = &m->law->info;
    real rows[FIRN_MAX_PARAMETERS][FIRN_BUNDLE] __attribute__((aligned(64)));
    fr p[FIRN_MAX_PARAMETERS], d[FIRN_MAX_DERIVED];
    int varying[FIRN_MAX_PARAMETERS], n_varying = 0;
    for (int i = 0; i < info->n_parameters; i++) {
        p[i] = fr_set1((real)m->value[i]);
        if (law_varies(b, i)) varying[n_varying++] = i;
    }
    if (k->derive) k->derive(p, d);
    for (int bundle = 0; bundle < b->n_bundles; bundle++) {
        for (int i = 0; i < n_varying; i++)
            law_parameter_row(b, info, bundle, varying[i], rows[i], NULL);
#pragma GCC unroll 1
        for (int lane = 0; lane < FIRN_BUNDLE; lane += LANES) {
            for (int i = 0; i < n_varying; i++) p[varying[i]] = fr_load(rows[i] + lane);
            if (n_varying && k->derive) k->derive(p, d);
            tangent_set(k, b, t, p, d, bundle, lane);
        }
    }
}

#define FIRN_LAW(law_name, ...)                                                                    \
    extern "C" void FIRN_LAW_NAME(law_name, tangent)(const firn_law_batch *batch,                  \
                                                     const firn_law_tangent *tangent);             \
    void FIRN_LAW_NAME(law_name, tangent)(const firn_law_batch *batch,                             \
                                          const firn_law_tangent *tangent)                         \
    {                                                                                              \
        tangent_run(&functions, batch, tangent);                                                   \
    }

#endif
