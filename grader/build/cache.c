// cache.c - see cache.h.

#define _GNU_SOURCE
#include "build/cache.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "sandbox/wall.h"

enum { MOST_ENTRIES = 256, MOST_BYTES = 64 << 20, TICK_MILLISECONDS = 20 };

static bool student_code_is_kept_out(void)
{
    return wall_version() > 0;
}

// The name of the entry's file, a hash (FNV-1a) of the source's path and the compiler's
// command. A collision costs only time, because the first line identifies the entry.
static char *entry_path(const struct recipe *recipe)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    const char *parts[] = {recipe->source, "\n", recipe->how};
    for (size_t i = 0; i < 3; i++) {
        for (const char *c = parts[i]; *c != '\0'; c++) {
            hash = (hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
        }
    }
    return grader_print("%s/build/cache/%016" PRIx64, recipe->root, hash);
}

// A line that identifies the current version of a file. NULL if it does not exist.
static char *identity(const char *path, struct stat *status)
{
    if (stat(path, status) != 0) {
        return NULL;
    }
    return grader_print("%ju %ju %jd %jd.%09ld %jd.%09ld %s", (uintmax_t)status->st_dev,
                        (uintmax_t)status->st_ino, (intmax_t)status->st_size,
                        (intmax_t)status->st_mtim.tv_sec, status->st_mtim.tv_nsec,
                        (intmax_t)status->st_ctim.tv_sec, status->st_ctim.tv_nsec, path);
}

char *cache_identity(const char *path)
{
    struct stat status;
    return identity(path, &status);
}

// The path of a command's program, as execvp finds it, or NULL. Caller frees.
static char *find_program(const char *how)
{
    size_t length = strcspn(how, " ");
    if (memchr(how, '/', length) != NULL) {
        return grader_print("%.*s", (int)length, how);
    }
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        size_t folder = strcspn(path, ":");
        char *program = grader_print("%.*s/%.*s", (int)folder, path, (int)length, how);
        if (access(program, X_OK) == 0) {
            return program;
        }
        free(program);
        path += folder + (path[folder] == ':');
    }
    return NULL;
}

// The first line of an entry. Caller frees.
static char *first_line(const struct recipe *recipe)
{
    struct stat status;
    char *program = find_program(recipe->how);
    char *compiler = program != NULL ? identity(program, &status) : NULL;
    char *line = grader_print("%s of %s by %s", recipe->how, recipe->source,
                              compiler != NULL ? compiler : "nobody");
    free(compiler);
    free(program);
    return line;
}

// ---- fetching -----------------------------------------------------------------------------

// Returns true if the file named in a line of an entry is unchanged.
static bool still_true(const char *line)
{
    const char *path = line;
    for (int word = 0; path != NULL && word < 5; word++) {
        path = strchr(path, ' ');
        path = path != NULL ? path + 1 : NULL;
    }
    struct stat status;
    char *now = path != NULL ? identity(path, &status) : NULL;
    bool same = now != NULL && strcmp(now, line) == 0;
    free(now);
    return same;
}

// Reads the lines up to the empty one. Returns false if a file has changed.
static bool holds(FILE *entry, const struct recipe *recipe)
{
    char *first = first_line(recipe), *line = NULL;
    size_t size = 0;
    bool good = true;
    for (size_t count = 0; good; count++) {
        ssize_t length = getline(&line, &size, entry);
        if (length <= 0) {
            good = false;
            break;
        }
        line[length - 1] = '\0';
        if (count > 0 && line[0] == '\0') {
            break;
        }
        good = count == 0 ? strcmp(line, first) == 0 : still_true(line);
    }
    free(first);
    free(line);
    return good;
}

// The next bytes of an entry, followed by a 0; NULL if the entry is too short.
static char *read_bytes(FILE *entry, size_t count)
{
    char *bytes = grader_alloc(count + 1);
    if (fread(bytes, 1, count, entry) != count) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static bool write_object(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wxe");
    bool fine = file != NULL && fwrite(bytes, 1, count, file) == count;
    return file != NULL && fclose(file) == 0 && fine;
}

static bool take(FILE *entry, const char *object, char **warnings)
{
    size_t said = 0, bytes = 0;
    struct stat status;
    char newline = '\0';
    if (fscanf(entry, "%zu %zu%c", &said, &bytes, &newline) != 3 || newline != '\n' ||
        fstat(fileno(entry), &status) != 0 || said > (size_t)status.st_size ||
        bytes > (size_t)status.st_size) {
        return false;
    }
    char *text = read_bytes(entry, said);
    char *code = text != NULL ? read_bytes(entry, bytes) : NULL;
    bool taken = code != NULL && write_object(object, code, bytes);
    *warnings = taken && said > 0 ? text : NULL;
    if (*warnings == NULL) {
        free(text);
    }
    free(code);
    return taken;
}

bool cache_fetch(const struct recipe *recipe, const char *object, char **warnings)
{
    if (!student_code_is_kept_out()) {
        return false;
    }
    char *path = entry_path(recipe);
    FILE *entry = fopen(path, "re");
    free(path);
    if (entry == NULL) {
        return false;
    }
    bool taken = holds(entry, recipe) && take(entry, object, warnings);
    if (taken) {
        futimens(fileno(entry), NULL); // marks the entry as used; see cache_sweep
    }
    fclose(entry);
    return taken;
}

// ---- keeping ------------------------------------------------------------------------------

// Returns true if the file did not change during the clock tick before the compiler
// started.
static bool settled(const struct stat *status, struct timespec started)
{
    int64_t start = (int64_t)started.tv_sec * 1000 + started.tv_nsec / 1000000;
    int64_t change =
        (int64_t)status->st_ctim.tv_sec * 1000 + status->st_ctim.tv_nsec / 1000000;
    return change + TICK_MILLISECONDS < start;
}

// "#embed" of C23, however it is spaced: the word alone, which is not part of "embedding".
static bool embeds(const char *line)
{
    static const char word[] = "embed";
    bool found = false;
    for (const char *at = line; !found && (at = strstr(at, word)) != NULL; at++) {
        const char before = at > line ? at[-1] : ' ', after = at[strlen(word)];
        found = !isalnum((unsigned char)before) && before != '_' &&
                !isalnum((unsigned char)after) && after != '_';
    }
    return found;
}

// Returns true if the result may depend on more than the files that the compiler lists as
// dependencies: on the time, a missing file (__has_include), or one that only a directive or the
// assembler reads. gcc 15 and clang 19 know #embed. System headers refer only to system files.
static bool hangs_on_more(const char *path)
{
    static const char *const words[] = {"__has_include",  "__has_embed", "incbin",
                                        ".include",       "__DATE__",    "__TIME__",
                                        "GCC dependency", NULL};
    bool more = false;
    FILE *file = strncmp(path, "/usr/", 5) != 0 ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t size = 0;
    while (file != NULL && !more && getline(&line, &size, file) > 0) {
        more = embeds(line);
        for (size_t i = 0; !more && words[i] != NULL; i++) {
            more = strstr(line, words[i]) != NULL;
        }
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
    return more;
}

static bool write_identity(FILE *entry, const char *path, struct timespec started)
{
    struct stat status;
    char *line = identity(path, &status);
    bool good =
        line != NULL && settled(&status, started) && fprintf(entry, "%s\n", line) > 0;
    free(line);
    return good;
}

// Parses "x.o: a.c a.h \", a make rule. Escaped names are not supported.
static bool write_dependencies(FILE *entry, const struct recipe *recipe,
                               const char *dependencies, struct timespec started)
{
    FILE *list = fopen(dependencies, "re");
    bool good = list != NULL;
    char *word = NULL;
    size_t size = 0;
    while (good && getdelim(&word, &size, ' ', list) > 0) {
        word[strcspn(word, " \n")] = '\0';
        size_t length = strlen(word);
        if (length == 0 || word[length - 1] == ':' || strcmp(word, "\\") == 0 ||
            (recipe->passing != NULL && strcmp(word, recipe->passing) == 0)) {
            continue;
        }
        good = strpbrk(word, "\\$#") == NULL && !hangs_on_more(word) &&
               write_identity(entry, word, started);
    }
    free(word);
    if (list != NULL) {
        fclose(list);
    }
    return good;
}

// If the compiled file was generated, the compiler does not list the source it was
// generated from.
static bool write_identities(FILE *entry, const struct recipe *recipe,
                             const char *dependencies, struct timespec started)
{
    bool good =
        recipe->passing == NULL || (!hangs_on_more(recipe->source) &&
                                    write_identity(entry, recipe->source, started));
    for (const char *const *path = recipe->also; good && path != NULL && *path != NULL;
         path++) {
        good = write_identity(entry, *path, started);
    }
    return good && write_dependencies(entry, recipe, dependencies, started);
}

static bool copy_object(FILE *entry, const char *object, const char *warnings)
{
    FILE *file = fopen(object, "re");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        if (file != NULL) {
            fclose(file);
        }
        return false;
    }
    size_t bytes = (size_t)status.st_size;
    char *code = read_bytes(file, bytes);
    fclose(file);
    fprintf(entry, "\n%zu %zu\n%s", strlen(warnings), bytes, warnings);
    bool fine = code != NULL && fwrite(code, 1, bytes, entry) == bytes;
    free(code);
    return fine;
}

struct kept_file {
    char *path;
    struct timespec used;
    size_t bytes;
};

struct kept_files {
    struct kept_file *files;
    size_t count, bytes;
};

static int longest_unused_first(const void *one, const void *other)
{
    const struct timespec *a = &((const struct kept_file *)one)->used;
    const struct timespec *b = &((const struct kept_file *)other)->used;
    return a->tv_sec != b->tv_sec     ? (a->tv_sec < b->tv_sec ? -1 : 1)
           : a->tv_nsec != b->tv_nsec ? (a->tv_nsec < b->tv_nsec ? -1 : 1)
                                      : 0;
}

// Also counts the temporary files of killed graders, because nothing else removes them.
static struct kept_files list_files(const char *folder)
{
    struct kept_files list = {.count = 0};
    DIR *directory = opendir(folder);
    struct dirent *file;
    while (directory != NULL && (file = readdir(directory)) != NULL) {
        struct stat status;
        if (fstatat(dirfd(directory), file->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode)) {
            list.files = grader_resize(list.files, (list.count + 1) * sizeof *list.files);
            list.files[list.count++] =
                (struct kept_file){grader_print("%s/%s", folder, file->d_name),
                                   status.st_mtim, (size_t)status.st_size};
            list.bytes += (size_t)status.st_size;
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return list;
}

// Another grader may remove the same file, read it, or still be writing it (then its rename
// fails and it stores nothing). All of this is harmless.
void cache_sweep(const char *folder, size_t most_entries, size_t most_bytes)
{
    struct kept_files list = list_files(folder);
    if (list.count > most_entries || list.bytes > most_bytes) {
        qsort(list.files, list.count, sizeof *list.files, longest_unused_first);
    }
    size_t left = list.count;
    for (size_t i = 0; i < list.count; i++) {
        if (left > most_entries || list.bytes > most_bytes) {
            unlink(list.files[i].path);
            list.bytes -= list.files[i].bytes;
            left--;
        }
        free(list.files[i].path);
    }
    free(list.files);
}

void cache_keep(const struct recipe *recipe, const char *object, const char *warnings,
                const char *dependencies, struct timespec started)
{
    char *folder = grader_print("%s/build/cache", recipe->root);
    char *draft = grader_print("%s/new.XXXXXX", folder);
    bool there =
        student_code_is_kept_out() && (mkdir(folder, 0777) == 0 || errno == EEXIST);
    int descriptor = there ? mkostemp(draft, O_CLOEXEC) : -1;
    FILE *entry = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (entry != NULL) {
        char *first = first_line(recipe);
        fprintf(entry, "%s\n", first);
        free(first);
        bool good = write_identities(entry, recipe, dependencies, started) &&
                    copy_object(entry, object, warnings != NULL ? warnings : "");
        char *path = entry_path(recipe);
        good = fclose(entry) == 0 && good;
        if (!good || rename(draft, path) != 0) {
            unlink(draft);
        }
        free(path);
        cache_sweep(folder, MOST_ENTRIES, MOST_BYTES);
    }
    free(draft);
    free(folder);
}
