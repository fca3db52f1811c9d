// junit.c - JUnit XML, for continuous integration.

#include "report/junit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grade/grading.h"
#include "judge/result.h"
#include "report/text.h"
#include "report/warnings.h"

// As usual in JUnit, a crash or a failure of the grader is an <error>, and a wrong answer a
// <failure>.
static const char *element(enum verdict verdict)
{
    return verdict == WRONG || verdict == TODO ? "failure" : "error";
}

static void write_case(FILE *file, const struct grading *grading,
                       const struct result *result)
{
    char *title = result_title(result);
    fprintf(file, "    <testcase classname=\"%s\" name=\"%s\"", result->place->folder,
            title);
    free(title);
    if (result->verdict == PASS) {
        fputs("/>\n", file);
        return;
    }
    char *headline = report_clean(result->headline, strlen(result->headline));
    char *text = report_failure(grading, result);
    fprintf(file, ">\n      <%s type=\"%s\" message=\"", element(result->verdict),
            verdict_name(result->verdict));
    report_escape(file, headline, true);
    fputs("\">", file);
    report_escape(file, text, false);
    fprintf(file, "</%s>\n    </testcase>\n", element(result->verdict));
    free(headline);
    free(text);
}

static void write_suite(FILE *file, const struct grading *grading,
                        const struct lab_place *place)
{
    int tests = 0, failures = 0, errors = 0;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (result->place == place && result->asked) {
            tests++;
            bool failed = result->verdict != PASS;
            bool error = failed && strcmp(element(result->verdict), "error") == 0;
            errors += error;
            failures += failed && !error;
        }
    }
    if (tests == 0) {
        return;
    }
    fprintf(file,
            "  <testsuite name=\"%s%s\" tests=\"%d\" failures=\"%d\" "
            "errors=\"%d\" skipped=\"0\">\n",
            place->folder, place->gpu ? " (gpu)" : "", tests, failures, errors);
    for (size_t i = 0; i < grading->count; i++) {
        if (grading->results[i].place == place && grading->results[i].asked) {
            write_case(file, grading, &grading->results[i]);
        }
    }
    fputs("  </testsuite>\n", file);
}

bool report_junit(const char *path, const struct grading *grading)
{
    struct text text;
    text_begin(&text);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", text.file);
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        write_suite(text.file, grading, place);
    }
    for (const struct lab_place *place = gpu_places; place->folder != NULL; place++) {
        write_suite(text.file, grading, place);
    }
    fputs("</testsuites>\n", text.file);
    char *string = text_end(&text);
    bool written = report_write(path, string, strlen(string));
    free(string);
    return written;
}
