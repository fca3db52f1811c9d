// bank.h - the case bank, which replaces the solutions in the student archive.
//
// The archive for students contains neither solutions nor known mistakes. Its grader does
// not draw cases. For each function it reads a file, such as
// grader/bank/cases/3.4-causal_attention.safetensors, with the cases, the expected results
// and the results of each known mistake:
//
//   solutions, mistakes ──> grade bank DIR ──┬─> 3.4-causal_attention.safetensors   numbers
//   (the whole workbook)     write.c         └─> lab03.tables.c                     words
//                                                     │
//   (the student archive)             read.c: the same cases, verdicts and diagnoses, for one seed
//
// Four rules keep it small (docs/formats.md, "Case bank", has the tables):
//
//   - an input that is drawn and at most multiplied afterwards is drawn again, unless an output
//     must be its copy to the last bit: another machine's libm may round a draw otherwise. What
//     case_coarse, case_even and case_small draw is always drawn again: they use whole numbers;
//   - equal numbers are kept once;
//   - of an output of more than LARGE numbers the first of each block is kept, and a weighted sum or
//     a hash of the block; of a mistake's, if it has more than WHOLE, SAMPLE numbers in places that look like chance;
//   - where a tolerance decides, digits far below it are left out (bank_brief).
//
// A bank contains no answers in words or code, but its cases are not secret. Marks come
// from the full workbook, with another seed.

#ifndef GRADER_BANK_H
#define GRADER_BANK_H

#include "cases/case.h"

enum {
    LARGE = 2048, // a longer F32 output is stored in blocks
    BLOCK = 16,
    MOST_BLOCKS = 8192, // of a longer output the blocks are longer, too
    EXACT_BLOCK =
        512,     // for outputs without a tolerance: a hash sees every bit of any length
    WHOLE = 96,  // of a mistake's longer output,
    SAMPLE = 48, // so many numbers are stored
    KEPT_STEP = 256, // a longer workspace is not stored
};

// The columns of the table "cases": these, then the sizes, then three columns for each
// tensor.
enum column {
    FLAGS,       // a sum of AGAIN ... BEYOND
    PROPERTY,    // as in struct test_case
    NOTE,        // index of a note in the file's metadata, or -1
    DRAWN_FROM,  // the seed of the case's own generator,
    SIZES_DRAWN, // and the number of words to skip
    STATUS,      // the expected status
    REPEATS,     // as in struct test_case
    COLUMNS
};
enum { AGAIN = 1, APART = 2, SECOND = 4, GPU_ONLY = 8, WITH_NAN = 16, LAUNCH_ONLY = 32 };
enum { BARELY = 64, MEMORY_ONLY = 128, MOST_OF_A_SIZE = 256, BEYOND = 512 };
// BEYOND: times test_case.beyond
// positions in the pools, or one of these:
enum { GIVEN, EXPECTED, SUMS, TENSOR_COLUMNS };
enum { NOWHERE = -1, ABSENT = -2, COARSE = -3, EVEN = -4, SMALL = -5, TIMES = -6 };
// Under GIVEN, NOWHERE means: as drawn. COARSE, EVEN and SMALL mean: as case_coarse, case_even and
// case_small draw it.
// TIMES - at means: as drawn, times the float at position `at`.

// A row of a mistake in the table "mistakes". For the first call and for the repeat on each
// kind of contents, it has the status and the position of each judged output, or only
// NOT_REPEATED (of a MEMORY_ONLY case always).
#define NOT_REPEATED (-1001) // the first call is wrong, or the case has no such repeat

// The pools: one tensor for each type, named "floats", "bytes", "signed", "sizes" (differences, too), and
// "sums".
static inline enum type bank_pool(const struct tensor *tensor)
{
    return tensor->spec->type == DIFFERENCE ? SIZE : tensor->spec->type;
}

static inline bool bank_is_exact(const struct tensor *tensor)
{
    return tensor->atol == 0 && tensor->rtol == 0;
}

static inline size_t bank_block(const struct tensor *tensor)
{
    size_t length = bank_is_exact(tensor) ? EXACT_BLOCK : BLOCK;
    while (tensor->count / length > MOST_BLOCKS) {
        length *= 2;
    }
    return length;
}

static inline size_t bank_blocks(const struct tensor *tensor)
{
    return (tensor->count + bank_block(tensor) - 1) / bank_block(tensor);
}

// Returns true if this output is stored in blocks.
static inline bool bank_is_large(const struct tensor *tensor)
{
    return tensor->spec->type == F32 && tensor->count > LARGE;
}

#endif
