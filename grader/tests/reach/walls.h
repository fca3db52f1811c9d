// walls.h - looks around behind the walls of every step of a grader.
//
// process_run, process_start and process_finish are wrapped by the linker (--wrap): before each
// compiler, linker or worker runs, a probe (probe.c) runs behind the same walls and lists the
// files that it can read. The step must need each of these files, and none may contain parts of
// a solution (knowledge.h). What is wrong goes to stderr. Many steps have the same walls, but for
// the names of files of the same kind; the probe looks around once behind each of them.
//
// test_reach.c sets reach and calls the grader; grade.c makes a build/grade of it.

#ifndef TESTS_REACH_WALLS_H
#define TESTS_REACH_WALLS_H

#include <stdbool.h>

struct reach {
    // absolute: the workbook's folder as the run sees it, the student's tree, and the program that
    // lists what it can read (NULL: nothing is listed)
    char *root, *source, *probe;
    int steps;                  // each behind one of these walls:
    int walls, files, failures; // looked at
};
extern struct reach reach;

#endif
