/* SPDX-License-Identifier: MIT */
/* sample_shot.h: small shots for tests of what is on disk, without a simulation. */
#ifndef FIRN_TEST_SAMPLE_SHOT_H
#define FIRN_TEST_SAMPLE_SHOT_H

#include <string.h>

#include "shot/checkpoint.h"
#include "points/format.h"
#include "support/sample_points.h"
#include "support/scratch.h"
#include "shot/shot.h"

static firn_output_def sample_outputs[3];
static firn_scene_def sample_scene;

/* Two outputs of one format (the second every other frame) and sub-frames where asked for. */
static inline firn_shot_setup sample_setup(const char *folder, int n_subframes)
{
    sample_scene = firn_scene_default();
    strcpy(sample_scene.name, "snow ball");
    for (int i = 0; i < 2; i++) {
        sample_outputs[i] = firn_output_default();
        strcpy(sample_outputs[i].format, "bgeo");
        sample_outputs[i].every = 1 + i;
        sample_outputs[i].substeps = i ? 1 : n_subframes;
    }
    sample_scene.n_outputs = 2;
    sample_scene.outputs = sample_outputs;
    return (firn_shot_setup){.folder = folder,
                             .scene_json = "{\"scene\": {\"name\": \"snow ball\"}}",
                             .scene_hash = 0x1234,
                             .scene = &sample_scene,
                             .n_subframes = n_subframes,
                             .n_threads = 2,
                             .isa = "avx2"};
}

static inline firn_shot_time sample_time(int frame, int sub, firn_ledger ledgers[2])
{
    ledgers[0] = (firn_ledger){.n_particles = 5, .mass = 1.5, .max_speed = frame};
    ledgers[1] = ledgers[0];
    strcpy(ledgers[1].material, "snow");
    return (firn_shot_time){.frame = frame,
                            .sub = sub,
                            .time = frame / 24.0,
                            .state_hash = 77u + (unsigned)frame,
                            .stats = {.limit = {1e-4, "wave", "snow", 3}, .n_steps = 10 * frame},
                            .n_ledgers = 2,
                            .ledgers = ledgers};
}

/* Writes the caches of an output time and records it. */
static inline firn_status sample_frame(firn_shot *shot, int frame, int sub, firn_messages *messages)
{
    firn_shot_file files[2];
    firn_ledger ledgers[2];
    int n_files = 0;
    for (int i = 0; i < 2; i++) {
        if (!firn_shot_is_due(shot, i, frame, sub)) continue;
        char path[1024];
        firn_shot_file *file = &files[n_files++];
        firn_shot_file_name(shot, i, frame, sub, file->name, sizeof file->name);
        snprintf(path, sizeof path, "%.500s/%.300s", firn_shot_folder(shot), file->name);
        firn_points *points = sample_points(3 + frame % 5);
        firn_status status = firn_format_write(path, points, &file->receipt, messages);
        firn_points_destroy(points);
        if (status != FIRN_OK) return status;
    }
    firn_shot_time output_time = sample_time(frame, sub, ledgers);
    return firn_shot_record(shot, &output_time, n_files, files, messages);
}

static inline firn_status sample_checkpoint(const char *folder, int frame, int keep)
{
    char state[5000];
    memset(state, 'a' + frame % 26, sizeof state);
    firn_checkpoint_info info = {.scene_hash = 0x1234,
                                 .frame = frame,
                                 .time = frame / 24.0,
                                 .step = 10 * frame,
                                 .state_hash = 77u + (unsigned)frame};
    return firn_checkpoint_write(folder, &info, state, sizeof state, keep, NULL);
}

/* A finished shot of frames 0 to last. */
static inline void sample_shot(const char *folder, int last)
{
    firn_shot *shot;
    firn_shot_setup setup = sample_setup(folder, 1);
    if (firn_shot_create(&setup, 1, &shot, NULL) != FIRN_OK) abort();
    for (int frame = 0; frame <= last; frame++)
        if (sample_frame(shot, frame, 0, NULL) != FIRN_OK) abort();
    if (sample_checkpoint(folder, last, 2) != FIRN_OK) abort();
    if (firn_shot_close(shot, "finished", NULL, NULL) != FIRN_OK) abort();
    firn_shot_destroy(shot);
}

#endif
