/* SPDX-License-Identifier: MIT */
/* efg.c: element-free Galerkin by nodal integration: F from moving least squares of degree one with
 * the poly6 kernel, forces as the derivatives of the energy V psi(F) (gradient.c).
 *
 * Green strain and Hooke's stiffness are the law st_venant_kirchhoff; the volume conserving force is
 * its k_v; flow of an additive plastic strain with yield, creep and limit is the law mueller_flow;
 * large plastic flow sets the reference state anew (meshless.reset).
 *
 * As printed (as_printed: true) forces carry the factor 2 of f = 2 V J sigma d next to the 1/2 of
 * Green's strain: twice Young's modulus. (Without the 1/2, equation 3.34, it is four times; the text
 * has both.) */
#include "meshless/gradient.h"

static const firn_meshless_hooks hooks = {
    .has_reference = 1,
    .kernel = "poly6",
    .support = 2.2,
    .refer = firn_gradient_refer_by_kernel,
    .forces = firn_gradient_forces_printed,
    .printed_factor = 2,
    .strain = firn_gradient_strain,
};

static firn_status create(firn_sim *sim, const firn_run_options *options, firn_messages *messages)
{
    return firn_meshless_create(sim, &hooks, options, messages);
}

const firn_method firn_method_efg = FIRN_MESHLESS_METHOD(
    create, .name = "efg", .title = "element-free Galerkin, nodal integration",
    .citation = "M. Mueller et al., Point based animation of elastic, plastic and melting objects, "
                "SCA 2004; T. Belytschko, Y. Y. Lu, L. Gu, Element-free Galerkin methods, Int. J. "
                "Numer. Methods Engrg. 37 (1994)",
    .validity = "solids of any law that keep their neighbours; large flow with meshless.reset; "
                "bodies touch by penalty; always in double");
