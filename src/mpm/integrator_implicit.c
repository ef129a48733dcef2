/* SPDX-License-Identifier: MIT */
/* integrator_implicit.c: backward Euler on the velocities of the grid.
 *
 *     p2g       m_i = sum w m        (m v)_i = sum w m (v + C (x_i - x_p))      no forces
 *     target    v* = (m v)_i / m_i + dt g, then force fields
 *     solve     m (v - v*) = dt f(v) + constraints,   f = -sum V0 T grad w
 *               T: flux of the law at F_trial = (I + dt grad v) F     (laws/law_tangent.h)
 *     g2p       as in an explicit step: v, C, x from the grid; F <- law((I + dt grad v) F)
 *
 * The trial state of the last Newton iteration is the one that g2p commits: return map, viscosity
 * and memory are solved inside the step. Weights are those of x at t_n; T grad w is the gradient of
 * the energy of the trial state over V0, so forces have an incremental potential where stresses
 * come from an energy (implicit_newton.c).
 *
 * Order 1 in dt, stable at every dt for which the solve converges; a mode of frequency omega loses
 * the share 1 - 1/(1 + (omega dt)^2) of its energy per step: fast waves vanish, slow motion and
 * rest are exact. A solve that does not converge is repeated with half the step.
 *
 * midpoint      the same system for the velocity w at the middle, with half the step:
 *
 *     m (w - v_n - dt/2 g) = dt/2 f(w),  F_mid = (I + dt/2 grad w) F
 *     v_n+1 = 2 w - v_n,   x and F move with w over the whole step
 *
 *               Order 2. sum m (v_n+1 - v_n) w = dt sum f w = -sum V0 P(F_mid) : (F_n+1 - F_n), so the
 *               grid keeps its energy exactly where P is linear in F, and to order dt^2 beyond; waves
 *               faster than a step are not damped but slowed down. Contact is taken as inelastic:
 *               v_n+1 is admitted once more.
 *
 * quasi_static  the same system without inertia and from rest, v* = dt g: f(v) + m g + constraints
 *               = 0, equilibrium at every step; velocities are displacements over dt. What is left of
 *               the mass, the share 1e-6 (c dt/h)^2, holds what nothing holds and nodes that hardly
 *               any material reaches (1e-12: five times the products). A step that moves a body of L
 *               by .4 h is off by 4e-7 L/h of the modulus; at rest nothing is left of it. The solve
 *               begins at the velocities of the last step.
 *                   A load that the body is far from carrying (gravity on the first step, a snap)
 *               has no such solution in reach. Then the mass is kept: m u/dt^2 = f(u) + m g for the
 *               displacement u resists it, the more the smaller dt is. After a failure dt is an
 *               eighth, after a success twice as long; as the motion dies out the bound by motion
 *               lets dt grow (pseudo-transient continuation: C. T. Kelley, D. E. Keyes, SIAM J.
 *               Numer. Anal. 35, 1998). Time hardly passes meanwhile. Criterion `equilibrium`.
 *                   Where the tangent at the solution is not positive the body buckles or snaps:
 *               criterion `unstable`.
 *
 * auto          per step, implicit where a step of the size of the motion replaces more than
 *               FIRN_BREAK_EVEN explicit ones, else symplectic. */
#include "mpm/block_loops.h"
#include "mpm/implicit.h"
#include "mpm/integrator.h"
#include "mpm/mirror_wall.h"
#include "mpm/node_boundary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- memory */

static void release_nodes(firn_implicit *s, firn_memory *memory, size_t real_size)
{
    double **vectors[] = {&s->target, &s->v, &s->r, &s->step, &s->search, &s->before};
    for (int k = 0; k < 6; k++) {
        firn_memory_release(memory, *vectors[k], s->n_nodes * 3 * sizeof(double));
        *vectors[k] = NULL;
    }
    firn_memory_release(memory, s->jacobi, s->n_nodes * 6 * sizeof(float));
    firn_memory_release(memory, s->in, s->n_nodes * 4 * real_size);
    firn_memory_release(memory, s->out, s->n_nodes * 4 * real_size);
    s->jacobi = NULL;
    s->in = s->out = NULL;
    s->n_nodes = 0;
}

static firn_status reserve_nodes(firn_implicit *s, firn_memory *memory, size_t n, size_t real_size,
                                 int is_midpoint)
{
    if (n <= s->n_nodes) return FIRN_OK;
    release_nodes(s, memory, real_size);
    n += n / 8;
    double **vectors[] = {&s->target, &s->v, &s->r, &s->step, &s->search, &s->before};
    int is_whole = 1;
    s->n_nodes = n;
    for (int k = 0; k < (is_midpoint ? 6 : 5); k++) {
        *vectors[k] = firn_memory_array(memory, n * 3, sizeof(double));
        is_whole &= *vectors[k] != NULL;
    }
    s->jacobi = firn_memory_array(memory, n * 6, sizeof(float));
    s->in = firn_memory_array(memory, n * 4, real_size);
    s->out = firn_memory_array(memory, n * 4, real_size);
    is_whole &= s->jacobi && s->in && s->out;
    if (is_whole) return FIRN_OK;
    release_nodes(s, memory, real_size);
    return FIRN_MEMORY;
}

static firn_status reserve_gradients(firn_sim *sim)
{
    firn_implicit *s = sim->mpm->implicit;
    const size_t bundle = 144 * sim->mpm->kernels->real_size;
    for (int m = 0; m < sim->n_materials; m++) {
        const int64_t n = sim->mpm->particles[m].n_bundles;
        if (n <= s->grad_v_bundles[m]) continue;
        firn_memory_release(&sim->memory, s->grad_v[m], (size_t)s->grad_v_bundles[m] * bundle);
        s->grad_v_bundles[m] = n + n / 8;
        s->grad_v[m] = firn_memory_array(&sim->memory, (size_t)s->grad_v_bundles[m], bundle);
        if (!s->grad_v[m]) return s->grad_v_bundles[m] = 0, FIRN_MEMORY;
    }
    return FIRN_OK;
}

static firn_status reserve_scratch(firn_sim *sim)
{
    enum { LANE_REALS = 21 }; /* implicit_loops.c */
    firn_implicit *s = sim->mpm->implicit;
    const size_t one = ((size_t)sim->mpm->max_block_bundles * FIRN_BUNDLE_LANES * LANE_REALS *
                            sim->mpm->kernels->real_size +
                        4095) /
                       4096 * 4096;
    const size_t all = one * (size_t)sim->n_threads;
    s->scratch_size = one;
    if (all > s->scratch_bytes) {
        firn_memory_release(&sim->memory, s->scratch, s->scratch_bytes);
        s->scratch = firn_memory_allocate(&sim->memory, all);
        s->scratch_bytes = s->scratch ? all : 0;
        if (!s->scratch) return FIRN_MEMORY;
    }
    const int32_t n = sim->mpm->grid.n_owners;
    if (n <= s->sum_capacity) return FIRN_OK;
    firn_memory_release(&sim->memory, s->sums, (size_t)s->sum_capacity * sizeof *s->sums);
    s->sum_capacity = n + n / 8;
    s->sums = firn_memory_array(&sim->memory, (size_t)s->sum_capacity, sizeof *s->sums);
    if (!s->sums) return s->sum_capacity = 0, FIRN_MEMORY;
    return FIRN_OK;
}

firn_status firn_implicit_reserve(firn_sim *sim)
{
    struct firn_mpm *mpm = sim->mpm;
    if (!mpm->implicit) {
        const size_t n = (size_t)(sim->n_materials ? sim->n_materials : 1);
        mpm->implicit = firn_memory_array(&sim->memory, 1, sizeof *mpm->implicit);
        if (!mpm->implicit) return FIRN_MEMORY;
        mpm->implicit->grad_v = firn_memory_array(&sim->memory, n, sizeof *mpm->implicit->grad_v);
        mpm->implicit->grad_v_bundles =
            firn_memory_array(&sim->memory, n, sizeof *mpm->implicit->grad_v_bundles);
        if (!mpm->implicit->grad_v || !mpm->implicit->grad_v_bundles) return FIRN_MEMORY;
    }
    firn_status status =
        reserve_nodes(mpm->implicit, &sim->memory, (size_t)mpm->grid.n_blocks * FIRN_BLOCK_NODES,
                      mpm->kernels->real_size, mpm->integrator == &firn_integrator_midpoint);
    if (status == FIRN_OK) status = reserve_gradients(sim);
    return status == FIRN_OK ? reserve_scratch(sim) : status;
}

void firn_implicit_clear(firn_sim *sim)
{
    firn_implicit *s = sim->mpm->implicit;
    firn_memory *memory = &sim->memory;
    if (!s) return;
    const size_t n = (size_t)(sim->n_materials ? sim->n_materials : 1);
    for (int m = 0; s->grad_v && s->grad_v_bundles && m < sim->n_materials; m++)
        firn_memory_release(memory, s->grad_v[m],
                            (size_t)s->grad_v_bundles[m] * 144 * sim->mpm->kernels->real_size);
    firn_memory_release(memory, s->grad_v, n * sizeof *s->grad_v);
    firn_memory_release(memory, s->grad_v_bundles, n * sizeof *s->grad_v_bundles);
    release_nodes(s, memory, sim->mpm->kernels->real_size);
    firn_memory_release(memory, s->scratch, s->scratch_bytes);
    firn_memory_release(memory, s->sums, (size_t)s->sum_capacity * sizeof *s->sums);
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        firn_hold_list *list = &s->holds[chunk];
        firn_memory_release(memory, list->holds, (size_t)list->capacity * sizeof *list->holds);
        firn_memory_release(memory, list->constraints,
                            (size_t)list->constraint_capacity * sizeof *list->constraints);
    }
    firn_memory_release(memory, s, sizeof *s);
    sim->mpm->implicit = NULL;
}

/* ---------------------------------------------------------------- target and result */

static void velocities_of_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4],
                                void *user)
{
    (void)chunk, (void)sum;
    for (int32_t b = blocks.first; b < blocks.end; b++)
        sim->mpm->kernels->velocity(firn_grid_nodes(&sim->mpm->grid, b),
                                    firn_grid_old(&sim->mpm->grid, b), user,
                                    &sim->mpm->grid.range[b]);
}

#define FOR_NODES(i, blocks)                                                                       \
    for (size_t i = (size_t)(blocks).first * FIRN_BLOCK_NODES;                                     \
         i < (size_t)(blocks).end * FIRN_BLOCK_NODES; i++)

static void put(const firn_sim *sim, void *array, size_t i, double value)
{
    if (sim->mpm->kernels->is_double)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

/* Gravity is added; velocities before it are kept for the midpoint. */
static void fall(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum;
    firn_implicit *s = sim->mpm->implicit;
    const double *dv = user;
    void *nodes = sim->mpm->grid.nodes;
    FOR_NODES(i, blocks)
    for (size_t a = 0; a < 3; a++) {
        const double v = firn_implicit_value(sim, nodes, 4 * i + a);
        if (s->before) s->before[3 * i + a] = v;
        put(sim, nodes, 4 * i + a, v + dv[a]);
    }
}

static void keep_guess(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum, (void)user;
    FOR_NODES(i, blocks)
    for (size_t a = 0; a < 3; a++)
        sim->mpm->implicit->search[3 * i + a] =
            firn_implicit_value(sim, sim->mpm->grid.nodes, 4 * i + a);
}

static void stop_nodes(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum, (void)user;
    FOR_NODES(i, blocks)
    for (size_t a = 0; a < 3; a++) put(sim, sim->mpm->grid.nodes, 4 * i + a, 0);
}

/* A step without inertia: search = the velocities of the last step, where the solve may begin; then
 * masses on nodes without momentum. */
static void begin_at_rest(firn_sim *sim)
{
    double none[3] = {0, 0, 0};
    firn_mirror_wall_fold(sim, 0);
    firn_implicit_each_chunk(sim, velocities_of_chunk, NULL, none);
    firn_implicit_each_chunk(sim, keep_guess, NULL, NULL);
    firn_block_loops_p2g_momentum(sim);
    firn_implicit_each_chunk(sim, stop_nodes, NULL, NULL);
}

/* v* = before + share (v after gravity and forces - before), over the inertia that is left. */
static void take_target(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum, (void)user;
    firn_implicit *s = sim->mpm->implicit;
    FOR_NODES(i, blocks)
    for (size_t a = 0; a < 3; a++) {
        const double v = firn_implicit_value(sim, sim->mpm->grid.nodes, 4 * i + a);
        s->target[3 * i + a] = s->before
                                   ? s->before[3 * i + a] + s->share * (v - s->before[3 * i + a])
                                   : v / s->inertia;
    }
}

/* r: what constraints gave until the end of the step, the forces at the last velocities known. */
static void impulses_of_chunk(firn_sim *sim, int chunk, firn_range blocks, double sum[4],
                              void *user)
{
    (void)chunk, (void)sum;
    const firn_implicit *s = sim->mpm->implicit;
    const double *ends = user;
    FOR_NODES(i, blocks)
    {
        const double m = s->inertia * firn_implicit_mass(sim, i);
        for (size_t a = 0; a < 3; a++) {
            double target = s->target[3 * i + a];
            if (s->before)
                target = s->before[3 * i + a] + (target - s->before[3 * i + a]) / s->share;
            s->r[3 * i + a] = s->taken * (m * (ends[3 * i + a] - target) -
                                          firn_implicit_value(sim, s->out, 4 * i + a) / s->share);
        }
    }
}

/* step = the velocities at the end of the step. */
static void extrapolate(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum, (void)user;
    const firn_implicit *s = sim->mpm->implicit;
    FOR_NODES(i, blocks)
    for (size_t a = 0; a < 3; a++)
        s->step[3 * i + a] =
            s->before[3 * i + a] + (s->v[3 * i + a] - s->before[3 * i + a]) / s->share;
}

/* Velocities back to the grid, with their ranges. */
static void give_result(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum;
    const double *v = user;
    for (int32_t b = blocks.first; b < blocks.end; b++) {
        const size_t first = (size_t)b * FIRN_BLOCK_NODES;
        for (size_t i = first; i < first + FIRN_BLOCK_NODES; i++)
            for (size_t a = 0; a < 3; a++) put(sim, sim->mpm->grid.nodes, 4 * i + a, v[3 * i + a]);
        sim->mpm->kernels->range(firn_grid_nodes(&sim->mpm->grid, b), &sim->mpm->grid.range[b]);
    }
}

static void keep_ends(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum, (void)user;
    const size_t size = sim->mpm->grid.node_size;
    if (blocks.end > blocks.first)
        memcpy((char *)sim->mpm->implicit->in + (size_t)blocks.first * size,
               (char *)sim->mpm->grid.nodes + (size_t)blocks.first * size,
               (size_t)(blocks.end - blocks.first) * size);
}

/* ---------------------------------------------------------------- the step */

/* Whether no particle crosses more than a cell; else why. */
static int is_within_reach(const firn_sim *sim, char *why, size_t n_why)
{
    const double most = sim->mpm->implicit->speed * sim->dt / sim->h;
    if (most <= 1) return 1;
    snprintf(why, n_why, "a particle would move by %.3g cells in one step", most);
    return 0;
}

/* The solution to the grid, and the impulses of constraints to the ledger. With a middle of its own
 * (midpoint) the grid has the velocities with which particles move, end_nodes those they get. */
static void finish(firn_sim *sim)
{
    firn_implicit *s = sim->mpm->implicit;
    double *ends = s->v;
    firn_implicit_force(sim, s->v, s->taken / s->share);
    if (s->before) {
        ends = s->step;
        firn_implicit_each_chunk(sim, extrapolate, NULL, NULL);
        for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) firn_implicit_admit(sim, chunk, ends, 0);
    }
    firn_implicit_each_chunk(sim, impulses_of_chunk, NULL, ends);
    firn_implicit_book(sim, s->r, ends);
    firn_implicit_each_chunk(sim, give_result, NULL, ends);
    firn_mirror_wall_unfold(sim);
    if (!s->before) return;
    firn_implicit_each_chunk(sim, keep_ends, NULL, NULL);
    sim->mpm->end_nodes = s->in;
    firn_implicit_each_chunk(sim, give_result, NULL, s->v);
    firn_mirror_wall_unfold_trial(sim, sim->mpm->grid.nodes);
}

/* The share of the mass that a quasi-static step keeps: all of it while equilibrium is approached,
 * else 1e-6 (dt c/h)^2. */
static double inertia_of(const firn_sim *sim)
{
    if (sim->implicit_use != FIRN_IMPLICIT_STATIC || sim->dt_factor < 1) return 1;
    const double waves = sim->dt * sim->rates.max_rate;
    return 1e-6 * waves * waves;
}

/* Equilibrium may be farther than a particle can go in one step, whatever dt: then the part of the
 * way is taken that it can, and the next load step goes on. */
static void shorten(firn_sim *sim)
{
    firn_implicit *s = sim->mpm->implicit;
    const double cells = s->speed * sim->dt / sim->h;
    if (cells <= 0.9) return;
    s->taken = 0.9 / cells;
    sim->dt *= s->taken;
    sim->limit =
        (firn_dt_limit){.dt = sim->dt, .criterion = "equilibrium", .material = "", .particle = -1};
}

static firn_status solve_grid(firn_sim *sim, double *clock, int *is_solved, char *why, size_t n_why,
                              firn_messages *messages)
{
    firn_implicit *s = sim->mpm->implicit;
    double none[3] = {0, 0, 0}, dv[3];
    *is_solved = 0;
    for (int a = 0; a < 3; a++) dv[a] = sim->dt * sim->scene.gravity[a];
    if (firn_node_boundary_prepare(sim) != FIRN_OK)
        return firn_messages_no_memory(messages, "walls, colliders and grips on nodes");
    firn_block_loops_p2g_momentum(sim);
    if (sim->implicit_use == FIRN_IMPLICIT_STATIC) begin_at_rest(sim);
    *clock = firn_sim_lap(sim, FIRN_STAGE_P2G, *clock);

    s->share = sim->mpm->integrator == &firn_integrator_midpoint ? 0.5 : 1;
    s->dt = s->share * sim->dt;
    s->inertia = inertia_of(sim);
    firn_mirror_wall_fold(sim, sim->dt);
    firn_implicit_each_chunk(sim, velocities_of_chunk, NULL, none);
    firn_implicit_each_chunk(sim, fall, NULL, dv);
    if (firn_implicit_find_holds(sim) != FIRN_OK)
        return firn_messages_no_memory(messages, "constraints of nodes");
    if (firn_node_boundary_check(sim, messages) != FIRN_OK) return FIRN_STOPPED;
    firn_implicit_each_chunk(sim, take_target, NULL, NULL);
    s->taken = 1;
    *is_solved = firn_implicit_solve(sim, why, n_why);
    if (*is_solved && sim->implicit_use == FIRN_IMPLICIT_STATIC) shorten(sim);
    if (*is_solved) *is_solved = is_within_reach(sim, why, n_why);
    if (*is_solved) finish(sim);
    *clock = firn_sim_lap(sim, FIRN_STAGE_GRID, *clock);
    return FIRN_OK;
}

/* Counts load steps on the way to an equilibrium; 0: too many. What nothing holds falls for ever. */
enum { MOST_ON_THE_WAY = 500 };
static int approaches(firn_sim *sim)
{
    firn_implicit *s = sim->mpm->implicit;
    if (sim->implicit_use != FIRN_IMPLICIT_STATIC) return 1;
    const int is_on_the_way = sim->dt_factor < 1 || s->taken < 1;
    if (is_on_the_way) sim->limit.criterion = "equilibrium";
    s->n_on_the_way = is_on_the_way ? s->n_on_the_way + 1 : 0;
    return s->n_on_the_way <= MOST_ON_THE_WAY;
}

static firn_status no_equilibrium(const firn_sim *sim, firn_messages *messages)
{
    return firn_messages_add(
        messages, FIRN_STOPPED,
        "step %lld: no equilibrium after %d steps towards one (t = %.9g s): something is held by "
        "no grip, wall or collider, or flows; try: integrator implicit, or hold it; the last good "
        "frame is kept",
        (long long)sim->n_steps, MOST_ON_THE_WAY, sim->time);
}

static firn_status advance(firn_sim *sim, double clock, double *end, firn_messages *messages)
{
    if (firn_implicit_reserve(sim) != FIRN_OK)
        return firn_messages_no_memory(messages, "implicit step");
    for (int halvings = 0;; halvings++) {
        char why[512] = "";
        int is_solved;
        firn_status status = solve_grid(sim, &clock, &is_solved, why, sizeof why, messages);
        if (status != FIRN_OK) return status;
        if (is_solved) break;
        if (halvings >= sim->time_def.max_halvings)
            return firn_messages_add(
                messages, FIRN_STOPPED,
                "step %lld: not solved after %d halvings (t = %.9g s, dt = %.3g s): %s; the last "
                "good frame is kept",
                (long long)sim->n_steps, halvings, sim->time, sim->dt, why);
        const double less = sim->implicit_use == FIRN_IMPLICIT_STATIC ? 0.125 : 0.5;
        sim->n_retries++;
        sim->mpm->implicit->counts.n_failed++;
        sim->dt *= less;
        sim->dt_factor *= less;
        sim->limit =
            (firn_dt_limit){.dt = sim->dt, .criterion = "retry", .material = "", .particle = -1};
    }
    if (!approaches(sim)) return no_equilibrium(sim, messages);
    *end = sim->time + sim->dt;
    if (sim->implicit_use == FIRN_IMPLICIT_STATIC) firn_implicit_stop_particles(sim);
    if (sim->implicit_use == FIRN_IMPLICIT_STATIC && sim->mpm->implicit->is_indefinite)
        sim->limit.criterion = "unstable";
    const firn_status status = firn_block_loops_g2p(sim, messages);
    sim->mpm->end_nodes = NULL;
    return status;
}

static firn_status advance_where_it_pays(firn_sim *sim, double clock, double *end,
                                         firn_messages *messages)
{
    return sim->is_implicit ? advance(sim, clock, end, messages)
                            : firn_integrator_symplectic.advance(sim, clock, end, messages);
}

const firn_integrator firn_integrator_implicit = {
    .name = "implicit",
    .summary = "backward Euler: steps follow the motion, however stiff or viscous the material; "
               "vibrations faster than a step die out",
    .is_implicit = FIRN_IMPLICIT_ALWAYS,
    .advance = advance,
};
const firn_integrator firn_integrator_midpoint = {
    .name = "midpoint",
    .summary = "implicit midpoint: as implicit, but keeps the energy of vibrations; for slow "
               "waves and pendulums, not for impacts",
    .is_implicit = FIRN_IMPLICIT_ALWAYS,
    .advance = advance,
};
const firn_integrator firn_integrator_quasi_static = {
    .name = "quasi_static",
    .summary = "equilibrium at every step, without inertia: for presses and grips that move so "
               "slowly that nothing swings",
    .is_implicit = FIRN_IMPLICIT_STATIC,
    .advance = advance,
};
const firn_integrator firn_integrator_auto = {
    .name = "auto",
    .summary =
        "implicit where its step replaces more than 60 explicit ones, else symplectic; decided in "
        "every step",
    .is_implicit = FIRN_IMPLICIT_WHERE_IT_PAYS,
    .advance = advance_where_it_pays,
};
