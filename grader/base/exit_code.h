// exit_code.h - the exit status of build/grade.

#ifndef GRADER_EXIT_CODE_H
#define GRADER_EXIT_CODE_H

enum exit_code {
    EXIT_PASS = 0,   // every requested exercise passes
    EXIT_FAIL = 1,   // some exercise does not pass
    EXIT_USAGE = 2,  // the command line is wrong
    EXIT_GRADER = 3, // the grader itself failed; this run gives no verdicts
};

#endif
