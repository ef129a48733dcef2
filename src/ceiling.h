/* ceiling.h: multiply-adds of one variant. Returns how many floating-point operations were made in n_rounds. */
#ifndef FIRN_CEILING_H
#define FIRN_CEILING_H

#include "law.h"

#define FIRN_CEILING_FN(name)                                                                                          \
    double name(long n_rounds, double *sink);                                                                          \
    double name(long n_rounds, double *sink)

typedef double (*firn_ceiling_fn)(long n_rounds, double *sink);
firn_ceiling_fn firn_ceiling_find(firn_variant variant); /* NULL: not built */

#endif
