// kernel.c - a kernel begins with the code that launches it.
//
//     template <int n> __global__ void scale(float *x, float by) {
//     template <int n> __global__ void scale(float *x, float by) { if (gpu_configured) {
//         gpu_start(static_cast<void (*)(TYPE(x), TYPE(by))>(scale<n>), x, by); return; }
//
// (on one line; TYPE(x) is typename gpu_bare<decltype(x)>::type). launch.c turns scale<8><<<grid, block>>>(x, NULL) into a call of scale<8>, so
// the compiler converts the arguments to the kernel's own parameters, chooses among overloads,
// deduces a template's arguments and adds default arguments, as for any function. The called
// kernel finds gpu_configured true, and gpu_start calls it again for each thread, with copies
// of its arguments.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

// The most words and brackets between __global__ and a kernel's name. Otherwise a text that only repeats
// such a word would be searched to its end each time.
enum { LONGEST_HEAD = 256 };

// Words with parentheses that may stand before or behind a function's name.
static bool is_attribute(const struct source *source, size_t i)
{
    static const char *const words[] = {
        "__launch_bounds__", "__attribute__", "__maxnreg__", "__cluster_dims__",
        "__block_size__",    "__align__",     "alignas",     "noexcept",
    };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (token_is(source, i, words[w])) {
            return true;
        }
    }
    return false;
}

static bool is_word(const struct source *source, size_t i)
{
    return i < source->count && source->tokens[i].kind == TOKEN_WORD;
}

bool function_name(const struct source *source, size_t i, size_t *name, size_t *open)
{
    size_t steps = 0;
    for (size_t at = i + 1; at + 1 < source->count && steps < LONGEST_HEAD;
         at++, steps++) {
        if (token_is(source, at, "[") ||
            (is_attribute(source, at) && token_is(source, at + 1, "("))) {
            at = token_close(source, at + !token_is(source, at, "["));
            continue;
        }
        if (token_is(source, at, ";") || token_is(source, at, "{") ||
            token_is(source, at, "}") || token_is(source, at, "=") ||
            token_is(source, at,
                     "__global__")) { // the next kernel, or this one's last word
            return false;
        }
        size_t next = at + 1;
        if (token_is(source, next, "<")) {
            next = token_close_angle(source, next) + 1;
        }
        // NAME(...) name(...): the first is a macro
        if (is_word(source, at) && token_is(source, next, "(") &&
            !is_word(source, token_close(source, next) + 1)) {
            *name = at;
            *open = next;
            return true;
        }
        if (is_word(source, at) && token_is(source, next, "(") &&
            is_attribute(source, token_close(source, next) + 1)) {
            *name = at;
            *open = next;
            return true;
        }
        at = token_is(source, next, "(") ? token_close(source, next) : at;
    }
    return false;
}

size_t function_body(const struct source *source, size_t close)
{
    size_t at = close + 1;
    while (is_attribute(source, at) || token_is(source, at, "[") ||
           token_is(source, at, "const")) {
        at += !token_is(source, at, "[");
        if (token_is(source, at, "(") || token_is(source, at, "[")) {
            at = token_close(source, at) + 1;
        }
    }
    return token_is(source, at, "{") ? at : 0;
}

// The < of the template header before i; 0 if there is none.
static size_t find_template(const struct source *source, size_t i)
{
    size_t steps = 0;
    for (size_t back = i; back-- > 0 && steps < LONGEST_HEAD; steps++) {
        if (token_is(source, back, ">") || source->tokens[back].kind == TOKEN_LAUNCHED) {
            const size_t last = back;
            back = token_open_angle(source, back);
            if (back == last) {
                break;
            }
            if (back > 0 && token_is(source, back - 1, "template")) {
                return back;
            }
        } else if (token_is(source, back, ")")) {
            back = token_open(source, back);
        } else if (token_is(source, back, ";") || token_is(source, back, "}") ||
                   token_is(source, back, "{") ||
                   source->tokens[back].kind == TOKEN_DIRECTIVE) {
            break;
        }
    }
    return 0;
}

// ---- one parameter ------------------------------------------------------------------------

// Words of a type that cannot be a name. half, size_t and float2 are not among them: they are
// names of types, which a parameter's name may hide.
static bool is_type_word(const struct source *source, size_t i)
{
    static const char *const words[] = {
        "int",      "unsigned", "signed",     "char",     "short",    "long",
        "float",    "bool",     "double",     "const",    "volatile", "wchar_t",
        "restrict", "__int128", "__restrict", "class",    "typename", "__restrict__",
        "auto",     "char8_t",  "char16_t",   "char32_t",
    };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (token_is(source, i, words[w])) {
            return true;
        }
    }
    return false;
}

static bool all_qualifiers(const struct source *source, size_t first, size_t end)
{
    for (; first < end; first++) {
        if (!token_is(source, first, "const") && !token_is(source, first, "volatile") &&
            !token_is(source, first, "__grid_constant__")) {
            return false;
        }
    }
    return true;
}

struct parameter {
    size_t name;  // its token; 0: it has none ...
    size_t place; // ... and a name can stand before this token
    bool pack;
};

// A parameter's declaration without its default argument. Declarators that matter: T name,
// T name[4], T (*name)(U), T... name.
static struct parameter look_at(const struct source *source, size_t first, size_t end)
{
    size_t last = end;
    while (last > first + 1 && token_is(source, last - 1, "]")) {
        last = token_open(source, last - 1);
    }
    if (last > first + 1 && token_is(source, last - 1, ")")) {
        size_t open = token_open(source, last - 1);
        if (open > first + 1 && token_is(source, open - 1, "__attribute__")) {
            last = open - 1;
        } else if (open > first + 1 && token_is(source, open - 1, ")")) {
            last = open - 1; // (*name)
            while (last > first && token_is(source, last - 1, "]")) {
                last = token_open(source, last - 1);
            }
        }
    }
    struct parameter found = {0, last, false};
    size_t at = last - 1;
    bool qualified = at > first && (token_is(source, at - 1, ":") ||
                                    token_is(source, at - 1, "struct") ||
                                    token_is(source, at - 1, "union") ||
                                    token_is(source, at - 1, "enum")); // of a type
    bool keyword = at > first && (token_is(source, at - 1, "typename") ||
                                  token_is(source, at - 1, "class"));
    if (at > first && is_word(source, at) && !qualified && !is_type_word(source, at) &&
        (keyword || !all_qualifiers(source, first, at))) {
        found.name = at;
    }
    size_t dots = found.name != 0 ? at : last;
    found.pack = dots > first + 2 && token_is(source, dots - 1, ".") &&
                 token_is(source, dots - 2, ".");
    return found;
}

// Adds the parameters' names in (first, close) to the list, and gives names to those without.
// each: what to write for a name, "%s" or "decltype(%s)".
struct names {
    struct text list, types;
};

static void add_name(const struct source *source, size_t first, size_t end,
                     struct names *names, struct edits *edits)
{
    size_t equals = first;
    while (equals < end && !token_is(source, equals, "=")) {
        bool group = token_is(source, equals, "(") || token_is(source, equals, "[") ||
                     token_is(source, equals, "{");
        equals = group ? token_close(source, equals) + 1 : equals + 1;
    }
    if (equals == first || (equals == first + 1 && token_is(source, first, "void"))) {
        return;
    }
    struct parameter p = look_at(source, first, equals);
    char name[64];
    if (p.name != 0) {
        const struct token *token = &source->tokens[p.name];
        if (token->length >= sizeof name) {
            translate_fail(source, token->line, "this name is too long");
        }
        memcpy(name, source->text + token->start, token->length);
        name[token->length] = '\0';
    } else {
        const struct token *before = &source->tokens[p.place - 1];
        snprintf(name, sizeof name, "gpu_p%zu", before->start);
        edit_add(edits, before->start + before->length, before->start + before->length,
                 " %s", name);
    }
    const char *comma = names->list.length > 0 ? ", " : "", *dots = p.pack ? "..." : "";
    text_add(&names->list, "%s%s%s", comma, name, dots);
    text_add(&names->types, "%stypename gpu_bare<decltype(%s)>::type%s", comma, name,
             dots);
}

static void add_names(const struct source *source, size_t open, size_t close,
                      struct names *names, struct edits *edits)
{
    size_t first = open + 1;
    text_add(&names->list, "%s", "");
    text_add(&names->types, "%s", "");
    for (size_t at = first; at <= close; at++) {
        if (at == close || token_is(source, at, ",")) {
            add_name(source, first, at, names, edits);
            first = at + 1;
        } else if (token_is(source, at, "(") || token_is(source, at, "[") ||
                   token_is(source, at, "{")) {
            at = token_close(source, at);
        } else if (token_is(source, at, "<")) {
            at = token_close_angle(source, at);
        }
        if (source->tokens[at].kind == TOKEN_DIRECTIVE) {
            translate_fail(source, source->tokens[at].line,
                           "a directive among a kernel's parameters cannot be simulated; "
                           "put it around the whole kernel");
        }
    }
}

// ---- the kernel ---------------------------------------------------------------------------

// The first argument of the kernel's __launch_bounds__, which stands before its name or its body:
// writes a call that lets the runtime know it.
static void add_bounds(const struct source *source, size_t global, size_t body,
                       struct text *call)
{
    size_t at = global;
    while (at > 0 && !token_is(source, at - 1, ";") && !token_is(source, at - 1, "}") &&
           !token_is(source, at - 1, "{") && !token_is(source, at - 1, ">") &&
           source->tokens[at - 1].kind != TOKEN_DIRECTIVE) {
        at--;
    }
    while (at < body && !token_is(source, at, "__launch_bounds__")) {
        at++;
    }
    text_add(call, "%s", "");
    if (at == body || !token_is(source, at + 1, "(")) {
        return;
    }
    size_t end = token_close(source, at + 1), next = at + 2;
    while (next < end && !token_is(source, next, ",")) {
        bool group = token_is(source, next, "(") || token_is(source, next, "{");
        next = group                         ? token_close(source, next) + 1
               : token_is(source, next, "<") ? token_close_angle(source, next) + 1
                                             : next + 1;
    }
    const struct token *first = &source->tokens[at + 2],
                       *last = &source->tokens[next - 1];
    if (next > at + 2) {
        text_add(call, "gpu_launch_bounds(%.*s); ",
                 (int)(last->start + last->length - first->start),
                 source->text + first->start);
    }
}

size_t translate_kernel(const struct source *source, size_t i, struct edits *edits)
{
    size_t name, open, body = 0;
    if (!token_is(source, i, "__global__")) {
        return i;
    }
    if (function_name(source, i, &name, &open)) {
        body = function_body(source, token_close(source, open));
    }
    if (body == 0) {
        return i + 1;
    }
    struct names of_template = {0}, names = {0};
    struct text bounds = {0};
    add_bounds(source, i, body, &bounds);
    const char *text = source->text + source->tokens[name].start;
    const struct token *last = &source->tokens[open - 1], *brace = &source->tokens[body];
    int length = (int)(last->start + last->length - source->tokens[name].start);
    size_t angle = find_template(source, i);
    if (angle > 0) {
        add_names(source, angle, token_close_angle(source, angle), &of_template, edits);
    }
    bool explicit_template = of_template.list.length > 0;
    add_names(source, open, token_close(source, open), &names, edits);
    edit_add(
        edits, brace->start + 1, brace->start + 1,
        " if (gpu_configured) { %sgpu_start(static_cast<void (*)(%s)>(%.*s%s%s%s)%s%s); "
        "return; }",
        bounds.bytes, names.types.bytes, length, text, explicit_template ? "<" : "",
        explicit_template ? of_template.list.bytes : "", explicit_template ? ">" : "",
        names.list.length > 0 ? ", " : "", names.list.bytes);
    free(of_template.list.bytes);
    free(of_template.types.bytes);
    free(names.list.bytes);
    free(names.types.bytes);
    free(bounds.bytes);
    return i + 1;
}
