// rewritten.c - see rewritten.h. g++ shows the student's line, because the translation keeps the numbers of
// lines, but it counts columns in the translated one. Both lines have the same words in the same order,
// apart from what the translator adds; so the words are aligned. Start reading at rewritten_message.

#define _GNU_SOURCE
#include "build/rewritten.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_WORDS = 300, MOST_COLUMNS = 2000, LARGEST = 1 << 24 };

static const char gutter[] = "      | "; // of the lines below the code

// A name, a number or a single character of a line.
struct word {
    size_t start, size;
};

// A line in both versions.
struct line {
    const char *text[2]; // the source's, the translation's
    size_t size[2];
    bool same, known; // known: columns can be told
    struct word words[2][MOST_WORDS];
    size_t count[2];
    size_t mate[MOST_WORDS]; // of the translation's words: the source's, or MOST_WORDS
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t size = file != NULL ? getdelim(&text, &room, '\0', file) : -1;
    if (file != NULL) {
        fclose(file);
    }
    if (size < 0 || size > LARGEST) {
        free(text);
        return NULL;
    }
    return text;
}

// The line with this number, where "#line 7" gives the next one a number. NULL if there is none, or if
// it is in several parts.
static const char *find_line(const char *text, size_t wanted, size_t *size)
{
    const char *found = NULL;
    for (size_t number = 1; *text != '\0'; number++) {
        const size_t length = strcspn(text, "\n");
        if (strncmp(text, "#line ", strlen("#line ")) == 0) {
            number = strtoul(text + strlen("#line "), NULL, 10) - 1;
        } else if (number == wanted && found != NULL) {
            return NULL;
        } else if (number == wanted) {
            found = text;
            *size = length;
        }
        text += length + (text[length] == '\n');
    }
    return found;
}

static bool in_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

// Returns false if a character is not one column wide, or if there are too many words.
static bool split(struct line *line, int side)
{
    const char *text = line->text[side];
    line->count[side] = 0;
    for (size_t at = 0, end; at < line->size[side]; at = end) {
        if (!isprint((unsigned char)text[at]) || line->count[side] == MOST_WORDS) {
            return false;
        }
        for (end = at + 1;
             in_word(text[at]) && end < line->size[side] && in_word(text[end]); end++) {
        }
        if (text[at] != ' ') {
            line->words[side][line->count[side]++] = (struct word){at, end - at};
        }
    }
    return true;
}

static bool are_equal(const struct line *line, size_t source, size_t translated)
{
    const struct word a = line->words[0][source], b = line->words[1][translated];
    return a.size == b.size &&
           memcmp(line->text[0] + a.start, line->text[1] + b.start, a.size) == 0;
}

// The longest common subsequence of the words. common[i][j]: its length from words i and j on.
static void align(struct line *line)
{
    typedef unsigned short row[MOST_WORDS + 1];
    row *common = grader_alloc((MOST_WORDS + 1) * sizeof(row));
    const size_t n = line->count[0], m = line->count[1];
    for (size_t i = n + 1; i-- > 0;) {
        for (size_t j = m + 1; j-- > 0;) {
            const bool ends = i == n || j == m;
            const unsigned short skip = ends ? 0
                                        : common[i + 1][j] > common[i][j + 1]
                                            ? common[i + 1][j]
                                            : common[i][j + 1];
            common[i][j] =
                !ends && are_equal(line, i, j) ? common[i + 1][j + 1] + 1 : skip;
        }
    }
    for (size_t i = 0, j = 0; j < m;) {
        line->mate[j] = MOST_WORDS;
        if (i < n && are_equal(line, i, j)) {
            line->mate[j++] = i++;
        } else if (i < n && common[i + 1][j] >= common[i][j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    free(common);
}

static void compare_line(struct line *line, const char *source, const char *translated,
                         size_t number)
{
    line->text[0] = find_line(source, number, &line->size[0]);
    line->text[1] = find_line(translated, number, &line->size[1]);
    const bool both = line->text[0] != NULL && line->text[1] != NULL;
    line->same = both && line->size[0] == line->size[1] &&
                 memcmp(line->text[0], line->text[1], line->size[0]) == 0;
    line->known = both && !line->same && split(line, 0) && split(line, 1);
    if (line->known) {
        align(line);
    }
}

// The source's column for one of the translation; 0 if there is none.
static size_t column_of(const struct line *line, size_t column)
{
    if (line->same) {
        return column;
    }
    if (line->known && column > line->size[1]) { // behind the line's end
        return line->size[0] + (column - line->size[1]);
    }
    for (size_t j = 0; line->known && j < line->count[1]; j++) {
        const struct word word = line->words[1][j];
        if (column > word.start && column <= word.start + word.size) {
            const size_t mate = line->mate[j];
            return mate == MOST_WORDS
                       ? 0
                       : line->words[0][mate].start + (column - word.start);
        }
    }
    return 0;
}

// Puts a run of marks, "~~^~~" or a word to write instead, below the same words of the source. Returns
// false if a caret has no place.
static bool move_run(char *moved, const char *run, size_t size, size_t column,
                     const struct line *line)
{
    const char *caret = memchr(run, '^', size);
    const size_t anchor = caret != NULL ? (size_t)(caret - run) : 0;
    const size_t to = column_of(line, column + anchor);
    for (size_t i = 0; to > 0 && i < size; i++) {
        const bool mark = run[i] == '~' && !line->same;
        const size_t at = mark ? column_of(line, column + i) : to + i - anchor;
        if (at > 0 && at < MOST_COLUMNS && to + i > anchor) {
            moved[at - 1] = run[i];
        }
    }
    return to > 0 || caret == NULL;
}

// A line below the code, "      |      ^~~". It is left out if nothing stays in it.
static void write_marks(FILE *file, const char *text, size_t size,
                        const struct line *line)
{
    char moved[MOST_COLUMNS + 1];
    memset(moved, ' ', MOST_COLUMNS);
    const size_t begin = strlen(gutter);
    bool fine = size > begin;
    for (size_t at = begin, end; fine && at < size; at = end) {
        const size_t blanks = strspn(text + at, " ");
        at += blanks;
        end = at + strcspn(text + at, " \n");
        if (at < size) {
            fine = move_run(moved, text + at, end - at, at - begin + 1, line);
        }
    }
    size_t length = MOST_COLUMNS;
    while (length > 0 && moved[length - 1] == ' ') {
        length--;
    }
    if (fine && length > 0) {
        fprintf(file, "%s%.*s\n", gutter, (int)length, moved);
    }
}

// Reads "PATH:LINE:COLUMN: ..." about the source, whose folders above the compiler may not know: in a box,
// it is /submission/01_simple_attention/attention.cu. Returns what follows, or NULL.
static const char *read_head(const char *text, const char *source, size_t *number,
                             size_t *column)
{
    const size_t length = strcspn(text, ": \n"), all = strlen(source);
    char *at;
    if (length == 0 || length > all || text[length] != ':' ||
        strncmp(text, source + all - length, length) != 0 ||
        (length < all && *text != '/' && source[all - length - 1] != '/')) {
        return NULL;
    }
    *number = strtoul(text + length + 1, &at, 10);
    if (*at != ':' || !isdigit((unsigned char)at[1])) {
        return NULL;
    }
    *column = strtoul(at + 1, &at, 10);
    return *at == ':' ? at : NULL;
}

// Words of the compiler, "      | compilation terminated due to -fmax-errors=5.", not marks below code
static bool is_sentence(const char *text, size_t size)
{
    static const char words[] = "compilation terminated";
    return memmem(text, size, words, strlen(words)) != NULL;
}

static void write_message(FILE *file, const char *message, const char *source,
                          const char *text[2])
{
    struct line line = {.same = true};
    bool about = false; // the last head was about the source
    for (size_t size; *message != '\0'; message += size + (message[size] == '\n')) {
        size_t number, column;
        size = strcspn(message, "\n");
        const char *rest = read_head(message, source, &number, &column);
        char *bar = NULL;
        const size_t shown = strtoul(message, &bar, 10); // "   81 | code"
        if (rest != NULL) {
            about = true;
            compare_line(&line, text[0], text[1], number);
            const size_t to = column_of(&line, column);
            fprintf(file, "%.*s:%zu", (int)strcspn(message, ":"), message, number);
            if (to > 0) {
                fprintf(file, ":%zu", to);
            }
            fprintf(file, "%.*s\n", (int)(message + size - rest), rest);
        } else if (about && !line.same && !is_sentence(message, size) &&
                   strncmp(message, gutter, strlen(gutter)) == 0) {
            write_marks(file, message, size, &line);
        } else {
            if (about && *message == ' ' && strncmp(bar, " | ", 3) == 0) {
                compare_line(&line, text[0], text[1], shown);
            } else if (*message != ' ') {
                about = false;
            }
            fprintf(file, "%.*s\n", (int)size, message);
        }
    }
}

char *rewritten_message(const char *message, const char *source, const char *translated)
{
    char *from = read_file(source), *to = read_file(translated);
    char *better = NULL;
    if (from != NULL && to != NULL) {
        struct text text;
        text_begin(&text);
        write_message(text.file, message, source, (const char *[2]){from, to});
        better = text_end(&text);
    }
    free(from);
    free(to);
    return better != NULL ? better : grader_print("%s", message);
}
