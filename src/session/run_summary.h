/* SPDX-License-Identifier: MIT */
/* run_summary.h: the last words of a run: what lies where, and what can be done with it. */
#ifndef FIRN_RUN_SUMMARY_H
#define FIRN_RUN_SUMMARY_H

#include "firn/base.h"

#include <stdio.h>

/* Of the shot in the folder, as it is on disk. */
void firn_run_summary_print(const char *folder, FILE *out);

#endif
