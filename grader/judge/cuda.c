// cuda.c - building a student's .cu file. Start reading at cuda_compile.

#define _GNU_SOURCE
#include "judge/cuda.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge/memory.h"

// ---- on a device --------------------------------------------------------------------------

// The toolkit's folder, the same that the Makefile found when it built the workers: CUDA_HOME, or
// the usual one.
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
    static const char *const flags[] = {"-std=c++17", "-O2", "-lineinfo", "-arch=native",
                                        NULL};
    command_add(command, nvcc());
    command_add_words(command, flags);
    command_add(command, grader_print("-I%s/labs", root));
}

// ---- simulated ----------------------------------------------------------------------------

static void add_gxx(struct command *command, const char *root)
{
    static const char *const flags[] = {
        "-fPIC", // as for a C file (build.c)
        "-fno-var-tracking",
        "-fno-exceptions",
        "-fno-rtti",
        "-Wno-unused-parameter",
        "-fdiagnostics-color=never",
        "-fmax-errors=5",
        "-pipe",
        NULL,
    };
    command_add(command, grader_print("g++"));
    command_add(command, grader_print("@%s/labs/common/gpu/checked.flags", root));
    command_add_words(command, flags);
    command_add(command, grader_print("-I%s/labs/common/gpu/include", root));
    command_add(command, grader_print("-I%s/labs", root));
}

static bool run(const struct workshop *workshop, struct command *command,
                const char *folder, const char *tool, char **message)
{
    struct outcome outcome = command_run(workshop, command, folder);
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
                      const char *folder, const char *translated, char **message)
{
    struct command command = {.count = 0};
    command_add(&command, grader_print("%s/build/worker/cuda-to-cpp", workshop->root));
    command_add(&command, grader_print("-o"));
    command_add(&command, grader_print("%s", translated));
    command_add(&command, grader_print("%s", source));
    return run(workshop, &command, folder, "translator", message);
}

static bool compile(const struct workshop *workshop, enum backend backend,
                    const char *source, const char *folder, const char *object,
                    char **message)
{
    struct command command = {.count = 0};
    if (backend == GPU_DEVICE) {
        add_nvcc(&command, workshop->root);
    } else {
        add_gxx(&command, workshop->root);
    }
    command_add(&command, grader_print("-c"));
    command_add(&command, grader_print("-o"));
    command_add(&command, grader_print("%s", object));
    command_add(&command, grader_print("%s", source));
    return run(workshop, &command, folder, "compiler", message);
}

bool cuda_compile(const struct workshop *workshop, enum backend backend,
                  const char *source, const char *folder, const char *object,
                  char **message)
{
    if (backend == GPU_DEVICE) {
        return compile(workshop, backend, source, folder, object, message);
    }
    char *translated = grader_print("%s.cpp", object);
    bool fine = translate(workshop, source, folder, translated, message) &&
                compile(workshop, backend, translated, folder, object, message);
    free(translated);
    return fine;
}

// ---- what an object may not hold ----------------------------------------------------------

// Is there a symbol in nm's POSIX output ("name T ...") that begins so?
static bool has_symbol(const char *symbols, const char *prefix, bool defined)
{
    size_t length = strlen(prefix);
    for (const char *line = symbols; line != NULL && *line != '\0';) {
        size_t name = strcspn(line, " \n");
        bool undefined = line[name] == ' ' && line[name + 1] == 'U';
        if (strncmp(line, prefix, length) == 0 && undefined != defined) {
            return true;
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return false;
}

// The functions of simulator.h are for hosts, and those beneath the headers for the headers.
static bool steers_simulator(const char *symbols)
{
    static const char *const steering[] = {"gpu_set_order",
                                           "gpu_expect_launcher",
                                           "gpu_on_finding",
                                           "gpu_findings",
                                           "gpu_print_finding",
                                           "gpu_guard",
                                           "gpu_reset",
                                           "gpu_forget",
                                           "gpu_launches",
                                           "gpu_accesses",
                                           "gpu_profile",
                                           "gpu_set_profile",
                                           NULL};
    for (size_t i = 0; steering[i] != NULL; i++) {
        if (has_symbol(symbols, steering[i], false) ||
            has_symbol(symbols, steering[i], true)) {
            return true;
        }
    }
    return has_symbol(symbols, "gpu_launch", true) || has_symbol(symbols, "cuda", true) ||
           has_symbol(symbols, "cublas", true);
}

char *cuda_refuses(const struct workshop *workshop, const char *object)
{
    struct command command = {.count = 0};
    static const char *const words[] = {"nm", "--format=posix", NULL};
    command_add_words(&command, words);
    command_add(&command, grader_print("%s", object));
    struct outcome outcome = command_run(workshop, &command, NULL);
    const char *symbols = outcome.output;
    char *refusal = NULL;
    if (!command_succeeded(&outcome)) {
        refusal = command_complaint("symbol lister", &outcome);
    } else if (has_symbol(symbols, "__tsan", true)) {
        refusal = grader_print("error: the names that begin with __tsan belong to the "
                               "simulated GPU");
    } else if (steers_simulator(symbols)) {
        refusal = grader_print("error: a lab's file does not steer the simulated GPU "
                               "(labs/common/gpu/simulator.h)");
    }
    free(outcome.output);
    return refusal;
}

// ---- linking ------------------------------------------------------------------------------

void cuda_add_linker(struct command *command, enum backend backend)
{
    (void)backend;
    command_add(command, grader_print("g++"));
    command_add(command, grader_print("-no-pie"));
}

// NVIDIA's packages have lib64/, others lib/.
static const char *libraries(void)
{
    char *path = grader_print("%s/lib64", toolkit());
    bool there = access(path, F_OK) == 0;
    free(path);
    return there ? "lib64" : "lib";
}

void cuda_add_libraries(struct command *command, enum backend backend, const char *root)
{
    static const char *const simulated[] = {
        "-l:libboost_context.a", "-lbacktrace", "-lopenblas", "-lm", "-lpthread", NULL};
    static const char *const device[] = {
        "-lcublas", "-lcudart_static", "-ldl", "-lrt", "-lpthread", "-lm", NULL};
    command_add(command, grader_print("%s/build/lib/libcommon.a", root));
    if (backend == GPU_DEVICE) {
        command_add(command, grader_print("-L%s/%s", toolkit(), libraries()));
        command_add(command, grader_print("-Wl,-rpath,%s/%s", toolkit(), libraries()));
        command_add_words(command, device);
    } else {
        command_add(command, grader_print("%s/build/lib/libgpu-checked.a", root));
        command_add_words(command, simulated);
    }
}
