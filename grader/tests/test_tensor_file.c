// test_tensor_file.c - labs/common/tensor_file.[ch]: a written file can be read back, a broken
// file is rejected with its name, and no content makes the reader read outside the file.

#define _POSIX_C_SOURCE 200809L

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/rng.h"
#include "common/tensor_file.h"

// ---- help ---------------------------------------------------------------------------------

// The bytes of a file with this header and so many bytes of data; the caller frees them. The
// buffer has exactly this size, so that AddressSanitizer notices one byte too many.
static unsigned char *make_file(const char *header, size_t data_size, size_t *size)
{
    size_t length = strlen(header);
    *size = 8 + length + data_size;
    unsigned char *bytes = malloc(*size);
    cr_assert_not_null(bytes);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(length >> (8 * i));
    }
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < data_size; i++) {
        bytes[8 + length + i] = (unsigned char)i;
    }
    return bytes;
}

static lab_status parse(struct lab_tensor_file *file, const char *header,
                        size_t data_size)
{
    size_t size = 0;
    unsigned char *bytes = make_file(header, data_size, &size);
    lab_status status = lab_tensor_file_parse(file, bytes, size);
    free(bytes);
    return status;
}

static void expect_refused(const char *header, size_t data_size, const char *reason)
{
    struct lab_tensor_file file;
    lab_status status = parse(&file, header, data_size);
    cr_expect_eq(status, LAB_EFORMAT, "%.100s: %s", header, lab_status_name(status));
    cr_expect_not_null(strstr(file.error, reason),
                       "%.100s is refused by\n%s\ninstead of\n%s", header, file.error,
                       reason);
    cr_expect_null(strchr(file.error, '\n'), "the message has more than one line");
    cr_expect(file.count == 0 && file.tensors == NULL, "tensors are left after an error");
    lab_tensor_file_close(&file);
}

static void expect_accepted(const char *header, size_t data_size)
{
    struct lab_tensor_file file;
    lab_status status = parse(&file, header, data_size);
    cr_expect_eq(status, LAB_OK, "%.100s is refused by\n%s", header, file.error);
    lab_tensor_file_close(&file);
}

// A tensor's entry in a header.
#define ENTRY(dtype, shape, offsets)                                                     \
    "{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"

// ---- reading ------------------------------------------------------------------------------

Test(tensor_file, reads_what_pytorch_wrote)
{
    struct lab_tensor_file file;
    lab_status status = lab_tensor_file_open(&file, "datasets/goldens/lab01.safetensors");
    cr_assert_eq(status, LAB_OK, "%s", file.error);
    const float *x = lab_tensor_f32(&file, "x", 2, (size_t[]){3, 4});
    cr_assert_not_null(x, "%s", file.error);
    // torch.manual_seed(42); torch.randn(3, 4)
    cr_assert_float_eq(x[0], 0.33669037f, 1e-7);
    cr_assert_float_eq(x[4], -1.1228564f, 1e-7);
    cr_assert_str_eq(lab_tensor_note(&file, "seed"), "42");
    cr_assert_null(lab_tensor_note(&file, "no such note"));
    lab_tensor_file_close(&file);
}

Test(tensor_file, data_is_aligned_though_the_file_aligns_nothing)
{
    struct lab_tensor_file file;
    const char *header = "{\"b\":" ENTRY("\"U8\"", "[3]", "[0,3]") ",\"d\":" ENTRY(
        "\"F64\"", "[1,1]", "[7,15]") ",\"f\":" ENTRY("\"F32\"", "[]", "[3,7]") "}";
    cr_assert_eq(parse(&file, header, 15), LAB_OK, "%s", file.error);
    cr_assert_eq(file.count, 3);
    static const unsigned char first[] = {0, 7, 3};
    for (size_t i = 0; i < file.count; i++) {
        cr_assert_eq((uintptr_t)file.tensors[i].data % 64, 0);
        cr_assert_eq(*(const unsigned char *)file.tensors[i].data, first[i]);
    }
    cr_assert_eq(lab_tensor_find(&file, "f")->dims, 0);
    cr_assert_eq(lab_tensor_find(&file, "f")->count, 1);
    lab_tensor_file_close(&file);
}

Test(tensor_file, empty_tensors_and_empty_files_are_files)
{
    expect_accepted("{}", 0);
    expect_accepted("{}      ", 0);
    expect_accepted("{\"__metadata__\":{}}", 0);
    expect_accepted("{\"e\":" ENTRY("\"F32\"", "[0,5]", "[0,0]") "}", 0);
    expect_accepted("{\"r\":" ENTRY("\"I8\"", "[2,3]", "[0,6]") "}", 6);
    expect_accepted(
        "{\"a\":" ENTRY("\"U8\"", "[4]", "[0,4]") ",\"e\":" ENTRY(
            "\"F32\"", "[0]", "[0,0]") ",\"f\":" ENTRY("\"F32\"", "[0]", "[4,4]") "}",
        4);
}

Test(tensor_file, a_wrong_name_type_or_shape_is_told)
{
    struct lab_tensor_file file;
    const char *header = "{\"x\":" ENTRY("\"F32\"", "[2,1]", "[0,8]") "}";
    cr_assert_eq(parse(&file, header, 8), LAB_OK, "%s", file.error);
    cr_assert_not_null(lab_tensor_f32(&file, "x", 2, (size_t[]){2, 1}));
    cr_assert_null(lab_tensor_f32(&file, "y", 2, (size_t[]){2, 1}));
    cr_assert_str_eq(file.error, "(memory): there is no tensor 'y'");
    cr_assert_null(lab_tensor_f32(&file, "x", 2, (size_t[]){1, 2}));
    cr_assert_str_eq(file.error,
                     "(memory): tensor 'x' is F32 (2, 1), expected F32 (1, 2)");
    cr_assert_null(lab_tensor_f32(&file, "x", 1, (size_t[]){2}));
    cr_assert_null(lab_tensor_u8(&file, "x", 2, (size_t[]){2, 1}));
    cr_assert_null(lab_tensor_i64(&file, "x", 2, (size_t[]){2, 1}));
    lab_tensor_file_close(&file);
}

// ---- refusing -----------------------------------------------------------------------------

Test(tensor_file, refuses_what_is_no_header)
{
    expect_refused("", 0, "byte 8 should be the {");
    expect_refused(" {}", 0, "byte 8 should be the {");
    expect_refused("[]", 0, "byte 8 should be the {");
    expect_refused("{", 0, "not JSON at byte");
    expect_refused("{\"a\":}", 0, "not JSON at byte 13");
    expect_refused("{} x", 0, "not JSON at byte");
    expect_refused("{\"a\xff\":1}", 0, "not UTF-8 text at byte 11");
    expect_refused("{\"a\xc0\xaf\":1}", 0, "not UTF-8 text at byte 11");
    expect_refused("{\"a\xed\xa0\x80\":1}", 0, "not UTF-8 text at byte 11");
    expect_refused("{\"a\\u0000\":1}", 0, "zero character");
}

Test(tensor_file, refuses_a_header_that_does_not_fit)
{
    struct lab_tensor_file file;
    unsigned char bytes[16] = {200};
    cr_assert_eq(lab_tensor_file_parse(&file, bytes, 16), LAB_EFORMAT);
    cr_assert_str_eq(file.error,
                     "(memory): bytes 0-7 give a header length of 200 bytes; only 8 "
                     "follow");
    memset(bytes, 0xff, 8);
    cr_assert_eq(lab_tensor_file_parse(&file, bytes, 16), LAB_EFORMAT);
    cr_assert_not_null(
        strstr(file.error, "18446744073709551615 bytes; at most 16777216"));
    cr_assert_eq(lab_tensor_file_parse(&file, bytes, 7), LAB_EFORMAT);
    cr_assert_eq(lab_tensor_file_parse(&file, bytes, 0), LAB_EFORMAT);
}

Test(tensor_file, refuses_a_name_that_comes_twice)
{
    // cJSON keeps both entries and finds the first one, but Python keeps the second one
    const char *twice = "{\"a\":" ENTRY("\"U8\"", "[4]", "[0,4]") ",\"a\":" ENTRY(
        "\"U8\"", "[4]", "[4,8]") "}";
    expect_refused(twice, 8, "the name 'a' comes twice");
    const char *escaped = "{\"a\":" ENTRY("\"U8\"", "[4]", "[0,4]") ",\"\\u0061\":" ENTRY(
        "\"U8\"", "[4]", "[4,8]") "}";
    expect_refused(escaped, 8, "the name 'a' comes twice");
    expect_refused("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0,
                   "the name 'k' comes twice");
    expect_refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "comes twice");
    expect_refused(
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"shape\":[4],\"data_offsets\":[0,4]}}",
        4, "two members 'shape'");
}

Test(tensor_file, names_differ_by_case)
{
    expect_accepted("{\"a\":" ENTRY("\"U8\"", "[4]", "[0,4]") ",\"A\":" ENTRY(
                        "\"U8\"", "[4]", "[4,8]") "}",
                    8);
    expect_refused("{\"a\":{\"DTYPE\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4,
                   "unknown member 'DTYPE'");
}

Test(tensor_file, refuses_entries_that_are_not_entries)
{
    expect_refused("{\"a\":7}", 0, "'a' should be an object");
    expect_refused("{\"a\":{}}", 0, "no member 'dtype'");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4]}}", 4,
                   "no member 'data_offsets'");
    expect_refused(
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4],\"z\":1}}", 4,
        "unknown member 'z'");
    expect_refused("{\"\":" ENTRY("\"U8\"", "[4]", "[0,4]") "}", 4, "empty name");
    expect_refused("{\"__metadata__\":7}", 0, "__metadata__ should be an object");
    expect_refused("{\"__metadata__\":{\"k\":7}}", 0, "'k' should be a string");
}

Test(tensor_file, refuses_types_it_does_not_know)
{
    expect_refused("{\"a\":" ENTRY("\"F8_E4M3\"", "[4]", "[0,4]") "}", 4,
                   "dtype 'F8_E4M3'; known are");
    expect_refused("{\"a\":" ENTRY("\"f32\"", "[1]", "[0,4]") "}", 4, "dtype 'f32'");
    expect_refused("{\"a\":" ENTRY("4", "[1]", "[0,4]") "}", 4, "dtype '(no string)'");
}

Test(tensor_file, refuses_numbers_that_are_no_sizes)
{
    static const char *const shapes[] = {
        "[-1]",
        "[1.5]",
        "[1e300]",
        "[1e999]",
        "[\"4\"]",
        "[null]",
        "[true]",
        "[9007199254740993]",
        "[[4]]",
        "4",
        "[1,1,1,1,1,1,1,1,4]",
        "[18446744073709551617]",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char header[200];
        snprintf(header, sizeof header, "{\"a\":" ENTRY("\"U8\"", "%s", "[0,4]") "}",
                 shapes[i]);
        expect_refused(header, 4, "should be a list of at most 8 whole numbers");
    }
    expect_refused("{\"a\":" ENTRY("\"U8\"", "[NaN]", "[0,4]") "}", 4, "not JSON");
    static const char *const offsets[] = {
        "[-4,0]", "[0,4.5]", "[0,1e300]", "[0]", "[0,4,8]", "[]", "{}", "[0,\"4\"]",
    };
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        char header[200];
        snprintf(header, sizeof header, "{\"a\":" ENTRY("\"U8\"", "[4]", "%s") "}",
                 offsets[i]);
        expect_refused(header, 4, "should be two whole numbers");
    }
}

Test(tensor_file, refuses_shapes_that_overflow)
{
    expect_refused("{\"a\":" ENTRY("\"U8\"", "[4294967296,4294967296]", "[0,0]") "}", 0,
                   "more bytes than can be counted");
    expect_refused("{\"a\":" ENTRY("\"F32\"", "[2147483648,2147483648]", "[0,0]") "}", 0,
                   "more bytes than can be counted");
}

Test(tensor_file, refuses_offsets_that_do_not_match)
{
    expect_refused("{\"a\":" ENTRY("\"F32\"", "[3,4]", "[0,40]") "}", 40,
                   "has 40 bytes of data; F32 of shape (3, 4) takes 48");
    expect_refused("{\"a\":" ENTRY("\"F32\"", "[3]", "[0,12]") "}", 8,
                   "bytes 0 to 12 of the data, which has 8");
    expect_refused("{\"a\":" ENTRY("\"U8\"", "[4]", "[4,0]") "}", 4, "bytes 4 to 0");
}

Test(tensor_file, refuses_overlaps_holes_and_leftovers)
{
    const char *overlap = "{\"a\":" ENTRY("\"U8\"", "[4]", "[0,4]") ",\"b\":" ENTRY(
        "\"U8\"", "[4]", "[2,6]") "}";
    expect_refused(overlap, 6, "'b' begins at byte 2 of the data, inside another tensor");
    const char *hole = "{\"b\":" ENTRY("\"U8\"", "[4]", "[6,10]") ",\"a\":" ENTRY(
        "\"U8\"", "[4]", "[0,4]") "}";
    expect_refused(hole, 10, "'b' begins at byte 6 of the data, after a gap; expected 4");
    expect_refused("{\"a\":" ENTRY("\"U8\"", "[4]", "[0,4]") "}", 5,
                   "the tensors end at byte 4 of the data, which has 5");
    expect_refused("{\"a\":" ENTRY("\"U8\"", "[4]",
                                   "[0,4]") ",\"e\":" ENTRY("\"U8\"", "[0]", "[2,2]") "}",
                   4, "inside another tensor");
}

Test(tensor_file, a_long_or_odd_name_keeps_the_message_on_one_line)
{
    char header[3000];
    char name[2001];
    memset(name, 'n', 2000);
    name[2000] = '\0';
    snprintf(header, sizeof header, "{\"%s\":7}", name);
    expect_refused(header, 0, "nnnn' should be an object");
    expect_refused("{\"a\\nb\\u001b[1m\":7}", 0, "'a?b?[1m' should be an object");
}

Test(tensor_file, deep_json_is_refused_and_not_followed)
{
    static char header[200001];
    memset(header, '[', 200000);
    memcpy(header, "{\"a\":", 5);
    expect_refused(header, 0, "not JSON");
}

Test(tensor_file, every_truncation_and_mutation_is_understood_or_refused)
{
    const char *header = "{\"__metadata__\":{\"k\":\"v\"},\"a\":" ENTRY(
        "\"F32\"", "[2,3]",
        "[8,32]") ",\"b\":" ENTRY("\"U8\"", "[4]",
                                  "[32,36]") ",\"c\":" ENTRY("\"I64\"", "[1]",
                                                             "[0,8]") "}";
    size_t size = 0;
    unsigned char *bytes = make_file(header, 36, &size);
    struct lab_tensor_file file;
    cr_assert_eq(lab_tensor_file_parse(&file, bytes, size), LAB_OK, "%s", file.error);
    lab_tensor_file_close(&file);

    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *part = malloc(cut + (cut == 0));
        memcpy(part, bytes, cut);
        cr_expect_eq(lab_tensor_file_parse(&file, part, cut), LAB_EFORMAT, "cut at %zu",
                     cut);
        cr_expect_neq(file.error[0], '\0');
        free(part);
    }

    // bytes that are likely to matter, besides random ones
    static const unsigned char likely[] = "\"\\{}[],:0123456789eE.-+ \0\xff\x7f";
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    size_t understood = 0;
    for (int i = 0; i < 3000; i++) {
        unsigned char *mutant = malloc(size);
        memcpy(mutant, bytes, size);
        size_t changes = 1 + (size_t)i % 3;
        for (size_t j = 0; j < changes; j++) {
            uint32_t bits = lab_rng_next32(&rng);
            size_t at = (size_t)lab_rng_int(&rng, 0, (int64_t)(size - 36));
            mutant[at] = bits & 1 ? likely[(bits >> 8) % (sizeof likely - 1)]
                                  : (unsigned char)(bits >> 8);
        }
        lab_status status = lab_tensor_file_parse(&file, mutant, size);
        cr_expect(status == LAB_OK || status == LAB_EFORMAT, "%s",
                  lab_status_name(status));
        size_t bytes_held = 0;
        for (size_t t = 0; t < file.count; t++) {
            const struct lab_tensor *tensor = &file.tensors[t];
            size_t held = tensor->count * lab_dtype_size(tensor->dtype);
            bytes_held += held;
            unsigned char sum = 0;
            for (size_t b = 0; b < held; b++) { // AddressSanitizer watches
                sum ^= ((const unsigned char *)tensor->data)[b];
            }
            cr_expect(sum < 64);
        }
        cr_expect_eq(bytes_held, status == LAB_OK ? 36u : 0u);
        understood += status == LAB_OK;
        lab_tensor_file_close(&file);
        free(mutant);
    }
    cr_expect(understood > 0 && understood < 1500, "%zu of 3000 understood", understood);
    free(bytes);
}

// ---- files --------------------------------------------------------------------------------

static char folder[64];
static char path[96];

static void make_folder(void)
{
    strcpy(folder, "/tmp/test_tensor.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.safetensors", folder);
}

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

TestSuite(tensor_disk, .init = make_folder, .fini = remove_folder);

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        count += entry->d_name[0] != '.';
    }
    closedir(list);
    return count;
}

static void add(struct lab_tensor_file *file, const char *name, enum lab_dtype dtype,
                const void *data, size_t dims, const size_t *shape)
{
    lab_status status = lab_tensor_file_add(file, name, dtype, data, dims, shape);
    cr_assert_eq(status, LAB_OK, "%s", file->error);
}

Test(tensor_disk, what_is_saved_is_read_back_bit_for_bit)
{
    const uint8_t mask[] = {1, 0, 1};
    const float x[] = {1.5f, -INFINITY, NAN, -0.0f, 1e-42f, 3};
    const int64_t ids[] = {INT64_MIN, -1, INT64_MAX};
    const int8_t rows[] = {-127, -1, 0, 127};
    const double exact[] = {0.1};
    struct lab_tensor_file file = {0};
    add(&file, "mask", LAB_U8, mask, 1, (size_t[]){3});
    add(&file, "x \"\\\n caf\xc3\xa9", LAB_F32, x, 2, (size_t[]){2, 3});
    add(&file, "ids", LAB_I64, ids, 3, (size_t[]){1, 3, 1});
    add(&file, "rows", LAB_I8, rows, 2, (size_t[]){2, 2});
    add(&file, "exact", LAB_F64, exact, 0, NULL);
    add(&file, "none", LAB_F32, NULL, 2, (size_t[]){0, 4});
    cr_assert_eq(lab_tensor_file_add_note(&file, "seed", "42"), LAB_OK);
    cr_assert_eq(lab_tensor_file_save(&file, path), LAB_OK, "%s", file.error);

    struct lab_tensor_file back;
    cr_assert_eq(lab_tensor_file_open(&back, path), LAB_OK, "%s", back.error);
    cr_assert_eq(back.count, 6);
    for (size_t i = 0; i < file.count; i++) {
        const struct lab_tensor *was = &file.tensors[i];
        const struct lab_tensor *is = lab_tensor_find(&back, was->name);
        cr_assert_not_null(is, "%s is lost", was->name);
        cr_assert(is->dtype == was->dtype && is->dims == was->dims &&
                  is->count == was->count);
        cr_assert_eq(memcmp(is->shape, was->shape, sizeof is->shape), 0);
        size_t bytes = was->count * lab_dtype_size(was->dtype);
        cr_assert(bytes == 0 || memcmp(is->data, was->data, bytes) == 0, "%s", was->name);
    }
    cr_assert_str_eq(lab_tensor_note(&back, "seed"), "42");

    // a file that was read can be saved again, and gives the same bytes
    cr_assert_eq(lab_tensor_file_save(&back, path), LAB_OK, "%s", back.error);
    cr_assert_eq(files_in_folder(), 1);
    lab_tensor_file_close(&back);
    cr_assert_eq(lab_tensor_file_open(&back, path), LAB_OK, "%s", back.error);
    lab_tensor_file_close(&back);
    lab_tensor_file_close(&file);
}

// ---- checksums ----------------------------------------------------------------------------

// The content of the file; the caller frees it.
static unsigned char *read_file(size_t *size)
{
    FILE *stream = fopen(path, "rb");
    cr_assert_not_null(stream);
    unsigned char *bytes = malloc(1 << 16);
    *size = fread(bytes, 1, 1 << 16, stream);
    fclose(stream);
    return bytes;
}

static bool same_content(const struct lab_tensor_file *a, const struct lab_tensor_file *b)
{
    bool same = a->count == b->count && a->note_count == b->note_count;
    for (size_t i = 0; same && i < a->count; i++) {
        const struct lab_tensor *x = &a->tensors[i], *y = lab_tensor_find(b, x->name);
        same = y != NULL && x->dtype == y->dtype && x->dims == y->dims &&
               memcmp(x->shape, y->shape, x->dims * sizeof *x->shape) == 0 &&
               memcmp(x->data, y->data, x->count * lab_dtype_size(x->dtype)) == 0;
    }
    for (size_t i = 0; same && i < a->note_count; i++) {
        const char *value = lab_tensor_note(b, a->notes[i].key);
        same = value != NULL && strcmp(value, a->notes[i].value) == 0;
    }
    return same;
}

static void save_with_checksums(void)
{
    static const float x[] = {1.5f, -2, 3, 1e-42f, 5, 6};
    static const double y[] = {0.1, 0.2};
    struct lab_tensor_file file = {0};
    add(&file, "caf\xc3\xa9 \"x\"", LAB_F32, x, 2, (size_t[]){2, 3});
    add(&file, "y", LAB_F64, y, 1, (size_t[]){2});
    add(&file, "none", LAB_F32, NULL, 2, (size_t[]){0, 4});
    cr_assert_eq(lab_tensor_file_add_note(&file, "step", "40"), LAB_OK);
    cr_assert_eq(lab_tensor_file_add_checksums(&file), LAB_OK, "%s", file.error);
    cr_assert_eq(lab_tensor_file_add_checksums(&file), LAB_EVALUE);
    cr_assert_eq(lab_tensor_file_save(&file, path), LAB_OK, "%s", file.error);
    lab_tensor_file_close(&file);
}

Test(tensor_disk, a_damaged_bit_is_found_or_changes_nothing)
{
    size_t size = 0, refused = 0, named = 0;
    save_with_checksums();
    unsigned char *bytes = read_file(&size);
    struct lab_tensor_file whole, damaged;
    cr_assert_eq(lab_tensor_file_parse(&whole, bytes, size), LAB_OK, "%s", whole.error);
    cr_assert_eq(whole.note_count, 1, "the checksums are no notes of the reader's");
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (lab_tensor_file_parse(&damaged, bytes, size) == LAB_OK) {
            cr_expect(same_content(&whole, &damaged), "bit %zu of %zu", bit, 8 * size);
        } else {
            refused++;
            named += strstr(damaged.error, "damaged: tensor '") != NULL;
        }
        lab_tensor_file_close(&damaged);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    cr_expect_gt(refused, 7 * size, "%zu of %zu", refused, 8 * size);
    cr_expect_geq(named, 8 * (6 * sizeof(float) + 2 * sizeof(double)));
    lab_tensor_file_close(&whole);
    free(bytes);
}

Test(tensor_disk, the_damaged_tensor_is_named)
{
    size_t size = 0;
    save_with_checksums();
    unsigned char *bytes = read_file(&size);
    struct lab_tensor_file file;
    bytes[size - 1] ^= 1; // x comes after y, because its type is narrower
    cr_assert_eq(lab_tensor_file_parse(&file, bytes, size), LAB_EFORMAT);
    cr_expect_not_null(strstr(file.error, "damaged: tensor 'caf"), "%s", file.error);
    cr_expect(file.count == 0 && file.note_count == 0);
    free(bytes);
}

// The value that Python's zlib.crc32 gives for these bytes and this header.
#define SUMMED(of_x, of_header)                                                          \
    "{\"__metadata__\":{\"seed\":\"7\",\"crc32.x\":\"" of_x "\",\"crc32\":\"" of_header  \
    "\"},\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}"

Test(tensor_disk, checksums_are_those_of_zlib)
{
    struct lab_tensor_file file;
    cr_expect_eq(parse(&file, SUMMED("8bb98613", "26acfd6f"), 4), LAB_OK, "%s",
                 file.error);
    lab_tensor_file_close(&file);
    expect_refused(SUMMED("8bb98614", "26acfd6f"), 4,
                   "damaged: tensor 'x' has the checksum 8bb98613; 8bb98614 was written");
    expect_refused(SUMMED("8bb98613", "00000000"), 4, "damaged: the header");
    expect_refused(
        "{\"__metadata__\":{\"crc32\":\"00000000\"},\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
        4, "damaged: there is no checksum of tensor 'x'");
}

Test(tensor_disk, data_lies_aligned_in_the_file)
{
    // other programs map the file into memory: the header ends on a multiple of 8 bytes, and
    // wide types come first
    const uint8_t mask[] = {1, 0, 1};
    const float x[] = {1, 2, 3};
    const int64_t ids[] = {-1};
    struct lab_tensor_file file = {0};
    add(&file, "mask", LAB_U8, mask, 1, (size_t[]){3});
    add(&file, "x", LAB_F32, x, 1, (size_t[]){3});
    add(&file, "ids", LAB_I64, ids, 1, (size_t[]){1});

    // whatever the length of the names
    for (size_t length = 0; length < 8; length++) {
        cr_assert_eq(lab_tensor_file_add_note(&file, &"kkkkkkk"[7 - length], ""), LAB_OK);
        cr_assert_eq(lab_tensor_file_save(&file, path), LAB_OK, "%s", file.error);
        unsigned char bytes[1000];
        FILE *in = fopen(path, "rb");
        size_t size = fread(bytes, 1, sizeof bytes, in);
        fclose(in);
        size_t header = bytes[0] + 256u * bytes[1];
        cr_assert_eq(header % 8, 0);
        cr_assert_eq(size, 8 + header + 8 + 12 + 3);
        cr_assert_eq(bytes[8 + header], 0xff); // ids, -1
        cr_assert_eq(memcmp(bytes + 8 + header + 8, x, 12), 0);
        cr_assert_eq(memcmp(bytes + 8 + header + 20, mask, 3), 0);
    }
    lab_tensor_file_close(&file);
}

Test(tensor_disk, names_that_cannot_be_read_back_are_not_added)
{
    const float x[] = {1};
    const size_t one[] = {1};
    struct lab_tensor_file file = {0};
    add(&file, "x", LAB_F32, x, 1, one);
    cr_assert_eq(lab_tensor_file_add(&file, "x", LAB_F32, x, 1, one), LAB_EVALUE);
    cr_assert_str_eq(file.error, "there is a tensor 'x' already");
    cr_assert_eq(lab_tensor_file_add(&file, "", LAB_F32, x, 1, one), LAB_EVALUE);
    cr_assert_eq(lab_tensor_file_add(&file, "__metadata__", LAB_F32, x, 1, one),
                 LAB_EVALUE);
    cr_assert_eq(lab_tensor_file_add(&file, "\xff", LAB_F32, x, 1, one), LAB_EVALUE);
    cr_assert_eq(lab_tensor_file_add(&file, "y", LAB_F32, x, 9, (size_t[9]){1}),
                 LAB_ESHAPE);
    size_t huge[] = {SIZE_MAX / 2, 3};
    cr_assert_eq(lab_tensor_file_add(&file, "y", LAB_F32, x, 2, huge), LAB_ESHAPE);
    cr_assert_eq(lab_tensor_file_add_note(&file, "k", "v"), LAB_OK);
    cr_assert_eq(lab_tensor_file_add_note(&file, "k", "w"), LAB_EVALUE);
    cr_assert_eq(lab_tensor_file_add_note(&file, "\xff", "w"), LAB_EVALUE);
    cr_assert_eq(file.count, 1);
    cr_assert_eq(file.note_count, 1);
    lab_tensor_file_close(&file);
}

Test(tensor_disk, a_failed_save_keeps_the_old_file_and_leaves_no_other)
{
    const float x[] = {1};
    struct lab_tensor_file file = {0};
    add(&file, "x", LAB_F32, x, 1, (size_t[]){1});
    cr_assert_eq(lab_tensor_file_save(&file, path), LAB_OK, "%s", file.error);

    // from here on a file may have at most 64 bytes, so the next save fails in the middle
    static float large[1000];
    add(&file, "large", LAB_F32, large, 1, (size_t[]){1000});
    struct rlimit limit = {64, 64};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    lab_status status = lab_tensor_file_save(&file, path);
    cr_assert_eq(status, LAB_EIO, "%s", lab_status_name(status));
    cr_assert_not_null(strstr(file.error, "File too large"), "%s", file.error);
    cr_assert_eq(files_in_folder(), 1);
    lab_tensor_file_close(&file);

    cr_assert_eq(lab_tensor_file_open(&file, path), LAB_OK, "%s", file.error);
    cr_assert_eq(file.count, 1);
    lab_tensor_file_close(&file);
}

Test(tensor_disk, what_cannot_be_opened_is_named)
{
    struct lab_tensor_file file;
    cr_assert_eq(lab_tensor_file_open(&file, "/nowhere/x.safetensors"), LAB_EIO);
    cr_assert_str_eq(file.error, "/nowhere/x.safetensors: No such file or directory");
    cr_assert_eq(lab_tensor_file_open(&file, folder), LAB_EIO);
    cr_assert_not_null(strstr(file.error, "not a regular file"));
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(lab_tensor_file_open(&file, path), LAB_EIO); // and does not wait
}
