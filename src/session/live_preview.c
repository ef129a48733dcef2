/* SPDX-License-Identifier: MIT */
/* live_preview.c: see live_preview.h. `points` hands a snapshot over: the simulation fills it only
 * while it is NULL, the thread empties it when the picture is done. */
#include "session/live_preview.h"

#include "base/memory.h"
#include "base/messages.h"
#include "picture/preview.h"
#include "session/run_output.h"
#include "solver/attributes.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static const double rest = 19; /* in units of the time of the picture */

struct firn_live_preview {
    char folder[FIRN_PATH];
    firn_scene_colliders *colliders;
    firn_preview picture;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* points arrived, points are done, the end was requested */
    firn_points *points;
    int frame, is_ending;
    double time, rested; /* of the frame; the clock when the next picture may begin */
    firn_messages *errors;
};

static void render(firn_live_preview *live)
{
    char caption[64];
    snprintf(caption, sizeof caption, "frame %d · %.3f s", live->frame, live->time);
    if (live->colliders) firn_scene_colliders_at(live->colliders, live->time);
    firn_preview_write(&live->picture, live->points, live->folder, caption, live->errors);
}

static void *render_all(void *user)
{
    firn_live_preview *live = user;
    pthread_mutex_lock(&live->mutex);
    for (;;) {
        while (!live->points && !live->is_ending) pthread_cond_wait(&live->changed, &live->mutex);
        if (!live->points) break;
        pthread_mutex_unlock(&live->mutex);
        double began = firn_run_output_clock();
        render(live);
        double ended = firn_run_output_clock();
        firn_points_destroy(live->points);
        pthread_mutex_lock(&live->mutex);
        live->points = NULL;
        live->rested = ended + rest * (ended - began);
        pthread_cond_broadcast(&live->changed);
    }
    pthread_mutex_unlock(&live->mutex);
    return NULL;
}

/* The thread blocks all signals: they belong to the main thread. */
static int start(firn_live_preview *live)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_mutex_init(&live->mutex, NULL);
    pthread_cond_init(&live->changed, NULL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&live->thread, NULL, render_all, live);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        pthread_cond_destroy(&live->changed);
        pthread_mutex_destroy(&live->mutex);
    }
    return error;
}

firn_status firn_live_preview_create(const char *folder, const firn_scene_def *scene,
                                     const firn_sim *sim, firn_live_preview **out,
                                     firn_messages *messages)
{
    *out = NULL;
    firn_live_preview *live = firn_memory_allocate(NULL, sizeof *live);
    if (!live) return firn_messages_no_memory(messages, "live preview");
    snprintf(live->folder, sizeof live->folder, "%s", folder);
    live->picture = firn_preview_default(scene->gravity, 1);
    live->errors = firn_messages_create();
    firn_status status = live->errors
                             ? firn_scene_colliders_of_scene(scene, sim, &live->colliders, messages)
                             : FIRN_MEMORY;
    live->picture.def.colliders = live->colliders;
    if (status == FIRN_OK && start(live)) status = FIRN_MEMORY;
    if (status == FIRN_OK) {
        *out = live;
        return FIRN_OK;
    }
    firn_scene_colliders_destroy(live->colliders);
    firn_messages_destroy(live->errors);
    firn_memory_release(NULL, live, sizeof *live);
    return firn_messages_add(messages, status, "live preview: cannot start");
}

firn_status firn_live_preview_offer(firn_live_preview *live, firn_sim *sim, int frame, int is_last,
                                    firn_messages *messages)
{
    int64_t n = firn_sim_n_particles(sim);
    pthread_mutex_lock(&live->mutex);
    while (is_last && live->points) pthread_cond_wait(&live->changed, &live->mutex);
    int is_due = !live->points && (is_last || firn_run_output_clock() >= live->rested);
    pthread_mutex_unlock(&live->mutex);
    if (!is_due || n == 0) return FIRN_OK;
    /* the thread waits, and only this function wakes it */
    int nth = (int)((n - 1) / FIRN_LIVE_PREVIEW_PARTICLES + 1);
    live->picture.def.radius_scale = firn_render_default().radius_scale * cbrt(nth);
    firn_points *points = NULL;
    firn_status status = firn_snapshot_take(sim, "P pscale material", nth, &points, messages);
    if (status != FIRN_OK) return status;
    pthread_mutex_lock(&live->mutex);
    live->points = points;
    live->frame = frame;
    live->time = firn_sim_time(sim);
    pthread_cond_broadcast(&live->changed);
    pthread_mutex_unlock(&live->mutex);
    return FIRN_OK;
}

void firn_live_preview_destroy(firn_live_preview *live, firn_messages *messages)
{
    if (!live) return;
    pthread_mutex_lock(&live->mutex);
    live->is_ending = 1;
    pthread_cond_broadcast(&live->changed);
    pthread_mutex_unlock(&live->mutex);
    pthread_join(live->thread, NULL);
    pthread_cond_destroy(&live->changed);
    pthread_mutex_destroy(&live->mutex);
    if (firn_messages_total(live->errors))
        firn_messages_warn(messages, "preview.png: not every picture was written: %s",
                           firn_messages_text(live->errors, 0, NULL));
    firn_messages_destroy(live->errors);
    firn_scene_colliders_destroy(live->colliders);
    firn_memory_release(NULL, live, sizeof *live);
}
