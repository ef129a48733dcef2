/* SPDX-License-Identifier: MIT */
/* kernel.h: smoothing kernels W(r), zero from their support radius on, with integral 1 over space;
 * kernel.c has the table. */
#ifndef FIRN_KERNEL_H
#define FIRN_KERNEL_H

typedef struct firn_kernel {
    const char *name, *formula;
    /* W (1/m^3) at distance r, and -W'(r)/r (1/m^5): grad W = (W'/r) r = -slope * r. `support`: the
     * radius where W ends, m. */
    double (*value)(double r, double support);
    double (*slope)(double r, double support);
} firn_kernel;

/* In the order of the words of meshless.kernel in a scene, from 0; NULL after the last. */
const firn_kernel *firn_kernel_at(int i);
const firn_kernel *firn_kernel_find(const char *name);

#endif
