// main.c - measures what each step from a plain solution to its fast twin gains (make bench).
//
//     build/bench/ladder                             all tables
//     build/bench/ladder 05_transformer_block/block.c    the tables of one fast twin
//     build/bench/ladder --list                      the twins
//     build/bench/ladder --check                     checks that all steps compute the same
//
// make bench DOCS=1 writes each twin's tables into its header comment (grader/tools/bench.sh).
//
// Start reading at measure.

#define _GNU_SOURCE
#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "bench/ladder/ladder.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/sizes.h"
#include "cases/tables.h"
#include "common/blas_core.h"
#include "common/timer.h"

static const struct twin {
    const char *file;
    const struct ladder *ladders;
} twins[] = {
    {"02_batching/batching.c", ladders_batching},
    {"03_causal_mask/causal.c", ladders_causal},
    {"04_multi_head/heads.c", ladders_heads},
    {"05_transformer_block/block.c", ladders_block},
    {"06_copy_task/gradients.c", ladders_gradients},
    {"06_copy_task/loss.c", ladders_loss},
    {"06_copy_task/optimizer.c", ladders_optimizer},
    {"08_language_model/layers.c", ladders_layers},
    {"08_language_model/model.c", ladders_language},
    {"09_generation/cache.c", ladders_cache},
    {"09_generation/model.c", ladders_generation},
    {"09_generation/int8.c", ladders_int8},
    {"10_flash_attention/partial.c", ladders_partial},
    {"10_flash_attention/flash.c", ladders_flash},
    {"10_flash_attention/backward.c", ladders_flash_backward},
    {"10_flash_attention/decode.c", ladders_flash_decode},
    {"11_reading_attention/bert.c", ladders_bert},
};
enum { TWINS = sizeof twins / sizeof twins[0], TURNS_TIMED = 31 };

// Approximate duration of one turn: much longer than reading the clock.
static const double TURN_SECONDS = 0.001;

// ---- one call -----------------------------------------------------------------------------

struct call {
    const struct entry *entry; // of the plain solution
    struct case_list cases;    // one
};

static void find(struct call *call, struct part *part, const struct ladder *ladder)
{
    const struct lab_place *place = lab_places;
    for (; place->folder != NULL && place->number != ladder->lab; place++) {
    }
    const struct exercise *const *each =
        place->folder != NULL ? place->lab->exercises : (const struct exercise *[]){NULL};
    for (; *each != NULL; each++) {
        for (const struct part *p = (*each)->parts; p->function != NULL; p++) {
            if (strcmp(p->function, ladder->function) == 0) {
                *part = *p;
                call->entry = part_entry(place, p);
                return;
            }
        }
    }
    grader_fail("ladder: lab %d has no function %s", ladder->lab, ladder->function);
}

static any_function function_of(const struct call *call, const struct step *step)
{
    return step->function != NULL ? step->function : call->entry->function;
}

// Checks that a step agrees with the first one within the exercise's tolerance.
static void check(const struct call *call, const struct ladder *ladder)
{
    const struct test_case *test = &call->cases.cases[0];
    for (const struct step *step = ladder->steps; step->what != NULL; step++) {
        void *output[MAX_TENSORS];
        lab_status status =
            case_call(test, call->entry->call, function_of(call, step), output);
        double gap = status == LAB_OK ? distance(test, status, output, NULL) : INFINITY;
        case_free_outputs(output);
        if (!(gap <= 1)) {
            grader_fail("ladder: %s, \"%s\": %g tolerances from the plain solution",
                        ladder->function, step->what, gap);
        }
    }
}

// ---- time ---------------------------------------------------------------------------------

// Arguments that the steps use one after another.
static void set_up(const struct test_case *test, void *argument[MAX_TENSORS],
                   void *output[MAX_TENSORS])
{
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        output[i] = NULL;
        if (tensor_is_written(tensor)) {
            output[i] = grader_alloc(tensor->count * tensor->element_size);
            case_fill(test, tensor, output[i]);
        }
        argument[i] = tensor->absent      ? NULL
                      : output[i] != NULL ? output[i]
                                          : tensor->data;
    }
}

// Processor time, which is less affected by other programs than real time.
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_calls(const struct call *call, any_function function,
                         void *const argument[MAX_TENSORS], size_t calls)
{
    const struct test_case *test = &call->cases.cases[0];
    const double start = seconds();
    for (size_t i = 0; i < calls; i++) {
        call->entry->call(function, argument, test->dim);
    }
    return (seconds() - start) / (double)calls;
}

// Medians of alternating steps, so that a busy moment of the machine affects all of them.
static void time_steps(double median[MOST_STEPS], const struct call *call,
                       const struct ladder *ladder)
{
    static double sample[MOST_STEPS][TURNS_TIMED];
    size_t calls[MOST_STEPS] = {0};
    void *argument[MAX_TENSORS] = {NULL}, *output[MAX_TENSORS] = {NULL};
    set_up(&call->cases.cases[0], argument, output);
    for (int turn = -1; turn < TURNS_TIMED; turn++) { // the first one only warms up
        for (size_t s = 0; ladder->steps[s].what != NULL; s++) {
            any_function function = function_of(call, &ladder->steps[s]);
            if (turn < 0) {
                const double once = time_calls(call, function, argument, 1);
                calls[s] = once < TURN_SECONDS ? (size_t)(TURN_SECONDS / once) : 1;
                continue;
            }
            sample[s][turn] = time_calls(call, function, argument, calls[s]);
        }
    }
    for (size_t s = 0; ladder->steps[s].what != NULL; s++) {
        median[s] = lab_median(sample[s], TURNS_TIMED);
    }
    case_free_outputs(output);
}

static void measure(const struct ladder *ladder, bool only_check)
{
    struct part part = {0};
    struct call call = {NULL, {NULL, 0, false, NULL}};
    double median[MOST_STEPS] = {0};
    char sizes[128];
    find(&call, &part, ladder);
    call.cases = cases_of(&part, &ladder->sizes, 1);
    cases_expect(&call.cases, call.entry);
    check(&call, ladder);
    if (!only_check) {
        time_steps(median, &call, ladder);
        case_describe(&call.cases.cases[0], sizes, sizeof sizes);
        printf("\n%s, %s\n", ladder->function, sizes);
        for (size_t s = 0; ladder->steps[s].what != NULL; s++) {
            printf("    %-54s %10.1f us %6.2f\n", ladder->steps[s].what, 1e6 * median[s],
                   median[0] / median[s]);
        }
    }
    cases_free(&call.cases);
}

// ---- the program --------------------------------------------------------------------------

static void print_settings(void)
{
    char line[256], processor[128] = "unknown processor";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "model name : %127[^\n]", processor) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
#ifdef __clang__
    const char *compiler = "clang";
#else
    const char *compiler = "gcc";
#endif
    printf("%s; %s %d.%d; OpenBLAS core %s; 1 thread\n", processor, compiler,
#ifdef __clang__
           __clang_major__, __clang_minor__,
#else
           __GNUC__, __GNUC_MINOR__,
#endif
           openblas_get_corename());
    printf("processor time, median of %d turns; then the speed relative to line 1\n",
           TURNS_TIMED);
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    const char *wanted = argc == 2 ? argv[1] : NULL;
    bool only_check = wanted != NULL && strcmp(wanted, "--check") == 0;
    bool list = wanted != NULL && strcmp(wanted, "--list") == 0, found = false;
    openblas_set_num_threads(1);
    if (!only_check && !list) {
        print_settings();
    }
    for (size_t i = 0; i < TWINS; i++) {
        if (list) {
            puts(twins[i].file);
        } else if (wanted == NULL || only_check || strcmp(wanted, twins[i].file) == 0) {
            for (const struct ladder *l = twins[i].ladders; l->function != NULL; l++) {
                measure(l, only_check);
            }
        } else {
            continue;
        }
        found = true;
    }
    if (argc > 2 || !found) {
        fprintf(stderr, "usage: ladder [--list | --check | FILE of solutions/fast]\n");
        return 2;
    }
    return 0;
}
