/* SPDX-License-Identifier: MIT */
/* firn/base.h: common to the whole interface: status, messages, hooks, version.
 *
 * Conventions
 *   - Functions that can fail return a firn_status; zero (FIRN_OK) is success.
 *   - The reasons of a failure are collected in a firn_messages. Every function that takes one
 *     accepts NULL. It may hold many messages: all errors found are reported, not the first one.
 *   - Definitions (structs ending in _def) come from their default function, which sets a marker;
 *     a definition without the marker is refused instead of being run with random settings.
 *   - create/destroy own memory, init/clear do not. Getters carry no "get". Units are SI.
 *   - The library has no global state, and never exits, aborts or prints because of input. */
#ifndef FIRN_BASE_H
#define FIRN_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FIRN_API __attribute__((visibility("default")))
#define FIRN_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define FIRN_API
#define FIRN_PRINTF(format_index, first)
#endif

/* How a call ended. The numbers are also the exit codes of the program. */
typedef enum firn_status {
    FIRN_OK = 0,
    FIRN_USAGE = 1,       /* invalid call or command line */
    FIRN_REFUSED = 2,     /* invalid scene or definition; nothing was started */
    FIRN_STOPPED = 3,     /* the simulation cannot continue; the last good frame is kept */
    FIRN_IO = 4,          /* a file cannot be read or written */
    FIRN_MEMORY = 5,      /* an allocation failed or would exceed the limit */
    FIRN_INTERRUPTED = 6, /* stopped on request (signal or callback); can be resumed */
} firn_status;

typedef enum firn_level { FIRN_ERROR, FIRN_WARNING, FIRN_NOTE } firn_level;

/* A list of messages. Not thread-safe: one per thread. */
typedef struct firn_messages firn_messages;

FIRN_API firn_messages *firn_messages_create(void); /* NULL: out of memory */
FIRN_API void firn_messages_destroy(firn_messages *messages);
FIRN_API void firn_messages_clear(firn_messages *messages);

/* Adds one message; the first error sets the status. Returns `status`, so that `return
 * firn_messages_add(messages, FIRN_REFUSED, "...")` is one statement. Style: lower case, no full
 * stop, `object: what is wrong (value); allowed: range; try: way out`. */
FIRN_API firn_status firn_messages_add(firn_messages *messages, firn_status status,
                                       const char *format, ...) FIRN_PRINTF(3, 4);
FIRN_API void firn_messages_warn(firn_messages *messages, const char *format, ...)
    FIRN_PRINTF(2, 3);

FIRN_API firn_status firn_messages_status(const firn_messages *messages);
FIRN_API int firn_messages_count(const firn_messages *messages, firn_level level);
FIRN_API int firn_messages_total(const firn_messages *messages);
FIRN_API const char *firn_messages_text(const firn_messages *messages, int i, firn_level *level);

/* Memory and log go through hooks. Every allocation is counted, aligned to 64 bytes, and may be
 * refused. */
typedef struct firn_hooks {
    void *user;
    void *(*allocate)(void *user, size_t n_bytes); /* 64-byte aligned; NULL refuses */
    void (*release)(void *user, void *memory, size_t n_bytes);
    void (*log)(void *user, firn_level level, const char *sentence);
} firn_hooks;

FIRN_API firn_hooks firn_hooks_default(void);

FIRN_API const char *firn_version(void);

#ifdef __cplusplus
}
#endif
#endif
