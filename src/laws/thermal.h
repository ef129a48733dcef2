/* SPDX-License-Identifier: MIT */
/* thermal.h: the thermal properties of a material: they belong to the material, whatever its law.
 *
 *   h(T)   specific enthalpy, J/kg; 0 at 273.15 K
 *   f      liquid fraction: 0 up to the solidus, 1 from the liquidus on
 *
 *     h ^                    /        c_l   slope of the liquid
 *       |                   /
 *       |        ..........*          T_l   liquidus
 *       |       :  latent  :
 *       |  ____*           :          T_s   solidus; T_s = T_l: melting at a point
 *       | /    c_s, slope of the solid
 *       +-------------------------> T
 *
 * Between the knots (temperatures of the tables, solidus, liquidus) the apparent capacity dh/dT is
 * linear in T, so h is a parabola and its inverse is closed. In the melting interval
 * dh/dT = (1-f) c_s + f c_l + L/(T_l - T_s) with f linear in T; at a point f is linear in h.
 *
 * Supercooling: what is all liquid stays liquid until T_s - supercooling, then jumps to the
 * equilibrium of its enthalpy (recalescence): enthalpy is conserved.
 *
 * V. R. Voller, C. Prakash, A fixed grid numerical modelling methodology for convection-diffusion
 * mushy region phase-change problems, Int. J. Heat Mass Transfer 30, 1709-1719, 1987. */
#ifndef FIRN_THERMAL_H
#define FIRN_THERMAL_H

#include "firn/defs.h"
#include "firn/laws.h"

typedef enum firn_thermal_parameter {
    FIRN_THERMAL_CAPACITY,
    FIRN_THERMAL_CAPACITY_LIQUID,
    FIRN_THERMAL_CONDUCTIVITY,
    FIRN_THERMAL_CONDUCTIVITY_LIQUID,
    FIRN_THERMAL_LATENT,
    FIRN_THERMAL_SOLIDUS,
    FIRN_THERMAL_LIQUIDUS,
    FIRN_THERMAL_SUPERCOOLING,
    FIRN_THERMAL_EXPANSION,
    FIRN_THERMAL_EMISSIVITY,
    FIRN_THERMAL_TAYLOR_QUINNEY,
    FIRN_THERMAL_PARAMETERS
} firn_thermal_parameter;

enum { FIRN_THERMAL_KNOTS = 2 * FIRN_MAX_TABLE + 3 };

/* A quantity over temperature: linear between rows, constant beyond them. */
typedef struct firn_thermal_table {
    int n;
    double T[FIRN_MAX_TABLE], value[FIRN_MAX_TABLE];
} firn_thermal_table;

typedef struct firn_thermal {
    int is_on; /* the material has a heat capacity */
    int melts; /* it has a solidus */
    int n;     /* knots */
    double T[FIRN_THERMAL_KNOTS], h[FIRN_THERMAL_KNOTS], f[FIRN_THERMAL_KNOTS];
    /* dh/dT at the ends of the segment that begins at a knot; of the last: beyond it */
    double from[FIRN_THERMAL_KNOTS], to[FIRN_THERMAL_KNOTS];
    double before;                                   /* dh/dT below the first knot */
    firn_thermal_table capacity[2], conductivity[2]; /* solid, liquid */
    double solidus, liquidus, latent, supercooling, expansion, emissivity, taylor_quinney;
} firn_thermal;

/* From the parameters' values and tables, in the order of firn_thermal_parameter. Returns NULL, or
 * what is wrong, and in *parameter with which of them. */
const char *firn_thermal_make(firn_thermal *thermal, const double *value, const int *n_table,
                              double (*table_T)[FIRN_MAX_TABLE],
                              double (*table_value)[FIRN_MAX_TABLE], int *parameter);

/* In equilibrium; at a melting point the solid's. */
double firn_thermal_enthalpy(const firn_thermal *thermal, double T);
double firn_thermal_fraction(const firn_thermal *thermal, double T);
/* Temperature and liquid fraction of an enthalpy; *f: the fraction before, and after. */
double firn_thermal_temperature(const firn_thermal *thermal, double h, double *f);
/* Sensible heat capacity and conductivity of the mixture. */
double firn_thermal_capacity(const firn_thermal *thermal, double T, double f);
double firn_thermal_conductivity(const firn_thermal *thermal, double T, double f);

#endif
