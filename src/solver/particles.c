/* SPDX-License-Identifier: MIT */
/* particles.c: births of particles for every method, their ids and sources.
 *
 * Ids count up from 0 over the whole run and are never used twice, so they identify a particle
 * across frames; a source (body or emitter) is a range of ids, found by bisection. A birth that
 * fails leaves counters and sources as they were. */
#include "solver/paint.h"
#include "solver/sim.h"

#include <stdio.h>
#include <string.h>

static firn_status add_source(firn_sim *sim, const char *name, firn_messages *messages)
{
    if (sim->n_sources && strcmp(sim->sources[sim->n_sources - 1].name, name) == 0) return FIRN_OK;
    if (sim->n_sources == sim->source_capacity) {
        int capacity = sim->source_capacity ? 2 * sim->source_capacity : 8;
        firn_source *grown = firn_memory_array(&sim->memory, (size_t)capacity, sizeof *grown);
        if (!grown) return firn_messages_no_memory(messages, "sources of particles");
        if (sim->n_sources) memcpy(grown, sim->sources, (size_t)sim->n_sources * sizeof *grown);
        firn_memory_release(&sim->memory, sim->sources,
                            (size_t)sim->source_capacity * sizeof *grown);
        sim->sources = grown;
        sim->source_capacity = capacity;
    }
    sim->sources[sim->n_sources].first_id = sim->next_id;
    snprintf(sim->sources[sim->n_sources++].name, FIRN_NAME, "%s", name);
    return FIRN_OK;
}

/* The source of an id: bisection in the ranges, which are sorted by first_id. */
int firn_solver_source(const firn_sim *sim, uint32_t id)
{
    int low = 0, high = sim->n_sources; /* invariant: first_id[low] <= id < first_id[high] */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (sim->sources[middle].first_id <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int firn_solver_material(const firn_sim *sim, const char *name)
{
    for (int m = 0; m < sim->n_materials; m++)
        if (strcmp(sim->materials[m].resolved.name, name) == 0) return m;
    return -1;
}

/* All or nothing: a failed birth restores the counters of ids and sources. */
firn_status firn_solver_add(firn_sim *sim, int material, firn_newborn *born, const char *source,
                            firn_messages *messages)
{
    const int n_sources = sim->n_sources;
    const uint32_t next_id = sim->next_id;
    if (born->n == 0) return FIRN_OK;
    firn_status status = add_source(sim, source, messages);
    if (status == FIRN_OK &&
        (born->n > INT32_MAX ||
         firn_comm_allocate_ids(&sim->next_id, born->n, &born->first_id) != FIRN_OK))
        status =
            firn_messages_add(messages, FIRN_REFUSED,
                              "%s: more than 2^32 particles in all; try: fewer particles", source);
    firn_paint_born own = {0};
    if (status == FIRN_OK) status = firn_paint_newborn(sim, material, source, born, &own, messages);
    if (status == FIRN_OK) status = sim->method->add(sim, material, born, source, messages);
    firn_paint_newborn_drop(sim, &own);
    if (status != FIRN_OK) {
        sim->n_sources = n_sources;
        sim->next_id = next_id;
        return status;
    }
    sim->must_sort = 1;
    return FIRN_OK;
}

int64_t firn_sim_n_particles(const firn_sim *sim)
{
    int64_t n = 0;
    for (int m = 0; m < sim->n_materials; m++) n += sim->method->n_particles(sim, m);
    return n;
}
