// next.c - see next.h. Start reading at report_next.

#include "report/next.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "cases/tables.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/rubric.h"
#include "report/errors.h"
#include "report/text.h"

bool report_needs_words(const struct result *result)
{
    return result->asked && !result->traced && result->verdict != PASS &&
           result->verdict != TODO && result->verdict != NOT_RUN;
}

// Does a come before b in the order of work? Within a lab, that is the order of the points table.
static bool comes_before(const struct result *a, const struct result *b)
{
    return a->place == b->place && !result_is_answers(a) && !result_is_answers(b) &&
           a->rule < b->rule;
}

// The exercise to write next, within the selection if there is one. Exercises that are
// judged only because selected ones use them do not count, unless a written one waits for them.
static const struct result *first_todo(const struct grading *grading)
{
    bool chosen = grading->options.lab != 0 || grading->options.labs != 0 ||
                  grading->options.exercise != NULL;
    const struct result *first = NULL;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (result->verdict == TODO && !result->absent && (result->asked || !chosen) &&
            (first == NULL || comes_before(result, first))) {
            first = result;
        }
    }
    return first != NULL && first->waits_for != NULL
               ? grade_find_on(grading, first->waits_for->id, first->place->gpu)
               : first;
}

static const struct result *first_failure(const struct grading *grading)
{
    for (size_t i = 0; i < grading->count; i++) {
        if (report_needs_words(&grading->results[i])) {
            return &grading->results[i];
        }
    }
    return NULL;
}

// A missing file or device is neither a failure nor a pass.
static bool all_pass(const struct grading *grading)
{
    for (size_t i = 0; i < grading->count; i++) {
        if (grading->results[i].asked && grading->results[i].verdict != PASS) {
            return false;
        }
    }
    return true;
}

// The last selected exercise, or NULL.
static const struct result *last_asked(const struct grading *grading)
{
    for (size_t i = grading->count; i-- > 0;) {
        if (grading->results[i].asked && !result_is_answers(&grading->results[i])) {
            return &grading->results[i];
        }
    }
    return NULL;
}

// The handout of the lab after the last selected one, "labs/02_batching/README.md", or NULL. It is looked for in
// the tree, because a grader of one lab knows no other. The caller frees it.
static char *next_handout(const struct grading *grading)
{
    int last = 0;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        last =
            result->asked && result->place->number > last ? result->place->number : last;
    }
    char *root = pattern_of(grading->options.root);
    char *pattern = grader_print("%s/labs/%02d_*/README.md", root, last + 1);
    glob_t found = {0};
    const bool there = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1;
    char *handout =
        there ? grader_print("%s", found.gl_pathv[0] + strlen(grading->options.root) + 1)
              : NULL;
    globfree(&found);
    free(pattern);
    free(root);
    return handout;
}

static const struct rule *rule_of(const struct grading *grading,
                                  const struct lab_place *place,
                                  const struct exercise *exercise)
{
    char *line = grader_print("%s%s", exercise->id, place->gpu ? "g" : "");
    const struct rule *rule = rubric_find(grading->rubric, line);
    free(line);
    return rule;
}

// The exercise that follows a result's in its lab and side, or NULL.
static const struct exercise *next_exercise(const struct grading *grading,
                                            const struct result *last)
{
    const struct exercise *const *each = last->place->lab->exercises;
    const struct exercise *next = NULL;
    const struct rule *first = NULL;
    for (; *each != NULL; each++) {
        if (last->place->gpu && !has_gpu_variant(last->place, *each)) {
            continue;
        }
        const struct rule *rule = rule_of(grading, last->place, *each);
        if (rule > last->rule && (first == NULL || rule < first)) {
            first = rule;
            next = *each;
        }
    }
    return next;
}

// "1.1 matmul_nt": the exercise by one of its functions, or by the first. The caller frees it.
static char *title_by(const struct result *result, const char *function)
{
    return function == NULL ? result_title(result)
                            : grader_print("%s %s%s", result->exercise->id, function,
                                           result->place->gpu ? "_gpu" : "");
}

static void print_fix(FILE *file, const struct result *failure)
{
    char *title = title_by(failure, failure->failing);
    fprintf(file, "next: fix %s (hint: make hint EX=%s%s)\n", title,
            failure->exercise->id, failure->place->gpu ? " GPU=1" : "");
    free(title);
}

// Only if the compiler names a line of the student: not if it ran out of time, or the linker failed.
static void print_error(FILE *file, const struct grading *grading,
                        const struct result *failure)
{
    char *text = report_text(grading, failure);
    char *first = errors_first(&(struct complaint){
        .source = grading->options.source, .place = failure->place, .text = text});
    if (first != NULL) {
        fprintf(file, "next: fix the error in %s\n", first);
    }
    free(first);
    free(text);
}

// Where the file is. A report on untrusted code has no path of the grader's machine.
static char *name_folder(const struct grading *grading, const struct lab_place *place)
{
    const struct options *options = &grading->options;
    return options->untrusted || options->strangers
               ? grader_print("%s", place->folder)
               : grader_print("%s/%s", options->source, place->folder);
}

static void print_write(FILE *file, const struct grading *grading,
                        const struct result *todo)
{
    char *title = title_by(todo, todo->unwritten);
    const char *const *sources = todo->place->sources;
    const bool one = sources[0] != NULL && sources[1] == NULL;
    const char *name = todo->file != NULL ? todo->file : one ? sources[0] : NULL;
    char *folder = name_folder(grading, todo->place);
    fprintf(file, "next: write %s in %s%s%s (hint: make hint EX=%s%s)\n", title, folder,
            name != NULL ? "/" : "", name != NULL ? name : "", todo->exercise->id,
            todo->place->gpu ? " GPU=1" : "");
    free(folder);
    free(title);
}

// The pictures of the lab, which make draws, and the next lab.
static void print_after_lab(FILE *file, const struct grading *grading, const char *source)
{
    const struct result *last = last_asked(grading);
    const bool gpu = last != NULL && last->place->gpu;
    const bool draws = options_fit_make(&grading->options);
    char *handout = next_handout(grading);
    if (draws) {
        fprintf(file, "next: make plot LAB=%d%s draws what %s computes",
                grading->options.lab, source,
                *source != '\0' ? (gpu ? "its C code" : "this code")
                : gpu           ? "your C code"
                                : "your code");
    }
    if (handout != NULL) {
        fprintf(file, "%s%s", draws ? "; then " : "next: ", handout);
    }
    fputs(draws || handout != NULL ? "\n" : "", file);
    free(handout);
}

// All exercises of the selection pass.
static void print_onwards(FILE *file, const struct grading *grading, const char *source)
{
    const struct result *last = last_asked(grading);
    if (grading->options.lab != 0) {
        print_after_lab(file, grading, source);
        return;
    }
    if (last == NULL || grading->options.exercise == NULL) {
        return;
    }
    const struct exercise *next = next_exercise(grading, last);
    const struct again again = {.lab = last->place->number,
                                .exercise = next != NULL ? next->id : NULL,
                                .gpu = last->place->gpu};
    char *command = options_command(&grading->options, &again);
    fprintf(file, "next: %s judges %s\n", command,
            next != NULL ? next->name : "the whole lab");
    free(command);
}

static void write_next(FILE *file, const struct grading *grading, const char *source)
{
    const struct result *failure = first_failure(grading);
    const struct result *todo = first_todo(grading);
    if (failure != NULL && failure->verdict == NOCOMPILE) {
        print_error(file, grading, failure);
    } else if (failure != NULL) {
        print_fix(file, failure);
    } else if (todo != NULL && result_is_answers(todo)) {
        fprintf(file, "next: make ask LAB=%d%s (%s)\n", todo->place->number, source,
                todo->headline);
    } else if (todo != NULL) {
        print_write(file, grading, todo);
    } else if (all_pass(grading)) {
        print_onwards(file, grading, source);
    }
}

// The folder may have any name.
void report_next(FILE *file, const struct grading *grading)
{
    char *source = options_make_source(&grading->options);
    struct text text;
    text_begin(&text);
    write_next(text.file, grading, source);
    char *next = text_end(&text), *clean = report_clean(next, strlen(next));
    fputs(clean, file);
    free(clean);
    free(next);
    free(source);
}
