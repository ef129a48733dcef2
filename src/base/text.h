/* SPDX-License-Identifier: MIT */
/* text.h: a text that grows. Adding reports no failure: without memory the text is marked and stays
 * as it was, so that a writer adds everything and checks has_failed once. */
#ifndef FIRN_TEXT_H
#define FIRN_TEXT_H

#include "firn/base.h"

typedef struct firn_text {
    char *data; /* zero-terminated once something was added; NULL before */
    size_t n, capacity;
    int has_failed; /* an allocation was refused: the text is incomplete */
} firn_text;

void firn_text_clear(firn_text *text); /* releases; the text may be used again */
void firn_text_add(firn_text *text, const char *format, ...) FIRN_PRINTF(2, 3);
void firn_text_add_bytes(firn_text *text, const char *bytes, size_t n);
/* The shortest decimal that reads back as the same double, with a decimal point in any locale. */
void firn_text_add_number(firn_text *text, double value);
/* A number of bytes with its unit: "512 bytes", "3.1 KiB", MiB, GiB. */
void firn_text_add_size(firn_text *text, double n_bytes);
/* In quotes, quotes inside doubled: a field of CSV (RFC 4180). */
void firn_text_add_csv(firn_text *text, const char *field);
/* As character data or attribute value of XML and HTML: & < > " ' are escaped. */
void firn_text_add_xml(firn_text *text, const char *string);

/* To a file; an incomplete text is refused. */
firn_status firn_text_write(const firn_text *text, const char *path, firn_messages *messages);

#endif
