// translate.h - the source pass that turns CUDA C into C++; see main.c for what it does.

#ifndef GPU_TRANSLATE_H
#define GPU_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_WORD,      // identifiers and keywords
    TOKEN_NUMBER,    //
    TOKEN_TEXT,      // strings and characters, raw strings among them
    TOKEN_DIRECTIVE, // a whole preprocessor line with its continuations
    TOKEN_LAUNCH,    // <<<
    TOKEN_LAUNCHED,  // >>>
    TOKEN_SIGN,      // any other single character
    TOKEN_END
};

struct token {
    enum token_kind kind;
    size_t start, length; // in the source
    size_t line;
};

struct source {
    const char *path;
    char *text; // ends with '\0'
    size_t length;
    struct token *tokens; // the last is TOKEN_END
    size_t count;
};

// One line "path:line: error: ..." on stderr, then exit(1).
__attribute__((noreturn, format(printf, 3, 4))) void
translate_fail(const struct source *source, size_t line, const char *format, ...);

// Reads path, which is called shown in messages. Fails with one line if it is not text.
void source_read(struct source *source, const char *path, const char *shown);

// Splits the source into tokens. Comments and white space belong to no token.
void source_tokenize(struct source *source);

// Returns true if token i is this word or sign. Indices past the end match nothing.
bool token_is(const struct source *source, size_t i, const char *text);

// The index of the bracket that closes (or opens) the one at i; if there is none, the index
// of TOKEN_END (or i).
size_t token_close(const struct source *source, size_t i);
size_t token_open(const struct source *source, size_t i);

// A replacement for a part of the source. Edits are sorted by start and do not overlap.
struct edit {
    size_t start, end; // in the source
    char *text;
};

struct edits {
    struct edit *list;
    size_t count, room;
};

__attribute__((format(printf, 4, 5))) void edit_add(struct edits *edits, size_t start,
                                                    size_t end, const char *format, ...);

// The passes. Each function examines the token at i, adds its edits, and returns the next
// token, or i if it does not handle this token.
size_t translate_launch(const struct source *source, size_t i, struct edits *edits);
size_t translate_shared(const struct source *source, size_t i, struct edits *edits);
size_t translate_variable(const struct source *source, size_t i, struct edits *edits);
size_t translate_no_inline(const struct source *source, size_t i, struct edits *edits);
size_t translate_directive(const struct source *source, size_t i, struct edits *edits);

// Rejects code that would bypass the checks; see forbidden.c.
void refuse_forbidden(const struct source *source);

#endif
