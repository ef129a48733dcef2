/* SPDX-License-Identifier: MIT */
/* force.c: force fields besides the scene's uniform gravity, as accelerations of nodes. One entry
 * of the table per kind.
 *
 *   gravity      a = vector + field                        m/s^2
 *   drag         a = -strength (v - vector - field)        strength 1/s, v at the end of the step
 *   point        a = strength f(r) r_hat                   strength m/s^2
 *   vortex       a = strength f(r) axis x r_hat            r measured from the axis
 *   turbulence   a = strength curl(noise)
 *   guide        a = -strength (v - v_s)                   v_s: velocity of the moving shape at x
 *   goal         a = -strength d n - 2 damping sqrt(strength) (v - v_s)    d > 0: distance to it,
 *                                                          strength 1/s^2
 *
 * f(r) = 1 inside `radius`, (radius / r)^2 beyond it; radius 0: 1 everywhere. `field`: vectors of a
 * file at x. Each is multiplied by its keyed factor, linear between keys and constant outside them,
 * and by the weight of its region: 1 inside, g(d / falloff) at the distance d from it, g(s) = (1 -
 * s)^2 (1 + 2 s) for s < 1, so that force and its slope vanish at the end. The shape of a guide is
 * its region. That of a goal is not: with a falloff it reaches no farther, without it everywhere.
 *
 * Forces act one after the other (operator splitting, first order in dt as the integrator is). drag,
 * guide and goal are implicit, all others explicit and independent of v, so they impose no bound on
 * dt. Forces of a group act on its particles, before P2G, all others on nodes. */
#include "base/random.h"
#include "geometry/vdb/vdb.h"
#include "solver/force.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>

typedef struct push { /* m, m/s; s, s */
    const double *x, *v;
    double time, dt;
    double factor;           /* of the force, and the weight of its region */
    firn_surface_point near; /* of its shape, in the world; where it has one */
    double v_shape[3];       /* m/s */
} push;

struct firn_force_kind {
    firn_force_info info;
    void (*add)(const firn_force *force, const push *p, double a[3]);
};

/* The vector of the definition, and that of the file at x. */
static void vector_at(const firn_force *f, const push *p, double vector[3])
{
    double own[3] = {0, 0, 0};
    if (f->field) firn_volume_sample(f->field, p->x, own);
    for (int c = 0; c < 3; c++) vector[c] = f->def.vector[c] + f->def.field.factor * own[c];
}

static void add_gravity(const firn_force *f, const push *p, double a[3])
{
    double g[3];
    vector_at(f, p, g);
    for (int c = 0; c < 3; c++) a[c] += p->factor * g[c];
}

/* Implicit Euler: with r = strength dt, v' = (v + r w) / (1 + r) lies between v and the wind w for
 * every dt, and a falling body reaches the terminal velocity g / strength exactly. A negative
 * strength drives instead of damping, has nothing to overshoot and is explicit. */
static void add_drag(const firn_force *f, const push *p, double a[3])
{
    double rate = p->factor * f->def.strength, damped = rate / (1 + fmax(0, rate * p->dt)), w[3];
    vector_at(f, p, w);
    for (int c = 0; c < 3; c++) a[c] -= damped * (p->v[c] - w[c]);
}

static double falloff(const firn_force *f, double r)
{
    double radius = f->def.radius;
    return radius <= 0 || r <= radius ? 1 : radius * radius / (r * r);
}

static void add_point(const firn_force *f, const push *p, double a[3])
{
    double d[3], r2 = 0;
    for (int c = 0; c < 3; c++) {
        d[c] = p->x[c] - f->def.position[c];
        r2 += d[c] * d[c];
    }
    double r = sqrt(r2);
    if (r <= 0) return;
    double s = p->factor * f->def.strength * falloff(f, r) / r;
    for (int c = 0; c < 3; c++) a[c] += s * d[c];
}

static void add_vortex(const firn_force *f, const push *p, double a[3])
{
    double n[3], d[3], length = 0, along = 0, r2 = 0;
    for (int c = 0; c < 3; c++) length += f->def.vector[c] * f->def.vector[c];
    if (length <= 0) return;
    length = sqrt(length);
    for (int c = 0; c < 3; c++) {
        n[c] = f->def.vector[c] / length;
        d[c] = p->x[c] - f->def.position[c];
        along += d[c] * n[c];
    }
    for (int c = 0; c < 3; c++) {
        d[c] -= along * n[c];
        r2 += d[c] * d[c];
    }
    double r = sqrt(r2);
    if (r <= 0) return;
    double s = p->factor * f->def.strength * falloff(f, r) / r;
    a[0] += s * (n[1] * d[2] - n[2] * d[1]);
    a[1] += s * (n[2] * d[0] - n[0] * d[2]);
    a[2] += s * (n[0] * d[1] - n[1] * d[0]);
}

/* ---------------------------------------------------------------- turbulence */

static double lattice(uint64_t seed, int64_t i, int64_t j, int64_t k, int64_t l)
{
    uint64_t z = seed + (uint64_t)i * FIRN_RANDOM_STEP + (uint64_t)j * 0xc2b2ae3d27d4eb4fu +
                 (uint64_t)k * 0x165667b19e3779f9u + (uint64_t)l * 0x27d4eb2f165667c5u;
    return 2 * firn_random_unit(firn_random_mix(z)) - 1;
}

/* Gradient in space of a smooth noise in (x, t): random values at the corners of a unit lattice,
 * blended by s^3 (6 s^2 - 15 s + 10), whose first two derivatives vanish at the corners (Perlin
 * 2002), so the curl of it has continuous derivatives. */
static void noise_gradient(uint64_t seed, const double p[4], double gradient[3])
{
    double w[4][2], slope[3][2];
    int64_t at[4];
    for (int c = 0; c < 4; c++) {
        at[c] = (int64_t)floor(p[c]);
        double s = p[c] - (double)at[c];
        w[c][1] = s * s * s * (s * (6 * s - 15) + 10);
        w[c][0] = 1 - w[c][1];
        if (c < 3) {
            slope[c][1] = 30 * s * s * (s - 1) * (s - 1);
            slope[c][0] = -slope[c][1];
        }
    }
    for (int corner = 0; corner < 16; corner++) {
        const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2 & 1, l = corner >> 3;
        double value = w[3][l] * lattice(seed, at[0] + i, at[1] + j, at[2] + k, at[3] + l);
        gradient[0] += value * slope[0][i] * w[1][j] * w[2][k];
        gradient[1] += value * w[0][i] * slope[1][j] * w[2][k];
        gradient[2] += value * w[0][i] * w[1][j] * slope[2][k];
    }
}

/* The curl of three independent noises, div curl = 0: neither sources nor sinks. Lengths in units
 * of the eddy size. */
static void add_turbulence(const firn_force *f, const push *p, double a[3])
{
    double at[4] = {0, 0, 0, p->time * f->def.frequency}, s = p->factor * f->def.strength,
           J[3][3] = {{0}};
    for (int c = 0; c < 3; c++) at[c] = p->x[c] / (f->def.length > 0 ? f->def.length : 1);
    for (int c = 0; c < 3; c++) noise_gradient(f->def.seed * 3 + (uint64_t)c, at, J[c]);
    a[0] += s * (J[2][1] - J[1][2]);
    a[1] += s * (J[0][2] - J[2][0]);
    a[2] += s * (J[1][0] - J[0][1]);
}

/* ---------------------------------------------------------------- following a shape */

/* As drag, with the velocity of the moving shape in place of the wind. */
static void add_guide(const firn_force *f, const push *p, double a[3])
{
    double rate = p->factor * f->def.strength, damped = rate / (1 + fmax(0, rate * p->dt));
    for (int c = 0; c < 3; c++) a[c] -= damped * (p->v[c] - p->v_shape[c]);
}

/* Backward Euler for the distance d along n with u = v - v_s, d' = d + dt u' and k = strength:
 *
 *     u' = (u - dt k d) / (1 + dt c + dt^2 k),     c = 2 damping sqrt(k)
 *
 * stable for every dt, at rest on the surface. Across n damping alone acts. Inside nothing does. */
static void add_goal(const firn_force *f, const push *p, double a[3])
{
    const double d = p->near.distance, k = p->factor * f->def.strength, dt = p->dt;
    if (!(d > 0) || !(k > 0)) return;
    const double c = 2 * f->def.damping * sqrt(k), *n = p->near.normal;
    double u[3], along = 0;
    for (int i = 0; i < 3; i++) {
        u[i] = p->v[i] - p->v_shape[i];
        along += u[i] * n[i];
    }
    const double after = (along - dt * k * d) / (1 + dt * c + dt * dt * k);
    for (int i = 0; i < 3; i++) {
        const double across = u[i] - along * n[i];
        a[i] += (after - along) / dt * n[i] - across * c / (1 + dt * c);
    }
}

static const struct firn_force_kind kinds[] = {
    {{"gravity", "an acceleration, e.g. keyed in time or from a file", "vector field", "m/s^2", ""},
     add_gravity},
    {{"drag", "slows down what moves against a wind: a = -strength (v - vector - field)",
      "vector (wind) field (wind) strength (rate)", "m/s", "1/s"},
     add_drag},
    {{"point", "pushes away from a point, or pulls towards it where strength is negative",
      "position strength (acceleration) radius", "", "m/s^2"},
     add_point},
    {{"vortex", "pushes around an axis, not inwards",
      "position vector (axis) strength (acceleration) radius", "1", "m/s^2", 1},
     add_vortex},
    {{"turbulence", "swirls that come and go, without sources and sinks: the curl of noise",
      "strength (acceleration) length (size) frequency seed", "", "m/s^2"},
     add_turbulence},
    {{"guide", "takes along what is in or near a moving shape, at its velocity",
      "shape strength (rate) falloff motion", "", "1/s", 0, 1},
     add_guide},
    {{"goal", "pulls towards the inside of a shape, which may move: a = -strength distance",
      "shape strength (rate^2) damping falloff motion", "", "1/s^2", 0, 1},
     add_goal},
};

const firn_force_info *firn_force_kind_at(int i)
{
    return i >= 0 && (size_t)i < sizeof kinds / sizeof *kinds ? &kinds[i].info : NULL;
}

const firn_force_info *firn_force_kind_find(const char *name)
{
    for (int i = 0; firn_force_kind_at(i); i++)
        if (strcmp(firn_force_kind_at(i)->name, name) == 0) return firn_force_kind_at(i);
    return NULL;
}

/* Shape, motion and field. */
static firn_status create_place(const firn_force_def *def, firn_memory *memory, firn_force *force,
                                firn_messages *messages)
{
    const size_t most = memory ? memory->limit : 0;
    firn_status status = FIRN_OK;
    if (firn_motion_create(&def->motion, memory, &force->motion) != FIRN_OK)
        return firn_messages_no_memory(messages, "keys of force '%s'", def->name);
    if (def->n_shapes)
        status = firn_shape_create(def->n_shapes, def->shapes,
                                   (firn_shape_need){.above = def->falloff, .memory = most},
                                   &force->shape, messages);
    if (status == FIRN_OK && *def->field.file)
        status = firn_vdb_read_field(def->field.file, def->field.grid, def->field.scale, 3, most, 1,
                                     &force->field, messages);
    if (status == FIRN_OK) return FIRN_OK;
    return firn_messages_add(messages, status, "force '%s': cannot be used, see above", def->name);
}

firn_status firn_force_create(const firn_force_def *def, firn_memory *memory, firn_force *force,
                              firn_messages *messages)
{
    *force = (firn_force){.def = *def, .factor = 1};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].info.name, def->kind) == 0) force->kind = &kinds[k];
    if (!force->kind)
        return firn_messages_add(messages, FIRN_REFUSED, "force '%s': unknown kind '%s'", def->name,
                                 def->kind);
    force->def.shapes = NULL;
    if (def->n_keys > 0) {
        force->keys = firn_memory_array(memory, (size_t)def->n_keys, sizeof *force->keys);
        if (!force->keys) return firn_messages_no_memory(messages, "keys of force '%s'", def->name);
        memcpy(force->keys, def->keys, (size_t)def->n_keys * sizeof *force->keys);
    }
    return create_place(def, memory, force, messages);
}

void firn_force_destroy(firn_force *force, firn_memory *memory)
{
    firn_memory_release(memory, force->keys, (size_t)force->def.n_keys * sizeof *force->keys);
    firn_motion_destroy(&force->motion, memory);
    firn_shape_destroy(force->shape);
    firn_volume_destroy(force->field);
    force->keys = NULL;
    force->shape = NULL;
    force->field = NULL;
}

/* Piecewise linear in time between keys, constant before the first and after the last. */
void firn_force_prepare(firn_force *force, double time)
{
    int n = force->def.n_keys;
    const firn_force_key *k = force->keys;
    force->factor = 1;
    if (force->shape) firn_motion_at(&force->motion, time, 0, &force->pose);
    if (n <= 0) return;
    int i = 0;
    while (i < n && k[i].time <= time) i++;
    if (i == 0)
        force->factor = k[0].factor;
    else if (i == n)
        force->factor = k[n - 1].factor;
    else
        force->factor = k[i - 1].factor + (k[i].factor - k[i - 1].factor) * (time - k[i - 1].time) /
                                              (k[i].time - k[i - 1].time);
}

/* Distance, normal and velocity of the shape at x, and the weight of the place, 0 to 1. */
static double look_at_shape(const firn_force *force, push *p)
{
    double y[3], to[3], own[3], weight = 1;
    const firn_pose *pose = &force->pose;
    firn_pose_to_shape(pose, p->x, y);
    firn_shape_query(force->shape, y, p->time, &p->near);
    memcpy(own, p->near.normal, sizeof own);
    firn_pose_direction(pose, own, p->near.normal);
    firn_pose_direction(pose, p->near.velocity, p->v_shape);
    firn_pose_velocity(pose, p->x, to);
    for (int c = 0; c < 3; c++) p->v_shape[c] += to[c];
    const double d = p->near.distance, reach = force->def.falloff;
    if (force->kind->add == add_goal && !(reach > 0)) return 1;
    if (d > 0 && !(d < reach)) return 0;
    if (d > 0) weight = (1 - d / reach) * (1 - d / reach) * (1 + 2 * d / reach);
    return weight;
}

void firn_force_push(const firn_force *force, const double x[3], double time, double dt,
                     double v[3])
{
    double a[3] = {0, 0, 0};
    if (force->factor == 0) return;
    push p = {.x = x, .v = v, .time = time, .dt = dt, .factor = force->factor};
    if (force->shape) p.factor *= look_at_shape(force, &p);
    if (p.factor == 0) return;
    force->kind->add(force, &p, a);
    for (int c = 0; c < 3; c++) v[c] += dt * a[c];
}

int firn_force_is_of(const firn_sim *sim, const firn_force *force, int material, uint32_t id)
{
    if (!force->is_of_group) return 1;
    if (force->material >= 0) return force->material == material;
    return strcmp(sim->sources[firn_solver_source(sim, id)].name, force->def.of) == 0;
}

firn_status firn_forces_create(firn_sim *sim, firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    sim->forces = firn_memory_array(&sim->memory, (size_t)scene->n_forces, sizeof *sim->forces);
    if (!sim->forces) return firn_messages_no_memory(messages, "forces");
    for (int f = 0; f < scene->n_forces; f++) {
        sim->n_forces = f + 1;
        firn_status status =
            firn_force_create(&scene->forces[f], &sim->memory, &sim->forces[f], messages);
        if (status != FIRN_OK) return status;
        sim->forces[f].def.seed += scene->seed;
        sim->forces[f].is_of_group = *scene->forces[f].of != 0;
        sim->forces[f].material = firn_solver_material(sim, scene->forces[f].of);
        sim->has_group_forces |= sim->forces[f].is_of_group;
    }
    return FIRN_OK;
}

void firn_forces_destroy(firn_sim *sim)
{
    for (int f = 0; f < sim->n_forces; f++) firn_force_destroy(&sim->forces[f], &sim->memory);
    firn_memory_release(&sim->memory, sim->forces,
                        (size_t)sim->scene.n_forces * sizeof *sim->forces);
}
