// lacking.h - what a .cu file needs and the judge's simulated GPU does not have.

#ifndef GRADER_LACKING_H
#define GRADER_LACKING_H

// The compiler's message. If the simulator lacks something that the file uses, one line for each such thing
// replaces all errors, which follow from it. The caller frees.
char *lacking_explained(const char *message);

#endif
