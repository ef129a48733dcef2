/* SPDX-License-Identifier: MIT */
/* expect.c: the values of the measure of each expectation over time, and its outcome.
 *
 * Measured is only what an expectation needs: one at a single time is measured at that time.
 * A period is the mean time between upward crossings of the middle between least and greatest
 * value, found by linear interpolation between frames. */
#include "measure/expect.h"
#include "measure/measure.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <string.h>

typedef struct series {
    const firn_measure *measure;
    firn_measure_target target;
    unsigned char *in_region; /* [start.n] */
    int n, capacity;
    double *values; /* [capacity][2]: time, value */
} series;

struct firn_expect_recorder {
    const firn_scene_def *scene;
    int n;
    series *series;
    firn_measure_start start;
    int has_start; /* the simulation had made no step when the recorder was made */
};

/* ---------------------------------------------------------------- create */

static int needs_start(const firn_expect_def *def, const firn_measure *measure)
{
    return measure->needs_start || def->n_shapes > 0 || def->over != FIRN_OVER_MOMENT;
}

static firn_status create_series(firn_expect_recorder *r, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    for (int i = 0; i < r->n && status == FIRN_OK; i++) {
        const firn_expect_def *def = &r->scene->expects[i];
        series *s = &r->series[i];
        s->measure = firn_measure_find(def->measure);
        if (!s->measure)
            return firn_messages_add(messages, FIRN_REFUSED, "expectation: no such measure (%s)",
                                     def->measure);
        s->target =
            firn_measure_target_of(r->scene, s->measure, def->body, def->attribute, def->component);
        if (r->has_start && def->n_shapes)
            status = firn_measure_region_mark(def->n_shapes, def->shapes, r->scene->grid.dx,
                                              &r->start, &s->in_region, messages);
    }
    return status;
}

firn_status firn_expect_create(const firn_scene_def *scene, firn_sim *sim,
                               firn_expect_recorder **recorder, firn_messages *messages)
{
    firn_expect_recorder *r = firn_memory_allocate(NULL, sizeof *r);
    firn_status status = FIRN_OK;
    int is_start_wanted = 0;
    *recorder = NULL;
    if (!r) return firn_messages_no_memory(messages, "expectations");
    r->scene = scene;
    r->n = scene->n_expects;
    r->has_start = firn_sim_step_count(sim) == 0;
    r->series = firn_memory_array(NULL, (size_t)r->n, sizeof *r->series);
    if (!r->series) status = firn_messages_no_memory(messages, "expectations");
    for (int i = 0; i < r->n; i++) {
        const firn_measure *measure = firn_measure_find(scene->expects[i].measure);
        is_start_wanted |= measure && (measure->needs_start || scene->expects[i].n_shapes > 0);
    }
    if (status == FIRN_OK && r->has_start && is_start_wanted)
        status = firn_measure_start_take(sim, &r->start, messages);
    if (status == FIRN_OK) status = create_series(r, messages);
    if (status == FIRN_OK)
        *recorder = r;
    else
        firn_expect_destroy(r);
    return status;
}

void firn_expect_destroy(firn_expect_recorder *r)
{
    if (!r) return;
    for (int i = 0; r->series && i < r->n; i++) {
        firn_memory_release(NULL, r->series[i].in_region, (size_t)r->start.n);
        firn_memory_release(NULL, r->series[i].values,
                            (size_t)r->series[i].capacity * 2 * sizeof(double));
    }
    firn_memory_release(NULL, r->series, (size_t)r->n * sizeof *r->series);
    firn_measure_start_clear(&r->start);
    firn_memory_release(NULL, r, sizeof *r);
}

/* ---------------------------------------------------------------- record */

static int append(series *s, double time, double value)
{
    if (s->n == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 16;
        double *grown = firn_memory_array(NULL, (size_t)capacity, 2 * sizeof *grown);
        if (!grown) return 0;
        if (s->n) memcpy(grown, s->values, (size_t)s->n * 2 * sizeof *grown);
        firn_memory_release(NULL, s->values, (size_t)s->capacity * 2 * sizeof *grown);
        s->values = grown;
        s->capacity = capacity;
    }
    s->values[2 * s->n] = time;
    s->values[2 * s->n + 1] = value;
    s->n++;
    return 1;
}

/* Frame times are k / fps in floating point: a given time can differ from one by rounding. */
static double tolerance_of(double time) { return 1e-9 * fmax(1, fabs(time)); }

static int is_wanted(const firn_expect_recorder *r, int i, double time, int is_end)
{
    const firn_expect_def *def = &r->scene->expects[i];
    const series *s = &r->series[i];
    double slack = tolerance_of(time);
    if (!r->has_start && needs_start(def, s->measure)) return 0;
    if (def->over != FIRN_OVER_MOMENT)
        return time >= def->from - slack && time <= def->time + slack;
    if (isinf(def->time)) return is_end;
    return s->n == 0 && time >= def->time - slack;
}

firn_status firn_expect_record(firn_expect_recorder *r, firn_sim *sim, int is_end,
                               firn_messages *messages)
{
    double time = firn_sim_time(sim), value = NAN;
    firn_status status = FIRN_OK;
    firn_measure_view *view = NULL;
    for (int i = 0; i < r->n && status == FIRN_OK; i++) {
        series *s = &r->series[i];
        if (s->target.probe >= 0 || !is_wanted(r, i, time, is_end)) continue;
        s->target.in_region = s->in_region;
        if (!view) view = firn_measure_view_create(sim, r->scene, &r->start);
        if (!view) return firn_messages_no_memory(messages, "expectations");
        status = firn_measure_take(view, s->measure, &s->target, r->scene->expects[i].axis, &value,
                                   messages);
        if (status == FIRN_OK && !append(s, time, value))
            status = firn_messages_no_memory(messages, "expectations");
    }
    firn_measure_view_destroy(view);
    return status;
}

/* A value at a single time is the sample at or just after it. Without a time it is the last one. */
firn_status firn_expect_sample(firn_expect_recorder *r, int probe, double time, double value,
                               firn_messages *messages)
{
    for (int i = 0; i < r->n; i++) {
        series *s = &r->series[i];
        const firn_expect_def *def = &r->scene->expects[i];
        const int is_last = def->over == FIRN_OVER_MOMENT && isinf(def->time);
        if (s->target.probe != probe || (!is_last && !is_wanted(r, i, time, 0))) continue;
        if (is_last) s->n = 0;
        if (!append(s, time, value)) return firn_messages_no_memory(messages, "expectations");
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- outcome */

static double period_of(const series *s, double middle)
{
    double first = NAN, last = NAN;
    int n_crossings = 0;
    for (int i = 1; i < s->n; i++) {
        double t0 = s->values[2 * i - 2], t1 = s->values[2 * i];
        double y0 = s->values[2 * i - 1] - middle, y1 = s->values[2 * i + 1] - middle;
        if (!(y0 < 0 && y1 >= 0)) continue;
        last = t0 + (t1 - t0) * y0 / (y0 - y1);
        if (n_crossings++ == 0) first = last;
    }
    return n_crossings > 1 ? (last - first) / (n_crossings - 1) : NAN;
}

static double reduce(const series *s, firn_over over)
{
    if (s->n == 0) return NAN;
    double first = s->values[1], least = first, greatest = first, sum = 0, drift = 0;
    for (int i = 0; i < s->n; i++) {
        double value = s->values[2 * i + 1];
        if (isnan(value)) return NAN;
        least = fmin(least, value);
        greatest = fmax(greatest, value);
        sum += value;
        drift = fmax(drift, fabs(value - first));
    }
    switch (over) {
    case FIRN_OVER_MAX: return greatest;
    case FIRN_OVER_MIN: return least;
    case FIRN_OVER_MEAN: return sum / s->n;
    case FIRN_OVER_CHANGE: return s->values[2 * s->n - 1] - first;
    case FIRN_OVER_DRIFT: return drift;
    case FIRN_OVER_PERIOD: return period_of(s, 0.5 * (least + greatest));
    case FIRN_OVER_MOMENT: break;
    }
    return s->values[2 * s->n - 1];
}

static int is_met(const firn_expect_def *def, double measured)
{
    if (isinf(def->value)) return measured >= def->at_least && measured <= def->at_most;
    return fabs(measured - def->value) <= def->tolerance * fmax(fabs(def->value), def->scale);
}

firn_expect_result firn_expect_evaluate(const firn_expect_recorder *r, int i)
{
    const firn_expect_def *def = &r->scene->expects[i];
    const series *s = &r->series[i];
    firn_expect_result result = {
        .def = def, .measured = reduce(s, def->over), .outcome = FIRN_EXPECT_UNMEASURED};
    result.unit = def->over == FIRN_OVER_PERIOD ? "s" : s->measure->unit;
    if (s->n == 0) return result;
    /* NAN (no particle, no crossing) is a miss */
    result.outcome = !isnan(result.measured) && is_met(def, result.measured) ? FIRN_EXPECT_MET
                                                                             : FIRN_EXPECT_MISSED;
    return result;
}

int firn_expect_count(const firn_expect_recorder *r, firn_expect_outcome outcome)
{
    int n = 0;
    for (int i = 0; i < r->n; i++) n += firn_expect_evaluate(r, i).outcome == outcome;
    return n;
}

/* ---------------------------------------------------------------- print */

static void describe(const firn_expect_def *def, char text[128])
{
    static const char *const over[] = {"",           "max ",      "min ",      "mean ",
                                       "change of ", "drift of ", "period of "};
    const firn_measure *measure = firn_measure_find(def->measure);
    const char *axis =
        measure->has_axis ? (const char *[]){" along x", " along y", " along z"}[def->axis] : "";
    snprintf(text, 128, "%s%.24s%s%.24s%s%.24s%s", over[def->over], def->measure,
             *def->attribute ? " " : "", def->attribute, *def->body ? " of " : "", def->body, axis);
}

static void expected(const firn_expect_def *def, char text[64])
{
    if (isfinite(def->value))
        snprintf(text, 64, "%.6g +- %.3g", def->value,
                 def->tolerance * fmax(fabs(def->value), def->scale));
    else if (isinf(def->at_most))
        snprintf(text, 64, ">= %.6g", def->at_least);
    else if (isinf(def->at_least))
        snprintf(text, 64, "<= %.6g", def->at_most);
    else
        snprintf(text, 64, "%.6g ... %.6g", def->at_least, def->at_most);
}

void firn_expect_print(const firn_expect_recorder *r, FILE *out)
{
    static const char *const outcomes[] = {"met", "MISSED", "not measured"};
    char name[128], wanted[64], measured[32];
    int width = 0;
    for (int i = 0; i < r->n; i++) {
        describe(&r->scene->expects[i], name);
        if ((int)strlen(name) > width) width = (int)strlen(name);
    }
    for (int i = 0; i < r->n; i++) {
        firn_expect_result result = firn_expect_evaluate(r, i);
        describe(result.def, name);
        expected(result.def, wanted);
        snprintf(measured, sizeof measured, "%.6g", result.measured);
        fprintf(out, "%-12s  %-*s  %-12s  expected %s %s  (%s)\n", outcomes[result.outcome], width,
                name, result.outcome == FIRN_EXPECT_UNMEASURED ? "-" : measured, wanted,
                result.unit, result.def->source);
    }
}
