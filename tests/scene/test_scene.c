/* SPDX-License-Identifier: MIT */
/* Scene files: what is read, and for every kind of bad input the exact sentences, all of them at
 * once. */
#include "scene/yaml_tree.h"
#include "base/memory.h"
#include "scene/scene_schema.h"
#include "scene/scene.h"
#include "points/format.h"
#include "solver/attributes.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A scene without mistakes; tests append to it or put something else in its place. */
#define GRID "grid: {dx: 2 cm}\n"
#define MATERIALS "materials: {jelly: {law: neo_hookean, E: 140 kPa}}\n"
#define BODIES_OF_CLAY "bodies: {ball: {material: clay, shape: {kind: sphere, radius: 10 cm}}}\n"
#define BODIES "bodies: {ball: {material: jelly, shape: {kind: sphere, radius: 10 cm}}}\n"

static firn_scene *parse(const char *text, int n_sets, const char *const *sets,
                         firn_messages *messages)
{
    return firn_scene_parse(text, strlen(text), "s.yaml", n_sets, sets, messages);
}

/* Refused with exactly these sentences, separated by line ends. */
static void check_refused(const char *text, const char *sentences)
{
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = parse(text, 0, NULL, messages);
    if (scene) fail_msg("was taken: %s", text);
    char all[8192] = "";
    for (int i = 0; i < firn_messages_total(messages); i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? "\n" : "",
                 firn_messages_text(messages, i, NULL));
    assert_string_equal(all, sentences);
    assert_int_equal(firn_messages_status(messages), FIRN_REFUSED);
    firn_messages_destroy(messages);
}

static void check_set_refused(const char *set, const char *sentence)
{
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = parse(GRID MATERIALS BODIES, 1, &set, messages);
    if (scene) fail_msg("was taken: %s", set);
    assert_string_equal(firn_messages_text(messages, 0, NULL), sentence);
    assert_int_equal(firn_messages_total(messages), 1);
    firn_messages_destroy(messages);
}

static firn_scene *check_taken(const char *text, int n_sets, const char *const *sets)
{
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = parse(text, n_sets, sets, messages);
    if (!scene) fail_msg("refused: %s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return scene;
}

/* ---------------------------------------------------------------- what is read */

static void test_values(void **state)
{
    (void)state;
    firn_scene *scene = check_taken(
        "scene: {name: shot, frames: 12, fps: 30, precision: double, seed: 18446744073709551615}\n"
        "grid: {dx: 2 cm, spline: quadratic, box_min: [0, 0, 0], box_max: [1, 50 cm, 1], walls: "
        "[open, open, stick, open, slip, delete]}\n"
        "time: {cfl: 0.3, dt_max: 1 ms}\n"
        "transfer: {scheme: flip, flip_blend: 95 %, force: mls}\n"
        "gravity: [0, 0, -1.62]\n"
        "materials:\n"
        "  jelly: {law: neo_hookean, E: {value: 140 kPa, noise: 10 %}, nu: 0.4}\n"
        "  wax: {preset: dry_sand, E: {table: {0 degC: 1 MPa, 60 degC: 1 kPa}}, transfer: {scheme: "
        "pic}}\n"
        "bodies:\n"
        "  - {name: a, material: jelly, shape: [{kind: box, size: [1, 2, 3]}, {kind: sphere, csg: "
        "difference, radius: 1}], F: [1, 1, 1.2]}\n"
        "  - {name: b, material: wax, shapes: {kind: sphere, radius: 1}, F: [[1, 2, 0], [0, 1, 0], "
        "[0, 0, 1]], temperature: 20 degC}\n"
        "colliders:\n"
        "  drum: {shape: {kind: cylinder, radius: 1, height: 1}, motion: {keys: [{time: 0}, {time: "
        "1, rotation: [0, 90 deg, 0]}]}, friction: 0.5}\n"
        "outputs:\n"
        "  - {format: ply, attributes: [P, v], every: 2}\n"
        "expect: []\n",
        0, NULL);
    const firn_scene_def *def = firn_scene_definition(scene);
    assert_string_equal(def->name, "shot");
    assert_true(def->frames == 12 && def->is_double == 1 && def->seed == UINT64_MAX);
    assert_true(def->grid.dx == 0.02 && def->grid.spline == FIRN_QUADRATIC && def->grid.has_box);
    assert_true(def->grid.box_max[1] == 0.5 && def->grid.walls[2] == FIRN_WALL_STICK &&
                def->grid.walls[5] == FIRN_WALL_DELETE);
    assert_true(def->transfer.scheme == FIRN_FLIP && def->transfer.flip_blend == 0.95 &&
                def->transfer.force == FIRN_FORCE_MLS);
    assert_true(def->gravity[2] == -1.62 && def->time.dt_max == 1e-3);
    assert_int_equal(def->n_materials, 2);
    assert_string_equal(def->materials[0].parameters[0].name, "E");
    assert_true(def->materials[0].parameters[0].value == 140e3 &&
                def->materials[0].parameters[0].noise == 0.1);
    const firn_parameter_def *table = &def->materials[1].parameters[0];
    assert_true(table->n_table == 2 && table->table_temperature[1] == 333.15 &&
                table->table_value[0] == 1e6);
    assert_true(def->materials[1].has_transfer && def->materials[1].transfer.scheme == FIRN_PIC);
    assert_true(!def->materials[0].has_transfer);
    assert_true(def->bodies[0].n_shapes == 2 && def->bodies[0].shapes[1].csg == FIRN_DIFFERENCE);
    assert_true(def->bodies[0].F[8] == 1.2 && def->bodies[1].F[1] == 2 &&
                def->bodies[1].temperature == 293.15);
    const double *q = def->colliders[0].motion.keys[1].rotation; /* a quarter turn about y */
    assert_true(fabs(q[1] - sqrt(0.5)) < 1e-15 && fabs(q[3] - sqrt(0.5)) < 1e-15 && q[0] == 0 &&
                q[2] == 0);
    assert_string_equal(def->outputs[0].attributes, "P v");
    assert_int_equal(def->n_outputs, 1);
    firn_scene_destroy(scene);
}

/* A time can be in frames of the scene, wherever fps stands in the file; what is no time cannot. */
static void test_times_in_frames(void **state)
{
    (void)state;
    static const char text[] =
        "grid: {dx: 2 cm}\n" MATERIALS
        "bodies: {a: {material: jelly, shape: {kind: sphere, radius: 1}}}\n"
        "colliders: {drum: {shape: {kind: plane}, motion: {keys: [{time: 0 frames, position: [0, "
        "0, "
        "0]}, {time: 36 frames, position: [0, 1, 0]}, {time: 2 s, position: [0, 1, 0]}]}, "
        "stop: 1 frame}}\n";
    char with_fps[1024];
    snprintf(with_fps, sizeof with_fps, "%sscene: {fps: 30}\n", text);
    firn_scene *of_default = check_taken(text, 0, NULL), *of_own = check_taken(with_fps, 0, NULL);
    const firn_collider_def *c = firn_scene_definition(of_default)->colliders;
    assert_true(c->motion.keys[0].time == 0 && c->motion.keys[1].time == 1.5 &&
                c->motion.keys[2].time == 2 && c->stop == 1 / 24.0);
    assert_true(firn_scene_definition(of_own)->colliders->motion.keys[1].time == 1.2);
    firn_scene_destroy(of_default);
    firn_scene_destroy(of_own);
    firn_messages *messages = firn_messages_create();
    const char *set = "grid.dx=2 frames";
    assert_null(parse(text, 1, &set, messages));
    firn_messages_destroy(messages);
}

/* Angles are applied about x, then y, then z: the x axis, turned by 90 degrees about z last,
 * becomes y. */
static void test_order_of_angles(void **state)
{
    (void)state;
    firn_scene *scene =
        check_taken(GRID MATERIALS BODIES "colliders: {c: {shape: {kind: plane}, motion: {keys: "
                                          "[{time: 0, rotation: [90 deg, 0, 90 deg]}]}}}\n",
                    0, NULL);
    const double *q = firn_scene_definition(scene)->colliders[0].motion.keys[0].rotation;
    /* z -> (about x) -y -> (about z) x, by q v q* */
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double image[3] = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
    assert_true(fabs(image[0] - 1) < 1e-15 && fabs(image[1]) < 1e-15 && fabs(image[2]) < 1e-15);
    firn_scene_destroy(scene);
}

static void test_defaults_of_a_file(void **state)
{
    (void)state;
    firn_scene *scene = check_taken(GRID MATERIALS BODIES, 0, NULL);
    const firn_scene_def *def = firn_scene_definition(scene);
    assert_string_equal(def->name, "s");
    assert_int_equal(def->n_outputs, 1);
    assert_string_equal(def->outputs[0].format, "bgeo");
    firn_scene_destroy(scene);
    scene = check_taken(GRID MATERIALS BODIES "outputs: []\n", 0, NULL);
    assert_int_equal(firn_scene_definition(scene)->n_outputs, 0);
    firn_scene_destroy(scene);
}

static void test_settings(void **state)
{
    (void)state;
    const char *const sets[] = {"grid.dx=1 cm",
                                "materials.jelly.E=2 MPa",
                                "bodies.ball.shape.radius=3",
                                "bodies.ball.shape.0.center=[1, 2, 3]",
                                "time.cfl=0.1",
                                "grid.box_min=[0,0,0]"};
    firn_scene *scene = check_taken(GRID MATERIALS BODIES, 6, sets);
    const firn_scene_def *def = firn_scene_definition(scene);
    assert_true(def->grid.dx == 0.01 && def->time.cfl == 0.1 && def->grid.has_box);
    assert_true(def->materials[0].parameters[0].value == 2e6);
    assert_true(def->bodies[0].shapes[0].radius == 3 && def->bodies[0].shapes[0].center[2] == 3);
    firn_scene_destroy(scene);
    const char *const by_list[] = {"bodies.b.velocity=[0, 1, 0]", "bodies.0.spacing=2",
                                   "bodies.b.shape.radius=7"};
    scene = check_taken(GRID MATERIALS
                        "bodies:\n- {name: a, material: jelly, shape: {kind: sphere, radius: 1}}\n"
                        "- {name: b, material: jelly, shapes: [{kind: sphere, radius: 1}]}\n",
                        3, by_list);
    def = firn_scene_definition(scene);
    assert_true(def->bodies[1].velocity[1] == 1 && def->bodies[0].spacing == 2 &&
                def->bodies[1].shapes[0].radius == 7);
    firn_scene_destroy(scene);
}

static void test_settings_refused(void **state)
{
    (void)state;
    check_set_refused("grid.dx=1 kg", "--set grid.dx=1 kg: grid.dx is \"1 kg\", but kg does not "
                                      "convert to m; allowed: a number in m");
    check_set_refused(
        "grid.dz=1",
        "--set grid.dz=1: \"dz\" is no key of grid; allowed: dx, spline, geometry, shift, box_min, "
        "box_max, walls, wall_friction, overlap; did you mean \"dx\"?");
    check_set_refused("grid.dx", "--set grid.dx: not of the form path.to.key=value");
    check_set_refused("=3", "--set =3: not of the form path.to.key=value");
    check_set_refused(
        "bodies.bal.spacing=1",
        "--set bodies.bal.spacing=1: bodies has no \"bal\"; allowed: ball; did you mean \"ball\"?");
    check_set_refused("grid.dx.x=1", "--set grid.dx.x=1: grid.dx is a single value without keys");
    check_set_refused("grid.dx=-1",
                      "--set grid.dx=-1: grid.dx is -1; allowed: above 0, up to 10000 m");
    check_set_refused("gravity=[0, -9.81", "--set gravity=[0, -9.81: not YAML: did not find "
                                           "expected ',' or ']', while parsing a flow sequence");
}

/* ---------------------------------------------------------------- what is refused */

static void test_numbers_refused(void **state)
{
    (void)state;
#define WITH(parameter) GRID "materials: {jelly: {law: neo_hookean, " parameter "}}\n" BODIES
    check_refused(WITH("E: 1.0e4 kg"), "s.yaml:2:42: materials.jelly.E is \"1.0e4 kg\", but kg "
                                       "does not convert to Pa; allowed: a number in Pa");
    check_refused(WITH("E: 1.0e4Pq"),
                  "s.yaml:2:42: materials.jelly.E is \"1.0e4Pq\", but there is no unit \"Pq\"; "
                  "allowed: a number in Pa; did you mean \"Pa\"?");
    check_refused(WITH("E: 1e400"),
                  "s.yaml:2:42: materials.jelly.E is \"1e400\", which is too large for a number");
    check_refused(WITH("E: .nan"), "s.yaml:2:42: materials.jelly.E is \".nan\", which is not a "
                                   "number; allowed: a number in Pa");
    check_refused(WITH("E: NaN"), "s.yaml:2:42: materials.jelly.E is \"NaN\", which is not a "
                                  "number; allowed: a number in Pa");
    check_refused(WITH("rho: -1000"), "s.yaml:2:44: materials.jelly.rho is -1000; allowed: 0.001 "
                                      "to 100000 kg/m^3 (density in the undeformed state)");
    check_refused(WITH("nu: 0.5"), "s.yaml:2:43: materials.jelly.nu is 0.5; allowed: -0.9 to "
                                   "0.4999 (Poisson's ratio at small strain)");
    check_refused(WITH("E: [1, 2]"),
                  "s.yaml:2:42: materials.jelly.E needs a number in Pa, not a list");
    check_refused(WITH("E: {noise: 10 %}"),
                  "s.yaml:2:42: materials.jelly.E needs a value or a table");
    check_refused(
        WITH("E: "),
        "s.yaml:2:42: materials.jelly.E is \"\", which is not a number; allowed: a number in Pa");
    check_refused(GRID MATERIALS BODIES "gravity: 9.81\n",
                  "s.yaml:4:10: gravity needs a list of 3 numbers, like [0, 1, 0]");
    check_refused(GRID MATERIALS BODIES "scene: {frames: 1.5}\n",
                  "s.yaml:4:17: scene.frames is \"1.5\"; allowed: a whole number");
    check_refused(GRID MATERIALS BODIES "scene: {frames: 0}\n",
                  "s.yaml:4:17: scene.frames is 0; allowed: 1 to 1e+07");
    check_refused(GRID MATERIALS BODIES "scene: {fps: }\n",
                  "s.yaml:4:14: scene.fps is empty; give it a value or leave the key out");
#undef WITH
}

static void test_keys_refused(void **state)
{
    (void)state;
    check_refused(GRID MATERIALS BODIES GRID,
                  "s.yaml:4:1: key \"grid\" is given twice; the first is in line 1");
    check_refused("grid: {dxx: 1, dx: 1}\n" MATERIALS BODIES,
                  "s.yaml:1:8: \"dxx\" is no key of grid; allowed: dx, spline, geometry, shift, "
                  "box_min, box_max, "
                  "walls, wall_friction, overlap; did you mean \"dx\"?");
    check_refused(GRID MATERIALS BODIES "checkpoint: {keep: 1}\n",
                  "s.yaml:4:1: \"checkpoint\" is no key of a scene file; allowed: scene, grid, "
                  "time, transfer, meshless, sph_corotated, peridynamics, sph_fluid, "
                  "gravity, forces, pressures, maps, materials, bodies, emitters, colliders, "
                  "grips, sinks, heat, "
                  "outputs, checkpoints, probes, expect, sweep; did you mean \"checkpoints\"?");
    check_refused("grid: {}\n" MATERIALS BODIES,
                  "s.yaml:1:7: grid.dx is missing; allowed: above 0, up to 10000 m");
    check_refused(MATERIALS BODIES,
                  "s.yaml:1:1: grid.dx is missing; allowed: above 0, up to 10000 m");
    check_refused("grid: 3\n" MATERIALS BODIES,
                  "s.yaml:1:7: grid needs keys and values, like {key: value}");
    char sentence[2048] =
        "s.yaml:2:26: materials.jelly.law is \"neohookean\", which is no law; allowed: ";
    for (int i = 0; i < firn_law_count(); i++)
        strcat(strcat(sentence, i ? ", " : ""), firn_law_at(i)->name);
    strcat(sentence, "; did you mean \"neo_hookean\"?");
    check_refused(GRID "materials: {jelly: {law: neohookean}}\n" BODIES, sentence);
    check_refused(
        GRID MATERIALS BODIES "forces: {w: {kind: gravty}}\n",
        "s.yaml:4:20: forces.w.kind is \"gravty\", which is no kind of force; allowed: "
        "gravity, drag, point, vortex, turbulence, guide, goal; did you mean \"gravity\"?");
    strcpy(sentence, "s.yaml:4:19: outputs.0.format is \"begeo\", which is no format that can be "
                     "written; allowed: ");
    for (int i = 0, n = 0; firn_format_at(i); i++)
        if (firn_format_at(i)->write)
            strcat(strcat(sentence, n++ ? ", " : ""), firn_format_at(i)->name);
    strcat(sentence, "; did you mean \"bgeo\"?");
    check_refused(GRID MATERIALS BODIES "outputs: {format: begeo}\n", sentence);
    strcpy(sentence, "s.yaml:4:37: outputs.0.attributes is \"velo\", which is no attribute of this "
                     "scene's particles; allowed: ");
    for (int i = 0; firn_attribute_at(i); i++)
        strcat(strcat(sentence, i ? ", " : ""), firn_attribute_at(i)->name);
    check_refused(GRID MATERIALS BODIES "outputs: {format: bgeo, attributes: [P, velo]}\n",
                  sentence);
    check_refused(
        GRID "materials: {jelly: {}}\n" BODIES,
        "s.yaml:2:20: materials.jelly.law is missing; try: a law or a preset of `firn materials`");
    check_refused(GRID MATERIALS
                  "bodies: {ball: {material: jely, shape: {kind: sphere, radius: 1}}}\n",
                  "s.yaml:3:27: bodies.ball.material is \"jely\", which is no material of this "
                  "scene; allowed: jelly; did you mean \"jelly\"?");
    check_refused(GRID MATERIALS BODIES
                  "expect: {measure: mass, over: max, time: 0, at_least: 1, source: s}\n",
                  "s.yaml:4:42: expect.0.time is 0 s, which is not after from (0 s)");
    firn_scene_destroy(/* a moment has no beginning, and may be the first */
                       check_taken(GRID MATERIALS BODIES
                                   "expect: {measure: mass, time: 0, at_least: 1, source: s}\n",
                                   0, NULL));
#define BALL "{kind: sphere, radius: 1}"
    check_refused(GRID MATERIALS "bodies: {ball: {material: jelly, shape: " BALL
                                 ", surface_depth: 1}}\n",
                  "s.yaml:3:83: bodies.ball.surface_depth is given without particles_at_surface, "
                  "to which it belongs");
    check_refused(GRID MATERIALS "emitters: {tap: {material: jelly, shape: " BALL
                                 ", outward: 2}}\n",
                  "s.yaml:3:78: emitters.tap.outward is 2 m/s; allowed: 0 without `from: surface`");
    check_refused(GRID MATERIALS "emitters: {tap: {material: jelly, shape: " BALL
                                 ", from: surface}}\n",
                  "s.yaml:3:75: emitters.tap.from is surface, but nothing leaves it; try: "
                  "velocity, outward or rate");
#undef BALL
    check_refused(GRID MATERIALS,
                  "s.yaml:1:1: bodies is missing; a scene needs at least one body or emitter");
    check_refused(GRID MATERIALS
                  "bodies: [{name: a, material: jelly, shape: {kind: box, size: [1, 1, 1]}}, "
                  "{name: a, material: jelly, shape: {kind: box, size: [1, 1, 1]}}]\n",
                  "s.yaml:3:75: bodies.a has the same name as another of the bodies");
    check_refused(GRID MATERIALS "bodies: {ball: {material: jelly, shape: {kind: box, size: [1, 1, "
                                 "1]}, shapes: {kind: box, size: [1, 1, 1]}}}\n",
                  "s.yaml:3:71: bodies.ball.shape is given twice, under two of its names");
}

static void test_all_at_once(void **state)
{
    (void)state;
    check_refused(
        "grid: {dx: 2 kg}\n" MATERIALS BODIES "time: {cfl: -1}\ntransfer: {scheme: apik}\n",
        "s.yaml:1:12: grid.dx is \"2 kg\", but kg does not convert to m; allowed: a number in m\n"
        "s.yaml:4:13: time.cfl is -1; allowed: above 0, up to 2\n"
        "s.yaml:5:20: transfer.scheme is \"apik\"; allowed: apic, flip, pic, aflip; did you mean "
        "\"apic\"?");
}

/* ---------------------------------------------------------------- texts that attack */

/* What is wrong beside an unknown law is told with it: units that all laws share are checked. */
static void test_beside_an_unknown_law(void **state)
{
    (void)state;
    const char *text = GRID
        "materials:\n  jelly: {law: neo_hokean, E: 3 kg, nu: 0.3 m, Q: 1, theta_c: 1 %}\n" BODIES;
    const char *const sentences[] = {
        "s.yaml:3:16: materials.jelly.law is \"neo_hokean\", which is no law; allowed: ",
        ("s.yaml:3:31: materials.jelly.E is \"3 kg\", but kg does not convert to Pa; allowed: "
         "a number in Pa"),
        "s.yaml:3:41: materials.jelly.nu is \"0.3 m\", but must be without a unit",
        "s.yaml:3:48: materials.jelly.Q is no key of a material, nor a parameter of any law",
    };
    firn_messages *messages = firn_messages_create();
    assert_null(parse(text, 0, NULL, messages));
    assert_int_equal(firn_messages_total(messages), 4);
    for (int i = 0; i < 4; i++)
        assert_memory_equal(firn_messages_text(messages, i, NULL), sentences[i],
                            strlen(sentences[i]));
    firn_messages_destroy(messages);
}

/* A force's vector and strength have the unit of its kind. */
static void test_forces_refused(void **state)
{
    (void)state;
    check_refused(GRID MATERIALS BODIES "forces:\n"
                                        "  a: {kind: drag, strength: 3 Pa}\n"
                                        "  b: {strength: 1/s, kind: point}\n"
                                        "  c: {kind: gravity, vector: [0, 1 m/s, 0]}\n"
                                        "  d: {kind: vortex, strength: 3}\n",
                  "s.yaml:5:29: forces.a.strength is \"3 Pa\", but Pa does not convert to 1/s; "
                  "allowed: a number in 1/s\n"
                  "s.yaml:6:17: forces.b.strength is \"1/s\", in which \"/s\" cannot be read; "
                  "allowed: a number in m/s^2\n"
                  "s.yaml:7:30: forces.c.vector is \"1 m/s\", but m/s does not convert to m/s^2; "
                  "allowed: a number in m/s^2\n"
                  "s.yaml:8:6: forces.d.vector is zero; kind vortex needs a direction");
}

/* Numbers that no shape of the kind can have are told with their place, beside other errors. */
static void test_shapes_refused(void **state)
{
    (void)state;
    check_refused(
        GRID MATERIALS "time: {cfl: -1}\n"
                       "bodies:\n  ball: {material: jelly, shape: {kind: sphere}}\n"
                       "colliders:\n  a: {shape: [{kind: plane}, {kind: box, size: [1, 0, 1]}]}\n",
        "s.yaml:3:13: time.cfl is -1; allowed: above 0, up to 2\n"
        "s.yaml:5:34: bodies.ball.shape.0 is no sphere: radius is 0; allowed: greater than "
        "0\n"
        "s.yaml:7:30: colliders.a.shape.1 is no box: size is [1, 0, 1]; allowed: three "
        "edges greater than 0");
}

/* Keys that a kind does not use are allowed, but told. */
static void test_idle_keys(void **state)
{
    (void)state;
    const char *text = GRID MATERIALS
        "bodies: {ball: {material: jelly, shape: {kind: sphere, radius: 1, size: [1, 1, 1], "
        "center: [0, 0, 0]}}}\n"
        "forces: {a: {kind: gravity, vector: [0, 1, 0], strength: 2}}\n"
        "colliders: {b: {shape: {kind: cone, radius: 1, height: 1, normal: [0, 1, 0]}}}\n";
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = parse(text, 0, NULL, messages);
    assert_non_null(scene);
    assert_int_equal(firn_messages_total(messages), 2);
    assert_string_equal(
        firn_messages_text(messages, 0, NULL),
        "s.yaml:3:67: bodies.ball.shape.0.size has no effect with kind sphere; allowed: radius");
    assert_string_equal(
        firn_messages_text(messages, 1, NULL),
        "s.yaml:4:48: forces.a.strength has no effect with kind gravity; allowed: vector field");
    firn_text whole = {
        0}; /* all keys are in it, as in a manifest: those with their defaults are not told */
    assert_int_equal(firn_scene_write(firn_scene_definition(scene), &whole, NULL, NULL), FIRN_OK);
    firn_scene *again = firn_scene_parse(whole.data, whole.n, "s.yaml", 0, NULL, messages);
    assert_non_null(again);
    assert_int_equal(firn_messages_total(messages), 4);
    firn_text_clear(&whole);
    firn_messages_destroy(messages);
    firn_scene_destroy(scene);
    firn_scene_destroy(again);
}

/* Expects the sentences of a scene that is accepted. */
static void check_warned(const char *text, int n, const char *const *sentences)
{
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = parse(text, 0, NULL, messages);
    assert_non_null(scene);
    assert_int_equal(firn_messages_total(messages), n);
    for (int i = 0; i < n; i++)
        assert_string_equal(firn_messages_text(messages, i, NULL), sentences[i]);
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
}

/* What most likely is not meant is told with its place, and done all the same. */
static void test_slips(void **state)
{
    (void)state;
    check_warned(GRID MATERIALS
                 "bodies: {b: {material: jelly, points: p.bgeo, sampling: regular}}\n"
                 "colliders:\n"
                 "  a: {shape: {kind: box, size: [1, 0.001, 1]}, particle_pass: false}\n"
                 "  b: {shape: {kind: box, size: [1, 0.001, 1]}, particle_pass: true}\n"
                 "  c: {shape: {kind: sphere, radius: 9}, motion: {velocity: [1, 0, 0], keys: "
                 "[{time: 1}]}}\n"
                 "grips:\n"
                 "  g: {mode: follow, stiffness: 1, shape: {kind: mesh, file: a.%d.obj}}\n",
                 4,
                 (const char *const[]){
                     "s.yaml:3:47: bodies.b.sampling has no effect besides points",
                     "s.yaml:5:6: colliders.a: 0.001 m thin, less than two cells of 0.02 m, so "
                     "material leaks through; try: particle_pass: true",
                     "s.yaml:7:50: colliders.c.motion.velocity has no effect besides keys",
                     "s.yaml:9:6: grips.g: grips what the first file of its sequence holds, and "
                     "follows `motion`, not the files; try: motion: keys",
                 });
}

static void test_text_refused(void **state)
{
    (void)state;
    check_refused("", "s.yaml:1:1: empty file");
    check_refused(
        "- 1\n- 2\n",
        "s.yaml:1:1: a scene is a map of sections, like `grid: {dx: 2 cm}`; see `firn help scene`");
    check_refused(
        "grid: {dx: [1\n",
        "s.yaml:2:1: not YAML: did not find expected ',' or ']', while parsing a flow sequence");
    check_refused("grid:\n\tdx: 1\n", "s.yaml:2:1: not YAML: found character that cannot start any "
                                      "token, while scanning for the next token");
    check_refused("scene: {name: \xff}\n",
                  "s.yaml:1:15: byte 0xFF is not UTF-8; try: save the file as UTF-8");
    check_refused("scene: {name: \xc3\xa9\xe2\x28\xa1}\n",
                  "s.yaml:1:16: byte 0xE2 is not UTF-8; try: save the file as UTF-8");
    check_refused("scene: {name: \x01}\n", "s.yaml:1:15: control character 0x01 in a text");
    check_refused("scene: {name: \"a\\0b\"}\n", "s.yaml:1:15: character \\0 in a text");
    check_refused(GRID "---\n" GRID, "s.yaml:2:1: a second document (---) begins; allowed: one");
    check_refused("[1, 2]: 3\n", "s.yaml:1:1: a key must be a word, not a list or a map");
    check_refused("bodies: *b\n", "s.yaml:1:9: alias *b has no anchor &b before it");
    check_refused("bodies: &b [*b]\n", "s.yaml:1:13: alias *b is inside its own anchor");
    check_refused("bodies: &b {x: {y: *b}}\n", "s.yaml:1:20: alias *b is inside its own anchor");
}

static void test_alias_bomb(void **state)
{
    (void)state;
    char text[4096] = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 9; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "*a%d, ", i - 1);
        strcat(text, "]\n");
    }
    check_refused(text, "s.yaml:6:40: more than 500000 values (aliases included)");
}

/* A short text with thousands of materials would ask for hundreds of megabytes. */
static void test_too_many_items(void **state)
{
    (void)state;
    enum { N = 1001 };
    static char text[64 * N + 256];
    size_t n = (size_t)sprintf(text, "grid: {dx: 1 cm}\nmaterials:\n");
    for (int i = 0; i < N; i++) n += (size_t)sprintf(text + n, "  m%d: {law: neo_hookean}\n", i);
    sprintf(text + n, "bodies: {b: {material: m0, shape: {kind: sphere, radius: 1 m}}}\n");
    check_refused(text, "s.yaml:3:3: materials has too many items (1001); allowed: up to 1000");
}

/* Parameters that make no sense together, and numbers of steps beyond reason, are told where they
 * stand; the scene is taken. */
static void test_degenerate_materials(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = parse("scene: {fps: 24, frames: 240}\n"
                              "grid: {dx: 1 mm}\n"
                              "materials:\n"
                              "  a: {law: von_mises, E: 1 MPa, yield: 2 MPa}\n"
                              "  b: {law: neo_hookean, E: 210 GPa}\n"
                              "bodies: {b: {material: a, shape: {kind: sphere, radius: 1 cm}}}\n",
                              0, NULL, messages);
    assert_non_null(scene);
    assert_int_equal(firn_messages_total(messages), 2);
    assert_string_equal(firn_messages_text(messages, 0, NULL),
                        "s.yaml:4:40: materials.a.yield is degenerate: yield / E is 2, it is "
                        "strained by half before it yields: an elastic solid; usual: 0 to 0.5");
    const char *text = firn_messages_text(messages, 1, NULL);
    assert_memory_equal(text, "s.yaml:5:28: materials.b.E asks for ", 36);
    assert_non_null(strstr(text, "steps: waves of 1.68e+04 m/s in cells of 0.001 m, 10 s"));
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
}

static void test_depth(void **state)
{
    (void)state;
    char text[4096] = "";
    for (int i = 0; i < 2000; i++) strcat(text, "[");
    check_refused(text, "s.yaml:1:51: lists and maps are nested too deeply; allowed: 50 levels");
    strcpy(text, "a: &a {b: {b: {b: {b: {b: 1}}}}}\nc: ");
    for (int i = 0; i < 47; i++) strcat(text, "[");
    strcat(text, "*a");
    check_refused(text, "s.yaml:2:51: lists and maps are nested too deeply; allowed: 50 levels");
}

/* ---------------------------------------------------------------- files */

static void check_load_refused(const char *path, const char *sentence)
{
    firn_messages *messages = firn_messages_create();
    assert_null(firn_scene_load(path, 0, NULL, messages));
    assert_int_equal(firn_messages_status(messages), FIRN_IO);
    assert_string_equal(firn_messages_text(messages, 0, NULL), sentence);
    assert_int_equal(firn_messages_total(messages), 1);
    firn_messages_destroy(messages);
}

static void test_files_refused(void **state)
{
    (void)state;
    char folder[] = "/tmp/firn_scene_XXXXXX", path[64], sentence[256];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/none.yaml", folder);
    snprintf(sentence, sizeof sentence, "%s: no such file or folder", path);
    check_load_refused(path, sentence);
    snprintf(sentence, sizeof sentence, "%s: cannot be read: a folder, not a file", folder);
    check_load_refused(folder, sentence);
    snprintf(path, sizeof path, "%s/big.yaml", folder);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0 && ftruncate(fd, 1 << 30) == 0 &&
                close(fd) == 0); /* a hole: no gigabyte is written */
    snprintf(sentence, sizeof sentence, "%s: too long (1073741824 bytes); allowed: up to 16777216",
             path);
    check_load_refused(path, sentence);
    unlink(path);
    rmdir(folder);
}

static void test_paths_count_from_the_scene(void **state)
{
    (void)state;
    const char *text = GRID MATERIALS "bodies: {a: {material: jelly, points: lay/out.bgeo}, b: "
                                      "{material: jelly, shape: {kind: mesh, file: /abs.obj}}}\n";
    firn_scene *scene = firn_scene_parse(text, strlen(text), "shots/one.yaml", 0, NULL, NULL);
    assert_non_null(scene);
    assert_string_equal(firn_scene_definition(scene)->bodies[0].points, "shots/lay/out.bgeo");
    assert_string_equal(firn_scene_definition(scene)->bodies[1].shapes[0].file, "/abs.obj");
    assert_string_equal(firn_scene_definition(scene)->name, "one");
    firn_text json = {
        0}; /* written from the root, so that the scene can be read again from anywhere */
    char whole[4096];
    assert_int_equal(firn_scene_write(firn_scene_definition(scene), &json, NULL, NULL), FIRN_OK);
    assert_non_null(getcwd(whole, sizeof whole - 64));
    strcat(whole, "/shots/lay/out.bgeo\"");
    assert_non_null(strstr(json.data, whole));
    assert_non_null(strstr(json.data, "\"/abs.obj\""));
    firn_text_clear(&json);
    firn_scene_destroy(scene);
}

/* Binding, ranges and relations find errors one after the other; a reader of the file goes
 * through it once. */
static void test_order(void **state)
{
    (void)state;
    check_refused(
        "scene: {frames: -3}\n"
        "bodies: {a: {material: b, shape: {kind: sphere, radius: 1e400}}}\n"
        "grid: {dx: -1, walls: {x: slip}, spline: linear}\n" MATERIALS,
        "s.yaml:1:17: scene.frames is -3; allowed: 1 to 1e+07\n"
        "s.yaml:2:24: bodies.a.material is \"b\", which is no material of this scene; allowed: "
        "jelly\n"
        "s.yaml:2:57: bodies.a.shape.0.radius is \"1e400\", which is too large for a number\n"
        "s.yaml:3:12: grid.dx is -1; allowed: above 0, up to 10000 m\n"
        "s.yaml:3:23: grid.walls is keys and values; write one word for all, or a list of 6; "
        "allowed: open, stick, slip, separate, mirror, delete, periodic, no_slip\n"
        "s.yaml:3:42: grid.spline is \"linear\"; allowed: cubic, quadratic");
}

/* ---------------------------------------------------------------- former names */

/* They work like the present names, are told once per file with their place, and are written as
 * the present ones. */
static void test_former_names(void **state)
{
    (void)state;
    static const char *const text =
        "grid: {dx: 2 cm, shape: quadratic}\n"
        "materials:\n"
        "  clay: {law: strain_flow, E: 140 kPa}\n"
        "  mud: {law: strain_flow, E: 140 kPa}\n" BODIES_OF_CLAY "expect:\n"
        "  - {measure: mass, over: moment, at_least: 0 kg, source: none}\n"
        "  - {measure: mass, over: moment, at_least: 0 kg, source: none}\n";
    static const char *const told[] = {
        "s.yaml:1:18: key of grid 'shape' is called 'spline' now; the former name still works",
        "s.yaml:3:15: law 'strain_flow' is called 'mueller_flow' now; the former name still works",
        "s.yaml:7:27: word of over 'moment' is called 'at_time' now; the former name still works"};
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = parse(text, 0, NULL, messages);
    assert_non_null(scene);
    assert_int_equal(firn_messages_total(messages), 3);
    for (int i = 0; i < 3; i++) assert_string_equal(firn_messages_text(messages, i, NULL), told[i]);
    firn_messages_destroy(messages);
    const firn_scene_def *def = firn_scene_definition(scene);
    assert_int_equal(def->grid.spline, FIRN_QUADRATIC);
    assert_int_equal(def->expects[1].over, FIRN_OVER_MOMENT);
    assert_string_equal(def->materials[1].law, "mueller_flow");
    firn_text json = {0};
    assert_int_equal(firn_scene_write(def, &json, NULL, NULL), FIRN_OK);
    static const char *const now[] = {"\"spline\": \"quadratic\"", "\"law\": \"mueller_flow\"",
                                      "\"over\": \"at_time\""};
    for (int i = 0; i < 3; i++) assert_non_null(strstr(json.data, now[i]));
    assert_null(strstr(json.data, "strain_flow"));
    assert_null(strstr(json.data, "moment"));
    firn_text_clear(&json);
    firn_scene_destroy(scene);

    /* --set: by both names, whichever the file has */
    static const char *const sets[][2] = {{"grid.shape=quadratic", "grid.dx=1 cm"},
                                          {"grid.spline=quadratic", "grid.dx=1 cm"}};
    for (int k = 0; k < 2; k++) {
        scene = check_taken("grid: {dx: 2 cm, shape: cubic}\n" MATERIALS BODIES, 2, sets[k]);
        assert_int_equal(firn_scene_definition(scene)->grid.spline, FIRN_QUADRATIC);
        firn_scene_destroy(scene);
        scene = check_taken("grid: {dx: 2 cm, spline: cubic}\n" MATERIALS BODIES, 2, sets[k]);
        assert_int_equal(firn_scene_definition(scene)->grid.spline, FIRN_QUADRATIC);
        firn_scene_destroy(scene);
    }
    firn_messages *two = firn_messages_create();
    assert_null(
        parse("grid: {dx: 2 cm, shape: cubic, spline: cubic}\n" MATERIALS BODIES, 0, NULL, two));
    assert_string_equal(firn_messages_text(two, 1, NULL),
                        "s.yaml:1:32: grid.spline is given twice, under two of its names");
    firn_messages_destroy(two);
}

/* ---------------------------------------------------------------- sweeps */

/* A single run of a study takes the values outside the sweep, with a warning unless all of them
 * are set. */
static void test_sweep(void **state)
{
    (void)state;
    static const char *const text = GRID MATERIALS BODIES
        "sweep: {grid.dx: [2 cm, 1 cm], gravity: [[0, 0, 0], [0, -1, 0], [0, -2 m/s^2, 0]]}\n";
    static const char *const sets[] = {"grid.dx=1 cm", "gravity=[0, -2 m/s^2, 0]"};
    for (int n_sets = 0; n_sets <= 2; n_sets += 2) {
        firn_messages *messages = firn_messages_create();
        firn_scene *scene = parse(text, n_sets, sets, messages);
        assert_non_null(scene);
        const firn_scene_def *def = firn_scene_definition(scene);
        assert_true(def->grid.dx == (n_sets ? 0.01 : 0.02));
        assert_true(def->gravity[1] == (n_sets ? -2 : -9.81));
        assert_int_equal(firn_messages_total(messages), n_sets ? 0 : 1);
        if (!n_sets)
            assert_string_equal(
                firn_messages_text(messages, 0, NULL),
                "s.yaml:4:9: sweep: not used by a single run (6 runs in `firn compare`); this run "
                "takes the values outside the sweep; try: --set grid.dx=VALUE");
        firn_scene_destroy(scene);
        firn_messages_destroy(messages);
    }
    check_refused(GRID MATERIALS BODIES "sweep: {grid.dx: 3}\n",
                  "s.yaml:4:18: sweep.grid.dx needs a list of values, like [2 cm, 1 cm]");
}

/* ---------------------------------------------------------------- writing */

static void test_effective_scene_round_trips(void **state)
{
    (void)state;
    firn_scene *scene = check_taken(
        GRID "materials:\n"
             "  jelly: {law: neo_hookean, E: {value: 140 kPa, noise: 10 %}}\n"
             "  grains: {preset: wet_sand, E: {table: {0 degC: 1 MPa, 60.1 degC: 1 kPa}}, "
             "transfer: {scheme: pic}}\n"
             "bodies: {ball: {material: jelly, shape: [{kind: sphere, radius: 0.1}], velocity: "
             "[0.1, 0.2, 0.3]}}\n"
             "colliders: {floor: {shape: {kind: plane}, motion: {keys: [{time: 0}, {time: 0.3, "
             "rotation: [0, 33 deg, 0]}]}}}\n"
             "emitters: {tap: {material: grains, shape: {kind: box, size: [1, 1, 1]}, stop: 3 s}}\n"
             "forces: {wind: {kind: drag, vector: [1, 0, 0], keys: [{time: 0, factor: 0}, {time: "
             "1, factor: 1}]}}\n"
             "grips: {hand: {body: ball, shape: {kind: box, size: [1, 1, 1]}, free_axes: [false, "
             "true, true]}}\n"
             "scene: {name: \"with \\\"quotes\\\" and \xc3\xa9\"}\n",
        0, NULL);
    firn_text first = {0}, second = {0};
    assert_int_equal(firn_scene_write(firn_scene_definition(scene), &first, NULL, NULL), FIRN_OK);
    firn_scene *again = check_taken(first.data, 0, NULL);
    assert_int_equal(firn_scene_write(firn_scene_definition(again), &second, NULL, NULL), FIRN_OK);
    assert_string_equal(first.data, second.data);
    assert_non_null(
        strstr(first.data, "\"wet_cohesion\": 1500")); /* what the preset says is filled in */
    assert_non_null(strstr(first.data, "\"particles_per_cell\": 8"));
    assert_non_null(strstr(first.data, "\"table\": {\"273.15\": 1000000, \"333.25\": 1000}"));
    firn_text_clear(&first);
    firn_text_clear(&second);
    firn_scene_destroy(scene);
    firn_scene_destroy(again);
}

/* Every allocation fails in turn: an error each time, never a crash or a scene that was not
 * looked at whole. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    const char *text = GRID MATERIALS BODIES "expect: []\n";
    for (int n = 1; n < 200; n++) {
        firn_messages *messages = firn_messages_create();
        firn_memory_fail_after(n);
        firn_scene *scene = parse(text, 0, NULL, messages);
        firn_memory_fail_after(0);
        int is_refused = firn_messages_status(messages) != FIRN_OK;
        assert_true(is_refused == !scene);
        firn_scene_destroy(scene);
        firn_messages_destroy(messages);
        if (scene) return; /* more allocations than it takes */
    }
    fail_msg("200 allocations were not enough");
}

/* What varies in space as it is written, and its messages. */
static void test_space(void **state)
{
    (void)state;
    firn_scene *scene = check_taken(
        GRID "maps: {wet: {file: wet.vdb, attribute: density, to: 2}, blotches: {size: 3 cm}}\n"
             "materials:\n"
             "  jelly:\n"
             "    preset: wet_sand\n"
             "    E: {noise: {size: 3 cm, amount: 50 %}}\n"
             "    wet_cohesion: {map: wet, low: 0.1 kPa, high: 2 kPa}\n"
             "    friction_angle: {value: 30 deg, map: blotches, noise: {size: 1 m, amount: 0.1}}\n"
             "    lumps: {size: 8 cm, strength: 10 %}\n"
             "    color_map: blotches\n"
             "    color_high: [1, 0, 0]\n" BODIES,
        0, NULL);
    const firn_scene_def *def = firn_scene_definition(scene);
    const firn_material_def *m = &def->materials[0];
    assert_int_equal(def->n_maps, 2);
    assert_string_equal(def->maps[0].attribute, "density");
    assert_true(m->lumps.size == 0.08 && m->lumps.strength == 0.1);
    assert_true(isnan(m->parameters[0].value) && m->parameters[0].noise_size == 0.03 &&
                m->parameters[0].noise == 0.5);
    assert_string_equal(m->parameters[1].map, "wet");
    assert_true(m->parameters[1].low == 100 && m->parameters[1].high == 2000);
    assert_true(isnan(m->parameters[2].low) && m->parameters[2].noise_size == 1);
    firn_text text = {0};
    assert_int_equal(firn_scene_write(def, &text, NULL, NULL), FIRN_OK);
    assert_non_null(strstr(text.data, "{\"size\": 0.03, \"amount\": 0.5}"));
    assert_non_null(strstr(text.data, "\"map\": \"wet\", \"low\": 100, \"high\": 2000"));
    firn_scene *again = check_taken(text.data, 0, NULL);
    assert_true(again && firn_scene_definition(again)->materials[0].n_parameters > 3);
    firn_text_clear(&text);
    firn_scene_destroy(again);
    firn_scene_destroy(scene);

    check_refused(GRID "materials: {jelly: {law: neo_hookean, E: {map: wett, low: 1, high: 2}}}\n"
                       "maps: {wet: {size: 1}}\n" BODIES,
                  "s.yaml:2:42: materials.jelly.E.map is \"wett\", which is no map of this scene; "
                  "allowed: wet; did you mean \"wet\"?");
    check_refused(
        GRID "materials: {jelly: {law: neo_hookean, E: {noise: {size: 1, by: 2}}}}\n" BODIES,
        "s.yaml:2:50: materials.jelly.E.noise needs size and amount, like {size: 3 cm, "
        "amount: 50 %}\ns.yaml:2:60: materials.jelly.E.noise.by is no key of noise; allowed: size, "
        "amount");
    check_refused(
        GRID "materials: {jelly: {law: sand, lumps: {size: 3 cm}}}\n" BODIES,
        "s.yaml:2:39: materials.jelly.lumps have weak layers as wide (0.02 m) as lumps of "
        "0.03 m have no room for; allowed: up to 0.4 of their size; try: larger lumps, or "
        "a smaller grid.dx");
    check_refused(GRID "materials: {jelly: {law: sand, color_map: wet}}\nmaps: {wet: {}}\n" BODIES,
                  "s.yaml:2:43: materials.jelly.color_map mixes two equal colours; try: color_high "
                  "other than color");
    check_refused(GRID MATERIALS BODIES "forces: {pull: {kind: goal, strength: 3, of: cat}}\n",
                  "s.yaml:4:16: forces.pull.shape is missing; kind goal follows one\n"
                  "s.yaml:4:46: forces.pull.of is \"cat\", which is no body, emitter or material; "
                  "allowed: ball, jelly");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_times_in_frames),
                                       cmocka_unit_test(test_space),
                                       cmocka_unit_test(test_order_of_angles),
                                       cmocka_unit_test(test_defaults_of_a_file),
                                       cmocka_unit_test(test_settings),
                                       cmocka_unit_test(test_settings_refused),
                                       cmocka_unit_test(test_numbers_refused),
                                       cmocka_unit_test(test_keys_refused),
                                       cmocka_unit_test(test_all_at_once),
                                       cmocka_unit_test(test_beside_an_unknown_law),
                                       cmocka_unit_test(test_forces_refused),
                                       cmocka_unit_test(test_shapes_refused),
                                       cmocka_unit_test(test_idle_keys),
                                       cmocka_unit_test(test_slips),
                                       cmocka_unit_test(test_text_refused),
                                       cmocka_unit_test(test_alias_bomb),
                                       cmocka_unit_test(test_too_many_items),
                                       cmocka_unit_test(test_degenerate_materials),
                                       cmocka_unit_test(test_depth),
                                       cmocka_unit_test(test_files_refused),
                                       cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_paths_count_from_the_scene),
                                       cmocka_unit_test(test_sweep),
                                       cmocka_unit_test(test_former_names),
                                       cmocka_unit_test(test_effective_scene_round_trips),
                                       cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
