/* SPDX-License-Identifier: MIT */
/* kernels.h: the functions that touch particles and nodes by the million. Compiled once per variant
 * (lanes.h) from one source, selected when a simulation is created; all other files of the solver
 * are independent of precision and instruction set.
 *
 * Geometry of a block
 *
 *     nodes      4 x 4 x 4, index (i*4 + j)*4 + k, four channels each: momentum or velocity
 *                x y z, mass
 *     particles  belong to an owner block; x is in cells relative to the block's first node, so
 *                that float32 has the same resolution everywhere. A sort leaves x in
 *                [-0.5, 3.5); until the next sort it may drift over [-1, 4), its reach.
 *     patch      the 8 x 8 x 8 nodes (-2 .. 5 along each axis) that particles in reach can
 *                touch. Patches of cubes of 2 x 2 x 2 blocks (grid.h) that are two blocks
 *                apart never overlap: eight colours, no atomics.
 *
 *          -2  -1 | 0   1   2   3 | 4   5      one axis of a patch; its own nodes between bars
 *               [ - - - - - - - - - )          reach of its particles
 *
 *     shifted    the eight nodes of a patch along z, as five rows of four: wherever a
 *     rows       particle's nodes begin, they are one row, which is one cache line. (Rows of a
 *                plain column cross a line three times in four: twice the time to load, four
 *                times the time to store.)
 *
 *          node   0   1   2   3   4   5   6   7
 *          row 0  o   o   o   o                  P2G adds to the row in which a particle's
 *          row 1      o   o   o   o              nodes begin; the rows' shares of a node are
 *          row 2          o   o   o   o          summed when the patch goes to the grid.
 *          row 3              o   o   o   o      For G2P each row has a copy of its nodes.
 *          row 4                  o   o   o   o */
#ifndef FIRN_KERNELS_H
#define FIRN_KERNELS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "laws/law.h"
#include "solver/rates.h"

enum { FIRN_BUNDLE_LANES = 16, FIRN_BLOCK_NODES = 64, FIRN_CHANNELS = 4 };
enum {
    FIRN_ROW = 4 * FIRN_CHANNELS,
    FIRN_SHIFTED_ROWS = 5,
    FIRN_PATCH = 8 * 8 * FIRN_SHIFTED_ROWS * FIRN_ROW
}; /* reals */

/* Bit 8 i + j: the eight nodes (i, j, .) of a patch. */
typedef uint64_t firn_columns;

/* The columns touched by particles with x and y (cells) from low to high: from the first node of
 * the first to the last node of the last. */
static inline firn_columns firn_columns_between(int is_quadratic, const double low[2],
                                                const double high[2])
{
    const double shift = is_quadratic ? 0.5 : 0;
    const int before = is_quadratic ? 2 : 1, n = is_quadratic ? 3 : 4;
    int first[2], last[2];
    for (int a = 0; a < 2; a++) {
        double from = floor(low[a] - shift), to = floor(high[a] - shift);
        first[a] = (int)(from > -before ? from < 3 ? from : 3 : -before) + before;
        last[a] = (int)(to > -before ? to < 3 ? to : 3 : -before) + before;
    }
    firn_columns line = (((firn_columns)1 << (last[1] - first[1] + n)) - 1) << first[1], all = 0;
    for (int i = first[0]; i < last[0] + n; i++) all |= line << 8 * i;
    return all;
}

/* Parameters common to all blocks of a stage. */
typedef struct firn_transfer {
    double dt, h;
    int is_quadratic, is_mls;
    int is_affine; /* P2G carries C (APIC and blends) */
    int keeps_old; /* some material blends in FLIP: forces are accumulated apart, see p2g */
    double flip;   /* a of the blend; 0: PIC and APIC */
    double keep;   /* of v and C unseen by the grid, over a step; 0: none (transfer_damping.c) */
    double bound_wave, bound_viscosity; /* factors of c and nu in the rates, see stability.c */
    int keeps_places; /* G2P does not move particles: for the payloads after the first */
} firn_transfer;

/* The payload of a transfer: three values per unit of weight, with their gradients, and a flux
 * whose divergence acts on the nodes. The fourth channel of a node is the weight itself.
 *
 *                momentum                           a scalar (heat)
 *     value      v, m/s                             T 0 0, K
 *     affine     C, row i: dv_i/dx_j, 1/s           row 0: dT/dx_j, K/m; NULL without gradients
 *     flux       tau, Pa: f = -V tau grad w         xx xy xz: q, W/m^2 (per initial volume)
 *     weight     m, kg                              m c, J/K
 *     nodes      m v, m -> v                        m c T, m c -> T
 *
 * A symmetric flux with the row q has q in its first column too: channels 1 and 2 of a scalar's
 * nodes hold values that are never read. */
typedef struct firn_payload {
    void *value, *affine;               /* [n][3][16], [n][9][16] */
    const void *flux, *weight, *volume; /* [n][6][16], [n][16], [n][16] m^3 */
    const void *extra; /* [n][3][16] added to the nodes by weights alone (pulls, kg m/s); or NULL */
} firn_payload;

/* The particles of one material in one owner block; arrays begin at the block's first bundle. */
typedef struct firn_block_particles {
    int n; /* particles; bundles = ceil(n / 16) */
    /* positions until the next sort, cells: lowest <= x < most */
    double lowest[3], most[3];
    void *x; /* [n][3][16] cells */
    firn_payload payload;
} firn_block_particles;

/* Diagnosis of a block of particles after its G2P. */
typedef struct firn_block_report {
    double max_rate; /* 1/s: inverse of the largest stable step at cfl 1 */
    int32_t rate_bundle, rate_lane;
    firn_rate_kind rate_kind;
    double max_speed;       /* m/s */
    double low[3], high[3]; /* bounds of positions, cells */
    int is_out_of_reach;
    unsigned flags; /* FIRN_FLAG_ bits of any particle */
    int32_t flag_bundle, flag_lane;
    int32_t n_bounded[FIRN_N_BOUNDS];
    double plastic, viscous; /* J */
    /* set by block_loops.c: the id of that particle; particles deleted by sinks */
    uint32_t rate_id;
    int32_t n_drained;
    double drained_mass; /* kg */
    double drained_heat; /* J */
} firn_block_report;

/* The effect of a step on a block of particles, found before any of them moves. */
typedef struct firn_block_check {
    double min_det;  /* of I + dt grad v */
    double max_move; /* cells */
    int is_finite;
    int32_t bundle, lane; /* the worst one */
    unsigned trouble;     /* flags of the trial state of its law */
    double stored;        /* energy stored by stress over that of motion, see step_check.c */
} firn_block_check;

/* Energy stored by the stress of a block's particles, summed over materials; the particle that
 * stores most. */
typedef struct firn_block_store {
    double mass, energy, largest; /* kg, J, J */
    int32_t bundle, lane;
    int is_finite;
} firn_block_store;

/* Velocity range over the nodes of one block. */
typedef struct firn_block_range {
    double min[3], max[3];
    int is_finite;
} firn_block_range;

/* Displacements of colliders with a second pass in a step, and the clearance (m) that a particle at
 * rest needs from them. The first four are distinguished, the others count with the maximum. */
enum { FIRN_DISTANCE_CACHE_MOVERS = 4 };
typedef struct firn_distance_cache_motion {
    double h;
    float most_displacement, most_needed; /* maxima over all */
    int n;                                /* distinguished */
    float which[FIRN_DISTANCE_CACHE_MOVERS], displacement[FIRN_DISTANCE_CACHE_MOVERS],
        needed[FIRN_DISTANCE_CACHE_MOVERS];
} firn_distance_cache_motion;

/* n particles of a field to be permuted: some of its components, from slots bundle * 16 + lane. */
typedef struct firn_gather {
    const uint32_t *order;       /* [n] slots */
    int n, stride, n_components; /* stride: components of the field */
    const double *blank;         /* value of padding lanes, by component */
} firn_gather;

typedef struct firn_kernels {
    const char *name;
    int is_double;
    size_t real_size;
    /* The columns of the patch that the particles touch; no other part of a patch is ever cleared,
     * added or read. */
    firn_columns (*touched)(const firn_transfer *transfer, const firn_block_particles *particles);
    void (*patch_clear)(void *patch, firn_columns columns);
    /* Prefetches the nodes that these columns will be added to or read from. */
    void (*patch_ask)(firn_columns columns, const int32_t neighbours[27], const void *nodes);
    /* Adds a block's particles into its patch of momenta (and of force momenta dt f, when
     * `forces` is not NULL). */
    void (*p2g)(const firn_transfer *transfer, const firn_block_particles *particles, void *patch,
                void *forces);
    /* Adds the force momenta dt f of a flux [n][9][16] alone, row i acting on component i: the forces
     * of a trial state (laws/law_tangent.h). */
    void (*scatter)(const firn_transfer *transfer, const firn_block_particles *particles,
                    const void *flux, void *patch);
    /* Adds a patch to the 27 blocks around it (block numbers); loads it from them (-1: zeros). */
    void (*patch_add)(const void *patch, firn_columns columns, const int32_t neighbours[27],
                      void *nodes);
    /* Adds the masses of a patch alone: [slot][64] reals; -1: skipped. */
    void (*patch_weigh)(const void *patch, firn_columns columns, const int32_t slots[27],
                        void *masses);
    void (*patch_load)(void *patch, firn_columns columns, const int32_t neighbours[27],
                       const void *nodes);
    /* For FLIP: channels of the patch are v and the x of v_old; those of old_patch are y and z of
     * v_old here and at the next node along y (at the last column: here again). */
    void (*patch_load_both)(void *patch, void *old_patch, firn_columns columns,
                            const int32_t neighbours[27], const void *nodes, const void *old);
    /* New v, C, x; grad_v [bundles][9][16] for the law. With flip > 0 the patches come from
     * patch_load_both. */
    void (*g2p)(const firn_transfer *transfer, const firn_block_particles *particles,
                const void *patch, const void *old_patch, void *grad_v);
    /* The interpolation of g2p, checked instead of applied; grad_v as in g2p. */
    void (*check)(const firn_transfer *transfer, const firn_block_particles *particles,
                  const void *patch, void *grad_v, firn_block_check *check);
    /* The largest difference of a component of velocity between neighbouring nodes that carry
     * mass, m/s. */
    double (*steepest)(const void *patch, firn_columns columns);
    /* A patch of velocities relative to `from`, with their squares in the fourth channel. */
    void (*deviate)(const void *patch, const double from[3], void *deviations);
    /* Adds the energy that the change of stress to tau_new stores in the motion grad_v. */
    void (*store)(const firn_transfer *transfer, const firn_block_particles *particles,
                  const void *tau_new, const void *grad_v, firn_block_store *store);
    /* rho [n][16]: the grid's mass density at the particles; the patch holds masses. */
    void (*density)(const firn_transfer *transfer, const firn_block_particles *particles,
                    const void *patch, void *rho);
    /* sum over particles of m sum_i w_i patch_i, channel by channel, added to sum. */
    void (*collect)(const firn_transfer *transfer, const firn_block_particles *particles,
                    const void *patch, double sum[4]);
    /* Rates and flags after the law's evaluation. wave, viscosity, plastic, viscous, flags:
     * [bundles][16]. */
    void (*diagnose)(const firn_transfer *transfer, const firn_block_particles *particles,
                     const void *wave, const void *viscosity, const void *plastic,
                     const void *viscous, const void *flags, firn_block_report *report);
    /* Momentum to velocity plus dt g in one block of nodes; old (may be NULL) becomes the
     * velocity before forces. */
    void (*velocity)(void *nodes, void *old, const double dv[3], firn_block_range *range);
    /* Range alone, after boundaries have changed velocities. */
    void (*range)(const void *nodes, firn_block_range *range);
    /* Updates the clearances [3][16] of a bundle that moved from `before` to x (fields CLEAR and
     * X), see distance_cache.c. Bit l: lane l may have met a collider; bit 16 + l: one besides the
     * nearest. */
    uint32_t (*clearance)(const void *x, const void *before,
                          const firn_distance_cache_motion *motion, void *clear);
    /* For sorts: the owner block (x*3 + y)*3 + z, among the 27 around its own, of each particle of
     * a bundle, and its cell there, (z*5 + y)*5 + x, which determines the nodes it touches. */
    void (*targets)(const void *x, int is_quadratic, uint8_t target[16], uint8_t cell[16]);
    /* Gathers components, consecutive from `from` on, into bundles of them alone. */
    void (*gather)(const firn_gather *gather, int is_integer, const void *from, void *to);
    /* Makes n positions relative to their new owner block; bounds of them, cells. */
    void (*rebase)(void *x, int n, double low[3], double high[3]);
    /* x = a x + b y of n reals, whole bundles. */
    void (*combine)(void *x, double a, const void *y, double b, int64_t n);
} firn_kernels;

/* NULL where the variant is not built or this processor cannot run it. */
const firn_kernels *firn_kernels_find(firn_variant variant);

#endif
