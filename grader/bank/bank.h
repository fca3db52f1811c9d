// bank.h - the case bank: what a hand-out's judge works from in place of the solutions.
//
// A workbook handed out to students has neither solutions nor known mistakes to call. Its judge
// draws no cases; it reads them, with what is expected and what each mistake would give, from a
// file for each function, grader/cases/3.4-causal_attention.safetensors:
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

#include <stdio.h>

#include "judge/case.h"

// ---- reading (a hand-out) -----------------------------------------------------------------

// The cases of a part that has a bank, as cases_draw would have drawn them, from the folder
// that banks lie in. A bank that is not there or broken ends the grader.
struct case_list bank_draw(const char *folder, const struct part *part, bool gpu);

// Fills in what is expected, once the student's code has run.
void bank_expect(struct case_list *list);

// Are a student's status and outputs those of a mistake, as far as they are kept? or_right: an
// output in which the student is right may be another.
bool bank_agrees(const struct test_case *test, const struct mistake *mistake,
                 bool or_right);

// NULL is none.
void bank_close(struct bank *bank);

// ---- writing (the whole workbook) ---------------------------------------------------------

// Writes the bank of every function and the tables of every lab into a folder that is there.
// Before a file counts as written it is read again, and every solution and every mistake judged
// by it. False, after a line on stderr, when one is not judged as in the whole workbook.
bool bank_write(const char *folder, uint64_t seed);

// words.c: exercises, parts, tensors, properties and mistakes of a lab, as C.
void bank_write_tables(FILE *file, const struct lab_place *place, uint64_t seed);

// The name of a part's file without its ending: "3.4-causal_attention". Caller frees.
char *bank_stem(const struct exercise *exercise, const struct part *part);

// ---- the format, for both -----------------------------------------------------------------

enum {
    LARGE = 2048, // an F32 output of more numbers is kept in blocks
    BLOCK = 16,
    MOST = 128, // numbers kept of one output of a mistake
};

// A row of the table "cases": these, then the sizes, then three columns for each tensor.
enum column {
    FLAGS,       // AGAIN + APART + SECOND
    PROPERTY,    // as in struct test_case
    NOTE,        // which of the notes in the file's metadata, or -1
    DRAWN_FROM,  // the seed of the case's own generator,
    SIZES_DRAWN, // and how many words to skip
    STATUS,      // what is expected
    COLUMNS
};
enum { AGAIN = 1, APART = 2, SECOND = 4 };
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

// A block's weighted sum and what it may be off by: numbers that change places change it. Where
// nothing may differ, it is a hash instead, of 52 bits. blocks.c
struct block_sum {
    double sum, tolerance;
};
struct block_sum bank_sum(const struct tensor *tensor, const float *values, size_t block);

// How many numbers are kept of a mistake's output, and which. blocks.c
size_t bank_kept(size_t count);
size_t bank_kept_place(size_t count, size_t i);

#endif
