/* SPDX-License-Identifier: MIT */
/* peridynamics.c: projective peridynamics: springs between all particles within a horizon, an
 * implicit step (peridynamics_solve.c), plastic flow by a Drucker-Prager projection.
 *
 *     e_ij = (|x_ij| - l_ij)/|X_ij|                       stretch; l_ij the length at rest
 *     U    = sum_i V_i 1/2 k_i sum_j V_j w_i e_ij^2,      w_i = 1/sum_j V_j over the horizon
 *     f_i  = sum_j c_ij (|x_ij| - l) x_ij/|x_ij|,         c_ij = V_i V_j (k_i w_i + k_j w_j)/|X_ij|^2
 *
 * l the mean of l_ij and l_ji by their stiffness. For an affine strain <x^4> = 1/5 and <x^2 y^2> =
 * 1/15 over directions give K = k/9 and G = k/15, so E = k/6 and nu = 1/4 whatever k. Here k = 6 E;
 * as printed k = 2 mu + lambda of the Lame constants, and a material of nu = 1/4 is five times too
 * soft.
 *
 * Plastic flow (law sand). Particle i has the pressure p = - k/3 <e> and sqrt(J2) = sqrt(15) G
 * rms(e - <e>) (that of the affine strain with the same bonds); the projection of bonds.c gives the
 * shares alpha and beta that its lengths l_ij take over:
 *
 *     l_ij += (alpha <e> + beta (e_ij - <e>)) |X_ij|
 *
 * Large flow (meshless.reset). When the lengths of a particle have flowed by that share (rms), all
 * bonds are found anew around the present positions, with the lengths that keep the elastic strain:
 * l_ij = |x_ij|/(1 + n.eps_i.n), eps_i the affine strain of the old bonds, 15/2 <e n n> - 3/2 <e> I.
 * Before that, redistribute moves particles nearer to each other than a spacing d apart by the share
 * of (d - r)/2 that it says, each by the other's mass: the centre of mass of a pair stays. */
#include "meshless/bonds.h"
#include "meshless/peridynamics.h"
#include "meshless/small3.h"

#include <string.h>

/* ---------------------------------------------------------------- creation */

static firn_status check(const firn_sim *sim, firn_messages *messages)
{
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_material *material = &sim->materials[m].resolved;
        const firn_law_info *law = &material->law->info;
        if (isnan(firn_meshless_parameter(material, "E")))
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "materials.%s: the law '%s' has no E; method peridynamics brings its own law, "
                "bonds "
                "of a stiffness that follows from E; try: law fixed_corotated or sand",
                material->name, law->name);
        if (law->is_plastic && strcmp(law->name, "sand") != 0)
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "materials.%s: the law '%s' flows in a way that bonds cannot follow; allowed with "
                "method peridynamics: elastic laws, and sand; try: method sph_elastic or mpm",
                material->name, law->name);
    }
    if (sim->n_sinks > 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "sinks: method peridynamics cannot delete particles, whose bonds "
                                 "carry the plastic state; try: method mpm");
    return FIRN_OK;
}

static void release_points(firn_sim *sim)
{
    firn_peridynamics *q = sim->meshless->own;
    const size_t n = (size_t)q->point_capacity;
    double **columns[] = {&q->target, &q->solved, &q->residual, &q->direction, &q->applied};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        firn_memory_release(&sim->memory, *columns[k], 3 * n * sizeof(double));
        *columns[k] = NULL;
    }
    firn_memory_release(&sim->memory, q->share, n * sizeof *q->share);
    firn_memory_release(&sim->memory, q->flowed, n * sizeof *q->flowed);
    firn_memory_release(&sim->memory, q->held, n);
    q->share = q->flowed = NULL;
    q->held = NULL;
    q->point_capacity = 0;
}

static void release_pairs(firn_sim *sim)
{
    firn_peridynamics *q = sim->meshless->own;
    const size_t n = (size_t)q->pair_capacity * sizeof(double);
    firn_memory_release(&sim->memory, q->own_length, n);
    firn_memory_release(&sim->memory, q->stiff, n);
    firn_memory_release(&sim->memory, q->length, n);
    q->own_length = q->stiff = q->length = NULL;
    q->pair_capacity = q->n_lengths = 0;
}

static void destroy(firn_sim *sim)
{
    firn_peridynamics *q = sim->meshless->own;
    const size_t n = (size_t)sim->n_materials * sizeof(double);
    if (!q) return;
    release_points(sim);
    release_pairs(sim);
    firn_memory_release(&sim->memory, q->k, n);
    firn_memory_release(&sim->memory, q->A, n);
    firn_memory_release(&sim->memory, q->B, n);
    firn_memory_release(&sim->memory, q, sizeof *q);
    sim->meshless->own = NULL;
}

/* Stiffness and cone of a material; wet sand as in the law sand. */
static void resolve(const firn_sim *sim, int m, firn_peridynamics *q)
{
    const firn_material *material = &sim->materials[m].resolved;
    const double E = firn_meshless_parameter(material, "E"),
                 nu = firn_meshless_parameter(material, "nu"), mu = E / (2 * (1 + nu)),
                 lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    q->k[m] = sim->scene.meshless.as_printed && !isnan(nu) ? 2 * mu + lambda : 6 * E;
    q->A[m] = INFINITY;
    q->B[m] = 0;
    if (!material->law->info.is_plastic) return;
    const double wet = firn_meshless_parameter(material, "saturation"),
                 angle = (1 - wet) * firn_meshless_parameter(material, "friction_angle") +
                         wet * firn_meshless_parameter(material, "wet_friction_angle"),
                 cohesion = firn_meshless_parameter(material, "cohesion") +
                            4 * wet * (1 - wet) * firn_meshless_parameter(material, "wet_cohesion");
    firn_bonds_cone(angle, cohesion, &q->A[m], &q->B[m]);
}

static firn_status create_own(firn_sim *sim, firn_messages *messages)
{
    const size_t n = (size_t)sim->n_materials;
    firn_peridynamics *q = firn_memory_array(&sim->memory, 1, sizeof *q);
    if (!q) return firn_messages_no_memory(messages, "materials");
    sim->meshless->own = q;
    q->k = firn_memory_array(&sim->memory, n, sizeof *q->k);
    q->A = firn_memory_array(&sim->memory, n, sizeof *q->A);
    q->B = firn_memory_array(&sim->memory, n, sizeof *q->B);
    if (!q->k || !q->A || !q->B) return firn_messages_no_memory(messages, "materials");
    for (int m = 0; m < sim->n_materials; m++) {
        resolve(sim, m, q);
        sim->meshless->modulus[m] = 0.2 * q->k[m]; /* lambda + 2 mu of nu = 1/4: 3 k/15 */
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- reference state */

/* The place of j's bond to i. */
static int64_t twin_of(const firn_neighbours *bonds, int32_t i, int32_t j)
{
    int64_t low = bonds->first[j], high = bonds->first[j + 1] - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (bonds->other[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Weight of a bond by its distance: constant unless a kernel is chosen. */
static double weight_of(const firn_sim *sim, int32_t i, int32_t j, double r)
{
    const struct firn_meshless *s = sim->meshless;
    if (sim->scene.meshless.kernel == 0) return 1;
    return s->kernel->value(r, 0.5 * s->support * (s->spacing[i] + s->spacing[j]));
}

/* The elastic stretch along X of the strain in column flux, which a new bond takes over. */
static double carried(const struct firn_meshless *s, const firn_peridynamics *q, int32_t i,
                      const double X[3])
{
    double y[3];
    if (!q->is_carried) return 0;
    small3_apply(s->flux + 9 * i, X, y);
    const double along = X[0] * y[0] + X[1] * y[1] + X[2] * y[2],
                 size2 = X[0] * X[0] + X[1] * X[1] + X[2] * X[2];
    return size2 > 0 ? fmax(-0.5, along / size2) : 0;
}

static void weigh(firn_sim *sim, int32_t i)
{
    struct firn_meshless *s = sim->meshless;
    firn_peridynamics *q = s->own;
    double sum = 0;
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        const int32_t j = s->bonds.other[b];
        double X[3];
        firn_meshless_pair(s->rest, i, j, X);
        s->weight[b] = weight_of(sim, i, j, firn_meshless_length(X));
        sum += s->volume[j] * s->weight[b];
        if (!q->is_loaded) q->own_length[b] = firn_meshless_length(X) / (1 + carried(s, q, i, X));
    }
    q->share[i] = sum > 0 ? q->k[firn_meshless_material(sim, i)] * s->volume[i] / sum : 0;
}

/* c_ij and the mean length; where lengths have flowed they are taken up here. */
static void stiffen(firn_sim *sim, int32_t i)
{
    struct firn_meshless *s = sim->meshless;
    firn_peridynamics *q = s->own;
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        const int32_t j = s->bonds.other[b];
        const int64_t twin = twin_of(&s->bonds, i, j);
        double X[3];
        firn_meshless_pair(s->rest, i, j, X);
        const double X2 = X[0] * X[0] + X[1] * X[1] + X[2] * X[2],
                     mine = q->share[i] * s->volume[j] * s->weight[b] / X2,
                     others = q->share[j] * s->volume[i] * s->weight[b] / X2;
        q->stiff[b] = mine + others;
        q->length[b] = q->stiff[b] > 0
                           ? (mine * q->own_length[b] + others * q->own_length[twin]) / q->stiff[b]
                           : 0;
    }
}

static firn_status reserve(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    firn_peridynamics *q = s->own;
    const int64_t pairs = s->bonds.first[s->n];
    if (s->n > q->point_capacity) {
        release_points(sim);
        const size_t n = (size_t)s->capacity;
        double **columns[] = {&q->target, &q->solved, &q->residual, &q->direction, &q->applied};
        int is_complete = 1;
        q->point_capacity = s->capacity;
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            *columns[k] = firn_memory_array(&sim->memory, n, 3 * sizeof(double));
            is_complete &= *columns[k] != NULL;
        }
        q->share = firn_memory_array(&sim->memory, n, sizeof *q->share);
        q->flowed = firn_memory_array(&sim->memory, n, sizeof *q->flowed);
        q->held = firn_memory_array(&sim->memory, n, 1);
        if (!is_complete || !q->share || !q->flowed || !q->held)
            return firn_messages_no_memory(messages, "%d particles", s->n);
    }
    if (q->is_loaded && q->n_lengths != pairs)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "saved state: its bonds are not those of its particles");
    if (pairs > q->pair_capacity) {
        release_pairs(sim);
        const size_t n = (size_t)(pairs + pairs / 16);
        q->pair_capacity = (int64_t)n;
        q->own_length = firn_memory_array(&sim->memory, n, sizeof(double));
        q->stiff = firn_memory_array(&sim->memory, n, sizeof(double));
        q->length = firn_memory_array(&sim->memory, n, sizeof(double));
        if (!q->own_length || !q->stiff || !q->length)
            return firn_messages_no_memory(messages, "%lld bonds", (long long)pairs);
    }
    q->n_lengths = pairs;
    return FIRN_OK;
}

static firn_status refer(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    firn_peridynamics *q = s->own;
    const firn_status status = reserve(sim, messages);
    if (status != FIRN_OK) return status;
#pragma omp parallel num_threads(sim->n_threads)
    {
#pragma omp for schedule(static)
        for (int32_t i = 0; i < s->n; i++) weigh(sim, i);
#pragma omp for schedule(static)
        for (int32_t i = 0; i < s->n; i++) stiffen(sim, i);
    }
    q->is_loaded = q->is_carried = 0;
    for (int32_t i = 0; i < s->n; i++)
        s->compliant[i] = s->stiff[i] = s->hold[i] = 0; /* implicit: no bound but speed */
    return FIRN_OK;
}

/* ---------------------------------------------------------------- strain, stress, plastic flow */

typedef struct stretches {
    double mean, rms; /* of e, and of e - mean */
    double tensor[9]; /* of the affine strain: 15/2 <e n n> - 3/2 <e> I */
} stretches;

static stretches measure(const firn_sim *sim, int32_t i)
{
    const struct firn_meshless *s = sim->meshless;
    const firn_peridynamics *q = s->own;
    stretches t = {0};
    double sum = 0, square = 0, n[3];
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        const int32_t j = s->bonds.other[b];
        double X[3], x[3];
        firn_meshless_pair(s->rest, i, j, X);
        firn_meshless_pair(s->x, i, j, x);
        const double size = firn_meshless_length(x),
                     e = (size - q->own_length[b]) / firn_meshless_length(X),
                     w = s->volume[j] * s->weight[b];
        sum += w;
        t.mean += w * e;
        square += w * e * e;
        for (int a = 0; a < 3; a++) n[a] = size > 0 ? x[a] / size : 0;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) t.tensor[3 * r + c] += 7.5 * w * e * n[r] * n[c];
    }
    if (!(sum > 0)) return t;
    t.mean /= sum;
    t.rms = sqrt(fmax(0, square / sum - t.mean * t.mean));
    for (int c = 0; c < 9; c++) t.tensor[c] = t.tensor[c] / sum - (c % 4 == 0 ? 1.5 * t.mean : 0);
    return t;
}

/* Moves the lengths at rest of particle i; returns the plastic work density, J/m^3. */
static double flow(firn_sim *sim, int m, int32_t i)
{
    struct firn_meshless *s = sim->meshless;
    firn_peridynamics *q = s->own;
    const stretches t = measure(sim, i);
    const double p = -q->k[m] / 3 * t.mean, sqrt_J2 = sqrt(15) * q->k[m] / 15 * t.rms;
    double alpha, beta;
    firn_bonds_return(q->A[m], q->B[m], sqrt_J2, p, &alpha, &beta);
    if (alpha == 0 && beta == 0) return 0;
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        double X[3], x[3];
        firn_meshless_pair(s->rest, i, s->bonds.other[b], X);
        firn_meshless_pair(s->x, i, s->bonds.other[b], x);
        const double size = firn_meshless_length(X),
                     e = (firn_meshless_length(x) - q->own_length[b]) / size;
        q->own_length[b] += (alpha * t.mean + beta * (e - t.mean)) * size;
    }
    const double mean = (1 - alpha) * t.mean, rms = (1 - beta) * t.rms;
    return 0.5 * q->k[m] * (t.mean * t.mean + t.rms * t.rms - mean * mean - rms * rms);
}

static double flowed_of(const firn_sim *sim, int32_t i)
{
    const struct firn_meshless *s = sim->meshless;
    const firn_peridynamics *q = s->own;
    double sum = 0, square = 0;
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        double X[3];
        firn_meshless_pair(s->rest, i, s->bonds.other[b], X);
        const double flowed = q->own_length[b] / firn_meshless_length(X) - 1;
        sum += s->weight[b];
        square += s->weight[b] * flowed * flowed;
    }
    return sum > 0 ? sqrt(square / sum) : 0;
}

/* Moves of one pass of redistribution, in column force; pairs in order, so that sums are too. */
static void spread(firn_sim *sim, double share)
{
    struct firn_meshless *s = sim->meshless;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        double move[3] = {0, 0, 0};
        for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
            const int32_t j = s->bonds.other[b];
            const double spacing = 0.5 * (s->spacing[i] + s->spacing[j]);
            double x[3];
            firn_meshless_pair(s->x, i, j, x);
            const double r = firn_meshless_length(x), part = s->mass[j] / (s->mass[i] + s->mass[j]);
            if (!(r < spacing) || !(r > 0)) continue;
            for (int a = 0; a < 3; a++) move[a] -= share * part * (spacing - r) * x[a] / r;
        }
        memcpy(s->force + 3 * i, move, sizeof move);
    }
    for (int32_t i = 0; i < 3 * s->n; i++) s->x[i] += s->force[i];
}

/* New bonds around the present positions, with the elastic strain of the old ones. */
static firn_status renew(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    firn_peridynamics *q = s->own;
    double most = 0;
    if (!(sim->scene.meshless.reset > 0)) return FIRN_OK;
    for (int32_t i = 0; i < s->n; i++) q->flowed[i] = flowed_of(sim, i);
    for (int32_t i = 0; i < s->n; i++) most = fmax(most, q->flowed[i]);
    if (!(most > sim->scene.meshless.reset)) return FIRN_OK;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        const stretches t = measure(sim, i);
        memcpy(s->flux + 9 * i, t.tensor, sizeof t.tensor);
    }
    if (sim->scene.peridynamics.redistribute > 0)
        spread(sim, 0.5 * sim->scene.peridynamics.redistribute);
    firn_meshless_take_reference(sim);
    q->is_carried = 1;
    sim->n_sorts++;
    return firn_meshless_refer(sim, messages);
}

static firn_status strain(firn_sim *sim, int is_step, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    const firn_peridynamics *q = s->own;
    int flows = 0;
    for (int m = 0; is_step && m < sim->n_materials; m++) {
        if (isinf(q->A[m])) continue;
        flows = 1;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) s->rate[i] = flow(sim, m, i);
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++)
            sim->materials[m].sums.plastic += s->volume[i] * s->rate[i];
    }
    if (flows)
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = 0; i < s->n; i++) stiffen(sim, i);
    return flows ? renew(sim, messages) : FIRN_OK;
}

/* tau of the affine strain, and F = I + that strain: what bonds say of a volume. */
static void stress(firn_sim *sim, int is_step)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    struct firn_meshless *s = sim->meshless;
    const firn_peridynamics *q = s->own;
    (void)is_step;
    for (int m = 0; m < sim->n_materials; m++)
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            const stretches t = measure(sim, i);
            const double G = q->k[m] / 15, trace = t.tensor[0] + t.tensor[4] + t.tensor[8];
            for (int c = 0; c < 6; c++)
                firn_meshless_set(&s->particles[m], FIRN_FIELD_TAU, i - s->first[m], c,
                                  2 * G * t.tensor[3 * row[c] + column[c]] +
                                      (c < 3 ? G * trace : 0));
            for (int c = 0; c < 9; c++)
                firn_meshless_set(&s->particles[m], FIRN_FIELD_F, i - s->first[m], c,
                                  t.tensor[c] + (c % 4 == 0));
            s->wave[i] = sqrt(0.2 * q->k[m] / sim->materials[m].resolved.density);
            s->viscosity[i] = 0;
        }
}

static double energy(const firn_sim *sim, int32_t i)
{
    const firn_peridynamics *q = sim->meshless->own;
    const stretches t = measure(sim, i);
    return 0.5 * q->k[firn_meshless_material(sim, i)] * (t.mean * t.mean + t.rms * t.rms);
}

/* ---------------------------------------------------------------- the method */

/* The lengths at rest of bonds. */
static firn_status pass(firn_sim *sim, firn_walk *w, firn_messages *messages)
{
    firn_peridynamics *q = sim->meshless->own;
    int64_t n = q->n_lengths;
    firn_walk_pass(w, &n, sizeof n);
    if (w->is_reading) {
        if (w->is_short || n < 0 || (uint64_t)n > (size_t)(w->end - w->at) / sizeof(double))
            return firn_messages_add(messages, FIRN_REFUSED, "saved state: ends too early");
        release_pairs(sim);
        q->pair_capacity = n + 1;
        q->own_length = firn_memory_array(&sim->memory, (size_t)n + 1, sizeof(double));
        q->stiff = firn_memory_array(&sim->memory, (size_t)n + 1, sizeof(double));
        q->length = firn_memory_array(&sim->memory, (size_t)n + 1, sizeof(double));
        if (!q->own_length || !q->stiff || !q->length)
            return firn_messages_no_memory(messages, "%lld bonds", (long long)n);
        q->n_lengths = n;
        q->is_loaded = 1;
    }
    firn_walk_pass(w, q->own_length, (size_t)n * sizeof(double));
    return FIRN_OK;
}

static const firn_meshless_hooks hooks = {
    .has_reference = 1,
    .is_implicit = 1,
    .renews = 1,
    .kernel = "cubic", /* of its own: a constant weight, see weight_of */
    .support = 3.01,
    .check = check,
    .refer = refer,
    .forces = firn_peridynamics_forces,
    .strain = strain,
    .stress = stress,
    .energy = energy,
    .pass = pass,
    .destroy = destroy,
};

static firn_status create(firn_sim *sim, const firn_run_options *options, firn_messages *messages)
{
    const firn_status status = firn_meshless_create(sim, &hooks, options, messages);
    return status == FIRN_OK ? create_own(sim, messages) : status;
}

const firn_method firn_method_peridynamics = FIRN_MESHLESS_METHOD(
    create, .name = "peridynamics", .title = "projective peridynamics, implicit",
    .citation =
        "X. He, H. Wang, E. Wu, Projective peridynamics for modeling versatile "
        "elastoplastic materials, IEEE Trans. Vis. Comput. Graph. 24 (2018); S. A. Silling, "
        "J. Mech. Phys. Solids 48 (2000)",
    .validity =
        "elastic solids (of their parameters E and rho count, nu is always 1/4) and sand; any "
        "dt, at the price of damping; always in double");
