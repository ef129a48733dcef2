/* SPDX-License-Identifier: MIT */
/* implicit_newton.c: inexact Newton with preconditioned conjugate gradients, matrix-free.
 *
 * Equations. In the free directions of the nodes (implicit_nodes.c) A x = -R(v), then v += s x.
 * Where stresses come from an energy R is the gradient of
 *
 *     1/2 sum m |v - v*|^2 + sum V0 Psi((I + dt grad v) F)
 *
 * (the incremental potential) and A its Hessian, symmetric. It may be indefinite (compressed or
 * buckling bodies, softening laws). Conjugate gradients then stop at the first direction of
 * negative curvature and return what they have, which descends (T. Steihaug, SIAM J. Numer. Anal. 20, 1983);
 * at the very first, the preconditioned gradient. Nothing is projected per particle: tangents are
 * exact.
 *
 * Forcing. |A x + R| <= eta |R|, eta = min(1/2, sqrt(|R| / |R_0|)): superlinear of order 3/2
 * without accuracy wasted far from the solution (S. C. Eisenstat, H. F. Walker, SIAM J. Sci.
 * Comput. 17, 1996).
 *
 * Line search, by slopes alone, as laws with flow have no energy: x . R(v + s x) is the slope of
 * the potential along x. s = 1 is taken unless the slope has turned to more than half of what it
 * was at the beginning, or a particle has no answer there (inverted, pressed to a tenth); then s
 * comes nearer by the secant.
 *
 * Stopping. The residual of a node is compared with the force of the present stress on a face of a
 * cell, in the root mean square over nodes: |R| <= tolerance sqrt(n) dt h^2 max(|T|, floor modulus)
 * + tolerance |m g dt|; the floor is what round-off leaves (4e-7 in float).
 *
 * Laws whose tangent is not symmetric (flow without dilation: sand, Cam-Clay; hardening snow) are
 * solved the same way: the directions of conjugate gradients then are only directions, which the
 * line search and the next Newton iteration answer for. */
#include "mpm/implicit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NEWTON_MAX = 40, CG_MAX = 300, CG_STATIC_MAX = 4000, SEARCH_MAX = 12, RELEASE_UNTIL = 12 };

#define FOR_NODES(i, blocks)                                                                       \
    for (size_t i = (size_t)(blocks).first * FIRN_BLOCK_NODES;                                     \
         i < (size_t)(blocks).end * FIRN_BLOCK_NODES; i++)

/* ---------------------------------------------------------------- residual */

/* r = m (v - v*) - out; held nodes are classified by it after both parts of a chunk. */
static void residual_of_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4],
                              void *user)
{
    const firn_implicit *s = sim->mpm->implicit;
    (void)chunk, (void)user, (void)sum;
    FOR_NODES(i, blocks)
    {
        const double m = s->inertia * firn_implicit_mass(sim, i);
        for (size_t a = 0; a < 3; a++)
            s->r[3 * i + a] = m > 0 ? m * (s->v[3 * i + a] - s->target[3 * i + a]) -
                                          firn_implicit_value(sim, s->out, 4 * i + a)
                                    : 0;
    }
}

static int classify_chunks(firn_sim *sim, int may_release)
{
    firn_implicit *s = sim->mpm->implicit;
    int n_stopped = 0;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads) reduction(+ : n_stopped)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
        n_stopped += firn_implicit_classify(sim, chunk, s->v, s->r, may_release);
    return firn_comm_or(&sim->comm, n_stopped > 0);
}

static void hold_chunks(firn_sim *sim)
{
    firn_implicit *s = sim->mpm->implicit;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        firn_implicit_add_friction(sim, chunk, s->r);
        firn_implicit_project(sim, chunk, s->r);
    }
}

/* |r|^2, x . r, number of unknown nodes */
static void norms_of_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    const firn_implicit *s = sim->mpm->implicit;
    (void)chunk, (void)user;
    FOR_NODES(i, blocks)
    {
        if (!(firn_implicit_mass(sim, i) > 0)) continue;
        for (size_t a = 0; a < 3; a++) {
            sum[0] += s->r[3 * i + a] * s->r[3 * i + a];
            sum[1] += s->r[3 * i + a] * s->step[3 * i + a];
        }
        sum[2] += 1;
    }
}

typedef struct state {
    double norm, slope, n_nodes;
} state;

/* In the free directions, with the friction that is known. */
static state hold_and_measure(firn_sim *sim)
{
    double sum[4];
    hold_chunks(sim);
    firn_implicit_each_chunk(sim, norms_of_chunk, sum, NULL);
    return (state){sqrt(sum[0]), sum[1], sum[2]};
}

/* Constraints and friction stay as they are. */
static state evaluate(firn_sim *sim)
{
    firn_implicit_force(sim, sim->mpm->implicit->v, 0);
    firn_implicit_each_chunk(sim, residual_of_chunk, NULL, NULL);
    return hold_and_measure(sim);
}

/* Constraints and friction anew, from the forces of the last evaluation; where nodes came to stick
 * forces are evaluated once more. */
static state classify(firn_sim *sim, int may_release)
{
    firn_implicit_each_chunk(sim, residual_of_chunk, NULL, NULL);
    if (!classify_chunks(sim, may_release)) return hold_and_measure(sim);
    firn_implicit_force(sim, sim->mpm->implicit->v, 0);
    firn_implicit_each_chunk(sim, residual_of_chunk, NULL, NULL);
    return hold_and_measure(sim);
}

/* ---------------------------------------------------------------- conjugate gradients */

/* z of a node */
static void precondition(const firn_implicit *s, size_t i, const double r[3], double z[3])
{
    double D[6];
    for (int k = 0; k < 6; k++) D[k] = s->jacobi[6 * i + (size_t)k];
    firn_symmetric_times(D, r, z);
}

/* x = 0, r = -R, p = z */
static void begin_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    const firn_implicit *s = sim->mpm->implicit;
    (void)chunk, (void)user, (void)sum;
    FOR_NODES(i, blocks)
    {
        for (size_t a = 0; a < 3; a++) {
            s->step[3 * i + a] = 0;
            s->r[3 * i + a] = -s->r[3 * i + a];
        }
        precondition(s, i, s->r + 3 * i, s->search + 3 * i);
    }
}

static void product_sums_of_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4],
                                  void *user)
{
    const firn_implicit *s = sim->mpm->implicit;
    (void)chunk, (void)user;
    FOR_NODES(i, blocks)
    {
        const double m = s->inertia * firn_implicit_mass(sim, i);
        if (!(m > 0)) continue;
        for (size_t a = 0; a < 3; a++) {
            const double p = s->search[3 * i + a];
            sum[0] += p * (m * p - firn_implicit_value(sim, s->out, 4 * i + a));
            sum[1] += p * s->r[3 * i + a];
            sum[2] += m * p * p;
        }
    }
}

/* Friction's part of p . A p. */
static double drag_product(const firn_sim *sim)
{
    const firn_implicit *s = sim->mpm->implicit;
    double sum = 0;
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
        for (int32_t k = 0; k < s->holds[chunk].n; k++) {
            const firn_hold *h = &s->holds[chunk].holds[k];
            const double *p =
                s->search + 3 * ((size_t)h->block * FIRN_BLOCK_NODES + (size_t)h->node);
            double q[3];
            firn_symmetric_times(h->drag, p, q);
            sum += p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        }
    return sum;
}

/* x += alpha p, r -= alpha A p */
static void advance_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    const firn_implicit *s = sim->mpm->implicit;
    const double alpha = *(const double *)user;
    (void)chunk, (void)sum;
    FOR_NODES(i, blocks)
    {
        const double m = s->inertia * firn_implicit_mass(sim, i);
        if (!(m > 0)) continue;
        for (size_t a = 0; a < 3; a++) {
            const double p = s->search[3 * i + a];
            s->step[3 * i + a] += alpha * p;
            s->r[3 * i + a] -= alpha * (m * p - firn_implicit_value(sim, s->out, 4 * i + a));
        }
    }
}

static void advance_holds(firn_sim *sim, double alpha)
{
    firn_implicit *s = sim->mpm->implicit;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        for (int32_t k = 0; k < s->holds[chunk].n; k++) {
            const firn_hold *h = &s->holds[chunk].holds[k];
            const size_t at = 3 * ((size_t)h->block * FIRN_BLOCK_NODES + (size_t)h->node);
            double q[3];
            firn_symmetric_times(h->drag, s->search + at, q);
            for (size_t a = 0; a < 3; a++) s->r[at + a] -= alpha * q[a];
        }
        firn_implicit_project(sim, chunk, s->r);
    }
}

/* |r|^2 and r . z */
static void residual_sums_of_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4],
                                   void *user)
{
    const firn_implicit *s = sim->mpm->implicit;
    (void)chunk, (void)user;
    FOR_NODES(i, blocks)
    {
        const double *r = s->r + 3 * i;
        double z[3];
        if (!(firn_implicit_mass(sim, i) > 0)) continue;
        precondition(s, i, r, z);
        for (int a = 0; a < 3; a++) {
            sum[0] += r[a] * r[a];
            sum[1] += r[a] * z[a];
        }
    }
}

/* p = z + beta p; projected afterwards, which leaves r . z as it is, since r is. */
static void turn_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    const firn_implicit *s = sim->mpm->implicit;
    const double beta = *(const double *)user;
    (void)chunk, (void)sum;
    FOR_NODES(i, blocks)
    {
        double z[3];
        precondition(s, i, s->r + 3 * i, z);
        for (size_t a = 0; a < 3; a++) s->search[3 * i + a] = z[a] + beta * s->search[3 * i + a];
    }
}

static void project_chunks(firn_sim *sim, double *vector)
{
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) firn_implicit_project(sim, chunk, vector);
}

/* step = x with |A x + R| <= eta |R|, or what there is at a direction of negative curvature.
 * Returns the descent -R . x = sum alpha p . r. */
static double conjugate_gradients(firn_sim *sim, double norm, double eta)
{
    firn_implicit *s = sim->mpm->implicit;
    double sum[4], rz, descent = 0;
    firn_implicit_each_chunk(sim, begin_chunk, NULL, NULL);
    project_chunks(sim, s->search);
    firn_implicit_each_chunk(sim, residual_sums_of_chunk, sum, NULL);
    rz = sum[1];
    const int most = sim->implicit_use == FIRN_IMPLICIT_STATIC ? CG_STATIC_MAX : CG_MAX;
    for (int k = 0; k < most && rz > 0; k++) {
        firn_implicit_product(sim, s->search);
        firn_implicit_each_chunk(sim, product_sums_of_chunk, sum, NULL);
        const double curvature = sum[0] + drag_product(sim);
        if (!(curvature > 1e-14 * sum[2])) {
            double alpha = 1;
            s->counts.n_indefinite++;
            s->is_indefinite = 1;
            if (k > 0) return descent;
            firn_implicit_each_chunk(sim, advance_chunk, NULL, &alpha);
            return sum[1];
        }
        double alpha = sum[1] / curvature;
        descent += alpha * sum[1];
        firn_implicit_each_chunk(sim, advance_chunk, NULL, &alpha);
        advance_holds(sim, alpha);
        firn_implicit_each_chunk(sim, residual_sums_of_chunk, sum, NULL);
        if (sqrt(sum[0]) <= eta * norm) return descent;
        double beta = sum[1] / rz;
        rz = sum[1];
        firn_implicit_each_chunk(sim, turn_chunk, NULL, &beta);
        project_chunks(sim, s->search);
    }
    return descent;
}

/* ---------------------------------------------------------------- line search */

typedef struct move {
    double by;
} move;

static void move_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    const firn_implicit *s = sim->mpm->implicit;
    const double by = ((const move *)user)->by;
    (void)chunk, (void)sum;
    FOR_NODES(i, blocks)
    for (size_t a = 0; a < 3; a++) s->v[3 * i + a] += by * s->step[3 * i + a];
}

/* v = base + by step; held nodes from their own base, as separating ones are admitted after it. */
static void move_to(firn_sim *sim, double from, double to)
{
    firn_implicit *s = sim->mpm->implicit;
    move m = {to - from};
    firn_implicit_each_chunk(sim, move_chunk, NULL, &m);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        for (int32_t k = 0; k < s->holds[chunk].n; k++) {
            const firn_hold *h = &s->holds[chunk].holds[k];
            const size_t at = 3 * ((size_t)h->block * FIRN_BLOCK_NODES + (size_t)h->node);
            for (size_t a = 0; a < 3; a++) s->v[at + a] = h->base[a] + to * s->step[at + a];
        }
        firn_implicit_admit(sim, chunk, s->v, 0);
    }
}

static void keep_bases(firn_sim *sim)
{
    firn_implicit *s = sim->mpm->implicit;
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
        for (int32_t k = 0; k < s->holds[chunk].n; k++) {
            firn_hold *h = &s->holds[chunk].holds[k];
            memcpy(h->base, s->v + 3 * ((size_t)h->block * FIRN_BLOCK_NODES + (size_t)h->node),
                   sizeof h->base);
        }
}

/* Moves along the step; 0: no state with an answer was found. */
static int search(firn_sim *sim, double descent, state *found)
{
    firn_implicit *s = sim->mpm->implicit;
    double at = 0, next = 1;
    keep_bases(sim);
    for (int k = 0; k < SEARCH_MAX; k++) {
        move_to(sim, at, next);
        at = next;
        *found = evaluate(sim);
        if (!s->is_bad && isfinite(found->norm) && found->slope <= 0.5 * descent) return 1;
        if (s->is_bad || !isfinite(found->norm)) {
            next = 0.3 * at;
            continue;
        }
        const double secant = descent / (descent + found->slope);
        next = at * fmin(0.7, fmax(0.1, secant));
    }
    return !s->is_bad && isfinite(found->norm);
}

/* ---------------------------------------------------------------- Newton */

/* |m g dt|^2 over the unknown nodes */
static void weight_of_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)user;
    FOR_NODES(i, blocks)
    {
        const double m = firn_implicit_mass(sim, i);
        sum[0] += m * m;
    }
}

static double largest_residual(firn_sim *sim, double n_nodes)
{
    firn_implicit *s = sim->mpm->implicit;
    double sum[4], g2 = 0;
    const double floor = sim->mpm->kernels->is_double ? 1e-14 : 4e-7,
                 tolerance = sim->time_def.tolerance;
    for (int a = 0; a < 3; a++) g2 += sim->scene.gravity[a] * sim->scene.gravity[a];
    firn_implicit_each_chunk(sim, weight_of_chunk, sum, NULL);
    const double face = s->dt * sim->h * sim->h * sqrt(n_nodes);
    return face * fmax(tolerance * s->stress, floor * s->modulus) +
           tolerance * s->dt * sqrt(g2 * sum[0]);
}

/* v = the vector at user; NULL: 0 */
static void set_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    const firn_implicit *s = sim->mpm->implicit;
    const double *from = user;
    (void)chunk, (void)sum;
    FOR_NODES(i, blocks)
    for (size_t a = 0; a < 3; a++) s->v[3 * i + a] = from ? from[3 * i + a] : 0;
}

/* v = `from` or 0, as constraints admit it; 0: a particle has no answer there. */
static int begin_at(firn_sim *sim, double *from, state *now)
{
    firn_implicit *s = sim->mpm->implicit;
    firn_implicit_each_chunk(sim, set_chunk, NULL, from);
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        for (int32_t h = 0; h < s->holds[chunk].n; h++) {
            firn_hold *hold = &s->holds[chunk].holds[h];
            hold->active = hold->sticks = 0;
            memset(hold->slip, 0, sizeof hold->slip);
            memset(hold->free, 0, sizeof hold->free);
            memset(hold->force, 0, sizeof hold->force);
        }
        firn_implicit_admit(sim, chunk, s->v, 1);
    }
    *now = evaluate(sim);
    if (s->is_bad || !isfinite(now->norm)) return 0;
    *now = classify(sim, 1);
    return !s->is_bad && isfinite(now->norm);
}

/* From the target, which is right in flight (without inertia: from the velocities of the last step,
 * right in steady flow), or from rest, which is nearer where material is held or stopped: where the
 * residual is smaller. */
static int begin(firn_sim *sim, state *now)
{
    firn_implicit *s = sim->mpm->implicit;
    double *moving = sim->implicit_use == FIRN_IMPLICIT_STATIC ? s->search : s->target;
    const double of_flight = begin_at(sim, moving, now) ? now->norm : INFINITY;
    if (of_flight <= largest_residual(sim, now->n_nodes)) return 1;
    if (begin_at(sim, NULL, now) && now->norm <= of_flight) return 1;
    return of_flight < INFINITY && begin_at(sim, moving, now);
}

static int has_holds(const firn_sim *sim)
{
    int n = 0;
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) n += sim->mpm->implicit->holds[chunk].n;
    return n > 0;
}

int firn_implicit_solve(firn_sim *sim, char *why, size_t n_why)
{
    firn_implicit *s = sim->mpm->implicit;
    s->last_newton = s->last_products = s->is_indefinite = 0;
    s->counts.n_solves++;
    state now;
    if (!begin(sim, &now)) {
        snprintf(why, n_why, "a particle has no answer at the beginning of the solve");
        return 0;
    }
    firn_implicit_precondition(sim);
    double first = now.norm;
    double best = first;
    int n_stalled = 0;
    for (int k = 0;; k++) {
        s->residual = s->history[k] = now.norm;
        s->scale = largest_residual(sim, now.n_nodes);
        if (now.norm <= s->scale) return 1;
        if (k == NEWTON_MAX || n_stalled == 8) break;
        const double eta = fmin(0.5, sqrt(now.norm / first));
        s->is_indefinite = 0;
        const double descent =
            conjugate_gradients(sim, now.norm, fmax(eta, 0.1 * s->scale / now.norm));
        s->counts.n_newton++;
        s->last_newton++;
        if (!search(sim, descent, &now)) {
            snprintf(why, n_why, "no state with an answer along the direction of the solve");
            return 0;
        }
        if (has_holds(sim)) now = classify(sim, k < RELEASE_UNTIL);
        n_stalled = now.norm < 0.9 * best ? 0 : n_stalled + 1;
        best = fmin(best, now.norm);
        first = fmax(first, now.norm);
    }
    if (now.norm <= 10 * s->scale) return 1; /* what round-off leaves in float */
    snprintf(why, n_why, "residual %.3g of %.3g allowed after %d Newton iterations", now.norm,
             s->scale, s->last_newton);
    return 0;
}
