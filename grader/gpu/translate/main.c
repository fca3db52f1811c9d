// main.c - cuda-to-cpp: translates CUDA C to C++, so that g++ can compile a .cu file.
//
//     cuda-to-cpp file.cu [name to show] >file.cpp
//     cuda-to-cpp [--host] -o file.cpp [--headers FOLDER [-I FOLDER]...] file.cu [name to show]
//
// Theory of operation. CUDA C is C++ except for four constructs that macros cannot express:
// the launch kernel<<<grid, block>>>(...), the kernel that it starts, __shared__ before a
// declaration, and PTX in asm. This program splits the text into tokens, so that strings and comments stay
// unchanged, collects edits for these constructs and a few words, and writes the edited text.
// No edit changes the number of a line, and the output begins with #line, so the compiler's
// messages refer to the lines of the source. It understands no C++ beyond brackets; the
// compiler reports errors.
//
// With --headers, it also translates the headers of the program itself, into copies in that
// folder (headers.c). With --host, the file is C or C++, and nothing else changes.
//
// Exit status: 0 done; 1 the file cannot be translated ("file:line: error: why" on stderr);
// 2 a file cannot be read or written. Start reading at main.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

// ---- edits --------------------------------------------------------------------------------

static void *grown(void *list, size_t bytes)
{
    list = realloc(list, bytes);
    if (list == NULL) {
        translate_cannot("get memory for", "the edits");
    }
    return list;
}

static void text_add_list(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t length = (size_t)vsnprintf(NULL, 0, format, arguments);
    if (text->length + length + 1 > text->room) {
        text->room = 2 * text->room + length + 1;
        text->bytes = grown(text->bytes, text->room);
    }
    vsnprintf(text->bytes + text->length, length + 1, format, again);
    text->length += length;
    va_end(again);
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_add_list(text, format, arguments);
    va_end(arguments);
}

void edit_add(struct edits *edits, size_t start, size_t end, const char *format, ...)
{
    if (edits->count == edits->room) {
        edits->room = edits->room == 0 ? 64 : 2 * edits->room;
        edits->list = grown(edits->list, edits->room * sizeof *edits->list);
    }
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_add_list(&text, format, arguments);
    va_end(arguments);
    edits->list[edits->count] = (struct edit){start, end, edits->count, text.bytes};
    edits->count++;
}

static int by_place(const void *a, const void *b)
{
    const struct edit *one = a, *other = b;
    if (one->start != other->start) {
        return one->start < other->start ? -1 : 1;
    }
    const bool adds = one->end == one->start, other_adds = other->end == other->start;
    if (adds != other_adds) { // text that is added stands before a replacement
        return adds ? -1 : 1;
    }
    return one->order < other->order ? -1 : 1;
}

static void free_edits(struct edits *edits)
{
    for (size_t i = 0; i < edits->count; i++) {
        free(edits->list[i].text);
    }
    free(edits->list);
}

// Set by --host: a .c or .cpp file, in which only the headers change.
static bool host_code;

// ---- one file -----------------------------------------------------------------------------

static void collect(const struct source *source, struct edits *edits)
{
    size_t i = 0;
    while (host_code && i < source->count) {
        size_t next = translate_directive(source, i, edits);
        i = next == i ? i + 1 : next;
    }
    while (i < source->count) {
        arch_function(source, i, edits);
        size_t next = translate_kernel(source, i, edits);
        next = next == i ? translate_directive(source, i, edits) : next;
        next = next == i ? translate_shared(source, i, edits) : next;
        next = next == i ? translate_variable(source, i, edits) : next;
        next = next == i ? translate_no_inline(source, i, edits) : next;
        next = next == i ? translate_assembly(source, i, edits) : next;
        next = next == i ? translate_launch(source, i, edits) : next;
        struct source body;
        if (source_macro(source, i, &body)) {
            collect(&body, edits);
            free(body.tokens);
        }
        i = next == i ? i + 1 : next;
    }
}

// A path as a C string.
static void write_quoted(FILE *out, const char *path)
{
    putc('"', out);
    for (; *path != '\0'; path++) {
        if (*path == '"' || *path == '\\') {
            putc('\\', out);
        }
        putc(*path, out);
    }
    putc('"', out);
}

static void write_translation(const struct source *source, const struct edits *edits,
                              FILE *out)
{
    size_t at = 0;
    fputs("#line 1 ", out);
    write_quoted(out, source->path);
    putc('\n', out);
    for (size_t i = 0; i < edits->count; i++) {
        const struct edit *edit = &edits->list[i];
        if (edit->start < at) {
            fprintf(stderr, "cuda-to-cpp: %s: two changes overlap at byte %zu\n",
                    source->path, edit->start);
            exit(1);
        }
        fwrite(source->text + at, 1, edit->start - at, out);
        fputs(edit->text, out);
        at = edit->end;
    }
    fwrite(source->text + at, 1, source->length - at, out);
}

// Whether a copy may read padding: only structures have some, and the runtime sees only sizes.
static bool has_structures(const struct source *source)
{
    static const char *const words[] = {"struct", "class", "union", "pair", "tuple"};
    for (size_t i = 0; i < source->count; i++) {
        const struct token *token = &source->tokens[i];
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            if (token->kind == TOKEN_WORD && token->length == strlen(words[w]) &&
                memcmp(source->text + token->start, words[w], token->length) == 0) {
                return true;
            }
        }
    }
    return false;
}

// The runtime looks whether some file of the program has defined this. Headers may come twice.
static const char structures[] =
    "\n#ifndef GPU_HAS_STRUCTURES\n#define GPU_HAS_STRUCTURES\n"
    "extern \"C\" { __attribute__((weak)) char gpu_has_structures = 1; }\n#endif\n";

void translate_file(const char *path, const char *shown, const char *out,
                    const char *prologue)
{
    struct source source;
    struct edits edits = {NULL, 0, 0};
    source_read(&source, path, shown);
    source_tokenize(&source);
    refuse_forbidden(&source);
    collect(&source, &edits);
    if (translate_marks_host && !host_code) {
        host_mark(&source, &edits);
    }
    qsort(edits.list, edits.count, sizeof *edits.list, by_place);

    FILE *file = out == NULL ? stdout : fopen(out, "w");
    if (file == NULL) {
        translate_cannot("write", out);
    }
    fputs(prologue, file);
    write_translation(&source, &edits, file);
    if (translate_marks_host && !host_code && has_structures(&source)) {
        fputs(structures, file);
    }
    if (fflush(file) != 0 || ferror(file) || (out != NULL && fclose(file) != 0)) {
        translate_cannot("write", out == NULL ? "the output" : out);
    }
    free_edits(&edits);
    free(source.tokens);
    free(source.text);
}

int main(int argc, char **argv)
{
    const char *output = NULL;
    int at = 1;
    if (argc > 1 && strcmp(argv[1], "--host") == 0) {
        host_code = true;
        at++;
    }
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (strcmp(argv[at], "-o") == 0) {
            output = argv[at + 1];
        } else if (strcmp(argv[at], "--headers") == 0) {
            headers_use(argv[at + 1]);
        } else if (strcmp(argv[at], "-I") == 0) {
            headers_search(argv[at + 1]);
        } else {
            break;
        }
    }
    if (argc - at != 1 && argc - at != 2) {
        fprintf(
            stderr,
            "usage: cuda-to-cpp [--host] [-o file.cpp] [--headers folder [-I folder]...] "
            "file.cu [name to show]\n");
        return 2;
    }
    translate_file(argv[at], argv[argc - 1], output, host_code ? "" : translate_prologue);
    return 0;
}
