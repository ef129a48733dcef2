/* SPDX-License-Identifier: MIT */
/* sdf_extrapolate.c: a flood from voxels with a value. In each pass those without one that have a
 * face in common with such get their mean. A voxel reached in a pass counts from the next pass on,
 * so that results depend neither on threads nor on order. */
#include "geometry/sdf/sdf_extrapolate.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <string.h>

enum { UNREACHED = 255, PASSES_MAX = 200 };

typedef struct flood {
    firn_sdf *v;
    int first, n;
    uint8_t *reached; /* [leaf][512] the pass; 0: it had a value */
} flood;

static float *value_at(const flood *s, int64_t leaf, const int cell[3])
{
    return firn_sdf_at(s->v, leaf, (cell[0] * FIRN_LEAF_ROW + cell[1]) * FIRN_LEAF_ROW + cell[2],
                       s->first);
}

/* The leaf of a cell whose indices are -1 to 8, seen from this leaf; the cell becomes that in its
 * own leaf. -1: no leaf. */
static int64_t leaf_of(const firn_sdf *v, int64_t leaf, int cell[3])
{
    int64_t at = 0;
    if ((unsigned)cell[0] < 8 && (unsigned)cell[1] < 8 && (unsigned)cell[2] < 8) return leaf;
    for (int a = 0; a < 3; a++) {
        at = at * v->n_blocks[a] + v->leaf_block[leaf][a] - v->first[a] +
             (cell[a] < 0 ? -1 : cell[a] > 7);
        cell[a] &= 7;
    }
    return v->table[at] >= 0 ? v->table[at] : -1;
}

/* 1 where voxel m of a leaf gets its value in this pass. */
static int reach(const flood *s, int64_t leaf, int m, int pass)
{
    const int cell[3] = {m >> 6, m >> 3 & 7, m & 7};
    double sum[FIRN_MAX_CHANNELS] = {0};
    int n_around = 0;
    for (int side = 0; side < 6; side++) {
        int at[3] = {cell[0], cell[1], cell[2]};
        at[side >> 1] += side & 1 ? 1 : -1;
        const int64_t other = leaf_of(s->v, leaf, at);
        if (other < 0) continue;
        const uint8_t *reached = &s->reached[512 * other + (at[0] * 8 + at[1]) * 8 + at[2]];
        if (__atomic_load_n(reached, __ATOMIC_RELAXED) >= pass) continue;
        const float *value = value_at(s, other, at);
        for (int c = 0; c < s->n; c++) sum[c] += value[c];
        n_around++;
    }
    if (!n_around) return 0;
    float *value = value_at(s, leaf, cell);
    for (int c = 0; c < s->n; c++) value[c] = (float)(sum[c] / n_around);
    __atomic_store_n(&s->reached[512 * leaf + m], (uint8_t)pass, __ATOMIC_RELAXED);
    return 1;
}

firn_status firn_sdf_extrapolate(firn_sdf *v, int first, int n, int n_passes,
                                 firn_messages *messages)
{
    const size_t n_voxels = 512 * (size_t)v->n_leaves;
    flood s = {v, first, n, firn_memory_array(NULL, n_voxels, 1)};
    if (!s.reached) return firn_messages_no_memory(messages, "values of a surface");
    const int last = n_passes < PASSES_MAX ? n_passes : PASSES_MAX;
    int64_t n_reached = 1;
#pragma omp parallel for schedule(static)
    for (int64_t l = 0; l < v->n_leaves; l++)
        for (int m = 0; m < 512; m++)
            s.reached[512 * l + m] =
                isnan(*value_at(&s, l, (int[3]){m >> 6, m >> 3 & 7, m & 7})) ? UNREACHED : 0;
    for (int pass = 1; pass <= last && n_reached; pass++) {
        n_reached = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : n_reached)
        for (int64_t l = 0; l < v->n_leaves; l++)
            for (int m = 0; m < 512; m++)
                if (s.reached[512 * l + m] == UNREACHED) n_reached += reach(&s, l, m, pass);
    }
    for (int64_t l = 0; l < v->n_leaves; l++)
        for (int m = 0; m < 512; m++)
            if (s.reached[512 * l + m] == UNREACHED)
                memset(value_at(&s, l, (int[3]){m >> 6, m >> 3 & 7, m & 7}), 0,
                       (size_t)n * sizeof(float));
    firn_memory_release(NULL, s.reached, n_voxels);
    return FIRN_OK;
}
