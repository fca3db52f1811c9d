// tokens.c - see tokens.h.

#include "class/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int keyword(const char *word, size_t length)
{
    static const char *const words[] = {
        "break",    "case",   "char",   "const",     "continue", "default",
        "do",       "double", "else",   "enum",      "float",    "for",
        "goto",     "if",     "int",    "long",      "return",   "short",
        "signed",   "sizeof", "static", "struct",    "switch",   "union",
        "unsigned", "void",   "while",  "restrict",  "bool",     "true",
        "false",    "NULL",   "size_t", "ptrdiff_t", "inline",   NULL};
    for (int i = 0; words[i] != NULL; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) {
            return TOKEN_KEYWORD + i;
        }
    }
    return TOKEN_NAME;
}

int token_keyword(const char *word)
{
    return keyword(word, strlen(word));
}

struct scanner {
    const char *at, *end;
};

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void skip_line(struct scanner *scanner)
{
    while (scanner->at < scanner->end && *scanner->at != '\n') {
        scanner->at += *scanner->at == '\\' && scanner->at + 1 < scanner->end ? 2 : 1;
    }
}

static void skip_comment(struct scanner *scanner)
{
    const char *end = NULL;
    for (const char *p = scanner->at + 2; p + 1 < scanner->end && end == NULL; p++) {
        end = p[0] == '*' && p[1] == '/' ? p + 2 : NULL;
    }
    scanner->at = end != NULL ? end : scanner->end;
}

// Layout, comments and preprocessor lines.
static void skip_silent(struct scanner *scanner)
{
    for (const char *before = NULL; before != scanner->at;) {
        before = scanner->at;
        while (scanner->at < scanner->end && isspace((unsigned char)*scanner->at)) {
            scanner->at++;
        }
        size_t left = (size_t)(scanner->end - scanner->at);
        if (left >= 2 && memcmp(scanner->at, "/*", 2) == 0) {
            skip_comment(scanner);
        } else if (left >= 1 && (*scanner->at == '#' ||
                                 (left >= 2 && memcmp(scanner->at, "//", 2) == 0))) {
            skip_line(scanner);
        }
    }
    if (scanner->at > scanner->end) {
        scanner->at = scanner->end;
    }
}

static int quoted(struct scanner *scanner)
{
    char quote = *scanner->at++;
    while (scanner->at < scanner->end && *scanner->at != quote && *scanner->at != '\n') {
        scanner->at += *scanner->at == '\\' && scanner->at + 1 < scanner->end ? 2 : 1;
    }
    scanner->at += scanner->at < scanner->end;
    return TOKEN_STRING;
}

// The kind of the token that begins here; moves to its end. The text has not ended.
static int take(struct scanner *scanner)
{
    const char *start = scanner->at;
    if (*start == '"' || *start == '\'') {
        return quoted(scanner);
    }
    if (!is_word(*start)) {
        scanner->at++;
        return (unsigned char)*start + TOKEN_OTHER;
    }
    int number = isdigit((unsigned char)*start);
    while (scanner->at < scanner->end &&
           (is_word(*scanner->at) || (number && *scanner->at == '.'))) {
        scanner->at++;
    }
    return number ? TOKEN_NUMBER : keyword(start, (size_t)(scanner->at - start));
}

static uint32_t lines_between(const char *from, const char *to)
{
    uint32_t lines = 0;
    for (; from < to; from++) {
        lines += *from == '\n';
    }
    return lines;
}

struct tokens tokens_read(const char *text, size_t size)
{
    struct scanner scanner = {text, text + size};
    struct tokens tokens = {NULL, 0};
    size_t room = 0;
    uint32_t line = 1;
    const char *counted = text; // newlines before this are counted
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        scanner.at += 3; // a byte order mark is no token
    }
    for (skip_silent(&scanner); scanner.at < scanner.end; skip_silent(&scanner)) {
        if (tokens.count == room) {
            room = room > 0 ? 2 * room : 1024;
            tokens.list = grader_resize(tokens.list, room * sizeof *tokens.list);
        }
        const char *at = scanner.at;
        line += lines_between(counted, at);
        counted = at;
        int kind = take(&scanner);
        tokens.list[tokens.count++] =
            (struct token){kind, at, (uint32_t)(scanner.at - at), line};
    }
    return tokens;
}

void tokens_free(struct tokens *tokens)
{
    free(tokens->list);
    *tokens = (struct tokens){NULL, 0};
}
