// repair.c - see repair.h.
//
//     attention.c, line 83: for (size_t s = 1; ...   wrong values, no known mistake
//     a copy of it with     for (size_t s = 0; ...   every case is right
//         "a loop starts at 1, not at 0: line 83 of attention.c"

#define _GNU_SOURCE
#include "grade/repair.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/build.h"
#include "cases/tables.h"
#include "grade/grading.h"
#include "grade/repair_try.h"
#include "grade/slip_words.h"
#include "grade/slips.h"
#include "grade/variables.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/withhold.h"

enum { LARGEST_FILE = 1 << 17 };

// ---- which results ------------------------------------------------------------------------

static bool is_failure(const struct result *result)
{
    return result->asked && !result->given && !result->unjudged && !result->put_off &&
           !result->followed && (result->verdict == WRONG || result->verdict == CRASH) &&
           result->unwritten == NULL;
}

// A known mistake has the same numbers in every call. Still, an int may be why: a sum in it that stays 0
// looks like a limit that is not used.
static bool is_explained(const struct result *result)
{
    return result->diagnosis != NULL && !result->guessed;
}

// Not in a run of tests in which one file holds many versions of a function (aliases): it compiles slowly.
static bool may_repair(const struct run *run, size_t lab)
{
    const struct options *options = &run->grading->options;
    const struct build *own = &run->own[lab];
    return options->follow != FOLLOW_NONE && options->shown == NULL &&
           options->aliases == NULL && own->worker != NULL &&
           own->backend != GPU_DEVICE && !lends_to_a_stranger(options, own);
}

// ---- finding the places -------------------------------------------------------------------

static void drop(struct repair *repair, size_t i)
{
    repair->count--;
    memmove(&repair->slips[i], &repair->slips[i + 1],
            (repair->count - i) * sizeof *repair->slips);
}

// Of places that are enough together, leaves those without which they are not: others are right.
static void drop_right_ones(struct repair *repair)
{
    for (size_t i = repair->count; i-- > 0;) {
        struct repair without = *repair;
        drop(&without, i);
        if (passes_with(repair, without.slips, without.count)) {
            drop(repair, i);
        }
    }
}

// Does one who makes this slip make it again in the next line?
static bool may_be_several(enum slip_kind kind)
{
    return kind != FRACTION_IN_INT && kind < START_AT_1;
}

// Leaves the places that explain the failure in repair->slips: one, if that is enough. All together fail
// if a right one must not be changed.
static bool find_culprits(struct repair *repair, enum slip_kind kind)
{
    const bool all = may_be_several(kind) && repair->count > 1 &&
                     passes_with(repair, repair->slips, repair->count);
    if (kind == UNSET_VARIABLE && repair->count > 1 && !all) {
        return false; // a first value never harms
    }
    for (size_t i = 0; i < repair->count; i++) {
        if (passes_with_one(repair, kind, i)) {
            repair->slips[0] = repair->slips[i];
            repair->count = 1;
            return true;
        }
    }
    if (all) {
        drop_right_ones(repair);
    }
    return all && !repair->gave_up;
}

// As an __int128, a variable holds what an int is too small for, and a comparison with a size_t does not turn
// what is below 0 into a huge number, but it holds no fraction.
static bool drops_fractions(struct repair *repair)
{
    struct slip wide = repair->slips[0];
    wide.by = "__int128";
    return !passes_with(repair, &wide, 1) && !repair->gave_up;
}

// ---- saying it ----------------------------------------------------------------------------

// "line 83 of attention.c", "lines 80 and 83 of attention.c"
static char *name_lines(const struct repair *repair)
{
    size_t lines[MOST_SLIPS], count = 0;
    for (size_t i = 0; i < repair->count; i++) {
        const size_t line = slip_line(repair->text, &repair->slips[i]);
        if (count == 0 || lines[count - 1] != line) {
            lines[count++] = line;
        }
    }
    struct text text;
    text_begin(&text);
    fprintf(text.file, "line%s ", count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 < count ? ", " : " and ";
        fprintf(text.file, "%s%zu", between, lines[i]);
    }
    fprintf(text.file, " of %s", repair->run->places[repair->lab].sources[repair->file]);
    return text_end(&text);
}

// Judges the student's own file once more, to write its report with this mistake.
static void report(struct repair *repair, const struct mistake *mistake)
{
    struct result *result = repair->result, again = judged_again(result);
    again.repaired = mistake;
    judge_with_own_variables(repair->run, repair->lab, &repair->run->own[repair->lab],
                             &again);
    again.repaired = NULL;
    if (again.verdict != result->verdict || again.diagnosis != mistake->id) {
        result_clear(&again);
        return;
    }
    again.note = result->note;
    again.lent = result->lent;
    result->note = result->lent = NULL;
    result_clear(result);
    *result = again;
}

// "a loop starts at 1, not at 0: line 83 of attention.c"
static void report_slips(struct repair *repair, enum slip_kind kind)
{
    struct slip_words words =
        slip_words(kind, repair->text, repair->slips, repair->count);
    char *lines = name_lines(repair);
    char *what = grader_print("%s: %s", words.what, lines);
    const struct mistake mistake = {.id = words.id, .what = what, .why = words.why};
    report(repair, &mistake);
    free(what);
    free(lines);
    free_slip_words(&words);
}

// "a loop starts at 1, not at 0: line 83 of attention.c; and the scores are not divided by sqrt(d)"
static void report_mistake_too(struct repair *repair)
{
    const struct first_of_two *first = &repair->first;
    repair->slips[0] = first->slip;
    repair->count = 1;
    struct slip_words words = slip_words(first->kind, repair->text, repair->slips, 1);
    char *line = name_lines(repair);
    char *what = grader_print("%s: %s; and %s", words.what, line, first->mistake->what);
    char *why = grader_print(
        "These are two mistakes: in a copy of your file with the first one corrected, every "
        "call shows exactly the second one. %s",
        first->mistake->why);
    const struct mistake mistake = {.id = words.id, .what = what, .why = why};
    report(repair, &mistake);
    free(why);
    free(what);
    free(line);
    free_slip_words(&words);
}

// "a loop starts at 1, not at 0: line 83 of attention.c; and a sign is wrong: line 85 of attention.c"
// repair->slips[0] is the second one, of this kind, in repair->text, in which the first one is corrected.
static void report_two_slips(struct repair *repair, const char *text, enum slip_kind kind)
{
    struct slip second = repair->slips[0];
    struct slip_words words[2] = {
        slip_words(repair->first.kind, text, &repair->first.slip, 1),
        slip_words(kind, repair->text, &second, 1)};
    const char *file = repair->run->places[repair->lab].sources[repair->file];
    char *what = grader_print("%s: line %zu of %s; and %s: line %zu of %s", words[0].what,
                              slip_line(text, &repair->first.slip), file, words[1].what,
                              slip_line(repair->text, &second), file);
    const struct mistake mistake = {
        .id = words[0].id,
        .what = what,
        .why = "These are two mistakes: with both corrected, every call is right."};
    report(repair, &mistake);
    free(what);
    free_slip_words(&words[0]);
    free_slip_words(&words[1]);
}

// ---- all of a lab ---------------------------------------------------------------------------

// The text of a lab's file; NULL if it is large or not there.
static char *read_source(const struct run *run, const struct lab_place *place,
                         size_t file)
{
    char *path = lab_file(run->workshop->source, place, place->sources[file]);
    FILE *input = path != NULL ? fopen(path, "re") : NULL;
    char *text = grader_alloc(LARGEST_FILE + 1);
    const size_t size = input != NULL ? fread(text, 1, LARGEST_FILE, input) : 0;
    if (input != NULL) {
        fclose(input);
    }
    free(path);
    if (size == 0 || size == LARGEST_FILE || strlen(text) != size) {
        free(text);
        return NULL;
    }
    return text;
}

// Is it a function of the lab's contract? Those of other exercises are judged for themselves.
static bool in_contract(const void *context, const char *name)
{
    const struct lab_place *place = context;
    bool found = false;
    for (const struct entry *entry = place->entries; !found && entry->name != NULL;
         entry++) {
        char *symbol = build_symbol(place, entry);
        found = symbol != NULL && strcmp(symbol, name) == 0;
        free(symbol);
    }
    return found;
}

static void list_functions(struct repair *repair)
{
    const struct lab_place *place = repair->result->place;
    const struct part *part = repair->result->exercise->parts;
    for (size_t count = 0; part->function != NULL && count < MOST_PARTS; part++) {
        char *symbol = build_symbol(place, part_entry(place, part));
        if (symbol != NULL) {
            repair->functions[count++] = symbol;
        }
    }
}

// Of an explained failure, only what is called an int: a size_t counts.
static void drop_counters(struct repair *repair)
{
    for (size_t i = repair->count; i-- > 0;) {
        if (slip_is_counter(repair->text, &repair->slips[i])) {
            drop(repair, i);
        }
    }
}

static size_t find_kind(struct repair *repair, enum slip_kind kind)
{
    return find_slips(repair->text, (const char *const *)repair->functions, in_contract,
                      repair->result->place, kind, repair->slips);
}

// Returns true if the report names a slip of this kind.
static bool repair_kind(struct repair *repair, enum slip_kind kind)
{
    repair->count = find_kind(repair, kind);
    if (kind == FRACTION_IN_INT && is_explained(repair->result)) {
        drop_counters(repair);
    }
    if (!find_culprits(repair, kind) ||
        (kind == FRACTION_IN_INT && !drops_fractions(repair))) {
        return false;
    }
    report_slips(repair, kind);
    return true;
}

// Of an explained failure, only an int may still be the cause, or a variable that the compiler warns of. There
// are many signs and comparisons: they are tried where numbers are wrong. A crash has its line already, and a
// status its clause.
static bool may_be(const struct repair *repair, int kind)
{
    const struct result *result = repair->result;
    const char *message = repair->run->own[repair->lab].message;
    if (!is_explained(result)) {
        return kind < LOOP_TOO_SHORT || result->wrong_values;
    }
    return kind == FRACTION_IN_INT || (kind == UNSET_VARIABLE && message != NULL &&
                                       strstr(message, "uninitialized]") != NULL);
}

static bool repair_file(struct repair *repair)
{
    bool named = false;
    for (int kind = 0; kind < SLIP_KINDS && !named; kind++) {
        named = may_be(repair, kind) && repair_kind(repair, (enum slip_kind)kind);
    }
    return named;
}

// In a text in which the first of two slips is corrected. Not an int: see passes_with_one.
static bool find_second(struct repair *repair, const char *text)
{
    for (int kind = 0; kind < SLIP_KINDS; kind++) {
        const bool tried = may_be(repair, kind) && kind != FRACTION_IN_INT;
        const size_t count = tried ? find_kind(repair, (enum slip_kind)kind) : 0;
        for (size_t i = 0; i < count; i++) {
            if (passes_with(repair, &repair->slips[i], 1)) {
                repair->slips[0] = repair->slips[i];
                report_two_slips(repair, text, (enum slip_kind)kind);
                return true;
            }
        }
    }
    return false;
}

// After all files: another place in another file may be enough.
static void repair_first_of_two(struct repair *repair)
{
    repair->file = repair->first.file;
    char *text = read_source(repair->run, repair->result->place, repair->file);
    if (text == NULL) {
        return;
    }
    if (repair->first.mistake != NULL) {
        repair->text = text;
        report_mistake_too(repair);
    } else {
        repair->text = change_slips(text, &repair->first.slip, 1);
        find_second(repair, text);
        free(repair->text);
    }
    free(text);
}

static void repair_exercise(struct run *run, size_t lab, struct result *result)
{
    struct repair repair = {.run = run, .lab = lab, .result = result};
    const struct lab_place *place = &run->places[lab];
    bool named = false;
    list_functions(&repair);
    for (; !named && repair.file < MAX_FILES && place->sources[repair.file] != NULL;
         repair.file++) {
        repair.text = read_source(run, place, repair.file);
        named = repair.text != NULL && repair_file(&repair);
        free(repair.text);
    }
    if (!named && repair.first.failures > 0 && !repair.gave_up) {
        repair_first_of_two(&repair);
    }
    for (size_t i = 0; repair.functions[i] != NULL; i++) {
        free(repair.functions[i]);
    }
}

void repair_slips(struct run *run, size_t lab)
{
    if (!may_repair(run, lab)) {
        return;
    }
    for (size_t i = 0; i < run->grading->count; i++) {
        struct result *result = &run->grading->results[i];
        if (result->place == &run->places[lab] && is_failure(result)) {
            repair_exercise(run, lab, result);
        }
    }
}
