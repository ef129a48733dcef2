/* SPDX-License-Identifier: MIT */
/* Studies: the file, the runs that it stands for, processes that are resumed or left alone,
 * metrics with known values, orders of convergence, and a report that holds everything. The
 * `firn` that is run is this very program: called with "run" it writes a shot of a body that is
 * known in closed form. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "study/study.h"
#include "support/sample_shot.h"
#include "scene/scene.h"

enum { LAST = 15 };

/* Frame k, t = k/24: falls and rises again, |1 - k/10|; spreads by 0.1 a frame and side; takes 2
 * N s a frame from the wall after frame 5; loses 0.5 J a frame and is given 0.3 J. */
static firn_ledger ledger_of(int k)
{
    return (firn_ledger){.n_particles = 8,
                         .mass = 2,
                         .center = {0, fabs(1 - 0.1 * k), 0},
                         .kinetic = 10 - 0.5 * k,
                         .plastic_work = 0.25 * k,
                         .wall_impulse = {0, k > 5 ? 2.0 * (k - 5) : 0, 0},
                         .min_J = 1 - 0.01 * k,
                         .max_J = 1,
                         .max_speed = k == 7 ? 3 : 1,
                         .external_work = 0.3 * k,
                         .friction_work = 0.1 * k,
                         .peak_wall_force = k > 5 ? 60 : 0,
                         .min = {-4 - 0.1 * k, 0, -4}, /* crumbs */
                         .max = {4 + 0.1 * k, 2, 4},
                         .bulk_min = {-1 - 0.1 * k, 0, -1},
                         .bulk_max = {1 + 0.1 * k, 2, 1}};
}

/* firn run SCENE --set ... --out FOLDER: refuses E = 13, and counts its calls beside the shots.
 * The variable FAKE makes it refuse everything, stop or fail (disk full) after half of the frames,
 * or write the shot of another scene. `resume` finds no checkpoint. */
static int fake_firn(int argc, char **argv)
{
    const char *fake = getenv("FAKE") ? getenv("FAKE") : "";
    if (!strcmp(argv[1], "resume")) return FIRN_IO;
    if (!strcmp(fake, "refuse")) return FIRN_REFUSED;
    const char *folder = NULL, *sets[16];
    int n_sets = 0;
    uint64_t scene_hash;
    for (int i = 2; i < argc; i++) {
        if (strstr(argv[i], "E: 13}")) return FIRN_REFUSED;
        if (!strcmp(argv[i], "--out")) folder = argv[i + 1];
        if (!strcmp(argv[i], "--set") && n_sets < 16) sets[n_sets++] = argv[i + 1];
    }
    if (!folder) return FIRN_USAGE;
    firn_scene *scene = firn_scene_load(argv[2], n_sets, sets, NULL);
    if (!scene || firn_scene_hash(firn_scene_definition(scene), &scene_hash, NULL) != FIRN_OK)
        return FIRN_IO;
    firn_scene_destroy(scene);
    char path[1024];
    snprintf(path, sizeof path, "%s.calls", folder);
    FILE *file = fopen(path, "a");
    if (!file || fputs("x", file) < 0 || fclose(file)) return FIRN_IO;
    firn_shot_setup setup = sample_setup(folder, 1);
    setup.scene_hash = scene_hash + !strcmp(fake, "other");
    firn_shot *shot;
    if (firn_shot_create(&setup, 1, &shot, NULL) != FIRN_OK) return FIRN_IO;
    int is_cut = !strcmp(fake, "full") || !strcmp(fake, "stop");
    for (int k = 0; k <= (is_cut ? LAST / 2 : LAST); k++) {
        firn_ledger ledgers[2] = {ledger_of(k), ledger_of(k)};
        snprintf(ledgers[1].material, sizeof ledgers[1].material, "block");
        ledgers[0].max_speed = 9;
        firn_shot_time moment = {.frame = k,
                                 .time = k / 24.0,
                                 .wall_seconds = 0.5 * k,
                                 .state_hash = 100u + (unsigned)k,
                                 .stats = {.limit = {1e-4, "wave", "block", 3}, .n_steps = 10 * k},
                                 .n_ledgers = 2,
                                 .ledgers = ledgers};
        if (firn_shot_record(shot, &moment, 0, NULL, NULL) != FIRN_OK) return FIRN_IO;
    }
    firn_status status = firn_shot_close(shot,
                                         !strcmp(fake, "full")   ? "failed"
                                         : !strcmp(fake, "stop") ? "stopped"
                                                                 : "finished",
                                         NULL, NULL);
    firn_shot_destroy(shot);
    return !strcmp(fake, "full") ? FIRN_IO : !strcmp(fake, "stop") ? FIRN_STOPPED : (int)status;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(scratch(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char scene_text[] =
    "grid: {dx: 2 cm}\n"
    "materials:\n  block: {law: neo_hookean, E: 100 kPa, nu: 0.3}\n"
    "bodies:\n  block: {material: block, shape: {kind: sphere, radius: 20 cm}}\n";

static const char study_text[] =
    "study: both\n"
    "text: what <is> asked\n"
    "scenes: scene.yaml\n"
    "material: block\n"
    "watch: block\n"
    "laws:\n  - soft: neo_hookean,E=10 kPa,nu=0.2\n  - hencky,E=%s,nu=0.2\n"
    "sweep: {grid.dx: [2 cm, 1 cm]}\n"
    "set: scene.frames=15\n"
    "metrics: [peak_force, run_out, bounce_height, lost_energy, steps, time_to_solution, "
    "top_speed, numerical_loss]\n"
    "resolution: {path: grid.dx, metric: run_out}\n"
    "references: [{label: known, curve: center_y, file: known.csv}]\n"
    "curves: [center_y, force]\n"
    "lab: [{title: pulled, path: uniaxial, to: 1.2, steps: 10}]\n";

static void write_study(const char *E)
{
    char text[4096];
    snprintf(text, sizeof text, study_text, E);
    write_file("study.yaml", text);
    write_file("scene.yaml", scene_text);
    write_file("known.csv", "time (ms), center_y (m)\n0, 1\n600, 0.5\n");
}

static firn_study *load(firn_messages *messages)
{
    firn_study *study = firn_compare_study_load(scratch("study.yaml"), messages);
    if (!study) print_error("%s\n", firn_messages_text(messages, 0, NULL));
    assert_non_null(study);
    return study;
}

static void plans(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    write_study("20 kPa");
    firn_study *study = load(messages);
    firn_compare compare;
    firn_compare_options options = {.folder = "OUT"};
    firn_status status = firn_compare_plan(&compare, study, &options, messages);
    if (status) print_error("%s\n", firn_messages_text(messages, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    assert_int_equal(compare.n_runs, 4);
    assert_string_equal(compare.runs[0].label, "soft, dx 2 cm");
    assert_string_equal(compare.runs[3].label, "hencky,E=20 kPa,nu=0.2, dx 1 cm");
    assert_non_null(strstr(compare.runs[3].command,
                           "--set scene.frames=15 --set 'materials.block={name: block, law: "
                           "hencky, E: 20000, nu: 0.2}' --set 'grid.dx=1 cm' --out OUT/runs/"));
    assert_non_null(strstr(compare.runs[0].parameters,
                           "block: neo_hookean, rho = 1000 kg/m^3, E = 10000 Pa, nu = 0.2"));
    assert_true(compare.runs[0].scene_hash != compare.runs[1].scene_hash);
    assert_true(compare.runs[0].gravity[1] < -9);
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);
    /* a scene that sweeps is a study of itself */
    char text[2048];
    snprintf(text, sizeof text, "%ssweep: {grid.dx: [2 cm, 1 cm, 5 mm]}\n", scene_text);
    write_file("swept.yaml", text);
    study = firn_compare_study_load(scratch("swept.yaml"), messages);
    assert_non_null(study);
    assert_string_equal(study->name, "swept");
    assert_int_equal(firn_compare_plan(&compare, study, &options, messages), FIRN_OK);
    assert_int_equal(compare.n_runs, 3);
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);
    firn_messages_destroy(messages);
}

static int n_calls(const firn_compare_run *run)
{
    char path[2048];
    struct stat info;
    snprintf(path, sizeof path, "%s.calls", run->folder);
    return stat(path, &info) == 0 ? (int)info.st_size : 0;
}

static int contains(const char *name, const char *words)
{
    size_t n;
    char *text = (char *)scratch_load(scratch(name), &n);
    assert_non_null(text);
    text[n - 1] = 0;
    int found = strstr(text, words) != NULL;
    free(text);
    if (!found) print_error("%s lacks %s\n", name, words);
    return found;
}

static firn_compare execute(firn_study *study, const char *folder, firn_status expected,
                            firn_messages *messages)
{
    char program[1024];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(n > 0);
    program[n] = 0;
    firn_compare compare;
    firn_compare_options options = {.folder = folder, .program = program, .n_jobs = 3};
    assert_int_equal(firn_compare_plan(&compare, study, &options, messages), FIRN_OK);
    assert_int_equal(firn_compare_execute(&compare, &options, messages), expected);
    return compare;
}

static void runs_and_goes_on(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    char folder[512];
    snprintf(folder, sizeof folder, "%s", scratch("out"));
    write_study("20 kPa");
    firn_study *study = load(messages);
    firn_compare compare = execute(study, folder, FIRN_OK, messages);
    static const double known[] = {60, 3, 0.5, 12, 150, 7.5, 3, 6.75};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(compare.runs[i].exit_code, 0);
        for (int m = 0; m < 8; m++) assert_true(fabs(compare.runs[i].metrics[m] - known[m]) < 1e-9);
        assert_int_equal(compare.runs[i].series.hash, 100 + LAST);
    }
    assert_int_equal(firn_compare_report(&compare, messages), FIRN_OK);
    assert_int_equal(firn_messages_count(messages, FIRN_WARNING), 0);
    /* everything in one file, escaped, without anything from outside */
    assert_true(contains("out/report.html", "what &lt;is&gt; asked"));
    assert_true(contains("out/report.html", "<td>60</td><td>3</td><td>0.5</td>"));
    assert_true(contains("out/report.html", "Order of convergence"));
    assert_true(contains("out/report.html", "known</text>"));
    assert_true(contains("out/report.html", "pulled</text>"));
    assert_true(contains("out/report.html", "--set &#39;grid.dx=1 cm&#39; --out"));
    assert_true(
        contains("out/summary.csv", "\"soft, dx 2 cm\",finished,60,3,0.5,12,150,7.5,3,6.75,"));
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);

    /* the same again: nothing runs; with another parameter: only the runs that it concerns */
    study = load(messages);
    compare = execute(study, folder, FIRN_OK, messages);
    for (int i = 0; i < 4; i++) assert_int_equal(n_calls(&compare.runs[i]), 1);
    for (int i = 0; i < 4; i++) assert_true(compare.runs[i].is_reused);
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);
    write_study("13 Pa");
    study = load(messages);
    compare = execute(study, folder, FIRN_OK, messages);
    assert_true(compare.runs[0].is_reused && compare.runs[1].is_reused);
    assert_int_equal(n_calls(&compare.runs[0]), 1);
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);
    firn_messages_destroy(messages);
}

/* Repeats are runs of their own with another seed and shift; the table has one row for all of them,
 * and the files of the report hold every curve. */
static void repeats(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    char folder[512];
    snprintf(folder, sizeof folder, "%s", scratch("repeated"));
    write_study("20 kPa");
    FILE *file = fopen(scratch("study.yaml"), "a");
    assert_non_null(file);
    fputs("repeat: 3\nvary: seed\n", file);
    fclose(file);
    firn_study *study = load(messages);
    firn_compare compare = execute(study, folder, FIRN_OK, messages);
    assert_int_equal(compare.n_runs, 12);
    assert_int_equal(firn_compare_n_groups(&compare), 4);
    assert_null(strstr(compare.runs[3].command, "seed"));
    assert_non_null(strstr(compare.runs[4].command, "--set scene.seed=1"));
    assert_string_equal(compare.runs[4].group_label, compare.runs[3].group_label);
    assert_string_equal(compare.runs[4].label, "soft, dx 1 cm, repeat 1");
    firn_compare_spread force = firn_compare_group_metric(&compare, 1, 0);
    assert_true(force.n == 3 && force.mean == 60 && force.deviation == 0);
    assert_int_equal(firn_compare_report(&compare, messages), FIRN_OK);
    assert_true(contains("repeated/report.html", "<td title=\"3 runs\">60 &plusmn; 0</td>"));
    assert_true(contains("repeated/summary.tex", "peak\\_force (N)"));
    assert_true(contains("repeated/summary.tex", "soft, dx 2 cm & $60 \\pm 0$"));
    assert_true(
        contains("repeated/data/center_y.csv", "\"soft, dx 2 cm\",3,0.04166666667,0.9,0.9,0.9"));
    assert_true(contains("repeated/data/center_y.csv", "\"known\",0,0.6,0.5,,"));
    assert_true(contains("repeated/figures/center_y.tex", "\\addlegendentry{soft, dx 2 cm}"));
    assert_true(contains("repeated/figures/center_y.svg", "<polygon fill="));
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);
    firn_messages_destroy(messages);
}

/* The archive is one that tar reads, with the study, its scene and its reference in it. */
static void archive(void **state)
{
    (void)state;
    char command[2048];
    snprintf(command, sizeof command,
             "cd '%s' && rm -rf unpacked && mkdir unpacked && tar -xzf repeated/both.tar.gz -C "
             "unpacked && cmp study.yaml unpacked/both/inputs/study.yaml && cmp scene.yaml "
             "unpacked/both/inputs/scene.yaml && cmp known.csv unpacked/both/inputs/known.csv && "
             "cmp repeated/summary.csv unpacked/both/summary.csv && test -x "
             "unpacked/both/commands.sh && grep -q 'firn compare inputs/study.yaml' "
             "unpacked/both/README",
             scratch("."));
    assert_int_equal(system(command), 0);
}

/* Means and deviations of known samples; Welch's test on both sides of its limit, with the quantiles
 * of Student's distribution from tables (nu = 4: 2.776, nu = 8: 2.306). */
static void spreads(void **state)
{
    (void)state;
    const double a[] = {1, 2, NAN, 3}, far[] = {3.28, 4.28, 5.28}, near[] = {3.25, 4.25, 5.25};
    firn_compare_spread s = firn_compare_spread_of(4, a), t = firn_compare_spread_of(3, far),
                        u = firn_compare_spread_of(3, near), one = firn_compare_spread_of(1, a);
    assert_true(s.n == 3 && s.mean == 2 && fabs(s.deviation - 1) < 1e-15);
    assert_true(one.n == 1 && one.mean == 1 && isnan(one.deviation));
    /* equal variances 1, n = m = 3: nu = 4, limit 2.776 sqrt(2/3) = 2.2666 */
    assert_int_equal(firn_compare_order_of(&t, &s), 1);
    assert_int_equal(firn_compare_order_of(&s, &t), -1);
    assert_int_equal(firn_compare_order_of(&u, &s), 0);
    assert_int_equal(firn_compare_order_of(&one, &s), 0);
    const double five[] = {1, 2, 3, 4, 5}, more[] = {3.35, 4.35, 5.35, 6.35, 7.35},
                 less[] = {3.28, 4.28, 5.28, 6.28, 7.28};
    s = firn_compare_spread_of(5, five);
    t = firn_compare_spread_of(5, more);
    u = firn_compare_spread_of(5, less);
    /* nu = 8, limit 2.306 sqrt(2 * 2.5/5) = 2.306 */
    assert_int_equal(firn_compare_order_of(&t, &s), 1);
    assert_int_equal(firn_compare_order_of(&u, &s), 0);
}

static void failures_are_shown(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    char folder[512];
    snprintf(folder, sizeof folder, "%s", scratch("failing"));
    write_study("20 kPa");
    char text[4096];
    snprintf(text, sizeof text,
             "study: one\nscenes: scene.yaml\nmaterial: block\nlaws: ['hencky,nu=0.2,E=13']\n");
    write_file("study.yaml", text);
    firn_study *study = load(messages);
    firn_compare compare = execute(study, folder, FIRN_OK, messages);
    assert_int_equal(compare.runs[0].exit_code, FIRN_REFUSED);
    assert_null(compare.runs[0].series.table);
    assert_true(isnan(compare.runs[0].metrics[0]));
    assert_true(firn_messages_count(messages, FIRN_WARNING) > 0);
    assert_int_equal(firn_compare_report(&compare, messages), FIRN_OK);
    assert_true(contains("failing/report.html", "no results"));
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);
    firn_messages_destroy(messages);
}

/* A study of one run in folder `old`: how often its program has written a shot so far, whether it
 * was reused, and 1 where it has numbers. */
static int execute_one(const char *fake, int *calls, int *is_reused)
{
    char folder[512];
    firn_messages *messages = firn_messages_create();
    snprintf(folder, sizeof folder, "%s", scratch("old"));
    write_file("study.yaml", "study: one\nscenes: scene.yaml\nmetrics: [steps]\n");
    if (setenv("FAKE", fake, 1)) abort();
    firn_study *study = load(messages);
    firn_compare compare = execute(study, folder, FIRN_OK, messages);
    unsetenv("FAKE");
    const firn_compare_run *run = &compare.runs[0];
    *calls = n_calls(run);
    *is_reused = run->is_reused;
    assert_int_equal(run->series.table == NULL, isnan(run->metrics[0]));
    int has_numbers = run->series.table != NULL;
    if (!has_numbers) {
        assert_true(firn_messages_count(messages, FIRN_WARNING) > 0);
        assert_int_equal(firn_compare_report(&compare, messages), FIRN_OK);
        assert_true(contains("old/report.html", "no results: "));
    }
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);
    firn_messages_destroy(messages);
    return has_numbers;
}

/* What lies in the folder is not taken for the result of a run that failed, or of another scene;
 * what was ended by the disk is tried again, what stopped by itself is not. */
static void old_results_are_not_new(void **state)
{
    (void)state;
    int calls, is_reused;
    char text[1024];
    snprintf(text, sizeof text, "%scolliders: {m: {shape: {kind: mesh, file: m.obj}}}\n",
             scene_text);
    write_file("scene.yaml", text);
    write_file("m.obj", "v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3\n");
    assert_true(execute_one("", &calls, &is_reused));
    assert_int_equal(calls, 1);
    /* an edited scene that is refused; then its folder has the shot of another one */
    snprintf(text, sizeof text, "%scolliders: {m: {shape: {kind: mesh, file: m.obj, scale: 2}}}\n",
             scene_text);
    write_file("scene.yaml", text);
    assert_false(execute_one("refuse", &calls, &is_reused));
    assert_int_equal(calls, 1);
    assert_false(execute_one("other", &calls, &is_reused));
    assert_int_equal(calls, 2);
    /* the disk is full, and is still full when the run is tried again */
    assert_false(execute_one("full", &calls, &is_reused));
    assert_int_equal(calls, 3);
    assert_false(execute_one("full", &calls, &is_reused));
    assert_int_equal(calls, 4);
    assert_false(is_reused);
    assert_true(execute_one("", &calls, &is_reused));
    assert_int_equal(calls, 5);
    assert_false(is_reused);
    assert_true(execute_one("", &calls, &is_reused));
    assert_true(is_reused);
    /* another mesh of the same name; the run with it is refused, then stops by itself */
    write_file("m.obj", "v 0 0 0\nv 0 2 0\nv 1 0 0\nf 1 2 3\n");
    assert_false(execute_one("refuse", &calls, &is_reused));
    assert_true(execute_one("stop", &calls, &is_reused));
    assert_int_equal(calls, 6);
    assert_true(execute_one("", &calls, &is_reused));
    assert_int_equal(calls, 6);
    assert_true(is_reused);
}

static void matched(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    write_file("scene.yaml", scene_text);
    write_file("study.yaml",
               "study: m\nscenes: scene.yaml\nmaterial: block\nlaws: [neo_hookean, "
               "fixed_corotated, sand]\n"
               "matched: {E: 50 kPa, nu: 0.25}\ntime_step: 1e-4 s\ntransfers: [apic, flip]\n");
    firn_study *study = load(messages);
    for (int i = 0; i < 3; i++) {
        firn_material material;
        double E, nu;
        assert_int_equal(firn_lab_material(study->laws[i].spec, NULL, &material, messages),
                         FIRN_OK);
        firn_lab_small_strain(&material, 293.15, 0, &E, &nu);
        /* cohesionless sand has no stiffness in tension, so no modulus by central differences */
        if (i == 2) continue;
        assert_true(fabs(E - 5e4) < 0.1 && fabs(nu - 0.25) < 1e-6);
    }
    assert_int_equal(study->n_axes, 1);
    assert_string_equal(study->axes[0].path, "transfer.scheme");
    assert_string_equal(study->axes[0].values[1], "flip");
    assert_int_equal(study->n_sets, 1);
    assert_string_equal(study->sets[0], "time.dt_fixed=1e-4 s");
    firn_compare_study_destroy(study);
    firn_messages_destroy(messages);
}

static void refuses(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"study: a\nscene: b.yaml\n", "did you mean scenes"},
        {"scenes: b.yaml\n", "no name"},
        {"study: a\n", "`scenes`, `lab`"},
        {"study: a\nscenes: s.yaml\nlaws: [neo_hookean]\n", "material: missing"},
        {"study: a\nscenes: s.yaml\nmetrics: [beauty]\n", "peak_force"},
        {"study: a\nscenes: s.yaml\nmaterial: m\nlaws: [unknown_law]\n", "unknown_law"},
        {"study: a\nscenes: s.yaml\nresolution: {path: grid.dx, metric: run_out}\n",
         "not one of the sweep"},
        {"study: a\nlaws: [neo_hookean]\nlab: [{path: sideways}]\n", "unknown path"},
        {"study: a\nlaws: [neo_hookean]\nlab: [{to: 2 kg}]\n", "kg"},
        {"study: a\nlaws: [neo_hookean]\nlab: [{uto: 2}]\n", "study.yaml:3:"},
        {"study: a\nscenes: s.yaml\nsweep: {grid.dx: 1}\n", "list of values"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_messages *messages = firn_messages_create();
        write_file("study.yaml", bad[i][0]);
        assert_null(firn_compare_study_load(scratch("study.yaml"), messages));
        if (!strstr(firn_messages_text(messages, 0, NULL), bad[i][1]))
            print_error("%s -> %s\n", bad[i][0], firn_messages_text(messages, 0, NULL));
        assert_non_null(strstr(firn_messages_text(messages, 0, NULL), bad[i][1]));
        firn_messages_destroy(messages);
    }
}

static void order(void **state)
{
    (void)state;
    double h[4] = {1, 4, 2, 8}, f[4], uneven[3] = {1, 2.5, 3}, g[3];
    for (int i = 0; i < 4; i++) f[i] = 1 + 0.3 * pow(h[i], 1.7);
    for (int i = 0; i < 3; i++) g[i] = 5 - 0.2 * pow(uneven[i], 2.2);
    assert_true(fabs(firn_compare_order(4, h, f, NAN) - 1.7) < 1e-6);
    assert_true(fabs(firn_compare_order(4, h, f, 1) - 1.7) < 1e-9);
    assert_true(fabs(firn_compare_order(3, uneven, g, NAN) - 2.2) < 1e-6);
    assert_true(isnan(firn_compare_order(2, h, f, NAN)));
    double wild[3] = {1, 2, 1};
    assert_true(isnan(firn_compare_order(3, uneven, wild, NAN)));
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "run") || !strcmp(argv[1], "resume")))
        return fake_firn(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans),
                                       cmocka_unit_test(runs_and_goes_on),
                                       cmocka_unit_test(matched),
                                       cmocka_unit_test(repeats),
                                       cmocka_unit_test(archive),
                                       cmocka_unit_test(spreads),
                                       cmocka_unit_test(failures_are_shown),
                                       cmocka_unit_test(refuses),
                                       cmocka_unit_test(order),
                                       cmocka_unit_test(old_results_are_not_new)};
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
