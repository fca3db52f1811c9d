// surroundings.h - what the judge needs of the process and the machine it runs in.

#ifndef GRADER_SURROUNDINGS_H
#define GRADER_SURROUNDINGS_H

// At the very start of main: one thread in the library of matrix products, which may start this
// program once more, with the same arguments; and descriptors 0 to 2 are there.
void surroundings_prepare(char **arguments);

// Between hide and show nobody reads the judge's memory, neither through /proc nor by ptrace.
// What is expected could be found there. A program that we start may have its own read again.
void surroundings_hide(void);
void surroundings_show(void);

// Before anything is judged: ends the grader with EXIT_GRADER and one line when student code
// could not run here for reasons that are not its own.
void surroundings_check(void);

#endif
