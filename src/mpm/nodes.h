/* SPDX-License-Identifier: MIT */
/* nodes.h: the functions of nodes.c, by variant; kernels.h describes each. */
#ifndef FIRN_NODES_H
#define FIRN_NODES_H

#include "mpm/kernels.h"
#include "simd/lanes.h"

#define FIRN_NODES__(name, variant) firn_nodes_##name##_##variant
#define FIRN_NODES_(name, variant) FIRN_NODES__(name, variant)
#define FIRN_NODES(name) FIRN_NODES_(name, FIRN_VARIANT)

void FIRN_NODES(clear)(void *patch, firn_columns columns);
void FIRN_NODES(ask)(firn_columns columns, const int32_t neighbours[27], const void *nodes);
void FIRN_NODES(add)(const void *patch, firn_columns columns, const int32_t neighbours[27],
                     void *nodes);
void FIRN_NODES(weigh)(const void *patch, firn_columns columns, const int32_t slots[27],
                       void *masses);
void FIRN_NODES(load)(void *patch, firn_columns columns, const int32_t neighbours[27],
                      const void *nodes);
void FIRN_NODES(load_both)(void *patch, void *old_patch, firn_columns columns,
                           const int32_t neighbours[27], const void *nodes, const void *old);
double FIRN_NODES(steepest)(const void *patch, firn_columns columns);
void FIRN_NODES(deviate)(const void *patch, const double from[3], void *deviations);
void FIRN_NODES(velocity)(void *nodes, void *old, const double dv[3], firn_block_range *range);
void FIRN_NODES(range)(const void *nodes, firn_block_range *range);

#endif
