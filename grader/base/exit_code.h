// exit_code.h - what build/grade's exit status says.

#ifndef GRADER_EXIT_CODE_H
#define GRADER_EXIT_CODE_H

enum exit_code {
    EXIT_PASS = 0,   // every exercise asked for passes
    EXIT_FAIL = 1,   // some do not
    EXIT_USAGE = 2,  // the command line, or what it names, makes no sense
    EXIT_GRADER = 3, // the grader itself failed; no verdict may be drawn from this run
};

#endif
