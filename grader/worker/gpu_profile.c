// gpu_profile.c - the kernels' memory accesses (--profile).

#define _GNU_SOURCE
#include "worker/gpu_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_KERNELS = 16 };

// The profile of a kernel in the call with the most accesses.
struct kernel_profile {
    char *name, *text;
    uint64_t accesses;
};

bool profiling;
static struct kernel_profile profiles[MOST_KERNELS]; // in the order of their first call

void profile_begin(bool on)
{
    profiling = on;
    gpu_set_profile(on);
}

static struct kernel_profile *profile_of(const char *kernel)
{
    for (size_t i = 0; i < MOST_KERNELS; i++) {
        if (profiles[i].name == NULL) {
            profiles[i].name = strdup(kernel); // copied, because the lines are temporary
        }
        if (profiles[i].name != NULL && strcmp(profiles[i].name, kernel) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}

// Counts threads, not warps, to prefer calls that keep more threads busy.
static uint64_t accesses_of(const char *kernel, const struct gpu_profile_line *lines,
                            size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += strcmp(lines[i].kernel, kernel) == 0 ? lines[i].lanes : 0;
    }
    return sum;
}

// The name of a kernel's file, without its folder: a lab may have several.
static const char *file_of(const char *kernel, const struct gpu_profile_line *lines,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(lines[i].kernel, kernel) == 0) {
            const char *slash = strrchr(lines[i].file, '/');
            return slash != NULL ? slash + 1 : lines[i].file;
        }
    }
    return "?";
}

// A kernel's file and bytes, then its lines, most wasteful first. Caller frees.
static char *describe(const char *kernel, const struct gpu_profile_line *lines,
                      size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) {
        worker_fail("memory");
    }
    const struct gpu_traffic traffic = gpu_profile_traffic(kernel);
    fprintf(file,
            "%s in %s reads %" PRIu64 " bytes of device memory and writes %" PRIu64 "\n",
            kernel, file_of(kernel, lines, count), traffic.read, traffic.written);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(lines[i].kernel, kernel) == 0) {
            char advice[256];
            gpu_profile_advice(advice, sizeof advice, &lines[i]);
            fprintf(file, "%s, %s\n", kernel, advice);
        }
    }
    fclose(file);
    return text;
}

void profile_keep(void)
{
    size_t count = 0;
    const struct gpu_profile_line *lines = gpu_profile(&count);
    for (size_t i = 0; i < count; i++) {
        uint64_t accesses = accesses_of(lines[i].kernel, lines, count);
        struct kernel_profile *profile = profile_of(lines[i].kernel);
        if (profile != NULL && accesses > profile->accesses) {
            profile->accesses = accesses;
            free(profile->text);
            profile->text = describe(lines[i].kernel, lines, count);
        }
    }
}

void profile_end(void)
{
    if (profiling) { // also without kernels, so that no mark that the code printed is the last
        fputs(PROFILE_MARK, stderr);
    }
    for (size_t i = 0; i < MOST_KERNELS && profiles[i].text != NULL; i++) {
        fputs(profiles[i].text, stderr);
    }
}
