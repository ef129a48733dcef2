/* SPDX-License-Identifier: MIT */
/* scene_complaints.h: what is wrong with a scene, each with the path of the value and, where the
 * scene came from a file, its place there. A check walks a definition, keeps the path of where it
 * stands, and complains about values. */
#ifndef FIRN_SCENE_COMPLAINTS_H
#define FIRN_SCENE_COMPLAINTS_H

#include "scene/scene_check.h"

enum { FIRN_COMPLAINTS_PATH = 512, FIRN_COMPLAINTS_PLACE = FIRN_PATH + 64 };

typedef struct firn_complaints {
    firn_scene_locate locate;
    void *user;
    firn_messages *messages;
    firn_material *materials; /* resolved, for the caller; NULL: not wanted */
    firn_status status;
    int n;
    char path[FIRN_COMPLAINTS_PATH];
} firn_complaints;

FIRN_PRINTF(2, 3) void firn_complaints_add(firn_complaints *c, const char *format, ...);

/* A warning; nothing is refused. */
FIRN_PRINTF(2, 3) void firn_complaints_warn(firn_complaints *c, const char *format, ...);

/* Lengthens the path by ".key"; returns what `leave` needs to cut it again. */
size_t firn_complaints_enter(firn_complaints *c, const char *key);
void firn_complaints_leave(firn_complaints *c, size_t n);

/* Complains about `key` of the item that the path stands at. */
#define FIRN_COMPLAIN(c, key, ...)                                                                 \
    do {                                                                                           \
        size_t at_ = firn_complaints_enter(c, key);                                                \
        firn_complaints_add(c, __VA_ARGS__);                                                       \
        firn_complaints_leave(c, at_);                                                             \
    } while (0)

/* Words of another table or of the scene, one of which a value must be. Any number may be added;
 * the text, which messages show, takes those that fit. */
typedef struct firn_known_words {
    const char *wanted;
    int has_wanted;
    char text[2048]; /* separated by blanks */
    size_t used;
    char meant[FIRN_NAME]; /* the word whose meaning mentions `wanted`; "": none */
} firn_known_words;

void firn_complaints_know(firn_known_words *known, const char *word);
/* The same for a word whose table says what it means. */
void firn_complaints_know_as(firn_known_words *known, const char *word, const char *meaning);
/* Complains if `wanted` is not among them: it is no `what`. */
void firn_complaints_word(firn_complaints *c, const char *key, const char *what,
                          const firn_known_words *known);

#endif
