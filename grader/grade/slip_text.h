// slip_text.h - words and brackets in a text without comments and strings.

#ifndef GRADER_SLIP_TEXT_H
#define GRADER_SLIP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

bool in_word(char c);
size_t word_length(const char *text); // 0 if none begins here
bool is_word(const char *text, const char *word);
const char *skip_blanks(const char *text);

// The last character before `at` that is no blank; `start` if there is none.
const char *back_to_text(const char *start, const char *at);

// text is at a bracket. Returns what follows the one that closes it, or NULL if it is not closed within
// `most` characters.
const char *behind_bracket(const char *text, char open, char close, size_t most);

#endif
