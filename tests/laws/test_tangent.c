/* SPDX-License-Identifier: MIT */
/* The tangent of every law (laws/law_tangent.h), from its table alone: against central differences
 * of the stress that `evaluate` gives, return map, viscosity and memory included; and against the
 * eigenvalues of d2Psi/dF2 in closed form. No law is named in the first group. */
#include "support/law_support.h"

#include <lapacke.h>

enum { SAMPLES = 24 };

/* Flux and its change along `direction` of one particle, and the flags. */
typedef struct response {
    double flux[9], change[9];
    int flags;
} response;

static response tangent(const firn_material *m, int variant, double dt, const point *p,
                        const double direction[9])
{
    arrays a;
    const int dbl = firn_variant_is_double(variant);
    const firn_law_batch batch = batch_of(m, variant, dt, p, 1, &a);
    void *along = reals(1, 9, dbl), *flux = reals(1, 9, dbl), *change = reals(1, 9, dbl);
    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 9; c++) put(along, dbl, 9, i, c, i ? 0 : direction[c]);
    const firn_law_tangent t = {.direction = along, .flux = flux, .change = change};
    m->law->kernels[variant].tangent(&batch, &t);
    response r = {.flags = (int)take(a.flags, dbl, 1, 0, 0)};
    for (int c = 0; c < 9; c++) {
        r.flux[c] = take(flux, dbl, 9, 0, c);
        r.change[c] = take(change, dbl, 9, 0, c);
    }
    const size_t bytes = (size_t)(9 * 16) * (dbl ? 8 : 4);
    firn_memory_release(NULL, along, bytes);
    firn_memory_release(NULL, flux, bytes);
    firn_memory_release(NULL, change, bytes);
    arrays_drop(&a, batch.n_bundles, m->law->info.n_history, dbl);
    return r;
}

/* T = tau (I + dt grad v)^-T by `evaluate`. */
static void flux_of(const firn_material *m, double dt, const point *from, double T[9])
{
    point p = *from;
    double A[9], tau[9];
    run(m, FIRN_F64_SCALAR, 1, dt, &p, 1);
    for (int c = 0; c < 9; c++) A[c] = dt * from->grad_v[c] + (c % 4 == 0);
    inverse(A, A);
    transpose(A, A);
    full(p.tau, tau);
    multiply(tau, A, T);
}

/* Six-point central difference of the flux along `direction`. */
static void difference(const firn_material *m, double dt, const point *p, const double direction[9],
                       double step, double out[9])
{
    const double weight[3] = {45. / 60, -9. / 60, 1. / 60};
    memset(out, 0, 9 * sizeof *out);
    for (int k = 0; k < 6; k++) {
        const double sign = k % 2 ? -1 : 1, reach = (k / 2 + 1) * step;
        point q = *p;
        double T[9];
        for (int c = 0; c < 9; c++) q.grad_v[c] += sign * reach * direction[c];
        flux_of(m, dt, &q, T);
        for (int c = 0; c < 9; c++) out[c] += sign * weight[k / 2] * T[c] / step;
    }
}

static point sample(const firn_law_info *info, uint64_t *seed, int k)
{
    point p = rest(info);
    const double strain = k % 3 == 0 ? 2e-4 : k % 3 == 1 ? 0.02 : 0.2;
    for (int c = 0; c < 9; c++) {
        p.F[c] += strain * uniform(seed);
        p.grad_v[c] = 0.1 * uniform(seed);
    }
    p.id = (uint32_t)k;
    return p;
}

/* The flow of a law may change its branch between the points of a difference: then two steps of
 * different size disagree, and the sample says nothing. Most must say something. */
static void tangent_is_the_derivative(const firn_material *m, const char *label)
{
    uint64_t seed = 7;
    int n_compared = 0;
    point at_rest = rest(&m->law->info);
    run(m, FIRN_F64_SCALAR, 0, 0, &at_rest, 1);
    const double stiffness = m->density * at_rest.wave * at_rest.wave, dt = 0.5;
    for (int k = 0; k < SAMPLES; k++) {
        point p = sample(&m->law->info, &seed, k);
        double direction[9], T[9], coarse[9], fine[9];
        for (int c = 0; c < 9; c++) direction[c] = uniform(&seed);
        const double step = k % 3 == 0 ? 1e-5 : 2e-4;
        flux_of(m, dt, &p, T);
        difference(m, dt, &p, direction, step, coarse);
        difference(m, dt, &p, direction, step / 2, fine);
        const response r = tangent(m, FIRN_F64_SCALAR, dt, &p, direction);
        if (r.flags) fail_msg("%s sample %d: flags %d", label, k, r.flags);
        /* round-off of the difference counts: stress of the sample over the step */
        const double scale = fmax(length(fine, 9), 1e-3 * dt * stiffness);
        if (!(distance(r.flux, T, 9) <= 1e-12 * (length(T, 9) + stiffness)))
            fail_msg("%s sample %d: flux is off by %g", label, k, distance(r.flux, T, 9));
        if (!(distance(coarse, fine, 9) <= 1e-7 * scale)) continue;
        n_compared++;
        if (!(distance(r.change, fine, 9) <= 1e-7 * scale))
            fail_msg("%s sample %d: tangent is off by %g of %g", label, k,
                     distance(r.change, fine, 9), length(fine, 9));
    }
    if (n_compared < SAMPLES / 2)
        fail_msg("%s: only %d of %d samples were smooth", label, n_compared, SAMPLES);
}

/* Equal, opposite and negative stretches, and rest itself: finite in every direction, and at rest
 * the moduli of small strain, dT = dt (lambda tr(d) I + 2 mu d) for elastic isotropic laws. */
static void special_states_are_finite(const firn_material *m, const char *label)
{
    static const double stretch[][3] = {{1, 1, 1},    {1.2, 1.2, .9}, {.7, .7, .7},
                                        {1, 1, -1},   {.8, .5, -.5},  {1, .3, -.3},
                                        {-1, -1, -1}, {1, 1, 1e-4},   {1, 1 + 1e-9, 1 - 1e-9}};
    uint64_t seed = 9;
    for (size_t k = 0; k < sizeof stretch / sizeof *stretch; k++)
        for (int n = 0; n < 9; n++) {
            point p = at_stretch(&m->law->info, stretch[k][0], stretch[k][1], stretch[k][2]);
            double direction[9] = {0}, Q[9];
            random_rotation(&seed, Q);
            if (n % 2) multiply(Q, p.F, p.F);
            direction[n] = 1;
            const response r = tangent(m, FIRN_F64_SCALAR, 1e-3, &p, direction);
            for (int c = 0; c < 9; c++)
                if (!isfinite(r.change[c]))
                    fail_msg("%s at %g %g %g: not finite", label, stretch[k][0], stretch[k][1],
                             stretch[k][2]);
        }
}

/* Every variant gives what the scalar double one gives, within its precision. */
static void lanes_agree(const firn_material *m, const char *label)
{
    uint64_t seed = 11;
    point at_rest = rest(&m->law->info);
    run(m, FIRN_F64_SCALAR, 0, 0, &at_rest, 1);
    const double stiffness = m->density * at_rest.wave * at_rest.wave, dt = 1e-3;
    for (int k = 0; k < SAMPLES; k++) {
        point p = sample(&m->law->info, &seed, 3 * k + 2);
        double direction[9];
        for (int c = 0; c < 9; c++) direction[c] = uniform(&seed);
        const response exact = tangent(m, FIRN_F64_SCALAR, dt, &p, direction);
        for (int v = 1; v < FIRN_N_VARIANTS; v++) {
            if (!variant_runs(m->law, v)) continue;
            const response r = tangent(m, v, dt, &p, direction);
            const double tolerance = firn_variant_is_double(v) ? 1e-6 : 2e-2;
            if (!(distance(r.change, exact.change, 9) <=
                  tolerance * (length(exact.change, 9) + dt * stiffness)))
                fail_msg("%s sample %d variant %s: off by %g of %g", label, k, firn_variant_name(v),
                         distance(r.change, exact.change, 9), length(exact.change, 9));
        }
    }
}

/* ---------------------------------------------------------------- closed form */

/* The nine eigenvalues of d2Psi/dF2, from 9 directions, in ascending order. With dt = 1 and
 * grad v = 0 dF = D F, and P = T F^-T: dP = dT F^-T along D = dF F^-1. */
static void eigenvalues(const firn_material *m, const point *p, double value[9])
{
    double inv[9], invT[9], matrix[81], imaginary[9];
    inverse(p->F, inv);
    transpose(inv, invT);
    for (int k = 0; k < 9; k++) {
        double dF[9] = {0}, D[9], dP[9];
        dF[k] = 1;
        multiply(dF, inv, D);
        /* T = P F_n^T keeps F_n fixed: dP = dT F_n^-T */
        const response r = tangent(m, FIRN_F64_SCALAR, 1, p, D);
        multiply(r.change, invT, dP);
        for (int c = 0; c < 9; c++) matrix[9 * c + k] = dP[c];
    }
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(matrix[9 * i + j] - matrix[9 * j + i]) <= 1e-9 * 1e3))
                fail_msg("not symmetric: %g, %g", matrix[9 * i + j], matrix[9 * j + i]);
    assert_int_equal(
        LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', 9, matrix, 9, value, imaginary, NULL, 1, NULL, 1),
        0);
    for (int i = 0; i < 9; i++)
        for (int j = i + 1; j < 9; j++)
            if (value[j] < value[i]) {
                double t = value[i];
                value[i] = value[j];
                value[j] = t;
            }
}

/* F = diag(.6, .8, 1.1), also turned on both sides; mu = 100, lambda = 150. */
static void eigenvalues_in_closed_form(void **state)
{
    (void)state;
    static const struct {
        const char *law;
        double value[9];
    } cases[] = {
        {"fixed_corotated",
         {-163.594286, -91.934118, -53.006316, 233.418543, 242.48, 256.64, 264.182378, 277.88,
          318.459079}},
        {"neo_hookean",
         {-307.914269, -196.664923, -122.498692, 291.168988, 322.498692, 396.664923, 483.205727,
          507.914269, 1312.272519}},
        {"neo_hookean_quadratic",
         {-186.213333, -108.155152, -56.116364, 216.819646, 256.116364, 308.155152, 321.305335,
          386.213333, 494.607425}},
        {"st_venant_kirchhoff",
         {-107.25, -68.25, -62.25, -34.339315, -11.25, 63.75, 79.597238, 113.75, 471.492077}},
        {"hencky",
         {-361.053147, -235.118057, -129.102731, 279.647465, 352.579034, 520.358435, 671.427955,
          772.027536, 1690.014845}},
    };
    const double mu = 100, lambda = 150, E = mu * (3 * lambda + 2 * mu) / (lambda + mu),
                 nu = lambda / (2 * (lambda + mu));
    uint64_t seed = 3;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const firn_material m = material(cases[k].law, "", "E", E, "nu", nu, NULL);
        point p = at_stretch(&m.law->info, 0.6, 0.8, 1.1);
        for (int turned = 0; turned < 4; turned++) {
            double value[9], Q[9], R[9];
            eigenvalues(&m, &p, value);
            for (int i = 0; i < 9; i++)
                if (!(fabs(value[i] - cases[k].value[i]) <= 1e-6))
                    fail_msg("%s: eigenvalue %d is %.9f, should be %.6f", cases[k].law, i, value[i],
                             cases[k].value[i]);
            random_rotation(&seed, Q);
            random_rotation(&seed, R);
            multiply(Q, p.F, p.F);
            multiply(p.F, R, p.F);
        }
    }
}

static void tangents_are_derivatives(void **state)
{
    (void)state;
    for_each_material(tangent_is_the_derivative);
}
static void tangents_are_finite(void **state)
{
    (void)state;
    for_each_material(special_states_are_finite);
}
static void tangents_of_all_variants_agree(void **state)
{
    (void)state;
    for_each_material(lanes_agree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_in_closed_form), cmocka_unit_test(tangents_are_derivatives),
        cmocka_unit_test(tangents_are_finite), cmocka_unit_test(tangents_of_all_variants_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
