// platforms.c - the result formats of Classroom 50 and Autolab.

#define _GNU_SOURCE

#include "report/platforms.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "grade/grading.h"
#include "judge/result.h"
#include "report/text.h"

static cJSON *checked(cJSON *item)
{
    if (item == NULL) {
        grader_fail("out of memory");
    }
    return item;
}

static void from_environment(cJSON *object, const char *name, const char *variable,
                             const char *otherwise)
{
    const char *value = getenv(variable);
    value = value != NULL && *value != '\0' ? value : otherwise;
    char *clean = report_clean(value, strlen(value));
    checked(cJSON_AddStringToObject(object, name, clean));
    free(clean);
}

// Rounds each exercise's points, because this format allows only whole numbers.
static double add_test(cJSON *tests, const struct result *result, double *most)
{
    char *title = result_title(result);
    double points = round(result->rule->points);
    double score = result->verdict == PASS ? points : 0;
    cJSON *test = checked(cJSON_CreateObject());
    checked(cJSON_AddStringToObject(test, "test-name", title));
    checked(cJSON_AddBoolToObject(test, "passed", result->verdict == PASS));
    checked(cJSON_AddNumberToObject(test, "score", score));
    checked(cJSON_AddNumberToObject(test, "max-score", points));
    cJSON_AddItemToArray(tests, test);
    free(title);
    *most += points;
    return score;
}

bool report_classroom50(const char *path, const struct grading *grading)
{
    char moment[32];
    time_t now = time(NULL);
    struct tm time;
    strftime(moment, sizeof moment, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &time));
    const char *commit = getenv("COMMIT_URL") != NULL ? getenv("COMMIT_URL") : "unknown";
    cJSON *root = checked(cJSON_CreateObject());
    checked(cJSON_AddStringToObject(root, "schema", "classroom50/result/v1"));
    from_environment(root, "classroom", "CLASSROOM", "unknown");
    from_environment(root, "assignment", "ASSIGNMENT", "unknown");
    from_environment(root, "submission", "SUBMISSION_TAG", "unknown");
    from_environment(root, "commit", "COMMIT_URL", "unknown");
    from_environment(root, "release", "RELEASE_URL", "unknown");
    from_environment(root, "review", "REVIEW_URL", commit);
    checked(cJSON_AddStringToObject(root, "datetime", moment));
    cJSON *tests = checked(cJSON_CreateArray());
    double score = 0, most = 0;
    for (size_t i = 0; i < grading->count; i++) {
        if (grading->results[i].asked) {
            score += add_test(tests, &grading->results[i], &most);
        }
    }
    checked(cJSON_AddNumberToObject(root, "score", score));
    checked(cJSON_AddNumberToObject(root, "max-score", most));
    cJSON_AddItemToObject(root, "tests", tests);
    char *text = cJSON_Print(root);
    if (text == NULL) {
        grader_fail("out of memory");
    }
    bool written = report_write(path, text, strlen(text));
    cJSON_free(text);
    cJSON_Delete(root);
    return written;
}

void report_autolab(FILE *file, const struct grading *grading)
{
    bool first = true;
    fputs("{\"scores\":{", file);
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        double score = 0;
        bool any = false;
        for (size_t i = 0; i < grading->count; i++) {
            const struct result *result = &grading->results[i];
            if (result->asked && result->place->number == place->number) {
                score += result_score(result);
                any = true;
            }
        }
        if (any) {
            fprintf(file, "%s\"Lab %d\":%g", first ? "" : ",", place->number, score);
            first = false;
        }
    }
    fputs("}}\n", file);
}
