// clusters.c - wrong results that several hand-ins have and no known mistake explains: perhaps a
// mistake that deserves a name (triage.h).
//
// Two hand-ins with the same mistake rarely have the same bits, because one adds in float and the
// other in double. So results are equal if they agree in two digits, and numbers that are tiny
// beside the largest one are 0.

#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/triage.h"
#include "report/html.h"

enum { MOST_CLUSTERS = 8 };

static const double tiny = 1e-3;

static double largest(const cJSON *values)
{
    double most = 0;
    const cJSON *value;
    cJSON_ArrayForEach(value, values)
    {
        double size = cJSON_IsNumber(value) ? fabs(value->valuedouble) : 0;
        most = isfinite(size) && size > most ? size : most;
    }
    return most;
}

// " 7.8 0 nan"
static void write_values(FILE *file, const cJSON *values)
{
    double most = largest(values);
    const cJSON *value;
    cJSON_ArrayForEach(value, values)
    {
        if (cJSON_IsNumber(value)) {
            bool zero = fabs(value->valuedouble) <= tiny * most;
            fprintf(file, " %.1e", zero ? 0.0 : value->valuedouble);
        } else if (cJSON_IsString(value)) { // "nan", "inf"
            fprintf(file, " %s", value->valuestring);
        } else {
            fputs(" ?", file);
        }
    }
}

// What a call (docs/formats.md) got, rounded: function, sizes and outputs. Caller frees; NULL if
// there is nothing to compare.
static char *outcome_of(const char *call)
{
    cJSON *json = cJSON_Parse(call);
    const char *function = cJSON_GetStringValue(cJSON_GetObjectItem(json, "function"));
    const char *sizes = cJSON_GetStringValue(cJSON_GetObjectItem(json, "sizes"));
    struct text text;
    text_begin(&text);
    fprintf(text.file, "%s %s", function != NULL ? function : "",
            sizes != NULL ? sizes : "");
    bool any = false;
    const cJSON *tensor;
    cJSON_ArrayForEach(tensor, cJSON_GetObjectItem(json, "tensors"))
    {
        const cJSON *got = cJSON_GetObjectItem(tensor, "got");
        any = any || got != NULL;
        if (got != NULL) {
            fputs(" |", text.file);
            write_values(text.file, got);
        }
    }
    cJSON_Delete(json);
    char *outcome = text_end(&text);
    if (!any) {
        free(outcome);
        outcome = NULL;
    }
    return outcome;
}

// The SQL function outcome(call).
static void outcome(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const char *call = (const char *)sqlite3_value_text(arguments[0]);
    char *text = call != NULL ? outcome_of(call) : NULL;
    if (text != NULL) {
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_result_null(context);
    }
    free(text);
}

static const char find_clusters[] =
    "SELECT title, count(DISTINCT mark.grading) AS many, count(*), min(output), "
    "group_concat(name, ', '), outcome(call) AS got FROM standing JOIN mark ON "
    "mark.grading = standing.grading JOIN student ON student.id = student WHERE lab = ? "
    "AND verdict = 'wrong' AND diagnosis IS NULL AND call NOT NULL AND hidden = 0 GROUP "
    "BY exercise, mark.backend, got HAVING many > 1 AND got NOT NULL ORDER BY 3 DESC, "
    "place LIMIT ?";

static void write_cluster(FILE *file, sqlite3_stmt *row)
{
    fprintf(file, "<tr><td class=\"number\">%d</td><td>", sqlite3_column_int(row, 2));
    html_text(file, gradebook_text(row, 0));
    fputs("</td><td>", file);
    html_text(file, gradebook_text(row, 4));
    fputs("<details><summary>the report</summary><pre>", file);
    html_text(file, gradebook_text(row, 3));
    fputs("</pre></details></td></tr>\n", file);
}

// Equal results of the smallest failing case, in hand-ins with different files.
void triage_clusters(struct report *report, FILE *file, int lab)
{
    bool any = false;
    sqlite3_create_function(report->book.db, "outcome", 1,
                            SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, outcome, NULL,
                            NULL);
    sqlite3_stmt *row = gradebook_query(&report->book, find_clusters, "ii", (int64_t)lab,
                                        (int64_t)MOST_CLUSTERS);
    while (gradebook_next(&report->book, &row)) {
        fputs(any ? ""
                  : "<h3>Equal wrong results that no known mistake explains</h3>\n"
                    "<table><tr><th class=\"number\">students</th><th>exercise</th>"
                    "<th>who, and one report</th></tr>\n",
              file);
        any = true;
        write_cluster(file, row);
    }
    fputs(any ? "</table>\n" : "", file);
}
