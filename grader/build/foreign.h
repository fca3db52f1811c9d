// foreign.h - sanitises text that students can influence before it goes into a report.
//
// A student's file can put text into a report through the compiler (#error, static_assert,
// _Pragma("message"), function names), through the sanitizers, and by printing. None of
// this may look like a line of the grader or reveal the grader's path or user.

#ifndef GRADER_FOREIGN_H
#define GRADER_FOREIGN_H

#include <stddef.h>

// Returns a line that says why a source file must not be compiled, or NULL. The reasons are
// UTF-16 or UTF-32, for which a compiler prints pages of errors, and a #line directive
// (also # 1 "name"), which makes messages name another file. name is the file's name in the
// message. Caller frees.
char *foreign_refuses(const char *path, const char *name);

// The output of a compiler or linker, made safe. Lines in a compiler's usual form
// ("attention.c:3:5: error: ...", "   12 | code") stay as they are; any other line gets the
// "      | " of a quotation in front. Many lines, and long lines, are cut. Caller frees.
char *foreign_quote(const char *text, size_t size);

#endif
