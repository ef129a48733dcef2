/* SPDX-License-Identifier: MIT */
/* study_ensemble.c: repeated runs. Particles are sampled at another place of the grid or with other
 * random numbers, so that what the discretisation decides by chance becomes a spread.
 *
 * Two groups with means a, b, variances of the sample A, B and n, m repeats differ with 95 %
 * confidence where (B. L. Welch, Biometrika 34, 1947)
 *
 *     |a - b| > t(nu) s,   s^2 = A/n + B/m,   nu = s^4 / (A^2/(n^2 (n-1)) + B^2/(m^2 (m-1)))
 *
 * with t the two-sided quantile of Student's distribution. */
#include "study/study.h"

#include <math.h>

int firn_compare_n_groups(const firn_compare *c) { return c->n_runs / c->study->n_repeats; }

const firn_compare_run *firn_compare_group(const firn_compare *c, int group)
{
    return &c->runs[group * c->study->n_repeats];
}

firn_compare_spread firn_compare_spread_of(int n, const double *values)
{
    firn_compare_spread s = {.mean = NAN, .deviation = NAN};
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(values[i])) {
            sum += values[i];
            s.n++;
        }
    if (s.n) s.mean = sum / s.n;
    for (int i = 0; i < n; i++)
        if (isfinite(values[i])) squares += (values[i] - s.mean) * (values[i] - s.mean);
    if (s.n > 1) s.deviation = sqrt(squares / (s.n - 1));
    return s;
}

firn_compare_spread firn_compare_group_metric(const firn_compare *c, int group, int metric)
{
    double values[FIRN_COMPARE_REPEATS_MAX];
    const firn_compare_run *run = firn_compare_group(c, group);
    for (int i = 0; i < c->study->n_repeats; i++)
        values[i] = run[i].series.table ? run[i].metrics[metric] : NAN;
    return firn_compare_spread_of(c->study->n_repeats, values);
}

/* Two-sided 95 % quantile of Student's t, by the expansion of Cornish and Fisher about the normal
 * one (M. Abramowitz, I. A. Stegun, 1964, 26.7.5); exact forms for one and two degrees. */
static double student(double nu)
{
    const double x = 1.959963984540054, x2 = x * x;
    if (nu < 1.5) return 12.706204736;
    if (nu < 2.5) return 4.302652730;
    const double g1 = x * (x2 + 1) / 4, g2 = x * ((5 * x2 + 16) * x2 + 3) / 96,
                 g3 = x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / 384,
                 g4 = x * ((((79 * x2 + 776) * x2 + 1482) * x2 - 1920) * x2 - 945) / 92160;
    return x + (g1 + (g2 + (g3 + g4 / nu) / nu) / nu) / nu;
}

int firn_compare_order_of(const firn_compare_spread *a, const firn_compare_spread *b)
{
    if (a->n < 2 || b->n < 2) return 0;
    const double va = a->deviation * a->deviation / a->n, vb = b->deviation * b->deviation / b->n;
    const double difference = a->mean - b->mean, variance = va + vb;
    if (variance == 0) return (difference > 0) - (difference < 0);
    const double nu = variance * variance / (va * va / (a->n - 1) + vb * vb / (b->n - 1));
    if (!(fabs(difference) > student(nu) * sqrt(variance))) return 0;
    return difference > 0 ? 1 : -1;
}
