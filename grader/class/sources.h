// sources.h - of all that somebody handed in, the files that a lab is made of.
//
// People hand in a lab's folder, their whole workbook, a folder in a folder, or a bare file:
//
//   6  .../labs/01_simple_attention/attention.c
//   5  .../01_simple_attention/attention.c
//   4  .../attention.c                            (no other lab has a file of that name)
//   3, 2, 1  the same three as a browser calls a second download: "attention (1).c"
//
// The highest line that is there is taken. Two different files on the same line are refused,
// wherever they come from: which one is meant, only the student knows. The same bytes again are
// no second file. Nothing else is taken, and a name from outside is never the name of a file that
// we write.

#ifndef GRADER_SOURCES_H
#define GRADER_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "class/others.h"
#include "exercises/exercise.h"

enum { MOST_SOURCES = 256, LARGEST_SOURCE = 256 * 1024 };

struct source {
    const struct lab_place *place;
    const char *name; // "attention.c"
    int line;         // see above; 0: not there
    char *path;       // as the student called it
    char *origin;     // of sources, when it was taken
    char *bytes;
    size_t size;
    char *elsewhere; // its path in a folder that is not looked into, or NULL
};

struct sources {
    struct source list[MOST_SOURCES];
    size_t count;
    struct others *others; // the names of what is not taken; may be NULL
    const char *origin;    // the archive, the folder or the upload that is being read
    char refusal[512];     // why the whole submission is refused, or ""
};

// Every file that labs are made of, none of them there yet.
void sources_begin(struct sources *sources);
void sources_end(struct sources *sources);

// Says once why the submission is refused, and returns false.
bool sources_refuse(struct sources *sources, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Which file a path may be, or NULL; *line is set. Folders that hold no student's work
// (solutions, build, .git, ...) lead to NULL.
struct source *sources_find(struct sources *sources, const char *path, int *line);

// A path below a folder that is not looked into, by which whoever has no such file elsewhere can
// be told where it lies. Hidden folders are nobody's work.
void sources_note_elsewhere(struct sources *sources, const char *path);

// Is this folder one that is not looked into?
bool sources_skip(const char *folder);

// Takes a file's content, which is copied. false: refused.
bool sources_take(struct sources *sources, struct source *source, int line,
                  const char *path, const char *bytes, size_t size);

#endif
