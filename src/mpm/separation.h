/* SPDX-License-Identifier: MIT */
/* separation.h: numerical fracture: the distance between neighbouring particles in cells, measured
 * and warned of. */
#ifndef FIRN_SEPARATION_H
#define FIRN_SEPARATION_H

#include "firn/sim.h"

/* The largest stretch of any fibre: the largest singular value of F. */
double firn_separation_stretch(const double F[9]);
/* Includes a particle in max_gap. `size`: its volume before deformation, m^3. */
void firn_separation_add(firn_ledger *ledger, const double F[9], double size, double h, int64_t id,
                         const double x[3]);

/* Distance of neighbouring particles in cells by definition of a body or emitter; 0: known only
 * from its file of points. */
double firn_separation_of_body(const firn_scene_def *scene, const firn_body_def *body);
double firn_separation_of_emitter(const firn_emitter_def *emitter);
/* The message after "bodies.NAME" where the gap is too large; 0: it is not. */
int firn_separation_is_wide(double gap, double dx, char *sentence, size_t n_bytes);

/* Each material is warned of once: `warned`, a byte for each, belongs to the caller. begin sets it
 * for liquids and for materials whose bodies are too sparse by definition, of which the scene's
 * reader warns. */
void firn_separation_begin(const firn_scene_def *scene, unsigned char *warned);
void firn_separation_warn(const firn_scene_def *scene, int material, const firn_ledger *ledger,
                          double time, unsigned char *warned, firn_messages *messages);
/* The same for all materials of a simulation, from ledgers made here. */
firn_status firn_separation_measure(const firn_scene_def *scene, firn_sim *sim,
                                    unsigned char *warned, firn_messages *messages);

#endif
