/* SPDX-License-Identifier: MIT */
/* step_check.c: rejects unstable steps. The check runs before anything moves, when the grid already
 * holds all that the step will do to the particles, so a rejected step needs no undoing. A step is
 * rejected if, for some particle,
 *
 *     the velocity or the stress of the trial state is not finite
 *     it would cross more than a cell            dt |u| > h
 *     it would be compressed to less than a      det(I + dt grad v) < 0.1
 *     tenth of its volume, or inverted
 *     its law has no answer
 *     its block would create energy              below
 *
 * Energy. A step moves with the velocities v of its end, and stress changes by the strain dt grad v
 * that they make. For a linear body with stiffness K and mass M the energy changes in a step by
 *
 *     dE = - 1/2 |v - v_before|_M^2 + 1/2 dt^2 v K v
 *
 * and steps are stable as long as dt^2 omega^2 < 4 for every mode (the limit of leapfrog: T. J. R.
 * Hughes, The Finite Element Method, 1987, ch. 9), that is dt^2 v K v < 4 v M v for every v. The
 * left side is measured without knowing K, by evaluating the law on a trial state:
 *
 *     stored = 1/2 sum V0 (tau_new - tau) : grad v dt      must not exceed
 *         2 (1/2 sum m_p w_ip |v_i - mean|^2)
 *
 * over the particles p of a block and the nodes i that they see. This is half of the limit,
 * because other motion in the block hides part of a growing mode. For a linear body it holds for
 * every motion v (from walls, colliders, forces or births alike) as long as dt^2 omega^2 <= 2 for
 * each particle alone with its share of the nodes; and that is bounded by (c dt / h)^2 sum_i |h
 * grad w_i|^2 / w_i < 9.4 cfl^2, 1.5 at the default cfl 0.4. A body that stiffens faster than its
 * wave speed tells, or is stepped with too large a cfl, exceeds it.
 *
 * Cost. A trial evaluation costs as much as a step of the block, so it is made where the step
 * strains by more than 1/8 - by the ranges of velocity in the blocks around, then by differences of
 * neighbouring nodes - and elsewhere for one block in 64 per step, in turn (not below a strain of
 * 1e-4, where only round-off would be measured), which finds slow growth. After a rejection for
 * energy dt stays halved and grows back by 1 % per step (criterion `energy`).
 *
 * Laws that can fail are tried from a smaller strain on, and always where a particle is close to
 * the edge of its law (FIRN_FLAG_EDGE): no step is taken in which one fails. Entries of dt grad v
 * of up to e make a strain of up to 3 e. */
#include "mpm/step_check.h"
#include "mpm/block_loops.h"
#include "mpm/mirror_wall.h"
#include "mpm/mpm.h"
#include "mpm/plane.h"
#include "mpm/workspace.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static const double least_det = 0.1, most_cells = 1, most_stored = 2, much_strain = 0.125,
                    edge_strain = FIRN_EDGE_STRAIN / 3;
enum { IN_TURN = 64 };

/* Upper bound of the entries of dt grad v in a block. The gradient of a spline is a convex
 * combination of differences of neighbouring nodes over h, so no entry exceeds the range of dt v /
 * h around the block. INFINITY where a particle may cross a cell, or a velocity is not finite: the
 * block is checked in full. */
static double strain_in(const firn_sim *sim, int32_t owner)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double share = sim->dt / sim->h, most = 0;
    for (int q = 0; q < 27; q++) {
        int32_t block = sim->mpm->grid.neighbours[owner][q];
        if (block < 0) continue;
        const firn_block_range *r = &sim->mpm->grid.range[block];
        if (!r->is_finite) return INFINITY;
        for (int a = 0; a < 3; a++) { /* fmin and fmax would be calls */
            low[a] = r->min[a] < low[a] ? r->min[a] : low[a];
            high[a] = r->max[a] > high[a] ? r->max[a] : high[a];
        }
    }
    for (int w = 0; sim->scene.grid.has_box && w < 6; w++)
        for (int a = 0; firn_mirror_wall_is(sim->scene.grid.walls[w]) && a < 3;
             a++) { /* nodes beyond hold reversed velocities, which the ranges do not include */
            double largest = fmax(fabs(low[a]), fabs(high[a]));
            low[a] = -largest;
            high[a] = largest;
        }
    for (int a = 0; a < 3; a++) {
        if (fmax(fabs(low[a]), fabs(high[a])) * share > 0.9) return INFINITY;
        most = fmax(most, (high[a] - low[a]) * share);
    }
    return most;
}

/* The strain from which on a block is tried; negative: always. */
static double bearable_strain(const firn_sim *sim, int32_t owner)
{
    double bearable = much_strain;
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particle_block *block = firn_particle_block_at(&sim->mpm->particles[m], owner);
        if (!block) continue;
        if (block->is_watched) return -1;
        if (sim->materials[m].resolved.law->info.can_fail) bearable = edge_strain;
    }
    return bearable;
}

/* Finds the first particle of a block whose law has no answer in the trial state. */
static int has_failed(const firn_sim *sim, const firn_particle_block *block,
                      const firn_workspace *w, firn_block_check *check)
{
    for (int p = 0; p < block->n; p++) {
        double flags = sim->mpm->kernels->is_double ? ((const double *)w->flags)[p]
                                                    : (double)((const float *)w->flags)[p];
        check->trouble = (unsigned)flags & FIRN_FLAGS_TROUBLE;
        check->bundle = p / 16;
        check->lane = p % 16;
        if (check->trouble) return 1;
    }
    return 0;
}

/* Evaluates the law on the trial state without committing it; grad v is in w. */
static void try_law(firn_sim *sim, const firn_particles *particles,
                    const firn_particle_block *block, const firn_workspace *w)
{
    firn_law_batch batch = firn_block_loops_batch(sim, particles, block, w);
    batch.F_new = batch.history_new = NULL;
    batch.tau = w->try_tau;
    particles->material->resolved.law->kernels[sim->variant].evaluate(&batch);
}

/* The middle of the range of the block's node velocities: subtracted before squares are summed, to
 * keep their digits. */
static void middle_of(const firn_block_range *range, double middle[3])
{
    int is_known = range->is_finite && range->min[0] <= range->max[0];
    for (int a = 0; a < 3; a++) middle[a] = is_known ? 0.5 * (range->min[a] + range->max[a]) : 0;
}

/* Whether the step is good for an owner block. `bearable`: strain by differences of neighbouring
 * nodes below which no trial is made; 0: always made. */
static int check_block(firn_sim *sim, int32_t owner, double bearable, const firn_workspace *w,
                       firn_block_check *check, int *material_index)
{
    const firn_kernels *k = sim->mpm->kernels;
    double middle[3], motion[4] = {0, 0, 0, 0}; /* sums of m w (v - middle) and of its square */
    firn_block_store store = {.is_finite = 1};
    int worst = -1;
    firn_block_loops_load(sim, owner, sim->mpm->grid.nodes, w->patch);
    if (bearable > 0 &&
        k->steepest(w->patch, sim->mpm->grid.columns[owner]) * sim->dt / sim->h <= bearable)
        return 1;
    middle_of(&sim->mpm->grid.range[owner], middle);
    k->deviate(w->patch, middle, w->forces);
    FIRN_BLOCK_MATERIALS (sim, owner, r) {
        k->check(&r.transfer, &r.block_particles, w->patch, w->grad_v, check);
        if (firn_plane_is(sim))
            firn_plane_restrict(sim, firn_bundles_of(r.block->n), w->grad_v, NULL);
        *material_index = r.material;
        if (!check->is_finite || check->min_det < least_det || check->max_move > most_cells)
            return 0;
        k->collect(&r.transfer, &r.block_particles, w->forces, motion);
        try_law(sim, r.particles, r.block, w);
        if (has_failed(sim, r.block, w, check)) return 0;
        double before = store.largest;
        k->store(&r.transfer, &r.block_particles, w->try_tau, w->grad_v, &store);
        if (!store.is_finite || store.largest > before) worst = r.material;
        if (!store.is_finite) break;
    }
    double moving = motion[3];
    for (int a = 0; a < 3 && store.mass > 0; a++) moving -= motion[a] * motion[a] / store.mass;
    check->stored = moving > 0 ? store.energy / (0.5 * moving) : 0;
    check->is_finite = store.is_finite;
    if (worst >= 0) {
        *material_index = worst;
        check->bundle = store.bundle;
        check->lane = store.lane;
    }
    return check->is_finite && !(check->stored > most_stored);
}

static void explain(const firn_sim *sim, int32_t owner, int material_index,
                    const firn_block_check *check, char *why, size_t n_why)
{
    const firn_particles *particles = &sim->mpm->particles[material_index];
    const firn_particle_block *block = firn_particle_block_at(particles, owner);
    if (!block) {
        snprintf(why, n_why, "velocities in block %d are not finite", owner);
        return;
    }
    firn_block_loops_particle(particles, block, check->bundle, check->lane, why, n_why);
    size_t n = strlen(why);
    n += (size_t)snprintf(why + n, n_why - n, ": ");
    why += n;
    n_why -= n;
    if (!check->is_finite)
        snprintf(why, n_why, "its velocity or stress is not finite");
    else if (check->trouble)
        snprintf(why, n_why, "%s", firn_block_loops_trouble(check->trouble));
    else if (check->max_move > most_cells)
        snprintf(why, n_why, "it would cross %.3g cells in one step", check->max_move);
    else if (check->min_det < least_det)
        snprintf(why, n_why, "the step would change its volume by a factor of %.3g (inversion)",
                 check->min_det);
    else
        snprintf(why, n_why,
                 "around it the step would store %.3g times the energy of its motion (unstable "
                 "above %g)",
                 check->stored, most_stored);
}

/* Three tests of rising cost: ranges of velocity of the blocks around (27 loads), differences of
 * neighbouring nodes in the patch (as a G2P load), trial evaluation of the law (as a step of the
 * block). */
static int is_owner_bearable(firn_sim *sim, int32_t owner, const firn_workspace *w)
{
    firn_block_check check;
    int particles;
    double strain = strain_in(sim, owner), bearable = bearable_strain(sim, owner);
    int is_its_turn = (owner + sim->n_steps) % IN_TURN == 0 && strain > 1e-4;
    if (strain <= bearable && !is_its_turn) return 1;
    if (is_its_turn || !isfinite(strain)) bearable = 0;
    return check_block(sim, owner, bearable, w, &check, &particles);
}

/* The smallest number of a failing block decides, for any number of threads and ranks; blocks beyond the
 * smallest one found so far are skipped. Its message is made by checking it once more. */
firn_step_result firn_step_check(firn_sim *sim, char *why, size_t n_why)
{
    int32_t worst = INT32_MAX;
    firn_block_loops_assign_owners(sim);
#pragma omp parallel num_threads(sim->n_threads) reduction(min : worst)
    {
        firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
        for (firn_range owners; firn_block_loops_claim_owners(sim, &owners);)
            for (int32_t owner = owners.first; owner < owners.end && owner < worst; owner++)
                if (!is_owner_bearable(sim, owner, &w)) worst = owner;
    }
    firn_step_result result = FIRN_STEP_GOOD;
    if (worst < INT32_MAX) { /* again, for the message */
        firn_workspace w = firn_workspace_of(sim, 0);
        firn_block_check check = {0};
        int m = 0;
        check_block(sim, worst, 0, &w, &check, &m);
        explain(sim, worst, m, &check, why, n_why);
        result =
            check.is_finite && check.stored > most_stored ? FIRN_STEP_ENERGY : FIRN_STEP_MOTION;
    }
    const int first = firn_comm_rank_of_max(&sim->comm, result != FIRN_STEP_GOOD);
    firn_comm_share(&sim->comm, first, &result, sizeof result);
    if (result != FIRN_STEP_GOOD) firn_comm_share(&sim->comm, first, why, n_why);
    return result;
}
