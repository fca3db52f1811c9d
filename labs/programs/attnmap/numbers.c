// numbers.c - the chosen maps as numbers: safetensors, npy, tsv.

#include "programs/attnmap/attnmap.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/print.h"
#include "common/tensor_file.h"

// All maps, one after the other: (L, NH, T, S).
static float *gather(const struct maps *maps)
{
    const size_t each = maps->T * maps->S, count = maps->rows * maps->columns;
    float *all = map_allocate(count * each, sizeof *all);
    for (size_t n = 0; n < count; n++) {
        memcpy(all + n * each, maps->all[n].weights, each * sizeof *all);
        for (size_t i = 0; maps->causal && i < each; i++) {
            if (i % maps->S + maps->T > i / maps->S + maps->S) {
                all[n * each + i] = 0; // blank in a picture, 0 as a number
            }
        }
    }
    return all;
}

static void add_tokens(struct lab_tensor_file *file, const char *key,
                       const struct token_list *tokens)
{
    cJSON *list =
        cJSON_CreateStringArray((const char *const *)tokens->names, (int)tokens->count);
    char *text = list == NULL ? NULL : cJSON_PrintUnformatted(list);
    if (text == NULL || lab_tensor_file_add_note(file, key, text) != LAB_OK) {
        map_fail(MAP_FAILED, "the tokens are not UTF-8 text");
    }
    cJSON_free(text);
    cJSON_Delete(list);
}

static void write_safetensors(const struct maps *maps, const float *all,
                              const size_t *shape, const char *path)
{
    struct lab_tensor_file file = {0};
    if (lab_tensor_file_add(&file, "attentions", LAB_F32, all, 4, shape) != LAB_OK) {
        map_fail(MAP_FAILED, "out of memory");
    }
    if (maps->of->named) {
        add_tokens(&file, "tokens", &maps->of->queries);
        add_tokens(&file, "key_tokens", &maps->of->keys);
    }
    if (lab_tensor_file_save(&file, path) != LAB_OK) {
        map_fail(MAP_FAILED, "%s", file.error);
    }
    lab_tensor_file_close(&file);
}

static void write_tsv(const struct maps *maps, const char *path)
{
    if (maps->rows * maps->columns > 1) {
        map_fail(MAP_USAGE,
                 "a .tsv file holds one map; choose it with --layer and --head");
    }
    if (lab_write_map_tsv(path, maps->all[0].weights, maps->T, maps->S,
                          (const char *const *)maps->of->queries.names,
                          (const char *const *)maps->of->keys.names) != LAB_OK) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
}

void numbers_write(const struct maps *maps, const char *path)
{
    const char *ending = strrchr(path, '.');
    const size_t shape[] = {maps->rows, maps->columns, maps->T, maps->S};
    if (strcmp(ending, ".tsv") == 0) {
        write_tsv(maps, path);
        return;
    }
    float *all = gather(maps);
    if (strcmp(ending, ".npy") == 0) {
        numpy_write(path, all, shape, 4);
    } else {
        write_safetensors(maps, all, shape, path);
    }
    free(all);
}
