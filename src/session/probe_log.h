/* SPDX-License-Identifier: MIT */
/* probe_log.h: probes.csv of a shot, one row per sample: probe, time, value. Kept in memory between
 * output times; no record of the manifest, so it has no checksum. */
#ifndef FIRN_PROBE_LOG_H
#define FIRN_PROBE_LOG_H

#include "firn/firn.h"
#include "base/text.h"
#include "measure/expect.h"

typedef struct firn_probe_log {
    const firn_scene_def *scene;
    firn_expect_recorder *expect; /* hears samples too; NULL: none */
    char path[FIRN_PATH + 32];
    uint64_t n_bytes; /* of the file that are good */
    firn_text rows;   /* not yet written */
} firn_probe_log;

/* A run that continues at `time` > 0 keeps the rows up to then. */
firn_status firn_probe_log_begin(firn_probe_log *log, const char *folder,
                                 const firn_scene_def *scene, double time, firn_messages *messages);
/* A firn_probe_fn; `log`: the firn_probe_log. */
firn_status firn_probe_log_put(void *log, int probe, double time, double value,
                               firn_messages *messages);
/* Writes what is waiting: before a checkpoint, and at output times. */
firn_status firn_probe_log_flush(firn_probe_log *log, firn_messages *messages);
void firn_probe_log_clear(firn_probe_log *log);

#endif
