/* SPDX-License-Identifier: MIT */
/* file.c: writing files that are complete or absent (see file.h).
 *
 * .part.PID.K.NAME is created exclusively in the target's folder; bytes pass through one buffer of
 * 1 MiB, through deflate where wanted, into the running checksum and to the disk; then fsync,
 * rename, and fsync of the folder, without which the new name itself could be lost in a power cut.
 * A killed writer leaves only a .part file, which no reader takes for a frame and firn_file_sweep
 * removes. */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER = 1 << 20, PATH_ROOM = PATH_MAX, DEFLATED = 1 << 18 };
static const char PART[] = ".part.";

struct firn_file_writer {
    int fd, error; /* errno of the first failure; nothing is written after it */
    char path[PATH_ROOM], temporary[PATH_ROOM];
    firn_hash hash;
    size_t used;
    z_stream *deflate; /* NULL: plain */
    unsigned char *deflated;
    unsigned char buffer[BUFFER];
};

/* ---------------------------------------------------------------- fault injection */

static _Atomic int64_t fail_countdown;
static _Atomic int fail_error;

void firn_file_fail_after(int64_t n, int error)
{
    atomic_store(&fail_error, error);
    atomic_store(&fail_countdown, n);
}

/* The errno with which the next call must fail; 0: none. */
static int fault(void)
{
    int64_t left = atomic_load(&fail_countdown);
    if (left == 0) return 0;
    if (left > 1) {
        atomic_fetch_sub(&fail_countdown, 1);
        return 0;
    }
    return atomic_load(&fail_error);
}

/* ---------------------------------------------------------------- system calls: 0 or an errno */

/* A signal may interrupt open on file systems that wait (network, FUSE). */
int firn_file_descriptor(const char *path, int flags, unsigned mode)
{
    int fd;
    do fd = open(path, flags, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static int write_all(int fd, const unsigned char *data, size_t n)
{
    int injected = fault();
    if (injected) n /= 2;
    while (n) {
        ssize_t done = write(fd, data, n);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        if (done == 0) return EIO;
        data += done;
        n -= (size_t)done;
    }
    return injected;
}

static int sync_file(int fd)
{
    int injected = fault();
    if (injected) return injected;
    while (fsync(fd) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* File systems that cannot sync a folder return EINVAL or ENOTSUP; that is no failure. */
static int sync_folder_of(const char *path)
{
    char folder[PATH_ROOM];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int fd = firn_file_descriptor(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) return errno;
    int error = sync_file(fd);
    close(fd);
    return error == EINVAL || error == ENOTSUP ? 0 : error;
}

static int cut_file(int fd, uint64_t n_bytes)
{
    while (ftruncate(fd, (off_t)n_bytes) != 0)
        if (errno != EINTR) return errno;
    return lseek(fd, 0, SEEK_END) < 0 ? errno : 0;
}

static int rename_file(const char *from, const char *to)
{
    int injected = fault();
    if (injected) return injected;
    while (rename(from, to) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* close can report a delayed write error (network file systems), also after fsync. */
static int close_file(int fd)
{
    int injected = fault();
    if (close(fd) != 0 && errno != EINTR) return errno;
    return injected;
}

/* ---------------------------------------------------------------- names */

int firn_file_is_temporary(const char *name) { return strncmp(name, PART, sizeof PART - 1) == 0; }

/* rename asks only for the folder's permission, so a write-protected file is refused here. A link
 * is followed, so that it stays a link. */
static int resolve(const char *path, char *resolved)
{
    struct stat info;
    if (strlen(path) >= PATH_ROOM) return ENAMETOOLONG;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        if (!realpath(path, resolved)) return errno;
    } else {
        strcpy(resolved, path);
    }
    if (stat(resolved, &info) != 0) return errno == ENOENT ? 0 : errno;
    if (S_ISDIR(info.st_mode)) return EISDIR;
    if (!S_ISREG(info.st_mode)) return EINVAL;
    return info.st_mode & 0222 ? 0 : EACCES;
}

/* Creates a temporary file in the folder of `path`, exclusively; the descriptor, or a negative
 * errno. Its name ends in the target's, since some libraries choose their format by the ending. */
static int create_temporary(const char *path, char *temporary)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!*name) return -EISDIR;
    size_t n_name = strlen(name), shown = n_name > 200 ? 200 : n_name;
    for (int k = 0; k < 10000; k++) {
        int n = snprintf(temporary, PATH_ROOM, "%.*s%s%ld.%d.%s", (int)(name - path), path, PART,
                         (long)getpid(), k, name + n_name - shown);
        if (n < 0 || n >= PATH_ROOM) return -ENAMETOOLONG;
        int injected = fault();
        if (injected) return -injected;
        int fd = firn_file_descriptor(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) return fd;
        if (errno != EEXIST) return -errno;
    }
    return -EEXIST;
}

static firn_status refuse(const char *path, int error, firn_messages *messages)
{
    if (error == ENOMEM) return firn_messages_no_memory(messages, "%s", path);
    return firn_messages_add(messages, FIRN_IO, "%s: cannot be written: %s", path,
                             firn_file_reason(error));
}

/* ---------------------------------------------------------------- the writer */

/* Memory of zlib, counted as all other is; the default hooks ignore the length on release. */
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

static void release(firn_file_writer *writer)
{
    if (writer->deflate) deflateEnd(writer->deflate);
    firn_memory_release(NULL, writer->deflate, sizeof *writer->deflate);
    firn_memory_release(NULL, writer->deflated, DEFLATED);
    firn_memory_release(NULL, writer, sizeof *writer);
}

/* windowBits 15 + 16: a gzip header. It has no time and no name, so equal frames are equal
 * files. */
static int start_deflate(firn_file_writer *writer, int level)
{
    z_stream *stream = firn_memory_allocate(NULL, sizeof *stream);
    writer->deflated = firn_memory_allocate(NULL, DEFLATED);
    if (!stream || !writer->deflated) {
        firn_memory_release(NULL, stream, sizeof *stream);
        return ENOMEM;
    }
    stream->zalloc = zlib_allocate;
    stream->zfree = zlib_release;
    if (deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        firn_memory_release(NULL, stream, sizeof *stream);
        return ENOMEM;
    }
    writer->deflate = stream;
    return 0;
}

firn_file_writer *firn_file_create(const char *path, int gzip, firn_messages *messages)
{
    firn_file_writer *writer = firn_memory_allocate(NULL, sizeof *writer);
    if (!writer) {
        firn_messages_no_memory(messages, "%s: write buffer", path);
        return NULL;
    }
    firn_hash_init(&writer->hash);
    writer->fd = -1;
    int error = resolve(path, writer->path);
    if (!error && gzip) error = start_deflate(writer, gzip);
    if (!error) writer->fd = create_temporary(writer->path, writer->temporary);
    if (writer->fd < 0) {
        refuse(path, error ? error : -writer->fd, messages);
        release(writer);
        return NULL;
    }
    return writer;
}

static void store(firn_file_writer *writer, const unsigned char *data, size_t n)
{
    if (writer->error || n == 0) return;
    firn_hash_update(&writer->hash, data, n);
    writer->error = write_all(writer->fd, data, n);
}

/* Empties the buffer; is_last: deflate ends its stream. */
static void drain(firn_file_writer *writer, int is_last)
{
    if (!writer->deflate) {
        store(writer, writer->buffer, writer->used);
    } else {
        z_stream *stream = writer->deflate;
        stream->next_in = writer->buffer;
        stream->avail_in = (unsigned)writer->used;
        int code = Z_OK;
        do {
            stream->next_out = writer->deflated;
            stream->avail_out = DEFLATED;
            code = deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH);
            store(writer, writer->deflated, DEFLATED - stream->avail_out);
        } while (stream->avail_out == 0 && code != Z_STREAM_END && !writer->error);
        if (code == Z_STREAM_ERROR && !writer->error) writer->error = EIO;
    }
    writer->used = 0;
}

void firn_file_write(firn_file_writer *writer, const void *data, size_t n_bytes)
{
    const unsigned char *p = data;
    while (n_bytes) {
        if (writer->used == BUFFER) drain(writer, 0);
        size_t n = n_bytes < BUFFER - writer->used ? n_bytes : BUFFER - writer->used;
        memcpy(writer->buffer + writer->used, p, n);
        writer->used += n;
        p += n;
        n_bytes -= n;
    }
}

void firn_file_print(firn_file_writer *writer, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (n < 0 || n >= (int)sizeof text) {
        if (!writer->error) writer->error = EOVERFLOW;
        return;
    }
    firn_file_write(writer, text, (size_t)n);
}

firn_status firn_file_commit(firn_file_writer *writer, firn_file_receipt *receipt,
                             firn_messages *messages)
{
    drain(writer, 1);
    int error = writer->error;
    if (!error) error = sync_file(writer->fd);
    int close_error = close_file(writer->fd);
    if (!error) error = close_error;
    if (!error) error = rename_file(writer->temporary, writer->path);
    if (error)
        unlink(writer->temporary);
    else
        error = sync_folder_of(writer->path);
    firn_status status = error ? refuse(writer->path, error, messages) : FIRN_OK;
    if (!error && receipt)
        *receipt = (firn_file_receipt){writer->hash.n_bytes, firn_hash_value(&writer->hash)};
    release(writer);
    return status;
}

/* ---------------------------------------------------------------- files that others write */

firn_status firn_file_temporary(const char *path, char *temporary, size_t n_temporary,
                                firn_messages *messages)
{
    char resolved[PATH_ROOM], made[PATH_ROOM];
    int error = resolve(path, resolved);
    if (error) return refuse(path, error, messages);
    int fd = create_temporary(resolved, made);
    if (fd < 0) return refuse(path, -fd, messages);
    close(fd);
    if (strlen(made) >= n_temporary) {
        unlink(made);
        return refuse(path, ENAMETOOLONG, messages);
    }
    strcpy(temporary, made);
    return FIRN_OK;
}

void firn_file_discard(const char *temporary) { unlink(temporary); }

firn_status firn_file_publish(const char *temporary, const char *path, firn_file_receipt *receipt,
                              firn_messages *messages)
{
    char resolved[PATH_ROOM];
    firn_status status = firn_file_receipt_of(temporary, UINT64_MAX, receipt, messages);
    int error = 0;
    if (status == FIRN_OK && (error = resolve(path, resolved)) == 0) {
        int fd = firn_file_descriptor(temporary, O_RDONLY | O_CLOEXEC, 0);
        error = fd < 0 ? errno : sync_file(fd);
        if (fd >= 0) close(fd);
        if (!error) error = rename_file(temporary, resolved);
        if (!error) {
            error = sync_folder_of(resolved);
            return error ? refuse(path, error, messages) : FIRN_OK;
        }
    }
    unlink(temporary);
    return status != FIRN_OK ? status : refuse(path, error, messages);
}

firn_status firn_file_refuse_link(const char *path, firn_messages *messages)
{
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) return FIRN_OK;
    return firn_messages_add(messages, FIRN_REFUSED,
                             "%s: a symbolic link; a shot is written inside its folder only; try: "
                             "remove the link",
                             path);
}

firn_status firn_file_append(const char *path, uint64_t n_bytes, const char *text, size_t n_text,
                             firn_messages *messages)
{
    int error = fault();
    int fd =
        error ? -1 : firn_file_descriptor(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) return refuse(path, error ? error : errno, messages);
    struct stat info;
    if (fstat(fd, &info) != 0)
        error = errno;
    else if ((uint64_t)info.st_size < n_bytes)
        error = ESTALE; /* cut by another program */
    else
        error = cut_file(fd, n_bytes);
    if (!error) error = write_all(fd, (const unsigned char *)text, n_text);
    if (!error) error = sync_file(fd);
    int close_error = close_file(fd);
    if (!error) error = close_error;
    if (!error && n_bytes == 0) error = sync_folder_of(path); /* the name may be new */
    return error ? refuse(path, error, messages) : FIRN_OK;
}

/* ---------------------------------------------------------------- folders that change */

firn_status firn_file_make_folder(const char *path, firn_messages *messages)
{
    char part[PATH_ROOM];
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof part)
        return firn_messages_add(messages, FIRN_IO, "%s: cannot be made: %s",
                                 n ? path : "folder without a name",
                                 firn_file_reason(n ? ENAMETOOLONG : ENOENT));
    for (size_t i = 1; i <= n; i++) {
        if (i < n && path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = 0;
        int error = fault();
        struct stat info;
        if (!error && mkdir(part, 0777) != 0) error = errno;
        if (error == EEXIST || error == EISDIR ||
            error == EROFS) /* what is there already may be a folder */
            error = stat(part, &info) != 0 ? error : S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
        if (error)
            return firn_messages_add(messages, FIRN_IO, "%s: the folder cannot be made: %s", part,
                                     firn_file_reason(error));
    }
    return FIRN_OK;
}

firn_status firn_file_remove(const char *path, firn_messages *messages)
{
    int error = fault();
    if (!error && unlink(path) != 0) error = errno;
    if (!error || error == ENOENT) return FIRN_OK;
    return firn_messages_add(messages, FIRN_IO, "%s: cannot be removed: %s", path,
                             firn_file_reason(error));
}
