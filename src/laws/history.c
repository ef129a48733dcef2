/* SPDX-License-Identifier: MIT */
/* history.c: quantities that laws store in different measures, by the roles of their tables.
 *
 *   role                   quantity         value from what is stored
 *   PLASTIC_VOLUME         plastic volume   h
 *   PLASTIC_LOG_VOLUME     plastic volume   exp(h)
 *   PLASTIC_STRAIN         plastic strain   h
 *   PLASTIC_STRAIN_LENGTH  plastic strain   sqrt(2/3) h: in uniaxial tension at constant volume the
 *                                           length of (1, -1/2, -1/2) e is sqrt(3/2) e
 *   DAMAGE                 damage           h */
#include "laws/history.h"

#include <math.h>

const char *firn_quantity_name(firn_quantity quantity)
{
    static const char *const names[FIRN_N_QUANTITIES + 1] = {"Jp", "plastic_strain", "damage",
                                                             NULL};
    return names[quantity];
}

firn_quantity firn_quantity_of(firn_history_role role)
{
    switch (role) {
    case FIRN_HISTORY_PLASTIC_VOLUME:
    case FIRN_HISTORY_PLASTIC_LOG_VOLUME: return FIRN_QUANTITY_PLASTIC_VOLUME;
    case FIRN_HISTORY_PLASTIC_STRAIN:
    case FIRN_HISTORY_PLASTIC_STRAIN_LENGTH: return FIRN_QUANTITY_PLASTIC_STRAIN;
    case FIRN_HISTORY_DAMAGE: return FIRN_QUANTITY_DAMAGE;
    default: return FIRN_QUANTITY_NONE;
    }
}

int firn_history_find(const firn_law_info *law, firn_quantity quantity)
{
    for (int k = 0; k < law->n_history && quantity != FIRN_QUANTITY_NONE; k++)
        if (firn_quantity_of(law->history[k].role) == quantity) return k;
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
