// absence.h - the message for a hand-in that lacks a lab's file.

#ifndef GRADER_ABSENCE_H
#define GRADER_ABSENCE_H

#include <stdbool.h>

enum { MOST_ABSENT = 64 };

struct absence {
    int labs[MOST_ABSENT]; // their numbers
    int count;
};

void absence_add(struct absence *absence, int lab);

// "attention.c": the names of a lab's files; "" for an unknown lab. Caller frees.
char *absence_files(int lab);

// Does the list of other files have one with the name of a file of the lab, and the reason why it
// does not count: "attention.c (no code in it)"?
bool absence_has_remark(int lab, const char *others);

// "no file of lab 1 (attention.c); there is lab1_attention.c, notes.txt", or for several
// labs "no file of labs 1, 2". others is the list of other files (others.h), or "". Caller
// frees.
char *absence_line(const struct absence *absence, const char *others);

#endif
