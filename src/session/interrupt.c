/* SPDX-License-Identifier: MIT */
#include "session/interrupt.h"
#include "firn/base.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Signal handlers have no user pointer: these are the mutable statics of the program. */
static volatile sig_atomic_t caught;
static const char *volatile farewell;

static void remember(int number)
{
    if (caught) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when the handler returns */
    }
    caught = number;
}

/* Only what a handler may call: no stream, no memory. */
static void leave(int number)
{
    static const char before[] = "firn: note: ";
    (void)number;
    if (write(STDERR_FILENO, before, sizeof before - 1) < 0 ||
        write(STDERR_FILENO, farewell, strlen(farewell)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        _exit(FIRN_INTERRUPTED); /* nobody reads it */
    _exit(FIRN_INTERRUPTED);
}

static void answer(void (*handler)(int number))
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 2; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

void firn_interrupt_leave(const char *sentence)
{
    farewell = sentence ? sentence : "interrupted; nothing is left half written";
    answer(leave);
    if (!caught) return;
    fflush(stdout);
    leave(caught);
}

void firn_interrupt_begin(void)
{
    answer(remember);
    signal(SIGPIPE, SIG_IGN); /* progress into a closed pipe must not end a run */
}

int firn_interrupt_signal(void) { return caught; }
