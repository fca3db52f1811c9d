// terminal.c - the report a student reads.

#define _GNU_SOURCE
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WARNING_LINES = 12 };

struct paint {
    const char *good, *bad, *faint, *bold, *plain;
};

static const struct paint colours = {"\033[32m", "\033[31m", "\033[2m", "\033[1m",
                                     "\033[0m"};
static const struct paint none = {"", "", "", "", ""};

static void print_line(FILE *file, const struct result *result, const struct paint *paint)
{
    bool pass = result->verdict == PASS, todo = result->verdict == TODO;
    const char *colour = pass ? paint->good : todo ? paint->faint : paint->bad;
    const char *mark = pass ? "✓" : todo ? "·" : "✗";
    char points[32];
    snprintf(points, sizeof points, "%g/%g", result_score(result), result->rule->points);
    fprintf(file, "  %s%s%s %-4s %-22s %7s", colour, mark, paint->plain,
            result->exercise->id, result->exercise->name, points);
    if (todo) {
        fprintf(file, "  %stodo%s", paint->faint, paint->plain);
        if (result->headline != NULL && strstr(result->headline, "there is no") != NULL) {
            fprintf(file, ": %s", result->headline);
        }
    } else if (!pass) {
        fprintf(file, "  %s%s%s: %s", colour, verdict_name(result->verdict), paint->plain,
                result->headline);
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
    fprintf(file, "%sLab %d  %s%s  %s(%s/%s)%s  %g of %g points\n", paint->bold,
            place->number, place->lab->title, paint->plain, paint->faint,
            grading->options.source, place->folder, paint->plain, score, points);
    if (absent != NULL) {
        fprintf(file, "  %s%s%s\n", paint->faint, absent, paint->plain);
        return;
    }
    for (size_t i = 0; i < grading->count; i++) {
        if (grading->results[i].place == place && grading->results[i].asked) {
            print_line(file, &grading->results[i], paint);
        }
    }
}

static bool needs_words(const struct result *result)
{
    return result->asked && result->verdict != PASS && result->verdict != TODO;
}

// A file that does not compile fails all of its exercises: its errors are shown once.
static bool said_before(const struct grading *grading, size_t i)
{
    return i > 0 && grading->results[i].verdict == NOCOMPILE &&
           grading->results[i - 1].verdict == NOCOMPILE &&
           grading->results[i - 1].place == grading->results[i].place &&
           grading->results[i - 1].asked;
}

static void print_failure(FILE *file, const struct grading *grading,
                          const struct result *result, const struct paint *paint)
{
    char *text = report_text(grading, result);
    if (result->verdict == NOCOMPILE) {
        fprintf(file, "\n%s%s%s does not compile\n%s", paint->bold, result->place->folder,
                paint->plain, text);
    } else {
        fprintf(file, "\n%s%s %s%s  %s: %s\n%s", paint->bold, result->exercise->id,
                result->exercise->name, paint->plain, verdict_name(result->verdict),
                result->headline, text);
    }
    free(text);
}

// The first lines of a text, cleaned; a note when there are more.
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
        print_lines(file, grading->warnings[i].text, MOST_WARNING_LINES);
    }
}

// What to do next, for someone who has just begun or just got further.
static void print_next(FILE *file, const struct grading *grading)
{
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (result->asked && result->verdict == TODO && !result->absent) {
            fprintf(file, "next: %s %s in %s/%s/%s (hint: make hint EX=%s)\n",
                    result->exercise->id, result->exercise->name, grading->options.source,
                    result->place->folder, result->place->sources[0],
                    result->exercise->id);
            return;
        }
    }
}

void report_terminal(FILE *file, const struct grading *grading, bool colour)
{
    const struct paint *paint = colour ? &colours : &none;
    const struct lab_place *last = NULL;
    double score = 0, points = 0;
    bool failed = false;
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
        if (needs_words(&grading->results[i])) {
            failed = true;
            if (!said_before(grading, i)) {
                print_failure(file, grading, &grading->results[i], paint);
            }
        }
    }
    print_warnings(file, grading, paint);
    fprintf(file, "\n%s%g of %g points%s  seed %llu, cpu, %.2f s\n", paint->bold, score,
            points, paint->plain, (unsigned long long)grading->options.seed,
            grading->seconds);
    if (!failed) {
        print_next(file, grading);
    }
}
