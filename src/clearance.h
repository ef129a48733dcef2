/* clearance.h: the function of clearance.c, by variant; kernels.h says what it does. */
#ifndef FIRN_CLEARANCE_H
#define FIRN_CLEARANCE_H

#include "kernels.h"
#include "lanes.h"

uint32_t FIRN_VARIANT_NAME(firn_clearance)(const void *x, const void *before, const firn_near_ways *ways, void *clear);

#endif
