/* SPDX-License-Identifier: MIT */
/* shell.c: see shell.h. Inside single quotes a shell takes every byte as it is; a single quote ends
 * them, stands for itself behind a backslash, and they begin again: it's becomes 'it'\''s'. */
#include "base/shell.h"

#include <string.h>

void firn_shell_add_word(firn_text *text, const char *word)
{
    int is_plain = word[0] != 0;
    for (const char *w = word; *w; w++)
        is_plain &= strchr(" \t\n\r\"'$`\\{}[]()*?;&|<>#~!", *w) == NULL;
    if (is_plain) {
        firn_text_add(text, "%s", word);
        return;
    }
    firn_text_add(text, "'");
    for (const char *w = word; *w; w++) firn_text_add(text, *w == '\'' ? "'\\''" : "%c", *w);
    firn_text_add(text, "'");
}
