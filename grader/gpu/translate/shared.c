// shared.c - __shared__ variables become references into the simulated block's shared memory.
//
//     __shared__ float tile[16][17], best[32];
//     struct gpu_shared_9 { float tile[16][17], best[32]; };
//     static gpu_shared_key gpu_key_9_tile; auto &tile = gpu_shared<...>(&gpu_key_9_tile, "tile");
//     ... and the same for best, all on one line.
//
//     extern __shared__ float row[];        static float *const row = (float *)GPU_SHARED_DYNAMIC;
//
// The struct lets the compiler determine the type of each name. Line numbers stay the same.

#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

// The first token of the declaration that __shared__ at i belongs to.
static size_t declaration_start(const struct source *source, size_t i)
{
    while (i > 0) {
        if (token_is(source, i - 1, "extern") || token_is(source, i - 1, "static") ||
            token_is(source, i - 1, "volatile") || token_is(source, i - 1, "const")) {
            i--;
        } else if (token_is(source, i - 1, ")") && token_open(source, i - 1) > 0 &&
                   (token_is(source, token_open(source, i - 1) - 1, "__align__") ||
                    token_is(source, token_open(source, i - 1) - 1, "alignas"))) {
            i = token_open(source, i - 1) - 1;
        } else {
            break;
        }
    }
    return i;
}

static size_t declaration_end(const struct source *source, size_t i)
{
    size_t line = source->tokens[i].line;
    for (; !token_is(source, i, ";"); i++) {
        if (token_is(source, i, "=")) {
            translate_fail(source, source->tokens[i].line,
                           "shared memory cannot be initialized where it is declared; "
                           "let the threads write it");
        }
        if (token_is(source, i, "(") || token_is(source, i, "[") ||
            token_is(source, i, "{")) {
            i = token_close(source, i);
        }
        if (source->tokens[i].kind == TOKEN_END || token_is(source, i, "}")) {
            translate_fail(source, line,
                           "this __shared__ declaration is never closed: ; is missing");
        }
    }
    return i;
}

// Tokens that describe the storage of a variable, not its type.
static bool is_place(const struct source *source, size_t i)
{
    return token_is(source, i, "__shared__") || token_is(source, i, "static") ||
           token_is(source, i, "extern");
}

static bool at_file_scope(const struct source *source, size_t i)
{
    int depth = 0;
    for (size_t j = 0; j < i; j++) {
        depth += token_is(source, j, "{") - token_is(source, j, "}");
        // extern "C" { and namespace x { do not begin a function
        if (token_is(source, j, "{") && j >= 1 &&
            (source->tokens[j - 1].kind == TOKEN_TEXT ||
             (j >= 2 && token_is(source, j - 2, "namespace")) ||
             token_is(source, j - 1, "namespace"))) {
            depth--;
        }
    }
    return depth <= 0;
}

static void translate_dynamic(const struct source *source, size_t start, size_t end,
                              struct edits *edits)
{
    size_t bracket = start, type = start;
    while (bracket < end && !token_is(source, bracket, "[")) {
        bracket = token_is(source, bracket, "(") ? token_close(source, bracket) + 1
                                                 : bracket + 1;
    }
    if (bracket >= end || bracket < start + 2 || !token_is(source, bracket + 1, "]")) {
        translate_fail(
            source, source->tokens[start].line,
            "the launch sets the size of extern __shared__ memory; declare it as extern "
            "__shared__ float name[];");
    }
    while (is_place(source, type) || token_is(source, type, "__align__") ||
           token_is(source, type, "alignas")) {
        type = token_is(source, type + 1, "(") ? token_close(source, type + 1) + 1
                                               : type + 1;
    }
    const struct token *t = &source->tokens[type], *name = &source->tokens[bracket - 1],
                       *rest = &source->tokens[bracket + 2],
                       *close = &source->tokens[end];
    const char *text = source->text;
    const struct token *last = &source->tokens[bracket - 2];
    int type_length = (int)(last->start + last->length - t->start),
        name_length = (int)name->length, rest_length = (int)(close->start - rest->start);
    bool rows = rest_length > 0; // name[][N]: a pointer to arrays, in parentheses
    edit_add(edits, source->tokens[start].start, close->start,
             "static %.*s %s*const __attribute__((unused)) %.*s%s%.*s = "
             "(%.*s %s*%s%.*s)GPU_SHARED_DYNAMIC",
             type_length, text + t->start, rows ? "(" : "", name_length,
             text + name->start, rows ? ")" : "", rest_length, text + rest->start,
             type_length, text + t->start, rows ? "(" : "", rows ? ")" : "", rest_length,
             text + rest->start);
}

// A declarator's name is the word before its first [ or before the next , or ;
static bool ends_name(const struct source *source, size_t i)
{
    return token_is(source, i, "[") || token_is(source, i, ",") ||
           token_is(source, i, ";");
}

// After the struct: for each name, a key and a reference.
static void add_references(const struct source *source, size_t i, size_t end,
                           struct edits *edits)
{
    size_t behind = source->tokens[end].start + 1;
    bool wanted = true; // the name of the next declarator
    int angle = 0;
    for (size_t j = i + 1; j <= end; j++) {
        angle += token_is(source, j, "<") - token_is(source, j, ">");
        if (wanted && angle == 0 && ends_name(source, j)) {
            const struct token *name = &source->tokens[j - 1];
            if (name->kind != TOKEN_WORD) {
                translate_fail(source, name->line,
                               "this __shared__ declaration is too complex; declare one "
                               "variable at a time");
            }
            int length = (int)name->length;
            const char *text = source->text + name->start;
            edit_add(
                edits, behind, behind,
                " static gpu_shared_key gpu_key_%zu_%.*s = {0, 0, __FILE__, __LINE__}; "
                "auto &%.*s = "
                "gpu_shared<decltype(gpu_shared_%zu::%.*s), alignof(gpu_shared_%zu)>("
                "&gpu_key_%zu_%.*s, \"%.*s\");",
                i, length, text, length, text, i, length, text, i, i, length, text,
                length, text);
            wanted = false;
        }
        wanted = wanted || (angle == 0 && token_is(source, j, ","));
        if (token_is(source, j, "[") || token_is(source, j, "(") ||
            token_is(source, j, "{")) {
            j = token_close(source, j);
        }
    }
}

size_t translate_shared(const struct source *source, size_t i, struct edits *edits)
{
    if (!token_is(source, i, "__shared__")) {
        return i;
    }
    size_t start = declaration_start(source, i), end = declaration_end(source, i);
    for (size_t j = start; j < i; j++) {
        if (token_is(source, j, "extern")) {
            translate_dynamic(source, start, end, edits);
            return end + 1;
        }
    }
    const struct token *first = &source->tokens[start], *close = &source->tokens[end];
    if (at_file_scope(source, i)) {
        translate_fail(source, first->line,
                       "declare __shared__ memory inside the kernel that uses it");
    }
    edit_add(edits, first->start, first->start, "struct gpu_shared_%zu { ", i);
    for (size_t j = start; j < end; j++) {
        if (is_place(source, j)) {
            const struct token *token = &source->tokens[j];
            edit_add(edits, token->start, token->start + token->length, "%s", "");
        }
    }
    edit_add(edits, close->start, close->start + 1, "; };");
    add_references(source, i, end, edits);
    return end + 1;
}
