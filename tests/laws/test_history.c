/* SPDX-License-Identifier: MIT */
/* What the tables say of histories is true: every law is led along a prescribed F(t), so that the
 * volume ratio and the plastic part of each step are known from outside, and compared with what
 * the roles of its history, is_plastic and yield() say. No law is named here. */
#include "support/law_support.h"
#include "lab/lab.h"
#include "laws/history.h"

#include <lapacke.h>

enum { STEPS = 400 };

/* A step of a smooth motion with turns, shear and changes of volume: first it presses, then it
 * pulls apart, farther than it pressed. */
static void move(int step, double F[9])
{
    double t = 2 * M_PI * step / STEPS, A[9], change[9];
    double squeeze = 0.05 - 0.15 * sin(t), shear = 1.5 * cos(2 * t), turn = 0.5 * cos(t);
    const double rate[9] = {1.3 * squeeze, shear + turn, 0.2 * shear,      //
                            shear - turn,  squeeze,      0.3 * cos(3 * t), //
                            -0.2 * shear,  0.1 * sin(t), 0.7 * squeeze};
    for (int c = 0; c < 9; c++) A[c] = 4.0 / STEPS * rate[c];
    multiply(A, F, change);
    for (int c = 0; c < 9; c++) F[c] += change[c];
}

/* Principal log strains of F, in order of size. */
static void principal_strains(const double F[9], double e[3])
{
    double b[9], transposed[9];
    transpose(F, transposed);
    multiply(F, transposed, b);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3, b, 3, e), 0);
    for (int i = 0; i < 3; i++) e[i] = 0.5 * log(e[i]);
}

/* What became plastic in a step, from the trial state: sqrt(2/3) |dev (e_trial - e)|. */
static double plastic_strain_of_step(const firn_lab_state *before, const firn_lab_state *after)
{
    double trial[9], undone[9], from[3], to[3], mean = 0, sum = 0;
    inverse(before->F, undone);
    multiply(after->F, undone, trial);
    multiply(trial, before->F_elastic, trial);
    principal_strains(trial, from);
    principal_strains(after->F_elastic, to);
    for (int i = 0; i < 3; i++) mean += (from[i] - to[i]) / 3;
    for (int i = 0; i < 3; i++) sum += (from[i] - to[i] - mean) * (from[i] - to[i] - mean);
    return sqrt(2 * sum / 3);
}

static double quantity(const firn_lab_point *p, firn_quantity wanted, double otherwise)
{
    const firn_law_info *law = &p->material->law->info;
    int k = firn_history_find(law, wanted);
    return k < 0 ? otherwise : firn_history_value(&law->history[k], p->state.history[k]);
}

/* Led along the motion; checked after every step. */
typedef struct walk {
    const char *label;
    int is_double;
    double strain; /* plastic strain, summed here */
    int n_flowing; /* steps in which F of the trial state was changed */
} walk;

static void check_step(walk *w, const firn_lab_state *before, const firn_lab_point *p)
{
    const firn_law_info *law = &p->material->law->info;
    double J = determinant(p->state.F), gate = w->is_double ? 1e-9 : 3e-4;
    double found = determinant(p->state.F_elastic) * quantity(p, FIRN_QUANTITY_PLASTIC_VOLUME, 1);
    if (!(fabs(found / J - 1) <= gate))
        fail_msg("%s: J = %.12g where det F = %.12g", w->label, found, J);

    double damage = quantity(p, FIRN_QUANTITY_DAMAGE, 0);
    if (!(damage >= 0 && damage <= 1)) fail_msg("%s: damage %g", w->label, damage);

    double step = plastic_strain_of_step(before, &p->state);
    w->strain += step;
    int k = firn_history_find(law, FIRN_QUANTITY_PLASTIC_STRAIN);
    if (k >= 0) {
        double now = quantity(p, FIRN_QUANTITY_PLASTIC_STRAIN, 0),
               then = firn_history_value(&law->history[k], before->history[k]);
        if (!(now >= then)) fail_msg("%s: plastic strain falls from %g to %g", w->label, then, now);
        if (w->is_double && !(fabs(now - w->strain) <= 1e-9 + 1e-6 * w->strain))
            fail_msg("%s: plastic strain %.12g instead of %.12g", w->label, now, w->strain);
    }

    /* a step that flows ends on the yield surface, or outside where flow takes time */
    int flows = law->is_plastic && step > (w->is_double ? 1e-9 : 1e-5);
    w->n_flowing += flows;
    if (w->is_double && flows && !(p->response.yield >= 1 - 1e-4))
        fail_msg("%s: flows at %g of the yield surface", w->label, p->response.yield);
    if (!law->is_plastic && p->response.yield != 0)
        fail_msg("%s: yields, and its table does not say so", w->label);
    if (!law->is_plastic && !law->is_fluid && step > gate)
        fail_msg("%s: flows, and its table does not say so", w->label);
}

static void lead(const firn_material *m, const char *label, int variant)
{
    char name[192];
    snprintf(name, sizeof name, "%s %s", label, firn_variant_name(variant));
    walk w = {.label = name, .is_double = firn_variant_is_double(variant)};
    firn_lab_point p;
    /* below all melting points: what has melted forgets its plastic strain */
    assert_int_equal(firn_lab_start(&p, m, variant, 250, NULL), FIRN_OK);
    for (int i = 1; i <= STEPS; i++) {
        firn_lab_control control = {.dt = 1e-4};
        firn_lab_state before = p.state;
        memcpy(control.value, p.state.F, sizeof control.value);
        move(i, control.value);
        assert_int_equal(firn_lab_advance(&p, &control, NULL), FIRN_OK);
        check_step(&w, &before, &p);
    }
    /* the motion is large enough for every law to yield: in F, or in its history alone */
    int n_changed = 0;
    for (int k = 0; k < m->law->info.n_history; k++)
        n_changed += p.state.history[k] != m->law->info.history[k].initial;
    if (m->law->info.is_plastic && !w.n_flowing && !n_changed) fail_msg("%s: never flows", name);
}

static void histories_mean_what_the_table_says(const firn_material *m, const char *label)
{
    for (int variant = 0; variant < FIRN_N_VARIANTS; variant++)
        if (variant_runs(m->law, variant)) lead(m, label, variant);
}

/* What is stored and what it means turn into each other; a quantity has one component at most. */
static void measures_turn_into_each_other(void **state)
{
    (void)state;
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        int n_roles[3] = {0};
        for (int k = 0; k < law->n_history; k++) {
            const firn_history_info *h = &law->history[k];
            for (double x = 0.25; x < 1; x += 0.25)
                assert_true(fabs(firn_history_value(h, firn_history_stored(h, x)) - x) < 1e-15);
            for (int q = 0; q < 3 && h->role != FIRN_HISTORY_OWN; q++)
                n_roles[q] += firn_history_find(law, (firn_quantity)q) == k;
        }
        for (int q = 0; q < 3; q++) {
            assert_true(n_roles[q] <= 1);
            assert_int_equal(n_roles[q], firn_history_find(law, (firn_quantity)q) >= 0);
        }
        /* without plastic volume a particle begins with J = det F */
        int k = firn_history_find(law, FIRN_QUANTITY_PLASTIC_VOLUME);
        if (k >= 0) assert_true(firn_history_value(&law->history[k], law->history[k].initial) == 1);
    }
}

static void test_histories(void **state)
{
    (void)state;
    for_each_material(histories_mean_what_the_table_says);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histories),
        cmocka_unit_test(measures_turn_into_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
