/* SPDX-License-Identifier: MIT */
/* test_heat.c: invariants of heat: what is conserved, what never leaves its range, what changes no
 * bit. Exact solutions are in tests/verify/heat.c. */
#include "support/heat_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double rough(const double x[3])
{
    return 10 * sin(37 * x[0] + 11 * x[1]) * cos(23 * x[2] - 5 * x[1]);
}
static double linear(const double x[3]) { return 3 - 2 * x[0] + 0.7 * x[1] - 1.1 * x[2]; }

static void ball(heat_scene *s, int melts)
{
    heat_init(s, 0.125);
    firn_material_def *m = heat_material(s, 2, 3, 0.5);
    if (melts) {
        heat_parameter(m, "latent_heat", 5);
        heat_parameter(m, "solidus", HEAT_OFFSET);
        heat_parameter(m, "liquidus", HEAT_OFFSET + 2);
        heat_parameter(m, "heat_capacity_liquid", 4);
    }
    heat_body(s, "sphere", 0);
    s->shapes[0].radius = 0.5;
    s->bodies[0].sampling = FIRN_JITTERED;
}

static void range_of(firn_sim *sim, double range[2])
{
    double *T = heat_copy(sim, "T", 1);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
        range[0] = fmin(range[0], T[i]);
        range[1] = fmax(range[1], T[i]);
    }
    free(T);
}

/* sum m h of an insulated body is constant, whatever the transfer, spline and latent heat; no
 * temperature leaves the range in which it began. */
static void insulated(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        heat_scene s;
        double before[2], after[2];
        ball(&s, i & 1);
        s.scene.heat.scheme = i & 2 ? FIRN_HEAT_FLIP : FIRN_HEAT_APIC;
        s.scene.grid.spline = i & 4 ? FIRN_QUADRATIC : FIRN_CUBIC;
        s.scene.is_double = !(i & 8);
        firn_sim *sim = heat_start(&s);
        heat_assign(sim, rough);
        const firn_ledger a = heat_ledger(sim);
        range_of(sim, before);
        heat_go(sim, 0.5);
        const firn_ledger b = heat_ledger(sim);
        range_of(sim, after);
        const double scale = a.mass * 3 * 30, /* of the heat that could be exchanged */
            drift = fabs(b.thermal_energy - a.thermal_energy) / scale;
        if (!(drift <= (i & 8 ? 2e-6 : 1e-12))) fail_msg("case %d: drift %g", i, drift);
        assert_true(heat_imbalance(&b) <= (i & 8 ? 1e-6 : 1e-10));
        assert_true(after[0] >= before[0] - 1e-3 && after[1] <= before[1] + 1e-3);
        assert_true(after[1] - after[0] < 0.8 * (before[1] - before[0]));
        firn_sim_destroy(sim);
    }
}

/* A linear temperature is steady between walls that have it, to round-off. */
static void a_linear_temperature_stays(void **state)
{
    (void)state;
    for (int quadratic = 0; quadratic < 2; quadratic++) {
        heat_scene s;
        heat_init(&s, 0.125);
        heat_material(&s, 2, 3, 0.5);
        heat_bar(&s, 0, 1, 0);
        heat_wall(&s, 0, 3);
        heat_wall(&s, 1, 1);
        s.scene.grid.spline = quadratic ? FIRN_QUADRATIC : FIRN_CUBIC;
        firn_sim *sim = heat_start(&s);
        heat_assign(sim, linear);
        double *x = heat_copy(sim, "P", 3);
        const int64_t n = firn_sim_n_particles(sim);
        firn_messages *messages = firn_messages_create();
        double *T = heat_copy(sim, "T", 1);
        for (int64_t i = 0; i < n; i++) T[i] = HEAT_OFFSET + 3 - 2 * x[3 * i];
        assert_int_equal(firn_sim_assign(sim, "T", T, (size_t)n, messages), FIRN_OK);
        free(T);
        heat_go(sim, 1);
        T = heat_copy(sim, "T", 1);
        for (int64_t i = 0; i < n; i++)
            assert_true(fabs(T[i] - HEAT_OFFSET - 3 + 2 * x[3 * i]) < 1e-9);
        free(T);
        free(x);
        firn_messages_destroy(messages);
        firn_sim_destroy(sim);
    }
}

/* Walls with temperature, flux and film, a free surface, a source: the ledger closes, and each part
 * is what it must be where that is known. */
static void the_ledger_closes(void **state)
{
    (void)state;
    heat_scene s;
    ball(&s, 1);
    s.source_shape = firn_shape_default();
    strcpy(s.source_shape.kind, "sphere");
    s.source_shape.radius = 0.2;
    s.source = firn_heat_source_default();
    strcpy(s.source.name, "lamp");
    s.source.shapes = &s.source_shape;
    s.source.n_shapes = 1;
    s.source.power = 7;
    s.scene.heat.sources = &s.source;
    s.scene.heat.n_sources = 1;
    s.scene.heat.film = 2;
    firn_sim *sim = heat_start(&s);
    heat_assign(sim, rough);
    heat_go(sim, 0.3);
    firn_ledger l = heat_ledger(sim);
    assert_true(heat_imbalance(&l) <= 1e-10);
    assert_true(fabs(l.heat_sources - 7 * 0.3) <= 1e-9);
    assert_true(l.heat_surroundings != 0 && l.melted_mass > 0);
    assert_true(fabs(l.latent_energy - 5 * l.melted_mass) <= 1e-9);
    firn_sim_destroy(sim);

    heat_init(&s, 0.125);
    heat_material(&s, 2, 3, 0.5);
    heat_bar(&s, 0, 1, 0);
    heat_wall(&s, 0, 0)->temperature = INFINITY;
    s.walls[0].flux = 4;
    heat_wall(&s, 1, -3)->film = 2;
    sim = heat_start(&s);
    heat_go(sim, 0.2);
    l = heat_ledger(sim);
    assert_true(heat_imbalance(&l) <= 1e-10);
    const double area =
        0.125 * 0.125; /* the flux is known, the film's heat at most that at first */
    assert_true(l.heat_surroundings > (4 - 2 * 3.1) * 0.2 * area);
    assert_true(l.heat_surroundings < 4 * 0.2 * area);
    assert_true(fabs(l.heat_conducted) < 1e-12);
    heat_go(sim, 40); /* steady: T = 0 - 3 + 4/2 at the wall, 4/.5 more at the other */
    /* 8 K a metre; the outermost particles are a quarter of a cell inside */
    assert_true(fabs(heat_at(sim, 1) + 1 - 0.25) < 0.1);
    assert_true(fabs(heat_at(sim, 0) - 7 + 0.25) < 0.1);
    firn_sim_destroy(sim);
}

static firn_sim *started(heat_scene *s, int n_threads)
{
    firn_run_options options = firn_run_options_default();
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    options.n_threads = n_threads;
    if (firn_sim_create(&s->scene, &options, &sim, messages) != FIRN_OK) heat_give_up(messages);
    firn_messages_destroy(messages);
    return sim;
}

/* Moving, heating by its own plastic work and melting: the same bits for any number of threads and
 * after a restore. */
static void bits(void **state)
{
    (void)state;
    heat_scene s;
    ball(&s, 1);
    strcpy(s.materials[0].law, "melting");
    heat_parameter(&s.materials[0], "E", 1e3);
    heat_parameter(&s.materials[0], "yield", 20);
    s.scene.time.mechanics = 1;
    s.scene.gravity[1] = -9.81;
    s.scene.heat.film = 5;
    s.scene.is_double = 0;
    s.scene.grid.has_box = 1;
    for (int a = 0; a < 3; a++) {
        s.scene.grid.box_min[a] = -1;
        s.scene.grid.box_max[a] = 1;
    }
    s.scene.grid.box_min[1] = -0.625;
    for (int w = 0; w < 6; w++) s.scene.grid.walls[w] = FIRN_WALL_SEPARATE;
    heat_wall(&s, 2, 30);
    uint64_t hash[3];
    void *saved = NULL;
    size_t n_saved = 0;
    firn_messages *messages = firn_messages_create();
    for (int i = 0; i < 2; i++) {
        firn_sim *sim = started(&s, i ? 3 : 1);
        heat_assign(sim, rough);
        heat_go(sim, 0.1);
        if (i == 0) assert_int_equal(firn_sim_save(sim, &saved, &n_saved, messages), FIRN_OK);
        heat_go(sim, 0.25);
        hash[i] = firn_sim_hash(sim);
        const firn_ledger l = heat_ledger(sim);
        assert_true(heat_imbalance(&l) <= 1e-6);
        assert_true(l.heat_work > 0);
        if (i) {
            assert_int_equal(firn_sim_restore(sim, saved, n_saved, messages), FIRN_OK);
            heat_go(sim, 0.25);
            hash[2] = firn_sim_hash(sim);
            const firn_ledger again = heat_ledger(sim);
            assert_true(again.thermal_energy == l.thermal_energy);
            assert_true(again.heat_conducted == l.heat_conducted);
            firn_sim_release_state(sim, saved, n_saved);
        }
        firn_sim_destroy(sim);
    }
    firn_messages_destroy(messages);
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

/* A clamped block that is heated by dT is stressed by -3 K a dT, a free one not at all. */
static void thermal_stress(void **state)
{
    (void)state;
    for (int is_free = 0; is_free < 2; is_free++) {
        heat_scene s;
        heat_init(&s, 0.125);
        firn_material_def *m = heat_material(&s, 1000, 1, 0);
        heat_parameter(m, "E", 1e6);
        heat_parameter(m, "nu", 0.3);
        heat_parameter(m, "expansion", 1e-4);
        heat_bar(&s, 0, 1, 0);
        if (is_free) s.scene.grid.has_box = 0;
        for (int w = 0; w < 6 && is_free; w++) s.scene.grid.walls[w] = FIRN_WALL_OPEN;
        s.scene.time.mechanics = 1;
        s.source_shape = s.shapes[0];
        s.source = firn_heat_source_default();
        strcpy(s.source.name, "lamp");
        s.source.shapes = &s.source_shape;
        s.source.n_shapes = 1;
        for (int a = 0; a < 3; a++) s.source_shape.size[a] += 1;
        s.scene.time.dt_max = 5e-4; /* stress is that of the temperature a step before */
        s.source.density = 50;      /* W/kg: 5 K in 0.1 s */
        s.scene.heat.sources = &s.source;
        s.scene.heat.n_sources = 1;
        firn_sim *sim = heat_start(&s);
        heat_go(sim, 0.1);
        double *stress = heat_copy(sim, "stress", 6), mean = 0;
        const int64_t n = firn_sim_n_particles(sim);
        for (int64_t i = 0; i < n; i++) mean += stress[6 * i] / (double)n;
        free(stress);
        if (is_free)
            assert_true(fabs(mean) < 30);
        else
            assert_true(fabs(mean + 1250) < 0.01 * 1250);

        assert_true(fabs(heat_at(sim, 0.5) - 5) < 1e-9);
        firn_sim_destroy(sim);
    }
}

/* Viscous and plastic work: a ball that falls on a floor and stays warms by what it dissipated. */
static void work_becomes_heat(void **state)
{
    (void)state;
    heat_scene s;
    ball(&s, 0);
    strcpy(s.materials[0].law, "von_mises");
    heat_parameter(&s.materials[0], "E", 1e4);
    heat_parameter(&s.materials[0], "yield", 10);
    heat_parameter(&s.materials[0], "taylor_quinney", 0.6);
    s.scene.time.mechanics = 1;
    s.scene.gravity[1] = -9.81;
    s.scene.grid.has_box = 1;
    s.scene.grid.box_min[1] = -0.625;
    s.scene.grid.walls[2] = FIRN_WALL_STICK;
    firn_sim *sim = heat_start(&s);
    heat_go(sim, 0.2);
    const firn_ledger l = heat_ledger(sim);
    assert_true(l.plastic_work > 0);
    assert_true(fabs(l.heat_work - 0.6 * (l.plastic_work + l.viscous_work)) <= 1e-12 * l.heat_work);
    assert_true(heat_imbalance(&l) <= 1e-10);
    firn_sim_destroy(sim);
}

/* A source without bounds stops the run with the particle and the cause. */
static void a_runaway_stops(void **state)
{
    (void)state;
    heat_scene s;
    ball(&s, 0);
    s.source_shape = s.shapes[0];
    s.source = firn_heat_source_default();
    strcpy(s.source.name, "sun");
    s.source.shapes = &s.source_shape;
    s.source.n_shapes = 1;
    s.source.power = 1e12;
    s.scene.heat.sources = &s.source;
    s.scene.heat.n_sources = 1;
    firn_sim *sim = heat_start(&s);
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_sim_advance_to(sim, 1, messages), FIRN_STOPPED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "temperature ran away"));
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insulated),         cmocka_unit_test(a_linear_temperature_stays),
        cmocka_unit_test(the_ledger_closes), cmocka_unit_test(bits),
        cmocka_unit_test(thermal_stress),    cmocka_unit_test(work_becomes_heat),
        cmocka_unit_test(a_runaway_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
