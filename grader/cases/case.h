// case.h - one call of one function: its sizes, its tensors, its expected and actual results.

#ifndef GRADER_CASE_H
#define GRADER_CASE_H

#include "cases/oracle.h"
#include "common/rng.h"
#include "exercises/exercise.h"
#include "worker/protocol.h"

enum {
    MAX_AXES = 6,
    TURNS = 24, // two calls of the same sizes take turns so many times
};

struct tensor {
    const struct tensor_spec *spec;
    size_t count;                // elements
    size_t axes, axis[MAX_AXES]; // its shape
    size_t rows, columns;        // the last two axes; a tensor of one axis has one row
    size_t element_size;         // bytes
    float atol, rtol;            // of this case
    bool absent;                 // optional, and passed as NULL
    void *data;                  // what it starts from; NULL for outputs and workspaces
    void *expected, *got;        // an output's values, in the judge's memory
    void *repeated[CONTENTS]; // those of a repeat on these contents, or NULL: as in got
};

struct test_case {
    const struct part *part;
    const char *note;                                          // "large logits", or NULL
    void (*fill)(struct test_case *test, struct lab_rng *rng); // or NULL
    bool again; // one of many calls with the same sizes, for what is kept between calls
    bool apart; // known mistakes crash in it (struct case_spec)
    bool gpu_only; // for grids of blocks: known mistakes, which are C, are not asked here
    size_t dims;
    size_t dim[MAX_DIMS];
    size_t tensors;
    struct tensor tensor[MAX_TENSORS];
    lab_status expected_status;
    enum progress progress; // of the student's call
    int got_status;
    // the contents of outputs and workspaces before the call that gave got
    enum contents contents;
    uint32_t repeats; // bit c: the call is made again on contents c
    int repeat_status[CONTENTS];
    uint64_t drawn_from;         // the seed of its own generator,
    size_t sizes_drawn;          // and how many sizes that drew before the inputs
    const struct oracle *oracle; // who knows what is right
    const struct bank *bank;     // where the student archive's numbers lie,
    size_t row;                  // and in which row
    size_t property; // 1 + index of the property this case belongs to, 0 for none
    bool second;     // the changed case of a property; the one before it is the first
};

struct case_list {
    struct test_case *cases;
    size_t count;
    bool cut; // only those before the call in which the program ended
    const struct oracle *oracle;
    struct bank *bank; // of the student archive's oracle
};

// Draws every case of a part from the seed, smallest first. The same part and seed give the same
// cases on every machine. gpu: without those that are for the CPU alone.
struct case_list cases_draw(const struct part *part, uint64_t seed, bool gpu);

// Draws the one case that spec describes.
struct case_list cases_of(const struct part *part, const struct case_spec *spec,
                          uint64_t seed);

// Shapes the tensors of a case whose sizes are known and draws the inputs.
void case_make_tensors(struct test_case *test, struct lab_rng *rng);

// Adds an empty case.
struct test_case *cases_append(struct case_list *list);

// The repeats of a case, given its sizes: of a small one on all contents, of a larger one on one,
// of a very large one none. Drawn cases have them.
uint32_t case_repeats(const struct test_case *test);

// Computes what is expected of each by calling the reference. Done after the student's code has
// run: what is not there yet cannot be read.
void cases_expect(struct case_list *list, const struct entry *reference);

// The same after one more run, where what is expected depends on what came out.
void cases_expect_anew(struct case_list *list, const struct entry *reference);
void cases_free(struct case_list *list);

// How many numbers all tensors of all cases hold.
size_t cases_elements(const struct case_list *list);

// A repeat may fail although the first call is right. Then what it gave takes the place of what
// the first gave (got, got_status), and contents says on what it was made. After cases_expect.
void cases_settle(struct case_list *list);

// Is what a case got of a repeat?
static inline bool case_is_repeat(const struct test_case *test)
{
    return test->contents != POISONED && !test->again;
}

// What a tensor holds before the call: the numbers given, or what the case's contents say.
void case_fill(const struct test_case *test, const struct tensor *tensor, void *memory);

// Calls f on a case, outputs going to fresh memory filled by case_fill that is left in output[] (one
// per tensor, NULL for inputs); the caller frees them with case_free_outputs.
lab_status case_call(const struct test_case *test, adaptor *call, any_function f,
                     void *output[MAX_TENSORS]);
void case_free_outputs(void *output[MAX_TENSORS]);

// Is this tensor compared with the expected values?
bool tensor_is_judged(const struct tensor *tensor);

// "T=2 S=3 d=4", into a buffer.
void case_describe(const struct test_case *test, char *buffer, size_t size);

// Fills bytes with the poison pattern / says whether they still hold it, or that of NUMBERS.
void poison_fill(void *memory, size_t bytes);
bool poison_intact(const void *memory, size_t bytes);

// Does element i of the result still have its value from before the call? The pattern is four
// bytes long, so which of them an element of one byte holds depends on i.
bool still_unset(const struct tensor *tensor, size_t i);

#endif
