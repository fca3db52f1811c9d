// sources.h - finds a lab's files in a hand-in.
//
// People hand in a lab's folder, their whole workbook, a folder in a folder, or a single
// file:
//
//   6  .../labs/01_simple_attention/attention.c
//   5  .../01_simple_attention/attention.c
//   4  .../attention.c                            (no other lab has a file of that name)
//   3, 2, 1  the same three as a browser calls a second download: "attention (1).c"
//
// The answers of make ask, "answers_01.txt", are found in the same way.
//
// The file with the highest rank is accepted. Two different files of the same rank are
// refused, because only the student knows which one counts; identical copies are fine. If one
// lab is judged, only its files and those of the labs that it uses can be a reason to refuse.
// Nothing else is accepted, and names from a hand-in are never used for files that we
// write.

#ifndef GRADER_SOURCES_H
#define GRADER_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "class/others.h"
#include "exercises/exercise.h"

// Of a hand-in's files, the largest, and all together. The manifest has up to eight digits for each
// byte (fingerprint.h).
enum { MOST_SOURCES = 256, LARGEST_SOURCE = 256 * 1024, LARGEST_HAND_IN = 4 << 20 };

struct source {
    const struct lab_place *place;
    const char *name; // "attention.c"
    char *answers; // of the answers of make ask (grade/answers.h): name; otherwise NULL
    int line;      // rank, see above; 0: missing
    char *path;    // the student's name for it
    char *origin;  // container (below) when it was accepted
    char *bytes;
    size_t size;
    char *elsewhere; // its path in an ignored folder, or NULL
};

struct sources {
    struct source list[MOST_SOURCES];
    size_t count;
    size_t size;           // of all files together
    struct others *others; // the names of other files; may be NULL
    const char *origin;    // the current archive, folder or upload
    int lab;               // the lab that is judged; 0: all of them
    char refusal[512];     // why the whole submission is refused, or ""
};

// Creates the list of all labs' files, initially missing.
void sources_begin(struct sources *sources);
void sources_end(struct sources *sources);

// Records the first reason for refusing the submission, and returns false.
bool sources_refuse(struct sources *sources, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The file that a path stands for, or NULL; sets *line to its rank. NULL in folders without
// student work (solutions, build, .git, ...).
struct source *sources_find(struct sources *sources, const char *path, int *line);

// Records a lab's file in an ignored folder, so that the student can be told where it is.
// Ignores hidden folders.
void sources_note_elsewhere(struct sources *sources, const char *path);

// Returns true if this folder is ignored.
bool sources_skip(const char *folder);

// Copies a file's content. Returns false if the submission is refused. Of a file that no judged
// lab uses, the first is kept, and one that is too large, alone or together with the others, is
// left out.
bool sources_take(struct sources *sources, struct source *source, int line,
                  const char *path, const char *bytes, size_t size);

#endif
