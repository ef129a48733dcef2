/* SPDX-License-Identifier: MIT */
/* cmd_verify.c: `firn verify SHOT|FILE...`: checksums of shots and files. */
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
        if (status == FIRN_OK && !is_quiet) printf("%s: no damage\n", path);
        return status;
    }
    firn_status status = firn_verify_shot_run(path, &result, messages);
    if (status != FIRN_OK || is_quiet) return status;
    printf("%s: no damage: %lld output times, %lld caches, %lld checkpoints, %.1f MiB compared",
           path, (long long)result.n_output_times, (long long)result.n_files,
           (long long)result.n_checkpoints, (double)result.bytes / (1 << 20));
    if (result.n_cleaned)
        printf("; %lld caches were removed by firn clean", (long long)result.n_cleaned);
    putchar('\n');
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
    {"quiet", 'q', FIRN_CLI_FLAG, .doc = "Print only damage."},
    {0},
};

const firn_cli_verb firn_cmd_verify = {
    .name = "verify",
    .summary = "check a shot or file for damage",
    .arguments = "SHOT|FILE...",
    .n_min = 1,
    .n_max = -1,
    .completes = FIRN_CLI_FILE,
    .text = "Compares every byte of a shot (manifest, ledger, caches, checkpoints) with the "
            "checksums that were taken when it was written: any flipped bit, truncation, missing "
            "or foreign frame is found. What a killed run leaves behind is no damage; it is "
            "reported as a warning, and `firn resume` removes it. The exit code is 4 when there is "
            "damage. The checksums are XXH64, so other programs can check them too.",
    .options = options,
    .run = run,
};
