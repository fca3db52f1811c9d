// roster.h - grade class --roster FILE: everybody in the course, with their group and the
// platforms' numbers.
//
// A table (csv.h) with a column for each kind of name (people.h), and perhaps "group". A row
// needs an id, an e-mail address, or a platform's number, which identifies the person from
// week to week; the name may be shared. Canvas's gradebook export and Moodle's list of
// participants are such tables. A new roster replaces the old one; marks stay.

#ifndef GRADER_ROSTER_H
#define GRADER_ROSTER_H

#include "class/class.h"
#include "class/names.h"
#include "class/people.h"

// Reads --roster into the gradebook: everybody has a row in `student` and `listed`. Ends the
// program on a problem; call it in a transaction.
void roster_apply(struct class *class);

// Prints how many people and groups --roster has; call it when nothing can refuse the run any more.
void roster_tell_size(struct class *class);

// Finds the person on the roster who made this entry of the class's folder, and gives `who`
// the person's key and name. Returns how many people it may be: 1 if it was found.
int roster_find(struct gradebook *book, struct who *who);

// True if there is a roster.
bool roster_exists(struct gradebook *book);

// Is the row about a person? Canvas's first rows are about the columns (one says what each is worth), and its last
// may be a made-up student.
bool roster_is_worth(const struct csv *csv, const struct people_columns *columns,
                     size_t row);
bool roster_is_person(const struct csv *csv, const struct people_columns *columns,
                      size_t row);

// After the run: who on the roster has the mark of a partner, and who has no hand-in in it, alone
// or with a partner.
void roster_tell(struct class *class);

// extension.c: reads --extensions into the gradebook, in place of the old extensions. Call
// it after class_scan, in its transaction.
void extensions_apply(struct class *class);

#endif
