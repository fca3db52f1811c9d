// clause.c - see clause.h. A comment is a row of lines that begin with //.

#define _GNU_SOURCE
#include "judge/clause.h"

#include <ctype.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"

enum { MOST_BYTES = 1 << 20 };

// A whole file as text, or NULL. The caller frees it.
static char *text_of(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return NULL;
    }
    char *text = grader_alloc(MOST_BYTES + 1);
    const size_t length = fread(text, 1, MOST_BYTES, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static bool is_comment(const char *line)
{
    return strncmp(line, "//", 2) == 0;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end == NULL ? line + strlen(line) : end + 1;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Returns true if the line contains "name(", and not as the end of a longer name.
static bool declares(const char *line, const char *name)
{
    const char *end = next_line(line), *at = line;
    const size_t length = strlen(name);
    while ((at = strstr(at, name)) != NULL && at < end) {
        if (at[length] == '(' && at > line && !in_name(at[-1])) {
            return true;
        }
        at += length;
    }
    return false;
}

// The first line of the comment that ends just above the function's declaration. NULL if there is none.
static const char *comment_above(const char *text, const char *function)
{
    const char *comment = NULL;
    for (const char *line = text; *line != '\0'; line = next_line(line)) {
        if (is_comment(line)) {
            comment = comment == NULL ? line : comment;
        } else if (declares(line, function)) {
            return comment;
        } else {
            comment = NULL;
        }
    }
    return NULL;
}

// ---- sentences ----------------------------------------------------------------------------

static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t n = strlen(end);
    return length >= n && memcmp(text + length - n, end, n) == 0;
}

// Where a line's words begin: behind "//", a bullet, and the word of a list ("status   ...").
// *begins: whether a sentence begins with them, whatever stands before.
static const char *words_of(const char *line, bool *begins)
{
    const char *words = line + 2 + strspn(line + 2, " ");
    const bool bullet = strncmp(words, "- ", 2) == 0;
    words += bullet ? 2 : 0;
    const size_t word = strcspn(words, " \n");
    const size_t gap = strspn(words + word, " ");
    const bool listed = gap > 1 && words[word + gap] != '\n';
    *begins = bullet || listed || *words == '\n' || strncmp(words, "LAB_", 4) == 0;
    return words + (listed ? word + gap : 0);
}

// Does the text so far ask for a status to follow, as in "returns"?
static bool goes_on(const char *joined, size_t length)
{
    static const char *const words[] = {"returns ", "and ", "or ", ", ", NULL};
    size_t i = 0;
    while (words[i] != NULL && !ends_with(joined, length, words[i])) {
        i++;
    }
    return words[i] != NULL;
}

// Copies the comment's text, with one blank between words and '\n' after sentences.
static void join(const char *comment, char *joined)
{
    size_t length = 0;
    for (const char *line = comment; is_comment(line); line = next_line(line)) {
        bool begins;
        const char *words = words_of(line, &begins);
        if (begins && !goes_on(joined, length)) {
            joined[length++] = '\n';
        }
        for (; *words != '\n' && *words != '\0'; words++) {
            const bool stop =
                *words == '.' && (isspace((unsigned char)words[1]) || words[1] == '\0');
            if (*words != ' ' || length == 0 ||
                !isspace((unsigned char)joined[length - 1])) {
                joined[length++] = *words;
            }
            if (stop) {
                joined[length++] = '\n';
            }
        }
        if (length > 0 && !isspace((unsigned char)joined[length - 1])) {
            joined[length++] = ' ';
        }
    }
    joined[length] = '\0';
}

// Adds the sentences of a comment that name the status.
static void add_sentences(FILE *file, const char *comment, const char *status)
{
    char *joined = grader_alloc(2 * strlen(comment) + 2);
    join(comment, joined);
    char *rest = joined, *sentence;
    while ((sentence = strsep(&rest, "\n")) != NULL) {
        if (strstr(sentence, status) != NULL) {
            size_t length = strlen(sentence);
            while (length > 0 && sentence[length - 1] == ' ') {
                length--;
            }
            fprintf(file, "%s%.*s", ftell(file) > 0 ? " " : "", (int)length, sentence);
        }
    }
    free(joined);
}

char *clause_about(const char *folder, const char *function, const char *status)
{
    glob_t found;
    char *start = pattern_of(folder);
    char *pattern = grader_print("%s/*.h", start);
    struct text clause;
    text_begin(&clause);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char *text = text_of(found.gl_pathv[i]);
            const char *comment = text == NULL ? NULL : comment_above(text, function);
            if (comment != NULL) {
                add_sentences(clause.file, text, status);
                add_sentences(clause.file, comment, status);
            }
            free(text);
        }
        globfree(&found);
    }
    free(pattern);
    free(start);
    char *said = text_end(&clause);
    if (*said == '\0') {
        free(said);
        said = NULL;
    }
    return said;
}
