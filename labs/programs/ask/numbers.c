// numbers.c - numbers as people write them, and which prediction a number is.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "programs/ask/questions.h"

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

bool find_value(double *value, const struct questions *q, const char *text)
{
    for (size_t i = 0; i < q->values_count; i++) {
        if (strcmp(q->values[i].name, text) == 0) {
            *value = q->values[i].value;
            return true;
        }
    }
    return parse_number(value, text);
}
