/* SPDX-License-Identifier: MIT */
/* farm_opencue.c: job.xml, a job specification of OpenCue (its DTD cjsl 1.12).
 *
 * A layer is a kind of task; its frames are the ranges of a scene or the runs of a study. Frames of
 * the layer sim follow each other (PREVIOUS_FRAME, a layer on itself), surfaces follow their own
 * (FRAME_BY_FRAME), pictures all of them (LAYER_ON_LAYER). OpenCue refuses jobs of root. */
#include "farm/farm.h"

#include <stdio.h>

#include <pwd.h>
#include <unistd.h>

static void add_element(firn_text *text, const char *indent, const char *name, const char *value)
{
    firn_text_add(text, "%s<%s>", indent, name);
    firn_text_add_xml(text, value);
    firn_text_add(text, "</%s>\n", name);
}

static void add_layer(const firn_farm *farm, firn_text *text, const char *kind, int n)
{
    char value[64];
    const char *words = n == 0 ? "1 1" : farm->study ? "#IFRAME# 1" : "1 #IFRAME#";
    firn_text cmd = {0};
    firn_farm_add_path(farm, "work.sh", &cmd);
    firn_text_add(&cmd, " %s %s", kind, words);
    firn_text_add(text, "      <layer name=\"%s\" type=\"Render\">\n", kind);
    if (cmd.has_failed)
        text->has_failed = 1;
    else
        add_element(text, "        ", "cmd", cmd.data);
    firn_text_clear(&cmd);
    snprintf(value, sizeof value, "1-%d", n > 0 ? n : 1);
    add_element(text, "        ", "range", value);
    add_element(text, "        ", "chunk", "1");
    snprintf(value, sizeof value, "%d.0", farm->n_threads);
    add_element(text, "        ", "cores", value);
    add_element(text, "        ", "threadable", farm->n_threads > 1 ? "True" : "False");
    snprintf(value, sizeof value, "%ldm", firn_farm_mebibytes(farm));
    add_element(text, "        ", "memory", value);
    firn_text_add(text, "        <services><service>shell</service></services>\n      </layer>\n");
}

static void add_depend(const firn_farm *farm, firn_text *text, const char *type, const char *kind,
                       const char *on)
{
    firn_text_add(text, "    <depend type=\"%s\" anyframe=\"False\">\n", type);
    add_element(text, "      ", "depjob", farm->name);
    add_element(text, "      ", "deplayer", kind);
    add_element(text, "      ", "onjob", farm->name);
    add_element(text, "      ", "onlayer", on);
    firn_text_add(text, "    </depend>\n");
}

static void add_head(const firn_farm *farm, firn_text *text)
{
    const struct passwd *user = getpwuid(getuid());
    char value[64];
    firn_text_add(text, "<?xml version=\"1.0\"?>\n"
                        "<!DOCTYPE spec PUBLIC \"SPI Cue Specification Language\" "
                        "\"http://localhost:8080/spcue/dtd/cjsl-1.12.dtd\">\n"
                        "<spec>\n");
    add_element(text, "  ", "facility", "local");
    add_element(text, "  ", "show", farm->options->show);
    add_element(text, "  ", "shot", farm->name);
    add_element(text, "  ", "user", user ? user->pw_name : "firn");
    snprintf(value, sizeof value, "%ld", (long)getuid());
    add_element(text, "  ", "uid", value);
    firn_text_add(text, "  <job name=\"%s\">\n", farm->name);
    add_element(text, "    ", "paused", "False");
    snprintf(value, sizeof value, "%d", farm->options->n_retries);
    add_element(text, "    ", "maxretries", value);
    firn_text_add(text, "    <layers>\n");
}

void firn_farm_write_opencue(const firn_farm *farm, firn_text *text)
{
    const int n = farm->study ? farm->n_runs : farm->n_ranges;
    add_head(farm, text);
    add_layer(farm, text, "sim", n);
    if (farm->has_mesh) add_layer(farm, text, "mesh", n);
    if (farm->has_render) add_layer(farm, text, "render", n);
    if (farm->study) add_layer(farm, text, "collect", 0);
    firn_text_add(text, "    </layers>\n  </job>\n  <depends>\n");
    if (!farm->study && n > 1) add_depend(farm, text, "PREVIOUS_FRAME", "sim", "sim");
    if (farm->has_mesh) add_depend(farm, text, "FRAME_BY_FRAME", "mesh", "sim");
    if (farm->has_render)
        add_depend(farm, text, farm->study ? "FRAME_BY_FRAME" : "LAYER_ON_LAYER", "render", "sim");
    if (farm->study) add_depend(farm, text, "LAYER_ON_LAYER", "collect", "sim");
    firn_text_add(text, "  </depends>\n</spec>\n");
}
