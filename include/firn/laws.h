/* SPDX-License-Identifier: MIT */
/* firn/laws.h: the register of constitutive laws, their parameters and presets. Everything that
 * `firn materials` prints, and everything a scene file is checked against, is read from here. */
#ifndef FIRN_LAWS_H
#define FIRN_LAWS_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_parameter_info {
    const char *name, *unit, *meaning; /* unit as in scene files: "Pa", "kg/m^3", "rad", "1" */
    double value, min, max;            /* default and allowed range (inclusive) */
} firn_parameter_info;

typedef struct firn_history_info {
    const char *name, *unit, *meaning; /* a field that each particle carries, e.g. Jp */
    double initial;
} firn_history_info;

typedef struct firn_preset_info {
    const char *name, *note; /* e.g. "powder_snow"; the note cites where the numbers come from */
    const char *settings;    /* "E=1.4e5 nu=0.2 ..." in SI */
} firn_preset_info;

typedef struct firn_law_info {
    const char *name, *title, *equations, *citation, *validity;
    int n_parameters;
    const firn_parameter_info *parameters;
    int n_history;
    const firn_history_info *history;
    int n_presets;
    const firn_preset_info *presets;
    int is_isotropic, is_fluid;
    int can_fail; /* strained too far it has no answer, and a run is stopped: see validity */
} firn_law_info;

FIRN_API int firn_law_count(void);
FIRN_API const firn_law_info *firn_law_at(int i);
FIRN_API const firn_law_info *firn_law_find(const char *name); /* NULL: no such law */

#ifdef __cplusplus
}
#endif
#endif
