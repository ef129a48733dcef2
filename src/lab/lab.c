/* SPDX-License-Identifier: MIT */
/* lab.c: one material point advanced by the solver's own law kernels, with any mix of prescribed
 * deformation and prescribed stress.
 *
 * The kernel takes dt and grad v and sets F_e <- map((I + dt grad v) F_e); a step of the total F
 * from A to B is therefore grad v = (B A^-1 - I)/dt. Sixteen lanes of a bundle carry sixteen
 * trial deformations at once: the trial itself and its neighbours at +-h in each unknown
 * component, so one call of the kernel gives Newton's residual and its central-difference
 * tangent. The tangent always comes from the double oracle, the residual from the chosen
 * variant.
 *
 * Units SI. Matrices row-major; symmetric tensors xx yy zz xy xz yz. */
#include "lab/lab.h"
#include "base/memory.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { LANES = 16, MAX_UNKNOWN = 6, MAX_NEWTON = 60 };

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
int firn_lab_variant(const char *name)
{
    for (int v = 0; v < FIRN_N_VARIANTS; v++)
        if (strcmp(name, firn_variant_name(v)) == 0) return v;
    return -1;
}

/* ---------------------------------------------------------------- 3 x 3 */

static void multiply(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* The inverse and the determinant; a singular matrix gives infinities, which the caller's finite
 * check sees. */
static double invert(const double a[9], double out[9])
{
    double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8],
           c2 = a[3] * a[7] - a[4] * a[6];
    double det = a[0] * c0 + a[1] * c1 + a[2] * c2;
    out[0] = c0 / det;
    out[1] = (a[2] * a[7] - a[1] * a[8]) / det;
    out[2] = (a[1] * a[5] - a[2] * a[4]) / det;
    out[3] = c1 / det;
    out[4] = (a[0] * a[8] - a[2] * a[6]) / det;
    out[5] = (a[2] * a[3] - a[0] * a[5]) / det;
    out[6] = c2 / det;
    out[7] = (a[1] * a[6] - a[0] * a[7]) / det;
    out[8] = (a[0] * a[4] - a[1] * a[3]) / det;
    return det;
}

void firn_lab_stress_of(const firn_lab_state *state, const double tau[6], firn_lab_stress measure,
                        double out[9])
{
    double full[9] = {tau[0], tau[3], tau[4], tau[3], tau[1], tau[5], tau[4], tau[5], tau[2]};
    double inverse[9], J = invert(state->F, inverse);
    if (measure == FIRN_LAB_NOMINAL) {
        double transposed[9];
        for (int i = 0; i < 9; i++) transposed[i] = inverse[3 * (i % 3) + i / 3];
        multiply(full, transposed, out);
    } else
        for (int i = 0; i < 9; i++) out[i] = measure == FIRN_LAB_CAUCHY ? full[i] / J : full[i];
}

/* ---------------------------------------------------------------- calling the kernel */

/* A bundle's worth of lanes in the kernel's layout, as float or double. */
typedef struct bundle {
    double f64[9 * LANES];
    float f32[9 * LANES];
} bundle;

static void *bundle_data(bundle *b, int is_double)
{
    return is_double ? (void *)b->f64 : (void *)b->f32;
}

static void bundle_put(bundle *b, int component, int lane, double value)
{
    b->f64[component * LANES + lane] = value;
    b->f32[component * LANES + lane] = (float)value;
}

static double bundle_take(const bundle *b, int is_double, int component, int lane)
{
    return is_double ? b->f64[component * LANES + lane] : (double)b->f32[component * LANES + lane];
}

/* The trial's outcome in one lane. */
typedef struct outcome {
    firn_lab_state state;
    firn_lab_response response;
} outcome;

/* From `from`, to the n (<= 16) total deformations `F` at the end of dt. */
static void try_steps(const firn_lab_point *point, firn_variant variant, double dt, int n,
                      const double (*F)[9], outcome *out)
{
    const firn_lab_state *from = &point->state;
    int is_double = firn_variant_is_double(variant),
        n_history = point->material->law->info.n_history;
    bundle Fe = {0}, grad = {0}, history = {0}, temperature = {0}, Fe_new = {0}, history_new = {0};
    bundle tau = {0}, wave = {0}, viscosity = {0}, plastic = {0}, viscous = {0}, energy = {0},
           yield = {0}, flags = {0};
    uint32_t id[LANES] = {0};
    double inverse[9];
    invert(from->F, inverse);
    for (int l = 0; l < LANES; l++) {
        double step[9];
        multiply(F[l < n ? l : 0], inverse, step);
        for (int c = 0; c < 9; c++) {
            bundle_put(&Fe, c, l, from->F_elastic[c]);
            bundle_put(&grad, c, l, (step[c] - identity[c]) / dt);
        }
        for (int h = 0; h < n_history; h++) bundle_put(&history, h, l, from->history[h]);
        bundle_put(&temperature, 0, l, point->temperature);
    }
    firn_law_batch batch = {.material = point->material,
                            .n_bundles = 1,
                            .dt = dt,
                            .F = bundle_data(&Fe, is_double),
                            .grad_v = bundle_data(&grad, is_double),
                            .history = bundle_data(&history, is_double),
                            .temperature = bundle_data(&temperature, is_double),
                            .id = id,
                            .F_new = bundle_data(&Fe_new, is_double),
                            .history_new = bundle_data(&history_new, is_double),
                            .tau = bundle_data(&tau, is_double),
                            .wave = bundle_data(&wave, is_double),
                            .viscosity = bundle_data(&viscosity, is_double),
                            .plastic = bundle_data(&plastic, is_double),
                            .viscous = bundle_data(&viscous, is_double),
                            .flags = bundle_data(&flags, is_double)};
    point->material->law->kernels[variant].evaluate(&batch);
    /* what evaluate does not give: energy and yield of the new state */
    firn_law_batch state = {.material = batch.material,
                            .n_bundles = 1,
                            .F = batch.F_new,
                            .history = batch.history_new,
                            .temperature = batch.temperature,
                            .id = id,
                            .energy = bundle_data(&energy, is_double),
                            .yield = bundle_data(&yield, is_double)};
    point->material->law->kernels[variant].measure(&state);

    for (int l = 0; l < n; l++) {
        outcome *o = &out[l];
        o->state = *from;
        o->state.time += dt;
        memcpy(o->state.F, F[l], sizeof o->state.F);
        for (int c = 0; c < 9; c++) o->state.F_elastic[c] = bundle_take(&Fe_new, is_double, c, l);
        for (int h = 0; h < n_history; h++)
            o->state.history[h] = bundle_take(&history_new, is_double, h, l);
        for (int c = 0; c < 6; c++) o->response.tau[c] = bundle_take(&tau, is_double, c, l);
        o->state.plastic_work += bundle_take(&plastic, is_double, 0, l);
        o->state.viscous_work += bundle_take(&viscous, is_double, 0, l);
        o->response.wave = bundle_take(&wave, is_double, 0, l);
        o->response.viscosity = bundle_take(&viscosity, is_double, 0, l);
        o->response.energy = bundle_take(&energy, is_double, 0, l);
        o->response.yield = bundle_take(&yield, is_double, 0, l);
        o->response.flags = (int)bundle_take(&flags, is_double, 0, l);
    }
}

static int is_usable(const outcome *o)
{
    double sum = 0;
    for (int c = 0; c < 6; c++) sum += o->response.tau[c];
    for (int c = 0; c < 9; c++) sum += o->state.F[c] + o->state.F_elastic[c];
    return isfinite(sum) && !(o->response.flags & FIRN_FLAG_NONFINITE);
}

/* ---------------------------------------------------------------- starting */

/* The largest |d tau| / |d F| at rest, elastic part only (a slow step, so that viscosity does
 * not count). */
static double stiffness_at_rest(const firn_lab_point *point)
{
    const double h = 1e-6, slow = 1e12;
    double F[LANES][9];
    outcome out[LANES];
    for (int l = 0; l < 4; l++) {
        memcpy(F[l], identity, sizeof identity);
        F[l][l < 2 ? 0 : 1] += l % 2 ? -h : h;
    }
    try_steps(point, FIRN_F64_SCALAR, slow, 4, F, out);
    double axial = (out[0].response.tau[0] - out[1].response.tau[0]) / (2 * h);
    double shear = (out[2].response.tau[3] - out[3].response.tau[3]) / (2 * h);
    return fmax(fabs(axial), fabs(shear));
}

firn_status firn_lab_start(firn_lab_point *point, const firn_material *material,
                           firn_variant variant, double temperature, firn_messages *messages)
{
    const firn_law *law = material->law;
    if (!firn_variant_runs(variant) || !law->kernels[variant].evaluate ||
        !law->kernels[variant].measure || !law->kernels[FIRN_F64_SCALAR].evaluate)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "law '%s': no variant %s on this processor; try: f64_scalar",
                                 law->info.name, firn_variant_name(variant));
    *point = (firn_lab_point){.material = material, .variant = variant, .temperature = temperature};
    memcpy(point->state.F, identity, sizeof identity);
    memcpy(point->state.F_elastic, identity, sizeof identity);
    for (int h = 0; h < law->info.n_history; h++)
        point->state.history[h] = law->info.history[h].initial;
    point->modulus = stiffness_at_rest(point);
    outcome out;
    try_steps(point, variant, 1e12, 1, &identity, &out);
    point->response = out.response;
    return FIRN_OK;
}

/* lambda and mu of strains +-h that are reached within dt. */
static void moduli(const firn_lab_point *point, double dt, double *lambda, double *mu)
{
    const double h = 1e-6;
    double F[4][9];
    outcome out[4];
    for (int l = 0; l < 4; l++) {
        memcpy(F[l], identity, sizeof identity);
        F[l][l < 2 ? 0 : 1] += l % 2 ? -h : h;
    }
    try_steps(point, FIRN_F64_SCALAR, dt, 4, F, out);
    *lambda = (out[0].response.tau[1] - out[1].response.tau[1]) / (2 * h);
    *mu = (out[2].response.tau[3] - out[3].response.tau[3]) / (2 * h);
}

void firn_lab_small_strain(const firn_material *material, double temperature, int is_fast,
                           double *E, double *nu)
{
    const double forever = 1e12, sudden = 1e-6;
    firn_lab_point point;
    *E = *nu = 0;
    if (firn_lab_start(&point, material, FIRN_F64_SCALAR, temperature, NULL) != FIRN_OK) return;
    double lambda, mu;
    moduli(&point, is_fast ? 2 * sudden : forever, &lambda, &mu);
    if (is_fast) { /* viscous stress goes with 1/dt: 2 f(2 dt) - f(dt) is free of it */
        double other_lambda, other_mu;
        moduli(&point, sudden, &other_lambda, &other_mu);
        lambda = 2 * lambda - other_lambda;
        mu = 2 * mu - other_mu;
    }
    const double size = fabs(lambda) + fabs(mu);
    if (!(fabs(mu) > 1e-9 * size)) mu = 0; /* a fluid's round-off */
    *E = lambda + mu != 0 ? mu * (3 * lambda + 2 * mu) / (lambda + mu) : 0;
    *nu = lambda + mu != 0 ? lambda / (2 * (lambda + mu)) : 0;
}

/* ---------------------------------------------------------------- Newton */

/* What is solved for: the components of F that belong to prescribed stresses. */
typedef struct unknowns {
    int n, component[MAX_UNKNOWN];
    double target[MAX_UNKNOWN];
    firn_lab_stress measure;
} unknowns;

static double residual(const unknowns *u, const outcome *o, double r[MAX_UNKNOWN], double *size)
{
    double stress[9], worst = 0;
    firn_lab_stress_of(&o->state, o->response.tau, u->measure, stress);
    *size = 0;
    for (int i = 0; i < u->n; i++) {
        r[i] = stress[u->component[i]] - u->target[i];
        worst = fmax(worst, fabs(r[i]));
        *size = fmax(*size, fabs(u->target[i]));
    }
    for (int i = 0; i < 9; i++) *size = fmax(*size, fabs(stress[i]));
    return is_usable(o) ? worst : INFINITY;
}

/* The Newton direction at F: r + (dr/dF) step = 0 in the least-squares sense of smallest step,
 * so that a direction without stiffness (a fluid's shape) is left alone. 0: the tangent could
 * not be used. */
static int newton_direction(const firn_lab_point *point, const unknowns *u, double dt,
                            const double F[9], const double r[MAX_UNKNOWN],
                            double step[MAX_UNKNOWN])
{
    const double h = 1e-6;
    double trial[LANES][9], tangent[MAX_UNKNOWN * MAX_UNKNOWN], up[MAX_UNKNOWN], down[MAX_UNKNOWN],
        size;
    outcome out[LANES];
    for (int i = 0; i < u->n; i++)
        for (int side = 0; side < 2; side++) {
            memcpy(trial[2 * i + side], F, 9 * sizeof(double));
            trial[2 * i + side][u->component[i]] += side ? -h : h;
        }
    try_steps(point, FIRN_F64_SCALAR, dt, 2 * u->n, trial, out);
    for (int j = 0; j < u->n; j++) {
        if (isinf(residual(u, &out[2 * j], up, &size)) ||
            isinf(residual(u, &out[2 * j + 1], down, &size)))
            return 0;
        for (int i = 0; i < u->n; i++) tangent[i * u->n + j] = (up[i] - down[i]) / (2 * h);
    }
    int pivot[MAX_UNKNOWN] = {0}, rank = 0;
    for (int i = 0; i < u->n; i++) step[i] = -r[i];
    return LAPACKE_dgelsy(LAPACK_ROW_MAJOR, u->n, u->n, 1, tangent, u->n, step, 1, pivot, 1e-11,
                          &rank) == 0;
}

/* How far |r| may be from zero. Floats carry stresses to a few units in the last place of the
 * modulus. */
static double tolerance(const firn_lab_point *point, firn_variant variant, double size)
{
    return firn_variant_is_double(variant) ? 1e-11 * size + 1e-14 * point->modulus
                                           : 2e-6 * size + 1e-6 * point->modulus;
}

/* Solves for F (in: first guess, out: solution) with residuals of the chosen variant; 1 when the
 * tolerance is met. */
static int solve(firn_lab_point *point, const unknowns *u, double dt, double F[9], outcome *reached,
                 double *left)
{
    double r[MAX_UNKNOWN], step[MAX_UNKNOWN], size;
    try_steps(point, point->variant, dt, 1, (const double(*)[9])F, reached);
    *left = residual(u, reached, r, &size);
    for (point->n_newton = 0; point->n_newton < MAX_NEWTON; point->n_newton++) {
        if (*left <= tolerance(point, point->variant, size)) return 1;
        if (isinf(*left) || !newton_direction(point, u, dt, F, r, step)) return 0;
        double longest = 0, share = 1;
        for (int i = 0; i < u->n; i++) longest = fmax(longest, fabs(step[i]));
        if (longest > 0.3)
            share = 0.3 / longest; /* a stretch never changes by more than that at once */
        int is_better = 0;
        for (int halving = 0; halving < 30 && !is_better; halving++, share /= 2) {
            double trial[9], trial_r[MAX_UNKNOWN], trial_size;
            outcome out;
            memcpy(trial, F, sizeof trial);
            for (int i = 0; i < u->n; i++) trial[u->component[i]] += share * step[i];
            try_steps(point, point->variant, dt, 1, (const double(*)[9])trial, &out);
            double worst = residual(u, &out, trial_r, &trial_size);
            if (!(worst < *left)) continue;
            is_better = 1;
            *left = worst;
            size = trial_size;
            *reached = out;
            memcpy(F, trial, sizeof trial);
            memcpy(r, trial_r, sizeof trial_r);
        }
        /* at the floor of rounding no step improves any more: the tolerance is then a looser one
         */
        if (!is_better) return *left <= 1e3 * tolerance(point, point->variant, size);
    }
    return 0;
}

static int collect(const firn_lab_control *control, unknowns *u)
{
    *u = (unknowns){.measure = control->measure};
    for (int c = 0; c < 9; c++) {
        if (!control->is_stress[c]) continue;
        if (c / 3 > c % 3) return 0;
        u->component[u->n] = c;
        u->target[u->n++] = control->value[c];
    }
    return 1;
}

firn_status firn_lab_advance(firn_lab_point *point, const firn_lab_control *control,
                             firn_messages *messages)
{
    unknowns u;
    if (!(control->dt > 0) || !isfinite(control->dt))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "lab: dt of a step is %g s; allowed: above 0", control->dt);
    if (!collect(control, &u))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "lab: a stress below the diagonal is prescribed; allowed: xx yy zz xy xz yz");
    double F[9];
    for (int c = 0; c < 9; c++)
        F[c] = control->is_stress[c] ? point->state.F[c] : control->value[c];
    outcome reached;
    double left = 0;
    point->n_newton = 0;
    if (u.n == 0) {
        try_steps(point, point->variant, control->dt, 1, (const double(*)[9])F, &reached);
        if (!is_usable(&reached))
            return firn_messages_add(
                messages, FIRN_STOPPED,
                "law '%s': no finite stress at time %.6g s, F = [%g %g %g; %g %g %g; %g %g %g]",
                point->material->law->info.name, point->state.time + control->dt, F[0], F[1], F[2],
                F[3], F[4], F[5], F[6], F[7], F[8]);
    } else if (!solve(point, &u, control->dt, F, &reached, &left))
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "law '%s': prescribed stress not reached at time %.6g s (%.3g Pa missing after %d "
            "Newton steps, at F_xx = %.6g, F_yy = %.6g, F_zz = %.6g); the law may have no state "
            "with this stress; try: more steps",
            point->material->law->info.name, point->state.time + control->dt, left, point->n_newton,
            F[0], F[4], F[8]);
    point->state = reached.state;
    point->response = reached.response;
    return FIRN_OK;
}
