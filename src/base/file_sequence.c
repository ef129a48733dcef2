/* SPDX-License-Identifier: MIT */
/* file_sequence.c: see file_sequence.h. The pattern is parsed here: a file name from a scene never
 * reaches printf as a format. */
#include "base/file_sequence.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILES = 100000, MAX_WIDTH = 20 };

/* The first number of the form %d or %04d at or after p: its %, and in *after what follows; NULL:
 * none. */
static const char *find_number(const char *p, int *width, const char **after)
{
    while ((p = strchr(p, '%'))) {
        const char *q = p + 1;
        for (*width = 0; isdigit((unsigned char)*q) && *width <= MAX_WIDTH; q++)
            *width = 10 * *width + (*q - '0');
        *after = q + 1;
        if (*q == 'd' && *width <= MAX_WIDTH) return p;
        p++;
    }
    return NULL;
}

/* The only number in the last component of the path; NULL: none, or more than one. */
static const char *only_number(const char *path, int *width, const char **after)
{
    const char *slash = strrchr(path, '/'), *rest;
    int ignored;
    const char *number = find_number(slash ? slash + 1 : path, width, after);
    return number && !find_number(*after, &ignored, &rest) ? number : NULL;
}

int firn_file_sequence_is_pattern(const char *path)
{
    int width;
    const char *after;
    return only_number(path, &width, &after) != NULL;
}

static firn_status refuse(const char *pattern, firn_messages *messages)
{
    return firn_messages_add(
        messages, FIRN_REFUSED,
        "%s: no such file or folder; a sequence needs one number %%d or %%04d in its name, none in "
        "the name of its folder",
        pattern);
}

firn_status firn_file_sequence_check_single(const char *path, firn_messages *messages)
{
    return strchr(path, '%') && access(path, F_OK) != 0 ? refuse(path, messages) : FIRN_OK;
}

static firn_status take_apart(const char *pattern, firn_file_sequence *s, firn_messages *messages)
{
    const char *after,
        *percent = strlen(pattern) < FIRN_PATH ? only_number(pattern, &s->width, &after) : NULL;
    if (!percent) return refuse(pattern, messages);
    memcpy(s->before, pattern, (size_t)(percent - pattern));
    strcpy(s->after, after);
    return FIRN_OK;
}

typedef struct search {
    firn_file_sequence *s;
    const char *name_before; /* without the folder */
    int has_failed, is_full; /* is_full: more than MAX_FILES */
} search;

static void visit(void *user, const char *name)
{
    search *find = user;
    firn_file_sequence *s = find->s;
    size_t n_before = strlen(find->name_before), n = strlen(name), n_after = strlen(s->after);
    if (n <= n_before + n_after || strncmp(name, find->name_before, n_before)) return;
    if (strcmp(name + n - n_after, s->after)) return;
    size_t digits = n - n_before - n_after;
    for (size_t i = 0; i < digits; i++)
        if (!isdigit((unsigned char)name[n_before + i])) return;
    int has_zero = name[n_before] == '0' && digits > 1; /* padding only up to the width */
    if (digits > 18 || (int)digits < s->width || (has_zero && (int)digits > s->width)) return;
    if (s->n == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 64;
        int64_t *grown =
            s->n < MAX_FILES ? firn_memory_array(NULL, (size_t)capacity, sizeof *grown) : NULL;
        if (!grown) {
            find->has_failed = 1;
            find->is_full = s->n >= MAX_FILES;
            return;
        }
        if (s->n) memcpy(grown, s->numbers, (size_t)s->n * sizeof *grown);
        firn_memory_release(NULL, s->numbers, (size_t)s->capacity * sizeof *grown);
        s->numbers = grown;
        s->capacity = capacity;
    }
    s->numbers[s->n++] = strtoll(name + n_before, NULL, 10);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

firn_status firn_file_sequence_find(const char *pattern, firn_file_sequence *s,
                                    firn_messages *messages)
{
    *s = (firn_file_sequence){0};
    firn_status status = take_apart(pattern, s, messages);
    if (status) return status;
    char folder[FIRN_PATH] = ".";
    const char *slash = strrchr(s->before, '/');
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == s->before ? 1 : (int)(slash - s->before),
                 s->before);
    search find = {s, slash ? slash + 1 : s->before, 0};
    status = firn_file_list(folder, visit, &find, messages);
    if (!status && find.has_failed)
        status = find.is_full ? firn_messages_add(messages, FIRN_REFUSED,
                                                  "%s: too many files; allowed: up to %d", pattern,
                                                  MAX_FILES)
                              : firn_messages_no_memory(messages, "%s: list of files", pattern);
    if (!status && s->n == 0)
        status = firn_messages_add(messages, FIRN_IO, "%s: no file of this sequence", pattern);
    if (status) {
        firn_file_sequence_clear(s);
        return status;
    }
    qsort(s->numbers, (size_t)s->n, sizeof *s->numbers, compare);
    s->first = s->numbers[0];
    if (s->numbers[s->n - 1] - s->numbers[0] != s->n - 1)
        firn_messages_warn(messages,
                           "%s: files missing between number %" PRId64 " and %" PRId64
                           "; the motion is interpolated over the gaps",
                           pattern, s->numbers[0], s->numbers[s->n - 1]);
    return FIRN_OK;
}

void firn_file_sequence_clear(firn_file_sequence *s)
{
    firn_memory_release(NULL, s->numbers, (size_t)s->capacity * sizeof *s->numbers);
    *s = (firn_file_sequence){0};
}

void firn_file_sequence_path(const firn_file_sequence *s, int i, char path[FIRN_PATH])
{
    char number[32];
    snprintf(number, sizeof number, "%0*" PRId64, s->width, s->numbers[i]);
    size_t n = strlen(s->before), n_number = strlen(number), n_after = strlen(s->after);
    path[0] = 0;
    if (n + n_number + n_after >= FIRN_PATH) return; /* opening an empty path fails */
    memcpy(path, s->before, n);
    memcpy(path + n, number, n_number);
    memcpy(path + n + n_number, s->after, n_after + 1);
}

double firn_file_sequence_time(const firn_file_sequence *s, int i, const firn_shape_def *def)
{
    int at = i < 0 ? 0 : i >= s->n ? s->n - 1 : i;
    return def->start + (double)(s->numbers[at] - s->first) / (def->fps > 0 ? def->fps : 24);
}

void firn_file_sequence_keep(firn_file_sequence *s, double time, const firn_shape_def *def)
{
    int after = 0;
    while (after < s->n && firn_file_sequence_time(s, after, def) <= time) after++;
    const int from = after > 2 ? after - 2 : 0, until = after + 2 < s->n ? after + 2 : s->n;
    s->n = until - from;
    memmove(s->numbers, s->numbers + from, (size_t)s->n * sizeof *s->numbers);
}
