/* SPDX-License-Identifier: MIT */
/* cmd_materials.c: `firn materials [NAME]` - the laws and presets there are, and all about one
 * of them. */
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
    if (status == FIRN_OK && text.has_failed)
        status = firn_cli_fail(FIRN_MEMORY, "not enough memory for the text");
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
     .doc = "Print every preset with all its numbers, to be pasted into a scene."},
    {0},
};

const firn_cli_verb firn_cmd_materials = {
    .name = "materials",
    .summary = "the constitutive laws and their presets",
    .arguments = "[NAME]",
    .n_min = 0,
    .n_max = 1,
    .completes = FIRN_CLI_CHOICE,
    .choices = "materials --names",
    .text = "Without a name, lists every law with its presets. With the name of a law or preset, "
            "shows equations, "
            "parameters with unit, default and range, what each particle carries, presets with the "
            "source of their "
            "numbers, validity and citation.",
    .options = options,
    .run = run,
};
