/* SPDX-License-Identifier: MIT */
/* attributes.c: particles by name. One table states what each attribute is, its unit, and how it
 * follows from the fields of a particle (fields.h); snapshots for caches, copies and assignment of
 * the C interface, `firn help` and `firn info` are all made from it.
 *
 * Attributes are ordered by id. Methods store particles in an order of their own, which changes at
 * every sort, so a ranking (a bitmap of ids with running counts) turns an id into a row. Rows are
 * independent of each other: filling them in parallel changes no bit.
 *
 * Derived quantities, with tau the Kirchhoff stress and J_p the plastic volume ratio of the law's
 * history (1 without one):
 *
 *     J        = det F J_p                  V = J V0
 *     stress   = tau / J      Pa            pressure = - tr(stress) / 3
 *     pscale   = V0^(1/3) / 2 m             sphere inscribed in the cube V0 */
#include "solver/attributes.h"
#include "solver/law_attribute.h"
#include "laws/history.h"
#include "solver/paint.h"
#include "solver/records.h"
#include "solver/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct particle { /* one particle and where it stands */
    const firn_sim *sim;
    firn_place at;
} particle;

typedef void (*attribute_fn)(const particle *p, double *out);

static void copy_field(const particle *p, firn_field field, double *out)
{
    p->sim->method->read(p->sim, p->at, 1, field, out);
}
static double scalar(const particle *p, firn_field field)
{
    return firn_solver_value(p->sim, p->at, field, 0);
}

static double determinant(const double F[9])
{
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
           F[2] * (F[3] * F[7] - F[4] * F[6]);
}

static int history_index(const firn_sim_material *material, const char *name)
{
    const firn_law_info *law = &material->resolved.law->info;
    for (int i = 0; i < law->n_history; i++)
        if (strcmp(law->history[i].name, name) == 0) return i;
    return -1;
}
static const firn_sim_material *material_of(const particle *p)
{
    return &p->sim->materials[p->at.material];
}
static double history(const particle *p, const char *name, double otherwise)
{
    int i = history_index(material_of(p), name);
    return i < 0 ? otherwise : firn_solver_value(p->sim, p->at, FIRN_FIELD_HISTORY, i);
}

/* Radius of the sphere inscribed in the cube of the particle's initial volume, m; in plane strain of
 * the circle in its square. */
static void get_pscale(const particle *p, double *out)
{
    const double volume = scalar(p, FIRN_FIELD_VOLUME);
    out[0] = 0.5 * (p->sim->scene.grid.geometry == FIRN_PLANE_STRAIN ? sqrt(volume / p->sim->h)
                                                                     : cbrt(volume));
}
/* Position plus the periods travelled, m. */
static void get_unwrapped(const particle *p, double *out)
{
    const firn_grid_def *grid = &p->sim->scene.grid;
    double images[3];
    copy_field(p, FIRN_FIELD_X, out);
    copy_field(p, FIRN_FIELD_IMAGE, images);
    for (int a = 0; a < 3; a++) out[a] += images[a] * (grid->box_max[a] - grid->box_min[a]);
}
static void get_Cd(const particle *p, double *out)
{
    firn_paint_color(p->sim, p->at.material, (uint32_t)scalar(p, FIRN_FIELD_ID), out);
}
static void get_material(const particle *p, double *out) { out[0] = p->at.material; }
/* A quantity from the law's history, by its role; `otherwise`: the value for laws without it. */
static double kept(const particle *p, firn_quantity wanted, double otherwise)
{
    const firn_law_info *law = &material_of(p)->resolved.law->info;
    int k = firn_history_find(law, wanted);
    return k < 0 ? otherwise
                 : firn_history_value(&law->history[k],
                                      firn_solver_value(p->sim, p->at, FIRN_FIELD_HISTORY, k));
}
/* J = det F J_p: F is the elastic part alone, so laws with plastic volume change keep J_p in their
 * history. */
static double volume_ratio(const particle *p)
{
    double F[9];
    copy_field(p, FIRN_FIELD_F, F);
    return determinant(F) * kept(p, FIRN_QUANTITY_PLASTIC_VOLUME, 1);
}
static void get_J(const particle *p, double *out) { out[0] = volume_ratio(p); }
static void get_Jp(const particle *p, double *out)
{
    out[0] = kept(p, FIRN_QUANTITY_PLASTIC_VOLUME, 1);
}
/* Cauchy stress tau / J, Pa. J <= 0 (an inverted particle) has no Cauchy stress: zeros. */
static void get_stress(const particle *p, double *out)
{
    double J = volume_ratio(p);
    copy_field(p, FIRN_FIELD_TAU, out);
    for (int c = 0; c < 6; c++) out[c] = J > 0 ? out[c] / J : 0;
}
static void get_pressure(const particle *p, double *out)
{
    double s[6];
    get_stress(p, s);
    out[0] = -(s[0] + s[1] + s[2]) / 3;
}
static void get_plastic_strain(const particle *p, double *out)
{
    out[0] = kept(p, FIRN_QUANTITY_PLASTIC_STRAIN, 0);
}
static void get_damage(const particle *p, double *out)
{
    out[0] = kept(p, FIRN_QUANTITY_DAMAGE, 0);
}
/* The sum of the two reals that hold it. */
static void get_enthalpy(const particle *p, double *out)
{
    double h[FIRN_FIELD_MOST] = {0};
    copy_field(p, FIRN_FIELD_ENTHALPY, h);
    out[0] = h[0] + h[1];
}
static void get_source(const particle *p, double *out)
{
    out[0] = firn_solver_source(p->sim, (uint32_t)scalar(p, FIRN_FIELD_ID));
}

/* The rotation R of F = R U as a quaternion x y z w with w >= 0: the polar decomposition by Newton's
 * iteration R <- (R + R^-T) / 2 (N. J. Higham, SIAM J. Sci. Stat. Comput. 7, 1160-1174, 1986).
 * Inverted particles have none: (0, 0, 0, 1). */
static void get_orient(const particle *p, double *out)
{
    double R[9], next[9];
    copy_field(p, FIRN_FIELD_F, R);
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    if (!(determinant(R) > 0)) return;
    for (int step = 0; step < 60; step++) {
        double change = 0, J = determinant(R);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                const double cofactor =
                    R[3 * i1 + j1] * R[3 * i2 + j2] - R[3 * i1 + j2] * R[3 * i2 + j1];
                next[3 * i + j] = 0.5 * (R[3 * i + j] + cofactor / J);
                change = fmax(change, fabs(next[3 * i + j] - R[3 * i + j]));
            }
        memcpy(R, next, sizeof R);
        if (!(change > 1e-12)) break;
    }
    /* the largest of 4 x^2, 4 y^2, 4 z^2, 4 w^2 first, so that nothing small is divided by */
    const double trace = R[0] + R[4] + R[8];
    double q[4] = {R[7] - R[5], R[2] - R[6], R[3] - R[1], 1 + trace};
    for (int i = 0; i < 3 && trace <= 0; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (R[4 * i] < R[4 * j] || R[4 * i] < R[4 * k]) continue;
        q[i] = 1 + R[4 * i] - R[4 * j] - R[4 * k];
        q[j] = R[3 * i + j] + R[3 * j + i];
        q[k] = R[3 * i + k] + R[3 * k + i];
        q[3] = R[3 * k + j] - R[3 * j + k];
        break;
    }
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; c++) out[c] = q[c] / (q[3] < 0 ? -length : length);
}
static void get_age(const particle *p, double *out)
{
    out[0] = p->sim->time - scalar(p, FIRN_FIELD_BORN);
}
/* Mean acceleration since the last output time, m/s^2 (records.c). */
static void get_accel(const particle *p, double *out)
{
    double before[FIRN_FIELD_MOST], v[FIRN_FIELD_MOST];
    copy_field(p, FIRN_FIELD_V_FRAME, before);
    copy_field(p, FIRN_FIELD_V, v);
    const double dt = p->sim->time - before[3];
    for (int a = 0; a < 3; a++) out[a] = dt > 0 ? (v[a] - before[a]) / dt : 0;
}

#define COPY(field) (FIRN_FIELD_##field + 1)

static const struct {
    firn_attribute_info info;
    attribute_fn get; /* of one particle; or NULL: */
    int copied;       /* COPY of a field; 0: what the law measures, 16 particles at once */
} table[] = {
    {{"P", "m", "position", FIRN_ATTRIBUTE_VECTOR, 3}, NULL, COPY(X)},
    {{"v", "m/s", "velocity", FIRN_ATTRIBUTE_VECTOR, 3}, NULL, COPY(V)},
    {{"id", "", "number of the particle, never used twice", FIRN_ATTRIBUTE_INT, 1}, NULL, COPY(ID)},
    {{"pscale", "m", "radius for rendering: half the edge of the cube that the particle stands for",
      FIRN_ATTRIBUTE_FLOAT, 1},
     get_pscale},
    {{"mass", "kg", "mass", FIRN_ATTRIBUTE_FLOAT, 1}, NULL, COPY(MASS)},
    {{"volume", "m^3", "initial volume", FIRN_ATTRIBUTE_FLOAT, 1}, NULL, COPY(VOLUME)},
    {{"Cd", "", "color: of the material, or from its color_map", FIRN_ATTRIBUTE_VECTOR, 3}, get_Cd},
    {{"material", "", "name of the material", FIRN_ATTRIBUTE_INDEX, 1}, get_material},
    {{"material_id", "", "number of the material in the scene", FIRN_ATTRIBUTE_INT, 1},
     get_material},
    {{"source", "", "name of the body or emitter it came from", FIRN_ATTRIBUTE_INDEX, 1},
     get_source},
    {{"F", "", "elastic deformation gradient, row by row", FIRN_ATTRIBUTE_FLOAT, 9}, NULL, COPY(F)},
    {{"C", "1/s", "affine velocity matrix, row by row", FIRN_ATTRIBUTE_FLOAT, 9}, NULL, COPY(C)},
    {{"T", "K", "temperature", FIRN_ATTRIBUTE_FLOAT, 1}, NULL, COPY(T)},
    {{"unwrapped", "m",
      "position without the jumps at periodic walls: P plus the periods travelled",
      FIRN_ATTRIBUTE_VECTOR, 3},
     get_unwrapped},
    {{"orient", "", "rotation of F as a quaternion x y z w; of fluids, which keep none, 0 0 0 1",
      FIRN_ATTRIBUTE_FLOAT, 4},
     get_orient},
    {{"rest", "m", "where the particle was made", FIRN_ATTRIBUTE_VECTOR, 3}, NULL, COPY(REST)},
    {{"age", "s", "time since birth", FIRN_ATTRIBUTE_FLOAT, 1}, get_age},
    {{"accel", "m/s^2", "mean acceleration since the last output time", FIRN_ATTRIBUTE_VECTOR, 3},
     get_accel},
    {{"liquid_fraction", "", "liquid fraction: 0 solid, 1 liquid", FIRN_ATTRIBUTE_FLOAT, 1},
     NULL,
     COPY(LIQUID)},
    {{"enthalpy", "J/kg", "specific enthalpy, 0 at 273.15 K", FIRN_ATTRIBUTE_FLOAT, 1},
     get_enthalpy},
    {{"J", "", "volume over initial volume, elastic and plastic part", FIRN_ATTRIBUTE_FLOAT, 1},
     get_J},
    {{"Jp", "", "plastic part of J; 1 where the law flows at constant volume", FIRN_ATTRIBUTE_FLOAT,
      1},
     get_Jp},
    {{"stress", "Pa", "Cauchy stress xx yy zz xy xz yz", FIRN_ATTRIBUTE_FLOAT, 6}, get_stress},
    {{"pressure", "Pa", "minus a third of the trace of the Cauchy stress", FIRN_ATTRIBUTE_FLOAT, 1},
     get_pressure},
    {{"yield", "",
      "share of the yield surface reached: below 1 elastic, 1 yields, above 1 flow takes time",
      FIRN_ATTRIBUTE_FLOAT, 1},
     NULL},
    {{"bounded", "",
      "bounds that the law meets in this state, a sum: 1 inverted, 2 parameter, 4 collapsed, 8 "
      "volume, 16 continued, 32 hardening, 64 flow, 128 memory",
      FIRN_ATTRIBUTE_INT, 1},
     NULL},
    {{"plastic_strain", "", "accumulated equivalent plastic strain", FIRN_ATTRIBUTE_FLOAT, 1},
     get_plastic_strain},
    {{"damage", "", "broken share of the structure: 0 whole, 1 broken", FIRN_ATTRIBUTE_FLOAT, 1},
     get_damage},
};
enum { N_TABLE = (int)(sizeof table / sizeof *table) };

const firn_attribute_info *firn_attribute_at(int i)
{
    return i >= 0 && i < N_TABLE ? &table[i].info : NULL;
}

/* The quantity of a law's history that an attribute shows; FIRN_N_QUANTITIES or NONE: none. */
static firn_quantity quantity_named(const char *name)
{
    int q = 0;
    while (q < FIRN_N_QUANTITIES && strcmp(firn_quantity_name((firn_quantity)q), name) != 0) q++;
    return (firn_quantity)q;
}

/* Whether the attribute is a property of particles of this law, rather than a default. */
static int carries(const firn_law_info *law, const char *name)
{
    return strcmp(name, "yield") == 0 ? law->is_plastic
                                      : firn_history_find(law, quantity_named(name)) >= 0;
}

void firn_attribute_ask(const char *name, const firn_law_info *law, firn_attribute_answer *answer)
{
    int has_it = carries(law, name), flows = law->is_plastic || law->is_fluid;
    answer->n_carrying += has_it;
    if (quantity_named(name) == FIRN_QUANTITY_PLASTIC_STRAIN && !has_it && flows)
        answer->lacking = law;
}

int firn_attribute_refusal(const char *name, const firn_attribute_answer *answer, char *why,
                           size_t n_why)
{
    firn_quantity quantity = quantity_named(name);
    int needs_law = quantity == FIRN_QUANTITY_PLASTIC_STRAIN || quantity == FIRN_QUANTITY_DAMAGE ||
                    strcmp(name, "yield") == 0;
    if (!needs_law || (answer->n_carrying && !answer->lacking)) return 0;
    int n = answer->lacking
                ? snprintf(why, n_why, "law '%s' flows without keeping it", answer->lacking->name)
                : snprintf(why, n_why, "no law of the scene has it");
    const char *before = "; laws that have it: ";
    for (int i = 0; i < firn_law_count() && n >= 0 && (size_t)n < n_why; i++) {
        if (!carries(firn_law_at(i), name)) continue;
        n += snprintf(why + n, n_why - (size_t)n, "%s%s", before, firn_law_at(i)->name);
        before = ", ";
    }
    return 1;
}

/* Refuses an attribute that has no meaning for some particle: a column of zeros would read as a
 * result. */
static firn_status check_attribute(const firn_sim *sim, const char *name, firn_messages *messages)
{
    firn_attribute_answer answer = {0};
    char why[512];
    if (firn_records_of(name) & ~sim->records && strcmp(name, "rest") != 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "attribute '%s': not recorded; try: name it in the outputs of the "
                                 "scene",
                                 name);
    for (int m = 0; m < sim->n_materials && firn_records_of(name) == FIRN_RECORD_REST; m++)
        if (sim->method->n_components(sim, m, FIRN_FIELD_REST) == 0)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "attribute 'rest': not recorded; try: name it in the outputs "
                                     "of the scene");
    for (int m = 0; m < sim->n_materials; m++)
        firn_attribute_ask(name, &sim->materials[m].resolved.law->info, &answer);
    if (!firn_attribute_refusal(name, &answer, why, sizeof why)) return FIRN_OK;
    return firn_messages_add(messages, FIRN_REFUSED, "attribute '%s': %s", name, why);
}

/* An attribute by name: *entry in the table, or -1 for a history field of some law. */
static int find_entry(const firn_sim *sim, const char *name, int *entry)
{
    for (*entry = 0; *entry < N_TABLE; ++*entry)
        if (strcmp(table[*entry].info.name, name) == 0) return 1;
    *entry = -1;
    for (int m = 0; sim && m < sim->n_materials; m++)
        if (history_index(&sim->materials[m], name) >= 0) return 1;
    return 0;
}

int firn_attribute_components(const char *name)
{
    int entry;
    return find_entry(NULL, name, &entry) ? table[entry].info.n_components : 0;
}

/* ---------------------------------------------------------------- order by id */

/* The rank of an id among those that exist: a bitmap with a running count per word of 64 ids.
 * rank(id) = before[word] + popcount(lower bits of the word); 1.5 bits per id ever given, against 8
 * bytes of a table. */
typedef struct ranking {
    uint64_t *bits;
    int64_t *before; /* particles with ids below the word's first */
    size_t n_words;
    int64_t n;
} ranking;

static void drop_ranking(firn_sim *sim, ranking *r)
{
    firn_memory_release(&sim->memory, r->bits, r->n_words * sizeof *r->bits);
    firn_memory_release(&sim->memory, r->before, r->n_words * sizeof *r->before);
}

/* Ranks of every nth id: ids that are multiples of `nth`. Selecting by id rather than by place
 * keeps the same particles in every frame. */
static firn_status make_ranking(firn_sim *sim, int nth, ranking *r)
{
    const firn_method *method = sim->method;
    r->n_words = (size_t)sim->next_id / 64 + 1;
    r->bits = firn_memory_array(&sim->memory, r->n_words, sizeof *r->bits);
    r->before = firn_memory_array(&sim->memory, r->n_words, sizeof *r->before);
    if (!r->bits || !r->before) return FIRN_MEMORY;
    for (int m = 0; m < sim->n_materials; m++) {
        firn_place at = {.material = m};
        for (at.block = 0; at.block < method->n_blocks(sim, m); at.block++)
            for (at.index = 0; at.index < method->block_size(sim, m, at.block);) {
                double ids[64];
                int n = method->block_size(sim, m, at.block) - at.index;
                if (n > 64) n = 64;
                method->read(sim, at, n, FIRN_FIELD_ID, ids);
                for (int k = 0; k < n; k++) {
                    const uint32_t id = (uint32_t)ids[k];
                    if (id % (uint32_t)nth == 0) r->bits[id / 64] |= 1ull << id % 64;
                }
                at.index += n;
            }
    }
    r->n = 0;
    for (size_t w = 0; w < r->n_words; w++) {
        r->before[w] = r->n;
        r->n += __builtin_popcountll(r->bits[w]);
    }
    return FIRN_OK;
}

static int64_t rank_of(const ranking *r, uint32_t id)
{
    uint64_t word = r->bits[id / 64], bit = 1ull << id % 64;
    return word & bit ? r->before[id / 64] + __builtin_popcountll(word & (bit - 1)) : -1;
}

/* Receives the values of one particle; called from several threads, each rank once. */
typedef void (*put_fn)(void *user, int64_t rank, const double *values);

enum { AT_ONCE = 16 };

/* The values of n consecutive particles, [n][components]. */
static void take_values(firn_sim *sim, firn_place at, int n, int entry, const char *name,
                        double *values)
{
    if (entry >= 0 && table[entry].copied) {
        sim->method->read(sim, at, n, (firn_field)(table[entry].copied - 1), values);
        return;
    }
    if (entry >= 0 && !table[entry].get) {
        firn_law_attribute_take(sim, at, n, strcmp(name, "yield") == 0 ? values : NULL,
                                strcmp(name, "bounded") == 0 ? values : NULL);
        return;
    }
    const int n_components = entry < 0 ? 1 : table[entry].info.n_components;
    for (int i = 0; i < n; i++) {
        const particle p = {sim, {at.material, at.block, at.index + i}};
        if (entry >= 0)
            table[entry].get(&p, values + i * n_components);
        else
            values[i] = history(&p, name, 0);
    }
}

/* Calls put for every ranked particle, blocks in parallel. */
static void each_particle(firn_sim *sim, const ranking *r, int entry, const char *name, put_fn put,
                          void *user)
{
    const firn_method *method = sim->method;
    const int n_components = entry < 0 ? 1 : table[entry].info.n_components;
    for (int m = 0; m < sim->n_materials; m++) {
        const int32_t n_blocks = method->n_blocks(sim, m);
#pragma omp parallel for schedule(dynamic, 16) num_threads(sim->n_threads)
        for (int32_t b = 0; b < n_blocks; b++)
            for (int32_t i = 0, n; i < method->block_size(sim, m, b); i += n) {
                const firn_place at = {m, b, i};
                double ids[AT_ONCE], values[AT_ONCE * FIRN_FIELD_MOST];
                n = method->block_size(sim, m, b) - i;
                if (n > AT_ONCE) n = AT_ONCE;
                method->read(sim, at, n, FIRN_FIELD_ID, ids);
                take_values(sim, at, n, entry, name, values);
                for (int k = 0; k < n; k++) {
                    const int64_t rank = rank_of(r, (uint32_t)ids[k]);
                    if (rank >= 0) put(user, rank, values + k * n_components);
                }
            }
    }
}

/* ---------------------------------------------------------------- copies */

typedef struct doubles {
    double *out;
    int n_components;
} doubles;

static void put_doubles(void *user, int64_t rank, const double *values)
{
    const doubles *d = user;
    memcpy(d->out + rank * d->n_components, values, (size_t)d->n_components * sizeof *values);
}

firn_status firn_sim_copy(firn_sim *sim, const char *attribute, double *out, size_t n_out,
                          firn_messages *messages)
{
    if (!sim) return firn_messages_add(messages, FIRN_USAGE, "firn_sim_copy: sim is NULL");
    int entry;
    if (!find_entry(sim, attribute, &entry))
        return firn_messages_add(messages, FIRN_USAGE, "there is no attribute '%s'", attribute);
    if (check_attribute(sim, attribute, messages) != FIRN_OK) return FIRN_REFUSED;
    doubles d = {out, entry < 0 ? 1 : table[entry].info.n_components};
    if (n_out < (size_t)firn_sim_n_particles(sim) * (size_t)d.n_components)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "attribute '%s': %lld particles need %lld numbers (room for %zu)",
                                 attribute, (long long)firn_sim_n_particles(sim),
                                 (long long)firn_sim_n_particles(sim) * d.n_components, n_out);
    ranking r = {0};
    firn_status status = make_ranking(sim, 1, &r);
    if (status == FIRN_OK)
        each_particle(sim, &r, entry, attribute, put_doubles, &d);
    else
        firn_messages_no_memory(messages, "attribute '%s'", attribute);
    drop_ranking(sim, &r);
    return status;
}

static firn_field assignable(const char *name)
{
    static const firn_field fields[] = {FIRN_FIELD_V, FIRN_FIELD_C, FIRN_FIELD_F, FIRN_FIELD_T};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(firn_field_name(fields[i]), name) == 0) return fields[i];
    return FIRN_FIELD_HISTORY;
}

/* The component of a law's history that an attribute names: by quantity (Jp, damage, ...), else by
 * its own name; -1: none. */
static int history_component(const firn_sim_material *material, const char *attribute)
{
    firn_quantity quantity = quantity_named(attribute);
    return quantity == FIRN_QUANTITY_NONE
               ? history_index(material, attribute)
               : firn_history_find(&material->resolved.law->info, quantity);
}

/* Values by role are stored as the law keeps them (ln J_p for Jp, for instance). */
static void assign_material(firn_sim *sim, int m, const ranking *r, firn_field field,
                            const char *attribute, const double *values, int n)
{
    const firn_method *method = sim->method;
    const firn_history_info *components = sim->materials[m].resolved.law->info.history;
    firn_place at = {.material = m};
    const int is_history = field == FIRN_FIELD_HISTORY,
              is_role = is_history && quantity_named(attribute) != FIRN_QUANTITY_NONE;
    const int first = is_history ? history_component(&sim->materials[m], attribute)
                                 : method->n_components(sim, m, field) - n;
    for (at.block = 0; at.block < method->n_blocks(sim, m) && first >= 0; at.block++)
        for (at.index = 0; at.index < method->block_size(sim, m, at.block); at.index++) {
            const uint32_t id = (uint32_t)firn_solver_value(sim, at, FIRN_FIELD_ID, 0);
            const int64_t rank = rank_of(r, id);
            for (int c = 0; c < n; c++) {
                double value = values[rank * n + c];
                if (is_role) value = firn_history_stored(&components[first], value);
                method->write(sim, at, field, first + c, value);
            }
        }
}

/* Values are ordered by id, as firn_sim_copy returns them; the method recomputes stresses and rates
 * afterwards. */
firn_status firn_sim_assign(firn_sim *sim, const char *attribute, const double *values,
                            size_t n_values, firn_messages *messages)
{
    if (!sim) return firn_messages_add(messages, FIRN_USAGE, "firn_sim_assign: sim is NULL");
    firn_field field = assignable(attribute);
    int n = field == FIRN_FIELD_HISTORY ? 1 : firn_attribute_components(attribute), is_kept = 0;
    for (int m = 0; m < sim->n_materials; m++)
        is_kept |= history_component(&sim->materials[m], attribute) >= 0;
    if (field == FIRN_FIELD_HISTORY && !is_kept)
        return firn_messages_add(
            messages, FIRN_USAGE,
            "attribute '%s': cannot be set; allowed: v, C, F, T, history fields of the "
            "laws in use, and Jp, plastic_strain, damage of laws that have them",
            attribute);
    if (n_values != (size_t)firn_sim_n_particles(sim) * (size_t)n)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "attribute '%s': needs %lld numbers (got %zu)", attribute,
                                 (long long)firn_sim_n_particles(sim) * n, n_values);
    ranking r = {0};
    firn_status status = make_ranking(sim, 1, &r);
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++)
        assign_material(sim, m, &r, field, attribute, values, n);
    drop_ranking(sim, &r);
    if (status != FIRN_OK) return firn_messages_no_memory(messages, "attribute '%s'", attribute);
    return sim->method->changed(sim, messages);
}

/* ---------------------------------------------------------------- snapshots */

static void put_attribute(void *user, int64_t rank, const double *values)
{
    firn_attribute *a = user;
    for (int c = 0; c < a->n_components; c++) {
        if (a->type == FIRN_ATTRIBUTE_INT || a->type == FIRN_ATTRIBUTE_INDEX)
            a->data.i[rank * a->n_components + c] = (int32_t)(uint32_t)values[c];
        else
            a->data.f[rank * a->n_components + c] = (float)values[c];
    }
}

static firn_status intern_names(const firn_sim *sim, firn_attribute *a)
{
    int is_source = strcmp(a->name, "source") == 0,
        n = is_source ? sim->n_sources : sim->n_materials;
    for (int i = 0; i < n; i++)
        if (firn_attribute_intern(a, is_source ? sim->sources[i].name
                                               : sim->materials[i].resolved.name) < 0)
            return FIRN_MEMORY;
    return FIRN_OK;
}

/* Two sources may share a name (an emitter that was interrupted by another); the column's indices
 * are those of the names. */
static void fold_sources(const firn_sim *sim, firn_attribute *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int at = firn_attribute_intern(a, sim->sources[a->data.i[i]].name);
        a->data.i[i] = at < 0 ? 0 : at;
    }
}

static firn_status add_attribute(firn_sim *sim, const ranking *r, const char *name,
                                 firn_points *points, firn_messages *messages)
{
    int entry;
    if (!find_entry(sim, name, &entry)) {
        char known[512];
        int n = 0;
        for (int i = 0; i < N_TABLE && n >= 0 && (size_t)n < sizeof known; i++)
            n += snprintf(known + n, sizeof known - (size_t)n, " %s", table[i].info.name);
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "attribute '%s': unknown; allowed:%s, history fields of the laws in use", name, known);
    }
    if (firn_points_find(points, name)) return FIRN_OK;
    if (check_attribute(sim, name, messages) != FIRN_OK) return FIRN_REFUSED;
    firn_attribute *a =
        firn_points_add(points, name, entry < 0 ? FIRN_ATTRIBUTE_FLOAT : table[entry].info.type,
                        entry < 0 ? 1 : table[entry].info.n_components);
    if (!a)
        return firn_messages_no_memory(messages, "attribute '%s' of %lld particles", name,
                                       (long long)points->n);
    if (a->type == FIRN_ATTRIBUTE_INDEX && intern_names(sim, a) != FIRN_OK)
        return firn_messages_no_memory(messages, "attribute '%s'", name);
    each_particle(sim, r, entry, name, put_attribute, a);
    if (strcmp(name, "source") == 0) fold_sources(sim, a, points->n);
    return FIRN_OK;
}

static firn_status add_details(const firn_sim *sim, firn_points *points)
{
    const struct {
        const char *name;
        double value;
    } details[] = {{"time", sim->time}, {"dx", sim->h}, {"dt", sim->dt}};
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        firn_attribute *a =
            firn_points_add_detail(points, details[i].name, FIRN_ATTRIBUTE_FLOAT, 1);
        if (!a) return FIRN_MEMORY;
        a->data.f[0] = (float)details[i].value;
    }
    firn_attribute *version =
        firn_points_add_detail(points, "firn_version", FIRN_ATTRIBUTE_INDEX, 1);
    if (!version || firn_attribute_intern(version, firn_version()) < 0) return FIRN_MEMORY;
    return FIRN_OK;
}

firn_status firn_snapshot_take(firn_sim *sim, const char *attributes, int nth, firn_points **out,
                               firn_messages *messages)
{
    static const char *const usual = "P v id pscale material Cd Jp";
    const char *at = attributes && attributes[0] ? attributes : usual;
    int is_usual = at == usual, has_Jp = 0;
    for (int m = 0; m < sim->n_materials; m++)
        has_Jp |= carries(&sim->materials[m].resolved.law->info, "Jp");
    *out = NULL;
    ranking r = {0};
    firn_status status = make_ranking(sim, nth > 0 ? nth : 1, &r);
    firn_points *points = status == FIRN_OK ? firn_points_create(r.n) : NULL;
    if (!points || add_details(sim, points) != FIRN_OK)
        status = firn_messages_no_memory(messages, "snapshot of %lld particles", (long long)r.n);
    if (status == FIRN_OK)
        status = add_attribute(sim, &r, "P", points, messages); /* no format does without */
    while (status == FIRN_OK && *(at += strspn(at, " ,\t\n"))) {
        char name[FIRN_NAME] = "";
        size_t n = strcspn(at, " ,\t\n");
        memcpy(name, at, n < FIRN_NAME ? n : FIRN_NAME - 1); /* a longer one is unknown anyway */
        at += n;
        if (is_usual && !has_Jp && strcmp(name, "Jp") == 0) continue;
        status = add_attribute(sim, &r, name, points, messages);
    }
    drop_ranking(sim, &r);
    if (status == FIRN_OK)
        *out = points;
    else
        firn_points_destroy(points);
    return status;
}
