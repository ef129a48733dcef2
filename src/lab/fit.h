/* SPDX-License-Identifier: MIT */
/* fit.h: parameters from measured curves - nonlinear least squares and, on top of it, fits of
 * laws to lab paths. */
#ifndef FIRN_FIT_H
#define FIRN_FIT_H

#include "lab/lab.h"

enum { FIRN_FIT_MAX = 12 }; /* free parameters */

/* Residuals r[n] of the parameters p; nonzero: cannot be computed there. */
typedef int (*firn_fit_residuals)(void *user, const double *p, double *r);

typedef struct firn_fit_parameter {
    char name[FIRN_NAME], unit[32];
    double start, min, max;
    int is_log; /* searched in its logarithm: for positive numbers of unknown size */
    double value, error, low, high; /* out: best, standard error, 95 % confidence interval */
} firn_fit_parameter;

typedef struct firn_fit_result {
    int n_data, n_iterations;
    double sum_of_squares,
        deviation; /* of the residuals; deviation with n - p degrees of freedom */
    double correlation[FIRN_FIT_MAX][FIRN_FIT_MAX];
    int rank; /* below the number of parameters: the data cannot tell them apart */
} firn_fit_result;

/* Levenberg-Marquardt from the parameters' start values. FIRN_STOPPED when no start can be made
 * or no minimum found. */
firn_status firn_fit_minimise(firn_fit_residuals residuals, void *user, int n_data, int n,
                              firn_fit_parameter *parameters, firn_fit_result *result,
                              firn_messages *messages);

/* The t value that |t| exceeds with probability 0.05 at so many degrees of freedom. */
double firn_fit_student(int freedom);

/* ---------------------------------------------------------------- laws (fit_law.c) */

typedef struct firn_fit_law {
    const firn_table *data;
    const char *x, *y;        /* columns of the data and of the lab */
    firn_material_def def;    /* law, preset, fixed parameters and start values */
    firn_lab_options options; /* the path; its end is taken from the data */
    int n_free;
    char free[FIRN_FIT_MAX][FIRN_NAME];
    int is_relative; /* residuals are shares of the measured value, for curves over decades */
} firn_fit_law;

typedef struct firn_fit_law_result {
    firn_fit_result fit;
    firn_fit_parameter parameters[FIRN_FIT_MAX];
    firn_table *table; /* x, measured, fitted, residual */
} firn_fit_law_result;

firn_status firn_fit_law_run(const firn_fit_law *problem, firn_fit_law_result *result,
                             firn_messages *messages);
/* A `materials:` block that a scene file can hold, with where the numbers come from as comments. */
void firn_fit_law_preset(const firn_fit_law *problem, const firn_fit_law_result *result,
                         const char *name, const char *source, firn_text *yaml);
/* Data and fit, residuals below; to .svg or .png. */
firn_status firn_fit_law_draw(const firn_fit_law *problem, const firn_fit_law_result *result,
                              const char *path, firn_messages *messages);

#endif
