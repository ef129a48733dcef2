/* SPDX-License-Identifier: MIT */
/* cmd_materials.c: `firn materials [NAME]`: the laws and presets, or one of them. */
#include "program/cli.h"
#include "laws/material_text.h"

static int run(const firn_cli *cli)
{
    firn_text text = {0};
    firn_messages *messages = firn_messages_create();
    firn_status status = FIRN_OK;
    if (firn_cli_has(cli, "names")) {
        firn_materials_text_names(&text);
        firn_text_add(&text, "\n");
    } else if (firn_cli_has(cli, "yaml")) {
        status = firn_materials_text_yaml(&text, messages);
    } else if (cli->n_arguments) {
        status = firn_materials_text_describe(cli->arguments[0], &text, messages);
    } else {
        firn_materials_text_list(&text);
    }
    if (status == FIRN_OK && text.has_failed) status = firn_cli_no_memory("materials");
    if (status == FIRN_OK && text.data) fputs(text.data, stdout);
    firn_cli_report(messages, status);
    firn_text_clear(&text);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"names", 0, FIRN_CLI_FLAG,
     .doc = "Print only the names of all laws and presets, on one line."},
    {"yaml", 0, FIRN_CLI_FLAG,
     .doc = "Print every preset with all its parameters, as YAML for scenes."},
    {0},
};

const firn_cli_verb firn_cmd_materials = {
    .name = "materials",
    .summary = "list the constitutive laws and their presets",
    .arguments = "[NAME]",
    .n_min = 0,
    .n_max = 1,
    .completes = FIRN_CLI_CHOICE,
    .choices = "materials --names",
    .text = "Without a name, lists every law with its presets. With the name of a law or preset, "
            "prints its equations, parameters with unit, default and range, history, presets with "
            "their sources, validity and citation.",
    .options = options,
    .run = run,
};
