// gpt2_files.c - the files that llm.c's trainers read, for a model of 2 layers and 128 channels:
// gpt2_124M.bin, train.bin and val.bin in the working directory. For cuda_corpus.sh.
//
//     gpt2_files
//
// Formats: a header of 256 int32, then the float32 parameters, or the uint16 tokens. The weights are
// random as GPT-2's are (standard deviation 0.02; gains 1, biases 0), and so are the tokens,
// which follow each other in a way that can be learned. The rows of tokens that only fill up the
// vocabulary are 0, as in the real file.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T = 64, V = 96, VP = 128, L = 2, NH = 4, C = 128, TOKENS = 513 };

static uint64_t state = 1;

static double uniform(void) // in (0, 1)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 33) + 0.5) / 2147483648.0;
}

static float normal(void) // Box and Muller
{
    return (float)(0.02 * sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()));
}

static FILE *open_file(const char *name, const int32_t *header, size_t count)
{
    int32_t whole[256] = {0};
    memcpy(whole, header, count * sizeof *header);
    FILE *file = fopen(name, "wb");
    if (file == NULL || fwrite(whole, sizeof whole, 1, file) != 1) {
        perror(name);
        exit(1);
    }
    return file;
}

static void close_file(FILE *file)
{
    if (fclose(file) != 0) {
        perror("gpt2_files");
        exit(1);
    }
}

static void write_model(void)
{
    // A tensor's kind is r: random, 1: gains, 0: biases. Those of the layers lie together.
    static const struct {
        char kind;
        size_t size;
    } tensors[] = {{'r', (size_t)VP * C},
                   {'r', T * C},
                   {'1', L * C},
                   {'0', L * C},
                   {'r', (size_t)L * 3 * C * C},
                   {'0', L * 3 * C},
                   {'r', (size_t)L * C * C},
                   {'0', L * C},
                   {'1', L * C},
                   {'0', L * C},
                   {'r', (size_t)L * 4 * C * C},
                   {'0', L * 4 * C},
                   {'r', (size_t)L * 4 * C * C},
                   {'0', L * C},
                   {'1', C},
                   {'0', C}};
    const int32_t header[] = {20240326, 3, T, V, L, NH, C, VP};
    FILE *file = open_file("gpt2_124M.bin", header, 8);
    for (size_t t = 0; t < sizeof tensors / sizeof *tensors; t++) {
        for (size_t i = 0; i < tensors[t].size; i++) {
            bool padding = t == 0 && i >= (size_t)V * C;
            float value =
                tensors[t].kind == 'r' ? normal() : (float)(tensors[t].kind - '0');
            value = padding ? 0 : value;
            fwrite(&value, sizeof value, 1, file);
        }
    }
    close_file(file);
}

static void write_tokens(const char *name)
{
    const int32_t header[] = {20240520, 1, TOKENS};
    FILE *file = open_file(name, header, 3);
    unsigned token = 1;
    for (int i = 0; i < TOKENS; i++) {
        uint16_t now = (uint16_t)token;
        fwrite(&now, sizeof now, 1, file);
        token = (token * 5 + (uniform() < 0.2)) % V;
    }
    close_file(file);
}

int main(void)
{
    write_model();
    write_tokens("train.bin");
    write_tokens("val.bin");
    return 0;
}
