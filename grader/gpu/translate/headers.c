// headers.c - the headers of the program itself are translated, too, because kernels and
// launches stand in them.
//
// Each #include of a file that is found beside the including file, or in a folder given with -I,
// becomes one of a translated copy. A header keeps one copy, so #pragma once and include guards
// work. NVIDIA's headers that the simulator lacks become an #error, so that no other CUDA header
// of the machine is used by accident; the compiler reports it only if the line counts.

#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/translate/translate.h"

enum { MOST_FOLDERS = 128, MOST_HEADERS = 4096 };

static struct {
    const char *copies; // NULL: headers stay as they are
    const char *search[MOST_FOLDERS];
    size_t search_count;
    char *known[MOST_HEADERS]; // whose copy is COPIES/<index>.h
    size_t count;
} headers;

void headers_use(const char *folder)
{
    headers.copies = folder;
}

void headers_search(const char *folder)
{
    if (headers.search_count < MOST_FOLDERS) {
        headers.search[headers.search_count++] = folder;
    }
}

// Copies the name in #include "name" or <name>. Returns the quote or angle; 0 if it is neither.
static char included(const struct source *source, const struct token *token,
                     char name[PATH_MAX])
{
    const char *text = source->text + token->start, *end = text + token->length;
    text += 1 + strspn(text + 1, " \t");
    if (strncmp(text, "include", 7) != 0) {
        return 0;
    }
    text += 7 + strspn(text + 7, " \t");
    char close = *text == '<' ? '>' : '"';
    const char *stop = memchr(text + 1, close, (size_t)(end - text - 1));
    if ((*text != '<' && *text != '"') || stop == NULL || stop - text >= PATH_MAX) {
        return 0;
    }
    snprintf(name, PATH_MAX, "%.*s", (int)(stop - text - 1), text + 1);
    return *text;
}

static bool join(char path[PATH_MAX], const char *folder, size_t length, const char *name)
{
    int written = snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, folder,
                           length > 0 ? "/" : "", name);
    return written < PATH_MAX && access(path, R_OK) == 0;
}

static bool find(const struct source *source, char kind, const char *name,
                 char path[PATH_MAX])
{
    const char *slash = strrchr(source->path, '/');
    if (*name == '/') {
        return join(path, "", 0, name);
    }
    if (kind == '"' && join(path, source->path,
                            slash == NULL ? 0 : (size_t)(slash - source->path), name)) {
        return true;
    }
    for (size_t i = 0; i < headers.search_count; i++) {
        if (join(path, headers.search[i], strlen(headers.search[i]), name)) {
            return true;
        }
    }
    return false;
}

// The translated copy's number.
static size_t copy_of(const char *path)
{
    char real[PATH_MAX], copy[PATH_MAX];
    if (realpath(path, real) == NULL) {
        translate_cannot("find", path);
    }
    for (size_t i = 0; i < headers.count; i++) {
        if (strcmp(headers.known[i], real) == 0) {
            return i;
        }
    }
    size_t number = headers.count++;
    if (number == MOST_HEADERS || (headers.known[number] = strdup(real)) == NULL) {
        translate_cannot("keep so many headers as", path);
    }
    snprintf(copy, sizeof copy, "%s/%zu.h", headers.copies, number);
    translate_file(path, path, copy, "");
    return number;
}

// Whether NVIDIA has a header of this name.
static bool is_nvidias(const char *name)
{
    static const char *const starts[] = {"cuda",
                                         "cublas",
                                         "cudnn",
                                         "curand",
                                         "cufft",
                                         "cusparse",
                                         "cusolver",
                                         "cutlass",
                                         "cute/",
                                         "cub/",
                                         "thrust",
                                         "nvtx",
                                         "nvToolsExt",
                                         "nvml",
                                         "nccl",
                                         "nvrtc",
                                         "mma.h",
                                         "sm_",
                                         "npp",
                                         "cooperative_groups",
                                         "vector_",
                                         "texture_",
                                         "surface_",
                                         "device_",
                                         "driver_types",
                                         "math_constants",
                                         "builtin_types",
                                         "host_",
                                         "crt/",
                                         "channel_descriptor",
                                         "library_types",
                                         "cuComplex",
                                         "cupti",
                                         "common_functions",
                                         "math_functions",
                                         "generated_cuda",
                                         "generated_nvtx",
                                         "nvblas",
                                         "nvperf",
                                         "nvJitLink",
                                         "nv_decode",
                                         "nvvm",
                                         "fatbinary",
                                         "nv/",
                                         "cccl/",
                                         "nvshmem",
                                         "nvjpeg",
                                         "nvcomp",
                                         NULL};
    size_t i = 0;
    while (starts[i] != NULL && strncmp(name, starts[i], strlen(starts[i])) != 0) {
        i++;
    }
    return starts[i] != NULL;
}

void headers_include(const struct source *source, size_t i, struct edits *edits)
{
    const struct token *token = &source->tokens[i];
    char name[PATH_MAX], path[PATH_MAX];
    char kind = headers.copies == NULL ? 0 : included(source, token, name);
    if (kind == 0) {
        return;
    }
    size_t end = token->start + token->length;
    bool ours = headers.search_count > 0 &&
                join(path, headers.search[0], strlen(headers.search[0]), name);
    if (!ours && find(source, kind, name, path)) {
        edit_add(edits, token->start, end, "#include \"%s/%zu.h\"", headers.copies,
                 copy_of(path));
    } else if (!ours && is_nvidias(name)) {
        edit_add(edits, token->start, end,
                 "#error the simulator has no <%s>; docs/gpu.md lists the headers it has",
                 name);
    }
}
