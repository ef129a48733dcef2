/* SPDX-License-Identifier: MIT */
/* relations.c: parameters of a law that are admissible together, from its table (firn/laws.h), and
 * the speeds of a fresh material, which decide on its steps. */
#include "laws/law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double value_of(const firn_law_info *law, const char *name, size_t n, const double *values)
{
    for (int k = 0; k < law->n_parameters; k++)
        if (strlen(law->parameters[k].name) == n && !strncmp(law->parameters[k].name, name, n))
            return values[k];
    return NAN;
}

/* "a / b * c": each name is preceded by how it enters, the first by a factor of 1. */
double firn_law_relation(const firn_law_info *law, const firn_relation_info *relation,
                         const double *values)
{
    double result = 1;
    int divides = 0;
    for (const char *p = relation->terms; *p;) {
        const size_t n = strcspn(p, " ");
        if (n == 1 && (*p == '*' || *p == '/'))
            divides = *p == '/';
        else {
            const double x = value_of(law, p, n, values);
            result = divides ? result / x : result * x;
        }
        p += n;
        p += strspn(p, " ");
    }
    return result;
}

void firn_law_relation_place(const firn_relation_info *relation, char name[FIRN_NAME])
{
    snprintf(name, FIRN_NAME, "%.*s", (int)strcspn(relation->terms, " "), relation->terms);
}

int firn_material_corner(const firn_material *material, int i, firn_material *corner)
{
    const int n = material->law->info.n_parameters;
    int n_varying = 0;
    for (int k = 0; k < n; k++) n_varying += material->varies[k];
    if (i > 0 && (n_varying == 0 || i > 2 + 2 * n_varying)) return 0;
    *corner = *material;
    if (n_varying) memset(corner->painted, 0, sizeof corner->painted);
    int own = 0; /* among those that vary */
    for (int k = 0; k < n && i > 0; k++) {
        if (!material->varies[k]) continue;
        if (i <= 2) corner->value[k] = i == 1 ? material->least[k] : material->most[k];
        if (i > 2 && own == (i - 3) / 2)
            corner->value[k] = i % 2 ? material->least[k] : material->most[k];
        own++;
    }
    return 1;
}

static void measure_at_rest(const firn_material *material, double temperature, double *wave,
                            double *viscosity)
{
    enum { N = 16 }; /* lanes of a bundle */
    double F[9 * N], history[FIRN_MAX_HISTORY * N], T[N], waves[N], viscosities[N], flags[N];
    uint32_t id[N];
    for (int lane = 0; lane < N; lane++) {
        for (int c = 0; c < 9; c++) F[c * N + lane] = c % 4 == 0;
        for (int c = 0; c < material->law->info.n_history; c++)
            history[c * N + lane] = material->law->info.history[c].initial;
        T[lane] = temperature;
        id[lane] = (uint32_t)lane;
    }
    const firn_law_batch batch = {.material = material,
                                  .n_bundles = 1,
                                  .F = F,
                                  .history = history,
                                  .temperature = T,
                                  .id = id,
                                  .wave = waves,
                                  .viscosity = viscosities,
                                  .flags = flags};
    material->law->kernels[FIRN_F64_SCALAR].measure(&batch);
    *wave = waves[0];
    *viscosity = viscosities[0];
}

void firn_material_at_rest(const firn_material *material, double temperature, double *wave,
                           double *viscosity)
{
    firn_material corner;
    *wave = *viscosity = 0;
    for (int i = 0; firn_material_corner(material, i, &corner); i++) {
        double w, v;
        measure_at_rest(&corner, temperature, &w, &v);
        *wave = fmax(*wave, w);
        *viscosity = fmax(*viscosity, v);
    }
}
