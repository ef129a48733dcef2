/* SPDX-License-Identifier: MIT */
/* emission_overlap.c: births of emitters where something is already.
 *
 * In a collider that cuts, a birth deeper than a quarter of a spacing is left out, at any time. In
 * material it is left out when the emitter begins and fills its shape, where the material that is
 * there fills more than FULL of space, as weighted over a cell: half would be the place of a flat
 * surface, but less than the edges of a small body; later the emitter pushes away what is in its
 * shape. */
#include "solver/emission_overlap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FULL = 0.4;

static int is_there(const firn_sim *sim, const firn_collider *c)
{
    return c->def.overlap != FIRN_OVERLAP_KEEP && c->def.start <= sim->time &&
           sim->time < c->def.stop;
}

void firn_births_taken_begin(firn_sim *sim, firn_births_taken *taken)
{
    *taken = (firn_births_taken){0};
    for (int c = 0; c < sim->n_colliders; c++)
        if (is_there(sim, &sim->colliders[c]))
            firn_motion_at(&sim->colliders[c].motion, sim->time, sim->colliders[c].def.start,
                           &sim->colliders[c].pose);
}

firn_status firn_births_taken_see_material(firn_sim *sim, const firn_emitter *e,
                                           firn_births_taken *taken)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    firn_pose pose = {0};
    if (e->def.overlap == FIRN_OVERLAP_KEEP) return FIRN_OK;
    firn_emitter_pose_at(e, e->def.start, &pose);
    for (int k = 0; k < 8; k++) {
        const double corner[3] = {k & 1 ? e->high[0] : e->low[0], k & 2 ? e->high[1] : e->low[1],
                                  k & 4 ? e->high[2] : e->low[2]};
        double x[3];
        firn_pose_to_world(&pose, corner, x);
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], x[a]);
            high[a] = fmax(high[a], x[a]);
        }
    }
    return firn_overlap_fill_measure(sim, low, high, &taken->fill);
}

/* Enters a birth that meets something; returns whether it is left out. */
static int enter(firn_births_taken *taken, int where, firn_overlap fate, const double x[3])
{
    taken->n[where]++;
    taken->n_cut += fate == FIRN_OVERLAP_CUT;
    taken->is_refused |= fate == FIRN_OVERLAP_REFUSE;
    memcpy(taken->x[where], x, 3 * sizeof *x);
    return fate == FIRN_OVERLAP_CUT;
}

int firn_births_are_taken(const firn_sim *sim, const firn_emitter *e, const double x[3],
                          firn_births_taken *taken)
{
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_collider *collider = &sim->colliders[c];
        double depth;
        if (!is_there(sim, collider)) continue;
        if (!firn_overlap_in_collider(collider, x, sim->time, 0.25 * e->spacing, &depth)) continue;
        taken->depth = fmax(taken->depth, depth);
        return enter(taken, 0, collider->def.overlap, x);
    }
    if (!taken->fill.share || !(firn_overlap_fill_at(&taken->fill, x) > FULL)) return 0;
    return enter(taken, 1, e->def.overlap, x);
}

firn_status firn_births_taken_tell(firn_emitter *e, int64_t n, const firn_births_taken *taken,
                                   firn_messages *messages)
{
    static const char *const in[] = {"inside a collider", "where material is already"};
    for (int where = 0; where < 2; where++) {
        const double *x = taken->x[where];
        char deep[64] = "", sentence[512];
        if (taken->n[where] == 0 || (e->is_overlap_told && !taken->is_refused)) continue;
        if (where == 0) snprintf(deep, sizeof deep, ", up to %.3g m deep", taken->depth);
        snprintf(sentence, sizeof sentence,
                 "emitter '%s': %lld of %lld particles that it brings at once begin %s%s, one of "
                 "them at %.4g %.4g %.4g m",
                 e->def.name, (long long)taken->n[where], (long long)(n + taken->n_cut), in[where],
                 deep, x[0], x[1], x[2]);
        if (taken->is_refused)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "%s; try: move one of them, or overlap: cut", sentence);
        firn_messages_warn(
            messages, "%s, and are left out; try: move one of them, or `overlap: keep`", sentence);
    }
    e->is_overlap_told |= taken->n[0] + taken->n[1] > 0;
    return FIRN_OK;
}
