// whose.h - is a platform's table about another lab? Marks in the worksheet of another assignment, or times of
// another week, are hard to notice later.

#ifndef GRADER_WHOSE_H
#define GRADER_WHOSE_H

#include <stdbool.h>

#include "class/csv.h"
#include "class/gradebook.h"

// A lab that a text clearly names, such as "Grades-CS-Lab 2-4711.csv" or "lab-02", or 0 if it names none, or one
// of these.
int whose_other_lab(const char *text, const int *labs, int count);

// Ends the program if the file's name clearly names another lab, and none of these. Only asks if it may be about
// something else: "ai-lab 7 room.csv".
void whose_refuse_name(const char *path, const int *labs, int count);

// Counts the times of hand-ins that a table has.
struct whose_times {
    int seen,
        others; // all, and those that the gradebook has from another lab's table, and not of these labs
    int lab; // the last such lab
};
void whose_add(struct whose_times *times, struct gradebook *book, int64_t student,
               int64_t seconds, const int *labs, int count);

// Asks whether it is another lab's, if most of the times are. Returns true if it has asked.
bool whose_ask(const struct whose_times *times, const char *path);

#endif
