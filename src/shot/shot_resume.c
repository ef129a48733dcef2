/* SPDX-License-Identifier: MIT */
/* shot_resume.c: an older shot continued after one of its output times. Records and caches of later
 * ones are removed, and the checksums of what remains are taken, to be continued. */
#include "base/memory.h"
#include "base/messages.h"
#include "shot/ledger_csv.h"
#include "shot/shot_clean.h"
#include "shot/shot_parts.h"

#include <stdio.h>
#include <string.h>

/* What remains of the records when everything after (frame, sub) is removed. */
typedef struct cut {
    int frame, sub;
    int64_t n_output_times;
    uint64_t line_begin, frames_bytes, ledger_bytes;
    int last_frame, last_sub;
} cut;

static void find_cut(void *user, const firn_manifest_time *output_time)
{
    cut *c = user;
    if (output_time->frame > c->frame ||
        (output_time->frame == c->frame && output_time->sub > c->sub))
        return;
    c->n_output_times++;
    c->line_begin = output_time->first_byte;
    c->frames_bytes = output_time->last_byte;
    c->ledger_bytes = output_time->ledger_bytes;
    c->last_frame = output_time->frame;
    c->last_sub = output_time->sub;
}

/* Reads n bytes and feeds them to the checksum; hash NULL: skips them. */
static firn_status read_bytes(firn_file_reader *reader, uint64_t n, firn_hash *hash,
                              firn_messages *messages)
{
    char piece[65536];
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && n) {
        size_t take = n < sizeof piece ? (size_t)n : sizeof piece;
        status = firn_file_read(reader, piece, take, "the records", messages);
        if (status == FIRN_OK && hash) firn_hash_update(hash, piece, take);
        n -= take;
    }
    return status;
}

/* The checksum of the first n bytes of a record, to be continued. */
static firn_status hash_record(firn_shot *shot, const char *name, uint64_t n, firn_hash *hash,
                               firn_messages *messages)
{
    char path[FIRN_SHOT_PATH];
    firn_shot_path(shot, name, path);
    firn_file_reader *reader = firn_file_open(path, 0, messages);
    firn_status status = reader ? FIRN_OK : firn_file_failure(messages);
    firn_hash_init(hash);
    if (status == FIRN_OK) status = read_bytes(reader, n, hash, messages);
    firn_file_close(reader);
    return status;
}

/* The last line of frames.jsonl after the cut. */
static firn_status keep_last_line(firn_shot *shot, const cut *c, firn_messages *messages)
{
    char path[FIRN_SHOT_PATH];
    size_t n = (size_t)(c->frames_bytes - c->line_begin);
    firn_shot_path(shot, FIRN_MANIFEST_FRAMES, path);
    firn_file_reader *reader = firn_file_open(path, 0, messages);
    if (!reader) return firn_file_failure(messages);
    firn_status status = read_bytes(reader, c->line_begin, NULL, messages);
    char *line = status == FIRN_OK ? firn_memory_allocate(NULL, n) : NULL;
    if (line) status = firn_file_read(reader, line, n, "the records", messages);
    firn_file_close(reader);
    if (status == FIRN_OK && (!line || !firn_manifest_take_last(&shot->manifest, line, n)))
        status = firn_messages_no_memory(messages, "%s: records", shot->folder);
    firn_memory_release(NULL, line, n);
    return status;
}

/* The length of the header of ledger.csv: what remains when no output time does. */
static uint64_t header_length(void)
{
    firn_text header = {0};
    firn_ledger_csv_header(&header);
    uint64_t n = header.n;
    firn_text_clear(&header);
    return n;
}

/* Removes what a killed run left after the good part. */
static firn_status cut_record(const firn_shot *shot, const char *name,
                              const firn_file_receipt *good, firn_messages *messages)
{
    char path[FIRN_SHOT_PATH];
    firn_shot_path(shot, name, path);
    return firn_file_append(path, good->n_bytes, "", 0, messages);
}

static firn_status resume(firn_shot *shot, const firn_manifest *old, const firn_shot_setup *setup,
                          int frame, int sub, firn_messages *messages)
{
    firn_manifest *manifest = &shot->manifest;
    cut c = {.frame = frame, .sub = sub, .ledger_bytes = header_length(), .last_frame = -1};
    firn_status status = firn_manifest_walk(shot->folder, old, find_cut, &c, messages);
    if (status != FIRN_OK)
        return firn_messages_add(messages, status,
                                 "%s: the records are damaged; try: firn verify %s", shot->folder,
                                 shot->folder);
    if (strcmp(manifest->name, old->name) != 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: the name of a shot cannot change on resume (\"%s\" to "
                                 "\"%s\")",
                                 shot->folder, old->name, manifest->name);
    status = hash_record(shot, FIRN_MANIFEST_FRAMES, c.frames_bytes, &shot->frames, messages);
    if (status == FIRN_OK)
        status = hash_record(shot, FIRN_MANIFEST_LEDGER, c.ledger_bytes, &shot->ledger, messages);
    if (status == FIRN_OK && c.n_output_times) status = keep_last_line(shot, &c, messages);
    if (status != FIRN_OK) return status;
    if (*old->isa && *manifest->isa && strcmp(old->isa, manifest->isa) != 0)
        firn_messages_warn(
            messages, "%s: instruction set %s until now, %s from here: the last digits may differ",
            shot->folder, old->isa, manifest->isa);
    manifest->n_output_times = c.n_output_times;
    manifest->last_frame = c.last_frame;
    manifest->last_sub = c.last_sub;
    snprintf(manifest->started, sizeof manifest->started, "%s", old->started);
    status = firn_shot_add_history(shot, "resume", old->history_json, setup, messages);
    if (status != FIRN_OK) return status;
    firn_shot_take_lengths(shot);
    /* The manifest forgets the later output times before their lines and caches are removed. */
    status = firn_manifest_write(shot->folder, manifest, messages);
    if (status == FIRN_OK)
        status = cut_record(shot, FIRN_MANIFEST_FRAMES, &manifest->frames, messages);
    if (status == FIRN_OK)
        status = cut_record(shot, FIRN_MANIFEST_LEDGER, &manifest->ledger, messages);
    int thousandths = (int)(1000.0 * sub / manifest->n_subframes + 0.5);
    if (status == FIRN_OK) status = firn_shot_clean(shot, frame, thousandths, 0, NULL, messages);
    if (status == FIRN_OK) status = firn_clean_forget_after(shot->folder, frame, messages);
    return status;
}

firn_status firn_shot_resume(const firn_shot_setup *setup, int frame, int sub, firn_shot **shot,
                             firn_messages *messages)
{
    firn_manifest old = {0};
    *shot = NULL;
    firn_status status = firn_shot_make(setup, shot, messages);
    if (status == FIRN_OK) status = firn_shot_lock(*shot, messages);
    if (status == FIRN_OK) status = firn_shot_refuse_links(*shot, messages);
    if (status == FIRN_OK) status = firn_manifest_read((*shot)->folder, &old, messages);
    if (status == FIRN_OK) status = resume(*shot, &old, setup, frame, sub, messages);
    firn_manifest_clear(&old);
    if (status == FIRN_OK) return FIRN_OK;
    firn_shot_destroy(*shot);
    *shot = NULL;
    return status;
}

firn_status firn_shot_finish(const firn_shot_setup *setup, int frame, int sub,
                             firn_messages *messages)
{
    firn_manifest old;
    firn_shot *shot;
    firn_status status = firn_manifest_read(setup->folder, &old, messages);
    if (status != FIRN_OK) return status;
    int is_finished = strcmp(old.state, "finished") == 0;
    firn_manifest_clear(&old);
    if (is_finished) return FIRN_OK;
    status = firn_shot_resume(setup, frame, sub, &shot, messages);
    if (status == FIRN_OK) status = firn_shot_close(shot, "finished", NULL, messages);
    firn_shot_destroy(shot);
    return status;
}
