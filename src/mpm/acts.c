/* SPDX-License-Identifier: MIT */
/* acts.c: what acts on particles one by one rather than on nodes.
 *
 *   traction      dt F / n on each of the n particles that a grip took, added to its momentum
 *                 before P2G
 *   follow        dt m (w^2 (X - x) + 2 z w (V - v)) likewise: X the particle's own place in the
 *                 moving region now, V
 * its velocity, w^2 = stiffness / mass of all that the grip took, z the damping caller
 *     dt m a, the caller's
 * acceleration, likewise hold          particles of a grip with a motion are moved as one rigid
 *                                      piece: from the pose at
 * the beginning of the step to that at its end, v and C with it (on the axes that are not free).
 * Held nodes alone would
 *                 let a body creep out: a particle near the edge of the region also sees nodes
 *                 that are not held. Its F still follows the grid, so that the material between
 *                 held and free nodes is strained and pulls.
 *   thin body     particles that went into or through a collider with a second pass are put back
 *                 on its surface
 *
 * The ledger of bodies and holds are as in contact.c. A pull does J . (v_before + v_after) / 2,
 * which in a free body is the kinetic energy that it gives, exactly. */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

void firn_particle_boundary_place(const firn_sim *sim, const firn_particles *particles,
                                  const firn_particle_block *block, int p, double x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = (4.0 * block->coord[a] +
                firn_particles_value(particles, FIRN_FIELD_X, block->first + p / 16, a, p % 16)) *
               sim->h;
}

void firn_particle_boundary_place_of(const firn_sim *sim, const firn_particle_block *block, int p,
                                     const void *places, double x[3])
{
    for (int a = 0; a < 3; a++) {
        const int at = (p / 16) * 48 + a * 16 + p % 16;
        const double u = sim->kernels->is_double ? ((const double *)places)[at]
                                                 : (double)((const float *)places)[at];
        x[a] = (4.0 * block->coord[a] + u) * sim->h;
    }
}

static double value(const firn_particles *particles, firn_field field,
                    const firn_particle_block *block, int p, int component)
{
    return firn_particles_value(particles, field, block->first + p / 16, component, p % 16);
}

static uint32_t bits_of(const firn_particles *particles, const firn_particle_block *block, int p)
{
    return particles->n_components[FIRN_FIELD_GRIP]
               ? (uint32_t)value(particles, FIRN_FIELD_GRIP, block, p, 0)
               : 0;
}

/* ---------------------------------------------------------------- before P2G */

/* Frequency of the spring of a grip that is followed: every particle has its share of the
 * stiffness by mass. */
static double frequency_of(const firn_grip *g)
{
    return g->def.mode == FIRN_GRIP_FOLLOW && g->mass > 0 ? sqrt(g->def.stiffness / g->mass) : 0;
}

double firn_particle_boundary_rate(const firn_sim *sim)
{
    double w2 = 0, damping = 0; /* as if one particle hung on all springs */
    for (int g = 0; g < sim->n_grips; g++) {
        double w = sim->time < sim->grips[g].def.release ? frequency_of(&sim->grips[g]) : 0;
        w2 += w * w;
        damping += sim->grips[g].def.damping * w;
    }
    return sqrt(w2 + damping * damping) + damping;
}

/* The impulse of a grip that pulls on a particle at x with velocity v. Of a step that meets
 * start or release only the part between counts. */
static void grip_impulse(const firn_sim *sim, const firn_grip *g, const firn_particles *particles,
                         const firn_particle_block *block, int p, const double x[3],
                         const double v[3], double impulse[3])
{
    double from = fmax(sim->time, g->def.start), until = fmin(sim->time + sim->dt, g->def.release);
    if (g->def.mode == FIRN_GRIP_TRACTION) {
        for (int a = 0; a < 3; a++)
            impulse[a] = (until - from) * g->def.force[a] / (double)g->n_particles;
        return;
    }
    double start[3], X[3], V[3], w = frequency_of(g),
                                 m = value(particles, FIRN_FIELD_MASS, block, p, 0);
    for (int a = 0; a < 3; a++) start[a] = value(particles, FIRN_FIELD_START, block, p, a);
    firn_pose_to_world(&g->pose_before, start, X);
    firn_pose_velocity(&g->pose_before, X, V);
    for (int a = 0; a < 3; a++)
        impulse[a] =
            (until - from) * m * (w * w * (X[a] - x[a]) + 2 * g->def.damping * w * (V[a] - v[a]));
}

/* A grip of one of the bits that pulls now. */
static int pulls(const firn_sim *sim, uint32_t bits, int g)
{
    const firn_grip *grip = &sim->grips[g];
    return (bits >> g & 1) && grip->is_active && grip->def.mode != FIRN_GRIP_MOTION &&
           grip->n_particles > 0;
}

static void caller_impulse(const firn_sim *sim, const firn_particles *particles,
                           const firn_particle_block *block, int p, const double x[3],
                           double impulse[3])
{
    double own[3] = {0, 0, 0}, mass = value(particles, FIRN_FIELD_MASS, block, p, 0);
    sim->acceleration(sim->acceleration_user, (int64_t)value(particles, FIRN_FIELD_ID, block, p, 0),
                      x, sim->time, own);
    for (int a = 0; a < 3; a++) impulse[a] = sim->dt * own[a] * mass;
}

void firn_particle_boundary_pull(const firn_sim *sim, const firn_particles *particles,
                                 const firn_particle_block *block, void *pull)
{
    int n = firn_bundles_of(block->n) * 16;
    for (int p = 0; p < n; p++) {
        uint32_t bits = bits_of(particles, block, p);
        double sum[3] = {0, 0, 0}, x[3], v[3], own[3];
        firn_particle_boundary_place(sim, particles, block, p, x);
        for (int a = 0; a < 3; a++) v[a] = value(particles, FIRN_FIELD_V, block, p, a);
        if (sim->acceleration && p < block->n) caller_impulse(sim, particles, block, p, x, sum);
        for (int g = 0; bits && g < sim->n_grips; g++) {
            if (!pulls(sim, bits, g)) continue;
            grip_impulse(sim, &sim->grips[g], particles, block, p, x, v, own);
            for (int a = 0; a < 3; a++) sum[a] += own[a];
        }
        for (int a = 0; a < 3; a++) {
            int at = (p / 16) * 48 + a * 16 + p % 16;
            if (sim->kernels->is_double)
                ((double *)pull)[at] = sum[a];
            else
                ((float *)pull)[at] = (float)sum[a];
        }
    }
}

/* ---------------------------------------------------------------- after G2P */

typedef struct subject { /* one particle */
    const firn_sim *sim;
    firn_particles *particles;
    const firn_particle_block *block;
    int p;
    double x[3], v[3], before[3], v_before[3], mass; /* place and velocity after and before G2P */
} subject;

static firn_boundary_impulse *ledger_of(const firn_sim *sim, firn_boundary_impulse *acts,
                                        int boundary)
{
    return &acts[sim->act_of[boundary]];
}

/* An impulse that P2G has already given. */
static void book_pull(const subject *s, const double impulse[3], const double pivot[3],
                      firn_boundary_impulse *e)
{
    const double x[3] = {s->before[0] - pivot[0], s->before[1] - pivot[1], s->before[2] - pivot[2]};
    for (int a = 0; a < 3; a++) {
        e->impulse[a] -= impulse[a];
        e->work += impulse[a] * 0.5 * (s->v_before[a] + s->v[a]);
    }
    e->torque[0] -= x[1] * impulse[2] - x[2] * impulse[1];
    e->torque[1] -= x[2] * impulse[0] - x[0] * impulse[2];
    e->torque[2] -= x[0] * impulse[1] - x[1] * impulse[0];
}

static void move(subject *s, const double x[3], const double v[3])
{
    int64_t b = s->block->first + s->p / 16;
    for (int a = 0; a < 3; a++) {
        s->x[a] = x[a];
        s->v[a] = v[a];
        firn_particles_set(s->particles, FIRN_FIELD_X, b, a, s->p % 16,
                           x[a] / s->sim->h - 4.0 * s->block->coord[a]);
        firn_particles_set(s->particles, FIRN_FIELD_V, b, a, s->p % 16, v[a]);
    }
}

static void hold(subject *s, const firn_grip *g, firn_boundary_impulse *e)
{
    double y[3], x[3], v[3], turned[3], was[3] = {s->v[0], s->v[1], s->v[2]};
    const double *w = g->pose.spin, W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    firn_pose_to_shape(&g->pose_before, s->before, y);
    for (int a = 0; a < 3; a++) y[a] -= g->pose.pivot[a];
    firn_pose_direction(&g->pose, y, turned);
    for (int a = 0; a < 3; a++) x[a] = g->pose.position[a] + turned[a];
    firn_pose_velocity(&g->pose, x, v);
    int64_t b = s->block->first + s->p / 16;
    for (int a = 0; a < 3; a++) {
        if (g->def.free_axes[a]) {
            x[a] = s->x[a];
            v[a] = s->v[a];
            continue;
        }
        for (int c = 0; s->particles->transfer.is_affine && c < 3; c++)
            firn_particles_set(s->particles, FIRN_FIELD_C, b, 3 * a + c, s->p % 16, W[3 * a + c]);
    }
    move(s, x, v);
    firn_contact_book(e, s->x, s->mass, was, s->v, s->v, g->pose.position);
}

/* Nearer than that is in touch, m. */
static double in_touch(const firn_sim *sim) { return 1e-3 * sim->h; }

/* What a particle at this distance may go before it is. */
static double clearance_of(const firn_sim *sim, const firn_collider *c, double distance)
{
    return firn_distance_cache_clearance(c, distance - in_touch(sim));
}

/* The particle's way u in this step, seen from the surface where that is now, and its length. A
 * body carries what is fixed to it from the pose before to the pose now, whatever its velocity
 * at the end; what deforms goes `own` more. */
static double way_of(const subject *s, const firn_collider *c, const double own[3], double u[3])
{
    double y[3], carried[3], length2 = 0;
    firn_pose_to_shape(&c->pose_before, s->before, y);
    firn_pose_to_world(&c->pose, y, carried);
    for (int a = 0; a < 3; a++) {
        u[a] = s->x[a] - carried[a] - own[a];
        length2 += u[a] * u[a];
    }
    return sqrt(length2);
}

/* How far the surface near x deformed in this step, in the world. `at` is a distance_query at
 * its end; where files begin or end within it the velocity jumps, and each part of the step has
 * its own. */
static void deformation(const firn_sim *sim, const firn_collider *c, const double x[3],
                        const firn_surface_point *at, double own[3])
{
    const double end = sim->time + sim->dt;
    double rigid[3];
    for (int a = 0; a < 3; a++) own[a] = 0;
    if (c->is_rigid) return;
    firn_pose_velocity(&c->pose, x, rigid);
    for (double from = sim->time, until; from < end; from = until) {
        firn_surface_point there = *at;
        until = c->shape ? firn_shape_border(c->shape, from, end) : end;
        if (until < end) firn_contact_distance_query(c, x, until, INFINITY, &there);
        for (int a = 0; a < 3; a++)
            own[a] += (until - from) * (there.velocity[a] - rigid[a] - c->def.surface_velocity[a]);
    }
}

/* The way u of a particle in this step, seen from the moving surface, ends at x. Does it meet
 * the surface? Sphere tracing from its beginning: the distance of the surface is always safe to
 * go (see sdf_trace.h). Then `x` becomes the place that is left when the rest of the way glides
 * along the surface, and *s the surface where they met. However thin the wall and however fast
 * the particle, it stays on its side. *s comes as a distance_query at x, or with a distance that
 * is NAN where nobody has looked. What `touched` before begins on the surface, which is asked
 * for whole at once. */
static int meets(const firn_sim *sim, const firn_collider *c, int touched, const double u[3],
                 double x[3], firn_surface_point *s)
{
    enum { STEPS = 64 };
    const double time = sim->time + sim->dt, touch = in_touch(sim);
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), gone = 0, at[3], along = 0;
    int is_whole = touched;
    firn_surface_point there;
    for (int a = 0; a < 3; a++) at[a] = x[a] - u[a];
    if (touched) firn_contact_surface(c, at, time, INFINITY, &there);
    double distance = touched ? there.distance : firn_contact_distance(c, at, time);
    if (distance <
        -0.5 *
            sim->h) { /* it began deep inside: out by the shortest way, at most as far in a step */
        firn_contact_surface(c, x, time, INFINITY, s);
        if (s->distance > 0) return 0;
        double depth = fmin(-s->distance, 0.5 * sim->h);
        for (int a = 0; a < 3; a++) x[a] += depth * s->normal[a];
        return 1;
    }
    for (int step = 0; step < STEPS && distance > touch; step++) {
        gone += distance;
        if (gone >= length) return 0;
        for (int a = 0; a < 3; a++) at[a] = x[a] - u[a] * (1 - gone / length);
        distance = firn_contact_distance(c, at, time);
        is_whole = 0;
    }
    if (!is_whole) firn_contact_surface(c, at, time, INFINITY, &there);
    /* What lay on the surface may by rounding begin below it. The side of its beginning counts,
     * and not where its way ends, which may be behind a thin wall. */
    for (int a = 0; a < 3; a++) along += (x[a] - at[a]) * there.normal[a];
    along += fmin(there.distance, 0);
    if (along >= 0) return 0; /* it grazes the surface and leaves */
    for (int a = 0; a < 3; a++) x[a] -= along * there.normal[a];
    *s = there;
    return 1;
}

/* Returns the clearance that is left; -INFINITY where they met. Most only come near, and no more
 * than is needed to know that is asked first: they are out of touch all along. What touched a
 * body before mostly does so again, and one look where it begins tells. Either way the answer is
 * the same, as memory is not saved. */
static double keep_out(subject *s, const firn_collider *c, int touched, firn_boundary_impulse *e)
{
    const firn_sim *sim = s->sim;
    const double time = sim->time + sim->dt;
    firn_surface_point at = {.distance = NAN};
    double x[3], u[3] = {0}, v[3], was[3], own[3] = {0, 0, 0}, length = INFINITY;
    if (touched && c->is_rigid) length = way_of(s, c, own, u);
    if (length > sim->h) { /* so far in a step few go, and they are looked at with all others */
        if (!firn_contact_distance_query(c, s->x, time, 2 * sim->h, &at))
            return clearance_of(sim, c, at.distance);
        deformation(sim, c, s->x, &at, own);
        length = way_of(s, c, own, u);
        if (at.distance > c->steepness * length + in_touch(sim))
            return clearance_of(sim, c, at.distance);
    }
    for (int a = 0; a < 3; a++) {
        x[a] = s->x[a];
        v[a] = was[a] = s->v[a];
    }
    if (!meets(sim, c, touched, u, x, &at)) {
        if (isnan(at.distance)) at.distance = firn_contact_distance(c, s->x, time);
        return clearance_of(sim, c, at.distance);
    }
    firn_contact_resolve(c->def.contact, at.friction, 0, at.velocity, at.normal, v);
    move(s, x, v);
    firn_contact_book(e, s->x, s->mass, was, s->v, at.velocity, c->pose.position);
    return -INFINITY;
}

/* `all`: not only the nearest collider may have been met. */
static void second_pass(subject *s, int all, firn_boundary_impulse *acts)
{
    const firn_sim *sim = s->sim;
    const int64_t bundle = s->block->first + s->p / 16;
    firn_distance_cache_clearances clear =
        firn_distance_cache_recall(s->particles, bundle, s->p % 16);
    const int touched = clear.nearest == -INFINITY ? clear.which : -1; /* see keep_out */
    double pushed = 0;
    if (all) clear = (firn_distance_cache_clearances){INFINITY, INFINITY, 0};
    int first = all ? 0 : clear.which, end = all ? sim->n_colliders : clear.which + 1;
    for (int c = first; c < end; c++) {
        if (!sim->colliders[c].is_active || !sim->colliders[c].def.particle_pass) continue;
        double was[3] = {s->x[0], s->x[1], s->x[2]}, push2 = 0;
        double clearance = keep_out(s, &sim->colliders[c], c == touched, ledger_of(sim, acts, c));
        for (int a = 0; a < 3; a++) push2 += (s->x[a] - was[a]) * (s->x[a] - was[a]);
        pushed += sqrt(push2);
        if (!all)
            clear.nearest = clearance;
        else if (clearance < clear.nearest) {
            clear.others = clear.nearest;
            clear.nearest = clearance;
            clear.which = c;
        } else
            clear.others = fmin(clear.others, clearance);
    }
    clear.nearest -= pushed;
    clear.others -= pushed;
    firn_distance_cache_remember(s->particles, bundle, s->p % 16, &clear);
}

static void act_on(subject *s, firn_boundary_impulse *acts)
{
    const firn_sim *sim = s->sim;
    uint32_t bits = bits_of(s->particles, s->block, s->p);
    const double origin[3] = {0, 0, 0};
    double impulse[3];
    if (sim->acceleration) {
        caller_impulse(sim, s->particles, s->block, s->p, s->before, impulse);
        book_pull(s, impulse, origin, ledger_of(sim, acts, firn_solver_forces(sim)));
    }
    for (int g = 0; bits && g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        firn_boundary_impulse *e = ledger_of(sim, acts, sim->n_colliders + g);
        if (!(bits >> g & 1) || !grip->is_active) continue;
        if (pulls(sim, bits, g)) {
            grip_impulse(sim, grip, s->particles, s->block, s->p, s->before, s->v_before, impulse);
            book_pull(s, impulse, grip->pose.position, e);
        } else {
            hold(s, grip, e);
        }
    }
}

int firn_particle_boundary_any(const firn_sim *sim)
{
    if (sim->acceleration || sim->has_particle_pass) return 1;
    for (int g = 0; g < sim->n_grips; g++)
        if (sim->grips[g].is_active) return 1;
    return 0;
}

unsigned firn_particle_boundary_expected(firn_sim *sim, int32_t owner)
{
    int pulls = sim->acceleration != NULL;
    for (int g = 0; g < sim->n_grips; g++) pulls |= sim->grips[g].is_active;
    if (!sim->has_particle_pass) return pulls ? FIRN_PARTICLE_PULLS : 0;
    if (!firn_distance_cache_is_far(sim, owner))
        return firn_distance_cache_renew(sim, owner),
               FIRN_PARTICLE_SURFACES | (pulls ? FIRN_PARTICLE_PULLS : 0);
    sim->distance_cache.blocks[owner].is_stale = 1;
    return pulls ? FIRN_PARTICLE_PULLS : 0;
}

/* `x` and `v`: of the block before G2P; v NULL: nobody asks */
static subject subject_of(const firn_sim *sim, firn_particles *particles,
                          const firn_particle_block *block, int p, const void *x, const void *v)
{
    subject s = {.sim = sim,
                 .particles = particles,
                 .block = block,
                 .p = p,
                 .mass = value(particles, FIRN_FIELD_MASS, block, p, 0)};
    firn_particle_boundary_place(sim, particles, block, p, s.x);
    firn_particle_boundary_place_of(sim, block, p, x, s.before);
    for (int a = 0; a < 3; a++) {
        const int at = (p / 16) * 48 + a * 16 + p % 16;
        if (v)
            s.v_before[a] =
                sim->kernels->is_double ? ((const double *)v)[at] : (double)((const float *)v)[at];
        s.v[a] = value(particles, FIRN_FIELD_V, block, p, a);
    }
    return s;
}

void firn_particle_boundary_apply(const firn_sim *sim, firn_particles *particles,
                                  const firn_particle_block *block, unsigned expected,
                                  const void *x, const void *v, firn_boundary_impulse *acts)
{
    const size_t bundle = 48 * sim->kernels->real_size;
    const int is_kept = firn_distance_cache_at(sim, block->owner) != NULL;
    const char *now = firn_particles_at(particles, FIRN_FIELD_X, block->first);
    char *clear = expected & FIRN_PARTICLE_SURFACES
                      ? firn_particles_at(particles, FIRN_FIELD_CLEAR, block->first)
                      : NULL;
    for (int b = 0; b < firn_bundles_of(block->n); b++) {
        int first = 16 * b, end = first + 16 < block->n ? first + 16 : block->n;
        for (int p = first; expected & FIRN_PARTICLE_PULLS && p < end; p++) {
            subject s = subject_of(sim, particles, block, p, x, v);
            act_on(&s, acts);
        }
        if (!clear) continue;
        const size_t at = (size_t)b * bundle;
        uint32_t met = UINT32_MAX; /* any collider; above these 16 bits, any but the nearest */
        if (is_kept)
            met = sim->kernels->clearance(now + at, (const char *)x + at, &sim->distance_cache.ways,
                                          clear + at);
        for (uint32_t left = (met | met >> 16) & 0xffff; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            if (first + lane >= end) break;
            subject s = subject_of(sim, particles, block, first + lane, x, NULL);
            second_pass(&s, met >> (16 + lane) & 1, acts);
        }
    }
}

/* ---------------------------------------------------------------- taking hold */

static void take(firn_sim *sim, int index, firn_particles *particles)
{
    firn_grip *grip = &sim->grips[index];
    for (int32_t k = 0; k < particles->n_blocks; k++) {
        const firn_particle_block *block = &particles->blocks[k];
        for (int p = 0; p < block->n; p++) {
            double x[3], y[3];
            uint32_t id = (uint32_t)value(particles, FIRN_FIELD_ID, block, p, 0);
            if (grip->def.body[0] &&
                strcmp(sim->sources[firn_populate_source(sim, id)].name, grip->def.body) != 0)
                continue;
            firn_particle_boundary_place(sim, particles, block, p, x);
            memcpy(y, x,
                   /* a pull is chosen by the place itself, which its motion may lead away from at
                 * once */
                   sizeof y);
            if (grip->def.mode == FIRN_GRIP_MOTION) firn_pose_to_shape(&grip->pose, x, y);
            if (firn_shape_distance(grip->region, y, grip->def.start) > 0) continue;
            firn_particles_set(particles, FIRN_FIELD_GRIP, block->first + p / 16, 0, p % 16,
                               (double)(bits_of(particles, block, p) | 1u << index));
            grip->n_particles++;
            grip->mass += value(particles, FIRN_FIELD_MASS, block, p, 0);
            for (int a = 0; grip->def.mode == FIRN_GRIP_FOLLOW && a < 3; a++)
                firn_particles_set(particles, FIRN_FIELD_START, block->first + p / 16, a, p % 16,
                                   y[a]);
        }
    }
}

void firn_particle_boundary_grip(firn_sim *sim, firn_messages *messages)
{
    for (int g = 0; g < sim->n_grips; g++) {
        firn_grip *grip = &sim->grips[g];
        /* a pull takes what begins in its region, a hold what is there when its time has come */
        if (grip->has_taken || (grip->def.mode == FIRN_GRIP_MOTION && sim->time < grip->def.start))
            continue;
        firn_motion_at(&grip->motion, grip->def.start, grip->def.start, &grip->pose);
        for (int m = 0; m < sim->n_materials; m++) take(sim, g, &sim->particles[m]);
        grip->has_taken = 1;
        if (grip->n_particles == 0 && sim->time > 0)
            firn_messages_warn(messages, "grip '%s' took hold of no particle at t = %.9g s",
                               grip->def.name, sim->time);
    }
}
