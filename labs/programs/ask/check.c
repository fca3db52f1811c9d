// check.c - is a question complete, and can its answers be told apart?

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "programs/ask/reader.h"

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
            item->reason = copied(trimmed(bar + 3));
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
        return reader_fail(r, question->line,
                           "how close is close enough? = %s 2%%, or 0.05, or exactly",
                           question->name);
    }
    if (!find_value(&question->right, r->q, question->name)) {
        return reader_fail(r, question->line, "the lab's predict.c computes no value %s",
                           question->name);
    }
    question->tolerance = tolerance * (relative ? fabs(question->right) : 1);
    if (question->tolerance == 0) {
        question->tolerance =
            1e-6 * fabs(question->right); // the value is a rounded float
    }
    for (size_t i = 0; i < question->count; i++) {
        struct item *item = &question->items[i];
        if (!find_value(&item->value, r->q, item->text)) {
            return reader_fail(r, item->line, "a wrong prediction is ! number | why");
        }
        if (is_right(question, item->value)) {
            return reader_fail(r, item->line, "%s counts as right: the value is %.6g",
                               item->text, question->right);
        }
        if (wrong_prediction(question, item->value) != item) {
            return reader_fail(r, item->line,
                               "%s cannot be distinguished from another wrong prediction",
                               item->text);
        }
    }
    return true;
}

bool read_order(size_t *places, const char *text, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        char *end;
        const size_t step = strtoul(text, &end, 10);
        if (end == text || step < 1 || step > n || (used & (size_t)1 << step) != 0) {
            return false;
        }
        used |= (size_t)1 << step;
        places[i] = step - 1;
        text = end;
    }
    return text[strspn(text, " ")] == '\0';
}

static bool is_right_order(const size_t *places, size_t n)
{
    size_t same = 0;
    while (same < n && places[same] == same) {
        same++;
    }
    return same == n;
}

static bool check_orders(struct reader *r, const struct question *question)
{
    size_t places[MOST_ITEMS];
    for (size_t i = 0; i < question->count; i++) {
        const struct item *item = &question->items[i];
        if (item->mark != '!') {
            continue;
        }
        if (!read_order(places, item->text, question->letters)) {
            return reader_fail(
                r, item->line,
                "a wrong order is ! and each of the numbers 1 to %zu once | why",
                question->letters);
        }
        if (is_right_order(places, question->letters)) {
            return reader_fail(r, item->line, "%s is the right order", item->text);
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
    if (!moved &&
        question->letters > 1) { // steps in the right order would be no question
        const size_t first = question->shown[0];
        question->shown[0] = question->shown[question->letters - 1];
        question->shown[question->letters - 1] = first;
    }
}

bool check_question(struct reader *r, struct question *question, size_t number)
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
        return reader_fail(r, question->line, "the question has no %s",
                           question->text == NULL ? "text"
                                                  : "explanation: a line with :");
    }
    if (!complete[kind] || (kind != KIND_PREDICT && question->name != NULL)) {
        return reader_fail(r, question->line, "%s needs %s", kind_names[kind],
                           kinds[kind].needs);
    }
    if (count_marks(question, '>') > 9) {
        return reader_fail(r, question->line, "an order has at most 9 steps");
    }
    cut_reasons(question);
    for (size_t i = 0; i < question->count; i++) {
        const struct item *item = &question->items[i];
        if (strchr(kinds[kind].marks, item->mark) == NULL) {
            return reader_fail(r, item->line, "a line with %c does not belong to %s",
                               item->mark, kind_names[kind]);
        }
        if (strchr("!-", item->mark) != NULL && item->reason == NULL) {
            return reader_fail(r, item->line, "why is this wrong? %c %s | the reason",
                               item->mark, item->text);
        }
        if (item->mark == '>' && question->letters != i) {
            return reader_fail(r, item->line, "the steps come before the wrong orders");
        }
        if (strchr("+->", item->mark) != NULL) {
            question->shown[question->letters++] = i;
        }
    }
    shuffle(question, number);
    return kind == KIND_PREDICT ? check_prediction(r, question)
           : kind == KIND_ORDER ? check_orders(r, question)
                                : true;
}
