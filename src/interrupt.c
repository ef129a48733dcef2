#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

/* Signal handlers have no user pointer: this is the one mutable static of the program. */
static volatile sig_atomic_t caught;

static void remember(int number)
{
    if (caught) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when the handler returns */
    }
    caught = number;
}

void firn_interrupt_begin(void)
{
    struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    caught = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* progress into a closed pipe must not end a run */
}

void firn_interrupt_end(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

int firn_interrupt_signal(void) { return caught; }
