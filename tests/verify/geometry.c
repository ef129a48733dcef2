/* SPDX-License-Identifier: MIT */
/* geometry.c: meshes as obstacles. A mesh incline is as rough as an analytic one; a sheet half a
 * cell thick lets no particle through at ten cells a frame, whether the sheet moves or the
 * particles do; a body sampled from a mesh has the mesh's volume. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double degree = 3.14159265358979323846 / 180, g = 9.81;

/* ---------------------------------------------------------------- meshes from formulas, as files
 */

static void write_block(const char *path, const double low[3], const double high[3])
{
    static const int faces[6][4] = {{1, 5, 7, 3}, {2, 4, 8, 6}, {1, 2, 6, 5},
                                    {3, 7, 8, 4}, {1, 3, 4, 2}, {5, 6, 8, 7}};
    FILE *file = fopen(path, "w");
    if (!file) exit(2);
    for (int p = 0; p < 8; p++)
        fprintf(file, "v %.9g %.9g %.9g\n", p & 1 ? high[0] : low[0], p & 2 ? high[1] : low[1],
                p & 4 ? high[2] : low[2]);
    for (int f = 0; f < 6; f++)
        fprintf(file, "f %d %d %d %d\n", faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
    fclose(file);
}

/* One square across x, from `low` to `high` along y and z: open, for a two-sided sheet; its
 * diagonal is 1-4 or 2-3. */
static void write_sheet(const char *path, double x, double low, double high, int other_diagonal)
{
    FILE *file = fopen(path, "w");
    if (!file) exit(2);
    for (int p = 0; p < 4; p++)
        fprintf(file, "v %.9g %.9g %.9g\n", x, p & 1 ? high : low, p & 2 ? high : low);
    fprintf(file, other_diagonal ? "f 1 2 3\nf 2 4 3\n" : "f 1 2 4\nf 1 4 3\n");
    fclose(file);
}

/* A ball of n rings */
static double write_ball(const char *path, int n, double radius)
{
    FILE *file = fopen(path, "w");
    if (!file) exit(2);
    double volume = 0;
    for (int i = 0; i <= n; i++)
        for (int k = 0; k < 2 * n; k++)
            fprintf(file, "v %.9g %.9g %.9g\n",
                    radius * sin(i * 180. / n * degree) * cos(k * 180. / n * degree),
                    radius * sin(i * 180. / n * degree) * sin(k * 180. / n * degree),
                    radius * cos(i * 180. / n * degree));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2 * n; k++) {
            int a = i * 2 * n + k + 1, b = i * 2 * n + (k + 1) % (2 * n) + 1;
            fprintf(file, "f %d %d %d %d\n", a, a + 2 * n, b + 2 * n, b);
        }
    fclose(file);
    /* the polyhedron between rings i and i+1: frusta of regular 2n-gons of circumradius r: A(r)
     * = n r^2 sin(pi/n) */
    for (int i = 0; i < n; i++) {
        double r = radius * sin(i * 180. / n * degree),
               s = radius * sin((i + 1) * 180. / n * degree);
        double h = radius * (cos(i * 180. / n * degree) - cos((i + 1) * 180. / n * degree));
        volume += n * sin(180. / n * degree) * h * (r * r + r * s + s * s) / 3;
    }
    return volume;
}

/* ---------------------------------------------------------------- the incline */

/* Acceleration down a slope of 24 degrees with mu = tan 15. */
static double slide(const char *mesh)
{
    verify_scene s;
    verify_scene_init(&s, 0.05, "neo_hookean", 1e6, 0.3, 1000);
    const double low[3] = {0, 0, 0}, high[3] = {0.2, 0.2, 0.2};
    verify_box(&s, low, high, 2);
    firn_shape_def *cube = &s.body_shapes[0][0];
    double c = cos(24 * degree), d = sin(24 * degree);
    cube->rotate[2] = -24 * degree; /* and its middle half an edge above the slope */
    cube->center[0] = 0.1 * d;
    cube->center[1] = 0.1 * c;
    cube->center[2] = 0.1;
    firn_collider_def *floor = verify_floor(&s, 1, 0);
    firn_shape_def *shape = &s.collider_shapes[0];
    floor->contact = FIRN_SEPARATE;
    floor->friction = tan(15 * degree);
    if (mesh) {
        *shape = firn_shape_default();
        strcpy(shape->kind, "mesh");
        strcpy(shape->file, mesh);
        shape->rotate[2] = -24 * degree;
        shape->voxel = 0.01;
    } else {
        shape->normal[0] = d;
        shape->normal[1] = c;
        shape->normal[2] = 0;
    }
    s.scene.gravity[1] = -g;
    s.scene.transfer.scheme = FIRN_PIC;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 0.25);
    firn_ledger a = verify_ledger(sim);
    verify_go(sim, 0.5);
    firn_ledger b = verify_ledger(sim);
    firn_sim_destroy(sim);
    return ((b.momentum[0] - a.momentum[0]) * c - (b.momentum[1] - a.momentum[1]) * d) / a.mass /
           0.25;
}

static void check_incline(verify_table *table)
{
    const char *path = "incline.obj";
    const double low[3] = {-1, -0.5, -1}, high[3] = {2, 0, 1};
    write_block(path, low, high);
    double plane = slide(NULL), mesh = slide(path);
    verify_near(table, "incline 24 deg on a mesh: against an analytic floor (m/s^2)", plane, mesh,
                1e-2, 0);
    verify_near(table, "incline 24 deg on a mesh: against the closed form (m/s^2)",
                g * (sin(24 * degree) - tan(15 * degree) * cos(24 * degree)), mesh, 1e-2, 0);
    remove(path);
}

/* ---------------------------------------------------------------- the leak */

/* What moves: the sand, against a sheet at rest; the sheet, to and fro; the sheet until it stops
 * in the sand, by keys or as a sequence of files: at the last of them, or before it with other
 * faces in each, where a step ends or not. */
typedef enum motion { SAND, TO_AND_FRO, STOPS, SEQUENCE, OTHER_FACES, OTHER_FACES_PASSED } motion;
enum { N_FILES = 5 };

typedef struct checkpoint { /* when the sand is counted, and where the sheet is then */
    double time, sheet;
} checkpoint;

/* Moves the sheet into the sand by `way`, in the time `turn`. Where it stops by keys no step is
 * meant to end. Returns how often to count. */
static int set_motion(firn_collider_def *wall, motion moves, double way, double turn,
                      firn_key keys[4], checkpoint counts[3])
{
    const firn_key all[4] = {{.rotation = {0, 0, 0, 1}},
                             {.time = turn, .position = {way}, .rotation = {0, 0, 0, 1}},
                             {.time = 3 * turn, .position = {-way}, .rotation = {0, 0, 0, 1}},
                             {.time = 4 * turn, .rotation = {0, 0, 0, 1}}};
    memcpy(keys, all, sizeof all);
    if (moves == TO_AND_FRO || moves == STOPS) {
        wall->motion.keys = keys;
        wall->motion.n_keys = moves == STOPS ? 2 : 4;
    }
    for (int k = 1; k < 4; k++)
        counts[k - 1] = (checkpoint){all[k].time, moves == SAND ? 0 : all[k].position[0]};
    if (moves == STOPS || moves == OTHER_FACES_PASSED) counts[0].time = 1.05 * turn;
    return moves >= STOPS ? 1 : 3;
}

/* Sand fills a channel of `across` cells square, `length` cells to both sides of a sheet of so
 * many cells' thickness. Either the sheet goes with ten cells in 1/24 s, or the sand flies
 * against it. Particles that changed sides: */
static int64_t leak(double thickness, int across, int length, motion moves, int64_t *n_particles)
{
    const double h = 0.01, speed = 10 * h * 24, gap = 0.5 * h, way = 0.4 * length * h,
                 turn = way / speed;
    const int n_ways = moves > SEQUENCE ? N_FILES - 3 : N_FILES - 1;
    verify_scene s;
    verify_scene_init(&s, h, "sand", moves >= SEQUENCE ? 1e4 : 1e5, 0.3, 2200);
    s.scene.is_double = 0;
    for (int side = 0; side < 2; side++) {
        double low[3] = {side ? gap : -gap - length * h, 0, 0},
               high[3] = {side ? gap + length * h : -gap, across * h, across * h};
        firn_body_def *body = verify_box(&s, low, high, 2);
        body->sampling = FIRN_JITTERED;
        if (moves == SAND) body->velocity[0] = side ? -speed : speed;
    }
    s.scene.grid.has_box = 1;
    for (int a = 0; a < 3; a++) {
        s.scene.grid.box_min[a] = a ? 0 : -10;
        s.scene.grid.box_max[a] = a ? across * h : 10;
    }
    for (int w = 2; w < 6; w++) s.scene.grid.walls[w] = FIRN_WALL_SLIP;
    firn_collider_def *wall = verify_floor(&s, 0, 0);
    firn_shape_def *shape = &s.collider_shapes[0];
    *shape = firn_shape_default();
    strcpy(shape->kind, "mesh");
    shape->thickness = thickness * h;
    wall->contact = FIRN_SEPARATE;
    wall->particle_pass = 1;
    for (int i = 0; i < N_FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "sheet.%d.obj", i);
        const double done = moves < SEQUENCE ? 0 : fmin((double)i / n_ways, 1);
        write_sheet(name, done * way, -h, (across + 1) * h, moves > SEQUENCE && i % 2);
    }
    strcpy(shape->file, moves >= SEQUENCE ? "sheet.%d.obj" : "sheet.0.obj");
    shape->fps = n_ways / turn;
    firn_key keys[4];
    checkpoint counts[3];
    const int n_counts = set_motion(wall, moves, way, turn, keys, counts);
    firn_sim *sim = verify_start(&s);
    double *before = verify_copy(sim, "P");
    int64_t n = *n_particles = firn_sim_n_particles(sim), n_through = 0;
    for (int k = 0; k < n_counts; k++) {
        verify_go(sim, counts[k].time);
        double *after = verify_copy(sim, "P");
        for (int64_t i = 0; i < n; i++)
            n_through += (before[3 * i] > 0) != (after[3 * i] > counts[k].sheet);
        free(after);
    }
    if (firn_sim_n_particles(sim) != n) n_through += n;
    free(before);
    firn_sim_destroy(sim);
    for (int i = 0; i < N_FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "sheet.%d.obj", i);
        remove(name);
    }
    return n_through;
}

static void check_leaks(verify_table *table)
{
    static const char *const what[] = {"the sand moves",
                                       "it moves",
                                       "it stops in the sand",
                                       "a sequence that stops",
                                       "one with other faces in each file",
                                       "that one within a step"};
    int across = table->is_full ? 50 : 10, length = table->is_full ? 25 : 12;
    for (int is_thin = 0; is_thin < 2; is_thin++)
        for (motion moves = SAND; moves <= OTHER_FACES_PASSED;
             moves++) { /* a sequence takes memory with every voxel of its way */
            double thickness = moves >= SEQUENCE && is_thin ? 0.15 : is_thin ? 0.1 : 0.5;
            int64_t n,
                n_through = leak(thickness, moves >= SEQUENCE ? 6 : across, length, moves, &n);
            char name[160];
            snprintf(name, sizeof name,
                     "a sheet of %g cells at ten cells a frame (%s): of %lld particles through",
                     thickness, what[moves], (long long)n);
            verify_at_most(table, name, (double)n_through, 0);
        }
}

/* ---------------------------------------------------------------- volume */

static void check_volume(verify_table *table)
{
    static const char *const names[] = {"regular", "jittered", "poisson"};
    const char *path = "ball.obj";
    double volume = write_ball(path, 40, 0.5);
    for (int sampling = FIRN_REGULAR; sampling <= FIRN_POISSON; sampling++) {
        verify_scene s;
        const double center[3] = {0.013, -0.021, 0.034};
        char name[128];
        verify_scene_init(&s, 0.05, "neo_hookean", 1e4, 0.3, 1000);
        firn_body_def *body = verify_ball(&s, center, 0.5, 2);
        firn_shape_def *shape = &s.body_shapes[0][0];
        strcpy(shape->kind, "mesh");
        strcpy(shape->file, path);
        body->sampling = sampling;
        firn_sim *sim = verify_start(&s);
        snprintf(name, sizeof name, "volume of a mesh filled with particles %s (m^3)",
                 names[sampling]);
        verify_near(table, name, volume, verify_ledger(sim).mass / 1000, 5e-3, 0);
        firn_sim_destroy(sim);
    }
    remove(path);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/firn-verify-XXXXXX", home[4096];
    verify_table table = verify_begin(argc, argv);
    if (!getcwd(home, sizeof home) || !mkdtemp(folder) || chdir(folder) != 0) return 2;
    check_volume(&table);
    check_incline(&table);
    check_leaks(&table);
    if (chdir(home) == 0) rmdir(folder);
    return verify_end(&table);
}
