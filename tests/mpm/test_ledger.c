/* SPDX-License-Identifier: MIT */
/* test_ledger.c: the ledger against closed forms: impulses of walls, colliders, grips and forces
 * against the momentum that they gave, material by material; the work of moving bodies and the
 * dissipation of friction; losses and their causes. */
#include "verify/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;

#define NEAR(a, b, tolerance) near(a, b, tolerance, #a, __LINE__)
static void near(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("line %d: %s is %.12g, not %.12g", line, what, a, b);
}

static firn_ledger ledger_of(firn_sim *sim, int material)
{
    firn_ledger ledger;
    assert_int_equal(firn_sim_ledger(sim, material, &ledger, NULL), FIRN_OK);
    return ledger;
}

/* A block of 0.4 m standing on y = 0 of a grid of 0.1 m, with gravity. */
static void make_block(verify_scene *s, double E, int scheme)
{
    const double low[3] = {0, 0, 0}, high[3] = {0.4, 0.4, 0.4};
    verify_scene_init(s, 0.1, "neo_hookean", E, 0.3, 1000);
    verify_box(s, low, high, 2);
    s->scene.gravity[1] = -g;
    s->scene.transfer.scheme = scheme;
}

/* A dropped block: what the floor gave is the change of momentum plus weight times time, for
 * every kind of floor; and sideways whatever friction gave. */
static void floors(void **state)
{
    (void)state;
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++)
        for (int kind = FIRN_WALL_STICK; kind <= FIRN_WALL_MIRROR + 3; kind++) {
            verify_scene s;
            make_block(&s, 1e5, scheme);
            s.bodies[0].velocity[0] = 1;
            s.bodies[0].velocity[1] = -1;
            if (kind <= FIRN_WALL_MIRROR) {
                s.scene.grid.has_box = 1;
                s.scene.grid.wall_friction = 0.3;
                for (int a = 0; a < 3; a++) {
                    s.scene.grid.box_min[a] = a == 1 ? 0 : -9;
                    s.scene.grid.box_max[a] = 9;
                }
                s.scene.grid.walls[2] = kind;
            } else {
                firn_collider_def *floor = verify_floor(&s, 1, 0);
                floor->contact = kind - FIRN_WALL_MIRROR - 1;
                floor->friction = 0.3;
            }
            firn_sim *sim = verify_start(&s);
            double mass = ledger_of(sim, 0).mass;
            verify_go(sim, 0.1);
            firn_ledger l = ledger_of(sim, 0), all = ledger_of(sim, -1);
            const double *J = kind <= FIRN_WALL_MIRROR ? l.wall_impulse : l.collider_impulse;
            NEAR(J[0], l.momentum[0] - mass, 1e-10 * mass);
            NEAR(J[1], l.momentum[1] + mass + mass * g * 0.1, 1e-10 * mass);
            NEAR(J[2], l.momentum[2], 1e-10 * mass);
            assert_true(J[1] > 0.5 * mass && l.external_work == 0);
            for (int a = 0; a < 3; a++)
                assert_true(all.wall_impulse[a] + all.collider_impulse[a] ==
                            l.wall_impulse[a] + l.collider_impulse[a]);
            if (kind == FIRN_WALL_MIRROR) assert_true(l.friction_work == 0);
            firn_sim_destroy(sim);
        }
}

/* Between two mirror walls and on a third, one cell wide: edges and corners fold the same
 * momentum only once. */
static void mirrored_corner(void **state)
{
    (void)state;
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++) {
        verify_scene s;
        const double low[3] = {0, 0, 0}, high[3] = {0.1, 0.4, 0.1}, top[3] = {0.1, 9, 0.1};
        verify_scene_init(&s, 0.1, "neo_hookean", 1e5, 0.3, 1000);
        verify_box(&s, low, high, 2);
        verify_mirrors(&s, 1u | 2u | 4u | 16u | 32u, low, top);
        s.scene.gravity[1] = -g;
        s.scene.transfer.scheme = scheme;
        firn_sim *sim = verify_start(&s);
        verify_go(sim, 0.05);
        firn_ledger l = ledger_of(sim, 0);
        NEAR(l.wall_impulse[1], l.momentum[1] + l.mass * g * 0.05, 1e-10 * l.mass);
        NEAR(l.momentum[0], 0, 1e-10 * l.mass);
        firn_sim_destroy(sim);
    }
}

/* A column of 16 cells on a mirror wall at rest (1D: nu = 0, small strain): the stress is rho g
 * d, next to the wall to an eighth of the weight of a cell - gravity is mirrored there as well,
 * without that it would be 0.18. PIC creeps to rest. */
static void mirrored_weight(void **state)
{
    (void)state;
    verify_scene s;
    const double low[3] = {0, 0, 0}, high[3] = {0.1, 1.6, 0.1}, top[3] = {0.1, 9, 0.1};
    verify_scene_init(&s, 0.1, "neo_hookean", 1e7, 0, 1000);
    verify_box(&s, low, high, 2);
    verify_mirrors(&s, 1u | 2u | 4u | 16u | 32u, low, top);
    s.scene.gravity[1] = -g;
    s.scene.transfer.scheme = FIRN_PIC;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 3);
    double *x = verify_copy(sim, "P"), *stress = verify_copy(sim, "stress");
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++)
        if (x[3 * i + 1] < 1.4)
            NEAR(stress[6 * i + 1], -1000 * g * (1.6 - x[3 * i + 1]), 0.13 * 1000 * g * 0.1);
    free(x);
    free(stress);
    firn_sim_destroy(sim);
}

/* Two materials: far apart each closes its own ledger; stacked, their rows add up to that of
 * all. */
static void two_materials(void **state)
{
    (void)state;
    for (int is_stacked = 0; is_stacked < 2; is_stacked++) {
        verify_scene s;
        firn_sim *sim = NULL;
        make_block(&s, 1e5, FIRN_APIC);
        const double low[3] = {is_stacked ? 0 : 3, is_stacked ? 0.4 : 0, 0},
                     high[3] = {low[0] + 0.4, low[1] + 0.4, 0.4};
        verify_box(&s, low, high, 2);
        firn_material_def materials[2] = {s.material, s.material};
        strcpy(materials[1].name, "other");
        strcpy(s.bodies[1].material, "other");
        strcpy(materials[1].parameters[0].name, "rho");
        materials[1].parameters[0].value = 500;
        firn_collider_def *floor = verify_floor(&s, 1, 0);
        floor->contact = FIRN_SEPARATE;
        floor->friction = 0.2;
        s.bodies[0].velocity[0] = 0.5;
        firn_force_def wind = firn_force_default();
        strcpy(wind.name, "wind");
        strcpy(wind.kind, "gravity");
        wind.vector[2] = 2;
        s.scene.n_forces = 1;
        s.scene.forces = &wind;
        s.scene.n_materials = 2;
        s.scene.materials = materials;
        s.scene.n_bodies = 2;
        s.scene.bodies = s.bodies;
        s.scene.n_colliders = 1;
        s.scene.colliders = s.colliders;
        assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, NULL), FIRN_OK);
        verify_go(sim, 0.1);
        firn_ledger l[2] = {ledger_of(sim, 0), ledger_of(sim, 1)}, all = ledger_of(sim, -1);
        double m = all.mass;
        for (int a = 0; a < 3; a++) {
            NEAR(l[0].collider_impulse[a] + l[1].collider_impulse[a], all.collider_impulse[a],
                 1e-10 * m);
            NEAR(all.momentum[a],
                 (a == 0   ? 0.5 * l[0].mass
                  : a == 1 ? -m * g * 0.1
                           : 0) +
                     all.collider_impulse[a] + all.force_impulse[a],
                 1e-9 * m);
        }
        NEAR(all.force_impulse[2], 0.2 * m, 1e-9 * m);
        NEAR(l[1].force_impulse[2], 0.2 * l[1].mass, 1e-9 * m);
        NEAR(l[0].friction_work + l[1].friction_work, all.friction_work, 1e-9 * m);
        assert_true(l[0].friction_work > 0 && l[0].collider_impulse[1] > 0.5 * l[0].mass * g * 0.1);
        for (int k = 0; k < 2 && !is_stacked; k++)
            NEAR(l[k].collider_impulse[1], l[k].momentum[1] + l[k].mass * g * 0.1, 1e-10 * m);
        firn_sim_destroy(sim);
    }
}

/* mu N times the way, and that is what the kinetic energy loses. */
static void friction(void **state)
{
    (void)state;
    verify_scene s;
    make_block(&s, 1e6, FIRN_PIC);
    firn_collider_def *floor = verify_floor(&s, 1, 0);
    floor->contact = FIRN_SEPARATE;
    floor->friction = 0.2;
    s.bodies[0].velocity[0] = 3;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 0.3);
    firn_ledger a = ledger_of(sim, 0);
    verify_go(sim, 0.6);
    firn_ledger b = ledger_of(sim, 0);
    double way = b.center[0] - a.center[0], lost = 0.2 * a.mass * g * way;
    assert_true(way > 0.5);
    NEAR(b.friction_work - a.friction_work, lost, 1e-3 * lost);
    NEAR(a.kinetic + a.elastic + a.potential - b.kinetic - b.elastic - b.potential, lost,
         1e-3 * lost);
    assert_true(b.external_work == 0);
    firn_sim_destroy(sim);
}

/* A belt that starts to carry a block gives it the momentum p and does the work p . v, whatever
 * is lost on the way. */
static void belt(void **state)
{
    (void)state;
    verify_scene s;
    make_block(&s, 1e6, FIRN_APIC);
    firn_collider_def *floor = verify_floor(&s, 1, 0);
    floor->contact = FIRN_SEPARATE;
    floor->friction = 0.5;
    floor->surface_velocity[0] = 2;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 0.2);
    firn_ledger l = ledger_of(sim, 0);
    assert_true(l.momentum[0] > 0.1 * l.mass);
    NEAR(l.external_work, 2 * l.momentum[0], 1e-9 * l.mass);
    assert_true(l.friction_work > 0);
    firn_sim_destroy(sim);
}

/* A grip that lifts the whole block from rest with v does m v^2 at once (half of it kinetic),
 * then m g v t. */
static void lift(void **state)
{
    (void)state;
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++) {
        verify_scene s;
        make_block(&s, 1e6, scheme);
        const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
        verify_grip(&s, low, high)->motion.velocity[1] = 0.5;
        firn_sim *sim = verify_start(&s);
        verify_go(sim, 0.5);
        firn_ledger l = ledger_of(sim, 0);
        NEAR(l.grip_impulse[1], l.mass * (0.5 + g * 0.5), 1e-9 * l.mass);
        NEAR(l.external_work, l.mass * (0.25 + g * 0.5 * 0.5), 1e-9 * l.mass);
        NEAR(l.center[1], 0.2 + 0.25, 1e-10);
        firn_sim_destroy(sim);
    }
}

static void push(void *user, int64_t particle, const double x[3], double time, double a[3])
{
    (void)user, (void)x, (void)time;
    a[0] = 3;
    a[1] = a[2] = 0 * (double)particle;
}

/* A constant force F on a free body: momentum F t and the work F^2 t^2 / (2 m), its kinetic
 * energy - whether a traction, a force field or the caller gives it. */
static void free_body(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++)
        for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++) {
            verify_scene s;
            make_block(&s, 1e5, scheme);
            s.scene.gravity[1] = 0;
            s.scene.time.dt_fixed = 1e-3;
            const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1}, m = 64, F = 3 * m, t = 0.1;
            firn_force_def field = firn_force_default();
            strcpy(field.name, "push");
            strcpy(field.kind, "gravity");
            field.vector[0] = 3;
            if (way == 0) {
                firn_grip_def *grip = verify_grip(&s, low, high);
                grip->mode = FIRN_GRIP_TRACTION;
                grip->force[0] = F;
            }
            if (way == 1) {
                s.scene.n_forces = 1;
                s.scene.forces = &field;
            }
            firn_sim *sim = verify_start(&s);
            if (way == 2) firn_sim_set_acceleration(sim, push, NULL);
            verify_go(sim, t);
            assert_int_equal(firn_sim_step_count(sim), 100);
            firn_ledger l = ledger_of(sim, 0);
            NEAR(way ? l.force_impulse[0] : l.grip_impulse[0], F * t, 1e-9 * m);
            NEAR(l.momentum[0], F * t, 1e-9 * m);
            NEAR(l.external_work, F * F * t * t / (2 * m), 1e-8 * m);
            NEAR(l.external_work, l.kinetic, 1e-8 * m);
            firn_sim_destroy(sim);
        }
}

/* Particles that fall through a deleting wall, and others that leave the four million cells of
 * the grid. */
static void lost(void **state)
{
    (void)state;
    verify_scene s;
    make_block(&s, 1e5, FIRN_APIC);
    s.scene.grid.has_box = 1;
    for (int a = 0; a < 3; a++) {
        s.scene.grid.box_min[a] = -0.5;
        s.scene.grid.box_max[a] = 9;
    }
    for (int w = 0; w < 6; w++) s.scene.grid.walls[w] = FIRN_WALL_DELETE;
    firn_sim *sim = verify_start(&s);
    firn_ledger a = ledger_of(sim, 0);
    verify_go(sim, 1);
    firn_ledger b = ledger_of(sim, 0);
    assert_int_equal(b.n_lost_by[FIRN_LOST_WALL], a.n_particles);
    assert_int_equal(b.n_lost, a.n_particles);
    assert_int_equal(b.n_particles + b.n_lost_by[FIRN_LOST_FAR], 0);
    NEAR(b.lost_mass, a.mass, 1e-9);
    firn_sim_destroy(sim);

    verify_scene_init(&s, 0.1, "neo_hookean", 1e5, 0.3, 1000);
    const double edge = 0.4 * ((1 << 20) - 4), low[3] = {edge, 0, 0},
                 high[3] = {edge + 0.4, 0.4, 0.4};
    verify_box(&s, low, high, 2)->velocity[0] = 10;
    sim = verify_start(&s);
    verify_go(sim, 0.3);
    b = ledger_of(sim, -1);
    assert_int_equal(b.n_lost_by[FIRN_LOST_FAR], 512);
    assert_int_equal(b.n_lost_by[FIRN_LOST_WALL], 0);
    firn_sim_destroy(sim);
}

/* Noise takes nu of some particles out of its range, where it is held: each counts once a step, in a
 * ledger, in the attribute, and in a method without a grid too. */
static void bounded(void **state)
{
    (void)state;
    for (int is_meshless = 0; is_meshless < 2; is_meshless++) {
        verify_scene s;
        make_block(&s, 1e3, FIRN_APIC);
        if (is_meshless) strcpy(s.scene.method, "sph_elastic");
        s.scene.time.dt_fixed = 1e-4;
        firn_material_def *material = &s.material;
        for (int k = 0; k < material->n_parameters; k++)
            if (strcmp(material->parameters[k].name, "nu") == 0) material->parameters[k].noise = 1;
        firn_sim *sim = verify_start(&s);
        const int64_t n = firn_sim_n_particles(sim);
        double *bits = verify_copy(sim, "bounded");
        int64_t n_held = 0;
        for (int64_t i = 0; i < n; i++) n_held += bits[i] == 1 << FIRN_BOUND_PARAMETER;
        free(bits);
        assert_true(n_held > n / 10 && n_held < n / 2); /* xi > 2/3: a sixth */
        verify_go(sim, 3e-4);
        const int64_t expected = n_held * firn_sim_step_count(sim);
        const firn_ledger ledger = ledger_of(sim, 0);
        assert_int_equal(ledger.n_bounded, expected);
        assert_int_equal(ledger.n_bounded_by[FIRN_BOUND_PARAMETER], expected);
        assert_int_equal(firn_sim_stats(sim).n_bounded[FIRN_BOUND_PARAMETER], expected);
        assert_int_equal(ledger.n_inverted, 0);
        firn_sim_destroy(sim);
    }
}

/* Turned inside out, seven particles count once a step each. */
static void inverted(void **state)
{
    (void)state;
    verify_scene s;
    make_block(&s, 1e-3, FIRN_APIC);
    s.scene.time.dt_fixed = 1e-4;
    firn_sim *sim = verify_start(&s);
    double *F = verify_copy(sim, "F");
    for (int i = 0; i < 7; i++) F[9 * i] = -1;
    verify_assign(sim, "F", F);
    free(F);
    verify_go(sim, 3e-4);
    assert_int_equal(ledger_of(sim, 0).n_inverted, 21);
    assert_int_equal(firn_sim_stats(sim).n_inverted, 21);
    void *saved;
    size_t n;
    assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
    firn_sim *again = verify_start(&s);
    assert_int_equal(firn_sim_restore(again, saved, n, NULL), FIRN_OK);
    firn_ledger a = ledger_of(sim, -1), b = ledger_of(again, -1);
    assert_memory_equal(&a, &b, sizeof a);
    firn_sim_release_state(sim, saved, n);
    firn_sim_destroy(sim);
    firn_sim_destroy(again);
}

/* The bulk leaves out a crumb of less than half a per cent of the mass; without crumbs it is the
 * bounding box. */
static void bulk_without_crumbs(void **state)
{
    (void)state;
    for (int has_crumb = 0; has_crumb < 2; has_crumb++) {
        verify_scene s;
        make_block(&s, 1e5, FIRN_APIC);
        const double low[3] = {3, 0, 0}, high[3] = {3.05, 0.05, 0.05}; /* one particle of 513 */
        if (has_crumb) verify_box(&s, low, high, 2);
        firn_sim *sim = verify_start(&s);
        firn_ledger l = ledger_of(sim, -1);
        for (int a = 0; a < 3; a++) {
            NEAR(l.bulk_min[a], 0.025, 1e-3);
            NEAR(l.bulk_max[a], 0.375, 1e-3);
        }
        NEAR(l.max[0], has_crumb ? 3.025 : 0.375, 1e-9);
        firn_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors),
        cmocka_unit_test(mirrored_corner),
        cmocka_unit_test(mirrored_weight),
        cmocka_unit_test(friction),
        cmocka_unit_test(two_materials),
        cmocka_unit_test(belt),
        cmocka_unit_test(lift),
        cmocka_unit_test(free_body),
        cmocka_unit_test(lost),
        cmocka_unit_test(bounded),
        cmocka_unit_test(inverted),
        cmocka_unit_test(bulk_without_crumbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
