// answers.h - points for the answers of make ask, where grader/points.txt gives any ("3.q 5").
//
// A hand-in may contain labs/NN_x/answers_NN.txt, which make handin writes. It is only a claim: the judge
// reads the titles and answers in it, and checks each answer itself against the workbook's questions.
// The answers to the questions can be found out by trying, and from the files that students have. So
// these points are for taking part, not for knowing (docs/instructor.md).

#ifndef GRADER_ANSWERS_H
#define GRADER_ANSWERS_H

#include "grade/grading.h"

// The name of a lab's file of answers, "answers_03.txt". Caller frees.
char *answers_name(int lab);

// Adds one result, "3.q questions", for each lab that was asked for as a whole and has points for
// its answers.
void grade_answers(struct grading *grading);

#endif
