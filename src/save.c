/* save.c: the complete state of a simulation in one piece of memory, or piece by piece to a file, and back.
 *
 *   header     magic, version, precision, numbers of things, time, dt, counters, limits
 *   exchanges  what colliders, grips and walls have taken since the start
 *   sources    where ids came from            grips: particles held          emission: counters
 *   pools      for each: numbers, its books, its blocks, its fields as they stand (padding lanes too)
 *
 * The arrays are stored in the order that the last sort left, so the grid that is rebuilt around them, and with it
 * every later sum, is the same to the bit. Native byte order; the header refuses anything else. */
#include "solver.h"
#include "emission.h"
#include "hash.h"

#include <string.h>

enum { SAVE_VERSION = 6 };
static const char save_magic[8] = "firnsav";

typedef struct header {
    char magic[8];
    uint32_t version, byte_order, real_size, n_pools, n_colliders, n_grips, n_emitters, n_sources, must_sort;
    uint32_t next_id;
    int32_t rate_is_viscous, rate_pool;
    double time, dt, max_rate, max_speed, caution, h;
    int64_t n_steps, n_retries, n_sorts, rate_particle;
} header;

typedef struct pool_header {
    char name[FIRN_NAME], law[FIRN_NAME];
    int64_t n_particles, n_bundles;
    int32_t n_blocks, n_history, has_grip, has_start, n_C, unused;
    firn_account account;
} pool_header;

/* One walk over the state serves measuring, writing and reading. */
typedef struct walk {
    char *at, *end; /* NULL at: measure only, or give it away */
    firn_save_put *put;
    void *user;
    size_t n_bytes;
    int is_reading, is_short;
} walk;

static void pass(walk *w, void *data, size_t n)
{
    if (n == 0) return; /* and `data` may be NULL */
    w->n_bytes += n;
    if (w->put) w->put(w->user, data, n);
    if (!w->at || w->is_short) return;
    if ((size_t)(w->end - w->at) < n) {
        w->is_short = 1;
        return;
    }
    if (w->is_reading)
        memcpy(data, w->at, n);
    else
        memcpy(w->at, data, n);
    w->at += n;
}

static header header_of(const firn_sim *sim)
{
    header h = {.version = SAVE_VERSION,
                .byte_order = 0x01020304,
                .real_size = (uint32_t)sim->kernels->real_size,
                .n_pools = (uint32_t)sim->n_pools,
                .n_colliders = (uint32_t)sim->n_colliders,
                .n_sources = (uint32_t)sim->n_sources,
                .n_grips = (uint32_t)sim->n_grips,
                .n_emitters = (uint32_t)sim->scene.n_emitters,
                .must_sort = (uint32_t)sim->must_sort,
                .next_id = sim->next_id,
                .rate_is_viscous = sim->rate_is_viscous,
                .rate_pool = sim->rate_pool,
                .time = sim->time,
                .dt = sim->dt,
                .max_rate = sim->max_rate,
                .max_speed = sim->max_speed,
                .caution = sim->caution,
                .h = sim->h,
                .n_steps = sim->n_steps,
                .n_retries = sim->n_retries,
                .n_sorts = sim->n_sorts,
                .rate_particle = sim->rate_particle};
    memcpy(h.magic, save_magic, sizeof h.magic);
    return h;
}

/* C of a state whose transfer was affine where the scene's is not any longer, or the other way round. */
static void pass_other_C(walk *w, firn_pool *pool)
{
    size_t n = 9 * FIRN_BUNDLE_LANES * pool->real_size * (size_t)pool->n_bundles;
    if (pool->n_components[FIRN_FIELD_C])
        memset(pool->field[FIRN_FIELD_C], 0, n);
    else if ((size_t)(w->end - w->at) < n)
        w->is_short = 1;
    else
        w->at += n;
}

/* n_C: components of C in the state. */
static void pass_pool_data(walk *w, firn_pool *pool, int n_C)
{
    pass(w, pool->blocks, (size_t)pool->n_blocks * sizeof *pool->blocks);
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        size_t n = pool->n_components[f] ? firn_pool_field_bytes(pool, f, pool->n_bundles) : 0;
        if (f == FIRN_FIELD_C && n_C != pool->n_components[f])
            pass_other_C(w, pool);
        else if (!firn_field_is_remembered(f))
            pass(w, pool->field[f], n);
        else if (w->is_reading && n)
            memset(pool->field[f], 0, n);
    }
}

/* What n colliders have taken since the start, by their names: a scene may have other colliders when it goes on. */
static void pass_colliders(walk *w, firn_sim *sim, uint32_t n)
{
    if (w->is_reading) memset(sim->total, 0, (size_t)sim->n_colliders * sizeof *sim->total);
    for (uint32_t k = 0; k < n && !w->is_short; k++) {
        char name[FIRN_NAME] = "";
        firn_exchange taken = {0};
        if (!w->is_reading) strcpy(name, sim->colliders[k].def.name), taken = sim->total[k];
        pass(w, name, sizeof name);
        pass(w, &taken, sizeof taken);
        if (!w->is_reading) continue;
        int c = (int)k; /* at its old place, most likely */
        if (c >= sim->n_colliders || strncmp(name, sim->colliders[c].def.name, sizeof name) != 0)
            for (c = 0; c < sim->n_colliders && strncmp(name, sim->colliders[c].def.name, sizeof name) != 0; c++) {}
        if (c < sim->n_colliders) sim->total[c] = taken;
    }
}

static void pass_books(walk *w, firn_sim *sim, uint32_t n_colliders)
{
    pass_colliders(w, sim, n_colliders);
    pass(w, sim->total + sim->n_colliders, (size_t)(sim->n_grips + 2) * sizeof *sim->total);
    pass(w, sim->sources, (size_t)sim->n_sources * sizeof *sim->sources);
    for (int g = 0; g < sim->n_grips; g++) {
        pass(w, &sim->grips[g].n_particles, sizeof sim->grips[g].n_particles);
        pass(w, &sim->grips[g].mass, sizeof sim->grips[g].mass);
        pass(w, &sim->grips[g].has_taken, sizeof sim->grips[g].has_taken);
    }
    size_t n = 0;
    void *emission = firn_emission_state(sim, &n);
    pass(w, emission, n);
}

static void walk_out(walk *w, firn_sim *sim)
{
    header h = header_of(sim);
    pass(w, &h, sizeof h);
    pass_books(w, sim, h.n_colliders);
    for (int m = 0; m < sim->n_pools; m++) {
        firn_pool *pool = &sim->pools[m];
        pool_header p = {.n_particles = pool->n_particles,
                         .n_bundles = pool->n_bundles,
                         .n_blocks = pool->n_blocks,
                         .n_history = pool->n_components[FIRN_FIELD_HISTORY],
                         .has_grip = pool->n_components[FIRN_FIELD_GRIP],
                         .has_start = pool->n_components[FIRN_FIELD_START],
                         .n_C = pool->n_components[FIRN_FIELD_C],
                         .account = pool->account};
        strcpy(p.name, pool->material.name);
        strncpy(p.law, pool->material.law->info.name, sizeof p.law - 1);
        pass(w, &p, sizeof p);
        pass_pool_data(w, pool, p.n_C);
    }
}

firn_status firn_save_stream(firn_sim *sim, firn_save_put *put, void *user, size_t *n_bytes, firn_report *report)
{
    *n_bytes = 0;
    if (sim->is_empty)
        return firn_report_add(report, FIRN_STOPPED, "the simulation is empty: a restore failed half way");
    if (sim->is_spoiled)
        return firn_report_add(report, FIRN_STOPPED, "the state at t = %.9g s is not saved: it is not finite",
                               sim->time);
    walk w = {.put = put, .user = user};
    walk_out(&w, sim);
    *n_bytes = w.n_bytes;
    return FIRN_OK;
}

firn_status firn_sim_save(firn_sim *sim, void **state, size_t *n_bytes, firn_report *report)
{
    *state = NULL, *n_bytes = 0;
    if (!sim) return firn_report_add(report, FIRN_USAGE, "firn_sim_save: there is no simulation (NULL)");
    firn_status status = firn_save_stream(sim, NULL, NULL, n_bytes, report);
    if (status != FIRN_OK) return status;
    *state = firn_memory_allocate(&sim->memory, *n_bytes);
    if (!*state) {
        status = firn_report_add(report, FIRN_MEMORY, "no memory for a checkpoint of %.1f MB", (double)*n_bytes / 1e6);
        return *n_bytes = 0, status;
    }
    walk write = {.at = *state, .end = (char *)*state + *n_bytes};
    walk_out(&write, sim);
    return FIRN_OK;
}

void firn_sim_release_state(firn_sim *sim, void *state, size_t n_bytes)
{
    firn_memory_release(&sim->memory, state, n_bytes);
}

uint64_t firn_sim_hash(firn_sim *sim)
{
    /* the particles alone, in their order: what a restored or re-threaded run must share */
    firn_hash hash;
    firn_hash_init(&hash);
    for (int m = 0; m < sim->n_pools; m++) {
        const firn_pool *pool = &sim->pools[m];
        for (int f = 0; f < FIRN_N_FIELDS; f++)
            if (pool->n_components[f] && !firn_field_is_remembered(f))
                firn_hash_update(&hash, pool->field[f], firn_pool_field_bytes(pool, f, pool->n_bundles));
        firn_hash_update(&hash, pool->blocks, (size_t)pool->n_blocks * sizeof *pool->blocks);
    }
    firn_hash_update(&hash, &sim->time, sizeof sim->time);
    return firn_hash_value(&hash);
}

/* ---------------------------------------------------------------- restoring */

static firn_status check_header(const firn_sim *sim, const header *h, firn_report *report)
{
    header mine = header_of(sim);
    if (memcmp(h->magic, save_magic, sizeof h->magic) != 0)
        return firn_report_add(report, FIRN_REFUSED, "this is not a saved state of firn");
    if (h->version != SAVE_VERSION || h->byte_order != mine.byte_order)
        return firn_report_add(report, FIRN_REFUSED,
                               "the saved state has version %u; this firn reads version %d of its own kind of machine",
                               h->version, SAVE_VERSION);
    if (h->real_size != mine.real_size)
        return firn_report_add(report, FIRN_REFUSED,
                               "the saved state is in %s precision; the precision of a run cannot change",
                               h->real_size == 8 ? "double" : "float");
    if (h->h != mine.h)
        return firn_report_add(report, FIRN_REFUSED, "the saved state has dx = %g m, the scene %g m; dx cannot change",
                               h->h, mine.h);
    if (h->n_pools != mine.n_pools)
        return firn_report_add(report, FIRN_REFUSED,
                               "the saved state has %u materials, the scene %u; their number cannot change", h->n_pools,
                               mine.n_pools);
    if (h->n_grips != mine.n_grips || h->n_emitters != mine.n_emitters)
        return firn_report_add(report, FIRN_REFUSED,
                               "the saved state has %u grips and %u emitters, the scene %u and %u; their number cannot "
                               "change",
                               h->n_grips, h->n_emitters, mine.n_grips, mine.n_emitters);
    return FIRN_OK;
}

static firn_status read_pool(firn_pool *pool, walk *w, firn_report *report)
{
    pool_header p;
    pass(w, &p, sizeof p);
    p.name[FIRN_NAME - 1] = p.law[FIRN_NAME - 1] = 0;
    if (w->is_short) return firn_report_add(report, FIRN_REFUSED, "the saved state ends too early");
    if (strcmp(p.name, pool->material.name) != 0 || p.n_history != pool->n_components[FIRN_FIELD_HISTORY] ||
        p.has_grip != pool->n_components[FIRN_FIELD_GRIP] || p.has_start != pool->n_components[FIRN_FIELD_START])
        return firn_report_add(report, FIRN_REFUSED,
                               "the saved state has material '%s' (law %s, %d history fields) where the scene has '%s' "
                               "(law %s, %d): they must agree",
                               p.name, p.law, p.n_history, pool->material.name, pool->material.law->info.name,
                               pool->n_components[FIRN_FIELD_HISTORY]);
    size_t left = (size_t)(w->end - w->at);
    if (p.n_bundles < 0 || p.n_blocks < 0 || (p.n_C != 0 && p.n_C != 9) || (size_t)p.n_bundles > left / (24 * 16 * 4) ||
        (size_t)p.n_blocks > left / sizeof(firn_pool_block))
        return firn_report_add(report, FIRN_REFUSED, "the saved state claims more particles than it has room for");
    pool->n_bundles = 0, pool->n_blocks = 0; /* nothing of the present is kept */
    if (firn_pool_reserve(pool, p.n_bundles, p.n_blocks) != FIRN_OK)
        return firn_report_add(report, FIRN_MEMORY, "no memory to restore %lld particles", (long long)p.n_particles);
    pool->n_bundles = p.n_bundles, pool->n_blocks = p.n_blocks, pool->n_particles = p.n_particles;
    pool->account = p.account;
    pass_pool_data(w, pool, p.n_C);
    if (w->is_short) return firn_report_add(report, FIRN_REFUSED, "the saved state ends too early");
    int64_t n = 0, bundle = 0;
    for (int32_t b = 0; b < pool->n_blocks; b++) {
        const firn_pool_block *block = &pool->blocks[b];
        if (block->n < 0 || block->first < bundle || block->first > pool->n_bundles ||
            !firn_grid_is_reachable(block->coord))
            return firn_report_add(report, FIRN_REFUSED, "block %d of the saved state is not consistent", b);
        n += block->n, bundle = block->first + firn_bundles_of(block->n); /* see sinks.c */
    }
    if (n != pool->n_particles || bundle > pool->n_bundles)
        return firn_report_add(report, FIRN_REFUSED, "the saved state's blocks do not add up to its particles");
    return FIRN_OK;
}

/* What is left when a restore fails half way: nothing that could be taken for a state. */
static void empty(firn_sim *sim)
{
    for (int m = 0; m < sim->n_pools; m++)
        sim->pools[m].n_particles = sim->pools[m].n_bundles = 0, sim->pools[m].n_blocks = 0;
    sim->is_empty = 1;
}

static firn_status read_state(firn_sim *sim, walk *w, const header *h, firn_report *report)
{
    firn_memory_release(&sim->memory, sim->sources, (size_t)sim->source_capacity * sizeof *sim->sources);
    sim->sources = firn_memory_array(&sim->memory, h->n_sources, sizeof *sim->sources);
    sim->n_sources = sim->source_capacity = sim->sources ? (int)h->n_sources : 0;
    if (!sim->sources) return firn_report_add(report, FIRN_MEMORY, "no memory to restore where particles came from");
    pass_books(w, sim, h->n_colliders);
    firn_status status = FIRN_OK;
    for (int m = 0; m < sim->n_pools && status == FIRN_OK; m++) status = read_pool(&sim->pools[m], w, report);
    if (status != FIRN_OK) return status;
    sim->is_spoiled = 0, sim->must_sort = (int)h->must_sort, sim->next_id = h->next_id,
    sim->rate_is_viscous = h->rate_is_viscous, sim->rate_pool = h->rate_pool;
    sim->time = h->time, sim->dt = h->dt, sim->max_rate = h->max_rate, sim->max_speed = h->max_speed,
    sim->caution = h->caution;
    sim->n_steps = h->n_steps, sim->n_retries = h->n_retries, sim->n_sorts = h->n_sorts,
    sim->rate_particle = h->rate_particle;
    if (sim->rate_pool >= sim->n_pools) sim->rate_pool = -1;
    return firn_sort_rebuild(sim, report);
}

firn_status firn_sim_restore(firn_sim *sim, const void *state, size_t n_bytes, firn_report *report)
{
    if (!sim || !state)
        return firn_report_add(report, FIRN_USAGE, "firn_sim_restore: there is no %s (NULL)",
                               sim ? "state" : "simulation");
    walk w = {.at = (char *)state, .end = (char *)state + n_bytes, .is_reading = 1};
    header h;
    pass(&w, &h, sizeof h);
    if (w.is_short) return firn_report_add(report, FIRN_REFUSED, "the saved state ends too early");
    firn_status status = check_header(sim, &h, report);
    if (status != FIRN_OK) return status;
    if (h.n_sources > n_bytes / sizeof *sim->sources)
        return firn_report_add(report, FIRN_REFUSED, "the saved state is damaged");
    sim->is_empty = 0;
    status = read_state(sim, &w, &h, report);
    if (status != FIRN_OK) empty(sim);
    return status;
}
