// others.h - the other files of a hand-in: their names are shown if a lab's file is
// missing.
//
// A file with another name than the contract's ("lab1_attention.c", "Attention.c") is never
// accepted, because that would be a guess. But it is listed, so that a student notices the
// wrong name. Files of the workbook (README.md, attention.h, ...) and hidden files are not
// listed.

#ifndef GRADER_OTHERS_H
#define GRADER_OTHERS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_OTHERS_KEPT = 64 };

struct others {
    char *named
        [2]
        [MOST_OTHERS_KEPT]; // [0] code, [1] anything else; each once, in the order found
    size_t count[2];        // including names that are not stored
    char **handed_out;      // names of files
    size_t handed_out_count;
};

// root is the workbook.
void others_begin(struct others *others, const char *root);
void others_end(struct others *others);

// Adds a file of the hand-in that belongs to no lab, by its path.
void others_note(struct others *others, const char *path);
// Adds a lab's file in an ignored folder (sources.h).
void others_note_elsewhere(struct others *others, const char *path);
// Adds a lab's file without any code.
void others_note_empty(struct others *others, const char *path);
// Adds a link, or a pipe, device or other thing, with the name of a lab's file; NULL is allowed.
void others_note_special(struct others *others, const char *path, bool link);

// "lab1_attention.c, notes.txt", at most three, code first, then " and 2 more"; "" for none. Safe to print
// on a line. Caller frees.
char *others_line(const struct others *others);

#endif
