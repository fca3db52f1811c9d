// read_model.h - runs BERT and GPT-2, as their authors publish them, with your functions of labs
// 2 to 5 and 11.
//
//   main.c        the command line, and the order of the steps
//   memory.c      errors, memory, arrays that grow
//   document.c    JSON files
//   config.c      config.json: which family, which sizes
//   weights.c     model.safetensors, in one file or several: tensors by name, as floats
//   unicode.c     what kind of character a code point is
//   vocabulary.c  the tokens and their names
//   special.c     tokens that are found in a text as a whole, such as [MASK]
//   merges.c      GPT-2's pairs
//   words_bert.c  BERT: from text to words
//   words_gpt2.c  GPT-2: from text to words
//   tokenizer.c   from words to tokens; calls 11.2 wordpiece and 11.3 byte_pair_merge
//   batch.c       several texts, as long as the longest
//   bert.c        BERT's weights; calls 11.4 bert_layer
//   gpt2.c        GPT-2's weights; calls 11.5 gpt2_block
//   output.c      the tokens on the terminal, the numbers in a file
//
// A text goes through these steps:
//
//   text ── tokenizer ──> tokens ── batch ──> (B, T) ── bert, gpt2 ──> hidden states, attentions
//
// Files may come from untrusted sources. An invalid file is refused with one line on stderr.

#ifndef LAB_READ_MODEL_H
#define LAB_READ_MODEL_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "11_reading_attention/reading.h"
#include "common/dimensions.h"
#include "common/tensor_file.h"

// Exit statuses; 0 is done.
enum { READER_FAILED = 1, READER_USAGE = 2 };

// ---- memory.c -----------------------------------------------------------------------------

// Prints "read_model: ..." on stderr, without control characters, and exits.
_Noreturn void reader_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same without exiting, for what the user should know.
void reader_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Exits if a function of the student failed. exercise: "11.4 bert_layer".
void student_must_succeed(lab_status status, const char *exercise);

// Zeros. Exits if there is no memory.
void *reader_allocate(size_t count, size_t size);

// Floats for a tensor of this shape(axes).
float *reader_floats(size_t axes, const size_t *shape);

// {0} is empty.
struct bytes {
    uint8_t *at;
    size_t size, room;
};
void bytes_add(struct bytes *bytes, const void *more, size_t size);

struct sizes {
    size_t *at;
    size_t count, room;
};
void sizes_add(struct sizes *sizes, size_t value);

enum { PATH_SIZE = 4096 };

// folder/name. Exits if it is too long.
void path_join(char path[PATH_SIZE], const char *folder, const char *name);

// A whole file, whose bytes are not at NULL even if there are none; false if there is no such file.
// Exits if it cannot be read, or is larger than FILE_LIMIT.
enum { FILE_LIMIT = 64 * 1024 * 1024 };
bool file_read(struct bytes *contents, const char *path);

// ---- document.c ---------------------------------------------------------------------------

// A JSON file that holds an object.
struct document {
    json_t *root;
    char path[PATH_SIZE];
};

// False if there is no such file: root is then an empty object, so every question gets its usual
// answer. Exits if the file is not JSON.
bool document_open(struct document *document, const char *folder, const char *name);
void document_close(struct document *document);
_Noreturn void document_fail(const struct document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The value of a key in object, which is document->root or a part of it. A missing key and null
// give usual. Exits if the value is of another kind.
bool document_flag(const struct document *document, const json_t *object, const char *key,
                   bool usual);
const char *document_word(const struct document *document, const json_t *object,
                          const char *key, const char *usual);
double document_number(const struct document *document, const json_t *object,
                       const char *key, double usual);
// Is it a whole number from 0 up? false also for NULL and for what is no number.
bool number_is_whole(const json_t *value, size_t *number);

// A size from 1 up. If usual is 0, the key must be there.
size_t document_size(const struct document *document, const json_t *object,
                     const char *key, size_t usual);

// ---- config.c -----------------------------------------------------------------------------

enum family { BERT, GPT2 };

struct config {
    enum family family;
    size_t V, C, NH, H, L;
    size_t T_max; // positions: tokens in the longest text
    size_t types; // BERT: segments of a text
};

// Exits if the model has something that lab 11 does not compute, such as another activation.
struct config config_read(const char *folder);

// ---- weights.c ----------------------------------------------------------------------------

struct weights {
    const char *folder, *prefix;
    struct lab_tensor_file *files;
    size_t count;
    float **converted; // tensors of other types, as floats
    size_t converted_count;
};

// prefix: what some files write before each name, "bert." or "transformer.".
void weights_open(struct weights *weights, const char *folder, const char *prefix);
void weights_close(struct weights *weights);

// The tensor with this name, which is written like printf's. Exits if it is missing or has
// another shape. What it returns stays valid until weights_close.
const float *weights_vector(struct weights *weights, size_t size, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
const float *weights_matrix(struct weights *weights, size_t rows, size_t columns,
                            const char *name, ...) __attribute__((format(printf, 4, 5)));

// ---- unicode.c ----------------------------------------------------------------------------

// The code point that begins at bytes(size), and its length; 0 if it is not UTF-8.
size_t point_decode(int32_t *point, const uint8_t *bytes, size_t size);
void point_add(struct bytes *bytes, int32_t point);

// The number of bytes before the first that is not UTF-8.
size_t utf8_prefix(const uint8_t *bytes, size_t size);

bool point_is_space(int32_t point);
bool point_is_control(int32_t point); // for BERT, which drops them
bool point_is_punctuation(int32_t point);
bool point_is_chinese(int32_t point); // BERT makes a word of each
bool point_is_accent(int32_t point);
bool point_is_letter(int32_t point);
bool point_is_number(int32_t point);

// Splits characters into letters and accents (NFD), and appends the code points to points.
void points_decomposed(struct sizes *points, const uint8_t *text, size_t size);
void point_lower(struct bytes *bytes, int32_t point);

// ---- vocabulary.c -------------------------------------------------------------------------

struct vocabulary {
    struct lab_pieces pieces;
    struct bytes text;
    struct sizes ends;
};

// tokenizer: tokenizer.json. Without it, vocab.txt or vocab.json is read.
void vocabulary_open(struct vocabulary *vocabulary, const char *folder,
                     const struct document *tokenizer, const struct config *config);
void vocabulary_close(struct vocabulary *vocabulary);

// The name of a token, and its length.
const char *vocabulary_name(const struct vocabulary *vocabulary, size_t token,
                            size_t *length);

// The token with this name; pieces.V if there is none.
size_t vocabulary_find(const struct vocabulary *vocabulary, const char *name);

// ---- special.c ----------------------------------------------------------------------------

struct special {
    struct sizes tokens;
    size_t unknown, first, last, padding; // pieces.V: this vocabulary has none
};

void special_open(struct special *special, const struct vocabulary *vocabulary,
                  const struct document *tokenizer, const struct document *settings,
                  enum family family);

// The special token that text(size) begins with, and its length; pieces.V if there is none.
size_t special_match(const struct special *special, const struct vocabulary *vocabulary,
                     const uint8_t *text, size_t size, size_t *length);

// ---- merges.c -----------------------------------------------------------------------------

struct merges {
    struct lab_merges table;
    struct sizes left, right, merged;
};

void merges_open(struct merges *merges, const char *folder,
                 const struct document *tokenizer, const struct vocabulary *vocabulary);
void merges_close(struct merges *merges);

// ---- words_bert.c, words_gpt2.c -----------------------------------------------------------

// Word w is text[ends[w - 1]] ... text[ends[w] - 1].
struct words {
    struct bytes text;
    struct sizes ends;
};
void words_free(struct words *words);

struct bert_rules {
    bool lower, accents_off, chinese;
};
void words_of_bert(struct words *words, const uint8_t *text, size_t size,
                   const struct bert_rules *rules);
void words_of_gpt2(struct words *words, const uint8_t *text, size_t size);

// GPT-2's vocabulary writes every byte as a character that can be seen. This is its code point.
int32_t gpt2_byte_point(uint8_t byte);

// ---- tokenizer.c --------------------------------------------------------------------------

struct tokenizer {
    enum family family;
    size_t T_max;
    struct vocabulary vocabulary;
    struct special special;
    struct bert_rules bert;
    struct merges merges;    // GPT-2
    size_t byte_tokens[256]; // GPT-2: the token of each byte
    bool space_first;        // GPT-2: a space is put before the text
};

void tokenizer_open(struct tokenizer *tokenizer, const char *folder,
                    const struct config *config);
void tokenizer_close(struct tokenizer *tokenizer);

struct text {
    const char *what; // "--text": for messages
    const uint8_t *bytes;
    size_t size;
};

// The tokens of a text, with [CLS] and [SEP] for BERT.
struct encoding {
    struct sizes tokens;
    struct sizes types; // BERT: the segment of each token, 0 or 1
};

// second may be NULL. Leaves out what is longer than T_max, and says so.
struct encoding tokenizer_encode(const struct tokenizer *tokenizer,
                                 const struct text *first, const struct text *second);
void encoding_free(struct encoding *encoding);

// ---- batch.c, bert.c, gpt2.c --------------------------------------------------------------

// B texts, padded to the length of the longest, and what the model computes from them.
struct batch {
    size_t B, T;
    size_t *tokens, *types; // (B, T)
    size_t *lengths;        // (B): tokens before the padding
    float *hidden;          // (L + 1, B, T, C): the embeddings, then every layer's output
    float *attentions;      // (L, B, NH, T, T)
};

struct batch batch_new(const struct encoding *encodings, size_t B, size_t padding);
void batch_free(struct batch *batch);

// Allocates hidden and attentions. bert_run and gpt2_run call it once the weights have been found, so
// a lie in config.json costs no memory.
void batch_make_room(struct batch *batch, const struct config *config);

// Says where the first number is that is not finite, if there is one.
void batch_report(const struct batch *batch, const struct config *config);

void bert_run(struct batch *batch, const struct config *config, struct weights *weights);
void gpt2_run(struct batch *batch, const struct config *config, struct weights *weights);

// ---- output.c -----------------------------------------------------------------------------

// A line for each token: its place, its number, its name.
void tokens_print(const struct encoding *encoding, const struct vocabulary *vocabulary);

// safetensors: attentions (L, NH, T, T), hidden_states (L + 1, T, C), ids (T), and the names of
// the tokens in the metadata. With several texts, B comes after L, or first.
void batch_save(const struct batch *batch, const struct config *config,
                const struct vocabulary *vocabulary, const char *path);

#endif
