/* SPDX-License-Identifier: MIT */
/* scene_complaints.c: complaints with their paths, and about words. */
#include "scene/scene_complaints.h"
#include "base/messages.h"
#include "base/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void firn_complaints_add(firn_complaints *c, const char *format, ...)
{
    char place[FIRN_COMPLAINTS_PLACE] = "", text[2560];
    c->status = FIRN_REFUSED;
    c->n++;
    if (c->locate && !c->locate(c->user, c->path, place, sizeof place)) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    firn_messages_add(c->messages, FIRN_REFUSED, "%s%s %s", place, c->path, text);
}

void firn_complaints_warn(firn_complaints *c, const char *format, ...)
{
    char place[FIRN_COMPLAINTS_PLACE] = "", text[2560];
    if (c->locate && !c->locate(c->user, c->path, place, sizeof place)) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    firn_messages_warn(c->messages, "%s%s %s", place, c->path, text);
}

size_t firn_complaints_enter(firn_complaints *c, const char *key)
{
    size_t n = strlen(c->path);
    snprintf(c->path + n, sizeof c->path - n, "%s%s", n ? "." : "", key);
    return n;
}

void firn_complaints_leave(firn_complaints *c, size_t n) { c->path[n] = 0; }

/* ---------------------------------------------------------------- words */

void firn_complaints_know(firn_known_words *known, const char *word)
{
    if (known->wanted && strcmp(known->wanted, word) == 0) known->has_wanted = 1;
    if (known->used < sizeof known->text - FIRN_NAME)
        known->used += (size_t)snprintf(known->text + known->used, sizeof known->text - known->used,
                                        "%s%s", known->used ? " " : "", word);
}

void firn_complaints_know_as(firn_known_words *known, const char *word, const char *meaning)
{
    firn_complaints_know(known, word);
    if (known->wanted && !*known->meant && firn_suggest_mentions(meaning, known->wanted))
        snprintf(known->meant, sizeof known->meant, "%s", word);
}

void firn_complaints_word(firn_complaints *c, const char *key, const char *what,
                          const firn_known_words *known)
{
    char shown[2200], near[64];
    if (known->has_wanted) return;
    int has_near = firn_suggest_word(known->wanted, known->text, near, sizeof near);
    if (*known->meant) {
        snprintf(near, sizeof near, "%s", known->meant);
        has_near = 1;
    }
    firn_suggest_list(known->text, shown, sizeof shown);
    FIRN_COMPLAIN(c, key, "is \"%s\", which is no %s; allowed: %s%s%s%s", known->wanted, what,
                  *shown ? shown : "none", has_near ? "; did you mean \"" : "",
                  has_near ? near : "", has_near ? "\"?" : "");
}
