/* SPDX-License-Identifier: MIT */
/* measure.c: the table of measures and their evaluation.
 *
 * A measure of particles is a number per particle and a reduction (sum, mean by mass, least,
 * greatest, quantile) over the particles of its target. Energies come from the ledger of the
 * simulation, forces from its reactions. */
#include "measure/measure.h"
#include "base/memory.h"
#include "base/messages.h"
#include "solver/overlap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* DEEPEST: the greatest, 0 where there are no particles */
enum { SUM, MEAN, LEAST, GREATEST, DEEPEST, RANGE, FRONT };
enum { N_ARRAYS = 12 };

/* FRONT: the coordinate beyond which this share of the mass lies; single particles do not count. */
static const double FRONT_SHARE = 0.01;

typedef struct array {
    char name[FIRN_NAME];
    int n_components;
    double *values;
    size_t n_bytes;
} array;

struct firn_measure_view {
    firn_sim *sim;
    const firn_scene_def *scene;
    const firn_measure_start *start;
    int64_t n;
    array arrays[N_ARRAYS];
    int n_arrays;
    /* values of arrays, fetched before they are used */
    const double *P, *v, *mass, *id, *attribute;
    int attribute_components, component;
    const double *start_P; /* starting place of the present particle */
};

/* ---------------------------------------------------------------- numbers per particle */

static double mass_of(const firn_measure_view *view, int64_t i, int axis)
{
    return (void)axis, view->mass[i];
}
static double one(const firn_measure_view *view, int64_t i, int axis)
{
    return (void)view, (void)i, (void)axis, 1;
}
static double place(const firn_measure_view *view, int64_t i, int axis)
{
    return view->P[3 * i + axis];
}
static double velocity(const firn_measure_view *view, int64_t i, int axis)
{
    return view->v[3 * i + axis];
}
static double momentum(const firn_measure_view *view, int64_t i, int axis)
{
    return view->mass[i] * view->v[3 * i + axis];
}

static double speed(const firn_measure_view *view, int64_t i, int axis)
{
    const double *v = view->v + 3 * i;
    (void)axis;
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double kinetic(const firn_measure_view *view, int64_t i, int axis)
{
    double s = speed(view, i, axis);
    return 0.5 * view->mass[i] * s * s;
}

static double displacement(const firn_measure_view *view, int64_t i, int axis)
{
    return view->P[3 * i + axis] - view->start_P[axis];
}

static double depth(const firn_measure_view *view, int64_t i, int axis)
{
    return (void)axis, firn_overlap_depth(view->sim, view->P + 3 * i);
}

static double attribute(const firn_measure_view *view, int64_t i, int axis)
{
    (void)axis;
    return view->attribute[i * view->attribute_components + view->component];
}

static double lost(const firn_ledger *l, int axis) { return (void)axis, (double)l->n_lost; }
static double lost_to_walls(const firn_ledger *l, int axis)
{
    return (void)axis, (double)l->n_lost_by[FIRN_LOST_WALL];
}
static double lost_to_sinks(const firn_ledger *l, int axis)
{
    return (void)axis, (double)l->n_lost_by[FIRN_LOST_SINK];
}
static double elastic(const firn_ledger *l, int axis) { return (void)axis, l->elastic; }
static double potential(const firn_ledger *l, int axis) { return (void)axis, l->potential; }
static double total(const firn_ledger *l, int axis)
{
    return (void)axis, l->kinetic + l->elastic + l->potential;
}
static double plastic(const firn_ledger *l, int axis) { return (void)axis, l->plastic_work; }
static double viscous(const firn_ledger *l, int axis) { return (void)axis, l->viscous_work; }
static double min_J(const firn_ledger *l, int axis) { return (void)axis, l->min_J; }
static double max_J(const firn_ledger *l, int axis) { return (void)axis, l->max_J; }
static double max_gap(const firn_ledger *l, int axis) { return (void)axis, l->max_gap; }
static double angular(const firn_ledger *l, int axis) { return l->angular_momentum[axis]; }
static double wall(const firn_ledger *l, int axis) { return l->wall_impulse[axis]; }
static double collider(const firn_ledger *l, int axis) { return l->collider_impulse[axis]; }
static double grip(const firn_ledger *l, int axis) { return l->grip_impulse[axis]; }
static double forces(const firn_ledger *l, int axis) { return l->force_impulse[axis]; }
static double friction(const firn_ledger *l, int axis) { return (void)axis, l->friction_work; }
static double external(const firn_ledger *l, int axis) { return (void)axis, l->external_work; }
static double thermal(const firn_ledger *l, int axis) { return (void)axis, l->thermal_energy; }
static double latent(const firn_ledger *l, int axis) { return (void)axis, l->latent_energy; }
static double melted(const firn_ledger *l, int axis) { return (void)axis, l->melted_mass; }
static double melted_share(const firn_ledger *l, int axis)
{
    return (void)axis, l->mass > 0 ? l->melted_mass / l->mass : 0;
}
static double from_sources(const firn_ledger *l, int axis) { return (void)axis, l->heat_sources; }
static double from_around(const firn_ledger *l, int axis)
{
    return (void)axis, l->heat_surroundings;
}
static double from_colliders(const firn_ledger *l, int axis)
{
    return (void)axis, l->heat_colliders;
}
static double conducted(const firn_ledger *l, int axis) { return (void)axis, l->heat_conducted; }
static double from_work(const firn_ledger *l, int axis) { return (void)axis, l->heat_work; }
/* What the ledger of heat does not explain. */
static double heat_error(const firn_ledger *l, int axis)
{
    return (void)axis, l->thermal_energy - l->heat_born - l->heat_conducted - l->heat_colliders -
                           l->heat_surroundings - l->heat_sources - l->heat_work + l->heat_lost;
}
static double inverted(const firn_ledger *l, int axis) { return (void)axis, (double)l->n_inverted; }
static double bounded(const firn_ledger *l, int axis) { return (void)axis, (double)l->n_bounded; }
static double force(const firn_reaction *r, int axis) { return r->force[axis]; }
static double torque(const firn_reaction *r, int axis) { return r->torque[axis]; }
static double impulse(const firn_reaction *r, int axis) { return r->impulse[axis]; }

/* ---------------------------------------------------------------- the table */

#define OF_PARTICLES .kind = FIRN_MEASURE_PARTICLES, .of_particle
#define OF_LEDGER .kind = FIRN_MEASURE_LEDGER, .of_ledger
#define OF_REACTION .kind = FIRN_MEASURE_REACTION, .of_reaction

static const firn_measure measures[] = {
    {"mass", "kg", "mass", OF_PARTICLES = mass_of, .reduction = SUM},
    {"n_particles", "1", "number of particles", OF_PARTICLES = one, .reduction = SUM},
    {"lost_particles", "1", "particles that left or were deleted", OF_LEDGER = lost},
    {"lost_to_walls", "1", "particles lost through walls of kind delete",
     OF_LEDGER = lost_to_walls},
    {"lost_to_sinks", "1", "particles lost in sinks", OF_LEDGER = lost_to_sinks},
    {"center", "m", "centre of mass along the axis", OF_PARTICLES = place, .reduction = MEAN,
     .has_axis = 1},
    {"lowest", "m", "smallest coordinate along the axis", OF_PARTICLES = place, .reduction = LEAST,
     .has_axis = 1},
    {"highest", "m", "largest coordinate along the axis", OF_PARTICLES = place,
     .reduction = GREATEST, .has_axis = 1},
    {"extent", "m", "largest less smallest coordinate", OF_PARTICLES = place, .reduction = RANGE,
     .has_axis = 1},
    {"front", "m", "coordinate beyond which 1 % of the mass lies", OF_PARTICLES = place,
     .reduction = FRONT, .has_axis = 1},
    {"displacement", "m", "mean displacement from the start along the axis",
     OF_PARTICLES = displacement, .reduction = MEAN, .has_axis = 1, .needs_start = 1},
    {"run_out", "m", "largest displacement of a particle along the axis",
     OF_PARTICLES = displacement, .reduction = GREATEST, .has_axis = 1, .needs_start = 1},
    {"mean_velocity", "m/s", "velocity of the centre of mass", OF_PARTICLES = velocity,
     .reduction = MEAN, .has_axis = 1},
    {"mean_speed", "m/s", "mean magnitude of velocity, by mass", OF_PARTICLES = speed,
     .reduction = MEAN},
    {"depth_in_colliders", "m", "depth of the particle that is deepest inside a collider",
     OF_PARTICLES = depth, .reduction = DEEPEST},
    {"max_speed", "m/s", "speed of the fastest particle", OF_PARTICLES = speed,
     .reduction = GREATEST},
    {"momentum", "kg m/s", "momentum", OF_PARTICLES = momentum, .reduction = SUM, .has_axis = 1},
    {"angular_momentum", "kg m^2/s", "angular momentum about the origin, affine part included",
     OF_LEDGER = angular, .has_axis = 1},
    {"kinetic_energy", "J", "kinetic energy", OF_PARTICLES = kinetic, .reduction = SUM},
    {"elastic_energy", "J", "elastic energy", OF_LEDGER = elastic},
    {"potential_energy", "J", "potential energy in uniform gravity", OF_LEDGER = potential},
    {"total_energy", "J", "kinetic, elastic and potential energy", OF_LEDGER = total},
    {"plastic_work", "J", "plastic work", OF_LEDGER = plastic},
    {"viscous_work", "J", "viscous work", OF_LEDGER = viscous},
    {"thermal_energy", "J", "heat content, latent heat included; 0 at 273.15 K",
     OF_LEDGER = thermal},
    {"latent_energy", "J", "latent heat in the liquid", OF_LEDGER = latent},
    {"melted_mass", "kg", "liquid mass", OF_LEDGER = melted},
    {"melted_share", "1", "liquid mass over mass", OF_LEDGER = melted_share},
    {"heat_sources", "J", "heat from sources since the start", OF_LEDGER = from_sources},
    {"heat_surroundings", "J", "heat through free surfaces since the start",
     OF_LEDGER = from_around},
    {"heat_colliders", "J", "heat from colliders since the start", OF_LEDGER = from_colliders},
    {"heat_conducted", "J", "heat from walls, and for one material from other materials",
     OF_LEDGER = conducted},
    {"heat_work", "J", "heat from plastic and viscous work since the start", OF_LEDGER = from_work},
    {"heat_error", "J", "heat content that the ledger does not explain", OF_LEDGER = heat_error},
    {"min_J", "1", "smallest volume ratio", OF_LEDGER = min_J},
    {"max_J", "1", "largest volume ratio", OF_LEDGER = max_J},
    {"max_gap", "1",
     "largest distance between stretched neighbours, in cells; numerical fracture from 0.9",
     OF_LEDGER = max_gap},
    {"wall_impulse", "N s", "impulse of the walls since the start", OF_LEDGER = wall,
     .has_axis = 1},
    {"collider_impulse", "N s", "impulse of the colliders since the start", OF_LEDGER = collider,
     .has_axis = 1},
    {"grip_impulse", "N s", "impulse of the grips since the start", OF_LEDGER = grip,
     .has_axis = 1},
    {"force_impulse", "N s", "impulse of the force fields since the start", OF_LEDGER = forces,
     .has_axis = 1},
    {"external_work", "J", "work of moving colliders, grips and force fields",
     OF_LEDGER = external},
    {"friction_work", "J", "work of friction with colliders and walls", OF_LEDGER = friction},
    {"bounded", "1", "states that laws held at a bound, summed over steps", OF_LEDGER = bounded},
    {"inversions", "1", "particle inversions, summed over steps", OF_LEDGER = inverted},
    {"probe", "", "a probe of the scene, at every sample of it", .kind = FIRN_MEASURE_PROBE},
    {"reaction_force", "N", "force of a collider or grip on the material in the last step",
     OF_REACTION = force, .has_axis = 1},
    {"reaction_torque", "N m", "torque of the same about its pivot", OF_REACTION = torque,
     .has_axis = 1},
    {"reaction_impulse", "N s", "impulse of the same since the start", OF_REACTION = impulse,
     .has_axis = 1},
    {"mean_of", "", "mean of an attribute, by mass", OF_PARTICLES = attribute, .reduction = MEAN,
     .has_attribute = 1},
    {"least_of", "", "smallest value of an attribute", OF_PARTICLES = attribute, .reduction = LEAST,
     .has_attribute = 1},
    {"greatest_of", "", "largest value of an attribute", OF_PARTICLES = attribute,
     .reduction = GREATEST, .has_attribute = 1},
};
enum { N_MEASURES = (int)(sizeof measures / sizeof *measures) };

const firn_measure *firn_measure_at(int i)
{
    return i >= 0 && i < N_MEASURES ? &measures[i] : NULL;
}

const firn_measure *firn_measure_find(const char *name)
{
    for (int i = 0; i < N_MEASURES; i++)
        if (strcmp(measures[i].name, name) == 0) return &measures[i];
    return NULL;
}

void firn_measure_names(char *words, size_t n_bytes)
{
    size_t used = 0;
    words[0] = 0;
    for (int i = 0; i < N_MEASURES && used < n_bytes; i++)
        used +=
            (size_t)snprintf(words + used, n_bytes - used, "%s%s", i ? " " : "", measures[i].name);
}

/* ---------------------------------------------------------------- arrays */

firn_measure_view *firn_measure_view_create(firn_sim *sim, const firn_scene_def *scene,
                                            const firn_measure_start *start)
{
    firn_measure_view *view = firn_memory_allocate(NULL, sizeof *view);
    if (view) {
        view->sim = sim;
        view->scene = scene;
        view->start = start;
        view->n = firn_sim_n_particles(sim);
    }
    return view;
}

void firn_measure_view_destroy(firn_measure_view *view)
{
    if (!view) return;
    for (int i = 0; i < view->n_arrays; i++)
        firn_memory_release(NULL, view->arrays[i].values, view->arrays[i].n_bytes);
    firn_memory_release(NULL, view, sizeof *view);
}

static const array *fetch(firn_measure_view *view, const char *name, firn_messages *messages)
{
    for (int i = 0; i < view->n_arrays; i++)
        if (strcmp(view->arrays[i].name, name) == 0) return &view->arrays[i];
    if (view->n_arrays ==
        N_ARRAYS) { /* the last one is replaced; P, v, mass and id come before it */
        array *last = &view->arrays[--view->n_arrays];
        firn_memory_release(NULL, last->values, last->n_bytes);
    }
    array a = {.n_components = firn_attribute_components(name)};
    if (a.n_components == 0) a.n_components = 1; /* a law's history field */
    snprintf(a.name, sizeof a.name, "%s", name);
    size_t n = (size_t)view->n * (size_t)a.n_components;
    a.n_bytes = n * sizeof(double);
    a.values = firn_memory_array(NULL, n, sizeof(double));
    if (!a.values) {
        firn_messages_no_memory(messages, "measure of %s", name);
        return NULL;
    }
    if (firn_sim_copy(view->sim, name, a.values, n, messages) != FIRN_OK) {
        firn_memory_release(NULL, a.values, a.n_bytes);
        return NULL;
    }
    view->arrays[view->n_arrays] = a;
    return &view->arrays[view->n_arrays++];
}

static int fetch_values(firn_measure_view *view, const char *name, const double **values,
                        firn_messages *messages)
{
    const array *a = fetch(view, name, messages);
    *values = a ? a->values : NULL;
    return a != NULL;
}

firn_status firn_measure_start_take(firn_sim *sim, firn_measure_start *start,
                                    firn_messages *messages)
{
    int64_t n = firn_sim_n_particles(sim);
    *start = (firn_measure_start){.n = n};
    start->id = firn_memory_array(NULL, (size_t)n, sizeof(double));
    start->P = firn_memory_array(NULL, (size_t)n, 3 * sizeof(double));
    firn_status status = FIRN_MEMORY;
    if (start->id && start->P) {
        status = firn_sim_copy(sim, "id", start->id, (size_t)n, messages);
        if (status == FIRN_OK) status = firn_sim_copy(sim, "P", start->P, 3 * (size_t)n, messages);
    } else {
        firn_messages_no_memory(messages, "starting places of particles");
    }
    if (status != FIRN_OK) firn_measure_start_clear(start);
    return status;
}

void firn_measure_start_clear(firn_measure_start *start)
{
    firn_memory_release(NULL, start->id, (size_t)start->n * sizeof(double));
    firn_memory_release(NULL, start->P, (size_t)start->n * 3 * sizeof(double));
    *start = (firn_measure_start){0};
}

/* The index of an id in the start, or -1: emitted later. Both are in the order of ids, so `*from`
 * only grows. */
static int64_t find_start(const firn_measure_start *start, double id, int64_t *from)
{
    while (*from < start->n && start->id[*from] < id) ++*from;
    return *from < start->n && start->id[*from] == id ? *from : -1;
}

/* ---------------------------------------------------------------- reductions */

typedef struct weighted {
    double value, mass;
} weighted;

typedef struct sum {
    double sum, mass, least, greatest;
    int64_t n;
    weighted *values; /* FRONT only */
} sum;

static int by_value_down(const void *a, const void *b)
{
    double x = ((const weighted *)a)->value, y = ((const weighted *)b)->value;
    return (x < y) - (x > y);
}

static double front_of(sum *s)
{
    double beyond = 0;
    qsort(s->values, (size_t)s->n, sizeof *s->values, by_value_down);
    for (int64_t i = 0; i < s->n; i++)
        if ((beyond += s->values[i].mass) >= FRONT_SHARE * s->mass) return s->values[i].value;
    return NAN;
}

static double result_of(sum *s, int reduction)
{
    if (reduction == SUM) return s->sum;
    if (s->n == 0) return reduction == DEEPEST ? 0 : NAN;
    switch (reduction) {
    case MEAN: return s->sum / s->mass;
    case LEAST: return s->least;
    case GREATEST:
    case DEEPEST: return s->greatest;
    case RANGE: return s->greatest - s->least;
    default: return front_of(s);
    }
}

static int is_near(const double P[3], const firn_measure_target *target)
{
    double r2 = 0;
    for (int a = 0; a < 3; a++) r2 += (P[a] - target->place[a]) * (P[a] - target->place[a]);
    return r2 <= target->radius * target->radius;
}

static firn_status take_particles(firn_measure_view *view, const firn_measure *measure,
                                  const firn_measure_target *target, int axis, double *value,
                                  firn_messages *messages)
{
    const double *source = NULL, *material = NULL;
    int needs_start = measure->needs_start || target->in_region != NULL,
        is_front = measure->reduction == FRONT;
    if (!fetch_values(view, "P", &view->P, messages) ||
        !fetch_values(view, "v", &view->v, messages) ||
        !fetch_values(view, "mass", &view->mass, messages) ||
        !fetch_values(view, "id", &view->id, messages) ||
        (target->body >= 0 && !fetch_values(view, "source", &source, messages)) ||
        (target->material >= 0 && !fetch_values(view, "material_id", &material, messages)))
        return FIRN_MEMORY;
    if (measure->has_attribute) {
        const array *a = fetch(view, target->attribute, messages);
        if (!a) return FIRN_REFUSED;
        view->attribute = a->values;
        view->attribute_components = a->n_components;
        view->component = target->component < a->n_components ? target->component : 0;
    }
    sum s = {.least = INFINITY, .greatest = -INFINITY};
    size_t n_bytes = is_front ? (size_t)view->n * sizeof *s.values : 0;
    if (is_front && !(s.values = firn_memory_allocate(NULL, n_bytes)))
        return firn_messages_no_memory(messages, "measure %s", measure->name);
    for (int64_t i = 0, from = 0; i < view->n; i++) {
        if (source && source[i] != target->body) continue;
        if (material && material[i] != target->material) continue;
        if (target->particle >= 0 && view->id[i] != (double)target->particle) continue;
        if (target->radius > 0 && !is_near(view->P + 3 * i, target)) continue;
        int64_t k = needs_start ? find_start(view->start, view->id[i], &from) : 0;
        if (k < 0 || (target->in_region && !target->in_region[k])) continue;
        if (needs_start) view->start_P = view->start->P + 3 * k;
        double x = measure->of_particle(view, i, axis), mass = view->mass[i];
        s.sum += measure->reduction == MEAN ? mass * x : x;
        s.mass += mass;
        s.least = fmin(s.least, x);
        s.greatest = fmax(s.greatest, x);
        if (is_front) s.values[s.n] = (weighted){x, mass};
        s.n++;
    }
    *value = result_of(&s, measure->reduction);
    firn_memory_release(NULL, s.values, n_bytes);
    return FIRN_OK;
}

firn_status firn_measure_take(firn_measure_view *view, const firn_measure *measure,
                              const firn_measure_target *target, int axis, double *value,
                              firn_messages *messages)
{
    firn_reaction reaction;
    firn_ledger ledger;
    firn_status status;
    switch (measure->kind) {
    case FIRN_MEASURE_PARTICLES:
        return take_particles(view, measure, target, axis, value, messages);
    case FIRN_MEASURE_LEDGER:
        status = firn_sim_ledger(view->sim, target->material, &ledger, messages);
        if (status == FIRN_OK) *value = measure->of_ledger(&ledger, axis);
        return status;
    case FIRN_MEASURE_REACTION:
        status = target->grip >= 0
                     ? firn_sim_grip_reaction(view->sim, target->grip, &reaction)
                     : firn_sim_collider_reaction(view->sim, target->collider, &reaction);
        if (status != FIRN_OK)
            return firn_messages_add(messages, status, "measure: no such collider or grip");
        *value = measure->of_reaction(&reaction, axis);
        return FIRN_OK;
    case FIRN_MEASURE_PROBE: break;
    }
    return FIRN_USAGE;
}
