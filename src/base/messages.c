/* SPDX-License-Identifier: MIT */
/* messages.c: messages about what went wrong, in the order in which they were added. The first
 * one is kept also without memory, in room of its own; later ones are then dropped, while status
 * and counts stay right. */
#include "base/messages.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 2048, MESSAGES_MAX = 1000, OWN_ROOM = 512 };

typedef struct message {
    firn_level level;
    char *text;
} message;

struct firn_messages {
    firn_status status;
    int n, n_level[3];
    message *list;
    int capacity; /* of the list; 0: the list is `own` */
    message own;
    char own_text[OWN_ROOM];
};

firn_messages *firn_messages_create(void)
{
    return firn_memory_allocate(NULL, sizeof(firn_messages));
}

void firn_messages_clear(firn_messages *messages)
{
    if (!messages) return;
    for (int i = 0; i < messages->n && messages->capacity; i++)
        if (messages->list[i].text != messages->own_text)
            firn_memory_release(NULL, messages->list[i].text, strlen(messages->list[i].text) + 1);
    if (messages->capacity)
        firn_memory_release(NULL, messages->list,
                            (size_t)messages->capacity * sizeof *messages->list);
    *messages = (firn_messages){0};
}

void firn_messages_destroy(firn_messages *messages)
{
    firn_messages_clear(messages);
    firn_memory_release(NULL, messages, sizeof *messages);
}

static void add(firn_messages *messages, firn_level level, const char *format, va_list arguments)
{
    messages->n_level[level]++;
    if (messages->n >= MESSAGES_MAX) return;
    if (messages->n >= messages->capacity) {
        int capacity = messages->capacity ? 2 * messages->capacity : 16;
        message *grown = firn_memory_array(NULL, (size_t)capacity, sizeof *grown);
        if (!grown && messages->n) return;
        if (grown) {
            if (messages->n) memcpy(grown, messages->list, (size_t)messages->n * sizeof *grown);
            if (messages->capacity)
                firn_memory_release(NULL, messages->list,
                                    (size_t)messages->capacity * sizeof *grown);
            messages->list = grown;
            messages->capacity = capacity;
        } else {
            messages->list = &messages->own;
        }
    }
    char text[TEXT_MAX];
    vsnprintf(text, sizeof text, format, arguments);
    char *copy = firn_memory_string(NULL, text);
    if (!copy && messages->n) return;
    if (!copy) {
        copy = messages->own_text;
        snprintf(copy, OWN_ROOM, "%.*s", OWN_ROOM - 1, text);
    }
    messages->list[messages->n++] = (message){level, copy};
}

/* ---------------------------------------------------------------- order */

/* Reads "NAME:LINE:COLUMN: " at the front of a message; 0: no such place. */
static int read_place(const char *text, const char *name, long place[2])
{
    size_t n = strlen(name);
    if (strncmp(text, name, n) != 0 || text[n] != ':') return 0;
    for (int i = 0; i < 2; i++) {
        char *end;
        place[i] = strtol(text + n + 1, &end, 10);
        if (end == text + n + 1 || *end != ':') return 0;
        n = (size_t)(end - text);
    }
    return 1;
}

static int is_before(const message *a, const message *b, const char *name)
{
    long p[2], q[2];
    int a_is_placed = read_place(a->text, name, p), b_is_placed = read_place(b->text, name, q);
    if (!a_is_placed || !b_is_placed) return a_is_placed && !b_is_placed;
    return p[0] != q[0] ? p[0] < q[0] : p[1] < q[1];
}

/* By insertion: stable, and messages are few. */
void firn_messages_sort(firn_messages *messages, int first, const char *name)
{
    for (int i = first + 1; messages && i < messages->n; i++)
        for (int k = i; k > first && is_before(&messages->list[k], &messages->list[k - 1], name);
             k--) {
            message moved = messages->list[k];
            messages->list[k] = messages->list[k - 1];
            messages->list[k - 1] = moved;
        }
}

/* ---------------------------------------------------------------- adding */

firn_status firn_messages_add(firn_messages *messages, firn_status status, const char *format, ...)
{
    if (!messages) return status;
    if (messages->status == FIRN_OK) messages->status = status;
    va_list arguments;
    va_start(arguments, format);
    add(messages, FIRN_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

firn_status firn_messages_no_memory(firn_messages *messages, const char *what, ...)
{
    char name[TEXT_MAX];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(name, sizeof name, what, arguments);
    va_end(arguments);
    return firn_messages_add(messages, FIRN_MEMORY, "%s: out of memory", name);
}

void firn_messages_warn(firn_messages *messages, const char *format, ...)
{
    if (!messages) return;
    va_list arguments;
    va_start(arguments, format);
    add(messages, FIRN_WARNING, format, arguments);
    va_end(arguments);
}

firn_status firn_messages_status(const firn_messages *messages)
{
    return messages ? messages->status : FIRN_OK;
}

int firn_messages_count(const firn_messages *messages, firn_level level)
{
    return messages ? messages->n_level[level] : 0;
}

int firn_messages_total(const firn_messages *messages) { return messages ? messages->n : 0; }

const char *firn_messages_text(const firn_messages *messages, int i, firn_level *level)
{
    if (!messages || i < 0 || i >= messages->n) return "";
    if (level) *level = messages->list[i].level;
    return messages->list[i].text;
}

const char *firn_version(void) { return FIRN_VERSION; }
