// main.c - measures attention weights with your functions of 11.6 and 11.7.
//
//     build/measure weights.safetensors entropy                 prints a number for each head
//     build/measure weights.safetensors key --query 8 --key 2   how much token 8 attends to token 2
//     build/measure weights.safetensors rollout --out r.safetensors
//
// build/read_model writes such files. build/attnmap --measure draws the result. Start reading at
// main.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "11_reading_attention/reading.h"
#include "common/option_table.h"
#include "common/tensor_file.h"

enum { FAILED = 1 };

static const size_t EVERY = SIZE_MAX; // a query or key that is not given

// The weights of a file: (L, NH, T, T), and for each token the first place of an equal one. For the
// measure key: which query, or EVERY, and which key.
struct maps {
    const float *weights;
    size_t L, NH, T;
    size_t *tokens;
    size_t query, key;
};

_Noreturn static void fail(const char *text)
{
    fprintf(stderr, "measure: %s\n", text);
    exit(FAILED);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fail("out of memory");
    }
    return memory;
}

// ---- the measures -------------------------------------------------------------------------

static lab_status previous_of(float *y, const struct maps *m)
{
    return previous_token_share(y, m->weights, m->L * m->NH, m->T);
}

static lab_status next_of(float *y, const struct maps *m)
{
    return next_token_share(y, m->weights, m->L * m->NH, m->T);
}

static lab_status first_of(float *y, const struct maps *m)
{
    return first_token_share(y, m->weights, m->L * m->NH, m->T);
}

static lab_status entropy_of(float *y, const struct maps *m)
{
    return attention_entropy(y, m->weights, m->L * m->NH, m->T);
}

static lab_status distance_of(float *y, const struct maps *m)
{
    return attention_distance(y, m->weights, m->L * m->NH, m->T);
}

static lab_status induction_of(float *y, const struct maps *m)
{
    if (m->tokens == NULL) {
        fail("induction needs the tokens: the file has no tensor ids (T)");
    }
    return induction_share(y, m->weights, m->tokens, m->L * m->NH, m->T);
}

// Not an exercise: the weight from a query, or from all on average, to one key.
static lab_status key_of(float *y, const struct maps *m)
{
    const size_t T = m->T, first = m->query == EVERY ? 0 : m->query,
                 last = m->query == EVERY ? T - 1 : m->query;
    if (m->key >= T || last >= T) {
        fail(m->key == EVERY ? "key needs --key N, counted from 0"
                             : "there is no such token");
    }
    for (size_t n = 0; n < m->L * m->NH; n++) {
        double sum = 0.0;
        for (size_t t = first; t <= last; t++) {
            sum += (double)m->weights[(n * T + t) * T + m->key];
        }
        y[n] = (float)(sum / (double)(last - first + 1));
    }
    return LAB_OK;
}

static lab_status rollout_of(float *y, const struct maps *m)
{
    float *z = allocate(2 * m->T * m->T, sizeof *z);
    const lab_status status = attention_rollout(y, z, m->weights, m->L, m->NH, m->T);
    free(z);
    return status;
}

static const struct measure {
    const char *name, *exercise;
    lab_status (*compute)(float *y, const struct maps *m);
    bool is_map; // (T, T), not a number for each head
} measures[] = {
    {"previous", "11.6 previous_token_share", previous_of, false},
    {"next", "11.6 next_token_share", next_of, false},
    {"first", "11.6 first_token_share", first_of, false},
    {"entropy", "11.6 attention_entropy", entropy_of, false},
    {"distance", "11.6 attention_distance", distance_of, false},
    {"induction", "11.6 induction_share", induction_of, false},
    {"key", "key", key_of, false},
    {"rollout", "11.7 attention_rollout", rollout_of, true},
    {NULL},
};

// ---- the command line ---------------------------------------------------------------------

struct settings {
    const char *file, *name, *out;
    size_t query, key;
};

static void take_word(void *settings, const char *word);

static const struct option_row rows[] = {
    {"--query", "N", "measure key: only this query, counted from 0", OPTION_SIZE,
     offsetof(struct settings, query), 0, 1000000},
    {"--key", "N", "measure key: which key, counted from 0", OPTION_SIZE,
     offsetof(struct settings, key), 0, 1000000},
    {"--out", "FILE", "write the numbers to FILE (safetensors), and print nothing",
     OPTION_TEXT, offsetof(struct settings, out)},
    {NULL},
};

static const struct option_table table = {
    .program = "measure",
    .more = "see build/measure --help",
    .before =
        "usage: measure FILE NAME [--out FILE2]\n"
        "Measures the attention weights of FILE with your functions of 11.6 and 11.7.\n"
        "FILE is a safetensors file with a tensor attentions (L, NH, T, T), such as\n"
        "build/read_model writes. NAME is previous, next, first, entropy, distance,\n"
        "induction or key, which give a number for each head, or rollout. key is how\n"
        "much the queries attend to one key, on average.\n\n",
    .rows = rows,
    .column = 22,
    .argument = take_word,
    .after =
        "\nexit status: 0 done, 1 the file or an exercise is wrong, 2 the command line\n"
        "             is wrong\n",
};

static void take_word(void *settings, const char *word)
{
    struct settings *s = settings;
    if (s->name != NULL) {
        option_refuse(&table, "one file and one measure, please: '%s' is one too many",
                      word);
    }
    *(s->file == NULL ? &s->file : &s->name) = word;
}

static const struct measure *find_measure(const char *name)
{
    for (const struct measure *m = measures; m->name != NULL; m++) {
        if (strcmp(m->name, name) == 0) {
            return m;
        }
    }
    option_refuse(&table, "there is no measure '%s'", name);
}

// ---- files --------------------------------------------------------------------------------

static struct maps read_maps(struct lab_tensor_file *file, const char *path)
{
    if (lab_tensor_file_open(file, path) != LAB_OK) {
        fail(file->error);
    }
    const struct lab_tensor *found = lab_tensor_find(file, "attentions");
    const struct lab_tensor *ids = lab_tensor_find(file, "ids");
    if (found == NULL || found->dtype != LAB_F32 || found->dims != 4 ||
        found->shape[2] != found->shape[3] || found->count == 0) {
        fail("the file has no tensor attentions (L, NH, T, T) of floats");
    }
    struct maps m = {
        .weights = found->data,
        .L = found->shape[0],
        .NH = found->shape[1],
        .T = found->shape[2],
    };
    if (ids != NULL && ids->dtype == LAB_I64 && ids->count == m.T) {
        m.tokens = allocate(m.T, sizeof *m.tokens);
        for (size_t t = 0; t < m.T; t++) {
            m.tokens[t] = (size_t)((const int64_t *)ids->data)[t];
        }
    }
    return m;
}

static void write_result(const char *path, const float *y, bool is_map,
                         const struct maps *m)
{
    struct lab_tensor_file file = {0};
    const size_t heads[] = {m->L, m->NH}, map[] = {m->T, m->T};
    if (lab_tensor_file_add(&file, "measure", LAB_F32, y, 2, is_map ? map : heads) !=
            LAB_OK ||
        lab_tensor_file_save(&file, path) != LAB_OK) {
        fail(file.error[0] != '\0' ? file.error : "out of memory");
    }
    lab_tensor_file_close(&file);
}

static void print_result(const float *y, size_t count, size_t columns)
{
    for (size_t i = 0; i < count; i++) {
        printf("%7.4f%s", (double)y[i], (i + 1) % columns == 0 ? "\n" : " ");
    }
    if (fflush(stdout) != 0) {
        fail("the standard output could not be written");
    }
}

int main(int argc, char **argv)
{
    struct settings s = {.query = EVERY, .key = EVERY};
    struct lab_tensor_file file;
    option_table_read(&table, &s, argc, argv);
    if (s.name == NULL) {
        option_refuse(&table, "name a file and a measure");
    }
    const struct measure *measure = find_measure(s.name);
    struct maps m = read_maps(&file, s.file);
    m.query = s.query;
    m.key = s.key;
    const size_t columns = measure->is_map ? m.T : m.NH,
                 count = columns * (measure->is_map ? m.T : m.L);
    float *y = allocate(count, sizeof *y);
    const lab_status status = measure->compute(y, &m);
    if (status != LAB_OK) {
        fprintf(stderr, "measure: %s: %s\n", measure->exercise,
                lab_status_message(status));
        return FAILED;
    }
    if (s.out != NULL) {
        write_result(s.out, y, measure->is_map, &m);
    } else {
        print_result(y, count, columns);
    }
    free(y);
    free(m.tokens);
    lab_tensor_file_close(&file);
    return 0;
}
