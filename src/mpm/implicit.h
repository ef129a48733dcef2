/* SPDX-License-Identifier: MIT */
/* implicit.h: the system of an implicit step, matrix-free. Unknown: the velocities v of the nodes.
 *
 *     R(v) = m (v - v*) - dt f(v) + friction       f = -sum V0 T((I + dt grad v) F) grad w
 *     A p  = m p - dt df(v)[p] + friction' p       by G2P, the laws' tangents, P2G
 *
 * with v* the velocity from momentum, gravity and force fields, and T the flux of law_tangent.h.
 * implicit_loops.c has the loops over particles, implicit_nodes.c the constraints of nodes as
 * projections, implicit_newton.c the solution, integrator_implicit.c the step. */
#ifndef FIRN_IMPLICIT_H
#define FIRN_IMPLICIT_H

#include "mpm/mpm.h"
#include "solver/constraint.h"

/* A node that boundaries constrain. */
typedef struct firn_hold {
    int32_t block, node;
    int32_t first, n; /* its constraints; n = 0: image of another node, no unknown */
    double x[3];      /* m */
    double base[3];   /* m/s: velocity from which a line search starts */
    double free[6];   /* projector onto the free directions, xx yy zz xy xz yz */
    double force[3];  /* N s: impulse of friction, with the sign of R */
    double drag[6];   /* kg: its derivative */
    unsigned active;  /* bits of contacts that hold now */
    unsigned sticks;  /* bits of those that do not slip */
    double slip[3];   /* direction of slip; 0 0 0: not known yet */
} firn_hold;

/* Those of one chunk of nodes, in the order of nodes. */
typedef struct firn_hold_list {
    firn_hold *holds;
    firn_constraint *constraints;
    int32_t n, capacity, n_constraints, constraint_capacity;
} firn_hold_list;

/* What a Newton solve did; counts since the start are kept in firn_implicit. */
typedef struct firn_implicit_counts {
    int64_t n_solves, n_newton, n_products, n_evaluations, n_indefinite, n_failed;
} firn_implicit_counts;

typedef struct firn_implicit {
    double dt;      /* s: of the system; the step's, or half of it (midpoint) */
    double share;   /* dt over the step's */
    double taken;   /* part of the step that is taken: less than 1 where a load step goes too far */
    double *before; /* [n_blocks][64][3] velocities before the step: midpoint; else NULL */
    double inertia; /* factor on the nodes' mass in R and A: 1; quasi-static: a small one */
    double *target; /* [n_blocks][64][3] v* */
    double *v, *r, *step, *search;
    float *jacobi;  /* [n_blocks][64][6] inverse of the diagonal blocks */
    void *in, *out; /* [n_blocks][64][4] reals: of a product */
    size_t n_nodes; /* capacity of these */
    void **grad_v;  /* [n_materials] [bundles][9][16]: of the velocities of the last residual */
    int64_t *grad_v_bundles;
    char *scratch; /* of threads */
    size_t scratch_bytes, scratch_size;
    double (*sums)[4]; /* [owners] of particles, by block */
    int32_t sum_capacity;
    firn_hold_list holds[FIRN_CHUNKS];
    double stress, modulus; /* Pa: root mean square of the flux; mean of lambda + 2 mu */
    double volume;          /* m^3, of the particles */
    double speed;     /* m/s: largest component of a particle's velocity in the last residual */
    int is_bad;       /* the last residual met a state without an answer */
    int n_on_the_way; /* load steps in a row that did not reach equilibrium */
    firn_implicit_counts counts;
    double residual, scale; /* N s: of the last solve, and what it is compared with */
    int last_newton, last_products;
    int is_indefinite;  /* the last iteration of the last solve met negative curvature */
    double history[48]; /* N s: residuals of the last solve, [last_newton + 1] */
} firn_implicit;

/* Room for the present blocks and particles. */
firn_status firn_implicit_reserve(firn_sim *sim);
void firn_implicit_clear(firn_sim *sim);

/* ---- implicit_loops.c */

/* out = dt f at the velocities v, folded, `booked` of it at mirror walls; keeps grad v, stress,
 * is_bad. */
void firn_implicit_force(firn_sim *sim, const double *v, double booked);
/* out = dt df[p] at the velocities of the last force, folded. */
void firn_implicit_product(firn_sim *sim, const double *p);
/* Velocities of particles to zero: they are rates of the last load step, not momentum. */
void firn_implicit_stop_particles(firn_sim *sim);
/* Inverse diagonal blocks, from isotropic moduli measured on the tangents; sets modulus. */
void firn_implicit_precondition(firn_sim *sim);

/* Work on the blocks of one chunk of nodes, owner blocks and halo; partial sums in sum[4], which
 * are added in the order of chunks. */
typedef void (*firn_chunk_work)(firn_sim *sim, int chunk, firn_range blocks, double sum[4],
                                void *user);
void firn_implicit_each_chunk(firn_sim *sim, firn_chunk_work work, double sum[4], void *user);

static inline double firn_implicit_value(const firn_sim *sim, const void *array, size_t i)
{
    return sim->mpm->kernels->is_double ? ((const double *)array)[i]
                                        : (double)((const float *)array)[i];
}
/* kg; nodes without enough of it are no unknowns. */
static inline double firn_implicit_mass(const firn_sim *sim, size_t node)
{
    return firn_implicit_value(sim, sim->mpm->grid.nodes, 4 * node + 3);
}

/* ---- implicit_nodes.c */

/* Lists the constraints of all nodes; force fields act on the grid's velocities. */
firn_status firn_implicit_find_holds(firn_sim *sim);
/* v to the nearest velocity that all constraints of a chunk's nodes admit; with friction: as in an
 * explicit step. */
void firn_implicit_admit(firn_sim *sim, int chunk, double *v, int with_friction);
/* Free directions and friction at the velocities v, from the impulses R that hold them. Returns how
 * many nodes came to stick, whose velocity has changed. */
int firn_implicit_classify(firn_sim *sim, int chunk, double *v, const double *R, int may_release);
/* Adds the impulses of friction to R, its derivative times p to q. */
void firn_implicit_add_friction(const firn_sim *sim, int chunk, double *R);
/* Removes the constrained part of a vector. */
void firn_implicit_project(const firn_sim *sim, int chunk, double *vector);
/* The ledger: impulse R of each held node, less what is left in its free directions. */
void firn_implicit_book(firn_sim *sim, const double *R, const double *v);

static inline void firn_symmetric_times(const double s[6], const double v[3], double out[3])
{
    const double x = v[0], y = v[1], z = v[2];
    out[0] = s[0] * x + s[3] * y + s[4] * z;
    out[1] = s[3] * x + s[1] * y + s[5] * z;
    out[2] = s[4] * x + s[5] * y + s[2] * z;
}

/* ---- implicit_newton.c */

/* Solves R(v) = 0 from firn_implicit.v; 0: did not converge, with the reason in `why`. */
int firn_implicit_solve(firn_sim *sim, char *why, size_t n_why);

#endif
