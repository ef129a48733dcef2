/* SPDX-License-Identifier: MIT */
/* shell.h: words of a command line for POSIX shells. */
#ifndef FIRN_SHELL_H
#define FIRN_SHELL_H

#include "base/text.h"

/* The word as it is where no shell reads anything into it, else in single quotes. */
void firn_shell_add_word(firn_text *text, const char *word);

#endif
