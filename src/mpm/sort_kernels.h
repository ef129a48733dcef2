/* SPDX-License-Identifier: MIT */
/* sort_kernels.h: the functions of sort_kernels.c, by variant; kernels.h describes them. */
#ifndef FIRN_SORT_KERNELS_H
#define FIRN_SORT_KERNELS_H

#include "mpm/kernels.h"
#include "simd/lanes.h"

void FIRN_VARIANT_NAME(firn_sort_targets)(const void *x, int is_quadratic, uint8_t target[16],
                                          uint8_t cell[16]);
void FIRN_VARIANT_NAME(firn_gather)(const firn_gather *gather, int is_integer, const void *from,
                                    void *to);
void FIRN_VARIANT_NAME(firn_rebase)(void *x, int n, double low[3], double high[3]);

#endif
