// tokens.h - the tokens of a C file, as the comparison of hand-ins sees them: without
// comments, layout and preprocessor lines. Any bytes can be read.

#ifndef GRADER_TOKENS_H
#define GRADER_TOKENS_H

#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_NAME = 1,
    TOKEN_NUMBER = 2,
    TOKEN_STRING = 3,
    TOKEN_KEYWORD = 256, // and the keyword's number
    TOKEN_OTHER = 4096,  // and the character
};

struct token {
    int kind;
    const char *at; // in the text
    uint32_t length;
    uint32_t line; // from 1
};

struct tokens {
    struct token *list;
    size_t count;
};

// The text must outlive the tokens. Freed by tokens_free.
struct tokens tokens_read(const char *text, size_t size);
void tokens_free(struct tokens *tokens);

// The kind of a keyword: token_keyword("for").
int token_keyword(const char *word);

#endif
