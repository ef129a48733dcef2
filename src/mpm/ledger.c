/* SPDX-License-Identifier: MIT */
/* ledger.c: the ledger of a material: mass, momenta, energies, work, extremes. SI units.
 *
 *   M = sum m              p = sum m v              kinetic = sum m v^2 / 2
 *   L = sum x x m v + m D eps:C     D = h^2/3 (cubic), h^2/4 (quadratic): the spin that APIC
 *                                   carries in C; without it APIC would seem to lose L
 *   elastic = sum V0 psi(F)         potential = - sum m g . x (uniform gravity only)
 *   max_gap                         see separation.c
 *
 * Center, L and potential are those of unwrapped positions, x plus the periods travelled along
 * periodic axes, so that crossing the box changes neither; bounds are those of the box.
 *
 * Blocks are summed one by one into records, and the records in their order: the same digits for
 * any number of threads. */
#include "mpm/separation.h"
#include "mpm/block_places.h"
#include "mpm/heat.h"
#include "mpm/ledger.h"
#include "mpm/plane.h"
#include "mpm/workspace.h"
#include "laws/history.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static double at(const void *array, int is_double, int64_t i)
{
    return is_double ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

/* det F times the plastic volume ratio, where the law's history has one */
double firn_particles_volume_ratio(const firn_particles *particles, int64_t bundle, int lane,
                                   const double F[9])
{
    const firn_law_info *law = &particles->material->resolved.law->info;
    int k = firn_history_find(law, FIRN_QUANTITY_PLASTIC_VOLUME);
    double elastic = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                     F[2] * (F[3] * F[7] - F[4] * F[6]);
    if (k < 0) return elastic;
    double stored = firn_particles_value(particles, FIRN_FIELD_HISTORY, bundle, k, lane);
    return elastic * firn_history_value(&law->history[k], stored);
}

/* The cube of a particle's edge; in plane strain its volume is edge^2 times a cell. */
static double size_of(const firn_sim *sim, double volume)
{
    return firn_plane_is(sim) ? pow(volume / sim->h, 1.5) : volume;
}

/* One particle: volume V0 J with J = det F J_p, spin m D eps:C, whose components are C_zy - C_yz
 * and so on. */
static void add_particle(const firn_sim *sim, const firn_particles *particles,
                         const firn_particle_block *block, int p, double energy, firn_ledger *l)
{
    int64_t b = block->first + p / 16;
    int lane = p % 16;
    double x[3], far[3], v[3], F[9],
        m = firn_particles_value(particles, FIRN_FIELD_MASS, b, 0, lane), v2 = 0;
    for (int a = 0; a < 3; a++) {
        x[a] = firn_block_metres(sim, block, a,
                                 firn_particles_value(particles, FIRN_FIELD_X, b, a, lane));
        far[a] = x[a];
        if (particles->n_components[FIRN_FIELD_IMAGE]) {
            const int beyond = firn_block_images(sim, a, x[a]);
            far[a] += firn_mpm_period(sim, a) *
                      firn_particles_value(particles, FIRN_FIELD_IMAGE, b, a, lane);
            x[a] -= beyond * firn_mpm_period(sim, a);
        }
        v[a] = firn_particles_value(particles, FIRN_FIELD_V, b, a, lane);
        v2 += v[a] * v[a];
    }
    for (int c = 0; c < 9; c++) F[c] = firn_particles_value(particles, FIRN_FIELD_F, b, c, lane);
    double J = firn_particles_volume_ratio(particles, b, lane, F);
    l->n_particles++;
    l->mass += m;
    l->kinetic += 0.5 * m * v2;
    double volume = firn_particles_value(particles, FIRN_FIELD_VOLUME, b, 0, lane);
    l->elastic += energy * volume;
    l->initial_volume += volume;
    l->volume += volume * J;
    for (int a = 0; a < 3; a++) {
        int j = (a + 1) % 3, k = (a + 2) % 3;
        l->center[a] += m * far[a];
        l->momentum[a] += m * v[a];
        l->angular_momentum[a] += m * (far[j] * v[k] - far[k] * v[j]);
        l->potential -= m * sim->scene.gravity[a] * far[a];
        l->min[a] = fmin(l->min[a], x[a]);
        l->max[a] = fmax(l->max[a], x[a]);
    }
    if (particles->transfer.is_affine) {
        double D = sim->h * sim->h / (particles->transfer.is_quadratic ? 4 : 3), C[9];
        for (int c = 0; c < 9; c++)
            C[c] = firn_particles_value(particles, FIRN_FIELD_C, b, c, lane);
        l->angular_momentum[0] += m * D * (C[7] - C[5]);
        l->angular_momentum[1] += m * D * (C[2] - C[6]);
        l->angular_momentum[2] += m * D * (C[3] - C[1]);
    }
    const firn_thermal *thermal = &particles->material->resolved.thermal;
    if (thermal->is_on) {
        const double melted = m * firn_particles_value(particles, FIRN_FIELD_LIQUID, b, 0, lane);
        l->thermal_energy += firn_heat_particles_energy(particles, b, lane);
        l->latent_energy += thermal->latent * melted;
        l->melted_mass += melted;
    }
    l->min_J = fmin(l->min_J, J);
    l->max_J = fmax(l->max_J, J);
    l->max_speed = fmax(l->max_speed, sqrt(v2));
    firn_separation_add(l, F, size_of(sim, fmin(volume, m / particles->material->resolved.density)),
                        sim->h, (int64_t)firn_particles_value(particles, FIRN_FIELD_ID, b, 0, lane),
                        x);
}

firn_status firn_particles_ledger(firn_sim *sim, int material, firn_ledger *ledger)
{
    const firn_particles *particles = &sim->mpm->particles[material];
    size_t bytes = (size_t)particles->n_blocks * sizeof(firn_ledger);
    firn_ledger *parts = firn_memory_allocate(&sim->memory, bytes);
    if (!parts) return FIRN_MEMORY;
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 4)
        for (int32_t i = 0; i < particles->n_blocks; i++) {
            const firn_particle_block *block = &particles->blocks[i];
            firn_law_batch batch = {
                .material = &particles->material->resolved,
                .n_bundles = firn_bundles_of(block->n),
                .F = firn_particles_at(particles, FIRN_FIELD_F, block->first),
                .history = firn_particles_at(particles, FIRN_FIELD_HISTORY, block->first),
                .temperature = firn_particles_at(particles, FIRN_FIELD_T, block->first),
                .liquid = firn_particles_at(particles, FIRN_FIELD_LIQUID, block->first),
                .id = firn_particles_at(particles, FIRN_FIELD_ID, block->first),
                .energy = w.energy,
            };
            particles->material->resolved.law->kernels[sim->variant].measure(&batch);
            firn_ledger_clear(&parts[i]);
            for (int p = 0; p < block->n; p++)
                add_particle(sim, particles, block, p,
                             at(w.energy, sim->mpm->kernels->is_double, p), &parts[i]);
        }
    }
    firn_ledger sum;
    firn_ledger_clear(&sum);
    firn_comm_sum_begin(&sim->comm, &sum, sizeof sum);
    for (int32_t i = 0; i < particles->n_blocks; i++) firn_ledger_add(&sum, &parts[i]);
    firn_comm_sum_end(&sim->comm, &sum, sizeof sum);
    firn_ledger_add(ledger, &sum);
    firn_memory_release(&sim->memory, parts, bytes);
    return FIRN_OK;
}
