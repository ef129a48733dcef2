/* SPDX-License-Identifier: MIT */
/* units.c: a number followed by a product of units, and the check of its dimension.
 *
 *     quantity = number [unit]           unit   = factor { (" " | "*" | "/") factor }
 *     factor   = (symbol | "1" | "(" unit ")") ["^" exponent]      exponent = number | "n" | "-n"
 *
 * A dimension is the vector of the powers of m, kg, s, K, rad and of s^n: the consistency of a
 * power-law fluid is in Pa s^n, and n is itself a parameter. The radian is not 1, so that degrees
 * given as a friction coefficient are found. A "/" acts on the one factor after it: "J/(kg K)"
 * needs its brackets. */
#include "base/units.h"
#include "base/suggest.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M, KG, S, K, RAD, SN, N_BASES, DEPTH_MAX = 8 };

typedef struct dimension {
    double power[N_BASES];
} dimension;

typedef struct unit_entry {
    const char *symbol;
    double factor;
    dimension dimension;
    int has_prefixes;
} unit_entry;

static const unit_entry units[] = {
    {"m", 1, {{[M] = 1}}, 1},
    {"g", 1e-3, {{[KG] = 1}}, 1},
    {"t", 1e3, {{[KG] = 1}}, 0},
    {"s", 1, {{[S] = 1}}, 1},
    {"min", 60, {{[S] = 1}}, 0},
    {"h", 3600, {{[S] = 1}}, 0},
    {"K", 1, {{[K] = 1}}, 1},
    {"rad", 1, {{[RAD] = 1}}, 1},
    {"deg", M_PI / 180, {{[RAD] = 1}}, 0},
    {"turn", 2 * M_PI, {{[RAD] = 1}}, 0},
    {"rpm", 2 * M_PI / 60, {{[RAD] = 1, [S] = -1}}, 0},
    {"Hz", 1, {{[S] = -1}}, 1},
    {"N", 1, {{[KG] = 1, [M] = 1, [S] = -2}}, 1},
    {"Pa", 1, {{[KG] = 1, [M] = -1, [S] = -2}}, 1},
    {"bar", 1e5, {{[KG] = 1, [M] = -1, [S] = -2}}, 1},
    {"J", 1, {{[KG] = 1, [M] = 2, [S] = -2}}, 1},
    {"W", 1, {{[KG] = 1, [M] = 2, [S] = -3}}, 1},
    {"L", 1e-3, {{[M] = 3}}, 1},
    {"%", 1e-2, {{0}}, 0},
};

static const struct {
    const char *symbol;
    double factor;
} prefixes[] = {{"G", 1e9},  {"M", 1e6},  {"k", 1e3},  {"d", 1e-1},
                {"c", 1e-2}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int find_unit(const char *symbol, size_t n, double *factor, dimension *d)
{
    for (size_t i = 0; i < COUNT(units); i++)
        if (strlen(units[i].symbol) == n && strncmp(units[i].symbol, symbol, n) == 0) {
            *factor = units[i].factor;
            *d = units[i].dimension;
            return 1;
        }
    for (size_t p = 0; p < COUNT(prefixes); p++) {
        if (n < 2 || symbol[0] != prefixes[p].symbol[0]) continue;
        for (size_t i = 0; i < COUNT(units); i++)
            if (units[i].has_prefixes && strlen(units[i].symbol) == n - 1 &&
                strncmp(units[i].symbol, symbol + 1, n - 1) == 0) {
                *factor = prefixes[p].factor * units[i].factor;
                *d = units[i].dimension;
                return 1;
            }
    }
    return 0;
}

/* ---------------------------------------------------------------- the grammar */

typedef struct reader {
    const char *at;
    int depth;
    char unknown[32]; /* unknown symbol, or text that could not be read */
    int is_unknown_symbol;
} reader;

static void skip_blanks(reader *r) { r->at += strspn(r->at, " \t"); }

/* Plain decimal numbers: strtod alone would also read "nan", "0x1p3" and the decimal comma of a
 * locale. */
static const char *number_end(const char *text)
{
    const char *p = text + (*text == '+' || *text == '-');
    size_t n = strspn(p, "0123456789");
    p += n;
    if (*p == '.') {
        size_t n_fraction = strspn(p + 1, "0123456789");
        n += n_fraction;
        p += 1 + n_fraction;
    }
    if (n == 0) return text;
    if (*p == 'e' || *p == 'E') {
        const char *e = p + 1 + (p[1] == '+' || p[1] == '-');
        if (isdigit((unsigned char)*e)) p = e + strspn(e, "0123456789");
    }
    return p;
}

static double number_value(const char *text)
{
    locale_t plain =
        newlocale(LC_ALL_MASK, "C", (locale_t)0); /* glibc's "C" is static: this cannot fail */
    double value = plain ? strtod_l(text, NULL, plain) : strtod(text, NULL);
    if (plain) freelocale(plain);
    return value;
}

/* "^2", "^-1", "^n", or the digits of "m3"; none: 1. */
static int read_exponent(reader *r, double *exponent, int *is_n)
{
    const char *p = r->at + (*r->at == '^'), *end = p;
    *is_n = 0;
    *exponent = 1;
    if (*r->at == '^' && (*p == 'n' || (*p == '-' && p[1] == 'n'))) {
        *exponent = *p == '-' ? -1 : 1;
        *is_n = 1;
        r->at = p + 1 + (*p == '-');
        return 1;
    }
    if (*r->at == '^')
        end = number_end(p);
    else
        end = p + strspn(p, "0123456789");
    if (end == p) return *r->at != '^';
    *exponent = number_value(p);
    if (fabs(*exponent) > 12) return 0;
    r->at = end;
    return 1;
}

static int read_product(reader *r, double *factor, dimension *d);

static int fail_at(reader *r, size_t n, int is_symbol)
{
    snprintf(r->unknown, sizeof r->unknown, "%.*s", (int)n, r->at);
    r->is_unknown_symbol = is_symbol;
    return 0;
}

/* Letters of a symbol, with bytes of UTF-8, so that a message shows complete characters. */
static size_t symbol_length(const char *p)
{
    size_t n = 0;
    while (isalpha((unsigned char)p[n]) || (unsigned char)p[n] >= 0x80) n++;
    return n ? n : *p == '%';
}

static int read_factor(reader *r, double *factor, dimension *d)
{
    size_t n = symbol_length(r->at);
    *d = (dimension){0};
    *factor = 1;
    if (*r->at == '(' && r->depth < DEPTH_MAX) {
        r->at++;
        r->depth++;
        if (!read_product(r, factor, d)) return 0;
        if (*r->at != ')') return fail_at(r, strlen(r->at), 0);
        r->at++;
        r->depth--;
    } else if (*r->at == '1' && !isdigit((unsigned char)r->at[1])) {
        r->at++;
        return 1;
    } else if (n == 0) {
        return fail_at(r, strlen(r->at), 0);
    } else if (!find_unit(r->at, n, factor, d)) {
        return fail_at(r, n, 1);
    } else {
        r->at += n;
    }
    double exponent;
    int is_n;
    if (!read_exponent(r, &exponent, &is_n)) return fail_at(r, strlen(r->at), 0);
    if (is_n) { /* only s itself may be raised to n */
        if (*factor != 1 || d->power[S] != 1) return fail_at(r, strlen(r->at), 0);
        *d = (dimension){{[SN] = exponent}};
        return 1;
    }
    *factor = pow(*factor, exponent);
    for (int i = 0; i < N_BASES; i++) d->power[i] *= exponent;
    return 1;
}

static int read_product(reader *r, double *factor, dimension *d)
{
    *factor = 1;
    *d = (dimension){0};
    for (int sign = 1;;) {
        double f;
        dimension e;
        skip_blanks(r);
        if (!read_factor(r, &f, &e)) return 0;
        *factor *= sign > 0 ? f : 1 / f;
        for (int i = 0; i < N_BASES; i++) d->power[i] += sign * e.power[i];
        skip_blanks(r);
        if (!*r->at || *r->at == ')') return 1;
        sign = *r->at == '/' ? -1 : 1;
        if (*r->at == '/' || *r->at == '*') r->at++;
    }
}

static int read_unit(reader *r, double *factor, dimension *d)
{
    if (!read_product(r, factor, d)) return 0;
    return *r->at ? fail_at(r, strlen(r->at), 0) : 1;
}

static int is_same(const dimension *a, const dimension *b)
{
    for (int i = 0; i < N_BASES; i++)
        if (fabs(a->power[i] - b->power[i]) > 1e-9) return 0;
    return 1;
}

/* ---------------------------------------------------------------- messages */

/* The one unit with an offset: allowed alone, not in products. */
static int is_celsius(const char *text)
{
    return strcmp(text, "degC") == 0 || strcmp(text, "\xc2\xb0\x43") == 0;
}

/* All symbols, and the common ones with prefixes, for "did you mean". */
static void list_symbols(char *list, size_t n_bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < COUNT(units); i++)
        used += (size_t)snprintf(list + used, n_bytes - used, "%s ", units[i].symbol);
    snprintf(list + used, n_bytes - used, "kg mm cm km ms kPa MPa GPa kN mbar kJ kW degC");
}

static void explain_unit(const reader *r, const char *text, const char *unit,
                         char message[FIRN_UNITS_MESSAGE])
{
    char symbols[512], near[32], wanted[64] = "";
    if (*unit)
        snprintf(wanted, sizeof wanted, "; allowed: a number in %s",
                 strcmp(unit, "1") == 0 ? "no unit" : unit);
    if (!r->is_unknown_symbol) {
        snprintf(message, FIRN_UNITS_MESSAGE, "is \"%.60s\", in which \"%s\" cannot be read%s",
                 text, r->unknown, wanted);
        return;
    }
    list_symbols(symbols, sizeof symbols);
    if (is_celsius(r->unknown))
        snprintf(message, FIRN_UNITS_MESSAGE,
                 "is \"%.60s\", but degC can only stand alone, as a temperature%s", text, wanted);
    else if (firn_suggest_word(r->unknown, symbols, near, sizeof near))
        snprintf(message, FIRN_UNITS_MESSAGE,
                 "is \"%.60s\", but there is no unit \"%s\"%s; did you mean \"%s\"?", text,
                 r->unknown, wanted, near);
    else
        snprintf(message, FIRN_UNITS_MESSAGE, "is \"%.60s\", but there is no unit \"%s\"%s", text,
                 r->unknown, wanted);
}

int firn_units_read(const char *text, const char *unit, double *value,
                    char message[FIRN_UNITS_MESSAGE])
{
    const char *begin = text + strspn(text, " \t"), *end = number_end(begin);
    reader wanted = {.at = unit}, given = {.at = end};
    dimension wanted_dimension = {0}, given_dimension;
    double wanted_factor = 1, factor;
    if (end == begin) {
        snprintf(message, FIRN_UNITS_MESSAGE,
                 "is \"%.60s\", which is not a number; allowed: a number%s%s", text,
                 *unit && strcmp(unit, "1") != 0 ? " in " : "", strcmp(unit, "1") != 0 ? unit : "");
        return 0;
    }
    *value = number_value(begin);
    if (isinf(*value)) {
        snprintf(message, FIRN_UNITS_MESSAGE, "is \"%.60s\", which is too large for a number",
                 text);
        return 0;
    }
    skip_blanks(&given);
    if (!*given.at) return 1;
    if (*unit && !read_unit(&wanted, &wanted_factor, &wanted_dimension)) {
        snprintf(message, FIRN_UNITS_MESSAGE, "is wanted in \"%s\", which is no unit", unit);
        return 0;
    }
    if (is_celsius(given.at) && is_same(&wanted_dimension, &(dimension){{[K] = 1}})) {
        *value += 273.15;
        return 1;
    }
    if (!read_unit(&given, &factor, &given_dimension)) {
        explain_unit(&given, text, unit, message);
        return 0;
    }
    if (*unit && !is_same(&wanted_dimension, &given_dimension)) {
        const char *shown = end + strspn(end, " \t");
        if (strcmp(unit, "1") == 0)
            snprintf(message, FIRN_UNITS_MESSAGE, "is \"%.60s\", but must be without a unit", text);
        else
            snprintf(message, FIRN_UNITS_MESSAGE,
                     "is \"%.60s\", but %.30s does not convert to %s; allowed: a number in %s",
                     text, shown, unit, unit);
        return 0;
    }
    *value =
        factor < 1 ? *value / (1 / factor) : *value * factor; /* 95 % is 0.95 to the last bit */
    if (isfinite(*value)) return 1;
    snprintf(message, FIRN_UNITS_MESSAGE, "is \"%.60s\", which is too large for a number", text);
    return 0;
}
