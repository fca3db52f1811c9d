// interrupt.h - Ctrl-C ends the questions: what was answered is kept, and nothing stays running.

#ifndef LAB_ASK_INTERRUPT_H
#define LAB_ASK_INTERRUPT_H

#include <stdbool.h>

enum { INTERRUPTED = 130 }; // the exit status, as of a program that SIGINT has ended

// From now on SIGINT interrupts reading and waiting instead of ending the program.
void interrupt_begin(void);

// Whether a SIGINT has come.
bool interrupted(void);

#endif
