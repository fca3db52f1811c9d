// inside.c - calls a program's main as a function.
//
// The linker sends calls of exit and malloc from our code to the functions below (--wrap). Memory
// that the libraries allocate themselves is not seen, except for two parsers of JSON and for
// archives, which can be told.
//
// Start reading at run_inside.

#define _GNU_SOURCE

#include "fuzz.h"

#include <cjson/cJSON.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool inside;
static jmp_buf outside;
static int status;

_Noreturn void __real_exit(int code);
_Noreturn void __wrap_exit(int code)
{
    if (inside) {
        status = code;
        longjmp(outside, 1);
    }
    __real_exit(code);
}

// ---- memory -------------------------------------------------------------------------------

enum { CHAINS = 4096 };

// What was allocated inside and not freed yet.
struct block {
    void *at;
    struct block *next;
};
static struct block *chains[CHAINS], *unused;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *at);

static struct block **chain_of(const void *at)
{
    return &chains[(uintptr_t)at / 16 % CHAINS];
}

static void *remember(void *at)
{
    if (inside && at != NULL) {
        struct block *block = unused;
        unused = block == NULL ? NULL : block->next;
        block = block == NULL ? __real_malloc(sizeof *block) : block;
        *block = (struct block){at, *chain_of(at)};
        *chain_of(at) = block;
    }
    return at;
}

static void forget(const void *at)
{
    for (struct block **link = chain_of(at); *link != NULL; link = &(*link)->next) {
        if ((*link)->at == at) {
            struct block *block = *link;
            *link = block->next;
            block->next = unused;
            unused = block;
            return;
        }
    }
}

static void free_the_rest(void)
{
    for (size_t i = 0; i < CHAINS; i++) {
        while (chains[i] != NULL) {
            void *at = chains[i]->at;
            forget(at);
            __real_free(at);
        }
    }
}

void *__wrap_malloc(size_t size)
{
    return remember(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return remember(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return remember(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *at, size_t size)
{
    void *larger = __real_realloc(at, size);
    if (larger != NULL) {
        forget(at);
        remember(larger);
    }
    return larger;
}

void __wrap_free(void *at)
{
    forget(at);
    __real_free(at);
}

char *__wrap_strndup(const char *text, size_t size)
{
    const size_t length = strnlen(text, size);
    char *copy = __wrap_calloc(length + 1, 1);
    return copy == NULL ? NULL : memcpy(copy, text, length);
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

// ---- archives -----------------------------------------------------------------------------

struct archive;
static struct archive *opened;
#ifdef LAB_WITH_ARCHIVE
struct archive *__real_archive_read_new(void);
int __real_archive_read_free(struct archive *archive);

struct archive *__wrap_archive_read_new(void)
{
    return opened = __real_archive_read_new();
}

int __wrap_archive_read_free(struct archive *archive)
{
    opened = NULL;
    return __real_archive_read_free(archive);
}
#else
static int __wrap_archive_read_free(struct archive *archive)
{
    return archive != NULL;
}
#endif

// ---- what it prints -----------------------------------------------------------------------

static struct {
    FILE *to, *usual_out, *usual_err;
    char *text;
    size_t size;
} said;

static void catch_output(void)
{
    said.usual_out = stdout;
    said.usual_err = stderr;
    said.to = open_memstream(&said.text, &said.size);
    if (said.to == NULL) {
        abort();
    }
    stdout = stderr = said.to;
}

static void check_output(void)
{
    stdout = said.usual_out;
    stderr = said.usual_err;
    fclose(said.to);
    for (size_t i = 0; i < said.size; i++) {
        const unsigned char c = (unsigned char)said.text[i];
        if ((c < 32 && c != '\n' && c != '\t') || c == 127) {
            fprintf(stderr, "the output has the control character %d:\n%s\n", c,
                    said.text);
            abort();
        }
    }
    __real_free(said.text);
}

static void check_files(void)
{
    enum { FEW = 64 };
    const int next = dup(0);
    close(next);
    if (next > FEW) {
        fprintf(stderr, "files are left open: the next has the number %d\n", next);
        abort();
    }
}

// ---- the call -----------------------------------------------------------------------------

int run_inside(int (*run)(int argc, char **argv), int argc, char **argv)
{
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    cJSON_InitHooks(&(cJSON_Hooks){__wrap_malloc, __wrap_free});
    catch_output();
    if (setjmp(outside) == 0) {
        inside = true;
        status = run(argc, argv);
    }
    inside = false;
    check_output();
    if (opened != NULL) {
        __wrap_archive_read_free(opened);
    }
    free_the_rest();
    check_files();
    return status;
}
