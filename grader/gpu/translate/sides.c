// sides.c - a kernel that calls a function of the host, which nvcc refuses. Here both are functions of
// one processor, and the call would run.
//
// Only what can be told without understanding C++ is refused: the function is defined in the same
// file, outside of types and templates, in plain words, its name means nothing else there, and neither
// the function nor the call is between #if and #endif. Other calls are left alone.

#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "gpu/translate/translate.h"

static bool is_name(const struct source *source, size_t i, size_t name)
{
    const struct token *a = &source->tokens[i], *b = &source->tokens[name];
    return a->kind == TOKEN_WORD && a->length == b->length &&
           memcmp(source->text + a->start, source->text + b->start, a->length) == 0;
}

static bool is_word(const struct source *source, size_t i)
{
    return i < source->count && source->tokens[i].kind == TOKEN_WORD;
}

// Perhaps a macro that says for which side the function is: HOST_DEVICE, __hd__.
static bool may_be_macro(const struct source *source, size_t i)
{
    const struct token *token = &source->tokens[i];
    const char *text = source->text + token->start;
    bool small = false;
    for (size_t c = 0; c < token->length; c++) {
        small = small || islower((unsigned char)text[c]);
    }
    return !small || (token->length > 1 && text[0] == '_' && text[1] == '_');
}

// The first token of the declaration that contains i.
static size_t declaration(const struct source *source, size_t i)
{
    while (i > 0 && !token_is(source, i - 1, ";") && !token_is(source, i - 1, "{") &&
           !token_is(source, i - 1, "}") &&
           source->tokens[i - 1].kind != TOKEN_DIRECTIVE) {
        i--;
    }
    return i;
}

// A directive in the middle: a part that does not always count may say more.
static bool begins_whole(const struct source *source, size_t first)
{
    while (first > 0 && source->tokens[first - 1].kind == TOKEN_DIRECTIVE) {
        first--;
    }
    return first == 0 || token_is(source, first - 1, ";") ||
           token_is(source, first - 1, "{") || token_is(source, first - 1, "}");
}

// The declaration of a function that is surely only for the host: type words, *, & and std::.
static bool is_plain(const struct source *source, size_t first, size_t name)
{
    bool type = false;
    for (size_t i = first; i < name; i++) {
        if (is_word(source, i)) {
            if (may_be_macro(source, i) || token_is(source, i, "constexpr") ||
                token_is(source, i, "template") || token_is(source, i, "operator") ||
                token_is(source, i, "extern") || token_is(source, i, "friend")) {
                return false;
            }
            type = true;
        } else if (!token_is(source, i, "*") && !token_is(source, i, "&") &&
                   !token_is(source, i, ":")) {
            return false;
        }
    }
    return type && !token_is(source, name - 1, ":") && begins_whole(source, first);
}

// Token i is not between #if and #endif.
static bool always_counts(const struct source *source, size_t i)
{
    size_t depth = 0;
    for (size_t j = 0; j < i; j++) {
        const char *text = source->text + source->tokens[j].start;
        if (source->tokens[j].kind == TOKEN_DIRECTIVE) {
            const char *word = text + 1 + strspn(text + 1, " \t");
            depth += strncmp(word, "if", 2) == 0;
            depth -= depth > 0 && strncmp(word, "endif", 5) == 0;
        }
    }
    return depth == 0;
}

// Token i is the name of a function that is defined here for the host alone.
static bool defines_for_host(const struct source *source, size_t i)
{
    return is_word(source, i) && token_is(source, i + 1, "(") && i > 0 &&
           function_body(source, token_close(source, i + 1)) != 0 &&
           is_plain(source, declaration(source, i), i) && at_file_scope(source, i) &&
           always_counts(source, i);
}

// Whether the name is used in the file for anything but the host's function and calls of it.
static bool means_more(const struct source *source, size_t name)
{
    for (size_t i = 0; i < source->count; i++) {
        const struct token *token = &source->tokens[i];
        if (token->kind == TOKEN_DIRECTIVE &&
            memmem(source->text + token->start, token->length,
                   source->text + source->tokens[name].start,
                   source->tokens[name].length) != NULL) {
            return true;
        }
        if (!is_name(source, i, name)) {
            continue;
        }
        bool call = token_is(source, i + 1, "(");
        bool declared =
            i > 0 && is_word(source, i - 1) && !token_is(source, i - 1, "return") &&
            !token_is(source, i - 1, "else") && !token_is(source, i - 1, "do");
        if (!call || (declared && !is_plain(source, declaration(source, i), i))) {
            return true;
        }
    }
    return false;
}

// Refuses the first call of the function in a body of the device.
static void check_body(const struct source *source, size_t first, size_t open,
                       size_t name)
{
    size_t close = token_close(source, open);
    for (size_t i = open; i < close; i++) {
        bool qualified = token_is(source, i - 1, ".") || token_is(source, i - 1, ">") ||
                         token_is(source, i - 1, ":");
        if (is_name(source, i, name) && token_is(source, i + 1, "(") && !qualified &&
            always_counts(source, i)) {
            translate_fail(
                source, source->tokens[i].line,
                "%s calls %.*s, a function of the host (line %zu); write __device__ before it",
                token_is(source, first, "__global__") ? "a kernel" : "device code",
                (int)source->tokens[name].length,
                source->text + source->tokens[name].start, source->tokens[name].line);
        }
    }
}

// The body of the function that the word __global__ or __device__ at i declares for the device
// alone; 0 if there is none, or if it may be for both sides.
static size_t device_body(const struct source *source, size_t i)
{
    size_t name, open;
    if ((!token_is(source, i, "__global__") && !token_is(source, i, "__device__")) ||
        !at_file_scope(source, i) || !function_name(source, i, &name, &open) ||
        token_is(source, name - 1, ":")) {
        return 0;
    }
    for (size_t j = declaration(source, i); j < name; j++) {
        if (token_is(source, j, "__host__") || token_is(source, j, "template")) {
            return 0;
        }
    }
    return function_body(source, token_close(source, open));
}

void sides_check(const struct source *source)
{
    for (size_t name = 0; name < source->count; name++) {
        if (!defines_for_host(source, name) || means_more(source, name)) {
            continue;
        }
        for (size_t i = 0; i < source->count; i++) {
            size_t body = device_body(source, i);
            if (body != 0) {
                check_body(source, i, body, name);
            }
        }
    }
}
