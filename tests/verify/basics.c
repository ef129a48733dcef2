/* SPDX-License-Identifier: MIT */
/* basics.c: what has to hold to round-off before anything else is worth measuring.
 *
 * Rung 0, through the kernels of every variant that runs here: sum w = 1, sum grad w = 0, sum w
 * x_i = x_p, sum x_i grad w^T = I, sum w d d^T = D, w >= 0, with D = h^2/3 (cubic), h^2/4
 * (quadratic). Rung 1: free fall, a spinning ball, the null space (a checkerboard of
 * velocities), the length of the first step, and a body that leaves a rough floor without being
 * held. Closed forms are said where they are used. */
#include "mpm/kernels.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- rung 0 */

typedef struct lone { /* one particle in lane 0 of one bundle, room for either precision */
    _Alignas(64) double x[48], v[48], C[144], tau[96], mass[16], volume[16];
} lone;

static void set(const firn_kernels *k, double *field, int i, double value)
{
    if (k->is_double)
        field[i] = value;
    else
        ((float *)field)[i] = (float)value;
}

static void put(const firn_kernels *k, double *field, int component, double value)
{
    set(k, field, component * 16, value);
}

static double take(const firn_kernels *k, const double *field, int i)
{
    return k->is_double ? field[i] : (double)((const float *)field)[i];
}

/* Index of channel c of row z, node k of it, in the shifted rows of a column (kernels.h). */
static int in_fan(int column, int z, int k, int c)
{
    return (column * FIRN_SHIFTED_ROWS + z) * FIRN_ROW + 4 * k + c;
}

/* What the rows of a patch have of node n together. */
static double sum_of_rows(const firn_kernels *k, const double *patch, int n, int c)
{
    double sum = 0;
    for (int z = 0; z < FIRN_SHIFTED_ROWS; z++)
        if (n % 8 >= z && n % 8 < z + 4) sum += take(k, patch, in_fan(n / 8, z, n % 8 - z, c));
    return sum;
}

/* The same number in every row. */
static void set_rows(const firn_kernels *k, double *patch, int n, int c, double value)
{
    for (int z = 0; z < FIRN_SHIFTED_ROWS; z++)
        if (n % 8 >= z && n % 8 < z + 4) set(k, patch, in_fan(n / 8, z, n % 8 - z, c), value);
}

/* Of a patch that was loaded: any row will do. */
static double node_of(const firn_kernels *k, const double *patch, int n, int c)
{
    return take(k, patch, n % 8 < 4 ? in_fan(n / 8, 0, n % 8, c) : in_fan(n / 8, 4, n % 8 - 4, c));
}

enum { NODES = 512 };

static firn_block_particles alone(lone *p)
{
    return (firn_block_particles){
        .n = 1,
        .x = p->x,
        .payload = {
            .value = p->v, .affine = p->C, .flux = p->tau, .weight = p->mass, .volume = p->volume}};
}

/* A particle of mass 1 at rest under tau = I, V = dt = h = 1 leaves (-grad w, w) on the nodes. */
static double worst_identity(const firn_kernels *k, int is_quadratic, const double x[3],
                             double *patch)
{
    static lone p;
    memset(&p, 0, sizeof p);
    double at[3];
    for (int a = 0; a < 3; a++) {
        put(k, p.x, a, x[a]);
        put(k, p.tau, a, 1);
        at[a] = k->is_double ? x[a] : (double)(float)x[a];
    }
    put(k, p.mass, 0, 1);
    put(k, p.volume, 0, 1);
    k->patch_clear(patch, ~(firn_columns)0);
    firn_transfer transfer = {.dt = 1, .h = 1, .is_quadratic = is_quadratic};
    firn_block_particles particles = alone(&p);
    k->p2g(&transfer, &particles, patch, NULL);
    double w = 0, negative = 0, first[3] = {0}, second[9] = {0}, g[3] = {0}, gx[9] = {0},
           D = is_quadratic ? 0.25 : 1.0 / 3;
    for (int n = 0; n < NODES; n++) {
        double node[4], d[3] = {n / 64 - 2 - at[0], n / 8 % 8 - 2 - at[1], n % 8 - 2 - at[2]};
        for (int c = 0; c < 4; c++) node[c] = sum_of_rows(k, patch, n, c);
        w += node[3];
        negative = fmax(negative, -node[3]);
        for (int a = 0; a < 3; a++) {
            first[a] += node[3] * d[a];
            g[a] += node[a];
            for (int b = 0; b < 3; b++) {
                second[3 * a + b] += node[3] * d[a] * d[b];
                gx[3 * a + b] -= node[a] * d[b];
            }
        }
    }
    double worst = fmax(negative, fabs(w - 1));
    for (int a = 0; a < 3; a++) worst = fmax(worst, fmax(fabs(first[a]), fabs(g[a])));
    for (int a = 0; a < 9; a++) {
        worst = fmax(worst, fabs(second[a] - (a % 4 == 0 ? D : 0)));
        worst = fmax(worst, fabs(gx[a] - (a % 4 == 0)));
    }
    return worst;
}

/* In the reach of a block: [-1, 4) along each axis. */
static void random_place(uint64_t *seed, double x[3])
{
    for (int a = 0; a < 3; a++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        x[a] = -1 + 5 * (double)(*seed >> 11) * 0x1p-53;
    }
}

static void identities(verify_table *table)
{
    static _Alignas(64) double patch[FIRN_PATCH];
    for (int v = 0; v < FIRN_N_VARIANTS; v++) {
        const firn_kernels *k = firn_kernels_find(v);
        if (!k) continue;
        for (int is_quadratic = 0; is_quadratic < 2; is_quadratic++) {
            double worst = 0;
            uint64_t seed = 7;
            for (int i = 0; i < 2000; i++) {
                double x[3];
                random_place(&seed, x);
                worst = fmax(worst, worst_identity(k, is_quadratic, x, patch));
            }
            char name[96];
            snprintf(name, sizeof name, "weights %s %s: unity moments gradients", k->name,
                     is_quadratic ? "quadratic" : "cubic");
            verify_at_most(table, name, worst, k->is_double ? 1e-14 : 1e-6);
        }
    }
}

/* One particle with everything it can carry. */
static void fill(const firn_kernels *k, uint64_t *seed, const double x[3], lone *p, double v[3],
                 double C[9], double tau[6])
{
    double three[3];
    memset(p, 0, sizeof *p);
    for (int a = 0; a < 3; a++) put(k, p->x, a, x[a]);
    random_place(seed, v);
    for (int a = 0; a < 9; a += 3) random_place(seed, C + a);
    for (int a = 0; a < 6; a += 3) {
        random_place(seed, three);
        memcpy(tau + a, three, sizeof three);
    }
    for (int a = 0; a < 3; a++) put(k, p->v, a, v[a]);
    for (int a = 0; a < 9; a++) put(k, p->C, a, C[a]);
    for (int a = 0; a < 6; a++) put(k, p->tau, a, tau[a]);
    put(k, p->mass, 0, 1.5);
    put(k, p->volume, 0, 0.75);
}

/* What a particle leaves on the nodes, in every form: the sums over nodes of momentum and of
 * momentum d^T are m v and D m C (affine), those of dt f are 0 and - dt V tau. The worst
 * deviation. */
static double worst_scatter(const firn_kernels *k, int form, uint64_t *seed, double *patch,
                            double *forces)
{
    const int is_quadratic = form & 1, is_mls = form >> 1 & 1, is_affine = form >> 2 & 1,
              is_apart = form >> 3;
    static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const double m = 1.5, V = 0.75, dt = 0.5, D = is_quadratic ? 0.25 : 1.0 / 3;
    double x[3], v[3], C[9], tau[6], sum[2][3] = {{0}}, moment[2][9] = {{0}}, worst = 0;
    static lone p;
    random_place(seed, x);
    fill(k, seed, x, &p, v, C, tau);
    firn_transfer transfer = {
        .dt = dt, .h = 1, .is_quadratic = is_quadratic, .is_mls = is_mls, .is_affine = is_affine};
    firn_block_particles particles = alone(&p);
    k->patch_clear(patch, ~(firn_columns)0);
    k->patch_clear(forces, ~(firn_columns)0);
    k->p2g(&transfer, &particles, patch, is_apart ? forces : NULL);
    for (int n = 0; n < NODES; n++) {
        const double d[3] = {n / 64 - 2 - take(k, p.x, 0), n / 8 % 8 - 2 - take(k, p.x, 16),
                             n % 8 - 2 - take(k, p.x, 32)};
        for (int which = 0; which < 2; which++)
            for (int a = 0; a < 3; a++) {
                const double node = sum_of_rows(k, which ? forces : patch, n, a);
                sum[which][a] += node;
                for (int b = 0; b < 3; b++) moment[which][3 * a + b] += node * d[b];
            }
    }
    for (int i = 0; i < 9; i++) {
        const double momentum = is_affine ? D * m * C[i] : 0, force = -dt * V * tau[sym[i]];
        worst = fmax(worst, fabs(moment[0][i] - momentum - (is_apart ? 0 : force)));
        worst = fmax(worst, fabs(moment[1][i] - (is_apart ? force : 0)));
    }
    for (int a = 0; a < 3; a++)
        worst = fmax(worst, fmax(fabs(sum[0][a] - m * v[a]), fabs(sum[1][a])));
    return worst;
}

/* What a particle takes from nodes that move with v = b + A x, and moved with v = c + B x before
 * forces: v, grad v and C are those of the field, and FLIP adds what its own velocity was more
 * than the old one. The worst deviation. */
static double worst_gather(const firn_kernels *k, int form, uint64_t *seed, double *patch,
                           double *old_patch)
{
    const int is_quadratic = form & 1, is_mls = form >> 1 & 1, is_affine = form >> 2 & 1,
              has_flip = form >> 3;
    static _Alignas(64) double nodes[27 * FIRN_BLOCK_NODES * FIRN_CHANNELS],
        old[27 * FIRN_BLOCK_NODES * FIRN_CHANNELS];
    static _Alignas(64) double grad_v[144];
    static lone p;
    const double dt = 0.125, a = has_flip ? 0.75 : 0;
    double x[3], v[3], C[9], tau[6], b[3], A[9], c[3], B[9], worst = 0;
    int32_t neighbours[27];
    random_place(seed, x);
    random_place(seed, b);
    random_place(seed, c);
    for (int i = 0; i < 9; i += 3) {
        random_place(seed, A + i);
        random_place(seed, B + i);
    }
    fill(k, seed, x, &p, v, C, tau);
    for (int q = 0; q < 27; q++) {
        neighbours[q] = q;
        for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
            const double at[3] = {4 * (q / 9 - 1) + n / 16, 4 * (q / 3 % 3 - 1) + n / 4 % 4,
                                  4 * (q % 3 - 1) + n % 4};
            for (int i = 0; i < 3; i++) {
                const double *Ai = A + 3 * i, *Bi = B + 3 * i;
                set(k, nodes, (q * 64 + n) * 4 + i,
                    b[i] + Ai[0] * at[0] + Ai[1] * at[1] + Ai[2] * at[2]);
                set(k, old, (q * 64 + n) * 4 + i,
                    c[i] + Bi[0] * at[0] + Bi[1] * at[1] + Bi[2] * at[2]);
            }
        }
    }
    firn_transfer transfer = {.dt = dt,
                              .h = 1,
                              .is_quadratic = is_quadratic,
                              .is_mls = is_mls,
                              .is_affine = is_affine,
                              .flip = a};
    firn_block_particles particles = alone(&p);
    const firn_columns columns = k->touched(&transfer, &particles);
    if (has_flip)
        k->patch_load_both(patch, old_patch, columns, neighbours, nodes, old);
    else
        k->patch_load(patch, columns, neighbours, nodes);
    k->g2p(&transfer, &particles, patch, old_patch, grad_v);
    for (int i = 0; i < 3; i++) {
        double u = b[i], was = c[i];
        for (int j = 0; j < 3; j++) {
            u += A[3 * i + j] * x[j];
            was += B[3 * i + j] * x[j];
        }
        worst = fmax(worst, fabs(take(k, p.v, 16 * i) - (has_flip ? u + a * (v[i] - was) : u)));
        worst = fmax(worst, fabs(take(k, p.x, 16 * i) - (x[i] + dt * u)));
        for (int j = 3 * i; j < 3 * i + 3; j++) {
            worst = fmax(worst, fabs(take(k, grad_v, 16 * j) - A[j]));
            worst = fmax(worst, fabs(take(k, p.C, 16 * j) - (is_affine ? A[j] : C[j])));
        }
    }
    return worst;
}

/* Both, over every form: quadratic, mls, affine, with forces apart or FLIP. */
static void transfers(verify_table *table)
{
    static _Alignas(64) double patch[FIRN_PATCH], other[FIRN_PATCH];
    for (int variant = 0; variant < FIRN_N_VARIANTS; variant++) {
        const firn_kernels *k = firn_kernels_find(variant);
        double scattered = 0, gathered = 0;
        uint64_t seed = 5;
        char name[96];
        for (int i = 0; k && i < 1600; i++) {
            scattered = fmax(scattered, worst_scatter(k, i % 16, &seed, patch, other));
            gathered = fmax(gathered, worst_gather(k, i % 16, &seed, patch, other));
        }
        if (!k) continue;
        snprintf(name, sizeof name, "transfers %s: sums that P2G leaves", k->name);
        verify_at_most(table, name, scattered, k->is_double ? 1e-13 : 1e-5);
        snprintf(name, sizeof name, "transfers %s: G2P of a linear field", k->name);
        verify_at_most(table, name, gathered, k->is_double ? 1e-13 : 3e-5);
    }
}

/* A patch that is added to nodes has given each of them what its rows have of it together;
 * loaded again each row has what the nodes have. Columns that were not asked for are neither
 * added nor brought. The worst deviation. */
static double worst_patch(const firn_kernels *k, firn_columns columns, double *patch)
{
    static _Alignas(64) double nodes[27 * FIRN_BLOCK_NODES * FIRN_CHANNELS];
    static double expected[NODES][4];
    int32_t neighbours[27];
    double worst = 0, sum = 0;
    for (int q = 0; q < 27; q++) neighbours[q] = 26 - q;
    memset(nodes, 0, sizeof nodes);
    for (int i = 0; i < FIRN_PATCH; i++) set(k, patch, i, i % 4099 + 1);
    for (int n = 0; n < NODES; n++)
        for (int c = 0; c < 4; c++) expected[n][c] = sum_of_rows(k, patch, n, c);
    k->patch_add(patch, columns, neighbours, nodes);
    for (int i = 0; i < 27 * FIRN_BLOCK_NODES * FIRN_CHANNELS; i++) sum += take(k, nodes, i);
    for (int i = 0; i < FIRN_PATCH; i++) set(k, patch, i, -1);
    k->patch_load(patch, columns, neighbours, nodes);
    for (int n = 0; n < NODES; n++)
        for (int c = 0; c < 4; c++) {
            int is_asked_for = columns >> n / 8 & 1;
            for (int z = 0; z < FIRN_SHIFTED_ROWS; z++)
                if (n % 8 >= z && n % 8 < z + 4) {
                    double is = take(k, patch, in_fan(n / 8, z, n % 8 - z, c));
                    worst = fmax(worst, fabs(is - (is_asked_for ? expected[n][c] : -1)));
                }
            sum -= is_asked_for ? expected[n][c] : 0;
        }
    return fmax(worst, fabs(sum));
}

/* Every node that a particle gives mass to lies in a column that it is said to touch. */
static double mass_outside(const firn_kernels *k, int is_quadratic, const double x[3],
                           double *patch)
{
    static lone p;
    memset(&p, 0, sizeof p);
    for (int a = 0; a < 3; a++) put(k, p.x, a, x[a]);
    put(k, p.mass, 0, 1);
    for (int lane = 1; lane < 16; lane++) /* padding lanes */
        for (int a = 0; a < 3; a++) set(k, p.x, 16 * a + lane, k->is_double ? 1.5 : (double)1.5f);
    firn_transfer transfer = {.dt = 1, .h = 1, .is_quadratic = is_quadratic};
    firn_block_particles particles = alone(&p);
    firn_columns columns = k->touched(&transfer, &particles);
    k->patch_clear(patch, ~(firn_columns)0);
    k->p2g(&transfer, &particles, patch, NULL);
    double outside = 0;
    for (int n = 0; n < NODES; n++)
        if (!(columns >> n / 8 & 1)) outside += sum_of_rows(k, patch, n, 3);
    return outside;
}

/* v = m v / m + dv where a particle weighs; a node whose mass has lost its digits, or is none,
 * gets nothing. */
static double worst_velocity(const firn_kernels *k)
{
    static _Alignas(64) double nodes[FIRN_BLOCK_NODES * FIRN_CHANNELS];
    const double tiny = k->is_double ? 1e-310 : 1e-40, dv[3] = {0, -2, 0}, v[3] = {1, 2, 3};
    double worst = 0;
    for (int i = 0; i < FIRN_BLOCK_NODES; i++) {
        double mass = i % 3 == 0 ? 0.5 + i : i % 3 == 1 ? tiny : 0;
        for (int a = 0; a < 3; a++) set(k, nodes, 4 * i + a, mass * v[a]);
        set(k, nodes, 4 * i + 3, mass);
    }
    firn_block_range range;
    k->velocity(nodes, NULL, dv, &range);
    for (int i = 0; i < FIRN_BLOCK_NODES; i++)
        for (int a = 0; a < 3; a++)
            worst = fmax(worst, fabs(take(k, nodes, 4 * i + a) - (i % 3 == 0 ? v[a] + dv[a] : 0)));
    for (int a = 0; a < 3; a++)
        worst =
            fmax(worst, fmax(fabs(range.min[a] - v[a] - dv[a]), fabs(range.max[a] - v[a] - dv[a])));
    return range.is_finite ? worst : INFINITY;
}

/* The steepest pair of neighbours by kernel and by a plain loop, in a patch where every third
 * node carries no mass. */
static double worst_steepest(const firn_kernels *k, firn_columns columns, uint64_t *seed,
                             double *patch)
{
    double steepest = 0;
    for (int n = 0; n < NODES; n++) {
        double x[3];
        random_place(seed, x);
        for (int a = 0; a < 3; a++) set_rows(k, patch, n, a, x[a]);
        set_rows(k, patch, n, 3, n % 3 ? 1 : 0);
    }
    for (int n = 0; n < NODES; n++)
        for (int axis = 0; axis < 3; axis++) {
            int step = axis == 0 ? 64 : axis == 1 ? 8 : 1, next = n + step;
            if (n / step % 8 == 7 || !(columns >> n / 8 & columns >> next / 8 & 1) || !(n % 3) ||
                !(next % 3))
                continue;
            for (int a = 0; a < 3; a++)
                steepest =
                    fmax(steepest, fabs(node_of(k, patch, n, a) - node_of(k, patch, next, a)));
        }
    return fabs(k->steepest(patch, columns) - steepest);
}

static void nodes_and_patches(verify_table *table)
{
    static _Alignas(64) double patch[FIRN_PATCH];
    for (int v = 0; v < FIRN_N_VARIANTS; v++) {
        const firn_kernels *k = firn_kernels_find(v);
        if (!k) continue;
        char name[96];
        double worst = worst_patch(k, ~(firn_columns)0, patch), outside = 0, steepest = 0;
        uint64_t seed = 11;
        for (int i = 0; i < 500; i++) {
            double x[3];
            random_place(&seed, x);
            worst = fmax(worst, worst_patch(k, seed, patch));
            outside = fmax(outside, mass_outside(k, i % 2, x, patch));
            steepest = fmax(
                steepest, worst_steepest(k, i ? seed & seed >> 7 : ~(firn_columns)0, &seed, patch));
        }
        snprintf(name, sizeof name, "patches %s: there and back", k->name);
        verify_at_most(table, name, worst, 0);
        snprintf(name, sizeof name, "patches %s: steepest neighbours (m/s)", k->name);
        verify_at_most(table, name, steepest, k->is_double ? 1e-15 : 1e-6);
        snprintf(name, sizeof name, "patches %s: mass beside the touched columns", k->name);
        verify_at_most(table, name, outside, 0);
        snprintf(name, sizeof name, "nodes %s: velocity (nodes of no weight too) (m/s)", k->name);
        verify_at_most(table, name, worst_velocity(k), k->is_double ? 1e-15 : 5e-7);
    }
}

/* ---------------------------------------------------------------- rung 1 */

static void ball(verify_scene *s, double E, int scheme)
{
    const double center[3] = {0.01, 0.02, 0.03};
    verify_scene_init(s, 0.1, "neo_hookean", E, 0.3, 1000);
    verify_ball(s, center, 0.64, 2);
    s->scene.transfer.scheme = scheme;
    s->scene.transfer.flip_blend = 0.95;
}

/* x = x0 + v0 t - g t (t + dt) / 2 for the symplectic step, F = I. In float a place within its
 * block of four cells has 24 bits, 2.4e-8 m here, rounded at each of 64 steps. */
static void free_fall(verify_table *table, int scheme, int is_double)
{
    verify_scene s;
    char name[96];
    ball(&s, 1e4, scheme);
    s.scene.gravity[1] = -9.81;
    s.bodies[0].velocity[0] = 2;
    s.scene.time.dt_fixed = 0.1 / 64;
    s.scene.is_double = is_double;
    firn_sim *sim = verify_start(&s);
    double *was = verify_copy(sim, "P"), worst = 0,
           move[3] = {0.2, -9.81 * 0.1 * (0.1 + 0.1 / 64) / 2, 0};
    verify_go(sim, 0.1);
    double *is = verify_copy(sim, "P"), *F = verify_copy(sim, "F"), strain = 0;
    for (int64_t i = 0; i < 3 * firn_sim_n_particles(sim); i++)
        worst = fmax(worst, fabs(is[i] - was[i] - move[i % 3]));
    for (int64_t i = 0; i < 9 * firn_sim_n_particles(sim); i++)
        strain = fmax(strain, fabs(F[i] - (i % 9 % 4 == 0)));
    snprintf(name, sizeof name, "free fall %s %s: place (m)", scheme ? "FLIP" : "APIC",
             is_double ? "double" : "float");
    verify_at_most(table, name, worst, is_double ? 1e-12 : 64 * 0.4 * 0x1p-24);
    snprintf(name, sizeof name, "free fall %s %s: F - I", scheme ? "FLIP" : "APIC",
             is_double ? "double" : "float");
    verify_at_most(table, name, strain, is_double ? 1e-12 : 2e-6);
    free(was);
    free(is);
    free(F);
    firn_sim_destroy(sim);
}

/* One turn of a ball of R = 6.4 cells: APIC keeps angular momentum with its affine part (C.
 * Jiang et al., The affine particle-in-cell method, ACM TOG 34, 2015); PIC loses most of it,
 * FLIP a few per cent (disk of the same size, measured with an independent two-dimensional code:
 * 99.7 % and 3.5 %). */
static void spin(verify_table *table, int scheme)
{
    verify_scene s;
    ball(&s, 1e4, scheme);
    s.bodies[0].spin[2] = 1;
    s.scene.transfer.flip_blend = 1;
    firn_sim *sim = verify_start(&s);
    double before = verify_ledger(sim).angular_momentum[2];
    verify_go(sim, table->is_quick ? 1.5 : 6.283185307179586);
    double after = verify_ledger(sim).angular_momentum[2];
    if (scheme == FIRN_APIC)
        verify_near(table, "a turn of APIC: angular momentum", before, after,
                    1e-11 * sqrt((double)firn_sim_step_count(sim)), 0);
    if (scheme == FIRN_PIC)
        verify_at_least(table, "a turn of PIC: share of angular momentum lost", 1 - after / before,
                        0.5);
    if (scheme == FIRN_FLIP)
        verify_at_most(table, "a turn of FLIP: share of angular momentum lost",
                       fabs(1 - after / before), 0.05);
    firn_sim_destroy(sim);
}

/* Neighbouring particles move against each other, a field the grid cannot see: energy may only
 * fall, and PIC and APIC have to remove it. */
static void null_space(verify_table *table)
{
    static const char *const names[] = {"APIC", "FLIP", "PIC", "AFLIP"};
    for (int scheme = FIRN_APIC; scheme <= FIRN_AFLIP; scheme++) {
        verify_scene s;
        ball(&s, 1e-3, scheme);
        s.scene.time.dt_fixed = 1e-3;
        firn_sim *sim = verify_start(&s);
        int64_t n = firn_sim_n_particles(sim);
        double *x = verify_copy(sim, "P"), low[3] = {x[0], x[1], x[2]};
        for (int64_t i = 0; i < 3 * n; i++) low[i % 3] = fmin(low[i % 3], x[i]);
        for (int64_t i = 0; i < n; i++) {
            long parity = 0;
            for (int a = 0; a < 3; a++) parity += lround((x[3 * i + a] - low[a]) / 0.05);
            for (int a = 0; a < 3; a++) x[3 * i + a] = parity % 2 ? -1 : 1;
        }
        verify_assign(sim, "v", x);
        free(x);
        double first = verify_ledger(sim).kinetic, last = first, growth = 0;
        for (int k = 1; k <= 20; k++) {
            verify_go(sim, 1e-3 * k);
            double now = verify_ledger(sim).kinetic;
            growth = fmax(growth, (now - last) / first);
            last = now;
        }
        char name[96];
        snprintf(name, sizeof name, "null space %s: growth of energy in a step", names[scheme]);
        verify_at_most(table, name, growth, 1e-12);
        if (scheme == FIRN_APIC || scheme == FIRN_PIC) {
            snprintf(name, sizeof name, "null space %s: energy left after 20 steps", names[scheme]);
            verify_at_most(table, name, last / first, 1e-2);
        }
        firn_sim_destroy(sim);
    }
}

/* dt = cfl h / c with c^2 = (lambda + 2 mu) / rho for a body at rest, then shared out evenly
 * until the end. */
static void first_step(verify_table *table)
{
    verify_scene s;
    ball(&s, 1e4, FIRN_APIC);
    firn_sim *sim = verify_start(&s);
    const double c = sqrt(1e4 * 0.7 / (1.3 * 0.4) / 1000);
    firn_sim_step(sim, 10, NULL);
    firn_dt_limit limit = firn_sim_stats(sim).limit;
    verify_near(table, "first step: cfl h over the wave speed (s)", 0.4 * 0.1 / c, limit.dt, 0.005,
                0);
    verify_near(table, "first step: limited by the wave", 1, strcmp(limit.criterion, "wave") == 0,
                0, 0);
    firn_sim_destroy(sim);
}

/* A block on a rough floor starts upwards and sideways: a floor that separates takes nothing
 * from it. */
static void takes_off(verify_table *table)
{
    verify_scene s;
    const double low[3] = {0, 0, 0}, high[3] = {0.4, 0.4, 0.4};
    verify_scene_init(&s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
    firn_body_def *body = verify_box(&s, low, high, 2);
    body->velocity[0] = 1;
    body->velocity[1] = 1;
    verify_floor(&s, 1, 0)->contact = FIRN_SEPARATE;
    s.colliders[0].friction = 0.5;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 0.2);
    firn_ledger ledger = verify_ledger(sim);
    verify_near(table, "takes off from a rough floor: speed along (m/s)", 1,
                ledger.momentum[0] / ledger.mass, 1e-12, 0);
    verify_near(table, "takes off from a rough floor: speed up (m/s)", 1,
                ledger.momentum[1] / ledger.mass, 1e-12, 0);
    firn_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    identities(&table);
    transfers(&table);
    nodes_and_patches(&table);
    for (int is_double = 1; is_double >= 0; is_double--) {
        free_fall(&table, FIRN_APIC, is_double);
        free_fall(&table, FIRN_FLIP, is_double);
    }
    null_space(&table);
    first_step(&table);
    takes_off(&table);
    spin(&table, FIRN_APIC);
    spin(&table, FIRN_PIC);
    spin(&table, FIRN_FLIP);
    return verify_end(&table);
}
