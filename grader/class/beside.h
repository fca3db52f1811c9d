// beside.h - pages that show similar hand-ins side by side, for the class page.
//
// They lie in a folder beside it: class.html and class-pairs/pair-1.html. Only the instructor
// can read them, like the class page.

#ifndef GRADER_BESIDE_H
#define GRADER_BESIDE_H

#include <stdbool.h>

#include "class/alike.h"
#include "class/class_report.h"

struct pair_pages {
    char *folder; // its path
    char *name;   // its name, as a link from the class page
    int written;
    bool failed; // after a message
};

// The folder for the pages of a class page.
struct pair_pages beside_begin(const char *class_page);
// Writes the page of a pair. Returns the link to it, which the caller frees, or NULL: the
// gradebook does not have the code, or the page could not be written.
char *beside_write(struct report *report, struct pair_pages *pages,
                   const struct alike *all, const struct alike_pair *pair, int lab);
// Removes pages of an earlier report. Returns false if a page could not be written.
bool beside_end(struct pair_pages *pages);

#endif
