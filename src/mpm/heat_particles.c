/* SPDX-License-Identifier: MIT */
/* heat_particles.c: what particles give to nodes and take from them.
 *
 * State: enthalpy h in two reals (the second holds the digits that the first has no room for, so
 * that float loses none to many small steps), from which temperature and liquid fraction follow;
 * the affine part g of temperature; what the limiter took, which returns with the next sub-step.
 *
 * The surface of the material. With fill(x) the share of space that is filled, smoothed by the
 * spline twice (particles to nodes, nodes to particles), the area of a particle is
 *
 *     A_p = 12 V |grad fill| fill (1 - fill)     sum A_p = A: int_{1/2}^{1} 12 f (1 - f) df = 1
 *
 * across a flat surface, its normal -grad fill, and its distance to the surface
 * d = s Q(fill), Q the quantile of the normal distribution, s^2 = 2 D = 2 h^2/3 (cubic), h^2/2
 * (quadratic). This weight is flat at the surface, so that a sum over few layers is an integral,
 * and its errors by curvature cancel to first order; inside, where fill only ripples around 1,
 * (1 - fill) keeps ripples small. Edges, which smoothing rounds, have fill < 1/2, where the
 * weight 3 + 36 (1/2 - fill) makes up for it.
 *
 * Exchange with surroundings at T_e through a film coefficient is a condition on nodes, implicit in
 * their temperature: with G_p = film A_p dt at the surface x_p + d n
 *
 *     dT_i = (R_i + sum w G (T_e - T_i)) / (C_i + sum w G)
 *
 * so that sum_i w_i T_i, which is T at the surface for linear temperatures, is held to T_e. */
#include "mpm/block_loops.h"
#include "mpm/block_places.h"
#include "mpm/heat.h"
#include "laws/history.h"

#include <math.h>
#include <string.h>

#define STEFAN_BOLTZMANN 5.670374419e-8 /* W/(m^2 K^4) */

typedef struct point {
    int64_t bundle;
    int lane;
    size_t at1, at3, at6, at9; /* places in arrays of one, three, six, nine components */
    double mass, volume, T, f, c, k;
} point;

static double value(const firn_particles *p, firn_field field, const point *q, int component)
{
    return firn_particles_value(p, field, q->bundle, component, q->lane);
}

/* J = det F times the plastic volume ratio, bounded away from inversion. */
static double volume_ratio(const firn_particles *p, const point *q)
{
    double F[9];
    for (int c = 0; c < 9; c++) F[c] = value(p, FIRN_FIELD_F, q, c);
    double J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
               F[2] * (F[3] * F[7] - F[4] * F[6]);
    const firn_law_info *law = &p->material->resolved.law->info;
    const int k = firn_history_find(law, FIRN_QUANTITY_PLASTIC_VOLUME);
    if (k >= 0) J *= firn_history_value(&law->history[k], value(p, FIRN_FIELD_HISTORY, q, k));
    return fmin(fmax(J, 0.1), 10);
}

static point point_of(const firn_block_material *r, int i)
{
    const firn_thermal *th = &r->particles->material->resolved.thermal;
    const size_t b = (size_t)i / 16, lane = (size_t)i % 16;
    point q = {.bundle = r->block->first + i / 16,
               .lane = i % 16,
               .at1 = b * 16 + lane,
               .at3 = b * 48 + lane,
               .at6 = b * 96 + lane,
               .at9 = b * 144 + lane};
    q.mass = value(r->particles, FIRN_FIELD_MASS, &q, 0);
    q.volume = value(r->particles, FIRN_FIELD_VOLUME, &q, 0) * volume_ratio(r->particles, &q);
    q.T = value(r->particles, FIRN_FIELD_T, &q, 0);
    q.f = value(r->particles, FIRN_FIELD_LIQUID, &q, 0);
    q.c = firn_thermal_capacity(th, q.T, q.f);
    q.k = firn_thermal_conductivity(th, q.T, q.f);
    return q;
}

/* ---------------------------------------------------------------- enthalpy */

/* h += dh, with what the first real loses in the second (Kahan's sum, over steps). */
static double add_enthalpy(firn_particles *p, int64_t bundle, int lane, double dh)
{
    const double high = firn_particles_value(p, FIRN_FIELD_ENTHALPY, bundle, 0, lane);
    const double low = firn_particles_value(p, FIRN_FIELD_ENTHALPY, bundle, 1, lane) + dh;
    firn_particles_set(p, FIRN_FIELD_ENTHALPY, bundle, 0, lane, high + low);
    const double stored = firn_particles_value(p, FIRN_FIELD_ENTHALPY, bundle, 0, lane);
    firn_particles_set(p, FIRN_FIELD_ENTHALPY, bundle, 1, lane, low - (stored - high));
    return stored + firn_particles_value(p, FIRN_FIELD_ENTHALPY, bundle, 1, lane);
}

/* Temperature and liquid fraction of the new enthalpy; thermal expansion of a free particle is
 * taken out of its elastic F, so that a clamped one is stressed. Returns T. */
static double set_enthalpy(firn_particles *p, int64_t bundle, int lane, double h)
{
    const firn_thermal *th = &p->material->resolved.thermal;
    double f = firn_particles_value(p, FIRN_FIELD_LIQUID, bundle, 0, lane);
    const double before = firn_particles_value(p, FIRN_FIELD_T, bundle, 0, lane),
                 T = firn_thermal_temperature(th, h, &f);
    firn_particles_set(p, FIRN_FIELD_T, bundle, 0, lane, T);
    firn_particles_set(p, FIRN_FIELD_LIQUID, bundle, 0, lane, f);
    if (th->expansion == 0 || T == before) return T;
    const double shrink = exp(-th->expansion * (T - before));
    for (int c = 0; c < 9; c++)
        firn_particles_set(p, FIRN_FIELD_F, bundle, c, lane,
                           shrink * firn_particles_value(p, FIRN_FIELD_F, bundle, c, lane));
    return T;
}

void firn_heat_particles_add(firn_particles *p, int64_t bundle, int lane, double dh)
{
    set_enthalpy(p, bundle, lane, add_enthalpy(p, bundle, lane, dh));
}

double firn_heat_particles_energy(const firn_particles *p, int64_t bundle, int lane)
{
    return firn_particles_value(p, FIRN_FIELD_MASS, bundle, 0, lane) *
           (firn_particles_value(p, FIRN_FIELD_ENTHALPY, bundle, 0, lane) +
            firn_particles_value(p, FIRN_FIELD_ENTHALPY, bundle, 1, lane) +
            firn_particles_value(p, FIRN_FIELD_HEAT_REST, bundle, 0, lane));
}

void firn_heat_particles_begin(firn_sim *sim, firn_particles *p, int64_t bundle, int lane, double T)
{
    const firn_thermal *th = &p->material->resolved.thermal;
    if (!th->is_on) return;
    const double h = firn_thermal_enthalpy(th, T),
                 before = firn_heat_particles_energy(p, bundle, lane);
    firn_particles_set(p, FIRN_FIELD_ENTHALPY, bundle, 0, lane, h);
    firn_particles_set(p, FIRN_FIELD_ENTHALPY, bundle, 1, lane,
                       h - firn_particles_value(p, FIRN_FIELD_ENTHALPY, bundle, 0, lane));
    firn_particles_set(p, FIRN_FIELD_LIQUID, bundle, 0, lane, firn_thermal_fraction(th, T));
    firn_particles_set(p, FIRN_FIELD_HEAT_REST, bundle, 0, lane, 0);
    sim->heat->sums[p->material - sim->materials].born +=
        firn_heat_particles_energy(p, bundle, lane) - before;
    sim->heat->dt = 0;
}

void firn_heat_particles_work(firn_sim *sim, const firn_block_material *r, const firn_workspace *w)
{
    firn_particles *p = r->particles;
    const firn_thermal *th = &p->material->resolved.thermal;
    const int is_double = sim->mpm->kernels->is_double;
    if (!th->is_on || !(th->taylor_quinney > 0)) return;
    firn_heat_report *report =
        &sim->mpm->heat->reports[(size_t)r->material * (size_t)sim->mpm->grid.n_owners +
                                 (size_t)r->block->owner];
    double sum = 0;
    for (int i = 0; i < r->block->n; i++) {
        const double work = firn_heat_real(w->plastic, is_double, (size_t)i) +
                            firn_heat_real(w->viscous, is_double, (size_t)i);
        if (!(work > 0)) continue;
        const int64_t b = r->block->first + i / 16;
        const double heat =
            th->taylor_quinney * work * firn_particles_value(p, FIRN_FIELD_VOLUME, b, 0, i % 16);
        const double mass = firn_particles_value(p, FIRN_FIELD_MASS, b, 0, i % 16);
        firn_heat_particles_add(p, b, i % 16, heat / mass);
        sum += heat;
    }
    report->work = sum;
}

/* ---------------------------------------------------------------- to nodes */

/* value: T, V/(m c), diffusivity; affine row 0: g; weight: m c. Padding weighs nothing. */
void firn_heat_particles_load(const firn_sim *sim, firn_block_material *r, const firn_workspace *w,
                              firn_heat_report *report)
{
    const int is_double = sim->mpm->kernels->is_double, n = 16 * firn_bundles_of(r->block->n);
    const size_t real = sim->mpm->kernels->real_size;
    memset(w->before, 0, (size_t)n * 3 * real);
    memset(w->wave, 0, (size_t)n * real);
    memset(w->try_tau, 0, (size_t)n * 6 * real);
    if (r->transfer.is_affine) memset(w->grad_v, 0, (size_t)n * 9 * real);
    report->alpha = 0;
    report->is_bad = 0;
    for (int i = 0; i < r->block->n; i++) {
        const point q = point_of(r, i);
        const double heat = q.mass * q.c, alpha = q.k * q.volume / heat;
        firn_heat_put(w->before, is_double, q.at3, q.T - sim->heat->reference);
        firn_heat_put(w->before, is_double, q.at3 + 16, q.volume / heat);
        firn_heat_put(w->before, is_double, q.at3 + 32, alpha);
        firn_heat_put(w->wave, is_double, q.at1, heat);
        for (int a = 0; a < 3 && r->transfer.is_affine; a++)
            firn_heat_put(w->grad_v, is_double, q.at9 + (size_t)a * 16,
                          value(r->particles, FIRN_FIELD_T_GRADIENT, &q, a));
        report->alpha = fmax(report->alpha, alpha);
    }
    r->block_particles.payload = (firn_payload){.value = w->before,
                                                .affine = r->transfer.is_affine ? w->grad_v : NULL,
                                                .flux = w->try_tau,
                                                .weight = w->wave,
                                                .volume = r->block_particles.payload.volume};
}

/* ---------------------------------------------------------------- surfaces */

typedef struct surface {
    double area, depth, normal[3]; /* m^2, m, outward */
} surface;

/* The quantile of the normal distribution, for 1/2 <= p < 1; within 4.5e-4 (M. Abramowitz, I. A.
 * Stegun, Handbook of Mathematical Functions, 1964, 26.2.23). */
static double quantile(double p)
{
    const double t = sqrt(-2 * log(1 - p));
    return fmax(0, t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                           (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
}

/* 0: the particle is not at a surface. values, gradients: row 1 is the fill. */
static int surface_at(const firn_sim *sim, const firn_block_material *r, const firn_workspace *w,
                      const void *values, const point *q, surface *s)
{
    const int is_double = sim->mpm->kernels->is_double;
    const double fill = firn_heat_real(values, is_double, q->at3 + 16);
    double slope = 0, g[3];
    if (!(fill < 0.97)) return 0;
    for (int a = 0; a < 3; a++) {
        g[a] = firn_heat_real(w->grad_v, is_double, q->at9 + (size_t)(3 + a) * 16);
        slope += g[a] * g[a];
    }
    slope = sqrt(slope);
    if (!(slope * sim->h > 1e-3)) return 0;
    for (int a = 0; a < 3; a++) s->normal[a] = -g[a] / slope;
    s->area = q->volume * slope * (fill > 0.5 ? 12 * fill * (1 - fill) : 3 + 36 * (0.5 - fill));
    s->depth =
        (r->transfer.is_quadratic ? M_SQRT1_2 : sqrt(2.0 / 3)) * sim->h * quantile(fmax(fill, 0.5));
    return 1;
}

/* The collider that covers a surface; -1: it is free. A body touches on the grid up to a cell and a
 * half early. */
static int cover_of(const firn_sim *sim, const double x[3])
{
    int nearest = -1;
    double least = 1.5 * sim->h;
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_collider *collider = &sim->colliders[c];
        if (sim->time < collider->def.start || sim->time >= collider->def.stop) continue;
        const double d = firn_contact_distance(collider, x, sim->time);
        if (!(d < least)) continue;
        least = d;
        nearest = c;
    }
    return nearest;
}

/* The conductance that lumping on nodes needs for a film coefficient. In units of k/h, with F on
 * the nodes w_i(x_s) around a surface, a steady linear temperature reaches T_e at 1/F - o(F)
 * cells beyond the surface instead of 1/F, as nodes inside are held too: o = .077, .17, .26, .31
 * at F = .25, 1, 2, 3 (cubic; solved for the discrete half space, averaged over its places in a
 * cell). What gives the right distance is, within 2 %, film/(1 + (film/a)^1.3)^(1/1.3), where a
 * = 3.1 (cubic) or 3.6 (quadratic) is perfect contact. */
static double film_of(const firn_sim *sim, double film, const point *q)
{
    const double cell = q->k / sim->h,
                 most = (sim->scene.grid.spline == FIRN_QUADRATIC ? 3.6 : 3.1) * cell;
    if (!isfinite(film)) return most;
    return most > 0 ? film / pow(1 + pow(film / most, 1.3), 1 / 1.3) : film;
}

/* The exchange of a surface: conductance (J/K), the temperature outside (relative to the
 * reference), what is deposited besides (J), and whether a collider covers it. */
typedef struct exchange {
    double G, T, deposit;
    int is_collider;
} exchange;

/* The wall with a flux or a film coefficient that covers a place; NULL: none. */
static const firn_heat_wall_def *wall_over(const firn_sim *sim, const double x[3])
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; w < 6; w++) {
        const firn_heat_wall_def *def = &sim->heat->walls[w];
        if (def->wall < 0 || (isfinite(def->temperature) && isinf(def->film))) continue;
        const int a = w / 2;
        if ((w & 1 ? grid->box_max[a] - x[a] : x[a] - grid->box_min[a]) < 1.5 * sim->h) return def;
    }
    return NULL;
}

/* Radiation is linear in T over a sub-step: a film coefficient eps sigma (T^2 + T_e^2)(T + T_e). */
static exchange exchange_of(const firn_sim *sim, const firn_thermal *th, const point *q,
                            const surface *s, const double x[3], double dt)
{
    const int cover = cover_of(sim, x);
    exchange e = {.is_collider = cover >= 0};
    if (cover >= 0) {
        const firn_collider_def *def = &sim->colliders[cover].def;
        e.deposit = def->heat_flux * s->area * dt;
        if (!isfinite(def->temperature)) return e;
        e.G = film_of(sim, def->heat_film, q) * s->area * dt;
        e.T = def->temperature - sim->heat->reference;
        return e;
    }
    const firn_heat_wall_def *wall = wall_over(sim, x);
    if (wall) {
        e.deposit = wall->flux * s->area * dt;
        if (!isfinite(wall->temperature)) return e;
        e.G = film_of(sim, wall->film, q) * s->area * dt;
        e.T = wall->temperature - sim->heat->reference;
        return e;
    }
    const double T = sim->scene.ambient_temperature;
    const double film = sim->heat->def.film +
                        th->emissivity * STEFAN_BOLTZMANN * (q->T * q->T + T * T) * (q->T + T);
    e.G = film > 0 ? film_of(sim, film, q) * s->area * dt : 0;
    e.T = T - sim->heat->reference;
    return e;
}

/* What sources deposit in a particle or, s given, at its surface, J. */
static double from_sources(const firn_sim *sim, const double x[3], const point *q, const surface *s,
                           double dt)
{
    double heat = 0;
    for (int i = 0; i < sim->heat->n_sources; i++) {
        const firn_heat_source *source = &sim->heat->sources[i];
        if (!source->is_active || (source->def.from == FIRN_FROM_SURFACE) != (s != NULL)) continue;
        if (firn_heat_source_distance(source, x) > 0) continue;
        heat += source->density * dt * (s ? s->area : q->mass);
    }
    return heat;
}

int firn_heat_particles_has_surfaces(const firn_sim *sim, const firn_thermal *th)
{
    int any = sim->heat->def.film > 0 || th->emissivity > 0;
    for (int w = 0; w < 6; w++)
        any |= sim->heat->walls[w].wall >= 0 &&
               !(isfinite(sim->heat->walls[w].temperature) && isinf(sim->heat->walls[w].film));
    for (int c = 0; c < sim->n_colliders; c++)
        any |= isfinite(sim->colliders[c].def.temperature) || sim->colliders[c].def.heat_flux != 0;
    for (int i = 0; i < sim->heat->n_sources; i++)
        any |= sim->heat->sources[i].def.from == FIRN_FROM_SURFACE;
    return any;
}

void firn_heat_particles_measure(const firn_sim *sim, const firn_block_material *r,
                                 const firn_workspace *w, double *measure)
{
    for (int i = 0; i < r->block->n; i++) {
        const point q = point_of(r, i);
        double x[3];
        surface s;
        const int has_surface = surface_at(sim, r, w, w->before, &q, &s);
        firn_block_place(sim, r->particles, r->block, i, x);
        for (int k = 0; k < sim->heat->n_sources; k++) {
            const firn_heat_source *source = &sim->heat->sources[k];
            const int is_surface = source->def.from == FIRN_FROM_SURFACE;
            if (!source->is_active || (is_surface && !has_surface)) continue;
            if (firn_heat_source_distance(source, x) > 0) continue;
            measure[k] += is_surface ? s.area : q.mass;
        }
    }
}

/* ---------------------------------------------------------------- conduction and deposits */

/* flux = k J grad T: with it the payload adds dt V0 flux . (-grad w) to nodes. */
void firn_heat_particles_exchange(const firn_sim *sim, firn_block_material *r,
                                  const firn_workspace *w, double dt, firn_heat_report *report)
{
    const int is_double = sim->mpm->kernels->is_double, n = 16 * firn_bundles_of(r->block->n),
              sources = sim->heat->n_sources > 0;
    static const size_t row[3] = {0, 3 * 16, 4 * 16}; /* xx xy xz */
    const size_t real = sim->mpm->kernels->real_size;
    void *zeros = (char *)w->before + (size_t)n * 3 * real;
    memset(zeros, 0, (size_t)n * 3 * real);
    memset(w->wave, 0, (size_t)n * real);
    memset(w->pull, 0, (size_t)n * 3 * real);
    memset(w->try_tau, 0, (size_t)n * 6 * real);
    report->sums = (firn_heat_sums){0};
    report->conductance = 0;
    for (int i = 0; i < r->block->n; i++) {
        const point q = point_of(r, i);
        const double V0 = value(r->particles, FIRN_FIELD_VOLUME, &q, 0);
        double heat = 0, x[3];
        if (sources) {
            firn_block_place(sim, r->particles, r->block, i, x);
            heat = from_sources(sim, x, &q, NULL, dt);
            report->sums.sources += heat;
        }
        const double rest = q.mass * value(r->particles, FIRN_FIELD_HEAT_REST, &q, 0);
        report->sums.conducted -= heat + rest;
        for (int a = 0; a < 3; a++)
            firn_heat_put(w->try_tau, is_double, q.at6 + row[a],
                          q.k * q.volume / V0 *
                              firn_heat_real(w->grad_v, is_double, q.at9 + (size_t)a * 16));
        firn_heat_put(w->pull, is_double, q.at3, heat + rest);
        if (rest != 0)
            firn_particles_set(r->particles, FIRN_FIELD_HEAT_REST, q.bundle, 0, q.lane, 0);
    }
    r->block_particles.payload = (firn_payload){.value = zeros,
                                                .flux = w->try_tau,
                                                .weight = w->wave,
                                                .volume = r->block_particles.payload.volume,
                                                .extra = w->pull};
}

/* The place of a particle's surface, in cells of its block and within the reach of its patch. */
static void put_place(const firn_sim *sim, const firn_block_material *r, const point *q,
                      const surface *s, void *places)
{
    const int is_double = sim->mpm->kernels->is_double;
    for (int a = 0; a < 3; a++) {
        const double x = value(r->particles, FIRN_FIELD_X, q, a),
                     moved = x + (s ? s->depth * s->normal[a] / sim->h : 0);
        const double low = r->block_particles.lowest[a], high = r->block_particles.most[a] - 1e-4;
        firn_heat_put(places, is_double, q->at3 + (size_t)a * 16,
                      s ? fmin(fmax(moved, low), high) : x);
    }
}

/* Payload at the surfaces: value T_e, T_e and 1 of colliders; weight G; deposits besides. */
void firn_heat_particles_surface(const firn_sim *sim, firn_block_material *r,
                                 const firn_workspace *w, double dt, firn_heat_report *report)
{
    const firn_thermal *th = &r->particles->material->resolved.thermal;
    const int is_double = sim->mpm->kernels->is_double, n = 16 * firn_bundles_of(r->block->n);
    const size_t real = sim->mpm->kernels->real_size;
    void *values = (char *)w->before + (size_t)n * 3 * real;
    memset(values, 0, (size_t)n * 3 * real);
    memset(w->wave, 0, (size_t)n * real);
    memset(w->pull, 0, (size_t)n * 3 * real);
    memset(w->try_tau, 0, (size_t)n * 6 * real);
    for (int i = 0; i < r->block->n; i++) {
        const point q = point_of(r, i);
        double x[3];
        surface s;
        const int has = surface_at(sim, r, w, w->before, &q, &s);
        put_place(sim, r, &q, has ? &s : NULL, w->before);
        if (!has) continue;
        firn_block_place(sim, r->particles, r->block, i, x);
        const exchange e = exchange_of(sim, th, &q, &s, x, dt);
        const double heat = from_sources(sim, x, &q, &s, dt);
        report->sums.sources += heat;
        report->sums.surroundings -= heat; /* the nodes book it with what the surroundings give */
        report->conductance += e.G;
        firn_heat_put(values, is_double, q.at3, e.T);
        firn_heat_put(values, is_double, q.at3 + 16, e.is_collider ? e.T : 0);
        firn_heat_put(values, is_double, q.at3 + 32, e.is_collider);
        firn_heat_put(w->wave, is_double, q.at1, e.G);
        firn_heat_put(w->pull, is_double, q.at3, e.deposit + heat);
        firn_heat_put(w->pull, is_double, q.at3 + 16, e.is_collider ? e.deposit : 0);
    }
    for (int i = r->block->n; i < n; i++)
        for (int a = 0; a < 3; a++)
            firn_heat_put(w->before, is_double, (size_t)(i / 16 * 48 + a * 16 + i % 16), 1.5);
    r->block_particles.x = w->before;
    r->block_particles.payload = (firn_payload){.value = values,
                                                .flux = w->try_tau,
                                                .weight = w->wave,
                                                .volume = r->block_particles.payload.volume,
                                                .extra = w->pull};
}

/* ---------------------------------------------------------------- from nodes */

/* Keeps a temperature in the range of its causes: those of the nodes around, before and after the
 * sub-step, and its own before. What is beyond returns to nodes with the next sub-step. */
static double limit(firn_particles *p, const point *q, double h, const double range[2], int *n)
{
    const firn_thermal *th = &p->material->resolved.thermal;
    const double low = fmin(range[0], q->T), high = fmax(range[1], q->T),
                 slack = 1e-6 * (1 + high - low);
    double f = q->f;
    const double T = firn_thermal_temperature(th, h, &f), bound = T > high + slack  ? high
                                                                  : T < low - slack ? low
                                                                                    : T;
    if (bound == T || !isfinite(bound)) return h;
    const double rest = firn_thermal_capacity(th, bound, f) * (T - bound);
    firn_particles_set(p, FIRN_FIELD_HEAT_REST, q->bundle, 0, q->lane, rest);
    ++*n;
    return add_enthalpy(p, q->bundle, q->lane,
                        -firn_particles_value(p, FIRN_FIELD_HEAT_REST, q->bundle, 0, q->lane));
}

/* dT = sum w (dT_i + b_i (T_i - T_p - g . (x_i - x_p))): b_i the part of PIC of a node, whose first
 * moment D C_b is among what was gathered. Nodes get back what they gave, whatever b_i is. */
void firn_heat_particles_take(const firn_sim *sim, const firn_block_material *r,
                              const firn_workspace *w, const double range[2],
                              firn_heat_report *report)
{
    firn_particles *p = r->particles;
    const int is_double = sim->mpm->kernels->is_double, is_affine = r->transfer.is_affine;
    const double D = sim->h * sim->h / (r->transfer.is_quadratic ? 4 : 3);
    int n_limited = 0;
    for (int i = 0; i < r->block->n; i++) {
        const point q = point_of(r, i);
        double dT = firn_heat_real(w->before, is_double, q.at3) -
                    firn_heat_real(w->before, is_double, q.at3 + 32) * (q.T - sim->heat->reference);
        for (int a = 0; a < 3 && is_affine; a++) {
            dT -= value(p, FIRN_FIELD_T_GRADIENT, &q, a) * D *
                  firn_heat_real(w->wave, is_double, q.at9 + (size_t)(6 + a) * 16);
            firn_particles_set(p, FIRN_FIELD_T_GRADIENT, q.bundle, a, q.lane,
                               firn_heat_real(w->wave, is_double, q.at9 + (size_t)(3 + a) * 16));
        }
        report->sums.conducted += q.mass * q.c * dT;
        double h = add_enthalpy(p, q.bundle, q.lane, q.c * dT);
        h = limit(p, &q, h, range, &n_limited);
        const double T = set_enthalpy(p, q.bundle, q.lane, h);
        if (isfinite(T) && T > 0 && T < 1e6) continue;
        report->is_bad = 1;
        report->T = T;
        report->id = (uint32_t)value(p, FIRN_FIELD_ID, &q, 0);
    }
    report->sums.n_limited += n_limited;
}
