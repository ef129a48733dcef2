/* SPDX-License-Identifier: MIT */
/* probe_log.c: see probe_log.h. */
#include "session/probe_log.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"
#include "shot/manifest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] = "probe,time,value\n";

/* The length of the rows up to a time: complete lines, in the order of time. */
static uint64_t length_until(const char *text, size_t n, double time)
{
    size_t good = 0;
    while (good < n) {
        const char *line = text + good, *end = memchr(line, '\n', n - good);
        if (!end) break;
        const char *comma = memchr(line, ',', (size_t)(end - line));
        if (good && (!comma || !(strtod(comma + 1, NULL) <= time))) break;
        good = (size_t)(end - text) + 1;
    }
    return good;
}

firn_status firn_probe_log_begin(firn_probe_log *log, const char *folder,
                                 const firn_scene_def *scene, double time, firn_messages *messages)
{
    *log = (firn_probe_log){.scene = scene};
    snprintf(log->path, sizeof log->path, "%s/%s", folder, FIRN_MANIFEST_PROBES);
    if (time > 0 && access(log->path, F_OK) == 0) {
        size_t n = 0;
        char *text = firn_file_text(log->path, SIZE_MAX / 4, &n, messages);
        if (!text) return firn_messages_status(messages);
        const int is_ours = n >= sizeof header - 1 && memcmp(text, header, sizeof header - 1) == 0;
        log->n_bytes = is_ours ? length_until(text, n, time) : 0;
        firn_memory_release(NULL, text, n + 1);
    }
    if (log->n_bytes == 0) firn_text_add(&log->rows, "%s", header);
    return firn_probe_log_flush(log, messages);
}

firn_status firn_probe_log_put(void *user, int probe, double time, double value,
                               firn_messages *messages)
{
    enum { FULL = 1 << 20 };
    firn_probe_log *log = user;
    firn_text_add(&log->rows, "%s,%.17g,%.17g\n", log->scene->probes[probe].name, time, value);
    firn_status status = FIRN_OK;
    if (log->rows.n > FULL) status = firn_probe_log_flush(log, messages);
    if (status == FIRN_OK && log->expect)
        status = firn_expect_sample(log->expect, probe, time, value, messages);
    return status;
}

firn_status firn_probe_log_flush(firn_probe_log *log, firn_messages *messages)
{
    if (!log->scene || log->rows.n == 0) return FIRN_OK;
    if (log->rows.has_failed) return firn_messages_no_memory(messages, "rows of probes");
    firn_status status =
        firn_file_append(log->path, log->n_bytes, log->rows.data, log->rows.n, messages);
    if (status != FIRN_OK) return status;
    log->n_bytes += log->rows.n;
    log->rows.n = 0;
    return FIRN_OK;
}

void firn_probe_log_clear(firn_probe_log *log)
{
    firn_text_clear(&log->rows);
    *log = (firn_probe_log){0};
}
