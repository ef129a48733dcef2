/* SPDX-License-Identifier: MIT */
/* file.h: files that are whole or absent, and reading that no file can trick.
 *
 * Writing goes to a temporary name in the same folder; only firn_file_commit, after every byte
 * was written and has reached the disk, gives the file its name. Errors on the way are
 * remembered and told by commit, so that writers need not check each call:
 *
 *     firn_file_writer *writer = firn_file_create("a.bgeo", 0, report);
 *     if (!writer) return FIRN_IO;
 *     firn_file_write(writer, header, sizeof header);
 *     return firn_file_commit(writer, &receipt, report);
 *
 * Reading never trusts a number of the file: ask firn_file_left before allocating for it. */
#ifndef FIRN_FILE_H
#define FIRN_FILE_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a manifest remembers of a file. */
typedef struct firn_file_receipt {
    uint64_t n_bytes, checksum; /* as on disk; the checksum is firn_hash's */
} firn_file_receipt;

/* ---------------------------------------------------------------- writing */

typedef struct firn_file_writer firn_file_writer;

/* gzip: 0 none, 1..9 zlib's level. NULL: the reason is in the report. */
firn_file_writer *firn_file_create(const char *path, int gzip, firn_messages *messages);
void firn_file_write(firn_file_writer *writer, const void *data, size_t n_bytes);
/* printf into the file; one call at most 4 kB */
void firn_file_print(firn_file_writer *writer, const char *format, ...) FIRN_PRINTF(2, 3);
/* Ends the writer's life. receipt may be NULL. */
firn_status firn_file_commit(firn_file_writer *writer, firn_file_receipt *receipt,
                             firn_messages *messages);

/* For libraries that write by themselves: a temporary name with the same ending, to be published
 * once written (checksum, sync, rename), or discarded. */
firn_status firn_file_temporary(const char *path, char *temporary, size_t n_temporary,
                                firn_messages *messages);
firn_status firn_file_publish(const char *temporary, const char *path, firn_file_receipt *receipt,
                              firn_messages *messages);
void firn_file_discard(const char *temporary);

/* Whether a file name (without folders) is one of those temporary ones. */
int firn_file_is_temporary(const char *name);

/* Refuses a path whose last part is a symbolic link: for files in a folder out of which no write
 * may lead. (firn_file_create follows a link, so that an output named by the user stays one.) */
firn_status firn_file_refuse_link(const char *path, firn_messages *messages);

/* Cuts the file to n_bytes, appends the text and syncs; no symbolic link is followed. Only for
 * files whose good length is kept elsewhere. */
firn_status firn_file_append(const char *path, uint64_t n_bytes, const char *text, size_t n_text,
                             firn_messages *messages);

/* ---------------------------------------------------------------- reading */

typedef struct firn_file_reader firn_file_reader;

firn_file_reader *firn_file_open(const char *path, int is_gzip, firn_messages *messages);
void firn_file_close(firn_file_reader *reader);
/* What to return when create or open gave NULL: FIRN_MEMORY where the report says that, else
 * FIRN_IO. */
firn_status firn_file_failure(const firn_messages *messages);
/* Exactly n_bytes, or a sentence that says in what (`part`) the file ended. */
firn_status firn_file_read(firn_file_reader *reader, void *data, size_t n_bytes, const char *part,
                           firn_messages *messages);
/* No more than so many bytes can still come. Exact for plain files, deflate's largest ratio
 * (1032) for gzip. */
uint64_t firn_file_left(const firn_file_reader *reader);
/* Bounds what is read: no more than `most` bytes, unpacked, are given, and to be asked before
 * memory is taken for n more is firn_file_expect. Both ways of exceeding the bound end with
 * FIRN_MEMORY and a sentence. */
void firn_file_bound(firn_file_reader *reader, uint64_t most);
firn_status firn_file_expect(const firn_file_reader *reader, uint64_t n_bytes,
                             firn_messages *messages);
/* FIRN_OK when nothing follows (and gzip's own checksum was right). */
firn_status firn_file_finish(firn_file_reader *reader, firn_messages *messages);
const char *firn_file_path(const firn_file_reader *reader);
/* zlib data in memory, which must give exactly n_to bytes. REFUSED: they are damaged; nothing is
 * reported. */
firn_status firn_file_inflate(const void *from, size_t n_from, void *to, size_t n_to);

/* The whole file as text with a 0 behind it, refused above `limit` bytes; to be released with
 * firn_memory_release(NULL, text, n_bytes + 1). */
char *firn_file_text(const char *path, size_t limit, size_t *n_bytes, firn_messages *messages);
/* Length and checksum of a file as it lies there, or of its first `limit` bytes (UINT64_MAX: all).
 */
firn_status firn_file_receipt_of(const char *path, uint64_t limit, firn_file_receipt *receipt,
                                 firn_messages *messages);

/* ---------------------------------------------------------------- folders */

/* Makes the folder and those above it where missing. */
firn_status firn_file_make_folder(const char *path, firn_messages *messages);
/* Calls visit for each entry but . and .., in the order of strcmp. */
firn_status firn_file_list(const char *folder, void (*visit)(void *user, const char *name),
                           void *user, firn_messages *messages);
firn_status firn_file_remove(const char *path, firn_messages *messages);
/* Removes what killed writers left in a folder. Only for folders that nobody else writes into. */
firn_status firn_file_sweep(const char *folder, firn_messages *messages);
/* Why, in words: the reason behind an errno value, and what to do where something helps. */
const char *firn_file_reason(int error);

/* Tests only: the n-th system call that changes a file (1 = the next) and all after it fail with
 * `error`; a write first does half of its work, as on a disk that fills up. n = 0 switches that
 * off. */
void firn_file_fail_after(int64_t n, int error);

#ifdef __cplusplus
}
#endif
#endif
