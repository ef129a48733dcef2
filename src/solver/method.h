/* SPDX-License-Identifier: MIT */
/* method.h: what a discretisation is: the seam between a simulation and the way it is computed.
 *
 *     scene, session, attributes, ledger, checkpoints        positions in metres, fields by name
 *     -------------------------------------------------      struct firn_method
 *     mpm/ | meshless/ ...                                   storage, neighbours, step
 *
 * A method keeps its state behind firn_sim (sim->mpm) and stores particles as it likes, in blocks
 * that are independent of each other. All other folders visit particles by block and index, and
 * read and write fields (fields.h) through the table below. What methods share - materials,
 * colliders, grips, sinks, forces, emitters, ledger sums, the choice of dt, saving - is in solver/
 * and acts on points.
 *
 * Invariants of a method: results depend on the state alone, never on the number of threads; a step
 * either moves all particles or none; `hash` covers all fields but caches.
 *
 * A new method is one constant table and one line in scene/create.c. */
#ifndef FIRN_METHOD_H
#define FIRN_METHOD_H

#include "solver/fields.h"
#include "solver/newborn.h"
#include "solver/walk.h"

/* Index of a particle in a method's storage; valid until the next step. */
typedef struct firn_place {
    int material;
    int32_t block, index;
} firn_place;

typedef struct firn_method {
    const char *name, *title, *citation, *validity;

    /* State for sim->materials, colliders, grips, ...; destroy also after a failed create. */
    firn_status (*create)(firn_sim *sim, const firn_run_options *options, firn_messages *messages);
    void (*destroy)(firn_sim *sim);
    /* After all bodies have been added; particles in the id ranges get their volume V0 = m / rho
     * from the density that the method measures around them. */
    firn_status (*begin)(firn_sim *sim, const firn_id_range *weighed, int n,
                         firn_messages *messages);
    /* New particles with the ids from born->first_id on. */
    firn_status (*add)(firn_sim *sim, int material, const firn_newborn *born, const char *source,
                       firn_messages *messages);
    /* One step, at most to `until`. */
    firn_status (*step)(firn_sim *sim, double until, firn_messages *messages);

    /* The largest step for which heat is computed, s; where there is heat. */
    double (*heat_dt)(firn_sim *sim);

    /* Particles for readers outside of the method; n_particles counts those of all ranks. */
    int64_t (*n_particles)(const firn_sim *sim, int material);
    int32_t (*n_blocks)(const firn_sim *sim, int material);
    int32_t (*block_size)(const firn_sim *sim, int material, int32_t block);
    int (*n_components)(const firn_sim *sim, int material, firn_field field);
    /* n consecutive particles of a block, [n][components]; zeros where the field does not exist. */
    void (*read)(const firn_sim *sim, firn_place at, int n, firn_field field, double *values);
    void (*write)(firn_sim *sim, firn_place at, firn_field field, int component, double value);
    /* After writes: recomputes stresses and rates. */
    firn_status (*changed)(firn_sim *sim, firn_messages *messages);
    firn_status (*view)(const firn_sim *sim, int material, firn_field field, firn_view *view);

    /* Adds a material's particles to a ledger; sums since the start are added by the caller. */
    firn_status (*ledger)(firn_sim *sim, int material, firn_ledger *ledger);
    void (*stats)(const firn_sim *sim, firn_stats *stats);
    const char *(*variant_name)(const firn_sim *sim);

    /* A material's particles through a walk over the state (walk.h), written or read; and what is
     * rebuilt after reading. */
    firn_status (*pass)(firn_sim *sim, int material, firn_walk *walk, firn_messages *messages);
    firn_status (*restored)(firn_sim *sim, firn_messages *messages);
    void (*empty)(firn_sim *sim); /* removes all particles */
    uint64_t (*hash)(firn_sim *sim);

    /* Where several ranks hold the particles (base/comm.h): all of them to rank 0, in the order of
     * one process, so that everything above reads and writes there as if it were alone; and back.
     * NULL: the method works on one rank alone. */
    firn_status (*assemble)(firn_sim *sim);
    void (*disperse)(firn_sim *sim);
} firn_method;

#endif
