// launch.c - kernel<<<grid, block, shared, stream>>>(arguments) becomes a call.
//
//     softmax<32><<<(unsigned)N, 128>>>(out, x);
//     gpu_call(gpu_configure("softmax<32>", "file.cu", 7, (unsigned)N, 128), softmax<32>)(out, x);
//
// A kernel template is wrapped in a lambda and passed to gpu_call_any, because only its
// arguments determine the instance.

#include <string.h>

#include "gpu/translate/translate.h"

// The first token of the kernel's name, which ends before token i: ns::name<int, 4>.
static size_t name_start(const struct source *source, size_t i)
{
    size_t line = source->tokens[i].line;
    if (i == 0) {
        translate_fail(source, line, "<<< needs the name of a kernel before it");
    }
    size_t at = i - 1;
    if (token_is(source, at, ">") || source->tokens[at].kind == TOKEN_LAUNCHED) {
        int depth = 0;
        for (;; at--) {
            depth += token_is(source, at, ">") - token_is(source, at, "<");
            if (token_is(source, at, ")") || token_is(source, at, "]")) {
                at = token_open(source, at);
            }
            if (depth == 0 || at == 0) {
                break;
            }
        }
        at -= at > 0;
    }
    if (source->tokens[at].kind != TOKEN_WORD) {
        translate_fail(
            source, line,
            "<<< must follow the name of a kernel: name<<<grid, block>>>(...)");
    }
    while (at >= 3 && token_is(source, at - 1, ":") && token_is(source, at - 2, ":") &&
           source->tokens[at - 3].kind == TOKEN_WORD) {
        at -= 3;
    }
    return at;
}

// The >>> that matches the <<< at i. Sets *arguments to the number of values between them.
static size_t launch_end(const struct source *source, size_t i, size_t *arguments)
{
    size_t line = source->tokens[i].line;
    *arguments = 0;
    size_t at = i + 1;
    for (; source->tokens[at].kind != TOKEN_LAUNCHED; at++) {
        if (source->tokens[at].kind == TOKEN_END || token_is(source, at, ";") ||
            source->tokens[at].kind == TOKEN_LAUNCH) {
            translate_fail(source, line, "this launch is never closed: >>> is missing");
        }
        *arguments += *arguments == 0 || token_is(source, at, ",");
        if (token_is(source, at, "(") || token_is(source, at, "[") ||
            token_is(source, at, "{")) {
            at = token_close(source, at);
        }
        // not closed; reported in the next step
        at -= source->tokens[at].kind == TOKEN_END;
    }
    return at;
}

// Returns true if the __global__ function called name is a template.
static bool is_template(const struct source *source, const struct token *name)
{
    for (size_t i = 0; i < source->count; i++) {
        if (!token_is(source, i, "__global__")) {
            continue;
        }
        size_t at = i + 1;
        while (at + 1 < source->count && !(source->tokens[at].kind == TOKEN_WORD &&
                                           token_is(source, at + 1, "("))) {
            at++;
        }
        while (token_is(source, at, "__launch_bounds__") ||
               token_is(source, at, "__attribute__")) {
            at = token_close(source, at + 1) + 1;
            while (at + 1 < source->count && !token_is(source, at + 1, "(")) {
                at++;
            }
        }
        const struct token *found = &source->tokens[at < source->count ? at : i];
        if (found->length != name->length ||
            memcmp(source->text + found->start, source->text + name->start,
                   name->length) != 0) {
            continue;
        }
        for (size_t back = i; back-- > 0;) {
            if (token_is(source, back, "template")) {
                return true;
            }
            if (token_is(source, back, ";") || token_is(source, back, "}") ||
                token_is(source, back, "{") ||
                source->tokens[back].kind == TOKEN_DIRECTIVE) {
                break;
            }
        }
    }
    return false;
}

// The declared name of a kernel: the last word of ns::name<4>.
static const struct token *plain_name(const struct source *source, size_t first,
                                      size_t end)
{
    size_t at = first;
    while (at + 3 < end && token_is(source, at + 1, ":")) {
        at += 3;
    }
    return &source->tokens[at];
}

size_t translate_launch(const struct source *source, size_t i, struct edits *edits)
{
    if (source->tokens[i].kind != TOKEN_LAUNCH) {
        return i;
    }
    size_t first = name_start(source, i), arguments;
    size_t end = launch_end(source, i, &arguments);
    const struct token *name = &source->tokens[first], *open = &source->tokens[i],
                       *close = &source->tokens[end], *last = &source->tokens[i - 1];
    if (arguments < 2 || arguments > 4) {
        translate_fail(source, open->line,
                       "a launch takes two to four values, <<<grid, block, shared bytes, "
                       "stream>>>; there are %zu here",
                       arguments);
    }
    if (!token_is(source, end + 1, "(")) {
        translate_fail(source, close->line,
                       "the kernel's arguments are missing: name<<<...>>>(arguments)");
    }
    bool any = is_template(source, plain_name(source, first, i));
    int length = (int)(last->start + last->length - name->start);
    const char *text = source->text + name->start;
    edit_add(edits, name->start, last->start + last->length,
             "gpu_call%s(gpu_configure(\"%.*s\", __FILE__, %zu,", any ? "_any" : "",
             length, text, name->line);
    edit_add(edits, open->start, open->start + open->length, " ");
    if (any) {
        // By value, and compiled with checks, so that a kernel inlined into it is checked,
        // too.
        edit_add(edits, close->start, close->start + close->length,
                 "), [](auto... gpu_a) __attribute__((noinline)) { %.*s(gpu_a...); })",
                 length, text);
    } else {
        edit_add(edits, close->start, close->start + close->length, "), %.*s)", length,
                 text);
    }
    return end + 1;
}
