/* SPDX-License-Identifier: MIT */
/* nodes.c: kernels on nodes alone. The patch of an owner block is cleared before P2G, added to the
 * grid after it and loaded before G2P (kernels.h has a drawing); in between momenta become
 * velocities, block by block. Compiled once per variant (lanes.h).
 *
 * Rows of a patch are redundant: P2G adds to any of the five rows that contain a node, so a patch
 * is folded (rows summed) on its way to the grid and spread (rows copied) on its way back. */
#include "mpm/nodes.h"
#include "mpm/shifted_rows.h"

/* Along an axis a patch overlaps three blocks: their nodes 2 3, 0 1 2 3, 0 1. Along z these are
 * adjacent in memory: a column of a patch is HALF a row of the first block, a row of the second,
 * half a row of the third. */
enum { HALF = ROW / 2, COLUMN = FIRN_SHIFTED_ROWS * ROW, BLOCK = FIRN_BLOCK_NODES * FIRN_CHANNELS };
static const int block_of[8] = {0, 0, 1, 1, 1, 1, 2, 2}, node_of[8] = {2, 3, 0, 1, 2, 3, 0, 1};

static const real nothing[BLOCK] = {0}; /* zeros of a block that is not in the grid */

/* The column (i, j) of a patch begins with the node FIRST_OF in each of these three blocks. */
#define BLOCK_OF(i, j) (9 * block_of[i] + 3 * block_of[j])
#define FIRST_OF(i, j) ((node_of[i] * 4 + node_of[j]) * 4 * FIRN_CHANNELS)

/* For each column of a set: `at` is its number, `i` and `j` its place in the patch. */
#define FOR_COLUMNS(columns, at, i, j)                                                             \
    for (firn_columns left_ = (columns); left_; left_ &= left_ - 1)                                \
        for (int at = __builtin_ctzll(left_), i = at >> 3, j = at & 7, once_ = 1; once_; once_ = 0)

FIRN_INLINE column column_load(const real *const blocks[3], int first)
{
    return (column){row_of_halves(blocks[0] + first + HALF, blocks[1] + first),
                    row_of_halves(blocks[1] + first + HALF, blocks[2] + first)};
}

void FIRN_NODES(clear)(void *patch, firn_columns columns)
{
    FOR_COLUMNS(columns, at, i, j)
    {
        (void)i, (void)j;
        for (int z = 0; z < FIRN_SHIFTED_ROWS; z++)
            row_store((real *)patch + at * COLUMN + z * ROW, row_zero());
    }
}

void FIRN_NODES(ask)(firn_columns columns, const int32_t neighbours[27], const void *nodes_)
{
    const real *block[27];
    for (int q = 0; q < 27; q++)
        block[q] =
            neighbours[q] < 0 ? nothing : (const real *)nodes_ + (size_t)neighbours[q] * BLOCK;
    FOR_COLUMNS(columns, at, i, j)
    {
        (void)at;
        const real *const *b = block + BLOCK_OF(i, j);
        int first = FIRST_OF(i, j);
        __builtin_prefetch(b[0] + first + HALF, 1);
        __builtin_prefetch(b[1] + first, 1);
        if (sizeof(real) == 8) __builtin_prefetch(b[1] + first + HALF, 1);
        __builtin_prefetch(b[2] + first, 1);
    }
}

void FIRN_NODES(add)(const void *patch, firn_columns columns, const int32_t neighbours[27],
                     void *nodes_)
{
    real nowhere[BLOCK] = {0}, *block[27]; /* sink for parts of the patch out of reach */
    for (int q = 0; q < 27; q++)
        block[q] = neighbours[q] < 0 ? nowhere : (real *)nodes_ + (size_t)neighbours[q] * BLOCK;
    FOR_COLUMNS(columns, at, i, j)
    {
        const column c = column_fold((const real *)patch + at * COLUMN);
        real *const *b = block + BLOCK_OF(i, j);
        int first = FIRST_OF(i, j);
        row_add_half(b[0] + first + HALF, c.low, 0);
        row_add_half(b[1] + first, c.low, 1);
        row_add_half(b[1] + first + HALF, c.high, 0);
        row_add_half(b[2] + first, c.high, 1);
    }
}

/* The mass channel of a patch, folded and added to masses [slot][64]; blocks without a slot collect
 * into a buffer that is dropped. */
void FIRN_NODES(weigh)(const void *patch, firn_columns columns, const int32_t slots[27],
                       void *masses_)
{
    real unwanted[FIRN_BLOCK_NODES] = {0}, *masses[27];
    for (int q = 0; q < 27; q++)
        masses[q] = slots[q] < 0 ? unwanted : (real *)masses_ + (size_t)slots[q] * FIRN_BLOCK_NODES;
    FOR_COLUMNS(columns, at, i, j)
    {
        const column c = column_fold((const real *)patch + at * COLUMN);
        real nodes[2 * ROW] __attribute__((aligned(64))), *from = nodes + 3;
        row_store(nodes, c.low);
        row_store(nodes + ROW, c.high);
        real *const *b = masses + BLOCK_OF(i, j);
        int first = FIRST_OF(i, j) / FIRN_CHANNELS;
        for (int k = 0; k < 2; k++) b[0][first + 2 + k] += from[k * FIRN_CHANNELS];
        for (int k = 0; k < 4; k++) b[1][first + k] += from[(2 + k) * FIRN_CHANNELS];
        for (int k = 0; k < 2; k++) b[2][first + k] += from[(6 + k) * FIRN_CHANNELS];
    }
}

void FIRN_NODES(load)(void *patch, firn_columns columns, const int32_t neighbours[27],
                      const void *nodes_)
{
    const real *block[27];
    for (int q = 0; q < 27; q++)
        block[q] =
            neighbours[q] < 0 ? nothing : (const real *)nodes_ + (size_t)neighbours[q] * BLOCK;
    FOR_COLUMNS(columns, at, i, j)
    column_spread((real *)patch + at * COLUMN, column_load(block + BLOCK_OF(i, j), FIRST_OF(i, j)));
}

/* FLIP: both patches from v and v_old. Channels (vx vy vz ox) and (oy oz oy' oz'), ' the next
 * column along y: the mass channel, which G2P does not need, carries v_old,x (transfer.c). */
void FIRN_NODES(load_both)(void *patch, void *old_patch, firn_columns columns,
                           const int32_t neighbours[27], const void *nodes_, const void *old_)
{
    const real *nodes[27], *old[27];
    for (int q = 0; q < 27; q++) {
        nodes[q] =
            neighbours[q] < 0 ? nothing : (const real *)nodes_ + (size_t)neighbours[q] * BLOCK;
        old[q] = neighbours[q] < 0 ? nothing : (const real *)old_ + (size_t)neighbours[q] * BLOCK;
    }
    FOR_COLUMNS(columns, at, i, j)
    {
        const int has_next = j < 7 && columns >> (at + 1) & 1, next_j = has_next ? j + 1 : j;
        const column v = column_load(nodes + BLOCK_OF(i, j), FIRST_OF(i, j)),
                     o = column_load(old + BLOCK_OF(i, j), FIRST_OF(i, j)),
                     next = column_load(old + BLOCK_OF(i, next_j), FIRST_OF(i, next_j));
        column both, pairs;
        row_weave(v.low, o.low, next.low, &both.low, &pairs.low);
        row_weave(v.high, o.high, next.high, &both.high, &pairs.high);
        column_spread((real *)patch + at * COLUMN, both);
        column_spread((real *)old_patch + at * COLUMN, pairs);
    }
}

/* Two nodes, eight channels. */
typedef half_row node_pair;
typedef lane_int pair_mask __attribute__((vector_size(HALF * sizeof(real))));

/* The maximum of `most` and the differences of two pairs of nodes, by component, where both nodes
 * carry mass. */
FIRN_INLINE node_pair pair_steeper(node_pair most, const real *p, const real *q)
{
    const pair_mask velocities = {-1, -1, -1, 0, -1, -1, -1, 0};
    const node_pair a = *(const node_pair *)p, b = *(const node_pair *)q, none = {0};
    const node_pair mass_a = __builtin_shufflevector(a, a, 3, 3, 3, 3, 7, 7, 7, 7);
    const node_pair mass_b = __builtin_shufflevector(b, b, 3, 3, 3, 3, 7, 7, 7, 7);
    node_pair d = a - b;
    const pair_mask is_less = (pair_mask)(d < none);
    d = (node_pair)((is_less & (pair_mask)-d) | (~is_less & (pair_mask)d));
    const pair_mask is_more = (pair_mask)(d > most) & (pair_mask)(mass_a > none) &
                              (pair_mask)(mass_b > none) & velocities;
    return (node_pair)((is_more & (pair_mask)d) | (~is_more & (pair_mask)most));
}

FIRN_INLINE node_pair row_steeper(node_pair most, const real *p, const real *q)
{
    return pair_steeper(pair_steeper(most, p, q), p + HALF, q + HALF);
}

/* Differences of neighbours along z (within the column's rows 0, 1, 4, 3), y (next column) and x
 * (eight columns on). */
double FIRN_NODES(steepest)(const void *patch, firn_columns columns)
{
    node_pair most = {0};
    FOR_COLUMNS(columns, at, i, j)
    {
        const real *p = (const real *)patch + at * COLUMN,
                   *q = p + 4 * ROW; /* lower and upper nodes */
        most = row_steeper(most, p, p + ROW);
        most = row_steeper(most, q, q - ROW);
        if (j < 7 && columns >> (at + 1) & 1) {
            most = row_steeper(most, p, p + COLUMN);
            most = row_steeper(most, q, q + COLUMN);
        }
        if (i < 7 && columns >> (at + 8) & 1) {
            most = row_steeper(most, p, p + 8 * COLUMN);
            most = row_steeper(most, q, q + 8 * COLUMN);
        }
    }
    double steepest = 0;
    for (int l = 0; l < HALF; l++)
        steepest = (double)most[l] > steepest ? (double)most[l] : steepest;
    return steepest;
}

/* Range of the velocities of nodes with mass, LANES nodes at a time. A velocity that is not finite
 * clears is_finite. */
typedef struct lane_range {
    fr min[3], max[3];
    int is_finite;
} lane_range;

FIRN_INLINE lane_range range_of_nothing(void)
{
    lane_range r = {.is_finite = 1};
    for (int a = 0; a < 3; a++) {
        r.min[a] = fr_set1((real)INFINITY);
        r.max[a] = fr_set1((real)-INFINITY);
    }
    return r;
}

FIRN_INLINE void range_add(lane_range *r, const fr v[3], fr mass)
{
    const fr largest = fr_set1(REAL_MAX), zero = fr_zero();
    fm is_heavy = fr_gt(mass, zero), is_good = fr_ge(mass, zero);
    for (int a = 0; a < 3; a++) {
        is_good = fm_and(is_good, fr_le(fr_abs(fr_select(is_heavy, v[a], zero)), largest));
        r->min[a] = fr_min(fr_select(is_heavy, v[a], r->min[a]), r->min[a]);
        r->max[a] = fr_max(fr_select(is_heavy, v[a], r->max[a]), r->max[a]);
    }
    r->is_finite &= fm_all(is_good);
}

FIRN_INLINE void range_store(const lane_range *r, firn_block_range *out)
{
    out->is_finite = r->is_finite;
    for (int a = 0; a < 3; a++) {
        out->min[a] = fr_least(r->min[a]);
        out->max[a] = fr_most(r->max[a]);
    }
}

void FIRN_NODES(range)(const void *nodes, firn_block_range *out)
{
    lane_range r = range_of_nothing();
    for (int n = 0; n < FIRN_BLOCK_NODES; n += LANES) {
        fr v[3], mass;
        groups_load(nodes, n, &v[0], &v[1], &v[2], &mass);
        range_add(&r, v, mass);
    }
    range_store(&r, out);
}

/* Momentum to velocity. Nodes without mass get zero: they are only read with weight zero. Nor does
 * a node count whose mass is a product of such small weights (below REAL_MIN / REAL_EPSILON) that
 * it has lost digits, which the quotient would inherit. */
void FIRN_NODES(velocity)(void *nodes, void *old, const double dv[3], firn_block_range *out)
{
    lane_range r = range_of_nothing();
    for (int n = 0; n < FIRN_BLOCK_NODES; n += LANES) {
        fr v[3], force[3] = {fr_zero(), fr_zero(), fr_zero()}, mass, none;
        groups_load(nodes, n, &v[0], &v[1], &v[2], &mass);
        if (old) groups_load(old, n, &force[0], &force[1], &force[2], &none);
        fm is_heavy = fr_gt(mass, fr_set1(REAL_MIN / REAL_EPSILON));
        fr inverse = 1 / fr_select(is_heavy, mass, fr_set1(1));
        mass = fr_select(fr_lt(fr_abs(mass), fr_set1(REAL_MIN / REAL_EPSILON)), fr_zero(), mass);
        for (int a = 0; a < 3; a++) {
            fr sum = v[a] + force[a];
            force[a] = fr_select(is_heavy, v[a] * inverse, fr_zero());
            v[a] = fr_select(is_heavy, sum * inverse + (real)dv[a], fr_zero());
        }
        range_add(&r, v, mass);
        groups_store(nodes, n, v[0], v[1], v[2], mass);
        if (old) groups_store(old, n, force[0], force[1], force[2], fr_zero());
    }
    range_store(&r, out);
}

/* u = v - from and |u|^2 for all five shifted rows, in place of the mass: the step check sums m w u
 * and m w u^2 over particles, whose difference from the mean is the kinetic energy of relative
 * motion. */
void FIRN_NODES(deviate)(const void *patch_, const double from[3], void *deviations)
{
    const real *patch = patch_;
    real *to = deviations;
    for (int n = 0; n < FIRN_PATCH / FIRN_CHANNELS; n += LANES) { /* in every row */
        fr u[3], square = fr_zero(), mass;
        groups_load(patch, n, &u[0], &u[1], &u[2], &mass);
        for (int a = 0; a < 3; a++) {
            u[a] = u[a] - (real)from[a];
            square = fr_fma(u[a], u[a], square);
        }
        groups_store(to, n, u[0], u[1], u[2], square);
    }
}
