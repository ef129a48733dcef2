/* SPDX-License-Identifier: MIT */
/* hardening.c: see hardening.h.
 *
 * Struck. Material of density rho that arrives with V at a rigid wall is stopped by a shock of speed
 * U. In the frame of the wall, with the strain e = 1 - J and the pressure P behind it (nominal, as
 * the strain is uniaxial), balance of mass and momentum over the shock are
 *
 *     V = U e,     P = rho U V      =>      P(e) e = rho V^2
 *
 * (Rankine and Hugoniot; the energy rho V^2 / 2 is then the area under the Rayleigh line, P e / 2).
 * The law is compressed in steps of strain, at the rate V / h of an impact that is resolved by one
 * cell, until the left side reaches the right one.
 *
 * Cause. With c the wave speed of the present state and c_0 that at rest, parameter p has the
 * exponents s = d ln c / d ln p and s_0. A modulus has 1/2 in both; what hardens has more in the
 * present state. The parameter with the largest s - s_0 is named, and its value that would bring c
 * down to wanted c_0 is found by bisection between it and its lower limit. */
#include "laws/hardening.h"

#include <math.h>
#include <string.h>

enum { N = 16 }; /* lanes of a bundle */

typedef struct bundle {
    double F[9 * N], grad_v[9 * N], history[FIRN_MAX_HISTORY * N], T[N], tau[6 * N], wave[N],
        viscosity[N], flags[N];
    uint32_t id[N];
} bundle;

static firn_law_batch batch_of(const firn_material *material, bundle *b)
{
    return (firn_law_batch){.material = material,
                            .n_bundles = 1,
                            .F = b->F,
                            .history = b->history,
                            .temperature = b->T,
                            .id = b->id,
                            .tau = b->tau,
                            .wave = b->wave,
                            .viscosity = b->viscosity,
                            .flags = b->flags};
}

static void set_state(const firn_material *material, const firn_hardening_state *state, bundle *b)
{
    memset(b, 0, sizeof *b);
    for (int lane = 0; lane < N; lane++) {
        for (int c = 0; c < 9; c++) b->F[c * N + lane] = state->F[c];
        for (int c = 0; c < material->law->info.n_history; c++)
            b->history[c * N + lane] = state->history[c];
        b->T[lane] = state->temperature;
    }
}

static firn_hardening_state at_rest(const firn_material *material, double temperature)
{
    firn_hardening_state state = {.F = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .temperature = temperature};
    for (int c = 0; c < material->law->info.n_history; c++)
        state.history[c] = material->law->info.history[c].initial;
    return state;
}

static double wave_of(const firn_material *material, const firn_hardening_state *state)
{
    bundle b;
    set_state(material, state, &b);
    const firn_law_batch batch = batch_of(material, &b);
    material->law->kernels[FIRN_F64_SCALAR].measure(&batch);
    return b.wave[0];
}

/* ---------------------------------------------------------------- struck */

double firn_hardening_struck(const firn_material *material, double temperature, double speed,
                             double h, double *rest)
{
    enum { STEPS = 460 }; /* to a hundredth of the height */
    const double strain = 0.01;
    const firn_hardening_state state = at_rest(material, temperature);
    double most = *rest = wave_of(material, &state), J = 1;
    bundle b;
    if (!(speed > 0)) return most;
    set_state(material, &state, &b);
    firn_law_batch batch = batch_of(material, &b);
    batch.grad_v = b.grad_v;
    batch.F_new = b.F;
    batch.history_new = b.history;
    batch.dt = strain * h / speed;
    for (int lane = 0; lane < N; lane++) b.grad_v[8 * N + lane] = -strain / batch.dt;
    for (int step = 0; step < STEPS; step++) {
        material->law->kernels[FIRN_F64_SCALAR].evaluate(&batch);
        J *= 1 - strain;
        const double pressure = -b.tau[2 * N] / J;
        if (((int)b.flags[0] & (FIRN_FLAGS_TROUBLE | FIRN_FLAG_INVERTED)) || !isfinite(b.wave[0]))
            break;
        most = fmax(most, b.wave[0]);
        if (pressure * (1 - J) >= material->density * speed * speed) break;
    }
    return most;
}

/* ---------------------------------------------------------------- cause */

static const double LESS = 0.9;

/* d ln c / d ln p in a state. */
static double exponent(const firn_material *material, int parameter,
                       const firn_hardening_state *state)
{
    firn_material changed = *material;
    changed.value[parameter] *= LESS;
    const double now = wave_of(material, state), then = wave_of(&changed, state);
    return now > 0 && then > 0 ? log(then / now) / log(LESS) : 0;
}

/* c / c_0 with another value of the parameter. */
static double ratio_with(const firn_material *material, int parameter, double value,
                         const firn_hardening_state *state)
{
    firn_material changed = *material;
    changed.value[parameter] = value;
    const firn_hardening_state rest = at_rest(material, state->temperature);
    return wave_of(&changed, state) / wave_of(&changed, &rest);
}

static double value_for(const firn_material *material, int parameter,
                        const firn_hardening_state *state, double wanted)
{
    double low = material->law->info.parameters[parameter].min, high = material->value[parameter];
    if (!(ratio_with(material, parameter, low, state) <= wanted)) return NAN;
    for (int i = 0; i < 40; i++) {
        const double middle = 0.5 * (low + high);
        if (ratio_with(material, parameter, middle, state) <= wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}

firn_hardening_cause firn_hardening_find_cause(const firn_material *material,
                                               const firn_hardening_state *state, double wanted)
{
    const firn_hardening_state rest = at_rest(material, state->temperature);
    firn_hardening_cause cause = {wave_of(material, state) / wave_of(material, &rest), -1, NAN};
    double most = 0.1;
    for (int k = 0; k < material->law->info.n_parameters; k++) {
        if (!(material->value[k] > 0)) continue;
        const double grown = exponent(material, k, state) - exponent(material, k, &rest);
        if (!(grown > most)) continue;
        most = grown;
        cause.parameter = k;
    }
    if (cause.parameter >= 0 && cause.ratio > wanted)
        cause.value = value_for(material, cause.parameter, state, wanted);
    return cause;
}
