/* SPDX-License-Identifier: MIT */
/* interrupt.h: SIGINT (Ctrl-C), SIGTERM and SIGHUP. They end the program at once while nothing is being
 * written; else they are remembered, and the run asks for them between steps. A signal that was
 * ignored when the program started (nohup, background of a shell) stays ignored. */
#ifndef FIRN_INTERRUPT_H
#define FIRN_INTERRUPT_H

/* From now on a signal ends the process at once, with this message (NULL: that nothing is half
 * written) and exit code 6 (FIRN_INTERRUPTED); a remembered one does so now. For setting up and
 * computing, while no file is open for writing. */
void firn_interrupt_leave(const char *sentence);
/* From now on the first signal is remembered; a second one ends the process at once, uncaught. */
void firn_interrupt_begin(void);
/* The remembered signal; 0: none. */
int firn_interrupt_signal(void);

/* An exit that main did not ask for is a library's, for lack of threads or memory: told as such,
 * with exit code 5. What main returns goes through firn_interrupt_return. */
void firn_interrupt_watch_exit(void);
int firn_interrupt_return(int status);

#endif
