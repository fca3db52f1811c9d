// config.c - reads config.json. What lab 11 computes in one way only, such as the activation, must
// be that way in the model, too: otherwise the numbers would be wrong, and nobody would notice.

#include "programs/reading/read_model.h"

#include <string.h>
#include <unistd.h>

static void must_be_word(const struct document *d, const char *key, const char *usual,
                         const char *ours, const char *also)
{
    const char *word = document_word(d, d->root, key, usual);
    if (strcmp(word, ours) != 0 && strcmp(word, also) != 0) {
        document_fail(d, "%s is \"%.40s\"; lab 11 has \"%s\"", key, word, ours);
    }
}

static void must_be_flag(const struct document *d, const char *key, bool ours)
{
    if (document_flag(d, d->root, key, ours) != ours) {
        document_fail(d, "%s is %s, which lab 11 does not compute", key,
                      ours ? "false" : "true");
    }
}

static void must_be_number(const struct document *d, const char *key, double ours)
{
    const double number = document_number(d, d->root, key, ours);
    if (!(number >= ours * (1 - 1e-6) && number <= ours * (1 + 1e-6))) {
        document_fail(d, "%s is %g; lab 11 has %g", key, number, ours);
    }
}

static struct config bert_config(const struct document *d)
{
    const json_t *root = d->root;
    must_be_word(d, "hidden_act", "gelu", "gelu", "gelu");
    must_be_word(d, "position_embedding_type", "absolute", "absolute", "absolute");
    must_be_number(d, "layer_norm_eps", 1e-12);
    must_be_flag(d, "is_decoder", false);
    must_be_flag(d, "add_cross_attention", false);
    return (struct config){
        .family = BERT,
        .V = document_size(d, root, "vocab_size", 0),
        .C = document_size(d, root, "hidden_size", 0),
        .NH = document_size(d, root, "num_attention_heads", 0),
        .H = document_size(d, root, "intermediate_size", 0),
        .L = document_size(d, root, "num_hidden_layers", 0),
        .T_max = document_size(d, root, "max_position_embeddings", 0),
        .types = document_size(d, root, "type_vocab_size", 2),
    };
}

static struct config gpt2_config(const struct document *d)
{
    const json_t *root = d->root;
    must_be_word(d, "activation_function", "gelu_new", "gelu_new", "gelu_pytorch_tanh");
    must_be_number(d, "layer_norm_epsilon", 1e-5);
    must_be_flag(d, "scale_attn_weights", true);
    must_be_flag(d, "scale_attn_by_inverse_layer_idx", false);
    must_be_flag(d, "add_cross_attention", false);
    const size_t C = document_size(d, root, "n_embd", 0);
    return (struct config){
        .family = GPT2,
        .V = document_size(d, root, "vocab_size", 0),
        .C = C,
        .NH = document_size(d, root, "n_head", 0),
        .H = document_size(d, root, "n_inner", 4 * C),
        .L = document_size(d, root, "n_layer", 0),
        .T_max = document_size(d, root, "n_positions", 0),
        .types = 1,
    };
}

struct config config_read(const char *folder)
{
    struct document d;
    struct config config;
    if (!document_open(&d, folder, "config.json")) {
        reader_fail(
            READER_FAILED,
            access(folder, F_OK) == 0
                ? "%s: there is no config.json in this folder"
                : "%s: there is no such folder; make pretrained fetches a BERT to "
                  "build/pretrained/minilm",
            folder);
    }
    const char *type = document_word(&d, d.root, "model_type", "(missing)");
    if (strcmp(type, "bert") == 0) {
        config = bert_config(&d);
    } else if (strcmp(type, "gpt2") == 0) {
        config = gpt2_config(&d);
    } else {
        document_fail(&d, "model_type is \"%.40s\"; lab 11 reads \"bert\" and \"gpt2\"",
                      type);
    }
    if (config.C % config.NH != 0) {
        document_fail(&d, "%zu heads do not divide the width %zu", config.NH, config.C);
    }
    document_close(&d);
    return config;
}
