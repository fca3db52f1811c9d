// course.h - the labs and their exercises, in the order in which they are done.

#ifndef LAB_LEARN_COURSE_H
#define LAB_LEARN_COURSE_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_LABS = 40, MOST_EXERCISES = 400 };

enum state {
    UNKNOWN, // edited, and not judged since
    TODO,    // the comment TODO is still in the file, or the judge says so
    FAILING,
    PASSING,
};

struct exercise {
    char id[8];     // "1.3"
    char title[60]; // "Scores", from the handout
    size_t lab;     // index
    enum state state;
    bool recorded;  // it passed when the lab was last judged, before an edit
    char said[200]; // the last verdict that was not a pass: "wrong: the scores are ..."
};

struct lab {
    int number;
    char folder[60]; // "01_simple_attention"
    char title[60];  // "Simple attention"
    size_t first, count;
    bool uncompiled; // when it was last judged
};

struct course {
    const char *source; // the folder with the student's code: "labs"
    bool gpu;           // the exercises of the .cu files
    bool uncompiled;    // in the last run the files did not compile: the states are older
    struct lab labs[MOST_LABS];
    struct exercise exercises[MOST_EXERCISES];
    size_t lab_count, exercise_count;
};

// Reads grader/points.txt and the handouts. Returns false if there is no lab.
bool course_read(struct course *course, const char *source, bool gpu);

// The path of a lab's folder of the student. The caller frees.
char *course_folder(const struct course *course, size_t lab);

// True if the file is one of those that students edit there.
bool course_is_source(const struct course *course, const char *name);

// The index of the exercise, or exercise_count.
size_t course_find(const struct course *course, const char *id);

size_t course_passing(const struct course *course, size_t first, size_t count);

#endif
