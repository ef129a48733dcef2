/* SPDX-License-Identifier: MIT */
/* volume.c: see volume.h. */
#include "geometry/volume.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"

#include <math.h>

static size_t bytes_of_values(const firn_volume *v)
{
    return (size_t)v->n_leaves * FIRN_VOLUME_LEAF * (size_t)v->n_components * sizeof(float);
}

firn_status firn_volume_create(int n_components, int64_t n_leaves, firn_volume **volume,
                               firn_messages *messages)
{
    firn_volume *v = firn_memory_allocate(NULL, sizeof *v);
    *volume = v;
    if (!v) return firn_messages_no_memory(messages, "volume");
    v->n_components = n_components;
    v->n_leaves = n_leaves;
    v->n_slots = 16;
    while ((int64_t)v->n_slots < 2 * n_leaves && v->n_slots < 1u << 31) v->n_slots *= 2;
    v->block = firn_memory_array(NULL, (size_t)n_leaves + 1, sizeof *v->block);
    v->values = firn_memory_array(NULL, 1, bytes_of_values(v) + sizeof(float));
    v->slots = firn_memory_array(NULL, v->n_slots, sizeof *v->slots);
    if (v->block && v->values && v->slots && n_leaves < 1 << 30) return FIRN_OK;
    firn_volume_destroy(v);
    *volume = NULL;
    return firn_messages_no_memory(messages, "volume of %lld leaves", (long long)n_leaves);
}

void firn_volume_destroy(firn_volume *v)
{
    if (!v) return;
    firn_memory_release(NULL, v->block, ((size_t)v->n_leaves + 1) * sizeof *v->block);
    firn_memory_release(NULL, v->values, bytes_of_values(v) + sizeof(float));
    firn_memory_release(NULL, v->slots, (size_t)v->n_slots * sizeof *v->slots);
    firn_memory_release(NULL, v, sizeof *v);
}

static uint32_t first_slot(const firn_volume *v, const int32_t block[3])
{
    return (uint32_t)firn_random_of_cell(0, block[0], block[1], block[2]) & (v->n_slots - 1);
}

void firn_volume_finish(firn_volume *v)
{
    for (int64_t leaf = 0; leaf < v->n_leaves; leaf++) {
        uint32_t slot = first_slot(v, v->block[leaf]);
        while (v->slots[slot]) slot = (slot + 1) & (v->n_slots - 1);
        v->slots[slot] = (uint32_t)leaf + 1;
    }
}

/* The values at a lattice point. */
static const float *values_at(const firn_volume *v, const int64_t at[3])
{
    int32_t block[3];
    int place = 0;
    for (int a = 0; a < 3; a++) {
        block[a] = (int32_t)(at[a] >> 3);
        place = 8 * place + (int)(at[a] & 7);
    }
    for (uint32_t slot = first_slot(v, block); v->slots[slot];
         slot = (slot + 1) & (v->n_slots - 1)) {
        const size_t leaf = v->slots[slot] - 1;
        const int32_t *b = v->block[leaf];
        if (b[0] == block[0] && b[1] == block[1] && b[2] == block[2])
            return v->values + (leaf * FIRN_VOLUME_LEAF + (size_t)place) * (size_t)v->n_components;
    }
    return v->background;
}

void firn_volume_sample(const firn_volume *v, const double x[3], double *value)
{
    double index[3], share[3];
    int64_t low[3];
    for (int a = 0; a < 3; a++) {
        const double *row = v->to_index[a];
        index[a] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3];
        index[a] = fmax(-1e9, fmin(1e9, index[a])); /* block numbers are 32 bits */
        low[a] = (int64_t)floor(index[a]);
        share[a] = index[a] - (double)low[a];
    }
    for (int c = 0; c < v->n_components; c++) value[c] = 0;
    for (int corner = 0; corner < 8; corner++) {
        const int64_t at[3] = {low[0] + (corner & 1), low[1] + (corner >> 1 & 1),
                               low[2] + (corner >> 2)};
        double weight = 1;
        for (int a = 0; a < 3; a++) weight *= corner >> a & 1 ? share[a] : 1 - share[a];
        if (weight == 0) continue;
        const float *own = values_at(v, at);
        for (int c = 0; c < v->n_components; c++) value[c] += weight * (double)own[c];
    }
}
