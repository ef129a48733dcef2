/* SPDX-License-Identifier: MIT */
/* farm_shell.c: run.sh, which does the tasks of a farm on this machine.
 *
 * It starts each task once those that it waits for are done, a given number at a time, and repeats
 * one that the machine has ended. A task that is done leaves a file, so that the script goes on
 * where it was ended; the folder of these files is named by the hash of work.sh, so that other job
 * files begin anew. */
#include "farm/farm.h"

static const char head[] =
    "# run.sh [TASKS]: does the farm on this machine, TASKS at a time (default: 1), each once "
    "those "
    "that it waits for are\n"
    "# done. Written by firn. Ctrl-C or SIGTERM ends it, simulations with a checkpoint; the same "
    "command continues.\n"
    "set -u\n"
    "case ${1:-1} in\n"
    "'' | *[!0-9]* | 0) echo \"run.sh: '$1' is no number of tasks; allowed: 1 and more\" >&2 && "
    "exit "
    "1 ;;\n"
    "esac\n"
    "at_once=${1:-1}\n";

/* NEEDS: names of tasks; one with a ~ before it may have failed. */
static const char lists[] = "mkdir -p \"$state\" \"$folder/logs\" || exit 4\n"
                            "names=()\n"
                            "declare -A words needs code pid tries\n"
                            "task() { # NAME 'KIND RUN RANGE' NEEDS\n"
                            "    names+=(\"$1\")\n"
                            "    words[$1]=$2 needs[$1]=${*:3} tries[$1]=0\n"
                            "    [ ! -e \"$state/$1\" ] || code[$1]=0\n"
                            "}\n";

static const char loop[] =
    "is_ending='' n_running=0\n"
    "trap 'is_ending=1; [ \"$n_running\" -eq 0 ] || kill -TERM \"${pid[@]}\" 2>/dev/null' TERM INT "
    "HUP\n"
    "\n"
    "ready() { # NAME: 0 start it, 1 not yet, 2 never\n"
    "    local need at\n"
    "    for need in ${needs[$1]}; do\n"
    "        at=${code[${need#\\~}]-}\n"
    "        [ -n \"$at\" ] || return 1\n"
    "        [ \"$at\" = 0 ] || [ \"$need\" != \"${need#\\~}\" ] || return 2\n"
    "    done\n"
    "}\n"
    "finish() { # NAME CODE\n"
    "    unset \"pid[$1]\"\n"
    "    n_running=$((n_running - 1))\n"
    "    case $2 in\n"
    "    0) : >\"$state/$1\" ;;\n"
    "    1 | 2 | 3) ;;\n"
    "    *) # ended by the machine\n"
    "        tries[$1]=$((tries[$1] + 1))\n"
    "        [ -n \"$is_ending\" ] || [ \"${tries[$1]}\" -gt \"$retries\" ] || { echo \"$1: exit "
    "code "
    "$2; again\" && return; }\n"
    "        ;;\n"
    "    esac\n"
    "    code[$1]=$2\n"
    "    echo \"$1: $([ \"$2\" -eq 0 ] && echo done || echo \"exit code $2; see "
    "$folder/logs/$1.log\")\"\n"
    "}\n"
    "begin() { # NAME\n"
    "    \"$folder/work.sh\" ${words[$1]} >>\"$folder/logs/$1.log\" 2>&1 &\n"
    "    pid[$1]=$!\n"
    "    n_running=$((n_running + 1))\n"
    "}\n"
    "\n"
    "while :; do\n"
    "    n_open=0\n"
    "    for name in \"${names[@]}\"; do\n"
    "        [ -z \"${code[$name]-}\" ] || continue\n"
    "        if [ -n \"${pid[$name]-}\" ]; then\n"
    "            n_open=$((n_open + 1))\n"
    "            kill -0 \"${pid[$name]}\" 2>/dev/null && continue\n"
    "            wait \"${pid[$name]}\"\n"
    "            finish \"$name\" $?\n"
    "        elif [ -z \"$is_ending\" ]; then\n"
    "            n_open=$((n_open + 1))\n"
    "            [ \"$n_running\" -lt \"$at_once\" ] || continue\n"
    "            ready \"$name\"\n"
    "            case $? in\n"
    "            0) begin \"$name\" ;;\n"
    "            2) code[$name]=skipped && echo \"$name: left out\" ;;\n"
    "            esac\n"
    "        fi\n"
    "    done\n"
    "    [ \"$n_open\" -gt 0 ] || break\n"
    "    sleep 0.1\n"
    "done\n"
    "n_done=0 worst=0\n"
    "for name in \"${names[@]}\"; do\n"
    "    case ${code[$name]-none} in\n"
    "    0) n_done=$((n_done + 1)) ;;\n"
    "    none | skipped) ;;\n"
    "    *) [ \"$worst\" -ne 0 ] || worst=${code[$name]} ;;\n"
    "    esac\n"
    "done\n"
    "echo \"$n_done of ${#names[@]} tasks done\"\n"
    "[ -z \"$is_ending\" ] || { echo \"run.sh: interrupted; to continue: the same command\" >&2 && "
    "exit "
    "6; }\n"
    "exit \"$worst\"\n";

static void add_scene(const firn_farm *farm, firn_text *text)
{
    const int n = farm->n_ranges;
    for (int i = 1; i <= n; i++) {
        firn_text_add(text, "task sim.%d 'sim 1 %d'", i, i);
        if (i > 1) firn_text_add(text, " sim.%d", i - 1);
        firn_text_add(text, "\n");
        if (farm->has_mesh) firn_text_add(text, "task mesh.%d 'mesh 1 %d' sim.%d\n", i, i, i);
    }
    for (int i = 1; i <= n && farm->has_render; i++)
        firn_text_add(text, "task render.%d 'render 1 %d' sim.%d\n", i, i, n);
}

static void add_study(const firn_farm *farm, firn_text *text)
{
    const int n = farm->n_runs;
    for (int i = 1; i <= n; i++) {
        firn_text_add(text, "task sim.%d 'sim %d 1'\n", i, i);
        if (farm->has_mesh) firn_text_add(text, "task mesh.%d 'mesh %d 1' sim.%d\n", i, i, i);
        if (farm->has_render) firn_text_add(text, "task render.%d 'render %d 1' sim.%d\n", i, i, i);
    }
    firn_text_add(text, "task collect 'collect 1 1'");
    for (int i = 1; i <= n; i++) firn_text_add(text, " ~sim.%d", i);
    firn_text_add(text, "\n");
}

void firn_farm_write_shell(const firn_farm *farm, firn_text *text)
{
    firn_text_add(text, "#!/bin/bash\n%sretries=%d\nfolder=", head, farm->options->n_retries);
    firn_farm_add_path(farm, "", text);
    firn_text_add(text, "\nstate=$folder/tasks.%016llx\n%s\n", (unsigned long long)farm->task_hash,
                  lists);
    if (farm->study)
        add_study(farm, text);
    else
        add_scene(farm, text);
    firn_text_add(text, "\n%s", loop);
}
