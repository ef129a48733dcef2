/* SPDX-License-Identifier: MIT */
/* meshless.h: what all methods without a grid share: the state behind a firn_sim, and the table of
 * functions in which they differ.
 *
 *     particles   fields of each material in bundles of 16, in double (mpm/particles.h)
 *     columns     the same particles of all materials in one numbering, gathered for loops over
 *                 pairs: positions, velocities, forces ...      i = first[material] + place
 *     bonds       neighbours in the reference state (field REST), one weight each
 *     near        neighbours in the present state, for contact or for fluids
 *
 * A step is leap-frog: forces change velocities, these move positions, and laws follow
 * (step_points.c). Every sum over pairs is gathered by the particle that it is for, over its
 * row in increasing order, and pairs are antisymmetric to the last bit: the same bits for any number
 * of threads, and momentum to the round-off of the sum.
 *
 * Everything but particles (and what a method saves itself) is derived and rebuilt by
 * firn_meshless_gather. */
#ifndef FIRN_MESHLESS_H
#define FIRN_MESHLESS_H

#include "meshless/kernel.h"
#include "meshless/neighbours.h"
#include "mpm/particles.h"
#include "solver/sim.h"

/* name, components: columns of doubles, one row a particle. */
#define FIRN_MESHLESS_COLUMNS(COLUMN)                                                              \
    COLUMN(x, 3)         /* m */                                                                   \
    COLUMN(v, 3)         /* m/s */                                                                 \
    COLUMN(rest, 3)      /* m, place in the reference state */                                     \
    COLUMN(force, 3)     /* N, of other particles */                                               \
    COLUMN(mass, 1)      /* kg */                                                                  \
    COLUMN(volume, 1)    /* m^3, initial */                                                        \
    COLUMN(spacing, 1)   /* m, edge of the cube of that volume */                                  \
    COLUMN(F, 9)         /* dx/drest of the present positions */                                   \
    COLUMN(correct, 9)   /* K of gradient.h, symmetric */                                          \
    COLUMN(flux, 9)      /* what a pair exchanges, see gradient.c */                               \
    COLUMN(hold, 1)      /* N/m per weight: stabilisation */                                       \
    COLUMN(grad_v, 9)    /* 1/s, of the step that ends here */                                     \
    COLUMN(compliant, 1) /* 1/(Pa s^2): omega^2 <= modulus * compliant */                          \
    COLUMN(stiff, 1)     /* 1/s^2: added to it, constant in the reference state */                 \
    COLUMN(touched, 1)   /* 1/s^2: added to it by contact in this step */                          \
    COLUMN(wave, 1)      /* m/s */                                                                 \
    COLUMN(viscosity, 1) /* m^2/s */                                                               \
    COLUMN(rate, 1)      /* 1/s: dt <= cfl / rate */                                               \
    COLUMN(near_x, 3)    /* m, where `near` was found */

typedef struct firn_meshless_hooks {
    int has_reference; /* bonds of a reference state; 0: all neighbours are present ones */
    int takes_births;
    int is_implicit;    /* forces are those of the end of the step */
    int conducts;       /* heat, by heat_points.c */
    int renews;         /* sets its reference state anew by itself, by meshless.reset */
    const char *kernel; /* default */
    double support;     /* default, in spacings */
    /* Refuses what the method cannot do. NULL: nothing. */
    firn_status (*check)(const firn_sim *sim, firn_messages *messages);
    /* After bonds have been found: weights, and all that depends on the reference state alone. */
    firn_status (*refer)(firn_sim *sim, firn_messages *messages);
    /* Column force from the present state. */
    firn_status (*forces)(firn_sim *sim, firn_messages *messages);
    double printed_factor; /* on forces where the scene asks for the mistakes of a document */
    /* After particles moved: strain, and grad_v of the step where is_step. The law follows unless
     * `stress` is given. */
    firn_status (*strain)(firn_sim *sim, int is_step, firn_messages *messages);
    /* Stress of a method that brings its own law: fields F and TAU, columns wave and viscosity.
     * NULL: the materials' laws. */
    void (*stress)(firn_sim *sim, int is_step);
    /* J/m^3 of initial volume of particle i, of a method that brings its own law. */
    double (*energy)(const firn_sim *sim, int32_t i);
    /* State besides fields, after the particles. NULL: none. */
    firn_status (*pass)(firn_sim *sim, firn_walk *walk, firn_messages *messages);
    void (*destroy)(firn_sim *sim);
} firn_meshless_hooks;

/* Sums of one chunk of a material's particles in a step. */
typedef struct firn_meshless_sums {
    double plastic, viscous, max_rate, max_speed;
    int64_t rate_id, n_bounded[FIRN_N_BOUNDS];
    int32_t trouble; /* the first particle whose law has no answer; -1: none */
    unsigned flags;
    const char *criterion;
} firn_meshless_sums;

struct firn_meshless {
    const firn_meshless_hooks *hooks;
    void *own;                 /* state of the method */
    firn_particles *particles; /* [n_materials], one block each */
    const firn_kernel *kernel;
    double support;  /* in spacings */
    double *modulus; /* [n_materials] Pa: rho c^2 of the law at rest */
    double *breadth; /* [n_materials] 3 K over that modulus: (1 + nu)/(1 - nu), 3 where unknown */

    int32_t n, capacity;
    int32_t *first;  /* [n_materials + 1] */
    int32_t *group;  /* [n] particles of one group may be bonded */
    uint16_t *flags; /* [n] FIRN_FLAG_ of the law */
    uint8_t *rank;   /* [n] of the moment matrix */
#define COLUMN(name, n) double *name;
    FIRN_MESHLESS_COLUMNS(COLUMN)
#undef COLUMN
    firn_neighbours bonds, near;
    double *weight; /* [pairs of bonds] */
    int64_t weight_capacity;
    struct firn_quadratic *quadratic; /* [quadratic_capacity], see quadratic.h; NULL: degree one */
    int32_t quadratic_capacity;
    int near_found;
    int has_forces; /* column force is that of the present state */
    double *kept;   /* [n_kept][3] forces from a saved state, of materials in their order */
    int64_t n_kept;
    /* [capacity] each, where there is heat: K, W/(m K), J/K, W, J of this step's work */
    double *heat_T, *heat_k, *heat_c, *heat_rate, *work;
    void *law_scratch; /* see law_stage.c */
    size_t law_bytes;
    firn_boundary_impulse *chunks; /* [FIRN_MESHLESS_CHUNKS][n_boundaries] */
    firn_meshless_sums *sums;      /* [FIRN_MESHLESS_CHUNKS] */
};

/* A fixed partition of a material's particles: the order of sums. */
enum { FIRN_MESHLESS_CHUNKS = 64 };
typedef struct firn_meshless_range {
    int32_t first, end;
} firn_meshless_range;
/* Particles of a chunk in the numbering of all; whole bundles of the material. */
static inline firn_meshless_range firn_meshless_chunk(const struct firn_meshless *s, int material,
                                                      int chunk)
{
    const int64_t n = s->first[material + 1] - s->first[material], bundles = firn_bundles_of(n);
    const int64_t from = 16 * (bundles * chunk / FIRN_MESHLESS_CHUNKS),
                  end = 16 * (bundles * (chunk + 1) / FIRN_MESHLESS_CHUNKS);
    return (firn_meshless_range){s->first[material] + (int32_t)(from < n ? from : n),
                                 s->first[material] + (int32_t)(end < n ? end : n)};
}
/* The material of particle i. */
static inline int firn_meshless_material(const firn_sim *sim, int32_t i);

/* The vector from i to j in a column of places, and a length. */
static inline void firn_meshless_pair(const double *column, int32_t i, int32_t j, double d[3])
{
    for (int a = 0; a < 3; a++) d[a] = column[3 * j + a] - column[3 * i + a];
}
static inline double firn_meshless_length(const double d[3])
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* One component of a field of a material's particle p. */
static inline double firn_meshless_value(const firn_particles *particles, firn_field field,
                                         int32_t p, int component)
{
    return firn_particles_value(particles, field, p / 16, component, p % 16);
}
static inline void firn_meshless_set(firn_particles *particles, firn_field field, int32_t p,
                                     int component, double value)
{
    firn_particles_set(particles, field, p / 16, component, p % 16, value);
}
static inline void firn_meshless_tensor(const firn_particles *particles, firn_field field,
                                        int32_t p, int n, double *values)
{
    const double *base = (const double *)particles->field[field] +
                         (size_t)(p / 16) * (size_t)n * 16 + (size_t)(p % 16);
    for (int c = 0; c < n; c++) values[c] = base[16 * c];
}

/* state.c: creation, columns, lists */
firn_status firn_meshless_create(firn_sim *sim, const firn_meshless_hooks *hooks,
                                 const firn_run_options *options, firn_messages *messages);
void firn_meshless_destroy(firn_sim *sim);
firn_status firn_meshless_gather(firn_sim *sim, firn_messages *messages);
/* Positions and velocities back to the fields. */
void firn_meshless_scatter(firn_sim *sim);
/* Bonds and what depends on them, from REST; then the present strain. */
firn_status firn_meshless_refer(firn_sim *sim, firn_messages *messages);
/* The present positions become those of the reference state. */
void firn_meshless_take_reference(firn_sim *sim);
/* Sets the reference state anew where the strain since it was set exceeds meshless.reset. */
firn_status firn_meshless_reset(firn_sim *sim, firn_messages *messages);
/* `near`, where a particle has moved too far since it was found. Pairs within reach spacings
 * (times the mean of both) are in it. */
firn_status firn_meshless_find_near(firn_sim *sim, double reach, firn_messages *messages);

/* storage.c: particles as other folders see them */
firn_status firn_meshless_add(firn_sim *sim, int material, const firn_newborn *born,
                              const char *source, firn_messages *messages);
int64_t firn_meshless_n_particles(const firn_sim *sim, int material);
int32_t firn_meshless_n_blocks(const firn_sim *sim, int material);
int32_t firn_meshless_block_size(const firn_sim *sim, int material, int32_t block);
int firn_meshless_n_components(const firn_sim *sim, int material, firn_field field);
void firn_meshless_read(const firn_sim *sim, firn_place at, int n, firn_field field,
                        double *values);
void firn_meshless_write(firn_sim *sim, firn_place at, firn_field field, int component,
                         double value);
firn_status firn_meshless_view(const firn_sim *sim, int material, firn_field field,
                               firn_view *view);
void firn_meshless_stats(const firn_sim *sim, firn_stats *stats);
const char *firn_meshless_variant_name(const firn_sim *sim);
firn_status firn_meshless_begin(firn_sim *sim, const firn_id_range *weighed, int n,
                                firn_messages *messages);
firn_status firn_meshless_changed(firn_sim *sim, firn_messages *messages);
/* Removes the particles that are marked, keeping the order of the others. */
void firn_meshless_remove(firn_sim *sim, const uint8_t *marked);

/* saved.c */
firn_status firn_meshless_pass(firn_sim *sim, int material, firn_walk *walk,
                               firn_messages *messages);
firn_status firn_meshless_restored(firn_sim *sim, firn_messages *messages);
void firn_meshless_empty(firn_sim *sim);
uint64_t firn_meshless_hash(firn_sim *sim);

/* law_stage.c: the laws of all materials on the present strain; is_step: as the end of a step of
 * sim->dt with column grad_v, else of the state as it is. */
firn_status firn_meshless_evaluate(firn_sim *sim, int is_step, firn_messages *messages);
/* Energy densities of a material's particles, J/m^3. */
void firn_meshless_energies(firn_sim *sim, int material, double *energy);
/* A parameter of a material by name; NAN: its law has none of that name. */
double firn_meshless_parameter(const firn_material *material, const char *name);
firn_status firn_meshless_prepare_laws(firn_sim *sim, firn_messages *messages);

/* ledger_points.c */
firn_status firn_meshless_ledger(firn_sim *sim, int material, firn_ledger *ledger);
/* heat_points.c: the largest step for which heat is computed, s. */
double firn_heat_points_dt(firn_sim *sim);
/* penalty.c: contact of particles that are not bonded, added to column force. */
firn_status firn_meshless_touch(firn_sim *sim, firn_messages *messages);
/* point_boundary.c */
firn_status firn_meshless_prepare_boundaries(firn_sim *sim);
/* Kick, boundaries and drift of all particles, with the ledgers: all of a step's kick, or its first
 * half, and drift; or the second half. */
typedef enum firn_meshless_kick {
    FIRN_MESHLESS_WHOLE,
    FIRN_MESHLESS_FIRST,
    FIRN_MESHLESS_SECOND
} firn_meshless_kick;
firn_status firn_meshless_move(firn_sim *sim, firn_meshless_kick part, firn_messages *messages);
/* Deletes what met a sink or left by a wall of type delete. */
firn_status firn_meshless_drain(firn_sim *sim, firn_messages *messages);
/* step_points.c */
firn_status firn_meshless_step(firn_sim *sim, double until, firn_messages *messages);

static inline int firn_meshless_material(const firn_sim *sim, int32_t i)
{
    int m = 0;
    while (i >= sim->meshless->first[m + 1]) m++;
    return m;
}

/* The table entries of this folder, one file each. */
extern const firn_method firn_method_sph_elastic, firn_method_efg, firn_method_sph_corotated,
    firn_method_sph_fluid, firn_method_peridynamics;

/* A row of the table of methods: all that is common, with the method's own create. */
#define FIRN_MESHLESS_METHOD(create_, ...)                                                         \
    {                                                                                              \
        .create = create_, .destroy = firn_meshless_destroy, .begin = firn_meshless_begin,         \
        .add = firn_meshless_add, .step = firn_meshless_step,                                      \
        .n_particles = firn_meshless_n_particles, .n_blocks = firn_meshless_n_blocks,              \
        .block_size = firn_meshless_block_size, .n_components = firn_meshless_n_components,        \
        .read = firn_meshless_read, .write = firn_meshless_write,                                  \
        .changed = firn_meshless_changed, .view = firn_meshless_view,                              \
        .ledger = firn_meshless_ledger, .stats = firn_meshless_stats,                              \
        .variant_name = firn_meshless_variant_name, .pass = firn_meshless_pass,                    \
        .restored = firn_meshless_restored, .empty = firn_meshless_empty,                          \
        .hash = firn_meshless_hash, .heat_dt = firn_heat_points_dt, __VA_ARGS__                    \
    }

#endif
