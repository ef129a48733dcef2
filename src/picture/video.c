/* SPDX-License-Identifier: MIT */
/* video.c: ffmpeg reads raw pictures from its standard input, one end of a socket pair: writing
 * to a socket whose reader has died returns an error, where a pipe would send a signal. The
 * errors of ffmpeg go to an anonymous file and from there into the messages. */
#include "picture/video.h"
#include "firn/defs.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct firn_video {
    char path[FIRN_PATH], temporary[4096 + 64];
    const char *codec; /* arguments, blank-separated */
    double fps;
    int width, height, socket, errors; /* descriptors, -1: none */
    pid_t process;                     /* 0: not started */
    int64_t n_frames;
};

typedef struct codec {
    const char *extension, *arguments;
} codec;

static const codec codecs[] = {
    {".mp4", "-c:v libx264 -preset medium -crf 17 -movflags +faststart"},
    {".webm", "-c:v libvpx-vp9 -b:v 0 -crf 26 -row-mt 1 -cpu-used 4"},
};

firn_status firn_video_create(const char *path, double fps, firn_video **out,
                              firn_messages *messages)
{
    *out = NULL;
    const char *arguments = NULL;
    for (size_t k = 0; k < sizeof codecs / sizeof *codecs; k++) {
        size_t n = strlen(path), n_extension = strlen(codecs[k].extension);
        if (n > n_extension && !strcmp(path + n - n_extension, codecs[k].extension))
            arguments = codecs[k].arguments;
    }
    if (!arguments)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: unknown extension of a film; allowed: .mp4 .webm", path);
    if (!(fps > 0 && fps <= 1000))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "film: %g pictures per second; allowed: above 0, up to 1000", fps);
    if (strlen(path) >= FIRN_PATH)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: path too long (%zu bytes); allowed: up to %d", path,
                                 strlen(path), FIRN_PATH - 1);
    firn_video *video = firn_memory_allocate(NULL, sizeof *video);
    if (!video) return firn_messages_no_memory(messages, "film");
    *video = (firn_video){.codec = arguments, .fps = fps, .socket = -1, .errors = -1};
    snprintf(video->path, sizeof video->path, "%s", path);
    firn_status status =
        firn_file_temporary(path, video->temporary, sizeof video->temporary, messages);
    if (status != FIRN_OK) {
        firn_memory_release(NULL, video, sizeof *video);
        return status;
    }
    *out = video;
    return FIRN_OK;
}

/* Starts ffmpeg with `socket` as its standard input; 0 or an errno value. */
static int spawn(firn_video *video, int input)
{
    char size[32], rate[32], words[256], target[sizeof video->temporary + 8], *arguments[48],
        *rest = words;
    int n = 0;
    snprintf(size, sizeof size, "%dx%d", video->width, video->height);
    snprintf(rate, sizeof rate, "%.10g", video->fps);
    snprintf(words, sizeof words, "%s", video->codec);
    const char *const before[] = {
        "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo",
        "-pix_fmt", "rgb24", "-s", size, "-r", rate, "-i", "pipe:0", "-an",
        /* even sides, as these codecs need; the matrix and range of players */
        "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv",
        "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc",
        "iec61966-2-1", "-color_range", "tv"};
    for (size_t k = 0; k < sizeof before / sizeof *before; k++) arguments[n++] = (char *)before[k];
    for (char *word; (word = strsep(&rest, " "));) arguments[n++] = word;
    snprintf(target, sizeof target, "file:%s",
             video->temporary); /* else a colon in the name is a protocol */
    arguments[n++] = target;
    arguments[n] = NULL;

    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, video->errors, 2);
    if (!error) error = posix_spawnp(&video->process, "ffmpeg", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) video->process = 0;
    return error;
}

static firn_status start(firn_video *video, const firn_image *image, firn_messages *messages)
{
    int ends[2];
    video->width = image->width;
    video->height = image->height;
    video->errors = memfd_create("ffmpeg", MFD_CLOEXEC);
    if (video->errors < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return firn_messages_add(messages, FIRN_IO, "%s: %s", video->path, firn_file_reason(errno));
    video->socket = ends[0];
    int error = spawn(video, ends[1]);
    close(ends[1]);
    if (error == ENOENT)
        return firn_messages_add(
            messages, FIRN_IO,
            "%s: ffmpeg is not installed; try: install it (Debian: apt install "
            "ffmpeg), or pictures without --film",
            video->path);
    if (error)
        return firn_messages_add(messages, FIRN_IO, "ffmpeg: cannot be started: %s",
                                 firn_file_reason(error));
    return FIRN_OK;
}

/* The first line of ffmpeg's errors, or "". */
static void first_error(const firn_video *video, char *text, size_t n)
{
    ssize_t got = video->errors < 0 ? 0 : pread(video->errors, text, n - 1, 0);
    text[got > 0 ? got : 0] = 0;
    text[strcspn(text, "\r\n")] = 0;
}

static firn_status fail(const firn_video *video, firn_messages *messages)
{
    char why[256];
    first_error(video, why, sizeof why);
    return firn_messages_add(messages, FIRN_IO, "%s: ffmpeg failed: %s", video->path,
                             *why ? why : "no reason given");
}

firn_status firn_video_add(firn_video *video, const firn_image *image, firn_messages *messages)
{
    firn_status status = video->process ? FIRN_OK : start(video, image, messages);
    if (status != FIRN_OK) return status;
    if (image->width != video->width || image->height != video->height)
        return firn_messages_add(
            messages, FIRN_USAGE, "%s: pictures of different sizes (%d x %d after %d x %d)",
            video->path, image->width, image->height, video->width, video->height);
    const uint8_t *data = image->rgb;
    size_t left = (size_t)image->width * (size_t)image->height * 3;
    while (left) {
        ssize_t n = send(video->socket, data, left, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail(video, messages);
        data += n;
        left -= (size_t)n;
    }
    video->n_frames++;
    return FIRN_OK;
}

/* Closes the socket and waits for ffmpeg, or kills it; 1: it ended with 0. */
static int stop(firn_video *video, int must_kill)
{
    int result = -1;
    if (video->socket >= 0) close(video->socket);
    video->socket = -1;
    if (video->process) {
        if (must_kill) kill(video->process, SIGKILL);
        while (waitpid(video->process, &result, 0) < 0 && errno == EINTR) {}
    }
    video->process = 0;
    return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

static void release(firn_video *video)
{
    if (video->errors >= 0) close(video->errors);
    firn_memory_release(NULL, video, sizeof *video);
}

firn_status firn_video_commit(firn_video *video, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    if (!video->n_frames)
        status = firn_messages_add(messages, FIRN_REFUSED, "%s: no pictures", video->path);
    if (!stop(video, status != FIRN_OK) && status == FIRN_OK) status = fail(video, messages);
    if (status == FIRN_OK)
        status = firn_file_publish(video->temporary, video->path, NULL, messages);
    else
        firn_file_discard(video->temporary);
    release(video);
    return status;
}

void firn_video_abandon(firn_video *video)
{
    if (!video) return;
    stop(video, 1);
    firn_file_discard(video->temporary);
    release(video);
}
