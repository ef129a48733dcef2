/* SPDX-License-Identifier: MIT */
/* tracer_none.c: tracer.h for builds without Embree. */
#include "picture/tracer.h"

const firn_tracer_engine *const firn_tracer_embree = NULL;
