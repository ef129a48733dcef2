/* SPDX-License-Identifier: MIT */
/* The transfer kernels with a payload that is no momentum: a scalar T with weight m c, as heat will
 * be (kernels.h, firn_payload). In every variant, spline and form:
 *   - sum over nodes of m c T is that of the particles, and a flux moves none of it away;
 *   - a linear T comes to the nodes and back exactly, value and gradient (APIC);
 *   - particles stay where they are. */
#include "mpm/kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 40, BUNDLES = 3, NODES = 27 * 64 };

typedef struct fixture {
    const firn_kernels *k;
    int is_quadratic, is_mls;
    _Alignas(64) double x[BUNDLES * 48], value[BUNDLES * 48], affine[BUNDLES * 144],
        flux[BUNDLES * 96], weight[BUNDLES * 16], volume[BUNDLES * 16], grad[BUNDLES * 144];
    _Alignas(64) double patch[FIRN_PATCH], nodes[NODES * 4];
} fixture;

/* Number i of an array of the variant's reals. */
static void put(const fixture *f, double *array, int i, double value)
{
    if (f->k->is_double)
        array[i] = value;
    else
        ((float *)array)[i] = (float)value;
}
static double take(const fixture *f, const double *array, int i)
{
    return f->k->is_double ? array[i] : (double)((const float *)array)[i];
}
static int at(int particle, int n_components, int component)
{
    return (particle / 16 * n_components + component) * 16 + particle % 16;
}

static const double gradient[3] = {0.7, -1.3, 0.4}; /* K per cell, h = 1 */
static double linear(const double x[3])
{
    return 5 + gradient[0] * x[0] + gradient[1] * x[1] + gradient[2] * x[2];
}

static void fill(fixture *f)
{
    memset(f->x, 0, sizeof *f - offsetof(fixture, x));
    for (int p = 0; p < BUNDLES * 16; p++) {
        double x[3] = {1.5, 1.5, 1.5};
        for (int a = 0; a < 3 && p < N; a++) x[a] = -0.5 + 4 * fmod(0.37 * p + 0.61 * a * p, 1);
        for (int a = 0; a < 3; a++) put(f, f->x, at(p, 3, a), x[a]);
        if (p >= N) continue;
        put(f, f->value, at(p, 3, 0), linear(x));
        for (int a = 0; a < 3; a++) put(f, f->affine, at(p, 9, a), gradient[a]);
        const int row[3] = {0, 3, 4}; /* xx xy xz */
        for (int a = 0; a < 3; a++) put(f, f->flux, at(p, 6, row[a]), 0.1 * (p % 7) - a);
        put(f, f->weight, at(p, 1, 0), 1 + 0.1 * (p % 5));
        put(f, f->volume, at(p, 1, 0), 0.5);
    }
}

static firn_block_particles particles_of(fixture *f, int with_flux)
{
    static _Alignas(64) double nothing[BUNDLES * 96];
    return (firn_block_particles){.n = N,
                                  .lowest = {-1, -1, -1},
                                  .most = {4, 4, 4},
                                  .x = f->x,
                                  .payload = {.value = f->value,
                                              .affine = f->affine,
                                              .flux = with_flux ? f->flux : nothing,
                                              .weight = f->weight,
                                              .volume = f->volume}};
}

/* Particles to the nodes of the block and the 26 around it. */
static void scatter(fixture *f, const firn_transfer *transfer, const firn_block_particles *p)
{
    int32_t neighbours[27];
    for (int q = 0; q < 27; q++) neighbours[q] = q;
    const firn_columns columns = f->k->touched(transfer, p);
    memset(f->nodes, 0, sizeof f->nodes);
    f->k->patch_clear(f->patch, columns);
    f->k->p2g(transfer, p, f->patch, NULL);
    f->k->patch_add(f->patch, columns, neighbours, f->nodes);
}

static void gather(fixture *f, const firn_transfer *transfer, const firn_block_particles *p)
{
    int32_t neighbours[27];
    const double none[3] = {0, 0, 0};
    firn_block_range range;
    for (int q = 0; q < 27; q++) {
        neighbours[q] = q;
        f->k->velocity((char *)f->nodes + (size_t)q * 256 * f->k->real_size, NULL, none, &range);
    }
    f->k->patch_load(f->patch, f->k->touched(transfer, p), neighbours, f->nodes);
    f->k->g2p(transfer, p, f->patch, NULL, f->grad);
}

static void check_form(fixture *f)
{
    const double tolerance = f->k->is_double ? 1e-12 : 2e-5;
    const firn_transfer transfer = {.dt = 0.25,
                                    .h = 1,
                                    .is_quadratic = f->is_quadratic,
                                    .is_mls = f->is_mls,
                                    .is_affine = 1,
                                    .keeps_places = 1};
    double content = 0, weight = 0;
    fill(f);
    for (int p = 0; p < N; p++) {
        weight += take(f, f->weight, at(p, 1, 0));
        content += take(f, f->weight, at(p, 1, 0)) * take(f, f->value, at(p, 3, 0));
    }

    for (int with_flux = 0; with_flux < 2; with_flux++) {
        const firn_block_particles particles = particles_of(f, with_flux);
        double sum[4] = {0, 0, 0, 0}, moved = 0;
        scatter(f, &transfer, &particles);
        for (int n = 0; n < NODES; n++)
            for (int c = 0; c < 4; c++) sum[c] += take(f, f->nodes, 4 * n + c);
        assert_true(fabs(sum[0] - content) <= tolerance * fabs(content));
        assert_true(fabs(sum[3] - weight) <= tolerance * weight);
        if (!with_flux) continue;
        for (int n = 0; n < NODES; n++)
            moved += fabs(take(f, f->nodes, 4 * n + 1)); /* q in the first column of other rows */
        assert_true(moved > 0.1);
    }

    const firn_block_particles particles = particles_of(f, 0);
    double before[N][3];
    for (int p = 0; p < N; p++)
        for (int a = 0; a < 3; a++) before[p][a] = take(f, f->x, at(p, 3, a));
    scatter(f, &transfer, &particles);
    gather(f, &transfer, &particles);
    for (int p = 0; p < N; p++) {
        assert_true(fabs(take(f, f->value, at(p, 3, 0)) - linear(before[p])) <= 20 * tolerance);
        for (int a = 0; a < 3; a++) {
            assert_true(fabs(take(f, f->affine, at(p, 9, a)) - gradient[a]) <= 20 * tolerance);
            assert_true(take(f, f->x, at(p, 3, a)) == before[p][a]);
        }
    }
}

static void a_scalar_goes_to_the_grid_and_back(void **state)
{
    (void)state;
    int n_tried = 0;
    fixture *f = aligned_alloc(64, sizeof *f);
    assert_non_null(f);
    for (int v = 0; v < FIRN_N_VARIANTS; v++)
        for (int form = 0; form < 4; form++) {
            f->k = firn_kernels_find((firn_variant)v);
            f->is_quadratic = form & 1;
            f->is_mls = form >> 1;
            if (!f->k) continue;
            check_form(f);
            n_tried++;
        }
    free(f);
    assert_true(n_tried >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scalar_goes_to_the_grid_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
