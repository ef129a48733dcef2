/* SPDX-License-Identifier: MIT */
/* point_boundary.c: kick, boundaries and drift of particles that are their own nodes.
 *
 *     v  <- v + dt/2 (f/m + g) + pulls of grips, the caller's acceleration, force fields   kick
 *     v  <- projected onto colliders, then walls                                           contact
 *     x  <- x + dt v                                                                       drift
 *     x, v <- of the grips that hold the particle                                          hold
 *     x, v <- kept out of colliders with particle_pass
 *
 * and, with the forces of the new positions, the second half of the kick, contact and hold again.
 * Methods whose forces are those of the end of a step kick once, by all of dt.
 *
 * Contact by the gap g = distance - d/2 between surface and particle, d the edge of its cube, at the
 * beginning of the step on the surface at its end:
 *
 *     separate          approaches by at most g in the step: (v - v_c) . n >= - max(g, 0)/dt
 *     slip, stick       the same until they touch (g <= 1e-3 d); from then on bound to the surface
 *
 * A particle that began inside is not thrown out: its speed along n is stopped, and the surface of
 * the body stands d/2 before its particles, where the surface of the cube is.
 *
 * Ledger as for nodes (solver/contact.c); sums by chunk of a material, added in their order. */
#include "meshless/heat_points.h"
#include "meshless/meshless.h"

#include "solver/constraint.h"
#include "solver/emission.h"
#include "solver/emitter.h"
#include "solver/grip.h"

#include <string.h>

typedef struct point {
    int32_t i, p;
    firn_particles *particles;
    firn_moved_point moved;
    uint32_t grips;
    double radius;
    firn_boundary_impulse *ledger;
    double dt;     /* s, of this kick */
    int is_second; /* at the end of the step: positions stay */
} point;

static const double in_touch = 1e-3; /* of the particle's edge */

/* ---------------------------------------------------------------- kick */

static int is_same(const double v[3], const double w[3])
{
    return v[0] == w[0] && v[1] == w[1] && v[2] == w[2];
}

/* Adds the impulses of grips that pull and of the caller's acceleration; returns their number in
 * `pulls`, for the ledger after all kicks are known. */
typedef struct pull {
    int boundary;
    double impulse[3];
    const double *pivot;
} pull;
enum { PULLS = FIRN_GRIPS_MAX + 1 };

static int add_pulls(const firn_sim *sim, point *q, pull pulls[PULLS])
{
    static const double origin[3] = {0, 0, 0};
    firn_moved_point *m = &q->moved;
    const double time = sim->time + (q->is_second ? sim->dt : 0), share = q->dt / sim->dt;
    double own[3] = {0, 0, 0}, start[3] = {0, 0, 0};
    int n = 0;
    if (sim->acceleration) {
        sim->acceleration(sim->acceleration_user,
                          (int64_t)firn_meshless_value(q->particles, FIRN_FIELD_ID, q->p, 0), m->x,
                          time, own);
        pulls[n] = (pull){.boundary = firn_sim_forces(sim), .pivot = origin};
        for (int a = 0; a < 3; a++) pulls[n].impulse[a] = q->dt * own[a] * m->mass;
        n++;
    }
    for (int g = 0; q->grips && g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        if (!firn_grip_pulls(sim, q->grips, g)) continue;
        for (int a = 0; grip->def.mode == FIRN_GRIP_FOLLOW && a < 3; a++)
            start[a] = firn_meshless_value(q->particles, FIRN_FIELD_START, q->p, a);
        pulls[n] = (pull){.boundary = sim->n_colliders + g, .pivot = grip->pose.position};
        firn_grip_impulse(sim, grip, m->x, m->v_before, start, m->mass, pulls[n].impulse);
        for (int a = 0; a < 3; a++) pulls[n].impulse[a] *= share;
        n++;
    }
    for (int k = 0; k < n; k++)
        for (int a = 0; a < 3; a++) m->v[a] += pulls[k].impulse[a] / m->mass;
    return n;
}

/* Work of a force field by the mean velocity. */
static void push(const firn_sim *sim, point *q)
{
    static const double origin[3] = {0, 0, 0};
    firn_moved_point *m = &q->moved;
    const double before[3] = {m->v[0], m->v[1], m->v[2]};
    const int material = (int)(q->particles->material - sim->materials);
    const uint32_t id = (uint32_t)firn_meshless_value(q->particles, FIRN_FIELD_ID, q->p, 0);
    for (int f = 0; f < sim->n_forces; f++)
        if (firn_force_is_of(sim, &sim->forces[f], material, id))
            firn_force_push(&sim->forces[f], m->x, sim->time + (q->is_second ? sim->dt : 0), q->dt,
                            m->v);
    if (is_same(m->v, before)) return;
    firn_boundary_impulse *e = &q->ledger[firn_sim_forces(sim)];
    firn_contact_impulse(e, m->x, m->mass, before, m->v, m->v, origin);
    for (int a = 0; a < 3; a++)
        e->work -= 0.5 * m->mass * (m->v[a] - before[a]) * (m->v[a] - before[a]);
}

static void kick(const firn_sim *sim, point *q)
{
    const double *f = sim->meshless->force + 3 * q->i;
    pull pulls[PULLS];
    const int n = add_pulls(sim, q, pulls);
    for (int a = 0; a < 3; a++)
        q->moved.v[a] += q->dt * (f[a] / q->moved.mass + sim->scene.gravity[a]);
    push(sim, q);
    for (int k = 0; k < n; k++)
        firn_grip_add_pull(&q->moved, pulls[k].impulse, pulls[k].pivot,
                           &q->ledger[pulls[k].boundary]);
}

/* ---------------------------------------------------------------- contact */

/* Projects the velocity onto what a surface with this gap admits. */
static void apply(const firn_sim *sim, point *q, double gap, firn_constraint *c)
{
    firn_moved_point *m = &q->moved;
    const double before[3] = {m->v[0], m->v[1], m->v[2]};
    const int touches = gap <= in_touch * 2 * q->radius;
    if (!touches && c->contact != FIRN_SEPARATE) {
        c->contact = FIRN_SEPARATE; /* still in the air: only kept from passing */
        c->friction = c->adhesion = 0;
    }
    for (int a = 0; a < 3; a++)
        c->limit[a] = c->surface_v[a] - (gap > 0 ? gap / sim->dt : 0) * c->normal[a];
    firn_constraint_project(c, m->v);
    if (!is_same(m->v, before))
        firn_constraint_impulse(c, m->x, m->mass, before, m->v, &q->ledger[c->boundary]);
}

static void meet_collider(const firn_sim *sim, point *q, int index)
{
    const firn_collider *c = &sim->colliders[index];
    const firn_moved_point *m = &q->moved;
    firn_surface_point at;
    double speed = sqrt(m->v[0] * m->v[0] + m->v[1] * m->v[1] + m->v[2] * m->v[2]);
    if (isnan(q->ledger[index].work)) return; /* failed already, see refuse_nan */
    /* surfaces move by less than h in a step (criterion collider), and are queried at its end */
    const double reach = q->radius * (1 + 2 * in_touch) + speed * sim->dt + sim->h;
    if (!firn_contact_surface(c, m->x, sim->time + sim->dt, reach, &at)) {
        if (!isnan(at.distance)) return;
        q->ledger[index].work = NAN;
        memcpy(q->ledger[index].impulse, m->x, sizeof m->x);
        return;
    }
    /* the surface now is where it will be, less its motion along the normal: the gap is relative */
    double advance = 0;
    for (int a = 0; a < 3 && !q->is_second; a++) advance += at.velocity[a] * at.normal[a] * sim->dt;
    const double gap = at.distance + advance - q->radius;
    firn_constraint constraint = {
        .kind = FIRN_BOUNDARY_COLLIDERS,
        .boundary = index,
        .contact = c->def.contact,
        .friction = at.friction,
        .adhesion = gap <= in_touch * 2 * q->radius
                        ? at.stickiness * 4 * q->radius * q->radius * sim->dt / m->mass
                        : 0,
    };
    for (int a = 0; a < 3; a++) {
        constraint.normal[a] = at.normal[a];
        constraint.surface_v[a] = at.velocity[a];
        constraint.pivot[a] = c->pose.position[a];
    }
    apply(sim, q, gap, &constraint);
}

static void meet_walls(const firn_sim *sim, point *q)
{
    static const firn_contact contact[] = {[FIRN_WALL_STICK] = FIRN_STICK,
                                           [FIRN_WALL_SLIP] = FIRN_SLIP,
                                           [FIRN_WALL_SEPARATE] = FIRN_SEPARATE,
                                           [FIRN_WALL_MIRROR] = FIRN_SLIP};
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        const int axis = w / 2, is_upper = w & 1;
        if (grid->walls[w] == FIRN_WALL_OPEN || grid->walls[w] == FIRN_WALL_DELETE) continue;
        const double x = q->moved.x[axis],
                     gap =
                         (is_upper ? grid->box_max[axis] - x : x - grid->box_min[axis]) - q->radius;
        firn_constraint c = {.kind = FIRN_BOUNDARY_WALLS,
                             .boundary = firn_sim_walls(sim),
                             .contact = contact[grid->walls[w]],
                             .friction =
                                 grid->walls[w] == FIRN_WALL_MIRROR ? 0 : grid->wall_friction};
        c.normal[axis] = is_upper ? -1 : 1;
        apply(sim, q, gap, &c);
    }
}

/* What an emitter holds has its velocity. */
static void meet_emitters(const firn_sim *sim, point *q)
{
    firn_moved_point *m = &q->moved;
    for (int i = 0; i < sim->scene.n_emitters; i++) {
        const firn_emitter *e = firn_emission_emitter(sim, i);
        firn_constraint c = {
            .kind = FIRN_BOUNDARY_GRIPS, .boundary = firn_sim_emitters(sim) + i, .is_hold = 1};
        if (!firn_emitter_holds(e, m->x, 2 * q->radius, c.limit)) continue;
        const double before[3] = {m->v[0], m->v[1], m->v[2]};
        memcpy(c.pivot, e->pose.position, sizeof c.pivot);
        firn_constraint_project(&c, m->v);
        if (!is_same(m->v, before))
            firn_constraint_impulse(&c, m->x, m->mass, before, m->v, &q->ledger[c.boundary]);
    }
}

/* ---------------------------------------------------------------- one particle */

/* At the end of a step a held particle is where the grip took it, and has its velocity. */
static void keep_velocity(const firn_grip *grip, firn_moved_point *m)
{
    double v[3];
    firn_pose_velocity(&grip->pose, m->x, v);
    for (int a = 0; a < 3; a++)
        if (!grip->def.free_axes[a]) m->v[a] = v[a];
}

static void hold(const firn_sim *sim, point *q)
{
    for (int g = 0; q->grips && g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        if (!(q->grips >> g & 1) || !grip->is_active || grip->def.mode != FIRN_GRIP_MOTION)
            continue;
        firn_moved_point *m = &q->moved;
        const double was[3] = {m->v[0], m->v[1], m->v[2]};
        if (!q->is_second) firn_grip_hold(grip, m);
        if (q->is_second) keep_velocity(grip, m);
        firn_contact_impulse(&q->ledger[sim->n_colliders + g], m->x, m->mass, was, m->v, m->v,
                             grip->pose.position);
    }
}

static void move(firn_sim *sim, point *q)
{
    struct firn_meshless *s = sim->meshless;
    firn_moved_point *m = &q->moved;
    kick(sim, q);
    for (int c = 0; c < sim->n_colliders; c++)
        if (sim->colliders[c].is_active) meet_collider(sim, q, c);
    meet_emitters(sim, q);
    meet_walls(sim, q);
    for (int a = 0; a < 3 && !q->is_second; a++) m->x[a] += sim->dt * m->v[a];
    hold(sim, q);
    for (int c = 0; c < sim->n_colliders && !q->is_second; c++)
        if (sim->colliders[c].is_active && sim->colliders[c].def.particle_pass)
            firn_collider_keep_out(sim, &sim->colliders[c], 0, m, &q->ledger[c]);
    memcpy(s->x + 3 * q->i, m->x, sizeof m->x);
    memcpy(s->v + 3 * q->i, m->v, sizeof m->v);
}

/* ---------------------------------------------------------------- all */

firn_status firn_meshless_prepare_boundaries(firn_sim *sim)
{
    firn_colliders_prepare(sim);
    firn_grips_prepare(sim);
    firn_sinks_prepare(sim);
    firn_emission_prepare(sim);
    for (int f = 0; f < sim->n_forces; f++) firn_force_prepare(&sim->forces[f], sim->time);
    for (int e = 0; e < firn_sim_n_boundaries(sim); e++) sim->last[e] = (firn_boundary_impulse){0};
    return FIRN_OK;
}

/* A caller's distance function that returned NaN: the place is in the ledger. */
static firn_status refuse_nan(const firn_sim *sim, firn_messages *messages)
{
    const int n = firn_sim_n_boundaries(sim);
    for (int c = 0; c < sim->n_colliders; c++)
        for (int chunk = 0; chunk < FIRN_MESHLESS_CHUNKS; chunk++) {
            const firn_boundary_impulse *e = &sim->meshless->chunks[chunk * n + c];
            if (!isnan(e->work)) continue;
            return firn_messages_add(
                messages, FIRN_STOPPED,
                "collider '%s': the distance function returned NaN at x = %.6g m, y = %.6g m, z = "
                "%.6g m, t = %.9g s; it must be defined everywhere",
                sim->colliders[c].def.name, e->impulse[0], e->impulse[1], e->impulse[2],
                sim->time + sim->dt);
        }
    return FIRN_OK;
}

static void collect(firn_sim *sim, int m)
{
    const int n = firn_sim_n_boundaries(sim);
    for (int e = 0; e < n; e++) {
        firn_boundary_impulse sum = {0};
        for (int chunk = 0; chunk < FIRN_MESHLESS_CHUNKS; chunk++)
            firn_boundary_impulse_add(&sum, &sim->meshless->chunks[chunk * n + e]);
        firn_ledger_sums_add(&sim->materials[m].sums, firn_sim_boundary_kind(sim, e), &sum);
        firn_boundary_impulse_add(&sim->last[e], &sum);
        firn_boundary_impulse_add(&sim->total[e], &sum);
    }
}

static void move_chunk(firn_sim *sim, int m, int chunk, firn_meshless_kick part)
{
    struct firn_meshless *s = sim->meshless;
    firn_particles *particles = &s->particles[m];
    const int n = firn_sim_n_boundaries(sim);
    const firn_meshless_range range = firn_meshless_chunk(s, m, chunk);
    firn_boundary_impulse *ledger = s->chunks + chunk * n;
    for (int e = 0; e < n; e++) ledger[e] = (firn_boundary_impulse){0};
    for (int32_t i = range.first; i < range.end; i++) {
        point q = {.i = i,
                   .p = i - s->first[m],
                   .particles = particles,
                   .radius = 0.5 * s->spacing[i],
                   .ledger = ledger,
                   .dt = part == FIRN_MESHLESS_WHOLE ? sim->dt : 0.5 * sim->dt,
                   .is_second = part == FIRN_MESHLESS_SECOND};
        if (particles->n_components[FIRN_FIELD_GRIP])
            q.grips = (uint32_t)firn_meshless_value(particles, FIRN_FIELD_GRIP, q.p, 0);
        q.moved.mass = s->mass[i];
        memcpy(q.moved.x, s->x + 3 * i, sizeof q.moved.x);
        memcpy(q.moved.v, s->v + 3 * i, sizeof q.moved.v);
        memcpy(q.moved.before, q.moved.x, sizeof q.moved.x);
        memcpy(q.moved.v_before, q.moved.v, sizeof q.moved.v);
        move(sim, &q);
    }
}

firn_status firn_meshless_move(firn_sim *sim, firn_meshless_kick part, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++) {
#pragma omp parallel for num_threads(sim->n_threads) schedule(dynamic, 1)
        for (int chunk = 0; chunk < FIRN_MESHLESS_CHUNKS; chunk++) move_chunk(sim, m, chunk, part);
        status = refuse_nan(sim, messages);
        if (status == FIRN_OK) collect(sim, m);
    }
    if (status != FIRN_OK) sim->is_spoiled = 1;
    return status;
}

/* ---------------------------------------------------------------- losses */

static int lost_by(const firn_sim *sim, int32_t i)
{
    const struct firn_meshless *s = sim->meshless;
    double before[3];
    for (int a = 0; a < 3; a++) before[a] = s->x[3 * i + a] - sim->dt * s->v[3 * i + a];
    if (sim->n_sinks && firn_sinks_take(sim, before, s->x + 3 * i)) return FIRN_LOST_SINK;
    return firn_sinks_delete(sim, s->x + 3 * i) == FIRN_LOST_WALL ? FIRN_LOST_WALL : -1;
}

static int may_lose(const firn_sim *sim)
{
    int may = sim->n_sinks > 0;
    for (int w = 0; sim->scene.grid.has_box && w < 6; w++)
        may |= sim->scene.grid.walls[w] == FIRN_WALL_DELETE;
    return may;
}

firn_status firn_meshless_drain(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    int64_t n = 0;
    if (!may_lose(sim)) return FIRN_OK;
    uint8_t *marked = firn_memory_array(&sim->memory, (size_t)s->n + 1, 1);
    if (!marked) return firn_messages_no_memory(messages, "particles to be deleted");
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            const int loss = lost_by(sim, i);
            if (loss < 0) continue;
            marked[i] = 1;
            sim->materials[m].sums.n_lost_by[loss]++;
            sim->materials[m].sums.lost_mass += s->mass[i];
            if (sim->materials[m].resolved.thermal.is_on)
                sim->heat->sums[m].lost += firn_heat_points_energy(sim, m, i);
            n++;
        }
    firn_status status = FIRN_OK;
    if (n) {
        firn_meshless_scatter(sim);
        firn_meshless_remove(sim, marked);
    }
    firn_memory_release(&sim->memory, marked, (size_t)s->n + 1);
    if (n) {
        status = firn_meshless_gather(sim, messages);
        if (status == FIRN_OK) status = firn_meshless_refer(sim, messages);
        if (status == FIRN_OK) status = s->hooks->strain(sim, 0, messages);
    }
    return status;
}
