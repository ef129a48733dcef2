/* SPDX-License-Identifier: MIT */
/* bar.c: a bar that is stretched and let go, one-dimensional by mirror walls on its sides and nu
 * = 0, clamped by a mirror wall at x = 0. The seed's 1 cm bar (E = rho = 100, c = 1 m/s, T = 4 L
 * / c = 0.04 s), its 5 m bar under 20 N, and a bar that vibrates in its first mode.
 *
 * Free end of a bar stretched to s0 and released (P: nominal stress of the law):
 *     linear P (fixed corotated)   triangle wave of period T at any amplitude
 *     convex P (StVK)              V = int_1^s0 sqrt(P'(s)/rho) ds                    unloading fan
 *     concave P (neo-Hookean)      V = sqrt(P(s0) (s0 - 1) / rho)
 *         unloading shock
 * The period is twice the time between the two passages through zero (tops are rounded by the
 * grid, zeros are not). StVK at s0 = 2 is beyond s0 = 1.22817: at the wall the reflected wave
 * drives it past 1/sqrt(3), where the law is not elliptic. The model fails, and firn has to say
 * so. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bar {
    verify_scene scene;
    firn_sim *sim;
    double L, T, h, s0,
        X_end; /* X_end: reference place of the last particles, half a spacing from the end */
    int64_t n;
    double *X; /* reference places along x */
    double *x;
} bar;

/* Fills the scene; the caller may change it before bar_start. */
static void bar_make(bar *b, const char *law, int cells, double L, double E, double rho, double s0,
                     int scheme)
{
    double h = L / cells, low[3] = {0.5 * (s0 - 1) * L, 0, 0}, high[3] = {0.5 * (s0 + 1) * L, h, h};
    *b = (bar){.L = L, .T = 4 * L / sqrt(E / rho), .h = h, .s0 = s0, .X_end = L - h / 4};
    verify_scene_init(&b->scene, h, law, E, 0, rho);
    firn_body_def *body = verify_box(&b->scene, low, high, 2);
    body->F[0] = s0;
    body->deform_positions = 1;
    const double box_low[3] = {0, 0, 0}, box_high[3] = {4 * L, h, h};
    verify_mirrors(&b->scene, 1u | 4u | 8u | 16u | 32u, box_low, box_high);
    b->scene.scene.transfer.scheme = scheme;
    b->scene.scene.transfer.flip_blend = 1;
}

static void bar_start(bar *b)
{
    b->sim = verify_start(&b->scene);
    b->n = firn_sim_n_particles(b->sim);
    b->X = verify_copy(b->sim, "P");
    for (int64_t i = 0; i < b->n; i++) b->X[i] = b->X[3 * i] / b->s0;
}

static void bar_end(bar *b)
{
    firn_sim_destroy(b->sim);
    free(b->X);
}

/* Displacement of the last layer of particles. */
static double end_displacement(bar *b)
{
    double *x = verify_copy(b->sim, "P"), sum = 0;
    int count = 0;
    for (int64_t i = 0; i < b->n; i++)
        if (fabs(b->X[i] - b->X_end) < 1e-3 * b->h) {
            sum += x[3 * i] - b->X[i];
            count++;
        }
    free(x);
    return sum / count;
}

/* The triangle wave at X: half the sum of the waves running both ways (d'Alembert), over the
 * first extension. */
static double triangle(const bar *b, double X, double t)
{
    double sum = 0;
    for (int way = -1; way <= 1; way += 2) {
        double y =
            remainder(X / b->L + way * 4 * t / b->T, 4); /* odd about 0, even about 1, period 4 */
        sum += y > 1 ? 2 - y : y < -1 ? -2 - y : y;
    }
    return 0.5 * sum * (b->s0 - 1) * b->L;
}

static double nominal(const char *law, double s)
{
    if (strcmp(law, "st_venant_kirchhoff") == 0) return 50 * (s * s * s - s);
    return strcmp(law, "neo_hookean") == 0 ? 50 * (s - 1 / s) : 100 * (s - 1);
}

/* Free-end speed of a release from s0 with E = rho = 100, nu = 0. */
static double release_speed(const char *law, double s0)
{
    if (strcmp(law, "st_venant_kirchhoff") != 0) return sqrt(nominal(law, s0) * (s0 - 1) / 100);
    double sum = 0;
    const int n = 1000;
    for (int i = 0; i < n; i++) {
        double s = 1 + (i + 0.5) * (s0 - 1) / n;
        sum += sqrt(0.5 * (3 * s * s - 1)) * (s0 - 1) / n;
    }
    return sum;
}

static void release(verify_table *table, const char *law, double extension, int cells, int scheme)
{
    char name[128];
    const char *how = scheme == FIRN_APIC ? "APIC" : "FLIP";
    enum { SAMPLES = 440 };
    bar b;
    bar_make(&b, law, cells, 0.01, 100, 100, 1 + extension, scheme);
    bar_start(&b);
    snprintf(name, sizeof name, "bar_%s_%g_%s_%d", law, extension, how, cells);
    FILE *curve = verify_curve(table, name);
    if (curve) fprintf(curve, "t,u_end,triangle\n");
    double u0 = extension * b.L, worst = 0, u[SAMPLES + 1], zero[2] = {0, 0};
    int n_zero = 0;
    for (int k = 0; k <= SAMPLES; k++) {
        double t = 1.1 * b.T * k / SAMPLES;
        verify_go(b.sim, t);
        u[k] = end_displacement(&b);
        if (t <= b.T) worst = fmax(worst, fabs(u[k] - triangle(&b, b.X_end, t)) / u0);
        if (k && u[k] * u[k - 1] < 0 && n_zero < 2)
            zero[n_zero++] = t - 1.1 * b.T / SAMPLES * u[k] / (u[k] - u[k - 1]);
        if (curve) fprintf(curve, "%.9g,%.9g,%.9g\n", t, u[k], triangle(&b, b.X_end, t));
    }
    if (curve) fclose(curve);
    /* while the end moves steadily: 0.05 T to 0.15 T, before any reflected wave */
    double speed = (u[20] - u[60]) / (0.1 * b.T);
    snprintf(name, sizeof name, "bar release %s %gL %s: end speed", law, extension, how);
    verify_near(table, name, release_speed(law, 1 + extension), speed, 0.01, 0);
    if (strcmp(law, "fixed_corotated") == 0 || extension < 0.01) {
        snprintf(name, sizeof name, "bar release %s %gL %s: deviation", law, extension, how);
        verify_at_most(table, name, worst, scheme == FIRN_APIC ? 0.05 : 0.06);
        snprintf(name, sizeof name, "bar release %s %gL %s: period (s)", law, extension, how);
        verify_near(table, name, b.T, 2 * (zero[1] - zero[0]), 0.01, 0);
    }
    bar_end(&b);
}

/* StVK pulled to twice its length: the run has to stop, naming the law and the particle. */
static void beyond(verify_table *table, int cells)
{
    bar b;
    bar_make(&b, "st_venant_kirchhoff", cells, 0.01, 100, 100, 2, FIRN_APIC);
    bar_start(&b);
    firn_messages *messages = firn_messages_create();
    firn_status status = firn_sim_advance_to(b.sim, b.T, messages);
    const char *sentence =
        firn_messages_total(messages) ? firn_messages_text(messages, 0, NULL) : "";
    int says = strstr(sentence, "st_venant_kirchhoff") && strstr(sentence, "particle") &&
               strstr(sentence, "failure");
    verify_near(table, "bar release st_venant_kirchhoff 1L: status (stopped)", FIRN_STOPPED, status,
                0, 0);
    verify_near(table, "bar release st_venant_kirchhoff 1L: names law and particle", 1, says, 0, 0);
    fprintf(stderr, "%s\n", sentence);
    firn_messages_destroy(messages);
    bar_end(&b);
}

/* Coordinate of mode k = 1, 2, ... of the clamped bar: its share sin((2k - 1) pi X / 2L) of all
 * displacements. */
static double mode(bar *b, int k)
{
    double *x = verify_copy(b->sim, "P"), sum = 0, norm = 0;
    for (int64_t i = 0; i < b->n; i++) {
        double s = sin((2 * k - 1) * 1.57079632679489662 * b->X[i] / b->L);
        sum += s * (x[3 * i] - b->X[i]);
        norm += s * s;
    }
    free(x);
    return sum / norm;
}

/* 5 m, 1 m^2, 20 N: u0 = 1 m, T = 20 s. First held by the traction (nothing may move), then let
 * go. The model is a strand of one cell, so the force is 20 N times its cross-section. Modes of
 * a bar clamped at one end: (2k - 1) .05 Hz. */
static void pulled(verify_table *table, int cells)
{
    enum { MODES = 5 };
    bar b;
    const double hold = 2;
    bar_make(&b, "fixed_corotated", cells, 5, 100, 100, 1.2, FIRN_APIC);
    const double low[3] = {1.2 * (5 - b.h / 2), -1, -1}, high[3] = {7, 1, 1};
    firn_grip_def *grip = verify_grip(&b.scene, low, high);
    grip->mode = FIRN_GRIP_TRACTION;
    grip->force[0] = 20 * b.h * b.h;
    grip->release = hold;
    bar_start(&b);
    double u0 = 0.2 * b.X_end, drift = 0, worst = 0, zero[2] = {0, 0}, last = u0, least = 0;
    double first[MODES] = {0}, latest[MODES] = {0}, before[MODES] = {0};
    int n_zero = 0, n_turns[MODES] = {0};
    for (int k = 0; k <= 800; k++) {
        double t = (hold + 1.05 * b.T) * k / 800, dt = (hold + 1.05 * b.T) / 800;
        verify_go(b.sim, t);
        for (int m = 0; m < MODES && t > hold;
             m++) { /* passages through zero, half a period apart */
            double q = mode(&b, m + 1);
            if (q * before[m] < 0) {
                latest[m] = t - dt * q / (q - before[m]);
                if (n_turns[m]++ == 0) first[m] = latest[m];
            }
            before[m] = q;
        }
        double u = end_displacement(&b);
        if (t <= hold) drift = fmax(drift, fabs(u - u0));
        if (t >= hold && t <= hold + b.T)
            worst = fmax(worst, fabs(u - triangle(&b, b.X_end, t - hold)));
        if (u * last < 0 && n_zero < 2)
            zero[n_zero++] = t - (hold + 1.05 * b.T) / 800 * u / (u - last) - hold;
        last = u;
        least = fmin(least, u);
    }
    verify_at_most(table, "bar 5 m 20 N: held still (drift over u0)", drift, 0.01);
    verify_near(table, "bar 5 m 20 N: half period (s)", 10, zero[1] - zero[0], 0.01, 0);
    verify_at_most(table, "bar 5 m 20 N: deviation from the triangle", worst, 0.05);
    verify_near(table, "bar 5 m 20 N: swings back to -1 m", -1, least, 0.05, 0);
    for (int m = 0; m < MODES; m++) {
        char name[64];
        snprintf(name, sizeof name, "bar 5 m 20 N: frequency of mode %d (Hz)", m + 1);
        verify_near(table, name, (2 * m + 1) * 0.05,
                    0.5 * (n_turns[m] - 1) / (latest[m] - first[m]), 0.01, 0);
    }
    bar_end(&b);
}

/* v = 0.1 sin(pi x / 2L), L = 25, E = 100, rho = 1: the first mode, T = 4 L / c = 10 s. */
static void vibrating(verify_table *table, int cells, int scheme)
{
    char name[96];
    bar b;
    bar_make(&b, "fixed_corotated", cells, 25, 100, 1, 1, scheme);
    bar_start(&b);
    const double k = 3.14159265358979323846 / 50;
    double *v = calloc((size_t)b.n * 3, sizeof *v), *C = calloc((size_t)b.n * 9, sizeof *C);
    if (!v || !C) exit(1);
    for (int64_t i = 0; i < b.n; i++) {
        v[3 * i] = 0.1 * sin(k * b.X[i]);
        C[9 * i] = scheme == FIRN_APIC ? 0.1 * k * cos(k * b.X[i]) : 0;
    }
    verify_assign(b.sim, "v", v);
    verify_assign(b.sim, "C", C);
    free(v);
    free(C);
    firn_ledger ledger = verify_ledger(b.sim);
    double E0 = ledger.kinetic + ledger.elastic, last = 0, zero[4] = {0, 0, 0, 0};
    int n_zero = 0;
    for (int i = 1; i <= 1100; i++) {
        verify_go(b.sim, i * 0.02);
        double u = end_displacement(&b);
        if (u * last < 0 && n_zero < 4) zero[n_zero++] = i * 0.02 - 0.02 * u / (u - last);
        last = u;
        if (i == 500) ledger = verify_ledger(b.sim);
    }
    const char *how = scheme == FIRN_APIC ? "APIC" : "FLIP";
    snprintf(name, sizeof name, "vibrating bar %s: period (s)", how);
    verify_near(table, name, 10, zero[2] - zero[0], 0.005, 0);
    if (scheme == FIRN_FLIP)
        verify_at_most(table, "vibrating bar FLIP: energy lost in a period",
                       1 - (ledger.kinetic + ledger.elastic) / E0, 0.02);
    bar_end(&b);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    const char *laws[] = {"fixed_corotated", "st_venant_kirchhoff", "neo_hookean"};
    if (table.is_quick) {
        release(&table, laws[0], 0.2, 64, FIRN_APIC);
        beyond(&table, 64);
        pulled(&table, 64);
        return verify_end(&table);
    }
    for (int law = 0; law < 3; law++)
        for (int large = 0; large < 2; large++)
            for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++)
                release(&table, laws[law], large ? 0.2 : 0.002, table.is_full ? 128 : 64, scheme);
    beyond(&table, 64);
    pulled(&table, table.is_full ? 128 : 64);
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++)
        vibrating(&table, table.is_full ? 100 : 50, scheme);
    return verify_end(&table);
}
