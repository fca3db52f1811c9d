// tensor_check.c - the checksums of a tensor file, in its __metadata__:
//
//     "crc32.NAME"   of the bytes of tensor NAME: eight hexadecimal digits
//     "crc32"        of the rest of the header: the sum, modulo 2^32, of the CRC-32 of "KEY\0VALUE\0"
//                    of each other note and "NAME\0F32\0" "2\0" "3\0" of each tensor, here of shape
//                    (2, 3). A sum, so that their order does not matter
//
// CRC-32 is that of zip, PNG and Python's zlib.crc32: the remainder of a division of polynomials
// over GF(2) by x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 +
// x^2 + x + 1, written with its lowest power last (0xedb88320). It finds every change of up to 32
// bits in a row.

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tensor_internal.h"

#define KEY "crc32"

enum { DIGITS = 9 }; // eight digits and the final 0

// The contribution of each byte value to the remainder.
static void make_table(uint32_t table[256])
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; bit++) {
            rest = rest & 1 ? rest >> 1 ^ 0xedb88320 : rest >> 1;
        }
        table[byte] = rest;
    }
}

// Updates rest with more bytes. After all bytes, ~rest is the CRC-32.
enum { NOTHING_YET = -1 };

static uint32_t go_on(const uint32_t table[256], uint32_t rest, const void *bytes,
                      size_t count)
{
    const unsigned char *next = bytes;
    for (size_t i = 0; i < count; i++) {
        rest = rest >> 8 ^ table[(rest ^ next[i]) & 0xff];
    }
    return rest;
}

static bool is_checksum(const char *key)
{
    const size_t length = strlen(KEY);
    return strncmp(key, KEY, length) == 0 && (key[length] == '\0' || key[length] == '.');
}

static const char *digits_of(char digits[DIGITS], uint32_t sum)
{
    snprintf(digits, DIGITS, "%08x", (unsigned)sum);
    return digits;
}

static const char *sum_of_tensor(char digits[DIGITS], const uint32_t table[256],
                                 const struct lab_tensor *tensor)
{
    return digits_of(digits, ~go_on(table, (uint32_t)NOTHING_YET, tensor->data,
                                    lab_tensor_bytes(tensor)));
}

static uint32_t go_on_text(const uint32_t table[256], uint32_t rest, const char *text)
{
    return go_on(table, rest, text, strlen(text) + 1);
}

static const char *sum_of_header(char digits[DIGITS], const uint32_t table[256],
                                 const struct lab_tensor_file *file)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < file->note_count; i++) {
        const struct lab_tensor_note *note = &file->notes[i];
        if (!is_checksum(note->key)) {
            uint32_t rest = go_on_text(table, (uint32_t)NOTHING_YET, note->key);
            sum += ~go_on_text(table, rest, note->value);
        }
    }
    for (size_t i = 0; i < file->count; i++) {
        const struct lab_tensor *tensor = &file->tensors[i];
        uint32_t rest = go_on_text(table, (uint32_t)NOTHING_YET, tensor->name);
        rest = go_on_text(table, rest, lab_dtype_name(tensor->dtype));
        for (size_t d = 0; d < tensor->dims; d++) {
            char size[24];
            snprintf(size, sizeof size, "%zu", tensor->shape[d]);
            rest = go_on_text(table, rest, size);
        }
        sum += ~rest;
    }
    return digits_of(digits, sum);
}

// ---- writing ------------------------------------------------------------------------------

lab_status lab_tensor_file_add_checksums(struct lab_tensor_file *file)
{
    uint32_t table[256];
    char digits[DIGITS];
    make_table(table);
    lab_status status =
        lab_tensor_file_add_note(file, KEY, sum_of_header(digits, table, file));
    for (size_t i = 0; i < file->count && status == LAB_OK; i++) {
        const struct lab_tensor *tensor = &file->tensors[i];
        const size_t size = strlen(KEY ".") + strlen(tensor->name) + 1;
        char *key = malloc(size);
        if (key == NULL) {
            return lab_tensor_no_memory(file);
        }
        snprintf(key, size, KEY ".%s", tensor->name);
        status =
            lab_tensor_file_add_note(file, key, sum_of_tensor(digits, table, tensor));
        free(key);
    }
    return status;
}

// ---- reading ------------------------------------------------------------------------------

static const char *sum_written(const struct lab_tensor_file *file, const char *tensor)
{
    for (size_t i = 0; i < file->note_count; i++) {
        const char *key = file->notes[i].key;
        if (is_checksum(key) && key[strlen(KEY)] == '.' &&
            strcmp(key + strlen(KEY "."), tensor) == 0) {
            return file->notes[i].value;
        }
    }
    return NULL;
}

static lab_status check_tensors(struct lab_tensor_file *file, const uint32_t table[256])
{
    char digits[DIGITS];
    for (size_t i = 0; i < file->count; i++) {
        const char *name = file->tensors[i].name, *written = sum_written(file, name);
        if (written == NULL) {
            return lab_tensor_fail(file, LAB_EFORMAT,
                                   "damaged: there is no checksum of tensor '%.60s'",
                                   name);
        }
        if (strcmp(sum_of_tensor(digits, table, &file->tensors[i]), written) != 0) {
            return lab_tensor_fail(
                file, LAB_EFORMAT,
                "damaged: tensor '%.60s' has the checksum %s; %.8s was written with it",
                name, digits, written);
        }
    }
    return LAB_OK;
}

// Remove the checksums: they describe the file, and the program may change what it read.
static void forget_checksums(struct lab_tensor_file *file)
{
    size_t kept = 0;
    for (size_t i = 0; i < file->note_count; i++) {
        if (is_checksum(file->notes[i].key)) {
            free(file->notes[i].key);
            free(file->notes[i].value);
        } else {
            file->notes[kept++] = file->notes[i];
        }
    }
    file->note_count = kept;
}

lab_status lab_tensor_check(struct lab_tensor_file *file)
{
    uint32_t table[256];
    char digits[DIGITS];
    size_t sums = 0;
    for (size_t i = 0; i < file->note_count; i++) {
        sums += is_checksum(file->notes[i].key);
    }
    if (sums == 0) {
        return LAB_OK; // written by another program
    }
    make_table(table);
    lab_status status = check_tensors(file, table);
    const char *written = lab_tensor_note(file, KEY);
    if (status == LAB_OK && (sums != file->count + 1 || written == NULL ||
                             strcmp(sum_of_header(digits, table, file), written) != 0)) {
        status = lab_tensor_fail(file, LAB_EFORMAT,
                                 "damaged: the header does not have the checksum that "
                                 "was written with it");
    }
    forget_checksums(file);
    return status;
}
