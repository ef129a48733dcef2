/* SPDX-License-Identifier: MIT */
/* format.h: the table of particle file formats. Adding a format is one entry in format.c; run,
 * convert, info, check and help read this table and know nothing else about formats. */
#ifndef FIRN_FORMAT_H
#define FIRN_FORMAT_H

#include "base/file.h"
#include "points/points.h"

typedef struct firn_format {
    const char *name,
        *extension;    /* e.g. "bgeo.gz" and ".bgeo.gz"; the longest matching extension decides */
    const char *doc;   /* one line for help: what opens it, what it loses */
    const char *holds; /* of what cannot be read: what is in it, "volumes and no points" */
    /* NULL where firn cannot. A reader needs at most FIRN_FORMAT_EXPANSION times the length of
     * the file in memory (of the uncompressed data, itself at most 1032 times the file). */
    firn_status (*read)(const char *path, firn_points **points, firn_messages *messages);
    firn_status (*write)(const char *path, const firn_points *points, firn_file_receipt *receipt,
                         firn_messages *messages);
    /* Of packed files: as read, but FIRN_MEMORY before more than `most` unpacked bytes are read
     * or room is made for them. NULL: the file's own length is bound enough. */
    firn_status (*read_within)(const char *path, uint64_t most, firn_points **points,
                               firn_messages *messages);
    /* Reads all of a file, also what is no points, for damage. NULL: `read` does. */
    firn_status (*check)(const char *path, firn_messages *messages);
} firn_format;

/* The worst case is a string table: two bytes in the file, a pointer and a 64-byte block in memory.
 */
enum { FIRN_FORMAT_EXPANSION = 64 };

const firn_format *firn_format_at(int i); /* in order of help; NULL after the last */
const firn_format *firn_format_find(const char *name);
const firn_format *firn_format_of(const char *path); /* by extension, in any case; NULL: none */

/* All choose by the extension of the path and say what is possible where they cannot. Writing is
 * whole-or-absent; receipt may be NULL. */
firn_status firn_format_read(const char *path, firn_points **points, firn_messages *messages);
firn_status firn_format_read_within(const char *path, uint64_t most, firn_points **points,
                                    firn_messages *messages);
firn_status firn_format_write(const char *path, const firn_points *points,
                              firn_file_receipt *receipt, firn_messages *messages);
/* Whether all of a file can be read. */
firn_status firn_format_check(const char *path, firn_messages *messages);

#endif
