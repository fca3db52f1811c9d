// host.c - functions of the host say so, and the checked program finds a kernel that gets into one.
//
//     float half_of(float x) { return x / 2; }
//     float half_of(float x) { gpu_host_code(); return x / 2; }
//
// nvcc refuses such a call, but only a compiler can tell which function a call means: an overload, a member,
// an instance of a template. So the function that runs tells it. sides.c refuses the plainest cases before
// anything runs.
//
// A function with a body is the host's if its declaration has neither __device__ nor __global__, nor
// constexpr, nor a word that may be a macro with one of them, and no other function of that name in the
// program has. Lambdas, and functions that the compiler makes, have no such declaration.

#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

// Names, with their '\0', of functions that may be the device's, and of macros; of all files so far.
static struct text on_device, macros;

static bool is_known(const struct text *names, const char *name, size_t length)
{
    for (size_t at = 0; at < names->length; at += strlen(names->bytes + at) + 1) {
        if (strlen(names->bytes + at) == length &&
            memcmp(names->bytes + at, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static void learn(struct text *names, const char *name, size_t length)
{
    if (!is_known(names, name, length)) {
        text_add(names, "%.*s", (int)length, name);
        names->length++; // keeps the '\0'
        text_add(names, "%s", "");
    }
}

static const char *text_of(const struct source *source, size_t i)
{
    return source->text + source->tokens[i].start;
}

static bool is_word(const struct source *source, size_t i)
{
    return i < source->count && source->tokens[i].kind == TOKEN_WORD;
}

// ---- one declaration ------------------------------------------------------------------------

struct function {
    size_t first, name,
        open; // tokens: the declaration's, the name's, the parenthesis behind it
};

static size_t name_length(const struct source *source, const struct function *f)
{
    const struct token *last = &source->tokens[f->open - 1];
    return last->start + last->length - source->tokens[f->name].start;
}

// Perhaps a macro: HOST_DEVICE, __hd__, or a name that the program defines.
static bool may_be_macro(const struct source *source, size_t i)
{
    const char *text = text_of(source, i);
    size_t length = source->tokens[i].length;
    bool small = false;
    for (size_t c = 0; c < length; c++) {
        small = small || islower((unsigned char)text[c]);
    }
    return !small || (length > 1 && text[0] == '_' && text[1] == '_') ||
           is_known(&macros, text, length);
}

// Behind template <...>, and its > in *end.
static size_t skip_template(const struct source *source, size_t first, size_t *end)
{
    *end = first;
    while (token_is(source, first, "template") && token_is(source, first + 1, "<")) {
        *end = token_close_angle(source, first + 1);
        first = *end + 1;
    }
    return first;
}

// A parameter of the template whose header is in [first, end).
static bool is_parameter(const struct source *source, size_t first, size_t end, size_t i)
{
    for (; first < end; first++) {
        if (is_word(source, first) &&
            source->tokens[first].length == source->tokens[i].length &&
            memcmp(text_of(source, first), text_of(source, i),
                   source->tokens[i].length) == 0) {
            return true;
        }
    }
    return false;
}

// Whether the declaration says, or may say, that the function is for the device.
static bool may_be_device(const struct source *source, const struct function *f)
{
    size_t end, i = skip_template(source, f->first, &end);
    for (; i < f->open; i++) {
        if (!is_word(source, i)) {
            continue;
        }
        if (token_is(source, i, "constexpr") || token_is(source, i, "consteval") ||
            token_is(source, i, "using") || token_is(source, i, "extern") ||
            (!token_is(source, i, "__host__") && !token_is(source, i, "__inline__") &&
             !token_is(source, i, "__forceinline__") && may_be_macro(source, i) &&
             !is_parameter(source, f->first, end, i))) {
            return true;
        }
    }
    // a part that does not always count may say more
    return f->first > 0 && source->tokens[f->first - 1].kind == TOKEN_DIRECTIVE &&
           f->first > 1 && source->tokens[f->first - 2].kind != TOKEN_DIRECTIVE &&
           !token_is(source, f->first - 2, ";") && !token_is(source, f->first - 2, "}") &&
           !token_is(source, f->first - 2, "{");
}

// The brace behind a constructor's list, a(x), b{y}; 0 if this is no such list.
static size_t behind_list(const struct source *source, size_t colon)
{
    size_t at = colon + 1;
    while (is_word(source, at)) {
        at++;
        if (token_is(source, at, "<")) {
            at = token_close_angle(source, at) + 1;
        }
        if (!token_is(source, at, "(") && !token_is(source, at, "{")) {
            return 0;
        }
        at = token_close(source, at) + 1;
        if (!token_is(source, at, ",")) {
            return token_is(source, at, "{") ? at : 0;
        }
        at++;
    }
    return 0;
}

static size_t body_of(const struct source *source, const struct function *f)
{
    size_t close = token_close(source, f->open), body = function_body(source, close);
    return body == 0 && token_is(source, close + 1, ":") ? behind_list(source, close + 1)
                                                         : body;
}

// ---- a file ---------------------------------------------------------------------------------

// Whether functions may be declared behind the { at open, whose declaration begins at first.
static bool opens_scope(const struct source *source, size_t first, size_t open)
{
    size_t end;
    for (size_t i = skip_template(source, first, &end); i < open; i++) {
        if (token_is(source, i, "(") || token_is(source, i, "=") ||
            token_is(source, i, "enum")) {
            return false;
        }
        if (token_is(source, i, "namespace") || token_is(source, i, "class") ||
            token_is(source, i, "struct") || token_is(source, i, "union") ||
            token_is(source, i, "extern")) {
            return true;
        }
    }
    return false;
}

// The function that is named before the parenthesis at open.
static bool named(const struct source *source, size_t first, size_t open,
                  struct function *f)
{
    *f = (struct function){first, open - 1, open};
    for (size_t i = first; i + 2 < open; i++) {
        if (token_is(source, i, "=") && !token_is(source, i - 1, "operator")) {
            return false; // a variable's value
        }
    }
    if (is_word(source, open - 1)) {
        return !token_is(source, open - 1, "operator");
    }
    for (size_t back = 2; back <= 3 && open >= first + back; back++) { // operator +=
        if (token_is(source, open - back, "operator")) {
            f->name = open - back;
            return true;
        }
    }
    return false;
}

// Calls see for each function that is declared or defined outside of functions.
static void each_function(const struct source *source, struct edits *edits,
                          void (*see)(const struct source *, const struct function *,
                                      struct edits *))
{
    size_t first = 0;
    for (size_t i = 0; i < source->count; i++) {
        struct function f;
        if (source->tokens[i].kind == TOKEN_DIRECTIVE || token_is(source, i, ";") ||
            token_is(source, i, "}") ||
            (token_is(source, i, ":") &&
             (token_is(source, i - 1, "public") || token_is(source, i - 1, "private") ||
              token_is(source, i - 1, "protected")))) {
            first = i + 1;
        } else if (token_is(source, i, "{")) {
            if (opens_scope(source, first, i)) {
                first = i + 1;
            } else {
                i = token_close(source, i);
                first = i + 1;
            }
        } else if (token_is(source, i, "(") && i > first) {
            if (named(source, first, i, &f)) {
                see(source, &f, edits);
            }
            size_t body = body_of(source, &(struct function){first, i, i});
            i = token_close(source, body != 0 ? body : i);
            first = body != 0 ? i + 1 : first;
        }
    }
}

static void learn_device(const struct source *source, const struct function *f,
                         struct edits *edits)
{
    (void)edits;
    if (may_be_device(source, f)) {
        learn(&on_device, text_of(source, f->name), name_length(source, f));
    }
}

static void mark(const struct source *source, const struct function *f,
                 struct edits *edits)
{
    size_t body = body_of(source, f);
    if (body != 0 && !token_is(source, f->name, "main") &&
        !is_known(&on_device, text_of(source, f->name), name_length(source, f))) {
        size_t place = source->tokens[body].start + 1;
        edit_add(edits, place, place, " gpu_host_code();");
    }
}

static void learn_macro(const struct source *source, size_t i)
{
    const char *text = text_of(source, i) + 1;
    text += strspn(text, " \t");
    if (strncmp(text, "define", 6) == 0) {
        text += 6 + strspn(text + 6, " \t");
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_') {
            length++;
        }
        learn(&macros, text, length);
    }
}

void host_mark(const struct source *source, struct edits *edits)
{
    for (size_t i = 0; i < source->count; i++) {
        if (source->tokens[i].kind == TOKEN_DIRECTIVE) {
            learn_macro(source, i);
        }
    }
    each_function(source, edits, learn_device);
    each_function(source, edits, mark);
}
