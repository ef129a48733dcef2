/* SPDX-License-Identifier: MIT */
/* pressure.h: pressures on the free surface of material, which follow it (`pressures` of a
 * scene). */
#ifndef FIRN_PRESSURE_H
#define FIRN_PRESSURE_H

#include "mpm/block_loops.h"

/* Only where the scene has pressures. */
firn_status firn_pressure_create(firn_sim *sim, const firn_scene_def *scene,
                                 firn_messages *messages);
void firn_pressure_clear(firn_sim *sim);
static inline int firn_pressure_any(const firn_sim *sim) { return sim->mpm->pressures != NULL; }

/* Room for all owner blocks; at a sort. */
firn_status firn_pressure_reserve(firn_sim *sim);
/* The factors in the middle of the step that begins now. */
void firn_pressure_prepare(firn_sim *sim);
/* Adds them to the flux and the pulls that P2G transfers for a block; has_pull: w->pull holds
 * some. */
void firn_pressure_push(const firn_sim *sim, int32_t owner, firn_block_material *r,
                        const firn_workspace *w, int has_pull);
/* Their work on a block in the step, after G2P. */
void firn_pressure_work(const firn_sim *sim, int32_t owner, const firn_block_material *r,
                        const firn_workspace *w);
/* Enters both into the sums of a material, blocks in their order. */
void firn_pressure_collect(const firn_sim *sim, int material, firn_ledger_sums *sums);

#endif
