/* interrupt.h: SIGINT (Ctrl-C) and SIGTERM as a question that the run asks between steps. */
#ifndef FIRN_INTERRUPT_H
#define FIRN_INTERRUPT_H

/* From now on the first signal is only remembered; a second one ends the process at once, as if never caught. */
void firn_interrupt_begin(void);
void firn_interrupt_end(void);
/* The signal's number, 0: none so far. */
int firn_interrupt_signal(void);

#endif
