/* SPDX-License-Identifier: MIT */
/* suggest.h: which known word was probably meant by an unknown one. */
#ifndef FIRN_NEAREST_H
#define FIRN_NEAREST_H

#include <stddef.h>

/* The closest of `words` (blank-separated) to a mistyped one, copied to `out`; 0: nothing is close.
 */
int firn_suggest_word(const char *word, const char *words, char *out, size_t n_out);
/* Blank-separated words for a sentence: "a b" becomes "a, b". */
void firn_suggest_list(const char *words, char *text, size_t n_bytes);

#endif
