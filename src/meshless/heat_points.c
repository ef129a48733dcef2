/* SPDX-License-Identifier: MIT */
/* heat_points.c: conduction of heat between particles, with latent heat, by the conservative
 * Laplacian. State as in mpm/heat_particles.c: specific enthalpy h, from which temperature and
 * liquid fraction follow.
 *
 *     m_i dh_i/dt = sum_j G_ij (T_j - T_i) + walls
 *     G_ij = 2 V_i V_j k_ij slope g_ij,  k_ij = 2 k_i k_j/(k_i + k_j),  slope = -W'(r)/r
 *     g_ij = x^T (K_i + K_j) x / (2 r^2),  K of sph_fluid.c; 1 for plain gradients
 *
 * On even neighbourhoods sum_j V_j slope x x^T = I makes it the Laplacian, k T''; K makes up for
 * what a surface cuts off, to some 4 % in the layer at the surface (without K it conducts .75). The harmonic mean keeps the flux continuous across a jump of k. G_ij =
 * G_ji to the last bit, so heat is conserved to round-off. After P. W. Cleary, J. J. Monaghan,
 * Conduction modelling using smoothed particle hydrodynamics, J. Comput. Phys. 148, 1999; latent heat
 * by enthalpy, as V. R. Voller, C. Prakash 1987.
 *
 * Walls. The layer of particles nearer than a spacing s to a wall with a condition has V/s of its
 * area, and y/k of material between it and the wall at distance y:
 *
 *     G_w = (V/s) / (1/film + y/k),  or (V/s) flux
 *
 * Sub-steps. Explicit; sum_j G_ij dt <= SAFETY m c makes each new temperature a mean of old ones, so
 * none leaves their range; latent heat only slows it down. Their number has no limit: mechanics, or
 * the frame, sets the step. */
#include "meshless/heat_points.h"
#include "meshless/small3.h"
#include "mpm/heat.h"

#include <math.h>
#include <string.h>

#define SAFETY 0.9
static const double nearest = 0.25; /* spacings: least distance to a wall */

/* ---------------------------------------------------------------- what is refused */

static firn_status refuse(const firn_sim *sim, const char *what, firn_messages *messages)
{
    return firn_messages_add(messages, FIRN_REFUSED,
                             "%s: method %s exchanges heat at walls alone; allowed: heat.walls; "
                             "try: method mpm",
                             what, sim->method->name);
}

firn_status firn_heat_points_check(const firn_sim *sim, firn_messages *messages)
{
    const firn_heat_def *def = &sim->scene.heat;
    if (!sim->heat) return FIRN_OK;
    if (def->film > 0) return refuse(sim, "heat.film", messages);
    if (def->n_sources) return refuse(sim, "heat.sources", messages);
    for (int i = 0; i < sim->scene.n_colliders; i++)
        if (isfinite(sim->scene.colliders[i].temperature) || sim->scene.colliders[i].heat_flux != 0)
            return refuse(sim, "colliders: temperature or heat_flux", messages);
    for (int m = 0; m < sim->n_materials; m++)
        if (sim->materials[m].resolved.thermal.emissivity > 0)
            return refuse(sim, "materials: emissivity", messages);
    return FIRN_OK;
}

/* No largest step: sub-steps are as many as conduction needs. */
double firn_heat_points_dt(firn_sim *sim)
{
    (void)sim;
    return INFINITY;
}

/* ---------------------------------------------------------------- enthalpy */

double firn_heat_points_energy(const firn_sim *sim, int material, int32_t i)
{
    const struct firn_meshless *s = sim->meshless;
    const int32_t p = i - s->first[material];
    return firn_heat_particles_energy(&s->particles[material], p / 16, p % 16);
}

static void add(firn_sim *sim, int m, int32_t i, double heat)
{
    struct firn_meshless *s = sim->meshless;
    const int32_t p = i - s->first[m];
    firn_heat_particles_add(&s->particles[m], p / 16, p % 16, heat / s->mass[i]);
}

void firn_heat_points_work(firn_sim *sim, int material, int32_t i, double work)
{
    const firn_thermal *th = &sim->materials[material].resolved.thermal;
    struct firn_meshless *s = sim->meshless;
    if (!th->is_on || !(work > 0)) return;
    const double heat = th->taylor_quinney * work * s->volume[i];
    if (heat > 0) add(sim, material, i, heat);
    s->work[i] = heat;
}

/* ---------------------------------------------------------------- a sub-step */

static firn_status reserve(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    if (s->near.pair_capacity <= s->weight_capacity) return FIRN_OK;
    firn_memory_release(&sim->memory, s->weight, (size_t)s->weight_capacity * sizeof *s->weight);
    s->weight_capacity = 0;
    s->weight = firn_memory_array(&sim->memory, (size_t)s->near.pair_capacity, sizeof *s->weight);
    if (!s->weight) return firn_messages_no_memory(messages, "pairs of particles");
    s->weight_capacity = s->near.pair_capacity;
    return FIRN_OK;
}

/* G_ij/k_ij of the pairs of a particle. */
static void weigh(struct firn_meshless *s, int32_t i)
{
    for (int64_t b = s->near.first[i]; b < s->near.first[i + 1]; b++) {
        const int32_t j = s->near.other[b];
        const double support = 0.5 * s->support * (s->spacing[i] + s->spacing[j]),
                     *K = s->correct + 9 * i, *L = s->correct + 9 * j;
        double x[3], sum = 0;
        firn_meshless_pair(s->x, i, j, x);
        const double r = firn_meshless_length(x);
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) sum += (K[3 * a + c] + L[3 * a + c]) * (x[a] * x[c]);
        s->weight[b] = r > 0 && r < support ? s->hold[i] * s->hold[j] *
                                                  s->kernel->slope(r, support) * (sum / (r * r))
                                            : 0;
    }
}

/* Temperature and conductivity of all particles, in columns heat_T and heat_k. */
static void read_state(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_thermal *th = &sim->materials[m].resolved.thermal;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            const firn_particles *particles = &s->particles[m];
            const int32_t p = i - s->first[m];
            const double T = firn_meshless_value(particles, FIRN_FIELD_T, p, 0);
            s->heat_T[i] = T;
            s->heat_k[i] = s->heat_c[i] = 0;
            if (!th->is_on) continue;
            const double f = firn_meshless_value(particles, FIRN_FIELD_LIQUID, p, 0);
            s->heat_k[i] = firn_thermal_conductivity(th, T, f);
            s->heat_c[i] = firn_thermal_capacity(th, T, f) * s->mass[i];
        }
    }
}

/* W into particle i by walls, and the conductance of that, W/K. */
static double from_walls(const firn_sim *sim, int32_t i, double *conductance)
{
    const struct firn_meshless *s = sim->meshless;
    const firn_grid_def *grid = &sim->scene.grid;
    double power = 0;
    *conductance = 0;
    for (int w = 0; w < 6; w++) {
        const firn_heat_wall_def *wall = &sim->heat->walls[w];
        if (wall->wall < 0) continue;
        const double x = s->x[3 * i + w / 2], spacing = s->spacing[i],
                     y = w & 1 ? grid->box_max[w / 2] - x : x - grid->box_min[w / 2];
        if (y >= spacing) continue;
        const double area = s->hold[i] / spacing;
        power += area * wall->flux;
        if (!isfinite(wall->temperature)) continue;
        const double G = area / ((isfinite(wall->film) ? 1 / wall->film : 0) +
                                 fmax(y, nearest * spacing) / fmax(s->heat_k[i], 1e-300));
        *conductance += G;
        power += G * (wall->temperature - s->heat_T[i]);
    }
    return power;
}

static double conductance_of(const struct firn_meshless *s, int32_t i, int64_t b)
{
    const double k = s->heat_k[i], l = s->heat_k[s->near.other[b]], sum = k + l;
    return sum > 0 ? s->weight[b] * (2 * (k * l) / sum) : 0;
}

/* heat_rate = sum_j G_ij (T_j - T_i) + walls, W, in column heat_rate; returns the largest rate at
 * which a temperature follows, 1/s. Maxima do not depend on the order. */
static double find_rates(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    double most = 0;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static) reduction(max : most)
    for (int32_t i = 0; i < s->n; i++) {
        double power = 0, total = 0, by_walls;
        if (!(s->heat_c[i] > 0)) {
            s->heat_rate[i] = 0;
            continue;
        }
        for (int64_t b = s->near.first[i]; b < s->near.first[i + 1]; b++) {
            const double G = conductance_of(s, i, b);
            power += G * (s->heat_T[s->near.other[b]] - s->heat_T[i]);
            total += G;
        }
        s->heat_rate[i] = power + from_walls(sim, i, &by_walls);
        most = fmax(most, (total + by_walls) / s->heat_c[i]);
    }
    return most;
}

/* Adds what a sub-step brings, and its part of the ledger: in the order of particles. */
static firn_status apply(firn_sim *sim, double dt, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++) {
        if (!sim->materials[m].resolved.thermal.is_on) continue;
        double sum = 0;
        int32_t bad = -1;
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            if (!isfinite(s->heat_rate[i]) && bad < 0) bad = i;
            sum += dt * s->heat_rate[i];
        }
        if (bad >= 0) {
            sim->is_spoiled = 1;
            return firn_messages_add(
                messages, FIRN_STOPPED,
                "heat at t = %.9g s: material '%s', particle %d: the temperature is not finite",
                sim->time, sim->materials[m].resolved.name, bad - s->first[m]);
        }
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++)
            if (s->heat_rate[i] != 0) add(sim, m, i, dt * s->heat_rate[i]);
        sim->heat->sums[m].conducted += sum;
    }
    return FIRN_OK;
}

static void sum_work(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            sim->heat->sums[m].work += s->work[i];
            s->work[i] = 0;
        }
}

firn_status firn_heat_points_step(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    if (!sim->heat) return FIRN_OK;
    const firn_status status = reserve(sim, messages);
    if (status != FIRN_OK) return status;
    sum_work(sim);
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) weigh(s, i);
    double left = sim->dt;
    sim->heat->n_substeps = 0;
    while (left > 0) {
        read_state(sim);
        const double rate = find_rates(sim);
        /* the rest is divided evenly, so that no sub-step is a sliver */
        const double n = rate > 0 ? ceil(left * rate / SAFETY) : 1, dt = n > 1 ? left / n : left;
        const firn_status applied = apply(sim, dt, messages);
        if (applied != FIRN_OK) return applied;
        left = n > 1 ? left - dt : 0;
        sim->heat->n_substeps++;
    }
    return FIRN_OK;
}
