/* SPDX-License-Identifier: MIT */
/* study_report.c: the results of a study as one self-contained HTML page.
 *
 * In this order: the study file, the table of metrics with the order of the groups, order of
 * convergence, curves over time (study_curves.c), the laws in the lab and their sources, and the
 * commands of the runs. */
#include "study/study.h"
#include "base/memory.h"
#include "base/messages.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_MAX = 64 };

static const char *const style =
    "body{font:15px/1.45 Helvetica,Arial,'DejaVu "
    "Sans',sans-serif;color:#222;max-width:1180px;margin:2em "
    "auto;padding:0 "
    "1.5em}h1{font-size:1.6em}h2{font-size:1.2em;margin:2em 0 .6em;border-bottom:1px solid #ddd}"
    "table{border-collapse:collapse;margin:.5em 0}td,th{padding:.25em .8em;border-bottom:1px solid "
    "#e4e4e4;text-align:right;vertical-align:top}th{background:#f5f5f5}td:first-child,th:first-"
    "child,.l{text-align:"
    "left}"
    "code{font:12px/1.4 'DejaVu Sans "
    "Mono',monospace;overflow-wrap:anywhere}.bad{color:#b00020}.wide{overflow-x:auto}"
    ".note{color:#666;font-size:.9em}svg{max-width:100%;height:auto}.pair{display:flex;flex-wrap:"
    "wrap;gap:1em}"
    ".pair svg{width:calc(50% - .5em)}";

/* ---------------------------------------------------------------- small pieces */

static void element(firn_text *html, const char *tag, const char *text)
{
    firn_text_add(html, "<%s>", tag);
    firn_text_add_xml(html, text);
    firn_text_add(html, "</%s>\n", tag);
}

static void cell(firn_text *html, const char *text)
{
    firn_text_add(html, "<td class=\"l\">");
    firn_text_add_xml(html, text);
    firn_text_add(html, "</td>");
}

static void number_cell(firn_text *html, double value)
{
    if (isnan(value))
        firn_text_add(html, "<td>&ndash;</td>");
    else
        firn_text_add(html,
                      fabs(value) >= 1e4 && fabs(value) < 1e9 ? "<td>%.0f</td>" : "<td>%.4g</td>",
                      value);
}

/* Mean and deviation; one value: itself. */
static void spread_cell(firn_text *html, firn_compare_spread s)
{
    if (s.n < 2)
        number_cell(html, s.mean);
    else
        firn_text_add(html, "<td title=\"%d runs\">%.4g &plusmn; %.2g</td>", s.n, s.mean,
                      s.deviation);
}

static const char *outcome(const firn_compare_run *run)
{
    if (!run->series.table) return "no results";
    return run->series.state;
}

/* How the runs of a group ended: that of the first that has not finished, with its number. */
static void outcome_cell(firn_text *html, const firn_compare *c, int group)
{
    const firn_compare_run *run = firn_compare_group(c, group);
    int n_bad = 0, n = c->study->n_repeats;
    for (int i = n - 1; i >= 0; i--)
        if (strcmp(outcome(&run[i]), "finished") != 0) {
            n_bad++;
            group = i;
        }
    firn_text_add(html, "<td class=\"l%s\">", n_bad ? " bad" : "");
    run += n_bad ? group : 0;
    if (n_bad && n > 1) firn_text_add(html, "%d of %d: ", n_bad, n);
    firn_text_add_xml(html, outcome(run));
    if (run->series.why[0]) {
        firn_text_add(html, ": ");
        firn_text_add_xml(html, run->series.why);
    }
    firn_text_add(html, "</td>");
}

/* ---------------------------------------------------------------- the table */

static void summary(const firn_compare *c, firn_text *html)
{
    element(html, "h2", "Summary");
    firn_text_add(html, "<div class=\"wide\"><table><tr><th>run</th>");
    for (int m = 0; m < c->n_metrics; m++) {
        const firn_compare_metric *metric = c->metrics[m];
        firn_text_add(html, "<th title=\"");
        firn_text_add_xml(html, metric->doc);
        firn_text_add(html, "\">");
        for (const char *n = metric->name; *n; n++)
            firn_text_add_bytes(html, *n == '_' ? " " : n, 1);
        firn_text_add(html, "<br>%s%s%s</th>", strcmp(metric->unit, "1") ? "(" : "",
                      strcmp(metric->unit, "1") ? metric->unit : "",
                      strcmp(metric->unit, "1") ? ")" : "");
    }
    firn_text_add(html, "<th>ended</th></tr>\n");
    for (int g = 0; g < firn_compare_n_groups(c); g++) {
        firn_text_add(html, "<tr>");
        cell(html, firn_compare_group(c, g)->group_label);
        for (int m = 0; m < c->n_metrics; m++)
            spread_cell(html, firn_compare_group_metric(c, g, m));
        outcome_cell(html, c, g);
        firn_text_add(html, "</tr>\n");
    }
    firn_text_add(html, "</table></div>\n<p class=\"note\">");
    for (int m = 0; m < c->n_metrics; m++) {
        firn_text_add(html, "%s: ", c->metrics[m]->name);
        firn_text_add_xml(html, c->metrics[m]->doc);
        firn_text_add(html, "%s", m + 1 < c->n_metrics ? ". " : ".</p>\n");
    }
}

/* Groups by their means, `<` where the difference to the next is certain, `~` where it is not. */
static void ranks(const firn_compare *c, firn_text *html)
{
    const int n = firn_compare_n_groups(c);
    if (c->study->n_repeats < 2 || n < 2) return;
    element(html, "h3", "Order, with 95 % confidence");
    firn_text_add(html, "<table><tr><th>metric</th><th class=\"l\">from small to large; &lt; is "
                        "certain, &asymp; is not</th></tr>\n");
    for (int m = 0; m < c->n_metrics; m++) {
        int order[FIRN_COMPARE_RUNS_MAX], n_known = 0;
        for (int g = 0; g < n; g++) {
            firn_compare_spread s = firn_compare_group_metric(c, g, m);
            if (!s.n) continue;
            int k = n_known++;
            for (; k > 0 && firn_compare_group_metric(c, order[k - 1], m).mean > s.mean; k--)
                order[k] = order[k - 1];
            order[k] = g;
        }
        firn_text_add(html, "<tr>");
        cell(html, c->metrics[m]->name);
        firn_text_add(html, "<td class=\"l\">");
        for (int k = 0; k < n_known; k++) {
            if (k) {
                firn_compare_spread a = firn_compare_group_metric(c, order[k - 1], m),
                                    b = firn_compare_group_metric(c, order[k], m);
                firn_text_add(html, firn_compare_order_of(&a, &b) ? " &lt; " : " &asymp; ");
            }
            firn_text_add_xml(html, firn_compare_group(c, order[k])->group_label);
        }
        firn_text_add(html, "</td></tr>\n");
    }
    firn_text_add(html, "</table>\n<p class=\"note\">Welch's test on %d repeats.</p>\n",
                  c->study->n_repeats);
}

/* ---------------------------------------------------------------- order of convergence */

/* The runs that differ from run `first` in nothing but the resolution. */
static int family(const firn_compare *c, int first, int members[FIRN_COMPARE_RUNS_MAX])
{
    const firn_study *s = c->study;
    int n = 0;
    for (int i = first; i < c->n_runs; i++) {
        const firn_compare_run *a = &c->runs[first], *b = &c->runs[i];
        int is_same = a->scene == b->scene && a->law == b->law && a->repeat == b->repeat;
        for (int k = 0; k < s->n_axes; k++)
            is_same &= k == s->resolution_axis || a->place[k] == b->place[k];
        if (is_same) members[n++] = i;
    }
    return n;
}

static void resolution(const firn_compare *c, firn_text *html)
{
    const firn_study *s = c->study;
    int metric = -1;
    for (int m = 0; m < c->n_metrics; m++)
        if (s->resolution_metric && strcmp(c->metrics[m]->name, s->resolution_metric) == 0)
            metric = m;
    if (s->resolution_axis < 0 || metric < 0) return;
    const firn_study_axis *axis = &s->axes[s->resolution_axis];
    element(html, "h2", "Order of convergence");
    firn_text_add(html, "<table><tr><th>runs</th>");
    for (int k = 0; k < axis->n; k++)
        firn_text_add(html, "<th>%s %s</th>", axis->path, axis->values[k]);
    firn_text_add(html, "<th>order</th></tr>\n");
    for (int i = 0; i < c->n_runs; i++) {
        int members[FIRN_COMPARE_RUNS_MAX];
        double h[FIRN_COMPARE_RUNS_MAX], f[FIRN_COMPARE_RUNS_MAX];
        if (c->runs[i].place[s->resolution_axis] != 0 || c->runs[i].repeat) continue;
        int n = family(c, i, members);
        firn_text_add(html, "<tr>");
        cell(html, c->runs[i].law >= 0 ? s->laws[c->runs[i].law].label : c->runs[i].label);
        for (int k = 0; k < n; k++) {
            /* units cancel in ratios; all values of an axis carry the same one or none */
            h[k] = strtod(axis->values[c->runs[members[k]].place[s->resolution_axis]], NULL);
            f[k] = firn_compare_group_metric(c, members[k] / s->n_repeats, metric).mean;
            number_cell(html, f[k]);
        }
        number_cell(html, firn_compare_order(n, h, f, s->resolution_exact));
        firn_text_add(html, "</tr>\n");
    }
    firn_text_add(html, "</table>\n<p class=\"note\">Of %s, %s.</p>\n", s->resolution_metric,
                  isnan(s->resolution_exact) ? "from the three finest runs"
                                             : "with the known value");
}

/* ---------------------------------------------------------------- laws in the lab */

static int is_of_lab(const firn_study_lab *lab, const char *label)
{
    int is_named = !lab->n_laws;
    for (int k = 0; k < lab->n_laws; k++) is_named |= strcmp(lab->laws[k], label) == 0;
    return is_named;
}

static firn_status lab_path(const firn_study *s, const firn_study_lab *lab, firn_text *html,
                            firn_messages *messages)
{
    firn_lab_curve curves[SERIES_MAX] = {{0}};
    firn_table *tables[SERIES_MAX] = {0};
    int n = 0;
    firn_status status = FIRN_OK;
    for (int i = 0; i < s->n_laws && n < SERIES_MAX - 1 && status == FIRN_OK; i++) {
        firn_material material;
        if (!is_of_lab(lab, s->laws[i].label)) continue;
        status = firn_lab_material(s->laws[i].spec, NULL, &material, messages);
        if (status != FIRN_OK) break;
        firn_messages *own = firn_messages_create();
        status = firn_lab_run(&material, &lab->options, &tables[n], NULL, own);
        if (status == FIRN_STOPPED && tables[n]) { /* where the law failed the curve ends */
            firn_messages_warn(messages, "%s: %s", s->laws[i].label,
                               firn_messages_text(own, 0, NULL));
            status = FIRN_OK;
        } else if (status != FIRN_OK)
            firn_messages_add(messages, status, "%s: %s", s->laws[i].label,
                              firn_messages_text(own, 0, NULL));
        firn_messages_destroy(own);
        if (status == FIRN_OK) {
            curves[n] = (firn_lab_curve){
                s->laws[i].label, tables[n], 0, {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};
            n++;
        }
    }
    int n_laws = n;
    if (status == FIRN_OK && lab->overlay) {
        tables[n] = firn_table_read(lab->overlay, messages);
        if (!tables[n])
            status = firn_messages_status(messages);
        else {
            curves[n] =
                (firn_lab_curve){"measured", tables[n], 1, {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};
            n++;
        }
    }
    if (status == FIRN_OK && n_laws) {
        firn_lab_picture picture = {lab->title, lab->x, lab->y, {lab->range[0], lab->range[1]},
                                    n,          curves};
        status = firn_lab_draw_svg(&picture, html, messages);
    }
    for (int i = 0; i < SERIES_MAX; i++) firn_table_destroy(tables[i]);
    return status;
}

static firn_status laws(const firn_study *s, firn_text *html, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    if (!s->n_laws) return status;
    element(html, "h2", "The laws");
    if (s->matched) {
        firn_text_add(html, "<p>Matched moduli: every law was given %s.</p>\n", s->matched);
    }
    firn_text_add(html, "<table><tr><th>law</th><th class=\"l\">specification</th><th>E "
                        "(Pa)</th><th>nu</th><th>E, sudden (Pa)</th><th>nu, sudden</th></tr>\n");
    for (int i = 0; i < s->n_laws; i++) {
        firn_material material;
        double E[2] = {NAN, NAN}, nu[2] = {NAN, NAN};
        if (firn_lab_material(s->laws[i].spec, NULL, &material, messages) == FIRN_OK)
            for (int is_fast = 0; is_fast < 2; is_fast++)
                firn_lab_small_strain(&material, 293.15, is_fast, &E[is_fast], &nu[is_fast]);
        firn_text_add(html, "<tr>");
        cell(html, s->laws[i].label);
        cell(html, s->laws[i].spec);
        for (int k = 0; k < 2; k++) {
            number_cell(html, E[k]);
            number_cell(html, nu[k]);
        }
        firn_text_add(html, "</tr>\n");
    }
    firn_text_add(
        html, "</table>\n<p class=\"note\">Moduli measured on the laws at small strain, at rest: "
              "of a strain that has stood for ever, and of a sudden one, in which a fading memory "
              "takes part.</p>\n");
    firn_text_add(html, "<div class=\"pair\">\n");
    for (int i = 0; i < s->n_labs && status == FIRN_OK; i++)
        status = lab_path(s, &s->labs[i], html, messages);
    firn_text_add(html, "</div>\n");
    return status;
}

/* ---------------------------------------------------------------- commands of the runs */

static void recipes(const firn_compare *c, firn_text *html)
{
    if (!c->n_runs) return;
    element(html, "h2", "Commands of the runs");
    firn_text_add(
        html, "<table><tr><th>run</th><th class=\"l\">parameters, hashes and command</th></tr>\n");
    for (int i = 0; i < c->n_runs; i++) {
        const firn_compare_run *run = &c->runs[i];
        firn_text_add(html, "<tr>");
        cell(html, run->label);
        firn_text_add(html, "<td class=\"l\">");
        firn_text_add_xml(html, run->parameters ? run->parameters : "");
        firn_text_add(html,
                      "<br>scene <code>%016llx</code>, last state <code>%016llx</code><br><code>",
                      (unsigned long long)run->scene_hash, (unsigned long long)run->series.hash);
        firn_text_add_xml(html, run->command);
        firn_text_add(html, "</code></td></tr>\n");
    }
    firn_text_add(html, "</table>\n");
}

static firn_status write_html(const firn_compare *c, firn_messages *messages)
{
    const firn_study *s = c->study;
    char path[FIRN_PATH + 32];
    firn_text html = {0};
    firn_text_add(&html,
                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    firn_text_add_xml(&html, s->name);
    firn_text_add(&html, "</title><style>%s</style></head><body>\n", style);
    element(&html, "h1", s->name);
    if (s->text) element(&html, "p", s->text);
    if (c->n_runs) summary(c, &html);
    ranks(c, &html);
    resolution(c, &html);
    firn_status status = firn_compare_curves(c, &html, messages);
    if (status == FIRN_OK) status = laws(s, &html, messages);
    if (s->n_laws) firn_compare_citations(c, &html);
    recipes(c, &html);
    firn_text_add(&html, "<p><a href=\"summary.csv\">summary.csv</a>, <a "
                         "href=\"summary.tex\">summary.tex</a>, <a href=\"");
    firn_text_add_xml(&html, s->name);
    firn_text_add(&html, ".tar.gz\">everything that is needed to repeat the study</a></p>\n");
    firn_text_add(&html, "<p class=\"note\">firn %s</p>\n</body></html>\n", firn_version());
    snprintf(path, sizeof path, "%s/report.html", c->folder);
    if (status == FIRN_OK) status = firn_text_write(&html, path, messages);
    firn_text_clear(&html);
    return status;
}

firn_status firn_compare_report(const firn_compare *compare, firn_messages *messages)
{
    firn_status status = write_html(compare, messages);
    if (status == FIRN_OK) status = firn_compare_tables(compare, messages);
    return status == FIRN_OK ? firn_compare_archive(compare, messages) : status;
}
