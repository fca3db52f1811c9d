// arch.c - __CUDA_ARCH__ is defined in device code alone.
//
// nvcc compiles a file once for the host and once for the device. Here both are one text, so each
// function of the device gets the macro around its body, and one for both sides gets two bodies:
//
//     __host__ __device__ int side()
//     { if (... gpu_on_device)
//     #define __CUDA_ARCH__ 900
//     { the body }
//     #undef __CUDA_ARCH__
//     else { the body } }
//
// with #line, so that every line keeps its number. Outside of functions, a part between #if and
// #endif counts if the host or the device compiles it; with #else, the device's branch counts.
// Only for programs that use the macro.

#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

static const char macro[] = "__CUDA_ARCH__";
static const char define[] = "\n#define __CUDA_ARCH__ 900\n#line %zu\n";
static const char undefine[] = "\n#undef __CUDA_ARCH__\n#line %zu\n";

static bool is_side(const struct source *source, size_t i)
{
    return token_is(source, i, "__global__") || token_is(source, i, "__device__") ||
           token_is(source, i, "__host__");
}

// Whether the function's declaration, from i to its parameters, has this word.
static bool has_word(const struct source *source, size_t i, size_t end, const char *word)
{
    while (i < end && !token_is(source, i, word)) {
        i++;
    }
    return i < end;
}

static void both_sides(const struct source *source, size_t open, size_t close,
                       struct edits *edits)
{
    const struct token *first = &source->tokens[open], *last = &source->tokens[close];
    size_t end = last->start + 1;
    edit_add(
        edits, first->start, first->start,
        "{ if (!__builtin_is_constant_evaluated() && gpu_on_device && gpu_runs_here())");
    edit_add(edits, first->start, first->start, define, first->line);
    edit_add(edits, first->start, first->start, "%.*s", (int)(end - first->start),
             source->text + first->start);
    edit_add(edits, first->start, first->start, undefine, first->line);
    edit_add(edits, first->start, first->start, "else ");
    edit_add(edits, end, end, " }");
}

// The compiler skips a #line in a part that does not count, so the line after it gets its number
// again.
static void number_again(const struct source *source, size_t i, struct edits *edits)
{
    const struct token *token = &source->tokens[i];
    const char *text = source->text + token->start;
    const char *word = text + 1 + strspn(text + 1, " \t");
    if (strncmp(word, "endif", 5) == 0 || strncmp(word, "el", 2) == 0) {
        size_t line = token->line + 1, end = token->start + token->length;
        for (size_t at = token->start; at < end; at++) {
            line += source->text[at] == '\n';
        }
        edit_add(edits, end, end, "\n#line %zu", line);
    }
}

// ---- conditions outside of functions -------------------------------------------------------

static bool starts_with(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && !isalnum((unsigned char)text[length]) &&
           text[length] != '_';
}

// The directive's word and what follows it.
static const char *directive_word(const struct source *source, size_t i)
{
    const char *text = source->text + source->tokens[i].start + 1;
    return text + strspn(text, " \t");
}

static bool opens(const char *word)
{
    return starts_with(word, "if") || starts_with(word, "ifdef") ||
           starts_with(word, "ifndef");
}

// Whether the #if at token i has an #else or #elif.
static bool has_else(const struct source *source, size_t i)
{
    int depth = 0;
    for (size_t at = i + 1; at < source->count && depth >= 0; at++) {
        if (source->tokens[at].kind != TOKEN_DIRECTIVE) {
            continue;
        }
        const char *word = directive_word(source, at);
        if (depth == 0 && (starts_with(word, "else") || starts_with(word, "elif"))) {
            return true;
        }
        depth += opens(word) - starts_with(word, "endif");
    }
    return false;
}

// The length of a comment or continued line at text, which do not belong to the condition.
static size_t skipped(const char *text, const char *end)
{
    if (strncmp(text, "//", 2) == 0) {
        return (size_t)(end - text);
    }
    if (strncmp(text, "/*", 2) == 0) {
        const char *close = strstr(text + 2, "*/");
        return close == NULL ? (size_t)(end - text) : (size_t)(close + 2 - text);
    }
    return *text == '\\' || *text == '\n' || *text == '\r';
}

// "defined(__CUDA_ARCH__)" and the like at text; 0 if something else stands there.
static size_t defined_macro(const char *text)
{
    if (!starts_with(text, "defined")) {
        return 0;
    }
    size_t n = strlen("defined");
    n += strspn(text + n, " \t");
    bool open = text[n] == '(';
    n += open ? 1 + strspn(text + n + 1, " \t") : 0;
    if (!starts_with(text + n, macro)) {
        return 0;
    }
    n += strlen(macro);
    n += open ? strspn(text + n, " \t") : 0;
    return open && text[n] == ')' ? n + 1 : n;
}

// The condition from text to end, as one side sees it.
static void add_condition(struct text *to, const char *text, const char *end, bool device)
{
    while (text < end) {
        size_t skip = skipped(text, end), whole = defined_macro(text);
        if (skip > 0) {
            text_add(to, " ");
            text += skip;
        } else if (whole > 0) {
            text_add(to, device ? "1" : "0");
            text += whole;
        } else if (starts_with(text, macro)) {
            text_add(to, device ? "900" : "0");
            text += strlen(macro);
        } else {
            text_add(to, "%c", *text++);
        }
    }
}

static void replace_condition(const struct source *source, size_t i, struct edits *edits)
{
    const struct token *token = &source->tokens[i];
    const char *word = directive_word(source, i);
    const char *end = source->text + token->start + token->length;
    bool elif = starts_with(word, "elif"), either = !elif && !has_else(source, i);
    if (memmem(word, (size_t)(end - word), macro, strlen(macro)) == NULL ||
        !(elif || opens(word)) || !at_file_scope(source, i)) {
        return;
    }
    struct text text = {0};
    text_add(&text, elif ? "#elif " : "#if ");
    if (starts_with(word, "ifdef") || starts_with(word, "ifndef")) {
        text_add(&text, "%d", either || starts_with(word, "ifdef"));
    } else {
        const char *condition = word + (elif ? 4 : 2);
        text_add(&text, "(");
        add_condition(&text, condition, end, true);
        text_add(&text, either ? ") || (" : ")");
        if (either) {
            add_condition(&text, condition, end, false);
            text_add(&text, ")");
        }
    }
    for (const char *at = word; at < end; at++) { // every line keeps its number
        if (*at == '\n') {
            text_add(&text, "\n");
        }
    }
    edit_add(edits, token->start, token->start + token->length, "%s", text.bytes);
    free(text.bytes);
}

// ---- functions -----------------------------------------------------------------------------

void arch_function(const struct source *source, size_t i, struct edits *edits)
{
    static bool used; // by this file, or by one before it
    used = used ||
           (i == 0 && memmem(source->text, source->length, macro, strlen(macro)) != NULL);
    if (used && source->tokens[i].kind == TOKEN_DIRECTIVE) {
        replace_condition(source, i, edits);
        number_again(source, i, edits);
    }
    size_t name, parameters;
    if (!used || source->in_macro || !is_side(source, i) ||
        (i > 0 && is_side(source, i - 1)) ||
        !function_name(source, i, &name, &parameters)) {
        return;
    }
    size_t open = function_body(source, token_close(source, parameters));
    if (open == 0) {
        return;
    }
    size_t close = token_close(source, open);
    const struct token *first = &source->tokens[open], *last = &source->tokens[close];
    size_t end = last->start + last->length;
    bool host = has_word(source, i, name, "__host__");
    bool device = has_word(source, i, name, "__device__") ||
                  has_word(source, i, name, "__global__");
    if (device && host) {
        if (memmem(source->text + first->start, end - first->start, macro,
                   strlen(macro)) != NULL) {
            both_sides(source, open, close, edits);
        }
    } else if (device) {
        edit_add(edits, first->start, first->start, define, first->line);
        edit_add(edits, end, end, undefine, last->line);
    }
}
