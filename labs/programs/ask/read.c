// read.c - reads questions.txt and the values of the predictions. Start reading at read_line.

#define _GNU_SOURCE // POSIX functions

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/ask/questions.h"

const char *const kind_names[KIND_COUNT] = {"predict", "choose", "order", "explain"};

struct reader {
    struct questions *q;
    const char *file;
    size_t line;
    char **open; // the text that an indented line continues; NULL: the text of the question
};

static bool fail(struct reader *r, size_t line, const char *format, ...)
{
    va_list arguments;
    const int n = snprintf(r->q->error, sizeof r->q->error, "%s:%zu: ", r->file, line);
    if (n > 0 && (size_t)n < sizeof r->q->error) {
        va_start(arguments, format);
        vsnprintf(r->q->error + n, sizeof r->q->error - (size_t)n, format, arguments);
        va_end(arguments);
    }
    return false;
}

static void *or_die(void *memory)
{
    if (memory == NULL) {
        fputs("ask: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

static char *copy(const char *text)
{
    return or_die(strdup(text));
}

// Adds text to *all, after the separator.
static void append(char **all, char separator, const char *text)
{
    const size_t old = *all != NULL ? strlen(*all) : 0;
    *all = or_die(realloc(*all, old + strlen(text) + 2));
    snprintf(*all + old, strlen(text) + 2, "%c%s", separator, text);
    if (old == 0) {
        memmove(*all, *all + 1, strlen(*all));
    }
}

static char *trimmed(char *text)
{
    size_t n;
    text += strspn(text, " \t");
    for (n = strlen(text); n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL; n--) {
        text[n - 1] = '\0';
    }
    return text;
}

// ---- numbers ------------------------------------------------------------------------------

bool parse_number(double *value, const char *text)
{
    char *end;
    double divisor;
    text += strspn(text, " \t");
    *value = strtod(text, &end);
    if (end == text) {
        return false;
    }
    end += strspn(end, " \t");
    if (*end == '/') {
        const char *below = end + 1;
        divisor = strtod(below, &end);
        if (end == below) {
            return false;
        }
        *value /= divisor;
    } else if (*end == '%') {
        *value /= 100;
        end++;
    }
    return end[strspn(end, " \t\r\n")] == '\0';
}

bool is_right(const struct question *q, double answer)
{
    return answer == q->right || fabs(answer - q->right) <= q->tolerance;
}

const struct item *wrong_prediction(const struct question *q, double answer)
{
    const struct item *nearest = NULL;
    for (size_t i = 0; i < q->count; i++) {
        const double wrong = q->items[i].value;
        if (answer == wrong || (isnan(answer) && isnan(wrong))) {
            return &q->items[i];
        }
        if (fabs(answer - wrong) <= 0.01 * fabs(wrong) &&
            (nearest == NULL || fabs(answer - wrong) < fabs(answer - nearest->value))) {
            nearest = &q->items[i];
        }
    }
    return nearest;
}

// A number, or the name of a value of predict.c.
static bool find_value(double *value, const struct questions *q, const char *text)
{
    for (size_t i = 0; i < q->values_count; i++) {
        if (strcmp(q->values[i].name, text) == 0) {
            *value = q->values[i].value;
            return true;
        }
    }
    return parse_number(value, text);
}

// ---- lines --------------------------------------------------------------------------------

// "## predict the weight of a masked key"
static bool begin_question(struct reader *r, char *text)
{
    struct questions *q = r->q;
    size_t kind = 0;
    text = trimmed(text);
    const size_t n = strcspn(text, " ");
    while (kind < KIND_COUNT &&
           (strlen(kind_names[kind]) != n || strncmp(text, kind_names[kind], n) != 0)) {
        kind++;
    }
    if (kind == KIND_COUNT) {
        return fail(r, r->line, "a question is predict, choose, order or explain: "
                                "## predict the title");
    }
    if (*trimmed(text + n) == '\0') {
        return fail(r, r->line, "the question has no title: ## %s the title",
                    kind_names[kind]);
    }
    q->all = or_die(realloc(q->all, (q->count + 1) * sizeof *q->all));
    q->all[q->count++] = (struct question){
        .line = r->line, .kind = (enum kind)kind, .title = copy(trimmed(text + n))};
    r->open = NULL;
    return true;
}

// "@ name value", printed by labs/programs/predict
static bool add_value(struct reader *r, char *text)
{
    struct questions *q = r->q;
    text = trimmed(text);
    char *number = text + strcspn(text, " ");
    struct value value;
    if (*number != '\0') {
        *number++ = '\0';
    }
    if (!parse_number(&value.value, number)) {
        return fail(r, r->line, "a value is @ name number");
    }
    value.name = copy(text);
    q->values = or_die(realloc(q->values, (q->values_count + 1) * sizeof value));
    q->values[q->values_count++] = value;
    return true;
}

// A line that begins with a mark.
static bool begin_item(struct reader *r, struct question *question, char mark, char *text)
{
    if (mark == ':' || mark == '=') {
        r->open = mark == ':' ? &question->explanation : &question->name;
        if (*r->open != NULL) {
            if (mark == '=') {
                return fail(r, r->line, "the question has two lines with =");
            }
            append(r->open, '\n', text); // a new paragraph
            return true;
        }
        *r->open = copy(text);
        return true;
    }
    if (question->count == MOST_ITEMS) {
        return fail(r, r->line, "a question has at most %d items", MOST_ITEMS);
    }
    struct item *item = &question->items[question->count++];
    *item = (struct item){.mark = mark, .text = copy(text), .line = r->line};
    r->open = &item->text;
    return true;
}

// In a hand-out, answers are not readable by accident: a line that begins with % holds the rest
// of the line in ROT47.
static void uncover(char *line)
{
    memmove(line, line + 1, strlen(line));
    for (; *line != '\0'; line++) {
        if (*line >= '!' && *line <= '~') {
            *line = (char)('!' + (*line - '!' + 47) % 94);
        }
    }
}

static bool read_line(struct reader *r, char *line)
{
    struct questions *q = r->q;
    struct question *question = q->count > 0 ? &q->all[q->count - 1] : NULL;
    size_t n = strlen(line);
    while (n > 0 && strchr(" \t\r\n", line[n - 1]) != NULL) {
        line[--n] = '\0';
    }
    if (line[0] == '%') {
        uncover(line);
    }
    if (strncmp(line, "## ", 3) == 0) {
        return begin_question(r, line + 3);
    }
    if (line[0] == '#') {
        return true;
    }
    if (line[0] == '@') {
        return add_value(r, line + 1);
    }
    if (line[0] == '\0') {
        if (question != NULL && r->open == NULL && question->text != NULL) {
            append(&question->text, '\n', "");
        }
        return true;
    }
    if (question == NULL) {
        return fail(r, r->line, "a line before the first question: ## predict the title");
    }
    if (strchr("=!+->*:", line[0]) != NULL && line[1] == ' ') {
        return begin_item(r, question, line[0], trimmed(line + 1));
    }
    if (r->open == NULL) {
        append(&question->text, '\n', line);
        return true;
    }
    if (line[0] != ' ') {
        return fail(r, r->line, "this line continues the one above: indent it, or begin it "
                                "with one of = ! + - > * :");
    }
    append(r->open, ' ', trimmed(line));
    return true;
}

static bool read_file(struct reader *r)
{
    FILE *file = fopen(r->file, "r");
    char *line = NULL;
    size_t room = 0;
    bool fine = true;
    if (file == NULL) {
        snprintf(r->q->error, sizeof r->q->error, "cannot read %s: %s", r->file,
                 strerror(errno));
        return false;
    }
    r->line = 0;
    r->open = NULL;
    errno = 0;
    while (fine && getline(&line, &room, file) >= 0) {
        r->line++;
        fine = read_line(r, line);
    }
    if (fine && ferror(file)) {
        snprintf(r->q->error, sizeof r->q->error, "cannot read %s: %s", r->file,
                 strerror(errno));
        fine = false;
    }
    free(line);
    fclose(file);
    return fine;
}

// ---- is a question complete? ---------------------------------------------------------------

static size_t count_marks(const struct question *question, char mark)
{
    size_t n = 0;
    for (size_t i = 0; i < question->count; i++) {
        n += question->items[i].mark == mark;
    }
    return n;
}

// "text | reason" becomes text and reason.
static void cut_reasons(struct question *question)
{
    for (size_t i = 0; i < question->count; i++) {
        struct item *item = &question->items[i];
        char *bar = strstr(item->text, " | ");
        if (bar != NULL) {
            *bar = '\0';
            item->reason = copy(trimmed(bar + 3));
            item->text[strlen(item->text)] = '\0';
        }
    }
}

// "name 2%": the name of the value, and how far an answer may be from it. "name exactly" and
// "name 0.05" (the difference itself) are the other forms.
static bool check_prediction(struct reader *r, struct question *question)
{
    char *word = question->name + strcspn(question->name, " ");
    double tolerance = 0.01;
    if (*word != '\0') {
        *word++ = '\0';
    }
    word = trimmed(word);
    const bool relative = *word == '\0' || word[strlen(word) - 1] == '%';
    if (strcmp(word, "exactly") == 0) {
        tolerance = 0;
    } else if (*word != '\0' && (!parse_number(&tolerance, word) || !(tolerance >= 0))) {
        return fail(r, question->line, "how near is near enough? = %s 2%%, or 0.05, or exactly",
                    question->name);
    }
    if (!find_value(&question->right, r->q, question->name)) {
        return fail(r, question->line, "the lab's predict.c computes no value %s",
                    question->name);
    }
    question->tolerance = tolerance * (relative ? fabs(question->right) : 1);
    if (question->tolerance == 0) {
        question->tolerance = 1e-6 * fabs(question->right); // the value is a rounded float
    }
    for (size_t i = 0; i < question->count; i++) {
        struct item *item = &question->items[i];
        if (!find_value(&item->value, r->q, item->text)) {
            return fail(r, item->line, "a wrong prediction is ! number | why");
        }
        if (is_right(question, item->value)) {
            return fail(r, item->line, "%s counts as right: the value is %.6g", item->text,
                        question->right);
        }
        if (wrong_prediction(question, item->value) != item) {
            return fail(r, item->line, "%s cannot be told from another wrong prediction",
                        item->text);
        }
    }
    return true;
}

// Shuffles what is shown, for each question differently but always in the same way.
static void shuffle(struct question *question, size_t number)
{
    unsigned state = 40503U * (unsigned)(number + 3 * question->letters) + 12345U;
    bool moved = false;
    for (size_t i = question->letters; i-- > 1;) {
        state = state * 1103515245U + 12345U;
        const size_t j = (state >> 16) % (i + 1), old = question->shown[i];
        question->shown[i] = question->shown[j];
        question->shown[j] = old;
    }
    for (size_t i = 1; i < question->letters; i++) {
        moved = moved || question->shown[i] < question->shown[i - 1];
    }
    if (!moved && question->letters > 1) { // steps in the right order would be no question
        const size_t first = question->shown[0];
        question->shown[0] = question->shown[question->letters - 1];
        question->shown[question->letters - 1] = first;
    }
}

static bool check_question(struct reader *r, struct question *question, size_t number)
{
    static const struct {
        const char *marks, *needs;
    } kinds[KIND_COUNT] = {
        {"!", "a line with = and one with ! for each wrong prediction"},
        {"+-", "one line with + and one with - for each wrong option"},
        {">!", "at least three lines with >"},
        {"*", "at least two lines with *"},
    };
    const enum kind kind = question->kind;
    const bool complete[KIND_COUNT] = {
        question->name != NULL && question->count > 0,
        count_marks(question, '+') == 1 && count_marks(question, '-') > 0,
        count_marks(question, '>') >= 3,
        question->count >= 2,
    };
    if (question->text == NULL || question->explanation == NULL) {
        return fail(r, question->line, "the question has no %s",
                    question->text == NULL ? "text" : "explanation: a line with :");
    }
    if (!complete[kind] || (kind != KIND_PREDICT && question->name != NULL)) {
        return fail(r, question->line, "%s needs %s", kind_names[kind], kinds[kind].needs);
    }
    cut_reasons(question);
    for (size_t i = 0; i < question->count; i++) {
        const struct item *item = &question->items[i];
        if (strchr(kinds[kind].marks, item->mark) == NULL) {
            return fail(r, item->line, "a line with %c does not belong to %s", item->mark,
                        kind_names[kind]);
        }
        if (strchr("!-", item->mark) != NULL && item->reason == NULL) {
            return fail(r, item->line, "why is this wrong? %c %s | the reason", item->mark,
                        item->text);
        }
        if (strchr("+->", item->mark) != NULL) {
            question->shown[question->letters++] = i;
        }
    }
    shuffle(question, number);
    return kind != KIND_PREDICT || check_prediction(r, question);
}

bool questions_read(struct questions *q, const char *const *files, size_t count)
{
    struct reader r = {.q = q};
    *q = (struct questions){0};
    for (size_t i = 0; i < count; i++) {
        r.file = files[i];
        if (!read_file(&r)) {
            return false;
        }
    }
    r.file = files[0];
    for (size_t i = 0; i < q->count; i++) {
        if (!check_question(&r, &q->all[i], i)) {
            return false;
        }
    }
    return q->count > 0 || fail(&r, 1, "there is no question: ## predict the title");
}

void questions_close(struct questions *q)
{
    for (size_t i = 0; i < q->count; i++) {
        struct question *question = &q->all[i];
        for (size_t j = 0; j < question->count; j++) {
            free(question->items[j].text);
            free(question->items[j].reason);
        }
        free(question->title);
        free(question->text);
        free(question->explanation);
        free(question->name);
    }
    for (size_t i = 0; i < q->values_count; i++) {
        free(q->values[i].name);
    }
    free(q->values);
    free(q->all);
    *q = (struct questions){0};
}
