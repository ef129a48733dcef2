/* SPDX-License-Identifier: MIT */
/* bench.c: see bench.h. */
#include "session/bench.h"
#include "mpm/kernels.h"
#include "simd/peak_flops.h"
#include "base/memory.h"
#include "mpm/mpm.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

firn_bench_case firn_bench_case_default(void)
{
    return (firn_bench_case){.law = "sand",
                             .scheme = FIRN_APIC,
                             .force = FIRN_FORCE_MLS,
                             .spline = FIRN_CUBIC,
                             .n_steps = 10,
                             .n_repeats = 5,
                             .n_particles = 1000000,
                             .speed = 1};
}

/* ---------------------------------------------------------------- the machine */

static double multiply_adds(firn_variant variant, int n_threads)
{
    firn_peak_flops_fn flops = firn_peak_flops_find(variant);
    double best = 0;
    for (int repeat = 0; flops && repeat < 3; repeat++) {
        double total = 0, begin = firn_sim_clock();
#pragma omp parallel num_threads(n_threads) reduction(+ : total)
        {
            double sink = 0;
            total += flops(4000000, &sink) + 0 * sink;
        }
        best = fmax(best, total / (firn_sim_clock() - begin));
    }
    return best;
}

static double copy_bandwidth(int n_threads)
{
    enum { CHUNK = 1 << 16, CHUNKS = 2048 };
    size_t bytes = (size_t)CHUNK * CHUNKS;
    char *from = firn_memory_allocate(NULL, bytes), *to = firn_memory_allocate(NULL, bytes);
    double best = 0;
    for (int repeat = 0; from && to && repeat < 5; repeat++) {
        double begin = firn_sim_clock();
#pragma omp parallel for schedule(static) num_threads(n_threads)
        for (int c = 0; c < CHUNKS; c++)
            memcpy(to + (size_t)c * CHUNK, from + (size_t)c * CHUNK, CHUNK);
        best = fmax(best, 2 * (double)bytes / (firn_sim_clock() - begin));
    }
    firn_memory_release(NULL, from, bytes);
    firn_memory_release(NULL, to, bytes);
    return best;
}

/* Row operations (16 multiply-adds each) that transfer.c makes for a particle. */
static double n_of(const firn_bench_case *b) { return b->spline == FIRN_QUADRATIC ? 3 : 4; }
static int blends_flip(const firn_bench_case *b)
{
    return b->scheme == FIRN_FLIP || b->scheme == FIRN_AFLIP;
}

/* One scatter of momenta, forces or both. */
static double scatter(double n, int is_linear, int has_base, int has_moment, int has_gradient)
{
    const int m = has_moment, g = has_gradient;
    if (is_linear) return has_base + n * n + (m ? n * n + 4 : 0);
    return n * n * (1 + (m || g)) + n * (1 + 2 * m + 2 * g) + has_base + 3 * m + 3 * g;
}
static double p2g_flops(const firn_bench_case *b)
{
    const int is_affine = b->scheme == FIRN_APIC || b->scheme == FIRN_AFLIP,
              is_mls = b->force == FIRN_FORCE_MLS;
    if (!blends_flip(b)) return 32 * scatter(n_of(b), is_mls, 1, is_affine || is_mls, !is_mls);
    return 32 * (scatter(n_of(b), is_mls, 1, is_affine, 0) +
                 scatter(n_of(b), is_mls, 0, is_mls, !is_mls));
}
static double g2p_flops(const firn_bench_case *b)
{
    const double n = n_of(b), sets = b->scheme == FIRN_APIC || b->scheme == FIRN_AFLIP ? 3 : 2,
                 old = 2 * n + 3;
    const double own = b->force == FIRN_FORCE_MLS ? 2 * n * n + 2 * n
                                                  : n * n * sets + n * (2 * sets - 1) + 3 * sets;
    return 32 * (own + (blends_flip(b) ? old : 0));
}

/* ---------------------------------------------------------------- the case */

static firn_status make_cube(const firn_bench_case *b, firn_sim **sim, firn_messages *messages)
{
    firn_scene_def scene = firn_scene_default();
    firn_material_def material = firn_material_default();
    firn_shape_def box = firn_shape_default(), plane = firn_shape_default();
    firn_body_def body = firn_body_default();
    firn_collider_def floor = firn_collider_default();
    firn_run_options options = firn_run_options_default();
    double cells = cbrt((double)b->n_particles / 8), h = 0.01;
    snprintf(material.name, sizeof material.name, "bench");
    snprintf(material.law, sizeof material.law, "%s", b->law);
    snprintf(box.kind, sizeof box.kind, "box");
    for (int a = 0; a < 3; a++) box.size[a] = cells * h;
    box.center[1] = 0.5 * cells * h;
    snprintf(body.name, sizeof body.name, "cube");
    snprintf(body.material, sizeof body.material, "bench");
    body.shapes = &box;
    body.n_shapes = 1;
    body.sampling = FIRN_JITTERED;
    body.particles_per_cell = 8;
    body.velocity[0] = b->speed;
    snprintf(plane.kind, sizeof plane.kind, "plane");
    plane.normal[0] = plane.normal[2] = 0;
    plane.normal[1] = 1;
    snprintf(floor.name, sizeof floor.name, "floor");
    floor.shapes = &plane;
    floor.n_shapes = 1;
    floor.contact = FIRN_SEPARATE;
    floor.friction = 0.4;
    scene.is_double = b->is_double;
    scene.grid.dx = h;
    scene.grid.spline = b->spline;
    scene.transfer.scheme = b->scheme;
    scene.transfer.force = b->force;
    scene.materials = &material;
    scene.n_materials = 1;
    scene.bodies = &body;
    scene.n_bodies = 1;
    scene.colliders = &floor;
    scene.n_colliders = 1;
    options.n_threads = b->n_threads;
    snprintf(options.isa, sizeof options.isa, "%s", b->isa);
    return firn_sim_create(&scene, &options, sim, messages);
}

/* With the settings of the scene, but for threads and instruction set. */
static firn_status make_scene(const firn_bench_case *b, firn_sim **sim, firn_messages *messages)
{
    firn_run_options options = firn_run_options_default();
    options.n_threads = b->n_threads;
    snprintf(options.isa, sizeof options.isa, "%s", b->isa);
    firn_scene *scene = firn_scene_load(b->scene, 0, NULL, messages);
    if (!scene) return FIRN_REFUSED;
    firn_status status = firn_sim_create(firn_scene_definition(scene), &options, sim, messages);
    if (status == FIRN_OK) status = firn_sim_advance_to(*sim, b->at, messages);
    firn_scene_destroy(scene);
    return status;
}

/* One ledger per frame, not per step: its cost is reported apart. */
static firn_status time_ledger(firn_sim *sim, firn_bench_result *r, firn_messages *messages)
{
    firn_ledger ledger;
    double begin = firn_sim_clock();
    firn_status status = firn_sim_ledger(sim, -1, &ledger, messages);
    r->ledger_ns = (firn_sim_clock() - begin) / (double)firn_sim_n_particles(sim) * 1e9;
    return status;
}

/* There is a sort every ten or twenty steps, so a repeat has one or none. Repeats are compared
 * without sorts, and every step gets its share of all sorts. A scene with fewer particles than the
 * cube is repeated more often, for the same chance of a quiet moment. */
static firn_status measure(const firn_bench_case *b, firn_sim *sim, firn_bench_result *r,
                           firn_messages *messages)
{
    double n = (double)firn_sim_n_particles(sim), fastest = INFINITY, slowest = 0, total = 0;
    const int n_repeats =
        b->n_repeats * (b->scene ? (int)fmin(fmax((double)b->n_particles / n, 1), 100) : 1);
    const double n_steps = (double)b->n_steps * n_repeats;
    firn_status status = FIRN_OK;
    for (int i = 0; i < 3 && status == FIRN_OK; i++)
        status = firn_sim_step(sim, INFINITY, messages);
    const firn_stats first = firn_sim_stats(sim);
    for (int repeat = 0; repeat < n_repeats && status == FIRN_OK; repeat++) {
        firn_stats before = firn_sim_stats(sim);
        double begin = firn_sim_clock();
        for (int i = 0; i < b->n_steps && status == FIRN_OK; i++)
            status = firn_sim_step(sim, INFINITY, messages);
        double seconds = firn_sim_clock() - begin;
        firn_stats after = firn_sim_stats(sim);
        total += seconds;
        seconds -= after.stage_seconds[FIRN_STAGE_SORT] - before.stage_seconds[FIRN_STAGE_SORT];
        slowest = fmax(slowest, seconds);
        if (seconds >= fastest) continue;
        fastest = seconds;
        for (int s = 0; s < FIRN_N_STAGES; s++)
            r->stage_ns[s] =
                (after.stage_seconds[s] - before.stage_seconds[s]) / b->n_steps / n * 1e9;
    }
    const firn_stats last = firn_sim_stats(sim);
    double sort =
        (last.stage_seconds[FIRN_STAGE_SORT] - first.stage_seconds[FIRN_STAGE_SORT]) / n_steps;
    r->stage_ns[FIRN_STAGE_SORT] = sort / n * 1e9;
    r->best = n / (fastest / b->n_steps + sort);
    r->mean = n * n_steps / total;
    r->spread = slowest / fastest - 1;
    r->sorts_per_step = (double)(last.n_sorts - first.n_sorts) / n_steps;
    return status == FIRN_OK ? time_ledger(sim, r, messages) : status;
}

firn_status firn_bench_run(const firn_bench_case *b, firn_bench_machine *machine,
                           firn_bench_result *r, firn_messages *messages)
{
    firn_sim *sim = NULL;
    *r = (firn_bench_result){0};
    firn_status status = b->scene ? make_scene(b, &sim, messages) : make_cube(b, &sim, messages);
    if (status != FIRN_OK) {
        firn_sim_destroy(sim);
        return status;
    }
    sim->is_unchecked = b->is_unchecked;
    r->n_particles = firn_sim_n_particles(sim);
    r->n_threads = sim->n_threads;
    snprintf(r->variant, sizeof r->variant, "%s", firn_sim_variant(sim));
    machine->flops = multiply_adds(sim->variant, sim->n_threads);
    machine->bandwidth = copy_bandwidth(sim->n_threads);
    status = measure(b, sim, r, messages);
    r->bytes_per_particle = (double)firn_sim_stats(sim).memory_peak / (double)r->n_particles;
    r->p2g_share = p2g_flops(b) / (r->stage_ns[FIRN_STAGE_P2G] * 1e-9) / machine->flops;
    r->g2p_share = g2p_flops(b) / (r->stage_ns[FIRN_STAGE_G2P] * 1e-9) / machine->flops;
    firn_sim_destroy(sim);
    return status;
}
