// json.c - Gradescope's results.json, the native form (docs/formats.md).

#include "report/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "grade/grading.h"
#include "judge/result.h"
#include "report/text.h"
#include "report/warnings.h"

static cJSON *checked(cJSON *item)
{
    if (item == NULL) {
        grader_fail("out of memory");
    }
    return item;
}

static void add_string(cJSON *object, const char *name, const char *value)
{
    checked(cJSON_AddStringToObject(object, name, value));
}

static void add_number(cJSON *object, const char *name, double value)
{
    checked(cJSON_AddNumberToObject(object, name, value));
}

static cJSON *extra_data(const struct grading *grading, const struct result *result)
{
    cJSON *extra = checked(cJSON_CreateObject());
    add_string(extra, "verdict", verdict_name(result->verdict));
    if (result->diagnosis != NULL) {
        add_string(extra, "diagnosis", result->diagnosis);
    } else {
        checked(cJSON_AddNullToObject(extra, "diagnosis"));
    }
    char seed[32]; // a string: 64 bits do not fit in a JSON number
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)grading->options.seed);
    add_string(extra, "seed", seed);
    add_string(extra, "backend", backend_name(result->backend));
    if (result->hidden) {
        checked(cJSON_AddTrueToObject(extra, "hidden"));
    }
    if (result->unjudged) {
        checked(cJSON_AddTrueToObject(extra, "unjudged"));
    }
    if (grading->hung != NULL) {
        add_string(extra, "hung", grading->hung);
    }
    if (result->call != NULL && !result->traced) {
        checked(cJSON_AddRawToObject(extra, "call", result->call));
    }
    return extra;
}

static cJSON *test_entry(const struct grading *grading, const struct result *result)
{
    cJSON *test = checked(cJSON_CreateObject());
    char *name = result_title(result);
    // The output of passing code belongs on its author's terminal, not on a page with
    // marks.
    char *text = result->verdict == PASS ? report_judged_with(result)
                                         : report_failure(grading, result);
    char *headline = report_clean(result->headline, strlen(result->headline));
    const bool says_it = result->verdict == NOCOMPILE; // "does not compile"
    char *output =
        result->verdict == PASS
            ? grader_print("passes\n%s", text)
            : grader_print("%s%s%s\n%s", says_it ? "" : verdict_name(result->verdict),
                           says_it ? "" : ": ", headline, text);
    add_string(test, "name", name);
    add_string(test, "number", result->exercise->id);
    add_number(test, "score", result_score(result));
    add_number(test, "max_score", result->rule->points);
    add_string(test, "status", result->verdict == PASS ? "passed" : "failed");
    add_string(test, "output", output);
    add_string(test, "output_format", "text");
    checked(cJSON_AddItemToObject(test, "extra_data", extra_data(grading, result))
                ? test
                : NULL);
    free(name);
    free(text);
    free(headline);
    free(output);
    return test;
}

bool report_json(const char *path, const struct grading *grading)
{
    cJSON *root = checked(cJSON_CreateObject());
    double score = 0;
    for (size_t i = 0; i < grading->count; i++) {
        score += grading->results[i].asked ? result_score(&grading->results[i]) : 0;
    }
    add_number(root, "score", score);
    add_number(root, "execution_time", round(grading->seconds * 1000) / 1000);
    add_string(root, "output_format", "text");
    cJSON *tests = checked(cJSON_AddArrayToObject(root, "tests"));
    for (size_t i = 0; i < grading->count; i++) {
        if (grading->results[i].asked) {
            cJSON_AddItemToArray(tests, test_entry(grading, &grading->results[i]));
        }
    }
    char *text = cJSON_Print(root);
    if (text == NULL) {
        grader_fail("out of memory");
    }
    char *line = grader_print("%s\n", text);
    bool written = report_write(path, line, strlen(line));
    free(line);
    cJSON_free(text);
    cJSON_Delete(root);
    return written;
}
