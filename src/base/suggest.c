/* SPDX-License-Identifier: MIT */
/* suggest.c: edit distance over a list of words. */
#include "base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORD_MAX = 64 };

/* Edits (insert, delete, replace, swap of neighbours) that turn a into b; upper and lower case
 * count as equal. */
static int distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n >= WORD_MAX || m >= WORD_MAX) return WORD_MAX;
    int d[WORD_MAX][WORD_MAX];
    for (int i = 0; i <= n; i++) d[i][0] = i;
    for (int j = 0; j <= m; j++) d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            int best = d[i - 1][j - 1] + (x != y);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]) && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

int firn_suggest_has(const char *words, const char *word)
{
    size_t n = strlen(word);
    if (!words || n == 0 || strchr(word, ' ')) return 0;
    while (*words) {
        size_t n_this = strcspn(words, " ");
        if (n_this == n && memcmp(words, word, n) == 0) return 1;
        words += n_this + strspn(words + n_this, " ");
    }
    return 0;
}

int firn_suggest_word(const char *word, const char *words, char *out, size_t n_out)
{
    /* Up to a third of the letters may be wrong; the beginning of a word is close as well
     * ("mat"). */
    int best = (int)strlen(word) / 3 + 1, found = 0;
    char candidate[WORD_MAX];
    if (!*word) return 0;
    for (const char *rest = words + strspn(words, " "); *rest; rest += strspn(rest, " ")) {
        size_t n = strcspn(rest, " ");
        snprintf(candidate, sizeof candidate, "%.*s", (int)n, rest);
        rest += n;
        int d = distance(word, candidate);
        if (strlen(word) >= 2 && !strncasecmp(word, candidate, strlen(word)) && d > 1) d = 1;
        if (d > best || (found && d == best)) continue;
        best = d;
        found = 1;
        snprintf(out, n_out, "%s", candidate);
    }
    return found;
}

int firn_suggest_mentions(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = text; at && n && *at; at++) {
        const int begins = at == text || !isalnum((unsigned char)at[-1]);
        if (begins && strncasecmp(at, word, n) == 0 && !isalnum((unsigned char)at[n])) return 1;
    }
    return 0;
}

void firn_suggest_list(const char *words, char *text, size_t n_bytes)
{
    size_t used = 0;
    for (; *words && used + 1 < n_bytes; words++) {
        if (*words == ' ' && (words[1] == ' ' || !words[1])) continue;
        if (*words == ' ' && used + 2 < n_bytes) text[used++] = ',';
        text[used++] = *words;
    }
    text[used] = 0;
}
