/* SPDX-License-Identifier: MIT */
#include "session/run_output.h"

#include "shot/checkpoint.h"
#include "mpm/separation.h"
#include "base/memory.h"
#include "solver/attributes.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* More waiting moments would only be work that an interrupted run must still do before it may end.
 */
enum { MAX_OUTPUTS = 64, MAX_WAITING = 8 };

double firn_run_output_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

firn_status firn_run_output_begin(firn_run_output *record, firn_shot *shot,
                                  const firn_scene_def *scene, uint64_t scene_hash,
                                  const firn_sim *sim, size_t max_memory, firn_messages *messages)
{
    double now = firn_run_output_clock();
    *record = (firn_run_output){.shot = shot,
                                .scene = scene,
                                .scene_hash = scene_hash,
                                .last_frame = scene->frames,
                                .began = now,
                                .last_checkpoint = now,
                                .n_ledgers = firn_sim_n_materials(sim) + 1};
    if (scene->n_outputs > MAX_OUTPUTS)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "outputs: %d are wanted, at most %d are possible",
                                 scene->n_outputs, MAX_OUTPUTS);
    record->ledgers = firn_memory_array(NULL, (size_t)record->n_ledgers, sizeof *record->ledgers);
    record->told_gaps =
        firn_memory_array(NULL, (size_t)record->n_ledgers, sizeof *record->told_gaps);
    if (!record->ledgers || !record->told_gaps)
        return firn_messages_add(messages, FIRN_MEMORY, "out of memory for the ledgers");
    firn_separation_begin(scene, record->told_gaps);
    firn_shot_last(shot, &record->frame, &record->sub);
    size_t max_waiting = max_memory / 4 < FIRN_CACHE_BYTES ? max_memory / 4 : FIRN_CACHE_BYTES;
    return firn_cache_create(shot, max_waiting, &record->cache, messages);
}

/* ---------------------------------------------------------------- moments */

/* The snapshots that are due at this moment; what was taken stays in `items` also on failure. */
static firn_status take_snapshots(const firn_run_output *record, firn_sim *sim,
                                  const firn_output_time *output_time, firn_cache_item *items,
                                  int *n_items, firn_messages *messages)
{
    if (output_time->frame < record->first_frame || output_time->frame > record->last_frame)
        return FIRN_OK;
    for (int i = 0; i < record->scene->n_outputs; i++) {
        const firn_output_def *output = &record->scene->outputs[i];
        if (!firn_shot_is_due(record->shot, i, output_time->frame, output_time->sub)) continue;
        firn_points *points = NULL;
        firn_status status =
            firn_snapshot_take(sim, output->attributes, output->nth, &points, messages);
        if (status != FIRN_OK) return status;
        items[(*n_items)++] = (firn_cache_item){.output = i, .points = points};
    }
    return FIRN_OK;
}

static firn_status take_ledgers(firn_run_output *record, firn_sim *sim, firn_messages *messages)
{
    for (int i = 0; i < record->n_ledgers; i++) {
        firn_status status = firn_sim_ledger(sim, i - 1, &record->ledgers[i], messages);
        if (status != FIRN_OK) return status;
        if (i)
            firn_separation_warn(record->scene, i - 1, &record->ledgers[i], firn_sim_time(sim),
                                 record->told_gaps, messages);
    }
    return FIRN_OK;
}

static firn_status write_checkpoint(firn_run_output *record, firn_sim *sim, firn_messages *messages)
{
    double began = firn_run_output_clock();
    /* The ledger must not lag behind the checkpoint: going on from it would leave a hole in the
     * shot. */
    firn_status status = firn_cache_flush(record->cache, messages);
    size_t n_bytes = 0;
    if (status == FIRN_OK) status = firn_save_stream(sim, NULL, NULL, &n_bytes, messages);
    if (status != FIRN_OK) return status;
    firn_checkpoint_info info = {.scene_hash = record->scene_hash,
                                 .frame = record->frame,
                                 .sub = record->sub,
                                 .time = firn_sim_time(sim),
                                 .step = firn_sim_step_count(sim),
                                 .state_hash = firn_sim_hash(sim)};
    firn_checkpoint_writer writer;
    status =
        firn_checkpoint_begin(&writer, firn_shot_folder(record->shot), &info, n_bytes, messages);
    if (status == FIRN_OK) {
        firn_save_stream(sim, firn_checkpoint_put, &writer, &n_bytes, NULL);
        status = firn_checkpoint_end(&writer, record->scene->checkpoint.keep, messages);
    }
    record->last_checkpoint = firn_run_output_clock();
    record->checkpoint_seconds += record->last_checkpoint - began;
    record->n_checkpoints++;
    return status;
}

firn_status firn_run_output_write(firn_run_output *record, firn_sim *sim,
                                  const firn_output_time *output_time, firn_messages *messages)
{
    if (output_time->sub < 0) return FIRN_OK; /* between the moments of the ledger */
    firn_cache_item items[MAX_OUTPUTS];
    int n_items = 0;
    firn_status status = take_snapshots(record, sim, output_time, items, &n_items, messages);
    if (status == FIRN_OK) status = take_ledgers(record, sim, messages);
    if (status != FIRN_OK) {
        for (int i = 0; i < n_items; i++) firn_points_destroy(items[i].points);
        return status;
    }
    firn_shot_time booked = {.frame = output_time->frame,
                             .sub = output_time->sub,
                             .time = output_time->time,
                             .wall_seconds = firn_run_output_clock() - record->began,
                             .state_hash = output_time->sub == 0 ? firn_sim_hash(sim) : 0,
                             .stats = firn_sim_stats(sim),
                             .n_ledgers = record->n_ledgers,
                             .ledgers = record->ledgers};
    status = firn_cache_push(record->cache, &booked, n_items, items, messages);
    if (status == FIRN_OK && firn_cache_state(record->cache).n_waiting >= MAX_WAITING)
        status = firn_cache_flush(record->cache, messages);
    if (status != FIRN_OK) return status;
    record->frame = output_time->frame;
    record->sub = output_time->sub;
    int every = record->scene->checkpoint.every_frames;
    if (every > 0 && output_time->sub == 0 && output_time->frame > 0 &&
        output_time->frame % every == 0)
        return write_checkpoint(record, sim, messages);
    return FIRN_OK;
}

firn_status firn_run_output_step(firn_run_output *record, firn_sim *sim, firn_messages *messages)
{
    double every = record->scene->checkpoint.every_seconds;
    if (!(every > 0)) return FIRN_OK;
    if (record->n_checkpoints)
        every = fmax(every, 33 * record->checkpoint_seconds / record->n_checkpoints);
    if (firn_run_output_clock() - record->last_checkpoint < every) return FIRN_OK;
    return write_checkpoint(record, sim, messages);
}

/* ---------------------------------------------------------------- the end */

firn_status firn_run_output_end(firn_run_output *record, firn_sim *sim, firn_status status,
                                const char *why, firn_messages *messages)
{
    /* A stopped simulation stands at its last good step, so that it can be gone on with under
     * other settings. After an error of the disk one more file would only fail again. */
    firn_status end = FIRN_OK;
    if (record->cache && sim && (status == FIRN_OK || status == FIRN_INTERRUPTED))
        end = write_checkpoint(record, sim, messages);
    /* A step that left something that is not finite cannot be saved: the checkpoints before it
     * stay the last ones. */
    if (record->cache && sim && status == FIRN_STOPPED &&
        write_checkpoint(record, sim, NULL) == FIRN_IO)
        end = FIRN_IO;
    if (record->cache) {
        firn_status flushed = firn_cache_destroy(record->cache, messages);
        if (end == FIRN_OK) end = flushed;
    }
    if (record->shot) {
        const char *state = status == FIRN_OK && end == FIRN_OK ? "finished"
                            : status == FIRN_INTERRUPTED        ? "interrupted"
                                                                : "stopped";
        firn_status closed = firn_shot_close(record->shot, state, why, messages);
        if (end == FIRN_OK) end = closed;
    }
    firn_shot_destroy(record->shot);
    firn_memory_release(NULL, record->ledgers, (size_t)record->n_ledgers * sizeof *record->ledgers);
    firn_memory_release(NULL, record->told_gaps, (size_t)record->n_ledgers);
    *record = (firn_run_output){.checkpoint_seconds = record->checkpoint_seconds,
                                .n_checkpoints = record->n_checkpoints};
    return status == FIRN_OK || status == FIRN_INTERRUPTED ? (end != FIRN_OK ? end : status)
                                                           : status;
}
