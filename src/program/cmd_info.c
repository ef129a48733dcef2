/* SPDX-License-Identifier: MIT */
/* cmd_info.c: `firn info FILE|SHOT...`: the contents of caches, checkpoints and shots. */
#include "program/cli.h"
#include "shot/shot_info.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static firn_status describe(const char *path, firn_text *text, firn_json_writer *json,
                            firn_messages *messages)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return firn_messages_add(messages, FIRN_IO, "%s: no such file or folder", path);
    if (is_folder(path)) return firn_info_shot(path, text, json, messages);
    if (n > 5 && strcmp(name + n - 5, ".firn") == 0)
        return firn_info_checkpoint(path, text, json, messages);
    return firn_info_file(path, text, json, messages);
}

static firn_status show(const char *path, int as_json, firn_messages *messages)
{
    firn_text text = {0};
    firn_json_writer json;
    firn_json_init(&json, 1);
    firn_status status = describe(path, as_json ? NULL : &text, as_json ? &json : NULL, messages);
    const char *shown = as_json ? firn_json_finish(&json, NULL) : text.data;
    if (status == FIRN_OK && shown) fputs(shown, stdout);
    firn_json_clear(&json);
    firn_text_clear(&text);
    return status;
}

static int run(const firn_cli *cli)
{
    firn_messages *messages = firn_messages_create();
    firn_status status = FIRN_OK;
    for (int i = 0; i < cli->n_arguments; i++) {
        if (i && !firn_cli_has(cli, "json")) putchar('\n');
        firn_status one = show(cli->arguments[i], firn_cli_has(cli, "json"), messages);
        if (status == FIRN_OK) status = one;
    }
    firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"json", 0, FIRN_CLI_FLAG, .doc = "Print JSON instead of text, one object per argument."},
    {0},
};

const firn_cli_verb firn_cmd_info = {
    .name = "info",
    .summary = "show what a cache, checkpoint or shot contains",
    .arguments = "FILE|SHOT...",
    .n_min = 1,
    .n_max = -1,
    .completes = FIRN_CLI_FILE,
    .text =
        "Of a cache: number of points, bounding box, details, and of each attribute type, minimum, "
        "maximum, mean and unit. Of a shot: progress, size, steps, what limits dt, the ledger at "
        "its last output time, and its last cache. A checkpoint is read and checked.",
    .options = options,
    .run = run,
};
