// main.c - the command line of build/attnmap.

#include "programs/attnmap/attnmap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/option_table.h"

void map_fail(int status, const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "attnmap: ");
    for (const char *c = text; *c != '\0'; c++) { // names in a file may hold anything
        const bool control = ((unsigned char)*c < 32 && *c != '\n') || *c == 127;
        fputc(control ? '?' : *c, stderr);
    }
    fprintf(stderr, "%s\n", status == MAP_USAGE ? " (see build/attnmap --help)" : "");
    exit(status);
}

void *map_allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        map_fail(MAP_FAILED, "out of memory: %zu times %zu bytes", count, size);
    }
    return memory;
}

enum { FRAMES_MOST = 1000 };

struct settings {
    const char *file, *compare;
    const char *more[FRAMES_MOST]; // files after the first: frames of a GIF
    size_t more_count;
    int measure;
    bool rollout;
    struct model_options model;
    struct read_options read;
    struct choice choice;
    struct output_options output;
};

static const struct option_table table;

static void take_file(void *settings, const char *word)
{
    struct settings *s = settings;
    if (s->file == NULL) {
        s->file = word;
        return;
    }
    if (s->more_count == FRAMES_MOST) {
        option_refuse(&table, "at most %d files", FRAMES_MOST + 1);
    }
    s->more[s->more_count++] = word;
}

// A number, "all" or "mean".
static void take_choice(void *settings, const struct option_row *row, const char *word)
{
    int *choice = (int *)((char *)settings + row->place);
    if (strcmp(word, "all") == 0) {
        *choice = CHOOSE_ALL;
    } else if (strcmp(word, "mean") == 0) {
        *choice = CHOOSE_MEAN;
    } else {
        *choice = (int)option_whole(&table, row->name, word, 0, 100000);
    }
}

#define MEASURES "previous next first entropy distance induction"
static const char *const measures[] = {NULL,      "previous", "next",     "first",
                                       "entropy", "distance", "induction"};

#define AT(member) offsetof(struct settings, member)
static const struct option_row rows[] = {
    {.help = "what to draw"},
    {"--layer", "N", "one layer, all (the default) or mean", OPTION_CALL,
     AT(choice.layer), .take = take_choice, .once = true},
    {"--head", "N", "one head, all (the default) or mean", OPTION_CALL, AT(choice.head),
     .take = take_choice, .once = true},
    {"--batch", "N", "the sequence, if the file holds several (0)", OPTION_SIZE,
     AT(choice.batch), 0, 1000000, .once = true},
    {"--compare", "FILE2", "draw FILE minus FILE2", OPTION_TEXT, AT(compare)},
    {"--measure", "NAME",
     "a map of all heads: previous, next, first, entropy, distance, induction "
     "(lab 11's measures)",
     OPTION_WORD, AT(measure), .words = "none " MEASURES},
    {"--rollout", NULL, "how much of each token reaches each token through all layers",
     OPTION_YES, AT(rollout)},
    {.help = "a model instead of a file"},
    {"--model", "DIR", "run BERT or GPT-2 from DIR, with the functions of labs 2 to 11",
     OPTION_TEXT, AT(model.model)},
    {"--text", "TEXT", "what it reads", OPTION_TEXT, AT(model.text)},
    {"--src", "DIR",
     "whose functions run and measure: labs, solutions or a folder "
     "(solutions/fast, or labs where there is none)",
     OPTION_TEXT, AT(model.src)},
    {.help = "how to read the file"},
    {"--tokens", "LIST", "tokens on the axes: a,b,c or a file with one on each line",
     OPTION_TEXT, AT(read.tokens)},
    {"--key-tokens", "LIST", "other tokens for the keys (cross-attention)", OPTION_TEXT,
     AT(read.key_tokens)},
    {"--tensor", "NAME", "which tensor of the file", OPTION_TEXT, AT(read.tensor)},
    {"--axes", "LIST",
     "the tensor's axes, such as B,NH,T,S (usually L,B,NH,T,S; L,NH,T,S; NH,T,S or T,S)",
     OPTION_TEXT, AT(read.axes)},
    {.help = "output"},
    {"--out", "FILE",
     "draw to FILE: .png .svg .pdf .gif .html; or write the numbers: "
     ".safetensors .npy .tsv. Without it, draw on the terminal",
     OPTION_TEXT, AT(output.out)},
    {"--title", "TEXT", "the title (the file's name)", OPTION_TEXT, AT(output.title)},
    {"--log", NULL,
     "color by the logarithm, which shows small weights; the numbers "
     "are powers of ten: -2 is 0.01",
     OPTION_YES, AT(output.log)},
    {"--values", "WHEN",
     "numbers in the cells of a picture: auto (if they fit), on or off", OPTION_WORD,
     AT(output.values), .words = "auto on off"},
    {NULL},
};

static const struct option_table table = {
    .program = "attnmap",
    .more = "see build/attnmap --help",
    .before =
        "usage: attnmap FILE... [options]\n"
        "       attnmap --model DIR --text TEXT [options]\n"
        "Draws attention weights: of a safetensors, .npy, .npz or text file, from any\n"
        "program. A row is a query, a column is a key.\n\n",
    .rows = rows,
    .column = 22,
    .argument = take_file,
    .after =
        "\n"
        "exit status: 0 done, 1 a file is wrong or could not be written, 2 the command\n"
        "             line is wrong\n",
};

// ---- output -------------------------------------------------------------------------------

static bool ends_in(const char *path, const char *const *endings)
{
    const char *dot = strrchr(path, '.');
    for (; dot != NULL && *endings != NULL; endings++) {
        if (strcmp(dot, *endings) == 0) {
            return true;
        }
    }
    return false;
}

static const char *const pictures[] = {".png", ".svg", ".pdf", ".gif", NULL};
static const char *const frames[] = {".gif", NULL};
static const char *const pages[] = {".html", NULL};
static const char *const numbers[] = {".safetensors", ".npy", ".tsv", NULL};

static void write_out(const struct maps *maps, const struct output_options *o)
{
    if (o->out == NULL || ends_in(o->out, pictures)) {
        picture_draw(maps, o);
    } else if (ends_in(o->out, pages)) {
        page_write(maps, o);
    } else {
        numbers_write(maps, o->out);
    }
}

static void check(const struct settings *s)
{
    const char *out = s->output.out;
    if (s->file == NULL && s->model.model == NULL) {
        option_refuse(&table, "name a file with attention weights, or --model DIR");
    }
    if (s->file != NULL && s->model.model != NULL) {
        option_refuse(&table, "--model runs a model; then there is no file to read");
    }
    if ((s->model.model == NULL) != (s->model.text == NULL)) {
        option_refuse(&table, "--model needs --text, and --text needs --model");
    }
    if (s->more_count > 0 && (out == NULL || !ends_in(out, frames))) {
        option_refuse(&table,
                      "one file, please: '%s' is the second (--compare FILE2? several "
                      "files are the frames of --out X.gif)",
                      s->more[0]);
    }
    if (s->measure != 0 && s->rollout) {
        option_refuse(&table, "--measure or --rollout, please");
    }
    if (out != NULL && !ends_in(out, pictures) && !ends_in(out, pages) &&
        !ends_in(out, numbers)) {
        option_refuse(&table,
                      "--out %s: the name must end in .png .svg .pdf .gif .html "
                      ".safetensors .npy or .tsv",
                      out);
    }
}

// The weights of a file, or a measure of them.
static struct attention prepare(const struct settings *s, const char *path,
                                const char *source)
{
    struct attention attention = attention_read(path, &s->read);
    if (source != NULL) {
        snprintf(attention.source, sizeof attention.source, "%s", source);
    }
    attention_report(&attention);
    if (attention.B > 1 && s->choice.batch == 0) {
        fprintf(stderr, "attnmap: %s: %zu sequences; this is number 0 (--batch N)\n",
                attention.source, attention.B);
    }
    if (s->measure == 0 && !s->rollout) {
        return attention;
    }
    struct attention measured =
        model_measure(&attention, s->choice.batch,
                      s->rollout ? "rollout" : measures[s->measure], &s->model);
    attention_free(&attention);
    return measured;
}

// Adds the map of another file, such as a later step of a training.
static void add_frame(struct maps *maps, const struct settings *s, const char *path)
{
    struct attention attention = prepare(s, path, NULL);
    struct maps frame = maps_choose(&attention, NULL, &s->choice);
    if (frame.T != maps->T || frame.S != maps->S || frame.rows * frame.columns != 1) {
        map_fail(MAP_FAILED,
                 "%s: each frame is one map (choose it with --layer and --head) of %zu "
                 "queries and %zu keys",
                 path, maps->T, maps->S);
    }
    if (maps->columns == 1 && maps->rows == 1) {
        snprintf(maps->all[0].title, sizeof maps->all[0].title, "%.90s", s->file);
    }
    struct map *grown = realloc(maps->all, (maps->columns + 1) * sizeof *grown);
    if (grown == NULL) {
        map_fail(MAP_FAILED, "out of memory");
    }
    maps->all = grown;
    maps->all[maps->columns] = frame.all[0];
    snprintf(grown[maps->columns].title, sizeof grown->title, "%.90s", path);
    maps->columns++;
    free(frame.all);
    attention_free(&attention);
}

int main(int argc, char **argv)
{
    struct settings s = {.choice = {.layer = CHOOSE_ALL, .head = CHOOSE_ALL}};
    struct attention attention, other;
    option_table_read(&table, &s, argc, argv);
    check(&s);
    attention = s.file != NULL ? prepare(&s, s.file, NULL)
                               : prepare(&s, model_run(&s.model), s.model.text);
    if (s.compare != NULL) {
        other = prepare(&s, s.compare, NULL);
    }
    if (attention.measure != NULL) {
        s.choice = (struct choice){.layer = 0, .head = 0}; // it is one map
    }
    struct maps maps =
        maps_choose(&attention, s.compare == NULL ? NULL : &other, &s.choice);
    for (size_t i = 0; i < s.more_count; i++) {
        add_frame(&maps, &s, s.more[i]);
    }
    write_out(&maps, &s.output);
    maps_free(&maps);
    attention_free(&attention);
    if (s.compare != NULL) {
        attention_free(&other);
    }
    return 0;
}
