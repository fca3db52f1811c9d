// text.h - text that is safe to show and to store.

#ifndef GRADER_TEXT_H
#define GRADER_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "grade/grading.h"
#include "judge/result.h"

// Writes content to path by way of a temporary name in the same folder and a rename.
bool report_write(const char *path, const char *content, size_t size);

// What a program printed, as text that is safe to show and to store: valid UTF-8, no control
// characters but newline and tab (others and broken bytes become U+FFFD). Caller frees.
char *report_clean(const char *bytes, size_t size);

// Clean text for XML and HTML, between tags or in a double-quoted attribute: < > & " ' become
// entities. attribute: newlines too, which would read as blanks there.
void report_escape(FILE *file, const char *text, bool attribute);

// Details of one result as plain text; of a pass, what its code printed. Caller frees.
char *report_text(const struct grading *grading, const struct result *result);

// Only the note about a result: which of the workbook's own functions stood in. Caller frees.
char *report_judged_with(const struct result *result);

// Terminal colours are wanted: a terminal, and NO_COLOR is not set.
bool report_wants_colour(FILE *file);

#endif
