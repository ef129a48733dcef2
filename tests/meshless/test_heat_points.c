/* SPDX-License-Identifier: MIT */
/* test_heat_points.c: heat between particles (method sph_fluid): an insulated bar and the Stefan
 * problem against their solutions, conservation, the range of temperatures, the ledger, the same
 * bits for any number of threads and after restore, what is refused. */
#include "support/heat_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;
#define length 1.0

/* Six cells across, twelve particles of h/2: half of them have a full neighbourhood. Along the sides
 * conductivity is off by a few percent (heat_points.c), which no resolution changes in a bar that
 * stays twelve particles wide. */
static void bar(heat_scene *s, double h, double latent)
{
    heat_init(s, h);
    strcpy(s->scene.method, "sph_fluid");
    firn_material_def *m = heat_material(s, 1, 1, 1);
    strcpy(m->law, "liquid");
    if (latent > 0) {
        heat_parameter(m, "latent_heat", latent);
        heat_parameter(m, "solidus", HEAT_OFFSET);
    }
    heat_bar(s, 0, length, 0);
    for (int a = 1; a < 3; a++) {
        s->shapes[0].size[a] = s->scene.grid.box_max[a] = 6 * h;
        s->shapes[0].center[a] = 3 * h;
    }
}

static double slope(const double x[3]) { return x[0] - length / 2; }

/* T of an insulated bar that began with T = x - L/2. */
static double insulated_bar(double x, double t)
{
    double T = 0;
    for (int n = 1; n < 40; n += 2) {
        const double k = n * pi / length;
        T -= 4 * length / (n * n * pi * pi) * cos(k * x) * exp(-k * k * t);
    }
    return T;
}

static double bar_error(double h, int normalise)
{
    heat_scene s;
    bar(&s, h, 0);
    s.scene.sph_fluid.normalise = normalise;
    firn_sim *sim = heat_start(&s);
    heat_assign(sim, slope);
    const firn_ledger before = heat_ledger(sim);
    heat_go(sim, 0.1);
    const firn_ledger after = heat_ledger(sim);
    assert_true(fabs(after.thermal_energy - before.thermal_energy) < 1e-12 * after.mass);
    assert_true(heat_imbalance(&after) < 1e-10);
    const int64_t n = firn_sim_n_particles(sim);
    double *x = heat_copy(sim, "P", 3), *T = heat_copy(sim, "T", 1), worst = 0;
    for (int64_t i = 0; i < n; i++) {
        const double value = T[i] - HEAT_OFFSET;
        assert_true(fabs(value) < 0.5);
        worst = fmax(worst, fabs(value - insulated_bar(x[3 * i], 0.1)));
    }
    free(x);
    free(T);
    firn_sim_destroy(sim);
    return worst;
}

static void insulated(void **state)
{
    (void)state;
    const double coarse = bar_error(1.0 / 8, 1), fine = bar_error(1.0 / 14, 1),
                 plain = bar_error(1.0 / 14, 0);
    print_message("insulated bar, share of the first gradient: 16 particles %.5f, 28 %.5f, plain "
                  "gradients %.5f\n",
                  coarse, fine, plain);
    assert_true(coarse < 0.008 && fine < 0.006 && fine < 0.5 * plain);
}

/* One-phase Stefan problem: s = 2 lambda sqrt(t). */
static void stefan(void **state)
{
    (void)state;
    static const struct {
        double ste, lambda;
    } cases[] = {{0.25, .3400822454}, {1, .6200626}};
    const double h = 1.0 / 10;
    for (int k = 0; k < 2; k++) {
        heat_scene s;
        double worst = 0;
        bar(&s, h, 1 / cases[k].ste);
        heat_wall(&s, 0, 1);
        firn_sim *sim = heat_start(&s);
        for (double front = 0.2; front < 0.65; front += 0.1) {
            heat_go(sim, pow(front / (2 * cases[k].lambda), 2));
            const firn_ledger l = heat_ledger(sim);
            assert_true(heat_imbalance(&l) < 1e-10);
            worst = fmax(worst, fabs(l.melted_mass / l.mass * length - front) / h);
        }
        print_message("Stefan, Ste %g: front off by %.3f cells (two particles each)\n",
                      cases[k].ste, worst);
        assert_true(worst < 0.5);
        firn_sim_destroy(sim);
    }
}

/* A hot liquid that flows and melts: the ledger closes, one and three threads agree, and so does a
 * restored run. */
static firn_sim *pool(heat_scene *s, int n_threads)
{
    firn_sim *sim = NULL;
    firn_run_options options = firn_run_options_default();
    bar(s, 0.1, 2);
    s->scene.time.mechanics = 1;
    s->scene.gravity[1] = -10;
    heat_parameter(&s->materials[0], "c", 20);
    heat_wall(s, 2, 3);
    s->walls[0].film = 5;
    heat_wall(s, 3, 0)->temperature = INFINITY;
    s->walls[1].flux = 7;
    options.n_threads = n_threads;
    assert_int_equal(firn_sim_create(&s->scene, &options, &sim, NULL), FIRN_OK);
    return sim;
}

static void flows(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 2; k++) {
        heat_scene s;
        firn_sim *sim = pool(&s, k ? 3 : 1);
        heat_assign(sim, slope);
        heat_go(sim, 0.01);
        if (k) {
            void *saved = NULL;
            size_t n_bytes = 0;
            firn_sim *other = pool(&s, 2);
            assert_int_equal(firn_sim_save(sim, &saved, &n_bytes, NULL), FIRN_OK);
            assert_int_equal(firn_sim_restore(other, saved, n_bytes, NULL), FIRN_OK);
            heat_go(other, 0.02);
            const firn_ledger l = heat_ledger(other);
            assert_true(heat_imbalance(&l) < 1e-10 && l.melted_mass > 0 && l.heat_conducted > 0);
            hash[2] = firn_sim_hash(other);
            firn_sim_destroy(other);
            firn_sim_release_state(sim, saved, n_bytes);
        }
        heat_go(sim, 0.02);
        hash[k] = firn_sim_hash(sim);
        firn_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

static void refused(heat_scene *s, const char *what)
{
    firn_sim *sim = NULL;
    firn_run_options options = firn_run_options_default();
    firn_messages *messages = firn_messages_create();
    int is_told = 0;
    assert_int_equal(firn_sim_create(&s->scene, &options, &sim, messages), FIRN_REFUSED);
    for (int i = 0; i < firn_messages_total(messages); i++)
        is_told |= strstr(firn_messages_text(messages, i, NULL), what) != NULL;
    assert_true(is_told);
    firn_messages_destroy(messages);
}

static void refusals(void **state)
{
    (void)state;
    heat_scene s;
    bar(&s, 0.1, 0);
    s.scene.heat.film = 2;
    refused(&s, "heat.film");
    bar(&s, 0.1, 0);
    heat_parameter(&s.materials[0], "emissivity", 0.5);
    refused(&s, "emissivity");
    bar(&s, 0.1, 0);
    strcpy(s.materials[0].law, "hencky");
    strcpy(s.scene.method, "efg");
    refused(&s, "computes no heat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insulated),
        cmocka_unit_test(stefan),
        cmocka_unit_test(flows),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
