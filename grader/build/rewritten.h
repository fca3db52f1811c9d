// rewritten.h - columns in lines of a .cu file that cuda-to-cpp has rewritten.

#ifndef GRADER_REWRITTEN_H
#define GRADER_REWRITTEN_H

// The compiler's message about the translation of a source file, with the columns and the carets of
// the source. A column is left out if what stands there is not in the source's line. The caller frees.
char *rewritten_message(const char *message, const char *source, const char *translated);

#endif
