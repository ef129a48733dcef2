/* conditions.c: what acts on the nodes between P2G and G2P - force fields, colliders, grips, walls.
 *
 * A node inside a body of velocity v_c and outward normal n, with relative velocity u = v - v_c, u_n = u . n:
 *
 *     stick      v = v_c
 *     slip       u loses u_n n; what is left is slowed by friction against |u_n|
 *     separate   as slip while u_n < s, free beyond            s = stickiness h^2 dt / m: the adhesive impulse of a
 * node friction   |u_t| shrinks by mu (s - u_n), to nothing at most (Coulomb on impulses)
 *
 * Every condition keeps books: the impulse it took from the material, the torque about its pivot, the work it did. */
#include "solver.h"

#include <math.h>
#include <string.h>

typedef struct node {
    double x[3], v[3], mass;
} node;

/* ---------------------------------------------------------------- one node */

static void resolve(firn_contact contact, double friction, double adhesion, const double body_v[3], const double n[3],
                    double v[3])
{
    double u[3], un = 0;
    for (int a = 0; a < 3; a++) u[a] = v[a] - body_v[a], un += u[a] * n[a];
    if (contact == FIRN_STICK) {
        memcpy(v, body_v, 3 * sizeof *v);
        return;
    }
    if (contact == FIRN_SEPARATE && un >= adhesion) return;
    double t2 = 0;
    for (int a = 0; a < 3; a++) u[a] -= un * n[a], t2 += u[a] * u[a];
    double t = sqrt(t2), press = adhesion + (contact == FIRN_SLIP ? fabs(un) : -un);
    double keep = t > friction * press ? 1 - friction * press / t : 0;
    if (friction <= 0) keep = 1;
    for (int a = 0; a < 3; a++) v[a] = body_v[a] + keep * u[a];
}

static void keep_books(firn_exchange *e, const node *n, const double before[3], const double pivot[3])
{
    double d[3], r[3];
    for (int a = 0; a < 3; a++) {
        d[a] = n->mass * (before[a] - n->v[a]), r[a] = n->x[a] - pivot[a];
        e->impulse[a] += d[a];
        e->work += 0.5 * n->mass * (n->v[a] * n->v[a] - before[a] * before[a]);
    }
    e->torque[0] += r[1] * d[2] - r[2] * d[1];
    e->torque[1] += r[2] * d[0] - r[0] * d[2];
    e->torque[2] += r[0] * d[1] - r[1] * d[0];
}

/* The surface as it stands at x, when that is nearer than `reach` (0: when x is inside). */
static int surface_at(const firn_collider *c, const double x[3], double time, double reach, firn_surface_point *s)
{
    double y[3], normal[3];
    firn_pose_to_shape(&c->pose, x, y);
    if (c->shape) {
        firn_shape_query(c->shape, y, time, s);
    } else {
        *s = (firn_surface_point){.friction = NAN, .stickiness = NAN};
        s->distance = c->def.distance(c->def.distance_user, y, time, s->normal);
    }
    if (!(s->distance <= reach)) return 0;
    memcpy(normal, s->normal, sizeof normal);
    firn_pose_direction(&c->pose, normal, s->normal);
    double own[3], rigid[3];
    firn_pose_direction(&c->pose, s->velocity, own);
    firn_pose_velocity(&c->pose, x, rigid);
    for (int a = 0; a < 3; a++) s->velocity[a] = own[a] + rigid[a] + c->def.surface_velocity[a];
    if (isnan(s->friction)) s->friction = c->def.friction;
    if (isnan(s->stickiness)) s->stickiness = c->def.stickiness;
    return 1;
}

static double distance_at(const firn_collider *c, const double x[3], double time)
{
    double y[3], normal[3];
    firn_pose_to_shape(&c->pose, x, y);
    return c->shape ? firn_shape_distance(c->shape, y, time) : c->def.distance(c->def.distance_user, y, time, normal);
}

static void collide(const firn_sim *sim, const firn_collider *c, node *n, firn_exchange *exchange)
{
    firn_surface_point s;
    if (!surface_at(c, n->x, sim->time + sim->dt, 0, &s)) return;
    double before[3] = {n->v[0], n->v[1], n->v[2]};
    resolve(c->def.contact, s.friction, s.stickiness * sim->h * sim->h * sim->dt / n->mass, s.velocity, s.normal, n->v);
    keep_books(exchange, n, before, c->pose.position);
}

static void hold(const firn_grip *g, node *n, double time, firn_exchange *exchange)
{
    double y[3], v[3], before[3] = {n->v[0], n->v[1], n->v[2]};
    firn_pose_to_shape(&g->pose, n->x, y);
    if (firn_shape_distance(g->region, y, time) > 0) return;
    firn_pose_velocity(&g->pose, n->x, v);
    for (int a = 0; a < 3; a++)
        if (!g->def.free_axes[a]) n->v[a] = v[a];
    keep_books(exchange, n, before, g->pose.position);
}

static const firn_contact wall_contact[] = {
    [FIRN_WALL_STICK] = FIRN_STICK,
    [FIRN_WALL_SLIP] = FIRN_SLIP,
    [FIRN_WALL_SEPARATE] = FIRN_SEPARATE,
    [FIRN_WALL_MIRROR] = FIRN_SLIP,
};

static void wall(const firn_sim *sim, int w, node *n, firn_exchange *exchange)
{
    const firn_grid_def *grid = &sim->scene.grid;
    int axis = w / 2, is_upper = w & 1;
    double still[3] = {0, 0, 0}, normal[3] = {0, 0, 0}, before[3] = {n->v[0], n->v[1], n->v[2]};
    double depth = is_upper ? n->x[axis] - grid->box_max[axis] : grid->box_min[axis] - n->x[axis];
    if (depth < -1e-6 * sim->h) return;
    if (grid->walls[w] == FIRN_WALL_MIRROR && depth > 1e-6 * sim->h) return; /* unfolded from inside, see mirror.c */
    normal[axis] = is_upper ? -1 : 1;
    resolve(wall_contact[grid->walls[w]], grid->walls[w] == FIRN_WALL_MIRROR ? 0 : grid->wall_friction, 0, still,
            normal, n->v);
    keep_books(exchange, n, before, still);
}

/* ---------------------------------------------------------------- one block */

enum { TOUCHING_MAX = 64 };

typedef struct touching { /* what can reach a block */
    int any, n_colliders; /* more than fit the list: -1, all are tried */
    unsigned walls;
    uint16_t colliders[TOUCHING_MAX];
    unsigned grips;
} touching;

static int is_solid(firn_wall wall) { return wall != FIRN_WALL_OPEN && wall != FIRN_WALL_DELETE; }

static touching find_touching(const firn_sim *sim, const int32_t coord[3])
{
    touching t = {.any = sim->n_forces > 0};
    const double h = sim->h, half = 1.5 * sqrt(3.0) * h * (1 + 1e-9);
    double center[3], low[3], high[3];
    for (int a = 0; a < 3; a++)
        low[a] = 4.0 * coord[a] * h, high[a] = low[a] + 3 * h, center[a] = 0.5 * (low[a] + high[a]);
    for (int c = 0; c < sim->n_colliders && t.n_colliders >= 0; c++) {
        if (!sim->colliders[c].is_active || distance_at(&sim->colliders[c], center, sim->time + sim->dt) > half)
            continue;
        if (t.n_colliders == TOUCHING_MAX)
            t.n_colliders = -1;
        else
            t.colliders[t.n_colliders++] = (uint16_t)c;
    }
    for (int g = 0; g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        double y[3];
        if (!grip->is_active || grip->def.mode != FIRN_GRIP_MOTION) continue;
        firn_pose_to_shape(&grip->pose, center, y);
        if (firn_shape_distance(grip->region, y, sim->time) <= half) t.grips |= 1u << g;
    }
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        int a = w / 2;
        if (!is_solid(grid->walls[w])) continue;
        if (w & 1 ? high[a] >= grid->box_max[a] - 1e-6 * h : low[a] <= grid->box_min[a] + 1e-6 * h) t.walls |= 1u << w;
    }
    t.any |= t.n_colliders || t.grips || t.walls;
    return t;
}

static void apply_to_node(const firn_sim *sim, const touching *t, node *n, firn_exchange *exchange)
{
    if (sim->n_forces) {
        double a[3] = {0, 0, 0};
        for (int f = 0; f < sim->n_forces; f++) firn_force_add(&sim->forces[f], n->x, n->v, sim->time, a);
        for (int c = 0; c < 3; c++) n->v[c] += sim->dt * a[c];
    }
    for (int c = 0; t->n_colliders < 0 && c < sim->n_colliders; c++)
        if (sim->colliders[c].is_active) collide(sim, &sim->colliders[c], n, &exchange[c]);
    for (int c = 0; c < t->n_colliders; c++)
        collide(sim, &sim->colliders[t->colliders[c]], n, &exchange[t->colliders[c]]);
    for (int g = 0; g < sim->n_grips; g++)
        if (t->grips >> g & 1) hold(&sim->grips[g], n, sim->time, &exchange[sim->n_colliders + g]);
    for (int w = 0; w < 6; w++)
        if (t->walls >> w & 1) wall(sim, w, n, &exchange[sim->n_colliders + sim->n_grips]);
}

int firn_conditions_apply(const firn_sim *sim, int32_t block, firn_exchange *exchange)
{
    const int32_t *coord = sim->grid.coord[block];
    touching t = find_touching(sim, coord);
    if (!t.any) return 0;
    void *nodes = firn_grid_nodes(&sim->grid, block);
    double *wide = sim->kernels->is_double ? nodes : NULL;
    float *narrow = sim->kernels->is_double ? NULL : nodes;
    for (int i = 0; i < FIRN_BLOCK_NODES; i++) {
        int at = i * FIRN_CHANNELS;
        node n = {.mass = wide ? wide[at + 3] : (double)narrow[at + 3]};
        if (!(n.mass > 0)) continue;
        const int place[3] = {i / 16, i / 4 % 4, i % 4};
        for (int a = 0; a < 3; a++) {
            n.x[a] = (4.0 * coord[a] + place[a]) * sim->h;
            n.v[a] = wide ? wide[at + a] : (double)narrow[at + a];
        }
        apply_to_node(sim, &t, &n, exchange);
        for (int a = 0; a < 3; a++) {
            if (wide)
                wide[at + a] = n.v[a];
            else
                narrow[at + a] = (float)n.v[a];
        }
    }
    return 1;
}

/* ---------------------------------------------------------------- grips that pull */

/* Frequency of the spring of a grip that is followed: every particle has its share of the stiffness by mass. */
static double frequency_of(const firn_grip *grip)
{
    return grip->def.mode == FIRN_GRIP_FOLLOW && grip->mass > 0 ? sqrt(grip->def.stiffness / grip->mass) : 0;
}

/* The greatest speed of a collider's surface, over h: a surface must not jump over nodes. Unbounded shapes that turn
 * are judged by their pivot alone. */
double firn_conditions_collider_rate(const firn_sim *sim)
{
    double rate = 0;
    for (int k = 0; k < sim->n_colliders; k++) {
        const firn_collider *c = &sim->colliders[k];
        if (sim->time >= c->def.stop) continue;
        firn_pose pose = {0};
        double speed = c->shape ? firn_shape_speed(c->shape) : 0, spin = 0, shift = 0, reach = 0, low[3], high[3];
        firn_motion_at(&c->motion, sim->time, c->def.start, &pose);
        int is_bounded = c->shape && firn_shape_bounds(c->shape, low, high);
        for (int a = 0; a < 3; a++) {
            double arm = is_bounded ? fmax(fabs(low[a] - pose.pivot[a]), fabs(high[a] - pose.pivot[a])) : 0;
            spin += pose.spin[a] * pose.spin[a], shift += pose.velocity[a] * pose.velocity[a], reach += arm * arm;
        }
        rate = fmax(rate, (speed + sqrt(shift) + sqrt(spin * reach)) / sim->h);
    }
    return rate;
}

double firn_conditions_rate(const firn_sim *sim)
{
    double w2 = 0, damping = 0; /* as if one particle hung on all springs */
    for (int g = 0; g < sim->n_grips; g++) {
        double w = sim->time < sim->grips[g].def.release ? frequency_of(&sim->grips[g]) : 0;
        w2 += w * w, damping += sim->grips[g].def.damping * w;
    }
    return sqrt(w2 + damping * damping) + damping;
}

/* Force of grip g on a particle of its region at x with velocity v:
 *     traction   f / n
 *     follow     m (w^2 (X - x) + 2 z w (V - v)),   X the place in the moving region that was the particle's own, w^2 =
 * stiffness / mass of the region, z the damping */
static void pull_of(const firn_sim *sim, int g, const firn_pool *pool, int64_t b, int lane, const double x[3],
                    double force[3])
{
    const firn_grip *grip = &sim->grips[g];
    if (grip->def.mode == FIRN_GRIP_TRACTION) {
        for (int a = 0; a < 3; a++) force[a] = grip->def.force[a] / (double)grip->n_particles;
        return;
    }
    double start[3], X[3], V[3], w = frequency_of(grip), m = firn_pool_value(pool, FIRN_FIELD_MASS, b, 0, lane);
    for (int a = 0; a < 3; a++) start[a] = firn_pool_value(pool, FIRN_FIELD_START, b, a, lane);
    firn_pose_to_world(&grip->pose, start, X);
    firn_pose_velocity(&grip->pose, X, V);
    for (int a = 0; a < 3; a++)
        force[a] = m * (w * w * (X[a] - x[a]) +
                        2 * grip->def.damping * w * (V[a] - firn_pool_value(pool, FIRN_FIELD_V, b, a, lane)));
}

static void place_of(const firn_sim *sim, const firn_pool *pool, const firn_pool_block *block, int p, double x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = (4.0 * block->coord[a] + firn_pool_value(pool, FIRN_FIELD_X, block->first + p / 16, a, p % 16)) * sim->h;
}

/* What one particle gets and the grips give: impulse f dt, work f . (v + f dt / 2m) dt. */
static void book_pull(const firn_sim *sim, const firn_pool *pool, const firn_pool_block *block, int p,
                      firn_exchange *exchange)
{
    int64_t b = block->first + p / 16;
    uint32_t bits = (uint32_t)firn_pool_value(pool, FIRN_FIELD_GRIP, b, 0, p % 16);
    if (!bits) return;
    node n = {.mass = firn_pool_value(pool, FIRN_FIELD_MASS, b, 0, p % 16)};
    place_of(sim, pool, block, p, n.x);
    for (int g = 0; g < sim->n_grips; g++) {
        double force[3], before[3];
        if (!(bits >> g & 1) || !sim->grips[g].is_active) continue;
        pull_of(sim, g, pool, b, p % 16, n.x, force);
        for (int a = 0; a < 3; a++) {
            before[a] = firn_pool_value(pool, FIRN_FIELD_V, b, a, p % 16);
            n.v[a] = before[a] + sim->dt * force[a] / n.mass;
        }
        keep_books(&exchange[sim->n_colliders + g], &n, before, sim->grips[g].pose.position);
    }
}

static void book_pulls(firn_sim *sim)
{
    int n = firn_solver_n_exchanges(sim);
    for (int m = 0; m < sim->n_pools; m++) {
        const firn_pool *pool = &sim->pools[m];
#pragma omp parallel for schedule(dynamic, 1) num_threads(sim->n_threads)
        for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
            int32_t first = (int32_t)((int64_t)pool->n_blocks * chunk / FIRN_CHUNKS);
            int32_t end = (int32_t)((int64_t)pool->n_blocks * (chunk + 1) / FIRN_CHUNKS);
            for (int32_t b = first; b < end; b++)
                for (int p = 0; p < pool->blocks[b].n; p++)
                    book_pull(sim, pool, &pool->blocks[b], p, sim->chunks + (size_t)chunk * (size_t)n);
        }
    }
}

/* Momentum given to particles one by one: dt times the forces of their grips and dt m times the caller's
 * acceleration. */
void firn_conditions_pull(const firn_sim *sim, const firn_pool *pool, const firn_pool_block *block, void *pull)
{
    int n = firn_bundles_of(block->n) * 16;
    for (int p = 0; p < n; p++) {
        int64_t b = block->first + p / 16;
        uint32_t bits =
            pool->n_components[FIRN_FIELD_GRIP] ? (uint32_t)firn_pool_value(pool, FIRN_FIELD_GRIP, b, 0, p % 16) : 0;
        double sum[3] = {0, 0, 0}, own[3] = {0, 0, 0}, x[3];
        if (bits || sim->acceleration) place_of(sim, pool, block, p, x);
        if (sim->acceleration && p < block->n)
            sim->acceleration(sim->acceleration_user, (int64_t)firn_pool_value(pool, FIRN_FIELD_ID, b, 0, p % 16), x,
                              sim->time, own);
        for (int a = 0; a < 3; a++) sum[a] = sim->dt * own[a] * firn_pool_value(pool, FIRN_FIELD_MASS, b, 0, p % 16);
        for (int g = 0; bits && g < sim->n_grips; g++) {
            double force[3];
            if (!(bits >> g & 1) || !sim->grips[g].is_active) continue;
            pull_of(sim, g, pool, b, p % 16, x, force);
            for (int a = 0; a < 3; a++) sum[a] += sim->dt * force[a];
        }
        for (int a = 0; a < 3; a++) {
            int at = (p / 16) * 48 + a * 16 + p % 16;
            if (sim->kernels->is_double)
                ((double *)pull)[at] = sum[a];
            else
                ((float *)pull)[at] = (float)sum[a];
        }
    }
}

/* ---------------------------------------------------------------- a step's constants, particles */

void firn_conditions_prepare(firn_sim *sim)
{
    double end = sim->time + sim->dt;
    for (int c = 0; c < sim->n_colliders; c++) {
        firn_collider *collider = &sim->colliders[c];
        collider->is_active = end > collider->def.start && sim->time < collider->def.stop;
        firn_motion_at(&collider->motion, end, collider->def.start, &collider->pose);
    }
    for (int g = 0; g < sim->n_grips; g++) {
        firn_grip *grip = &sim->grips[g];
        grip->is_active = end > grip->def.start && sim->time < grip->def.release;
        /* a spring pulls to where its target is now, a hold is where it will be */
        double when = grip->def.mode == FIRN_GRIP_FOLLOW ? sim->time : end;
        firn_motion_at(&grip->motion, when, grip->def.start, &grip->pose);
    }
    for (int k = 0; k < sim->n_sinks; k++) {
        firn_sink *sink = &sim->sinks[k];
        sink->is_active = end > sink->def.start && sim->time < sink->def.stop;
        firn_motion_at(&sink->motion, end, sink->def.start, &sink->pose);
    }
    for (int f = 0; f < sim->n_forces; f++) firn_force_prepare(&sim->forces[f], sim->time);
    int n = FIRN_CHUNKS * firn_solver_n_exchanges(sim);
    for (int i = 0; i < n; i++) sim->chunks[i] = (firn_exchange){0};
    if (sim->has_pull) book_pulls(sim);
}

static int is_in_sink(const firn_sim *sim, const firn_sink *sink, const double x[3])
{
    double y[3];
    if (!sink->is_active) return 0;
    firn_pose_to_shape(&sink->pose, x, y);
    return firn_shape_distance(sink->shape, y, sim->time) <= 0;
}

int firn_conditions_deletes(const firn_sim *sim, const double x[3])
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        if (grid->walls[w] != FIRN_WALL_DELETE) continue;
        if (w & 1 ? x[w / 2] > grid->box_max[w / 2] : x[w / 2] < grid->box_min[w / 2]) return FIRN_LOST_WALL;
    }
    for (int k = 0; k < sim->n_sinks; k++)
        if (is_in_sink(sim, &sim->sinks[k], x)) return FIRN_LOST_SINK;
    return -1;
}

int firn_conditions_drains(const firn_sim *sim, const firn_pool *pool, const firn_pool_block *block)
{
    const double reach = 3 * sqrt(3.0) * sim->h;
    for (int k = 0; k < sim->n_sinks; k++) {
        const firn_sink *sink = &sim->sinks[k];
        double center[3], y[3], x[3];
        for (int a = 0; a < 3; a++) center[a] = (4.0 * block->coord[a] + 1.5) * sim->h;
        firn_pose_to_shape(&sink->pose, center, y);
        if (!sink->is_active || firn_shape_distance(sink->shape, y, sim->time) > reach) continue;
        for (int p = 0; p < block->n; p++) {
            place_of(sim, pool, block, p, x);
            if (is_in_sink(sim, sink, x)) return 1;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------- the second pass, particle by particle */

/* The way u of a particle in this step, seen from the moving surface, ends at x. Does it meet the surface? Sphere
 * tracing from its beginning: the distance of the surface is always safe to go (see solids.h). Then `x` becomes the
 * place that is left when the rest of the way glides along the surface, and *s the surface where they met. However thin
 * the wall and however fast the particle, it stays on its side. */
static int meets(const firn_sim *sim, const firn_collider *c, const double u[3], double x[3], firn_surface_point *s)
{
    enum { STEPS = 64 };
    const double time = sim->time + sim->dt, touch = 1e-3 * sim->h;
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), gone = 0, at[3], along = 0;
    for (int a = 0; a < 3; a++) at[a] = x[a] - u[a];
    double distance = distance_at(c, at, time);
    if (distance <= 0) { /* it began inside: out by the shortest way, but no further than a particle may move */
        if (s->distance > 0) return 0;
        double depth = fmin(-s->distance, 0.5 * sim->h);
        for (int a = 0; a < 3; a++) x[a] += depth * s->normal[a];
        return 1;
    }
    for (int step = 0; step < STEPS && distance > touch; step++) {
        gone += distance;
        if (gone >= length) return 0;
        for (int a = 0; a < 3; a++) at[a] = x[a] - u[a] * (1 - gone / length);
        distance = distance_at(c, at, time);
    }
    surface_at(c, at, time, INFINITY, s);
    for (int a = 0; a < 3; a++) along += (x[a] - at[a]) * s->normal[a];
    if (along >= 0) return 0; /* it grazes the surface and leaves */
    for (int a = 0; a < 3; a++) x[a] -= along * s->normal[a];
    return 1;
}

static void pass_particle(const firn_sim *sim, const firn_collider *c, firn_pool *pool, const firn_pool_block *block,
                          int p, const void *before)
{
    int64_t b = block->first + p / 16;
    double x[3], v[3], u[3], length2 = 0;
    firn_surface_point s;
    place_of(sim, pool, block, p, x);
    if (!surface_at(c, x, sim->time + sim->dt, 2 * sim->h, &s)) return;
    for (int a = 0; a < 3; a++) {
        int at = (p / 16) * 48 + a * 16 + p % 16;
        double old = sim->kernels->is_double ? ((const double *)before)[at] : (double)((const float *)before)[at];
        u[a] = x[a] - (4.0 * block->coord[a] + old) * sim->h - sim->dt * (s.velocity[a] - c->def.surface_velocity[a]);
        v[a] = firn_pool_value(pool, FIRN_FIELD_V, b, a, p % 16);
        length2 += u[a] * u[a];
    }
    if (s.distance > 0 && s.distance * s.distance > length2) return;
    if (!meets(sim, c, u, x, &s)) return;
    resolve(c->def.contact, s.friction, 0, s.velocity, s.normal, v);
    for (int a = 0; a < 3; a++) {
        firn_pool_set(pool, FIRN_FIELD_X, b, a, p % 16, x[a] / sim->h - 4.0 * block->coord[a]);
        firn_pool_set(pool, FIRN_FIELD_V, b, a, p % 16, v[a]);
    }
}

void firn_conditions_particles(const firn_sim *sim, firn_pool *pool, const firn_pool_block *block, const void *before)
{
    const double h = sim->h, reach = (2.5 * sqrt(3.0) + 2) * h; /* particles in reach of the block, and two cells */
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_collider *collider = &sim->colliders[c];
        if (!collider->is_active || !collider->def.particle_pass) continue;
        double center[3];
        for (int a = 0; a < 3; a++) center[a] = (4.0 * block->coord[a] + 1.5) * h;
        if (distance_at(collider, center, sim->time + sim->dt) > reach) continue;
        for (int p = 0; p < block->n; p++) pass_particle(sim, collider, pool, block, p, before);
    }
}
