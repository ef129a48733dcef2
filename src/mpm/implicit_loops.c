/* SPDX-License-Identifier: MIT */
/* implicit_loops.c: the loops of an implicit step over particles: forces of a trial state, products
 * with their derivative, diagonal blocks. One pass per owner block: nodes to gradients, law, fluxes
 * to nodes, in the order of P2G (block_loops.h), so no sum depends on the number of threads.
 *
 * Cost: a product is one G2P of velocity gradients alone, one tangent of the law and one P2G of
 * forces alone. Trial states are never stored: the gradients of the last residual are, 9 reals a
 * particle.
 *
 * Diagonal blocks. The exact ones need nine tangents per particle; those of the isotropic tensor
 * nearest to the tangent need three: along I, diag(1, -1, 0) and the mean of the shears,
 *
 *     T' : I = 9 lambda + 6 mu,    T' : d = 2 mu d : d
 *     D_i = m_i I + dt^2 sum V0 ((lambda + mu) g g^T + mu |g|^2 I),   g = grad w_i
 *
 * with lambda, mu of the tangent per dt, so that viscosity and yielding count as they are. */
#include "mpm/implicit.h"
#include "mpm/block_loops.h"
#include "mpm/mirror_wall.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { DIRECTION = 0, FLUX = 9, VALUE = 18, SCRATCH = 21 }; /* reals per lane, of a thread */

static int has_mirror(const firn_sim *sim)
{
    const firn_grid_def *def = &sim->scene.grid;
    for (int w = 0; def->has_box && w < 6; w++)
        if (def->walls[w] == FIRN_WALL_MIRROR) return 1;
    return 0;
}

/* ---------------------------------------------------------------- chunks of nodes */

void firn_implicit_each_chunk(firn_sim *sim, firn_chunk_work work, double sum[4], void *user)
{
    double partial[FIRN_CHUNKS][4];
    memset(partial, 0, sizeof partial);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
        for (int part = 0; part < 2; part++)
            work(sim, chunk, firn_mpm_chunk(sim, chunk, part), partial[chunk], user);
    if (!sum) return;
    memset(sum, 0, 4 * sizeof *sum);
    firn_comm_sum_begin(&sim->comm, sum, 4 * sizeof *sum);
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
        for (int k = 0; k < 4; k++) sum[k] += partial[chunk][k];
    firn_comm_sum_end(&sim->comm, sum, 4 * sizeof *sum);
}

/* A vector of three doubles a node into the four channels of kernels; and nothing in `out`. */
static void spread(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum;
    firn_implicit *s = sim->mpm->implicit;
    const double *from = user;
    const size_t size = sim->mpm->grid.node_size;
    for (int32_t b = blocks.first; b < blocks.end; b++) {
        memset((char *)s->out + (size_t)b * size, 0, size);
        const size_t first = (size_t)b * FIRN_BLOCK_NODES;
        for (size_t i = first; from && i < first + FIRN_BLOCK_NODES; i++)
            for (size_t a = 0; a < 3; a++) {
                if (sim->mpm->kernels->is_double)
                    ((double *)s->in)[4 * i + a] = from[3 * i + a];
                else
                    ((float *)s->in)[4 * i + a] = (float)from[3 * i + a];
            }
    }
}

/* ---------------------------------------------------------------- one owner block */

typedef struct pass {
    int is_product;
} pass;

static char *scratch_of(const firn_sim *sim, int thread, int reals)
{
    const firn_implicit *s = sim->mpm->implicit;
    const size_t lanes =
        (size_t)sim->mpm->max_block_bundles * FIRN_BUNDLE_LANES * sim->mpm->kernels->real_size;
    return s->scratch + s->scratch_size * (size_t)thread + lanes * (size_t)reals;
}

static void *grad_v_of(const firn_sim *sim, const firn_block_material *r)
{
    return (char *)sim->mpm->implicit->grad_v[r->material] +
           (size_t)r->block->first * 144 * sim->mpm->kernels->real_size;
}

/* Velocity gradients of the patch at the particles, by G2P with particles that stay as they are. */
static void gather(const firn_sim *sim, const firn_block_material *r, void *values, void *patch,
                   void *gradient)
{
    firn_transfer transfer = r->transfer;
    firn_block_particles particles = r->block_particles;
    transfer.keeps_places = 1;
    transfer.is_affine = 0;
    transfer.flip = 0;
    particles.payload.value = values;
    particles.payload.affine = NULL;
    sim->mpm->kernels->g2p(&transfer, &particles, patch, NULL, gradient);
}

static firn_law_batch batch_of(const firn_sim *sim, const firn_block_material *r,
                               const firn_workspace *w)
{
    firn_law_batch batch = firn_block_loops_batch(sim, r->particles, r->block, w);
    batch.dt = sim->mpm->implicit->dt;
    batch.grad_v = grad_v_of(sim, r);
    return batch;
}

static double real_at(const firn_sim *sim, const void *array, size_t i)
{
    return firn_implicit_value(sim, array, i);
}

/* Sums of V0 |T|^2 and V0, the number of particles without an answer, the largest component of
 * velocity. */
static void add_stress(const firn_sim *sim, const firn_block_material *r, const void *flux,
                       const void *flags, const void *values, double sum[4])
{
    const void *volume = r->block_particles.payload.volume;
    for (int p = 0; p < r->block->n; p++) {
        const size_t b = (size_t)(p / 16), lane = (size_t)(p % 16);
        double square = 0;
        for (size_t c = 0; c < 9; c++) {
            const double T = real_at(sim, flux, (b * 9 + c) * 16 + lane);
            square += T * T;
        }
        const double V = real_at(sim, volume, b * 16 + lane);
        sum[0] += V * square;
        sum[1] += V;
        sum[2] += real_at(sim, flags, b * 16 + lane) != 0;
        for (size_t a = 0; a < 3; a++)
            sum[3] = fmax(sum[3], fabs(real_at(sim, values, (b * 3 + a) * 16 + lane)));
    }
}

static void pass_block(firn_sim *sim, int32_t owner, int thread, const firn_workspace *w,
                       void *user)
{
    const pass *how = user;
    firn_implicit *s = sim->mpm->implicit;
    firn_grid *grid = &sim->mpm->grid;
    const firn_kernels *k = sim->mpm->kernels;
    const firn_columns columns = grid->columns[owner];
    void *direction = scratch_of(sim, thread, DIRECTION), *flux = scratch_of(sim, thread, FLUX),
         *values = scratch_of(sim, thread, VALUE);
    firn_block_loops_load(sim, owner, s->in, w->patch);
    k->patch_clear(w->forces, columns);
    FIRN_BLOCK_MATERIALS (sim, owner, r) {
        firn_law_tangent tangent = {0};
        firn_law_batch batch = batch_of(sim, &r, w);
        if (how->is_product) {
            gather(sim, &r, values, w->patch, direction);
            tangent.direction = direction;
            tangent.change = flux;
            batch.flags = NULL;
        } else {
            gather(sim, &r, values, w->patch, grad_v_of(sim, &r));
            tangent.flux = flux;
        }
        r.particles->material->resolved.law->kernels[sim->variant].tangent(&batch, &tangent);
        if (!how->is_product) add_stress(sim, &r, flux, w->flags, values, s->sums[owner]);
        r.transfer.dt = s->dt;
        k->scatter(&r.transfer, &r.block_particles, flux, w->forces);
    }
    k->patch_add(w->forces, columns, grid->neighbours[owner], s->out);
}

static void pass_particles(firn_sim *sim, const double *vector, int is_product, double booked)
{
    firn_implicit *s = sim->mpm->implicit;
    const int is_mirrored = has_mirror(sim);
    pass how = {is_product};
    firn_implicit_each_chunk(sim, spread, NULL, (void *)(uintptr_t)vector);
    if (is_mirrored) firn_mirror_wall_unfold_trial(sim, s->in);
    firn_block_loops_by_color(sim, pass_block, &how);
    if (is_mirrored) firn_mirror_wall_fold_trial(sim, s->out, booked);
}

void firn_implicit_product(firn_sim *sim, const double *p)
{
    sim->mpm->implicit->counts.n_products++;
    sim->mpm->implicit->last_products++;
    pass_particles(sim, p, 1, 0);
}

void firn_implicit_force(firn_sim *sim, const double *v, double booked)
{
    firn_implicit *s = sim->mpm->implicit;
    const int32_t n = sim->mpm->grid.n_owners;
    double sum[3] = {0, 0, 0};
    memset(s->sums, 0, (size_t)n * sizeof *s->sums);
    s->counts.n_evaluations++;
    pass_particles(sim, v, 0, booked);
    s->speed = 0;
    for (int32_t b = 0; b < n; b++) {
        for (int k = 0; k < 3; k++) sum[k] += s->sums[b][k];
        s->speed = fmax(s->speed, s->sums[b][3]);
    }
    s->volume = sum[1];
    s->stress = sum[1] > 0 ? sqrt(sum[0] / sum[1]) : 0;
    s->is_bad = sum[2] > 0 || !isfinite(sum[0]);
}

/* ---------------------------------------------------------------- diagonal blocks */

/* Values and slopes (per cell) of the spline at the nodes first ..., for one axis. */
static int axis_spline(int is_quadratic, double x, double w[4], double g[4])
{
    if (is_quadratic) {
        const int first = (int)floor(x - 0.5);
        const double d = x - (first + 1); /* -1/2 .. 1/2 from the middle node */
        w[0] = 0.5 * (0.5 - d) * (0.5 - d);
        w[1] = 0.75 - d * d;
        w[2] = 0.5 * (0.5 + d) * (0.5 + d);
        g[0] = d - 0.5;
        g[1] = -2 * d;
        g[2] = d + 0.5;
        return first;
    }
    const int base = (int)floor(x);
    const double t = x - base, u = 1 - t;
    w[0] = u * u * u / 6;
    w[1] = 2.0 / 3 - t * t + 0.5 * t * t * t;
    w[2] = 2.0 / 3 - u * u + 0.5 * u * u * u;
    w[3] = t * t * t / 6;
    g[0] = -0.5 * u * u;
    g[1] = t * (1.5 * t - 2);
    g[2] = -u * (1.5 * u - 2);
    g[3] = 0.5 * t * t;
    return base - 1;
}

typedef struct moduli {
    double a, b; /* J: V0 (lambda + mu), V0 mu, per h^2 */
} moduli;

/* Adds one particle to the diagonal blocks of its nodes. */
static void add_diagonal(const firn_sim *sim, int32_t owner, const firn_transfer *transfer,
                         const double x[3], moduli c)
{
    const int n = transfer->is_quadratic ? 3 : 4;
    const double d_inverse = transfer->is_quadratic ? 4 : 3;
    double w[3][4], g[3][4];
    int first[3];
    for (int a = 0; a < 3; a++) first[a] = axis_spline(transfer->is_quadratic, x[a], w[a], g[a]);
    for (int i = 0; i < n * n * n; i++) {
        const int at[3] = {i / (n * n), i / n % n, i % n};
        const double weight = w[0][at[0]] * w[1][at[1]] * w[2][at[2]];
        double slope[3];
        int block = 0, node = 0;
        for (int a = 0; a < 3; a++) {
            const int global = first[a] + at[a], b = (global + 4) / 4; /* -1 .. 1, plus one */
            block = 3 * block + b;
            node = 4 * node + (global + 4) % 4;
            slope[a] = transfer->is_mls ? d_inverse * (global - x[a]) * weight
                                        : g[a][at[a]] * (w[(a + 1) % 3][at[(a + 1) % 3]] *
                                                         w[(a + 2) % 3][at[(a + 2) % 3]]);
        }
        const int32_t to = sim->mpm->grid.neighbours[owner][block];
        if (to < 0) continue;
        float *D = sim->mpm->implicit->jacobi + ((size_t)to * FIRN_BLOCK_NODES + (size_t)node) * 6;
        const double square =
            c.b * (slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
        for (int a = 0; a < 3; a++) D[a] += (float)(c.a * slope[a] * slope[a] + square);
        D[3] += (float)(c.a * slope[0] * slope[1]);
        D[4] += (float)(c.a * slope[0] * slope[2]);
        D[5] += (float)(c.a * slope[1] * slope[2]);
    }
}

/* Three directions along which moduli are measured. */
static const double probe[3][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0, 0, 0, -1, 0, 0, 0, 0}, {0, 1, 1, 1, 0, 1, 1, 1, 0}};
static const double probe_square[3] = {3, 2, 6};

static void fill_direction(const firn_sim *sim, int n_bundles, const double d[9], void *direction)
{
    for (size_t i = 0; i < (size_t)n_bundles * 144; i++) {
        const double value = d[i / 16 % 9];
        if (sim->mpm->kernels->is_double)
            ((double *)direction)[i] = value;
        else
            ((float *)direction)[i] = (float)value;
    }
}

/* `before` of the workspace holds the three measured numbers of each particle. */
static void precondition_block(firn_sim *sim, int32_t owner, int thread, const firn_workspace *w,
                               void *user)
{
    (void)user;
    firn_implicit *s = sim->mpm->implicit;
    void *direction = scratch_of(sim, thread, DIRECTION), *flux = scratch_of(sim, thread, FLUX),
         *found = scratch_of(sim, thread, VALUE);
    const double to_nodes = s->dt / (sim->h * sim->h);
    FIRN_BLOCK_MATERIALS (sim, owner, r) {
        const int n_bundles = firn_bundles_of(r.block->n);
        firn_law_batch batch = batch_of(sim, &r, w);
        batch.flags = NULL;
        for (int k = 0; k < 3; k++) {
            const firn_law_tangent tangent = {.direction = direction, .change = flux};
            fill_direction(sim, n_bundles, probe[k], direction);
            r.particles->material->resolved.law->kernels[sim->variant].tangent(&batch, &tangent);
            for (int p = 0; p < r.block->n; p++) {
                const size_t b = (size_t)(p / 16), lane = (size_t)(p % 16);
                const size_t to = (b * 3 + (size_t)k) * 16 + lane;
                double sum = 0;
                for (size_t c = 0; c < 9; c++)
                    sum += probe[k][c] * real_at(sim, flux, (b * 9 + c) * 16 + lane);
                if (sim->mpm->kernels->is_double)
                    ((double *)found)[to] = sum;
                else
                    ((float *)found)[to] = (float)sum;
            }
        }
        for (int p = 0; p < r.block->n; p++) {
            const size_t b = (size_t)(p / 16), lane = (size_t)(p % 16);
            double of[3], x[3];
            for (size_t k = 0; k < 3; k++) {
                of[k] = real_at(sim, found, (b * 3 + k) * 16 + lane);
                x[k] = real_at(sim, r.block_particles.x, (b * 3 + k) * 16 + lane);
            }
            const double volume = real_at(sim, r.block_particles.payload.volume, b * 16 + lane);
            const double total = (of[0] > 0 ? of[0] : 0);
            double mu = 0.25 * (of[1] / probe_square[1] + of[2] / probe_square[2]);
            mu = mu > 1e-3 * total / 9 ? mu : 1e-3 * total / 9;
            double lambda = (total - 6 * mu) / 9;
            lambda = lambda > -mu / 2 ? lambda : -mu / 2;
            s->sums[owner][0] += volume * (lambda + 2 * mu) / s->dt;
            add_diagonal(sim, owner, &r.transfer, x,
                         (moduli){to_nodes * volume * (lambda + mu), to_nodes * volume * mu});
        }
    }
}

static void clear_diagonal(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum, (void)user;
    const size_t size = FIRN_BLOCK_NODES * 6;
    if (blocks.end > blocks.first)
        memset(sim->mpm->implicit->jacobi + (size_t)blocks.first * size, 0,
               (size_t)(blocks.end - blocks.first) * size * sizeof(float));
}

/* Inverts D + m I. Nodes beyond a mirror wall keep theirs: they are no unknowns. */
static void invert_diagonal(firn_sim *sim, int chunk, firn_range blocks, double sum[4], void *user)
{
    (void)chunk, (void)sum, (void)user;
    const firn_implicit *s = sim->mpm->implicit;
    for (size_t i = (size_t)blocks.first * FIRN_BLOCK_NODES;
         i < (size_t)blocks.end * FIRN_BLOCK_NODES; i++) {
        float *D = s->jacobi + 6 * i;
        const double m = s->inertia * firn_implicit_mass(sim, i);
        double a = D[0] + m, b = D[1] + m, c = D[2] + m, d = D[3], e = D[4], f = D[5];
        const double xx = b * c - f * f, xy = e * f - d * c, xz = d * f - b * e;
        const double det = a * xx + d * xy + e * xz;
        const double per = det > 0 ? 1 / det : 0;
        D[0] = (float)(xx * per);
        D[1] = (float)((a * c - e * e) * per);
        D[2] = (float)((a * b - d * d) * per);
        D[3] = (float)(xy * per);
        D[4] = (float)(xz * per);
        D[5] = (float)((d * e - a * f) * per);
    }
}

void firn_implicit_precondition(firn_sim *sim)
{
    firn_implicit *s = sim->mpm->implicit;
    const int32_t n = sim->mpm->grid.n_owners;
    double sum = 0;
    memset(s->sums, 0, (size_t)n * sizeof *s->sums);
    firn_implicit_each_chunk(sim, clear_diagonal, NULL, NULL);
    firn_block_loops_by_color(sim, precondition_block, NULL);
    firn_implicit_each_chunk(sim, invert_diagonal, NULL, NULL);
    for (int32_t b = 0; b < n; b++) sum += s->sums[b][0];
    s->modulus = s->volume > 0 ? sum / s->volume : 0;
}

void firn_implicit_stop_particles(firn_sim *sim)
{
    static const firn_field fields[] = {FIRN_FIELD_V, FIRN_FIELD_C};
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->mpm->particles[m];
        for (int k = 0; k < 2; k++)
            if (particles->n_components[fields[k]])
                memset(particles->field[fields[k]], 0,
                       firn_particles_field_bytes(particles, fields[k], particles->n_bundles));
    }
}
