/* SPDX-License-Identifier: MIT */
/* farm_openjd.c: job.json, a job template of Open Job Description, version 2023-09
 * (https://github.com/OpenJobDescription/openjd-specifications/wiki/2023-09-Template-Schemas).
 *
 * Dependencies are between steps alone, so each range of a scene is a step; runs of a study are the
 * tasks of one step. An action that is canceled gets SIGTERM and ten minutes, for a checkpoint. */
#include "farm/farm.h"

#include <stdio.h>

#include "base/json.h"

#include <math.h>

enum { NAME = 64 };

static void add_amount(firn_json_writer *json, const char *name, double least)
{
    firn_json_begin_inline(json, NULL, '{');
    firn_json_string(json, "name", name);
    firn_json_number(json, "min", least);
    firn_json_end(json);
}

static void add_script(const firn_farm *farm, firn_json_writer *json, const char *kind,
                       const char *run, const char *range)
{
    firn_text path = {0};
    firn_text_add(&path, "%s/work.sh", farm->folder);
    const double minutes = farm->options->minutes > 0 ? farm->options->minutes
                           : kind[0] == 's'           ? farm->sim_minutes
                                                      : farm->still_minutes;
    firn_json_begin(json, "script", '{');
    firn_json_begin(json, "actions", '{');
    firn_json_begin(json, "onRun", '{');
    firn_json_string(json, "command", path.data ? path.data : "");
    firn_json_begin_inline(json, "args", '[');
    firn_json_string(json, NULL, kind);
    firn_json_string(json, NULL, run);
    firn_json_string(json, NULL, range);
    firn_json_end(json);
    firn_json_integer(json, "timeout", (int64_t)ceil(60 * minutes));
    firn_json_begin_inline(json, "cancelation", '{');
    firn_json_string(json, "mode", "NOTIFY_THEN_TERMINATE");
    firn_json_integer(json, "notifyPeriodInSeconds", 600);
    firn_json_end(json);
    for (int i = 0; i < 3; i++) firn_json_end(json);
    if (path.has_failed) json->failed = 1;
    firn_text_clear(&path);
}

typedef struct step {
    const char *kind, *run, *range; /* format strings */
    int number, n_tasks;            /* number 0: without; n_tasks 0: one without a parameter */
    const char *after;              /* kind of the step that it waits for; NULL: none */
    int after_number;
} step;

static void add_step(const firn_farm *farm, firn_json_writer *json, const step *s)
{
    char text[NAME];
    firn_json_begin(json, NULL, '{');
    snprintf(text, sizeof text, s->number ? "%s-%d" : "%s", s->kind, s->number);
    firn_json_string(json, "name", text);
    if (s->after) {
        firn_json_begin_inline(json, "dependencies", '[');
        firn_json_begin_inline(json, NULL, '{');
        snprintf(text, sizeof text, s->after_number ? "%s-%d" : "%s", s->after, s->after_number);
        firn_json_string(json, "dependsOn", text);
        firn_json_end(json);
        firn_json_end(json);
    }
    if (s->n_tasks) {
        firn_json_begin(json, "parameterSpace", '{');
        firn_json_begin_inline(json, "taskParameterDefinitions", '[');
        firn_json_begin_inline(json, NULL, '{');
        firn_json_string(json, "name", "Number");
        firn_json_string(json, "type", "INT");
        snprintf(text, sizeof text, s->n_tasks > 1 ? "1-%d" : "%d", s->n_tasks);
        firn_json_string(json, "range", text);
        firn_json_end(json);
        firn_json_end(json);
        firn_json_end(json);
    }
    firn_json_begin(json, "hostRequirements", '{');
    firn_json_begin(json, "amounts", '[');
    add_amount(json, "amount.worker.vcpu", farm->n_threads);
    add_amount(json, "amount.worker.memory", (double)firn_farm_mebibytes(farm));
    firn_json_end(json);
    firn_json_end(json);
    add_script(farm, json, s->kind, s->run, s->range);
    firn_json_end(json);
}

static const char of_task[] = "{{Task.Param.Number}}";

static void add_scene(const firn_farm *farm, firn_json_writer *json)
{
    const int n = farm->n_ranges;
    char range[16];
    for (int i = 1; i <= n; i++) {
        snprintf(range, sizeof range, "%d", i);
        step sim = {"sim", "1", range, i, 0, i > 1 ? "sim" : NULL, i - 1};
        step mesh = {"mesh", "1", range, i, 0, "sim", i};
        add_step(farm, json, &sim);
        if (farm->has_mesh) add_step(farm, json, &mesh);
    }
    step render = {"render", "1", of_task, 0, n, "sim", n};
    if (farm->has_render) add_step(farm, json, &render);
}

static void add_study(const firn_farm *farm, firn_json_writer *json)
{
    const int n = farm->n_runs;
    step sim = {"sim", of_task, "1", 0, n, NULL, 0}, mesh = {"mesh", of_task, "1", 0, n, "sim", 0},
         render = {"render", of_task, "1", 0, n, "sim", 0},
         collect = {"collect", "1", "1", 0, 0, "sim", 0};
    add_step(farm, json, &sim);
    if (farm->has_mesh) add_step(farm, json, &mesh);
    if (farm->has_render) add_step(farm, json, &render);
    add_step(farm, json, &collect);
}

void firn_farm_write_openjd(const firn_farm *farm, firn_text *text)
{
    firn_json_writer json;
    firn_json_init(&json, 1);
    firn_json_begin(&json, NULL, '{');
    firn_json_string(&json, "specificationVersion", "jobtemplate-2023-09");
    firn_json_string(&json, "name", farm->name);
    firn_json_begin(&json, "steps", '[');
    if (farm->study)
        add_study(farm, &json);
    else
        add_scene(farm, &json);
    firn_json_end(&json);
    firn_json_end(&json);
    size_t n = 0;
    const char *whole = firn_json_finish(&json, &n);
    if (whole)
        firn_text_add_bytes(text, whole, n);
    else
        text->has_failed = 1;
    firn_json_clear(&json);
}
