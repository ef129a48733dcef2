/* SPDX-License-Identifier: MIT */
/* transfer_damping.c: what a round trip P2G, G2P takes from velocities.
 *
 * Factor of a wave. Without forces, v = V exp(ikx) and C = c exp(ikx) of a dense regular body leave
 * g exp(ikx) on the nodes, g = V W + i c W', with W the Fourier transform of the spline of degree p
 * and the second moment D = h^2/3 (cubic, p = 3), h^2/4 (quadratic, p = 2):
 *
 *     W = (sin s / s)^(p + 1)     s = k h / 2     W' = dW/dk
 *
 * G2P reads u = g W and c <- -i g W' / D. With a, the share that is kept of what the grid does not
 * see, a step multiplies a wave by
 *
 *     PIC     W^2                        APIC     A = W^2 + W'^2 / D
 *     FLIP    a + (1 - a) W^2            APIC with damping per time     a + (1 - a) A
 *     AFLIP   the larger eigenvalue of   a + (1 - a) W^2    (1 - a) W W'
 *                                        W W' / D           W'^2 / D          (of V and i c)
 *
 * 1 - A = (17/360) (kh)^4 (cubic), (1/40) (kh)^4 (quadratic) to leading order, 1 - W^2 = D k^2. All
 * of this is per step. As a viscosity it is - ln(factor) / (k^2 dt), which grows without bound as dt
 * falls.
 *
 * Damping per time. The filter of APIC, (v, C) -> T(v, C), interpolates from the grid what the grid
 * has of v and C. Instead of once a step it acts at a rate r: with v' the nodes after forces, v0
 * those before,
 *
 *     (v, C) <- T v' + a ((v, C) - T v0)          a = max(0, 1 - r dt)
 *
 * so that increments of all steps are added, and a resolved wave loses (1 - a)(1 - A) = r dt (1 - A)
 * in a step, the same in a given time whatever dt and however often a caller cuts a step. Steps of
 * 1 / r and longer are those of APIC. T conserves momentum and angular momentum (x x m v + m D
 * eps:C), and so does this but for x, which moves with u = S v', S the interpolation of v alone,
 * while v differs from u by what is kept: L changes by a dt sum m u x (v - S v0), the less the
 * larger r. For PIC, FLIP and AFLIP the blend of v alone is made from dt in the same way.
 *
 *     r = damping |v|max / h + damping_rate
 *
 * A wave that moves with the grid fills nothing into the null space, as increments are splines; it
 * is filled while particles pass cells. So the rate that is needed is that of cells passed. The
 * viscosity that is left, damping |v|max h^3 k^2 17/360, tends to 0 with h^3 for every dt, and
 * never exceeds that of APIC, as |v|max dt < h. */
#include "mpm/transfer_damping.h"

#include <math.h>

int firn_transfer_damping_is_per_time(const firn_transfer_def *def)
{
    return def->damping > 0 || def->damping_rate > 0;
}

void firn_transfer_damping_set(firn_sim *sim)
{
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_transfer_def *def = &sim->materials[m].transfer;
        firn_transfer *transfer = &sim->mpm->particles[m].transfer;
        if (!firn_transfer_damping_is_per_time(def)) continue;
        const double rate = def->damping * sim->rates.max_speed / sim->h + def->damping_rate,
                     kept = fmax(0, 1 - rate * sim->dt);
        *(def->scheme == FIRN_APIC ? &transfer->keep : &transfer->flip) = kept;
    }
}

/* ---------------------------------------------------------------- around G2P */

/* Bytes of v in the workspace, which C follows. */
static size_t bytes_of_v(const firn_sim *sim, const firn_block_material *r)
{
    return (size_t)firn_bundles_of(r->block->n) * 48 * sim->mpm->kernels->real_size;
}

void firn_transfer_damping_take(const firn_sim *sim, const firn_block_material *r,
                                const firn_workspace *w)
{
    const firn_kernels *k = sim->mpm->kernels;
    const int64_t n = firn_bundles_of(r->block->n);
    const firn_payload *own = &r->block_particles.payload;
    firn_transfer transfer = r->transfer;
    firn_block_particles seen = r->block_particles;
    transfer.flip = 0;
    transfer.keeps_places = 1;
    seen.payload.value = w->kept;
    seen.payload.affine = (char *)w->kept + bytes_of_v(sim, r);
    k->g2p(&transfer, &seen, w->unseen, NULL, w->grad_v);
    k->combine(seen.payload.value, -transfer.keep, own->value, transfer.keep, 48 * n);
    k->combine(seen.payload.affine, -transfer.keep, own->affine, transfer.keep, 144 * n);
}

void firn_transfer_damping_give(const firn_sim *sim, const firn_block_material *r,
                                const firn_workspace *w)
{
    const firn_kernels *k = sim->mpm->kernels;
    const int64_t n = firn_bundles_of(r->block->n);
    const firn_payload *own = &r->block_particles.payload;
    k->combine(own->value, 1, w->kept, 1, 48 * n);
    k->combine(own->affine, 1, (char *)w->kept + bytes_of_v(sim, r), 1, 144 * n);
}

/* ---------------------------------------------------------------- the factor of a wave */

double firn_transfer_damping_factor(const firn_transfer *transfer, double kh)
{
    const int power = transfer->is_quadratic ? 3 : 4;
    const double s = kh / 2, sinc = sin(s) / s, slope = (s * cos(s) - sin(s)) / (s * s) / 2,
                 W = pow(sinc, power), dW = power * pow(sinc, power - 1) * slope,
                 affine = dW * dW * (transfer->is_quadratic ? 4 : 3), a = transfer->flip;
    if (!transfer->is_affine) return a + (1 - a) * W * W;
    if (a <= 0) return transfer->keep + (1 - transfer->keep) * (W * W + affine);
    const double trace = a + (1 - a) * W * W + affine, det = a * affine;
    return 0.5 * (trace + sqrt(trace * trace - 4 * det));
}

double firn_transfer_damping_viscosity(const firn_transfer *transfer, double kh, double dt)
{
    const double k = kh / transfer->h;
    return -log(firn_transfer_damping_factor(transfer, kh)) / (k * k * dt);
}

/* ---------------------------------------------------------------- of a simulation */

firn_transfer_damping_found firn_transfer_damping_find(const firn_sim *sim, double cells)
{
    const double kh = M_PI / (2 * cells);
    firn_transfer_damping_found most = {0};
    if (!sim->mpm) return most; /* a method without transfers */
    for (int m = 0; m < sim->n_materials && sim->dt > 0; m++) {
        const firn_particles *p = &sim->mpm->particles[m];
        if (p->n_particles == 0) continue;
        const double numerical = firn_transfer_damping_viscosity(&p->transfer, kh, sim->dt),
                     own = p->at_rest.viscosity;
        const int is_more = own > 0 ? most.own == 0 || numerical / own > most.numerical / most.own
                                    : most.own == 0 && numerical > most.numerical;
        if (is_more) most = (firn_transfer_damping_found){numerical, own, m};
    }
    return most;
}

int firn_transfer_damping_warn(const firn_sim *sim, double cells, firn_messages *messages)
{
    const firn_transfer_damping_found found = firn_transfer_damping_find(sim, cells);
    if (!(found.own > 0) || found.numerical <= 0.1 * found.own) return 0;
    firn_messages_warn(messages,
                       "transfer: numerical viscosity in a layer of %.3g cells is %.2g times that "
                       "of material '%s' (%.3g m^2/s), and depends on dt (%.3g s); try: "
                       "transfer.damping: 5",
                       cells, found.numerical / found.own,
                       sim->materials[found.material].resolved.name, found.own, sim->dt);
    return 1;
}
