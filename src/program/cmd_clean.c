/* SPDX-License-Identifier: MIT */
/* cmd_clean.c: `firn clean SHOT...`: what of a shot can be made again, and its removal. */
#include "base/text.h"
#include "program/cli.h"
#include "shot/shot_clean.h"

#include <limits.h>
#include <string.h>

/* In the order of firn_clean_kind; options and words of the table that is printed. */
static const char *const kinds[FIRN_CLEAN_KINDS] = {"checkpoints", "pictures", "surfaces",
                                                    "caches"};

static void print_found(const char *folder, const firn_clean_choice *choice,
                        const firn_clean_found *found)
{
    firn_text text = {0};
    int n_kinds = 0;
    for (int k = 0; k < FIRN_CLEAN_KINDS; k++) {
        if (!found[k].n_files) continue;
        n_kinds++;
        const int n_letters = (int)strlen(kinds[k]) - (found[k].n_files == 1);
        firn_text_add(&text, "%s: %lld %.*s, ", folder, (long long)found[k].n_files, n_letters,
                      kinds[k]);
        firn_text_add_size(&text, (double)found[k].n_bytes);
        if (!choice->is_removed[k])
            firn_text_add(&text, "; to remove: --%s", kinds[k]);
        else
            firn_text_add(&text, choice->is_dry ? " would be removed" : " removed");
        firn_text_add(&text, "\n");
    }
    if (!n_kinds) firn_text_add(&text, "%s: nothing to remove\n", folder);
    if (text.data) fputs(text.data, stdout);
    firn_text_clear(&text);
}

static int run(const firn_cli *cli)
{
    firn_clean_choice choice = {.last = INT_MAX,
                                .keep = (int)firn_cli_integer(cli, "keep", -1),
                                .is_dry = firn_cli_has(cli, "dry-run")};
    firn_cli_span(cli, "frames", &choice.first, &choice.last);
    for (int k = 0; k < FIRN_CLEAN_KINDS; k++)
        choice.is_removed[k] = firn_cli_has(cli, kinds[k]) != 0;
    firn_messages *messages = firn_messages_create();
    if (!messages) return firn_cli_no_memory("messages");
    firn_status status = FIRN_OK;
    for (int i = 0; i < cli->n_arguments; i++) {
        firn_clean_found found[FIRN_CLEAN_KINDS];
        const firn_status one = firn_clean_shot(cli->arguments[i], &choice, found, messages);
        if (one == FIRN_OK && !firn_cli_has(cli, "quiet"))
            print_found(cli->arguments[i], &choice, found);
        if (status == FIRN_OK) status = one;
    }
    firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"checkpoints", 0, FIRN_CLI_FLAG,
     .doc = "Remove checkpoints; without them the shot cannot be continued."},
    {"keep", 0, FIRN_CLI_INTEGER, "N",
     "Newest checkpoints that stay. Default: 0 where the shot is finished, else 1.", .min = 0,
     .max = FIRN_CLEAN_KEEP_MAX},
    {"pictures", 0, FIRN_CLI_FLAG, .doc = "Remove pictures of firn render, and preview.png."},
    {"surfaces", 0, FIRN_CLI_FLAG, .doc = "Remove surfaces of firn mesh and firn embed."},
    {"caches", 0, FIRN_CLI_FLAG,
     .doc = "Remove caches. Ledger and manifest stay, and firn verify does not miss them."},
    {"frames", 'f', FIRN_CLI_SPAN, "A:B", "Only files of these frames."},
    {"dry-run", 'n', FIRN_CLI_FLAG, .doc = "Print what would be removed, and remove nothing."},
    {"quiet", 'q', FIRN_CLI_FLAG, .doc = "Print only warnings and errors."},
    {0},
};

const firn_cli_verb firn_cmd_clean = {
    .name = "clean",
    .summary = "free disk space: remove checkpoints, pictures, surfaces or caches of a shot",
    .arguments = "SHOT...",
    .n_min = 1,
    .n_max = -1,
    .completes = FIRN_CLI_FOLDER,
    .text = "Prints how many files of each kind there are and what they take; removes only the "
            "kinds that are named. Files with other names than firn gives, and links, are left "
            "alone. A folder that is no shot is refused.\n\n"
            "  firn clean shots/snowball\n"
            "  firn clean shots/* --checkpoints --pictures --dry-run\n"
            "  firn clean shots/snowball --caches --frames 0:47",
    .options = options,
    .run = run,
};
