// calls.h - finds the calls in a worker that can be made to fail.

#ifndef GRADER_CALLS_H
#define GRADER_CALLS_H

#include "build/build.h"
#include "worker/protocol.h"

// A call instruction in a student's function, or in a helper that this function calls.
struct call_site {
    char callee[64];             // "matmul", "softmax_rows_gpu" or "cublasSgemm"
    struct failing_call failing; // where it is, and the status that it is to return
    lab_status expected;         // what the function must then return
};

// Lists the calls that `entry` of a linked lab makes to functions of the labs and of cuBLAS:
// those in its own code and in its helpers, but not those inside other functions of the
// labs. Returns their number, at most `most`; 0 on processors other than x86-64.
size_t calls_find(const struct build *build, const struct entry *entry,
                  struct call_site *sites, size_t most);

// Do the functions of a part use one of these symbols, directly or through others of the same file? They
// call it, jump to it or take its address in their code. true, too, where that cannot be read.
bool calls_use(const struct build *build, const struct entry *entry,
               const char *const *symbols);

#endif
