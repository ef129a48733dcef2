/* SPDX-License-Identifier: MIT */
/* stability.c: the largest dt that is stable for every arrangement of particles.
 *
 * With lumped masses no body is worse than its worst particle alone (README.md, section 9): it
 * breathes, with omega^2 = S 3K / (rho h^2), S = max over x of sum_i (h dw_i/dx)^2 / w_i. With q = 3K
 * dt^2 / (rho h^2) and d = h^2/D its strain and dt C advance by
 *
 *     gradient, C carried on    (1 - S q, 1; -d q, 1)     stable for q <= 4 / (2 S - d)
 *     gradient, C not carried   nodes keep velocities      stable for q <= 4 / S
 *     mls                       S = d in both
 *
 * so dt <= 2 h / sqrt(S' 3K/rho) with S' = 2 S - d or S, and 3K/rho = breathing c^2, where `breathing`
 * = 3K / (lambda + 2 mu) = (1 + nu)/(1 - nu) is measured on the law at rest and c is the wave speed of
 * the present state. For viscosity, with q = 2 nu dt / h^2, the same two matrices advance grad v
 * and C: (-S q, 1; -d q, 1) is stable for q <= 2 / (2 S - d), so dt <= h^2 / (S' nu).
 *
 * As rates that cfl divides: dt <= cfl / max((|v| + c) / h, bound_wave c / h, bound_viscosity nu /
 * h^2). Where cfl is small enough (0.4 always is) the bounds are below the other rates and change
 * nothing. */
#include "mpm/stability.h"
#include "laws/law.h"

#include <math.h>

/* S of the splines: attained at x = 0.2755 (cubic) and midway between nodes (quadratic). */
static const double S_cubic = 3.136819, S_quadratic = 6;

/* Share of the largest dt: at the limit itself a motion neither grows nor is kept small. */
static const double margin = 0.98;

static double stiffness(const firn_transfer *transfer)
{
    const double d = transfer->is_quadratic ? 4 : 3, S = transfer->is_mls         ? d
                                                         : transfer->is_quadratic ? S_quadratic
                                                                                  : S_cubic;
    return transfer->is_affine ? 2 * S - d : S;
}

void firn_stability_set(firn_transfer *transfer, const firn_stability_law *law, double cfl)
{
    const double S = stiffness(transfer) / (margin * margin);
    transfer->bound_wave = cfl * sqrt(S * law->breathing) / 2;
    transfer->bound_viscosity = fmax(6, cfl * S);
}

/* Parameters that differ from particle to particle: the law at rest is that of one of them. */
static int is_uniform(const firn_material *material)
{
    int is_uniform = material->n_painted == 0;
    for (int i = 0; i < material->law->info.n_parameters; i++)
        is_uniform &= material->noise[i] == 0 && material->n_table[i] == 0 && !material->varies[i];
    return is_uniform;
}

firn_stability_law firn_stability_of_law(const firn_material *material)
{
    enum { LANES = FIRN_BUNDLE_LANES };
    _Alignas(64) double F[9 * LANES] = {0}, tau[6 * LANES], wave[LANES], viscosity[LANES],
                              flags[LANES], T[LANES], history[FIRN_MAX_PARAMETERS * LANES];
    const uint32_t id[LANES] = {0};
    const firn_law_info *info = &material->law->info;
    const double strain = -1e-4;
    firn_stability_law limits = {.breathing = 3};
    if (!material->law->kernels[FIRN_F64_SCALAR].measure || info->n_history > FIRN_MAX_PARAMETERS)
        return limits;
    for (int l = 0; l < LANES; l++) {
        for (int a = 0; a < 3; a++) F[4 * a * LANES + l] = 1 + strain;
        for (int k = 0; k < info->n_history; k++) history[k * LANES + l] = info->history[k].initial;
        T[l] = 293.15;
    }
    const firn_law_batch batch = {.material = material,
                                  .n_bundles = 1,
                                  .F = F,
                                  .history = history,
                                  .temperature = T,
                                  .id = id,
                                  .tau = tau,
                                  .wave = wave,
                                  .viscosity = viscosity,
                                  .flags = flags};
    material->law->kernels[FIRN_F64_SCALAR].measure(&batch);
    const double three_K = (tau[0] + tau[LANES] + tau[2 * LANES]) / (3 * log1p(strain)),
                 M = material->density * wave[0] * wave[0], ratio = three_K / M;
    if (is_uniform(material) && isfinite(ratio)) limits.breathing = fmin(fmax(ratio, 1), 3);
    if (isfinite(wave[0])) limits.wave = wave[0];
    if (isfinite(viscosity[0])) limits.viscosity = viscosity[0];
    return limits;
}
