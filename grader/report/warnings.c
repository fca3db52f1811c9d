// warnings.c - shows the compiler warnings about judged functions, most useful first, and
// the number of other warnings. The errors of a file that does not compile are in errors.c.

#define _GNU_SOURCE
#include "report/warnings.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grade/grading.h"
#include "judge/result.h"
#include "report/errors.h"
#include "report/text.h"

enum { MOST_WARNINGS = 3, MOST_LINES = 6, MOST_FOUND = 256, MOST_ALL_LINES = 2000 };

struct warning {
    // the line "...: In function 'softmax_rows':"; empty outside functions
    struct span function;
    struct span text; // its own lines, with the notes that follow it
    size_t rank;
};

// Ordered by how often they explain a wrong result. Warnings not in the table come last.
static size_t rank_of(struct span line)
{
    static const char *const kinds[] = {"uninitialized",
                                        "return-type",
                                        "array-bounds",
                                        "stringop-overflow",
                                        "div-by-zero",
                                        "return-local",
                                        "misleading-indentation",
                                        "parentheses",
                                        "dangling-else",
                                        "empty-body",
                                        "sequence-point",
                                        "sign-compare",
                                        "type-limits",
                                        "bool-",
                                        "int-in-bool",
                                        "unused-value",
                                        "unused-result",
                                        "unused-but-set",
                                        "unused-variable",
                                        "implicit-fallthrough"};
    size_t rank = 0, count = sizeof kinds / sizeof *kinds;
    struct span option = {memrchr(line.start, '[', line.size), 0};
    if (option.start == NULL) {
        return count;
    }
    option.size = line.size - (size_t)(option.start - line.start);
    while (rank < count && !span_holds(option, kinds[rank])) {
        rank++;
    }
    return rank;
}

// The compiler repeats a warning for each copy of the code that it makes.
static bool is_among(struct span line, const struct warning *warnings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct span other = warnings[i].text;
        if (other.size >= line.size && memcmp(other.start, line.start, line.size) == 0) {
            return true;
        }
    }
    return false;
}

static size_t read_warnings(const char *text, struct warning warnings[MOST_FOUND])
{
    size_t count = 0;
    struct span function = {text, 0};
    struct warning *last = NULL;
    for (const char *end; *text != '\0'; text = *end != '\0' ? end + 1 : end) {
        end = strchrnul(text, '\n');
        const struct span line = {text, (size_t)(end - text)};
        if (span_names_function(line)) {
            function = line;
            last = NULL;
        } else if (span_holds(line, ": At ") ||
                   span_holds(line, "In file included from ")) {
            function.size = 0;
            last = NULL;
        } else if (span_holds(line, ": warning: ")) {
            last = count < MOST_FOUND && !is_among(line, warnings, count)
                       ? &warnings[count++]
                       : NULL;
            if (last != NULL) {
                *last = (struct warning){function, line, rank_of(line)};
            }
        } else if (last != NULL) {
            last->text.size = (size_t)(end - last->text.start);
        }
    }
    return count;
}

// Returns true if a line of the compiler names this function. C++ lines include the
// arguments.
static bool is_in(struct span line, const char *function, const char *suffix)
{
    char *alone = grader_print("'%s%s'", function, suffix);
    char *first = grader_print("'%s%s(", function, suffix);
    char *typed = grader_print(" %s%s(", function, suffix);
    bool found =
        span_holds(line, alone) || span_holds(line, first) || span_holds(line, typed);
    free(alone);
    free(first);
    free(typed);
    return found;
}

static bool is_of(const struct warning *warning, const struct result *result)
{
    const struct part *part = result->exercise->parts;
    for (; part->function != NULL; part++) {
        if (is_in(warning->function, part->function, result->place->gpu ? "_gpu" : "")) {
            return true;
        }
    }
    return false;
}

// Returns true if the warning is in a function of another exercise. Helpers belong to all
// exercises.
static bool is_elsewhere(const struct grading *grading, const struct lab_place *place,
                         const struct warning *warning)
{
    const struct exercise *const *exercise = place->lab->exercises;
    bool asked = false, other = false;
    for (; *exercise != NULL; exercise++) {
        const struct result of = {.exercise = *exercise, .place = place};
        const struct result *result = grade_find_on(grading, (*exercise)->id, place->gpu);
        bool here = is_of(warning, &of);
        asked = asked || (here && result != NULL && result->asked);
        other = other || here;
    }
    return other && !asked;
}

static int compare(const void *one, const void *other)
{
    const struct warning *a = one, *b = other;
    return a->rank != b->rank               ? (a->rank < b->rank ? -1 : 1)
           : a->text.start < b->text.start  ? -1
           : a->text.start == b->text.start ? 0
                                            : 1;
}

// Writes the lines of a text, indented, and frees it.
static void write_lines(FILE *file, char *text, int most)
{
    size_t size = strlen(text);
    size -= size > 0 && text[size - 1] == '\n';
    char *clean = report_clean(text, size);
    char *rest = clean;
    for (char *line; most > 0 && (line = strsep(&rest, "\n")) != NULL; most--) {
        fprintf(file, "  %s\n", line);
    }
    free(clean);
    free(text);
}

static void write_warning(FILE *file, struct span warning,
                          const struct complaint *complaint)
{
    struct text text;
    text_begin(&text);
    errors_write_one(text.file, warning, complaint);
    write_lines(file, text_end(&text), MOST_LINES);
}

static void write_all(FILE *file, const struct complaint *complaint)
{
    struct text text;
    text_begin(&text);
    errors_write(text.file, complaint);
    write_lines(file, text_end(&text), MOST_ALL_LINES);
}

// elsewhere: how many of the rest are in functions of exercises that were not asked for.
static void write_rest(FILE *file, const struct grading *grading,
                       const struct lab_place *place, size_t shown, size_t rest,
                       size_t elsewhere)
{
    const struct again again = {
        .lab = place->number, .gpu = place->gpu, .show = "warnings"};
    const bool foreign = grading->options.untrusted || grading->options.strangers;
    // The student's copy is elsewhere, and a report on untrusted code has no path of this machine.
    char *command = foreign ? grader_print("make check LAB=%d%s WARNINGS=1",
                                           place->number, place->gpu ? " GPU=1" : "")
                            : options_command(&grading->options, &again);
    char *clean = report_clean(command, strlen(command));
    const bool all = elsewhere == rest;
    fprintf(file, "  %s%zu %swarning%s", shown > 0 ? "and " : "", rest,
            shown > 0 && !all ? "more " : "", rest == 1 ? "" : "s");
    const char *others = elsewhere == 1 ? "another exercise" : "other exercises";
    if (elsewhere > 0 && all) {
        fprintf(file, " in %s", others);
    } else if (elsewhere > 0) {
        fprintf(file, ", %zu of them in %s", elsewhere, others);
    }
    fprintf(file, ": %s shows %s\n", clean, shown + rest == 1 ? "it" : "them all");
    free(clean);
    free(command);
}

void report_warnings(FILE *file, const struct grading *grading, const struct warnings *of)
{
    struct warning *found = grader_alloc(MOST_FOUND * sizeof *found);
    size_t count = read_warnings(of->text, found), shown = 0, kept = 0;
    const struct complaint complaint = {.source = grading->options.source,
                                        .place = of->place,
                                        .text = of->text,
                                        .warnings = true};
    if (grading->options.warnings) {
        write_all(file, &complaint);
        free(found);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_elsewhere(grading, of->place, &found[i])) {
            found[kept++] = found[i];
        }
    }
    qsort(found, kept, sizeof *found, compare);
    for (; shown < kept && shown < MOST_WARNINGS; shown++) {
        write_warning(file, found[shown].text, &complaint);
    }
    if (count > shown) {
        write_rest(file, grading, of->place, shown, count - shown, count - kept);
    }
    free(found);
}

void report_errors(FILE *file, const struct grading *grading,
                   const struct lab_place *place, const char *text)
{
    const bool has_errors =
        strstr(text, ": error: ") != NULL || strstr(text, ": fatal error: ") != NULL;
    if (!has_errors) {
        fputs(text, file);
        return;
    }
    const struct complaint complaint = {.source = grading->options.source,
                                        .place = place,
                                        .text = text,
                                        .warnings = grading->options.warnings};
    const size_t warnings = errors_write(file, &complaint);
    if (warnings > 0) {
        write_rest(file, grading, place, 0, warnings, 0);
    }
}

// The warnings about the functions of one exercise.
static void write_own_warnings(FILE *file, const struct grading *grading,
                               const struct result *result, const struct warnings *of)
{
    struct warning *found = grader_alloc(MOST_FOUND * sizeof *found);
    const size_t count = read_warnings(of->text, found);
    const struct complaint complaint = {.source = grading->options.source,
                                        .place = of->place,
                                        .text = of->text,
                                        .warnings = true};
    size_t shown = 0;
    qsort(found, count, sizeof *found, compare);
    for (size_t i = 0; i < count && shown < MOST_WARNINGS; i++) {
        if (is_of(&found[i], result)) {
            fputs(shown++ == 0 ? "  the compiler warns:\n" : "", file);
            write_warning(file, found[i].text, &complaint);
        }
    }
    free(found);
}

char *report_failure(const struct grading *grading, const struct result *result)
{
    char *text = report_text(grading, result);
    struct text all;
    text_begin(&all);
    if (result->verdict == NOCOMPILE) {
        report_errors(all.file, grading, result->place, text);
    } else {
        fputs(text, all.file);
    }
    for (size_t i = 0; i < grading->warning_count; i++) {
        const bool fails = result->verdict != PASS && result->verdict != TODO;
        if (fails && grading->warnings[i].place == result->place) {
            write_own_warnings(all.file, grading, result, &grading->warnings[i]);
        }
    }
    free(text);
    return text_end(&all);
}
