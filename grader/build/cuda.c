// cuda.c - builds a student's .cu file. Start reading at cuda_compile.

#define _GNU_SOURCE
#include "build/cuda.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/cache.h"
#include "build/card.h"
#include "build/lacking.h"
#include "build/locals.h"
#include "build/rewritten.h"
#include "build/workshop.h"

// ---- on a device --------------------------------------------------------------------------

// The toolkit's folder: CUDA_HOME or the default. The Makefile builds the workers with the
// same one.
static const char *toolkit(void)
{
    const char *home = getenv("CUDA_HOME");
    return home != NULL && *home != '\0' ? home : "/usr/local/cuda";
}

static char *nvcc(void)
{
    return grader_print("%s/bin/nvcc", toolkit());
}

const char *cuda_not_here(void)
{
    if (access("/dev/nvidiactl", F_OK) != 0) {
        return "no CUDA device";
    }
    char *compiler = nvcc();
    bool there = access(compiler, X_OK) == 0;
    free(compiler);
    return there ? NULL
                 : "no CUDA toolkit (set CUDA_HOME to the folder that holds bin/nvcc)";
}

static void add_nvcc(struct command *command, const char *root)
{
    static const char *const flags[] = {"-std=c++17", "-O2", "-U_FORTIFY_SOURCE",
                                        "-lineinfo", NULL};
    command_add(command, nvcc());
    command_add_words(command, flags);
    command_add(command, grader_print("-arch=%s", card_architecture()));
    command_add(command, grader_print("-I%s/labs", root));
}

// ---- simulated ----------------------------------------------------------------------------

static char *flags_of(const char *root)
{
    return grader_print("%s/grader/gpu/checked.flags", root);
}

static char *translator_of(const struct workshop *workshop)
{
    return grader_print("%s/build/worker/cuda-to-cpp", workshop->root);
}

static void add_gxx(struct command *command, const struct workshop *workshop)
{
    const char *root = workshop->root;
    // The precompiled header (rules.mk) needs the same first four.
    static const char *const flags[] = {
        "-fPIC", // as for a C file (build.c)
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-threadsafe-statics", // their locks are C++'s atomics (device.c)
        "-ffunction-sections",
        "-fno-var-tracking",
        "-Wno-unused-parameter",
        "-fdiagnostics-color=never",
        "-fmax-errors=5",
        "-pipe",
        NULL,
    };
    command_add(command, grader_print("g++"));
    char *checked = flags_of(root);
    command_add(command, grader_print("@%s", checked));
    free(checked);
    command_add_words(command, flags);
    locals_fill(command);
    if (workshop->precompiled != NULL) {
        command_add(command, grader_print("-I%s", workshop->precompiled));
    }
    command_add(command, grader_print("-I%s/grader/gpu/include", root));
    command_add(command, grader_print("-I%s/labs", root));
}

static bool run(const struct workshop *workshop, struct command *command,
                const char *folder, const char *tool, char **message)
{
    struct outcome outcome = locals_compile(workshop, command, folder);
    bool fine = command_succeeded(&outcome);
    if (!fine || outcome.output_size > 0) {
        free(*message);
        *message = command_complaint(tool, &outcome);
    }
    free(outcome.output);
    return fine;
}

// cuda-to-cpp turns the launches, kernel<<<grid, block>>>(...), into C++ on the same line.
static bool translate(const struct workshop *workshop, const char *source,
                      const char *translated, char **message)
{
    struct command command = {.count = 0};
    command_add(&command, translator_of(workshop));
    command_add(&command, grader_print("-o"));
    command_add(&command, grader_print("%s", translated));
    command_add(&command, grader_print("%s", source));
    return run(workshop, &command, NULL, "translator", message);
}

// The rest of the command: input and output.
static void add_files(struct command *command, const char *source, const char *object)
{
    command_add(command, grader_print("-c"));
    command_add(command, grader_print("-o"));
    command_add(command, grader_print("%s", object));
    command_add(command, grader_print("%s", source));
}

static bool compile_for_device(const struct workshop *workshop, const char *source,
                               const char *folder, const char *object, char **message)
{
    struct command command = {.count = 0};
    add_nvcc(&command, workshop->root);
    add_files(&command, source, object);
    return run(workshop, &command, folder, "compiler", message);
}

// Runs both steps and stores the result in the cache.
static bool compile_uncached(const struct workshop *workshop, const struct recipe *recipe,
                             const char *folder, const char *object, char **message)
{
    struct timespec started;
    clock_gettime(CLOCK_REALTIME, &started);
    if (!translate(workshop, recipe->source, recipe->passing, message)) {
        return false;
    }
    struct command command = {.count = 0};
    char *dependencies = grader_print("%s.d", object);
    add_gxx(&command, workshop);
    if (!workshop->uncached) {
        command_add(&command, grader_print("-MD"));
        command_add(&command, grader_print("-MF%s", dependencies));
    }
    add_files(&command, recipe->passing, object);
    bool fine = run(workshop, &command, folder, "compiler", message);
    if (*message != NULL) {
        char *better = rewritten_message(*message, recipe->source, recipe->passing);
        free(*message);
        *message = lacking_explained(better);
        free(better);
    }
    if (fine && !workshop->uncached) {
        cache_keep(recipe, object, *message, dependencies, started);
    }
    free(dependencies);
    return fine;
}

static bool compile_simulated(const struct workshop *workshop, const char *source,
                              const char *folder, const char *object, char **message)
{
    struct command command = {.count = 0};
    add_gxx(&command, workshop);
    char *how = command_in_one_line(&command);
    command_free(&command);
    char *translated = grader_print("%s.cpp", object);
    char *translator = translator_of(workshop), *flags = flags_of(workshop->root);
    char *header = workshop->precompiled != NULL
                       ? grader_print("%s/cuda_runtime.h.gch", workshop->precompiled)
                       : NULL;
    const char *const also[] = {translator, flags, header, NULL};
    const struct recipe recipe = {.root = workshop->root,
                                  .source = source,
                                  .how = how,
                                  .passing = translated,
                                  .also = also};
    bool fine = (!workshop->uncached && cache_fetch(&recipe, object, message)) ||
                compile_uncached(workshop, &recipe, folder, object, message);
    free(header);
    free(flags);
    free(translator);
    free(translated);
    free(how);
    return fine;
}

bool cuda_compile(const struct workshop *workshop, enum backend backend,
                  const char *source, const char *folder, const char *object,
                  char **message)
{
    return backend == GPU_DEVICE
               ? compile_for_device(workshop, source, folder, object, message)
               : compile_simulated(workshop, source, folder, object, message);
}

// Redirects C library functions that access memory to checked versions, and malloc and new, which a
// hand-in's kernel does not have (runtime/kernel_heap.cc). cuda_runtime.h redirects explicit calls of memcpy,
// but the compiler generates more, for example for std::copy.
void cuda_add_redirections(struct command *command)
{
    static const char *const names[] = {
        "memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp",
        "sincos", "sincosf", "modf",   "modff",  "frexp",  "frexpf",
        "printf", "fprintf", "malloc", "free",   NULL};
    // new and delete
    static const char *const operators[] = {"Znwm",   "Znam",   "ZdlPv", "ZdaPv",
                                            "ZdlPvm", "ZdaPvm", NULL};
    for (size_t i = 0; names[i] != NULL; i++) {
        command_add(command,
                    grader_print("--redefine-sym=%s=gpu_%s", names[i], names[i]));
    }
    for (size_t i = 0; operators[i] != NULL; i++) {
        command_add(command, grader_print("--redefine-sym=_%s=gpu_%s", operators[i],
                                          operators[i]));
    }
}

// ---- linking ------------------------------------------------------------------------------

void cuda_add_linker(struct command *command, enum backend backend)
{
    command_add(command, grader_print("g++"));
    command_add(command, grader_print("-no-pie"));
    if (backend == GPU_SIMULATED && command_have_gold()) {
        command_add(command, grader_print("-fuse-ld=gold"));
    }
}

// NVIDIA's packages use lib64/, others lib/.
static const char *libraries(void)
{
    char *path = grader_print("%s/lib64", toolkit());
    bool there = access(path, F_OK) == 0;
    free(path);
    return there ? "lib64" : "lib";
}

// OpenBLAS, or a stub library that only names the functions used (tools/link_line.sh),
// which spares the linker fifteen thousand names.
static char *openblas(const char *root)
{
    char *names = grader_print("%s/build/worker/link/libopenblas.so", root);
    if (access(names, R_OK) == 0) {
        return names;
    }
    free(names);
    return grader_print("-lopenblas");
}

void cuda_add_libraries(struct command *command, enum backend backend, const char *root)
{
    static const char *const simulated[] = {"-l:libboost_context.a", "-lbacktrace", "-lm",
                                            "-lpthread", NULL};
    static const char *const device[] = {
        "-lcublas", "-lcudart_static", "-ldl", "-lrt", "-lpthread", "-lm", NULL};
    command_add(command, grader_print("%s/build/lib/libcommon.a", root));
    if (backend == GPU_DEVICE) {
        command_add(command, grader_print("-L%s/%s", toolkit(), libraries()));
        command_add(command, grader_print("-Wl,-rpath,%s/%s", toolkit(), libraries()));
        command_add_words(command, device);
    } else {
        command_add(command, grader_print("%s/build/lib/libgpu-checked.a", root));
        command_add(command, openblas(root));
        command_add_words(command, simulated);
    }
}
