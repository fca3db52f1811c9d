// absence.h - the message for a hand-in that lacks a lab's file.

#ifndef GRADER_ABSENCE_H
#define GRADER_ABSENCE_H

enum { MOST_ABSENT = 64 };

struct absence {
    int labs[MOST_ABSENT]; // their numbers
    int count;
};

void absence_add(struct absence *absence, int lab);

// "attention.c": the names of a lab's files; "" for an unknown lab. Caller frees.
char *absence_files(int lab);

// "no file of lab 1 (attention.c); there is lab1_attention.c, notes.txt", or for several
// labs "no file of labs 1, 2". others is the list of other files (others.h), or "". Caller
// frees.
char *absence_line(const struct absence *absence, const char *others);

#endif
