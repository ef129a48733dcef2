/* SPDX-License-Identifier: MIT */
/* farm.c: see farm.h. The table of targets, and the folder of job files. */
#include "farm/farm.h"

#include "base/file.h"
#include "base/messages.h"
#include "base/hash.h"
#include "firn/defs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A job that was asked to end, by a time limit or by one of higher priority, ends with 6 and goes
 * back into the queue; so does, a few times, one that disk, memory or a signal ended. A job that
 * somebody has cancelled is no longer running and stays so. */
static const char slurm_end[] =
    "again() {\n"
    "    [ \"$(squeue -h -j \"$SLURM_JOB_ID\" -o %T)\" != RUNNING ] || scontrol requeue "
    "\"$SLURM_JOB_ID\"\n"
    "}\n"
    "case $code in\n"
    "0 | 1 | 2 | 3) ;;\n"
    "6) again ;;\n"
    "*) [ \"${SLURM_RESTART_COUNT:-0}\" -ge \"$retries\" ] || again ;;\n"
    "esac\n";

static const firn_farm_target targets[] = {
    {"shell", "run.sh: this machine, without any queue", "run.sh", 1, firn_farm_write_shell, "", "",
     NULL},
    {"slurm", "submit.sh: jobs and arrays of Slurm", "submit.sh", 1, firn_farm_write_slurm, "",
     slurm_end, "%"},
    {"openjd", "job.json: a job template of Open Job Description, version 2023-09", "job.json", 0,
     firn_farm_write_openjd, "openjd check ", "", "{{"},
    {"opencue", "job.xml: a job specification of OpenCue, cjsl 1.12", "job.xml", 0,
     firn_farm_write_opencue,
     "python3 -c 'import opencue, sys; opencue.api.launchSpec(open(sys.argv[1]).read())' ", "",
     "#"},
    {0},
};

static const firn_farm_target *target_named(const char *name)
{
    for (int i = 0; targets[i].name; i++)
        if (strcmp(targets[i].name, name) == 0) return &targets[i];
    return NULL;
}

/* ---------------------------------------------------------------- the folder */

static firn_status write_one(const firn_farm *farm, const char *file, const firn_text *text,
                             int is_script, firn_messages *messages)
{
    char path[2 * FIRN_PATH];
    snprintf(path, sizeof path, "%s/%s", farm->folder, file);
    firn_status status = firn_text_write(text, path, messages);
    if (status == FIRN_OK && is_script && chmod(path, 0755) != 0)
        status = firn_messages_add(messages, FIRN_IO, "%s: %s", path, firn_file_reason(errno));
    return status;
}

/* Job files of another farm are not replaced unasked: their jobs may be in a queue. */
static firn_status check_folder(const firn_farm *farm, const firn_farm_target *target,
                                firn_messages *messages)
{
    const char *files[] = {"work.sh", target->file};
    char path[2 * FIRN_PATH];
    if (strlen(farm->folder) >= FIRN_PATH - 64)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "--out: the path has %zu bytes; allowed: up to %d",
                                 strlen(farm->folder), FIRN_PATH - 65);
    if (target->refused && strstr(farm->folder, target->refused))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "--out %s: %s would take \"%s\" in a path for its own; try: "
                                 "another folder",
                                 farm->options->folder, target->name, target->refused);
    for (int i = 0; i < 2 && !farm->options->overwrite; i++) {
        snprintf(path, sizeof path, "%s/%s", farm->folder, files[i]);
        if (access(path, F_OK) == 0)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "%s: holds the job files of another farm; try: another folder "
                                     "(--out), or replace them (--overwrite)",
                                     farm->options->folder);
    }
    snprintf(path, sizeof path, "%s/logs", farm->folder);
    return firn_file_make_folder(path, messages);
}

firn_status firn_farm_write(firn_farm *farm, firn_text *how, firn_messages *messages)
{
    const firn_farm_target *target = target_named(farm->options->target);
    firn_text task = {0}, jobs = {0}, path = {0};
    if (!target)
        return firn_messages_add(messages, FIRN_USAGE, "--to %s: no such target",
                                 farm->options->target);
    firn_status status = check_folder(farm, target, messages);
    if (status != FIRN_OK) return status;
    firn_farm_write_task(farm, target, &task);
    farm->task_hash = task.data ? firn_hash_of(task.data, task.n) : 0;
    target->write(farm, &jobs);
    firn_farm_add_path(farm, target->file, &path);
    if (task.has_failed || jobs.has_failed || path.has_failed)
        status = firn_messages_no_memory(messages, "job files");
    if (status == FIRN_OK) status = write_one(farm, "work.sh", &task, 1, messages);
    if (status == FIRN_OK)
        status = write_one(farm, target->file, &jobs, target->is_script, messages);
    if (status == FIRN_OK) firn_text_add(how, "%s%s", target->how, path.data);
    firn_text_clear(&task);
    firn_text_clear(&jobs);
    firn_text_clear(&path);
    return status;
}
