// right.c - see right.h.

#include "programs/ask/right.h"

#include <ctype.h>
#include <string.h>

const struct item *chosen_item(const struct question *question, const char *line)
{
    const size_t letter = (size_t)(tolower((unsigned char)line[0]) - 'a');
    if (letter >= question->letters || line[1] != '\0') {
        return NULL;
    }
    return &question->items[question->shown[letter]];
}

bool read_letters(size_t *places, const struct question *question, const char *line)
{
    size_t n = 0, used = 0;
    for (; *line != '\0'; line++) {
        const size_t letter = (size_t)(tolower((unsigned char)*line) - 'a');
        if (strchr(" \t,", *line) != NULL) {
            continue;
        }
        if (letter >= question->letters || (used & (size_t)1 << letter) != 0) {
            return false;
        }
        used |= (size_t)1 << letter;
        places[n++] = question->shown[letter];
    }
    return n == question->letters;
}

static bool is_right_order(const struct question *question, const char *line)
{
    size_t places[MOST_ITEMS], same = 0;
    if (!read_letters(places, question, line)) {
        return false;
    }
    while (same < question->letters && places[same] == same) {
        same++;
    }
    return same == question->letters;
}

bool answer_is_right(const struct question *question, const char *line)
{
    const struct item *item;
    double value;
    switch (question->kind) {
    case KIND_PREDICT:
        return parse_number(&value, line) && is_right(question, value);
    case KIND_CHOOSE:
        item = chosen_item(question, line);
        return item != NULL && item->mark == '+';
    case KIND_ORDER:
        return is_right_order(question, line);
    default:
        return strlen(line) >= EXPLANATION_LEAST;
    }
}
