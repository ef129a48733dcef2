/* SPDX-License-Identifier: MIT */
/* cmd_embed.c: `firn embed`: a detailed surface that follows the particles of a shot, frame by frame,
 * from its caches: the first frame ties it, the others carry it (meshless/embed.h). */
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"
#include "meshless/embed.h"
#include "points/cache_sequence.h"
#include "points/format.h"
#include "program/cli.h"
#include "session/interrupt.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

typedef struct work {
    firn_cache_sequence shot;
    firn_embed_mesh *mesh;
    firn_embed *embed;
    int64_t n;
    double *x, *F;
} work;

static firn_status make_path(const firn_cli *cli, const work *w,
                             const firn_cache_sequence_frame *frame, char path[2 * FIRN_PATH],
                             firn_messages *messages)
{
    char folder[FIRN_PATH + 32];
    const char *out = firn_cli_text(cli, "out", NULL);
    snprintf(folder, sizeof folder, "%s%s", out ? out : w->shot.folder, out ? "" : "/embedded");
    if (frame->frame < 0)
        snprintf(path, 2 * FIRN_PATH, "%s/%s.embedded.obj", folder, w->shot.title);
    else if (frame->has_decimals)
        snprintf(path, 2 * FIRN_PATH, "%s/%s.%04d.%03d.obj", folder, w->shot.title, frame->frame,
                 frame->thousandths);
    else
        snprintf(path, 2 * FIRN_PATH, "%s/%s.%04d.obj", folder, w->shot.title, frame->frame);
    return firn_file_make_folder(folder, messages);
}

/* The surface and its ties, from the first frame of the shot. */
static firn_status bind(const firn_cli *cli, work *w, firn_messages *messages)
{
    const firn_embed_choice choice = {.support = firn_cli_number(cli, "support", 0),
                                      .tear = firn_cli_number(cli, "tear", 0),
                                      .n_threads = omp_get_max_threads()};
    firn_points *rest = NULL;
    const double *x = NULL;
    firn_status status = firn_embed_mesh_read(cli->arguments[1], &w->mesh, messages);
    if (!status) status = firn_format_read(w->shot.frames[0].path, &rest, messages);
    if (!status) {
        w->n = firn_embed_mesh_points(w->mesh, &x);
        status = firn_embed_bind(w->n, x, rest, &choice, &w->embed, messages);
    }
    firn_points_destroy(rest);
    if (status) return status;
    w->x = firn_memory_array(NULL, (size_t)w->n, 3 * sizeof *w->x);
    w->F = firn_memory_array(NULL, (size_t)w->n, 9 * sizeof *w->F);
    return w->x && w->F ? FIRN_OK : firn_messages_no_memory(messages, "a surface");
}

static firn_status one_frame(const firn_cli *cli, work *w, const firn_cache_sequence_frame *frame,
                             firn_messages *messages)
{
    char path[2 * FIRN_PATH];
    firn_points *now = NULL;
    firn_status status = make_path(cli, w, frame, path, messages);
    if (!status) status = firn_format_read(frame->path, &now, messages);
    if (!status) status = firn_embed_move(w->embed, now, w->x, w->F, messages);
    if (!status) status = firn_embed_mesh_write(w->mesh, w->embed, w->x, w->F, path, messages);
    if (!status) printf("%s\n", path);
    firn_points_destroy(now);
    return status;
}

static firn_status all_frames(const firn_cli *cli, work *w, firn_messages *messages)
{
    int first = 0, last = 100000000;
    const int is_given = firn_cli_span(cli, "frames", &first, &last);
    const int every = (int)firn_cli_integer(cli, "every", 1);
    for (int k = 0; k < w->shot.n; k++) {
        const firn_cache_sequence_frame *frame = &w->shot.frames[k];
        if (is_given && (frame->frame < first || frame->frame > last)) continue;
        if (k % every) continue;
        if (firn_interrupt_signal()) {
            firn_cli_note_interrupted("surfaces", k, w->shot.n, frame->frame,
                                      w->shot.frames[w->shot.n - 1].frame);
            return FIRN_INTERRUPTED;
        }
        const firn_status status = one_frame(cli, w, frame, messages);
        if (status) return status;
    }
    return FIRN_OK;
}

static int run(const firn_cli *cli)
{
    work w = {0};
    firn_messages *messages = firn_messages_create();
    if (!messages) return firn_cli_no_memory("messages");
    const int n_threads = (int)firn_cli_integer(cli, "threads", 0);
    if (n_threads > 0) omp_set_num_threads(n_threads);
    firn_interrupt_begin();
    firn_status status = firn_cache_sequence_open(cli->arguments[0], &w.shot, messages);
    if (!status) status = bind(cli, &w, messages);
    if (!status) status = all_frames(cli, &w, messages);
    firn_memory_release(NULL, w.x, (size_t)w.n * 3 * sizeof *w.x);
    firn_memory_release(NULL, w.F, (size_t)w.n * 9 * sizeof *w.F);
    firn_embed_destroy(w.embed);
    firn_embed_mesh_destroy(w.mesh);
    firn_cache_sequence_clear(&w.shot);
    status = (firn_status)firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"out", 'o', FIRN_CLI_FOLDER, "DIR", "Folder of the surfaces. Default: SHOT/embedded."},
    {"support", 0, FIRN_CLI_NUMBER, "M",
     "Particles within this distance (m) carry a point. Default: 2.2 spacings, from pscale.",
     .min = 1e-9, .max = 1e6},
    {"tear", 0, FIRN_CLI_NUMBER, "S",
     "Stretch between particles beyond which the surface opens. Default: it never does.",
     .min = 1.0001, .max = 1e6},
    {"frames", 'f', FIRN_CLI_SPAN, "A:B", "Only these frames; the first of the shot ties."},
    {"every", 0, FIRN_CLI_INTEGER, "N", "Only every N-th frame.", .min = 1, .max = 1e6},
    {"threads", 't', FIRN_CLI_INTEGER, "N", "Number of threads. Default: all cores.", .min = 1,
     .max = 4096},
    {0},
};

const firn_cli_verb firn_cmd_embed = {
    .name = "embed",
    .summary = "let a detailed surface follow a shot's particles",
    .arguments = "SHOT SURFACE.obj",
    .n_min = 2,
    .n_max = 2,
    .completes = FIRN_CLI_FOLDER,
    .text = "Ties each point of a surface to the particles around it in the first frame of a shot "
            "and carries it through all others: the best affine fit of the particles, exact for "
            "affine motions. Texture coordinates, groups and materials stay, normals turn. The "
            "caches need the attributes P and id. Works on the caches of every method.\n\n    firn "
            "embed shots/fish fish.obj\n    firn embed shots/fish fish.obj --tear 2",
    .options = options,
    .run = run,
};
