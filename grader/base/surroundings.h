// surroundings.h - sets up and checks the process and the machine for the grader.

#ifndef GRADER_SURROUNDINGS_H
#define GRADER_SURROUNDINGS_H

// Call it first in main. Limits OpenBLAS to one thread, for which it may restart this
// program with the same arguments. Ensures that descriptors 0 to 2 are open.
void surroundings_prepare(char **arguments);

// Between hide and show, no other process can read the grader's memory, which contains the
// expected results, through /proc or ptrace. Programs that the grader starts may undo this
// for themselves.
void surroundings_hide(void);
void surroundings_show(void);

// Open files that 16 judges at once need, in boxes too (135), and some more.
enum { DESCRIPTORS_NEEDED = 192 };

// Call it before judging. Ends the grader with EXIT_GRADER and one line if the machine's
// settings would make student code fail.
void surroundings_check(void);

#endif
