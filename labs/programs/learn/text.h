// text.h - files as lines, and strings from a format.

#ifndef LAB_LEARN_TEXT_H
#define LAB_LEARN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// A file's text, or NULL if it cannot be read. The caller frees.
char *text_read(const char *path);

// The lines of a file, without their newlines. A file that cannot be read has none.
struct lines {
    char *text, **line;
    size_t count;
};

struct lines lines_read(const char *path);
struct lines lines_of(char *text); // takes over the text
void lines_free(struct lines *lines);

// Like asprintf; ends the program if there is no memory. The caller frees.
__attribute__((format(printf, 1, 2))) char *print(const char *format, ...);
void *or_die(void *memory);

bool begins_with(const char *text, const char *start);

// True if the text contains the word id, such as 1.1, and not as a part of 1.10 or 11.1.
bool names_exercise(const char *text, const char *id);

#endif
