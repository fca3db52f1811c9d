// slip_numbers.h - numbers with which a sum or a maximum may start wrongly, and small ones that may be added.

#ifndef GRADER_SLIP_NUMBERS_H
#define GRADER_SLIP_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

// text: without comments and strings; word: a place in it where a word begins, or any other character.

// float sum = 1, double max = x[0], sum = 1.0f: the length of the number, or 0.
size_t one_of_start(const char *text, const char *word);

// sum + 1e-6f, sum + eps, float sum = 1e-6f, fmaxf(sum, 1e-6f), sum < 1e-6f: the length of the small number, or 0.
size_t small_length(const char *text, const char *word);

// float sum = 0.0f;
bool is_float_sum(const char *type);

// max = 0.0f;  max[r] = -1e9f, where the number is, or NULL. Sets its length, which is 0 if it is none.
const char *maximum_start(const char *word, size_t *number);

// max, row_max, max_value, largest, best, m: the largest number so far.
bool names_a_maximum(const char *word, size_t length);

#endif
