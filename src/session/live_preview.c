/* SPDX-License-Identifier: MIT */
/* live_preview.c: the thread behind live_preview.h. `points` is the hand-over: the simulation
 * fills it only while it is NULL, the thread empties it when the picture is done. */
#include "session/live_preview.h"

#include "base/memory.h"
#include "picture/preview.h"
#include "session/run_output.h"
#include "solver/attributes.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static const double rest = 19; /* times what the picture took */

struct firn_live_preview {
    char folder[FIRN_PATH];
    firn_scene_colliders *props;
    firn_preview preview;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* points came, points are done, the end was asked for */
    firn_points *points;
    int frame, is_ending;
    double time, rested; /* of the frame; the clock when the next picture may begin */
    firn_messages *trouble;
};

static void paint(firn_live_preview *painter)
{
    char caption[64];
    snprintf(caption, sizeof caption, "frame %d · %.3f s", painter->frame, painter->time);
    if (painter->props) firn_scene_colliders_at(painter->props, painter->time);
    firn_preview_write(&painter->preview, painter->points, painter->folder, caption,
                       painter->trouble);
}

static void *paint_all(void *user)
{
    firn_live_preview *painter = user;
    pthread_mutex_lock(&painter->mutex);
    for (;;) {
        while (!painter->points && !painter->is_ending)
            pthread_cond_wait(&painter->changed, &painter->mutex);
        if (!painter->points) break;
        pthread_mutex_unlock(&painter->mutex);
        double began = firn_run_output_clock();
        paint(painter);
        double ended = firn_run_output_clock();
        firn_points_destroy(painter->points);
        pthread_mutex_lock(&painter->mutex);
        painter->points = NULL;
        painter->rested = ended + rest * (ended - began);
        pthread_cond_broadcast(&painter->changed);
    }
    pthread_mutex_unlock(&painter->mutex);
    return NULL;
}

/* Signals are the program's business: the thread is started with all of them blocked. */
static int start(firn_live_preview *painter)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_mutex_init(&painter->mutex, NULL);
    pthread_cond_init(&painter->changed, NULL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&painter->thread, NULL, paint_all, painter);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        pthread_cond_destroy(&painter->changed);
        pthread_mutex_destroy(&painter->mutex);
    }
    return error;
}

firn_status firn_live_preview_create(const char *folder, const firn_scene_def *scene,
                                     const firn_sim *sim, firn_live_preview **out,
                                     firn_messages *messages)
{
    *out = NULL;
    firn_live_preview *painter = firn_memory_allocate(NULL, sizeof *painter);
    if (!painter) return firn_messages_add(messages, FIRN_MEMORY, "memory is exhausted");
    snprintf(painter->folder, sizeof painter->folder, "%s", folder);
    painter->preview = firn_preview_default(scene->gravity, 1);
    painter->trouble = firn_messages_create();
    firn_status status = painter->trouble
                             ? firn_scene_colliders_of_scene(scene, sim, &painter->props, messages)
                             : FIRN_MEMORY;
    painter->preview.def.props = painter->props;
    if (status == FIRN_OK && start(painter)) status = FIRN_MEMORY;
    if (status == FIRN_OK) {
        *out = painter;
        return FIRN_OK;
    }
    firn_scene_colliders_destroy(painter->props);
    firn_messages_destroy(painter->trouble);
    firn_memory_release(NULL, painter, sizeof *painter);
    return firn_messages_add(messages, status,
                             "the thread that paints preview.png cannot be started");
}

firn_status firn_live_preview_offer(firn_live_preview *painter, firn_sim *sim, int frame,
                                    int is_last, firn_messages *messages)
{
    int64_t n = firn_sim_n_particles(sim);
    pthread_mutex_lock(&painter->mutex);
    while (is_last && painter->points) pthread_cond_wait(&painter->changed, &painter->mutex);
    int is_due = !painter->points && (is_last || firn_run_output_clock() >= painter->rested);
    pthread_mutex_unlock(&painter->mutex);
    if (!is_due || n == 0) return FIRN_OK;
    /* the thread sleeps now, and nobody but this one wakes it */
    int nth = (int)((n - 1) / FIRN_LIVE_PREVIEW_PARTICLES + 1);
    painter->preview.def.radius_scale = firn_render_default().radius_scale * cbrt(nth);
    firn_points *points = NULL;
    firn_status status = firn_snapshot_take(sim, "P pscale material", nth, &points, messages);
    if (status != FIRN_OK) return status;
    pthread_mutex_lock(&painter->mutex);
    painter->points = points;
    painter->frame = frame;
    painter->time = firn_sim_time(sim);
    pthread_cond_broadcast(&painter->changed);
    pthread_mutex_unlock(&painter->mutex);
    return FIRN_OK;
}

void firn_live_preview_destroy(firn_live_preview *painter, firn_messages *messages)
{
    if (!painter) return;
    pthread_mutex_lock(&painter->mutex);
    painter->is_ending = 1;
    pthread_cond_broadcast(&painter->changed);
    pthread_mutex_unlock(&painter->mutex);
    pthread_join(painter->thread, NULL);
    pthread_cond_destroy(&painter->changed);
    pthread_mutex_destroy(&painter->mutex);
    if (firn_messages_total(painter->trouble))
        firn_messages_warn(messages, "preview.png was not always painted: %s",
                           firn_messages_text(painter->trouble, 0, NULL));
    firn_messages_destroy(painter->trouble);
    firn_scene_colliders_destroy(painter->props);
    firn_memory_release(NULL, painter, sizeof *painter);
}
