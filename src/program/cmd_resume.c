/* SPDX-License-Identifier: MIT */
/* cmd_resume.c: `firn resume shot/` - continues from the newest checkpoint or an earlier one, also
 * with edited settings and beyond the scene's last frame. */
#include "program/run_options.h"

static int run(const firn_cli *cli)
{
    const char *sets[FIRN_SETS_ROOM];
    firn_session_options options;
    if (firn_run_options_session(cli, sets, &options) != FIRN_OK) return FIRN_USAGE;
    options.edited_scene = firn_cli_text(cli, "scene", NULL);
    options.from_frame = (int)firn_cli_integer(cli, "from", options.from_frame);
    return firn_run_options_on_ranks(cli, &options, firn_session_resume);
}

static const firn_cli_option options[] = {
    {"from", 0, FIRN_CLI_INTEGER, "FRAME",
     "Return to the newest checkpoint at or before this frame. Default: the newest.", .min = 0,
     .max = 1e8},
    {"scene", 0, FIRN_CLI_FILE, "FILE",
     "Continue with this edited scene instead of the one in the shot's manifest."},
    FIRN_OPTIONS_OF_RUNS,
    {0},
};

const firn_cli_verb firn_cmd_resume = {
    .name = "resume",
    .summary = "continue a shot from a checkpoint",
    .arguments = "SHOT",
    .n_min = 1,
    .n_max = 1,
    .completes = FIRN_CLI_FOLDER,
    .text = "Continues from the shot's newest checkpoint. Without edits the result is bit for bit "
            "that of an uninterrupted run.\n\n"
            "Settings can be edited with --set, or the whole scene with --scene: parameters of "
            "materials, colliders, gravity, forces, time step, outputs. An edit that is not "
            "possible is refused with its reason: dx, frames per second, bodies, laws, densities. "
            "The manifest's history lists the edits.\n\n"
            "Input files of the scene (meshes, volumes, points) that have changed, are gone or are "
            "new are warned of and listed in the history too. --frames :B makes a shot longer than "
            "its scene.\n\n"
            "  firn resume shots/snowball\n"
            "  firn resume shots/snowball --from 20 --set time.cfl=0.2\n"
            "  firn resume shots/snowball --frames :240",
    .options = options,
    .run = run,
};
