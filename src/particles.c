#include "particles.h"

#include <string.h>

static const struct {
    const char *name;
    int n_components;
} fields[FIRN_N_FIELDS] = {
#define FIELD(name, text, n, unit, meaning) {text, n},
    FIRN_FIELDS(FIELD)
#undef FIELD
};

const char *firn_field_name(firn_field field) { return fields[field].name; }

static size_t value_size(const firn_pool *pool, firn_field field)
{
    return firn_field_is_integer(field) ? sizeof(uint32_t) : pool->real_size;
}

void firn_pool_init(firn_pool *pool, firn_memory *memory, size_t real_size, int has_grip, int has_start)
{
    pool->memory = memory, pool->real_size = real_size;
    for (int f = 0; f < FIRN_N_FIELDS; f++) pool->n_components[f] = fields[f].n_components;
    if (!pool->transfer.is_affine) pool->n_components[FIRN_FIELD_C] = 0;
    pool->n_components[FIRN_FIELD_GRIP] = has_grip;
    pool->n_components[FIRN_FIELD_START] = has_start ? 3 : 0;
    pool->n_components[FIRN_FIELD_CLEAR] = 0; /* see create_colliders in sim.c */
    pool->n_components[FIRN_FIELD_HISTORY] = pool->material.law->info.n_history;
}

int64_t firn_pool_n_lost(const firn_pool *pool)
{
    int64_t n = 0;
    for (int cause = 0; cause < FIRN_N_LOSSES; cause++) n += pool->account.n_lost_by[cause];
    return n;
}

size_t firn_pool_field_bytes(const firn_pool *pool, firn_field field, int64_t n_bundles)
{
    return (size_t)n_bundles * (size_t)pool->n_components[field] * FIRN_BUNDLE_LANES * value_size(pool, field);
}

void firn_pool_clear(firn_pool *pool)
{
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        firn_memory_release(pool->memory, pool->field[f], firn_pool_field_bytes(pool, f, pool->capacity[f]));
        pool->field[f] = NULL, pool->capacity[f] = 0;
    }
    for (int k = 0; k < FIRN_MAX_PARAMETERS; k++)
        firn_memory_release(pool->memory, pool->painted[k], (size_t)pool->material.n_painted * sizeof(float));
    firn_memory_release(pool->memory, pool->blocks, (size_t)pool->block_capacity * sizeof *pool->blocks);
    firn_memory_release(pool->memory, pool->block_of_home, (size_t)pool->home_capacity * sizeof(int32_t));
    pool->blocks = NULL, pool->block_of_home = NULL;
    pool->n_particles = pool->n_bundles = 0;
    pool->n_blocks = pool->block_capacity = pool->home_capacity = 0;
}

firn_status firn_pool_reserve(firn_pool *pool, int64_t n_bundles, int32_t n_blocks)
{
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        if (pool->n_components[f] == 0 || n_bundles <= pool->capacity[f]) continue;
        void *grown = firn_memory_allocate(pool->memory, firn_pool_field_bytes(pool, f, n_bundles));
        if (!grown) return FIRN_MEMORY;
        if (pool->field[f]) memcpy(grown, pool->field[f], firn_pool_field_bytes(pool, f, pool->n_bundles));
        firn_memory_release(pool->memory, pool->field[f], firn_pool_field_bytes(pool, f, pool->capacity[f]));
        pool->field[f] = grown, pool->capacity[f] = n_bundles;
    }
    if (n_blocks > pool->block_capacity) {
        firn_pool_block *grown = firn_memory_array(pool->memory, (size_t)n_blocks, sizeof *grown);
        if (!grown) return FIRN_MEMORY;
        if (pool->blocks) memcpy(grown, pool->blocks, (size_t)pool->n_blocks * sizeof *grown);
        firn_memory_release(pool->memory, pool->blocks, (size_t)pool->block_capacity * sizeof *grown);
        pool->blocks = grown, pool->block_capacity = n_blocks;
    }
    return FIRN_OK;
}

void *firn_pool_at(const firn_pool *pool, firn_field field, int64_t bundle)
{
    return pool->n_components[field] ? (char *)pool->field[field] + firn_pool_field_bytes(pool, field, bundle) : NULL;
}

double firn_pool_blank(const firn_pool *pool, firn_field field, int component)
{
    if (field == FIRN_FIELD_X) return 1.5;
    if (field == FIRN_FIELD_F) return component % 4 == 0;
    if (field == FIRN_FIELD_T) return 293.15;
    return field == FIRN_FIELD_HISTORY ? pool->material.law->info.history[component].initial : 0;
}

firn_block_particles firn_pool_block_particles(const firn_pool *pool, const firn_pool_block *block)
{
    return (firn_block_particles){
        .n = block->n,
        .x = firn_pool_at(pool, FIRN_FIELD_X, block->first),
        .v = firn_pool_at(pool, FIRN_FIELD_V, block->first),
        .C = firn_pool_at(pool, FIRN_FIELD_C, block->first),
        .tau = firn_pool_at(pool, FIRN_FIELD_TAU, block->first),
        .mass = firn_pool_at(pool, FIRN_FIELD_MASS, block->first),
        .volume = firn_pool_at(pool, FIRN_FIELD_VOLUME, block->first),
    };
}
