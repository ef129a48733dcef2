/* SPDX-License-Identifier: MIT */
/* firn/laws.h: the register of constitutive laws, their parameters and presets. What
 * `firn materials` prints and what a scene file is checked against come from here. */
#ifndef FIRN_LAWS_H
#define FIRN_LAWS_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_parameter_info {
    const char *name, *unit, *meaning; /* unit as in scene files: "Pa", "kg/m^3", "rad", "1" */
    double value, min, max;            /* default and allowed range (inclusive) */
    int is_strength;                   /* weak planes (lumps) multiply it */
} firn_parameter_info;

/* What a number of the history means for every law alike. Attributes, the ledger and the lab are
 * made from these roles, so that none of them knows a law by name.
 *
 *     F_total = F F_p     F is the elastic part that the solver carries
 *     d_p                 rate of plastic deformation, its axes those of the stress
 */
typedef enum firn_history_role {
    FIRN_HISTORY_OWN,                   /* of no meaning outside the law */
    FIRN_HISTORY_PLASTIC_VOLUME,        /* J_p = det F_p: the volume ratio is det F J_p */
    FIRN_HISTORY_PLASTIC_LOG_VOLUME,    /* ln J_p */
    FIRN_HISTORY_PLASTIC_STRAIN,        /* integral of sqrt(2/3) |dev d_p| dt */
    FIRN_HISTORY_PLASTIC_STRAIN_LENGTH, /* integral of |dev d_p| dt */
    FIRN_HISTORY_DAMAGE,                /* broken share of the structure, 0 .. 1; it may heal */
} firn_history_role;

typedef struct firn_history_info {
    const char *name, *unit, *meaning; /* a number that each particle carries, e.g. Jp */
    double initial;
    firn_history_role role;
} firn_history_info;

/* Where a law's answer is no longer that of its equations, because a number is held at a bound so
 * that it stays finite. Counted once per particle, step and kind: ledger, progress, attribute
 * `bounded`. Flow onto a yield surface is none of them. */
typedef enum firn_bound {
    FIRN_BOUND_INVERTED,  /* det F <= 0, where the law has no such state */
    FIRN_BOUND_PARAMETER, /* noise, temperature or paint took a parameter out of its range */
    FIRN_BOUND_COLLAPSED, /* a stretch of nothing: its logarithm is held */
    FIRN_BOUND_VOLUME,    /* a volume ratio is held */
    FIRN_BOUND_CONTINUED, /* the energy is continued beyond the law's own range */
    FIRN_BOUND_HARDENING, /* hardening or softening is held */
    FIRN_BOUND_FLOW,      /* the flow of a step is held, or is not that of a motion */
    FIRN_BOUND_MEMORY,    /* a tensor of the history, or the motion that it follows, is held */
    FIRN_N_BOUNDS
} firn_bound;

typedef struct firn_bound_info {
    firn_bound kind;
    const char *meaning; /* what is held where */
} firn_bound_info;

typedef struct firn_preset_info {
    const char *name, *note; /* e.g. "powder_snow"; the note cites where the numbers come from */
    const char *settings;    /* "E=1.4e5 nu=0.2 ..." in SI */
    const char *alias;       /* a former name, by which it is still found; NULL: none */
} firn_preset_info;

/* Parameters that are admissible together: a product or quotient of some of them, such as "yield /
 * E", and the range outside of which the law degenerates. Told before a run, at the first. */
typedef struct firn_relation_info {
    const char *terms; /* names with * and / between them, from left to right */
    double min, max;   /* inclusive */
    const char *otherwise;
} firn_relation_info;

typedef struct firn_law_info {
    const char *name, *title, *equations, *citation, *validity;
    int n_parameters;
    const firn_parameter_info *parameters;
    int n_history;
    const firn_history_info *history;
    int n_bounds; /* of its own: inverted and parameter are every law's */
    const firn_bound_info *bounds;
    int n_relations;
    const firn_relation_info *relations;
    int n_presets;
    const firn_preset_info *presets;
    int is_isotropic;
    int is_fluid;      /* keeps the volume ratio alone: det F, times any shape */
    int is_plastic;    /* yields. Without a role of plastic volume its flow keeps the volume */
    const char *alias; /* a former name, by which it is still found; NULL: none */
    int can_fail;      /* strained too far it has no answer, and a run is stopped: see validity */
    /* The law that this one adds parameters to and takes the place of where one of them, or a
     * preset of its own, is asked for; NULL: none. It knows the presets of that law too. */
    const char *extends;
} firn_law_info;

FIRN_API int firn_law_count(void);
FIRN_API const firn_law_info *firn_law_at(int i);
/* By its name or its alias; NULL: there is no such law. */
FIRN_API const firn_law_info *firn_law_find(const char *name);

/* Name of a kind of bound, and what it means for a law; NULL: the law has no such bound. */
FIRN_API const char *firn_bound_name(int kind);
FIRN_API const char *firn_bound_meaning(const firn_law_info *law, int kind);

/* Thermal properties, which a material of any law may have besides the law's parameters: heat
 * capacity, conductivity, latent heat, ...; i from 0 to firn_thermal_parameter_count() - 1. */
FIRN_API int firn_thermal_parameter_count(void);
FIRN_API const firn_parameter_info *firn_thermal_parameter_at(int i);

#ifdef __cplusplus
}
#endif
#endif
