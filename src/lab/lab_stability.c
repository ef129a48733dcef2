/* SPDX-License-Identifier: MIT */
/* lab_stability.c: where a law loses ellipticity.
 *
 * The elastic response about a state F_e has the tangent A_iJkL = dP_iJ / dF_kL. A plane wave
 * with normal N (in the reference placement) travels with real speed only if the acoustic tensor
 * Q_ik = A_iJkL N_J N_L has no negative eigenvalue; where its smallest eigenvalue over all N
 * passes zero the equations change their type, discontinuities of the deformation gradient
 * become possible, and refining a mesh or a grid no longer converges.
 *
 * A comes from the oracle's measure() by fourth-order central differences (exact for St.
 * Venant-Kirchhoff up to rounding), eigenvalues from LAPACKE. The search over N is a grid on the
 * half sphere that contains the axes, then a pattern search from its best places.
 *
 * A bar sees less: waves that run and swing along its axis, N.Q N for N = e1. Example that tests
 * check: St. Venant-Kirchhoff has Q = (N.S N) I + F ((lambda + mu) N N + mu I) F^T. In uniaxial
 * strain s a bar's Q_11 = (lambda/2 + mu)(3 s^2 - 1) vanishes at s = 1/sqrt 3 whatever the
 * moduli. In space another wave is lost before: an oblique one at s = 0.6051 for mu = 100,
 * lambda = 27.78, and for lambda > mu those that swing across the axis, Q_22 = (lambda/2 +
 * mu)(s^2 - 1) + mu, at s = sqrt(lambda/(lambda + 2 mu)) or before. */
#include "lab/lab.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { LANES = 16, N_TRIALS = 36, N_BUNDLES = 3, N_STARTS = 3 };

static void kirchhoff_to_nominal(const double F[9], const double tau[6], double P[9])
{
    firn_lab_state state = {0};
    memcpy(state.F, F, sizeof state.F);
    firn_lab_stress_of(&state, tau, FIRN_LAB_NOMINAL, P);
}

/* A[9][9]: d P_a / d F_b by (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h. */
static firn_status tangent(const firn_material *material, double temperature, const double F[9],
                           const double *history, double A[81], firn_messages *messages)
{
    static const double offset[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    const double h = 2e-4;
    double f[N_BUNDLES * 9 * LANES], tau[N_BUNDLES * 6 * LANES], flags[N_BUNDLES * LANES];
    double temperatures[N_BUNDLES * LANES], past[N_BUNDLES * FIRN_MAX_HISTORY * LANES];
    uint32_t id[N_BUNDLES * LANES] = {0};
    int n_history = material->law->info.n_history;
    for (int t = 0; t < N_BUNDLES * LANES; t++) {
        int b = t / LANES, l = t % LANES;
        for (int c = 0; c < 9; c++) f[(b * 9 + c) * LANES + l] = F[c];
        if (t < N_TRIALS) f[(b * 9 + t / 4) * LANES + l] += h * offset[t % 4];
        for (int k = 0; k < n_history; k++) past[(b * n_history + k) * LANES + l] = history[k];
        temperatures[t] = temperature;
    }
    firn_law_batch batch = {.material = material,
                            .n_bundles = N_BUNDLES,
                            .dt = 1,
                            .F = f,
                            .history = past,
                            .temperature = temperatures,
                            .id = id,
                            .tau = tau,
                            .flags = flags};
    material->law->kernels[FIRN_F64_SCALAR].measure(&batch);
    memset(A, 0, 81 * sizeof *A);
    for (int t = 0; t < N_TRIALS; t++) {
        int b = t / LANES, l = t % LANES;
        double trial[9], stress[6], P[9], sum = 0;
        for (int c = 0; c < 9; c++) trial[c] = f[(b * 9 + c) * LANES + l];
        for (int c = 0; c < 6; c++) stress[c] = tau[(b * 6 + c) * LANES + l];
        kirchhoff_to_nominal(trial, stress, P);
        for (int c = 0; c < 9; c++) sum += P[c];
        if (!isfinite(sum))
            return firn_messages_add(
                messages, FIRN_STOPPED,
                "law '%s': no finite stress near F = [%g %g %g; %g %g %g; %g %g %g]",
                material->law->info.name, F[0], F[1], F[2], F[3], F[4], F[5], F[6], F[7], F[8]);
        for (int a = 0; a < 9; a++) A[a * 9 + t / 4] += weight[t % 4] * P[a] / (12 * h);
    }
    return FIRN_OK;
}

static void acoustic_tensor(const double A[81], const double N[3], double Q[9])
{
    memset(Q, 0, 9 * sizeof *Q);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int J = 0; J < 3; J++)
                for (int L = 0; L < 3; L++)
                    Q[3 * i + k] += A[(3 * i + J) * 9 + 3 * k + L] * N[J] * N[L];
}

/* N.Q N: of a wave that swings along N, where it runs */
static double longitudinal(const double A[81], const double N[3])
{
    double Q[9], sum = 0;
    acoustic_tensor(A, N, Q);
    for (int i = 0; i < 9; i++) sum += Q[i] * N[i / 3] * N[i % 3];
    return sum;
}

/* Smallest eigenvalue of the acoustic tensor for one direction. */
static double smallest_along(const double A[81], const double N[3])
{
    double Q[9], eigen[3];
    acoustic_tensor(A, N, Q);
    /* symmetric for every law with an energy; differences leave rounding */
    Q[1] = Q[3] = (Q[1] + Q[3]) / 2;
    Q[2] = Q[6] = (Q[2] + Q[6]) / 2;
    Q[5] = Q[7] = (Q[5] + Q[7]) / 2;
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3, Q, 3, eigen) != 0) return NAN;
    return eigen[0];
}

static double smallest_for(const double A[81], double polar, double azimuth, double N[3])
{
    N[0] = sin(polar) * cos(azimuth);
    N[1] = sin(polar) * sin(azimuth);
    N[2] = cos(polar);
    return smallest_along(A, N);
}

/* Downhill in the two angles, the step halved whenever no neighbour is lower. */
static double refine(const double A[81], double value, double angles[2], double step)
{
    double N[3];
    while (step > 1e-7) {
        int is_lower = 0;
        for (int k = 0; k < 4; k++) {
            double polar = angles[0] + (k == 0 ? step : k == 1 ? -step : 0);
            double azimuth = angles[1] + (k == 2 ? step : k == 3 ? -step : 0);
            double trial = smallest_for(A, polar, azimuth, N);
            if (trial < value) {
                value = trial;
                angles[0] = polar;
                angles[1] = azimuth;
                is_lower = 1;
            }
        }
        if (!is_lower) step /= 2;
    }
    return value;
}

/* The smallest over all directions. */
static firn_status search(const double A[81], double *smallest, double direction[3],
                          firn_messages *messages)
{
    double N[3];
    const int n_polar = 12, n_azimuth = 24; /* 7.5 degrees; holds e1, e2, e3 */
    double best[N_STARTS], angles[N_STARTS][2] = {{0}};
    for (int s = 0; s < N_STARTS; s++) best[s] = INFINITY;
    for (int i = 0; i <= n_polar; i++)
        for (int j = 0; j < n_azimuth; j++) {
            double polar = M_PI_2 * i / n_polar, azimuth = M_PI * 2 * j / n_azimuth;
            double value = smallest_for(A, polar, azimuth, N);
            if (isnan(value))
                return firn_messages_add(messages, FIRN_STOPPED,
                                         "acoustic tensor: LAPACK found no eigenvalues");
            int s = N_STARTS;
            while (s > 0 && value < best[s - 1]) s--;
            if (s == N_STARTS) continue;
            for (int k = N_STARTS - 1; k > s; k--) {
                best[k] = best[k - 1];
                memcpy(angles[k], angles[k - 1], 16);
            }
            best[s] = value;
            angles[s][0] = polar;
            angles[s][1] = azimuth;
            if (i == 0) break; /* the pole is one direction */
        }
    *smallest = INFINITY;
    for (int s = 0; s < N_STARTS; s++) {
        if (!isfinite(best[s])) continue;
        double value = refine(A, best[s], angles[s], M_PI_2 / n_polar / 2);
        if (!(value < *smallest)) continue;
        *smallest = value;
        smallest_for(A, angles[s][0], angles[s][1], N);
        if (direction) memcpy(direction, N, sizeof N);
    }
    return FIRN_OK;
}

firn_status firn_lab_acoustic(const firn_material *material, double temperature,
                              const double F_elastic[9], const double *history, const double *along,
                              double *smallest, double direction[3], firn_messages *messages)
{
    double A[81], largest = 0;
    firn_status status = tangent(material, temperature, F_elastic, history, A, messages);
    if (status != FIRN_OK) return status;
    if (along)
        *smallest = longitudinal(A, along);
    else
        status = search(A, smallest, direction, messages);
    /* a fluid has no shear stiffness: rounding of the differences must not look like a loss */
    for (int a = 0; a < 81; a++) largest = fmax(largest, fabs(A[a]));
    if (fabs(*smallest) < 1e-11 * largest) *smallest = 0;
    return status;
}

static firn_status acoustic_between(const firn_material *material, double temperature,
                                    const double F_from[9], const double F_to[9],
                                    const double *history, const double *along, double share,
                                    double *smallest, firn_messages *messages)
{
    double F[9];
    for (int c = 0; c < 9; c++) F[c] = F_from[c] + share * (F_to[c] - F_from[c]);
    return firn_lab_acoustic(material, temperature, F, history, along, smallest, NULL, messages);
}

firn_status firn_lab_ellipticity_loss(const firn_material *material, double temperature,
                                      const double F_from[9], const double F_to[9],
                                      const double *history, const double *along, int n_steps,
                                      double *at, firn_messages *messages)
{
    double low = 0, value;
    *at = NAN;
    firn_status status =
        acoustic_between(material, temperature, F_from, F_to, history, along, 0, &value, messages);
    if (status != FIRN_OK) return status;
    if (value < 0) {
        *at = 0;
        return FIRN_OK;
    }
    for (int i = 1; i <= n_steps; i++) {
        double high = (double)i / n_steps;
        status = acoustic_between(material, temperature, F_from, F_to, history, along, high, &value,
                                  messages);
        if (status != FIRN_OK) return status;
        if (value >= 0) {
            low = high;
            continue;
        }
        while (high - low > 1e-9) {
            double middle = (low + high) / 2;
            status = acoustic_between(material, temperature, F_from, F_to, history, along, middle,
                                      &value, messages);
            if (status != FIRN_OK) return status;
            if (value < 0)
                high = middle;
            else
                low = middle;
        }
        *at = (low + high) / 2;
        return FIRN_OK;
    }
    return FIRN_OK;
}
