/* SPDX-License-Identifier: MIT */
/* test_laws_bounds.c: no law holds a number at a bound without a flag. Of every law, from its
 * table alone: ordinary states meet no bound; the bounds of its table are met somewhere, and no
 * other; a stress that no longer changes with the state is flagged; so are parameters held in
 * their range. */
#include "support/law_support.h"

enum { SAMPLES = 64, EXTREME = 6000 };

static unsigned bounds_of(const point *p) { return firn_flags_bounds((unsigned)p->flags); }

static unsigned own_bounds(const firn_law_info *law)
{
    unsigned own = 0;
    for (int i = 0; i < law->n_bounds; i++) own |= 1u << law->bounds[i].kind;
    return own;
}

static void ordinary_states_meet_none(const firn_material *m, const char *label)
{
    uint64_t seed = 3;
    for (int k = 0; k < SAMPLES; k++) {
        point p = strained_point(&m->law->info, &seed, 4e-4);
        for (int c = 0; c < 9; c++) p.grad_v[c] = 10 * uniform(&seed);
        for (int variant = 0; variant < FIRN_N_VARIANTS; variant++) {
            if (!variant_runs(m->law, variant)) continue;
            point q = p;
            run(m, variant, 1, 1e-5, &q, 1);
            if (bounds_of(&q)) fail_msg("%s: bounds %#x in an ordinary step", label, bounds_of(&q));
            run(m, variant, 0, 0, &q, 1);
            if (bounds_of(&q)) fail_msg("%s: bounds %#x at rest", label, bounds_of(&q));
        }
    }
}

/* A state, a step and a history as no scene should have them. */
static double extreme_point(const firn_law_info *info, uint64_t *seed, point *p)
{
    const double spreads[] = {0.02, 0.5, 3, 15, 60};
    *p = strained_point(info, seed, spreads[(int)(2.4999 * (1 + uniform(seed)))]);
    const double dt = exp(-14 + 9 * (1 + uniform(seed)));
    for (int c = 0; c < 9; c++) p->grad_v[c] = uniform(seed) * (uniform(seed) > 0 ? 0.01 : 1) / dt;
    if (uniform(seed) > 0.7) /* pressed flat in one step */
        for (int c = 0; c < 9; c++) p->grad_v[c] = c % 4 ? 0 : -(1 - 0.01 * (c == 4)) / dt;
    for (int h = 0; h < info->n_history; h++) {
        const double initial = info->history[h].initial, way = uniform(seed);
        if (uniform(seed) > 0) continue;
        p->history[h] = initial > 0           ? initial * exp(12 * way)
                        : info->n_history > 2 ? 0.3 * way
                                              : way;
    }
    return dt;
}

/* Kinds that one of the law's materials meets anywhere. */
static unsigned bounds_met(const firn_material *m)
{
    uint64_t seed = 5;
    unsigned met = 0;
    for (int k = 0; k < EXTREME; k++) {
        point p, q;
        const double dt = extreme_point(&m->law->info, &seed, &p);
        q = p;
        run(m, FIRN_F64_SCALAR, 1, dt, &p, 1);
        run(m, FIRN_F64_SCALAR, 0, 0, &q, 1);
        met |= bounds_of(&p) | bounds_of(&q);
    }
    return met;
}

static unsigned met_by_law[64];

static void gather(const firn_material *m, const char *label)
{
    (void)label;
    const int law = firn_law_index(m->law->info.name);
    if ((met_by_law[law] & own_bounds(&m->law->info)) == own_bounds(&m->law->info)) return;
    met_by_law[law] |= bounds_met(m);
}

static void bounds_of_tables_are_met(void **state)
{
    (void)state;
    assert_true(firn_law_count() <= 64);
    for_each_material(gather);
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        const unsigned own = own_bounds(law), other = met_by_law[i] & ~own;
        for (int kind = 0; kind < FIRN_N_BOUNDS; kind++)
            if ((own & ~met_by_law[i]) >> kind & 1)
                fail_msg("%s: bound '%s' of its table is never met", law->name,
                         firn_bound_name(kind));
        if (other & ~(1u << FIRN_BOUND_INVERTED))
            fail_msg("%s: bounds %#x are in no table", law->name, other);
        for (int kind = 0; kind < FIRN_N_BOUNDS; kind++) {
            const int is_met = (int)(met_by_law[i] >> kind & 1);
            if (is_met && !firn_bound_meaning(law, kind))
                fail_msg("%s: nobody says what '%s' means", law->name, firn_bound_name(kind));
        }
    }
}

/* A stretch on its way to nothing: where stress and energy of an elastic law stand still, to the
 * bit, a bound is met. Not below the square root of the round-off, which F F^T cannot tell from
 * nothing: laws with a logarithm hold it there and say so. */
static void stress_that_stands_still_is_flagged(const firn_material *m, const char *label)
{
    if (m->law->info.is_plastic || m->law->info.is_fluid) return;
    for (int variant = 0; variant < FIRN_N_VARIANTS; variant++) {
        if (!variant_runs(m->law, variant)) continue;
        point before = rest(&m->law->info), now;
        const int is_log = own_bounds(&m->law->info) >> FIRN_BOUND_COLLAPSED & 1;
        const double least = is_log ? 1e-18 : firn_variant_is_double(variant) ? 1e-7 : 1e-3;
        for (double t = 0.5; t > least; t /= 2) {
            now = rest(&m->law->info);
            now.F[0] = t;
            now.F[4] = 1.1;
            run(m, variant, 0, 0, &now, 1);
            const int stands = memcmp(now.tau, before.tau, sizeof now.tau) == 0 &&
                               memcmp(&now.energy, &before.energy, sizeof now.energy) == 0;
            if (stands && !bounds_of(&now))
                fail_msg("%s: stress stands still at the stretch %g, without a flag", label, t);
            before = now;
        }
    }
}

static void parameters_held_are_flagged(const firn_material *m, const char *label)
{
    const firn_law_info *law = &m->law->info;
    firn_material wild = *m;
    uint64_t seed = 7;
    point points[16];
    for (int k = 0; k < law->n_parameters; k++) {
        const firn_parameter_info *parameter = &law->parameters[k];
        if (!(m->value[k] > 0)) continue;
        for (int is_wild = 0; is_wild < 2; is_wild++) {
            wild.noise[k] = is_wild ? 2 * parameter->max / m->value[k] + 4 : 1e-6;
            const double room = 1 + 1e-5;
            if (!is_wild &&
                (m->value[k] * room > parameter->max || m->value[k] < parameter->min * room))
                continue;
            int n_held = 0;
            for (int i = 0; i < 16; i++) {
                points[i] = strained_point(law, &seed, 1e-4);
                points[i].id = (uint32_t)(17 * i + 1);
            }
            run(&wild, FIRN_F64_SCALAR, 0, 0, points, 16);
            for (int i = 0; i < 16; i++)
                n_held += (int)(bounds_of(&points[i]) >> FIRN_BOUND_PARAMETER & 1);
            if (is_wild ? n_held < 16 / 4 : n_held > 0)
                fail_msg("%s: %s with noise %g: %d of %d lanes are flagged", label, parameter->name,
                         wild.noise[k], n_held, 16);
        }
        wild.noise[k] = m->noise[k];
    }
}

#define TEST_OF(name)                                                                              \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        for_each_material(name);                                                                   \
    }
TEST_OF(ordinary_states_meet_none)
TEST_OF(stress_that_stands_still_is_flagged)
TEST_OF(parameters_held_are_flagged)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordinary_states_meet_none),
        cmocka_unit_test(bounds_of_tables_are_met),
        cmocka_unit_test(test_stress_that_stands_still_is_flagged),
        cmocka_unit_test(test_parameters_held_are_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
