/* SPDX-License-Identifier: MIT */
/* messages.h: what the library itself does with messages, besides firn/base.h. */
#ifndef FIRN_MESSAGES_H
#define FIRN_MESSAGES_H

#include "firn/base.h"

/* Sorts the messages from number `first` on by the place NAME:LINE:COLUMN that they begin with;
 * those without a place in that file follow in their order. */
void firn_messages_sort(firn_messages *messages, int first, const char *name);

/* The one wording for memory that ran out: "WHAT: out of memory", WHAT printed like printf.
 * Returns FIRN_MEMORY. */
firn_status firn_messages_no_memory(firn_messages *messages, const char *what, ...)
    FIRN_PRINTF(2, 3);

#endif
