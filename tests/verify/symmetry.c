/* SPDX-License-Identifier: MIT */
/* symmetry.c: what nature does not notice, firn must not notice either. A neo-Hookean block that
 * spins, shears and stretches (double precision, fixed steps, before any contact) is run as it
 * is and
 *
 *     rotated by 90 degrees about z    moved by whole cells
 *         named the other way round (bodies, particles)
 *     in other units                   length x 10, time x sqrt 10, so that gravity and density
 *                                      stay and E is x 10
 *
 * and every particle has to arrive where the symmetry says, to 1e-10 of a cell. A Galilean boost
 * shifts material against the grid, so a step sees it only through round-off when it is a whole
 * number of cells a step: from half a cell a step one way to half a cell a step the other way.
 * Controls: shifted by a third of a cell, or boosted by a third of a cell a step, the same
 * comparison has to see a difference - these are not symmetries of a grid. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 40 };
static const double h = 0.1, dt = 1e-3;

typedef struct variation {
    int is_rotated, is_reversed, scheme, force, spline;
    double shift[3], boost[3]; /* boost: cells a step */
    double length, time;       /* factors */
} variation;

static variation plain(int scheme, int force, int spline)
{
    return (variation){.scheme = scheme, .force = force, .spline = spline, .length = 1, .time = 1};
}

/* x y z -> -y x z */
static void turn(const double in[3], double out[3])
{
    out[0] = -in[1];
    out[1] = in[0];
    out[2] = in[2];
}

static void place(const variation *w, double v[3], int is_extent)
{
    double t[3] = {v[0], v[1], v[2]};
    if (w->is_rotated) turn(t, v);
    for (int a = 0; a < 3; a++) v[a] = is_extent ? fabs(v[a]) : v[a];
}

static void add_block(verify_scene *s, const variation *w, double cx, double cy, double cz,
                      double velocity)
{
    double center[3] = {cx, cy, cz}, size[3] = {0.4, 0.6, 0.3}, low[3], high[3];
    place(w, center, 0);
    place(w, size, 1);
    for (int a = 0; a < 3; a++) {
        low[a] = w->length * (center[a] + w->shift[a] - size[a] / 2);
        high[a] = w->length * (center[a] + w->shift[a] + size[a] / 2);
    }
    firn_body_def *body = verify_box(s, low, high, 2);
    body->overlap = FIRN_OVERLAP_KEEP; /* the two blocks share a corner */
    double v[3] = {velocity, 0.5, -0.25}, spin[3] = {2, -3, 4};
    const double F[9] = {1.1, 0.15, 0, -0.05, 0.95, 0.1, 0, 0.05, 1.05};
    place(w, v, 0);
    place(w, spin, 0);
    for (int a = 0; a < 3; a++) {
        body->velocity[a] = v[a] * w->length / w->time + w->boost[a] * h / dt;
        body->spin[a] = spin[a] / w->time;
        for (int b = 0; b < 3; b++) /* R F R^T */
            body->F[3 * a + b] = w->is_rotated ? (a == 0 ? -1 : 1) * (b == 0 ? -1 : 1) *
                                                     F[3 * (a == 0   ? 1
                                                            : a == 1 ? 0
                                                                     : 2) +
                                                       (b == 0   ? 1
                                                        : b == 1 ? 0
                                                                 : 2)]
                                               : F[3 * a + b];
    }
}

static firn_sim *run(const variation *w, int steps)
{
    verify_scene s;
    double unit = w->length / w->time;
    verify_scene_init(&s, h * w->length, "neo_hookean", 2e4 * unit * unit, 0.3, 1000);
    s.scene.transfer =
        (firn_transfer_def){.scheme = w->scheme, .flip_blend = 0.97, .force = w->force};
    s.scene.grid.spline = w->spline;
    s.scene.time.dt_fixed = dt * w->time;
    s.scene.time.cfl = 0.9;
    double g[3] = {3, -9.81, 1};
    place(w, g, 0);
    for (int a = 0; a < 3; a++) s.scene.gravity[a] = g[a] * unit / w->time;
    /* two of them in the same cells, so that another order is another order of sums; one far
     * from both */
    static const double blocks[3][4] = {
        {0.23, 0.31, 0.17, 1}, {0.26, 0.33, 0.19, 1.5}, {2.41, 0.07, 0.36, -1}};
    for (int k = 0; k < 3; k++) {
        const double *b = blocks[w->is_reversed ? 2 - k : k];
        add_block(&s, w, b[0], b[1], b[2], b[3]);
    }
    firn_sim *sim = verify_start(&s);
    verify_go(sim, steps * dt * w->time);
    if (firn_sim_step_count(sim) != steps) {
        fprintf(stderr, "took %ld steps\n", (long)firn_sim_step_count(sim));
        exit(1);
    }
    return sim;
}

/* Largest distance, in cells, between the varied run and the image of the plain one, which
 * drifted less far. Turned or permuted, the lattice is filled in another order and particles are
 * matched by place. */
static double difference(firn_sim *plain_run, firn_sim *varied, const variation *w,
                         const double drift[3])
{
    int64_t n = firn_sim_n_particles(plain_run);
    if (firn_sim_n_particles(varied) != n) return INFINITY;
    double worst = 0, *was = verify_copy(plain_run, "P"), *is = verify_copy(varied, "P");
    for (int64_t i = 0; i < n; i++) {
        double p[3], best = INFINITY;
        for (int a = 0; a < 3; a++) p[a] = was[3 * i + a];
        place(w, p, 0);
        for (int a = 0; a < 3; a++) p[a] = w->length * (p[a] + w->shift[a]) + drift[a];
        int is_by_place = w->is_rotated || w->is_reversed;
        for (int64_t j = is_by_place ? 0 : i; j < (is_by_place ? n : i + 1); j++) {
            double d = 0;
            for (int a = 0; a < 3; a++) d = fmax(d, fabs(is[3 * j + a] - p[a]));
            if (d < best) best = d;
        }
        worst = fmax(worst, best / (h * w->length));
    }
    free(was);
    free(is);
    return worst;
}

static double compare(const variation *was, const variation *is, double drift)
{
    firn_sim *a = run(was, STEPS), *b = run(is, STEPS);
    const double moved[3] = {drift * h, -drift * h, 0};
    double worst = difference(a, b, is, moved);
    firn_sim_destroy(a);
    firn_sim_destroy(b);
    return worst;
}

/* From minus half to plus half a cell a step along x, the other way along y; `part` of it. */
static double boosted(const variation *base, double part)
{
    variation slow = *base, fast = *base;
    slow.boost[0] = -0.5;
    slow.boost[1] = 0.5;
    fast.boost[0] = slow.boost[0] + part;
    fast.boost[1] = slow.boost[1] - part;
    return compare(&slow, &fast, part * STEPS);
}

static void check(verify_table *table, int scheme, int force, int spline)
{
    static const char *const schemes[] = {"APIC", "FLIP", "PIC", "AFLIP"};
    static const char *const names[] = {"rotated by 90 degrees", "moved by whole cells", "permuted",
                                        "other units"};
    char what[64], name[128];
    snprintf(what, sizeof what, "%s %s %s", schemes[scheme], spline ? "quadratic" : "cubic",
             force ? "mls" : "gradient");
    variation base = plain(scheme, force, spline), v[4] = {base, base, base, base}, off = base;
    v[0].is_rotated = 1;
    v[1].shift[0] = 7 * h;
    v[1].shift[1] = -30 * h;
    v[1].shift[2] = 1001 * h;
    v[2].is_reversed = 1;
    v[3].length = 10;
    v[3].time = sqrt(10);
    for (int k = 0; k < 4; k++) {
        snprintf(name, sizeof name, "symmetry %s: %s (cells)", what, names[k]);
        verify_at_most(table, name, compare(&base, &v[k], 0), 1e-10);
    }
    snprintf(name, sizeof name, "symmetry %s: boosted by a cell a step (cells)", what);
    verify_at_most(table, name, boosted(&base, 1), 1e-10);
    if (scheme != FIRN_APIC || force || spline) return;
    off.shift[0] = h / 3;
    verify_at_least(table, "symmetry control: moved by a third of a cell (cells)",
                    compare(&base, &off, 0), 1e-8);
    verify_at_least(table, "symmetry control: boosted by a third of a cell a step (cells)",
                    boosted(&base, 1.0 / 3), 1e-8);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    for (int scheme = FIRN_APIC; scheme <= FIRN_AFLIP; scheme++)
        for (int spline = FIRN_CUBIC; spline <= FIRN_QUADRATIC; spline++)
            for (int force = FIRN_FORCE_GRADIENT; force <= FIRN_FORCE_MLS; force++)
                check(&table, scheme, force, spline);
    return verify_end(&table);
}
