/* SPDX-License-Identifier: MIT */
/* ledger.c: the ledger of one material or of all: the present sums over particles, which the method
 * measures, and the sums since the start (boundary.h).
 *
 * Balance of a material, with p the momentum and M the mass (exact to round-off):
 *
 *     p(t) - p(0) = int M g dt + walls + colliders + grips + forces + born - lost + transfer
 *
 * `transfer` is what other materials on the same nodes gave; it cancels in the sum of all.
 *
 * The bulk: along each axis the interval that leaves BULK_SHARE of the mass on either side, so that
 * a crumb that rolls away does not decide how far a pile has run out. Mass is counted in N_BINS bins
 * over the bounding box and interpolated within a bin: exact to 1/N_BINS of the box. */
#include "solver/sim.h"

#include <math.h>
#include <string.h>

void firn_ledger_clear(firn_ledger *l)
{
    *l = (firn_ledger){.min_J = INFINITY, .max_J = -INFINITY, .gap_particle = -1};
    for (int a = 0; a < 3; a++) {
        l->min[a] = INFINITY;
        l->max[a] = -INFINITY;
    }
}

void firn_ledger_add(firn_ledger *sum, const firn_ledger *l)
{
    sum->n_particles += l->n_particles;
    sum->mass += l->mass;
    sum->kinetic += l->kinetic;
    sum->elastic += l->elastic;
    sum->initial_volume += l->initial_volume;
    sum->volume += l->volume;
    sum->potential += l->potential;
    sum->thermal_energy += l->thermal_energy;
    sum->latent_energy += l->latent_energy;
    sum->melted_mass += l->melted_mass;
    for (int a = 0; a < 3; a++) {
        sum->center[a] += l->center[a];
        sum->momentum[a] += l->momentum[a];
        sum->angular_momentum[a] += l->angular_momentum[a];
        sum->min[a] = fmin(sum->min[a], l->min[a]);
        sum->max[a] = fmax(sum->max[a], l->max[a]);
    }
    sum->min_J = fmin(sum->min_J, l->min_J);
    sum->max_J = fmax(sum->max_J, l->max_J);
    sum->max_speed = fmax(sum->max_speed, l->max_speed);
    if (!(l->max_gap > sum->max_gap)) return;
    sum->max_gap = l->max_gap;
    sum->gap_stretch = l->gap_stretch;
    sum->gap_particle = l->gap_particle;
    memcpy(sum->gap_place, l->gap_place, sizeof sum->gap_place);
}

/* Adds the sums since the start. */
static void add_sums(firn_ledger *l, const firn_ledger_sums *a)
{
    for (int cause = 0; cause < FIRN_N_LOSSES; cause++) {
        l->n_lost_by[cause] += a->n_lost_by[cause];
        l->n_lost += a->n_lost_by[cause];
    }
    for (int kind = 0; kind < FIRN_N_BOUNDS; kind++) {
        l->n_bounded_by[kind] += a->n_bounded[kind];
        l->n_bounded += a->n_bounded[kind];
    }
    l->n_inverted += a->n_bounded[FIRN_BOUND_INVERTED];
    l->lost_mass += a->lost_mass;
    l->plastic_work += a->plastic;
    l->viscous_work += a->viscous;
    l->external_work += a->work;
    l->friction_work += a->friction;
    for (int c = 0; c < 3; c++) {
        l->wall_impulse[c] += a->impulse[FIRN_BOUNDARY_WALLS][c];
        l->collider_impulse[c] += a->impulse[FIRN_BOUNDARY_COLLIDERS][c];
        l->grip_impulse[c] += a->impulse[FIRN_BOUNDARY_GRIPS][c];
        l->force_impulse[c] += a->impulse[FIRN_BOUNDARY_FORCES][c];
    }
}

enum { N_BINS = 4096, PARTICLES_AT_ONCE = 256 };
static const double BULK_SHARE = 0.005;

typedef struct mass_bins {
    double mass[3][N_BINS];
} mass_bins;

/* Particles of one block, PARTICLES_AT_ONCE at a time. */
static void bin_block(const firn_sim *sim, firn_place at, const firn_ledger *l, mass_bins *bins)
{
    double x[3 * PARTICLES_AT_ONCE], mass[PARTICLES_AT_ONCE];
    int32_t n_of_block = sim->method->block_size(sim, at.material, at.block);
    for (at.index = 0; at.index < n_of_block; at.index += PARTICLES_AT_ONCE) {
        int n = n_of_block - at.index;
        if (n > PARTICLES_AT_ONCE) n = PARTICLES_AT_ONCE;
        sim->method->read(sim, at, n, FIRN_FIELD_X, x);
        sim->method->read(sim, at, n, FIRN_FIELD_MASS, mass);
        for (int a = 0; a < 3; a++) {
            double width = (l->max[a] - l->min[a]) / N_BINS;
            for (int p = 0; p < n; p++) {
                double bin = width > 0 ? (x[3 * p + a] - l->min[a]) / width : 0;
                bins->mass[a][bin < N_BINS ? (int)bin : N_BINS - 1] += mass[p];
            }
        }
    }
}

/* The place below which a share of the mass lies. */
static double place_of_share(const double mass[N_BINS], double share, double min, double max)
{
    double total = 0, below = 0;
    for (int k = 0; k < N_BINS; k++) total += mass[k];
    for (int k = 0; k < N_BINS; k++) {
        if (mass[k] > 0 && below + mass[k] >= share * total)
            return min + (max - min) * (k + (share * total - below) / mass[k]) / N_BINS;
        below += mass[k];
    }
    return max;
}

static firn_status measure_bulk(firn_sim *sim, int material, firn_ledger *l)
{
    mass_bins *bins = firn_memory_allocate(&sim->memory, sizeof *bins);
    if (!bins) return FIRN_MEMORY;
    firn_comm_sum_begin(&sim->comm, bins, sizeof *bins);
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; (material < 0 || m == material) && b < sim->method->n_blocks(sim, m);
             b++)
            bin_block(sim, (firn_place){m, b, 0}, l, bins);
    firn_comm_sum_end(&sim->comm, bins, sizeof *bins);
    for (int a = 0; a < 3; a++) {
        l->bulk_min[a] = place_of_share(bins->mass[a], BULK_SHARE, l->min[a], l->max[a]);
        l->bulk_max[a] = place_of_share(bins->mass[a], 1 - BULK_SHARE, l->min[a], l->max[a]);
    }
    firn_memory_release(&sim->memory, bins, sizeof *bins);
    return FIRN_OK;
}

static void add_heat(firn_ledger *l, const firn_heat_sums *a)
{
    l->heat_born += a->born;
    l->heat_conducted += a->conducted;
    l->heat_colliders += a->colliders;
    l->heat_surroundings += a->surroundings;
    l->heat_sources += a->sources;
    l->heat_work += a->work;
    l->heat_lost += a->lost;
    l->n_heat_limited += a->n_limited;
}

/* center is a sum of m x until the end; with mass 0 it stays 0. */
firn_status firn_sim_ledger(firn_sim *sim, int material, firn_ledger *ledger,
                            firn_messages *messages)
{
    if (!sim) return firn_messages_add(messages, FIRN_USAGE, "firn_sim_ledger: sim is NULL");
    if (material < -1 || material >= sim->n_materials)
        return firn_messages_add(
            messages, FIRN_USAGE,
            "firn_sim_ledger: unknown material (%d); allowed: 0 to %d, or -1 for all", material,
            sim->n_materials - 1);
    firn_ledger_clear(ledger);
    for (int m = 0; m < sim->n_materials; m++)
        if (material < 0 || m == material) {
            if (sim->method->ledger(sim, m, ledger) != FIRN_OK)
                return firn_messages_no_memory(messages, "ledger");
            add_sums(ledger, &sim->materials[m].sums);
            if (sim->heat) add_heat(ledger, &sim->heat->sums[m]);
        }
    const firn_force_peak *peak = material < 0 ? &sim->peak : &sim->materials[material].peak;
    ledger->peak_wall_force = peak->force[0];
    ledger->peak_collider_force = peak->force[1];
    strcpy(ledger->material, material < 0 ? "" : sim->materials[material].resolved.name);
    for (int a = 0; a < 3; a++) {
        if (ledger->mass > 0) ledger->center[a] /= ledger->mass;
        ledger->bulk_min[a] = ledger->min[a];
        ledger->bulk_max[a] = ledger->max[a];
    }
    if (ledger->n_particles && measure_bulk(sim, material, ledger) != FIRN_OK)
        return firn_messages_no_memory(messages, "ledger");
    return FIRN_OK;
}
