/* SPDX-License-Identifier: MIT */
/* file_read.c: reading files that may be cut, foreign or hostile (the reading half of file.h), and
 * listing folders.
 *
 * firn_file_left bounds by the length of the file what can still come. So a header that announces
 * 1e10 points in a file of 100 bytes is refused before anything is allocated. */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/messages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* deflate spends at least two bits on 258 bytes: the ratio never exceeds 1032. */
enum { BUFFER = 1 << 18, DEFLATE_RATIO = 1032, LISTED_MAX = 10000000 };

struct firn_file_reader {
    int fd, ended; /* ended: the gzip stream is complete */
    char *path;
    uint64_t size, n_read; /* bytes on disk; taken from disk */
    uint64_t n_given;      /* handed to the caller */
    uint64_t most;         /* bound on n_given */
    z_stream *inflate;
    size_t at, have; /* in the buffer */
    unsigned char buffer[BUFFER];
};

const char *firn_file_reason(int error)
{
    switch (error) {
    case ENOSPC: return "the disk is full; try: make room, or another folder";
    case EDQUOT: return "the quota is used up; try: make room, or another folder";
    case EFBIG: return "the file would exceed the largest size allowed (ulimit -f)";
    case EIO: return "input/output error of the disk; try: check the disk, its cable or network";
    case EROFS: return "the file system is read-only; try: another folder";
    case EACCES: return "permission denied (file or folder write-protected, or of another user)";
    case EPERM: return "not permitted for this file or folder";
    case ENOENT: return "no such file or folder";
    case ENOTDIR: return "a part of the path is not a folder";
    case EISDIR: return "a folder, not a file";
    case ENAMETOOLONG: return "the name is too long for this file system";
    case ELOOP: return "a symbolic link that cannot be followed here, or links in a circle";
    case EMFILE:
    case ENFILE: return "too many open files (ulimit -n)";
    case ENOMEM: return "out of memory";
    case EINVAL: return "not an ordinary file";
    case ESTALE: return "the file was cut by another program";
    case EOVERFLOW: return "a line is too long";
    case ETXTBSY:
    case EBUSY: return "in use by another program";
    default: return strerror(error);
    }
}

static firn_status refuse(const char *path, int error, firn_messages *messages)
{
    if (error == ENOENT)
        return firn_messages_add(messages, FIRN_IO, "%s: %s", path, firn_file_reason(error));
    if (error == ENOMEM) return firn_messages_no_memory(messages, "%s", path);
    return firn_messages_add(messages, FIRN_IO, "%s: cannot be read: %s", path,
                             firn_file_reason(error));
}

static void *zlib_allocate(void *user, unsigned n, unsigned size)
{
    (void)user;
    return firn_memory_array(NULL, n, size);
}

static void zlib_release(void *user, void *block)
{
    (void)user;
    firn_memory_release(NULL, block, 1);
}

/* Opens an ordinary file only: a pipe or a device has no length that bounds reading. Without
 * O_NONBLOCK opening a pipe would wait for its writer. */
static int open_ordinary(const char *path, uint64_t *size)
{
    int fd = firn_file_descriptor(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0) return -errno;
    struct stat info;
    int error = fstat(fd, &info) != 0   ? errno
                : S_ISDIR(info.st_mode) ? EISDIR
                : S_ISREG(info.st_mode) ? 0
                                        : EINVAL;
    if (error) {
        close(fd);
        return -error;
    }
    *size = (uint64_t)info.st_size;
    return fd;
}

void firn_file_close(firn_file_reader *reader)
{
    if (!reader) return;
    if (reader->fd >= 0) close(reader->fd);
    if (reader->inflate) inflateEnd(reader->inflate);
    firn_memory_release(NULL, reader->inflate, sizeof *reader->inflate);
    if (reader->path) firn_memory_release(NULL, reader->path, strlen(reader->path) + 1);
    firn_memory_release(NULL, reader, sizeof *reader);
}

firn_status firn_file_failure(const firn_messages *messages)
{
    return firn_messages_status(messages) == FIRN_MEMORY ? FIRN_MEMORY : FIRN_IO;
}

firn_file_reader *firn_file_open(const char *path, int is_gzip, firn_messages *messages)
{
    firn_file_reader *reader = firn_memory_allocate(NULL, sizeof *reader);
    int error = ENOMEM;
    if (!reader) goto failed;
    reader->fd = -1;
    reader->most = UINT64_MAX;
    reader->path = firn_memory_string(NULL, path);
    if (!reader->path) goto failed;
    if (is_gzip) {
        z_stream *stream = firn_memory_allocate(NULL, sizeof *stream);
        if (!stream) goto failed;
        stream->zalloc = zlib_allocate;
        stream->zfree = zlib_release;
        if (inflateInit2(stream, 15 + 16) != Z_OK) {
            firn_memory_release(NULL, stream, sizeof *stream);
            goto failed;
        }
        reader->inflate = stream;
    }
    reader->fd = open_ordinary(path, &reader->size);
    error = -reader->fd;
    if (reader->fd < 0) goto failed;
    return reader;
failed:
    refuse(path, error, messages);
    firn_file_close(reader);
    return NULL;
}

const char *firn_file_path(const firn_file_reader *reader) { return reader->path; }

static ssize_t read_some(int fd, void *data, size_t n)
{
    ssize_t got;
    do got = read(fd, data, n);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Refills the empty buffer: 1 where bytes came, 0 at the end of the file, or a negative errno. */
static int refill(firn_file_reader *reader)
{
    ssize_t got = read_some(reader->fd, reader->buffer, BUFFER);
    if (got < 0) return -errno;
    reader->at = 0;
    reader->have = (size_t)got;
    reader->n_read += (uint64_t)got;
    return got > 0;
}

static firn_status ended_in(const firn_file_reader *reader, const char *part,
                            firn_messages *messages)
{
    return firn_messages_add(messages, FIRN_IO, "%s: cut off (ends after %llu bytes, inside %s)",
                             reader->path, (unsigned long long)reader->n_given, part);
}

/* Fills `data` with n inflated bytes; returns how many: fewer at the end of the stream or on an
 * error. */
static size_t inflate_some(firn_file_reader *reader, unsigned char *data, size_t n, int *error)
{
    z_stream *stream = reader->inflate;
    size_t done = 0;
    while (done < n && !reader->ended) {
        if (reader->at == reader->have) {
            int more = refill(reader);
            if (more <= 0) {
                *error = -more;
                break;
            }
        }
        unsigned chunk = n - done < 1u << 30 ? (unsigned)(n - done) : 1u << 30;
        stream->next_in = reader->buffer + reader->at;
        stream->avail_in = (unsigned)(reader->have - reader->at);
        stream->next_out = data + done;
        stream->avail_out = chunk;
        int code = inflate(stream, Z_NO_FLUSH);
        reader->at = reader->have - stream->avail_in;
        done += chunk - stream->avail_out;
        if (code == Z_STREAM_END) reader->ended = 1;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            *error = code == Z_MEM_ERROR ? ENOMEM : EILSEQ;
            break;
        }
    }
    return done;
}

void firn_file_bound(firn_file_reader *reader, uint64_t most) { reader->most = most; }

firn_status firn_file_expect(const firn_file_reader *reader, uint64_t n_bytes,
                             firn_messages *messages)
{
    if (n_bytes <= reader->most - reader->n_given) return FIRN_OK;
    return firn_messages_add(
        messages, FIRN_MEMORY,
        "%s: unpacks to more than may be held in memory; allowed: %.4g MiB; "
        "try: fewer points or attributes, a larger --max-memory where there is one, or "
        "unpack it first",
        reader->path, (double)reader->most / (1 << 20));
}

firn_status firn_file_read(firn_file_reader *reader, void *data, size_t n_bytes, const char *part,
                           firn_messages *messages)
{
    unsigned char *out = data;
    size_t done = 0;
    int error = 0;
    firn_status status = firn_file_expect(reader, n_bytes, messages);
    if (status != FIRN_OK) return status;
    if (reader->inflate) {
        done = inflate_some(reader, out, n_bytes, &error);
        if (error == EILSEQ)
            return firn_messages_add(messages, FIRN_IO, "%s: gzip data damaged (in %s)",
                                     reader->path, part);
    }
    while (!reader->inflate && done < n_bytes) {
        size_t held = reader->have - reader->at, want = n_bytes - done;
        if (held) {
            size_t n = want < held ? want : held;
            memcpy(out + done, reader->buffer + reader->at, n);
            reader->at += n;
            done += n;
        } else if (want >= BUFFER) { /* large pieces bypass the buffer */
            ssize_t got = read_some(reader->fd, out + done, want);
            if (got <= 0) {
                error = got < 0 ? errno : 0;
                break;
            }
            reader->n_read += (uint64_t)got;
            done += (size_t)got;
        } else {
            int more = refill(reader);
            if (more <= 0) {
                error = -more;
                break;
            }
        }
    }
    reader->n_given += done;
    if (error) return refuse(reader->path, error, messages);
    return done == n_bytes ? FIRN_OK : ended_in(reader, part, messages);
}

uint64_t firn_file_left(const firn_file_reader *reader)
{
    uint64_t on_disk = reader->size > reader->n_read ? reader->size - reader->n_read : 0;
    on_disk += reader->have - reader->at;
    if (!reader->inflate) return on_disk;
    /* the window holds back less than 64 KiB */
    return reader->ended ? 0 : on_disk * DEFLATE_RATIO + 65536;
}

firn_status firn_file_finish(firn_file_reader *reader, firn_messages *messages)
{
    if (reader->inflate) { /* inflate checks the trailer with its checksum */
        unsigned char extra;
        int error = 0;
        size_t n = inflate_some(reader, &extra, 1, &error);
        if (error == EILSEQ)
            return firn_messages_add(messages, FIRN_IO,
                                     "%s: damaged (gzip checksum does not match)", reader->path);
        if (error) return refuse(reader->path, error, messages);
        if (n == 0 && !reader->ended) return ended_in(reader, "the gzip data", messages);
        if (n) goto more;
    }
    if (reader->at == reader->have) {
        int follows = refill(reader);
        if (follows < 0) return refuse(reader->path, -follows, messages);
        if (!follows) return FIRN_OK;
    }
more:
    return firn_messages_add(messages, FIRN_IO,
                             "%s: more bytes after the end of the data, at byte %llu", reader->path,
                             (unsigned long long)reader->n_given);
}

firn_status firn_file_inflate(const void *from, size_t n_from, void *to, size_t n_to)
{
    z_stream stream = {.zalloc = zlib_allocate, .zfree = zlib_release};
    if (n_from > UINT_MAX || n_to > UINT_MAX) return FIRN_REFUSED;
    if (inflateInit(&stream) != Z_OK) return FIRN_MEMORY;
    stream.next_in = (unsigned char *)from;
    stream.avail_in = (unsigned)n_from; /* zlib does not write there */
    stream.next_out = to;
    stream.avail_out = (unsigned)n_to;
    int code = inflate(&stream, Z_FINISH);
    int is_whole = code == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    return is_whole ? FIRN_OK : code == Z_MEM_ERROR ? FIRN_MEMORY : FIRN_REFUSED;
}

char *firn_file_text(const char *path, size_t limit, size_t *n_bytes, firn_messages *messages)
{
    firn_file_reader *reader = firn_file_open(path, 0, messages);
    if (!reader) return NULL;
    size_t n = (size_t)reader->size;
    char *text = NULL;
    if (reader->size > limit) {
        firn_messages_add(messages, FIRN_IO, "%s: too long (%llu bytes); allowed: up to %zu", path,
                          (unsigned long long)reader->size, limit);
    } else if (!(text = firn_memory_allocate(NULL, n + 1))) {
        refuse(path, ENOMEM, messages);
    } else if (firn_file_read(reader, text, n, "the text", messages) != FIRN_OK) {
        firn_memory_release(NULL, text, n + 1);
        text = NULL;
    }
    firn_file_close(reader);
    if (text) *n_bytes = n;
    return text;
}

firn_status firn_file_receipt_of(const char *path, uint64_t limit, firn_file_receipt *receipt,
                                 firn_messages *messages)
{
    firn_file_reader *reader = firn_file_open(path, 0, messages);
    if (!reader) return firn_file_failure(messages);
    firn_hash hash;
    firn_hash_init(&hash);
    int more;
    while (hash.n_bytes < limit && (more = refill(reader)) > 0) {
        uint64_t wanted = limit - hash.n_bytes;
        firn_hash_update(&hash, reader->buffer,
                         reader->have < wanted ? reader->have : (size_t)wanted);
    }
    firn_status status = hash.n_bytes < limit && more < 0 ? refuse(path, -more, messages) : FIRN_OK;
    if (receipt) *receipt = (firn_file_receipt){hash.n_bytes, firn_hash_value(&hash)};
    firn_file_close(reader);
    return status;
}

/* ---------------------------------------------------------------- folders */

typedef struct listing {
    char **names;
    size_t n, room;
} listing;

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int keep(listing *list, const char *name)
{
    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        char **grown = room <= LISTED_MAX ? firn_memory_array(NULL, room, sizeof *grown) : NULL;
        if (!grown) return 0;
        if (list->n) memcpy(grown, list->names, list->n * sizeof *grown);
        firn_memory_release(NULL, list->names, list->room * sizeof *grown);
        list->names = grown;
        list->room = room;
    }
    return (list->names[list->n] = firn_memory_string(NULL, name)) != NULL && ++list->n;
}

firn_status firn_file_list(const char *folder, void (*visit)(void *user, const char *name),
                           void *user, firn_messages *messages)
{
    DIR *stream = opendir(folder);
    if (!stream) return refuse(folder, errno, messages);
    listing list = {0};
    int error = 0;
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(stream);
        if (!entry) {
            error = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (!keep(&list, entry->d_name)) {
            error = ENOMEM;
            break;
        }
    }
    closedir(stream);
    if (!error && list.n) qsort(list.names, list.n, sizeof *list.names, compare);
    for (size_t i = 0; i < list.n; i++) {
        if (!error) visit(user, list.names[i]);
        firn_memory_release(NULL, list.names[i], strlen(list.names[i]) + 1);
    }
    firn_memory_release(NULL, list.names, list.room * sizeof *list.names);
    return error ? refuse(folder, error, messages) : FIRN_OK;
}

typedef struct sweep {
    const char *folder;
    firn_status status;
    firn_messages *messages;
} sweep;

static void sweep_one(void *user, const char *name)
{
    sweep *state = user;
    char path[8192];
    if (!firn_file_is_temporary(name)) return;
    snprintf(path, sizeof path, "%s/%s", state->folder, name);
    firn_status status = firn_file_remove(path, state->messages);
    if (state->status == FIRN_OK) state->status = status;
}

firn_status firn_file_sweep(const char *folder, firn_messages *messages)
{
    sweep state = {folder, FIRN_OK, messages};
    firn_status status = firn_file_list(folder, sweep_one, &state, messages);
    return status != FIRN_OK ? status : state.status;
}
