/* SPDX-License-Identifier: MIT */
/* mms.c: manufactured solutions - a body force is chosen so that a given motion is the solution;
 * errors must shrink with the square of dx. Both are plane: one layer of particles between
 * mirror walls.
 *
 * Axis-aligned: every axis moves by U = A sin(pi X) sin(c pi t + phase) in the unit box between
 * mirror walls;
 *     b = pi^2 U [mu/rho - c^2 - (lambda (ln J - 1) - mu)/(rho F^2)],
 *         F = 1 + dU/dX, c = sqrt(E/rho)
 * for the logarithmic neo-Hookean law. Phases are 0 and pi, for which nothing is displaced at t
 * = 0.
 *
 * What quadrature leaves. A lattice of k particles a cell, stretched by 1 + d, sums the
 * gradients of a spline of degree p to about d^(p + 1) / h instead of zero, over waves of h / (k
 * d): a strain error of d^p that no finer grid removes, a displacement error of d^(p - 1) h / k.
 * With A = .05 (d up to .16) the quadratic spline shows it, first order behind an error that
 * began as second order; more particles a cell, or A = .01, make it vanish as they should, and
 * with the cubic spline it is out of sight. Rows below hold all four.
 *
 * Generalized vortex: a ring 0.75 <= R <= 1.25 turns by alpha(R, t) = sin(pi t) (1 - 32 (R-1)^2
 * + 256 (R-1)^4); J = 1.
 *     b_r = mu/rho (R alpha')^2 - R alpha_t^2,   b_theta = R alpha_tt - mu/rho (3 alpha' + R
 *                                                alpha'')
 * in the directions r, theta at the present angle. The shear R alpha' reaches 7: with six
 * particles across a cell neighbours come a cell apart and the ring stays one body; with three
 * they come two cells apart and it is torn.
 *
 * Time: the symplectic step holds velocities half a step before positions, so the exact v(-dt/2)
 * is its initial state; with v(0) the error would be of first order in dt. Sources: M. Steffen,
 * P. C. Wallstedt, J. E. Guilkey, R. M. Kirby, M. Berzins, CMES 32 (2008); K. Kamojjala, R.
 * Brannon, A. Sadeghirad, J. Guilkey, Eng. with Computers 31 (2015); formulas checked here
 * against finite differences of the stress. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---------------------------------------------------------------- axis-aligned */

typedef struct aligned {
    double A, E, nu, rho, lambda, mu, c;
    int n_axes;
    const double *X; /* reference places, by id */
} aligned;

static double phase(int axis) { return axis == 1 ? pi : 0; }

static double displacement(const aligned *m, int axis, double X, double t)
{
    return axis < m->n_axes ? m->A * sin(pi * X) * sin(m->c * pi * t + phase(axis)) : 0;
}
static double stretch(const aligned *m, int axis, double X, double t)
{
    return axis < m->n_axes ? 1 + m->A * pi * cos(pi * X) * sin(m->c * pi * t + phase(axis)) : 1;
}

static void aligned_force(void *user, int64_t particle, const double x[3], double t, double b[3])
{
    const aligned *m = user;
    const double *X = m->X + 3 * particle;
    (void)x;
    double log_j = 0;
    for (int a = 0; a < 3; a++) log_j += log(stretch(m, a, X[a], t));
    for (int a = 0; a < 3; a++) {
        double F = stretch(m, a, X[a], t);
        b[a] =
            pi * pi * displacement(m, a, X[a], t) *
            (m->mu / m->rho - m->c * m->c - (m->lambda * (log_j - 1) - m->mu) / (m->rho * F * F));
    }
}

/* v and C of the exact motion half a step before the start. */
static void aligned_start(firn_sim *sim, const aligned *m, double t)
{
    int64_t n = firn_sim_n_particles(sim);
    double *v = calloc((size_t)n * 3, sizeof *v), *C = calloc((size_t)n * 9, sizeof *C);
    if (!v || !C) exit(1);
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < m->n_axes; a++) {
            double X = m->X[3 * i + a], rate = m->A * m->c * pi * cos(m->c * pi * t + phase(a));
            v[3 * i + a] = rate * sin(pi * X);
            C[9 * i + 4 * a] = rate * pi * cos(pi * X);
        }
    verify_assign(sim, "v", v);
    verify_assign(sim, "C", C);
    free(v);
    free(C);
}

typedef struct aligned_case {
    const char *name;
    int n_axes, scheme, spline, force;
    double A, across;
} aligned_case;

static double aligned_error(const aligned_case *c, int N)
{
    verify_scene s;
    const int n_axes = c->n_axes;
    aligned m = {.A = c->A, .E = 1e4, .nu = 0.3, .rho = 1, .n_axes = n_axes};
    m.lambda = m.E * m.nu / ((1 + m.nu) * (1 - 2 * m.nu));
    m.mu = m.E / (2 * (1 + m.nu));
    m.c = sqrt(m.E / m.rho);
    const double h = 1.0 / N, low[3] = {0, 0, 0}, high[3] = {1, 1, n_axes == 3 ? 1 : h};
    verify_scene_init(&s, h, "neo_hookean", m.E, m.nu, m.rho);
    verify_mirrors(&s, 63, low, high);
    n_axes == 3 ? verify_box(&s, low, high, c->across) : verify_slice(&s, low, high, c->across);
    s.scene.transfer.scheme = c->scheme;
    s.scene.transfer.flip_blend = 1;
    s.scene.transfer.force = c->force;
    s.scene.grid.spline = c->spline;
    const double period = 2 / m.c;
    int steps =
        10 * N; /* a quarter of a cell a step for the fastest wave; a multiple of the 16 looks */
    s.scene.time.dt_fixed = period / steps;
    firn_sim *sim = verify_start(&s);
    double *X = verify_copy(sim, "P"), worst = 0;
    int64_t n = firn_sim_n_particles(sim);
    m.X = X;
    aligned_start(sim, &m, -0.5 * period / steps);
    firn_sim_set_acceleration(sim, aligned_force, &m);
    for (int k = 1; k <= 16; k++) {
        double t = period * k / 16;
        verify_go(sim, t);
        double *x = verify_copy(sim, "P");
        for (int64_t i = 0; i < n; i++) {
            double e = 0;
            for (int a = 0; a < 3; a++) {
                double d = x[3 * i + a] - X[3 * i + a] - displacement(&m, a, X[3 * i + a], t);
                e += d * d;
            }
            worst = fmax(worst, sqrt(e));
        }
        free(x);
    }
    if (firn_sim_step_count(sim) != steps)
        fprintf(stderr, "took %ld steps\n", (long)firn_sim_step_count(sim));
    firn_sim_destroy(sim);
    free(X);
    return worst;
}

static verify_series aligned_order(verify_table *table, const aligned_case *c, int last)
{
    char text[128];
    verify_series errors = {.label = c->name};
    for (int N = 8; N <= last; N *= 2) verify_add(&errors, N, aligned_error(c, N));
    snprintf(text, sizeof text, "manufactured %s: order 8 to %d", c->name, last);
    if (c->spline == FIRN_QUADRATIC && c->A > 0.02 && c->across < 6)
        verify_known_below(table, text, verify_order(&errors), 1.9,
                           "quadrature; see the rows with A = .01 and 6 across");
    else
        verify_at_least(table, text, verify_order(&errors), 1.9);
    if (last == 64 && c->scheme == FIRN_APIC && c->spline == FIRN_CUBIC) {
        snprintf(text, sizeof text, "manufactured %s: max error N = 64", c->name);
        verify_at_most(table, text, errors.error[errors.n - 1], 1.5e-4);
    }
    return errors;
}

static void aligned_orders(verify_table *table)
{
    const aligned_case cases[] = {
        {"2D APIC cubic", 2, FIRN_APIC, FIRN_CUBIC, FIRN_FORCE_GRADIENT, 0.05, 2},
        {"2D FLIP cubic", 2, FIRN_FLIP, FIRN_CUBIC, FIRN_FORCE_GRADIENT, 0.05, 2},
        {"2D APIC quadratic A = .01", 2, FIRN_APIC, FIRN_QUADRATIC, FIRN_FORCE_GRADIENT, 0.01, 2},
        {"2D APIC quadratic", 2, FIRN_APIC, FIRN_QUADRATIC, FIRN_FORCE_GRADIENT, 0.05, 2},
        {"2D APIC quadratic 6 across", 2, FIRN_APIC, FIRN_QUADRATIC, FIRN_FORCE_GRADIENT, 0.05, 6},
        {"2D APIC cubic mls", 2, FIRN_APIC, FIRN_CUBIC, FIRN_FORCE_MLS, 0.05, 2},
        {"3D APIC cubic", 3, FIRN_APIC, FIRN_CUBIC, FIRN_FORCE_GRADIENT, 0.05, 2},
    };
    verify_series errors[7];
    const int last = table->is_full    ? 64
                     : table->is_quick ? 16
                                       : 32,
              n = table->is_full    ? 7
                  : table->is_quick ? 1
                                    : 3;
    for (int k = 0; k < n; k++)
        errors[k] = aligned_order(table, &cases[k],
                                  cases[k].n_axes == 3 || cases[k].across > 2 ? last / 2 : last);
    verify_convergence(table, "manufactured",
                       "Axis-aligned manufactured solution: largest error (m)", 2, n, errors);
}

/* ---------------------------------------------------------------- generalized vortex */

typedef struct vortex {
    double mu, rho;
    const double *X;
} vortex;

/* alpha and its derivatives by R at time t, for the time factor g(t) */
static double angle(double R, double g)
{
    return g * (1 - 32 * pow(R - 1, 2) + 256 * pow(R - 1, 4));
}
static double angle_R(double R, double g) { return g * (-64 * (R - 1) + 1024 * pow(R - 1, 3)); }
static double angle_RR(double R, double g) { return g * (-64 + 3072 * pow(R - 1, 2)); }

static void vortex_body_force(double mu, double rho, const double X[2], double t, double b[2])
{
    double R = hypot(X[0], X[1]), s = sin(pi * t), w = angle(R, pi * cos(pi * t)),
           a1 = angle_R(R, s);
    double theta = atan2(X[1], X[0]) + angle(R, s);
    double br = mu / rho * R * R * a1 * a1 / R - R * w * w;
    double bt = -pi * pi * R * angle(R, s) - mu / rho * (3 * a1 + R * angle_RR(R, s));
    b[0] = br * cos(theta) - bt * sin(theta);
    b[1] = br * sin(theta) + bt * cos(theta);
}

static void vortex_force(void *user, int64_t particle, const double x[3], double t, double b[3])
{
    const vortex *m = user;
    (void)x;
    vortex_body_force(m->mu, m->rho, m->X + 3 * particle, t, b);
    b[2] = 0;
}

static void vortex_start(firn_sim *sim, const double *X, double t)
{
    int64_t n = firn_sim_n_particles(sim);
    double *v = calloc((size_t)n * 3, sizeof *v), *C = calloc((size_t)n * 9, sizeof *C);
    if (!v || !C) exit(1);
    for (int64_t i = 0; i < n; i++) {
        double x = X[3 * i], y = X[3 * i + 1], R = hypot(x, y), g = pi * cos(pi * t),
               w = angle(R, g), slope = angle_R(R, g) / R;
        v[3 * i] = -w * y;
        v[3 * i + 1] = w * x;
        C[9 * i] = -slope * x * y;
        C[9 * i + 1] = -w - slope * y * y;
        C[9 * i + 3] = w + slope * x * x;
        C[9 * i + 4] = slope * x * y;
    }
    verify_assign(sim, "v", v);
    verify_assign(sim, "C", C);
    free(v);
    free(C);
}

typedef struct vortex_run {
    firn_sim *sim;
    double *X;
    vortex exact;
} vortex_run;

static void vortex_make(vortex_run *r, int N, int scheme, int steps)
{
    verify_scene s;
    const double nu = 0.3, E = 1000, rho = 1000, h = 1.0 / N, across = 6;
    verify_scene_init(&s, h, "neo_hookean", E, nu, rho);
    verify_slice(&s, (double[2]){-1.25, -1.25}, (double[2]){1.25, 1.25}, across);
    firn_shape_def *shapes = s.body_shapes[0];
    for (int i = 0; i < 2; i++) {
        shapes[i] = firn_shape_default();
        snprintf(shapes[i].kind, sizeof shapes[i].kind, "cylinder");
        shapes[i].center[2] = h / 2;
        shapes[i].normal[1] = 0;
        shapes[i].normal[2] = 1;
        shapes[i].radius = i ? 0.75 : 1.25;
        shapes[i].height = i ? h : h / across;
    }
    shapes[1].csg = FIRN_DIFFERENCE;
    s.bodies[0].n_shapes = 2;
    s.scene.transfer.scheme = scheme;
    s.scene.transfer.flip_blend = 1;
    s.scene.time.dt_fixed = 0.5 / steps;
    r->sim = verify_start(&s);
    r->X = verify_copy(r->sim, "P");
    r->exact = (vortex){.mu = E / (2 * (1 + nu)), .rho = rho, .X = r->X};
    vortex_start(r->sim, r->X, -0.25 / steps);
}

/* Root mean square error of places, and the largest. */
static double vortex_error(const vortex_run *r, double *worst)
{
    int64_t n = firn_sim_n_particles(r->sim);
    double *x = verify_copy(r->sim, "P"), sum = 0, g = sin(pi * firn_sim_time(r->sim));
    *worst = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *X = r->X + 3 * i, a = angle(hypot(X[0], X[1]), g);
        double e = hypot(x[3 * i] - (X[0] * cos(a) - X[1] * sin(a)),
                         x[3 * i + 1] - (X[0] * sin(a) + X[1] * cos(a)));
        sum += e * e;
        *worst = fmax(*worst, e);
        if (!isfinite(e)) *worst = INFINITY;
    }
    free(x);
    return sqrt(sum / (double)n);
}

/* The error at t = .5; the largest error at t = 2 into `late` where that is wanted. */
static double vortex_case(int N, int scheme, double *late)
{
    vortex_run r;
    double worst, error;
    const int steps = 10 * N;
    vortex_make(&r, N, scheme, steps);
    firn_sim_set_acceleration(r.sim, vortex_force, &r.exact);
    verify_go(r.sim, 0.5);
    if (firn_sim_step_count(r.sim) > 1.05 * steps) {
        fprintf(stderr, "took %ld steps instead of %d\n", (long)firn_sim_step_count(r.sim), steps);
        exit(1);
    }
    error = vortex_error(&r, &worst);
    if (late) {
        verify_go(r.sim, 2);
        vortex_error(&r, late);
    }
    firn_sim_destroy(r.sim);
    free(r.X);
    return error;
}

/* The body force against finite differences of the stress, made elsewhere (mu = 384.615, rho =
 * 1000). */
static void vortex_formula(verify_table *table)
{
    const double points[4][3] = {
        {0.9, 0.1, 0.3}, {0.5, 0.8, 0.5}, {-1.0, 0.2, 0.7}, {0.0, 1.1, 1.3}};
    const double wanted[4][2] = {{3.289698999274447, 3.0081981222872445},
                                 {-8.318068190722201, 1.5920002993522335},
                                 {9.851019410323985, -9.080301805168565},
                                 {11.90809876051889, -0.35519565957864097}};
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        double b[2];
        vortex_body_force(384.615, 1000, points[i], points[i][2], b);
        for (int a = 0; a < 2; a++) worst = fmax(worst, fabs(b[a] - wanted[i][a]));
    }
    verify_at_most(table, "vortex: body force against differences (m/s^2)", worst, 1e-6);
}

static void vortex_orders(verify_table *table)
{
    verify_series errors[2] = {{.label = "APIC"}, {.label = "FLIP"}};
    char name[96];
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++) {
        verify_series *e = &errors[scheme];
        double late;
        verify_add(e, 16, vortex_case(16, scheme, &late));
        verify_add(e, 32, vortex_case(32, scheme, NULL));
        if (table->is_full) verify_add(e, 48, vortex_case(48, scheme, NULL));
        snprintf(name, sizeof name, "vortex %s: order 16 to %d at t = .5", e->label,
                 table->is_full ? 48 : 32);
        verify_at_least(table, name, verify_order(e), 1.5);
        snprintf(name, sizeof name, "vortex %s: max error N = 16 at t = 2 (m)", e->label);
        verify_at_most(table, name, late, 0.5);
    }
    verify_convergence(table, "vortex",
                       "Generalized vortex at t = 0.5 s: root mean square error (m)", 2, 2, errors);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    aligned_orders(&table);
    vortex_formula(&table);
    if (table.is_quick)
        verify_at_most(&table, "vortex APIC: rms error N = 12 at t = .5 (m)",
                       vortex_case(12, FIRN_APIC, NULL), 0.1);
    else
        vortex_orders(&table);
    return verify_end(&table);
}
