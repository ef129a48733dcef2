/* SPDX-License-Identifier: MIT */
/* sph_elastic.c: elastic smoothed particles: the best-fitting F of a particle and its neighbours
 * weighted by the cosine kernel, forces as the derivatives of the stored energy, any law
 * (gradient.c has the formulas).
 *
 * As printed (as_printed: true) in the thesis of verification 000: the volume of an energy is not
 * m/rho but L^3/2 of a cube of eight nodes, so forces are four times too large (printed_factor). */
#include "meshless/gradient.h"

static const firn_meshless_hooks hooks = {
    .has_reference = 1,
    .kernel = "cosine",
    .support = 2.2,
    .refer = firn_gradient_refer_by_kernel,
    .forces = firn_gradient_forces_printed,
    .printed_factor = 4,
    .strain = firn_gradient_strain,
};

static firn_status create(firn_sim *sim, const firn_run_options *options, firn_messages *messages)
{
    return firn_meshless_create(sim, &hooks, options, messages);
}

const firn_method firn_method_sph_elastic = FIRN_MESHLESS_METHOD(
    create, .name = "sph_elastic", .title = "elastic smoothed particles, best-fitting F",
    .citation =
        "M. Mueller et al., Point based animation of elastic, plastic and melting objects, "
        "SCA 2004; D. Gerszewski, H. Bhattacharya, A. W. Bargteil, A point-based method for "
        "animating elastoplastic solids, SCA 2009",
    .validity = "solids of any law that keep their neighbours; bodies touch by penalty; always in "
                "double");
