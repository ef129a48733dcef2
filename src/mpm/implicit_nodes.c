/* SPDX-License-Identifier: MIT */
/* implicit_nodes.c: constraints of nodes inside an implicit solve, as projections.
 *
 * Each held node has a projector onto its free directions: I for a free node, 0 where it sticks or
 * is held, I - n n^T where it slides. Newton's equations are solved in the free directions of all
 * nodes; velocities along the others are those that the constraints prescribe. With several
 * constraints the last one holds exactly, the others in what it leaves free, as in node_boundary.c.
 *
 * Contacts that separate are an active set: at a velocity v and with the impulse R that holds the
 * node there,
 *
 *     (v - v_c) . n > 0                        free
 *     at the surface, R . n > -m s             held (s: adhesion)        else free
 *
 * found anew in every Newton iteration. Late in a solve none is released any more, so that the set
 * settles.
 *
 * Friction is Coulomb's law on impulses with a set of its own: a node that sticks is held along
 * the surface as well, a node that slips along d is pushed by mu J_n against d,
 *
 *     sticks    while |R_t| <= mu J_n, else slips along d = -R_t/|R_t|
 *     slips     while u . d > 0, d = u/|u|; else sticks
 *
 * with the normal impulse J_n = R . n of the last iterate ("lagged"). Its derivative at fixed J_n,
 * mu J_n/|u| (I - n n^T - d d^T), is symmetric and not negative; at convergence J_n is that of the
 * solution. The sets stay as they are during a line search. */
#include "mpm/implicit.h"
#include "mpm/node_boundary.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static size_t index_of(const firn_hold *h)
{
    return (size_t)h->block * FIRN_BLOCK_NODES + (size_t)h->node;
}

/* ---------------------------------------------------------------- the list */

static void *grow(firn_memory *memory, void *array, int32_t *capacity, int32_t wanted, size_t size)
{
    const int32_t next = wanted + wanted / 2 + 64;
    void *larger = firn_memory_array(memory, (size_t)next, size);
    if (larger && array) memcpy(larger, array, (size_t)*capacity * size);
    firn_memory_release(memory, array, (size_t)*capacity * size);
    *capacity = larger ? next : 0;
    return larger;
}

typedef struct finder {
    firn_sim *sim;
    firn_hold_list *list;
    int has_failed;
} finder;

static void add_hold(void *user, int32_t block, int index, const double x[3],
                     const firn_constraint *constraints, int n)
{
    finder *f = user;
    firn_hold_list *list = f->list;
    if (f->has_failed) return;
    if (list->n == list->capacity || list->n_constraints + n > list->constraint_capacity) {
#pragma omp critical(firn_implicit_holds)
        {
            firn_memory *memory = &f->sim->memory;
            if (list->n == list->capacity)
                list->holds =
                    grow(memory, list->holds, &list->capacity, list->n, sizeof(firn_hold));
            if (list->n_constraints + n > list->constraint_capacity)
                list->constraints = grow(memory, list->constraints, &list->constraint_capacity,
                                         list->n_constraints + n, sizeof(firn_constraint));
        }
        if (!list->holds || (n && !list->constraints)) {
            list->n = list->n_constraints = 0;
            f->has_failed = 1;
            return;
        }
    }
    firn_hold *h = &list->holds[list->n++];
    *h = (firn_hold){.block = block, .node = index, .first = list->n_constraints, .n = n};
    memcpy(h->x, x, sizeof h->x);
    for (int k = 0; k < n; k++) list->constraints[list->n_constraints++] = constraints[k];
}

firn_status firn_implicit_find_holds(firn_sim *sim)
{
    int has_failed = 0;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads) reduction(| : has_failed)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        finder f = {.sim = sim, .list = &sim->mpm->implicit->holds[chunk]};
        f.list->n = f.list->n_constraints = 0;
        for (int part = 0; part < 2; part++) {
            const firn_range blocks = firn_mpm_chunk(sim, chunk, part);
            for (int32_t b = blocks.first; b < blocks.end; b++)
                firn_node_boundary_find(sim, b, chunk, add_hold, &f);
        }
        has_failed |= f.has_failed;
    }
    return has_failed ? FIRN_MEMORY : FIRN_OK;
}

/* ---------------------------------------------------------------- projections */

static void admit(const firn_constraint *c, int with_friction, double v[3])
{
    firn_constraint bare = *c;
    bare.adhesion = 0;
    if (!with_friction) bare.friction = 0;
    firn_constraint_project(&bare, v);
}

void firn_implicit_admit(firn_sim *sim, int chunk, double *v, int with_friction)
{
    const firn_hold_list *list = &sim->mpm->implicit->holds[chunk];
    for (int32_t i = 0; i < list->n; i++) {
        const firn_hold *h = &list->holds[i];
        for (int k = 0; k < h->n; k++)
            admit(&list->constraints[h->first + k], with_friction, v + 3 * index_of(h));
    }
}

/* Takes a direction out of the free ones: P <- P - e e^T with e = P d / |P d|. */
static void fix(double P[6], const double d[3])
{
    double e[3];
    firn_symmetric_times(P, d, e);
    const double square = dot(e, e);
    if (!(square > 1e-12 * dot(d, d))) return;
    P[0] -= e[0] * e[0] / square;
    P[1] -= e[1] * e[1] / square;
    P[2] -= e[2] * e[2] / square;
    P[3] -= e[0] * e[1] / square;
    P[4] -= e[0] * e[2] / square;
    P[5] -= e[1] * e[2] / square;
}

/* Whether a contact holds its node at the velocity v, against the impulse R. */
static int holds_now(const firn_constraint *c, const double v[3], const double R[3], double mass,
                     int was_active, int may_release)
{
    if (c->contact != FIRN_SEPARATE) return 1;
    double away = 0, speed = 1e-300;
    for (int a = 0; a < 3; a++) {
        away += (v[a] - c->limit[a]) * c->normal[a];
        speed += fabs(v[a]) + fabs(c->limit[a]);
    }
    if (away > 1e-9 * speed) return 0;
    if (was_active && !may_release) return 1;
    return dot(R, c->normal) > -mass * c->adhesion;
}

/* Friction of contact k, which holds its node with the normal impulse J. Returns 1 when the node
 * has come to stick now: v is then that of the surface along it. */
static int add_coulomb(const firn_constraint *c, int k, double J, double v[3], const double R[3],
                       int may_release, unsigned stuck, firn_hold *h)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const double *n = c->normal, Rn = dot(R, n), limit = c->friction * J;
    double u[3], Rt[3], un = 0, speed = 1e-300, d[3];
    for (int a = 0; a < 3; a++) un += (v[a] - c->limit[a]) * n[a];
    for (int a = 0; a < 3; a++) {
        u[a] = v[a] - c->limit[a] - un * n[a];
        Rt[a] = R[a] - Rn * n[a];
        speed += fabs(v[a]) + fabs(c->limit[a]);
    }
    const double size = sqrt(dot(u, u)), needed = sqrt(dot(Rt, Rt));
    const int was_sticking = stuck >> k & 1;
    int slips =
        was_sticking ? may_release && needed > limit : size > 1e-9 * speed && dot(u, h->slip) >= 0;
    for (int a = 0; a < 3; a++)
        d[a] = was_sticking ? (needed > 0 ? -Rt[a] / needed : 0) : u[a] / size;
    if (!slips) {
        memset(h->free, 0, sizeof h->free);
        memset(h->slip, 0, sizeof h->slip);
        h->sticks |= 1u << k;
        if (was_sticking) return 0;
        for (int a = 0; a < 3; a++) v[a] = c->limit[a] + un * n[a];
        return size > 0;
    }
    memcpy(h->slip, d, sizeof d);
    const double across = size > 1e-9 * speed ? limit / size : 0;
    for (int a = 0; a < 3; a++) h->force[a] += limit * d[a];
    for (int i = 0; i < 6; i++)
        h->drag[i] += across * ((i < 3) - n[row[i]] * n[column[i]] - d[row[i]] * d[column[i]]);
    return 0;
}

static int classify(const firn_sim *sim, const firn_hold_list *list, firn_hold *h, double *v,
                    const double *R, int may_release)
{
    const double mass = firn_implicit_mass(sim, index_of(h));
    const unsigned before = h->active, stuck = h->sticks;
    const double identity[6] = {1, 1, 1, 0, 0, 0};
    int has_stopped = 0;
    memcpy(h->free, identity, sizeof identity);
    memset(h->force, 0, sizeof h->force);
    memset(h->drag, 0, sizeof h->drag);
    h->active = h->sticks = 0;
    if (h->n == 0) memset(h->free, 0, sizeof h->free);
    for (int k = h->n - 1; k >= 0; k--) {
        const firn_constraint *c = &list->constraints[h->first + k];
        if (c->is_hold) {
            for (int a = 0; a < 3; a++) {
                const double axis[3] = {a == 0, a == 1, a == 2};
                if (!c->free_axes[a]) fix(h->free, axis);
            }
            continue;
        }
        if (c->contact == FIRN_STICK) {
            memset(h->free, 0, sizeof h->free);
            continue;
        }
        if (!holds_now(c, v, R, mass, before >> k & 1, may_release)) continue;
        h->active |= 1u << k;
        fix(h->free, c->normal);
        double J = dot(R, c->normal);
        J = (c->contact == FIRN_SLIP ? fabs(J) : fmax(J, 0)) + mass * c->adhesion;
        if (c->friction > 0) has_stopped |= add_coulomb(c, k, J, v, R, may_release, stuck, h);
    }
    return has_stopped;
}

int firn_implicit_classify(firn_sim *sim, int chunk, double *v, const double *R, int may_release)
{
    firn_hold_list *list = &sim->mpm->implicit->holds[chunk];
    int n_stopped = 0;
    for (int32_t i = 0; i < list->n; i++) {
        const size_t at = 3 * index_of(&list->holds[i]);
        n_stopped += classify(sim, list, &list->holds[i], v + at, R + at, may_release);
    }
    return n_stopped;
}

void firn_implicit_add_friction(const firn_sim *sim, int chunk, double *R)
{
    const firn_hold_list *list = &sim->mpm->implicit->holds[chunk];
    for (int32_t i = 0; i < list->n; i++)
        for (size_t a = 0; a < 3; a++)
            R[3 * index_of(&list->holds[i]) + a] += list->holds[i].force[a];
}

void firn_implicit_project(const firn_sim *sim, int chunk, double *vector)
{
    const firn_hold_list *list = &sim->mpm->implicit->holds[chunk];
    for (int32_t i = 0; i < list->n; i++) {
        double *at = vector + 3 * index_of(&list->holds[i]), out[3];
        firn_symmetric_times(list->holds[i].free, at, out);
        memcpy(at, out, sizeof out);
    }
}

/* ---------------------------------------------------------------- ledger */

/* R with friction, in the free directions, is the error of the solve; the rest is what the
 * constraints gave: J = R - P (R + friction). */
void firn_implicit_book(firn_sim *sim, const double *R, const double *v)
{
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        const firn_hold_list *list = &sim->mpm->implicit->holds[chunk];
        for (int32_t i = 0; i < list->n; i++) {
            const firn_hold *h = &list->holds[i];
            if (h->n == 0) continue;
            const size_t at = 3 * index_of(h);
            firn_node_impulse given = {.index = h->node,
                                       .n = h->n,
                                       .constraints = list->constraints + h->first,
                                       .mass = firn_implicit_mass(sim, index_of(h))};
            double total[3], error[3];
            for (int a = 0; a < 3; a++) total[a] = R[at + (size_t)a] + h->force[a];
            firn_symmetric_times(h->free, total, error);
            if (!(given.mass > 0)) continue;
            for (size_t a = 0; a < 3; a++) {
                given.x[a] = h->x[a];
                given.after[a] = v[at + a];
                given.before[a] = v[at + a] - (R[at + a] - error[a]) / given.mass;
            }
            firn_node_boundary_book(sim, h->block, chunk, &given);
        }
    }
}
