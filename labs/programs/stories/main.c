// main.c - build/stories: writes stories, computes their entropy, recognizes them.
//
//     build/stories --seed 1 --bytes 5000000 --out train.txt
//     build/stories --entropy
//     build/stories --check sample.txt
//
// Exit status: see --help.

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/option_table.h"
#include "common/replace.h"
#include "programs/stories/grammar.h"

struct options {
    const char *grammar, *out, *check;
    uint64_t seed;
    size_t bytes;
    bool entropy;
};

enum { FAILED = 1, NOT_ALL = 1 };

static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    va_start(arguments, format);
    fputs("stories: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(FAILED);
}

// ---- stories ------------------------------------------------------------------------------

// Writes whole stories until there are o->bytes bytes.
static void write_stories(FILE *file, const struct grammar *g, const struct options *o)
{
    struct story story;
    if (story_begin(&story, g, o->seed) != LAB_OK) {
        fail("out of memory");
    }
    for (size_t bytes = 0; bytes < o->bytes && !ferror(file); bytes += story.length) {
        story_next(&story);
        fwrite(story.text, 1, story.length, file);
    }
    story_end(&story);
}

static void write_file(const struct grammar *g, const struct options *o)
{
    struct lab_replacement file;
    lab_replace_tidy(o->out); // left by a run that was killed
    lab_status status = lab_replace_begin(&file, o->out);
    if (status == LAB_OK) {
        write_stories(file.file, g, o);
        status = lab_replace_commit(&file);
    }
    if (status != LAB_OK) {
        fail("cannot write %s: %s", o->out, strerror(errno));
    }
}

// ---- their entropy -------------------------------------------------------------------------

static void print_entropy(const struct grammar *g)
{
    const struct measure *m = &g->mean;
    const double nats = m->nats / m->length;
    size_t characters = 0;
    for (int c = 0; c < 128; c++) {
        characters += g->alphabet[c];
    }
    printf("nats per character   %.6f\n", nats);
    printf("bits per character   %.6f\n", nats / log(2));
    printf("bits per story       %.3f\n", m->nats / log(2));
    printf("characters per story %.3f, from %zu to %zu, with the blank line\n", m->length,
           m->shortest, m->longest);
    printf("different characters %zu: ", characters);
    for (int c = ' '; c < 127; c++) {
        if (g->alphabet[c]) {
            putchar(c);
        }
    }
    puts(" and the newline");
}

// ---- is it a story? -----------------------------------------------------------------------

static char *whole_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 1 << 16, got = 1;
    while (file != NULL && got > 0 && (text = realloc(text, 2 * room)) != NULL) {
        room *= 2;
        got = fread(text + size, 1, room - size - 1, file);
        size += got;
    }
    if (file == NULL || ferror(file)) {
        fail("cannot read %s: %s", path, strerror(errno));
    }
    if (text == NULL) {
        fail("out of memory");
    }
    fclose(file);
    text[size] = '\0';
    if (strlen(text) != size) {
        fail("%s is not text: it contains a zero byte", path);
    }
    return text;
}

// Prints one line for a text that is not a story: where it leaves the grammar.
static void print_stranger(size_t number, const char *text, size_t length,
                           size_t furthest)
{
    const size_t before = furthest < 30 ? furthest : 30;
    const size_t after = length - furthest < 20 ? length - furthest : 20;
    printf("story %zu leaves the grammar after character %zu: ", number, furthest);
    for (size_t i = furthest - before; i < furthest + after; i++) {
        if (i == furthest) {
            fputs(" >>> ", stdout);
        }
        putchar(text[i] == '\n' ? ' ' : text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    }
    putchar('\n');
}

// Checks the stories of a file. The last one may be incomplete.
static int check(const struct grammar *g, const char *path)
{
    char *const all = whole_file(path);
    size_t count = 0, known = 0, ambiguous = 0, characters = 0;
    double nats = 0;
    const char *next;
    for (char *text = all + strspn(all, "\n"); *text != '\0';
         text += strspn(text, "\n")) {
        next = strstr(text, "\n\n");
        const size_t length = next != NULL ? (size_t)(next - text) : strlen(text);
        const struct parsed parsed = story_parse(g, text, length);
        if (next == NULL && parsed.derivations == 0 && parsed.furthest == length) {
            break; // incomplete, but correct so far
        }
        count++;
        ambiguous += parsed.derivations > 1;
        if (parsed.derivations > 0) {
            known++;
            nats += parsed.nats;
            characters += length + 2;
        } else {
            print_stranger(count, text, length, parsed.furthest);
        }
        text += length;
    }
    free(all);
    printf("%zu of %zu stor%s match%s the grammar", known, count,
           count == 1 ? "y" : "ies", known == 1 ? "es" : "");
    if (known > 0) {
        printf("; these have %.4f bits per character",
               nats / log(2) / (double)characters);
    }
    if (ambiguous > 0) {
        printf("; with several derivations: %zu", ambiguous);
    }
    putchar('\n');
    return known == count ? EXIT_SUCCESS : NOT_ALL;
}

// ---- the command line ---------------------------------------------------------------------

#define AT(member) offsetof(struct options, member)
static const struct option_row rows[] = {
    {"--seed", "N", "the same seed gives the same stories (1)", OPTION_UINT64, AT(seed),
     0, UINT32_MAX},
    {"--bytes", "N", "write whole stories until there are N bytes (2000)", OPTION_SIZE,
     AT(bytes), 0, 1000000000000},
    {"--out", "FILE", "write to FILE, which appears when it is complete", OPTION_TEXT,
     AT(out)},
    {"--grammar", "FILE", "another grammar (datasets/stories/stories.grammar)",
     OPTION_TEXT, AT(grammar)},
    {"--entropy", NULL, "print the entropy per character and per story, and exit",
     OPTION_YES, AT(entropy)},
    {"--check", "FILE",
     "list the stories in FILE that the grammar cannot produce, and exit", OPTION_TEXT,
     AT(check)},
    {NULL},
};

static const struct option_table table = {
    .program = "stories",
    .more = "see build/stories --help",
    .before = "usage: stories [options]\n"
              "Writes short stories from a grammar, each followed by a blank line.\n\n",
    .rows = rows,
    .column = 18,
    .after =
        "\n"
        "The entropy is computed, not measured: no model of these stories can have a\n"
        "smaller average loss than the nats per character that --entropy prints.\n"
        "exit status: 0 done, 1 a file is wrong or cannot be written (with --check also:\n"
        "             a story does not match the grammar), 2 the command line is wrong\n",
};

int main(int argc, char **argv)
{
    struct options o = {
        .grammar = "datasets/stories/stories.grammar", .seed = 1, .bytes = 2000};
    struct grammar g;
    int status = EXIT_SUCCESS;
    option_table_read(&table, &o, argc, argv);
    if (grammar_open(&g, o.grammar) != LAB_OK) {
        fail("%s", g.error);
    }
    if (o.check != NULL) {
        status = check(&g, o.check);
    } else if (o.entropy) {
        print_entropy(&g);
    } else if (o.out != NULL) {
        write_file(&g, &o);
    } else {
        write_stories(stdout, &g, &o);
    }
    grammar_close(&g);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fail("cannot write: %s", strerror(errno));
    }
    return status;
}
