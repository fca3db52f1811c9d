// judge.c - judges one answer, and says why it is wrong.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/ask/judge.h"
#include "programs/ask/right.h"
#include "programs/ask/show.h"

static enum verdict wrong_because(const struct item *item)
{
    show_text(TONE_WRONG, 2, "  ", "Not quite:");
    show_text(TONE_PLAIN, 2, "  ", item->reason);
    return WRONG;
}

static enum verdict judge_prediction(const struct question *question, const char *line,
                                     bool last_try)
{
    double answer;
    if (!parse_number(&answer, line)) {
        puts("  A number, please, such as 0.25, 1/4, 25% or 1e-3.\n");
        return UNREADABLE;
    }
    if (is_right(question, answer)) {
        return RIGHT;
    }
    const struct item *known = wrong_prediction(question, answer);
    if (known != NULL) {
        return wrong_because(known);
    }
    const bool other_sign = answer * question->right < 0;
    show_text(TONE_WRONG, 2, "  ",
              isnan(answer) ? "No, it is a number."
              : last_try    ? "No."
              : other_sign  ? "No, and the value has the other sign."
              : fabs(answer) < fabs(question->right) ? "No, the value is further from 0."
                                                     : "No, the value is closer to 0.");
    return WRONG;
}

static enum verdict judge_choice(const struct question *question, const char *line,
                                 bool last_try)
{
    (void)last_try; // every wrong choice has its own reason
    const struct item *item = chosen_item(question, line);
    if (item == NULL) {
        printf("  One letter, please, from a to %c.\n\n",
               (char)('a' + question->letters - 1));
        return UNREADABLE;
    }
    return item->mark == '+' ? RIGHT : wrong_because(item);
}

// The item whose wrong order this is, or NULL.
static const struct item *wrong_order(const struct question *question,
                                      const size_t *places)
{
    size_t wrong[MOST_ITEMS];
    const size_t n = question->letters;
    for (size_t i = 0; i < question->count; i++) {
        if (question->items[i].mark == '!' &&
            read_order(wrong, question->items[i].text, n) &&
            memcmp(wrong, places, n * sizeof *wrong) == 0) {
            return &question->items[i];
        }
    }
    return NULL;
}

static enum verdict judge_order(const struct question *question, const char *line,
                                bool last_try)
{
    size_t places[MOST_ITEMS], same = 0;
    const size_t n = question->letters;
    if (!read_letters(places, question, line)) {
        puts("  Each letter once, please, the first step first, such as: b a c\n");
        return UNREADABLE;
    }
    while (same < n && places[same] == same) {
        same++;
    }
    if (same == n) {
        return RIGHT;
    }
    const struct item *known = wrong_order(question, places);
    if (known != NULL) {
        return wrong_because(known);
    }
    char text[80];
    snprintf(text, sizeof text, "No. The first %zu of %zu %s right.", same, n,
             same == 1 ? "is" : "are");
    show_text(TONE_WRONG, 2, "  ",
              last_try    ? "No."
              : same == 0 ? "No. Something else comes first."
                          : text);
    return WRONG;
}

enum verdict judge_answer(const struct question *question, const char *line,
                          bool last_try)
{
    static enum verdict (*const judges[])(const struct question *, const char *, bool) = {
        judge_prediction, judge_choice, judge_order};
    return judges[question->kind](question, line, last_try);
}
