// reader.h - shared by read.c, which reads questions.txt, and check.c, which checks what was read.

#ifndef LAB_ASK_READER_H
#define LAB_ASK_READER_H

#include "programs/ask/questions.h"

struct reader {
    struct questions *q;
    const char *file;
    size_t line;
    bool blank;  // the line before was empty, or a comment after such a line
    char **open; // the text that an indented line continues; NULL: the question's text
};

// Writes "file:line: what is wrong" to q->error. Returns false.
__attribute__((format(printf, 3, 4))) bool reader_fail(struct reader *r, size_t line,
                                                       const char *format, ...);

// Checks one question, shuffles what it shows, and looks up the values of a prediction.
bool check_question(struct reader *r, struct question *question, size_t number);

// Ends the program if there is no memory.
void *or_die(void *memory);
char *copied(const char *text);

// Cuts the blanks at both ends, in place.
char *trimmed(char *text);

#endif
