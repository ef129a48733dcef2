/* SPDX-License-Identifier: MIT */
/* grip_particles.c: grips, forces of a group, and the caller's acceleration, on particles.
 *
 *   pull     traction and follow (solver/grip.c), dt m a of the caller and of forces: added to the
 *            particle's momentum before P2G, to the ledger after G2P
 *   hold     particles of a grip with a motion move as one rigid piece,
 *                x' = p' + R' R^T (x - p),    v' = velocity + spin x (x' - p'),    C' = spin
 *            on the axes that are not free. Held nodes alone would let a body creep out, as
 *            particles at the edge of the region also see nodes that are not held. F follows
 *            the grid, so that material between held and free nodes is strained and pulls. */
#include "mpm/block_places.h"
#include "mpm/particle_boundary.h"

#include <math.h>
#include <string.h>

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

static void caller_impulse(const firn_sim *sim, const firn_particles *particles,
                           const firn_particle_block *block, int p, const double x[3],
                           double impulse[3])
{
    double own[3] = {0, 0, 0}, mass = value(particles, FIRN_FIELD_MASS, block, p, 0);
    sim->acceleration(sim->acceleration_user, (int64_t)value(particles, FIRN_FIELD_ID, block, p, 0),
                      x, sim->time, own);
    for (int a = 0; a < 3; a++) impulse[a] = sim->dt * own[a] * mass;
}

/* Forces that act on the particle's body, emitter or material alone. */
static void group_impulse(const firn_sim *sim, const firn_particles *particles,
                          const firn_particle_block *block, int p, const double x[3],
                          const double v[3], double impulse[3])
{
    const int material = (int)(particles->material - sim->materials);
    const uint32_t id = (uint32_t)value(particles, FIRN_FIELD_ID, block, p, 0);
    double pushed[3] = {v[0], v[1], v[2]};
    for (int f = 0; f < sim->n_forces; f++)
        if (sim->forces[f].is_of_group && firn_force_is_of(sim, &sim->forces[f], material, id))
            firn_force_push(&sim->forces[f], x, sim->time, sim->dt, pushed);
    for (int a = 0; a < 3; a++)
        impulse[a] = value(particles, FIRN_FIELD_MASS, block, p, 0) * (pushed[a] - v[a]);
}

static void grip_impulse(const firn_sim *sim, const firn_grip *grip,
                         const firn_particles *particles, const firn_particle_block *block, int p,
                         const double x[3], const double v[3], double impulse[3])
{
    double start[3] = {0, 0, 0};
    for (int a = 0; grip->def.mode == FIRN_GRIP_FOLLOW && a < 3; a++)
        start[a] = value(particles, FIRN_FIELD_START, block, p, a);
    firn_grip_impulse(sim, grip, x, v, start, value(particles, FIRN_FIELD_MASS, block, p, 0),
                      impulse);
}

/* Impulses of pulls for all lanes of a block, padding included (zeros), in the layout of the
 * kernels: they go to the nodes by weights alone, sum_i w_i J = J. */
void firn_particle_boundary_pull(const firn_sim *sim, const firn_particles *particles,
                                 const firn_particle_block *block, void *pull)
{
    int n = firn_bundles_of(block->n) * 16;
    for (int p = 0; p < n; p++) {
        uint32_t bits = bits_of(particles, block, p);
        double sum[3] = {0, 0, 0}, x[3], v[3], own[3];
        firn_block_place(sim, particles, block, p, x);
        for (int a = 0; a < 3; a++) v[a] = value(particles, FIRN_FIELD_V, block, p, a);
        if (sim->acceleration && p < block->n) caller_impulse(sim, particles, block, p, x, sum);
        if (sim->has_group_forces && p < block->n) {
            group_impulse(sim, particles, block, p, x, v, own);
            for (int a = 0; a < 3; a++) sum[a] += own[a];
        }
        for (int g = 0; bits && g < sim->n_grips; g++) {
            if (!firn_grip_pulls(sim, bits, g)) continue;
            grip_impulse(sim, &sim->grips[g], particles, block, p, x, v, own);
            for (int a = 0; a < 3; a++) sum[a] += own[a];
        }
        for (int a = 0; a < 3; a++) {
            int at = (p / 16) * 48 + a * 16 + p % 16;
            if (sim->mpm->kernels->is_double)
                ((double *)pull)[at] = sum[a];
            else
                ((float *)pull)[at] = (float)sum[a];
        }
    }
}

/* ---------------------------------------------------------------- after G2P */

static firn_boundary_impulse *ledger_of(const firn_sim *sim, firn_boundary_impulse *impulses,
                                        int boundary)
{
    return &impulses[sim->mpm->impulse_of[boundary]];
}

/* x' by the two poses, v' and C' by the rigid velocity at the end of the step. The impulse is m (v'
 * - v) with v the gathered velocity; free axes keep their gathered values. A closed wall of the box
 * comes after the grip. */
static void hold(firn_block_point *s, const firn_grip *g, firn_boundary_impulse *e,
                 firn_boundary_impulse *walls)
{
    firn_moved_point *p = &s->moved;
    const double was[3] = {p->v[0], p->v[1], p->v[2]}, *w = g->pose.spin,
                 W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    firn_grip_hold(g, p);

    int64_t b = s->block->first + s->p / 16;
    for (int a = 0; a < 3; a++) {
        if (g->def.free_axes[a]) continue;
        for (int c = 0; s->particles->transfer.is_affine && c < 3; c++)
            firn_particles_set(s->particles, FIRN_FIELD_C, b, 3 * a + c, s->p % 16, W[3 * a + c]);
    }
    firn_contact_impulse(e, p->x, p->mass, was, p->v, p->v, g->pose.position);
    firn_contact_keep_in(&s->sim->scene.grid, p, walls);
    firn_block_point_store(s);
}

void firn_grip_particles_act(firn_block_point *s, firn_boundary_impulse *impulses)
{
    const firn_sim *sim = s->sim;
    firn_moved_point *p = &s->moved;
    uint32_t bits = bits_of(s->particles, s->block, s->p);
    const double origin[3] = {0, 0, 0};
    double impulse[3];
    if (sim->acceleration) {
        caller_impulse(sim, s->particles, s->block, s->p, p->before, impulse);
        firn_grip_add_pull(p, impulse, origin, ledger_of(sim, impulses, firn_sim_forces(sim)));
    }
    if (sim->has_group_forces) {
        group_impulse(sim, s->particles, s->block, s->p, p->before, p->v_before, impulse);
        firn_grip_add_pull(p, impulse, origin, ledger_of(sim, impulses, firn_sim_forces(sim)));
    }
    for (int g = 0; bits && g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        firn_boundary_impulse *e = ledger_of(sim, impulses, sim->n_colliders + g);
        if (!(bits >> g & 1) || !grip->is_active) continue;
        if (firn_grip_pulls(sim, bits, g)) {
            grip_impulse(sim, grip, s->particles, s->block, s->p, p->before, p->v_before, impulse);
            firn_grip_add_pull(p, impulse, grip->pose.position, e);
        } else {
            hold(s, grip, e, ledger_of(sim, impulses, firn_sim_walls(sim)));
        }
    }
}
