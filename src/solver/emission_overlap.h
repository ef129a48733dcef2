/* SPDX-License-Identifier: MIT */
/* emission_overlap.h: births where something is already (overlap.h). */
#ifndef FIRN_EMISSION_OVERLAP_H
#define FIRN_EMISSION_OVERLAP_H

#include "solver/emitter.h"
#include "solver/overlap.h"

/* Births of one emitter in one step that are taken by a collider (0) or by material (1). */
typedef struct firn_births_taken {
    int64_t n[2], n_cut;   /* how many; how many of both are left out */
    double depth, x[2][3]; /* m, the deepest in a collider; places */
    int is_refused;
    firn_overlap_fill
        fill; /* material that is there when an emitter begins; share NULL: not known */
} firn_births_taken;

/* Before the births of an emitter; colliders get their pose of the present time. */
void firn_births_taken_begin(firn_sim *sim, firn_births_taken *taken);
/* Before an emitter fills its shape for the first time. */
firn_status firn_births_taken_see_material(firn_sim *sim, const firn_emitter *e,
                                           firn_births_taken *taken);
/* Whether a birth at x in the world is left out. */
int firn_births_are_taken(const firn_sim *sim, const firn_emitter *e, const double x[3],
                          firn_births_taken *taken);
/* The first births of an emitter that meet something are reported, or refused; n were not left
 * out. */
firn_status firn_births_taken_tell(firn_emitter *e, int64_t n, const firn_births_taken *taken,
                                   firn_messages *messages);

#endif
