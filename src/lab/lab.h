/* SPDX-License-Identifier: MIT */
/* lab.h: one material point under a prescribed path, on the code that the solver runs.
 *
 * A point is one particle without a grid. Each step prescribes, for each of the nine components
 * of F (3 row + column), either its value at the end of the step or the value of the same
 * component of a stress; stresses are reached by Newton's method. The material is advanced by
 * firn_law.evaluate of the chosen variant, so that whatever the solver does to a particle - return
 * map, viscosity, hardening - is what the lab shows.
 *
 *   F     total deformation gradient            tau     Kirchhoff stress, Pa
 *   F_e   elastic part (the solver's F)         sigma   = tau / J, Cauchy
 *                                               P       = tau F^-T, nominal (first Piola) */
#ifndef FIRN_LAB_H
#define FIRN_LAB_H

#include "laws/law.h"
#include "base/table.h"

typedef enum firn_lab_stress {
    FIRN_LAB_CAUCHY,
    FIRN_LAB_KIRCHHOFF,
    FIRN_LAB_NOMINAL
} firn_lab_stress;

typedef struct firn_lab_state {
    double time, F[9], F_elastic[9], history[FIRN_MAX_HISTORY];
    double plastic_work, viscous_work; /* since the start, J/m^3 of initial volume */
} firn_lab_state;

/* What the law says of the state: tau as xx yy zz xy xz yz. */
typedef struct firn_lab_response {
    double tau[6], wave, viscosity, energy;
    double yield; /* share of the yield surface that is reached; elastic laws 0 */
    int flags;
} firn_lab_response;

typedef struct firn_lab_point {
    const firn_material *material;
    firn_variant variant;
    double temperature;
    firn_lab_state state;
    firn_lab_response response;
    double
        modulus;  /* largest small-strain stiffness at rest, Pa: what stresses are compared with */
    int n_newton; /* iterations of the last step */
} firn_lab_point;

typedef struct firn_lab_control {
    double dt;
    double value[9];
    int is_stress[9]; /* upper triangle only: then F stays free of rigid rotation */
    firn_lab_stress measure;
} firn_lab_control;

/* At rest: F = I, initial history. FIRN_REFUSED when the variant is not there on this processor. */
firn_status firn_lab_start(firn_lab_point *point, const firn_material *material,
                           firn_variant variant, double temperature, firn_messages *messages);
/* On failure the state stays what it was and the report says what could not be reached. */
firn_status firn_lab_advance(firn_lab_point *point, const firn_lab_control *control,
                             firn_messages *messages);

/* lab_heat.c: a new temperature, with the thermal expansion that a clamped point would resist. */
void firn_lab_heat(firn_lab_point *point, double temperature);
/* The temperature after so much plastic and viscous work, J/m^3, of a point that exchanges no heat;
 * enthalpy, J/kg, and liquid fraction before and after. */
void firn_lab_warm(firn_lab_point *point, double work, double *enthalpy, double *liquid);

/* The stress of the present state as 3 x 3, in the wanted measure. */
void firn_lab_stress_of(const firn_lab_state *state, const double tau[6], firn_lab_stress measure,
                        double out[9]);

/* Small-strain Young's modulus and Poisson's ratio at rest, measured on the law itself by
 * differences: of a strain that has stood for ever (is_fast 0), in which a fading memory has no
 * part, or of a sudden one, in which it has; viscous stress is left out. A fluid has E = 0. */
void firn_lab_small_strain(const firn_material *material, double temperature, int is_fast,
                           double *E, double *nu);

/* "f64_scalar" ...; -1: no such variant. */
int firn_lab_variant(const char *name);

/* ---------------------------------------------------------------- paths (lab_path.c) */

typedef struct firn_lab_options {
    char path[FIRN_NAME]; /* a name of the table of paths */
    char mode[FIRN_NAME]; /* of deformation, where the path leaves a choice; "": the path's own */
    double to;            /* final stretch (shear: amount of shear); NAN: the path's own */
    double from;          /* of a ramp, where its rows begin; NAN: at rest */
    double stress;        /* final value where the path is driven by stress, Pa */
    int by_stress;
    firn_lab_stress measure; /* of prescribed stresses */
    double rate;             /* of the driven quantity, 1/s */
    double hold;             /* relaxation, creep: duration after the ramp, s */
    double pressure;         /* triaxial: confining pressure, Pa */
    int n_steps, n_cycles;
    double rate_from, rate_to; /* flow_curve, 1/s */
    double temperature;
    double heat_to;   /* heating, quench: the temperature at the end, K */
    int is_adiabatic; /* plastic and viscous work become heat */
    firn_variant variant;
    int with_stability;      /* also the smallest eigenvalue of the acoustic tensor */
    const firn_table *table; /* path "file" */
} firn_lab_options;

firn_lab_options firn_lab_options_default(void);

typedef struct firn_lab_path_info {
    const char *name, *mode, *meaning;
    double to;     /* what `to` is by default; NAN: the path does not use it */
    int uses_time; /* is drawn over time */
} firn_lab_path_info;

int firn_lab_path_count(void);
const firn_lab_path_info *firn_lab_path_at(int i);
const firn_lab_path_info *firn_lab_path_find(const char *name);
const char *firn_lab_mode_name(int i); /* NULL: no more */
/* The columns that are usually drawn against each other for this path; 0 when path or mode is
 * unknown. */
int firn_lab_axes(const firn_lab_options *options, const char **x, const char **y);

/* Where on a path ellipticity was lost first; NAN: nowhere. */
typedef struct firn_lab_loss {
    double time, stretch, shear; /* F_xx and F_xy */
} firn_lab_loss;

/* For waves in any direction, and for those that run and swing along the first axis: what a bar
 * can see. */
typedef struct firn_lab_stability {
    firn_lab_loss any, axis;
} firn_lab_stability;

/* Runs the path: one row a step, first the start. When a step fails the rows before it are kept
 * in *out and the status is FIRN_STOPPED. `stability` (may be NULL) is filled with_stability. */
firn_status firn_lab_run(const firn_material *material, const firn_lab_options *options,
                         firn_table **out, firn_lab_stability *stability, firn_messages *messages);

/* ---------------------------------------------------------------- materials as words (lab_spec.c)
 */

/* "snow", "snow/powder_snow", "powder_snow", each with ",parameter=value" behind it, values with
 * units: "neo_hookean,E=140 kPa,nu=0.3"; tables over temperature as "wax,E=2 MPa @ 290 K; 50 kPa
 * @ 330 K". `def` (may be NULL) receives what was written, `material` the numbers. */
firn_status firn_lab_material(const char *spec, firn_material_def *def, firn_material *material,
                              firn_messages *messages);
/* A parameter's value, or its table, as a scene takes it. */
void firn_lab_write_value(const firn_parameter_def *parameter, firn_text *yaml);

/* ---------------------------------------------------------------- pictures (lab_draw.c) */

typedef struct firn_lab_curve {
    const char *label;
    const firn_table *table;
    int is_measured; /* drawn as points */
    firn_lab_stability stability;
} firn_lab_curve;

typedef struct firn_lab_picture {
    const char *title, *x, *y; /* columns; curves without both are left out */
    double range[2];           /* of y; NAN: that of the data */
    int n;
    const firn_lab_curve *curves;
} firn_lab_picture;

/* To .svg or .png. Where the tables carry acoustic_min, a second panel shows it and marks say
 * where ellipticity is lost. */
firn_status firn_lab_draw(const firn_lab_picture *picture, const char *path,
                          firn_messages *messages);
/* The same as an SVG element, for pages. */
firn_status firn_lab_draw_svg(const firn_lab_picture *picture, firn_text *svg,
                              firn_messages *messages);

/* ---------------------------------------------------------------- stability (lab_stability.c) */

/* Smallest eigenvalue, over all directions N, of the acoustic tensor Q_ik = dP_ij/dF_kl N_j N_l
 * of the elastic response about F_e, in Pa; `direction` (may be NULL) receives where.
 * Ellipticity is lost where it reaches 0. `along` (may be NULL): instead N.Q N for this N, the
 * longitudinal wave of a bar. */
firn_status firn_lab_acoustic(const firn_material *material, double temperature,
                              const double F_elastic[9], const double *history, const double *along,
                              double *smallest, double direction[3], firn_messages *messages);

/* Walks along the straight line from F_from to F_to and finds, by bisection, the first place
 * where the smallest eigenvalue turns negative: *at in [0, 1], or NAN. */
firn_status firn_lab_ellipticity_loss(const firn_material *material, double temperature,
                                      const double F_from[9], const double F_to[9],
                                      const double *history, const double *along, int n_steps,
                                      double *at, firn_messages *messages);

/* ---------------------------------------------------------------- the map of stability (lab_map.c)
 */

typedef struct firn_lab_map_options {
    double from, to, third; /* stretches 1 and 2 run over from .. to, stretch 3 is held */
    int n;                  /* nodes along each of the two */
    double temperature;
} firn_lab_map_options;

/* Row for row (stretch 2), node for node (stretch 1): the smallest eigenvalue of the acoustic
 * tensor over all directions, and that of longitudinal waves along the three principal axes, in
 * Pa; NAN where the law has no finite stress. */
typedef struct firn_lab_map {
    firn_lab_map_options options;
    double *any, *axes, *direction; /* [n][n], [n][n], [n][n][3] */
    double at_rest;                 /* the smallest eigenvalue at rest, for scale */
    /* On the line stretch 2 = stretch 3 = 1 in compression, found by bisection: NAN when nothing
     * is lost. */
    double lost_any, lost_axis, lost_direction[3];
} firn_lab_map;

firn_lab_map_options firn_lab_map_options_default(void);
firn_status firn_lab_map_run(const firn_material *material, const firn_lab_map_options *options,
                             firn_lab_map *map, firn_messages *messages);
void firn_lab_map_clear(firn_lab_map *map);
firn_status firn_lab_map_csv(const firn_lab_map *map, firn_text *csv, firn_messages *messages);
/* Bands of colour with the contours of zero: solid for any direction, dashed for the principal
 * axes alone. */
firn_status firn_lab_map_draw(const firn_lab_map *map, const char *title, const char *path,
                              firn_messages *messages);
/* One or two lines: where ellipticity is lost on the line of uniaxial strain, and why there. */
void firn_lab_map_explain(const firn_lab_map *map, firn_text *text);

#endif
