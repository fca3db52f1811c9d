// read.c - reads questions.txt and the values of the predictions. Start reading at read_line.

#define _GNU_SOURCE // POSIX functions

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/ask/reader.h"

const char *const kind_names[KIND_COUNT] = {"predict", "choose", "order", "explain"};

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
        return reader_fail(r, r->line,
                           "a question is predict, choose, order or explain: "
                           "## predict the title");
    }
    if (*trimmed(text + n) == '\0') {
        return reader_fail(r, r->line, "the question has no title: ## %s the title",
                           kind_names[kind]);
    }
    q->all = or_die(realloc(q->all, (q->count + 1) * sizeof *q->all));
    q->all[q->count++] = (struct question){
        .line = r->line, .kind = (enum kind)kind, .title = copied(trimmed(text + n))};
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
        return reader_fail(r, r->line, "a value is @ name number");
    }
    value.name = copied(text);
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
                return reader_fail(r, r->line, "the question has two lines with =");
            }
            append(r->open, '\n', text); // a new paragraph
            return true;
        }
        *r->open = copied(text);
        return true;
    }
    if (question->count == MOST_ITEMS) {
        return reader_fail(r, r->line, "a question has at most %d items", MOST_ITEMS);
    }
    struct item *item = &question->items[question->count++];
    *item = (struct item){.mark = mark, .text = copied(text), .line = r->line};
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
        r->blank = true;
        return true;
    }
    if (question == NULL) {
        return reader_fail(r, r->line,
                           "a line before the first question: ## predict the title");
    }
    if (strchr("=!+->*:", line[0]) != NULL && line[1] == ' ') {
        return begin_item(r, question, line[0], trimmed(line + 1));
    }
    if (r->open == NULL) {
        if (r->blank && question->text != NULL) {
            append(&question->text, '\n', ""); // a new paragraph
        }
        r->blank = false;
        append(&question->text, '\n', line);
        return true;
    }
    if (line[0] != ' ') {
        return reader_fail(r, r->line,
                           "this line continues the one above: indent it, or begin it "
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
    return q->count > 0 ||
           reader_fail(&r, 1, "there is no question: ## predict the title");
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
