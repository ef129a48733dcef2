/* SPDX-License-Identifier: MIT */
/* transfer_damping.h: what a round trip of velocities from particles to the grid and back takes from
 * them, by wavelength, and damping stated per time instead of per step. */
#ifndef FIRN_TRANSFER_DAMPING_H
#define FIRN_TRANSFER_DAMPING_H

#include "mpm/block_loops.h"

/* Whether the definition states its damping per time. */
int firn_transfer_damping_is_per_time(const firn_transfer_def *def);
/* Sets the share that each material keeps over a step of sim->dt, where damping is per time. */
void firn_transfer_damping_set(firn_sim *sim);
/* The share of a velocity unseen by the grid that is kept over a step, whatever the scheme. */
static inline double firn_transfer_damping_kept(const firn_transfer *transfer)
{
    return transfer->flip > transfer->keep ? transfer->flip : transfer->keep;
}

/* APIC with damping per time, around the G2P of a block: `take` reads nodes before forces (the
 * patch w->unseen) and stores keep * (v, C - what the grid knows of them) in the workspace, `give`
 * adds it to what G2P has made of v and C. */
void firn_transfer_damping_take(const firn_sim *sim, const firn_block_material *r,
                                const firn_workspace *w);
void firn_transfer_damping_give(const firn_sim *sim, const firn_block_material *r,
                                const firn_workspace *w);

/* The factor by which a round trip without forces multiplies a velocity wave of k h radians a cell
 * (0 < k h <= pi) in a regular body with many particles a cell. */
double firn_transfer_damping_factor(const firn_transfer *transfer, double kh);
/* The kinematic viscosity (m^2/s) that damps such a wave as much, with steps of dt. */
double firn_transfer_damping_viscosity(const firn_transfer *transfer, double kh, double dt);

/* The viscosity of the last step's transfers in a layer of so many cells (a quarter of a wave: held
 * on one side, free on the other), for the material to which it means most. */
typedef struct firn_transfer_damping_found {
    double numerical, own; /* m^2/s; own: an upper bound, 0 if inviscid. 0 0 before a step */
    int material;
} firn_transfer_damping_found;
firn_transfer_damping_found firn_transfer_damping_find(const firn_sim *sim, double cells);
/* Warns where it is more than a tenth of the material's own; 1 if so. */
int firn_transfer_damping_warn(const firn_sim *sim, double cells, firn_messages *messages);

#endif
