/* SPDX-License-Identifier: MIT */
/* Volumes as other programs write them: too large, without a class, turned, painted in part or
 * wrongly. They are made by python3-openvdb; without it nothing is tried. */
#include "support/skip.h"
#include "geometry/sdf/sdf_sequence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "support/scratch.h"

/* Balls of radius 0.2 at (0.1, 0.05, 0) in voxels of 0.02 m; what each file is about stands in
 * its name. */
static const char *const script =
    "import pyopenvdb as o\n"
    "def fog(n, name, **more):\n"
    "  g = o.FloatGrid(0.0); g.name = 'density'; g.transform = o.createLinearTransform(0.01)\n"
    "  g.gridClass = o.GridClass.FOG_VOLUME; g.fill((0, 0, 0), (n - 1, n - 1, n - 1), 1.0); "
    "write(name, g); return g\n"
    "def write(name, *grids): o.write('%s/' + name + '.vdb', grids=list(grids))\n"
    "def ball():\n"
    "  g = o.createLevelSetSphere(radius=0.2, center=(0.1, 0.05, 0), voxelSize=0.02, "
    "halfWidth=3.0)\n"
    "  g.name = 'surface'; return g\n"
    "def put(name, m):\n"
    "  g = ball(); g.transform = o.createLinearTransform([r + [0] for r in m] + [[0.3, 0.2, 0.1, "
    "1]]); write(name, g)\n"
    "def paint(name, value, kind=o.FloatGrid, where='friction', z=-1, only=False):\n"
    "  g = ball(); p = kind(); p.name = where; p.transform = o.createLinearTransform(0.02)\n"
    "  if not only: p.fill((-30, -30, -30), (30, 30, z), 0.7 if kind == o.FloatGrid else (1, 1, "
    "1))\n"
    "  if value is not None: p.fill((3, 2, -9), (3, 2, -9), value)\n"
    "  write(name, g, p)\n"
    "def named(name, r):\n"
    "  g = o.createLevelSetSphere(radius=r, voxelSize=0.02, halfWidth=3.0); g.name = name; return "
    "g\n"
    "write('several', named('b', 0.2), named('a', 0.3), fog(8, 'small')); write('twins', "
    "named('two', 0.2), "
    "named('two', "
    "0.3))\n"
    "write('big', named('l', 1.2)); g = o.FloatGrid(1.0); g.name = 'apart'\n"
    "g.gridClass = o.GridClass.LEVEL_SET; g.transform = o.createLinearTransform(0.01)\n"
    "g.fill((0, 0, 0), (7, 7, 7), -0.1); g.fill((3200, 3200, 3200), (3207, 3207, 3207), -0.1)\n"
    "write('apart', g)\n"
    "fog(2048, 'huge'); fog(150, 'thick'); far = fog(8, 'small')\n"
    "far.fill((100000, 100000, 100000), (100007, 100007, 100007), 1.0); write('far', far)\n"
    "g = ball(); write('set', g); g.gridClass = o.GridClass.UNKNOWN; write('unset', g)\n"
    "g = fog(16, 'fog'); g.gridClass = o.GridClass.UNKNOWN; write('fog_unset', g)\n"
    "g = o.FloatGrid(1.0); g.name = 'd'; g.fill((0, 0, 0), (9, 9, 9), 0.5); write('neither', g)\n"
    "g = o.FloatGrid(0.0); g.name = 'd'; write('empty', g); o.write('%s/none.vdb', grids=[])\n"
    "put('turned', [[0, .02, 0], [-.02, 0, 0], [0, 0, .02]]); put('mirrored', [[.02, 0, 0], [0, 0, "
    "-.02], [0, .02, "
    "0]])\n"
    "put('askew', [[.016, .012, 0], [-.012, .016, 0], [0, 0, .02]]); put('bricks', [[.02, 0, 0], "
    "[0, .03, 0], [0, 0, "
    ".02]])\n"
    "paint('partial', None); paint('negative', -1.0); paint('large', 1e30); paint('nan', "
    "float('nan'))\n"
    "paint('sticky', -1.0, where='stickiness'); paint('vector', None, o.Vec3SGrid)\n";

static int has_python;

static int make_volumes(void **state)
{
    if (scratch_create(state) != 0) return -1;
    FILE *file = fopen(scratch("make.py"), "w");
    fprintf(file, script, scratch_folder, scratch_folder);
    fclose(file);
    char command[256];
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c 'import pyopenvdb' 2>/dev/null && /usr/bin/python3 %s",
             scratch("make.py"));
    int code = system(command);
    has_python = code == 0;
    return code == 0 || system("/usr/bin/python3 -c 'import pyopenvdb' 2>/dev/null") != 0 ? 0 : -1;
}

static firn_status open_volume(const char *name, double depth, firn_shape **shape,
                               firn_messages *messages)
{
    firn_shape_def def = {.kind = "vdb"};
    char file[64];
    snprintf(file, sizeof file, "%s.vdb", name);
    snprintf(def.file, sizeof def.file, "%s", scratch(file));
    return firn_shape_create(1, &def, (firn_shape_need){.depth = depth}, shape, messages);
}

/* A file, the status and what the sentence says */
static void expect_refused(const char *name, firn_status wanted, const char *words)
{
    firn_shape *shape;
    firn_messages *messages = firn_messages_create();
    firn_status status = open_volume(name, 0, &shape, messages);
    if (status != wanted || !scratch_says(messages, words))
        print_error("%s: %d %s\n", name, status, words);
    assert_int_equal(status, wanted);
    assert_true(scratch_says(messages, words) && scratch_says(messages, scratch_folder));
    firn_messages_destroy(messages);
}

/* What the machine has no memory for is a sentence as well, wherever OpenVDB is when it finds
 * out: an own process with some more addresses than it has, until it is enough. */
static void too_little_memory(void **state)
{
    (void)state;
    if (!has_python) SKIP("python3-openvdb is not installed");
#ifdef FIRN_TESTS_SANITIZED
    SKIP("the sanitizer needs more addresses than the limit");
#endif
    int n_refused = 0, code = 1;
    for (size_t more = 16; more < 4096 && code; more += more / 2) {
        pid_t child = fork();
        if (child == 0) {
            size_t pages = 0;
            FILE *file = fopen("/proc/self/statm", "r");
            if (!file || fscanf(file, "%zu", &pages) != 1) _exit(2);
            struct rlimit limit = {pages * 4096 + (more << 20), pages * 4096 + (more << 20)};
            setrlimit(RLIMIT_AS, &limit);
            firn_shape *shape;
            firn_status status = open_volume("thick", 0, &shape, NULL);
            _exit(status == FIRN_OK ? 0 : status == FIRN_MEMORY ? 1 : 2);
        }
        assert_int_equal(waitpid(child, &code, 0), child);
        assert_true(WIFEXITED(code) && WEXITSTATUS(code) < 2);
        n_refused += code != 0;
    }
    assert_true(code == 0 && n_refused > 2);
}

static void too_large_volumes(void **state)
{
    (void)state;
    if (!has_python) SKIP("python3-openvdb is not installed");
    expect_refused("huge", FIRN_REFUSED,
                   "is a fog of 8589934592 active voxels; allowed: at most 268435456");
    expect_refused("far", FIRN_REFUSED, "has 100008 x 100008 x 100008 voxels");
    expect_refused("empty", FIRN_REFUSED, "is empty");
    expect_refused("none", FIRN_REFUSED, "there is no grid in it at all");
}

static void expect_bounded(const char *name, size_t allowed, firn_status wanted, const char *words)
{
    firn_shape *shape;
    firn_shape_def def = {.kind = "vdb"};
    firn_messages *messages = firn_messages_create();
    strcpy(def.file, scratch(name));
    const firn_shape_need need = {.memory = allowed};
    const firn_status status = firn_shape_create(1, &def, need, &shape, messages);
    if (status != wanted) scratch_says(messages, "?");
    assert_int_equal(status, wanted);
    if (words) assert_true(scratch_says(messages, words));
    firn_shape_destroy(shape);
    firn_messages_destroy(messages);
}

/* --max-memory holds for the child that reads, and for what is made of the grid: the table of
 * blocks about two voxels that are far from each other. */
static void memory_is_bounded(void **state)
{
    (void)state;
    if (!has_python) SKIP("python3-openvdb is not installed");
    expect_bounded("big.vdb", (size_t)64 << 20, FIRN_OK, NULL);
    expect_bounded("apart.vdb", (size_t)300 << 20, FIRN_MEMORY,
                   "MiB as distance field, more than --max-memory (300 MiB)");
#ifdef FIRN_TESTS_SANITIZED
    SKIP("the sanitizer ends a process whose memory is limited");
#endif
    expect_bounded("big.vdb", (size_t)1 << 20, FIRN_MEMORY, "takes more than --max-memory (1 MiB)");
}

/* A file notes how many voxels of a grid are active, and their box: other ones are there where a
 * bit of a mask or of a place was lost. */
static void statistics(void **state)
{
    (void)state;
    if (!has_python) SKIP("python3-openvdb is not installed");
    static const char *const notes[] = {"file_voxel_count", "file_bbox_max"};
    size_t n;
    unsigned char *data = scratch_load(scratch("set.vdb"), &n);
    for (int k = 0; k < 2; k++) {
        const unsigned char *at = memmem(data, n, notes[k], strlen(notes[k]));
        assert_non_null(at);
        /* name, length and name of the type, length of the value, value */
        const size_t value = (size_t)(at - data) + strlen(notes[k]) + 4 + 5 + 4;
        data[value] ^= 1;
        scratch_store(scratch("noted.vdb"), data, n);
        data[value] ^= 1;
        expect_refused("noted", FIRN_IO,
                       "damaged (grid \"surface\" has other active voxels than it says)");
    }
    free(data);
}

/* Without a class a level set is what it is with it, and says so; what could be neither is refused.
 */
static void classes(void **state)
{
    (void)state;
    if (!has_python) SKIP("python3-openvdb is not installed");
    firn_shape *shapes[2];
    firn_messages *messages = firn_messages_create();
    assert_int_equal(open_volume("set", 0, &shapes[0], messages), FIRN_OK);
    assert_int_equal(firn_messages_total(messages), 0);
    assert_int_equal(open_volume("unset", 0, &shapes[1], messages), FIRN_OK);
    assert_true(scratch_says(messages, "it is read as a level set"));
    for (int i = 0; i < 500; i++) {
        const double x[3] = {0.1 + 0.25 * sin(i), 0.05 + 0.25 * sin(1.7 * i), 0.25 * sin(2.3 * i)};
        assert_true(firn_shape_distance(shapes[0], x, 0) == firn_shape_distance(shapes[1], x, 0));
    }
    for (int i = 0; i < 2; i++) firn_shape_destroy(shapes[i]);
    firn_messages_clear(messages);
    assert_int_equal(open_volume("fog_unset", 0, &shapes[0], messages), FIRN_OK);
    assert_true(scratch_says(messages, "it is read as a fog"));
    assert_true(firn_shape_distance(shapes[0], (const double[3]){0.075, 0.075, 0.075}, 0) < 0);
    firn_shape_destroy(shapes[0]);
    firn_messages_destroy(messages);
    expect_refused("neither", FIRN_REFUSED, "is neither a level set");
}

/* Of several grids that could be meant the first by name is taken, and the others are named; one
 * that is named is taken without a word, also of several of the same name. */
static void several_grids(void **state)
{
    (void)state;
    if (!has_python) SKIP("python3-openvdb is not installed");
    const struct {
        const char *file, *grid, *words;
        double radius;
    } cases[] = {
        {"several.vdb", "", "grid \"a\" is used, and b could be meant as well; try: `grid: NAME`",
         0.3},
        {"several.vdb", "b", NULL, 0.2},
        {"twins.vdb", "", "grid \"two[0]\" is used, and two[1] could be meant as well; try", 0.2},
        {"twins.vdb", "two", "grid \"two[0]\" is used, and two[1] could be meant as well; try",
         0.2},
        {"twins.vdb", "two[1]", NULL, 0.3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_shape *shape;
        firn_shape_def def = {.kind = "vdb"};
        firn_messages *messages = firn_messages_create();
        strcpy(def.file, scratch(cases[i].file));
        strcpy(def.grid, cases[i].grid);
        assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                         FIRN_OK);
        assert_true(fabs(firn_shape_distance(shape, (const double[3]){0.25, 0, 0}, 0) - 0.25 +
                         cases[i].radius) < 1e-3);
        assert_int_equal(firn_messages_total(messages), cases[i].words ? 1 : 0);
        if (cases[i].words) assert_true(scratch_says(messages, cases[i].words));
        firn_shape_destroy(shape);
        firn_messages_destroy(messages);
    }
    firn_shape *shape;
    firn_shape_def def = {.kind = "vdb", .grid = "three"};
    firn_messages *messages = firn_messages_create();
    strcpy(def.file, scratch("twins.vdb"));
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                     FIRN_REFUSED);
    assert_true(scratch_says(
        messages, "no grid \"three\" in it (there are: two[0] (float), two[1] (float))"));
    firn_messages_destroy(messages);
}

/* Turned by right angles and mirrored a volume is where its transform puts it; otherwise turned
 * ones are refused. */
static void placements(void **state)
{
    (void)state;
    if (!has_python) SKIP("python3-openvdb is not installed");
    const struct {
        const char *name;
        double center[3]; /* where (5, 2.5, 0) in voxels goes */
    } cases[] = {{"turned", {0.3 - 0.05, 0.2 + 0.1, 0.1}},
                 {"mirrored", {0.3 + 0.1, 0.2, 0.1 - 0.05}}};
    for (int k = 0; k < 2; k++) {
        firn_shape *shape;
        assert_int_equal(open_volume(cases[k].name, 0.1, &shape, NULL), FIRN_OK);
        for (int i = 0; i < 500; i++) {
            const double offset[3] = {0.15 * sin(i), 0.15 * sin(1.7 * i), 0.15 * sin(2.3 * i)};
            double x[3], r2 = 0;
            for (int a = 0; a < 3; a++) {
                x[a] = cases[k].center[a] + offset[a];
                r2 += offset[a] * offset[a];
            }
            if (sqrt(r2) > 0.12 && sqrt(r2) < 0.24)
                assert_true(fabs(firn_shape_distance(shape, x, 0) - (sqrt(r2) - 0.2)) < 2e-3);
        }
        firn_shape_destroy(shape);
    }
    expect_refused("askew", FIRN_REFUSED, "turned by other than right angles");
    expect_refused("bricks", FIRN_REFUSED, "its voxels are not cubes");
}

/* Friction 0.7 below z = -0.01, half way between two voxels, down to the depth that a collider
 * needs; none above. */
static void partial_paint(void **state)
{
    (void)state;
    if (!has_python) SKIP("python3-openvdb is not installed");
    firn_shape *shape;
    assert_int_equal(open_volume("partial", 0.12, &shape, NULL), FIRN_OK);
    int n[2] = {0, 0};
    for (int i = 0; i < 2000; i++) {
        double z = 0.17 * sin(1.3 * i), r = 0.2 - 0.1 * (i % 7) / 6, at = sqrt(1 - z * z / 0.04);
        const double x[3] = {0.1 + r * at * cos(i), 0.05 + r * at * sin(i), z * r / 0.2};
        firn_surface_point s;
        firn_shape_query(shape, x, 0, &s);
        assert_true(isnan(s.stickiness));
        if (fabs(z + 0.01) < 0.021 || fabs(x[2] + 0.01) < 0.021)
            continue; /* a voxel and what rounding adds */
        if (z < 0)
            assert_true(fabs(s.friction - 0.7) < 1e-6);
        else
            assert_true(isnan(s.friction));
        n[z < 0]++;
    }
    assert_true(n[0] > 500 && n[1] > 500);
    for (int i = -20; i < 20; i++) { /* across the border there is nothing between */
        firn_surface_point s;
        firn_shape_query(shape, (const double[3]){0.3, 0.05, -0.01 + 0.001 * (i + 0.5)}, 0, &s);
        assert_true(i < 0 ? fabs(s.friction - 0.7) < 1e-6 : isnan(s.friction));
    }
    firn_shape_destroy(shape);
}

static void wrong_paint(void **state)
{
    (void)state;
    if (!has_python) SKIP("python3-openvdb is not installed");
    expect_refused("negative", FIRN_REFUSED,
                   "grid \"friction\" holds -1 at voxel (3, 2, -9), x = (0.06, 0.04");
    expect_refused("large", FIRN_REFUSED, "grid \"friction\" holds 1e+30");
    expect_refused("nan", FIRN_REFUSED,
                   "grid \"friction\" holds a value that is not finite (nan) at voxel (3, 2, -9)");
    expect_refused("sticky", FIRN_REFUSED, "grid \"stickiness\" holds -1");
    expect_refused("vector", FIRN_REFUSED, "grid \"friction\" holds vec3s; allowed: single floats");
}

/* What is no file at all is told apart. */
static void no_files(void **state)
{
    (void)state;
    expect_refused("absent", FIRN_IO, "no such file or folder");
    assert_int_equal(mkdir(scratch("folder.vdb"), 0700), 0);
    expect_refused("folder", FIRN_IO, "a folder, not a file");
    assert_int_equal(symlink("/dev/zero", scratch("device.vdb")), 0);
    expect_refused("device", FIRN_IO, "not an ordinary file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_little_memory), cmocka_unit_test(too_large_volumes),
        cmocka_unit_test(classes),           cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(several_grids),     cmocka_unit_test(placements),
        cmocka_unit_test(statistics),        cmocka_unit_test(partial_paint),
        cmocka_unit_test(wrong_paint),       cmocka_unit_test(no_files),
    };
    return cmocka_run_group_tests(tests, make_volumes, scratch_destroy);
}
