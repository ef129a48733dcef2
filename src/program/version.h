/* SPDX-License-Identifier: MIT */
/* version.h: what this program was built with and what it finds here. */
#ifndef FIRN_VERSION_H
#define FIRN_VERSION_H

#include <stdio.h>

void firn_version_print(FILE *out);

#endif
