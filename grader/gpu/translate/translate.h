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

// Reads path, which messages call shown; fails with one line when it is not text.
void source_read(struct source *source, const char *path, const char *shown);

// Fills in tokens. Comments and white space are between tokens, and belong to none.
void source_tokenize(struct source *source);

// Token i is this word or sign. Indices past the end are allowed and match nothing.
bool token_is(const struct source *source, size_t i, const char *text);

// The index of the bracket that closes (or opens) the one at i; TOKEN_END's index (or i)
// when there is none.
size_t token_close(const struct source *source, size_t i);
size_t token_open(const struct source *source, size_t i);

// What is written in place of a piece of the source. Edits come in the order of their starts
// and do not overlap.
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

// The passes. Each looks at the token at i, adds its edits, and returns the next token to look
// at: i when the token is none of its business.
size_t translate_launch(const struct source *source, size_t i, struct edits *edits);
size_t translate_shared(const struct source *source, size_t i, struct edits *edits);
size_t translate_variable(const struct source *source, size_t i, struct edits *edits);
size_t translate_no_inline(const struct source *source, size_t i, struct edits *edits);
size_t translate_directive(const struct source *source, size_t i, struct edits *edits);

// Refuses what would get round the checks; see forbidden.c.
void refuse_forbidden(const struct source *source);

#endif
