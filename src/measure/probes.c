/* SPDX-License-Identifier: MIT */
/* probes.c: see probes.h.
 *
 * A sample at the time T = k every lies in a step, t_0 < T <= t_1, and is linear between what is
 * measured at its ends. Measured is only where a sample is near: T <= t + AHEAD dt, with the
 * largest dt so far; where dt has grown beyond that, linear between the last two states
 * measured. */
#include "measure/probes.h"
#include "base/memory.h"
#include "base/messages.h"
#include "measure/measure.h"

#include <math.h>

static const double AHEAD = 1.5;

typedef struct probe {
    const firn_probe_def *def;
    const firn_measure *measure;
    firn_measure_target target;
    unsigned char *in_region; /* [start.n] */
    int64_t next;             /* sample k */
    double time, value;       /* last measured; time NAN: nothing yet */
} probe;

struct firn_probes {
    const firn_scene_def *scene;
    firn_sim *sim;
    firn_probe_fn put;
    void *user;
    int n, has_start;
    double most_dt; /* s, largest step so far */
    probe *probes;
    firn_measure_start start;
};

static firn_status create_probe(firn_probes *p, int i, firn_messages *messages)
{
    const firn_probe_def *def = &p->scene->probes[i];
    const double now = firn_sim_time(p->sim);
    probe *one = &p->probes[i];
    one->def = def;
    one->time = NAN;
    one->measure = firn_measure_find(def->measure);
    if (!one->measure)
        return firn_messages_add(messages, FIRN_REFUSED, "probe '%s': no such measure (%s)",
                                 def->name, def->measure);
    one->target =
        firn_measure_target_of(p->scene, one->measure, def->body, def->attribute, def->component);
    one->target.particle = def->particle;
    one->target.radius = def->radius;
    for (int a = 0; a < 3; a++) one->target.place[a] = def->place[a];
    /* in a run that continues, the sample at its first time has been taken */
    one->next = p->has_start || !(def->every > 0) ? 0 : (int64_t)floor(now / def->every) + 1;
    if (!p->has_start || !def->n_shapes) return FIRN_OK;
    firn_status status = firn_measure_region_mark(def->n_shapes, def->shapes, p->scene->grid.dx,
                                                  &p->start, &one->in_region, messages);
    one->target.in_region = one->in_region;
    return status;
}

/* Whether it needs places from before the first step, which are gone. */
static int lacks_start(const firn_probes *p, const probe *one)
{
    return !p->has_start && (one->measure->needs_start || one->def->n_shapes);
}

firn_status firn_probes_create(const firn_scene_def *scene, firn_sim *sim, firn_probe_fn put,
                               void *user, firn_probes **probes, firn_messages *messages)
{
    *probes = NULL;
    firn_probes *p = firn_memory_allocate(NULL, sizeof *p);
    if (!p) return firn_messages_no_memory(messages, "probes");
    *p = (firn_probes){.scene = scene,
                       .sim = sim,
                       .put = put,
                       .user = user,
                       .n = scene->n_probes,
                       .has_start = firn_sim_step_count(sim) == 0};
    p->probes = firn_memory_array(NULL, (size_t)p->n, sizeof *p->probes);
    firn_status status = p->probes ? FIRN_OK : firn_messages_no_memory(messages, "probes");
    int is_start_wanted = 0;
    for (int i = 0; i < p->n; i++) {
        const firn_measure *measure = firn_measure_find(scene->probes[i].measure);
        is_start_wanted |= (measure && measure->needs_start) || scene->probes[i].n_shapes > 0;
    }
    if (status == FIRN_OK && p->has_start && is_start_wanted)
        status = firn_measure_start_take(sim, &p->start, messages);
    for (int i = 0; i < p->n && status == FIRN_OK; i++) status = create_probe(p, i, messages);
    for (int i = 0; i < p->n && status == FIRN_OK; i++)
        if (lacks_start(p, &p->probes[i]))
            firn_messages_warn(messages,
                               "probe '%s': needs the places of particles at the start, which a "
                               "continued run no longer has; its samples end here",
                               p->probes[i].def->name);
    if (status == FIRN_OK)
        *probes = p;
    else
        firn_probes_destroy(p);
    return status;
}

void firn_probes_destroy(firn_probes *p)
{
    if (!p) return;
    for (int i = 0; p->probes && i < p->n; i++)
        firn_memory_release(NULL, p->probes[i].in_region, (size_t)p->start.n);
    firn_memory_release(NULL, p->probes, (size_t)p->n * sizeof *p->probes);
    firn_measure_start_clear(&p->start);
    firn_memory_release(NULL, p, sizeof *p);
}

/* The samples of the step that ended now, with the value there. */
static firn_status put_samples(firn_probes *p, int i, double now, double value,
                               firn_messages *messages)
{
    probe *one = &p->probes[i];
    const double every = one->def->every, from = one->time, before = one->value;
    firn_status status = FIRN_OK;
    one->time = now;
    one->value = value;
    if (!(every > 0)) return p->put(p->user, i, now, value, messages);
    for (; status == FIRN_OK && (double)one->next * every <= now; one->next++) {
        const double time = (double)one->next * every;
        const double share = now > from ? (time - from) / (now - from) : 1;
        status = p->put(p->user, i, time, share < 1 ? before + share * (value - before) : value,
                        messages);
    }
    return status;
}

firn_status firn_probes_sample(firn_probes *p, firn_messages *messages)
{
    const double now = firn_sim_time(p->sim);
    p->most_dt = fmax(p->most_dt, firn_sim_stats(p->sim).limit.dt);
    const int is_continued = !p->has_start;
    firn_measure_view *view = NULL;
    firn_status status = FIRN_OK;
    for (int i = 0; i < p->n && status == FIRN_OK; i++) {
        probe *one = &p->probes[i];
        const int is_first = isnan(one->time);
        const double next = (double)one->next * one->def->every;
        double value;
        if (lacks_start(p, one) || (!is_first && next > now + AHEAD * p->most_dt)) continue;
        if (!view) view = firn_measure_view_create(p->sim, p->scene, &p->start);
        if (!view) return firn_messages_no_memory(messages, "probes");
        status =
            firn_measure_take(view, one->measure, &one->target, one->def->axis, &value, messages);
        if (status == FIRN_OK && is_first && is_continued) {
            one->time = now;
            one->value = value;
        } else if (status == FIRN_OK) {
            status = put_samples(p, i, now, value, messages);
        }
    }
    firn_measure_view_destroy(view);
    return status;
}
