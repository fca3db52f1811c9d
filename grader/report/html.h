// html.h - writes self-contained pages without scripts; all foreign text is escaped.

#ifndef GRADER_HTML_H
#define GRADER_HTML_H

#include <stdio.h>

// Writes text between tags or in attributes with double quotes. Invalid UTF-8 and control
// characters become U+FFFD.
void html_text(FILE *file, const char *text);

// Writes everything from <!DOCTYPE html> to <body>, and the end of the page.
void html_begin(FILE *file, const char *title);
void html_end(FILE *file);

#endif
