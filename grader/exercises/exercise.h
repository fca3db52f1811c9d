// exercise.h - how an exercise is described to the grader.
//
// grader/exercises/labNN.c describes how to call a lab's functions. Everything else that
// the grader knows about an exercise is in grader/exercises/NN/MM_x.c:
//
//   labNN.c  with -DWORKER   linked with the STUDENT's objects into build/worker/labNN: only the
//                            adaptors, no reference, no mistake.
//            and -DGPU       the same for the student's .cu files: GPU_ADAPTOR(softmax_rows, ...)
//                            then calls softmax_rows_gpu with device pointers and a stream.
//   labNN.c and NN/*.c       linked with the SOLUTION's objects into build/grade: cases,
//                            tolerances, hints and mistakes, all in the judge's own process.
//                            They hold for the GPU variant too: what is right does not depend
//                            on where it is computed.
//
//        seed ──> cases ──┬─> call(solution) ──> expected ─┐
//                         │                                ├─> compare ─> verdict
//                         ├─> [worker: call(student)] ─> got
//                         └─> call(mistake) ──> "you forgot 1/sqrt(d)"
//
// The student archive (make release) has only one file per lab, labNN.c. It contains the
// part of labNN.c above "#ifndef WORKER", the code for properties in NN/ between "// BEGIN
// HANDED OUT" and "// END HANDED OUT", and the tables without cases and functions, whose
// numbers are in a bank (bank/bank.h).
//
// Start reading at struct exercise; grader/exercises/01/01_matmul.c is the example.

#ifndef GRADER_EXERCISE_H
#define GRADER_EXERCISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "worker/entry.h"

// Omitted fields of the tables below are 0.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum {
    MAX_USES = 12, // maximum number of exercises that an exercise builds on
    HINT_LEVELS = 3,
};

// ---- the judge's side ---------------------------------------------------------------------

#ifndef WORKER

// A WORKSPACE is writable and never judged. An UPDATED tensor is an output with initial
// contents, such as a gradient that is added to; fill sets it like an input. A WITHHELD tensor is
// no argument: fill sets it, and only a property reads it. The worker never gets it, so it may hold
// what the function is to compute. It comes last.
enum role { INPUT, OUTPUT, WORKSPACE, UPDATED, WITHHELD };
// float, uint8_t, int8_t, size_t, ptrdiff_t
enum type { F32, U8, I8, SIZE, DIFFERENCE };

struct tensor_spec {
    const char *name;  // name in the lab's header: "scores"
    const char *shape; // names of sizes, "B T S"; also "B T 3C" and "B NH T C/NH"
    enum role role;
    enum type type;
    // for an F32 OUTPUT or UPDATED: |got - expected| <= atol + rtol * |expected|
    float atol, rtol;
};

// The name of an output in which some cases of a function receive its status, so that the other
// outputs are judged even if it fails. The adaptor then returns LAB_OK.
#define RETURNED_STATUS "returned status"

struct test_case; // one call: sizes and tensors (cases/case.h)
struct lab_rng;   // PyTorch's generator (labs/common/rng.h)

// The cases to draw. dims is "T=5 S=7 d=3"; "T=2..6" draws a random size. Inputs are unit
// normals (F32), random bits (U8) or numbers from -127 to 127 (I8) unless fill changes them; a
// SIZE or DIFFERENCE tensor needs a fill.
struct case_spec {
    const char *dims;
    int draws;        // number of cases of this kind; 0 means 1
    const char *note; // shown with a failure: "large logits"
    void (*fill)(struct test_case *test, struct lab_rng *rng);
    bool cpu_only; // too slow for a simulated GPU, or not for a GPU at all
    bool gpu_only; // a size that can only reveal mistakes in a GPU grid
    // with gpu_only: too many threads to simulate. A simulated GPU checks the launches and runs
    // some of the blocks (gpu/runtime/sample.cc); what they write is judged. A device runs everything.
    // F32 inputs are quarters, as case_coarse draws them.
    bool launch_only;
    // with both, or with cpu_only: sizes that the function gets too large ("M", or "B T"), so that it must return
    // LAB_ESHAPE. Each such case is two calls (cases/sizes.c): one far beyond an int, one that an
    // unsigned int still holds. Of several sizes only the product is too large.
    const char *beyond;
    // with gpu_only and launch_only: a size that the function gets larger than the tensors have, but that is
    // allowed, so that it must return LAB_OK: 2^30, or 2^17 if it counts sequences or heads, over which a
    // launcher may loop. No kernel runs, and no value is judged. A device makes no such call.
    const char *most;
    bool over_calls; // 2^17
    // factor on the absolute tolerances, which are meant for outputs near 1
    float unit;
    bool exact; // all results are exact in any order: no tolerance
    bool apart; // comes last: a known mistake goes out of bounds here, or is too slow
    // for the CPU alone: sizes that can only reveal a call that takes too much memory (.heap_kilobytes), or code
    // that is right up to some size. The student's results are judged, but known mistakes are not called. If a call
    // before it is wrong, that one is explained, even if this one does not return in time.
    bool memory_only;
    bool
        all_set; // fill sets every input: none is drawn before, which takes longer than a large call
    // The contract requires NaN in some outputs, where the solution or the part's nan_call gives it.
    // In all other cases NaN is wrong. Where the CPU's function returns an error instead, set it with gpu_only.
    bool nan;
};

// A call of a launcher with names ("M", or "B T") too large, said as in the note ("M", "B * T"): the
// beginning of a case, {TOO_LARGE("M=3 N=2", "M", "M")}.
#define TOO_LARGE(sizes, names, said)                                                    \
    .dims = (sizes), .beyond = (names), .note = said " does not fit an int",             \
    .gpu_only = true, .launch_only = true

// A call of a launcher with size `name` at 2^30: does a grid end before, along y or z? Does a row of this length
// have to fit into shared memory?
#define MOST(sizes, name)                                                                \
    .dims = (sizes), .most = (name), .note = "a very large " name, .gpu_only = true,     \
    .launch_only = true, .apart = true

// The same with 2^17 sequences or heads.
#define MOST_CALLS(sizes, name)                                                          \
    .dims = (sizes), .most = (name), .over_calls = true, .note = "a very large " name,   \
    .gpu_only = true, .launch_only = true, .apart = true

// As TOO_LARGE for a function of the CPU that passes its sizes to BLAS.
#define TOO_LARGE_FOR_BLAS(sizes, names, said)                                           \
    .dims = (sizes), .beyond = (names), .note = said " does not fit an int",             \
    .cpu_only = true

// Two cases with related outputs. second starts as a copy of first. Equal inputs give equal
// bits, so a claim may be that strict.
struct property {
    const char *id;
    const char *claim; // "changing token t+1 leaves outputs up to t as they were"
    const char *dims;
    void (*change)(struct test_case *second, struct lab_rng *rng);
    // Returns false and writes one line to why if the claim does not hold. Set it with
    // HOLDS(function), which also stores the name, because the student archive contains the
    // function, too.
    bool (*holds)(const struct test_case *first, const struct test_case *second,
                  char *why, size_t why_size);
    void (*fill)(struct test_case *first, struct lab_rng *rng); // or NULL: unit normals
    const char *holds_name;
};
#define HOLDS(function) .holds = (function), .holds_name = #function

// Calls f on arguments and sizes as an adaptor does, but with valid values in place of those that
// f rejects. Then sets the outputs that must be NaN.
typedef lab_status nan_call(adaptor *call, any_function f, void *const *t,
                            const size_t *n);

// A wrong function with the same signature. If a student's outputs equal its outputs on
// every case, the report names this mistake.
struct mistake {
    const char *id;     // "no-scale"
    const char *what;   // "the scores are not divided by sqrt(d)"
    const char *why;    // one or two sentences: why it is wrong and how to fix it
    const char *source; // where it occurred: "PAIR-code/tiny-transformers#71"
    any_function function;
    bool convention; // true: "differs from this lab's definition", not "wrong"
    bool gpu;        // made by the threads of a kernel: never named on the CPU side
};

// A mistake's function returns this for a call in which the mistake would go out of bounds,
// because the function itself must not do so. In that call the mistake counts as matching
// whatever the student's code does, even a crash.
#define LEAVES_ARGUMENTS ((lab_status)(-1000))

// LIKE(matmul, f) checks that f has matmul's type.
#define LIKE(name, f) ((any_function)(1 ? (f) : (name)))

// One function of an exercise, and how it is judged. Arrays end with a zero entry.
struct part {
    const char *function; // the name of its struct entry
    const char *dims;     // "T S d", in the order of the adaptor's n[]
    const char *cpu_dims; // those that are no arguments on the GPU side: "Br Bc", or NULL
    struct tensor_spec tensors[MAX_TENSORS];
    const struct case_spec *cases;
    const struct property *properties; // or NULL
    const struct mistake *mistakes;
    // alternatives: other right functions, which must pass by a wide margin
    const struct mistake *alternatives;
    // its steps and the inputs of each (judge/stages.c), or NULL
    const char *stages;
    nan_call *nan_call; // for the cases with .nan; NULL: they are called as any other
    // The contract says: if a function that it calls fails, it returns that function's status. Otherwise
    // any error will do (judge/callees.c).
    bool passes_status_on;
    // in the student archive, which has neither cases nor functions: the name of their bank
    // (bank/bank.h)
    const char *bank;
};

struct exercise {
    const char *id;          // "1.3"
    const char *name;        // "attention_scores"
    const char *section;     // heading of the handout to read: "1.3 Scores"
    const char *gpu_section; // and of GPU.md; NULL: all of it
    const char *before; // an earlier exercise that the handout puts after it, or NULL
    const char *uses[MAX_USES];         // exercises it builds on: {"1.2", "1.3"}
    const char *gpu_uses[MAX_USES];     // the same for its GPU variant, if different
    const char *hints[HINT_LEVELS];     // nudge, formula, almost code
    const char *gpu_hints[HINT_LEVELS]; // hints for the GPU variant, if there is one
    const struct part *parts;
    // for an exercise that is about memory: most kilobytes that a call on the CPU may hold from malloc
    // at a time, and the reason, which ends a sentence in the report. 0: what points.txt allows
    size_t heap_kilobytes;
    const char *heap_reason;
};

// The exercises that one side of an exercise builds on; ends with NULL if fewer than
// MAX_USES.
static inline const char *const *exercise_uses(const struct exercise *exercise, bool gpu)
{
    return gpu && exercise->gpu_uses[0] != NULL ? exercise->gpu_uses : exercise->uses;
}

struct lab {
    const char *title;                       // "Simple attention"
    const struct exercise *const *exercises; // ends with NULL
    uint64_t bank_seed; // in the student archive: the seed of its cases
};

// The exercises of a lab. NN/MM_x.c defines exercise_N_M, and list_labs.sh lists them in
// the order of the file names (build/gen/exercisesNN.c).
extern const struct exercise *const lab_exercises[];

// The files of a lab. grader/tools/list_labs.sh generates the list from the folders. The
// CPU side and the GPU side of a lab are two places with the same number, folder, lab and
// entries.
struct lab_place {
    int number;
    bool gpu;                // sources are .cu files, which contain only the GPU_ENTRYs
    const char *folder;      // "01_simple_attention"
    const char *sources[16]; // files to edit: {"attention.c"}
    const char *uses[16];    // folders whose functions this lab calls: {"02_batching"}
    const struct lab *lab;   // lab_01, defined by exercises/lab01.c
    const struct entry *entries; // its lab_entries
};

extern const struct lab_place lab_places[]; // ends with {0}
extern const struct lab_place gpu_places[]; // the labs with a GPU side; ends with {0}

// ---- for fill, change and holds (cases/fill.c) --------------------------------------------

size_t case_dim(const struct test_case *test, const char *name);     // "T"
size_t case_count(const struct test_case *test, const char *tensor); // number of elements
bool case_has(const struct test_case *test, const char *tensor);     // is there one?
float *case_f32(struct test_case *test, const char *tensor);         // an input
uint8_t *case_u8(struct test_case *test, const char *tensor);        // an input
int8_t *case_i8(struct test_case *test, const char *tensor);         // an input
size_t *case_size(struct test_case *test, const char *tensor);       // an input
ptrdiff_t *case_difference(struct test_case *test, const char *tensor); // an input

// These three draw an F32 input again: normals in quarters; evenly from 0 to 1 in steps of 1/4096;
// -2, -1, 1 and 2. All compute with whole numbers, so every machine draws the same numbers, and the
// student archive does not store them. Use them in large cases, and do not change the numbers
// afterwards.
void case_coarse(struct test_case *test, const char *tensor);
void case_even(struct test_case *test, const char *tensor);
void case_small(struct test_case *test, const char *tensor);

// passes NULL for this tensor
void case_absent(struct test_case *test, const char *tensor);
const void *case_input(const struct test_case *test, const char *tensor); // of any type
// the student's results, of the tensor's type
const void *case_got(const struct test_case *test, const char *tensor);

#endif
#endif
