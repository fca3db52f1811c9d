// words.c - device variables, __noinline__ and directives.

#include <ctype.h>
#include <string.h>

#include "gpu/translate/translate.h"

// The most words and brackets between __device__ and what ends the search.
enum { LONGEST_HEAD = 256 };

// Returns true if the __device__ or __constant__ at i declares a variable: if ; = or [
// comes before any ( that does not belong to an attribute.
static bool before_variable(const struct source *source, size_t i, bool *constant)
{
    *constant = false;
    int angle = 0, steps = 0;
    for (size_t j = i + 1; j + 1 < source->count && steps++ < LONGEST_HEAD; j++) {
        angle += token_is(source, j, "<") - token_is(source, j, ">");
        *constant =
            *constant || token_is(source, j, "const") || token_is(source, j, "constexpr");
        if (token_is(source, j, "__align__") || token_is(source, j, "alignas") ||
            token_is(source, j, "__launch_bounds__") ||
            token_is(source, j, "__attribute__") || token_is(source, j, "decltype")) {
            j = token_close(source, j + 1);
        } else if (token_is(source, j, "operator") || token_is(source, j, "(") ||
                   token_is(source, j, "}") || token_is(source, j, "__global__")) {
            return false;
        } else if (angle <= 0 && (token_is(source, j, ";") || token_is(source, j, "=") ||
                                  token_is(source, j, "[") || token_is(source, j, "{"))) {
            return true;
        }
    }
    return false;
}

static bool is_variable_word(const struct source *source, size_t i)
{
    return token_is(source, i, "__device__") || token_is(source, i, "__constant__") ||
           token_is(source, i, "__managed__");
}

// Whether __managed__ is among the words at i, as in __device__ __managed__ int x;
static bool is_managed(const struct source *source, size_t i)
{
    bool found = false;
    while (i > 0 &&
           (is_variable_word(source, i - 1) || token_is(source, i - 1, "static"))) {
        i--;
    }
    for (; is_variable_word(source, i) || token_is(source, i, "static"); i++) {
        found = found || token_is(source, i, "__managed__");
    }
    return found;
}

// A variable goes into the section that the runtime treats as device memory, or into the one
// that the host may use, too. A const variable cannot change, so it needs no checks, and it
// must not share a section with the others.
size_t translate_variable(const struct source *source, size_t i, struct edits *edits)
{
    bool constant;
    if (!is_variable_word(source, i) || source->in_macro) {
        return i;
    }
    const struct token *token = &source->tokens[i];
    size_t end = token->start + token->length;
    if (!before_variable(source, i, &constant) || constant ||
        (i > 0 && is_variable_word(source, i - 1))) {
        edit_add(edits, token->start, end, "%s", "");
    } else {
        edit_add(edits, token->start, end,
                 is_managed(source, i) ? "GPU_MANAGED_VARIABLE" : "GPU_DEVICE_VARIABLE");
    }
    return i + 1;
}

// ---- __noinline__ -------------------------------------------------------------------------

static const char no_inline[] = "__noinline__";

// Returns true for the name of an attribute, as in __attribute__((__noinline__)) or
// [[gnu::__noinline__]], judging by the preceding tokens.
static bool is_attribute_name(const char *before, const char *text)
{
    while (before > text && strchr(" \t\r\n\\", before[-1]) != NULL) {
        before--;
    }
    return before - text >= 2 && (before[-1] == ',' || memcmp(before - 2, "((", 2) == 0 ||
                                  memcmp(before - 2, "::", 2) == 0);
}

// A macro of this name would break the headers of g++, which use the attribute. So only the
// separate word is replaced.
static void replace_no_inline(const struct source *source, size_t start,
                              struct edits *edits)
{
    if (!is_attribute_name(source->text + start, source->text)) {
        edit_add(edits, start, start + strlen(no_inline), "__attribute__((noinline))");
    }
}

size_t translate_no_inline(const struct source *source, size_t i, struct edits *edits)
{
    if (!token_is(source, i, no_inline)) {
        return i;
    }
    replace_no_inline(source, source->tokens[i].start, edits);
    return i + 1;
}

// ---- directives ---------------------------------------------------------------------------

static bool contains(const struct source *source, const struct token *token,
                     const char *word)
{
    const char *text = source->text + token->start, *end = text + token->length;
    size_t length = strlen(word);
    for (; text + length <= end; text++) {
        if (memcmp(text, word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// In the body of a macro.
static void replace_in_define(const struct source *source, const struct token *token,
                              struct edits *edits)
{
    const char *end = source->text + token->start + token->length;
    const char *found = source->text + token->start;
    while ((found = strstr(found, no_inline)) != NULL && found < end) {
        const char *behind = found + strlen(no_inline);
        if (!in_word(found[-1]) && !in_word(*behind)) { // a directive begins with #
            replace_no_inline(source, (size_t)(found - source->text), edits);
        }
        found = behind;
    }
}

// g++ ignores #pragma unroll. A macro's body is translated by main.c, as a text of its own.
size_t translate_directive(const struct source *source, size_t i, struct edits *edits)
{
    const struct token *token = &source->tokens[i];
    if (token->kind != TOKEN_DIRECTIVE) {
        return i;
    }
    if (contains(source, token, "pragma") && contains(source, token, "unroll") &&
        !contains(source, token, "GCC") && !contains(source, token, "\n")) {
        edit_add(edits, token->start, token->start + token->length, "%s", "");
    } else if (contains(source, token, "define")) {
        replace_in_define(source, token, edits);
    } else if (contains(source, token, "include")) {
        headers_include(source, i, edits);
    }
    return i + 1;
}
