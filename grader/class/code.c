// code.c - see code.h.

#include "class/code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Limits, in tokens, for a text that is made to take long.
enum { LONGEST_PARAMETERS = 1000, LONGEST_TYPE = 8, LONGEST_WAY_BACK = 4000 };

// ---- tokens -------------------------------------------------------------------------------

static const struct token *token(const struct code *code, size_t place)
{
    static const struct token none = {0, "", 0, 0};
    return place < code->tokens.count ? &code->tokens.list[place] : &none;
}

bool code_is(const struct code *code, size_t place, const char *word)
{
    const struct token *at = token(code, place);
    return at->length == strlen(word) && memcmp(at->at, word, at->length) == 0;
}

void code_word(const struct code *code, size_t place, char word[32])
{
    const struct token *at = token(code, place);
    snprintf(word, 32, "%.*s", (int)at->length, at->at);
}

// The place of the bracket that closes the one here, or `end` if none does before it.
static size_t closing(const struct code *code, size_t place, size_t end)
{
    long depth = 0;
    for (; place < end; place++) {
        depth += code_is(code, place, "(") || code_is(code, place, "[") ||
                 code_is(code, place, "{");
        depth -= code_is(code, place, ")") || code_is(code, place, "]") ||
                 code_is(code, place, "}");
        if (depth == 0) {
            break;
        }
    }
    return place;
}

char *code_text(const struct code *code, size_t from, size_t to)
{
    struct text text;
    text_begin(&text);
    for (size_t i = from; i < to && i < code->tokens.count; i++) {
        const struct token *at = token(code, i);
        bool apart = i > from && at[-1].at + at[-1].length != at->at;
        fprintf(text.file, "%s%.*s", apart ? " " : "", (int)at->length, at->at);
    }
    return text_end(&text);
}

char *code_line(const struct code *code, uint32_t line)
{
    const char *at = code->text, *end = code->text + code->size;
    for (; line > 1 && at < end; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((newline != NULL ? newline : end) - at);
    return grader_print("%.*s", (int)(length < 200 ? length : 200), at);
}

// ---- the function -------------------------------------------------------------------------

bool code_find(struct code *code, const char *file, const char *text, size_t size,
               const char *function)
{
    *code = (struct code){.file = file, .text = text, .size = size};
    code->tokens = tokens_read(text, size);
    for (size_t i = 0; i < code->tokens.count; i++) {
        if (code_is(code, i, "{")) { // the body of another function
            i = closing(code, i, code->tokens.count);
        } else if (code_is(code, i, function) && code_is(code, i + 1, "(")) {
            size_t most = i + 1 + LONGEST_PARAMETERS;
            most = most < code->tokens.count ? most : code->tokens.count;
            size_t brace = closing(code, i + 1, most) + 1;
            if (brace <= most && code_is(code, brace, "{")) {
                code->from = brace + 1;
                code->to = closing(code, brace, code->tokens.count);
                code->first = token(code, i)->line;
                code->last = code->to < code->tokens.count
                                 ? token(code, code->to)->line
                                 : token(code, code->tokens.count - 1)->line;
                return true;
            }
        }
    }
    return false;
}

void code_free(struct code *code)
{
    tokens_free(&code->tokens);
}

bool code_next_index(const struct code *code, size_t after, struct code_index *index)
{
    for (size_t i = after > code->from ? after : code->from; i + 1 < code->to; i++) {
        if (token(code, i)->kind == TOKEN_NAME && code_is(code, i + 1, "[")) {
            code_word(code, i, index->name);
            index->from = i + 2;
            index->to = closing(code, i + 1, code->to);
            index->line = token(code, i)->line;
            return index->to < code->to;
        }
    }
    return false;
}

bool code_bound(const struct code *code, size_t place, const char *name, char bound[32])
{
    bool found = false;
    size_t first = place > LONGEST_WAY_BACK ? place - LONGEST_WAY_BACK : 0;
    for (size_t i = first > code->from ? first : code->from; i + 8 < place; i++) {
        size_t at = i + 2;
        if (!code_is(code, i, "for") || !code_is(code, i + 1, "(")) {
            continue;
        }
        while (at < place && at < i + 2 + LONGEST_TYPE && !code_is(code, at, name) &&
               !code_is(code, at, ";") && !code_is(code, at, ")")) {
            at++; // types
        }
        // name = 0; name < BOUND;
        if (code_is(code, at, name) && code_is(code, at + 1, "=") &&
            code_is(code, at + 2, "0") && code_is(code, at + 3, ";") &&
            code_is(code, at + 4, name) && code_is(code, at + 5, "<") &&
            code_is(code, at + 7, ";")) {
            code_word(code, at + 6, bound);
            found = true;
        }
    }
    return found;
}

// ---- expressions --------------------------------------------------------------------------

void code_set(struct code_values *values, const char *name, long value)
{
    for (size_t i = 0; i < values->count; i++) {
        if (strcmp(values->list[i].name, name) == 0) {
            values->list[i].value = value;
            return;
        }
    }
    if (values->count < CODE_MOST_VALUES) {
        struct code_value *next = &values->list[values->count++];
        snprintf(next->name, sizeof next->name, "%s", name);
        next->value = value;
    }
}

const struct code_value *code_get(const struct code_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++) {
        if (strcmp(values->list[i].name, name) == 0) {
            return &values->list[i];
        }
    }
    return NULL;
}

struct expression {
    const struct code *code;
    size_t at, to;
    const struct code_values *values;
    int depth;
    bool fine;
};

static long sum_of(struct expression *expression);

// Numbers in index expressions are small; anything else is not evaluated.
static long kept_small(struct expression *expression, long value)
{
    const long most = 1000000;
    expression->fine = expression->fine && value <= most && value >= -most;
    return expression->fine ? value : 0;
}

static long factor_of(struct expression *expression)
{
    const struct code *code = expression->code;
    char word[32];
    long value = 0;
    if (expression->at >= expression->to || expression->depth > 20) {
        expression->fine = false;
        return 0;
    }
    code_word(code, expression->at, word);
    if (word[0] == '(') {
        expression->at++;
        expression->depth++;
        value = sum_of(expression);
        expression->depth--;
        expression->fine = expression->fine && expression->at < expression->to &&
                           code_is(code, expression->at, ")");
    } else if (isdigit((unsigned char)word[0])) {
        char *end;
        value = strtol(word, &end, 10);
        expression->fine = expression->fine && *end == '\0';
    } else {
        const struct code_value *known = code_get(expression->values, word);
        expression->fine = expression->fine && known != NULL;
        value = known != NULL ? known->value : 0;
    }
    expression->at++;
    return kept_small(expression, value);
}

static long product_of(struct expression *expression)
{
    long value = factor_of(expression);
    while (expression->fine && expression->at < expression->to &&
           code_is(expression->code, expression->at, "*")) {
        expression->at++;
        value = kept_small(expression, value * factor_of(expression));
    }
    return value;
}

static long sum_of(struct expression *expression)
{
    long value = product_of(expression);
    while (expression->fine && expression->at < expression->to &&
           (code_is(expression->code, expression->at, "+") ||
            code_is(expression->code, expression->at, "-"))) {
        long sign = code_is(expression->code, expression->at, "+") ? 1 : -1;
        expression->at++;
        value = kept_small(expression, value + sign * product_of(expression));
    }
    return value;
}

bool code_evaluate(const struct code *code, size_t from, size_t to,
                   const struct code_values *values, long *result)
{
    struct expression expression = {code, from, to, values, 0, true};
    *result = sum_of(&expression);
    return expression.fine && expression.at == to;
}
