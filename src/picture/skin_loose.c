/* SPDX-License-Identifier: MIT */
/* skin_loose.c: counts in cells of 1.5 spacings, kept in a hash table with open addressing; the cube
 * about a particle is taken as the 2 x 2 x 2 cells around the corner that is nearest to it. */
#include "picture/skin_loose.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>

typedef struct cells {
    uint64_t *keys; /* + 1; 0: empty */
    uint32_t *counts;
    size_t size; /* a power of two */
    double scale;
} cells;

static uint64_t key_of(const int64_t cell[3])
{
    uint64_t key = 0;
    for (int c = 0; c < 3; c++) key = key << 21 | ((uint64_t)(cell[c] + (1 << 20)) & 0x1fffff);
    return key + 1;
}

/* Place of the key, or of the empty entry where it belongs. */
static size_t find(const cells *t, uint64_t key)
{
    size_t at = firn_random_mix(key * FIRN_RANDOM_STEP) & (t->size - 1);
    while (t->keys[at] && t->keys[at] != key) at = (at + 1) & (t->size - 1);
    return at;
}

static void count(cells *t, int64_t n, const float *xyz)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t cell[3];
        for (int c = 0; c < 3; c++) cell[c] = (int64_t)floor(xyz[3 * k + c] * t->scale);
        uint64_t key = key_of(cell);
        size_t at = find(t, key);
        t->keys[at] = key;
        t->counts[at]++;
    }
}

static uint32_t count_around(const cells *t, const float *x)
{
    uint32_t sum = 0;
    int64_t corner[3];
    for (int c = 0; c < 3; c++) corner[c] = (int64_t)floor(x[c] * t->scale + 0.5) - 1;
    for (int k = 0; k < 8; k++) {
        int64_t cell[3] = {corner[0] + (k & 1), corner[1] + (k >> 1 & 1), corner[2] + (k >> 2)};
        size_t at = find(t, key_of(cell));
        if (t->keys[at]) sum += t->counts[at];
    }
    return sum;
}

int firn_skin_find_loose(int64_t n, const float *xyz, double spacing, int n_threads,
                         uint8_t *is_loose)
{
    cells t = {.size = 64, .scale = 1 / (1.5 * spacing)};
    while (t.size < 2 * (size_t)n) t.size *= 2;
    t.keys = firn_memory_array(NULL, t.size, sizeof *t.keys);
    t.counts = firn_memory_array(NULL, t.size, sizeof *t.counts);
    int good = t.keys && t.counts;
    if (good) {
        count(&t, n, xyz);
#pragma omp parallel for num_threads(n_threads) schedule(static)
        for (int64_t k = 0; k < n; k++)
            is_loose[k] = count_around(&t, xyz + 3 * k) <= FIRN_SKIN_LOOSE;
    }
    firn_memory_release(NULL, t.counts, t.size * sizeof *t.counts);
    firn_memory_release(NULL, t.keys, t.size * sizeof *t.keys);
    return good;
}
