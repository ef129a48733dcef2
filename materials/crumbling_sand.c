/* SPDX-License-Identifier: MIT */
/* Crumbling sand: the law `sand` with cohesion that is lost with plastic strain. It is what `sand`
 * becomes where `cohesion_loss` is given.
 *
 *   e_i   elastic principal log strains, v  volume_gain, alpha, k, REACH, SLOPE, APEX: law_sand.h
 *   D     damage (history): share of the cohesion that is lost, 0 to 1
 *   s     |dev e|,  t = tr(e) + v,  w = sqrt(2/3)
 *
 *   yield   |dev tau| <= 3 alpha p + (1 - D) k,  that is  s <= (1 - D) REACH - SLOPE t
 *   loss    dD = (w d|dev e_p| + d<v>) / cohesion_loss: equivalent shear strain of the flow plus
 *           the log volume that opens (never what closes). Bridges of water between grains break
 *           when grains pass or leave each other, and do not form again
 *
 * Softening that is linear in the flow keeps the implicit return map in closed form:
 *
 *   cone    s - g = (REACH (1 - D - w g / loss) - SLOPE t),  g = over / (1 - w REACH / loss),
 *           over = s + SLOPE t - REACH (1 - D); where this takes more than is left: D = 1 and
 *           g = s + SLOPE t
 *   apex    where g >= s: dev e vanishes and tr(e) stops at u = APEX (1 - D_new), D_new = D +
 *           (w s + <tr(e) - u>) / loss; a line in u on each side of u = tr(e); at least 0, where D = 1
 *
 * A state that has returned lies on the surface that softened with it, so a second return map moves
 * nothing. The plastic strain follows the stress as in `sand`: the work is never negative.
 *
 * Snap-back. Where w REACH or APEX reach cohesion_loss, a point unloads faster than it softens: its
 * cohesion goes at once. The relations tell it.
 *
 * Limits. cohesion_loss -> infinity is `sand`. Slip gathers in bands one to two cells wide: the
 * sliding that ends cohesion is cohesion_loss times that width, less on a finer grid. Cohesion as a
 * falling function of the plastic strain: P. A. Vermeer, R. de Borst, Non-associated plasticity for
 * soils, concrete and rock, HERON 29(3), 1984; in the material point method A. Yerro, E. E. Alonso,
 * N. M. Pinyol, Run-out of landslides in brittle soils, Computers and Geotechnics 80, 2016. */
#include "laws/law_sand.h"

enum { COHESION_LOSS = SAND_OWN_PARAMETERS };
enum { PER_LOSS = SAND_OWN_CONSTANTS };
enum { VOLUME_GAIN, DAMAGE };

#define LEAST_SLOPE (real)1e-3 /* of elastic unloading against softening: snap-back below */

static const firn_bound_info bounds[] = {
    LAW_BOUND_COLLAPSED,
    {FIRN_BOUND_HARDENING,
     "cohesion is lost faster than stress unloads: the slope is held at its least"},
};
static const firn_parameter_info parameters[] = {
    SAND_PARAMETERS,
    {"cohesion_loss", "1",
     "plastic strain (equivalent shear plus opening) that takes all cohesion away", 0.1, 1e-3, 100},
};
static const firn_relation_info relations[] = {
    SAND_RELATIONS,
    {"cohesion / E / cohesion_loss", 0, 0.4, "its cohesion is lost at once where it yields"},
    {"wet_cohesion / E / cohesion_loss", 0, 0.4,
     "its cohesion is lost at once where it yields when wet"},
};
static const firn_history_info history[] = {
    {"volume_gain", "1",
     "log volume opened by separation that must close before the grains touch again", 0,
     FIRN_HISTORY_PLASTIC_LOG_VOLUME},
    {"cohesion_lost", "1", "share of the cohesion that is lost", 0, FIRN_HISTORY_DAMAGE},
};
static const firn_preset_info presets[] = {
    {"sand_castle",
     "elasticity as dry_sand, bulk density of moist sand; saturation, capillary cohesion (of the "
     "order measured for moist sand, 1 to 2 kPa) and its loss tuned for looks: stands in steep "
     "walls "
     "to half a metre, crumbles where it is hit",
     "rho=1700 E=3.537e5 nu=0.3 friction_angle=0.5759586531581288 saturation=0.4 "
     "wet_cohesion=1500 cohesion_loss=0.1"},
};

FIRN_INLINE void derive(const fr *p, fr *d)
{
    law_sand_derive(p, d);
    d[PER_LOSS] = 1 / p[COHESION_LOSS];
}

/* Where the return map has taken a state: flow along dev e, trace at the apex, and the damage of
 * both ways. */
typedef struct returned {
    fr flow, trace, on_cone, apart;
} returned;

FIRN_INLINE returned solve(law_point *q, fr size, fr closed, fr before)
{
    const fr least = fr_set1(LEAST_SLOPE), one = fr_set1(1);
    const fr w = fr_set1((real)0.81649658092772603); /* sqrt(2/3) */
    const fr damage = q->h[DAMAGE], intact = 1 - damage, per_loss = q->d[PER_LOSS],
             reach = q->d[SAND_REACH], apex = q->d[SAND_APEX];
    returned r;

    fr raised = size + q->d[SAND_SLOPE] * closed, over = raised - reach * intact;
    const fr slope = 1 - w * reach * per_loss;
    fr flow = over / fr_max(slope, least);
    law_bound(q, FIRN_BOUND_HARDENING, fm_and(fr_gt(over, fr_zero()), fr_lt(slope, least)));
    fr lost = fr_max(w * flow * per_loss, fr_zero());
    fm is_all = fr_ge(lost, intact);
    r.flow = fr_select(fm_and(is_all, fr_gt(over, fr_zero())), raised, flow);
    r.on_cone = fr_min(damage + lost, one);

    /* tr(e) = u on the side where volume opens, u <= before, else on the other */
    fr a = apex * per_loss, drop = w * size;
    fr opening = (apex * intact - a * (drop + before)) / fr_max(1 - a, least);
    fr closing = apex * intact - a * drop;
    fr u = fr_select(fr_le(opening, before), opening, closing);
    r.trace = fr_max(u, fr_zero());
    fr opened = fr_max(before - r.trace, fr_zero());
    r.apart = fr_min(damage + per_loss * (drop + opened), one);
    return r;
}

FIRN_INLINE void return_map(law_point *q, fr *e)
{
    fr gain = q->h[VOLUME_GAIN], closed[3], dev[3], trace, before = law_sum(e);
    for (int i = 0; i < 3; i++) closed[i] = e[i] + gain * (real)(1.0 / 3);
    fr size = law_deviator(closed, &trace, dev);
    returned r = solve(q, size, trace, before);
    fm slips = fr_gt(r.flow, fr_zero());
    fm is_apart = fm_and(fr_ge(r.flow, size), fr_ge(r.flow, fr_zero()));
    fr keep = fr_select(slips, 1 - r.flow / fr_max(size, fr_set1(MAT3_TINY)), fr_set1(1));
    fr mean = trace * (real)(1.0 / 3), apex = r.trace * (real)(1.0 / 3);
    for (int i = 0; i < 3; i++) {
        fr on_cone = fr_select(slips, mean + keep * dev[i], closed[i]);
        e[i] = fr_select(is_apart, apex, on_cone);
    }
    /* written so that an elastic step leaves an exact zero */
    q->h[VOLUME_GAIN] = fr_select(is_apart, fr_max(gain + before - r.trace, fr_zero()), fr_zero());
    q->h[DAMAGE] = fr_select(is_apart, r.apart, fr_select(slips, r.on_cone, q->h[DAMAGE]));
}

/* Grains that are apart, or just touch without cohesion, carry no shear stress: they yield. */
FIRN_INLINE fr yield(law_point *q, const fr *e)
{
    fr dev[3], trace, size = law_deviator(e, &trace, dev), intact = 1 - q->h[DAMAGE];
    fr share = law_yield_share(size, intact * q->d[SAND_REACH] - q->d[SAND_SLOPE] * trace);
    return fr_select(fr_ge(trace + q->h[VOLUME_GAIN], intact * q->d[SAND_APEX]), fr_set1(1), share);
}

static const law_functions functions = {.form = FIRN_FORM_LOG,
                                        .derive = derive,
                                        .energy = law_hencky_energy_at,
                                        .stress = law_hencky_stress_at,
                                        .return_map = return_map,
                                        .yield = yield,
                                        .modulus = law_hencky_modulus_at};

FIRN_LAW(crumbling_sand,
         .title = "Sand that crumbles: Drucker-Prager, cohesion lost with plastic strain",
         .equations =
             "tau = 2 mu e + lambda tr(e) I,  e = principal log strains\n"
             "|dev tau| <= 3 alpha p + (1 - D) k,  p = -tr(tau)/3;  alpha, k, phi, c as in sand\n"
             "dD = (sqrt(2/3) |d dev e_p| + opened log volume) / cohesion_loss,  0 <= D <= 1",
         .citation =
             "as sand; softening after P. A. Vermeer, R. de Borst, Non-associated plasticity for "
             "soils, concrete and rock, HERON 29(3), 1984",
         .validity =
             "As sand. Slip gathers in bands one to two cells wide, so the sliding that takes the "
             "cohesion is cohesion_loss times that width. What has crumbled does not set again.",
         FIRN_HISTORY(history), FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations),
         FIRN_PRESETS(presets), .is_isotropic = 1, .is_plastic = 1, .extends = "sand")
