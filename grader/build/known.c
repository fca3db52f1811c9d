// known.c - see known.h.

#define _GNU_SOURCE
#include "build/known.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/cache.h"
#include "build/link.h"
#include "sandbox/wall.h"

enum { MOST_FILES = 256, MOST_BYTES = 1 << 20 };
static const uint64_t HASH_OF_NOTHING = UINT64_C(14695981039346656037);

static uint64_t hash_more(uint64_t hash, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(1099511628211); // FNV-1a
    }
    return hash;
}

// ---- the parts of a worker ----------------------------------------------------------------

// Identifies an object by its contents, because the compiler writes a new file each time.
static bool add_object(FILE *words, const char *path)
{
    FILE *file = fopen(path, "re");
    char bytes[1 << 14];
    uint64_t hash = HASH_OF_NOTHING;
    size_t size = 0;
    for (size_t count; file != NULL && (count = fread(bytes, 1, sizeof bytes, file)) > 0;
         size += count) {
        hash = hash_more(hash, bytes, count);
    }
    bool whole = file != NULL && ferror(file) == 0;
    if (file != NULL) {
        fclose(file);
    }
    fprintf(words, "object %zu %016" PRIx64 "\n", size, hash);
    return whole;
}

// Identifies a file by its size and times.
static bool add_file(FILE *words, char *path)
{
    char *identity = cache_identity(path);
    bool there = identity != NULL;
    fprintf(words, "%s\n", there ? identity : "");
    free(identity);
    free(path);
    return there;
}

// The prebuilt parts of a worker, besides its lab's harness.
static bool add_prebuilt(FILE *words, const struct workshop *workshop, bool gpu)
{
    static const char *const cpu[] = {"build/worker/lib/libcommon.a",
                                      "build/worker/link/shared",
                                      "build/worker/link/start", NULL};
    static const char *const simulated[] = {"build/lib/libcommon.a",
                                            "build/lib/libgpu-checked.a", NULL};
    bool fine = true;
    for (const char *const *file = gpu ? simulated : cpu; fine && *file != NULL; file++) {
        fine = add_file(words, grader_print("%s/%s", workshop->root, *file));
    }
    return fine && (gpu || !workshop->fast ||
                    add_file(words, grader_print("%s/build/worker/lib/libfast.a",
                                                 workshop->root)));
}

// The judge, which contains the solutions; the prebuilt parts; and the list of the system's
// libraries, which is rewritten when a library is installed.
static bool add_surroundings(FILE *words, const struct workshop *workshop,
                             const struct build *build)
{
    return add_file(words, grader_print("/proc/self/exe")) &&
           add_file(words, link_harness(workshop, build)) &&
           add_prebuilt(words, workshop, build->place->gpu) &&
           add_file(words, grader_print("%s/grader/points.txt", workshop->root)) &&
           add_file(words, grader_print("/etc/ld.so.cache"));
}

char *known_worker(const struct workshop *workshop, const struct build *build,
                   struct build *const *used)
{
    bool good = !workshop->untrusted && build->backend != GPU_DEVICE && build->compiled &&
                getenv("GRADE_CC") == NULL && wall_version() > 0;
    if (!good) {
        return NULL;
    }
    struct text words;
    text_begin(&words);
    good = add_surroundings(words.file, workshop, build) &&
           add_object(words.file, build->object);
    for (size_t i = 0; good && i < MAX_FILES && build->place->uses[i] != NULL; i++) {
        good = used[i]->compiled && add_object(words.file, used[i]->object);
    }
    char *text = text_end(&words);
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}

// ---- what is kept -------------------------------------------------------------------------

// One file for each description: the description, an empty line, the exercises. If two descriptions
// have the same hash, the first lines differ.
static char *path_of(const char *root, const char *what)
{
    return grader_print("%s/build/cache/passes/%016" PRIx64, root,
                        hash_more(HASH_OF_NOTHING, what, strlen(what)));
}

char *known_find(const char *root, const char *what)
{
    char *path = path_of(root, what);
    FILE *file = fopen(path, "re");
    free(path);
    if (file == NULL) {
        return NULL;
    }
    size_t size = strlen(what);
    char *words = grader_alloc(size + 1), *passed = NULL;
    bool same = fread(words, 1, size, file) == size && strcmp(words, what) == 0 &&
                fgetc(file) == '\n';
    ssize_t length = same ? getline(&passed, &(size_t){0}, file) : -1;
    if (length <= 0) {
        free(passed);
        passed = NULL;
    } else {
        futimens(fileno(file), NULL); // cache_sweep removes the least recently used
    }
    free(words);
    fclose(file);
    return passed;
}

// Makes the folder, and room for one more file in it. Caller frees its path.
static char *make_room(const char *root)
{
    char *cache = grader_print("%s/build/cache", root);
    char *folder = grader_print("%s/passes", cache);
    mkdir(cache, 0777); // both may exist
    mkdir(folder, 0777);
    cache_sweep(folder, MOST_FILES - 1, MOST_BYTES);
    free(cache);
    return folder;
}

void known_keep(const char *root, const char *what, const char *passed)
{
    char *folder = make_room(root);
    char *draft = grader_print("%s/new.XXXXXX", folder);
    int descriptor = mkostemp(draft, O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file != NULL) {
        char *path = path_of(root, what);
        bool whole = fprintf(file, "%s\n%s", what, passed) > 0;
        whole = fclose(file) == 0 && whole;
        if (!whole || rename(draft, path) != 0) {
            unlink(draft);
        }
        free(path);
    }
    free(draft);
    free(folder);
}
