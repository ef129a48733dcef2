/* SPDX-License-Identifier: MIT */
/* peridynamics_solve.c: the implicit step of projective peridynamics.
 *
 * Step. Backward Euler: the positions minimise
 *
 *     sum_i m_i/(2 dt^2) |x_i - s_i|^2 + U,      s = x + dt v + dt^2 g.
 *
 * Each iteration holds the directions p_ij = l x_ij/|x_ij| (local) and solves for x (global),
 *
 *     (M/dt^2 + L) x = M/dt^2 s + sum_j c_ij (-p_ij),         L the graph Laplacian of c
 *
 * by conjugate gradients; U falls in every iteration, whatever dt. Particles in a grip are where it
 * takes them, others are put back before walls and colliders after each. Velocities follow from the
 * forces of the last positions, pair by pair: momentum and moment balance to round-off even where
 * the iteration was stopped early. An inverted bond turns back by itself, as it has no volume. */
#include "meshless/peridynamics.h"
#include "meshless/point_contact.h"

#include <string.h>

/* out = (M/dt^2 + L) x, 0 for held particles. */
static void apply_matrix(const firn_sim *sim, const double *x, double *out)
{
    const struct firn_meshless *s = sim->meshless;
    const firn_peridynamics *q = s->own;
    const double inertia = 1 / (sim->dt * sim->dt);
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        double sum[3] = {0, 0, 0};
        for (int64_t b = s->bonds.first[i]; !q->held[i] && b < s->bonds.first[i + 1]; b++)
            for (int a = 0; a < 3; a++)
                sum[a] += q->stiff[b] * (x[3 * i + a] - x[3 * s->bonds.other[b] + a]);
        for (int a = 0; a < 3; a++)
            out[3 * i + a] = q->held[i] ? 0 : sum[a] + s->mass[i] * inertia * x[3 * i + a];
    }
}

/* M/dt^2 (s - x) + f(x), the force that is missing at x; forces to column force. */
static void find_residual(firn_sim *sim, const double *x, double *residual)
{
    struct firn_meshless *s = sim->meshless;
    const firn_peridynamics *q = s->own;
    const double inertia = 1 / (sim->dt * sim->dt);
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        double f[3] = {0, 0, 0};
        for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
            double d[3];
            firn_meshless_pair(x, i, s->bonds.other[b], d);
            const double size = firn_meshless_length(d),
                         pull = size > 0 ? q->stiff[b] * (size - q->length[b]) / size : 0;
            for (int a = 0; a < 3; a++) f[a] += pull * d[a];
        }
        memcpy(s->force + 3 * i, f, sizeof f);
        for (int a = 0; a < 3; a++)
            residual[3 * i + a] =
                q->held[i] ? 0
                           : f[a] + s->mass[i] * inertia * (q->target[3 * i + a] - x[3 * i + a]);
    }
}

/* A sum over all components, by chunks in their order. */
static double dot(const firn_sim *sim, const double *a, const double *b)
{
    const int64_t n = 3 * (int64_t)sim->meshless->n;
    double part[FIRN_MESHLESS_CHUNKS], sum = 0;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int chunk = 0; chunk < FIRN_MESHLESS_CHUNKS; chunk++) {
        part[chunk] = 0;
        for (int64_t i = n * chunk / FIRN_MESHLESS_CHUNKS;
             i < n * (chunk + 1) / FIRN_MESHLESS_CHUNKS; i++)
            part[chunk] += a[i] * b[i];
    }
    for (int chunk = 0; chunk < FIRN_MESHLESS_CHUNKS; chunk++) sum += part[chunk];
    return sum;
}

/* x += (M/dt^2 + L)^-1 residual by conjugate gradients, to a hundredth of the residual. With the
 * directions held the equations are linear, and this correction is the global step. */
static void solve(firn_sim *sim)
{
    enum { MOST = 60 };
    struct firn_meshless *s = sim->meshless;
    firn_peridynamics *q = s->own;
    const int64_t n = 3 * (int64_t)s->n;
    double r2 = dot(sim, q->residual, q->residual);
    const double enough = 1e-4 * r2;
    memcpy(q->direction, q->residual, (size_t)n * sizeof(double));
    for (int k = 0; k < MOST && r2 > enough && r2 > 0; k++) {
        apply_matrix(sim, q->direction, q->applied);
        const double along = dot(sim, q->direction, q->applied);
        if (!(along > 0)) return;
        const double step = r2 / along;
        for (int64_t i = 0; i < n; i++) {
            q->solved[i] += step * q->direction[i];
            q->residual[i] -= step * q->applied[i];
        }
        const double next = dot(sim, q->residual, q->residual);
        for (int64_t i = 0; i < n; i++)
            q->direction[i] = q->residual[i] + next / r2 * q->direction[i];
        r2 = next;
    }
}

/* ---------------------------------------------------------------- the step */

/* Where a particle would go without bonds, and where grips take those that they hold. */
static void aim(firn_sim *sim, int32_t i)
{
    struct firn_meshless *s = sim->meshless;
    firn_peridynamics *q = s->own;
    q->held[i] = (uint8_t)firn_point_contact_held(sim, i, q->solved + 3 * i);
    for (int a = 0; a < 3; a++) {
        q->target[3 * i + a] =
            s->x[3 * i + a] + sim->dt * s->v[3 * i + a] + sim->dt * sim->dt * sim->scene.gravity[a];
        if (!q->held[i]) q->solved[3 * i + a] = q->target[3 * i + a];
    }
    if (!q->held[i]) firn_point_contact_keep_out(sim, i, q->solved + 3 * i);
}

firn_status firn_peridynamics_forces(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    firn_peridynamics *q = s->own;
    (void)messages;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) aim(sim, i);
    find_residual(sim, q->solved, q->residual);
    const double enough = sim->scene.peridynamics.tolerance * sim->scene.peridynamics.tolerance *
                          dot(sim, q->residual, q->residual);
    for (int k = 0; k < sim->scene.peridynamics.iterations; k++) {
        solve(sim);
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = 0; i < s->n; i++)
            if (!q->held[i]) firn_point_contact_keep_out(sim, i, q->solved + 3 * i);
        find_residual(sim, q->solved, q->residual);
        if (!(dot(sim, q->residual, q->residual) > enough)) break;
    }
    return FIRN_OK;
}
