// empty_row.h - what advice about the maximum of a softmax must add, in labs 1 and 2.

#ifndef GRADER_COMMON_EMPTY_ROW_H
#define GRADER_COMMON_EMPTY_ROW_H

// Without it, who starts at -INFINITY and tests the sum for 0 would get -inf - -inf.
#define EMPTY_ROW_WHY " Write zeros if every score of a row is -INFINITY."

#endif
