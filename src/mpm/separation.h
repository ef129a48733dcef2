/* SPDX-License-Identifier: MIT */
/* separation.h: material whose particles are too far apart to hold each other. */
#ifndef FIRN_SEPARATION_H
#define FIRN_SEPARATION_H

#include "firn/sim.h"

/* How many times its length the most stretched fibre has: the largest singular value of F. */
double firn_separation_stretch(const double F[9]);
/* Adds a particle to max_gap and what goes with it. `size`: its volume before it was stretched,
 * m^3. */
void firn_separation_add(firn_ledger *ledger, const double F[9], double size, double h, int64_t id,
                         const double x[3]);

/* Cells from particle to particle as a body or emitter is defined; 0: only its file of points
 * knows. */
double firn_separation_of_body(const firn_scene_def *scene, const firn_body_def *body);
double firn_separation_of_emitter(const firn_emitter_def *emitter);
/* The sentence behind "bodies.NAME" where that is too much; 0: it is not. */
int firn_separation_is_wide(double gap, double dx, char *sentence, size_t n_bytes);

/* A material is warned of once: `warned`, a byte for each, is the caller's. Begins with those
 * whose bodies are too sparse by definition, which the scene's reader has warned. */
void firn_separation_begin(const firn_scene_def *scene, unsigned char *warned);
void firn_separation_warn(const firn_scene_def *scene, int material, const firn_ledger *ledger,
                          double time, unsigned char *warned, firn_messages *messages);
/* The same for all materials of a simulation, from ledgers made for it. */
firn_status firn_separation_measure(const firn_scene_def *scene, firn_sim *sim,
                                    unsigned char *warned, firn_messages *messages);

#endif
