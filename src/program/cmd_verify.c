/* SPDX-License-Identifier: MIT */
/* cmd_verify.c: `firn verify SHOT|FILE...` - is it whole. */
#include "program/cli.h"
#include "shot/shot_verify.h"

#include <sys/stat.h>

static int is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static firn_status verify(const char *path, int is_quiet, firn_messages *messages)
{
    firn_verify_shot result;
    if (!is_folder(path)) {
        firn_status status = firn_verify_shot_file(path, messages);
        if (status == FIRN_OK && !is_quiet) printf("%s: whole\n", path);
        return status;
    }
    firn_status status = firn_verify_shot_run(path, &result, messages);
    if (status == FIRN_OK && !is_quiet)
        printf("%s: whole: %lld moments, %lld caches, %lld checkpoints, %.1f MB compared\n", path,
               (long long)result.n_output_times, (long long)result.n_files,
               (long long)result.n_checkpoints, (double)result.bytes * 1e-6);
    return status;
}

static int run(const firn_cli *cli)
{
    firn_messages *messages = firn_messages_create();
    firn_status status = FIRN_OK;
    for (int i = 0; i < cli->n_arguments; i++) {
        firn_status one = verify(cli->arguments[i], firn_cli_has(cli, "quiet"), messages);
        if (status == FIRN_OK) status = one;
    }
    firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"quiet", 'q', FIRN_CLI_FLAG, .doc = "Say nothing about what is whole."},
    {0},
};

const firn_cli_verb firn_cmd_verify = {
    .name = "verify",
    .summary = "is a shot or a file whole",
    .arguments = "SHOT|FILE...",
    .n_min = 1,
    .n_max = -1,
    .completes = FIRN_CLI_FILE,
    .text = "Compares every byte of a shot - books, caches, checkpoints - with the checksums that "
            "were taken when it was "
            "written, and finds any flipped bit, cut, missing or foreign frame. What a killed run "
            "leaves behind is no "
            "damage; it is told as a warning, and 'firn resume' clears it away. The exit code is 4 "
            "when something is "
            "wrong. The checksums are XXH64: other programs can check them, too.",
    .options = options,
    .run = run,
};
