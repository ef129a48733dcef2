/* SPDX-License-Identifier: MIT */
/* separation.c: numerical fracture: material that was stretched until its particles no longer hold
 * each other.
 *
 * Each node has a velocity, but particles feel its gradient only where they are. Where particles
 * are more than about a cell apart along some direction, the nodes between them can move apart
 * unnoticed: the grid separates the body at no stress, whatever its law. Layers of a pulled bar
 * separate .89 to 1.04 cells apart (tests/verify/README.md), so LIMIT is the lower end of that
 * range.
 *
 * The measure, taken with every ledger, is the distance of neighbours in cells,
 *
 *     gap = s d / h,    s = largest singular value of F,    d^3 = min(V0, m / rho0),
 *
 * d the edge of a particle before deformation (V0 alone would not do: measured on the grid it is
 * too large at a surface). F is the whole deformation for elastic laws. Laws that flow keep its
 * elastic part, so for them gap is a lower bound, and no false alarm is possible; liquids keep the
 * volume ratio alone, and are not warned of, as drops are no fractured body. The density on the
 * grid is no measure: B-splines sum to one, so layers a h apart show their mean density to 0.3 per
 * cent up to a = 1.2 and to 11 per cent at a = 2 (cubic). */
#include "mpm/separation.h"
#include "laws/law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LIMIT = 0.9,
                    ENOUGH = 1 / 0.9; /* cells; cell size in spacings per unit of stretch */

/* F^T F by its mean m, the size p of its deviator and the cosine r of three times the angle of its
 * largest eigenvalue m + 2 p cos(acos(r) / 3) <= m + 2 p (O. K. Smith, Comm. ACM 4, 1961). */
static void right_cauchy_green(const double F[9], double *m, double *p, double *r)
{
    double C[3][3], p2 = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[i][j] = F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j];
    *m = (C[0][0] + C[1][1] + C[2][2]) / 3;
    for (int i = 0; i < 3; i++) C[i][i] -= *m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) p2 += C[i][j] * C[i][j] / 6;
    double det = C[0][0] * (C[1][1] * C[2][2] - C[1][2] * C[1][2]) -
                 C[0][1] * (C[0][1] * C[2][2] - C[1][2] * C[0][2]) +
                 C[0][2] * (C[0][1] * C[1][2] - C[1][1] * C[0][2]);
    *p = sqrt(p2);
    *r = p2 > 0 ? fmax(-1, fmin(1, det / (2 * p2 * *p))) : 1;
}

double firn_separation_stretch(const double F[9])
{
    double m, p, r;
    right_cauchy_green(F, &m, &p, &r);
    return sqrt(m + 2 * p * cos(acos(r) / 3));
}

/* The test m + 2 p >= largest eigenvalue avoids acos, cos and cbrt for all but a few particles:
 * bound^3 size^2 > (max_gap h)^6 is gap > max_gap with s^2 <= bound. */
void firn_separation_add(firn_ledger *ledger, const double F[9], double size, double h, int64_t id,
                         const double x[3])
{
    double m, p, r, most = ledger->max_gap * h;
    right_cauchy_green(F, &m, &p, &r);
    double bound = m + 2 * p;
    if (!(bound * bound * bound * size * size > most * most * most * most * most * most))
        return; /* the bound decides without a cubic root */
    double stretch = sqrt(m + 2 * p * cos(acos(r) / 3)), gap = stretch * cbrt(size) / h;
    if (!(gap > ledger->max_gap)) return;
    ledger->max_gap = gap;
    ledger->gap_stretch = stretch;
    ledger->gap_particle = id;
    memcpy(ledger->gap_place, x, sizeof ledger->gap_place);
}

/* ---------------------------------------------------------------- as a scene defines it */

double firn_separation_of_body(const firn_scene_def *scene, const firn_body_def *body)
{
    if (*body->points) return 0;
    double gap =
        body->spacing > 0 ? body->spacing / scene->grid.dx : 1 / cbrt(body->particles_per_cell);
    if (body->particles_at_surface > 0) gap = fmax(gap, 1 / cbrt(body->particles_at_surface));
    return body->deform_positions ? gap * firn_separation_stretch(body->F) : gap;
}

double firn_separation_of_emitter(const firn_emitter_def *emitter)
{
    return 1 / cbrt(emitter->particles_per_cell);
}

int firn_separation_is_wide(double gap, double dx, char *sentence, size_t n_bytes)
{
    if (gap <= LIMIT) return 0;
    snprintf(sentence, n_bytes,
             "puts its particles %.3g cells apart (%.2g per cell), beyond %g cells they "
             "separate whatever the law (numerical fracture); try: spacing up to %.3g m (8 "
             "particles_per_cell is usual; material to be stretched s times needs (%.3g "
             "s)^3), or grid.dx of %.3g m or more",
             gap, 1 / (gap * gap * gap), LIMIT, LIMIT * dx, ENOUGH, ENOUGH * gap * dx);
    return 1;
}

/* ---------------------------------------------------------------- while it runs */

static void begin_of(const firn_scene_def *scene, const char *material, double gap,
                     unsigned char *warned)
{
    for (int m = 0; m < scene->n_materials; m++)
        if (strcmp(scene->materials[m].name, material) == 0) warned[m] |= gap > LIMIT;
}

void firn_separation_begin(const firn_scene_def *scene, unsigned char *warned)
{
    for (int m = 0; m < scene->n_materials; m++) {
        const firn_law_info *law = firn_material_def_law(&scene->materials[m]);
        warned[m] = law && law->is_fluid;
    }
    for (int i = 0; i < scene->n_bodies; i++)
        begin_of(scene, scene->bodies[i].material,
                 firn_separation_of_body(scene, &scene->bodies[i]), warned);
    for (int i = 0; i < scene->n_emitters; i++)
        begin_of(scene, scene->emitters[i].material,
                 firn_separation_of_emitter(&scene->emitters[i]), warned);
}

void firn_separation_warn(const firn_scene_def *scene, int material, const firn_ledger *ledger,
                          double time, unsigned char *warned, firn_messages *messages)
{
    if (warned[material] || !(ledger->max_gap > LIMIT)) return;
    warned[material] = 1;
    const double *x = ledger->gap_place, s = ledger->gap_stretch, dx = scene->grid.dx,
                 need = ENOUGH * s;
    firn_messages_warn(
        messages,
        "material '%s': particle %lld at %.4g %.4g %.4g m is stretched to %.3g times "
        "its length, its neighbours are %.3g cells away (t = %.6g s); beyond %g cells "
        "particles separate whatever the law (numerical fracture); try: for material "
        "stretched s times (%.3g s)^3 particles_per_cell, here %.3g, or a grid.dx of "
        "%.3g s spacings, here %.3g m",
        ledger->material, (long long)ledger->gap_particle, x[0], x[1], x[2], s, ledger->max_gap,
        time, LIMIT, ENOUGH, need * need * need, ENOUGH, need * ledger->max_gap * dx / s);
}

firn_status firn_separation_measure(const firn_scene_def *scene, firn_sim *sim,
                                    unsigned char *warned, firn_messages *messages)
{
    for (int m = 0; m < scene->n_materials; m++) {
        firn_ledger ledger;
        firn_status status = firn_sim_ledger(sim, m, &ledger, messages);
        if (status != FIRN_OK) return status;
        firn_separation_warn(scene, m, &ledger, firn_sim_time(sim), warned, messages);
    }
    return FIRN_OK;
}
