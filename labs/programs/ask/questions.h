// questions.h - the questions of a lab (labs/NN/questions.txt; the format is in
// docs/formats.md), read and checked.

#ifndef LAB_ASK_QUESTIONS_H
#define LAB_ASK_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum kind { KIND_PREDICT, KIND_CHOOSE, KIND_ORDER, KIND_EXPLAIN, KIND_COUNT };
extern const char *const kind_names[KIND_COUNT];

enum { MOST_ITEMS = 12 };

// A line with a mark: an option (+ -), a wrong prediction or order (!), a step (>), a point of a
// checklist (*).
struct item {
    char mark;
    char *text;   // up to the '|'
    char *reason; // behind it; NULL if there is none
    size_t line;
    double value; // of a wrong prediction
};

struct question {
    size_t line;
    enum kind kind;
    char *title, *text;
    char *explanation;
    struct item items[MOST_ITEMS];
    size_t count;
    // Only for KIND_PREDICT:
    char *name;       // of the value in predict.c
    double right;     // the value
    double tolerance; // the largest accepted difference
    // Only for KIND_CHOOSE and KIND_ORDER: letter i shows item shown[i].
    size_t shown[MOST_ITEMS], letters;
};

struct value {
    char *name;
    double value;
};

struct questions {
    struct question *all;
    size_t count;
    struct value *values;
    size_t values_count;
    char error[512]; // "file:line: what is wrong", after false
};

// Reads the files one after the other and checks every question. Returns false if something is
// wrong, and says what in q->error. Call questions_close in both cases.
bool questions_read(struct questions *q, const char *const *files, size_t count);
void questions_close(struct questions *q);

// A number as people write it: 0.25, 1/4, 25%, 1e-3, -inf. Spaces around it are allowed.
bool parse_number(double *value, const char *text);

// A number, or the name of a value of predict.c.
bool find_value(double *value, const struct questions *q, const char *text);

// Whether an answer is the right value; NaN never is.
bool is_right(const struct question *q, double answer);

// The item whose wrong prediction this is, or NULL.
const struct item *wrong_prediction(const struct question *q, double answer);

// Reads an order of the steps from a line "! 2 1 3": places[0] = 1, places[1] = 0, ... Returns
// false unless it names each of the n steps once.
bool read_order(size_t *places, const char *text, size_t n);

#endif
