/* SPDX-License-Identifier: MIT */
/* messages.h: what the library itself does with reports, beside firn/base.h. */
#ifndef FIRN_MESSAGES_H
#define FIRN_MESSAGES_H

#include "firn/base.h"

/* Sentences from number `first` on in the order of the places NAME:LINE:COLUMN that they begin
 * with; those without a place in that file come after, as they were told. */
void firn_messages_sort(firn_messages *messages, int first, const char *name);

/* The one wording for memory that ran out: "WHAT: out of memory", WHAT printed like printf.
 * Returns FIRN_MEMORY. */
firn_status firn_messages_no_memory(firn_messages *messages, const char *what, ...)
    FIRN_PRINTF(2, 3);

#endif
