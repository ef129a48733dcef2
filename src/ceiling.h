/* ceiling.h: multiply-adds of one variant. Returns how many floating-point operations were made in n_rounds. */
#ifndef FIRN_LIMITS_H
#define FIRN_LIMITS_H

#include "law.h"

#define FIRN_LIMITS_FN(name)                                                                                           \
    double name(long n_rounds, double *sink);                                                                          \
    double name(long n_rounds, double *sink)

typedef double (*firn_limits_fn)(long n_rounds, double *sink);
firn_limits_fn firn_limits_find(firn_variant variant); /* NULL: not built */

#endif
