/* SPDX-License-Identifier: MIT */
/* heat.h: what heat needs besides the method: sources, thermal conditions on walls, and the sums of
 * the ledger. Temperatures in K, energies in J.
 *
 *     thermal(t) = born + conducted + colliders + surroundings + sources + work - lost
 *
 * of each material, with thermal = sum m (h + rest): to round-off. `conducted` is what came over
 * the nodes: from walls and from other materials, so its sum over all materials is that of the
 * walls. */
#ifndef FIRN_HEAT_H
#define FIRN_HEAT_H

#include "geometry/motion.h"
#include "geometry/shape.h"
#include "laws/law.h"

typedef struct firn_heat_sums {
    double born, lost, conducted, colliders, surroundings, sources, work; /* J */
    int64_t n_limited; /* temperatures held in the range of their causes */
} firn_heat_sums;

typedef struct firn_heat_source {
    firn_heat_source_def def;
    firn_shape *shape;
    firn_motion motion;
    firn_pose pose;
    int is_active;
    double time;
    double density; /* W/kg or W/m^2 in this step */
} firn_heat_source;

typedef struct firn_heat {
    firn_heat_def def;
    firn_heat_wall_def walls[6]; /* by number of the wall; .wall -1: insulated */
    int n_sources;
    firn_heat_source *sources;
    firn_heat_sums *sums; /* [n_materials] */
    double reference;     /* K: temperatures on nodes are relative to it, for their digits */
    double pending;       /* s: mechanics is ahead of heat by this */
    double dt;            /* s: largest stable step of conduction; 0: not known yet */
    int n_substeps;       /* of the last step */
} firn_heat;

struct firn_sim;

/* NULL in sim->heat where no material has a heat capacity. */
firn_status firn_heat_create(struct firn_sim *sim, firn_messages *messages);
void firn_heat_destroy(struct firn_sim *sim);
/* Sources at a time. */
void firn_heat_place(struct firn_sim *sim, double time);
/* Distance to a source's region, m; negative inside. */
double firn_heat_source_distance(const firn_heat_source *source, const double x[3]);

#endif
