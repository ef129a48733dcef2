/* SPDX-License-Identifier: MIT */
/* flow_curve.h: the shear stress of a material in steady simple shear, from its law's own return
 * map and viscosity: what flow a law has, whichever way it computes it. */
#ifndef FIRN_FLOW_CURVE_H
#define FIRN_FLOW_CURVE_H

#include "laws/law.h"

/* Pa, at the shear rate (1/s) and temperature (K); NAN where the stress is not steady after a shear
 * strain of 20: an elastic solid. A rate-independent one gives its yield stress. */
double firn_flow_curve_stress(const firn_material *material, double temperature, double rate);

/* Whether the stress depends on the rate: a ratio of 1 to 100 between two rates gives one above
 * 1.02. */
int firn_flow_curve_is_viscous(const firn_material *material, double temperature);

#endif
