/* SPDX-License-Identifier: MIT */
/* cmd_lab.c: `firn lab`: one material point along a path, as numbers and plots. */
#include "program/cli.h"
#include "base/file.h"
#include "session/interrupt.h"
#include "lab/lab.h"
#include "base/suggest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAWS_MAX = 32, OVERLAYS_MAX = 8 };

static firn_status refuse_name(const char *what, const char *given, const char *names,
                               firn_messages *messages)
{
    char near[FIRN_NAME];
    if (firn_suggest_word(given, names, near, sizeof near))
        return firn_messages_add(messages, FIRN_USAGE, "%s '%s' does not exist; did you mean %s?",
                                 what, given, near);
    return firn_messages_add(messages, FIRN_USAGE, "%s '%s' does not exist; allowed: %s", what,
                             given, names);
}

static void path_names(char *names, size_t n)
{
    size_t used = 0;
    for (int i = 0; i < firn_lab_path_count() && used < n; i++)
        used += (size_t)snprintf(names + used, n - used, "%s%s", i ? " " : "",
                                 firn_lab_path_at(i)->name);
}

static void mode_names(char *names, size_t n)
{
    size_t used = 0;
    for (int i = 0; firn_lab_mode_name(i) && used < n; i++)
        used +=
            (size_t)snprintf(names + used, n - used, "%s%s", i ? " " : "", firn_lab_mode_name(i));
}

static firn_status read_options(const firn_cli *cli, firn_lab_options *o, firn_messages *messages)
{
    char names[1024];
    const char *path = firn_cli_text(cli, "path", firn_cli_has(cli, "table") ? "file" : NULL);
    if (path) snprintf(o->path, sizeof o->path, "%s", path);
    snprintf(o->mode, sizeof o->mode, "%s", firn_cli_text(cli, "mode", ""));
    path_names(names, sizeof names);
    if (!firn_lab_path_find(o->path)) return refuse_name("path", o->path, names, messages);
    const char *x, *y;
    mode_names(names, sizeof names);
    if (!firn_lab_axes(o, &x, &y)) return refuse_name("mode", o->mode, names, messages);
    o->variant = (firn_variant)firn_lab_variant(firn_cli_text(cli, "variant", "f64_scalar"));
    static const char *const measures[] = {"cauchy", "kirchhoff", "nominal"};
    for (int m = 0; m < 3; m++)
        if (!strcmp(firn_cli_text(cli, "measure", "cauchy"), measures[m]))
            o->measure = (firn_lab_stress)m;
    o->n_steps = (int)firn_cli_integer(cli, "steps", o->n_steps);
    o->n_cycles = (int)firn_cli_integer(cli, "cycles", o->n_cycles);
    o->with_stability = firn_cli_has(cli, "stability");
    o->is_adiabatic = firn_cli_has(cli, "adiabatic");
    o->by_stress = firn_cli_has(cli, "stress") && strcmp(o->path, "creep") != 0;
    const struct {
        const char *name, *unit;
        double *value;
    } quantities[] = {{"from", "1", &o->from},
                      {"to", "1", &o->to},
                      {"stress", "Pa", &o->stress},
                      {"rate", "1/s", &o->rate},
                      {"hold", "s", &o->hold},
                      {"pressure", "Pa", &o->pressure},
                      {"rate-from", "1/s", &o->rate_from},
                      {"rate-to", "1/s", &o->rate_to},
                      {"temperature", "K", &o->temperature},
                      {"heat-to", "K", &o->heat_to}};
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities && status == FIRN_OK; i++)
        status = firn_cli_quantity(cli, quantities[i].name, quantities[i].unit, quantities[i].value,
                                   messages);
    return status;
}

/* What is released at the end. */
typedef struct session {
    firn_messages *messages;
    firn_lab_options options;
    firn_table *motion, *overlays[OVERLAYS_MAX];
    firn_material materials[LAWS_MAX];
    firn_lab_curve curves[LAWS_MAX + OVERLAYS_MAX];
    firn_table *tables[LAWS_MAX];
    int n, n_overlays;
} session;

static firn_status write_outputs(const firn_cli *cli, session *s, const char *x, const char *y)
{
    const char *stem = firn_cli_text(cli, "out", NULL);
    firn_text csv = {0};
    char path[FIRN_PATH + 96], title[256];
    firn_interrupt_begin();
    firn_status status = FIRN_OK;
    for (int i = 0; i < s->n && status == FIRN_OK; i++) {
        firn_text_clear(&csv);
        firn_table_csv(s->tables[i], &csv);
        if (s->n == 1)
            snprintf(path, sizeof path, "%s.csv", stem);
        else
            snprintf(path, sizeof path, "%s-%d-%s.csv", stem, i + 1,
                     s->materials[i].law->info.name);
        status = firn_text_write(&csv, path, s->messages);
        if (status == FIRN_OK) printf("%s\n", path);
    }
    firn_text_clear(&csv);
    snprintf(title, sizeof title, "%s%s%s", s->options.path, s->options.mode[0] ? ", " : "",
             s->options.mode);
    static const char *const extensions[] = {"svg", "png"};
    for (int e = 0; e < 2 && status == FIRN_OK; e++) {
        snprintf(path, sizeof path, "%s.%s", stem, extensions[e]);
        firn_lab_picture picture = {title, x, y, {NAN, NAN}, s->n + s->n_overlays, s->curves};
        status = firn_lab_draw(&picture, path, s->messages);
        if (status == FIRN_OK) printf("%s\n", path);
    }
    return status;
}

/* x and y of all laws side by side, for a terminal or a pipe. */
static void print_columns(const session *s, const char *x, const char *y)
{
    for (int i = 0; i < s->n; i++) {
        const firn_table *t = s->tables[i];
        int cx = firn_table_find(t, x), cy = firn_table_find(t, y);
        printf("%s# %s\n%s (%s),%s (%s)\n", i ? "\n" : "", s->curves[i].label, x,
               t->columns[cx].unit, y, t->columns[cy].unit);
        for (int r = 0; r < t->n_rows; r++)
            printf("%.10g,%.10g\n", firn_table_value(t, r, cx), firn_table_value(t, r, cy));
    }
    for (int i = 0; i < s->n; i++) {
        const firn_lab_loss *any = &s->curves[i].stability.any,
                            *axis = &s->curves[i].stability.axis;
        if (!isnan(any->time))
            printf("# %s loses ellipticity at stretch %.9g, shear %.9g, time %.9g s\n",
                   s->curves[i].label, any->stretch, any->shear, any->time);
        if (!isnan(axis->time))
            printf("# %s, for longitudinal waves along the first axis (a bar): stretch %.9g, shear "
                   "%.9g, time %.9g s\n",
                   s->curves[i].label, axis->stretch, axis->shear, axis->time);
    }
}

static firn_status run_all(const firn_cli *cli, session *s)
{
    firn_status status = read_options(cli, &s->options, s->messages);
    if (status != FIRN_OK) return status;
    if (firn_cli_has(cli, "table")) {
        s->motion = firn_table_read(firn_cli_text(cli, "table", ""), s->messages);
        if (!s->motion) return firn_messages_status(s->messages);
        s->options.table = s->motion;
    }
    const char *x, *y;
    firn_lab_axes(&s->options, &x, &y);
    x = firn_cli_text(cli, "x", x);
    y = firn_cli_text(cli, "y", y);
    firn_status stopped = FIRN_OK;
    for (int i = 0; i < cli->n_arguments; i++) {
        status = firn_lab_material(cli->arguments[i], NULL, &s->materials[i], s->messages);
        if (status != FIRN_OK) return status;
        s->curves[i].label = cli->arguments[i];
        status = firn_lab_run(&s->materials[i], &s->options, &s->tables[i], &s->curves[i].stability,
                              s->messages);
        s->curves[i].table = s->tables[i];
        s->n = i + 1;
        if (status == FIRN_STOPPED && s->tables[i])
            stopped = status; /* what was reached is shown */
        else if (status != FIRN_OK)
            return status;
        if (firn_table_find(s->tables[i], x) < 0 || firn_table_find(s->tables[i], y) < 0)
            return firn_messages_add(
                s->messages, FIRN_USAGE,
                "column '%s' does not exist; try: --out, whose CSV names all of them",
                firn_table_find(s->tables[i], x) < 0 ? x : y);
    }
    const char *files[OVERLAYS_MAX];
    int n_files = firn_cli_all(cli, "overlay", files, OVERLAYS_MAX);
    for (int i = 0; i < n_files && i < OVERLAYS_MAX; i++) {
        s->overlays[i] = firn_table_read(files[i], s->messages);
        if (!s->overlays[i]) return firn_messages_status(s->messages);
        s->curves[s->n + i] =
            (firn_lab_curve){files[i], s->overlays[i], 1, {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};
        s->n_overlays = i + 1;
    }
    if (firn_cli_has(cli, "out"))
        status = write_outputs(cli, s, x, y);
    else {
        print_columns(s, x, y);
        status = FIRN_OK;
    }
    return status == FIRN_OK ? stopped : status;
}

/* ---------------------------------------------------------------- the map of stability */

/* STEM.csv, STEM.svg, STEM.png of one law; without a stem the table goes to the terminal. */
static firn_status write_map(const firn_lab_map *map, const char *title, const char *stem,
                             firn_messages *messages)
{
    firn_text csv = {0};
    char path[FIRN_PATH + 96];
    firn_interrupt_begin();
    firn_status status = firn_lab_map_csv(map, &csv, messages);
    if (status == FIRN_OK && !stem) fputs(csv.data ? csv.data : "", stdout);
    if (status == FIRN_OK && stem) {
        snprintf(path, sizeof path, "%s.csv", stem);
        status = firn_text_write(&csv, path, messages);
        if (status == FIRN_OK) printf("%s\n", path);
    }
    firn_text_clear(&csv);
    static const char *const extensions[] = {"svg", "png"};
    for (int e = 0; e < 2 && stem && status == FIRN_OK; e++) {
        snprintf(path, sizeof path, "%s.%s", stem, extensions[e]);
        status = firn_lab_map_draw(map, title, path, messages);
        if (status == FIRN_OK) printf("%s\n", path);
    }
    firn_interrupt_leave(NULL);
    return status;
}

static firn_status run_maps(const firn_cli *cli, firn_messages *messages)
{
    firn_lab_map_options o = firn_lab_map_options_default();
    const char *out = firn_cli_text(cli, "out", NULL);
    firn_status status = firn_cli_quantity(cli, "from", "1", &o.from, messages);
    if (status == FIRN_OK) status = firn_cli_quantity(cli, "to", "1", &o.to, messages);
    if (status == FIRN_OK) status = firn_cli_quantity(cli, "third", "1", &o.third, messages);
    if (status == FIRN_OK)
        status = firn_cli_quantity(cli, "temperature", "K", &o.temperature, messages);
    o.n = (int)firn_cli_integer(cli, "steps", o.n - 1) + 1;
    for (int i = 0; i < cli->n_arguments && status == FIRN_OK; i++) {
        firn_material material;
        firn_lab_map map = {0};
        firn_text said = {0};
        char stem[FIRN_PATH + 80] = "", title[256];
        status = firn_lab_material(cli->arguments[i], NULL, &material, messages);
        if (status == FIRN_OK) status = firn_lab_map_run(&material, &o, &map, messages);
        if (status != FIRN_OK) return status;
        if (out && cli->n_arguments > 1)
            snprintf(stem, sizeof stem, "%s-%d-%s", out, i + 1, material.law->info.name);
        else if (out)
            snprintf(stem, sizeof stem, "%s", out);
        snprintf(title, sizeof title, "Stability of %.200s", cli->arguments[i]);
        status = write_map(&map, title, stem[0] ? stem : NULL, messages);
        firn_lab_map_explain(&map, &said);
        if (status == FIRN_OK && said.data)
            for (char *line = said.data, *end; (end = strchr(line, '\n')); line = end + 1)
                printf("# %s: %.*s\n", cli->arguments[i], (int)(end - line), line);
        firn_text_clear(&said);
        firn_lab_map_clear(&map);
    }
    return status;
}

static int list_paths(void)
{
    printf("%-16s %-16s %-8s %s\n", "path", "mode", "to", "meaning");
    for (int i = 0; i < firn_lab_path_count(); i++) {
        const firn_lab_path_info *p = firn_lab_path_at(i);
        char to[32] = "-";
        if (!isnan(p->to)) snprintf(to, sizeof to, "%g", p->to);
        printf("%-16s %-16s %-8s %s\n", p->name, p->mode, to, p->meaning);
    }
    return FIRN_OK;
}

static int run(const firn_cli *cli)
{
    if (firn_cli_has(cli, "list")) return list_paths();
    if (cli->n_arguments == 0)
        return firn_cli_fail(FIRN_USAGE, "law: missing; try: firn lab neo_hookean --path uniaxial");
    firn_messages *messages = firn_messages_create();
    if (!messages) return firn_cli_no_memory("messages");
    firn_status status;
    if (firn_cli_has(cli, "map"))
        status = run_maps(cli, messages);
    else {
        session s = {.messages = messages, .options = firn_lab_options_default()};
        status = run_all(cli, &s);
        for (int i = 0; i < LAWS_MAX; i++) firn_table_destroy(s.tables[i]);
        for (int i = 0; i < OVERLAYS_MAX; i++) firn_table_destroy(s.overlays[i]);
        firn_table_destroy(s.motion);
    }
    firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"path", 'p', FIRN_CLI_TEXT, "NAME", "Path; --list lists all. Default: uniaxial."},
    {"list", 0, FIRN_CLI_FLAG, .doc = "List the paths with their default mode and end."},
    {"mode", 'm', FIRN_CLI_TEXT, "NAME",
     "Mode of deformation of a path that has several (cyclic, creep, ...)."},
    {"to", 0, FIRN_CLI_TEXT, "STRETCH", "End of the path: a stretch, or the amount of shear."},
    {"stress", 0, FIRN_CLI_TEXT, "STRESS",
     "End of the path as a stress, e.g. '2 kPa'; for creep the load."},
    {"measure", 0, FIRN_CLI_CHOICE, "NAME", "Measure of the prescribed stress. Default: cauchy.",
     .choices = "cauchy kirchhoff nominal"},
    {"rate", 0, FIRN_CLI_TEXT, "RATE", "Rate of the prescribed quantity. Default: 1/s."},
    {"hold", 0, FIRN_CLI_TEXT, "TIME",
     "Duration of relaxation, creep, recovery, heating and quench. Default: 10 s."},
    {"pressure", 0, FIRN_CLI_TEXT, "STRESS",
     "Confining pressure on the free sides; required by triaxial."},
    {"cycles", 0, FIRN_CLI_INTEGER, "N", "Number of cycles of the path cyclic.", .min = 1,
     .max = 10000},
    {"rate-from", 0, FIRN_CLI_TEXT, "RATE", "First rate of flow_curve. Default: 0.01/s."},
    {"rate-to", 0, FIRN_CLI_TEXT, "RATE", "Last rate of flow_curve. Default: 1000/s."},
    {"steps", 'n', FIRN_CLI_INTEGER, "N",
     "Number of steps of the path (per rate in flow_curve, per side of a map).", .min = 1,
     .max = 1e7},
    {"table", 0, FIRN_CLI_FILE, "FILE",
     "CSV file of the path 'file': time and any of Fxx ... Fzz."},
    {"overlay", 0, FIRN_CLI_FILE, "FILE", "CSV file of a measured curve, plotted as points.",
     .repeats = 1},
    {"x", 'x', FIRN_CLI_TEXT, "COLUMN", "Column on the horizontal axis."},
    {"y", 'y', FIRN_CLI_TEXT, "COLUMN", "Column on the vertical axis."},
    {"stability", 0, FIRN_CLI_FLAG,
     .doc =
         "Also compute the smallest eigenvalue of the acoustic tensor over all directions, its "
         "value for longitudinal waves along the first axis (a bar), and where it becomes zero."},
    {"map", 0, FIRN_CLI_FLAG,
     .doc = "Map of stability instead of a path: the smallest eigenvalue of the acoustic tensor "
            "over all directions, in the plane of two stretches, with the contour where "
            "ellipticity is lost."},
    {"from", 0, FIRN_CLI_TEXT, "STRETCH",
     "Of a ramp: stretch or shear from which it is plotted, default: rest. Of a map: its least "
     "stretch, default: 0.3; its largest is --to, default: 1.7."},
    {"third", 0, FIRN_CLI_TEXT, "STRETCH", "Third stretch of a map. Default: 1."},
    {"temperature", 0, FIRN_CLI_TEXT, "T", "Temperature. Default: 293.15 K."},
    {"heat-to", 0, FIRN_CLI_TEXT, "T",
     "Temperature at the end of the paths heating (over --hold) and quench (at once)."},
    {"adiabatic", 0, FIRN_CLI_FLAG,
     .doc = "Plastic and viscous work become heat (taylor_quinney), by the heat_capacity and the "
            "latent heat of the material. Default: isothermal."},
    {"variant", 0, FIRN_CLI_CHOICE, "NAME", "Compiled variant of the kernels. Default: f64_scalar.",
     .choices = "f64_scalar f32_sse2 f32_avx2 f64_avx2 f32_avx512 f64_avx512"},
    {"out", 'o', FIRN_CLI_FILE, "STEM", "Write STEM.csv (one per law), STEM.svg and STEM.png."},
    {0},
};

const firn_cli_verb firn_cmd_lab = {
    .name = "lab",
    .summary = "load one material point along a path",
    .arguments = "LAW...",
    .n_max = LAWS_MAX,
    .completes = FIRN_CLI_CHOICE,
    .choices = "materials --names",
    .text = "Loads one material point along a path of deformation or stress, with the compiled "
            "kernels of the simulation, and prints stresses, energies and history. Prescribed "
            "components of stress (free sides, confining pressure, a load) are solved for by "
            "Newton's method.\n\nA material is a law, a preset, or both, with parameters:\n\n    "
            "firn lab neo_hookean sand --path uniaxial_strain --to 0.8 -o compare\n    firn lab "
            "'neo_hookean/rubber,E=2 MPa,nu=0.48' --path uniaxial --to 3 --stability\n    firn lab "
            "dry_sand --path triaxial --pressure '10 kPa' --to 0.9\n    firn lab "
            "st_venant_kirchhoff --map -o stability\n    firn lab 'wax,E=2 MPa @ 290 K; 50 kPa @ "
            "330 K' --temperature 310K\n\nWithout --out the plotted columns are printed as CSV. "
            "With --out all columns are written: time, F, J, Cauchy, nominal and Kirchhoff stress, "
            "pressure, energy, work, wave speed, viscosity and history.",
    .options = options,
    .run = run,
};
