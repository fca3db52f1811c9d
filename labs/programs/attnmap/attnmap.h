// attnmap.h - draws attention weights from a file, whoever computed them.
//
//   main.c      the command line
//   read.c      which format a file has; the tensor to draw, its axes and its tokens
//   array.c     numbers of any type, as floats
//   numpy.c     .npy and .npz files
//   text.c      numbers as text
//   tokens.c    the names of queries and keys
//   model.c     runs a model, and measures heads, with the functions of lab 11
//   choose.c    which maps to draw: layers, heads, means, differences
//   numbers.c   output as safetensors, npy or tsv
//   picture.c   output by gnuplot: on the terminal, PNG, SVG, PDF
//   page.c      output as one HTML page (page.html is its frame)
//   scratch.c   temporary files, and other programs
//
// A file goes through these steps:
//
//   file ── read ──> struct attention (L, B, NH, T, S) ── choose ──> maps (T, S) ──> picture, page
//                            │
//                            └── numbers

#ifndef LAB_ATTNMAP_H
#define LAB_ATTNMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/dimensions.h"

// Exit statuses; 0 is done.
enum { MAP_FAILED = 1, MAP_USAGE = 2 };

// Prints "attnmap: ..." on stderr and exits.
_Noreturn void map_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Memory for count items of size bytes, zeros. Exits if there is none.
void *map_allocate(size_t count, size_t size);

// ---- scratch.c ----------------------------------------------------------------------------

enum { SCRATCH_FOLDER = 256, SCRATCH_PATH = 320 };

// The folder for temporary files, which is removed at exit, and a file in it.
const char *scratch_folder(void);
void scratch_path(char path[SCRATCH_PATH], const char *name);

// The path of a file or folder such as "/labs/programs" in the folder of this program, or else in
// the nearest folder above that has one. Exits if there is none.
const char *map_above(const char *inside);

// Runs a program and returns its exit status. if_missing says what to do if it cannot be started. unsaid: lines
// of its standard error with this text are not shown (NULL: all are, as it writes them).
int map_run(char *const arguments[], const char *if_missing, const char *unsaid);

// ---- array.c ------------------------------------------------------------------------------

enum { ARRAY_AXES = 5 };

// Numbers in a file, read as floats.
struct array {
    char name[128];
    size_t axes, shape[ARRAY_AXES];
    size_t count; // the product of shape
    float *data;  // freed by the owner
};

// What an element is: a letter of numpy's (f float, b bfloat16, i signed, u unsigned, ? truth)
// and its bytes.
struct element {
    char kind;
    size_t size;
    bool big_endian;
};

// Can array_convert read such elements?
bool element_is_known(const struct element *element);

// Reads count elements into floats. The caller frees the result.
float *array_convert(const void *bytes, size_t count, const struct element *element);

// The product of shape(axes); false if it overflows.
bool array_count(size_t *count, const size_t *shape, size_t axes);

// ---- numpy.c, text.c ----------------------------------------------------------------------

// What a file holds.
struct arrays {
    struct array *all;
    size_t count;
};

void arrays_add(struct arrays *arrays, const struct array *array);
void arrays_free(struct arrays *arrays);

// Reads one .npy file from memory. where names it in messages. Exits if it is not one.
struct array numpy_parse(const unsigned char *bytes, size_t size, const char *where);

// Reads every .npy member of an .npz file.
void numpy_read_archive(struct arrays *arrays, const char *path);

// Writes a(axes) as .npy. Exits if it cannot.
void numpy_write(const char *path, const float *data, const size_t *shape, size_t axes);

// Reads a matrix from text: numbers separated by blanks, tabs, commas or semicolons, a row on each
// line; "#" begins a comment. If the first line or the first column are names, they become names.
// An empty line begins the next matrix, of the same size.
struct token_list;
struct array text_parse(const char *text, size_t size, const char *where,
                        struct token_list *queries, struct token_list *keys);

// ---- tokens.c -----------------------------------------------------------------------------

// The names of queries or keys.
struct token_list {
    char **names;
    size_t count;
};

void tokens_add(struct token_list *tokens, const char *name, size_t length);
void tokens_drop_first(struct token_list *tokens);
void tokens_free(struct token_list *tokens);
struct token_list tokens_copy(const struct token_list *tokens);

// 0 1 2 ...
struct token_list tokens_numbers(size_t count);

// The argument of --tokens: a file with a token on each line, or a,b,c.
struct token_list tokens_argument(const char *word);

// Metadata: a JSON list of strings, or a token on each line.
struct token_list tokens_metadata(const char *value);

// ---- read.c -------------------------------------------------------------------------------

// Attention weights: layers, sequences, heads, queries, keys.
struct attention {
    size_t L, B, NH, T, S;
    float *weights;                  // (L, B, NH, T, S)
    struct token_list queries, keys; // T and S names
    bool named;                      // the names are tokens, not numbers
    char source[160];                // "weights.npy"
    const char *measure;             // what the numbers are, if not weights; or NULL
    bool by_head;                    // a row is a layer and a column is a head
};

struct read_options {
    const char *tensor;     // its name in the file, or NULL
    const char *axes;       // "B,NH,T,S", or NULL
    const char *tokens;     // the argument of --tokens, or NULL
    const char *key_tokens; // the argument of --key-tokens, or NULL
};

struct attention attention_read(const char *path, const struct read_options *options);
void attention_free(struct attention *attention);

// Reports on stderr: weights that are not finite, rows that do not sum to 1.
void attention_report(const struct attention *attention);

// ---- model.c ------------------------------------------------------------------------------

// The code that runs the model and measures.
struct model_options {
    const char *model, *text; // a folder as models are published, and a text; or NULL
    const char *src;          // the folder of the labs, or NULL
};

// Runs the model, and returns the path of a file with its weights.
const char *model_run(const struct model_options *options);

// One of the measures of lab 11, for every head: a map with a row for each layer and a column for
// each head. "rollout" gives a map of the tokens.
struct attention model_measure(const struct attention *attention, size_t batch,
                               const char *measure, const struct model_options *options);

// ---- choose.c -----------------------------------------------------------------------------

// Which layers or heads: one, all of them, or their mean.
enum { CHOOSE_ALL = -1, CHOOSE_MEAN = -2 };

struct choice {
    int layer, head; // a number, CHOOSE_ALL or CHOOSE_MEAN
    size_t batch;
};

// One map to draw.
struct map {
    char title[96];  // "layer 3, head 5"
    int layer, head; // as in struct choice; never CHOOSE_ALL
    float *weights;  // (T, S); NaN: not allowed, or not a number
};

// Maps in the order of layers, then heads: rows x columns.
struct maps {
    struct map *all;
    size_t rows, columns;
    size_t T, S;
    const struct attention *of;
    bool causal;        // every weight on a later key is 0: these cells are blank
    bool signed_values; // differences, or values below 0
};

// other is subtracted, if not NULL.
struct maps maps_choose(const struct attention *attention, const struct attention *other,
                        const struct choice *choice);
void maps_free(struct maps *maps);

// ---- output -------------------------------------------------------------------------------

struct output_options {
    const char *out;   // a path, or NULL: the terminal
    const char *title; // or NULL
    bool log;          // colors follow the logarithm
    int values; // write numbers into the cells: 0 if there is room, 1 always, 2 never
};

void numbers_write(const struct maps *maps, const char *path);
void picture_draw(const struct maps *maps, const struct output_options *options);
void page_write(const struct maps *maps, const struct output_options *options);

#endif
