// picture.c - pictures by gnuplot: draw.gp and grid.gp beside this file.
//
// The maps go to a folder for temporary files, and gnuplot writes the picture there. Only then does
// it get its final name.

#define _GNU_SOURCE

#include "programs/attnmap/attnmap.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/print.h"
#include "common/replace.h"

enum {
    SIDE_BY_SIDE = 3, // up to so many maps are drawn with their tokens, more as a grid
    MAP_MOST = 768,   // cells along a side of a map
    GRID_MOST = 128,  // the same in a grid
    TERMINAL_MOST = 6 // maps on the terminal
};

// ---- smaller maps -------------------------------------------------------------------------

// How many cells along a side become one.
static size_t block_size(const struct maps *maps, size_t most)
{
    const size_t longest = maps->T > maps->S ? maps->T : maps->S;
    return (longest + most - 1) / most;
}

// The mean of the cells of a block that are numbers; NaN if there are none.
static float block_mean(const struct maps *maps, const float *weights, size_t t0,
                        size_t s0, size_t block)
{
    double sum = 0;
    size_t count = 0;
    for (size_t t = t0; t < t0 + block && t < maps->T; t++) {
        for (size_t s = s0; s < s0 + block && s < maps->S; s++) {
            const float weight = weights[t * maps->S + s];
            if (isfinite(weight)) {
                sum += (double)weight;
                count++;
            }
        }
    }
    return count == 0 ? NAN : (float)(sum / (double)count);
}

static float *reduced(const struct maps *maps, const float *weights, size_t block,
                      bool logarithm)
{
    const size_t rows = (maps->T + block - 1) / block,
                 columns = (maps->S + block - 1) / block;
    float *small = map_allocate(rows * columns, sizeof *small);
    for (size_t i = 0; i < rows * columns; i++) {
        const float weight =
            block_mean(maps, weights, i / columns * block, i % columns * block, block);
        small[i] = logarithm ? log10f(fmaxf(weight, 1e-6f)) : weight;
        if (isnan(weight)) {
            small[i] = NAN; // fmaxf prefers numbers
        }
    }
    return small;
}

// Every block-th name.
static const char **names_of(const struct token_list *tokens, size_t block)
{
    const size_t count = (tokens->count + block - 1) / block;
    const char **names = map_allocate(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = tokens->names[i * block];
    }
    return names;
}

// ---- files for gnuplot --------------------------------------------------------------------

static void write_map(const struct maps *maps, size_t n, size_t block, bool logarithm)
{
    char path[SCRATCH_PATH], name[32];
    float *small = reduced(maps, maps->all[n].weights, block, logarithm);
    const char **queries = names_of(&maps->of->queries, block),
               **keys = names_of(&maps->of->keys, block);
    snprintf(name, sizeof name, "%zu.tsv", n);
    scratch_path(path, name);
    if (lab_write_map_tsv(path, small, (maps->T + block - 1) / block,
                          (maps->S + block - 1) / block, queries, keys) != LAB_OK) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    free(queries);
    free(keys);
    free(small);
}

struct range {
    float low, high;
};

// A grid needs no names: a line for each row, gnuplot's "matrix".
static void write_matrix(const struct maps *maps, size_t n, size_t block, bool logarithm,
                         struct range *range)
{
    char path[SCRATCH_PATH], name[32];
    const size_t rows = (maps->T + block - 1) / block,
                 columns = (maps->S + block - 1) / block;
    float *small = reduced(maps, maps->all[n].weights, block, logarithm);
    snprintf(name, sizeof name, "%zu.txt", n);
    scratch_path(path, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    for (size_t i = 0; i < rows * columns; i++) {
        if (isfinite(small[i])) {
            range->low = fminf(range->low, small[i]);
            range->high = fmaxf(range->high, small[i]);
            fprintf(file, "%.5g", (double)small[i]);
        } else {
            fputs("-1e30", file); // gnuplot warns of each matrix with a nan
        }
        fputc((i + 1) % columns == 0 ? '\n' : '\t', file);
    }
    if (ferror(file) | fclose(file)) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    free(small);
}

static void write_names(const struct maps *maps)
{
    char path[SCRATCH_PATH];
    scratch_path(path, "names");
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    for (size_t n = 0; n < maps->rows * maps->columns; n++) {
        fprintf(file, "%s\n", maps->all[n].title);
    }
    if (fclose(file) != 0) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
}

// ---- gnuplot ------------------------------------------------------------------------------

// Copies the picture from the temporary folder to its final name.
static void deliver(const char *name, const char *out)
{
    char path[SCRATCH_PATH], bytes[65536];
    struct lab_replacement r;
    size_t got;
    scratch_path(path, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        map_fail(MAP_FAILED, "gnuplot drew no picture");
    }
    if (lab_replace_begin(&r, out) != LAB_OK) {
        map_fail(MAP_FAILED, "%s: %s", out, strerror(errno));
    }
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0) {
        fwrite(bytes, 1, got, r.file);
    }
    if (ferror(file)) {
        lab_replace_abort(&r);
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    fclose(file);
    if (lab_replace_commit(&r) != LAB_OK) {
        map_fail(MAP_FAILED, "%s: %s", out, strerror(errno));
    }
}

static void title_of(char title[400], const struct maps *maps, size_t block,
                     const struct output_options *options)
{
    const bool one = maps->rows * maps->columns == 1 && *maps->all[0].title != '\0';
    snprintf(title, 300, "%s",
             options->title != NULL ? options->title : maps->of->source);
    if (one && options->title == NULL) {
        snprintf(title + strlen(title), 100, ": %s", maps->all[0].title);
    }
    if (options->log && options->out == NULL) { // a picture has a bar that says so
        snprintf(title + strlen(title), 32, " (log10 of the weights)");
    }
    if (block > 1) {
        snprintf(title + strlen(title), 64, " (mean of %zu x %zu cells)", block, block);
    }
}

// On the terminal, a long list of maps would scroll away.
static size_t terminal_count(const struct maps *maps)
{
    const size_t count = maps->rows * maps->columns;
    return count < TERMINAL_MOST ? count : TERMINAL_MOST;
}

// Behind the maps: above them, this would scroll away, too.
static void tell_of_others(const struct maps *maps)
{
    const size_t count = maps->rows * maps->columns;
    if (count > TERMINAL_MOST) {
        fflush(stdout);
        fprintf(stderr,
                "attnmap: these are the first %d of %zu maps; choose with --layer and "
                "--head, or draw all with --out maps.png or --out maps.html\n",
                TERMINAL_MOST, count);
    }
}

void picture_draw(const struct maps *maps, const struct output_options *options)
{
    const bool terminal = options->out == NULL,
               animated = !terminal && strcmp(strrchr(options->out, '.'), ".gif") == 0;
    const size_t count = terminal ? terminal_count(maps) : maps->rows * maps->columns;
    const bool grid = !terminal && count > SIDE_BY_SIDE && !animated;
    const size_t block = block_size(maps, grid ? GRID_MOST : MAP_MOST);
    const char *ending = terminal ? "terminal" : strrchr(options->out, '.') + 1;
    const bool measured = maps->of->measure != NULL;
    const char *kind = options->log || measured ? "values"
                       : maps->signed_values    ? "signed"
                                                : "weights";
    const char *bar = options->log          ? "log10 of weight"
                      : measured            ? maps->of->measure
                      : maps->signed_values ? "difference"
                                            : "weight";
    char script[4200], title[400], rows[24], columns[24], sizes[128], picture[32];
    struct range range = {INFINITY, -INFINITY};
    for (size_t n = 0; n < count; n++) {
        if (grid) {
            write_matrix(maps, n, block, options->log, &range);
        } else {
            write_map(maps, n, block, options->log);
        }
    }
    write_names(maps);
    title_of(title, maps, block, options);
    snprintf(script, sizeof script, "%s/attnmap/%s", map_above("/labs/programs"),
             grid ? "grid.gp" : "draw.gp");
    char *const words[] = {"auto", "on", "off"};
    char *const axes = maps->of->by_head ? "layer head" : "query key";
    snprintf(rows, sizeof rows, "%zu", grid ? maps->rows : 1);
    snprintf(columns, sizeof columns, "%zu", grid ? maps->columns : count);
    snprintf(sizes, sizeof sizes, "%.9g %.9g %zu %zu", (double)range.low,
             (double)range.high, (maps->T + block - 1) / block,
             (maps->S + block - 1) / block);
    char *const gnuplot[] = {"gnuplot",
                             "-c",
                             script,
                             (char *)scratch_folder(),
                             rows,
                             columns,
                             (char *)ending,
                             title,
                             (char *)kind,
                             (char *)bar,
                             words[options->values],
                             grid ? sizes : axes,
                             NULL};
    if (map_run(gnuplot, "install it with make setup", "frames in animation") != 0) {
        map_fail(MAP_FAILED, "gnuplot could not draw this");
    }
    if (terminal) {
        tell_of_others(maps);
    } else {
        snprintf(picture, sizeof picture, "picture.%s", ending);
        deliver(picture, options->out);
    }
}
