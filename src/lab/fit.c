/* SPDX-License-Identifier: MIT */
/* fit.c: nonlinear least squares after Levenberg and Marquardt.
 *
 * With q the searched variables (the parameters or their logarithms), r the residuals and J =
 * dr/dq by central differences, a step solves the least-squares problem
 *
 *     [ J               ]        [ -r ]
 *     [ sqrt(damping) D ]  dq  = [  0 ]        D = lengths of J's columns (Marquardt's scaling)
 *
 * by LAPACKE's QR (never by normal equations, which square the condition number). Damping falls
 * after a step that helped and rises after one that did not.
 *
 * At the minimum the covariance is s^2 (J^T J)^-1 with s^2 = |r|^2 / (n - p), from the singular
 * values of the scaled J; intervals are q +- t s_q with Student's t at 95 %, so for a
 * logarithmic variable they are not symmetric.
 * W. H. Press and others, Numerical Recipes (1992), 15.5; J. J. More, The Levenberg-Marquardt
 * algorithm (1978). */
#include "lab/fit.h"
#include "base/memory.h"
#include "base/messages.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 200 };

/* ---------------------------------------------------------------- Student's t */

/* Probability of |t| < x, by Simpson's rule in u = atan(t / sqrt nu), in which the density is
 * smooth and bounded: cos(u)^(nu - 1) up to a factor. */
static double student_inside(double x, int freedom)
{
    enum { N = 2000 };
    double end = atan(x / sqrt(freedom)), sum = 0;
    for (int i = 0; i <= N; i++)
        sum += (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * pow(cos(end * i / N), freedom - 1);
    double factor = exp(lgamma((freedom + 1) / 2.0) - lgamma(freedom / 2.0)) / sqrt(M_PI);
    return 2 * factor * sum * end / N / 3;
}

double firn_fit_student(int freedom)
{
    double low = 0, high = 13; /* 12.7 at one degree of freedom */
    if (freedom < 1) return NAN;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_inside(middle, freedom) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* ---------------------------------------------------------------- the search */

typedef struct search {
    firn_fit_residuals residuals;
    void *user;
    int n_data, n;
    const firn_fit_parameter *parameters;
    double *jacobian; /* [n_data][n] */
    double *system;   /* [n_data + n][n] */
    double *right;    /* [n_data + n] */
    double *r, *up, *down;
} search;

static double to_parameter(const firn_fit_parameter *p, double q)
{
    double value = p->is_log ? exp(q) : q;
    return fmin(fmax(value, p->min), p->max);
}

static int evaluate(const search *s, const double *q, double *r)
{
    double p[FIRN_FIT_MAX];
    for (int k = 0; k < s->n; k++) p[k] = to_parameter(&s->parameters[k], q[k]);
    if (s->residuals(s->user, p, r)) return 0;
    for (int i = 0; i < s->n_data; i++)
        if (!isfinite(r[i])) return 0;
    return 1;
}

static double squares(const double *r, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += r[i] * r[i];
    return sum;
}

/* J at q; a parameter at the edge of its range is differenced inwards. 0: the residuals failed
 * on both sides. */
static int differentiate(const search *s, const double *q)
{
    for (int k = 0; k < s->n; k++) {
        const firn_fit_parameter *p = &s->parameters[k];
        double h = p->is_log ? 1e-5 : 1e-5 * fmax(fabs(q[k]), 1e-3 * fmin(p->max - p->min, 1e3)),
               at[FIRN_FIT_MAX];
        memcpy(at, q, sizeof at);
        double low = to_parameter(p, q[k] - h), high = to_parameter(p, q[k] + h);
        double q_low = p->is_log ? log(low) : low, q_high = p->is_log ? log(high) : high;
        at[k] = q_high;
        if (!evaluate(s, at, s->up)) {
            at[k] = q_high = q[k];
            if (!evaluate(s, at, s->up)) return 0;
        }
        at[k] = q_low;
        if (!evaluate(s, at, s->down)) {
            at[k] = q_low = q[k];
            if (!evaluate(s, at, s->down)) return 0;
        }
        if (!(q_high > q_low)) return 0;
        for (int i = 0; i < s->n_data; i++)
            s->jacobian[i * s->n + k] = (s->up[i] - s->down[i]) / (q_high - q_low);
    }
    return 1;
}

static void column_lengths(const search *s, double length[FIRN_FIT_MAX])
{
    for (int k = 0; k < s->n; k++) {
        double sum = 0;
        for (int i = 0; i < s->n_data; i++)
            sum += s->jacobian[i * s->n + k] * s->jacobian[i * s->n + k];
        length[k] = sqrt(sum);
    }
}

static int damped_step(const search *s, double damping, double step[FIRN_FIT_MAX])
{
    int n = s->n, rows = s->n_data + n;
    double length[FIRN_FIT_MAX];
    column_lengths(s, length);
    memset(s->system, 0, (size_t)(rows * n) * sizeof(double));
    memcpy(s->system, s->jacobian, (size_t)(s->n_data * n) * sizeof(double));
    for (int k = 0; k < n; k++)
        s->system[(s->n_data + k) * n + k] = sqrt(damping) * fmax(length[k], 1e-300);
    for (int i = 0; i < rows; i++) s->right[i] = i < s->n_data ? -s->r[i] : 0;
    if (LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', rows, n, 1, s->system, n, s->right, 1) != 0) return 0;
    memcpy(step, s->right, (size_t)n * sizeof(double));
    for (int k = 0; k < n; k++)
        if (!isfinite(step[k])) return 0;
    return 1;
}

/* Downhill from q until nothing moves; returns whether a minimum was reached. */
static int descend(search *s, double q[FIRN_FIT_MAX], double *cost, int *n_iterations)
{
    double damping = 1e-3;
    for (*n_iterations = 0; *n_iterations < MAX_ITERATIONS; ++*n_iterations) {
        if (!differentiate(s, q)) return 0;
        double before = *cost, moved = 0;
        int is_better = 0;
        for (int tries = 0; tries < 40 && !is_better; tries++) {
            double step[FIRN_FIT_MAX], trial[FIRN_FIT_MAX] = {0};
            if (!damped_step(s, damping, step)) return 0;
            moved = 0;
            for (int k = 0; k < s->n; k++) {
                const firn_fit_parameter *p = &s->parameters[k];
                /* a logarithm moves at most by e^2 at once, and everything stays in its range */
                double value =
                    to_parameter(p, q[k] + (p->is_log ? fmax(-2, fmin(2, step[k])) : step[k]));
                trial[k] = p->is_log ? log(value) : value;
                moved = fmax(moved, fabs(trial[k] - q[k]) / (fabs(q[k]) + 1e-3));
            }
            is_better = evaluate(s, trial, s->up) && squares(s->up, s->n_data) < *cost;
            if (is_better) {
                *cost = squares(s->up, s->n_data);
                memcpy(s->r, s->up, (size_t)s->n_data * sizeof(double));
                memcpy(q, trial, sizeof trial);
                damping = fmax(damping / 10, 1e-14);
            } else {
                damping *= 10;
                if (moved < 1e-13) return 1; /* no step can help any more */
            }
        }
        if (!is_better || before - *cost <= 1e-13 * before || moved < 1e-12) return 1;
    }
    return 0;
}

/* ---------------------------------------------------------------- what the minimum says */

/* Covariance of q from the singular values of J with columns of length one. */
static firn_status estimate(search *s, const double *q, double cost, firn_fit_parameter *parameters,
                            firn_fit_result *result, firn_messages *messages)
{
    int n = s->n, freedom = s->n_data - n;
    double length[FIRN_FIT_MAX], singular[FIRN_FIT_MAX], V[FIRN_FIT_MAX * FIRN_FIT_MAX],
        superb[FIRN_FIT_MAX];
    double dummy[1];
    if (!differentiate(s, q))
        return firn_messages_add(messages, FIRN_STOPPED,
                                 "fit: the curve cannot be computed near the minimum");
    column_lengths(s, length);
    for (int i = 0; i < s->n_data; i++)
        for (int k = 0; k < n; k++)
            s->system[i * n + k] = length[k] > 0 ? s->jacobian[i * n + k] / length[k] : 0;
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'A', s->n_data, n, s->system, n, singular, dummy, 1,
                       V, n, superb) != 0)
        return firn_messages_add(messages, FIRN_STOPPED, "fit: LAPACK found no singular values");
    result->rank = 0;
    for (int k = 0; k < n; k++) result->rank += singular[k] > 1e-7 * singular[0] && singular[0] > 0;
    double variance = freedom > 0 ? cost / freedom : NAN, t = firn_fit_student(freedom),
           C[FIRN_FIT_MAX][FIRN_FIT_MAX];
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            C[a][b] = 0;
            for (int k = 0; k < n; k++)
                C[a][b] += V[k * n + a] * V[k * n + b] / (singular[k] * singular[k]);
            C[a][b] *= variance / (length[a] * length[b]);
        }
    for (int a = 0; a < n; a++) {
        firn_fit_parameter *p = &parameters[a];
        double error = sqrt(C[a][a]);
        p->value = to_parameter(p, q[a]);
        p->error = p->is_log ? p->value * error : error;
        p->low = p->is_log ? p->value * exp(-t * error) : p->value - t * error;
        p->high = p->is_log ? p->value * exp(t * error) : p->value + t * error;
        for (int b = 0; b < n; b++) result->correlation[a][b] = C[a][b] / sqrt(C[a][a] * C[b][b]);
    }
    result->deviation = sqrt(variance);
    return FIRN_OK;
}

static firn_status solve(search *s, firn_fit_parameter *parameters, firn_fit_result *result,
                         firn_messages *messages)
{
    double q[FIRN_FIT_MAX] = {0};
    for (int k = 0; k < s->n; k++)
        q[k] = parameters[k].is_log ? log(parameters[k].start) : parameters[k].start;
    if (!evaluate(s, q, s->r))
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "fit: the curve cannot be computed with the start values; try: other start values");
    double cost = squares(s->r, s->n_data);
    if (!descend(s, q, &cost, &result->n_iterations))
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "fit: no minimum in %d steps; try: other start values, fewer free parameters",
            result->n_iterations);
    result->n_data = s->n_data;
    result->sum_of_squares = cost;
    return estimate(s, q, cost, parameters, result, messages);
}

firn_status firn_fit_minimise(firn_fit_residuals residuals, void *user, int n_data, int n,
                              firn_fit_parameter *parameters, firn_fit_result *result,
                              firn_messages *messages)
{
    *result = (firn_fit_result){0};
    if (n < 1 || n > FIRN_FIT_MAX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "fit: %d free parameters; allowed: 1 to %d", n, FIRN_FIT_MAX);
    if (n_data <= n)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "fit: %d data for %d parameters; errors need more data than parameters", n_data, n);
    for (int k = 0; k < n; k++)
        if (!(parameters[k].start >= parameters[k].min && parameters[k].start <= parameters[k].max))
            return firn_messages_add(
                messages, FIRN_REFUSED, "fit: start value of %s is %g; allowed: %g to %g",
                parameters[k].name, parameters[k].start, parameters[k].min, parameters[k].max);
    search s = {
        .residuals = residuals, .user = user, .n_data = n_data, .n = n, .parameters = parameters};
    size_t rows = (size_t)(n_data + n), columns = (size_t)n;
    size_t n_numbers = (size_t)n_data * columns + rows * columns + rows + 3 * (size_t)n_data;
    double *work = firn_memory_array(NULL, n_numbers, sizeof *work);
    if (!work) return firn_messages_no_memory(messages, "fit to %d data", n_data);
    s.jacobian = work;
    s.system = s.jacobian + (size_t)n_data * columns;
    s.right = s.system + rows * columns;
    s.r = s.right + rows;
    s.up = s.r + n_data;
    s.down = s.up + n_data;
    firn_status status = solve(&s, parameters, result, messages);
    firn_memory_release(NULL, work, n_numbers * sizeof *work);
    return status;
}
