/* SPDX-License-Identifier: MIT */
/* law_stage.c: the laws of all materials on the strain of the present positions, and the rates that
 * bound the next step.
 *
 * Elastic F follows the motion of a step, F_e <- law((I + dt grad v) F_e), as in every method, so a
 * law needs to know nothing of the reference state.
 *
 * Bound of dt. Leap-frog is stable for dt omega <= 2. With the stored energy sum V psi(F_i), where
 * F_i = sum_j x_ij d_ij^T, and the mass of a particle divided among the clouds that it is in, no
 * mode of the body is faster than the fastest one of a single cloud (the sum of Rayleigh quotients):
 *
 *     omega^2 <= modulus compliant + stiff + touched,
 *     compliant = V lambda_max(sum_j d_ij d_ij^T / (mass of j in cloud i))            (gradient.c)
 *     modulus   = largest eigenvalue of d2psi/dF2
 *              <= breadth rho_0 c^2 / (smallest stretch)^2,  breadth = 3 K / (lambda + 2 mu)
 *
 * as a cloud may breathe, which 3 K resists, while the law's wave speed c is that of a plane wave.
 * A viscous stress adds 2 rho nu compliant / (smallest stretch)^2 to the rate of decay. With x and y
 * the two over 2 and 1 per dt, x^2 + y <= 1 is the limit; x + y <= 1 suffices:
 *
 *     rate = omega/2 + decay/2,    dt <= cfl/rate, safe for cfl <= 1. */
#include "meshless/heat_points.h"
#include "meshless/meshless.h"
#include "meshless/small3.h"

#include <string.h>

enum { SCRATCH = 9 + 6 }; /* grad_v, wave, viscosity, plastic, viscous, flags, energy */

typedef struct scratch {
    double *grad_v, *wave, *viscosity, *plastic, *viscous, *flags, *energy;
} scratch;

/* Arrays of the bundles from `bundle` on. */
static scratch scratch_of(const struct firn_meshless *s, int64_t n_bundles, int64_t bundle)
{
    double *base = s->law_scratch;
    const int64_t n = 16 * n_bundles, at = 16 * bundle;
    return (scratch){base + 9 * at,      base + 9 * n + at,  base + 10 * n + at, base + 11 * n + at,
                     base + 12 * n + at, base + 13 * n + at, base + 14 * n + at};
}

static firn_status reserve(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    size_t bytes = 0;
    for (int m = 0; m < sim->n_materials; m++) {
        const size_t n = (size_t)s->particles[m].n_bundles * 16 * SCRATCH * sizeof(double);
        bytes = n > bytes ? n : bytes;
    }
    if (bytes <= s->law_bytes) return FIRN_OK;
    firn_memory_release(&sim->memory, s->law_scratch, s->law_bytes);
    s->law_bytes = 0;
    s->law_scratch = firn_memory_allocate(&sim->memory, bytes);
    if (!s->law_scratch) return firn_messages_no_memory(messages, "laws");
    s->law_bytes = bytes;
    return FIRN_OK;
}

static firn_law_batch batch_of(const firn_sim *sim, const firn_particles *particles, int64_t bundle,
                               int n_bundles, const scratch *w)
{
    return (firn_law_batch){
        .material = &particles->material->resolved,
        .n_bundles = n_bundles,
        .dt = sim->dt,
        .F = firn_particles_at(particles, FIRN_FIELD_F, bundle),
        .grad_v = w->grad_v,
        .history = firn_particles_at(particles, FIRN_FIELD_HISTORY, bundle),
        .temperature = firn_particles_at(particles, FIRN_FIELD_T, bundle),
        .liquid = firn_particles_at(particles, FIRN_FIELD_LIQUID, bundle),
        .id = firn_particles_at(particles, FIRN_FIELD_ID, bundle),
        .F_new = firn_particles_at(particles, FIRN_FIELD_F, bundle),
        .history_new = firn_particles_at(particles, FIRN_FIELD_HISTORY, bundle),
        .tau = firn_particles_at(particles, FIRN_FIELD_TAU, bundle),
        .wave = w->wave,
        .viscosity = w->viscosity,
        .plastic = w->plastic,
        .viscous = w->viscous,
        .flags = w->flags,
    };
}

/* ---------------------------------------------------------------- constants of materials */

double firn_meshless_parameter(const firn_material *material, const char *name)
{
    const firn_law_info *law = &material->law->info;
    for (int k = 0; k < law->n_parameters; k++)
        if (strcmp(law->parameters[k].name, name) == 0) return material->value[k];
    return NAN;
}

/* The modulus of a law at rest, from its wave speed at F = I, and its breadth from nu. */
firn_status firn_meshless_prepare_laws(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_material *material = &sim->materials[m].resolved;
        const firn_law_info *law = &material->law->info;
        if (!material->law->kernels[sim->variant].measure)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "law '%s': not built for instruction set %s", law->name,
                                     firn_variant_name(sim->variant));
        double F[9 * 16] = {0}, wave[16] = {0}, history[FIRN_MAX_HISTORY * 16] = {0}, T[16];
        for (int lane = 0; lane < 16; lane++) {
            for (int a = 0; a < 3; a++) F[4 * a * 16 + lane] = 1;
            for (int k = 0; k < law->n_history; k++)
                history[k * 16 + lane] = law->history[k].initial;
            T[lane] = sim->scene.ambient_temperature;
        }
        const firn_law_batch batch = {.material = material,
                                      .n_bundles = 1,
                                      .F = F,
                                      .history = history,
                                      .temperature = T,
                                      .wave = wave};
        material->law->kernels[sim->variant].measure(&batch);
        s->modulus[m] = material->density * wave[0] * wave[0];
        const double nu = firn_meshless_parameter(material, "nu");
        s->breadth[m] = isnan(nu) ? 3 : fmax(1, (1 + nu) / (1 - nu));
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- rates */

/* The larger of the mechanical rate and that with which a particle crosses its own size. */
static double rate_of(const firn_sim *sim, int m, int32_t i, const char **criterion)
{
    const struct firn_meshless *s = sim->meshless;
    const double rho = sim->materials[m].resolved.density, wave = s->wave[i];
    const int is_law = s->hooks->has_reference && !s->hooks->stress;
    const double unstretched = is_law ? small3_inverse_square(s->F + 9 * i) : 1,
                 given = s->compliant[i] * unstretched,
                 omega2 = given * s->breadth[m] * rho * wave * wave + s->stiff[i] + s->touched[i],
                 decay = 2 * rho * s->viscosity[i] * given;
    const double *v = s->v + 3 * i,
                 speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / s->spacing[i],
                 mechanical = 0.5 * (sqrt(omega2) + decay);
    *criterion = decay * decay > omega2         ? "viscosity"
                 : s->touched[i] > 0.5 * omega2 ? "contact"
                                                : "stiffness";
    if (!(speed > mechanical)) return mechanical;
    *criterion = "speed";
    return speed;
}

/* `!(a <= b)` keeps NaN as the largest rate, so that it stops the run. */
static void sum_chunk(firn_sim *sim, int m, int chunk, const scratch *all, int is_step)
{
    struct firn_meshless *s = sim->meshless;
    const firn_particles *particles = &s->particles[m];
    const firn_meshless_range range = firn_meshless_chunk(s, m, chunk);
    firn_meshless_sums sum = {.rate_id = -1, .trouble = -1, .criterion = "stiffness"};
    for (int32_t i = range.first; i < range.end; i++) {
        const int32_t p = i - s->first[m];
        const char *criterion;
        if (!s->hooks->stress) {
            s->wave[i] = all->wave[p];
            s->viscosity[i] = all->viscosity[p];
            s->flags[i] = (uint16_t)all->flags[p];
            sum.plastic += is_step ? s->volume[i] * all->plastic[p] : 0;
            sum.viscous += is_step ? s->volume[i] * all->viscous[p] : 0;
            if (is_step && sim->heat)
                firn_heat_points_work(sim, m, i, all->plastic[p] + all->viscous[p]);
        }
        s->rate[i] = rate_of(sim, m, i, &criterion);
        if (!(s->rate[i] <= sum.max_rate)) {
            sum.max_rate = s->rate[i];
            sum.rate_id = (int64_t)firn_meshless_value(particles, FIRN_FIELD_ID, p, 0);
            sum.criterion = criterion;
        }
        const double *v = s->v + 3 * i, speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (speed > sum.max_speed) sum.max_speed = speed;
        sum.flags |= s->flags[i];
        for (unsigned met = firn_flags_bounds(s->flags[i]); met; met &= met - 1)
            sum.n_bounded[__builtin_ctz(met)]++;
        if ((s->flags[i] & FIRN_FLAGS_TROUBLE) && sum.trouble < 0) sum.trouble = i;
    }
    s->sums[chunk] = sum;
}

/* ---------------------------------------------------------------- evaluation */

/* grad_v of a chunk's particles into bundles; zeros for the state as it is and for padding. */
static void pack(const struct firn_meshless *s, firn_meshless_range range, int is_step, double *out)
{
    const int32_t n = range.end - range.first;
    memset(out, 0, (size_t)firn_bundles_of(n) * 16 * 9 * sizeof *out);
    for (int32_t k = 0; is_step && k < n; k++)
        for (int c = 0; c < 9; c++)
            out[(k / 16) * 144 + c * 16 + k % 16] = s->grad_v[9 * (range.first + k) + c];
}

static void evaluate_material(firn_sim *sim, int m, int is_step)
{
    struct firn_meshless *s = sim->meshless;
    const firn_particles *particles = &s->particles[m];
    const firn_law *law = particles->material->resolved.law;
    const scratch all = scratch_of(s, particles->n_bundles, 0);
    if (s->hooks->stress)
        memset(s->flags + s->first[m], 0, (size_t)particles->n_particles * sizeof *s->flags);
#pragma omp parallel for num_threads(sim->n_threads) schedule(dynamic, 1)
    for (int chunk = 0; chunk < FIRN_MESHLESS_CHUNKS; chunk++) {
        const firn_meshless_range range = firn_meshless_chunk(s, m, chunk);
        const int64_t bundle = (range.first - s->first[m]) / 16;
        const int n_bundles = firn_bundles_of(range.end - range.first);
        if (n_bundles && !s->hooks->stress) {
            const scratch w = scratch_of(s, particles->n_bundles, bundle);
            firn_law_batch batch = batch_of(sim, particles, bundle, n_bundles, &w);
            pack(s, range, is_step, w.grad_v);
            if (!is_step) batch.plastic = batch.viscous = NULL;
            if (!is_step) batch.energy = w.energy;
            if (is_step)
                law->kernels[sim->variant].evaluate(&batch);
            else
                law->kernels[sim->variant].measure(&batch);
        }
        sum_chunk(sim, m, chunk, &all, is_step);
    }
}

static firn_status explain(const firn_sim *sim, int m, int32_t i, firn_messages *messages)
{
    const struct firn_meshless *s = sim->meshless;
    const double *x = s->x + 3 * i;
    return firn_messages_add(
        messages, FIRN_STOPPED,
        "step at t = %.9g s, dt = %.3g s: material '%s', particle %lld at %.4g %.4g %.4g m: %s",
        sim->time, sim->dt, sim->materials[m].resolved.name,
        (long long)firn_meshless_value(&s->particles[m], FIRN_FIELD_ID, i - s->first[m], 0), x[0],
        x[1], x[2],
        s->flags[i] & FIRN_FLAG_FAILED
            ? "the law lost its validity (material failure: no longer elliptic)"
            : "the law gave a stress that is not finite");
}

/* Adds the chunks of one material in their order. */
static firn_status collect(firn_sim *sim, int m, int is_step, firn_rates *rates,
                           firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    firn_ledger_sums *sums = &sim->materials[m].sums;
    firn_status status = FIRN_OK;
    for (int chunk = 0; chunk < FIRN_MESHLESS_CHUNKS; chunk++) {
        const firn_meshless_sums *c = &s->sums[chunk];
        if (!(c->max_rate <= rates->max_rate)) {
            rates->max_rate = c->max_rate;
            rates->kind =
                strcmp(c->criterion, "viscosity") == 0 ? FIRN_RATE_VISCOSITY : FIRN_RATE_WAVE;
            rates->criterion = c->criterion;
            rates->material = m;
            rates->particle = c->rate_id;
        }
        if (c->max_speed > rates->max_speed) rates->max_speed = c->max_speed;
        if (!is_step) continue;
        sums->plastic += c->plastic;
        sums->viscous += c->viscous;
        for (int k = 0; k < FIRN_N_BOUNDS; k++) sums->n_bounded[k] += c->n_bounded[k];
        sim->is_spoiled |= (c->flags & FIRN_FLAG_NONFINITE) != 0;
        if (c->trouble >= 0 && status == FIRN_OK) status = explain(sim, m, c->trouble, messages);
    }
    return status;
}

firn_status firn_meshless_evaluate(firn_sim *sim, int is_step, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    firn_rates rates = {.material = -1, .particle = -1};
    firn_status status = reserve(sim, messages);
    if (status == FIRN_OK && s->hooks->stress) s->hooks->stress(sim, is_step);
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++) {
        evaluate_material(sim, m, is_step);
        status = collect(sim, m, is_step, &rates, messages);
    }
    sim->rates = rates;
    return status;
}

void firn_meshless_energies(firn_sim *sim, int material, double *energy)
{
    struct firn_meshless *s = sim->meshless;
    const firn_particles *particles = &s->particles[material];
    const int32_t first = s->first[material], n = s->first[material + 1] - first;
    if (s->hooks->energy) {
        for (int32_t i = 0; i < n; i++) energy[i] = s->hooks->energy(sim, first + i);
        return;
    }
    const scratch all = scratch_of(s, particles->n_bundles, 0);
    firn_law_batch batch = {
        .material = &particles->material->resolved,
        .n_bundles = (int)particles->n_bundles,
        .F = firn_particles_at(particles, FIRN_FIELD_F, 0),
        .history = firn_particles_at(particles, FIRN_FIELD_HISTORY, 0),
        .temperature = firn_particles_at(particles, FIRN_FIELD_T, 0),
        .liquid = firn_particles_at(particles, FIRN_FIELD_LIQUID, 0),
        .id = firn_particles_at(particles, FIRN_FIELD_ID, 0),
        .energy = all.energy,
    };
    if (n) particles->material->resolved.law->kernels[sim->variant].measure(&batch);
    memcpy(energy, all.energy, (size_t)n * sizeof *energy);
}
