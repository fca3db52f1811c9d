// judge.c - one exercise: draw the cases, run the worker, compare, explain.
//
//   draw ──> worker ──> did it come back? ──> did it stay in its buffers? ──> written at all?
//                                                         ──> right? ──> which mistake is it?

#define _GNU_SOURCE
#include "judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "judge/compare.h"
#include "judge/memory.h"
#include "judge/show.h"

enum { OUTPUT_LIMIT = 1 << 20 };

const struct entry *part_entry(const struct lab_place *place, const struct part *part)
{
    for (const struct entry *entry = place->entries; entry->name != NULL; entry++) {
        if (strcmp(entry->name, part->function) == 0) {
            return entry;
        }
    }
    grader_fail("%s: no ENTRY(%s) in its exercise file", place->folder, part->function);
}

static void conclude(struct trial *trial, enum verdict verdict, char *headline)
{
    trial->result->verdict = verdict;
    trial->result->headline = headline;
}

// ---- running ------------------------------------------------------------------------------

static void draw_parts(struct trial *trial)
{
    const struct lab_place *place = trial->build->place;
    const struct part *part = trial->result->exercise->parts;
    for (; part->function != NULL; part++) {
        if (trial->part_count == MAX_PARTS) {
            grader_fail("exercise %s has too many parts", trial->result->exercise->id);
        }
        const struct entry *entry = part_entry(place, part);
        struct wire_part *drawn = &trial->parts[trial->part_count++];
        drawn->entry = (uint32_t)(entry - place->entries);
        drawn->cases = cases_draw(part, entry, trial->options->seed);
    }
}

static void run_worker(struct trial *trial)
{
    const struct rule *rule = trial->result->rule;
    double seconds =
        trial->options->seconds > 0 ? trial->options->seconds : rule->seconds;
    const struct limits limits = {seconds, rule->megabytes, OUTPUT_LIMIT};
    char *arguments[] = {trial->build->worker, NULL};
    char *sanitizer = grader_print("ASAN_OPTIONS=detect_leaks=0:exitcode=66:color=never:"
                                   "max_allocation_size_mb=%lu:handle_abort=1",
                                   rule->megabytes);
    char *environment[] = {sanitizer,
                           "UBSAN_OPTIONS=color=never",
                           "OPENBLAS_NUM_THREADS=1",
                           "OMP_NUM_THREADS=1",
                           "LC_ALL=C",
                           NULL};
    struct wire wire = wire_open(trial->parts, trial->part_count);
    int descriptors[] = {wire.request, wire.answer};
    trial->outcome = process_run(arguments, environment, "/", descriptors, 2, &limits);
    trial->trespass = wire_read(&wire, trial->parts, trial->part_count);
    wire_close(&wire);
    free(sanitizer);
}

// ---- looking at what came out -------------------------------------------------------------

static bool came_back(const struct trial *trial)
{
    for (size_t p = 0; p < trial->part_count; p++) {
        for (size_t c = 0; c < trial->parts[p].cases.count; c++) {
            if (trial->parts[p].cases.cases[c].progress != RETURNED) {
                return false;
            }
        }
    }
    return trial->outcome.ending == EXITED && trial->outcome.code == 0;
}

// A part is "todo" when every call that should work says so.
static bool not_written(const struct wire_part *part)
{
    bool any = false;
    for (size_t c = 0; c < part->cases.count; c++) {
        const struct test_case *test = &part->cases.cases[c];
        if (test->expected_status == LAB_OK) {
            if (test->got_status != LAB_TODO) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

static void explain_trespass(struct trial *trial)
{
    const struct trespass *trespass = &trial->trespass;
    char sizes[128];
    case_describe(trespass->test, sizes, sizeof sizes);
    fprintf(trial->text.file, "  in the call %s(%s)\n", trespass->test->part->function,
            sizes);
    conclude(
        trial, CRASH,
        grader_print("writes outside of %s (%s), %s; a library call with a wrong size or "
                     "leading dimension does that too",
                     trespass->tensor->spec->name, trespass->tensor->spec->shape,
                     trespass->before ? "before its start" : "past its end"));
}

// ---- explaining a wrong answer ------------------------------------------------------------

struct failures {
    const struct test_case *first;
    struct difference difference;
    size_t count, total;
};

static struct failures find_failures(const struct wire_part *part)
{
    struct failures failures = {.total = part->cases.count};
    for (size_t c = 0; c < part->cases.count; c++) {
        struct difference difference = compare_case(&part->cases.cases[c]);
        if (difference.fault != NO_FAULT && failures.count++ == 0) {
            failures.first = &part->cases.cases[c];
            failures.difference = difference;
        }
    }
    return failures;
}

static char *status_headline(const struct test_case *test)
{
    if (test->got_status == LAB_TODO) {
        return grader_print("still returns LAB_TODO for some of the sizes");
    }
    return grader_print("returns %s (%d) where %s is right",
                        lab_status_name((lab_status)test->got_status), test->got_status,
                        lab_status_name(test->expected_status));
}

static void name_mistake(struct trial *trial, const struct mistake *mistake)
{
    show_wrapped(trial->text.file,
                 mistake->convention ? "  differs: " : "  diagnosis: ", mistake->what);
    show_wrapped(trial->text.file, "  ", mistake->why);
    trial->result->diagnosis = mistake->id;
    conclude(
        trial, WRONG,
        grader_print("%s%s",
                     mistake->convention ? "differs from this lab's definition: " : "",
                     mistake->what));
}

static void explain_difference(struct trial *trial, const struct wire_part *part,
                               const struct failures *failures)
{
    const struct test_case *test = failures->first;
    const struct difference *difference = &failures->difference;
    FILE *file = trial->text.file;
    char sizes[128];
    case_describe(test, sizes, sizeof sizes);
    fprintf(file, "  %s(%s)%s%s: the smallest of %zu failing calls (of %zu)\n",
            test->part->function, sizes, test->note != NULL ? ", " : "",
            test->note != NULL ? test->note : "", failures->count, failures->total);
    switch (difference->fault) {
    case WRONG_STATUS:
        conclude(trial, WRONG, status_headline(test));
        break;
    case TOUCHED:
        conclude(trial, WRONG,
                 grader_print("writes to %s although it returns an error",
                              difference->tensor->spec->name));
        break;
    case UNWRITTEN:
        conclude(
            trial, WRONG,
            grader_print("leaves parts of %s unwritten", difference->tensor->spec->name));
        show_difference(file, test, difference);
        break;
    default:
        conclude(trial, WRONG,
                 grader_print("wrong values in %s", difference->tensor->spec->name));
        show_difference(file, test, difference);
        describe_output(file, difference->tensor);
        break;
    }
    const struct entry *entry = part_entry(trial->build->place, test->part);
    const struct mistake *mistake = diagnose(part, entry);
    if (mistake != NULL) {
        free(trial->result->headline);
        name_mistake(trial, mistake);
    }
}

// ---- properties ---------------------------------------------------------------------------

static bool properties_hold(struct trial *trial, const struct wire_part *part)
{
    for (size_t c = 0; c + 1 < part->cases.count; c++) {
        const struct test_case *first = &part->cases.cases[c];
        const struct test_case *second = first + 1;
        if (first->property == 0 || !second->second) {
            continue;
        }
        const struct property *property = &first->part->properties[first->property - 1];
        char why[256] = "";
        if (!property->holds(first, second, why, sizeof why)) {
            char sizes[128];
            case_describe(first, sizes, sizeof sizes);
            fprintf(trial->text.file, "  %s(%s): %s\n", first->part->function, sizes,
                    why);
            trial->result->diagnosis = property->id;
            conclude(trial, WRONG, grader_print("does not hold: %s", property->claim));
            return false;
        }
    }
    return true;
}

// ---- one part, one exercise ---------------------------------------------------------------

// Sets the result and returns false when the part does not pass.
static bool judge_part(struct trial *trial, const struct wire_part *part)
{
    const char *function = part->cases.cases[0].part->function;
    if (not_written(part)) {
        bool missing = false;
        for (size_t i = 0; i < trial->build->missing_count; i++) {
            missing = missing || strcmp(trial->build->missing[i], function) == 0;
        }
        conclude(trial, TODO,
                 missing ? grader_print("there is no function %s in %s", function,
                                        trial->build->place->sources[0])
                         : grader_print("%s is not written yet", function));
        return false;
    }
    struct failures failures = find_failures(part);
    if (failures.count > 0) {
        explain_difference(trial, part, &failures);
        return false;
    }
    return properties_hold(trial, part);
}

static void judge_worker(struct trial *trial)
{
    draw_parts(trial);
    run_worker(trial);
    if (!came_back(trial)) {
        explain_accident(trial);
        return;
    }
    if (trial->trespass.test != NULL) {
        explain_trespass(trial);
        return;
    }
    for (size_t p = 0; p < trial->part_count; p++) {
        if (!judge_part(trial, &trial->parts[p])) {
            return;
        }
    }
    conclude(trial, PASS, grader_print("%s", ""));
}

void judge_exercise(const struct options *options, const struct build *build,
                    struct result *result)
{
    struct trial trial = {.options = options, .build = build, .result = result};
    text_begin(&trial.text);
    if (build->absent && !build->reference) {
        result->absent = true;
        conclude(&trial, TODO, grader_print("%s", build->message));
    } else if (build->worker == NULL) {
        conclude(&trial, NOCOMPILE, grader_print("does not compile"));
        fprintf(trial.text.file, "%s", build->message);
    } else {
        judge_worker(&trial);
    }
    for (size_t p = 0; p < trial.part_count; p++) {
        cases_free(&trial.parts[p].cases);
    }
    result->details = text_end(&trial.text);
    result->printed = trial.outcome.output;
    result->printed_size = trial.outcome.output_size;
}
