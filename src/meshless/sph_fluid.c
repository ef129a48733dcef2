/* SPDX-License-Identifier: MIT */
/* sph_fluid.c: smoothed particles of fluids: neighbours found anew, density by continuity, pressure
 * and viscous stress of the material's law (liquid, souza_mendes_dutra), artificial viscosity, XSPH.
 *
 *     L_i  = sum_j m_j/rho_j (v_j - v_i) (x) grad_i W_ij              velocity gradient
 *     J    <- det(I + dt L) J,   rho = rho_0/J                        by the law, d rho = -rho div v
 *     f_i  = m_i sum_j m_j (sigma_i/rho_i^2 + sigma_j/rho_j^2 - Pi_ij I) grad_i W_ij
 *     Pi   = (-alpha c mu + beta mu^2)/rho,  mu = h v_ij.x_ij/(r^2 + .01 h^2) where particles
 *            approach, else 0; c, rho means of both, h a third of the support
 *     x_i  += dt xsph sum_j m_j/rho (v_j - v_i) W_ij                  XSPH: positions only
 *
 * With normalise (default) grad W_ij is replaced by K_i grad W_ij, K_i = (sum_j V_j slope x_ij
 * x_ij^T)^-1, in both formulas, so that the velocity gradient is exact for linear fields where the
 * neighbourhood is cut off by a wall or a surface, and the force is its adjoint: f_i = sum_j V_i V_j
 * (sigma_i K_i + sigma_j K_j) grad W_ij. Eigenvalues of the sum below LEAST count as LEAST, which
 * bounds the forces on spray. Without it a neighbourhood that is cut in half has half of its
 * gradient, and a quarter of its stiffness.
 *
 * As printed: plain gradients; Pi divided by the density a second time, so that it is lost; XSPH that
 * overwrites velocities.
 *
 * Pairs are antisymmetric: momentum balances to round-off. Pressure and Pi are central forces; a
 * viscous stress is not, and moments of momentum balance only as far as the lattice is even.
 * xsph_velocity also changes v, which is a viscosity xsph (7/15) h^2/(2 dt) (quintic).
 *
 * dt <= cfl h/c and cfl h^2/(4/3 nu): half of the limit of the discrete operators on a lattice. */
#include "meshless/meshless.h"
#include "meshless/small3.h"

#include <string.h>

static const double LEAST = 0.25; /* half a neighbourhood has 1/2 along its normal */

static firn_sph_fluid_def choice_of(const firn_sim *sim)
{
    firn_sph_fluid_def def = sim->scene.sph_fluid;
    if (!sim->scene.meshless.as_printed) return def;
    def.normalise = 0;
    def.xsph_changes_velocity = 1;
    return def;
}

static double smoothing(const struct firn_meshless *s, int32_t i, int32_t j)
{
    return 0.5 * s->support * (s->spacing[i] + s->spacing[j]);
}

/* x_j - x_i, its length, and v_j - v_i; 0: not in reach of each other. */
static int pair_of(const struct firn_meshless *s, int32_t i, int32_t j, double x[3], double v[3],
                   double *r)
{
    double r2 = 0;
    const double support = smoothing(s, i, j);
    for (int a = 0; a < 3; a++) {
        x[a] = s->x[3 * j + a] - s->x[3 * i + a];
        v[a] = s->v[3 * j + a] - s->v[3 * i + a];
        r2 += x[a] * x[a];
    }
    *r = sqrt(r2);
    return r2 < support * support;
}

/* K of the present positions and volumes. */
static void correct(firn_sim *sim, int32_t i)
{
    struct firn_meshless *s = sim->meshless;
    double A[9] = {0}, value[3], V[9], *K = s->correct + 9 * i;
    for (int64_t b = s->near.first[i]; b < s->near.first[i + 1]; b++) {
        const int32_t j = s->near.other[b];
        double x[3], v[3], r;
        if (!pair_of(s, i, j, x, v, &r)) continue;
        const double w = s->hold[j] * s->kernel->slope(r, smoothing(s, i, j));
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) A[3 * a + c] += w * x[a] * x[c];
    }
    small3_eigen(A, value, V);
    memset(K, 0, 9 * sizeof *K);
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++)
                K[3 * a + c] += V[3 * a + k] * V[3 * c + k] / fmax(value[k], LEAST);
}

static void correct_all(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    const int normalise = choice_of(sim).normalise;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        if (normalise) correct(sim, i);
        for (int c = 0; !normalise && c < 9; c++) s->correct[9 * i + c] = c % 4 == 0;
    }
}

/* Volumes present m/rho = V0 J, in column hold; what a pair exchanges, sigma/rho^2 = tau J/rho_0^2,
 * in column flux, with K. */
static void prepare(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++)
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            double F[9], t[6];
            firn_meshless_tensor(&s->particles[m], FIRN_FIELD_F, i - s->first[m], 9, F);
            firn_meshless_tensor(&s->particles[m], FIRN_FIELD_TAU, i - s->first[m], 6, t);
            const double J = small3_determinant(F), rho = s->mass[i] / s->volume[i],
                         scale = J / (rho * rho),
                         full[9] = {t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]};
            s->hold[i] = s->volume[i] * J;
            for (int c = 0; c < 9; c++) s->flux[9 * i + c] = scale * full[c];
        }
    correct_all(sim);
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        double corrected[9];
        small3_multiply(s->flux + 9 * i, s->correct + 9 * i, corrected);
        memcpy(s->flux + 9 * i, corrected, sizeof corrected);
    }
}

/* Artificial viscosity of a pair, Pi_ij. */
static double artificial(const firn_sim *sim, int32_t i, int32_t j, const double x[3],
                         const double v[3], double r)
{
    const struct firn_meshless *s = sim->meshless;
    const double *by = sim->scene.sph_fluid.viscosity, h = smoothing(s, i, j) / 3,
                 approach = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
    if (approach >= 0) return 0;
    const double mu = h * approach / (r * r + 0.01 * h * h),
                 rho = 0.5 * (s->mass[i] / s->hold[i] + s->mass[j] / s->hold[j]),
                 c = 0.5 * (s->wave[i] + s->wave[j]);
    const double printed = sim->scene.meshless.as_printed ? 1 / rho : 1;
    return printed * (-by[0] * c * mu + by[1] * mu * mu) / rho;
}

static void force_of(firn_sim *sim, int32_t i)
{
    struct firn_meshless *s = sim->meshless;
    double f[3] = {0, 0, 0};
    for (int64_t b = s->near.first[i]; b < s->near.first[i + 1]; b++) {
        const int32_t j = s->near.other[b];
        double x[3], v[3], r;
        if (!pair_of(s, i, j, x, v, &r)) continue;
        /* grad_i W = slope (x_j - x_i) */
        const double slope = s->kernel->slope(r, smoothing(s, i, j)),
                     masses = s->mass[i] * s->mass[j], push = artificial(sim, i, j, x, v, r);
        const double *p = s->flux + 9 * i, *q = s->flux + 9 * j;
        for (int a = 0; a < 3; a++) {
            const double stress = (p[3 * a] + q[3 * a]) * x[0] +
                                  (p[3 * a + 1] + q[3 * a + 1]) * x[1] +
                                  (p[3 * a + 2] + q[3 * a + 2]) * x[2];
            f[a] += masses * slope * (stress - push * x[a]);
        }
    }
    memcpy(s->force + 3 * i, f, sizeof f);
}

static firn_status forces(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    const firn_status status = firn_meshless_find_near(sim, s->support, messages);
    if (status != FIRN_OK) return status;
    prepare(sim);
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) force_of(sim, i);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- after the drift */

/* The mean velocity of the neighbours against the own one, in column force. */
static void smooth_velocities(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        double u[3] = {0, 0, 0};
        for (int64_t b = s->near.first[i]; b < s->near.first[i + 1]; b++) {
            const int32_t j = s->near.other[b];
            double x[3], v[3], r;
            if (!pair_of(s, i, j, x, v, &r)) continue;
            const double rho = 0.5 * (s->mass[i] / s->hold[i] + s->mass[j] / s->hold[j]),
                         w = s->mass[j] / rho * s->kernel->value(r, smoothing(s, i, j));
            for (int a = 0; a < 3; a++) u[a] += w * v[a];
        }
        memcpy(s->force + 3 * i, u, sizeof u);
    }
}

static void apply_xsph(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    const firn_sph_fluid_def def = choice_of(sim);
    const double share = def.xsph;
    if (!(share > 0)) return;
    smooth_velocities(sim);
    for (int32_t i = 0; i < 3 * s->n; i++) {
        s->x[i] += sim->dt * share * s->force[i];
        if (def.xsph_changes_velocity) s->v[i] += share * s->force[i];
    }
}

static void gradient_of(firn_sim *sim, int32_t i)
{
    struct firn_meshless *s = sim->meshless;
    double L[9] = {0};
    for (int64_t b = s->near.first[i]; b < s->near.first[i + 1]; b++) {
        const int32_t j = s->near.other[b];
        double x[3], v[3], r;
        if (!pair_of(s, i, j, x, v, &r)) continue;
        const double w = s->hold[j] * s->kernel->slope(r, smoothing(s, i, j));
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) L[3 * a + c] += w * v[a] * x[c];
    }
    small3_multiply(L, s->correct + 9 * i, s->grad_v + 9 * i);
}

static firn_status strain(firn_sim *sim, int is_step, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    if (is_step) {
        apply_xsph(sim);
        const firn_status status = firn_meshless_find_near(sim, s->support, messages);
        if (status != FIRN_OK) return status;
        correct_all(sim);
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = 0; i < s->n; i++) gradient_of(sim, i);
    }
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            const double h = s->support * s->spacing[i] / 3;
            s->compliant[i] = 4 / (sim->materials[m].resolved.density * h * h * s->breadth[m]);
            s->stiff[i] = s->touched[i] = 0;
        }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- the method */

/* Other laws run as they are, their F advanced by grad v: for comparison. */
static firn_status check(const firn_sim *sim, firn_messages *messages)
{
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_material *material = &sim->materials[m].resolved;
        if (!material->law->info.is_fluid)
            firn_messages_warn(messages,
                               "materials.%s: the law '%s' is not one of a fluid; with method "
                               "sph_fluid its particles clump under tension, and bodies that touch "
                               "stick together",
                               material->name, material->law->info.name);
    }
    return FIRN_OK;
}

static const firn_meshless_hooks hooks = {
    .takes_births = 1,
    .conducts = 1,
    .kernel = "quintic",
    .support = 3,
    .check = check,
    .forces = forces,
    .strain = strain,
};

static firn_status create(firn_sim *sim, const firn_run_options *options, firn_messages *messages)
{
    return firn_meshless_create(sim, &hooks, options, messages);
}

const firn_method firn_method_sph_fluid = FIRN_MESHLESS_METHOD(
    create, .name = "sph_fluid", .title = "smoothed particles of fluids",
    .citation = "J. J. Monaghan, Smoothed particle hydrodynamics, Rep. Prog. Phys. 68 (2005); A. "
                "Paiva et al., Particle-based viscoplastic fluid/solid simulation, Computer-Aided "
                "Design 41(4), 2009",
    .validity =
        "weakly compressible fluids (laws liquid, souza_mendes_dutra); other laws for comparison, "
        "as particles clump under tension; always in double");
