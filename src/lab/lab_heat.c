/* SPDX-License-Identifier: MIT */
/* lab_heat.c: temperature of a material point.
 *
 * Thermal expansion as in the solver (mpm/heat_particles.c): a free particle becomes larger by
 * exp(alpha dT), which is taken out of its elastic F, so that a clamped one is stressed:
 *
 *     F_e <- exp(-alpha (T - T_before)) F_e
 *
 * Adiabatic: enthalpy grows by the share of plastic and viscous work that becomes heat, and T and
 * the liquid fraction follow from it, latent heat included:
 *
 *     dh = taylor_quinney dW / rho */
#include "lab/lab.h"

#include <math.h>

void firn_lab_heat(firn_lab_point *point, double temperature)
{
    const firn_thermal *thermal = &point->material->thermal;
    const double grown = thermal->expansion * (temperature - point->temperature);
    for (int c = 0; grown != 0 && c < 9; c++) point->state.F_elastic[c] *= exp(-grown);
    point->temperature = temperature;
}

void firn_lab_warm(firn_lab_point *point, double work, double *enthalpy, double *liquid)
{
    const firn_thermal *thermal = &point->material->thermal;
    *enthalpy += thermal->taylor_quinney * work / point->material->density;
    firn_lab_heat(point, firn_thermal_temperature(thermal, *enthalpy, liquid));
}
