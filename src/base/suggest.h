/* SPDX-License-Identifier: MIT */
/* suggest.h: words in blank-separated lists: whether one is there, and which one was probably meant
 * by an unknown one. */
#ifndef FIRN_SUGGEST_H
#define FIRN_SUGGEST_H

#include <stddef.h>

/* Whether `words` has this word; never where it is empty or holds a blank. words may be NULL. */
int firn_suggest_has(const char *words, const char *word);
/* The closest of `words` to a mistyped one, copied to `out`; 0: none is close. */
int firn_suggest_word(const char *word, const char *words, char *out, size_t n_out);
/* Whether a sentence has this word, in upper or lower case. text may be NULL. */
int firn_suggest_mentions(const char *text, const char *word);
/* The words for a message: "a b" becomes "a, b". */
void firn_suggest_list(const char *words, char *text, size_t n_bytes);

#endif
