// terminal.c - prints the report that students read.

#define _GNU_SOURCE

#include "report/terminal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/cuda.h"
#include "cases/show.h"
#include "grade/grading.h"
#include "judge/options.h"
#include "judge/result.h"
#include "report/next.h"
#include "report/text.h"
#include "report/warnings.h"

enum { MOST_PROFILE_LINES = 24, NARROWEST_NAME = 22, WIDEST_NAME = 32 };

struct paint {
    const char *good, *bad, *faint, *bold, *plain;
};

static const struct paint colors = {"\033[32m", "\033[31m", "\033[2m", "\033[1m",
                                    "\033[0m"};
static const struct paint none = {"", "", "", "", ""};

// Prints text from a student's program or path, made safe for a terminal. Does not add a
// newline.
static void print_clean(FILE *file, const char *text)
{
    char *clean = report_clean(text, strlen(text));
    fputs(clean, file);
    free(clean);
}

// The column of the names of a lab's exercises: all rows have the same.
static int name_width(const struct grading *grading, const struct lab_place *place)
{
    int width = NARROWEST_NAME;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        const int length = (int)strlen(result->exercise->name);
        if (result->place == place && result->asked && length > width) {
            width = length < WIDEST_NAME ? length : WIDEST_NAME;
        }
    }
    return width;
}

// Prints the names of an exercise's functions, as many as fit: "ring_append and ...".
static void print_name(FILE *file, const char *name, int width)
{
    static const char more[] = "...";
    int length = (int)strlen(name);
    if (length <= width) {
        fprintf(file, "%-*s", width, name);
        return;
    }
    length = width - (int)strlen(more);
    while (length > 0 && name[length - 1] != ' ') {
        length--;
    }
    fprintf(file, "%.*s%-*s", length, name, width - length, more);
}

static void print_line(FILE *file, const struct result *result, int width,
                       const struct paint *paint)
{
    bool pass = result->verdict == PASS, todo = result->verdict == TODO;
    bool not_run = result->verdict == NOT_RUN;
    const char *color = pass ? paint->good : todo || not_run ? paint->faint : paint->bad;
    const char *mark = pass ? "✓" : todo ? "·" : not_run ? "-" : "✗";
    char points[32];
    snprintf(points, sizeof points, "%g/%g", result_score(result), result->rule->points);
    fprintf(file, "  %s%s%s %-4s ", color, mark, paint->plain, result->exercise->id);
    print_name(file, result->exercise->name, width);
    fprintf(file, " %7s", points);
    if (todo && strcmp(result->headline, "not written yet") == 0) {
        fprintf(file, "  %stodo%s", paint->faint, paint->plain);
    } else if (not_run) {
        fprintf(file, "  %s%s%s", paint->faint, result->headline, paint->plain);
    } else if (result->verdict == NOCOMPILE) { // its headline says so
        fprintf(file, "  %s%s%s", color, result->headline, paint->plain);
    } else if (!pass) {
        fprintf(file, "  %s%s%s: ", color, verdict_name(result->verdict), paint->plain);
        print_clean(file, result->headline);
    }
    if (pass && result_is_answers(result)) {
        fprintf(file, "  %s(%s)%s", paint->faint, result->headline, paint->plain);
    }
    if (pass && result->note != NULL) {
        fprintf(file, "  %s(%s)%s", paint->faint, result->note, paint->plain);
    }
    fputc('\n', file);
}

static void print_lab(FILE *file, const struct grading *grading,
                      const struct lab_place *place, const struct paint *paint)
{
    double score = 0, points = 0;
    const char *absent = NULL;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (result->place == place && result->asked) {
            score += result_score(result);
            points += result->rule->points;
            absent = result->absent ? result->headline : absent;
        }
    }
    fprintf(file, "%sLab %d  %s%s%s  %s(", paint->bold, place->number, place->lab->title,
            place->gpu ? " on the GPU" : "", paint->plain, paint->faint);
    print_clean(file, grading->options.source);
    fprintf(file, "/%s)%s  %g of %g points\n", place->folder, paint->plain, score,
            points);
    if (absent != NULL) {
        fprintf(file, "  %s%s%s\n", paint->faint, absent, paint->plain);
        return;
    }
    const int width = name_width(grading, place);
    for (size_t i = 0; i < grading->count; i++) {
        if (grading->results[i].place == place && grading->results[i].asked) {
            print_line(file, &grading->results[i], width, paint);
        }
    }
    for (size_t i = 0; i < grading->loan_count; i++) {
        if (grading->loans[i].place == place) {
            fputs(paint->faint, file);
            show_wrapped(file, "  ", grading->loans[i].line);
            fputs(paint->plain, file);
        }
    }
}

// A file that does not compile fails all its exercises, so its errors are shown only once.
static bool said_before(const struct grading *grading, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (grading->results[i].verdict == NOCOMPILE && grading->results[j].asked &&
            grading->results[j].place == grading->results[i].place) {
            return true;
        }
    }
    return false;
}

static void print_failure(FILE *file, const struct grading *grading,
                          const struct result *result, const struct paint *paint)
{
    char *text = report_text(grading, result);
    if (result->verdict == NOCOMPILE) {
        fprintf(file, "\n%s%s%s does not compile\n", paint->bold, result->place->folder,
                paint->plain);
        report_errors(file, grading, result->place, text);
    } else {
        char *title = result_title(result);
        fprintf(file, "\n%s%s%s  %s\n%s", paint->bold, title, paint->plain,
                verdict_name(result->verdict), text);
        free(title);
    }
    free(text);
}

// Prints the first lines of a text, made safe, and a note if there are more.
static void print_lines(FILE *file, const char *text, int most)
{
    char *clean = report_clean(text, strlen(text));
    char *rest = clean;
    for (char *line; most > 0 && (line = strsep(&rest, "\n")) != NULL; most--) {
        fprintf(file, *line != '\0' ? "  %s\n" : "%s", line);
    }
    if (rest != NULL && *rest != '\0') {
        fputs("  ...\n", file);
    }
    free(clean);
}

static void print_warnings(FILE *file, const struct grading *grading,
                           const struct paint *paint)
{
    for (size_t i = 0; i < grading->warning_count; i++) {
        fprintf(file, "\n%s%s%s: the compiler warns\n", paint->bold,
                grading->warnings[i].place->folder, paint->plain);
        report_warnings(file, grading, &grading->warnings[i]);
    }
}

// If a single exercise was selected and passes, shows what its code printed.
static void print_passing(FILE *file, const struct grading *grading)
{
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (grading->options.exercise != NULL && result->asked &&
            result->verdict == PASS) {
            char *text = report_text(grading, result);
            fputs(text, file);
            free(text);
        }
    }
}

// The profile of each kernel, most wasteful line first.
static void print_profiles(FILE *file, const struct grading *grading,
                           const struct paint *paint)
{
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (result->asked && result->profile != NULL) {
            char *title = result_title(result);
            fprintf(file,
                    "\n"
                    "%s%s%s  the memory accesses of each kernel, in the call with the "
                    "most of them\n",
                    paint->bold, title, paint->plain);
            print_lines(file, result->profile, MOST_PROFILE_LINES);
            free(title);
        }
    }
}

static const char *backends(const struct grading *grading)
{
    const struct options *options = &grading->options;
    if (options->gpu == CPU || options->no_cpu) {
        return backend_name(options->gpu);
    }
    return options->gpu == GPU_SIMULATED ? "cpu and gpu-simulated" : "cpu and gpu-device";
}

void report_terminal(FILE *file, const struct grading *grading, bool color)
{
    const struct paint *paint = color ? &colors : &none;
    const struct lab_place *last = NULL;
    double score = 0, points = 0;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (!result->asked) {
            continue;
        }
        if (result->place != last) {
            last = result->place;
            print_lab(file, grading, last, paint);
        }
        score += result_score(result);
        points += result->rule->points;
    }
    for (size_t i = 0; i < grading->count; i++) {
        if (report_needs_words(&grading->results[i])) {
            if (!said_before(grading, i)) {
                print_failure(file, grading, &grading->results[i], paint);
            }
        }
    }
    print_passing(file, grading);
    print_profiles(file, grading, paint);
    print_warnings(file, grading, paint);
    if (grading->options.no_device) {
        fprintf(file,
                "\n"
                "gpu-device  not run: %s; used the simulator instead (docs/gpu.md)\n",
                cuda_not_here());
    }
    if (grading->unseen > 0) {
        fprintf(file,
                "\n"
                ".cu files   not judged: %zu (--backend all also judges them)\n",
                grading->unseen);
    }
    fprintf(file, "\n%s%g of %g points%s  seed %llu, %s, %.2f s\n", paint->bold, score,
            points, paint->plain, (unsigned long long)grading->options.seed,
            backends(grading), grading->seconds);
    report_next(file, grading);
}
