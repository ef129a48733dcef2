/* SPDX-License-Identifier: MIT */
/* transfer.c: particles to grid and back, the two loops that take most of the time of an explicit
 * step.
 *
 * Notation   i, j, k  nodes along x, y, z
 *            w_i(x)   weight of node i for a particle at x (B-spline, x in cells)
 *            d_i = i - x (cells)      m_i = w_i d_i first moment      g_i = dw_i/dx (1/cells)
 *            h    node spacing, m     V   initial volume, m^3
 *            tau = P F^T  Kirchhoff stress, Pa     C   affine matrix, 1/s
 *
 * The kernels carry a payload (kernels.h), written here in the letters of momentum: v, m, C, tau.
 *
 * Particle to grid (Jiang et al. 2015, APIC; Stomakhin et al. 2013 for the force). A node gains
 *
 *     momentum   w_ijk m (v + h C d)
 *     force      dt f = -dt V tau grad w         force: gradient; grad w has factors g w w / h
 *                     = -dt V (D^-1 h) tau d w   force: mls (Hu et al. 2018); D = h^2/3 (cubic),
 *                                                h^2/4 (quadratic)
 *
 * Both forces sum to zero over the nodes, as sum grad w = 0 and sum d w = 0: momentum is conserved
 * to round-off. All of this is a sum of products of one factor per axis. With column vectors A_a
 * (multiplying moments along axis a) and S_a (multiplying derivatives) a row of four z-nodes times
 * four channels, the unit of all work here, is
 *
 *     V0  = w_k (m v, m) + m_k A_z + g_k S_z
 *     u_i = w_i V0 + w_k (m_i A_x + g_i S_x)
 *     t_j = w_k (m_j A_y + g_j S_y)
 *     row(i, j) += w_j u_i + w_i t_j          <- two multiply-adds per row, for either force
 *
 * Without derivatives (force: mls) it is shorter. Along each axis d_i = d_0 + i, so with b = (m v,
 * m) + sum_a d_0a A_a, made for all particles of a bundle at once,
 *
 *     q_ij = w_k (b + k A_z + i A_x + j A_y)     from node to node by one addition,
 *     row(i, j) += (w_i w_j) q_ij                35 operations per particle instead of 48
 *
 * Grid to particle is the transpose: r_i = sum_j w_j row(i,j), and likewise with m_j, g_j; then
 * sums over i; then one horizontal sum over z. C = (D^-1 h) sum w v d, grad v = sum v grad w (mls:
 * grad v = C). Without gradients, partial sums of w_ij row(i,j) from the far end give those times i
 * and j by additions: 36 operations, 16 of them products, instead of 44 (and four products with w_k
 * either way), and sum w v d = sum w v (i - 1) + d_1 sum w v is made for a whole bundle at once.
 *
 * FLIP also needs sum w v_old. Masses are not needed on the way back, so v_old,x takes their
 * channel. v_old,y and v_old,z have a patch of their own, in which the four channels of node (i, j,
 * k) are these two at j and again at j + 1: two rows per plane are read instead of four.
 *
 * Layout     Weights are computed for LANES particles at once; values that a particle needs as
 *            a vector over channels are turned from lanes into groups of four by transpose4 and
 *            found again by slot(particle).
 *            A particle's rows are whole cache lines at any position (the shifted rows of
 *            kernels.h), so P2G adds them to memory one by one, without branches.
 *            In G2P the rest of a particle's rows is kept and summed over z for a whole bundle at
 *            a time: for one particle that sum is a chain of dependent operations. */
#include "mpm/clearance.h"
#include "mpm/nodes.h"
#include "mpm/sort_kernels.h"
#include "mpm/shifted_rows.h"

enum { NODE_Y = FIRN_SHIFTED_ROWS * FIRN_ROW, NODE_X = 8 * NODE_Y };

/* ---------------------------------------------------------------- weights */

typedef struct weights {
    real w[2][4][16], m[2][4][16], g[2][4][16]; /* along x and y, by lane */
    real zw[64], zm[64], zg[64];                /* along z, by slot */
    real W[4][4][16], d[3][16];                 /* w_i w_j and the first d_i, d_j, d_k, by lane */
    real yw[2][64];   /* along y, by slot: w_0 w_0 w_1 w_1, w_2 w_2 w_3 w_3 */
    int32_t node[16]; /* first node, in reals into a patch */
} __attribute__((aligned(64))) weights;

/* One axis: first node (counted from the patch's corner) and w, m, g of `n` nodes. With f or t the
 * distance from the first or second node, u = 1 - t:
 *
 *   quadratic  w = (3/2 - f)^2 / 2,  3/4 - (f - 1)^2,  (f - 1/2)^2 / 2
 *   cubic      w = u^3 / 6,  2/3 - t^2 + t^3 / 2,  2/3 - u^2 + u^3 / 2,  t^3 / 6
 *
 * Identities that conservation rests on: sum w = 1, sum g = 0, sum m = 0, and sum w d^2 = D / h^2 =
 * 1/4 (quadratic), 1/3 (cubic), the same at every x. */
FIRN_INLINE fr axis_weights(int is_quadratic, fr x, fr w[4], fr m[4], fr g[4])
{
    const real half = (real)0.5;
    if (is_quadratic) {
        fr base = fr_clamp(fr_floor(x - half), fr_set1(-2), fr_set1(3));
        fr f = x - base, a = (real)1.5 - f, b = f - 1, c = f - half;
        w[0] = half * a * a;
        w[1] = (real)0.75 - b * b;
        w[2] = half * c * c;
        w[3] = fr_zero();
        g[0] = -a;
        g[1] = -2 * b;
        g[2] = c;
        g[3] = fr_zero();
        for (int k = 0; k < 4; k++) m[k] = w[k] * ((real)k - f);
        return base + 2;
    }
    fr base = fr_clamp(fr_floor(x), fr_set1(-1),
                       fr_set1(3)); /* -1 .. 3 for any x: keeps the index in the patch */
    fr t = x - base, u = 1 - t, t2 = t * t, u2 = u * u;
    const real sixth = (real)(1.0 / 6), two_thirds = (real)(2.0 / 3), three_halves = (real)1.5;
    w[0] = sixth * u2 * u;
    w[1] = two_thirds - t2 * (1 - half * t);
    w[2] = two_thirds - u2 * (1 - half * u);
    w[3] = sixth * t2 * t;
    g[0] = -half * u2;
    g[1] = t * (three_halves * t - 2);
    g[2] = u * (2 - three_halves * u);
    g[3] = half * t2;
    for (int k = 0; k < 4; k++) m[k] = w[k] * ((real)(k - 1) - t);
    return base + 1;
}

/* There are five rows of four nodes: in the last cell the three nodes of a quadratic spline are the
 * last three of the last row. */
FIRN_INLINE fr fit_row(int is_quadratic, fr first, fr w[4], fr m[4], fr g[4])
{
    const fr last = fr_set1(FIRN_SHIFTED_ROWS - 1);
    const fm is_beyond = fr_gt(first, last);
    if (!is_quadratic) return first;
    for (int k = 3; k >= 0; k--) {
        w[k] = fr_select(is_beyond, k ? w[k - 1] : fr_zero(), w[k]);
        m[k] = fr_select(is_beyond, k ? m[k - 1] : fr_zero(), m[k]);
        g[k] = fr_select(is_beyond, k ? g[k - 1] : fr_zero(), g[k]);
    }
    return fr_min(first, last);
}

FIRN_INLINE void weights_of_bundle(int is_quadratic, int moment, int gradient, int with_pairs,
                                   int with_products, const real *x, weights *out)
{
    UNROLL for (int l = 0; l < 16; l += LANES)
    {
        fr w[4], m[4], g[4], wx[4], node = fr_zero();
        for (int axis = 0; axis < 2; axis++) {
            const fr at = fr_load(x + axis * 16 + l),
                     first = axis_weights(is_quadratic, at, w, m, g);
            node = node * 8 + first;
            if (with_products) fr_store(out->d[axis] + l, first - 2 - at);
            for (int k = 0; k < 4; k++) {
                if (with_products) {
                    if (axis == 0) wx[k] = w[k];
                    if (axis == 0 && with_pairs) fr_store(out->w[0][k] + l, w[k]);
                    for (int i = 0; axis == 1 && i < 4; i++)
                        fr_store(out->W[i][k] + l, wx[i] * w[k]);
                    continue;
                }
                fr_store(out->w[axis][k] + l, w[k]);
                if (moment) fr_store(out->m[axis][k] + l, m[k]);
                if (gradient) fr_store(out->g[axis][k] + l, g[k]);
            }
        }
        if (with_pairs) {
            groups_store(out->yw[0], l, w[0], w[0], w[1], w[1]);
            groups_store(out->yw[1], l, w[2], w[2], w[3], w[3]);
        }
        const fr at = fr_load(x + 32 + l),
                 first = fit_row(is_quadratic, axis_weights(is_quadratic, at, w, m, g), w, m, g);
        node = node * FIRN_SHIFTED_ROWS + first;
        if (with_products) fr_store(out->d[2] + l, first - 2 - at);
        groups_store(out->zw, l, w[0], w[1], w[2], w[3]);
        if (moment && !with_products) groups_store(out->zm, l, m[0], m[1], m[2], m[3]);
        if (gradient) groups_store(out->zg, l, g[0], g[1], g[2], g[3]);
        node = node * ROW;
#if LANES == 1
        out->node[l] = (int32_t)node;
#else
        typedef int32_t integers __attribute__((vector_size(4 * LANES)));
        integers whole = __builtin_convertvector(node, integers);
        memcpy(out->node + l, &whole, sizeof whole);
#endif
    }
}

/* ---------------------------------------------------------------- what particles touch */

/* The columns between the first and the last particle. */
static firn_columns touched(const firn_transfer *transfer, const firn_block_particles *p)
{
    fr low[2] = {fr_set1(4), fr_set1(4)}, high[2] = {fr_set1(-1), fr_set1(-1)};
    for (int b = 0; b * 16 < p->n; b++)
        for (int axis = 0; axis < 2; axis++) UNROLL for (int l = 0; l < 16; l += LANES)
            {
                fr x = fr_load((const real *)p->x + b * 48 + axis * 16 + l);
                low[axis] = fr_min(x, low[axis]);
                high[axis] = fr_max(x, high[axis]);
            }
    double ends[2][2];
    for (int axis = 0; axis < 2; axis++) {
        ends[0][axis] = (double)fr_least(low[axis]);
        ends[1][axis] = (double)fr_most(high[axis]);
    }
    return firn_columns_between(transfer->is_quadratic, ends[0], ends[1]);
}

/* ---------------------------------------------------------------- particles to grid */

typedef struct outgoing { /* by slot: m v and m (mls: b); A_x A_y A_z; S_x S_y S_z */
    real base[64], A[3][64], S[3][64];
} __attribute__((aligned(64))) outgoing;

/* with_momentum: 0 sends the pulls of grips alone; affine, force: further terms of the sum. */
FIRN_INLINE void outgoing_of_bundle(const firn_block_particles *p, int b, int with_momentum,
                                    int affine, int mls, int force, real h, real stress_factor,
                                    const weights *wt, outgoing *out)
{
    const real *v = (const real *)p->payload.value + b * 48,
               *C = affine ? (const real *)p->payload.affine + b * 144 : NULL;
    const real *tau = (const real *)p->payload.flux + b * 96;
    const real *mass = (const real *)p->payload.weight + b * 16,
               *volume = (const real *)p->payload.volume + b * 16;
    const real *pull = p->payload.extra ? (const real *)p->payload.extra + b * 48 : NULL;
    static const int sym[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    UNROLL for (int l = 0; l < 16; l += LANES)
    {
        fr m = fr_load(mass + l), mh = m * h, q[3] = {fr_zero(), fr_zero(), fr_zero()};
        if (with_momentum)
            for (int i = 0; i < 3; i++) q[i] = m * fr_load(v + i * 16 + l);
        if (force && pull)
            for (int i = 0; i < 3; i++) q[i] = q[i] + fr_load(pull + i * 16 + l);
        fr s = force ? fr_load(volume + l) * stress_factor : fr_zero();
        for (int a = 0; a < 3; a++) {
            fr stress[3], moment[3];
            for (int i = 0; i < 3; i++) {
                stress[i] = force ? s * fr_load(tau + sym[i][a] * 16 + l) : fr_zero();
                moment[i] = affine ? mh * fr_load(C + (3 * i + a) * 16 + l) : fr_zero();
                if (force && mls) moment[i] = moment[i] + stress[i];
                if (mls) q[i] = fr_fma(fr_load(wt->d[a] + l), moment[i], q[i]);
            }
            if (affine || (force && mls))
                groups_store(out->A[a], l, moment[0], moment[1], moment[2], fr_zero());
            if (force && !mls)
                groups_store(out->S[a], l, stress[0], stress[1], stress[2], fr_zero());
        }
        groups_store(out->base, l, q[0], q[1], q[2], with_momentum ? m : fr_zero());
    }
}

typedef struct prepared { /* one particle's rows: V0, w_k A_x, w_k S_x, and t_j */
    row V0, Ax, Sx, t[4];
} prepared;

FIRN_INLINE prepared prepare(int n, int moment, int gradient, const weights *wt, const outgoing *o,
                             int lane)
{
    int s = slot(lane);
    row zw = row_of_weights(wt->zw + s);
    prepared r;
    r.V0 = row_mul(zw, row_of_channels(o->base + s));
    r.Ax = r.Sx = row_zero();
    row Ay = row_zero(), Sy = row_zero();
    if (moment) {
        r.V0 = row_mul_add(row_of_weights(wt->zm + s), row_of_channels(o->A[2] + s), r.V0);
        r.Ax = row_mul(zw, row_of_channels(o->A[0] + s));
        Ay = row_mul(zw, row_of_channels(o->A[1] + s));
    }
    if (gradient) {
        r.V0 = row_mul_add(row_of_weights(wt->zg + s), row_of_channels(o->S[2] + s), r.V0);
        r.Sx = row_mul(zw, row_of_channels(o->S[0] + s));
        Sy = row_mul(zw, row_of_channels(o->S[1] + s));
    }
    UNROLL for (int j = 0; j < n; j++)
    {
        r.t[j] = row_zero();
        if (moment) r.t[j] = row_scale(fr_set1(wt->m[1][j][lane]), Ay);
        if (gradient)
            r.t[j] = moment ? row_fma(fr_set1(wt->g[1][j][lane]), Sy, r.t[j])
                            : row_scale(fr_set1(wt->g[1][j][lane]), Sy);
    }
    return r;
}

/* q of a plane's first node; its increments from plane to plane and from node to node */
typedef struct linear {
    row q, X, Y;
} linear;

/* Increments in registers: additions run on units of the processor (Zen) that make no products. */
FIRN_INLINE linear prepare_linear(int moment, const weights *wt, const outgoing *o, int lane)
{
    int s = slot(lane);
    row zw = row_of_weights(wt->zw + s), q = row_of_channels(o->base + s);
    if (!moment) return (linear){row_mul(zw, q), row_zero(), row_zero()};
    return (linear){row_mul(zw, row_mul_add(row_of_nodes(0), row_of_channels(o->A[2] + s), q)),
                    row_pin(row_mul(zw, row_of_channels(o->A[0] + s))),
                    row_pin(row_mul(zw, row_of_channels(o->A[1] + s)))};
}

/* A pointer in a register of its own: with base and index, the multiply-adds that read weights
 * through it are split into two operations, an eighth of the time of P2G. */
FIRN_INLINE const real *lane_pointer(const real *p)
{
#if LANES == 16
    __asm__("" : "+r"(p));
#endif
    return p;
}

/* Adds a particle without gradients; where forces are accumulated apart, `f` to `forces`. */
FIRN_INLINE void add_linear(int n, int moment, int is_apart, const real *W, linear r, linear f,
                            real *at, real *forces)
{
    UNROLL for (int i = 0; i < n; i++)
    {
        row q = r.q, g = f.q;
        UNROLL for (int j = 0; j < n; j++)
        {
            const fr w = fr_set1(W[(4 * i + j) * 16]);
            const int to = i * NODE_X + j * NODE_Y;
            row_store(at + to, row_fma(w, q, row_load(at + to)));
            if (is_apart) row_store(forces + to, row_fma(w, g, row_load(forces + to)));
            if (moment && j < n - 1) q = row_add(q, r.Y);
            if (is_apart && j < n - 1) g = row_add(g, f.Y);
        }
        if (moment) r.q = row_add(r.q, r.X);
        if (is_apart) f.q = row_add(f.q, f.X);
    }
}

/* The part common to all rows of plane i. */
FIRN_INLINE row plane_of(int moment, int gradient, const weights *wt, const prepared *r, int lane,
                         int i)
{
    row u = row_scale(fr_set1(wt->w[0][i][lane]), r->V0);
    if (moment) u = row_fma(fr_set1(wt->m[0][i][lane]), r->Ax, u);
    if (gradient) u = row_fma(fr_set1(wt->g[0][i][lane]), r->Sx, u);
    return u;
}

/* Adds a particle with gradients, which are those of its force; where forces are accumulated apart,
 * those of `f` alone. */
FIRN_INLINE void add_gradient(int n, int affine, int is_apart, const weights *wt, const prepared *r,
                              const prepared *f, int lane, real *at, real *forces)
{
    UNROLL for (int i = 0; i < n; i++)
    {
        const fr wx = fr_set1(wt->w[0][i][lane]);
        const row u = plane_of(affine, !is_apart, wt, r, lane, i),
                  g = is_apart ? plane_of(0, 1, wt, f, lane, i) : u;
        UNROLL for (int j = 0; j < n; j++)
        {
            const fr wy = fr_set1(wt->w[1][j][lane]);
            const int to = i * NODE_X + j * NODE_Y;
            row nodes = row_fma(wy, u, row_load(at + to));
            row_store(at + to, affine || !is_apart ? row_fma(wx, r->t[j], nodes) : nodes);
            if (is_apart)
                row_store(forces + to, row_fma(wx, f->t[j], row_fma(wy, g, row_load(forces + to))));
        }
    }
}

/* One particle after the other, in storage order: with rows that are cache lines, loading and
 * storing them is cheaper than finding particles that share them. Momentum and force go into one
 * patch, or, for FLIP, each into its own. */
FIRN_INLINE void p2g_case(int is_quadratic, int affine, int mls, int is_apart,
                          const firn_transfer *transfer, const firn_block_particles *p, real *patch,
                          real *forces)
{
    const int n = is_quadratic ? 3 : 4, moment = affine || mls;
    const real h = (real)transfer->h;
    const real d_inverse = is_quadratic ? 4 : 3;
    const real stress_factor = (real)(-transfer->dt / transfer->h) * (mls ? d_inverse : 1);
    weights wt;
    outgoing out, force;
    for (int b = 0; b * 16 < p->n; b++) {
        const int count = p->n - b * 16 < 16 ? p->n - b * 16 : 16;
        lanes_ask(p->x, b, 3);
        lanes_ask(p->payload.value, b, 3);
        lanes_ask(p->payload.flux, b, 6);
        lanes_ask(p->payload.weight, b, 1);
        lanes_ask(p->payload.volume, b, 1);
        if (affine) lanes_ask(p->payload.affine, b, 9);
        weights_of_bundle(is_quadratic, moment, !mls, 0, mls, (const real *)p->x + b * 48, &wt);
        outgoing_of_bundle(p, b, 1, affine, mls, !is_apart, h, stress_factor, &wt, &out);
        if (is_apart) outgoing_of_bundle(p, b, 0, 0, mls, 1, h, stress_factor, &wt, &force);
        for (int lane = 0; lane < count; lane++) {
            real *at = patch + wt.node[lane], *to = is_apart ? forces + wt.node[lane] : NULL;
            if (mls) {
                const int with_affine = affine || !is_apart;
                const linear r = prepare_linear(with_affine, &wt, &out, lane);
                const linear f = is_apart ? prepare_linear(1, &wt, &force, lane) : r;
                add_linear(n, with_affine, is_apart, lane_pointer(&wt.W[0][0][lane]), r, f, at, to);
            } else {
                const prepared r = prepare(n, affine, !is_apart, &wt, &out, lane);
                const prepared f = is_apart ? prepare(n, 0, 1, &wt, &force, lane) : r;
                add_gradient(n, affine, is_apart, &wt, &r, &f, lane, at, to);
            }
        }
    }
}

/* The flags are constants in each call, so each combination becomes a loop without branches. */
#define P2G(affine, mls, is_apart)                                                                 \
    (transfer->is_quadratic ? p2g_case(1, affine, mls, is_apart, transfer, p, patch, forces)       \
                            : p2g_case(0, affine, mls, is_apart, transfer, p, patch, forces))

static void p2g(const firn_transfer *transfer, const firn_block_particles *p, void *patch,
                void *forces)
{
    int is_apart = forces != NULL;
    switch (transfer->is_affine << 2 | transfer->is_mls << 1 | is_apart) {
    case 0: P2G(0, 0, 0); break;
    case 1: P2G(0, 0, 1); break;
    case 2: P2G(0, 1, 0); break;
    case 3: P2G(0, 1, 1); break;
    case 4: P2G(1, 0, 0); break;
    case 5: P2G(1, 0, 1); break;
    case 6: P2G(1, 1, 0); break;
    case 7: P2G(1, 1, 1); break;
    }
}

/* Force momenta alone, of a flux of nine components [3 i + a]: -dt V T_ia dw/dx_a to component i. */
FIRN_INLINE void flux_of_bundle(const firn_block_particles *p, const real *flux, int b, int mls,
                                real stress_factor, const weights *wt, outgoing *out)
{
    const real *volume = (const real *)p->payload.volume + b * 16, *T = flux + b * 144;
    UNROLL for (int l = 0; l < 16; l += LANES)
    {
        const fr s = fr_load(volume + l) * stress_factor;
        fr q[3] = {fr_zero(), fr_zero(), fr_zero()};
        for (int a = 0; a < 3; a++) {
            fr stress[3];
            for (int i = 0; i < 3; i++) {
                stress[i] = s * fr_load(T + (3 * i + a) * 16 + l);
                if (mls) q[i] = fr_fma(fr_load(wt->d[a] + l), stress[i], q[i]);
            }
            groups_store(mls ? out->A[a] : out->S[a], l, stress[0], stress[1], stress[2],
                         fr_zero());
        }
        groups_store(out->base, l, q[0], q[1], q[2], fr_zero());
    }
}

FIRN_INLINE void scatter_case(int is_quadratic, int mls, const firn_transfer *transfer,
                              const firn_block_particles *p, const real *flux, real *patch)
{
    const int n = is_quadratic ? 3 : 4;
    const real d_inverse = is_quadratic ? 4 : 3;
    const real stress_factor = (real)(-transfer->dt / transfer->h) * (mls ? d_inverse : 1);
    weights wt;
    outgoing out;
    for (int b = 0; b * 16 < p->n; b++) {
        const int count = p->n - b * 16 < 16 ? p->n - b * 16 : 16;
        weights_of_bundle(is_quadratic, mls, !mls, 0, mls, (const real *)p->x + b * 48, &wt);
        flux_of_bundle(p, flux, b, mls, stress_factor, &wt, &out);
        for (int lane = 0; lane < count; lane++) {
            real *at = patch + wt.node[lane];
            if (mls) {
                const linear r = prepare_linear(1, &wt, &out, lane);
                add_linear(n, 1, 0, lane_pointer(&wt.W[0][0][lane]), r, r, at, NULL);
            } else {
                const prepared r = prepare(n, 0, 1, &wt, &out, lane);
                add_gradient(n, 0, 0, &wt, &r, &r, lane, at, NULL);
            }
        }
    }
}

static void scatter(const firn_transfer *transfer, const firn_block_particles *p, const void *flux,
                    void *patch)
{
    if (transfer->is_quadratic && transfer->is_mls)
        scatter_case(1, 1, transfer, p, flux, patch);
    else if (transfer->is_quadratic)
        scatter_case(1, 0, transfer, p, flux, patch);
    else if (transfer->is_mls)
        scatter_case(0, 1, transfer, p, flux, patch);
    else
        scatter_case(0, 0, transfer, p, flux, patch);
}

/* ---------------------------------------------------------------- grid to particles */

/* sums over nodes: w v and w m (or w v_old,x); m_a v; g_a v; w v_old,y and z, each in two */
typedef struct incoming {
    kept_rows v, B[3], G[3], old;
    /* Without gradients: the first d along each axis, and B is sum w v times the number of the
     * node, less one. */
    real d[3][16];
} incoming;

/* Without gradients: sums over i and j of w, (i - 1) w and (j - 1) w by partial sums from the far
 * end. Counting from the second node, which is next to the particle, keeps a digit more than from
 * the first. */
FIRN_INLINE void gather_linear(int n, const real *W, const real *at, row *S, row *X, row *Y)
{
    row s[4], y[4];
    UNROLL for (int i = 0; i < n; i++)
    {
        row far = row_zero(), beyond = far;
        UNROLL for (int j = n - 1; j > 0; j--)
        {
            const fr w = fr_set1(W[(4 * i + j) * 16]);
            const row nodes = row_load(at + i * NODE_X + j * NODE_Y);
            far = row_pin(j < n - 1 ? row_fma(w, nodes, far) : row_scale(w, nodes));
            if (j > 1) beyond = j < n - 1 ? row_add(beyond, far) : far;
        }
        const row near = row_pin(row_scale(fr_set1(W[4 * i * 16]), row_load(at + i * NODE_X)));
        s[i] = row_add(near, far);
        y[i] = row_subtract(beyond, near);
    }
    const row far = n == 4 ? row_add(s[2], s[3]) : s[2], half = row_add(y[0], y[1]);
    *S = row_add(row_add(s[0], s[1]), far);
    *X = row_subtract(n == 4 ? row_add(far, s[3]) : far, s[0]);
    *Y = row_add(half, n == 4 ? row_add(y[2], y[3]) : y[2]);
}

FIRN_INLINE void gather_particle(int n, int moment, int gradient, int with_old, const weights *wt,
                                 int lane, const real *patch, const real *old_patch, incoming *in)
{
    const real *at = patch + wt->node[lane];
    const int is_linear = moment && !gradient;
    row S0 = row_zero(), Sx = S0, Sy = S0, Gx = S0, Gy = S0;
    if (is_linear) gather_linear(n, lane_pointer(&wt->W[0][0][lane]), at, &S0, &Sx, &Sy);
    UNROLL for (int i = 0; !is_linear && i < n; i++)
    {
        row r = row_zero(), s = r, e = r;
        UNROLL for (int j = 0; j < n; j++)
        {
            row nodes = row_pin(row_load(at + i * NODE_X + j * NODE_Y));
            r = j ? row_fma(fr_set1(wt->w[1][j][lane]), nodes, r)
                  : row_scale(fr_set1(wt->w[1][j][lane]), nodes);
            if (moment)
                s = j ? row_fma(fr_set1(wt->m[1][j][lane]), nodes, s)
                      : row_scale(fr_set1(wt->m[1][j][lane]), nodes);
            if (gradient)
                e = j ? row_fma(fr_set1(wt->g[1][j][lane]), nodes, e)
                      : row_scale(fr_set1(wt->g[1][j][lane]), nodes);
        }
        fr wx = fr_set1(wt->w[0][i][lane]);
        S0 = i ? row_fma(wx, r, S0) : row_scale(wx, r);
        if (moment) {
            fr mx = fr_set1(wt->m[0][i][lane]);
            Sx = i ? row_fma(mx, r, Sx) : row_scale(mx, r);
            Sy = i ? row_fma(wx, s, Sy) : row_scale(wx, s);
        }
        if (gradient) {
            fr gx = fr_set1(wt->g[0][i][lane]);
            Gx = i ? row_fma(gx, r, Gx) : row_scale(gx, r);
            Gy = i ? row_fma(wx, e, Gy) : row_scale(wx, e);
        }
    }
    int s = slot(lane);
    row zw = row_of_weights(wt->zw + s), v = row_mul(zw, S0);
    row_keep(v, lane, &in->v);
    if (moment) {
        row_keep(row_mul(zw, Sx), lane, &in->B[0]);
        row_keep(row_mul(zw, Sy), lane, &in->B[1]);
        row_keep(is_linear ? row_mul(row_of_nodes(-1), v) : row_mul(row_of_weights(wt->zm + s), S0),
                 lane, &in->B[2]);
    }
    if (gradient) {
        row_keep(row_mul(zw, Gx), lane, &in->G[0]);
        row_keep(row_mul(zw, Gy), lane, &in->G[1]);
        row_keep(row_mul(row_of_weights(wt->zg + s), S0), lane, &in->G[2]);
    }
    if (with_old) {
        const real *before = old_patch + wt->node[lane];
        row low = row_zero(), high = low; /* of the pairs (0, 1) and (2, 3) along y */
        UNROLL for (int i = 0; i < n; i++)
        {
            const row a = row_load(before + i * NODE_X),
                      b = row_load(before + i * NODE_X + 2 * NODE_Y);
            fr wx = fr_set1(wt->w[0][i][lane]);
            low = i ? row_fma(wx, a, low) : row_scale(wx, a);
            high = i ? row_fma(wx, b, high) : row_scale(wx, b);
        }
        low = row_mul(row_of_channels(wt->yw[0] + s), low);
        row_keep(row_mul(zw, row_mul_add(row_of_channels(wt->yw[1] + s), high, low)), lane,
                 &in->old);
    }
}

/* Zeros for padding lanes. */
FIRN_INLINE void incoming_blank(int moment, int gradient, int with_old, int from, incoming *in)
{
    for (int lane = from; lane < 16; lane++) {
        row_keep(row_zero(), lane, &in->v);
        for (int a = 0; a < 3; a++) {
            if (moment) row_keep(row_zero(), lane, &in->B[a]);
            if (gradient) row_keep(row_zero(), lane, &in->G[a]);
        }
        if (with_old) row_keep(row_zero(), lane, &in->old);
    }
}

/* Interpolates one bundle; lanes from `count` on get zeros. */
FIRN_INLINE void gather_bundle(int is_quadratic, int moment, int gradient, int with_old,
                               const real *x, int count, const real *patch, const real *old_patch,
                               incoming *in)
{
    weights wt;
    const int is_linear = moment && !gradient;
    weights_of_bundle(is_quadratic, moment, gradient, with_old, is_linear, x, &wt);
    for (int a = 0; is_linear && a < 3; a++) memcpy(in->d[a], wt.d[a], sizeof wt.d[a]);
    if (count < 16) incoming_blank(moment, gradient, with_old, count, in);
    for (int lane = 0; lane < count; lane++)
        gather_particle(is_quadratic ? 3 : 4, moment, gradient, with_old, &wt, lane, patch,
                        old_patch, in);
    kept_sum_z(&in->v);
    for (int a = 0; a < 3; a++) {
        if (moment) kept_sum_z(&in->B[a]);
        if (gradient) kept_sum_z(&in->G[a]);
    }
    if (with_old) kept_sum_z(&in->old);
}

/* grad v of LANES particles, 1/s: from gradients or from affine moments. */
FIRN_INLINE void grad_v_of(int gradient, int is_linear, const incoming *in, const fr v[3], int l,
                           fr gradient_scale, fr affine_scale, fr L[9])
{
    for (int a = 0; a < 3; a++) {
        fr c[3], mass;
        groups_load(gradient ? in->G[a].of : in->B[a].of, l, &c[0], &c[1], &c[2], &mass);
        for (int i = 0; is_linear && i < 3; i++)
            c[i] = fr_fma(fr_load(in->d[a] + l) + 1, v[i], c[i]);
        for (int i = 0; i < 3; i++)
            L[3 * i + a] = c[i] * (gradient ? gradient_scale : affine_scale);
    }
}

FIRN_INLINE void g2p_case(int is_quadratic, int moment, int gradient, int with_old,
                          const firn_transfer *transfer, const firn_block_particles *p,
                          const real *patch, const real *old_patch, real *grad_v)
{
    const fr affine_scale = fr_set1((real)((is_quadratic ? 4.0 : 3.0) / transfer->h));
    const fr gradient_scale = fr_set1((real)(1 / transfer->h)),
             move = fr_set1((real)(transfer->keeps_places ? 0 : transfer->dt / transfer->h));
    const fr a = fr_set1((real)transfer->flip);
    incoming in;
    for (int b = 0; b * 16 < p->n; b++) {
        real *x = (real *)p->x + b * 48, *v = (real *)p->payload.value + b * 48,
             *L = grad_v + b * 144;
        real *C = transfer->is_affine ? (real *)p->payload.affine + b * 144 : NULL;
        int count = p->n - b * 16 < 16 ? p->n - b * 16 : 16;
        lanes_ask(p->x, b, 3);
        lanes_ask(p->payload.value, b, 3);
        if (transfer->is_affine) lanes_ask(p->payload.affine, b, 9);
        gather_bundle(is_quadratic, moment, gradient, with_old, x, count, patch, old_patch, &in);
        UNROLL for (int l = 0; l < 16; l += LANES)
        {
            fr u[3], old[3] = {fr_zero(), fr_zero(), fr_zero()}, rest[2], g[9];
            groups_load(in.v.of, l, &u[0], &u[1], &u[2], &old[0]);
            if (with_old) {
                groups_load(in.old.of, l, &old[1], &old[2], &rest[0], &rest[1]);
                old[1] = old[1] + rest[0];
                old[2] = old[2] + rest[1];
            }
            for (int i = 0; i < 3; i++) {
                fr_store(x + i * 16 + l, fr_load(x + i * 16 + l) + move * u[i]);
                fr_store(v + i * 16 + l,
                         with_old ? u[i] + a * (fr_load(v + i * 16 + l) - old[i]) : u[i]);
            }
            grad_v_of(gradient, moment && !gradient, &in, u, l, gradient_scale, affine_scale, g);
            for (int c = 0; c < 9; c++) fr_store(L + c * 16 + l, g[c]);
            if (!moment || !transfer->is_affine) continue;
            if (gradient) grad_v_of(0, 0, &in, u, l, gradient_scale, affine_scale, g);
            for (int c = 0; c < 9; c++) fr_store(C + c * 16 + l, g[c]);
        }
    }
}

#define G2P(moment, gradient, with_old)                                                            \
    (transfer->is_quadratic                                                                        \
         ? g2p_case(1, moment, gradient, with_old, transfer, p, patch, old_patch, grad_v)          \
         : g2p_case(0, moment, gradient, with_old, transfer, p, patch, old_patch, grad_v))

static void g2p(const firn_transfer *transfer, const firn_block_particles *p, const void *patch,
                const void *old_patch, void *grad_v)
{
    int with_old = transfer->flip > 0;
    if (transfer->is_mls) {
        if (with_old)
            G2P(1, 0, 1);
        else
            G2P(1, 0, 0);
    } else if (transfer->is_affine) {
        if (with_old)
            G2P(1, 1, 1);
        else
            G2P(1, 1, 0);
    } else {
        if (with_old)
            G2P(0, 1, 1);
        else
            G2P(0, 1, 0);
    }
}

FIRN_INLINE double sum_of_lanes(fr a)
{
    double sum = 0;
    real x[LANES];
    if (!fm_any(fm_not(fr_eq(a, fr_zero())))) return 0;
    fr_store(x, a);
    for (int l = 0; l < LANES; l++) sum += x[l];
    return sum;
}

/* ---------------------------------------------------------------- checking a step */

/* The smallest det(I + dt grad v), the largest path in cells (by component) and the particle with
 * either; a particle that is not finite takes precedence. grad v is kept for the trial evaluation
 * of the law. */
static void check_step(const firn_transfer *transfer, const firn_block_particles *p,
                       const void *patch, void *grad_v, firn_block_check *check)
{
    const int gradient = !transfer->is_mls;
    const fr affine_scale = fr_set1((real)((transfer->is_quadratic ? 4.0 : 3.0) / transfer->h));
    const fr gradient_scale = fr_set1((real)(1 / transfer->h)), dt = fr_set1((real)transfer->dt);
    const fr move = fr_set1((real)(transfer->dt / transfer->h));
    *check = (firn_block_check){.min_det = 1, .is_finite = 1};
    for (int b = 0; b * 16 < p->n; b++) {
        incoming in;
        real det_of[32] __attribute__((aligned(64))),
            *L = (real *)grad_v + b * 144; /* determinants, then moves */
        const real *x = (const real *)p->x + b * 48;
        int count = p->n - b * 16 < 16 ? p->n - b * 16 : 16;
        if (transfer->is_quadratic)
            gather_bundle(1, 1, 1, 0, x, count, patch, NULL, &in);
        else
            gather_bundle(0, 1, 1, 0, x, count, patch, NULL, &in);
        UNROLL for (int l = 0; l < 16; l += LANES)
        {
            fr u[3], mass, A[9];
            groups_load(in.v.of, l, &u[0], &u[1], &u[2], &mass);
            grad_v_of(gradient, 0, &in, u, l, gradient_scale, affine_scale, A);
            for (int c = 0; c < 9; c++) {
                fr_store(L + c * 16 + l, A[c]);
                A[c] = A[c] * dt + (real)(c % 4 == 0);
            }
            fr_store(det_of + l, A[0] * (A[4] * A[8] - A[5] * A[7]) -
                                     A[1] * (A[3] * A[8] - A[5] * A[6]) +
                                     A[2] * (A[3] * A[7] - A[4] * A[6]));
            fr_store(det_of + 16 + l,
                     fr_max(fr_max(fr_abs(u[0]), fr_abs(u[1])), fr_abs(u[2])) * move);
        }
        for (int lane = 0; lane < count; lane++) {
            double det = det_of[lane], moved = det_of[16 + lane];
            int is_finite = isfinite(det) && isfinite(moved);
            if (is_finite && det >= check->min_det && moved <= check->max_move) continue;
            if (!is_finite && !check->is_finite) continue;
            if (!is_finite || det < check->min_det || check->min_det > 0.5) {
                check->bundle = b;
                check->lane = lane;
            }
            if (!is_finite) check->is_finite = 0;
            if (det < check->min_det) check->min_det = det;
            if (moved > check->max_move) check->max_move = moved;
        }
    }
}

/* Adds sum V0 (tau_new - tau) : grad v dt / 2 over the particles, J, with tau symmetric in the
 * order xx yy zz xy xz yz. Lanes are summed in double, in a fixed order. Padding lanes have V0 = 0
 * and are excluded, as 0 times a value that is not finite would be NaN. */
static void store(const firn_transfer *transfer, const firn_block_particles *p, const void *tau_new,
                  const void *grad_v, firn_block_store *store)
{
    static const int sym[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const real *mass = p->payload.weight, *volume = p->payload.volume;
    const fr half_dt = fr_set1((real)(0.5 * transfer->dt)), largest = fr_set1(REAL_MAX);
    for (int b = 0; b * 16 < p->n; b++)
        for (int l = 0; l < 16; l += LANES) {
            const real *before = (const real *)p->payload.flux + b * 96 + l,
                       *after = (const real *)tau_new + b * 96 + l,
                       *L = (const real *)grad_v + b * 144 + l;
            fr own = fr_zero();
            for (int c = 0; c < 9; c++) {
                int of = sym[c / 3][c % 3] * 16;
                own = fr_fma(fr_load(after + of) - fr_load(before + of), fr_load(L + c * 16), own);
            }
            fr V = fr_load(volume + b * 16 + l);
            own = fr_select(fr_gt(V, fr_zero()), own * half_dt * V, fr_zero());
            unsigned unknown = fm_bits(fm_not(fr_le(fr_abs(own), largest)));
            double most = unknown ? 0 : (double)fr_most(own);
            if (unknown || most > store->largest) {
                unsigned worst = unknown ? unknown : fm_bits(fr_eq(own, fr_set1((real)most)));
                store->bundle = b;
                store->lane = l + __builtin_ctz(worst);
                store->largest = most;
            }
            if (unknown) {
                store->is_finite = 0;
                return;
            }
            store->energy += sum_of_lanes(own);
            store->mass += sum_of_lanes(fr_load(mass + b * 16 + l));
        }
}

/* sum_p m_p sum_i w_ip (u_i, |u_i|^2): momentum and twice the kinetic energy of the nodes' motion
 * as weighted by particles. */
static void collect(const firn_transfer *transfer, const firn_block_particles *p, const void *patch,
                    double sum[4])
{
    for (int b = 0; b * 16 < p->n; b++) {
        incoming in;
        const real *x = (const real *)p->x + b * 48,
                   *mass = (const real *)p->payload.weight + b * 16;
        int count = p->n - b * 16 < 16 ? p->n - b * 16 : 16;
        if (transfer->is_quadratic)
            gather_bundle(1, 0, 0, 0, x, count, patch, NULL, &in);
        else
            gather_bundle(0, 0, 0, 0, x, count, patch, NULL, &in);
        for (int lane = 0; lane < count; lane++)
            for (int c = 0; c < 4; c++)
                sum[c] += (double)mass[lane] * (double)in.v.of[slot(lane) + c];
    }
}

/* rho = sum_i w_i m_i / h^3 at each particle, kg/m^3. */
static void density(const firn_transfer *transfer, const firn_block_particles *p, const void *patch,
                    void *rho)
{
    const double per_cell = 1 / (transfer->h * transfer->h * transfer->h);
    for (int b = 0; b * 16 < p->n; b++) {
        incoming in;
        const real *x = (const real *)p->x + b * 48;
        int count = p->n - b * 16 < 16 ? p->n - b * 16 : 16;
        if (transfer->is_quadratic)
            gather_bundle(1, 0, 0, 0, x, count, patch, NULL, &in);
        else
            gather_bundle(0, 0, 0, 0, x, count, patch, NULL, &in);
        for (int lane = 0; lane < 16; lane++)
            ((real *)rho)[b * 16 + lane] = (real)(in.v.of[slot(lane) + 3] * per_cell);
    }
}

/* ---------------------------------------------------------------- after the law */

/* What the largest rate of a block is of: v points at the particle's velocity, `fastest` is the
 * block's largest speed. */
static firn_rate_kind rate_kind(const firn_transfer *transfer, const real *v, double wave,
                                double viscosity, double fastest)
{
    double v2 = 0;
    for (int a = 0; a < 3; a++) v2 += (double)v[16 * a] * (double)v[16 * a];
    const double breathing = transfer->bound_wave * wave,
                 diffusive = viscosity * transfer->bound_viscosity / transfer->h;
    if (diffusive > wave + fastest && diffusive > breathing) return FIRN_RATE_VISCOSITY;
    return breathing > wave + sqrt(v2) ? FIRN_RATE_STABILITY : FIRN_RATE_WAVE;
}

/* Rate of a particle, 1/s: max((|v| + c) / h, 6 nu / h^2, stability.c), whose inverse is the stable dt at cfl 1
 * (time_step.c). The maximum over lanes is exact, so the particle that limits dt is the same in
 * every variant up to round-off of c. */
static void diagnose(const firn_transfer *transfer, const firn_block_particles *p,
                     const void *wave_, const void *viscosity_, const void *plastic_,
                     const void *viscous_, const void *flags_, firn_block_report *report)
{
    const real *wave = wave_, *viscosity = viscosity_, *plastic = plastic_, *viscous = viscous_,
               *flags = flags_;
    const fr h_inverse = fr_set1((real)(1 / transfer->h)),
             diffusive = fr_set1((real)(transfer->bound_viscosity / (transfer->h * transfer->h))),
             breathing = fr_set1((real)transfer->bound_wave);
    fr best = fr_zero(), best_bundle = fr_zero(), speed2 = fr_zero(), flagged = fr_zero();
    fr low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = fr_set1((real)p->most[i]);
        high[i] = fr_set1((real)p->lowest[i]);
    }
    fr plastic_sum = fr_zero(), viscous_sum = fr_zero();
    for (int b = 0; b * 16 < p->n; b++) {
        const real *x = (const real *)p->x + b * 48, *v = (const real *)p->payload.value + b * 48;
        const real *volume = (const real *)p->payload.volume + b * 16;
        UNROLL for (int l = 0; l < 16; l += LANES)
        {
            int o = b * 16 + l;
            fr vx = fr_load(v + l), vy = fr_load(v + 16 + l), vz = fr_load(v + 32 + l),
               V = fr_load(volume + l);
            fr v2 = vx * vx + vy * vy + vz * vz;
            const fr c = fr_load(wave + o), fastest = fr_max(breathing * c, fr_sqrt(v2) + c);
            fr rate = fr_max(fastest * h_inverse, fr_load(viscosity + o) * diffusive);
            rate = fr_select(fr_gt(V, fr_zero()), rate, fr_zero());
            fm is_new = fm_not(fr_le(rate, best)); /* NaN counts as the largest */
            best = fr_select(is_new, rate, best);
            best_bundle = fr_select(is_new, fr_set1((real)(b * 16 + l)), best_bundle);
            speed2 = fr_max(v2, speed2);
            for (int i = 0; i < 3; i++) {
                fr at = fr_load(x + i * 16 + l);
                low[i] = fr_min(at, low[i]);
                high[i] = fr_max(at, high[i]);
            }
            plastic_sum = fr_fma(V, fr_load(plastic + o), plastic_sum);
            viscous_sum = fr_fma(V, fr_load(viscous + o), viscous_sum);
            flagged = fr_max(flagged, fr_load(flags + o));
        }
    }
    real rate[LANES], at[LANES];
    fr_store(rate, best);
    fr_store(at, best_bundle);
    unsigned unknown = fm_bits(fm_not(fr_eq(best, best))); /* NaN */
    unsigned worst = unknown ? unknown : fm_bits(fr_eq(best, fr_set1(fr_most(best))));
    int l = __builtin_ctz(worst), o = (int32_t)at[l] + l;
    double max_s2 = (double)fr_most(speed2), any = (double)fr_most(flagged);
    *report = (firn_block_report){.max_rate = rate[l], .rate_bundle = o / 16, .rate_lane = o % 16};
    report->plastic = sum_of_lanes(plastic_sum);
    report->viscous = sum_of_lanes(viscous_sum);
    report->rate_kind = rate_kind(transfer, (const real *)p->payload.value + o / 16 * 48 + o % 16,
                                  (double)wave[o], (double)viscosity[o], sqrt(max_s2));
    report->max_speed = sqrt(max_s2);
    for (int i = 0; i < 3; i++) {
        report->low[i] = (double)fr_least(low[i]);
        report->high[i] = (double)fr_most(high[i]);
    }
    for (int i = 0; i < 3; i++)
        report->is_out_of_reach |= report->low[i] < p->lowest[i] || report->high[i] >= p->most[i];
    if (any <= 0) return;
    for (int q = 0; q < p->n; q++) {
        const unsigned worst_flags = FIRN_FLAG_INVERTED | FIRN_FLAGS_TROUBLE;
        unsigned bits = (unsigned)flags[q], trouble = bits & worst_flags;
        if (trouble > (report->flags & worst_flags)) {
            report->flag_bundle = q / 16;
            report->flag_lane = q % 16;
        }
        report->flags |= bits;
        for (unsigned met = firn_flags_bounds(bits); met; met &= met - 1)
            report->n_bounded[__builtin_ctz(met)]++;
    }
}

static void combine(void *x, double a, const void *y, double b, int64_t n)
{
    const fr of_x = fr_set1((real)a), of_y = fr_set1((real)b);
    for (int64_t i = 0; i < n; i += LANES) {
        real *to = (real *)x + i;
        fr_store(to, of_x * fr_load(to) + of_y * fr_load((const real *)y + i));
    }
}

extern const firn_kernels FIRN_VARIANT_NAME(firn_kernels);
#define FIRN_STRING_(a) #a
#define FIRN_STRING(a) FIRN_STRING_(a)
const firn_kernels FIRN_VARIANT_NAME(firn_kernels) = {
    FIRN_STRING(FIRN_VARIANT),
    FIRN_DOUBLE,
    sizeof(real),
    touched,
    FIRN_NODES(clear),
    FIRN_NODES(ask),
    p2g,
    scatter,
    FIRN_NODES(add),
    FIRN_NODES(weigh),
    FIRN_NODES(load),
    FIRN_NODES(load_both),
    g2p,
    check_step,
    FIRN_NODES(steepest),
    FIRN_NODES(deviate),
    store,
    density,
    collect,
    diagnose,
    FIRN_NODES(velocity),
    FIRN_NODES(range),
    FIRN_VARIANT_NAME(firn_clearance),
    FIRN_VARIANT_NAME(firn_sort_targets),
    FIRN_VARIANT_NAME(firn_gather),
    FIRN_VARIANT_NAME(firn_rebase),
    combine,
};
