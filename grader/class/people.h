// people.h - who is meant: finds a student by an id, an e-mail address, a login, a
// platform's number or a name.
//
// A person has many names: Canvas's number, Moodle's "Participant 345", a GitHub login, an
// e-mail address. Each is an alias in the gradebook, of a kind. Kinds are tried from the
// strongest to the weakest, so a name, which two people may share, decides only if nothing
// better is there.

#ifndef GRADER_PEOPLE_H
#define GRADER_PEOPLE_H

#include <stdbool.h>
#include <stdio.h>

#include "class/csv.h"
#include "class/gradebook.h"

enum { PEOPLE_KINDS = 7 };

struct people_kind {
    const char *kind;    // in the table alias
    const char *columns; // its names in a table's header (csv.h)
};
// id, email, canvas, moodle, github, login, name
extern const struct people_kind people_kinds[PEOPLE_KINDS];

// Adds an alias, unless it is empty. Case, surrounding blanks and Moodle's word
// "Participant" do not matter.
void people_add(struct gradebook *book, const char *kind, const char *value,
                int64_t student);

// How many students have this alias; *student is one of them. kind NULL: the strongest kind
// that knows it, or the key of the student. listed: only students on the roster.
int people_find(struct gradebook *book, const char *kind, const char *value, bool listed,
                int64_t *student);

// Prints the people whose name, or whatever they are known by, contains this word or has a part nearly like
// it, at most five: "Kimberly Lee (17), Kim Ek". Returns how many there are.
int people_suggest(struct gradebook *book, const char *word, FILE *file);

// The columns of a table that say who is meant.
struct people_columns {
    int of[PEOPLE_KINDS], any; // any: "person", which may hold any kind
};
// Ends the program if the table has none.
struct people_columns people_columns(const struct csv *csv);

// The student of a row, or 0 if nobody is known by any of its cells. Ends the program if
// the row may mean several people.
int64_t people_row(struct gradebook *book, const struct csv *csv,
                   const struct people_columns *columns, size_t row);
// What the row says about the person, for a message: "17, ann@example.org". Caller frees.
char *people_words(const struct csv *csv, const struct people_columns *columns,
                   size_t row);

#endif
