// fingerprint.c - see fingerprint.h. First the tokens, then the hashes, then the set.

#include "class/fingerprint.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// ---- tokens -------------------------------------------------------------------------------

enum { NAME = 1, NUMBER = 2, STRING = 3, FIRST_KEYWORD = 256 };

static int keyword(const char *word, size_t length)
{
    static const char *const words[] = {
        "break",  "case",   "char",   "const",    "continue", "default",   "do",
        "double", "else",   "enum",   "float",    "for",      "goto",      "if",
        "int",    "long",   "return", "short",    "signed",   "sizeof",    "static",
        "struct", "switch", "union",  "unsigned", "void",     "while",     "restrict",
        "bool",   "true",   "false",  "NULL",     "size_t",   "ptrdiff_t", NULL};
    for (int i = 0; words[i] != NULL; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) {
            return FIRST_KEYWORD + i;
        }
    }
    return NAME;
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
    return STRING;
}

// The next token, or 0 at the end.
static int next_token(struct scanner *scanner)
{
    skip_silent(scanner);
    if (scanner->at == scanner->end) {
        return 0;
    }
    const char *start = scanner->at;
    if (*start == '"' || *start == '\'') {
        return quoted(scanner);
    }
    if (!is_word(*start)) {
        scanner->at++;
        return (unsigned char)*start + 4096;
    }
    int number = isdigit((unsigned char)*start);
    while (scanner->at < scanner->end &&
           (is_word(*scanner->at) || (number && *scanner->at == '.'))) {
        scanner->at++;
    }
    return number ? NUMBER : keyword(start, (size_t)(scanner->at - start));
}

// ---- hashes -------------------------------------------------------------------------------

static void keep(struct fingerprints *prints, uint32_t value)
{
    if (prints->count == prints->room) {
        prints->room = prints->room > 0 ? 2 * prints->room : 256;
        prints->values =
            grader_resize(prints->values, prints->room * sizeof *prints->values);
    }
    prints->values[prints->count++] = value;
}

// FNV-1a over a run of tokens.
static uint32_t hash_run(const int *tokens)
{
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < FINGERPRINT_RUN; i++) {
        hash = (hash ^ (uint64_t)tokens[i]) * 1099511628211u;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

static void winnow(struct fingerprints *prints, const uint32_t *hashes, size_t count)
{
    size_t kept = SIZE_MAX; // position of the last one kept
    for (size_t start = 0; start + FINGERPRINT_WINDOW <= count; start++) {
        size_t least = start;
        for (size_t i = start; i < start + FINGERPRINT_WINDOW; i++) {
            least = hashes[i] <= hashes[least] ? i : least; // the rightmost of equals
        }
        if (least != kept) {
            kept = least;
            keep(prints, hashes[least]);
        }
    }
}

void fingerprints_add(struct fingerprints *prints, const char *text, size_t size,
                      int whole)
{
    struct scanner scanner = {text, text + size};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        scanner.at += 3; // a byte order mark is no token
    }
    int *tokens = grader_alloc((size + 1) * sizeof *tokens);
    size_t count = 0;
    for (int token; (token = next_token(&scanner)) != 0;) {
        tokens[count++] = token;
    }
    prints->tokens += count;
    size_t runs = count >= FINGERPRINT_RUN ? count - FINGERPRINT_RUN + 1 : 0;
    uint32_t *hashes = grader_alloc((runs + 1) * sizeof *hashes);
    for (size_t i = 0; i < runs; i++) {
        hashes[i] = hash_run(tokens + i);
        if (whole) {
            keep(prints, hashes[i]);
        }
    }
    if (!whole) {
        winnow(prints, hashes, runs);
    }
    free(hashes);
    free(tokens);
}

// ---- the set ------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void fingerprints_finish(struct fingerprints *prints, const struct fingerprints *known)
{
    size_t kept = 0;
    if (prints->count > 0) {
        qsort(prints->values, prints->count, sizeof *prints->values, by_value);
    }
    for (size_t i = 0; i < prints->count; i++) {
        uint32_t value = prints->values[i];
        bool there =
            known != NULL && known->count > 0 &&
            bsearch(&value, known->values, known->count, sizeof value, by_value) != NULL;
        if (!there && (kept == 0 || prints->values[kept - 1] != value)) {
            prints->values[kept++] = value;
        }
    }
    prints->count = kept;
}

void fingerprints_free(struct fingerprints *prints)
{
    free(prints->values);
    *prints = (struct fingerprints){NULL, 0, 0, 0};
}
