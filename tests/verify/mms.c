/* mms.c: manufactured solutions - a body force is chosen so that a given motion is the solution; errors must shrink
 * with the square of dx.
 *
 * Axis-aligned: every axis moves by U = A sin(pi X) sin(c pi t + phase) in the unit box between mirror walls;
 *     b = pi^2 U [mu/rho - c^2 - (lambda (ln J - 1) - mu)/(rho F^2)],   F = 1 + dU/dX, c = sqrt(E/rho)
 * for the logarithmic neo-Hookean law. Phases are 0 and pi, for which nothing is displaced at t = 0.
 *
 * Generalized vortex: a ring 0.75 <= R <= 1.25 turns by alpha(R, t) = sin(pi t) (1 - 32 (R-1)^2 + 256 (R-1)^4); J = 1.
 *     b_r = mu/rho (R alpha')^2 - R alpha_t^2,   b_theta = R alpha_tt - mu/rho (3 alpha' + R alpha'')
 * in the directions r, theta at the present angle.
 *
 * Time: the symplectic step holds velocities half a step before positions, so the exact v(-dt/2) is its initial state;
 * with v(0) the error would be of first order in dt. Sources: M. Steffen, P. C. Wallstedt, J. E. Guilkey, R. M. Kirby,
 * M. Berzins, CMES 32 (2008); K. Kamojjala, R. Brannon, A. Sadeghirad, J. Guilkey, Eng. with Computers 31 (2015);
 * formulas checked here against finite differences of the stress. */
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
        b[a] = pi * pi * displacement(m, a, X[a], t) *
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
    verify_assign(sim, "v", v), verify_assign(sim, "C", C);
    free(v), free(C);
}

static double aligned_error(int N, int n_axes, int scheme, int spline, int force)
{
    verify_scene s;
    aligned m = {.A = 0.05, .E = 1e4, .nu = 0.3, .rho = 1, .n_axes = n_axes};
    m.lambda = m.E * m.nu / ((1 + m.nu) * (1 - 2 * m.nu)), m.mu = m.E / (2 * (1 + m.nu)), m.c = sqrt(m.E / m.rho);
    double h = 1.0 / N, low[3] = {0, 0, 0}, high[3] = {1, 1, n_axes == 3 ? 1 : h};
    verify_scene_init(&s, h, "neo_hookean", m.E, m.nu, m.rho);
    verify_box(&s, low, high, 2);
    verify_mirrors(&s, 63, low, high);
    s.scene.transfer.scheme = scheme, s.scene.transfer.flip_blend = 1, s.scene.transfer.force = force;
    s.scene.grid.spline = spline;
    const double period = 2 / m.c;
    int steps = 10 * N; /* a quarter of a cell a step for the fastest wave; a multiple of the 16 looks */
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
    if (firn_sim_step_count(sim) != steps) fprintf(stderr, "took %ld steps\n", (long)firn_sim_step_count(sim));
    firn_sim_destroy(sim);
    free(X);
    return worst;
}

static void aligned_order(verify_table *table, const char *name, int first, int last, int n_axes, int scheme,
                          int spline, int force)
{
    char text[128];
    snprintf(text, sizeof text, "mms_%s", name);
    FILE *curve = verify_curve(table, text);
    if (curve) fprintf(curve, "N,max_error\n");
    double error = 0, before = 0, least = 9;
    for (int N = first; N <= last; N *= 2) {
        error = aligned_error(N, n_axes, scheme, spline, force);
        if (before > 0) least = fmin(least, log2(before / error));
        before = error;
        if (curve) fprintf(curve, "%d,%.9g\n", N, error);
    }
    if (curve) fclose(curve);
    snprintf(text, sizeof text, "manufactured %s: order %d to %d", name, first, last);
    verify_at_least(table, text, least, 1.9);
    if (last == 64 && scheme == FIRN_APIC) {
        snprintf(text, sizeof text, "manufactured %s: max error N = 64", name);
        verify_at_most(table, text, error, 1.5e-4);
    }
}

/* ---------------------------------------------------------------- generalized vortex */

typedef struct vortex {
    double mu, rho;
    const double *X;
} vortex;

/* alpha and its derivatives by R at time t, for the time factor g(t) */
static double angle(double R, double g) { return g * (1 - 32 * pow(R - 1, 2) + 256 * pow(R - 1, 4)); }
static double angle_R(double R, double g) { return g * (-64 * (R - 1) + 1024 * pow(R - 1, 3)); }
static double angle_RR(double R, double g) { return g * (-64 + 3072 * pow(R - 1, 2)); }

static void vortex_body_force(double mu, double rho, const double X[2], double t, double b[2])
{
    double R = hypot(X[0], X[1]), s = sin(pi * t), w = angle(R, pi * cos(pi * t)), a1 = angle_R(R, s);
    double theta = atan2(X[1], X[0]) + angle(R, s);
    double br = mu / rho * R * R * a1 * a1 / R - R * w * w;
    double bt = -pi * pi * R * angle(R, s) - mu / rho * (3 * a1 + R * angle_RR(R, s));
    b[0] = br * cos(theta) - bt * sin(theta), b[1] = br * sin(theta) + bt * cos(theta);
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
        double x = X[3 * i], y = X[3 * i + 1], R = hypot(x, y), g = pi * cos(pi * t), w = angle(R, g),
               slope = angle_R(R, g) / R;
        v[3 * i] = -w * y, v[3 * i + 1] = w * x;
        C[9 * i] = -slope * x * y, C[9 * i + 1] = -w - slope * y * y;
        C[9 * i + 3] = w + slope * x * x, C[9 * i + 4] = slope * x * y;
    }
    verify_assign(sim, "v", v), verify_assign(sim, "C", C);
    free(v), free(C);
}

/* Root mean square error of places at t = 0.5; `until` beyond: only that nothing breaks. */
static double vortex_error(int N, int scheme, double until, double *worst)
{
    verify_scene s;
    vortex m = {.rho = 1000};
    const double nu = 0.3, E = 1000, h = 1.0 / N, zero[3] = {0, 0, h / 2};
    m.mu = E / (2 * (1 + nu));
    verify_scene_init(&s, h, "neo_hookean", E, nu, m.rho);
    verify_ball(&s, zero, 1.25, 3);
    firn_shape_def *shapes = s.body_shapes[0];
    for (int i = 0; i < 2; i++) {
        shapes[i] = shapes[0], snprintf(shapes[i].kind, sizeof shapes[i].kind, "cylinder");
        shapes[i].normal[0] = 0, shapes[i].normal[1] = 0, shapes[i].normal[2] = 1;
        shapes[i].radius = i ? 0.75 : 1.25, shapes[i].height = i ? 4 * h : h;
    }
    shapes[1].csg = FIRN_DIFFERENCE, s.bodies[0].n_shapes = 2;
    const double low[3] = {-4, -4, 0}, high[3] = {4, 4, h};
    verify_mirrors(&s, 48, low, high);
    s.scene.transfer.scheme = scheme, s.scene.transfer.flip_blend = 1;
    int steps = 20 * N;
    s.scene.time.dt_fixed = 0.5 / steps;
    firn_sim *sim = verify_start(&s);
    int64_t n = firn_sim_n_particles(sim);
    double *X = verify_copy(sim, "P"), sum = 0;
    m.X = X;
    vortex_start(sim, X, -0.25 / steps);
    firn_sim_set_acceleration(sim, vortex_force, &m);
    verify_go(sim, 0.5);
    if (firn_sim_step_count(sim) != steps) fprintf(stderr, "took %ld steps\n", (long)firn_sim_step_count(sim));
    double *x = verify_copy(sim, "P");
    *worst = 0;
    for (int64_t i = 0; i < n; i++) {
        double R = hypot(X[3 * i], X[3 * i + 1]), a = angle(R, 1), e[2];
        e[0] = x[3 * i] - (X[3 * i] * cos(a) - X[3 * i + 1] * sin(a));
        e[1] = x[3 * i + 1] - (X[3 * i] * sin(a) + X[3 * i + 1] * cos(a));
        sum += e[0] * e[0] + e[1] * e[1], *worst = fmax(*worst, hypot(e[0], e[1]));
    }
    free(x);
    if (until > 0.5) verify_go(sim, until);
    firn_sim_destroy(sim);
    free(X);
    return sqrt(sum / (double)n);
}

/* The body force against finite differences of the stress, made elsewhere (mu = 384.615, rho = 1000). */
static void vortex_formula(verify_table *table)
{
    const double points[4][3] = {{0.9, 0.1, 0.3}, {0.5, 0.8, 0.5}, {-1.0, 0.2, 0.7}, {0.0, 1.1, 1.3}};
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

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    int last = table.is_full ? 64 : table.is_quick ? 16 : 32;
    aligned_order(&table, "2D APIC cubic", 8, last, 2, FIRN_APIC, FIRN_CUBIC, FIRN_FORCE_GRADIENT);
    if (table.is_quick) {
        double worst;
        verify_at_most(&table, "vortex APIC: rms error N = 16", vortex_error(16, FIRN_APIC, 0.5, &worst), 0.15);
        return verify_end(&table);
    }
    aligned_order(&table, "2D FLIP cubic", 8, last, 2, FIRN_FLIP, FIRN_CUBIC, FIRN_FORCE_GRADIENT);
    aligned_order(&table, "3D APIC cubic", 8, last / 2, 3, FIRN_APIC, FIRN_CUBIC, FIRN_FORCE_GRADIENT);
    if (table.is_full) {
        aligned_order(&table, "2D APIC quadratic", 8, last, 2, FIRN_APIC, FIRN_QUADRATIC, FIRN_FORCE_GRADIENT);
        aligned_order(&table, "2D APIC cubic mls", 8, last, 2, FIRN_APIC, FIRN_CUBIC, FIRN_FORCE_MLS);
    }
    vortex_formula(&table);
    for (int scheme = FIRN_APIC; scheme <= (table.is_full ? FIRN_FLIP : FIRN_APIC); scheme++) {
        FILE *curve = verify_curve(&table, scheme ? "vortex_FLIP" : "vortex_APIC");
        double before = 0, order = 0, worst;
        if (curve) fprintf(curve, "N,rms_error,max_error\n");
        for (int N = 16; N <= last; N *= 2) {
            double error = vortex_error(N, scheme, N == 16 && table.is_full ? 2 : 0.5, &worst);
            order = before > 0 ? log2(before / error) : 0, before = error;
            if (curve) fprintf(curve, "%d,%.9g,%.9g\n", N, error, worst);
        }
        if (curve) fclose(curve);
        verify_at_least(&table, scheme ? "vortex FLIP: order" : "vortex APIC: order", order, 1.5);
    }
    return verify_end(&table);
}
