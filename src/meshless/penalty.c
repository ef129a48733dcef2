/* SPDX-License-Identifier: MIT */
/* penalty.c: contact of particles that are not bonded, of two bodies or of one that folds.
 *
 * Two particles stand for cubes of edge d_i and d_j. Closer than d = (d_i + d_j)/2 they push each
 * other apart along the line between them,
 *
 *     f = k (d - r) - 2 z sqrt(k m) u,    f >= 0,    k = contact M d,   m = m_i m_j/(m_i + m_j)
 *
 * M the mean modulus of both laws, u the speed of separation, z the damping: a layer of particles is
 * as stiff as the material. The force is central and the same for both to the last bit. Pairs of
 * one place have no direction and no force.
 *
 * Bound of dt: a graph Laplacian, touched = 2 sum k / m_i; the damping adds (2 z)^2 of it. */
#include "meshless/meshless.h"

static double push_of(const firn_sim *sim, int32_t i, int32_t j, double stiffness, double f[3],
                      double *k)
{
    const struct firn_meshless *s = sim->meshless;
    const double reach = 0.5 * (s->spacing[i] + s->spacing[j]);
    double x[3], r2 = 0, u = 0;
    for (int a = 0; a < 3; a++) {
        x[a] = s->x[3 * j + a] - s->x[3 * i + a];
        r2 += x[a] * x[a];
    }
    if (!(r2 < reach * reach) || !(r2 > 0)) return 0;
    const double r = sqrt(r2), reduced = s->mass[i] * s->mass[j] / (s->mass[i] + s->mass[j]);
    for (int a = 0; a < 3; a++) u += (s->v[3 * j + a] - s->v[3 * i + a]) * x[a] / r;
    *k = stiffness * reach;
    const double push =
        *k * (reach - r) - 2 * sim->scene.meshless.contact_damping * sqrt(*k * reduced) * u;
    if (!(push > 0)) return 1;
    for (int a = 0; a < 3; a++) f[a] -= push * x[a] / r;
    return 1;
}

/* Bonded pairs are held by the method. Rows of both lists are ordered, so one walk finds them. */
static void touch_particle(firn_sim *sim, int32_t i)
{
    struct firn_meshless *s = sim->meshless;
    const double contact = sim->scene.meshless.contact, z = sim->scene.meshless.contact_damping;
    const int m = firn_meshless_material(sim, i);
    double f[3] = {0, 0, 0}, stiff = 0;
    int64_t bond = s->bonds.first ? s->bonds.first[i] : 0;
    const int64_t end = s->bonds.first ? s->bonds.first[i + 1] : 0;
    for (int64_t b = s->near.first[i]; b < s->near.first[i + 1]; b++) {
        const int32_t j = s->near.other[b];
        while (bond < end && s->bonds.other[bond] < j) bond++;
        if (bond < end && s->bonds.other[bond] == j) continue;
        const int other = firn_meshless_material(sim, j);
        double k = 0;
        if (push_of(sim, i, j, 0.5 * contact * (s->modulus[m] + s->modulus[other]), f, &k) > 0)
            stiff += k;
    }
    for (int a = 0; a < 3; a++) s->force[3 * i + a] += f[a];
    s->touched[i] = 2 * stiff / s->mass[i] * (1 + 2 * z) * (1 + 2 * z);
}

firn_status firn_meshless_touch(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    for (int32_t i = 0; i < s->n; i++) s->touched[i] = 0;
    if (!(sim->scene.meshless.contact > 0) || !s->hooks->has_reference) return FIRN_OK;
    const firn_status status = firn_meshless_find_near(sim, 1, messages);
    if (status != FIRN_OK) return status;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) touch_particle(sim, i);
    return FIRN_OK;
}
