// stride.h - recognizes right numbers at wrong places: an index with another size in it, as in
// scores[t * T + s] where a row has S elements.

#ifndef GRADER_STRIDE_H
#define GRADER_STRIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "cases/case.h"

// An output is stored as if this axis of it were as long as that size of the function.
struct stride {
    const struct tensor_spec *output;
    size_t tensor, axis; // axis is not 0, whose length is in no index
    size_t size;         // index in the part's dims
};

// Returns true if exactly one such slip explains every failing call.
bool find_stride(const struct case_list *cases, struct stride *found);

// "scores (T S) has the right numbers at the wrong places, as if S were T". Caller frees.
char *name_stride(const struct part *part, const struct stride *stride);

#endif
