// questions.h - grade report --questions: three questions for an oral exam for each student, about
// the student's own code, with the expected answers. For the instructor only.

#ifndef GRADER_QUESTIONS_H
#define GRADER_QUESTIONS_H

#include "class/class_report.h"

enum { QUESTIONS_EACH = 3 }; // for a student and a lab

// Writes the page. Returns false, after a message, if it could not be written.
bool report_questions(struct report *report, const char *path);

#endif
