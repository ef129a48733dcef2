/* SPDX-License-Identifier: MIT */
/* vtp_data.h: the numbers of one DataArray of a VTK XML file, however it is encoded. vtp_read.c
 * finds the arrays. */
#ifndef FIRN_VTP_DATA_H
#define FIRN_VTP_DATA_H

#include "firn/base.h"

typedef enum firn_vtp_type {
    FIRN_VTP_INT8,
    FIRN_VTP_UINT8,
    FIRN_VTP_INT16,
    FIRN_VTP_UINT16,
    FIRN_VTP_INT32,
    FIRN_VTP_UINT32,
    FIRN_VTP_INT64,
    FIRN_VTP_UINT64,
    FIRN_VTP_FLOAT32,
    FIRN_VTP_FLOAT64,
    FIRN_VTP_STRING, /* bytes, each string ended by 0 */
    FIRN_VTP_N_TYPES
} firn_vtp_type;

extern const struct firn_vtp_type_info {
    const char *name;
    int n_bytes;
} firn_vtp_types[FIRN_VTP_N_TYPES];

typedef enum firn_vtp_encoding {
    FIRN_VTP_ASCII,
    FIRN_VTP_BINARY,
    FIRN_VTP_APPENDED
} firn_vtp_encoding;

typedef struct firn_vtp_file {
    const char *path, *text; /* the whole file, a zero behind it */
    size_t n;
    firn_messages *messages;
    int is_big_endian, is_compressed, appended_is_base64;
    size_t header_bytes;                 /* of one number in front of data: 4 or 8 */
    const char *appended, *appended_end; /* behind the underscore; NULL: there are none */
    size_t n_used;                       /* bytes of the file that arrays have taken up to now */
} firn_vtp_file;

typedef struct firn_vtp_array {
    char name[64];
    firn_vtp_type type;
    firn_vtp_encoding encoding;
    int n_components, line;
    int64_t n_tuples; /* -1: not said */
    uint64_t offset;
    const char *from, *until; /* what stands between the tags */
} firn_vtp_array;

/* Whether the array can hold exactly n numbers, by what stands in front of its data: to be asked
 * before room is made. */
firn_status firn_vtp_check(firn_vtp_file *file, const firn_vtp_array *array, uint64_t n);
/* Exactly n numbers: floats into to.f, or ints into to.i, where those that need more than 32
 * bits are counted. */
typedef union firn_vtp_target {
    float *f;
    int32_t *i;
} firn_vtp_target;
firn_status firn_vtp_numbers(firn_vtp_file *file, const firn_vtp_array *array, uint64_t n,
                             int wants_floats, firn_vtp_target to, int64_t *n_too_large);
/* The bytes of a String array; to be released with *n + 1 bytes, a zero stands behind them. */
firn_status firn_vtp_bytes(firn_vtp_file *file, const firn_vtp_array *array, char **bytes,
                           size_t *n);
/* "FILE:LINE: array 'NAME' WHAT" */
firn_status firn_vtp_wrong(const firn_vtp_file *file, const firn_vtp_array *array,
                           const char *format, ...) FIRN_PRINTF(3, 4);

#endif
