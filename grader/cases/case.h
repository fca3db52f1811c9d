// case.h - one call of one function: its sizes, its tensors, its expected and actual results.

#ifndef GRADER_CASE_H
#define GRADER_CASE_H

#include "cases/oracle.h"
#include "common/rng.h"
#include "exercises/exercise.h"
#include "worker/protocol.h"

enum { MAX_AXES = 6 };

struct tensor {
    const struct tensor_spec *spec;
    size_t count;                // elements
    size_t axes, axis[MAX_AXES]; // its shape
    size_t rows, columns;        // the last two axes; a tensor with one axis has one row
    size_t element_size;         // bytes
    float atol, rtol;            // tolerance in this case
    bool absent;                 // optional, and passed as NULL
    bool may_be_nan;             // NaN is right where it is expected (.nan)
    bool partial;         // not all blocks wrote it: what is unwritten does not count
    void *data;           // initial contents; NULL for outputs and workspaces
    void *expected, *got; // the student's and the expected values of an output
    // the results of a repeat on these contents; NULL if equal to got
    void *repeated[CONTENTS];
};

struct test_case {
    const struct part *part;
    const char *note;                                          // "large logits", or NULL
    void (*fill)(struct test_case *test, struct lab_rng *rng); // or NULL
    bool again; // one of many calls with the same sizes, to find data kept between calls
    bool apart; // known mistakes crash in it (struct case_spec)
    // for GPU grids only; known mistakes, which are C functions, are not called
    bool gpu_only;
    bool memory_only; // only limits the memory of a call: known mistakes are not called
    bool cpu;         // judged on the CPU side: mistakes of kernels are not looked for
    bool launch_only; // few blocks run, or no kernel (struct case_spec)
    uint32_t beyond;  // bit i: the function gets size i too large (struct case_spec),
    bool barely;      // but an unsigned int still holds it
    bool most;        // no, it is large and allowed: 2^30, or 2^17 if barely is set
    bool nan;         // calls go through the part's nan_call (struct case_spec)
    size_t dims;
    size_t dim[MAX_DIMS];
    size_t tensors;
    struct tensor tensor[MAX_TENSORS];
    lab_status expected_status;
    enum progress progress; // of the student's call
    int got_status;
    // contents of outputs and workspaces before the call that produced got
    enum contents contents;
    uint32_t repeats; // bit c: the call is made again on contents c
    int repeat_status[CONTENTS];
    struct failing_call failing; // a call that fails in it, if any
    uint32_t failing_line;       // its line, according to the worker; 0 if unknown
    uint64_t drawn_from;         // seed of the case's own generator,
    size_t sizes_drawn;          // and the number of sizes drawn before the inputs
    const struct oracle *oracle; // source of the expected results
    const struct bank *bank;     // in the student archive: the bank
    size_t row;                  // and the row in it
    size_t property; // 1 + index of the property this case belongs to, 0 for none
    bool second;     // the second case of a property, which follows the first one
};

struct case_list {
    struct test_case *cases;
    size_t count;
    bool cut; // without the calls from the one in which the program ended
    const struct oracle *oracle;
    struct bank *bank; // of the student archive's oracle
    char *kept;        // how the paths of its kept results begin (kept.h), or NULL
};

// Marks a case in which NaN may be right. Call it after case_make_tensors.
void case_allow_nan(struct test_case *test);

// Creates the tensors of a case with known sizes and draws the inputs.
void case_make_tensors(struct test_case *test, struct lab_rng *rng);

// The number of elements in all of its tensors.
size_t case_elements(const struct test_case *test);

// Its two steps: the shapes alone, and then the memory and the inputs. Without rng, the inputs hold poison until a
// fill sets them.
void case_shape_tensors(struct test_case *test);
void case_fill_tensors(struct test_case *test, struct lab_rng *rng);

// Draw an F32 input again from drawn_from: as case_coarse, case_even and case_small (exercise.h) do.
void case_draw_coarse(struct test_case *test, size_t tensor);
void case_draw_even(struct test_case *test, size_t tensor);
void case_draw_small(struct test_case *test, size_t tensor);

// Copies the inputs of a case with the same sizes, and which of them are absent.
void case_copy_inputs(struct test_case *to, const struct test_case *from);

// Frees what case_make_tensors and the judge have stored in the tensors.
void case_free(struct test_case *test);

// Fills a tensor for a call: with its initial numbers, or with the case's contents.
void case_fill(const struct test_case *test, const struct tensor *tensor, void *memory);

// Calls f on a case. Outputs go to new memory, filled by case_fill and returned in output[]
// (one per tensor, NULL for inputs). Free them with case_free_outputs.
lab_status case_call(const struct test_case *test, adaptor *call, any_function f,
                     void *output[MAX_TENSORS]);
void case_free_outputs(void *output[MAX_TENSORS]);

// Returns true if the function may write this tensor.
bool tensor_is_written(const struct tensor *tensor);

// Returns true if this tensor is compared with expected values.
bool tensor_is_judged(const struct tensor *tensor);

// Returns true if known mistakes are called in this case.
bool case_is_asked(const struct test_case *test);

#endif
