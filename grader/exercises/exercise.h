// exercise.h - how an exercise is described to the grader.
//
// grader/exercises/labNN.c says how the functions of a lab are called, and a file for each
// exercise, grader/exercises/NN/MM_x.c, all else that the grader knows of it:
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
// The student archive (make release) has one file for a lab, labNN.c: what stands there above "#ifndef
// WORKER", what stands in NN/ between "// BEGIN HANDED OUT" and "// END HANDED OUT" (the code of
// properties), and the tables without cases and functions, whose numbers come from a bank
// (bank/bank.h).
//
// Start reading at struct exercise; grader/exercises/01/01_matmul.c is the example.

#ifndef GRADER_EXERCISE_H
#define GRADER_EXERCISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "worker/entry.h"

// The tables below say what there is; a field that is left out is 0.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum {
    MAX_USES = 8, // exercises that one exercise builds on
    HINT_LEVELS = 3,
};

// ---- the judge's side ---------------------------------------------------------------------

#ifndef WORKER

// A WORKSPACE is writable and never judged. An UPDATED tensor is an output that starts from
// given numbers, as a gradient that is added to: fill reaches it as it does an input.
enum role { INPUT, OUTPUT, WORKSPACE, UPDATED };
enum type { F32, U8, SIZE }; // float, uint8_t, size_t

struct tensor_spec {
    const char *name;  // as in the header: "scores"
    const char *shape; // names of sizes, "B T S"; a number in front multiplies: "B T 3C"
    enum role role;
    enum type type;
    // of an F32 OUTPUT or UPDATED: |got - expected| <= atol + rtol * |expected|
    float atol, rtol;
};

struct test_case; // one call: sizes and tensors (cases/case.h)
struct lab_rng;   // PyTorch's generator (labs/common/rng.h)

// The cases to draw. dims is "T=5 S=7 d=3"; "T=2..6" draws a size. Inputs are unit normals
// (F32) and coin flips (U8) unless fill changes them; a SIZE tensor needs a fill.
struct case_spec {
    const char *dims;
    int draws;        // how many cases of this kind; 0 means 1
    const char *note; // shown with a failure: "large logits"
    void (*fill)(struct test_case *test, struct lab_rng *rng);
    bool cpu_only; // too much work for a simulated GPU, or not for a GPU at all
    bool gpu_only; // a size that only a grid of blocks can stumble over
    float unit;    // absolute tolerances are for outputs near 1; here they are times this
    bool exact;    // nothing rounds here, in whatever order: no tolerance at all
    bool apart;    // comes last: a known mistake leaves its arguments here, and crashes
};

// Two cases whose outputs must be related: second starts as a copy of first. What comes out
// of equal inputs is equal bit for bit, so a claim can be that strict where right answers are.
struct property {
    const char *id;
    const char *claim; // "changing token t+1 leaves outputs up to t as they were"
    const char *dims;
    void (*change)(struct test_case *second, struct lab_rng *rng);
    // Writes one line to why and returns false when the claim does not hold.
    // HOLDS(function) sets it, and what it is called: the student archive has the function, too.
    bool (*holds)(const struct test_case *first, const struct test_case *second,
                  char *why, size_t why_size);
    void (*fill)(struct test_case *first, struct lab_rng *rng); // or NULL: unit normals
    const char *holds_name;
};
#define HOLDS(function) .holds = (function), .holds_name = #function

// A wrong function with the same signature. When a student's outputs equal its outputs on
// every case, the judge says so.
struct mistake {
    const char *id;     // "no-scale"
    const char *what;   // "the scores are not divided by sqrt(d)"
    const char *why;    // one or two sentences: why that is wrong, what to do
    const char *source; // where it has been seen: "PAIR-code/tiny-transformers#71"
    any_function function;
    bool convention; // true: "differs from this lab's definition", not "wrong"
};

// What a mistake's function returns where the mistake would leave its arguments, which the
// function itself must not do. It then agrees with whoever crashes, or goes on with anything.
#define LEAVES_ARGUMENTS ((lab_status)(-1000))

// LIKE(matmul, f) checks that f has matmul's type.
#define LIKE(name, f) ((any_function)(1 ? (f) : (name)))

// One function of an exercise, and how it is judged. Arrays end with a zero entry.
struct part {
    const char *function; // the name of its struct entry
    const char *dims;     // "T S d", in the order of the adaptor's n[]
    struct tensor_spec tensors[MAX_TENSORS];
    const struct case_spec *cases;
    const struct property *properties; // or NULL
    const struct mistake *mistakes;
    // other right ways; tests hold they pass with ease
    const struct mistake *alternatives;
    // its steps and what each is computed from (judge/stages.c), or NULL
    const char *stages;
    // of the student archive, which has neither cases nor functions: the file with the numbers of both
    // (bank/bank.h)
    const char *bank;
};

struct exercise {
    const char *id;                     // "1.3"
    const char *name;                   // "attention_scores"
    const char *section;                // heading of the handout to read: "Scores"
    const char *uses[MAX_USES];         // exercises it builds on: {"1.2", "1.3"}
    const char *gpu_uses[MAX_USES];     // those of its GPU variant; none means: the same
    const char *hints[HINT_LEVELS];     // nudge, formula, almost code
    const char *gpu_hints[HINT_LEVELS]; // the same for the GPU variant, if there is one
    const struct part *parts;
};

// What one side of an exercise builds on; ends with NULL when there are fewer than MAX_USES.
static inline const char *const *exercise_uses(const struct exercise *exercise, bool gpu)
{
    return gpu && exercise->gpu_uses[0] != NULL ? exercise->gpu_uses : exercise->uses;
}

struct lab {
    const char *title;                       // "Simple attention"
    const struct exercise *const *exercises; // ends with NULL
    uint64_t bank_seed; // of the student archive: the one seed that it knows the cases of
};

// The exercises of a lab's own folder: NN/MM_x.c defines exercise_N_M, and list_labs.sh lists them
// by the names of the files (build/gen/exercisesNN.c).
extern const struct exercise *const lab_exercises[];

// Where a lab lives, listed from the folders by grader/tools/list_labs.sh: nothing to edit.
// Its CPU side and its GPU side are two places with the same number, folder, lab and entries.
struct lab_place {
    int number;
    bool gpu;               // sources are .cu files; only GPU_ENTRYs are asked of them
    const char *folder;     // "01_simple_attention"
    const char *sources[8]; // files to edit: {"attention.c"}
    const char *uses[8];    // folders whose functions this lab calls: {"02_batching"}
    const struct lab *lab;  // lab_01, defined by exercises/lab01.c
    const struct entry *entries; // its lab_entries
};

extern const struct lab_place lab_places[]; // ends with {0}
extern const struct lab_place gpu_places[]; // of the labs with a GPU side; ends with {0}

// ---- for fill, change and holds (cases/case.c) --------------------------------------------

size_t case_dim(const struct test_case *test, const char *name);     // "T"
size_t case_count(const struct test_case *test, const char *tensor); // number of elements
float *case_f32(struct test_case *test, const char *tensor);         // an input
uint8_t *case_u8(struct test_case *test, const char *tensor);        // an input
size_t *case_size(struct test_case *test, const char *tensor);       // an input
void case_absent(struct test_case *test, const char *tensor);        // pass NULL
const void *case_input(const struct test_case *test, const char *tensor); // of any type
const float *case_got(const struct test_case *test, const char *tensor);  // what came out

#endif
#endif
