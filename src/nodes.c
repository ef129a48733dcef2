/* nodes.c: what is done to nodes alone. The patch of a home block is cleared before P2G, added to the grid after it and
 * loaded before G2P (kernels.h has a drawing); between the two the momenta of each block of nodes become velocities.
 * Compiled once a variant (lanes.h). */
#include "groups.h"
#include "nodes.h"

/* Along an axis a patch overlaps three blocks: their nodes 2 3, 0 1 2 3, 0 1. Along z these nodes are neighbours in
 * memory: a column of a patch is OCT reals of the first block, twice as many of the second, as many of the third. */
enum { OCT = 2 * FIRN_CHANNELS, BLOCK = FIRN_BLOCK_NODES * FIRN_CHANNELS };
static const int block_of[8] = {0, 0, 1, 1, 1, 1, 2, 2}, node_of[8] = {2, 3, 0, 1, 2, 3, 0, 1};

static const real nothing[BLOCK] = {0}; /* what stands in a block that is not there */

typedef real oct __attribute__((vector_size(OCT * sizeof(real)), aligned(sizeof(real)), may_alias));

FIRN_INLINE void oct_copy(real *to, const real *from) { *(oct *)to = *(const oct *)from; }
FIRN_INLINE void oct_add(real *to, const real *from) { *(oct *)to += *(const oct *)from; }

/* The column (i, j) of a patch begins with the node FIRST_OF in each of these three blocks. */
#define BLOCK_OF(i, j) (9 * block_of[i] + 3 * block_of[j])
#define FIRST_OF(i, j) ((node_of[i] * 4 + node_of[j]) * 4 * FIRN_CHANNELS)

/* For each column of a set: `at` counts columns, `i` and `j` are its place in the patch. */
#define FOR_COLUMNS(columns, at, i, j)                                                                                 \
    for (firn_columns left_ = (columns); left_; left_ &= left_ - 1)                                                    \
        for (int at = __builtin_ctzll(left_), i = at >> 3, j = at & 7, once_ = 1; once_; once_ = 0)

void FIRN_NODES(clear)(void *patch_, firn_columns columns)
{
    real *patch = patch_;
    const oct zero = {0};
    FOR_COLUMNS(columns, at, i, j)
    {
        (void)i, (void)j;
        for (int o = 0; o < 4; o++) *(oct *)(patch + (at * 4 + o) * OCT) = zero;
    }
    for (int pad = 0; pad < FIRN_PATCH_PAD * FIRN_CHANNELS; pad += OCT)
        *(oct *)(patch + FIRN_PATCH_NODES * FIRN_CHANNELS + pad) = zero;
}

void FIRN_NODES(ask)(firn_columns columns, const int32_t neighbours[27], const void *nodes_)
{
    const real *block[27];
    for (int q = 0; q < 27; q++)
        block[q] = neighbours[q] < 0 ? nothing : (const real *)nodes_ + (size_t)neighbours[q] * BLOCK;
    FOR_COLUMNS(columns, at, i, j)
    {
        (void)at;
        const real *const *b = block + BLOCK_OF(i, j);
        int first = FIRST_OF(i, j);
        __builtin_prefetch(b[0] + first + OCT, 1), __builtin_prefetch(b[1] + first, 1);
        if (sizeof(real) == 8) __builtin_prefetch(b[1] + first + OCT, 1);
        __builtin_prefetch(b[2] + first, 1);
    }
}

void FIRN_NODES(add)(const void *patch, firn_columns columns, const int32_t neighbours[27], void *nodes_)
{
    real nowhere[BLOCK] = {0}, *block[27]; /* the zeros of a patch where no particle can be */
    for (int q = 0; q < 27; q++)
        block[q] = neighbours[q] < 0 ? nowhere : (real *)nodes_ + (size_t)neighbours[q] * BLOCK;
    FOR_COLUMNS(columns, at, i, j)
    {
        const real *from = (const real *)patch + at * 4 * OCT;
        real *const *b = block + BLOCK_OF(i, j);
        int first = FIRST_OF(i, j);
        oct_add(b[0] + first + OCT, from);
        oct_add(b[1] + first, from + OCT), oct_add(b[1] + first + OCT, from + 2 * OCT);
        oct_add(b[2] + first, from + 3 * OCT);
    }
}

void FIRN_NODES(weigh)(const void *patch, firn_columns columns, const int32_t slots[27], void *masses_)
{
    real nobody[FIRN_BLOCK_NODES] = {0}, *masses[27];
    for (int q = 0; q < 27; q++)
        masses[q] = slots[q] < 0 ? nobody : (real *)masses_ + (size_t)slots[q] * FIRN_BLOCK_NODES;
    FOR_COLUMNS(columns, at, i, j)
    {
        const real *from = (const real *)patch + at * 4 * OCT + 3;
        real *const *b = masses + BLOCK_OF(i, j);
        int first = FIRST_OF(i, j) / FIRN_CHANNELS;
        for (int k = 0; k < 2; k++) b[0][first + 2 + k] += from[k * FIRN_CHANNELS];
        for (int k = 0; k < 4; k++) b[1][first + k] += from[(2 + k) * FIRN_CHANNELS];
        for (int k = 0; k < 2; k++) b[2][first + k] += from[(6 + k) * FIRN_CHANNELS];
    }
}

void FIRN_NODES(load)(void *patch, firn_columns columns, const int32_t neighbours[27], const void *nodes_)
{
    const real *block[27];
    for (int q = 0; q < 27; q++)
        block[q] = neighbours[q] < 0 ? nothing : (const real *)nodes_ + (size_t)neighbours[q] * BLOCK;
    FOR_COLUMNS(columns, at, i, j)
    {
        real *to = (real *)patch + at * 4 * OCT;
        const real *const *b = block + BLOCK_OF(i, j);
        int first = FIRST_OF(i, j);
        oct_copy(to, b[0] + first + OCT);
        oct_copy(to + OCT, b[1] + first), oct_copy(to + 2 * OCT, b[1] + first + OCT);
        oct_copy(to + 3 * OCT, b[2] + first);
    }
}

/* Two nodes: (vx vy vz m), (ox oy oz 0) and the old ones of the next column, (px py pz 0), become (vx vy vz ox) and
 * (oy oz py pz). */
FIRN_INLINE void oct_weave(real *to, real *pairs, const real *from, const real *old, const real *next)
{
    const oct v = *(const oct *)from, o = *(const oct *)old, p = *(const oct *)next;
    *(oct *)to = __builtin_shufflevector(v, o, 0, 1, 2, 8, 4, 5, 6, 12);
    *(oct *)pairs = __builtin_shufflevector(o, p, 1, 2, 9, 10, 5, 6, 13, 14);
}

void FIRN_NODES(load_both)(void *patch, void *old_patch, firn_columns columns, const int32_t neighbours[27],
                           const void *nodes_, const void *old_)
{
    const real *nodes[27], *old[27];
    for (int q = 0; q < 27; q++) {
        nodes[q] = neighbours[q] < 0 ? nothing : (const real *)nodes_ + (size_t)neighbours[q] * BLOCK;
        old[q] = neighbours[q] < 0 ? nothing : (const real *)old_ + (size_t)neighbours[q] * BLOCK;
    }
    memset((real *)old_patch + FIRN_PATCH_NODES * FIRN_CHANNELS, 0, FIRN_PATCH_PAD * FIRN_CHANNELS * sizeof(real));
    FOR_COLUMNS(columns, at, i, j)
    {
        const int has_next = j < 7 && columns >> (at + 1) & 1, next_j = has_next ? j + 1 : j;
        real *to = (real *)patch + at * 4 * OCT, *pairs = (real *)old_patch + at * 4 * OCT;
        const real *const *v = nodes + BLOCK_OF(i, j), *const *o = old + BLOCK_OF(i, j);
        const real *const *p = old + BLOCK_OF(i, next_j);
        int first = FIRST_OF(i, j), next = FIRST_OF(i, next_j);
        oct_weave(to, pairs, v[0] + first + OCT, o[0] + first + OCT, p[0] + next + OCT);
        oct_weave(to + OCT, pairs + OCT, v[1] + first, o[1] + first, p[1] + next);
        oct_weave(to + 2 * OCT, pairs + 2 * OCT, v[1] + first + OCT, o[1] + first + OCT, p[1] + next + OCT);
        oct_weave(to + 3 * OCT, pairs + 3 * OCT, v[2] + first, o[2] + first, p[2] + next);
    }
}

typedef lane_int oct_mask __attribute__((vector_size(OCT * sizeof(real))));

/* The larger of each of `most` and the differences of two pairs of nodes, where both nodes carry mass. */
FIRN_INLINE oct oct_steeper(oct most, const real *p, const real *q)
{
    const oct_mask velocities = {-1, -1, -1, 0, -1, -1, -1, 0};
    const oct a = *(const oct *)p, b = *(const oct *)q, none = {0};
    const oct mass_a = __builtin_shufflevector(a, a, 3, 3, 3, 3, 7, 7, 7, 7);
    const oct mass_b = __builtin_shufflevector(b, b, 3, 3, 3, 3, 7, 7, 7, 7);
    oct d = a - b;
    const oct_mask is_less = (oct_mask)(d < none);
    d = (oct)((is_less & (oct_mask)-d) | (~is_less & (oct_mask)d));
    const oct_mask is_more = (oct_mask)(d > most) & (oct_mask)(mass_a > none) & (oct_mask)(mass_b > none) & velocities;
    return (oct)((is_more & (oct_mask)d) | (~is_more & (oct_mask)most));
}

double FIRN_NODES(steepest)(const void *patch, firn_columns columns)
{
    enum { COLUMN = 4 * OCT };
    static const int from[4] = {0, 2, 4, 5}; /* pairs whose next nodes are in the column, too */
    oct most = {0};
    FOR_COLUMNS(columns, at, i, j)
    {
        const real *p = (const real *)patch + at * COLUMN;
        for (int o = 0; o < 4; o++) {
            most = oct_steeper(most, p + from[o] * FIRN_CHANNELS, p + (from[o] + 1) * FIRN_CHANNELS);
            if (j < 7 && columns >> (at + 1) & 1) most = oct_steeper(most, p + o * OCT, p + COLUMN + o * OCT);
            if (i < 7 && columns >> (at + 8) & 1) most = oct_steeper(most, p + o * OCT, p + 8 * COLUMN + o * OCT);
        }
    }
    double steepest = 0;
    for (int l = 0; l < OCT; l++) steepest = (double)most[l] > steepest ? (double)most[l] : steepest;
    return steepest;
}

/* Range of the velocities v of nodes that carry mass; LANES nodes at a time. One that is not finite spoils it. */
typedef struct lane_range {
    fr min[3], max[3];
    int is_finite;
} lane_range;

FIRN_INLINE lane_range range_of_nothing(void)
{
    lane_range r = {.is_finite = 1};
    for (int a = 0; a < 3; a++) r.min[a] = fr_set1((real)INFINITY), r.max[a] = fr_set1((real)-INFINITY);
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
    for (int a = 0; a < 3; a++) out->min[a] = fr_least(r->min[a]), out->max[a] = fr_most(r->max[a]);
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

/* A node on which no particle weighs gets zero: it is never read with a weight other than zero. Nor is one counted
 * whose mass is the product of such small weights that digits, and then the quotient, are lost. */
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

void FIRN_NODES(deviate)(const void *patch_, const double from[3], void *deviations)
{
    const real *patch = patch_;
    real *to = deviations;
    for (int n = 0; n < FIRN_PATCH_NODES; n += LANES) {
        fr u[3], square = fr_zero(), mass;
        groups_load(patch, n, &u[0], &u[1], &u[2], &mass);
        for (int a = 0; a < 3; a++) u[a] = u[a] - (real)from[a], square = fr_fma(u[a], u[a], square);
        groups_store(to, n, u[0], u[1], u[2], square);
    }
}
