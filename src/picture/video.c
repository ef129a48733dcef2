/* SPDX-License-Identifier: MIT */
/* video.c: ffmpeg reads raw pictures from its standard input, which is one end of a socket pair:
 * unlike a pipe, a socket can be written without the signal that would end the program when
 * ffmpeg dies. What ffmpeg complains of goes to a nameless file and from there into the report. */
#include "picture/video.h"
#include "firn/defs.h"
#include "base/file.h"
#include "base/memory.h"

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
    int width, height, socket, complaints; /* descriptors, -1: none */
    pid_t process;                         /* 0: not started */
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
                                 "%s: a film's name must end in .mp4 or .webm", path);
    if (!(fps > 0 && fps <= 1000))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%g pictures a second are no film; 1 to 1000 are possible", fps);
    if (strlen(path) >= FIRN_PATH)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: the name is too long", path);
    firn_video *film = firn_memory_allocate(NULL, sizeof *film);
    if (!film) return firn_messages_add(messages, FIRN_MEMORY, "memory is exhausted");
    *film = (firn_video){.codec = arguments, .fps = fps, .socket = -1, .complaints = -1};
    snprintf(film->path, sizeof film->path, "%s", path);
    firn_status status =
        firn_file_temporary(path, film->temporary, sizeof film->temporary, messages);
    if (status != FIRN_OK) {
        firn_memory_release(NULL, film, sizeof *film);
        return status;
    }
    *out = film;
    return FIRN_OK;
}

/* Starts ffmpeg with `socket` as its standard input; 0 or an errno value. */
static int spawn(firn_video *film, int input)
{
    char size[32], rate[32], words[256], target[sizeof film->temporary + 8], *arguments[48],
        *rest = words;
    int n = 0;
    snprintf(size, sizeof size, "%dx%d", film->width, film->height);
    snprintf(rate, sizeof rate, "%.10g", film->fps);
    snprintf(words, sizeof words, "%s", film->codec);
    const char *const before[] = {
        "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo",
        "-pix_fmt", "rgb24", "-s", size, "-r", rate, "-i", "pipe:0", "-an",
        /* sides even, as these codecs need; the matrix and range that
                                   * players expect */
        "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv",
        "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc",
        "iec61966-2-1", "-color_range", "tv"};
    for (size_t k = 0; k < sizeof before / sizeof *before; k++) arguments[n++] = (char *)before[k];
    for (char *word; (word = strsep(&rest, " "));) arguments[n++] = word;
    snprintf(target, sizeof target, "file:%s",
             film->temporary); /* a colon in the name is no protocol */
    arguments[n++] = target;
    arguments[n] = NULL;

    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, film->complaints, 2);
    if (!error) error = posix_spawnp(&film->process, "ffmpeg", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) film->process = 0;
    return error;
}

static firn_status start(firn_video *film, const firn_image *image, firn_messages *messages)
{
    int ends[2];
    film->width = image->width;
    film->height = image->height;
    film->complaints = memfd_create("ffmpeg", MFD_CLOEXEC);
    if (film->complaints < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return firn_messages_add(messages, FIRN_IO, "%s: %s", film->path, firn_file_reason(errno));
    film->socket = ends[0];
    int error = spawn(film, ends[1]);
    close(ends[1]);
    if (error == ENOENT)
        return firn_messages_add(messages, FIRN_IO,
                                 "%s: films are made by the program ffmpeg, which is not "
                                 "installed; install it (on Debian: "
                                 "apt install ffmpeg), or leave out --film and take the pictures",
                                 film->path);
    if (error)
        return firn_messages_add(messages, FIRN_IO, "ffmpeg could not be started: %s",
                                 firn_file_reason(error));
    return FIRN_OK;
}

/* ffmpeg's first line of complaint, or "". */
static void complaint(const firn_video *film, char *text, size_t n)
{
    ssize_t got = film->complaints < 0 ? 0 : pread(film->complaints, text, n - 1, 0);
    text[got > 0 ? got : 0] = 0;
    text[strcspn(text, "\r\n")] = 0;
}

static firn_status fail(const firn_video *film, firn_messages *messages)
{
    char why[256];
    complaint(film, why, sizeof why);
    return firn_messages_add(messages, FIRN_IO, "%s: ffmpeg gave up: %s", film->path,
                             *why ? why : "it did not say why");
}

firn_status firn_video_add(firn_video *film, const firn_image *image, firn_messages *messages)
{
    firn_status status = film->process ? FIRN_OK : start(film, image, messages);
    if (status != FIRN_OK) return status;
    if (image->width != film->width || image->height != film->height)
        return firn_messages_add(
            messages, FIRN_USAGE,
            "%s: the pictures of a film must have one size; %d x %d after %d x %d", film->path,
            image->width, image->height, film->width, film->height);
    const uint8_t *data = image->rgb;
    size_t left = (size_t)image->width * (size_t)image->height * 3;
    while (left) {
        ssize_t n = send(film->socket, data, left, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail(film, messages);
        data += n;
        left -= (size_t)n;
    }
    film->n_frames++;
    return FIRN_OK;
}

/* Closes what is open and waits for ffmpeg; true when it ended well. */
static int stop(firn_video *film, int in_anger)
{
    int result = -1;
    if (film->socket >= 0) close(film->socket);
    film->socket = -1;
    if (film->process) {
        if (in_anger) kill(film->process, SIGKILL);
        while (waitpid(film->process, &result, 0) < 0 && errno == EINTR) {}
    }
    film->process = 0;
    return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

static void release(firn_video *film)
{
    if (film->complaints >= 0) close(film->complaints);
    firn_memory_release(NULL, film, sizeof *film);
}

firn_status firn_video_commit(firn_video *film, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    if (!film->n_frames)
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "%s: a film of no pictures cannot be made", film->path);
    if (!stop(film, status != FIRN_OK) && status == FIRN_OK) status = fail(film, messages);
    if (status == FIRN_OK)
        status = firn_file_publish(film->temporary, film->path, NULL, messages);
    else
        firn_file_discard(film->temporary);
    release(film);
    return status;
}

void firn_video_abandon(firn_video *film)
{
    if (!film) return;
    stop(film, 1);
    firn_file_discard(film->temporary);
    release(film);
}
