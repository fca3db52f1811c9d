// explain.c - describes a wrong result: the call, the expected values, the mistake.

#include "judge/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/describe.h"
#include "cases/diagnose.h"
#include "cases/poison.h"
#include "cases/repeats.h"
#include "cases/show.h"
#include "cases/stride.h"
#include "cases/tables.h"
#include "judge/alone.h"
#include "judge/resemble.h"
#include "judge/result.h"
#include "judge/stages.h"
#include "judge/status.h"
#include "judge/trial.h"
#include "sandbox/allowance.h"
#include "worker/contents.h"

enum { MOST_COUNTED = 1 << 20 }; // by a call that goes on from an old number

struct failures {
    const struct test_case *first; // the smallest failing call
    size_t count, total;
    const char *of; // of which calls, if not of all
};

// Among the calls that returned: the repeats, or all others.
static struct failures find_failures(const struct wire_part *part, bool again)
{
    struct failures failures = {.of = part->cases.cut ? " before the crash" : ""};
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

const struct test_case *smallest_wrong(const struct wire_part *part)
{
    struct failures failures = find_failures(part, false);
    return failures.count > 0 ? failures.first : find_failures(part, true).first;
}

static void conclude_wrong(struct trial *trial, char *headline)
{
    free(trial->result->headline);
    trial->result->headline = headline;
    trial->result->verdict = WRONG;
}

// Are the elements for which in_it is true unwritten, and no others?
static bool unwritten_are(const struct tensor *tensor,
                          bool (*in_it)(const struct tensor *tensor, size_t i))
{
    bool are = true;
    for (size_t i = 0; are && i < tensor->count; i++) {
        are = still_unset(tensor, i) == in_it(tensor, i);
    }
    return are;
}

static bool in_last_column(const struct tensor *tensor, size_t i)
{
    return i % tensor->columns == tensor->columns - 1;
}

static bool in_last_row(const struct tensor *tensor, size_t i)
{
    return i / tensor->columns % tensor->rows == tensor->rows - 1;
}

static bool in_first_column(const struct tensor *tensor, size_t i)
{
    return i % tensor->columns == 0;
}

static bool in_first_row(const struct tensor *tensor, size_t i)
{
    return i / tensor->columns % tensor->rows == 0;
}

static bool in_all(const struct tensor *tensor, size_t i)
{
    return i < tensor->count;
}

// Which part of a tensor is not written, if it is what a loop that begins too late or ends too early leaves out.
static const char *unwritten_part(const struct tensor *tensor)
{
    const bool one_row = tensor->axes < 2;
    if (tensor->columns > 1 && unwritten_are(tensor, in_last_column)) {
        return one_row ? "last element" : "last column";
    }
    if (tensor->columns > 1 && unwritten_are(tensor, in_first_column)) {
        return one_row ? "first element" : "first column";
    }
    if (tensor->rows > 1 && unwritten_are(tensor, in_last_row)) {
        return "last row";
    }
    return tensor->rows > 1 && unwritten_are(tensor, in_first_row) ? "first row" : NULL;
}

// In the smallest call, an output may be unwritten that is written in part in larger ones. A larger call then says more,
// most of all one in which a single row or column is missing.
static const struct test_case *partly_written(const struct wire_part *part,
                                              const struct test_case *first)
{
    const struct difference difference = compare_case(first);
    if (difference.fault != UNWRITTEN || !unwritten_are(difference.tensor, in_all)) {
        return first;
    }
    const struct test_case *in_part = NULL;
    for (size_t c = 0; c < part->cases.count; c++) {
        const struct test_case *test = &part->cases.cases[c];
        const struct difference other = compare_case(test);
        if (test->again != first->again || other.fault != UNWRITTEN ||
            other.tensor->spec != difference.tensor->spec ||
            unwritten_are(other.tensor, in_all)) {
            continue;
        }
        if (unwritten_part(other.tensor) != NULL) {
            return test;
        }
        in_part = in_part == NULL ? test : in_part;
    }
    return in_part != NULL && easily_read(in_part) ? in_part : first;
}

// Of a claim, "out.data == in.data": "out.data is not written", "out.data is not in.data".
static char *unwritten_headline(const struct tensor *tensor)
{
    const char *which = unwritten_part(tensor);
    if (which != NULL) {
        return grader_print("the %s of %s is not written", which, tensor->spec->name);
    }
    const bool several = tensor->count > 1;
    return grader_print("%s%.*s %s not written", several ? "parts of " : "",
                        (int)claim_subject(tensor), tensor->spec->name,
                        several ? "are" : "is");
}

static char *values_headline(const struct tensor *tensor)
{
    const char *name = tensor->spec->name;
    const size_t subject = claim_subject(tensor);
    return name[subject] == '\0' ? grader_print("wrong values in %s", name)
                                 : grader_print("%.*s is not %s", (int)subject, name,
                                                name + subject + strlen(" == "));
}

static void show_fault(struct trial *trial, const struct test_case *test,
                       const struct difference *difference)
{
    FILE *file = trial->text.file;
    switch (difference->fault) {
    case WRONG_STATUS:
        conclude_wrong(trial, status_headline(test));
        show_status(trial, test);
        break;
    case TOUCHED:
        conclude_wrong(trial, grader_print("writes to %.*s although it returns an error",
                                           (int)claim_subject(difference->tensor),
                                           difference->tensor->spec->name));
        show_call_inputs(trial, test);
        show_wrapped(
            file, "  ",
            "A call that returns an error changes no output: check all arguments "
            "before you write.");
        break;
    case UNWRITTEN:
        conclude_wrong(trial, unwritten_headline(difference->tensor));
        show_call_inputs(trial, test);
        show_difference(file, test, difference);
        break;
    default:
        conclude_wrong(trial, values_headline(difference->tensor));
        trial->result->wrong_values = true;
        show_call_inputs(trial, test);
        show_difference(file, test, difference);
        break;
    }
}

static void show_mistake(struct trial *trial, const struct mistake *mistake,
                         const char *what)
{
    show_wrapped(trial->text.file, "  diagnosis: ", what);
    show_wrapped(trial->text.file, "  ", mistake->why);
    trial->result->diagnosis = mistake->id;
}

// in_part: some calls that are right would show it.
static void name_mistake(struct trial *trial, const struct mistake *mistake, bool in_part)
{
    FILE *file = trial->text.file;
    char *what = grader_print(
        "%s%s%s", in_part ? "in some calls: " : "",
        mistake->convention ? "differs from this lab's definition: " : "", mistake->what);
    show_mistake(trial, mistake, what);
    if (in_part) {
        show_wrapped(file, "  ",
                     "If all of your code made this mistake, some calls that are right "
                     "would fail. So only a part makes it: look for a branch or a loop "
                     "that the failing calls take.");
    }
    conclude_wrong(trial, what);
}

static const struct mistake kept_between_calls = {
    .id = "kept-between-calls",
    .what = "the result depends on earlier calls",
    .why =
        "The same call gives the right result when it is the only one, so your code "
        "keeps something between calls. Look for static and global variables, and for a "
        "variable or memory from malloc that is read before it is set.",
};

static const struct mistake reads_old_output = {
    .id = "reads-old-output",
    .what = "the result depends on the old contents of an output or a workspace",
    .why = "Outputs and workspaces hold arbitrary numbers when your function is called, "
           "not 0 and not -inf. Set each number before you read it.",
};

static const struct mistake elements_as_bytes = {
    .id = "elements-as-bytes",
    .what = "only some of the bytes of a number are set",
    .why = "memcpy and memset count bytes, not elements. Multiply the number of elements "
           "by the size of one, as in n * sizeof *out.",
};

// Names an index with another size in it. Returns true if that explains every failing call.
static bool explain_stride(struct trial *trial, const struct wire_part *part)
{
    struct stride stride;
    if (!find_stride(&part->cases, &stride)) {
        return false;
    }
    char *what = name_stride(part->cases.cases[0].part, &stride);
    const struct mistake mistake = {
        .id = "wrong-stride",
        .what = what,
        .why = "In row-major order, each index is multiplied by the sizes of all axes "
               "behind it: element (t, s) of a (T, S) tensor is at t * S + s.",
    };
    name_mistake(trial, &mistake, false);
    free(what);
    return true;
}

static const struct mistake differs_from_run_to_run = {
    .id = "differs-from-run-to-run",
    .what = "the result differs from run to run on the same inputs",
    .why = "The same calls, repeated in the same order, do not all give the same "
           "results. Look for random numbers, the clock, threads that write to the same "
           "place, and for a variable or memory from malloc that is read before it is "
           "set.",
};

static bool is_first_call(const struct trial *trial, const struct test_case *test)
{
    return test == &trial->parts[0].cases.cases[0] && test->contents == POISONED;
}

// Returns true if a NaN was computed, or a number counted up from what the output held.
static bool goes_on_from_poison(const struct tensor *tensor, size_t i)
{
    const uint64_t poison = (uint64_t)POISON_WORD << 32 | POISON_WORD;
    if (tensor->spec->type == F32) {
        return isnan(((const float *)tensor->got)[i]) && !still_unset(tensor, i);
    }
    return tensor->spec->type == SIZE && ((const size_t *)tensor->got)[i] > poison &&
           ((const size_t *)tensor->got)[i] - poison <= MOST_COUNTED;
}

// Outputs and workspaces contained poison, and the result comes from it.
static bool goes_on_from_old(const struct test_case *test)
{
    bool goes_on = false;
    for (size_t i = 0; i < test->tensors && test->contents == POISONED; i++) {
        const struct tensor *tensor = &test->tensor[i];
        for (size_t j = 0; tensor_is_judged(tensor) && !goes_on && j < tensor->count;
             j++) {
            goes_on = goes_on_from_poison(tensor, j);
        }
    }
    return goes_on;
}

// A function that keeps its first result may give in all later calls what a known mistake gives, such as the
// answer "yes". Only a lab with variables is asked, because this takes another worker.
static bool keeps_between_calls(const struct trial *trial, const struct wire_part *part,
                                const struct test_case *test)
{
    return trial->build->symbols.named_variables > 0 && !is_first_call(trial, test) &&
           !allowance_is_low(trial->options->allowance) &&
           right_alone(trial, part, test, test->contents) &&
           !allowance_is_used_up(trial->options->allowance);
}

// What a wrong call depends on besides its arguments, or NULL. Each claim is tested: by the
// same call alone, by the call with other contents, and by repeating the whole run. Nothing is
// claimed once half of the hand-in's time is used, because the rest is for other exercises.
static const struct mistake *name_dependence(const struct trial *trial,
                                             const struct wire_part *part,
                                             const struct test_case *test)
{
    struct allowance *allowance = trial->options->allowance;
    const struct mistake *dependence = NULL;
    if (allowance_is_low(allowance)) {
        return NULL;
    }
    if (!is_first_call(trial, test) && right_alone(trial, part, test, test->contents)) {
        dependence = &kept_between_calls;
    } else if (case_is_repeat(test) || // the first call of a repeat is right
               (test->again && right_alone(trial, part, test, POISONED)) ||
               (goes_on_from_old(test) && right_alone(trial, part, test, ZEROS))) {
        dependence = &reads_old_output;
    }
    bool again = dependence == NULL || fails_again(trial, part, test);
    return allowance_is_used_up(allowance) ? NULL // one of the runs may not have begun
           : again                         ? dependence
                                           : &differs_from_run_to_run;
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
    const struct mistake *const repaired = trial->result->repaired;
    const struct mistake *const named =
        later || repaired != NULL ? NULL : diagnose(&part->cases, entry);
    const struct mistake *mistake = repaired != NULL ? repaired : named;
    const struct test_case *shown = named != NULL
                                        ? telling_case(&part->cases, entry, named)
                                        : partly_written(part, failures.first);
    struct difference difference = compare_case(shown);
    trial->shown = shown;
    trial->result->failures = ended_well(trial) ? failures.count : 0;
    fputs("  ", trial->text.file);
    describe_call(trial, shown);
    if (failures.count == 1) {
        fprintf(trial->text.file, ": the only failing call (of %zu%s)\n", failures.total,
                failures.of);
    } else {
        fprintf(trial->text.file, ": %s %zu failing calls (of %zu%s)\n",
                shown == failures.first ? "the smallest of" : "one of", failures.count,
                failures.total, failures.of);
    }
    show_fault(trial, shown, &difference);
    if (difference.fault == DIFFERENT || difference.fault == UNWRITTEN) {
        explain_stages(trial, &part->cases, shown);
    }
    if (mistake == NULL && difference.fault == DIFFERENT &&
        sets_single_bytes(shown, difference.tensor)) {
        mistake = &elements_as_bytes;
    }
    if (mistake == NULL && !later && explain_stride(trial, part)) {
        return true;
    }
    bool in_part = named != NULL && diagnosed_in_part(&part->cases, entry, named);
    bool depends = mistake == NULL;
    if (depends) {
        mistake = name_dependence(trial, part, shown);
    } else if (mistake == named && keeps_between_calls(trial, part, shown)) {
        mistake = &kept_between_calls;
        depends = true;
        in_part = false;
    }
    if (mistake != NULL) {
        trial->result->guessed = in_part || depends;
        name_mistake(trial, mistake, in_part);
    } else if (difference.fault == DIFFERENT) {
        describe_output(trial->text.file, difference.tensor);
        name_resemblance(trial, part, entry, shown);
    }
    return true;
}

// Did the call end in a computation, such as infinity converted to an int, and in no access to memory?
static bool only_computes(const struct trial *trial)
{
    const char *output = trial->outcome.output;
    const char *error = strstr(output, "runtime error: ");
    return error != NULL && strstr(error, "out of bounds") == NULL &&
           strstr(output, "AddressSanitizer: ") == NULL;
}

// The results of the call that went out of bounds alone show no mistake.
static bool others_are_wrong(const struct wire_part *part,
                             const struct test_case *crashed)
{
    bool wrong = false;
    for (size_t c = 0; c < part->cases.count && !wrong; c++) {
        const struct test_case *test = &part->cases.cases[c];
        wrong = test != crashed && test->progress == RETURNED &&
                compare_case(test).fault != NO_FAULT;
    }
    return wrong;
}

bool explain_before_crash(struct trial *trial, const struct wire_part *part,
                          const struct test_case *crashed)
{
    const struct entry *entry = part_entry(trial->build->place, crashed->part);
    if (!crashed->apart || !others_are_wrong(part, crashed) ||
        diagnose(&part->cases, entry) == NULL || !explain_wrong(trial, part)) {
        return false;
    }
    fprintf(trial->text.file, "  the same mistake %s in ",
            only_computes(trial) ? "ends the program" : "goes out of bounds and crashes");
    describe_call(trial, crashed);
    fputc('\n', trial->text.file);
    return true;
}

void explain_repaired_crash(struct trial *trial)
{
    const struct mistake *repaired = trial->result->repaired;
    if (repaired != NULL && trial->result->verdict == CRASH &&
        trial->result->diagnosis == NULL) {
        show_mistake(trial, repaired, repaired->what);
    }
}

enum { WHY = 256 };

static const struct property *property_of(const struct test_case *first)
{
    return &first->part->properties[first->property - 1];
}

static const struct test_case *find_broken(const struct wire_part *part, char why[WHY])
{
    for (size_t c = 0; c + 1 < part->cases.count; c++) {
        const struct test_case *first = &part->cases.cases[c];
        const struct test_case *second = first + 1;
        if (first->property != 0 && second->second &&
            !property_of(first)->holds(first, second, why, WHY)) {
            return first;
        }
    }
    return NULL;
}

const struct test_case *broken_property(const struct wire_part *part)
{
    char why[WHY] = "";
    return find_broken(part, why);
}

bool explain_property(struct trial *trial, const struct wire_part *part)
{
    char why[WHY] = "";
    const struct test_case *first = find_broken(part, why);
    if (first == NULL) {
        return false;
    }
    fputs("  ", trial->text.file);
    describe_call(trial, first);
    fputc('\n', trial->text.file);
    show_wrapped(trial->text.file, "  ", why);
    trial->shown = first;
    trial->result->diagnosis = property_of(first)->id;
    trial->result->guessed = true;
    if (trial->result->repaired != NULL) {
        show_mistake(trial, trial->result->repaired, trial->result->repaired->what);
    }
    conclude_wrong(trial, grader_print("does not hold: %s", property_of(first)->claim));
    return true;
}
