/* SPDX-License-Identifier: MIT */
/* run_output.c: see run_output.h. */
#include "session/run_output.h"

#include "shot/checkpoint.h"
#include "mpm/separation.h"
#include "base/memory.h"
#include "base/messages.h"
#include "solver/attributes.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* Output times that wait for the disk: an interrupted run still writes all of them. */
enum { MAX_OUTPUTS = 64, MAX_WAITING = 8 };

double firn_run_output_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

firn_status firn_run_output_begin(firn_run_output *output, firn_shot *shot,
                                  const firn_scene_def *scene, uint64_t scene_hash,
                                  const firn_sim *sim, size_t max_memory, firn_messages *messages)
{
    double now = firn_run_output_clock();
    *output = (firn_run_output){.shot = shot,
                                .scene = scene,
                                .scene_hash = scene_hash,
                                .last_frame = scene->frames,
                                .began = now,
                                .last_checkpoint = now,
                                .n_ledgers = firn_sim_n_materials(sim) + 1};
    if (scene->n_outputs > MAX_OUTPUTS)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "outputs: too many (%d); allowed: up to %d", scene->n_outputs,
                                 MAX_OUTPUTS);
    output->ledgers = firn_memory_array(NULL, (size_t)output->n_ledgers, sizeof *output->ledgers);
    output->is_warned =
        firn_memory_array(NULL, (size_t)output->n_ledgers, sizeof *output->is_warned);
    if (!output->ledgers || !output->is_warned) return firn_messages_no_memory(messages, "ledgers");
    firn_separation_begin(scene, output->is_warned);
    output->is_new = !firn_shot_last(shot, &output->frame, &output->sub);
    size_t max_waiting = max_memory / 4 < FIRN_CACHE_BYTES ? max_memory / 4 : FIRN_CACHE_BYTES;
    return firn_cache_create(shot, max_waiting, &output->cache, messages);
}

/* ---------------------------------------------------------------- output times */

/* The snapshots that are due; `items` holds those taken also on failure. */
static firn_status take_snapshots(const firn_run_output *output, firn_sim *sim,
                                  const firn_output_time *output_time, firn_cache_item *items,
                                  int *n_items, firn_messages *messages)
{
    if (output_time->frame < output->first_frame || output_time->frame > output->last_frame)
        return FIRN_OK;
    for (int i = 0; i < output->scene->n_outputs; i++) {
        const firn_output_def *def = &output->scene->outputs[i];
        if (!firn_shot_is_due(output->shot, i, output_time->frame, output_time->sub)) continue;
        firn_points *points = NULL;
        firn_status status = firn_snapshot_take(sim, def->attributes, def->nth, &points, messages);
        if (status != FIRN_OK) return status;
        items[(*n_items)++] = (firn_cache_item){.output = i, .points = points};
    }
    return FIRN_OK;
}

static firn_status take_ledgers(firn_run_output *output, firn_sim *sim, firn_messages *messages)
{
    for (int i = 0; i < output->n_ledgers; i++) {
        firn_status status = firn_sim_ledger(sim, i - 1, &output->ledgers[i], messages);
        if (status != FIRN_OK) return status;
        if (i)
            firn_separation_warn(output->scene, i - 1, &output->ledgers[i], firn_sim_time(sim),
                                 output->is_warned, messages);
    }
    return FIRN_OK;
}

static firn_status write_checkpoint(firn_run_output *output, firn_sim *sim, firn_messages *messages)
{
    double began = firn_run_output_clock();
    /* The ledger is written up to the checkpoint first: else resuming from it would leave a hole. */
    firn_status status = firn_cache_flush(output->cache, messages);
    if (status == FIRN_OK) status = firn_probe_log_flush(&output->probes, messages);
    size_t n_bytes = 0;
    if (status == FIRN_OK) status = firn_save_stream(sim, NULL, NULL, &n_bytes, messages);
    if (status != FIRN_OK) return status;
    firn_checkpoint_info info = {.scene_hash = output->scene_hash,
                                 .frame = output->frame,
                                 .sub = output->sub,
                                 .time = firn_sim_time(sim),
                                 .step = firn_sim_step_count(sim),
                                 .state_hash = firn_sim_hash(sim)};
    firn_checkpoint_writer writer;
    status =
        firn_checkpoint_begin(&writer, firn_shot_folder(output->shot), &info, n_bytes, messages);
    if (status == FIRN_OK) {
        firn_save_stream(sim, firn_checkpoint_put, &writer, &n_bytes, NULL);
        status = firn_checkpoint_end(&writer, output->scene->checkpoint.keep, messages);
    }
    output->last_checkpoint = firn_run_output_clock();
    output->checkpoint_seconds += output->last_checkpoint - began;
    output->n_checkpoints++;
    return status;
}

/* Every so many frames; and after the first frame, so that a run killed soon after can be resumed. */
static int is_checkpoint_due(const firn_run_output *output, const firn_output_time *at)
{
    const firn_checkpoint_def *def = &output->scene->checkpoint;
    if (at->sub != 0 || at->frame <= 0) return 0;
    if (def->every_frames > 0 && at->frame % def->every_frames == 0) return 1;
    return output->is_new && !output->n_checkpoints && def->every_seconds > 0 && !at->is_end;
}

firn_status firn_run_output_write(firn_run_output *output, firn_sim *sim,
                                  const firn_output_time *output_time, firn_messages *messages)
{
    if (output_time->sub < 0) return FIRN_OK; /* no sub-frame: not in the ledger */
    firn_cache_item items[MAX_OUTPUTS];
    int n_items = 0;
    firn_status status = take_snapshots(output, sim, output_time, items, &n_items, messages);
    if (status == FIRN_OK) status = take_ledgers(output, sim, messages);
    if (status != FIRN_OK) {
        for (int i = 0; i < n_items; i++) firn_points_destroy(items[i].points);
        return status;
    }
    firn_shot_time entry = {.frame = output_time->frame,
                            .sub = output_time->sub,
                            .time = output_time->time,
                            .wall_seconds = firn_run_output_clock() - output->began,
                            .state_hash = output_time->sub == 0 ? firn_sim_hash(sim) : 0,
                            .stats = firn_sim_stats(sim),
                            .n_ledgers = output->n_ledgers,
                            .ledgers = output->ledgers};
    status = firn_cache_push(output->cache, &entry, n_items, items, messages);
    if (status == FIRN_OK) status = firn_probe_log_flush(&output->probes, messages);
    if (status == FIRN_OK && firn_cache_state(output->cache).n_waiting >= MAX_WAITING)
        status = firn_cache_flush(output->cache, messages);
    if (status != FIRN_OK) return status;
    output->frame = output_time->frame;
    output->sub = output_time->sub;
    return is_checkpoint_due(output, output_time) ? write_checkpoint(output, sim, messages)
                                                  : FIRN_OK;
}

int firn_run_output_is_due(const firn_run_output *output)
{
    double every = output->scene->checkpoint.every_seconds;
    if (!(every > 0)) return 0;
    if (output->n_checkpoints)
        every = fmax(every, 33 * output->checkpoint_seconds / output->n_checkpoints);
    return firn_run_output_clock() - output->last_checkpoint >= every;
}

firn_status firn_run_output_step(firn_run_output *output, firn_sim *sim, firn_messages *messages)
{
    return write_checkpoint(output, sim, messages);
}

/* ---------------------------------------------------------------- the end */

firn_status firn_run_output_end(firn_run_output *output, firn_sim *sim, firn_status status,
                                const char *why, firn_messages *messages)
{
    /* A stopped simulation is at its last good step, from where it can be resumed with other
     * settings. After an error of the disk one more file would fail again. */
    firn_status end = FIRN_OK;
    if (output->cache && sim && (status == FIRN_OK || status == FIRN_INTERRUPTED))
        end = write_checkpoint(output, sim, messages);
    /* A state that is not finite cannot be saved: earlier checkpoints stay. */
    if (output->cache && sim && status == FIRN_STOPPED &&
        write_checkpoint(output, sim, NULL) == FIRN_IO)
        end = FIRN_IO;
    if (output->cache) {
        firn_status flushed = firn_cache_destroy(output->cache, messages);
        if (end == FIRN_OK) end = flushed;
    }
    if (output->shot) {
        /* "stopped" would happen again, "failed" is by disk or memory and need not */
        const char *state = status == FIRN_STOPPED && end == FIRN_OK ? "stopped"
                            : end != FIRN_OK                         ? "failed"
                            : status == FIRN_OK                      ? "finished"
                            : status == FIRN_INTERRUPTED             ? "interrupted"
                                                                     : "failed";
        firn_status closed = firn_shot_close(output->shot, state, why, messages);
        if (end == FIRN_OK) end = closed;
    }
    if (output->shot && end == FIRN_OK) end = firn_probe_log_flush(&output->probes, messages);
    firn_probe_log_clear(&output->probes);
    firn_shot_destroy(output->shot);
    firn_memory_release(NULL, output->ledgers, (size_t)output->n_ledgers * sizeof *output->ledgers);
    firn_memory_release(NULL, output->is_warned, (size_t)output->n_ledgers);
    *output = (firn_run_output){.checkpoint_seconds = output->checkpoint_seconds,
                                .n_checkpoints = output->n_checkpoints};
    return status == FIRN_OK || status == FIRN_INTERRUPTED ? (end != FIRN_OK ? end : status)
                                                           : status;
}
