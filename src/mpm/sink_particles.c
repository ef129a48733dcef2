/* SPDX-License-Identifier: MIT */
/* sink_particles.c: deletion of particles by sinks.
 *
 * A particle that met a sink is deleted at the end of the step in place: the last particle of the
 * block takes its slot,
 *
 *     |a b c d|e f . .|     b deleted     |a f c d|e . . .|
 *
 * so that no sort is needed (in a hopper scene sorts took half of the time). The next sort closes
 * the gaps between blocks; it also deletes particles that were created inside a sink, passed a wall
 * of type delete, or are out of reach of the origin.
 *
 * Invariant: the first n lanes of a block are its particles, the rest are padding lanes. */
#include "mpm/heat.h"
#include "mpm/block_places.h"
#include "mpm/particle_boundary.h"

#include <math.h>

/* Until the next sort particles are within 3 sqrt 3 cells of the center of their block. */
static int reach(const firn_sim *sim, const int32_t coord[3], double time)
{
    double center[3];
    if (sim->n_sinks == 0) return 0;
    for (int a = 0; a < 3; a++) center[a] = firn_mpm_metres(sim, a, 4.0 * coord[a] + 1.5);
    return firn_sinks_reach(sim, center, 3 * sqrt(3.0) * sim->h, time);
}

int firn_sink_particles_may_delete(const firn_sim *sim, const int32_t coord[3])
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        const double low = firn_mpm_metres(sim, w / 2, 4.0 * (coord[w / 2] - 1)),
                     high = firn_mpm_metres(sim, w / 2, 4.0 * (coord[w / 2] + 2));
        if (grid->walls[w] == FIRN_WALL_DELETE &&
            (w & 1 ? high > grid->box_max[w / 2] : low < grid->box_min[w / 2]))
            return 1;
    }
    return reach(sim, coord, sim->time);
}

int firn_sink_particles_reach(const firn_sim *sim, const int32_t coord[3])
{
    return reach(sim, coord, sim->time + sim->dt);
}

/* Moves the last particle into the slot of the deleted one, all fields, and makes its lane
 * padding. */
static void take_out(firn_particles *particles, firn_particle_block *block, int p)
{
    const int64_t to = block->first + p / 16, from = block->first + (block->n - 1) / 16;
    const int lane = p % 16, last = (block->n - 1) % 16;
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        for (int c = 0; c < particles->n_components[f]; c++) {
            firn_particles_set(particles, f, to, c, lane,
                               firn_particles_value(particles, f, from, c, last));
            firn_particles_set(particles, f, from, c, last, firn_particles_blank(particles, f, c));
        }
    block->n--;
}

/* From the last particle to the first: the one that takes a slot has been tested already. */
void firn_sink_particles_drain(const firn_sim *sim, firn_particles *particles,
                               firn_particle_block *block, const void *before,
                               firn_block_report *report)
{
    for (int p = block->n - 1; p >= 0; p--) {
        double from[3], x[3];
        firn_block_place(sim, particles, block, p, x);
        firn_block_place_of(sim, block, p, before, from);
        if (!firn_sinks_take(sim, from, x)) continue;
        report->n_drained++;
        report->drained_mass +=
            firn_particles_value(particles, FIRN_FIELD_MASS, block->first + p / 16, 0, p % 16);
        if (sim->heat && particles->material->resolved.thermal.is_on)
            report->drained_heat +=
                firn_heat_particles_energy(particles, block->first + p / 16, p % 16);
        take_out(particles, block, p);
    }
    report->is_out_of_reach |= block->n == 0; /* a block without particles is no owner: sort */
}
