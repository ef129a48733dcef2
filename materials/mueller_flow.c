/* SPDX-License-Identifier: MIT */
/* A flow from computer graphics, kept for comparison: yield, creep and limit of an additive plastic
 * strain.
 *
 *   E   = (F^T F - I)/2   Green's strain of the whole deformation (in print the half is missing)
 *   E_p                   plastic strain (history, six components);   E_e = E - E_p
 *
 *   tau = F (lambda tr(E_e) I + 2 mu E_e) F^T
 *   |E_e| > yield_strain:  E_p grows by the share 1 - exp(-creep dt) of E_e
 *   |E_p| > max_strain:    E_p is scaled back to that length
 *
 * F stays the whole deformation, so that det F is the whole volume ratio. E_p is a tensor that can
 * return to zero: there is no accumulated plastic strain. J times the acoustic tensor is
 *
 *   (n.tau n) I + (lambda + mu) bn bn + mu (n.b n) b   <=   tau_max + (lambda + 2 mu) b_max^2.
 *
 * Limits. creep = 0: st_venant_kirchhoff, with its weakness in compression. */
#include "laws/law_common.h"

enum { YIELD_STRAIN = LAW_OWN_PARAMETERS, CREEP, MAX_STRAIN };

static const firn_bound_info bounds[] = {
    {FIRN_BOUND_FLOW,
     "the plastic strain is scaled back to max_strain; the energy that this gives is in no column"},
};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(1000),
    LAW_PARAMETER_E(1e5),
    LAW_PARAMETER_NU(0.3),
    {"yield_strain", "1", "length of the elastic strain beyond which plastic strain grows", 0.05, 0,
     10, 1},
    {"creep", "1/s", "rate at which elastic strain turns plastic above yield", 100, 0, 1e6},
    {"max_strain", "1", "largest length of the plastic strain", 0.3, 0, 10},
};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
    {"yield_strain", 0, 1, "it is drawn out by half before it yields: an elastic solid"},
    {"creep", 1e-9, 1e9, "it never flows: an elastic solid"},
    {"max_strain", 1e-9, 10, "it never flows: an elastic solid"},
};
static const firn_history_info history[] = {
    {"Ep_xx", "1", "plastic Green strain", 0}, {"Ep_yy", "1", "plastic Green strain", 0},
    {"Ep_zz", "1", "plastic Green strain", 0}, {"Ep_xy", "1", "plastic Green strain", 0},
    {"Ep_xz", "1", "plastic Green strain", 0}, {"Ep_yz", "1", "plastic Green strain", 0},
};

FIRN_INLINE void elastic_strain(const law_point *q, const fr *f, fr strain[6])
{
    fr transposed[9];
    for (int i = 0; i < 9; i++) transposed[i] = f[3 * (i % 3) + i / 3];
    mat3_left_cauchy_green(transposed, fr_set1(1), strain);
    for (int i = 0; i < 6; i++) strain[i] = (real)0.5 * strain[i] - q->h[i];
}

FIRN_INLINE fr energy(law_point *q, const fr *f)
{
    fr e[6];
    elastic_strain(q, f, e);
    fr trace = e[0] + e[1] + e[2];
    return (real)0.5 * q->d[LAW_LAMBDA] * trace * trace + q->d[LAW_MU] * mat3_contract(e, e);
}

FIRN_INLINE void stress(law_point *q, const fr *f, fr *tau)
{
    fr e[6];
    elastic_strain(q, f, e);
    fr spherical = q->d[LAW_LAMBDA] * (e[0] + e[1] + e[2]);
    for (int i = 0; i < 6; i++) e[i] = 2 * q->d[LAW_MU] * e[i] + (i < 3 ? spherical : fr_zero());
    mat3_congruence(f, e, tau);
}

FIRN_INLINE fr modulus(law_point *q, const fr *f, const fr *tau)
{
    fr b[6];
    mat3_left_cauchy_green(f, fr_set1(1), b);
    fr largest = 1 + mat3_largest_eigenvalue_bound(b);
    return fr_max(mat3_largest_eigenvalue_bound(tau), fr_zero()) +
           (q->d[LAW_LAMBDA] + 2 * q->d[LAW_MU]) * largest * largest;
}

FIRN_INLINE void return_map(law_point *q, fr *f)
{
    fr e[6];
    elastic_strain(q, f, e);
    fm yields = fr_gt(mat3_contract(e, e), q->p[YIELD_STRAIN] * q->p[YIELD_STRAIN]);
    fr share = fr_select(yields, -fr_expm1(-q->p[CREEP] * q->dt), fr_zero());
    for (int i = 0; i < 6; i++) q->h[i] = q->h[i] + share * e[i];
    fr size = fr_sqrt(mat3_contract(q->h, q->h)), limit = q->p[MAX_STRAIN];
    law_bound(q, FIRN_BOUND_FLOW, fr_gt(size, limit * (1 + 4 * REAL_EPSILON)));
    fr scale = fr_select(fr_gt(size, limit), limit / fr_max(size, fr_set1(MAT3_TINY)), fr_set1(1));
    for (int i = 0; i < 6; i++) q->h[i] = q->h[i] * scale;
}

FIRN_INLINE fr yield(law_point *q, const fr *f)
{
    fr e[6];
    elastic_strain(q, f, e);
    return law_yield_share(fr_sqrt(mat3_contract(e, e)), q->p[YIELD_STRAIN]);
}

static const law_functions functions = {.form = FIRN_FORM_GENERAL,
                                        .allows_inversion = 0,
                                        .derive = law_derive_lame,
                                        .energy = energy,
                                        .stress = stress,
                                        .return_map = return_map,
                                        .yield = yield,
                                        .modulus = modulus};

FIRN_LAW(mueller_flow,
         .title = "Flow of an additive plastic strain: yield, creep and limit (Mueller and others)",
         .equations = "E = (F^T F - I)/2,  E_e = E - E_p;  |E_e| > yield_strain: dE_p/dt = creep "
                      "E_e;  |E_p| <= max_strain\n"
                      "tau = F (lambda tr(E_e) I + 2 mu E_e) F^T",
         .citation = "J. F. O'Brien, A. W. Bargteil, J. K. Hodgins, Graphical modeling and "
                     "animation of ductile fracture, ACM TOG 21(3), 2002, "
                     "doi:10.1145/566570.566579; M. Mueller et al., Point "
                     "based animation of elastic, plastic and melting objects, SCA 2004",
         .validity = "For comparison. Additive split of Green strain: plastic strains up to a few "
                     "tens of per cent; softens in compression like St. Venant-Kirchhoff.",
         FIRN_HISTORY(history), FIRN_BOUNDS(bounds), .alias = "strain_flow",
         FIRN_RELATIONS(relations), .is_isotropic = 1, .is_plastic = 1)
