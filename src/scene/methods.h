/* SPDX-License-Identifier: MIT */
/* methods.h: the table of methods that a scene may name. */
#ifndef FIRN_METHODS_H
#define FIRN_METHODS_H

#include "solver/method.h"

const firn_method *firn_method_at(int i); /* in order; NULL after the last */
const firn_method *firn_method_find(const char *name);

#endif
