/* SPDX-License-Identifier: MIT */
/* pressure.c: a pressure p(x, t) on the free surface of material, without the surface.
 *
 * Its force on node i is an integral over the surface, and by the divergence theorem one over
 * the material, which the particles have:
 *
 *     f_i = - int p n w_i dA = - int (p grad w_i + w_i grad p) dV
 *         = - sum V (p grad w_i + w_i grad p),   V = J V0
 *
 * The first term is a stress p I on top of the material's own, the second a body force. Inside
 * the material they cancel, to the order of the quadrature; a constant p gives no net force to
 * round-off, as sum grad w_i = 0. Where the material ends the force is - p n, whichever way the
 * surface moves, and nodes at walls and colliders pass it on to them.
 *
 * Where a pressure has shapes, p rises from 0 at their surface to its value at the depth `edge`,
 * as u^3 (10 - 15 u + 6 u^2): two particles a cell sum its slope over two cells to 1.003. Work
 * in a step: - sum V (p tr grad v + v . grad p) dt, with v and grad v after it. */
#include "mpm/pressure.h"
#include "base/messages.h"
#include "geometry/shape.h"
#include "laws/history.h"
#include "solver/force.h"

#include <math.h>
#include <string.h>

typedef struct pressure {
    firn_pressure_def def;
    int material;      /* -1: any */
    firn_shape *shape; /* NULL: everywhere */
    firn_force factor; /* keys and the factor of the present step alone */
    firn_force_key *keys;
} pressure;

/* What pressures gave a block of particles in a step. */
typedef struct given {
    double impulse[3], work;
} given;

struct firn_pressures {
    int n;
    pressure *items;
    given *given; /* [material][owner] */
    int64_t capacity;
};

static firn_status create_one(firn_sim *sim, const firn_scene_def *scene,
                              const firn_pressure_def *def, pressure *p, firn_messages *messages)
{
    const size_t n_bytes = (size_t)def->n_keys * sizeof *p->keys;
    p->def = *def;
    p->def.shapes = NULL;
    p->def.keys = NULL;
    p->material = -1;
    if (!(p->def.edge > 0)) p->def.edge = 2 * sim->h;
    for (int m = 0; m < scene->n_materials; m++)
        if (strcmp(scene->materials[m].name, def->material) == 0) p->material = m;
    if (def->n_keys) {
        p->keys = firn_memory_allocate(&sim->memory, n_bytes);
        if (!p->keys) return firn_messages_no_memory(messages, "pressure '%s'", def->name);
        memcpy(p->keys, def->keys, n_bytes);
    }
    p->factor.def.n_keys = def->n_keys;
    p->factor.keys = p->keys;
    if (!def->n_shapes) return FIRN_OK;
    const firn_shape_need need = {.depth = p->def.edge, .cell = sim->h};
    return firn_shape_create(def->n_shapes, def->shapes, need, &p->shape, messages);
}

firn_status firn_pressure_create(firn_sim *sim, const firn_scene_def *scene,
                                 firn_messages *messages)
{
    if (!scene->n_pressures) return FIRN_OK;
    struct firn_pressures *all = firn_memory_array(&sim->memory, 1, sizeof *all);
    if (!all) return firn_messages_no_memory(messages, "pressures");
    *all = (struct firn_pressures){.n = scene->n_pressures};
    sim->mpm->pressures = all;
    all->items = firn_memory_array(&sim->memory, (size_t)all->n, sizeof *all->items);
    if (!all->items) return firn_messages_no_memory(messages, "pressures");
    firn_status status = FIRN_OK;
    for (int i = 0; i < all->n && status == FIRN_OK; i++)
        status = create_one(sim, scene, &scene->pressures[i], &all->items[i], messages);
    return status;
}

void firn_pressure_clear(firn_sim *sim)
{
    struct firn_pressures *all = sim->mpm->pressures;
    if (!all) return;
    for (int i = 0; all->items && i < all->n; i++) {
        pressure *p = &all->items[i];
        firn_shape_destroy(p->shape);
        firn_memory_release(&sim->memory, p->keys, (size_t)p->def.n_keys * sizeof *p->keys);
    }
    firn_memory_release(&sim->memory, all->items, (size_t)all->n * sizeof *all->items);
    firn_memory_release(&sim->memory, all->given, (size_t)all->capacity * sizeof *all->given);
    firn_memory_release(&sim->memory, all, sizeof *all);
    sim->mpm->pressures = NULL;
}

firn_status firn_pressure_reserve(firn_sim *sim)
{
    struct firn_pressures *all = sim->mpm->pressures;
    const int64_t n = (int64_t)sim->mpm->grid.n_owners * sim->n_materials;
    if (!all || n <= all->capacity) return FIRN_OK;
    firn_memory_release(&sim->memory, all->given, (size_t)all->capacity * sizeof *all->given);
    all->capacity = n + n / 8;
    all->given = firn_memory_array(&sim->memory, (size_t)all->capacity, sizeof *all->given);
    if (!all->given) return all->capacity = 0, FIRN_MEMORY;
    return FIRN_OK;
}

void firn_pressure_prepare(firn_sim *sim)
{
    struct firn_pressures *all = sim->mpm->pressures;
    for (int i = 0; i < all->n; i++)
        firn_force_prepare(&all->items[i].factor, sim->time + 0.5 * sim->dt);
}

static given *given_to(const firn_sim *sim, int32_t owner, int material)
{
    return &sim->mpm->pressures
                ->given[(size_t)material * (size_t)sim->mpm->grid.n_owners + (size_t)owner];
}

/* ---------------------------------------------------------------- particles */

/* p and grad p of all pressures on a material at x. */
static double pressure_at(const firn_sim *sim, int material, const double x[3], double gradient[3])
{
    const struct firn_pressures *all = sim->mpm->pressures;
    double sum = 0;
    memset(gradient, 0, 3 * sizeof *gradient);
    for (int i = 0; i < all->n; i++) {
        const pressure *p = &all->items[i];
        if (p->material >= 0 && p->material != material) continue;
        const double most = p->factor.factor * p->def.pressure;
        if (!p->shape) {
            sum += most;
            continue;
        }
        firn_surface_point s;
        firn_shape_query(p->shape, x, sim->time, &s);
        const double u = fmin(1, -s.distance / p->def.edge);
        if (!(u > 0)) continue;
        const double slope = most * 30 * u * u * (1 - u) * (1 - u) / p->def.edge;
        sum += most * u * u * u * (10 + u * (6 * u - 15));
        for (int a = 0; a < 3; a++) gradient[a] -= slope * s.normal[a];
    }
    return sum;
}

/* Of one particle: V p and V grad p, V its volume now. */
static double load_of(const firn_sim *sim, const firn_block_material *r, int index,
                      double gradient[3])
{
    const firn_particles *p = r->particles;
    const firn_law_info *law = &p->material->resolved.law->info;
    const int64_t bundle = r->block->first + index / 16;
    const int lane = index % 16, k = firn_history_find(law, FIRN_QUANTITY_PLASTIC_VOLUME);
    double x[3], F[9];
    for (int a = 0; a < 3; a++)
        x[a] = firn_mpm_metres(sim, a,
                               4.0 * r->block->coord[a] +
                                   firn_particles_value(p, FIRN_FIELD_X, bundle, a, lane));
    for (int c = 0; c < 9; c++) F[c] = firn_particles_value(p, FIRN_FIELD_F, bundle, c, lane);
    double V = firn_particles_value(p, FIRN_FIELD_VOLUME, bundle, 0, lane) *
               (F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                F[2] * (F[3] * F[7] - F[4] * F[6]));
    if (k >= 0)
        V *= firn_history_value(&law->history[k],
                                firn_particles_value(p, FIRN_FIELD_HISTORY, bundle, k, lane));
    const double value = pressure_at(sim, r->material, x, gradient);
    for (int a = 0; a < 3; a++) gradient[a] *= V;
    return V * value;
}

static void add_real(const firn_sim *sim, void *array, int n_components, int index, int component,
                     double value)
{
    const size_t at = (size_t)(index / 16 * n_components + component) * 16 + (size_t)(index % 16);
    if (sim->mpm->kernels->is_double)
        ((double *)array)[at] += value;
    else
        ((float *)array)[at] += (float)value;
}

static double real_of(const firn_sim *sim, const void *array, int n_components, int index,
                      int component)
{
    const size_t at = (size_t)(index / 16 * n_components + component) * 16 + (size_t)(index % 16);
    return sim->mpm->kernels->is_double ? ((const double *)array)[at]
                                        : (double)((const float *)array)[at];
}

void firn_pressure_push(const firn_sim *sim, int32_t owner, firn_block_material *r,
                        const firn_workspace *w, int has_pull)
{
    const size_t lanes = (size_t)firn_bundles_of(r->block->n) * 16 * sim->mpm->kernels->real_size;
    given *to = given_to(sim, owner, r->material);
    *to = (given){{0}, 0};
    memcpy(w->try_tau, r->block_particles.payload.flux, 6 * lanes);
    if (!has_pull) memset(w->pull, 0, 3 * lanes);
    for (int i = 0; i < r->block->n; i++) {
        double gradient[3];
        const double Vp = load_of(sim, r, i, gradient),
                     V0 = firn_particles_value(r->particles, FIRN_FIELD_VOLUME,
                                               r->block->first + i / 16, 0, i % 16);
        for (int a = 0; a < 3; a++) {
            const double before = real_of(sim, w->pull, 3, i, a);
            if (V0 > 0) add_real(sim, w->try_tau, 6, i, a, Vp / V0);
            add_real(sim, w->pull, 3, i, a, -sim->dt * gradient[a]);
            to->impulse[a] += real_of(sim, w->pull, 3, i, a) - before; /* as it was rounded */
        }
    }
    r->block_particles.payload.flux = w->try_tau;
    r->block_particles.payload.extra = w->pull;
}

void firn_pressure_work(const firn_sim *sim, int32_t owner, const firn_block_material *r,
                        const firn_workspace *w)
{
    double power = 0;
    for (int i = 0; i < r->block->n; i++) {
        double gradient[3], div = 0;
        const double Vp = load_of(sim, r, i, gradient);
        for (int a = 0; a < 3; a++) {
            div += real_of(sim, w->grad_v, 9, i, 4 * a);
            power -= gradient[a] * firn_particles_value(r->particles, FIRN_FIELD_V,
                                                        r->block->first + i / 16, a, i % 16);
        }
        power -= Vp * div;
    }
    given_to(sim, owner, r->material)->work = sim->dt * power;
}

void firn_pressure_collect(const firn_sim *sim, int material, firn_ledger_sums *sums)
{
    const firn_particles *particles = &sim->mpm->particles[material];
    for (int32_t owner = 0; owner < sim->mpm->grid.n_owners; owner++) {
        if (particles->block_of_owner[owner] < 0) continue;
        const given *from = given_to(sim, owner, material);
        for (int a = 0; a < 3; a++) sums->impulse[FIRN_BOUNDARY_FORCES][a] += from->impulse[a];
        sums->work += from->work;
    }
}
