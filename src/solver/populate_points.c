/* SPDX-License-Identifier: MIT */
/* populate_points.c: a body from a file of points with attributes, from other programs or from
 * firn's own caches.
 *
 *   P                    m, position; required
 *   v, F, C, T           as in caches; default: the body's velocity, its F, no C, its temperature
 *   volume, mass         default: volume = mass / rho, else (2 pscale)^3, else spacing^3;
 *                        mass = rho volume
 *   material             a string: the material by name, where the body names none
 *   a history field      of the material's law (Jp, volume_gain, ...), else the attribute of the
 *                        same quantity (Jp, plastic_strain, damage)
 *   a parameter          of the law (E, theta_c, ...): per particle, instead of the material's
 *
 * Every number in use is checked (finite, in range) before a particle is made: a refused file
 * leaves the simulation as it was. Other attributes are ignored, with a warning where the author
 * may expect an effect; attributes that firn's caches write for other programs cause none.
 *
 * Points are processed material by material (a `share`), in the order of the file. */
#include "points/points.h"
#include "base/suggest.h"
#include "laws/history.h"
#include "solver/attributes.h"
#include "solver/overlap.h"
#include "solver/paint.h"
#include "solver/periodic.h"
#include "solver/sim.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_CELLS 1000.0 /* largest volume of a particle, in cells */

/* The points of one material, as columns of numbers, before they become particles. */
typedef struct share {
    firn_sim *sim;
    const firn_body_def *def;
    const firn_points *points;
    int material;
    firn_sim_material *of; /* sim->materials[material] */
    const char *path;
    firn_messages *messages;
    firn_overlap_scene *overlap;
    int body;          /* of the scene */
    int64_t n, *index; /* [n] which of the file's points */
    firn_newborn born;
    double *columns[16]; /* released at the end */
    size_t bytes[16];
    int n_columns;
    unsigned char *used; /* [n_attributes] */
    firn_text known;     /* names of history fields and parameters, each after a blank */
} share;

/* ---------------------------------------------------------------- attributes */

static const char *type_name(const firn_attribute *a, char text[64])
{
    static const char *const names[] = {"float", "int", "vector", "string"};
    snprintf(text, 64, "%d %s%s", a->n_components, names[a->type], a->n_components > 1 ? "s" : "");
    return text;
}

/* An attribute of n numbers per point; FIRN_OK with *found NULL: the file has none. */
static firn_status find_numbers(share *s, const char *name, int n, const firn_attribute **found)
{
    char text[64];
    *found = firn_points_find(s->points, name);
    if (!*found) return FIRN_OK;
    s->used[*found - s->points->attributes] = 1;
    if ((*found)->type != FIRN_ATTRIBUTE_INDEX && (*found)->n_components == n) return FIRN_OK;
    return firn_messages_add(s->messages, FIRN_REFUSED,
                             "%s: attribute %s has %s per point; allowed: %d number%s", s->path,
                             name, type_name(*found, text), n, n > 1 ? "s" : "");
}

static double number_at(const firn_attribute *a, int64_t at)
{
    return a->type == FIRN_ATTRIBUTE_INT ? (double)a->data.i[at] : (double)a->data.f[at];
}

static double *add_column(share *s, int n_components)
{
    size_t bytes = (size_t)s->n * (size_t)n_components * sizeof(double);
    double *column =
        firn_memory_array(&s->sim->memory, (size_t)s->n, (size_t)n_components * sizeof(double));
    if (!column) {
        firn_messages_no_memory(s->messages, "%s: %lld points", s->path, (long long)s->n);
        return NULL;
    }
    s->columns[s->n_columns] = column;
    s->bytes[s->n_columns++] = bytes;
    return column;
}

/* An attribute as a new column of doubles, checked: above `least` and at most `most`, or, for least
 * = -INFINITY, at most `most` in size. NaN fails both. */
static firn_status read_column(share *s, const char *name, int n, double least, double most,
                               double **column)
{
    const firn_attribute *a;
    *column = NULL;
    firn_status status = find_numbers(s, name, n, &a);
    if (status != FIRN_OK || !a) return status;
    if (!(*column = add_column(s, n))) return FIRN_MEMORY;
    for (int64_t i = 0; i < s->n; i++)
        for (int c = 0; c < n; c++) {
            double x = number_at(a, s->index[i] * n + c);
            (*column)[i * n + c] = x;
            if (x > least && x <= most && (isfinite(least) || x >= -most)) continue;
            return firn_messages_add(
                s->messages, FIRN_REFUSED,
                "%s: point %lld: %s is out of range (%g); allowed: finite%s, at most %g%s", s->path,
                (long long)s->index[i], name, x, isfinite(least) ? ", above 0" : "", most,
                isfinite(least) ? "" : " in size");
        }
    return FIRN_OK;
}

static firn_status check_F(const share *s, const double *F)
{
    for (int64_t i = 0; F && i < s->n; i++) {
        const double *f = F + 9 * i;
        double J = f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
                   f[2] * (f[3] * f[7] - f[4] * f[6]);
        if (!(J > 0))
            return firn_messages_add(s->messages, FIRN_REFUSED,
                                     "%s: point %lld: det F is not positive (%g)", s->path,
                                     (long long)s->index[i], J);
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- what a particle starts with */

/* The velocity of the file plus the rigid motion of the body, v + velocity + spin x (x -
 * center). */
static firn_status read_motion(share *s)
{
    double *v, *F, *C, *T;
    firn_status status = read_column(s, "v", 3, -INFINITY, 1e9, &v);
    if (status == FIRN_OK) status = read_column(s, "F", 9, -INFINITY, 1e9, &F);
    if (status == FIRN_OK) status = check_F(s, F);
    if (status == FIRN_OK) status = read_column(s, "C", 9, -INFINITY, 1e12, &C);
    if (status == FIRN_OK) status = read_column(s, "T", 1, 0, 1e5, &T);
    if (status != FIRN_OK) return status;
    const double *w = s->def->spin;
    for (int64_t i = 0; v && i < s->n; i++) {
        double d[3];
        for (int a = 0; a < 3; a++) d[a] = s->born.x[3 * i + a] - s->born.center[a];
        for (int a = 0; a < 3; a++) {
            int j = (a + 1) % 3, k = (a + 2) % 3;
            v[3 * i + a] += s->def->velocity[a] + w[j] * d[k] - w[k] * d[j];
        }
    }
    s->born.v = v;
    s->born.F = F;
    s->born.C = C;
    s->born.T = T;
    return FIRN_OK;
}

/* A particle acts on the 27 or 64 nodes around it, whatever its volume; one of many cells means
 * that the file uses other units. */
static firn_status check_volumes(const share *s, const double *volumes, const char *origin)
{
    double most = MAX_CELLS * pow(s->sim->h, 3);
    for (int64_t i = 0; i < s->n; i++)
        if (!(volumes[i] <= most))
            return firn_messages_add(
                s->messages, FIRN_REFUSED,
                "%s: point %lld: volume is too large (%g m^3, from its %s); allowed: up to %g "
                "m^3, which is %g cells of dx = %g m; try: units m and kg",
                s->path, (long long)s->index[i], volumes[i], origin, most, MAX_CELLS, s->sim->h);
    return FIRN_OK;
}

/* volume, else mass / rho, else (2 pscale)^3, else spacing^3; mass, else rho volume. rho may be an
 * attribute. */
static firn_status read_mass(share *s)
{
    double *volume, *mass, *pscale = NULL, *rho;
    firn_status status = read_column(s, "volume", 1, 0, 1e18, &volume);
    if (status == FIRN_OK) status = read_column(s, "mass", 1, 0, 1e24, &mass);
    if (status == FIRN_OK && !volume && !mass)
        status = read_column(s, "pscale", 1, 0, 1e6, &pscale);
    if (status == FIRN_OK) status = read_column(s, "rho", 1, 0, 1e9, &rho);
    if (status != FIRN_OK) return status;
    double *volumes = volume ? volume : add_column(s, 1), *masses = mass ? mass : add_column(s, 1);
    if (!volumes || !masses) return FIRN_MEMORY;
    double spacing =
        s->def->spacing > 0 ? s->def->spacing : s->sim->h / cbrt(s->def->particles_per_cell);
    for (int64_t i = 0; i < s->n; i++) {
        double density = rho ? rho[i] : s->of->resolved.density;
        if (!volume)
            volumes[i] = mass ? mass[i] / density : pow(pscale ? 2 * pscale[i] : spacing, 3);
        if (!mass) masses[i] = density * volumes[i];
    }
    s->born.volumes = volumes;
    s->born.masses = masses;
    return check_volumes(s, volumes,
                         volume   ? "volume"
                         : mass   ? "mass"
                         : pscale ? "pscale"
                                  : "body's spacing");
}

/* The attribute that holds a component of the history: by its own name, else by the name of its
 * quantity (Jp, plastic_strain, damage); NULL: neither exists. */
static const char *history_attribute(const share *s, const firn_history_info *h)
{
    const char *quantity = firn_quantity_name(firn_quantity_of(h->role));
    if (firn_points_find(s->points, h->name)) return h->name;
    return quantity && firn_points_find(s->points, quantity) ? quantity : NULL;
}

/* Components that the file does not have start at the law's initial value. Values by quantity are
 * converted to what the law stores (ln J_p, for instance), and J_p must be positive then. */
static firn_status read_history(share *s)
{
    const firn_law_info *law = &s->of->resolved.law->info;
    int n_found = 0;
    for (int h = 0; h < law->n_history; h++)
        n_found += history_attribute(s, &law->history[h]) != NULL;
    double *history = n_found ? add_column(s, law->n_history) : NULL;
    if (n_found && !history) return FIRN_MEMORY;
    for (int h = 0; h < law->n_history && n_found; h++) {
        const firn_history_info *info = &law->history[h];
        const char *name = history_attribute(s, info);
        int is_own = !name || strcmp(name, info->name) == 0;
        double *column;
        double least = !is_own && info->role == FIRN_HISTORY_PLASTIC_LOG_VOLUME ? 0 : -INFINITY;
        firn_status status = read_column(s, name ? name : info->name, 1, least, 1e30, &column);
        if (status != FIRN_OK) return status;
        for (int64_t i = 0; i < s->n; i++)
            history[i * law->n_history + h] = !column  ? info->initial
                                              : is_own ? column[i]
                                                       : firn_history_stored(info, column[i]);
        if (column)
            firn_memory_release(&s->sim->memory, column,
                                s->bytes[--s->n_columns]); /* columns are a stack */
    }
    s->born.history = history;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- painted parameters */

static firn_status paint(share *s, int k, const firn_attribute *a)
{
    const firn_parameter_info *info = &s->of->resolved.law->info.parameters[k];
    firn_status status = find_numbers(s, info->name, 1, &a);
    if (status == FIRN_OK)
        status = firn_paint_reserve(s->sim, s->material, k, s->sim->next_id + (uint32_t)s->n,
                                    s->messages);
    for (int64_t i = 0; i < s->n && status == FIRN_OK; i++) {
        double x = number_at(a, s->index[i]);
        if (!(x >= info->min && x <= info->max)) /* also refuses NaN */
            status = firn_messages_add(
                s->messages, FIRN_REFUSED,
                "%s: point %lld: %s is out of range (%g); allowed: %g to %g %s (%s)", s->path,
                (long long)s->index[i], info->name, x, info->min, info->max, info->unit,
                info->meaning);
        s->of->painted[k][s->sim->next_id + (uint32_t)i] = (float)x;
    }
    return status;
}

static firn_status read_parameters(share *s)
{
    const firn_law_info *law = &s->of->resolved.law->info;
    firn_status status = FIRN_OK;
    s->born.is_painted = 1;
    for (int k = 0; k < law->n_parameters && status == FIRN_OK; k++) {
        const firn_attribute *a = firn_points_find(s->points, law->parameters[k].name);
        if (a) status = paint(s, k, a);
    }
    return status;
}

/* ---------------------------------------------------------------- what is not used */

static void note_names(share *s)
{
    const firn_law_info *law = &s->of->resolved.law->info;
    for (int h = 0; h < law->n_history; h++)
        if (!firn_suggest_has(s->known.data, law->history[h].name))
            firn_text_add(&s->known, " %s", law->history[h].name);
    for (int k = 0; k < law->n_parameters; k++)
        if (!firn_suggest_has(s->known.data, law->parameters[k].name))
            firn_text_add(&s->known, " %s", law->parameters[k].name);
}

/* A history field of any law; fields of one name have the same initial value in all laws. */
static const firn_history_info *find_history(const char *name)
{
    for (int l = 0; firn_law_at(l); l++)
        for (int h = 0; h < firn_law_at(l)->n_history; h++)
            if (strcmp(firn_law_at(l)->history[h].name, name) == 0)
                return &firn_law_at(l)->history[h];
    return NULL;
}

/* Whether ignoring an attribute deserves a warning. Not for attributes of firn's own table, which
 * caches hold for other programs, nor for history fields of other laws at their initial values. A
 * body's own material takes precedence over material names of the file; material_id names no
 * material of this scene. */
static int is_missed(const share *s, const firn_attribute *a)
{
    const firn_history_info *history = find_history(a->name);
    if (history) {
        for (int64_t i = 0; i < s->points->n * a->n_components; i++)
            if (a->type == FIRN_ATTRIBUTE_INDEX || number_at(a, i) != (float)history->initial)
                return 1;
        return 0;
    }
    if (strcmp(a->name, "material") == 0) return a->type != FIRN_ATTRIBUTE_INDEX;
    if (strcmp(a->name, "material_id") == 0) return !firn_points_find(s->points, "material");
    for (int i = 0; firn_attribute_at(i); i++)
        if (strcmp(firn_attribute_at(i)->name, a->name) == 0) return 0;
    return 1;
}

static void warn_of_overruled(const share *s, const char *name, int is_given)
{
    if (is_given && firn_points_find(s->points, name))
        firn_messages_warn(
            s->messages, "body '%s': its %s has no effect, as each point of %s has an attribute %s",
            s->def->name, strcmp(name, "T") == 0 ? "temperature" : name, s->path, name);
}

static void warn_of_unused(const share *s)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, room = 293.15; /* defaults */
    char unused[512], known[1024];
    firn_text names = {0};
    int n = 0;
    for (int i = 0; i < s->points->n_attributes; i++)
        if (!s->used[i] && is_missed(s, &s->points->attributes[i]))
            firn_text_add(&names, "%s%s", n++ ? " " : "", s->points->attributes[i].name);
    firn_suggest_list(names.data ? names.data : "", unused, sizeof unused);
    firn_suggest_list(s->known.data ? s->known.data + 1 : "", known, sizeof known);
    if (n)
        firn_messages_warn(
            s->messages,
            "body '%s': attribute%s %s of %s %s ignored; allowed: P, v, F, C, T, mass, "
            "volume, pscale, material (a string, where the body names none) and, of the "
            "law, %s; try: in PLY, all of vx vy vz for v and F_0 to F_8 for F",
            s->def->name, n > 1 ? "s" : "", unused, s->path, n > 1 ? "are" : "is", known);
    warn_of_overruled(s, "T", s->def->temperature != room);
    warn_of_overruled(
        s, "F", !s->def->deform_positions && memcmp(s->def->F, identity, sizeof identity) != 0);
    firn_text_clear(&names);
}

/* ---------------------------------------------------------------- one material, all materials */

/* Leaves out the points that overlap with something, from the list of points as from x, so that
 * other columns are not read for them. */
static firn_status leave_out(share *s, double *x)
{
    const double spacing =
        s->def->spacing > 0 ? s->def->spacing : s->sim->h / cbrt(s->def->particles_per_cell);
    const int64_t n = s->n;
    unsigned char *keep = firn_memory_array(&s->sim->memory, (size_t)n, 1);
    if (!keep) return firn_messages_no_memory(s->messages, "points of body '%s'", s->def->name);
    firn_overlap_find(s->overlap, s->body, spacing, n, x, keep);
    s->n = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!keep[i]) continue;
        memmove(x + 3 * s->n, x + 3 * i, 3 * sizeof *x);
        s->index[s->n++] = s->index[i];
    }
    firn_memory_release(&s->sim->memory, keep, (size_t)n);
    return FIRN_OK;
}

/* Reads, checks and adds one share. Parameters come last, as they are stored by id, which
 * firn_solver_add assigns next. */
static firn_status add_share(share *s)
{
    double *x;
    firn_status status = read_column(s, "P", 3, -INFINITY, 1e9, &x);
    if (status != FIRN_OK) return status;
    s->born = (firn_newborn){.x = x, .body = s->def, .temperature = s->def->temperature};
    firn_populate_place(s->def, s->n, x, s->born.center);
    status = leave_out(s, x);
    if (status != FIRN_OK) return status;
    s->born.n = s->n;
    note_names(s);
    status = firn_periodic_check_body(s->sim, s->def->name, s->n, x, s->messages);
    if (status == FIRN_OK) status = read_motion(s);
    if (status == FIRN_OK) status = read_mass(s);
    if (status == FIRN_OK) status = read_history(s);
    if (status == FIRN_OK) status = read_parameters(s);
    return status == FIRN_OK
               ? firn_solver_add(s->sim, s->material, &s->born, s->def->name, s->messages)
               : status;
}

/* Selects the points of a material: all, or those that name it. */
static void choose(share *s, const firn_attribute *material)
{
    s->n = 0;
    for (int64_t i = 0; i < s->points->n; i++) {
        const char *name = material ? material->strings[material->data.i[i]] : NULL;
        if (!name || strcmp(name, s->of->resolved.name) == 0) s->index[s->n++] = i;
    }
}

static firn_status check_materials(const share *s, const firn_attribute *material)
{
    if (!material)
        return firn_messages_add(
            s->messages, FIRN_REFUSED,
            "body '%s': no material, neither in the body nor as an attribute of %s", s->def->name,
            s->path);
    if (material->type != FIRN_ATTRIBUTE_INDEX || material->n_components != 1)
        return firn_messages_add(s->messages, FIRN_REFUSED,
                                 "%s: attribute material must be a string", s->path);
    for (int64_t i = 0; i < s->points->n; i++) {
        int at = material->data.i[i];
        const char *name = at >= 0 && at < material->n_strings ? material->strings[at] : NULL;
        if (!name || firn_solver_material(s->sim, name) < 0)
            return firn_messages_add(s->messages, FIRN_REFUSED,
                                     "%s: point %lld: unknown material \"%s\"", s->path,
                                     (long long)i, name ? name : "");
    }
    return FIRN_OK;
}

static firn_status add_points(share *s)
{
    const firn_attribute *material =
        *s->def->material ? NULL : firn_points_find(s->points, "material");
    const int only = *s->def->material ? firn_solver_material(s->sim, s->def->material) : -1;
    firn_status status = only >= 0 ? FIRN_OK : check_materials(s, material);
    for (int m = 0; m < s->sim->n_materials && status == FIRN_OK; m++) {
        if (only >= 0 && m != only) continue;
        s->material = m;
        s->of = &s->sim->materials[m];
        choose(s, material);
        s->n_columns = 0;
        if (s->n > 0) status = add_share(s);
        for (int c = 0; c < s->n_columns; c++)
            firn_memory_release(&s->sim->memory, s->columns[c], s->bytes[c]);
    }
    if (status == FIRN_OK) warn_of_unused(s);
    return status;
}

firn_status firn_populate_points(firn_overlap_scene *overlap, int body)
{
    firn_sim *sim = overlap->sim;
    firn_messages *messages = overlap->messages;
    const firn_body_def *def = &overlap->scene->bodies[body];
    const firn_points *points = overlap->sources[body].points;
    firn_status status = FIRN_OK;
    share s = {.sim = sim,
               .def = def,
               .points = points,
               .path = def->points,
               .messages = messages,
               .overlap = overlap,
               .body = body};
    size_t bytes = (size_t)points->n * sizeof *s.index, n_attributes = (size_t)points->n_attributes;
    if (points->n == 0)
        status = firn_messages_add(messages, FIRN_REFUSED, "body '%s': no points in %s", def->name,
                                   def->points);
    else if (points->n >= (int64_t)UINT32_MAX - sim->next_id)
        status = firn_messages_add(
            messages, FIRN_REFUSED,
            "body '%s': too many points in %s (%lld); allowed: 2^32 particles per scene", def->name,
            def->points, (long long)points->n);
    else if (!firn_points_find(points, "P"))
        status =
            firn_messages_add(messages, FIRN_REFUSED, "body '%s': %s has no attribute P (position)",
                              def->name, def->points);
    else if (!(s.index = firn_memory_array(&sim->memory, (size_t)points->n, sizeof *s.index)) ||
             !(s.used = firn_memory_array(&sim->memory, n_attributes, sizeof *s.used)))
        status = firn_messages_no_memory(messages, "%lld points of body '%s'", (long long)points->n,
                                         def->name);
    else
        status = add_points(&s);
    firn_memory_release(&sim->memory, s.index, bytes);
    firn_memory_release(&sim->memory, s.used, n_attributes);
    firn_text_clear(&s.known);
    return status;
}
