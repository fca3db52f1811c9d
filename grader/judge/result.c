// result.c - see result.h.

#include "judge/result.h"

#include <stdlib.h>

#include "base/memory.h"

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [PASS] = "pass",           [WRONG] = "wrong",
        [TODO] = "todo",           [CRASH] = "crash",
        [TIMEOUT] = "timeout",     [MEMORY] = "memory",
        [NOCOMPILE] = "nocompile", [GRADER_ERROR] = "grader_error",
        [NOT_RUN] = "not_run",
    };
    return names[verdict];
}

void result_clear(struct result *result)
{
    free(result->headline);
    free(result->note);
    free(result->lent);
    free(result->details);
    free(result->printed);
    free(result->profile);
    free(result->call);
}

char *result_title(const struct result *result)
{
    return grader_print("%s %s%s", result->exercise->id, result->exercise->name,
                        result->place->gpu ? " (gpu)" : "");
}

bool result_is_answers(const struct result *result)
{
    return result->exercise->parts == NULL;
}

double result_score(const struct result *result)
{
    return result->verdict == PASS ? result->rule->points : 0;
}
