/* SPDX-License-Identifier: MIT */
/* units.h: numbers with units, as written by users, to SI. */
#ifndef FIRN_UNITS_H
#define FIRN_UNITS_H

#include <stddef.h>

enum { FIRN_UNITS_MESSAGE = 256 };

/* Reads "140 kPa", "30 deg", "2cm", "9.81 m/s^2", "1387 Pa s^n", "20 degC" as a number of the
 * wanted unit, in SI.
 * A number without a unit is in SI. `unit`: "Pa", "kg/m^3", "rad", "1", ...; "": any unit.
 * Returns 1, or 0 and a `message` that continues one that begins with the name of the value. */
int firn_units_read(const char *text, const char *unit, double *value,
                    char message[FIRN_UNITS_MESSAGE]);

#endif
