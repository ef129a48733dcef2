/* SPDX-License-Identifier: MIT */
/* interrupt.h: SIGINT (Ctrl-C) and SIGTERM - the end of the program where nothing can be left
 * half done, else a question that the run asks between steps. A signal that was ignored when the
 * program started (nohup, a shell's background) stays ignored. */
#ifndef FIRN_INTERRUPT_H
#define FIRN_INTERRUPT_H

/* From now on a signal ends the process at once, with this sentence (NULL: that nothing is left
 * half written) and exit code 6 (FIRN_INTERRUPTED); one that was remembered does so here. For
 * setting up and reckoning, while no file is open for writing. */
void firn_interrupt_leave(const char *sentence);
/* From now on the first signal is only remembered; a second one ends the process at once, as if
 * never caught. */
void firn_interrupt_begin(void);
/* The signal's number, 0: none so far. */
int firn_interrupt_signal(void);

#endif
