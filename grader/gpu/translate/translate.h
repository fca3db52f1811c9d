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
    size_t partner; // of a bracket: the one that closes it, or opens it
    size_t reach; // the furthest end of the braces before it, except those of namespaces
};

struct source {
    const char *path;
    char *text; // ends with '\0'
    size_t length;
    struct token *tokens; // the last is TOKEN_END
    size_t count;
    bool in_macro; // the tokens are the body of a macro
};

// One line "path:line: error: ..." on stderr, then exit(1).
__attribute__((noreturn, format(printf, 3, 4))) void
translate_fail(const struct source *source, size_t line, const char *format, ...);

// A failed system call, or no memory: one line on stderr, then exit(2).
__attribute__((noreturn)) void translate_cannot(const char *doing, const char *path);

// Reads path, which is called shown in messages. Fails with one line if it is not text.
void source_read(struct source *source, const char *path, const char *shown);

// Splits the source into tokens. Comments and white space belong to no token.
void source_tokenize(struct source *source);

// The body of the macro that the directive at i defines, as tokens of the same text: free
// body->tokens. Returns false if the directive defines no macro.
bool source_macro(const struct source *source, size_t i, struct source *body);

// Returns true if token i is this word or sign. Indices past the end match nothing.
bool token_is(const struct source *source, size_t i, const char *text);

// The index of the bracket that closes (or opens) the one at i; if there is none, the index
// of TOKEN_END (or i).
size_t token_close(const struct source *source, size_t i);
size_t token_open(const struct source *source, size_t i);

// The same for the < and > around a template's arguments; i if there is none.
size_t token_close_angle(const struct source *source, size_t i);
size_t token_open_angle(const struct source *source, size_t i);

// A replacement for a part of the source. Edits do not overlap; those at one place are made in
// the order in which they were added.
struct edit {
    size_t start, end; // in the source
    size_t order;
    char *text;
};

struct edits {
    struct edit *list;
    size_t count, room;
};

__attribute__((format(printf, 4, 5))) void edit_add(struct edits *edits, size_t start,
                                                    size_t end, const char *format, ...);

// Text that grows. A new one is {0}; free(text.bytes).
struct text {
    char *bytes;
    size_t length, room;
};
__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format,
                                                    ...);

// The passes. Each function examines the token at i, adds its edits, and returns the next
// token, or i if it does not handle this token.
size_t translate_kernel(const struct source *source, size_t i, struct edits *edits);
size_t translate_launch(const struct source *source, size_t i, struct edits *edits);
size_t translate_shared(const struct source *source, size_t i, struct edits *edits);
size_t translate_variable(const struct source *source, size_t i, struct edits *edits);
size_t translate_no_inline(const struct source *source, size_t i, struct edits *edits);
size_t translate_assembly(const struct source *source, size_t i, struct edits *edits);
size_t translate_directive(const struct source *source, size_t i, struct edits *edits);

// Which __CUDA_ARCH__ the function declared at i sees, or the directive there (arch.c).
void arch_function(const struct source *source, size_t i, struct edits *edits);

// Whether token i is outside of all functions and types (shared.c).
bool at_file_scope(const struct source *source, size_t i);

// The name of the function declared at i, and the parenthesis that opens its parameters. Returns
// false if there is none.
bool function_name(const struct source *source, size_t i, size_t *name, size_t *open);
// The brace that opens its body, behind the parenthesis that closes its parameters; 0 if this is
// only a declaration.
size_t function_body(const struct source *source, size_t close);

// Headers of the program itself (headers.c). Off until headers_use names a folder for the
// translated copies.
void headers_use(const char *folder);
void headers_search(const char *folder); // as with -I, in this order
void headers_include(const struct source *source, size_t i, struct edits *edits);

// Translates one file, which messages call shown, to out (NULL: standard output), after the
// prologue.
void translate_file(const char *path, const char *shown, const char *out,
                    const char *prologue);

// Rejects a kernel that calls a function of the host in this file (sides.c).
void sides_check(const struct source *source);

// Lets the functions of the host find out that a kernel calls them (host.c). Not in hand-ins, where the
// messages are those of the course.
void host_mark(const struct source *source, struct edits *edits);
extern const bool translate_marks_host;

// Rejects code that the program's user does not allow. The judge has a list of its own
// (build/policy/forbidden.c); cudasim allows everything (anything.c).
void refuse_forbidden(const struct source *source);

// The lines before the first file's own.
extern const char *const translate_prologue;

#endif
