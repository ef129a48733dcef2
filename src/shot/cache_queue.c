/* SPDX-License-Identifier: MIT */
/* cache_queue.c: the bounded queue between a simulation and the disk (see cache_queue.h).
 *
 * One mutex guards the list, the counters and the writer's messages. The writer takes the oldest
 * job, works without the lock (job and shot are its own meanwhile), and takes the lock again to
 * enter the outcome. Bytes are counted from push until the job is released, so the bound holds
 * for what is being written as well. */
#include "shot/cache_queue.h"
#include "points/format.h"
#include "base/memory.h"
#include "base/messages.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PATH_ROOM = 4096 };

typedef struct job {
    struct job *next;
    firn_shot_time output_time;
    firn_ledger *ledgers;
    int n_items;
    firn_cache_item *items;
    size_t bytes;
} job;

struct firn_cache {
    firn_shot *shot;
    size_t max_bytes;
    pthread_t writer;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a job came, a job was done, the end was asked for */
    job *first, *last;
    int is_ending;
    firn_cache_stats stats;
    firn_status status;      /* of the first failure; nothing is written after it */
    firn_messages *messages; /* of the writer, not handed over yet */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------- jobs */

static void release_items(int n_items, const firn_cache_item *items)
{
    for (int i = 0; i < n_items; i++) firn_points_destroy(items[i].points);
}

static void release_job(job *j)
{
    if (!j) return;
    release_items(j->n_items, j->items);
    firn_memory_release(NULL, j->items, (size_t)j->n_items * sizeof *j->items);
    firn_memory_release(NULL, j->ledgers, (size_t)j->output_time.n_ledgers * sizeof *j->ledgers);
    firn_memory_release(NULL, j, sizeof *j);
}

/* On success the job owns the points. */
static job *make_job(const firn_shot_time *output_time, int n_items, const firn_cache_item *items)
{
    job *j = firn_memory_allocate(NULL, sizeof *j);
    if (!j) return NULL;
    j->output_time = *output_time;
    j->items = firn_memory_array(NULL, (size_t)n_items, sizeof *j->items);
    j->ledgers = firn_memory_array(NULL, (size_t)output_time->n_ledgers, sizeof *j->ledgers);
    if (!j->items || !j->ledgers) {
        release_job(j);
        return NULL;
    }
    if (n_items) memcpy(j->items, items, (size_t)n_items * sizeof *items);
    if (output_time->n_ledgers)
        memcpy(j->ledgers, output_time->ledgers,
               (size_t)output_time->n_ledgers * sizeof *j->ledgers);
    j->n_items = n_items;
    j->output_time.ledgers = j->ledgers;
    for (int i = 0; i < n_items; i++) j->bytes += firn_points_bytes(items[i].points);
    return j;
}

/* ---------------------------------------------------------------- the writer */

/* The details that only the shot knows. A snapshot keeps a detail of its own with that name. */
static firn_status add_details(firn_cache *cache, firn_points *points,
                               const firn_shot_time *output_time, firn_messages *messages)
{
    char hash[32];
    if (!firn_points_find_detail(points, "frame")) {
        firn_attribute *frame = firn_points_add_detail(points, "frame", FIRN_ATTRIBUTE_INT, 1);
        if (!frame) goto no_memory;
        frame->data.i[0] = output_time->frame;
    }
    if (!firn_points_find_detail(points, "scene_hash")) {
        firn_attribute *scene =
            firn_points_add_detail(points, "scene_hash", FIRN_ATTRIBUTE_INDEX, 1);
        snprintf(hash, sizeof hash, "%016llx",
                 (unsigned long long)firn_shot_scene_hash(cache->shot));
        if (!scene || firn_attribute_intern(scene, hash) < 0) goto no_memory;
    }
    return FIRN_OK;
no_memory:
    return firn_messages_no_memory(messages, "%s: details of a cache",
                                   firn_shot_folder(cache->shot));
}

static firn_status write_files(firn_cache *cache, const job *j, firn_shot_file *files,
                               uint64_t *bytes, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    char path[PATH_ROOM];
    for (int i = 0; i < j->n_items && status == FIRN_OK; i++) {
        firn_shot_file_name(cache->shot, j->items[i].output, j->output_time.frame,
                            j->output_time.sub, files[i].name, sizeof files[i].name);
        snprintf(path, sizeof path, "%s/%s", firn_shot_folder(cache->shot), files[i].name);
        status = firn_file_refuse_link(path, messages);
        if (status == FIRN_OK)
            status = add_details(cache, j->items[i].points, &j->output_time, messages);
        if (status == FIRN_OK)
            status = firn_format_write(path, j->items[i].points, &files[i].receipt, messages);
        *bytes += files[i].receipt.n_bytes;
    }
    return status;
}

static firn_status write_job(firn_cache *cache, const job *j, uint64_t *bytes,
                             firn_messages *messages)
{
    firn_shot_file *files = firn_memory_array(NULL, (size_t)j->n_items, sizeof *files);
    if (!files)
        return firn_messages_no_memory(messages, "%s: names of caches",
                                       firn_shot_folder(cache->shot));
    firn_status status = write_files(cache, j, files, bytes, messages);
    char path[PATH_ROOM];
    /* an output time is complete or absent */
    for (int i = 0; status != FIRN_OK && i < j->n_items && *files[i].name; i++) {
        snprintf(path, sizeof path, "%s/%s", firn_shot_folder(cache->shot), files[i].name);
        firn_file_remove(path, NULL);
    }
    if (status == FIRN_OK)
        status = firn_shot_record(cache->shot, &j->output_time, j->n_items, files, messages);
    firn_memory_release(NULL, files, (size_t)j->n_items * sizeof *files);
    return status;
}

static void *write_all(void *user)
{
    firn_cache *cache = user;
    pthread_mutex_lock(&cache->mutex);
    for (;;) {
        while (!cache->first && !cache->is_ending)
            pthread_cond_wait(&cache->changed, &cache->mutex);
        job *j = cache->first;
        if (!j) break;
        uint64_t bytes = 0;
        double began = now();
        firn_status status = cache->status;
        pthread_mutex_unlock(&cache->mutex);
        firn_messages *said = firn_messages_create();
        if (status == FIRN_OK) status = write_job(cache, j, &bytes, said);
        pthread_mutex_lock(&cache->mutex);
        if (cache->status == FIRN_OK && status != FIRN_OK) {
            cache->status = status;
            for (int i = 0; i < firn_messages_total(said); i++)
                firn_messages_add(cache->messages, status, "%s", firn_messages_text(said, i, NULL));
        }
        firn_messages_destroy(said);
        cache->first = j->next;
        if (!cache->first) cache->last = NULL;
        cache->stats.n_waiting--;
        cache->stats.bytes -= j->bytes;
        cache->stats.bytes_written += bytes;
        cache->stats.write_seconds += now() - began;
        release_job(j);
        pthread_cond_broadcast(&cache->changed);
    }
    pthread_mutex_unlock(&cache->mutex);
    return NULL;
}

/* ---------------------------------------------------------------- the simulation's side */

/* Signals are the program's business: the writer is started with all of them blocked. */
static int start_writer(firn_cache *cache)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&cache->writer, NULL, write_all, cache);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

firn_status firn_cache_create(firn_shot *shot, size_t max_bytes, firn_cache **made,
                              firn_messages *messages)
{
    firn_cache *cache = *made = firn_memory_allocate(NULL, sizeof *cache);
    if (cache) {
        cache->shot = shot;
        cache->max_bytes = max_bytes ? max_bytes : FIRN_CACHE_BYTES;
        cache->messages = firn_messages_create();
        if (cache->messages) {
            pthread_mutex_init(&cache->mutex, NULL);
            pthread_cond_init(&cache->changed, NULL);
            if (start_writer(cache) == 0) return FIRN_OK;
            pthread_cond_destroy(&cache->changed);
            pthread_mutex_destroy(&cache->mutex);
        }
        firn_messages_destroy(cache->messages);
    }
    firn_memory_release(NULL, cache, sizeof *cache);
    *made = NULL;
    return firn_messages_no_memory(messages, "thread that writes caches");
}

/* Under the lock: hands over the writer's messages; the status stays, so nothing is written after
 * an error. */
static firn_status hand_over(firn_cache *cache, firn_messages *messages)
{
    for (int i = 0; i < firn_messages_total(cache->messages); i++)
        firn_messages_add(messages, cache->status, "%s",
                          firn_messages_text(cache->messages, i, NULL));
    firn_messages_clear(cache->messages);
    return cache->status;
}

firn_status firn_cache_push(firn_cache *cache, const firn_shot_time *output_time, int n_items,
                            const firn_cache_item *items, firn_messages *messages)
{
    job *j = make_job(output_time, n_items, items);
    if (!j) {
        release_items(n_items, items);
        return firn_messages_no_memory(messages, "frame %d: queue for writing", output_time->frame);
    }
    if (j->bytes > cache->max_bytes) {
        firn_status status = firn_messages_add(
            messages, FIRN_MEMORY,
            "frame %d: caches larger than the queue for writing (%.1f MiB); "
            "allowed: %.1f MiB; try: fewer attributes, or every nth particle",
            output_time->frame, (double)j->bytes / (1 << 20), (double)cache->max_bytes / (1 << 20));
        release_job(j);
        return status;
    }
    pthread_mutex_lock(&cache->mutex);
    double began = now();
    while (cache->status == FIRN_OK && cache->stats.bytes + j->bytes > cache->max_bytes)
        pthread_cond_wait(&cache->changed, &cache->mutex);
    cache->stats.wait_seconds += now() - began;
    firn_status status = hand_over(cache, messages);
    if (status == FIRN_OK) {
        if (cache->last)
            cache->last->next = j;
        else
            cache->first = j;
        cache->last = j;
        cache->stats.n_waiting++;
        cache->stats.bytes += j->bytes;
        if (cache->stats.bytes > cache->stats.bytes_peak)
            cache->stats.bytes_peak = cache->stats.bytes;
        pthread_cond_broadcast(&cache->changed);
    }
    pthread_mutex_unlock(&cache->mutex);
    if (status != FIRN_OK) release_job(j);
    return status;
}

firn_status firn_cache_flush(firn_cache *cache, firn_messages *messages)
{
    pthread_mutex_lock(&cache->mutex);
    while (cache->first) pthread_cond_wait(&cache->changed, &cache->mutex);
    firn_status status = hand_over(cache, messages);
    pthread_mutex_unlock(&cache->mutex);
    return status;
}

firn_status firn_cache_destroy(firn_cache *cache, firn_messages *messages)
{
    if (!cache) return FIRN_OK;
    firn_status status = firn_cache_flush(cache, messages);
    pthread_mutex_lock(&cache->mutex);
    cache->is_ending = 1;
    pthread_cond_broadcast(&cache->changed);
    pthread_mutex_unlock(&cache->mutex);
    pthread_join(cache->writer, NULL);
    pthread_cond_destroy(&cache->changed);
    pthread_mutex_destroy(&cache->mutex);
    firn_messages_destroy(cache->messages);
    firn_memory_release(NULL, cache, sizeof *cache);
    return status;
}

firn_cache_stats firn_cache_state(firn_cache *cache)
{
    pthread_mutex_lock(&cache->mutex);
    firn_cache_stats stats = cache->stats;
    pthread_mutex_unlock(&cache->mutex);
    return stats;
}
