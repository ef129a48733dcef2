/* SPDX-License-Identifier: MIT */
/* scratch.h: what tests that touch the disk share - a folder of their own, whole files to and
 * from memory, and the first sentence of a report. */
#ifndef FIRN_TEST_SCRATCH_H
#define FIRN_TEST_SCRATCH_H

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "firn/base.h"

static char scratch_folder[64];

/* The path of a name in the scratch folder; four of them live at a time. */
static inline const char *scratch(const char *name)
{
    static char paths[4][512];
    static int at;
    char *path = paths[at = (at + 1) % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline int scratch_create(void **state)
{
    (void)state;
    /* in memory where possible: hundreds of small files are synced, and a disk would take
     * seconds for that */
    strcpy(scratch_folder, "/dev/shm/firn-test-XXXXXX");
    if (mkdtemp(scratch_folder)) return 0;
    strcpy(scratch_folder, "/tmp/firn-test-XXXXXX");
    return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int scratch_remove_one(const char *path, const struct stat *info, int flag,
                                     struct FTW *ftw)
{
    (void)info, (void)flag, (void)ftw;
    return remove(path);
}

static inline int scratch_destroy(void **state)
{
    (void)state;
    return nftw(scratch_folder, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline unsigned char *scratch_load(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    *n = 0;
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = (unsigned char *)malloc(*n + 1);
    if (fread(data, 1, *n, file) != *n) abort();
    data[*n] = 0;
    fclose(file);
    return data;
}

static inline void scratch_store(const char *path, const void *data, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file || (n && fwrite(data, 1, n, file) != n) || fclose(file) != 0) abort();
}

/* One byte in place: replacing whole files again and again makes some file systems wait for the
 * disk each time. */
static inline void scratch_poke(const char *path, size_t at, unsigned char byte)
{
    FILE *file = fopen(path, "r+b");
    if (!file || fseek(file, (long)at, SEEK_SET) != 0 || fputc(byte, file) == EOF ||
        fclose(file) != 0)
        abort();
}

static inline int scratch_count(const char *folder)
{
    DIR *stream = opendir(folder);
    int n = -2; /* . and .. */
    while (stream && readdir(stream)) n++;
    if (stream) closedir(stream);
    return n;
}

static inline int scratch_says(const firn_messages *messages, const char *words)
{
    for (int i = 0; i < firn_messages_total(messages); i++)
        if (strstr(firn_messages_text(messages, i, NULL), words)) return 1;
    for (int i = 0; i < firn_messages_total(messages); i++)
        fprintf(stderr, "said: %s\n", firn_messages_text(messages, i, NULL));
    return 0;
}

#endif
