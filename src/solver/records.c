/* SPDX-License-Identifier: MIT */
/* records.c: see records.h.
 *
 *   accel = (v - v_frame) / (t - t_frame), the mean acceleration since the last output time or, of
 *   a particle born since, since its birth
 *
 * An interval begins with the first step towards a time that no step went to before. That time is
 * part of a saved state, so a run that goes on in the middle of an interval keeps its beginning. */
#include "solver/records.h"
#include "solver/sim.h"

#include <string.h>

unsigned firn_records_of(const char *attribute)
{
    if (strcmp(attribute, "rest") == 0) return FIRN_RECORD_REST;
    if (strcmp(attribute, "age") == 0) return FIRN_RECORD_BORN;
    return strcmp(attribute, "accel") == 0 ? FIRN_RECORD_V_FRAME : 0;
}

unsigned firn_records_wanted(const firn_scene_def *scene)
{
    unsigned records = 0;
    for (int i = 0; i < scene->n_outputs; i++) {
        const char *at = scene->outputs[i].attributes;
        while (*(at += strspn(at, " ,\t\n"))) {
            char name[FIRN_NAME] = "";
            const size_t n = strcspn(at, " ,\t\n");
            memcpy(name, at, n < FIRN_NAME ? n : FIRN_NAME - 1);
            records |= firn_records_of(name);
            at += n;
        }
    }
    for (int i = 0; i < scene->n_expects; i++)
        records |= firn_records_of(scene->expects[i].attribute);
    return records;
}

static void note_velocities(firn_sim *sim)
{
    const firn_method *method = sim->method;
    for (int m = 0; m < sim->n_materials; m++) {
        firn_place at = {.material = m};
        for (at.block = 0; at.block < method->n_blocks(sim, m); at.block++)
            for (at.index = 0; at.index < method->block_size(sim, m, at.block); at.index++) {
                double v[FIRN_FIELD_MOST];
                method->read(sim, at, 1, FIRN_FIELD_V, v);
                for (int a = 0; a < 3; a++) method->write(sim, at, FIRN_FIELD_V_FRAME, a, v[a]);
                method->write(sim, at, FIRN_FIELD_V_FRAME, 3, sim->time);
            }
    }
}

void firn_records_begin(firn_sim *sim, double until)
{
    if (!(sim->records & FIRN_RECORD_V_FRAME) || until == sim->record_until) return;
    note_velocities(sim);
    sim->record_until = until;
}

void firn_records_pass(firn_sim *sim, firn_walk *w)
{
    if (sim->records & FIRN_RECORD_V_FRAME)
        firn_walk_pass(w, &sim->record_until, sizeof sim->record_until);
}
