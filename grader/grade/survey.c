// survey.c - measures margins over many seeds: does any seed draw a case that rejects an
// alternative or accepts a mistake? Start reading at margins_survey.
//
//   seeds 1, 3, 5 ... ── process ──┐
//   seeds 2, 4, 6 ... ── process ──┴─> rows in shared memory ──> the worst of each row
//
// The alternatives are those in the tables, and the solution compiled in two other ways
// (build/margins, built by make margins): like a student's file, and with fused
// multiply-adds. The grader's own copy would have distance 0. For the GPU side they are the
// solutions' kernels with fused multiply-adds (tools/kernels).

#define _GNU_SOURCE

#include "grade/survey.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "base/pool.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/sizes.h"
#include "cases/tables.h"
#include "common/plural.h"
#include "grade/margins.h"
#include "judge/options.h"

enum {
    MOST_ROWS = 4096,
    // Of a kernel's cases, those with more numbers are measured on one seed in so many, and so are those that
    // only limit memory.
    SMALL = 2048,
    FULL = 20,
};

// One function compared with the solution of a part, in the case in which it comes closest
// to its limit.
struct row {
    const struct exercise *exercise;
    const struct part *part;
    const struct entry *entry;
    const char *id;
    any_function function;
    bool wrong; // a mistake
    // for a kernel: how to call it, and its launcher
    const struct kernels *kernels;
    const struct entry *launcher;
    // in tolerances: the maximum for an alternative, the minimum for a mistake
    double gap;
    uint64_t seed;
    const char *tensor, *note; // in that case; tensor is NULL if the status differs
    char sizes[128];
    size_t refused; // number of seeds on which it violates its margin
};

struct rows {
    struct row row[MOST_ROWS];
    size_t count;
};

// ---- what is measured ---------------------------------------------------------------------

static const struct rebuilt {
    const char *folder, *id;
} rebuilt[] = {{"student", "solution, -Og"}, {"fused", "solution, fused"}};
enum { REBUILT = sizeof rebuilt / sizeof rebuilt[0] };

// Stays open, because its functions are called later.
static void *open_rebuilt(const char *root, size_t i, const struct lab_place *place)
{
    char *path = grader_print("%s/build/margins/%s/%02d.so", root, rebuilt[i].folder,
                              place->number);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        grader_fail("%s (make margins builds it)", dlerror());
    }
    free(path);
    return library;
}

static void add_row(struct rows *rows, const struct row *row)
{
    if (rows->count == MOST_ROWS) {
        grader_fail("there are more than %d mistakes and alternatives", (int)MOST_ROWS);
    }
    rows->row[rows->count] = *row;
    rows->row[rows->count].gap = row->wrong ? INFINITY : -1;
    rows->count++;
}

static void add_list(struct rows *rows, struct row row, const struct mistake *list)
{
    for (; list != NULL && list->id != NULL; list++) {
        row.id = list->id;
        row.function = list->function;
        add_row(rows, &row);
    }
}

static void add_solution(struct rows *rows, struct row row, void *const library[REBUILT])
{
    for (size_t i = 0; i < REBUILT; i++) {
        void *symbol = dlsym(library[i], row.entry->name);
        if (symbol == NULL) {
            grader_fail("%s (make margins builds it again)", dlerror());
        }
        row.id = rebuilt[i].id;
        memcpy(&row.function, &symbol, sizeof symbol);
        add_row(rows, &row);
    }
}

static void add_lab(struct rows *rows, const struct options *options,
                    const struct lab_place *place)
{
    void *library[REBUILT] = {NULL};
    const struct exercise *const *each = place->lab->exercises;
    for (; *each != NULL; each++) {
        const struct part *part = (*each)->parts;
        for (; part->function != NULL && margins_wanted(options, place, *each); part++) {
            struct row row = {
                .exercise = *each, .part = part, .entry = part_entry(place, part)};
            for (size_t i = 0; i < REBUILT && library[i] == NULL; i++) {
                library[i] = open_rebuilt(options->root, i, place);
            }
            add_solution(rows, row, library);
            add_list(rows, row, part->alternatives);
            row.wrong = true;
            add_list(rows, row, part->mistakes);
        }
    }
}

// Every launcher of the part, once for each way in which it was compiled.
static void add_launchers(struct rows *rows, struct row row,
                          const struct lab_place *place)
{
    const size_t before = rows->count;
    for (const struct built_lab *lab = row.kernels->labs; lab->entries != NULL; lab++) {
        if (lab->number == place->number) {
            row.id = lab->id;
            row.launcher = &lab->entries[row.entry - place->entries];
            add_row(rows, &row);
        }
    }
    if (rows->count == before) {
        grader_fail("the kernels of lab %d are not built", place->number);
    }
}

static void add_kernels(struct rows *rows, const struct options *options,
                        const struct lab_place *place, const struct kernels *kernels)
{
    const struct exercise *const *each = place->lab->exercises;
    for (; *each != NULL; each++) {
        const struct part *part = (*each)->parts;
        for (; part->function != NULL && margins_wanted(options, place, *each); part++) {
            struct row row = {.exercise = *each,
                              .part = part,
                              .entry = part_entry(place, part),
                              .kernels = kernels};
            if (row.entry->gpu) {
                add_launchers(rows, row, place);
            }
        }
    }
}

static struct rows *list_rows(const struct options *options,
                              const struct kernels *kernels)
{
    struct rows *rows = grader_alloc(sizeof *rows);
    rows->count = 0;
    const struct lab_place *place = kernels != NULL ? gpu_places : lab_places;
    for (; place->folder != NULL; place++) {
        if (kernels != NULL) {
            add_kernels(rows, options, place, kernels);
        } else {
            add_lab(rows, options, place);
        }
    }
    return rows;
}

// ---- measuring ----------------------------------------------------------------------------

struct place {
    const struct test_case *test;
    const struct tensor *tensor;
    double gap;
};

// Two calls alternate many times; one of each is enough here.
static bool seen_before(const struct case_list *cases, size_t c)
{
    return c >= 2 && cases->cases[c].again && cases->cases[c - 2].again;
}

static void measure_call(struct place *place, const struct test_case *test,
                         const struct row *row, enum contents contents)
{
    struct test_case call = *test;
    const struct tensor *tensor = NULL;
    void *output[MAX_TENSORS];
    call.contents = contents;
    lab_status status = row->kernels != NULL
                            ? row->kernels->call(&call, row->launcher, output)
                            : case_call(&call, row->entry->call, row->function, output);
    double gap = status == LEAVES_ARGUMENTS ? 0 : distance(test, status, output, &tensor);
    case_free_outputs(output);
    if (gap > place->gap) {
        *place = (struct place){test, tensor, gap};
    }
}

// The case in which f is farthest from the expected results. For a mistake, one far case is
// enough. Some mistakes show only with other contents of outputs or workspaces
// (contents.h).
static struct place farthest(const struct case_list *cases, const struct row *row)
{
    struct place place = {NULL, NULL, -1};
    for (size_t k = POISONED; k < (row->wrong ? CONTENTS : KEPT); k++) {
        for (size_t c = 0; c < cases->count; c++) {
            const struct test_case *test = &cases->cases[c];
            bool made = k == POISONED ? !seen_before(cases, c)
                                      : k != KEPT && (test->repeats >> k & 1) != 0;
            if (made && !(row->wrong && test->memory_only)) {
                measure_call(&place, test, row,
                             k == POISONED ? test->contents : (enum contents)k);
            }
            if (row->wrong && place.gap >= MISTAKE_MARGIN) {
                return place;
            }
        }
    }
    return place;
}

static void note_place(struct row *row, const struct place *place, uint64_t seed)
{
    bool kept =
        row->wrong ? place->gap >= MISTAKE_MARGIN : place->gap <= ALTERNATIVE_MARGIN;
    row->refused += !kept;
    if (place->test == NULL ||
        !(row->wrong ? place->gap < row->gap : place->gap > row->gap)) {
        return;
    }
    row->gap = place->gap;
    row->seed = seed;
    row->tensor = place->tensor != NULL ? place->tensor->spec->name : NULL;
    row->note = place->test->note;
    case_describe(place->test, row->sizes, sizeof row->sizes);
}

// Of a kernel's cases, large ones are measured on one seed in twenty, because a simulated GPU is slow; each
// has many random numbers. Where no kernel runs, there is nothing to measure. Those that only limit memory are the
// largest ones of a CPU's.
struct choice {
    bool kernels, all;
};

static bool is_measured(const struct test_case *test, const void *context)
{
    const struct choice *choice = context;
    if (!choice->kernels) {
        return !test->memory_only || choice->all;
    }
    return !test->launch_only && (choice->all || case_elements(test) <= SMALL);
}

// Puts the cases to measure first, in their order, and returns how many they are. Most others have not been drawn.
static size_t choose(struct case_list *cases, const struct choice *choice)
{
    struct test_case *chosen = grader_alloc(cases->count * sizeof *chosen);
    size_t count = 0, left = 0;
    for (size_t c = 0; c < cases->count; c++) {
        struct test_case *test = &cases->cases[c];
        chosen[is_measured(test, choice) ? count++ : cases->count - ++left] = *test;
    }
    memcpy(cases->cases, chosen, cases->count * sizeof *chosen);
    free(chosen);
    return count;
}

// index: the seed's place among those measured, from 0
static void measure_seed(struct rows *rows, uint64_t seed, uint64_t index)
{
    for (size_t i = 0; i < rows->count;) {
        const struct part *part = rows->row[i].part;
        const struct choice choice = {rows->row[i].kernels != NULL, index % FULL == 0};
        const struct case_filter filter = {is_measured, &choice};
        struct case_list drawn = cases_draw_some(part, seed, choice.kernels, &filter);
        struct case_list cases = drawn;
        cases.count = choose(&drawn, &choice);
        cases_expect(&cases, rows->row[i].entry);
        for (; i < rows->count && rows->row[i].part == part; i++) {
            struct place place = farthest(&cases, &rows->row[i]);
            note_place(&rows->row[i], &place, seed);
        }
        cases_free(&drawn);
    }
}

// ---- at the same time ---------------------------------------------------------------------

// The results of one process. Pointers in rows are valid in all processes, because they are
// forks.
struct share {
    struct rows rows;
    size_t done;
};

struct survey {
    uint64_t first, seeds;
    size_t jobs;
    struct share *share; // (jobs)
};

static size_t count_jobs(const struct options *options, uint64_t seeds)
{
    size_t jobs =
        options->jobs > 0 ? options->jobs : (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    jobs = jobs < MOST_THREADS ? jobs : MOST_THREADS;
    return jobs < seeds ? jobs : (size_t)seeds;
}

static struct survey survey_begin(const struct options *options, const struct rows *rows,
                                  uint64_t seeds)
{
    struct survey survey = {options->seed, seeds, count_jobs(options, seeds), NULL};
    survey.share = mmap(NULL, survey.jobs * sizeof *survey.share, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (survey.share == MAP_FAILED) {
        grader_fail("out of memory");
    }
    for (size_t j = 0; j < survey.jobs; j++) {
        survey.share[j].rows.count = rows->count;
        memcpy(survey.share[j].rows.row, rows->row, rows->count * sizeof rows->row[0]);
    }
    return survey;
}

static _Noreturn void work(const struct survey *survey, size_t job)
{
    struct share *share = &survey->share[job];
    for (uint64_t i = job; i < survey->seeds; i += survey->jobs, share->done++) {
        measure_seed(&share->rows, survey->first + i, i);
    }
    _exit(EXIT_PASS);
}

static void show_progress(const struct survey *survey)
{
    size_t done = 0;
    for (size_t j = 0; j < survey->jobs; j++) {
        done += survey->share[j].done;
    }
    fprintf(stderr, "\r%zu of %llu seeds ", done, (unsigned long long)survey->seeds);
}

static void wait_for(const struct survey *survey, const pid_t child[])
{
    static const struct timespec while_counting = {.tv_nsec = 200000000};
    bool terminal = isatty(STDERR_FILENO) == 1;
    for (size_t j = 0; j < survey->jobs; j++) {
        int status = 0;
        pid_t ended;
        while ((ended = waitpid(child[j], &status, terminal ? WNOHANG : 0)) == 0 ||
               (ended < 0 && errno == EINTR)) {
            show_progress(survey);
            nanosleep(&while_counting, NULL);
        }
        if (ended < 0 || status != 0) {
            grader_fail("a process that measures seed %llu has ended early",
                        (unsigned long long)(survey->first + j +
                                             survey->share[j].done * survey->jobs));
        }
    }
    fputs(terminal ? "\r\033[K" : "", stderr);
}

static void run_survey(const struct survey *survey)
{
    pid_t child[MOST_THREADS];
    fflush(NULL);
    for (size_t j = 0; j < survey->jobs; j++) {
        child[j] = fork();
        if (child[j] == 0) {
            work(survey, j);
        }
        if (child[j] < 0) {
            grader_fail("fork: %s", strerror(errno));
        }
    }
    wait_for(survey, child);
}

static void merge(struct rows *rows, const struct survey *survey)
{
    for (size_t j = 0; j < survey->jobs; j++) {
        for (size_t i = 0; i < rows->count; i++) {
            struct row *to = &rows->row[i];
            const struct row *from = &survey->share[j].rows.row[i];
            size_t refused = to->refused + from->refused;
            if (to->wrong ? from->gap < to->gap : from->gap > to->gap) {
                *to = *from;
            }
            to->refused = refused;
        }
    }
}

// ---- telling ------------------------------------------------------------------------------

static void print_row(FILE *file, const struct row *row, uint64_t seeds)
{
    fprintf(file, "%-4s %-20s %-9s %-28s %10.4g  seed %llu: %s%s%s; %s\n",
            row->exercise->id, row->entry->name, row->wrong ? "mistake" : "alternative",
            row->id, row->gap, (unsigned long long)row->seed, row->sizes,
            row->note != NULL ? ", " : "", row->note != NULL ? row->note : "",
            row->tensor != NULL ? row->tensor : "status");
    if (row->refused > 0) {
        fprintf(file, "     ^ %s on %zu of %llu seed%s\n",
                row->wrong ? "TOO CLOSE" : "TOO FAR", row->refused,
                (unsigned long long)seeds, plural((double)seeds));
    }
}

// Prints every alternative, and the mistakes that come too close.
static bool print_rows(FILE *file, const struct rows *rows, uint64_t seeds)
{
    const struct row *worst = NULL;
    size_t refused = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        refused += row->refused > 0;
        if (!row->wrong && (worst == NULL || row->gap > worst->gap)) {
            worst = row;
        }
        if (row->refused > 0 || (row->gap > 0 && !row->wrong)) {
            print_row(file, row, seeds);
        }
    }
    if (worst != NULL && worst->gap > 0) {
        fputs("the alternative that is farthest from its solution:\n", file);
        print_row(file, worst, seeds);
    }
    fprintf(file, "%zu function%s on %llu seed%s, %zu do%s not keep %s margin\n",
            rows->count, plural((double)rows->count), (unsigned long long)seeds,
            plural((double)seeds), refused, refused == 1 ? "es" : "",
            refused == 1 ? "its" : "their");
    return refused == 0;
}

bool margins_survey(FILE *file, const struct options *options, uint64_t seeds,
                    const struct kernels *kernels)
{
    struct rows *rows = list_rows(options, kernels);
    if (kernels != NULL && rows->count == 0) { // an exercise without a GPU side
        free(rows);
        return true;
    }
    struct survey survey = survey_begin(options, rows, seeds);
    run_survey(&survey);
    merge(rows, &survey);
    fprintf(file,
            "the largest distance from the expected outputs on seeds %llu to %llu, in "
            "tolerances; at most %g for an alternative, at least %g for a mistake\n",
            (unsigned long long)options->seed,
            (unsigned long long)(options->seed + seeds - 1), ALTERNATIVE_MARGIN,
            MISTAKE_MARGIN);
    bool fine = print_rows(file, rows, seeds);
    munmap(survey.share, survey.jobs * sizeof *survey.share);
    free(rows);
    return fine;
}
