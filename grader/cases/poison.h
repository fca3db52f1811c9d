// poison.h - the pattern that guard zones, outputs and workspaces hold before a call.

#ifndef GRADER_POISON_H
#define GRADER_POISON_H

#include "cases/case.h"

// Fills bytes with the pattern; returns true if they still contain it or the NUMBERS pattern.
void poison_fill(void *memory, size_t bytes);
bool poison_intact(const void *memory, size_t bytes);

// Returns true if element i still has its value from before the call. The pattern is four
// bytes long, so for one-byte elements the expected byte depends on i. An I8 element counts only
// with its whole word: one byte of the pattern is 127, a number that every row may hold.
bool still_unset(const struct tensor *tensor, size_t i);
// The same for the bytes of the element alone, so true if an I8 element is this byte of the pattern.
bool never_set(const struct tensor *tensor, size_t i);

#endif
