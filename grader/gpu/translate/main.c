// main.c - cuda-to-cpp: translates CUDA C to C++, so that g++ can compile a .cu file.
//
//     cuda-to-cpp file.cu [name to show] >file.cpp
//
// Theory of operation. CUDA C is C++ except for two constructs that macros cannot express:
// the launch kernel<<<grid, block>>>(...), and __shared__ before a declaration. This
// program splits the text into tokens, so that strings and comments stay unchanged,
// collects edits for these two constructs and a few words, and writes the edited text. No
// edit changes the number of lines, and the output begins with #line, so the compiler's
// messages refer to the student's lines. It understands no C++ beyond brackets; the
// compiler reports errors.
//
// Exit status: 0 done; 1 the file cannot be translated ("file:line: error: why" on stderr);
// 2 a file cannot be read or written. Start reading at main.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

static void out_of_memory(void)
{
    fprintf(stderr, "cuda-to-cpp: out of memory\n");
    exit(2);
}

void edit_add(struct edits *edits, size_t start, size_t end, const char *format, ...)
{
    if (edits->count == edits->room) {
        edits->room = edits->room == 0 ? 64 : 2 * edits->room;
        edits->list = realloc(edits->list, edits->room * sizeof *edits->list);
        if (edits->list == NULL) {
            out_of_memory();
        }
    }
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    char none[1] = "";
    size_t length = (size_t)vsnprintf(none, sizeof none, format, arguments);
    char *text = malloc(length + 1);
    if (text == NULL) {
        out_of_memory();
    }
    vsnprintf(text, length + 1, format, again);
    va_end(again);
    va_end(arguments);
    edits->list[edits->count++] = (struct edit){start, end, text};
}

static void collect(const struct source *source, struct edits *edits)
{
    size_t i = 0;
    while (i < source->count) {
        size_t next = translate_directive(source, i, edits);
        next = next == i ? translate_shared(source, i, edits) : next;
        next = next == i ? translate_variable(source, i, edits) : next;
        next = next == i ? translate_no_inline(source, i, edits) : next;
        next = next == i ? translate_launch(source, i, edits) : next;
        i = next == i ? i + 1 : next;
    }
}

// A path as a C string.
static void write_quoted(const char *path)
{
    putchar('"');
    for (; *path != '\0'; path++) {
        if (*path == '"' || *path == '\\') {
            putchar('\\');
        }
        putchar(*path);
    }
    putchar('"');
}

static void write_translation(const struct source *source, const struct edits *edits)
{
    size_t at = 0;
    printf("#include \"cuda_runtime.h\"\n#include \"simulated/poison.h\"\n#line 1 ");
    write_quoted(source->path);
    putchar('\n');
    for (size_t i = 0; i < edits->count; i++) {
        const struct edit *edit = &edits->list[i];
        fwrite(source->text + at, 1, edit->start - at, stdout);
        fputs(edit->text, stdout);
        at = edit->end;
    }
    fwrite(source->text + at, 1, source->length - at, stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("cuda-to-cpp: cannot write");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct source source;
    struct edits edits = {NULL, 0, 0};
    const char *output = NULL;
    if (argc > 3 && strcmp(argv[1], "-o") == 0) {
        output = argv[2];
        argc -= 2;
        argv += 2;
    }
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: cuda-to-cpp [-o file.cpp] file.cu [name to show]\n");
        return 2;
    }
    source_read(&source, argv[1], argv[argc - 1]);
    source_tokenize(&source);
    refuse_forbidden(&source);
    collect(&source, &edits);
    if (output != NULL && freopen(output, "w", stdout) == NULL) {
        perror(output);
        return 2;
    }
    write_translation(&source, &edits);

    for (size_t i = 0; i < edits.count; i++) {
        free(edits.list[i].text);
    }
    free(edits.list);
    free(source.tokens);
    free(source.text);
    return 0;
}
