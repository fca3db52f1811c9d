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
// with #line, so that every line keeps its number. Outside of functions, the host's branch counts.
// Only for programs that use the macro.

#define _GNU_SOURCE
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
    edit_add(edits, first->start, first->start,
             "{ if (!__builtin_is_constant_evaluated() && gpu_on_device)");
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

void arch_function(const struct source *source, size_t i, struct edits *edits)
{
    static bool used; // by this file, or by one before it
    used = used ||
           (i == 0 && memmem(source->text, source->length, macro, strlen(macro)) != NULL);
    if (used && source->tokens[i].kind == TOKEN_DIRECTIVE) {
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
