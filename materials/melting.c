/* SPDX-License-Identifier: MIT */
/* From solid to liquid in one piece, by the liquid fraction u: wax, chocolate, butter, ice, glass.
 *
 *   e_i   elastic principal log strains,  tau_i = 2 mu e_i + lambda tr(e),  s = dev tau
 *   t     = |s|/sqrt(2), the shear stress;  g = sqrt(2) |d_p|, the shear rate of the flow
 *
 *   solid part    t_s = (1 - u) (yield + hardening alpha)/sqrt(3)             von Mises
 *   liquid part   t_l = tau_0 (1 - exp(-(J + 1) x)) (1 + x^n),  x = g/g_1,  g_1 = (tau_0/K)^(1/n)
 *   jump number   J = (1 - u) J_max + u J_min
 *
 *   flow          t <= t_s: elastic; else t(g) = t_s + u t_l(g)
 *
 * The two parts are parallel. u = 0 is the law von_mises without creep, u = 1 the fluid of
 * souza_mendes_dutra with J_min in series with the elasticity (relaxation in eta/mu): history and
 * shape are forgotten, only J lasts, and elasticity begins anew where it sets. The flow of a
 * step is implicit: with q = g dt the trial stress t_e falls to t_e - mu q, and
 *
 *     mu q + t_s + u t_l(q/dt) = t_e
 *
 * has one root between 0 and (t_e - t_s)/mu, so no viscosity limits the time step, however large J.
 * It is found by Newton steps in ln q, in which both sides are nearly straight, held in a bracket.
 *
 * The liquid fraction is that of the enthalpy of a particle; in the lab, and without a heat
 * capacity, that of the temperature between solidus and liquidus.
 *
 * Limits. u = 0: von_mises. u = 1, far above yield: shear stress tau_0 + K g^n. */
#include "laws/law_common.h"

enum { YIELD = LAW_OWN_PARAMETERS, HARDENING, TAU_0, CONSISTENCY, EXPONENT, J_MAX, J_MIN };
enum { RATE = LAW_OWN_CONSTANTS };
enum { ALPHA };

static const firn_bound_info bounds[] = {LAW_BOUND_COLLAPSED};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(900),
    LAW_PARAMETER_E(1e6),
    LAW_PARAMETER_NU(0.4),
    {"yield", "Pa", "yield stress of the solid in uniaxial tension", 2e4, 0, 1e12, 1},
    {"hardening", "Pa", "growth of that yield stress with plastic strain", 0, 0, 1e12},
    {"tau_0", "Pa", "shear stress at which the liquid gives way", 1, 1e-6, 1e9},
    {"K", "Pa s^n", "consistency of the liquid: shear stress is tau_0 + K g^n far above yield", 1,
     1e-6, 1e9},
    {"n", "1", "exponent: 1 Bingham, below 1 shear-thinning", 1, 0.1, 1},
    {"J_max", "1", "jump number where melting begins", 1000, 0, 1e5},
    {"J_min", "1", "jump number of the liquid", 10, 0, 1e5},
};
static const firn_history_info history[] = {{"alpha", "1",
                                             "accumulated equivalent plastic strain of the solid",
                                             0, FIRN_HISTORY_PLASTIC_STRAIN}};
static const firn_preset_info presets[] = {
    {"melting_wax",
     "candle wax tuned for looks and speed: thermal properties of paraffin_wax with a "
     "fifth of its latent heat and three times its conductivity, soft enough for steps of "
     "tenths of a millisecond at centimetres",
     "rho=900 E=1e5 nu=0.4 yield=8e3 tau_0=0.5 K=0.5 n=1 J_max=1000 J_min=100 "
     "heat_capacity=2140 heat_capacity_liquid=2900 conductivity=0.75 latent_heat=4e4 "
     "solidus=325 liquidus=331 emissivity=0.9"},
    {"paraffin_wax",
     "paraffin: 900 kg/m^3, melts between 46 and 68 C, 200 to 220 kJ/kg, 2.14 to 2.9 "
     "kJ/(kg K), .2 to .4 W/(m K) solid, .13 to .18 liquid (data sheets of paraffin as "
     "heat store; N. Ukrainczyk et al., Chem. Biochem. Eng. Q. 24, 2010); E, yield and K "
     "tuned",
     "rho=900 E=1e6 nu=0.4 yield=5e4 tau_0=0.1 K=0.05 n=1 J_max=1000 J_min=100 "
     "heat_capacity=2140 heat_capacity_liquid=2900 conductivity=0.25 "
     "conductivity_liquid=0.15 latent_heat=2e5 solidus=325 liquidus=331 emissivity=0.9"},
    {"chocolate",
     "45 kJ/kg, 1.59 and 1.67 kJ/(kg K), .22 to .26 W/(m K) (S. T. Beckett ed., Industrial "
     "Chocolate Manufacture and Use, 2009, useful physical constants), cocoa butter V "
     "melts at 33.8 C; E and the solid's yield tuned, tau_0 and K of tempered chocolate",
     "rho=1300 E=3e5 nu=0.4 yield=3e4 tau_0=8 K=3 n=1 J_max=1000 J_min=100 "
     "heat_capacity=1590 heat_capacity_liquid=1670 conductivity=0.24 latent_heat=4.5e4 "
     "solidus=302 liquidus=307 supercooling=2 emissivity=0.9"},
    {"butter",
     "soft from 10 C on, all liquid at 35 C (melting interval of milk fat); heat and "
     "mechanics tuned: .2 W/(m K), 2.3 kJ/(kg K), 8e4 J/kg",
     "rho=911 E=1e5 nu=0.4 yield=8e3 tau_0=1 K=0.3 n=0.8 J_max=1000 J_min=50 "
     "heat_capacity=2300 conductivity=0.2 latent_heat=8e4 solidus=283 liquidus=308 "
     "emissivity=0.9"},
    {"ice",
     "917 kg/m^3, 2.1 and 4.186 kJ/(kg K), 2.2 and .6 W/(m K), 334 kJ/kg at 0 C (CRC "
     "Handbook of Chemistry and Physics); E and yield a thousandth of ice's, water "
     "thickened to .05 Pa s",
     "rho=917 E=5e6 nu=0.33 yield=5e3 tau_0=1e-3 K=0.05 n=1 J_max=1000 J_min=1000 "
     "heat_capacity=2100 heat_capacity_liquid=4186 conductivity=2.2 "
     "conductivity_liquid=0.6 latent_heat=3.34e5 solidus=273.15 emissivity=0.97"},
    {"melting_snow",
     "snow of 400 kg/m^3 that becomes slush: heat of ice, .4 W/(m K) (Y.-C. Yen, CRREL report "
     "81-10, 1981: about 2.2 (rho/1000)^1.88), a weak solid tuned for looks",
     "rho=400 E=1e5 nu=0.2 yield=2e3 tau_0=20 K=2 n=1 J_max=1000 J_min=100 "
     "heat_capacity=2100 heat_capacity_liquid=4186 conductivity=0.4 "
     "conductivity_liquid=0.6 latent_heat=3.34e5 solidus=273.15 emissivity=0.97"},
    {"glass",
     "soda-lime glass without latent heat: from softening (1000 K) to working temperature "
     "(1300 K); 2500 kg/m^3, 1.3 kJ/(kg K), 1.5 W/(m K) (data sheets); E and yield tuned",
     "rho=2500 E=1e6 nu=0.22 yield=1e5 tau_0=100 K=1000 n=1 J_max=1e4 J_min=100 "
     "heat_capacity=1300 conductivity=1.5 solidus=1000 liquidus=1300 emissivity=0.85"},
    {"lava",
     "basalt: 2700 kg/m^3, 1.1 kJ/(kg K), 1.5 W/(m K), 350 kJ/kg between 1000 and 1200 C, "
     "100 Pa s (Kilauea 10 to 100 Pa s); E and yield of the crust tuned (T. Murase, A. "
     "McBirney, GSA Bulletin 84, 1973, and H.-P. Ebert et al., High Temp. High Press. 34, "
     "2002, measure such melts)",
     "rho=2700 E=2e6 nu=0.3 yield=1e5 tau_0=200 K=100 n=1 J_max=1000 J_min=50 "
     "heat_capacity=1100 conductivity=1.5 latent_heat=3.5e5 solidus=1273 liquidus=1473 "
     "emissivity=0.95"},
    {"solder",
     "tin-lead 63/37, eutectic at 183 C: 8400 kg/m^3, 50 W/(m K) solid, 25 liquid, .18 "
     "kJ/(kg K), 45 kJ/kg (data sheets); E and yield tuned, liquid thickened to .05 Pa s",
     "rho=8400 E=1e7 nu=0.4 yield=1e5 tau_0=0.01 K=0.05 n=1 J_max=1000 J_min=1000 "
     "heat_capacity=180 heat_capacity_liquid=210 conductivity=50 conductivity_liquid=25 "
     "latent_heat=4.5e4 solidus=456 emissivity=0.2"},
};

#define ROOT_2_3 ((real)0.81649658092772603)
#define ROOT_1_3 ((real)0.57735026918962576)
#define ROOT_2 ((real)1.41421356237309505)

FIRN_INLINE void derive(const fr *p, fr *d)
{
    law_derive_lame(p, d);
    d[RATE] = fr_exp(fr_log(p[TAU_0] / p[CONSISTENCY]) / p[EXPONENT]);
}

/* Shear stresses: of the solid part, and of the liquid at shear rate g. */
FIRN_INLINE fr solid_stress(const law_point *q)
{
    return (1 - q->liquid) * ROOT_1_3 * (q->p[YIELD] + q->p[HARDENING] * q->h[ALPHA]);
}

/* (1 - exp(-(J+1) x)) (1 + x^n) tau_0, and its derivative with respect to ln g */
FIRN_INLINE fr liquid_stress(const law_point *q, fr log_x, fr *slope)
{
    const fr n = q->p[EXPONENT], jump = 1 + (1 - q->liquid) * q->p[J_MAX] + q->liquid * q->p[J_MIN];
    const fr x = fr_exp(log_x), rest = fr_exp(-jump * x), rise = -fr_expm1(-jump * x),
             power = fr_exp(n * log_x);
    *slope = q->p[TAU_0] * (jump * x * rest * (1 + power) + rise * n * power);
    return q->p[TAU_0] * rise * (1 + power);
}

/* The root of mu q + t_s + u t_l(q/dt) = t_e in [0, most]: y = ln(q/most) from -40 up to 0. With h
 * the left side, ln h is monotone in y, and nearly straight where any one term leads. */
FIRN_INLINE fr flow_of(const law_point *q, fr trial, fr solid, fr most)
{
    const fr mu = q->d[LAW_MU],
             offset = fr_log(most / (fr_max(q->dt, fr_set1((real)1e-30)) * q->d[RATE]));
    fr low = fr_set1(-40), high = fr_zero(), y = fr_zero();
#pragma GCC unroll 1
    for (int i = 0; i < 14; i++) {
        fr slope, liquid = liquid_stress(q, y + offset, &slope), strain = mu * most * fr_exp(y);
        const fr left = strain + solid + q->liquid * liquid;
        const fr rate = (strain + q->liquid * slope) / left;
        const fm above = fr_gt(left, trial);
        high = fr_select(above, y, high);
        low = fr_select(above, low, y);
        fr next = y - fr_log(left / trial) / fr_max(rate, fr_set1((real)1e-6));
        const fm inside = fm_and(fr_gt(next, low), fr_lt(next, high));
        y = fr_select(inside, next, (real)0.5 * (low + high));
    }
    fr slope, liquid = liquid_stress(q, y + offset, &slope), strain = mu * most * fr_exp(y);
    const fr left = strain + solid + q->liquid * liquid;
    y = y - fr_log(left / trial) * left / fr_max(strain + q->liquid * slope, left * (real)1e-6);
    return most * fr_exp(fr_min(y, fr_zero())); /* the last step also has the tangent right */
}

FIRN_INLINE fr yield(law_point *q, const fr *e)
{
    fr dev[3], trace, size = law_deviator(e, &trace, dev);
    return law_yield_share(ROOT_2 * q->d[LAW_MU] * size, solid_stress(q) + q->liquid * q->p[TAU_0]);
}

/* Lanes that are all solid flow at once, (t_e - t_s)/(mu + hardening/3); the others in time. */
FIRN_INLINE void return_map(law_point *q, fr *e)
{
    fr dev[3], trace, size = law_deviator(e, &trace, dev), mu = q->d[LAW_MU];
    const fr solid = solid_stress(q), trial = ROOT_2 * mu * size;
    const fm is_solid = fr_le(q->liquid, fr_zero()), yields = fr_gt(trial, solid);
    fr flow = (trial - solid) / (mu + (real)(1.0 / 3) * q->p[HARDENING]);
    const fm is_viscous = fm_and(yields, fm_not(is_solid));
    if (fm_any(is_viscous)) {
        const fr most = fr_max(trial - solid, fr_set1(MAT3_TINY)) / mu;
        const fr slow =
            fr_select(fr_gt(q->dt, fr_zero()), flow_of(q, trial, solid, most), fr_zero());
        flow = fr_select(is_viscous, slow, flow);
    }
    flow = fr_select(yields, fr_max(flow, fr_zero()), fr_zero());
    const fr shrink = flow / fr_max(ROOT_2 * size, fr_set1(MAT3_TINY));
    for (int i = 0; i < 3; i++) e[i] = e[i] - shrink * dev[i];
    q->h[ALPHA] = fr_select(fr_lt(q->liquid, fr_set1(1)), q->h[ALPHA] + ROOT_1_3 * flow, fr_zero());
}

static const law_functions functions = {.form = FIRN_FORM_LOG,
                                        .melts = 1,
                                        .derive = derive,
                                        .energy = law_hencky_energy_at,
                                        .stress = law_hencky_stress_at,
                                        .return_map = return_map,
                                        .yield = yield,
                                        .modulus = law_hencky_modulus_at};

FIRN_LAW(
    melting, .title = "From solid to liquid by liquid fraction: von Mises below, jump number above",
    .equations =
        "u = liquid fraction;  t = |dev tau|/sqrt(2),  g = sqrt(2) |d_p|,  J = (1-u) J_max + u "
        "J_min\n"
        "t <= (1-u) yield/sqrt(3): elastic (Hencky)\n"
        "else t = (1-u) yield/sqrt(3) + u tau_0 (1 - exp(-(J+1) x)) (1 + x^n),  x = g/g_1,  "
        "g_1 = (tau_0/K)^(1/n)",
    .citation =
        "A. Paiva, F. Petronetto, T. Lewiner, G. Tavares, Particle-based non-Newtonian fluid "
        "animation for melting objects, SIBGRAPI 2006 (J by temperature); P. R. de Souza Mendes, "
        "E. S. S. Dutra, Viscosity function for yield-stress liquids, Applied Rheology 14(6), 2004",
    .validity = "Bulk and shear modulus are those of the solid at every liquid fraction: sound in "
                "the liquid is not slower.",
    FIRN_HISTORY(history), FIRN_BOUNDS(bounds), FIRN_PRESETS(presets), .is_isotropic = 1,
    .is_plastic = 1)
