/* SPDX-License-Identifier: MIT */
/* heat.h: conduction of heat on the grid, and its exchange with what surrounds the material.
 * README.md, section 15, is the theory.
 *
 *     heat.c            the sub-steps and their loops over blocks
 *     heat_nodes.c      nodes: temperatures, conditions on walls
 *     heat_particles.c  particles: what they give to nodes and take from them */
#ifndef FIRN_MPM_HEAT_H
#define FIRN_MPM_HEAT_H

#include "mpm/mpm.h"
#include "mpm/workspace.h"

struct firn_block_material;

/* Nodes of a sub-step, [block][64]. Temperatures are relative to sim->heat->reference. */
typedef struct firn_heat_grid {
    int32_t capacity, n_owners; /* blocks, and owner blocks, that there is room for */
    double *C;                  /* J/K: sum w m c; then the conductance of the sub-step */
    double *C_folded;           /* with the mirror images beyond walls */
    double *T;                  /* K, at the beginning of the sub-step; sum w m c T before */
    double *R;                  /* J: conducted and deposited in the sub-step; then K: the change */
    double *fill;               /* share of the node's volume that is filled */
    double *alpha;              /* m^2/s: diffusivity */
    void *nodes, *flux;         /* reals of the variant, four channels */
    void *exchange;             /* the same: G T_e + deposits, those of colliders, their G, G */
    int exchanges;              /* some surface exchanges heat */
    double (*taken)[2];         /* [block] J through surfaces, and of it from colliders */
    double (*range)[2];         /* [block] of T, before and after */
    struct firn_heat_report *reports; /* [material][owner] */
    double *measure;                  /* [owner][source] kg or m^2 */
} firn_heat_grid;

/* The sums of the particles of one material in one owner block. */
typedef struct firn_heat_report {
    firn_heat_sums sums;
    double conductance; /* J/K: of its surfaces in a sub-step */
    double work;        /* J: of plastic and viscous work in this step */
    double alpha;       /* largest, m^2/s */
    int is_bad;         /* a temperature that is no temperature, */
    uint32_t id;        /* of this particle */
    double T;
} firn_heat_report;

/* Room for the present blocks, before the mechanics of a step. */
firn_status firn_heat_prepare(firn_sim *sim, firn_messages *messages);
/* After the mechanics of a step. Heat follows in steps of its own, not before it must: see heat.c.
 * must: the interval ends here. */
firn_status firn_heat_step(firn_sim *sim, int must, firn_messages *messages);
/* The largest stable sub-step, s; infinite without conduction. */
double firn_heat_stable_dt(firn_sim *sim);
void firn_heat_clear(firn_sim *sim);

/* heat_nodes.c. From sums of particles to temperatures, mirrored at walls: T, fill and alpha to
 * `nodes`. */
void firn_heat_nodes_begin(firn_sim *sim);
/* From `flux` to changes of temperature; the mixtures that particles gather to `nodes`:
 * dT + b T, T + dT, b. */
void firn_heat_nodes_end(firn_sim *sim, double dt);

/* heat_particles.c. The state of a particle that begins with this temperature. */
void firn_heat_particles_begin(firn_sim *sim, firn_particles *particles, int64_t bundle, int lane,
                               double T);
/* J of a particle, thermal and what rests. */
double firn_heat_particles_energy(const firn_particles *particles, int64_t bundle, int lane);
/* h += dh of a particle, J/kg; its temperature and liquid fraction follow. */
void firn_heat_particles_add(firn_particles *particles, int64_t bundle, int lane, double dh);
/* Heat of the plastic and viscous work of a step, J/m^3 by lanes. */
void firn_heat_particles_work(firn_sim *sim, const struct firn_block_material *r,
                              const firn_workspace *w);
/* The payload that goes to nodes: temperatures weighted by heat capacity. */
void firn_heat_particles_load(const firn_sim *sim, struct firn_block_material *r,
                              const firn_workspace *w, firn_heat_report *report);
/* Whether surfaces of this material, or of any, exchange heat. */
int firn_heat_particles_has_surfaces(const firn_sim *sim, const firn_thermal *thermal);
/* From temperatures and their gradients at particles (w->before, w->grad_v): fluxes, and what
 * sources deposit; then, where there are surfaces, the payload of their exchange. */
void firn_heat_particles_exchange(const firn_sim *sim, struct firn_block_material *r,
                                  const firn_workspace *w, double dt, firn_heat_report *report);
void firn_heat_particles_surface(const firn_sim *sim, struct firn_block_material *r,
                                 const firn_workspace *w, double dt, firn_heat_report *report);
/* Mass or surface of the block's particles in each source. */
void firn_heat_particles_measure(const firn_sim *sim, const struct firn_block_material *r,
                                 const firn_workspace *w, double *measure);
/* New enthalpies from what nodes hold (w->before, w->wave: values and affine moments). */
void firn_heat_particles_take(const firn_sim *sim, const struct firn_block_material *r,
                              const firn_workspace *w, const double range[2],
                              firn_heat_report *report);

static inline double firn_heat_real(const void *array, int is_double, size_t i)
{
    return is_double ? ((const double *)array)[i] : (double)((const float *)array)[i];
}
static inline void firn_heat_put(void *array, int is_double, size_t i, double value)
{
    if (is_double)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

#endif
