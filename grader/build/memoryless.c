// memoryless.c - see memoryless.h.
//
//     errno = 0; strtod(...)       __errno_location is not on the list
//     fesetround(FE_UPWARD)        fesetround is not on the list
//     static int calls;            a named variable
//     asm(".data\nn: .long 0")     the word asm

#define _GNU_SOURCE
#include "build/memoryless.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// ---- functions ----------------------------------------------------------------------------

// A * stands for any further characters. Printing is not on the list: what a function prints
// belongs to its own report.
static const char *const harmless[] = {
    // of the compiler and the sanitizers
    "__asan_*", "__ubsan_*", "_GLOBAL_OFFSET_TABLE_", "__assert_fail", "abort",
    // memory and text
    "malloc", "calloc", "realloc", "free", "aligned_alloc", "memcpy", "memmove", "memset",
    "memcmp", "memchr", "strlen", "strcmp", "strncmp", "strchr", "strrchr", "strstr",
    "qsort", "bsearch",
    // numbers
    "cblas_*", "acos*", "asin*", "atan*", "cbrt*", "ceil*", "copysign*", "cos*", "erf*",
    "exp*", "fabs*", "floor*", "fma*", "fmin*", "fmod*", "frexp*", "hypot*", "ldexp*",
    "llrint*", "llround*", "log*", "lrint*", "lround*", "modf*", "nearbyint*", "pow*",
    "rint*", "round*", "scalbn*", "sin*", "sqrt*", "tan*", "trunc*",
    // of the workbook
    "count_right", "generation_*", "join_qkv", "lab_merge*", "lab_parallel", "lab_piece*",
    "lab_product*", "lab_rng*", "lab_row*", "lab_share*", "lab_status*", "lab_threads",
    "lab_tile*", "language_*", "model_*", "sampling_allowed", "tokens_below", NULL};

// What these keep is what a program prints.
static const char *const printing[] = {
    "exit", "fflush",  "fprintf", "fputc",  "fputs",  "fwrite",   "perror",  "printf",
    "putc", "putchar", "puts",    "stderr", "stdout", "snprintf", "sprintf", NULL};

static bool fits(const char *name, const char *pattern)
{
    const size_t length = strcspn(pattern, "*");
    return strncmp(name, pattern, length) == 0 &&
           (pattern[length] == '*' || name[length] == '\0');
}

static bool is_of_a_lab(const char *name)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for (const struct entry *entry = place->entries; entry->name != NULL; entry++) {
            if (strcmp(entry->name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool is_among(const char *name, const char *const *patterns)
{
    bool found = false;
    for (size_t i = 0; !found && patterns[i] != NULL; i++) {
        found = fits(name, patterns[i]);
    }
    return found;
}

static bool is_harmless(const char *name)
{
    return is_of_a_lab(name) || is_among(name, harmless);
}

bool build_calls_keepers(const struct build *build)
{
    bool any = false;
    for (size_t i = 0; !any && i < build->symbols.needed_count; i++) {
        const char *name = build->symbols.needed[i];
        any = !is_harmless(name) && !is_among(name, printing);
    }
    return any;
}

// ---- text ---------------------------------------------------------------------------------

// In assembly, and in what the compiler passes on to the assembler, a variable needs no symbol. Some
// intrinsics change how numbers are rounded. ## could hide such words.
static const char *const doubtful[] = {
    "asm",     "attribute", "ragma", "gnu::", "ident", "setcsr",
    "_MM_SET", "ia32",      "##",    "%:%:",  NULL};

static bool in_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

// A backslash in a word, at the end of a line, would hide the word.
static bool splits_a_word(const char *text, size_t size)
{
    const char *end = text + size, *at = text;
    while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
        const char *behind = at + 1;
        while (behind < end && isspace((unsigned char)*behind) && *behind != '\n') {
            behind++;
        }
        if (at > text && in_word(at[-1]) && behind < end && *behind == '\n') {
            return true;
        }
        at++;
    }
    return false;
}

// "ident" alone is a directive; "identity" is harmless.
static bool stands_there(const char *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    const char *end = text + size, *at = text;
    while ((at = memmem(at, (size_t)(end - at), word, length)) != NULL) {
        const bool part =
            (at > text && in_word(at[-1])) || (at + length < end && in_word(at[length]));
        if (!part || strcmp(word, "ident") != 0) {
            return true;
        }
        at += length;
    }
    return false;
}

static bool is_plain(const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "re");
    char *text = grader_alloc(MOST + 1);
    const size_t size = file != NULL ? fread(text, 1, MOST + 1, file) : MOST + 1;
    bool plain = size <= MOST && !splits_a_word(text, size);
    for (size_t i = 0; plain && doubtful[i] != NULL; i++) {
        plain = !stands_there(text, size, doubtful[i]);
    }
    free(text);
    if (file != NULL) {
        fclose(file);
    }
    return plain;
}

// ---- a build ------------------------------------------------------------------------------

bool build_is_memoryless(const struct workshop *workshop, const struct build *build)
{
    bool plain = build->symbols.named_variables == 0;
    for (size_t i = 0; plain && i < build->symbols.needed_count; i++) {
        plain = is_harmless(build->symbols.needed[i]);
    }
    for (size_t i = 0; plain && i < build_files(build); i++) {
        char *path = lab_file(workshop->source, build->place, build->place->sources[i]);
        plain = path != NULL && is_plain(path);
        free(path);
    }
    return plain;
}
