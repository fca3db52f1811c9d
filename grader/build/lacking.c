// lacking.c - says that the simulated GPU lacks a feature of CUDA, in place of the compiler's errors.
//
// g++ only says that cudaGraph_t was not declared, as it does about a spelling mistake. cudasim does the same
// for programs of one's own (explain in grader/gpu/cudasim.sh).

#define _GNU_SOURCE
#include "build/lacking.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_NAME = 80 };

static const struct {
    const char *start, *family;
} families[] = {
    {"cudaTexture", "textures"},
    {"cudaCreateTexture", "textures"},
    {"cudaDestroyTexture", "textures"},
    {"cudaBindTexture", "textures"},
    {"cudaUnbindTexture", "textures"},
    {"cudaArray_t", "textures"},
    {"cudaMallocArray", "textures"},
    {"cudaFreeArray", "textures"},
    {"cudaCreateChannelDesc", "textures"},
    {"cudaChannelFormat", "textures"},
    {"cudaResource", "textures"},
    {"tex1D", "textures"},
    {"tex2D", "textures"},
    {"tex3D", "textures"},
    {"cudaSurface", "surfaces"},
    {"cudaCreateSurface", "surfaces"},
    {"surf", "surfaces"},
    {"cudaGraph", "graphs"},
    {"cudaStreamBeginCapture", "graphs"},
    {"cudaStreamEndCapture", "graphs"},
    {"cudaStreamCapture", "graphs"},
    {"__cluster_dims__", "clusters of blocks"},
    {"this_cluster", "clusters of blocks"},
    {"cluster_group", "clusters of blocks"},
    {"cudaLaunchAttributeCluster", "clusters of blocks"},
    {"thrust", "Thrust"},
    {"cub", "CUB"},
    {"nvcuda", "tensor cores"},
    {"wmma", "tensor cores"},
    {"curand", "cuRAND"},
};

static bool begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

// Whole words only: cub is no part of cube or cublasSgemm.
static const char *family_of(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const char *start = families[i].start;
        const char next = name[strlen(start) <= strlen(name) ? strlen(start) : 0];
        if (begins(name, start) && !islower((unsigned char)next)) {
            return families[i].family;
        }
    }
    return NULL;
}

// cudaIpcGetMemHandle, cublasIsamax, CUBLAS_SIDE_LEFT: a name of CUDA without a family.
static bool is_cudas(const char *name)
{
    return (begins(name, "cuda") && isupper((unsigned char)name[4])) ||
           (begins(name, "cublas") && isupper((unsigned char)name[6])) ||
           begins(name, "CUBLAS_") || begins(name, "__nv_");
}

// What g++ says about a name that it does not know.
static bool is_unknown(const char *text)
{
    static const char *const words[] = {"was not declared",      "does not name a type",
                                        "has not been declared", "declared void",
                                        "is not a member of",    NULL};
    size_t i = 0;
    while (words[i] != NULL && strstr(text, words[i]) == NULL) {
        i++;
    }
    return words[i] != NULL;
}

// The first quoted name of text, without the namespaces before it.
static bool read_name(char name[MOST_NAME], const char *text)
{
    const char *start = strchr(text, '\'');
    const char *end = start != NULL ? strchr(start + 1, '\'') : NULL;
    if (end == NULL) {
        return false;
    }
    for (const char *at = ++start; at < end; at++) {
        start = *at == ':' ? at + 1 : start;
    }
    snprintf(name, MOST_NAME, "%.*s", (int)(end - start), start);
    return name[0] != '\0';
}

// What replaces the text of an error; NULL if it stays. The caller frees.
static char *said_better(const char *text)
{
    char name[MOST_NAME];
    if (begins(text, "exception handling disabled")) {
        return grader_print(
            "a hand-in is compiled without exceptions; return a lab_status, such as "
            "LAB_ECUDA, instead");
    }
    if (strstr(text, "'-fno-rtti'") != NULL) {
        return grader_print(
            "a hand-in is compiled without typeid and dynamic_cast; leave them out");
    }
    if (!is_unknown(text) || !read_name(name, text)) {
        return NULL;
    }
    const char *family = family_of(name);
    if (family != NULL) {
        return grader_print(
            "the simulated GPU has no %s (%s); docs/gpu.md lists what it has", family,
            name);
    }
    return is_cudas(name)
               ? grader_print(
                     "the simulated GPU has no %s; docs/gpu.md lists what it has%s", name,
                     strstr(text, "did you mean") != NULL ? strstr(text, "; did you mean")
                                                          : "")
               : NULL;
}

char *lacking_explained(const char *message)
{
    static const char mark[] = ": error: ";
    char *explained = NULL;
    size_t room = 0;
    FILE *file = open_memstream(&explained, &room);
    if (file == NULL) {
        return grader_print("%s", message);
    }
    for (const char *line = message; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        char *copy = grader_print("%.*s", (int)size, line);
        const char *error = strstr(copy, mark);
        char *better = error != NULL ? said_better(error + strlen(mark)) : NULL;
        fflush(file);
        if (better != NULL && (explained == NULL || strstr(explained, better) == NULL)) {
            fprintf(file, "%.*s%s%s\n", (int)(error - copy), copy, mark, better);
        }
        free(better);
        free(copy);
        line += size + (line[size] == '\n');
    }
    fclose(file);
    if (room == 0) {
        free(explained);
        return grader_print("%s", message);
    }
    return explained;
}
