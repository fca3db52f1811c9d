// explain.c - a wrong answer, in words: which call, what was expected, which mistake it is.

#include <stdlib.h>
#include <string.h>

#include "judge/compare.h"
#include "judge/judge.h"
#include "judge/memory.h"
#include "judge/show.h"

struct failures {
    const struct test_case *first; // the smallest failing call
    size_t count, total;
};

// Among the calls that came back, repeated ones or the others.
static struct failures find_failures(const struct wire_part *part, bool again)
{
    struct failures failures = {.count = 0};
    for (size_t c = 0; c < part->cases.count; c++) {
        const struct test_case *test = &part->cases.cases[c];
        if (test->again != again || test->progress != RETURNED) {
            continue;
        }
        failures.total++;
        if (compare_case(test).fault != NO_FAULT && failures.count++ == 0) {
            failures.first = test;
        }
    }
    return failures;
}

void describe_call(const struct trial *trial, const struct test_case *test)
{
    char sizes[128];
    case_describe(test, sizes, sizeof sizes);
    fprintf(trial->text.file, "%s%s(%s)", test->part->function,
            function_suffix(trial->build->place), sizes);
    if (test->note != NULL) {
        fprintf(trial->text.file, ", %s", test->note);
    }
}

static void conclude_wrong(struct trial *trial, char *headline)
{
    free(trial->result->headline);
    trial->result->headline = headline;
    trial->result->verdict = WRONG;
}

// What the student's code says although its work is done: the last line was forgotten.
static bool right_but_todo(const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (compare_tensor(&test->tensor[i]).fault != NO_FAULT) {
            return false;
        }
    }
    return test->got_status == LAB_TODO && test->expected_status == LAB_OK;
}

static char *status_headline(const struct test_case *test)
{
    if (right_but_todo(test)) {
        return grader_print(
            "the outputs are right, but it still returns LAB_TODO: return "
            "LAB_OK at the end");
    }
    if (test->got_status == LAB_TODO) {
        return grader_print("still returns LAB_TODO for some of the sizes");
    }
    return grader_print("returns %s (%d) where %s is right",
                        lab_status_name((lab_status)test->got_status), test->got_status,
                        lab_status_name(test->expected_status));
}

static void show_fault(struct trial *trial, const struct test_case *test,
                       const struct difference *difference)
{
    FILE *file = trial->text.file;
    switch (difference->fault) {
    case WRONG_STATUS:
        conclude_wrong(trial, status_headline(test));
        break;
    case TOUCHED:
        conclude_wrong(trial, grader_print("writes to %s although it returns an error",
                                           difference->tensor->spec->name));
        break;
    case UNWRITTEN:
        conclude_wrong(trial, grader_print("leaves parts of %s unwritten",
                                           difference->tensor->spec->name));
        show_inputs(file, test);
        show_difference(file, test, difference);
        break;
    default:
        conclude_wrong(
            trial, grader_print("wrong values in %s", difference->tensor->spec->name));
        show_inputs(file, test);
        show_difference(file, test, difference);
        break;
    }
}

static void name_mistake(struct trial *trial, const struct mistake *mistake)
{
    FILE *file = trial->text.file;
    show_wrapped(file,
                 mistake->convention ? "  differs: " : "  diagnosis: ", mistake->what);
    show_wrapped(file, "  ", mistake->why);
    trial->result->diagnosis = mistake->id;
    conclude_wrong(
        trial,
        grader_print("%s%s",
                     mistake->convention ? "differs from this lab's definition: " : "",
                     mistake->what));
}

// One call like a known mistake, and the others not: there may be two at once.
static void name_resemblance(struct trial *trial, const struct entry *entry,
                             const struct test_case *shown)
{
    const struct mistake *mistake = resemblance(entry, shown);
    if (mistake != NULL) {
        char *line =
            grader_print("on this call your numbers are those of a known mistake "
                         "(%s); on others they are not, so there is more to find",
                         mistake->what);
        show_wrapped(trial->text.file, "  ", line);
        free(line);
    }
}

static const struct mistake kept_between_calls = {
    .id = "kept-between-calls",
    .what = "the result depends on the calls before",
    .why = "The same sizes and the same numbers do not always give the same result: "
           "something is kept from one call to the next. Look for static and global "
           "variables.",
};

// Of calls whose outputs held NaN before, all are right; of those where numbers stood, none.
static const struct mistake reads_old_output = {
    .id = "reads-old-output",
    .what = "the result depends on what stood in an output before the call",
    .why = "An output holds anything when your function is called: numbers of somebody "
           "else, "
           "not 0 and not -inf. Set each of its numbers before you read it.",
};

static bool same_call(const struct test_case *one, const struct test_case *other)
{
    bool same = memcmp(one->dim, other->dim, sizeof one->dim) == 0;
    for (size_t i = 0; same && i < one->tensors; i++) {
        const struct tensor *a = &one->tensor[i], *b = &other->tensor[i];
        same = a->absent == b->absent && a->count == b->count &&
               (a->data == NULL ||
                memcmp(a->data, b->data, a->count * a->element_size) == 0);
    }
    return same;
}

static bool same_result(const struct test_case *one, const struct test_case *other)
{
    bool same = memcmp(one->dim, other->dim, sizeof one->dim) == 0;
    for (size_t i = 0; same && i < one->tensors; i++) {
        const struct tensor *a = &one->tensor[i], *b = &other->tensor[i];
        same = !tensor_is_judged(a) ||
               memcmp(a->got, b->got, a->count * a->element_size) == 0;
    }
    return same;
}

// The same call was right at another time, or what came out is the result of the call before.
static bool depends_on_calls(const struct wire_part *part,
                             const struct test_case *failing)
{
    for (size_t c = 0; c < part->cases.count; c++) {
        const struct test_case *test = &part->cases.cases[c];
        bool right = compare_case(test).fault == NO_FAULT;
        if (right && (same_call(test, failing) ||
                      (test + 1 == failing && same_result(test, failing)))) {
            return true;
        }
    }
    return false;
}

bool explain_wrong(struct trial *trial, const struct wire_part *part)
{
    struct failures failures = find_failures(part, false);
    bool later = failures.count == 0;
    if (later) {
        failures = find_failures(part, true);
    }
    if (failures.count == 0) {
        return false;
    }
    const struct entry *entry = part_entry(trial->build->place, failures.first->part);
    const struct mistake *mistake = later ? NULL : diagnose(part, entry);
    const struct test_case *shown =
        mistake != NULL ? telling_case(part, entry) : failures.first;
    struct difference difference = compare_case(shown);
    trial->shown = shown;
    fputs("  ", trial->text.file);
    describe_call(trial, shown);
    fprintf(trial->text.file, ": %s %zu failing calls (of %zu)\n",
            shown == failures.first ? "the smallest of" : "one of", failures.count,
            failures.total);
    show_fault(trial, shown, &difference);
    if (mistake != NULL) {
        name_mistake(trial, mistake);
    } else if (later && failures.count == failures.total && failures.total > 1) {
        name_mistake(trial, &reads_old_output);
    } else if (depends_on_calls(part, shown)) {
        name_mistake(trial, &kept_between_calls);
    } else if (difference.fault == DIFFERENT) {
        describe_output(trial->text.file, difference.tensor);
        name_resemblance(trial, entry, shown);
    }
    return true;
}

bool explain_before_crash(struct trial *trial, const struct wire_part *part,
                          const struct test_case *crashed)
{
    const struct entry *entry = part_entry(trial->build->place, crashed->part);
    if (!crashed->apart || diagnose(part, entry) == NULL || !explain_wrong(trial, part)) {
        return false;
    }
    fputs("  the same mistake leaves its arguments, and crashes, in ", trial->text.file);
    describe_call(trial, crashed);
    fputc('\n', trial->text.file);
    return true;
}

bool explain_property(struct trial *trial, const struct wire_part *part)
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
            fputs("  ", trial->text.file);
            describe_call(trial, first);
            fputc('\n', trial->text.file);
            show_wrapped(trial->text.file, "  ", why);
            trial->shown = first;
            trial->result->diagnosis = property->id;
            conclude_wrong(trial, grader_print("does not hold: %s", property->claim));
            return true;
        }
    }
    return false;
}
