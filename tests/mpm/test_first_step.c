/* SPDX-License-Identifier: MIT */
/* One step from a state whose result is known on paper: where contact begins, what a held particle
 * carries, which step viscosity allows. */
#include "firn/firn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def block, ground;
    firn_body_def body;
    firn_collider_def floor;
    firn_grip_def grip;
} setup;

/* A cube of 0.4 m on the plane y = 0, eight particles to a cell of 0.1 m, on a regular lattice: its
 * particles stand a quarter and three quarters of a cell above each plane of nodes. */
static void make(setup *s)
{
    *s = (setup){firn_scene_default(), firn_material_default(), firn_shape_default(),
                 firn_shape_default(), firn_body_default(),     firn_collider_default(),
                 firn_grip_default()};
    strcpy(s->material.name, "stuff");
    strcpy(s->material.law, "neo_hookean");
    strcpy(s->block.kind, "box");
    strcpy(s->ground.kind, "half_space");
    s->ground.normal[1] = 1;
    s->block.center[1] = 0.2;
    for (int a = 0; a < 3; a++) {
        s->block.size[a] = 0.4;
        s->scene.gravity[a] = 0;
    }
    strcpy(s->body.name, "cube");
    strcpy(s->body.material, "stuff");
    s->body.n_shapes = 1;
    s->body.shapes = &s->block;
    s->body.sampling = FIRN_REGULAR;
    s->body.particles_per_cell = 8;
    strcpy(s->floor.name, "floor");
    s->floor.n_shapes = 1;
    s->floor.shapes = &s->ground;
    s->floor.contact = FIRN_SEPARATE;
    strcpy(s->grip.name, "hand");
    s->grip.n_shapes = 1;
    s->grip.shapes = &s->block;
    s->scene.grid.dx = 0.1;
    s->scene.is_double = 1;
    s->scene.n_materials = s->scene.n_bodies = 1;
    s->scene.materials = &s->material;
    s->scene.bodies = &s->body;
}

static firn_sim *step_once(const setup *s)
{
    firn_run_options options = firn_run_options_default();
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    options.n_threads = 1;
    if (firn_sim_create(&s->scene, &options, &sim, messages) != FIRN_OK ||
        firn_sim_step(sim, 1, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return sim;
}

static void near(double got, double expected, double gate)
{
    if (!(fabs(got - expected) <= gate)) fail_msg("%.15g instead of %.15g", got, expected);
}

/* `touch: surface`. The nodes on the plane see the layers at 1/4, 3/4, ... cells with the weights
 * of the spline. Their centre is at
 *
 *     quadratic  (.6875 1 + .28125 3 + .03125 5) / 4 h               = .421875 h,  d(0) = 13/32 h
 *     cubic      (235 1 + 121 3 + 27 5 + 1 7) / 384 / 4 h            = 185/384 h,  d(0) = 7/15 h
 *
 * and the gap is the difference, 1/64 h and 29/1920 h. They may close it in the step: of the
 * velocity v the part gap / dt is left. All layers together give the plane the mass of one. The
 * next plane of nodes below has a gap that v dt does not reach. */
static void contact_begins_at_the_surface(void **state)
{
    (void)state;
    static const double gaps[] = {29.0 / 1920, 1.0 / 64}; /* cells */
    const double h = 0.1, dt = 1e-3, v = 0.05 * h / dt;
    for (int is_quadratic = 0; is_quadratic < 2; is_quadratic++) {
        setup s;
        make(&s);
        s.scene.grid.spline = is_quadratic ? FIRN_QUADRATIC : FIRN_CUBIC;
        s.scene.n_colliders = 1;
        s.scene.colliders = &s.floor;
        s.floor.touch = FIRN_TOUCH_SURFACE;
        s.body.velocity[1] = -v;
        s.scene.time.dt_fixed = dt;
        firn_sim *sim = step_once(&s);
        firn_ledger l;
        assert_int_equal(firn_sim_ledger(sim, 0, &l, NULL), FIRN_OK);
        near(firn_sim_stats(sim).limit.dt, dt, 1e-12);
        near(l.collider_impulse[1], l.mass / 8 * (v - gaps[is_quadratic] * h / dt), 1e-9 * l.mass);
        firn_sim_destroy(sim);
    }
}

/* `touch: particles`. A block of layers at 1/4, 3/4, ... cells above the plane arrives at -v: its face,
 * on the plane, is stopped. With the parts c_k of a uniform pressure on the planes of nodes k = -1,
 * 0, 1, the sums of -dw/dy over layers half a cell thick, and their masses Z_k in layers,
 *
 *     quadratic  c = (1, 6, 1) / 8          Z = (1, 32, 63) / 32
 *     cubic      c = (5, 22, 5) / 32        Z = (28, 384, 740) / 384
 *
 * an impulse J per layer changes the velocity of the face by J / M sum c^2 / Z, M the mass of a
 * layer: J = M v / sum c^2 / Z, at any place of any cross-section. With a gap of h / 100 left, v -
 * gap / dt is stopped. */
static void contact_begins_at_faces(void **state)
{
    (void)state;
    const double h = 0.1, dt = 1e-3, v = 0.05 * h / dt,
                 sums[] = {(25 * 384 / 28.0 + 22 * 22 + 25 * 384 / 740.0) / 1024,
                           (32 + 36 + 32 / 63.0) / 64};
    for (int k = 0; k < 4; k++) {
        const double gap = k / 2 * 0.01 * h;
        setup s;
        make(&s);
        s.scene.grid.spline = k % 2 ? FIRN_QUADRATIC : FIRN_CUBIC;
        s.scene.n_colliders = 1;
        s.scene.colliders = &s.floor;
        s.ground.center[1] = -gap;
        s.floor.touch = FIRN_TOUCH_PARTICLES;
        s.body.velocity[1] = -v;
        s.scene.time.dt_fixed = dt;
        firn_sim *sim = step_once(&s);
        firn_ledger l;
        assert_int_equal(firn_sim_ledger(sim, 0, &l, NULL), FIRN_OK);
        near(firn_sim_stats(sim).limit.dt, dt, 1e-12);
        near(l.collider_impulse[1], l.mass / 8 * (v - gap / dt) / sums[k % 2], 1e-9 * l.mass);
        firn_sim_destroy(sim);
    }
}

/* A held particle has C = grad v of the grip, row i the gradient of v_i: for the spin w
 * about any axis, v = w x r. */
static void held_particles_spin_with_their_grip(void **state)
{
    (void)state;
    enum { MOST = 4096 };
    static double C[9 * MOST];
    setup s;
    make(&s);
    const double w[3] = {1, -2, 3};
    const double expected[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    s.scene.n_grips = 1;
    s.scene.grips = &s.grip;
    memcpy(s.grip.motion.spin, w, sizeof w);
    firn_sim *sim = step_once(&s);
    const size_t n = (size_t)firn_sim_n_particles(sim);
    assert_true(n <= MOST);
    assert_int_equal(firn_sim_copy(sim, "C", C, 9 * n, NULL), FIRN_OK);
    for (size_t i = 0; i < 9 * n; i++) near(C[i], expected[i % 9], 1e-9);
    firn_sim_destroy(sim);
}

/* dt = cfl h^2 / (6 nu) where viscosity limits, and so do the steps after the first. */
static void viscosity_limits_the_step(void **state)
{
    (void)state;
    setup s;
    make(&s);
    strcpy(s.material.law, "liquid");
    s.material.n_parameters = 2;
    strcpy(s.material.parameters[0].name, "rho");
    s.material.parameters[0].value = 1000;
    strcpy(s.material.parameters[1].name, "viscosity");
    s.material.parameters[1].value = 5000;
    firn_sim *sim = step_once(&s);
    assert_string_equal(firn_sim_stats(sim).limit.criterion, "viscosity");
    near(firn_sim_stats(sim).limit.dt, s.scene.time.cfl * 0.1 * 0.1 / (6 * 5), 1e-12);
    firn_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contact_begins_at_the_surface),
                                       cmocka_unit_test(contact_begins_at_faces),
                                       cmocka_unit_test(held_particles_spin_with_their_grip),
                                       cmocka_unit_test(viscosity_limits_the_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
