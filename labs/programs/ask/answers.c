// answers.c - prints the answers that questions.txt lists, for instructors and tests.

#include <stdio.h>

#include "programs/ask/answers.h"

// The letter that shows an item.
static char letter_of(const struct question *question, size_t item)
{
    size_t letter = 0;
    while (question->shown[letter] != item) {
        letter++;
    }
    return (char)('a' + letter);
}

static void print_order(const struct question *question, const char *what,
                        const size_t *places, const char *reason)
{
    fputs(what, stdout);
    for (size_t i = 0; i < question->letters; i++) {
        putchar(letter_of(question, places[i]));
    }
    printf("\t%s\n", reason);
}

static void print_item(const struct question *question, size_t i, size_t number)
{
    const struct item *item = &question->items[i];
    size_t places[MOST_ITEMS];
    switch (question->kind) {
    case KIND_PREDICT:
        printf("%zu\twrong\t%.9g\t%s\n", number, item->value, item->reason);
        break;
    case KIND_CHOOSE:
        printf("%zu\t%s\t%c\t%s\n", number, item->mark == '+' ? "right" : "wrong",
               letter_of(question, i), item->mark == '+' ? "" : item->reason);
        break;
    case KIND_ORDER:
        if (item->mark == '!' && read_order(places, item->text, question->letters)) {
            printf("%zu", number);
            print_order(question, "\twrong\t", places, item->reason);
        }
        break;
    default:
        break;
    }
}

static void print_right(const struct question *question, size_t number)
{
    size_t places[MOST_ITEMS];
    for (size_t i = 0; i < MOST_ITEMS; i++) {
        places[i] = i;
    }
    if (question->kind == KIND_PREDICT) {
        printf("%zu\tright\t%.9g\t\n", number, question->right);
    } else if (question->kind == KIND_ORDER) {
        printf("%zu", number);
        print_order(question, "\tright\t", places, "");
    } else if (question->kind == KIND_EXPLAIN) {
        printf("%zu\tpoints\t%zu\t\n", number, question->count);
    }
}

void print_answers(const struct questions *q)
{
    for (size_t i = 0; i < q->count; i++) {
        print_right(&q->all[i], i + 1);
        for (size_t j = 0; j < q->all[i].count; j++) {
            print_item(&q->all[i], j, i + 1);
        }
    }
}
