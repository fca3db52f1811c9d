// text.h - makes text safe to show and to store.

#ifndef GRADER_TEXT_H
#define GRADER_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "grade/grading.h"
#include "judge/result.h"

// Writes content to a temporary file in the same folder, then renames it to path.
bool report_write(const char *path, const char *content, size_t size);

// The page of the handout to read, as in: labs/01_simple_attention/README.md, "1.3 Scores". Caller frees.
char *report_reading(const struct exercise *exercise, const struct lab_place *place,
                     bool gpu);

// Makes a program's output safe: valid UTF-8 without control characters other than newline
// and tab (others, and invalid bytes, become U+FFFD). Caller frees.
char *report_clean(const char *bytes, size_t size);

// Writes safe text to XML or HTML, with < > & " ' as entities. attribute: also newlines,
// which would become blanks there.
void report_escape(FILE *file, const char *text, bool attribute);

// The details of one result as plain text; for a pass, its output. Caller frees.
char *report_text(const struct grading *grading, const struct result *result);

// Only the note about which of the workbook's functions were used. Caller frees.
char *report_judged_with(const struct result *result);

// Returns true if the output is a terminal and NO_COLOR is not set.
bool report_wants_color(FILE *file);

#endif
