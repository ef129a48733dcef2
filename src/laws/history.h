/* SPDX-License-Identifier: MIT */
/* history.h: what the history of a law says in terms that hold for every law, read from the roles
 * in its table (firn/laws.h). */
#ifndef FIRN_HISTORY_H
#define FIRN_HISTORY_H

#include "firn/laws.h"

typedef enum firn_quantity {
    FIRN_QUANTITY_PLASTIC_VOLUME, /* J_p = det F_p; a law without it flows at constant volume: 1 */
    FIRN_QUANTITY_PLASTIC_STRAIN, /* integral of sqrt(2/3) |dev d_p| dt; elastic laws: 0 */
    FIRN_QUANTITY_DAMAGE,         /* 0 whole, 1 broken; a law without it stays whole: 0 */
    FIRN_N_QUANTITIES,
    FIRN_QUANTITY_NONE = FIRN_N_QUANTITIES
} firn_quantity;

/* The attribute of particles that shows it: "Jp", "plastic_strain", "damage"; NULL: of none. */
const char *firn_quantity_name(firn_quantity quantity);
firn_quantity firn_quantity_of(firn_history_role role);

/* The component of the history that holds the quantity; -1: none. */
int firn_history_find(const firn_law_info *law, firn_quantity quantity);
/* The quantity from what its component stores, and back. */
double firn_history_value(const firn_history_info *component, double stored);
double firn_history_stored(const firn_history_info *component, double value);

#endif
