/* SPDX-License-Identifier: MIT */
/* cmd_bench.c: `firn bench`: throughput by stage. */
#include "program/run_options.h"
#include "session/bench.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

typedef struct named_case {
    const char *name;
    firn_bench_case bench;
} named_case;

/* The cases of --all: each differs from the first in one setting. */
static int all_cases(const firn_bench_case *base, named_case cases[16])
{
    int n = 0;
    firn_bench_case b = *base;
#define CASE(text, change)                                                                         \
    b = *base;                                                                                     \
    change;                                                                                        \
    cases[n++] = (named_case){text, b};
    CASE("cubic APIC mls", (void)0)
    CASE("cubic APIC gradient", b.force = FIRN_FORCE_GRADIENT)
    CASE("quadratic APIC mls", b.spline = FIRN_QUADRATIC)
    CASE("cubic FLIP mls", b.scheme = FIRN_FLIP)
    CASE("cubic PIC mls", b.scheme = FIRN_PIC)
    CASE("cubic FLIP gradient", b.scheme = FIRN_FLIP; b.force = FIRN_FORCE_GRADIENT)
    CASE("snow", strcpy(b.law, "snow"))
    CASE("dough", strcpy(b.law, "dough"))
    CASE("Neo-Hookean", strcpy(b.law, "neo_hookean"))
    CASE("one thread", b.n_threads = 1)
    CASE("avx2", strcpy(b.isa, "avx2"))
    CASE("double", b.is_double = 1)
    CASE("steps not checked", b.is_unchecked = 1)
    CASE("eight times the particles", b.n_particles *= 8)
#undef CASE
    return n;
}

static firn_bench_case case_of(const firn_cli *cli)
{
    firn_bench_case b = firn_bench_case_default();
    snprintf(b.law, sizeof b.law, "%s", firn_cli_text(cli, "law", "sand"));
    snprintf(b.isa, sizeof b.isa, "%s", firn_cli_text(cli, "isa", ""));
    const char *scheme = firn_cli_text(cli, "scheme", "apic"),
               *force = firn_cli_text(cli, "force", "mls");
    b.scheme = !strcmp(scheme, "flip")    ? FIRN_FLIP
               : !strcmp(scheme, "pic")   ? FIRN_PIC
               : !strcmp(scheme, "aflip") ? FIRN_AFLIP
                                          : FIRN_APIC;
    b.force = strcmp(force, "mls") ? FIRN_FORCE_GRADIENT : FIRN_FORCE_MLS;
    b.spline = strcmp(firn_cli_text(cli, "shape", "cubic"), "cubic") ? FIRN_QUADRATIC : FIRN_CUBIC;
    b.is_double = !strcmp(firn_cli_text(cli, "precision", "float"), "double");
    b.n_threads = (int)firn_cli_integer(cli, "threads", 0);
    b.n_particles = firn_cli_integer(cli, "particles", b.n_particles);
    b.n_steps = (int)firn_cli_integer(cli, "steps", b.n_steps);
    b.n_repeats = (int)firn_cli_integer(cli, "repeats", b.n_repeats);
    return b;
}

/* Without --scene and --all: one case, from the options. */
static int choose_cases(const firn_cli *cli, named_case cases[16])
{
    firn_bench_case base = case_of(cli), scene = base;
    int n = 0;
    if (firn_cli_has(cli, "all"))
        n = all_cases(&base, cases);
    else if (!firn_cli_has(cli, "scene"))
        cases[n++] = (named_case){"asked for", base};
    if (!firn_cli_has(cli, "scene")) return n;
    scene.scene = firn_cli_text(cli, "scene", "");
    scene.at = firn_cli_number(cli, "at", 0);
    cases[n++] = (named_case){"scene", scene};
    return n;
}

static void print_head(void)
{
    printf("%-26s %-11s %3s %9s %7s %7s %6s", "case", "variant", "thr", "particles", "best", "mean",
           "spread");
    for (int s = 0; s < FIRN_N_STAGES; s++) printf(" %8s", firn_stage_name(s));
    printf(" %6s %6s %6s\n%-26s %-11s %3s %9s %7s %7s %6s", "p2g", "g2p", "peak", "", "", "", "",
           "M/s", "M/s", "%");
    for (int s = 0; s < FIRN_N_STAGES; s++) printf(" %8s", "ns");
    printf(" %6s %6s %6s\n", "% fma", "% fma", "B");
}

static void print_row(const char *name, const firn_bench_result *r)
{
    printf("%-26s %-11s %3d %9lld %7.2f %7.2f %6.1f", name, r->variant, r->n_threads,
           (long long)r->n_particles, r->best / 1e6, r->mean / 1e6, 100 * r->spread);
    for (int s = 0; s < FIRN_N_STAGES; s++) printf(" %8.2f", r->stage_ns[s]);
    printf(" %6.1f %6.1f %6.1f\n", 100 * r->p2g_share, 100 * r->g2p_share, r->bytes_per_particle);
    fflush(stdout);
}

static void json_row(firn_json_writer *json, const char *name, const firn_bench_machine *m,
                     const firn_bench_result *r)
{
    firn_json_begin(json, NULL, '{');
    firn_json_string(json, "case", name);
    firn_json_string(json, "variant", r->variant);
    firn_json_integer(json, "threads", r->n_threads);
    firn_json_integer(json, "particles", r->n_particles);
    firn_json_number(json, "updates_per_second", r->best);
    firn_json_number(json, "mean_updates_per_second", r->mean);
    firn_json_number(json, "spread", r->spread);
    firn_json_begin(json, "stage_ns", '{');
    for (int s = 0; s < FIRN_N_STAGES; s++)
        firn_json_number(json, firn_stage_name(s), r->stage_ns[s]);
    firn_json_end(json);
    firn_json_number(json, "ledger_ns", r->ledger_ns);
    firn_json_number(json, "sorts_per_step", r->sorts_per_step);
    firn_json_number(json, "bytes_per_particle", r->bytes_per_particle);
    firn_json_number(json, "p2g_share_of_peak", r->p2g_share);
    firn_json_number(json, "g2p_share_of_peak", r->g2p_share);
    firn_json_number(json, "machine_flops", m->flops);
    firn_json_number(json, "machine_copy_bytes_per_second", m->bandwidth);
    firn_json_end(json);
}

static void csv_head(void)
{
    printf("case,variant,threads,particles,best_updates_per_s,mean_updates_per_s,spread");
    for (int s = 0; s < FIRN_N_STAGES; s++) printf(",%s_ns", firn_stage_name(s));
    puts(",ledger_ns,sorts_per_step,bytes_per_particle,p2g_share_of_peak,g2p_share_of_peak,machine_"
         "flops,machine_copy_"
         "bytes_per_"
         "s");
}

static void csv_row(const char *name, const firn_bench_machine *m, const firn_bench_result *r)
{
    printf("%s,%s,%d,%lld,%.4g,%.4g,%.3f", name, r->variant, r->n_threads,
           (long long)r->n_particles, r->best, r->mean, r->spread);
    for (int s = 0; s < FIRN_N_STAGES; s++) printf(",%.2f", r->stage_ns[s]);
    printf(",%.2f,%.3f,%.1f,%.3f,%.3f,%.4g,%.4g\n", r->ledger_ns, r->sorts_per_step,
           r->bytes_per_particle, r->p2g_share, r->g2p_share, m->flops, m->bandwidth);
    fflush(stdout);
}

static int run(const firn_cli *cli)
{
    named_case cases[16];
    int n = choose_cases(cli, cases), as_json = firn_cli_has(cli, "json"),
        as_csv = firn_cli_has(cli, "csv");
    firn_messages *messages = firn_messages_create();
    firn_json_writer json;
    firn_json_init(&json, 1);
    firn_json_begin(&json, NULL, '[');
    firn_status status = FIRN_OK;
    if (as_csv)
        csv_head();
    else if (!as_json)
        print_head();
    for (int i = 0; i < n && status == FIRN_OK; i++) {
        firn_bench_result result;
        firn_bench_machine machine;
        status = firn_bench_run(&cases[i].bench, &machine, &result, messages);
        if (status != FIRN_OK) break;
        if (as_json)
            json_row(&json, cases[i].name, &machine, &result);
        else if (as_csv)
            csv_row(cases[i].name, &machine, &result);
        else
            print_row(cases[i].name, &result);
        if (!as_json && !as_csv && i == n - 1)
            printf("machine: %.0f GFLOP/s multiply-add, %.1f GB/s copy (read and written)\n",
                   machine.flops / 1e9, machine.bandwidth / 1e9);
        if (result.spread > 0.15)
            firn_cli_warn("%s: repeats differ by %.0f %%, probably because of another process; "
                          "try: measure again",
                          cases[i].name, 100 * result.spread);
    }
    firn_json_end(&json);
    const char *text = firn_json_finish(&json, NULL);
    if (as_json && status == FIRN_OK && text) fputs(text, stdout);
    firn_json_clear(&json);
    firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"all", 0, FIRN_CLI_FLAG,
     .doc = "Measure all cases: schemes, force forms, splines, laws, threads, instruction sets, "
            "precision, size."},
    {"law", 0, FIRN_CLI_TEXT, "NAME", .doc = "Constitutive law. Default: sand."},
    {"scheme", 0, FIRN_CLI_CHOICE, "NAME", .doc = "Transfer scheme. Default: apic.",
     .choices = "apic flip pic aflip"},
    {"force", 0, FIRN_CLI_CHOICE, "NAME", .doc = "Form of the stress divergence. Default: mls.",
     .choices = "mls gradient"},
    {"shape", 0, FIRN_CLI_CHOICE, "NAME", .doc = "B-spline. Default: cubic.",
     .choices = "cubic quadratic"},
    FIRN_OPTION_ISA,
    {"precision", 0, FIRN_CLI_CHOICE, "NAME", .doc = "Precision. Default: float.",
     .choices = "float double"},
    {"threads", 0, FIRN_CLI_INTEGER, "N", .doc = "Number of threads. Default: all cores.", .min = 1,
     .max = 1024},
    {"particles", 0, FIRN_CLI_INTEGER, "N",
     .doc = "Approximate number of particles. Default: 1000000.", .min = 64, .max = 1e9},
    {"steps", 0, FIRN_CLI_INTEGER, "N", .doc = "Steps per repeat. Default: 10.", .min = 1,
     .max = 1e6},
    {"repeats", 0, FIRN_CLI_INTEGER, "N",
     .doc =
         "Repeats, of which the fastest counts; more for scenes with fewer particles. Default: 5.",
     .min = 1, .max = 1e6},
    {"scene", 0, FIRN_CLI_FILE, "SCENE.yaml",
     .doc = "Measure this scene, besides the cube with --all."},
    {"at", 0, FIRN_CLI_NUMBER, "SECONDS",
     .doc = "Simulated time from which on the scene is measured, in seconds. Default: 0.", .min = 0,
     .max = 1e9},
    {"json", 0, FIRN_CLI_FLAG, .doc = "Print JSON instead of a table."},
    {"csv", 0, FIRN_CLI_FLAG, .doc = "Print CSV instead of a table."},
    {0},
};

const firn_cli_verb firn_cmd_bench = {
    .name = "bench",
    .summary = "measure throughput by stage",
    .arguments = "",
    .n_min = 0,
    .n_max = 0,
    .choices = "",
    .text = "Simulates a cube of one material, 8 particles per cell, on a plane with friction, "
            "with the full step (sparse grid, sorting, collider, choice of dt, checks), or a scene "
            "from a given time on. Prints updates per second, nanoseconds per particle and step "
            "for each stage, peak bytes per particle, and the transfers as a share of the "
            "multiply-add peak that is measured in the same process.\n\nRepeats that differ much "
            "indicate that another process was busy: measure again. tools/bench.sh measures every "
            "case and keeps the numbers in tests/bench/.",
    .options = options,
    .run = run,
};
