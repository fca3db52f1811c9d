// others.h - the other files of a hand-in: their names are shown if a lab's file is
// missing.
//
// A file that is called otherwise than the contract says ("lab1_attention.c", "Attention.c") is
// never taken, for that would be a guess; but it is named, so that a student does not take a
// wrong name for work that was not done. What was handed out (README.md, attention.h, ...) is
// not named, nor what is hidden.

#ifndef GRADER_OTHERS_H
#define GRADER_OTHERS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_OTHERS = 3 };

struct others {
    char *named[2][MOST_OTHERS]; // [0] code, [1] anything else; in the order they came
    size_t count[2];             // also of those that are not kept
    char **handed_out;           // names of files
    size_t handed_out_count;
};

// root is the workbook.
void others_begin(struct others *others, const char *root);
void others_end(struct others *others);

// A file of the hand-in that is no lab's, by its path there.
void others_note(struct others *others, const char *path);
// A lab's file below a folder that nothing is taken from (sources.h).
void others_note_elsewhere(struct others *others, const char *path);
// A lab's file in which there is no code.
void others_note_empty(struct others *others, const char *path);
// A link in the place of a lab's file, or a pipe or a device; NULL is allowed.
void others_note_link(struct others *others, const char *path);

// "lab1_attention.c, notes.txt", code first, then " and 2 more"; "" for none. Safe to show in a
// line. Caller frees.
char *others_line(const struct others *others);

#endif
