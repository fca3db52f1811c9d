// html.h - pages that stand alone: no script, nothing fetched, everything from outside escaped.

#ifndef GRADER_HTML_H
#define GRADER_HTML_H

#include <stdio.h>

// Text for between tags and for attributes in double quotes. Anything: what is not UTF-8 and
// control characters become U+FFFD.
void html_text(FILE *file, const char *text);

// From <!DOCTYPE html> to <body>, and the end.
void html_begin(FILE *file, const char *title);
void html_end(FILE *file);

#endif
