/* SPDX-License-Identifier: MIT */
/* voice.h: how a session speaks to a person. The program gives its own (program/cli.h), a test
 * one that listens. */
#ifndef FIRN_VOICE_H
#define FIRN_VOICE_H

#include "firn/base.h"

typedef struct firn_voice {
    void (*say)(firn_level level, const char *text); /* one message */
    void (*report)(const firn_messages *messages);   /* every message of a list */
} firn_voice;

void firn_voice_say(const firn_voice *voice, firn_level level, const char *format, ...)
    FIRN_PRINTF(3, 4);

#endif
