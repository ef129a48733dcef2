/* SPDX-License-Identifier: MIT */
/* attributes.h: the solver's particles as a firn_points table, ordered by id, for caches,
 * pictures and reports. */
#ifndef FIRN_ATTRIBUTES_H
#define FIRN_ATTRIBUTES_H

#include "firn/laws.h"
#include "firn/sim.h"
#include "points/points.h"

/* `attributes`: names separated by blanks, from the table below and the history fields of the laws
 * in use (0 for particles of other laws); "": P v id pscale material Cd, and Jp where a law changes
 * its volume plastically. nth: every nth particle by id (1: all). Sets the details time, dx, dt and
 * firn_version; the caller sets frame.
 *
 * An attribute that has no meaning for some particle is refused, never filled with zeros. */
firn_status firn_snapshot_take(firn_sim *sim, const char *attributes, int nth, firn_points **points,
                               firn_messages *messages);

/* The table behind it, for help and info; i from 0 until NULL is returned. */
typedef struct firn_attribute_info {
    const char *name, *unit, *meaning;
    firn_attribute_type type;
    int n_components;
} firn_attribute_info;
const firn_attribute_info *firn_attribute_at(int i);

/* Whether particles of some laws can have an attribute: ask for the law of each material in turn,
 * then for the reason to refuse it (0: there is none). yield, plastic_strain and damage need a law
 * that has them; plastic_strain also that no law flows without keeping it. */
typedef struct firn_attribute_answer {
    int n_carrying;               /* materials whose law has it */
    const firn_law_info *lacking; /* a law of whose particles it would be untrue */
} firn_attribute_answer;
void firn_attribute_ask(const char *name, const firn_law_info *law, firn_attribute_answer *answer);
int firn_attribute_refusal(const char *name, const firn_attribute_answer *answer, char *why,
                           size_t n_why);

#endif
