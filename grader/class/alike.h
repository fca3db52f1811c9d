// alike.h - which hand-ins of a lab are alike: groups of equal ones, and similar pairs.
//
// Hand-ins are compared in two ways:
//
//   runs       of tokens (fingerprint.h): the same code with other names
//   passages   of statements in a normal form (passages.h): the same code in other words, with
//              other loops, or with its helpers written out
//
// What the workbook's skeletons and solutions contain is never counted, nor what more than a
// tenth of the class (and more than five people) have: the exercise may require this code.
// Equal hand-ins count as one person there, so that many copies do not hide one that was
// changed a little. The likeness of a pair is the share of the smaller hand-in's remaining
// runs, or passages, that the other has, too; the larger of the two counts.

#ifndef GRADER_ALIKE_H
#define GRADER_ALIKE_H

#include <stdbool.h>
#include <stddef.h>

#include "class/fingerprint.h"
#include "class/own.h"

enum {
    ALIKE_FEWEST = 6,   // minimum runs or passages in common
    ALIKE_PERCENT = 60, // minimum likeness of two hand-ins
    // With the workbook's solution. Plain code of one's own is half like it.
    ALIKE_OWN_PERCENT = 75,
    // A hand-in with fewer runs or passages beyond the workbook's counts as one with so many.
    ALIKE_SMALLEST = 10,
    ALIKE_MOST_PAIRS = 40, // listed at most
    // Minimum size for a group: about 140 tokens, two short functions. Shorter identical
    // files may just be the obvious solution.
    ALIKE_FEWEST_IN_GROUP = 20,
    ALIKE_LARGE_GROUP = 3, // smallest group; two are listed as a pair
};

struct alike_work {
    char *name, *hash;
    char *team;                   // who may share code with it; NULL: nobody
    struct fingerprints prints;   // without the skeletons
    struct fingerprints runs;     // without the workbook's solutions, too
    struct fingerprints passages; // the same
    const char *own; // not a hand-in but the solution in this folder; NULL: a hand-in
    size_t group;    // the first work with the same fingerprints
    size_t size;     // number of hand-ins in the group that begins here
    bool paired;     // the group that begins here has two people, listed as a pair
};

struct alike_pair {
    size_t a, b, common; // a may be the workbook's solution
    double percent;
    bool same;      // hand-ins identical byte for byte
    bool rewritten; // found by passages, not by runs
};

struct alike {
    const char *root;
    struct fingerprints skeletons;
    struct own_code own;
    struct alike_work *works; // the workbook's solutions come first
    size_t count;
    size_t people;            // the works that are hand-ins
    struct alike_pair *pairs; // the most similar ones first
    size_t pair_count;
};

// Begins with the workbook's solutions of a lab.
void alike_begin(struct alike *all, const char *root, int lab);

// Adds a hand-in. Its team, if it has one, and its files, or else its fingerprints without the
// skeletons, are added to it before the next hand-in.
void alike_add(struct alike *all, const char *name, const char *hash);
void alike_set_team(struct alike *all, const char *team);
void alike_add_file(struct alike *all, const char *text, size_t size);
void alike_add_prints(struct alike *all, const uint32_t *prints, size_t count);

// Finds the groups, then the pairs.
void alike_find(struct alike *all);
void alike_end(struct alike *all);

// Returns true if the group that begins here is listed as such.
bool alike_listed(const struct alike_work *work);
// The number of people that must have something before it no longer counts.
size_t alike_most_people(const struct alike *all);

#endif
