/* SPDX-License-Identifier: MIT */
/* workspace.c: the memory that threads work with, sized at a sort: room for one block per thread,
 * the division of blocks among threads, the reports of blocks.
 *
 *     thread 0                                     thread 1
 *     | patch | forces | outputs by lanes ... |    | patch | forces | ...
 *
 * Sizes: a patch of FIRN_PATCH reals (5120: 20 KiB in float), and SCRATCH_LANES reals per lane of
 * the largest block. The workspace of a thread stays in its second-level cache from block to block.
 *
 * Invariants: the outputs of a block are valid until the thread's next block; nothing in a
 * workspace survives a stage, so repeating a step needs no reset. */
#include "mpm/ranks.h"
#include "mpm/workspace.h"
#include "mpm/pressure.h"

/* reals per lane: grad v 9; outputs of the law 6; pull 3; positions and velocities before 6; stress
 * of a trial state 6 */
enum { SCRATCH_LANES = 9 + 6 + 3 + 6 + 6, KEPT_LANES = 3 + 9 };

/* Two patches are written and read side by side. Their addresses must differ in the last twelve
 * bits, by which processors predict whether a load depends on an earlier store (4K aliasing). */
static size_t patch_bytes(size_t real_size)
{
    return (FIRN_PATCH * real_size + 4095) / 4096 * 4096 + 2048 + 64;
}

static size_t align64(size_t n) { return (n + 63) & ~(size_t)63; }

/* Number of threads that pay off. A step synchronises its threads about twenty times, which takes
 * as long as 2,000 particles of a simple law take one thread (measured: two threads break even at
 * twice as many). Only the count decides, and results do not depend on it. */
static int threads_worth(const firn_sim *sim)
{
    enum { PARTICLES_A_THREAD = 2048 };
    int64_t n = 0;
    for (int m = 0; m < sim->n_materials; m++) n += sim->mpm->particles[m].n_particles;
    n /= PARTICLES_A_THREAD;
    return n < 1 ? 1 : n < sim->max_threads ? (int)n : sim->max_threads;
}

/* Divides the blocks among threads by weight: particles, plus FIRN_BLOCK_COSTS particles' worth for
 * the nodes of a block. Blocks of other ranks hardly count; they are in the list. */
static firn_status share_blocks(firn_sim *sim)
{
    struct firn_mpm *mpm = sim->mpm;
    const size_t n = (size_t)mpm->grid.n_owners,
                 capacity = (size_t)sim->n_threads * (size_t)(mpm->grid.n_colors + 1);
    int32_t *weight = firn_memory_array(&sim->memory, n, sizeof *weight);
    if (n && !weight) return FIRN_MEMORY;
    const firn_range own = firn_ranks_owners(sim);
    const int32_t unit = mpm->ranks ? 1024 : 1;
    for (size_t b = 0; b < n; b++)
        weight[b] = (int32_t)b < own.first || (int32_t)b >= own.end ? 1 : unit * FIRN_BLOCK_COSTS;
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < mpm->particles[m].n_blocks; b++)
            weight[mpm->particles[m].blocks[b].owner] += unit * mpm->particles[m].blocks[b].n;
    firn_status status = firn_grid_share(&mpm->grid, sim->n_threads, weight);
    firn_memory_release(&sim->memory, weight, n * sizeof *weight);
    if ((size_t)mpm->share_capacity != capacity) {
        firn_memory_release(&sim->memory, mpm->shares,
                            (size_t)mpm->share_capacity * sizeof *mpm->shares);
        mpm->shares = firn_memory_array(&sim->memory, capacity, sizeof *mpm->shares);
        mpm->share_capacity = mpm->shares ? (int)capacity : 0;
        if (!mpm->shares) return FIRN_MEMORY;
    }
    return status;
}

/* Reports and impulses by material and own owner block: [material][owner], with an eighth of slack,
 * as the number of owner blocks changes at every sort. */
static firn_status reserve_ledger(firn_sim *sim)
{
    struct firn_mpm *mpm = sim->mpm;
    mpm->impulse_split.is_kept = mpm->has_reports = 0; /* they are of the blocks before the sort */
    const firn_range own = firn_ranks_owners(sim);
    int64_t n = (int64_t)(own.end - own.first) * sim->n_materials;
    if (n > mpm->report_capacity) {
        firn_memory_release(&sim->memory, mpm->reports,
                            (size_t)mpm->report_capacity * sizeof *mpm->reports);
        mpm->report_capacity = n + n / 8;
        mpm->reports =
            firn_memory_array(&sim->memory, (size_t)mpm->report_capacity, sizeof *mpm->reports);
        if (!mpm->reports) return mpm->report_capacity = 0, FIRN_MEMORY;
    }
    n *= mpm->n_impulses;
    if (n > mpm->impulse_capacity) {
        firn_memory_release(&sim->memory, mpm->impulses,
                            (size_t)mpm->impulse_capacity * sizeof *mpm->impulses);
        mpm->impulse_capacity = n + n / 8;
        mpm->impulses =
            firn_memory_array(&sim->memory, (size_t)mpm->impulse_capacity, sizeof *mpm->impulses);
        if (!mpm->impulses) return mpm->impulse_capacity = 0, FIRN_MEMORY;
    }
    return firn_pressure_reserve(sim);
}

firn_status firn_workspace_reserve(firn_sim *sim)
{
    struct firn_mpm *mpm = sim->mpm;
    int32_t most = 1;
    if (sim->max_threads) sim->n_threads = threads_worth(sim);
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < mpm->particles[m].n_blocks; b++) {
            int32_t n = firn_bundles_of(mpm->particles[m].blocks[b].n);
            if (n > most) most = n;
        }
    most = (int32_t)firn_comm_max(&sim->comm, most); /* rank 0 may hold all of them at times */
    if (most > mpm->max_block_bundles || sim->n_threads > mpm->scratch_threads ||
        !mpm->thread_scratch) {
        firn_memory_release(&sim->memory, mpm->thread_scratch,
                            mpm->scratch_bytes * (size_t)mpm->scratch_threads);
        if (most > mpm->max_block_bundles) mpm->max_block_bundles = most + most / 4;
        mpm->scratch_threads = sim->n_threads;
        size_t real_size = mpm->kernels->real_size,
               lanes = (size_t)mpm->max_block_bundles * 16 * real_size;
        size_t patch = patch_bytes(real_size);
        mpm->scratch_bytes = 2 * patch + align64(lanes) * SCRATCH_LANES;
        if (mpm->keeps_affine) mpm->scratch_bytes += patch + align64(lanes) * KEPT_LANES;
        mpm->thread_scratch =
            firn_memory_allocate(&sim->memory, mpm->scratch_bytes * (size_t)sim->n_threads);
        if (!mpm->thread_scratch) return FIRN_MEMORY;
    }
    return share_blocks(sim) == FIRN_OK ? reserve_ledger(sim) : FIRN_MEMORY;
}

/* Layout: patch, forces, then arrays of `lanes` bytes: grad v 9, wave, viscosity, plastic, viscous,
 * flags, energy 1 each, pull 3, before 6 (positions 3, velocities 3), stress of a trial state 6;
 * with damping per time another patch, what is kept of v 3 and of C 9. */
firn_workspace firn_workspace_of(const firn_sim *sim, int thread)
{
    const struct firn_mpm *mpm = sim->mpm;
    const size_t real_size = mpm->kernels->real_size, patch = patch_bytes(real_size),
                 lanes = align64((size_t)mpm->max_block_bundles * 16 * real_size);
    char *at = mpm->thread_scratch + mpm->scratch_bytes * (size_t)thread;
    firn_workspace w = {.patch = at, .forces = at + patch, .grad_v = at + 2 * patch};
    at += 2 * patch + 9 * lanes;
    w.wave = at;
    w.viscosity = at + lanes;
    w.plastic = at + 2 * lanes;
    w.viscous = at + 3 * lanes;
    w.flags = at + 4 * lanes;
    w.energy = at + 5 * lanes;
    w.pull = at + 6 * lanes;
    w.before = at + 9 * lanes;
    w.try_tau = at + 15 * lanes;
    if (mpm->keeps_affine) {
        w.unseen = at + 21 * lanes;
        w.kept = (char *)w.unseen + patch;
    }
    return w;
}

void firn_workspace_clear(firn_sim *sim)
{
    struct firn_mpm *mpm = sim->mpm;
    firn_memory_release(&sim->memory, mpm->thread_scratch,
                        mpm->scratch_bytes * (size_t)mpm->scratch_threads);
    firn_memory_release(&sim->memory, mpm->shares,
                        (size_t)mpm->share_capacity * sizeof *mpm->shares);
}
