/* SPDX-License-Identifier: MIT */
/* voice.c: see voice.h. */
#include "session/voice.h"

#include <stdarg.h>
#include <stdio.h>

void firn_voice_say(const firn_voice *voice, firn_level level, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    voice->say(level, text);
}
