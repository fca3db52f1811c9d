// bank.h - the case bank: replaces the solutions in a hand-out.
//
// A workbook handed out to students has neither solutions nor known mistakes to call. Its judge
// draws no cases; it reads them, with what is expected and what each mistake would give, from a
// file for each function, grader/bank/cases/3.4-causal_attention.safetensors:
//
//   solutions, mistakes ──> grade bank DIR ──┬─> 3.4-causal_attention.safetensors   numbers
//   (the whole workbook)     write.c         └─> lab03.tables.c                     words
//                                                     │
//   (a hand-out)             read.c: the same cases, verdicts and diagnoses, for one seed
//
// Three things keep it small (docs/formats.md, "Case bank", has the table):
//
//   - an input that is drawn and at most multiplied afterwards is drawn again, unless an output
//     must be its copy to the last bit: another machine's libm may round a draw otherwise;
//   - equal numbers are kept once;
//   - of an output of more than LARGE numbers every BLOCK-th one is kept and a weighted sum for
//     each block; of what a mistake gives, MOST numbers in places that look like chance.
//
// Nothing in a bank is an answer in words or code, but its cases hide nothing: marks are given
// by the whole workbook, on another seed.

#ifndef GRADER_BANK_H
#define GRADER_BANK_H

#include "cases/case.h"

enum {
    LARGE = 2048, // an F32 output of more numbers is kept in blocks
    BLOCK = 16,
    MOST = 128,      // numbers kept of one output of a mistake
    KEPT_STEP = 256, // a workspace of more numbers is not kept
};

// A row of the table "cases": these, then the sizes, then three columns for each tensor.
enum column {
    FLAGS,       // AGAIN + APART + SECOND + GPU_ONLY
    PROPERTY,    // as in struct test_case
    NOTE,        // which of the notes in the file's metadata, or -1
    DRAWN_FROM,  // the seed of the case's own generator,
    SIZES_DRAWN, // and how many words to skip
    STATUS,      // what is expected
    COLUMNS
};
enum { AGAIN = 1, APART = 2, SECOND = 4, GPU_ONLY = 8 };
enum { GIVEN, EXPECTED, SUMS, TENSOR_COLUMNS }; // places in the pools, or one of these:
enum { NOWHERE = -1, ABSENT = -2, TIMES = -3 };
// Under GIVEN, NOWHERE is: as drawn; TIMES - at: as drawn, times the float that lies at `at`.

// A row of a mistake in the table "mistakes": of the first call and of the repeat on each of the
// contents, its status and the place of each judged output; or NOT_REPEATED and nothing else.
#define NOT_REPEATED (-1001) // its first call is wrong, or the case has no such repeat

// The pools: one tensor for each type, named "floats", "bytes", "sizes", and "sums".
static inline size_t bank_blocks(size_t count)
{
    return (count + BLOCK - 1) / BLOCK;
}

// Is this output kept in blocks?
static inline bool bank_is_large(const struct tensor *tensor)
{
    return tensor->spec->type == F32 && tensor->count > LARGE;
}

#endif
