/* SPDX-License-Identifier: MIT */
/* cmd_fit.c: `firn fit data.csv --law LAW --free E,nu`: parameters of a law from a measured curve.
 */
#include "program/cli.h"
#include "lab/fit.h"
#include "session/interrupt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "E,nu" into the problem's list. */
static firn_status read_free(const char *text, firn_fit_law *problem, firn_messages *messages)
{
    while (*text) {
        size_t n = strcspn(text, ", ");
        if (problem->n_free == FIRN_FIT_MAX)
            return firn_messages_add(messages, FIRN_USAGE,
                                     "--free: too many parameters; allowed: up to %d",
                                     FIRN_FIT_MAX);
        if (n)
            snprintf(problem->free[problem->n_free++], FIRN_NAME, "%.*s",
                     (int)(n < FIRN_NAME ? n : FIRN_NAME), text);
        text += n + (text[n] != 0);
    }
    return problem->n_free ? FIRN_OK
                           : firn_messages_add(messages, FIRN_USAGE, "--free: no parameter given");
}

static firn_status read_problem(const firn_cli *cli, firn_fit_law *p, firn_messages *messages)
{
    firn_material material;
    firn_status status =
        firn_lab_material(firn_cli_text(cli, "law", ""), &p->def, &material, messages);
    if (status != FIRN_OK) return status;
    p->options = firn_lab_options_default();
    snprintf(p->options.path, sizeof p->options.path, "%s", firn_cli_text(cli, "path", "uniaxial"));
    snprintf(p->options.mode, sizeof p->options.mode, "%s", firn_cli_text(cli, "mode", ""));
    if (!firn_lab_axes(&p->options, &p->x, &p->y))
        return firn_messages_add(messages, FIRN_USAGE,
                                 "unknown path or mode; `firn lab --list` lists all");
    p->x = firn_cli_text(cli, "x", p->x);
    p->y = firn_cli_text(cli, "y", p->y);
    p->options.n_steps = (int)firn_cli_integer(cli, "steps", 400);
    p->is_relative = firn_cli_has(cli, "relative") || strcmp(p->options.path, "flow_curve") == 0;
    const struct {
        const char *name, *unit;
        double *value;
    } quantities[] = {{"to", "1", &p->options.to},
                      {"rate", "1/s", &p->options.rate},
                      {"stress", "Pa", &p->options.stress},
                      {"pressure", "Pa", &p->options.pressure},
                      {"temperature", "K", &p->options.temperature}};
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities && status == FIRN_OK; i++)
        status = firn_cli_quantity(cli, quantities[i].name, quantities[i].unit, quantities[i].value,
                                   messages);
    if (status != FIRN_OK || firn_cli_has(cli, "free"))
        return status == FIRN_OK ? read_free(firn_cli_text(cli, "free", ""), p, messages) : status;
    const firn_law_info *law = &material.law->info;
    for (int k = 0; k < law->n_parameters; k++)
        if (strcmp(law->parameters[k].name, "E") == 0) return read_free("E", p, messages);
    return firn_messages_add(messages, FIRN_USAGE,
                             "law '%s' has no parameter E; try: --free with its parameters",
                             law->name);
}

static void print_result(const firn_fit_law *p, const firn_fit_law_result *r)
{
    printf("%-18s %14s %14s %14s %14s  %s\n", "parameter", "value", "std. error", "95 % from", "to",
           "unit");
    for (int k = 0; k < p->n_free; k++) {
        const firn_fit_parameter *q = &r->parameters[k];
        printf("%-18s %14.6g %14.3g %14.6g %14.6g  %s\n", q->name, q->value, q->error, q->low,
               q->high, q->unit);
    }
    printf("%d data points, residual deviation %.4g%s, %d iterations\n", r->fit.n_data,
           r->fit.deviation, p->is_relative ? " of the measured value" : "", r->fit.n_iterations);
}

/* STEM.yaml, STEM.csv, STEM.svg, STEM.png */
static firn_status write_outputs(const char *stem, const char *source, const firn_fit_law *p,
                                 const firn_fit_law_result *r, firn_messages *messages)
{
    char path[FIRN_PATH + 16];
    const char *slash = strrchr(stem, '/');
    firn_text text = {0};
    firn_interrupt_begin();
    firn_fit_law_preset(p, r, slash ? slash + 1 : stem, source, &text);
    snprintf(path, sizeof path, "%s.yaml", stem);
    firn_status status = firn_text_write(&text, path, messages);
    if (status == FIRN_OK) printf("%s\n", path);
    firn_text_clear(&text);
    firn_table_csv(r->table, &text);
    snprintf(path, sizeof path, "%s.csv", stem);
    if (status == FIRN_OK) status = firn_text_write(&text, path, messages);
    firn_text_clear(&text);
    static const char *const extensions[] = {"svg", "png"};
    for (int e = 0; e < 2 && status == FIRN_OK; e++) {
        printf("%s\n", path);
        snprintf(path, sizeof path, "%s.%s", stem, extensions[e]);
        status = firn_fit_law_draw(p, r, path, messages);
    }
    if (status == FIRN_OK) printf("%s\n", path);
    return status;
}

static int run(const firn_cli *cli)
{
    const char *source = cli->arguments[0];
    if (!firn_cli_has(cli, "law"))
        return firn_cli_fail(
            FIRN_USAGE, "law: missing; try: firn fit %s --law neo_hookean --free E,nu", source);
    firn_messages *messages = firn_messages_create();
    if (!messages) return firn_cli_no_memory("messages");
    firn_fit_law problem = {0};
    firn_fit_law_result result = {0};
    firn_status status = read_problem(cli, &problem, messages);
    firn_table *data = status == FIRN_OK ? firn_table_read(source, messages) : NULL;
    if (status == FIRN_OK && !data) status = firn_messages_status(messages);
    problem.data = data;
    if (status == FIRN_OK) status = firn_fit_law_run(&problem, &result, messages);
    if (status == FIRN_OK) {
        print_result(&problem, &result);
        const char *stem = firn_cli_text(cli, "out", NULL);
        if (stem) status = write_outputs(stem, source, &problem, &result, messages);
    }
    firn_table_destroy(result.table);
    firn_table_destroy(data);
    firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"law", 'l', FIRN_CLI_TEXT, "LAW",
     "Law or preset with initial values: 'sand', 'neo_hookean,E=1 MPa'."},
    {"free", 'f', FIRN_CLI_TEXT, "NAMES", "Parameters to fit, separated by commas. Default: E."},
    {"path", 'p', FIRN_CLI_TEXT, "NAME",
     "Measured path; `firn lab --list` lists all. Default: uniaxial."},
    {"mode", 'm', FIRN_CLI_TEXT, "NAME", "Mode of deformation of a path that has several."},
    {"x", 'x', FIRN_CLI_TEXT, "COLUMN",
     "Column of the independent variable, e.g. stretch, time, rate."},
    {"y", 'y', FIRN_CLI_TEXT, "COLUMN", "Measured column, e.g. nominal_xx, cauchy_xy."},
    {"to", 0, FIRN_CLI_TEXT, "STRETCH", "Relaxation: the constant deformation."},
    {"rate", 0, FIRN_CLI_TEXT, "RATE", "Rate of the path. Default: 1/s."},
    {"stress", 0, FIRN_CLI_TEXT, "STRESS", "Creep: the constant stress."},
    {"pressure", 0, FIRN_CLI_TEXT, "STRESS", "Confining pressure on the free sides."},
    {"temperature", 0, FIRN_CLI_TEXT, "T", "Temperature. Default: 293.15 K."},
    {"relative", 0, FIRN_CLI_FLAG,
     .doc = "Weight each value by its size; always so for flow_curve."},
    {"steps", 'n', FIRN_CLI_INTEGER, "N", "Number of steps of the path.", .min = 10, .max = 1e6},
    {"out", 'o', FIRN_CLI_FILE, "STEM",
     "Write STEM.yaml (a material for scenes), STEM.csv, STEM.svg and STEM.png."},
    {0},
};

const firn_cli_verb firn_cmd_fit = {
    .name = "fit",
    .summary = "fit the parameters of a law to a measured curve",
    .arguments = "DATA.csv",
    .n_min = 1,
    .n_max = 1,
    .completes = FIRN_CLI_FILE,
    .text = "Finds the parameters with which the path of `firn lab` is closest to measured values, "
            "by least squares, with standard errors and 95 % confidence intervals. The first line "
            "of the file names its columns as in `firn lab`, with units:\n\n    stretch, "
            "nominal_xx (kPa)\n    1.02, 2.13\n\n    firn fit band.csv --law neo_hookean,nu=0.45 "
            "--free E -o band\n\nParameters that the data do not determine are reported.",
    .options = options,
    .run = run,
};
