/* SPDX-License-Identifier: MIT */
/* law.h: the border between the solver and the constitutive laws.
 *
 * The solver knows a law as (1) its constant table (firn_law_info) and (2) three batch functions for
 * each variant, called once for all bundles of one material in one block, never once for each
 * particle. A law knows nothing of the grid. materials/README.md says how a law is written; a law
 * is registered by one word in materials/meson.build.
 *
 * Layout: every array is a sequence of bundles, each component 16 lanes wide (AoSoA):
 *
 *     F[bundle][component][lane]      component = 3 row + column      bundle = 16 particles
 *
 * Symmetric tensors have six components: xx yy zz xy xz yz. Lanes of no particle carry F = I and
 * zero history, which must be harmless to every law. */
#ifndef FIRN_LAW_H
#define FIRN_LAW_H

#include "firn/defs.h"
#include "firn/laws.h"
#include "laws/thermal.h"
#include "simd/variants.h"

enum { FIRN_MAX_HISTORY = 8, FIRN_MAX_DERIVED = 24 };

/* What is wrong in a lane; zero: nothing. */
enum {
    FIRN_FLAG_INVERTED = 1,  /* det F <= 0 where the law does not allow it; its stress is a bound */
    FIRN_FLAG_NONFINITE = 2, /* a NaN or infinity came in or went out; the output is unusable */
    FIRN_FLAG_FAILED = 4,    /* the law lost validity: no real wave speed */
    FIRN_FLAG_EDGE = 8, /* valid, but near one of the two above: the next step is a trial first */
    FIRN_FLAG_BOUND = 8 /* times 2^kind: a bound of that kind is met; INVERTED is kind 0 */
};
enum {
    FIRN_FLAGS_TROUBLE = FIRN_FLAG_NONFINITE | FIRN_FLAG_FAILED
}; /* a run cannot go on from there */

/* The flag of a kind of bound (firn_bound). */
static inline unsigned firn_flag_of_bound(int kind)
{
    return kind == FIRN_BOUND_INVERTED ? (unsigned)FIRN_FLAG_INVERTED
                                       : (unsigned)FIRN_FLAG_BOUND << kind;
}
/* Kinds of bounds that are met, bit k for kind k. */
static inline unsigned firn_flags_bounds(unsigned flags)
{
    return (flags & FIRN_FLAG_INVERTED) | (flags / (2u * FIRN_FLAG_BOUND)) << 1;
}

/* A law that can fail flags EDGE wherever a motion I + A with |A| (the largest singular value) up
 * to this could make it fail. Steps of larger strain are always trials first (mpm/step_check.c). */
#define FIRN_EDGE_STRAIN 0.0625

/* The place of a material's first thermal parameter, behind those of the law. */
enum { FIRN_THERMAL_FIRST = FIRN_MAX_PARAMETERS };
enum { FIRN_MATERIAL_PARAMETERS = FIRN_MAX_PARAMETERS + (int)FIRN_THERMAL_PARAMETERS };

/* A material as the solver holds it: the law's table plus resolved numbers. Made by
 * firn_material_resolve. */
typedef struct firn_material {
    char name[FIRN_NAME];
    const struct firn_law *law;
    /* SI, in the order of info->parameters, then from FIRN_THERMAL_FIRST on the thermal ones */
    double value[FIRN_MATERIAL_PARAMETERS];
    double noise[FIRN_MATERIAL_PARAMETERS];
    /* Besides tables: of firn_parameter_form */
    int form[FIRN_MATERIAL_PARAMETERS];
    double form_T[FIRN_MATERIAL_PARAMETERS], form_rate[FIRN_MATERIAL_PARAMETERS];
    int n_table[FIRN_MATERIAL_PARAMETERS];
    double table_temperature[FIRN_MATERIAL_PARAMETERS][FIRN_MAX_TABLE],
        table_value[FIRN_MATERIAL_PARAMETERS][FIRN_MAX_TABLE];
    firn_thermal thermal;
    /* Painted parameters: the value of each particle by its id, NAN or beyond n_painted: as
     * above; NULL: not painted */
    const float *painted[FIRN_MAX_PARAMETERS];
    uint32_t n_painted;
    /* The least and greatest value of a parameter that varies in space; elsewhere its value */
    double least[FIRN_MAX_PARAMETERS], most[FIRN_MAX_PARAMETERS];
    int varies[FIRN_MAX_PARAMETERS]; /* in space */
    double density;                  /* kg/m^3: the parameter "rho", which every law has */
    uint64_t seed;                   /* of the noise */
} firn_material;

/* One call's particles: inputs, then outputs. Arrays are `float` or `double` as the variant says;
 * outputs that are NULL are not wanted.
 *
 * A law is evaluated on a trial state, F_trial = (I + dt grad v) F: the particle's own F and
 * history are read only. What they become goes to F_new and history_new; firn_law_commit copies an
 * accepted trial back. An integrator may evaluate many trial states and commit one. The explicit
 * step accepts its only trial: with F_new = F and history_new = history it is evaluated and
 * committed in one pass over memory. */
typedef struct firn_law_batch {
    const firn_material *material;
    int n_bundles;
    double dt;               /* s */
    const void *F;           /* [n][9][16]  elastic deformation gradient at t_n */
    const void *grad_v;      /* [n][9][16]  dv_i/dx_j, 1/s; NULL: 0, F is the trial state itself */
    const void *history;     /* [n][n_history][16]  at t_n */
    const void *temperature; /* [n][16]  K */
    const void *liquid;      /* [n][16]  liquid fraction; NULL: that of the temperature */
    const uint32_t *id;      /* [n][16] */
    void *F_new;             /* out [n][9][16]  elastic part after the return map; may be F */
    void *history_new;       /* out [n][n_history][16]  may be history */
    void *tau;               /* out [n][6][16]  Kirchhoff stress (viscous part included), Pa */
    void *wave;      /* out [n][16]  fastest wave's speed in space, m/s, in the present state */
    void *viscosity; /* out [n][16]  upper bound of the kinematic viscosity, m^2/s; 0 if inviscid */
    /* out [n][16]  plastic work density done in this step, J/m^3 of initial volume, >= 0 */
    void *plastic;
    void *viscous; /* out [n][16]  viscous work density of this step, >= 0 */
    /* out, `measure` only */
    void *energy; /* [n][16]  elastic energy density, J/m^3 of initial volume */
    void *yield;  /* [n][16]  share of the yield surface that is reached: 1 on it; elastic laws 0 */
    void *flags;  /* out [n][16]  FIRN_FLAG_ bits, stored as reals */
} firn_law_batch;

/* The force of a trial state and its derivative, both in the configuration of t_n:
 *
 *     T = tau (I + dt grad v)^-T,   row i acts on component i of the force, V0 T grad w
 *
 * Of the batch F, grad_v, history, dt, temperature and id are read, and flags written: NONFINITE
 * where the flux is not, or where the step would invert the particle or press it to less than a
 * tenth, det(I + dt grad v) < 0.1. */
typedef struct firn_law_tangent {
    const void *direction; /* [n][9][16] d(grad v), 1/s; NULL: 0 */
    void *flux, *change;   /* out [n][9][16] T and dT, Pa; NULL: not wanted */
} firn_law_tangent;

typedef struct firn_law {
    firn_law_info info;
    struct {
        /* F_new = return_map((I + dt grad v) F), history_new, then stress, limits and flags of the
         * new state */
        void (*evaluate)(const firn_law_batch *batch);
        /* Stress, limits, energy and flags of F and history as they are; F_new and history_new
         * are not used */
        void (*measure)(const firn_law_batch *batch);
        /* Flux of the trial state and its derivative along a direction (laws/law_tangent.h) */
        void (*tangent)(const firn_law_batch *batch, const firn_law_tangent *tangent);
    } kernels[FIRN_N_VARIANTS]; /* NULL where a variant is not built */
} firn_law;

int firn_law_index(const char *name); /* by name or alias; -1: none */
const firn_law *firn_law_entry(int i);

/* The value of a relation's terms: `values` in the order of the law's parameters. */
double firn_law_relation(const firn_law_info *law, const firn_relation_info *relation,
                         const double *values);
/* Its first parameter. */
void firn_law_relation_place(const firn_relation_info *relation, char name[FIRN_NAME]);
/* Of a material whose parameters vary in space: for i = 0, 1, ... its values, the least and the
 * greatest of all that vary, and of each alone. 0: there are no more. */
int firn_material_corner(const firn_material *material, int i, firn_material *corner);
/* Wave speed (m/s) and kinematic viscosity (m^2/s) of a material as it is born: F = I, the initial
 * history; the greatest of its corners; in the scalar double variant. */
void firn_material_at_rest(const firn_material *material, double temperature, double *wave,
                           double *viscosity);

/* The law that extends this one; NULL: none. */
const firn_law_info *firn_law_extension(const firn_law_info *law);
/* This law, or its extension where that alone has a parameter of this name. */
const firn_law_info *firn_law_with(const firn_law_info *law, const char *parameter);

/* The preset of a law, or of the one it extends, by name or alias; NULL: there is none. */
const firn_preset_info *firn_law_preset(const firn_law_info *law, const char *name);
/* An alias in `name` becomes the law's name, with a warning that begins with `where`; once, however
 * often a set of messages is asked. Other words stay as they are. */
void firn_law_replace_alias(char name[FIRN_NAME], const char *where, firn_messages *messages);

/* The law that a material's `law`, or without one its preset, names, or its extension where the
 * definition asks for that; NULL: there is none of that name. */
const firn_law_info *firn_material_def_law(const firn_material_def *def);

/* Parameter k of a material of this law, as firn_material counts them; NULL: none. */
const firn_parameter_info *firn_material_parameter(const firn_law_info *law, int k);
/* Its place by name; -1: neither the law's nor thermal. */
int firn_material_parameter_index(const firn_law_info *law, const char *name, size_t length);

/* Commits an evaluated trial: F and history of the particles become F_new and history_new. */
void firn_law_commit(const firn_law_batch *trial, firn_variant variant, void *F, void *history);

/* Law, preset and given parameters to numbers; every unknown name, range violation and
 * inconsistency is reported. */
firn_status firn_material_resolve(const firn_material_def *def, uint64_t seed,
                                  firn_material *material, firn_messages *messages);

#endif
