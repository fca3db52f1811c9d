// page.c - one HTML page with all maps in it: page.html, with the numbers filled in.
//
// A page of a few heads holds the weights as floats. One of many heads would be too large to open,
// so it holds them in steps of 1/254 of the range, or coarser ones if that is still too large. The
// steps are those of the square root, which keeps small weights apart.

#include "programs/attnmap/attnmap.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/replace.h"

enum {
    FLOATS_MOST = 400000,         // weights of a page that holds floats
    PAGE_MOST = 19 * 1000 * 1000, // bytes of a page
    BLANK = 255
};

// ---- weights as bytes ---------------------------------------------------------------------

struct packing {
    float low, high;
    int levels; // 0: floats
};

static size_t weights_count(const struct maps *maps)
{
    return maps->rows * maps->columns * maps->T * maps->S;
}

static float weight_at(const struct maps *maps, size_t i)
{
    const size_t each = maps->T * maps->S;
    return maps->all[i / each].weights[i % each];
}

static void find_range(struct packing *p, const struct maps *maps)
{
    for (size_t i = 0; i < weights_count(maps); i++) {
        const float weight = weight_at(maps, i);
        if (isfinite(weight)) {
            p->low = fminf(p->low, weight);
            p->high = fmaxf(p->high, fabsf(weight));
        }
    }
    if (p->high <= 0) {
        p->high = 1;
    }
    if (p->low >= 0 && p->high > 0.5f && p->high <= 1) {
        p->high = 1; // as in the other pictures
    }
}

static unsigned char step_of(float weight, const struct packing *p)
{
    if (!isfinite(weight)) {
        return BLANK;
    }
    const float root = sqrtf(fabsf(weight) / p->high), levels = (float)p->levels;
    const float step = p->low >= 0  ? levels * root
                       : weight < 0 ? levels / 2 * (1 - root)
                                    : levels / 2 * (1 + root);
    return (unsigned char)(step + 0.5f);
}

// The bytes that these steps take after compression, about: their entropy, as base64.
static double packed_size(const struct maps *maps, const struct packing *p)
{
    size_t counts[256] = {0};
    const size_t count = weights_count(maps);
    double bits = 0;
    for (size_t i = 0; i < count; i++) {
        counts[step_of(weight_at(maps, i), p)]++;
    }
    for (int k = 0; k < 256; k++) {
        if (counts[k] > 0) {
            bits -= (double)counts[k] * log2((double)counts[k] / (double)count);
        }
    }
    return bits / 8 * 4 / 3 * 1.03;
}

static struct packing choose_packing(const struct maps *maps)
{
    static const int levels[] = {254, 126, 62, 30, 14, 6, 2};
    struct packing p = {0};
    find_range(&p, maps);
    if (weights_count(maps) <= FLOATS_MOST) {
        return p;
    }
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        p.levels = levels[i];
        if (packed_size(maps, &p) < PAGE_MOST) {
            break;
        }
    }
    return p;
}

// In zlib's format. Weights hardly ever repeat a longer sequence, so it looks for runs of one byte
// only, which is faster and no larger.
static unsigned char *compress_bytes(unsigned char *bytes, size_t count, size_t *size)
{
    z_stream stream = {0};
    if (count > UINT_MAX / 2 ||
        deflateInit2(&stream, 6, Z_DEFLATED, 15, 9, Z_RLE) != Z_OK) {
        map_fail(MAP_FAILED,
                 "too many weights for a page; choose some with --layer and --head");
    }
    const uLong room = deflateBound(&stream, count);
    unsigned char *small = map_allocate(room, 1);
    stream.next_in = bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = small;
    stream.avail_out = (uInt)room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
        map_fail(MAP_FAILED, "the weights could not be compressed");
    }
    *size = stream.total_out;
    deflateEnd(&stream);
    return small;
}

static unsigned char *packed(const struct maps *maps, const struct packing *p,
                             size_t *size)
{
    const size_t count = weights_count(maps), each = p->levels == 0 ? sizeof(float) : 1;
    unsigned char *bytes = map_allocate(count, each);
    for (size_t i = 0; i < count; i++) {
        const float weight = weight_at(maps, i);
        if (p->levels == 0) {
            memcpy(bytes + i * each, &weight, each);
        } else {
            bytes[i] = step_of(weight, p);
        }
    }
    unsigned char *small = compress_bytes(bytes, count * each, size);
    free(bytes);
    return small;
}

static void put_base64(FILE *file, const unsigned char *bytes, size_t size)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const unsigned a = bytes[i], b = left > 1 ? bytes[i + 1] : 0,
                       c = left > 2 ? bytes[i + 2] : 0;
        fputc(digits[a >> 2], file);
        fputc(digits[(a & 3) << 4 | b >> 4], file);
        fputc(left > 1 ? digits[(b & 15) << 2 | c >> 6] : '=', file);
        fputc(left > 2 ? digits[c & 63] : '=', file);
    }
}

// ---- what the page says -------------------------------------------------------------------

// A name with what is not UTF-8, and control characters, made visible.
static cJSON *name_of(const char *name)
{
    char text[256] = "";
    for (size_t length = 0; *name != '\0' && length + 8 < sizeof text; name++) {
        const unsigned char c = (unsigned char)*name;
        if (c < 32 || c == 127) {
            length += (size_t)snprintf(text + length, sizeof text - length, "\\x%02x", c);
        } else {
            text[length++] = *name;
            text[length] = '\0';
        }
    }
    return cJSON_CreateString(text);
}

static cJSON *names_of(const struct token_list *tokens)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < tokens->count; i++) {
        cJSON_AddItemToArray(list, name_of(tokens->names[i]));
    }
    return list;
}

static void add_place(cJSON *map, const char *axis, int place)
{
    if (place == CHOOSE_MEAN) {
        cJSON_AddStringToObject(map, axis, "mean");
    } else {
        cJSON_AddNumberToObject(map, axis, place);
    }
}

static cJSON *list_of_maps(const struct maps *maps)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t n = 0; n < maps->rows * maps->columns; n++) {
        cJSON *map = cJSON_CreateObject();
        cJSON_AddStringToObject(map, "title", maps->all[n].title);
        add_place(map, "layer", maps->all[n].layer);
        add_place(map, "head", maps->all[n].head);
        cJSON_AddItemToArray(list, map);
    }
    return list;
}

static char *describe(const struct maps *maps, const struct packing *p,
                      const struct output_options *options)
{
    char note[96] = "";
    cJSON *about = cJSON_CreateObject();
    if (p->levels > 0) {
        snprintf(note, sizeof note, "weights in %d steps of their square root",
                 p->levels);
    }
    cJSON_AddItemToObject(
        about, "title",
        name_of(options->title != NULL ? options->title : maps->of->source));
    cJSON_AddStringToObject(about, "note", note);
    cJSON_AddNumberToObject(about, "T", (double)maps->T);
    cJSON_AddNumberToObject(about, "S", (double)maps->S);
    cJSON_AddNumberToObject(about, "rows", (double)maps->rows);
    cJSON_AddNumberToObject(about, "columns", (double)maps->columns);
    cJSON_AddNumberToObject(about, "low", (double)p->low);
    cJSON_AddNumberToObject(about, "high", (double)p->high);
    cJSON_AddNumberToObject(about, "levels", p->levels);
    cJSON_AddBoolToObject(about, "root", (maps->T > 12 || maps->S > 12) && p->low >= 0);
    cJSON_AddItemToObject(about, "queries", names_of(&maps->of->queries));
    cJSON_AddItemToObject(about, "keys", names_of(&maps->of->keys));
    cJSON_AddItemToObject(about, "maps", list_of_maps(maps));
    char *text = cJSON_PrintUnformatted(about);
    cJSON_Delete(about);
    if (text == NULL) {
        map_fail(MAP_FAILED, "out of memory");
    }
    return text;
}

// JSON inside HTML: a "<" of a token must not end the script.
static void put_json(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<') {
            fputs("\\u003c", file);
        } else {
            fputc(*text, file);
        }
    }
}

// ---- the page -----------------------------------------------------------------------------

static char *read_frame(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/attnmap/page.html", map_above("/labs/programs"));
    FILE *file = fopen(path, "rb");
    enum { MOST = 1 << 20 };
    char *text = map_allocate(MOST + 1, 1);
    if (file == NULL || fread(text, 1, MOST, file) == 0) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    fclose(file);
    return text;
}

void page_write(const struct maps *maps, const struct output_options *options)
{
    const struct packing packing = choose_packing(maps);
    struct lab_replacement r;
    size_t size;
    char *frame = read_frame(), *about_text = describe(maps, &packing, options);
    char *about = strstr(frame, "@ABOUT@"), *weights = strstr(frame, "@WEIGHTS@");
    if (about == NULL || weights == NULL || weights < about) {
        map_fail(MAP_FAILED, "page.html has no place for the data");
    }
    unsigned char *bytes = packed(maps, &packing, &size);
    if (lab_replace_begin(&r, options->out) != LAB_OK) {
        map_fail(MAP_FAILED, "%s: %s", options->out, strerror(errno));
    }
    *about = *weights = '\0';
    fputs(frame, r.file);
    put_json(r.file, about_text);
    fputs(about + strlen("@ABOUT@"), r.file);
    put_base64(r.file, bytes, size);
    fputs(weights + strlen("@WEIGHTS@"), r.file);
    if (lab_replace_commit(&r) != LAB_OK) {
        map_fail(MAP_FAILED, "%s: %s", options->out, strerror(errno));
    }
    free(frame);
    free(bytes);
    cJSON_free(about_text);
}
