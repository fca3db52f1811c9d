// grade.h - one run of the grader: what was asked, what came out.
//
//   grade_run      chooses the exercises; run.c compiles and judges them (build.c, judge.c),
//   struct result  is then printed by grader/report.

#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include "exercises/exercise.h"
#include "judge/rubric.h"

enum exit_code {
    EXIT_PASS = 0,   // every exercise asked for passes
    EXIT_FAIL = 1,   // some do not
    EXIT_USAGE = 2,  // the command line, or what it names, makes no sense
    EXIT_GRADER = 3, // the grader itself failed; no verdict may be drawn from this run
};

enum verdict {
    PASS,
    WRONG,
    TODO,
    CRASH,
    TIMEOUT,
    MEMORY,
    NOCOMPILE,
    GRADER_ERROR,
    NOT_RUN // there is nothing here to run it on
};

// "pass", "wrong", "todo", "crash", "timeout", "memory", "nocompile",
// "grader_error", "not_run".
const char *verdict_name(enum verdict verdict);

// Where a student's code runs: as it is; a .cu file on the CPU, with every access checked
// (docs/gpu.md); a .cu file on a CUDA device.
enum backend { CPU, GPU_SIMULATED, GPU_DEVICE };

// "cpu", "gpu-simulated", "gpu-device".
const char *backend_name(enum backend backend);

// An exercise that builds on failing ones of its lab: is it judged once more, with the workbook's
// own versions in their place (follow.c)?
enum follow {
    FOLLOW_FAILING,
    FOLLOW_ALL,
    FOLLOW_NONE
}; // those that fail; and those that
    // are "todo"; none

struct options {
    const char *source;   // a tree with NN_name/file in it: "labs"
    const char *root;     // where the workbook lies: labs/, grader/, build/
    int lab;              // 0: all of the tree
    const char *exercise; // "1.3", or NULL
    bool no_cpu;          // leave out the CPU side
    enum backend gpu;     // judge the GPU side, too, on this; CPU: leave it out
    bool warnings;        // show all that the compiler warns of
    bool profile;         // count what kernels do to memory, on the simulated GPU
    bool no_device;       // the device was wanted, and this is what there is instead
    uint64_t seed;
    int hint; // hints up to this level are shown with a failure
    enum follow follow;
    size_t jobs;      // things done at a time, 0: one per processor
    double seconds;   // 0: as the points table says; tests shorten it
    const char *dump; // write the tensors of the shown call to this file, or NULL
    // Strangers' code: compiled and run in a box (sandbox/box.h), and only the files of the
    // contract are taken from the tree. Where no box can be had, nothing is judged.
    bool untrusted;
    // Strangers' code, in a box or not: where the workbook's own functions stand in, nothing is told
    // that it can have chosen (withhold.c).
    bool strangers;
    // A file that was too much for the compiler in an earlier run on the same hand-in, "01_name/file.c",
    // or NULL: then nothing is compiled.
    const char *hung;
    // Of hidden cases: what came out on those that are shown, or NULL. What does not pass there is
    // not judged again.
    const struct grading *shown;
};

struct drawn; // judge.h
struct grading;

struct result {
    const struct lab_place *place;
    const struct exercise *exercise;
    const struct rule *rule;
    enum backend backend;
    bool chosen;   // judged: asked for, or something asked for builds on it
    bool asked;    // by the options
    bool absent;   // its lab's files are not in the tree
    bool followed; // judged on the workbook's own versions of what it builds on
    bool traced;   // its failure follows from that of another exercise
    bool hidden;   // it passes on the cases that are shown, and not on the hidden ones
    bool
        put_off; // it was not run on the student's own, for what it uses does not come back
    bool given; // its verdict is that on the cases that are shown
    enum verdict verdict;
    const char *diagnosis; // id of the mistake recognised, or NULL
    struct drawn *drawn;   // its cases, until it is judged
    char *note;     // what it was judged on, when not all was the student's, or NULL
    char *headline; // one line on what is wrong, "" for a pass
    char *details;  // the case, expected and got, where to read; "" for a pass
    char *printed;  // what the student's code printed, as it came; "" for nothing
    size_t printed_size;
    size_t printed_lines; // how many lines that was;
    bool printed_later;   // with those of later calls, where not all was kept
    char *profile;        // what the simulated GPU counted, or NULL
    char *call; // the call that details speak of, as JSON (report/call.h), or NULL
};

// What the compiler warns of in a file that compiled.
struct warnings {
    const struct lab_place *place;
    char *text;
};

struct grading {
    struct options options;
    struct rubric *rubric;
    struct result *results;
    size_t count;
    struct warnings *warnings;
    size_t warning_count;
    char *hung; // the file that the compiler did not come to an end with, or NULL
    size_t
        unseen; // .cu files that a stranger handed in, of the labs asked for, when no GPU was
    double seconds;
};

// Judges everything that the options ask for. Problems of the options are reported on stderr
// and end in EXIT_USAGE, our own in EXIT_GRADER: both by not returning.
struct grading grade_run(const struct options *options);
// Judges what passes once more, on the cases of a seed that nobody is told. What does not hold
// there is WRONG, and no more is kept of it than that.
void grade_hidden(struct grading *grading, uint64_t seed);
void grade_free(struct grading *grading);

// Chooses what the chosen ones build on as well; drops what is not chosen.
void grade_choose_used(struct grading *grading);
void grade_drop_others(struct grading *grading);

enum exit_code grade_exit_code(const struct grading *grading);
double result_score(const struct result *result);

// The result of an exercise on the CPU, or of its GPU variant; NULL when it was not judged.
const struct result *grade_find(const struct grading *grading, const char *exercise);
const struct result *grade_find_on(const struct grading *grading, const char *exercise,
                                   bool gpu);

// Has this exercise a GPU variant?
bool has_gpu_variant(const struct lab_place *place, const struct exercise *exercise);

// Frees what a result holds.
void result_clear(struct result *result);

// "3.3 masked_softmax", or "3.3 masked_softmax (gpu)". Caller frees.
char *result_title(const struct result *result);

// The lab and exercise of an id like "1.3"; false when there is none.
bool find_exercise(const char *id, const struct lab_place **place,
                   const struct exercise **exercise);

#endif
