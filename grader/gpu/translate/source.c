// source.c - reads a .cu file and splits it into the tokens that the translation needs.

#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

enum { LARGEST_SOURCE = 16 << 20 };

// Some editors begin a UTF-8 file with it. Compilers take it there, but not behind other text.
static const char byte_order_mark[] = "\xef\xbb\xbf";

void translate_fail(const struct source *source, size_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%zu: error: ", source->path, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void translate_cannot(const char *doing, const char *path)
{
    fprintf(stderr, "cuda-to-cpp: cannot %s ", doing);
    perror(path);
    exit(2);
}

void source_read(struct source *source, const char *path, const char *shown)
{
    *source = (struct source){.path = shown};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        translate_cannot("open", path);
    }
    size_t room = 1 << 16, got;
    char *text = malloc(room + 1);
    while (text != NULL &&
           (got = fread(text + source->length, 1, room - source->length, file)) > 0) {
        source->length += got;
        if (source->length > LARGEST_SOURCE) {
            translate_fail(source, 1, "the file is larger than %d MiB",
                           LARGEST_SOURCE >> 20);
        }
        if (source->length == room) {
            text = realloc(text, (room *= 2) + 1);
        }
    }
    if (text == NULL || ferror(file)) {
        translate_cannot("read", path);
    }
    fclose(file);
    text[source->length] = '\0';
    if (strncmp(text, byte_order_mark, strlen(byte_order_mark)) == 0) {
        memset(text, ' ', strlen(byte_order_mark));
    }
    source->text = text;

    size_t line = 1;
    for (size_t i = 0; i < source->length; i++) {
        if (text[i] == '\0') {
            translate_fail(source, line, "a NUL byte: this is not a source text");
        }
        line += text[i] == '\n';
    }
}

// ---- cutting ------------------------------------------------------------------------------

struct cutter {
    struct source *source;
    size_t at, line, room;
    bool line_start;   // nothing but white space so far on this line
    size_t conditions; // #if that are open here; g++ may leave out what is inside
};

static void add(struct cutter *c, enum token_kind kind, size_t length)
{
    struct source *s = c->source;
    if (s->count == c->room) {
        c->room = c->room == 0 ? 1024 : 2 * c->room;
        s->tokens = realloc(s->tokens, c->room * sizeof *s->tokens);
        if (s->tokens == NULL) {
            translate_cannot("keep the tokens of", s->path);
        }
    }
    s->tokens[s->count++] =
        (struct token){.kind = kind, .start = c->at, .length = length, .line = c->line};
    for (size_t i = 0; i < length; i++) {
        c->line += s->text[c->at + i] == '\n';
    }
    c->at += length;
    c->line_start = false;
}

// The length of a comment at text; 0 if there is none.
static size_t comment(const struct cutter *c)
{
    const char *text = c->source->text + c->at;
    if (text[0] != '/') {
        return 0;
    }
    if (text[1] == '/') {
        size_t n = 2;
        while (text[n] != '\0' && (text[n] != '\n' || text[n - 1] == '\\')) {
            n++;
        }
        return n;
    }
    if (text[1] == '*') {
        const char *end = strstr(text + 2, "*/");
        if (end == NULL) {
            translate_fail(c->source, c->line,
                           "this comment is never closed: */ is missing");
        }
        return (size_t)(end + 2 - text);
    }
    return 0;
}

// The length of R"name( ... )name", with or without a prefix such as u8; 0 if it is not a
// raw string.
static size_t raw_string(const struct cutter *c)
{
    const char *text = c->source->text + c->at;
    size_t n = strncmp(text, "u8", 2) == 0 ? 2 : strchr("uUL", *text) != NULL ? 1 : 0;
    if (text[n] != 'R' || text[n + 1] != '"') {
        return 0;
    }
    size_t name = strcspn(text + n + 2, "(\n\"\\ )");
    if (name > 16 || text[n + 2 + name] != '(') {
        return 0;
    }
    char end[20];
    snprintf(end, sizeof end, ")%.*s\"", (int)name, text + n + 2);
    const char *close = strstr(text + n, end);
    if (close == NULL) {
        translate_fail(c->source, c->line,
                       "this raw string is never closed: %s is missing", end);
    }
    return (size_t)(close - text) + strlen(end);
}

static size_t quoted(const struct cutter *c, char quote)
{
    const char *text = c->source->text + c->at;
    size_t n = 1;
    while (text[n] != quote) {
        const bool ends = text[n] == '\n' || text[n] == '\0';
        if (text[n] == '\\' && text[n + 1] != '\0') {
            n += text[n + 1] == '\r' && text[n + 2] == '\n' ? 2 : 1;
        } else if (ends && c->conditions > 0) {
            return n; // text behind #if 0, as in "it's"; g++ reports it if it counts
        } else if (ends) {
            translate_fail(c->source, c->line, "this %s is never closed: %c is missing",
                           quote == '"' ? "string" : "character", quote);
        }
        n++;
    }
    return n + 1;
}

// A directive ends with its line, unless a comment or a backslash continues it.
static size_t directive(const struct cutter *c)
{
    struct cutter inside = *c;
    const char *text = c->source->text;
    while (text[inside.at] != '\0' && text[inside.at] != '\n') {
        size_t skip = comment(&inside);
        if (skip == 0 && text[inside.at] == '\\' && text[inside.at + 1] == '\n') {
            skip = 2;
        }
        if (skip == 0 && text[inside.at] == '\\' && text[inside.at + 1] == '\r') {
            skip = 3;
        }
        inside.at += skip > 0 ? skip : 1;
    }
    return inside.at - c->at;
}

// Counts the conditions that a directive opens or closes.
static void count_condition(struct cutter *c)
{
    const char *name = c->source->text + c->at + 1;
    name += strspn(name, " \t");
    if (strncmp(name, "if", 2) == 0) { // also ifdef and ifndef
        c->conditions++;
    } else if (strncmp(name, "endif", 5) == 0 && c->conditions > 0) {
        c->conditions--;
    }
}

// A backslash at the end of a line.
static size_t continuation(const char *text)
{
    return strncmp(text, "\\\n", 2) == 0 ? 2 : strncmp(text, "\\\r\n", 3) == 0 ? 3 : 0;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t word(const char *text)
{
    size_t n = 0;
    while (in_word(text[n])) {
        n++;
    }
    return n;
}

static size_t number(const char *text)
{
    size_t n = 1;
    while (in_word(text[n]) || text[n] == '.' ||
           (text[n] == '\'' && in_word(text[n + 1])) ||
           (strchr("+-", text[n]) != NULL && strchr("eEpP", text[n - 1]) != NULL)) {
        n++;
    }
    return n;
}

// Reads one token, or skips white space.
static void cut(struct cutter *c)
{
    const char *text = c->source->text + c->at;
    size_t length;
    if (*text == '\n') {
        c->at++;
        c->line++;
        c->line_start = true;
    } else if (isspace((unsigned char)*text)) {
        c->at++;
    } else if ((length = continuation(text)) > 0) {
        c->at += length;
        c->line++;
    } else if ((length = comment(c)) > 0) {
        for (size_t i = 0; i < length; i++) {
            c->line += text[i] == '\n';
        }
        c->at += length;
    } else if (*text == '#' && c->line_start) {
        count_condition(c);
        add(c, TOKEN_DIRECTIVE, directive(c));
    } else if ((length = raw_string(c)) > 0) {
        add(c, TOKEN_TEXT, length);
    } else if (*text == '"' || *text == '\'') {
        add(c, TOKEN_TEXT, quoted(c, *text));
    } else if (isdigit((unsigned char)*text) ||
               (*text == '.' && isdigit((unsigned char)text[1]))) {
        add(c, TOKEN_NUMBER, number(text));
    } else if (in_word(*text)) {
        add(c, TOKEN_WORD, word(text));
    } else if (strncmp(text, "<<<", 3) == 0) {
        add(c, TOKEN_LAUNCH, 3);
    } else if (strncmp(text, ">>>", 3) == 0) {
        add(c, TOKEN_LAUNCHED, 3);
    } else {
        add(c, TOKEN_SIGN, 1);
    }
}

// extern "C" { and namespace x { do not begin a function.
static bool opens_namespace(const struct source *source, size_t j)
{
    return j >= 1 && (source->tokens[j - 1].kind == TOKEN_TEXT ||
                      token_is(source, j - 1, "namespace") ||
                      (j >= 2 && token_is(source, j - 2, "namespace")));
}

static int depth_change(const struct source *source, size_t i)
{
    const struct token *token = &source->tokens[i];
    if (token->kind != TOKEN_SIGN) {
        return 0;
    }
    char c = source->text[token->start];
    return strchr("([{", c) != NULL ? 1 : strchr(")]}", c) != NULL ? -1 : 0;
}

// Finds the partner of each bracket once, since many places ask for it. Until then, partner links those
// that are still open.
static void match_brackets(struct source *source)
{
    struct token *tokens = source->tokens;
    const size_t end = source->count - 1, none = source->count;
    size_t open = none, reach = 0;
    for (size_t i = 0; i < end; i++) {
        const int change = depth_change(source, i);
        tokens[i].partner = i;
        if (change > 0) {
            tokens[i].partner = open;
            open = i;
        } else if (change < 0 && open != none) {
            const size_t opener = open;
            open = tokens[opener].partner;
            tokens[opener].partner = i;
            tokens[i].partner = opener;
        }
    }
    while (open != none) {
        const size_t opener = open;
        open = tokens[opener].partner;
        tokens[opener].partner = end;
    }
    for (size_t i = 0; i <= end; i++) {
        tokens[i].reach = reach;
        if (token_is(source, i, "{") && !opens_namespace(source, i) &&
            tokens[i].partner > reach) {
            reach = tokens[i].partner;
        }
    }
}

void source_tokenize(struct source *source)
{
    struct cutter c = {.source = source, .line = 1, .line_start = true};
    while (c.at < source->length) {
        cut(&c);
    }
    add(&c, TOKEN_END, 0);
    match_brackets(source);
}

// The macros without parameters that mean __global__, as in #define KERNEL __global__ void. Those of all
// files so far, since a header may define one.
static struct text kernel_macros; // each between spaces

static bool means_global(const char *name, size_t length)
{
    const char *at = kernel_macros.bytes;
    for (; at != NULL && *at != '\0'; at += 1 + strcspn(at, " ")) {
        if (strcspn(at, " ") == length && memcmp(at, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool names_global(const char *at, const char *end)
{
    for (; at < end; at += word(at) + (word(at) == 0)) {
        if ((word(at) == 10 && memcmp(at, "__global__", 10) == 0) ||
            (word(at) > 0 && means_global(at, word(at)))) {
            return true;
        }
    }
    return false;
}

bool source_macro(const struct source *source, size_t i, struct source *body)
{
    const struct token *token = &source->tokens[i];
    if (i >= source->count || token->kind != TOKEN_DIRECTIVE) {
        return false;
    }
    const char *text = source->text + token->start, *at = text + 1;
    const char *end = text + token->length;
    at += strspn(at, " \t");
    if (strncmp(at, "define", 6) != 0 || in_word(at[6])) {
        return false;
    }
    at += 6 + strspn(at + 6, " \t");
    const char *name = at;
    size_t length = word(at);
    at += length;
    if (*at != '(' && !means_global(name, length) && names_global(at, end)) {
        text_add(&kernel_macros, "%.*s ", (int)length, name);
    }
    if (*at == '(') { // its parameters
        while (at < end && *at != ')') {
            at++;
        }
        at += at < end;
    }
    static const char *const wanted[] = {"<<<", "__shared__", "__global__", "asm"};
    bool any = false;
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        any = any || memmem(at, (size_t)(end - at), wanted[w], strlen(wanted[w])) != NULL;
    }
    if (!any) {
        return false; // most macros; they may hold anything
    }
    *body = *source;
    body->tokens = NULL;
    body->count = 0;
    body->in_macro = true;
    struct cutter c = {.source = body, .at = (size_t)(at - source->text)};
    c.line = token->line;
    for (const char *before = text; before < at; before++) {
        c.line += *before == '\n';
    }
    while (c.at < token->start + token->length) {
        cut(&c);
    }
    add(&c, TOKEN_END, 0);
    match_brackets(body);
    return true;
}

bool token_is(const struct source *source, size_t i, const char *text)
{
    const struct token *token = &source->tokens[i];
    if (i >= source->count || token->kind == TOKEN_TEXT) {
        return false;
    }
    if (kernel_macros.length > 0 && token->kind == TOKEN_WORD &&
        strcmp(text, "__global__") == 0 &&
        means_global(source->text + token->start, token->length)) {
        return true;
    }
    return token->length == strlen(text) &&
           memcmp(source->text + token->start, text, token->length) == 0;
}

size_t token_close(const struct source *source, size_t i)
{
    return i + 1 >= source->count        ? source->count - 1
           : depth_change(source, i) > 0 ? source->tokens[i].partner
                                         : i;
}

size_t token_open(const struct source *source, size_t i)
{
    return depth_change(source, i) < 0 ? source->tokens[i].partner : i;
}

// No list of a template's arguments is longer. Otherwise each < of a long text without > would be searched
// to the end.
enum { LONGEST_ANGLE = 256 };

// How much deeper a template's arguments are nested behind token i: -3 to 1.
static int angle_change(const struct source *source, size_t i)
{
    if (source->tokens[i].kind == TOKEN_LAUNCHED) {
        return -3;
    }
    bool arrow = i > 0 && token_is(source, i - 1, "-") &&
                 source->tokens[i - 1].start + 1 == source->tokens[i].start;
    return token_is(source, i, "<") - (token_is(source, i, ">") && !arrow);
}

size_t token_close_angle(const struct source *source, size_t i)
{
    int depth = 0, steps = 0;
    for (size_t j = i;
         j + 1 < source->count && !token_is(source, j, ";") && steps++ < LONGEST_ANGLE;
         j++) {
        depth += angle_change(source, j);
        if (depth <= 0) {
            return j;
        }
        if (depth_change(source, j) > 0) {
            j = token_close(source, j);
        } else if (depth_change(source, j) < 0) {
            break;
        }
    }
    return i;
}

size_t token_open_angle(const struct source *source, size_t i)
{
    int depth = 0;
    for (size_t j = i, steps = 0; steps < LONGEST_ANGLE; j--, steps++) {
        depth -= angle_change(source, j);
        if (depth <= 0) {
            return j;
        }
        if (depth_change(source, j) < 0) {
            j = token_open(source, j);
        } else if (depth_change(source, j) > 0 || token_is(source, j, ";")) {
            break;
        }
        if (j == 0) {
            break;
        }
    }
    return i;
}
