// read.c - finds out which format a file has, and which of its tensors to draw.

#include "programs/attnmap/attnmap.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"
#include "common/tensor_file.h"

// ---- the file -----------------------------------------------------------------------------

struct contents {
    const char *path;
    struct arrays arrays;
    struct token_list queries, keys; // none if the file has none
};

static unsigned char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    const long length = ftell(file);
    rewind(file);
    if (length < 0 || length == LONG_MAX) {
        map_fail(MAP_FAILED, "%s: this is not a file", path);
    }
    unsigned char *bytes = map_allocate((size_t)length + 1, 1);
    *size = fread(bytes, 1, (size_t)length, file);
    if (ferror(file)) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    fclose(file);
    return bytes;
}

static struct element element_of(enum lab_dtype dtype)
{
    static const struct element elements[] = {
        [LAB_F32] = {'f', 4, false},  [LAB_F64] = {'f', 8, false},
        [LAB_BF16] = {'b', 2, false}, [LAB_F16] = {'f', 2, false},
        [LAB_I64] = {'i', 8, false},  [LAB_I32] = {'i', 4, false},
        [LAB_I16] = {'i', 2, false},  [LAB_I8] = {'i', 1, false},
        [LAB_U64] = {'u', 8, false},  [LAB_U32] = {'u', 4, false},
        [LAB_U16] = {'u', 2, false},  [LAB_U8] = {'u', 1, false},
        [LAB_BOOL] = {'?', 1, false},
    };
    return elements[dtype];
}

static void add_tensor(struct arrays *arrays, const struct lab_tensor *tensor,
                       const char *path)
{
    struct array array = {.axes = tensor->dims, .count = tensor->count};
    if (tensor->dims > ARRAY_AXES) {
        return;
    }
    snprintf(array.name, sizeof array.name, "%s", tensor->name);
    memcpy(array.shape, tensor->shape, tensor->dims * sizeof *tensor->shape);
    const struct element element = element_of(tensor->dtype);
    if (!element_is_known(&element)) {
        map_fail(MAP_FAILED,
                 "%s: %s is float16, which this attnmap does not read; save it as "
                 "float32",
                 path, tensor->name);
    }
    array.data = array_convert(tensor->data, tensor->count, &element);
    arrays_add(arrays, &array);
}

static void read_safetensors(struct contents *contents)
{
    struct lab_tensor_file file;
    if (lab_tensor_file_open(&file, contents->path) != LAB_OK) {
        map_fail(MAP_FAILED, "%s", file.error);
    }
    for (size_t i = 0; i < file.count; i++) {
        add_tensor(&contents->arrays, &file.tensors[i], contents->path);
    }
    const char *tokens = lab_tensor_note(&file, "tokens");
    const char *keys = lab_tensor_note(&file, "key_tokens");
    if (tokens != NULL) {
        contents->queries = tokens_metadata(tokens);
    }
    if (keys != NULL) {
        contents->keys = tokens_metadata(keys);
    }
    lab_tensor_file_close(&file);
}

// A safetensors file begins with the header's length in 8 bytes, then the header, JSON.
static bool is_safetensors(const unsigned char *bytes, size_t size)
{
    return size >= 9 && bytes[8] == '{' && bytes[7] == 0 && bytes[6] == 0;
}

static bool is_text(const unsigned char *bytes, size_t size)
{
    return memchr(bytes, 0, size) == NULL;
}

static void read_contents(struct contents *contents)
{
    size_t size;
    unsigned char *bytes = read_bytes(contents->path, &size);
    struct array array;
    if (size == 0) {
        map_fail(MAP_FAILED, "%s: the file is empty", contents->path);
    }
    if (is_safetensors(bytes, size)) {
        read_safetensors(contents);
    } else if (size > 4 && memcmp(bytes, "PK\x03\x04", 4) == 0) {
        numpy_read_archive(&contents->arrays, contents->path);
    } else if (bytes[0] == 0x93) {
        array = numpy_parse(bytes, size, contents->path);
        arrays_add(&contents->arrays, &array);
    } else if (is_text(bytes, size)) {
        array = text_parse((const char *)bytes, size, contents->path, &contents->queries,
                           &contents->keys);
        arrays_add(&contents->arrays, &array);
    } else {
        map_fail(MAP_FAILED, "%s: this is not a safetensors, .npy, .npz or text file",
                 contents->path);
    }
    free(bytes);
}

// ---- which tensor -------------------------------------------------------------------------

// Compares names so that "layer.2" comes before "layer.10".
static int by_number(const void *a_, const void *b_)
{
    const char *a = ((const struct array *)a_)->name,
               *b = ((const struct array *)b_)->name;
    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *after_a, *after_b;
            const unsigned long long i = strtoull(a, &after_a, 10),
                                     j = strtoull(b, &after_b, 10);
            if (i != j) {
                return i < j ? -1 : 1;
            }
            a = after_a;
            b = after_b;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static bool same_shape(const struct array *a, const struct array *b)
{
    return a->axes == b->axes &&
           memcmp(a->shape, b->shape, a->axes * sizeof *a->shape) == 0;
}

static void list_arrays(char *text, size_t room, const struct arrays *arrays)
{
    size_t length = 0;
    for (size_t i = 0; i < arrays->count && length + 160 < room; i++) {
        const struct array *a = &arrays->all[i];
        length += (size_t)snprintf(text + length, room - length, "\n  %s (", a->name);
        for (size_t k = 0; k < a->axes; k++) {
            length += (size_t)snprintf(text + length, room - length, "%s%zu",
                                       k ? "," : "", a->shape[k]);
        }
        length += (size_t)snprintf(text + length, room - length, ")");
    }
}

static const struct array *named_array(const struct arrays *arrays, const char *name)
{
    for (size_t i = 0; i < arrays->count; i++) {
        if (strcmp(arrays->all[i].name, name) == 0) {
            return &arrays->all[i];
        }
    }
    return NULL;
}

// Several tensors of one shape, one for each layer: (NH, T, S) or, with a batch, (B, NH, T, S).
static struct array stack(const struct arrays *arrays)
{
    const struct array *first = &arrays->all[0];
    struct array all = {.axes = first->axes + 1, .count = first->count * arrays->count};
    all.shape[0] = arrays->count;
    memcpy(all.shape + 1, first->shape, first->axes * sizeof *first->shape);
    if (!array_count(&all.count, all.shape, all.axes)) {
        map_fail(MAP_FAILED, "the file holds too many numbers");
    }
    all.data = map_allocate(all.count + 1, sizeof *all.data);
    for (size_t i = 0; i < arrays->count; i++) {
        memcpy(all.data + i * first->count, arrays->all[i].data,
               first->count * sizeof *all.data);
    }
    return all;
}

static struct array copy_of(const struct array *array)
{
    struct array copy = *array;
    copy.data = map_allocate(copy.count + 1, sizeof *copy.data);
    memcpy(copy.data, array->data, copy.count * sizeof *copy.data);
    return copy;
}

static bool could_be_layers(const struct arrays *arrays)
{
    for (size_t i = 0; i < arrays->count; i++) {
        const struct array *a = &arrays->all[i];
        if (a->axes < 2 || a->axes >= ARRAY_AXES || !same_shape(a, &arrays->all[0])) {
            return false;
        }
    }
    return arrays->count > 1;
}

static struct array choose_array(struct contents *contents, const char *name)
{
    static const char *const usual[] = {"attentions", "attention", "weights", "attn"};
    struct arrays *arrays = &contents->arrays;
    char list[4096] = "";
    list_arrays(list, sizeof list, arrays);
    if (name != NULL) {
        const struct array *found = named_array(arrays, name);
        if (found == NULL) {
            map_fail(MAP_FAILED, "%s: there is no tensor '%s'; the file has%s",
                     contents->path, name, list);
        }
        return copy_of(found);
    }
    if (arrays->count == 1) {
        return copy_of(&arrays->all[0]);
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        const struct array *found = named_array(arrays, usual[i]);
        if (found != NULL) {
            return copy_of(found);
        }
    }
    if (could_be_layers(arrays)) {
        qsort(arrays->all, arrays->count, sizeof *arrays->all, by_number);
        return stack(arrays);
    }
    map_fail(MAP_FAILED,
             "%s: say which tensor to draw with --tensor NAME; the file has%s",
             contents->path, list);
}

// ---- its axes -----------------------------------------------------------------------------

// The sizes in the order L B NH T S, and which axis of the array each of them is (or -1).
static void name_axes(struct attention *a, const struct array *array,
                      int from[ARRAY_AXES], const char *axes, const char *path)
{
    static const char *const names[] = {"L", "B", "NH", "T", "S"};
    static const char *const usual[] = {"",       "",         "T,S",
                                        "NH,T,S", "L,NH,T,S", "L,B,NH,T,S"};
    size_t *const sizes[] = {&a->L, &a->B, &a->NH, &a->T, &a->S};
    size_t count = 0;
    axes = axes != NULL ? axes : usual[array->axes];
    for (int i = 0; i < ARRAY_AXES; i++) {
        from[i] = -1;
        *sizes[i] = 1;
    }
    for (const char *at = axes; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        int axis = 0;
        while (axis < ARRAY_AXES &&
               (strlen(names[axis]) != length || strncmp(at, names[axis], length) != 0)) {
            axis++;
        }
        if (axis == ARRAY_AXES || from[axis] >= 0) {
            map_fail(MAP_USAGE,
                     "--axes names each axis once, with letters of L,B,NH,T,S, "
                     "such as B,NH,T,S; not '%s'",
                     axes);
        }
        if (count < array->axes) {
            from[axis] = (int)count;
            *sizes[axis] = array->shape[count];
        }
        count++;
        at += length + (at[length] == ',');
    }
    if (count != array->axes || from[3] < 0 || from[4] < 0) {
        map_fail(
            array->axes < 2 ? MAP_FAILED : MAP_USAGE,
            "%s: the tensor has %zu axes; attention has T and S, and may have NH, L and "
            "B before them (--axes)",
            path, array->axes);
    }
}

// Copies the numbers into the order L B NH T S.
static void arrange(struct attention *a, const struct array *array,
                    const int from[ARRAY_AXES])
{
    size_t stride[ARRAY_AXES + 1] = {0}, step[ARRAY_AXES];
    const size_t sizes[] = {a->L, a->B, a->NH, a->T, a->S};
    stride[array->axes] = 1;
    for (size_t i = array->axes; i-- > 0;) {
        stride[i] = stride[i + 1] * array->shape[i];
    }
    for (int i = 0; i < ARRAY_AXES; i++) {
        step[i] = from[i] < 0 ? 0 : stride[from[i] + 1];
    }
    a->weights = map_allocate(array->count + 1, sizeof *a->weights);
    for (size_t i = 0; i < array->count; i++) {
        size_t rest = i, place = 0;
        for (int k = ARRAY_AXES - 1; k >= 0; k--) {
            place += rest % sizes[k] * step[k];
            rest /= sizes[k];
        }
        a->weights[i] = array->data[place];
    }
}

// ---- its tokens ---------------------------------------------------------------------------

static struct token_list tokens_or_numbers(const char *option, struct token_list *given,
                                           size_t count, const char *what,
                                           const char *path, bool *named)
{
    struct token_list tokens = option != NULL ? tokens_argument(option) : *given;
    if (option != NULL) {
        tokens_free(given);
    }
    *given = (struct token_list){0};
    if (tokens.count == 0) {
        return tokens_numbers(count);
    }
    if (tokens.count != count) {
        map_fail(MAP_FAILED, "%s: there are %zu %s, but %zu token%s for them", path,
                 count, what, tokens.count, plural((double)tokens.count));
    }
    *named = true;
    return tokens;
}

// One list serves queries and keys where there is no other.
static void name_tokens(struct attention *a, struct contents *contents,
                        const struct read_options *o)
{
    const char *keys = o->key_tokens != NULL ? o->key_tokens
                       : a->T == a->S        ? o->tokens
                                             : NULL;
    if (a->T == a->S && contents->keys.count == 0) {
        contents->keys = tokens_copy(&contents->queries);
    }
    if (a->T == a->S && contents->queries.count == 0) {
        contents->queries = tokens_copy(&contents->keys);
    }
    a->queries = tokens_or_numbers(o->tokens, &contents->queries, a->T, "queries",
                                   contents->path, &a->named);
    a->keys =
        tokens_or_numbers(keys, &contents->keys, a->S, "keys", contents->path, &a->named);
}

struct attention attention_read(const char *path, const struct read_options *options)
{
    struct contents contents = {.path = path};
    struct attention attention = {0};
    int from[ARRAY_AXES];
    const char *slash = strrchr(path, '/');
    snprintf(attention.source, sizeof attention.source, "%s",
             slash == NULL ? path : slash + 1);
    read_contents(&contents);
    struct array array = choose_array(&contents, options->tensor);
    name_axes(&attention, &array, from, options->axes, path);
    if (array.count == 0) {
        map_fail(MAP_FAILED, "%s: the tensor is empty: one of its sizes is 0", path);
    }
    arrange(&attention, &array, from);
    name_tokens(&attention, &contents, options);
    free(array.data);
    arrays_free(&contents.arrays);
    return attention;
}

void attention_free(struct attention *attention)
{
    free(attention->weights);
    tokens_free(&attention->queries);
    tokens_free(&attention->keys);
}

// ---- what to know before looking ----------------------------------------------------------

void attention_report(const struct attention *a)
{
    const size_t rows = a->L * a->B * a->NH * a->T;
    size_t wrong = 0, first = 0, not_finite = 0;
    double first_sum = 1;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        bool empty = true;
        for (size_t s = 0; s < a->S; s++) {
            const float weight = a->weights[i * a->S + s];
            not_finite += !isfinite(weight);
            sum += isfinite(weight) ? (double)weight : 0;
            empty = empty && !(weight != 0);
        }
        if (!empty && fabs(sum - 1) > 1e-2 && wrong++ == 0) {
            first = i;
            first_sum = sum;
        }
    }
    if (not_finite > 0) {
        fprintf(stderr, "attnmap: %s: %zu weight%s NaN or infinite; blank in the map\n",
                a->source, not_finite, not_finite == 1 ? " is" : "s are");
    }
    if (wrong > 0) {
        const size_t t = first % a->T, h = first / a->T % a->NH,
                     l = first / a->T / a->NH / a->B;
        fprintf(
            stderr,
            "attnmap: %s: %zu of %zu row%s do%s not sum to 1; the first is query %zu of layer "
            "%zu, head %zu: %.4g\n",
            a->source, wrong, rows, plural((double)rows), wrong == 1 ? "es" : "", t, l, h,
            first_sum);
    }
}
