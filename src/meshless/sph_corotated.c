/* SPDX-License-Identifier: MIT */
/* sph_corotated.c: corotated smoothed particles with isotropic or anisotropic kernels. The law is
 * the method's own: Hooke's law in the frame that turns with the material.
 *
 *     g_ij  = -W'(r)/r of the spiky kernel, r = |X_ij|, or the present distance (current: true)
 *     K_i   = (sum_j g_ij X_ij X_ij^T)^-1                     normalise: true (default)
 *             V_i I                                           normalise: false, plain SPH
 *     F_i   = R_i + (sum_j g_ij (x_ij - R_i X_ij) X_ij^T) K_i
 *     eps   = sym(R^T F) - I,   sigma = 2 mu eps + lambda tr(eps) I,   P = R sigma
 *     f_i   = sum_j V_i P_i d_ij - V_j P_j d_ji,   d_ij = g_ij K_i X_ij
 *
 * R is the rotation of F (default): then f is the exact derivative of sum V psi(F), psi = mu eps:eps
 * + lambda/2 tr(eps)^2, and balances momentum and moment. shape_matching: true takes R of the
 * unweighted moment sum_j x_ij X_ij^T (Becker and others 2009): momentum balances, moment only where
 * neighbourhoods are symmetric.
 *
 * Anisotropic kernels. With the principal stretches 1 + e_k of the unweighted best fit of all
 * reference neighbours the kernel of i becomes, along each present axis,
 *
 *     support (1 + expansion s_k),  s_k = max(0, min(e_k / full_strain, 1))
 *
 * which turns with the body and does not shrink under compression. Weights are the mean of those of
 * both particles, so that forces balance. With present distances a neighbour at X is lost at the
 * stretch H/X (isotropic).
 *
 * Fracture: a bond whose stretch has exceeded 1 + fracture holds no more.
 *
 * As printed: plain SPH, R by shape matching, and the 1/2 in front of the sum of both forces, which
 * halves all of them. */
#include "meshless/gradient.h"
#include "meshless/small3.h"

#include <string.h>

typedef struct corotated {
    double *mu, *lambda; /* [n_materials] Pa */
    uint8_t *broken;     /* [pairs] */
    int64_t n_broken_of; /* pairs that `broken` stands for */
    int64_t capacity;
    int is_loaded; /* broken has been read from a saved state */
} corotated;

static firn_corotated_def choice_of(const firn_sim *sim)
{
    firn_corotated_def def = sim->scene.sph_corotated;
    if (sim->scene.meshless.as_printed) {
        def.normalise = 0;
        def.shape_matching = 1;
    }
    return def;
}

/* ---------------------------------------------------------------- creation */

static void destroy(firn_sim *sim)
{
    corotated *c = sim->meshless->own;
    const size_t n = (size_t)sim->n_materials;
    if (!c) return;
    firn_memory_release(&sim->memory, c->mu, n * sizeof *c->mu);
    firn_memory_release(&sim->memory, c->lambda, n * sizeof *c->lambda);
    firn_memory_release(&sim->memory, c->broken, (size_t)c->capacity);
    firn_memory_release(&sim->memory, c, sizeof *c);
    sim->meshless->own = NULL;
}

static firn_status check(const firn_sim *sim, firn_messages *messages)
{
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_material *material = &sim->materials[m].resolved;
        if (isnan(firn_meshless_parameter(material, "E")) ||
            isnan(firn_meshless_parameter(material, "nu")))
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "materials.%s: the law '%s' has no E and nu; method sph_corotated brings its own "
                "law, Hooke's in the turning frame, and needs both; try: law fixed_corotated",
                material->name, material->law->info.name);
        if (material->law->info.is_plastic)
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "materials.%s: the law '%s' flows; method sph_corotated is elastic; try: method "
                "sph_elastic or mpm",
                material->name, material->law->info.name);
    }
    if (sim->scene.sph_corotated.fracture > 0 && sim->n_sinks > 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "sph_corotated.fracture: does not combine with sinks, which would "
                                 "mend broken bonds; try: one without the other");
    return FIRN_OK;
}

static firn_status create_own(firn_sim *sim, firn_messages *messages)
{
    const size_t n = (size_t)sim->n_materials;
    corotated *c = firn_memory_array(&sim->memory, 1, sizeof *c);
    if (!c) return firn_messages_no_memory(messages, "materials");
    sim->meshless->own = c;
    c->mu = firn_memory_array(&sim->memory, n, sizeof *c->mu);
    c->lambda = firn_memory_array(&sim->memory, n, sizeof *c->lambda);
    if (!c->mu || !c->lambda) return firn_messages_no_memory(messages, "materials");
    for (int m = 0; m < sim->n_materials; m++) {
        const double E = firn_meshless_parameter(&sim->materials[m].resolved, "E"),
                     nu = firn_meshless_parameter(&sim->materials[m].resolved, "nu");
        c->mu[m] = E / (2 * (1 + nu));
        c->lambda[m] = E * nu / ((1 + nu) * (1 - 2 * nu));
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- weights of present distances */

/* The best fit of all reference neighbours, and the unweighted moment sum x X^T. */
static void unweighted(const struct firn_meshless *s, int32_t i, double fit[9], double moment[9])
{
    double A[9] = {0}, inverse[9];
    memset(moment, 0, 9 * sizeof *moment);
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        double X[3], x[3];
        firn_meshless_pair(s->rest, i, s->bonds.other[b], X);
        firn_meshless_pair(s->x, i, s->bonds.other[b], x);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                A[3 * r + c] += X[r] * X[c];
                moment[3 * r + c] += x[r] * X[c];
            }
    }
    small3_safe_inverse(A, 1e-6, inverse);
    small3_multiply(moment, inverse, fit);
}

/* G of the kernel |G x| times the support, in column grad_v, which no law of this method reads. */
static void shape_kernel(firn_sim *sim, int32_t i, const firn_corotated_def *def)
{
    struct firn_meshless *s = sim->meshless;
    double fit[9], moment[9], b[9], value[3], V[9], *G = s->grad_v + 9 * i;
    memset(G, 0, 9 * sizeof *G);
    unweighted(s, i, fit, moment);
    small3_multiply_turned(fit, fit, b);
    small3_eigen(b, value, V);
    for (int k = 0; k < 3; k++) {
        const double strain = sqrt(fmax(value[k], 0)) - 1,
                     share = fmax(0, fmin(strain / def->full_strain, 1)),
                     g = 1 / (1 + (def->anisotropic ? def->expansion * share : 0));
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) G[3 * r + c] += g * V[3 * r + k] * V[3 * c + k];
    }
}

static double present_weight(const struct firn_meshless *s, int32_t i, const double x[3],
                             double support)
{
    double y[3];
    small3_apply(s->grad_v + 9 * i, x, y);
    return s->kernel->slope(firn_meshless_length(y), support);
}

/* Weights, then K of them: by slope of the present distance; 0 for broken bonds. */
static void weigh(firn_sim *sim, int32_t i, const firn_corotated_def *def)
{
    struct firn_meshless *s = sim->meshless;
    corotated *own = s->own;
    double A[9] = {0};
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        const int32_t j = s->bonds.other[b];
        const double support = 0.5 * s->support * (s->spacing[i] + s->spacing[j]);
        double X[3], x[3];
        firn_meshless_pair(s->rest, i, j, X);
        firn_meshless_pair(s->x, i, j, x);
        if (def->fracture > 0 &&
            firn_meshless_length(x) > (1 + def->fracture) * firn_meshless_length(X))
            own->broken[b] = 1;
        s->weight[b] =
            def->current
                ? 0.5 * (present_weight(s, i, x, support) + present_weight(s, j, x, support))
                : s->kernel->slope(firn_meshless_length(X), support);
        if (def->fracture > 0 && own->broken[b]) s->weight[b] = 0;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) A[3 * r + c] += s->weight[b] * X[r] * X[c];
    }
    if (def->normalise) s->rank[i] = (uint8_t)small3_safe_inverse(A, 1e-6, s->correct + 9 * i);
}

/* ---------------------------------------------------------------- strain and stress */

/* Weights that follow the present positions are found anew in every step. */
static void update_weights(firn_sim *sim, const firn_corotated_def *def)
{
    struct firn_meshless *s = sim->meshless;
    if (!def->current && !(def->fracture > 0)) return;
#pragma omp parallel num_threads(sim->n_threads)
    {
#pragma omp for schedule(static)
        for (int32_t i = 0; i < s->n; i++) shape_kernel(sim, i, def);
#pragma omp for schedule(static)
        for (int32_t i = 0; i < s->n; i++) weigh(sim, i, def);
    }
}

/* F of plain SPH, from the rotation R. */
static void raw_gradient(const struct firn_meshless *s, int32_t i, const double R[9], double F[9])
{
    double M[9] = {0};
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        double X[3], x[3], y[3];
        firn_meshless_pair(s->rest, i, s->bonds.other[b], X);
        firn_meshless_pair(s->x, i, s->bonds.other[b], x);
        small3_apply(R, X, y);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) M[3 * r + c] += s->weight[b] * (x[r] - y[r]) * X[c];
    }
    small3_multiply(M, s->correct + 9 * i, F);
    for (int c = 0; c < 9; c++) F[c] += R[c];
}

/* R and sym(R^T F) - I of particle i, after column F. */
static void corotate(const firn_sim *sim, int32_t i, const firn_corotated_def *def, double R[9],
                     double eps[9])
{
    const struct firn_meshless *s = sim->meshless;
    double fit[9], moment[9], U[9];
    if (def->shape_matching) {
        unweighted(s, i, fit, moment);
        small3_rotation(moment, R);
    } else
        small3_rotation(s->F + 9 * i, R);
    small3_turned_multiply(R, s->F + 9 * i, U);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) eps[3 * r + c] = 0.5 * (U[3 * r + c] + U[3 * c + r]) - (r == c);
}

static firn_status strain(firn_sim *sim, int is_step, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    const firn_corotated_def def = choice_of(sim);
    (void)is_step; /* the law is elastic: it needs no rate */
    update_weights(sim, &def);
    firn_gradient_strain(sim, 0, messages);
    if (def.normalise) return FIRN_OK;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        double fit[9], moment[9], R[9], F[9];
        unweighted(s, i, fit, moment);
        small3_rotation(moment, R);
        raw_gradient(s, i, R, F);
        memcpy(s->F + 9 * i, F, sizeof F);
    }
    return FIRN_OK;
}

static void stress_of(firn_sim *sim, int m, int32_t i, const firn_corotated_def *def)
{
    struct firn_meshless *s = sim->meshless;
    const corotated *own = s->own;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double R[9], eps[9], P[9], tau[9];
    corotate(sim, i, def, R, eps);
    const double trace = eps[0] + eps[4] + eps[8];
    for (int c = 0; c < 9; c++)
        eps[c] = 2 * own->mu[m] * eps[c] + (c % 4 == 0 ? own->lambda[m] * trace : 0);
    small3_multiply(R, eps, P);
    small3_multiply_turned(P, s->F + 9 * i, tau);
    firn_gradient_flux(sim, i, P);
    for (int c = 0; c < 6; c++)
        firn_meshless_set(&s->particles[m], FIRN_FIELD_TAU, i - s->first[m], c,
                          0.5 * (tau[3 * row[c] + column[c]] + tau[3 * column[c] + row[c]]));
    for (int c = 0; c < 9; c++)
        firn_meshless_set(&s->particles[m], FIRN_FIELD_F, i - s->first[m], c, s->F[9 * i + c]);
    s->wave[i] = sqrt((own->lambda[m] + 2 * own->mu[m]) / sim->materials[m].resolved.density);
    s->viscosity[i] = 0;
}

static void stress(firn_sim *sim, int is_step)
{
    struct firn_meshless *s = sim->meshless;
    const firn_corotated_def def = choice_of(sim);
    (void)is_step;
    for (int m = 0; m < sim->n_materials; m++)
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) stress_of(sim, m, i, &def);
}

static double energy(const firn_sim *sim, int32_t i)
{
    const corotated *own = sim->meshless->own;
    const int m = firn_meshless_material(sim, i);
    const firn_corotated_def def = choice_of(sim);
    double R[9], eps[9], square = 0;
    corotate(sim, i, &def, R, eps);
    for (int c = 0; c < 9; c++) square += eps[c] * eps[c];
    const double trace = eps[0] + eps[4] + eps[8];
    return own->mu[m] * square + 0.5 * own->lambda[m] * trace * trace;
}

/* ---------------------------------------------------------------- the method */

static firn_status refer(firn_sim *sim, firn_messages *messages)
{
    const firn_corotated_def def = choice_of(sim);
    const firn_gradient_choice choice = {
        .by_slope = 1, .is_raw = !def.normalise, .stabilise = sim->scene.meshless.stabilise};
    corotated *own = sim->meshless->own;
    const int64_t n = sim->meshless->bonds.first[sim->meshless->n];
    firn_gradient_refer(sim, &choice);
    if (own->is_loaded && own->n_broken_of == n) {
        own->is_loaded = 0;
        return FIRN_OK;
    }
    if (own->is_loaded)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "saved state: its bonds are not those of its particles");
    if (n > own->capacity) {
        firn_memory_release(&sim->memory, own->broken, (size_t)own->capacity);
        own->capacity = 0;
        own->broken = firn_memory_array(&sim->memory, (size_t)n, 1);
        if (!own->broken) return firn_messages_no_memory(messages, "bonds");
        own->capacity = n;
    }
    own->n_broken_of = n;
    if (n) memset(own->broken, 0, (size_t)n);
    return FIRN_OK;
}

static firn_status forces(firn_sim *sim, firn_messages *messages)
{
    (void)messages;
    firn_gradient_pairs(sim);
    if (sim->scene.meshless.as_printed)
        for (int32_t i = 0; i < 3 * sim->meshless->n; i++) sim->meshless->force[i] *= 0.5;
    return FIRN_OK;
}

/* Broken bonds, where there can be any. */
static firn_status pass(firn_sim *sim, firn_walk *w, firn_messages *messages)
{
    corotated *own = sim->meshless->own;
    if (!(sim->scene.sph_corotated.fracture > 0)) return FIRN_OK;
    int64_t n = own->n_broken_of;
    firn_walk_pass(w, &n, sizeof n);
    if (w->is_reading) {
        if (w->is_short || n < 0 || n > (int64_t)(w->end - w->at))
            return firn_messages_add(messages, FIRN_REFUSED, "saved state: ends too early");
        firn_memory_release(&sim->memory, own->broken, (size_t)own->capacity);
        own->broken = firn_memory_array(&sim->memory, (size_t)n + 1, 1);
        own->capacity = own->broken ? n + 1 : 0;
        if (!own->broken) return firn_messages_no_memory(messages, "bonds");
        own->n_broken_of = n;
        own->is_loaded = 1;
    }
    firn_walk_pass(w, own->broken, (size_t)n);
    return FIRN_OK;
}

static const firn_meshless_hooks hooks = {
    .has_reference = 1,
    .kernel = "spiky",
    .support = 5.0 / 3,
    .check = check,
    .refer = refer,
    .forces = forces,
    .strain = strain,
    .stress = stress,
    .energy = energy,
    .pass = pass,
    .destroy = destroy,
};

static firn_status create(firn_sim *sim, const firn_run_options *options, firn_messages *messages)
{
    firn_status status = firn_meshless_create(sim, &hooks, options, messages);
    return status == FIRN_OK ? create_own(sim, messages) : status;
}

const firn_method firn_method_sph_corotated = FIRN_MESHLESS_METHOD(
    create, .name = "sph_corotated", .title = "corotated smoothed particles",
    .citation = "M. Becker, M. Ihmsen, M. Teschner, Corotated SPH for deformable solids, "
                "Eurographics Workshop on Natural Phenomena 2009; N. Liu, F. Zhu, S. Li, G. Wang, "
                "Anisotropic kernels for meshless elastic solids",
    .validity = "elastic solids (of their parameters E, nu and rho count): Hooke's law in the "
                "turning frame, for moderate strain; always in double");
