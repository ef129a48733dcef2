/* SPDX-License-Identifier: MIT */
/* What every law must pass, made from its table alone: no law is named here. A law that is added
 * to the register is tested here without another edit. */
#include "support/law_support.h"

#include <lapacke.h>

enum { SAMPLES = 48 };

/* The stress scale of a material: rho c^2 at rest. */
static double scale_of(const firn_material *m)
{
    point p = rest(&m->law->info);
    run(m, FIRN_F64_SCALAR, 0, 0, &p, 1);
    return m->density * p.wave * p.wave;
}

/* F = I + size * noise, the history at its start */
static point random_point(const firn_law_info *info, uint64_t *state, double size)
{
    point p = rest(info);
    for (int c = 0; c < 9; c++) p.F[c] += size * uniform(state);
    for (int c = 0; c < 9; c++) p.grad_v[c] = uniform(state);
    return p;
}

/* P = tau F^-T */
static void nominal_stress(const point *p, double *P)
{
    double tau[9], inv[9];
    full(p->tau, tau);
    inverse(p->F, inv);
    transpose(inv, inv);
    multiply(tau, inv, P);
}

/* ---------------------------------------------------------------- elasticity */

static void rest_is_free_of_stress(const firn_material *m, const char *label)
{
    point p = rest(&m->law->info);
    run(m, FIRN_F64_SCALAR, 0, 0, &p, 1);
    double scale = m->density * p.wave * p.wave;
    if (!(scale > 0)) fail_msg("%s: no wave speed at rest", label);
    if (!(length(p.tau, 6) <= 1e-12 * scale))
        fail_msg("%s: |tau| = %g at rest", label, length(p.tau, 6));
    if (!(fabs(p.energy) <= 1e-12 * scale)) fail_msg("%s: energy %g at rest", label, p.energy);
    if (p.flags) fail_msg("%s: flags %d at rest", label, p.flags);
}

/* Five-point difference of the energy, whose error is far below the gate of 1e-7. */
static void stress_is_derivative_of_energy(const firn_material *m, const char *label)
{
    const double step = 2e-4, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12},
                 at[4] = {-2, -1, 1, 2};
    uint64_t seed = 1;
    double scale = scale_of(m);
    for (int k = 0; k < SAMPLES; k++) {
        point p = random_point(&m->law->info, &seed, k % 2 ? 0.02 : 0.25), q[36];
        if (k % 3 == 2) p = strained_point(&m->law->info, &seed, 1.3);
        memset(p.grad_v, 0, sizeof p.grad_v);
        /* a liquid that lets go of tension has a kink in its stress there, which no difference
         * formula can cross */
        if (m->law->info.is_fluid && fabs(determinant(p.F) - 1) < 2e-3) continue;
        for (int c = 0; c < 36; c++) {
            q[c] = p;
            q[c].F[c / 4] += step * at[c % 4];
        }
        run(m, FIRN_F64_SCALAR, 0, 0, &p, 1);
        run(m, FIRN_F64_SCALAR, 0, 0, q, 36);
        double P[9], difference[9] = {0};
        nominal_stress(&p, P);
        for (int c = 0; c < 36; c++) difference[c / 4] += weight[c % 4] * q[c].energy / step;
        double error = distance(P, difference, 9);
        if (!(error <= 1e-7 * fmax(length(P, 9), 1e-2 * scale)))
            fail_msg("%s sample %d: P is off by %g of %g", label, k, error, length(P, 9));
    }
}

static void rotated(const double Q[9], const double tau[6], double out[9])
{
    double t[9], QT[9];
    full(tau, t);
    transpose(Q, QT);
    multiply(Q, t, t);
    multiply(t, QT, out);
}

static void motion_of_the_observer_changes_nothing(const firn_material *m, const char *label)
{
    uint64_t seed = 2;
    double scale = scale_of(m);
    for (int k = 0; k < SAMPLES; k++) {
        point p = random_point(&m->law->info, &seed, 0.1), turned = p, before = p;
        double Q[9], QT[9], expected[9], got[9];
        random_rotation(&seed, Q);
        transpose(Q, QT);
        multiply(Q, p.F, turned.F);
        multiply(Q, p.grad_v, turned.grad_v);
        multiply(turned.grad_v, QT, turned.grad_v);
        point whole = turned;
        /* a step with plastic flow and viscosity, then the state as it is */
        run(m, FIRN_F64_SCALAR, 1, 1e-3, &p, 1);
        run(m, FIRN_F64_SCALAR, 1, 1e-3, &turned, 1);
        rotated(Q, p.tau, expected);
        full(turned.tau, got);
        if (!(distance(expected, got, 9) <= 1e-11 * (scale + length(got, 9))))
            fail_msg("%s sample %d: update: stress turns wrongly by %g", label, k,
                     distance(expected, got, 9));
        multiply(Q, p.F, expected);
        memcpy(got, turned.F, sizeof got);
        if (m->law->info.is_fluid) { /* a fluid keeps no orientation: compare F F^T */
            transpose(expected, QT);
            multiply(expected, QT, expected);
            transpose(got, QT);
            multiply(got, QT, got);
        }
        if (!(distance(expected, got, 9) <= 1e-12))
            fail_msg("%s sample %d: update: F turns wrongly", label, k);
        run(m, FIRN_F64_SCALAR, 0, 0, &before, 1);
        run(m, FIRN_F64_SCALAR, 0, 0, &whole, 1);
        rotated(Q, before.tau, expected);
        full(whole.tau, got);
        if (!(distance(expected, got, 9) <= 1e-12 * (scale + length(got, 9))))
            fail_msg("%s sample %d: stress turns wrongly by %g", label, k,
                     distance(expected, got, 9));
        if (!(fabs(before.wave - whole.wave) <= 1e-10 * whole.wave))
            fail_msg("%s: wave speed turns", label);
    }
}

static void isotropic_laws_are_isotropic(const firn_material *m, const char *label)
{
    if (!m->law->info.is_isotropic) return;
    uint64_t seed = 3;
    double scale = scale_of(m);
    for (int k = 0; k < SAMPLES; k++) {
        point p = random_point(&m->law->info, &seed, 0.1), turned = p;
        double Q[9];
        random_rotation(&seed, Q);
        multiply(p.F, Q, turned.F);
        run(m, FIRN_F64_SCALAR, 1, 1e-3, &p, 1);
        run(m, FIRN_F64_SCALAR, 1, 1e-3, &turned, 1);
        if (!(distance(p.tau, turned.tau, 6) <= 1e-11 * (scale + length(p.tau, 6))))
            fail_msg("%s sample %d: not isotropic by %g", label, k, distance(p.tau, turned.tau, 6));
    }
}

/* ---------------------------------------------------------------- plasticity */

/* In no time nothing flows by rate, so a second return map must find the first one's result
 * admissible. */
static void return_map_twice_is_once(const firn_material *m, const char *label)
{
    uint64_t seed = 4;
    double scale = scale_of(m);
    for (int k = 0; k < 4 * SAMPLES; k++) {
        point once = random_point(&m->law->info, &seed, k % 2 ? 0.03 : 0.2);
        run(m, FIRN_F64_SCALAR, 1, 0, &once, 1);
        point twice = once;
        run(m, FIRN_F64_SCALAR, 1, 0, &twice, 1);
        if (!(distance(once.F, twice.F, 9) <= 1e-11))
            fail_msg("%s sample %d: F moves again by %g", label, k, distance(once.F, twice.F, 9));
        if (!(distance(once.history, twice.history, m->law->info.n_history) <= 1e-11))
            fail_msg("%s sample %d: history moves again by %g", label, k,
                     distance(once.history, twice.history, m->law->info.n_history));
        if (!(twice.plastic <= 1e-11 * scale)) fail_msg("%s sample %d: works again", label, k);
    }
}

/* Flow at fixed history may only lower the stored energy, and reported work is never negative. */
static void flow_dissipates(const firn_material *m, const char *label)
{
    uint64_t seed = 5;
    double scale = scale_of(m);
    for (int k = 0; k < 4 * SAMPLES; k++) {
        point p = random_point(&m->law->info, &seed, k % 2 ? 0.03 : 0.2), trial = p;
        double change[9];
        multiply(p.grad_v, p.F, change);
        const double dt = 1e-3;
        for (int c = 0; c < 9; c++) trial.F[c] += dt * change[c];
        point after = p;
        run(m, FIRN_F64_SCALAR, 1, dt, &after, 1);
        if (!(after.plastic >= 0) || !(after.viscous >= 0))
            fail_msg("%s sample %d: negative work", label, k);
        point relaxed = after;
        memcpy(relaxed.history, trial.history, sizeof relaxed.history);
        run(m, FIRN_F64_SCALAR, 0, 0, &trial, 1);
        run(m, FIRN_F64_SCALAR, 0, 0, &relaxed, 1);
        if (!(relaxed.energy <= trial.energy + 1e-12 * scale))
            fail_msg("%s sample %d: flow raised the energy from %g to %g", label, k, trial.energy,
                     relaxed.energy);
    }
}

/* ---------------------------------------------------------------- wave speed */

/* dP_ij/dF_kl by central differences, [9][9] */
static void tangent(const firn_material *m, const point *p, double A[81])
{
    const double step = 1e-5;
    point q[18];
    for (int c = 0; c < 18; c++) {
        q[c] = *p;
        q[c].F[c / 2] += c % 2 ? step : -step;
    }
    run(m, FIRN_F64_SCALAR, 0, 0, q, 18);
    for (int c = 0; c < 9; c++) {
        double low[9], high[9];
        nominal_stress(&q[2 * c], low);
        nominal_stress(&q[2 * c + 1], high);
        for (int r = 0; r < 9; r++) A[9 * r + c] = (high[r] - low[r]) / (2 * step);
    }
}

/* The fastest plane wave in space found among many directions N of the undeformed body: rho_0
 * c_0^2 is the largest eigenvalue of A_ijkl N_j N_l, and the wave's speed in space is c_0 /
 * |F^-T N|. */
static double fastest_wave(const firn_material *m, const point *p, uint64_t *seed)
{
    double A[81], inv[9], fastest = 0;
    tangent(m, p, A);
    inverse(p->F, inv);
    for (int k = 0; k < 40; k++) {
        double N[3] = {k == 0, k == 1, k == 2}, Q[9], values[3], slow[3];
        if (k > 2)
            for (int i = 0; i < 3; i++) N[i] = uniform(seed);
        double n = length(N, 3);
        for (int i = 0; i < 3; i++) N[i] /= n;
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++) {
                Q[3 * i + c] = 0;
                for (int j = 0; j < 3; j++)
                    for (int l = 0; l < 3; l++)
                        Q[3 * i + c] += A[9 * (3 * i + j) + 3 * c + l] * N[j] * N[l];
            }
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3, Q, 3, values), 0);
        for (int i = 0; i < 3; i++) slow[i] = inv[i] * N[0] + inv[3 + i] * N[1] + inv[6 + i] * N[2];
        if (values[2] > 0) fastest = fmax(fastest, sqrt(values[2] / m->density) / length(slow, 3));
    }
    return fastest;
}

static void wave_speed_is_an_upper_bound(const firn_material *m, const char *label)
{
    uint64_t seed = 6;
    for (int k = 0; k < 24; k++) {
        point p = random_point(&m->law->info, &seed, k == 0 ? 0 : k % 2 ? 0.02 : 0.25);
        if (k % 3 == 2) p = strained_point(&m->law->info, &seed, 1.2);
        memset(p.grad_v, 0, sizeof p.grad_v);
        double fastest = fastest_wave(m, &p, &seed);
        run(m, FIRN_F64_SCALAR, 0, 0, &p, 1);
        if (!(p.wave >= fastest * (1 - 1e-5)))
            fail_msg("%s sample %d: wave %g < %g", label, k, p.wave, fastest);
        /* a bound that is far too large would only waste time steps; branches of memory are
         * frozen in `fastest` */
        int may_be_loose =
            k > 0 &&
            m->law->info.is_fluid; /* pulled apart, a liquid without tension has no waves */
        if (!may_be_loose && !(p.wave <= 3 * fastest + 1e-3))
            fail_msg("%s sample %d: wave %g is far above %g", label, k, p.wave, fastest);
    }
}

/* ---------------------------------------------------------------- lanes */

static void to_floats(point *p, int n_history)
{
    for (int c = 0; c < 9; c++) {
        p->F[c] = (float)p->F[c];
        p->grad_v[c] = (float)p->grad_v[c];
    }
    for (int c = 0; c < n_history; c++) p->history[c] = (float)p->history[c];
}

/* One variant against the plain double one on the same input; `label` says which material. */
static void compare_variant(const firn_material *m, const char *label, int variant)
{
    enum { N = 64 };
    int n_history = m->law->info.n_history;
    double dbl = firn_variant_is_double(variant), scale = scale_of(m);
    for (int is_update = 0; is_update < 2; is_update++) {
        point oracle[N], lanes[N];
        uint64_t seed = 7;
        for (int k = 0; k < N; k++) {
            oracle[k] = random_point(&m->law->info, &seed,
                                     k % 4 == 0   ? 0.25
                                     : k % 4 == 1 ? 0.002
                                                  : 0.03);
            to_floats(&oracle[k], n_history);
            lanes[k] = oracle[k];
        }
        run(m, FIRN_F64_SCALAR, is_update, 1e-3, oracle, N);
        run(m, variant, is_update, 1e-3, lanes, N);
        double gate = dbl ? 1e-11 : 1e-5;
        for (int k = 0; k < N; k++) {
            const point *a = &oracle[k], *b = &lanes[k];
            const struct {
                const char *what;
                double error, size;
            } all[] = {
                {"tau", distance(a->tau, b->tau, 6), scale + length(a->tau, 6)},
                {"F", distance(a->F, b->F, 9), 1},
                {"history", distance(a->history, b->history, n_history),
                 1 + length(a->history, n_history)},
                {"wave", fabs(a->wave - b->wave), 10 * a->wave},
                {"viscosity", fabs(a->viscosity - b->viscosity), a->viscosity},
                {"plastic work", fabs(a->plastic - b->plastic), scale},
                {"viscous work", fabs(a->viscous - b->viscous), scale},
                {"energy", is_update ? 0 : fabs(a->energy - b->energy), scale + fabs(a->energy)},
                {"flags", a->flags != b->flags, 0},
            };
            for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
                if (!(all[i].error <= gate * all[i].size))
                    fail_msg("%s %s %s sample %d: %s is off by %g of %g", label,
                             firn_variant_name(variant), is_update ? "update" : "measure", k,
                             all[i].what, all[i].error, all[i].size);
        }
    }
}

static void lanes_agree_with_the_plain_double(const firn_material *m, const char *label)
{
    for (int variant = 1; variant < FIRN_N_VARIANTS; variant++)
        if (variant_runs(m->law, variant)) compare_variant(m, label, variant);
}

/* ---------------------------------------------------------------- trial and commit */

/* What a batch can write: F_new, history_new and all outputs. */
typedef struct outputs {
    arrays a;
    size_t one; /* bytes of a component */
    int n_bundles, n_history, is_double;
} outputs;

static void point_at_outputs(firn_law_batch *batch, const outputs *o)
{
    batch->F_new = o->a.F;
    batch->history_new = o->n_history ? o->a.history : NULL;
    batch->tau = o->a.tau;
    batch->wave = o->a.wave;
    batch->viscosity = o->a.viscosity;
    batch->plastic = o->a.plastic;
    batch->viscous = o->a.viscous;
    batch->flags = o->a.flags;
}

static outputs outputs_for(const firn_law_batch *batch, int variant)
{
    int n_history = batch->material->law->info.n_history, dbl = firn_variant_is_double(variant);
    size_t one = (size_t)batch->n_bundles * 16 * (dbl ? sizeof(double) : sizeof(float));
    return (outputs){arrays_make(batch->n_bundles, n_history, dbl), one, batch->n_bundles,
                     n_history, dbl};
}

static int are_same(const outputs *o, const outputs *p)
{
    const arrays *a = &o->a, *b = &p->a;
    const struct {
        const void *a, *b;
        int n;
    } all[] = {{a->F, b->F, 9},
               {a->history, b->history, o->n_history},
               {a->tau, b->tau, 6},
               {a->wave, b->wave, 1},
               {a->viscosity, b->viscosity, 1},
               {a->plastic, b->plastic, 1},
               {a->viscous, b->viscous, 1},
               {a->flags, b->flags, 1}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (memcmp(all[i].a, all[i].b, (size_t)all[i].n * o->one) != 0) return 0;
    return 1;
}

static void outputs_drop(outputs *o)
{
    arrays_drop(&o->a, o->n_bundles, o->n_history, o->is_double);
}

/* One variant: two evaluations of a trial give the same bits and leave F, history and grad v
 * alone; evaluated and committed it is the step in place; a trial that wants stress alone gets
 * the same stress. */
static void try_variant(const firn_material *m, const char *label, int variant)
{
    enum { N = 40 };
    point points[N];
    uint64_t seed = 12;
    for (int k = 0; k < N; k++) {
        points[k] = random_point(&m->law->info, &seed, k % 2 ? 0.25 : 0.03);
        points[k].id = (uint32_t)k;
    }
    const char *name = firn_variant_name(variant);
    arrays inputs, untouched;
    firn_law_batch batch = batch_of(m, variant, 1e-3, points, N, &inputs);
    firn_law_batch in_place = batch_of(m, variant, 1e-3, points, N, &untouched);
    outputs first = outputs_for(&batch, variant), second = outputs_for(&batch, variant),
            fused = outputs_for(&batch, variant);
    point_at_outputs(&batch, &first);
    m->law->kernels[variant].evaluate(&batch);
    point_at_outputs(&batch, &second);
    m->law->kernels[variant].evaluate(&batch);
    if (!are_same(&first, &second)) fail_msg("%s %s: two trials differ", label, name);
    firn_law_batch stress_alone = batch;
    memset(second.a.tau, 0, 6 * second.one);
    stress_alone.F_new = stress_alone.history_new = NULL;
    m->law->kernels[variant].evaluate(&stress_alone);
    if (!are_same(&first, &second)) fail_msg("%s %s: stress alone is another", label, name);
    if (memcmp(inputs.F, untouched.F, 9 * first.one) != 0 ||
        memcmp(inputs.history, untouched.history, (size_t)first.n_history * first.one) != 0 ||
        memcmp(inputs.grad_v, untouched.grad_v, 9 * first.one) != 0)
        fail_msg("%s %s: a trial changed its inputs", label, name);

    point_at_outputs(&in_place, &fused);
    in_place.F_new = untouched.F;
    in_place.history_new = untouched.history;
    m->law->kernels[variant].evaluate(&in_place);
    memcpy(fused.a.F, untouched.F, 9 * fused.one);
    memcpy(fused.a.history, untouched.history, (size_t)fused.n_history * fused.one);
    if (!are_same(&first, &fused)) fail_msg("%s %s: in place it is another step", label, name);
    firn_law_commit(&batch, variant, inputs.F, inputs.history);
    if (memcmp(inputs.F, untouched.F, 9 * first.one) != 0 ||
        memcmp(inputs.history, untouched.history, (size_t)first.n_history * first.one) != 0)
        fail_msg("%s %s: committed it is another state", label, name);

    arrays_drop(&inputs, first.n_bundles, first.n_history, first.is_double);
    arrays_drop(&untouched, first.n_bundles, first.n_history, first.is_double);
    outputs_drop(&first);
    outputs_drop(&second);
    outputs_drop(&fused);
}

static void trial_and_commit_are_the_step(const firn_material *m, const char *label)
{
    for (int variant = 0; variant < FIRN_N_VARIANTS; variant++)
        if (variant_runs(m->law, variant)) try_variant(m, label, variant);
}

/* ---------------------------------------------------------------- trouble */

static void fill_trouble(point *p, int k)
{
    const double nan = NAN, inf = INFINITY;
    const double diagonal[12][3] = {{0, 0, 0},         {0, 1, 1},     {-1, 1, 1},
                                    {-0.5, 0.7, 1.3},  {-1, -1, -1},  {1e-12, 1, 1e12},
                                    {nan, 1, 1},       {inf, 1, 1},   {1e30, 1, 1},
                                    {1e-30, 1e-30, 1}, {1, 1, -1e-9}, {0.01, 0.01, 0.01}};
    for (int i = 0; i < 3; i++) p->F[4 * i] = diagonal[k][i];
    if (k == 1) {
        p->F[3] = 1;
        p->F[0] = 1;
        p->F[4] = 1;
        p->F[1] = 1;
    } /* rank 2, not diagonal */
}

/* Good particles stand next to bad ones and must not change; bad ones are flagged, and what the law
 * calls usable is finite. */
static void trouble_stays_in_its_lane(const firn_material *m, const char *label)
{
    enum { N = 16 };
    const firn_law_info *info = &m->law->info;
    for (int variant = 0; variant < FIRN_N_VARIANTS; variant++) {
        if (!variant_runs(m->law, variant)) continue;
        for (int is_update = 0; is_update < 2; is_update++)
            for (int k = 0; k < 12; k++) {
                point mixed[N], good[N];
                uint64_t seed = 8;
                for (int i = 0; i < N; i++) mixed[i] = good[i] = random_point(info, &seed, 0.1);
                for (int i = 1; i < N; i += 3) fill_trouble(&mixed[i], k);
                if (k == 6) mixed[1].grad_v[4] = NAN;
                run(m, variant, is_update, 1e-3, mixed, N);
                run(m, variant, is_update, 1e-3, good, N);
                for (int i = 0; i < N; i++) {
                    const point *p = &mixed[i];
                    double sum = length(p->tau, 6) + length(p->F, 9);
                    if (i % 3 == 1) {
                        if (!isfinite(sum) && !(p->flags & FIRN_FLAG_NONFINITE))
                            fail_msg("%s %s trouble %d: not finite, and not flagged", label,
                                     firn_variant_name(variant), k);
                        if ((k == 6 || k == 7) && !(p->flags & FIRN_FLAG_NONFINITE))
                            fail_msg("%s %s trouble %d: flags %d", label,
                                     firn_variant_name(variant), k, p->flags);
                        if (k <= 4 && !isfinite(sum))
                            fail_msg("%s %s trouble %d: a collapsed state must stay bounded", label,
                                     firn_variant_name(variant), k);
                    } else if (memcmp(p, &good[i], sizeof *p) != 0) {
                        fail_msg("%s %s trouble %d: lane %d noticed", label,
                                 firn_variant_name(variant), k, i);
                    }
                }
            }
    }
}

/* ---------------------------------------------------------------- parameters */

static void parameters_beyond_their_range_are_refused(const firn_material *m, const char *label)
{
    const firn_law_info *info = &m->law->info;
    for (int k = 0; k < info->n_parameters; k++)
        for (int side = 0; side < 2; side++) {
            const firn_parameter_info *p = &info->parameters[k];
            firn_material_def def = {.name = "test", .n_parameters = 1};
            snprintf(def.law, sizeof def.law, "%s", info->name);
            snprintf(def.parameters[0].name, FIRN_NAME, "%s", p->name);
            double beyond =
                side ? p->max + 1e-3 * fabs(p->max) + 1e-6 : p->min - 1e-3 * fabs(p->min) - 1e-6;
            def.parameters[0].value = beyond;
            firn_material out;
            firn_messages *messages = firn_messages_create();
            char limit[32];
            snprintf(limit, sizeof limit, "%g", side ? p->max : p->min);
            assert_int_equal(firn_material_resolve(&def, 1, &out, messages), FIRN_REFUSED);
            const char *text = firn_messages_text(messages, 0, NULL);
            if (!strstr(text, limit) || !strstr(text, p->name)) fail_msg("%s: \"%s\"", label, text);
            firn_messages_destroy(messages);
        }
}

/* A particle with noise behaves as one of a uniform material whose parameter has the drawn
 * value; a table does the same with the interpolated value. */
static void noise_and_tables_act_lane_by_lane(const firn_material *m, const char *label)
{
    enum { N = 40 };
    const firn_law_info *info = &m->law->info;
    for (int k = 1; k < info->n_parameters; k++) {
        const firn_parameter_info *parameter = &info->parameters[k];
        firn_material noisy = *m, tabled = *m;
        noisy.noise[k] = 0.1;
        double low = m->value[k],
               high = fmin(low * 1.1 + 1e-3 * (parameter->max < 10), parameter->max);
        tabled.n_table[k] = 2;
        tabled.table_temperature[k][0] = 280;
        tabled.table_temperature[k][1] = 320;
        tabled.table_value[k][0] = low;
        tabled.table_value[k][1] = high;
        point a[N], b[N], c[N], d[N];
        uint64_t seed = 9;
        for (int i = 0; i < N; i++) {
            a[i] = random_point(info, &seed, 0.1);
            a[i].id = (uint32_t)(17 * i + 3);
            a[i].temperature = 270 + 60.0 * i / (N - 1);
            b[i] = c[i] = d[i] = a[i];
        }
        run(&noisy, FIRN_F64_SCALAR, 1, 1e-3, a, N);
        run(&noisy, FIRN_F64_SCALAR, 1, 1e-3, b, N);
        assert_memory_equal(a, b, sizeof a);
        run(&tabled, FIRN_F64_SCALAR, 1, 1e-3, c, N);
        for (int i = 0; i < N; i++) {
            firn_material plain = *m;
            double share = fmin(fmax((d[i].temperature - 280) / 40, 0), 1);
            plain.value[k] = low + share * (high - low);
            run(&plain, FIRN_F64_SCALAR, 1, 1e-3, &d[i], 1);
            double size = length(d[i].tau, 6) + 1e-9 * scale_of(m);
            if (!(distance(c[i].tau, d[i].tau, 6) <= 1e-9 * size))
                fail_msg("%s: table of %s", label, parameter->name);
        }
    }
}

/* Only laws whose table says so fail, and none does by a strain of FIRN_EDGE_STRAIN from a state
 * without a flag. */
static void failure_is_announced(const firn_material *m, const char *label)
{
    enum { N = 4096 };
    const double dt = 1e-3;
    int n_failed = 0, n_unflagged = 0;
    uint64_t seed = 11;
    for (int k = 0; k < N; k++) {
        point before = strained_point(&m->law->info, &seed, 0.05 + 0.3 * (k % 4)), after = before;
        for (int c = 0; c < 9; c++) after.grad_v[c] = k % 3 == 0 ? -(c % 4 == 0) : uniform(&seed);
        double most = k % 3 == 0 ? 1 : length(after.grad_v, 9); /* no singular value is larger */
        for (int c = 0; c < 9; c++) after.grad_v[c] *= FIRN_EDGE_STRAIN / dt / most;
        run(m, FIRN_F64_SCALAR, 0, 0, &before, 1);
        run(m, FIRN_F64_SCALAR, 1, dt, &after, 1);
        n_failed += (after.flags & FIRN_FLAG_FAILED) != 0;
        n_unflagged += before.flags == 0;
        if (before.flags == 0 && after.flags & FIRN_FLAGS_TROUBLE)
            fail_msg("%s sample %d: flags %d without a warning", label, k, after.flags);
    }
    if ((n_failed > 0) != m->law->info.can_fail) fail_msg("%s: %d samples failed", label, n_failed);
    if (n_unflagged < N / 8)
        fail_msg("%s: only %d of %d samples are far from every edge", label, n_unflagged, N);
}

#define TEST_OF(name)                                                                              \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        for_each_material(name);                                                                   \
    }
TEST_OF(rest_is_free_of_stress)
TEST_OF(stress_is_derivative_of_energy)
TEST_OF(motion_of_the_observer_changes_nothing)
TEST_OF(isotropic_laws_are_isotropic)
TEST_OF(return_map_twice_is_once)
TEST_OF(flow_dissipates)
TEST_OF(wave_speed_is_an_upper_bound)
TEST_OF(lanes_agree_with_the_plain_double)
TEST_OF(trial_and_commit_are_the_step)
TEST_OF(trouble_stays_in_its_lane)
TEST_OF(parameters_beyond_their_range_are_refused)
TEST_OF(noise_and_tables_act_lane_by_lane)
TEST_OF(failure_is_announced)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_is_free_of_stress),
        cmocka_unit_test(test_stress_is_derivative_of_energy),
        cmocka_unit_test(test_motion_of_the_observer_changes_nothing),
        cmocka_unit_test(test_isotropic_laws_are_isotropic),
        cmocka_unit_test(test_return_map_twice_is_once),
        cmocka_unit_test(test_flow_dissipates),
        cmocka_unit_test(test_wave_speed_is_an_upper_bound),
        cmocka_unit_test(test_lanes_agree_with_the_plain_double),
        cmocka_unit_test(test_trial_and_commit_are_the_step),
        cmocka_unit_test(test_trouble_stays_in_its_lane),
        cmocka_unit_test(test_parameters_beyond_their_range_are_refused),
        cmocka_unit_test(test_noise_and_tables_act_lane_by_lane),
        cmocka_unit_test(test_failure_is_announced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
