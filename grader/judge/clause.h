// clause.h - what a lab's header says about a status.

#ifndef GRADER_CLAUSE_H
#define GRADER_CLAUSE_H

// The sentences about a status, such as "LAB_ESHAPE", in the comment above a function and in the
// comment at the top of its header: "Every function returns LAB_ESHAPE if a size is 0." NULL if no
// header of the folder (labs/05_transformer_block) declares the function, or it has no such sentence.
// The caller frees it.
char *clause_about(const char *folder, const char *function, const char *status);

#endif
