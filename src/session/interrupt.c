/* SPDX-License-Identifier: MIT */
/* interrupt.c: see interrupt.h. */
#include "session/interrupt.h"
#include "firn/base.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A signal handler has no user pointer: these, and has_returned below, are the only mutable
 * statics of the program. */
static volatile sig_atomic_t caught;
static const char *volatile message;

static void remember(int number)
{
    if (caught) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when the handler returns */
    }
    caught = number;
}

/* Async-signal-safe calls only: no stream, no memory. */
static void leave(int number)
{
    static const char before[] = "firn: note: ";
    (void)number;
    if (write(STDERR_FILENO, before, sizeof before - 1) < 0 ||
        write(STDERR_FILENO, message, strlen(message)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        _exit(FIRN_INTERRUPTED); /* stderr is closed */
    _exit(FIRN_INTERRUPTED);
}

static void set_handler(void (*handler)(int number))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP}; /* HUP: the terminal is closed */
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 3; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

void firn_interrupt_leave(const char *sentence)
{
    message = sentence ? sentence : "interrupted; no file is half written";
    set_handler(leave);
    if (!caught) return;
    fflush(stdout);
    leave(caught);
}

void firn_interrupt_begin(void)
{
    set_handler(remember);
    signal(SIGPIPE, SIG_IGN); /* progress into a closed pipe must not end a run */
}

int firn_interrupt_signal(void) { return caught; }

/* ---------------------------------------------------------------- ended by a library */

static volatile sig_atomic_t has_returned;

/* Some libraries call exit(1) where they get no thread or no memory (OpenMP: "Thread creation
 * failed"). Nothing of a shot is written from here on; what was complete stays so. */
static void end_with_sentence(void)
{
    static const char sentence[] =
        "firn: error: out of memory: a library has ended the program, as it got no thread or no "
        "memory; try: fewer --threads, or more memory\n";
    if (has_returned) return;
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0) _exit(FIRN_MEMORY);
    _exit(FIRN_MEMORY);
}

void firn_interrupt_watch_exit(void) { atexit(end_with_sentence); }

int firn_interrupt_return(int status)
{
    has_returned = 1;
    return status;
}
