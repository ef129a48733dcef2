/* SPDX-License-Identifier: MIT */
/* history.c: quantities that laws store in different measures, by the roles of their tables. */
#include "laws/history.h"

#include <math.h>

static firn_quantity quantity_of(firn_history_role role, int *has_quantity)
{
    *has_quantity = role != FIRN_HISTORY_OWN;
    switch (role) {
    case FIRN_HISTORY_PLASTIC_STRAIN:
    case FIRN_HISTORY_PLASTIC_STRAIN_LENGTH: return FIRN_QUANTITY_PLASTIC_STRAIN;
    case FIRN_HISTORY_DAMAGE: return FIRN_QUANTITY_DAMAGE;
    default: return FIRN_QUANTITY_PLASTIC_VOLUME;
    }
}

int firn_history_find(const firn_law_info *law, firn_quantity quantity)
{
    for (int k = 0; k < law->n_history; k++) {
        int has_quantity;
        if (quantity_of(law->history[k].role, &has_quantity) == quantity && has_quantity) return k;
    }
    return -1;
}

double firn_history_value(const firn_history_info *component, double stored)
{
    switch (component->role) {
    case FIRN_HISTORY_PLASTIC_LOG_VOLUME: return exp(stored);
    case FIRN_HISTORY_PLASTIC_STRAIN_LENGTH: return sqrt(2.0 / 3) * stored;
    default: return stored;
    }
}

double firn_history_stored(const firn_history_info *component, double value)
{
    switch (component->role) {
    case FIRN_HISTORY_PLASTIC_LOG_VOLUME: return log(value);
    case FIRN_HISTORY_PLASTIC_STRAIN_LENGTH: return value / sqrt(2.0 / 3);
    default: return value;
    }
}
