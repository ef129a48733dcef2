/* SPDX-License-Identifier: MIT */
/* populate.c: the bodies of a scene as particles: points sampled in a shape, with the body's
 * motion, mass m = rho V0 and volume V0 = spacing^3.
 *
 * Two densities of particles (particles_at_surface): points within `surface_depth` of the surface
 * stand for cubes of another edge, so mass and volume are per particle there, as in the leaves of an
 * octree (sampling: octree), which grow up to .9 of a cell.
 *
 * What would begin inside something else is left out before it is added (overlap.c).
 *
 * Order: bodies in the order of the scene, points in the order of sampling; ids follow, and with
 * them everything that is hashed from ids. */
#include "geometry/octree.h"
#include "geometry/sampling.h"
#include "solver/overlap.h"
#include "solver/periodic.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>

/* center = mean of the points, m; with deform_positions x' = center + F (x - center), so that F and
 * the positions agree from the start. */
void firn_populate_place(const firn_body_def *def, int64_t n, double *x, double center[3])
{
    for (int a = 0; a < 3; a++) center[a] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) center[a] += x[3 * i + a] / (double)n;
    for (int64_t i = 0; def->deform_positions && i < n; i++) {
        double d[3];
        for (int a = 0; a < 3; a++) d[a] = x[3 * i + a] - center[a];
        for (int a = 0; a < 3; a++)
            x[3 * i + a] = center[a] + def->F[3 * a] * d[0] + def->F[3 * a + 1] * d[1] +
                           def->F[3 * a + 2] * d[2];
    }
}

/* The points of a body; the first *n_surface stand for cubes of edge spacing[0] (m), the others for
 * cubes of edge spacing[1]. */
/* The shape exists for the sampling only. Layers need distances down to surface_depth, and one cell
 * beyond it. */
static firn_status sample_body(const firn_sim *sim, const firn_body_def *def,
                               const firn_shape *shape, const double spacing[2], double **x,
                               int64_t *n, int64_t *n_surface, firn_messages *messages)
{
    const uint64_t seed = def->seed + sim->scene.seed;
    const double depth = firn_body_source_depth(def, sim->h);
    *n_surface = 0;
    if (sim->scene.grid.geometry == FIRN_PLANE_STRAIN)
        return firn_sample_section(shape, def->sampling, spacing, depth, seed, x, n, n_surface,
                                   messages);
    return depth > 0 ? firn_sample_layers(shape, def->sampling, spacing, depth, seed, x, n,
                                          n_surface, messages)
                     : firn_sample_shape(shape, def->sampling, spacing[1], seed, x, n, messages);
}

/* Volume and mass per particle, of two layers or of the cubes of `edges`: two columns of n numbers,
 * m^3 and kg. */
static double *weigh(firn_sim *sim, double density, const double spacing[2], const double *edges,
                     int64_t n, int64_t n_surface)
{
    double *volumes = firn_memory_array(&sim->memory, (size_t)n, 2 * sizeof *volumes);
    for (int64_t i = 0; volumes && i < n; i++) {
        volumes[i] = firn_sim_particle_volume(sim, edges ? edges[i] : spacing[i >= n_surface]);
        volumes[n + i] = density * volumes[i];
    }
    return volumes;
}

/* Leaves from spacing[1] at the surface to a cell inside, as points and edges, m. */
static firn_status sample_octree(const firn_sim *sim, const firn_shape *shape,
                                 const double spacing[2], double **x, double **edges, int64_t *n,
                                 firn_messages *messages)
{
    double *leaves = NULL;
    int64_t n_leaves = 0;
    firn_status status = firn_octree_sample(shape, spacing[1], FIRN_OCTREE_MOST * sim->h, &leaves,
                                            &n_leaves, messages);
    if (status != FIRN_OK) return status;
    *x = firn_memory_array(NULL, (size_t)n_leaves, 3 * sizeof **x);
    *edges = firn_memory_array(NULL, (size_t)n_leaves, sizeof **edges);
    if (*x && *edges) {
        *n = n_leaves;
        for (int64_t i = 0; i < n_leaves; i++) {
            memcpy(*x + 3 * i, leaves + 4 * i, 3 * sizeof **x);
            (*edges)[i] = leaves[4 * i + 3];
        }
    } else {
        status = firn_messages_no_memory(messages, "%lld particles", (long long)n_leaves);
        firn_memory_release(NULL, *x, (size_t)n_leaves * 3 * sizeof **x);
        firn_memory_release(NULL, *edges, (size_t)n_leaves * sizeof **edges);
    }
    firn_memory_release(NULL, leaves, (size_t)n_leaves * 4 * sizeof *leaves);
    return status;
}

static firn_status refuse_body(const firn_body_def *def, firn_status status,
                               firn_messages *messages)
{
    const char *file = *def->points ? def->points : def->n_shapes ? def->shapes[0].file : "";
    return firn_messages_add(messages, status, "body '%s'%s%s: cannot be filled, see above",
                             def->name, *file ? " from " : "", file);
}

/* Leaves out the points that overlap with something; their order stays. */
static firn_status leave_out(firn_overlap_scene *o, int body, double spacing, int64_t *n,
                             int64_t *n_surface, double *x, double *edges)
{
    const int64_t n_before = *n, n_surface_before = *n_surface;
    unsigned char *keep = firn_memory_array(&o->sim->memory, (size_t)n_before, 1);
    if (!keep)
        return firn_messages_no_memory(o->messages, "%lld particles of body '%s'",
                                       (long long)n_before, o->scene->bodies[body].name);
    firn_overlap_find(o, body, spacing, n_before, x, keep);
    *n = *n_surface = 0;
    for (int64_t i = 0; i < n_before; i++) {
        if (!keep[i]) continue;
        memmove(x + 3 * *n, x + 3 * i, 3 * sizeof *x);
        if (edges) edges[*n] = edges[i];
        ++*n;
        *n_surface += i < n_surface_before;
    }
    firn_memory_release(&o->sim->memory, keep, (size_t)n_before);
    return FIRN_OK;
}

/* Mass and volume per particle where they differ, then the particles into their material. */
static firn_status add_points(firn_sim *sim, int material, const double spacing[2],
                              const double *edges, int64_t n_surface, firn_newborn *born,
                              firn_messages *messages)
{
    const char *name = born->body->name;
    double *volumes = NULL;
    if (n_surface > 0 || edges) {
        volumes = weigh(sim, sim->materials[material].resolved.density, spacing, edges, born->n,
                        n_surface);
        if (!volumes)
            return firn_messages_no_memory(messages, "%lld particles of body '%s'",
                                           (long long)born->n, name);
        born->volumes = volumes;
        born->masses = volumes + born->n;
    }
    const firn_status status = firn_solver_add(sim, material, born, name, messages);
    firn_memory_release(&sim->memory, volumes, (size_t)born->n * 2 * sizeof *volumes);
    return status;
}

static firn_status add_body(firn_overlap_scene *o, int body)
{
    firn_sim *sim = o->sim;
    const firn_body_def *def = &o->scene->bodies[body];
    const int material = firn_solver_material(sim, def->material);
    if (material < 0)
        return firn_messages_add(o->messages, FIRN_REFUSED, "body '%s': unknown material '%s'",
                                 def->name, def->material);
    const double density = sim->materials[material].resolved.density;
    const double spacing[2] = {sim->h / cbrt(def->particles_at_surface),
                               def->spacing > 0 ? def->spacing
                                                : sim->h / cbrt(def->particles_per_cell)};
    double *x = NULL, *edges = NULL;
    int64_t n = 0, n_surface = 0;
    const firn_shape *shape = o->sources[body].shape;
    firn_status status =
        def->sampling == FIRN_OCTREE
            ? sample_octree(sim, shape, spacing, &x, &edges, &n, o->messages)
            : sample_body(sim, def, shape, spacing, &x, &n, &n_surface, o->messages);
    if (status != FIRN_OK) return refuse_body(def, status, o->messages);
    const int64_t n_sampled = n;
    const double volume = firn_sim_particle_volume(sim, spacing[1]);
    firn_newborn born = {
        .x = x, .body = def, .temperature = def->temperature, .mass = density * volume};
    born.volume = volume;
    firn_populate_place(def, n, x, born.center);
    status = firn_periodic_check_body(sim, def->name, n, x, o->messages);
    if (status == FIRN_OK) status = leave_out(o, body, spacing[1], &n, &n_surface, x, edges);
    born.n = n;
    if (status == FIRN_OK)
        status = add_points(sim, material, spacing, edges, n_surface, &born, o->messages);
    firn_memory_release(NULL, edges, (size_t)n_sampled * sizeof *edges);
    firn_memory_release(NULL, x, (size_t)n_sampled * 3 * sizeof *x);
    return status;
}

static int is_outside(const firn_grid_def *grid, const double x[3])
{
    for (int w = 0; w < 6; w++) {
        if (grid->walls[w] == FIRN_WALL_OPEN || grid->walls[w] == FIRN_WALL_DELETE ||
            grid->walls[w] == FIRN_WALL_PERIODIC)
            continue;
        if (w & 1 ? x[w / 2] > grid->box_max[w / 2] : x[w / 2] < grid->box_min[w / 2]) return 1;
    }
    return 0;
}

/* Walls hold what is inside; particles that begin beyond a closed wall and are kept there are most
 * likely a mistake. */
static void warn_of_outside(firn_sim *sim, firn_messages *messages)
{
    enum { AT_ONCE = 64 };
    const firn_grid_def *grid = &sim->scene.grid;
    const firn_method *method = sim->method;
    const int is_asked = grid->has_box && grid->overlap == FIRN_OVERLAP_KEEP;
    for (int m = 0; is_asked && m < sim->n_materials; m++) {
        int64_t n_outside = 0;
        double x[3 * AT_ONCE], first[3] = {0, 0, 0};
        firn_place at = {.material = m};
        for (at.block = 0; at.block < method->n_blocks(sim, m); at.block++)
            for (at.index = 0; at.index < method->block_size(sim, m, at.block);) {
                int n = method->block_size(sim, m, at.block) - at.index;
                n = n < AT_ONCE ? n : AT_ONCE;
                method->read(sim, at, n, FIRN_FIELD_X, x);
                for (int i = 0; i < n; i++)
                    if (is_outside(grid, x + 3 * i) && n_outside++ == 0)
                        memcpy(first, x + 3 * i, sizeof first);
                at.index += n;
            }
        if (n_outside)
            firn_messages_warn(
                messages,
                "material '%s': %lld particles begin beyond closed walls, the first at %.4g "
                "%.4g %.4g m",
                sim->materials[m].resolved.name, (long long)n_outside, first[0], first[1],
                first[2]);
    }
}

/* Bodies whose density is measured on the grid: ranges of ids, merged where adjacent. */
enum { RANGES = 256 };
static firn_status add_range(firn_id_range *ranges, int *n, firn_id_range range,
                             firn_messages *messages)
{
    if (*n && ranges[*n - 1].end == range.first) {
        ranges[*n - 1].end = range.end;
        return FIRN_OK;
    }
    if (*n == RANGES)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "bodies: too many with density_from: grid; allowed: %d, not counting "
            "neighbours in the list",
            RANGES);
    ranges[(*n)++] = range;
    return FIRN_OK;
}

static firn_status check_grips(const firn_sim *sim, firn_messages *messages)
{
    for (int g = 0; g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        if (grip->n_particles) continue;
        if (grip->def.mode != FIRN_GRIP_MOTION)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "grip '%s': holds no particle, its region misses the body",
                                     grip->def.name);
        if (grip->has_taken) /* it acts on nodes, and on particles that come to them */
            firn_messages_warn(
                messages,
                "grip '%s': holds no particle; it moves the nodes of the grid in its "
                "region, and what comes there",
                grip->def.name);
    }
    return FIRN_OK;
}

/* Opens those that are not open yet: overlaps are found from the shapes of all bodies. */
static firn_status open_sources(const firn_sim *sim, const firn_scene_def *scene,
                                firn_body_source *sources, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    for (int i = 0; i < scene->n_bodies && status == FIRN_OK; i++) {
        if (firn_body_source_is_open(&sources[i])) continue;
        status = firn_body_source_open(&scene->bodies[i], sim->h, sim->memory.limit, &sources[i],
                                       messages);
        if (status != FIRN_OK) status = refuse_body(&scene->bodies[i], status, messages);
    }
    return status;
}

static firn_status fill_bodies(firn_overlap_scene *o, firn_id_range *ranges, int *n_ranges)
{
    firn_sim *sim = o->sim;
    firn_status status = FIRN_OK;
    for (int i = 0; i < o->scene->n_bodies && status == FIRN_OK; i++) {
        const uint32_t first = sim->next_id;
        status = o->sources[i].points ? firn_populate_points(o, i) : add_body(o, i);
        if (status == FIRN_OK && o->scene->bodies[i].density_from == FIRN_DENSITY_GRID &&
            sim->next_id > first)
            status = add_range(ranges, n_ranges, (firn_id_range){first, sim->next_id}, o->messages);
    }
    return status == FIRN_OK && o->is_refused ? FIRN_REFUSED : status;
}

/* Grips take hold after all bodies exist and before the first sort, so that a grip's particles are
 * those in its region at t = 0; volumes from the grid come last, as they need the sorted
 * particles. */
firn_status firn_populate_bodies(firn_sim *sim, const firn_scene_def *scene,
                                 firn_body_source *sources, firn_messages *messages)
{
    firn_id_range ranges[RANGES];
    int n_ranges = 0;
    const size_t n = (size_t)scene->n_bodies;
    firn_body_source *own = sources ? NULL : firn_memory_array(&sim->memory, n, sizeof *own);
    if (!sources && !own) return firn_messages_no_memory(messages, "shapes of bodies");
    firn_overlap_scene o = {sim, scene, sources ? sources : own, 0, messages};
    firn_status status = open_sources(sim, scene, sources ? sources : own, messages);
    if (status == FIRN_OK) status = fill_bodies(&o, ranges, &n_ranges);
    for (size_t i = 0; i < n; i++) firn_body_source_close(sources ? &sources[i] : &own[i]);
    firn_memory_release(&sim->memory, own, n * sizeof *own);
    if (status != FIRN_OK) return status;
    firn_grips_take(sim, messages);
    status = check_grips(sim, messages);
    if (status != FIRN_OK) return status;
    warn_of_outside(sim, messages);
    firn_periodic_warn_colliders(sim, messages);
    return sim->method->begin(sim, ranges, n_ranges, messages);
}
