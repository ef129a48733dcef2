/* SPDX-License-Identifier: MIT */
/* file.h: files that are complete or absent, and readers that trust no number of a file.
 *
 * Writing goes to a temporary name in the same folder; firn_file_commit gives the file its name
 * once every byte has reached the disk. Errors before that are kept and reported by commit, so
 * that writers need not check each call:
 *
 *     firn_file_writer *writer = firn_file_create("a.bgeo", 0, messages);
 *     if (!writer) return firn_file_failure(messages);
 *     firn_file_write(writer, header, sizeof header);
 *     return firn_file_commit(writer, &receipt, messages);
 *
 * Before memory is taken for a number that a file gives, it is compared with firn_file_left. */
#ifndef FIRN_FILE_H
#define FIRN_FILE_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a record holds of a file. */
typedef struct firn_file_receipt {
    uint64_t n_bytes, checksum; /* as on disk; the checksum is firn_hash's */
} firn_file_receipt;

/* ---------------------------------------------------------------- writing */

typedef struct firn_file_writer firn_file_writer;

/* gzip: 0 none, 1..9 the level of zlib. NULL: the reason is in the messages. */
firn_file_writer *firn_file_create(const char *path, int gzip, firn_messages *messages);
void firn_file_write(firn_file_writer *writer, const void *data, size_t n_bytes);
/* printf into the file; at most 4 KiB per call */
void firn_file_print(firn_file_writer *writer, const char *format, ...) FIRN_PRINTF(2, 3);
/* Releases the writer. receipt may be NULL. */
firn_status firn_file_commit(firn_file_writer *writer, firn_file_receipt *receipt,
                             firn_messages *messages);

/* For libraries that write files themselves: a temporary name with the same ending, to be published
 * once written (checksum, sync, rename), or discarded. */
firn_status firn_file_temporary(const char *path, char *temporary, size_t n_temporary,
                                firn_messages *messages);
firn_status firn_file_publish(const char *temporary, const char *path, firn_file_receipt *receipt,
                              firn_messages *messages);
void firn_file_discard(const char *temporary);

/* Whether a file name (without folder) is a temporary one. */
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
/* The status after create or open returned NULL: FIRN_MEMORY where the messages have it, else
 * FIRN_IO. */
firn_status firn_file_failure(const firn_messages *messages);
/* Exactly n_bytes; `part` names in a message what the file ends in. */
firn_status firn_file_read(firn_file_reader *reader, void *data, size_t n_bytes, const char *part,
                           firn_messages *messages);
/* Upper bound on the bytes still to come: exact for plain files, by deflate's largest ratio (1032)
 * for gzip. */
uint64_t firn_file_left(const firn_file_reader *reader);
/* open(2), tried again where a signal interrupts it; -1 with errno set. */
int firn_file_descriptor(const char *path, int flags, unsigned mode);
/* Bounds what is read to `most` bytes, unpacked. firn_file_expect compares with it before memory is
 * taken for n_bytes more. Beyond the bound both that and reading return FIRN_MEMORY. */
void firn_file_bound(firn_file_reader *reader, uint64_t most);
firn_status firn_file_expect(const firn_file_reader *reader, uint64_t n_bytes,
                             firn_messages *messages);
/* FIRN_OK when nothing follows (and gzip's own checksum was right). */
firn_status firn_file_finish(firn_file_reader *reader, firn_messages *messages);
const char *firn_file_path(const firn_file_reader *reader);
/* zlib data in memory, which must give exactly n_to bytes. FIRN_REFUSED: damaged, without a
 * message. */
firn_status firn_file_inflate(const void *from, size_t n_from, void *to, size_t n_to);

/* The whole file as text with a 0 after it, refused above `limit` bytes; to be released with
 * firn_memory_release(NULL, text, n_bytes + 1). */
char *firn_file_text(const char *path, size_t limit, size_t *n_bytes, firn_messages *messages);
/* Length and checksum of a file, or of its first `limit` bytes (UINT64_MAX: all). */
firn_status firn_file_receipt_of(const char *path, uint64_t limit, firn_file_receipt *receipt,
                                 firn_messages *messages);

/* ---------------------------------------------------------------- folders */

/* Makes the folder, and those above it, where they are missing. */
firn_status firn_file_make_folder(const char *path, firn_messages *messages);
/* Calls visit for each entry but . and .., in the order of strcmp. */
firn_status firn_file_list(const char *folder, void (*visit)(void *user, const char *name),
                           void *user, firn_messages *messages);
firn_status firn_file_remove(const char *path, firn_messages *messages);
/* Removes what killed writers left in a folder. Only for folders without other writers. */
firn_status firn_file_sweep(const char *folder, firn_messages *messages);
/* The reason of an errno value in words, with a way out where there is one. */
const char *firn_file_reason(int error);

/* Tests only: the n-th system call that changes a file (1: the next) and all after it fail with
 * `error`; a write first does half of its work, as on a disk that fills up. 0: off. */
void firn_file_fail_after(int64_t n, int error);

#ifdef __cplusplus
}
#endif
#endif
