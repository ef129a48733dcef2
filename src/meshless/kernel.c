/* SPDX-License-Identifier: MIT */
/* kernel.c: the table of smoothing kernels. With q = r / support, 0 <= q < 1:
 *
 *   spiky     15/(pi H^3) (1 - q)^3                              M. Desbrun, M.-P. Gascuel 1996
 *   poly6     315/(64 pi H^3) (1 - q^2)^3                        M. Mueller and others 2003
 *   cosine    c (1 - sin(pi q/2)), c = 1/(4 H^3 (pi/3 - 8/pi + 16/pi^2))
 *   cubic     h = H/2, 1/(pi h^3) (1 - 3/2 u^2 + 3/4 u^3), then (2 - u)^3/4; u = r/h
 *   quintic   h = H/3, 1/(120 pi h^3) ((3-u)^5 - 6 (2-u)^5 + 15 (1-u)^5), terms while positive
 *
 * Constants: 4 pi int W r^2 dr = 1, tested. For the quintic the integral of its bracket is 120 pi
 * exactly; 3/(359 pi), the value of many texts, is .279 % too large.
 *
 * At r = 0 the slope -W'/r of spiky and cosine is unbounded; no pair of particles at one place has a
 * direction, so it is 0 there. */
#include "meshless/kernel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double cube(double x) { return x * x * x; }
static double fifth(double x) { return x > 0 ? x * x * x * x * x : 0; }
static double fourth(double x) { return x > 0 ? x * x * x * x : 0; }

static double spiky(double r, double support)
{
    const double q = r / support;
    return q < 1 ? 15 / (pi * cube(support)) * cube(1 - q) : 0;
}
static double spiky_slope(double r, double support)
{
    const double q = r / support;
    return q < 1 && r > 0 ? 45 / (pi * cube(support)) * (1 - q) * (1 - q) / (support * r) : 0;
}

static double poly6(double r, double support)
{
    const double q2 = r * r / (support * support);
    return q2 < 1 ? 315 / (64 * pi * cube(support)) * cube(1 - q2) : 0;
}
static double poly6_slope(double r, double support)
{
    const double q2 = r * r / (support * support);
    return q2 < 1 ? 315 * 6 / (64 * pi * cube(support)) * (1 - q2) * (1 - q2) / (support * support)
                  : 0;
}

static double cosine_scale(double support)
{
    return 1 / (4 * cube(support) * (pi / 3 - 8 / pi + 16 / (pi * pi)));
}
static double cosine(double r, double support)
{
    return r < support ? cosine_scale(support) * (1 - sin(pi * r / (2 * support))) : 0;
}
static double cosine_slope(double r, double support)
{
    return r < support && r > 0
               ? cosine_scale(support) * pi / (2 * support) * cos(pi * r / (2 * support)) / r
               : 0;
}

static double cubic(double r, double support)
{
    const double h = support / 2, u = r / h, scale = 1 / (pi * cube(h));
    if (u >= 2) return 0;
    return scale * (u < 1 ? 1 - 1.5 * u * u + 0.75 * cube(u) : 0.25 * cube(2 - u));
}
static double cubic_slope(double r, double support)
{
    const double h = support / 2, u = r / h, scale = 1 / (pi * cube(h) * h * h);
    if (u >= 2) return 0;
    return scale * (u < 1 ? 3 - 2.25 * u : 0.75 * (2 - u) * (2 - u) / u);
}

static double quintic(double r, double support)
{
    const double h = support / 3, u = r / h;
    return (fifth(3 - u) - 6 * fifth(2 - u) + 15 * fifth(1 - u)) / (120 * pi * cube(h));
}
static double quintic_slope(double r, double support)
{
    const double h = support / 3, u = r / h;
    if (!(r > 0)) return 0;
    return 5 * (fourth(3 - u) - 6 * fourth(2 - u) + 15 * fourth(1 - u)) /
           (120 * pi * cube(h) * h * r);
}

static const firn_kernel kernels[] = {
    {"spiky", "15/(pi H^3) (1 - r/H)^3", spiky, spiky_slope},
    {"quintic", "Morris quintic spline, h = H/3", quintic, quintic_slope},
    {"poly6", "315/(64 pi H^3) (1 - (r/H)^2)^3", poly6, poly6_slope},
    {"cosine", "c (1 - sin(pi r/(2 H)))", cosine, cosine_slope},
    {"cubic", "cubic spline, h = H/2", cubic, cubic_slope},
};
enum { N_KERNELS = sizeof kernels / sizeof *kernels };

const firn_kernel *firn_kernel_at(int i) { return i >= 0 && i < N_KERNELS ? &kernels[i] : NULL; }

const firn_kernel *firn_kernel_find(const char *name)
{
    for (int i = 0; i < N_KERNELS; i++)
        if (strcmp(kernels[i].name, name) == 0) return &kernels[i];
    return NULL;
}
