// launch.c - kernel<<<grid, block, shared, stream>>>(arguments) becomes a call.
//
//     softmax<32><<<(unsigned)N, 128>>>(out, x);
//     (gpu_configure(GPU_NAME(softmax<32>), __FILE__, 7, (unsigned)N, 128), softmax<32>(out, x));
//
// The called kernel starts its threads; see kernel.c. Before <<< may stand whatever may stand
// before the parenthesis of a call: a name, a pointer in a table, a conditional expression in
// parentheses.

#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

static bool is_keyword(const struct source *source, size_t i)
{
    return token_is(source, i, "return") || token_is(source, i, "else") ||
           token_is(source, i, "do") || token_is(source, i, "case");
}

// Whether the parentheses that end at token i belong to if (...) and the like, so that a new
// expression follows.
static bool ends_condition(const struct source *source, size_t i)
{
    size_t open = token_open(source, i);
    return open > 0 &&
           (token_is(source, open - 1, "if") || token_is(source, open - 1, "for") ||
            token_is(source, open - 1, "while") || token_is(source, open - 1, "switch") ||
            token_is(source, open - 1, "constexpr"));
}

// Whether an expression that is called or indexed by the bracket behind it can end at token i.
static bool ends_operand(const struct source *source, size_t i)
{
    return (source->tokens[i].kind == TOKEN_WORD && !is_keyword(source, i)) ||
           token_is(source, i, "]") || token_is(source, i, ">") ||
           (token_is(source, i, ")") && !ends_condition(source, i));
}

// The first token of the last name or bracket before token end: name, name<4>, (...), [...].
static size_t part_start(const struct source *source, size_t end)
{
    size_t at = end - 1;
    if (token_is(source, at, ">") || source->tokens[at].kind == TOKEN_LAUNCHED) {
        size_t open = token_open_angle(source, at);
        at = open < at && open > 0 ? open - 1 : at;
    }
    if (token_is(source, at, ")") || token_is(source, at, "]")) {
        return token_open(source, at);
    }
    if (source->tokens[at].kind != TOKEN_WORD || is_keyword(source, at)) {
        translate_fail(
            source, source->tokens[end].line,
            "<<< must follow the name of a kernel: name<<<grid, block>>>(...)");
    }
    return at;
}

// The first token of the expression that is launched, which ends before token i.
static size_t callee_start(const struct source *source, size_t i)
{
    if (i == 0) {
        translate_fail(source, source->tokens[i].line,
                       "<<< needs the name of a kernel before it");
    }
    size_t at = part_start(source, i);
    while (at > 0) {
        bool bracket = token_is(source, at, "(") || token_is(source, at, "[");
        if (at > 1 &&
            (token_is(source, at - 1, ".") ||
             (token_is(source, at - 1, ">") && token_is(source, at - 2, "-")))) {
            at = part_start(source, at - (token_is(source, at - 1, ".") ? 1 : 2));
        } else if (at > 1 && token_is(source, at - 1, ":") &&
                   token_is(source, at - 2, ":")) {
            at -= 2;
            bool named = at > 0 && (source->tokens[at - 1].kind == TOKEN_WORD ||
                                    token_is(source, at - 1, ">"));
            if (!named || is_keyword(source, at - 1)) {
                break;
            }
            at = part_start(source, at);
        } else if (bracket && ends_operand(source, at - 1)) {
            at = part_start(source, at);
        } else {
            break;
        }
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

// The tokens from first to before end, on one line.
static void flatten(struct text *flat, const struct source *source, size_t first,
                    size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct token *token = &source->tokens[i];
        bool apart = i > first && token[-1].start + token[-1].length < token->start;
        text_add(flat, "%s%.*s", apart ? " " : "", (int)token->length,
                 source->text + token->start);
    }
}

// Removes the tokens from first to before end, but keeps the line breaks.
static void remove_tokens(const struct source *source, size_t first, size_t end,
                          struct edits *edits)
{
    for (size_t i = first; i < end; i++) {
        const struct token *token = &source->tokens[i];
        edit_add(edits, token->start, token->start + token->length, "%s", "");
    }
}

// Is token i a specifier or void, which stand for no __global__?
static bool is_usual(const struct source *source, size_t i)
{
    static const char *const words[] = {"static",     "inline",    "void",
                                        "__device__", "__host__",  "__noinline__",
                                        "extern",     "constexpr", "__forceinline__"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (token_is(source, i, words[w])) {
            return true;
        }
    }
    return false;
}

// Does token i name a function that is defined here, "void k(...) {", without __global__? Words that the
// translator does not know may stand for it.
static bool defines_no_kernel(const struct source *source, size_t i)
{
    if (!token_is(source, i + 1, "(")) {
        return false;
    }
    size_t at = i;
    while (at > 0 && is_usual(source, at - 1)) {
        at--;
    }
    const bool begins = at == 0 || token_is(source, at - 1, "}") ||
                        token_is(source, at - 1, ";") ||
                        source->tokens[at - 1].kind == TOKEN_DIRECTIVE;
    return at < i && begins && token_is(source, token_close(source, i + 1) + 1, "{");
}

// nvcc refuses to launch another function than a kernel.
static void check_kernel(const struct source *source, size_t name)
{
    const struct token *token = &source->tokens[name];
    const char *text = source->text;
    for (size_t i = 0; i < name; i++) {
        const struct token *other = &source->tokens[i];
        const bool same =
            other->kind == TOKEN_WORD && other->length == token->length &&
            memcmp(text + other->start, text + token->start, token->length) == 0;
        if (same && defines_no_kernel(source, i)) {
            translate_fail(source, other->line,
                           "%.*s is launched in line %zu, so it must be a kernel: write "
                           "__global__ before void",
                           (int)token->length, text + token->start, token->line);
        }
    }
}

static void check(const struct source *source, size_t i, size_t end, size_t arguments)
{
    if (arguments < 2 || arguments > 4) {
        translate_fail(source, source->tokens[i].line,
                       "a launch takes two to four values, <<<grid, block, shared bytes, "
                       "stream>>>; there are %zu here",
                       arguments);
    }
    if (!token_is(source, end + 1, "(")) {
        translate_fail(source, source->tokens[end].line,
                       "the kernel's arguments are missing: name<<<...>>>(arguments)");
    }
}

size_t translate_launch(const struct source *source, size_t i, struct edits *edits)
{
    if (source->tokens[i].kind != TOKEN_LAUNCH) {
        return i;
    }
    size_t first = callee_start(source, i), arguments;
    size_t end = launch_end(source, i, &arguments);
    const struct token *name = &source->tokens[first], *open = &source->tokens[i],
                       *close = &source->tokens[end];
    if (!source->in_macro) { // there, the values may be in a parameter
        check(source, i, end, arguments);
        if (first + 1 == i) {
            check_kernel(source, first);
        }
    }
    struct text callee = {0}, line = {0};
    flatten(&callee, source, first, i);
    if (source->in_macro) {
        text_add(&line, "__LINE__");
    } else {
        text_add(&line, "%zu", name->line);
    }
    bool whole = token_is(source, end + 1, "(") &&
                 token_is(source, token_close(source, end + 1), ")");
    edit_add(edits, name->start, name->start,
             "%sgpu_configure(GPU_NAME(%s), __FILE__, %s,", whole ? "(" : "",
             callee.bytes, line.bytes);
    remove_tokens(source, first, i, edits);
    edit_add(edits, open->start, open->start + open->length, " ");
    edit_add(edits, close->start, close->start + close->length, "), %s", callee.bytes);
    if (whole) {
        const struct token *last = &source->tokens[token_close(source, end + 1)];
        edit_add(edits, last->start + 1, last->start + 1, ")");
    }
    free(callee.bytes);
    free(line.bytes);
    return i + 1;
}
