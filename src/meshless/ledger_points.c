/* SPDX-License-Identifier: MIT */
/* ledger_points.c: the ledger of a material whose particles are all there is: no affine part, no
 * grid.
 *
 *   elastic = sum V0 psi(F), and what stabilisation stores (gradient.c)
 *
 * Chunks are summed one by one and added in their order. max_gap stays 0: bonds do not depend on a
 * cell. */
#include "laws/history.h"
#include "meshless/gradient.h"
#include "meshless/heat_points.h"
#include "meshless/meshless.h"
#include "meshless/small3.h"

static double volume_ratio(const firn_particles *particles, int32_t p, const double F[9])
{
    const firn_law_info *law = &particles->material->resolved.law->info;
    const int k = firn_history_find(law, FIRN_QUANTITY_PLASTIC_VOLUME);
    const double elastic = small3_determinant(F);
    if (k < 0) return elastic;
    return elastic * firn_history_value(&law->history[k],
                                        firn_meshless_value(particles, FIRN_FIELD_HISTORY, p, k));
}

static void add_particle(const firn_sim *sim, int m, int32_t i, double energy, firn_ledger *l)
{
    const struct firn_meshless *s = sim->meshless;
    const firn_particles *particles = &s->particles[m];
    const int32_t p = i - s->first[m];
    const double *x = s->x + 3 * i, *v = s->v + 3 * i, mass = s->mass[i], volume = s->volume[i],
                 v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double F[9];
    firn_meshless_tensor(particles, FIRN_FIELD_F, p, 9, F);
    const double J = volume_ratio(particles, p, F);
    l->n_particles++;
    l->mass += mass;
    l->kinetic += 0.5 * mass * v2;
    l->elastic += energy * volume + (s->hooks->has_reference ? firn_gradient_held(sim, i) : 0);
    l->initial_volume += volume;
    l->volume += volume * J;
    for (int a = 0; a < 3; a++) {
        const int j = (a + 1) % 3, k = (a + 2) % 3;
        l->center[a] += mass * x[a];
        l->momentum[a] += mass * v[a];
        l->angular_momentum[a] += mass * (x[j] * v[k] - x[k] * v[j]);
        l->potential -= mass * sim->scene.gravity[a] * x[a];
        l->min[a] = fmin(l->min[a], x[a]);
        l->max[a] = fmax(l->max[a], x[a]);
    }
    l->min_J = fmin(l->min_J, J);
    l->max_J = fmax(l->max_J, J);
    l->max_speed = fmax(l->max_speed, sqrt(v2));
    const firn_thermal *thermal = &particles->material->resolved.thermal;
    if (!thermal->is_on) return;
    const double melted = mass * firn_meshless_value(particles, FIRN_FIELD_LIQUID, p, 0);
    l->thermal_energy += firn_heat_points_energy(sim, m, i);
    l->latent_energy += thermal->latent * melted;
    l->melted_mass += melted;
}

/* The columns x and v are current here: what changes the fields gathers them anew
 * (firn_meshless_changed). */
firn_status firn_meshless_ledger(firn_sim *sim, int material, firn_ledger *ledger)
{
    struct firn_meshless *s = sim->meshless;
    const int32_t first = s->first[material], n = s->first[material + 1] - first;
    const size_t bytes = ((size_t)n + 1) * sizeof(double),
                 part_bytes = FIRN_MESHLESS_CHUNKS * sizeof(firn_ledger);
    double *energy = firn_memory_allocate(&sim->memory, bytes);
    firn_ledger *parts = firn_memory_allocate(&sim->memory, part_bytes);
    firn_status status = energy && parts ? FIRN_OK : FIRN_MEMORY;
    if (status == FIRN_OK) {
        firn_meshless_energies(sim, material, energy);
#pragma omp parallel for num_threads(sim->n_threads) schedule(dynamic, 1)
        for (int chunk = 0; chunk < FIRN_MESHLESS_CHUNKS; chunk++) {
            const firn_meshless_range range = firn_meshless_chunk(s, material, chunk);
            firn_ledger_clear(&parts[chunk]);
            for (int32_t i = range.first; i < range.end; i++)
                add_particle(sim, material, i, energy[i - first], &parts[chunk]);
        }
        for (int chunk = 0; chunk < FIRN_MESHLESS_CHUNKS; chunk++)
            firn_ledger_add(ledger, &parts[chunk]);
    }
    firn_memory_release(&sim->memory, energy, bytes);
    firn_memory_release(&sim->memory, parts, part_bytes);
    return status;
}
