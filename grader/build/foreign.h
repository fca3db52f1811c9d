// foreign.h - cleaning text that students can influence, before it goes into a report.
//
// A student's file speaks through the compiler (#error, static_assert, _Pragma("message"), names of
// functions), through the sanitizers and by printing. None of that may look like a line of ours,
// and none of it may show the grader's path or user.

#ifndef GRADER_FOREIGN_H
#define GRADER_FOREIGN_H

#include <stddef.h>

// What keeps a source file from being compiled, as one sentence with a line end, or NULL: UTF-16 or
// UTF-32, of which a compiler prints pages; and a #line directive (also # 1 "name"), for it gives
// every message another file's name. name is what the file is called in the sentence. Caller frees.
char *foreign_refuses(const char *path, const char *name);

// What a compiler or linker printed. Lines of a compiler's own shape ("attention.c:3:5: error: ...",
// "   12 | code") stay as they are; any other gets the "      | " of a quoted line in front. Many lines
// and long ones are cut. Caller frees.
char *foreign_quote(const char *text, size_t size);

#endif
