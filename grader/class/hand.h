// hand.h - what an instructor does by hand: grade set, grade undo, grade show.

#ifndef GRADER_HAND_H
#define GRADER_HAND_H

// Sets a student's mark or comment for a lab, with a reason. Nothing is overwritten: the
// newest row counts, the older ones are its history, and judging again changes neither.
int hand_set_command(const char *root, int argc, char **argv);

// Takes a run out of the count, or back in; without a number lists the runs.
int hand_undo_command(int argc, char **argv);

// Prints everything about one student.
int hand_show_command(const char *root, int argc, char **argv);

// Finds the student meant by a word, or ends the program with a line that says why not.
struct gradebook;
long long hand_person(struct gradebook *book, const char *word);

#endif
