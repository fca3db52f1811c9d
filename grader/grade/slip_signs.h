// slip_signs.h - signs and comparisons that may be the wrong way round.

#ifndef GRADER_SLIP_SIGNS_H
#define GRADER_SLIP_SIGNS_H

// at: a character of the text.

// y = a + b, a - b, -b as a whole value: the other sign, or NULL. Not in i++, p->n, sum += 1, conditions, sizes.
const char *other_sign(const char *text, const char *at);

// x < max, largest >= x: the other direction, or NULL.
const char *other_direction(const char *text, const char *at);

#endif
