// ask.c - see ask.h.

#include "class/ask.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/call.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/show.h"
#include "cases/tables.h"

enum {
    LARGEST_SIZE = 8,      // of a call to work out by hand
    MOST_ELEMENTS = 64,    // of one of its tensors
    MOST_CANDIDATES = 128, // index expressions, mistakes
    LIKE_FUNCTION = 100,   // how much a called function says about a sentence (line_for)
};

void question_free(struct question *question)
{
    free(question->ask);
    free(question->call);
    free(question->answer);
    *question = (struct question){.ask = NULL};
}

// The same numbers for the same student, other ones for the neighbour.
static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static size_t choose(const struct subject *subject, int salt, size_t count)
{
    return (size_t)(mixed(subject->seed + (uint64_t)salt) % count);
}

// "1.3, attention_scores (attention.c, lines 61 to 77)". Caller frees.
static char *name_of(const struct subject *subject)
{
    return grader_print("%s, %s (%s, lines %u to %u)", subject->exercise->id,
                        subject->part->function, subject->code->file,
                        (unsigned)subject->code->first, (unsigned)subject->code->last);
}

// ---- a small call -------------------------------------------------------------------------

// How good the sizes of a case are for a question: small, different, none of them 1; -1: too
// large.
static int goodness(const struct case_spec *spec)
{
    long sizes[MAX_DIMS];
    size_t count = 0;
    int good = spec->note != NULL && strstr(spec->note, "by hand") != NULL;
    if (spec->gpu_only || spec->launch_only || spec->nan || spec->apart) {
        return -1;
    }
    for (const char *at = strchr(spec->dims, '='); at != NULL; at = strchr(at, '=')) {
        at++;
        long size = strtol(at, NULL, 10);
        if (size < 1 || size > LARGEST_SIZE || strncmp(at + 1, "..", 2) == 0 ||
            count == MAX_DIMS) {
            return -1;
        }
        bool other = size > 1;
        for (size_t i = 0; i < count; i++) {
            other = other && sizes[i] != size;
        }
        good += 2 * other;
        sizes[count++] = size;
    }
    return good;
}

static bool is_small(const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (test->tensor[i].count > MOST_ELEMENTS) {
            return false;
        }
    }
    return test->tensors > 0 && test->expected_status == LAB_OK;
}

// Unit normals have too many digits for the board: quarters.
static void round_inputs(struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        struct tensor *tensor = &test->tensor[i];
        for (size_t e = 0; tensor->data != NULL && tensor->spec->type == F32 &&
                           e < tensor->count && e < MOST_ELEMENTS;
             e++) {
            float *value = (float *)tensor->data + e;
            *value = roundf(*value * 4.0f) / 4.0f + 0.0f; // -0 becomes 0
        }
    }
}

// A call of the part with numbers of this student's, and the solution's results. An empty list
// if the part has no small one.
static struct case_list small_call(const struct subject *subject)
{
    const struct case_spec *best = NULL;
    int good = -1;
    for (const struct case_spec *spec = subject->part->cases;
         spec != NULL && spec->dims != NULL; spec++) {
        int now = goodness(spec);
        best = now > good ? spec : best;
        good = now > good ? now : good;
    }
    if (best == NULL) {
        return (struct case_list){.cases = NULL};
    }
    struct case_spec one = *best;
    one.draws = 1;
    struct case_list list = cases_of(subject->part, &one, subject->seed);
    if (list.count > 0 && one.fill == NULL) {
        round_inputs(&list.cases[0]);
    }
    cases_expect(&list, part_entry(subject->place, subject->part));
    if (list.count == 0 || !is_small(&list.cases[0])) {
        cases_free(&list);
        return (struct case_list){.cases = NULL};
    }
    return list;
}

static void write_number(FILE *file, const struct tensor *tensor, const void *values,
                         size_t i)
{
    const char *at = (const char *)values + i * tensor->element_size;
    switch (tensor->spec->type) {
    case F32:
        fprintf(file, "%.6g", (double)((const float *)values)[i]);
        break;
    case U8:
        fprintf(file, "%u", *(const uint8_t *)at);
        break;
    case I8:
        fprintf(file, "%d", *(const int8_t *)at);
        break;
    default:
        fprintf(file, "%zu", ((const size_t *)values)[i]);
    }
}

// "q (2, 4)" and its rows.
static void write_tensor(FILE *file, const struct tensor *tensor, const void *values)
{
    fprintf(file, "%s (%s)\n", tensor->spec->name, tensor->spec->shape);
    for (size_t i = 0; i < tensor->count; i++) {
        fputs(i % tensor->columns == 0 ? "    " : "  ", file);
        write_number(file, tensor, values, i);
        fputs((i + 1) % tensor->columns == 0 || i + 1 == tensor->count ? "\n" : "", file);
    }
}

// The call with its inputs. Caller frees.
static char *call_of(const struct test_case *test)
{
    struct text text;
    char sizes[128];
    text_begin(&text);
    case_describe(test, sizes, sizeof sizes);
    fprintf(text.file, "%s(%s)\n", test->part->function, sizes);
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->absent) {
            fprintf(text.file, "%s is NULL\n", tensor->spec->name);
        } else if (tensor->data != NULL && tensor->spec->role != WITHHELD) {
            write_tensor(text.file, tensor, tensor->data);
        }
    }
    return text_end(&text);
}

// ---- the failing call ---------------------------------------------------------------------

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
        char *name = name_of(subject);
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

// ---- an index -----------------------------------------------------------------------------

// An index expression whose value is known for some values of its loops.
struct reading {
    struct code_index index;
    struct code_values values;
    const struct tensor *tensor;
    long place;
    char size[32];  // a size in the expression, and another one for the question
    char other[32]; // why not this one
    long wrong;     // the place with it
};

static const struct tensor *input_named(const struct test_case *test, const char *name)
{
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->data != NULL && !tensor->absent && tensor->spec->role == INPUT &&
            strcmp(tensor->spec->name, name) == 0) {
            return tensor;
        }
    }
    return NULL;
}

// The sizes of a call, by the names of the contract.
static struct code_values sizes_of(const struct test_case *test)
{
    struct code_values values = {.count = 0};
    char name[32];
    size_t place = 0;
    for (const char *at = test->part->dims; *at != '\0' && place < test->dims; place++) {
        int used = 0;
        if (sscanf(at, " %31s%n", name, &used) != 1) {
            break;
        }
        code_set(&values, name, (long)test->dim[place]);
        at += used;
    }
    return values;
}

// Gives every loop variable in the expression a value below its bound. Returns false if there is
// another name in it.
static bool bind_loops(const struct subject *subject, const struct code_values *sizes,
                       struct reading *reading)
{
    char name[32], bound[32];
    for (size_t i = reading->index.from; i < reading->index.to; i++) {
        code_word(subject->code, i, name);
        if (!isalpha((unsigned char)name[0]) || code_get(sizes, name) != NULL) {
            continue;
        }
        const struct code_value *most = NULL;
        if (code_bound(subject->code, reading->index.from, name, bound)) {
            most = code_get(sizes, bound);
        }
        if (most == NULL || most->value < 1) {
            return false;
        }
        long value = most->value == 1
                         ? 0
                         : 1 + (long)choose(subject, (int)i, (size_t)most->value - 1);
        code_set(&reading->values, name, value);
    }
    return true;
}

// Another size in place of one in the expression, which leads elsewhere.
static bool find_other(const struct subject *subject, const struct code_values *sizes,
                       struct reading *reading)
{
    char name[32];
    for (size_t i = reading->index.from; i < reading->index.to; i++) {
        code_word(subject->code, i, name);
        const struct code_value *size = code_get(sizes, name);
        for (size_t o = 0; size != NULL && o < sizes->count; o++) {
            struct code_values changed = reading->values;
            code_set(&changed, name, sizes->list[o].value);
            if (sizes->list[o].value != size->value &&
                code_evaluate(subject->code, reading->index.from, reading->index.to,
                              &changed, &reading->wrong) &&
                reading->wrong != reading->place) {
                snprintf(reading->size, sizeof reading->size, "%s", name);
                snprintf(reading->other, sizeof reading->other, "%s",
                         sizes->list[o].name);
                return true;
            }
        }
    }
    return false;
}

static bool try_reading(const struct subject *subject, const struct test_case *test,
                        struct reading *reading)
{
    struct code_values sizes = sizes_of(test);
    reading->values = sizes;
    reading->tensor = input_named(test, reading->index.name);
    return reading->tensor != NULL && bind_loops(subject, &sizes, reading) &&
           code_evaluate(subject->code, reading->index.from, reading->index.to,
                         &reading->values, &reading->place) &&
           reading->place >= 0 && (size_t)reading->place < reading->tensor->count &&
           find_other(subject, &sizes, reading);
}

// "t = 1, i = 2": the loop variables of the expression.
static char *loops_of(const struct subject *subject, const struct reading *reading,
                      const struct test_case *test)
{
    struct code_values sizes = sizes_of(test);
    struct text text;
    text_begin(&text);
    for (size_t i = sizes.count; i < reading->values.count; i++) {
        fprintf(text.file, "%s%s = %ld", i > sizes.count ? ", " : "",
                reading->values.list[i].name, reading->values.list[i].value);
    }
    (void)subject;
    return text_end(&text);
}

static char *index_answer(const struct reading *reading, const char *expression)
{
    struct text text;
    const struct tensor *tensor = reading->tensor;
    text_begin(&text);
    fprintf(text.file, "%s[%s] is %s[%ld], the element ", tensor->spec->name, expression,
            tensor->spec->name, reading->place);
    show_element(text.file, tensor, (size_t)reading->place);
    fputs(" = ", text.file);
    write_number(text.file, tensor, tensor->data, (size_t)reading->place);
    fprintf(text.file, ". With %s instead of %s it would be %s[%ld], ", reading->other,
            reading->size, tensor->spec->name, reading->wrong);
    if (reading->wrong >= 0 && (size_t)reading->wrong < tensor->count) {
        fputs("the element ", text.file);
        show_element(text.file, tensor, (size_t)reading->wrong);
        fputs(" = ", text.file);
        write_number(text.file, tensor, tensor->data, (size_t)reading->wrong);
        fputs(": another number.", text.file);
    } else {
        fprintf(text.file, "which is outside of %s: it has %zu elements.",
                tensor->spec->name, tensor->count);
    }
    fprintf(text.file, " %s is (%s), so its rows are %zu apart.", tensor->spec->name,
            tensor->spec->shape, tensor->columns);
    return text_end(&text);
}

static void make_index_question(const struct subject *subject,
                                const struct test_case *test,
                                const struct reading *reading, struct question *question)
{
    char *expression = code_text(subject->code, reading->index.from, reading->index.to);
    char *loops = loops_of(subject, reading, test);
    char *name = name_of(subject);
    *question = (struct question){
        .ask = grader_print(
            "Line %u of your %s reads %s[%s]. Which number is that in this "
            "call%s%s? Why is it %s there, and not %s: which number would "
            "that be?",
            (unsigned)reading->index.line, name, reading->index.name, expression,
            *loops != '\0' ? ", for " : "", loops, reading->size, reading->other),
        .call = call_of(test),
        .answer = index_answer(reading, expression),
        .first = reading->index.line,
        .last = reading->index.line};
    free(name);
    free(loops);
    free(expression);
}

bool ask_index(const struct subject *subject, struct question *question)
{
    struct case_list list = small_call(subject);
    struct reading *found = grader_alloc(MOST_CANDIDATES * sizeof *found);
    struct code_index index;
    size_t count = 0;
    for (size_t after = 0; list.count > 0 && count < MOST_CANDIDATES &&
                           code_next_index(subject->code, after, &index);
         after = index.from) {
        found[count] = (struct reading){.index = index};
        count += try_reading(subject, &list.cases[0], &found[count]);
    }
    if (count > 0) {
        make_index_question(subject, &list.cases[0], &found[choose(subject, 1, count)],
                            question);
    }
    free(found);
    cases_free(&list);
    return count > 0;
}

// ---- a line that has to do with it --------------------------------------------------------

// How well a token goes with a word: the function sqrtf says more about "sqrt(d)" than d does.
static int likeness(const struct code *code, size_t token, const char *word)
{
    char has[32];
    code_word(code, token, has);
    size_t length = strlen(word);
    bool same = strncmp(has, word, length) == 0 &&
                (has[length] == '\0' || (has[length] == 'f' && has[length + 1] == '\0'));
    bool called = code->tokens.list[token].kind == TOKEN_NAME && // not "if ("
                  code_is(code, token + 1, "(");
    return !same || strcmp(word, "a") == 0 ? 0 : called ? LIKE_FUNCTION : 1;
}

// The line of the function that has most of the words of a sentence, and how many.
static int line_for(const struct code *code, const char *sentence, uint32_t *line)
{
    int best = 0, score = 0;
    uint32_t current = 0;
    for (size_t i = code->from; i < code->to; i++) {
        uint32_t at = code->tokens.list[i].line;
        score = at == current ? score : 0;
        current = at;
        for (const char *word = sentence; *word != '\0';) {
            char one[32];
            size_t length = 0;
            while (isalnum((unsigned char)word[length]) || word[length] == '_') {
                length++;
            }
            snprintf(one, sizeof one, "%.*s", (int)length, word);
            int more = length > 0 ? likeness(code, i, one) : 0;
            // However often sizes come, they say less than one function.
            score += more < LIKE_FUNCTION && score % LIKE_FUNCTION > 50 ? 0 : more;
            word += length > 0 ? length : 1;
        }
        if (score > best) {
            best = score;
            *line = current;
        }
    }
    return best;
}

// The lines to show: that one, or all.
static void show_lines(struct question *question, const struct code *code, uint32_t line)
{
    question->first = line != 0 ? line : code->first;
    question->last = line != 0 ? line : code->last;
}

// ---- another input ------------------------------------------------------------------------

enum change { TO_ZERO, TWICE, NEGATED, CHANGES };
static const char *const change_words[CHANGES] = {"becomes 0", "is doubled",
                                                  "changes its sign"};

static void change_row(struct tensor *tensor, size_t row, enum change change)
{
    float *values = (float *)tensor->data + row * tensor->columns;
    for (size_t i = 0; i < tensor->columns; i++) {
        values[i] = change == TO_ZERO ? 0.0f
                    : change == TWICE ? 2.0f * values[i]
                                      : -values[i];
    }
}

// An F32 input with numbers, chosen for this student; MAX_TENSORS if there is none.
static size_t choose_input(const struct subject *subject, const struct test_case *test)
{
    size_t fits[MAX_TENSORS], count = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->spec->role == INPUT && tensor->spec->type == F32 && !tensor->absent &&
            tensor->count > 0) {
            fits[count++] = i;
        }
    }
    return count > 0 ? fits[choose(subject, 2, count)] : MAX_TENSORS;
}

// The first output of F32.
static size_t main_output(const struct test_case *test)
{
    size_t i = 0;
    while (i < test->tensors &&
           !(tensor_is_judged(&test->tensor[i]) && test->tensor[i].spec->type == F32)) {
        i++;
    }
    return i;
}

static bool row_differs(const struct tensor *a, const struct tensor *b, size_t row)
{
    return memcmp((float *)a->expected + row * a->columns,
                  (float *)b->expected + row * a->columns,
                  a->columns * sizeof(float)) != 0;
}

static bool all_finite(const struct tensor *tensor)
{
    for (size_t i = 0; i < tensor->count; i++) {
        if (!isfinite(((float *)tensor->expected)[i])) {
            return false;
        }
    }
    return true;
}

static char *change_answer(const struct tensor *before, const struct tensor *after)
{
    struct text text;
    size_t rows = before->count / before->columns, changed = 0;
    text_begin(&text);
    for (size_t row = 0; row < rows; row++) {
        changed += row_differs(before, after, row);
    }
    fprintf(text.file, "%zu of %zu rows of %s change%s. Before:\n", changed, rows,
            before->spec->name, changed == 1 ? "s" : "");
    write_tensor(text.file, before, before->expected);
    fputs("After:\n", text.file);
    write_tensor(text.file, after, after->expected);
    return text_end(&text);
}

static void make_change_question(const struct subject *subject,
                                 const struct test_case *test,
                                 const struct tensor *changed, size_t row,
                                 enum change change, const struct tensor *before,
                                 const struct tensor *after, struct question *question)
{
    uint32_t line = 0;
    int fits = line_for(subject->code, changed->spec->name, &line);
    char *name = name_of(subject);
    char *where =
        fits > 0 ? grader_print("Line %u reads %s. ", (unsigned)line, changed->spec->name)
                 : grader_print("%s", "");
    char *what = changed->axes > 1
                     ? grader_print("row %zu of %s", row, changed->spec->name)
                     : grader_print("%s", changed->spec->name);
    *question = (struct question){
        .ask =
            grader_print("Take your %s, and this call. %sNow %s %s, and nothing else "
                         "changes. What changes in %s, and what does the first row that "
                         "changes become?",
                         name, where, what, change_words[change], before->spec->name),
        .call = call_of(test),
        .answer = change_answer(before, after)};
    free(what);
    show_lines(question, subject->code, line);
    free(where);
    free(name);
}

bool ask_change(const struct subject *subject, struct question *question)
{
    struct case_list first = small_call(subject), second = small_call(subject);
    bool found = false;
    size_t input = first.count > 0 ? choose_input(subject, &first.cases[0]) : MAX_TENSORS;
    size_t output = first.count > 0 ? main_output(&first.cases[0]) : 0;
    if (input < MAX_TENSORS && output < first.cases[0].tensors) {
        struct tensor *changed = &second.cases[0].tensor[input];
        size_t row = choose(subject, 3, changed->count / changed->columns);
        enum change change = (enum change)choose(subject, 4, CHANGES);
        change_row(changed, row, change);
        cases_expect(&second, part_entry(subject->place, subject->part));
        const struct tensor *before = &first.cases[0].tensor[output];
        const struct tensor *after = &second.cases[0].tensor[output];
        found =
            second.cases[0].expected_status == LAB_OK && all_finite(before) &&
            all_finite(after) &&
            memcmp(before->expected, after->expected, before->count * sizeof(float)) != 0;
        if (found) {
            make_change_question(subject, &first.cases[0], changed, row, change, before,
                                 after, question);
        }
    }
    cases_free(&first);
    cases_free(&second);
    return found;
}

// ---- a known mistake ----------------------------------------------------------------------

// The first element that a mistake makes wrong.
static size_t first_wrong(const struct tensor *tensor, const float *values)
{
    size_t i = 0;
    while (i < tensor->count && close_enough(values[i], ((float *)tensor->expected)[i],
                                             tensor->atol, tensor->rtol)) {
        i++;
    }
    return i;
}

// A mistake's results in a call, if they show in a number.
struct trial {
    const struct mistake *mistake;
    const struct tensor *tensor;
    size_t element;
    float value;
    uint32_t line; // of the student's code that has to do with it, or 0
    int fits;
};

static bool try_mistake(const struct subject *subject, const struct test_case *test,
                        const struct mistake *mistake, struct trial *trial)
{
    void *output[MAX_TENSORS];
    const struct entry *entry = part_entry(subject->place, subject->part);
    lab_status status = case_call(test, entry->call, mistake->function, output);
    size_t place = main_output(test);
    bool shows = false;
    if (status == LAB_OK && place < test->tensors && output[place] != NULL) {
        const struct tensor *tensor = &test->tensor[place];
        size_t element = first_wrong(tensor, output[place]);
        shows = element < tensor->count &&
                isfinite(((float *)tensor->expected)[element]) &&
                isfinite(((float *)output[place])[element]);
        if (shows) {
            *trial = (struct trial){
                mistake, tensor, element, ((float *)output[place])[element], 0, 0};
            trial->fits = line_for(subject->code, mistake->what, &trial->line);
        }
    }
    case_free_outputs(output);
    return shows;
}

// Keeps the trials that fit a line best.
static size_t keep_best(struct trial *trials, size_t count)
{
    int best = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        best = trials[i].fits > best ? trials[i].fits : best;
    }
    for (size_t i = 0; i < count; i++) {
        if (trials[i].fits == best) {
            trials[kept++] = trials[i];
        }
    }
    return kept;
}

static void make_mistake_question(const struct subject *subject,
                                  const struct test_case *test, const struct trial *trial,
                                  struct question *question)
{
    struct text ask, answer;
    char *name = name_of(subject);
    text_begin(&ask);
    fprintf(ask.file,
            "Suppose that your %s had a mistake: %s. Which line would differ, which "
            "value would ",
            name, trial->mistake->what);
    show_element(ask.file, trial->tensor, trial->element);
    fputs(" have in this call, which value should it have, and why?", ask.file);
    text_begin(&answer);
    show_element(answer.file, trial->tensor, trial->element);
    fprintf(answer.file, " would be %.6g instead of %.6g. %s", (double)trial->value,
            (double)((float *)trial->tensor->expected)[trial->element],
            trial->mistake->why);
    if (trial->fits >= LIKE_FUNCTION) {
        char *line = code_line(subject->code, trial->line);
        fprintf(answer.file, " Line %u may be the one: %s", (unsigned)trial->line,
                line + strspn(line, " \t"));
        free(line);
    }
    *question = (struct question){.ask = text_end(&ask),
                                  .call = call_of(test),
                                  .answer = text_end(&answer),
                                  .first = subject->code->first,
                                  .last = subject->code->last};
    free(name);
}

bool ask_mistake(const struct subject *subject, struct question *question)
{
    struct case_list list = small_call(subject);
    struct trial *trials = grader_alloc(MOST_CANDIDATES * sizeof *trials);
    size_t count = 0;
    const struct mistake *mistake = subject->part->mistakes;
    for (; list.count > 0 && mistake != NULL && mistake->id != NULL; mistake++) {
        bool own =
            subject->diagnosis != NULL && strcmp(mistake->id, subject->diagnosis) == 0;
        if (!own && !mistake->gpu && !mistake->convention && mistake->why != NULL &&
            count < MOST_CANDIDATES) {
            count += try_mistake(subject, &list.cases[0], mistake, &trials[count]);
        }
    }
    count = keep_best(trials, count);
    if (count > 0) {
        make_mistake_question(subject, &list.cases[0], &trials[choose(subject, 5, count)],
                              question);
    }
    free(trials);
    cases_free(&list);
    return count > 0;
}
