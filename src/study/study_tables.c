/* SPDX-License-Identifier: MIT */
/* study_tables.c: the table of metrics as files, and where the laws come from.
 *
 *     OUT/summary.csv    one row per run, all digits
 *     OUT/summary.tex    one row per group of repeats, as a tabular: mean, and its deviation */
#include "study/study.h"
#include "base/messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void firn_compare_add_tex(firn_text *tex, const char *string)
{
    for (const char *s = string; *s; s++) switch (*s) {
        case '\\': firn_text_add(tex, "\\textbackslash{}"); break;
        case '~': firn_text_add(tex, "\\textasciitilde{}"); break;
        case '^': firn_text_add(tex, "\\textasciicircum{}"); break;
        default:
            if (strchr("&%$#_{}", *s)) firn_text_add(tex, "\\");
            firn_text_add_bytes(tex, s, 1);
        }
}

static int has_unit(const firn_compare_metric *metric) { return strcmp(metric->unit, "1") != 0; }

static firn_status write_csv(const firn_compare *c, firn_messages *messages)
{
    char path[FIRN_PATH + 32];
    firn_text csv = {0};
    firn_text_add(&csv, "run,ended");
    for (int m = 0; m < c->n_metrics; m++)
        firn_text_add(&csv, has_unit(c->metrics[m]) ? ",%s (%s)" : ",%s", c->metrics[m]->name,
                      c->metrics[m]->unit);
    firn_text_add(&csv, ",scene,state,command\n");
    for (int i = 0; i < c->n_runs; i++) {
        const firn_compare_run *run = &c->runs[i];
        firn_text_add_csv(&csv, run->label);
        firn_text_add(&csv, ",%s", run->series.table ? run->series.state : "no results");
        for (int m = 0; m < c->n_metrics; m++)
            if (isnan(run->metrics[m]))
                firn_text_add(&csv, ",");
            else
                firn_text_add(&csv, ",%.10g", run->metrics[m]);
        firn_text_add(&csv, ",%016llx,%016llx,", (unsigned long long)run->scene_hash,
                      (unsigned long long)run->series.hash);
        firn_text_add_csv(&csv, run->command);
        firn_text_add(&csv, "\n");
    }
    snprintf(path, sizeof path, "%s/summary.csv", c->folder);
    firn_status status = firn_text_write(&csv, path, messages);
    firn_text_clear(&csv);
    return status;
}

static firn_status write_tex(const firn_compare *c, firn_messages *messages)
{
    char path[FIRN_PATH + 32];
    firn_text tex = {0};
    firn_text_add(&tex, "\\begin{tabular}{l");
    for (int m = 0; m < c->n_metrics; m++) firn_text_add(&tex, "r");
    firn_text_add(&tex, "}\n\\hline\nrun");
    for (int m = 0; m < c->n_metrics; m++) {
        firn_text_add(&tex, " & ");
        firn_compare_add_tex(&tex, c->metrics[m]->name);
        if (has_unit(c->metrics[m])) {
            firn_text_add(&tex, " (");
            firn_compare_add_tex(&tex, c->metrics[m]->unit);
            firn_text_add(&tex, ")");
        }
    }
    firn_text_add(&tex, " \\\\\n\\hline\n");
    for (int g = 0; g < firn_compare_n_groups(c); g++) {
        firn_compare_add_tex(&tex, firn_compare_group(c, g)->group_label);
        for (int m = 0; m < c->n_metrics; m++) {
            firn_compare_spread s = firn_compare_group_metric(c, g, m);
            firn_text_add(&tex, s.n ? " & $%.4g" : " & --", s.mean);
            if (s.n > 1) firn_text_add(&tex, " \\pm %.2g", s.deviation);
            if (s.n) firn_text_add(&tex, "$");
        }
        firn_text_add(&tex, " \\\\\n");
    }
    firn_text_add(&tex, "\\hline\n\\end{tabular}\n");
    snprintf(path, sizeof path, "%s/summary.tex", c->folder);
    firn_status status = firn_text_write(&tex, path, messages);
    firn_text_clear(&tex);
    return status;
}

firn_status firn_compare_tables(const firn_compare *compare, firn_messages *messages)
{
    firn_status status = write_csv(compare, messages);
    return status == FIRN_OK ? write_tex(compare, messages) : status;
}

/* ---------------------------------------------------------------- sources */

/* `doi:10....` becomes a link. */
static void add_with_links(firn_text *html, const char *text)
{
    for (const char *doi; (doi = strstr(text, "doi:"));) {
        char before[512], name[128];
        snprintf(before, sizeof before, "%.*s", (int)(doi - text), text);
        size_t n = strcspn(doi + 4, " ,;");
        snprintf(name, sizeof name, "%.*s", (int)n, doi + 4);
        firn_text_add_xml(html, before);
        firn_text_add(html, "<a href=\"https://doi.org/%s\">doi:%s</a>", name, name);
        text = doi + 4 + n;
    }
    firn_text_add_xml(html, text);
}

void firn_compare_citations(const firn_compare *c, firn_text *html)
{
    const firn_study *s = c->study;
    const firn_law_info *seen[64];
    int n_seen = 0;
    firn_text_add(html, "<h3>Sources of the laws</h3>\n<ul>\n");
    for (int i = 0; i < s->n_laws; i++) {
        firn_material material;
        if (firn_lab_material(s->laws[i].spec, NULL, &material, NULL) != FIRN_OK) continue;
        const firn_law_info *law = &material.law->info;
        int k = 0;
        while (k < n_seen && seen[k] != law) k++;
        if (k < n_seen || n_seen == 64) continue;
        seen[n_seen++] = law;
        firn_text_add(html, "<li>%s: ", law->name);
        add_with_links(html, law->citation ? law->citation : "no source given");
        firn_text_add(html, "</li>\n");
    }
    firn_text_add(html, "</ul>\n");
}
