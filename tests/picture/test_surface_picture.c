/* SPDX-License-Identifier: MIT */
/* test_surface_picture.c: pictures of surfaces against numbers: silhouettes, depth and light of a
 * sphere, coverage of what moves, files of layers, looks, loose particles. */
#include "base/memory.h"
#include "base/file.h"
#include "picture/render.h"
#include "picture/skin_loose.h"
#include "picture/surface_shading.h"
#include "support/picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

enum { RINGS = 64, SECTORS = 128, N_POINTS = (RINGS + 1) * SECTORS, N_FACES = 2 * RINGS * SECTORS };

/* A sphere of radius 1 as a piece of skin: rings of latitude. `move`: way over the shutter. */
typedef struct globe {
    float xyz[3 * (N_POINTS + 2)], end[3 * (N_POINTS + 2)], normal[3 * N_POINTS],
        color[3 * N_POINTS];
    uint32_t triangles[3 * N_FACES];
    firn_skin skin;
    firn_tracer *tracer;
} globe;

static globe *make_globe(const firn_look *look, const float color[3], float move)
{
    globe *g = calloc(1, sizeof *g);
    assert_non_null(g);
    for (int r = 0; r <= RINGS; r++)
        for (int s = 0; s < SECTORS; s++) {
            double a = M_PI * r / RINGS, b = 2 * M_PI * s / SECTORS;
            int k = 3 * (r * SECTORS + s);
            float n[3] = {(float)(sin(a) * sin(b)), (float)cos(a), (float)(sin(a) * cos(b))};
            for (int c = 0; c < 3; c++) {
                g->xyz[k + c] = n[c] - (c == 0 ? move / 2 : 0);
                g->end[k + c] = n[c] + (c == 0 ? move / 2 : 0);
                g->normal[k + c] = n[c];
                g->color[k + c] = color[c];
            }
        }
    for (uint32_t r = 0; r < RINGS; r++)
        for (uint32_t s = 0; s < SECTORS; s++) {
            uint32_t a = r * SECTORS + s, b = r * SECTORS + (s + 1) % SECTORS;
            uint32_t corners[6] = {a, a + SECTORS, b, b, a + SECTORS, b + SECTORS};
            memcpy(g->triangles + 6 * a, corners, sizeof corners);
        }
    g->skin.n = 1;
    g->skin.pieces[0] = (firn_skin_piece){.look = look,
                                          .n_vertices = N_POINTS,
                                          .n_triangles = N_FACES,
                                          .xyz = g->xyz,
                                          .normal = g->normal,
                                          .color = g->color,
                                          .triangles = g->triangles,
                                          .spacing = 0.05f,
                                          .voxel = 0.01f};
    firn_tracer_shape shapes[2] = {{.n_vertices = N_POINTS,
                                    .n_triangles = N_FACES,
                                    .xyz = g->xyz,
                                    .xyz_end = move != 0 ? g->end : NULL,
                                    .triangles = g->triangles}};
    assert_int_equal(firn_tracer_embree->create(2, shapes, 2, &g->tracer, NULL), FIRN_OK);
    return g;
}

static void destroy_globe(globe *g)
{
    firn_tracer_embree->destroy(g->tracer);
    free(g);
}

enum { WIDTH = 200, HEIGHT = 160 };
static const float far_off = 6;

/* The globe from `far_off` along -z, sun from behind the camera, no ground. */
static firn_layers *picture_of(const globe *g, int samples, firn_image *image)
{
    firn_camera_def def = {.fov = 0.6, .distance = far_off};
    float zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    firn_camera camera = firn_camera_look(&def, zero, zero, one, WIDTH, HEIGHT);
    firn_surface_shading shading = {.stage = {.floor = {.size = 2, .sun = {0, 0, 1}}},
                                    .skin = &g->skin,
                                    .tracer = g->tracer,
                                    .camera = &camera,
                                    .samples = samples,
                                    .n_threads = 2,
                                    .size = 2,
                                    .radius = 0.05f};
    firn_layers *layers = firn_layers_create(WIDTH, HEIGHT);
    assert_non_null(layers);
    assert_int_equal(firn_surface_shading_paint(&shading, image, layers), FIRN_OK);
    return layers;
}

static double covered(const firn_layers *layers)
{
    double sum = 0;
    for (int k = 0; k < WIDTH * HEIGHT; k++) {
        assert_true(layers->material[k] == layers->rgba[4 * k + 3]); /* there is nothing else */
        sum += layers->material[k];
    }
    return sum;
}

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g instead of %.9g +- %g", value, expected, tolerance);
}

/* A sphere of radius R at distance D covers a disc of radius R / sqrt(D^2 - R^2) in a picture plane at
 * distance 1; its nearest point is at D - R. Light on a matt sphere without wrap is
 * a (sun n.l + sky o / (1 - a (1 - o))), o = 0.65 + 0.35 n.y where no rays are sent to the sky, times
 * the exposure of materials. */
static void test_globe(void **state)
{
    (void)state;
    if (!firn_tracer_embree) skip();
    firn_look matt = *firn_look_find("plain");
    matt.wrap = matt.specular = 0;
    float color[3] = {0.5f, 0.25f, 0.1f};
    globe *g = make_globe(&matt, color, 0);
    firn_image *image = firn_image_create(WIDTH, HEIGHT);
    firn_layers *layers = picture_of(g, 4, image);
    double plane = 2 * tan(0.3) / HEIGHT, disc = M_PI / (far_off * far_off - 1) / (plane * plane);
    assert_close(covered(layers), disc, 0.004 * disc);
    int middle = HEIGHT / 2 * WIDTH + WIDTH / 2;
    assert_close(layers->depth[middle], far_off - 1, 2e-3);
    assert_true(isinf(layers->depth[0]) && layers->rgba[3] == 0);
    assert_close(layers->rgba[4 * middle + 3], 1, 0);
    /* the ray through (i, j) meets the sphere where n = p */
    for (int i = 60; i <= 140; i += 20) {
        double x = (2 * (i + 0.5) / WIDTH - 1) * tan(0.3) * WIDTH / HEIGHT, l = sqrt(1 + x * x),
               b = far_off / l, t = b - sqrt(b * b - (far_off * far_off - 1)), nl = far_off - t / l;
        if (nl < 0.2) continue;
        for (int c = 0; c < 3; c++) {
            double open = 0.65 / (1 - 0.35 * color[c]);
            double light = 0.62 * color[c] * (firn_light_sun[c] * nl + firn_light_sky[c] * open);
            assert_close(layers->rgba[4 * (middle - WIDTH / 2 + i) + c], light, 0.03 * light);
        }
    }
    firn_layers_destroy(layers);
    firn_image_destroy(image);
    destroy_globe(g);
}

/* A sphere that moves across the picture covers, in the mean over the shutter, as much of it as one
 * at rest; its streak is longer by the way, its middle is whole, its ends are thin. */
static void test_motion(void **state)
{
    (void)state;
    if (!firn_tracer_embree) skip();
    float color[3] = {1, 1, 1};
    firn_image *image = firn_image_create(WIDTH, HEIGHT);
    double sums[2];
    int lengths[2];
    for (int moves = 0; moves < 2; moves++) {
        globe *g = make_globe(firn_look_find("plain"), color, moves ? 0.5f : 0);
        firn_layers *layers = picture_of(g, 8, image);
        const float *line = layers->material + HEIGHT / 2 * WIDTH;
        sums[moves] = covered(layers);
        lengths[moves] = 0;
        for (int i = 0; i < WIDTH; i++) lengths[moves] += line[i] > 0;
        assert_close(line[WIDTH / 2], 1, 0);
        firn_layers_destroy(layers);
        destroy_globe(g);
    }
    double pixels = 0.5 / sqrt(far_off * far_off - 1) / (2 * tan(0.3) / HEIGHT);
    assert_close(sums[1], sums[0], 0.01 * sums[0]);
    assert_close(lengths[1] - lengths[0], pixels, 2);
    firn_image_destroy(image);
}

/* A ball of particles: the surface lies between its outermost particles and 1.2 spacings beyond. */
static firn_points *ball(double radius, double spacing)
{
    int side = (int)(radius / spacing) + 1;
    firn_points *points = firn_points_create(8 * (int64_t)(side + 1) * (side + 1) * (side + 1));
    float *p = firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)->data.f;
    float *scale = firn_points_add(points, "pscale", FIRN_ATTRIBUTE_FLOAT, 1)->data.f;
    int64_t n = 0;
    for (int i = -side; i <= side; i++)
        for (int j = -side; j <= side; j++)
            for (int k = -side; k <= side; k++) {
                double x[3] = {i * spacing, j * spacing, k * spacing};
                if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] > radius * radius) continue;
                for (int c = 0; c < 3; c++) p[3 * n + c] = (float)x[c];
                scale[n++] = (float)(spacing / 2);
            }
    points->n = n;
    return points;
}

static firn_render_def surface_picture(const char *look)
{
    firn_render_def def = firn_render_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.n_threads = 2;
    def.has_legend = 0;
    def.is_surface = 1;
    def.ground = FIRN_GROUND_NONE;
    strcpy(def.look, look);
    return def;
}

static void test_ball(void **state)
{
    (void)state;
    if (!firn_tracer_embree) skip();
    const char *const looks[] = {"plain", "snow", "sand", "honey"};
    firn_points *points = ball(0.2, 0.02);
    firn_view_bounds bounds = firn_view_bounds_default();
    assert_int_equal(firn_view_bounds_add(&bounds, points, "", NULL), FIRN_OK);
    for (int k = 0; k < 4; k++) {
        firn_render_def def = surface_picture(looks[k]);
        firn_image *image;
        def.camera.distance = 1.5;
        def.camera.fov = 0.6;
        def.layers = firn_layers_create(WIDTH, HEIGHT);
        assert_int_equal(firn_render_frame(points, &bounds, &def, &image, NULL), FIRN_OK);
        double plane = 2 * tan(0.3) / HEIGHT,
               radius = sqrt(covered(def.layers) / M_PI) * plane, /* of the disc at distance 1 */
            low = 0.2 / sqrt(1.5 * 1.5 - 0.04), high = 0.224 / sqrt(1.5 * 1.5 - 0.05);
        if (!(radius > 0.97 * low && radius < high))
            fail_msg("%s: %g not in %g .. %g", looks[k], radius, low, high);
        firn_layers_destroy(def.layers);
        firn_image_destroy(image);
    }
    firn_points_destroy(points);
}

/* The same picture, bit for bit, from any number of threads. */
static void test_surface_threads(void **state)
{
    (void)state;
    if (!firn_tracer_embree) skip();
    firn_points *points = picture_points(4000, 0.02f);
    firn_view_bounds bounds = firn_view_bounds_default();
    assert_int_equal(firn_view_bounds_add(&bounds, points, "", NULL), FIRN_OK);
    firn_render_def def = surface_picture("");
    def.shutter = 0.1;
    firn_image *one, *many;
    def.n_threads = 1;
    assert_int_equal(firn_render_frame(points, &bounds, &def, &one, NULL), FIRN_OK);
    for (def.n_threads = 2; def.n_threads <= 4; def.n_threads++) {
        assert_int_equal(firn_render_frame(points, &bounds, &def, &many, NULL), FIRN_OK);
        assert_memory_equal(one->rgb, many->rgb, 3 * WIDTH * HEIGHT);
        firn_image_destroy(many);
    }
    firn_image_destroy(one);
    firn_points_destroy(points);
}

static void is_look(const char *material, const char *preset, const char *law, const char *look)
{
    assert_string_equal(firn_look_choose(material, preset, law)->name, look);
}

static void test_looks(void **state)
{
    (void)state;
    is_look("white_Sand", "", "", "sand");
    is_look("wet_sand", "", "sand", "wet_sand");
    is_look("ball", "packed_snow", "snow", "snow");
    is_look("vanilla", "ice_cream", "snow", "cream");
    is_look("slice", "", "", "plain");
    is_look("ice", "", "", "ice");
    is_look("", "", "liquid", "water");
    is_look("", "honey", "liquid", "honey");
    is_look("body", "melting_wax", "melting", "wax");
    is_look("body", "chocolate", "melting", "chocolate");
    is_look("", "", "", "plain");
    char names[512];
    snprintf(names, sizeof names, "%s", firn_look_names());
    int n = 0;
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "), n++)
        assert_non_null(firn_look_find(name));
    assert_int_equal(n, 18);
    assert_null(firn_look_find("no"));
}

static void test_refused(void **state)
{
    (void)state;
    if (!firn_tracer_embree) skip();
    firn_points *points = picture_points(100, 0.02f);
    firn_view_bounds bounds = firn_view_bounds_default();
    firn_messages *messages = firn_messages_create();
    firn_image *image;
    firn_render_def def = surface_picture("snow,dough=dow");
    assert_int_equal(firn_render_frame(points, &bounds, &def, &image, messages), FIRN_REFUSED);
    assert_non_null(
        strstr(firn_messages_text(messages, 0, NULL), "look: unknown (dow); allowed: snow, "));
    def = surface_picture("snow");
    def.shutter = -1;
    assert_int_equal(firn_render_frame(points, &bounds, &def, &image, NULL), FIRN_REFUSED);
    firn_messages_destroy(messages);
    firn_points_destroy(points);
}

/* One of a line of particles three spacings apart is alone, one of a lattice is not, nor at its
 * corner. */
static void test_loose(void **state)
{
    (void)state;
    enum { SIDE = 6, N = SIDE * SIDE * SIDE + 5 };
    float xyz[3 * N];
    uint8_t is_loose[N];
    for (int k = 0; k < N; k++) {
        int at[3] = {k / (SIDE * SIDE), k / SIDE % SIDE, k % SIDE};
        for (int c = 0; c < 3; c++)
            xyz[3 * k + c] = k < N - 5 ? 0.1f * (float)at[c]
                             : c == 0  ? 2 + 0.3f * (float)(k % 5)
                                       : 0;
    }
    assert_true(firn_skin_find_loose(N, xyz, 0.1, 2, is_loose));
    for (int k = 0; k < N; k++) assert_int_equal(is_loose[k], k >= N - 5);
}

/* Whichever allocation fails: FIRN_MEMORY and a sentence. */
static void test_surface_memory(void **state)
{
    (void)state;
    if (!firn_tracer_embree) skip();
    firn_points *points = picture_points(60, 0.05f);
    firn_view_bounds bounds = firn_view_bounds_default();
    firn_view_bounds_add(&bounds, points, "", NULL);
    firn_render_def def = surface_picture("");
    def.width = def.height = 24;
    firn_messages *messages = firn_messages_create();
    int n = 1;
    for (;; n++) {
        firn_image *image;
        firn_messages_clear(messages);
        firn_memory_fail_after(n);
        firn_status status = firn_render_frame(points, &bounds, &def, &image, messages);
        firn_memory_fail_after(0);
        if (status == FIRN_OK) {
            firn_image_destroy(image);
            break;
        }
        assert_int_equal(status, FIRN_MEMORY);
        assert_null(image);
        assert_int_equal(firn_messages_count(messages, FIRN_ERROR), 1);
    }
    assert_true(n > 20);
    firn_messages_destroy(messages);
    firn_points_destroy(points);
}

/* What a reader of EXR does with a line: inflate, sum up the differences, join the halves. */
static void read_line(const unsigned char *file, int j, size_t n_header, size_t n, float *line)
{
    uint64_t at;
    int32_t start[2];
    unsigned char halves[4096], *bytes = (unsigned char *)line;
    memcpy(&at, file + n_header + 8 * (size_t)j, 8);
    memcpy(start, file + at, 8);
    assert_int_equal(start[0], j);
    if ((size_t)start[1] == n) {
        memcpy(line, file + at + 8, n);
        return;
    }
    uLongf size = sizeof halves;
    assert_int_equal(uncompress(halves, &size, file + at + 8, (uLong)start[1]), Z_OK);
    assert_int_equal(size, n);
    for (size_t k = 1; k < n; k++) halves[k] = (unsigned char)(halves[k] + halves[k - 1] - 128);
    for (size_t k = 0; k < n; k++) bytes[k] = halves[k % 2 * (n / 2) + k / 2];
}

/* Every number of a file of layers comes back exactly, in smooth lines and in noise. */
static void test_layers_file(void **state)
{
    (void)state;
    enum { W = 37, H = 5, N = W * 6 * 4 };
    firn_layers *layers = firn_layers_create(W, H);
    uint32_t seed = 3;
    for (int k = 0; k < W * H; k++) {
        for (int c = 0; c < 4; c++)
            layers->rgba[4 * k + c] = k < 2 * W ? 0.25f * (float)c : picture_random(&seed);
        layers->depth[k] = k % 3 ? picture_random(&seed) : INFINITY;
        layers->material[k] = (float)(k % 2);
    }
    const char *path = "layers_test.exr";
    assert_int_equal(firn_layers_write(layers, path, NULL), FIRN_OK);
    static unsigned char file[65536];
    FILE *f = fopen(path, "rb");
    size_t n = fread(file, 1, sizeof file, f);
    fclose(f);
    assert_memory_equal(file, "\x76\x2f\x31\x01\x02\0\0\0channels\0chlist", 23);
    static const char last[] = "screenWindowWidth\0float\0\4\0\0\0\0\0\200?";
    size_t end = 0;
    for (size_t k = 0; k + sizeof last < n && !end; k++)
        if (!memcmp(file + k, last, sizeof last - 1)) end = k + sizeof last;
    assert_true(end > 0 && file[end - 1] == 0);
    for (int j = 0; j < H; j++) {
        float line[6 * W];
        read_line(file, j, end, N, line);
        for (int i = 0; i < W; i++) {
            int k = j * W + i;
            for (int c = 0; c < 4; c++)
                assert_true(line[c * W + i] == layers->rgba[4 * k + 3 - c]); /* A B G R */
            assert_true(line[4 * W + i] == layers->depth[k]);
            assert_true(line[5 * W + i] == layers->material[k]);
        }
    }
    remove(path);
    firn_layers_destroy(layers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_globe),      cmocka_unit_test(test_motion),
        cmocka_unit_test(test_ball),       cmocka_unit_test(test_surface_threads),
        cmocka_unit_test(test_looks),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_loose),      cmocka_unit_test(test_surface_memory),
        cmocka_unit_test(test_layers_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
