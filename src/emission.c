#include "emission.h"
#include "solver.h"

firn_status firn_emission_create(firn_sim *sim, const firn_scene_def *scene, firn_report *report)
{
    (void)sim;
    if (scene->n_emitters == 0) return FIRN_OK;
    return firn_report_add(report, FIRN_REFUSED, "emitter '%s': this version cannot emit particles yet",
                           scene->emitters[0].name);
}

void firn_emission_destroy(firn_sim *sim) { (void)sim; }

firn_status firn_emission_step(firn_sim *sim, firn_report *report)
{
    (void)sim, (void)report;
    return FIRN_OK;
}

void *firn_emission_state(firn_sim *sim, size_t *n_bytes)
{
    (void)sim;
    *n_bytes = 0;
    return NULL;
}
