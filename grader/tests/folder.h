// folder.h - a folder of a test's own, and small files in it.

#ifndef GRADER_TESTS_FOLDER_H
#define GRADER_TESTS_FOLDER_H

#include <stddef.h>

// Makes a new folder in /tmp. remove_folder removes it with its content, and frees the name.
char *make_folder(void);
void remove_folder(char *folder);

void write_text(const char *path, const char *text, size_t size);
// Up to a megabyte. Free it.
char *read_text(const char *path, size_t *size);

#endif
