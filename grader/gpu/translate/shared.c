// shared.c - __shared__ variables become references into the simulated block's shared memory.
//
//     __shared__ float tile[16][17], best[32];
//     struct gpu_type_tile { float tile[16][17], best[32]; };
//     static gpu_shared_key gpu_key_tile; auto &tile = gpu_shared<...>(&gpu_key_tile, "tile");
//     ... and the same for best, all on one line.
//
//     extern __shared__ float row[];        static float *const row = (float *)GPU_SHARED_DYNAMIC;
//
// The struct lets the compiler determine the type of each name. Line numbers stay the same.
// In the body of a macro, gpu_key_##tile, because the name may be a parameter.

#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

// The first token of the declaration that __shared__ at i belongs to.
static size_t declaration_start(const struct source *source, size_t i)
{
    while (i > 0 && source->tokens[i - 1].kind != TOKEN_DIRECTIVE &&
           !token_is(source, i - 1, ";") && !token_is(source, i - 1, "{") &&
           !token_is(source, i - 1, "}")) {
        i--;
    }
    return i;
}

// The ; behind it.
static size_t declaration_end(const struct source *source, size_t i)
{
    size_t line = source->tokens[i].line, start = i;
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
        if (source->in_macro && source->tokens[i].kind == TOKEN_END) {
            return i; // the ; stands behind the macro's name
        }
        bool brace = token_is(source, i, "}") && token_open(source, i) <= start;
        if (source->tokens[i].kind == TOKEN_END || brace) {
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
           token_is(source, i, "extern") || token_is(source, i, "__device__");
}

bool at_file_scope(const struct source *source, size_t i)
{
    return !source->in_macro && source->tokens[i].reach <= i;
}

// The text of the tokens from first to before end without storage and alignment.
static char *type_text(const struct source *source, size_t first, size_t end)
{
    struct text type = {0};
    text_add(&type, "%s", "");
    for (size_t i = first; i < end; i++) {
        if (token_is(source, i, "__align__") || token_is(source, i, "alignas")) {
            i = token_close(source, i + 1);
        } else if (!is_place(source, i)) {
            const struct token *token = &source->tokens[i];
            bool words = token->kind == TOKEN_WORD && type.length > 0;
            text_add(&type, "%s%.*s", words ? " " : "", (int)token->length,
                     source->text + token->start);
        }
    }
    return type.bytes;
}

static void translate_dynamic(const struct source *source, size_t start, size_t end,
                              struct edits *edits)
{
    size_t bracket = start;
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
    const struct token *name = &source->tokens[bracket - 1];
    char *type = type_text(source, start, bracket - 1);
    char *rest = type_text(source, bracket + 2, end);
    const char *open = *rest != '\0' ? "(" : "", *shut = *rest != '\0' ? ")" : "";
    // name[][N]: a pointer to arrays, in parentheses
    size_t at = source->tokens[start].start;
    edit_add(edits, at, at,
             "static %s %s*const __attribute__((unused)) %.*s%s%s = "
             "(%s %s*%s%s)GPU_SHARED_DYNAMIC",
             type, open, (int)name->length, source->text + name->start, shut, rest, type,
             open, shut, rest);
    for (size_t i = start; i < end; i++) { // one by one, which keeps the line breaks
        const struct token *token = &source->tokens[i];
        edit_add(edits, token->start, token->start + token->length, "%s", "");
    }
    free(type);
    free(rest);
}

// A declarator's name is the word before its first [ or before the next , or ;
static bool ends_name(const struct source *source, size_t i)
{
    return token_is(source, i, "[") || token_is(source, i, ",") ||
           token_is(source, i, ";") || source->tokens[i].kind == TOKEN_END;
}

// The names that the declaration from start to end declares: finds the next one from *j on.
// Returns NULL behind the last.
static const struct token *next_name(const struct source *source, size_t *j, size_t end)
{
    for (; *j <= end; ++*j) {
        if (token_is(source, *j, "<")) {
            *j = token_close_angle(source, *j);
        } else if (ends_name(source, *j)) {
            const struct token *name = &source->tokens[*j - 1];
            if (name->kind != TOKEN_WORD) {
                translate_fail(source, name->line,
                               "this __shared__ declaration is too complex; declare one "
                               "variable at a time");
            }
            while (*j < end && !token_is(source, *j, ",")) {
                *j = token_is(source, *j, "[") ? token_close(source, *j) + 1 : *j + 1;
            }
            ++*j;
            return name;
        } else if (token_is(source, *j, "(") || token_is(source, *j, "{")) {
            *j = token_close(source, *j);
        }
    }
    return NULL;
}

// After the struct: for each name, a key and a reference. type: the struct's name.
static void add_references(const struct source *source, size_t start, size_t end,
                           const char *type, struct edits *edits)
{
    size_t behind = source->tokens[end].start + source->tokens[end].length, j = start;
    const char *paste = source->in_macro ? "##" : "";
    const struct token *name;
    while ((name = next_name(source, &j, end)) != NULL) {
        int length = (int)name->length;
        const char *text = source->text + name->start;
        edit_add(edits, behind, behind,
                 " static gpu_shared_key gpu_key_%s%.*s = {0, 0, __FILE__, __LINE__}; "
                 "auto &%.*s = gpu_shared<decltype(%s::%.*s), alignof(%s)>("
                 "&gpu_key_%s%.*s, GPU_NAME(%.*s));",
                 paste, length, text, length, text, type, length, text, type, paste,
                 length, text, length, text);
    }
}

// The } that closes the definition of a type with a name, as in struct pair { ... } p[4]; 0 if
// there is none.
static size_t named_type(const struct source *source, size_t start, size_t end)
{
    for (size_t i = start; i + 2 < end; i++) {
        bool keyword = token_is(source, i, "struct") || token_is(source, i, "union") ||
                       token_is(source, i, "class");
        if (keyword && source->tokens[i + 1].kind == TOKEN_WORD &&
            token_is(source, i + 2, "{")) {
            return token_close(source, i + 2);
        }
    }
    return 0;
}

static void translate_static(const struct source *source, size_t start, size_t end,
                             struct edits *edits)
{
    size_t j = start, type_end = named_type(source, start, end);
    const struct token *name = next_name(source, &j, end), *close = &source->tokens[end];
    if (name == NULL) { // in a macro, a bracket may stay open
        translate_fail(source, source->tokens[start].line,
                       "this __shared__ declaration names no variable");
    }
    struct text type = {0};
    text_add(&type, "gpu_type_%s%.*s", source->in_macro ? "##" : "", (int)name->length,
             source->text + name->start);
    for (size_t i = start; i < end; i++) {
        const struct token *token = &source->tokens[i];
        if (i == start && type_end == 0) {
            edit_add(edits, token->start, token->start, "struct %s { ", type.bytes);
        }
        if (i == type_end &&
            type_end > 0) { // the type stays outside, and is used by name
            size_t keyword = token_open(source, type_end) - 2;
            char *of = type_text(source, keyword, keyword + 2);
            edit_add(edits, token->start + 1, token->start + 1, "; struct %s { %s ",
                     type.bytes, of);
            free(of);
        }
        if (is_place(source, i)) {
            edit_add(edits, token->start, token->start + token->length, "%s", "");
        }
    }
    edit_add(edits, close->start, close->start + close->length, "; };");
    add_references(source, start, end, type.bytes, edits);
    free(type.bytes);
}

size_t translate_shared(const struct source *source, size_t i, struct edits *edits)
{
    if (!token_is(source, i, "__shared__")) {
        return i;
    }
    size_t start = declaration_start(source, i), end = declaration_end(source, i);
    for (size_t j = start; j < end; j++) {
        if (token_is(source, j, "extern")) {
            translate_dynamic(source, start, end, edits);
            return end + 1;
        }
    }
    if (at_file_scope(source, i)) {
        translate_fail(source, source->tokens[start].line,
                       "declare __shared__ memory inside the kernel that uses it");
    }
    translate_static(source, start, end, edits);
    return end + 1;
}
