// accident.c - explains why the worker did not return from every call, and where.
//
// The sanitizers' reports are text printed by the student's process. They tell the student
// where to look; no mark depends on them.

#define _GNU_SOURCE
#include "judge/accident.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "cases/case.h"
#include "cases/show.h"
#include "judge/finding.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/stack.h"
#include "judge/status.h"
#include "judge/trial.h"

static bool any_reached(const struct trial *trial)
{
    const struct case_list *first = &trial->parts[0].cases;
    return first->count > 0 && first->cases[0].progress != NOT_REACHED;
}

// "load of value 23, which is not a valid value for type '_Bool'" says what happened, but not why.
static char *name_invalid_value(char *message)
{
    unsigned value;
    if (sscanf(message, "load of value %u, which is not a valid value for type",
               &value) != 1 ||
        strcasestr(message, "bool'") == NULL) {
        return message;
    }
    free(message);
    return grader_print(
        "reads a bool that holds %u, neither false (0) nor true (1): was it set before?",
        value);
}

// The message of UndefinedBehaviorSanitizer, "runtime error: ...", up to the end of the
// line.
static char *undefined_behavior(const char *report)
{
    static const char mark[] = "runtime error: ";
    const char *found = strstr(report, mark);
    if (found == NULL) {
        return NULL;
    }
    found += sizeof mark - 1;
    return name_invalid_value(grader_print("%.*s", (int)strcspn(found, "\n"), found));
}

struct sanitizer_report {
    char kind[64];        // the first word: "heap-buffer-overflow", "SEGV"
    const char *sentence; // the whole message: "calloc parameters overflow: ..."
    bool write;
    uintptr_t address;
};

static bool read_report(const char *output, struct sanitizer_report *report)
{
    static const char mark[] = "AddressSanitizer: ";
    const char *found = strstr(output, mark);
    if (found == NULL) {
        return false;
    }
    found += sizeof mark - 1;
    report->sentence = found;
    size_t length = strcspn(found, " \n");
    length = length < sizeof report->kind ? length : sizeof report->kind - 1;
    memcpy(report->kind, found, length);
    report->kind[length] = '\0';
    const char *address = strstr(found, "address 0x");
    report->address =
        address != NULL ? (uintptr_t)strtoull(address + strlen("address "), NULL, 16) : 0;
    report->write = strstr(found, "\nWRITE of size") != NULL ||
                    strstr(found, "caused by a WRITE") != NULL;
    return true;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static char *name_kind(const struct sanitizer_report *report)
{
    static const struct {
        const char *begin, *words;
    } table[] = {
        {"heap-buffer-overflow", "reads or writes past the end of memory from malloc"},
        {"stack-buffer-overflow", "reads or writes past the end of a local array"},
        {"global-buffer-overflow", "reads or writes past the end of a global array"},
        {"heap-use-after-free", "uses memory after free"},
        {"stack-buffer-underflow", "reads or writes before the start of a local array"},
        {"stack-use-after-scope", "uses a local variable outside of its block"},
        {"stack-use-after-return",
         "uses a local variable of a function that has returned"},
        {"negative-size-param",
         "asks memset, memcpy or memmove for a negative number of bytes: is it a "
         "difference that goes below 0?"},
        {"memcpy-param-overlap", "calls memcpy on memory that overlaps; use memmove"},
        {"stack-overflow",
         "runs out of stack (endless recursion, or a very large local array)"},
        {"attempting double-free", "frees the same memory twice"},
        {"attempting ", "frees a pointer that malloc did not return"},
        {"FPE", "divides an integer by zero (or enables floating-point traps)"},
        {"calloc parameters overflow", "asks calloc for an impossible size"},
        {"reallocarray parameters overflow", "asks reallocarray for an impossible size"},
        {"invalid alignment requested in aligned_alloc",
         "aligned_alloc needs a size that is a multiple of the alignment here, and an "
         "alignment that is a power of two"},
        {"invalid alignment requested in posix_memalign",
         "posix_memalign needs an alignment that is a power of two and a multiple of "
         "sizeof(void *)"},
        {"invalid allocation alignment",
         "asks for memory with an alignment that is not a power of two"},
        {"use-after-poison", "reads or writes outside of its arrays"},
        {"dynamic-stack-buffer-overflow",
         "reads or writes past the end of a variable-length array"},
        {"ABRT", "calls abort, or an assert fails"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (begins(report->sentence, table[i].begin)) {
            return grader_print("%s", table[i].words);
        }
    }
    return grader_print("%.*s", (int)strcspn(report->kind, ":"), report->kind);
}

// " = [2][0]", the indices of an element past the end of a tensor; "" if it has one axis.
static char *place_by_axes(const struct tensor *tensor, size_t i)
{
    struct text text;
    text_begin(&text);
    size_t step = tensor->count;
    for (size_t a = 0; tensor->axes > 1 && step > 0 && a < tensor->axes; a++) {
        step /= tensor->axis[a];
        fprintf(text.file, "%s[%zu]", a == 0 ? ", which would be " : "", i / step);
        i %= step;
    }
    return text_end(&text);
}

// Describes an address in the arena by the student's names.
static char *name_address(const struct test_case *test,
                          const struct sanitizer_report *report)
{
    const struct tensor *tensor;
    ptrdiff_t offset;
    const char *verb = report->write ? "writes" : "reads";
    if (test == NULL || !wire_locate(test, report->address, &tensor, &offset)) {
        return NULL;
    }
    const char *name = tensor->spec->name, *shape = tensor->spec->shape;
    ptrdiff_t bytes = (ptrdiff_t)(tensor->count * tensor->element_size);
    if (offset < 0) {
        return grader_print("%s %td bytes before the start of %s (%s)", verb, -offset,
                            name, shape);
    }
    if (offset >= bytes && !report->write && tensor->spec->role != INPUT &&
        begins(report->kind, "SEGV")) {
        // outputs lie behind inputs, so an input may have been read
        return grader_print("reads past the end of a tensor: the address is after the "
                            "last tensor, %s (%s)",
                            name, shape);
    }
    if (offset >= bytes) {
        size_t i = (size_t)offset / tensor->element_size;
        char *place = place_by_axes(tensor, i);
        char *words = grader_print("%s %s[%zu]%s, past the end of %s (%s), which has "
                                   "%zu element%s",
                                   verb, name, i, place, name, shape, tensor->count,
                                   tensor->count == 1 ? "" : "s");
        free(place);
        return words;
    }
    return grader_print("writes to %s (%s), which is an input", name, shape);
}

// The name of a tensor that only the adaptor reads or writes has a blank or a bracket in it.
static bool is_argument(const struct tensor *tensor)
{
    return strpbrk(tensor->spec->name, " (") == NULL;
}

// The names of the arguments that are NULL in this call, with commas between them, and how many.
static char *list_absent(const struct test_case *test, size_t *count)
{
    char *names = grader_print("%s", "");
    *count = 0;
    for (size_t i = 0; test != NULL && i < test->tensors; i++) {
        if (test->tensor[i].absent && is_argument(&test->tensor[i])) {
            char *longer = grader_print("%s%s%s", names, *count > 0 ? ", " : "",
                                        test->tensor[i].spec->name);
            free(names);
            names = longer;
            (*count)++;
        }
    }
    return names;
}

// A NULL pointer is usually an optional tensor that is absent in this call. If several are, it may be
// any of them.
static char *name_null(const struct test_case *test)
{
    size_t count;
    char *names = list_absent(test, &count);
    char *words =
        count == 0 ? grader_print("dereferences a NULL pointer")
        : count == 1
            ? grader_print("dereferences %s, which is NULL in this call", names)
            : grader_print("dereferences a NULL pointer; these arguments are NULL "
                           "in this call: %s",
                           names);
    free(names);
    return words;
}

static char *name_report(const struct test_case *test,
                         const struct sanitizer_report *report)
{
    char *words = name_address(test, report);
    if (words != NULL) {
        return words;
    }
    if (strcmp(report->kind, "SEGV") == 0) {
        return report->address < ARENA_PAGE
                   ? name_null(test)
                   : grader_print("%s memory that is not mapped",
                                  report->write ? "writes" : "reads");
    }
    return name_kind(report);
}

static char *name_crash(const struct trial *trial, const struct test_case *test)
{
    const struct outcome *outcome = &trial->outcome;
    struct sanitizer_report report;
    if (outcome->ending == SIGNALED && outcome->code == SIGSYS) { // see wall.h
        return grader_print("starts processes (fork, system, popen), which is not "
                            "allowed here");
    }
    if (read_report(outcome->output, &report)) {
        return name_report(test, &report);
    }
    char *undefined = undefined_behavior(outcome->output);
    if (undefined != NULL && strstr(undefined, "null pointer") != NULL) {
        free(undefined);
        return name_null(test);
    }
    if (undefined != NULL) {
        return undefined;
    }
    if (outcome->ending == SIGNALED) {
        return grader_print("ended by signal %d (%s)", outcome->code,
                            strsignal(outcome->code));
    }
    if (test == NULL && !any_reached(trial)) {
        return grader_print(
            "the program ended with status %d before the first call: does a constructor "
            "exit?",
            outcome->code);
    }
    return grader_print(
        "ends the whole program with status %d instead of returning: does it call "
        "exit()?",
        outcome->code);
}

static bool asked_too_much(const struct trial *trial)
{
    struct sanitizer_report report;
    return read_report(trial->outcome.output, &report) &&
           (begins(report.sentence, "requested allocation size") ||
            begins(report.sentence, "allocator is out of memory") ||
            begins(report.sentence, "out of memory: allocator") ||
            begins(report.sentence, "allocation-size-too-big") ||
            begins(report.sentence, "out-of-memory"));
}

// What a function took from malloc beyond the exercise's own limit. Returns a headline, or NULL if it did
// not.
static char *heap_headline(const struct trial *trial)
{
    const struct outcome *outcome = &trial->outcome;
    const char *reason = trial->result->exercise->heap_reason;
    const char *mark = outcome->ending == EXITED && outcome->code == WORKER_HEAP
                           ? strstr(outcome->output, HEAP_MARK)
                           : NULL;
    struct sanitizer_report report;
    size_t held = 0, kept = 0;
    if (reason == NULL) {
        return NULL;
    }
    if (mark != NULL && sscanf(mark + strlen(HEAP_MARK), "%zu %zu", &held, &kept) == 2) {
        return kept == 0 ? grader_print("asks malloc for %.1f megabytes: %s",
                                        (double)held / 1048576, reason)
                         : grader_print(
                               "has %.1f megabytes from malloc in use, some of it from "
                               "earlier calls: %s",
                               (double)held / 1048576, reason);
    }
    if (strstr(outcome->output, "AddressSanitizer failed to allocate ") != NULL) {
        return grader_print("takes too much memory: %s", reason);
    }
    // "... trying to allocate 0x902c44 bytes", "requested allocation size 0x902c44 ..."
    if (asked_too_much(trial) && read_report(outcome->output, &report)) {
        const char *bytes = strstr(report.sentence, " 0x");
        const char *end = strchr(report.sentence, '\n');
        bool stated = bytes != NULL && (end == NULL || bytes < end);
        return stated ? grader_print("asks malloc for %.1f megabytes: %s",
                                     (double)strtoull(bytes, NULL, 16) / 1048576, reason)
                      : NULL;
    }
    return NULL;
}

// Where memory is limited (.heap_kilobytes), the stack is, too.
static bool overflows_limited_stack(const struct trial *trial)
{
    struct sanitizer_report report;
    return trial->result->exercise->heap_kilobytes > 0 && trial->result->backend == CPU &&
           read_report(trial->outcome.output, &report) &&
           strcmp(report.kind, "stack-overflow") == 0;
}

static void set(struct trial *trial, enum verdict verdict, char *headline)
{
    trial->result->verdict = verdict;
    trial->result->headline = headline;
}

static char *time_headline(const struct trial *trial)
{
    switch ((enum overtime)trial->outcome.code) {
    case COMPUTES:
        break;
    case SLEEPS:
        return grader_print("does not return within %g seconds: it sleeps, or waits for "
                            "something that never happens",
                            trial->seconds);
    case STARVES:
        return grader_print(
            "does not return within %g seconds of real time, and had no processor for "
            "most of it: the machine is too busy, try again",
            wall_seconds(trial->seconds));
    }
    return grader_print("does not return within %g seconds of processor time",
                        trial->seconds);
}

static bool is_before_the_calls(const struct trial *trial)
{
    bool any = false;
    for (size_t p = 0; p < trial->part_count; p++) {
        const struct case_list *cases = &trial->parts[p].cases;
        for (size_t i = 0; i < cases->count; i++) {
            any = any || cases->cases[i].progress != NOT_REACHED;
        }
    }
    return !any;
}

void explain_start(struct trial *trial)
{
    show_wrapped(
        trial->text.file, "  ",
        "The program does not reach its first call, so no exercise of this lab can be "
        "judged. What runs before the calls: functions with the attribute constructor, "
        "and in C++ the initial values of global variables.");
}

void explain_accident(struct trial *trial)
{
    const struct test_case *test = case_entered(trial);
    const struct rule *rule = trial->result->rule;
    trial->shown = test;
    if (test != NULL) {
        fputs("  in the call ", trial->text.file);
        describe_call(trial, test);
        fputc('\n', trial->text.file);
        if (test->beyond != 0 && !trial->build->place->gpu) {
            show_refusal_due(trial, test); // the tensors are smaller than the call says
        }
    }
    switch (trial->outcome.ending) {
    case TIMED_OUT:
        set(trial, TIMEOUT, time_headline(trial));
        if (is_before_the_calls(trial) && trial->outcome.code == COMPUTES) {
            trial->result->never_starts = true;
            explain_start(trial);
        }
        show_stack(trial);
        outcome_cut(&trial->outcome, late_report_start(&trial->outcome));
        return;
    case OUT_OF_MEMORY:
        set(trial, MEMORY, grader_print("uses more than %lu megabytes", rule->megabytes));
        return;
    case NOT_STARTED:
        set(trial, GRADER_ERROR,
            grader_print("the worker could not be started: %s",
                         strerror(trial->outcome.code)));
        return;
    default:
        break;
    }
    if (explain_finding(trial)) {
        return;
    }
    if (trial->outcome.ending == EXITED && trial->outcome.code == WORKER_NO_DEVICE &&
        trial->result->backend == GPU_DEVICE && !any_reached(trial)) {
        set(trial, NOT_RUN, grader_print("not run: no CUDA device"));
        return;
    }
    const size_t variables = trial->build->symbols.variable_bytes >> 20;
    char *heap = any_reached(trial) ? heap_headline(trial) : NULL;
    if (!any_reached(trial) && variables > rule->megabytes) {
        set(trial, MEMORY,
            grader_print("cannot be loaded: its global and static variables take %zu "
                         "megabytes, and %lu are allowed",
                         variables, rule->megabytes));
    } else if (trial->outcome.ending == EXITED && trial->outcome.code == WORKER_FAILED &&
               !any_reached(trial)) {
        set(trial, GRADER_ERROR,
            grader_print("ended with status %d before the first call: does a "
                         "constructor exit?",
                         WORKER_FAILED));
    } else if (heap != NULL) {
        set(trial, MEMORY, heap);
        show_stack(trial);
    } else if (asked_too_much(trial)) {
        set(trial, MEMORY,
            grader_print("asks for more than %lu megabytes", rule->megabytes));
        show_stack(trial);
    } else if (overflows_limited_stack(trial)) {
        set(trial, MEMORY,
            grader_print("runs out of stack (endless recursion, or a very large local "
                         "array): %s",
                         trial->result->exercise->heap_reason));
        show_stack(trial);
    } else {
        set(trial, CRASH, name_crash(trial, test));
        show_stack(trial);
    }
    // Removes the sanitizer's report; the rest is what the student printed.
    outcome_cut(&trial->outcome, report_start(&trial->outcome));
}
