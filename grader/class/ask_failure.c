// ask_failure.c - see ask_failure.h.

#include "class/ask_failure.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "class/ask_call.h"

static const struct mistake *mistake_of(const struct part *part, const char *id)
{
    const struct mistake *mistake = part->mistakes;
    while (id != NULL && mistake != NULL && mistake->id != NULL &&
           strcmp(mistake->id, id) != 0) {
        mistake++;
    }
    return id != NULL && mistake != NULL && mistake->id != NULL ? mistake : NULL;
}

static void write_values(FILE *file, const cJSON *tensor, const cJSON *values)
{
    const cJSON *shape = cJSON_GetObjectItem(tensor, "shape");
    const cJSON *last = cJSON_GetArrayItem(shape, cJSON_GetArraySize(shape) - 1);
    int columns = last != NULL && last->valueint > 0 ? last->valueint : 1, i = 0;
    const cJSON *value;
    cJSON_ArrayForEach(value, values)
    {
        fputs(i % columns == 0 ? "    " : "  ", file);
        if (cJSON_IsNumber(value)) {
            fprintf(file, "%.6g", value->valuedouble);
        } else {
            fputs(cJSON_IsString(value) ? value->valuestring : "not written", file);
        }
        i++;
        fputs(i % columns == 0 ? "\n" : "", file);
    }
    fputs(i % columns != 0 ? "\n" : "", file);
}

static const char *string_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
    return text != NULL ? text : "";
}

// The inputs of a call as JSON. Caller frees; NULL if they are not all there, or too many.
static char *inputs_of(const cJSON *call)
{
    struct text text;
    bool whole = true;
    text_begin(&text);
    fprintf(text.file, "%s(%s)\n", string_of(call, "function"), string_of(call, "sizes"));
    const cJSON *tensor;
    cJSON_ArrayForEach(tensor, cJSON_GetObjectItem(call, "tensors"))
    {
        const cJSON *values = cJSON_GetObjectItem(tensor, "values");
        bool output = strcmp(string_of(tensor, "role"), "output") == 0;
        if (cJSON_IsTrue(cJSON_GetObjectItem(tensor, "absent"))) {
            fprintf(text.file, "%s is NULL\n", string_of(tensor, "name"));
        } else if (!output) {
            whole = whole && values != NULL &&
                    cJSON_GetArraySize(values) <= 2 * MOST_ELEMENTS;
            fprintf(text.file, "%s (%s)\n", string_of(tensor, "name"),
                    string_of(tensor, "axes"));
            write_values(text.file, tensor, values);
        }
    }
    char *inputs = text_end(&text);
    if (!whole) {
        free(inputs);
        inputs = NULL;
    }
    return inputs;
}

// The first output with a wrong value.
static const cJSON *wrong_output(const cJSON *call)
{
    const cJSON *tensor;
    cJSON_ArrayForEach(tensor, cJSON_GetObjectItem(call, "tensors"))
    {
        const cJSON *wrong = cJSON_GetObjectItem(tensor, "wrong");
        if (cJSON_IsNumber(wrong) && wrong->valuedouble > 0) {
            return tensor;
        }
    }
    return NULL;
}

// What the student's code got in its failing call, what is right, and the diagnosis.
static char *failure_answer(const struct subject *subject, const cJSON *output)
{
    struct text text;
    const struct mistake *known = mistake_of(subject->part, subject->diagnosis);
    text_begin(&text);
    fprintf(text.file, "Right:\n");
    write_values(text.file, output, cJSON_GetObjectItem(output, "expected"));
    fprintf(text.file, "The hand-in returned:\n");
    write_values(text.file, output, cJSON_GetObjectItem(output, "got"));
    if (known != NULL) {
        fprintf(text.file, "A known mistake gives the same (%s): %s. %s", known->id,
                known->what, known->why != NULL ? known->why : "");
    } else {
        fprintf(text.file, "No known mistake gives this in all failing calls.");
    }
    return text_end(&text);
}

bool ask_failure(const struct subject *subject, struct question *question)
{
    cJSON *call = subject->call != NULL ? cJSON_Parse(subject->call) : NULL;
    const cJSON *output = wrong_output(call);
    char *inputs = output != NULL ? inputs_of(call) : NULL;
    bool found =
        inputs != NULL &&
        cJSON_GetArraySize(cJSON_GetObjectItem(output, "expected")) <= MOST_ELEMENTS &&
        cJSON_GetArraySize(cJSON_GetObjectItem(output, "got")) > 0;
    if (found) {
        char *name = subject_name(subject);
        *question = (struct question){
            .ask =
                grader_print("Your %s fails in this call. Which values should %s have? "
                             "Which of your lines makes the difference, and what does "
                             "your code return instead?",
                             name, string_of(output, "name")),
            .call = grader_print("%s", inputs),
            .answer = failure_answer(subject, output),
            .first = subject->code->first,
            .last = subject->code->last};
        free(name);
    }
    free(inputs);
    cJSON_Delete(call);
    return found;
}
