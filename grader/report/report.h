// report.h - a grading, for a person and for programs.

#ifndef GRADER_REPORT_H
#define GRADER_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "judge/grade.h"

// One line per exercise, then what went wrong with each. colour: with terminal colours.
void report_terminal(FILE *file, const struct grading *grading, bool colour);

// Gradescope's results.json. false with one line on stderr when it could not be written;
// whatever stood at path before is then still there.
bool report_json(const char *path, const struct grading *grading);

// JUnit XML, likewise.
bool report_junit(const char *path, const struct grading *grading);

// Classroom 50's result.json; what the classroom and the submission are called comes from the
// environment of its runner (docs/formats.md). Likewise.
bool report_classroom50(const char *path, const struct grading *grading);

// Autolab's line: {"scores":{"Lab 1":80}}.
void report_autolab(FILE *file, const struct grading *grading);

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

// What the compiler warns of in the functions that were judged; how many other warnings there are,
// and the command that shows them.
void report_warnings(FILE *file, const struct grading *grading,
                     const struct warnings *of);

// Terminal colours are wanted: a terminal, and NO_COLOR is not set.
bool report_wants_colour(FILE *file);

#endif
