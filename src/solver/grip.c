/* SPDX-License-Identifier: MIT */
/* grip.c: grips from their definitions, the particles that they hold, and the impulses of those
 * that pull.
 *
 *   traction   J = dt F / n            on each of the n particles held, N s
 *   follow     J = dt m (w^2 (X - x) + 2 z w (V - v))
 *              X, V: place and velocity of the particle's own point of the moving region
 *              w^2 = stiffness / mass of all particles held, z the damping (1: critical)
 *   motion     held particles move as one rigid piece, by the method (mpm/grip_particles.c)
 *
 * All particles of a `follow` grip have the same frequency w, as the stiffness is divided by mass.
 *
 * A pull does the work J . (v_before + v_after) / 2. For a free body this is exactly its gain of
 * kinetic energy: m (v_after - v_before) . (v_after + v_before) / 2.
 *
 * Bound of dt (time_step.c): explicit damped oscillator, see firn_grips_rate. */
#include "solver/grip.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>

firn_status firn_grips_create(firn_sim *sim, firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    sim->grips = firn_memory_array(&sim->memory, (size_t)scene->n_grips, sizeof *sim->grips);
    if (!sim->grips) return firn_messages_no_memory(messages, "grips");
    for (int g = 0; g < scene->n_grips; g++) {
        firn_grip *grip = &sim->grips[g];
        grip->def = scene->grips[g];
        sim->n_grips = g + 1;
        sim->has_pull |= grip->def.mode != FIRN_GRIP_MOTION;
        sim->has_follow |= grip->def.mode == FIRN_GRIP_FOLLOW;
        if (firn_motion_create(&grip->def.motion, &sim->memory, &grip->motion) != FIRN_OK)
            return firn_messages_no_memory(messages, "keys of grip '%s'", grip->def.name);
        firn_status status = firn_shape_create(
            grip->def.n_shapes, grip->def.shapes,
            (firn_shape_need){0, sim->h, .memory = sim->memory.limit}, &grip->region, messages);
        if (status != FIRN_OK)
            return firn_messages_add(messages, status, "grip '%s': cannot be used, see above",
                                     grip->def.name);
    }
    return FIRN_OK;
}

void firn_grips_destroy(firn_sim *sim)
{
    for (int g = 0; g < sim->n_grips; g++) {
        firn_motion_destroy(&sim->grips[g].motion, &sim->memory);
        firn_shape_destroy(sim->grips[g].region);
    }
    firn_memory_release(&sim->memory, sim->grips, (size_t)sim->scene.n_grips * sizeof *sim->grips);
}

void firn_grips_prepare(firn_sim *sim)
{
    const double end = sim->time + sim->dt;
    for (int g = 0; g < sim->n_grips; g++) {
        firn_grip *grip = &sim->grips[g];
        grip->is_active = end > grip->def.start && sim->time < grip->def.release;
        firn_motion_at(&grip->motion, sim->time, grip->def.start, &grip->pose_before);
        firn_motion_at(&grip->motion, end, grip->def.start, &grip->pose);
    }
}

/* ---------------------------------------------------------------- taking hold */

/* Marks the particles of one material in the region of a grip (bit `index` of the field GRIP). */
static void take(firn_sim *sim, int index, int material)
{
    const firn_method *method = sim->method;
    firn_grip *grip = &sim->grips[index];
    firn_place at = {.material = material};
    for (at.block = 0; at.block < method->n_blocks(sim, material); at.block++)
        for (at.index = 0; at.index < method->block_size(sim, material, at.block); at.index++) {
            double x[3], y[3];
            const uint32_t id = (uint32_t)firn_solver_value(sim, at, FIRN_FIELD_ID, 0);
            if (grip->def.body[0] &&
                strcmp(sim->sources[firn_solver_source(sim, id)].name, grip->def.body) != 0)
                continue;
            /* a pull selects by the unmoved region: its motion may begin at once */
            method->read(sim, at, 1, FIRN_FIELD_X, x);
            memcpy(y, x, sizeof y);
            if (grip->def.mode == FIRN_GRIP_MOTION) firn_pose_to_shape(&grip->pose, x, y);
            if (firn_shape_distance(grip->region, y, grip->def.start) > 0) continue;

            const uint32_t bits = (uint32_t)firn_solver_value(sim, at, FIRN_FIELD_GRIP, 0);
            method->write(sim, at, FIRN_FIELD_GRIP, 0, (double)(bits | 1u << index));
            grip->n_particles++;
            grip->mass += firn_solver_value(sim, at, FIRN_FIELD_MASS, 0);
            for (int a = 0; grip->def.mode == FIRN_GRIP_FOLLOW && a < 3; a++)
                method->write(sim, at, FIRN_FIELD_START, a, y[a]);
        }
}

/* Sums run on from rank to rank, in the order of particles. */
static void take_on_ranks(firn_sim *sim, int index, int material)
{
    firn_grip *grip = &sim->grips[index];
    struct {
        int64_t n;
        double mass;
    } held = {grip->n_particles, grip->mass};
    firn_comm_sum_begin(&sim->comm, &held, sizeof held);
    grip->n_particles = held.n;
    grip->mass = held.mass;
    take(sim, index, material);
    held.n = grip->n_particles;
    held.mass = grip->mass;
    firn_comm_sum_end(&sim->comm, &held, sizeof held);
    grip->n_particles = held.n;
    grip->mass = held.mass;
}

/* A pull takes hold at t = 0, by the unmoved region; a hold when its start has come, by the region
 * in its pose at that time. A grip takes once; has_taken is part of a saved state. */
void firn_grips_take(firn_sim *sim, firn_messages *messages)
{
    for (int g = 0; g < sim->n_grips; g++) {
        firn_grip *grip = &sim->grips[g];
        /* pulls select at t = 0, holds when their time begins */
        if (grip->has_taken || (grip->def.mode == FIRN_GRIP_MOTION && sim->time < grip->def.start))
            continue;
        firn_motion_at(&grip->motion, grip->def.start, grip->def.start, &grip->pose);
        for (int m = 0; m < sim->n_materials; m++) take_on_ranks(sim, g, m);
        grip->has_taken = 1;
        if (grip->n_particles == 0 && sim->time > 0)
            firn_messages_warn(messages, "grip '%s': no particle in its region at t = %.9g s",
                               grip->def.name, sim->time);
    }
}

/* ---------------------------------------------------------------- impulses of pulls */

/* Frequency of a grip in mode follow, 1/s: each particle has its share of the stiffness by mass. */
static double frequency_of(const firn_grip *g)
{
    return g->def.mode == FIRN_GRIP_FOLLOW && g->mass > 0 ? sqrt(g->def.stiffness / g->mass) : 0;
}

/* Symplectic Euler for x'' = -w^2 x - 2 z w x', both terms taken at the old velocity, is stable for
 * dt w <= 2 (sqrt(1 + z^2) - z) = 2 / (sqrt(1 + z^2) + z). With cfl <= 1, dt = cfl / (w (sqrt(1 +
 * z^2) + z)) uses half of it at most. */
double firn_grips_rate(const firn_sim *sim)
{
    double w2 = 0, damping = 0; /* bound: one particle held by all of them */
    for (int g = 0; g < sim->n_grips; g++) {
        double w = sim->time < sim->grips[g].def.release ? frequency_of(&sim->grips[g]) : 0;
        w2 += w * w;
        damping += sim->grips[g].def.damping * w;
    }
    return sqrt(w2 + damping * damping) + damping;
}

/* Impulse (N s) of a pull in this step. A step that contains start or release counts by the part
 * between them. */
void firn_grip_impulse(const firn_sim *sim, const firn_grip *g, const double x[3],
                       const double v[3], const double start[3], double mass, double impulse[3])
{
    const double from = fmax(sim->time, g->def.start),
                 until = fmin(sim->time + sim->dt, g->def.release);
    if (g->def.mode == FIRN_GRIP_TRACTION) {
        for (int a = 0; a < 3; a++)
            impulse[a] = (until - from) * g->def.force[a] / (double)g->n_particles;
        return;
    }
    double X[3], V[3], w = frequency_of(g);
    firn_pose_to_world(&g->pose_before, start, X);
    firn_pose_velocity(&g->pose_before, X, V);
    for (int a = 0; a < 3; a++)
        impulse[a] = (until - from) * mass *
                     (w * w * (X[a] - x[a]) + 2 * g->def.damping * w * (V[a] - v[a]));
}

/* Whether grip g is among the bits and pulls in this step. */
int firn_grip_pulls(const firn_sim *sim, uint32_t bits, int g)
{
    const firn_grip *grip = &sim->grips[g];
    return (bits >> g & 1) && grip->is_active && grip->def.mode != FIRN_GRIP_MOTION &&
           grip->n_particles > 0;
}

void firn_grip_hold(const firn_grip *g, firn_moved_point *p)
{
    double y[3], x[3], v[3], turned[3];
    firn_pose_to_shape(&g->pose_before, p->before, y);
    for (int a = 0; a < 3; a++) y[a] -= g->pose.pivot[a];
    firn_pose_direction(&g->pose, y, turned);
    for (int a = 0; a < 3; a++) x[a] = g->pose.position[a] + turned[a];
    firn_pose_velocity(&g->pose, x, v);
    for (int a = 0; a < 3; a++) {
        if (g->def.free_axes[a]) continue;
        p->x[a] = x[a];
        p->v[a] = v[a];
    }
}

/* Work by the mean velocity (head of this file), torque about the pivot. The impulse is part of v
 * already, as P2G added it to the momentum. */
void firn_grip_add_pull(const firn_moved_point *p, const double impulse[3], const double pivot[3],
                        firn_boundary_impulse *e)
{
    const double x[3] = {p->before[0] - pivot[0], p->before[1] - pivot[1], p->before[2] - pivot[2]};
    for (int a = 0; a < 3; a++) {
        e->impulse[a] -= impulse[a];
        e->work += impulse[a] * 0.5 * (p->v_before[a] + p->v[a]);
    }
    e->torque[0] -= x[1] * impulse[2] - x[2] * impulse[1];
    e->torque[1] -= x[2] * impulse[0] - x[0] * impulse[2];
    e->torque[2] -= x[0] * impulse[1] - x[1] * impulse[0];
}
